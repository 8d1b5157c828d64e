//! Measures Hayward beside other configuration languages, on models that are generated here.

mod args;
mod corpus;
mod files;
mod model;
mod shapes;
mod text;

use args::{Arguments, Command, Generated};
use clap::Parser as _;
use model::Model;
use std::io::Write as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(code) => code,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "error: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &Arguments) -> std::io::Result<ExitCode> {
    match &arguments.command {
        Command::Generate { kind, folder, size } => {
            let files = match kind {
                Generated::Fleet => model::hayward::files(&Model::new(size.unwrap_or(5_000))),
                Generated::Corpus => corpus::files(corpus::Size::of(size.unwrap_or(5_000))),
                Generated::Chain => shapes::chain(size.unwrap_or(5_000)),
                Generated::Diamond => shapes::diamond(size.unwrap_or(24)),
                Generated::LongFile => vec![shapes::long_file(size.unwrap_or(45_000))],
                Generated::ShortFile => vec![shapes::short_file()],
            };
            files::write_all(folder, &files)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
