//! A ledger that was damaged or worked on: nothing rests on it.

use crate::common::{Project, set_mode};
use rusqlite::Connection;

#[test]
fn git_does_not_take_up_the_signing_key() {
    let staged = |project: &Project| {
        let git = |words: &[&str]| {
            let mut git = std::process::Command::new("git");
            let output = git.args(words).current_dir(project.root()).output();
            let output = output.unwrap();
            assert!(output.status.success());
            String::from_utf8(output.stdout).unwrap()
        };
        git(&["init", "-q"]);
        git(&["add", "-A"]);
        git(&["ls-files"])
    };
    // A project that `init` did not start has no `.gitignore` of its own.
    let project = Project::commons();
    project.run(&["observe"]).done();
    assert_eq!(project.read(".hayward/.gitignore"), "*\n");
    let names = staged(&project);
    assert!(
        names.contains("hayward.toml") && !names.contains(".hayward"),
        "{names}"
    );
    // What somebody wrote there stays.
    let project = Project::commons();
    project.write(".hayward/.gitignore", "ledger.*\n");
    project.run(&["observe"]).done();
    assert_eq!(project.read(".hayward/.gitignore"), "ledger.*\n");
    let names = staged(&project);
    assert!(!names.contains("ledger.key"), "{names}");
}

/// Works on the database as somebody with another tool would: the guards are taken off, and put
/// back word by word.
fn work_on(project: &Project, act: impl FnOnce(&Connection)) {
    let database = Connection::open(project.path(".hayward/ledger.db")).unwrap();
    let guards: Vec<(String, String)> = database
        .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert!(guards.len() >= 3);
    for (name, _) in &guards {
        database
            .execute_batch(&format!("DROP TRIGGER {name}"))
            .unwrap();
    }
    act(&database);
    for (_, text) in &guards {
        database.execute_batch(text).unwrap();
    }
}

/// A project that was allowed to cancel; then something happens to its ledger. No command that
/// decides or acts does so, and no workflow says `true` that did not say it before.
fn distrusted(happens: impl FnOnce(&Project), saying: &[&str]) -> Project {
    let project = Project::read_back();
    assert!(project.copy().rendered_policy());
    happens(&project);
    project.change_limit(9);
    for words in [
        &["render"][..],
        &["status"],
        &["observe"],
        &["plan"],
        &["apply", "--yes"],
    ] {
        let hosts = crate::common::snapshot(&project.path("hosts"));
        project.run(words).failed(saying);
        crate::common::same(&hosts, &crate::common::snapshot(&project.path("hosts")));
    }
    assert!(!project.has(crate::common::WORKFLOW));
    project
}

/// The same for a ledger whose chain is whole at its end: acting goes on, deciding does not.
fn broken(happens: impl FnOnce(&Connection), receipt: u64, why: &str) {
    let project = Project::read_back();
    work_on(&project, happens);
    project
        .run(&["ledger", "verify"])
        .refused(&[&format!("receipt {receipt}"), why]);
    let (code, found) = project.json(&["ledger", "verify"]);
    assert_eq!(
        (code, &found["receipt"], &found["ok"]),
        (1, &receipt.into(), &false.into())
    );
    for words in [&["render"][..], &["render", "--check"], &["status"]] {
        project.run(words).failed(&[&format!("receipt {receipt}")]);
    }
    assert!(!project.has(crate::common::WORKFLOW));
}

#[test]
fn a_ledger_that_nobody_worked_on_is_whole() {
    let project = Project::read_back();
    work_on(&project, |_| ());
    project
        .run(&["ledger", "verify"])
        .done()
        .says(&["receipts: whole, head"]);
    assert!(project.rendered_policy());
}

#[test]
fn an_edited_receipt_is_named() {
    broken(
        |d| {
            drop(d.execute("UPDATE receipts SET body = replace(body, 'control-group', 'process') WHERE seq = 3", []))
        },
        3,
        "digest",
    );
    broken(
        |d| drop(d.execute("UPDATE receipts SET actor = 'somebody' WHERE seq = 2", [])),
        2,
        "digest",
    );
    broken(
        |d| drop(d.execute("UPDATE receipts SET at = at - 1 WHERE seq = 1", [])),
        1,
        "digest",
    );
    broken(
        |d| drop(d.execute("UPDATE receipts SET host = 'other' WHERE seq = 2", [])),
        2,
        "digest",
    );
    broken(
        |d| {
            drop(d.execute(
                "UPDATE receipts SET signature = zeroblob(64) WHERE seq = 3",
                [],
            ))
        },
        3,
        "signature",
    );
}

