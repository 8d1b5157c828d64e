//! A program that is being edited: trees and checked modules are kept, and after
//! an edit only what can have changed is checked again.
//!
//! A module's number stays the same while the imports allow it. So an edit costs
//! one parse, one check of the edited module, and a check of those that looked into
//! it only if its interface changed. A module that is new, is gone, has another
//! name, or must move behind another one costs a whole check.

use crate::core::{Module, ModuleId, Program};
use crate::index;
use crate::interface::{self, Digest};
use crate::known::{Known, Unit};
use crate::module::{self, Depends};
use crate::past::Past;
use crate::program::{File, on_deep_stacks};
use crate::record::NameRecord;
use crate::texts::{Entry as Text, is_test_path};
use crate::unloaded::Unloaded;
use dag_syntax::{Code, Diagnostic, SourceId, Sources, Symbol, Tree, parse};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::{Arc, Mutex};

/// What an update did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Change {
    /// How many modules were checked.
    pub checked: usize,
    /// How many files were parsed.
    pub parsed: usize,
    /// Whether it was stopped before everything was checked.
    pub stopped: bool,
}

/// A program that is being edited.
#[derive(Debug, Default)]
pub struct Session {
    sources: Sources,
    files: Vec<Entry>,
    /// The file of each module, in the order of the modules.
    order: Vec<usize>,
    /// Mistakes in the imports: circles, doubles, modules that are not there.
    order_errors: Vec<Diagnostic>,
    program: Program,
    /// Whether a file came or went since the order was worked out.
    set_changed: bool,
    /// Files whose diagnostics may have changed since somebody asked.
    fresh: FxHashSet<SourceId>,
}

#[derive(Debug)]
struct Entry {
    source: SourceId,
    library: bool,
    removed: bool,
    /// The tree is of an older text.
    stale: bool,
    /// The check is of an older text, or of older imports.
    dirty: bool,
    tree: Option<Arc<Tree>>,
    syntax: Vec<Diagnostic>,
    head: Head,
    interface: Digest,
    broken: Vec<Symbol>,
    /// The modules that the check looked into.
    on: FxHashSet<ModuleId>,
    /// Which modules were loaded, if that mattered.
    loads: Option<Digest>,
    semantic: Vec<Diagnostic>,
    record: Option<Arc<NameRecord>>,
}

/// A module's name and imports, which decide the order.
#[derive(Debug, Default, PartialEq, Eq)]
struct Head {
    name: Option<Symbol>,
    imports: Vec<Symbol>,
}

impl Session {
    /// Adds a file. The library's must be added too.
    pub fn add(&mut self, path: &str, text: &str, library: bool) -> SourceId {
        let source = self.sources.add(path, text);
        self.files.push(Entry {
            source,
            library,
            removed: false,
            stale: true,
            dirty: true,
            tree: None,
            syntax: Vec::new(),
            head: Head::default(),
            interface: Digest::default(),
            broken: Vec::new(),
            on: FxHashSet::default(),
            loads: None,
            semantic: Vec::new(),
            record: None,
        });
        self.set_changed = true;
        source
    }

    /// Gives a file another text, and brings it back if it was removed.
    pub fn set_text(&mut self, source: SourceId, text: &str) {
        let Some(entry) = self.files.get_mut(source.0 as usize) else {
            return;
        };
        if entry.removed {
            entry.removed = false;
            self.set_changed = true;
        } else if self.sources.get(source).text.as_ref() == text {
            return;
        }
        entry.stale = true;
        self.sources.set_text(source, text);
    }

    /// Takes a file out of the program.
    pub fn remove(&mut self, source: SourceId) {
        let Some(entry) = self.files.get_mut(source.0 as usize) else {
            return;
        };
        if !entry.removed {
            entry.removed = true;
            entry.syntax.clear();
            entry.semantic.clear();
            entry.record = None;
            self.set_changed = true;
            self.fresh.insert(source);
        }
    }

