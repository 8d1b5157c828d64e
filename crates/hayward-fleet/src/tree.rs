//! A host's directory tree, read through one open directory. No look-up leaves
//! the tree or follows a link (openat2(2): `RESOLVE_BENEATH`,
//! `RESOLVE_NO_SYMLINKS`, `RESOLVE_NO_MAGICLINKS`), and none can hang.

use crate::error::{Error, Kind, Result};
use hayward_model::{Digest, FileMode, HostName, HostPath};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, ResolveFlags, Stat};
use rustix::io::Errno;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The most bytes that are read of one file: 16 MiB.
pub const READ_LIMIT: u64 = 16 << 20;

/// How often a file that changes meanwhile is read before it is given up.
const READINGS: usize = 3;

/// The root directory of a host, opened once.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) host: HostName,
    root: OwnedFd,
}

/// A regular file that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileRead {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Their digest.
    pub digest: Digest,
    /// Its permissions.
    pub mode: FileMode,
}

/// What stands at a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Look {
    /// Nothing; and these directories on the way are missing, outermost first.
    Absent(Vec<HostPath>),
    /// A regular file.
    File(FileRead),
    /// Something else.
    Other(Kind),
}

/// A name in a directory.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) path: HostPath,
}

impl Tree {
    /// Opens the directory `root` as the root of `host`.
    pub(crate) fn open(host: &HostName, root: &Path) -> Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match rustix::fs::openat(CWD, root, flags, Mode::empty()) {
            Ok(fd) => Ok(Self {
                host: host.clone(),
                root: fd,
            }),
            Err(Errno::NOENT) => Err(Error::NoTree {
                host: host.clone(),
                root: PathBuf::from(root),
            }),
            Err(errno) => Err(Error::Tree {
                host: host.clone(),
                root: PathBuf::from(root),
                source: errno.into(),
            }),
        }
    }

    /// Opens what stands at a path, never through a link.
    pub(crate) fn open_at(
        &self,
        path: &HostPath,
        flags: OFlags,
        mode: Mode,
    ) -> rustix::io::Result<OwnedFd> {
        open_beneath(self.root.as_fd(), path.relative(), flags, mode)
    }

    /// Opens the directory that holds a path, and gives the path's last name.
    pub(crate) fn open_parent<'a>(
        &self,
        path: &'a HostPath,
    ) -> rustix::io::Result<(OwnedFd, &'a str)> {
        let (parent, name) = path
            .relative()
            .rsplit_once('/')
            .unwrap_or((".", path.relative()));
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        Ok((
            open_beneath(self.root.as_fd(), parent, flags, Mode::empty())?,
            name,
        ))
    }

    /// What stands at a path, read whole if it is a regular file.
    pub(crate) fn look(&self, path: &HostPath) -> Result<Look> {
        self.look_within(path, READ_LIMIT)
    }

    fn look_within(&self, path: &HostPath, limit: u64) -> Result<Look> {
        for _ in 0..READINGS {
            let stat = match self.stat(path)? {
                Ok(stat) => stat,
                Err(missing) => return Ok(Look::Absent(missing)),
            };
            let kind = kind_of(&stat);
            if kind != Kind::File {
                return Ok(Look::Other(kind));
            }
            // Whatever took its place since must not be waited for.
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
            let fd = match self.open_at(path, flags, Mode::empty()) {
                Ok(fd) => fd,
                Err(Errno::NOENT | Errno::LOOP | Errno::NXIO) => continue,
                Err(errno) => return Err(self.cannot_read(path, errno)),
            };
            let before = rustix::fs::fstat(&fd).map_err(|e| self.cannot_read(path, e))?;
            if kind_of(&before) != Kind::File {
                continue;
            }
            let too_big = || Error::TooBig {
                host: self.host.clone(),
                path: path.clone(),
                limit,
            };
            if u64::try_from(before.st_size).unwrap_or(u64::MAX) > limit {
                return Err(too_big());
            }
            let mut bytes = Vec::new();
            let mut file = File::from(fd);
            (&mut file)
                .take(limit + 1)
                .read_to_end(&mut bytes)
                .map_err(|source| Error::Read {
                    host: self.host.clone(),
                    path: path.clone(),
                    source,
                })?;
            if bytes.len() as u64 > limit {
                return Err(too_big());
            }
            let after = rustix::fs::fstat(&file).map_err(|e| self.cannot_read(path, e))?;
            if version(&before) != version(&after) {
                continue;
            }
            let Some(mode) = FileMode::new(after.st_mode & 0o7777) else {
                continue;
            };
            return Ok(Look::File(FileRead {
                digest: Digest::of(&bytes),
                bytes,
                mode,
            }));
        }
        Err(Error::Unsteady {
            host: self.host.clone(),
            path: path.clone(),
        })
    }

    /// The regular file at a path, if anything is there.
    pub(crate) fn file(&self, path: &HostPath) -> Result<Option<FileRead>> {
        match self.look(path)? {
            Look::Absent(_) => Ok(None),
            Look::File(file) => Ok(Some(file)),
            Look::Other(kind) => Err(Error::NotAFile {
                host: self.host.clone(),
                path: path.clone(),
                kind,
            }),
        }
    }

    /// What kind of thing stands at a path, if any.
    pub(crate) fn kind(&self, path: &HostPath) -> Result<Option<Kind>> {
        Ok(self.stat(path)?.ok().map(|stat| kind_of(&stat)))
    }

    /// Where the link at a path points, as bytes that may be no text.
    pub(crate) fn link_target(&self, path: &HostPath) -> Result<Vec<u8>> {
        let fd = self
            .open_at(path, OFlags::PATH | OFlags::NOFOLLOW, Mode::empty())
            .map_err(|e| self.cannot_read(path, e))?;
        rustix::fs::readlinkat(&fd, "", Vec::new())
            .map(std::ffi::CString::into_bytes)
            .map_err(|e| self.cannot_read(path, e))
    }

    /// The names in a directory, sorted by their bytes; `None` if it is absent.
    pub(crate) fn list(&self, path: &HostPath) -> Result<Option<Vec<Entry>>> {
        match self.kind(path)? {
            None => return Ok(None),
            Some(Kind::Directory) => {}
            Some(kind) => {
                return Err(Error::Parent {
                    host: self.host.clone(),
                    path: path.clone(),
                    parent: path.clone(),
                    kind,
                });
            }
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW;
        let listed = self
            .open_at(path, flags, Mode::empty())
            .and_then(Dir::read_from)
            .and_then(|dir| dir.collect::<rustix::io::Result<Vec<_>>>());
        let mut entries = Vec::new();
        for entry in listed.map_err(|e| self.cannot_read(path, e))? {
            let bytes = entry.file_name().to_bytes();
            if matches!(bytes, b"." | b"..") {
                continue;
            }
            let named = std::str::from_utf8(bytes)
                .ok()
                .and_then(|name| Some((name, child(path, name)?)));
            let Some((name, path)) = named else {
                return Err(Error::Name {
                    host: self.host.clone(),
                    directory: path.clone(),
                    name: bytes.escape_ascii().to_string(),
                });
            };
            entries.push(Entry {
                name: name.to_owned(),
                path,
            });
        }
        entries.sort();
        Ok(Some(entries))
    }

    /// The status of what stands at a path, or the directories missing there.
    fn stat(&self, path: &HostPath) -> Result<std::result::Result<Stat, Vec<HostPath>>> {
        match self.stat_at(path) {
            Ok(stat) => Ok(Ok(stat)),
            Err(Errno::NOENT | Errno::LOOP | Errno::NOTDIR) => Ok(Err(self.missing(path)?)),
            Err(errno) => Err(self.cannot_read(path, errno)),
        }
    }

    fn stat_at(&self, path: &HostPath) -> rustix::io::Result<Stat> {
        let fd = self.open_at(path, OFlags::PATH | OFlags::NOFOLLOW, Mode::empty())?;
        rustix::fs::fstat(&fd)
    }

    /// The directories missing on the way to a path, outermost first; an error
    /// if something else stands in the way.
    fn missing(&self, path: &HostPath) -> Result<Vec<HostPath>> {
        let parents = parents(path);
        for (at, parent) in parents.iter().enumerate() {
            match self.stat_at(parent) {
                Ok(stat) if kind_of(&stat) == Kind::Directory => {}
                Ok(stat) => {
                    return Err(Error::Parent {
                        host: self.host.clone(),
                        path: path.clone(),
                        parent: parent.clone(),
                        kind: kind_of(&stat),
                    });
                }
                Err(Errno::NOENT) => return Ok(parents[at..].to_vec()),
                Err(errno) => return Err(self.cannot_read(parent, errno)),
            }
        }
        Ok(Vec::new())
    }

    pub(crate) fn cannot_read(&self, path: &HostPath, errno: Errno) -> Error {
        Error::Read {
            host: self.host.clone(),
            path: path.clone(),
            source: errno.into(),
        }
    }
}

