//! Types, as a module speaks of them: hash-consed in the module's own table, so
//! that equal types are equal numbers there and modules can be checked apart.

use crate::core::TypeRef;
use dag_syntax::Symbol;
use rustc_hash::FxHashMap;

/// A type: an index in a [`TypeTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Ty(pub u32);

/// What a type is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TyKind {
    /// A declared type with its arguments; the kernel's types too, and `T?`, which is
    /// `std.types.Optional<T>`.
    Named(TypeRef, Box<[Ty]>),
    /// `fn(A, B) -> C`.
    Function(Box<[Ty]>, Ty),
    /// A type parameter of the declaration at hand.
    Param(u32, Symbol),
    /// Known later; only while a body is checked.
    Variable(u32),
    /// Stands where a mistake was reported; fits everything, so that one
    /// mistake is reported once.
    Error,
}

/// The types of a module.
#[derive(Debug, Default, Clone)]
pub struct TypeTable {
    kinds: Vec<TyKind>,
    index: FxHashMap<TyKind, Ty>,
}

impl TypeTable {
    /// The type of that kind.
    pub fn intern(&mut self, kind: TyKind) -> Ty {
        if let Some(ty) = self.index.get(&kind) {
            return *ty;
        }
        let ty = Ty(self.kinds.len() as u32);
        self.kinds.push(kind.clone());
        self.index.insert(kind, ty);
        ty
    }

    /// What the type is.
    #[must_use]
    pub fn kind(&self, ty: Ty) -> &TyKind {
        self.kinds.get(ty.0 as usize).unwrap_or(&TyKind::Error)
    }
}