    /// Parses and checks what changed. `go_on` is asked between modules, with how
    /// many are done and how many there are; if it says no, the rest is left to
    /// the next update.
    pub fn update(&mut self, go_on: &mut (dyn FnMut(usize, usize) -> bool + Send)) -> Change {
        on_deep_stacks(|| self.update_here(go_on))
    }

    /// The texts.
    #[must_use]
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// The modules as they were checked last.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The files, without those that were removed.
    pub fn files(&self) -> impl Iterator<Item = SourceId> {
        self.files.iter().filter(|e| !e.removed).map(|e| e.source)
    }

    /// Whether a file is the library's.
    #[must_use]
    pub fn is_library(&self, source: SourceId) -> bool {
        self.files.get(source.0 as usize).is_some_and(|e| e.library)
    }

    /// The tree of a file, of its text at the last update.
    #[must_use]
    pub fn tree(&self, source: SourceId) -> Option<&Arc<Tree>> {
        let entry = self.files.get(source.0 as usize)?;
        entry.tree.as_ref().filter(|_| !entry.removed)
    }

    /// The module of a file, if it could be checked.
    #[must_use]
    pub fn module(&self, source: SourceId) -> Option<&Module> {
        let place = self.order.iter().position(|f| *f == source.0 as usize)?;
        self.program.modules.get(place).map(AsRef::as_ref)
    }

    /// The mistakes in a file, by place.
    #[must_use]
    pub fn diagnostics(&self, source: SourceId) -> Vec<Diagnostic> {
        let Some(entry) = self.files.get(source.0 as usize).filter(|e| !e.removed) else {
            return Vec::new();
        };
        let order = self.order_errors.iter().filter(|d| d.at.source == source);
        let all = entry.syntax.iter().chain(order).chain(&entry.semantic);
        let mut all: Vec<Diagnostic> = all.cloned().collect();
        if all.iter().any(Diagnostic::is_error) {
            // Nobody can tell which imports will be used.
            all.retain(|d| d.code != Code::UnusedImport);
        }
        all.sort_by(|a, b| a.at.cmp(&b.at).then(a.code.cmp(&b.code)));
        all.dedup();
        all
    }

    /// The files whose diagnostics may have changed since this was asked last.
    pub fn take_fresh(&mut self) -> Vec<SourceId> {
        let mut fresh: Vec<SourceId> = self.fresh.drain().collect();
        fresh.sort_unstable();
        fresh
    }

    /// What the names of a file refer to; none if its module could not be checked.
    pub fn record(&mut self, source: SourceId) -> Option<Arc<NameRecord>> {
        self.records(&[source]).pop().map(|(_, record)| record)
    }

    /// The records of several files, in the order of the modules.
    pub fn records(&mut self, sources: &[SourceId]) -> Vec<(SourceId, Arc<NameRecord>)> {
        let wanted: FxHashSet<usize> = sources.iter().map(|s| s.0 as usize).collect();
        let missing = |file: &usize| self.files.get(*file).is_some_and(|e| e.record.is_none());
        if wanted.iter().any(missing) {
            let made = on_deep_stacks(|| self.make_records(&wanted));
            for (file, record) in made {
                self.files[file].record = Some(Arc::new(record));
            }
        }
        let order = self.order.iter().filter(|f| wanted.contains(f));
        order
            .filter_map(|f| {
                let entry = &self.files[*f];
                Some((entry.source, Arc::clone(entry.record.as_ref()?)))
            })
            .collect()
    }

    /// The tree and the record that a file would have with another text; the
    /// program stays as it is.
    #[must_use]
    pub fn probe(&self, source: SourceId, text: &str) -> Option<(Tree, NameRecord)> {
        let place = self.order.iter().position(|f| *f == source.0 as usize)?;
        on_deep_stacks(|| {
            let (tree, _) = parse(source, text.into());
            let known = self.known_modules();
            let record = self.record_of(place, &tree, &known);
            Some((tree, record))
        })
    }

