//! From a name to its declaration, to its type, and to where it is used.

use crate::cursor::Cursor;
use crate::workspace::Workspace;
use dag_analysis::record::{Target, Use};
use dag_syntax::{Location, SourceId};
use gen_lsp_types as lsp;

pub(crate) fn definition(
    workspace: &mut Workspace<'_>,
    params: &lsp::DefinitionParams,
) -> Vec<lsp::Location> {
    let Some(cursor) = Cursor::of(workspace, &params.text_document_position_params) else {
        return Vec::new();
    };
    let mut found: Vec<lsp::Location> = cursor
        .targets()
        .filter_map(|t| t.definition(workspace.session.program(), &cursor.record.module))
        .filter_map(|at| workspace.location(at))
        .collect();
    // Several functions of one name may be declared in one place only.
    found.dedup();
    found
}

pub(crate) fn type_definition(
    workspace: &mut Workspace<'_>,
    params: &lsp::TypeDefinitionParams,
) -> Vec<lsp::Location> {
    let mut at = || {
        let cursor = Cursor::of(workspace, &params.text_document_position_params)?;
        let program = workspace.session.program();
        let binding = cursor.targets().find_map(|target| match target {
            Target::Local(span) => cursor.record.binding(span),
            Target::Param(..) => {
                let at = target.definition(program, &cursor.record.module)?;
                cursor.record.binding(at.span)
            }
            _ => None,
        });
        let ty = match binding {
            Some(binding) => binding.ty,
            None => {
                let tree = workspace.session.tree(cursor.source)?;
                let path = tree.path_to(cursor.offset);
                path.into_iter()
                    .rev()
                    .find_map(|n| cursor.record.type_at(tree.span(n)))?
            }
        };
        // What is in an optional or a list is what a person asks for.
        let named = cursor.record.head(program, ty, None)?;
        let at = Target::Type(named).definition(program, &cursor.record.module)?;
        workspace.location(at)
    };
    at().into_iter().collect()
}

pub(crate) fn references(
    workspace: &mut Workspace<'_>,
    params: &lsp::ReferenceParams,
) -> Vec<lsp::Location> {
    let Some(cursor) = Cursor::of(workspace, &params.text_document_position_params) else {
        return Vec::new();
    };
    let targets: Vec<Target> = cursor.targets().collect();
    let declarations = params.context.include_declaration;
    let mut found = Vec::new();
    for (source, used) in uses(workspace, &cursor, &targets) {
        let lines = workspace.lines(source);
        let Some(uri) = workspace.uri(source) else {
            continue;
        };
        for used in used.iter().filter(|u| declarations || !u.declares) {
            found.push(lsp::Location {
                uri: lsp::Uri(uri.clone()),
                range: lines.range(used.span),
            });
        }
    }
    found.dedup();
    found
}

/// Everywhere that one of some targets is named: by file, and by place in it.
pub(crate) fn uses(
    workspace: &mut Workspace<'_>,
    cursor: &Cursor,
    targets: &[Target],
) -> Vec<(SourceId, Vec<Use>)> {
    let local = |t: &Target| matches!(t, Target::Local(_) | Target::TypeParam(_));
    let files = if targets.iter().all(local) {
        vec![cursor.source]
    } else {
        let names: Vec<String> = targets
            .iter()
            .filter_map(|t| name_of(workspace, cursor, *t))
            .collect();
        let session = &workspace.session;
        let names_one = |source: &SourceId| {
            let text = &session.sources().get(*source).text;
            names.iter().any(|name| text.contains(name.as_str()))
        };
        session.files().filter(names_one).collect()
    };
    let records = workspace.session.records(&files);
    let mut found: Vec<(SourceId, Vec<Use>)> = records
        .into_iter()
        .map(|(source, record)| {
            let same = |u: &&Use| {
                targets.contains(&u.target) && (source == cursor.source || !local(&u.target))
            };
            (source, record.uses.iter().filter(same).copied().collect())
        })
        .filter(|(_, used): &(_, Vec<Use>)| !used.is_empty())
        .collect();
    let path = |source: &SourceId| workspace.session.sources().get(*source).path.clone();
    found.sort_by_key(|(source, _)| path(source));
    found
}

/// The name of a target, as it is declared.
pub(crate) fn name_of(
    workspace: &Workspace<'_>,
    cursor: &Cursor,
    target: Target,
) -> Option<String> {
    let program = workspace.session.program();
    if let Target::Module(module) = target {
        let module = cursor.record.module_of(program, module)?;
        return Some(module.name.to_string());
    }
    let Location { source, span } = target.definition(program, &cursor.record.module)?;
    let text = workspace.text(source);
    text.get(span.start as usize..span.end as usize)
        .map(str::to_owned)
}

pub(crate) fn highlights(
    workspace: &mut Workspace<'_>,
    params: &lsp::DocumentHighlightParams,
) -> Vec<lsp::DocumentHighlight> {
    let Some(cursor) = Cursor::of(workspace, &params.text_document_position_params) else {
        return Vec::new();
    };
    let targets: Vec<Target> = cursor.targets().collect();
    let used = cursor
        .record
        .uses
        .iter()
        .filter(|u| targets.contains(&u.target));
    let mut found: Vec<lsp::DocumentHighlight> = used
        .map(|u| lsp::DocumentHighlight {
            range: cursor.lines.range(u.span),
            kind: Some(if u.declares {
                lsp::DocumentHighlightKind::Write
            } else {
                lsp::DocumentHighlightKind::Read
            }),
        })
        .collect();
    found.dedup_by_key(|h| h.range);
    found
}
