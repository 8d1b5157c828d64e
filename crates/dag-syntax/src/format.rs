//! The formatter: one layout for every tree. It keeps the author's choice of
//! which braces and brackets stand on one line, and which elements share one;
//! it changes no token but commas between lines, and never the tree.

mod build;
mod doc;
mod effect;

use crate::kind::{Node, Token};
use crate::tree::{NodeId, Tree};

/// The width that lines are kept to where they can be broken.
pub const LINE_WIDTH: usize = 100;

/// The tree's text in the one layout. The tree must have no mistakes: text that
/// belongs to no node would be lost otherwise.
#[must_use]
pub fn format(tree: &Tree) -> String {
    let mut out = String::new();
    let mut previous: Option<NodeId> = None;
    for item in tree.children(tree.root()) {
        for line in above(tree, previous, Some(*item)) {
            out.push_str(&line);
            out.push('\n');
        }
        out.push_str(&build::item(tree, *item));
        out.push('\n');
        previous = Some(*item);
    }
    // A module without an item may be spoken of, too.
    let below = above(tree, previous, None);
    let end = below.iter().rposition(|line| !line.is_empty());
    for line in below.iter().take(end.map_or(0, |end| end + 1)) {
        out.push_str(line);
        out.push('\n');
    }
    out
}

/// The lines between an item and the one before it: annotations, and a blank
/// line between blocks. A block on the line under `module` speaks of the module
/// and stays there.
fn above(tree: &Tree, previous: Option<NodeId>, item: Option<NodeId>) -> Vec<String> {
    let from = previous.map_or(0, |p| tree.token_range(p).end);
    let to = item.map_or(tree.tokens().len(), |item| tree.token_range(item).start);
    let mut blocks: Vec<Vec<String>> = Vec::new();
    let mut newlines = 0;
    let mut under = false;
    for index in from..to {
        match tree.tokens().kind(index) {
            Token::Newline => newlines += 1,
            Token::Annotation => {
                let line = tree.token_text(index).trim_end().to_owned();
                match blocks.last_mut() {
                    Some(block) if newlines == 1 => block.push(line),
                    first => {
                        under |= first.is_none() && newlines == 1;
                        blocks.push(vec![line]);
                    }
                }
                newlines = 0;
            }
            _ => {}
        }
    }
    let kind = |node: NodeId| tree.kind(node);
    let of_module = under && previous.is_some_and(|p| kind(p) == Node::ModuleLine);
    let together = previous.is_some_and(|p| {
        kind(p) == Node::Import && item.is_some_and(|item| kind(item) == Node::Import)
    });
    let mut lines = Vec::new();
    if previous.is_some() && !of_module && !(together && blocks.is_empty()) {
        lines.push(String::new());
    }
    let count = blocks.len();
    for (index, block) in blocks.into_iter().enumerate() {
        lines.extend(block);
        if index + 1 < count || of_module && index == 0 {
            lines.push(String::new());
        }
    }
    lines
}
