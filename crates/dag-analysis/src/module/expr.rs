//! Expressions: inferred, or checked against the type of their position.

use super::Checker;
use super::coerce::{Because, Reason};
use super::demand::Demand;
use crate::core::{Conversion, DeclRef, Expr, ExprId, Intrinsic, Run};
use crate::known::Value;
use crate::types::{Ty, TyKind};
use dag_syntax::{Code, Diagnostic, Location, Node, NodeId, Symbol, Token};
use std::sync::Arc;

impl Checker<'_> {
    pub(super) fn check(&mut self, node: NodeId, expected: Ty) -> ExprId {
        self.check_because(node, expected, None)
    }

    /// Checks an expression where a type is expected.
    pub(super) fn check_because(&mut self, node: NodeId, expected: Ty, because: Because) -> ExprId {
        self.expects(node, expected);
        match self.tree.kind(node) {
            Node::ParenExpr => match self.tree.expr_child(node) {
                Some(inner) => self.check_because(inner, expected, because),
                None => self.invalid(node).0,
            },
            Node::BlockExpr => self.block(node, Some((expected, because))).0,
            Node::IfExpr => self.if_expr(node, Some((expected, because))).0,
            Node::MatchExpr => self.match_expr(node, Some((expected, because))).0,
            Node::LambdaExpr => {
                let wanted = self.inside_optional(expected);
                let hint = match self.kind(wanted) {
                    TyKind::Function(params, result) => Some((params.clone(), *result)),
                    _ => None,
                };
                let (expr, ty) = self.lambda(node, hint, because);
                self.coerce(expr, ty, expected, node, because)
            }
            Node::ListExpr => {
                let wanted = self.inside_optional(expected);
                let wanted = self.unrefined(wanted);
                let item = match self.head(wanted) {
                    Some((ty, args)) if ty == self.kernel.list => args.first().copied(),
                    Some((ty, args)) if ty == self.kernel.set && args.len() == 1 => {
                        let (expr, ty) = self.set_literal(node, args[0], because);
                        return self.coerce(expr, ty, expected, node, because);
                    }
                    _ => None,
                };
                // Where nothing is known yet, the elements agree on a type first.
                let open = |ty: &Ty| matches!(self.kind(*ty), TyKind::Variable(_));
                let item = item.filter(|ty| !open(ty));
                let (expr, ty) = self.list_expr(node, item, because);
                self.coerce(expr, ty, expected, node, because)
            }
            Node::ForExpr => {
                let wanted = self.inside_optional(expected);
                let wanted = self.unrefined(wanted);
                let item = match self.head(wanted) {
                    Some((ty, args)) if ty == self.kernel.list => args.first().copied(),
                    _ => None,
                };
                let (expr, ty) = self.for_expr(node, item.map(|item| (item, because)));
                self.coerce(expr, ty, expected, node, because)
            }
            Node::BraceExpr => {
                let (expr, ty) = self.brace_expr(node, Some(expected));
                self.coerce(expr, ty, expected, node, because)
            }
            Node::RecordExpr => {
                let (expr, ty) = self.record_expr(node, Some(expected));
                self.coerce(expr, ty, expected, node, because)
            }
            Node::BinaryExpr if self.is_coalesce(node) => {
                let (expr, ty) = self.coalesce(node, Some((expected, because)));
                self.coerce(expr, ty, expected, node, because)
            }
            Node::CallExpr | Node::PipeExpr => {
                self.wanted.insert(node, expected);
                let (expr, ty) = self.infer(node);
                self.wanted.remove(&node);
                self.coerce(expr, ty, expected, node, because)
            }
            _ => {
                let (expr, ty) = match self.row_wanted(node, expected) {
                    Some(decl) => {
                        self.refer_value(node, &Value::Decls(vec![decl]));
                        self.decl_value(decl, node)
                    }
                    None => self.infer(node),
                };
                self.coerce(expr, ty, expected, node, because)
            }
        }
    }

    /// Where a name of one function over several types stands for a function of a known
    /// type: the row that is meant.
    fn row_wanted(&mut self, node: NodeId, expected: Ty) -> Option<DeclRef> {
        if self.tree.kind(node) != Node::NameExpr {
            return None;
        }
        let name = self.tree.symbol(node);
        let wanted = self.inside_optional(expected);
        let TyKind::Function(params, _) = self.kind(wanted) else {
            return None;
        };
        let first = *params.first()?;
        if self.local(name).is_some() {
            return None;
        }
        match self.scope.value(name) {
            Some(Value::Decls(decls)) if decls.len() > 1 => {
                let plain = self.unrefined(first);
                self.row(&decls, plain)
            }
            _ => None,
        }
    }

    pub(super) fn inside_optional(&self, ty: Ty) -> Ty {
        match self.head(ty) {
            Some((named, args)) if named == self.kernel.optional && args.len() == 1 => {
                self.resolve(args[0])
            }
            _ => self.resolve(ty),
        }
    }

    /// Works out an expression and its type.
    pub(super) fn infer(&mut self, node: NodeId) -> (ExprId, Ty) {
        let inferred = self.infer_kind(node);
        self.typed(node, inferred.1);
        inferred
    }

    fn infer_kind(&mut self, node: NodeId) -> (ExprId, Ty) {
        match self.tree.kind(node) {
            Node::IntExpr | Node::FloatExpr => self.number(node, node, ""),
            Node::BoolExpr => {
                let value = self.tree.text(node) == "true";
                (self.push(Expr::Bool(value), node), self.bool())
            }
            Node::NoneExpr => {
                let item = self.fresh();
                let absent = Expr::Construct {
                    ctor: self.kernel.absent(),
                    fields: Run::default(),
                };
                (self.push(absent, node), self.optional(item))
            }
            Node::UnitExpr => (self.push(Expr::Unit, node), self.unit()),
            Node::StrExpr => self.string_expr(node),
            Node::NameExpr => self.name_expr(node),
            Node::ParenExpr => match self.tree.expr_child(node) {
                Some(inner) => self.infer(inner),
                None => self.invalid(node),
            },
            Node::ListExpr => self.list_expr(node, None, None),
            Node::RecordExpr => self.record_expr(node, None),
            Node::BraceExpr => self.brace_expr(node, None),
            Node::ForExpr => self.for_expr(node, None),
            Node::CallExpr => self.call_expr(node),
            Node::FieldExpr => self.field_expr(node),
            Node::PipeExpr => self.pipe_expr(node),
            Node::BinaryExpr => self.binary_expr(node),
            Node::UnaryExpr => self.unary_expr(node),
            Node::AsExpr => self.as_expr(node),
            Node::MatchExpr => self.match_expr(node, None),
            Node::IfExpr => self.if_expr(node, None),
            Node::BlockExpr => self.block(node, None),
            Node::LambdaExpr => self.lambda(node, None, None),
            _ => self.invalid(node),
        }
    }

    /// A number; `sign` is `-` if one stands before it.
    pub(super) fn number(&mut self, digits: NodeId, node: NodeId, sign: &str) -> (ExprId, Ty) {
        let text = format!("{sign}{}", self.tree.text(digits).replace('_', ""));
        // A number that runs into a name was refused when it was read.
        if text.bytes().any(|b| b.is_ascii_alphabetic()) {
            return self.invalid(node);
        }
        if self.tree.kind(digits) == Node::FloatExpr {
            match text.parse::<f64>() {
                Ok(value) if value.is_finite() => {
                    return (self.push(Expr::Float(value), node), self.float());
                }
                _ => self.error(Code::BadNumber, node, "this float is out of range"),
            }
            return self.invalid(node);
        }
        match text.parse::<i64>() {
            Ok(value) => (self.push(Expr::Int(value), node), self.int()),
            Err(_) => {
                self.error(
                    Code::BadNumber,
                    node,
                    "this integer does not fit in 64 bits",
                );
                self.invalid(node)
            }
        }
    }

    fn string_expr(&mut self, node: NodeId) -> (ExprId, Ty) {
        let parts = self.string_parts(node);
        let string = self.string();
        let literal = match parts.as_slice() {
            [] => Some(Arc::from("")),
            [(only, None)] => match self.body.expr(*only) {
                Expr::Str(text) => Some(Arc::clone(text)),
                _ => None,
            },
            _ => None,
        };
        if let Some(text) = literal {
            return (self.push(Expr::Str(text), node), string);
        }
        let parts = parts.into_iter().map(|(expr, _)| expr).collect();
        let parts = self.operands(parts);
        (self.push(Expr::Interpolate(parts), node), string)
    }

    /// The parts of a string: its texts, and its holes with their types.
    pub(super) fn string_parts(&mut self, node: NodeId) -> Vec<(ExprId, Option<(NodeId, Ty)>)> {
        let mut holes = self.tree.children(node).to_vec().into_iter();
        let tokens: Vec<(Token, usize)> = self.tree.own_tokens(node).collect();
        let mut parts = Vec::new();
        for (kind, index) in tokens {
            match kind {
                Token::Text => {
                    let span = self.tree.tokens().span(index);
                    let source = self.tree.source();
                    let mut warnings = Vec::new();
                    let text = dag_syntax::unescape(
                        self.tree.token_text(index),
                        source,
                        span.start,
                        &mut |warning| warnings.push(warning),
                    );
                    self.diagnostics.append(&mut warnings);
                    parts.push((self.push_at(Expr::Str(text.into()), span), None));
                }
                Token::HoleStart => {
                    let Some(hole) = holes.next() else { continue };
                    let (expr, ty) = self.infer(hole);
                    self.demand(Demand::Shown, ty, hole);
                    parts.push((expr, Some((hole, ty))));
                }
                _ => {}
            }
        }
        parts
    }

    fn name_expr(&mut self, node: NodeId) -> (ExprId, Ty) {
        self.name_value(self.tree.symbol(node), node)
    }

    /// The value of a name that stands alone.
    pub(super) fn name_value(&mut self, name: Symbol, node: NodeId) -> (ExprId, Ty) {
        if let Some((local, ty)) = self.local(name) {
            self.refer_local(node, local);
            return (self.push(Expr::Local(local), node), ty);
        }
        if self.refuse_resource_value(name, node) {
            return self.invalid(node);
        }
        match self.scope.value(name) {
            Some(value) => self.value_expr(value, name, node),
            None => {
                self.unknown_name(name, node);
                self.invalid(node)
            }
        }
    }

    pub(super) fn local(&self, name: Symbol) -> Option<(crate::core::Local, Ty)> {
        let place = self.local_places.get(&name)?.last()?;
        let (_, local, ty) = self.locals.get(*place)?;
        Some((*local, *ty))
    }

    /// A name's value where it is not called.
    fn value_expr(&mut self, value: Value, name: Symbol, node: NodeId) -> (ExprId, Ty) {
        self.refer_value(node, &value);
        match value {
            Value::Broken => self.invalid(node),
            Value::Ctor(ctor) => self.nullary(ctor, node),
            Value::Ambiguous(modules) => {
                self.ambiguous(name, &modules, node);
                self.invalid(node)
            }
            Value::Decls(decls) => match decls.as_slice() {
                [decl] => self.decl_value(*decl, node),
                _ => {
                    let error = Diagnostic::error(
                        Code::CannotInfer,
                        self.at(node),
                        format!("`{name}` is one function over several types: which is meant is not known"),
                    )
                    .cure(format!("call it in a lambda: `x => {name}(x)`"));
                    self.report(error);
                    self.invalid(node)
                }
            },
        }
    }

    pub(super) fn ambiguous(&mut self, name: Symbol, modules: &[Symbol], node: NodeId) {
        let names: Vec<String> = modules.iter().map(|m| format!("`{m}`")).collect();
        let error = Diagnostic::error(
            Code::UnknownName,
            self.at(node),
            format!(
                "`{name}` is declared by several modules, {} among them",
                super::show::listed(&names)
            ),
        )
        .cure("write it with its module's name");
        self.report(error);
    }

    fn decl_value(&mut self, decl: DeclRef, node: NodeId) -> (ExprId, Ty) {
        let signature = self.signature(decl);
        self.refuse_unadmitted(decl, node);
        let args: Vec<Ty> = (0..signature.type_params).map(|_| self.fresh()).collect();
        let result = self.bring(decl.module, signature.result, &args);
        if signature.kind.is_value() {
            return (self.push(Expr::Data(decl), node), result);
        }
        if signature.kind.has_effects() {
            self.refuse_effect_value(signature.kind, signature.name, node);
            return self.invalid(node);
        }
        let params: Box<[Ty]> = signature
            .params
            .iter()
            .map(|p| self.bring(decl.module, p.ty, &args))
            .collect();
        let count = params.len();
        let ty = self.function(params, result);
        self.instantiate(decl, &args, node);
        let Some(op) = signature.intrinsic else {
            return (self.push(Expr::Function(decl), node), ty);
        };
        self.ask_variants(Some(op), &args, node);
        // The engine's functions are no values: a lambda around the call is.
        let start = self.body.lambda_params.len() as u32;
        let locals: Vec<_> = (0..count)
            .map(|_| self.bind(Symbol::new("_"), result))
            .collect();
        self.body.lambda_params.extend(&locals);
        let locals = locals
            .into_iter()
            .map(|l| self.push(Expr::Local(l), node))
            .collect();
        let body = self.intrinsic_call(op, locals, node);
        let params = Run {
            start,
            len: count as u32,
        };
        (self.push(Expr::Lambda { params, body }, node), ty)
    }

    /// Elements, of a known type or of the one type that fits them all.
    pub(super) fn list_expr(
        &mut self,
        node: NodeId,
        item: Option<Ty>,
        because: Because,
    ) -> (ExprId, Ty) {
        let children = self.tree.children(node).to_vec();
        if let Some(item) = item {
            let items: Vec<ExprId> = children
                .into_iter()
                .map(|c| self.check_because(c, item, because))
                .collect();
            let run = self.operands(items);
            return (self.push(Expr::List(run), node), self.list(item));
        }
        let inferred: Vec<(NodeId, ExprId, Ty)> = children
            .into_iter()
            .map(|c| {
                let (expr, ty) = self.infer(c);
                (c, expr, ty)
            })
            .collect();
        let (items, item) = self.joined(inferred);
        let run = self.operands(items);
        (self.push(Expr::List(run), node), self.list(item))
    }

    /// Expressions of which any may be the value: each made to fit the type
    /// that fits them all.
    pub(super) fn joined(&mut self, inferred: Vec<(NodeId, ExprId, Ty)>) -> (Vec<ExprId>, Ty) {
        let mut all = None;
        for (_, _, ty) in &inferred {
            all = match all {
                None => Some(*ty),
                // Where nothing fits both, the first one is held against the rest.
                Some(so_far) => self.join(so_far, *ty).or(Some(so_far)),
            };
        }
        let Some(all) = all else {
            return (Vec::new(), self.fresh());
        };
        let first = inferred.first().map(|(node, ..)| self.at(*node));
        let fitted = inferred
            .into_iter()
            .map(|(node, expr, ty)| {
                let because = first
                    .filter(|at| at.span != self.tree.span(node))
                    .map(|at| (at, Reason::Like(all)));
                self.coerce(expr, ty, all, node, because)
            })
            .collect();
        (fitted, all)
    }

    fn as_expr(&mut self, node: NodeId) -> (ExprId, Ty) {
        let (Some(value_node), Some(ty_node)) =
            (self.tree.expr_child(node), self.tree.type_child(node))
        else {
            return self.invalid(node);
        };
        let target = self.type_of(ty_node);
        // An empty list has the type it is said to have.
        let (value, actual) = self.infer(value_node);
        if self.refuse_unsealing(actual, target, node) {
            return (self.push(Expr::Invalid, node), target);
        }
        let expr = self.cast(value, actual, target, node);
        match expr {
            Some(expr) => (expr, target),
            None => {
                if !self.is_error(actual) && !self.is_error(target) {
                    let (from, to) = self.show_both(actual, target);
                    let heads = (self.head(actual), self.head(target));
                    let mut error = Diagnostic::error(
                        Code::BadCast,
                        self.at(node),
                        format!("`as` does not lead from {from} to {to}"),
                    )
                    .note("it converts between numbers and text, widens to a base, or enters a refinement");
                    if let (Some((from, _)), Some((to, _))) = heads {
                        if from == self.kernel.string && to == self.kernel.int {
                            error = error.cure("write `parse_int(…)`, which gives an `Int?`");
                        } else if from == self.kernel.optional {
                            error = error.cure(
                                "the value may be absent: `match` it, or give a value with `?? …`",
                            );
                        }
                    }
                    self.report(error);
                }
                (self.push(Expr::Invalid, node), target)
            }
        }
    }

    /// Refuses a conversion out of or into a `nominal_opaque` type of another
    /// module.
    fn refuse_unsealing(&mut self, actual: Ty, target: Ty, node: NodeId) -> bool {
        let sealed = self.sealed(actual).or_else(|| self.sealed(target));
        let Some(sealed) = sealed.filter(|_| !self.widens(actual, target)) else {
            return false;
        };
        let name = self.type_name(sealed);
        let mut error = Diagnostic::error(
            Code::SealedType,
            self.at(node),
            format!("only the module of `{name}` sees what it is made of"),
        )
        .cure("call a function of that module");
        if let Some(at) = self.type_location(sealed) {
            error = error.other(at, "declared here, as `nominal_opaque`");
        }
        self.report(error);
        true
    }

    fn cast(&mut self, value: ExprId, actual: Ty, target: Ty, node: NodeId) -> Option<ExprId> {
        if self.widens(actual, target) {
            return Some(value);
        }
        let (to, _) = self.head(target)?;
        if let Some(made_of) = self.representation(actual) {
            return self.cast(value, made_of, target, node);
        }
        let base = match self.base(target) {
            Some(base) => Some(base),
            None => self.representation(target),
        };
        if let Some(base) = base {
            let inner = self.cast(value, actual, base, node)?;
            return Some(self.refine(inner, to, node));
        }
        let plain = self.unrefined(actual);
        if plain != self.resolve(actual) && self.widens(plain, target) {
            return Some(value);
        }
        let (from, _) = self.head(plain)?;
        let kernel = self.kernel;
        let conversion =
            if to == kernel.string && [kernel.int, kernel.float, kernel.bool].contains(&from) {
                Conversion::ToText
            } else if from == kernel.int && to == kernel.float {
                Conversion::IntToFloat
            } else if from == kernel.float && to == kernel.int {
                Conversion::FloatToInt
            } else {
                return None;
            };
        Some(self.push(
            Expr::Convert {
                value,
                to: conversion,
            },
            node,
        ))
    }

    pub(super) fn lambda(
        &mut self,
        node: NodeId,
        hint: Option<(Box<[Ty]>, Ty)>,
        because: Because,
    ) -> (ExprId, Ty) {
        let names: Vec<NodeId> = self.tree.children_of(node, Node::Name).collect();
        let Some(body) = self.tree.expr_child(node) else {
            return self.invalid(node);
        };
        let outer = self.locals.len();
        let wanted = hint.as_ref().map(|(params, _)| params.len());
        let miscounted = wanted.filter(|wanted| *wanted != names.len());
        let hint = hint.filter(|_| miscounted.is_none());
        let mut types = Vec::new();
        let start = self.body.lambda_params.len() as u32;
        let mut bound = Vec::new();
        for (index, name_node) in names.iter().enumerate() {
            let ty = match &hint {
                Some((params, _)) => params[index],
                // What its parameters are is not known: nothing is said of their uses.
                None if miscounted.is_some() => self.error_ty(),
                None => self.fresh(),
            };
            types.push(ty);
            let name = self.tree.symbol(*name_node);
            let given = &self.locals[outer..];
            if name.as_str() != "_" && given.iter().any(|(n, ..)| *n == name) {
                self.error(
                    Code::DuplicateName,
                    *name_node,
                    format!("the parameter `{name}` is declared twice"),
                );
            }
            let local = self.bind(name, ty);
            self.bound(local, *name_node, ty);
            bound.push(local);
        }
        self.body.lambda_params.extend(&bound);
        let params = Run {
            start,
            len: bound.len() as u32,
        };
        let result = match &hint {
            Some((_, result)) => *result,
            None => self.fresh(),
        };
        self.returns.push(result);
        self.effects.lambdas += 1;
        let (body, result) = if matches!(self.kind(result), TyKind::Variable(_)) {
            let (expr, ty) = self.infer(body);
            (self.coerce(expr, ty, result, node, because), result)
        } else {
            (self.check_because(body, result, because), result)
        };
        self.effects.lambdas -= 1;
        self.returns.pop();
        self.leave(outer);
        if let Some(wanted) = miscounted {
            let message = format!(
                "expected a function of {}, and this lambda has {}",
                parameters(wanted),
                names.len()
            );
            let error = Diagnostic::error(Code::TypeMismatch, self.at(node), message);
            let error = self.with_reason(error, because);
            self.report(error);
            return self.invalid(node);
        }
        let ty = self.function(types, result);
        (self.push(Expr::Lambda { params, body }, node), ty)
    }

    /// `for x in xs { … }`: the list of what the block gives for each item.
    fn for_expr(&mut self, node: NodeId, expected: Option<(Ty, Because)>) -> (ExprId, Ty) {
        let children = self.tree.children(node).to_vec();
        let [name, over, body] = children.as_slice() else {
            return self.invalid(node);
        };
        let (mut items, ty) = self.infer(*over);
        let plain = self.unrefined(ty);
        let item = match self.head(plain) {
            Some((head, args)) if head == self.kernel.list => args[0],
            Some((head, args)) if head == self.kernel.set => {
                items = self.intrinsic_call(Intrinsic::SetItems, vec![items], *over);
                args[0]
            }
            _ => {
                self.not_walked(plain, *over);
                self.error_ty()
            }
        };
        let outer = self.locals.len();
        let local = self.bind(self.tree.symbol(*name), item);
        self.bound(local, *name, item);
        let (body, result) = self.block(*body, expected);
        self.leave(outer);
        let result = expected.map_or(result, |(ty, _)| ty);
        let expr = Expr::For { local, items, body };
        (self.push(expr, node), self.list(result))
    }

    /// Reports what `for` does not walk.
    fn not_walked(&mut self, ty: Ty, node: NodeId) {
        if self.is_error(ty) {
            return;
        }
        let shown = self.show(ty);
        let mut error = if self.head(ty).is_none() {
            Diagnostic::error(
                Code::CannotInfer,
                self.at(node),
                "the type of what `for` walks is not known here",
            )
            .cure("give it a type with `let x: List<T> = …`")
        } else {
            let message = format!("`for` walks a list or a set, not {shown}");
            Diagnostic::error(Code::BadOperand, self.at(node), message)
        };
        if self.head(ty).is_some_and(|(ty, _)| ty == self.kernel.map) {
            error = error.cure("write `map_entries(…)`: `first` is the key, `second` the value");
        } else if self.may_be_absent(ty) {
            error = error.cure("the value may be absent: `match` it, or walk nothing with `?? []`");
        }
        self.report(error);
    }

    fn may_be_absent(&self, ty: Ty) -> bool {
        self.head(ty)
            .is_some_and(|(ty, _)| ty == self.kernel.optional)
    }

    pub(super) fn if_expr(
        &mut self,
        node: NodeId,
        expected: Option<(Ty, Because)>,
    ) -> (ExprId, Ty) {
        let children = self.tree.children(node).to_vec();
        let (condition, then, otherwise) = match children.as_slice() {
            [condition, then] => (*condition, *then, None),
            [condition, then, otherwise] => (*condition, *then, Some(*otherwise)),
            _ => return self.invalid(node),
        };
        let bool = self.bool();
        let condition = self.check(condition, bool);
        let Some(otherwise) = otherwise else {
            let unit = self.unit();
            let (value, _) = self.block(then, None);
            let nothing = self.push(Expr::Unit, node);
            let then = self.push(
                Expr::Then {
                    first: value,
                    second: nothing,
                },
                node,
            );
            let otherwise = self.push(Expr::Unit, node);
            let expr = self.push(
                Expr::If {
                    condition,
                    then,
                    otherwise,
                },
                node,
            );
            if let Some((expected, _)) = expected
                && !self.unify(unit, expected)
            {
                let error = Diagnostic::error(
                    Code::NoReturnValue,
                    self.at(node),
                    "an `if` that gives a value has an `else`",
                )
                .cure("add `else { … }`, or `return` the value from the block");
                self.report(error);
                return (self.push(Expr::Invalid, node), expected);
            }
            return (expr, unit);
        };
        if let Some((ty, because)) = expected {
            let then = self.check_because(then, ty, because);
            let otherwise = self.check_because(otherwise, ty, because);
            return (
                self.push(
                    Expr::If {
                        condition,
                        then,
                        otherwise,
                    },
                    node,
                ),
                ty,
            );
        }
        let branches = [then, otherwise]
            .into_iter()
            .map(|n| {
                let (expr, ty) = self.infer(n);
                (self.value_node(n), expr, ty)
            })
            .collect();
        let (fitted, ty) = self.joined(branches);
        let (then, otherwise) = (fitted[0], fitted[1]);
        (
            self.push(
                Expr::If {
                    condition,
                    then,
                    otherwise,
                },
                node,
            ),
            ty,
        )
    }

    /// The node whose value a block gives: what a message should point at.
    fn value_node(&self, node: NodeId) -> NodeId {
        match self.tree.kind(node) {
            Node::BlockExpr => self.tree.children(node).last().copied().unwrap_or(node),
            _ => node,
        }
    }

    pub(super) fn block(&mut self, node: NodeId, expected: Option<(Ty, Because)>) -> (ExprId, Ty) {
        enum Step {
            Let(crate::core::Local, ExprId, NodeId),
            Drop(ExprId, NodeId),
        }
        let outer = self.locals.len();
        let statements = self.tree.children(node).to_vec();
        let mut steps = Vec::new();
        let mut value = None;
        for (index, statement) in statements.iter().copied().enumerate() {
            let last = index + 1 == statements.len();
            match self.tree.kind(statement) {
                Node::Let => {
                    let (local, bound, ty) = self.let_statement(statement);
                    steps.push(Step::Let(local, bound, statement));
                    if last {
                        let local = self.push(Expr::Local(local), statement);
                        value = Some((local, ty, statement));
                    }
                }
                Node::Step => {
                    let (local, bound, ty) = self.step(statement);
                    steps.push(Step::Let(local, bound, statement));
                    if last {
                        let local = self.push(Expr::Local(local), statement);
                        value = Some((local, ty, statement));
                    }
                }
                Node::Return => {
                    let result = self.returns.last().copied();
                    let result = result.unwrap_or_else(|| self.fresh());
                    let given = match self.tree.expr_child(statement) {
                        Some(given) => self.check(given, result),
                        None => self.invalid(statement).0,
                    };
                    let expr = self.push(Expr::Return(given), statement);
                    if last {
                        // It gives no value here, so it fits every type.
                        let never = self.fresh();
                        value = Some((expr, never, statement));
                    } else {
                        steps.push(Step::Drop(expr, statement));
                    }
                }
                _ if last => {
                    let (expr, ty) = match &expected {
                        Some((ty, because)) => (self.check_because(statement, *ty, *because), *ty),
                        None => self.infer(statement),
                    };
                    value = Some((expr, ty, statement));
                }
                _ => {
                    let (expr, _) = self.infer(statement);
                    steps.push(Step::Drop(expr, statement));
                }
            }
        }
        let (mut expr, ty, value_node) = match value {
            Some(value) => value,
            None => (self.push(Expr::Unit, node), self.unit(), node),
        };
        if let Some((wanted, because)) = expected {
            expr = self.coerce(expr, ty, wanted, value_node, because);
        }
        for step in steps.into_iter().rev() {
            expr = match step {
                Step::Let(local, value, at) => self.push(
                    Expr::Let {
                        local,
                        value,
                        body: expr,
                    },
                    at,
                ),
                Step::Drop(first, at) => self.push(
                    Expr::Then {
                        first,
                        second: expr,
                    },
                    at,
                ),
            };
        }
        self.leave(outer);
        (expr, self.resolve(ty))
    }

    fn let_statement(&mut self, node: NodeId) -> (crate::core::Local, ExprId, Ty) {
        let name_node = self.tree.child(node, Node::Name);
        let name = name_node.map(|n| self.tree.symbol(n));
        let name = name.unwrap_or_else(|| Symbol::new("_"));
        let Some(value) = self.tree.expr_child(node) else {
            let (expr, ty) = self.invalid(node);
            return (self.bind(name, ty), expr, ty);
        };
        let (value, ty) = match self.tree.type_child(node) {
            Some(written) => {
                let ty = self.type_of(written);
                let because = Some((self.at(written), Reason::Declared));
                (self.check_because(value, ty, because), ty)
            }
            None => self.infer(value),
        };
        let local = self.bind(name, ty);
        if let Some(name_node) = name_node {
            self.bound(local, name_node, ty);
        }
        (local, value, ty)
    }

    fn field_expr(&mut self, node: NodeId) -> (ExprId, Ty) {
        if let Some((value, name)) = self.dotted_value(node) {
            return self.value_expr(value, name, node);
        }
        let (Some(base), Some(name)) = (
            self.tree.expr_child(node),
            self.tree.child(node, Node::Name),
        ) else {
            return self.invalid(node);
        };
        if self.unknown_dotted(node) || self.refuse_dotted_pipe(base, name) {
            return self.invalid(node);
        }
        let (base_expr, base_ty) = self.infer(base);
        match self.field_of(base_ty, self.tree.symbol(name)) {
            Some((index, ty)) => {
                self.refer_field(name, base_ty, index);
                let base = base_expr;
                (self.push(Expr::Field { base, index }, node), ty)
            }
            None => {
                self.no_field(base_ty, name);
                self.invalid(node)
            }
        }
    }

    /// Reports `x |> a.f` where `a` is no function: the field is one of what the pipe
    /// gives, and `a.f` was meant.
    fn refuse_dotted_pipe(&mut self, base: NodeId, name: NodeId) -> bool {
        if self.tree.kind(base) != Node::PipeExpr {
            return false;
        }
        let Some(target) = self.tree.children(base).get(1).copied() else {
            return false;
        };
        if self.tree.kind(target) != Node::NameExpr {
            return false;
        }
        let first = self.tree.symbol(target);
        let called = match self.local(first) {
            Some((_, ty)) => !matches!(self.kind(ty), TyKind::Named(..)),
            None => self.scope.value(first).is_some(),
        };
        if called {
            return false;
        }
        let dotted = format!("{first}.{}", self.tree.text(name));
        let error = Diagnostic::error(
            Code::NotCallable,
            self.at(target),
            format!("`{first}` is no function to lead a pipe to"),
        )
        .note(format!(
            "without parentheses, `{dotted}` behind a pipe is a field of what `{first}` gives"
        ))
        .cure(format!("write `{dotted}()` for the function of that name"));
        self.report(error);
        true
    }

    /// Reports a dotted name of which no part is known, as a whole.
    pub(super) fn unknown_dotted(&mut self, node: NodeId) -> bool {
        let Some(root) = self.dotted_root(node) else {
            return false;
        };
        if self.effects.used.contains_key(&root) && self.local(root).is_none() {
            if !self.effects.broken_uses.contains(&root) {
                self.unknown_name(self.tree.symbol(node), node);
            }
            return true;
        }
        if self.local(root).is_some() || self.scope.value(root).is_some() {
            return false;
        }
        // A qualified name may be the start of it: `module.record.field`.
        let mut start = self.tree.expr_child(node);
        while let Some(inner) = start {
            if self.dotted_value(inner).is_some() {
                return false;
            }
            start = self.tree.expr_child(inner);
        }
        match self.scope.ty(root) {
            Some(Some(ty)) => self.unknown_variant_of(ty, node),
            Some(None) => {}
            None => self.unknown_name(self.tree.symbol(node), node),
        }
        true
    }

    /// `Type.name` where the type has no such variant.
    fn unknown_variant_of(&mut self, ty: crate::core::TypeRef, node: NodeId) {
        let name_node = self.tree.child(node, Node::Name).unwrap_or(node);
        let name = self.tree.symbol(name_node);
        let shown = self.type_name(ty);
        let mut error = Diagnostic::error(
            Code::UnknownName,
            self.at(name_node),
            format!("`{shown}` has no variant `{name}`"),
        );
        let variants: Vec<&str> = self
            .type_def(ty)
            .filter(|_| self.suggests())
            .map(|d| d.variants().iter().map(|v| v.name.as_str()).collect())
            .unwrap_or_default();
        if let Some(near) = self.nearest(name.as_str(), variants.into_iter()) {
            error = error.did_you_mean(near);
        }
        if let Some(at) = self.type_location(ty) {
            error = error.other(at, "declared here");
        }
        self.report(error);
    }

    /// The index and type of a record's field.
    pub(super) fn field_of(&mut self, ty: Ty, name: Symbol) -> Option<(u32, Ty)> {
        let ty = self.unrefined(ty);
        let (named, args) = self.head(ty)?;
        let ctor = self.record_behind(named)?;
        let def = self.type_def(named)?;
        let variant = def.variants().get(ctor.variant as usize)?;
        let index = variant.fields.iter().position(|f| f.name == name)?;
        let field = variant.fields[index].ty;
        Some((index as u32, self.bring(named.module, field, &args)))
    }

    fn no_field(&mut self, ty: Ty, name: NodeId) {
        if self.is_error(ty) {
            return;
        }
        let wanted = self.tree.symbol(name);
        if matches!(self.kind(ty), TyKind::Variable(_)) {
            let error = Diagnostic::error(
                Code::CannotInfer,
                self.at(name),
                format!("the type that should have the field `{wanted}` is not known here"),
            )
            .cure("give the value a type with `let x: T = …`, or put the list before the lambda");
            self.report(error);
            return;
        }
        let shown = self.show(ty);
        let mut error = Diagnostic::error(
            Code::UnknownField,
            self.at(name),
            format!("{shown} has no field `{wanted}`"),
        );
        if let Some((named, _)) = self.head(ty) {
            let names: Vec<&str> = self
                .type_def(named)
                .filter(|d| matches!(d.shape, crate::core::Shape::Record(_)) && self.suggests())
                .map(|d| {
                    d.variants()
                        .iter()
                        .flat_map(|v| &v.fields)
                        .map(|f| f.name.as_str())
                        .collect()
                })
                .unwrap_or_default();
            if let Some(near) = self.nearest(wanted.as_str(), names.iter().copied()) {
                error = error.did_you_mean(near);
            } else if named == self.kernel.optional {
                error =
                    error.cure("the value may be absent: `match` it, or give a value with `?? …`");
            }
            if !names.is_empty()
                && let Some(at) = self.type_location(named)
            {
                error = error.other(at, "declared here");
            }
        }
        self.report(error);
    }

    /// The first name of a chain of names joined by dots.
    fn dotted_root(&self, mut node: NodeId) -> Option<Symbol> {
        loop {
            match self.tree.kind(node) {
                Node::NameExpr => return Some(self.tree.symbol(node)),
                Node::FieldExpr => node = self.tree.expr_child(node)?,
                _ => return None,
            }
        }
    }

    /// The value of a qualified name: `a.b.name`, or `Type.Variant`.
    pub(super) fn dotted_value(&mut self, node: NodeId) -> Option<(Value, Symbol)> {
        if self.tree.kind(node) != Node::FieldExpr {
            return None;
        }
        let root = self.dotted_root(node)?;
        let whole = self.tree.symbol(node);
        if let Some(member) = self.effects.members.get(&whole)
            && self.local(root).is_none()
        {
            return Some((member.clone(), whole));
        }
        // A value of that name hides a module.
        if self.local(root).is_some() || self.scope.hides_module(root) {
            return None;
        }
        let name = whole;
        let path = name.as_str();
        if let Some(found) = self.member_value(path) {
            return Some((found, name));
        }
        if let Some(found) = self.qualified(path).and_then(|found| found.value) {
            return Some((found, name));
        }
        let (ty, variant) = path.rsplit_once('.')?;
        let ty = self.type_at(ty)??;
        let (variant, _) = self.type_def(ty)?.variant_named(Symbol::new(variant))?;
        let ctor = crate::core::Ctor { ty, variant };
        Some((Value::Ctor(ctor), name))
    }

    pub(super) fn location_of(&self, decl: DeclRef, span: dag_syntax::Span) -> Location {
        Location {
            source: self.source_of(decl.module),
            span,
        }
    }
}

fn parameters(n: usize) -> String {
    match n {
        1 => "one parameter".into(),
        n => format!("{n} parameters"),
    }
}
