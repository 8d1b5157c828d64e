//! What earlier runs kept.

use dag_analysis::{Digest, Keep};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Keeps checked modules in memory, as long as it lives.
#[derive(Debug, Default)]
pub struct Memory(Mutex<HashMap<Digest, Vec<u8>>>);

impl Memory {
    /// What is kept, to be looked at, damaged or lost.
    pub fn modules(&self) -> MutexGuard<'_, HashMap<Digest, Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Keep for Memory {
    fn module(&self, key: &Digest) -> Option<Vec<u8>> {
        self.modules().get(key).cloned()
    }

    fn keep(&self, key: Digest, module: Vec<u8>) {
        self.modules().insert(key, module);
    }
}
