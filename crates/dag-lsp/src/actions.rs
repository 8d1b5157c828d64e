//! Code actions: the cures that are exact, as edits.

use crate::diagnostics;
use crate::initialize::Client;
use crate::rename::as_edit;
use crate::workspace::Workspace;
use dag_syntax::{Diagnostic, Edit, SourceId, Span};
use gen_lsp_types as lsp;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

pub(crate) fn actions(
    workspace: &mut Workspace<'_>,
    client: &Client,
    params: &lsp::CodeActionParams,
) -> Vec<Value> {
    let Some(source) = workspace.source(&params.text_document.uri.0) else {
        return Vec::new();
    };
    let wanted = |kind: &str| match &params.context.only {
        None => true,
        Some(only) => only.iter().any(|o| {
            let o = serde_json::to_value(o).unwrap_or_default();
            let o = o.as_str().unwrap_or_default();
            o.is_empty() || kind == o || kind.starts_with(&format!("{o}."))
        }),
    };
    let span = workspace.lines(source).span(params.range);
    let found = workspace.session.diagnostics(source);
    let mut lines = FxHashMap::default();
    let mut actions = Vec::new();
    if wanted("quickfix") {
        let here = |d: &&Diagnostic| d.at.span.start <= span.end && span.start <= d.at.span.end;
        for diagnostic in found.iter().filter(here) {
            let Some(fix) = &diagnostic.fix else {
                continue;
            };
            let edits = by_file(&fix.edits);
            // The library is not written.
            if !edits.iter().all(|(s, _)| workspace.is_own(*s)) {
                continue;
            }
            let shown = diagnostics::shown(workspace, client, diagnostic, &mut lines);
            actions.push(json!({
                "title": fix.title,
                "kind": "quickfix",
                "diagnostics": [shown],
                "isPreferred": true,
                "edit": as_edit(workspace, client, &edits),
            }));
        }
    }
    // What is asked for by name only, on saving for instance.
    if params.context.only.is_some() && wanted("source.fixAll") {
        let unused = found
            .iter()
            .filter(|d| d.code == dag_syntax::Code::UnusedImport);
        let edits: Vec<Edit> = unused
            .filter_map(|d| d.fix.as_ref())
            .flat_map(|f| f.edits.clone())
            .collect();
        let edits = by_file(&apart(edits));
        if !edits.is_empty() {
            actions.push(json!({
                "title": "Remove the unused imports",
                "kind": "source.fixAll",
                "edit": as_edit(workspace, client, &edits),
            }));
        }
    }
    actions
}

/// Edits that do not touch each other; of two that do, the first.
fn apart(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(|e| e.at);
    let mut end = None;
    edits.retain(|edit| {
        let free = end.is_none_or(|end| end <= edit.at.span.start);
        if free {
            end = Some(edit.at.span.end);
        }
        free
    });
    edits
}

fn by_file(edits: &[Edit]) -> Vec<(SourceId, Vec<(Span, String)>)> {
    let mut files: Vec<(SourceId, Vec<(Span, String)>)> = Vec::new();
    for edit in edits {
        let change = (edit.at.span, edit.text.clone());
        match files.iter_mut().find(|(s, _)| *s == edit.at.source) {
            Some((_, changes)) => changes.push(change),
            None => files.push((edit.at.source, vec![change])),
        }
    }
    files
}
