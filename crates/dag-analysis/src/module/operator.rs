//! Operators.

use super::Checker;
use super::coerce::Because;
use super::demand::Demand;
use crate::core::{BinaryOp, Expr, ExprId, Intrinsic, TypeRef};
use crate::types::Ty;
use dag_syntax::{Code, Diagnostic, Node, NodeId, Token};

impl Checker<'_> {
    pub(super) fn unary_expr(&mut self, node: NodeId) -> (ExprId, Ty) {
        let Some(operand) = self.tree.expr_child(node) else {
            return self.invalid(node);
        };
        let sign = self.tree.own_tokens(node).next().map(|(kind, _)| kind);
        if sign == Some(Token::Caret) {
            let (value, ty) = self.infer(operand);
            self.demand(Demand::Variants, ty, operand);
            let args = self.operands(vec![value]);
            let op = Intrinsic::Discriminant;
            return (self.push(Expr::Intrinsic { op, args }, node), self.string());
        }
        if sign != Some(Token::Minus) {
            let bool = self.bool();
            let value = self.check(operand, bool);
            return (self.push(Expr::Not(value), node), bool);
        }
        if matches!(self.tree.kind(operand), Node::IntExpr | Node::FloatExpr) {
            return self.number(operand, node, "-");
        }
        let (value, ty) = self.infer(operand);
        let plain = self.unrefined(ty);
        let (int, float) = (self.int(), self.float());
        if plain != int && plain != float && !self.is_error(plain) {
            let shown = self.show(ty);
            self.error(
                Code::BadOperand,
                operand,
                format!("a minus stands before a number, not {shown}"),
            );
            return self.invalid(node);
        }
        // `-(5)` is a literal as `-5` is.
        let negated = match self.body.expr(value) {
            Expr::Int(number) => number.checked_neg().map(Expr::Int),
            Expr::Float(number) => Some(Expr::Float(-number)),
            _ => None,
        };
        let expr = negated.unwrap_or(Expr::Negate(value));
        (self.push(expr, node), plain)
    }

    pub(super) fn binary_expr(&mut self, node: NodeId) -> (ExprId, Ty) {
        let children = self.tree.children(node).to_vec();
        let operator = self.tree.own_tokens(node).next();
        let ([left, right], Some((operator, _))) = (children.as_slice(), operator) else {
            return self.invalid(node);
        };
        let (left, right) = (*left, *right);
        let bool = self.bool();
        let op = match operator {
            Token::AndAnd | Token::OrOr => {
                let left = self.check(left, bool);
                let right = self.check(right, bool);
                let expr = if operator == Token::AndAnd {
                    Expr::And(left, right)
                } else {
                    Expr::Or(left, right)
                };
                return (self.push(expr, node), bool);
            }
            Token::QuestionQuestion => return self.coalesce(node, None),
            Token::DotDot => {
                let int = self.int();
                let ends = vec![self.check(left, int), self.check(right, int)];
                let args = self.operands(ends);
                let op = Intrinsic::ListRange;
                return (
                    self.push(Expr::Intrinsic { op, args }, node),
                    self.list(int),
                );
            }
            Token::Plus => BinaryOp::Add,
            Token::Minus => BinaryOp::Subtract,
            Token::Star => BinaryOp::Multiply,
            Token::Slash => BinaryOp::Divide,
            Token::Percent => BinaryOp::Remainder,
            Token::EqualsEquals => BinaryOp::Equal,
            Token::BangEquals => BinaryOp::NotEqual,
            Token::Less => BinaryOp::Less,
            Token::LessEquals => BinaryOp::LessEqual,
            Token::Greater => BinaryOp::Greater,
            Token::GreaterEquals => BinaryOp::GreaterEqual,
            _ => return self.invalid(node),
        };
        let (left_expr, left_ty) = self.infer(left);
        // Constructors, lists and lambdas on the right take the left side's type.
        let structured = matches!(
            self.tree.kind(right),
            Node::ListExpr | Node::RecordExpr | Node::BraceExpr
        );
        let (right_expr, right_ty) = if structured {
            match self.tree.kind(right) {
                Node::RecordExpr => self.record_expr(right, Some(left_ty)),
                _ => {
                    let expr = self.check(right, left_ty);
                    (expr, left_ty)
                }
            }
        } else {
            self.infer(right)
        };
        let common = self.common(left_ty, right_ty);
        let comparison = matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
        let ordering = matches!(
            op,
            BinaryOp::Less | BinaryOp::LessEqual | BinaryOp::Greater | BinaryOp::GreaterEqual
        );
        if let Some(base) = common
            && (comparison || ordering)
            && self.unlike_brands(left_ty, right_ty)
        {
            let (a, b) = self.show_both(left_ty, right_ty);
            let base = self.show(base);
            let error = Diagnostic::error(
                Code::BadOperand,
                self.at(node),
                format!("`{}` is given {a} and {b}", self.sign(node)),
            )
            .note("each has a brand that the other has not, so that no value is one of both")
            .cure(format!(
                "to compare what they are made of, write `(… as {base})` on one side"
            ));
            self.report(error);
            return (self.push(Expr::Invalid, node), bool);
        }
        let Some(common) = common else {
            let (a, b) = self.show_both(left_ty, right_ty);
            let sign = self.sign(node);
            let mut error = Diagnostic::error(
                Code::BadOperand,
                self.at(node),
                format!("`{sign}` is given {a} and {b}"),
            )
            .note("both sides are of one type");
            error.cure = self.cure_of_operands(op, left_ty, right_ty);
            self.report(error);
            let ty = if comparison { bool } else { self.error_ty() };
            return (self.push(Expr::Invalid, node), ty);
        };
        if comparison {
            self.require_comparable(common, node);
            let left = self.coerce(left_expr, left_ty, common, left, None);
            let right = self.coerce(right_expr, right_ty, common, right, None);
            return (self.push(Expr::Binary { op, left, right }, node), bool);
        }
        let kernel = self.kernel;
        let head = self.head(common).map(|(ty, _)| ty);
        let known = |types: &[TypeRef]| head.is_some_and(|ty| types.contains(&ty));
        let defined = match op {
            BinaryOp::Add => known(&[kernel.int, kernel.float, kernel.string, kernel.list]),
            BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide => {
                known(&[kernel.int, kernel.float])
            }
            BinaryOp::Remainder => known(&[kernel.int]),
            _ => known(&[kernel.int, kernel.float, kernel.string]),
        };
        if !defined && !self.is_error(common) {
            let (shown, sign) = (self.show(common), self.sign(node));
            let message = format!("`{sign}` is not defined for {shown}");
            let mut error = Diagnostic::error(Code::BadOperand, self.at(node), message);
            error.cure = self.cure_of_operands(op, left_ty, right_ty);
            self.report(error);
            return self.invalid(node);
        }
        let ty = if ordering { bool } else { common };
        (
            self.push(
                Expr::Binary {
                    op,
                    left: left_expr,
                    right: right_expr,
                },
                node,
            ),
            ty,
        )
    }

    fn cure_of_operands(&mut self, op: BinaryOp, left: Ty, right: Ty) -> Option<String> {
        let kernel = self.kernel;
        let (left, right) = (self.unrefined(left), self.unrefined(right));
        let heads = [self.head(left)?.0, self.head(right)?.0];
        let compared = matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
        if compared && heads[0] == heads[1] {
            return None;
        }
        if heads.contains(&kernel.optional) {
            return Some("the value may be absent: `match` it, or give a value with `?? …`".into());
        }
        let scalar = [kernel.int, kernel.float, kernel.bool];
        // Texts are joined and compared, and nothing else.
        let on_text = !matches!(
            op,
            BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::Divide | BinaryOp::Remainder
        );
        if on_text && heads.contains(&kernel.string) && heads.iter().any(|h| scalar.contains(h)) {
            return Some("write `to_string(…)`, or a string with a hole: `\"{…}\"`".into());
        }
        if heads.contains(&kernel.int) && heads.contains(&kernel.float) {
            return Some("write `… as Float`".into());
        }
        None
    }

    fn sign(&self, node: NodeId) -> &str {
        self.tree
            .own_tokens(node)
            .next()
            .map_or("", |(_, index)| self.tree.token_text(index))
    }

    /// The type of both operands, refinements left aside.
    fn common(&mut self, left: Ty, right: Ty) -> Option<Ty> {
        let (left, right) = (self.unrefined(left), self.unrefined(right));
        self.join(left, right)
    }

    /// Whether each of two types has a brand that the other has not.
    fn unlike_brands(&mut self, left: Ty, right: Ty) -> bool {
        let (left, right) = (self.branded(left), self.branded(right));
        let lacks = |own: &[TypeRef], other: &[TypeRef]| own.iter().any(|ty| !other.contains(ty));
        lacks(&left, &right) && lacks(&right, &left)
    }

    /// The type and its bases, as far as they have a brand.
    fn branded(&mut self, ty: Ty) -> Vec<TypeRef> {
        let mut all = Vec::new();
        let mut next = Some(ty);
        while let Some(ty) = next {
            let ty = self.resolve(ty);
            if let Some((named, _)) = self.head(ty)
                && self.has_brand(named)
            {
                all.push(named);
            }
            next = self.base(ty);
        }
        all
    }

    /// Asks for a variant where the engine's function gives its name.
    pub(super) fn ask_variants(&mut self, op: Option<Intrinsic>, args: &[Ty], node: NodeId) {
        if let (Some(Intrinsic::Discriminant), Some(of)) = (op, args.first()) {
            self.demand(Demand::Variants, *of, node);
        }
    }

    /// Refuses the comparison of functions, which have no equality.
    pub(super) fn require_comparable(&mut self, ty: Ty, node: NodeId) {
        self.demand(Demand::Compared, ty, node);
    }

    pub(super) fn is_coalesce(&self, node: NodeId) -> bool {
        let operator = self.tree.own_tokens(node).next();
        operator.is_some_and(|(kind, _)| kind == Token::QuestionQuestion)
    }

    /// `a ?? b`, perhaps where a type is expected.
    pub(super) fn coalesce(
        &mut self,
        node: NodeId,
        expected: Option<(Ty, Because)>,
    ) -> (ExprId, Ty) {
        let [left, right] = *self.tree.children(node) else {
            return self.invalid(node);
        };
        let (value, ty) = self.infer(left);
        let item = self.fresh();
        let optional = self.optional(item);
        if !self.unify(ty, optional) {
            let shown = self.show(ty);
            self.error(
                Code::BadOperand,
                left,
                format!("`??` stands behind a value that may be absent, not {shown}"),
            );
            return self.invalid(node);
        }
        // Where the place takes what may be absent, it takes the other as it would alone.
        let place = expected.filter(|(ty, _)| !self.mentions_variable(*ty));
        let (other, other_ty) = match place {
            Some((ty, because)) if self.widens(item, ty) => {
                (self.check_because(right, ty, because), ty)
            }
            _ => self.infer(right),
        };
        // `a ?? b` may itself be absent where `b` may.
        let result = self.join(item, other_ty).unwrap_or(item);
        let other = self.coerce(other, other_ty, result, right, None);
        let is_optional = |c: &Self, t: Ty| c.head(t).is_some_and(|(n, _)| n == c.kernel.optional);
        if is_optional(self, result) && !is_optional(self, item) {
            let chosen = self.coerce_optional_left(value, other, left, node);
            return (chosen, result);
        }
        (self.push(Expr::Coalesce(value, other), node), result)
    }

    /// `a ?? b` where `b` is optional too: `a` if it is present, else `b`.
    fn coerce_optional_left(
        &mut self,
        value: ExprId,
        other: ExprId,
        left: NodeId,
        node: NodeId,
    ) -> ExprId {
        use crate::core::{Arm, Pattern, Run};
        let bound = self.bind(dag_syntax::Symbol::new("_"), Ty(0));
        let inner = self.push_pattern(Pattern::Bind(bound));
        let start = self.body.pattern_operands.len() as u32;
        self.body.pattern_operands.push(inner);
        let fields = Run { start, len: 1 };
        let present = self.push_pattern(Pattern::Ctor {
            ctor: self.kernel.present(),
            fields,
        });
        let any = self.push_pattern(Pattern::Any);
        let local = self.push(Expr::Local(bound), left);
        let fields = self.operands(vec![local]);
        let again = self.push(
            Expr::Construct {
                ctor: self.kernel.present(),
                fields,
            },
            left,
        );
        let start = self.body.arms.len() as u32;
        self.body.arms.push(Arm {
            pattern: present,
            guard: None,
            body: again,
        });
        self.body.arms.push(Arm {
            pattern: any,
            guard: None,
            body: other,
        });
        self.push(
            Expr::Match {
                scrutinee: value,
                arms: Run { start, len: 2 },
            },
            node,
        )
    }
}
