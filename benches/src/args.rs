//! The command line.

use crate::language::{Dhall, Hayward, Jsonnet, Kcl, Language, Nickel, Nix, Pkl, Starlark};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// Measure Hayward beside other configuration languages.
#[derive(Debug, Parser)]
#[command(
    name = "hayward-benches",
    version,
    about,
    max_term_width = 100,
    after_help = "Exit codes: 0 measured, whether or not targets were missed · 1 an outcome differs, or something grows too \
                  fast · 2 not carried out"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compare all programs on all models, and print the table
    Run(RunArgs),
    /// See that nothing grows faster than n log n
    Growth(ProgramArgs),
    /// Write a model below a folder
    Generate {
        /// Which model
        kind: Generated,
        /// The folder; need not exist
        folder: PathBuf,
        /// How many modules, layers or lines [default: what the targets are stated for]
        #[arg(long)]
        size: Option<usize>,
        /// The language to write it in; a corpus is there in `.dag` alone
        #[arg(long, default_value = "hayward")]
        language: Written,
    },
}

#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) program: ProgramArgs,
    /// How often each case is timed
    #[arg(long, default_value = "5", value_name = "TIMES")]
    pub(crate) repetitions: NonZeroUsize,
    /// Only these parts: fleet, corpus, chain, diamond, format, start-up
    #[arg(long, value_delimiter = ',', value_name = "PARTS")]
    pub(crate) only: Vec<String>,
    /// Small models, to see that everything runs; no targets
    #[arg(long)]
    pub(crate) smoke: bool,
    /// Write the table to benches/RESULTS.md too
    #[arg(long)]
    pub(crate) write: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ProgramArgs {
    /// The program to measure [default: `hayward` beside this program]
    #[arg(long, value_name = "FILE")]
    pub(crate) hayward: Option<PathBuf>,
}

/// A model that can be written out.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Generated {
    /// The peers' model: services on sixteen hosts
    Fleet,
    /// A corpus of modules with witnesses
    Corpus,
    /// A chain of imports
    Chain,
    /// A diamond of imports
    Diamond,
    /// One long file
    LongFile,
    /// One short file
    ShortFile,
}

/// A language that the models are written in.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Written {
    Dhall,
    Hayward,
    Jsonnet,
    Kcl,
    Nickel,
    Nix,
    Pkl,
    Starlark,
}

impl Written {
    pub(crate) fn language(self) -> &'static dyn Language {
        match self {
            Written::Dhall => &Dhall,
            Written::Hayward => &Hayward,
            Written::Jsonnet => &Jsonnet,
            Written::Kcl => &Kcl,
            Written::Nickel => &Nickel,
            Written::Nix => &Nix,
            Written::Pkl => &Pkl,
            Written::Starlark => &Starlark,
        }
    }
}
