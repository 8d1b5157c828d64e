//! Bringing a tree to what a plan says, all of it or nothing, whatever happens
//! on the way.

use crate::apply::Visit;
use crate::commit;
use crate::error::{Error, Result};
use crate::hand::{Hand, Held};
use crate::identity;
use crate::lock::{self, Lock};
use crate::paths;
use crate::plan::PlannedHost;
use crate::record::{self, Phase, Record};
use crate::report::{Applied, Outcome, PendingEffect, Recovery};
use crate::snapshot::{Found, Snapshot};
use crate::stage::{self, Staged};
use crate::state;
use crate::step::Steps;
use crate::tree::Tree;
use hayward_model::{Digest, Effect, HostPath};

/// Applies a host's plan to its tree.
pub(crate) fn converge(
    tree: &Tree,
    visit: &Visit<'_>,
    plan: &PlannedHost,
    steps: &dyn Steps,
) -> Outcome {
    let hand = Hand::new(tree, steps);
    match prepare(&hand, visit, plan) {
        Ok(Prepared::Ended(outcome)) => outcome,
        Ok(Prepared::Ready(ready)) => carry_out(&hand, plan, &ready),
        Err(error) => Outcome::Refused { error },
    }
}

/// Finishes or undoes an interrupted apply of a tree.
pub(crate) fn recover(tree: &Tree, steps: &dyn Steps) -> Result<Recovery> {
    identity::identify(tree)?;
    let hand = Hand::new(tree, steps);
    let (recovered, _lock) = take_over(&hand)?;
    Ok(recovered.map_or(Recovery::NothingInterrupted, |(recovery, _)| recovery))
}

/// What an interrupted apply came to, and which plan it was applying.
type Recovered = Option<(Recovery, Digest)>;

/// Takes the lock, if it is there or needed, and ends an interrupted apply.
fn take_over(hand: &Hand<'_>) -> Result<(Recovered, Option<Lock>)> {
    let held = lock::take(hand.tree)?;
    if record::find(hand.tree)?.is_none() {
        return Ok((None, held));
    }
    let held = match held {
        Some(lock) => lock,
        None => lock::make(hand)?.0,
    };
    let recovered = recover_locked(hand)?;
    // What was undone may have taken the lock's file with it.
    drop(held);
    Ok((recovered, lock::take(hand.tree)?))
}

/// What was found when everything was checked.
enum Prepared {
    Ended(Outcome),
    Ready(Ready),
}

/// All is checked, and the lock is held.
struct Ready {
    staged: Staged,
    _lock: Lock,
}

fn prepare(hand: &Hand<'_>, visit: &Visit<'_>, plan: &PlannedHost) -> Result<Prepared> {
    let tree = hand.tree;
    identity::identify(tree)?;
    let (recovered, held) = take_over(hand)?;
    if let Some((
        Recovery::Finished {
            generation,
            changed,
        },
        done,
    )) = recovered
        && done == visit.plan
    {
        return Ok(Prepared::Ended(Outcome::Applied(Applied {
            generation,
            changed,
            recovered: true,
            effects: effects(plan),
            leftover: None,
        })));
    }
    let snapshot = compare(tree, visit, plan)?;
    if plan.changes() == 0 {
        let generation = snapshot.state.number();
        return Ok(Prepared::Ended(Outcome::NothingToDo { generation }));
    }
    let (lock, home) = match held {
        Some(lock) => (lock, Vec::new()),
        None => lock::make(hand)?,
    };
    // Before the lock was held, another apply may have come and gone.
    let ready = compare(tree, visit, plan)
        .and_then(|snapshot| stage::draw_up(tree, visit, plan, &snapshot, home.clone()));
    match ready {
        Ok(staged) => Ok(Prepared::Ready(Ready {
            staged,
            _lock: lock,
        })),
        Err(error) => {
            lock::forget(hand, &home);
            Err(error)
        }
    }
}

