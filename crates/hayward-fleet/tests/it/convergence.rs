//! Applying comes to rest: nothing is left to do, and nothing is done.

use crate::bed::{Bed, file, file_with, in_memory, path, planned};
use hayward_fleet::{Action, Outcome};
use hayward_model::DesiredPath;
use proptest::prelude::*;

#[test]
fn a_second_apply_changes_not_even_a_time_stamp() {
    let bed = Bed::new();
    let desired = [file("/etc/a", "x"), file_with("/opt/b/c", "y", 0o4750)];
    bed.converge(&desired);
    let before = bed.stamps();
    let plan = bed.plan(&desired);
    assert!(!plan.has_changes());
    let Outcome::NothingToDo { generation } = bed.apply(&desired, &plan) else {
        panic!()
    };
    assert_eq!(generation, 1);
    assert_eq!(bed.stamps(), before);
}

#[test]
fn nothing_to_do_on_a_fresh_host_makes_nothing() {
    let bed = Bed::new();
    let before = bed.stamps();
    let Outcome::NothingToDo { generation } = bed.apply(&[], &bed.plan(&[])) else {
        panic!()
    };
    assert_eq!(generation, 0);
    assert_eq!(bed.stamps(), before);
}

#[test]
fn modes_do_not_depend_on_the_umask_and_nothing_is_left_beside() {
    let bed = Bed::new();
    bed.converge(&[
        file_with("/opt/b/c", "y", 0o666),
        file_with("/opt/d", "y", 0o2755),
    ]);
    let listing = bed.listing_with_state();
    let bits = |at: &str| listing[at].0 & 0o7777;
    assert_eq!((bits("opt"), bits("opt/b")), (0o755, 0o755));
    assert_eq!((bits("opt/b/c"), bits("opt/d")), (0o666, 0o2755));
    let names: Vec<&str> = listing.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "",
            "etc",
            "etc/hostname",
            "opt",
            "opt/b",
            "opt/b/c",
            "opt/d",
            "var",
            "var/lib",
            "var/lib/hayward",
            "var/lib/hayward/generation",
            "var/lib/hayward/lock",
            "var/lib/hayward/manifest",
        ]
    );
}

const PATHS: [&str; 6] = [
    "/etc/a",
    "/etc/b",
    "/opt/x/c",
    "/opt/x/y/d",
    "/e",
    "/etc/f.conf",
];

fn desired() -> impl Strategy<Value = Vec<DesiredPath>> {
    let row = (
        0..PATHS.len(),
        "[a-c\n]{0,4}",
        prop_oneof![Just(0o644), Just(0o600)],
        any::<bool>(),
    );
    prop::collection::vec(row, 0..6).prop_map(|rows| {
        let mut found: Vec<DesiredPath> = Vec::new();
        for (at, text, bits, wanted) in rows {
            let row = if wanted {
                file_with(PATHS[at], &text, bits)
            } else {
                DesiredPath::Gone(path(PATHS[at]))
            };
            if found.iter().all(|f| f.path() != row.path()) {
                found.push(row);
            }
        }
        found
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_plan_after_an_apply_is_empty(
        there in prop::collection::vec((0..PATHS.len(), "[a-c\n]{0,4}"), 0..4),
        first in desired(),
        edits in prop::collection::vec((0..PATHS.len(), prop::option::of("[a-c\n]{0,4}")), 0..4),
        second in desired(),
    ) {
        let mut bed = Bed::within(in_memory());
        for (at, text) in there {
            bed.write(&PATHS[at][1..], text);
        }
        bed.adopt = PATHS.map(path).into();
        for desired in [&first, &second] {
            let mut plan = bed.plan(desired);
            // Only what was edited and is to go is refused, until a person removes it.
            for row in &planned(&plan).paths {
                if let Action::Refused { reason } = &row.action {
                    prop_assert!(reason.ends_with("remove it by hand"), "{}", reason);
                    prop_assert!(bed.has(row.path.relative()));
                    bed.remove(row.path.relative());
                }
            }
            if plan.has_refusals() {
                plan = bed.plan(desired);
            }
            prop_assert!(!plan.has_refusals());
            let outcome = bed.apply(desired, &plan);
            match outcome {
                Outcome::Applied(_) => prop_assert!(plan.has_changes()),
                Outcome::NothingToDo { .. } => prop_assert!(!plan.has_changes()),
                other => prop_assert!(false, "{other:?}"),
            }
            let again = bed.plan(desired);
            prop_assert!(!again.has_changes() && !again.has_refusals());
            for row in desired.iter() {
                let at = &row.path().as_str()[1..];
                match row {
                    DesiredPath::File(f) => prop_assert_eq!(bed.read(at), f.text.clone()),
                    DesiredPath::Gone(_) => prop_assert!(!bed.has(at)),
                    DesiredPath::Foreign(_) => prop_assert!(false, "none is drawn"),
                }
            }
            let before = bed.stamps();
            let rested = matches!(bed.apply(desired, &again), Outcome::NothingToDo { .. });
            prop_assert!(rested);
            prop_assert_eq!(bed.stamps(), before);
            for (at, text) in &edits {
                let at = &PATHS[*at][1..];
                match text {
                    Some(text) => bed.write(at, text),
                    None if bed.has(at) => bed.remove(at),
                    None => {}
                }
            }
        }
    }
}
