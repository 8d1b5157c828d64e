//! Everything that can be refused or go wrong on a host.

use crate::Step;
use hayward_model::{Digest, HostName, HostPath};
use std::fmt;
use std::io;
use std::path::PathBuf;

/// What stands at a path that is no regular file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A directory.
    Directory,
    /// A symbolic link; it is never followed.
    Link,
    /// A FIFO.
    Fifo,
    /// A socket.
    Socket,
    /// A device.
    Device,
    /// A regular file, where a directory belongs.
    File,
    /// Something else.
    Other,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Directory => "a directory",
            Self::Link => "a symbolic link",
            Self::Fifo => "a FIFO",
            Self::Socket => "a socket",
            Self::Device => "a device",
            Self::File => "a regular file",
            Self::Other => "of an unknown kind",
        })
    }
}

/// A refusal or a failure; its text is a sentence without a final stop that
/// names the host and the path.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The host's tree is not there.
    #[error("{host}: there is no directory {}", root.display())]
    NoTree {
        /// The host.
        host: HostName,
        /// Where its tree was looked for.
        root: PathBuf,
    },
    /// The host's tree cannot be opened.
    #[error("{host}: cannot open {} as a directory", root.display())]
    Tree {
        /// The host.
        host: HostName,
        /// Where its tree was looked for.
        root: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// Something else stands where a regular file belongs.
    #[error("{host}: {path} is {kind}, not a regular file")]
    NotAFile {
        /// The host.
        host: HostName,
        /// The path.
        path: HostPath,
        /// What stands there.
        kind: Kind,
    },
    /// A component on the way to a path is no directory.
    #[error("{host}: {parent} on the way to {path} is {kind}, not a directory")]
    Parent {
        /// The host.
        host: HostName,
        /// The path.
        path: HostPath,
        /// The component.
        parent: HostPath,
        /// What stands there.
        kind: Kind,
    },
    /// A file is too big to be read.
    #[error("{host}: {path} holds more than {limit} bytes, the most that is read")]
    TooBig {
        /// The host.
        host: HostName,
        /// The path.
        path: HostPath,
        /// The limit in bytes.
        limit: u64,
    },
    /// A file kept changing while it was read.
    #[error("{host}: {path} changed while it was read")]
    Unsteady {
        /// The host.
        host: HostName,
        /// The path.
        path: HostPath,
    },
    /// A name in a directory is no text that a path may hold.
    #[error("{host}: {directory} holds `{name}`, a name that is refused")]
    Name {
        /// The host.
        host: HostName,
        /// The directory.
        directory: HostPath,
        /// The name, escaped.
        name: String,
    },
    /// The operating system refused to read.
    #[error("{host}: cannot read {path}: {source}")]
    Read {
        /// The host.
        host: HostName,
        /// The path.
        path: HostPath,
        /// Why not.
        source: io::Error,
    },
    /// The operating system refused to write.
    #[error("{host}: cannot {step}: {}{source}", advice(source))]
    Write {
        /// The host.
        host: HostName,
        /// What was to be done.
        step: Step,
        /// Why not.
        source: io::Error,
    },
    /// The tree is another host's.
    #[error("{host}: /etc/hostname there says `{found}`, the roster says `{host}`")]
    OtherHost {
        /// The host of the roster.
        host: HostName,
        /// The name that the tree gives itself.
        found: String,
    },
    /// The tree does not say whose it is.
    #[error("{host}: {path} {reason}, so nothing says whose tree this is")]
    Identity {
        /// The host of the roster.
        host: HostName,
        /// The file that should say it.
        path: HostPath,
        /// What is wrong with it.
        reason: String,
    },
    /// A file in which Hayward keeps its state is damaged.
    #[error("{host}: {path} is damaged: {reason}")]
    State {
        /// The host.
        host: HostName,
        /// The file.
        path: HostPath,
        /// What is wrong with it.
        reason: String,
    },
    /// A file in which Hayward keeps its state was written by a later version.
    #[error("{host}: {path} has format {found}, this version of Hayward reads format {known}")]
    NewerState {
        /// The host.
        host: HostName,
        /// The file.
        path: HostPath,
        /// Its format.
        found: u64,
        /// The format that is known.
        known: u64,
    },
    /// An apply is under way there, or was interrupted.
    #[error(
        "{host}: {path} shows an apply that is under way or was interrupted: recover the host first"
    )]
    Interrupted {
        /// The host.
        host: HostName,
        /// The record of it.
        path: HostPath,
    },
    /// Another process holds the host's lock.
    #[error("{host}: another apply is under way{}", holder(*pid))]
    Busy {
        /// The host.
        host: HostName,
        /// The process that holds it, if this machine knows it.
        pid: Option<u32>,
    },
    /// A path of an interrupted apply holds neither its old nor its new bytes.
    #[error(
        "{host}: an interrupted apply can be neither finished nor undone: {path} holds neither \
         its old nor its new bytes; put one of them back, then recover again"
    )]
    Torn {
        /// The host.
        host: HostName,
        /// The path.
        path: HostPath,
    },
    /// A path changed between the last look at it and its replacement.
    #[error("{host}: {path} was changed by somebody else during the apply")]
    Raced {
        /// The host.
        host: HostName,
        /// The path.
        path: HostPath,
    },
    /// A path does not hold what was written there.
    #[error("{host}: {path} does not read back as it was written")]
    ReadBack {
        /// The host.
        host: HostName,
        /// The path.
        path: HostPath,
    },
    /// A leftover stands where a file is to be staged.
    #[error("{host}: {path} is in the way of staging and no record speaks of it")]
    Leftover {
        /// The host.
        host: HostName,
        /// The path.
        path: HostPath,
    },
    /// A text is no unit's name.
    #[error(
        "{host}: `{unit}` is not a unit's name (systemd.unit(5), \"String escaping for inclusion in unit names\")"
    )]
    UnitName {
        /// The host.
        host: HostName,
        /// The text.
        unit: String,
    },
    /// A unit's file or drop-in cannot be interpreted.
    #[error("{host}: {path}, line {line}: {reason}")]
    UnitLine {
        /// The host.
        host: HostName,
        /// The file.
        path: HostPath,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A unit is defined in a way that is not interpreted.
    #[error("{host}: {path} {reason}")]
    UnitForm {
        /// The host.
        host: HostName,
        /// The file.
        path: HostPath,
        /// Why it is not interpreted.
        reason: String,
    },
    /// A text is no plan.
    #[error("this is not a plan: {reason}")]
    NoPlan {
        /// Why not.
        reason: String,
    },
    /// A plan's bytes are not those that its digest names.
    #[error(
        "the plan was edited after it was made: its digest is {} and it says {}",
        found.short(), says.short()
    )]
    EditedPlan {
        /// The digest of what it holds.
        found: Digest,
        /// The digest that it claims.
        says: Digest,
    },
    /// A plan was made for something else.
    #[error("the plan was made for {what} {planned}; this is {what} {now}")]
    OtherPlan {
        /// `fleet`, `revision`, `model`.
        what: &'static str,
        /// What it was made for.
        planned: String,
        /// What is asked now.
        now: String,
    },
    /// A plan speaks of a host that is not in the roster.
    #[error("{host}: the plan speaks of this host and the roster does not")]
    ForeignHost {
        /// The host.
        host: HostName,
    },
    /// A host of the plan is reached differently now.
    #[error("{host}: the plan was made for {planned}; the roster now says {now}")]
    Moved {
        /// The host.
        host: HostName,
        /// Where the plan expects it.
        planned: String,
        /// Where the roster has it.
        now: String,
    },
    /// The host is not as the plan saw it.
    #[error("{host}: the plan is stale: {reason}")]
    Stale {
        /// The host.
        host: HostName,
        /// What differs.
        reason: String,
    },
    /// The plan refuses this host.
    #[error("{host}: the plan refuses this host: {reason}")]
    Refused {
        /// The host.
        host: HostName,
        /// Why.
        reason: String,
    },
    /// What Hayward keeps there belongs to another fleet or host.
    #[error("{host}: what Hayward keeps there belongs to {what} `{found}`, not to `{wanted}`")]
    Owner {
        /// The host.
        host: HostName,
        /// `fleet` or `host`.
        what: &'static str,
        /// Whose it is.
        found: String,
        /// Whose it should be.
        wanted: String,
    },
}

/// A result of this crate.
pub type Result<T> = std::result::Result<T, Error>;

fn holder(pid: Option<u32>) -> String {
    pid.map_or_else(String::new, |pid| format!(" (process {pid})"))
}

fn advice(source: &io::Error) -> &'static str {
    match source.kind() {
        io::ErrorKind::ReadOnlyFilesystem => "the tree is read-only: ",
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "the disk is full: ",
        _ => "",
    }
}
