//! What a host should hold (`lib/host/resource.dag`): the model's resources as
//! paths and bytes. What a unit or a slice is, only the model knows.

use crate::Digest;
use serde::{Deserialize, Serialize};
use std::fmt;

/// An absolute path on a host, normalised: no empty, `.` or `..` component, no
/// NUL or other control character.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HostPath(String);

/// A text that is no path on a host.
#[derive(Debug, thiserror::Error)]
pub enum PathError {
    /// It does not start at the root.
    #[error("`{0}` is not an absolute path")]
    Relative(String),
    /// It has an empty, `.` or `..` component, or is the root itself.
    #[error("`{0}` has an empty, `.` or `..` component")]
    Component(String),
    /// It has a control character.
    #[error("`{0}` has a control character")]
    Control(String),
}

impl HostPath {
    /// The path as text; starts with `/`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Its components below the root.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0[1..].split('/')
    }

    /// The path below the root, without its leading `/`.
    #[must_use]
    pub fn relative(&self) -> &str {
        &self.0[1..]
    }
}

impl TryFrom<String> for HostPath {
    type Error = PathError;

    fn try_from(text: String) -> Result<Self, PathError> {
        if !text.starts_with('/') {
            return Err(PathError::Relative(text));
        }
        if text.chars().any(char::is_control) {
            return Err(PathError::Control(text.escape_default().to_string()));
        }
        if text[1..].split('/').any(|c| matches!(c, "" | "." | "..")) {
            return Err(PathError::Component(text));
        }
        Ok(Self(text))
    }
}

impl From<HostPath> for String {
    fn from(path: HostPath) -> Self {
        path.0
    }
}

impl fmt::Display for HostPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Permission bits of a file, at most `0o7777`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub struct FileMode(u32);

/// A number that is no file mode.
#[derive(Debug, thiserror::Error)]
#[error("{0:#o} is more than the permission bits 0o7777")]
pub struct FileModeError(u32);

impl TryFrom<u32> for FileMode {
    type Error = FileModeError;

    fn try_from(bits: u32) -> Result<Self, FileModeError> {
        Self::new(bits).ok_or(FileModeError(bits))
    }
}

impl From<FileMode> for u32 {
    fn from(mode: FileMode) -> Self {
        mode.0
    }
}

impl FileMode {
    /// The mode, if it has no other bits.
    #[must_use]
    pub fn new(bits: u32) -> Option<Self> {
        (bits <= 0o7777).then_some(Self(bits))
    }

    /// Its bits.
    #[must_use]
    pub fn bits(self) -> u32 {
        self.0
    }
}

/// What a change of a path asks of the host's service manager.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Nothing.
    None,
    /// The manager reads its units again.
    Reload,
    /// The manager reads its units again and the unit is restarted.
    Restart,
}

/// A path that a host should hold, should not, or may.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DesiredPath {
    /// A regular file.
    File(DesiredFile),
    /// Nothing: an owned path that must be gone.
    Gone(HostPath),
    /// A file that others install, and that may take part in units.
    Foreign(AcceptedFile),
}

impl DesiredPath {
    /// The path.
    #[must_use]
    pub fn path(&self) -> &HostPath {
        match self {
            Self::File(file) => &file.path,
            Self::Gone(path) => path,
            Self::Foreign(accepted) => &accepted.path,
        }
    }
}

/// A file that others install on a host, and that is accepted as it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AcceptedFile {
    /// Where.
    pub path: HostPath,
    /// The digest of the bytes that are accepted.
    pub digest: Digest,
    /// Which declaration accepts it, for a person.
    pub because: String,
}

/// A regular file that a host should hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DesiredFile {
    /// Where.
    pub path: HostPath,
    /// Its bytes.
    pub text: String,
    /// Its permissions.
    pub mode: FileMode,
    /// What a change of it asks of the manager.
    pub effect: Effect,
    /// Which declaration asks for it, for a person: `commons.units.runner_unit`.
    pub because: String,
}
