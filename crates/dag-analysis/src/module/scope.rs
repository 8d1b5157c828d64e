//! Which names a module can see, and where each comes from.

use super::Checker;
use crate::core::{Ctor, DeclRef, Module, Program, Shape, TypeRef};
use crate::kernel::Kernel;
use crate::program::PRELUDE;
use dag_syntax::{Code, Diagnostic, Location, Node, NodeId, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

/// How a name came to be bound; a smaller one hides a larger one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Origin {
    Own,
    Imported,
    Prelude,
    /// In a lone expression: declared by exactly one module.
    Open,
}

/// What a name stands for among values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
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

/// The names of a module.
#[derive(Debug, Default)]
pub(super) struct Scope {
    types: FxHashMap<Symbol, (Origin, Option<TypeRef>)>,
    values: FxHashMap<Symbol, (Origin, Value)>,
    /// Imported names: where they are listed, and whether they were used.
    imported: Vec<(Symbol, Location)>,
    used: FxHashSet<Symbol>,
}

impl Scope {
    /// The names that every module knows.
    pub(super) fn prelude(program: &Program) -> Self {
        let mut scope = Self::default();
        for name in [Kernel::MODULE, PRELUDE] {
            if let Some(module) = program.module_named(name) {
                scope.add_all(module, Origin::Prelude);
            }
        }
        scope
    }

    /// Binds the names that exactly one of the modules declares.
    pub(super) fn open_to(&mut self, program: &Program, library: &dyn Fn(&Module) -> bool) {
        // The project's own names hide the library's.
        for from_library in [false, true] {
            let mut level = Self::default();
            for module in program
                .modules
                .iter()
                .filter(|m| !m.test_file && library(m) == from_library)
            {
                level.add_all(module, Origin::Open);
            }
            for (name, entry) in level.types {
                self.types.entry(name).or_insert(entry);
            }
            for (name, entry) in level.values {
                self.values.entry(name).or_insert(entry);
            }
        }
    }

    fn add_all(&mut self, module: &Module, origin: Origin) {
        let names: FxHashSet<Symbol> = module
            .types
            .iter()
            .flat_map(|t| std::iter::once(t.name).chain(t.variants().iter().map(|v| v.name)))
            .chain(module.decls.iter().map(|d| d.name))
            .collect();
        for name in names {
            let found = exported(module, name);
            if let Some(ty) = found.ty {
                self.types.entry(name).or_insert((origin, Some(ty)));
            }
            if let Some(value) = found.value {
                match self.values.get_mut(&name) {
                    None => {
                        self.values.insert(name, (origin, value));
                    }
                    Some((Origin::Open, existing)) if origin == Origin::Open => {
                        *existing = match std::mem::replace(existing, Value::Broken) {
                            Value::Ambiguous(mut modules) => {
                                modules.push(module.name);
                                Value::Ambiguous(modules)
                            }
                            _ => Value::Ambiguous(vec![module.name]),
                        };
                    }
                    Some(_) => {}
                }
            }
        }
    }

    pub(super) fn add_type(&mut self, name: Symbol, ty: TypeRef) {
        self.types.insert(name, (Origin::Own, Some(ty)));
    }

    /// A type whose declaration has a mistake.
    pub(super) fn add_broken_type(&mut self, name: Symbol) {
        self.types.insert(name, (Origin::Own, None));
    }

    /// Where the name is listed in an import.
    pub(super) fn imported_at(&self, name: Symbol) -> Option<Location> {
        self.imported
            .iter()
            .find(|(n, _)| *n == name)
            .map(|(_, at)| *at)
    }

    pub(super) fn add_value(&mut self, name: Symbol, value: Value) {
        self.values.insert(name, (Origin::Own, value));
    }

    /// The overloads of a name in the prelude's own module.
    pub(super) fn add_overload(&mut self, name: Symbol, decl: DeclRef) {
        match self.values.get_mut(&name) {
            Some((Origin::Own, Value::Decls(decls))) => decls.push(decl),
            _ => self.add_value(name, Value::Decls(vec![decl])),
        }
    }

