//! Full disks, read-only trees, and two applies at a time.

use crate::bed::{Bed, file, refused};
use hayward_fleet::Outcome;
use rustix::mount::{MountFlags, UnmountFlags, mount, unmount};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A small file system in memory, unmounted when it is dropped.
struct Mounted(PathBuf);

impl Mounted {
    /// Mounts 1 MiB at a directory. These tests run as root, here and in CI: a
    /// full disk and a read-only one cannot be had otherwise.
    fn new(at: &Path) -> Self {
        fs::create_dir_all(at).unwrap();
        mount("tmpfs", at, "tmpfs", MountFlags::empty(), c"size=1m")
            .expect("mounting a tmpfs; this test needs root");
        Self(at.to_owned())
    }

    fn read_only(&self) {
        let flags = MountFlags::RDONLY;
        rustix::mount::mount_remount(&self.0, flags, "").expect("remounting read-only");
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        unmount(&self.0, UnmountFlags::DETACH).unwrap();
    }
}

#[test]
fn a_full_disk_is_refused_with_nothing_left_behind() {
    let dir = tempfile::tempdir().unwrap();
    let bed = Bed::at(dir.path());
    let _mounted = Mounted::new(&bed.root());
    bed.write("etc/hostname", "srv1\n");
    bed.write("etc/ballast", vec![0; 400 << 10]);
    let big = "x".repeat(400 << 10);
    let desired = [file("/etc/a", &big), file("/opt/b", &big)];
    let before = bed.listing_with_state();
    let error = refused(bed.apply(&desired, &bed.plan(&desired)));
    assert!(
        error.contains("the disk is full") && error.contains("srv1: cannot write /opt/"),
        "{error}"
    );
    assert_eq!(bed.listing_with_state(), before);
    bed.remove("etc/ballast");
    assert_eq!(bed.converge(&desired), 1);
}

#[test]
fn a_disk_that_is_full_to_the_last_byte_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let bed = Bed::at(dir.path());
    let _mounted = Mounted::new(&bed.root());
    bed.write("etc/hostname", "srv1\n");
    bed.converge(&[file("/etc/a", "old")]);
    let ballast = bed.root().join("ballast");
    // Whatever still fits is written, down to the last byte.
    let mut sink = fs::File::create(&ballast).unwrap();
    while std::io::Write::write_all(&mut sink, &[0; 512]).is_ok() {}
    let before = bed.listing();
    let desired = [file("/etc/a", "new"), file("/etc/b", "new")];
    let error = refused(bed.apply(&desired, &bed.plan(&desired)));
    assert!(error.contains("the disk is full"), "{error}");
    assert_eq!(bed.listing(), before);
    drop(sink);
    fs::remove_file(ballast).unwrap();
    assert_eq!(bed.converge(&desired), 2);
}

#[test]
fn a_read_only_tree_is_refused_and_can_still_be_read() {
    let dir = tempfile::tempdir().unwrap();
    let bed = Bed::at(dir.path());
    let mounted = Mounted::new(&bed.root());
    bed.write("etc/hostname", "srv1\n");
    mounted.read_only();
    let desired = [file("/etc/a", "x")];
    let before = bed.stamps();
    let error = refused(bed.apply(&desired, &bed.plan(&desired)));
    assert!(
        error.contains("srv1") && error.contains("the tree is read-only"),
        "{error}"
    );
    assert_eq!(bed.stamps(), before);
    assert!(matches!(
        bed.apply(&[], &bed.plan(&[])),
        Outcome::NothingToDo { generation: 0 }
    ));
}

#[test]
fn a_read_only_part_of_a_tree_is_refused_and_the_rest_is_left_alone() {
    let bed = Bed::new();
    bed.converge(&[file("/etc/a", "old")]);
    let mounted = Mounted::new(&bed.root().join("opt"));
    mounted.read_only();
    let before = bed.listing_with_state();
    let desired = [file("/etc/a", "new"), file("/opt/b", "new")];
    let error = refused(bed.apply(&desired, &bed.plan(&desired)));
    assert!(
        error.contains("read-only") && error.contains("/opt/"),
        "{error}"
    );
    assert_eq!(bed.listing_with_state(), before);
    drop(mounted);
    // The empty directory is the tree's own again; the plan is as fresh.
    assert_eq!(bed.converge(&desired), 2);
}

#[test]
fn a_tree_of_several_file_systems_is_converged_like_one() {
    let bed = Bed::new();
    let _opt = Mounted::new(&bed.root().join("opt"));
    let _var = Mounted::new(&bed.root().join("var"));
    assert_eq!(
        bed.converge(&[
            file("/etc/a", "1"),
            file("/opt/b", "1"),
            file("/opt/c", "1")
        ]),
        1
    );
    assert_eq!(bed.converge(&[file("/etc/a", "2"), file("/opt/b", "2")]), 2);
    assert_eq!(
        (bed.read("etc/a"), bed.read("opt/b"), bed.has("opt/c")),
        ("2".into(), "2".into(), false)
    );
}

#[test]
fn a_second_apply_at_the_same_time_is_refused() {
    let bed = Bed::new();
    let first = [file("/etc/a", "1")];
    bed.converge(&first);
    let second = [file("/etc/a", "2")];
    let (changing, resting) = (bed.plan(&second), bed.plan(&first));
    let lock = fs::File::open(bed.root().join("var/lib/hayward/lock")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    let before = bed.stamps();
    for (desired, plan) in [(&second, &changing), (&first, &resting)] {
        let begun = Instant::now();
        let error = refused(bed.apply(desired, plan));
        assert!(begun.elapsed() < Duration::from_secs(5));
        assert!(
            error.contains("srv1: another apply is under way"),
            "{error}"
        );
        // Known where the file system's device is the one that the kernel names.
        let me = format!("(process {})", std::process::id());
        assert!(
            error.ends_with("under way") || error.contains(&me),
            "{error}"
        );
    }
    let error = bed.recover().unwrap_err().to_string();
    assert!(error.contains("another apply is under way"), "{error}");
    assert_eq!(bed.stamps(), before);
    drop(lock);
    assert!(matches!(bed.apply(&second, &changing), Outcome::Applied(_)));
}

#[test]
fn of_many_first_applies_at_the_same_time_one_is_done() {
    let bed = Bed::new();
    let desired = [file("/etc/a", "1"), file("/opt/x/b", "1")];
    let plan = bed.plan(&desired);
    let done: usize = std::thread::scope(|scope| {
        let run = || match bed.apply(&desired, &plan) {
            Outcome::Applied(_) => 1,
            Outcome::Refused { .. } => 0,
            other => panic!("{other:?}"),
        };
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(run)).collect();
        threads.into_iter().map(|t| t.join().unwrap()).sum()
    });
    assert_eq!(done, 1);
    assert!(!bed.plan(&desired).has_changes());
}
