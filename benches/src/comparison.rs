//! The comparison: every case is run once and its outcome checked; then all cases that gave the
//! right outcome are timed, in turns, so that a disturbance of the machine meets all of them.

mod case;
mod expected;
mod scenario;

pub(crate) use scenario::{Group, Scale, Scenario, State};

use crate::measure::{self, Sample};
use crate::tool::Tool;
use case::Case;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Duration;

/// What a case came to.
#[derive(Debug)]
pub(crate) enum Outcome {
    /// It gave the right outcome every time.
    Timed(Stats),
    /// It gave another outcome: where.
    Differs(String),
    /// It gave none: why.
    Failed(String),
}

/// What the timed runs of a case took together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stats {
    pub(crate) median: Duration,
    pub(crate) least: Duration,
    /// The median of user and system time.
    pub(crate) cpu: Duration,
    /// The most memory of any run, in bytes.
    pub(crate) peak: u64,
}

/// A case and what it came to.
pub(crate) struct Row {
    pub(crate) group: Group,
    pub(crate) tool: &'static Tool,
    pub(crate) scenario: Scenario,
    pub(crate) outcome: Outcome,
    /// After an edit: how many modules the program says it checked, if it says so.
    pub(crate) checked: Option<u64>,
}

/// The comparison's results.
pub(crate) struct Comparison {
    pub(crate) rows: Vec<Row>,
    /// Whether the measured Hayward keeps a store between runs.
    pub(crate) has_store: bool,
}

/// Runs all cases: once each to see that the outcome is right, then `repetitions` times in turns.
/// Reports on standard error how far it is.
///
/// # Errors
/// If files cannot be written in `folder`.
pub(crate) fn compare(
    scale: &Scale,
    groups: &[Group],
    repetitions: usize,
    hayward: &Path,
    folder: &Path,
) -> io::Result<Comparison> {
    let stores = folder.join("stores");
    let mut cases = Vec::new();
    for group in groups {
        progress(&format!("writing the models: {group}"));
        cases.extend(case::cases(*group, scale, hayward, folder, &stores)?);
    }
    let mut faults: Vec<Option<Outcome>> = Vec::new();
    let mut samples: Vec<Vec<Sample>> = vec![Vec::new(); cases.len()];
    for case in &mut cases {
        progress(&format!(
            "checking the outcome: {}, {}",
            case.group, case.tool.name
        ));
        faults.push(attempt(case, 0, folder)?.err());
    }
    let has_store = std::fs::read_dir(&stores).is_ok_and(|mut found| found.next().is_some());
    for repetition in 1..=repetitions {
        progress(&format!("timing: {repetition} of {repetitions}"));
        for (index, case) in cases.iter_mut().enumerate() {
            for turn in 0..case.turns() {
                if faults[index].is_some() {
                    break;
                }
                let edit = 1 + turn + (repetition - 1) * case.turns();
                match attempt(case, edit, folder)? {
                    Ok(sample) => samples[index].push(sample),
                    Err(fault) => faults[index] = Some(fault),
                }
            }
        }
    }
    let mut checked = Vec::new();
    for case in &mut cases {
        checked.push(modules_checked(
            case,
            1 + repetitions * case.turns(),
            folder,
        )?);
    }
    let rows = cases
        .into_iter()
        .zip(faults)
        .zip(&samples)
        .zip(checked)
        .map(|(((case, fault), samples), checked)| Row {
            group: case.group,
            tool: case.tool,
            scenario: case.scenario,
            outcome: fault.unwrap_or_else(|| Outcome::Timed(Stats::of(samples))),
            checked,
        })
        .collect();
    Ok(Comparison { rows, has_store })
}

/// One run, with the models as they are after an edit.
fn attempt(case: &mut Case, edit: usize, folder: &Path) -> io::Result<Result<Sample, Outcome>> {
    let expected = (case.prepare)(edit)?;
    Ok(match measure::run(&case.invocation, folder)? {
        Ok(run) => expected.judge(&run).map(|()| run.sample),
        Err(_) => Err(Outcome::Failed(case.tool.remedy())),
    })
}

/// How many modules Hayward checks after an edit: `work.checked` of `check --json`.
fn modules_checked(case: &mut Case, edit: usize, folder: &Path) -> io::Result<Option<u64>> {
    let Some(invocation) = case.counting() else {
        return Ok(None);
    };
    (case.prepare)(edit)?;
    let Ok(run) = measure::run(&invocation, folder)? else {
        return Ok(None);
    };
    let document: serde_json::Value = serde_json::from_slice(&run.output).unwrap_or_default();
    Ok(document["work"]["checked"].as_u64())
}

impl Stats {
    /// Zero if there are no samples.
    fn of(samples: &[Sample]) -> Stats {
        let mut walls: Vec<Duration> = samples.iter().map(|s| s.wall).collect();
        let mut cpus: Vec<Duration> = samples.iter().map(|s| s.cpu).collect();
        walls.sort();
        cpus.sort();
        let median =
            |sorted: &[Duration]| sorted.get(sorted.len() / 2).copied().unwrap_or_default();
        Stats {
            median: median(&walls),
            least: walls.first().copied().unwrap_or_default(),
            cpu: median(&cpus),
            peak: samples.iter().map(|s| s.peak).max().unwrap_or_default(),
        }
    }
}

fn progress(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