    fn make_records(&self, wanted: &FxHashSet<usize>) -> Vec<(usize, NameRecord)> {
        let known = self.known_modules();
        let places: Vec<usize> = (0..self.order.len()).collect();
        let missing = places.into_par_iter().filter(|place| {
            let file = self.order[*place];
            wanted.contains(&file) && self.files[file].record.is_none()
        });
        missing
            .filter_map(|place| {
                let file = self.order[place];
                let tree = self.files[file].tree.as_ref()?;
                Some((file, self.record_of(place, tree, &known)))
            })
            .collect()
    }

    fn record_of(&self, place: usize, tree: &Tree, known: &Known) -> NameRecord {
        let entry = &self.files[self.order[place]];
        let test_file = self.is_test(entry);
        let open = |id: &ModuleId| {
            let module = known.unit(*id);
            id.0 < place as u32 && (test_file || module.is_some_and(|m| !m.test_file))
        };
        let imports: Vec<ModuleId> = index::imports(tree)
            .iter()
            .filter_map(|import| known.module(import.module))
            .filter(open)
            .collect();
        let input = module::Input {
            id: ModuleId(place as u32),
            tree,
            test_file,
            library: entry.library,
            known,
            imports: &imports,
        };
        module::check_recorded(&input)
    }

    /// The places of the modules, none of which is checked yet.
    fn known_places(&self) -> Known {
        let mut ids: FxHashMap<Symbol, ModuleId> = FxHashMap::default();
        let mut units: Vec<Unit> = Vec::with_capacity(self.order.len());
        for entry in self.order.iter().map(|file| &self.files[*file]) {
            let test_file = self.is_test(entry);
            let imports = entry.head.imports.iter();
            let imports = imports
                .filter_map(|import| ids.get(import).copied())
                .filter(|module| test_file || !units[module.0 as usize].test_file)
                .collect();
            let name = entry.head.name.unwrap_or_else(|| Symbol::new(""));
            ids.insert(name, ModuleId(units.len() as u32));
            units.push(Unit {
                name,
                source: entry.source,
                test_file,
                library: entry.library,
                imports,
                tree: Mutex::new(entry.tree.clone()),
                // Nothing of a session is kept.
                misformed: false,
                text: Arc::clone(&self.sources.get(entry.source).text),
                digest: None,
                record: None,
            });
        }
        Known::new(units, Past::NONE, Unloaded::default())
    }

    /// The modules as they were checked last.
    fn known_modules(&self) -> Known {
        let known = self.known_places();
        for (module, file) in self.program.modules.iter().zip(&self.order) {
            let entry = &self.files[*file];
            known.add(Arc::clone(module), &entry.broken, entry.interface);
        }
        known
    }

    fn is_test(&self, entry: &Entry) -> bool {
        is_test_path(&self.sources.get(entry.source).path)
    }

    fn update_here(&mut self, go_on: &mut (dyn FnMut(usize, usize) -> bool + Send)) -> Change {
        let mut change = Change::default();
        let edited = self.parse_stale(&mut change);
        if self.set_changed || !edited.is_empty() {
            self.doubt_admissions();
        }
        if self.set_changed {
            self.set_changed = false;
            self.work_out_order();
        }
        self.doubt(&edited);
        let mut done: Vec<(usize, Done)> = Vec::new();
        let known = self.known_places();
        let total = self.order.len();
        let mut changed = vec![false; total];
        // Modules whose check does not hold any more, where this one stops early.
        let mut left = Vec::new();
        for (place, file) in self.order.iter().copied().enumerate() {
            let entry = &self.files[file];
            let id = ModuleId(place as u32);
            let outdated = entry.dirty
                || entry.on.iter().any(|on| changed[on.0 as usize])
                || entry
                    .loads
                    .is_some_and(|loads| known.loads(id) != Some(loads));
            if outdated && !change.stopped && !go_on(place, total) {
                change.stopped = true;
            }
            if change.stopped {
                if outdated {
                    left.push(file);
                }
                continue;
            }
            if !outdated {
                if let Some(module) = self.program.modules.get(place) {
                    known.add(Arc::clone(module), &entry.broken, entry.interface);
                }
                continue;
            }
            let found = check(&known, id);
            let Some(found) = found else { continue };
            let new = place >= self.program.modules.len();
            changed[place] =
                !new && (found.interface != entry.interface || found.broken != entry.broken);
            known.add(Arc::clone(&found.module), &found.broken, found.interface);
            done.push((file, found));
        }
        drop(known);
        change.checked = done.len();
        for (file, found) in done {
            self.take(file, found);
        }
        for file in left {
            self.files[file].dirty = true;
        }
        change
    }

