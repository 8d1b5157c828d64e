//! Which types fit where: unification, widening, entering a refinement, and
//! the value that becomes an optional.

use super::Checker;
use crate::core::{Expr, ExprId, Predicate, Shape, TypeRef};
use crate::literal;
use crate::types::{Ty, TyKind};
use dag_syntax::{Code, Diagnostic, Location, NodeId};

/// Why a type is expected: a place and a word about it.
pub(super) type Because = Option<(Location, String)>;

impl Checker<'_> {
    /// Makes two types equal, if they can be.
    pub(super) fn unify(&mut self, a: Ty, b: Ty) -> bool {
        let (a, b) = (self.resolve(a), self.resolve(b));
        if a == b {
            return true;
        }
        match (self.table.kind(a).clone(), self.table.kind(b).clone()) {
            (TyKind::Error, _) | (_, TyKind::Error) => true,
            (TyKind::Variable(variable), _) => self.assign(variable, b),
            (_, TyKind::Variable(variable)) => self.assign(variable, a),
            (TyKind::Named(na, aa), TyKind::Named(nb, ab)) => {
                na == nb
                    && aa.len() == ab.len()
                    && aa.iter().zip(&ab).all(|(a, b)| self.unify(*a, *b))
            }
            (TyKind::Function(pa, ra), TyKind::Function(pb, rb)) => {
                pa.len() == pb.len()
                    && pa.iter().zip(&pb).all(|(a, b)| self.unify(*a, *b))
                    && self.unify(ra, rb)
            }
            _ => false,
        }
    }

    fn assign(&mut self, variable: u32, ty: Ty) -> bool {
        if self.mentions(ty, &|kind| *kind == TyKind::Variable(variable)) {
            return false;
        }
        if let Some(slot) = self.variables.get_mut(variable as usize) {
            *slot = Some(ty);
        }
        true
    }

    /// Whether a value of one type is a value of the other as it stands: equal
    /// types, a refined type and its base, and lists, optionals, pairs and
    /// functions of such.
    pub(super) fn widens(&mut self, from: Ty, to: Ty) -> bool {
        let (from, to) = (self.resolve(from), self.resolve(to));
        if from == to {
            return true;
        }
        match (self.table.kind(from).clone(), self.table.kind(to).clone()) {
            (TyKind::Named(nf, af), TyKind::Named(nt, at)) if nf == nt && af.len() == at.len() => {
                let kernel = [self.kernel.list, self.kernel.optional, self.kernel.pair];
                if kernel.contains(&nf) {
                    af.iter().zip(&at).all(|(f, t)| self.widens(*f, *t))
                } else {
                    af.iter().zip(&at).all(|(f, t)| self.unify(*f, *t))
                }
            }
            (TyKind::Named(..), TyKind::Named(..)) => match self.base(from) {
                Some(base) => self.widens(base, to),
                None => false,
            },
            (TyKind::Function(pf, rf), TyKind::Function(pt, rt)) => {
                pf.len() == pt.len()
                    && pf.iter().zip(&pt).all(|(f, t)| self.widens(*t, *f))
                    && self.widens(rf, rt)
            }
            _ => self.unify(from, to),
        }
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
        let predicates = self.predicates_of(expected_ref);
        if predicates.iter().any(|p| matches!(p, Predicate::Brand(_))) {
            return None;
        }
        let inner = self.fit(expr, actual, base, node)?;
        Some(self.refine(inner, expected_ref, node))
    }

    pub(super) fn predicates_of(&self, ty: TypeRef) -> Vec<Predicate> {
        match self.type_def(ty).map(|d| &d.shape) {
            Some(Shape::Refined { predicates, .. }) => predicates.clone(),
            _ => Vec::new(),
        }
    }

    /// A value of the base that enters a refinement: decided here if it is a
    /// literal, when it is built if not.
    pub(super) fn refine(&mut self, value: ExprId, ty: TypeRef, node: NodeId) -> ExprId {
        let mut decided = true;
        for predicate in self.predicates_of(ty) {
            match literal::satisfies(&predicate, self.body.expr(value)) {
                Some(true) => {}
                Some(false) => {
                    let name = self.type_name(ty);
                    let mut error = Diagnostic::error(
                        Code::RefinementBroken,
                        self.at(node),
                        format!(
                            "this is no `{name}`: it does not hold that it {}",
                            literal::words(&predicate)
                        ),
                    );
                    if let Some(at) = self.type_location(ty) {
                        error = error.other(at, "the type is declared here");
                    }
                    self.report(error);
                    return self.push(Expr::Invalid, node);
                }
                None => decided = false,
            }
        }
        if decided {
            value
        } else {
            self.push(Expr::Refine { value, ty }, node)
        }
    }

    fn mismatch(&mut self, actual: Ty, expected: Ty, node: NodeId, because: Because) {
        if self.mentions(actual, &|k| *k == TyKind::Error)
            || self.mentions(expected, &|k| *k == TyKind::Error)
        {
            return;
        }
        let (shown_actual, shown_expected) = self.show_both(actual, expected);
        let mut error = Diagnostic::error(
            Code::TypeMismatch,
            self.at(node),
            format!("expected {shown_expected}, found {shown_actual}"),
        );
        if let Some((at, word)) = because {
            error = error.other(at, word);
        }
        error.cure = self.cure_of_mismatch(actual, expected);
        self.report(error);
    }

    fn cure_of_mismatch(&mut self, actual: Ty, expected: Ty) -> Option<String> {
        let (from, to) = (self.head(actual), self.head(expected));
        let from = from.map(|(ty, args)| (ty, args.first().copied()));
        let to = to.map(|(ty, _)| ty);
        if let Some((ty, Some(inner))) = from
            && ty == self.kernel.optional
            && self.widens(inner, expected)
        {
            return Some("the value may be absent: `match` it, or give a value with `?? …`".into());
        }
        if to == Some(self.kernel.string) {
            let scalar = [self.kernel.int, self.kernel.float, self.kernel.bool];
            if from.is_some_and(|(ty, _)| scalar.contains(&ty)) {
                return Some("write `to_string(…)`".into());
            }
        }
        if let (Some(to), Some(base)) = (to, self.base(expected)) {
            let base = self.unrefined(base);
            let from = self.unrefined(actual);
            if self.widens(from, base) {
                return Some(format!(
                    "enter the refinement: `… as {}`",
                    self.type_name(to)
                ));
            }
        }
        None
    }
}
