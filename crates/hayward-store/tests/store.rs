//! An entry is there as it was put, or it is not there.
#![allow(clippy::unwrap_used)] // a test's own set-up

use expect_test::expect;
use hayward_store::{Digest, Kind, Place, PlaceError, Shared, SharedAt, SharedPlace, Store};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

fn open(folder: &Path) -> Store {
    open_as(folder, "build", Store::LIMIT)
}

fn open_as(folder: &Path, build: &str, limit: u64) -> Store {
    Store::open(&Place::Folder(folder.join("store")), build, limit).unwrap()
}

fn key(n: u64) -> Digest {
    *blake3::hash(&n.to_le_bytes()).as_bytes()
}

#[test]
fn an_entry_is_found_by_kind_and_key_and_by_the_build_that_put_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    assert_eq!(store.get(Kind::Value, &key(1)), None);
    assert!(store.put([(Kind::Value, key(1), b"one".to_vec())]));
    assert_eq!(
        store.get(Kind::Value, &key(1)).as_deref(),
        Some(&b"one"[..])
    );
    assert_eq!(store.get(Kind::Module, &key(1)), None);
    assert_eq!(store.get(Kind::Value, &key(2)), None);
    assert_eq!(
        open(folder.path()).get(Kind::Value, &key(1)).as_deref(),
        Some(&b"one"[..])
    );
    let other = open_as(folder.path(), "another", Store::LIMIT);
    assert_eq!(other.get(Kind::Value, &key(1)), None);
}

#[test]
fn without_a_place_nothing_is_kept() {
    let store = Store::open(&Place::Off, "build", Store::LIMIT).unwrap();
    assert!(!store.is_on());
    assert!(!store.put([(Kind::Value, key(1), b"one".to_vec())]));
    assert_eq!(store.get(Kind::Value, &key(1)), None);
}

#[test]
fn a_folder_that_others_may_write_to_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("store");
    std::fs::create_dir(&place).unwrap();
    std::fs::set_permissions(&place, std::fs::Permissions::from_mode(0o777)).unwrap();
    let open = || Store::open(&Place::Folder(place.clone()), "build", Store::LIMIT);
    let why = |error: PlaceError| error.to_string().replace(place.to_str().unwrap(), "/store");
    expect!["the store /store has mode 0777, so others may write to it: run `chmod go-w` on it"]
        .assert_eq(&why(open().err().unwrap()));
    std::fs::set_permissions(&place, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert!(open().is_ok());
}

#[test]
fn a_folder_of_another_user_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("store");
    std::fs::create_dir(&place).unwrap();
    if let Err(error) = std::os::unix::fs::chown(&place, Some(12), None) {
        eprintln!("NOT RUN: a_folder_of_another_user_is_refused, which gives one away: {error}");
        return;
    }
    let opened = Store::open(&Place::Folder(place.clone()), "build", Store::LIMIT);
    let why = opened.err().unwrap().to_string();
    expect!["the store /store belongs to user 12 and this is run by user 0: name a folder of your own in HAYWARD_STORE, or run `chown -R 0` on it"].assert_eq(&why.replace(place.to_str().unwrap(), "/store"));
}

#[test]
fn every_damaged_byte_of_the_file_costs_an_entry_at_most() {
    let folder = tempfile::tempdir().unwrap();
    let value: Vec<u8> = (0..5000u32).flat_map(u32::to_le_bytes).collect();
    let store = open(folder.path());
    for n in 0..20 {
        assert!(store.put([(Kind::Value, key(n), value.clone())]));
    }
    drop(store);
    let path = folder.path().join("store/entries.sqlite");
    let whole = std::fs::read(&path).unwrap();
    for at in (0..whole.len()).step_by(997) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0xff;
        std::fs::write(&path, &bytes).unwrap();
        for aside in ["-wal", "-shm"] {
            let _ = std::fs::remove_file(format!("{}{aside}", path.display()));
        }
        let store = open(folder.path());
        for n in 0..20 {
            let found = store.get(Kind::Value, &key(n));
            assert!(found.is_none_or(|found| found == value), "byte {at}");
        }
        // And it goes on working, or says that it did not.
        if store.put([(Kind::Value, key(99), b"new".to_vec())]) {
            let found = store.get(Kind::Value, &key(99));
            assert!(found.is_none_or(|found| found == b"new"), "byte {at}");
        }
    }
}

