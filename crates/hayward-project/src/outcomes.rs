//! What evaluations came to, as it is kept: in batches, so that a run that finds little new
//! writes little, and one that finds much writes while it goes on.

use crate::kept::Keys;
use dag_analysis::core::{DeclRef, Program};
use dag_analysis::{Checked, Digest};
use dag_eval::{Evaluator, Outcome, Recollection, Refusal};
use hayward_store::{Kind, Store};
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

/// How many batches there are at most; then what is current is written anew.
const BATCHES: usize = 32;

/// Bytes of all of them.
const BYTES: usize = 32 << 20;

/// The outcomes of a project's `data` items and calls.
pub struct Outcomes {
    past: Arc<Recollection>,
    old: Batches,
    new: Arc<Mutex<Batches>>,
}

/// Batches in the store.
#[derive(Default)]
struct Batches {
    keys: Vec<Digest>,
    bytes: usize,
}

impl Batches {
    /// Puts one more, unless they get too large.
    fn put(&mut self, batch: Vec<u8>, store: &Store) {
        if self.bytes + batch.len() <= BYTES {
            let key = *blake3::hash(&batch).as_bytes();
            self.keys.push(key);
            self.bytes += batch.len();
            store.put_later(move || vec![(Kind::Batch, key, batch)]);
        }
    }
}

impl Outcomes {
    /// Those of earlier runs on this machine.
    #[must_use]
    pub fn of(project: &Keys, store: &Store) -> Self {
        let index = store.get(Kind::Outcomes, &project.here);
        let index: Option<Vec<Digest>> = index.and_then(|bytes| postcard::from_bytes(&bytes).ok());
        let mut keys = index.unwrap_or_default();
        let mut read = Vec::with_capacity(keys.len());
        keys.retain(|batch| match store.get(Kind::Batch, batch) {
            Some(bytes) => {
                read.push(bytes);
                true
            }
            None => false,
        });
        let bytes = read.iter().map(Vec::len).sum();
        let new = Arc::new(Mutex::new(Batches::default()));
        let past = Recollection::of(read).handing_over({
            let (new, store) = (Arc::clone(&new), store.clone());
            move |batch| {
                let mut new = new.lock().unwrap_or_else(PoisonError::into_inner);
                new.put(batch, &store);
            }
        });
        Self {
            past: Arc::new(past),
            old: Batches { keys, bytes },
            new,
        }
    }

    /// Evaluates a declaration, taking from here what is known. A refusal is one of an
    /// evaluation from nothing: what was read back shares no parts, and may weigh more.
    ///
    /// # Errors
    /// If the evaluation is refused.
    pub fn evaluate(
        &self,
        program: &Arc<Program>,
        checked: &Checked,
        decl: DeclRef,
    ) -> Result<Outcome, Refusal> {
        let reaches = checked.modules.iter().map(|module| module.implementation);
        let evaluator = Evaluator::new(Arc::clone(program));
        let evaluator = evaluator.recalling(Arc::clone(&self.past), reaches.collect());
        let outcome = evaluator.evaluate(decl);
        // The process ends soon, and gives all of it back at once.
        std::mem::forget(evaluator);
        outcome.or_else(|_| Evaluator::new(Arc::clone(program)).evaluate(decl))
    }

    /// Keeps what is new.
    pub fn put(mut self, project: &Keys, checked: &Checked, store: &Store) {
        let rest = self.past.take_fresh();
        let mut new = self.new.lock().unwrap_or_else(PoisonError::into_inner);
        let mut new = std::mem::take(&mut *new);
        if let Some(rest) = rest {
            new.put(rest, store);
        }
        if new.keys.is_empty() {
            return;
        }
        let all = self.old.keys.len() + new.keys.len();
        if all > BATCHES || self.old.bytes + new.bytes > BYTES {
            let current: HashSet<Digest> =
                checked.modules.iter().map(|m| m.implementation).collect();
            let old = self.past.current(|reach| current.contains(reach));
            // What is new is what the next run asks for: it goes first, if both are too much.
            self.old = Batches {
                bytes: new.bytes,
                keys: Vec::new(),
            };
            for batch in old {
                self.old.put(batch, store);
            }
        }
        self.old.keys.append(&mut new.keys);
        let here = project.here;
        if let Ok(index) = postcard::to_allocvec(&self.old.keys) {
            store.put_later(move || vec![(Kind::Outcomes, here, index)]);
        }
    }
}
