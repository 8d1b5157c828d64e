//! Loops whose turns do not need each other, on all cores.
//!
//! Evaluation has no effects, so turns may run in any order, twice, or in vain. The first
//! turns of a loop run as ever; if the rest promises to be long, it is cut into parts, and
//! each part is run by a machine of its own from a copy of the frame. What the parts give,
//! and the steps that they take, are those of the turns one after the other. Should a part
//! not end well (a refusal, a `return` out of the loop, a limit), all of them are thrown
//! away and the turns run as ever, so that what is said of them does not depend on cores.
//!
//! Lists of many `data` items, too: each item has limits of its own and is kept, so it may
//! as well be evaluated before its turn.

use crate::code::Turns;
use crate::heap::Lender;
use crate::list::List;
use crate::machine::{Budget, Entry, Frame, Loop, Machine};
use crate::operations::{Answer, Operations, Request};
use crate::recall::{CallKey, Left, Spent};
use crate::refusal::Step;
use crate::value::Value;
use dag_analysis::core::DeclRef;
use rayon::prelude::*;
use rustc_hash::FxHashSet;

/// Turns that are run to see how long one takes.
const TRIED: u32 = 16;

/// Steps of a turn from which on its calls are recalled: in fewer they are as soon made.
const RECALLED: u64 = 64;

/// A list of fewer `data` items is not looked at.
pub(crate) const FEW: usize = 16;

/// What a `data` item is taken to be worth before it is known, in steps: it is compiled, too.
const DATUM: u64 = 256;

/// Parts for each core, so that a core whose parts are short has others to take.
const PARTS: usize = 4;

/// For whom a machine works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// For whoever asked, with all cores.
    Leader,
    /// For whoever asked, with one core: the others have work.
    Alone,
    /// For another machine, which gave it turns of a loop, its outermost one.
    Part,
}

impl Role {
    /// On a thread of a pool somebody else shares out the work.
    pub(crate) fn of_this_thread() -> Self {
        match rayon::current_thread_index() {
            None => Role::Leader,
            Some(_) => Role::Alone,
        }
    }
}

/// How far a loop is from the question whether its turns are shared.
pub(crate) struct Trial {
    /// Turns to go, the one that asks included; none if nobody asks.
    turns: u32,
    /// Steps that were left when it began.
    fuel: u64,
}

impl Trial {
    /// Counts a turn. Whether the question is due now.
    pub(crate) fn is_over(&mut self) -> bool {
        if self.turns == 0 {
            return false;
        }
        self.turns -= 1;
        self.turns == 0
    }
}

/// The calls of a part's turns, which are recalled if a turn is long.
#[derive(Default)]
pub(crate) struct Calls {
    pub(crate) are_recalled: bool,
    /// The one under way, and the steps and room that were spent when it began.
    under_way: Option<(CallKey, Spent)>,
    /// What they came to, as a batch.
    new: Vec<u8>,
}

/// What a part of a loop gives.
struct Part {
    result: Vec<Value>,
    keys: Vec<Value>,
    steps: u64,
    calls: Vec<u8>,
    /// What it built.
    bytes: u64,
}

/// A part asks nothing of the outside: what is asked has an order.
struct Nobody;

impl Operations for Nobody {
    fn perform(&self, _: &Request) -> Answer {
        Answer::Refused("turns of a loop that are shared ask nothing of the outside".to_owned())
    }
}

impl<'e> Machine<'e> {
    /// The trial of a loop over that many items.
    pub(crate) fn trial(&self, turns: Turns, items: usize) -> Trial {
        let asks = turns.independent && self.role == Role::Leader && items > TRIED as usize;
        Trial {
            turns: if asks { TRIED + 1 } else { 0 },
            fuel: self.fuel,
        }
    }

    /// Whether the turns that this machine was given are done.
    pub(crate) fn ends_here(&self) -> bool {
        self.role == Role::Part && self.loops.len() == 1
    }

    /// Runs what is left of the innermost loop on all cores, if that is worth it and goes
    /// well: then no turn is left. The machine is about to take the next item.
    pub(crate) fn share(&mut self) {
        let Some(turn) = self.loops.last_mut() else {
            return;
        };
        let left = turn.items.left();
        let one = (turn.trial.fuel - self.fuel) / u64::from(TRIED);
        let recalled = one >= RECALLED && self.evaluator.recall().is_some();
        let alone = rayon::current_num_threads() == 1 && !recalled;
        if alone || one * (left as u64) < self.limits.shared_steps {
            return;
        }
        // It stands where it stood if the turns run in order: what is alive does not
        // depend on cores.
        let before = turn.items.clone();
        let items: Vec<Value> = std::iter::from_fn(|| turn.items.next()).collect();
        let keeping = turn.keeping;
        match self.parts(&items, keeping, recalled) {
            Some(parts) => {
                self.evaluator.has_shared_a_loop();
                self.fuel -= parts.iter().map(|part| part.steps).sum::<u64>();
                // Not more than was lent, and so no more than there is.
                self.room -= parts.iter().map(|part| part.bytes).sum::<u64>();
                if let Some(turn) = self.loops.last_mut() {
                    for part in parts {
                        turn.result.extend(part.result);
                        turn.keys.extend(part.keys);
                        if let Some(recall) = self.evaluator.recall() {
                            recall.keep_calls(&part.calls);
                        }
                    }
                }
            }
            None => {
                if let Some(turn) = self.loops.last_mut() {
                    turn.items = before;
                }
            }
        }
    }

