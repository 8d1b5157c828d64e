//! The loop: a message at a time, in the order they came.

use crate::inbox::Inbox;
use crate::initialize::{self, Client};
use crate::outbox::{Outbox, failure};
use crate::project::Project;
use crate::wire::{self, Incoming};
use crate::workspace::Workspace;
use crate::{
    actions, completion, cursor, diagnostics, hints, navigate, ranges, rename, signature, symbols,
    tokens, uri,
};
use gen_lsp_types as lsp;
use lsp_server::{ErrorCode, Message, Notification, Request, ResponseError};
use rustc_hash::FxHashSet;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::Duration;

/// How the server ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// As the client asked: `shutdown`, then `exit`.
    Orderly,
    /// `exit` without `shutdown`, or the client went away.
    Abrupt(String),
}

/// How long typing must pause before the texts are checked unasked.
const PAUSE: Duration = Duration::from_millis(40);
/// From so many modules on, the client is told how a check goes on.
const MANY: usize = 300;
/// After so many modules it is told again.
const STEP: usize = 200;

#[derive(Clone, Copy, PartialEq)]
enum Phase {
    Waiting,
    Running,
    Shut,
}

struct Server<'p, W> {
    inbox: Inbox,
    outbox: Outbox<W>,
    workspace: Workspace<'p>,
    client: Client,
    phase: Phase,
    version: &'p str,
    /// Files of which the client was told mistakes.
    told: FxHashSet<dag_syntax::SourceId>,
    works: u32,
}

/// Serves a client until it ends the session. `version` is told to it.
pub fn serve(
    mut input: impl BufRead + Send + 'static,
    output: impl Write + Send,
    project: &dyn Project,
    version: &str,
) -> Ending {
    let (sender, receiver) = mpsc::channel();
    // It waits for the client even when the server has ended, so nobody joins it.
    let reader = std::thread::Builder::new().spawn(move || {
        loop {
            let incoming = wire::read(&mut input);
            let last = matches!(incoming, Incoming::End(_));
            if sender.send(incoming).is_err() || last {
                return;
            }
        }
    });
    if let Err(error) = reader {
        return Ending::Abrupt(format!("no thread can be started: {error}"));
    }
    // Trees are walked here too.
    let stack = dag_analysis::STACK_BYTES;
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new()
            .stack_size(stack)
            .spawn_scoped(scope, || {
                let mut server = Server {
                    inbox: Inbox::new(receiver),
                    outbox: Outbox::new(output),
                    workspace: Workspace::new(project),
                    client: Client::default(),
                    phase: Phase::Waiting,
                    version,
                    told: FxHashSet::default(),
                    works: 0,
                };
                server.run()
            });
        match worker.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(ending)) => ending,
            Ok(Err(_)) => Ending::Abrupt("the server stopped at a fault of its own".into()),
            Err(error) => Ending::Abrupt(format!("no thread can be started: {error}")),
        }
    })
}

