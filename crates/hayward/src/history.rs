//! `hayward history`

use crate::args::HistoryArgs;
use crate::failure::{End, Failure, Outcome};
use crate::output::{Output, Tone, counted};
use crate::status::not_installed;
use crate::time::utc;
use hayward_fleet::TextRevision;
use hayward_fleet::recorded::{ApplyBody, DecisionBody, ObservationBody, Phase, PlanBody};
use hayward_ledger::{Filter, Kind, Receipt};
use hayward_model::HostAnswer;

pub(crate) fn run(args: &HistoryArgs, output: &Output) -> Outcome {
    let manifest = crate::fleet::manifest(&args.project)?;
    let Some(view) = crate::fleet::view(&manifest.directory)? else {
        if let Some(seq) = args.receipt {
            return Err(Failure::new(format!("there is no receipt {seq}")));
        }
        output.line("nothing was recorded yet");
        output.document(&Vec::<Receipt>::new());
        return Ok(End::Done);
    };
    let filter = match args.receipt {
        Some(0) => return Err(Failure::new("receipts are numbered from 1")),
        Some(seq) => Filter::new().after(seq - 1).limit(1),
        None => {
            let filter = Filter::new().newest_first().limit(args.limit);
            match &args.host {
                Some(host) => filter.host(host.clone()),
                None => filter,
            }
        }
    };
    let receipts = view.receipts(&filter).map_err(|e| Failure::of(&e))?;
    if let Some(seq) = args.receipt {
        let Some(receipt) = receipts.first().filter(|r| r.seq == seq) else {
            return Err(Failure::new(format!("there is no receipt {seq}")));
        };
        whole(receipt, output);
        output.document(receipt);
        return Ok(End::Done);
    }
    if receipts.is_empty() {
        output.line(match &args.host {
            Some(host) => format!("nothing was recorded about {host}"),
            None => "nothing was recorded yet".to_owned(),
        });
    }
    for receipt in &receipts {
        output.line(format!(
            "{:>5}  {}  {:<11}  {:<12}  {}  {}",
            receipt.seq,
            utc(receipt.at),
            receipt.kind.as_str(),
            receipt.host.as_deref().unwrap_or("-"),
            summary(receipt),
            output.paint(Tone::Quiet, &receipt.actor),
        ));
    }
    output.document(&receipts);
    Ok(End::Done)
}

/// A receipt in a few words.
fn summary(receipt: &Receipt) -> String {
    let read = match receipt.kind {
        Kind::Observation => receipt
            .body_as::<ObservationBody>()
            .map(|b| match &b.answer {
                HostAnswer::Answered { units, .. } => {
                    let settings: usize = units.iter().map(|u| u.settings.len()).sum();
                    let foreign = match not_installed(&b.answer).as_slice() {
                        [] => String::new(),
                        paths => format!(", not as installed: {}", paths.join(", ")),
                    };
                    format!(
                        "answered: {}, {}{foreign}",
                        counted(units.len(), "unit"),
                        counted(settings, "setting")
                    )
                }
                HostAnswer::Unreadable { cause, .. } => format!("unreadable: {cause}"),
                HostAnswer::Silent { cause, .. } => format!("no answer: {cause}"),
            }),
        Kind::Plan => receipt.body_as::<PlanBody>().map(|b| {
            let changes: usize = b.hosts.iter().map(|h| h.paths.len()).sum();
            format!(
                "{} on {}, plan {}",
                counted(changes, "path"),
                counted(b.hosts.len(), "host"),
                b.plan.short()
            )
        }),
        Kind::Apply | Kind::Rollback => receipt.body_as::<ApplyBody>().map(|b| {
            let what = match b.phase {
                Phase::Begun => "begun".to_owned(),
                Phase::Applied => {
                    format!(
                        "generation {}, {}",
                        b.generation.unwrap_or_default(),
                        counted(b.changed, "path")
                    )
                }
                Phase::NothingToDo => "nothing to do".to_owned(),
                Phase::Refused => format!("refused: {}", b.reason.unwrap_or_default()),
                Phase::RolledBack => format!("rolled back: {}", b.reason.unwrap_or_default()),
                Phase::Failed => format!("failed: {}", b.reason.unwrap_or_default()),
            };
            format!("{what}, plan {}", b.plan.short())
        }),
        Kind::Decision => receipt.body_as::<DecisionBody>().map(|b| {
            let answer = if b.allowed { "allowed" } else { "withheld" };
            let causes = match b.findings.len() {
                0 => String::new(),
                1 => ", 1 reason".to_owned(),
                n => format!(", {n} reasons"),
            };
            format!(
                "{} {answer}{causes}, evidence {}",
                b.policy,
                b.evidence.short()
            )
        }),
        Kind::Choice | Kind::WitnessRun => return receipt.body.clone(),
    };
    read.unwrap_or_else(|_| "(of a form that this version does not know)".into())
}

fn whole(receipt: &Receipt, output: &Output) {
    output.line(format!("receipt    {}", receipt.seq));
    output.line(format!("kind       {}", receipt.kind));
    output.line(format!(
        "host       {}",
        receipt.host.as_deref().unwrap_or("-")
    ));
    output.line(format!(
        "time       {} ({})",
        utc(receipt.at),
        receipt.time_source
    ));
    output.line(format!("actor      {}", receipt.actor));
    output.line(format!("tool       {}", receipt.tool));
    let body = serde_json::from_str::<serde_json::Value>(&receipt.body);
    let uncommitted = body.as_ref().is_ok_and(|body| body["uncommitted"] == true);
    let revision = receipt
        .revision
        .as_deref()
        .map(|name| TextRevision { name, uncommitted });
    output.line(match revision {
        Some(revision) => format!("revision   {revision}"),
        None => "revision   -".to_owned(),
    });
    output.line(format!("previous   {}", receipt.previous));
    output.line(format!("digest     {}", receipt.digest));
    output.line(format!("key        {}", receipt.key));
    output.line(match &body {
        Ok(body) => format!("{body:#}"),
        Err(_) => receipt.body.clone(),
    });
}
