//! The modules before the one at hand, and what each declares: found by name,
//! never by a scan, because every module asks.

use crate::core::{Ctor, DeclKind, DeclRef, Module, ModuleId, Program, TypeRef};
use crate::index;
use crate::interface::Digest;
use crate::kernel::Kernel;
use crate::modules::{Modules, Place};
use crate::past::{CheckRecord, Past};
use crate::unloaded::Unloaded;
use crate::work::Counters;
use dag_syntax::{Node, SourceId, Sources, Symbol, Tree, parse};
use rustc_hash::FxHashMap;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};

/// The modules whose names every module knows without importing them, in the order
/// in which they are checked.
pub(crate) const IMPLICIT: [&str; 2] = [Kernel::MODULE, PRELUDE];

/// The module of the functions that every module knows.
pub(crate) const PRELUDE: &str = "std.prelude";

/// What a name stands for among values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// A function or data; several in the prelude, chosen by the first
    /// argument's type.
    Decls(Vec<DeclRef>),
    /// A constructor.
    Ctor(Ctor),
    /// A declaration whose text has a mistake, or a name imported from a module
    /// that could not be checked: fits everything.
    Broken,
    /// Declared by several modules (in a lone expression only).
    Ambiguous(Vec<Symbol>),
}

/// What a module declares under a name: a type, a value, or (a record) both.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exported {
    pub(crate) ty: Option<TypeRef>,
    pub(crate) value: Option<Value>,
    /// Its text has a mistake, which was reported.
    pub(crate) broken: bool,
    /// Of a service or a resource: the names of its operations and facts, whole.
    pub(crate) members: Vec<Symbol>,
}

/// What a module declares.
pub(crate) type Exports = FxHashMap<Symbol, Exported>;

/// What one module declares.
pub(crate) fn exports(module: &Module) -> Exports {
    let mut names = Exports::default();
    for (index, def) in module.types.iter().enumerate() {
        let ty = TypeRef {
            module: module.id,
            index: index as u32,
        };
        names.entry(def.name).or_default().ty.get_or_insert(ty);
        for (variant, named) in def.variants().iter().enumerate() {
            let variant = variant as u32;
            let value = &mut names.entry(named.name).or_default().value;
            value.get_or_insert(Value::Ctor(Ctor { ty, variant }));
        }
    }
    for (index, decl) in module.decls.iter().enumerate() {
        if decl.kind == DeclKind::Default {
            continue;
        }
        let index = index as u32;
        let decl_ref = DeclRef {
            module: module.id,
            index,
        };
        match &mut names.entry(decl.name).or_default().value {
            Some(Value::Decls(rows)) => rows.push(decl_ref),
            value => *value = Some(Value::Decls(vec![decl_ref])),
        }
        if let Some((owner, _)) = decl.name.as_str().rsplit_once('.') {
            let owner = names.entry(Symbol::new(owner)).or_default();
            owner.members.push(decl.name);
        }
    }
    names
}

/// A declaration as its text has it, whether or not its module was checked.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    pub(crate) module: Symbol,
    pub(crate) test_file: bool,
    pub(crate) is_type: bool,
    pub(crate) is_value: bool,
}

/// A module's place in a program, known before anything is checked.
pub(crate) struct Unit {
    pub(crate) name: Symbol,
    pub(crate) source: SourceId,
    pub(crate) test_file: bool,
    /// Whether it belongs to the built-in library.
    pub(crate) library: bool,
    /// The modules it imports, all of smaller numbers.
    pub(crate) imports: Vec<ModuleId>,
    /// Its tree, if it was parsed already and is still needed.
    pub(crate) tree: Mutex<Option<Arc<Tree>>>,
    /// Whether a mistake or a warning is told of its form: it is to be parsed again.
    pub(crate) misformed: bool,
    pub(crate) text: Arc<str>,
    /// The digest of its text, if this run is kept.
    pub(crate) digest: Option<Digest>,
    /// What an earlier run found of this text.
    pub(crate) record: Option<Arc<CheckRecord>>,
}

