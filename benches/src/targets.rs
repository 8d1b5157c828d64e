//! What Hayward is to reach, and whether it did. The one table of it.

use crate::comparison::{Comparison, Group, Outcome, Row, State, Stats};
use std::time::Duration;

/// A target for one case of Hayward's.
pub(crate) struct Target {
    /// The group's word; of fleets, the largest is meant.
    group: &'static str,
    command: &'static str,
    state: State,
    pub(crate) limit: Limit,
}

/// What is limited.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Limit {
    /// Median wall time, in milliseconds.
    Milliseconds(u32),
    /// Median wall time, as a share of that of Nix in the same group and run.
    TimesNix(f64),
    /// Peak memory, in MB (10^6 bytes).
    Megabytes(u32),
    /// Modules that are checked, by the program's own count.
    ModulesChecked(u64),
    /// Nothing but the right outcome.
    Passes,
}

const fn target(group: &'static str, command: &'static str, state: State, limit: Limit) -> Target {
    Target {
        group,
        command,
        state,
        limit,
    }
}

/// Every target, for two cores and the full sizes.
pub(crate) static TARGETS: &[Target] = &[
    target("fleet", "eval", State::Cold, Limit::TimesNix(0.8)),
    target("fleet", "eval", State::Cold, Limit::Megabytes(100)),
    target("fleet", "eval", State::Unchanged, Limit::Milliseconds(60)),
    target("fleet", "eval", State::LeafEdited, Limit::Milliseconds(80)),
    target(
        "fleet",
        "check",
        State::LeafEdited,
        Limit::ModulesChecked(1),
    ),
    target(
        "fleet",
        "check",
        State::LibraryEdited,
        Limit::ModulesChecked(1),
    ),
    target("corpus", "check", State::Cold, Limit::Milliseconds(2_000)),
    target("corpus", "check", State::Cold, Limit::Megabytes(600)),
    target("corpus", "test", State::Cold, Limit::Milliseconds(2_000)),
    target("corpus", "test", State::Unchanged, Limit::Milliseconds(150)),
    target("chain", "eval", State::Cold, Limit::Passes),
    target("diamond", "eval", State::Cold, Limit::Passes),
    target("format", "fmt", State::Only, Limit::Milliseconds(500)),
    target("start-up", "eval", State::Cold, Limit::Milliseconds(5)),
];

/// A target beside what was measured.
pub(crate) struct Verdict {
    /// Whether it was reached.
    pub(crate) holds: bool,
    /// The limit and the figure, for the table.
    pub(crate) text: String,
}

/// The verdicts on a row: none if it has no target.
pub(crate) fn verdicts(row: &Row, comparison: &Comparison) -> Vec<Verdict> {
    let largest = comparison
        .rows
        .iter()
        .filter_map(|row| match row.group {
            Group::Fleet(size) => Some(size),
            _ => None,
        })
        .max();
    let smaller = matches!(row.group, Group::Fleet(size) if Some(size) != largest);
    if !row.tool.is_own() || smaller {
        return Vec::new();
    }
    TARGETS
        .iter()
        .filter(|t| {
            (t.group, t.command, t.state)
                == (row.group.word(), row.scenario.command, row.scenario.state)
        })
        .map(|t| t.limit.verdict(row, nix(row.group, comparison)))
        .collect()
}

/// What Nix took in a group.
pub(crate) fn nix(group: Group, comparison: &Comparison) -> Option<Duration> {
    comparison
        .rows
        .iter()
        .find(|row| row.group == group && row.tool.name == "Nix")
        .and_then(|row| match &row.outcome {
            Outcome::Timed(stats) => Some(stats.median),
            Outcome::Differs(_) | Outcome::Failed(_) => None,
        })
}

