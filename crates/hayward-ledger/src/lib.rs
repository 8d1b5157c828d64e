//! The ledger: an append-only chain of signed receipts of what was observed,
//! planned, applied, rolled back, decided and chosen.
//!
//! # What is on disk
//!
//! In the project's `.hayward` directory:
//!
//! | file | what it is |
//! |---|---|
//! | `ledger.db` (and `-wal`, `-shm`) | SQLite, one row a receipt; triggers abort update and delete |
//! | `ledger.key` | the Ed25519 secret that signs receipts, mode 0600 |
//! | `ledger.head` | JSON: number, digest and signature of the last receipt; it betrays a cut tail |
//!
//! The four belong together: copy the directory, not `ledger.db` alone.
//!
//! # What is proved, and what is not
//!
//! A receipt's digest is BLAKE3 over a framing of all its fields and of the
//! digest before it, and its signature is over that digest. So without the
//! secret key no field can be edited, no receipt removed from the middle, moved,
//! or added, and [`Ledger::verify`] names the first that was. A cut tail is
//! betrayed by `ledger.head`. Three things cannot be seen from within:
//!
//! * a consistent older copy of the whole directory put back, or the directory
//!   deleted. Keep an [`Anchor`] elsewhere and use [`Ledger::verify_against`];
//! * the last receipt removed *together with* the head that was current just
//!   before it: it looks like a crash between the two (again, an anchor tells);
//! * anything done by a holder of the secret key.
//!
//! A signature proves who wrote a receipt, not that the host told the truth.
//!
//! # Durability
//!
//! [`Ledger::append`] returns only when the receipt and its head are on the disk.
//! The new head is written to a staging file *before* the row is committed, so a
//! full disk refuses the receipt as a whole. Order comes from the chain; the time
//! in a receipt is a remark and nothing is decided by it.
//!
//! # Several processes
//!
//! Appends exclude one another by `flock` on the directory, and by SQLite's own
//! lock. The ledger is for a local disk, not for NFS: WAL needs shared memory.
//!
//! ```
//! use hayward_ledger::{Entry, Filter, Kind, Ledger};
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let project = tempfile::tempdir()?;
//! let mut ledger = Ledger::open(&project.path().join(".hayward"))?;
//! let entry = Entry::new(Kind::Plan, &serde_json::json!({"changes": 3}))?.host("runner-1")?;
//! let receipt = ledger.append(&entry)?;
//! assert_eq!(receipt.seq, 1);
//! assert_eq!(ledger.verify()?.receipts, 1);
//! assert_eq!(ledger.receipts(&Filter::new().host("runner-1"))?, [receipt]);
//! # Ok(())
//! # }
//! ```

mod actor;
mod chain;
mod connection;
mod entry;
mod error;
mod file;
mod head;
mod hex;
mod key;
mod kind;
mod lock;
mod place;
mod receipt;
mod receipts;
mod row;
mod schema;
mod step;
mod store;
mod view;

#[cfg(test)]
mod crash_tests;

pub use chain::{Anchor, Broken, Verified, Why};
pub use entry::{BODY_LIMIT, Entry, TEXT_LIMIT};
pub use error::{Cause, LedgerError};
pub use key::{KeyId, Signature};
pub use kind::Kind;
pub use receipt::Receipt;
pub use receipts::{Filter, Receipts};
pub use store::Ledger;
pub use view::View;
