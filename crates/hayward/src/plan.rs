//! `hayward plan`

use crate::args::PlanArgs;
use crate::failure::{End, Failure, Outcome};
use crate::fleet::Fleet;
use crate::output::{Output, Tone, counted};
use crate::render::show_diff;
use crate::status::overridden_by;
use hayward_fleet::recorded::record_plan;
use hayward_fleet::{Action, Drift, HostPlan, Plan, PlannedHost};
use hayward_model::{Effect, HostPath, HostRow};
use hayward_project::in_line;
use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;

pub(crate) fn run(args: &PlanArgs, output: &Output) -> Outcome {
    match plan(args, output) {
        // 2 means changes here, so what was not carried out must not be 2.
        Err(failure) if args.exit_code => {
            output.failure(&failure);
            Ok(End::Refused)
        }
        outcome => outcome,
    }
}

fn plan(args: &PlanArgs, output: &Output) -> Outcome {
    let Some(fleet) = Fleet::open(&args.hosts.project, output)? else {
        return Ok(End::Refused);
    };
    let rows = fleet.rows(&args.hosts.hosts)?;
    let mut adopt = BTreeSet::new();
    for path in &args.adopt {
        adopt.insert(HostPath::try_from(path.clone()).map_err(|e| Failure::of(&e))?);
    }
    let Some(desired) = fleet.desired(output)? else {
        return Ok(End::Refused);
    };
    let plan = fleet.plan(&desired, &rows, &adopt);
    let Some(drifts) = drifts(&fleet, &plan, &rows, output)? else {
        return Ok(End::Refused);
    };
    if let Some(path) = adopt.iter().find(|path| !is_planned(&plan, path)) {
        return Err(Failure::new(format!(
            "no planned host is to hold {path}, so there is nothing to adopt there"
        )));
    }
    if let Some(file) = &args.out {
        refuse_other(file)?;
    }
    // Before anything is said: what is said is on record, and a failure is the only answer then.
    if plan.has_changes() || plan.has_refusals() {
        record_plan(&plan, &mut fleet.ledger()?).map_err(|e| Failure::of(&e))?;
    }
    if let Some(file) = &args.out {
        crate::output::write_file(file, &plan.to_json())?;
    }
    show(&plan, &drifts, args.full, output);
    output.document(&as_json(&plan, &drifts));
    if let Some(file) = &args.out {
        output.line(format!("kept in {}: `hayward apply {0}`", in_line(file)));
    }
    if plan.has_refusals() {
        return Ok(End::Refused);
    }
    Ok(if args.exit_code && plan.has_changes() {
        End::Changes
    } else {
        End::Done
    })
}

/// How each host of a plan differs from the model, in the plan's order. `None` if the model
/// refuses to say which units are read, which is printed.
pub(crate) fn drifts(
    fleet: &Fleet,
    plan: &Plan,
    rows: &[&HostRow],
    output: &Output,
) -> Result<Option<Vec<Drift>>, Failure> {
    let mut drifts = Vec::new();
    for host in &plan.body().hosts {
        let row = rows.iter().find(|row| row.name == *host.host());
        let row = row.ok_or_else(|| Failure::new(format!("{} was not asked", host.host())))?;
        match fleet.drift(plan, row, output)? {
            Some(drift) => drifts.push(drift),
            None => return Ok(None),
        }
    }
    Ok(Some(drifts))
}

/// Only an earlier plan is written over.
fn refuse_other(file: &Path) -> Result<(), Failure> {
    let refused = |what: &str| {
        Err(Failure::new(format!(
            "{} is {what}: name another file; nothing was written",
            in_line(file)
        )))
    };
    match std::fs::symlink_metadata(file) {
        Err(_) => Ok(()),
        Ok(data) if !data.is_file() => refused("no regular file"),
        Ok(_) => match std::fs::read(file).map(|bytes| Plan::from_json(&bytes)) {
            Ok(Ok(_)) => Ok(()),
            _ => refused("there and is no plan"),
        },
    }
}

fn is_planned(plan: &Plan, path: &HostPath) -> bool {
    plan.body().hosts.iter().any(|host| match host {
        HostPlan::Planned(planned) => planned.paths.iter().any(|p| p.path == *path),
        // What a host that cannot be read holds is not known.
        HostPlan::Refused { .. } => true,
    })
}

/// The plan as a person reads it. `full` shows the text of new files too.
pub(crate) fn show(plan: &Plan, drifts: &[Drift], full: bool, output: &Output) {
    for (host, drift) in plan.body().hosts.iter().zip(drifts) {
        match host {
            HostPlan::Refused { host, reason } => {
                output.line(output.paint(Tone::Strong, host.as_str()));
                output.line(format!("  {} {reason}", output.paint(Tone::Bad, "!")));
            }
            HostPlan::Planned(planned) => show_host(planned, drift, full, output),
        }
    }
    output.line(summary(plan, output));
}

