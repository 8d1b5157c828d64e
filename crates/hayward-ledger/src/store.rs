//! The ledger, open for writing.

use crate::actor;
use crate::chain::{Anchor, Content, Verified};
use crate::connection;
use crate::entry::{Entry, Unless};
use crate::error::LedgerError;
use crate::file;
use crate::head::{self, Found};
use crate::key::{Key, KeyId};
use crate::kind::Kind;
use crate::lock::Lock;
use crate::place::{Place, refuse_link};
use crate::receipt::Receipt;
use crate::receipts::{Filter, Receipts};
use crate::row::COLUMNS;
use crate::schema;
use crate::step::{Step, Watch};
use crate::view::{self, PATIENCE, View};
use rusqlite::{Connection, TransactionBehavior, params};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What made the receipts.
const TOOL: &str = concat!("hayward ", env!("CARGO_PKG_VERSION"));

/// Where the time in them comes from.
const TIME_SOURCE: &str = "system clock";

/// The ledger in SQLite, open for writing and reading.
#[derive(Debug)]
pub struct Ledger {
    view: View,
    key: Key,
    actor: String,
    connection: Connection,
    /// Device and inode of the database that is open.
    identity: (u64, u64),
}

impl Ledger {
    /// Opens the ledger in the project's `.hayward` directory; makes the directory,
    /// the key and the database where there are none yet. It walks nothing: that
    /// is for [`Ledger::verify`]; but nothing is appended to a chain whose end does
    /// not hold.
    ///
    /// # Errors
    /// When it is not a ledger, not ours to write, not whole, or the system refuses.
    /// A database that is refused is not written to.
    pub fn open(dir: &Path) -> Result<Self, LedgerError> {
        Self::open_watched(dir, &mut |_| {})
    }

    /// Opens the ledger for reading only: [`View::open`].
    ///
    /// # Errors
    /// [`LedgerError::NoLedger`] when there is none; otherwise when it cannot be read.
    pub fn open_read_only(dir: &Path) -> Result<View, LedgerError> {
        View::open(dir)
    }

    pub(crate) fn open_watched(dir: &Path, watch: Watch<'_>) -> Result<Self, LedgerError> {
        refuse_link(dir)?;
        make_directory(dir)?;
        watch(Step::DirectoryMade);
        let place = Place::within(dir)?;
        let path = &place.database;
        let _lock = Lock::exclusive(&place.dir, PATIENCE)?;
        connection::peek(&place, PATIENCE)?;
        let database = file::regular(path)?;
        let head = file::regular(&place.head)?;
        let key = match Key::load(&place)? {
            Some(key) => key,
            // A new key would make every receipt a stranger's.
            None if database || head => {
                return Err(LedgerError::KeyMissing { path: place.key });
            }
            None => {
                // Before the key: at no moment may git take it up.
                hide_from_git(&place, watch)?;
                Key::create(&place, watch)?
            }
        };
        if !database {
            refuse_cut(&place, &key)?;
            // By us and not by SQLite, for its mode; the log and its index inherit it.
            file::make_empty(path)?;
            watch(Step::DatabaseMade);
        }
        let mut connection = connection::writing(&place, PATIENCE)?;
        if !connection::belongs(&connection, path)? {
            refuse_cut(&place, &key)?;
            // In rollback mode first: then the file's header says whose it is from
            // the first commit on, and not only its log.
            connection
                .pragma_update(None, "synchronous", "FULL")
                .and_then(|()| {
                    connection.pragma_update_and_check(None, "journal_mode", "DELETE", |_| Ok(()))
                })
                .and_then(|()| schema::create(&mut connection))
                .map_err(LedgerError::sqlite("be set up", path))?;
            watch(Step::SchemaWritten);
        }
        schema::check(&connection, path)?;
        connection::turn_on_wal(&connection, path)?;
        file::sync_parent(path)?;
        watch(Step::WalOn);
        let id = key.id();
        if head::read(&place, id)? == Found::Nothing {
            let end = view::end(Some(&connection), &Found::Nothing, id, &place);
            // Otherwise the head was lost: appending refuses, verifying says so.
            if let Ok(end) = end {
                let staged = head::stage(&place, &key, end.seq, end.digest)?;
                watch(Step::FirstHeadStaged);
                staged.replace()?;
            }
        }
        let identity = identity(path)?;
        watch(Step::Opened);
        Ok(Self {
            view: View {
                place,
                key: id,
                patience: PATIENCE,
            },
            key,
            actor: actor::current(),
            connection,
            identity,
        })
    }

