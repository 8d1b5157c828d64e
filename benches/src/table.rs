//! The report: one Markdown table, and what it was measured with.

use crate::comparison::{Comparison, Group, Outcome, Row, State};
use crate::machine::Machine;
use crate::targets::{self, Verdict, megabytes};
use crate::tool::ABSENT;
use std::fmt::Write as _;
use std::time::Duration;

/// What stands around the table.
pub(crate) struct Conditions {
    pub(crate) machine: Machine,
    /// Load averages before and after.
    pub(crate) load: [String; 2],
    /// The date, as in 2026-12-01.
    pub(crate) date: String,
    /// Names and versions of the programs.
    pub(crate) versions: Vec<(&'static str, String)>,
    pub(crate) repetitions: usize,
    /// Whether the models had the full sizes, which the targets are stated for.
    pub(crate) full: bool,
}

/// The report.
pub(crate) fn report(comparison: &Comparison, conditions: &Conditions) -> String {
    let mut out = String::from(
        "| model | program | types checked | run | wall, median (least) | CPU | peak MB | × Nix | × Hayward | per further module | targets |\n\
         |---|---|---|---|--:|--:|--:|--:|--:|--:|---|\n",
    );
    let mut missed = Vec::new();
    for row in &comparison.rows {
        let verdicts = if conditions.full {
            targets::verdicts(row, comparison)
        } else {
            Vec::new()
        };
        for verdict in verdicts.iter().filter(|v| !v.holds) {
            missed.push(format!("{}, {}: {}", row.group, row.scenario, verdict.text));
        }
        line(row, &verdicts, comparison, &mut out);
    }
    let _ = writeln!(
        out,
        "\n{}; {} repetitions in turns after one that was checked; {}; load {} before, {} after.",
        conditions.date,
        conditions.repetitions,
        conditions.machine,
        conditions.load[0],
        conditions.load[1],
    );
    let versions: Vec<String> = conditions
        .versions
        .iter()
        .map(|(name, version)| format!("{name} ({version})"))
        .collect();
    let _ = writeln!(out, "Programs: {}.", versions.join(", "));
    if !comparison.has_store {
        out.push_str(
            "This Hayward keeps no store between runs: cold, unchanged and edited cost the same.\n",
        );
    }
    out.push_str("\nNot in the table:\n\n");
    for (name, reason) in ABSENT {
        let _ = writeln!(out, "- {name}: {reason}.");
    }
    if conditions.full {
        let _ = writeln!(out, "\nTargets that were missed: {}.", missed.len());
        for target in missed {
            let _ = writeln!(out, "- {target}");
        }
    }
    out
}

fn line(row: &Row, verdicts: &[Verdict], comparison: &Comparison, out: &mut String) {
    let _ = write!(
        out,
        "| {} | {} | {} | {} | ",
        row.group, row.tool.name, row.tool.types, row.scenario
    );
    let stats = match &row.outcome {
        Outcome::Timed(stats) => stats,
        Outcome::Differs(at) => {
            let _ = writeln!(out, "**other outcome**: {} | | | | | | |", cell(at));
            return;
        }
        Outcome::Failed(why) => {
            let _ = writeln!(
                out,
                "failed: {} | | | | | | {} |",
                cell(why),
                marks(verdicts)
            );
            return;
        }
    };
    let times = |other: Option<Duration>| match other.filter(|o| !o.is_zero()) {
        Some(other) => format!("{:.2}", stats.median.as_secs_f64() / other.as_secs_f64()),
        None => String::new(),
    };
    let _ = writeln!(
        out,
        "{} ({}) | {} | {:.0} | {} | {} | {} | {} |",
        seconds(stats.median),
        seconds(stats.least),
        seconds(stats.cpu),
        megabytes(stats.peak),
        // What Nix does is an evaluation.
        times(targets::nix(row.group, comparison).filter(|_| row.scenario.command == "eval")),
        times(hayward(row.group, row.scenario.command, comparison)),
        per_module(row, comparison),
        marks(verdicts),
    );
}

/// What Hayward took cold in a group, with the same command.
fn hayward(group: Group, command: &str, comparison: &Comparison) -> Option<Duration> {
    comparison
        .rows
        .iter()
        .find(|row| {
            row.group == group
                && row.tool.is_own()
                && row.scenario.command == command
                && matches!(row.scenario.state, State::Cold | State::Only)
        })
        .and_then(|row| match &row.outcome {
            Outcome::Timed(stats) => Some(stats.median),
            Outcome::Differs(_) | Outcome::Failed(_) => None,
        })
}

/// For a fleet: what each module costs beyond those of the next smaller fleet.
fn per_module(row: &Row, comparison: &Comparison) -> String {
    let (Group::Fleet(size), Outcome::Timed(stats)) = (row.group, &row.outcome) else {
        return String::new();
    };
    let smaller = comparison
        .rows
        .iter()
        .filter(|other| other.tool.name == row.tool.name && other.scenario == row.scenario)
        .filter_map(|other| match (other.group, &other.outcome) {
            (Group::Fleet(less), Outcome::Timed(stats)) if less < size => Some((less, stats.least)),
            _ => None,
        })
        .max_by_key(|(less, _)| *less);
    let Some((less, least)) = smaller else {
        return String::new();
    };
    let modules = u32::try_from(size - less).unwrap_or(u32::MAX);
    let each = stats.least.saturating_sub(least).as_secs_f64() * 1e6 / f64::from(modules);
    format!("{each:.0} µs")
}

fn marks(verdicts: &[Verdict]) -> String {
    let marks: Vec<String> = verdicts
        .iter()
        .map(|v| format!("{} {}", if v.holds { '✓' } else { '✗' }, v.text))
        .collect();
    marks.join("; ")
}

fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    if seconds < 0.1 {
        format!("{:.1} ms", seconds * 1e3)
    } else {
        format!("{seconds:.2} s")
    }
}

/// A text that may stand in a cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
