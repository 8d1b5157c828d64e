//! Which declarations make a rendered file differ between two versions of a project.
//!
//! Two things are asked of each declaration whose text differs. Can the file's value reach
//! it, by the references of the core? And is the file another one if that declaration alone
//! is put back as it was? The second is tried out, on texts in memory. It cannot be where
//! the model has mistakes then, and is not where there are very many declarations to try.

use crate::{Loaded, Texts};
use dag_analysis::core::{DeclRef, Expr, Program};
use dag_analysis::{Library, Start, reached};
use dag_syntax::{Location, Node, NodeId, SourceId, Span, Symbol, Tree, parse};
use hayward_model::RenderedFile;
use hayward_store::Store;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// A version of a project.
#[derive(Clone, Copy, Debug)]
pub struct Version<'a> {
    /// Its modules, without mistakes.
    pub loaded: &'a Loaded,
    /// The `data` item that is its fleet.
    pub fleet: DeclRef,
    /// What it renders: path and text.
    pub files: &'a BTreeMap<String, String>,
}

/// A declaration that makes a file differ.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cause {
    /// Its module.
    pub module: &'static str,
    /// Its name; of an import, the module that is imported.
    pub name: String,
    /// `type`, `fn`, `data`, `import` or `alias`.
    pub kind: &'static str,
    /// Where it was; none if it is new.
    pub before: Option<Location>,
    /// Where it is; none if it is gone.
    pub after: Option<Location>,
}

/// As many declarations are put back one by one; each takes a check and an evaluation.
const MOST_TRIED: usize = 40;

/// What makes each of some files differ, by path. `render` gives the files of a model that
/// was put together from both versions, if it can be rendered.
#[must_use]
pub fn causes(
    before: Version<'_>,
    after: Version<'_>,
    paths: &[&str],
    render: &dyn Fn(Loaded) -> Option<Vec<RenderedFile>>,
) -> BTreeMap<String, Vec<Cause>> {
    let changed = changed(before.loaded, after.loaded);
    let mut candidates: BTreeMap<&str, Vec<&Change>> = BTreeMap::new();
    for path in paths {
        let sides = [Reach::of(before, path), Reach::of(after, path)];
        let reached = |change: &&Change| change.is_item() && change.is_in(&sides);
        let mut found: Vec<&Change> = changed.iter().filter(reached).collect();
        if found.is_empty() {
            // The same words can mean something else where a name comes from elsewhere.
            let modules: HashSet<Symbol> = sides.iter().flat_map(|s| s.modules()).collect();
            let import = |c: &&Change| !c.is_item() && modules.contains(&c.key.module);
            found = changed.iter().filter(import).collect();
        }
        candidates.insert(path, found);
    }
    let told = narrowed(&candidates, after, render);
    let cause = |change: &&Change| change.cause();
    told.into_iter()
        .map(|(path, changes)| {
            let mut causes: Vec<Cause> = changes.iter().map(cause).collect();
            causes.sort();
            (path.to_owned(), causes)
        })
        .collect()
}

/// Of the candidates of each file those that matter when they are put back.
fn narrowed<'a, 'c>(
    candidates: &BTreeMap<&'a str, Vec<&'c Change>>,
    after: Version<'_>,
    render: &dyn Fn(Loaded) -> Option<Vec<RenderedFile>>,
) -> BTreeMap<&'a str, Vec<&'c Change>> {
    let several = candidates.values().filter(|found| found.len() > 1);
    let to_try: BTreeSet<&Change> = several.flatten().copied().filter(|c| c.is_both()).collect();
    if to_try.is_empty() || to_try.len() > MOST_TRIED {
        return candidates.clone();
    }
    let mut tried: HashMap<&Key, HashMap<String, String>> = HashMap::new();
    for change in to_try {
        if let Some(files) = put_back(change, after.loaded).and_then(render) {
            let files = files.into_iter().map(|f| (f.path, f.text)).collect();
            tried.insert(&change.key, files);
        }
    }
    let mut told = BTreeMap::new();
    for (path, found) in candidates {
        let now = after.files.get(*path);
        let matters = |change: &&&Change| match tried.get(&change.key) {
            Some(files) => files.get(*path) != now,
            None => change.is_both(),
        };
        let mut kept: Vec<&Change> = found.iter().filter(matters).copied().collect();
        if kept.is_empty() {
            // Each would do alone, or none can be put back alone.
            kept.clone_from(found);
        } else {
            // What is new or gone matters where one of those names it.
            let named = Reach::from(after, kept.iter().filter_map(|c| c.after.as_ref()));
            let lone = found.iter().filter(|c| !c.is_both());
            let sides = [named];
            kept.extend(lone.filter(|c| c.after.is_none() || c.is_in(&sides)));
        }
        told.insert(*path, kept);
    }
    told
}

