//! Calls: of functions, of function values, as methods and through pipes.

use super::Checker;
use super::coerce::{Because, Reason};
use crate::core::{Decl, DeclKind, DeclRef, Expr, ExprId, Intrinsic, TypeRef};
use crate::known::Value;
use crate::record::Target;
use crate::types::{Ty, TyKind};
use dag_syntax::{Code, Diagnostic, Location, Node, NodeId, Span, Symbol};

/// The head of a declaration, as far as a call needs it.
pub(super) struct Signature {
    pub(super) name: Symbol,
    pub(super) span: Span,
    pub(super) kind: DeclKind,
    pub(super) type_params: usize,
    pub(super) params: Vec<SignatureParam>,
    pub(super) result: Ty,
    pub(super) intrinsic: Option<Intrinsic>,
}

pub(super) struct SignatureParam {
    pub(super) name: Symbol,
    pub(super) span: Span,
    pub(super) ty: Ty,
    pub(super) default: Option<DeclRef>,
}

impl Signature {
    /// How many arguments it takes, in words.
    fn counted(&self) -> String {
        let most = self.params.len();
        match self.params.iter().filter(|p| p.default.is_none()).count() {
            least if least == most => counted(most),
            least => format!("{least} to {most} arguments"),
        }
    }
}

/// An argument: a node still to be checked, or a value already worked out.
#[derive(Clone, Copy)]
struct Argument {
    label: Option<NodeId>,
    value: NodeId,
    done: Option<(ExprId, Ty)>,
}

