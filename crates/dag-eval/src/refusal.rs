//! Why an evaluation gave no value, where, and how it came there.

use dag_syntax::{Code, Diagnostic, Location, Symbol};
use std::fmt;

/// Calls that a refusal remembers; a deep recursion has too many to keep.
const KEPT_CALLS: usize = 64;
/// Calls that a diagnostic shows.
const SHOWN_CALLS: usize = 5;

/// A call under way when an evaluation was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The function called, or the `data` item read.
    pub function: Symbol,
    /// Where.
    pub at: Location,
}

/// An evaluation that gave no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The rule that refused it.
    pub code: Code,
    /// What happened, in one line.
    pub message: String,
    /// What to do about it, where that is known.
    pub cure: Option<&'static str>,
    /// Where it happened.
    pub at: Location,
    /// The calls that led there, the innermost first; at most 64.
    pub stack: Vec<Call>,
    /// Further calls that were not kept.
    pub omitted: u64,
}

impl Refusal {
    pub(crate) fn new(code: Code, message: impl Into<String>, at: Location) -> Self {
        Self {
            code,
            message: message.into(),
            cure: None,
            at,
            stack: Vec::new(),
            omitted: 0,
        }
    }

    /// Adds the call around those known so far.
    pub(crate) fn called(&mut self, function: Symbol, at: Location) {
        if self.stack.len() < KEPT_CALLS {
            self.stack.push(Call { function, at });
        } else {
            self.omitted += 1;
        }
    }

    /// For a reader: the refusal and its innermost calls.
    #[must_use]
    pub fn to_diagnostic(&self) -> Diagnostic {
        let mut diagnostic = Diagnostic::error(self.code, self.at, &*self.message);
        // A recursion calls from one place again and again: it is shown once.
        let mut shown: Vec<&Call> = Vec::new();
        for call in &self.stack {
            if shown.len() < SHOWN_CALLS && !shown.contains(&call) {
                shown.push(call);
            }
        }
        for call in &shown {
            let text = format!("in `{}`, called here", call.function);
            diagnostic = diagnostic.other(call.at, text);
        }
        let more = (self.stack.len() - shown.len()) as u64 + self.omitted;
        if more > 0 {
            let calls = if more == 1 { "call" } else { "calls" };
            diagnostic = diagnostic.note(format!("… {more} more {calls}"));
        }
        if let Some(cure) = self.cure {
            diagnostic = diagnostic.cure(cure);
        }
        diagnostic
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for Refusal {}

/// A refusal on its way out of an operation, before its place is known.
#[derive(Debug)]
pub(crate) enum Fault {
    /// Refused by this operation.
    Here(Code, String),
    /// The same, with what to do about it.
    Cured(Code, String, &'static str),
    /// Refused earlier, by a `data` item that keeps its refusal.
    Kept(Refusal),
}

/// What an operation gives. Boxed, so that the good case stays small.
pub(crate) type Step<T> = Result<T, Box<Fault>>;

/// Refuses.
pub(crate) fn refuse<T>(code: Code, message: impl Into<String>) -> Step<T> {
    Err(fault(code, message))
}

/// A refusal by the operation at hand.
pub(crate) fn fault(code: Code, message: impl Into<String>) -> Box<Fault> {
    Box::new(Fault::Here(code, message.into()))
}

/// Refuses, and says what to do about it.
pub(crate) fn refuse_with_cure<T>(
    code: Code,
    message: impl Into<String>,
    cure: &'static str,
) -> Step<T> {
    Err(Box::new(Fault::Cured(code, message.into(), cure)))
}

/// The core is not what the checker promises: never a fault of the model.
pub(crate) fn broken(what: &str) -> Box<Fault> {
    fault(
        Code::TypeMismatch,
        format!("the checked program is inconsistent ({what}); this is a defect of the engine"),
    )
}

/// A value would exceed a limit.
pub(crate) fn too_large(what: &str, limit: usize) -> Box<Fault> {
    fault(
        Code::TooLarge,
        format!("{what} exceeds the limit of {limit}"),
    )
}
