//! `hayward observe`

use crate::args::ObserveArgs;
use crate::failure::{End, Failure, Outcome};
use crate::fleet::{Fleet, drift};
use crate::output::{Output, Tone, counted};
use crate::render::{policy, show_policy};
use crate::status::{overridden_by, show_accepted, show_foreign, tone};
use hayward_fleet::recorded::{self, Observed};
use hayward_fleet::{Drift, HostPlan};
use hayward_model::{Finding, HostAnswer};
use serde_json::json;
use std::collections::BTreeSet;

pub(crate) fn run(args: &ObserveArgs, output: &Output) -> Outcome {
    let Some(fleet) = Fleet::open(&args.hosts.project, output)? else {
        return Ok(End::Refused);
    };
    let rows = fleet.rows(&args.hosts.hosts)?;
    // What a host should hold is part of the answer, so it is asked before anything is recorded.
    let Some(desired) = fleet.desired(output)? else {
        return Ok(End::Refused);
    };
    let mut ledger = fleet.ledger()?;
    let working = output.working("reading the hosts");
    let observed = recorded::observe(
        &fleet.model,
        fleet.directory(),
        &rows,
        &mut ledger,
        fleet.revision(),
    )
    .map_err(|e| Failure::of(&e))?;
    let plan = fleet.plan(&desired, &rows, &BTreeSet::new());
    drop(working);
    let mut drifts = Vec::new();
    for (row, one) in rows.iter().zip(&observed) {
        drifts.push(drift(&plan, row, &one.observation.answer)?);
    }
    for (one, drift) in observed.iter().zip(&drifts) {
        let planned = plan.body().hosts.iter().find(|h| *h.host() == one.host);
        show(one, drift, planned, output);
    }
    let (view, now) = (fleet.view()?, recorded::now());
    let standing = recorded::standing(&fleet.model, view.as_ref(), now);
    let standing = standing.map_err(|e| Failure::of(&e))?;
    let strangers = recorded::strangers(&fleet.model, view.as_ref(), now);
    let strangers = strangers.map_err(|e| Failure::of(&e))?;
    let above = |finding: &Finding| {
        observed.iter().any(|one| {
            let cause = match &one.observation.answer {
                HostAnswer::Answered { .. } => return false,
                HostAnswer::Unreadable { cause, .. } | HostAnswer::Silent { cause, .. } => cause,
            };
            finding.host == one.host.as_str() && finding.cause.contains(cause)
        })
    };
    show_policy(&standing, &strangers, above, output);
    let hosts: Vec<_> = observed
        .iter()
        .zip(&drifts)
        .map(|(one, drift)| {
            json!({
                "asked": one.host,
                "receipt": one.receipt.seq,
                "generation": one.observation.generation,
                "as_declared": drift.as_declared(),
                "drift": drift.to_string(),
                "overridden_by": overridden_by(drift),
                "accepted": drift.accepted,
                "reading": one.observation.answer,
            })
        })
        .collect();
    output.document(&json!({ "hosts": hosts, "policy": policy(&standing, &strangers) }));
    let unread = observed
        .iter()
        .filter(|o| !matches!(o.observation.answer, HostAnswer::Answered { .. }))
        .count();
    // A host that does not answer is an observation, and not a success.
    if unread > 0 {
        output.note(format!("{} could not be read", counted(unread, "host")));
        return Ok(End::Refused);
    }
    Ok(End::Done)
}

fn show(one: &Observed, drift: &Drift, planned: Option<&HostPlan>, output: &Output) {
    let host = output.paint(Tone::Strong, one.host.as_str());
    let receipt = output.paint(Tone::Quiet, &format!("receipt {}", one.receipt.seq));
    match &one.observation.answer {
        HostAnswer::Answered { units, .. } => {
            let generation = match one.observation.generation {
                Some(0) | None => "never applied".to_owned(),
                Some(n) => format!("generation {n}"),
            };
            let files: usize = units.iter().map(|u| u.sources.len()).sum();
            output.line(format!(
                "{host}  read {} in {}, {generation}, {}  {receipt}",
                counted(units.len(), "unit"),
                counted(files, "file"),
                output.paint(tone(drift), &drift.to_string()),
            ));
            show_accepted(drift, output);
            show_foreign(&one.observation.answer, &drift.accepted, planned, output);
        }
        HostAnswer::Unreadable { cause, .. } => {
            output.line(format!(
                "{host}  {}: {cause}  {receipt}",
                output.paint(Tone::Bad, "unreadable")
            ));
        }
        HostAnswer::Silent { cause, .. } => {
            output.line(format!(
                "{host}  {}: {cause}  {receipt}",
                output.paint(Tone::Bad, "no answer")
            ));
        }
    }
}
