//! The fleet's standing, from the ledger, and the decision that rests on it.

use super::observe::ACTS;
use super::{ActError, ApplyBody, ObservationBody, Phase};
use crate::TextRevision;
use crate::text_revision::is_unset;
use hayward_ledger::{Entry, Filter, Kind, Ledger, LedgerError, Receipt, View};
use hayward_model::{DatedAnswer, Digest, Finding, FleetModel, Standing};
use serde::{Deserialize, Serialize};

/// The standing that the receipts give at a time (seconds since 1970). Without a
/// ledger nothing was observed. The whole chain is verified first: a policy does
/// not rest on a ledger of which a part is broken.
///
/// Of each host the answers of its last observation count. A host that is not in
/// the roster counts, as a stranger, as long as its last answer may be fresh:
/// striking a host from the roster does not undo what was seen of it.
///
/// # Errors
/// If the ledger is broken, or a reading does not fit the library.
pub fn standing(model: &FleetModel, ledger: Option<&View>, now: i64) -> Result<Standing, ActError> {
    let mut answers = Vec::new();
    // The fleet's own limit would let the model that strikes a host decide when it
    // is forgotten.
    let longest = model.longest_age()?;
    if let Some(view) = ledger {
        view.verify()?;
        for host in view.hosts(Kind::Observation)? {
            let last = last_answers(model, view, &host)?;
            let stranger = !model.roster().iter().any(|row| row.name.as_str() == host);
            let old = |a: &DatedAnswer| now.saturating_sub(a.taken_at) > longest;
            if stranger && last.iter().all(old) {
                continue;
            }
            answers.extend(last);
        }
    }
    Ok(model.standing(&answers, now)?)
}

/// A host that was observed and is not in the roster. It withholds the policy as long as its
/// last answer may be fresh.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Stranger {
    /// Its name.
    pub host: String,
    /// The last second in which it counts, since 1970.
    pub until: i64,
}

/// The strangers that [`standing`] counts at a time, by name.
///
/// # Errors
/// If a receipt cannot be read, or the library does not say how long it looks back.
pub fn strangers(
    model: &FleetModel,
    ledger: Option<&View>,
    now: i64,
) -> Result<Vec<Stranger>, ActError> {
    let mut strangers = Vec::new();
    let Some(view) = ledger else {
        return Ok(strangers);
    };
    let longest = model.longest_age()?;
    for host in view.hosts(Kind::Observation)? {
        if model.roster().iter().any(|row| row.name.as_str() == host) {
            continue;
        }
        let last = last_answers(model, view, &host)?;
        let taken_at = last.iter().map(|a| a.taken_at).max().unwrap_or(i64::MIN);
        let until = taken_at.saturating_add(longest);
        if until >= now {
            strangers.push(Stranger { host, until });
        }
    }
    strangers.sort_by(|a, b| a.host.cmp(&b.host));
    Ok(strangers)
}

/// The answers of a host's last observation: one, unless something is wrong. What
/// was read before the last apply that touched the host says nothing of it now.
fn last_answers(model: &FleetModel, view: &View, host: &str) -> Result<Vec<DatedAnswer>, ActError> {
    let mut answers = Vec::new();
    let mut run = None;
    let mut seq = 0;
    // Two are enough to see that a host answered twice.
    let filter = Filter::new()
        .kind(Kind::Observation)
        .host(host)
        .newest_first()
        .limit(2);
    for receipt in view.receipts(&filter)? {
        let body = body_of(&receipt)?;
        if run.as_ref().is_some_and(|r| *r != body.run) {
            break;
        }
        seq = seq.max(receipt.seq);
        run = Some(body.run);
        // It was asked what another fleet asks; and a new name must not hide it.
        let lapsed = (body.fleet != model.name()).then(|| {
            format!(
                "last observed for the fleet `{}`: `hayward observe`",
                body.fleet
            )
        });
        answers.push(DatedAnswer {
            answer: body.answer,
            taken_at: body.taken_at,
            lapsed,
        });
    }
    if let Some(touched) = changed_after(view, host, seq)? {
        let cause = format!("not observed since receipt {touched} changed it: `hayward observe`");
        for dated in &mut answers {
            dated.lapsed = Some(cause.clone());
        }
    }
    Ok(answers)
}

