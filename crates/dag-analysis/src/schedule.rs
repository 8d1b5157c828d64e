//! The order of work: modules are checked on all cores, each as soon as the modules
//! it imports are done.

use crate::codec;
use crate::core::{Decl, ModuleId};
use crate::interface;
use crate::known::{IMPLICIT, Known, Unit};
use crate::module::{self, Depends};
use crate::past::{CheckRecord, holds};
use crate::work::Counters;
use dag_syntax::{Diagnostic, Symbol};
use rayon::Scope;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What the checks found, in no order.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) mistakes: Vec<Diagnostic>,
    /// What is to be known of the modules that were checked and had no mistake.
    pub(crate) fresh: Vec<Arc<CheckRecord>>,
}

/// Checks every module whose check does not hold from an earlier run.
pub(crate) fn check_all(known: &Known, is_kept: bool) -> Findings {
    let checks = Checks {
        known,
        is_kept,
        findings: Mutex::default(),
    };
    // What every module knows is checked first, one module after the other.
    let implicit = IMPLICIT
        .iter()
        .filter_map(|name| known.module((*name).into()));
    let first = implicit.map(|id| id.0 + 1).max().unwrap_or(0);
    (0..first).for_each(|id| checks.check(ModuleId(id)));
    let graph = Graph::of(known, first);
    rayon::scope(|scope| {
        for id in graph.ready() {
            graph.spawn(scope, id, &checks);
        }
    });
    checks
        .findings
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner)
}

struct Checks<'a> {
    known: &'a Known,
    is_kept: bool,
    findings: Mutex<Findings>,
}

impl Checks<'_> {
    fn check(&self, id: ModuleId) {
        let known = self.known;
        let Some(unit) = known.unit(id) else {
            return;
        };
        if let Some(record) = unit
            .record
            .as_ref()
            .filter(|record| holds(record, known, id))
        {
            Counters::add(&known.work.kept, 1);
            return known.add_stored(id, record.interface);
        }
        let (output, depends) = module::check_unit(known, id, unit);
        let name_of = |id: ModuleId| known.unit(id).map_or("".into(), |unit| unit.name);
        let interface = match self.is_kept {
            true => with_broken(interface::digest(&output.module, &name_of), &output.broken),
            false => interface::Digest::default(),
        };
        // Who is admitted is declared by modules that are checked later: nothing tells a
        // later run that one of them is gone, so it looks again.
        let later = |decl: &Decl| decl.admit_callers.is_some();
        let sound = !unit.misformed
            && output.diagnostics.is_empty()
            && output.broken.is_empty()
            && !output.module.decls.iter().any(later);
        let fresh = (self.is_kept && sound)
            .then(|| keep(known, unit, &output.module, interface, &depends))
            .flatten();
        known.add(Arc::new(output.module), &output.broken, interface);
        if fresh.is_some() || !output.diagnostics.is_empty() {
            let mut findings = self.findings.lock().unwrap_or_else(PoisonError::into_inner);
            findings.mistakes.extend(output.diagnostics);
            findings.fresh.extend(fresh);
        }
    }
}

/// The digest of an interface, and of the names that do not parse: nothing is said of
/// those to whoever uses them, so that a check holds only as long as they are broken.
fn with_broken(interface: interface::Digest, broken: &[Symbol]) -> interface::Digest {
    if broken.is_empty() {
        return interface;
    }
    let mut names: Vec<&str> = broken.iter().map(|name| name.as_str()).collect();
    names.sort_unstable();
    let mut hash = blake3::Hasher::new();
    hash.update(&interface);
    for name in names {
        hash.update(&(name.len() as u64).to_le_bytes());
        hash.update(name.as_bytes());
    }
    *hash.finalize().as_bytes()
}

/// Keeps a module that was checked now.
fn keep(
    known: &Known,
    unit: &Unit,
    module: &crate::core::Module,
    interface: interface::Digest,
    depends: &Depends,
) -> Option<Arc<CheckRecord>> {
    let name = |id: &ModuleId| Some(known.unit(*id)?.name);
    let mut reads: Vec<(Symbol, interface::Digest)> = depends
        .on
        .iter()
        .map(|id| Some((name(id)?, known.interface(*id)?)))
        .collect::<Option<_>>()?;
    reads.sort_unstable_by_key(|(name, _)| name.as_str());
    let mentioned = depends.on.iter().copied().chain([module.id]);
    let bytes = codec::encode(module, mentioned.filter_map(|id| Some((id, name(&id)?))))?;
    let record = CheckRecord {
        text: unit.digest?,
        name: unit.name,
        imports: unit.imports.iter().map(name).collect::<Option<_>>()?,
        reads,
        loaded: if depends.loaded {
            Some(known.loads(module.id)?)
        } else {
            None
        },
        interface,
        claims: !module.claims.is_empty(),
    };
    known.past.keep(&record, bytes);
    Some(Arc::new(record))
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
    fn of(known: &Known, first: u32) -> Self {
        let count = known.ids().count();
        let mut importers = vec![Vec::new(); count];
        let mut missing = Vec::with_capacity(count);
        for id in (0..count as u32).map(ModuleId) {
            let unit = known.unit(id);
            let mut imports: Vec<ModuleId> = unit.map_or(Vec::new(), |unit| unit.imports.clone());
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
    fn spawn<'s>(&'s self, scope: &Scope<'s>, id: ModuleId, checks: &'s Checks<'s>) {
        scope.spawn(move |scope| {
            checks.check(id);
            for importer in &self.importers[id.0 as usize] {
                // Whoever takes the last one away starts the importer; it then sees all
                // that was written before the counts went down.
                if self.missing[importer.0 as usize].fetch_sub(1, Ordering::AcqRel) == 1 {
                    self.spawn(scope, *importer, checks);
                }
            }
        });
    }
}
