//! A client: a process, a project on the disk, and messages.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Where the cursor stands in a text.
pub(crate) const CURSOR: &str = "‸";

/// A running server and its project.
pub(crate) struct Editor {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next_id: i32,
    pub(crate) root: PathBuf,
    /// What an editor would show, by file: the mistakes told last.
    pub(crate) told: BTreeMap<String, Vec<Value>>,
    /// Everything that came in besides answers and mistakes.
    pub(crate) others: Vec<Value>,
    versions: BTreeMap<String, i32>,
    _folder: tempfile::TempDir,
}

/// What the client says it can do, unless a test says otherwise.
pub(crate) fn capabilities() -> Value {
    json!({
        "general": { "positionEncodings": ["utf-16"] },
        "textDocument": {
            "publishDiagnostics": { "relatedInformation": true },
            "hover": { "contentFormat": ["markdown"] },
        },
    })
}

impl Editor {
    /// A server for a project of these files, initialised. A `hayward.toml` is
    /// added.
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        Self::with(files, capabilities())
    }

    pub(crate) fn with(files: &[(&str, &str)], capabilities: Value) -> Self {
        let mut editor = Self::started(files);
        let uri = editor.uri("");
        let params = json!({
            "processId": null,
            "rootUri": uri.trim_end_matches('/'),
            "capabilities": capabilities,
        });
        editor.request("initialize", params).unwrap();
        editor.notify("initialized", json!({}));
        editor
    }

    /// A server that was told nothing yet.
    pub(crate) fn started(files: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        write(&root, "hayward.toml", "[project]\nname = \"test\"\n");
        for (path, text) in files {
            write(&root, path, &text.replace(CURSOR, ""));
        }
        let mut child = Command::new(env!("CARGO_BIN_EXE_hayward"))
            .arg("lsp")
            .current_dir(&root)
            .env("XDG_CACHE_HOME", root.join(".cache"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self {
            child,
            input,
            output,
            next_id: 1,
            root,
            told: BTreeMap::new(),
            others: Vec::new(),
            versions: BTreeMap::new(),
            _folder: folder,
        }
    }

    pub(crate) fn uri(&self, path: &str) -> String {
        format!("file://{}/{path}", self.root.display())
    }

    /// The file of a URI, as a test names it.
    pub(crate) fn path(&self, uri: &str) -> String {
        let root = format!("file://{}/", self.root.display());
        let path = uri.strip_prefix(&root).unwrap_or(uri);
        match path.split_once("hayward/library-") {
            Some((_, rest)) => format!("<library>/{}", rest.split_once('/').unwrap().1),
            None => path.to_owned(),
        }
    }

    // Messages.

    pub(crate) fn send(&mut self, message: &Value) {
        let text = message.to_string();
        self.send_raw(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes());
    }

    pub(crate) fn send_raw(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(bytes).unwrap();
        input.flush().unwrap();
    }

    /// The next message; none if the server closed the pipe.
    pub(crate) fn receive(&mut self) -> Option<Value> {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            match line.trim_end().split_once(": ") {
                Some(("Content-Length", value)) => length = value.parse().unwrap(),
                _ => break,
            }
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).unwrap();
        Some(serde_json::from_slice(&body).unwrap())
    }

    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends a request and gives its id.
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> i32 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The answer to a request; what comes in before it is kept.
    pub(crate) fn answer(&mut self, id: i32) -> Result<Value, Value> {
        loop {
            let message = self.receive().unwrap_or_else(|| panic!("the server ended"));
            if message["id"] == id && message.get("method").is_none() {
                return match message.get("error") {
                    Some(error) => Err(error.clone()),
                    None => Ok(message["result"].clone()),
                };
            }
            if message["method"] == "textDocument/publishDiagnostics" {
                let path = self.path(message["params"]["uri"].as_str().unwrap());
                let list = message["params"]["diagnostics"].as_array().unwrap().clone();
                self.told.insert(path, list);
            } else {
                self.others.push(message);
            }
        }
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.ask(method, params);
        self.answer(id)
    }

    // Texts.

    pub(crate) fn open(&mut self, path: &str) {
        let text = std::fs::read_to_string(self.root.join(path)).unwrap();
        let document = json!({
            "uri": self.uri(path), "languageId": "dag", "version": 1, "text": text,
        });
        self.versions.insert(path.to_owned(), 1);
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Gives an open file another text, without a cursor sign in it.
    pub(crate) fn change(&mut self, path: &str, text: &str) {
        let text = text.replace(CURSOR, "");
        self.change_with(path, json!([{ "text": text }]));
    }

    pub(crate) fn change_with(&mut self, path: &str, changes: Value) {
        let version = self.versions.get_mut(path).unwrap();
        *version += 1;
        let version = *version;
        let document = json!({ "uri": self.uri(path), "version": version });
        self.notify(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": changes }),
        );
    }

    /// Waits until all that was sent is checked.
    pub(crate) fn settle(&mut self) {
        self.request("workspace/symbol", json!({ "query": "no such name" }))
            .unwrap();
    }

    /// The mistakes in a file, one a line: place, code, first line of the message.
    pub(crate) fn mistakes(&mut self, path: &str) -> String {
        self.settle();
        let list = self.told.get(path).cloned().unwrap_or_default();
        list.iter()
            .map(|d| {
                let first = d["message"].as_str().unwrap().lines().next().unwrap();
                format!(
                    "{} {} {first}\n",
                    range(&d["range"]),
                    d["code"].as_str().unwrap()
                )
            })
            .collect()
    }

    /// A place in a file as parameters of a request.
    pub(crate) fn at(&self, path: &str, line: u32, character: u32) -> Value {
        json!({
            "textDocument": { "uri": self.uri(path) },
            "position": { "line": line, "character": character },
        })
    }

    /// The place of the cursor sign in a text of that file.
    pub(crate) fn cursor(&self, path: &str, text: &str) -> Value {
        let (line, character) = place(text);
        self.at(path, line, character)
    }

    /// Ends the server as the protocol has it, and gives its exit code.
    pub(crate) fn end(mut self) -> Option<i32> {
        self.request("shutdown", Value::Null).unwrap();
        self.notify("exit", Value::Null);
        self.wait()
    }

    /// Closes the pipe and waits for the server's end.
    pub(crate) fn wait(mut self) -> Option<i32> {
        let code = |child: &mut Child| child.wait().unwrap().code();
        drop(self.input.take());
        code(&mut self.child)
    }
}

impl Drop for Editor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Line and UTF-16 unit of the cursor sign.
pub(crate) fn place(text: &str) -> (u32, u32) {
    let before = text.split_once(CURSOR).unwrap().0;
    let line = before.matches('\n').count();
    let start = before.rfind('\n').map_or(0, |i| i + 1);
    (line as u32, before[start..].encode_utf16().count() as u32)
}

/// A range as `line:character-line:character`.
pub(crate) fn range(range: &Value) -> String {
    let place = |p: &Value| format!("{}:{}", p["line"], p["character"]);
    format!("{}-{}", place(&range["start"]), place(&range["end"]))
}

/// A text after edits of the protocol, for texts of ASCII alone.
pub(crate) fn applied(text: &str, edits: &[Value]) -> String {
    let offset = |p: &Value| {
        let line = p["line"].as_u64().unwrap() as usize;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        start + p["character"].as_u64().unwrap() as usize
    };
    let mut spans: Vec<(usize, usize, &str)> = edits
        .iter()
        .map(|e| {
            let range = &e["range"];
            let new = e["newText"].as_str().unwrap();
            (offset(&range["start"]), offset(&range["end"]), new)
        })
        .collect();
    spans.sort_by_key(|(start, ..)| *start);
    let mut out = String::new();
    let mut at = 0;
    for (start, end, new) in spans {
        out.push_str(&text[at..start]);
        out.push_str(new);
        at = end;
    }
    out + &text[at..]
}

fn write(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}
