//! Whether calls that tell how their arguments become smaller end.
//!
//! Descent is proved by size change (C. S. Lee, N. D. Jones, A. M. Ben-Amram,
//! "The size-change principle for program termination", POPL 2001): every loop that calls
//! can form must make one parameter smaller for ever, which no finite value allows.

use crate::components::components;
use crate::core::ExprId;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeSet;

/// How large a value is, held against a parameter of the function at hand. A
/// structure is larger than its parts; a number is larger than another that has
/// a lower bound to stay above.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Size {
    /// At most as large.
    AtMost,
    /// A part of it, or a smaller number.
    Part,
}

/// How large an argument is: held against which parameter of the caller.
pub(crate) type Relation = Option<(u32, Size)>;

/// A call inside a module, or several in a row.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) from: u32,
    pub(crate) to: u32,
    /// Of each argument: which of the caller's parameters it is held against.
    pub(crate) arcs: Vec<Relation>,
    /// The call that starts it.
    pub(crate) call: ExprId,
}

/// More combinations than this are not followed: the recursion is refused.
const MOST_CHANGES: usize = 4_000;

/// Why calls are not known to end; the call to report.
pub(crate) enum Endless {
    /// They form a loop in which nothing becomes smaller.
    Loop(ExprId),
    /// They combine in too many ways to tell.
    TooMany(ExprId),
}

/// Whether every loop that calls can form makes something smaller.
pub(crate) fn endless(calls: &[Change]) -> Result<(), Endless> {
    if descends(calls) {
        return Ok(());
    }
    match combined(calls) {
        // What is plain is said plainly.
        Err(Endless::TooMany(call)) => match standing(calls) {
            Some(call) => Err(Endless::Loop(call)),
            None => Err(Endless::TooMany(call)),
        },
        decided => decided,
    }
}

/// Whether the calls end for this reason: of each function there is a parameter that no
/// call makes larger, and the calls that do not make it smaller end for the same reason
/// among themselves. It finds what is usual, however many functions there are.
fn descends(calls: &[Change]) -> bool {
    let mut work = 64 * calls.len() + 4096;
    let mut todo: Vec<Vec<&Change>> = vec![calls.iter().collect()];
    while let Some(calls) = todo.pop() {
        let Some(first) = calls.first() else { continue };
        let mut by_caller: FxHashMap<u32, Vec<&Change>> = FxHashMap::default();
        for call in &calls {
            by_caller.entry(call.from).or_default().push(call);
        }
        let sources = calls.iter().filter(|call| call.from == first.from);
        let arcs = sources.flat_map(|call| call.arcs.iter().flatten());
        let candidates: BTreeSet<u32> = arcs.map(|(param, _)| *param).collect();
        let rest = candidates.into_iter().find_map(|param| {
            work = work.checked_sub(calls.len())?;
            let places = carried(first.from, param, &by_caller)?;
            let stays = |call: &&&Change| smaller(call, &places) == Some(false);
            let rest: Vec<&Change> = calls.iter().filter(stays).copied().collect();
            (rest.len() < calls.len()).then_some(rest)
        });
        match rest {
            Some(rest) => todo.extend(loops(rest)),
            None => return false,
        }
    }
    true
}

/// Of each function that a value comes to, if it starts in a parameter of one: the
/// parameter that holds it, or a part of it, at every call. None if some call hands on
/// neither.
fn carried(
    from: u32,
    param: u32,
    by_caller: &FxHashMap<u32, Vec<&Change>>,
) -> Option<FxHashMap<u32, u32>> {
    let mut places = FxHashMap::from_iter([(from, param)]);
    let mut todo = vec![from];
    while let Some(caller) = todo.pop() {
        for call in by_caller.get(&caller).into_iter().flatten() {
            if places.contains_key(&call.to) {
                smaller(call, &places)?;
                continue;
            }
            let param = places.get(&caller)?;
            let holds = |size| {
                call.arcs
                    .iter()
                    .position(|arc| *arc == Some((*param, size)))
            };
            let place = holds(Size::Part).or_else(|| holds(Size::AtMost))?;
            places.insert(call.to, place as u32);
            todo.push(call.to);
        }
    }
    Some(places)
}

