//! Building records and variants, and the rules of who may.

use super::Checker;
use super::scope::Value;
use crate::core::{Ctor, Expr, ExprId, Shape};
use crate::types::{Ty, TyKind};
use dag_syntax::{Code, Diagnostic, Location, Node, NodeId, Symbol};

impl Checker<'_> {
    /// `Name { field: value }`
    pub(super) fn record_expr(&mut self, node: NodeId, expected: Option<Ty>) -> (ExprId, Ty) {
        let Some(head) = self.tree.expr_child(node) else {
            return self.invalid(node);
        };
        let inits: Vec<NodeId> = self.tree.children(node).iter().skip(1).copied().collect();
        let Some(ctor) = self.constructor(head) else {
            for init in inits {
                if let Some(value) = self.tree.expr_child(init) {
                    self.infer(value);
                }
            }
            return self.invalid(node);
        };
        let (ty, args) = self.instance(ctor, expected);
        if let [only] = inits.as_slice()
            && self.tree.kind(*only) == Node::PositionalInit
            && let Some(value) = self.tree.expr_child(*only)
        {
            return self.positional_of(ctor, ty, &args, &[(value, None)], node);
        }
        self.guard_evidence(ctor, node);
        let Some(fields) = self.ctor_fields(ctor) else {
            return self.invalid(node);
        };
        let mut given: Vec<Option<ExprId>> = vec![None; fields.len()];
        let mut sound = true;
        for init in inits {
            if self.tree.kind(init) == Node::PositionalInit {
                self.error(
                    Code::UnexpectedToken,
                    init,
                    "a field is written `name: value`",
                );
                sound = false;
                continue;
            }
            let Some(name_node) = self.tree.child(init, Node::Name) else {
                continue;
            };
            let name = self.tree.symbol(name_node);
            let Some(index) = fields.iter().position(|(n, ..)| *n == name) else {
                self.unknown_field(ctor, name, name_node, &fields);
                if let Some(value) = self.tree.expr_child(init) {
                    self.infer(value);
                }
                sound = false;
                continue;
            };
            let (_, field_ty, at) = fields[index];
            let field_ty = self.bring(ctor.ty.module, field_ty, &args);
            let because = Some((at, format!("the field `{name}`")));
            let value = match self.tree.expr_child(init) {
                Some(value) => self.check_because(value, field_ty, because),
                None => self.pun(name, name_node, field_ty, because),
            };
            if given[index].is_some() {
                self.error(
                    Code::DuplicateName,
                    name_node,
                    format!("the field `{name}` is given twice"),
                );
                sound = false;
            }
            given[index] = Some(value);
        }
        let missing: Vec<String> = fields
            .iter()
            .zip(&given)
            .filter(|(_, g)| g.is_none())
            .map(|((name, ..), _)| format!("`{name}`"))
            .collect();
        if !missing.is_empty() && sound {
            let shown = self.ctor_name(ctor);
            let mut error = Diagnostic::error(
                Code::MissingField,
                self.at(head),
                format!("`{shown}` is not given {}", super::show::listed(&missing)),
            );
            if let Some(at) = self.type_location(ctor.ty) {
                error = error.other(at, "declared here");
            }
            self.report(error);
        }
        if !sound || !missing.is_empty() {
            return (self.push(Expr::Invalid, node), ty);
        }
        let fields = self.operands(given.into_iter().flatten().collect());
        (self.push(Expr::Construct { ctor, fields }, node), ty)
    }

    /// `{ name }` for `{ name: name }`.
    fn pun(
        &mut self,
        name: Symbol,
        node: NodeId,
        ty: Ty,
        because: super::coerce::Because,
    ) -> ExprId {
        if let Some((local, actual)) = self.local(name) {
            let value = self.push(Expr::Local(local), node);
            return self.coerce(value, actual, ty, node, because);
        }
        match self.scope.value(name) {
            Some(Value::Decls(decls)) if decls.len() == 1 => {
                let signature = self.signature(decls[0]);
                let value = self.push(Expr::Global(decls[0]), node);
                let actual = self.bring(decls[0].module, signature.result, &[]);
                self.coerce(value, actual, ty, node, because)
            }
            Some(Value::Broken) => self.invalid(node).0,
            _ => {
                self.unknown_name(name, node);
                self.invalid(node).0
            }
        }
    }

    /// The constructor that a head names.
    fn constructor(&mut self, head: NodeId) -> Option<Ctor> {
        let name = self.tree.symbol(head);
        let value = match self.tree.kind(head) {
            Node::FieldExpr => self.dotted_value(head).map(|(value, _)| value),
            _ => self.scope.value(name),
        };
        match value {
            Some(Value::Ctor(ctor)) => return Some(ctor),
            Some(Value::Broken) => return None,
            _ => {}
        }
        // An alias of a record heads a literal too.
        if let Some(Some(ty)) = self.scope.ty(name) {
            let def = self.type_def(ty)?;
            if let Shape::Alias(target) = def.shape {
                let target = self.bring(ty.module, target, &[]);
                if let Some((named, _)) = self.head(target)
                    && let Some(ctor) = self.record_behind(named)
                {
                    return Some(ctor);
                }
            }
            if !self.is_broken_type(ty) {
                self.error(
                    Code::UnknownName,
                    head,
                    format!("`{name}` is no record and no variant"),
                );
            }
            return None;
        }
        self.unknown_name(name, head);
        None
    }

    fn is_broken_type(&self, ty: crate::core::TypeRef) -> bool {
        matches!(self.type_def(ty).map(|d| &d.shape), Some(Shape::Alias(target)) if *self.table.kind(*target) == TyKind::Error)
    }

    /// The type a constructor builds here, its parameters still open, tied to
    /// what is expected where that is the same type.
    fn instance(&mut self, ctor: Ctor, expected: Option<Ty>) -> (Ty, Vec<Ty>) {
        let count = self.type_def(ctor.ty).map_or(0, |d| d.params.len());
        let args: Vec<Ty> = (0..count).map(|_| self.fresh()).collect();
        let ty = self.named(ctor.ty, args.clone());
        if let Some(expected) = expected
            && self
                .head(expected)
                .is_some_and(|(named, _)| named == ctor.ty)
        {
            self.unify(ty, expected);
        }
        (ty, args)
    }

    /// Names, types (in the declaring module's table) and places of its fields.
    pub(super) fn ctor_fields(&self, ctor: Ctor) -> Option<Vec<(Symbol, Ty, Location)>> {
        let source = self.source_of(ctor.ty.module);
        let variant = self
            .type_def(ctor.ty)?
            .variants()
            .get(ctor.variant as usize)?;
        let fields = variant.fields.iter();
        Some(
            fields
                .map(|f| {
                    (
                        f.name,
                        f.ty,
                        Location {
                            source,
                            span: f.span,
                        },
                    )
                })
                .collect(),
        )
    }

    pub(super) fn ctor_name(&self, ctor: Ctor) -> Symbol {
        self.type_def(ctor.ty)
            .and_then(|d| d.variants().get(ctor.variant as usize))
            .map_or_else(|| Symbol::new("_"), |v| v.name)
    }

    pub(super) fn unknown_field(
        &mut self,
        ctor: Ctor,
        name: Symbol,
        node: NodeId,
        fields: &[(Symbol, Ty, Location)],
    ) {
        let shown = self.ctor_name(ctor);
        let mut error = Diagnostic::error(
            Code::UnknownField,
            self.at(node),
            format!("`{shown}` has no field `{name}`"),
        );
        if let Some(at) = self.type_location(ctor.ty) {
            error = error.other(at, "declared here");
        }
        let names = fields.iter().map(|(n, ..)| n.as_str());
        if let Some(near) = crate::suggest::nearest(name.as_str(), names) {
            error = error.cure(format!("did you mean `{near}`?"));
        }
        self.report(error);
    }

    /// A variant without fields.
    pub(super) fn nullary(&mut self, ctor: Ctor, node: NodeId) -> (ExprId, Ty) {
        let Some(fields) = self.ctor_fields(ctor) else {
            return self.invalid(node);
        };
        let (ty, _) = self.instance(ctor, None);
        if !fields.is_empty() {
            let shown = self.ctor_name(ctor);
            let names: Vec<String> = fields.iter().map(|(n, ..)| format!("`{n}`")).collect();
            let error = Diagnostic::error(
                Code::MissingField,
                self.at(node),
                format!("`{shown}` is not given {}", super::show::listed(&names)),
            );
            self.report(error);
            return (self.push(Expr::Invalid, node), ty);
        }
        self.guard_evidence(ctor, node);
        let fields = self.operands(Vec::new());
        (self.push(Expr::Construct { ctor, fields }, node), ty)
    }

    /// `Variant(value)`
    pub(super) fn positional(
        &mut self,
        ctor: Ctor,
        given: &[(NodeId, Option<(ExprId, Ty)>)],
        node: NodeId,
    ) -> (ExprId, Ty) {
        let (ty, args) = self.instance(ctor, None);
        self.positional_of(ctor, ty, &args, given, node)
    }

    fn positional_of(
        &mut self,
        ctor: Ctor,
        ty: Ty,
        args: &[Ty],
        given: &[(NodeId, Option<(ExprId, Ty)>)],
        node: NodeId,
    ) -> (ExprId, Ty) {
        let Some(fields) = self.ctor_fields(ctor) else {
            return self.invalid(node);
        };
        let payload = match fields.as_slice() {
            [(name, payload, at)] if name.as_str() == "0" => Some((*payload, *at)),
            _ => None,
        };
        let (Some((payload, at)), [(value, done)]) = (payload, given) else {
            let shown = self.ctor_name(ctor);
            let message = match payload {
                Some(_) => format!("`{shown}` takes one value"),
                None => format!("`{shown}` is built with named fields: `{shown} {{ … }}`"),
            };
            self.error(Code::WrongArguments, node, message);
            return (self.push(Expr::Invalid, node), ty);
        };
        self.guard_evidence(ctor, node);
        let payload = self.bring(ctor.ty.module, payload, args);
        let because = Some((at, "the variant's value".to_owned()));
        let value = match done {
            Some((expr, actual)) => self.coerce(*expr, *actual, payload, *value, because),
            None => self.check_because(*value, payload, because),
        };
        let fields = self.operands(vec![value]);
        (self.push(Expr::Construct { ctor, fields }, node), ty)
    }

    /// The wall around evidence: every way to build a value comes through here.
    fn guard_evidence(&mut self, ctor: Ctor, node: NodeId) {
        let Some(def) = self.type_def(ctor.ty) else {
            return;
        };
        let (name, observed, sole) = (def.name, def.observed, def.sole_constructor);
        if observed && !self.test_file && !self.in_test {
            let mut error = Diagnostic::error(
                Code::ForgedObservation,
                self.at(node),
                format!("`{name}` is observed: a model cannot write one"),
            )
            .note("a value of an observed type is made from what an observer read, and by nothing else")
            .cure("take it as a parameter; a `_test.dag` file may write one");
            if let Some(at) = self.type_location(ctor.ty) {
                error = error.other(at, "declared here");
            }
            self.report(error);
        }
        if sole && ctor.ty.module != self.id {
            let mut error = Diagnostic::error(
                Code::SoleConstructor,
                self.at(node),
                format!("`{name}` is built only by its own module"),
            )
            .cure("call the function of that module which gives one");
            if let Some(at) = self.type_location(ctor.ty) {
                error = error.other(at, "declared here");
            }
            self.report(error);
        }
    }
}
