//! What became of each host.

use crate::error::Error;
use hayward_model::{Effect, HostName, HostPath};

/// What became of a host.
#[derive(Debug)]
pub struct HostReport {
    /// The host.
    pub host: HostName,
    /// What became of it.
    pub outcome: Outcome,
}

/// How an apply ended on a host.
#[derive(Debug)]
pub enum Outcome {
    /// It is in the new state, read back there.
    Applied(Applied),
    /// It was in the planned state already; nothing was written, not even a
    /// time stamp.
    NothingToDo {
        /// The generation that it is in.
        generation: u64,
    },
    /// It was not touched: nothing of the model was written there.
    Refused {
        /// Why.
        error: Error,
    },
    /// The apply failed half-way, and the host is in its old state again.
    RolledBack {
        /// Why.
        error: Error,
    },
    /// The apply failed half-way and could not be undone: `recover`, or the
    /// next apply, will finish it or undo it.
    Failed {
        /// Why the apply failed.
        error: Error,
        /// Why it could not be undone.
        undoing: Error,
    },
}

/// A host in its new state.
#[derive(Debug)]
pub struct Applied {
    /// The generation that it is in now.
    pub generation: u64,
    /// How many paths changed, or changed their owner.
    pub changed: usize,
    /// Whether the apply had been interrupted and was finished now.
    pub recovered: bool,
    /// What the changes ask of a service manager. A directory tree has none:
    /// each takes effect at the next boot of the tree.
    pub effects: Vec<PendingEffect>,
    /// Why the old bytes could not all be cleared away, if so: the next apply
    /// or `recover` will.
    pub leftover: Option<Error>,
}

/// A change that takes effect at the next boot of its tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PendingEffect {
    /// The path that changed.
    pub path: HostPath,
    /// What a running manager would be asked for; never [`Effect::None`].
    pub effect: Effect,
}

/// What recovering a host came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Recovery {
    /// No apply had been interrupted there; nothing was written.
    NothingInterrupted,
    /// The interrupted apply was finished: this is the host's generation now.
    Finished {
        /// The generation.
        generation: u64,
        /// How many paths it changed.
        changed: usize,
    },
    /// The interrupted apply was undone: this is the host's generation still.
    Undone {
        /// The generation.
        generation: u64,
    },
}
