//! Reading a ledger, leaving no trace.

use crate::chain::{Anchor, Broken, Verified, Walk, Why, check_alone};
use crate::connection;
use crate::error::LedgerError;
use crate::head::{self, Found};
use crate::key::{Key, KeyId};
use crate::kind::Kind;
use crate::lock::Lock;
use crate::place::{Place, refuse_link};
use crate::receipt::Receipt;
use crate::receipts::Filter;
use crate::row::{COLUMNS, Row, is_unreadable};
use crate::schema;
use hayward_model::Digest;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};
use std::path::Path;
use std::time::Duration;

/// How long to wait for another process before giving up.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// A ledger opened for reading: it creates and changes nothing, so it serves
/// `history`, `verify` and `status` on a read-only disk too.
#[derive(Clone, Debug)]
pub struct View {
    pub(crate) place: Place,
    pub(crate) key: KeyId,
    pub(crate) patience: Duration,
}

/// Rows and head as of one moment.
struct Snapshot {
    /// `None`: there are no rows, because there is no database or an empty one.
    connection: Option<Connection>,
    head: Found,
    _lock: Option<Lock>,
}

impl View {
    /// The ledger in that directory, believed if its own `ledger.key` signed it.
    ///
    /// # Errors
    /// [`LedgerError::NoLedger`] when there is none; otherwise when it cannot be read.
    pub fn open(dir: &Path) -> Result<Self, LedgerError> {
        Self::find(dir, |place| {
            Key::load(place)?
                .map(|key| key.id())
                .ok_or_else(|| LedgerError::KeyMissing {
                    path: place.key.clone(),
                })
        })
    }

    /// The ledger in that directory, believed if that key signed it. For a copy
    /// without the secret.
    ///
    /// # Errors
    /// As [`View::open`].
    pub fn trusting(dir: &Path, key: KeyId) -> Result<Self, LedgerError> {
        Self::find(dir, |_| Ok(key))
    }

    fn find(
        dir: &Path,
        key: impl FnOnce(&Place) -> Result<KeyId, LedgerError>,
    ) -> Result<Self, LedgerError> {
        let none = || LedgerError::NoLedger {
            dir: dir.to_owned(),
        };
        refuse_link(dir)?;
        if matches!(dir.try_exists(), Ok(false)) {
            return Err(none());
        }
        let place = Place::within(dir)?;
        let lock = Lock::shared(&place.dir, PATIENCE)?;
        let rows = connection::reading(&place, PATIENCE)?.is_some();
        // A head without rows is a ledger too: one that was cut to nothing.
        if !rows && !crate::file::regular(&place.head)? {
            return Err(none());
        }
        drop(lock);
        Ok(Self {
            key: key(&place)?,
            place,
            patience: PATIENCE,
        })
    }

    /// The key whose signatures are believed.
    #[must_use]
    pub fn key(&self) -> KeyId {
        self.key
    }

    /// Walks the whole chain and names the first link that does not hold; then
    /// looks at the database's own structure (schema, indexes).
    ///
    /// # Errors
    /// [`LedgerError::Broken`], [`LedgerError::Altered`], [`LedgerError::Damaged`],
    /// or when the ledger cannot be read.
    pub fn verify(&self) -> Result<Verified, LedgerError> {
        self.walk(None)
    }

    /// Like [`View::verify`]; the receipt that the anchor names must also be in the
    /// chain. It is the one way to notice that an older copy was put back.
    ///
    /// # Errors
    /// As [`View::verify`].
    pub fn verify_against(&self, anchor: &Anchor) -> Result<Verified, LedgerError> {
        self.walk(Some(anchor))
    }

    fn walk(&self, anchor: Option<&Anchor>) -> Result<Verified, LedgerError> {
        let path = &self.place.database;
        let snapshot = self.snapshot()?;
        let mut walk = Walk::new(self.key);
        let check_anchor = |walk: &Walk| match anchor {
            Some(anchor) if anchor.seq == walk.seq && anchor.digest != walk.last => Err(Broken {
                seq: walk.seq,
                why: Why::AnchorElsewhere,
            }),
            _ => Ok(()),
        };
        check_anchor(&walk)?;
        if let Some(connection) = &snapshot.connection {
            let sqlite = LedgerError::sqlite("be read", path);
            // The table itself, not an index that may leave rows out.
            let mut statement = connection
                .prepare(&format!(
                    "SELECT {COLUMNS} FROM receipts NOT INDEXED ORDER BY seq"
                ))
                .map_err(&sqlite)?;
            let mut rows = statement.query([]).map_err(&sqlite)?;
            loop {
                let so_far = walk.seq;
                let failed = |error| match unreadable(&sqlite, so_far + 1)(error) {
                    LedgerError::Damaged { path, source, .. } => LedgerError::Damaged {
                        path,
                        seq: Some(so_far),
                        source,
                    },
                    other => other,
                };
                let Some(row) = rows.next().map_err(failed)? else {
                    break;
                };
                walk.step(Row::read(row).map_err(failed)?)?;
                check_anchor(&walk)?;
            }
        }
        let head_behind = snapshot.head.is_behind(&walk)?;
        if let Some(anchor) = anchor.filter(|anchor| anchor.seq > walk.seq) {
            let why = Why::MissingTail { head: anchor.seq };
            let seq = walk.seq + 1;
            return Err(Broken { seq, why }.into());
        }
        if let Some(connection) = &snapshot.connection {
            schema::check(connection, path)?;
            check_structure(connection, path, walk.seq)?;
        }
        Ok(Verified {
            receipts: walk.seq,
            head: walk.last,
            key: self.key,
            head_behind,
        })
    }

