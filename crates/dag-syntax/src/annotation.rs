//! Which item a block of `//` lines speaks of, and which blocks speak of none.

use crate::kind::{Node, Token};
use crate::tree::{Annotation, NodeId, Tree};
use crate::{Code, Diagnostic, Location, Span};

struct Block {
    first: usize,
    last: usize,
    text: String,
}

/// Attaches the annotations of a tree and refuses those out of place.
pub(crate) fn attach(tree: &mut Tree) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    let items: Vec<NodeId> = tree.children(tree.root()).to_vec();
    let extent = |item: NodeId| {
        let data = &tree.nodes[item.0 as usize];
        (data.first as usize, data.end as usize)
    };
    let misplaced = |first: usize, why: &str| {
        let at = Location {
            source: tree.source,
            span: tree.tokens.span(first),
        };
        Diagnostic::error(Code::MisplacedAnnotation, at, why)
            .cure("move it to lines of its own above the item that it speaks of")
    };
    let mut attached = Vec::new();
    for block in blocks(tree, &mut |token, why| errors.push(misplaced(token, why))) {
        if let Some(item) = items.iter().find(|i| {
            let (first, end) = extent(**i);
            first < block.first && block.first < end
        }) {
            if tree.kind(*item) != Node::Error {
                errors.push(misplaced(
                    block.first,
                    "an annotation stands inside an item",
                ));
            }
            continue;
        }
        let below_module = items.first().filter(|i| {
            tree.kind(**i) == Node::ModuleLine && {
                let end = extent(**i).1;
                // Only the line's end and blanks lie between.
                end < block.first
                    && (end..block.first)
                        .filter(|t| tree.tokens.kind(*t) == Token::Newline)
                        .count()
                        == 1
            }
        });
        let next = items.iter().find(|i| extent(**i).0 > block.last);
        match below_module.or(next) {
            Some(item) => attached.push(Annotation {
                item: *item,
                text: block.text,
            }),
            None => errors.push(misplaced(block.first, "no item follows this annotation")),
        }
    }
    tree.annotations = attached;
    errors
}

/// Runs of whole-line annotations; an annotation after code on its line is
/// reported and belongs to no block.
fn blocks(tree: &Tree, report: &mut dyn FnMut(usize, &str)) -> Vec<Block> {
    let tokens = &tree.tokens;
    let mut blocks: Vec<Block> = Vec::new();
    let mut line_has_code = false;
    let mut lines_since_block = 2;
    for index in 0..tokens.len() {
        match tokens.kind(index) {
            Token::Newline => {
                line_has_code = false;
                lines_since_block += 1;
            }
            Token::Annotation if line_has_code => {
                report(index, "an annotation follows code on its line");
            }
            Token::Annotation => {
                let Span { start, end } = tokens.span(index);
                let line = &tree.text[start as usize + 2..end as usize];
                let line = line.strip_prefix(' ').unwrap_or(line).trim_end();
                match blocks.last_mut() {
                    Some(block) if lines_since_block == 1 => {
                        block.text.push('\n');
                        block.text.push_str(line);
                        block.last = index;
                    }
                    _ => blocks.push(Block {
                        first: index,
                        last: index,
                        text: line.to_owned(),
                    }),
                }
                lines_since_block = 0;
            }
            Token::Blank => {}
            // A string may hold line ends, so code always ends a block.
            _ => {
                line_has_code = true;
                lines_since_block = 2;
            }
        }
    }
    blocks
}
