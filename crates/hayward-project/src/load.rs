//! Reading a project's modules and checking them beside the library.

use crate::kept::{Keys, Modules};
use crate::literals::Literals;
use crate::{BUILT_IN, Roots, in_line, library, shown};
use dag_analysis::{
    CheckRecords, Checked, Digest, File, ImportGraph, Keep, Library, Past, check_after,
    import_graph, sort, text_digest,
};
use dag_syntax::{Code, Diagnostic, Location, SourceId, Sources, Span};
use hayward_store::{Kind, Store};
use rayon::prelude::*;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A project's modules, read.
#[derive(Debug)]
pub struct Texts {
    sources: Sources,
    files: Vec<File>,
    not_utf8: Vec<Diagnostic>,
    own_files: usize,
    first_own: u32,
    /// Of the roots: what was found of this project before is kept under it.
    project: Keys,
}

/// A project's modules, read and checked.
#[derive(Debug)]
pub struct Loaded {
    /// The texts.
    pub sources: Sources,
    /// What the check says.
    pub checked: Checked,
    /// Of how many modules literals were evaluated, to judge them.
    pub judged: usize,
    /// How many of the texts are the project's own.
    pub own_files: usize,
    /// Under which keys what is found of the project is kept.
    pub project: Keys,
    /// The first of the project's own texts; those before are the library's.
    first_own: u32,
}

/// A file that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be read: {source}", in_line(path))]
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

impl Texts {
    /// Reads the files below the roots. A file that repeats a module of the library byte
    /// for byte, the library's own folder among the roots for instance, is that module.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn read(roots: &Roots) -> Result<Self, ReadError> {
        let read = |path: &PathBuf| std::fs::read(path);
        let texts: Vec<_> = roots.files.par_iter().with_min_len(16).map(read).collect();
        let mut files = Vec::with_capacity(texts.len());
        for (path, bytes) in roots.files.iter().zip(texts) {
            let bytes = bytes.map_err(|source| ReadError {
                path: path.clone(),
                source,
            })?;
            files.push((shown(path), bytes));
        }
        Ok(Self::of(files, roots.keys()))
    }

    /// Files that were read already: the path of each as it is shown, and its bytes. What is
    /// found of them is kept under `project`.
    #[must_use]
    pub fn of(own: Vec<(String, Vec<u8>)>, project: Keys) -> Self {
        let own_files = own.len();
        let mut sources = Sources::default();
        let mut files = Vec::new();
        let mut built_in: HashMap<&str, usize> = HashMap::new();
        for (path, text) in library() {
            built_in.insert(text, files.len());
            files.push(File {
                source: sources.add(format!("{BUILT_IN}{path}"), text),
                library: true,
            });
        }
        let first_own = files.len() as u32;
        let mut not_utf8 = Vec::new();
        for (shown, bytes) in own {
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
        Self {
            sources,
            files,
            not_utf8,
            own_files,
            first_own,
            project,
        }
    }

    /// The texts, and which module imports which: the library's as far as they are loaded, or
    /// all.
    ///
    /// # Errors
    /// The mistakes that keep the imports from being followed.
    pub fn imports(self, library: Library) -> (Sources, Result<ImportGraph, Vec<Diagnostic>>) {
        let graph = if self.not_utf8.is_empty() {
            import_graph(&self.sources, &self.files, library)
        } else {
            Err(self.not_utf8)
        };
        (self.sources, graph)
    }

    /// Under which keys what is found of the project is kept.
    #[must_use]
    pub fn project(&self) -> &Keys {
        &self.project
    }

    /// The digest of all texts that are the project's own, in whatever files they stand;
    /// none if one is no text.
    #[must_use]
    pub fn digest(&self) -> Option<Digest> {
        if !self.not_utf8.is_empty() {
            return None;
        }
        let digest = |file: &File| {
            let source = self.sources.get(file.source);
            text_digest(
                &source.text,
                source.path.ends_with("_test.dag"),
                file.library,
            )
        };
        let own = self.files.par_iter().filter(|file| !file.library);
        let mut all: Vec<Digest> = own.map(digest).collect();
        all.sort_unstable();
        Some(*blake3::hash(all.as_flattened()).as_bytes())
    }

    /// Checks the modules, but for those whose check holds from an earlier run, and keeps
    /// what it finds. The program is put together if somebody needs it.
    #[must_use]
    pub fn check(
        self,
        which: Library,
        store: &Store,
        needs_program: impl FnOnce(&Checked) -> bool + Send,
    ) -> Loaded {
        let keys = self.project.each(|project| records_key(project, which));
        let kept = keys.get(Kind::Records, store);
        let records = kept.as_deref().and_then(CheckRecords::from_bytes);
        let records = Arc::new(records.unwrap_or_default());
        let before = records.len();
        let modules = Arc::new(Modules::new(store.clone()));
        let past = match store.is_on() {
            true => Past::new(records, Arc::clone(&modules) as Arc<dyn Keep>),
            false => Past::NONE,
        };
        let mut literals = Literals::default();
        let needs = |checked: &Checked| {
            literals = Literals::of(checked, &self.project, store);
            // Both are asked: whoever needs the program may note what it is needed for.
            needs_program(checked) | (literals.waiting() > 0)
        };
        let mut checked = check_after(&self.sources, &self.files, which, past, needs);
        if store.is_on() {
            modules.flush();
            keep(&checked, before, store, &keys);
        }
        let judged = literals.waiting();
        let mut more = self.not_utf8;
        if judged > 0 {
            more.extend(literals.judge(&checked, &self.project, store));
            if let Some(work) = checked.program.modules.work() {
                checked.work = work;
            }
        }
        if !more.is_empty() {
            checked.diagnostics.extend(more);
            sort(&self.sources, &mut checked.diagnostics);
        }
        Loaded {
            sources: self.sources,
            checked,
            judged,
            own_files: self.own_files,
            project: self.project,
            first_own: self.first_own,
        }
    }
}

/// Reads the files below the roots and checks them beside the library.
///
/// # Errors
/// If a file cannot be read.
pub fn load(roots: &Roots, which: Library, store: &Store) -> Result<Loaded, ReadError> {
    Ok(Texts::read(roots)?.check(which, store, Checked::is_sound))
}

fn records_key(project: &Digest, which: Library) -> Digest {
    let mut hash = blake3::Hasher::new();
    hash.update(project);
    hash.update(&[u8::from(which == Library::Whole)]);
    *hash.finalize().as_bytes()
}

/// Puts what was found into the store, unless it is there already. Nothing depends on
/// whether that works.
fn keep(checked: &Checked, before: usize, store: &Store, keys: &Keys) {
    let found = checked.modules.iter();
    let records: CheckRecords = found.filter_map(|module| module.record.clone()).collect();
    let changed = !checked.fresh.is_empty() || records.len() != before;
    if !changed {
        return;
    }
    let here = keys.here;
    if store.is_shared() {
        let bytes = records.to_bytes();
        store.put_shared(Kind::Records, &keys.everywhere, &bytes);
        store.put_later(move || vec![(Kind::Records, here, bytes)]);
    } else {
        store.put_later(move || vec![(Kind::Records, here, records.to_bytes())]);
    }
}
