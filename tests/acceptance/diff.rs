//! `hayward diff`: what differs in the rendered files between two revisions, and why.

use crate::common::{HAYWARD, Project, Run, WORKFLOW, command, set_mode};
use expect_test::expect;
use serde_json::Value;
use std::fs;
use std::process::Command;

/// Runs git in a folder of the project.
fn git_in(project: &Project, folder: &str, words: &[&str]) {
    let mut git = command("git");
    git.args(["-c", "user.name=A", "-c", "user.email=a@b.example"])
        .args([
            "-c",
            "init.defaultBranch=main",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(words)
        .current_dir(project.path(folder));
    let output = git.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "git {words:?}: {said}");
}

fn commit(project: &Project, tag: &str) {
    git_in(project, ".", &["add", "--all"]);
    git_in(
        project,
        ".",
        &["commit", "--quiet", "--allow-empty", "-m", tag],
    );
    git_in(project, ".", &["tag", tag]);
}

/// The starter in a repository, with its first commit tagged `one`.
fn starter() -> Project {
    let project = Project::starter();
    git_in(&project, ".", &["init", "--quiet"]);
    commit(&project, "one");
    project
}

fn commons() -> Project {
    let project = Project::commons();
    git_in(&project, ".", &["init", "--quiet"]);
    commit(&project, "one");
    project
}

/// Of each file that differs: its path, and the names of what causes it.
fn causes(answer: &Value) -> Vec<(String, Vec<String>)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let files = answer["files"].as_array().unwrap();
    files
        .iter()
        .map(|file| {
            let causes = file["causes"].as_array().unwrap().iter();
            let name = |c: &Value| format!("{}.{}", text(&c["module"]), text(&c["name"]));
            (text(&file["path"]), causes.map(name).collect())
        })
        .collect()
}

