//! Diagnostics as text and as JSON.

use crate::source::shown_name;
use crate::{Diagnostic, Location, Severity, SourceId, Sources};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use serde::Serialize;

/// Whether escape sequences for colour may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// No escape sequences.
    Plain,
    /// Colours.
    Coloured,
}

/// The diagnostic as a person sees it everywhere: the first line names the file and
/// the place, `path:line:column`. Ends without a newline.
///
/// It is short: of a place that runs over several lines the first is shown, and
/// of very many other places so many that it stays within twelve lines.
#[must_use]
pub fn render_text(diagnostic: &Diagnostic, sources: &Sources, style: Style) -> String {
    let place = sources.describe(diagnostic.at);
    // Each takes a line at least.
    let mut shown = diagnostic.others.len().min(MOST_LINES);
    loop {
        let text = draw(diagnostic, sources, style, shown);
        if shown == 0 || text.lines().count() <= MOST_LINES {
            return format!("{place}: {text}");
        }
        shown -= 1;
    }
}

/// As many lines as a person reads at once.
const MOST_LINES: usize = 12;

/// Draws it with so many of its other places.
fn draw(diagnostic: &Diagnostic, sources: &Sources, style: Style, shown: usize) -> String {
    let others = &diagnostic.others[..shown];
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut group = Group::with_title(
        level
            .primary_title(diagnostic.message.as_str())
            .id(diagnostic.code.as_str()),
    );
    // One snippet a file, the primary file first; the labels of a file share it.
    let mut files: Vec<SourceId> = vec![diagnostic.at.source];
    for other in others {
        if !files.contains(&other.at.source) {
            files.push(other.at.source);
        }
    }
    for file in files {
        let source = sources.get(file);
        // The first line names the file of the mistake.
        let named = file != diagnostic.at.source;
        let mut snippet = Snippet::source(source.text.as_ref())
            .path(named.then(|| shown_name(&source.path)))
            .line_start(1)
            .fold(true);
        if file == diagnostic.at.source {
            let range = byte_range(&source.text, diagnostic.at);
            let label = (!diagnostic.here.is_empty()).then_some(diagnostic.here.as_str());
            snippet = snippet.annotation(AnnotationKind::Primary.span(range).label(label));
        }
        for other in others.iter().filter(|o| o.at.source == file) {
            let range = byte_range(&source.text, other.at);
            snippet = snippet.annotation(
                AnnotationKind::Context
                    .span(range)
                    .label(other.text.as_str()),
            );
        }
        group = group.element(snippet);
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    let hidden = diagnostic.others.len() - shown;
    if hidden > 0 {
        let places = if hidden == 1 { "place" } else { "places" };
        group = group.element(Level::NOTE.message(format!("{hidden} more {places} not shown")));
    }
    if let Some(cure) = &diagnostic.cure {
        group = group.element(Level::HELP.message(cure.as_str()));
    }
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Coloured => Renderer::styled(),
    };
    renderer.render(&[group]).to_string()
}

/// A span as a range that lies in the text, on character boundaries and on one
/// line.
fn byte_range(text: &str, at: Location) -> std::ops::Range<usize> {
    let clamp = |offset: u32| {
        let mut offset = (offset as usize).min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    };
    let (start, end) = (clamp(at.span.start), clamp(at.span.end));
    let end = end.max(start);
    let line = text[start..end].find('\n').unwrap_or(end - start);
    start..start + text[start..start + line].trim_end().len()
}

#[derive(Serialize)]
struct JsonPlace<'a> {
    path: &'a str,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
    start_byte: u32,
    end_byte: u32,
    #[serde(skip_serializing_if = "str::is_empty")]
    label: &'a str,
}

#[derive(Serialize)]
struct JsonDiagnostic<'a> {
    code: &'static str,
    severity: &'static str,
    message: &'a str,
    place: JsonPlace<'a>,
    others: Vec<JsonPlace<'a>>,
    notes: &'a [String],
    cure: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<JsonFix<'a>>,
}

#[derive(Serialize)]
struct JsonFix<'a> {
    title: &'a str,
    edits: Vec<JsonEdit<'a>>,
}

#[derive(Serialize)]
struct JsonEdit<'a> {
    #[serde(flatten)]
    place: JsonPlace<'a>,
    text: &'a str,
}

/// The diagnostic as a JSON value: code, severity, message, place, other
/// places, notes, cure, and the cure as edits where it is exact. Lines and columns count from one, bytes from zero.
#[must_use]
pub fn to_json<'a>(diagnostic: &'a Diagnostic, sources: &'a Sources) -> impl Serialize + 'a {
    let place = |at: Location, label: &'a str| {
        let start = sources.line_col(at.source, at.span.start);
        let end = sources.line_col(at.source, at.span.end);
        JsonPlace {
            path: sources.get(at.source).path.as_ref(),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            start_byte: at.span.start,
            end_byte: at.span.end,
            label,
        }
    };
    JsonDiagnostic {
        code: diagnostic.code.as_str(),
        severity: match diagnostic.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        },
        message: &diagnostic.message,
        place: place(diagnostic.at, &diagnostic.here),
        others: diagnostic
            .others
            .iter()
            .map(|o| place(o.at, &o.text))
            .collect(),
        notes: &diagnostic.notes,
        cure: diagnostic.cure.as_deref(),
        fix: diagnostic.fix.as_deref().map(|fix| JsonFix {
            title: &fix.title,
            edits: fix
                .edits
                .iter()
                .map(|edit| JsonEdit {
                    place: place(edit.at, ""),
                    text: &edit.text,
                })
                .collect(),
        }),
    }
}
