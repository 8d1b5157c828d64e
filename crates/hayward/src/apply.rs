//! `hayward apply`

use crate::args::ApplyArgs;
use crate::failure::{End, Failure, Outcome};
use crate::fleet::{Desired, Fleet};
use crate::output::{Output, Tone, counted};
use crate::plan;
use crate::status::overridden_by;
use hayward_fleet::recorded;
use hayward_fleet::{Drift, Error, HostReport, Outcome as HostOutcome, Plan, Recovery, Unhindered};
use hayward_model::HostRow;
use hayward_project::in_line;
use serde_json::json;
use std::collections::BTreeSet;
use std::io::{BufRead, IsTerminal, Write};
use std::path::Path;

pub(crate) fn run(args: &ApplyArgs, output: &Output) -> Outcome {
    if args.plan.is_some() && !args.hosts.hosts.is_empty() {
        return Err(Failure::new(
            "a kept plan has its hosts already: leave out --host",
        ));
    }
    let Some(fleet) = Fleet::open(&args.hosts.project, output)? else {
        return Ok(End::Refused);
    };
    let Some(desired) = fleet.desired(output)? else {
        return Ok(End::Refused);
    };
    let plan = match &args.plan {
        Some(file) => match kept(file)? {
            Ok(plan) => plan,
            Err(error) => return refused(&error, output),
        },
        None => {
            let rows = fleet.rows(&args.hosts.hosts)?;
            let mut stuck = Vec::new();
            if args.yes || can_ask(output) {
                for row in &rows {
                    stuck.extend(recover(&fleet, &desired, row, output)?);
                }
            }
            let plan = fleet.plan(&desired, &rows, &BTreeSet::new());
            let Some(drifts) = plan::drifts(&fleet, &plan, &rows, output)? else {
                return Ok(End::Refused);
            };
            plan::show(&plan, &drifts, false, output);
            for reason in stuck {
                output.note(format!("error: {reason}"));
            }
            if plan.has_changes() && !args.yes && !confirmed(output)? {
                output.line("nothing was done");
                return Ok(End::Refused);
            }
            plan
        }
    };
    apply(&fleet, &desired, &plan, output)
}

/// Finishes or undoes an apply that was interrupted on a host; gives the reason
/// if it cannot. The plan refuses such a host. What cannot be recorded is not begun.
fn recover(
    fleet: &Fleet,
    desired: &Desired,
    row: &HostRow,
    output: &Output,
) -> Result<Option<Error>, Failure> {
    let open = || fleet.open_ledger();
    match recorded::recover(&fleet.now(desired), row, open, &Unhindered) {
        Ok(Recovery::Finished { generation, .. }) => {
            output.line(format!(
                "{}  an interrupted apply was finished, generation {generation}",
                row.name
            ));
        }
        Ok(Recovery::Undone { generation }) => {
            output.line(format!(
                "{}  an interrupted apply was undone, generation {generation}",
                row.name
            ));
        }
        Ok(Recovery::NothingInterrupted) => {}
        // The plan says so too.
        Err(recorded::ActError::Fleet(
            Error::NoTree { .. }
            | Error::Tree { .. }
            | Error::OtherHost { .. }
            | Error::Identity { .. },
        )) => {}
        Err(recorded::ActError::Fleet(error)) => return Ok(Some(error)),
        Err(error) => return Err(Failure::of(&error)),
    }
    Ok(None)
}

/// A plan from a file; the inner error is a plan that must not be applied.
fn kept(file: &Path) -> Result<Result<Plan, Error>, Failure> {
    let failed = |e| Failure::new(format!("{} cannot be read: {e}", in_line(file)));
    // A FIFO or a device would be waited for without an end.
    if !std::fs::metadata(file).map_err(failed)?.is_file() {
        return Err(Failure::new(format!(
            "{} is no regular file",
            in_line(file)
        )));
    }
    Ok(Plan::from_json(&std::fs::read(file).map_err(failed)?))
}

fn refused(error: &dyn std::error::Error, output: &Output) -> Outcome {
    let failure = Failure::of(error);
    output.note(format!("error: {failure}; nothing was changed"));
    output.document(&json!({ "ok": false, "error": failure.message }));
    Ok(End::Refused)
}

/// Whether there is somebody to ask.
fn can_ask(output: &Output) -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal() && !output.json
}

/// Asks on the terminal. Off a terminal there is nobody to ask.
fn confirmed(output: &Output) -> Result<bool, Failure> {
    if !can_ask(output) {
        return Err(Failure::new(
            "there is nobody to ask: say --yes, or apply a plan that `hayward plan --out FILE` kept",
        ));
    }
    let mut prompt = std::io::stderr().lock();
    let asked = write!(prompt, "Apply this? [y/N] ").and_then(|()| prompt.flush());
    asked.map_err(|e| Failure::new(format!("cannot ask: {e}")))?;
    let mut answer = String::new();
    std::io::stdin()
        .lock()
        .read_line(&mut answer)
        .map_err(|e| Failure::new(format!("no answer: {e}")))?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}

