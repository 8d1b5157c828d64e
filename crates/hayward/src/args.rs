//! The arguments of each command.

use crate::output::Color;
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

/// Declare, check, render and converge the commons of compute that a team owns.
#[derive(Debug, Parser)]
#[command(
    name = "hayward",
    version,
    about,
    max_term_width = 100,
    after_help = "Exit codes: 0 done · 1 refused: a mistake in the model, a witness that fails, drift, a plan \
                  or a policy that says no · 2 not carried out: wrong usage, something missing, unreadable \
                  or damaged · 130 interrupted"
)]
pub(crate) struct Arguments {
    /// Print one JSON document instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to use colours
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check the modules: names, types, matches, totality, evidence
    Check(RootArgs),
    /// Run the witnesses
    Test(TestArgs),
    /// Print the value of an expression
    Eval(EvalArgs),
    /// Print a completion script for a shell
    Completions(CompletionArgs),
}

#[derive(Debug, Args)]
pub(crate) struct RootArgs {
    /// Folders or files to take modules from [default: the project found upward from here]
    #[arg(value_name = "ROOT")]
    pub(crate) roots: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct TestArgs {
    #[command(flatten)]
    pub(crate) roots: RootArgs,
    /// Run only the witnesses whose name (`module.witness`) contains this text
    #[arg(long, short, value_name = "TEXT")]
    pub(crate) filter: Option<String>,
    /// List every witness with its verdict
    #[arg(long)]
    pub(crate) list: bool,
}

#[derive(Debug, Args)]
pub(crate) struct EvalArgs {
    /// `EXPR`, or `ROOT EXPR`: the expression, in the project's names
    #[arg(value_names = ["ROOT", "EXPR"], num_args = 1..=2, required = true)]
    pub(crate) words: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}
