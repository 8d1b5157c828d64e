//! The one shape in which a mistake in a model is reported.

use crate::{Code, Location};

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The model is refused.
    Error,
    /// The model stands, but somebody should look.
    Warning,
}

/// A place with a word about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub at: Location,
    /// What is to be seen there.
    pub text: String,
}

/// One mistake: what is wrong, where, why, and what would mend it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The rule that was broken; stable over versions.
    pub code: Code,
    /// Whether it refuses the model.
    pub severity: Severity,
    /// One line, no final stop: the mistake itself.
    pub message: String,
    /// Where the mistake is.
    pub at: Location,
    /// A short word at that place; may be empty.
    pub here: String,
    /// Other places that belong to it, a declaration for instance.
    pub others: Vec<Label>,
    /// Why it is refused, a line each.
    pub notes: Vec<String>,
    /// What to write instead, where that is known.
    pub cure: Option<String>,
}

impl Diagnostic {
    /// An error at a place.
    #[must_use]
    pub fn error(code: Code, at: Location, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            at,
            here: String::new(),
            others: Vec::new(),
            notes: Vec::new(),
            cure: None,
        }
    }

    /// A warning at a place.
    #[must_use]
    pub fn warning(code: Code, at: Location, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::error(code, at, message)
        }
    }

    /// Sets the word at the primary place.
    #[must_use]
    pub fn here(mut self, text: impl Into<String>) -> Self {
        self.here = text.into();
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn other(mut self, at: Location, text: impl Into<String>) -> Self {
        self.others.push(Label {
            at,
            text: text.into(),
        });
        self
    }

    /// Adds a reason.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Sets the cure.
    #[must_use]
    pub fn cure(mut self, text: impl Into<String>) -> Self {
        self.cure = Some(text.into());
        self
    }

    /// Whether it refuses the model.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