#[test]
fn a_file_that_is_no_store_is_made_anew() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path()));
    let path = folder.path().join("store/entries.sqlite");
    for bytes in [
        &b"not a database at all, and long enough to be read as one"[..],
        b"",
    ] {
        std::fs::write(&path, bytes.repeat(100)).unwrap();
        let store = open(folder.path());
        assert!(store.put([(Kind::Value, key(1), b"one".to_vec())]));
        assert_eq!(
            store.get(Kind::Value, &key(1)).as_deref(),
            Some(&b"one"[..])
        );
    }
}

#[test]
fn a_large_entry_is_whole_or_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let value = |len: u32| -> Vec<u8> { (0..len).map(|n| (n % 251) as u8).collect() };
    for len in [0, 1, (256 << 10) - 1, 256 << 10, (256 << 10) + 1, 3 << 20] {
        let store = open(folder.path());
        assert!(store.put([(Kind::Value, key(1), value(len))]));
        assert_eq!(store.get(Kind::Value, &key(1)), Some(value(len)), "{len}");
    }
    // One that is smaller than the one before leaves nothing of it.
    let store = open(folder.path());
    assert!(store.put([(Kind::Value, key(1), value(700_000))]));
    assert_eq!(store.get(Kind::Value, &key(1)), Some(value(700_000)));
    let file = folder.path().join("store/entries.sqlite");
    let sql = |text: &str| {
        let raw = rusqlite::Connection::open(&file).unwrap();
        raw.execute(text, []).unwrap();
    };
    for damage in [
        "UPDATE entry SET parts = 9223372036854775807",
        "UPDATE entry SET parts = -1",
        "UPDATE entry SET parts = 2",
        "UPDATE entry SET value = zeroblob(length(value)) WHERE part = 1",
        "DELETE FROM entry WHERE part = 1",
        "DELETE FROM entry WHERE part = 0",
    ] {
        assert!(store.put([(Kind::Value, key(1), value(700_000))]));
        sql("DELETE FROM entry WHERE part > 2");
        sql(damage);
        let found = store.get(Kind::Value, &key(1));
        let is_whole = damage.contains("9223372036854775807");
        assert_eq!(found, is_whole.then(|| value(700_000)), "{damage}");
    }
}

#[test]
fn an_entry_moved_under_another_name_is_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    store.put([
        (Kind::Value, key(1), b"one".to_vec()),
        (Kind::Value, key(2), b"two".to_vec()),
    ]);
    let connection =
        rusqlite::Connection::open(folder.path().join("store/entries.sqlite")).unwrap();
    // Each gets the other's value.
    connection
        .execute_batch(
            "CREATE TEMP TABLE was AS SELECT name, value FROM entry;
             UPDATE entry SET value = (SELECT value FROM was WHERE was.name <> entry.name);",
        )
        .unwrap();
    assert_eq!(store.get(Kind::Value, &key(1)), None);
    assert_eq!(store.get(Kind::Value, &key(2)), None);
}

#[test]
fn it_stays_within_its_limit_and_keeps_what_was_written_last() {
    let folder = tempfile::tempdir().unwrap();
    let limit = 4 << 20;
    let store = open_as(folder.path(), "build", limit);
    let value = vec![7; 20_000];
    for n in 0..1000 {
        assert!(store.put([(Kind::Value, key(n), value.clone())]));
        assert!(store.usage().unwrap().bytes <= limit, "after {n}");
    }
    assert!(store.get(Kind::Value, &key(999)).is_some());
    assert!(store.usage().unwrap().entries < 300);
    assert!(store.clear());
    assert_eq!(store.usage().unwrap().entries, 0);
}

#[test]
fn what_is_put_later_is_there_when_the_store_has_finished() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    for n in 0..20 {
        store.put_later(move || vec![(Kind::Value, key(n), b"one".to_vec())]);
    }
    assert_eq!(store.finish(Duration::ZERO), None);
    for n in 0..20 {
        assert!(store.get(Kind::Value, &key(n)).is_some(), "{n}");
    }
    store.put_later(move || vec![(Kind::Value, key(30), b"one".to_vec())]);
    drop(store);
    assert!(open(folder.path()).get(Kind::Value, &key(30)).is_some());
}

#[test]
fn what_is_kept_is_nobody_elses_to_read() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path());
    assert!(store.put([(Kind::Value, key(1), b"one".to_vec())]));
    for entry in std::fs::read_dir(folder.path().join("store")).unwrap() {
        let entry = entry.unwrap();
        let mode = entry.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}", entry.path().display());
    }
}

#[test]
fn many_who_come_first_agree_on_one_secret() {
    for _ in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for n in 0..8 {
                let path = folder.path();
                scope.spawn(move || {
                    assert!(open(path).put([(Kind::Value, key(n), b"one".to_vec())]));
                });
            }
        });
        let store = open(folder.path());
        assert!((0..8).all(|n| store.get(Kind::Value, &key(n)).is_some()));
    }
}

