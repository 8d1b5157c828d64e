//! What evaluations came to, as it is kept: in batches, so that a run that finds little new
//! writes little.

use crate::kept::Keys;
use dag_analysis::core::{DeclRef, Program};
use dag_analysis::{Checked, Digest};
use dag_eval::{Evaluator, Outcome, Recollection, Refusal};
use hayward_store::{Kind, Store};
use std::collections::HashSet;
use std::sync::Arc;

/// How many batches there are at most; then what is current becomes one.
const BATCHES: usize = 8;

/// Bytes of all of them.
const BYTES: usize = 32 << 20;

/// The outcomes of a project's `data` items and calls.
pub struct Outcomes {
    past: Arc<Recollection>,
    batches: Vec<Digest>,
    bytes: usize,
}

impl Outcomes {
    /// Those of earlier runs on this machine.
    #[must_use]
    pub fn of(project: &Keys, store: &Store) -> Self {
        let index = store.get(Kind::Outcomes, &project.here);
        let index: Option<Vec<Digest>> = index.and_then(|bytes| postcard::from_bytes(&bytes).ok());
        let mut batches = index.unwrap_or_default();
        let mut read = Vec::with_capacity(batches.len());
        batches.retain(|batch| match store.get(Kind::Batch, batch) {
            Some(bytes) => {
                read.push(bytes);
                true
            }
            None => false,
        });
        Self {
            bytes: read.iter().map(Vec::len).sum(),
            past: Arc::new(Recollection::of(read)),
            batches,
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
        let Some(mut batch) = self.past.take_fresh() else {
            return;
        };
        if self.batches.len() >= BATCHES || self.bytes + batch.len() > BYTES {
            let current: HashSet<Digest> =
                checked.modules.iter().map(|m| m.implementation).collect();
            self.batches.clear();
            let old = self.past.current(|reach| current.contains(reach));
            // What is new is what the next run asks for.
            if old.len() + batch.len() <= BYTES {
                batch.extend(old);
            }
        }
        if batch.len() > BYTES {
            return;
        }
        let key = *blake3::hash(&batch).as_bytes();
        self.batches.push(key);
        if let Ok(index) = postcard::to_allocvec(&self.batches) {
            store.put_later(vec![
                (Kind::Batch, key, batch),
                (Kind::Outcomes, project.here, index),
            ]);
        }
    }
}
