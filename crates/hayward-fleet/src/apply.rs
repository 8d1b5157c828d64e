//! The fleet's door: plan, apply and recover, host by host. One host's refusal
//! or failure stops that host alone.

use crate::error::{Error, Result};
use crate::plan::{HostPlan, Plan, PlanBody, PlannedHost};
use crate::planner::{HostInputs, paths_to_read, plan_host};
use crate::report::{HostReport, Outcome, Recovery};
use crate::step::Steps;
use crate::text_revision::TextRevision;
use crate::transport::{address, reach};
use hayward_model::{DesiredPath, Digest, HostPath, HostRow};
use std::collections::BTreeSet;
use std::path::Path;

/// The fleet as the model has it now.
#[derive(Clone, Copy, Debug)]
pub struct FleetNow<'a> {
    /// Its name.
    pub name: &'a str,
    /// The digest of its desired state ([`desired_digest`](crate::desired_digest)).
    pub model: Digest,
    /// The revision of the model's text, if it is known.
    pub revision: Option<TextRevision<'a>>,
    /// Where the roster's relative paths start.
    pub project: &'a Path,
}

/// What is wanted of a host.
#[derive(Clone, Copy, Debug)]
pub struct HostWish<'a> {
    /// The host.
    pub row: &'a HostRow,
    /// What it should hold.
    pub desired: &'a [DesiredPath],
    /// Paths that may be taken over although Hayward did not install them.
    pub adopt: &'a BTreeSet<HostPath>,
}

/// What converging a host is bound to, besides its own plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visit<'a> {
    pub(crate) fleet: &'a str,
    pub(crate) model: Digest,
    pub(crate) revision: Option<TextRevision<'a>>,
    pub(crate) plan: Digest,
}

/// Reads some hosts and plans for them; writes nothing. A host that cannot be
/// read, or that belongs to another fleet, is refused whole in the plan.
#[must_use]
pub fn plan(now: &FleetNow<'_>, hosts: &[HostWish<'_>]) -> Plan {
    let plans = hosts.iter().map(|wish| {
        let read = reach(wish.row, now.project).read(&paths_to_read(wish.desired));
        let fit = read.and_then(|snapshot| {
            snapshot.state.belongs_to(&wish.row.name, now.name)?;
            Ok(snapshot)
        });
        match fit {
            Ok(snapshot) => plan_host(&HostInputs {
                row: wish.row,
                desired: wish.desired,
                adopt: wish.adopt,
                snapshot: &snapshot,
            }),
            Err(error) => HostPlan::Refused {
                host: wish.row.name.clone(),
                reason: error.to_string(),
            },
        }
    });
    Plan::seal(PlanBody {
        fleet: now.name.to_owned(),
        model: now.model,
        revision: now.revision.map(|revision| revision.name.to_owned()),
        uncommitted: now.revision.is_some_and(|revision| revision.uncommitted),
        hosts: plans.collect(),
    })
}

/// Applies a plan to its hosts, in its order.
///
/// # Errors
/// If the plan was made for another fleet, model or revision, or speaks of a
/// host that is not in the roster; then no host was visited. What goes wrong on
/// a host is in its report.
pub fn apply(
    now: &FleetNow<'_>,
    roster: &[HostRow],
    plan: &Plan,
    steps: &dyn Steps,
) -> Result<Vec<HostReport>> {
    let body = plan.body();
    let other = |what, planned: &str, now: &str| Error::OtherPlan {
        what,
        planned: planned.to_owned(),
        now: now.to_owned(),
    };
    if body.fleet != now.name {
        return Err(other("fleet", &body.fleet, now.name));
    }
    if body.text_revision() != now.revision {
        let said = |revision: Option<TextRevision<'_>>| {
            revision.map_or("(none)".to_owned(), |revision| revision.to_string())
        };
        let (planned, now) = (said(body.text_revision()), said(now.revision));
        return Err(other("revision", &planned, &now));
    }
    if body.model != now.model {
        return Err(other("model", &body.model.short(), &now.model.short()));
    }
    let mut rows = Vec::new();
    for host in &body.hosts {
        match roster.iter().find(|row| row.name == *host.host()) {
            Some(row) => rows.push((row, host)),
            None => {
                return Err(Error::ForeignHost {
                    host: host.host().clone(),
                });
            }
        }
    }
    let visit = Visit {
        fleet: now.name,
        model: now.model,
        revision: now.revision,
        plan: plan.digest(),
    };
    Ok(rows
        .into_iter()
        .map(|(row, host)| HostReport {
            host: row.name.clone(),
            outcome: match admitted(row, host) {
                Ok(planned) => reach(row, now.project).converge(&visit, planned, steps),
                Err(error) => Outcome::Refused { error },
            },
        })
        .collect())
}

/// The plan of a host that it may be brought to.
fn admitted<'a>(row: &HostRow, plan: &'a HostPlan) -> Result<&'a PlannedHost> {
    let refused = |reason: String| Error::Refused {
        host: row.name.clone(),
        reason,
    };
    let planned = match plan {
        HostPlan::Refused { reason, .. } => return Err(refused(reason.clone())),
        HostPlan::Planned(planned) => planned,
    };
    if planned.transport != row.transport {
        return Err(Error::Moved {
            host: row.name.clone(),
            planned: address(&planned.transport),
            now: address(&row.transport),
        });
    }
    let reasons: Vec<String> = planned
        .refused()
        .map(|(path, reason)| format!("{path}: {reason}"))
        .collect();
    if reasons.is_empty() {
        Ok(planned)
    } else {
        Err(refused(reasons.join("; ")))
    }
}

/// Finishes or undoes an apply that was interrupted on a host.
///
/// # Errors
/// If another apply is under way there, if its tree cannot be read or is
/// another host's, or if a path holds neither its old nor its new bytes.
pub fn recover(row: &HostRow, project: &Path, steps: &dyn Steps) -> Result<Recovery> {
    reach(row, project).recover(steps)
}

/// The plan whose apply was interrupted on a host, or is under way there.
///
/// # Errors
/// If the host's tree, or the record in it, cannot be read.
pub fn interrupted(row: &HostRow, project: &Path) -> Result<Option<Digest>> {
    reach(row, project).interrupted()
}
