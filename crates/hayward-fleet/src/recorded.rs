//! The fleet's acts with the receipts they leave: what is not on record did not
//! happen, and a policy rests on nothing else.

mod apply;
mod observe;
mod standing;

pub use apply::{ApplyBody, Phase, PlanBody, apply, record_plan, recover};
pub use observe::{ObservationBody, Observed, observe};
pub use standing::{DecisionBody, Stranger, changed_after, decide, standing, strangers};

use hayward_ledger::LedgerError;
use hayward_model::{HostName, ModelError};

/// Why an act was not carried out, or not to its end.
#[derive(Debug, thiserror::Error)]
pub enum ActError {
    /// The model gives no answer.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The ledger cannot be read or written.
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    /// The plan does not fit.
    #[error(transparent)]
    Fleet(#[from] crate::Error),
    /// A receipt holds something that this version does not know.
    #[error("receipt {seq} of the ledger is not as this version writes it: {why}")]
    Receipt {
        /// Its number.
        seq: u64,
        /// What is wrong.
        why: String,
    },
    /// A host outside the roster was named.
    #[error("`{host}` is not in the roster of {fleet}: {known}")]
    NotInRoster {
        /// The name.
        host: String,
        /// The fleet.
        fleet: String,
        /// The hosts that are.
        known: String,
    },
    /// Hosts were changed, and the ledger could not record how it ended.
    #[error("{} changed, and the ledger does not say so: {source}", hosts.iter().map(HostName::as_str).collect::<Vec<_>>().join(", "))]
    Unrecorded {
        /// The hosts.
        hosts: Vec<HostName>,
        /// Why not.
        source: LedgerError,
    },
}

/// Seconds since 1970 by the system's clock.
#[must_use]
pub fn now() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |d| i64::try_from(d.as_secs()).unwrap_or(i64::MAX))
}
