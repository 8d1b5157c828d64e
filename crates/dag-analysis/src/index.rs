//! The module index: which file is which module, and in which order modules can
//! be checked. Identity is the `module` line, never the path.

use crate::known::IMPLICIT;
use crate::texts::Entry;
use crate::unloaded::Unloaded;
use dag_syntax::{Code, Diagnostic, Location, Node, NodeId, Span, Symbol, Tree};
use rustc_hash::FxHashMap;
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// An `import` line.
pub(crate) struct Import {
    /// The module it names.
    pub(crate) module: Symbol,
    /// Where it names it.
    pub(crate) at: Location,
    /// The node.
    pub(crate) node: NodeId,
}

/// The place of the module's name, or of the file's start.
pub(crate) fn module_name(tree: &Tree) -> Option<(Symbol, Location)> {
    let line = tree.child(tree.root(), Node::ModuleLine)?;
    let path = tree.child(line, Node::Path)?;
    Some((tree.symbol(path), tree.location(path)))
}

/// The name on the `module` line that a text begins with; none if it begins otherwise.
pub(crate) fn name_of_text(text: &str) -> Option<Symbol> {
    let line = text.strip_prefix("module ")?.lines().next()?;
    Some(Symbol::new(line.trim()))
}

/// The imports of a file.
pub(crate) fn imports(tree: &Tree) -> Vec<Import> {
    tree.children_of(tree.root(), Node::Import)
        .filter_map(|node| {
            let path = tree.child(node, Node::Path)?;
            Some(Import {
                module: tree.symbol(path),
                at: tree.location(path),
                node,
            })
        })
        .collect()
}

/// An order of files in which every module comes after its imports. Files without a
/// module line, duplicates and members of cycles are left out and reported; a place is
/// only told in a file that was parsed. The modules that every module knows come first.
pub(crate) fn order(
    entries: &[Entry],
    unloaded: &Unloaded,
    report: &mut Vec<Diagnostic>,
) -> Vec<usize> {
    let mut by_name: FxHashMap<Symbol, usize> = FxHashMap::default();
    let mut kept = Vec::new();
    for (file, entry) in entries.iter().enumerate() {
        // The parser has reported a missing module line.
        let Some(name) = entry.name else {
            continue;
        };
        if let Some(first) = by_name.get(&name) {
            let mut error = Diagnostic::error(
                Code::DuplicateModule,
                entry.name_at(),
                format!("module `{name}` has two files"),
            )
            .cure("a module's identity is its `module` line, not its path: give one another name");
            error = error.other(entries[*first].name_at(), "the first one");
            report.push(error);
            continue;
        }
        by_name.insert(name, file);
        kept.push((name, file));
    }
    // Sorted by name, so that the order does not depend on the file system.
    let implicit = IMPLICIT.map(Symbol::new);
    kept.sort_unstable_by_key(|(name, file)| {
        let first = implicit
            .iter()
            .position(|i| i == name)
            .unwrap_or(implicit.len());
        (first, name.as_str(), *file)
    });

    let mut edges: Vec<Vec<(usize, usize)>> = vec![Vec::new(); entries.len()];
    let mut unknown = 0;
    for (_, file) in &kept {
        let entry = &entries[*file];
        let targets = &mut edges[*file];
        // Places are needed where something is wrong, and then of many imports maybe.
        let places = OnceCell::new();
        let place = |index: usize| {
            let places: &Vec<Location> = places.get_or_init(|| entry.import_places());
            places.get(index).copied().unwrap_or_else(|| entry.start())
        };
        for (index, import) in entry.imports.iter().enumerate() {
            match by_name.get(import) {
                None => {
                    unknown += 1;
                    let at = place(index);
                    report.push(unknown_module(*import, at, &by_name, unloaded, unknown));
                }
                Some(target) if entries[*target].test_file && !entry.test_file => {
                    report.push(
                        Diagnostic::error(
                            Code::TestImport,
                            place(index),
                            format!("`{import}` is a test module"),
                        )
                        .note("what a test may make, an observation for one, must not leave the tests")
                        .cure("move what both need to a file that is no test file"),
                    );
                }
                Some(target) => targets.push((*target, index)),
            }
        }
    }
    sort(entries, &kept, &edges, report)
}

