//! `alias X = a.b.c`: in this file, `X.name` is `a.b.c.name`.

use super::Checker;
use crate::core::ModuleId;
use dag_syntax::{Code, Diagnostic, Location, Node, NodeId, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};

/// The aliases of a file.
#[derive(Debug, Default)]
pub(super) struct Aliases {
    targets: FxHashMap<Symbol, (Symbol, Location)>,
    used: FxHashSet<Symbol>,
    /// Those of no module: reported, and their uses are not.
    broken: FxHashSet<Symbol>,
}

impl Aliases {
    /// The module's name that an alias stands for.
    pub(super) fn target(&self, name: Symbol) -> Option<Symbol> {
        self.targets.get(&name).map(|(target, _)| *target)
    }

    /// The dotted name that one starting with an alias stands for.
    pub(super) fn expand(&mut self, path: &str) -> Option<String> {
        if self.targets.is_empty() {
            return None;
        }
        let (first, rest) = path.split_once('.')?;
        let first = Symbol::new(first);
        let (target, _) = self.targets.get(&first)?;
        self.used.insert(first);
        Some(format!("{target}.{rest}"))
    }
}

impl Checker<'_> {
    /// Binds the aliases, before any name is looked up.
    pub(super) fn name_aliases(&mut self, items: &[NodeId]) {
        for (name, name_node, path) in self.alias_items(items) {
            let at = self.at(name_node);
            if let Some((_, first)) = self.aliases.targets.get(&name) {
                let first = *first;
                self.duplicate("alias", name, name_node, first);
                continue;
            }
            let target = self.tree.symbol(path);
            self.aliases.targets.insert(name, (target, at));
            if let Some(module) = self.known.module(target) {
                self.refer_import(self.tree.span(path), module);
            }
            if !self.is_namespace(target) {
                self.aliases.used.insert(name);
                self.aliases.broken.insert(name);
                let mut error = Diagnostic::error(
                    Code::UnknownModule,
                    self.at(path),
                    format!("no module `{target}` is loaded here"),
                );
                error.cure = Some(if self.known.module(target).is_some() {
                    format!("write `import {target}` to load it")
                } else {
                    "an alias is another name for a module that an import loads".into()
                });
                self.report(error);
            }
        }
    }

    /// Whether a name may stand for something behind a mistake that was reported: it
    /// starts with an alias that goes nowhere, or all of an unknown module was imported.
    pub(super) fn is_below_broken(&mut self, name: Symbol) -> bool {
        if self.scope.unsure {
            return true;
        }
        let Some((first, _)) = name.as_str().split_once('.') else {
            return false;
        };
        let first = Symbol::new(first);
        self.aliases.broken.contains(&first) || self.scope.ty(first) == Some(None)
    }

    fn alias_items(&self, items: &[NodeId]) -> Vec<(Symbol, NodeId, NodeId)> {
        let aliases = items
            .iter()
            .filter(|i| self.tree.kind(**i) == Node::AliasDecl);
        let parts = aliases.filter_map(|item| {
            let name = self.tree.child(*item, Node::Name)?;
            let path = self.tree.child(*item, Node::Path)?;
            Some((self.tree.symbol(name), name, path))
        });
        parts.collect()
    }

    /// Whether a loaded module has that name, or one that starts with it.
    fn is_namespace(&self, name: Symbol) -> bool {
        if let Some(module) = self.known.module(name) {
            return self.is_loaded(module);
        }
        let prefix = format!("{name}.");
        let below = |id: &ModuleId| {
            let unit = self.known.unit(*id);
            unit.is_some_and(|unit| unit.name.as_str().starts_with(&prefix))
        };
        let mut modules = self.known.ids().filter(below);
        modules.any(|module| self.is_loaded(module))
    }

    /// Refuses an alias whose name something else has.
    pub(super) fn refuse_hiding_aliases(&mut self, items: &[NodeId]) {
        for (name, node, _) in self.alias_items(items) {
            let own = self.scope.own(name);
            if own.ty.is_some() || own.value.is_some() {
                self.aliases.used.insert(name);
                let error = Diagnostic::error(
                    Code::DuplicateName,
                    self.at(node),
                    format!("`{name}` is the name of an alias and of a declaration"),
                )
                .cure("give one of them another name");
                self.report(error);
            } else if self.scope.imported_at(name).is_some() {
                self.aliases.used.insert(name);
                self.refuse_imported(name, self.at(node));
            }
        }
    }

    pub(super) fn unused_aliases(&mut self) {
        let mut unused: Vec<(Symbol, Location)> = self
            .aliases
            .targets
            .iter()
            .filter(|(name, _)| !self.aliases.used.contains(*name))
            .map(|(name, (_, at))| (*name, *at))
            .collect();
        unused.sort_by_key(|(_, at)| *at);
        for (name, at) in unused {
            let warning = Diagnostic::warning(
                Code::UnusedImport,
                at,
                format!("the alias `{name}` is not used"),
            )
            .cure("remove it");
            self.report(warning);
        }
    }
}
