//! What the protocol says of the beginning, the end, and of what goes wrong.

use crate::client::{Editor, capabilities};
use expect_test::expect;
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

const TEXT: &str = "module m\n\ndata x: Int = 1\n";

fn editor() -> Editor {
    Editor::new(&[("m.dag", TEXT)])
}

fn code(answer: Result<Value, Value>) -> i64 {
    answer.unwrap_err()["code"].as_i64().unwrap()
}

#[test]
fn an_orderly_end_is_0_and_any_other_1() {
    assert_eq!(editor().end(), Some(0));
    let mut abrupt = editor();
    abrupt.notify("exit", Value::Null);
    assert_eq!(abrupt.wait(), Some(1));
    // The client went away.
    assert_eq!(editor().wait(), Some(1));
    let mut shut = editor();
    shut.request("shutdown", Value::Null).unwrap();
    assert_eq!(shut.wait(), Some(1));
    // Before anything was said.
    let mut early = Editor::started(&[]);
    early.notify("exit", Value::Null);
    assert_eq!(early.wait(), Some(1));
}

#[test]
fn requests_out_of_their_time_are_refused() {
    let mut early = Editor::started(&[("m.dag", TEXT)]);
    let at = early.at("m.dag", 2, 6);
    assert_eq!(code(early.request("textDocument/hover", at)), -32002);
    let params = json!({ "capabilities": {} });
    assert!(early.request("initialize", params.clone()).is_ok());
    assert_eq!(code(early.request("initialize", params)), -32600);
    early.request("shutdown", Value::Null).unwrap();
    let at = early.at("m.dag", 2, 6);
    assert_eq!(code(early.request("textDocument/hover", at)), -32600);
    assert_eq!(code(early.request("shutdown", Value::Null)), -32600);
    early.notify("exit", Value::Null);
    assert_eq!(early.wait(), Some(0));
}

