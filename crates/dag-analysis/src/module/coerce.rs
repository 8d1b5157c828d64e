//! Which types fit where: unification, widening, entering a refinement, and
//! the value that becomes an optional.

use super::Checker;
use crate::core::{Claim, Expr, ExprId, Predicate, Shape, TypeRef};
use crate::kernel::Kernel;
use crate::literal;
use crate::types::{Ty, TyKind};
use dag_syntax::{Code, Diagnostic, Location, Node, NodeId, Symbol};

/// Steps after which a comparison of two types is given up.
const MOST_STEPS: u32 = 100_000;

/// Why a type is expected: a place, and what stands there.
pub(super) type Because = Option<(Location, Reason)>;

/// What tells which type is expected. It is written out only when something is
/// wrong.
#[derive(Clone, Copy)]
pub(super) enum Reason {
    /// The type itself is written there.
    Declared,
    /// A field of that name.
    Field(Symbol),
    /// A parameter of that name.
    Parameter(Symbol),
    /// The value that a variant holds.
    Payload,
    /// Another value, of this type.
    Like(Ty),
}

impl Checker<'_> {
    /// Makes two types equal, if they can be.
    pub(super) fn unify(&mut self, a: Ty, b: Ty) -> bool {
        self.steps = 0;
        self.compared.clear();
        self.unify_in(a, b)
    }

    fn unify_in(&mut self, a: Ty, b: Ty) -> bool {
        let (a, b) = (self.resolve(a), self.resolve(b));
        if a == b {
            return true;
        }
        // Asked before in this comparison: where it failed, all has failed.
        if !self.compared.insert((a, b, false)) {
            return true;
        }
        if self.too_much() {
            return false;
        }
        match (self.table.kind(a).clone(), self.table.kind(b).clone()) {
            (TyKind::Error, _) | (_, TyKind::Error) => true,
            (TyKind::Variable(variable), _) => self.assign(variable, b),
            (_, TyKind::Variable(variable)) => self.assign(variable, a),
            (TyKind::Named(na, aa), TyKind::Named(nb, ab)) => {
                na == nb
                    && aa.len() == ab.len()
                    && aa.iter().zip(&ab).all(|(a, b)| self.unify_in(*a, *b))
            }
            (TyKind::Function(pa, ra), TyKind::Function(pb, rb)) => {
                pa.len() == pb.len()
                    && pa.iter().zip(&pb).all(|(a, b)| self.unify_in(*a, *b))
                    && self.unify_in(ra, rb)
            }
            _ => false,
        }
    }

    /// Whether the comparison at hand has gone on for too long. Types are
    /// shared: written in a few lines, one may be exponentially large.
    fn too_much(&mut self) -> bool {
        self.steps += 1;
        self.spent += 1;
        if self.steps > MOST_STEPS {
            self.too_deep = true;
        }
        self.steps > MOST_STEPS
    }

    fn assign(&mut self, variable: u32, ty: Ty) -> bool {
        let itself = |kind: &TyKind| *kind == TyKind::Variable(variable);
        if self.mentions(ty, |_, _| false, itself) {
            return false;
        }
        let ty = self.settled(ty);
        if let Some(slot) = self.variables.get_mut(variable as usize) {
            *slot = Some(ty);
        }
        true
    }

    /// Whether a value of one type is a value of the other as it stands: equal
    /// types, a refined type and its base, and lists, optionals, pairs and
    /// functions of such.
    pub(super) fn widens(&mut self, from: Ty, to: Ty) -> bool {
        self.steps = 0;
        self.compared.clear();
        self.widens_in(from, to)
    }

    fn widens_in(&mut self, from: Ty, to: Ty) -> bool {
        let (from, to) = (self.resolve(from), self.resolve(to));
        if from == to {
            return true;
        }
        if !self.compared.insert((from, to, true)) {
            return true;
        }
        if self.too_much() {
            return false;
        }
        match (self.table.kind(from).clone(), self.table.kind(to).clone()) {
            (TyKind::Named(nf, af), TyKind::Named(nt, at)) if nf == nt && af.len() == at.len() => {
                let Kernel {
                    list,
                    optional,
                    pair,
                    map,
                    set,
                    ..
                } = self.kernel;
                let kernel = [list, optional, pair, map, set];
                // What cannot be changed may be read as something wider.
                if kernel.contains(&nf) || nf.is_unnamed() {
                    af.iter().zip(&at).all(|(f, t)| self.widens_in(*f, *t))
                } else {
                    af.iter().zip(&at).all(|(f, t)| self.unify_in(*f, *t))
                }
            }
            (TyKind::Named(..), _) if self.base(from).is_some() && !self.is_open(to) => {
                match self.base(from) {
                    Some(base) => self.widens_in(base, to),
                    None => false,
                }
            }
            (TyKind::Function(pf, rf), TyKind::Function(pt, rt)) => {
                pf.len() == pt.len()
                    && pf.iter().zip(&pt).all(|(f, t)| self.widens_in(*t, *f))
                    && self.widens_in(rf, rt)
            }
            _ => self.unify_in(from, to),
        }
    }

    /// Whether the type is not known yet, or never will be.
    fn is_open(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), TyKind::Variable(_) | TyKind::Error)
    }

    /// The type that values of both types have, if there is one.
    pub(super) fn join(&mut self, a: Ty, b: Ty) -> Option<Ty> {
        if self.widens(b, a) {
            return Some(a);
        }
        if self.widens(a, b) {
            return Some(b);
        }
        let optional = |c: &Self, t: Ty| c.head(t).is_some_and(|(n, _)| n == c.kernel.optional);
        match (optional(self, a), optional(self, b)) {
            (true, false) => {
                let wrapped = self.optional(b);
                return self.widens(wrapped, a).then_some(a);
            }
            (false, true) => {
                let wrapped = self.optional(a);
                return self.widens(wrapped, b).then_some(b);
            }
            _ => {}
        }
        let (ua, ub) = (self.unrefined(a), self.unrefined(b));
        (ua != a || ub != b)
            .then(|| self.unify(ua, ub))
            .filter(|same| *same)
            .map(|_| ua)
    }

    /// An expression of one type where another is expected.
    pub(super) fn coerce(
        &mut self,
        expr: ExprId,
        actual: Ty,
        expected: Ty,
        node: NodeId,
        because: Because,
    ) -> ExprId {
        match self.fit(expr, actual, expected, node) {
            Some(fitted) => fitted,
            None => {
                self.mismatch(actual, expected, node, because);
                self.push(Expr::Invalid, node)
            }
        }
    }

    fn fit(&mut self, expr: ExprId, actual: Ty, expected: Ty, node: NodeId) -> Option<ExprId> {
        let (actual, expected) = (self.resolve(actual), self.resolve(expected));
        if self.widens(actual, expected) {
            return Some(expr);
        }
        let (expected_ref, args) = self.head(expected)?;
        if expected_ref == self.kernel.optional {
            let inner = self.fit(expr, actual, *args.first()?, node)?;
            let fields = self.operands(vec![inner]);
            return Some(self.push(
                Expr::Construct {
                    ctor: self.kernel.present(),
                    fields,
                },
                node,
            ));
        }
        let base = self.base(expected)?;
        if self.has_brand(expected_ref) {
            return None;
        }
        let inner = self.fit(expr, actual, base, node)?;
        Some(self.refine(inner, expected_ref, node))
    }

    /// Whether a value enters the type by its name only.
    pub(super) fn has_brand(&self, ty: TypeRef) -> bool {
        let Some(Shape::Refined { predicates, .. }) = self.type_def(ty).map(|d| &d.shape) else {
            return false;
        };
        predicates.iter().any(|p| matches!(p, Predicate::Brand(_)))
    }

    pub(super) fn predicates_of(&self, ty: TypeRef) -> Vec<Predicate> {
        match self.type_def(ty).map(|d| &d.shape) {
            Some(Shape::Refined { predicates, .. }) => predicates.clone(),
            _ => Vec::new(),
        }
    }

    /// A value of the base that enters a refinement. Every literal that it may come to is
    /// decided here, or left to an evaluation ahead of all others; what is no literal is
    /// decided when it is built.
    pub(super) fn refine(&mut self, value: ExprId, ty: TypeRef, node: NodeId) -> ExprId {
        if self.refuse_sole(ty, node) {
            return self.push(Expr::Invalid, node);
        }
        let predicates = self.predicates_of(ty);
        let mut decided = true;
        let mut broken = false;
        let ends = literal::ends(&self.body, value);
        self.spent += (ends.len() as u64).saturating_sub(1);
        for literal in ends {
            let mut known = true;
            let no = predicates.iter().find(|predicate| {
                let verdict = literal::satisfies(predicate, &self.body, literal);
                known &= verdict.is_some();
                verdict == Some(false)
            });
            if let Some(predicate) = no {
                self.refuse_literal(self.expr_at(literal), ty, predicate);
                broken = true;
            } else if !known {
                decided = false;
                if literal::is_literal(&self.body, literal) {
                    self.claims.push(Claim { literal, ty });
                }
            }
        }
        if broken {
            self.push(Expr::Invalid, node)
        } else if decided {
            value
        } else {
            self.push(Expr::Refine { value, ty }, node)
        }
    }

    fn refuse_literal(&mut self, at: Location, ty: TypeRef, predicate: &Predicate) {
        let name = self.type_name(ty);
        let words = literal::words(predicate);
        let message = format!("this is no `{name}`: it does not hold that it {words}");
        let mut error = Diagnostic::error(Code::RefinementBroken, at, message);
        if let Some(at) = self.type_location(ty) {
            error = error.other(at, "the type is declared here");
        }
        self.report(error);
    }

    fn mismatch(&mut self, actual: Ty, expected: Ty, node: NodeId, because: Because) {
        // A type that could not be compared is reported where it is declared.
        if self.too_deep || self.mentions_error(actual) || self.mentions_error(expected) {
            return;
        }
        if self.is_open(actual) || self.is_open(expected) {
            // An unknown type fits everything but a type that it is part of.
            let error = Diagnostic::error(
                Code::CannotInfer,
                self.at(node),
                "the type of this would contain itself",
            )
            .note("a function that is given itself could call itself for ever");
            self.report(error);
            return;
        }
        let (shown_actual, shown_expected) = self.show_both(actual, expected);
        let mut error = Diagnostic::error(
            Code::TypeMismatch,
            self.at(node),
            format!("expected {shown_expected}, found {shown_actual}"),
        );
        error = self.with_reason(error, because);
        let error = self.cure_of_mismatch(error, node, actual, expected);
        self.report(error);
    }

    /// Adds the place that tells which type is expected.
    pub(super) fn with_reason(&self, error: Diagnostic, because: Because) -> Diagnostic {
        let Some((at, reason)) = because else {
            return error;
        };
        let words = match reason {
            Reason::Declared => "declared here".to_owned(),
            Reason::Field(name) => format!("the field `{name}`"),
            Reason::Parameter(name) => format!("the parameter `{name}`"),
            Reason::Payload => "the variant's value".to_owned(),
            Reason::Like(ty) => format!("this is of type {}", self.show(ty)),
        };
        error.other(at, words)
    }

    fn cure_of_mismatch(
        &mut self,
        error: Diagnostic,
        node: NodeId,
        actual: Ty,
        expected: Ty,
    ) -> Diagnostic {
        if self.tree.kind(node) == Node::NoneExpr {
            let shown = self.show(expected);
            return error.cure(format!(
                "`none` is a value of an optional type: declare `{shown}?`, or give a value"
            ));
        }
        let (from, to) = (self.head(actual), self.head(expected));
        let from = from.map(|(ty, args)| (ty, args.first().copied()));
        let to = to.map(|(ty, _)| ty);
        if let Some((ty, Some(inner))) = from
            && ty == self.kernel.optional
            && self.widens(inner, expected)
        {
            return error.cure("the value may be absent: `match` it, or give a value with `?? …`");
        }
        let scalar = [self.kernel.int, self.kernel.float, self.kernel.bool];
        let is_scalar = from.is_some_and(|(ty, _)| scalar.contains(&ty));
        if is_scalar && to == Some(self.kernel.string) {
            let cured = error.cure("write `to_string(…)`");
            return self.wrap(cured, node, "Write `to_string(…)`", ("to_string(", ")"));
        }
        if let (Some(to), Some(base)) = (to, self.base(expected)) {
            let base = self.unrefined(base);
            let plain = self.unrefined(actual);
            let name = self.type_name(to);
            if self.widens(plain, base) {
                let cured = error.cure(format!("enter the refinement: `… as {name}`"));
                return self.enter_refinement(cured, node, &name);
            }
            if is_scalar
                && self
                    .head(base)
                    .is_some_and(|(ty, _)| ty == self.kernel.string)
            {
                // A text of another origin enters a brand by its name only.
                if self.has_brand(to) && !name.contains(' ') {
                    return error.cure(format!("write `to_string(…) as {name}`"));
                }
                let cured = error.cure("write `to_string(…)`");
                return self.wrap(cured, node, "Write `to_string(…)`", ("to_string(", ")"));
            }
        }
        match self.variant_of(actual, expected) {
            Some((before, behind)) => {
                let title = format!("Write `{before}…{behind}`");
                let cured = error.cure(format!("write `{before}…{behind}`"));
                self.wrap(cured, node, &title, (&before, &behind))
            }
            None => error,
        }
    }

    /// What stands before and behind a value in the variant of a coproduct that holds
    /// nothing else, if there is one for values of its type.
    fn variant_of(&mut self, actual: Ty, expected: Ty) -> Option<(String, String)> {
        let plain = self.unrefined(actual);
        let (head, _) = self.head(plain)?;
        let (to, args) = self.head(expected)?;
        let Shape::Coproduct(variants) = &self.type_def(to)?.shape else {
            return None;
        };
        let mut single: Vec<(Symbol, Symbol, Ty)> = Vec::new();
        for variant in variants {
            if let [field] = variant.fields.as_slice() {
                single.push((variant.name, field.name, field.ty));
            }
        }
        let mut fitting = Vec::new();
        for (variant, field, ty) in single {
            let held = self.bring(to.module, ty, &args);
            if self.head(held).is_some_and(|(held, _)| held == head) {
                fitting.push((variant, field));
            }
        }
        match fitting.as_slice() {
            [(variant, field)] if field.as_str() == "0" => {
                Some((format!("{variant}("), ")".into()))
            }
            [(variant, field)] => Some((format!("{variant} {{ {field}: "), " }".into())),
            _ => None,
        }
    }
}
