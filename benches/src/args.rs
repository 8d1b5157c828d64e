//! The command line.

use clap::{Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Measure Hayward beside other configuration languages.
#[derive(Debug, Parser)]
#[command(name = "hayward-benches", version, about, max_term_width = 100)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a model below a folder
    Generate {
        /// Which model
        kind: Generated,
        /// The folder; need not exist
        folder: PathBuf,
        /// How many modules, layers or lines [default: what the targets are stated for]
        #[arg(long)]
        size: Option<usize>,
    },
}

/// A model in `.dag` that can be written out.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum Generated {
    /// The peers' model: services on sixteen hosts; its outcome is `bench.main.output`
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
