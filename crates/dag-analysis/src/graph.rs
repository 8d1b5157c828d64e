//! Which module imports which, from the texts alone: nothing is checked but that the
//! imports can be followed.

use crate::index;
use crate::known::IMPLICIT;
use crate::past::Past;
use crate::program::{File, Library, on_deep_stacks, sort};
use crate::texts::Texts;
use dag_syntax::{Diagnostic, Location, SourceId, Sources, Symbol};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The modules of a program and their imports, by name.
#[derive(Debug, Default)]
pub struct ImportGraph {
    modules: Vec<ImportNode>,
    by_name: FxHashMap<Symbol, usize>,
}

/// A module and what it imports.
#[derive(Debug)]
pub struct ImportNode {
    /// Its name.
    pub name: Symbol,
    /// Its file.
    pub source: SourceId,
    /// Whether it belongs to the built-in library.
    pub library: bool,
    /// Whether its file's name ends in `_test.dag`.
    pub test_file: bool,
    /// Whether every module knows it without importing it.
    pub implicit: bool,
    /// What it imports, by name, each module once.
    pub imports: Vec<ImportEdge>,
    /// The modules that import it, by name.
    pub importers: Vec<Symbol>,
}

/// An import.
#[derive(Clone, Copy, Debug)]
pub struct ImportEdge {
    /// What is imported.
    pub module: Symbol,
    /// Where, the first time.
    pub at: Location,
}

/// The graph of some files. They must hold [`crate::library`].
///
/// # Errors
/// The mistakes, if a file cannot be parsed, has a name that another has, imports a module
/// that is not there, or takes part in a cycle. They are those that a check reports.
pub fn import_graph(
    sources: &Sources,
    files: &[File],
    library: Library,
) -> Result<ImportGraph, Vec<Diagnostic>> {
    on_deep_stacks(|| {
        let texts = Texts::read(sources, files, library, &Past::NONE);
        let mut diagnostics = texts.diagnostics;
        index::order(&texts.entries, &texts.unloaded, &mut diagnostics);
        diagnostics.retain(Diagnostic::is_error);
        if !diagnostics.is_empty() {
            sort(sources, &mut diagnostics);
            return Err(diagnostics);
        }
        let mut modules: Vec<ImportNode> = Vec::with_capacity(texts.entries.len());
        for entry in &texts.entries {
            let (Some(name), Some(tree)) = (entry.name, entry.tree.as_deref()) else {
                continue;
            };
            let mut imports: Vec<ImportEdge> = index::imports(tree)
                .iter()
                .map(|import| ImportEdge {
                    module: import.module,
                    at: import.at,
                })
                .collect();
            imports.sort_by_key(|import| (import.module.as_str(), import.at));
            imports.dedup_by_key(|import| import.module);
            modules.push(ImportNode {
                name,
                source: entry.file.source,
                library: entry.file.library,
                test_file: entry.test_file,
                implicit: IMPLICIT.contains(&name.as_str()),
                imports,
                importers: Vec::new(),
            });
        }
        Ok(ImportGraph::new(modules))
    })
}

impl ImportGraph {
    fn new(mut modules: Vec<ImportNode>) -> Self {
        modules.sort_unstable_by_key(|module| module.name.as_str());
        let names = modules.iter().enumerate().map(|(i, m)| (m.name, i));
        let by_name: FxHashMap<Symbol, usize> = names.collect();
        // In the order of the importers' names.
        let edges: Vec<(Symbol, Symbol)> = modules
            .iter()
            .flat_map(|module| module.imports.iter().map(|i| (i.module, module.name)))
            .collect();
        for (module, importer) in edges {
            if let Some(index) = by_name.get(&module) {
                modules[*index].importers.push(importer);
            }
        }
        Self { modules, by_name }
    }

    /// The modules, by name.
    #[must_use]
    pub fn modules(&self) -> &[ImportNode] {
        &self.modules
    }

    /// The module of a name.
    #[must_use]
    pub fn module(&self, name: Symbol) -> Option<&ImportNode> {
        self.by_name.get(&name).map(|index| &self.modules[*index])
    }

    /// All that a module loads: what it imports, what that imports, and so on, by name.
    #[must_use]
    pub fn loads(&self, module: Symbol) -> Vec<Symbol> {
        let imports = |node: &ImportNode| node.imports.iter().map(|i| i.module).collect();
        self.reached(module, imports)
    }

    /// All that load a module, by name.
    #[must_use]
    pub fn loaded_by(&self, module: Symbol) -> Vec<Symbol> {
        self.reached(module, |node| node.importers.clone())
    }

    fn reached(&self, module: Symbol, next: impl Fn(&ImportNode) -> Vec<Symbol>) -> Vec<Symbol> {
        let mut seen = vec![false; self.modules.len()];
        let mut todo = vec![module];
        let mut all = Vec::new();
        while let Some(name) = todo.pop() {
            for next in self.module(name).map(&next).unwrap_or_default() {
                if let Some(index) = self.by_name.get(&next)
                    && !seen[*index]
                {
                    seen[*index] = true;
                    all.push(next);
                    todo.push(next);
                }
            }
        }
        all.sort_unstable_by_key(|name| name.as_str());
        all
    }

    /// A shortest way from a module to one that it loads: each import with the module that
    /// has it. Of several the first by name; none if it does not load it.
    #[must_use]
    pub fn way(&self, from: Symbol, to: Symbol) -> Option<Vec<(Symbol, ImportEdge)>> {
        let mut came: FxHashMap<Symbol, (Symbol, ImportEdge)> = FxHashMap::default();
        let mut todo = VecDeque::from([from]);
        while let Some(name) = todo.pop_front() {
            for import in self.module(name).map_or(&[][..], |m| &m.imports) {
                if import.module == from || came.contains_key(&import.module) {
                    continue;
                }
                came.insert(import.module, (name, *import));
                if import.module == to {
                    let mut way = Vec::new();
                    let mut at = to;
                    while let Some(step) = came.get(&at).filter(|_| at != from) {
                        way.push(*step);
                        at = step.0;
                    }
                    way.reverse();
                    return Some(way);
                }
                todo.push_back(import.module);
            }
        }
        None
    }
}