impl Checker<'_> {
    /// A declaration, of this module or of one before it.
    pub(super) fn decl(&self, decl: DeclRef) -> &Decl {
        if decl.module == self.id {
            &self.decls[decl.index as usize]
        } else {
            self.program.decl(decl)
        }
    }

    /// The declared type that a function's first parameter is of.
    fn first_param_head(&self, decl: DeclRef) -> Option<TypeRef> {
        let ty = self.decl(decl).params.first()?.ty;
        let table = if decl.module == self.id {
            &self.table
        } else {
            &self.program.get(decl.module)?.table
        };
        match table.kind(ty) {
            TyKind::Named(named, _) => Some(*named),
            _ => None,
        }
    }

    pub(super) fn signature(&self, decl: DeclRef) -> Signature {
        let found = self.decl(decl);
        Signature {
            name: found.name,
            span: found.span,
            kind: found.kind,
            type_params: found.type_params.len(),
            params: found
                .params
                .iter()
                .map(|p| SignatureParam {
                    name: p.name,
                    span: p.span,
                    ty: p.ty,
                    default: p.default,
                })
                .collect(),
            result: found.result,
            intrinsic: found.intrinsic,
        }
    }

    pub(super) fn call_expr(&mut self, node: NodeId) -> (ExprId, Ty) {
        let Some(callee) = self.tree.expr_child(node) else {
            return self.invalid(node);
        };
        let args = self.arguments(node);
        match self.tree.kind(callee) {
            Node::NameExpr => self.call_name(callee, None, args, node),
            Node::FieldExpr => {
                if let Some((value, name)) = self.dotted_value(callee) {
                    return self.call_value(value, name, callee, None, args, node);
                }
                self.method_call(callee, args, node)
            }
            _ => {
                let (function, ty) = self.infer(callee);
                self.apply(function, ty, callee, &args, node)
            }
        }
    }

    fn arguments(&self, call: NodeId) -> Vec<Argument> {
        self.tree
            .children_of(call, Node::Arg)
            .filter_map(|arg| {
                let label = self.tree.child(arg, Node::Name);
                Some(Argument {
                    label,
                    value: self.tree.expr_child(arg)?,
                    done: None,
                })
            })
            .collect()
    }

    /// `x |> f(a)`: f with x before its other arguments.
    pub(super) fn pipe_expr(&mut self, node: NodeId) -> (ExprId, Ty) {
        let children = self.tree.children(node).to_vec();
        let [left, target] = children.as_slice() else {
            return self.invalid(node);
        };
        let (value, ty) = self.infer(*left);
        let receiver = Argument {
            label: None,
            value: *left,
            done: Some((value, ty)),
        };
        let (callee, args) = match self.tree.kind(*target) {
            Node::CallExpr => match self.tree.expr_child(*target) {
                Some(callee) => (callee, self.arguments(*target)),
                None => return self.invalid(node),
            },
            _ => (*target, Vec::new()),
        };
        match self.tree.kind(callee) {
            Node::NameExpr => self.call_name(callee, Some(receiver), args, node),
            _ => match self.dotted_value(callee) {
                Some((found, name)) => {
                    self.call_value(found, name, callee, Some(receiver), args, node)
                }
                None => {
                    let (function, ty) = self.infer(callee);
                    let args: Vec<Argument> = std::iter::once(receiver).chain(args).collect();
                    self.apply(function, ty, callee, &args, node)
                }
            },
        }
    }

    fn call_name(
        &mut self,
        callee: NodeId,
        receiver: Option<Argument>,
        args: Vec<Argument>,
        node: NodeId,
    ) -> (ExprId, Ty) {
        let name = self.tree.symbol(callee);
        if let Some((local, ty)) = self.local(name) {
            self.refer_local(callee, local);
            let function = self.push(Expr::Local(local), callee);
            let args: Vec<Argument> = receiver.into_iter().chain(args).collect();
            return self.apply(function, ty, callee, &args, node);
        }
        match self.scope.value(name) {
            Some(value) => self.call_value(value, name, callee, receiver, args, node),
            None => {
                self.unknown_name(name, callee);
                self.infer_loose(&args);
                self.invalid(node)
            }
        }
    }

    /// Checks arguments of a call that is wrong anyway, for their own mistakes.
    fn infer_loose(&mut self, args: &[Argument]) {
        for arg in args {
            if arg.done.is_none() && self.tree.kind(arg.value) != Node::LambdaExpr {
                self.infer(arg.value);
            }
        }
    }

    fn call_value(
        &mut self,
        value: Value,
        name: Symbol,
        callee: NodeId,
        receiver: Option<Argument>,
        args: Vec<Argument>,
        node: NodeId,
    ) -> (ExprId, Ty) {
        let args: Vec<Argument> = receiver.into_iter().chain(args).collect();
        match value {
            Value::Broken => {
                self.infer_loose(&args);
                self.invalid(node)
            }
            Value::Ambiguous(modules) => {
                self.ambiguous(name, &modules, callee);
                self.invalid(node)
            }
            Value::Ctor(ctor) => {
                self.refer_ctor(callee, ctor);
                if let Some(label) = args.iter().find_map(|a| a.label) {
                    let shown = self.ctor_name(ctor);
                    let error = Diagnostic::error(
                        Code::WrongArguments,
                        self.at(label),
                        format!("`{shown}` is not called with labels"),
                    )
                    .cure(format!(
                        "write `{shown} {{ field: … }}`, or `{shown}(…)` for a variant of one value"
                    ));
                    self.report(error);
                    self.infer_loose(&args);
                    return self.invalid(node);
                }
                let given: Vec<(NodeId, Option<(ExprId, Ty)>)> =
                    args.iter().map(|a| (a.value, a.done)).collect();
                self.positional(ctor, &given, node)
            }
            Value::Decls(decls) => self.call_decls(&decls, name, callee, args, node),
        }
    }

    fn method_call(&mut self, callee: NodeId, args: Vec<Argument>, node: NodeId) -> (ExprId, Ty) {
        let (Some(base), Some(name_node)) = (
            self.tree.expr_child(callee),
            self.tree.child(callee, Node::Name),
        ) else {
            return self.invalid(node);
        };
        let name = self.tree.symbol(name_node);
        if self.unknown_dotted(callee) {
            self.infer_loose(&args);
            return self.invalid(node);
        }
        let (base_expr, base_ty) = self.infer(base);
        if let Some((index, ty)) = self.field_of(base_ty, name) {
            self.refer_field(name_node, base_ty, index);
            let function = self.push(
                Expr::Field {
                    base: base_expr,
                    index,
                },
                callee,
            );
            return self.apply(function, ty, callee, &args, node);
        }
        if self.is_error(base_ty) {
            self.infer_loose(&args);
            return self.invalid(node);
        }
        let receiver = Argument {
            label: None,
            value: base,
            done: Some((base_expr, base_ty)),
        };
        match self.scope.value(name) {
            Some(value) => self.call_value(value, name, name_node, Some(receiver), args, node),
            None => {
                self.unknown_name(name, name_node);
                self.invalid(node)
            }
        }
    }

    /// A call of a function value: positional arguments only.
    fn apply(
        &mut self,
        function: ExprId,
        ty: Ty,
        callee: NodeId,
        args: &[Argument],
        node: NodeId,
    ) -> (ExprId, Ty) {
        if matches!(self.kind(ty), TyKind::Variable(_)) {
            let params: Box<[Ty]> = args.iter().map(|_| self.fresh()).collect();
            let result = self.fresh();
            let function = self.function(params, result);
            self.unify(ty, function);
        }
        let TyKind::Function(params, result) = self.kind(ty).clone() else {
            if !self.is_error(ty) {
                let shown = self.show(ty);
                self.error(
                    Code::NotCallable,
                    callee,
                    format!("a value of type {shown} is not called"),
                );
            }
            self.infer_loose(args);
            return self.invalid(node);
        };
        if let Some(label) = args.iter().find_map(|a| a.label) {
            self.error(
                Code::WrongArguments,
                label,
                "a function value takes no labels: its parameters have no names",
            );
            return self.invalid(node);
        }
        if args.len() != params.len() {
            let message = format!(
                "this function takes {}, and is given {}",
                counted(params.len()),
                counted(args.len())
            );
            self.error(Code::WrongArguments, node, message);
            return self.invalid(node);
        }
        let mistakes = self.mistakes();
        let args: Vec<ExprId> = args
            .iter()
            .zip(&params)
            .map(|(arg, ty)| self.argument(arg, *ty, None))
            .collect();
        if self.mistakes() > mistakes {
            return self.invalid(node);
        }
        let args = self.operands(args);
        (self.push(Expr::Apply { function, args }, node), result)
    }

    fn argument(&mut self, arg: &Argument, ty: Ty, because: Because) -> ExprId {
        match arg.done {
            Some((expr, actual)) => self.coerce(expr, actual, ty, arg.value, because),
            None => self.check_because(arg.value, ty, because),
        }
    }

    fn call_decls(
        &mut self,
        decls: &[DeclRef],
        name: Symbol,
        callee: NodeId,
        mut args: Vec<Argument>,
        node: NodeId,
    ) -> (ExprId, Ty) {
        let decl = match decls {
            [only] => *only,
            several => match self.overload(several, name, &mut args, node) {
                Some(decl) => decl,
                None => {
                    self.refer_value(callee, &Value::Decls(several.to_vec()));
                    return self.invalid(node);
                }
            },
        };
        self.refer_value(callee, &Value::Decls(vec![decl]));
        let signature = self.signature(decl);
        let type_args: Vec<Ty> = (0..signature.type_params).map(|_| self.fresh()).collect();
        let result = self.bring(decl.module, signature.result, &type_args);
        self.refuse_unadmitted(decl, callee);
        if signature.kind.is_value() {
            self.instantiate(decl, &type_args, callee);
            let function = self.push(Expr::Data(decl), callee);
            return self.apply(function, result, callee, &args, node);
        }
        if !self.may_call(signature.kind, signature.name, callee) {
            self.infer_loose(&args);
            return self.invalid(node);
        }
        let Some(placed) = self.place(&signature, decl, &args, &type_args, node) else {
            self.infer_loose(&args);
            return self.invalid(node);
        };
        if let Some(expected) = self.wanted.remove(&node) {
            self.prefer(result, expected);
        }
        let mistakes = self.mistakes();
        let mut checked: Vec<Option<ExprId>> = vec![None; placed.len()];
        // Lambdas last: the other arguments tell the types of their parameters.
        for lambdas in [false, true] {
            for (index, arg) in placed.iter().enumerate() {
                let is_lambda = arg.done.is_none() && self.tree.kind(arg.value) == Node::LambdaExpr;
                if is_lambda != lambdas {
                    continue;
                }
                let param = &signature.params[index];
                let ty = self.bring(decl.module, param.ty, &type_args);
                let at = self.location_of(decl, param.span);
                let because = (at, Reason::Parameter(param.name));
                checked[index] = Some(self.argument(arg, ty, Some(because)));
            }
        }
        if self.mistakes() > mistakes && signature.type_params > 0 {
            // What the result is depends on what is wrong.
            return self.invalid(node);
        }
        self.instantiate(decl, &type_args, node);
        self.ask_variants(signature.intrinsic, &type_args, node);
        let checked: Vec<ExprId> = checked.into_iter().flatten().collect();
        let expr = match signature.intrinsic {
            Some(op) => self.intrinsic_call(op, checked, node),
            None => {
                let args = self.operands(checked);
                self.push(Expr::Call { callee: decl, args }, node)
            }
        };
        (expr, result)
    }

    /// A call of an engine's function; a walk over a map or set becomes one over
    /// the list of what it holds.
    pub(super) fn intrinsic_call(
        &mut self,
        op: Intrinsic,
        mut args: Vec<ExprId>,
        node: NodeId,
    ) -> ExprId {
        let Some(walk) = op.as_walk() else {
            let args = self.operands(args);
            return self.push(Expr::Intrinsic { op, args }, node);
        };
        if let Some(over) = args.first_mut() {
            *over = self.intrinsic_call(walk.items, vec![*over], node);
        }
        let walked = self.intrinsic_call(walk.walk, args, node);
        match walk.back {
            Some(back) => self.intrinsic_call(back, vec![walked], node),
            None => walked,
        }
    }

    /// The row of a prelude function that the first argument's type chooses.
    fn overload(
        &mut self,
        decls: &[DeclRef],
        name: Symbol,
        args: &mut [Argument],
        node: NodeId,
    ) -> Option<DeclRef> {
        let label = |c: &Self, a: &Argument| a.label.map(|l| c.tree.symbol(l));
        let is_first = |label: Symbol| {
            let mut firsts = decls.iter().filter_map(|d| self.decl(*d).params.first());
            firsts.any(|first| first.name == label)
        };
        let chosen = args
            .iter()
            .position(|a| label(self, a).is_none_or(is_first))
            .or(if args.is_empty() { None } else { Some(0) });
        let Some(chosen) = chosen else {
            self.error(
                Code::WrongArguments,
                node,
                format!("`{name}` takes arguments, and is given none"),
            );
            return None;
        };
        let (expr, ty) = match args[chosen].done {
            Some(done) => done,
            None => self.infer(args[chosen].value),
        };
        args[chosen].done = Some((expr, ty));
        if self.is_error(ty) {
            return None;
        }
        let plain = self.unrefined(ty);
        if let Some(decl) = self.row(decls, plain) {
            return Some(decl);
        }
        // What is not known because of a mistake fits every row.
        if self.mentions_error(plain) {
            return None;
        }
        let head = self.head(plain);
        // Nothing is known of it yet: a walk is one over a list.
        let walks = |op| {
            use Intrinsic as I;
            matches!(
                op,
                I::ListFold | I::ListMap | I::ListFilter | I::ListAny | I::ListAll | I::ListGet
            )
        };
        if matches!(self.kind(ty), TyKind::Variable(_)) {
            let over_list = |d: &&DeclRef| self.decl(**d).intrinsic.is_some_and(walks);
            if let Some(decl) = decls.iter().find(over_list) {
                return Some(*decl);
            }
        }
        let error = if head.is_none() {
            Diagnostic::error(
                Code::CannotInfer,
                self.at(args[chosen].value),
                format!("the type of this is not known, so neither is which `{name}` is meant"),
            )
            .cure("give it a type with `let x: T = …`")
        } else {
            let shown = self.show(ty);
            let names: Vec<String> = decls.iter().map(|d| self.first_param(*d)).collect();
            Diagnostic::error(
                Code::BadOperand,
                self.at(args[chosen].value),
                format!(
                    "`{name}` is defined for {}, not for {shown}",
                    super::show::listed(&names)
                ),
            )
        };
        self.report(error);
        None
    }

    /// The row whose first parameter is of a type, which stands without its refinements.
    pub(super) fn row(&mut self, decls: &[DeclRef], plain: Ty) -> Option<DeclRef> {
        let head = self.head(plain).map(|(ty, _)| ty)?;
        let of_head = |d: &DeclRef| self.first_param_head(*d) == Some(head);
        let rows: Vec<DeclRef> = decls.iter().copied().filter(of_head).collect();
        match rows.as_slice() {
            [only] => Some(*only),
            several => self.by_element(several, plain),
        }
    }

    /// Of several rows over one type, the one for the elements of this value; the
    /// first one if nothing is known of its elements yet.
    fn by_element(&mut self, decls: &[DeclRef], ty: Ty) -> Option<DeclRef> {
        let element = self.head(ty)?.1.first().copied()?;
        let element = self.unrefined(element);
        if matches!(self.kind(element), TyKind::Variable(_)) {
            return decls.first().copied();
        }
        let head = self.head(element).map(|(ty, _)| ty)?;
        decls.iter().copied().find(|decl| {
            let Some(param) = self.decl(*decl).params.first() else {
                return false;
            };
            let table = if decl.module == self.id {
                &self.table
            } else {
                match self.program.get(decl.module) {
                    Some(module) => &module.table,
                    None => return false,
                }
            };
            let TyKind::Named(_, args) = table.kind(param.ty) else {
                return false;
            };
            let element = args.first().map(|arg| table.kind(*arg));
            matches!(element, Some(TyKind::Named(named, _)) if *named == head)
        })
    }

    /// The type of a function's first parameter, in words.
    fn first_param(&mut self, decl: DeclRef) -> String {
        let signature = self.signature(decl);
        let args: Vec<Ty> = (0..signature.type_params).map(|_| self.fresh()).collect();
        match signature.params.first() {
            Some(param) => {
                let ty = self.bring(decl.module, param.ty, &args);
                self.show(ty)
            }
            None => "nothing".into(),
        }
    }

    /// Puts the arguments in the order of the parameters.
    fn place(
        &mut self,
        signature: &Signature,
        decl: DeclRef,
        args: &[Argument],
        type_args: &[Ty],
        node: NodeId,
    ) -> Option<Vec<Argument>> {
        let params = &signature.params;
        let mut placed: Vec<Option<Argument>> = vec![None; params.len()];
        let at: Location = self.location_of(decl, signature.span);
        let name = signature.name;
        let mut sound = true;
        // Labels first, so that positions fill what is left, in order.
        for arg in args.iter().filter(|a| a.label.is_some()) {
            let Some(label_node) = arg.label else {
                continue;
            };
            let label = self.tree.symbol(label_node);
            match params.iter().position(|p| p.name == label) {
                Some(index) if placed[index].is_none() => {
                    placed[index] = Some(*arg);
                    self.refer(label_node, Target::Param(decl, index as u32));
                }
                Some(_) => {
                    sound = false;
                    self.error(
                        Code::WrongArguments,
                        label_node,
                        format!("`{label}` is given twice"),
                    );
                }
                None => {
                    sound = false;
                    let mut error = Diagnostic::error(
                        Code::WrongArguments,
                        self.at(label_node),
                        format!("`{name}` has no parameter `{label}`"),
                    )
                    .other(at, "declared here");
                    let names = params.iter().map(|p| p.name.as_str());
                    if let Some(near) = self.nearest(label.as_str(), names) {
                        error = error.did_you_mean(near);
                    }
                    self.report(error);
                }
            }
        }
        for arg in args.iter().filter(|a| a.label.is_none()) {
            match placed.iter_mut().find(|p| p.is_none()) {
                Some(slot) => *slot = Some(*arg),
                None => {
                    sound = false;
                    let error = Diagnostic::error(
                        Code::WrongArguments,
                        self.at(arg.value),
                        format!(
                            "`{name}` takes {}, and this is one more",
                            signature.counted()
                        ),
                    )
                    .other(at, "declared here");
                    self.report(error);
                    break;
                }
            }
        }
        if !sound {
            return None;
        }
        for (slot, param) in placed.iter_mut().zip(params) {
            if let (None, Some(default)) = (&slot, param.default) {
                let value = self.push(Expr::Data(default), node);
                self.instantiate(default, type_args, node);
                let ty = self.bring(decl.module, param.ty, type_args);
                *slot = Some(Argument {
                    label: None,
                    value: node,
                    done: Some((value, ty)),
                });
            }
        }
        let missing: Vec<String> = placed
            .iter()
            .zip(params)
            .filter(|(slot, _)| slot.is_none())
            .map(|(_, p)| format!("`{}`", p.name))
            .collect();
        if !missing.is_empty() {
            let error = Diagnostic::error(
                Code::WrongArguments,
                self.at(node),
                format!("`{name}` is not given {}", super::show::listed(&missing)),
            )
            .other(at, "declared here");
            self.report(error);
            return None;
        }
        Some(placed.into_iter().flatten().collect())
    }
}

fn counted(n: usize) -> String {
    match n {
        0 => "no argument".into(),
        1 => "one argument".into(),
        n => format!("{n} arguments"),
    }
}
