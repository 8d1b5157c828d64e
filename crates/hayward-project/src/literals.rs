//! The literals of a project that its check leaves to an evaluation, and which of them
//! earlier runs judged.

use crate::kept::Keys;
use dag_analysis::core::{ModuleId, Program};
use dag_analysis::{Checked, Digest, ModuleInfo};
use dag_eval::Evaluator;
use dag_syntax::Diagnostic;
use hayward_store::{Kind, Store};
use std::collections::HashSet;
use std::sync::Arc;

/// What is known of a project's literals.
///
/// A module is known by the digest of all that it may evaluate, so that an edit of a
/// predicate in another module makes its literals unknown. The library's literals are judged
/// by our own tests, as its witnesses are.
#[derive(Debug, Default)]
pub(crate) struct Literals {
    /// Modules whose literals are all of their types.
    held: HashSet<Digest>,
    /// Modules with literals of which nothing is known.
    waiting: Vec<ModuleId>,
}

impl Literals {
    /// Those of a project. The store is not asked for a project without any.
    pub(crate) fn of(checked: &Checked, project: &Keys, store: &Store) -> Self {
        let claims = |module: &ModuleInfo| module.claims && !module.library;
        if !checked.modules.iter().any(claims) {
            return Self::default();
        }
        let kept = project.get(Kind::Literals, store);
        let kept: Option<Vec<Digest>> = kept.and_then(|bytes| postcard::from_bytes(&bytes).ok());
        let held: HashSet<Digest> = kept.unwrap_or_default().into_iter().collect();
        let modules = (0..).map(ModuleId).zip(&checked.modules);
        let waits = |module: &ModuleInfo| claims(module) && !held.contains(&module.implementation);
        let waiting = modules.filter(|(_, module)| waits(module));
        Self {
            waiting: waiting.map(|(id, _)| id).collect(),
            held,
        }
    }

    /// Of how many modules some are to be judged, for which the program is needed.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Judges those that nothing is known of, keeps which modules have no mistake, and gives
    /// the mistakes.
    pub(crate) fn judge(
        mut self,
        checked: &Checked,
        project: &Keys,
        store: &Store,
    ) -> Vec<Diagnostic> {
        let evaluator = Evaluator::new(Arc::new(Program {
            modules: checked.program.modules.clone(),
        }));
        let mut mistakes = Vec::new();
        let before = self.held.len();
        for id in self.waiting {
            let found = evaluator.judge(id);
            if let (true, Some(module)) = (found.is_empty(), checked.modules.get(id.0 as usize)) {
                self.held.insert(module.implementation);
            }
            mistakes.extend(found);
        }
        if store.is_on() && self.held.len() > before {
            let modules = checked.modules.iter().map(|module| module.implementation);
            let mut now: Vec<Digest> = modules.filter(|key| self.held.contains(key)).collect();
            now.sort_unstable();
            now.dedup();
            if let Ok(bytes) = postcard::to_allocvec(&now) {
                let here = project.here;
                store.put_shared(Kind::Literals, &project.everywhere, &bytes);
                store.put_later(move || vec![(Kind::Literals, here, bytes)]);
            }
        }
        mistakes
    }
}
