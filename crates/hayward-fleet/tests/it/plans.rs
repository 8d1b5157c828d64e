//! What a plan shows, and what it refuses.

use crate::bed::{
    Bed, action, committed, file, file_with, gone, host, host_refusal, path, planned, refusal,
    refused, signs, why,
};
use expect_test::expect;
use hayward_fleet::{
    Action, Error, FleetNow, HostPlan, HostWish, Outcome, Plan, TextRevision, Unhindered, apply,
    plan,
};
use hayward_model::{AcceptedFile, DesiredPath, Digest, Effect, HostRow, Transport};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[test]
fn every_action_is_shown_with_its_reason() {
    let bed = Bed::new();
    let first = [
        file("/etc/changed", "one\ntwo\n"),
        file("/etc/edited", "a\n"),
        file("/etc/left", "b\n"),
        file("/etc/mode", "c\n"),
        file("/etc/removed", "d\n"),
        file("/etc/same", "e\n"),
        file("/etc/vanished", "f\n"),
        file("/etc/x-gone", "g\n"),
    ];
    assert_eq!(bed.converge(&first), 1);
    bed.write("etc/edited", "a, by hand\n");
    bed.remove("etc/vanished");
    bed.remove("etc/x-gone");
    let second = [
        file("/etc/changed", "one\nthree\n"),
        file("/etc/edited", "a\n"),
        file_with("/etc/mode", "c\n", 0o600),
        file("/etc/new/deep", "n\n"),
        gone("/etc/removed"),
        file("/etc/same", "e\n"),
        file("/etc/vanished", "f\n"),
        gone("/etc/never"),
    ];
    let plan = bed.plan(&second);
    assert_eq!(
        signs(&plan),
        [
            "~/etc/changed",
            "~/etc/edited",
            "-/etc/left",
            "~/etc/mode",
            "=/etc/never",
            "+/etc/new/deep",
            "-/etc/removed",
            "=/etc/same",
            "+/etc/vanished",
            "-/etc/x-gone",
        ]
    );
    assert_eq!(
        planned(&plan).directories(),
        BTreeSet::from([&path("/etc/new")])
    );
    let Action::Change { diff, .. } = action(&plan, "/etc/changed") else {
        panic!()
    };
    assert_eq!(
        diff,
        "--- /etc/changed\n+++ /etc/changed\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n"
    );
    let Action::Change { diff, .. } = action(&plan, "/etc/mode") else {
        panic!()
    };
    assert_eq!(diff, "old mode 0644\nnew mode 0600\n");
    for (at, wanted) in [
        (
            "/etc/changed",
            "declared by test.etc.changed; its declaration changed since generation 1",
        ),
        (
            "/etc/edited",
            "declared by test.etc.edited; drifted since generation 1: edited on the host",
        ),
        ("/etc/left", "no longer declared"),
        ("/etc/removed", "declared to be gone"),
        ("/etc/new/deep", "declared by test.etc.new.deep"),
        (
            "/etc/vanished",
            "declared by test.etc.vanished; it was removed on the host since generation 1",
        ),
        (
            "/etc/x-gone",
            "no longer declared; it was removed on the host since generation 1",
        ),
    ] {
        assert_eq!(why(&plan, at), wanted);
    }
    let effect = |at: &str| {
        planned(&plan)
            .paths
            .iter()
            .find(|p| p.path.as_str() == at)
            .unwrap()
            .effect
    };
    assert_eq!(effect("/etc/left"), Effect::Reload);
    assert_eq!(effect("/etc/same"), Effect::None);
    let Outcome::Applied(applied) = bed.apply(&second, &plan) else {
        panic!()
    };
    assert_eq!((applied.generation, applied.changed), (2, 8));
    assert_eq!(applied.effects.len(), 8);
    assert!(!bed.plan(&second).has_changes());
    assert_eq!(bed.read("etc/new/deep"), "n\n");
    assert!(!bed.has("etc/left") && !bed.has("etc/removed"));
    let bits = fs::metadata(bed.root().join("etc/mode"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(bits & 0o7777, 0o600);
    // What is made for a path goes with it.
    assert_eq!(bed.converge(&second[..1]), 3);
    assert!(!bed.has("etc/new"));
}

#[test]
fn what_hayward_did_not_install_is_refused_until_adopted() {
    let mut bed = Bed::new();
    bed.write("etc/same", "s\n");
    bed.write("etc/other", "theirs\n");
    bed.write("etc/unwanted", "theirs\n");
    let desired = [
        file("/etc/same", "s\n"),
        file("/etc/other", "ours\n"),
        gone("/etc/unwanted"),
        file("/etc/new", "n\n"),
    ];
    let plan = bed.plan(&desired);
    assert_eq!(
        signs(&plan),
        ["+/etc/new", "!/etc/other", "!/etc/same", "!/etc/unwanted"]
    );
    assert!(refusal(&plan, "/etc/same").contains("adopt it"));
    assert!(plan.has_refusals());
    let before = bed.stamps();
    let error = refused(bed.apply(&desired, &plan));
    assert!(
        error.contains("srv1") && error.contains("/etc/other") && error.contains("/etc/same"),
        "{error}"
    );
    assert_eq!(bed.stamps(), before);

    bed.adopt = ["/etc/same", "/etc/other", "/etc/unwanted"]
        .map(path)
        .into();
    let plan = bed.plan(&desired);
    assert_eq!(
        signs(&plan),
        ["+/etc/new", "~/etc/other", "~/etc/same", "-/etc/unwanted"]
    );
    assert_eq!(action(&plan, "/etc/same"), &Action::Adopt);
    let same = bed.stamps()["etc/same"];
    assert!(matches!(bed.apply(&desired, &plan), Outcome::Applied(_)));
    assert_eq!(bed.stamps()["etc/same"], same);
    assert_eq!(bed.read("etc/other"), "ours\n");
    bed.adopt.clear();
    assert!(!bed.plan(&desired).has_changes());
    // Now it is owned, and goes when nothing declares it.
    assert_eq!(bed.converge(&[]), 2);
    assert!(!bed.has("etc/same"));
}

#[test]
fn what_is_no_file_is_refused_wherever_it_stands() {
    let bed = Bed::new();
    let outside = tempfile::tempdir().unwrap();
    bed.link("etc/link", "hostname");
    bed.link("etc/dangling", "nowhere");
    bed.link("etc/out", outside.path().to_str().unwrap());
    fs::create_dir(bed.root().join("etc/dir")).unwrap();
    let mode = rustix_mode();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        bed.root().join("etc/fifo"),
        rustix::fs::FileType::Fifo,
        mode,
        0,
    )
    .unwrap();
    let huge = fs::File::create(bed.root().join("etc/huge")).unwrap();
    huge.set_len(1 << 40).unwrap();
    let desired = [
        "link",
        "dangling",
        "dir",
        "fifo",
        "huge",
        "out/passwd",
        "hostname/below",
    ]
    .map(|name| file(&format!("/etc/{name}"), "x"));
    let plan = bed.plan(&desired);
    for (at, reason) in [
        ("/etc/link", "symbolic link"),
        ("/etc/dangling", "symbolic link"),
        ("/etc/dir", "a directory where a regular file belongs"),
        ("/etc/fifo", "a FIFO where a regular file belongs"),
        ("/etc/huge", "more than"),
        (
            "/etc/out/passwd",
            "/etc/out on the way there is a symbolic link",
        ),
        (
            "/etc/hostname/below",
            "/etc/hostname on the way there is a regular file",
        ),
    ] {
        assert!(
            refusal(&plan, at).contains(reason),
            "{}",
            refusal(&plan, at)
        );
    }
    refused(bed.apply(&desired, &plan));
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    assert!(!bed.has("var"));
}

#[test]
fn what_was_edited_on_the_host_is_not_removed() {
    let bed = Bed::new();
    let desired = [
        file("/etc/a", "x"),
        file("/etc/b", "y"),
        file("/etc/c", "z"),
    ];
    bed.converge(&desired);
    bed.write("etc/a", "by hand");
    fs::set_permissions(bed.root().join("etc/b"), PermissionsExt::from_mode(0o600)).unwrap();
    let wanted = [gone("/etc/a")];
    let plan = bed.plan(&wanted);
    assert_eq!(signs(&plan), ["!/etc/a", "!/etc/b", "-/etc/c"]);
    assert_eq!(
        refusal(&plan, "/etc/a"),
        "edited on the host since generation 1, and declared to be gone: restore it or remove it \
         by hand"
    );
    assert_eq!(
        refusal(&plan, "/etc/b"),
        "edited on the host since generation 1, and no longer declared: restore it or remove it \
         by hand"
    );
    let before = bed.stamps();
    assert!(refused(bed.apply(&wanted, &plan)).contains("/etc/a"));
    assert_eq!(bed.stamps(), before);
    // Either way out.
    bed.remove("etc/a");
    bed.write("etc/b", "y");
    assert_eq!(bed.converge(&wanted), 2);
    assert!(!bed.has("etc/b") && !bed.has("etc/c"));
}

#[test]
fn a_forged_manifest_removes_no_foreign_file() {
    let bed = Bed::new();
    bed.write("etc/passwd", "root:x:0:0::/root:/bin/sh\n");
    let desired = [file("/etc/a", "x")];
    bed.converge(&desired);
    let manifest = "var/lib/hayward/manifest";
    let forged = bed.read(manifest).replace("\"/etc/a\"", "\"/etc/passwd\"");
    bed.write(manifest, forged);
    for wanted in [&[][..], &[gone("/etc/passwd")]] {
        let plan = bed.plan(wanted);
        assert_eq!(signs(&plan), ["!/etc/passwd"]);
        assert!(refusal(&plan, "/etc/passwd").contains("remove it by hand"));
        let before = bed.stamps();
        refused(bed.apply(wanted, &plan));
        assert_eq!(bed.stamps(), before);
    }
}

fn rustix_mode() -> rustix::fs::Mode {
    rustix::fs::Mode::from_raw_mode(0o600)
}

#[test]
fn an_owned_path_that_became_a_link_is_refused_not_followed() {
    let bed = Bed::new();
    let desired = [file("/etc/a", "x")];
    bed.converge(&desired);
    let plan = bed.plan(&[]);
    bed.remove("etc/a");
    bed.link("etc/a", "hostname");
    assert!(refused(bed.apply(&[], &plan)).contains("/etc/a changed since the plan"));
    assert!(refusal(&bed.plan(&[]), "/etc/a").contains("symbolic link"));
    assert!(refusal(&bed.plan(&desired), "/etc/a").contains("symbolic link"));
    assert_eq!(bed.read("etc/hostname"), "srv1\n");
}

#[test]
fn a_models_mistake_is_refused_naming_both_declarations() {
    let bed = Bed::new();
    let twice = |because: &str| {
        let DesiredPath::File(mut row) = file("/etc/a", "x") else {
            panic!()
        };
        row.because = because.to_owned();
        DesiredPath::File(row)
    };
    let plan = bed.plan(&[twice("one"), twice("two")]);
    assert!(refusal(&plan, "/etc/a").contains("one and two"));
    let plan = bed.plan(&[twice("one"), gone("/etc/a")]);
    assert!(refusal(&plan, "/etc/a").contains("one and the removal of /etc/a"));
    let plan = bed.plan(&[file("/etc/a", "x"), file("/etc/a/b/c", "y")]);
    let reason = refusal(&plan, "/etc/a/b/c");
    assert!(
        reason.contains("test.etc.a.b.c") && reason.contains("file by test.etc.a"),
        "{reason}"
    );
    for (at, reason) in [
        ("/var/lib/hayward", "Hayward's own"),
        ("/var/lib/hayward/manifest", "Hayward's own"),
        ("/etc/.a.hayward-1", "kept for staging"),
    ] {
        assert!(refusal(&bed.plan(&[file(at, "x")]), at).contains(reason));
    }
    assert_eq!(
        bed.converge(&[file("/etc/a", "x"), file("/etc/ab/c", "y")]),
        1
    );
}

#[test]
fn hostile_names_and_texts_are_installed_as_they_are() {
    let bed = Bed::new();
    let names = [
        "a b",
        "%H%%",
        "ü",
        "-rf",
        "$(reboot)",
        "a\\x2db",
        "'q\"",
        &"n".repeat(255),
    ];
    let desired: Vec<_> = names
        .iter()
        .map(|n| file(&format!("/etc/{n}"), "%n\u{1b}[31m\r\n\0"))
        .collect();
    bed.converge(&desired);
    for name in names {
        assert_eq!(bed.read(&format!("etc/{name}")), "%n\u{1b}[31m\r\n\0");
    }
    assert!(!bed.plan(&desired).has_changes());
    let long = format!("/etc/{}", "n".repeat(256));
    assert!(refusal(&bed.plan(&[file(&long, "x")]), &long).contains("cannot be read"));
}

#[test]
fn a_plan_reads_back_and_an_edited_one_is_refused() {
    let bed = Bed::new();
    bed.write("etc/a", "old\n");
    let plan = bed.plan(&[file("/etc/a", "x\n"), file("/etc/b", "y\n")]);
    let json = String::from_utf8(plan.to_json()).unwrap();
    assert_eq!(Plan::from_json(json.as_bytes()).unwrap(), plan);
    for (from, to) in [
        ("y\\n", "z\\n"),
        ("srv1", "srv2"),
        ("commons", "common"),
        ("\"r1\"", "null"),
    ] {
        assert!(json.contains(from), "{from}");
        let edited = json.replace(from, to);
        let error = Plan::from_json(edited.as_bytes()).unwrap_err();
        assert!(matches!(error, Error::EditedPlan { .. }), "{error}");
    }
    for broken in [
        "",
        "{}",
        "[]",
        &json[..json.len() / 2],
        &json.replace("\"format\": 1", "\"format\": 2"),
        &json.replacen('{', "{\"extra\": 1,", 1),
    ] {
        let error = Plan::from_json(broken.as_bytes()).unwrap_err();
        assert!(matches!(error, Error::NoPlan { .. }), "{error}");
    }
}

#[test]
fn a_plan_for_something_else_is_refused_before_any_host_is_visited() {
    let bed = Bed::new();
    let desired = [file("/etc/a", "x")];
    let made = bed.plan(&desired);
    let now = bed.now(&desired);
    let roster = [bed.row.clone()];
    let refuse = |now: FleetNow<'_>, roster: &[HostRow], words: [&str; 2]| {
        let error = apply(&now, roster, &made, &Unhindered)
            .unwrap_err()
            .to_string();
        assert!(words.iter().all(|w| error.contains(w)), "{error}");
        assert!(!bed.has("var"));
    };
    refuse(
        FleetNow {
            name: "other",
            ..now
        },
        &roster,
        ["fleet commons", "fleet other"],
    );
    refuse(
        FleetNow {
            revision: Some(committed("r2")),
            ..now
        },
        &roster,
        ["revision r1", "revision r2"],
    );
    refuse(
        FleetNow {
            revision: None,
            ..now
        },
        &roster,
        ["revision r1", "revision (none)"],
    );
    refuse(
        FleetNow {
            revision: Some(TextRevision {
                name: "r1",
                uncommitted: true,
            }),
            ..now
        },
        &roster,
        ["revision r1;", "revision r1+uncommitted"],
    );
    refuse(
        FleetNow {
            model: Digest::of(b""),
            ..now
        },
        &roster,
        ["made for model", "this is model"],
    );
    let foreign = [HostRow {
        name: host("srv2"),
        ..bed.row.clone()
    }];
    refuse(now, &foreign, ["srv1", "roster"]);
    let moved = [HostRow {
        transport: Transport::RootDirectory("tree2".into()),
        ..bed.row.clone()
    }];
    let mut reports = apply(&now, &moved, &made, &Unhindered).unwrap();
    let error = refused(reports.remove(0).outcome);
    assert!(
        error.contains("root:tree;") && error.contains("root:tree2"),
        "{error}"
    );
    assert!(matches!(bed.apply(&desired, &made), Outcome::Applied(_)));
}

