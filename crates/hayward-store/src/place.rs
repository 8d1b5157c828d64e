//! Where a store lies.

use crate::Digest;
use crate::bucket_place::BucketPlace;
use std::ffi::OsStr;
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Where a store lies, if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// Nothing is kept.
    Off,
    /// In this folder.
    Folder(PathBuf),
}

/// Why a folder cannot hold a store.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError {
    /// It cannot be made, read or written.
    #[error("the store {path} cannot be used: {source}")]
    Io {
        /// What.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Its secret could be guessed.
    #[error("{0} holds no secret of 32 bytes or more")]
    ShortSecret(PathBuf),
    /// A shared store without a secret would believe whoever can write to it.
    #[error(
        "HAYWARD_SHARED_STORE needs HAYWARD_SHARED_SECRET: a file of 32 bytes or more that the machines share"
    )]
    NoSecret,
    /// It names no bucket that could be asked.
    #[error("HAYWARD_SHARED_STORE names no bucket that can be asked: {0}")]
    Bucket(String),
    /// It is neither a folder nor a bucket.
    #[error("HAYWARD_SHARED_STORE is a folder or `s3://bucket/prefix`, and not `{0}://…`")]
    Scheme(String),
    /// Its owner could put in what they like.
    #[error(
        "the store {path} belongs to user {owner} and this is run by user {user}: name a folder of \
         your own in HAYWARD_STORE, or run `chown -R {user}` on it"
    )]
    Owner {
        /// The folder.
        path: PathBuf,
        /// The number of its owner.
        owner: u32,
        /// The number of the user who would use it.
        user: u32,
    },
    /// Others may write to it, and so could put in what they like.
    #[error(
        "the store {path} has mode {mode:04o}, so others may write to it: run `chmod go-w` on it"
    )]
    Mode {
        /// The folder.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
}

impl Place {
    /// The place that the environment asks for: `HAYWARD_STORE` is a folder or `off`.
    /// Otherwise `hayward/store` in `XDG_CACHE_HOME`, which is `~/.cache` by default
    /// (XDG Base Directory Specification). Off without a home.
    #[must_use]
    pub fn of(variable: impl Fn(&str) -> Option<std::ffi::OsString>) -> Self {
        let absolute = |name: &str| {
            let path = variable(name).map(PathBuf::from)?;
            // The specification has relative paths ignored.
            path.is_absolute().then_some(path)
        };
        match variable("HAYWARD_STORE") {
            Some(off) if off.is_empty() || off == OsStr::new("off") => Self::Off,
            Some(folder) => Self::Folder(folder.into()),
            None => absolute("XDG_CACHE_HOME")
                .or_else(|| Some(absolute("HOME")?.join(".cache")))
                .map_or(Self::Off, |cache| Self::Folder(cache.join("hayward/store"))),
        }
    }
}

/// Where a store lies that several machines share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedPlace {
    /// Where the entries are.
    pub at: SharedAt,
    /// A file with their secret.
    pub secret: PathBuf,
}

/// Where the entries are that several machines share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SharedAt {
    /// In a folder that they all reach.
    Folder(PathBuf),
    /// In a bucket.
    Bucket(BucketPlace),
}

impl SharedPlace {
    /// The place that the environment asks for, if it does: `HAYWARD_SHARED_STORE`, and
    /// `HAYWARD_SHARED_SECRET`. A bucket is `s3://bucket/prefix`, with `AWS_REGION`,
    /// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, and if need be `AWS_SESSION_TOKEN` and
    /// `AWS_ENDPOINT_URL_S3` or `AWS_ENDPOINT_URL`.
    ///
    /// # Errors
    /// If there is a place and no secret, or no bucket as it is named.
    pub fn of(
        variable: impl Fn(&str) -> Option<std::ffi::OsString>,
    ) -> Result<Option<Self>, PlaceError> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let (place, secret) = match (set("HAYWARD_SHARED_STORE"), set("HAYWARD_SHARED_SECRET")) {
            (None, _) => return Ok(None),
            (Some(_), None) => return Err(PlaceError::NoSecret),
            (Some(place), Some(secret)) => (place, secret),
        };
        let text = |name: &str| variable(name).and_then(|value| value.into_string().ok());
        let at = match place.to_str().and_then(|text| text.split_once("://")) {
            Some(("s3", address)) => {
                SharedAt::Bucket(BucketPlace::of(address, text).map_err(PlaceError::Bucket)?)
            }
            Some((scheme, _)) => return Err(PlaceError::Scheme(scheme.to_owned())),
            None => SharedAt::Folder(place.into()),
        };
        Ok(Some(Self {
            at,
            secret: secret.into(),
        }))
    }
}

