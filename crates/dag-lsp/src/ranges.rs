//! The shape of a text: its layout, what folds, and what a selection grows to.

use crate::position::Lines;
use crate::workspace::Workspace;
use dag_syntax::{Node, NodeId, Span, Token, Tree, parse};
use gen_lsp_types as lsp;

/// The one layout of a text, as the smallest edit that leads there.
pub(crate) fn format(
    workspace: &mut Workspace<'_>,
    params: &lsp::DocumentFormattingParams,
) -> Result<Vec<lsp::TextEdit>, String> {
    let source = workspace.source(&params.text_document.uri.0);
    let source = source.ok_or("this file is not known")?;
    let text = workspace.text(source);
    let (tree, errors) = parse(source, text.clone());
    if let Some(error) = errors.iter().find(|e| e.is_error()) {
        let at = workspace.session.sources().describe(error.at);
        let why = &error.message;
        return Err(format!("a text with a mistake has no layout: {at}: {why}"));
    }
    let formatted = dag_syntax::format(&tree);
    if formatted == *text {
        return Ok(Vec::new());
    }
    let head = common(text.chars(), formatted.chars());
    let most = (text.len() - head).min(formatted.len() - head);
    let tail = common(text[head..].chars().rev(), formatted[head..].chars().rev());
    let tail = tail.min(most);
    let tail = floor(&text, &formatted, tail);
    let span = Span::new(head as u32, (text.len() - tail) as u32);
    Ok(vec![lsp::TextEdit {
        range: workspace.lines(source).range(span),
        new_text: formatted[head..formatted.len() - tail].to_owned(),
    }])
}

/// How many bytes two texts have in common from where they start.
fn common(a: impl Iterator<Item = char>, b: impl Iterator<Item = char>) -> usize {
    a.zip(b)
        .take_while(|(a, b)| a == b)
        .map(|(a, _)| a.len_utf8())
        .sum()
}

/// So many bytes of the end, or fewer, so that a character starts there in both.
fn floor(a: &str, b: &str, mut tail: usize) -> usize {
    while !a.is_char_boundary(a.len() - tail) || !b.is_char_boundary(b.len() - tail) {
        tail -= 1;
    }
    tail
}

pub(crate) fn folding(
    workspace: &mut Workspace<'_>,
    params: &lsp::FoldingRangeParams,
) -> Vec<lsp::FoldingRange> {
    let source = workspace.source(&params.text_document.uri.0);
    let Some((source, tree)) = source.and_then(|s| Some((s, workspace.session.tree(s)?))) else {
        return Vec::new();
    };
    let lines = workspace.lines(source);
    let mut folds = Vec::new();
    let mut add = |span: Span, kind: Option<lsp::FoldingRangeKind>| {
        let range = lines.range(span);
        if range.start.line < range.end.line {
            folds.push(lsp::FoldingRange {
                start_line: range.start.line,
                start_character: None,
                end_line: range.end.line,
                end_character: None,
                kind,
                collapsed_text: None,
            });
        }
    };
    let root = tree.root();
    let imports: Vec<NodeId> = tree.children_of(root, Node::Import).collect();
    if let (Some(first), Some(last)) = (imports.first(), imports.last()) {
        let span = tree.span(*first).to(tree.span(*last));
        add(span, Some(lsp::FoldingRangeKind::Imports));
    }
    for span in annotation_blocks(tree) {
        add(span, Some(lsp::FoldingRangeKind::Comment));
    }
    let mut todo: Vec<NodeId> = tree.children(root).to_vec();
    while let Some(node) = todo.pop() {
        todo.extend(tree.children(node));
        let folds = matches!(
            tree.kind(node),
            Node::TypeDecl
                | Node::FnDecl
                | Node::DataDecl
                | Node::RecordBody
                | Node::BlockExpr
                | Node::ListExpr
                | Node::RecordExpr
                | Node::BraceExpr
                | Node::TypeRecord
                | Node::MatchExpr
                | Node::CallExpr
                | Node::StrExpr
        );
        if folds {
            add(tree.span(node), None);
        }
    }
    folds.sort_by_key(|f| (f.start_line, f.end_line));
    folds.dedup_by_key(|f| (f.start_line, f.end_line));
    folds
}

/// Annotations on lines that follow each other.
fn annotation_blocks(tree: &Tree) -> Vec<Span> {
    let tokens = tree.tokens();
    let mut blocks: Vec<Span> = Vec::new();
    let mut newlines = 2;
    for index in 0..tokens.len() {
        match tokens.kind(index) {
            Token::Newline => newlines += 1,
            Token::Blank => {}
            Token::Annotation => {
                let span = tokens.span(index);
                match blocks.last_mut() {
                    Some(block) if newlines == 1 => block.end = span.end,
                    _ => blocks.push(span),
                }
                newlines = 0;
            }
            _ => newlines = 2,
        }
    }
    blocks
}

/// For each place the parts of the text around it, from the smallest.
pub(crate) fn selection(
    workspace: &mut Workspace<'_>,
    params: &lsp::SelectionRangeParams,
) -> Vec<lsp::SelectionRange> {
    let source = workspace.source(&params.text_document.uri.0);
    let Some((source, tree)) = source.and_then(|s| Some((s, workspace.session.tree(s)?))) else {
        return Vec::new();
    };
    let lines = workspace.lines(source);
    let positions = params.positions.iter();
    positions
        .map(|position| around(tree, &lines, lines.offset(*position)))
        .collect()
}

fn around(tree: &Tree, lines: &Lines, offset: u32) -> lsp::SelectionRange {
    let mut spans: Vec<Span> = tree.path_to(offset).iter().map(|n| tree.span(*n)).collect();
    // The root's span may start behind the first blank.
    spans.retain(|s| s.start <= offset && offset <= s.end);
    let all = Span::new(0, lines.text.len() as u32);
    let token = (0..tree.tokens().len())
        .map(|i| tree.tokens().span(i))
        .find(|s| s.start <= offset && offset < s.end);
    spans.extend(token);
    spans.dedup();
    let mut range = lsp::SelectionRange {
        range: lines.range(all),
        parent: None,
    };
    for span in spans {
        let inner = lines.range(span);
        let outer = range.range;
        if inner != outer && outer.start <= inner.start && inner.end <= outer.end {
            range = lsp::SelectionRange {
                range: inner,
                parent: Some(Box::new(range)),
            };
        }
    }
    range
}