#[test]
fn a_host_that_cannot_be_read_is_refused_alone() {
    let bed = Bed::new();
    let other = HostRow {
        name: host("srv2"),
        transport: Transport::RootDirectory("absent".into()),
    };
    let desired = [file("/etc/a", "x")];
    let adopt = BTreeSet::new();
    let wish = |row| HostWish {
        row,
        desired: &desired,
        adopt: &adopt,
    };
    let now = bed.now(&desired);
    let made = plan(&now, &[wish(&other), wish(&bed.row)]);
    let HostPlan::Refused { host, reason } = &made.body().hosts[0] else {
        panic!()
    };
    assert!(
        host.as_str() == "srv2" && reason.contains("there is no directory"),
        "{reason}"
    );
    let reports = apply(&now, &[bed.row.clone(), other], &made, &Unhindered).unwrap();
    assert!(matches!(reports[0].outcome, Outcome::Refused { .. }));
    assert!(matches!(reports[1].outcome, Outcome::Applied(_)));
}

#[test]
fn a_tree_of_another_host_or_fleet_is_refused() {
    let bed = Bed::new();
    let desired = [file("/etc/a", "x")];
    bed.write("etc/hostname", "srv9\n");
    let reason = bed.plan(&desired);
    assert!(host_refusal(&reason).contains("srv9") && host_refusal(&reason).contains("srv1"));
    bed.write("etc/hostname", "srv1\n");
    bed.converge(&desired);
    let wish = HostWish {
        row: &bed.row,
        desired: &desired,
        adopt: &bed.adopt,
    };
    let other = plan(
        &FleetNow {
            name: "other",
            ..bed.now(&desired)
        },
        &[wish],
    );
    assert!(
        host_refusal(&other).contains("fleet `commons`"),
        "{}",
        host_refusal(&other)
    );
}

