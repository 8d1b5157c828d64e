//! The record of an apply under way. It is written whole before the first
//! byte is staged, and its *name* says how far the apply has come, so that each
//! turning point is one rename: `staging` (nothing is in place), `journal`
//! (staged bytes go into place), `undo` (old bytes go back).

use crate::error::{Error, Result};
use crate::paths;
use crate::state;
use crate::tree::{Tree, parents};
use hayward_model::{Digest, FileMode, HostName, HostPath};
use serde::{Deserialize, Serialize};

/// How far an apply had come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    Staging,
    Journal,
    Undo,
}

impl Phase {
    pub(crate) fn path(self) -> HostPath {
        match self {
            Self::Staging => paths::staging(),
            Self::Journal => paths::journal(),
            Self::Undo => paths::undo(),
        }
    }
}

/// All that is needed to finish an apply or to undo it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Record {
    pub(crate) format: u64,
    pub(crate) host: HostName,
    /// The generation that it makes.
    pub(crate) to: u64,
    /// The plan that it applies.
    pub(crate) plan: Digest,
    /// How many paths of the model it changes.
    pub(crate) changed: usize,
    /// In the order in which they are put in place: the model's paths, then
    /// the manifest, then the generation.
    pub(crate) entries: Vec<Entry>,
    /// Directories that it makes, outermost first.
    pub(crate) made: Vec<HostPath>,
    /// Directories for the state itself that it made, outermost first.
    pub(crate) home: Vec<HostPath>,
    /// Directories that it removes if they are empty then, innermost first.
    pub(crate) prune: Vec<HostPath>,
}

/// A path that goes from one content to another; a sibling, `stage`, holds the
/// new content before and the old one after.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    pub(crate) path: HostPath,
    pub(crate) stage: HostPath,
    pub(crate) old: Option<Holding>,
    pub(crate) new: Option<Holding>,
}

/// What a regular file holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Holding {
    pub(crate) digest: Digest,
    pub(crate) mode: FileMode,
}

impl Record {
    /// The entry whose place decides: the generation's.
    pub(crate) fn last(&self) -> Option<&Entry> {
        self.entries.last()
    }

    /// Refuses a record that names what it could not have written.
    fn check(&self, tree: &Tree, path: &HostPath) -> Result<()> {
        let damaged = |reason: &str| {
            Err(Error::State {
                host: tree.host.clone(),
                path: path.clone(),
                reason: reason.to_owned(),
            })
        };
        if self.host != tree.host {
            return damaged("it is another host's");
        }
        if self.last().is_none_or(|e| e.path != paths::generation()) {
            return damaged("it does not end with the generation");
        }
        for entry in &self.entries {
            if paths::stage(&entry.path, self.to).as_ref() != Some(&entry.stage) {
                return damaged("it names a staging file that is not its own");
            }
            if entry.old == entry.new {
                return damaged("it changes a path to what it is");
            }
        }
        let above = |dir: &HostPath| self.entries.iter().any(|e| parents(&e.path).contains(dir));
        if !self.made.iter().chain(&self.home).all(above) {
            return damaged("it makes a directory that it does not need");
        }
        Ok(())
    }
}

/// The record of an apply under way or interrupted, if there is one.
pub(crate) fn find(tree: &Tree) -> Result<Option<(Phase, Record)>> {
    let mut found: Option<(Phase, Record)> = None;
    for phase in [Phase::Staging, Phase::Journal, Phase::Undo] {
        let path = phase.path();
        let Some((record, _)) = state::parse::<Record>(tree, &path)? else {
            continue;
        };
        record.check(tree, &path)?;
        if let Some((other, _)) = found {
            return Err(Error::State {
                host: tree.host.clone(),
                path,
                reason: format!("{} is there beside it", other.path()),
            });
        }
        found = Some((phase, record));
    }
    Ok(found)
}
