//! A kept plan is applied to what it was made for, and to nothing else.

use crate::common::{Project, RUNNER, same, set_mode, snapshot};
use std::process::Command;

/// Keeps a plan, lets something happen, and sees the plan refused with no host touched.
fn outdated(project: &Project, happens: impl FnOnce(&Project), saying: &[&str]) {
    project.run(&["plan", "--out", "p.json"]).done();
    // The twin: without anything happening the plan is good.
    project.copy().run(&["apply", "p.json"]).done();
    happens(project);
    let before = snapshot(&project.path("hosts"));
    project.run(&["apply", "p.json"]).refused(saying);
    same(&before, &snapshot(&project.path("hosts")));
}

#[test]
fn another_fleet() {
    outdated(
        &Project::starter(),
        |p| p.edit("main.dag", "name: \"starter\"", "name: \"other\""),
        &["the plan was made for fleet starter; this is fleet other"],
    );
}

#[test]
fn another_model() {
    outdated(
        &Project::starter(),
        |p| p.change_limit(9),
        &["the plan was made for model"],
    );
}

#[test]
fn a_host_that_moved() {
    outdated(
        &Project::starter(),
        |p| {
            std::fs::rename(p.path("hosts/builder"), p.path("hosts/moved")).unwrap();
            p.edit("hosts.dag", "hosts/builder", "hosts/moved");
        },
        &["the plan was made for root:hosts/builder; the roster now says root:hosts/moved"],
    );
}

#[test]
fn a_tree_of_another_host() {
    outdated(
        &Project::starter(),
        |p| p.write("hosts/builder/etc/hostname", "other\n"),
        &["/etc/hostname there says `other`"],
    );
    outdated(
        &Project::starter(),
        |p| p.remove("hosts/builder/etc/hostname"),
        &["nothing says whose tree this is"],
    );
}

#[test]
fn another_machine_or_another_boot() {
    let project = Project::starter();
    project.write(
        "hosts/builder/etc/machine-id",
        "0123456789abcdef0123456789abcdef\n",
    );
    outdated(
        &project,
        |p| {
            p.write(
                "hosts/builder/etc/machine-id",
                "1123456789abcdef0123456789abcdef\n",
            )
        },
        &["its machine id was 0123456789abcdef0123456789abcdef"],
    );
    let boot = "hosts/builder/proc/sys/kernel/random/boot_id";
    outdated(
        &Project::starter(),
        |p| p.write(boot, "01234567-89ab-cdef-0123-456789abcdef\n"),
        &["its boot id was (none)"],
    );
}

#[test]
fn a_host_that_was_applied_meanwhile() {
    let project = Project::read_back();
    let drift = |p: &Project| p.write(format!("hosts/builder/{RUNNER}"), "drifted\n");
    drift(&project);
    outdated(
        &project,
        |p| {
            p.write(
                "hosts/builder/etc/systemd/system/actions-runner@.service.d/20-memory.conf",
                "drifted\n",
            );
            p.run(&["apply", "--yes"]).done();
            // The same bytes as when the plan was made, one generation later.
            drift(p);
        },
        &["the plan is stale: the host was in generation 1 and is in 2"],
    );
}

#[test]
fn a_path_that_changed_meanwhile() {
    outdated(
        &Project::starter(),
        |p| p.write(format!("hosts/builder/{RUNNER}"), "mine\n"),
        &["actions-runner@.service changed since the plan was made"],
    );
}

#[test]
fn another_revision() {
    let project = Project::starter();
    let git = |words: &[&str]| {
        let mut git = Command::new("git");
        git.args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@localhost",
            "-c",
            "commit.gpgsign=false",
        ]);
        assert!(
            git.args(words)
                .current_dir(project.root())
                .output()
                .unwrap()
                .status
                .success()
        );
    };
    git(&["init", "-q"]);
    git(&["add", "."]);
    git(&["commit", "-qm", "one"]);
    outdated(
        &project,
        |_| git(&["commit", "-qm", "two", "--allow-empty"]),
        &["the plan was made for revision"],
    );
    // What is not in git has no revision.
    let plain = Project::starter();
    outdated(
        &plain,
        |p| {
            let mut git = Command::new("git");
            git.args(["-c", "user.name=t", "-c", "user.email=t@localhost"]);
            let made = git.args(["init", "-q"]).current_dir(p.root()).status();
            assert!(made.unwrap().success());
            let mut git = Command::new("git");
            git.args([
                "-c",
                "user.name=t",
                "-c",
                "user.email=t@localhost",
                "commit",
                "-qm",
                "one",
                "--allow-empty",
            ]);
            assert!(git.current_dir(p.root()).status().unwrap().success());
        },
        &["the plan was made for revision (none)"],
    );
}

