//! A ledger that was cut, edited, swapped or replaced: each is named.

// Clippy knows a test by its attribute only, not what tests share.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod common;

use common::{Project, broken, entry};
use hayward_ledger::{Anchor, Filter, Kind, LedgerError, View, Why};
use rusqlite::Connection;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

#[test]
fn the_triggers_abort_update_delete_and_replace() {
    let project = Project::with(3);
    let raw = Connection::open(project.file("ledger.db")).unwrap();
    for (edit, says) in [
        ("UPDATE receipts SET actor = 'x'", "never changed"),
        ("DELETE FROM receipts", "never deleted"),
        (
            "INSERT OR REPLACE INTO receipts SELECT * FROM receipts WHERE seq = 2",
            "end of the chain",
        ),
        (
            "INSERT INTO receipts SELECT 5, previous, digest, kind, host, revision, body, at,
             time_source, actor, tool, key, signature FROM receipts WHERE seq = 3",
            "end of the chain",
        ),
        (
            "INSERT INTO receipts SELECT 4, previous, digest, kind, host, revision, body, at,
             time_source, actor, tool, key, signature FROM receipts WHERE seq = 3",
            "end of the chain",
        ),
    ] {
        let error = raw.execute_batch(edit).unwrap_err().to_string();
        assert!(error.contains(says), "{edit}: {error}");
    }
    assert_eq!(project.view().verify().unwrap().receipts, 3);
}

#[test]
fn an_edit_of_any_column_is_named() {
    let project = Project::with(5);
    for (column, value, why) in [
        ("seq", "77", Why::Gap { found: 4 }),
        ("seq", "-1", Why::Gap { found: -1 }),
        ("previous", "zeroblob(32)", Why::Previous),
        ("previous", "x'00'", Why::Previous),
        ("digest", "zeroblob(32)", Why::Edited),
        ("digest", "x''", Why::Unreadable),
        ("kind", "'plan'", Why::Edited),
        ("kind", "'plans'", Why::UnknownKind),
        ("host", "'other'", Why::Edited),
        ("host", "NULL", Why::Edited),
        ("revision", "NULL", Why::Edited),
        ("revision", "'x'", Why::Edited),
        ("body", "replace(body, '3', '4')", Why::Edited),
        ("body", "body || ' '", Why::Edited),
        ("body", "CAST(x'ff' AS TEXT)", Why::Unreadable),
        ("at", "at + 1", Why::Edited),
        ("time_source", "''", Why::Edited),
        ("actor", "'nobody@nowhere'", Why::Edited),
        ("tool", "tool || 'x'", Why::Edited),
        ("key", "zeroblob(32)", Why::ForeignKey),
        ("key", "x''", Why::ForeignKey),
        ("signature", "zeroblob(64)", Why::Signature),
        ("signature", "x'01'", Why::Signature),
    ] {
        let copy = project.copy();
        copy.tamper(&format!(
            "UPDATE receipts SET {column} = {value} WHERE seq = 3"
        ));
        let found = copy.broken();
        // A receipt moved before all others stands where the first should.
        let seq = if value == "-1" { 1 } else { 3 };
        assert_eq!((found.seq, found.why), (seq, why), "{column} = {value}");
        // An edited receipt is not handed out either.
        if column != "seq" && column != "previous" {
            let asked = copy.view().receipts(&Filter::new().after(2).limit(1));
            assert_eq!(broken(asked).seq, 3, "{column} = {value}");
            // Those that are intact still are.
            let asked = copy.view().receipts(&Filter::new().after(3)).unwrap();
            assert_eq!(asked.len(), 2, "{column} = {value}");
        }
    }
    assert_eq!(project.view().verify().unwrap().receipts, 5);
}

#[test]
fn an_edited_last_receipt_stops_appending() {
    for edit in [
        "body = '{}'",
        "signature = zeroblob(64)",
        "previous = zeroblob(32)",
    ] {
        let project = Project::with(3);
        project.tamper(&format!("UPDATE receipts SET {edit} WHERE seq = 3"));
        project.refuses_to_append();
        assert_eq!(project.broken().seq, 3);
    }
}

