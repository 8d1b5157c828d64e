//! Small files read without following links, and written so that a crash leaves
//! the old bytes or the new ones.
//!
//! Nothing here may open `ledger.db`: closing any descriptor of it would drop the
//! POSIX locks that SQLite holds on it in this process.

use crate::error::LedgerError;
use rustix::fs::OFlags;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The largest small file that is read.
const LIMIT: u64 = 4096;

/// Whether there is a file at the path; anything but a regular file is refused.
pub(crate) fn regular(path: &Path) -> Result<bool, LedgerError> {
    match path.symlink_metadata() {
        Ok(found) if found.is_file() => Ok(true),
        Ok(_) => Err(LedgerError::NotRegular {
            path: path.to_owned(),
        }),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(LedgerError::io("be examined", path)(error)),
    }
}

/// The bytes and the metadata of a small regular file, if it is there.
pub(crate) fn read(path: &Path) -> Result<Option<(Vec<u8>, Metadata)>, LedgerError> {
    if !regular(path)? {
        return Ok(None);
    }
    let io = LedgerError::io("be read", path);
    // Not to hang on a FIFO swapped in after the check, nor to follow a link.
    let opened = OpenOptions::new()
        .read(true)
        .custom_flags(flags(OFlags::NOFOLLOW | OFlags::NONBLOCK))
        .open(path);
    let file = match opened {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io(error)),
    };
    let metadata = file.metadata().map_err(&io)?;
    if !metadata.is_file() {
        return Err(LedgerError::NotRegular {
            path: path.to_owned(),
        });
    }
    let mut bytes = Vec::new();
    file.take(LIMIT + 1).read_to_end(&mut bytes).map_err(&io)?;
    if bytes.len() as u64 > LIMIT {
        return Err(LedgerError::TooLong {
            path: path.to_owned(),
        });
    }
    Ok(Some((bytes, metadata)))
}

/// A durable file of mode 0600 that waits to take its place; removed if it never does.
#[derive(Debug)]
pub(crate) struct Staged {
    waiting: PathBuf,
    target: PathBuf,
    placed: bool,
}

/// Writes the bytes beside the target. Call under the exclusive lock only: the
/// name is fixed, and what a dead process left there is removed.
pub(crate) fn stage(target: &Path, bytes: &[u8]) -> Result<Staged, LedgerError> {
    let mut name = target.as_os_str().to_owned();
    name.push(".new");
    let waiting = PathBuf::from(name);
    match std::fs::remove_file(&waiting) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(LedgerError::writing("be removed", &waiting)(error)),
    }
    let io = LedgerError::writing("be written", &waiting);
    let mut file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .custom_flags(flags(OFlags::NOFOLLOW))
        .open(&waiting)
        .map_err(&io)?;
    // From here on an error removes the file again, by dropping it.
    let staged = Staged {
        waiting: waiting.clone(),
        target: target.to_owned(),
        placed: false,
    };
    file.write_all(bytes).map_err(&io)?;
    file.sync_all().map_err(&io)?;
    Ok(staged)
}

impl Staged {
    /// Takes the target's place, whatever was there.
    pub(crate) fn replace(mut self) -> Result<(), LedgerError> {
        std::fs::rename(&self.waiting, &self.target)
            .map_err(LedgerError::writing("be replaced", &self.target))?;
        self.placed = true;
        sync_parent(&self.target)
    }

    /// Takes the target's place if nothing is there.
    pub(crate) fn place_new(self) -> Result<(), LedgerError> {
        // A link fails where something exists, as O_EXCL does, but with all the
        // bytes there already.
        std::fs::hard_link(&self.waiting, &self.target)
            .map_err(LedgerError::writing("be created", &self.target))?;
        sync_parent(&self.target)
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !self.placed {
            // What stays is removed by the next to stage here.
            let _ = std::fs::remove_file(&self.waiting);
        }
    }
}

/// Makes an empty file of mode 0600 where nothing is.
pub(crate) fn make_empty(path: &Path) -> Result<(), LedgerError> {
    OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .map_err(LedgerError::writing("be created", path))?;
    sync_parent(path)
}

/// Makes the names within the path's directory durable.
pub(crate) fn sync_parent(path: &Path) -> Result<(), LedgerError> {
    let parent = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    File::open(parent)
        .and_then(|dir| dir.sync_all())
        .map_err(LedgerError::writing("be made durable", parent))
}

fn flags(flags: OFlags) -> i32 {
    flags.bits().cast_signed()
}
