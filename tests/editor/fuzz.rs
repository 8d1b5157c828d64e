//! Every question at many places of texts that are cut off and garbled: the server
//! answers each one, and never with a fault of its own.

use crate::client::Editor;
use crate::names::UNITS;
use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};
use serde_json::{Value, json};

const AT: &[&str] = &[
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/typeDefinition",
    "textDocument/documentHighlight",
    "textDocument/prepareRename",
    "textDocument/completion",
    "textDocument/signatureHelp",
];

const OF: &[&str] = &[
    "textDocument/documentSymbol",
    "textDocument/semanticTokens/full",
    "textDocument/foldingRange",
];

/// A text that shows most forms.
const TEXT: &str = r#"module m
// Said of it.

import site.units { base, Restart, Service }
import std.measure

// A shape.
type Shape<T> = Round { size: T } | Flat(Int) | Empty
type Port = Int where range(min: 1, max: 9)

fn area<T>(shape: Shape<T>, by: fn(T) -> Int) -> Int {
  let unit = "{base.name} \u{1F600} {count("x")}"
  let all = [1, 2, 3].map(x => { x + 1 }).filter(x => x > -1)
  if all.is_empty() { return 0 }
  match shape {
    Round { size } if by(size) > 2 => by(size) * 2
    Flat(n) => n as Float as Int
    _ => all |> count()
  }
}

data p: Port? = none
data s: Service = Service { name: "ü", restart: Restart.Never, ports: [p ?? 1] }
"#;

struct Random(TestRng);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0.next_u64() as usize % end.max(1)
    }

    /// A text with a piece taken out, put in twice, or with some signs put in.
    fn garbled(&mut self, text: &str) -> String {
        let letters: Vec<char> = text.chars().collect();
        let (a, b) = (self.below(letters.len()), self.below(letters.len()));
        let (start, end) = (a.min(b), a.max(b));
        let signs = [
            "{",
            "}",
            "(",
            ")",
            "\"",
            "=>",
            ".",
            "\n",
            "\r",
            "\u{1F600}",
            "//",
            "|",
            "match ",
            "|>",
            "<",
            "import ",
        ];
        let sign = signs[self.below(signs.len())];
        let piece: String = letters[start..end.min(start + 40)].iter().collect();
        let head: String = letters[..start].iter().collect();
        let tail: String = letters[start..].iter().collect();
        let rest: String = letters[end..].iter().collect();
        match self.below(4) {
            0 => head,
            1 => head + sign + &tail,
            2 => head + &piece + &tail,
            _ => head + &rest,
        }
    }
}

fn ask_everything(editor: &mut Editor, random: &mut Random, lines: usize) {
    let mut ids = Vec::new();
    let uri = editor.uri("m.dag");
    let document = json!({ "uri": uri });
    let place = |random: &mut Random| json!({ "line": random.below(lines + 2), "character": random.below(70) });
    for method in AT {
        let params = json!({ "textDocument": document, "position": place(random) });
        ids.push((*method, editor.ask(method, params)));
    }
    for method in OF {
        ids.push((
            *method,
            editor.ask(method, json!({ "textDocument": document })),
        ));
    }
    let (from, to) = (place(random), place(random));
    let range = json!({ "start": from, "end": to });
    let at = place(random);
    let more = [
        (
            "textDocument/references",
            json!({ "position": at, "context": { "includeDeclaration": true } }),
        ),
        (
            "textDocument/rename",
            json!({ "position": at, "newName": "renamed" }),
        ),
        (
            "textDocument/codeAction",
            json!({ "range": range, "context": { "diagnostics": [] } }),
        ),
        ("textDocument/inlayHint", json!({ "range": range })),
        (
            "textDocument/semanticTokens/range",
            json!({ "range": range }),
        ),
        (
            "textDocument/selectionRange",
            json!({ "positions": [at, from] }),
        ),
        (
            "textDocument/formatting",
            json!({ "options": { "tabSize": 2, "insertSpaces": true } }),
        ),
    ];
    for (method, mut params) in more {
        params["textDocument"] = document.clone();
        ids.push((method, editor.ask(method, params)));
    }
    for (method, id) in ids {
        if let Err(error) = editor.answer(id) {
            // A rename and a layout may be refused, with a reason.
            assert_eq!(error["code"], -32803, "{method}: {error}");
            assert!(
                [
                    "textDocument/rename",
                    "textDocument/prepareRename",
                    "textDocument/formatting"
                ]
                .contains(&method),
                "{error}"
            );
        }
    }
    let fault = editor
        .others
        .iter()
        .find(|m| m["method"] == "window/logMessage");
    assert_eq!(fault, None);
}

#[test]
fn no_text_and_no_place_is_too_much() {
    let mut random = Random(TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let mut editor = Editor::new(&[("units.dag", UNITS), ("m.dag", TEXT)]);
    editor.open("m.dag");
    assert_eq!(editor.mistakes("m.dag"), "");
    let mut text = TEXT.to_owned();
    for round in 0..150 {
        ask_everything(&mut editor, &mut random, text.lines().count());
        // From the whole text every few rounds, so that not all is lost soon.
        if round % 4 == 0 {
            text = TEXT.to_owned();
        }
        text = random.garbled(&text);
        editor.change("m.dag", &text);
    }
    // Edits of pieces lead to the same text as we think they do.
    editor.change("m.dag", TEXT);
    assert_eq!(editor.mistakes("m.dag"), "");
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn nesting_as_deep_as_it_gets_is_answered() {
    let deep = |open: &str, close: &str| {
        format!(
            "module m\n\ndata x: Int = {}1{}\n",
            open.repeat(490),
            close.repeat(490)
        )
    };
    let mut editor = Editor::new(&[("m.dag", "module m\n")]);
    editor.open("m.dag");
    let mut random = Random(TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    for text in [
        deep("(", ")"),
        deep("[", "]"),
        deep("{ ", " }"),
        deep("x => ", ""),
        deep("to_string(", ")"),
        format!(
            "module m\n\ndata x: {}Int{} = 1\n",
            "List<".repeat(490),
            ">".repeat(490)
        ),
        format!("module m\n\ndata x: Int = 1{}\n", " + 1".repeat(490)),
        format!("module m\n\ndata x: Int = {}\n", "(".repeat(20_000)),
    ] {
        editor.change("m.dag", &text);
        ask_everything(&mut editor, &mut random, 3);
        let at = json!({ "textDocument": { "uri": editor.uri("m.dag") }, "position": { "line": 2, "character": 700 } });
        for method in AT {
            let answer = editor.request(method, at.clone());
            assert!(
                answer.is_ok() || answer.clone().unwrap_err()["code"] == -32803,
                "{method} {answer:?}"
            );
        }
    }
    assert_eq!(editor.end(), Some(0));
}

#[test]
fn random_bytes_of_a_message_do_not_end_the_session() {
    let mut random = Random(TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let mut editor = Editor::new(&[("m.dag", TEXT)]);
    for _ in 0..200 {
        let body: Vec<u8> = (0..random.below(60))
            .map(|_| random.0.next_u32() as u8)
            .collect();
        let mut bytes = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
        bytes.extend(body);
        editor.send_raw(&bytes);
    }
    let answer = editor
        .request("workspace/symbol", json!({ "query": "area" }))
        .unwrap();
    assert_ne!(answer, Value::Null);
    assert_eq!(editor.end(), Some(0));
}
