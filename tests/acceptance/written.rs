//! What the library writes, read back by others: PyYAML (YAML 1.1), saphyr (YAML 1.2),
//! serde_json, a shell, Python's configparser.

use crate::common::{Project, command};
use crate::yaml::{Node, read};
use dag_eval::quote;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Stdio;

/// Texts that a reader could take for something else.
const HOSTILE: &[&str] = &[
    "no",
    "NO",
    "No",
    "n",
    "N",
    "yes",
    "Yes",
    "y",
    "Y",
    "on",
    "ON",
    "off",
    "Off",
    "true",
    "True",
    "FALSE",
    "null",
    "Null",
    "NULL",
    "~",
    "",
    "0",
    "1",
    "-1",
    "+1",
    "1_000",
    "0o7",
    "0x1f",
    "017",
    "0b1",
    "1e3",
    "1.5",
    ".5",
    "5.",
    "1.",
    "-.inf",
    ".inf",
    ".nan",
    ".NaN",
    "1:30",
    "190:20:30",
    "1:30.5",
    "2024-01-01",
    "2001-12-14t21:59:43.10-05:00",
    "12:30:45",
    "=",
    "<<",
    "-",
    "- a",
    "?",
    "? a",
    ":",
    ": a",
    "a:",
    "a: b",
    "a :b",
    "#",
    "#a",
    "a #b",
    "a# b",
    " a",
    "a ",
    "  ",
    "\ta",
    "a\t",
    "a\tb",
    "&a",
    "*a",
    "!a",
    "!!str a",
    "|",
    ">",
    "|-",
    "%a",
    "@a",
    "`a`",
    "\"a\"",
    "'a'",
    "\"",
    "'",
    "[a]",
    "{a}",
    "{a: b}",
    "[",
    "]",
    "{",
    "}",
    ",",
    "a, b",
    "---",
    "--- a",
    "...",
    "\\",
    "\\n",
    "a\nb",
    "a\nb\n",
    "a\n\n",
    "\na",
    "\n",
    "a\n b\n",
    " a\nb",
    "a\n \nb",
    "a\r\nb",
    "a\rb",
    "a\u{85}b",
    "a\u{2028}b",
    "a\u{2029}b",
    "\u{feff}a",
    "a\u{feff}",
    "\u{0}",
    "\u{7}",
    "\u{1b}[0m",
    "\u{7f}",
    "\u{9f}",
    "\u{a0}a\u{a0}",
    "\u{200e}a",
    "\u{202e}a",
    "\u{ad}",
    "\u{fffd}",
    "\u{fffe}",
    "\u{ffff}",
    "\u{10000}",
    "\u{1fffe}",
    "\u{10ffff}",
    "é",
    "e\u{301}",
    "😀",
    "nul",
    "Infinity",
    "a # b: c\n# d\n---\n",
    "key: |\n  x\n",
    "# c\nb\n",
    "a\n...\nb",
    "a\n---\nb\n",
    "x\n\n\ny\n",
];

/// The pieces of which random texts are made.
const PIECES: &[&str] = &[
    "a", "b", "Z", "0", "7", " ", "  ", "\n", "\n\n", "\t", "\r", ":", ": ", "#", " #", "-", "- ",
    "?", "|", ">", "&", "*", "!", "%", "@", "`", "'", "\"", "\\", "[", "]", "{", "}", ",", "=",
    "<<", "~", ".", "/", "_", "é", "😀", "\u{85}", "\u{2028}", "\u{feff}", "\u{0}", "\u{202e}",
    "$", "${", ";", "(", ")", "+", "e", "x", "on", "no", "null",
];

/// The hostile texts, and a thousand random ones: the same in each run.
fn texts() -> Vec<String> {
    let mut state = 0x9E37_79B9_7F4A_7C15u64;
    let mut below = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n as u64) as usize
    };
    let mut texts: Vec<String> = HOSTILE.iter().map(|t| (*t).to_owned()).collect();
    for _ in 0..1_000 {
        let length = 1 + below(7);
        texts.push((0..length).map(|_| PIECES[below(PIECES.len())]).collect());
    }
    texts
}