impl Limit {
    fn verdict(self, row: &Row, nix: Option<Duration>) -> Verdict {
        let Outcome::Timed(stats) = &row.outcome else {
            return Verdict {
                holds: false,
                text: format!("{}: no figure", self.words()),
            };
        };
        let (holds, figure) = self.judge(stats, nix, row.checked);
        Verdict {
            holds,
            text: format!("{}{figure}", self.words()),
        }
    }

    fn words(self) -> String {
        match self {
            Limit::Milliseconds(most) => format!("≤ {most} ms"),
            Limit::TimesNix(most) => format!("≤ {most} × Nix"),
            Limit::Megabytes(most) => format!("≤ {most} MB"),
            Limit::ModulesChecked(most) => format!("≤ {most} checked"),
            Limit::Passes => "passes".to_owned(),
        }
    }

    fn judge(self, stats: &Stats, nix: Option<Duration>, checked: Option<u64>) -> (bool, String) {
        match self {
            Limit::Milliseconds(most) => {
                let took = stats.median.as_secs_f64() * 1e3;
                (took <= f64::from(most), format!(": {took:.1}"))
            }
            Limit::TimesNix(most) => match nix.filter(|nix| !nix.is_zero()) {
                Some(nix) => {
                    let times = stats.median.as_secs_f64() / nix.as_secs_f64();
                    (times <= most, format!(": {times:.2}"))
                }
                None => (false, ": Nix was not measured".to_owned()),
            },
            Limit::Megabytes(most) => {
                let peak = megabytes(stats.peak);
                (peak <= f64::from(most), format!(": {peak:.0}"))
            }
            Limit::ModulesChecked(most) => match checked {
                Some(count) => (count <= most, format!(": {count}")),
                None => (false, ": the program tells no count".to_owned()),
            },
            Limit::Passes => (true, String::new()),
        }
    }
}

/// Bytes in MB (10^6).
pub(crate) fn megabytes(bytes: u64) -> f64 {
    // Exact up to 2^53 bytes.
    #[expect(clippy::cast_precision_loss)]
    let bytes = bytes as f64;
    bytes / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stats(milliseconds: u64, peak: u64) -> Stats {
        Stats {
            median: Duration::from_millis(milliseconds),
            least: Duration::from_millis(1),
            cpu: Duration::ZERO,
            peak,
        }
    }

    #[test]
    fn a_limit_is_held_up_to_its_figure_and_not_beyond() {
        let judge = |limit: Limit, stats, nix: Option<u64>| {
            let (holds, figure) = limit.judge(&stats, nix.map(Duration::from_millis), Some(1));
            format!("{holds} {}{figure}", limit.words())
        };
        assert_eq!(
            judge(Limit::Milliseconds(60), stats(60, 0), None),
            "true ≤ 60 ms: 60.0"
        );
        assert_eq!(
            judge(Limit::Milliseconds(60), stats(61, 0), None),
            "false ≤ 60 ms: 61.0"
        );
        assert_eq!(
            judge(Limit::TimesNix(0.8), stats(80, 0), Some(100)),
            "true ≤ 0.8 × Nix: 0.80"
        );
        assert_eq!(
            judge(Limit::TimesNix(0.8), stats(90, 0), Some(100)),
            "false ≤ 0.8 × Nix: 0.90"
        );
        assert_eq!(
            judge(Limit::TimesNix(0.8), stats(1, 0), None),
            "false ≤ 0.8 × Nix: Nix was not measured"
        );
        assert_eq!(
            judge(Limit::Megabytes(100), stats(1, 100_000_000), None),
            "true ≤ 100 MB: 100"
        );
        assert_eq!(
            judge(Limit::Megabytes(100), stats(1, 101_000_000), None),
            "false ≤ 100 MB: 101"
        );
    }

    /// A target that no case answers would never be judged.
    #[test]
    fn every_target_belongs_to_a_group_of_the_comparison() {
        let groups = crate::comparison::Scale::full().groups();
        for target in TARGETS {
            assert!(
                groups.iter().any(|g| g.word() == target.group),
                "{}",
                target.group
            );
        }
    }
}
