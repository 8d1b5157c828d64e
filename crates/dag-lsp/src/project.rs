//! What the server must be given from outside: files.

use std::path::{Path, PathBuf};

/// A file of the project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Its absolute path.
    pub path: PathBuf,
    /// Its text. What is not UTF-8 in it is replaced by the sign for that.
    pub text: String,
}

/// The project's files, and the library.
pub trait Project: Sync {
    /// The library's modules: path below its folder, and text.
    fn library(&self) -> Vec<(String, String)>;

    /// Where an editor can read a module of the library, of which only the path
    /// below its folder is known: a copy on the disk. None if there cannot be one.
    fn library_file(&self, path: &str) -> Option<PathBuf>;

    /// The modules of the project that a folder belongs to, or of the folder itself if
    /// it belongs to none.
    ///
    /// # Errors
    /// Why they cannot be told, as a sentence.
    fn modules(&self, folder: &Path) -> Result<Vec<Module>, String>;

    /// The path without links, `.` and `..`; as it is given if it leads nowhere.
    fn real(&self, path: &Path) -> PathBuf;

    /// The text of a file as it is on the disk now; none if it is gone.
    fn read(&self, path: &Path) -> Option<String>;
}
