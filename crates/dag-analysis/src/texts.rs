//! The files that a program is made of, as far as their texts tell.

use crate::index;
use crate::interface::Digest;
use crate::known::IMPLICIT;
use crate::past::{CheckRecord, Past, text_digest};
use crate::program::{File, Library};
use crate::unloaded::Unloaded;
use dag_syntax::{Diagnostic, Sources, Symbol, Tree, parse};
use rayon::prelude::*;
use std::sync::Arc;

/// A file.
pub(crate) struct Entry {
    pub(crate) file: File,
    pub(crate) test_file: bool,
    pub(crate) text: Arc<str>,
    /// The digest of its text, if the run is kept.
    pub(crate) digest: Option<Digest>,
    /// What an earlier run found of this text; the file is not parsed then.
    pub(crate) record: Option<Arc<CheckRecord>>,
    pub(crate) tree: Option<Arc<Tree>>,
    /// Whether something was said of its form, which only a parse finds out.
    pub(crate) misformed: bool,
    /// The name on its `module` line; none if it has none.
    pub(crate) name: Option<Symbol>,
    /// The modules it imports, as often as it does.
    pub(crate) imports: Vec<Symbol>,
}

/// Whether a file is a test file, by its path.
pub(crate) fn is_test_path(path: &str) -> bool {
    path.ends_with("_test.dag")
}

pub(crate) struct Texts {
    pub(crate) entries: Vec<Entry>,
    /// The library's modules that nothing loads.
    pub(crate) unloaded: Unloaded,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// How many were parsed.
    pub(crate) parsed: u64,
}

impl Texts {
    /// Reads the project's files, and those of the library.
    pub(crate) fn read(sources: &Sources, all: &[File], library: Library, past: &Past) -> Self {
        let mut texts = Self {
            entries: Vec::with_capacity(all.len()),
            unloaded: Unloaded::default(),
            diagnostics: Vec::new(),
            parsed: 0,
        };
        let mut files = Vec::with_capacity(all.len());
        for file in all {
            let text = &sources.get(file.source).text;
            match index::name_of_text(text).filter(|_| file.library && library == Library::Loaded) {
                Some(name) => texts.unloaded.add(name, file.source, Arc::clone(text)),
                None => files.push(*file),
            }
        }
        let mut wanted: Vec<Symbol> = IMPLICIT.map(Symbol::new).to_vec();
        loop {
            let read = |file: &File| Entry::read(sources, *file, past);
            let entries: Vec<_> = files.par_iter().with_min_len(16).map(read).collect();
            for (entry, errors) in entries {
                texts.diagnostics.extend(errors);
                texts.parsed += u64::from(entry.tree.is_some());
                wanted.extend(&entry.imports);
                // A module of the project that takes a name of the library is
                // refused as a duplicate, not put in its place.
                wanted.extend(entry.name);
                texts.entries.push(entry);
            }
            let loaded = wanted
                .drain(..)
                .filter_map(|name| texts.unloaded.take(name));
            files = loaded
                .map(|source| File {
                    source,
                    library: true,
                })
                .collect();
            if files.is_empty() {
                // Of two modules of one name the library's is the first.
                texts.entries.sort_by_key(|entry| !entry.file.library);
                return texts;
            }
        }
    }
}

impl Entry {
    fn read(sources: &Sources, file: File, past: &Past) -> (Self, Vec<Diagnostic>) {
        let source = sources.get(file.source);
        let test_file = is_test_path(&source.path);
        let digest = past
            .is_kept()
            .then(|| text_digest(&source.text, test_file, file.library));
        let record = digest.and_then(|digest| past.record(&digest));
        let found = record.as_ref();
        let mut entry = Self {
            file,
            test_file,
            text: Arc::clone(&source.text),
            digest,
            tree: None,
            misformed: false,
            name: found.map(|record| record.name),
            imports: found.map_or(Vec::new(), |record| record.imports.clone()),
            record,
        };
        if entry.record.is_some() {
            return (entry, Vec::new());
        }
        let (tree, errors) = parse(file.source, Arc::clone(&source.text));
        entry.name = index::module_name(&tree).map(|(name, _)| name);
        entry.imports = index::imports(&tree)
            .iter()
            .map(|import| import.module)
            .collect();
        entry.tree = Some(Arc::new(tree));
        entry.misformed = !errors.is_empty();
        (entry, errors)
    }
}