/// What an expression over `texts.all` is, as JSON.
fn evaluated(texts: &[String], imports: &str, expression: &str) -> Value {
    let project = Project::empty();
    let mut model = format!("module texts\n\n{imports}\n\ndata all: List<String> = [\n");
    for text in texts {
        let _ = writeln!(model, "  {}", quote(text));
    }
    let _ = write!(model, "]\n\ndata written: String = {expression}\n");
    project.write("model/texts.dag", model);
    let run = project
        .run(&["--json", "eval", "model", "texts.written"])
        .done();
    serde_json::from_str(&run.out).unwrap()
}

fn written(texts: &[String], imports: &str, expression: &str) -> String {
    match evaluated(texts, imports, expression) {
        Value::String(text) => text,
        other => panic!("{other} is no text"),
    }
}

/// What a program says to an input.
fn asked(program: &str, args: &[&str], input: &str) -> String {
    let mut child = command(program)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} says: {err}");
    String::from_utf8(output.stdout).unwrap()
}

/// Whether Python has a module; says so where it has not.
#[allow(clippy::print_stdout)] // how `make test` learns that a test did not run
fn python_has(module: &str) -> bool {
    let found = command("python3")
        .args(["-c", &format!("import {module}")])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !found {
        println!("NOT RUN: Python's {module} is not installed, and reads nothing back");
    }
    found
}

const YAML: &str = "import std.yaml { Bare, Entry, Flag, Fraction, Mapping, Null, Number, Quoted, Sequence, Text, Yaml, document_text }";

