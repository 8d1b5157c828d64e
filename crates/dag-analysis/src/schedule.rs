//! The order of work: modules are checked on all cores, each as soon as the modules
//! it imports are done.

use crate::core::{Module, ModuleId};
use crate::known::{IMPLICIT, Known};
use crate::module::{self, Input, Output};
use dag_syntax::{Diagnostic, Tree};
use rayon::Scope;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What is to be checked; everything in the order of the modules' numbers.
pub(crate) struct Plan<'a> {
    pub(crate) known: Known<'a>,
    pub(crate) trees: Vec<&'a Tree>,
    /// Whether the module belongs to the built-in library.
    pub(crate) library: Vec<bool>,
}

/// Checks every module. The mistakes come in no order.
pub(crate) fn check_all(mut plan: Plan<'_>) -> (Vec<Arc<Module>>, Vec<Diagnostic>) {
    let mistakes = Mutex::default();
    // What every module knows is checked first, one module after the other: each of
    // them adds to what the next one knows.
    let last = IMPLICIT
        .iter()
        .filter_map(|name| plan.known.module((*name).into()));
    let first = last.map(|id| id.0 + 1).max().unwrap_or(0);
    for id in (0..first).map(ModuleId) {
        plan.check(id, &mistakes);
        plan.known.add_to_prelude(id);
    }
    let graph = Graph::of(&plan, first);
    rayon::scope(|scope| {
        for id in graph.ready() {
            graph.spawn(scope, id, &plan, &mistakes);
        }
    });
    let modules = plan.known.modules().iter().map(Arc::clone).collect();
    (
        modules,
        mistakes
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner),
    )
}

impl Plan<'_> {
    fn check(&self, id: ModuleId, mistakes: &Mutex<Vec<Diagnostic>>) {
        let (Some(text), Some(tree)) = (self.known.text(id), self.trees.get(id.0 as usize)) else {
            return;
        };
        let Output {
            module,
            diagnostics,
            broken,
        } = module::check(&Input {
            id,
            tree,
            test_file: text.test_file,
            library: self.library.get(id.0 as usize).copied().unwrap_or(false),
            known: &self.known,
            imports: &text.imports,
        });
        self.known.add(Arc::new(module), &broken);
        if !diagnostics.is_empty() {
            let mut all = mistakes.lock().unwrap_or_else(PoisonError::into_inner);
            all.extend(diagnostics);
        }
    }
}

/// Who waits for whom.
struct Graph {
    /// For each module: those that import it.
    importers: Vec<Vec<ModuleId>>,
    /// For each module: how many of its imports are still to be checked.
    missing: Vec<AtomicU32>,
    first: u32,
}

impl Graph {
    /// The graph of the modules from `first` on; those before it are done.
    fn of(plan: &Plan<'_>, first: u32) -> Self {
        let count = plan.trees.len();
        let mut importers = vec![Vec::new(); count];
        let mut missing = Vec::with_capacity(count);
        for id in (0..count as u32).map(ModuleId) {
            let mut imports: Vec<ModuleId> = plan
                .known
                .text(id)
                .map_or(Vec::new(), |text| text.imports.clone());
            imports.sort_unstable();
            imports.dedup();
            imports.retain(|import| import.0 >= first);
            missing.push(AtomicU32::new(imports.len() as u32));
            for import in imports {
                importers[import.0 as usize].push(id);
            }
        }
        Self {
            importers,
            missing,
            first,
        }
    }

    /// The modules that wait for nothing.
    fn ready(&self) -> Vec<ModuleId> {
        let free = |id: &u32| self.missing[*id as usize].load(Ordering::Relaxed) == 0;
        let all = self.first..self.missing.len() as u32;
        all.filter(free).map(ModuleId).collect()
    }

    /// Checks a module some time, then those that waited for it alone.
    fn spawn<'s>(
        &'s self,
        scope: &Scope<'s>,
        id: ModuleId,
        plan: &'s Plan<'s>,
        mistakes: &'s Mutex<Vec<Diagnostic>>,
    ) {
        scope.spawn(move |scope| {
            plan.check(id, mistakes);
            for importer in &self.importers[id.0 as usize] {
                // Whoever takes the last one away starts the importer; it then sees all
                // that was written before the counts went down.
                if self.missing[importer.0 as usize].fetch_sub(1, Ordering::AcqRel) == 1 {
                    self.spawn(scope, *importer, plan, mistakes);
                }
            }
        });
    }
}
