//! What is on record: who did what, when, and with what result.

use crate::common::Project;

#[test]
fn a_project_without_a_ledger_has_no_history() {
    let project = Project::starter();
    project.untouched(|p| {
        p.run(&["history"])
            .done()
            .says(&["nothing was recorded yet"]);
        p.run(&["history", "builder"])
            .done()
            .says(&["nothing was recorded yet"]);
        p.run(&["ledger", "verify"])
            .done()
            .says(&["nothing was recorded yet"]);
        p.run(&["status"]).done().says(&["never observed"]);
        assert_eq!(p.json(&["history"]), (0, serde_json::json!([])));
    });
}

#[test]
fn every_act_is_on_record_with_time_and_actor() {
    let project = Project::starter();
    project.run(&["plan"]).done();
    project.run(&["apply", "--yes"]).done();
    project.run(&["render"]).done();
    project.run(&["observe"]).done();
    project.run(&["render"]).done();
    let lines = project.untouched(|p| p.run(&["history"]).done().out);
    let lines: Vec<&str> = lines.lines().collect();
    // The newest is first.
    for (line, words) in lines.iter().zip([
        ["decision", "cancel-running-jobs allowed"],
        ["observation", "answered: 1 unit, 13 settings"],
        ["decision", "cancel-running-jobs withheld, 1 reason"],
        ["apply", "generation 1, 2 paths"],
        ["apply", "begun"],
        ["plan", "2 paths on 1 host,"],
    ]) {
        assert!(words.iter().all(|w| line.contains(w)), "{line} {words:?}");
        let date = line.split_whitespace().nth(1).unwrap();
        assert!(date.len() == 10 && date.starts_with("20"), "{line}");
        assert!(line.contains('@'), "no actor: {line}");
    }
    assert_eq!(lines.len(), 6);
    assert_eq!(
        project
            .run(&["history", "-n", "2"])
            .done()
            .out
            .lines()
            .count(),
        2
    );
    let (_, receipts) = project.json(&["history"]);
    for receipt in receipts.as_array().unwrap() {
        assert!(
            receipt["at"].as_i64().unwrap() > 1_700_000_000_000,
            "{receipt}"
        );
        assert!(
            receipt["actor"].as_str().unwrap().contains('@'),
            "{receipt}"
        );
        assert!(
            receipt["tool"].as_str().unwrap().starts_with("hayward "),
            "{receipt}"
        );
    }
}

#[test]
fn the_history_of_a_host_is_of_that_host_alone() {
    let project = Project::commons_read_back();
    let (_, receipts) = project.json(&["history", "alder"]);
    let kinds: Vec<&str> = receipts
        .as_array()
        .unwrap()
        .iter()
        .map(|r| {
            assert_eq!(r["host"], "alder");
            r["kind"].as_str().unwrap()
        })
        .collect();
    assert_eq!(kinds, ["observation", "apply"]);
    project
        .run(&["history", "oak"])
        .done()
        .says(&["nothing was recorded about oak"]);
}

#[test]
fn no_receipts_are_not_asked_for() {
    let project = Project::applied();
    for words in [
        &["history", "-n", "0"][..],
        &["history", "--limit", "0", "builder"],
    ] {
        let run = project.run(words).failed(&["give 1 or more"]);
        assert!(!run.all().contains("nothing was recorded"), "{}", run.all());
    }
    let run = project.run(&["history", "-n", "1"]).done();
    assert_eq!(run.out.lines().count(), 1);
}

#[test]
fn a_receipt_can_be_read_whole() {
    let project = Project::read_back();
    let run = project.run(&["history", "--receipt", "3"]).done();
    let run = run.says(&[
        "receipt    3",
        "kind       observation",
        "host       builder",
        "(system clock)",
        "actor      ",
        "revision   -",
        "previous   ",
        "digest     ",
        "key        ",
    ]);
    // With every setting that was read.
    run.says(&[
        "\"KillMode\"",
        "\"control-group\"",
        "\"/etc/systemd/system/actions-runner@.service\"",
    ]);
    let (_, receipt) = project.json(&["history", "--receipt", "3"]);
    assert_eq!(receipt["seq"], 3);
    project
        .run(&["history", "--receipt", "99"])
        .failed(&["there is no receipt 99"]);
    project
        .run(&["history", "--receipt", "0"])
        .failed(&["numbered from 1"]);
    project
        .run(&["history", "builder", "--receipt", "1"])
        .failed(&["cannot be used with"]);
}