fn open_beneath(
    root: impl AsFd,
    relative: &str,
    flags: OFlags,
    mode: Mode,
) -> rustix::io::Result<OwnedFd> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    loop {
        match rustix::fs::openat2(
            root.as_fd(),
            relative,
            flags | OFlags::CLOEXEC,
            mode,
            resolve,
        ) {
            Err(Errno::INTR) => {}
            other => return other,
        }
    }
}

/// The status of a name in an open directory, if there is one.
pub(crate) fn stat_name(dir: impl AsFd, name: &str) -> rustix::io::Result<Option<Stat>> {
    match rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(stat)),
        Err(Errno::NOENT) => Ok(None),
        Err(errno) => Err(errno),
    }
}

fn version(stat: &Stat) -> impl PartialEq + use<> {
    (
        stat.st_size,
        (stat.st_mtime, stat.st_mtime_nsec),
        (stat.st_ctime, stat.st_ctime_nsec),
    )
}

fn kind_of(stat: &Stat) -> Kind {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Kind::File,
        FileType::Directory => Kind::Directory,
        FileType::Symlink => Kind::Link,
        FileType::Fifo => Kind::Fifo,
        FileType::Socket => Kind::Socket,
        FileType::CharacterDevice | FileType::BlockDevice => Kind::Device,
        _ => Kind::Other,
    }
}