#[test]
fn an_edit_behind_an_open_ledger_is_noticed() {
    let project = Project::with(3);
    let mut ledger = project.open();
    project.tamper("UPDATE receipts SET body = '{}' WHERE seq = 3");
    assert_eq!(broken(ledger.append(&entry(4))).seq, 3);
    assert_eq!(broken(ledger.verify()).seq, 3);
    assert_eq!(broken(ledger.latest(Kind::ALL[3], None)).seq, 3);
}

#[test]
fn missing_and_moved_rows_are_named() {
    let project = Project::with(5);
    for (edit, seq, why) in [
        (
            "DELETE FROM receipts WHERE seq = 1",
            1,
            Why::Gap { found: 2 },
        ),
        (
            "DELETE FROM receipts WHERE seq = 3",
            3,
            Why::Gap { found: 4 },
        ),
        (
            "DELETE FROM receipts WHERE seq = 5",
            5,
            Why::MissingTail { head: 5 },
        ),
        (
            "DELETE FROM receipts WHERE seq > 2",
            3,
            Why::MissingTail { head: 5 },
        ),
        ("DELETE FROM receipts", 1, Why::MissingTail { head: 5 }),
        // A middle one removed and the rest renumbered.
        (
            "DELETE FROM receipts WHERE seq = 3;
             UPDATE receipts SET seq = 3 WHERE seq = 4;
             UPDATE receipts SET seq = 4 WHERE seq = 5;",
            3,
            Why::Previous,
        ),
        // Two swapped.
        (
            "UPDATE receipts SET seq = 99 WHERE seq = 2;
             UPDATE receipts SET seq = 2 WHERE seq = 3;
             UPDATE receipts SET seq = 3 WHERE seq = 99;",
            2,
            Why::Previous,
        ),
        // The last once more at the end.
        (
            "INSERT INTO receipts SELECT 6, digest, digest, kind, host, revision, body, at,
             time_source, actor, tool, key, signature FROM receipts WHERE seq = 5",
            6,
            Why::Edited,
        ),
    ] {
        let copy = project.copy();
        copy.tamper(edit);
        let found = copy.broken();
        assert_eq!((found.seq, found.why), (seq, why), "{edit}");
    }
}

#[test]
fn a_cut_tail_stops_appending_and_answers() {
    let project = Project::with(3);
    project.tamper("DELETE FROM receipts WHERE seq = 3");
    assert_eq!(project.refuses_to_append(), Why::MissingTail { head: 3 });
    let asked = project.view().receipts(&Filter::new());
    assert_eq!(broken(asked).why, Why::MissingTail { head: 3 });
}

#[test]
fn the_head_deleted_edited_or_replayed() {
    let project = Project::new();
    let mut ledger = project.open();
    let mut heads = vec![fs::read_to_string(project.file("ledger.head")).unwrap()];
    for number in 1..=4 {
        ledger.append(&entry(number)).unwrap();
        heads.push(fs::read_to_string(project.file("ledger.head")).unwrap());
    }
    drop(ledger);
    // Another chain under the same key.
    let other = Project::new();
    fs::create_dir(other.dir()).unwrap();
    fs::copy(project.file("ledger.key"), other.file("ledger.key")).unwrap();
    let mut ledger = other.open();
    assert_eq!(ledger.key(), project.view().key());
    for number in 11..=14 {
        ledger.append(&entry(number)).unwrap();
    }
    drop(ledger);
    // And one under another key.
    let stranger = Project::with(4);
    let of = |project: &Project| fs::read_to_string(project.file("ledger.head")).unwrap();

    let head = &heads[4];
    for (text, seq, why) in [
        (None, 4, Why::HeadMissing),
        (Some(String::new()), 4, Why::HeadUnreadable),
        (Some("{}".into()), 4, Why::HeadUnreadable),
        (Some("x".repeat(10_000)), 4, Why::HeadUnreadable),
        (Some(head[..100].into()), 4, Why::HeadUnreadable),
        (
            Some(head.replace("\"seq\":4", "\"seq\":3")),
            4,
            Why::HeadSignature,
        ),
        (
            Some(head.replace("\"seq\":4", "\"seq\":9")),
            4,
            Why::HeadSignature,
        ),
        (Some(heads[2].clone()), 3, Why::HeadBehind { head: 2 }),
        (Some(heads[0].clone()), 1, Why::HeadBehind { head: 0 }),
        (Some(of(&other)), 4, Why::HeadElsewhere),
        (Some(of(&stranger)), 4, Why::HeadForeignKey),
    ] {
        let copy = project.copy();
        match &text {
            Some(text) => fs::write(copy.file("ledger.head"), text).unwrap(),
            None => fs::remove_file(copy.file("ledger.head")).unwrap(),
        }
        let found = copy.broken();
        assert_eq!((found.seq, found.why), (seq, why), "{text:?}");
        assert_eq!(copy.refuses_to_append(), why, "{text:?}");
    }
    // One behind is what a crash leaves: reported, and mended by the next append.
    fs::write(project.file("ledger.head"), &heads[3]).unwrap();
    assert!(project.view().verify().unwrap().head_behind);
    assert_eq!(project.open().append(&entry(5)).unwrap().seq, 5);
    assert!(!project.view().verify().unwrap().head_behind);
}

