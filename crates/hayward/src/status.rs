//! `hayward status`

use crate::args::ProjectArgs;
use crate::failure::{End, Failure, Outcome};
use crate::fleet::{self, Fleet};
use crate::output::{Output, Tone};
use crate::render::{policy, show_policy};
use crate::time::age;
use hayward_fleet::Drift;
use hayward_fleet::recorded::{self, ObservationBody};
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
        let observed = last_observation(view.as_ref(), &row.name)?;
        let findings: Vec<&Finding> = standing
            .findings
            .iter()
            .filter(|f| f.host == row.name.as_str())
            .collect();
        let seen = match &observed {
            None => output.paint(Tone::Bad, "never observed"),
            Some(body) => {
                let age = age(now.saturating_sub(body.taken_at));
                match &body.answer {
                    HostAnswer::Answered { .. } => format!("observed {age} ago"),
                    HostAnswer::Unreadable { .. } => {
                        output.paint(Tone::Bad, &format!("unreadable {age} ago"))
                    }
                    HostAnswer::Silent { .. } => {
                        output.paint(Tone::Bad, &format!("no answer {age} ago"))
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
        output.line(format!(
            "{}  {generation}, {}, {seen}",
            output.paint(Tone::Strong, row.name.as_str()),
            output.paint(tone, &drift.to_string()),
        ));
        let (not_installed, foreign) = match &observed {
            None => (Vec::new(), Vec::new()),
            Some(body) => {
                let then = fleet::drift(&plan, row, &body.answer)?;
                (
                    not_installed(&body.answer),
                    foreign(&body.answer, &then.accepted),
                )
            }
        };
        show_accepted(&drift, output);
        for path in &foreign {
            output.line(format!(
                "  {} {path} is in force, and Hayward did not install it as it is",
                output.paint(Tone::Change, "~")
            ));
        }
        // What was observed so is no reason to observe it again.
        let was_seen = drift.unread.is_none()
            && drift.paths == 0
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
    show_policy(&standing, output);
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
        "policy": policy(&standing),
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

/// Those of the files in force that Hayward did not install so, and that are not accepted.
pub(crate) fn foreign<'a>(answer: &'a HostAnswer, accepted: &[String]) -> Vec<&'a str> {
    let mut files = not_installed(answer);
    files.retain(|path| accepted.iter().all(|known| known != path));
    files
}

/// The files in force, as they were read, that Hayward did not install so.
pub(crate) fn not_installed(answer: &HostAnswer) -> Vec<&str> {
    match answer {
        HostAnswer::Answered { units, .. } => units
            .iter()
            .flat_map(|u| &u.sources)
            .filter(|s| !s.owned)
            .map(|s| s.path.as_str())
            .collect(),
        HostAnswer::Unreadable { .. } | HostAnswer::Silent { .. } => Vec::new(),
    }
}

fn last_observation(
    view: Option<&View>,
    host: &HostName,
) -> Result<Option<ObservationBody>, Failure> {
    let Some(view) = view else { return Ok(None) };
    let receipt = view
        .latest(Kind::Observation, Some(host.as_str()))
        .map_err(|e| Failure::of(&e))?;
    receipt
        .map(|r| {
            r.body_as().map_err(|e| {
                Failure::new(format!(
                    "receipt {} is not as this version writes it: {e}",
                    r.seq
                ))
            })
        })
        .transpose()
}
