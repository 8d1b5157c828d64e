//! Shared entries in a folder that all machines reach: a file each.
//!
//! Whoever can write there without the secret must not reach anything beyond it with the
//! rights of those who use it: below the folder everything is opened by the handle of the
//! directory that holds it, and no link is followed.

use super::{LARGEST, Object};
use crate::Digest;
use crate::place::PlaceError;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

/// The folder.
pub(super) struct Folder {
    folder: OwnedFd,
    limit: u64,
}

/// A file that an entry is in, or was to be.
struct Found {
    written: (i64, u64),
    bytes: u64,
    folder: String,
    file: String,
}

impl Folder {
    pub(super) fn open(folder: &Path, limit: u64) -> Result<Self, PlaceError> {
        let io = |source| PlaceError::Io {
            path: folder.to_owned(),
            source,
        };
        std::fs::create_dir_all(folder).map_err(io)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = rustix::fs::open(folder, flags, Mode::empty());
        Ok(Self {
            folder: handle.map_err(|errno| io(errno.into()))?,
            limit,
        })
    }

    /// One of its folders.
    fn below(&self, name: &str) -> rustix::io::Result<OwnedFd> {
        open_at(&self.folder, name, OFlags::RDONLY | OFlags::DIRECTORY)
    }

    pub(super) fn get(&self, name: &Digest) -> Option<Vec<u8>> {
        let (folder, file) = Object::of(name).names();
        let folder = self.below(&folder).ok()?;
        // Judged once it is open: what stands there may be exchanged at any time, and
        // opening a pipe must not wait for whoever would write to it.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = open_at(&folder, &file, flags).ok()?;
        let found = rustix::fs::fstat(&file).ok()?;
        if !is_file(&found) || length(&found) > LARGEST {
            return None;
        }
        // It may grow meanwhile.
        let mut bytes = Vec::new();
        let mut file = File::from(file).take(LARGEST);
        file.read_to_end(&mut bytes).ok()?;
        Some(bytes)
    }

    pub(super) fn put(&self, name: &Digest, sealed: &[u8]) {
        // Losing it costs time and nothing else.
        let _ = self.write(&Object::of(name), sealed);
        // One entry in 64 looks whether there are too many: a walk costs more than a file.
        if name[1] < 4 {
            self.shrink();
        }
    }

    /// Written aside and renamed, so that a reader finds a whole entry or none.
    fn write(&self, object: &Object, bytes: &[u8]) -> std::io::Result<()> {
        let (folder, file) = object.names();
        match rustix::fs::mkdirat(&self.folder, &folder, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno.into()),
        }
        let folder = self.below(&folder)?;
        let mut random = [0; 8];
        rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty())?;
        let aside = format!(".{:016x}", u64::from_le_bytes(random));
        let made = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let written = open_at(&folder, &aside, made)
            .map_err(std::io::Error::from)
            .and_then(|file| File::from(file).write_all(bytes))
            .and_then(|()| Ok(rustix::fs::renameat(&folder, &aside, &folder, &file)?));
        if written.is_err() {
            let _ = rustix::fs::unlinkat(&folder, &aside, AtFlags::empty());
        }
        written
    }

    /// Removes the entries that were written longest ago, down to four fifths of the
    /// limit, and what was left aside by those that were killed. What is no entry by its
    /// place and its name is neither counted nor removed.
    fn shrink(&self) {
        let mut files = Vec::new();
        for name in names_in(&self.folder, is_folder_name) {
            if let Ok(folder) = self.below(&name) {
                for file in names_in(&folder, is_file_name) {
                    if let Ok(found) = rustix::fs::statat(&folder, &file, AtFlags::SYMLINK_NOFOLLOW)
                        && is_file(&found)
                    {
                        files.push(Found {
                            written: (found.st_mtime, found.st_mtime_nsec),
                            bytes: length(&found),
                            folder: name.clone(),
                            file,
                        });
                    }
                }
            }
        }
        // A file may say that it has any number of bytes.
        let mut bytes: u128 = files.iter().map(|file| u128::from(file.bytes)).sum();
        if bytes <= u128::from(self.limit) {
            return;
        }
        files.sort_unstable_by_key(|file| file.written);
        for file in files {
            if bytes <= u128::from(self.limit / 5 * 4) {
                break;
            }
            if let Ok(folder) = self.below(&file.folder) {
                let _ = rustix::fs::unlinkat(&folder, &file.file, AtFlags::empty());
            }
            bytes -= u128::from(file.bytes);
        }
    }
}

/// Opens a name in a directory, and nothing that a link leads to.
fn open_at(directory: impl AsFd, name: &str, flags: OFlags) -> rustix::io::Result<OwnedFd> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(directory, name, flags, Mode::from_raw_mode(0o666))
}

/// The names in a directory that are of a kind; none if it cannot be listed.
fn names_in(directory: impl AsFd, is_one: fn(&str) -> bool) -> Vec<String> {
    let entries = Dir::read_from(directory).into_iter().flatten().flatten();
    entries
        .filter_map(|entry| Some(entry.file_name().to_str().ok()?.to_owned()))
        .filter(|name| is_one(name))
        .collect()
}

fn is_folder_name(name: &str) -> bool {
    is_hex(name, 2)
}

/// An entry's name, or that of one that was written aside.
fn is_file_name(name: &str) -> bool {
    let aside = name.strip_prefix('.');
    is_hex(name, 62) || aside.is_some_and(|name| is_hex(name, 16))
}

fn is_hex(name: &str, digits: usize) -> bool {
    let digit = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    name.len() == digits && name.bytes().all(digit)
}

fn is_file(found: &rustix::fs::Stat) -> bool {
    FileType::from_raw_mode(found.st_mode) == FileType::RegularFile
}

fn length(found: &rustix::fs::Stat) -> u64 {
    u64::try_from(found.st_size).unwrap_or(u64::MAX)
}
