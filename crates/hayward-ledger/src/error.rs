//! Everything that can go wrong, each with what to do about it.

use crate::chain::Broken;
use crate::entry::{BODY_LIMIT, TEXT_LIMIT};
use rusqlite::ErrorCode;
use std::error::Error;
use std::io;
use std::path::{Path, PathBuf};

/// What the system or the database said.
pub type Cause = Box<dyn Error + Send + Sync + 'static>;

/// Why the ledger could not do what was asked.
///
/// Unless a variant says otherwise, nothing has been recorded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LedgerError {
    /// There is no ledger to read.
    #[error("There is no ledger in {dir}; one is made by the first command that records something.", dir = dir.display())]
    NoLedger {
        /// Where it was looked for.
        dir: PathBuf,
    },
    /// The chain is broken.
    #[error(transparent)]
    Broken(#[from] Broken),
    /// Something was recorded that the entry was not to follow.
    #[error(
        "Receipt {seq} was recorded meanwhile, so this one would rest on what is no longer the last word; nothing was recorded: run the command again."
    )]
    Overtaken {
        /// The receipt.
        seq: u64,
    },
    /// A ledger's file is a link, a directory, a device or the like.
    #[error("{path} is not a regular file; the ledger follows no links, so remove it or put the file itself there.", path = path.display())]
    NotRegular {
        /// The file.
        path: PathBuf,
    },
    /// A small file is far too long.
    #[error("{path} is too long to be a part of the ledger; restore it from a backup.", path = path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
    },
    /// The ledger's directory is something else.
    #[error("{path} is not a directory; move it away, the ledger is kept in a directory of that name.", path = path.display())]
    NotDirectory {
        /// What is there instead.
        path: PathBuf,
    },
    /// The ledger's directory is a link.
    #[error("{path} is a symbolic link; the ledger and its key are kept in a directory of that name, so remove the link, or put the directory itself there.", path = path.display())]
    LinkedDirectory {
        /// The link.
        path: PathBuf,
    },
    /// Everybody may write in the ledger's directory.
    #[error("Everybody may write in {dir}, so nothing kept there can be believed; run `chmod o-w` on it and then verify the ledger.", dir = dir.display())]
    OpenToAll {
        /// The directory.
        dir: PathBuf,
    },
    /// Others than the owner may read or write the signing key.
    #[error("{path} has mode {mode:04o}, so others may use the signing key; run `chmod 600` on it, and replace it if they have.", path = path.display())]
    KeyExposed {
        /// The key's file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// The ledger exists, its key does not.
    #[error("The signing key {path} is missing although the ledger is there; restore it from a backup, or move the whole directory away to begin a new ledger.", path = path.display())]
    KeyMissing {
        /// Where it should be.
        path: PathBuf,
    },
    /// The key's file holds no key.
    #[error("{path} holds no signing key; restore it from a backup.", path = path.display())]
    KeyMalformed {
        /// The key's file.
        path: PathBuf,
    },
    /// The database belongs to something else.
    #[error("{path} is a database of another program (application id {application_id:#x}); move it away.", path = path.display())]
    Foreign {
        /// The database.
        path: PathBuf,
        /// What it says it belongs to.
        application_id: i32,
    },
    /// The database was written by a Hayward with another schema.
    #[error("{path} has ledger schema {found}, and this Hayward knows schema {known}; use the Hayward that wrote it.", path = path.display())]
    OtherSchema {
        /// The database.
        path: PathBuf,
        /// Its schema.
        found: i32,
        /// Ours.
        known: i32,
    },
    /// The table, an index or a trigger is not as it was made.
    #[error("The schema of {path} was altered ({object} differs); somebody worked on it with another tool: restore a backup or put the schema back, then verify.", path = path.display())]
    Altered {
        /// The database.
        path: PathBuf,
        /// The first table, index or trigger that differs.
        object: String,
    },
    /// SQLite finds the file damaged.
    #[error("{path} is damaged or is no database{}; restore the ledger's directory from a backup.", after(*seq), path = path.display())]
    Damaged {
        /// The database.
        path: PathBuf,
        /// The last receipt that could be read and was intact, when that is known.
        seq: Option<u64>,
        /// What SQLite said.
        #[source]
        source: Cause,
    },
    /// The database was removed or replaced while it was open.
    #[error("{path} was removed or replaced while it was open; nothing was recorded: run the command again.", path = path.display())]
    Replaced {
        /// The database.
        path: PathBuf,
    },
    /// An interrupted write must be finished before the ledger can be read only.
    #[error("{path} was left by an interrupted write or is only part of a copy; run a command that opens the ledger for writing to finish it.", path = path.display())]
    Unfinished {
        /// The file that shows it.
        path: PathBuf,
    },
    /// There is no room.
    #[error("There is no room to write {path}; nothing was recorded: free some space (or raise the quota) and run the command again.", path = path.display())]
    Full {
        /// The file.
        path: PathBuf,
        /// What was said.
        #[source]
        source: Cause,
    },
    /// The file or its directory may not be written.
    #[error("{path} may not be written; nothing was recorded: make {dir} writable for this user, or run as its owner.", path = path.display(), dir = parent(path).display())]
    NotWritable {
        /// The file.
        path: PathBuf,
        /// What was said.
        #[source]
        source: Cause,
    },
    /// Another process holds the ledger.
    #[error("Another process has held the ledger {path} for too long; nothing was recorded: wait for it, or stop it, and run the command again.", path = path.display())]
    Busy {
        /// What is held.
        path: PathBuf,
        /// What SQLite said, where the lock is its own.
        #[source]
        source: Option<Cause>,
    },
    /// A file could not be used.
    #[error("{path} could not {what}; look at the cause, then run the command again.", path = path.display())]
    Io {
        /// What could not be done, as in "could not …".
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// What the system said.
        #[source]
        source: io::Error,
    },
    /// The disk refused.
    #[error("The disk refused to read or write {path}; nothing was confirmed as recorded: check its space and its health, then run the command again.", path = path.display())]
    Disk {
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        #[source]
        source: Cause,
    },
    /// SQLite refused for another reason.
    #[error("The database {path} could not {what}; look at the cause, then run the command again.", path = path.display())]
    Store {
        /// What could not be done, as in "could not …".
        what: &'static str,
        /// The database.
        path: PathBuf,
        /// What SQLite said.
        #[source]
        source: Cause,
    },
    /// The receipt **is** recorded, but the head does not say so yet.
    #[error("Receipt {seq} is recorded, but {path} could not be brought up to it; the next receipt mends that: look at the cause.", path = path.display())]
    HeadBehind {
        /// The receipt.
        seq: u64,
        /// The head's file.
        path: PathBuf,
        /// What went wrong.
        #[source]
        source: Box<Self>,
    },
    /// A body is something else than a JSON object.
    #[error("A receipt's body must be a JSON object; wrap the value in one.")]
    BodyNotObject,
    /// A body is too large.
    #[error(
        "A receipt's body has {bytes} bytes and may have {BODY_LIMIT}; keep the bytes elsewhere and put their digest in the receipt."
    )]
    BodyTooLarge {
        /// How many bytes it has as JSON.
        bytes: usize,
    },
    /// A body has no JSON.
    #[error(
        "A receipt's body could not be written as JSON; look at the cause and correct the value."
    )]
    BodyUnwritable(#[source] serde_json::Error),
    /// A host or revision is unfit.
    #[error(
        "A receipt's {field} must have 1 to {TEXT_LIMIT} bytes and no control characters; correct it."
    )]
    BadText {
        /// "host" or "revision".
        field: &'static str,
    },
}

