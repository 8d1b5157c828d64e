//! Building records and variants, and the rules of who may.

use super::Checker;
use super::coerce::{Because, Reason};
use crate::core::{Ctor, Expr, ExprId, Shape, TypeRef};
use crate::known::{Exported, Value};
use crate::record::Target;
use crate::types::Ty;
use dag_syntax::{Code, Diagnostic, Location, Node, NodeId, Symbol};

/// What a constructor's name stands for.
pub(super) enum Named {
    /// A constructor, and its type's arguments if an alias gives them.
    Ctor(Ctor, Option<Vec<Ty>>),
    /// Something with a mistake that was reported.
    Broken,
    /// A type that has no constructor of that name.
    Type,
    /// Nothing.
    Unknown,
}

impl Checker<'_> {
    /// `Name { field: value }`
    pub(super) fn record_expr(&mut self, node: NodeId, expected: Option<Ty>) -> (ExprId, Ty) {
        let Some(head) = self.tree.expr_child(node) else {
            return self.invalid(node);
        };
        let inits: Vec<NodeId> = self.tree.children(node).iter().skip(1).copied().collect();
        let Some((ctor, given)) = self.constructor(head) else {
            for init in inits {
                if let Some(value) = self.tree.expr_child(init) {
                    self.infer(value);
                }
            }
            return self.invalid(node);
        };
        self.refer_ctor(head, ctor);
        let (ty, args) = self.instance(ctor, given.as_deref(), expected);
        if let [only] = inits.as_slice()
            && self.tree.kind(*only) == Node::PositionalInit
            && let Some(value) = self.tree.expr_child(*only)
        {
            return self.only_field(ctor, ty, &args, value, node);
        }
        let expr = self.record_fields(ctor, &args, inits, head, node);
        (expr, ty)
    }

    /// A record or variant of its fields as they are written. `head` is where it
    /// is said that one is missing.
    pub(super) fn record_fields(
        &mut self,
        ctor: Ctor,
        args: &[Ty],
        inits: Vec<NodeId>,
        head: NodeId,
        node: NodeId,
    ) -> ExprId {
        self.guard_evidence(ctor, node);
        let Some(fields) = self.ctor_fields(ctor) else {
            return self.invalid(node).0;
        };
        let mut given: Vec<Option<(ExprId, NodeId)>> = vec![None; fields.len()];
        let mut sound = true;
        for init in inits {
            if let Some(message) = match self.tree.kind(init) {
                Node::PositionalInit => Some("a field is written `name: value`"),
                Node::MapEntry => Some("a field of a record is a name, not a string"),
                _ => None,
            } {
                self.error(Code::UnexpectedToken, init, message);
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
            self.refer(name_node, Target::Field(ctor, index as u32));
            let (_, field_ty, at) = fields[index];
            let field_ty = self.bring(ctor.ty.module, field_ty, args);
            let because = (!ctor.ty.is_unnamed()).then_some((at, Reason::Field(name)));
            let value = match self.tree.expr_child(init) {
                Some(value) => self.check_because(value, field_ty, because),
                None => self.pun(name, name_node, field_ty, because),
            };
            if let Some((_, first)) = given[index] {
                self.given_twice("field", name, name_node, first);
                sound = false;
            }
            given[index] = Some((value, name_node));
        }
        let defaults = self.field_defaults(ctor);
        for (value, default) in given.iter_mut().zip(defaults) {
            if let (None, Some(default)) = (&value, default) {
                *value = Some((self.push(Expr::Data(default), node), node));
                self.instantiate(default, args, node);
            }
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
            let names = fields.iter().zip(&given).filter(|(_, g)| g.is_none());
            let names: Vec<Symbol> = names.map(|((name, ..), _)| *name).collect();
            let error = self.add_fields(error, node, &names);
            self.report(error);
        }
        if !sound || !missing.is_empty() {
            return self.push(Expr::Invalid, node);
        }
        let given = given.into_iter().flatten().map(|(value, _)| value);
        let fields = self.operands(given.collect());
        self.push(Expr::Construct { ctor, fields }, node)
    }

    /// Reports a name or key that one literal gives twice.
    pub(super) fn given_twice(&mut self, what: &str, name: Symbol, node: NodeId, first: NodeId) {
        let error = Diagnostic::error(
            Code::DuplicateName,
            self.at(node),
            format!("the {what} `{name}` is given twice"),
        )
        .other(self.at(first), "the first time");
        self.report(error);
    }

    /// `{ name }` for `{ name: name }`.
    pub(super) fn pun(&mut self, name: Symbol, node: NodeId, ty: Ty, because: Because) -> ExprId {
        let (value, actual) = self.name_value(name, node);
        self.coerce(value, actual, ty, node, because)
    }

    /// The constructor that a record's head names, and the arguments of its type
    /// where an alias gives them.
    fn constructor(&mut self, head: NodeId) -> Option<(Ctor, Option<Vec<Ty>>)> {
        let name = self.tree.symbol(head);
        match self.constructor_named(name) {
            Named::Ctor(ctor, args) => return Some((ctor, args)),
            Named::Broken => {}
            Named::Type => self.error(
                Code::UnknownName,
                head,
                format!("`{name}` is no record and no variant"),
            ),
            Named::Unknown => self.unknown_name(name, head),
        }
        None
    }

    /// The constructor of that name, which may be qualified, or an alias.
    pub(super) fn constructor_named(&mut self, name: Symbol) -> Named {
        if let Some(output) = self.effects.output.filter(|_| name.as_str() == "Output") {
            return Named::Ctor(output, None);
        }
        let path = name.as_str();
        let value = match self.scope.value(name) {
            Some(value) => Some(value),
            None => self.qualified(path).and_then(|found| found.value),
        };
        match value {
            Some(Value::Ctor(ctor)) => return Named::Ctor(ctor, None),
            Some(Value::Broken) => return Named::Broken,
            _ => {}
        }
        if let Some((ty, variant)) = path.rsplit_once('.')
            && let Some(Some(ty)) = self.type_at(ty)
            && let Some(def) = self.type_def(ty)
            && let Some((variant, _)) = def.variant_named(Symbol::new(variant))
        {
            return Named::Ctor(Ctor { ty, variant }, None);
        }
        // An alias of a record heads a literal too.
        let ty = match self.type_at(path) {
            None => return Named::Unknown,
            Some(None) => return Named::Broken,
            Some(Some(ty)) => ty,
        };
        let Some(def) = self.type_def(ty) else {
            return Named::Broken;
        };
        let target = match def.shape {
            Shape::Alias(target) => target,
            // The record of an operation is written with the operation's name.
            Shape::Record(_) => return Named::Ctor(Ctor { ty, variant: 0 }, None),
            _ => return Named::Type,
        };
        let params = (0..def.params.len())
            .map(|_| self.fresh())
            .collect::<Vec<_>>();
        let target = self.bring(ty.module, target, &params);
        match self.head(target) {
            Some((named, args)) => match self.record_behind(named) {
                Some(ctor) => Named::Ctor(ctor, Some(args.into_vec())),
                None => Named::Type,
            },
            None if self.is_error(target) => Named::Broken,
            None => Named::Type,
        }
    }

    /// The type of a name that may be qualified; none inside is a broken one.
    pub(super) fn type_at(&mut self, path: &str) -> Option<Option<TypeRef>> {
        match self.scope.ty(Symbol::new(path)) {
            Some(found) => Some(found),
            None => match self.qualified(path)? {
                Exported {
                    ty: None,
                    broken: true,
                    ..
                } => Some(None),
                found => found.ty.map(Some),
            },
        }
    }

    /// The type a constructor builds here, its parameters still open, tied to
    /// what is expected where that is the same type.
    pub(super) fn instance(
        &mut self,
        ctor: Ctor,
        given: Option<&[Ty]>,
        expected: Option<Ty>,
    ) -> (Ty, Vec<Ty>) {
        let count = self.type_def(ctor.ty).map_or(0, |d| d.params.len());
        let args: Vec<Ty> = (0..count).map(|_| self.fresh()).collect();
        for (arg, given) in args.iter().zip(given.unwrap_or_default()) {
            self.unify(*arg, *given);
        }
        let ty = self.named(ctor.ty, args.clone());
        if let Some(expected) = expected {
            self.prefer(ty, expected);
        }
        (ty, args)
    }

    /// Ties a type whose arguments are open to what is expected, or to what is in
    /// the optional that is, where that is the same type.
    pub(super) fn prefer(&mut self, ty: Ty, expected: Ty) {
        let Some((named, args)) = self.head(ty) else {
            return;
        };
        if args.is_empty() {
            return;
        }
        for expected in [expected, self.inside_optional(expected)] {
            if self.head(expected).is_some_and(|(other, _)| other == named) {
                self.unify(ty, expected);
                return;
            }
        }
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
        if let Some(near) = self.nearest(name.as_str(), names) {
            error = error.did_you_mean(near);
        }
        self.report(error);
    }

    /// A variant without fields.
    pub(super) fn nullary(&mut self, ctor: Ctor, node: NodeId) -> (ExprId, Ty) {
        let Some(fields) = self.ctor_fields(ctor) else {
            return self.invalid(node);
        };
        let (ty, _) = self.instance(ctor, None, None);
        if !fields.is_empty() {
            let shown = self.ctor_name(ctor);
            let names: Vec<String> = fields.iter().map(|(n, ..)| format!("`{n}`")).collect();
            let positional = fields.iter().any(|(n, ..)| n.as_str() == "0");
            let (what, cure) = if positional {
                (
                    "its value".to_owned(),
                    format!("write `{shown}(…)`; as a function, `x => {shown}(x)`"),
                )
            } else {
                let first = &fields[0].0;
                (
                    super::show::listed(&names),
                    format!("write `{shown} {{ {first}: … }}`"),
                )
            };
            let mut error = Diagnostic::error(
                Code::MissingField,
                self.at(node),
                format!("`{shown}` is not given {what}"),
            )
            .cure(cure);
            if let Some(at) = self.type_location(ctor.ty) {
                error = error.other(at, "declared here");
            }
            self.report(error);
            return self.invalid(node);
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
        let expected = self.wanted.remove(&node);
        let (ty, args) = self.instance(ctor, None, expected);
        self.positional_of(ctor, ty, &args, given, node)
    }

    /// `Name { value }`: for a type of exactly one field.
    fn only_field(
        &mut self,
        ctor: Ctor,
        ty: Ty,
        args: &[Ty],
        value: NodeId,
        node: NodeId,
    ) -> (ExprId, Ty) {
        let fields = self.ctor_fields(ctor).unwrap_or_default();
        let [(name, field, at)] = fields.as_slice() else {
            let shown = self.ctor_name(ctor);
            let mut error = Diagnostic::error(
                Code::WrongArguments,
                self.at(node),
                format!("`{shown}` is built with named fields: `{shown} {{ … }}`"),
            );
            if !fields.is_empty() {
                let names: Vec<String> = fields.iter().map(|(n, ..)| format!("{n}: …")).collect();
                error = error
                    .note("only the value of a single field is written without its name")
                    .cure(format!("write `{shown} {{ {} }}`", names.join(", ")));
            }
            self.report(error);
            return (self.push(Expr::Invalid, node), ty);
        };
        self.guard_evidence(ctor, node);
        let field = self.bring(ctor.ty.module, *field, args);
        let because = match name.as_str() {
            "0" => Reason::Payload,
            _ => Reason::Field(*name),
        };
        let value = self.check_because(value, field, Some((*at, because)));
        let fields = self.operands(vec![value]);
        (self.push(Expr::Construct { ctor, fields }, node), ty)
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
        let because = Some((at, Reason::Payload));
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
        let (name, observed) = (def.name, def.observed);
        if observed && !self.test_file && !self.in_test {
            let mut error = Diagnostic::error(
                Code::ForgedObservation,
                self.at(node),
                format!("`{name}` is observed: a model cannot write one"),
            )
            .here("made from what an observer read, and by nothing else")
            .cure("take it as a parameter; a `_test.dag` file may write one");
            if let Some(at) = self.type_location(ctor.ty) {
                error = error.other(at, "declared here");
            }
            self.report(error);
            return;
        }
        self.guard_sole(ctor, node);
    }

    /// A type with a sole constructor is built by its own module.
    pub(super) fn guard_sole(&mut self, ctor: Ctor, node: NodeId) {
        self.refuse_sole(ctor.ty, node);
    }

    /// Refuses a value of a type that only its own module builds, or enters.
    pub(super) fn refuse_sole(&mut self, ty: TypeRef, node: NodeId) -> bool {
        let sole = self.type_def(ty).filter(|def| def.sole_constructor);
        let Some(name) = sole.map(|def| def.name).filter(|_| ty.module != self.id) else {
            return false;
        };
        let mut error = Diagnostic::error(
            Code::SoleConstructor,
            self.at(node),
            format!("`{name}` is built only by its own module"),
        )
        .cure("call the function of that module which gives one");
        if let Some(at) = self.type_location(ty) {
            error = error.other(at, "declared here");
        }
        self.report(error);
        true
    }
}
