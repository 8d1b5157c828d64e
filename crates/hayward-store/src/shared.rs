//! Entries that machines share: in a folder that all of them reach, or in a bucket of an
//! object storage.
//!
//! What lies there is only believed under the seal of a secret that the machines share
//! beside it, so whoever can write there alone cannot make anybody believe anything.

mod bucket;
mod folder;
mod sign;

use crate::Digest;
use crate::place::{PlaceError, SharedAt, SharedPlace};
use crate::seal::Seal;
use bucket::Bucket;
use folder::Folder;
use std::time::Duration;

/// Bytes that a secret has at least.
const SECRET: usize = 32;

/// The largest entry that is read: a damaged one must not fill the memory.
const LARGEST: u64 = 256 << 20;

/// A store that several machines share.
pub struct Shared {
    tier: Tier,
    seal: Seal,
}

enum Tier {
    Folder(Folder),
    Bucket(Bucket),
}

/// Where an entry lies below the folder or the prefix.
struct Object(blake3::Hash);

impl Object {
    fn of(name: &Digest) -> Self {
        Self(blake3::Hash::from_bytes(*name))
    }

    /// Its folder and its file: 256 folders, so that none has too many entries.
    fn names(&self) -> (String, String) {
        let hex = self.0.to_hex();
        let (folder, file) = hex.split_at(2);
        (folder.to_owned(), file.to_owned())
    }

    fn path(&self) -> String {
        let (folder, file) = self.names();
        format!("{folder}/{file}")
    }
}

impl Shared {
    /// Opens the store at a place for one build of the program. In a folder it may use so
    /// many bytes; a bucket is asked for nothing yet, and its own rules say what it may hold.
    ///
    /// # Errors
    /// If the folder or the secret cannot be used.
    pub fn open(place: &SharedPlace, build: &str, limit: u64) -> Result<Self, PlaceError> {
        let SharedPlace { at, secret } = place;
        let secret_bytes = std::fs::read(secret).map_err(|source| PlaceError::Io {
            path: secret.clone(),
            source,
        })?;
        if secret_bytes.len() < SECRET {
            return Err(PlaceError::ShortSecret(secret.to_owned()));
        }
        Ok(Self {
            tier: match at {
                SharedAt::Folder(folder) => Tier::Folder(Folder::open(folder, limit)?),
                SharedAt::Bucket(place) => Tier::Bucket(Bucket::new(place.clone())),
            },
            seal: Seal::new(blake3::hash(&secret_bytes).as_bytes(), build),
        })
    }

    pub(crate) fn get(&self, kind: u8, key: &Digest) -> Option<Vec<u8>> {
        let name = self.seal.name(kind, key);
        let sealed = match &self.tier {
            Tier::Folder(folder) => folder.get(&name),
            Tier::Bucket(bucket) => bucket.get(&name),
        };
        self.seal.open(&name, sealed?)
    }

    /// Puts an entry there; into a bucket, while the command goes on.
    pub(crate) fn put(&self, kind: u8, key: &Digest, value: &[u8]) {
        let name = self.seal.name(kind, key);
        let sealed = self.seal.close(&name, value);
        match &self.tier {
            Tier::Folder(folder) => folder.put(&name, &sealed),
            Tier::Bucket(bucket) => bucket.put(&name, sealed),
        }
    }

    /// Waits so long for what is still being put there, and says what went wrong, if
    /// something did.
    pub(crate) fn finish(&self, wait: Duration) -> Option<String> {
        match &self.tier {
            Tier::Folder(_) => None,
            Tier::Bucket(bucket) => bucket.finish(wait),
        }
    }
}
