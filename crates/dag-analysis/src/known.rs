//! The modules before the one at hand, and what each declares: found by name,
//! never by a scan, because every module asks.

use crate::core::{Ctor, DeclRef, Module, ModuleId, Program, TypeRef};
use crate::index;
use crate::kernel::Kernel;
use crate::program::PRELUDE;
use dag_syntax::{Node, Symbol, Tree};
use rustc_hash::FxHashMap;
use std::cell::{OnceCell, RefCell};

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

/// The modules checked so far, and the texts of all.
#[derive(Default)]
pub(crate) struct Known<'a> {
    by_name: FxHashMap<Symbol, ModuleId>,
    exports: Vec<Exports>,
    imports: Vec<Vec<ModuleId>>,
    /// For each module that somebody asked for: which modules load it.
    loaders: RefCell<FxHashMap<ModuleId, Vec<bool>>>,
    prelude: Exports,
    texts: Vec<(&'a Tree, bool)>,
    heads: OnceCell<FxHashMap<Symbol, Vec<Head>>>,
}

impl<'a> Known<'a> {
    /// Nothing checked yet, of these texts; the flag marks test files.
    pub(crate) fn of_texts(texts: Vec<(&'a Tree, bool)>) -> Self {
        Self {
            texts,
            ..Self::default()
        }
    }

    /// Every module of a checked program.
    pub(crate) fn of_program(program: &Program) -> Self {
        let mut known = Self::default();
        let mut heads: FxHashMap<Symbol, Vec<Head>> = FxHashMap::default();
        for module in &program.modules {
            known.add(module, Vec::new(), &[]);
            for (name, exported) in known.exports.last().into_iter().flatten() {
                heads.entry(*name).or_default().push(Head {
                    module: module.name,
                    test_file: module.test_file,
                    is_type: exported.ty.is_some(),
                    is_value: exported.value.is_some(),
                });
            }
        }
        known.heads = OnceCell::from(heads);
        known
    }

    /// A module that was checked, the modules it imports, and the names of its
    /// items that do not parse.
    pub(crate) fn add(&mut self, module: &Module, imports: Vec<ModuleId>, broken: &[Symbol]) {
        let mut exports = exports(module);
        for name in broken {
            exports.entry(*name).or_default().broken = true;
        }
        if module.name.as_str() == Kernel::MODULE || module.name.as_str() == PRELUDE {
            for (name, exported) in &exports {
                let known = self.prelude.entry(*name).or_default();
                known.ty = known.ty.or(exported.ty);
                if known.value.is_none() {
                    known.value.clone_from(&exported.value);
                }
            }
        }
        self.by_name.insert(module.name, module.id);
        self.exports.push(exports);
        self.imports.push(imports);
    }

    /// The module of that name.
    pub(crate) fn module(&self, name: Symbol) -> Option<ModuleId> {
        self.by_name.get(&name).copied()
    }

    /// What a module declares.
    pub(crate) fn exports(&self, module: ModuleId) -> Option<&Exports> {
        self.exports.get(module.0 as usize)
    }

    /// What every module knows without importing it.
    pub(crate) fn prelude(&self) -> &Exports {
        &self.prelude
    }

    /// Whether a module is among these, or is loaded by one of them.
    pub(crate) fn is_loaded(&self, module: ModuleId, by: &[ModuleId]) -> bool {
        let prelude = [Kernel::MODULE, PRELUDE].map(|name| self.module(Symbol::new(name)));
        if by.contains(&module) || prelude.contains(&Some(module)) {
            return true;
        }
        let mut loaders = self.loaders.borrow_mut();
        let loads = loaders.entry(module).or_default();
        // Modules come after their imports, so one pass tells, and later ones
        // only add to it.
        for imports in &self.imports[loads.len()..] {
            let through = |import: &ModuleId| {
                *import == module || loads.get(import.0 as usize).copied().unwrap_or(false)
            };
            loads.push(imports.iter().any(through));
        }
        by.iter()
            .any(|import| loads.get(import.0 as usize).copied().unwrap_or(false))
    }

    /// Where a name is declared, in the order of the modules' names.
    pub(crate) fn heads(&self, name: Symbol) -> &[Head] {
        let all = self.heads.get_or_init(|| heads_of(&self.texts));
        all.get(&name).map_or(&[], Vec::as_slice)
    }
}

fn heads_of(texts: &[(&Tree, bool)]) -> FxHashMap<Symbol, Vec<Head>> {
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
    for (tree, test_file) in texts {
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
            add(name, module, *test_file, is_type, is_value);
            let Some(body) = tree.child(*item, Node::CoproductBody) else {
                continue;
            };
            for variant in tree.children_of(body, Node::Variant) {
                if let Some(name) = tree.child(variant, Node::Name) {
                    add(tree.symbol(name), module, *test_file, false, true);
                }
            }
        }
    }
    for rows in heads.values_mut() {
        rows.sort_by_key(|h| h.module.as_str());
    }
    heads
}
