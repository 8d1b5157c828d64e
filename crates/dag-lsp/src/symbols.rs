//! The declarations of a file and of the project, as an outline and a search show
//! them.

use crate::position::Lines;
use crate::workspace::Workspace;
use dag_syntax::{Node, NodeId, Tree};
use gen_lsp_types as lsp;
use serde_json::{Value, json};

/// Most answers of a search.
const MOST: usize = 300;

pub(crate) fn document(
    workspace: &mut Workspace<'_>,
    params: &lsp::DocumentSymbolParams,
) -> Vec<Value> {
    let source = workspace.source(&params.text_document.uri.0);
    let Some((source, tree)) = source.and_then(|s| Some((s, workspace.session.tree(s)?))) else {
        return Vec::new();
    };
    let lines = workspace.lines(source);
    let items = tree.children(tree.root()).iter();
    items
        .filter_map(|item| symbol(tree, &lines, *item))
        .collect()
}

/// An item with its parts.
fn symbol(tree: &Tree, lines: &Lines, node: NodeId) -> Option<Value> {
    let name = tree.child(node, Node::Name)?;
    let kind = kind(tree, node)?;
    let parts: Vec<NodeId> = match tree.kind(node) {
        Node::TypeDecl | Node::Variant => {
            let bodies = [Node::RecordBody, Node::CoproductBody];
            let body = bodies.iter().find_map(|b| tree.child(node, *b));
            body.map_or_else(Vec::new, |b| tree.children(b).to_vec())
        }
        _ => Vec::new(),
    };
    let children: Vec<Value> = parts
        .into_iter()
        .filter_map(|part| symbol(tree, lines, part))
        .collect();
    let detail = tree.type_child(node).map(|t| tree.text(t).to_owned());
    Some(json!({
        "name": tree.text(name),
        "detail": detail.unwrap_or_default(),
        "kind": kind as u32,
        "range": lines.range(tree.span(node)),
        "selectionRange": lines.range(tree.span(name)),
        "children": children,
    }))
}

/// The protocol's `SymbolKind`s that occur.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Class = 5,
    Field = 8,
    Enum = 10,
    Function = 12,
    Constant = 14,
    EnumMember = 22,
    Struct = 23,
}

fn kind(tree: &Tree, node: NodeId) -> Option<Kind> {
    Some(match tree.kind(node) {
        Node::FnDecl => Kind::Function,
        Node::DataDecl => Kind::Constant,
        Node::FieldDecl => Kind::Field,
        Node::Variant => Kind::EnumMember,
        Node::TypeDecl if tree.child(node, Node::RecordBody).is_some() => Kind::Struct,
        Node::TypeDecl if tree.child(node, Node::CoproductBody).is_some() => Kind::Enum,
        Node::TypeDecl => Kind::Class,
        _ => return None,
    })
}

pub(crate) fn workspace(
    workspace: &mut Workspace<'_>,
    params: &lsp::WorkspaceSymbolParams,
) -> Vec<Value> {
    let query: Vec<char> = params.query.to_lowercase().chars().collect();
    let session = &workspace.session;
    let mut found = Vec::new();
    for source in session.files() {
        let Some(tree) = session.tree(source) else {
            continue;
        };
        let head = tree.child(tree.root(), Node::ModuleLine);
        let module = head.and_then(|l| tree.child(l, Node::Path));
        let module = module.map_or("", |m| tree.text(m));
        let mut todo: Vec<NodeId> = tree.children(tree.root()).to_vec();
        let mut at = 0;
        while at < todo.len() {
            let node = todo[at];
            at += 1;
            if let Some(body) = tree.child(node, Node::CoproductBody) {
                todo.extend(tree.children(body));
            }
            let (Some(kind), Some(name)) = (kind(tree, node), tree.child(node, Node::Name)) else {
                continue;
            };
            if let Some(rank) = rank(tree.text(name), &query) {
                found.push((
                    rank,
                    tree.symbol(name).as_str(),
                    module,
                    kind,
                    source,
                    tree.span(name),
                ));
            }
        }
    }
    found.sort_by_key(|(rank, name, module, ..)| (*rank, *name, *module));
    let mut lines = rustc_hash::FxHashMap::default();
    let shown = found.into_iter().take(MOST);
    shown
        .filter_map(|(_, name, module, kind, source, span)| {
            let lines = lines
                .entry(source)
                .or_insert_with(|| workspace.lines(source));
            let range = lines.range(span);
            Some(json!({
                "name": name,
                "kind": kind as u32,
                "containerName": module,
                "location": { "uri": workspace.uri(source)?, "range": range },
            }))
        })
        .collect()
}

/// How well a name fits a query, less is better; none if it does not. The letters
/// of the query stand in the name in their order.
pub(crate) fn rank(name: &str, query: &[char]) -> Option<u32> {
    let lower = name.to_lowercase();
    let mut rest = query.iter().peekable();
    for letter in lower.chars() {
        if rest.peek() == Some(&&letter) {
            rest.next();
        }
    }
    if rest.peek().is_some() {
        return None;
    }
    let query: String = query.iter().collect();
    Some(if lower == query {
        0
    } else if lower.starts_with(&query) {
        1
    } else if lower.contains(&query) {
        2
    } else {
        3
    })
}
