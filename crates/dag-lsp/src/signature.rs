//! Signature help: the parameters of what is being called.

use crate::completion::{closers, probe};
use crate::describe;
use crate::hints::{has_receiver, name_span};
use crate::workspace::Workspace;
use dag_analysis::core::Decl;
use dag_analysis::record::{NameRecord, Target};
use dag_syntax::{Node, NodeId, SourceId, Span, Token, Tree};
use gen_lsp_types as lsp;
use serde_json::{Value, json};

pub(crate) fn help(workspace: &mut Workspace<'_>, params: &lsp::SignatureHelpParams) -> Value {
    let at = &params.text_document_position_params;
    let source = workspace.source(&at.text_document.uri.0);
    let found = source.and_then(|source| {
        let offset = workspace.lines(source).offset(at.position);
        let (tree, record) = whole(workspace, source, offset)?;
        at_call(workspace, &tree, &record, offset)
    });
    found.unwrap_or(Value::Null)
}

/// The text made whole at a place, and its record.
fn whole(workspace: &Workspace<'_>, source: SourceId, offset: u32) -> Option<(Tree, NameRecord)> {
    let text = workspace.text(source);
    let before = text[..offset as usize].trim_end();
    // Where a value is still to come, a name stands for it.
    if before.ends_with(['(', ',', ':']) {
        let probe = probe(workspace, source, Span::new(offset, offset))?;
        return Some((probe.tree, probe.record));
    }
    let closing = closers(source, &text, offset);
    let (head, tail) = text.split_at(offset as usize);
    workspace
        .session
        .probe(source, &format!("{head}{closing}{tail}"))
}

fn at_call(
    workspace: &Workspace<'_>,
    tree: &Tree,
    record: &NameRecord,
    offset: u32,
) -> Option<Value> {
    let path = tree.path_to(offset);
    let call = path.into_iter().rfind(|n| inside(tree, *n, offset))?;
    let callee = tree.expr_child(call)?;
    let name = name_span(tree, callee);
    let program = workspace.session.program();
    let mut signatures = Vec::new();
    for used in record.at(name.end).filter(|u| u.span == name) {
        match used.target {
            Target::Decl(decl) => {
                let module = record.module_of(program, decl.module)?;
                let found = module.decls.get(decl.index as usize)?;
                let described = describe::describe_in(workspace, tree, record, used.target)?;
                signatures.push(signature(
                    tree, record, call, callee, offset, found, &described,
                ));
            }
            // A value that is a function: its parameters have no names.
            Target::Local(span) => {
                let shown = &record.binding(span)?.shown;
                signatures.push(json!({ "label": shown, "parameters": [] }));
            }
            _ => {}
        }
    }
    if signatures.is_empty() {
        return None;
    }
    let active = signatures[0]["activeParameter"].clone();
    Some(json!({ "signatures": signatures, "activeSignature": 0, "activeParameter": active }))
}

/// Whether a place is between the parentheses of a call.
fn inside(tree: &Tree, node: NodeId, offset: u32) -> bool {
    if tree.kind(node) != Node::CallExpr {
        return false;
    }
    let tokens: Vec<(Token, usize)> = tree.own_tokens(node).collect();
    let open = tokens.iter().find(|(kind, _)| *kind == Token::LParen);
    let close = tokens.iter().rfind(|(kind, _)| *kind == Token::RParen);
    let starts = |found: &(Token, usize)| tree.tokens().span(found.1).start;
    open.is_some_and(|o| starts(o) < offset) && close.is_none_or(|c| offset <= starts(c))
}

fn signature(
    tree: &Tree,
    record: &NameRecord,
    call: NodeId,
    callee: NodeId,
    offset: u32,
    decl: &Decl,
    described: &describe::Described,
) -> Value {
    let label = &described.code;
    let names: Vec<&str> = decl.params.iter().map(|p| p.name.as_str()).collect();
    let mut parameters = Vec::new();
    let mut from = label.find('(').map_or(0, |i| i + 1);
    for name in &names {
        // As far as the head is laid out as it is written, the parameter is found in it.
        let place = label[from..].find(&format!("{name}:")).map(|i| from + i);
        let text = place.map(|start| {
            let end = end_of_parameter(label, start);
            from = end;
            label[start..end].trim_end().to_owned()
        });
        parameters.push(json!({ "label": text.unwrap_or_else(|| (*name).to_owned()) }));
    }
    let args: Vec<NodeId> = tree.children_of(call, Node::Arg).collect();
    let label_of = |arg: &NodeId| tree.child(*arg, Node::Name).map(|n| tree.text(n));
    let given: Vec<&str> = args.iter().filter_map(label_of).collect();
    let here = args.iter().position(|a| offset <= tree.span(*a).end);
    let here = here.unwrap_or(args.len());
    let active = match args.get(here).and_then(label_of) {
        Some(label) => names.iter().position(|n| *n == label),
        None => {
            let before = args[..here]
                .iter()
                .filter(|a| label_of(a).is_none())
                .count();
            let receiver = usize::from(has_receiver(tree, record, call, callee));
            let free: Vec<usize> = (0..names.len())
                .filter(|i| !given.contains(&names[*i]))
                .collect();
            free.get(before + receiver).copied()
        }
    };
    json!({
        "label": label,
        "documentation": { "kind": "plaintext", "value": described.annotation },
        "parameters": parameters,
        "activeParameter": active,
    })
}

/// Where a parameter ends in a head: at a comma or a parenthesis of its own level.
fn end_of_parameter(label: &str, start: usize) -> usize {
    let mut open = 0usize;
    for (index, letter) in label[start..].char_indices() {
        match letter {
            '(' | '<' | '[' => open += 1,
            ')' | ',' if open == 0 => return start + index,
            ')' | ']' => open = open.saturating_sub(1),
            '>' if !label[..start + index].ends_with('-') => open = open.saturating_sub(1),
            _ => {}
        }
    }
    label.len()
}
