//! Renaming: every place that names a thing is edited, and the edited texts are
//! checked before the edit is given out. If a name would mean something else
//! afterwards, the rename is refused.

use crate::cursor::Cursor;
use crate::initialize::Client;
use crate::navigate;
use crate::workspace::Workspace;
use dag_analysis::record::{NameRecord, Target, Use};
use dag_syntax::{Code, Diagnostic, Node, SourceId, Span, Token, Tree, lex};
use gen_lsp_types as lsp;
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) fn prepare(
    workspace: &mut Workspace<'_>,
    params: &lsp::PrepareRenameParams,
) -> Result<Value, String> {
    let at = &params.text_document_position_params;
    let Some(cursor) = Cursor::of(workspace, at).filter(|c| !c.uses.is_empty()) else {
        return Ok(Value::Null);
    };
    let (_, span) = wanted(workspace, &cursor)?;
    let name = &cursor.lines.text[span.start as usize..span.end as usize];
    Ok(json!({ "range": cursor.lines.range(span), "placeholder": name }))
}

pub(crate) fn rename(
    workspace: &mut Workspace<'_>,
    client: &Client,
    params: &lsp::RenameParams,
) -> Result<Value, String> {
    let at = &params.text_document_position_params;
    let cursor = Cursor::of(workspace, at)
        .filter(|c| !c.uses.is_empty())
        .ok_or("there is no name here")?;
    let (target, span) = wanted(workspace, &cursor)?;
    let old = cursor.lines.text[span.start as usize..span.end as usize].to_owned();
    let new = params.new_name.trim();
    refuse_name(target, &old, new)?;
    let mut found = navigate::uses(workspace, &cursor, &[target]);
    if !matches!(target, Target::Capability(..)) {
        without_capabilities(workspace, &mut found);
    }
    if let Some((source, _)) = found.iter().find(|(s, _)| !workspace.is_own(*s)) {
        let path = &workspace.session.sources().get(*source).path;
        return Err(format!("`{old}` is used in {path}, which is the library's"));
    }
    let mut edits: Vec<(SourceId, Vec<(Span, String)>)> = Vec::new();
    for (source, used) in &found {
        let tree = workspace.session.tree(*source).ok_or("a file is gone")?;
        let mut own = Vec::new();
        for used in used {
            own.push((used.span, written(tree, used, &old, new)));
            if used.declares && is_read_by_name(workspace, &cursor.record, target) {
                own.extend(key_kept(tree, used, &old));
            }
        }
        edits.push((*source, own));
    }
    if old != new {
        try_out(workspace, &edits, &old, new)?;
    }
    Ok(as_edit(workspace, client, &edits))
}

/// Leaves out where a capability is named that the target carries out: it has a
/// name of its own.
fn without_capabilities(workspace: &mut Workspace<'_>, found: &mut Vec<(SourceId, Vec<Use>)>) {
    let sources: Vec<SourceId> = found.iter().map(|(source, _)| *source).collect();
    for (source, record) in workspace.session.records(&sources) {
        let capability = |span: Span| {
            let mut uses = record.uses.iter().filter(|u| u.span == span);
            uses.any(|u| matches!(u.target, Target::Capability(..)))
        };
        for (_, used) in found.iter_mut().filter(|(s, _)| *s == source) {
            used.retain(|u| !capability(u.span));
        }
    }
    found.retain(|(_, used)| !used.is_empty());
}

/// Whether an operation reads the field by its name, because no `from` says what it
/// is read from.
fn is_read_by_name(workspace: &Workspace<'_>, here: &NameRecord, target: Target) -> bool {
    let Target::Field(ctor, index) = target else {
        return false;
    };
    let program = workspace.session.program();
    let field = here.module_of(program, ctor.ty.module).and_then(|module| {
        let variants = module.types.get(ctor.ty.index as usize)?.variants();
        variants
            .get(ctor.variant as usize)?
            .fields
            .get(index as usize)
    });
    let modules = program.modules.iter().map(AsRef::as_ref);
    let mut operations = modules
        .chain([here.module.as_ref()])
        .flat_map(|m| &m.operations);
    field.is_some_and(|field| field.source.is_none())
        && operations.any(|o| o.exits.iter().any(|exit| exit.gives == Some(ctor)))
}

/// The `from` behind a field's type, which keeps what is read.
fn key_kept(tree: &Tree, used: &Use, old: &str) -> Option<(Span, String)> {
    let path = tree.path_to(used.span.start);
    let field = path
        .into_iter()
        .rfind(|n| tree.kind(*n) == Node::FieldDecl)?;
    let mut parts = tree.children(field).iter();
    let last = parts.rfind(|part| tree.kind(**part) != Node::Default)?;
    let end = tree.span(*last).end;
    Some((Span::new(end, end), format!(" from \"{old}\"")))
}