    /// How long to wait for another process that holds the ledger; 10 s unless set.
    ///
    /// # Errors
    /// When SQLite refuses.
    pub fn set_patience(&mut self, patience: Duration) -> Result<(), LedgerError> {
        self.view.patience = patience;
        self.connection
            .busy_timeout(patience)
            .map_err(LedgerError::sqlite(
                "be prepared",
                &self.view.place.database,
            ))
    }

    /// The key that signs, by its public half.
    #[must_use]
    pub fn key(&self) -> KeyId {
        self.view.key
    }

    /// Records an entry at the end of the chain. When it returns a receipt, that is
    /// on the disk, and so is the head.
    ///
    /// # Errors
    /// When it is not recorded, except for [`LedgerError::HeadBehind`], which says
    /// that it is. When the disk fails *while* the row is being committed
    /// ([`LedgerError::Disk`]), the row may come back after a crash; then it is an
    /// intact part of the chain. [`LedgerError::Broken`]: the end of the chain does
    /// not hold, and nothing is appended to it.
    pub fn append(&mut self, entry: &Entry) -> Result<Receipt, LedgerError> {
        self.append_watched(entry, &mut |_| {})
    }

    pub(crate) fn append_watched(
        &mut self,
        entry: &Entry,
        watch: Watch<'_>,
    ) -> Result<Receipt, LedgerError> {
        let View {
            place,
            key: id,
            patience,
        } = &self.view;
        let path = &place.database;
        // Held until the head is in place, so that it never runs backwards.
        let _lock = Lock::exclusive(&place.dir, *patience)?;
        if identity(path)? != self.identity {
            return Err(LedgerError::Replaced { path: path.clone() });
        }
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(LedgerError::sqlite("be locked for writing", path))?;
        watch(Step::Begun);
        schema::check(&transaction, path)?;
        let end = view::end(Some(&transaction), &head::read(place, *id)?, *id, place)?;
        if end.head_behind {
            // Now, not with the new head: a second crash would leave it two behind.
            head::stage(place, &self.key, end.seq, end.digest)?.replace()?;
            watch(Step::HeadMended);
        }

        if let Some(unless) = &entry.unless {
            refuse_overtaken(&transaction, unless, path)?;
        }

        let content = Content {
            seq: end.seq + 1,
            previous: end.digest,
            kind: entry.kind.as_str(),
            host: entry.host.as_deref(),
            revision: entry.revision.as_deref(),
            body: &entry.body,
            at: now(),
            time_source: TIME_SOURCE,
            actor: &self.actor,
            tool: TOOL,
            key: *id,
        };
        let digest = content.digest();
        let signature = self.key.sign(&digest);
        transaction
            .execute(
                &format!(
                    "INSERT INTO receipts ({COLUMNS})
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)"
                ),
                params![
                    content.seq.cast_signed(),
                    content.previous.as_bytes(),
                    digest.as_bytes(),
                    content.kind,
                    content.host,
                    content.revision,
                    content.body,
                    content.at,
                    content.time_source,
                    content.actor,
                    content.tool,
                    content.key.as_bytes(),
                    signature.as_bytes(),
                ],
            )
            .map_err(LedgerError::sqlite("take a receipt", path))?;
        watch(Step::Inserted);
        // Before the commit: if there is no room for the head, there is no receipt.
        let staged = head::stage(place, &self.key, content.seq, digest)?;
        watch(Step::HeadStaged);
        transaction
            .commit()
            .map_err(LedgerError::sqlite("commit a receipt", path))?;
        watch(Step::Committed);
        staged.replace().map_err(|source| LedgerError::HeadBehind {
            seq: content.seq,
            path: place.head.clone(),
            source: Box::new(source),
        })?;
        watch(Step::HeadPlaced);