/// The first receipt after another one by which an apply may have changed the host.
///
/// # Errors
/// If the ledger cannot be read, or a receipt in it.
pub fn changed_after(view: &View, host: &str, seq: u64) -> Result<Option<u64>, ActError> {
    for kind in [Kind::Apply, Kind::Rollback] {
        for receipt in view.receipts(&Filter::new().kind(kind).after(seq))? {
            let body: ApplyBody = receipt.body_as().map_err(|e| ActError::Receipt {
                seq: receipt.seq,
                why: e.to_string(),
            })?;
            let about = receipt.host.as_deref() == Some(host)
                || body.hosts.iter().any(|h| h.as_str() == host);
            let untouched = matches!(body.phase, Phase::Refused | Phase::NothingToDo);
            if about && !untouched {
                return Ok(Some(receipt.seq));
            }
        }
    }
    Ok(None)
}

fn body_of(receipt: &Receipt) -> Result<ObservationBody, ActError> {
    receipt.body_as().map_err(|e| ActError::Receipt {
        seq: receipt.seq,
        why: e.to_string(),
    })
}

/// What a receipt of a decision holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecisionBody {
    /// The fleet.
    pub fleet: String,
    /// The policy: `cancel-running-jobs`.
    pub policy: String,
    /// The answer.
    pub allowed: bool,
    /// The digest of everything it rests on.
    pub evidence: Digest,
    /// Why not; empty if it is allowed.
    pub findings: Vec<DecisionFinding>,
    /// Whether the text differed from the revision of the receipt. Absent where it did not, and in what
    /// versions wrote that did not look.
    #[serde(default, skip_serializing_if = "is_unset")]
    pub uncommitted: bool,
}

/// A reason in a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DecisionFinding {
    /// The host, or `*`.
    pub host: String,
    /// The reason.
    pub cause: String,
}

impl From<&Finding> for DecisionFinding {
    fn from(finding: &Finding) -> Self {
        Self {
            host: finding.host.clone(),
            cause: finding.cause.clone(),
        }
    }
}

/// Records the decision that a standing comes to, unless the last one on record
/// is the same. `seen` is the last receipt that the standing was drawn from.
///
/// # Errors
/// If a host was observed or changed meanwhile, or the ledger does not record it.
pub fn decide(
    model: &FleetModel,
    standing: &Standing,
    seen: u64,
    ledger: &mut Ledger,
    revision: Option<TextRevision<'_>>,
) -> Result<Option<Receipt>, ActError> {
    let body = DecisionBody {
        fleet: model.name().to_owned(),
        policy: "cancel-running-jobs".into(),
        allowed: standing.preserves,
        evidence: standing.evidence,
        findings: standing
            .findings
            .iter()
            .map(DecisionFinding::from)
            .collect(),
        uncommitted: revision.is_some_and(|revision| revision.uncommitted),
    };
    // Which text it was drawn by is no part of the answer, as its revision is none.
    let answer = |body: DecisionBody| DecisionBody {
        uncommitted: false,
        ..body
    };
    if let Some(last) = ledger.latest(Kind::Decision, None)?
        && last
            .body_as::<DecisionBody>()
            .is_ok_and(|last| answer(last) == answer(body.clone()))
    {
        for kind in ACTS {
            let newer = Filter::new().kind(kind).after(seen).limit(1);
            if let Some(newer) = ledger.receipts(&newer)?.first() {
                return Err(LedgerError::Overtaken { seq: newer.seq }.into());
            }
        }
        return Ok(None);
    }
    let mut entry = Entry::new(Kind::Decision, &body)?.unless_newer(seen, &ACTS, None);
    if let Some(revision) = revision {
        entry = entry.revision(revision.name)?;
    }
    Ok(Some(ledger.append(&entry)?))
}
