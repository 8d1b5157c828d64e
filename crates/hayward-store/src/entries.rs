//! The entries on disk: one SQLite file. SQLite's write-ahead log lets many read while
//! one writes, and leaves whole transactions behind when a process is killed
//! (sqlite.org/wal.html, sqlite.org/atomiccommit.html).

use crate::Digest;
use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior, params};
use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long to wait for another process that writes.
const PATIENCE: Duration = Duration::from_secs(2);

/// Which layout the file has. A file of another one is made anew.
const LAYOUT: i64 = 3;

/// Bytes of a page: the largest entries are some megabytes, and each of their pages costs.
const PAGE: u32 = 32 << 10;

/// Bytes of pages that are held in memory. Entries are read once.
const CACHE: u32 = 1 << 20;

/// Bytes of a part: SQLite copies what it is given to write, twice.
const PART: usize = 256 << 10;

/// Pages of the log before it is put into the file: what one run writes is seldom more, and
/// is then written once before the command ends, not twice.
const LOG: u32 = (16 << 20) / PAGE;

pub(crate) struct Entries {
    connection: Connection,
}

/// What is written of an entry.
pub(crate) struct Row {
    pub(crate) name: Digest,
    pub(crate) seal: Digest,
    pub(crate) value: Vec<u8>,
}

impl Entries {
    /// Opens the file; one that is damaged or of another layout is made anew.
    pub(crate) fn open(folder: &Path) -> rusqlite::Result<Self> {
        let path = folder.join("entries.sqlite");
        match Self::patiently_open(&path) {
            Err(error) if is_damage(&error) => {
                for suffix in ["", "-wal", "-shm"] {
                    let mut name = path.clone().into_os_string();
                    name.push(suffix);
                    let _ = std::fs::remove_file(name);
                }
                Self::patiently_open(&path)
            }
            opened => opened,
        }
    }

    /// Waits for those that make the file at this moment: SQLite does not when the
    /// journal's mode is to change.
    fn patiently_open(path: &Path) -> rusqlite::Result<Self> {
        let started = Instant::now();
        loop {
            match Self::try_open(path) {
                Err(error) if is_busy(&error) && started.elapsed() < PATIENCE => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                opened => return opened,
            }
        }
    }

    fn try_open(path: &Path) -> rusqlite::Result<Self> {
        // Values are nobody else's to read. SQLite gives its log the mode of the file, and
        // takes an empty file for a new one.
        let mut options = OpenOptions::new();
        // Where this fails, the next line says why.
        let _ = options.create(true).append(true).mode(0o600).open(path);
        let mut connection = Connection::open(path)?;
        connection.busy_timeout(PATIENCE)?;
        // Nothing is lost but time if the machine dies before it is on disk, and what
        // is torn then has no right seal.
        connection.pragma_update(None, "synchronous", "OFF")?;
        connection.pragma_update(None, "wal_autocheckpoint", LOG)?;
        // A negative number is one of KiB (sqlite.org/pragma.html#pragma_cache_size).
        connection.pragma_update(None, "cache_size", -i64::from(CACHE >> 10))?;
        if layout(&connection)? != LAYOUT {
            // Of a new file only; an older one keeps its own.
            connection.pragma_update(None, "page_size", PAGE)?;
            connection.pragma_update(None, "journal_mode", "WAL")?;
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            // Somebody may have been faster, and put something in already.
            if layout(&transaction)? != LAYOUT {
                transaction.execute_batch(&format!(
                    "DROP TABLE IF EXISTS entry;
                     CREATE TABLE entry (
                         written INTEGER PRIMARY KEY,
                         name BLOB NOT NULL,
                         part INTEGER NOT NULL,
                         parts INTEGER NOT NULL,
                         seal BLOB NOT NULL,
                         value BLOB NOT NULL,
                         UNIQUE (name, part)
                     );
                     PRAGMA user_version = {LAYOUT};"
                ))?;
            }
            transaction.commit()?;
        }
        Ok(Self { connection })
    }

    /// The seal of an entry, and its value.
    pub(crate) fn get(&self, name: &Digest) -> rusqlite::Result<Option<(Vec<u8>, Vec<u8>)>> {
        let mut find = self
            .connection
            .prepare_cached("SELECT seal, parts, value FROM entry WHERE name = ?1 AND part = ?2")?;
        let mut part = |number: usize| {
            find.query_row(params![name, number as i64], |row| {
                Ok((row.get(0)?, row.get::<_, i64>(1)?, row.get(2)?))
            })
            .optional()
        };
        let Some((seal, parts, mut value)): Option<(Vec<u8>, i64, Vec<u8>)> = part(0)? else {
            return Ok(None);
        };
        for number in 1..usize::try_from(parts).unwrap_or(0) {
            // A part that is gone, or of another value, shows in the seal.
            let Some((_, _, more)) = part(number)? else {
                break;
            };
            value.extend_from_slice(&more);
        }
        Ok(Some((seal, value)))
    }

    /// Writes entries, all or none. They get the next numbers: SQLite gives a new row one
    /// that is larger than all others (sqlite.org/autoinc.html).
    pub(crate) fn put(&mut self, entries: &mut dyn Iterator<Item = Row>) -> rusqlite::Result<()> {
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        {
            let mut write = transaction.prepare_cached(
                "INSERT OR REPLACE INTO entry (name, part, parts, seal, value)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?;
            for Row { name, seal, value } in entries {
                let parts = value.len().div_ceil(PART).max(1);
                for part in 0..parts {
                    let start = part * PART;
                    let end = value.len().min(start + PART);
                    let bytes = value.get(start..end).unwrap_or_default();
                    write.execute(params![name, part as i64, parts as i64, seal, bytes])?;
                }
            }
        }
        transaction.commit()
    }

    /// Bytes in use in the file.
    pub(crate) fn size(&self) -> rusqlite::Result<u64> {
        let ask = |what: &str| -> rusqlite::Result<i64> {
            self.connection
                .pragma_query_value(None, what, |row| row.get(0))
        };
        let pages = ask("page_count")? - ask("freelist_count")?;
        Ok((pages * ask("page_size")?).cast_unsigned())
    }

    /// How many entries there are.
    pub(crate) fn count(&self) -> rusqlite::Result<u64> {
        self.connection
            .query_row("SELECT count(*) FROM entry WHERE part = 0", [], |row| {
                row.get(0)
            })
            .map(i64::cast_unsigned)
    }

    /// Takes out the entries that were written longest ago, until this many bytes are in
    /// use at most.
    pub(crate) fn shrink(&mut self, to: u64) -> rusqlite::Result<()> {
        while self.size()? > to {
            let gone = self.connection.execute(
                "DELETE FROM entry WHERE written IN (SELECT written FROM entry ORDER BY written LIMIT 500)",
                [],
            )?;
            if gone == 0 {
                break;
            }
        }
        Ok(())
    }

    /// Takes everything out.
    pub(crate) fn clear(&mut self) -> rusqlite::Result<()> {
        self.connection.execute("DELETE FROM entry", [])?;
        self.connection
            .execute_batch("VACUUM; PRAGMA wal_checkpoint(TRUNCATE);")
    }
}

/// The layout that a file has; 0 if it is new.
fn layout(connection: &Connection) -> rusqlite::Result<i64> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)
    )
}

/// Whether the file is damaged or something else, so that it is best made anew.
fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase)
    )
}
