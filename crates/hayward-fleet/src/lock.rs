//! One apply at a time: `flock(2)` on `/var/lib/hayward/lock`. The file is made
//! when it is first needed and holds nothing.

use crate::error::{Error, Kind, Result};
use crate::hand::Hand;
use crate::paths;
use crate::tree::{Look, Tree, parents};
use hayward_model::HostPath;
use rustix::fd::OwnedFd;
use rustix::fs::{FlockOperation, Mode, OFlags, Stat};
use rustix::io::Errno;

/// How often the lock is taken anew when its file was replaced meanwhile.
const TRIES: usize = 8;

/// The lock, held until it is dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    file: OwnedFd,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing alone would leave it to a child that another thread is just
        // starting, until that child runs its program.
        let _ = rustix::fs::flock(&self.file, FlockOperation::Unlock);
    }
}

/// Takes the lock if its file is there; changes nothing.
pub(crate) fn take(tree: &Tree) -> Result<Option<Lock>> {
    let path = paths::lock();
    for _ in 0..TRIES {
        match tree.kind(&path)? {
            None => return Ok(None),
            Some(Kind::File) => {}
            Some(kind) => {
                return Err(Error::State {
                    host: tree.host.clone(),
                    path,
                    reason: format!("it is {kind}"),
                });
            }
        }
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = match tree.open_at(&path, flags, Mode::empty()) {
            Err(Errno::NOENT) => continue,
            other => other.map_err(|e| tree.cannot_read(&path, e))?,
        };
        let stat = rustix::fs::fstat(&file).map_err(|e| tree.cannot_read(&path, e))?;
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => {
                return Err(Error::Busy {
                    host: tree.host.clone(),
                    pid: holder(&stat),
                });
            }
            Err(errno) => return Err(tree.cannot_read(&path, errno)),
        }
        // The holder before may have removed the file: then this is no lock.
        let named = tree
            .open_at(&path, OFlags::PATH | OFlags::NOFOLLOW, Mode::empty())
            .and_then(rustix::fs::fstat);
        if named.is_ok_and(|named| (named.st_dev, named.st_ino) == (stat.st_dev, stat.st_ino)) {
            return Ok(Some(Lock { file }));
        }
    }
    Err(Error::Busy {
        host: tree.host.clone(),
        pid: None,
    })
}

/// Takes the lock and makes its file if need be; also gives the directories
/// that were made for it, outermost first.
pub(crate) fn make(hand: &Hand<'_>) -> Result<(Lock, Vec<HostPath>)> {
    let path = paths::lock();
    let mut made = Vec::new();
    for _ in 0..TRIES {
        if let Some(lock) = take(hand.tree)? {
            return Ok((lock, made));
        }
        let outcome = (|| {
            if let Look::Absent(missing) = hand.tree.look(&path)? {
                for directory in missing {
                    if hand.make_directory(&directory)? {
                        made.push(directory);
                    }
                }
            }
            hand.make_lock(&path)
        })();
        if let Err(error) = outcome {
            remove_made(hand, &made);
            return Err(error);
        }
    }
    Err(Error::Busy {
        host: hand.tree.host.clone(),
        pid: None,
    })
}

/// Removes the lock's file, which is held, and the directories made for it, if
/// they were made by the apply that now leaves nothing behind.
pub(crate) fn forget(hand: &Hand<'_>, made: &[HostPath]) {
    if made.is_empty() || !made.iter().all(|dir| parents(&paths::lock()).contains(dir)) {
        return;
    }
    // What cannot be removed stays: an empty directory and an empty file.
    let _ = hand.unlink(&paths::lock());
    remove_made(hand, made);
}

fn remove_made(hand: &Hand<'_>, made: &[HostPath]) {
    for directory in made.iter().rev() {
        let _ = hand.remove_directory(directory);
    }
}

/// The process that holds a lock on a file, by `/proc/locks` (proc_locks(5)).
fn holder(stat: &Stat) -> Option<u32> {
    let device = (
        rustix::fs::major(stat.st_dev),
        rustix::fs::minor(stat.st_dev),
    );
    let wanted = format!("{:02x}:{:02x}:{}", device.0, device.1, stat.st_ino);
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    locks.lines().find_map(|line| {
        // 1: FLOCK  ADVISORY  WRITE 708 08:01:12345 0 EOF
        let mut words = line.split_whitespace().skip(1);
        if words.next() != Some("FLOCK") {
            return None;
        }
        let pid = words.nth(2)?.parse().ok()?;
        (words.next() == Some(&wanted)).then_some(pid)
    })
}
