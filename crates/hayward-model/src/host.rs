//! Hosts and how they are reached (`lib/host/roster.dag`).

use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

/// A host's name, `HostIdentity` in the model: a label of RFC 1123, §2.1, in
/// small letters, of at most 63 characters.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct HostName(String);

/// A text that is no host name.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{0}` is not a host name: small letters, digits and inner hyphens, at most 63 (RFC 1123, section 2.1)"
)]
pub struct HostNameError(String);

impl HostName {
    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for HostName {
    type Error = HostNameError;

    fn try_from(text: String) -> Result<Self, HostNameError> {
        let inner = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
        let bytes = text.as_bytes();
        let ends =
            bytes.first().is_some_and(|b| inner(*b)) && bytes.last().is_some_and(|b| inner(*b));
        if ends && bytes.len() <= 63 && bytes.iter().all(|b| inner(*b) || *b == b'-') {
            Ok(Self(text))
        } else {
            Err(HostNameError(text))
        }
    }
}

impl From<HostName> for String {
    fn from(name: HostName) -> Self {
        name.0
    }
}

impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// How a host is reached.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Transport {
    /// A directory tree that holds the host's root, for images, demos and
    /// tests; relative paths start at the project's directory.
    RootDirectory(PathBuf),
}

/// A row of the roster.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostRow {
    /// The host.
    pub name: HostName,
    /// How it is reached.
    pub transport: Transport,
}