#[test]
fn what_is_not_known_is_refused_or_passed_over() {
    let mut editor = editor();
    assert_eq!(
        code(editor.request("textDocument/moniker", json!({}))),
        -32601
    );
    assert_eq!(code(editor.request("$/unknown", json!({}))), -32601);
    editor.notify("$/unknown", json!({ "x": 1 }));
    editor.notify("textDocument/didSave", json!({ "textDocument": {} }));
    assert_eq!(
        code(editor.request("textDocument/hover", json!({ "position": 3 }))),
        -32602
    );
    // A file that nobody knows.
    let at = editor.at("nowhere.dag", 0, 0);
    assert_eq!(editor.request("textDocument/hover", at), Ok(Value::Null));
    // A notification without its parts changes nothing.
    editor.notify("textDocument/didOpen", json!({}));
    editor.notify("textDocument/didChange", json!({ "contentChanges": 3 }));
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn what_is_no_message_is_answered_and_the_next_one_is_heard() {
    let mut editor = editor();
    for (bytes, code) in [
        ("Content-Length: 5\r\n\r\n{oops", -32700),
        ("Content-Length: 2\r\n\r\n[]", -32600),
        ("Content-Length: 16\r\n\r\n{\"jsonrpc\":\"2.0\"", -32700),
        // Headers that are not known, and another order.
        ("Content-Type: x\r\ncontent-length: 4\r\n\r\nnull", -32600),
    ] {
        editor.send_raw(bytes.as_bytes());
        let answer = loop {
            let message = editor.receive().unwrap();
            if message.get("error").is_some() {
                break message;
            }
        };
        assert_eq!(answer["error"]["code"], code, "{bytes}");
        assert_eq!(answer["id"], Value::Null);
    }
    // No UTF-8.
    editor.send_raw(b"Content-Length: 4\r\n\r\n\"\xff\"\n");
    assert_eq!(editor.receive().unwrap()["error"]["code"], -32700);
    let at = editor.at("m.dag", 2, 6);
    assert!(
        editor
            .request("textDocument/hover", at)
            .unwrap()
            .is_object()
    );
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn a_message_that_is_too_large_takes_no_memory() {
    let mut editor = editor();
    let size = (64 << 20) + 1;
    editor.send_raw(format!("Content-Length: {size}\r\n\r\n").as_bytes());
    let piece = vec![b' '; 1 << 20];
    let mut left = size;
    while left > 0 {
        let count = left.min(piece.len());
        editor.send_raw(&piece[..count]);
        left -= count;
    }
    let answer = loop {
        let message = editor.receive().unwrap();
        if message.get("error").is_some() {
            break message;
        }
    };
    assert_eq!(answer["error"]["code"], -32600);
    assert_eq!(editor.end(), Some(0));
}

/// What a server says that is sent these bytes and nothing more.
fn ended_by(bytes: &[u8]) -> String {
    let mut server = Command::new(env!("CARGO_BIN_EXE_hayward"))
        .arg("lsp")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = server.stdin.take().unwrap();
    // It may have ended before all is written.
    let _ = input.write_all(bytes);
    drop(input);
    let output = server.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_header_that_is_none_ends_the_session_and_says_why() {
    for (header, expected) in [
        (
            "Content-Length: x\r\n\r\n",
            expect!["the session ended: `Content-Length: x` has no length that can be"],
        ),
        (
            "Content-Length: -1\r\n\r\n",
            expect!["the session ended: `Content-Length: -1` has no length that can be"],
        ),
        (
            "Content-Length: +1\r\n\r\n",
            expect!["the session ended: `Content-Length: +1` has no length that can be"],
        ),
        (
            "Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
            expect!["the session ended: the header has two lengths"],
        ),
        (
            "Content-Length: 999999999999999999999999\r\n\r\n",
            expect![
                "the session ended: `Content-Length: 999999999999999999999999` has no length that can be"
            ],
        ),
        (
            "Content-Length:\r\n\r\n",
            expect!["the session ended: `Content-Length:` has no length that can be"],
        ),
        (
            "Content-Length: 60000000\r\n\r\n{",
            expect!["the session ended: the message was cut short"],
        ),
        (
            "Content-Length: 99999999999999\r\n\r\n",
            expect!["the session ended: the message was cut short"],
        ),
        (
            "Hello\r\n\r\n",
            expect!["the session ended: `Hello` is no line of a header"],
        ),
        (
            "X: y\r\n\r\n",
            expect!["the session ended: the header has no Content-Length"],
        ),
        (
            "X: y",
            expect!["the session ended: a line of the header has no end"],
        ),
        ("", expect!["the session ended: the client went away"]),
    ] {
        expected.assert_eq(ended_by(header.as_bytes()).trim_end());
    }
}

#[test]
fn a_cancelled_request_is_answered_as_cancelled() {
    let mut editor = editor();
    editor.settle();
    // All in one piece, so that the server finds the cancel behind the request.
    let mut bytes = Vec::new();
    let mut add = |message: Value| {
        let text = message.to_string();
        bytes.extend(format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes());
    };
    let symbols = json!({ "query": "" });
    for id in [1001, 1002, 1003] {
        add(json!({ "jsonrpc": "2.0", "id": id, "method": "workspace/symbol", "params": symbols }));
    }
    for id in [1003, 1002, 77] {
        add(json!({ "jsonrpc": "2.0", "method": "$/cancelRequest", "params": { "id": id } }));
    }
    editor.send_raw(&bytes);
    assert!(editor.answer(1001).is_ok());
    // The second may have begun before its cancel was there; the third waited.
    let second = editor.answer(1002);
    assert!(second.is_ok() || code(second) == -32800);
    let third = editor.answer(1003);
    assert!(third.is_ok() || code(third) == -32800);
    // An id may be a text, and one that was cancelled is free again.
    editor.send(&json!({ "jsonrpc": "2.0", "id": "a", "method": "shutdown" }));
    assert_eq!(editor.receive().unwrap()["id"], "a");
}

#[test]
fn a_project_that_cannot_be_read_is_told_and_the_server_stays() {
    let mut editor = Editor::started(&[("m.dag", TEXT)]);
    std::fs::write(editor.root.join("hayward.toml"), "[project]\nname = 3\n").unwrap();
    let params = json!({ "rootUri": editor.uri(""), "capabilities": capabilities() });
    editor.request("initialize", params).unwrap();
    editor.settle();
    let told = editor
        .others
        .iter()
        .find(|m| m["method"] == "window/showMessage");
    let text = told.unwrap()["params"]["message"].as_str().unwrap();
    assert!(
        text.starts_with("hayward: ") && text.contains("hayward.toml"),
        "{text}"
    );
    // It is mended.
    std::fs::write(
        editor.root.join("hayward.toml"),
        "[project]\nname = \"x\"\n",
    )
    .unwrap();
    let params = json!({ "changes": [{ "uri": editor.uri("hayward.toml"), "type": 2 }] });
    editor.notify("workspace/didChangeWatchedFiles", params);
    let answer = editor
        .request("workspace/symbol", json!({ "query": "x" }))
        .unwrap();
    assert!(answer.to_string().contains("m.dag"));
}

#[test]
fn a_folder_without_a_manifest_is_a_project_too() {
    let mut editor = Editor::started(&[("deep/m.dag", "module m\n\ndata x: Int = true\n")]);
    std::fs::remove_file(editor.root.join("hayward.toml")).unwrap();
    let folders = json!([{ "uri": editor.uri("deep"), "name": "deep" }]);
    let params = json!({ "workspaceFolders": folders, "capabilities": capabilities() });
    editor.request("initialize", params).unwrap();
    assert_ne!(editor.mistakes("deep/m.dag"), "");
    // The folder is closed, then opened again.
    let change =
        |added: Value, removed: Value| json!({ "event": { "added": added, "removed": removed } });
    editor.notify(
        "workspace/didChangeWorkspaceFolders",
        change(json!([]), folders.clone()),
    );
    assert_eq!(editor.mistakes("deep/m.dag"), "");
    editor.notify(
        "workspace/didChangeWorkspaceFolders",
        change(folders, json!([])),
    );
    assert_ne!(editor.mistakes("deep/m.dag"), "");
}

#[test]
fn changes_on_the_disk_are_asked_for_where_the_client_can_tell() {
    let mut capabilities = capabilities();
    capabilities["workspace"] = json!({ "didChangeWatchedFiles": { "dynamicRegistration": true } });
    let mut editor = Editor::with(&[("m.dag", TEXT)], capabilities);
    editor.settle();
    let asked = editor
        .others
        .iter()
        .find(|m| m["method"] == "client/registerCapability");
    let watchers = &asked.unwrap()["params"]["registrations"][0]["registerOptions"]["watchers"];
    assert_eq!(watchers[0]["globPattern"], "**/*.dag");
}
