//! The names that may stand somewhere: those in sight, and those that an import
//! would bring there.

use dag_analysis::core::{Ctor, DeclKind, DeclRef, Module, ModuleId, Program, Shape, TypeRef};
use dag_analysis::record::{NameRecord, Target};
use dag_syntax::{Node, NodeId, Span, Symbol, Tree};
use rustc_hash::FxHashMap;

/// The modules whose names need no import.
const EVERYWHERE: [&str; 2] = ["std.types", "std.prelude"];

/// A name that may be written.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) name: Symbol,
    pub(crate) target: Target,
    /// The module to import it from; none if it is in sight.
    pub(crate) import: Option<Symbol>,
}

/// What a module declares. A record's constructor is its type.
pub(crate) fn exports(module: &Module) -> Vec<(Symbol, Target)> {
    let mut names = Vec::new();
    for (index, def) in module.types.iter().enumerate() {
        // A refinement behind a field's type has no name.
        if def.name.as_str().contains(' ') {
            continue;
        }
        let ty = TypeRef {
            module: module.id,
            index: index as u32,
        };
        names.push((def.name, Target::Type(ty)));
        if let Shape::Coproduct(variants) = &def.shape {
            for (variant, named) in (0..).zip(variants) {
                names.push((named.name, Target::Variant(Ctor { ty, variant })));
            }
        }
    }
    for (index, decl) in module.decls.iter().enumerate() {
        // A default value has no name that could be written.
        if decl.kind == DeclKind::Default {
            continue;
        }
        let decl_ref = DeclRef {
            module: module.id,
            index: index as u32,
        };
        names.push((decl.name, Target::Decl(decl_ref)));
    }
    names
}

/// The names in sight at a place: locals, own, imported, the prelude's. Where two
/// have one name, the nearer one is given.
pub(crate) fn in_sight(
    program: &Program,
    tree: &Tree,
    record: &NameRecord,
    offset: u32,
) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    let mut add = |name: Symbol, target: Target| {
        found.push(Candidate {
            name,
            target,
            import: None,
        });
    };
    let mut locals: Vec<(Span, Symbol)> = record
        .bindings
        .iter()
        .filter(|b| b.name.as_str() != "_" && reaches(tree, b.span, offset))
        .map(|b| (b.span, b.name))
        .collect();
    locals.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    for (span, name) in locals {
        let param = record.uses.iter().find(|u| u.span == span && u.declares);
        add(name, param.map_or(Target::Local(span), |u| u.target));
    }
    for (name, target) in exports(&record.module) {
        add(name, target);
    }
    for import in tree.children_of(tree.root(), Node::Import) {
        let path = tree.child(import, Node::Path).map(|p| tree.symbol(p));
        let module = path.and_then(|p| program.module_named(p.as_str()));
        let (Some(module), Some(list)) = (module, tree.child(import, Node::ImportList)) else {
            continue;
        };
        let listed: Vec<Symbol> = tree
            .children(list)
            .iter()
            .map(|n| tree.symbol(*n))
            .collect();
        for (name, target) in exports(module) {
            if listed.contains(&name) {
                add(name, target);
            }
        }
    }
    for module in EVERYWHERE {
        let module = program.module_named(module);
        for (name, target) in module.map(exports).unwrap_or_default() {
            add(name, target);
        }
    }
    found
}

/// Whether a name that is bound at a place is in sight at another.
fn reaches(tree: &Tree, binding: Span, offset: u32) -> bool {
    let holds = |node: NodeId| {
        let span = tree.span(node);
        span.start <= offset && offset <= span.end
    };
    let path = tree.path_to(binding.start);
    let Some(place) = path.iter().rposition(|n| {
        matches!(
            tree.kind(*n),
            Node::Let | Node::LambdaExpr | Node::Arm | Node::FnDecl
        )
    }) else {
        return false;
    };
    if tree.kind(path[place]) == Node::Let {
        // From the next statement to the end of its block.
        let behind = tree.span(path[place]).end < offset;
        return behind && place > 0 && holds(path[place - 1]);
    }
    holds(path[place])
}

/// The names of all other modules that this one may import and does not have in
/// sight. Of a name that several modules declare, none is given: which is meant
/// cannot be told. `circular` tells the modules that import this one themselves.
pub(crate) fn to_import(
    program: &Program,
    record: &NameRecord,
    seen: &[Candidate],
    circular: impl Fn(ModuleId) -> bool,
    wanted: impl Fn(&str) -> bool,
) -> Vec<Candidate> {
    let mut by_name: FxHashMap<Symbol, Vec<Candidate>> = FxHashMap::default();
    for module in program.modules.iter() {
        let here = module.id == record.module.id;
        let hidden = module.test_file && !record.module.test_file;
        if here || hidden || EVERYWHERE.contains(&module.name.as_str()) {
            continue;
        }
        if circular(module.id) {
            continue;
        }
        for (name, target) in exports(module) {
            let witness = match target {
                Target::Decl(d) => module.decls.get(d.index as usize).is_some_and(|d| d.test),
                _ => false,
            };
            if !witness && wanted(name.as_str()) && !seen.iter().any(|s| s.name == name) {
                by_name.entry(name).or_default().push(Candidate {
                    name,
                    target,
                    import: Some(module.name),
                });
            }
        }
    }
    let unique = by_name.into_values().filter(|rows| {
        let first = rows.first().and_then(|r| r.import);
        rows.iter().all(|r| r.import == first)
    });
    let mut found: Vec<Candidate> = unique.flatten().collect();
    found.sort_by_key(|c| c.name.as_str());
    found
}