    /// The receipts that pass the filter. Each is checked by itself, and the
    /// chain's end against its head; the links between are for [`View::verify`].
    ///
    /// # Errors
    /// [`LedgerError::Broken`] when one of these is not intact, or when the ledger
    /// cannot be read.
    pub fn receipts(&self, filter: &Filter) -> Result<Vec<Receipt>, LedgerError> {
        let sqlite = LedgerError::sqlite("be read", &self.place.database);
        let snapshot = self.snapshot()?;
        end(
            snapshot.connection.as_ref(),
            &snapshot.head,
            self.key,
            &self.place,
        )?;
        let Some(connection) = &snapshot.connection else {
            return Ok(Vec::new());
        };
        let (text, values) = query(filter);
        let mut statement = connection.prepare(&text).map_err(&sqlite)?;
        let mut rows = statement.query(params_from_iter(values)).map_err(&sqlite)?;
        let mut receipts = Vec::new();
        while let Some(row) = rows.next().map_err(&sqlite)? {
            receipts.push(checked(row, self.key, &sqlite)?);
        }
        Ok(receipts)
    }

    /// The last receipt of that kind, about that host (`None`: about any or none).
    ///
    /// # Errors
    /// As [`View::receipts`].
    pub fn latest(&self, kind: Kind, host: Option<&str>) -> Result<Option<Receipt>, LedgerError> {
        let mut filter = Filter::new().kind(kind).newest_first().limit(1);
        filter.host = host.map(str::to_owned);
        Ok(self.receipts(&filter)?.pop())
    }

    /// The hosts that receipts of that kind are about, by name.
    ///
    /// # Errors
    /// As [`View::receipts`].
    pub fn hosts(&self, kind: Kind) -> Result<Vec<String>, LedgerError> {
        let sqlite = LedgerError::sqlite("be read", &self.place.database);
        let snapshot = self.snapshot()?;
        end(
            snapshot.connection.as_ref(),
            &snapshot.head,
            self.key,
            &self.place,
        )?;
        let Some(connection) = &snapshot.connection else {
            return Ok(Vec::new());
        };
        let mut statement = connection
            .prepare(
                "SELECT DISTINCT host FROM receipts WHERE kind = ?1 AND host IS NOT NULL ORDER BY host",
            )
            .map_err(&sqlite)?;
        let hosts = statement
            .query_map([kind.as_str()], |row| row.get(0))
            .map_err(&sqlite)?;
        hosts.collect::<Result<_, _>>().map_err(&sqlite)
    }

    fn snapshot(&self) -> Result<Snapshot, LedgerError> {
        let path = &self.place.database;
        let lock = Lock::shared(&self.place.dir, self.patience)?;
        let head = head::read(&self.place, self.key)?;
        let Some(reading) = connection::reading(&self.place, self.patience)? else {
            return Ok(Snapshot {
                connection: None,
                head,
                _lock: Some(lock),
            });
        };
        let connection = reading.connection;
        // The first read within it pins the rows that belong to the head just read.
        connection
            .execute_batch("BEGIN")
            .map_err(LedgerError::sqlite("be read", path))?;
        schema::check_table(&connection, path)?;
        Ok(Snapshot {
            connection: Some(connection),
            head,
            _lock: reading.needs_lock.then_some(lock),
        })
    }
}

/// The end of a chain.
#[derive(Debug)]
pub(crate) struct End {
    pub(crate) seq: u64,
    pub(crate) digest: Digest,
    /// The head does not know the last receipt yet.
    pub(crate) head_behind: bool,
}

/// The end of the chain, if its last receipt is intact and the head agrees: the
/// one check, as cheap for a million receipts as for one, before every append and
/// every answer.
pub(crate) fn end(
    connection: Option<&Connection>,
    head: &Found,
    key: KeyId,
    place: &Place,
) -> Result<End, LedgerError> {
    let sqlite = LedgerError::sqlite("be read", &place.database);
    let mut walk = Walk::new(key);
    if let Some(connection) = connection {
        let mut statement = connection
            .prepare(&format!(
                "SELECT {COLUMNS} FROM receipts ORDER BY seq DESC LIMIT 1"
            ))
            .map_err(&sqlite)?;
        let mut rows = statement.query([]).map_err(&sqlite)?;
        if let Some(row) = rows.next().map_err(&sqlite)? {
            let last = checked(row, key, &sqlite)?;
            walk.seq = last.seq;
            walk.last = last.digest;
            walk.before = last.previous;
        }
    }
    let head_behind = head.is_behind(&walk)?;
    Ok(End {
        seq: walk.seq,
        digest: walk.last,
        head_behind,
    })
}

