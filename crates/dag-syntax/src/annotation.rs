//! Which item a block of `//` lines speaks of, and which blocks speak of none.

use crate::kind::{Node, Token};
use crate::lexer::Tokens;
use crate::tree::{Annotation, NodeId, Tree};
use crate::{Code, Diagnostic, Location, SourceId, Span};

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
    // Where the block stands that may speak of the module.
    let below_module = items
        .first()
        .filter(|i| tree.kind(**i) == Node::ModuleLine)
        .and_then(|line| {
            let end = extent(*line).1;
            let newline = |t: &usize| tree.tokens.kind(*t) == Token::Newline;
            let first = (end..tree.tokens.len()).find(newline)?;
            let second = (first + 1..tree.tokens.len()).find(newline);
            Some((*line, first..second.unwrap_or(tree.tokens.len())))
        });
    let mut attached = Vec::new();
    for block in blocks(tree, &mut |token, why| errors.push(misplaced(token, why))) {
        // The items stand in the order of the text.
        let after = items.partition_point(|i| extent(*i).0 < block.first);
        let around = after.checked_sub(1).map(|before| items[before]);
        if let Some(item) = around.filter(|i| block.first < extent(*i).1) {
            if tree.kind(item) != Node::Error {
                errors.push(misplaced(
                    block.first,
                    "an annotation stands inside an item",
                ));
            }
            continue;
        }
        let of_module = below_module
            .as_ref()
            .filter(|(_, line)| line.contains(&block.first))
            .map(|(item, _)| *item);
        match of_module.or(items.get(after).copied()) {
            Some(item) => attached.push(Annotation {
                item,
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

/// Refuses the annotations of an expression that stands alone: it has no item.
pub(crate) fn refused_in_expression(source: SourceId, tokens: &Tokens) -> Option<Diagnostic> {
    let all = 0..tokens.len();
    let first = all
        .into_iter()
        .find(|index| tokens.kind(*index) == Token::Annotation)?;
    let at = Location {
        source,
        span: tokens.span(first),
    };
    let why = "an annotation speaks of an item, and an expression that stands alone has none";
    Some(Diagnostic::error(Code::MisplacedAnnotation, at, why).cure("remove it"))
}
