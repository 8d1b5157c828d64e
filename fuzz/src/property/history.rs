//! What holds of checks that follow each other.

use super::syntax::differ;
use super::{Holds, Program, broken};
use crate::case::SourceFile;
use dag_analysis::{CheckRecords, Keep, Past, Session, library};
use dag_given::Memory;
use dag_syntax::{Diagnostic, SourceId, Sources, Style, render_text};
use std::sync::Arc;

/// In every state of the files, three ways find the same: a check from nothing; a check after
/// the states before, with what was kept of them and read back; and a session that was told of
/// the edits. Sound modules have the same core however it came to be known.
///
/// # Errors
/// The state, the way, and what it finds else.
pub fn every_way_of_checking_agrees(states: &[Vec<SourceFile>]) -> Holds {
    const NAME: &str = "every way of checking agrees";
    let mut records = Arc::new(CheckRecords::default());
    let memory = Arc::new(Memory::default());
    let mut session = Session::default();
    for (path, text) in library() {
        session.add(path, text, true);
    }
    let mut own: Vec<SourceId> = Vec::new();
    // The last state twice: nothing is changed, and all that may be is read back.
    for (number, state) in states.iter().chain(states.last()).enumerate() {
        let cold = Program::of(state);
        let warm = Program::after(
            state,
            Past::new(records, Arc::clone(&memory) as Arc<dyn Keep>),
        );
        let told = shown(&cold.checked.diagnostics, &cold.sources);
        let kept = shown(&warm.checked.diagnostics, &warm.sources);
        if let Some((cold, warm)) = differ(&told, &kept) {
            return broken(
                NAME,
                format!("state {number}: from nothing {cold:?}, after the others {warm:?}"),
            );
        }
        if cold.checked.is_sound()
            && let Some((cold, warm)) = differ(&cold.core(), &warm.core())
        {
            return broken(
                NAME,
                format!("state {number}: the core from nothing is\n{cold}\nread back\n{warm}"),
            );
        }
        let known = warm.checked.modules.into_iter();
        let known: CheckRecords = known.filter_map(|module| module.record).collect();
        match CheckRecords::from_bytes(&known.to_bytes()) {
            Some(read) if read.len() == known.len() => records = Arc::new(read),
            _ => return broken(NAME, format!("state {number}: records are not read back")),
        }

        for (at, file) in state.iter().enumerate() {
            match own.get(at) {
                None => own.push(session.add(&file.path, &file.text, false)),
                Some(source) => {
                    if session.sources().get(*source).text.as_ref() != file.text {
                        session.set_text(*source, &file.text);
                    }
                }
            }
        }
        session.update(&mut |_, _| true);
        let mut sources: Vec<SourceId> = session.files().collect();
        sources.sort_by_key(|source| session.sources().get(*source).path.clone());
        let all: Vec<Diagnostic> = sources
            .into_iter()
            .flat_map(|source| session.diagnostics(source))
            .collect();
        if let Some((cold, live)) = differ(&told, &shown(&all, session.sources())) {
            return broken(
                NAME,
                format!("state {number}: from nothing {cold:?}, in a session {live:?}"),
            );
        }
    }
    Ok(())
}

fn shown(diagnostics: &[Diagnostic], sources: &Sources) -> Vec<String> {
    let all = diagnostics.iter();
    all.map(|d| render_text(d, sources, Style::Plain)).collect()
}
