//! `check` and `test` with `--format sarif`: what a forge takes.

use crate::common::Project;
use serde_json::Value;
use std::collections::BTreeSet;

/// A project of one module with two mistakes, below a folder.
fn mistaken() -> Project {
    let project = Project::empty();
    project.write("hayward.toml", "[project]\nname = \"x\"\n");
    project.write(
        "below/a.dag",
        "module a\n\ntype Door { wide: Int }\n\ndata ü𐐀: Door = Door { wid: 1 }\n\ndata b: Int = \"b\"\n",
    );
    project
}

fn log(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_mistake_is_a_result_with_a_place_in_the_project() {
    let project = mistaken();
    let run = project.run(&["check", "--format", "sarif"]).refused(&[]);
    assert!(run.err.is_empty(), "{}", run.all());
    let log = log(&run.out);
    let results = log["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 2, "{}", run.out);
    let first = &results[0];
    assert_eq!(first["ruleId"], "E0302");
    let place = &first["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "below/a.dag");
    assert_eq!(place["artifactLocation"]["uriBaseId"], "%SRCROOT%");
    // Characters are counted, not bytes or UTF-16 units.
    assert_eq!(place["region"]["startLine"], 5);
    assert_eq!(place["region"]["startColumn"], 24);
    assert_eq!(place["region"]["endColumn"], 27);
    let said = first["message"]["text"].as_str().unwrap();
    assert!(said.contains("did you mean `wide`?"), "{said}");
    let fix = &first["fixes"][0]["artifactChanges"][0];
    assert_eq!(fix["artifactLocation"], place["artifactLocation"]);
    assert_eq!(fix["replacements"][0]["deletedRegion"], place["region"]);
    assert_eq!(fix["replacements"][0]["insertedContent"]["text"], "wide");
    assert_eq!(
        first["relatedLocations"][0]["physicalLocation"]["region"]["startLine"],
        3
    );
}

#[test]
fn the_log_is_the_same_from_any_folder_and_after_lines_moved() {
    let project = mistaken();
    let here = project.run(&["check", "--format", "sarif"]).out;
    assert_eq!(here, project.run(&["check", "--format=sarif"]).out);
    let mut below = project.command(&["check", "--format", "sarif"]);
    let below = below.current_dir(project.path("below")).output().unwrap();
    assert_eq!(here, String::from_utf8(below.stdout).unwrap());

    let prints = |text: &str| -> BTreeSet<String> {
        let log = log(text);
        let results = log["runs"][0]["results"].as_array().unwrap().clone();
        let print = |r: &Value| r["partialFingerprints"].to_string();
        results.iter().map(print).collect()
    };
    project.edit("below/a.dag", "module a\n", "module a\n\n// A door.\n");
    let moved = project.run(&["check", "--format", "sarif"]).out;
    assert_ne!(here, moved);
    assert_eq!(prints(&here), prints(&moved));
}

#[test]
fn a_place_in_the_library_is_told_as_one() {
    let project = Project::empty();
    project.write(
        "a.dag",
        "module a\n\nimport host.policy { CancelRunning }\n\ndata x: CancelRunning = 1\n\nfn f(a: Int) -> Int { match first([a]) { Absent => 1 } }\n\ndata y: Int = f(b: 1)\n",
    );
    project.write("b.dag", "module host.policy\n");
    let run = project
        .run(&["check", ".", "--format", "sarif"])
        .refused(&[]);
    assert!(run.out.contains("\"HAYWARD_LIBRARY\""), "{}", run.out);
    assert!(!run.out.contains("built-in>"), "{}", run.out);
}

#[test]
fn nothing_found_is_an_empty_list() {
    let project = Project::starter();
    let run = project.run(&["check", "--format", "sarif"]).done();
    let log = log(&run.out);
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(log["runs"][0]["results"].as_array().unwrap().len(), 0);
    assert_eq!(
        log["runs"][0]["invocations"][0]["executionSuccessful"],
        true
    );
}

#[test]
fn a_witness_that_fails_is_a_result_too() {
    let project = Project::starter();
    project.write(
        "wrong_test.dag",
        "module wrong_test\n\ntest fn one_is_two() -> Bool { 1 == 2 }\n",
    );
    let run = project.run(&["test", "--format", "sarif"]).refused(&[]);
    let log_of_test = log(&run.out);
    let results = log_of_test["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["ruleId"], "E0702");
    // A model with a mistake is not run; the log has the mistake.
    let mistaken = mistaken().run(&["test", "--format", "sarif"]).refused(&[]);
    assert!(mistaken.out.contains("\"E0302\""), "{}", mistaken.out);
}

#[test]
fn a_run_that_could_not_be_carried_out_says_so_in_the_log() {
    let project = Project::empty();
    let run = project
        .run(&["check", "nowhere", "--format", "sarif"])
        .failed(&["there is no such root: nowhere"]);
    let log = log(&run.out);
    let invocation = &log["runs"][0]["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
}

#[test]
fn the_forms_are_one_choice() {
    let project = mistaken();
    let (_, short) = project.json(&["check"]);
    let long = project.run(&["check", "--format", "json"]).refused(&[]).out;
    assert_eq!(log(&long), short);
    assert_eq!(
        project.run(&["check", "--format", "text"]).err,
        project.run(&["check"]).err
    );
    project
        .run(&["check", "--json", "--format", "sarif"])
        .failed(&["cannot be used with"]);
    let bad = project.run(&["check", "--format", "json", "--nonsense"]);
    let said = log(&bad.failed(&[]).out);
    assert!(said["error"].as_str().unwrap().contains("--nonsense"));
}
