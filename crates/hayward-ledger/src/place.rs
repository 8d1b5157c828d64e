//! Where the ledger's files are.

use crate::error::LedgerError;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The paths of one ledger, all within one directory without symbolic links.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) dir: PathBuf,
    pub(crate) database: PathBuf,
    pub(crate) key: PathBuf,
    pub(crate) head: PathBuf,
    pub(crate) ignore: PathBuf,
}

impl Place {
    /// The ledger in that directory, which must exist.
    pub(crate) fn within(dir: &Path) -> Result<Self, LedgerError> {
        refuse_link(dir)?;
        // SQLite is told to follow no link, and would stumble over one further up.
        let dir = dir
            .canonicalize()
            .map_err(LedgerError::io("be resolved", dir))?;
        let metadata = dir
            .metadata()
            .map_err(LedgerError::io("be examined", &dir))?;
        if !metadata.is_dir() {
            return Err(LedgerError::NotDirectory { path: dir });
        }
        if metadata.permissions().mode() & 0o002 != 0 {
            return Err(LedgerError::OpenToAll { dir });
        }
        Ok(Self {
            database: dir.join("ledger.db"),
            key: dir.join("ledger.key"),
            head: dir.join("ledger.head"),
            ignore: dir.join(".gitignore"),
            dir,
        })
    }

    /// SQLite's file beside the database: `-wal`, `-shm` or `-journal`.
    pub(crate) fn beside(&self, suffix: &str) -> PathBuf {
        let mut name = OsString::from(&self.database);
        name.push(suffix);
        PathBuf::from(name)
    }
}

/// Refuses a directory that is a link: whoever wrote the project would say where the
/// ledger and its key are kept. A link further up is the user's own.
pub(crate) fn refuse_link(dir: &Path) -> Result<(), LedgerError> {
    // With a slash at its end a path is what the link leads to.
    let dir: PathBuf = dir.components().collect();
    match dir.symlink_metadata() {
        Ok(found) if found.is_symlink() => Err(LedgerError::LinkedDirectory { path: dir }),
        _ => Ok(()),
    }
}
