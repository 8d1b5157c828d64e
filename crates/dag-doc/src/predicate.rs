//! The conditions of a refinement in words.

use crate::names::Scope;
use crate::piece::Piece;
use dag_syntax::{Node, NodeId, Tree};

/// The conditions of a `where` clause: "is not empty", "is from 0 to 9".
pub(crate) fn in_words(tree: &Tree, clause: NodeId, scope: &Scope<'_>) -> Vec<Vec<Piece>> {
    tree.children_of(clause, Node::Predicate)
        .map(|node| one(tree, node, scope))
        .collect()
}

fn one(tree: &Tree, node: NodeId, scope: &Scope<'_>) -> Vec<Piece> {
    let name = tree.child(node, Node::Path).map(|name| tree.text(name));
    let args: Vec<(Option<&str>, &str)> = tree
        .children_of(node, Node::PredicateArg)
        .map(|arg| {
            let label = tree.child(arg, Node::Name).map(|label| tree.text(label));
            let value = tree.expr_child(arg).map_or("", |value| tree.text(value));
            (label, value)
        })
        .collect();
    let bound = |wanted: &str| {
        let found = args.iter().find(|(label, _)| *label == Some(wanted));
        found.map(|(_, value)| *value)
    };
    let with = |words: &str, code: &str| vec![Piece::plain(words), Piece::code(code)];
    match (name, args.as_slice(), bound("min"), bound("max")) {
        (Some("non_empty"), [], ..) => vec![Piece::plain("is not empty")],
        (Some("range"), _, Some(min), Some(max)) => {
            let mut words = with("is from ", min);
            words.extend(with(" to ", max));
            words
        }
        (Some("range"), _, Some(min), None) => with("is at least ", min),
        (Some("range"), _, None, Some(max)) => with("is at most ", max),
        (Some("pattern"), [(None, text)], ..) => {
            vec![
                Piece::plain("matches "),
                Piece::code(text.to_owned()),
                Piece::plain(" as a whole"),
            ]
        }
        (Some("brand"), [(None, text)], ..) => with("is kept apart from others as ", text),
        // A function that gives true.
        _ => vec![
            Piece::plain("satisfies "),
            Piece {
                to: name.and_then(|name| scope.any(name)),
                ..Piece::code(tree.text(node))
            },
        ],
    }
}