#[test]
fn an_anchor_tells_what_the_directory_cannot() {
    let project = Project::with(2);
    let older = project.copy();
    let early = project.view().verify().unwrap().anchor();
    project.open().append(&entry(3)).unwrap();
    let anchor = project.view().verify().unwrap().anchor();
    // The older copy is whole in itself.
    assert_eq!(older.view().verify().unwrap().receipts, 2);
    let found = broken(older.view().verify_against(&anchor));
    assert_eq!((found.seq, found.why), (3, Why::MissingTail { head: 3 }));
    // A chain that grew on from the anchor is fine, one that parted is not.
    assert!(project.view().verify_against(&early).is_ok());
    assert!(project.view().verify_against(&anchor).is_ok());
    older.open().append(&entry(33)).unwrap();
    let found = broken(older.view().verify_against(&anchor));
    assert_eq!((found.seq, found.why), (3, Why::AnchorElsewhere));
    let nothing = Anchor { seq: 0, ..anchor };
    assert_eq!(broken(older.view().verify_against(&nothing)).seq, 0);
}

#[test]
fn the_key_replaced_lost_or_exposed() {
    let project = Project::with(3);
    let key = project.file("ledger.key");
    let good = fs::read(&key).unwrap();
    assert_eq!(
        fs::metadata(&key).unwrap().permissions().mode() & 0o777,
        0o600
    );

    fs::write(&key, fs::read(Project::with(0).file("ledger.key")).unwrap()).unwrap();
    let found = project.broken();
    assert_eq!((found.seq, found.why), (1, Why::ForeignKey));
    assert_eq!(project.refuses_to_append(), Why::ForeignKey);

    for bad in [&b""[..], b"x", &good[..good.len() - 1], &[0xff; 91]] {
        fs::write(&key, bad).unwrap();
        for error in [
            View::open(&project.dir()).map(drop).unwrap_err(),
            hayward_ledger::Ledger::open(&project.dir())
                .map(drop)
                .unwrap_err(),
        ] {
            assert!(matches!(error, LedgerError::KeyMalformed { .. }), "{error}");
            assert!(!format!("{error:?}").contains("secret"), "{error:?}");
        }
    }
    fs::write(&key, &good).unwrap();
    for mode in [0o640, 0o604, 0o620, 0o601] {
        fs::set_permissions(&key, fs::Permissions::from_mode(mode)).unwrap();
        let error = hayward_ledger::Ledger::open(&project.dir()).unwrap_err();
        assert!(matches!(error, LedgerError::KeyExposed { .. }), "{error}");
    }
    fs::remove_file(&key).unwrap();
    let error = hayward_ledger::Ledger::open(&project.dir()).unwrap_err();
    assert!(matches!(error, LedgerError::KeyMissing { .. }), "{error}");
    assert!(!key.exists());
    let elsewhere = project.root().join("key");
    fs::write(&elsewhere, &good).unwrap();
    fs::set_permissions(&elsewhere, fs::Permissions::from_mode(0o600)).unwrap();
    symlink(&elsewhere, &key).unwrap();
    let error = hayward_ledger::Ledger::open(&project.dir()).unwrap_err();
    assert!(matches!(error, LedgerError::NotRegular { .. }), "{error}");
    // The positive twin.
    fs::remove_file(&key).unwrap();
    fs::rename(&elsewhere, &key).unwrap();
    assert_eq!(project.open().append(&entry(4)).unwrap().seq, 4);
}

