//! Full disks, killed processes, and several at once.

// Clippy knows a test by its attribute only, not what tests share.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod common;

use common::{DIR, Project, ROLE, entry, role};
use hayward_ledger::{Entry, Filter, Kind, Ledger, LedgerError, View};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// The part of the child; without a role it has nothing to do.
#[test]
fn child() {
    let Some((role, dir)) = role() else { return };
    match role.as_str() {
        "append 200" => {
            let mut ledger = Ledger::open(&dir).unwrap();
            for number in 0..200 {
                ledger.append(&entry(number)).unwrap();
            }
        }
        "append until killed" => {
            let mut ledger = Ledger::open(&dir).unwrap();
            for number in 0.. {
                let receipt = ledger.append(&entry(number)).unwrap();
                // Told only when it is durable: what is told must be found again.
                let mut out = std::io::stdout().lock();
                writeln!(out, "kept {}", receipt.seq).unwrap();
                out.flush().unwrap();
            }
        }
        "fill" => fill(&dir),
        "fill and free" => {
            let ballast = dir.with_file_name("ballast");
            std::fs::write(&ballast, vec![1; 100 << 10]).unwrap();
            fill(&dir);
            std::fs::remove_file(&ballast).unwrap();
            let mut ledger = Ledger::open(&dir).unwrap();
            let before = ledger.verify().unwrap().receipts;
            assert_eq!(ledger.append(&entry(1)).unwrap().seq, before + 1);
            assert_eq!(ledger.verify().unwrap().receipts, before + 1);
            println!("freed");
        }
        other => panic!("{other}"),
    }
}

/// Appends until there is no room; then the chain is whole, ends at the last that
/// was confirmed, and stays so however often it is tried.
fn fill(dir: &Path) {
    let mut ledger = Ledger::open(dir).unwrap();
    let mut last = None;
    let mut refused = 0;
    for number in 0..3000 {
        // Of several sizes, so that the room ends at different steps.
        let body = serde_json::json!({"x": "y".repeat(usize::try_from(number % 7 * 900).unwrap())});
        match ledger.append(&Entry::new(Kind::Apply, &body).unwrap()) {
            Ok(receipt) => last = Some(receipt),
            Err(LedgerError::Full { .. } | LedgerError::Disk { .. }) => {
                refused += 1;
                let kept = ledger.verify().unwrap();
                let last = last.as_ref().unwrap();
                assert_eq!((kept.receipts, kept.head), (last.seq, last.digest));
                assert!(!kept.head_behind);
                assert!(!dir.join("ledger.head.new").exists());
            }
            Err(other) => panic!("{other:?}"),
        }
        if refused == 20 {
            println!("filled {}", last.unwrap().seq);
            return;
        }
    }
    panic!("never full");
}

fn shell(role: &str, dir: &Path, wrapper: &[&str], script: &str) -> Command {
    let inner = common::child(role, dir);
    let mut command = match wrapper {
        [] => Command::new("sh"),
        [program, rest @ ..] => {
            let mut command = Command::new(program);
            command.args(rest).arg("sh");
            command
        }
    };
    command
        .args(["-c", script, "sh"])
        .arg(inner.get_program())
        .args(inner.get_args())
        .env(ROLE, role)
        .env(DIR, dir);
    command
}

#[test]
fn a_file_that_may_not_grow_refuses_the_receipt() {
    let project = Project::with(3);
    // 300 blocks of 512 bytes; the signal is ignored, so that writing fails instead.
    let output = shell(
        "fill",
        &project.dir(),
        &[],
        r#"trap '' XFSZ; ulimit -f 300; exec "$@""#,
    )
    .output()
    .unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8_lossy(&output.stdout);
    let kept: u64 = text
        .lines()
        .find_map(|line| line.rsplit_once("filled ")?.1.parse().ok())
        .unwrap();
    assert!(kept > 3);
    assert_eq!(project.view().verify().unwrap().receipts, kept);
    let mut ledger = project.open();
    assert_eq!(ledger.append(&entry(1)).unwrap().seq, kept + 1);
    assert_eq!(ledger.verify().unwrap().receipts, kept + 1);
}

