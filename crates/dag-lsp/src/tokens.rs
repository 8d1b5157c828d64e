//! Semantic tokens: what each word is, for colours.

use crate::position::Lines;
use crate::workspace::Workspace;
use dag_analysis::record::{NameRecord, Target};
use dag_syntax::{Span, Token, Tree};
use gen_lsp_types as lsp;
use serde_json::{Value, json};

/// The types of tokens, by their numbers.
pub(crate) const TYPES: &[&str] = &[
    "namespace",
    "type",
    "typeParameter",
    "enumMember",
    "property",
    "parameter",
    "variable",
    "function",
    "keyword",
    "comment",
    "string",
    "number",
];

/// The modifiers, by their bits.
pub(crate) const MODIFIERS: &[&str] = &["declaration", "readonly", "defaultLibrary"];

const DECLARATION: u32 = 1;
const READONLY: u32 = 2;
const LIBRARY: u32 = 4;

pub(crate) fn full(workspace: &mut Workspace<'_>, params: &lsp::SemanticTokensParams) -> Value {
    tokens(workspace, &params.text_document.uri.0, None)
}

pub(crate) fn range(
    workspace: &mut Workspace<'_>,
    params: &lsp::SemanticTokensRangeParams,
) -> Value {
    tokens(workspace, &params.text_document.uri.0, Some(params.range))
}

fn tokens(workspace: &mut Workspace<'_>, uri: &str, range: Option<lsp::Range>) -> Value {
    let Some(source) = workspace.source(uri) else {
        return Value::Null;
    };
    let record = workspace.session.record(source);
    let Some(tree) = workspace.session.tree(source) else {
        return Value::Null;
    };
    let lines = workspace.lines(source);
    let span = range.map(|r| lines.span(r));
    let within = |s: &Span| span.is_none_or(|w| s.start < w.end && w.start < s.end);
    let mut found = words(tree);
    if let Some(record) = &record {
        names(workspace, record, &mut found);
    }
    found.retain(|(span, ..)| within(span) && span.start < span.end);
    found.sort_by_key(|(span, ..)| *span);
    found.dedup_by_key(|(span, ..)| span.start);
    json!({ "data": encoded(&lines, &found) })
}

type Found = (Span, &'static str, u32);

/// What the lexer tells.
fn words(tree: &Tree) -> Vec<Found> {
    let tokens = tree.tokens();
    let mut found = Vec::new();
    for index in 0..tokens.len() {
        let kind = match tokens.kind(index) {
            Token::Annotation => "comment",
            Token::Int | Token::Float => "number",
            Token::Quote | Token::Text | Token::EndQuote => "string",
            Token::Name => continue,
            kind if kind.is_word() => "keyword",
            _ => continue,
        };
        found.push((tokens.span(index), kind, 0));
    }
    let contextual = tree.contextual_words().into_iter();
    found.extend(contextual.map(|index| (tokens.span(index), "keyword", 0)));
    found
}

/// What the check tells; where both know something, this counts.
fn names(workspace: &Workspace<'_>, record: &NameRecord, found: &mut Vec<Found>) {
    let program = workspace.session.program();
    let mut named: Vec<Found> = Vec::new();
    for used in &record.uses {
        let (kind, mut modifiers) = match used.target {
            Target::Module(_) => ("namespace", 0),
            Target::Type(_) => ("type", 0),
            Target::TypeParam(_) => ("typeParameter", 0),
            Target::Variant(_) => ("enumMember", 0),
            Target::Field(..) => ("property", 0),
            Target::Capability(..) => ("function", 0),
            Target::Param(..) => ("parameter", 0),
            Target::Local(_) => ("variable", READONLY),
            Target::Decl(decl) => {
                let module = record.module_of(program, decl.module);
                let decl = module.and_then(|m| m.decls.get(decl.index as usize));
                match decl.map(|d| d.kind) {
                    Some(dag_analysis::core::DeclKind::Data) => ("variable", READONLY),
                    _ => ("function", 0),
                }
            }
        };
        if used.declares {
            modifiers |= DECLARATION;
        }
        let at = used.target.definition(program, &record.module);
        if at.is_some_and(|at| workspace.session.is_library(at.source)) {
            modifiers |= LIBRARY;
        }
        named.push((used.span, kind, modifiers));
    }
    named.dedup_by_key(|(span, ..)| *span);
    let taken = |span: &Span| named.binary_search_by_key(span, |(s, ..)| *s).is_ok();
    found.retain(|(span, ..)| !taken(span));
    found.extend(named);
}

/// The protocol's form: five numbers a token, each place told from the one before.
/// A token does not go over the end of a line.
fn encoded(lines: &Lines, found: &[Found]) -> Vec<u32> {
    let mut data = Vec::with_capacity(found.len() * 5);
    let (mut line, mut character) = (0, 0);
    for (span, kind, modifiers) in found {
        let kind = TYPES.iter().position(|t| t == kind).unwrap_or_default() as u32;
        let text = &lines.text[span.start as usize..span.end as usize];
        let mut start = span.start;
        for piece in text.split_inclusive('\n') {
            let end = start + piece.trim_end_matches(['\r', '\n']).len() as u32;
            let (from, to) = (lines.position(start), lines.position(end));
            start += piece.len() as u32;
            // A lone CR may end a line inside; such a piece has no one place.
            if from.line != to.line || from == to {
                continue;
            }
            let delta = from.line - line;
            let column = if delta == 0 {
                from.character - character
            } else {
                from.character
            };
            data.extend([
                delta,
                column,
                to.character - from.character,
                kind,
                *modifiers,
            ]);
            (line, character) = (from.line, from.character);
        }
    }
    data
}