#[test]
fn a_receipt_taken_from_the_middle_is_named() {
    broken(
        |d| drop(d.execute("DELETE FROM receipts WHERE seq = 2", [])),
        2,
        "",
    );
    broken(
        |d| drop(d.execute("DELETE FROM receipts WHERE seq = 1", [])),
        1,
        "",
    );
}

#[test]
fn a_receipt_taken_from_the_end_is_missed() {
    let project = Project::read_back();
    let (_, verified) = project.json(&["ledger", "verify"]);
    let last = verified["receipts"].as_i64().unwrap();
    work_on(&project, |d| {
        drop(d.execute("DELETE FROM receipts WHERE seq = ?1", [last]))
    });
    project
        .run(&["ledger", "verify"])
        .refused(&[&format!("receipt {last}")]);
    project.run(&["render"]).failed(&["ledger"]);
    project.run(&["apply", "--yes"]);
    assert!(!project.has(crate::common::WORKFLOW));
    // All of them.
    distrusted(
        |p| work_on(p, |d| drop(d.execute("DELETE FROM receipts", []))),
        &["ledger"],
    );
}

#[test]
fn a_forged_observation_is_not_believed() {
    // The fleet was never observed. Somebody adds what an observer would have written, as well as
    // it can be done without the key.
    let project = Project::starter();
    project.run(&["apply", "--yes"]).done();
    let other = Project::read_back();
    let body: String = Connection::open(other.path(".hayward/ledger.db"))
        .unwrap()
        .query_row(
            "SELECT body FROM receipts WHERE kind = 'observation'",
            [],
            |r| r.get(0),
        )
        .unwrap();
    let database = Connection::open(project.path(".hayward/ledger.db")).unwrap();
    let last: i64 = database
        .query_row("SELECT max(seq) FROM receipts", [], |r| r.get(0))
        .unwrap();
    let added = database.execute(
        "INSERT INTO receipts SELECT seq + 1, digest, randomblob(32), 'observation', 'builder', revision, ?1, at, time_source, actor, tool, key, signature FROM receipts WHERE seq = ?2",
        (&body, last),
    );
    assert_eq!(
        added.unwrap(),
        1,
        "it is a receipt for all that SQLite can tell"
    );
    drop(database);
    project.change_limit(9);
    for words in [
        &["render"][..],
        &["status"],
        &["observe"],
        &["plan"],
        &["apply", "--yes"],
    ] {
        let run = project.run(words);
        assert_eq!(run.code, Some(2), "{}", run.all());
        assert!(
            !run.all().contains("job? yes") && !run.all().contains("true"),
            "{}",
            run.all()
        );
    }
    assert!(!project.has(crate::common::WORKFLOW));
    project
        .run(&["ledger", "verify"])
        .refused(&[&format!("receipt {}", last + 1)]);
}

#[test]
fn json_of_an_observation_is_no_ledger() {
    let project = Project::starter();
    project.run(&["apply", "--yes"]).done();
    let read = Project::read_back().run(&["observe", "--json"]).done().out;
    for at in [
        "readings.json",
        ".hayward/readings.json",
        "hosts/builder/readings.json",
        ".hayward/ledger.json",
    ] {
        project.write(at, &read);
    }
    assert!(!project.rendered_policy());
    project.write(".hayward/ledger.db", &read);
    project.remove(".hayward/ledger.db-wal");
    project.remove(".hayward/ledger.db-shm");
    project.run(&["render"]).failed(&["ledger"]);
    assert!(!project.may_cancel());
    let key = project.read(".hayward/ledger.key");
    let empty = Project::starter();
    empty.write(".hayward/ledger.db", &read);
    empty.write(".hayward/ledger.key", key);
    empty.run(&["render"]).failed(&["ledger"]);
    assert!(!empty.has(crate::common::WORKFLOW));
}

