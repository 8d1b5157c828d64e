//! What a name stands for, in words: as it is declared, and what is said of it.

use crate::workspace::Workspace;
use dag_analysis::record::{NameRecord, Target};
use dag_syntax::{Location, Node, NodeId, Tree};

/// A declaration as a person reads it.
#[derive(Debug, Default)]
pub(crate) struct Described {
    /// Its code.
    pub(crate) code: String,
    /// What it belongs to; empty if to nothing but its module.
    pub(crate) of: String,
    /// The annotation of the item.
    pub(crate) annotation: String,
}

/// Lines of a type's declaration that are shown.
const MOST_LINES: usize = 24;

/// Describes what a name stands for; `record` is that of the module it stands in.
pub(crate) fn describe(
    workspace: &Workspace<'_>,
    record: &NameRecord,
    target: Target,
) -> Option<Described> {
    let tree = workspace.session.tree(record.module.source)?;
    describe_in(workspace, tree, record, target)
}

/// The same where the module has another text than the program: `here` is its tree.
pub(crate) fn describe_in(
    workspace: &Workspace<'_>,
    here: &Tree,
    record: &NameRecord,
    target: Target,
) -> Option<Described> {
    if let Target::Local(span) = target {
        let code = match record.binding(span) {
            Some(binding) => format!("{}: {}", binding.name, binding.shown),
            // It stands for a resource.
            None => {
                let path = here.path_to(span.start);
                let row = path.into_iter().find(|n| here.kind(*n) == Node::Use)?;
                squeezed(here.text(row))
            }
        };
        return Some(Described {
            code,
            ..Described::default()
        });
    }
    let at = target.definition(workspace.session.program(), &record.module)?;
    let tree = if at.source == here.source() {
        here
    } else {
        workspace.session.tree(at.source)?
    };
    if let Target::Module(_) = target {
        let line = tree.child(tree.root(), Node::ModuleLine)?;
        return Some(Described {
            code: tree.text(line).to_owned(),
            of: String::new(),
            annotation: tree.annotation(line),
        });
    }
    let item = item_at(tree, at)?;
    let of_item = || {
        let name = tree.child(item, Node::Name).map(|n| tree.text(n));
        name.map_or_else(String::new, |name| format!("of `{name}`"))
    };
    let part = |kind: Node| {
        let path = tree.path_to(at.span.start);
        path.into_iter().rfind(|n| tree.kind(*n) == kind)
    };
    let shown = |kind: Node| part(kind).map(|n| squeezed(tree.text(n)));
    let annotation = tree.annotation(item);
    Some(match target {
        Target::Field(..) => Described {
            code: shown(Node::FieldDecl)?,
            of: match part(Node::Variant).and_then(|v| tree.child(v, Node::Name)) {
                Some(variant) => format!("of `{}`", tree.text(variant)),
                None => of_item(),
            },
            annotation: String::new(),
        },
        Target::Param(..) => Described {
            // The input of an operation is written as a field.
            code: shown(Node::Param).or_else(|| shown(Node::FieldDecl))?,
            of: of_item(),
            annotation: String::new(),
        },
        Target::Capability(..) => Described {
            code: shown(Node::Capability)?,
            of: of_item(),
            annotation: String::new(),
        },
        Target::TypeParam(_) => Described {
            code: tree.text(part(Node::Name)?).to_owned(),
            of: of_item(),
            annotation: String::new(),
        },
        Target::Variant(_) => Described {
            code: shown(Node::Variant)?,
            of: of_item(),
            annotation,
        },
        Target::Type(_) | Target::Decl(_) | Target::Module(_) | Target::Local(_) => Described {
            code: head(tree, item),
            of: String::new(),
            annotation,
        },
    })
}

/// The item that holds a place.
pub(crate) fn item_at(tree: &Tree, at: Location) -> Option<NodeId> {
    tree.path_to(at.span.start).get(1).copied()
}

/// A declaration without its body: what others need of it.
pub(crate) fn head(tree: &Tree, item: NodeId) -> String {
    let start = tree.span(item).start;
    let end = match tree.kind(item) {
        Node::FnDecl | Node::DataDecl => {
            let written = tree.type_child(item).map(|t| tree.span(t).end);
            written.unwrap_or(tree.span(item).end)
        }
        _ => {
            let text = tree.text(item);
            let lines: Vec<&str> = text.lines().collect();
            if lines.len() <= MOST_LINES {
                return text.to_owned();
            }
            return format!("{}\n  …", lines[..MOST_LINES].join("\n"));
        }
    };
    squeezed(&tree.text(item)[..(end - start) as usize])
}

/// A text on one line, where it is not too long for that.
fn squeezed(text: &str) -> String {
    let one: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let one = one.replace("( ", "(").replace(" )", ")");
    if one.len() <= dag_syntax::LINE_WIDTH {
        one
    } else {
        text.to_owned()
    }
}
