//! Where the files of a run are, seen from one folder, whatever the current one is.

use crate::BUILT_IN;
use std::path::{Component, Path, PathBuf};

/// A folder that files are seen from.
#[derive(Clone, Debug)]
pub struct Base {
    here: PathBuf,
    folder: PathBuf,
}

/// Where a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// In the folder: its path from there.
    Inside(String),
    /// In the built-in library: its path there.
    BuiltIn(String),
    /// Elsewhere: its absolute path.
    Outside(String),
}

impl Base {
    /// The folder.
    ///
    /// # Errors
    /// If it, or the current one, cannot be found.
    pub fn new(folder: &Path) -> std::io::Result<Self> {
        Ok(Self {
            here: std::env::current_dir()?.canonicalize()?,
            folder: folder.canonicalize()?,
        })
    }

    /// Where the file of a shown path is. Links are not followed: a path in the project
    /// stays one.
    #[must_use]
    pub fn see(&self, shown: &str) -> Seen {
        if let Some(path) = shown.strip_prefix(BUILT_IN) {
            return Seen::BuiltIn(path.to_owned());
        }
        let mut whole = PathBuf::new();
        for component in self.here.join(shown).components() {
            match component {
                Component::CurDir => {}
                Component::ParentDir => {
                    whole.pop();
                }
                other => whole.push(other),
            }
        }
        match whole.strip_prefix(&self.folder) {
            Ok(inside) => Seen::Inside(inside.display().to_string()),
            Err(_) => Seen::Outside(whole.display().to_string()),
        }
    }
}