#[test]
fn the_secret_is_never_shown() {
    let project = Project::with(1);
    let text = fs::read_to_string(project.file("ledger.key")).unwrap();
    let secret = text.trim().rsplit(' ').next().unwrap();
    assert_eq!(secret.len(), 64);
    let mut ledger = project.open();
    let receipt = ledger.append(&entry(2)).unwrap();
    for shown in [
        format!("{ledger:?}"),
        format!("{receipt:?}"),
        serde_json::to_string(&receipt).unwrap(),
        fs::read_to_string(project.file("ledger.head")).unwrap(),
    ] {
        assert!(!shown.contains(secret));
    }
}

#[test]
fn a_database_cut_at_any_length_is_an_error() {
    let project = Project::with(30);
    project.tamper("");
    let bytes = fs::read(project.file("ledger.db")).unwrap();
    assert!(bytes.len() > 16_384);
    assert_eq!(project.view().verify().unwrap().receipts, 30);
    let copy = project.copy();
    let lengths = (0..bytes.len())
        .step_by(1000)
        .chain((0..bytes.len()).step_by(4096))
        .chain([1, 15, 16, 99, 100, 101, bytes.len() - 1]);
    for length in lengths {
        for leftover in ["-wal", "-shm"] {
            let _ = fs::remove_file(copy.file(&format!("ledger.db{leftover}")));
        }
        fs::write(copy.file("ledger.db"), &bytes[..length]).unwrap();
        let error = View::open(&copy.dir())
            .and_then(|view| view.verify())
            .expect_err(&format!("cut at {length}"));
        let named = matches!(
            error,
            LedgerError::Damaged { .. } | LedgerError::Broken(_) | LedgerError::Disk { .. }
        );
        assert!(named, "cut at {length}: {error:?}");
        let outcome = hayward_ledger::Ledger::open(&copy.dir())
            .and_then(|mut ledger| ledger.append(&entry(31)));
        assert!(outcome.is_err(), "cut at {length}: {outcome:?}");
    }
}

#[test]
fn a_database_with_a_flipped_bit_never_lies_or_panics() {
    let project = Project::with(12);
    project.tamper("");
    let honest = project.view().receipts(&Filter::new()).unwrap();
    let bytes = fs::read(project.file("ledger.db")).unwrap();
    let copy = project.copy();
    let mut found = 0;
    let mut state = 7u64;
    for _ in 0..300 {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        let at = usize::try_from(state >> 33).unwrap() % bytes.len();
        let mut flipped = bytes.clone();
        flipped[at] ^= 1 << (state % 8);
        fs::write(copy.file("ledger.db"), &flipped).unwrap();
        let outcome = View::open(&copy.dir()).and_then(|view| {
            view.verify()?;
            view.receipts(&Filter::new())
        });
        match outcome {
            // In a part of a page that holds nothing.
            Ok(receipts) => assert_eq!(receipts, honest, "bit {state} at {at}"),
            Err(_) => found += 1,
        }
    }
    assert!(found > 60, "{found}");
}

#[test]
fn a_cut_or_removed_log_is_an_error() {
    let project = Project::with(6);
    let log = fs::read(project.file("ledger.db-wal")).unwrap();
    // Receipts of the last commits are in the log only.
    for length in [0, 10, 32, log.len() / 2, log.len() - 1] {
        let copy = project.copy();
        fs::write(copy.file("ledger.db-wal"), &log[..length]).unwrap();
        let found = copy.broken();
        assert!(
            matches!(found.why, Why::MissingTail { head: 6 }),
            "{length}: {found}"
        );
    }
    let copy = project.copy();
    fs::remove_file(copy.file("ledger.db-wal")).unwrap();
    assert!(matches!(copy.broken().why, Why::MissingTail { head: 6 }));
    // Without the index a reader would have to write; a writer finishes it.
    let copy = project.copy();
    fs::remove_file(copy.file("ledger.db-shm")).unwrap();
    let error = View::open(&copy.dir()).unwrap_err();
    assert!(matches!(error, LedgerError::Unfinished { .. }), "{error}");
    assert_eq!(copy.open().verify().unwrap().receipts, 6);
    assert_eq!(copy.view().verify().unwrap().receipts, 6);
}