/// Whether a call hands on a smaller value from place to place; none if it does not hand
/// on the value.
fn smaller(call: &Change, places: &FxHashMap<u32, u32>) -> Option<bool> {
    let (from, to) = (places.get(&call.from)?, places.get(&call.to)?);
    let (param, size) = (*call.arcs.get(*to as usize)?)?;
    (param == *from).then_some(size == Size::Part)
}

/// The calls that can come round again, parted by the functions that they go round.
fn loops(calls: Vec<&Change>) -> Vec<Vec<&Change>> {
    let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
    let mut next: Vec<Vec<u32>> = Vec::new();
    let mut number = |decl: u32, next: &mut Vec<Vec<u32>>| {
        *numbers.entry(decl).or_insert_with(|| {
            next.push(Vec::new());
            next.len() as u32 - 1
        })
    };
    for call in &calls {
        let (from, to) = (number(call.from, &mut next), number(call.to, &mut next));
        next[from as usize].push(to);
    }
    let groups = components(&next);
    let mut group_of: Vec<Option<usize>> = vec![None; next.len()];
    for (index, group) in groups.iter().enumerate() {
        for node in group {
            group_of[*node as usize] = Some(index);
        }
    }
    let mut parted = vec![Vec::new(); groups.len()];
    for call in calls {
        let ends = [call.from, call.to].map(|decl| group_of[numbers[&decl] as usize]);
        if let [Some(from), Some(to)] = ends
            && from == to
        {
            parted[from].push(call);
        }
    }
    parted
}

/// A call of a loop in which no call makes anything smaller.
fn standing(calls: &[Change]) -> Option<ExprId> {
    let makes_none = |call: &&Change| !call.arcs.iter().flatten().any(|arc| arc.1 == Size::Part);
    let stand = loops(calls.iter().filter(makes_none).collect());
    stand.first()?.first().map(|call| call.call)
}

/// The same for every way in which the calls can follow each other, while these are few.
fn combined(calls: &[Change]) -> Result<(), Endless> {
    let mut by_caller: FxHashMap<u32, Vec<&Change>> = FxHashMap::default();
    for call in calls {
        by_caller.entry(call.from).or_default().push(call);
    }
    let mut known: FxHashSet<(u32, u32, Vec<Relation>)> = FxHashSet::default();
    let mut todo: Vec<Change> = calls.to_vec();
    while let Some(change) = todo.pop() {
        if !known.insert((change.from, change.to, change.arcs.clone())) {
            continue;
        }
        if known.len() > MOST_CHANGES {
            return Err(Endless::TooMany(change.call));
        }
        // A loop that is its own square stands for one that goes on for ever.
        if change.from == change.to
            && compose(&change, &change).arcs == change.arcs
            && !has_descent(&change)
        {
            return Err(Endless::Loop(change.call));
        }
        for call in by_caller.get(&change.to).into_iter().flatten() {
            todo.push(compose(&change, call));
        }
    }
    Ok(())
}

fn has_descent(change: &Change) -> bool {
    let arcs = change.arcs.iter().enumerate();
    let mut smaller = arcs.filter(|(arg, arc)| **arc == Some((*arg as u32, Size::Part)));
    smaller.next().is_some()
}

/// Two calls in a row.
fn compose(first: &Change, second: &Change) -> Change {
    let through = |arc: &Relation| {
        let (middle, size) = (*arc)?;
        let (from, so_far) = first.arcs.get(middle as usize).copied().flatten()?;
        Some((from, so_far.max(size)))
    };
    Change {
        from: first.from,
        to: second.to,
        arcs: second.arcs.iter().map(through).collect(),
        call: first.call,
    }
}
