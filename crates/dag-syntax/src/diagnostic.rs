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

/// A piece of text to be replaced by another. An empty place is an insertion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What is replaced.
    pub at: Location,
    /// What is written there.
    pub text: String,
}

/// A cure that can be carried out as it stands: all its edits together, none of
/// which overlap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What it does, as an order: "Write `memory`".
    pub title: String,
    /// The edits.
    pub edits: Vec<Edit>,
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
    /// The same as edits, where it is an exact replacement.
    pub fix: Option<Box<Fix>>,
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
            fix: None,
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

    /// Says how the cure is carried out.
    #[must_use]
    pub fn fix(mut self, title: impl Into<String>, edits: Vec<Edit>) -> Self {
        self.fix = Some(Box::new(Fix {
            title: title.into(),
            edits,
        }));
        self
    }

    /// A fix that writes one text in one place.
    #[must_use]
    pub fn replace(self, at: Location, text: impl Into<String>) -> Self {
        let text = text.into();
        self.fix(format!("Write `{text}`"), vec![Edit { at, text }])
    }

    /// Says which name was probably meant at the place.
    #[must_use]
    pub fn did_you_mean(self, near: &str) -> Self {
        let at = self.at;
        self.cure(format!("did you mean `{near}`?"))
            .replace(at, near)
    }

    /// Whether it refuses the model.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}
