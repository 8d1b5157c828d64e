//! Findings in, a log out.
#![allow(clippy::unwrap_used)] // what fails a test fails it

use dag_sarif::{Found, Place, failure, findings};
use dag_syntax::{Code, Diagnostic, Edit, Location, SourceId, Sources, Span};
use expect_test::expect;
use serde_json::Value;

fn place(path: &str) -> Place {
    match path.strip_prefix("<built-in>/") {
        Some(path) => Place::Library(path.into()),
        None if path.starts_with('/') => Place::Elsewhere(path.into()),
        None => Place::Project(path.into()),
    }
}

fn log(diagnostics: &[Diagnostic], sources: &Sources) -> Value {
    let found = Found {
        diagnostics,
        sources,
    };
    serde_json::to_value(findings(found, "1.2.3", &place)).unwrap()
}

fn results(log: &Value) -> &Vec<Value> {
    log["runs"][0]["results"].as_array().unwrap()
}

/// Where a text stands in a source, the first time.
fn at(sources: &Sources, source: SourceId, text: &str) -> Location {
    let start = sources.get(source).text.find(text).unwrap() as u32;
    Location {
        source,
        span: Span::new(start, start + text.len() as u32),
    }
}

fn unknown(sources: &Sources, source: SourceId, name: &str) -> Diagnostic {
    let message = format!("`{name}` is not known");
    Diagnostic::error(Code::UnknownName, at(sources, source, name), message)
}