/// Reads the host again and refuses it if it is not as the plan saw it.
fn compare(tree: &Tree, visit: &Visit<'_>, plan: &PlannedHost) -> Result<Snapshot> {
    let stale = |reason: String| Error::Stale {
        host: tree.host.clone(),
        reason,
    };
    let snapshot = Snapshot::read(tree, plan.paths.iter().map(|p| &p.path))?;
    snapshot.state.belongs_to(&tree.host, visit.fleet)?;
    let or_none = |id: &Option<String>| id.clone().unwrap_or_else(|| "(none)".to_owned());
    for (what, planned, now) in [
        (
            "machine id",
            &plan.machine_id,
            &snapshot.identity.machine_id,
        ),
        ("boot id", &plan.boot_id, &snapshot.identity.boot_id),
    ] {
        if planned != now {
            let (planned, now) = (or_none(planned), or_none(now));
            return Err(stale(format!("its {what} was {planned} and is {now}")));
        }
    }
    if let Some(generation) = &snapshot.state.generation
        && generation.plan == visit.plan
    {
        let number = generation.number;
        return Err(stale(format!(
            "it was applied already, as generation {number}"
        )));
    }
    let number = snapshot.state.number();
    if number != plan.generation {
        let planned = plan.generation;
        return Err(stale(format!(
            "the host was in generation {planned} and is in {number}"
        )));
    }
    for planned in &plan.paths {
        let now = snapshot.paths.get(&planned.path).map(Found::before);
        if now.as_ref() != Some(&planned.before) {
            return Err(stale(format!(
                "{} changed since the plan was made",
                planned.path
            )));
        }
    }
    if snapshot.fingerprint() != plan.baseline {
        return Err(stale(
            "what Hayward keeps there changed since the plan was made".to_owned(),
        ));
    }
    Ok(snapshot)
}

fn effects(plan: &PlannedHost) -> Vec<PendingEffect> {
    plan.paths
        .iter()
        .filter(|p| p.action.changes() && p.effect != Effect::None)
        .map(|p| PendingEffect {
            path: p.path.clone(),
            effect: p.effect,
        })
        .collect()
}

/// From the first byte written to the last one cleared away.
fn carry_out(hand: &Hand<'_>, plan: &PlannedHost, ready: &Ready) -> Outcome {
    let record = &ready.staged.record;
    let staged = stage::write(hand, &ready.staged);
    let turned = staged.and_then(|()| turn(hand, Phase::Staging, Phase::Journal));
    if let Err(error) = turned {
        return not_begun(hand, record, error);
    }
    let placed = commit::put_in_place(hand, record);
    // The generation decides, whatever failed around it.
    let error = |placed: Result<()>| placed.err().unwrap_or_else(|| unwritten(hand));
    match is_committed(hand, record) {
        // An error here means that the disk may not have it yet: what could bring
        // the old state back is kept, and the next contact looks again.
        Ok(true) => Outcome::Applied(Applied {
            generation: record.to,
            changed: record.changed,
            recovered: false,
            effects: effects(plan),
            leftover: placed.and_then(|()| clear_away(hand, record)).err(),
        }),
        Ok(false) => rolled_back(hand, record, error(placed)),
        Err(undoing) => Outcome::Failed {
            error: error(placed),
            undoing,
        },
    }
}

/// Clears away what was staged when not all of it could be, or when the record
/// could not turn into a journal. Nothing is in place.
fn not_begun(hand: &Hand<'_>, record: &Record, error: Error) -> Outcome {
    let cleared = match hand.tree.kind(&Phase::Journal.path()) {
        Ok(None) => undo_staging(hand, record),
        Ok(Some(_)) => leave(hand, record, Phase::Journal),
        Err(error) => Err(error),
    };
    match cleared {
        Ok(()) => Outcome::Refused { error },
        Err(undoing) => Outcome::Failed { error, undoing },
    }
}

fn unwritten(hand: &Hand<'_>) -> Error {
    Error::ReadBack {
        host: hand.tree.host.clone(),
        path: paths::generation(),
    }
}

