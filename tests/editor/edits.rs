//! What is written into a text: renames, cures, layout, completion.

use crate::client::{CURSOR, Editor, applied, capabilities};
use crate::names::UNITS;
use expect_test::{Expect, expect};
use serde_json::{Value, json};

/// What a rename or an action makes of the files, or why it is refused.
pub(crate) fn after(editor: &Editor, answer: &Result<Value, Value>) -> String {
    let edit = match answer {
        Ok(edit) => edit,
        Err(error) => {
            let why = error["message"].as_str().unwrap();
            return format!(
                "{} {}\n",
                error["code"],
                why.replace(&editor.root.display().to_string(), "…")
            );
        }
    };
    let changes = edit["changes"].as_object().unwrap();
    changes
        .iter()
        .map(|(uri, edits)| {
            let path = editor.path(uri);
            let text = std::fs::read_to_string(editor.root.join(&path)).unwrap();
            let new = applied(&text, edits.as_array().unwrap());
            let lines = new.lines().zip(text.lines()).filter(|(a, b)| a != b);
            let shown: String = lines.map(|(a, _)| format!("  {a}\n")).collect();
            format!("{path}\n{shown}")
        })
        .collect()
}

const USER: &str = r#"module site.hosts

import site.units { delay, Never, Restart, Service }

fn named(name: String) -> Service = Service { name, restart: Never, ports: [] }

fn slow(unit: Service) -> Bool = delay(restart: unit.restart) > 10

data total: Int = site.units.delay(Restart.Always { after: 3 })
"#;

fn rename(piece: &str, new: &str, expected: &Expect) {
    let mut editor = Editor::new(&[("units.dag", UNITS), ("hosts.dag", USER)]);
    let bare = piece.replace(CURSOR, "");
    let (path, text) = if UNITS.contains(&bare) {
        ("units.dag", UNITS)
    } else {
        ("hosts.dag", USER)
    };
    let marked = text.replacen(&bare, piece, 1);
    let mut at = editor.cursor(path, &marked);
    at["newName"] = json!(new);
    let answer = editor.request("textDocument/rename", at);
    expected.assert_eq(&after(&editor, &answer));
    // What was tried out was taken back.
    assert_eq!(
        editor.mistakes("units.dag") + &editor.mistakes("hosts.dag"),
        ""
    );
}

