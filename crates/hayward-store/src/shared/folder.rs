//! Shared entries in a folder that all machines reach: a file each.

use super::{LARGEST, Object};
use crate::Digest;
use crate::place::PlaceError;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The folder.
pub(super) struct Folder {
    folder: PathBuf,
    limit: u64,
}

impl Folder {
    pub(super) fn open(folder: &Path, limit: u64) -> Result<Self, PlaceError> {
        std::fs::create_dir_all(folder).map_err(|source| PlaceError::Io {
            path: folder.to_owned(),
            source,
        })?;
        Ok(Self {
            folder: folder.to_owned(),
            limit,
        })
    }

    fn path(&self, name: &Digest) -> PathBuf {
        self.folder.join(Object::of(name).path())
    }

    pub(super) fn get(&self, name: &Digest) -> Option<Vec<u8>> {
        let path = self.path(name);
        // A link or a pipe that somebody put there is not followed or waited for.
        let found = std::fs::symlink_metadata(&path).ok()?;
        if !found.is_file() || found.len() > LARGEST {
            return None;
        }
        std::fs::read(path).ok()
    }

    pub(super) fn put(&self, name: &Digest, sealed: &[u8]) {
        // Losing it costs time and nothing else.
        let _ = self.write(&self.path(name), sealed);
        // One entry in 64 looks whether there are too many: a walk costs more than a file.
        if name[1] < 4 {
            self.shrink();
        }
    }

    /// Written aside and renamed, so that a reader finds a whole entry or none.
    fn write(&self, path: &Path, bytes: &[u8]) -> std::io::Result<()> {
        let folder = path.parent().unwrap_or(&self.folder);
        std::fs::create_dir_all(folder)?;
        let mut random = [0; 8];
        rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty())?;
        let aside = folder.join(format!(".{:016x}", u64::from_le_bytes(random)));
        let written = std::fs::File::create_new(&aside)
            .and_then(|mut file| file.write_all(bytes))
            .and_then(|()| std::fs::rename(&aside, path));
        if written.is_err() {
            let _ = std::fs::remove_file(&aside);
        }
        written
    }

    /// Removes the entries that were written longest ago, down to four fifths of the
    /// limit, and what was left aside by those that were killed.
    fn shrink(&self) {
        let mut files = Vec::new();
        let folders = std::fs::read_dir(&self.folder)
            .into_iter()
            .flatten()
            .flatten();
        for folder in folders {
            for file in std::fs::read_dir(folder.path())
                .into_iter()
                .flatten()
                .flatten()
            {
                if let Ok(found) = file.metadata()
                    && let Ok(written) = found.modified()
                {
                    files.push((written, found.len(), file.path()));
                }
            }
        }
        let mut bytes: u64 = files.iter().map(|(_, length, _)| length).sum();
        if bytes <= self.limit {
            return;
        }
        files.sort_unstable();
        for (_, length, path) in files {
            if bytes <= self.limit / 5 * 4 {
                break;
            }
            let _ = std::fs::remove_file(path);
            bytes -= length;
        }
    }
}