#[test]
fn a_removed_database_is_not_begun_anew() {
    let project = Project::with(2);
    for name in ["ledger.db", "ledger.db-wal", "ledger.db-shm"] {
        fs::remove_file(project.file(name)).unwrap();
    }
    let found = project.broken();
    assert_eq!((found.seq, found.why), (1, Why::MissingTail { head: 2 }));
    let found = broken(hayward_ledger::Ledger::open(&project.dir()));
    assert_eq!((found.seq, found.why), (1, Why::MissingTail { head: 2 }));
    assert!(!project.file("ledger.db").exists());
}

#[test]
fn a_database_replaced_under_an_open_ledger() {
    let project = Project::with(2);
    let mut ledger = project.open();
    let aside = project.file("aside.db");
    fs::rename(project.file("ledger.db"), &aside).unwrap();
    let error = ledger.append(&entry(3)).unwrap_err();
    assert!(matches!(error, LedgerError::Replaced { .. }), "{error}");
    fs::copy(&aside, project.file("ledger.db")).unwrap();
    let error = ledger.append(&entry(3)).unwrap_err();
    assert!(matches!(error, LedgerError::Replaced { .. }), "{error}");
}

#[test]
fn an_altered_schema_is_named() {
    for (edit, object) in [
        ("DROP TRIGGER receipts_no_delete", "receipts_no_delete"),
        ("DROP INDEX receipts_host", "receipts_host"),
        ("CREATE TABLE more (a)", "more"),
        (
            "CREATE TRIGGER wipe AFTER INSERT ON receipts BEGIN SELECT 1; END",
            "wipe",
        ),
        ("ALTER TABLE receipts ADD COLUMN note TEXT", "receipts"),
        ("ALTER TABLE receipts RENAME TO gone", "receipts"),
    ] {
        let project = Project::with(2);
        let mut ledger = project.open();
        let raw = Connection::open(project.file("ledger.db")).unwrap();
        raw.execute_batch(edit).unwrap();
        drop(raw);
        for error in [
            project.view().verify().map(drop).unwrap_err(),
            ledger.append(&entry(3)).map(drop).unwrap_err(),
            hayward_ledger::Ledger::open(&project.dir())
                .map(drop)
                .unwrap_err(),
        ] {
            match error {
                LedgerError::Altered { object: named, .. } => assert_eq!(named, object),
                other => panic!("{edit}: {other:?}"),
            }
        }
    }
    // Statistics of SQLite's own do no harm.
    let project = Project::with(2);
    let raw = Connection::open(project.file("ledger.db")).unwrap();
    raw.execute_batch("ANALYZE").unwrap();
    drop(raw);
    assert_eq!(project.open().append(&entry(3)).unwrap().seq, 3);
    assert_eq!(project.view().verify().unwrap().receipts, 3);
}

#[test]
fn an_index_that_hides_a_row_is_found() {
    let project = Project::with(3);
    let raw = Connection::open(project.file("ledger.db")).unwrap();
    // The index is made to look at nothing, filled, and made to look right again.
    let hide = |sql: &str| {
        raw.execute_batch(&format!(
            "PRAGMA writable_schema = ON;
             UPDATE sqlite_schema SET sql = '{sql}' WHERE name = 'receipts_host';
             PRAGMA writable_schema = RESET;"
        ))
        .unwrap();
    };
    hide("CREATE INDEX receipts_host ON receipts (host) WHERE seq > 100");
    raw.execute_batch("REINDEX receipts_host").unwrap();
    hide("CREATE INDEX receipts_host ON receipts (host)");
    drop(raw);
    let hidden = project
        .view()
        .receipts(&Filter::new().host("runner-1"))
        .unwrap();
    assert!(hidden.is_empty());
    let error = project.view().verify().unwrap_err();
    assert!(
        matches!(error, LedgerError::Damaged { seq: Some(3), .. }),
        "{error:?}"
    );
}
