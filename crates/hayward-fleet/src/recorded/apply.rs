//! Planning and applying, each on record: the intent before the first host is
//! visited, and what became of each.

use super::ActError;
use crate::text_revision::is_unset;
use crate::{FleetNow, HostPlan, HostReport, Outcome, Plan, Recovery, Steps, TextRevision};
use hayward_ledger::{Entry, Kind, Ledger, LedgerError, Receipt};
use hayward_model::{Digest, HostName, HostRow};
use serde::{Deserialize, Serialize};

/// What a receipt of a plan holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanBody {
    /// The fleet.
    pub fleet: String,
    /// The plan's own digest.
    pub plan: Digest,
    /// The digest of the desired state.
    pub model: Digest,
    /// Whether the text differed from the revision of the receipt. Absent where it did not, and in what
    /// versions wrote that did not look.
    #[serde(default, skip_serializing_if = "is_unset")]
    pub uncommitted: bool,
    /// Each host, with what would be done.
    pub hosts: Vec<PlannedLine>,
}

/// A host in a receipt of a plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedLine {
    /// The host.
    pub host: HostName,
    /// The generation that it was in.
    pub generation: Option<u64>,
    /// Each path that would change or is refused: sign, blank, path.
    pub paths: Vec<String>,
    /// Why nothing is planned, if so.
    pub refused: Option<String>,
}

/// What a receipt of an apply holds.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ApplyBody {
    /// The fleet.
    pub fleet: String,
    /// The plan's digest.
    pub plan: Digest,
    /// The digest of the desired state that it is of. Absent only in receipts of versions that
    /// did not write it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Digest>,
    /// Whether the text differed from the revision of the receipt. Absent where it did not, and in what
    /// versions wrote that did not look.
    #[serde(default, skip_serializing_if = "is_unset")]
    pub uncommitted: bool,
    /// The hosts that may be changed, where the receipt is of the beginning.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hosts: Vec<HostName>,
    /// How far it came.
    pub phase: Phase,
    /// The generation that the host is in now.
    pub generation: Option<u64>,
    /// How many paths changed.
    pub changed: usize,
    /// Why, where it did not go well.
    pub reason: Option<String>,
}

/// How far an apply came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Hosts are about to be visited.
    Begun,
    /// The host is in its new state.
    Applied,
    /// The host was in that state already.
    NothingToDo,
    /// The host was not touched.
    Refused,
    /// The host is in its old state again.
    RolledBack,
    /// The host is in between: the next apply finishes or undoes it.
    Failed,
}

/// Records a plan that has something to do or to refuse.
///
/// # Errors
/// If the ledger does not record it.
pub fn record_plan(plan: &Plan, ledger: &mut Ledger) -> Result<Option<Receipt>, ActError> {
    if !plan.has_changes() && !plan.has_refusals() {
        return Ok(None);
    }
    let hosts = plan.body().hosts.iter().map(|host| match host {
        HostPlan::Refused { host, reason } => PlannedLine {
            host: host.clone(),
            generation: None,
            paths: Vec::new(),
            refused: Some(reason.clone()),
        },
        HostPlan::Planned(planned) => PlannedLine {
            host: planned.host.clone(),
            generation: Some(planned.generation),
            paths: planned
                .paths
                .iter()
                .filter(|p| p.action.sign() != '=')
                .map(|p| format!("{} {}", p.action.sign(), p.path))
                .collect(),
            refused: None,
        },
    });
    let body = PlanBody {
        fleet: plan.body().fleet.clone(),
        plan: plan.digest(),
        model: plan.body().model,
        uncommitted: plan.body().uncommitted,
        hosts: hosts.collect(),
    };
    Ok(Some(ledger.append(&entry(
        Kind::Plan,
        &body,
        None,
        plan.body().text_revision(),
    )?)?))
}

fn entry(
    kind: Kind,
    body: &impl Serialize,
    host: Option<&HostName>,
    revision: Option<TextRevision<'_>>,
) -> Result<Entry, ActError> {
    let mut entry = Entry::new(kind, body)?;
    if let Some(host) = host {
        entry = entry.host(host.as_str())?;
    }
    if let Some(revision) = revision {
        entry = entry.revision(revision.name)?;
    }
    Ok(entry)
}