    /// The type of that name: none is unknown, `Some(None)` is broken.
    pub(super) fn ty(&mut self, name: Symbol) -> Option<Option<TypeRef>> {
        let (_, ty) = *self.types.get(&name)?;
        self.used.insert(name);
        Some(ty)
    }

    pub(super) fn value(&mut self, name: Symbol) -> Option<Value> {
        let (_, value) = self.values.get(&name)?;
        let value = value.clone();
        self.used.insert(name);
        Some(value)
    }

    pub(super) fn value_names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.values.keys().map(|n| n.as_str())
    }

    pub(super) fn type_names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.types.keys().map(|n| n.as_str())
    }

    fn is_imported(&self, name: Symbol) -> bool {
        self.imported.iter().any(|(n, _)| *n == name)
    }
}

/// What a module declares under a name: a type, a value, or (a record) both.
#[derive(Default)]
pub(super) struct Exported {
    pub(super) ty: Option<TypeRef>,
    pub(super) value: Option<Value>,
}

/// What a module declares under a name.
pub(super) fn exported(module: &Module, name: Symbol) -> Exported {
    let ty = module.type_named(name).map(|(ty, _)| ty);
    let ctor = module.types.iter().enumerate().find_map(|(index, def)| {
        let (variant, _) = def.variant_named(name)?;
        let ty = TypeRef {
            module: module.id,
            index: index as u32,
        };
        Some(Value::Ctor(Ctor { ty, variant }))
    });
    let decls: Vec<DeclRef> = module
        .decls
        .iter()
        .enumerate()
        .filter(|(_, d)| d.name == name)
        .map(|(index, _)| DeclRef {
            module: module.id,
            index: index as u32,
        })
        .collect();
    let value = if decls.is_empty() {
        ctor
    } else {
        Some(Value::Decls(decls))
    };
    Exported { ty, value }
}

