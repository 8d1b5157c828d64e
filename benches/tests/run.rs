//! The runner as a person meets it: a program that gives another outcome is told of and ends the
//! run with 1, and a peer that is not there has its row and the reason.
#![allow(missing_docs, clippy::unwrap_used)] // a stand-in that cannot be written fails the test

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

/// Runs the start-up cases with a stand-in for the program; peers are looked for in `cache`.
fn run(folder: &Path, stand_in: &str, only: &str) -> Output {
    let program = folder.join("hayward");
    fs::write(&program, format!("#!/bin/sh\n{stand_in}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    Command::new(env!("CARGO_BIN_EXE_hayward-benches"))
        .args(["run", "--smoke", "--repetitions", "1", "--only", only])
        .arg("--hayward")
        .arg(&program)
        .env("HAYWARD_CACHE", folder)
        .output()
        .unwrap()
}

fn row<'a>(report: &'a str, program: &str) -> &'a str {
    let program = format!("| {program} |");
    report.lines().find(|l| l.contains(&program)).unwrap()
}

#[test]
fn the_right_outcome_is_timed_and_a_missing_peer_is_listed() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), "echo '{ \"value\": 42 }'", "start-up");
    let report = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{report}");
    let own = row(&report, "Hayward");
    assert!(own.contains(" ms (") && own.contains("| 1.00 |"), "{own}");
    assert!(row(&report, "Pkl").contains("failed: not installed: benches/peers/install pkl"));
    assert!(report.contains("- CUE: "));
    assert!(report.contains("keeps no store"));
}

#[test]
fn another_outcome_is_not_timed_and_ends_the_run_with_1() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), "echo '{ \"value\": 41 }'", "start-up");
    let report = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{report}");
    let own = row(&report, "Hayward");
    assert!(own.contains("**other outcome**: $.value differs"), "{own}");
    assert!(!own.contains(" ms"), "{own}");
}

#[test]
fn each_state_of_the_store_is_what_it_is_called() {
    let folder = tempfile::tempdir().unwrap();
    // Leaves a mark in its store and a note of what it saw. 336 witnesses are those of the small
    // corpus.
    let stand_in = r#"
state=${HAYWARD_STORE##*/}
seen=$(find "$2" -name '*.dag' | sort | xargs cat | cksum)
if [ -e "$HAYWARD_STORE/mark" ]; then store=full; else store=empty; fi
echo "$state $store $seen" >>"$0.notes"
[ "$state" = off ] || { mkdir -p "$HAYWARD_STORE" && touch "$HAYWARD_STORE/mark"; }
echo 'no mistakes; 336 passed, 0 failed'
"#;
    let output = run(folder.path(), stand_in, "corpus");
    let report = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{report}");
    assert!(!report.contains("failed:"), "{report}");
    assert!(!report.contains("keeps no store"), "{report}");
    let notes = fs::read_to_string(folder.path().join("hayward.notes")).unwrap();
    // The first run of a case is the one that is checked; the second is timed.
    let runs = |state: &str| -> Vec<(&str, &str)> {
        notes
            .lines()
            .map(|line| line.splitn(3, ' ').collect::<Vec<_>>())
            .filter(|words| words[0] == state)
            .map(|words| (words[1], words[2]))
            .take(2)
            .collect()
    };
    for command in ["check", "test"] {
        let state = |name: &str| runs(&format!("corpus-{command}-{name}"));
        let (cold, unchanged, edited) = (state("Cold"), state("Unchanged"), state("LeafEdited"));
        assert_eq!([cold[0].0, cold[1].0], ["empty", "empty"]);
        assert_eq!([unchanged[0].0, unchanged[1].0], ["empty", "full"]);
        assert_eq!([edited[0].0, edited[1].0], ["empty", "full"]);
        assert_eq!(unchanged[0].1, unchanged[1].1);
        assert_ne!(edited[0].1, edited[1].1);
    }
    assert_eq!(runs("off").len(), 2);
}

#[test]
fn a_part_that_does_not_exist_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let output = run(folder.path(), "true", "fleet,flet");
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "error: there is no part flet; there are: fleet, corpus, chain, diamond, format, start-up\n"
    );
}