/// Finishes or undoes an apply that was interrupted on a host, on record: the
/// intent before, and what became of it. Without one the ledger is not opened.
///
/// # Errors
/// If the host cannot be recovered, or the ledger does not record.
pub fn recover(
    now: &FleetNow<'_>,
    row: &HostRow,
    open: impl FnOnce() -> Result<Ledger, LedgerError>,
    steps: &dyn Steps,
) -> Result<Recovery, ActError> {
    let Some(plan) = crate::interrupted(row, now.project)? else {
        return Ok(Recovery::NothingInterrupted);
    };
    let mut ledger = open()?;
    let mut record = |kind, phase, generation, changed, reason| {
        let body = ApplyBody {
            fleet: now.name.to_owned(),
            plan,
            model: Some(now.model),
            uncommitted: now.revision.is_some_and(|revision| revision.uncommitted),
            hosts: Vec::new(),
            phase,
            generation,
            changed,
            reason,
        };
        let entry = entry(kind, &body, Some(&row.name), now.revision)?;
        ledger.append(&entry).map_err(ActError::from)
    };
    record(
        Kind::Apply,
        Phase::Begun,
        None,
        0,
        Some("an interrupted apply is finished or undone".to_owned()),
    )?;
    let recovery = match crate::recover(row, now.project, steps) {
        Ok(recovery) => recovery,
        Err(error) => {
            record(
                Kind::Apply,
                Phase::Refused,
                None,
                0,
                Some(error.to_string()),
            )?;
            return Err(error.into());
        }
    };
    let recorded = match recovery {
        Recovery::NothingInterrupted => record(Kind::Apply, Phase::NothingToDo, None, 0, None),
        Recovery::Finished {
            generation,
            changed,
        } => record(Kind::Apply, Phase::Applied, Some(generation), changed, None),
        Recovery::Undone { generation } => record(
            Kind::Rollback,
            Phase::RolledBack,
            Some(generation),
            0,
            Some("the apply was interrupted".to_owned()),
        ),
    };
    match recorded {
        Err(ActError::Ledger(source)) => Err(ActError::Unrecorded {
            hosts: vec![row.name.clone()],
            source,
        }),
        Err(error) => Err(error),
        Ok(_) => Ok(recovery),
    }
}

/// Applies a plan. The intent is on record before the first host is visited: a
/// ledger that cannot record it refuses the apply. A plan with nothing to do
/// leaves no receipt.
///
/// # Errors
/// If the plan does not fit the fleet, or the ledger does not record. What went
/// wrong on a host is in its report.
pub fn apply(
    now: &FleetNow<'_>,
    roster: &[HostRow],
    plan: &Plan,
    ledger: &mut Ledger,
    steps: &dyn Steps,
) -> Result<Vec<HostReport>, ActError> {
    let on_record = plan.has_changes() || plan.has_refusals();
    let body = |phase, generation, changed, reason| ApplyBody {
        fleet: now.name.to_owned(),
        plan: plan.digest(),
        model: Some(plan.body().model),
        uncommitted: plan.body().uncommitted,
        hosts: Vec::new(),
        phase,
        generation,
        changed,
        reason,
    };
    if on_record {
        let hosts = plan.body().hosts.iter().filter_map(|host| match host {
            HostPlan::Planned(p) if p.changes() > 0 && p.refused().next().is_none() => {
                Some(p.host.clone())
            }
            _ => None,
        });
        let begun = ApplyBody {
            hosts: hosts.collect(),
            ..body(Phase::Begun, None, 0, None)
        };
        ledger.append(&entry(
            Kind::Apply,
            &begun,
            None,
            plan.body().text_revision(),
        )?)?;
    }
    let reports = crate::apply(now, roster, plan, steps)?;
    for (index, report) in reports.iter().enumerate() {
        let (kind, body) = match &report.outcome {
            Outcome::NothingToDo { .. } => continue,
            Outcome::Applied(applied) => (
                Kind::Apply,
                body(
                    Phase::Applied,
                    Some(applied.generation),
                    applied.changed,
                    None,
                ),
            ),
            Outcome::Refused { error } => (
                Kind::Apply,
                body(Phase::Refused, None, 0, Some(error.to_string())),
            ),
            Outcome::RolledBack { error } => (
                Kind::Rollback,
                body(Phase::RolledBack, None, 0, Some(error.to_string())),
            ),
            Outcome::Failed { error, undoing } => {
                let reason = format!("{error}; it could not be undone: {undoing}");
                (Kind::Apply, body(Phase::Failed, None, 0, Some(reason)))
            }
        };
        let revision = plan.body().text_revision();
        let recorded = entry(kind, &body, Some(&report.host), revision)
            .and_then(|e| ledger.append(&e).map_err(ActError::from));
        if let Err(error) = recorded {
            let changed =
                |r: &&HostReport| matches!(r.outcome, Outcome::Applied(_) | Outcome::Failed { .. });
            let hosts: Vec<HostName> = reports[index..]
                .iter()
                .filter(changed)
                .map(|r| r.host.clone())
                .collect();
            return Err(match error {
                ActError::Ledger(source) if !hosts.is_empty() => {
                    ActError::Unrecorded { hosts, source }
                }
                other => other,
            });
        }
    }
    Ok(reports)
}