#[test]
fn a_changed_limit_differs_in_its_file_and_the_line_behind_it_is_told() {
    let project = starter();
    project.edit(
        "units.dag",
        "module fleet.units\n",
        "module fleet.units\n\n",
    );
    project.change_limit(9);
    let run = project.untouched(|p| p.run(&["diff", "one"]).done());
    expect![[r#"
        ~ rendered/builder/etc/systemd/system/actions-runner@.service.d/20-memory.conf  +1 -1
          because data fleet.units.memory_limit  one:units.dag:47 → units.dag:48
        --- one:rendered/builder/etc/systemd/system/actions-runner@.service.d/20-memory.conf
        +++ rendered/builder/etc/systemd/system/actions-runner@.service.d/20-memory.conf
        @@ -1,4 +1,4 @@
         # Rendered by Hayward from the fleet's model; a change made here is drift.
 
         [Service]
        -MemoryMax=8589934592
        +MemoryMax=9663676416
        1 rendered file differs: +1 -1
    "#]]
    .assert_eq(&run.out.replace("\n \n", "\n\n"));
    expect![[r#"
        ~ rendered/builder/etc/systemd/system/actions-runner@.service.d/20-memory.conf  +1 -1
          because data fleet.units.memory_limit  one:units.dag:47 → units.dag:48
        1 rendered file differs: +1 -1
    "#]]
    .assert_eq(&project.run(&["diff", "--stat", "one"]).done().out);
}

#[test]
fn two_revisions_are_compared_without_the_files_as_they_are() {
    let project = starter();
    project.change_limit(9);
    commit(&project, "two");
    project.write("units.dag", "this is no module\n");
    let forth = project.untouched(|p| p.run(&["diff", "one", "two"]).done());
    assert!(
        forth
            .out
            .contains("\n-MemoryMax=8589934592\n+MemoryMax=9663676416\n"),
        "{}",
        forth.all()
    );
    let back = project.run(&["diff", "two", "one"]).done().out;
    assert!(
        back.contains("\n-MemoryMax=9663676416\n+MemoryMax=8589934592\n"),
        "{back}"
    );
    // A revision by any of its names.
    let named = project.run(&["diff", "HEAD~1", "HEAD"]).done().out;
    assert_eq!(
        named.replace("HEAD~1:", "one:").replace("HEAD:", "two:"),
        forth.out
    );
    // The files as they are have a mistake.
    project
        .run(&["diff", "two"])
        .refused(&["units.dag:1:1: error[E0109]"]);
}

#[test]
fn the_exit_code_tells_whether_anything_differs_if_that_is_asked() {
    let project = starter();
    let same = project.run(&["diff", "one", "--exit-code"]).done();
    assert_eq!(same.out, "no rendered file differs\n");
    project.change_limit(9);
    project.run(&["diff", "one"]).done();
    project
        .run(&["diff", "one", "--exit-code"])
        .refused(&["1 rendered file differs"]);
}

#[test]
fn another_layout_and_other_annotations_are_no_difference() {
    let project = starter();
    let units = project.read("units.dag");
    project.write(
        "units.dag",
        units.replace("\n\n//", "\n\n\n// And more.\n//"),
    );
    project.run(&["fmt"]).done();
    assert_ne!(project.read("units.dag"), units);
    assert_eq!(
        project.run(&["diff", "one"]).done().out,
        "no rendered file differs\n"
    );
}

#[test]
fn each_file_has_its_own_causes() {
    let project = commons();
    project.edit("ci.dag", "timeout: 180", "timeout: 170");
    project.edit("ci.dag", "\"check-\"", "\"checks-\"");
    project.edit(
        "units.dag",
        "swap_max: gibibytes(count: 32)",
        "swap_max: gibibytes(count: 31)",
    );
    project.edit("units.dag", "\"310417\"", "\"310418\"");
    let (_, answer) = project.json(&["diff", "one"]);
    let found = causes(&answer);
    // One workflow, and two files of each of four hosts.
    assert_eq!(found.len(), 9, "{found:?}");
    for (path, causes) in found {
        let expected: &[&str] = match path.rsplit('/').next().unwrap() {
            "check.yml" => &["commons.ci.check_workflow", "commons.ci.run_group"],
            "30-swap.conf" => &["commons.units.slot_limits"],
            "actions-runner@.service" => &["commons.units.host_runner"],
            other => panic!("{other}"),
        };
        assert_eq!(causes, expected, "{path}");
    }
}

#[test]
fn two_changes_of_which_each_would_do_are_both_told() {
    let project = starter();
    // Whichever is put back, the text says nine.
    project.edit(
        "units.dag",
        "gibibytes(count: 8)",
        "gibibytes(count: larger(9, least))",
    );
    let units = project.read("units.dag");
    let text =
        "\ndata least: Int = 1\n\nfn larger(a: Int, b: Int) -> Int { if a > b { a } else { b } }\n";
    project.write("units.dag", format!("{units}{text}"));
    commit(&project, "two");
    project.edit("units.dag", "larger(9, least)", "larger(10, least)");
    project.edit("units.dag", "least: Int = 1", "least: Int = 10");
    let (_, answer) = project.json(&["diff", "two"]);
    let [(_, names)] = causes(&answer).try_into().unwrap();
    assert_eq!(names, ["fleet.units.least", "fleet.units.memory_limit"]);
}

#[test]
fn a_name_that_comes_from_elsewhere_is_told_by_its_import() {
    let project = starter();
    project.write("wide.dag", "module wide\n\ndata limit: Int = 9\n");
    project.write("narrow.dag", "module narrow\n\ndata limit: Int = 7\n");
    project.edit(
        "units.dag",
        "import std.measure",
        "import narrow { limit }\nimport std.measure",
    );
    project.edit(
        "units.dag",
        "gibibytes(count: 8)",
        "gibibytes(count: limit)",
    );
    commit(&project, "two");
    project.edit("units.dag", "import narrow", "import wide");
    let text = project.run(&["diff", "--stat", "two"]).done().out;
    assert!(
        text.contains("  because import wide in fleet.units  new at units.dag:4\n"),
        "{text}"
    );
    assert!(
        text.contains("  because import narrow in fleet.units  gone from two:units.dag:4\n"),
        "{text}"
    );
}

#[test]
fn what_a_change_brings_with_it_is_told_and_what_it_does_not_is_not() {
    let project = starter();
    project.change_limit(9);
    let units = project.read("units.dag");
    let units = units.replace("gibibytes(count: 9)", "gibibytes(count: widest)");
    let units = format!("{units}\ndata widest: Int = 9\n\ndata unused: Int = 10\n");
    project.write("units.dag", units);
    let (_, answer) = project.json(&["diff", "one"]);
    let [(_, names)] = causes(&answer).try_into().unwrap();
    assert_eq!(names.len(), 2, "{names:?}");
    assert!(
        names.contains(&"fleet.units.widest".to_owned()),
        "{names:?}"
    );
    let causes = answer["files"][0]["causes"].as_array().unwrap();
    let widest = causes.iter().find(|c| c["name"] == "widest").unwrap();
    assert!(widest["before"].is_null());
    assert_eq!(widest["after"]["file"], "units.dag");
    let back = project.run(&["diff", "one", "--stat"]).done().out;
    assert!(
        back.contains("because data fleet.units.widest  new at units.dag:"),
        "{back}"
    );
}

#[test]
fn files_come_and_go() {
    let project = commons();
    project.edit("fleet.dag", "name: \"check\"", "name: \"checks\"");
    let (_, answer) = project.json(&["diff", "one"]);
    let files = answer["files"].as_array().unwrap();
    let row = |i: usize| {
        let file = &files[i];
        let text = |key: &str| file[key].as_str().unwrap().to_owned();
        (text("path"), text("change"))
    };
    assert_eq!(files.len(), 2);
    assert_eq!(row(0), (WORKFLOW.to_owned(), "removed".to_owned()));
    assert_eq!(
        row(1),
        (
            ".github/workflows/checks.yml".to_owned(),
            "created".to_owned()
        )
    );
    let text = project.run(&["diff", "one"]).done().out;
    assert!(
        text.contains(&format!("--- one:{WORKFLOW}\n+++ /dev/null\n")),
        "{text}"
    );
    assert_eq!(causes(&answer)[0].1, ["commons.fleet.artifacts_of"]);
    assert_eq!(answer["before"]["revision"], "one");
    assert_eq!(answer["before"]["commit"].as_str().unwrap().len(), 40);
    assert!(answer["after"]["revision"].is_null());
}

#[test]
fn a_project_in_a_folder_of_its_repository() {
    let project = Project::empty();
    let starter = Project::starter();
    fs::create_dir(project.path("models")).unwrap();
    for name in [
        "ci.dag",
        "hosts.dag",
        "main.dag",
        "units.dag",
        "hayward.toml",
    ] {
        project.write(format!("models/x/{name}"), starter.read(name));
    }
    // Not of the project: elsewhere, hidden, or built.
    project.write("models/other.dag", "no module\n");
    project.write("models/x/.hidden/a.dag", "no module\n");
    project.write("models/x/target/a.dag", "no module\n");
    git_in(&project, ".", &["init", "--quiet"]);
    commit(&project, "one");
    project.edit(
        "models/x/units.dag",
        "gibibytes(count: 8)",
        "gibibytes(count: 9)",
    );
    let mut diff = project.command(&["diff", "--stat", "one"]);
    let output = diff.current_dir(project.path("models/x")).output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(said.contains("  one:models/x/units.dag:"), "{said}");
    let run = project.run(&["diff", "--stat", "one", "--project", "models/x"]);
    assert!(run.done().out.contains("one:models/x/units.dag:"));
}

#[test]
fn a_revision_that_cannot_be_read_is_refused() {
    let project = starter();
    project
        .run(&["diff", "nowhere"])
        .failed(&["there is no revision `nowhere`"]);
    project
        .run(&["diff", "one", "one:units.dag"])
        .failed(&["there is no revision `one:units.dag`"]);
    project
        .run(&["diff", "--", "--all"])
        .failed(&["there is no revision `--all`"]);

    project.write("more.dag", "module more\n\ndata x: Int = \"\"\n");
    commit(&project, "wrong");
    project.remove("more.dag");
    let run = project.untouched(|p| p.run(&["diff", "wrong"]));
    run.refused(&["wrong:more.dag:3:15: error[E0301]"]);
    let (code, answer) = project.json(&["diff", "wrong"]);
    assert_eq!(code, 1);
    assert_eq!(answer["diagnostics"][0]["place"]["path"], "wrong:more.dag");

    let manifest = project.read("hayward.toml");
    project.remove("hayward.toml");
    commit(&project, "none");
    project.write("hayward.toml", &manifest);
    project
        .run(&["diff", "none"])
        .failed(&["there is no none:hayward.toml"]);
    project.write(
        "hayward.toml",
        manifest.replace("roots = [\".\"]", "roots = [\"..\"]"),
    );
    commit(&project, "outside");
    project.write(
        "hayward.toml",
        manifest.replace("roots = [\".\"]", "roots = [\"hosts\"]"),
    );
    commit(&project, "empty");
    project.write("hayward.toml", &manifest);
    project
        .run(&["diff", "outside"])
        .failed(&["the root `..` of outside:hayward.toml is outside of the repository"]);
    project
        .run(&["diff", "empty"])
        .failed(&["there is no .dag file below the root `hosts` of empty:hayward.toml"]);
    project.link("linked.dag", "units.dag");
    commit(&project, "link");
    project.remove("linked.dag");
    project
        .run(&["diff", "link"])
        .failed(&["link:linked.dag is a symbolic link"]);
    project.run(&["diff", "one"]).done();
}

#[test]
fn outside_of_a_repository_there_is_nothing_to_compare_with() {
    let project = Project::starter();
    project
        .run(&["diff", "HEAD"])
        .failed(&["is in no git repository that can be read"]);
    // Not by way of `timeout`, which could not be found either.
    let mut without = Command::new(HAYWARD);
    without.args(["diff", "HEAD"]).current_dir(project.root());
    let output = without.env("PATH", project.path("nowhere")).output();
    let said = String::from_utf8(output.unwrap().stderr).unwrap();
    assert!(said.contains("git cannot be started"), "{said}");
}

#[test]
fn a_git_that_hangs_is_not_waited_for() {
    let project = starter();
    project.write("../bin/git", "#!/bin/sh\nsleep 20 &\nwait\n");
    set_mode(&project.beside("bin/git"), 0o755);
    let path = format!("{}:/usr/bin:/bin", project.beside("bin").display());
    let mut diff = project.command(&["diff", "one"]);
    let run = Run::of(diff.env("PATH", path).output().unwrap(), "diff one");
    run.failed(&["git did not say within 10 s"]);
}

#[test]
fn a_root_named_as_an_option_of_git_is_a_folder() {
    let project = Project::starter();
    project.edit(
        "hayward.toml",
        "roots = [\".\"]",
        "roots = [\"-d\", \"--name-only\"]",
    );
    fs::create_dir(project.path("-d")).unwrap();
    fs::create_dir(project.path("--name-only")).unwrap();
    for entry in fs::read_dir(project.root()).unwrap() {
        let name = entry.unwrap().file_name();
        let name = name.to_str().unwrap();
        if name.ends_with(".dag") {
            let folder = if name == "units.dag" {
                "-d"
            } else {
                "--name-only"
            };
            fs::rename(project.path(name), project.path(folder).join(name)).unwrap();
        }
    }
    git_in(&project, ".", &["init", "--quiet"]);
    commit(&project, "one");
    let text = project.read("-d/units.dag");
    project.write(
        "-d/units.dag",
        text.replace("gibibytes(count: 8)", "gibibytes(count: 9)"),
    );
    project
        .run(&["diff", "one", "--stat"])
        .done()
        .says(&["one:-d/units.dag:47 → -d/units.dag:47"]);
}

#[test]
fn a_name_of_a_file_stays_within_the_line_of_its_cause() {
    let project = Project::starter();
    let name = "u\n::warning::.dag";
    fs::rename(project.path("units.dag"), project.path(name)).unwrap();
    git_in(&project, ".", &["init", "--quiet"]);
    commit(&project, "one");
    let text = project.read(name);
    project.write(
        name,
        text.replace("gibibytes(count: 8)", "gibibytes(count: 9)"),
    );
    project
        .run(&["diff", "one", "--stat"])
        .done()
        .says(&["one:u\\u{a}::warning::.dag:47 → u\\u{a}::warning::.dag:47"]);
}