/// The one thing that is renamed, and where it is named here. Of a pun, it is the
/// local: the field belongs to others too.
fn wanted(workspace: &Workspace<'_>, cursor: &Cursor) -> Result<(Target, Span), String> {
    let local = |u: &&Use| matches!(u.target, Target::Local(_) | Target::Param(..));
    let first = cursor.uses.first().ok_or("there is no name here")?;
    let found = cursor.uses.iter().find(local).unwrap_or(first);
    let several = cursor
        .uses
        .iter()
        .filter(|u| matches!(u.target, Target::Decl(_)));
    if several.count() > 1 {
        return Err("several functions have this name, and which is meant is not known".into());
    }
    if matches!(found.target, Target::Module(_)) {
        return Err(
            "a module has the name of its `module` line: change it there, and in the imports"
                .into(),
        );
    }
    let program = workspace.session.program();
    let at = found
        .target
        .definition(program, &cursor.record.module)
        .ok_or("its declaration is not known")?;
    if !workspace.is_own(at.source) {
        let name = &cursor.lines.text[found.span.start as usize..found.span.end as usize];
        return Err(format!("`{name}` belongs to the library"));
    }
    Ok((found.target, found.span))
}

/// Refuses what is no name, or none of this kind.
fn refuse_name(target: Target, old: &str, new: &str) -> Result<(), String> {
    let (tokens, errors) = lex(SourceId(0), new);
    let kinds: Vec<Token> = (0..tokens.len()).map(|i| tokens.kind(i)).collect();
    if Token::keyword(new).is_some() {
        return Err(format!("`{new}` is a keyword"));
    }
    let name =
        errors.is_empty() && matches!(kinds.as_slice(), [Token::Name] | [Token::Name, Token::End]);
    if !name || new == "_" {
        return Err(format!("`{new}` is no name"));
    }
    let capital = |name: &str| name.chars().next().is_some_and(char::is_uppercase);
    let (what, needs) = match target {
        Target::Variant(_) => ("a variant", true),
        Target::Type(_) if capital(old) => ("a type", true),
        Target::Local(_) if !capital(old) => ("a local", false),
        _ => return Ok(()),
    };
    if capital(new) != needs {
        let how = if needs { "a capital" } else { "a small" };
        return Err(format!("the name of {what} starts with {how} letter"));
    }
    Ok(())
}

/// What stands in place of a name: itself, or both names where a pun stood.
fn written(tree: &Tree, used: &Use, old: &str, new: &str) -> String {
    let path = tree.path_to(used.span.start);
    let pun = path.iter().any(|n| {
        matches!(tree.kind(*n), Node::Init | Node::FieldPattern) && tree.span(*n) == used.span
    });
    match (pun, used.target) {
        (false, _) => new.to_owned(),
        (true, Target::Field(..)) => format!("{new}: {old}"),
        (true, _) => format!("{old}: {new}"),
    }
}

/// Checks the edited texts: the same mistakes as before, and every name of them
/// stands for what it stood for.
fn try_out(
    workspace: &mut Workspace<'_>,
    edits: &[(SourceId, Vec<(Span, String)>)],
    old: &str,
    new: &str,
) -> Result<(), String> {
    let before: Vec<Arc<str>> = edits.iter().map(|(s, _)| workspace.text(*s)).collect();
    let sources: Vec<SourceId> = edits.iter().map(|(s, _)| *s).collect();
    let meant = meanings(workspace, &sources);
    // Of every file: a mistake may come up in one that is not edited.
    let mistakes = mistakes(workspace);
    for ((source, edits), text) in edits.iter().zip(&before) {
        let text = applied(text, edits);
        workspace.session.set_text(*source, &text);
    }
    workspace.session.update(&mut |_, _| true);
    let verdict = verdict(workspace, &sources, &meant, &mistakes);
    for (source, text) in sources.iter().zip(&before) {
        workspace.session.set_text(*source, text);
    }
    workspace.session.update(&mut |_, _| true);
    verdict.map_err(|why| format!("`{old}` cannot be renamed to `{new}`: {why}"))
}

