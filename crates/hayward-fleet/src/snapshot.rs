//! What was read of a host in one go, as plain data: all that planning needs.

use crate::error::{Error, Kind, Result};
use crate::identity::{self, Identity};
use crate::state::{self, State};
use crate::tree::{FileRead, Look, Tree};
use hayward_model::{Digest, FileMode, HostPath};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// What was read of a host.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Snapshot {
    /// Who it says it is.
    pub identity: Identity,
    /// What Hayward keeps there.
    pub state: State,
    /// What stands at each path that was asked for, and at each owned one.
    pub paths: BTreeMap<HostPath, Found>,
}

/// What stands at a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// Nothing.
    Absent {
        /// The directories missing on the way, outermost first.
        missing: Vec<HostPath>,
    },
    /// A regular file.
    File(FileRead),
    /// Something that is not replaced, or that could not be read.
    Unfit {
        /// What, or why; a sentence without a final stop.
        reason: String,
    },
}

/// What stands at a path, by digest.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "was", deny_unknown_fields)]
pub enum Before {
    /// Nothing.
    Absent {
        /// The directories missing on the way, outermost first.
        missing: Vec<HostPath>,
    },
    /// A regular file.
    File {
        /// The digest of its bytes.
        digest: Digest,
        /// Its permissions.
        mode: FileMode,
    },
    /// Something that is not replaced, or that could not be read.
    Unfit {
        /// What, or why.
        reason: String,
    },
}

impl Found {
    /// The same without the bytes.
    #[must_use]
    pub fn before(&self) -> Before {
        match self {
            Self::Absent { missing } => Before::Absent {
                missing: missing.clone(),
            },
            Self::File(file) => Before::File {
                digest: file.digest,
                mode: file.mode,
            },
            Self::Unfit { reason } => Before::Unfit {
                reason: reason.clone(),
            },
        }
    }
}

impl Snapshot {
    /// Reads a tree: who it is, what is kept there, what stands at the paths.
    pub(crate) fn read<'a>(
        tree: &Tree,
        wanted: impl Iterator<Item = &'a HostPath>,
    ) -> Result<Self> {
        let identity = identity::identify(tree)?;
        let state = state::read(tree)?;
        let all: BTreeSet<HostPath> = wanted
            .cloned()
            .chain(state.manifest.paths.keys().cloned())
            .collect();
        let read = |path: HostPath| {
            let found = found(tree, &path);
            (path, found)
        };
        let paths = all.into_iter().map(read).collect();
        Ok(Self {
            identity,
            state,
            paths,
        })
    }

    /// A digest over the state and what stands at every path.
    #[must_use]
    pub fn fingerprint(&self) -> Digest {
        let paths: Vec<_> = self.paths.iter().map(|(p, f)| (p, f.before())).collect();
        Digest::of(&state::render(&(self.state.seal, paths)))
    }
}

fn found(tree: &Tree, path: &HostPath) -> Found {
    match tree.look(path) {
        Ok(Look::Absent(missing)) => Found::Absent { missing },
        Ok(Look::File(file)) => Found::File(file),
        Ok(Look::Other(kind)) => Found::Unfit {
            reason: match kind {
                Kind::Link => "a symbolic link stands there, and a link is never followed".into(),
                kind => format!("there is {kind} where a regular file belongs"),
            },
        },
        Err(Error::Parent { parent, kind, .. }) => Found::Unfit {
            reason: format!("{parent} on the way there is {kind}, not a directory"),
        },
        Err(Error::Read { source, .. }) => Found::Unfit {
            reason: format!("it cannot be read: {source}"),
        },
        Err(Error::TooBig { limit, .. }) => Found::Unfit {
            reason: format!("it holds more than {limit} bytes, the most that is read"),
        },
        Err(error) => Found::Unfit {
            reason: error.to_string(),
        },
    }
}
