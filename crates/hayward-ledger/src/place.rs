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