#[test]
fn a_rename_goes_through_every_file() {
    rename(
        "fn de‸lay(",
        "pause",
        &expect![[r#"
        hosts.dag
          import site.units { pause, Never, Restart, Service }
          fn slow(unit: Service) -> Bool = pause(restart: unit.restart) > 10
          data total: Int = site.units.pause(Restart.Always { after: 3 })
        units.dag
          fn pause(restart: Restart) -> Int {
    "#]],
    );
    rename(
        "type Serv‸ice {",
        "Daemon",
        &expect![[r#"
        hosts.dag
          import site.units { delay, Never, Restart, Daemon }
          fn named(name: String) -> Daemon = Daemon { name, restart: Never, ports: [] }
          fn slow(unit: Daemon) -> Bool = delay(restart: unit.restart) > 10
        units.dag
          type Daemon { name: String, restart: Restart, ports: List<Int> }
          data base: Daemon = Daemon { name: "base", restart: Never, ports: [22, 80] }
    "#]],
    );
    rename(
        "| Nev‸er",
        "Once",
        &expect![[r#"
        hosts.dag
          import site.units { delay, Once, Restart, Service }
          fn named(name: String) -> Service = Service { name, restart: Once, ports: [] }
        units.dag
            | Once
              Once => 0
          data base: Service = Service { name: "base", restart: Once, ports: [22, 80] }
    "#]],
    );
    // A field, also where its name is a pun.
    rename(
        "na‸me: String, restart",
        "label",
        &expect![[r#"
        hosts.dag
          fn named(name: String) -> Service = Service { label: name, restart: Never, ports: [] }
        units.dag
          type Service { label: String, restart: Restart, ports: List<Int> }
          data base: Service = Service { label: "base", restart: Never, ports: [22, 80] }
    "#]],
    );
    // A parameter is a label too, and a local.
    rename(
        "delay(res‸tart: Restart)",
        "policy",
        &expect![[r#"
        hosts.dag
          fn slow(unit: Service) -> Bool = delay(policy: unit.restart) > 10
        units.dag
          fn delay(policy: Restart) -> Int {
            match policy {
    "#]],
    );
    // A pun stands for both: the parameter is renamed, the field stays.
    rename(
        "{ na‸me, restart",
        "label",
        &expect![[r#"
        hosts.dag
          fn named(label: String) -> Service = Service { name: label, restart: Never, ports: [] }
    "#]],
    );
    // A local of a pattern.
    rename(
        "{ af‸ter } =>",
        "seconds",
        &expect![[r#"
        units.dag
              Always { after: seconds } => seconds
    "#]],
    );
    rename(
        "=> af‸ter",
        "seconds",
        &expect![[r#"
        units.dag
              Always { after: seconds } => seconds
    "#]],
    );
    rename(
        "<‸T>(items",
        "Item",
        &expect![[r#"
        units.dag
          fn pick<Item>(items: List<Item>, other: Item) -> Item = items.first() ?? other
    "#]],
    );
    // From a use in another file.
    rename(
        "import site.units { de‸lay",
        "pause",
        &expect![[r#"
        hosts.dag
          import site.units { pause, Never, Restart, Service }
          fn slow(unit: Service) -> Bool = pause(restart: unit.restart) > 10
          data total: Int = site.units.pause(Restart.Always { after: 3 })
        units.dag
          fn pause(restart: Restart) -> Int {
    "#]],
    );
}

#[test]
fn a_rename_that_would_change_what_is_meant_is_refused() {
    rename(
        "fn de‸lay(",
        "match",
        &expect![[r#"
        -32803 `match` is a keyword
    "#]],
    );
    rename(
        "fn de‸lay(",
        "two words",
        &expect![[r#"
        -32803 `two words` is no name
    "#]],
    );
    rename(
        "fn de‸lay(",
        "",
        &expect![[r#"
        -32803 `` is no name
    "#]],
    );
    // It is declared already, here or where it is imported.
    rename(
        "fn de‸lay(",
        "base",
        &expect![[r#"
        -32803 `delay` cannot be renamed to `base`: …/units.dag:21:6: the name `base` is declared twice
    "#]],
    );
    rename(
        "fn de‸lay(",
        "slow",
        &expect![[r#"
        -32803 `delay` cannot be renamed to `slow`: …/hosts.dag:7:4: `slow` is declared here and imported
    "#]],
    );
    rename(
        "| Nev‸er",
        "never",
        &expect![[r#"
        -32803 the name of a variant starts with a capital letter
    "#]],
    );
    rename(
        "| Nev‸er",
        "Always",
        &expect![[r#"
            -32803 `Never` cannot be renamed to `Always`: …/hosts.dag:5:62: `Always` is not given `after`
        "#]],
    );
    rename(
        "type Serv‸ice {",
        "unit",
        &expect![[r#"
        -32803 the name of a type starts with a capital letter
    "#]],
    );
    // The parameter would take the name of what its body calls.
    rename(
        "slow(un‸it: Service)",
        "delay",
        &expect![[r#"
        -32803 `unit` cannot be renamed to `delay`: …/hosts.dag:7:35: a value of type Service is not called
    "#]],
    );
    rename(
        "{ af‸ter } =>",
        "After",
        &expect![[r#"
        -32803 the name of a local starts with a small letter
    "#]],
    );
    // The library's names are not ours.
    rename(
        "ports: List<In‸t>",
        "Number",
        &expect![[r#"
        -32803 `Int` belongs to the library
    "#]],
    );
    rename(
        "items.fir‸st()",
        "head",
        &expect![[r#"
        -32803 `first` belongs to the library
    "#]],
    );
    rename(
        "module site.un‸its",
        "other",
        &expect![[r#"
        -32803 a module has the name of its `module` line: change it there, and in the imports
    "#]],
    );
    rename(
        "data ‸base",
        "base",
        &expect![[r#"
        units.dag
    "#]],
    );
}

#[test]
fn what_can_be_renamed_is_told_before() {
    let mut editor = Editor::new(&[("units.dag", UNITS)]);
    let mut ask = |piece: &str| {
        let marked = UNITS.replacen(&piece.replace(CURSOR, ""), piece, 1);
        let at = editor.cursor("units.dag", &marked);
        format!(
            "{}\n",
            editor
                .request("textDocument/prepareRename", at)
                .map_or_else(
                    |e| e["message"].as_str().unwrap().to_owned(),
                    |a| a.to_string(),
                )
        )
    };
    let shown = ask("fn de‸lay(") + &ask("fn‸ delay(") + &ask("List<In‸t>");
    expect![[r#"
        {"placeholder":"delay","range":{"end":{"character":8,"line":12},"start":{"character":3,"line":12}}}
        null
        `Int` belongs to the library
    "#]].assert_eq(&shown);
}

#[test]
fn edits_carry_the_version_where_the_client_takes_it() {
    let mut capabilities = capabilities();
    capabilities["workspace"] = json!({ "workspaceEdit": { "documentChanges": true } });
    let mut editor = Editor::with(&[("units.dag", UNITS), ("hosts.dag", USER)], capabilities);
    editor.open("hosts.dag");
    let mut at = editor.cursor("units.dag", &UNITS.replacen("fn delay", "fn ‸delay", 1));
    at["newName"] = json!("pause");
    let answer = editor.request("textDocument/rename", at).unwrap();
    let documents = answer["documentChanges"].as_array().unwrap().iter();
    let versions: Vec<String> = documents
        .map(|d| {
            format!(
                "{} {}",
                editor.path(d["textDocument"]["uri"].as_str().unwrap()),
                d["textDocument"]["version"]
            )
        })
        .collect();
    assert_eq!(versions, ["hosts.dag 1", "units.dag null"]);
}

/// The cures of a module's mistakes: title, and the text after it. Every one must
/// lead to fewer mistakes, or to a place that is still to be written.
fn cures(text: &str, expected: &Expect) {
    let mut editor = Editor::new(&[("units.dag", UNITS), ("m.dag", text)]);
    editor.open("m.dag");
    editor.settle();
    let whole = json!({
        "start": { "line": 0, "character": 0 },
        "end": { "line": 999, "character": 0 },
    });
    let params = json!({
        "textDocument": { "uri": editor.uri("m.dag") },
        "range": whole,
        "context": { "diagnostics": [] },
    });
    let answer = editor.request("textDocument/codeAction", params).unwrap();
    let mut shown = String::new();
    for action in answer.as_array().unwrap() {
        let edits = action["edit"]["changes"][editor.uri("m.dag")].as_array();
        let new = applied(text, edits.unwrap());
        shown.push_str(&format!("# {}\n", action["title"].as_str().unwrap()));
        shown.push_str(&new);
        editor.change("m.dag", &new);
        let left = editor.mistakes("m.dag");
        if !left.is_empty() {
            shown.push_str(&format!("still: {left}"));
        }
        editor.change("m.dag", text);
    }
    expected.assert_eq(&shown);
}

#[test]
fn a_name_that_was_meant_is_written() {
    cures(
        "module m\n\nimport site.units { base, Service }\n\nfn f(u: Service) -> String = u.nmae\n\ndata b: Service = base\n",
        &expect![[r#"
            # Write `name`
            module m

            import site.units { base, Service }

            fn f(u: Service) -> String = u.name

            data b: Service = base
        "#]],
    );
    cures(
        "module m\n\nimport site.units { delay, Restart }\n\nfn f(r: Restart) -> Int = delay(restrat: r)\n",
        &expect![[r#"
            # Write `restart`
            module m

            import site.units { delay, Restart }

            fn f(r: Restart) -> Int = delay(restart: r)
        "#]],
    );
    cures(
        "module m\n\nimport site.units { delya }\n\ndata x: Int = delya(1)\n",
        &expect![[r#"
            # Write `delay`
            module m

            import site.units { delay }

            data x: Int = delya(1)
            still: 4:14-4:19 E0206 there is no `delya` here
        "#]],
    );
    cures(
        "module m\n\ndata one: Int = 1\n\ndata two: Intt = oen + 1\n",
        &expect![[r#"
            # Write `Int`
            module m

            data one: Int = 1

            data two: Int = oen + 1
            still: 4:16-4:19 E0206 there is no `oen` here
            # Write `one`
            module m

            data one: Int = 1

            data two: Intt = one + 1
            still: 4:10-4:14 E0207 there is no type `Intt` here
        "#]],
    );
}

#[test]
fn a_missing_import_is_added() {
    // Below what is said of the module.
    cures(
        "module m\n// Said of it.\n\ndata x: Service? = none\n",
        &expect![[r#"
            # Write `import site.units { Service }`
            module m
            // Said of it.

            import site.units { Service }

            data x: Service? = none
        "#]],
    );
    // To the list that there is.
    cures(
        "module m\n\nimport site.units { base }\n\ndata x: Service = base\n",
        &expect![[r#"
            # Write `import site.units { Service }`
            module m

            import site.units { base, Service }

            data x: Service = base
        "#]],
    );
    // Behind the others.
    cures(
        "module m\n\nimport site.units\n\ndata x: site.units.Service = base\n",
        &expect![[r#"
            # Write `import site.units { base }`
            module m

            import site.units { base }

            data x: site.units.Service = base
        "#]],
    );
    // To load the module.
    cures(
        "module m\n\ndata x: Int = site.units.delay(1)\n",
        &expect![[r#"
            # Write `import site.units`
            module m

            import site.units

            data x: Int = site.units.delay(1)
            still: 4:31-4:32 E0301 expected Restart, found Int
        "#]],
    );
}

#[test]
fn what_is_missing_is_added_and_waits_to_be_written() {
    cures(
        "module m\n\nimport site.units { Always, delay, Restart }\n\nfn f(r: Restart) -> Int {\n  match r {\n    Restart.Never => delay(r)\n  }\n}\n",
        &expect![[r#"
            # Add the missing arms
            module m

            import site.units { Always, delay, Restart }

            fn f(r: Restart) -> Int {
              match r {
                Restart.Never => delay(r)
                Always { after: _ } => _
              }
            }
            still: 7:27-7:28 E0206 there is no `_` here
        "#]],
    );
    cures(
        "module m\n\nfn f(b: Bool) -> Int = match b { true => 1 }\n",
        &expect![[r#"
            # Add the missing arms
            module m

            fn f(b: Bool) -> Int = match b { true => 1
              false => _
            }
            still: 3:11-3:12 E0206 there is no `_` here
        "#]],
    );
    cures(
        "module m\n\nimport site.units { Never, Service }\n\nfn f(name: String) -> Service = Service { restart: Never }\n",
        &expect![[r#"
            # Add the missing fields
            module m

            import site.units { Never, Service }

            fn f(name: String) -> Service = Service { restart: Never, name, ports: _ }
            still: 4:71-4:72 E0206 there is no `_` here
        "#]],
    );
    cures(
        "module m\n\nimport site.units { Service }\n\nfn f(u: Service) -> Bool = match u {\n  Service {\n    name\n  } => name == \"x\"\n}\n",
        &expect![[r##"
            # Name the other fields
            module m

            import site.units { Service }

            fn f(u: Service) -> Bool = match u {
              Service {
                name
                restart: _
                ports: _
              } => name == "x"
            }
        "##]],
    );
}

#[test]
fn what_is_too_much_is_removed() {
    cures(
        "module m\n\nimport site.units { base, delay, Service }\n\ndata x: Service = base\n",
        &expect![[r#"
            # Remove the import
            module m

            import site.units { base, Service }

            data x: Service = base
        "#]],
    );
    cures(
        "module m\n\nimport site.units { delay }\n\ndata x: Int = 1\n",
        &expect![[r#"
            # Remove the import
            module m

            data x: Int = 1
        "#]],
    );
    // The module is named: it stays loaded.
    cures(
        "module m\n\nimport site.units { delay }\n\ndata x: site.units.Service = site.units.base\n",
        &expect![[r#"
            # Remove the import
            module m

            import site.units

            data x: site.units.Service = site.units.base
        "#]],
    );
    cures(
        "module m\n\nfn f(b: Bool) -> Int {\n  match b {\n    true => 1\n    false => 2\n    _ => 3\n  }\n}\n",
        &expect![[r#"
            # Remove the arm
            module m

            fn f(b: Bool) -> Int {
              match b {
                true => 1
                false => 2
              }
            }
        "#]],
    );
}

#[test]
fn other_exact_cures() {
    cures(
        "module m\n\nfn f(a: Int, b: Int) -> Int = -a + b\n",
        &expect![[r#"
            # Put the negative value in parentheses
            module m

            fn f(a: Int, b: Int) -> Int = (-a) + b
        "#]],
    );
    cures(
        "module m\n\nfn f(a: Int, b: Int) -> Int = a\n  - b\n",
        &expect![[r#"
            # End the line before with the minus
            module m

            fn f(a: Int, b: Int) -> Int = a -
              b
        "#]],
    );
    cures(
        "module m\n\ndata x: String = \"a\\d\"\n",
        &expect![[r##"
        # Write `\\d`
        module m

        data x: String = "a\\d"
    "##]],
    );
    cures(
        "module m\n\nfn f(n: Int) -> String = n\n",
        &expect![[r#"
        # Write `to_string(…)`
        module m

        fn f(n: Int) -> String = to_string(n)
    "#]],
    );
    cures(
        "module m\n\ntype Port = Int where brand(\"port\")\n\nfn f(n: Int) -> Port = n + 1\n",
        &expect![[r##"
            # Write `… as Port`
            module m

            type Port = Int where brand("port")

            fn f(n: Int) -> Port = (n + 1) as Port
        "##]],
    );
}

#[test]
fn unused_imports_are_removed_together_when_it_is_asked_for() {
    let text =
        "module m\n\nimport site.units { base, delay, Never, Service }\n\ndata x: Service = base\n";
    let mut editor = Editor::new(&[("units.dag", UNITS), ("m.dag", text)]);
    let params = json!({
        "textDocument": { "uri": editor.uri("m.dag") },
        "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } },
        "context": { "diagnostics": [], "only": ["source.fixAll"] },
    });
    let answer = editor.request("textDocument/codeAction", params).unwrap();
    let edits = answer[0]["edit"]["changes"][editor.uri("m.dag")].as_array();
    expect![[r#"
        module m

        import site.units { base, Service }

        data x: Service = base
    "#]]
    .assert_eq(&applied(text, edits.unwrap()));
    assert_eq!(answer.as_array().unwrap().len(), 1);
}

#[test]
fn a_text_is_laid_out_and_one_with_a_mistake_is_left() {
    let text = "module   m\ndata x: Int  =  1\n\n\n\ndata y: String = \"a\"";
    let mut editor = Editor::new(&[("m.dag", text)]);
    let params = json!({
        "textDocument": { "uri": editor.uri("m.dag") },
        "options": { "tabSize": 2, "insertSpaces": true },
    });
    let answer = editor
        .request("textDocument/formatting", params.clone())
        .unwrap();
    let new = applied(text, answer.as_array().unwrap());
    expect![[r#"
        module m

        data x: Int = 1

        data y: String = "a"
    "#]]
    .assert_eq(&new);
    editor.open("m.dag");
    editor.change("m.dag", &new);
    let again = editor
        .request("textDocument/formatting", params.clone())
        .unwrap();
    assert_eq!(again, json!([]));
    editor.change("m.dag", "module m\n\ndata x: Int = (\n");
    let refused = editor
        .request("textDocument/formatting", params)
        .unwrap_err();
    let message = refused["message"].as_str().unwrap();
    expect!["a text with a mistake has no layout: …/m.dag:3:16: expected an expression, found the end of the text"].assert_eq(&message.replace(&editor.root.display().to_string(), "…"));
}

/// What is offered at the cursor: label, kind, detail; and the text after the
/// first one is taken.
fn offers(text: &str, most: usize, expected: &Expect) {
    let mut editor = Editor::new(&[("units.dag", UNITS), ("m.dag", "module m\n")]);
    editor.open("m.dag");
    editor.change("m.dag", text);
    let at = editor.cursor("m.dag", text);
    let answer = editor.request("textDocument/completion", at).unwrap();
    let mut items = answer["items"].as_array().cloned().unwrap_or_default();
    // As an editor does: what does not fit what was typed is not shown.
    let before = text.split_once(CURSOR).unwrap().0;
    let typed: String = before
        .chars()
        .rev()
        .take_while(|c| c.is_alphanumeric() || *c == '_')
        .collect();
    let typed: String = typed.chars().rev().collect::<String>().to_lowercase();
    items.retain(|i| i["label"].as_str().unwrap().to_lowercase().contains(&typed));
    items.sort_by_key(|i| i["sortText"].as_str().unwrap().to_owned());
    let mut shown = String::new();
    for item in items.iter().take(most) {
        shown.push_str(&format!(
            "{} ({}) {}\n",
            item["label"].as_str().unwrap(),
            item["kind"],
            item["detail"].as_str().unwrap_or_default()
        ));
    }
    if let Some(first) = items.first() {
        let mut edits = vec![first["textEdit"].clone()];
        edits.extend(
            first["additionalTextEdits"]
                .as_array()
                .cloned()
                .unwrap_or_default(),
        );
        let new = applied(&text.replace(CURSOR, ""), &edits);
        let old = text.replace(CURSOR, "");
        let lines = new.lines().filter(|l| !old.lines().any(|o| o == *l));
        shown.push_str(&lines.map(|l| format!("  {l}\n")).collect::<String>());
    }
    expected.assert_eq(&shown);
}

const HEAD: &str = "module m\n\nimport site.units { base, delay, Restart, Service }\n\n";

#[test]
fn names_in_sight_are_offered_the_nearest_first() {
    offers(
        &format!(
            "{HEAD}fn f(unit: Service, until: Int) -> Int {{\n  let under = 1\n  map([1], upper => u‸)\n}}\n"
        ),
        6,
        &expect![[r#"
            under (6) under: Int
            unit (6) unit: Service
            until (6) until: Int
            upper (6) upper: Int
            chunks (3) fn chunks<T>(items: List<T>, size: Int where range(min: 1)) -> List<List<T>>
            count (3) fn count<T>(items: List<T>) -> Int
                map([1], upper => under)
        "#]],
    );
    // Behind its block a local is not in sight.
    offers(
        &format!(
            "{HEAD}fn f(a: Int) -> Int {{\n  let b = {{\n    let hidden = 1\n    hidden\n  }}\n  hid‸\n}}\n"
        ),
        3,
        &expect![[""]],
    );
}

#[test]
fn what_may_follow_a_dot_is_offered() {
    offers(
        &format!("{HEAD}fn f(u: Service) -> Int = u.‸\n"),
        4,
        &expect![[r#"
            name (5) name: String
            ports (5) ports: List<Int>
            restart (5) restart: Restart
            f (2) fn f(u: Service) -> Int
              fn f(u: Service) -> Int = u.name
        "#]],
    );
    // Of a record without a name, too.
    offers(
        &format!("{HEAD}fn f(u: {{ port: Int, host: String }}) -> Int = u.p‸\n"),
        1,
        &expect![[r#"
            port (5) 
              fn f(u: { port: Int, host: String }) -> Int = u.port
        "#]],
    );
    offers(
        &format!("{HEAD}fn f(u: Service) -> Int = u.ports.l‸\n"),
        4,
        &expect![[r#"
            all (2) fn all<T>(items: List<T>, f: fn(T) -> Bool) -> Bool
            collect (2) fn collect<T, E>(items: List<Result<T, E>>) -> Result<List<T>, E>
            filter (2) fn filter<T>(items: List<T>, f: fn(T) -> Bool) -> List<T>
            filter_map (2) fn filter_map<T, U>(items: List<T>, f: fn(T) -> U?) -> List<U>
              fn f(u: Service) -> Int = u.ports.all
        "#]],
    );
    offers(
        &format!("{HEAD}fn f(u: Service) -> Int = u.restart.de‸\n"),
        4,
        &expect![[r#"
            delay (2) fn delay(restart: Restart) -> Int
              fn f(u: Service) -> Int = u.restart.delay
        "#]],
    );
    offers(
        &format!("{HEAD}data x: Restart = Restart.‸\n"),
        4,
        &expect![[r#"
            Always (20) Always { after: Int }
            Never (20) Never
              data x: Restart = Restart.Always
        "#]],
    );
    offers(
        &format!("{HEAD}data x: Int = site.units.de‸\n"),
        4,
        &expect![[r#"
            delay (3) fn delay(restart: Restart) -> Int
              data x: Int = site.units.delay
        "#]],
    );
}

#[test]
fn variants_are_offered_where_a_coproduct_is_expected() {
    // Never is not imported: taking it imports it.
    offers(
        &format!("{HEAD}data x: Restart = Ne‸\n"),
        1,
        &expect![[r#"
        Never (20) Never
          import site.units { base, delay, Restart, Service, Never }
          data x: Restart = Never
    "#]],
    );
    offers(
        &format!("{HEAD}data x: Int = delay(restart: ‸)\n"),
        2,
        &expect![[r#"
            Always (20) Always { after: Int }
            Never (20) Never
              import site.units { base, delay, Restart, Service, Always }
              data x: Int = delay(restart: Always)
        "#]],
    );
    offers(
        &format!("{HEAD}fn f(r: Restart) -> Int {{\n  match r {{\n    ‸\n  }}\n}}\n"),
        2,
        &expect![[r#"
            Always (20) Always { after: Int }
            Never (20) Never
              import site.units { base, delay, Restart, Service, Always }
                  Always
        "#]],
    );
    offers(
        &format!(
            "{HEAD}fn f(r: Restart?) -> Int {{\n  match r {{\n    Present {{ value: N‸ }} => 1\n  }}\n}}\n"
        ),
        2,
        &expect![[r#"
            Never (20) Never
            Absent (20) Absent
              import site.units { base, delay, Restart, Service, Never }
                  Present { value: Never } => 1
        "#]],
    );
}

#[test]
fn fields_and_labels_are_offered_where_they_are_missing() {
    offers(
        &format!("{HEAD}data x: Service = Service {{ name: \"a\", ‸ }}\n"),
        2,
        &expect![[r#"
            ports (5) ports: List<Int>
            restart (5) restart: Restart
              data x: Service = Service { name: "a", ports:  }
        "#]],
    );
    offers(
        &format!("{HEAD}data x: Service = Service {{\n  name: \"a\"\n  po‸\n}}\n"),
        2,
        &expect![[r#"
            ports (5) ports: List<Int>
                ports: 
        "#]],
    );
    offers(
        &format!("{HEAD}fn f(u: Service) -> Int = match u {{ Service {{ na‸ }} => 1 }}\n"),
        1,
        &expect![[r#"
            name (5) name: String
              fn f(u: Service) -> Int = match u { Service { name } => 1 }
        "#]],
    );
    offers(
        &format!("{HEAD}data x: Int = delay(‸)\n"),
        3,
        &expect![[r#"
            Always (20) Always { after: Int }
            Never (20) Never
            restart (10) restart: Restart
              import site.units { base, delay, Restart, Service, Always }
              data x: Int = delay(Always)
        "#]],
    );
    // The parenthesis is still open, and so is the brace.
    offers(
        &format!("{HEAD}fn f(r: Restart) -> Int {{\n  delay(re‸\n}}\n"),
        2,
        &expect![[r#"
            restart (10) restart: Restart
            Present (20) Present { value: T }
                delay(restart: 
        "#]],
    );
}

#[test]
fn modules_and_their_names_are_offered_in_an_import() {
    offers(
        "module m\n\nimport si‸\n",
        3,
        &expect![[r#"
        github.expression (9) 
        jobserver.sizing (9) 
        site.units (9) 
          import github.expression
    "#]],
    );
    offers(
        "module m\n\nimport std.me‸\n",
        3,
        &expect![[r#"
        std.measure (9) 
          import std.measure
    "#]],
    );
    offers(
        "module m\n\nimport site.units { base, ‸ }\n",
        20,
        &expect![[r#"
            Always (20) Always { after: Int }
            Never (20) Never
            Restart (7) type Restart
              = Always { after: Int }
              | Never
            Service (7) type Service { name: String, restart: Restart, ports: List<Int> }
            delay (3) fn delay(restart: Restart) -> Int
            pick (3) fn pick<T>(items: List<T>, other: T) -> T
              import site.units { base, Always }
        "#]],
    );
    offers(
        "module m\n\nimport site.units { pi‸\n\ndata x: Int = 1\n",
        3,
        &expect![[r#"
            pick (3) fn pick<T>(items: List<T>, other: T) -> T
              import site.units { pick
        "#]],
    );
}

#[test]
fn types_are_offered_where_a_type_stands() {
    offers(
        &format!("{HEAD}fn f<Thing>(x: T‸) -> Int = 1\n"),
        2,
        &expect![[r#"
            Thing (25) 
            Float (7) type Float
              fn f<Thing>(x: Thing) -> Int = 1
        "#]],
    );
    // Not imported yet, and declared once.
    offers(
        "module m\n\nfn f(x: Rest‸) -> Int = 1\n",
        2,
        &expect![[r#"
        RestartRule (7) type RestartRule = RestartAlways | RestartOnFailure | RestartNever
          import systemd.unit { RestartRule }
          fn f(x: RestartRule) -> Int = 1
    "#]],
    );
    offers(
        "module m\n\ndata x: List<Rest‸> = []\n",
        2,
        &expect![[r#"
        RestartRule (7) type RestartRule = RestartAlways | RestartOnFailure | RestartNever
          import systemd.unit { RestartRule }
          data x: List<RestartRule> = []
    "#]],
    );
}

#[test]
fn nothing_is_offered_in_a_string_or_an_annotation() {
    offers("module m\n\ndata x: String = \"ma‸\"\n", 3, &expect![[""]]);
    offers("module m\n\n// ma‸\ndata x: Int = 1\n", 3, &expect![[""]]);
    offers(
        "module m\n\ndata one: Int = 1\n\ndata x: String = \"a {on‸}\"\n",
        1,
        &expect![[r#"
            concat (3) fn concat<T>(a: List<T>, b: List<T>) -> List<T>
              data x: String = "a {concat}"
        "#]],
    );
}

#[test]
fn the_parameters_of_a_call_are_shown() {
    let mut shown = String::new();
    for text in [
        "fn f(u: Service) -> Int = delay(‸)",
        "fn f(u: Service) -> Int = fold([1], 0, ‸)",
        "fn f(u: Service) -> Int = fold([1], f: (a, b) => a, ‸",
        "fn f(u: Service) -> Int = [1].fold(‸0, (a, b) => a)",
        "fn f(u: Service) -> Int = fold([1], 0, delay(‸u.restart))",
        "fn f(u: Service) -> Int = (1 + ‸2)",
        "fn f(u: Service) -> List<Int> = u.ports |> take(‸)",
    ] {
        let text = format!("{HEAD}{text}\n");
        let mut editor = Editor::new(&[("units.dag", UNITS), ("m.dag", "module m\n")]);
        editor.open("m.dag");
        editor.change("m.dag", &text);
        let at = editor.cursor("m.dag", &text);
        let answer = editor.request("textDocument/signatureHelp", at).unwrap();
        let signature = &answer["signatures"][0];
        let active = signature["activeParameter"].as_u64();
        let parameter = active.map(|a| signature["parameters"][a as usize]["label"].clone());
        shown.push_str(&format!(
            "{} | {}\n",
            signature["label"].as_str().unwrap_or_default(),
            parameter.unwrap_or_default()
        ));
    }
    expect![[r#"
        fn delay(restart: Restart) -> Int | "restart: Restart"
        fn fold<T, A>(items: List<T>, init: A, f: fn(A, T) -> A) -> A | "f: fn(A, T) -> A"
        fn fold<T, A>(items: List<T>, init: A, f: fn(A, T) -> A) -> A | "init: A"
        fn fold<T, A>(items: List<T>, init: A, f: fn(A, T) -> A) -> A | "init: A"
        fn delay(restart: Restart) -> Int | "restart: Restart"
         | null
        fn take<T>(items: List<T>, n: Int) -> List<T> | "n: Int"
    "#]]
    .assert_eq(&shown);
}

#[test]
fn a_default_value_has_no_name_to_offer() {
    let text = "module m\n\ntype Metal = | Bare { slots: Int = 1 }\nfn row(labels: List<String> = []) -> Int = count(labels)\n\n";
    offers(
        &format!("{text}data x: Int = row‸\n"),
        9,
        &expect![[r#"
        row (3) fn row(labels: List<String> = []) -> Int
    "#]],
    );
    offers(
        &format!("{text}data x: Metal = Bare‸\n"),
        9,
        &expect![[r#"
        Bare (20) Bare { slots: Int = 1 }
        bare_marks (21) data bare_marks: List<Int>
    "#]],
    );
    // Elsewhere neither: a search for what is declared, and what an import offers.
    let mut editor = Editor::new(&[
        ("a.dag", &text.replace("module m", "module a")),
        ("m.dag", "module m\n"),
    ]);
    let found = editor
        .request("workspace/symbol", json!({ "query": "labels" }))
        .unwrap();
    assert_eq!(found.as_array().map_or(0, Vec::len), 0, "{found}");
    editor.open("m.dag");
    let importing = "module m\n\nimport a { ‸ }\n";
    editor.change("m.dag", importing);
    let at = editor.cursor("m.dag", importing);
    let answer = editor.request("textDocument/completion", at).unwrap();
    let labels = answer["items"].as_array().unwrap().iter();
    let mut labels: Vec<&str> = labels.map(|item| item["label"].as_str().unwrap()).collect();
    labels.sort_unstable();
    assert_eq!(labels, ["Bare", "Metal", "row"]);
}

#[test]
fn a_name_that_is_taken_is_named_beside_another_mistake() {
    let text =
        "module m\n\ndata wrong: Int = true\ndata first: Int = 1\ndata second: Int = fir‸st\n";
    let mut editor = Editor::new(&[("m.dag", "module m\n")]);
    editor.open("m.dag");
    editor.change("m.dag", text);
    let mut at = editor.cursor("m.dag", text);
    at["newName"] = json!("second");
    let refused = editor.request("textDocument/rename", at).unwrap_err();
    let message = refused["message"].as_str().unwrap();
    expect![
        "`first` cannot be renamed to `second`: …/m.dag:5:6: the name `second` is declared twice"
    ]
    .assert_eq(&message.replace(&editor.root.display().to_string(), "…"));
}