fn rolled_back(hand: &Hand<'_>, record: &Record, error: Error) -> Outcome {
    // If the record cannot be renamed, an interrupted undoing is taken for an
    // interrupted apply: that too ends in the old state or in the new.
    let phase = match turn(hand, Phase::Journal, Phase::Undo) {
        Ok(()) => Phase::Undo,
        Err(_) => Phase::Journal,
    };
    match undo(hand, record, phase) {
        Ok(()) => Outcome::RolledBack { error },
        Err(undoing) => Outcome::Failed { error, undoing },
    }
}

/// Turns from one phase to another, on the disk.
fn turn(hand: &Hand<'_>, from: Phase, to: Phase) -> Result<()> {
    hand.replace(&from.path(), &to.path())?;
    hand.sync_beside(&to.path())
}

/// Whether the new generation stands: from then on the new state is the state.
fn is_committed(hand: &Hand<'_>, record: &Record) -> Result<bool> {
    let Some(last) = record.last() else {
        return Ok(false);
    };
    Ok(hand.holding(&last.path)? == last.new.map_or(Held::Nothing, Held::File))
}

/// Clears away what a finished apply leaves: the old bytes and the record.
fn clear_away(hand: &Hand<'_>, record: &Record) -> Result<()> {
    // What is removed now must not come back without its new generation.
    hand.sync_beside(&paths::generation())?;
    commit::sweep(hand, record, Phase::Journal, record.prune.iter().cloned())
}

/// Brings the old state back and clears away what was staged.
fn undo(hand: &Hand<'_>, record: &Record, phase: Phase) -> Result<()> {
    refuse_torn(hand, record)?;
    commit::put_back(hand, record)?;
    leave(hand, record, phase)
}

fn refuse_torn(hand: &Hand<'_>, record: &Record) -> Result<()> {
    match commit::can_undo(hand, record)? {
        None => Ok(()),
        Some(path) => Err(Error::Torn {
            host: hand.tree.host.clone(),
            path,
        }),
    }
}

/// Clears away what was staged; nothing is in place.
fn undo_staging(hand: &Hand<'_>, record: &Record) -> Result<()> {
    hand.unlink(&paths::draft())?;
    leave(hand, record, Phase::Staging)
}

fn leave(hand: &Hand<'_>, record: &Record, phase: Phase) -> Result<()> {
    let made: Vec<HostPath> = record.made.iter().rev().cloned().collect();
    commit::sweep(hand, record, phase, made.into_iter())?;
    lock::forget(hand, &record.home);
    Ok(())
}

/// Finishes or undoes an interrupted apply; the lock is held. Also gives the
/// plan that was being applied.
fn recover_locked(hand: &Hand<'_>) -> Result<Recovered> {
    let Some((phase, record)) = record::find(hand.tree)? else {
        return Ok(None);
    };
    let finished = Recovery::Finished {
        generation: record.to,
        changed: record.changed,
    };
    let recovery = match phase {
        Phase::Staging => {
            undo_staging(hand, &record)?;
            undone(hand)?
        }
        Phase::Undo => {
            undo(hand, &record, Phase::Undo)?;
            undone(hand)?
        }
        Phase::Journal if is_committed(hand, &record)? => {
            clear_away(hand, &record)?;
            finished
        }
        Phase::Journal => match commit::can_finish(hand, &record)? {
            Some(_) => {
                refuse_torn(hand, &record)?;
                turn(hand, Phase::Journal, Phase::Undo)?;
                undo(hand, &record, Phase::Undo)?;
                undone(hand)?
            }
            None => match commit::put_in_place(hand, &record) {
                Ok(()) => {
                    clear_away(hand, &record)?;
                    finished
                }
                Err(error) if is_committed(hand, &record)? => return Err(error),
                Err(_) => {
                    turn(hand, Phase::Journal, Phase::Undo)?;
                    undo(hand, &record, Phase::Undo)?;
                    undone(hand)?
                }
            },
        },
    };
    Ok(Some((recovery, record.plan)))
}

fn undone(hand: &Hand<'_>) -> Result<Recovery> {
    Ok(Recovery::Undone {
        generation: state::read(hand.tree)?.number(),
    })
}