#[test]
fn damaged_state_is_refused_by_name_and_never_taken_for_absent() {
    let desired = [file("/etc/a", "x")];
    type Damage = fn(&Bed);
    let damages: [(Damage, &str); 9] = [
        (
            |b| b.remove("var/lib/hayward/manifest"),
            "manifest is damaged: it is absent",
        ),
        (
            |b| b.remove("var/lib/hayward/generation"),
            "generation is damaged: it is absent",
        ),
        (
            |b| b.write("var/lib/hayward/manifest", ""),
            "manifest is damaged",
        ),
        (
            |b| b.write("var/lib/hayward/generation", "{\"format\": 1}"),
            "generation is damaged",
        ),
        (
            |b| b.write("var/lib/hayward/generation", "{\"format\": 0}"),
            "no format 0",
        ),
        (
            |b| b.write("var/lib/hayward/manifest", "{\"format\": 2}"),
            "has format 2",
        ),
        (
            |b| {
                b.remove("var/lib/hayward/manifest");
                b.link("var/lib/hayward/manifest", "lock");
            },
            "it is a symbolic link",
        ),
        (
            |b| b.write("var/lib/hayward/journal", "{}"),
            "apply that is under way or was interrupted",
        ),
        (
            |b| {
                let old = b.read("var/lib/hayward/manifest");
                b.write(
                    "var/lib/hayward/manifest",
                    old.replace("\"generation\": 1", "\"generation\": 2"),
                );
            },
            "generation says 1",
        ),
    ];
    for (damage, words) in damages {
        let bed = Bed::new();
        bed.converge(&desired);
        let made = bed.plan(&[]);
        assert_eq!(signs(&made), ["-/etc/a"]);
        damage(&bed);
        let before = bed.stamps();
        let plan = bed.plan(&desired);
        assert!(
            host_refusal(&plan).contains(words),
            "{}",
            host_refusal(&plan)
        );
        refused(bed.apply(&[], &made));
        assert_eq!(bed.stamps(), before);
    }
}

