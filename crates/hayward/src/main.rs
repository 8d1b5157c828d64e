//! The command line: arguments, output, exit codes. What a command does is done
//! in the other rooms.

/// A check makes many small things on all cores and frees few of them: this
/// allocator takes a third less time for that than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

mod apply;
mod args;
mod check;
mod completions;
mod demo;
mod deps;
mod diff;
mod doc;
mod eval;
mod explain;
mod failure;
mod fleet;
mod fleets;
mod fmt;
mod history;
mod init;
mod ledger;
mod lsp;
mod near;
mod observe;
mod output;
mod plan;
mod printed;
mod project;
mod render;
mod run;
mod sarif;
mod status;
mod store;
mod sudoers;
mod test;
mod time;
mod working;

use args::{Arguments, Command};
use clap::Parser;
use failure::Outcome;
use output::{Format, Output};
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = hayward_operations::Keeper::main() {
        return code;
    }
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return output::usage(&error),
    };
    let format = match arguments.json {
        true => Format::Json,
        false => arguments.command.format(),
    };
    let output = Output::new(format, arguments.color).telling(arguments.command.only_tells());
    let outcome = run(arguments.command, &output);
    let code = output.finish(outcome);
    // The answer is out.
    store::finish(&output);
    code
}

fn run(command: Command, output: &Output) -> Outcome {
    match command {
        Command::Check(args) => check::run(&args, output),
        Command::Test(args) => test::run(&args, output),
        Command::Fmt(args) => fmt::run(&args, output),
        Command::Eval(args) => eval::run(&args, output),
        Command::Deps(args) => deps::run(&args, output),
        Command::Diff(args) => diff::run(&args, output),
        Command::Doc(args) => doc::run(&args, output),
        Command::Explain(args) => explain::run(&args, output),
        Command::Run(args) => run::run(&args, output),
        Command::Sudoers(args) => sudoers::run(&args, output),
        Command::Render(args) => render::run(&args, output),
        Command::Plan(args) => plan::run(&args, output),
        Command::Apply(args) => apply::run(&args, output),
        Command::Observe(args) => observe::run(&args, output),
        Command::Status(args) => status::run(&args, output),
        Command::History(args) => history::run(&args, output),
        Command::Ledger(args) => ledger::run(&args, output),
        Command::Init(args) => init::run(&args, output),
        Command::Demo(args) => demo::run(&args, output),
        Command::Lsp(args) => lsp::run(&args, output),
        Command::Completions(args) => completions::run(&args, output),
        Command::Store(args) => store::run(&args, output),
    }
}
