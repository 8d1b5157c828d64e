//! Drawing up what an apply will do, and writing every byte of it beside the
//! place where it belongs, before any of it is put there.

use crate::apply::Visit;
use crate::error::{Error, Result};
use crate::hand::Hand;
use crate::paths;
use crate::plan::{Action, PlannedHost};
use crate::record::{Entry, Holding, Phase, Record};
use crate::snapshot::{Before, Snapshot};
use crate::state::{self, Generation, Manifest, Owned, STATE_FORMAT};
use crate::tree::{Tree, parents};
use hayward_model::{Digest, FileMode, HostPath};
use std::collections::{BTreeMap, BTreeSet};

/// The permissions of the manifest and the generation.
const STATE_MODE: u32 = 0o644;

/// What an apply will do, with the bytes to stage for each entry in order.
pub(crate) struct Staged {
    pub(crate) record: Record,
    bytes: Vec<Option<Vec<u8>>>,
}

/// Draws up what a plan asks for; writes nothing.
pub(crate) fn draw_up(
    tree: &Tree,
    visit: &Visit<'_>,
    plan: &PlannedHost,
    snapshot: &Snapshot,
    home: Vec<HostPath>,
) -> Result<Staged> {
    let to = plan.generation + 1;
    let mut drawing = Drawing {
        tree,
        to,
        entries: Vec::new(),
        bytes: Vec::new(),
    };
    let mut owned = BTreeMap::new();
    let before = &snapshot.state.manifest;
    for planned in &plan.paths {
        let path = &planned.path;
        let old = match planned.before {
            Before::File { digest, mode } => Some(Holding { digest, mode }),
            Before::Absent { .. } | Before::Unfit { .. } => None,
        };
        let held = match &planned.action {
            Action::Create { text, mode } | Action::Change { text, mode, .. } => {
                drawing.entry(path, old, Some((text.as_bytes().to_vec(), *mode)))?
            }
            Action::Remove => {
                drawing.entry(path, old, None)?;
                continue;
            }
            Action::Adopt => old,
            Action::Unchanged => {
                if let Some(known) = before.paths.get(path) {
                    owned.insert(path.clone(), known.clone());
                }
                continue;
            }
            Action::Forget | Action::Refused { .. } | Action::Accept { .. } => continue,
        };
        if let Some(Holding { digest, mode }) = held {
            let effect = planned.declared_effect;
            let because = planned.because.clone();
            owned.insert(
                path.clone(),
                Owned {
                    digest,
                    mode,
                    effect,
                    because,
                },
            );
        }
    }
    let made: BTreeSet<&HostPath> = plan.directories();
    let needed: BTreeSet<HostPath> = owned.keys().flat_map(parents).collect();
    let known = || before.directories.iter().chain(made.iter().copied());
    let manifest = Manifest {
        format: STATE_FORMAT,
        generation: to,
        directories: known().filter(|d| needed.contains(*d)).cloned().collect(),
        paths: owned,
    };
    let prune: BTreeSet<&HostPath> = known().filter(|d| !needed.contains(*d)).collect();
    let generation = Generation {
        format: STATE_FORMAT,
        number: to,
        fleet: visit.fleet.to_owned(),
        host: tree.host.clone(),
        model: visit.model,
        revision: visit.revision.map(|revision| revision.name.to_owned()),
        uncommitted: visit.revision.is_some_and(|revision| revision.uncommitted),
        plan: visit.plan,
    };
    drawing.own(&paths::manifest(), state::render(&manifest))?;
    drawing.own(&paths::generation(), state::render(&generation))?;
    let record = Record {
        format: STATE_FORMAT,
        host: tree.host.clone(),
        to,
        plan: visit.plan,
        changed: plan.changes(),
        entries: drawing.entries,
        made: made.into_iter().cloned().collect(),
        home,
        prune: prune.into_iter().rev().cloned().collect(),
    };
    Ok(Staged {
        record,
        bytes: drawing.bytes,
    })
}

struct Drawing<'a> {
    tree: &'a Tree,
    to: u64,
    entries: Vec<Entry>,
    bytes: Vec<Option<Vec<u8>>>,
}

impl Drawing<'_> {
    /// Adds a path; its stage must be free.
    fn entry(
        &mut self,
        path: &HostPath,
        old: Option<Holding>,
        new: Option<(Vec<u8>, FileMode)>,
    ) -> Result<Option<Holding>> {
        let Some(stage) = paths::stage(path, self.to) else {
            return Err(self.leftover(path));
        };
        if self.tree.kind(&stage)?.is_some() {
            return Err(self.leftover(&stage));
        }
        let holding = new.as_ref().map(|(bytes, mode)| Holding {
            digest: Digest::of(bytes),
            mode: *mode,
        });
        self.entries.push(Entry {
            path: path.clone(),
            stage,
            old,
            new: holding,
        });
        self.bytes.push(new.map(|(bytes, _)| bytes));
        Ok(holding)
    }

    /// Adds a file of Hayward's own.
    fn own(&mut self, path: &HostPath, bytes: Vec<u8>) -> Result<()> {
        let old = self.tree.file(path)?.map(|file| Holding {
            digest: file.digest,
            mode: file.mode,
        });
        let Some(mode) = FileMode::new(STATE_MODE) else {
            return Err(self.leftover(path));
        };
        self.entry(path, old, Some((bytes, mode)))?;
        Ok(())
    }

    fn leftover(&self, path: &HostPath) -> Error {
        Error::Leftover {
            host: self.tree.host.clone(),
            path: path.clone(),
        }
    }
}

/// Writes the record and stages every byte, all of it on the disk and read
/// back. After an error what was staged is still there, and the record with it
/// if it was reached.
pub(crate) fn write(hand: &Hand<'_>, staged: &Staged) -> Result<()> {
    let record = &staged.record;
    hand.unlink(&paths::draft())?;
    hand.write_new(&paths::draft(), &state::render(record), STATE_MODE)?;
    hand.replace(&paths::draft(), &Phase::Staging.path())?;
    hand.sync_beside(&Phase::Staging.path())?;
    for directory in &record.made {
        hand.make_directory(directory)?;
    }
    let mut beside: BTreeMap<Option<HostPath>, &HostPath> = BTreeMap::new();
    for (entry, bytes) in record.entries.iter().zip(&staged.bytes) {
        if let (Some(new), Some(bytes)) = (&entry.new, bytes) {
            hand.write_new(&entry.stage, bytes, new.mode.bits())?;
            beside.insert(crate::tree::parent(&entry.stage), &entry.stage);
        }
    }
    for stage in beside.into_values() {
        hand.sync_beside(stage)?;
    }
    Ok(())
}
