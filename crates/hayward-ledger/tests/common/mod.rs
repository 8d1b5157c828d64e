//! What the tests of the ledger share. Each test file uses a part of it.
#![allow(dead_code, unreachable_pub)]

use hayward_ledger::{Broken, Entry, Kind, Ledger, LedgerError, View, Why};
use rusqlite::Connection;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Which part the child plays, and where.
pub const ROLE: &str = "HAYWARD_LEDGER_TEST_ROLE";
pub const DIR: &str = "HAYWARD_LEDGER_TEST_DIR";

pub struct Project {
    root: tempfile::TempDir,
}

impl Project {
    pub fn new() -> Self {
        Self {
            root: tempfile::tempdir().unwrap(),
        }
    }

    /// With so many receipts, and closed.
    pub fn with(receipts: u64) -> Self {
        let project = Self::new();
        let mut ledger = project.open();
        for number in 1..=receipts {
            ledger.append(&entry(number)).unwrap();
        }
        project
    }

    pub fn root(&self) -> &Path {
        self.root.path()
    }

    pub fn dir(&self) -> PathBuf {
        self.root.path().join(".hayward")
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.dir().join(name)
    }

    pub fn open(&self) -> Ledger {
        Ledger::open(&self.dir()).unwrap()
    }

    pub fn view(&self) -> View {
        Ledger::open_read_only(&self.dir()).unwrap()
    }

    /// Another tool at work: triggers dropped, edited, triggers put back, and the
    /// log folded into the database.
    pub fn tamper(&self, edit: &str) {
        let raw = Connection::open(self.file("ledger.db")).unwrap();
        let triggers: Vec<(String, String)> = raw
            .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
            .unwrap()
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        raw.execute_batch("PRAGMA ignore_check_constraints = ON")
            .unwrap();
        for (name, _) in &triggers {
            raw.execute_batch(&format!("DROP TRIGGER {name}")).unwrap();
        }
        raw.execute_batch(edit).unwrap();
        for (_, sql) in &triggers {
            raw.execute_batch(sql).unwrap();
        }
        raw.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")
            .unwrap_or_default();
    }

    /// A copy of all files, as `cp -a` makes it.
    pub fn copy(&self) -> Self {
        let copy = Self::new();
        std::fs::create_dir(copy.dir()).unwrap();
        for found in std::fs::read_dir(self.dir()).unwrap() {
            let found = found.unwrap();
            std::fs::copy(found.path(), copy.dir().join(found.file_name())).unwrap();
        }
        copy
    }

    /// What verifying names.
    pub fn broken(&self) -> Broken {
        broken(self.view().verify())
    }

    /// Appending refuses too, at the end of the chain, and leaves all as it was.
    pub fn refuses_to_append(&self) -> Why {
        let before = rows(&self.file("ledger.db"));
        let outcome = Ledger::open(&self.dir()).and_then(|mut ledger| ledger.append(&entry(0)));
        assert_eq!(rows(&self.file("ledger.db")), before);
        broken(outcome).why
    }
}

fn rows(database: &Path) -> i64 {
    Connection::open(database)
        .unwrap()
        .query_row("SELECT count(*) FROM receipts", [], |row| row.get(0))
        .unwrap()
}

pub fn broken<T: std::fmt::Debug>(outcome: Result<T, LedgerError>) -> Broken {
    match outcome {
        Err(LedgerError::Broken(broken)) => broken,
        other => panic!("not a broken chain: {other:?}"),
    }
}

pub fn entry(number: u64) -> Entry {
    let kind = Kind::ALL[usize::try_from(number).unwrap() % Kind::ALL.len()];
    Entry::new(kind, &json!({"number": number, "text": "x".repeat(40)}))
        .unwrap()
        .host(format!("runner-{}", number % 3))
        .unwrap()
        .revision("0123abcd")
        .unwrap()
}

/// This test program again, as the child of that role.
pub fn child(role: &str, dir: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "child", "--nocapture", "--test-threads=1"])
        .env(ROLE, role)
        .env(DIR, dir);
    command
}

/// The child's role and place, in a child.
pub fn role() -> Option<(String, PathBuf)> {
    Some((std::env::var(ROLE).ok()?, std::env::var_os(DIR)?.into()))
}
