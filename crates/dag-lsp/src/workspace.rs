//! The texts: those on the disk, and over them those that an editor holds.

use crate::position::{Encoding, Lines};
use crate::project::Project;
use crate::uri;
use dag_analysis::Session;
use dag_syntax::{Location, SourceId};
use gen_lsp_types as lsp;
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file that an editor can name.
#[derive(Debug)]
struct File {
    /// Its URI as we write it, or as the client did if it is open.
    uri: String,
    /// Its path; none for a text that has none (`untitled:`).
    path: Option<PathBuf>,
    /// The version of the text that an editor holds.
    version: Option<i32>,
    /// A module of the library that stands in the project: the library itself,
    /// being worked on.
    library: bool,
}

/// The texts and what is known of them.
pub(crate) struct Workspace<'p> {
    project: &'p dyn Project,
    pub(crate) encoding: Encoding,
    pub(crate) session: Session,
    files: FxHashMap<SourceId, File>,
    by_key: FxHashMap<String, SourceId>,
    /// The library's modules: path below its folder, of those that no file of the
    /// project stands for.
    library: FxHashMap<SourceId, String>,
    /// The folders that the client works in.
    folders: Vec<PathBuf>,
    /// Whether something changed since the last check.
    pub(crate) dirty: bool,
}

impl<'p> Workspace<'p> {
    pub(crate) fn new(project: &'p dyn Project) -> Self {
        let mut session = Session::default();
        let mut library = FxHashMap::default();
        for (path, text) in project.library() {
            let source = session.add(&format!("<built-in>/{path}"), &text, true);
            library.insert(source, path);
        }
        Self {
            project,
            encoding: Encoding::default(),
            session,
            files: FxHashMap::default(),
            by_key: FxHashMap::default(),
            library,
            folders: Vec::new(),
            dirty: true,
        }
    }

    // Files.

    /// What a client names a file by, in the one form that it is looked up by.
    fn key(&self, uri: &str) -> String {
        match uri::to_path(uri) {
            Some(path) => uri::of_path(&self.project.real(&path)),
            None => uri.to_owned(),
        }
    }

