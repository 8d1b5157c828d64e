//! What values weigh, and what of them is alive.
//!
//! What an operation builds is charged before it is built, as if it shared and reused
//! nothing: what is shared depends on who else holds a value. When that much was charged
//! as there was room for, the values that the machine still holds are weighed, each once;
//! the rest of the limit is the new room. So the limit holds of what is alive, the weight
//! is the same whoever evaluated first, and a long evaluation may build far more than it
//! keeps.

use crate::list::Node;
use crate::machine::{Loop, Machine};
use crate::refusal::{Fault, Step, too_large};
use crate::sharing::Role;
use crate::value::Value;
use rustc_hash::FxHashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes of a value where it stands.
const VALUE: usize = size_of::<Value>();

/// Bytes of an allocation besides what it holds: its counts and the allocator's own.
const ALLOCATION: usize = 32;

/// Bytes of a list's branch, and of a leaf beside the allocation with its items.
const NODE: usize = ALLOCATION + 32;

/// Bytes of a leaf without its items.
const LEAF_ALONE: usize = NODE + ALLOCATION;

/// Items of a full leaf.
const LEAF: usize = 64;

/// A collected item, in a list that grows by doubling.
pub(crate) const COLLECTED: usize = 2 * VALUE;

/// Room that a part of a loop takes at once.
const BLOCK: u64 = 1 << 20;

/// Values that are weighed for one step.
const PER_STEP: u64 = 4;

/// A record, a variant or a lambda of so many values.
pub(crate) fn record(fields: usize) -> usize {
    2 * ALLOCATION + 32 + fields.saturating_mul(VALUE)
}

/// A text of so many bytes, which may have grown in place to half its size.
pub(crate) fn text(bytes: usize) -> usize {
    2 * ALLOCATION + 32 + bytes.saturating_mul(2)
}

/// A list of so many texts, of so many bytes together.
pub(crate) fn texts(count: usize, bytes: usize) -> usize {
    let each = count.saturating_mul(text(0) + COLLECTED);
    let copied = text(bytes);
    list(count).saturating_add(each).saturating_add(copied)
}

/// A list of so many items, without what they hold.
pub(crate) fn list(items: usize) -> usize {
    let leaves = items.div_ceil(LEAF).saturating_mul(LEAF_ALONE + NODE);
    leaves.saturating_add(items.saturating_mul(VALUE))
}

/// What of a list is copied to change it in one place: a leaf, or its halves, and the way
/// down, which is half as long again as in a tree that is filled.
pub(crate) fn edit(items: usize) -> usize {
    let way = (items / LEAF + 1).ilog2() as usize * 3 / 2 + 2;
    way * NODE + 2 * LEAF_ALONE + (items + 1).min(LEAF) * VALUE
}

/// What lies on the heap, each once, found from some values.
pub(crate) struct Alive<'v> {
    bytes: u64,
    /// Values looked at.
    looked_at: u64,
    seen: FxHashSet<usize>,
    todo: Vec<&'v Value>,
    nodes: Vec<&'v Arc<Node>>,
}

impl<'v> Alive<'v> {
    fn new() -> Self {
        Self {
            bytes: 0,
            looked_at: 0,
            seen: FxHashSet::default(),
            todo: Vec::new(),
            nodes: Vec::new(),
        }
    }

    /// Weighs what lies there, if it was not met yet.
    fn meets(&mut self, address: usize, bytes: usize) -> bool {
        let fresh = self.seen.insert(address);
        if fresh {
            self.bytes += bytes as u64;
        }
        fresh
    }

    /// Weighs values and all that they hold, until there is more than allowed.
    fn add(&mut self, values: impl IntoIterator<Item = &'v Value>, most: u64) {
        for value in values {
            self.bytes += VALUE as u64;
            self.todo.push(value);
            while self.bytes <= most {
                if let Some(value) = self.todo.pop() {
                    self.value(value);
                } else if let Some(node) = self.nodes.pop() {
                    self.node(node);
                } else {
                    break;
                }
            }
        }
    }