#[test]
fn a_stale_plan_is_refused_with_nothing_written() {
    let desired = [file("/etc/a", "x"), file("/etc/b", "y")];
    type Change = fn(&Bed);
    let changes: [(Change, &str); 7] = [
        (|b| b.write("etc/a", "edited"), "/etc/a changed"),
        (
            |b| {
                fs::set_permissions(b.root().join("etc/a"), PermissionsExt::from_mode(0o600))
                    .unwrap()
            },
            "/etc/a changed",
        ),
        (|b| b.write("etc/b", "taken"), "/etc/b changed"),
        (
            |b| b.write("etc/machine-id", "0123456789abcdef0123456789abcdef\n"),
            "machine id",
        ),
        (
            |b| {
                b.write(
                    "proc/sys/kernel/random/boot_id",
                    "01234567-89ab-cdef-0123-456789abcdef\n",
                )
            },
            "boot id",
        ),
        (
            |b| {
                b.converge(&[file("/etc/a", "w"), file("/etc/c", "z")]);
            },
            "generation 1 and is in 2",
        ),
        (|b| b.write("etc/hostname", "srv2"), "srv2"),
    ];
    for (change, words) in changes {
        let bed = Bed::new();
        bed.converge(&[file("/etc/a", "old")]);
        let plan = bed.plan(&desired);
        change(&bed);
        let before = bed.stamps();
        let error = refused(bed.apply(&desired, &plan));
        assert!(error.contains(words) && error.contains("srv1"), "{error}");
        assert_eq!(bed.stamps(), before);
    }
    let bed = Bed::new();
    bed.converge(&[file("/etc/a", "old")]);
    let plan = bed.plan(&desired);
    assert!(matches!(bed.apply(&desired, &plan), Outcome::Applied(_)));
    let before = bed.stamps();
    assert!(refused(bed.apply(&desired, &plan)).contains("applied already, as generation 2"));
    assert_eq!(bed.stamps(), before);
}