#[test]
fn a_full_disk_refuses_the_receipt() {
    let root = tempfile::tempdir().unwrap();
    let mount = root.path().join("mount");
    std::fs::create_dir(&mount).unwrap();
    // A mount of our own, gone with the process; needs user namespaces or root.
    let wrapper: &[&str] = if rustix::process::geteuid().is_root() {
        &["unshare", "--mount"]
    } else {
        &["unshare", "--user", "--map-root-user", "--mount"]
    };
    let possible = Command::new(wrapper[0])
        .args(&wrapper[1..])
        .args(["mount", "-t", "tmpfs", "tmpfs"])
        .arg(&mount)
        .output()
        .is_ok_and(|output| output.status.success());
    if !possible {
        eprintln!("NOT RUN: a_full_disk_refuses_the_receipt may not mount a tmpfs here");
        return;
    }
    for size in ["420k", "436k", "440k", "500k"] {
        let output = shell(
            "fill and free",
            &mount.join(".hayward"),
            wrapper,
            &format!(
                r#"mount -t tmpfs -o size={size} tmpfs '{}' && exec "$@""#,
                mount.display()
            ),
        )
        .output()
        .unwrap();
        assert!(output.status.success(), "{size}: {output:?}");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.contains("freed"), "{size}: {output:?}");
    }
}

#[test]
fn two_processes_append_in_turn() {
    let project = Project::new();
    // Both make the ledger, too.
    let children: Vec<_> = (0..2)
        .map(|_| {
            common::child("append 200", &project.dir())
                .stdout(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(project.view().verify().unwrap().receipts, 400);
    let receipts = project.view().receipts(&Filter::new()).unwrap();
    assert!((1..=400).eq(receipts.iter().map(|receipt| receipt.seq)));
}

#[test]
fn threads_append_while_others_verify() {
    let project = Project::with(1);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let mut ledger = project.open();
                for number in 0..40 {
                    ledger.append(&entry(number)).unwrap();
                }
            });
        }
        scope.spawn(|| {
            let view = project.view();
            let mut seen = 0;
            for _ in 0..20 {
                let verified = view.verify().unwrap();
                assert!(verified.receipts >= seen);
                assert!(!verified.head_behind);
                seen = verified.receipts;
            }
        });
    });
    assert_eq!(project.view().verify().unwrap().receipts, 121);
}

#[test]
fn killed_at_any_moment_the_chain_is_whole() {
    let mut state = u64::from(std::process::id()) | 1;
    let mut random = move |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let mut told = 0;
    let grown = Project::new();
    for round in 0..45 {
        // The first 30 on one ledger, the rest each on a new one, killed sooner.
        let fresh = Project::new();
        let project = if round < 30 { &grown } else { &fresh };
        let mut child = common::child("append until killed", &project.dir())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).split(b'\n');
        let told_seq = |line: Option<std::io::Result<Vec<u8>>>| {
            let line = String::from_utf8(line?.unwrap()).unwrap();
            Some(
                line.rsplit_once("kept ")
                    .and_then(|(_, seq)| seq.parse().ok()),
            )
        };
        let mut kept = 0;
        // Every other time not before something was appended, however slow this is.
        if round < 30 && round % 2 == 0 {
            while kept == 0 {
                kept = told_seq(lines.next()).unwrap().unwrap_or(0);
            }
        }
        let micros = if round < 30 { 40_000 } else { 15_000 };
        std::thread::sleep(Duration::from_micros(random(micros)));
        child.kill().unwrap();
        while let Some(seq) = told_seq(lines.next()) {
            kept = seq.unwrap_or(kept);
        }
        child.wait().unwrap();
        match View::open(&project.dir()).and_then(|view| view.verify()) {
            // Everything told is there, and one more at most.
            Ok(verified) => {
                let floor = if round < 30 { told } else { 0 };
                assert!(verified.receipts >= kept.max(floor), "round {round}");
                if kept > 0 {
                    assert!(verified.receipts <= kept + 1, "round {round}");
                }
                if round < 30 {
                    told = verified.receipts;
                }
            }
            Err(LedgerError::NoLedger { .. } | LedgerError::Unfinished { .. }) if kept == 0 => {}
            Err(error) => panic!("round {round}: {error:?}"),
        }
        // Where it was killed while making the ledger, opening finishes it.
        Ledger::open(&project.dir()).unwrap().verify().unwrap();
    }
    assert!(told >= 15, "{told}");
    let mut ledger = grown.open();
    assert_eq!(ledger.append(&entry(0)).unwrap().seq, told + 1);
    assert!(!ledger.verify().unwrap().head_behind);
}
