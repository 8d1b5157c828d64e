//! Observing hosts, each answer kept.

use super::{ActError, now};
use crate::text_revision::is_unset;
use crate::{Identity, Observation, TextRevision};
use hayward_ledger::{BODY_LIMIT, Entry, Filter, Kind, Ledger, LedgerError, Receipt};
use hayward_model::{FleetModel, HostAnswer, HostName, HostRow};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What a receipt of an observation holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ObservationBody {
    /// The fleet.
    pub fleet: String,
    /// One name for all answers of one observation.
    pub run: String,
    /// When it was taken: seconds since 1970, by the observer's clock.
    pub taken_at: i64,
    /// The answer.
    pub answer: HostAnswer,
    /// Who the host says it is.
    pub identity: Option<Identity>,
    /// The last generation applied there.
    pub generation: Option<u64>,
    /// Whether the text differed from the revision of the receipt. Absent where it did not, and in what
    /// versions wrote that did not look.
    #[serde(default, skip_serializing_if = "is_unset")]
    pub uncommitted: bool,
}

/// An observation on record.
#[derive(Clone, Debug)]
pub struct Observed {
    /// The host that was asked.
    pub host: HostName,
    /// What was found.
    pub observation: Observation,
    /// Its receipt.
    pub receipt: Receipt,
}

/// Observes hosts of the roster, one after the other, and records each answer. What
/// goes wrong with one keeps none of the others from being recorded.
///
/// A host of which the model does not say what to read, or whose answer is larger than
/// a receipt, is recorded as unreadable: an older and better answer must not stand as
/// its last.
///
/// # Errors
/// The first of an answer that the ledger did not record, after all hosts were read.
pub fn observe(
    model: &FleetModel,
    project: &Path,
    hosts: &[&HostRow],
    ledger: &mut Ledger,
    revision: Option<TextRevision<'_>>,
) -> Result<Vec<Observed>, ActError> {
    let run = run_name();
    let mut observed = Vec::new();
    let mut failed = None;
    for row in hosts {
        let mut tries = 0;
        let recorded = loop {
            tries += 1;
            match observe_host(model, project, row, ledger, &run, revision) {
                // Somebody recorded something of the host while it was read: what
                // was read may be older than that, so it is read again.
                Err(ActError::Ledger(LedgerError::Overtaken { .. })) if tries < TRIES => {}
                done => break done,
            }
        };
        match recorded {
            Ok(one) => observed.push(one),
            Err(error) => failed = failed.or(Some(error)),
        }
    }
    failed.map_or(Ok(observed), Err)
}

/// How often a host is read that somebody else keeps recording about.
const TRIES: u32 = 5;

/// What an act on a host leaves in the ledger.
pub(super) const ACTS: [Kind; 3] = [Kind::Observation, Kind::Apply, Kind::Rollback];

fn observe_host(
    model: &FleetModel,
    project: &Path,
    row: &HostRow,
    ledger: &mut Ledger,
    run: &str,
    revision: Option<TextRevision<'_>>,
) -> Result<Observed, ActError> {
    let host = row.name.as_str();
    let last = ledger.receipts(&Filter::new().host(host).newest_first().limit(1))?;
    let seen = last.first().map_or(0, |receipt| receipt.seq);
    // The age of a reading is that of its first byte.
    let taken_at = now();
    let entry = |observation: &Observation| {
        let body = ObservationBody {
            fleet: model.name().to_owned(),
            run: run.to_owned(),
            taken_at,
            answer: observation.answer.clone(),
            identity: observation.identity.clone(),
            generation: observation.generation,
            uncommitted: revision.is_some_and(|revision| revision.uncommitted),
        };
        Entry::new(Kind::Observation, &body)
    };
    let mut observation = match model.observed_units(&row.name) {
        Ok(units) => crate::observe(row, &units, project),
        Err(error) => Observation::unreadable(
            row,
            format!("the model does not say what to read there: {error}"),
        ),
    };
    let mut fitting = entry(&observation);
    if let Err(LedgerError::BodyTooLarge { bytes }) = fitting {
        let cause = format!(
            "what was read has {bytes} bytes, and a receipt holds {BODY_LIMIT}: shorten the unit \
             files there"
        );
        observation = Observation::unreadable(row, cause);
        fitting = entry(&observation);
    }
    let mut entry = fitting?.host(host)?.unless_newer(seen, &ACTS, Some(host));
    if let Some(revision) = revision {
        entry = entry.revision(revision.name)?;
    }
    let receipt = ledger.append(&entry)?;
    Ok(Observed {
        host: row.name.clone(),
        observation,
        receipt,
    })
}

/// A name that no other observation has: the time in nanoseconds and the process.
fn run_name() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    let nanos = since.map_or(0, |d| d.as_nanos());
    format!("{nanos:x}-{:x}", std::process::id())
}
