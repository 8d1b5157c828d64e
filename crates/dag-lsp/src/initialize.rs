//! What server and client tell each other at the start.

use crate::position::Encoding;
use crate::tokens;
use crate::uri;
use serde_json::{Value, json};
use std::path::PathBuf;

/// What the client can do, as far as it matters here.
#[derive(Clone, Debug, Default)]
pub(crate) struct Client {
    pub(crate) encoding: Encoding,
    /// It shows how work goes on.
    pub(crate) progress: bool,
    /// It tells of changes on the disk, if it is asked to.
    pub(crate) watches: bool,
    /// It shows the other places of a diagnostic.
    pub(crate) related: bool,
    /// It renders markdown in a hover.
    pub(crate) markdown: bool,
    /// It takes edits with the version of the text that they are for.
    pub(crate) document_changes: bool,
    /// The folders that it works in.
    pub(crate) folders: Vec<PathBuf>,
}

impl Client {
    /// Reads the parameters of `initialize`. They are read one by one: what is
    /// missing or has another shape is what the client cannot do.
    pub(crate) fn of(params: &Value) -> Self {
        let can = |pointer: &str| params.pointer(&format!("/capabilities{pointer}"));
        let yes = |pointer: &str| can(pointer).and_then(Value::as_bool).unwrap_or_default();
        let has = |pointer: &str, word: &str| {
            let list = can(pointer).and_then(Value::as_array);
            list.is_some_and(|l| l.iter().any(|w| w == word))
        };
        let encodings = can("/general/positionEncodings").and_then(Value::as_array);
        let known = |word: &Value| match word.as_str() {
            Some("utf-8") => Some(Encoding::Utf8),
            Some("utf-16") => Some(Encoding::Utf16),
            Some("utf-32") => Some(Encoding::Utf32),
            _ => None,
        };
        // The client's order is its wish.
        let encoding = encodings.and_then(|l| l.iter().find_map(known));
        let folder = |value: &Value| value.as_str().and_then(uri::to_path);
        let several = params
            .pointer("/workspaceFolders")
            .and_then(Value::as_array);
        let mut folders: Vec<PathBuf> = several
            .map(|l| l.iter().filter_map(|f| folder(&f["uri"])).collect())
            .unwrap_or_default();
        if folders.is_empty() {
            folders.extend(params.get("rootUri").and_then(folder));
        }
        if folders.is_empty() {
            let path = params.get("rootPath").and_then(Value::as_str);
            folders.extend(path.map(PathBuf::from));
        }
        Self {
            encoding: encoding.unwrap_or_default(),
            progress: yes("/window/workDoneProgress"),
            watches: yes("/workspace/didChangeWatchedFiles/dynamicRegistration"),
            related: yes("/textDocument/publishDiagnostics/relatedInformation"),
            markdown: has("/textDocument/hover/contentFormat", "markdown"),
            document_changes: yes("/workspace/workspaceEdit/documentChanges"),
            folders,
        }
    }
}

/// What the server can do.
pub(crate) fn answer(client: &Client, version: &str) -> Value {
    let encoding = match client.encoding {
        Encoding::Utf8 => "utf-8",
        Encoding::Utf16 => "utf-16",
        Encoding::Utf32 => "utf-32",
    };
    json!({
        "serverInfo": { "name": "hayward", "version": version },
        "capabilities": {
            "positionEncoding": encoding,
            "textDocumentSync": {
                "openClose": true,
                // Incremental.
                "change": 2,
                "save": { "includeText": false },
            },
            "hoverProvider": true,
            "definitionProvider": true,
            "typeDefinitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "documentSymbolProvider": true,
            "workspaceSymbolProvider": true,
            "documentFormattingProvider": true,
            "foldingRangeProvider": true,
            "selectionRangeProvider": true,
            "inlayHintProvider": true,
            "renameProvider": { "prepareProvider": true },
            "codeActionProvider": { "codeActionKinds": ["quickfix", "source.fixAll"] },
            "completionProvider": { "triggerCharacters": [".", "{"] },
            "signatureHelpProvider": {
                "triggerCharacters": ["(", ","],
                "retriggerCharacters": [":"],
            },
            "semanticTokensProvider": {
                "legend": { "tokenTypes": tokens::TYPES, "tokenModifiers": tokens::MODIFIERS },
                "full": true,
                "range": true,
            },
            "workspace": {
                "workspaceFolders": { "supported": true, "changeNotifications": true },
            },
        },
    })
}