fn verdict(
    workspace: &mut Workspace<'_>,
    sources: &[SourceId],
    meant: &FxHashMap<SourceId, Vec<Target>>,
    before: &FxHashMap<SourceId, Mistakes>,
) -> Result<(), String> {
    let session = &workspace.session;
    let mut after: Vec<(SourceId, Mistakes)> = mistakes(workspace).into_iter().collect();
    // The first file in the order of their paths is the one that is named.
    after.sort_by_key(|(source, _)| &session.sources().get(*source).path);
    for (source, after) in &after {
        let before = before.get(source);
        if after.more_than(before) {
            let found = session.diagnostics(*source);
            let mut errors = found.iter().filter(|d| d.is_error());
            let error = errors.find(|error| after.is_new(error, before));
            return Err(error.map_or_else(
                || "it would be a mistake".into(),
                |e| format!("{}: {}", session.sources().describe(e.at), e.message),
            ));
        }
    }
    let now = meanings(workspace, sources);
    for source in sources {
        if now.get(source) != meant.get(source) {
            let path = &workspace.session.sources().get(*source).path;
            return Err(format!("a name in {path} would stand for something else"));
        }
    }
    Ok(())
}

/// The mistakes of a file. Their places move with an edit, so it is told by code and
/// message which of them are new.
#[derive(Default)]
struct Mistakes {
    count: usize,
    of_code: FxHashMap<Code, usize>,
    messages: FxHashSet<(Code, String)>,
}

impl Mistakes {
    fn more_than(&self, before: Option<&Self>) -> bool {
        self.count > before.map_or(0, |before| before.count)
    }

    /// Whether a mistake of these was not there before. One that was there may name what is
    /// renamed, so its code must have become more frequent too.
    fn is_new(&self, error: &Diagnostic, before: Option<&Self>) -> bool {
        let Some(before) = before else {
            return true;
        };
        let of = |all: &Self| all.of_code.get(&error.code).copied().unwrap_or(0);
        of(self) > of(before)
            && !before
                .messages
                .contains(&(error.code, error.message.clone()))
    }
}

fn mistakes(workspace: &Workspace<'_>) -> FxHashMap<SourceId, Mistakes> {
    let session = &workspace.session;
    let of_file = |source: SourceId| {
        let mut all = Mistakes::default();
        for error in session.diagnostics(source).iter().filter(|d| d.is_error()) {
            all.count += 1;
            *all.of_code.entry(error.code).or_default() += 1;
            all.messages.insert((error.code, error.message.clone()));
        }
        (source, all)
    };
    session.files().map(of_file).collect()
}

/// What the names of some files stand for, in the order of the text. Locals are
/// numbered, because their places move.
fn meanings(
    workspace: &mut Workspace<'_>,
    sources: &[SourceId],
) -> FxHashMap<SourceId, Vec<Target>> {
    let records = workspace.session.records(sources);
    records
        .into_iter()
        .map(|(source, record)| (source, numbered(&record)))
        .collect()
}

fn numbered(record: &NameRecord) -> Vec<Target> {
    let mut numbers: FxHashMap<Span, u32> = FxHashMap::default();
    for used in &record.uses {
        if let Target::Local(span) | Target::TypeParam(span) = used.target {
            let next = numbers.len() as u32;
            numbers.entry(span).or_insert(next);
        }
    }
    let number = |span: &Span| numbers.get(span).map_or(0, |n| *n);
    let mut targets: Vec<(Span, Target)> = record
        .uses
        .iter()
        .map(|u| {
            let target = match u.target {
                Target::Local(span) => Target::Local(Span::new(number(&span), 0)),
                Target::TypeParam(span) => Target::TypeParam(Span::new(number(&span), 0)),
                other => other,
            };
            (u.span, target)
        })
        .collect();
    targets.sort_by_key(|(span, _)| span.start);
    targets.into_iter().map(|(_, target)| target).collect()
}

fn applied(text: &str, edits: &[(Span, String)]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (span, new) in edits {
        out.push_str(&text[at..span.start as usize]);
        out.push_str(new);
        at = span.end as usize;
    }
    out.push_str(&text[at..]);
    out
}

/// The edits as the protocol has them: with versions, where the client takes those.
pub(crate) fn as_edit(
    workspace: &Workspace<'_>,
    client: &Client,
    edits: &[(SourceId, Vec<(Span, String)>)],
) -> Value {
    let mut documents = Vec::new();
    let mut changes = serde_json::Map::new();
    for (source, edits) in edits {
        let Some(uri) = workspace.uri(*source) else {
            continue;
        };
        let lines = workspace.lines(*source);
        let edits: Vec<lsp::TextEdit> = edits
            .iter()
            .map(|(span, text)| lsp::TextEdit {
                range: lines.range(*span),
                new_text: text.clone(),
            })
            .collect();
        if client.document_changes {
            let version = workspace.version(*source);
            documents.push(json!({
                "textDocument": { "uri": uri, "version": version },
                "edits": edits,
            }));
        } else {
            changes.insert(uri, json!(edits));
        }
    }
    if client.document_changes {
        json!({ "documentChanges": documents })
    } else {
        json!({ "changes": changes })
    }
}
