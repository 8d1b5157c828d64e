//! The modules of a model as they are shown.

use crate::item::{Item, Parts, Reader, declares};
use crate::names::{Names, Scope};
use crate::piece::Target;
use dag_syntax::{Node, NodeId, Sources, Tree, parse};
use std::collections::HashMap;
use std::sync::Arc;

/// The text of a module.
#[derive(Clone, Debug)]
pub struct Text {
    /// Its file as it is to be shown: the path from the project's folder.
    pub path: String,
    /// The text.
    pub text: Arc<str>,
    /// Whether it belongs to the built-in library.
    pub library: bool,
}

/// A model, ready to be written.
#[derive(Debug)]
pub struct Model {
    /// The project's name.
    pub(crate) title: String,
    /// By name.
    pub(crate) modules: Vec<Module>,
    pub(crate) names: Names,
}

/// A module.
#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) name: String,
    pub(crate) path: String,
    pub(crate) library: bool,
    pub(crate) annotation: String,
    pub(crate) items: Vec<Item>,
    /// Names that its imports list, with the module that each comes from.
    pub(crate) imported: HashMap<String, String>,
    /// Its aliases, with what they stand for.
    pub(crate) aliases: HashMap<String, String>,
    /// The modules it imports.
    pub(crate) imports: Vec<String>,
    /// The number of the module of its witnesses, if there is one.
    pub(crate) tested_by: Option<usize>,
    /// The number of the module that it tests.
    pub(crate) tests: Option<usize>,
}

impl Model {
    /// Reads the modules. `title` is the name of the project.
    #[must_use]
    pub fn read(title: &str, texts: &[Text]) -> Self {
        let mut sources = Sources::default();
        let mut trees: Vec<(Tree, &Text)> = Vec::new();
        for text in texts {
            let source = sources.add(text.path.as_str(), Arc::clone(&text.text));
            trees.push((parse(source, Arc::clone(&text.text)).0, text));
        }
        trees.sort_by_cached_key(|(tree, text)| (module_name(tree), text.path.clone()));
        let anchors: Vec<Vec<(NodeId, String)>> =
            trees.iter().map(|(tree, _)| anchors(tree)).collect();
        let names = names(&trees, &anchors);
        let mut modules: Vec<Module> = Vec::with_capacity(trees.len());
        for (number, ((tree, text), anchors)) in trees.iter().zip(&anchors).enumerate() {
            modules.push(module(number, tree, text, anchors, &names, &sources));
        }
        for number in 0..modules.len() {
            let tested = modules[number].name.strip_suffix("_test");
            if let Some(tested) = tested.and_then(|name| names.module(name)) {
                modules[tested].tested_by = Some(number);
                modules[number].tests = Some(tested);
            }
        }
        Self {
            title: title.to_owned(),
            modules,
            names,
        }
    }

    /// The scope of a module, outside of its items.
    pub(crate) fn scope(&self, module: usize) -> Scope<'_> {
        Scope {
            names: &self.names,
            module,
            imported: &self.modules[module].imported,
            aliases: &self.modules[module].aliases,
            params: &[],
        }
    }

    /// The modules that have a page: not those whose witnesses stand on another.
    pub(crate) fn pages(&self) -> impl Iterator<Item = (usize, &Module)> {
        let all = self.modules.iter().enumerate();
        all.filter(|(_, module)| module.tests.is_none())
    }

    /// The page that shows a module.
    pub(crate) fn page_of(&self, module: usize) -> usize {
        self.modules[module].tests.unwrap_or(module)
    }

    /// The witnesses that stand on a module's page, with the module they are in.
    pub(crate) fn witnesses(&self, module: usize) -> Vec<(usize, &Item)> {
        let own = std::iter::once(module).chain(self.modules[module].tested_by);
        own.flat_map(|number| {
            let items = self.modules[number].items.iter();
            items
                .filter(|item| item.test)
                .map(move |item| (number, item))
        })
        .collect()
    }
}

fn module_name(tree: &Tree) -> String {
    let line = tree.child(tree.root(), Node::ModuleLine);
    let path = line.and_then(|line| tree.child(line, Node::Path));
    path.map_or(String::new(), |path| tree.symbol(path).to_string())
}

/// The items of a module, each with an anchor that no other has.
fn anchors(tree: &Tree) -> Vec<(NodeId, String)> {
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut all = Vec::new();
    for item in tree.children(tree.root()) {
        let Some((kind, name)) = declares(tree, *item) else {
            continue;
        };
        // Witnesses stand on the page of another module.
        let kind = match tree.has_word(*item, "test") {
            true => "test",
            false => kind.as_str(),
        };
        let anchor = format!("{kind}.{name}");
        let number = numbers.entry(anchor.clone()).or_default();
        *number += 1;
        // A name has no hyphen.
        all.push(match *number {
            1 => (*item, anchor),
            more => (*item, format!("{anchor}-{more}")),
        });
    }
    all
}