impl Unit {
    pub(crate) fn parsed(&self) -> MutexGuard<'_, Option<Arc<Tree>>> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A module whose check has ended.
struct Done {
    interface: Digest,
    /// Only a module that was checked in an earlier run is brought here when somebody
    /// asks for it.
    content: OnceLock<Content>,
}

struct Content {
    module: Arc<Module>,
    exports: Exports,
}

/// Every module of a program: its place among the others, and what it declares, known
/// when it is checked. A module is only asked for by those that load it, which are
/// checked after it.
pub(crate) struct Known {
    by_name: FxHashMap<Symbol, ModuleId>,
    units: Vec<Unit>,
    done: Vec<OnceLock<Done>>,
    pub(crate) past: Past,
    /// A program whose modules these are.
    whole: Option<Modules>,
    pub(crate) work: Counters,
    /// For each module that somebody asked for: which modules load it.
    loaders: Mutex<FxHashMap<ModuleId, Arc<[bool]>>>,
    /// For each module: the digest of the modules it loads.
    loads: OnceLock<Vec<Digest>>,
    prelude: OnceLock<Exports>,
    unloaded: Unloaded,
    heads: OnceLock<FxHashMap<Symbol, Vec<Head>>>,
}

impl Known {
    /// Nothing checked yet. The units stand in the order of their numbers.
    pub(crate) fn new(units: Vec<Unit>, past: Past, unloaded: Unloaded) -> Self {
        let ids = (0..).map(ModuleId);
        Self {
            by_name: units.iter().map(|unit| unit.name).zip(ids).collect(),
            done: units.iter().map(|_| OnceLock::new()).collect(),
            units,
            past,
            whole: None,
            work: Counters::default(),
            loaders: Mutex::default(),
            loads: OnceLock::new(),
            prelude: OnceLock::new(),
            unloaded,
            heads: OnceLock::new(),
        }
    }

    /// Every module of a checked program.
    pub(crate) fn of_program(program: &Program, sources: &Sources) -> Self {
        let unit = |place: &Place| Unit {
            name: place.name,
            source: place.source,
            test_file: place.test_file,
            library: false,
            imports: Vec::new(),
            tree: Mutex::default(),
            misformed: false,
            text: Arc::clone(&sources.get(place.source).text),
            digest: None,
            record: None,
        };
        let units = program.modules.places().map(unit).collect();
        let mut known = Self::new(units, Past::NONE, Unloaded::default());
        for id in known.ids() {
            known.add_stored(id, Digest::default());
        }
        known.whole = Some(program.modules.clone());
        known
    }

    /// A module that was checked now, and the names of its items that do not parse.
    pub(crate) fn add(&self, module: Arc<Module>, broken: &[Symbol], interface: Digest) {
        if let Some(slot) = self.done.get(module.id.0 as usize) {
            // A module is checked once, so the slot is free.
            let _ = slot.set(Done {
                interface,
                content: OnceLock::from(Content::of(module, broken)),
            });
        }
    }

    /// A module that was checked in an earlier run and is not to be checked again.
    pub(crate) fn add_stored(&self, id: ModuleId, interface: Digest) {
        if let Some(slot) = self.done.get(id.0 as usize) {
            let _ = slot.set(Done {
                interface,
                content: OnceLock::new(),
            });
        }
    }

    fn content(&self, id: ModuleId) -> Option<&Content> {
        let done = self.done.get(id.0 as usize)?.get()?;
        Some(done.content.get_or_init(|| {
            if let Some(module) = self.whole.as_ref().and_then(|all| all.get(id.0 as usize)) {
                return Content::of(Arc::clone(module), &[]);
            }
            let (module, broken) = self.past.restore(self, id);
            Content::of(module, &broken)
        }))
    }

    /// The module, if it is here.
    pub(crate) fn present(&self, id: ModuleId) -> Option<&Arc<Module>> {
        let content = self.done.get(id.0 as usize)?.get()?.content.get()?;
        Some(&content.module)
    }

    /// The module, if its check has ended.
    pub(crate) fn get(&self, id: ModuleId) -> Option<&Arc<Module>> {
        Some(&self.content(id)?.module)
    }

