//! `where`: the predicates of a refined type.

use super::Checker;
use crate::core::{Expr, Predicate};
use crate::types::Ty;
use dag_syntax::{Code, Diagnostic, Node, NodeId, Symbol};

impl Checker<'_> {
    /// The predicates of a `where` clause on a base.
    pub(super) fn predicates(&mut self, clause: NodeId, base: Ty) -> Vec<Predicate> {
        let mut predicates = Vec::new();
        for node in self.tree.children(clause).to_vec() {
            if let Some(predicate) = self.predicate(node, base) {
                predicates.push(predicate);
            }
        }
        predicates
    }

    fn predicate(&mut self, node: NodeId, base: Ty) -> Option<Predicate> {
        let name_node = self.tree.child(node, Node::Name)?;
        let name = self.tree.symbol(name_node);
        let plain = self.unrefined(base);
        let head = self.head(plain).map(|(ty, _)| ty);
        let args: Vec<(Option<Symbol>, Expr, NodeId)> = self
            .tree
            .children_of(node, Node::PredicateArg)
            .collect::<Vec<_>>()
            .into_iter()
            .filter_map(|arg| {
                let label = self
                    .tree
                    .child(arg, Node::Name)
                    .map(|n| self.tree.symbol(n));
                let value = self.tree.expr_child(arg)?;
                Some((label, self.literal(value).unwrap_or(Expr::Invalid), value))
            })
            .collect();
        let fits = |fit: bool| fit || self.is_error(plain);
        let (predicate, fit) = match (name.as_str(), args.as_slice()) {
            ("non_empty", []) => (
                Predicate::NonEmpty,
                fits(head == Some(self.kernel.string) || head == Some(self.kernel.list)),
            ),
            ("brand", [(None, Expr::Str(text), _)]) => (Predicate::Brand(text.clone()), true),
            ("pattern", [(None, Expr::Str(text), at)]) => {
                if let Err(error) = regex_lite::Regex::new(text) {
                    let message = format!("this is no regular expression: {error}");
                    self.error(Code::BadTypeDeclaration, *at, message);
                    return None;
                }
                (
                    Predicate::Pattern(text.clone()),
                    fits(head == Some(self.kernel.string)),
                )
            }
            ("range", bounds @ ([_] | [_, _])) => {
                let bound = |label: &str| {
                    bounds.iter().find_map(|(l, e, _)| match e {
                        Expr::Int(value) if l.is_some_and(|l| l.as_str() == label) => Some(*value),
                        _ => None,
                    })
                };
                let (min, max) = (bound("min"), bound("max"));
                if usize::from(min.is_some()) + usize::from(max.is_some()) != bounds.len() {
                    self.bad_predicate(node);
                    return None;
                }
                if let (Some(min), Some(max)) = (min, max)
                    && min > max
                {
                    let message = format!("no number is from {min} to {max}");
                    self.error(Code::BadTypeDeclaration, node, message);
                    return None;
                }
                (
                    Predicate::Range { min, max },
                    fits(head == Some(self.kernel.int)),
                )
            }
            _ => {
                self.bad_predicate(node);
                return None;
            }
        };
        if !fit {
            let shown = self.show(plain);
            self.error(
                Code::BadTypeDeclaration,
                node,
                format!("`{name}` says nothing about a value of type {shown}"),
            );
            return None;
        }
        Some(predicate)
    }

    fn bad_predicate(&mut self, node: NodeId) {
        let error = Diagnostic::error(
            Code::BadTypeDeclaration,
            self.at(node),
            format!("`{}` is no predicate", self.tree.text(node)),
        )
        .note("predicates: non_empty, range(min: 0, max: 9), pattern(\"[a-z]+\"), brand(\"Name\")");
        self.report(error);
    }

    /// A literal outside expressions: an argument of a predicate.
    fn literal(&mut self, node: NodeId) -> Option<Expr> {
        let negative =
            self.tree.kind(node) == Node::UnaryExpr && self.tree.text(node).starts_with('-');
        let inner = if negative {
            self.tree.expr_child(node)?
        } else {
            node
        };
        match (self.tree.kind(inner), negative) {
            (Node::IntExpr, _) | (Node::StrExpr, false) => {}
            _ => return None,
        }
        let (expr, _) = self.infer(node);
        match self.body.expr(expr) {
            literal @ (Expr::Int(_) | Expr::Str(_)) => Some(literal.clone()),
            _ => None,
        }
    }
}
