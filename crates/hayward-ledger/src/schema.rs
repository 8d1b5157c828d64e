//! The table, its indexes and its triggers.

use crate::error::LedgerError;
use rusqlite::{Connection, OptionalExtension};
use std::path::Path;

/// "HayL": marks the file as a ledger of Hayward.
pub(crate) const APPLICATION_ID: i32 = 0x4861_794c;

/// The version of what follows.
pub(crate) const VERSION: i32 = 1;

/// Name and text of each object; the text is kept by SQLite as it is here, so the
/// two can be compared.
const OBJECTS: [(&str, &str); 7] = [
    (
        "receipts",
        "CREATE TABLE receipts (
    seq INTEGER PRIMARY KEY NOT NULL CHECK (seq > 0),
    previous BLOB NOT NULL CHECK (length(previous) = 32),
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    kind TEXT NOT NULL,
    host TEXT,
    revision TEXT,
    body TEXT NOT NULL,
    at INTEGER NOT NULL,
    time_source TEXT NOT NULL,
    actor TEXT NOT NULL,
    tool TEXT NOT NULL,
    key BLOB NOT NULL CHECK (length(key) = 32),
    signature BLOB NOT NULL CHECK (length(signature) = 64)
) STRICT",
    ),
    // An index ends in the row's number, so each also gives the order.
    (
        "receipts_kind",
        "CREATE INDEX receipts_kind ON receipts (kind)",
    ),
    (
        "receipts_host",
        "CREATE INDEX receipts_host ON receipts (host)",
    ),
    (
        "receipts_host_kind",
        "CREATE INDEX receipts_host_kind ON receipts (host, kind)",
    ),
    (
        "receipts_no_update",
        "CREATE TRIGGER receipts_no_update BEFORE UPDATE ON receipts BEGIN
    SELECT RAISE(ABORT, 'receipts are never changed');
END",
    ),
    (
        "receipts_no_delete",
        "CREATE TRIGGER receipts_no_delete BEFORE DELETE ON receipts BEGIN
    SELECT RAISE(ABORT, 'receipts are never deleted');
END",
    ),
    // Also refuses INSERT OR REPLACE, which deletes without firing the trigger above.
    (
        "receipts_in_order",
        "CREATE TRIGGER receipts_in_order BEFORE INSERT ON receipts
WHEN NEW.seq IS NOT (SELECT coalesce(max(seq), 0) + 1 FROM receipts)
    OR (NEW.seq > 1 AND NEW.previous IS NOT (SELECT digest FROM receipts WHERE seq = NEW.seq - 1))
BEGIN
    SELECT RAISE(ABORT, 'receipts are only added to the end of the chain');
END",
    ),
];

/// Makes everything, or nothing.
pub(crate) fn create(connection: &mut Connection) -> Result<(), rusqlite::Error> {
    let transaction = connection.transaction()?;
    transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    for (_, text) in OBJECTS {
        transaction.execute_batch(text)?;
    }
    transaction.commit()
}

/// Whether the table is as it was made; without it nothing can be read.
pub(crate) fn check_table(connection: &Connection, path: &Path) -> Result<(), LedgerError> {
    let [(name, text), ..] = OBJECTS;
    let found: Option<String> = connection
        .query_row(
            "SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?1",
            [name],
            |row| row.get(0),
        )
        .optional()
        .map_err(LedgerError::sqlite("be read", path))?;
    if found.as_deref() == Some(text) {
        Ok(())
    } else {
        Err(altered(path, name))
    }
}

/// Whether all is as it was made, and nothing was added.
pub(crate) fn check(connection: &Connection, path: &Path) -> Result<(), LedgerError> {
    let sqlite = LedgerError::sqlite("be read", path);
    let mut statement = connection
        // SQLite's own (statistics, say) may come and go.
        .prepare("SELECT name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'")
        .map_err(&sqlite)?;
    let found = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
        .and_then(Iterator::collect::<Result<Vec<(String, Option<String>)>, _>>)
        .map_err(&sqlite)?;
    for (name, text) in OBJECTS {
        if !found
            .iter()
            .any(|(other, sql)| other == name && sql.as_deref() == Some(text))
        {
            return Err(altered(path, name));
        }
    }
    match found
        .iter()
        .find(|(name, _)| OBJECTS.iter().all(|(known, _)| known != name))
    {
        Some((name, _)) => Err(altered(path, name)),
        None => Ok(()),
    }
}

fn altered(path: &Path, object: &str) -> LedgerError {
    LedgerError::Altered {
        path: path.to_owned(),
        object: object.to_owned(),
    }
}
