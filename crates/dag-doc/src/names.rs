//! Where a name leads: declared here, imported, written with its module, or known to all.

use crate::piece::Target;
use std::collections::HashMap;

/// The modules that every module knows without importing them.
const IMPLICIT: [&str; 2] = ["std.types", "std.prelude"];

/// What each module declares, by module and name.
#[derive(Debug, Default)]
pub(crate) struct Names {
    modules: HashMap<String, usize>,
    types: HashMap<(usize, String), Target>,
    /// Of several functions of one name the first.
    values: HashMap<(usize, String), Target>,
}

impl Names {
    pub(crate) fn add_module(&mut self, name: &str, number: usize) {
        self.modules.insert(name.to_owned(), number);
    }

    pub(crate) fn add_type(&mut self, name: &str, target: Target) {
        let key = (target.module, name.to_owned());
        self.types.entry(key).or_insert(target);
    }

    pub(crate) fn add_value(&mut self, name: &str, target: Target) {
        let key = (target.module, name.to_owned());
        self.values.entry(key).or_insert(target);
    }

    pub(crate) fn module(&self, name: &str) -> Option<usize> {
        self.modules.get(name).copied()
    }
}

/// What a module's names stand for, in an item of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scope<'a> {
    pub(crate) names: &'a Names,
    pub(crate) module: usize,
    /// Names that are listed in imports, with the module that each comes from.
    pub(crate) imported: &'a HashMap<String, String>,
    /// Other names for modules, or for the beginnings of their names.
    pub(crate) aliases: &'a HashMap<String, String>,
    /// Names of type parameters.
    pub(crate) params: &'a [String],
}

impl Scope<'_> {
    /// Where the name of a type leads.
    pub(crate) fn ty(&self, name: &str) -> Option<Target> {
        if self.params.iter().any(|param| param == name) {
            return None;
        }
        self.find(name, &self.names.types)
    }

    /// Where a name leads that stands as code in an annotation: an item, or a module.
    pub(crate) fn any(&self, name: &str) -> Option<Target> {
        let of_module = || {
            let module = self.names.module(&self.unaliased(name))?;
            Some(Target {
                module,
                item: None,
                part: None,
            })
        };
        self.ty(name)
            .or_else(|| self.find(name, &self.names.values))
            .or_else(of_module)
    }

    /// A module's name, written out if it begins with an alias.
    fn unaliased(&self, name: &str) -> String {
        let first = name.split('.').next().unwrap_or_default();
        match self.aliases.get(first) {
            Some(stands_for) => format!("{stands_for}{}", &name[first.len()..]),
            None => name.to_owned(),
        }
    }

    fn find(&self, name: &str, among: &HashMap<(usize, String), Target>) -> Option<Target> {
        let get = |module: usize, name: &str| among.get(&(module, name.to_owned())).cloned();
        if let Some((module, name)) = name.rsplit_once('.') {
            return get(self.names.module(&self.unaliased(module))?, name);
        }
        let imported = || get(self.names.module(self.imported.get(name)?)?, name);
        let implicit = || {
            let modules = IMPLICIT.iter().filter_map(|m| self.names.module(m));
            modules.into_iter().find_map(|module| get(module, name))
        };
        get(self.module, name).or_else(imported).or_else(implicit)
    }
}
