//! Tries cases until it is stopped or finds something: `make fuzz`.

use clap::Parser;
use dag_fuzz::run::{on_deep_stack, try_all, try_case};
use dag_fuzz::{Case, Kind, Run, seeds};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

/// Tries what holds of the language on damaged and generated models.
#[derive(Parser)]
struct Args {
    /// The seed of chance; without it, another one each time
    #[arg(long)]
    seed: Option<u64>,
    /// How many cases are tried; without it, until something is found
    #[arg(long)]
    cases: Option<u64>,
    /// Tries this case alone, as it stands in a file
    #[arg(long, conflicts_with_all = ["seed", "cases"])]
    case: Option<PathBuf>,
}

/// Cases of programs that are tried between two lines of the output; ten times as many texts are.
const ROUND: u64 = 1_000;

fn main() -> ExitCode {
    match explore(&Args::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::from(2)
        }
    }
}

/// Whether everything held.
fn explore(args: &Args) -> io::Result<bool> {
    if let Some(path) = &args.case {
        return alone(path);
    }
    let by_clock = || {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or(0, |since| since.as_secs())
    };
    let seed = args.seed.unwrap_or_else(by_clock);
    let folder = std::env::temp_dir().join(format!("dag-fuzz-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let mut out = io::stdout().lock();
    writeln!(out, "seed {seed}; the same again: make fuzz SEED={seed}")?;
    writeln!(
        out,
        "what is being tried is written to {}",
        folder.display()
    )?;
    let run = Run::new(seed, seeds::seeds()?);
    let end = args.cases.unwrap_or(u64::MAX);
    let mut at = 0;
    while at < end {
        let next = end.min(at + ROUND);
        let mut found = try_all(&run, Kind::Program, at..next, &folder)?;
        found.extend(try_all(&run, Kind::Text, at * 10..next * 10, &folder)?);
        for find in &found {
            writeln!(out, "{find}")?;
        }
        if !found.is_empty() {
            return Ok(false);
        }
        at = next;
        writeln!(out, "{at} programs and {} texts: everything holds", at * 10)?;
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(true)
}

/// Tries one case.
fn alone(path: &Path) -> io::Result<bool> {
    let case = Case::read(&std::fs::read_to_string(path)?);
    let held = on_deep_stack(|| try_case(&case, Kind::Program))?;
    let mut out = io::stdout().lock();
    match &held {
        Ok(()) => writeln!(out, "everything holds")?,
        Err(broken) => {
            writeln!(
                out,
                "it does not hold that {}: {}",
                broken.property, broken.how
            )?;
        }
    }
    Ok(held.is_ok())
}
