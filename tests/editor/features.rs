//! Mistakes as one types, and what an editor draws: outline, colours, hints, folds.

use crate::client::{Editor, capabilities, range};
use crate::names::UNITS;
use expect_test::expect;
use serde_json::{Value, json};

const USER: &str = "module site.hosts\n\nimport site.units { base, Service }\n\ndata all: List<Service> = [base]\n";

#[test]
fn mistakes_come_and_go_in_every_file_that_is_affected() {
    let mut editor = Editor::new(&[("units.dag", UNITS), ("hosts.dag", USER)]);
    assert_eq!(editor.mistakes("hosts.dag"), "");
    // Nothing is told of a file without mistakes.
    assert!(editor.told.is_empty());
    editor.open("units.dag");
    editor.change("units.dag", &UNITS.replace("data base", "data basis"));
    expect![[r#"
        2:20-2:24 E0204 module `site.units` declares no `base`
    "#]]
    .assert_eq(&editor.mistakes("hosts.dag"));
    assert_eq!(editor.mistakes("units.dag"), "");
    editor.change("units.dag", UNITS);
    assert_eq!(editor.mistakes("hosts.dag"), "");
    assert_eq!(editor.told["hosts.dag"], Vec::<Value>::new());
}

#[test]
fn mistakes_are_told_unasked() {
    let mut editor = Editor::new(&[("m.dag", "module m\n\ndata x: Int = true\n")]);
    let told = loop {
        let message = editor.receive().unwrap();
        if message["method"] == "textDocument/publishDiagnostics" {
            break message;
        }
    };
    assert_eq!(told["params"]["diagnostics"][0]["code"], "E0301");
}

#[test]
fn a_mistake_is_told_with_its_reason_its_cure_and_the_other_places() {
    let text =
        "module m\n\nimport site.units { Service, base }\n\nfn f(u: Service) -> Int = u.restart\n";
    let mut editor = Editor::new(&[("units.dag", UNITS), ("m.dag", text)]);
    editor.settle();
    let mut told = editor.told["m.dag"].clone();
    for diagnostic in &mut told {
        for other in diagnostic["relatedInformation"]
            .as_array_mut()
            .into_iter()
            .flatten()
        {
            let path = editor.path(other["location"]["uri"].as_str().unwrap());
            other["location"]["uri"] = json!(path);
        }
    }
    expect![[r#"
        [
          {
            "code": "E0301",
            "message": "expected Int, found Restart",
            "range": {
              "end": {
                "character": 35,
                "line": 4
              },
              "start": {
                "character": 26,
                "line": 4
              }
            },
            "relatedInformation": [
              {
                "location": {
                  "range": {
                    "end": {
                      "character": 23,
                      "line": 4
                    },
                    "start": {
                      "character": 20,
                      "line": 4
                    }
                  },
                  "uri": "m.dag"
                },
                "message": "declared here"
              }
            ],
            "severity": 1,
            "source": "hayward"
          }
        ]
    "#]]
    .assert_eq(&format!("{:#}\n", json!(told)));
}

#[test]
fn places_are_counted_as_client_and_server_agreed() {
    let text = "module m\n\ndata x: List<String> = [\"\u{1F600}ä\", oops]\n";
    for (encodings, agreed, at) in [
        (json!(["utf-16"]), "utf-16", "2:31-2:35"),
        (json!(["utf-8", "utf-16"]), "utf-8", "2:34-2:38"),
        (json!(["utf-32"]), "utf-32", "2:30-2:34"),
        (json!(["utf-7"]), "utf-16", "2:31-2:35"),
        (Value::Null, "utf-16", "2:31-2:35"),
    ] {
        let mut capabilities = capabilities();
        capabilities["general"]["positionEncodings"] = encodings;
        let mut editor = Editor::started(&[("m.dag", text)]);
        let params = json!({ "rootUri": editor.uri(""), "capabilities": capabilities });
        let answer = editor.request("initialize", params).unwrap();
        assert_eq!(answer["capabilities"]["positionEncoding"], agreed);
        editor.settle();
        assert_eq!(range(&editor.told["m.dag"][0]["range"]), at, "{agreed}");
    }
}

#[test]
fn an_edit_of_a_part_is_counted_the_same_way() {
    let text = "module m\n\ndata x: String = \"\u{1F600}\"\n";
    let mut editor = Editor::new(&[("m.dag", text)]);
    editor.open("m.dag");
    // Behind the character, inside the quotes; then a second one, in the new text.
    let change = |from: u32, to: u32, text: &str| {
        json!({
            "range": {
                "start": { "line": 2, "character": from },
                "end": { "line": 2, "character": to },
            },
            "text": text,
        })
    };
    editor.change_with(
        "m.dag",
        json!([change(20, 20, "{oops}"), change(21, 23, "h")]),
    );
    expect![[r#"
        2:21-2:24 E0206 there is no `hps` here
    "#]]
    .assert_eq(&editor.mistakes("m.dag"));
}

#[test]
fn what_the_editor_holds_counts_until_it_lets_go() {
    let mut editor = Editor::new(&[("m.dag", "module m\n\ndata x: Int = 1\n")]);
    editor.open("m.dag");
    editor.change("m.dag", "module m\n\ndata x: Int = \n");
    assert_ne!(editor.mistakes("m.dag"), "");
    // The disk changes meanwhile; that is not what the editor shows.
    std::fs::write(editor.root.join("m.dag"), "module m\n\ndata x: Int = 2\n").unwrap();
    let changed = |editor: &Editor, path: &str, kind: u32| json!({ "changes": [{ "uri": editor.uri(path), "type": kind }] });
    let params = changed(&editor, "m.dag", 2);
    editor.notify("workspace/didChangeWatchedFiles", params);
    assert_ne!(editor.mistakes("m.dag"), "");
    let document = json!({ "textDocument": { "uri": editor.uri("m.dag") } });
    editor.notify("textDocument/didClose", document);
    assert_eq!(editor.mistakes("m.dag"), "");
    // A new file, and a file that is gone.
    std::fs::write(
        editor.root.join("n.dag"),
        "module n\n\ndata y: Int = true\n",
    )
    .unwrap();
    let params = changed(&editor, "n.dag", 1);
    editor.notify("workspace/didChangeWatchedFiles", params);
    assert_ne!(editor.mistakes("n.dag"), "");
    std::fs::remove_file(editor.root.join("n.dag")).unwrap();
    let params = changed(&editor, "n.dag", 3);
    editor.notify("workspace/didChangeWatchedFiles", params);
    assert_eq!(editor.mistakes("n.dag"), "");
}

#[test]
fn a_text_that_is_no_file_is_checked_too() {
    let mut editor = Editor::new(&[("units.dag", UNITS)]);
    let document = json!({
        "uri": "untitled:Untitled-1", "languageId": "dag", "version": 1,
        "text": "module scratch\n\nimport site.units { base }\n\ndata x: Int = base\n",
    });
    editor.notify("textDocument/didOpen", json!({ "textDocument": document }));
    expect![[r#"
        4:14-4:18 E0301 expected Int, found Service
    "#]]
    .assert_eq(&editor.mistakes("untitled:Untitled-1"));
}

#[test]
fn the_rest_of_a_broken_text_still_resolves() {
    let text = "module m\n\nimport site.units { base }\n\nfn broken( -> Int = 1\n\nfn g(x: Int) -> Int = x.\n\ndata name: String = base.name\n";
    let mut editor = Editor::new(&[("units.dag", UNITS), ("m.dag", text)]);
    let at = editor.at("m.dag", 8, 26);
    let answer = editor.request("textDocument/definition", at).unwrap();
    assert_eq!(editor.path(answer[0]["uri"].as_str().unwrap()), "units.dag");
    assert_eq!(range(&answer[0]["range"]), "9:15-9:19");
}

#[test]
fn circles_and_doubles_are_told_and_mended() {
    let a = "module a\n\nimport b { y }\n\ndata x: Int = y\n";
    let b = "module b\n\ndata y: Int = 1\n";
    let mut editor = Editor::new(&[("a.dag", a), ("b.dag", b)]);
    editor.open("b.dag");
    editor.change("b.dag", "module b\n\nimport a { x }\n\ndata y: Int = x\n");
    expect![[r#"
        2:7-2:8 E0203 these imports go round in a circle
    "#]]
    .assert_eq(&(editor.mistakes("a.dag") + &editor.mistakes("b.dag")));
    editor.change("b.dag", "module a\n\ndata y: Int = 1\n");
    expect![[r#"
        2:7-2:8 E0202 there is no module `b`
        0:7-0:8 E0201 module `a` has two files
    "#]]
    .assert_eq(&(editor.mistakes("a.dag") + &editor.mistakes("b.dag")));
    editor.change("b.dag", b);
    assert_eq!(editor.mistakes("a.dag") + &editor.mistakes("b.dag"), "");
}

fn outline(symbols: &Value, depth: usize, out: &mut String) {
    for symbol in symbols.as_array().unwrap() {
        out.push_str(&"  ".repeat(depth));
        out.push_str(&format!(
            "{} ({}) {} {}\n",
            symbol["name"].as_str().unwrap(),
            symbol["kind"],
            symbol["detail"].as_str().unwrap(),
            range(&symbol["selectionRange"])
        ));
        outline(&symbol["children"], depth + 1, out);
    }
}

#[test]
fn the_outline_of_a_file() {
    let mut editor = Editor::new(&[("units.dag", UNITS)]);
    let params = json!({ "textDocument": { "uri": editor.uri("units.dag") } });
    let answer = editor
        .request("textDocument/documentSymbol", params)
        .unwrap();
    let mut shown = String::new();
    outline(&answer, 0, &mut shown);
    expect![[r#"
        Restart (10)  4:5-4:12
          Always (22)  5:4-5:10
            after (8) Int 5:13-5:18
          Never (22)  6:4-6:9
        Service (23)  9:5-9:12
          name (8) String 9:15-9:19
          restart (8) Restart 9:29-9:36
          ports (8) List<Int> 9:47-9:52
        delay (12) Int 12:3-12:8
        base (14) Service 20:5-20:9
        pick (12) T 22:3-22:7
    "#]]
    .assert_eq(&shown);
}

#[test]
fn a_declaration_is_found_by_a_piece_of_its_name() {
    let mut editor = Editor::new(&[("units.dag", UNITS), ("hosts.dag", USER)]);
    let answer = editor
        .request("workspace/symbol", json!({ "query": "alw" }))
        .unwrap();
    let shown: String = answer
        .as_array()
        .unwrap()
        .iter()
        .map(|s| {
            let path = editor.path(s["location"]["uri"].as_str().unwrap());
            let (name, module) = (
                s["name"].as_str().unwrap(),
                s["containerName"].as_str().unwrap(),
            );
            format!(
                "{name} in {module}: {path} {}\n",
                range(&s["location"]["range"])
            )
        })
        .collect();
    expect![[r#"
        Always in site.units: units.dag 5:4-5:10
        PreserveAlways in systemd.unit: <library>/systemd/unit.dag 48:56-48:70
        RestartAlways in systemd.unit: <library>/systemd/unit.dag 35:19-35:32
        Allowed in host.policy: <library>/host/policy.dag 11:4-11:11
        capability_word in systemd.unit: <library>/systemd/unit.dag 327:3-327:18
        family_word in systemd.unit: <library>/systemd/unit.dag 318:3-318:14
        realization_words in jobserver.realization: <library>/jobserver/realization.dag 85:3-85:20
        yaml_words in std.yaml: <library>/std/yaml.dag 167:5-167:15
    "#]]
    .assert_eq(&shown);
}

/// The tokens as words with what they are.
pub(crate) fn tokens(editor: &mut Editor, text: &str, method: &str, params: Value) -> String {
    let answer = editor.request(method, params).unwrap();
    let types = [
        "namespace",
        "type",
        "typeParameter",
        "enumMember",
        "property",
        "parameter",
        "variable",
        "function",
        "keyword",
        "comment",
        "string",
        "number",
    ];
    let data: Vec<usize> = answer["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| n.as_u64().unwrap() as usize)
        .collect();
    let (mut line, mut character) = (0, 0);
    let mut out = String::new();
    for token in data.chunks(5) {
        let new_line = token[0] > 0;
        line += token[0];
        character = if new_line {
            token[1]
        } else {
            character + token[1]
        };
        let units: Vec<u16> = text.lines().nth(line).unwrap().encode_utf16().collect();
        let word = String::from_utf16(&units[character..character + token[2]]).unwrap();
        out.push_str(if new_line && !out.is_empty() {
            "\n"
        } else if out.is_empty() {
            ""
        } else {
            " "
        });
        out.push_str(&format!("{word}:{}", types[token[3]]));
        for (bit, mark) in [(1, "!"), (2, "°"), (4, "^")] {
            if token[4] & bit != 0 {
                out.push_str(mark);
            }
        }
    }
    out.push('\n');
    out
}

#[test]
fn each_word_is_what_it_is() {
    let text = "module m\n\nimport site.units { base, Restart, Service }\n\n// It says \u{1F600}.\nfn f<T>(unit: Service, t: T) -> Int {\n  let n = 1 + count(unit.ports)\n  match unit.restart {\n    Restart.Always { after } => after\n    _ => n\n  }\n}\n\ndata s: String = \"two\nlines {base.name} \u{1F600}\"\n";
    let mut editor = Editor::new(&[("units.dag", UNITS), ("m.dag", text)]);
    let document = json!({ "uri": editor.uri("m.dag") });
    let params = json!({ "textDocument": document });
    let all = tokens(
        &mut editor,
        text,
        "textDocument/semanticTokens/full",
        params,
    );
    expect![[r#"
        module:keyword m:namespace!
        import:keyword site.units:namespace base:variable° Restart:type Service:type
        // It says 😀.:comment
        fn:keyword f:function! T:typeParameter! unit:parameter! Service:type t:parameter! T:typeParameter Int:type^
        let:keyword n:variable!° 1:number count:function^ unit:parameter ports:property
        match:keyword unit:parameter restart:property
        Restart:type Always:enumMember after:property after:variable°
        n:variable°
        data:keyword s:variable!° String:type^ ":string two:string
        lines :string base:variable° name:property  😀:string ":string
    "#]].assert_eq(&all);
    let params = json!({
        "textDocument": document,
        "range": { "start": { "line": 8, "character": 0 }, "end": { "line": 9, "character": 0 } },
    });
    let part = tokens(
        &mut editor,
        text,
        "textDocument/semanticTokens/range",
        params,
    );
    expect![[r#"
        Restart:type Always:enumMember after:property after:variable°
    "#]]
    .assert_eq(&part);
}

#[test]
fn types_and_labels_are_hinted() {
    let text = "module m\n\nfn f(xs: List<Int>) -> List<Int> {\n  let n = count(xs)\n  let m: Int = 1\n  let rest = skip(xs, 2).map(x => x + n)\n  fold(rest, [], (all, one) => append(all, item: one + m))\n}\n";
    let mut editor = Editor::new(&[("m.dag", text)]);
    let mut hints = |from: u32, to: u32| {
        let params = json!({
            "textDocument": { "uri": editor.uri("m.dag") },
            "range": { "start": { "line": from, "character": 0 }, "end": { "line": to, "character": 0 } },
        });
        let answer = editor.request("textDocument/inlayHint", params).unwrap();
        let list = answer.as_array().unwrap().iter();
        list.map(|h| {
            format!(
                "{}:{} {} kind {}\n",
                h["position"]["line"], h["position"]["character"], h["label"], h["kind"]
            )
        })
        .collect::<String>()
    };
    expect![[r#"
        3:7 ": Int" kind 1
        5:10 ": List<Int>" kind 1
        5:22 "n:" kind 2
        5:30 ": Int" kind 1
        6:13 "init:" kind 2
        6:21 ": List<Int>" kind 1
        6:26 ": Int" kind 1
    "#]]
    .assert_eq(&hints(0, 9));
    assert_eq!(hints(3, 4).lines().count(), 1);
}

#[test]
fn what_folds_and_what_a_selection_grows_to() {
    let text = "module m\n\nimport std.measure { hours }\nimport std.types\n\n// One\n// two.\nfn f(b: Bool) -> List<Int> {\n  match b {\n    true => [\n      1\n    ]\n    false => []\n  }\n}\n";
    let mut editor = Editor::new(&[("m.dag", text)]);
    let document = json!({ "uri": editor.uri("m.dag") });
    let params = json!({ "textDocument": document });
    let answer = editor.request("textDocument/foldingRange", params).unwrap();
    let shown: String = answer
        .as_array()
        .unwrap()
        .iter()
        .map(|f| format!("{}-{} {}\n", f["startLine"], f["endLine"], f["kind"]))
        .collect();
    expect![[r#"
        2-3 "imports"
        5-6 "comment"
        7-14 null
        8-13 null
        9-11 null
    "#]]
    .assert_eq(&shown);
    let params = json!({
        "textDocument": document,
        "positions": [{ "line": 10, "character": 6 }],
    });
    let answer = editor
        .request("textDocument/selectionRange", params)
        .unwrap();
    let mut shown = String::new();
    let mut at = &answer[0];
    while at.is_object() {
        shown.push_str(&format!("{}\n", range(&at["range"])));
        at = &at["parent"];
    }
    expect![[r#"
        10:6-10:7
        9:12-11:5
        9:4-11:5
        8:2-13:3
        7:27-14:1
        7:0-14:1
        0:0-14:1
        0:0-15:0
    "#]]
    .assert_eq(&shown);
}

#[test]
fn the_library_itself_can_be_worked_on() {
    let lib = concat!(env!("CARGO_MANIFEST_DIR"), "/../../lib/std/measure.dag");
    let text = std::fs::read_to_string(lib).unwrap();
    let user = "module m\n\nimport std.measure { hours }\n\ndata x: Int = hours(count: true)\n";
    let mut editor = Editor::new(&[("lib/measure.dag", text.as_str()), ("m.dag", user)]);
    // The file is that module, and no second one of its name.
    let told = editor.mistakes("m.dag");
    assert!(told.contains("E0301"), "{told}");
    assert_eq!(editor.mistakes("lib/measure.dag"), "");
    editor.open("lib/measure.dag");
    editor.change("lib/measure.dag", &text.replace("fn hours", "fn hour"));
    let told = editor.mistakes("m.dag");
    assert!(
        told.contains("E0204 module `std.measure` declares no `hours`"),
        "{told}"
    );
    // Modules of the library that the project does not hold use the name.
    editor.change("lib/measure.dag", &text);
    let mut at = editor.at("m.dag", 4, 16);
    at["newName"] = json!("whole_hours");
    let refused = editor.request("textDocument/rename", at).unwrap_err();
    let why = refused["message"].as_str().unwrap();
    assert!(why.ends_with("which is the library's"), "{why}");
}