/// Makes the folder if need be, for its owner alone.
pub(crate) fn prepare(folder: &Path) -> Result<(), PlaceError> {
    let io = |source| PlaceError::Io {
        path: folder.to_owned(),
        source,
    };
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(io)?;
    let found = std::fs::metadata(folder).map_err(io)?;
    let (owner, user) = (found.uid(), rustix::process::geteuid().as_raw());
    let mode = found.mode() & 0o7777;
    let path = || folder.to_owned();
    if owner != user {
        return Err(PlaceError::Owner {
            path: path(),
            owner,
            user,
        });
    }
    if mode & 0o022 != 0 {
        return Err(PlaceError::Mode { path: path(), mode });
    }
    Ok(())
}

/// The store's secret, made by whoever comes first.
pub(crate) fn secret(folder: &Path) -> Result<Digest, PlaceError> {
    let path = folder.join("secret");
    let io = |source| PlaceError::Io {
        path: path.clone(),
        source,
    };
    if let Some(secret) = read_secret(&path).map_err(io)? {
        return Ok(secret);
    }
    // Written aside and linked, so that it is there whole or not at all, and two who
    // come at once agree on the one that was first.
    let secret = random().map_err(io)?;
    let name = blake3::Hash::from_bytes(random().map_err(io)?).to_hex();
    let aside = folder.join(format!("secret.{name}"));
    let written = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&aside)
        .and_then(|mut file| file.write_all(&secret));
    let linked = written.and_then(|()| std::fs::hard_link(&aside, &path));
    let _ = std::fs::remove_file(&aside);
    match linked {
        Ok(()) => Ok(secret),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            match read_secret(&path).map_err(io)? {
                Some(secret) => Ok(secret),
                // It is there and is no secret: damaged, so that nothing it sealed can
                // be opened either. The next run makes a new one.
                None => {
                    let _ = std::fs::remove_file(&path);
                    Err(io(std::io::Error::from(std::io::ErrorKind::InvalidData)))
                }
            }
        }
        Err(error) => Err(io(error)),
    }
}

/// Random bytes of the system.
fn random() -> std::io::Result<Digest> {
    let mut bytes = Digest::default();
    let mut filled = 0;
    while filled < bytes.len() {
        let rest = &mut bytes[filled..];
        filled += rustix::rand::getrandom(rest, rustix::rand::GetRandomFlags::empty())?;
    }
    Ok(bytes)
}

fn read_secret(path: &Path) -> std::io::Result<Option<Digest>> {
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    file.take(33).read_to_end(&mut bytes)?;
    Ok(bytes.try_into().ok())
}

#[cfg(test)]
mod tests {
    use super::Place;
    use std::ffi::OsString;
    use std::path::PathBuf;

    fn of(variables: &[(&str, &str)]) -> Place {
        Place::of(|name| {
            let found = variables.iter().find(|(n, _)| *n == name);
            found.map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn the_environment_says_where() {
        let folder = |path: &str| Place::Folder(PathBuf::from(path));
        assert_eq!(of(&[]), Place::Off);
        assert_eq!(of(&[("HOME", "/h")]), folder("/h/.cache/hayward/store"));
        assert_eq!(
            of(&[("HOME", "/h"), ("XDG_CACHE_HOME", "/c")]),
            folder("/c/hayward/store")
        );
        assert_eq!(
            of(&[("HOME", "/h"), ("XDG_CACHE_HOME", "c")]),
            folder("/h/.cache/hayward/store")
        );
        assert_eq!(of(&[("HOME", "/h"), ("HAYWARD_STORE", "s")]), folder("s"));
        assert_eq!(of(&[("HOME", "/h"), ("HAYWARD_STORE", "off")]), Place::Off);
        assert_eq!(of(&[("HOME", "/h"), ("HAYWARD_STORE", "")]), Place::Off);
    }
}
