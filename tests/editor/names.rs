//! What a name is: hover, definition, references, highlights.

use crate::client::{CURSOR, Editor, place, range};
use expect_test::{Expect, expect};
use serde_json::{Value, json};

/// A small project that has a name of every kind.
pub(crate) const UNITS: &str = r#"module site.units
// What runs on the hosts.

// How a unit is restarted.
type Restart
  = Always { after: Int }
  | Never

// A unit of a host.
type Service { name: String, restart: Restart, ports: List<Int> }

// How long a restart waits, in seconds.
fn delay(restart: Restart) -> Int {
  match restart {
    Always { after } => after
    Never => 0
  }
}

// The unit that every host has.
data base: Service = Service { name: "base", restart: Never, ports: [22, 80] }

fn pick<T>(items: List<T>, other: T) -> T = items.first() ?? other
"#;

const USER: &str = r#"module site.hosts

import site.units { base, delay, Never, pick, Restart, Service }

fn ports(unit: Service) -> List<Int> {
  let shifted = map(unit.ports, port => port + delay(restart: unit.restart))
  shifted.filter(p => p > 100)
}

fn named(name: String) -> Service = Service { name, restart: Never, ports: [pick([1], 2)] }

data all: List<Service> = [base, named("x")]
data total: Int = site.units.delay(Restart.Always { after: 3 })
"#;

fn editor() -> Editor {
    let mut editor = Editor::new(&[("units.dag", UNITS), ("hosts.dag", USER)]);
    assert_eq!(editor.mistakes("hosts.dag"), "");
    editor
}

/// The place of the n-th occurrence of a piece of a text; the cursor is put where
/// the sign stands in the piece.
fn find(text: &str, piece: &str) -> (u32, u32) {
    let bare = piece.replace(CURSOR, "");
    let at = text.find(&bare).unwrap_or_else(|| panic!("no {bare}"));
    let marked = format!("{}{piece}{}", &text[..at], &text[at + bare.len()..]);
    place(&marked)
}

fn hover(path: &str, text: &str, piece: &str, expected: &Expect) {
    let mut editor = editor();
    let (line, character) = find(text, piece);
    let at = editor.at(path, line, character);
    let answer = editor.request("textDocument/hover", at).unwrap();
    let shown = match answer["contents"]["value"].as_str() {
        Some(value) => format!("{} {value}\n", range(&answer["range"])),
        None => format!("{answer}\n"),
    };
    expected.assert_eq(&shown);
}

