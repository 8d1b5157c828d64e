//! The steps in which a host is changed, one system call each, so that a test
//! can fail or kill an apply at every one of them.

use hayward_model::HostPath;
use std::fmt;
use std::io;

/// What a step does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Doing {
    /// Make a directory.
    MakeDirectory,
    /// Make the file that is locked.
    MakeLock,
    /// Make an empty file, readable by nobody else.
    Create,
    /// Set a file's permissions.
    SetMode,
    /// Write a file's bytes.
    Write,
    /// Bring a file's bytes to the disk.
    Sync,
    /// Bring a directory's names to the disk.
    SyncDirectory,
    /// Give a file its name.
    Place,
    /// Exchange two names.
    Exchange,
    /// Replace a file of Hayward's own.
    Replace,
    /// Read a file back.
    ReadBack,
    /// Remove a file.
    Unlink,
    /// Remove an empty directory.
    RemoveDirectory,
}

/// A step: what is done, and where.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// What.
    pub doing: Doing,
    /// Where.
    pub path: HostPath,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = match self.doing {
            Doing::MakeDirectory => "make the directory",
            Doing::MakeLock => "make the lock",
            Doing::Create => "create",
            Doing::SetMode => "set the permissions of",
            Doing::Write => "write",
            Doing::Sync | Doing::SyncDirectory => "bring to the disk",
            Doing::Place => "put in place",
            Doing::Exchange => "put in place by exchange",
            Doing::Replace => "replace",
            Doing::ReadBack => "read back",
            Doing::Unlink => "remove",
            Doing::RemoveDirectory => "remove the directory",
        };
        write!(f, "{verb} {}", self.path)
    }
}

/// Told of each step before it is taken.
pub trait Steps {
    /// Called before a step.
    ///
    /// # Errors
    /// An error stands for the step's own failure: the step is not taken.
    fn at(&self, step: &Step) -> io::Result<()>;
}

/// Lets every step pass.
#[derive(Clone, Copy, Default, Debug)]
pub struct Unhindered;

impl Steps for Unhindered {
    fn at(&self, _: &Step) -> io::Result<()> {
        Ok(())
    }
}
