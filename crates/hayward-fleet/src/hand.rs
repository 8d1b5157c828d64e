//! The one hand that writes to a tree: each method is one step, announced
//! before it is taken. No bytes are written outside of it.

use crate::error::{Error, Result};
use crate::record::Holding;
use crate::step::{Doing, Step, Steps};
use crate::tree::{Look, Tree, stat_name};
use hayward_model::{Digest, HostPath};
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Write};

/// The permissions of a directory that Hayward makes.
const DIRECTORY_MODE: u32 = 0o755;

/// Writes to a tree, step by step.
#[derive(Clone, Copy)]
pub(crate) struct Hand<'a> {
    pub(crate) tree: &'a Tree,
    steps: &'a dyn Steps,
}

impl<'a> Hand<'a> {
    pub(crate) fn new(tree: &'a Tree, steps: &'a dyn Steps) -> Self {
        Self { tree, steps }
    }

    /// Announces a step and takes it.
    fn step<T>(
        &self,
        doing: Doing,
        path: &HostPath,
        take: impl FnOnce() -> io::Result<T>,
    ) -> Result<T> {
        let step = Step {
            doing,
            path: path.clone(),
        };
        self.steps
            .at(&step)
            .and_then(|()| take())
            .map_err(|source| Error::Write {
                host: self.tree.host.clone(),
                step,
                source,
            })
    }

    /// Makes a directory; `false` if it is there.
    pub(crate) fn make_directory(&self, path: &HostPath) -> Result<bool> {
        self.step(Doing::MakeDirectory, path, || {
            let (parent, name) = self.tree.open_parent(path)?;
            match rustix::fs::mkdirat(&parent, name, Mode::from_raw_mode(DIRECTORY_MODE)) {
                Ok(()) => {}
                Err(Errno::EXIST) => return Ok(false),
                Err(errno) => return Err(errno.into()),
            }
            // The umask may have taken bits away.
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW;
            let made = self.tree.open_at(path, flags, Mode::empty())?;
            rustix::fs::fchmod(&made, Mode::from_raw_mode(DIRECTORY_MODE))?;
            rustix::fs::fsync(&made)?;
            rustix::fs::fsync(&parent)?;
            Ok(true)
        })
    }

    /// Makes the empty file that is locked, if it is not there. Only its owner
    /// may open it: who can open it can hold up every apply.
    pub(crate) fn make_lock(&self, path: &HostPath) -> Result<()> {
        self.step(Doing::MakeLock, path, || {
            let flags = OFlags::RDONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
            match self.tree.open_at(path, flags, Mode::from_raw_mode(0o600)) {
                Ok(_) | Err(Errno::EXIST) => Ok(()),
                Err(errno) => Err(errno.into()),
            }
        })
    }

    /// Writes a new file whole: permissions before bytes, bytes to the disk,
    /// then read back.
    pub(crate) fn write_new(&self, path: &HostPath, bytes: &[u8], mode: u32) -> Result<()> {
        let mode = Mode::from_raw_mode(mode);
        let fd: OwnedFd = self.step(Doing::Create, path, || {
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
            Ok(self.tree.open_at(path, flags, Mode::from_raw_mode(0o600))?)
        })?;
        self.step(Doing::SetMode, path, || Ok(rustix::fs::fchmod(&fd, mode)?))?;
        let mut file = File::from(fd);
        self.step(Doing::Write, path, || {
            file.write_all(bytes)?;
            // Writing takes the set-user-id bits away from an ordinary user.
            let now = rustix::fs::fstat(&file)?.st_mode & 0o7777;
            if now != mode.as_raw_mode() {
                rustix::fs::fchmod(&file, mode)?;
            }
            Ok(())
        })?;
        self.step(Doing::Sync, path, || file.sync_all())?;
        let holding = Holding {
            digest: Digest::of(bytes),
            mode: hayward_model::FileMode::new(mode.as_raw_mode())
                .ok_or_else(|| self.not_as_written(path))?,
        };
        self.read_back(path, Some(&holding))
    }