#[test]
fn a_plan_that_was_edited() {
    for (from, to) in [
        ("MemoryMax=8589934592", "MemoryMax=infinity"),
        ("20-memory.conf", "21-memory.conf"),
        ("\"generation\": 0", "\"generation\": 1"),
        ("\"reload\"", "\"none\""),
        ("builder", "buildeR"),
        ("\"fleet\": \"starter\"", "\"fleet\": \"other\""),
    ] {
        outdated(
            &Project::starter(),
            |p| {
                let text = p.read("p.json").replacen(from, to, 1);
                p.write("p.json", text);
            },
            &["nothing was changed"],
        );
    }
    outdated(
        &Project::starter(),
        |p| p.edit("p.json", "=8589934592", "=8589934593"),
        &["the plan was edited after it was made"],
    );
}

#[test]
fn what_is_no_plan() {
    for text in [
        "",
        "x",
        "{}",
        "[]",
        "null",
        "{\"format\": 1}",
        "{\"format\": 2, \"digest\": \"\", \"plan\": {}}",
        "\0\0\0",
    ] {
        outdated(
            &Project::starter(),
            |p| p.write("p.json", text),
            &["this is not a plan"],
        );
    }
    outdated(
        &Project::starter(),
        |p| {
            let text = p.read("p.json");
            p.write("p.json", &text[..text.len() / 2]);
        },
        &["this is not a plan"],
    );
    outdated(
        &Project::starter(),
        |p| p.edit("p.json", "{\n", "{ \"more\": 1,\n"),
        &["this is not a plan"],
    );
}

#[test]
fn a_plan_that_refuses_is_not_applied() {
    let project = Project::starter();
    project.write(format!("hosts/builder/{RUNNER}"), "mine\n");
    let before = snapshot(&project.path("hosts"));
    project
        .run(&["plan", "--out", "p.json"])
        .refused(&["0 to create", "1 refused"]);
    project
        .run(&["apply", "p.json"])
        .refused(&["the plan refuses this host"]);
    same(&before, &snapshot(&project.path("hosts")));
}

#[test]
fn a_plan_of_a_host_that_left_the_roster() {
    outdated(
        &Project::commons(),
        |p| {
            p.edit(
                "hosts.dag",
                "  Host { identity: hazel, transport: RootDirectory { path: \"hosts/hazel\" } }\n",
                "",
            )
        },
        &["nothing was changed"],
    );
}

#[test]
fn adopting_a_path_that_no_host_is_to_hold_is_not_carried_out() {
    let project = Project::starter();
    project.untouched(|p| {
        p.run(&["plan", "--adopt", "/etc/typo"])
            .failed(&["no planned host is to hold /etc/typo"]);
    });
}

#[test]
fn a_plan_with_nothing_to_record_begins_no_ledger() {
    let project = Project::applied();
    let copy = project.copy();
    std::fs::remove_dir_all(copy.path(".hayward")).unwrap();
    copy.untouched(|p| p.run(&["plan"]).done().says(&["nothing to do"]));
}

#[test]
fn a_plan_is_kept_over_an_earlier_plan_and_nothing_else() {
    let project = Project::starter();
    project.fifo("pipe");
    project.link("link", "units.dag");
    project.untouched(|p| {
        for taken in ["units.dag", "pipe", "link", "hosts"] {
            p.run(&["plan", "--out", taken])
                .failed(&["name another file"]);
        }
        p.run(&["apply", "pipe"]).failed(&["no regular file"]);
    });
    project.run(&["plan", "--out", "p"]).done();
    project.run(&["plan", "--out", "p"]).done();
    project.run(&["apply", "p"]).done();
}

#[test]
fn a_git_that_hangs_is_not_waited_for() {
    let project = Project::starter();
    project.write("bin/git", "#!/bin/sh\nexec sleep 100\n");
    set_mode(&project.path("bin/git"), 0o755);
    let path = format!(
        "{}:{}",
        project.path("bin").display(),
        std::env::var("PATH").unwrap()
    );
    let out = project
        .command(&["plan"])
        .env("PATH", path)
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&out.stderr).contains("git did not say"));
}

#[test]
fn a_line_that_looks_like_the_head_of_a_difference_is_shown() {
    let project = Project::applied();
    let unit = format!("hosts/builder/{RUNNER}");
    let text = project.read(&unit);
    project.remove(&unit);
    project.write(&unit, text + "-- by hand\n++ by hand\n");
    let plan = project.run(&["plan"]).done();
    for line in ["    --- by hand\n", "    -++ by hand\n"] {
        assert!(plan.out.contains(line), "{}", plan.all());
    }
    assert!(!plan.out.contains("+++ "), "{}", plan.all());
}
