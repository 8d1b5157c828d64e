//! Which names a module can see, and where each comes from.

use super::Checker;
use super::open::Open;
use crate::core::{Ctor, ModuleId, Shape, TypeRef};
use crate::known::{Exported, Exports, Head, Value};
use crate::record::Target;
use dag_syntax::{Code, Diagnostic, Location, Node, NodeId, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

/// How a name came to be bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Own,
    Imported,
}

/// The names of a module. Its own hide the imported ones, and those hide the
/// prelude's.
#[derive(Debug)]
pub(super) struct Scope<'a> {
    types: FxHashMap<Symbol, (Origin, Option<TypeRef>)>,
    values: FxHashMap<Symbol, (Origin, Value)>,
    prelude: &'a Exports,
    /// In a lone expression: the names of all modules.
    open: Option<Open<'a>>,
    /// Imported names: where they are listed.
    imported: FxHashMap<Symbol, Location>,
    used: FxHashSet<Symbol>,
    /// Whether any name may have been imported from a module that is not known.
    pub(super) unsure: bool,
}

impl<'a> Scope<'a> {
    /// The names that every module knows.
    pub(super) fn new(prelude: &'a Exports) -> Self {
        Self {
            types: FxHashMap::default(),
            values: FxHashMap::default(),
            prelude,
            open: None,
            imported: FxHashMap::default(),
            used: FxHashSet::default(),
            unsure: false,
        }
    }

    /// Opens it to the names of all modules.
    pub(super) fn open_to(&mut self, open: Open<'a>) {
        self.open = Some(open);
    }

    /// What a name stands for that is neither declared here nor imported.
    fn known(&self, name: Symbol) -> impl Iterator<Item = &Exported> {
        let project = self.open.as_ref().and_then(|open| open.project(name));
        let prelude = std::iter::once_with(move || self.prelude.get(&name)).flatten();
        let library = move || self.open.as_ref().and_then(|open| open.library(name));
        let library = std::iter::once_with(library).flatten();
        project.into_iter().chain(prelude).chain(library)
    }

    /// The modules that declare a type of that name, if several do and it is not
    /// known which is meant.
    fn unclear_type(&self, name: Symbol) -> Option<Vec<Symbol>> {
        let open = self.open.as_ref()?;
        let has = |found: Option<&Exported>| found.is_some_and(|found| found.ty.is_some());
        let of_project = has(open.project(name));
        if self.types.contains_key(&name) || !of_project && has(self.prelude.get(&name)) {
            return None;
        }
        let modules = open.declaring_type(name, !of_project);
        (modules.len() > 1).then_some(modules)
    }

    pub(super) fn add_type(&mut self, name: Symbol, ty: TypeRef) {
        self.types.insert(name, (Origin::Own, Some(ty)));
    }

    /// A declaration whose text has a mistake: a type, a value, or both.
    pub(super) fn add_broken(&mut self, name: Symbol) {
        self.add_broken_of(Origin::Own, name);
    }

    /// What an import binds where it cannot be told.
    fn add_broken_of(&mut self, origin: Origin, name: Symbol) {
        self.types.entry(name).or_insert((origin, None));
        self.values.entry(name).or_insert((origin, Value::Broken));
        self.used.insert(name);
    }

    /// The name that a slip in an import's list probably stands for: its uses are right,
    /// unless something else has that name.
    fn add_meant(&mut self, name: Symbol) {
        if !self.types.contains_key(&name) && !self.values.contains_key(&name) {
            self.add_broken_of(Origin::Imported, name);
        }
    }

    /// Where the name is listed in an import.
    pub(super) fn imported_at(&self, name: Symbol) -> Option<Location> {
        self.imported.get(&name).copied()
    }

    pub(super) fn add_value(&mut self, name: Symbol, value: Value) {
        self.values.insert(name, (Origin::Own, value));
    }

