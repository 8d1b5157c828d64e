//! Generated files, and writing them below a folder.

use std::fs;
use std::io;
use std::path::Path;

/// A file to be written: its path below some folder, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct File {
    /// Relative, with `/` between its parts.
    pub(crate) path: String,
    /// Its whole text.
    pub(crate) text: String,
}

impl File {
    pub(crate) fn new(path: impl Into<String>, text: impl Into<String>) -> File {
        File {
            path: path.into(),
            text: text.into(),
        }
    }
}

/// Writes files below a folder, which need not exist. A file whose text is the same is left alone.
///
/// # Errors
/// If a folder or a file cannot be written.
pub(crate) fn write_all(folder: &Path, files: &[File]) -> io::Result<()> {
    for file in files {
        let path = folder.join(&file.path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        if fs::read(&path).is_ok_and(|standing| standing == file.text.as_bytes()) {
            continue;
        }
        fs::write(&path, &file.text)?;
    }
    Ok(())
}
