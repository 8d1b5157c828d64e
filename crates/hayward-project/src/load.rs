//! Reading a project's modules and checking them beside the library.

use crate::{Roots, library};
use dag_analysis::{Checked, File, Library, check};
use dag_syntax::{Code, Diagnostic, Location, SourceId, Sources, Span};
use rayon::prelude::*;
use std::collections::HashMap;
use std::path::PathBuf;

/// A project's modules, read and checked.
#[derive(Debug)]
pub struct Loaded {
    /// The texts.
    pub sources: Sources,
    /// What the check says.
    pub checked: Checked,
    /// How many of the texts are the project's own.
    pub own_files: usize,
    /// The first of the project's own texts; those before are the library's.
    first_own: u32,
}

/// A file that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{path} cannot be read: {source}")]
pub struct ReadError {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub source: std::io::Error,
}

impl Loaded {
    /// Whether a text is the project's own, not the library's.
    #[must_use]
    pub fn is_own(&self, source: SourceId) -> bool {
        source.0 >= self.first_own
    }
}

/// Reads the files below the roots and checks them beside the library. A file
/// that repeats a module of the library byte for byte, the library's own folder
/// among the roots for instance, is that module.
///
/// # Errors
/// If a file cannot be read.
pub fn load(roots: &Roots, which: Library) -> Result<Loaded, ReadError> {
    let mut sources = Sources::default();
    let mut files = Vec::new();
    let mut built_in: HashMap<&str, usize> = HashMap::new();
    for (path, text) in library() {
        built_in.insert(text, files.len());
        files.push(File {
            source: sources.add(format!("<built-in>/{path}"), text),
            library: true,
        });
    }
    let first_own = files.len() as u32;
    let mut not_utf8 = Vec::new();
    let read = |path: &PathBuf| std::fs::read(path);
    let texts: Vec<_> = roots.files.par_iter().with_min_len(16).map(read).collect();
    for (path, bytes) in roots.files.iter().zip(texts) {
        let bytes = bytes.map_err(|source| ReadError {
            path: path.clone(),
            source,
        })?;
        let shown = path.display().to_string();
        match String::from_utf8(bytes) {
            Ok(text) => {
                if !built_in.contains_key(text.as_str()) {
                    files.push(File {
                        source: sources.add(shown, text),
                        library: false,
                    });
                }
            }
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
                let source = sources.add(shown, text);
                let span = Span::new(at as u32, at as u32 + 1);
                not_utf8.push(Diagnostic::error(
                    Code::NotUtf8,
                    Location { source, span },
                    "this is no UTF-8 text",
                ));
            }
        }
    }
    let mut checked = check(&sources, &files, which);
    if !not_utf8.is_empty() {
        checked.diagnostics.extend(not_utf8);
        checked.diagnostics.sort_by(|a, b| {
            let path = |d: &Diagnostic| std::sync::Arc::clone(&sources.get(d.at.source).path);
            path(a).cmp(&path(b)).then(a.at.cmp(&b.at))
        });
    }
    Ok(Loaded {
        own_files: roots.files.len(),
        sources,
        checked,
        first_own,
    })
}
