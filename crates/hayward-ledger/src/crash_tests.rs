//! A process killed after each step of opening and of appending.
//!
//! The test runs itself again as a child that kills itself at one step: the files
//! are then as that step left them, without destructors.

use crate::step::Step;
use crate::{Entry, Kind, Ledger, LedgerError, View};
use rustix::process::{Signal, getpid, kill_process};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Command;

const DIR: &str = "HAYWARD_LEDGER_CRASH_DIR";
const STEP: &str = "HAYWARD_LEDGER_CRASH_STEP";

const OPENING: [Step; 10] = [
    Step::DirectoryMade,
    Step::IgnoreStaged,
    Step::IgnorePlaced,
    Step::KeyStaged,
    Step::KeyPlaced,
    Step::DatabaseMade,
    Step::SchemaWritten,
    Step::WalOn,
    Step::FirstHeadStaged,
    Step::Opened,
];
const APPENDING: [Step; 5] = [
    Step::Begun,
    Step::Inserted,
    Step::HeadStaged,
    Step::Committed,
    Step::HeadPlaced,
];

fn entry() -> Entry {
    Entry::new(Kind::Apply, &serde_json::json!({"done": true})).unwrap()
}

/// The child; without the variables it has nothing to do.
#[test]
fn child() {
    let (Ok(dir), Ok(step)) = (std::env::var(DIR), std::env::var(STEP)) else {
        return;
    };
    let mut die = |at: Step| {
        if format!("{at:?}") == step {
            let _ = kill_process(getpid(), Signal::KILL);
        }
    };
    let mut ledger = Ledger::open_watched(Path::new(&dir), &mut die).unwrap();
    ledger.append_watched(&entry(), &mut die).unwrap();
}

fn die_at(step: Step, dir: &Path) {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "crash_tests::child"])
        .env(DIR, dir)
        .env(STEP, format!("{step:?}"))
        .output()
        .unwrap();
    assert_eq!(output.status.signal(), Some(9), "{step:?}: {output:?}");
}

#[test]
fn killed_at_each_step_of_the_first_opening() {
    for step in OPENING {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join(".hayward");
        die_at(step, &dir);
        match View::open(&dir).and_then(|view| view.verify()) {
            Ok(verified) => assert_eq!(verified.receipts, 0, "{step:?}"),
            Err(LedgerError::NoLedger { .. }) => {}
            Err(error) => panic!("{step:?}: {error}"),
        }
        let mut ledger = Ledger::open(&dir).unwrap();
        assert_eq!(ledger.append(&entry()).unwrap().seq, 1, "{step:?}");
        assert_eq!(ledger.verify().unwrap().receipts, 1, "{step:?}");
        let staged = std::fs::read_dir(&dir)
            .unwrap()
            .filter(|found| {
                let name = found.as_ref().unwrap().file_name();
                name.to_string_lossy().contains("head.new")
            })
            .count();
        assert_eq!(staged, 0, "{step:?}");
        let ignored = std::fs::read_to_string(dir.join(".gitignore")).unwrap();
        assert_eq!(ignored, "*\n", "{step:?}");
    }
}

#[test]
fn killed_at_each_step_of_an_append() {
    for before in [0, 3] {
        for step in APPENDING {
            let root = tempfile::tempdir().unwrap();
            let dir = root.path().join(".hayward");
            let mut ledger = Ledger::open(&dir).unwrap();
            for _ in 0..before {
                ledger.append(&entry()).unwrap();
            }
            drop(ledger);
            die_at(step, &dir);

            let kept = u64::from(matches!(step, Step::Committed | Step::HeadPlaced));
            let verified = View::open(&dir).unwrap().verify().unwrap();
            assert_eq!(verified.receipts, before + kept, "{step:?}");
            assert_eq!(verified.head_behind, step == Step::Committed, "{step:?}");

            // The next append mends what there is to mend.
            let mut ledger = Ledger::open(&dir).unwrap();
            let receipt = ledger.append(&entry()).unwrap();
            assert_eq!(receipt.seq, before + kept + 1, "{step:?}");
            assert!(!ledger.verify().unwrap().head_behind, "{step:?}");
        }
    }
}

/// Between row and head, and then at each step of the next append.
#[test]
fn killed_again_before_the_head_is_mended() {
    let with_mending = APPENDING.into_iter().chain([Step::HeadMended]);
    for step in with_mending {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join(".hayward");
        die_at(Step::Committed, &dir);
        die_at(Step::Committed, &dir);
        assert!(View::open(&dir).unwrap().verify().unwrap().head_behind);
        die_at(step, &dir);
        let kept = u64::from(matches!(step, Step::Committed | Step::HeadPlaced));
        let verified = View::open(&dir).unwrap().verify().unwrap();
        assert_eq!(verified.receipts, 2 + kept, "{step:?}");
        let behind = matches!(step, Step::Begun | Step::Committed);
        assert_eq!(verified.head_behind, behind, "{step:?}");
        let mut ledger = Ledger::open(&dir).unwrap();
        assert_eq!(ledger.append(&entry()).unwrap().seq, 3 + kept, "{step:?}");
        assert!(!ledger.verify().unwrap().head_behind, "{step:?}");
    }
}
