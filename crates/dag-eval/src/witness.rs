//! Running the witnesses of a program, in parallel, to a report in a fixed order.

use crate::display::display;
use crate::evaluator::Evaluator;
use crate::refusal::Refusal;
use crate::value::Value;
use dag_analysis::core::{BinaryOp, Decl, DeclRef, Module};
use dag_syntax::{Code, Diagnostic, Location, Symbol};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What the witnesses said, by module name and place.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Each with its verdict.
    pub witnesses: Vec<Witness>,
}

/// A witness and its verdict.
#[derive(Clone, Debug)]
pub struct Witness {
    /// Its declaration.
    pub decl: DeclRef,
    /// Its module's name.
    pub module: Symbol,
    /// Its name.
    pub name: Symbol,
    /// Where its name stands.
    pub at: Location,
    /// What it said.
    pub verdict: Verdict,
}

/// What a witness said.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// True.
    Passed {
        /// Steps taken.
        steps: u64,
    },
    /// False.
    Failed {
        /// Steps taken.
        steps: u64,
        /// What it compared, if it ends in a comparison.
        sides: Option<Sides>,
    },
    /// Nothing: it was refused.
    Refused(Box<Refusal>),
}

/// Both sides of a comparison that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sides {
    /// The operator, `==` for instance.
    pub operator: &'static str,
    /// The left side, in display form.
    pub left: String,
    /// The right side, in display form.
    pub right: String,
}

impl Report {
    /// How many were true.
    #[must_use]
    pub fn passed(&self) -> usize {
        let passed = |w: &&Witness| matches!(w.verdict, Verdict::Passed { .. });
        self.witnesses.iter().filter(passed).count()
    }

    /// Whether there is a witness and all are true.
    #[must_use]
    pub fn holds(&self) -> bool {
        !self.witnesses.is_empty() && self.passed() == self.witnesses.len()
    }

    /// Puts the witnesses in their order: by module name and place.
    pub fn sort(&mut self) {
        let place = |w: &Witness| (w.module.as_str(), w.decl.module, w.at.span, w.decl.index);
        self.witnesses.sort_by(|a, b| place(a).cmp(&place(b)));
    }

    /// A diagnostic for each that is not true.
    #[must_use]
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        self.witnesses
            .iter()
            .filter_map(Witness::to_diagnostic)
            .collect()
    }
}

impl Witness {
    /// What to tell about it; nothing if it is true.
    #[must_use]
    pub fn to_diagnostic(&self) -> Option<Diagnostic> {
        match &self.verdict {
            Verdict::Passed { .. } => None,
            Verdict::Failed { sides, .. } => {
                let message = format!("the witness `{}` is false", self.name);
                let mut diagnostic = Diagnostic::error(Code::WitnessFailed, self.at, message);
                if let Some(sides) = sides {
                    diagnostic = diagnostic
                        .note(format!(
                            "left of `{}`: {}",
                            sides.operator,
                            cut(&sides.left)
                        ))
                        .note(format!(
                            "right of `{}`: {}",
                            sides.operator,
                            cut(&sides.right)
                        ));
                }
                Some(diagnostic)
            }
            Verdict::Refused(refusal) => Some(refusal.to_diagnostic().other(
                self.at,
                format!("while running the witness `{}`", self.name),
            )),
        }
    }
}

/// A side for a diagnostic: not longer than a paragraph.
fn cut(text: &str) -> String {
    const SHOWN: usize = 600;
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or("")),
        None => text.to_owned(),
    }
}

/// Runs the witnesses that `select` takes (module, declaration) on that many threads.
pub fn run_witnesses(
    evaluator: &Evaluator,
    select: impl Fn(&Module, &Decl) -> bool,
    threads: usize,
) -> Report {
    let program = evaluator.program();
    let mut modules: Vec<&Module> = program.modules.iter().map(AsRef::as_ref).collect();
    modules.sort_by_key(|module| (module.name.as_str(), module.id));
    let mut found: Vec<(&Module, DeclRef)> = Vec::new();
    for module in modules {
        let decls = (0u32..)
            .zip(&module.decls)
            .filter(|(_, decl)| decl.test && select(module, decl));
        let mut decls: Vec<_> = decls.collect();
        decls.sort_by_key(|(index, decl)| (decl.span, *index));
        found.extend(decls.iter().map(|(index, _)| {
            let decl = DeclRef {
                module: module.id,
                index: *index,
            };
            (module, decl)
        }));
    }

    let verdicts: Vec<OnceLock<Verdict>> = found.iter().map(|_| OnceLock::new()).collect();
    let taken = AtomicUsize::new(0);
    let work = || {
        loop {
            let index = taken.fetch_add(1, Ordering::Relaxed);
            let (Some((_, decl)), Some(place)) = (found.get(index), verdicts.get(index)) else {
                return;
            };
            place.get_or_init(|| run(evaluator, *decl));
        }
    };
    std::thread::scope(|scope| {
        let more = threads.min(found.len()).saturating_sub(1);
        for _ in 0..more {
            // Without a further thread this one does the rest.
            drop(std::thread::Builder::new().spawn_scoped(scope, work));
        }
        work();
    });

    let witnesses = found
        .into_iter()
        .zip(verdicts)
        .filter_map(|((module, decl), verdict)| {
            let declared = module.decls.get(decl.index as usize)?;
            Some(Witness {
                decl,
                module: module.name,
                name: declared.name,
                at: Location {
                    source: module.source,
                    span: declared.span,
                },
                verdict: verdict.into_inner()?,
            })
        });
    Report {
        witnesses: witnesses.collect(),
    }
}

fn run(evaluator: &Evaluator, decl: DeclRef) -> Verdict {
    match evaluator.evaluate(decl) {
        Ok(outcome) => match outcome.value {
            Value::Bool(true) => Verdict::Passed {
                steps: outcome.steps,
            },
            Value::Bool(false) => Verdict::Failed {
                steps: outcome.steps,
                sides: sides(evaluator, decl),
            },
            _ => Verdict::Refused(Box::new(Refusal::new(
                Code::WitnessNotBool,
                format!(
                    "the witness `{}` gives no Bool",
                    evaluator.qualified_name(decl)
                ),
                evaluator.declared_at(decl),
            ))),
        },
        Err(refusal) => Verdict::Refused(Box::new(refusal)),
    }
}

fn sides(evaluator: &Evaluator, decl: DeclRef) -> Option<Sides> {
    let (op, left, right) = evaluator.sides(decl)?;
    let operator = match op {
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::Less => "<",
        BinaryOp::LessEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterEqual => ">=",
        _ => return None,
    };
    Some(Sides {
        operator,
        left: display(evaluator.program(), &left),
        right: display(evaluator.program(), &right),
    })
}
