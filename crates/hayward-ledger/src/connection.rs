//! Opening the database: for reading without leaving a trace, and for writing.

use crate::error::LedgerError;
use crate::file;
use crate::place::Place;
use crate::schema::{APPLICATION_ID, VERSION};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What the files say, before SQLite is asked.
#[derive(Debug)]
enum Mode {
    Absent,
    /// Written in WAL mode; the log and its index are there to be used.
    Live,
    /// No log: the file is all there is, and nobody has it open for writing.
    Still,
    /// A log without its index, or the journal of a first write: SQLite would have
    /// to write in order to read.
    Unfinished(PathBuf),
}

fn mode(place: &Place) -> Result<Mode, LedgerError> {
    let [wal, shm, journal] = ["-wal", "-shm", "-journal"].map(|suffix| place.beside(suffix));
    let database = file::regular(&place.database)?;
    let index = file::regular(&shm)?;
    if file::regular(&journal)? {
        return Ok(Mode::Unfinished(journal));
    }
    if !database {
        return Ok(Mode::Absent);
    }
    if !file::regular(&wal)? {
        return Ok(Mode::Still);
    }
    if index {
        return Ok(Mode::Live);
    }
    match wal.symlink_metadata() {
        Ok(found) if found.len() > 0 => Ok(Mode::Unfinished(wal)),
        _ => Ok(Mode::Still),
    }
}

/// A connection that reads.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) connection: Connection,
    /// Nothing but the lock that the caller holds keeps the file as it is.
    pub(crate) needs_lock: bool,
}

/// Opens for reading, creating and changing nothing; `None` when the database is
/// absent or empty. Call under the shared lock.
pub(crate) fn reading(place: &Place, patience: Duration) -> Result<Option<Reading>, LedgerError> {
    let (connection, needs_lock) = match mode(place)? {
        Mode::Absent => return Ok(None),
        Mode::Unfinished(path) => return Err(LedgerError::Unfinished { path }),
        Mode::Live => (live(&place.database)?, false),
        Mode::Still => (still(&place.database)?, true),
    };
    let path = &place.database;
    prepare(&connection, path, patience)?;
    if !belongs(&connection, path)? {
        return Ok(None);
    }
    if needs_lock {
        check_length(&connection, path)?;
    }
    Ok(Some(Reading {
        connection,
        needs_lock,
    }))
}

/// Refuses what is not ours to write to, before anything is written.
pub(crate) fn peek(place: &Place, patience: Duration) -> Result<(), LedgerError> {
    match reading(place, patience) {
        // Finished by opening for writing, and looked at again before we write.
        Err(LedgerError::Unfinished { .. }) | Ok(_) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Opens for writing the file that is there. Call under the exclusive lock.
pub(crate) fn writing(place: &Place, patience: Duration) -> Result<Connection, LedgerError> {
    let path = &place.database;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NOFOLLOW
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)
        .map_err(LedgerError::sqlite("be opened for writing", path))?;
    prepare(&connection, path, patience)?;
    let sqlite = LedgerError::sqlite("be prepared for writing", path);
    // SQLite opens what it may not write for reading, and fails only later.
    if connection.is_readonly("main").map_err(&sqlite)? {
        return Err(LedgerError::NotWritable {
            path: path.clone(),
            source: std::io::Error::from(std::io::ErrorKind::PermissionDenied).into(),
        });
    }
    Ok(connection)
}

/// From here on the log is used, and each commit is on the disk when it returns.
pub(crate) fn turn_on_wal(connection: &Connection, path: &Path) -> Result<(), LedgerError> {
    let sqlite = LedgerError::sqlite("be switched to write-ahead logging", path);
    connection
        .pragma_update(None, "synchronous", "FULL")
        .map_err(&sqlite)?;
    let mode: String = connection
        .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0))
        .map_err(&sqlite)?;
    if mode != "wal" {
        return Err(LedgerError::Store {
            what: "be switched to write-ahead logging, which needs a local disk",
            path: path.to_owned(),
            source: format!("the journal mode stays {mode}").into(),
        });
    }
    Ok(())
}

/// Whether it is a ledger (or else empty).
pub(crate) fn belongs(connection: &Connection, path: &Path) -> Result<bool, LedgerError> {
    let (application_id, version, objects): (i32, i32, i64) = connection
        .query_row(
            "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
             FROM pragma_application_id, pragma_user_version",
            [],
            |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)),
        )
        .map_err(LedgerError::sqlite("be read", path))?;
    match (application_id, version, objects) {
        (0, 0, 0) => Ok(false),
        (APPLICATION_ID, VERSION, _) => Ok(true),
        (APPLICATION_ID, found, _) => Err(LedgerError::OtherSchema {
            path: path.to_owned(),
            found,
            known: VERSION,
        }),
        _ => Err(LedgerError::Foreign {
            path: path.to_owned(),
            application_id,
        }),
    }
}

/// SQLite reads what is cut off within the last page as zeros. Where no log can
/// hold the rest of that page, it is damage.
fn check_length(connection: &Connection, path: &Path) -> Result<(), LedgerError> {
    let page: u64 = connection
        .pragma_query_value(None, "page_size", |row| row.get::<_, u32>(0))
        .map_err(LedgerError::sqlite("be read", path))?
        .into();
    let length = path
        .symlink_metadata()
        .map_err(LedgerError::io("be examined", path))?
        .len();
    if length.is_multiple_of(page.max(1)) {
        return Ok(());
    }
    Err(LedgerError::Damaged {
        path: path.to_owned(),
        seq: None,
        source: format!("the file ends within a page, at {length} bytes").into(),
    })
}

fn prepare(connection: &Connection, path: &Path, patience: Duration) -> Result<(), LedgerError> {
    let set = |flag, on| connection.set_db_config(flag, on).map(drop);
    connection
        .busy_timeout(patience)
        // The file may be hostile: no functions from its schema, no odd pages.
        .and_then(|()| set(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true))
        .and_then(|()| set(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false))
        .and_then(|()| connection.pragma_update(None, "cell_size_check", true))
        // The log and its index stay, so that a reader need not create them; it is
        // folded into the database as it grows, under the lock of an append.
        .and_then(|()| set(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true))
        .map_err(LedgerError::sqlite("be prepared", path))
}

fn live(path: &Path) -> Result<Connection, LedgerError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_NOFOLLOW
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags)
        .map_err(LedgerError::sqlite("be opened for reading", path))
}

fn still(path: &Path) -> Result<Connection, LedgerError> {
    let mut uri = String::from("file:");
    for &byte in path.as_os_str().as_bytes() {
        if byte == b'/' || byte.is_ascii_alphanumeric() {
            uri.push(char::from(byte));
        } else {
            uri.push('%');
            uri.push_str(&crate::hex::encode(&[byte]));
        }
    }
    uri.push_str("?immutable=1");
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NOFOLLOW
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(uri, flags)
        .map_err(LedgerError::sqlite("be opened for reading", path))
}