fn show_host(planned: &PlannedHost, drift: &Drift, full: bool, output: &Output) {
    let generation = match planned.generation {
        0 => "never applied".to_owned(),
        n => format!("generation {n}"),
    };
    output.line(format!(
        "{}  {generation}",
        output.paint(Tone::Strong, planned.host.as_str())
    ));
    let mut unchanged = 0;
    for path in &planned.paths {
        let sign = path.action.sign();
        let tone = match sign {
            '+' => Tone::Good,
            '~' => Tone::Change,
            _ => Tone::Bad,
        };
        let effect = match path.effect {
            Effect::None => "",
            Effect::Reload => ", reload",
            Effect::Restart => ", restart",
        };
        let sign = output.paint(tone, &sign.to_string());
        match &path.action {
            Action::Unchanged => unchanged += 1,
            // What is in force without Hayward is named every time.
            Action::Accept { .. } => output.line(format!("  = {}  ({})", path.path, path.why)),
            Action::Refused { reason } => output.line(format!("  {sign} {}: {reason}", path.path)),
            _ => output.line(format!("  {sign} {}  ({}{effect})", path.path, path.why)),
        }
        match &path.action {
            Action::Change { diff, .. } => show_diff(diff, output),
            Action::Create { text, .. } if full => {
                for line in text.lines() {
                    output.line(format!(
                        "    {}",
                        output.paint(Tone::Good, &format!("+{line}"))
                    ));
                }
            }
            _ => {}
        }
    }
    if unchanged > 0 {
        output.line(format!("  = {} unchanged", counted(unchanged, "path")));
    }
    let beside = output.paint(Tone::Change, "*");
    for file in &drift.foreign {
        let what = if file.overrides {
            "overrides what is declared"
        } else {
            "is in force and not declared"
        };
        let left = match file.accepts {
            None => "Hayward did not install it, and leaves it",
            Some(_) => "it is not as it was accepted",
        };
        output.line(format!("  {beside} {} {what}: {left}", file.path));
        output.line(format!(
            "    `Accepted` accepts it as it is, with blake3: \"{}\"",
            file.digest
        ));
    }
    if let Some(reason) = &drift.unread {
        output.line(format!(
            "  {beside} what is in force cannot be read ({reason})"
        ));
    }
    if planned.refused().next().is_some() {
        output.line(format!(
            "  {} nothing is done on this host while a path of it is refused",
            output.paint(Tone::Bad, "!")
        ));
    }
}

/// How many paths would be created, changed, removed and refused. A host with a refused path is
/// left alone, so nothing else of it counts.
fn summary(plan: &Plan, output: &Output) -> String {
    let (mut create, mut change, mut remove, mut refused) = (0, 0, 0, 0);
    for host in &plan.body().hosts {
        match host {
            HostPlan::Refused { .. } => refused += 1,
            HostPlan::Planned(planned) => match planned.refused().count() {
                0 => {
                    for path in &planned.paths {
                        match path.action.sign() {
                            '+' => create += 1,
                            '~' => change += 1,
                            '-' => remove += 1,
                            _ => {}
                        }
                    }
                }
                paths => refused += paths,
            },
        }
    }
    if create + change + remove + refused == 0 {
        return format!(
            "nothing to do on {}",
            counted(plan.body().hosts.len(), "host")
        );
    }
    let refused = match refused {
        0 => "0 refused".to_owned(),
        n => output.paint(Tone::Bad, &format!("{n} refused")),
    };
    format!(
        "{create} to create, {change} to change, {remove} to remove, {refused} on {}",
        counted(plan.body().hosts.len(), "host")
    )
}

/// The plan without the bytes of new files; the file of `--out` has them.
fn as_json(plan: &Plan, drifts: &[Drift]) -> serde_json::Value {
    let hosts: Vec<_> = plan
        .body()
        .hosts
        .iter()
        .zip(drifts)
        .map(|(host, drift)| match host {
            HostPlan::Refused { host, reason } => json!({
                "host": host,
                "as_declared": drift.as_declared(),
                "drift": drift.to_string(),
                "refused": reason,
            }),
            HostPlan::Planned(planned) => {
                let paths: Vec<_> = planned
                    .paths
                    .iter()
                    .map(|path| {
                        let (action, detail) = match &path.action {
                            Action::Create { .. } => ("create", None),
                            Action::Change { diff, .. } => ("change", Some(diff.as_str())),
                            Action::Remove => ("remove", None),
                            Action::Adopt => ("adopt", None),
                            Action::Forget => ("forget", None),
                            Action::Refused { reason } => ("refused", Some(reason.as_str())),
                            Action::Unchanged => ("unchanged", None),
                            Action::Accept { .. } => ("accept", None),
                        };
                        json!({
                            "path": path.path,
                            "action": action,
                            "detail": detail,
                            "effect": path.effect,
                            "because": path.because,
                            "why": path.why,
                        })
                    })
                    .collect();
                json!({
                    "host": planned.host,
                    "generation": planned.generation,
                    "as_declared": drift.as_declared(),
                    "drift": drift.to_string(),
                    "overridden_by": overridden_by(drift),
                    "accepted": drift.accepted,
                    "paths": paths,
                })
            }
        })
        .collect();
    json!({
        "fleet": plan.body().fleet,
        "plan": plan.digest(),
        "model": plan.body().model,
        "revision": plan.body().revision,
        "uncommitted": plan.body().uncommitted,
        "changes": plan.has_changes(),
        "refusals": plan.has_refusals(),
        "hosts": hosts,
    })
}
