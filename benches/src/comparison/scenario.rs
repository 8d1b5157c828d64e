//! The parts of the comparison, how large they are, and what is run in them.

use std::fmt;

/// A part of the comparison. The number of a fleet is that of its services.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Group {
    Fleet(usize),
    Corpus,
    Chain,
    Diamond,
    Format,
    StartUp,
}

/// How large the models are.
#[derive(Clone, Debug)]
pub(crate) struct Scale {
    /// The sizes of the fleets, from small to large.
    pub(crate) fleets: Vec<usize>,
    pub(crate) corpus: usize,
    pub(crate) chain: usize,
    pub(crate) layers: usize,
    pub(crate) lines: usize,
}

/// What a program does, and what it knows from before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Scenario {
    pub(crate) command: &'static str,
    pub(crate) state: State,
}

/// What is there of an earlier run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// The program keeps nothing, so there is nothing to say.
    Only,
    /// An empty store, which is filled.
    Cold,
    /// The store is turned off.
    Storeless,
    /// A store that has seen these very files.
    Unchanged,
    /// A store that has seen all files but one, which nothing else needs.
    LeafEdited,
    /// A store that has seen all files but one of the library, whose interface is the same.
    LibraryEdited,
}

impl Scale {
    /// What the targets are stated for.
    pub(crate) fn full() -> Scale {
        Scale {
            fleets: vec![100, 1_000, 5_000],
            corpus: 5_000,
            chain: 5_000,
            layers: 24,
            lines: 45_000,
        }
    }

    /// Enough to see that everything runs.
    pub(crate) fn smoke() -> Scale {
        Scale {
            fleets: vec![20, 60],
            corpus: 60,
            chain: 40,
            layers: 8,
            lines: 450,
        }
    }

    /// Every group, in the order of the table.
    pub(crate) fn groups(&self) -> Vec<Group> {
        let mut groups: Vec<Group> = self.fleets.iter().rev().map(|n| Group::Fleet(*n)).collect();
        groups.extend([
            Group::Corpus,
            Group::Chain,
            Group::Diamond,
            Group::Format,
            Group::StartUp,
        ]);
        groups
    }
}

impl Group {
    /// Its name on the command line.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Group::Fleet(_) => "fleet",
            Group::Corpus => "corpus",
            Group::Chain => "chain",
            Group::Diamond => "diamond",
            Group::Format => "format",
            Group::StartUp => "start-up",
        }
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Group::Fleet(size) => write!(f, "fleet of {size}"),
            other => f.write_str(other.word()),
        }
    }
}

impl State {
    /// As the table names it.
    pub(crate) fn words(self) -> &'static str {
        match self {
            State::Only => "",
            State::Cold => "cold",
            State::Storeless => "without a store",
            State::Unchanged => "unchanged",
            State::LeafEdited => "one leaf edited",
            State::LibraryEdited => "library body edited",
        }
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.state {
            State::Only => f.write_str(self.command),
            state => write!(f, "{}, {}", self.command, state.words()),
        }
    }
}
