//! A module of the corpus: its types, its functions, its tables.

mod text;

use super::prose::{Name, capital};
use super::random::Random;
use std::fmt::Write as _;

/// What a module declares, as far as other modules and its witnesses must know it.
#[derive(Debug)]
pub(crate) struct Domain {
    pub(crate) name: Name,
    /// Its states; the first carries nothing.
    pub(crate) states: Vec<State>,
    /// Indexes of the modules it imports.
    pub(crate) imports: Vec<usize>,
    pub(crate) rows: Vec<Row>,
    /// How many lines its text should have.
    lines: usize,
}

/// A variant of the module's `…State`.
#[derive(Debug)]
pub(crate) struct State {
    /// Without the module's name in front.
    word: &'static str,
    pub(crate) payload: Payload,
    pub(crate) weight: usize,
}

/// What a variant carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Payload {
    Nothing,
    /// Added to the weight.
    Count,
    Reason,
    Since,
}

/// A row of the module's table.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) key: String,
    /// Index of its state.
    pub(crate) state: usize,
    /// The count in its state, if its state has one.
    pub(crate) count: usize,
    pub(crate) budget: usize,
    pub(crate) pause: usize,
}

const WORDS: [&str; 12] = [
    "idle", "open", "held", "drained", "stale", "lost", "paused", "granted", "refused", "queued",
    "sealed", "foreign",
];

impl Domain {
    /// The module at an index, after those before it.
    pub(crate) fn new(index: usize, before: &[Domain], random: &mut Random) -> Domain {
        let states = random.between(5, 10);
        let start = random.between(0, WORDS.len() - 1);
        let states = (0..states)
            .map(|i| State {
                word: WORDS[(start + i) % WORDS.len()],
                payload: match i {
                    0 => Payload::Nothing,
                    1 => Payload::Count,
                    _ => *random.choose(&[
                        Payload::Nothing,
                        Payload::Nothing,
                        Payload::Count,
                        Payload::Reason,
                        Payload::Since,
                    ]),
                },
                weight: random.between(1, 90),
            })
            .collect();
        // Most imports are of neighbours, some of anything before.
        let mut imports = Vec::new();
        for _ in 0..random.between(2, 7) {
            let reach = if random.between(0, 3) == 0 {
                before.len()
            } else {
                before.len().min(120)
            };
            if reach > 0 {
                let chosen = before.len() - random.between(1, reach);
                if !imports.contains(&chosen) {
                    imports.push(chosen);
                }
            }
        }
        Domain {
            name: Name::new(index),
            states,
            imports,
            rows: Vec::new(),
            lines: random.between(145, 285),
        }
        .with_rows(random)
    }

    fn with_rows(mut self, random: &mut Random) -> Domain {
        for i in 0..random.between(2, 7) {
            let state = random.between(0, self.states.len() - 1);
            self.rows.push(Row {
                key: format!("{}-{}", self.name.snake().replace('_', "-"), i + 1),
                state,
                count: random.between(1, 40),
                budget: random.between(1, 400),
                pause: random.between(0, 90),
            });
        }
        self
    }

    /// A variant's whole name.
    pub(crate) fn variant(&self, state: usize) -> String {
        format!("{}{}", self.name.camel(), capital(self.states[state].word))
    }

    /// The text that stands for a variant.
    pub(crate) fn label(&self, state: usize) -> String {
        format!("{} {}", self.name.words(), self.states[state].word)
    }

    /// A value of a variant.
    pub(crate) fn state_value(&self, state: usize, count: usize) -> String {
        let variant = self.variant(state);
        match self.states[state].payload {
            Payload::Nothing => variant,
            Payload::Count => format!("{variant} {{ count: {count} }}"),
            Payload::Reason => format!("{variant} {{ reason: \"no answer\" }}"),
            Payload::Since => format!("{variant} {{ since: seconds(count: {count}) }}"),
        }
    }

    /// What the module's weight function gives for that value.
    pub(crate) fn weight(&self, state: usize, count: usize) -> usize {
        let state = &self.states[state];
        state.weight
            + if state.payload == Payload::Count {
                count
            } else {
                0
            }
    }

    /// A row as a record; what it needs is in its first state.
    pub(crate) fn row_value(&self, row: &Row, all: &[Domain], indent: &str) -> String {
        let camel = self.name.camel();
        let policy = ["Strict", "Lenient", "Deferred"][row.budget % 3];
        let note = if row.budget.is_multiple_of(2) {
            "none".to_owned()
        } else {
            format!("\"after {} s\"", row.pause)
        };
        let mut out = format!(
            "{camel} {{\n{indent}  key: \"{}\"\n{indent}  state: {}\n{indent}  budget: {}\n{indent}  \
             pause: seconds(count: {})\n{indent}  policy: {camel}{policy}\n{indent}  note: {note}\n",
            row.key,
            self.state_value(row.state, row.count),
            row.budget,
            row.pause,
        );
        for import in &self.imports {
            let other = &all[*import];
            let _ = writeln!(
                out,
                "{indent}  {}: {}",
                other.name.snake(),
                other.variant(0)
            );
        }
        let _ = write!(out, "{indent}}}");
        out
    }
}