#[test]
fn a_truncated_database_is_refused() {
    for part in [0, 100, 4096, 9000] {
        distrusted(
            |p| {
                // What is still in the log, too.
                let database = Connection::open(p.path(".hayward/ledger.db")).unwrap();
                database
                    .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
                    .unwrap();
                drop(database);
                let bytes = std::fs::read(p.path(".hayward/ledger.db")).unwrap();
                p.write(".hayward/ledger.db", &bytes[..part]);
            },
            &["ledger"],
        );
    }
}

#[test]
fn a_database_that_is_gone_is_missed() {
    distrusted(
        |p| {
            for name in ["ledger.db", "ledger.db-wal", "ledger.db-shm"] {
                if p.has(format!(".hayward/{name}")) {
                    p.remove(format!(".hayward/{name}"));
                }
            }
        },
        &["ledger"],
    );
}

#[test]
fn a_schema_without_its_guards_is_refused() {
    let project = Project::read_back();
    let database = Connection::open(project.path(".hayward/ledger.db")).unwrap();
    database
        .execute_batch("DROP TRIGGER receipts_no_update")
        .unwrap();
    drop(database);
    project
        .run(&["observe"])
        .failed(&["receipts_no_update differs"]);
    project.run(&["apply", "--yes"]);
}

#[test]
fn a_missing_key_is_not_replaced() {
    let project = distrusted(
        |p| p.remove(".hayward/ledger.key"),
        &["The signing key", "is missing"],
    );
    assert!(!project.has(".hayward/ledger.key"));
}

#[test]
fn another_key_is_not_taken() {
    let other = Project::starter();
    other.run(&["observe"]).done();
    let key = other.read(".hayward/ledger.key");
    distrusted(
        |p| {
            p.write(".hayward/ledger.key", key);
            set_mode(&p.path(".hayward/ledger.key"), 0o600);
        },
        &["ledger"],
    );
    distrusted(
        |p| p.write(".hayward/ledger.key", "x\n"),
        &["holds no signing key"],
    );
}

#[test]
fn a_key_that_others_may_use_is_refused() {
    let project = distrusted(
        |p| set_mode(&p.path(".hayward/ledger.key"), 0o644),
        &["chmod 600"],
    );
    set_mode(&project.path(".hayward/ledger.key"), 0o600);
    project.run(&["apply", "--yes"]).done();
}

#[test]
fn a_ledger_that_everybody_may_write_is_refused() {
    distrusted(
        |p| set_mode(&p.path(".hayward"), 0o777),
        &["Everybody may write in"],
    );
    distrusted(
        |p| {
            std::fs::rename(p.path(".hayward/ledger.db"), p.path("moved.db")).unwrap();
            p.link(".hayward/ledger.db", p.path("moved.db"));
        },
        &["ledger"],
    );
}

#[test]
fn a_ledger_of_another_fleet_says_nothing_of_this_one() {
    let project = Project::read_back();
    project.edit("main.dag", "name: \"starter\"", "name: \"other\"");
    project.run(&["status"]).done().says(&[
        "job? no",
        "  ! last observed for the fleet `starter`: `hayward observe`",
    ]);
    assert!(!project.rendered_policy());
    project.run(&["observe"]).done().says(&["job? yes"]);
}

#[test]
fn a_ledger_that_a_link_leads_to_is_not_begun_or_read() {
    let project = Project::applied();
    let kept = project.beside("kept");
    std::fs::rename(project.path(".hayward"), &kept).unwrap();
    project.link(".hayward", "../kept");
    for words in [&["observe"][..], &["status"], &["render"], &["history"]] {
        project
            .run(words)
            .failed(&[".hayward is a symbolic link; the ledger and its key are kept"]);
    }
    project.remove(".hayward");
    let empty = project.beside("empty");
    std::fs::create_dir(&empty).unwrap();
    project.link(".hayward", "../empty");
    project.run(&["observe"]).failed(&["is a symbolic link"]);
    assert_eq!(std::fs::read_dir(&empty).unwrap().count(), 0);
}