    fn value(&mut self, value: &'v Value) {
        self.looked_at += 1;
        match value {
            Value::Unit | Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Function(_) => {
            }
            Value::Str(held) => {
                self.meets(held.address(), text(held.len()));
            }
            Value::List(items) => self.nodes.extend(items.root()),
            Value::Set(set) => self.nodes.extend(set.items().root()),
            Value::Map(map) => {
                self.bytes += record(2) as u64;
                self.nodes.extend(map.keys().root());
                self.nodes.extend(map.values().root());
            }
            Value::Data(data) => {
                if self.meets(Arc::as_ptr(data).addr(), record(data.fields.len())) {
                    self.todo.extend(&data.fields);
                }
            }
            Value::Closure(closure) => {
                if self.meets(Arc::as_ptr(closure).addr(), record(closure.captures.len())) {
                    self.todo.extend(&closure.captures);
                }
            }
        }
    }

    fn node(&mut self, node: &'v Arc<Node>) {
        let items = node.items();
        if self.meets(Arc::as_ptr(node).addr(), LEAF_ALONE + items.len() * VALUE) {
            self.looked_at += items.len() as u64;
            self.nodes.extend(node.branches());
            self.todo.extend(items.iter().filter(|item| item.on_heap()));
        }
    }

    fn in_loop(&mut self, turn: &'v Loop, most: u64) {
        self.nodes.extend(turn.items.root());
        self.add([&turn.item], most);
        self.add(&turn.result, most);
        self.add(&turn.keys, most);
    }
}

/// Room that the parts of a loop have together.
#[derive(Clone)]
pub(crate) struct Lender(Arc<AtomicU64>);

impl Lender {
    pub(crate) fn of(room: u64) -> Self {
        Self(Arc::new(AtomicU64::new(room)))
    }

    fn lend(&self, bytes: u64) -> bool {
        let lend = |left: u64| left.checked_sub(bytes);
        self.0
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, lend)
            .is_ok()
    }
}

impl Machine<'_> {
    /// Takes room for what is about to be built.
    pub(crate) fn allocate(&mut self, bytes: usize) -> Step<()> {
        match self.room.checked_sub(bytes as u64) {
            Some(left) => {
                self.room = left;
                Ok(())
            }
            None => self.make_room(bytes as u64),
        }
    }

    #[cold]
    fn make_room(&mut self, bytes: u64) -> Step<()> {
        if self.role == Role::Part && self.waiting.is_empty() {
            return self.borrow_room(bytes);
        }
        let limit = self.limits.value_bytes as u64;
        let mut alive = Alive::new();
        let base = usize::try_from(self.budget.values).unwrap_or(0);
        alive.add(self.stack.get(base..).unwrap_or_default(), limit);
        for turn in self.loops.get(self.budget.loops..).unwrap_or_default() {
            alive.in_loop(turn, limit);
        }
        let (held, looked_at) = (alive.bytes, alive.looked_at);
        drop(alive);
        match self.fuel.checked_sub(looked_at / PER_STEP) {
            Some(left) => self.fuel = left,
            None => {
                self.fuel = 0;
                return Err(self.out_of_fuel());
            }
        }
        // Little room would be used up soon, and all be weighed again.
        let most = limit - limit / 4;
        match most.checked_sub(held.saturating_add(bytes)) {
            Some(_) => {
                self.room = limit - held - bytes;
                Ok(())
            }
            None => Err(self.too_heavy()),
        }
    }

    /// A part of a loop has its room from the machine that it works for. Where that is
    /// used up, the turns run in order.
    fn borrow_room(&mut self, bytes: u64) -> Step<()> {
        let more = (bytes - self.room).max(BLOCK);
        let lent = self.lender.as_ref().is_some_and(|l| l.lend(more));
        if !lent {
            return Err(self.too_heavy());
        }
        self.borrowed += more;
        self.room = self.room + more - bytes;
        Ok(())
    }

    fn too_heavy(&self) -> Box<Fault> {
        let name = self.evaluator.qualified_name(self.budget.owner);
        let what = format!("the size in bytes of all that `{name}` holds at once");
        too_large(&what, self.limits.value_bytes)
    }
}