    /// Evaluates the `data` items of a list that is about to be built on all cores, if they
    /// are many. Refusals are not kept: who reads the items in their order comes to the
    /// first one, with the calls that led to it.
    pub(crate) fn share_data(&self, ahead: u32) {
        if self.role != Role::Leader || rayon::current_num_threads() == 1 {
            return;
        }
        let evaluator = self.evaluator;
        let all = self.frame.code.ahead.get(ahead as usize);
        let all = all.into_iter().flatten().copied();
        let new: Vec<DeclRef> = all.filter(|decl| !evaluator.has(*decl)).collect();
        if (new.len() as u64).saturating_mul(DATUM) < self.limits.shared_steps {
            return;
        }
        let running = &self.running;
        let run = |decl: &DeclRef| {
            // What is recalled is read here, too.
            if evaluator.kept(*decl).is_some() || running.contains(decl) {
                return Some(());
            }
            let entry = Entry::Data(evaluator.unit(*decl)?);
            let mut machine = Machine::at(evaluator, entry, &Nobody)?;
            machine.running.extend(running);
            machine.execute().is_ok().then_some(())
        };
        if new.par_iter().try_for_each(run).is_some() {
            evaluator.has_shared_data();
        }
    }

    /// What the items give, cut into parts in their order; none if that is more than the
    /// limits allow or a part does not end well.
    fn parts(&self, items: &[Value], keeping: bool, recalled: bool) -> Option<Vec<Part>> {
        let base = self.frame.base as usize;
        let slots = self.stack.get(base..)?;
        let below = Budget {
            owner: self.budget.owner,
            frames: self.budget.frames - self.frames.len().cast_signed(),
            values: self.budget.values - base.cast_signed(),
            loops: 0,
        };
        let lender = Lender::of(self.room);
        let size = items.len().div_ceil(rayon::current_num_threads() * PARTS);
        let (evaluator, limits, fuel) = (self.evaluator, self.limits, self.fuel);
        let running: &FxHashSet<_> = &self.running;
        let code = self.frame.code;
        let head = self.frame.pc.checked_sub(1)?;
        let run = |items: &[Value]| {
            let trial = Trial { turns: 0, fuel };
            let items: List = items.to_vec().into();
            let mut machine = Machine {
                evaluator,
                limits,
                operations: &Nobody,
                stack: slots.to_vec(),
                frames: Vec::new(),
                frame: Frame {
                    code,
                    pc: head,
                    base: 0,
                    applied: false,
                    data: false,
                    recalled: false,
                },
                loops: vec![Loop::over(items, keeping, trial)],
                fuel,
                room: 0,
                lender: Some(lender.clone()),
                borrowed: 0,
                budget: below,
                waiting: Vec::new(),
                running: running.clone(),
                role: Role::Part,
                calls: Calls {
                    are_recalled: recalled,
                    ..Calls::default()
                },
            };
            machine.execute().ok()?;
            let Loop { result, keys, .. } = machine.loops.pop()?;
            Some(Part {
                result,
                keys,
                // The step that finds no further item is the loop's own.
                steps: fuel - machine.fuel - 1,
                calls: machine.calls.new,
                bytes: machine.borrowed - machine.room,
            })
        };
        let parts: Option<Vec<Part>> = items.par_chunks(size).map(run).collect();
        let parts = parts?;
        let steps: u64 = parts.iter().map(|part| part.steps).sum();
        let gathered = self.loops.last()?.result.len();
        let len = gathered + parts.iter().map(|part| part.result.len()).sum::<usize>();
        (steps <= self.fuel && len <= self.limits.list_items).then_some(parts)
    }

    /// Takes the outcome of a call from earlier runs, if it is one of a turn's own calls and
    /// is found there; if not, whoever makes it next leaves its outcome.
    pub(crate) fn recall_call(&mut self, decl: DeclRef) -> Step<bool> {
        let Some(recall) = self.evaluator.recall().filter(|_| self.frames.is_empty()) else {
            return Ok(false);
        };
        let params = self.evaluator.code(decl, 0)?.params as usize;
        let base = self.stack.len().saturating_sub(params);
        let Some(call) = recall.call(decl, self.stack.get(base..).unwrap_or_default()) else {
            return Ok(false);
        };
        match recall.outcome_of(call, self.left()) {
            Some((value, spent)) => {
                self.allocate(usize::try_from(spent.bytes).unwrap_or(usize::MAX))?;
                self.fuel -= spent.steps;
                self.stack.truncate(base);
                self.stack.push(value);
            }
            None => {
                self.calls.under_way = Some((call, self.spent_so_far()));
                self.call(decl)?;
                self.frame.recalled = true;
            }
        }
        Ok(true)
    }

    /// What a part has spent; its room is all borrowed.
    fn spent_so_far(&self) -> Spent {
        Spent {
            steps: self.limits.steps - self.fuel,
            bytes: self.borrowed - self.room,
        }
    }

    fn left(&self) -> Left {
        let calls = self.frames.len().cast_signed() - self.budget.frames;
        let values = self.stack.len().cast_signed() - self.budget.values;
        let of = |limit: usize, taken: isize| (limit.cast_signed() - taken).max(0) as u64;
        Left {
            steps: self.fuel,
            calls: of(self.limits.calls, calls),
            values: of(self.limits.stack_values, values),
        }
    }

    /// Leaves the outcome of the call that was to be recalled.
    pub(crate) fn has_called(&mut self, value: &Value) {
        if let Some((call, before)) = self.calls.under_way.take()
            && let Some(recall) = self.evaluator.recall()
        {
            let now = self.spent_so_far();
            let spent = Spent {
                steps: now.steps - before.steps,
                bytes: now.bytes - before.bytes,
            };
            recall.keep_call(call, spent, value, &mut self.calls.new);
        }
    }
}
