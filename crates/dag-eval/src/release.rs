//! Letting go of deep values without recursion: a container that is dropped
//! hands its children to a queue of its thread, and the outermost drop empties
//! that queue in a loop.

use crate::value::Value;
use std::cell::RefCell;

struct Pending {
    /// Whether a drop further out is already emptying the queue.
    draining: bool,
    queue: Vec<Value>,
}

thread_local! {
    static PENDING: RefCell<Pending> = const {
        RefCell::new(Pending { draining: false, queue: Vec::new() })
    };
}

/// A queue that grew larger than this is given back once it is empty.
const KEPT: usize = 1 << 12;

/// Drops the values of a container that goes away.
pub(crate) fn release(values: Vec<Value>) {
    // Shallow values go at once; only those that hold others can recurse.
    let mut deep = values.into_iter().filter(Value::holds_values).peekable();
    if deep.peek().is_none() {
        return;
    }
    let outermost = PENDING.try_with(|pending| {
        let mut pending = pending.borrow_mut();
        pending.queue.extend(deep);
        !std::mem::replace(&mut pending.draining, true)
    });
    if outermost != Ok(true) {
        return;
    }
    // The borrow ends before each value is dropped: its drop comes back here.
    while let Some(value) = PENDING.with(|pending| pending.borrow_mut().queue.pop()) {
        drop(value);
    }
    PENDING.with(|pending| {
        let mut pending = pending.borrow_mut();
        pending.draining = false;
        if pending.queue.capacity() > KEPT {
            pending.queue = Vec::new();
        }
    });
}
