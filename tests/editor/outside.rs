//! The names of services, workflows and resources, and what a rename makes of them.

use crate::client::{CURSOR, Editor};
use crate::edits::after;
use expect_test::{Expect, expect};
use serde_json::json;

const SHOP: &str = r#"module shop

type Count { n: Int }
type Found =
  | Lines { lines: List<String> from "stdout_lines" }
  | NoMatch

resource Store {
  shelves: 3
  capability read(name: String) -> String
}

service Tools {
  operation Grep {
    readonly
    input { word: String, path: String }
    transport shell { argv: ["/usr/bin/grep", "-e", word, "--", "{path}/{word}"] }
    exit { 0 => Lines, 1 => NoMatch }
    mock_response { 0 => Lines { lines: [word] } }
  }
  operation Show {
    input { at: String }
    output { stdout: String }
    transport shell { argv: ["/bin/cat", "--", at] }
    mock_response { 0 => Output { stdout: "" } }
  }
}

service Web {
  operation Get {
    input { id: String }
    output { name: String where non_empty, size: Int? }
    transport rest { base_url: "https://h" method: "GET" path: "/{id}" }
  }
}

func find(path: String) -> Bool {
  first = Tools.Grep(word: "w", path)
  second [after first] = Tools.Show(at: path)
  second.stdout == "" || first == NoMatch
}

fn nothing(name: String) -> String = name

func stock() -> Int uses store: Store(read: nothing) {
  let text = store.read(name: "apples")
  store.shelves
}

func web(id: String) -> String { Web.Get(id).name }
"#;

const GATE: &str = r#"module gate

type Sealed sole_constructor { n: Int }

fn seal(n: Int) -> Sealed admit_callers: [decl_ref(module_path: "desk", decl_name: "open")] = Sealed { n }
"#;

const DESK: &str = r#"module desk

import gate { seal, Sealed }

fn open() -> Sealed = seal(1)
"#;

fn rename(files: &[(&str, &str)], piece: &str, new: &str, expected: &Expect) {
    let mut editor = Editor::new(files);
    for (path, _) in files {
        assert_eq!(editor.mistakes(path), "");
    }
    let bare = piece.replace(CURSOR, "");
    let (path, text) = files.iter().find(|(_, text)| text.contains(&bare)).unwrap();
    let mut at = editor.cursor(path, &text.replacen(&bare, piece, 1));
    at["newName"] = json!(new);
    let answer = editor.request("textDocument/rename", at);
    expected.assert_eq(&after(&editor, &answer));
}

fn shop(piece: &str, new: &str, expected: &Expect) {
    rename(&[("shop.dag", SHOP)], piece, new, expected);
}