#[test]
fn hover_shows_what_a_name_is_and_what_is_said_of_it() {
    for (piece, expected) in [
        // A function, with its annotation.
        (
            "+ de‸lay(",
            expect![[r#"
            5:47-5:52 ```dag
            fn delay(restart: Restart) -> Int
            ```

            How long a restart waits, in seconds.
        "#]],
        ),
        // A record type.
        (
            "unit: Serv‸ice",
            expect![[r#"
            4:15-4:22 ```dag
            type Service { name: String, restart: Restart, ports: List<Int> }
            ```

            A unit of a host.
        "#]],
        ),
        // A field.
        (
            "unit.por‸ts",
            expect![[r#"
            5:25-5:30 ```dag
            ports: List<Int>
            ```

            of `Service`
        "#]],
        ),
        // A variant.
        (
            "restart: Nev‸er",
            expect![[r#"
            9:61-9:66 ```dag
            Never
            ```

            of `Restart`

            How a unit is restarted.
        "#]],
        ),
        // A label.
        (
            "delay(res‸tart:",
            expect![[r#"
            5:53-5:60 ```dag
            restart: Restart
            ```

            of `delay`
        "#]],
        ),
        // A lambda's parameter, whose type was worked out.
        (
            "po‸rt + ",
            expect![[r#"
            5:40-5:44 ```dag
            port: Int
            ```
        "#]],
        ),
        // A local.
        (
            "shif‸ted.filter",
            expect![[r#"
            6:2-6:9 ```dag
            shifted: List<Int>
            ```
        "#]],
        ),
        // A function of the prelude, as a method: the row that is meant.
        (
            "shifted.fil‸ter",
            expect![[r#"
            6:10-6:16 ```dag
            fn filter<T>(items: List<T>, f: fn(T) -> Bool) -> List<T>
            ```

            The items for which f holds, in order.
        "#]],
        ),
        // A type of the kernel.
        (
            "List<In‸t>",
            expect![[r#"
            4:32-4:35 ```dag
            type Int
            ```

            A whole number of 64 bits, signed; arithmetic that leaves them is refused.
        "#]],
        ),
        // Data.
        (
            "[ba‸se,",
            expect![[r#"
            11:27-11:31 ```dag
            data base: Service
            ```

            The unit that every host has.
        "#]],
        ),
        // A module.
        (
            "import site.un‸its",
            expect![[r#"
            2:7-2:17 ```dag
            module site.units
            ```

            What runs on the hosts.
        "#]],
        ),
        // Parts of a qualified name.
        (
            "site.uni‸ts.delay",
            expect![[r#"
            12:18-12:28 ```dag
            module site.units
            ```

            What runs on the hosts.
        "#]],
        ),
        (
            "Rest‸art.Always",
            expect![[r#"
            12:35-12:42 ```dag
            type Restart
              = Always { after: Int }
              | Never
            ```

            How a unit is restarted.
        "#]],
        ),
        // A pun: a field and a parameter in one place.
        (
            "Service { na‸me,",
            expect![[r#"
            9:46-9:50 ```dag
            name: String
            ```

            of `Service`

            ---

            ```dag
            name: String
            ```

            of `named`
        "#]],
        ),
        // No name.
        (
            "po‸",
            expect![[r#"
            null
        "#]],
        ),
        (
            "= ‸[base",
            expect![[r#"
            null
        "#]],
        ),
    ] {
        hover("hosts.dag", USER, piece, &expected);
    }
}

#[test]
fn hover_in_the_declaring_file() {
    for (piece, expected) in [
        (
            "items: List<T‸>",
            expect![[r#"
            22:23-22:24 ```dag
            T
            ```

            of `pick`
        "#]],
        ),
        (
            "{ af‸ter } =>",
            expect![[r#"
            14:13-14:18 ```dag
            after: Int
            ```

            of `Always`

            ---

            ```dag
            after: Int
            ```
        "#]],
        ),
        (
            "=> aft‸er",
            expect![[r#"
            14:24-14:29 ```dag
            after: Int
            ```
        "#]],
        ),
    ] {
        hover("units.dag", UNITS, piece, &expected);
    }
}

fn locations(editor: &Editor, answer: &Value) -> String {
    let list = answer.as_array().unwrap().iter();
    list.map(|l| {
        let path = editor.path(l["uri"].as_str().unwrap());
        format!("{path} {}\n", range(&l["range"]))
    })
    .collect()
}

fn go(method: &str, path: &str, text: &str, piece: &str, expected: &Expect) {
    let mut editor = editor();
    let (line, character) = find(text, piece);
    let mut at = editor.at(path, line, character);
    at["context"] = json!({ "includeDeclaration": true });
    let answer = editor.request(method, at).unwrap();
    expected.assert_eq(&locations(&editor, &answer));
}

#[test]
fn a_name_leads_to_its_declaration() {
    for (piece, expected) in [
        (
            "+ de‸lay(",
            expect![[r#"
            units.dag 12:3-12:8
        "#]],
        ),
        (
            "unit.por‸ts",
            expect![[r#"
            units.dag 9:47-9:52
        "#]],
        ),
        (
            "delay(res‸tart:",
            expect![[r#"
            units.dag 12:9-12:16
        "#]],
        ),
        (
            "restart: Nev‸er",
            expect![[r#"
            units.dag 6:4-6:9
        "#]],
        ),
        (
            "shif‸ted.filter",
            expect![[r#"
            hosts.dag 5:6-5:13
        "#]],
        ),
        (
            "shifted.fil‸ter",
            expect![[r#"
                <library>/std/prelude.dag 20:3-20:9
            "#]],
        ),
        (
            "import site.un‸its",
            expect![[r#"
            units.dag 0:0-0:0
        "#]],
        ),
        // The field first, then the parameter.
        (
            "Service { na‸me,",
            expect![[r#"
            units.dag 9:15-9:19
            hosts.dag 9:9-9:13
        "#]],
        ),
    ] {
        go(
            "textDocument/definition",
            "hosts.dag",
            USER,
            piece,
            &expected,
        );
    }
}

#[test]
fn the_librarys_text_is_where_a_definition_leads() {
    let mut editor = editor();
    let (line, character) = find(USER, "shifted.fil‸ter");
    let at = editor.at("hosts.dag", line, character);
    let answer = editor.request("textDocument/definition", at).unwrap();
    let uri = answer[0]["uri"].as_str().unwrap();
    let path = std::path::Path::new(uri.strip_prefix("file://").unwrap());
    let text = std::fs::read_to_string(path).unwrap();
    let line = answer[0]["range"]["start"]["line"].as_u64().unwrap() as usize;
    let start = "fn filter<T>(items: List<T>";
    assert!(text.lines().nth(line).unwrap().starts_with(start));
    // It is a copy, and nobody's to write.
    assert!(std::fs::metadata(path).unwrap().permissions().readonly());
    // An editor opens it: it is that module, not a second one.
    let document = json!({ "uri": uri, "languageId": "dag", "version": 1, "text": text });
    editor.notify("textDocument/didOpen", json!({ "textDocument": document }));
    assert_eq!(editor.mistakes("hosts.dag"), "");
    let hover = json!({
        "textDocument": { "uri": uri },
        "position": answer[0]["range"]["start"],
    });
    let answer = editor.request("textDocument/hover", hover).unwrap();
    assert!(
        answer["contents"]["value"]
            .as_str()
            .unwrap()
            .contains("fn filter<T>")
    );
}

#[test]
fn a_name_leads_to_the_declaration_of_its_type() {
    for (piece, expected) in [
        (
            "(un‸it: Service",
            expect![[r#"
            units.dag 9:5-9:12
        "#]],
        ),
        (
            "unit.res‸tart)",
            expect![[r#"
            units.dag 4:5-4:12
        "#]],
        ),
        (
            "[ba‸se,",
            expect![[r#"
            units.dag 9:5-9:12
        "#]],
        ),
    ] {
        go(
            "textDocument/typeDefinition",
            "hosts.dag",
            USER,
            piece,
            &expected,
        );
    }
}

#[test]
fn every_use_of_a_name_is_found_in_every_file() {
    for (piece, expected) in [
        (
            "fn de‸lay(",
            expect![[r#"
            hosts.dag 2:26-2:31
            hosts.dag 5:47-5:52
            hosts.dag 12:29-12:34
            units.dag 12:3-12:8
        "#]],
        ),
        (
            "Serv‸ice {",
            expect![[r#"
            hosts.dag 2:55-2:62
            hosts.dag 4:15-4:22
            hosts.dag 9:26-9:33
            hosts.dag 9:36-9:43
            hosts.dag 11:15-11:22
            units.dag 9:5-9:12
            units.dag 20:11-20:18
            units.dag 20:21-20:28
        "#]],
        ),
        (
            "na‸me: String",
            expect![[r#"
            hosts.dag 9:46-9:50
            units.dag 9:15-9:19
            units.dag 20:31-20:35
        "#]],
        ),
        (
            "| Nev‸er",
            expect![[r#"
            hosts.dag 2:33-2:38
            hosts.dag 9:61-9:66
            units.dag 6:4-6:9
            units.dag 15:4-15:9
            units.dag 20:54-20:59
        "#]],
        ),
        (
            "(res‸tart: Restart)",
            expect![[r#"
            hosts.dag 5:53-5:60
            units.dag 12:9-12:16
            units.dag 13:8-13:15
        "#]],
        ),
        (
            "{ af‸ter } =>",
            expect![[r#"
            hosts.dag 12:52-12:57
            units.dag 5:13-5:18
            units.dag 14:13-14:18
            units.dag 14:24-14:29
        "#]],
        ),
        (
            "pick<‸T>",
            expect![[r#"
            units.dag 22:8-22:9
            units.dag 22:23-22:24
            units.dag 22:34-22:35
            units.dag 22:40-22:41
        "#]],
        ),
        (
            "module site.un‸its",
            expect![[r#"
            hosts.dag 2:7-2:17
            hosts.dag 12:18-12:28
            units.dag 0:7-0:17
        "#]],
        ),
    ] {
        go(
            "textDocument/references",
            "units.dag",
            UNITS,
            piece,
            &expected,
        );
    }
}

#[test]
fn uses_without_the_declaration_are_those_alone() {
    let mut editor = editor();
    let (line, character) = find(UNITS, "fn de‸lay(");
    let mut at = editor.at("units.dag", line, character);
    at["context"] = json!({ "includeDeclaration": false });
    let answer = editor.request("textDocument/references", at).unwrap();
    expect![[r#"
        hosts.dag 2:26-2:31
        hosts.dag 5:47-5:52
        hosts.dag 12:29-12:34
    "#]]
    .assert_eq(&locations(&editor, &answer));
}

#[test]
fn the_same_name_is_marked_in_the_file() {
    let mut editor = editor();
    let (line, character) = find(USER, "unit‸: Service");
    let at = editor.at("hosts.dag", line, character);
    let answer = editor
        .request("textDocument/documentHighlight", at)
        .unwrap();
    let list = answer.as_array().unwrap().iter();
    let shown: String = list
        .map(|h| format!("{} kind {}\n", range(&h["range"]), h["kind"]))
        .collect();
    expect![[r#"
        4:9-4:13 kind 3
        5:20-5:24 kind 2
        5:62-5:66 kind 2
    "#]]
    .assert_eq(&shown);
}