#[test]
fn many_at_once_see_whole_entries() {
    let folder = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for worker in 0..4u8 {
            let path = folder.path();
            scope.spawn(move || {
                let store = open(path);
                for n in 0..50 {
                    let value = vec![worker; 3000];
                    assert!(store.put([(Kind::Value, key(n), value.clone())]));
                    let found = store.get(Kind::Value, &key(n)).unwrap();
                    assert!(found.iter().all(|byte| *byte == found[0]) && found.len() == 3000);
                }
            });
        }
    });
}

fn shared(folder: &Path, secret: &[u8], build: &str) -> Result<Store, PlaceError> {
    let place = SharedPlace {
        at: SharedAt::Folder(folder.join("shared")),
        secret: folder.join(format!("secret-{}", blake3::hash(secret).to_hex())),
    };
    std::fs::write(&place.secret, secret).unwrap();
    Ok(Store::OFF.beside(Shared::open(&place, build, 1 << 20)?))
}

/// Every file of the shared store.
fn files(folder: &Path) -> Vec<std::path::PathBuf> {
    let folders = std::fs::read_dir(folder.join("shared")).unwrap();
    folders
        .flat_map(|folder| std::fs::read_dir(folder.unwrap().path()).unwrap())
        .map(|file| file.unwrap().path())
        .collect()
}

#[test]
fn machines_with_one_secret_share_what_they_find() {
    let folder = tempfile::tempdir().unwrap();
    let one = shared(folder.path(), &[1; 32], "build").unwrap();
    one.put_shared(Kind::Value, &key(1), b"one");
    let other = shared(folder.path(), &[1; 32], "build").unwrap();
    assert_eq!(
        other.get_shared(Kind::Value, &key(1)).as_deref(),
        Some(&b"one"[..])
    );
    assert_eq!(other.get_shared(Kind::Module, &key(1)), None);
    let foreign = shared(folder.path(), &[2; 32], "build").unwrap();
    assert_eq!(foreign.get_shared(Kind::Value, &key(1)), None);
    let older = shared(folder.path(), &[1; 32], "older").unwrap();
    assert_eq!(older.get_shared(Kind::Value, &key(1)), None);
    let short = shared(folder.path(), &[1; 31], "build");
    assert!(matches!(short.err(), Some(PlaceError::ShortSecret(_))));
}

#[test]
fn nothing_in_a_shared_folder_is_believed_without_the_seal() {
    let folder = tempfile::tempdir().unwrap();
    let store = shared(folder.path(), &[1; 32], "build").unwrap();
    store.put_shared(Kind::Value, &key(1), b"one");
    store.put_shared(Kind::Value, &key(2), b"two");
    let found = files(folder.path());
    let [one, two] = found.as_slice() else {
        unreachable!("two entries")
    };
    let bytes = std::fs::read(one).unwrap();
    // Under the other's name.
    std::fs::copy(two, one).unwrap();
    let both = |store: &Store| [1, 2].map(|n| store.get_shared(Kind::Value, &key(n)).is_some());
    assert_eq!(both(&store).iter().filter(|there| **there).count(), 1);
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x40;
        std::fs::write(one, damaged).unwrap();
        assert_eq!(
            both(&store).iter().filter(|there| **there).count(),
            1,
            "byte {at}"
        );
    }
    std::fs::remove_file(one).unwrap();
    std::os::unix::fs::symlink(two, one).unwrap();
    assert_eq!(both(&store).iter().filter(|there| **there).count(), 1);
    std::fs::remove_file(one).unwrap();
    std::fs::write(one, bytes).unwrap();
    assert_eq!(both(&store), [true, true]);
}

#[test]
fn a_shared_store_stays_about_its_limit() {
    let folder = tempfile::tempdir().unwrap();
    let store = shared(folder.path(), &[1; 32], "build").unwrap();
    let value = vec![7; 10_000];
    for n in 0..2000 {
        store.put_shared(Kind::Value, &key(n), &value);
    }
    let bytes: u64 = files(folder.path())
        .iter()
        .map(|file| file.metadata().unwrap().len())
        .sum();
    // Looked at once in 64 entries or so.
    assert!(bytes < (1 << 20) + 500 * 10_032, "{bytes}");
    assert!(store.get_shared(Kind::Value, &key(1999)).is_some());
}

/// A name such as entries have, in one of their folders.
fn entry_name(n: u8) -> String {
    blake3::hash(&[n]).to_hex()[2..].to_owned()
}

