//! What every store of receipts must do, whichever it is. A second store is one
//! more line at the end of this file.

// Clippy knows a test by its attribute only, not what tests share.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod common;

use common::entry;
use hayward_ledger::{BODY_LIMIT, Entry, Filter, Kind, Ledger, Receipt, Receipts};
use serde_json::json;

/// A fresh, empty store; the second is whatever keeps it alive.
type Fresh = (Box<dyn Receipts>, Box<dyn std::any::Any>);

fn seqs(receipts: &[Receipt]) -> Vec<u64> {
    receipts.iter().map(|receipt| receipt.seq).collect()
}

fn an_empty_store_is_whole((store, _keep): Fresh) {
    let verified = store.verify().unwrap();
    assert_eq!(verified.receipts, 0);
    assert!(!verified.head_behind);
    assert!(store.receipts(&Filter::new()).unwrap().is_empty());
    assert_eq!(store.latest(Kind::Plan, None).unwrap(), None);
}

fn receipts_form_a_chain((mut store, _keep): Fresh) {
    let mut previous = store.verify().unwrap().head;
    for number in 1..=5 {
        let receipt = store.append(&entry(number)).unwrap();
        assert_eq!(receipt.seq, number);
        assert_eq!(receipt.previous, previous);
        previous = receipt.digest;
        let verified = store.verify().unwrap();
        assert_eq!((verified.receipts, verified.head), (number, previous));
        assert_eq!(verified.key, receipt.key);
        assert!(receipt.key.signed(&receipt.digest, &receipt.signature));
    }
}

fn what_is_kept_is_what_was_appended((mut store, _keep): Fresh) {
    // The order of keys, numbers that no float holds, and odd letters all stay.
    let body: &serde_json::value::RawValue =
        serde_json::from_str(r#"{"z":1,"a":123456789012345678901234567890,"é\u0000":"\n"}"#)
            .unwrap();
    let bare = Entry::new(Kind::Observation, body).unwrap();
    let first = store.append(&bare).unwrap();
    let full = bare.host("höst").unwrap().revision("rev").unwrap();
    let second = store.append(&full).unwrap();
    assert_eq!(first.body, body.get());
    assert_eq!(
        (first.host.as_deref(), first.revision.as_deref()),
        (None, None)
    );
    assert_eq!(second.host.as_deref(), Some("höst"));
    assert_eq!(second.revision.as_deref(), Some("rev"));
    assert!(second.actor.contains('@'));
    assert!(second.tool.starts_with("hayward "));
    assert_eq!(second.time_source, "system clock");
    // 2020 to 2100.
    assert!((1_577_836_800_000..4_102_444_800_000).contains(&second.at));
    assert_eq!(
        store.receipts(&Filter::new()).unwrap(),
        [first.clone(), second]
    );
    let shown = serde_json::to_string(&first).unwrap();
    assert!(
        shown.contains(&format!(r#""body":{}"#, body.get())),
        "{shown}"
    );
    assert!(shown.contains(r#""kind":"observation""#), "{shown}");
}

fn the_largest_body_is_kept((mut store, _keep): Fresh) {
    let around = r#"{"a":""}"#.len();
    let body = json!({"a": "x".repeat(BODY_LIMIT - around)});
    let receipt = store
        .append(&Entry::new(Kind::Plan, &body).unwrap())
        .unwrap();
    assert_eq!(receipt.body_as::<serde_json::Value>().unwrap(), body);
    assert_eq!(store.receipts(&Filter::new()).unwrap(), [receipt]);
    assert_eq!(store.verify().unwrap().receipts, 1);
}

fn filters_select((mut store, _keep): Fresh) {
    let about = |kind, host: &str| {
        let entry = Entry::new(kind, &json!({})).unwrap();
        if host.is_empty() {
            entry
        } else {
            entry.host(host).unwrap()
        }
    };
    for (kind, host) in [
        (Kind::Plan, "a"),
        (Kind::Plan, "b"),
        (Kind::Apply, "a"),
        (Kind::Plan, ""),
        (Kind::Plan, "a"),
        (Kind::Apply, "b"),
    ] {
        store.append(&about(kind, host)).unwrap();
    }
    let all = Filter::new;
    for (filter, expected) in [
        (all(), vec![1, 2, 3, 4, 5, 6]),
        (all().newest_first(), vec![6, 5, 4, 3, 2, 1]),
        (all().kind(Kind::Plan), vec![1, 2, 4, 5]),
        (all().host("a"), vec![1, 3, 5]),
        (all().host("A"), vec![]),
        (all().host(""), vec![]),
        (all().host("a").kind(Kind::Plan), vec![1, 5]),
        (all().kind(Kind::Plan).after(2), vec![4, 5]),
        (all().after(u64::MAX), vec![]),
        (all().limit(2), vec![1, 2]),
        (all().limit(0), vec![]),
        (all().limit(usize::MAX), vec![1, 2, 3, 4, 5, 6]),
        (all().kind(Kind::Plan).newest_first().limit(2), vec![5, 4]),
        (all().host("' OR 1=1 --"), vec![]),
    ] {
        assert_eq!(
            seqs(&store.receipts(&filter).unwrap()),
            expected,
            "{filter:?}"
        );
    }
    let latest = |kind, host| store.latest(kind, host).unwrap().map(|found| found.seq);
    assert_eq!(latest(Kind::Plan, Some("a")), Some(5));
    assert_eq!(latest(Kind::Plan, Some("b")), Some(2));
    assert_eq!(latest(Kind::Apply, None), Some(6));
    assert_eq!(latest(Kind::Choice, None), None);
    assert_eq!(latest(Kind::Plan, Some("c")), None);
}

fn every_kind_is_kept((mut store, _keep): Fresh) {
    for kind in Kind::ALL {
        store
            .append(&Entry::new(kind, &json!({})).unwrap())
            .unwrap();
    }
    let kinds: Vec<_> = store
        .receipts(&Filter::new())
        .unwrap()
        .into_iter()
        .map(|receipt| receipt.kind)
        .collect();
    assert_eq!(kinds, Kind::ALL);
    assert_eq!(store.verify().unwrap().receipts, 7);
}

macro_rules! contract {
    ($store:ident, $fresh:expr) => {
        contract!($store, $fresh;
            an_empty_store_is_whole,
            receipts_form_a_chain,
            what_is_kept_is_what_was_appended,
            the_largest_body_is_kept,
            filters_select,
            every_kind_is_kept,
        );
    };
    ($store:ident, $fresh:expr; $($clause:ident,)*) => {
        mod $store {
            use super::*;
            $(
                #[test]
                fn $clause() {
                    super::$clause($fresh);
                }
            )*
        }
    };
}

fn sqlite() -> Fresh {
    let project = common::Project::new();
    let ledger: Ledger = project.open();
    (Box::new(ledger), Box::new(project))
}

contract!(in_sqlite, sqlite());
