//! `hayward status`

use crate::args::ProjectArgs;
use crate::failure::{End, Failure, Outcome};
use crate::fleet::{self, Fleet};
use crate::output::{Output, Tone};
use crate::render::{policy, show_policy};
use crate::time::age;
use hayward_fleet::recorded::{self, ObservationBody};
use hayward_fleet::{Action, Drift, HostPlan};
use hayward_ledger::{Kind, View};
use hayward_model::{Finding, HostAnswer, HostName};
use serde_json::json;
use std::collections::BTreeSet;

pub(crate) fn run(args: &ProjectArgs, output: &Output) -> Outcome {
    let Some(fleet) = Fleet::open(args, output)? else {
        return Ok(End::Refused);
    };
    let view = fleet.view()?;
    let now = recorded::now();
    let standing =
        recorded::standing(&fleet.model, view.as_ref(), now).map_err(|e| Failure::of(&e))?;
    let Some(containments) = fleet.ask(fleet.model.containments(&standing), output)? else {
        return Ok(End::Refused);
    };
    let Some(desired) = fleet.desired(output)? else {
        return Ok(End::Refused);
    };
    let rows = fleet.rows(&[])?;
    let plan = fleet.plan(&desired, &rows, &BTreeSet::new());
    let mut hosts = Vec::new();
    for row in &rows {
        let Some(drift) = fleet.drift(&plan, row, output)? else {
            return Ok(End::Refused);
        };
        let as_declared = drift.as_declared();
        let last = last_observation(view.as_ref(), &row.name)?;
        let changed = match (&view, &last) {
            (Some(view), Some((seq, _))) => {
                let changed = recorded::changed_after(view, row.name.as_str(), *seq);
                changed.map_err(|e| Failure::of(&e))?
            }
            _ => None,
        };
        let observed = last.map(|(_, body)| body);
        let findings: Vec<&Finding> = standing
            .findings
            .iter()
            .filter(|f| f.host == row.name.as_str())
            .collect();
        let seen = match &observed {
            None => output.paint(Tone::Bad, "never observed"),
            Some(body) => {
                let age = age(now.saturating_sub(body.taken_at));
                // What was seen then is not what stands there.
                let before = match changed {
                    Some(receipt) => format!(", before receipt {receipt} changed it"),
                    None => String::new(),
                };
                match &body.answer {
                    HostAnswer::Answered { .. } => format!("observed {age} ago{before}"),
                    HostAnswer::Unreadable { .. } => {
                        output.paint(Tone::Bad, &format!("unreadable {age} ago{before}"))
                    }
                    HostAnswer::Silent { .. } => {
                        output.paint(Tone::Bad, &format!("no answer {age} ago{before}"))
                    }
                }
            }
        };
        let generation = match drift.generation {
            Some(0) => "never applied".to_owned(),
            Some(n) => format!("generation {n}"),
            None => "generation unknown".to_owned(),
        };
        let tone = tone(&drift);
        // A reason that a finding below gives is not said here.
        let said = match &drift.unread {
            Some(reason) if findings.iter().any(|f| f.cause.contains(reason)) => {
                drift.without_reason().to_string()
            }
            _ => drift.to_string(),
        };
        output.line(format!(
            "{}  {generation}, {}, {seen}",
            output.paint(Tone::Strong, row.name.as_str()),
            output.paint(tone, &said),
        ));
        let accepted = match &observed {
            None => Vec::new(),
            Some(body) => fleet::drift(&plan, row, &body.answer)?.accepted,
        };
        let answer = observed.as_ref().map(|body| &body.answer);
        let not_installed = answer.map_or_else(Vec::new, not_installed);
        let mut foreign = not_installed.clone();
        foreign.retain(|path| accepted.iter().all(|known| known != path));
        show_accepted(&drift, output);
        if let Some(body) = &observed {
            let planned = plan.body().hosts.iter().find(|h| *h.host() == row.name);
            show_foreign(&body.answer, &accepted, planned, output);
        }
        // What was observed so is no reason to observe it again.
        let was_seen = drift.unread.is_none()
            && drift.paths == 0
            // Accepted since then, or gone: what it makes of the units was not read.
            && drift.accepted == accepted
            && drift
                .foreign
                .iter()
                .all(|f| foreign.contains(&f.path.as_str()));
        if !was_seen && findings.is_empty() {
            output.line(format!(
                "  {} it is not as it was when it was observed, or not yet as declared: observe it again",
                output.paint(Tone::Change, "~")
            ));
        }
        for finding in &findings {
            output.line(format!(
                "  {} {}",
                output.paint(Tone::Bad, "!"),
                finding.cause
            ));
        }
        hosts.push(json!({
            "host": row.name,
            "generation": drift.generation,
            "as_declared": as_declared,
            "drift": drift.to_string(),
            "overridden_by": overridden_by(&drift),
            "accepted": drift.accepted,
            "observed_seconds_ago": observed.as_ref().map(|b| now.saturating_sub(b.taken_at)),
            "answer": observed.as_ref().map(|b| &b.answer),
            "not_installed_by_hayward": not_installed,
            "findings": findings,
        }));
    }
    let above = |f: &Finding| rows.iter().any(|row| f.host == row.name.as_str());
    let strangers = recorded::strangers(&fleet.model, view.as_ref(), now);
    let strangers = strangers.map_err(|e| Failure::of(&e))?;
    show_policy(&standing, &strangers, above, output);
    for containment in &containments {
        let state = if containment.stands {
            output.paint(Tone::Change, "stands")
        } else {
            output.paint(Tone::Good, "lifted")
        };
        output.line(format!(
            "containment {}: {state} ({})",
            containment.name, containment.because
        ));
    }
    output.document(&json!({
        "fleet": fleet.model.name(),
        "hosts": hosts,
        "policy": policy(&standing, &strangers),
        "containments": containments,
    }));
    Ok(End::Done)
}

