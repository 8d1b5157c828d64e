//! The lock that keeps rows and head in step: `flock` on the ledger's directory.
//!
//! On the directory, because a reader must create no file and the head is replaced
//! by rename. It is released by the kernel when its holder dies.

use crate::error::LedgerError;
use std::fs::{File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

/// A held lock; released when dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    _held: File,
}

impl Lock {
    /// For reading rows and head as of one moment.
    pub(crate) fn shared(dir: &Path, patience: Duration) -> Result<Self, LedgerError> {
        Self::take(dir, patience, File::try_lock_shared)
    }

    /// For changing anything.
    pub(crate) fn exclusive(dir: &Path, patience: Duration) -> Result<Self, LedgerError> {
        Self::take(dir, patience, File::try_lock)
    }

    fn take(
        dir: &Path,
        patience: Duration,
        attempt: fn(&File) -> Result<(), TryLockError>,
    ) -> Result<Self, LedgerError> {
        let file = File::open(dir).map_err(LedgerError::io("be opened", dir))?;
        let start = Instant::now();
        let mut pause = Duration::from_micros(500);
        loop {
            match attempt(&file) {
                Ok(()) => return Ok(Self { _held: file }),
                Err(TryLockError::Error(source)) => {
                    return Err(LedgerError::io("be locked", dir)(source));
                }
                Err(TryLockError::WouldBlock) if start.elapsed() >= patience => {
                    return Err(LedgerError::Busy {
                        path: dir.to_owned(),
                        source: None,
                    });
                }
                Err(TryLockError::WouldBlock) => std::thread::sleep(pause),
            }
            pause = (pause * 2).min(Duration::from_millis(8));
        }
    }
}
