//! What a check did, counted: the same for the same texts and the same past on every
//! machine, so that a test can hold it.

use std::sync::atomic::{AtomicU64, Ordering};

/// How much work a check was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Texts that were parsed to be checked.
    pub parsed: u64,
    /// Modules that were checked.
    pub checked: u64,
    /// Steps of those checks: expressions made and walked again, types compared, rows of
    /// matches looked at, names held against a mistaken one. What a check costs beside
    /// this grows with the text alone.
    pub steps: u64,
    /// Modules that an earlier run had checked and that were not looked into.
    pub kept: u64,
    /// Of those: modules that were read back, because a check or an evaluation asked
    /// for them.
    pub restored: u64,
}

/// The same, while threads count.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) parsed: AtomicU64,
    pub(crate) checked: AtomicU64,
    pub(crate) steps: AtomicU64,
    pub(crate) kept: AtomicU64,
    pub(crate) restored: AtomicU64,
}

impl Counters {
    pub(crate) fn add(counter: &AtomicU64, by: u64) {
        counter.fetch_add(by, Ordering::Relaxed);
    }

    pub(crate) fn total(&self) -> Work {
        let of = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Work {
            parsed: of(&self.parsed),
            checked: of(&self.checked),
            steps: of(&self.steps),
            kept: of(&self.kept),
            restored: of(&self.restored),
        }
    }
}
