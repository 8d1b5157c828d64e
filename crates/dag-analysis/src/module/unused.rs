//! Statements that do nothing, and statements that are never reached.

use super::Checker;
use crate::core::{Expr, ExprId};
use dag_syntax::{Code, Diagnostic, Location};

/// What the evaluation of an expression may do besides giving its value.
#[derive(Clone, Copy, Default)]
struct Does {
    /// It may ask something of the outside or refuse a value, or is a mistake that was
    /// reported.
    acts: bool,
    /// It may leave the function around it.
    leaves: bool,
    /// It always does.
    ends: bool,
}

impl Does {
    fn nothing(self) -> bool {
        !self.acts && !self.leaves
    }
}

impl Checker<'_> {
    /// Warns of the statements of a body that are of no use. Its expressions are those
    /// from `start` on, children before parents.
    pub(super) fn unused_statements(&mut self, body: ExprId, start: usize) {
        let own = self.body.exprs.get(start..).unwrap_or_default();
        let drops = |expr: &Expr| matches!(expr, Expr::Then { .. } | Expr::Return(_));
        if !own.iter().any(drops) {
            return;
        }
        let mut does: Vec<Does> = Vec::with_capacity(own.len());
        for index in 0..own.len() {
            let id = ExprId((start + index) as u32);
            does.push(self.does(id, start, &does));
        }
        self.spent += does.len() as u64;
        let of = |id: ExprId| known(&does, start, id);
        let mut warnings = Vec::new();
        let mut open = vec![body];
        while let Some(id) = open.pop() {
            let (first, rest) = match *self.body.expr(id) {
                Expr::Then { first, second } => (first, second),
                Expr::Let { value, body, .. } => (value, body),
                _ => {
                    self.body.children(id, |child| open.push(child));
                    continue;
                }
            };
            let statement = matches!(self.body.expr(id), Expr::Then { .. });
            // The checker's own `()`, where what a block gives is dropped.
            let dropped = statement
                && matches!(self.body.expr(rest), Expr::Unit)
                && self.body.span(rest) == self.body.span(id);
            if dropped {
                if let Some(last) = self.last_statement(first)
                    && of(last).nothing()
                {
                    warnings.push(self.unused_value(last));
                }
                open.push(first);
            } else if of(first).ends {
                if !self.is_last_name(id, rest) {
                    warnings.push(self.unreachable(first, rest));
                }
                open.push(first);
            } else {
                if statement && of(first).nothing() {
                    warnings.push(self.unused_value(id));
                } else {
                    open.push(first);
                }
                open.push(rest);
            }
        }
        for warning in warnings {
            self.report(warning);
        }
    }

    fn does(&self, id: ExprId, start: usize, does: &[Does]) -> Does {
        let of = |id: ExprId| known(does, start, id);
        let mut all = Does::default();
        self.body.children(id, |child| {
            let child = of(child);
            all.acts |= child.acts;
            all.leaves |= child.leaves;
            all.ends |= child.ends;
        });
        match self.body.expr(id) {
            Expr::Invalid | Expr::Perform(_) => all.acts = true,
            // It may be refused, which is what it is written for.
            Expr::Refine { .. } | Expr::Convert { .. } => all.acts = true,
            Expr::Call { callee, .. } => all.acts |= self.decl(*callee).kind.has_effects(),
            Expr::Return(_) => (all.leaves, all.ends) = (true, true),
            // It leaves and ends itself alone.
            Expr::Lambda { .. } => (all.leaves, all.ends) = (false, false),
            // The right side may be left out.
            Expr::And(left, _) | Expr::Or(left, _) | Expr::Coalesce(left, _) => {
                all.ends = of(*left).ends;
            }
            Expr::For { items, .. } => all.ends = of(*items).ends,
            Expr::If {
                condition,
                then,
                otherwise,
            } => all.ends = of(*condition).ends || of(*then).ends && of(*otherwise).ends,
            Expr::Match { scrutinee, arms } => {
                let arms = self.body.arms(*arms);
                let each = !arms.is_empty() && arms.iter().all(|arm| of(arm.body).ends);
                all.ends = of(*scrutinee).ends || each;
            }
            _ => {}
        }
        all
    }

    /// Whether what follows a `let` is nothing but its name: the value of a block that
    /// ends with it.
    fn is_last_name(&self, id: ExprId, rest: ExprId) -> bool {
        matches!((self.body.expr(id), self.body.expr(rest)),
            (Expr::Let { local, .. }, Expr::Local(name)) if local == name)
            && self.body.span(rest) == self.body.span(id)
    }

    /// What a block gives, unless it is `()` or the name of its last `let`.
    fn last_statement(&self, mut id: ExprId) -> Option<ExprId> {
        loop {
            id = match *self.body.expr(id) {
                Expr::Let { body, .. } if self.is_last_name(id, body) => return None,
                Expr::Let { body: rest, .. } | Expr::Then { second: rest, .. } => rest,
                Expr::Unit => return None,
                _ => return Some(id),
            };
        }
    }

    fn unused_value(&self, statement: ExprId) -> Diagnostic {
        Diagnostic::warning(
            Code::UnusedValue,
            self.shown_at(statement),
            "nothing comes of this statement",
        )
        .note("its value is dropped, and it asks nothing of the outside")
        .cure("name its value with `let`, make it a part of what follows, or remove it")
    }

    fn unreachable(&self, leaves: ExprId, next: ExprId) -> Diagnostic {
        Diagnostic::warning(
            Code::Unreachable,
            self.shown_at(next),
            "this statement is never reached",
        )
        .other(self.shown_at(leaves), "this always returns")
        .cure("remove it and what follows, or move them above")
    }

    fn shown_at(&self, id: ExprId) -> Location {
        Location {
            source: self.tree.source(),
            span: self.body.span(id),
        }
    }
}

fn known(does: &[Does], start: usize, id: ExprId) -> Does {
    let index = (id.0 as usize).checked_sub(start);
    index
        .and_then(|index| does.get(index))
        .copied()
        .unwrap_or_default()
}
