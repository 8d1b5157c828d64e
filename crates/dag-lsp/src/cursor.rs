//! What is under the cursor.

use crate::describe;
use crate::initialize::Client;
use crate::position::Lines;
use crate::workspace::Workspace;
use dag_analysis::record::{NameRecord, Target, Use};
use dag_syntax::{SourceId, Span};
use gen_lsp_types as lsp;
use std::sync::Arc;

/// A place in a text, with the names that stand there.
pub(crate) struct Cursor {
    pub(crate) source: SourceId,
    pub(crate) lines: Lines,
    pub(crate) offset: u32,
    pub(crate) record: Arc<NameRecord>,
    /// Several where a pun stands, or where several functions may be meant.
    pub(crate) uses: Vec<Use>,
}

impl Cursor {
    /// The cursor of a request; none in a file that is not known, or whose module
    /// could not be checked.
    pub(crate) fn of(
        workspace: &mut Workspace<'_>,
        at: &lsp::TextDocumentPositionParams,
    ) -> Option<Self> {
        let source = workspace.source(&at.text_document.uri.0)?;
        let record = workspace.session.record(source)?;
        let lines = workspace.lines(source);
        let offset = lines.offset(at.position);
        let uses = record.at(offset).copied().collect();
        Some(Self {
            source,
            lines,
            offset,
            record,
            uses,
        })
    }

    /// The place of the name, if one is there.
    pub(crate) fn span(&self) -> Option<Span> {
        self.uses.first().map(|u| u.span)
    }

    pub(crate) fn targets(&self) -> impl Iterator<Item = Target> + '_ {
        self.uses.iter().map(|u| u.target)
    }
}

pub(crate) fn hover(
    workspace: &mut Workspace<'_>,
    client: &Client,
    params: &lsp::HoverParams,
) -> Option<lsp::Hover> {
    let cursor = Cursor::of(workspace, &params.text_document_position_params)?;
    let mut parts = Vec::new();
    for target in cursor.targets() {
        let Some(described) = describe::describe(workspace, &cursor.record, target) else {
            continue;
        };
        let mut part = if client.markdown {
            format!("```dag\n{}\n```", described.code)
        } else {
            described.code.clone()
        };
        for more in [&described.of, &described.annotation] {
            if !more.is_empty() {
                part.push_str("\n\n");
                part.push_str(more);
            }
        }
        parts.push(part);
    }
    if parts.is_empty() {
        return None;
    }
    let rule = if client.markdown {
        "\n\n---\n\n"
    } else {
        "\n\n"
    };
    let kind = if client.markdown {
        lsp::MarkupKind::Markdown
    } else {
        lsp::MarkupKind::PlainText
    };
    Some(lsp::Hover {
        contents: lsp::Contents::MarkupContent(lsp::MarkupContent {
            kind,
            value: parts.join(rule),
        }),
        range: cursor.span().map(|s| cursor.lines.range(s)),
    })
}
