//! Refinements of literals, decided before anything runs.

use crate::core::{Expr, Predicate};

/// What matching a literal may cost, in bytes read.
const MOST: usize = 1 << 20;

/// Whether a literal satisfies a predicate; none if the expression is no
/// literal, so that only evaluation can tell.
pub(crate) fn satisfies(predicate: &Predicate, literal: &Expr) -> Option<bool> {
    match (predicate, literal) {
        (Predicate::Brand(_), _) => Some(true),
        // Nothing is evaluated here.
        (Predicate::Holds(_), _) => None,
        (Predicate::NonEmpty, Expr::Str(text)) => Some(!text.is_empty()),
        (Predicate::NonEmpty, Expr::List(run)) => Some(run.len > 0),
        (Predicate::Range { min, max }, Expr::Int(value)) => {
            Some(min.is_none_or(|m| *value >= m) && max.is_none_or(|m| *value <= m))
        }
        (Predicate::Pattern(pattern), Expr::Str(text)) => {
            let regular = crate::regular::whole(pattern).ok()?;
            // What takes long is left to the evaluation, which has a limit of steps.
            (regular.cost(text.len()) <= MOST).then(|| regular.matches(text))
        }
        _ => None,
    }
}

/// A predicate as a message says it: "is not empty".
pub(crate) fn words(predicate: &Predicate) -> String {
    match predicate {
        Predicate::NonEmpty => "is not empty".into(),
        Predicate::Range {
            min: Some(min),
            max: Some(max),
        } => format!("is between {min} and {max}"),
        Predicate::Range {
            min: Some(min),
            max: None,
        } => format!("is at least {min}"),
        Predicate::Range {
            min: None,
            max: Some(max),
        } => format!("is at most {max}"),
        Predicate::Range {
            min: None,
            max: None,
        } => "is a number".into(),
        Predicate::Pattern(pattern) => format!("matches {pattern} as a whole"),
        Predicate::Brand(brand) => format!("is a {brand}"),
        Predicate::Holds(_) => "satisfies its predicate".into(),
    }
}