fn apply(fleet: &Fleet, desired: &Desired, plan: &Plan, output: &Output) -> Outcome {
    let mut ledger = fleet.ledger()?;
    let applied = recorded::apply(
        &fleet.now(desired),
        fleet.model.roster(),
        plan,
        &mut ledger,
        &Unhindered,
    );
    let reports = match applied {
        Ok(reports) => reports,
        Err(recorded::ActError::Fleet(error)) => return refused(&error, output),
        Err(error) => return Err(Failure::of(&error)),
    };
    let mut drifts = Vec::new();
    for report in &reports {
        show(report, output);
        drifts.push(afterwards(fleet, desired, report, output)?);
    }
    let well = |r: &&HostReport| {
        matches!(
            r.outcome,
            HostOutcome::Applied(_) | HostOutcome::NothingToDo { .. }
        )
    };
    let good = reports.iter().filter(well).count();
    let bad = reports.len() - good;
    let hosts_with =
        |differs: fn(&Drift) -> bool| drifts.iter().flatten().filter(|d| differs(d)).count();
    // The model may have refused to say what is read.
    let brought = reports.iter().zip(&drifts).filter(|(r, _)| well(r));
    let unread = brought
        .filter(|(_, drift)| drift.as_ref().is_none_or(|d| d.unread.is_some()))
        .count();
    let ok = bad == 0 && unread == 0;
    let but: Vec<String> = [
        (unread, "what is in force cannot be read"),
        (hosts_with(|d| d.paths > 0), "a path differs again"),
        (
            hosts_with(|d| !d.foreign.is_empty()),
            "a file is in force that Hayward did not install",
        ),
    ]
    .into_iter()
    .filter(|(hosts, _)| *hosts > 0)
    .map(|(hosts, what)| format!("on {hosts} {what}"))
    .collect();
    let verdict = match (bad, but.is_empty()) {
        (0, true) => output.paint(Tone::Good, "as declared"),
        (0, false) => {
            let tone = if ok { Tone::Change } else { Tone::Bad };
            output.paint(tone, &format!("applied; {}", but.join(", ")))
        }
        (bad, _) => output.paint(Tone::Bad, &format!("{bad} not as declared")),
    };
    output.line(format!("{}: {verdict}", counted(reports.len(), "host")));
    let hosts: Vec<_> = reports
        .iter()
        .zip(&drifts)
        .map(|(report, drift)| {
            let mut host = as_json(report);
            host["as_declared"] = json!(drift.as_ref().is_some_and(Drift::as_declared));
            if let Some(drift) = drift {
                host["drift"] = json!(drift.to_string());
                host["overridden_by"] = json!(overridden_by(drift));
                host["accepted"] = json!(drift.accepted);
            }
            host
        })
        .collect();
    output.document(&json!({ "ok": ok, "plan": plan.digest(), "hosts": hosts }));
    Ok(if ok { End::Done } else { End::Refused })
}

/// How a host that was brought to its plan differs from the model now: it is read again, since
/// the plan says what it lacked before. Names what keeps it from being read.
fn afterwards(
    fleet: &Fleet,
    desired: &Desired,
    report: &HostReport,
    output: &Output,
) -> Result<Option<Drift>, Failure> {
    let brought = matches!(
        report.outcome,
        HostOutcome::Applied(_) | HostOutcome::NothingToDo { .. }
    );
    let Some(row) = fleet.model.row(&report.host).filter(|_| brought) else {
        return Ok(None);
    };
    let plan = fleet.plan(desired, &[row], &BTreeSet::new());
    let drift = fleet.drift(&plan, row, output)?;
    if let Some(reason) = drift.as_ref().and_then(|d| d.unread.as_ref()) {
        output.line(format!(
            "  {} what is in force cannot be read ({reason})",
            output.paint(Tone::Bad, "!")
        ));
    }
    Ok(drift)
}

fn show(report: &HostReport, output: &Output) {
    let host = output.paint(Tone::Strong, report.host.as_str());
    match &report.outcome {
        HostOutcome::Applied(applied) => {
            let finished = if applied.recovered {
                ", finishing an interrupted apply"
            } else {
                ""
            };
            let effects = if applied.effects.is_empty() {
                ""
            } else {
                "; units take effect at the next boot of this tree"
            };
            output.line(format!(
                "{host}  {}, {} changed and read back{finished}{effects}",
                output.paint(Tone::Good, &format!("generation {}", applied.generation)),
                counted(applied.changed, "path"),
            ));
            if let Some(leftover) = &applied.leftover {
                output.note(format!("warning: old bytes are left behind: {leftover}"));
            }
        }
        HostOutcome::NothingToDo { generation } => {
            output.line(format!("{host}  nothing to do, generation {generation}"));
        }
        HostOutcome::Refused { error } => {
            output.line(format!(
                "{host}  {}: {error}",
                output.paint(Tone::Bad, "refused, not touched")
            ));
        }
        HostOutcome::RolledBack { error } => {
            output.line(format!(
                "{host}  {}: {error}",
                output.paint(Tone::Bad, "rolled back")
            ));
        }
        HostOutcome::Failed { error, undoing } => {
            output.line(format!(
                "{host}  {}: {error}; it could not be undone: {undoing}; the next apply will finish or undo it",
                output.paint(Tone::Bad, "failed half-way")
            ));
        }
    }
}

fn as_json(report: &HostReport) -> serde_json::Value {
    let host = &report.host;
    match &report.outcome {
        HostOutcome::Applied(applied) => json!({
            "host": host,
            "outcome": "applied",
            "generation": applied.generation,
            "changed": applied.changed,
            "recovered": applied.recovered,
            "at_next_boot": applied.effects.iter().map(|e| &e.path).collect::<Vec<_>>(),
        }),
        HostOutcome::NothingToDo { generation } => {
            json!({ "host": host, "outcome": "nothing_to_do", "generation": generation })
        }
        HostOutcome::Refused { error } => {
            json!({ "host": host, "outcome": "refused", "reason": error.to_string() })
        }
        HostOutcome::RolledBack { error } => {
            json!({ "host": host, "outcome": "rolled_back", "reason": error.to_string() })
        }
        HostOutcome::Failed { error, undoing } => json!({
            "host": host,
            "outcome": "failed",
            "reason": error.to_string(),
            "undoing": undoing.to_string(),
        }),
    }
}
