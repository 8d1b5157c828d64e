//! What rests on the last word is not recorded behind a newer one.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use hayward_ledger::{Entry, Kind, Ledger, LedgerError};
use serde_json::json;

fn entry(kind: Kind, host: &str) -> Entry {
    Entry::new(kind, &json!({})).unwrap().host(host).unwrap()
}

#[test]
fn an_entry_is_refused_behind_what_it_must_not_follow() {
    let folder = tempfile::tempdir().unwrap();
    let mut ledger = Ledger::open(&folder.path().join(".hayward")).unwrap();
    let first = ledger.append(&entry(Kind::Observation, "a")).unwrap();
    let second = ledger.append(&entry(Kind::Observation, "a")).unwrap();
    let guarded = |host: Option<&str>, kinds: &[Kind]| {
        entry(Kind::Observation, "a").unless_newer(first.seq, kinds, host)
    };
    for refused in [
        guarded(Some("a"), &[Kind::Observation]),
        guarded(None, &[Kind::Apply, Kind::Observation]),
    ] {
        match ledger.append(&refused) {
            Err(LedgerError::Overtaken { seq }) => assert_eq!(seq, second.seq),
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(ledger.verify().unwrap().receipts, 2);
    for taken in [
        guarded(Some("b"), &[Kind::Observation]),
        guarded(Some("a"), &[Kind::Apply]),
        entry(Kind::Observation, "a").unless_newer(4, &[Kind::Observation], Some("a")),
    ] {
        ledger.append(&taken).unwrap();
    }
    assert_eq!(ledger.verify().unwrap().receipts, 5);
}
