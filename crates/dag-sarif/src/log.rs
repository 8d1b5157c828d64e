//! Findings, or the reason why there are none, as a log.

use crate::fingerprint::{Fingerprints, NAME};
use crate::format::{
    ArtifactChange, Content, Driver, Finding, Fix, Invocation, Location, Log, Message,
    Notification, PhysicalLocation, Region, Replacement, Run, Tool,
};
use crate::rules::{level, rules};
use crate::uri::{Place, bases};
use dag_syntax::{Code, Diagnostic, Edit, Label, Sources};
use serde::Serialize;
use std::collections::BTreeMap;

/// What was found.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// The mistakes and warnings, in the order in which they are told.
    pub diagnostics: &'a [Diagnostic],
    /// The texts that they speak of.
    pub sources: &'a Sources,
}

/// The log of a run that was carried out. `version` is the program's; `place` tells where
/// the file of a path is, as [`dag_syntax::Source::path`] shows it.
#[must_use]
pub fn findings(
    found: Found<'_>,
    version: &str,
    place: &dyn Fn(&str) -> Place,
) -> impl Serialize + use<> {
    let mut fingerprints = Fingerprints::default();
    let mut results = Vec::with_capacity(found.diagnostics.len());
    for diagnostic in found.diagnostics {
        results.push(finding(diagnostic, found.sources, place, &mut fingerprints));
    }
    log(version, Vec::new(), results)
}

/// The log of a run that was not carried out, and why not.
#[must_use]
pub fn failure(message: &str, version: &str) -> impl Serialize + use<> {
    let notification = Notification {
        level: "error",
        message: Message::lines([message]),
    };
    log(version, vec![notification], Vec::new())
}

fn log(version: &str, failures: Vec<Notification>, results: Vec<Finding>) -> Log {
    Log {
        schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver {
                    name: "hayward",
                    version: version.to_owned(),
                    rules: rules(),
                },
            },
            invocations: [Invocation {
                execution_successful: failures.is_empty(),
                tool_execution_notifications: failures,
            }],
            original_uri_base_ids: bases(),
            // As `Sources::line_col` counts.
            column_kind: "unicodeCodePoints",
            results,
        }],
    }
}

fn finding(
    found: &Diagnostic,
    sources: &Sources,
    place: &dyn Fn(&str) -> Place,
    fingerprints: &mut Fingerprints,
) -> Finding {
    let physical = |at: dag_syntax::Location| {
        let start = sources.line_col(at.source, at.span.start);
        let end = sources.line_col(at.source, at.span.end.max(at.span.start));
        PhysicalLocation {
            artifact_location: place(&sources.get(at.source).path).location(),
            region: Region {
                start_line: start.line,
                start_column: start.column,
                end_line: end.line,
                end_column: end.column,
            },
        }
    };
    let own = physical(found.at);
    let fingerprint = fingerprints.next(found, &own.artifact_location.uri, sources);
    let related = |(id, other): (usize, &Label)| Location {
        id: Some(id),
        physical_location: physical(other.at),
        message: Some(Message::of(&other.text)),
    };
    let said = [found.message.as_str(), &found.here]
        .into_iter()
        .chain(found.notes.iter().map(String::as_str))
        .chain(found.cure.as_deref());
    Finding {
        rule_id: found.code.as_str(),
        rule_index: Code::ALL.iter().position(|code| *code == found.code),
        level: level(found.severity),
        message: Message::lines(said),
        locations: [Location {
            id: None,
            physical_location: own,
            message: None,
        }],
        related_locations: found.others.iter().enumerate().map(related).collect(),
        partial_fingerprints: BTreeMap::from([(NAME, fingerprint)]),
        fixes: found.fix.iter().map(|f| fix(f, &physical)).collect(),
    }
}

/// The edits of a cure, those of a file together.
fn fix(fix: &dag_syntax::Fix, physical: &dyn Fn(dag_syntax::Location) -> PhysicalLocation) -> Fix {
    let mut edits: Vec<&Edit> = fix.edits.iter().collect();
    edits.sort_by_key(|edit| edit.at);
    let change = |edits: &[&Edit]| {
        let replaced = edits.iter().map(|edit| Replacement {
            deleted_region: physical(edit.at).region,
            inserted_content: Content {
                text: edit.text.clone(),
            },
        });
        let first = edits.first()?;
        Some(ArtifactChange {
            artifact_location: physical(first.at).artifact_location,
            replacements: replaced.collect(),
        })
    };
    let files = edits.chunk_by(|a, b| a.at.source == b.at.source);
    Fix {
        description: Message::lines([fix.title.as_str()]),
        artifact_changes: files.filter_map(change).collect(),
    }
}
