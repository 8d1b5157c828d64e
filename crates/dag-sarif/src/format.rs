//! The objects of the format that are written, with the names that it gives them.

use serde::Serialize;
use std::collections::BTreeMap;

/// §3.13: the file as a whole.
#[derive(Serialize)]
pub(crate) struct Log {
    #[serde(rename = "$schema")]
    pub(crate) schema: &'static str,
    pub(crate) version: &'static str,
    pub(crate) runs: [Run; 1],
}

/// §3.14: one run of the tool.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Run {
    pub(crate) tool: Tool,
    pub(crate) invocations: [Invocation; 1],
    pub(crate) original_uri_base_ids: BTreeMap<&'static str, Base>,
    pub(crate) column_kind: &'static str,
    pub(crate) results: Vec<Finding>,
}

/// §3.18.
#[derive(Serialize)]
pub(crate) struct Tool {
    pub(crate) driver: Driver,
}

/// §3.19: the tool, with every rule that it knows.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Driver {
    pub(crate) name: &'static str,
    pub(crate) version: String,
    pub(crate) rules: Vec<Rule>,
}

/// §3.49: a rule.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Rule {
    pub(crate) id: &'static str,
    pub(crate) name: String,
    pub(crate) short_description: Message,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) help: Option<Message>,
    pub(crate) default_configuration: Configuration,
}

/// §3.50.
#[derive(Serialize)]
pub(crate) struct Configuration {
    pub(crate) level: &'static str,
}

/// §3.20: whether the tool could do what it was asked.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Invocation {
    pub(crate) execution_successful: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tool_execution_notifications: Vec<Notification>,
}

/// §3.58.
#[derive(Serialize)]
pub(crate) struct Notification {
    pub(crate) level: &'static str,
    pub(crate) message: Message,
}

/// §3.14.14: what a relative path is relative to, in words: where it stands on this
/// machine is nobody's business.
#[derive(Serialize)]
pub(crate) struct Base {
    pub(crate) description: Message,
}

/// §3.11, §3.12.
#[derive(Serialize)]
pub(crate) struct Message {
    pub(crate) text: String,
}

/// §3.27: a finding.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Finding {
    pub(crate) rule_id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) rule_index: Option<usize>,
    pub(crate) level: &'static str,
    pub(crate) message: Message,
    pub(crate) locations: [Location; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) related_locations: Vec<Location>,
    pub(crate) partial_fingerprints: BTreeMap<&'static str, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) fixes: Vec<Fix>,
}

/// §3.55: a cure that can be carried out as it stands.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Fix {
    pub(crate) description: Message,
    pub(crate) artifact_changes: Vec<ArtifactChange>,
}

/// §3.56: the changes of one file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ArtifactChange {
    pub(crate) artifact_location: ArtifactLocation,
    pub(crate) replacements: Vec<Replacement>,
}

/// §3.57: an empty region is an insertion.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Replacement {
    pub(crate) deleted_region: Region,
    pub(crate) inserted_content: Content,
}

/// §3.3: bytes of a file, in which nothing is escaped.
#[derive(Serialize)]
pub(crate) struct Content {
    pub(crate) text: String,
}

/// §3.28.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Location {
    /// Only of a related location.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<usize>,
    pub(crate) physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<Message>,
}

/// §3.29.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PhysicalLocation {
    pub(crate) artifact_location: ArtifactLocation,
    pub(crate) region: Region,
}

/// §3.4.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ArtifactLocation {
    pub(crate) uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) uri_base_id: Option<&'static str>,
}

/// §3.30: from the first character to behind the last, counted from 1.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Region {
    pub(crate) start_line: u32,
    pub(crate) start_column: u32,
    pub(crate) end_line: u32,
    pub(crate) end_column: u32,
}
