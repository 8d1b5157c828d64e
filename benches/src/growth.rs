//! Whether anything grows faster than n log n: each dimension at n and at 4 n, by the program's own
//! count of steps where it has one, by processor time otherwise.

mod models;

use crate::files::{self, File};
use crate::measure::{self, Invocation};
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

/// A dimension that a model can grow in.
struct Dimension {
    name: &'static str,
    /// The smaller size: large enough to outweigh chance.
    size: usize,
    by: By,
    model: fn(usize) -> Vec<File>,
}

/// What is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// Processor time of `check`.
    CheckTime,
    /// Processor time of `check` on a model that it refuses.
    RefusalTime,
    /// Processor time of `test`, whose evaluation is what grows.
    TestTime,
    /// The steps of evaluation that `test` counts.
    Steps,
}

/// What a dimension came to.
#[derive(Debug)]
pub(crate) struct Growth {
    name: &'static str,
    by: By,
    size: usize,
    /// At the size, and at four times the size: steps, or microseconds.
    cost: [f64; 2],
}

/// A run of a time is this much longer or shorter by chance.
const CHANCE: f64 = 1.3;

/// The least of so many runs counts.
const RUNS: usize = 5;

const DIMENSIONS: &[Dimension] = &[
    Dimension {
        name: "modules",
        size: 4_000,
        by: By::CheckTime,
        model: models::modules,
    },
    Dimension {
        name: "declarations of a module",
        size: 10_000,
        by: By::CheckTime,
        model: models::declarations,
    },
    Dimension {
        name: "items of a list",
        size: 100_000,
        by: By::CheckTime,
        model: models::items,
    },
    Dimension {
        name: "variants, and arms of a match",
        size: 10_000,
        by: By::CheckTime,
        model: models::arms,
    },
    Dimension {
        name: "arms of a match over texts",
        size: 10_000,
        by: By::CheckTime,
        model: models::text_arms,
    },
    Dimension {
        name: "functions that call themselves",
        size: 10_000,
        by: By::CheckTime,
        model: models::recursive,
    },
    Dimension {
        name: "imported names that nobody uses",
        size: 10_000,
        by: By::CheckTime,
        model: models::unused,
    },
    Dimension {
        name: "names that nobody declares",
        size: 20_000,
        by: By::RefusalTime,
        model: models::unknown,
    },
    Dimension {
        name: "matches without all arms",
        size: 10_000,
        by: By::RefusalTime,
        model: models::unmatched,
    },
    Dimension {
        name: "characters of a string",
        size: 10_000_000,
        by: By::CheckTime,
        model: models::characters,
    },
    Dimension {
        name: "lines of a string",
        size: 200_000,
        by: By::CheckTime,
        model: models::lines,
    },
    Dimension {
        name: "items that a fold walks",
        size: 100_000,
        by: By::Steps,
        model: models::folded,
    },
    Dimension {
        name: "items that a fold walks",
        size: 100_000,
        by: By::TestTime,
        model: models::folded,
    },
    Dimension {
        name: "items that a fold appends",
        size: 100_000,
        by: By::TestTime,
        model: models::appended,
    },
    Dimension {
        name: "items that are made distinct and sorted",
        size: 100_000,
        by: By::TestTime,
        model: models::distinct,
    },
    Dimension {
        name: "text that a fold lengthens",
        size: 20_000,
        by: By::TestTime,
        model: models::lengthened,
    },
    Dimension {
        name: "characters that are replaced and split",
        size: 2_000_000,
        by: By::TestTime,
        model: models::replaced,
    },
];

/// Measures every dimension.
///
/// # Errors
/// If a model cannot be written, or the program refuses it.
pub(crate) fn measure(hayward: &Path, folder: &Path) -> io::Result<Vec<Growth>> {
    let nothing = folder.join("nothing");
    files::write_all(
        &nothing,
        &[File::new("nothing.dag", "module growth.nothing\n")],
    )?;
    let start = spent(By::CheckTime, hayward, &nothing, folder)?;
    let mut growths = Vec::new();
    for (index, dimension) in DIMENSIONS.iter().enumerate() {
        let mut cost = [0.0; 2];
        for (at, size) in [dimension.size, 4 * dimension.size].into_iter().enumerate() {
            let root = folder.join(format!("{index}-{size}"));
            files::write_all(&root, &(dimension.model)(size))?;
            let spent = spent(dimension.by, hayward, &root, folder)?;
            cost[at] = match dimension.by {
                By::Steps => spent,
                // What the start takes does not grow.
                By::CheckTime | By::RefusalTime | By::TestTime => (spent - start).max(1.0),
            };
        }
        growths.push(Growth {
            name: dimension.name,
            by: dimension.by,
            size: dimension.size,
            cost,
        });
    }
    Ok(growths)
}