fn names(trees: &[(Tree, &Text)], anchors: &[Vec<(NodeId, String)>]) -> Names {
    let mut names = Names::default();
    for (module, ((tree, _), items)) in trees.iter().zip(anchors).enumerate() {
        names.add_module(&module_name(tree), module);
        for (item, (node, anchor)) in items.iter().enumerate() {
            let Some((_, name)) = declares(tree, *node) else {
                continue;
            };
            let target = |part: Option<String>| Target {
                module,
                item: Some(item),
                part,
            };
            if tree.kind(*node) != Node::TypeDecl {
                names.add_value(&name, target(None));
                continue;
            }
            names.add_type(&name, target(None));
            let body = tree.child(*node, Node::CoproductBody);
            for variant in body
                .iter()
                .flat_map(|b| tree.children_of(*b, Node::Variant))
            {
                if let Some(name) = tree.child(variant, Node::Name) {
                    let name = tree.text(name);
                    names.add_value(name, target(Some(format!("{anchor}.{name}"))));
                }
            }
        }
    }
    names
}

fn module(
    number: usize,
    tree: &Tree,
    text: &Text,
    anchors: &[(NodeId, String)],
    names: &Names,
    sources: &Sources,
) -> Module {
    let mut imported = HashMap::new();
    let mut imports = Vec::new();
    for import in tree.children_of(tree.root(), Node::Import) {
        let Some(path) = tree.child(import, Node::Path) else {
            continue;
        };
        let from = tree.symbol(path).to_string();
        let list = tree.child(import, Node::ImportList);
        for name in list.iter().flat_map(|l| tree.children_of(*l, Node::Path)) {
            imported.insert(tree.symbol(name).to_string(), from.clone());
        }
        imports.push(from);
    }
    imports.sort();
    imports.dedup();
    let mut aliases = HashMap::new();
    for alias in tree.children_of(tree.root(), Node::AliasDecl) {
        let (name, path) = (tree.child(alias, Node::Name), tree.child(alias, Node::Path));
        if let (Some(name), Some(path)) = (name, path) {
            let stands_for = tree.symbol(path).to_string();
            aliases.insert(tree.text(name).to_owned(), stands_for);
        }
    }
    let mut items = Vec::with_capacity(anchors.len());
    for (node, anchor) in anchors {
        let params = tree.child(*node, Node::TypeParams);
        let params: Vec<String> = params
            .iter()
            .flat_map(|params| tree.children_of(*params, Node::Name))
            .map(|param| tree.text(param).to_owned())
            .collect();
        let scope = Scope {
            names,
            module: number,
            imported: &imported,
            aliases: &aliases,
            params: &params,
        };
        if let Some(mut item) = (Reader { tree, scope }).item(*node, anchor) {
            let start = tree.span(*node).start;
            item.line = sources.line_col(tree.source(), start).line;
            item.annotation = tree.annotation(*node);
            items.push(item);
        }
    }
    let line = tree.child(tree.root(), Node::ModuleLine);
    Module {
        name: module_name(tree),
        path: text.path.clone(),
        library: text.library,
        annotation: line.map_or(String::new(), |line| tree.annotation(line)),
        items,
        imported,
        aliases,
        imports,
        tested_by: None,
        tests: None,
    }
}

impl Item {
    /// What leads from the type below to this one.
    pub(crate) fn stands_for(&self) -> &'static str {
        match &self.parts {
            Parts::Alias { conditions, .. } if !conditions.is_empty() => "A value of",
            _ if self.nominal_opaque || self.sole_constructor => "A value of",
            _ => "Another name for",
        }
    }

    /// Who builds a value of the type, or when, where there is something to say.
    pub(crate) fn built(&self) -> Option<&'static str> {
        if self.nominal_opaque {
            return Some("Opaque: only its own module sees what it stands for.");
        }
        match (self.observed, self.sole_constructor, &self.parts) {
            (true, ..) => Some("Observed: only an observer, or a test file, makes a value of it."),
            (_, true, _) => Some("Sole constructor: only its own module makes a value of it."),
            (.., Parts::Alias { conditions, .. }) if !conditions.is_empty() => {
                Some("Refined: a value is tested where it becomes one of this type.")
            }
            _ => None,
        }
    }
}