    /// What a module declares.
    pub(crate) fn exports(&self, id: ModuleId) -> Option<&Exports> {
        Some(&self.content(id)?.exports)
    }

    /// The digest of a module's interface, if its check has ended.
    pub(crate) fn interface(&self, id: ModuleId) -> Option<Digest> {
        Some(self.done.get(id.0 as usize)?.get()?.interface)
    }

    /// The numbers of all modules.
    pub(crate) fn ids(&self) -> impl Iterator<Item = ModuleId> + use<> {
        (0..self.units.len() as u32).map(ModuleId)
    }

    /// The module of that name.
    pub(crate) fn module(&self, name: Symbol) -> Option<ModuleId> {
        self.by_name.get(&name).copied()
    }

    /// The module's place in the program.
    pub(crate) fn unit(&self, id: ModuleId) -> Option<&Unit> {
        self.units.get(id.0 as usize)
    }

    /// The module's tree, parsed now if need be.
    pub(crate) fn tree(&self, unit: &Unit) -> Arc<Tree> {
        let tree = unit.parsed().clone();
        tree.unwrap_or_else(|| Arc::new(parse(unit.source, Arc::clone(&unit.text)).0))
    }

    /// The tree of a module that is to be checked. In a run that is kept it is not wanted
    /// afterwards: trees are larger than all that is made from them.
    pub(crate) fn take_tree(&self, unit: &Unit) -> Arc<Tree> {
        if unit.parsed().is_none() {
            Counters::add(&self.work.parsed, 1);
        }
        let tree = self.tree(unit);
        if self.past.is_kept() {
            *unit.parsed() = None;
        }
        tree
    }

    /// What a module knows without importing it: the kernel's own modules know what
    /// was checked before them.
    pub(crate) fn prelude(&self, asking: ModuleId) -> &Exports {
        static NOTHING: LazyLock<Exports> = LazyLock::new(Exports::default);
        let [types, functions] = IMPLICIT.map(|name| self.module(Symbol::new(name)));
        let exports = |id: Option<ModuleId>| id.and_then(|id| self.exports(id));
        match (types, functions) {
            (Some(types), _) if asking <= types => &NOTHING,
            (types, Some(functions)) if asking <= functions => exports(types).unwrap_or(&NOTHING),
            _ => self.prelude.get_or_init(|| {
                let mut all = exports(types).cloned().unwrap_or_default();
                for (name, exported) in exports(functions).into_iter().flatten() {
                    let known = all.entry(*name).or_default();
                    known.ty = known.ty.or(exported.ty);
                    if known.value.is_none() {
                        known.value.clone_from(&exported.value);
                    }
                }
                all
            }),
        }
    }

    /// A digest that is the same as long as a module loads the same modules: of its
    /// imports' names and their digests.
    pub(crate) fn loads(&self, id: ModuleId) -> Option<Digest> {
        let all = self.loads.get_or_init(|| {
            let mut all: Vec<Digest> = Vec::with_capacity(self.units.len());
            for unit in &self.units {
                let mut hash = blake3::Hasher::new();
                let mut imports: Vec<(&str, ModuleId)> = Vec::new();
                imports.extend(
                    unit.imports
                        .iter()
                        .filter_map(|import| Some((self.unit(*import)?.name.as_str(), *import))),
                );
                imports.sort_unstable();
                for (name, import) in imports {
                    hash.update(&(name.len() as u64).to_le_bytes());
                    hash.update(name.as_bytes());
                    // Modules come after their imports.
                    hash.update(&all[import.0 as usize]);
                }
                all.push(*hash.finalize().as_bytes());
            }
            all
        });
        all.get(id.0 as usize).copied()
    }