/// What the program spends on a model.
fn spent(by: By, hayward: &Path, root: &Path, scratch: &Path) -> io::Result<f64> {
    let command: &[&str] = match by {
        By::CheckTime | By::RefusalTime => &["check"],
        By::TestTime => &["test"],
        By::Steps => &["test", "--json"],
    };
    let mut words: Vec<OsString> = vec![hayward.into()];
    words.extend(command.iter().map(OsString::from));
    words.push(root.into());
    let invocation = Invocation {
        words,
        environment: vec![("HAYWARD_STORE".to_owned(), "off".into())],
        memory_limit: None,
    };
    let mut least = f64::INFINITY;
    for _ in 0..if by == By::Steps { 1 } else { RUNS } {
        let run = measure::run(&invocation, scratch)?.map_err(io::Error::other)?;
        if run.succeeded == (by == By::RefusalTime) {
            let complaint: String = run.complaint.lines().take(4).collect();
            return Err(io::Error::other(format!("{}: {complaint}", root.display())));
        }
        least = least.min(if by == By::Steps {
            steps(&run.output)?
        } else {
            run.sample.cpu.as_secs_f64() * 1e6
        });
    }
    Ok(least)
}

/// The steps of all witnesses together.
fn steps(output: &[u8]) -> io::Result<f64> {
    let document: serde_json::Value = serde_json::from_slice(output)?;
    document["witnesses"]
        .as_array()
        .map(|all| all.iter().filter_map(|w| w["steps"].as_f64()).sum())
        .ok_or_else(|| io::Error::other("the program counts no steps"))
}

impl Growth {
    /// How many times more four times the size cost.
    fn times(&self) -> f64 {
        self.cost[1] / self.cost[0]
    }

    /// How many times more it may cost.
    fn allowed(&self) -> f64 {
        // Exact: sizes are far below 2^53.
        #[expect(clippy::cast_precision_loss)]
        let n = self.size as f64;
        let growth = 4.0 * (4.0 * n).ln() / n.ln();
        if self.by == By::Steps {
            growth
        } else {
            growth * CHANCE
        }
    }

    /// Whether it grew no faster than n log n.
    pub(crate) fn holds(&self) -> bool {
        self.times() <= self.allowed()
    }
}

/// The dimensions as a Markdown table.
pub(crate) fn report(growths: &[Growth]) -> String {
    let mut out = String::from(
        "| what grows | n | measured by | at n | at 4 n | times | allowed | |\n|---|--:|---|--:|--:|--:|--:|---|\n",
    );
    for growth in growths {
        let by = match growth.by {
            By::CheckTime => "CPU of check, ms",
            By::RefusalTime => "CPU of a check that refuses, ms",
            By::TestTime => "CPU of test, ms",
            By::Steps => "steps",
        };
        let scale = if growth.by == By::Steps { 1.0 } else { 1e3 };
        let _ = writeln!(
            out,
            "| {} | {} | {by} | {:.1} | {:.1} | {:.2} | {:.2} | {} |",
            growth.name,
            growth.size,
            growth.cost[0] / scale,
            growth.cost[1] / scale,
            growth.times(),
            growth.allowed(),
            if growth.holds() { '✓' } else { '✗' },
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_doubles_with_the_size_holds_and_what_squares_does_not() {
        let growth = |by, times| Growth {
            name: "",
            by,
            size: 1_000,
            cost: [100.0, 100.0 * times],
        };
        // 4 · ln 4000 / ln 1000 = 4.80
        assert!(growth(By::Steps, 4.8).holds());
        assert!(!growth(By::Steps, 4.9).holds());
        assert!(growth(By::CheckTime, 6.2).holds());
        assert!(!growth(By::CheckTime, 6.3).holds());
        assert!(!growth(By::CheckTime, 16.0).holds());
    }
}
