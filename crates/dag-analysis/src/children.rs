//! The expressions that an expression consists of.

use crate::core::{Body, Expr, ExprId};

impl Body {
    /// The children of an expression, in the order of evaluation.
    pub fn children(&self, id: ExprId, mut found: impl FnMut(ExprId)) {
        match self.expr(id) {
            Expr::Unit
            | Expr::Bool(_)
            | Expr::Int(_)
            | Expr::Float(_)
            | Expr::Str(_)
            | Expr::Local(_)
            | Expr::Data(_)
            | Expr::Function(_)
            | Expr::Invalid => {}
            Expr::Interpolate(run)
            | Expr::List(run)
            | Expr::Call { args: run, .. }
            | Expr::Intrinsic { args: run, .. }
            | Expr::Construct { fields: run, .. } => {
                self.operands(*run).iter().copied().for_each(found);
            }
            Expr::Perform(perform) => {
                let parts = self.operands(perform.parts).iter().copied();
                parts.chain(perform.mock).for_each(found);
            }
            Expr::Apply { function, args } => {
                found(*function);
                self.operands(*args).iter().copied().for_each(found);
            }
            Expr::Field { base: one, .. }
            | Expr::Return(one)
            | Expr::Not(one)
            | Expr::Negate(one)
            | Expr::Refine { value: one, .. }
            | Expr::Convert { value: one, .. }
            | Expr::Lambda { body: one, .. } => found(*one),
            Expr::Let {
                value: a, body: b, ..
            }
            | Expr::Then {
                first: a,
                second: b,
            }
            | Expr::For {
                items: a, body: b, ..
            }
            | Expr::Binary {
                left: a, right: b, ..
            }
            | Expr::And(a, b)
            | Expr::Or(a, b)
            | Expr::Coalesce(a, b) => {
                found(*a);
                found(*b);
            }
            Expr::If {
                condition,
                then,
                otherwise,
            } => {
                found(*condition);
                found(*then);
                found(*otherwise);
            }
            Expr::Match { scrutinee, arms } => {
                found(*scrutinee);
                for arm in self.arms(*arms) {
                    if let Some(guard) = arm.guard {
                        found(guard);
                    }
                    found(arm.body);
                }
            }
        }
    }
}