    /// What the module itself declares under a name.
    pub(super) fn own(&self, name: Symbol) -> Exported {
        let own = |origin: &Origin| *origin == Origin::Own;
        Exported {
            ty: self
                .types
                .get(&name)
                .filter(|(o, _)| own(o))
                .and_then(|(_, t)| *t),
            value: self
                .values
                .get(&name)
                .filter(|(o, _)| own(o))
                .map(|(_, v)| v.clone()),
            broken: false,
            members: Vec::new(),
        }
    }

    /// The overloads of a name in the prelude's own module.
    pub(super) fn add_overload(&mut self, name: Symbol, decl: crate::core::DeclRef) {
        match self.values.get_mut(&name) {
            Some((Origin::Own, Value::Decls(decls))) => decls.push(decl),
            _ => self.add_value(name, Value::Decls(vec![decl])),
        }
    }

    /// The type of that name: none is unknown, `Some(None)` is broken.
    pub(super) fn ty(&mut self, name: Symbol) -> Option<Option<TypeRef>> {
        if let Some((_, ty)) = self.types.get(&name) {
            let ty = *ty;
            self.used.insert(name);
            self.use_owner(name);
            return Some(ty);
        }
        self.known(name).find_map(|found| found.ty).map(Some)
    }

    pub(super) fn value(&mut self, name: Symbol) -> Option<Value> {
        if let Some((_, value)) = self.values.get(&name) {
            let value = value.clone();
            self.used.insert(name);
            self.use_owner(name);
            return Some(value);
        }
        self.known(name).find_map(|found| found.value.clone())
    }

    /// A member of a service or resource is bound by the import of its owner.
    fn use_owner(&mut self, name: Symbol) {
        if let Some((owner, _)) = name.as_str().rsplit_once('.') {
            self.used.insert(Symbol::new(owner));
        }
    }

    /// Whether a name is one of the module's functions or data, or was imported
    /// as one: a module of that name is hidden then. A name that is only open to
    /// a lone expression hides none, or nothing of that module could be reached.
    pub(super) fn hides_module(&self, name: Symbol) -> bool {
        matches!(self.values.get(&name), Some((_, Value::Decls(_))))
    }

    fn value_names(&self) -> Vec<&'static str> {
        let known = self.known_names(|found| found.value.is_some());
        self.values
            .keys()
            .copied()
            .chain(known)
            .map(Symbol::as_str)
            .collect()
    }

    fn type_names(&self) -> Vec<&'static str> {
        let known = self.known_names(|found| found.ty.is_some());
        self.types
            .keys()
            .copied()
            .chain(known)
            .map(Symbol::as_str)
            .collect()
    }

    fn known_names(&self, fits: impl Fn(&Exported) -> bool) -> impl Iterator<Item = Symbol> {
        let prelude = self.prelude.iter().map(|(name, found)| (*name, found));
        let open = self.open.iter().flat_map(Open::all);
        let all = prelude.chain(open).filter(move |(_, found)| fits(found));
        all.map(|(name, _)| name)
    }
}