impl Checker<'_> {
    /// Binds the imported names.
    pub(super) fn import(&mut self) {
        let program = self.program;
        for import in crate::index::imports(self.tree) {
            let Some(list) = self.tree.child(import.node, Node::ImportList) else {
                continue;
            };
            let module = program.module_named(import.module.as_str());
            let mut seen = FxHashSet::default();
            for node in self.tree.children(list).to_vec() {
                let name = self.tree.symbol(node);
                let at = self.at(node);
                if !seen.insert(name) {
                    self.error(
                        Code::DuplicateName,
                        node,
                        format!("`{name}` is listed twice"),
                    );
                    continue;
                }
                if self.scope.is_imported(name) {
                    self.report(
                        Diagnostic::error(
                            Code::DuplicateName,
                            at,
                            format!("`{name}` is imported from two modules"),
                        )
                        .cure("import one of them, and write the other with its module's name"),
                    );
                    continue;
                }
                self.scope.imported.push((name, at));
                let Some(module) = module else {
                    // The module itself was reported.
                    self.scope.types.insert(name, (Origin::Imported, None));
                    self.scope
                        .values
                        .insert(name, (Origin::Imported, Value::Broken));
                    self.scope.used.insert(name);
                    continue;
                };
                let found = exported(module, name);
                if found.ty.is_none() && found.value.is_none() {
                    self.unknown_import(module, name, node);
                    self.scope.types.insert(name, (Origin::Imported, None));
                    self.scope
                        .values
                        .insert(name, (Origin::Imported, Value::Broken));
                    self.scope.used.insert(name);
                    continue;
                }
                if let Some(ty) = found.ty {
                    self.scope.types.insert(name, (Origin::Imported, Some(ty)));
                }
                if let Some(value) = found.value {
                    self.scope.values.insert(name, (Origin::Imported, value));
                }
            }
        }
    }

    fn unknown_import(&mut self, module: &Module, name: Symbol, node: NodeId) {
        let names = module
            .types
            .iter()
            .flat_map(|t| std::iter::once(t.name).chain(t.variants().iter().map(|v| v.name)))
            .chain(module.decls.iter().map(|d| d.name))
            .map(|n| n.as_str());
        let near = crate::suggest::nearest(name.as_str(), names);
        let mut error = Diagnostic::error(
            Code::UnknownImport,
            self.at(node),
            format!("module `{}` declares no `{name}`", module.name),
        );
        if let Some(near) = near {
            error = error.cure(format!("did you mean `{near}`?"));
        }
        self.report(error);
    }

    /// Refuses a declaration whose name is taken by an import.
    pub(super) fn refuse_imported(&mut self, name: Symbol, node: NodeId) {
        if let Some((_, at)) = self.scope.imported.iter().find(|(n, _)| *n == name) {
            let error = Diagnostic::error(
                Code::DuplicateName,
                self.at(node),
                format!("`{name}` is declared here and imported"),
            )
            .other(*at, "imported here");
            self.report(error);
        }
    }

    pub(super) fn unused_imports(&mut self) {
        if self.library {
            return;
        }
        let unused: Vec<(Symbol, Location)> = self
            .scope
            .imported
            .iter()
            .filter(|(n, _)| !self.scope.used.contains(n))
            .copied()
            .collect();
        for (name, at) in unused {
            self.report(
                Diagnostic::warning(
                    Code::UnusedImport,
                    at,
                    format!("`{name}` is imported and not used"),
                )
                .cure("remove it from the list"),
            );
        }
    }

    /// What a dotted name stands for: a module's name, then a name it declares.
    pub(super) fn qualified(&mut self, path: &str) -> Option<Exported> {
        let (module, name) = path.rsplit_once('.')?;
        if Symbol::new(module) == self.name {
            let name = Symbol::new(name);
            let ty = self
                .scope
                .types
                .get(&name)
                .filter(|(o, _)| *o == Origin::Own)
                .and_then(|(_, t)| *t);
            let value = self
                .scope
                .values
                .get(&name)
                .filter(|(o, _)| *o == Origin::Own)
                .map(|(_, v)| v.clone());
            return Some(Exported { ty, value });
        }
        let found = self.program.module_named(module)?;
        if found.test_file && !self.test_file {
            return None;
        }
        Some(exported(found, Symbol::new(name)))
    }

    /// A type by the path in the tree; reports what is not known.
    pub(super) fn resolve_type(&mut self, node: NodeId) -> Option<TypeRef> {
        let name = self.tree.symbol(node);
        if let Some(found) = self.scope.ty(name) {
            return found;
        }
        if let Some(Exported { ty: Some(ty), .. }) = self.qualified(name.as_str()) {
            return Some(ty);
        }
        let mut error = Diagnostic::error(
            Code::UnknownType,
            self.at(node),
            format!("there is no type `{name}` here"),
        );
        error.cure = self.where_declared(name, true).or_else(|| {
            crate::suggest::nearest(name.as_str(), self.scope.type_names())
                .map(|near| format!("did you mean `{near}`?"))
        });
        self.report(error);
        None
    }

    /// Reports a value's name that is not known.
    pub(super) fn unknown_name(&mut self, name: Symbol, node: NodeId) {
        let mut error = Diagnostic::error(
            Code::UnknownName,
            self.at(node),
            format!("there is no `{name}` here"),
        );
        let locals: Vec<&'static str> = self.locals.iter().map(|(n, ..)| n.as_str()).collect();
        error.cure = self.where_declared(name, false).or_else(|| {
            let names = locals.into_iter().chain(self.scope.value_names());
            crate::suggest::nearest(name.as_str(), names)
                .map(|near| format!("did you mean `{near}`?"))
        });
        self.report(error);
    }

    /// The import that would bind a name.
    fn where_declared(&self, name: Symbol, ty: bool) -> Option<String> {
        let declares = |m: &&std::sync::Arc<Module>| {
            let found = exported(m, name);
            (!m.test_file || self.test_file)
                && if ty {
                    found.ty.is_some()
                } else {
                    found.value.is_some()
                }
        };
        let module = self.program.modules.iter().find(declares)?;
        Some(format!(
            "`{name}` is declared by `{0}`: write `import {0} {{ {name} }}`",
            module.name
        ))
    }

    /// Whether the type is an alias of a record, and of which.
    pub(super) fn record_behind(&self, ty: TypeRef) -> Option<Ctor> {
        match &self.type_def(ty)?.shape {
            Shape::Record(_) => Some(Ctor { ty, variant: 0 }),
            _ => None,
        }
    }
}
