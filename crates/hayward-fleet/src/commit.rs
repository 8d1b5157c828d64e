//! Putting staged bytes in place, and putting old bytes back. Each path has a
//! sibling, its stage, that holds the new content before and the old one after:
//! one rename or one exchange moves a path from one state to the other, and the
//! very same file comes back if it is undone.

use crate::error::{Error, Result};
use crate::hand::{Hand, Held};
use crate::paths;
use crate::record::{Entry, Phase, Record};
use hayward_model::HostPath;
use std::collections::BTreeSet;

/// Where an entry stands between its old state and its new one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Standing {
    /// It is in its new state.
    done: bool,
    /// It can be brought to its new state, or is there.
    forward: bool,
    /// It can be brought to its old state, or is there.
    backward: bool,
}

fn standing(hand: &Hand<'_>, entry: &Entry) -> Result<Standing> {
    let path = hand.holding(&entry.path)?;
    let stage = hand.holding(&entry.stage)?;
    let holds = |held: Held, what| held == what;
    Ok(match (entry.old, entry.new) {
        (_, Some(new)) => {
            let (old, new) = (entry.old.map_or(Held::Nothing, Held::File), Held::File(new));
            // The stage holds the new bytes until they are put in place.
            let waiting = holds(stage, new);
            let done = holds(path, new) && !waiting;
            Standing {
                done,
                forward: done || (waiting && holds(path, old)),
                backward: if waiting {
                    true
                } else if holds(stage, Held::Nothing) {
                    // A new path is undone by its removal; old bytes that are
                    // gone do not come back.
                    !holds(path, new) || entry.old.is_none()
                } else {
                    holds(path, new) || holds(path, Held::Nothing)
                },
            }
        }
        (Some(old), None) => {
            let taken = !holds(stage, Held::Nothing);
            let done = holds(path, Held::Nothing);
            Standing {
                done,
                forward: done || (!taken && holds(path, Held::File(old))),
                backward: taken == done,
            }
        }
        (None, None) => Standing {
            done: true,
            forward: true,
            backward: true,
        },
    })
}

/// Whether every entry can be brought to its new state; if not, which cannot.
pub(crate) fn can_finish(hand: &Hand<'_>, record: &Record) -> Result<Option<HostPath>> {
    first(hand, record, |s| s.forward)
}

/// Whether every entry can be brought to its old state; if not, which cannot.
pub(crate) fn can_undo(hand: &Hand<'_>, record: &Record) -> Result<Option<HostPath>> {
    first(hand, record, |s| s.backward)
}

fn first(
    hand: &Hand<'_>,
    record: &Record,
    good: impl Fn(Standing) -> bool,
) -> Result<Option<HostPath>> {
    for entry in &record.entries {
        if !good(standing(hand, entry)?) {
            return Ok(Some(entry.path.clone()));
        }
    }
    Ok(None)
}

/// Brings every entry to its new state: the model's paths, read back, then the
/// manifest, then the generation. Each is on the disk before the next kind.
pub(crate) fn put_in_place(hand: &Hand<'_>, record: &Record) -> Result<()> {
    let own = |entry: &&Entry| paths::is_state(&entry.path);
    let model: Vec<&Entry> = record.entries.iter().filter(|e| !own(e)).collect();
    for entry in &model {
        put(hand, entry)?;
    }
    sync(hand, model.iter().map(|e| &e.path))?;
    for entry in &model {
        hand.read_back(&entry.path, entry.new.as_ref())?;
    }
    for entry in record.entries.iter().filter(own) {
        put(hand, entry)?;
        hand.sync_beside(&entry.path)?;
    }
    Ok(())
}

fn put(hand: &Hand<'_>, entry: &Entry) -> Result<()> {
    if standing(hand, entry)?.done {
        return Ok(());
    }
    let displaced = match (entry.old, entry.new) {
        (None, Some(_)) => return hand.place(&entry.stage, &entry.path),
        (Some(old), Some(_)) => {
            hand.exchange(&entry.stage, &entry.path)?;
            old
        }
        (Some(old), None) => {
            hand.place(&entry.path, &entry.stage)?;
            old
        }
        (None, None) => return Ok(()),
    };
    // What went out must be what the plan saw, whoever wrote meanwhile.
    if hand.holding(&entry.stage)? == Held::File(displaced) {
        Ok(())
    } else {
        Err(Error::Raced {
            host: hand.tree.host.clone(),
            path: entry.path.clone(),
        })
    }
}

/// Brings every entry back to its old state, last first, and removes what was
/// staged. The record's phase must say so before.
pub(crate) fn put_back(hand: &Hand<'_>, record: &Record) -> Result<()> {
    for entry in record.entries.iter().rev() {
        let (path, stage) = (hand.holding(&entry.path)?, hand.holding(&entry.stage)?);
        match (entry.old, entry.new) {
            (None, Some(new)) => {
                if path == Held::File(new) && stage == Held::Nothing {
                    hand.place(&entry.path, &entry.stage)?;
                }
            }
            (Some(_), Some(new)) => {
                if stage != Held::Nothing && stage != Held::File(new) {
                    if path == Held::Nothing {
                        hand.place(&entry.stage, &entry.path)?;
                    } else {
                        hand.exchange(&entry.stage, &entry.path)?;
                    }
                }
            }
            (Some(_), None) => {
                if stage != Held::Nothing {
                    hand.place(&entry.stage, &entry.path)?;
                }
            }
            (None, None) => {}
        }
    }
    sync(hand, record.entries.iter().map(|e| &e.path))
}

/// Removes every stage, the directories given, and then the record.
pub(crate) fn sweep(
    hand: &Hand<'_>,
    record: &Record,
    phase: Phase,
    directories: impl Iterator<Item = HostPath>,
) -> Result<()> {
    for entry in &record.entries {
        hand.unlink(&entry.stage)?;
    }
    sync(hand, record.entries.iter().map(|e| &e.path))?;
    for directory in directories {
        hand.remove_directory(&directory)?;
    }
    hand.unlink(&paths::draft())?;
    hand.unlink(&phase.path())?;
    hand.sync_beside(&phase.path())
}

/// Brings the directories that hold some paths to the disk, each once; one that
/// is not there has nothing to bring.
fn sync<'a>(hand: &Hand<'_>, paths: impl Iterator<Item = &'a HostPath>) -> Result<()> {
    let mut seen = BTreeSet::new();
    for path in paths {
        let parent = crate::tree::parent(path);
        let there = match &parent {
            Some(parent) => hand.tree.kind(parent)?.is_some(),
            None => true,
        };
        if there && seen.insert(parent) {
            hand.sync_beside(path)?;
        }
    }
    Ok(())
}
