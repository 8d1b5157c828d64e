//! Types, as a module speaks of them: hash-consed in the module's own table, so
//! that equal types are equal numbers there and modules can be checked apart.

use crate::core::TypeRef;
use dag_syntax::Symbol;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A type: an index in a [`TypeTable`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Ty(pub u32);

/// What a type is.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
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
    facts: Vec<Facts>,
}

/// What is known of a type without walking it: types are shared, so a walk may
/// take exponentially longer than the type took to write.
#[derive(Clone, Copy, Debug, Default)]
struct Facts {
    variable: bool,
    param: bool,
    error: bool,
    depth: u32,
}

impl Facts {
    fn with(self, part: Self) -> Self {
        Self {
            variable: self.variable || part.variable,
            param: self.param || part.param,
            error: self.error || part.error,
            depth: self.depth.max(part.depth + 1),
        }
    }
}

/// Kept as the list of its types: the rest follows from it.
impl Serialize for TypeTable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.kinds.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for TypeTable {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let kinds = Vec::<TyKind>::deserialize(deserializer)?;
        let mut table = Self {
            facts: Vec::with_capacity(kinds.len()),
            ..Self::default()
        };
        // A type stands after its parts.
        for kind in &kinds {
            let facts = table.facts_of(kind);
            table.facts.push(facts);
        }
        table.kinds = kinds;
        Ok(table)
    }
}

impl TypeTable {
    /// The types, to be given other numbers of modules.
    pub(crate) fn kinds_mut(&mut self) -> &mut [TyKind] {
        &mut self.kinds
    }

    /// The type of that kind.
    pub fn intern(&mut self, kind: TyKind) -> Ty {
        if let Some(ty) = self.index.get(&kind) {
            return *ty;
        }
        let ty = Ty(self.kinds.len() as u32);
        self.facts.push(self.facts_of(&kind));
        self.kinds.push(kind.clone());
        self.index.insert(kind, ty);
        ty
    }

    /// Gives back what only interning needs: the table of a checked module is read.
    pub(crate) fn close(&mut self) {
        self.index = FxHashMap::default();
        self.kinds.shrink_to_fit();
        self.facts.shrink_to_fit();
    }

    fn facts_of(&self, kind: &TyKind) -> Facts {
        let none = Facts::default();
        let all = |facts: Facts, parts: &[Ty]| {
            parts
                .iter()
                .fold(facts, |facts, part| facts.with(self.facts(*part)))
        };
        match kind {
            TyKind::Named(_, args) => all(none, args),
            TyKind::Function(params, result) => all(none, params).with(self.facts(*result)),
            TyKind::Param(..) => Facts {
                param: true,
                ..none
            },
            TyKind::Variable(_) => Facts {
                variable: true,
                ..none
            },
            TyKind::Error => Facts {
                error: true,
                ..none
            },
        }
    }

    fn facts(&self, ty: Ty) -> Facts {
        self.facts.get(ty.0 as usize).copied().unwrap_or_default()
    }

    /// What the type is.
    #[must_use]
    pub fn kind(&self, ty: Ty) -> &TyKind {
        self.kinds.get(ty.0 as usize).unwrap_or(&TyKind::Error)
    }

    /// Whether a variable stands somewhere in it as it is written.
    pub(crate) fn has_variable(&self, ty: Ty) -> bool {
        self.facts(ty).variable
    }

    /// Whether a type parameter stands somewhere in it as it is written.
    pub(crate) fn has_param(&self, ty: Ty) -> bool {
        self.facts(ty).param
    }

    /// Whether a mistake stands somewhere in it as it is written.
    pub(crate) fn has_error(&self, ty: Ty) -> bool {
        self.facts(ty).error
    }

    /// How deep it nests as it is written.
    pub(crate) fn depth(&self, ty: Ty) -> u32 {
        self.facts(ty).depth
    }
}
