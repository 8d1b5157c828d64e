//! The command line: arguments, output, exit codes. What a command does is done
//! in the other rooms.

mod args;
mod check;
mod completions;
mod eval;
mod failure;
mod output;
mod project;
mod test;

use args::{Arguments, Command};
use clap::Parser;
use failure::Outcome;
use output::Output;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let output = Output::new(arguments.json, arguments.color);
    let outcome = run(arguments.command, &output);
    output.finish(outcome)
}

fn run(command: Command, output: &Output) -> Outcome {
    match command {
        Command::Check(args) => check::run(&args, output),
        Command::Test(args) => test::run(&args, output),
        Command::Eval(args) => eval::run(&args, output),
        Command::Completions(args) => completions::run(&args, output),
    }
}
