//! The kinds of receipt.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What a receipt is a receipt of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// What an observer read from a host.
    Observation,
    /// What would be changed.
    Plan,
    /// What was changed.
    Apply,
    /// What was put back.
    Rollback,
    /// What a policy allowed or refused, and on which evidence.
    Decision,
    /// Who set a value, from what to what, and why.
    Choice,
    /// What a test of the model answered.
    WitnessRun,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 7] = [
        Self::Observation,
        Self::Plan,
        Self::Apply,
        Self::Rollback,
        Self::Decision,
        Self::Choice,
        Self::WitnessRun,
    ];

    /// The name it is stored and signed under; it never changes.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Observation => "observation",
            Self::Plan => "plan",
            Self::Apply => "apply",
            Self::Rollback => "rollback",
            Self::Decision => "decision",
            Self::Choice => "choice",
            Self::WitnessRun => "witness_run",
        }
    }

    /// The kind of that name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Kind;

    #[test]
    fn names_agree_with_serde_and_parse_back() {
        for kind in Kind::ALL {
            assert_eq!(
                serde_json::to_string(&kind).unwrap(),
                format!("\"{}\"", kind.as_str())
            );
            assert_eq!(Kind::parse(kind.as_str()), Some(kind));
        }
        assert_eq!(Kind::parse("Plan"), None);
    }
}
