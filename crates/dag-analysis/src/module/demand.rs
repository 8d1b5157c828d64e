//! What is asked of a type and can only be decided when the body around it is
//! known whole: that its values can be compared, shown, be keys, have variants.

use super::Checker;
use super::asked::Parameter;
use crate::core::{Shape, TypeRef};
use crate::types::{Ty, TyKind};
use dag_syntax::{Code, Diagnostic, Location, NodeId, Span, Symbol};

/// What a type must allow.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Demand {
    /// Its values are compared.
    Compared,
    /// Its values are shown as text.
    Shown,
    /// Its values are keys of a map or items of a set, and it is written so.
    Key,
    /// Its values are keys of what a call gives.
    KeyOfCall,
    /// The variant of its values is asked for.
    Variants,
}

impl Checker<'_> {
    /// Asks something of a type, to be decided at the end of the body.
    pub(super) fn demand(&mut self, demand: Demand, ty: Ty, node: NodeId) {
        self.demands.push((ty, node, demand, None));
    }

    /// Reports what was asked of types that do not allow it, and asks it of the type
    /// parameters that stand in them.
    pub(super) fn decide_demands(&mut self) {
        let mut told = None;
        for (ty, at, demand, of) in std::mem::take(&mut self.demands) {
            self.ask_parameters(ty, demand);
            // One mistake, even where several parameters ask.
            if told == Some((at, demand)) {
                continue;
            }
            let mistakes = self.mistakes();
            match demand {
                Demand::Compared => self.decide_compared(ty, at, of),
                Demand::Shown => self.decide_shown(ty, at, of),
                Demand::Key => self.decide_key(ty, at, None, true),
                Demand::KeyOfCall => self.decide_key(ty, at, of, false),
                Demand::Variants => self.decide_variants(ty, at),
            }
            if self.mistakes() > mistakes {
                told = Some((at, demand));
            }
        }
    }

    fn decide_compared(&mut self, ty: Ty, at: NodeId, of: Option<Parameter>) {
        if self.holds_function(ty) {
            let shown = self.show(ty);
            let message = format!("functions are not compared, and {shown} holds one");
            let error = Diagnostic::error(Code::BadOperand, self.at(at), message);
            let error = self.asked_by(error, of, "compared");
            self.report(error);
        }
    }

    fn decide_shown(&mut self, ty: Ty, at: NodeId, of: Option<Parameter>) {
        if self.holds_function(ty) {
            let message = "a function cannot be shown as text";
            let error = Diagnostic::error(Code::NotInterpolable, self.at(at), message);
            let error = self.asked_by(error, of, "shown");
            self.report(error);
        } else if let Some(sealed) = self.holds_sealed(ty) {
            let name = self.type_name(sealed);
            let error = Diagnostic::error(
                Code::SealedType,
                self.at(at),
                format!("this would show what a `{name}` is made of"),
            )
            .note(match self.asker(of) {
                None => "the type is `nominal_opaque`: only its own module sees that".to_owned(),
                Some((_, function, parameter)) => format!(
                    "the type is `nominal_opaque`: only its own module sees that, and `{function}` shows values of its `{parameter}`"
                ),
            })
            .cure("call a function of that module which gives a text");
            self.report(error);
        }
    }

    /// The place and name of the declaration whose type parameter asks, and its name.
    fn asker(&self, of: Option<Parameter>) -> Option<(Location, Symbol, Symbol)> {
        let (of, index) = of?;
        let decl = self.decl(of);
        let parameter = decl.type_params.get(index as usize)?;
        Some((self.location_of(of, decl.span), decl.name, *parameter))
    }

    /// Where it is a type parameter that asks: whose.
    fn asked_by(&self, error: Diagnostic, of: Option<Parameter>, done: &str) -> Diagnostic {
        match self.asker(of) {
            None => error,
            Some((at, _, parameter)) => {
                error.other(at, format!("values of its `{parameter}` are {done}"))
            }
        }
    }

    /// A key that was refused where it is written is not blamed on the calls of
    /// the same item.
    fn decide_key(&mut self, ty: Ty, at: NodeId, of: Option<Parameter>, written: bool) {
        let float = self.kernel.float;
        let bad = |kind: &TyKind| {
            matches!(kind, TyKind::Function(..))
                || matches!(kind, TyKind::Named(named, _) if *named == float)
        };
        if !self.holds(ty, &bad) {
            return;
        }
        let settled = self.settled(ty);
        let (item, place) = (self.item_span, self.tree.span(at));
        let in_item = |span: Span| item.start <= span.start && span.end <= item.end;
        let mut told = self.bad_keys.iter();
        if !written && told.any(|(ty, span)| *ty == settled && in_item(*span)) {
            return;
        }
        self.bad_keys.push((settled, place));
        let shown = self.show(ty);
        let plain = self.unrefined(ty);
        let itself = bad(self.kind(plain));
        let (what, cure) = if self.holds_function(ty) {
            ("a function", "use a name for the function as the key")
        } else {
            ("a Float", "use an Int or a String as the key")
        };
        let error = Diagnostic::error(
            Code::BadKey,
            self.at(at),
            if itself {
                format!("a value of type {shown} is no key")
            } else {
                format!("{shown} is no key: it holds {what}")
            },
        )
        .note("keys are ordered, and equal ones are one")
        .cure(cure);
        let error = self.asked_by(error, of, "made keys");
        self.report(error);
    }

    fn decide_variants(&mut self, ty: Ty, at: NodeId) {
        let plain = self.unrefined(ty);
        if self.is_error(plain) {
            return;
        }
        let coproduct = self.head(plain).is_some_and(|(named, _)| {
            self.type_def(named)
                .is_some_and(|def| matches!(def.shape, Shape::Coproduct(_)))
        });
        if !coproduct {
            let shown = self.show(ty);
            let error = Diagnostic::error(
                Code::BadOperand,
                self.at(at),
                format!("a value of type {shown} has no variant to name"),
            )
            .note("`^` and `discriminant` name the variant of a coproduct's value");
            self.report(error);
        }
    }

    /// The first `nominal_opaque` type of another module in a type.
    fn holds_sealed(&mut self, ty: Ty) -> Option<TypeRef> {
        let sealed = std::cell::Cell::new(None);
        let (program, own) = (self.program, self.id);
        let found = |kind: &TyKind| match kind {
            TyKind::Named(named, _) if named.module != own && !named.is_unnamed() => {
                let module = program.get(named.module);
                let def = module.and_then(|m| m.types.get(named.index as usize));
                let is = def.is_some_and(|def| def.nominal_opaque);
                if is {
                    sealed.set(Some(*named));
                }
                is
            }
            _ => false,
        };
        self.holds(ty, &found);
        sealed.get()
    }
}