fn after(seq: Option<u64>) -> String {
    seq.map_or_else(String::new, |seq| {
        format!(" (the chain is intact up to receipt {seq})")
    })
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}

impl LedgerError {
    /// A failure to read.
    pub(crate) fn io(what: &'static str, path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io {
            what,
            path: path.to_owned(),
            source,
        }
    }

    /// A failure to write.
    pub(crate) fn writing(what: &'static str, path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| match source.kind() {
            io::ErrorKind::StorageFull
            | io::ErrorKind::QuotaExceeded
            | io::ErrorKind::FileTooLarge => Self::Full {
                path: path.to_owned(),
                source: source.into(),
            },
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                Self::NotWritable {
                    path: path.to_owned(),
                    source: source.into(),
                }
            }
            _ => Self::io(what, path)(source),
        }
    }

    /// A failure of SQLite.
    pub(crate) fn sqlite(what: &'static str, path: &Path) -> impl Fn(rusqlite::Error) -> Self {
        move |source| {
            let path = path.to_owned();
            let extended = source.sqlite_error().map(|error| error.extended_code);
            match source.sqlite_error_code() {
                Some(ErrorCode::DiskFull) => Self::Full {
                    path,
                    source: source.into(),
                },
                Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy {
                    path,
                    source: Some(source.into()),
                },
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged {
                    path,
                    seq: None,
                    source: source.into(),
                },
                Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Self::NotWritable {
                    path,
                    source: source.into(),
                },
                Some(ErrorCode::CannotOpen)
                    if extended == Some(rusqlite::ffi::SQLITE_CANTOPEN_SYMLINK) =>
                {
                    Self::NotRegular { path }
                }
                Some(ErrorCode::SystemIoFailure) => Self::Disk {
                    path,
                    source: source.into(),
                },
                _ => Self::Store {
                    what,
                    path,
                    source: source.into(),
                },
            }
        }
    }
}
