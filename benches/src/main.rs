//! Measures Hayward beside other configuration languages, on models that are generated here. See
//! README.md.

mod args;
mod comparison;
mod corpus;
mod files;
mod fleet;
mod growth;
mod language;
mod machine;
mod measure;
#[cfg(test)]
mod sound;
mod table;
mod targets;
mod text;
mod tool;

use args::{Arguments, Command, Generated, ProgramArgs, RunArgs};
use clap::Parser as _;
use comparison::{Group, Outcome, Scale};
use corpus::Size;
use fleet::Model;
use language::{Language, Shape};
use machine::Machine;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use table::Conditions;

fn main() -> ExitCode {
    // Before anything is allocated: see `measure`.
    if std::env::args().nth(1).as_deref() == Some(measure::SERVE) {
        return ended(measure::serve().map(|()| ExitCode::SUCCESS));
    }
    ended(match Arguments::parse().command {
        Command::Run(args) => run(&args),
        Command::Growth(args) => grow(&args),
        Command::Generate {
            kind,
            folder,
            size,
            language,
        } => generate(kind, &folder, size, language.language()),
    })
}

fn ended(result: io::Result<ExitCode>) -> ExitCode {
    result.unwrap_or_else(|error| {
        let _ = writeln!(io::stderr(), "error: {error}");
        ExitCode::from(2)
    })
}

fn generate(
    kind: Generated,
    folder: &Path,
    size: Option<usize>,
    language: &dyn Language,
) -> io::Result<ExitCode> {
    let full = Scale::full();
    if matches!(kind, Generated::Corpus)
        && size.is_some_and(|n| Size::of(n).domains > Size::MOST_DOMAINS)
    {
        let most = Size::MOST_DOMAINS;
        return Err(io::Error::other(format!(
            "a corpus has at most {most} modules besides its tests"
        )));
    }
    let files = match kind {
        Generated::Fleet => Shape::Fleet(Model::new(size.unwrap_or(5_000))).files(language),
        Generated::Corpus => corpus::files(Size::of(size.unwrap_or(full.corpus))),
        Generated::Chain => Shape::Chain(size.unwrap_or(full.chain)).files(language),
        Generated::Diamond => Shape::Diamond(size.unwrap_or(full.layers)).files(language),
        Generated::LongFile => vec![language::long_file(language, size.unwrap_or(full.lines))],
        Generated::ShortFile => Shape::Short.files(language),
    };
    files::write_all(folder, &files)?;
    Ok(ExitCode::SUCCESS)
}

fn run(args: &RunArgs) -> io::Result<ExitCode> {
    let hayward = hayward(&args.program)?;
    let scale = if args.smoke {
        Scale::smoke()
    } else {
        Scale::full()
    };
    let groups = groups(&scale, &args.only)?;
    let before = machine::load();
    let folder = tempfile::tempdir()?;
    let comparison = comparison::compare(
        &scale,
        &groups,
        args.repetitions.get(),
        &hayward,
        folder.path(),
    )?;
    let versions = tool::TOOLS
        .iter()
        .map(|tool| {
            let version = tool.version(&hayward);
            (
                tool.name,
                version.unwrap_or_else(|_| "not installed".to_owned()),
            )
        })
        .collect();
    let conditions = Conditions {
        machine: Machine::read(),
        load: [before, machine::load()],
        date: jiff::Timestamp::now().strftime("%F").to_string(),
        versions,
        repetitions: args.repetitions.get(),
        full: !args.smoke,
    };
    let report = table::report(&comparison, &conditions);
    io::stdout().write_all(report.as_bytes())?;
    if args.write {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("RESULTS.md");
        std::fs::write(path, format!("# Results\n\n{report}"))?;
    }
    let differs = |row: &comparison::Row| matches!(row.outcome, Outcome::Differs(_));
    Ok(ExitCode::from(u8::from(
        comparison.rows.iter().any(differs),
    )))
}

fn grow(args: &ProgramArgs) -> io::Result<ExitCode> {
    let hayward = hayward(args)?;
    let folder = tempfile::tempdir()?;
    let growths = growth::measure(&hayward, folder.path())?;
    io::stdout().write_all(growth::report(&growths).as_bytes())?;
    let fast = growths.iter().any(|growth| !growth.holds());
    Ok(ExitCode::from(u8::from(fast)))
}

/// The groups that are asked for, or all.
fn groups(scale: &Scale, only: &[String]) -> io::Result<Vec<Group>> {
    let groups = scale.groups();
    let mut words: Vec<&str> = groups.iter().map(|group| group.word()).collect();
    words.dedup();
    if let Some(unknown) = only.iter().find(|word| !words.contains(&word.as_str())) {
        let words = words.join(", ");
        return Err(io::Error::other(format!(
            "there is no part {unknown}; there are: {words}"
        )));
    }
    let wanted = |group: &Group| only.is_empty() || only.iter().any(|w| w == group.word());
    Ok(groups.into_iter().filter(wanted).collect())
}

/// The program to measure.
fn hayward(args: &ProgramArgs) -> io::Result<PathBuf> {
    let path = match &args.hayward {
        Some(path) => path.clone(),
        None => std::env::current_exe()?.with_file_name("hayward"),
    };
    path.canonicalize().map_err(|error| {
        let path = path.display();
        io::Error::other(format!(
            "{path}: {error}; build it with `cargo build --release -p hayward`, or name it with --hayward"
        ))
    })
}