fn accepted(at: &str, text: &str) -> DesiredPath {
    DesiredPath::Foreign(AcceptedFile {
        path: path(at),
        digest: Digest::of(text.as_bytes()),
        because: format!("test{}", at.replace('/', ".")),
    })
}

#[test]
fn an_accepted_file_is_named_and_left_to_others() {
    const AT: &str = "/usr/lib/vendor.conf";
    let below = &AT[1..];
    let bed = Bed::new();
    let wanted = [accepted(AT, "theirs"), file("/etc/a", "x")];
    let said = |wanted: &[DesiredPath]| {
        let plan = bed.plan(wanted);
        assert!(!plan.has_refusals());
        assert_eq!(action(&plan, AT).sign(), '=');
        why(&plan, AT).to_owned()
    };
    expect!["accepted by test.usr.lib.vendor.conf, and not there"].assert_eq(&said(&wanted));
    bed.write(below, "theirs");
    expect!["accepted as it is by test.usr.lib.vendor.conf"].assert_eq(&said(&wanted));
    // It is neither owned nor touched, and forgetting it changes nothing on the host.
    assert_eq!(bed.converge(&wanted), 1);
    bed.write(below, "edited");
    expect!["test.usr.lib.vendor.conf accepts a92d7dd9a46e618535539acd96358a90ba19ef14a3065e745c817c294ecba78f, and what stands there is 69da6dbe23d41a9aedf8673875a311380e4b8b499f4f39e66ab85a49b10b69ce"].assert_eq(&said(&wanted));
    assert_eq!(signs(&bed.plan(&[file("/etc/a", "x")])), ["=/etc/a"]);
    assert_eq!(bed.read(below), "edited");
    // What is accepted and what is planned are one fact: an edit between them is seen.
    let next = [accepted(AT, "edited"), file("/etc/a", "y")];
    let plan = bed.plan(&next);
    bed.write(below, "again");
    assert!(matches!(bed.apply(&next, &plan), Outcome::Refused { .. }));
    assert_eq!(bed.read("etc/a"), "x");
}

#[test]
fn what_is_accepted_is_not_ours() {
    let mut bed = Bed::new();
    bed.converge(&[file("/etc/a", "x")]);
    let owned = bed.plan(&[accepted("/etc/a", "x")]);
    expect!["Hayward installed what stands there, so it is not for test.etc.a to accept: declare what it holds, or have it removed first"].assert_eq(refusal(&owned, "/etc/a"));
    let twice = bed.plan(&[file("/etc/a", "x"), accepted("/etc/a", "x")]);
    expect!["the model asks for this path twice: test.etc.a and test.etc.a"]
        .assert_eq(refusal(&twice, "/etc/a"));
    bed.write("etc/b", "theirs");
    bed.adopt.insert(path("/etc/b"));
    let adopted = bed.plan(&[file("/etc/a", "x"), accepted("/etc/b", "theirs")]);
    expect!["test.etc.b accepts it as it is, and adopting would take it over: declare what it should hold instead"].assert_eq(refusal(&adopted, "/etc/b"));
}
