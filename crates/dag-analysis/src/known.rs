//! The modules before the one at hand, and what each declares: found by name,
//! never by a scan, because every module asks.

use crate::core::{Ctor, Decl, DeclRef, Module, ModuleId, Program, TypeRef};
use crate::index;
use crate::kernel::Kernel;
use crate::unloaded::Unloaded;
use dag_syntax::{Node, Symbol, Tree};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

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
        let index = index as u32;
        let decl_ref = DeclRef {
            module: module.id,
            index,
        };
        match &mut names.entry(decl.name).or_default().value {
            Some(Value::Decls(rows)) => rows.push(decl_ref),
            value => *value = Some(Value::Decls(vec![decl_ref])),
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

/// The modules of a program while it is checked: each appears when its own check
/// ends. A module is only asked for by those that load it, which come after it.
#[derive(Default)]
pub(crate) struct Modules {
    done: Vec<OnceLock<Done>>,
}

struct Done {
    module: Arc<Module>,
    exports: Exports,
}

impl Modules {
    /// The module, if its check has ended.
    pub(crate) fn get(&self, id: ModuleId) -> Option<&Module> {
        Some(self.done.get(id.0 as usize)?.get()?.module.as_ref())
    }

    /// A function or `data` item of a module whose check has ended: whoever has a
    /// reference to it has it from there.
    pub(crate) fn decl(&self, decl: DeclRef) -> &Decl {
        match self.get(decl.module) {
            Some(module) => &module.decls[decl.index as usize],
            None => unreachable!("a module refers to those that were checked before it"),
        }
    }

    /// Those whose check has ended, imports before importers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Module>> {
        self.done.iter().filter_map(|d| Some(&d.get()?.module))
    }
}

/// A module as its text has it.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub(crate) name: Symbol,
    pub(crate) test_file: bool,
    /// The modules it imports, all of smaller numbers.
    pub(crate) imports: Vec<ModuleId>,
}

/// Every module of a program: its place among the others, known from the texts
/// alone, and what it declares, known when it is checked.
#[derive(Default)]
pub(crate) struct Known<'a> {
    by_name: FxHashMap<Symbol, ModuleId>,
    texts: Vec<Text>,
    modules: Modules,
    /// For each module that somebody asked for: which modules load it.
    loaders: Mutex<FxHashMap<ModuleId, Arc<[bool]>>>,
    prelude: Exports,
    trees: Vec<(&'a Tree, bool)>,
    unloaded: Unloaded,
    heads: OnceLock<FxHashMap<Symbol, Vec<Head>>>,
}