/// How a drift is shown.
pub(crate) fn tone(drift: &Drift) -> Tone {
    if drift.as_declared() {
        Tone::Good
    } else {
        Tone::Change
    }
}

/// The paths of the files in force that Hayward did not install, and the plan does not speak of.
pub(crate) fn overridden_by(drift: &Drift) -> Vec<&str> {
    drift.foreign.iter().map(|f| f.path.as_str()).collect()
}

/// Names the files in force that the model accepts.
pub(crate) fn show_accepted(drift: &Drift, output: &Output) {
    for path in &drift.accepted {
        output.line(format!(
            "  = {path} is in force, and accepted as it is: Hayward did not install it"
        ));
    }
}

/// The files in force, as they were read, that Hayward did not install so: each once.
pub(crate) fn not_installed(answer: &HostAnswer) -> Vec<&str> {
    let files = foreign_in_units(answer);
    files.into_iter().map(|(path, _)| path).collect()
}

/// The same, each with the units that it takes part in.
fn foreign_in_units(answer: &HostAnswer) -> Vec<(&str, Vec<&str>)> {
    let HostAnswer::Answered { units, .. } = answer else {
        return Vec::new();
    };
    let mut files: Vec<(&str, Vec<&str>)> = Vec::new();
    for unit in units {
        for source in unit.sources.iter().filter(|s| !s.owned) {
            match files.iter_mut().find(|(path, _)| *path == source.path) {
                Some((_, units)) => units.push(&unit.unit),
                None => files.push((&source.path, vec![&unit.unit])),
            }
        }
    }
    files
}

/// Says which files in force Hayward did not install so, and the model does not accept. One that the plan would bring back to
/// what is declared was installed by Hayward and edited since.
pub(crate) fn show_foreign(
    answer: &HostAnswer,
    accepted: &[String],
    plan: Option<&HostPlan>,
    output: &Output,
) {
    let sign = output.paint(Tone::Change, "~");
    for (path, units) in foreign_in_units(answer) {
        if accepted.iter().any(|known| known == path) {
            continue;
        }
        let edited = matches!(plan, Some(HostPlan::Planned(planned)) if planned.paths.iter().any(
            |p| p.path.as_str() == path
                && matches!(p.action, Action::Change { .. } | Action::Remove)
        ));
        let why = match edited {
            true => "not as Hayward installed it",
            false => "Hayward did not install it",
        };
        let units = units.join(", ");
        output.line(format!("  {sign} {path} is in force in {units}, and {why}"));
    }
}

/// The last observation of a host, with the number of its receipt.
fn last_observation(
    view: Option<&View>,
    host: &HostName,
) -> Result<Option<(u64, ObservationBody)>, Failure> {
    let Some(view) = view else { return Ok(None) };
    let receipt = view
        .latest(Kind::Observation, Some(host.as_str()))
        .map_err(|e| Failure::of(&e))?;
    receipt
        .map(|r| {
            let body = r.body_as().map_err(|e| {
                Failure::new(format!(
                    "receipt {} is not as this version writes it: {e}",
                    r.seq
                ))
            });
            body.map(|body| (r.seq, body))
        })
        .transpose()
}