/// The later version with one declaration as it was.
fn put_back(change: &Change, after: &Loaded) -> Option<Loaded> {
    let (old, new) = (change.before.as_ref()?, change.after.as_ref()?);
    let mut files = Vec::new();
    for (id, source) in after.sources.iter().filter(|(id, _)| after.is_own(*id)) {
        let mut text = source.text.to_string();
        if id == new.source {
            let range = new.whole.start as usize..new.whole.end as usize;
            text.replace_range(range, &old.text);
        }
        files.push((source.path.to_string(), text.into_bytes()));
    }
    let loaded = Texts::of(files, after.project)
        .check(Library::Whole, &Store::OFF, |checked| checked.is_sound());
    loaded.checked.is_sound().then_some(loaded)
}

/// What a file's value can reach, by the places of the names.
struct Reach<'a> {
    loaded: &'a Loaded,
    names: HashSet<(SourceId, u32)>,
}

impl<'a> Reach<'a> {
    /// Of a rendered file.
    fn of(version: Version<'a>, path: &str) -> Self {
        let program = &version.loaded.checked.program;
        let fields = match path.starts_with("rendered/") {
            true => &["hosts", "resources"][..],
            // The standing, which is drawn from the roster, may be asked for a workflow.
            false => &["artifacts", "evidence_max_age", "hosts"][..],
        };
        let starts = starts(program, version.fleet, fields);
        let mut reach = Self::from_starts(version.loaded, &starts);
        let fleet = program.decl(version.fleet);
        let source = program.module(version.fleet.module).source;
        reach.names.insert((source, fleet.span.start));
        reach
    }

    /// Of some declarations.
    fn from<'d>(version: Version<'a>, items: impl Iterator<Item = &'d Declared>) -> Self {
        let program = &version.loaded.checked.program;
        let places: HashSet<(SourceId, u32)> =
            items.map(|item| (item.source, item.name.start)).collect();
        let mut starts = Vec::new();
        for module in program.modules.iter() {
            for (index, decl) in (0..).zip(&module.decls) {
                if places.contains(&(module.source, decl.span.start)) {
                    starts.push(Start::Decl(DeclRef {
                        module: module.id,
                        index,
                    }));
                }
            }
        }
        Self::from_starts(version.loaded, &starts)
    }

    fn from_starts(loaded: &'a Loaded, starts: &[Start]) -> Self {
        let program = &loaded.checked.program;
        let reached = reached(program, starts);
        let decls = reached.decls.iter().map(|decl| {
            let source = program.module(decl.module).source;
            (source, program.decl(*decl).span.start)
        });
        let types = reached.types.iter().map(|ty| {
            let source = program.module(ty.module).source;
            (source, program.type_def(*ty).span.start)
        });
        Self {
            loaded,
            names: decls.chain(types).collect(),
        }
    }

    /// The modules that it lies in.
    fn modules(&self) -> HashSet<Symbol> {
        let sources: HashSet<SourceId> = self.names.iter().map(|(source, _)| *source).collect();
        let modules = self.loaded.checked.modules.iter();
        let within = modules.filter(|module| sources.contains(&module.source));
        within.map(|module| module.name).collect()
    }
}

/// The values of some fields of the fleet, where it is written as a record; all of it
/// otherwise.
fn starts(program: &Program, fleet: DeclRef, fields: &[&str]) -> Vec<Start> {
    let whole = vec![Start::Decl(fleet)];
    let module = program.module(fleet.module);
    let Some(root) = program.decl(fleet).body else {
        return whole;
    };
    let Expr::Construct { ctor, fields: run } = module.body.expr(root) else {
        return whole;
    };
    let values = module.body.operands(*run);
    program
        .variant(*ctor)
        .fields
        .iter()
        .zip(values)
        .filter(|(field, _)| fields.contains(&field.name.as_str()))
        .map(|(_, value)| Start::Expr(fleet.module, *value))
        .collect()
}

