//! The names that a lone expression sees without an import: those of every module of the
//! program. They are gathered when one of them is asked for, because most expressions
//! name a module and then one of its items.

use crate::core::ModuleId;
use crate::known::{Exported, Known, Value};
use crate::reads::Reads;
use dag_syntax::{SourceId, Symbol};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::fmt;

type Names = FxHashMap<Symbol, Exported>;

pub(super) struct Open<'a> {
    known: &'a Known,
    reads: &'a Reads<'a>,
    library: &'a dyn Fn(SourceId) -> bool,
    /// The project's names, and the library's.
    names: OnceCell<[Names; 2]>,
}

impl<'a> Open<'a> {
    pub(super) fn new(
        known: &'a Known,
        reads: &'a Reads<'a>,
        library: &'a dyn Fn(SourceId) -> bool,
    ) -> Self {
        Self {
            known,
            reads,
            library,
            names: OnceCell::new(),
        }
    }

    /// What a name stands for in the project's modules: it hides the prelude, as an
    /// imported one would.
    pub(super) fn project(&self, name: Symbol) -> Option<&Exported> {
        self.names_with(name)?[0].get(&name)
    }

    /// What a name stands for in the library's modules.
    pub(super) fn library(&self, name: Symbol) -> Option<&Exported> {
        self.names_with(name)?[1].get(&name)
    }

    /// All names, for what is near to one that is not there.
    pub(super) fn all(&self) -> impl Iterator<Item = (Symbol, &Exported)> {
        let levels = self.names.get_or_init(|| self.gathered()).iter();
        levels.flat_map(|names| names.iter().map(|(name, found)| (*name, found)))
    }

    fn names_with(&self, name: Symbol) -> Option<&[Names; 2]> {
        let module = |(dot, _): (usize, &str)| {
            let module = Symbol::new(name.as_str().get(..dot)?);
            self.known.module(module)
        };
        if name.as_str().match_indices('.').find_map(module).is_some() {
            return None;
        }
        Some(self.names.get_or_init(|| self.gathered()))
    }

    /// The modules that declare a type of that name, of the project or of the library.
    pub(super) fn declaring_type(&self, name: Symbol, of_library: bool) -> Vec<Symbol> {
        let declares = |id: &ModuleId| {
            let found = self.reads.exports(*id).and_then(|e| e.get(&name));
            found.is_some_and(|found| found.ty.is_some())
        };
        let modules = self.modules(of_library).into_iter().filter(declares);
        let units = modules.filter_map(|id| self.known.unit(id));
        units.map(|unit| unit.name).collect()
    }

    fn gathered(&self) -> [Names; 2] {
        [false, true].map(|of_library| self.declared(&self.modules(of_library)))
    }

    fn modules(&self, of_library: bool) -> Vec<ModuleId> {
        let open = |id: &ModuleId| {
            let unit = self.known.unit(*id);
            unit.is_some_and(|u| !u.test_file && (self.library)(u.source) == of_library)
        };
        self.known.ids().filter(open).collect()
    }

    /// What modules declare; a value that several of them declare is ambiguous.
    fn declared(&self, modules: &[ModuleId]) -> Names {
        let mut names = Names::default();
        for id in modules {
            let module = self.known.unit(*id).map_or("".into(), |unit| unit.name);
            for (name, exported) in self.reads.exports(*id).into_iter().flatten() {
                let found = names.entry(*name).or_default();
                found.ty = found.ty.or(exported.ty);
                let Some(value) = &exported.value else {
                    continue;
                };
                found.value = Some(match found.value.take() {
                    None => value.clone(),
                    Some(Value::Ambiguous(mut others)) => {
                        others.push(module);
                        Value::Ambiguous(others)
                    }
                    Some(first) => Value::Ambiguous(
                        self.module_of(&first).into_iter().chain([module]).collect(),
                    ),
                });
            }
        }
        names
    }

    fn module_of(&self, value: &Value) -> Option<Symbol> {
        let id = match value {
            Value::Decls(decls) => decls.first()?.module,
            Value::Ctor(ctor) => ctor.ty.module,
            Value::Broken | Value::Ambiguous(_) => return None,
        };
        self.known.unit(id).map(|unit| unit.name)
    }
}

impl fmt::Debug for Open<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Open").finish_non_exhaustive()
    }
}