impl<'a> Known<'a> {
    /// Nothing checked yet. The texts stand in the order of their numbers; the
    /// trees are those of all files, and the flag marks test files.
    pub(crate) fn of_texts(
        texts: Vec<Text>,
        trees: Vec<(&'a Tree, bool)>,
        unloaded: Unloaded,
    ) -> Self {
        let ids = (0..).map(ModuleId);
        Self {
            by_name: texts.iter().map(|t| t.name).zip(ids).collect(),
            modules: Modules {
                done: texts.iter().map(|_| OnceLock::new()).collect(),
            },
            texts,
            trees,
            unloaded,
            ..Self::default()
        }
    }

    /// Every module of a checked program.
    pub(crate) fn of_program(program: &Program) -> Self {
        let text = |module: &Arc<Module>| Text {
            name: module.name,
            test_file: module.test_file,
            imports: Vec::new(),
        };
        let mut known = Self::of_texts(
            program.modules.iter().map(text).collect(),
            Vec::new(),
            Unloaded::default(),
        );
        let mut heads: FxHashMap<Symbol, Vec<Head>> = FxHashMap::default();
        for module in &program.modules {
            known.add(Arc::clone(module), &[]);
            known.add_to_prelude(module.id);
            for (name, exported) in known.exports(module.id).into_iter().flatten() {
                heads.entry(*name).or_default().push(Head {
                    module: module.name,
                    test_file: module.test_file,
                    is_type: exported.ty.is_some(),
                    is_value: exported.value.is_some(),
                });
            }
        }
        known.heads = OnceLock::from(heads);
        known
    }

    /// A module that was checked, and the names of its items that do not parse.
    pub(crate) fn add(&self, module: Arc<Module>, broken: &[Symbol]) {
        let mut exports = exports(&module);
        for name in broken {
            exports.entry(*name).or_default().broken = true;
        }
        if let Some(slot) = self.modules.done.get(module.id.0 as usize) {
            // A module is checked once, so the slot is free.
            let _ = slot.set(Done { module, exports });
        }
    }

    /// Lets every module know what a module declares, if it is one of the
    /// kernel's. Nothing that comes later may have been checked yet.
    pub(crate) fn add_to_prelude(&mut self, module: ModuleId) {
        let Some(done) = self.modules.done.get(module.0 as usize) else {
            return;
        };
        let Some(Done { module, exports }) = done.get() else {
            return;
        };
        if !IMPLICIT.contains(&module.name.as_str()) {
            return;
        }
        for (name, exported) in exports {
            let known = self.prelude.entry(*name).or_default();
            known.ty = known.ty.or(exported.ty);
            if known.value.is_none() {
                known.value.clone_from(&exported.value);
            }
        }
    }

    /// The modules, as far as they are checked.
    pub(crate) fn modules(&self) -> &Modules {
        &self.modules
    }

    /// The module of that name.
    pub(crate) fn module(&self, name: Symbol) -> Option<ModuleId> {
        self.by_name.get(&name).copied()
    }

    /// The module as its text has it.
    pub(crate) fn text(&self, module: ModuleId) -> Option<&Text> {
        self.texts.get(module.0 as usize)
    }

    /// What a module declares.
    pub(crate) fn exports(&self, module: ModuleId) -> Option<&Exports> {
        Some(&self.modules.done.get(module.0 as usize)?.get()?.exports)
    }

    /// What every module knows without importing it.
    pub(crate) fn prelude(&self) -> &Exports {
        &self.prelude
    }

    /// Whether a module is among these, or is loaded by one of them.
    pub(crate) fn is_loaded(&self, module: ModuleId, by: &[ModuleId]) -> bool {
        let implicit = IMPLICIT.map(|name| self.module(Symbol::new(name)));
        if by.contains(&module) || implicit.contains(&Some(module)) {
            return true;
        }
        let mut loaders = self.loaders.lock().unwrap_or_else(PoisonError::into_inner);
        let loads = loaders.entry(module).or_insert_with(|| {
            let mut loads: Vec<bool> = Vec::with_capacity(self.texts.len());
            for text in &self.texts {
                let through = |import: &ModuleId| *import == module || loads[import.0 as usize];
                // Modules come after their imports, so one pass tells.
                loads.push(text.imports.iter().any(through));
            }
            loads.into()
        });
        by.iter()
            .any(|import| loads.get(import.0 as usize).copied().unwrap_or(false))
    }

    /// Where a name is declared, in the order of the modules' names.
    pub(crate) fn heads(&self, name: Symbol) -> &[Head] {
        let all = self
            .heads
            .get_or_init(|| heads_of(&self.trees, &self.unloaded));
        all.get(&name).map_or(&[], Vec::as_slice)
    }
}

fn heads_of(trees: &[(&Tree, bool)], unloaded: &Unloaded) -> FxHashMap<Symbol, Vec<Head>> {
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
    let unloaded: Vec<Tree> = unloaded.trees().collect();
    let unloaded = unloaded.iter().map(|tree| (tree, false));
    for (tree, test_file) in trees.iter().copied().chain(unloaded) {
        let Some((module, _)) = index::module_name(tree) else {
            continue;
        };
        for item in tree.children(tree.root()) {
            let is_type = tree.kind(*item) == Node::TypeDecl;
            if !is_type && !matches!(tree.kind(*item), Node::FnDecl | Node::DataDecl) {
                continue;
            }
            let Some(name) = tree.child(*item, Node::Name) else {
                continue;
            };
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
