//! Inlay hints: the types that were worked out, and the parameters that literals
//! are for.

use crate::workspace::Workspace;
use dag_analysis::record::{NameRecord, Target};
use dag_syntax::{Node, NodeId, Span, Tree};
use gen_lsp_types as lsp;

/// A longer type is cut, letters.
const LONGEST: usize = 40;

pub(crate) fn hints(
    workspace: &mut Workspace<'_>,
    params: &lsp::InlayHintParams,
) -> Vec<lsp::InlayHint> {
    let Some(source) = workspace.source(&params.text_document.uri.0) else {
        return Vec::new();
    };
    let record = workspace.session.record(source);
    let (Some(record), Some(tree)) = (record, workspace.session.tree(source)) else {
        return Vec::new();
    };
    let lines = workspace.lines(source);
    let within = lines.span(params.range);
    let mut hints = Vec::new();
    let mut todo = vec![tree.root()];
    while let Some(node) = todo.pop() {
        let span = tree.span(node);
        if node != tree.root() && (span.end < within.start || within.end < span.start) {
            continue;
        }
        todo.extend(tree.children(node));
        match tree.kind(node) {
            Node::Let if tree.type_child(node).is_none() => {
                hints.extend(
                    tree.child(node, Node::Name)
                        .and_then(|n| typed(tree, &record, n)),
                );
            }
            Node::LambdaExpr => {
                let names = tree.children_of(node, Node::Name);
                hints.extend(names.filter_map(|n| typed(tree, &record, n)));
            }
            Node::CallExpr => hints.extend(labels(workspace, tree, &record, node)),
            _ => {}
        }
    }
    hints.retain(|(at, ..)| within.start <= *at && *at <= within.end);
    hints.sort_by_key(|(at, ..)| *at);
    hints
        .into_iter()
        .map(|(at, label, kind)| {
            let of_type = kind == lsp::InlayHintKind::Type;
            lsp::InlayHint {
                position: lines.position(at),
                label: lsp::Label::String(label),
                kind: Some(kind),
                text_edits: None,
                tooltip: None,
                padding_left: None,
                padding_right: (!of_type).then_some(true),
                data: None,
            }
        })
        .collect()
}

type Hint = (u32, String, lsp::InlayHintKind);

/// The type of a name that has none written.
fn typed(tree: &Tree, record: &NameRecord, name: NodeId) -> Option<Hint> {
    let span = tree.span(name);
    let shown = &record.binding(span)?.shown;
    // Of a name that is not used, or whose type is not known, there is nothing to say.
    if tree.text(name) == "_" || shown == "_" {
        return None;
    }
    let mut text: String = shown.chars().take(LONGEST).collect();
    if text.len() < shown.len() {
        text.push('…');
    }
    Some((span.end, format!(": {text}"), lsp::InlayHintKind::Type))
}

/// The parameters that literals without a label are for.
fn labels(workspace: &Workspace<'_>, tree: &Tree, record: &NameRecord, call: NodeId) -> Vec<Hint> {
    let Some(callee) = tree.expr_child(call) else {
        return Vec::new();
    };
    let args: Vec<NodeId> = tree.children_of(call, Node::Arg).collect();
    let labelled = |arg: &NodeId| tree.child(*arg, Node::Name);
    let Some((params, receiver)) = params(workspace, tree, record, call, callee) else {
        return Vec::new();
    };
    let given: Vec<&str> = args
        .iter()
        .filter_map(labelled)
        .map(|n| tree.text(n))
        .collect();
    // Labels are put first; positions fill what is left, in order.
    let mut free = params
        .iter()
        .filter(|p| !given.contains(&p.as_str()))
        .skip(usize::from(receiver));
    let mut hints = Vec::new();
    for arg in args.iter().filter(|a| labelled(a).is_none()) {
        let (Some(param), Some(value)) = (free.next(), tree.expr_child(*arg)) else {
            break;
        };
        let literal = matches!(
            tree.kind(value),
            Node::IntExpr
                | Node::FloatExpr
                | Node::StrExpr
                | Node::BoolExpr
                | Node::NoneExpr
                | Node::ListExpr
                | Node::UnaryExpr
        );
        if literal {
            let start = tree.span(value).start;
            hints.push((start, format!("{param}:"), lsp::InlayHintKind::Parameter));
        }
    }
    hints
}

/// The names of the parameters of what is called, and whether the first is what
/// stands before the dot or the pipe.
fn params(
    workspace: &Workspace<'_>,
    tree: &Tree,
    record: &NameRecord,
    call: NodeId,
    callee: NodeId,
) -> Option<(Vec<String>, bool)> {
    let last = name_span(tree, callee);
    let decl = record.at(last.end).find_map(|u| match u.target {
        Target::Decl(decl) if u.span == last => Some(decl),
        _ => None,
    })?;
    let module = record.module_of(workspace.session.program(), decl.module)?;
    let decl = module.decls.get(decl.index as usize)?;
    let names = decl.params.iter().map(|p| p.name.to_string()).collect();
    Some((names, has_receiver(tree, record, call, callee)))
}

/// The last name of a callee.
pub(crate) fn name_span(tree: &Tree, callee: NodeId) -> Span {
    match tree.kind(callee) {
        Node::FieldExpr => tree
            .child(callee, Node::Name)
            .map_or(tree.span(callee), |n| tree.span(n)),
        _ => tree.span(callee),
    }
}

/// Whether a call has an argument before its parentheses: `x.f(…)`, `x |> f(…)`.
pub(crate) fn has_receiver(tree: &Tree, record: &NameRecord, call: NodeId, callee: NodeId) -> bool {
    let span = tree.span(call);
    let path = tree.path_to(span.start);
    let parent = path
        .iter()
        .position(|n| *n == call)
        .and_then(|i| path.get(i.checked_sub(1)?));
    let piped = parent.is_some_and(|p| {
        tree.kind(*p) == Node::PipeExpr && tree.children(*p).last() == Some(&call)
    });
    // Before a qualified name stands no value, and so nothing with a type.
    let base = (tree.kind(callee) == Node::FieldExpr).then(|| tree.expr_child(callee));
    piped
        || base
            .flatten()
            .is_some_and(|b| record.type_at(tree.span(b)).is_some())
}
