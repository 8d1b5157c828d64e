//! `where`: the predicates of a refined type.

use super::Checker;
use crate::core::{DeclKind, DeclRef, Expr, Predicate, Shape};
use crate::known::Value;
use crate::regular::NotRegular;
use crate::types::Ty;
use dag_syntax::{Code, Diagnostic, Node, NodeId, Symbol};

/// The predicates of the language.
const BUILT_IN: [&str; 4] = ["non_empty", "range", "pattern", "brand"];
/// Words that say what the function in parentheses speaks of. They change
/// nothing: each value is asked.
const GROUPS: [&str; 3] = ["format", "content", "domain"];

/// A predicate that names a function.
pub(super) struct Named {
    /// Index of the refined type.
    pub(super) of: usize,
    base: Ty,
    /// The function's name.
    node: NodeId,
}

impl Checker<'_> {
    /// The predicates of a `where` clause on a base, for the type of that index.
    /// Those that name a function come later: [`Checker::resolve_predicates`].
    pub(super) fn predicates(&mut self, clause: NodeId, base: Ty, of: usize) -> Vec<Predicate> {
        let mut predicates = Vec::new();
        for node in self.tree.children(clause).to_vec() {
            if let Some(function) = self.named_function(node) {
                self.named_predicates.push(Named {
                    of,
                    base,
                    node: function,
                });
            } else if let Some(predicate) = self.predicate(node, base) {
                predicates.push(predicate);
            }
        }
        predicates
    }

    /// The function's name in `where p`, or in `where format(p)`.
    fn named_function(&self, node: NodeId) -> Option<NodeId> {
        let path = self.tree.child(node, Node::Path)?;
        let args: Vec<NodeId> = self.tree.children_of(node, Node::PredicateArg).collect();
        match (self.tree.text(path), args.as_slice()) {
            (name, []) if !BUILT_IN.contains(&name) && !GROUPS.contains(&name) => Some(path),
            (name, [only]) if GROUPS.contains(&name) => {
                let value = self.tree.expr_child(*only)?;
                let labelled = self.tree.child(*only, Node::Name).is_some();
                let name = matches!(self.tree.kind(value), Node::NameExpr | Node::FieldExpr);
                (name && !labelled).then_some(value)
            }
            _ => None,
        }
    }

    /// Looks up the functions that predicates name. All are declared now.
    pub(super) fn resolve_predicates(&mut self) {
        for named in std::mem::take(&mut self.named_predicates) {
            let Some(decl) = self.predicate_function(&named) else {
                continue;
            };
            if let Shape::Refined { predicates, .. } = &mut self.types[named.of].shape {
                predicates.push(Predicate::Holds(decl));
            }
        }
    }

    /// The function, if it is one of the base that gives Bool.
    fn predicate_function(&mut self, named: &Named) -> Option<DeclRef> {
        let name = self.tree.symbol(named.node);
        let value = match self.scope.value(name) {
            Some(value) => Some(value),
            None => self.qualified(name.as_str()).and_then(|found| found.value),
        };
        let decls = match value {
            Some(Value::Decls(decls)) => decls,
            Some(Value::Broken) => return None,
            Some(_) => {
                let message = format!("`{name}` is no predicate: a function gives true or false");
                self.error(Code::BadTypeDeclaration, named.node, message);
                return None;
            }
            None => {
                self.unknown_predicate(name, named.node);
                return None;
            }
        };
        let found = decls.into_iter().map(|decl| (decl, self.signature(decl)));
        let mut unary = found.filter(|(_, s)| {
            s.kind == DeclKind::Function && s.params.len() == 1 && s.type_params == 0
        });
        let found = unary.next().filter(|_| unary.next().is_none());
        let bool = self.bool();
        let fits = found.filter(|(decl, signature)| {
            let param = self.bring(decl.module, signature.params[0].ty, &[]);
            let result = self.bring(decl.module, signature.result, &[]);
            self.widens(named.base, param) && self.widens(result, bool)
        });
        let Some((decl, _)) = fits else {
            let base = self.show(named.base);
            let error = Diagnostic::error(
                Code::BadTypeDeclaration,
                self.at(named.node),
                format!("`{name}` is no predicate of {base}"),
            )
            .cure(format!(
                "a predicate is a function `fn p(x: {base}) -> Bool`"
            ));
            self.report(error);
            return None;
        };
        // It is the type that asks, wherever the clause stands.
        let user = self.types[named.of].name;
        self.refuse_unadmitted_by(user, decl, named.node);
        self.refer_value(named.node, &Value::Decls(vec![decl]));
        Some(decl)
    }

    fn unknown_predicate(&mut self, name: Symbol, node: NodeId) {
        let near = self.nearest(name.as_str(), BUILT_IN.iter().copied());
        let Some(near) = near else {
            return self.unknown_name(name, node);
        };
        let error = Diagnostic::error(
            Code::UnknownName,
            self.at(node),
            format!("there is no predicate `{name}` here"),
        )
        .cure(format!("did you mean `{near}`?"));
        self.report(error);
    }

    fn predicate(&mut self, node: NodeId, base: Ty) -> Option<Predicate> {
        let name_node = self.tree.child(node, Node::Path)?;
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
                Some((label, self.literal(value).unwrap_or(Expr::Unit), value))
            })
            .collect();
        if args
            .iter()
            .any(|(_, value, _)| matches!(value, Expr::Invalid))
        {
            return None;
        }
        let fits = |fit: bool| fit || self.is_error(plain);
        let (predicate, fit) = match (name.as_str(), args.as_slice()) {
            ("non_empty", []) => (
                Predicate::NonEmpty,
                fits(head.is_some_and(|ty| {
                    let kernel = self.kernel;
                    [kernel.string, kernel.list, kernel.map, kernel.set].contains(&ty)
                })),
            ),
            ("brand", [(None, Expr::Str(text), _)]) => (Predicate::Brand(text.clone()), true),
            ("pattern", [(None, Expr::Str(text), at)]) => {
                if let Err(why) = crate::regular::whole(text) {
                    let mut error =
                        Diagnostic::error(Code::BadTypeDeclaration, self.at(*at), why.to_string());
                    if !matches!(why, NotRegular::Grammar(_)) {
                        error = error.cure("repeat less, or name a function that looks at the text: a predicate may be one");
                    }
                    self.report(error);
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
        .note("predicates: non_empty, range(min: 0, max: 9), pattern(\"[a-z]+\"), brand(\"Name\"), and the name of a function of the base that gives Bool");
        self.report(error);
    }

    /// A literal outside expressions: an argument of a predicate. One that is no value is
    /// a mistake that was reported.
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
            literal @ (Expr::Int(_) | Expr::Str(_) | Expr::Invalid) => Some(literal.clone()),
            _ => None,
        }
    }
}
