//! What tests give to a check: models as text beside the library, and what earlier runs kept.

mod memory;

pub use memory::Memory;

use dag_analysis::core::Program;
use dag_analysis::{Checked, File, Library, check, library};
use dag_syntax::{Sources, Style, render_text};
use std::sync::Arc;

/// The files of the language's own library, then these; each is (path, text).
pub fn texts<P, T>(own: impl IntoIterator<Item = (P, T)>) -> (Sources, Vec<File>)
where
    P: Into<Arc<str>>,
    T: Into<Arc<str>>,
{
    texts_beside(library().iter().copied(), own)
}

/// The files of a library, then these; each is (path, text).
pub fn texts_beside<'a, P, T>(
    library: impl IntoIterator<Item = (&'a str, &'a str)>,
    own: impl IntoIterator<Item = (P, T)>,
) -> (Sources, Vec<File>)
where
    P: Into<Arc<str>>,
    T: Into<Arc<str>>,
{
    let mut sources = Sources::default();
    let mut files = Vec::new();
    for (path, text) in library {
        files.push(File {
            source: sources.add(path, text),
            library: true,
        });
    }
    for (path, text) in own {
        files.push(File {
            source: sources.add(path, text),
            library: false,
        });
    }
    (sources, files)
}

/// Checks modules beside the whole library; each is (path, text).
#[must_use]
pub fn checked(own: &[(&str, &str)]) -> (Checked, Sources) {
    let (sources, files) = texts(own.iter().copied());
    (check(&sources, &files, Library::Whole), sources)
}

/// The program of modules that have no mistake; each is (path, text).
///
/// # Panics
/// If they have one: it shows them all.
#[must_use]
pub fn sound(own: &[(&str, &str)]) -> (Arc<Program>, Sources) {
    let (checked, sources) = checked(own);
    let mistakes = checked.diagnostics.iter().filter(|d| d.is_error());
    let shown: Vec<String> = mistakes
        .map(|d| render_text(d, &sources, Style::Plain))
        .collect();
    assert!(checked.is_sound(), "{}", shown.join("\n"));
    (Arc::new(checked.program), sources)
}