    /// Reads the project that a folder belongs to.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub(crate) fn add_folder(&mut self, folder: &Path) -> Result<(), String> {
        if !self.folders.iter().any(|f| f == folder) {
            self.folders.push(folder.to_owned());
        }
        let modules = self.project.modules(folder)?;
        for module in modules {
            let uri = uri::of_path(&module.path);
            let open = self
                .by_key
                .get(&self.key(&uri))
                .and_then(|s| self.files.get(s))
                .is_some_and(|f| f.version.is_some());
            // What an editor holds counts.
            if !open {
                self.put(&uri, &module.text);
            }
        }
        Ok(())
    }

    /// Reads every project again: one came, went, or names other folders now.
    ///
    /// # Errors
    /// Why the first one that cannot be read cannot.
    pub(crate) fn reload(&mut self) -> Result<(), String> {
        let closed: Vec<SourceId> = self
            .files
            .iter()
            .filter(|(_, f)| f.version.is_none() && !f.library)
            .map(|(source, _)| *source)
            .collect();
        for source in closed {
            self.session.remove(source);
        }
        self.dirty = true;
        let mut first = Ok(());
        for folder in self.folders.clone() {
            let read = self.add_folder(&folder);
            if first.is_ok() {
                first = read;
            }
        }
        first
    }

    fn is_within(&self, path: &Path) -> bool {
        let real = self.project.real(path);
        let mut folders = self.folders.iter();
        folders.any(|f| real.starts_with(self.project.real(f)))
    }

    pub(crate) fn drop_folder(&mut self, folder: &Path) {
        self.folders.retain(|f| f != folder);
    }

    /// Gives a file its text.
    fn put(&mut self, uri: &str, text: &str) -> SourceId {
        self.dirty = true;
        let key = self.key(uri);
        if let Some(source) = self.by_key.get(&key) {
            self.session.set_text(*source, text);
            return *source;
        }
        let path = uri::to_path(uri);
        let same = |(source, _): &(&SourceId, &String)| {
            self.session.sources().get(**source).text.as_ref() == text
        };
        let built_in = self.library.iter().find(same).map(|(s, _)| *s);
        let source = match built_in {
            // The library's own file: that module, and no second one.
            Some(source) => {
                self.library.remove(&source);
                source
            }
            None => {
                let shown = match &path {
                    Some(path) => path.display().to_string(),
                    None => uri.to_owned(),
                };
                self.session.add(&shown, text, false)
            }
        };
        self.by_key.insert(key, source);
        let file = File {
            uri: uri.to_owned(),
            path,
            version: None,
            library: built_in.is_some(),
        };
        self.files.insert(source, file);
        source
    }

    pub(crate) fn open(&mut self, uri: &str, version: i32, text: &str) {
        let source = self.put(uri, text);
        if let Some(file) = self.files.get_mut(&source) {
            file.version = Some(version);
            // The client's spelling, so that it knows its file again.
            file.uri = uri.to_owned();
        }
    }

    /// Changes an open text. A file that is not open has no text to change.
    pub(crate) fn edit(
        &mut self,
        uri: &str,
        version: i32,
        changes: Vec<lsp::TextDocumentContentChangeEvent>,
    ) {
        let Some(source) = self.source(uri) else {
            return;
        };
        let mut text = self.text(source).to_string();
        for change in changes {
            match change {
                lsp::TextDocumentContentChangeEvent::TextDocumentContentChangePartial(part) => {
                    let span = self.lines_of(text.as_str().into()).span(part.range);
                    text.replace_range(span.start as usize..span.end as usize, &part.text);
                }
                lsp::TextDocumentContentChangeEvent::TextDocumentContentChangeWholeDocument(
                    whole,
                ) => text = whole.text,
            }
        }
        self.session.set_text(source, &text);
        self.dirty = true;
        if let Some(file) = self.files.get_mut(&source) {
            file.version = Some(version);
        }
    }

    /// The editor lets go of a file: the disk counts again.
    pub(crate) fn close(&mut self, uri: &str) {
        let Some(source) = self.source(uri) else {
            return;
        };
        if let Some(file) = self.files.get_mut(&source) {
            file.version = None;
        }
        self.read_again(uri);
    }

    /// A file changed on the disk, came or went. What an editor holds counts more.
    pub(crate) fn read_again(&mut self, uri: &str) {
        let Some(path) = uri::to_path(uri) else {
            if let Some(source) = self.source(uri) {
                self.session.remove(source);
                self.dirty = true;
            }
            return;
        };
        let known = self.source(uri);
        let open = known.is_some_and(|s| self.files.get(&s).is_some_and(|f| f.version.is_some()));
        if open {
            return;
        }
        match (self.project.read(&path), known) {
            (Some(text), Some(source)) => {
                self.session.set_text(source, &text);
                self.dirty = true;
            }
            (Some(text), None) => {
                // New: only where a project of ours has it.
                if self.is_within(&path) {
                    self.put(uri, &text);
                }
            }
            (None, Some(source)) => {
                self.session.remove(source);
                self.dirty = true;
            }
            (None, None) => {}
        }
    }

    // Looking.

    pub(crate) fn source(&self, uri: &str) -> Option<SourceId> {
        self.by_key.get(&self.key(uri)).copied()
    }

    pub(crate) fn text(&self, source: SourceId) -> Arc<str> {
        Arc::clone(&self.session.sources().get(source).text)
    }

    fn lines_of(&self, text: Arc<str>) -> Lines {
        Lines::new(text, self.encoding)
    }

    pub(crate) fn lines(&self, source: SourceId) -> Lines {
        self.lines_of(self.text(source))
    }

    /// The version of the text that an editor holds.
    pub(crate) fn version(&self, source: SourceId) -> Option<i32> {
        self.files.get(&source)?.version
    }

    /// What a client opens a file by. For a module of the library that is a copy.
    pub(crate) fn uri(&self, source: SourceId) -> Option<String> {
        if let Some(file) = self.files.get(&source) {
            return Some(file.uri.clone());
        }
        let path = self.project.library_file(self.library.get(&source)?)?;
        Some(uri::of_path(&path))
    }

    /// Whether a file may be written by a rename: it is the project's.
    pub(crate) fn is_own(&self, source: SourceId) -> bool {
        self.files.get(&source).is_some_and(|file| {
            // A module of the library is ours only where the project holds it.
            !file.library || file.path.as_ref().is_some_and(|p| self.is_within(p))
        })
    }

    pub(crate) fn location(&self, at: Location) -> Option<lsp::Location> {
        let uri = self.uri(at.source)?;
        Some(lsp::Location {
            uri: lsp::Uri(uri),
            range: self.lines(at.source).range(at.span),
        })
    }
}