impl<W: Write + Send> Server<'_, W> {
    fn run(&mut self) -> Ending {
        loop {
            if self.outbox.broken {
                return Ending::Abrupt("the client does not listen any more".into());
            }
            let patience = (self.phase == Phase::Running && self.workspace.dirty).then_some(PAUSE);
            match self.inbox.next(patience) {
                None => {
                    if !self.guarded(|server| server.check(true)) {
                        // Not again before something changes.
                        self.workspace.dirty = false;
                    }
                }
                Some(Incoming::Message(Message::Request(request))) => self.request(request),
                Some(Incoming::Message(Message::Notification(n))) => {
                    if n.method == "exit" {
                        return match self.phase {
                            Phase::Shut => Ending::Orderly,
                            _ => Ending::Abrupt("`exit` came without `shutdown`".into()),
                        };
                    }
                    if self.phase == Phase::Running {
                        self.guarded(|server| server.notification(n));
                    }
                }
                // What the client answers to our requests changes nothing.
                Some(Incoming::Message(Message::Response(_))) => {}
                Some(Incoming::Refused { code, why }) => self.outbox.refuse(code, &why),
                Some(Incoming::End(why)) => {
                    return Ending::Abrupt(why.unwrap_or_else(|| "the client went away".into()));
                }
            }
        }
    }

    /// Does something of which a fault must not end the session. Says whether it went
    /// well.
    fn guarded(&mut self, work: impl FnOnce(&mut Self)) -> bool {
        let sound = catch_unwind(AssertUnwindSafe(|| work(self))).is_ok();
        if !sound {
            let text = "hayward: a fault of the server; please report it with the text at hand";
            self.outbox
                .notify("window/logMessage", json!({ "type": 1, "message": text }));
        }
        sound
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        if self.inbox.take_cancelled(&id) {
            let answer = failure(ErrorCode::RequestCanceled, "the request was cancelled");
            return self.outbox.answer(id, Err(answer));
        }
        let answer = catch_unwind(AssertUnwindSafe(|| self.answer(&method, params)));
        let answer = answer.unwrap_or_else(|_| {
            Err(failure(
                ErrorCode::InternalError,
                format!("a fault of the server in `{method}`; please report it"),
            ))
        });
        self.outbox.answer(id, answer);
        if method == "initialize" && self.phase == Phase::Running {
            self.guarded(Self::start);
        }
    }

    fn answer(&mut self, method: &str, params: Value) -> Result<Value, ResponseError> {
        match (self.phase, method) {
            (Phase::Waiting, "initialize") => {
                self.client = Client::of(&params);
                self.workspace.encoding = self.client.encoding;
                self.phase = Phase::Running;
                return Ok(initialize::answer(&self.client, self.version));
            }
            (Phase::Waiting, _) => {
                let why = "the first request is `initialize`";
                return Err(failure(ErrorCode::ServerNotInitialized, why));
            }
            (Phase::Shut, _) => {
                let why = "the server was shut down: only `exit` may follow";
                return Err(failure(ErrorCode::InvalidRequest, why));
            }
            (Phase::Running, "initialize") => {
                let why = "`initialize` is sent once";
                return Err(failure(ErrorCode::InvalidRequest, why));
            }
            (Phase::Running, "shutdown") => {
                self.phase = Phase::Shut;
                return Ok(Value::Null);
            }
            (Phase::Running, _) => {}
        }
        self.ask(method, params)
    }

    /// Answers a question about the texts.
    fn ask(&mut self, method: &str, params: Value) -> Result<Value, ResponseError> {
        if !METHODS.contains(&method) {
            let why = format!("there is no `{method}` here");
            return Err(failure(ErrorCode::MethodNotFound, why));
        }
        // The answer is about the texts as they are now.
        if self.workspace.dirty {
            self.check(false);
        }
        let (workspace, client) = (&mut self.workspace, &self.client);
        match method {
            "textDocument/hover" => with(params, |p| cursor::hover(workspace, client, &p)),
            "textDocument/definition" => with(params, |p| navigate::definition(workspace, &p)),
            "textDocument/typeDefinition" => {
                with(params, |p| navigate::type_definition(workspace, &p))
            }
            "textDocument/references" => with(params, |p| navigate::references(workspace, &p)),
            "textDocument/documentHighlight" => {
                with(params, |p| navigate::highlights(workspace, &p))
            }
            "textDocument/prepareRename" => with_result(params, |p| rename::prepare(workspace, &p)),
            "textDocument/rename" => with_result(params, |p| rename::rename(workspace, client, &p)),
            "textDocument/documentSymbol" => with(params, |p| symbols::document(workspace, &p)),
            "workspace/symbol" => with(params, |p| symbols::workspace(workspace, &p)),
            "textDocument/completion" => with(params, |p| completion::complete(workspace, &p)),
            "textDocument/signatureHelp" => with(params, |p| signature::help(workspace, &p)),
            "textDocument/codeAction" => with(params, |p| actions::actions(workspace, client, &p)),
            "textDocument/formatting" => with_result(params, |p| ranges::format(workspace, &p)),
            "textDocument/semanticTokens/full" => with(params, |p| tokens::full(workspace, &p)),
            "textDocument/semanticTokens/range" => with(params, |p| tokens::range(workspace, &p)),
            "textDocument/inlayHint" => with(params, |p| hints::hints(workspace, &p)),
            "textDocument/foldingRange" => with(params, |p| ranges::folding(workspace, &p)),
            "textDocument/selectionRange" => with(params, |p| ranges::selection(workspace, &p)),
            _ => Err(failure(ErrorCode::MethodNotFound, method)),
        }
    }

    /// Reads the projects of the client's folders.
    fn start(&mut self) {
        for folder in self.client.folders.clone() {
            if let Err(why) = self.workspace.add_folder(&folder) {
                self.say(&why);
            }
        }
        if self.client.watches {
            let watchers = json!([
                { "globPattern": "**/*.dag" },
                { "globPattern": "**/hayward.toml" },
            ]);
            let registration = json!({
                "id": "files",
                "method": "workspace/didChangeWatchedFiles",
                "registerOptions": { "watchers": watchers },
            });
            let params = json!({ "registrations": [registration] });
            self.outbox.ask("client/registerCapability", params);
        }
    }

    fn say(&mut self, why: &str) {
        let params = json!({ "type": 2, "message": format!("hayward: {why}") });
        self.outbox.notify("window/showMessage", params);
    }

    fn notification(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        match method.as_str() {
            "textDocument/didOpen" => {
                if let Ok(p) = serde_json::from_value::<lsp::DidOpenTextDocumentParams>(params) {
                    let document = p.text_document;
                    self.workspace
                        .open(&document.uri.0, document.version, &document.text);
                }
            }
            "textDocument/didChange" => {
                if let Ok(p) = serde_json::from_value::<lsp::DidChangeTextDocumentParams>(params) {
                    let document = p.text_document;
                    let uri = &document.text_document_identifier.uri.0;
                    self.workspace
                        .edit(uri, document.version, p.content_changes);
                }
            }
            "textDocument/didClose" => {
                if let Some(uri) = params.pointer("/textDocument/uri").and_then(Value::as_str) {
                    self.workspace.close(uri);
                }
            }
            "workspace/didChangeWatchedFiles" => {
                let changes = params["changes"].as_array().cloned().unwrap_or_default();
                for change in &changes {
                    let Some(uri) = change["uri"].as_str() else {
                        continue;
                    };
                    if uri.ends_with("/hayward.toml") {
                        if let Err(why) = self.workspace.reload() {
                            self.say(&why);
                        }
                    } else if uri.ends_with(".dag") {
                        self.workspace.read_again(uri);
                    }
                }
            }
            "workspace/didChangeWorkspaceFolders" => {
                let list = |name: &str| {
                    let folders = params["event"][name].as_array().cloned();
                    let folders = folders.unwrap_or_default();
                    let paths = folders
                        .iter()
                        .filter_map(|f| uri::to_path(f["uri"].as_str()?));
                    paths.collect::<Vec<_>>()
                };
                for gone in list("removed") {
                    self.workspace.drop_folder(&gone);
                }
                for new in list("added") {
                    if let Err(why) = self.workspace.add_folder(&new) {
                        self.say(&why);
                    }
                }
                if let Err(why) = self.workspace.reload() {
                    self.say(&why);
                }
            }
            // Others are allowed, and nothing to us.
            _ => {}
        }
    }

    /// Checks what changed, and tells the client. A check that nobody waits for is
    /// given up when the texts change again.
    fn check(&mut self, may_stop: bool) {
        let token = format!("hayward/{}", self.works);
        self.works += 1;
        let (inbox, outbox) = (&mut self.inbox, &mut self.outbox);
        let shows = self.client.progress;
        let mut begun = false;
        let mut last = 0;
        let mut checked = 0;
        let change = self.workspace.session.update(&mut |done, total| {
            checked += 1;
            if shows && total >= MANY && checked == STEP {
                outbox.ask("window/workDoneProgress/create", json!({ "token": token }));
                let value = json!({ "kind": "begin", "title": "Checking", "percentage": 0 });
                outbox.notify("$/progress", json!({ "token": token, "value": value }));
                begun = true;
            }
            if begun && done >= last + STEP {
                last = done;
                let value = json!({
                    "kind": "report",
                    "message": format!("{done} of {total} modules"),
                    "percentage": done * 100 / total.max(1),
                });
                outbox.notify("$/progress", json!({ "token": token, "value": value }));
            }
            !(may_stop && inbox.overtakes())
        });
        if begun {
            let value = json!({ "kind": "end" });
            self.outbox
                .notify("$/progress", json!({ "token": token, "value": value }));
        }
        if change.stopped {
            return;
        }
        self.workspace.dirty = false;
        let published = diagnostics::publish(&mut self.workspace, &self.client, &mut self.told);
        for params in published {
            self.outbox
                .notify("textDocument/publishDiagnostics", params);
        }
    }
}

/// The questions that are answered.
const METHODS: &[&str] = &[
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/typeDefinition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/documentSymbol",
    "workspace/symbol",
    "textDocument/completion",
    "textDocument/signatureHelp",
    "textDocument/codeAction",
    "textDocument/formatting",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/range",
    "textDocument/inlayHint",
    "textDocument/foldingRange",
    "textDocument/selectionRange",
];

/// Answers with a value, null if there is none.
fn with<P: DeserializeOwned, A: Serialize>(
    params: Value,
    answer: impl FnOnce(P) -> A,
) -> Result<Value, ResponseError> {
    with_result(params, |p| Ok(answer(p)))
}

/// Answers with a value, or with why there is none.
fn with_result<P: DeserializeOwned, A: Serialize>(
    params: Value,
    answer: impl FnOnce(P) -> Result<A, String>,
) -> Result<Value, ResponseError> {
    let params = serde_json::from_value(params)
        .map_err(|error| failure(ErrorCode::InvalidParams, error.to_string()))?;
    let answer = answer(params).map_err(|why| failure(ErrorCode::RequestFailed, why))?;
    serde_json::to_value(answer)
        .map_err(|error| failure(ErrorCode::InternalError, error.to_string()))
}