    /// Takes what the check of a module found.
    fn take(&mut self, file: usize, found: Done) {
        let place = found.module.id.0 as usize;
        if place >= self.program.modules.len() {
            self.program.modules.push(found.module);
        } else {
            self.program.modules.set(place, found.module);
        }
        let entry = &mut self.files[file];
        if entry.semantic != found.diagnostics {
            self.fresh.insert(entry.source);
        }
        entry.semantic = found.diagnostics;
        entry.interface = found.interface;
        entry.broken = found.broken;
        entry.on = found.on;
        entry.loads = found.loads;
        entry.dirty = false;
        entry.record = None;
    }

    /// Parses the files that have another text. Gives those that were parsed.
    fn parse_stale(&mut self, change: &mut Change) -> FxHashSet<SourceId> {
        let stale: Vec<usize> = (0..self.files.len())
            .filter(|f| self.files[*f].stale && !self.files[*f].removed)
            .collect();
        let read = |file: &usize| {
            let source = self.files[*file].source;
            parse(source, Arc::clone(&self.sources.get(source).text))
        };
        let parsed: Vec<_> = stale.par_iter().with_min_len(16).map(read).collect();
        change.parsed = parsed.len();
        let mut edited = FxHashSet::default();
        for (file, (tree, errors)) in stale.into_iter().zip(parsed) {
            let head = Head {
                name: index::module_name(&tree).map(|(name, _)| name),
                imports: index::imports(&tree).iter().map(|i| i.module).collect(),
            };
            let entry = &mut self.files[file];
            self.set_changed |= head != entry.head;
            // What is wrong with the imports is told with its place.
            let told =
                |d: &Diagnostic| d.at.source == entry.source || touches(d, |s| s == entry.source);
            self.set_changed |= self.order_errors.iter().any(told);
            entry.head = head;
            entry.tree = Some(Arc::new(tree));
            entry.syntax = errors;
            entry.stale = false;
            entry.dirty = true;
            self.fresh.insert(entry.source);
            edited.insert(entry.source);
        }
        edited
    }

    /// Orders the modules, and keeps the order there was where it still holds.
    fn work_out_order(&mut self) {
        let mut live: Vec<usize> = (0..self.files.len())
            .filter(|f| !self.files[*f].removed && self.files[*f].tree.is_some())
            .collect();
        // Of two modules of one name the library's is the first.
        live.sort_by_key(|f| !self.files[*f].library);
        let text = |file: &usize| {
            let entry = &self.files[*file];
            Text {
                file: File {
                    source: entry.source,
                    library: entry.library,
                },
                test_file: self.is_test(entry),
                text: Arc::clone(&self.sources.get(entry.source).text),
                digest: None,
                record: None,
                tree: entry.tree.clone(),
                misformed: false,
                name: entry.head.name,
                imports: entry.head.imports.clone(),
            }
        };
        let texts: Vec<Text> = live.iter().map(text).collect();
        let mut errors = Vec::new();
        let order = index::order(&texts, &Unloaded::default(), &mut errors);
        let order: Vec<usize> = order.into_iter().map(|f| live[f]).collect();
        drop(texts);
        for error in self.order_errors.iter().chain(&errors) {
            self.fresh.insert(error.at.source);
        }
        self.order_errors = errors;
        if self.still_ordered(&order) {
            return;
        }
        self.order = order;
        self.program = Program::default();
        for entry in &mut self.files {
            entry.dirty = true;
            entry.record = None;
            if !entry.semantic.is_empty() {
                entry.semantic.clear();
                self.fresh.insert(entry.source);
            }
        }
    }