impl Checker<'_> {
    /// Binds the imported names.
    pub(super) fn import(&mut self) {
        let known = self.known;
        let mut meant = Vec::new();
        let mut all_of = Vec::new();
        for import in crate::index::imports(self.tree) {
            if let Some(module) = known.module(import.module) {
                self.refer_import(import.at.span, module);
            }
            // Only what was found to be importable: a test module may be known
            // and closed to this one, and was reported then.
            let module = known.module(import.module);
            let module = module.filter(|m| self.imports.contains(m));
            if self.tree.child(import.node, Node::Error).is_some() {
                all_of.push(module);
            }
            let Some(list) = self.tree.child(import.node, Node::ImportList) else {
                continue;
            };
            for node in self.tree.children(list).to_vec() {
                let near = self.import_name(module, self.tree.symbol(node), node);
                meant.extend(near);
            }
        }
        for name in meant {
            self.scope.add_meant(name);
        }
        for module in all_of {
            self.import_all(module);
        }
    }

    /// Binds what a module declares, where all of it was asked for: that was refused, and
    /// the uses of its names are no further mistakes.
    fn import_all(&mut self, module: Option<ModuleId>) {
        let Some(exports) = module.and_then(|module| self.program.exports(module)) else {
            self.scope.unsure = true;
            return;
        };
        for (name, found) in exports {
            let bound = self.scope.types.contains_key(name) || self.scope.values.contains_key(name);
            if !bound {
                self.bind_imported(*name, found);
            }
        }
    }

    /// Binds a name of an import's list; gives the name that was probably meant where it
    /// is a slip.
    fn import_name(
        &mut self,
        module: Option<ModuleId>,
        name: Symbol,
        node: NodeId,
    ) -> Option<Symbol> {
        let at = self.at(node);
        if let Some(first) = self.scope.imported_at(name) {
            let error = Diagnostic::error(
                Code::DuplicateName,
                at,
                format!("`{name}` is imported twice"),
            )
            .other(first, "the first time")
            .cure("remove one, or write it with its module's name where it is used");
            self.report(error);
            return None;
        }
        self.scope.imported.insert(name, at);
        // Otherwise the module itself was reported.
        let Some(module) = module else {
            self.scope.add_broken_of(Origin::Imported, name);
            return None;
        };
        let Some(found) = self.program.exports(module).and_then(|e| e.get(&name)) else {
            self.scope.add_broken_of(Origin::Imported, name);
            return self.unknown_import(module, name, node);
        };
        if let Some(ty) = found.ty {
            self.refer(node, Target::Type(ty));
        }
        if let Some(value) = &found.value {
            self.refer_value(node, value);
        }
        self.bind_imported(name, found);
        // A service or a resource brings its members.
        for member in &found.members {
            if let Some(found) = self.program.exports(module).and_then(|e| e.get(member)) {
                self.bind_imported(*member, found);
            }
        }
        None
    }

    fn bind_imported(&mut self, name: Symbol, found: &Exported) {
        if found.broken {
            self.scope.add_broken_of(Origin::Imported, name);
        }
        if let Some(ty) = found.ty {
            let types = &mut self.scope.types;
            types.insert(name, (Origin::Imported, Some(ty)));
        }
        if let Some(value) = &found.value {
            let values = &mut self.scope.values;
            values.insert(name, (Origin::Imported, value.clone()));
        }
    }

    /// An operation or a fact in sight: its whole name is bound, or its service
    /// could not be read.
    pub(super) fn member_value(&mut self, path: &str) -> Option<Value> {
        if let found @ Some(_) = self.scope.value(Symbol::new(path)) {
            return found;
        }
        let (owner, _) = path.rsplit_once('.')?;
        let owner = self.scope.values.get(&Symbol::new(owner));
        matches!(owner, Some((_, Value::Broken))).then_some(Value::Broken)
    }

    fn unknown_import(&mut self, module: ModuleId, name: Symbol, node: NodeId) -> Option<Symbol> {
        let known = self.known;
        let names = self.program.exports(module).into_iter().flatten();
        let near = self.nearest(name.as_str(), names.map(|(n, _)| n.as_str()));
        let module = known.unit(module).map_or(name, |unit| unit.name);
        let mut error = Diagnostic::error(
            Code::UnknownImport,
            self.at(node),
            format!("module `{module}` declares no `{name}`"),
        );
        match near {
            Some(near) => error = error.did_you_mean(near),
            None => {
                error.cure = self
                    .declared_by(name, |head| head.module != module)
                    .map(|other| format!("`{other}` declares it"));
            }
        }
        self.report(error);
        near.map(Symbol::new)
    }

    /// Refuses a declaration whose name is taken by an import.
    pub(super) fn refuse_imported(&mut self, name: Symbol, at: Location) {
        if let Some(import) = self.scope.imported_at(name) {
            let error = Diagnostic::error(
                Code::DuplicateName,
                at,
                format!("`{name}` is declared here and imported"),
            )
            .other(import, "imported here")
            .cure("give it another name, or remove the import");
            self.scope.used.insert(name);
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
            .filter(|(n, _)| !self.scope.used.contains(*n))
            .map(|(name, at)| (*name, *at))
            .collect();
        for (name, at) in unused {
            let mut warning = Diagnostic::warning(
                Code::UnusedImport,
                at,
                format!("`{name}` is imported and not used"),
            )
            .cure("remove it from the list");
            if let Some(edit) = self.unimport_edit(at) {
                warning = warning.fix("Remove the import", vec![edit]);
            }
            self.report(warning);
        }
    }

    /// What a dotted name stands for: a module's name, then a name it declares.
    /// The module is this one, or is loaded by an import.
    pub(super) fn qualified(&mut self, path: &str) -> Option<Exported> {
        let expanded = self.aliases.expand(path);
        let path = expanded.as_deref().unwrap_or(path);
        // A member of a service has dots of its own: the module's name ends at one
        // of them.
        let mut dots = path.rmatch_indices('.');
        dots.find_map(|(dot, _)| self.qualified_at(&path[..dot], &path[dot + 1..]))
    }

    fn qualified_at(&mut self, module: &str, name: &str) -> Option<Exported> {
        let (module, name) = (Symbol::new(module), Symbol::new(name));
        if module == self.name {
            return Some(self.scope.own(name));
        }
        self.program.note_loaded();
        let found = self.known.module(module)?;
        if !self.is_loaded(found) {
            return None;
        }
        let mut found = self.program.exports(found)?.get(&name).cloned()?;
        if found.broken && found.value.is_none() {
            found.value = Some(Value::Broken);
        }
        Some(found)
    }

    pub(super) fn is_loaded(&self, module: ModuleId) -> bool {
        let test_file = self.known.unit(module).is_some_and(|unit| unit.test_file);
        if test_file && !self.test_file {
            return false;
        }
        self.all_loaded || self.program.is_loaded(module, self.imports)
    }

    /// A type by the path in the tree; reports what is not known.
    pub(super) fn resolve_type(&mut self, node: NodeId) -> Option<TypeRef> {
        let name = self.tree.symbol(node);
        if let Some(modules) = self.scope.unclear_type(name) {
            self.ambiguous(name, &modules, node);
            return None;
        }
        if let Some(found) = self.scope.ty(name) {
            if let Some(ty) = found {
                self.refer(node, Target::Type(ty));
            }
            return found;
        }
        match self.qualified(name.as_str()) {
            Some(Exported { ty: Some(ty), .. }) => {
                self.refer(node, Target::Type(ty));
                return Some(ty);
            }
            Some(Exported { broken: true, .. }) => return None,
            _ => {}
        }
        if let Some(Value::Broken) = self.member_value(name.as_str()) {
            return None;
        }
        if self.is_below_broken(name) {
            return None;
        }
        let (written, name) = (name, self.unaliased(name));
        let mut error = Diagnostic::error(
            Code::UnknownType,
            self.at(node),
            format!("there is no type `{name}` here"),
        );
        let declared = self.where_declared(&mut error, name, true);
        self.known_from_here(name, declared);
        if let Some(near) = self.near_in_module(written, declared) {
            error = error.did_you_mean(&near);
        } else if let (false, Some(here)) = (declared, crate::elsewhere::type_name(name.as_str())) {
            error = error.did_you_mean(here);
        } else if !declared && self.suggests() {
            let names = self.scope.type_names();
            if let Some(near) = self.nearest(name.as_str(), names.into_iter()) {
                error = error.did_you_mean(near);
            }
        }
        self.report(error);
        None
    }

    /// Reports a value's name that is not known.
    pub(super) fn unknown_name(&mut self, name: Symbol, node: NodeId) {
        if self.is_below_broken(name) {
            return;
        }
        let (written, name) = (name, self.unaliased(name));
        let mut error = Diagnostic::error(
            Code::UnknownName,
            self.at(node),
            format!("there is no `{name}` here"),
        );
        let declared = self.where_declared(&mut error, name, false);
        self.known_from_here(name, declared);
        if self.in_default {
            // Most likely a parameter, which no likeness leads to.
            error = error.note(
                "a default value is worked out in its module, before any call: it sees no parameter",
            );
        } else if let Some(near) = self.near_in_module(written, declared) {
            error = error.did_you_mean(&near);
        } else if let (false, Some(cure)) = (declared, crate::elsewhere::cure(name.as_str())) {
            error = error.cure(cure);
        } else if !declared && self.suggests() {
            let locals = self.locals.iter().map(|(n, ..)| n.as_str());
            let names: Vec<&str> = locals.chain(self.scope.value_names()).collect();
            if let Some(near) = self.nearest(name.as_str(), names.into_iter()) {
                error = error.did_you_mean(near);
            }
        }
        self.report(error);
    }

    /// An import that is missing is one mistake, however often its name is used.
    fn known_from_here(&mut self, name: Symbol, declared: bool) {
        if declared {
            self.scope.add_broken(name);
        }
    }

    /// The name that a dotted one stands for, if it starts with an alias.
    fn unaliased(&mut self, name: Symbol) -> Symbol {
        let expanded = self.aliases.expand(name.as_str());
        expanded.map_or(name, |full| Symbol::new(&full))
    }

    /// The qualified name, written as this one is, that is nearest to a wrong one.
    fn near_in_module(&mut self, written: Symbol, declared: bool) -> Option<String> {
        let name = self.unaliased(written);
        let (module, last) = name.as_str().rsplit_once('.').filter(|_| !declared)?;
        let module = self.known.module(Symbol::new(module))?;
        let exports = self.program.exports(module);
        let exports = exports.filter(|_| self.is_loaded(module))?;
        let names = exports.keys().map(|name| name.as_str());
        let near = self.nearest(last, names)?;
        let (front, _) = written.as_str().rsplit_once('.')?;
        Some(format!("{front}.{near}"))
    }

    /// The module that declares a name and that this one may import.
    fn declared_by(&self, name: Symbol, fits: impl Fn(&Head) -> bool) -> Option<Symbol> {
        let heads = self.known.heads(name).iter();
        heads
            .filter(|h| (!h.test_file || self.test_file) && h.module != self.name)
            .find(|h| fits(h))
            .map(|h| h.module)
    }

    /// Adds what would bind a name, the import of a module that declares it. Says
    /// whether there is such a module.
    fn where_declared(&self, error: &mut Diagnostic, name: Symbol, ty: bool) -> bool {
        let fits = |head: &Head| if ty { head.is_type } else { head.is_value };
        if let Some(module) = self.declared_by(name, fits) {
            if self.all_loaded {
                error.cure = Some(format!("write `{module}.{name}`"));
            } else {
                error.cure = Some(format!(
                    "`{name}` is declared by `{module}`: write `import {module} {{ {name} }}`"
                ));
                self.add_import(error, module, Some(name));
            }
            return true;
        }
        // A qualified name whose module is not loaded, or a member.
        if let Some((owned, _)) = name.as_str().rsplit_once('.')
            && let Some(owner) = self.declared_by(Symbol::new(owned), |_| true)
        {
            error.cure = Some(format!(
                "`{owned}` is declared by `{owner}`: write `import {owner} {{ {owned} }}`"
            ));
            self.add_import(error, owner, Some(Symbol::new(owned)));
            return true;
        }
        let qualified = name.as_str().rsplit_once('.').and_then(|(module, last)| {
            self.declared_by(Symbol::new(last), |head| {
                fits(head) && head.module.as_str() == module
            })
        });
        let Some(module) = qualified else {
            return false;
        };
        error.cure = Some(format!("write `import {module}` to load the module"));
        self.add_import(error, module, None);
        true
    }

    /// Whether the type is an alias of a record, and of which.
    pub(super) fn record_behind(&self, ty: TypeRef) -> Option<Ctor> {
        match &self.type_def(ty)?.shape {
            Shape::Record(_) => Some(Ctor { ty, variant: 0 }),
            _ => None,
        }
    }
}
