//! `hayward observe`

use crate::args::ObserveArgs;
use crate::failure::{End, Failure, Outcome};
use crate::fleet::Fleet;
use crate::output::{Output, Tone, counted};
use crate::render::{policy, show_policy};
use crate::status::foreign;
use hayward_fleet::recorded::{self, Observed};
use hayward_model::HostAnswer;
use serde_json::json;

pub(crate) fn run(args: &ObserveArgs, output: &Output) -> Outcome {
    let Some(fleet) = Fleet::open(&args.hosts.project, output)? else {
        return Ok(End::Refused);
    };
    let rows = fleet.rows(&args.hosts.hosts)?;
    let mut ledger = fleet.ledger()?;
    let working = output.working("reading the hosts");
    let observed = recorded::observe(
        &fleet.model,
        fleet.directory(),
        &rows,
        &mut ledger,
        fleet.revision.as_deref(),
    )
    .map_err(|e| Failure::of(&e))?;
    drop(working);
    for one in &observed {
        show(one, output);
    }
    let standing = recorded::standing(&fleet.model, fleet.view()?.as_ref(), recorded::now())
        .map_err(|e| Failure::of(&e))?;
    show_policy(&standing, output);
    let hosts: Vec<_> = observed
        .iter()
        .map(|one| {
            json!({
                "asked": one.host,
                "receipt": one.receipt.seq,
                "generation": one.observation.generation,
                "reading": one.observation.answer,
            })
        })
        .collect();
    output.document(&json!({ "hosts": hosts, "policy": policy(&standing) }));
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

fn show(one: &Observed, output: &Output) {
    let host = output.paint(Tone::Strong, one.host.as_str());
    let receipt = output.paint(Tone::Quiet, &format!("receipt {}", one.receipt.seq));
    match &one.observation.answer {
        HostAnswer::Answered { units, .. } => {
            let generation = match one.observation.generation {
                Some(0) | None => "never applied".to_owned(),
                Some(n) => format!("generation {n}"),
            };
            let files: usize = units.iter().map(|u| u.sources.len()).sum();
            let foreign = foreign(&one.observation.answer);
            output.line(format!(
                "{host}  read {} in {}, {generation}  {receipt}",
                counted(units.len(), "unit"),
                counted(files, "file"),
            ));
            for path in foreign {
                output.line(format!(
                    "  {} {path} is in force, and Hayward did not install it as it is",
                    output.paint(Tone::Change, "~")
                ));
            }
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
