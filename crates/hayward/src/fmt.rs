//! `hayward fmt`

use crate::args::FmtArgs;
use crate::failure::{End, Failure, Outcome};
use crate::output::{Output, Tone, counted, write_file};
use crate::project;
use dag_syntax::{Diagnostic, Sources, Tree, format, parse};
use hayward_project::{Roots, in_line, shown};
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;

pub(crate) fn run(args: &FmtArgs, output: &Output) -> Outcome {
    let roots = Roots::find(&project::roots(&args.roots)?).map_err(|e| Failure::of(&e))?;
    let mut sources = Sources::default();
    let mut mistakes: Vec<Diagnostic> = Vec::new();
    let mut changed: Vec<(PathBuf, String)> = Vec::new();
    for path in &roots.files {
        let text: Arc<str> = std::fs::read_to_string(path)
            .map_err(|e| Failure::new(format!("{} cannot be read: {e}", in_line(path))))?
            .into();
        let source = sources.add(shown(path), Arc::clone(&text));
        let (tree, errors) = parse(source, Arc::clone(&text));
        let before = mistakes.len();
        mistakes.extend(errors.into_iter().filter(Diagnostic::is_error));
        if mistakes.len() > before {
            continue;
        }
        let new = format(&tree);
        if *new == *text {
            continue;
        }
        // A layout that means something else must never reach a file.
        let (again, _) = parse(source, new.as_str().into());
        if shape(&again) != shape(&tree) {
            return Err(Failure::new(format!(
                "{} would change its meaning: this is a defect of the formatter; nothing was written",
                in_line(path)
            )));
        }
        changed.push((path.clone(), new));
    }
    output.diagnostics(&mistakes, &sources);
    let broken: std::collections::BTreeSet<u32> = mistakes.iter().map(|d| d.at.source.0).collect();
    for (path, text) in &changed {
        if !args.check {
            write_file(path, text.as_bytes())?;
        }
        let sign = if args.check {
            output.paint(Tone::Bad, "!")
        } else {
            output.paint(Tone::Change, "~")
        };
        output.line(format!("{sign} {}", in_line(path)));
    }
    let verb = if args.check { "to format" } else { "formatted" };
    let same = roots.files.len() - changed.len() - broken.len();
    let untouched = match broken.len() {
        0 => String::new(),
        n => format!(", {n} not touched for their mistakes"),
    };
    output.line(format!(
        "{} {verb}, {same} as they should be{untouched}",
        counted(changed.len(), "file")
    ));
    let paths: Vec<String> = changed.iter().map(|(p, _)| shown(p)).collect();
    let shown: Vec<_> = mistakes
        .iter()
        .map(|d| dag_syntax::to_json(d, &sources))
        .collect();
    let ok = mistakes.is_empty() && (changed.is_empty() || !args.check);
    output.document(&json!({ "ok": ok, "changed": paths, "diagnostics": shown }));
    Ok(if ok { End::Done } else { End::Refused })
}

/// What a layout must keep: nodes with their words and signs, commas aside, and
/// the annotations.
fn shape(tree: &Tree) -> Vec<String> {
    let mut shape = Vec::new();
    let mut todo = vec![tree.root()];
    while let Some(node) = todo.pop() {
        let words: Vec<&str> = tree
            .own_tokens(node)
            .filter(|(kind, _)| *kind != dag_syntax::Token::Comma)
            .map(|(_, index)| tree.token_text(index))
            .collect();
        shape.push(format!("{:?} {}", tree.kind(node), words.join(" ")));
        todo.extend(tree.children(node));
    }
    shape.extend(tree.annotations().iter().map(|a| a.text.clone()));
    shape
}