#[test]
fn a_finding_has_its_rule_its_place_its_reason_and_its_cure() {
    let mut sources = Sources::default();
    let own = sources.add("a b/ü.dag", "module a\ndata x: Int = \"𝄞\" + nme\n");
    let library = sources.add("<built-in>/std/types.dag", "module std.types\ntype Int\n");
    let found = unknown(&sources, own, "nme")
        .here("here")
        .other(at(&sources, library, "Int"), "declared here")
        .note("because {x} [y](z)")
        .cure("did you mean `name`?");
    let log = log(&[found], &sources);
    expect![[r#"
        {
          "level": "error",
          "locations": [
            {
              "physicalLocation": {
                "artifactLocation": {
                  "uri": "a%20b/%C3%BC.dag",
                  "uriBaseId": "%SRCROOT%"
                },
                "region": {
                  "endColumn": 24,
                  "endLine": 2,
                  "startColumn": 21,
                  "startLine": 2
                }
              }
            }
          ],
          "message": {
            "text": "`nme` is not known.\nhere.\nbecause {{x}} \\[y\\](z).\ndid you mean `name`?"
          },
          "partialFingerprints": {
            "haywardFinding/v1": "82c10bbe612abc577f95e806f773b232:1"
          },
          "relatedLocations": [
            {
              "id": 0,
              "message": {
                "text": "declared here"
              },
              "physicalLocation": {
                "artifactLocation": {
                  "uri": "std/types.dag",
                  "uriBaseId": "HAYWARD_LIBRARY"
                },
                "region": {
                  "endColumn": 9,
                  "endLine": 2,
                  "startColumn": 6,
                  "startLine": 2
                }
              }
            }
          ],
          "ruleId": "E0206",
          "ruleIndex": 17
        }"#]]
    .assert_eq(&serde_json::to_string_pretty(&results(&log)[0]).unwrap());
}

#[test]
fn every_rule_is_told_with_its_sentence_and_where_its_page_is() {
    let log = log(&[], &Sources::default());
    let driver = &log["runs"][0]["tool"]["driver"];
    assert_eq!(driver["name"], "hayward");
    assert_eq!(driver["version"], "1.2.3");
    let rules = driver["rules"].as_array().unwrap();
    assert_eq!(rules.len(), Code::ALL.len());
    for (rule, code) in rules.iter().zip(Code::ALL) {
        assert_eq!(rule["id"], code.as_str());
        let told = rule["shortDescription"]["text"].as_str().unwrap();
        assert_eq!(told.replace("{{", "{").replace("}}", "}"), code.rule());
        let help = rule["help"]["text"].as_str().unwrap();
        assert!(help.ends_with(&format!(
            "`hayward explain {code}` shows an example and its cure."
        )));
        let level = &rule["defaultConfiguration"]["level"];
        let warning = code.as_str().starts_with('W');
        assert_eq!(level, if warning { "warning" } else { "error" });
    }
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(log["runs"][0]["columnKind"], "unicodeCodePoints");
    assert_eq!(
        log["runs"][0]["invocations"][0]["executionSuccessful"],
        true
    );
    assert_eq!(
        results(&log).len(),
        0,
        "an empty list says that nothing was found"
    );
}

#[test]
fn the_rule_of_a_finding_is_the_one_at_its_index() {
    let mut sources = Sources::default();
    let source = sources.add("a.dag", "x");
    let all: Vec<Diagnostic> = Code::ALL
        .iter()
        .map(|code| Diagnostic::error(*code, at(&sources, source, "x"), "wrong"))
        .collect();
    let log = log(&all, &sources);
    let rules = &log["runs"][0]["tool"]["driver"]["rules"];
    for result in results(&log) {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
}

#[test]
fn an_exact_cure_is_a_fix_of_each_file_that_it_edits() {
    let mut sources = Sources::default();
    let a = sources.add("a.dag", "module a\ndata x: Int = nme\n");
    let b = sources.add("b.dag", "module b\n");
    let edit = |at, text: &str| Edit {
        at,
        text: text.into(),
    };
    let end = Location {
        source: a,
        span: Span::new(8, 8),
    };
    let edits = vec![
        edit(at(&sources, a, "nme"), "{name}"),
        edit(at(&sources, b, "b"), "c"),
        edit(end, "\nimport b"),
    ];
    let found = unknown(&sources, a, "nme").fix("Import `{name}`", edits);
    let log = log(&[found], &sources);
    expect![[r#"[{"artifactChanges":[{"artifactLocation":{"uri":"a.dag","uriBaseId":"%SRCROOT%"},"replacements":[{"deletedRegion":{"endColumn":9,"endLine":1,"startColumn":9,"startLine":1},"insertedContent":{"text":"\nimport b"}},{"deletedRegion":{"endColumn":18,"endLine":2,"startColumn":15,"startLine":2},"insertedContent":{"text":"{name}"}}]},{"artifactLocation":{"uri":"b.dag","uriBaseId":"%SRCROOT%"},"replacements":[{"deletedRegion":{"endColumn":9,"endLine":1,"startColumn":8,"startLine":1},"insertedContent":{"text":"c"}}]}],"description":{"text":"Import `{{name}}`."}}]"#]].assert_eq(&serde_json::to_string(&results(&log)[0]["fixes"]).unwrap());
}

fn fingerprints(text: &str) -> Vec<String> {
    let mut sources = Sources::default();
    let source = sources.add("a.dag", text);
    let places = text.match_indices("nme").map(|(start, name)| Location {
        source,
        span: Span::new(start as u32, (start + name.len()) as u32),
    });
    let found: Vec<Diagnostic> = places
        .map(|at| Diagnostic::error(Code::UnknownName, at, "`nme` is not known"))
        .collect();
    let log = log(&found, &sources);
    let print = |r: &Value| {
        let print = &r["partialFingerprints"]["haywardFinding/v1"];
        print.as_str().unwrap().to_owned()
    };
    results(&log).iter().map(print).collect()
}

#[test]
fn a_fingerprint_stays_when_lines_move_and_goes_when_the_line_changes() {
    let before = fingerprints("module a\ndata x: Int = nme\n");
    assert_eq!(
        fingerprints("module a\n// More.\n\n  data x: Int = nme\r\n"),
        before
    );
    assert_ne!(fingerprints("module a\ndata y: Int = nme\n"), before);
}

#[test]
fn two_equal_findings_have_two_fingerprints() {
    let both = fingerprints("module a\ndata x: Int = nme + nme\n");
    assert_eq!(both.len(), 2);
    assert_ne!(both[0], both[1]);
}

#[test]
fn a_place_outside_of_the_project_is_told_whole() {
    let mut sources = Sources::default();
    let source = sources.add("/else where/a:b.dag", "x");
    let log = log(&[unknown(&sources, source, "x")], &sources);
    let told = &results(&log)[0]["locations"][0]["physicalLocation"]["artifactLocation"];
    assert_eq!(told["uri"], "file:///else%20where/a%3Ab.dag");
    assert!(told["uriBaseId"].is_null());
}

#[test]
fn what_could_not_be_carried_out_says_so() {
    let log = serde_json::to_value(failure("there is no such root: x", "1.2.3")).unwrap();
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let said = &invocation["toolExecutionNotifications"][0];
    assert_eq!(said["message"]["text"], "there is no such root: x.");
    assert_eq!(said["level"], "error");
}
