//! Records without a name. Such a type is known by its fields' names: it is a
//! generic record whose type parameters are the types of its fields, so that
//! `{ a: Int, b: String }` is one shape with two arguments. The shapes are
//! shared by the process, as names are, and like names they must be ordered by
//! nothing that a person or a digest sees.

use crate::core::{Field, ModuleId, Shape, TypeDef, TypeRef, Variant};
use crate::types::Ty;
use dag_syntax::{Span, Symbol};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::{LazyLock, PoisonError, RwLock};

#[derive(Default)]
struct Shapes {
    index: FxHashMap<Box<[Symbol]>, u32>,
    declarations: Vec<&'static TypeDef>,
}

static SHAPES: LazyLock<RwLock<Shapes>> = LazyLock::new(RwLock::default);

/// The record with fields of these names, which must differ. Its arguments are
/// the types of the fields in the order of their names.
pub(crate) fn unnamed(names: &[Symbol]) -> TypeRef {
    let mut names: Box<[Symbol]> = names.into();
    names.sort_unstable_by_key(|name| name.as_str());
    let of = |index| TypeRef {
        module: ModuleId::UNNAMED,
        index,
    };
    let shapes = SHAPES.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(index) = shapes.index.get(&names) {
        return of(*index);
    }
    drop(shapes);
    let mut shapes = SHAPES.write().unwrap_or_else(PoisonError::into_inner);
    if let Some(index) = shapes.index.get(&names) {
        return of(*index);
    }
    let index = shapes.declarations.len() as u32;
    // Lives as long as the process: there are few shapes.
    let declaration: &'static TypeDef = Box::leak(Box::new(declare(&names)));
    shapes.declarations.push(declaration);
    shapes.index.insert(names, index);
    of(index)
}

fn declare(names: &[Symbol]) -> TypeDef {
    let listed: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
    let name = Symbol::new(&format!("{{ {} }}", listed.join(", ")));
    let fields = names.iter().zip(0..).map(|(name, index)| Field {
        name: *name,
        span: Span::default(),
        // The type parameter of that number: no table holds it.
        ty: Ty(index),
        default: None,
        source: None,
    });
    TypeDef {
        name,
        span: Span::default(),
        params: names.to_vec(),
        shape: Shape::Record(Variant {
            name,
            span: Span::default(),
            fields: fields.collect(),
        }),
        observed: false,
        sole_constructor: false,
        nominal_opaque: false,
    }
}

/// How a type is written down: one without a name by the names of its fields,
/// because its number is another in every process.
#[derive(Serialize, Deserialize)]
enum Written {
    Declared(ModuleId, u32),
    Unnamed(Vec<Symbol>),
}

impl Serialize for TypeRef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let written = match declaration(*self) {
            Some(def) => Written::Unnamed(def.params.clone()),
            None => Written::Declared(self.module, self.index),
        };
        written.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for TypeRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Written::deserialize(deserializer)? {
            Written::Declared(module, index) => Self { module, index },
            Written::Unnamed(names) => unnamed(&names),
        })
    }
}

/// The declaration of a record without a name; none if the type has one. Its
/// fields' types are the numbers of its type parameters.
#[must_use]
pub fn declaration(ty: TypeRef) -> Option<&'static TypeDef> {
    if !ty.is_unnamed() {
        return None;
    }
    let shapes = SHAPES.read().unwrap_or_else(PoisonError::into_inner);
    shapes.declarations.get(ty.index as usize).copied()
}
