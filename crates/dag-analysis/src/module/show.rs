//! Types as messages show them.

use super::Checker;
use crate::core::TypeRef;
use crate::types::{Ty, TyKind};

/// Letters after which a type is cut.
const LONGEST: usize = 80;
/// Levels after which a type is cut.
const DEEPEST: usize = 12;

impl Checker<'_> {
    /// The type as it would be written, cut where it is long.
    pub(super) fn show(&self, ty: Ty) -> String {
        let mut out = String::new();
        self.show_in(ty, 0, &mut out);
        out
    }

    fn show_in(&self, ty: Ty, depth: usize, out: &mut String) {
        if out.len() > LONGEST || depth > DEEPEST {
            out.push('…');
            return;
        }
        match self.kind(ty) {
            TyKind::Named(named, args) => {
                if *named == self.kernel.optional && args.len() == 1 {
                    self.show_in(args[0], depth + 1, out);
                    out.push('?');
                    return;
                }
                if let Some(def) = crate::unnamed::declaration(*named) {
                    out.push('{');
                    for (index, (name, ty)) in def.params.iter().zip(args).enumerate() {
                        out.push_str(if index > 0 { ", " } else { " " });
                        out.push_str(name.as_str());
                        out.push_str(": ");
                        self.show_in(*ty, depth + 1, out);
                    }
                    out.push_str(" }");
                    return;
                }
                out.push_str(&self.type_name(*named));
                if !args.is_empty() {
                    out.push('<');
                    self.show_all(args, depth, out);
                    out.push('>');
                }
            }
            TyKind::Function(params, result) => {
                out.push_str("fn(");
                self.show_all(params, depth, out);
                out.push_str(") -> ");
                self.show_in(*result, depth + 1, out);
            }
            TyKind::Param(_, name) => out.push_str(name.as_str()),
            TyKind::Variable(_) | TyKind::Error => out.push('_'),
        }
    }

    fn show_all(&self, types: &[Ty], depth: usize, out: &mut String) {
        for (index, ty) in types.iter().enumerate() {
            if index > 0 {
                out.push_str(", ");
            }
            if out.len() > LONGEST {
                out.push('…');
                return;
            }
            self.show_in(*ty, depth + 1, out);
        }
    }

    /// A type's name.
    pub(super) fn type_name(&self, ty: TypeRef) -> String {
        self.type_def(ty)
            .map_or_else(|| "_".into(), |d| d.name.to_string())
    }

    /// Two types that differ, by module too where their names are the same.
    pub(super) fn show_both(&self, a: Ty, b: Ty) -> (String, String) {
        let (mut shown_a, mut shown_b) = (self.show(a), self.show(b));
        if shown_a == shown_b
            && let (TyKind::Named(ta, _), TyKind::Named(tb, _)) = (self.kind(a), self.kind(b))
            && !ta.is_unnamed()
        {
            let module = |t: &TypeRef| {
                if t.module == self.id {
                    return self.name;
                }
                self.program.get(t.module).map_or(self.name, |m| m.name)
            };
            shown_a = format!("{}.{shown_a}", module(ta));
            shown_b = format!("{}.{shown_b}", module(tb));
        }
        (shown_a, shown_b)
    }
}

/// Names that a message lists; of more than these and two others only so many.
const LISTED: usize = 6;

/// "a", "a and b", "a, b and c", and "a, b, c, d, e, f and 40 more".
pub(super) fn listed(names: &[String]) -> String {
    match names {
        many if many.len() > LISTED + 2 => {
            let more = many.len() - LISTED;
            format!("{} and {more} more", many[..LISTED].join(", "))
        }
        [] => String::new(),
        [one] => one.clone(),
        [init @ .., last] => format!("{} and {last}", init.join(", ")),
    }
}
