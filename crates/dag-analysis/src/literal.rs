//! Literals that stand where a refined type is asked for: which of them an expression may
//! come to, and what is decided of them before anything runs.

use crate::core::{BinaryOp, Body, Expr, ExprId, Intrinsic, Predicate};
use std::borrow::Cow;

/// What matching a literal may cost, in bytes read.
const MOST: usize = 1 << 20;

/// The expressions of which one gives the value: the branches of a choice, what a block
/// ends in, what stands in for an absent value. In the order of the text.
pub(crate) fn ends(body: &Body, value: ExprId) -> Vec<ExprId> {
    let mut ends = Vec::new();
    let mut waiting = vec![value];
    while let Some(id) = waiting.pop() {
        match body.expr(id) {
            Expr::If {
                then, otherwise, ..
            } => waiting.extend([*otherwise, *then]),
            Expr::Match { arms, .. } => {
                waiting.extend(body.arms(*arms).iter().rev().map(|arm| arm.body));
            }
            Expr::Let { body: rest, .. } | Expr::Then { second: rest, .. } => waiting.push(*rest),
            Expr::Coalesce(_, other) => waiting.push(*other),
            // Its own refinement was decided where it was entered.
            Expr::Refine { value, .. } => waiting.push(*value),
            _ => ends.push(id),
        }
    }
    ends
}

/// Whether a value is written out, to its last part.
pub(crate) fn is_literal(body: &Body, value: ExprId) -> bool {
    let mut waiting = vec![value];
    while let Some(id) = waiting.pop() {
        match body.expr(id) {
            Expr::Unit | Expr::Bool(_) | Expr::Int(_) | Expr::Float(_) | Expr::Str(_) => {}
            Expr::List(parts)
            | Expr::Construct { fields: parts, .. }
            | Expr::Intrinsic {
                op: Intrinsic::SetFromList | Intrinsic::MapFromEntries,
                args: parts,
            } => waiting.extend(body.operands(*parts)),
            Expr::Refine { value, .. } => waiting.push(*value),
            _ if text(body, id).is_some() => {}
            _ => return false,
        }
    }
    true
}

/// Whether a literal satisfies a predicate; none if the expression is no literal, or if
/// only evaluation can tell.
pub(crate) fn satisfies(predicate: &Predicate, body: &Body, literal: ExprId) -> Option<bool> {
    match (predicate, body.expr(literal)) {
        (Predicate::Brand(_), _) => Some(true),
        // Nothing is evaluated here.
        (Predicate::Holds(_), _) => None,
        (Predicate::NonEmpty, Expr::List(run)) => Some(run.len > 0),
        (
            Predicate::NonEmpty,
            Expr::Intrinsic {
                op: Intrinsic::SetFromList | Intrinsic::MapFromEntries,
                args,
            },
        ) => match body.operands(*args) {
            [list] => match body.expr(*list) {
                Expr::List(run) => Some(run.len > 0),
                _ => None,
            },
            _ => None,
        },
        (Predicate::NonEmpty, _) => text(body, literal).map(|text| !text.is_empty()),
        (Predicate::Range { min, max }, Expr::Int(value)) => {
            Some(min.is_none_or(|m| *value >= m) && max.is_none_or(|m| *value <= m))
        }
        (Predicate::Range { .. }, _) => None,
        (Predicate::Pattern(pattern), _) => {
            let text = text(body, literal)?;
            let regular = crate::regular::whole(pattern).ok()?;
            // What takes long is left to an evaluation, which has a limit of steps.
            (regular.cost(text.len()) <= MOST).then(|| regular.matches(&text))
        }
    }
}

/// A text that is written out, in one piece or in several that are joined.
fn text(body: &Body, literal: ExprId) -> Option<Cow<'_, str>> {
    if let Expr::Str(text) = body.expr(literal) {
        return Some(Cow::Borrowed(text));
    }
    let mut joined = String::new();
    let mut waiting = vec![literal];
    while let Some(id) = waiting.pop() {
        match body.expr(id) {
            Expr::Str(text) => joined.push_str(text),
            Expr::Binary {
                op: BinaryOp::Add,
                left,
                right,
            } => waiting.extend([*right, *left]),
            Expr::Interpolate(parts) => waiting.extend(body.operands(*parts).iter().rev()),
            _ => return None,
        }
    }
    Some(Cow::Owned(joined))
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