/// Every text as an item, and as a key and its value.
fn yaml(style: &str, texts: &[String]) -> String {
    let tree = format!(
        "document_text(comments: [], texts: {style}, value: Mapping {{ entries: [
  Entry {{ key: \"items\", value: Sequence {{ items: map(all, t => Text {{ text: t }}) }} }}
  Entry {{ key: \"nested\", value: Sequence {{ items: map(all, t => Sequence {{ items: [Text {{ text: t }}, Mapping {{ entries: [Entry {{ key: \"k\", value: Text {{ text: t }} }}] }}] }}) }} }}
  Entry {{ key: \"keys\", value: Mapping {{ entries: map(unique(all), t => Entry {{ key: t, value: Text {{ text: t }} }}) }} }}
  Entry {{ key: \"others\", value: Sequence {{ items: [Null, Flag {{ value: true }}, Flag {{ value: false }}, Number {{ value: 0 }}, Number {{ value: -8 }}, Fraction {{ value: 0.1 }}, Fraction {{ value: -1000.0 }}, Sequence {{ items: [] }}, Mapping {{ entries: [] }}] }} }}
] }})"
    );
    written(texts, YAML, &tree)
}

#[test]
fn a_reader_of_yaml_1_1_sees_what_was_written() {
    if !python_has("yaml") {
        return;
    }
    let texts = texts();
    let keys: serde_json::Map<String, Value> =
        texts.iter().map(|t| (t.clone(), json!(t))).collect();
    let nested: Vec<Value> = texts.iter().map(|t| json!([t, { "k": t }])).collect();
    let wanted = json!({
        "items": texts,
        "nested": nested,
        "keys": keys,
        "others": [null, true, false, 0, -8, 0.1, -1000.0, [], {}],
    });
    for style in ["Bare", "Quoted"] {
        let text = yaml(style, &texts);
        let script = "import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin.buffer.read().decode('utf-8')), sys.stdout)";
        let seen: Value = serde_json::from_str(&asked("python3", &["-c", script], &text)).unwrap();
        assert_eq!(seen, wanted, "{style}");
    }
}

/// What a word without quotes is in the core schema: YAML 1.2.2, 10.3.2.
fn core_schema(word: &str) -> &'static str {
    let digits = |text: &str, of: &str| !text.is_empty() && text.chars().all(|c| of.contains(c));
    const DECIMAL: &str = "0123456789";
    let unsigned = word.strip_prefix(['-', '+']).unwrap_or(word);
    let float = || {
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, Some(exponent)),
            None => (unsigned, None),
        };
        let exponent =
            exponent.is_none_or(|e| digits(e.strip_prefix(['-', '+']).unwrap_or(e), DECIMAL));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let parts = whole.is_empty() || digits(whole, DECIMAL);
        exponent
            && parts
            && (fraction.is_empty() || digits(fraction, DECIMAL))
            && mantissa.chars().any(|c| c.is_ascii_digit())
    };
    match word {
        "" | "~" | "null" | "Null" | "NULL" => "null",
        "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => "bool",
        _ if digits(unsigned, DECIMAL) => "int",
        _ if word
            .strip_prefix("0o")
            .is_some_and(|w| digits(w, "01234567")) =>
        {
            "int"
        }
        _ if word
            .strip_prefix("0x")
            .is_some_and(|w| digits(w, "0123456789abcdefABCDEF")) =>
        {
            "int"
        }
        _ if [".inf", ".Inf", ".INF"].contains(&unsigned) => "float",
        ".nan" | ".NaN" | ".NAN" => "float",
        _ if float() => "float",
        _ => "text",
    }
}

fn text_of(node: &Node) -> &str {
    match node {
        Node::Text(text) => text,
        Node::Plain(word) => {
            assert_eq!(core_schema(word), "text", "{word:?} stands bare");
            word
        }
        other => panic!("{other:?} is no text"),
    }
}

#[test]
fn a_reader_of_yaml_1_2_sees_what_was_written() {
    let texts = texts();
    for style in ["Bare", "Quoted"] {
        let document = read(&yaml(style, &texts));
        let Node::List(items) = document.get("items") else {
            panic!("no list");
        };
        let seen: Vec<&str> = items.iter().map(text_of).collect();
        assert_eq!(seen, texts, "{style}");
        let Node::Map(entries) = document.get("keys") else {
            panic!("no mapping");
        };
        for (key, value) in entries {
            assert_eq!(key, text_of(value), "{style}");
        }
        let unique: std::collections::BTreeSet<&String> = texts.iter().collect();
        assert_eq!(entries.len(), unique.len());
        let Node::List(others) = document.get("others") else {
            panic!("no list");
        };
        let kinds: Vec<&str> = others
            .iter()
            .map(|node| match node {
                Node::Plain(word) => core_schema(word),
                Node::List(items) if items.is_empty() => "[]",
                Node::Map(entries) if entries.is_empty() => "{}",
                other => panic!("{other:?}"),
            })
            .collect();
        let wanted = [
            "null", "bool", "bool", "int", "int", "float", "float", "[]", "{}",
        ];
        assert_eq!(kinds, wanted);
    }
}

#[test]
fn a_reader_of_json_sees_what_was_written() {
    let texts = texts();
    for function in ["json_text", "json_pretty"] {
        let text = written(
            &texts,
            "import std.json { JsonArray, JsonObject, JsonString, json_pretty, json_text }",
            &format!(
                "{function}(JsonArray([JsonArray(map(all, t => JsonString(t))), JsonObject(map_from_entries(map(all, t => Pair {{ first: t, second: JsonString(t) }})))]))"
            ),
        );
        let seen: Value = serde_json::from_str(&text).unwrap();
        let keys: serde_json::Map<String, Value> =
            texts.iter().map(|t| (t.clone(), json!(t))).collect();
        assert_eq!(seen, json!([texts, keys]), "{function}");
    }
}

/// Whether two values are one. serde_json may miss the nearest Float by one.
fn alike(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) if a.is_f64() || b.is_f64() => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            (a - b).abs() <= b.abs() * f64::EPSILON
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| alike(a, b)))
        }
        _ => a == b,
    }
}

