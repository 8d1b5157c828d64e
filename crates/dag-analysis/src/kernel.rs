//! The types of `lib/std/types.dag` that the engine itself speaks of.

use crate::core::{Ctor, Module, ModuleId, TypeRef};
use dag_syntax::Symbol;

/// Where the kernel's types are declared.
#[derive(Clone, Copy, Debug)]
pub struct Kernel {
    /// `String`
    pub string: TypeRef,
    /// `Int`
    pub int: TypeRef,
    /// `Float`
    pub float: TypeRef,
    /// `Bool`
    pub bool: TypeRef,
    /// `Unit`
    pub unit: TypeRef,
    /// `List<T>`
    pub list: TypeRef,
    /// `Optional<T>`, written `T?`
    pub optional: TypeRef,
    /// `Pair<A, B>`
    pub pair: TypeRef,
    /// `Secret`
    pub secret: TypeRef,
    /// `Map<K, V>`
    pub map: TypeRef,
    /// `Set<T>`
    pub set: TypeRef,
}

impl Kernel {
    /// The name of the module that declares them.
    pub const MODULE: &str = "std.types";

    /// The kernel in that module; none if a type is missing from it.
    #[must_use]
    pub fn of(types: &Module) -> Option<Self> {
        Self::find(|name| types.type_named(Symbol::new(name)).map(|(ty, _)| ty))
    }

    /// A kernel none of whose types is declared yet.
    pub(crate) fn undeclared(module: ModuleId) -> Self {
        let none = TypeRef {
            module,
            index: u32::MAX,
        };
        Self {
            string: none,
            int: none,
            float: none,
            bool: none,
            unit: none,
            list: none,
            optional: none,
            pair: none,
            secret: none,
            map: none,
            set: none,
        }
    }

    /// The kernel whose types a function finds by name.
    pub(crate) fn find(find: impl Fn(&str) -> Option<TypeRef>) -> Option<Self> {
        Some(Self {
            string: find("String")?,
            int: find("Int")?,
            float: find("Float")?,
            bool: find("Bool")?,
            unit: find("Unit")?,
            list: find("List")?,
            optional: find("Optional")?,
            pair: find("Pair")?,
            secret: find("Secret")?,
            map: find("Map")?,
            set: find("Set")?,
        })
    }

    /// Whether values of the type hold values of its arguments, and no others that could
    /// give some.
    pub(crate) fn contains(&self, ty: TypeRef) -> bool {
        [self.list, self.optional, self.map, self.set].contains(&ty)
    }

    /// `Present`, the constructor of an optional that holds a value.
    #[must_use]
    pub fn present(&self) -> Ctor {
        Ctor {
            ty: self.optional,
            variant: 0,
        }
    }

    /// `Absent`, the constructor of an optional that holds none.
    #[must_use]
    pub fn absent(&self) -> Ctor {
        Ctor {
            ty: self.optional,
            variant: 1,
        }
    }
}
