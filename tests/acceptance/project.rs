//! `hayward.toml`, and the fleet that it names.

use crate::common::Project;

/// A manifest that no command takes.
fn unusable(text: &str, saying: &[&str]) {
    let project = Project::starter();
    project.untouched(|p| p.run(&["status"]).done());
    project.write("hayward.toml", text);
    project.untouched(|p| {
        for words in [
            &["check"][..],
            &["render"],
            &["apply", "--yes"],
            &["history"],
            &["ledger", "verify"],
        ] {
            p.run(words).failed(saying);
        }
    });
}

/// A fleet that is none: the model is sound, and no command that needs a fleet works.
fn no_fleet(entry: &str, also: impl FnOnce(&Project), saying: &[&str]) {
    let project = Project::starter();
    also(&project);
    project.edit("hayward.toml", "fleet = \"fleet.main.fleet\"", entry);
    project.untouched(|p| {
        p.run(&["check"]).done();
        for words in [
            &["render"][..],
            &["plan"],
            &["apply", "--yes"],
            &["observe"],
            &["status"],
        ] {
            p.run(words).failed(saying);
        }
    });
}

#[test]
fn a_project_has_a_manifest() {
    let project = Project::starter();
    project.remove("hayward.toml");
    project.untouched(|p| {
        for words in [&["check"][..], &["test"], &["apply", "--yes"], &["history"]] {
            p.run(words)
                .failed(&["there is no hayward.toml in . or above"]);
        }
        p.run(&["apply", "--yes", "--project", "hosts"])
            .failed(&["hosts/hayward.toml cannot be read"]);
        // Roots need none.
        p.run(&["check", "."]).done();
    });
}

#[test]
fn without_a_project_each_command_says_how_it_is_named_one() {
    let project = Project::empty();
    let start = "or start a project with `hayward init`";
    for words in [
        &["plan"][..],
        &["apply", "--yes"],
        &["observe"],
        &["status"],
        &["render"],
        &["history"],
        &["ledger", "verify"],
        &["diff", "HEAD"],
    ] {
        let run = project.run(words);
        let run = run.failed(&["name its folder with `--project FOLDER`", start]);
        assert!(!run.err.contains("roots"), "{}", run.all());
    }
    for words in [
        &["check"][..],
        &["test"],
        &["fmt"],
        &["deps"],
        &["doc"],
        &["eval", "1"],
    ] {
        let run = project.run(words).failed(&["name the roots", start]);
        assert!(!run.err.contains("--project"), "{}", run.all());
    }
}

#[test]
fn a_manifest_is_found_upward() {
    let project = Project::starter();
    let below = project.path("hosts/builder/etc");
    let mut command = project.command(&["plan"]);
    let output = command.current_dir(below).output().unwrap();
    crate::common::Run::of(output, "plan")
        .done()
        .says(&["2 to create"]);
}

#[test]
fn a_manifest_is_toml_with_known_keys() {
    unusable("x\n", &["hayward.toml: TOML parse error at line 1"]);
    unusable("", &["missing field `project`"]);
    unusable(
        "[project]\nname = \"a\"\nflet = \"a.b\"\n",
        &["line 3", "unknown field `flet`"],
    );
    unusable(
        "[project]\nname = \"a\"\n[other]\n",
        &["unknown field `other`"],
    );
    unusable("[project]\nname = \"\"\n", &["`project.name` is empty"]);
    unusable(
        "[project]\nname = \"a\"\nroots = []\n",
        &["at least one root"],
    );
    unusable("[project]\nname = \"a\"\nroots = \".\"\n", &["line 3"]);
    unusable(
        "[project]\nname = \"a\"\nfleet = \"fleet\"\n",
        &["`project.fleet` is `module.name`, not `fleet`"],
    );
}

#[test]
fn a_manifest_that_is_a_fifo_is_not_waited_for() {
    let project = Project::starter();
    project.remove("hayward.toml");
    project.fifo("hayward.toml");
    for words in [&["check"][..], &["apply", "--yes"], &["history"]] {
        project.untouched(|p| {
            p.run(words)
                .failed(&["hayward.toml cannot be read: it is no regular file"])
        });
    }
}

#[test]
fn a_root_of_the_manifest_exists() {
    let project = Project::starter();
    project.edit("hayward.toml", "[\".\"]", "[\".\", \"nowhere\"]");
    project.untouched(|p| {
        p.run(&["apply", "--yes"])
            .failed(&["there is no such root", "nowhere"])
    });
}

#[test]
fn a_fleet_is_named() {
    no_fleet(
        "",
        |_| (),
        &["names no fleet: write `fleet = \"module.data\"`"],
    );
}

#[test]
fn a_fleet_that_is_not_there() {
    let saying = &["there is no such `data` item"];
    no_fleet("fleet = \"fleet.main.nothing\"", |_| (), saying);
    no_fleet("fleet = \"fleet.nowhere.fleet\"", |_| (), saying);
}

#[test]
fn a_fleet_that_is_something_else() {
    let saying = &["is no `data` item of type host.fleet.Fleet"];
    no_fleet("fleet = \"fleet.units.runner\"", |_| (), saying);
    no_fleet("fleet = \"fleet.units.host_resources\"", |_| (), saying);
    let own = "module own\ntype Fleet { name: String }\ndata fleet: Fleet = Fleet { name: \"starter\" }\n";
    no_fleet("fleet = \"own.fleet\"", |p| p.write("own.dag", own), saying);
}

#[test]
fn a_fleet_of_a_test_file() {
    // There an observation could be written down.
    let test = "module fleet.trial\nimport host.fleet { Fleet }\nimport fleet.main { fleet }\ndata trial: Fleet = fleet\n";
    no_fleet(
        "fleet = \"fleet.trial.trial\"",
        |p| p.write("trial_test.dag", test),
        &["there is no such `data` item"],
    );
    // The same text elsewhere is a fleet.
    let project = Project::starter();
    project.write("trial.dag", test);
    project.edit("hayward.toml", "fleet.main.fleet", "fleet.trial.trial");
    project.run(&["status"]).done();
}

#[test]
fn a_host_outside_the_project_tree_is_still_only_its_own() {
    let project = Project::starter();
    // Two hosts on one tree: the second is not who the tree says it is.
    project.edit("hosts.dag", "RootDirectory { path: \"hosts/builder\" } }", "RootDirectory { path: \"hosts/builder\" } }\n  Host { identity: host_identity(name: \"other\"), transport: RootDirectory { path: \"hosts/builder\" } }");
    project.run(&["apply", "--yes"]).refused(&[
        "builder  generation 1",
        "/etc/hostname there says `builder`, the roster says `other`",
    ]);
}

#[test]
fn a_host_name_is_a_label() {
    for name in ["../builder", "Builder", "a b", "a\\nb", "", "-a"] {
        let project = Project::starter();
        project.edit(
            "hosts.dag",
            "host_identity(name: \"builder\")",
            &format!("host_identity(name: \"{name}\")"),
        );
        project.untouched(|p| p.run(&["render"]).refused(&["E0803", "host/roster.dag"]));
    }
}