    /// Reads a path back and compares it with what should be there.
    pub(crate) fn read_back(&self, path: &HostPath, wanted: Option<&Holding>) -> Result<()> {
        self.step(Doing::ReadBack, path, || Ok(()))?;
        if self.holding(path)? == wanted.copied().map_or(Held::Nothing, Held::File) {
            Ok(())
        } else {
            Err(self.not_as_written(path))
        }
    }

    fn not_as_written(&self, path: &HostPath) -> Error {
        Error::ReadBack {
            host: self.tree.host.clone(),
            path: path.clone(),
        }
    }

    /// What a path holds.
    pub(crate) fn holding(&self, path: &HostPath) -> Result<Held> {
        Ok(match self.tree.look(path)? {
            Look::Absent(_) => Held::Nothing,
            Look::File(file) => Held::File(Holding {
                digest: file.digest,
                mode: file.mode,
            }),
            Look::Other(_) => Held::Other,
        })
    }

    /// Gives a file another name beside it, which must be free.
    pub(crate) fn place(&self, from: &HostPath, to: &HostPath) -> Result<()> {
        self.rename(Doing::Place, from, to, RenameFlags::NOREPLACE)
    }

    /// Exchanges two names in one directory.
    pub(crate) fn exchange(&self, from: &HostPath, to: &HostPath) -> Result<()> {
        self.rename(Doing::Exchange, from, to, RenameFlags::EXCHANGE)
    }

    /// Gives a file of Hayward's own another name beside it.
    pub(crate) fn replace(&self, from: &HostPath, to: &HostPath) -> Result<()> {
        self.rename(Doing::Replace, from, to, RenameFlags::empty())
    }

    fn rename(
        &self,
        doing: Doing,
        from: &HostPath,
        to: &HostPath,
        flags: RenameFlags,
    ) -> Result<()> {
        self.step(doing, to, || {
            let (parent, to) = self.tree.open_parent(to)?;
            let from = from.components().next_back().unwrap_or_default();
            Ok(rustix::fs::renameat_with(
                &parent, from, &parent, to, flags,
            )?)
        })
    }

    /// Removes a file, if it is there.
    pub(crate) fn unlink(&self, path: &HostPath) -> Result<()> {
        let here = match self.tree.open_parent(path) {
            Ok((parent, name)) => stat_name(&parent, name),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(errno),
        };
        if here.map_err(|e| self.tree.cannot_read(path, e))?.is_none() {
            return Ok(());
        }
        self.step(Doing::Unlink, path, || {
            let (parent, name) = self.tree.open_parent(path)?;
            match rustix::fs::unlinkat(&parent, name, AtFlags::empty()) {
                Ok(()) | Err(Errno::NOENT) => Ok(()),
                Err(errno) => Err(errno.into()),
            }
        })
    }

    /// Removes a directory if it is there and empty.
    pub(crate) fn remove_directory(&self, path: &HostPath) -> Result<()> {
        if self.tree.kind(path)?.is_none() {
            return Ok(());
        }
        self.step(Doing::RemoveDirectory, path, || {
            let (parent, name) = self.tree.open_parent(path)?;
            match rustix::fs::unlinkat(&parent, name, AtFlags::REMOVEDIR) {
                Ok(()) => Ok(rustix::fs::fsync(&parent)?),
                Err(Errno::NOENT | Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR) => Ok(()),
                Err(errno) => Err(errno.into()),
            }
        })
    }

    /// Brings the names beside a path to the disk.
    pub(crate) fn sync_beside(&self, path: &HostPath) -> Result<()> {
        self.step(Doing::SyncDirectory, path, || {
            let (parent, _) = self.tree.open_parent(path)?;
            Ok(rustix::fs::fsync(&parent)?)
        })
    }
}

/// What a path holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Held {
    Nothing,
    File(Holding),
    Other,
}
