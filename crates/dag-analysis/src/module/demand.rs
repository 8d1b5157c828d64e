//! What is asked of a type and can only be decided when the body around it is
//! known whole: that its values can be compared, shown, be keys, have variants.

use super::Checker;
use crate::core::{Shape, TypeRef};
use crate::types::{Ty, TyKind};
use dag_syntax::{Code, Diagnostic, NodeId, Span};

/// What a type must allow.
#[derive(Clone, Copy)]
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
        self.demands.push((ty, node, demand));
    }

    /// Reports what was asked of types that do not allow it.
    pub(super) fn decide_demands(&mut self) {
        for (ty, at, demand) in std::mem::take(&mut self.demands) {
            match demand {
                Demand::Compared => {
                    if self.holds_function(ty) {
                        let shown = self.show(ty);
                        self.error(
                            Code::BadOperand,
                            at,
                            format!("functions are not compared, and {shown} holds one"),
                        );
                    }
                }
                Demand::Shown => self.decide_shown(ty, at),
                Demand::Key => self.decide_key(ty, at, true),
                Demand::KeyOfCall => self.decide_key(ty, at, false),
                Demand::Variants => self.decide_variants(ty, at),
            }
        }
    }

    fn decide_shown(&mut self, ty: Ty, at: NodeId) {
        if self.holds_function(ty) {
            self.error(
                Code::NotInterpolable,
                at,
                "a function cannot be shown as text",
            );
        } else if let Some(sealed) = self.holds_sealed(ty) {
            let name = self.type_name(sealed);
            let error = Diagnostic::error(
                Code::SealedType,
                self.at(at),
                format!("this would show what a `{name}` is made of"),
            )
            .note("the type is `nominal_opaque`: only its own module sees that")
            .cure("call a function of that module which gives a text");
            self.report(error);
        }
    }

    /// A key that was refused where it is written is not blamed on the calls of
    /// the same item.
    fn decide_key(&mut self, ty: Ty, at: NodeId, written: bool) {
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