#[test]
fn a_refused_apply_is_on_record_and_nothing_to_do_is_not() {
    let project = Project::read_back();
    project.untouched(|p| p.run(&["apply", "--yes"]).done());
    project.write("hosts/builder/etc/hostname", "other\n");
    project.run(&["apply", "--yes"]).refused(&[]);
    project
        .run(&["history", "builder"])
        .done()
        .says(&["refused: builder: the plan refuses this host"]);
}

#[test]
fn a_decision_is_recorded_once() {
    let project = Project::read_back();
    project.run(&["render"]).done();
    project.untouched(|p| p.run(&["render"]).done());
    let decisions = |p: &Project| {
        let (_, all) = p.json(&["history"]);
        all.as_array()
            .unwrap()
            .iter()
            .filter(|r| r["kind"] == "decision")
            .count()
    };
    assert_eq!(decisions(&project), 1);
    project.edit(
        "hosts/builder/etc/systemd/system/actions-runner@.service",
        "KillMode=control-group",
        "KillMode=none",
    );
    project.run(&["observe"]).done();
    project.run(&["render"]).done();
    assert_eq!(decisions(&project), 2);
}

#[test]
fn the_revision_of_the_model_is_on_record() {
    let project = Project::starter();
    let git = |words: &[&str]| {
        let mut git = std::process::Command::new("git");
        git.args(["-c", "user.name=t", "-c", "user.email=t@localhost"])
            .args(["-c", "commit.gpgsign=false"])
            .args(words);
        let output = git.current_dir(project.root()).output().unwrap();
        assert!(output.status.success());
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    git(&["init", "-q"]);
    // What no commit holds is not named by one.
    git(&["commit", "-qm", "none", "--allow-empty"]);
    project.run(&["observe"]).done();
    let last = |n: &str| project.run(&["history", "--receipt", n]).done().out;
    assert!(last("1").contains("+uncommitted\n"), "{}", last("1"));
    git(&["add", "."]);
    git(&["commit", "-qm", "one"]);
    let revision = git(&["rev-parse", "HEAD"]);
    let committed = format!("revision   {revision}\n");
    let uncommitted = format!("revision   {revision}+uncommitted\n");
    // The observation's own receipts and a file beside the model are no change of it.
    project.write("notes.txt", "x");
    project.run(&["observe"]).done();
    assert!(last("2").contains(&committed), "{}", last("2"));
    let (_, receipt) = project.json(&["history", "--receipt", "2"]);
    assert!(receipt["body"].is_object());
    assert!(receipt["body"].get("uncommitted").is_none());

    // An edit, each kind of receipt.
    project.change_limit(9);
    let (_, plan) = project.json(&["plan"]);
    assert_eq!(plan["uncommitted"], true);
    project.run(&["apply", "--yes"]).done();
    project.run(&["observe"]).done();
    project.run(&["render"]).done();
    let model = plan["model"].as_str().unwrap();
    for (n, kind) in [
        ("3", "plan"),
        ("4", "apply"),
        ("5", "apply"),
        ("6", "observation"),
        ("7", "decision"),
    ] {
        let (_, receipt) = project.json(&["history", "--receipt", n]);
        assert_eq!(receipt["kind"], kind);
        assert_eq!(receipt["revision"], revision.as_str());
        assert!(last(n).contains(&uncommitted), "{}", last(n));
        assert!(last(n).contains("\"uncommitted\": true"), "{}", last(n));
        let of_model = matches!(kind, "plan" | "apply");
        assert_eq!(last(n).contains(model), of_model, "{}", last(n));
    }
    let generation = project.read("hosts/builder/var/lib/hayward/generation");
    assert!(generation.contains("\"uncommitted\": true"), "{generation}");

    // A module that git does not show, and one that is gone.
    git(&["add", "."]);
    git(&["commit", "-qm", "two"]);
    let says = || project.json(&["plan"]).1["uncommitted"].clone();
    assert_eq!(says(), false);
    project.write(".git/info/exclude", "extra.dag\n");
    project.write("extra.dag", "module extra\n");
    assert_eq!(says(), true);
    project.remove("extra.dag");
    assert_eq!(says(), false);
    project.write("target/extra.dag", "module extra\n");
    assert_eq!(says(), false);
    project.edit("hayward.toml", "[project]", "# A word.\n[project]");
    assert_eq!(says(), true);
}
