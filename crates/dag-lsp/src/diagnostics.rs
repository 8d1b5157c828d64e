//! The mistakes, as an editor is told of them.

use crate::initialize::Client;
use crate::position::Lines;
use crate::workspace::Workspace;
use dag_syntax::{Code, Diagnostic, Severity, SourceId};
use gen_lsp_types as lsp;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::Value;

/// Most mistakes that are told of one file: more help nobody.
const MOST: usize = 500;

/// The notifications for the files whose mistakes may have changed.
pub(crate) fn publish(
    workspace: &mut Workspace<'_>,
    client: &Client,
    told: &mut FxHashSet<SourceId>,
) -> Vec<Value> {
    let mut published = Vec::new();
    let mut lines: FxHashMap<SourceId, Lines> = FxHashMap::default();
    for source in workspace.session.take_fresh() {
        let found = workspace.session.diagnostics(source);
        // Where nothing was told, nothing is taken back.
        if found.is_empty() && !told.contains(&source) {
            continue;
        }
        let Some(uri) = workspace.uri(source) else {
            continue;
        };
        if found.is_empty() {
            told.remove(&source);
        } else {
            told.insert(source);
        }
        let diagnostics = found
            .iter()
            .take(MOST)
            .map(|d| shown(workspace, client, d, &mut lines))
            .collect();
        let params = lsp::PublishDiagnosticsParams {
            uri: lsp::Uri(uri),
            version: workspace.version(source),
            diagnostics,
        };
        published.extend(serde_json::to_value(params));
    }
    published
}

/// A mistake as the protocol has it.
pub(crate) fn shown(
    workspace: &Workspace<'_>,
    client: &Client,
    diagnostic: &Diagnostic,
    lines: &mut FxHashMap<SourceId, Lines>,
) -> lsp::Diagnostic {
    let mut range = |at: dag_syntax::Location| {
        lines
            .entry(at.source)
            .or_insert_with(|| workspace.lines(at.source))
            .range(at.span)
    };
    let related = diagnostic.others.iter().filter_map(|other| {
        Some(lsp::DiagnosticRelatedInformation {
            location: lsp::Location {
                uri: lsp::Uri(workspace.uri(other.at.source)?),
                range: range(other.at),
            },
            message: other.text.clone(),
        })
    });
    let related: Vec<_> = if client.related {
        related.collect()
    } else {
        Vec::new()
    };
    let mut message = diagnostic.message.clone();
    if !diagnostic.here.is_empty() {
        message = format!("{message}: {}", diagnostic.here);
    }
    for note in &diagnostic.notes {
        message.push_str("\nnote: ");
        message.push_str(note);
    }
    if let Some(cure) = &diagnostic.cure {
        message.push_str("\nhelp: ");
        message.push_str(cure);
    }
    let unnecessary = matches!(
        diagnostic.code,
        Code::UnusedImport | Code::RedundantArm | Code::UnusedValue | Code::Unreachable
    );
    lsp::Diagnostic {
        range: range(diagnostic.at),
        severity: Some(match diagnostic.severity {
            Severity::Error => lsp::DiagnosticSeverity::Error,
            Severity::Warning => lsp::DiagnosticSeverity::Warning,
        }),
        code: Some(lsp::Code::String(diagnostic.code.as_str().into())),
        code_description: None,
        source: Some("hayward".into()),
        message: lsp::Message::String(message),
        tags: unnecessary.then(|| vec![lsp::DiagnosticTag::Unnecessary]),
        related_information: (!related.is_empty()).then_some(related),
        data: None,
    }
}