/// What tells a declaration from others: its module, its kind, its name, and its number
/// among those of that name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    module: Symbol,
    kind: &'static str,
    name: String,
    number: usize,
}

impl Key {
    fn order(&self) -> (&str, &str, &str, usize) {
        (self.module.as_str(), &self.name, self.kind, self.number)
    }
}

/// A declaration in a text.
#[derive(Clone, Debug)]
struct Declared {
    source: SourceId,
    /// The place of its name.
    name: Span,
    /// The place of all of it.
    whole: Span,
    /// Its text.
    text: String,
    /// Its words: what differs in layout and annotations only is the same.
    words: Vec<String>,
}

/// A declaration whose words differ.
#[derive(Clone, Debug)]
struct Change {
    key: Key,
    before: Option<Declared>,
    after: Option<Declared>,
}

impl PartialEq for Change {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Change {}

impl PartialOrd for Change {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Change {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key.order().cmp(&other.key.order())
    }
}

impl Change {
    fn is_item(&self) -> bool {
        !matches!(self.key.kind, "import" | "alias")
    }

    fn is_both(&self) -> bool {
        self.before.is_some() && self.after.is_some()
    }

    /// Whether one of the versions reaches it.
    fn is_in(&self, sides: &[Reach<'_>]) -> bool {
        let within = |declared: &Option<Declared>, reach: &Reach<'_>| {
            declared
                .as_ref()
                .is_some_and(|d| reach.names.contains(&(d.source, d.name.start)))
        };
        match sides {
            [before, after] => within(&self.before, before) || within(&self.after, after),
            [after] => within(&self.after, after),
            _ => false,
        }
    }

    fn cause(&self) -> Cause {
        let place = |declared: &Declared| Location {
            source: declared.source,
            span: declared.name,
        };
        Cause {
            module: self.key.module.as_str(),
            name: self.key.name.clone(),
            kind: self.key.kind,
            before: self.before.as_ref().map(place),
            after: self.after.as_ref().map(place),
        }
    }
}

/// Every declaration of the project's own modules that differs, in the order of the keys.
fn changed(before: &Loaded, after: &Loaded) -> Vec<Change> {
    let mut old = declared(before);
    let mut changes = Vec::new();
    for (key, new) in declared(after) {
        let was = old.remove(&key);
        if was.as_ref().is_none_or(|was| was.words != new.words) {
            changes.push(Change {
                key,
                before: was,
                after: Some(new),
            });
        }
    }
    changes.extend(old.into_iter().map(|(key, was)| Change {
        key,
        before: Some(was),
        after: None,
    }));
    changes.sort();
    changes
}

fn declared(loaded: &Loaded) -> HashMap<Key, Declared> {
    let mut all = HashMap::new();
    let modules = loaded.checked.modules.iter();
    for module in modules.filter(|m| !m.library && !m.test_file) {
        let text = &loaded.sources.get(module.source).text;
        let (tree, _) = parse(module.source, Arc::clone(text));
        let mut numbers: HashMap<(&str, String), usize> = HashMap::new();
        for item in tree.children(tree.root()) {
            let Some((kind, name)) = named(&tree, *item) else {
                continue;
            };
            let shown = tree.symbol(name).to_string();
            let number = numbers.entry((kind, shown.clone())).or_default();
            let key = Key {
                module: module.name,
                kind,
                name: shown,
                number: *number,
            };
            *number += 1;
            let words = tree.all_tokens(*item);
            let declared = Declared {
                source: module.source,
                name: tree.span(name),
                whole: tree.span(*item),
                text: tree.text(*item).to_owned(),
                words: words.map(|(_, i)| tree.token_text(i).to_owned()).collect(),
            };
            all.insert(key, declared);
        }
    }
    all
}

fn named(tree: &Tree, item: NodeId) -> Option<(&'static str, NodeId)> {
    let kind = match tree.kind(item) {
        Node::TypeDecl => "type",
        Node::FnDecl => "fn",
        Node::DataDecl => "data",
        Node::Import => return Some(("import", tree.child(item, Node::Path)?)),
        Node::AliasDecl => "alias",
        _ => return None,
    };
    Some((kind, tree.child(item, Node::Name)?))
}
