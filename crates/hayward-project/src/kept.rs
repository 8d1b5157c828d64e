//! What of a project is kept in the store, beside the records of its checks.

use dag_analysis::core::{DeclRef, ModuleId};
use dag_analysis::{Checked, Digest, Keep, ModuleInfo};
use dag_eval::{Verdict, Witness};
use dag_syntax::{Location, Span, Symbol};
use hayward_store::{Entry, Kind, Store};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The keys of an entry that is found again by what it belongs to, not by its content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keys {
    /// On this machine.
    pub(crate) here: Digest,
    /// On every machine that shares a store with it.
    pub(crate) everywhere: Digest,
}

impl Keys {
    pub(crate) fn each(&self, key: impl Fn(&Digest) -> Digest) -> Self {
        Self {
            here: key(&self.here),
            everywhere: key(&self.everywhere),
        }
    }

    /// The entry of this machine; or the one that machines share, which is this machine's
    /// from then on: others are asked once.
    pub(crate) fn get(&self, kind: Kind, store: &Store) -> Option<Vec<u8>> {
        let here = store.get(kind, &self.here);
        here.or_else(|| {
            let found = store.get_shared(kind, &self.everywhere)?;
            store.put([(kind, self.here, found.clone())]);
            Some(found)
        })
    }
}

/// Modules that are written at once.
const WRITTEN: usize = 128;

/// The store as the keeper of checked modules.
pub(crate) struct Modules {
    store: Store,
    waiting: Mutex<Vec<Entry>>,
}

impl Modules {
    pub(crate) fn new(store: Store) -> Self {
        Self {
            store,
            waiting: Mutex::default(),
        }
    }

    /// Writes those that wait for others.
    pub(crate) fn flush(&self) {
        let waiting = std::mem::take(&mut *self.waiting());
        self.store.put_later(|| waiting);
    }

    fn waiting(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Keep for Modules {
    fn module(&self, key: &Digest) -> Option<Vec<u8>> {
        self.store.get(Kind::Module, key)
    }

    fn keep(&self, key: Digest, module: Vec<u8>) {
        let mut waiting = self.waiting();
        waiting.push((Kind::Module, key, module));
        if waiting.len() == WRITTEN {
            let full = std::mem::take(&mut *waiting);
            self.store.put_later(|| full);
        }
    }
}

/// The value of an expression as it was printed, by the digest of all texts: they were
/// sound then, so they are now.
#[derive(Clone, Copy, Debug)]
pub struct ValueKey(Digest);

impl ValueKey {
    /// The key of an expression among texts, printed in the form of that name, which has no NUL.
    #[must_use]
    pub fn new(texts: &Digest, expression: &str, form: &str) -> Self {
        let mut hash = blake3::Hasher::new();
        hash.update(texts);
        hash.update(form.as_bytes());
        hash.update(&[0]);
        hash.update(expression.as_bytes());
        Self(*hash.finalize().as_bytes())
    }

    /// What was printed.
    #[must_use]
    pub fn get(&self, store: &Store) -> Option<Vec<u8>> {
        let keys = Keys {
            here: self.0,
            everywhere: self.0,
        };
        keys.get(Kind::Value, store)
    }

    /// Keeps what was printed.
    pub fn put(&self, store: &Store, printed: Vec<u8>) {
        let name = self.0;
        store.put_shared(Kind::Value, &name, &printed);
        store.put_later(move || vec![(Kind::Value, name, printed)]);
    }
}

/// Witnesses that were true, by the digest of all that their module may evaluate.
#[derive(Debug, Default)]
pub struct Witnesses {
    by_implementation: HashMap<Digest, Vec<Held>>,
    /// Whether there is more than was read.
    changed: bool,
}

/// A witness that was true.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Held {
    /// Its number among the module's declarations.
    index: u32,
    name: Symbol,
    span: Span,
    steps: u64,
}

impl Witnesses {
    /// Those of a project.
    #[must_use]
    pub fn of(project: &Keys, store: &Store) -> Self {
        let kept = project.get(Kind::Witnesses, store);
        let kept: Option<Vec<(Digest, Vec<Held>)>> =
            kept.and_then(|bytes| postcard::from_bytes(&bytes).ok());
        Self {
            by_implementation: kept.unwrap_or_default().into_iter().collect(),
            changed: false,
        }
    }

    /// Whether every witness of a module is known to be true. A module without a witness
    /// is known too, once it was run.
    #[must_use]
    pub fn know(&self, module: &ModuleInfo) -> bool {
        self.by_implementation.contains_key(&module.implementation)
    }

    /// The witnesses of a module that are known to be true; none if that is not known.
    #[must_use]
    pub fn get(&self, id: ModuleId, module: &ModuleInfo) -> Vec<Witness> {
        let held = self.by_implementation.get(&module.implementation);
        let witness = |held: &Held| Witness {
            decl: DeclRef {
                module: id,
                index: held.index,
            },
            module: module.name,
            name: held.name,
            at: Location {
                source: module.source,
                span: held.span,
            },
            verdict: Verdict::Passed { steps: held.steps },
        };
        held.into_iter().flatten().map(witness).collect()
    }

    /// Adds what the witnesses of a module said, all of them; it is not kept unless all
    /// are true.
    pub fn add(&mut self, module: &ModuleInfo, witnesses: &[&Witness]) {
        let held = |witness: &&Witness| match &witness.verdict {
            Verdict::Passed { steps } => Some(Held {
                index: witness.decl.index,
                name: witness.name,
                span: witness.at.span,
                steps: *steps,
            }),
            Verdict::Failed { .. } | Verdict::Refused(_) => None,
        };
        if let Some(held) = witnesses.iter().map(held).collect() {
            self.by_implementation.insert(module.implementation, held);
            self.changed = true;
        }
    }

    /// Keeps those of the modules that there are, if there are new ones.
    pub fn put(mut self, project: &Keys, checked: &Checked, store: &Store) {
        if !self.changed {
            return;
        }
        let modules = checked.modules.iter();
        let mut now: Vec<(Digest, Vec<Held>)> = modules
            .filter_map(|module| self.by_implementation.remove_entry(&module.implementation))
            .collect();
        now.sort_unstable_by_key(|(implementation, _)| *implementation);
        if let Ok(bytes) = postcard::to_allocvec(&now) {
            let here = project.here;
            store.put_shared(Kind::Witnesses, &project.everywhere, &bytes);
            store.put_later(move || vec![(Kind::Witnesses, here, bytes)]);
        }
    }
}
