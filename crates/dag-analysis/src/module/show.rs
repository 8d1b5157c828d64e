//! Types as messages show them.

use super::Checker;
use crate::core::TypeRef;
use crate::types::{Ty, TyKind};

impl Checker<'_> {
    /// The type as it would be written.
    pub(super) fn show(&self, ty: Ty) -> String {
        match self.kind(ty) {
            TyKind::Named(named, args) => {
                if *named == self.kernel.optional && args.len() == 1 {
                    return format!("{}?", self.show(args[0]));
                }
                let name = self.type_name(*named);
                if args.is_empty() {
                    return name;
                }
                let args: Vec<String> = args.iter().map(|t| self.show(*t)).collect();
                format!("{name}<{}>", args.join(", "))
            }
            TyKind::Function(params, result) => {
                let params: Vec<String> = params.iter().map(|t| self.show(*t)).collect();
                format!("fn({}) -> {}", params.join(", "), self.show(*result))
            }
            TyKind::Param(_, name) => name.to_string(),
            TyKind::Variable(_) | TyKind::Error => "_".into(),
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
        {
            let module = |t: &TypeRef| {
                if t.module == self.id {
                    return self.name;
                }
                self.program
                    .modules
                    .get(t.module.0 as usize)
                    .map_or(self.name, |m| m.name)
            };
            shown_a = format!("{}.{shown_a}", module(ta));
            shown_b = format!("{}.{shown_b}", module(tb));
        }
        (shown_a, shown_b)
    }
}

/// "a", "a and b", "a, b and c".
pub(super) fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [init @ .., last] => format!("{} and {last}", init.join(", ")),
    }
}