    /// Whether a module is among these, or is loaded by one of them.
    pub(crate) fn is_loaded(&self, module: ModuleId, by: &[ModuleId]) -> bool {
        let implicit = IMPLICIT.map(|name| self.module(Symbol::new(name)));
        if by.contains(&module) || implicit.contains(&Some(module)) {
            return true;
        }
        let mut loaders = self.loaders.lock().unwrap_or_else(PoisonError::into_inner);
        let loads = loaders.entry(module).or_insert_with(|| {
            let mut loads: Vec<bool> = Vec::with_capacity(self.units.len());
            for unit in &self.units {
                let through = |import: &ModuleId| *import == module || loads[import.0 as usize];
                // Modules come after their imports, so one pass tells.
                loads.push(unit.imports.iter().any(through));
            }
            loads.into()
        });
        by.iter()
            .any(|import| loads.get(import.0 as usize).copied().unwrap_or(false))
    }

    /// Where a name is declared, in the order of the modules' names.
    pub(crate) fn heads(&self, name: Symbol) -> &[Head] {
        let all = self.heads.get_or_init(|| {
            if self.whole.is_some() {
                return self.heads_of_modules();
            }
            let own = self.units.iter();
            let own = own.map(|unit| (self.tree(unit), unit.test_file));
            let unloaded = self.unloaded.trees();
            heads_of(own.chain(unloaded.map(|tree| (Arc::new(tree), false))))
        });
        all.get(&name).map_or(&[], Vec::as_slice)
    }

    fn heads_of_modules(&self) -> FxHashMap<Symbol, Vec<Head>> {
        let mut heads: FxHashMap<Symbol, Vec<Head>> = FxHashMap::default();
        for (id, unit) in self.ids().zip(&self.units) {
            for (name, exported) in self.exports(id).into_iter().flatten() {
                heads.entry(*name).or_default().push(Head {
                    module: unit.name,
                    test_file: unit.test_file,
                    is_type: exported.ty.is_some(),
                    is_value: exported.value.is_some(),
                });
            }
        }
        heads
    }
}

impl Content {
    fn of(module: Arc<Module>, broken: &[Symbol]) -> Self {
        let mut exports = exports(&module);
        for name in broken {
            exports.entry(*name).or_default().broken = true;
            // An operation with a mistake is brought by its service all the same.
            if let Some((owner, _)) = name.as_str().rsplit_once('.') {
                let owner = exports.entry(Symbol::new(owner)).or_default();
                owner.members.push(*name);
            }
        }
        Self { module, exports }
    }
}

fn heads_of(trees: impl Iterator<Item = (Arc<Tree>, bool)>) -> FxHashMap<Symbol, Vec<Head>> {
    let mut heads: FxHashMap<Symbol, Vec<Head>> = FxHashMap::default();
    let mut add = |name: Symbol, module: Symbol, test_file: bool, is_type: bool, is_value: bool| {
        let rows = heads.entry(name).or_default();
        match rows.iter_mut().find(|h| h.module == module) {
            Some(row) => {
                row.is_type |= is_type;
                row.is_value |= is_value;
            }
            None => rows.push(Head {
                module,
                test_file,
                is_type,
                is_value,
            }),
        }
    };
    for (tree, test_file) in trees {
        let tree = tree.as_ref();
        let Some((module, _)) = index::module_name(tree) else {
            continue;
        };
        for item in tree.children(tree.root()) {
            let kind = tree.kind(*item);
            let is_type = matches!(kind, Node::TypeDecl | Node::ResourceDecl);
            let name = match kind {
                Node::TypeDecl
                | Node::ResourceDecl
                | Node::FnDecl
                | Node::DataDecl
                | Node::FuncDecl => tree.child(*item, Node::Name),
                Node::ServiceDecl => tree.child(*item, Node::Path),
                _ => None,
            };
            let Some(name) = name else { continue };
            let record = tree.child(*item, Node::RecordBody).is_some();
            let (name, is_value) = (tree.symbol(name), !is_type || record);
            add(name, module, test_file, is_type, is_value);
            let Some(body) = tree.child(*item, Node::CoproductBody) else {
                continue;
            };
            for variant in tree.children_of(body, Node::Variant) {
                if let Some(name) = tree.child(variant, Node::Name) {
                    add(tree.symbol(name), module, test_file, false, true);
                }
            }
        }
    }
    for rows in heads.values_mut() {
        rows.sort_by_key(|h| h.module.as_str());
    }
    heads
}