/// The path of a name in a directory; `None` if the name may not be in a path.
pub(crate) fn child(directory: &HostPath, name: &str) -> Option<HostPath> {
    if name.contains('/') {
        return None;
    }
    HostPath::try_from(format!("{directory}/{name}")).ok()
}

/// The directories above a path, outermost first, without the root.
pub(crate) fn parents(path: &HostPath) -> Vec<HostPath> {
    path.as_str()
        .match_indices('/')
        .skip(1)
        .filter_map(|(at, _)| HostPath::try_from(path.as_str()[..at].to_owned()).ok())
        .collect()
}

/// The directory that holds a path; `None` for a path in the root.
pub(crate) fn parent(path: &HostPath) -> Option<HostPath> {
    parents(path).pop()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn path(text: &str) -> HostPath {
        HostPath::try_from(text.to_owned()).unwrap()
    }

    fn tree() -> (tempfile::TempDir, Tree) {
        let dir = tempfile::tempdir().unwrap();
        let host = HostName::try_from("srv1".to_owned()).unwrap();
        let tree = Tree::open(&host, dir.path()).unwrap();
        (dir, tree)
    }

    #[test]
    fn a_file_is_read_and_its_missing_parents_are_named() {
        let (dir, tree) = tree();
        std::fs::create_dir(dir.path().join("etc")).unwrap();
        std::fs::write(dir.path().join("etc/a"), "x").unwrap();
        let Look::File(file) = tree.look(&path("/etc/a")).unwrap() else {
            panic!("a file");
        };
        assert_eq!(file.bytes, b"x");
        assert_eq!(
            tree.look(&path("/etc/b/c/d")).unwrap(),
            Look::Absent(vec![path("/etc/b"), path("/etc/b/c")])
        );
        assert_eq!(tree.look(&path("/etc/b")).unwrap(), Look::Absent(vec![]));
    }

    #[test]
    fn a_link_on_the_way_is_refused_by_name_even_inside_the_tree() {
        let (dir, tree) = tree();
        std::fs::create_dir(dir.path().join("real")).unwrap();
        std::fs::write(dir.path().join("real/a"), "x").unwrap();
        symlink("real", dir.path().join("inside")).unwrap();
        symlink("/etc", dir.path().join("outside")).unwrap();
        for way in ["/inside/a", "/outside/passwd", "/outside/x/y"] {
            let error = tree.look(&path(way)).unwrap_err().to_string();
            assert!(
                error.contains("is a symbolic link, not a directory"),
                "{error}"
            );
        }
    }

    #[test]
    fn what_is_no_file_is_named_and_does_not_hang() {
        let (dir, tree) = tree();
        std::fs::create_dir(dir.path().join("d")).unwrap();
        symlink("d", dir.path().join("l")).unwrap();
        let mode = Mode::from_raw_mode(0o600);
        rustix::fs::mknodat(CWD, dir.path().join("f"), FileType::Fifo, mode, 0).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(dir.path().join("s")).unwrap();
        assert_eq!(
            tree.look(&path("/d")).unwrap(),
            Look::Other(Kind::Directory)
        );
        assert_eq!(tree.look(&path("/l")).unwrap(), Look::Other(Kind::Link));
        assert_eq!(tree.look(&path("/f")).unwrap(), Look::Other(Kind::Fifo));
        assert_eq!(tree.look(&path("/s")).unwrap(), Look::Other(Kind::Socket));
        let error = tree.look(&path("/f/x")).unwrap_err().to_string();
        assert!(error.contains("/f on the way to /f/x is a FIFO"), "{error}");
    }

    #[test]
    fn a_huge_file_is_refused_without_being_read() {
        let (dir, tree) = tree();
        let file = File::create(dir.path().join("huge")).unwrap();
        file.set_len(1 << 40).unwrap();
        assert!(matches!(
            tree.look(&path("/huge")),
            Err(Error::TooBig { .. })
        ));
        file.set_len(READ_LIMIT).unwrap();
        assert!(matches!(tree.look(&path("/huge")), Ok(Look::File(_))));
    }

    #[test]
    fn hostile_names_are_paths_like_any_other() {
        let (dir, tree) = tree();
        for name in ["a b", "%H", "ü", "-rf", "$(x)", "\\x2d"] {
            std::fs::write(dir.path().join(name), name).unwrap();
            let read = tree.file(&path(&format!("/{name}"))).unwrap().unwrap();
            assert_eq!(read.bytes, name.as_bytes());
        }
        let host = HostName::try_from("srv1".to_owned()).unwrap();
        std::fs::create_dir(dir.path().join("d")).unwrap();
        std::fs::write(dir.path().join("d/a\nb"), "").unwrap();
        let tree = Tree::open(&host, dir.path()).unwrap();
        let error = tree.list(&path("/d")).unwrap_err().to_string();
        assert!(error.contains("a\\nb"), "{error}");
    }
}
