//! Entries that machines share: a file each, in a folder that all of them reach.
//!
//! What lies there is only believed under the seal of a secret that the machines share
//! beside it, so whoever can write to the folder alone cannot make anybody believe
//! anything.

use crate::Digest;
use crate::place::{PlaceError, SharedPlace};
use crate::seal::Seal;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Bytes that a secret has at least.
const SECRET: usize = 32;

/// The largest entry that is read: a damaged one must not fill the memory.
const LARGEST: u64 = 256 << 20;

/// A store that several machines share.
pub struct Shared {
    folder: PathBuf,
    seal: Seal,
    limit: u64,
}

impl Shared {
    /// Opens the store at a place for one build of the program; it may use so many bytes.
    ///
    /// # Errors
    /// If the folder or the secret cannot be used.
    pub fn open(place: &SharedPlace, build: &str, limit: u64) -> Result<Self, PlaceError> {
        let SharedPlace { folder, secret } = place;
        let io = |path: &Path, source| PlaceError::Io {
            path: path.to_owned(),
            source,
        };
        let secret_bytes = std::fs::read(secret).map_err(|source| io(secret, source))?;
        if secret_bytes.len() < SECRET {
            return Err(PlaceError::ShortSecret(secret.to_owned()));
        }
        std::fs::create_dir_all(folder).map_err(|source| io(folder, source))?;
        Ok(Self {
            folder: folder.to_owned(),
            seal: Seal::new(blake3::hash(&secret_bytes).as_bytes(), build),
            limit,
        })
    }

    fn path(&self, name: &Digest) -> PathBuf {
        let hex = blake3::Hash::from_bytes(*name).to_hex();
        let (folder, file) = hex.split_at(2);
        self.folder.join(folder).join(file)
    }

    pub(crate) fn get(&self, kind: u8, key: &Digest) -> Option<Vec<u8>> {
        let name = self.seal.name(kind, key);
        let path = self.path(&name);
        // A link or a pipe that somebody put there is not followed or waited for.
        let found = std::fs::symlink_metadata(&path).ok()?;
        if !found.is_file() || found.len() > LARGEST {
            return None;
        }
        self.seal.open(&name, std::fs::read(path).ok()?)
    }

    /// Whether the entry is there afterwards.
    pub(crate) fn put(&self, kind: u8, key: &Digest, value: &[u8]) -> bool {
        let name = self.seal.name(kind, key);
        let path = self.path(&name);
        let written = self.write(&path, &self.seal.close(&name, value)).is_ok();
        // One entry in 64 looks whether there are too many: a walk costs more than a file.
        if name[1] < 4 {
            self.shrink();
        }
        written
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