fn checked(
    row: &rusqlite::Row<'_>,
    key: KeyId,
    sqlite: &impl Fn(rusqlite::Error) -> LedgerError,
) -> Result<Receipt, LedgerError> {
    let seq = row.get::<_, i64>(0).map_err(sqlite)?;
    let seq = u64::try_from(seq).unwrap_or(0);
    let row = Row::read(row).map_err(unreadable(sqlite, seq))?;
    Ok(check_alone(row, key)?)
}

/// A column that does not hold what it should is the receipt's fault.
fn unreadable(
    sqlite: &impl Fn(rusqlite::Error) -> LedgerError,
    seq: u64,
) -> impl Fn(rusqlite::Error) -> LedgerError {
    move |error| {
        if is_unreadable(&error) {
            let why = Why::Unreadable;
            return Broken { seq, why }.into();
        }
        sqlite(error)
    }
}

/// Damage that the walk did not meet: in an index, or in pages outside the table.
fn check_structure(connection: &Connection, path: &Path, seq: u64) -> Result<(), LedgerError> {
    let verdict: String = connection
        .query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))
        .map_err(LedgerError::sqlite("be read", path))?;
    if verdict == "ok" {
        return Ok(());
    }
    Err(LedgerError::Damaged {
        path: path.to_owned(),
        seq: Some(seq),
        source: verdict.into(),
    })
}

/// Only the conditions that are asked for, so that SQLite picks the index for them.
fn query(filter: &Filter) -> (String, Vec<Value>) {
    // Numbers past the largest that SQLite has come after every receipt.
    let after = i64::try_from(filter.after).unwrap_or(i64::MAX);
    let limit = filter
        .limit
        .map_or(-1, |limit| i64::try_from(limit).unwrap_or(i64::MAX));
    let mut text = format!("SELECT {COLUMNS} FROM receipts WHERE seq > ?1");
    let mut values = vec![Value::Integer(after)];
    let texts = [
        ("kind", filter.kind.map(|kind| kind.as_str().to_owned())),
        ("host", filter.host.clone()),
    ];
    for (column, value) in texts {
        if let Some(value) = value {
            values.push(Value::Text(value));
            text.push_str(&format!(" AND {column} = ?{}", values.len()));
        }
    }
    values.push(Value::Integer(limit));
    let order = if filter.newest_first { "DESC" } else { "ASC" };
    text.push_str(&format!(" ORDER BY seq {order} LIMIT ?{}", values.len()));
    (text, values)
}

#[cfg(test)]
mod tests {
    use super::query;
    use crate::{Filter, Kind, Ledger, LedgerError};
    use rusqlite::{Connection, params_from_iter};

    #[test]
    fn rows_and_head_are_read_under_the_lock() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join(".hayward");
        drop(Ledger::open(&dir).unwrap());
        let mut view = Ledger::open_read_only(&dir).unwrap();
        view.patience = std::time::Duration::from_millis(20);
        let held = std::fs::File::open(&dir).unwrap();
        held.lock().unwrap();
        for error in [
            view.verify().map(drop).unwrap_err(),
            view.receipts(&Filter::new()).map(drop).unwrap_err(),
        ] {
            assert!(matches!(error, LedgerError::Busy { .. }), "{error}");
        }
        held.unlock().unwrap();
        assert!(view.verify().is_ok());
    }

    #[test]
    fn filters_use_their_index_and_never_sort() {
        let mut connection = Connection::open_in_memory().unwrap();
        crate::schema::create(&mut connection).unwrap();
        let all = Filter::new().after(3).limit(5);
        for (filter, index) in [
            (all.clone(), "INTEGER PRIMARY KEY"),
            (
                all.clone().kind(Kind::Plan),
                "receipts_kind (kind=? AND rowid>?)",
            ),
            (all.clone().host("h"), "receipts_host (host=? AND rowid>?)"),
            (
                all.clone().host("h").kind(Kind::Plan).newest_first(),
                "receipts_host_kind (host=? AND kind=? AND rowid>?)",
            ),
        ] {
            let (text, values) = query(&filter);
            let plan: Vec<String> = connection
                .prepare(&format!("EXPLAIN QUERY PLAN {text}"))
                .unwrap()
                .query_map(params_from_iter(values), |row| row.get(3))
                .unwrap()
                .map(Result::unwrap)
                .collect();
            assert_eq!(plan.len(), 1, "{plan:?}");
            assert!(plan[0].contains(index), "{plan:?}");
        }
    }
}
