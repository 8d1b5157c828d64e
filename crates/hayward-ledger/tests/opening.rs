//! Opening what is a ledger, and refusing what is not.

// Clippy knows a test by its attribute only, not what tests share.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod common;

use common::{Project, entry, role};
use hayward_ledger::{Filter, Ledger, LedgerError, View};
use rusqlite::Connection;
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Every name with its bytes and its time of change; the log's index is SQLite's
/// scratch memory and only its name counts.
fn trace(dir: &Path) -> BTreeMap<String, (Vec<u8>, Option<SystemTime>)> {
    fs::read_dir(dir)
        .unwrap()
        .map(|found| {
            let found = found.unwrap();
            let name = found.file_name().into_string().unwrap();
            let kept = if name.ends_with("-shm") {
                (Vec::new(), None)
            } else {
                let changed = found.metadata().unwrap().modified().unwrap();
                (fs::read(found.path()).unwrap_or_default(), Some(changed))
            };
            (name, kept)
        })
        .collect()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_new_ledger_is_private() {
    let project = Project::with(1);
    assert_eq!(mode(&project.dir()), 0o700);
    for name in ["ledger.db", "ledger.db-wal", "ledger.key", "ledger.head"] {
        assert_eq!(mode(&project.file(name)), 0o600, "{name}");
    }
    let names: Vec<_> = trace(&project.dir()).into_keys().collect();
    assert_eq!(
        names,
        [
            ".gitignore",
            "ledger.db",
            "ledger.db-shm",
            "ledger.db-wal",
            "ledger.head",
            "ledger.key"
        ]
    );
}

#[test]
fn the_database_is_as_declared() {
    let project = Project::with(1);
    let raw = Connection::open(project.file("ledger.db")).unwrap();
    let ask = |pragma: &str| -> String {
        raw.query_row(
            &format!("SELECT CAST({pragma} AS TEXT) FROM pragma_{pragma}"),
            [],
            |row| row.get(0),
        )
        .unwrap()
    };
    assert_eq!(ask("journal_mode"), "wal");
    assert_eq!(ask("application_id"), 0x4861_794c.to_string());
    assert_eq!(ask("user_version"), "1");
    let strict: i64 = raw
        .query_row(
            "SELECT strict FROM pragma_table_list('receipts')",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(strict, 1);
}

#[test]
fn no_ledger_is_said_and_nothing_is_made() {
    let project = Project::new();
    let none = |dir: &Path| {
        let error = View::open(dir).unwrap_err();
        assert!(matches!(error, LedgerError::NoLedger { .. }), "{error}");
    };
    none(&project.dir());
    assert!(!project.dir().exists());
    fs::create_dir(project.dir()).unwrap();
    none(&project.dir());
    // A key alone is not a ledger yet.
    fs::copy(
        Project::with(0).file("ledger.key"),
        project.file("ledger.key"),
    )
    .unwrap();
    none(&project.dir());
    assert_eq!(trace(&project.dir()).len(), 1);
    // The positive twin: an empty ledger is one.
    assert_eq!(Project::with(0).view().verify().unwrap().receipts, 0);
}

#[test]
fn reading_leaves_no_trace() {
    let read = |project: &Project, receipts| {
        let before = trace(&project.dir());
        let view = project.view();
        assert_eq!(view.verify().unwrap().receipts, receipts);
        assert_eq!(
            view.receipts(&Filter::new()).unwrap().len() as u64,
            receipts
        );
        drop(view);
        assert_eq!(trace(&project.dir()), before);
    };
    // Closed by us; folded by another tool, without a log; in use.
    let project = Project::with(3);
    read(&project, 3);
    project.tamper("");
    assert!(!project.file("ledger.db-wal").exists());
    read(&project, 3);
    let mut ledger = project.open();
    ledger.append(&entry(4)).unwrap();
    read(&project, 4);
    // And a reader in the same process leaves the writer its locks and its rows.
    ledger.append(&entry(5)).unwrap();
    assert_eq!(ledger.verify().unwrap().receipts, 5);
}

#[test]
fn a_view_sees_what_is_appended_later() {
    let project = Project::with(1);
    project.tamper("");
    let view = project.view();
    assert_eq!(view.verify().unwrap().receipts, 1);
    let mut ledger = project.open();
    ledger.append(&entry(2)).unwrap();
    assert_eq!(view.verify().unwrap().receipts, 2);
}

#[test]
fn what_is_not_a_ledger_is_refused_and_left_alone() {
    type Make = fn(&Path);
    type Expected = fn(&LedgerError) -> bool;
    let makes: [(Make, Expected); 6] = [
        (
            |path| {
                let raw = Connection::open(path).unwrap();
                raw.execute_batch("CREATE TABLE a (b); INSERT INTO a VALUES (1)")
                    .unwrap();
            },
            |error| {
                matches!(
                    error,
                    LedgerError::Foreign {
                        application_id: 0,
                        ..
                    }
                )
            },
        ),
        (
            |path| {
                let raw = Connection::open(path).unwrap();
                raw.execute_batch("PRAGMA journal_mode = WAL; PRAGMA application_id = 7;")
                    .unwrap();
            },
            |error| {
                matches!(
                    error,
                    LedgerError::Foreign {
                        application_id: 7,
                        ..
                    }
                )
            },
        ),
        (
            |path| {
                let raw = Connection::open(path).unwrap();
                raw.execute_batch(&format!(
                    "PRAGMA application_id = {}; PRAGMA user_version = 2; CREATE TABLE a (b)",
                    0x4861_794c
                ))
                .unwrap();
            },
            |error| {
                matches!(
                    error,
                    LedgerError::OtherSchema {
                        found: 2,
                        known: 1,
                        ..
                    }
                )
            },
        ),
        (
            |path| fs::write(path, "garbage ".repeat(1000)).unwrap(),
            |error| matches!(error, LedgerError::Damaged { .. }),
        ),
        (
            |path| fs::create_dir(path).unwrap(),
            |error| matches!(error, LedgerError::NotRegular { .. }),
        ),
        (
            |path| {
                rustix::fs::mknodat(
                    rustix::fs::CWD,
                    path,
                    rustix::fs::FileType::Fifo,
                    rustix::fs::Mode::RUSR,
                    0,
                )
                .unwrap();
            },
            |error| matches!(error, LedgerError::NotRegular { .. }),
        ),
    ];
    for (number, (make, expected)) in makes.into_iter().enumerate() {
        let project = Project::new();
        fs::create_dir(project.dir()).unwrap();
        make(&project.file("ledger.db"));
        let names: Vec<_> = fs::read_dir(project.dir()).unwrap().collect();
        assert_eq!(names.len(), 1);
        let before = (number < 4).then(|| trace(&project.dir()));
        for error in [
            Ledger::open(&project.dir()).map(drop).unwrap_err(),
            View::open(&project.dir()).map(drop).unwrap_err(),
        ] {
            assert!(expected(&error), "{number}: {error:?}");
            assert!(error.to_string().contains("ledger.db"), "{error}");
        }
        if let Some(before) = before {
            assert_eq!(trace(&project.dir()), before, "{number}");
        }
    }
}

#[test]
fn links_are_refused() {
    for name in [
        "ledger.db",
        "ledger.head",
        "ledger.key",
        "ledger.db-wal",
        "ledger.db-shm",
    ] {
        let project = Project::with(2);
        let aside = project.root().join(name);
        fs::rename(project.file(name), &aside).unwrap();
        symlink(&aside, project.file(name)).unwrap();
        for error in [
            Ledger::open(&project.dir())
                .and_then(|mut ledger| ledger.append(&entry(3)))
                .map(drop)
                .unwrap_err(),
            View::open(&project.dir())
                .and_then(|view| view.verify())
                .map(drop)
                .unwrap_err(),
        ] {
            match error {
                LedgerError::NotRegular { path } => assert!(path.ends_with(name)),
                other => panic!("{name}: {other:?}"),
            }
        }
    }
    // A dangling one does not make the file that it points at.
    let project = Project::new();
    fs::create_dir(project.dir()).unwrap();
    let target = project.root().join("target");
    symlink(&target, project.file("ledger.db")).unwrap();
    assert!(matches!(
        Ledger::open(&project.dir()),
        Err(LedgerError::NotRegular { .. })
    ));
    assert!(!target.exists());
}

#[test]
fn odd_paths_are_only_paths() {
    let root = tempfile::tempdir().unwrap();
    let real = root.path().join("a ?b#c%41&d");
    fs::create_dir(&real).unwrap();
    let through = root.path().join("link");
    symlink(&real, &through).unwrap();
    // The directory may be reached through a link; it and the ledger's files may be none.
    let dir = through.join(".hayward");
    let mut ledger = Ledger::open(&dir).unwrap();
    ledger.append(&entry(1)).unwrap();
    drop(ledger);
    Connection::open(dir.join("ledger.db"))
        .unwrap()
        .execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")
        .unwrap_or_default();
    assert!(!dir.join("ledger.db-wal").exists());
    assert_eq!(View::open(&dir).unwrap().verify().unwrap().receipts, 1);
}

#[test]
fn a_directory_that_is_a_link() {
    let project = Project::new();
    let elsewhere = tempfile::tempdir().unwrap();
    symlink(elsewhere.path(), project.dir()).unwrap();
    let refused = |dir: &Path| {
        for error in [
            Ledger::open(dir).map(drop).unwrap_err(),
            View::open(dir).map(drop).unwrap_err(),
        ] {
            assert!(
                matches!(&error, LedgerError::LinkedDirectory { path } if *path == project.dir()),
                "{error:?}"
            );
        }
    };
    refused(&project.dir());
    refused(&project.dir().join(""));
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    // One that leads to nothing is no place for a new ledger.
    fs::remove_file(project.dir()).unwrap();
    symlink(elsewhere.path().join("none"), project.dir()).unwrap();
    refused(&project.dir());
    assert!(!elsewhere.path().join("none").exists());
}

#[test]
fn a_directory_that_is_none_or_open_to_all() {
    let project = Project::new();
    fs::write(project.dir(), "").unwrap();
    for error in [
        Ledger::open(&project.dir()).map(drop).unwrap_err(),
        View::open(&project.dir()).map(drop).unwrap_err(),
    ] {
        assert!(
            matches!(error, LedgerError::NotDirectory { .. }),
            "{error:?}"
        );
    }
    let project = Project::with(1);
    fs::set_permissions(project.dir(), fs::Permissions::from_mode(0o777)).unwrap();
    let error = Ledger::open(&project.dir()).unwrap_err();
    assert!(matches!(error, LedgerError::OpenToAll { .. }), "{error:?}");
    let error = Ledger::open(&project.root().join("no/such")).unwrap_err();
    assert!(matches!(error, LedgerError::Io { .. }), "{error:?}");
}

#[test]
fn a_held_ledger_is_busy_not_hanging() {
    let project = Project::with(1);
    let mut ledger = project.open();
    ledger.set_patience(Duration::from_millis(60)).unwrap();
    let raw = Connection::open(project.file("ledger.db")).unwrap();
    raw.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = ledger.append(&entry(2)).unwrap_err();
    assert!(
        matches!(
            error,
            LedgerError::Busy {
                source: Some(_),
                ..
            }
        ),
        "{error:?}"
    );
    raw.execute_batch("ROLLBACK").unwrap();
    let held = fs::File::open(project.dir()).unwrap();
    held.lock().unwrap();
    let error = ledger.append(&entry(2)).unwrap_err();
    assert!(
        matches!(error, LedgerError::Busy { source: None, .. }),
        "{error:?}"
    );
    held.unlock().unwrap();
    assert_eq!(ledger.append(&entry(2)).unwrap().seq, 2);
}

/// The part of the child; without a role it has nothing to do.
#[test]
fn child() {
    let Some((role, dir)) = role() else { return };
    let key = std::env::var("KEY").ok();
    let key = key.and_then(|key| hayward_ledger::KeyId::parse(&key));
    match role.as_str() {
        "refused" => {
            let outcome = Ledger::open(&dir).and_then(|mut ledger| ledger.append(&entry(3)));
            match outcome {
                Err(LedgerError::NotWritable { .. }) => {}
                other => panic!("{other:?}"),
            }
        }
        "refused at opening" => match Ledger::open(&dir) {
            Err(LedgerError::NotWritable { .. }) => {}
            other => panic!("{other:?}"),
        },
        "auditor" => {
            let view = View::trusting(&dir, key.unwrap()).unwrap();
            assert_eq!(view.verify().unwrap().receipts, 2);
            assert_eq!(view.receipts(&Filter::new()).unwrap().len(), 2);
            assert!(View::open(&dir).is_err());
        }
        other => panic!("{other}"),
    }
}

const NOBODY: u32 = 65_534;

/// Runs the role as a user who is not root: as nobody, if this is root.
fn as_ordinary_user(project: &Project, role: &str, key: &str) {
    fs::set_permissions(project.root(), fs::Permissions::from_mode(0o755)).unwrap();
    // Where this program lies, nobody may have no access.
    let program = project.root().join("program");
    fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let mut command = common::child(role, &project.dir());
    let mut again = std::process::Command::new(&program);
    again.args(command.get_args());
    for (name, value) in command.get_envs() {
        again.env(name, value.unwrap());
    }
    command = again;
    command.env("KEY", key);
    if rustix::process::geteuid().is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{role}: {output:?}");
}

fn own(project: &Project) {
    if rustix::process::geteuid().is_root() {
        chown(project.dir(), Some(NOBODY), Some(NOBODY)).unwrap();
        for found in fs::read_dir(project.dir()).unwrap() {
            chown(found.unwrap().path(), Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_directory_that_may_not_be_written() {
    // Empty; with a ledger and its log; with a ledger folded; with a database
    // that may not be written in a directory that may.
    let project = Project::new();
    fs::create_dir(project.dir()).unwrap();
    let logged = Project::with(2);
    let folded = Project::with(2);
    folded.tamper("");
    for project in [&project, &logged, &folded] {
        own(project);
        chmod(&project.dir(), 0o500);
        as_ordinary_user(project, "refused", "");
    }
    let fixed = Project::with(2);
    own(&fixed);
    chmod(&fixed.file("ledger.db"), 0o400);
    as_ordinary_user(&fixed, "refused at opening", "");
    chmod(&logged.dir(), 0o700);
    assert_eq!(logged.view().verify().unwrap().receipts, 2);
}

#[test]
fn an_auditor_reads_with_the_public_key_alone() {
    for folded in [false, true] {
        let project = Project::with(2);
        if folded {
            project.tamper("");
        }
        chmod(&project.dir(), 0o755);
        for found in fs::read_dir(project.dir()).unwrap() {
            let path = found.unwrap().path();
            if !path.ends_with("ledger.key") {
                chmod(&path, 0o644);
            }
        }
        let key = project.view().key().to_string();
        if rustix::process::geteuid().is_root() {
            let before = trace(&project.dir());
            as_ordinary_user(&project, "auditor", &key);
            assert_eq!(trace(&project.dir()), before);
        } else {
            // Its owner is the only other user that an ordinary user can be.
            let key = hayward_ledger::KeyId::parse(&key).unwrap();
            fs::remove_file(project.file("ledger.key")).unwrap();
            let view = View::trusting(&project.dir(), key).unwrap();
            assert_eq!(view.verify().unwrap().receipts, 2);
        }
    }
}
