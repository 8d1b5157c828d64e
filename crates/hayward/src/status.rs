//! `hayward status`

use crate::args::ProjectArgs;
use crate::failure::{End, Failure, Outcome};
use crate::fleet::Fleet;
use crate::output::{Output, Tone};
use crate::render::{policy, show_policy};
use crate::time::age;
use hayward_fleet::recorded::{self, ObservationBody};
use hayward_fleet::{HostPlan, Plan};
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
        let drift = drift(&plan, &row.name);
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
        let tone = if drift.as_declared {
            Tone::Good
        } else {
            Tone::Change
        };
        output.line(format!(
            "{}  {generation}, {}, {seen}",
            output.paint(Tone::Strong, row.name.as_str()),
            output.paint(tone, &drift.words),
        ));
        let foreign = observed
            .as_ref()
            .map_or_else(Vec::new, |b| foreign(&b.answer));
        for path in &foreign {
            output.line(format!(
                "  {} {path} is in force, and Hayward did not install it as it is",
                output.paint(Tone::Change, "~")
            ));
        }
        if !drift.as_declared && findings.is_empty() {
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
            "as_declared": drift.as_declared,
            "drift": drift.words,
            "observed_seconds_ago": observed.as_ref().map(|b| now.saturating_sub(b.taken_at)),
            "answer": observed.as_ref().map(|b| &b.answer),
            "not_installed_by_hayward": foreign,
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

/// The files in force, as they were read, that Hayward did not install so.
pub(crate) fn foreign(answer: &HostAnswer) -> Vec<&str> {
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

/// How a host, as it is now, differs from the model.
struct Drift {
    generation: Option<u64>,
    as_declared: bool,
    words: String,
}

fn drift(plan: &Plan, host: &HostName) -> Drift {
    match plan.body().hosts.iter().find(|h| h.host() == host) {
        Some(HostPlan::Planned(planned)) => {
            let differ = planned
                .paths
                .iter()
                .filter(|p| p.action.sign() != '=')
                .count();
            let words = match differ {
                0 => "as declared".to_owned(),
                1 => "1 path differs from the model".to_owned(),
                n => format!("{n} paths differ from the model"),
            };
            Drift {
                generation: Some(planned.generation),
                as_declared: differ == 0,
                words,
            }
        }
        Some(HostPlan::Refused { reason, .. }) => Drift {
            generation: None,
            as_declared: false,
            words: format!("cannot be read ({reason})"),
        },
        None => Drift {
            generation: None,
            as_declared: false,
            words: "not planned".into(),
        },
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