        Ok(Receipt {
            seq: content.seq,
            previous: content.previous,
            digest,
            kind: entry.kind,
            host: entry.host.clone(),
            revision: entry.revision.clone(),
            body: entry.body.clone(),
            at: content.at,
            time_source: TIME_SOURCE.to_owned(),
            actor: self.actor.clone(),
            tool: TOOL.to_owned(),
            key: *id,
            signature,
        })
    }

    /// [`View::verify`].
    ///
    /// # Errors
    /// As there.
    pub fn verify(&self) -> Result<Verified, LedgerError> {
        self.view.verify()
    }

    /// [`View::verify_against`].
    ///
    /// # Errors
    /// As there.
    pub fn verify_against(&self, anchor: &Anchor) -> Result<Verified, LedgerError> {
        self.view.verify_against(anchor)
    }

    /// [`View::receipts`].
    ///
    /// # Errors
    /// As there.
    pub fn receipts(&self, filter: &Filter) -> Result<Vec<Receipt>, LedgerError> {
        self.view.receipts(filter)
    }

    /// [`View::latest`].
    ///
    /// # Errors
    /// As there.
    pub fn latest(&self, kind: Kind, host: Option<&str>) -> Result<Option<Receipt>, LedgerError> {
        self.view.latest(kind, host)
    }
}

/// Within the transaction of an append, so that nothing can come between.
fn refuse_overtaken(
    transaction: &rusqlite::Transaction<'_>,
    unless: &Unless,
    path: &Path,
) -> Result<(), LedgerError> {
    let sqlite = LedgerError::sqlite("be read", path);
    for kind in &unless.kinds {
        let newer: Option<i64> = transaction
            .query_row(
                "SELECT MIN(seq) FROM receipts
                 WHERE kind = ?1 AND seq > ?2 AND (?3 IS NULL OR host = ?3)",
                params![kind.as_str(), unless.after.cast_signed(), unless.host],
                |row| row.get(0),
            )
            .map_err(&sqlite)?;
        if let Some(seq) = newer {
            return Err(LedgerError::Overtaken {
                seq: seq.cast_unsigned(),
            });
        }
    }
    Ok(())
}

impl Receipts for Ledger {
    fn append(&mut self, entry: &Entry) -> Result<Receipt, LedgerError> {
        Self::append(self, entry)
    }

    fn receipts(&self, filter: &Filter) -> Result<Vec<Receipt>, LedgerError> {
        Self::receipts(self, filter)
    }

    fn verify(&self) -> Result<Verified, LedgerError> {
        Self::verify(self)
    }
}

fn make_directory(dir: &Path) -> Result<(), LedgerError> {
    match std::fs::DirBuilder::new().mode(0o700).create(dir) {
        Ok(()) => file::sync_parent(dir),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        // Some file systems say so even of a directory that is there.
        Err(_) if dir.is_dir() => Ok(()),
        Err(error) => Err(LedgerError::writing("be created", dir)(error)),
    }
}

/// Lets git see nothing of the directory, unless somebody has said otherwise there.
/// `*` is every name, the file's own too: gitignore(5).
fn hide_from_git(place: &Place, watch: Watch<'_>) -> Result<(), LedgerError> {
    if place.ignore.symlink_metadata().is_ok() {
        return Ok(());
    }
    let staged = file::stage(&place.ignore, b"*\n")?;
    watch(Step::IgnoreStaged);
    staged.place_new()?;
    watch(Step::IgnorePlaced);
    Ok(())
}

/// Refuses to begin anew where the head says that there were receipts.
fn refuse_cut(place: &Place, key: &Key) -> Result<(), LedgerError> {
    let found = head::read(place, key.id())?;
    view::end(None, &found, key.id(), place).map(drop)
}

fn identity(path: &Path) -> Result<(u64, u64), LedgerError> {
    match path.symlink_metadata() {
        Ok(found) => Ok((found.dev(), found.ino())),
        Err(error) if error.kind() == ErrorKind::NotFound => Err(LedgerError::Replaced {
            path: path.to_owned(),
        }),
        Err(error) => Err(LedgerError::io("be examined", path)(error)),
    }
}

/// Milliseconds since 1970 by the system's clock, which may be set before it.
fn now() -> i64 {
    let millis = |span: Duration| i64::try_from(span.as_millis()).unwrap_or(i64::MAX);
    match SystemTime::now().duration_since(UNIX_EPOCH) {
        Ok(since) => millis(since),
        Err(before) => -millis(before.duration()),
    }
}