impl Entry {
    /// The place of the module's name.
    fn name_at(&self) -> Location {
        let at = self.tree.as_deref().and_then(module_name);
        at.map_or_else(|| self.start(), |(_, at)| at)
    }

    /// The places of its imports; none if it was not parsed.
    fn import_places(&self) -> Vec<Location> {
        let imports = self.tree.as_deref().map_or(Vec::new(), imports);
        imports.iter().map(|import| import.at).collect()
    }

    fn start(&self) -> Location {
        Location {
            source: self.file.source,
            span: Span::default(),
        }
    }
}

/// A module that no file declares. Likeness is looked for in the first few: where
/// a whole folder is missing, it says nothing.
fn unknown_module(
    name: Symbol,
    at: Location,
    known: &FxHashMap<Symbol, usize>,
    unloaded: &Unloaded,
    unknown: u32,
) -> Diagnostic {
    let mut error = Diagnostic::error(
        Code::UnknownModule,
        at,
        format!("there is no module `{name}`"),
    );
    let names = known.keys().copied().chain(unloaded.names());
    let names = names.map(Symbol::as_str);
    if unknown <= dag_syntax::MOST_SUGGESTIONS
        && let Some(near) = dag_syntax::nearest(name.as_str(), names)
    {
        error = error.cure(format!("did you mean `{near}`?"));
    }
    error
}

/// Depth-first, with the stack on the heap: chains of imports may be long.
fn sort(
    entries: &[Entry],
    kept: &[(Symbol, usize)],
    edges: &[Vec<(usize, usize)>],
    report: &mut Vec<Diagnostic>,
) -> Vec<usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Open,
        Done,
        Bad,
    }
    let mut state = vec![State::New; entries.len()];
    let mut order = Vec::with_capacity(kept.len());
    let mut reported: BTreeSet<Vec<usize>> = BTreeSet::new();
    for (_, root) in kept {
        if state[*root] != State::New {
            continue;
        }
        state[*root] = State::Open;
        let mut path: Vec<(usize, usize)> = vec![(*root, 0)];
        while let Some((file, next)) = path.last_mut() {
            let file = *file;
            let Some((target, import)) = edges[file].get(*next) else {
                if state[file] == State::Open {
                    state[file] = State::Done;
                    order.push(file);
                }
                path.pop();
                continue;
            };
            *next += 1;
            match state[*target] {
                State::New => {
                    state[*target] = State::Open;
                    path.push((*target, 0));
                }
                State::Open | State::Bad => {
                    let start = path.iter().position(|(f, _)| f == target);
                    let Some(start) = start else { continue };
                    let cycle: Vec<usize> = path[start..].iter().map(|(f, _)| *f).collect();
                    for file in &cycle {
                        state[*file] = State::Bad;
                    }
                    let mut key = cycle.clone();
                    key.sort_unstable();
                    if reported.insert(key) {
                        let places = entries[file].import_places();
                        let at = places.get(*import).copied();
                        let at = at.unwrap_or_else(|| entries[file].start());
                        report.push(cycle_error(entries, &cycle, at));
                    }
                }
                State::Done => {}
            }
        }
    }
    order
}

/// Of a circle of imports: how many modules are named from where it starts, and before it
/// comes back.
const SHOWN_FIRST: usize = 4;
const SHOWN_LAST: usize = 2;

fn cycle_error(entries: &[Entry], cycle: &[usize], at: Location) -> Diagnostic {
    let name = |file: &usize| {
        let name = entries[*file].name;
        name.map_or_else(String::new, |name| format!("`{name}`"))
    };
    // Of a long circle its beginning, and how it comes back.
    let between = match cycle.len() {
        len if len > SHOWN_FIRST + SHOWN_LAST + 1 => SHOWN_FIRST..len - SHOWN_LAST,
        len => len..len,
    };
    let mut names: Vec<String> = cycle[..between.start].iter().map(name).collect();
    if !between.is_empty() {
        names.push(format!("… {} more … which", between.len()));
    }
    names.extend(cycle[between.end..].iter().chain(cycle.first()).map(name));
    Diagnostic::error(Code::ImportCycle, at, "these imports go round in a circle")
        .note(names.join(" imports "))
        .cure("move what both need to a module that imports neither")
}
