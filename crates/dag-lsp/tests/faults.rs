//! A fault on the way of an answer, or of a check, is told and does not end the
//! session.
#![allow(clippy::unwrap_used)] // what fails a test fails it

use dag_lsp::{Ending, Module, Project, serve};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, PipeReader, PipeWriter, Read, Write};
use std::path::{Path, PathBuf};

/// Files that cannot be had without a fault.
struct Faulty;

impl Project for Faulty {
    fn library(&self) -> Vec<(String, String)> {
        let files = dag_analysis::library().iter();
        files
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
            .collect()
    }

    fn library_file(&self, _: &str) -> Option<PathBuf> {
        std::panic::resume_unwind(Box::new("a fault"))
    }

    fn modules(&self, folder: &Path) -> Result<Vec<Module>, String> {
        if folder.ends_with("faulty") {
            std::panic::resume_unwind(Box::new("a fault"));
        }
        let text = "module m\n\ndata x: Int = count(\"a\")\n".to_owned();
        let path = folder.join("m.dag");
        Ok(vec![Module { path, text }])
    }

    fn real(&self, path: &Path) -> PathBuf {
        path.to_owned()
    }

    fn read(&self, _: &Path) -> Option<String> {
        std::panic::resume_unwind(Box::new("a fault"))
    }
}

fn send(to: &mut PipeWriter, message: &Value) {
    let text = message.to_string();
    write!(to, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
}

fn receive(from: &mut BufReader<PipeReader>) -> Value {
    let mut header = String::new();
    from.read_line(&mut header).unwrap();
    let length = header
        .trim_end()
        .rsplit(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    from.read_line(&mut header).unwrap();
    let mut body = vec![0; length];
    from.read_exact(&mut body).unwrap();
    serde_json::from_slice(&body).unwrap()
}

#[test]
fn a_fault_does_not_end_the_session() {
    let (server_input, mut to) = std::io::pipe().unwrap();
    let (from, server_output) = std::io::pipe().unwrap();
    let mut from = BufReader::new(from);
    let server = std::thread::spawn(move || {
        serve(BufReader::new(server_input), server_output, &Faulty, "0")
    });
    let folder = |path: &str| json!({ "uri": format!("file://{path}"), "name": "x" });
    let folders = json!([folder("/p"), folder("/p/faulty")]);
    let params = json!({ "capabilities": {}, "workspaceFolders": folders });
    send(
        &mut to,
        &json!({ "id": 1, "method": "initialize", "params": params }),
    );
    assert_eq!(receive(&mut from)["id"], 1);
    // The second folder's fault.
    assert_eq!(receive(&mut from)["method"], "window/logMessage");
    // A question whose answer is in the library's file.
    let place = json!({
        "textDocument": { "uri": "file:///p/m.dag" },
        "position": { "line": 2, "character": 15 },
    });
    send(
        &mut to,
        &json!({ "id": 2, "method": "textDocument/definition", "params": place }),
    );
    let answer = receive(&mut from);
    assert_eq!(
        (&answer["id"], &answer["error"]["code"]),
        (&json!(2), &json!(-32603))
    );
    // A notification.
    let document = json!({ "textDocument": { "uri": "file:///p/m.dag" } });
    send(
        &mut to,
        &json!({ "method": "textDocument/didClose", "params": document }),
    );
    assert_eq!(receive(&mut from)["method"], "window/logMessage");
    // It is all there still.
    send(
        &mut to,
        &json!({ "id": 3, "method": "textDocument/hover", "params": place }),
    );
    assert!(receive(&mut from)["result"]["contents"].is_object());
    send(&mut to, &json!({ "id": 4, "method": "shutdown" }));
    assert_eq!(receive(&mut from)["id"], 4);
    send(&mut to, &json!({ "method": "exit" }));
    assert_eq!(server.join().unwrap(), Ending::Orderly);
}
