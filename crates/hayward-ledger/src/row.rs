//! A row of the table, as it is there: nothing about it is believed yet.

use rusqlite::Error;

/// The columns, in the order in which [`Row::read`] expects them.
pub(crate) const COLUMNS: &str = "seq, previous, digest, kind, host, revision, body, at, \
     time_source, actor, tool, key, signature";

/// A row.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) seq: i64,
    pub(crate) previous: Vec<u8>,
    pub(crate) digest: Vec<u8>,
    pub(crate) kind: String,
    pub(crate) host: Option<String>,
    pub(crate) revision: Option<String>,
    pub(crate) body: String,
    pub(crate) at: i64,
    pub(crate) time_source: String,
    pub(crate) actor: String,
    pub(crate) tool: String,
    pub(crate) key: Vec<u8>,
    pub(crate) signature: Vec<u8>,
}

impl Row {
    pub(crate) fn read(row: &rusqlite::Row<'_>) -> Result<Self, Error> {
        Ok(Self {
            seq: row.get(0)?,
            previous: row.get(1)?,
            digest: row.get(2)?,
            kind: row.get(3)?,
            host: row.get(4)?,
            revision: row.get(5)?,
            body: row.get(6)?,
            at: row.get(7)?,
            time_source: row.get(8)?,
            actor: row.get(9)?,
            tool: row.get(10)?,
            key: row.get(11)?,
            signature: row.get(12)?,
        })
    }
}

/// Whether a column did not hold what it should, rather than the database failing.
pub(crate) fn is_unreadable(error: &Error) -> bool {
    matches!(
        error,
        Error::InvalidColumnType(..)
            | Error::FromSqlConversionFailure(..)
            | Error::IntegralValueOutOfRange(..)
            | Error::Utf8Error(..)
    )
}