#[test]
fn an_input_is_renamed_in_the_request_and_in_calls() {
    shop(
        "input { wo‸rd",
        "term",
        &expect![[r#"
        shop.dag
              input { term: String, path: String }
              transport shell { argv: ["/usr/bin/grep", "-e", term, "--", "{path}/{term}"] }
              mock_response { 0 => Lines { lines: [term] } }
            first = Tools.Grep(term: "w", path)
    "#]],
    );
    shop(
        "path}/{wo‸rd",
        "term",
        &expect![[r#"
        shop.dag
              input { term: String, path: String }
              transport shell { argv: ["/usr/bin/grep", "-e", term, "--", "{path}/{term}"] }
              mock_response { 0 => Lines { lines: [term] } }
            first = Tools.Grep(term: "w", path)
    "#]],
    );
    shop(
        "Tools.Show(a‸t: path)",
        "file",
        &expect![[r#"
        shop.dag
              input { file: String }
              transport shell { argv: ["/bin/cat", "--", file] }
            second [after first] = Tools.Show(file: path)
    "#]],
    );
}

#[test]
fn an_operation_is_renamed_and_its_service_stays() {
    shop(
        "operation Gr‸ep",
        "Search",
        &expect![[r#"
        shop.dag
            operation Search {
            first = Tools.Search(word: "w", path)
    "#]],
    );
    shop(
        "Tools.Sh‸ow",
        "Print",
        &expect![[r#"
        shop.dag
            operation Print {
            second [after first] = Tools.Print(at: path)
    "#]],
    );
}

#[test]
fn a_field_that_is_read_by_its_name_keeps_what_it_reads() {
    shop(
        "output { std‸out",
        "text",
        &expect![[r#"
        shop.dag
              output { text: String from "stdout" }
              mock_response { 0 => Output { text: "" } }
            second.text == "" || first == NoMatch
    "#]],
    );
    shop(
        "output { na‸me",
        "title",
        &expect![[r#"
        shop.dag
              output { title: String where non_empty from "name", size: Int? }
          func web(id: String) -> String { Web.Get(id).title }
    "#]],
    );
    shop(
        "si‸ze: Int?",
        "bytes",
        &expect![[r#"
        shop.dag
              output { name: String where non_empty, bytes: Int? from "size" }
    "#]],
    );
    // It says what it is read from already, or nothing reads it.
    shop(
        "Lines { li‸nes: List",
        "found",
        &expect![[r#"
        shop.dag
            | Lines { found: List<String> from "stdout_lines" }
              mock_response { 0 => Lines { found: [word] } }
    "#]],
    );
    shop(
        "Count { ‸n: Int",
        "count",
        &expect![[r#"
        shop.dag
          type Count { count: Int }
    "#]],
    );
    shop(
        "| Li‸nes",
        "Some",
        &expect![[r#"
        shop.dag
            | Some { lines: List<String> from "stdout_lines" }
              exit { 0 => Some, 1 => NoMatch }
              mock_response { 0 => Some { lines: [word] } }
    "#]],
    );
}

#[test]
fn nodes_and_uses_are_renamed() {
    shop(
        "fi‸rst = Tools",
        "one",
        &expect![[r#"
        shop.dag
            one = Tools.Grep(word: "w", path)
            second [after one] = Tools.Show(at: path)
            second.stdout == "" || one == NoMatch
    "#]],
    );
    shop(
        "uses st‸ore",
        "shop",
        &expect![[r#"
        shop.dag
          func stock() -> Int uses shop: Store(read: nothing) {
            let text = shop.read(name: "apples")
            shop.shelves
    "#]],
    );
    shop(
        "st‸ore.shelves",
        "shop",
        &expect![[r#"
        shop.dag
          func stock() -> Int uses shop: Store(read: nothing) {
            let text = shop.read(name: "apples")
            shop.shelves
    "#]],
    );
    shop(
        "store.sh‸elves",
        "boards",
        &expect![[r#"
        shop.dag
            boards: 3
            store.boards
    "#]],
    );
    shop(
        "capability re‸ad",
        "look",
        &expect![[r#"
        shop.dag
            capability look(name: String) -> String
          func stock() -> Int uses store: Store(look: nothing) {
            let text = store.look(name: "apples")
    "#]],
    );
    shop(
        "store.re‸ad",
        "look",
        &expect![[r#"
        shop.dag
            capability look(name: String) -> String
          func stock() -> Int uses store: Store(look: nothing) {
            let text = store.look(name: "apples")
    "#]],
    );
    shop(
        "fn not‸hing",
        "plain",
        &expect![[r#"
        shop.dag
          fn plain(name: String) -> String = name
          func stock() -> Int uses store: Store(read: plain) {
    "#]],
    );
}

#[test]
fn a_caller_is_renamed_where_it_is_admitted() {
    let files = [("gate.dag", GATE), ("desk.dag", DESK)];
    rename(
        &files,
        "fn op‸en",
        "enter",
        &expect![[r#"
        desk.dag
          fn enter() -> Sealed = seal(1)
        gate.dag
          fn seal(n: Int) -> Sealed admit_callers: [decl_ref(module_path: "desk", decl_name: "enter")] = Sealed { n }
    "#]],
    );
    rename(
        &files,
        "decl_name: \"op‸en",
        "enter",
        &expect![[r#"
        desk.dag
          fn enter() -> Sealed = seal(1)
        gate.dag
          fn seal(n: Int) -> Sealed admit_callers: [decl_ref(module_path: "desk", decl_name: "enter")] = Sealed { n }
    "#]],
    );
    rename(
        &files,
        "module_path: \"de‸sk",
        "table",
        &expect![[r#"
        -32803 a module has the name of its `module` line: change it there, and in the imports
    "#]],
    );
}