    /// Whether the order at hand holds the same modules as another, and every
    /// import in it comes before what imports it.
    fn still_ordered(&self, other: &[usize]) -> bool {
        let place: FxHashMap<usize, usize> = (0..).zip(&self.order).map(|(p, f)| (*f, p)).collect();
        if place.len() != other.len() || self.program.modules.len() != other.len() {
            return false;
        }
        let mut by_name: FxHashMap<Symbol, usize> = FxHashMap::default();
        for file in other {
            let (Some(at), Some(name)) = (place.get(file), self.files[*file].head.name) else {
                return false;
            };
            // A module that has another name now is another module.
            if self.program.modules[*at].name != name {
                return false;
            }
            by_name.insert(name, *at);
        }
        other.iter().all(|file| {
            let imports = self.files[*file].head.imports.iter();
            imports
                .filter_map(|i| by_name.get(i))
                .all(|import| *import < place[file])
        })
    }

    /// What may be said differently after an edit although the module did not
    /// change: names that other texts may declare now, and places in those texts.
    fn doubt(&mut self, edited: &FxHashSet<SourceId>) {
        if edited.is_empty() {
            return;
        }
        for entry in &mut self.files {
            let doubtful = |d: &Diagnostic| {
                let elsewhere = matches!(
                    d.code,
                    Code::UnknownName | Code::UnknownType | Code::UnknownImport
                );
                elsewhere || touches(d, |source| edited.contains(&source))
            };
            entry.dirty |= entry.semantic.iter().any(doubtful);
        }
    }

    /// Who is admitted is declared by modules that are checked later: whether it is still
    /// there is looked at again after every edit.
    fn doubt_admissions(&mut self) {
        for (module, file) in self.program.modules.iter().zip(&self.order) {
            let admits = module.decls.iter().any(|decl| decl.admit_callers.is_some());
            self.files[*file].dirty |= admits;
        }
    }

    /// The modules that import a file's module, at any distance.
    #[must_use]
    pub fn importers(&self, source: SourceId) -> FxHashSet<ModuleId> {
        let Some(place) = self.order.iter().position(|f| *f == source.0 as usize) else {
            return FxHashSet::default();
        };
        let mut found = FxHashSet::default();
        let own = self.files[self.order[place]].head.name;
        let mut names: FxHashSet<Symbol> = FxHashSet::from_iter(own);
        for later in place + 1..self.order.len() {
            let head = &self.files[self.order[later]].head;
            if head.imports.iter().any(|i| names.contains(i)) {
                found.insert(ModuleId(later as u32));
                names.extend(head.name);
            }
        }
        found
    }
}

/// What the check of a module found.
struct Done {
    module: Arc<Module>,
    interface: Digest,
    diagnostics: Vec<Diagnostic>,
    broken: Vec<Symbol>,
    on: FxHashSet<ModuleId>,
    loads: Option<Digest>,
}

fn check(known: &Known, id: ModuleId) -> Option<Done> {
    let unit = known.unit(id)?;
    let (output, Depends { on, loaded }) = module::check_unit(known, id, unit);
    let name_of = |id: ModuleId| known.unit(id).map_or("".into(), |unit| unit.name);
    Some(Done {
        interface: interface::digest(&output.module, &name_of),
        module: Arc::new(output.module),
        diagnostics: output.diagnostics,
        broken: output.broken,
        on,
        loads: if loaded { known.loads(id) } else { None },
    })
}

/// Whether a diagnostic shows a place in such a file.
fn touches(diagnostic: &Diagnostic, file: impl Fn(SourceId) -> bool) -> bool {
    diagnostic.others.iter().any(|o| file(o.at.source))
}