#[test]
fn a_shared_store_removes_its_entries_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    let store = shared(folder.path(), &[1; 32], "build").unwrap();
    let old = std::time::UNIX_EPOCH;
    let write = |path: &str| {
        std::fs::create_dir_all(at(path).parent().unwrap()).unwrap();
        let file = std::fs::File::create(at(path)).unwrap();
        file.set_modified(old).unwrap();
        file
    };
    // Somebody leads to what is not in the store, by a folder's link and by a file's.
    let victims = [
        format!("victim/{}", entry_name(1)),
        "shared/ab/README".to_owned(),
        format!("shared/abc/{}", entry_name(2)),
        format!("shared/{}", entry_name(3)),
        format!("shared/ab/{}/file", entry_name(4)),
    ];
    for victim in &victims {
        write(victim);
    }
    std::os::unix::fs::symlink("../victim", at("shared/cd")).unwrap();
    let link = format!("shared/ab/{}", entry_name(5));
    std::os::unix::fs::symlink(at(&victims[0]), at(&link)).unwrap();
    // Files without a byte on the disk make the store look full.
    let large = [6, 7, 8].map(|n| format!("shared/ab/{}", entry_name(n)));
    for large in &large {
        write(large).set_len(1 << 40).unwrap();
    }
    for n in 0..2000 {
        store.put_shared(Kind::Value, &key(n), b"value");
    }
    for victim in victims.iter().chain([&link]) {
        assert!(at(victim).symlink_metadata().is_ok(), "{victim}");
    }
    for large in &large {
        assert!(!at(large).exists(), "{large}");
    }
    assert!(store.get_shared(Kind::Value, &key(1999)).is_some());
}

#[test]
fn a_shared_store_writes_nothing_beyond_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    let store = shared(folder.path(), &[1; 32], "build").unwrap();
    let out = folder.path().join("out");
    std::fs::create_dir(&out).unwrap();
    let below = |n: u8| folder.path().join(format!("shared/{n:02x}"));
    for n in 0..=255 {
        std::os::unix::fs::symlink("../out", below(n)).unwrap();
    }
    store.put_shared(Kind::Value, &key(1), b"one");
    assert_eq!(std::fs::read_dir(&out).unwrap().count(), 0);
    assert_eq!(store.get_shared(Kind::Value, &key(1)), None);
    for n in 0..=255 {
        std::fs::remove_file(below(n)).unwrap();
    }
    store.put_shared(Kind::Value, &key(1), b"one");
    assert!(store.get_shared(Kind::Value, &key(1)).is_some());
    // Nor is an entry read through a folder's link.
    let [entry] = files(folder.path()).try_into().unwrap();
    let its_folder = entry.parent().unwrap();
    std::fs::rename(its_folder, out.join("moved")).unwrap();
    std::os::unix::fs::symlink(out.join("moved"), its_folder).unwrap();
    assert_eq!(store.get_shared(Kind::Value, &key(1)), None);
}

/// The entry is now a file that is none, and now a FIFO that gives a good one to whoever opens it:
/// a reader that looks first and opens then would read it, and wait for it.
#[test]
fn a_pipe_in_the_place_of_an_entry_is_never_read() {
    use rustix::fs::{Mode, OFlags, mkfifoat};
    use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
    let folder = tempfile::tempdir().unwrap();
    let store = shared(folder.path(), &[1; 32], "build").unwrap();
    store.put_shared(Kind::Value, &key(1), b"one");
    let [entry] = files(folder.path()).try_into().unwrap();
    let good = std::fs::read(&entry).unwrap();
    let [fifo, bad, aside] = ["fifo", "bad", "aside"].map(|name| folder.path().join(name));
    std::fs::write(&bad, vec![0; good.len()]).unwrap();
    mkfifoat(rustix::fs::CWD, &fifo, Mode::from_raw_mode(0o600)).unwrap();
    // The good entry stands nowhere but in the FIFO.
    std::fs::copy(&bad, &entry).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Relaxed) {
                for next in [&fifo, &bad] {
                    std::fs::hard_link(next, &aside).unwrap();
                    std::fs::rename(&aside, &entry).unwrap();
                }
                // Opens only while somebody has it open to read.
                let flags = OFlags::WRONLY | OFlags::NONBLOCK;
                if let Ok(open) = rustix::fs::open(&fifo, flags, Mode::empty()) {
                    let _ = rustix::io::write(open, &good);
                }
            }
        });
        let read = (0..30_000).find(|_| store.get_shared(Kind::Value, &key(1)).is_some());
        done.store(true, Relaxed);
        assert_eq!(read, None);
    });
}
