//! What an observer read of a host (`lib/host/reading.dag`). A reading holds
//! what was read, never a verdict: verdicts are the model's.

use crate::{Digest, HostName};
use serde::{Deserialize, Serialize};

/// Why something could not be read; a sentence without a final stop.
pub type Cause = String;

/// What a host answered when it was observed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "answer")]
pub enum HostAnswer {
    /// It was read whole.
    Answered {
        /// The host's own name, as the host says it.
        host: HostName,
        /// A reading for each unit that was asked for.
        units: Vec<UnitReading>,
    },
    /// It answered with something that cannot be read.
    Unreadable {
        /// The host that was asked.
        host: HostName,
        /// Why.
        cause: Cause,
    },
    /// It did not answer.
    Silent {
        /// The host that was asked.
        host: HostName,
        /// Why.
        cause: Cause,
    },
}

impl HostAnswer {
    /// The host it speaks of.
    #[must_use]
    pub fn host(&self) -> &HostName {
        match self {
            Self::Answered { host, .. }
            | Self::Unreadable { host, .. }
            | Self::Silent { host, .. } => host,
        }
    }
}

/// A unit as the files of its host define it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct UnitReading {
    /// The unit's name, `actions-runner@.service`.
    pub unit: String,
    /// The unit's file and its drop-ins, in the order in which they apply;
    /// empty if the host has no such unit.
    pub sources: Vec<UnitSource>,
    /// The settings in force, in order: drop-ins merged, emptied lists emptied
    /// (systemd.unit(5), systemd.syntax(7)).
    pub settings: Vec<UnitSetting>,
}

/// A file that takes part in a unit's definition.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct UnitSource {
    /// Its path on the host.
    pub path: String,
    /// The digest of its bytes.
    pub digest: Digest,
    /// Whether Hayward installed these bytes there.
    pub owned: bool,
}

/// An assignment in force.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct UnitSetting {
    /// `Service`, without brackets.
    pub section: String,
    /// `KillMode`.
    pub key: String,
    /// The text after `=`, continuation lines joined, not unquoted. Empty if the
    /// key was emptied and not set again: a list is empty then; of another key
    /// systemd may keep the value before (`Type=`, `Slice=`) or a default, so it
    /// says nothing.
    pub value: String,
}