/// Each text is JSON to the library if, and only if, it is to serde_json; but for what it
/// refuses and serde_json does not: keys that stand twice, whole numbers past 64 bits.
#[test]
fn the_library_reads_the_json_that_others_read() {
    let pieces = [
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "\"a\"",
        "\"\"",
        "\"\\u00e9\"",
        "\"\\ud83d\\ude00\"",
        "\"\\ud83d\"",
        "\"\\x\"",
        "\"",
        "1",
        "0",
        "-1",
        "1.5",
        "01",
        "1e5",
        "-",
        "1.",
        "true",
        "false",
        "null",
        "nul",
        " ",
        "\n",
        "\t",
        "\u{a0}",
        "é",
        "\"\t\"",
    ];
    let whole = [
        "[]",
        "{}",
        "[1]",
        "{\"a\":1}",
        "[1,2,[3,{\"a\":[null]}]]",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
        "1e-7",
        "-0.0",
        "123456789.125",
        "[1,]",
        "{\"a\":1,}",
        "{\"a\"}",
        "{1:2}",
        "[1 2]",
        "",
        " ",
        "//",
        "[",
        "]",
        "\"\u{7f}\"",
        "\"\u{2028}\"",
        "{\"a\":{\"a\":1}}",
        "9223372036854775807",
        "-9223372036854775808",
    ];
    let mut state = 7u64;
    let mut below = |n: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % n as u64) as usize
    };
    let mut texts: Vec<String> = whole.iter().map(|t| (*t).to_owned()).collect();
    for _ in 0..3_000 {
        let length = 1 + below(6);
        texts.push((0..length).map(|_| pieces[below(pieces.len())]).collect());
    }
    let seen = written(
        &texts,
        "import std.json { json_text, parse_json }",
        "join(map(all, t => unwrap_or(map(parse_json(t), j => json_text(j)), \"refused\")), \"\\u{1e}\")",
    );
    let mut read = 0;
    for (text, seen) in texts.iter().zip(seen.split('\u{1e}')) {
        let twice = text.matches("\"a\":").count() > 1 || text.matches("\"\":").count() > 1;
        match serde_json::from_str::<Value>(text) {
            Ok(value) => {
                if seen == "refused" && twice {
                    continue;
                }
                let again: Value =
                    serde_json::from_str(seen).unwrap_or_else(|_| panic!("{text:?} is refused"));
                assert!(alike(&again, &value), "{text:?} is read as {seen}");
                read += 1;
            }
            Err(_) => assert_eq!(seen, "refused", "{text:?}"),
        }
    }
    assert!(read > 100, "{read} are JSON at all");
}

#[test]
fn a_shell_sees_the_words_that_were_written() {
    let texts: Vec<String> = texts().into_iter().filter(|t| !t.contains('\0')).collect();
    let line = written(
        &texts,
        "import std.shell { command_line }",
        "command_line([\"printf\", \"%s\\u{1}\"] + all)",
    );
    let seen = asked("sh", &["-s"], &line);
    let seen: Vec<&str> = seen.split_terminator('\u{1}').collect();
    assert_eq!(seen, texts);
}

#[test]
fn a_reader_of_ini_sees_what_was_written() {
    if !python_has("configparser") {
        return;
    }
    let texts = texts();
    let text = written(
        &texts,
        "import std.ini { Ini, IniEntry, IniValue, Section, ini_text, plain_value }",
        "ini_text(Ini { sections: map(enumerate(filter(all, t => plain_value(t))), e => Section { name: \"s\" + to_string(e.first), entries: [IniEntry { key: \"k\", value: e.second }] }) })",
    );
    let script = "import configparser, json, sys
p = configparser.ConfigParser()
p.read_string(sys.stdin.buffer.read().decode('utf-8'))
json.dump([p[s]['k'] for s in p.sections()], sys.stdout)";
    let seen: Vec<String> =
        serde_json::from_str(&asked("python3", &["-c", script], &text)).unwrap();
    assert!(seen.len() > 100, "{}", seen.len());
    // What is left out is left out because a reader would take it for something else.
    let mut all = texts.iter();
    for value in &seen {
        assert!(all.any(|text| text == value), "{value:?} was not written");
    }
}
