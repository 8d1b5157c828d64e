//! What evaluation works with: values of two words, shared, never changed once
//! somebody else can see them.

use crate::list::List;
use crate::map::{Map, Set};
use crate::release::release;
use crate::text::Text;
use dag_analysis::Kernel;
use dag_analysis::core::{Ctor, DeclRef, Program, TypeDef, Variant};
use dag_syntax::Symbol;
use std::fmt;
use std::sync::{Arc, LazyLock};

/// A value. Optionals are [`Data`] of `std.types.Optional`.
#[derive(Clone)]
pub enum Value {
    /// `()`.
    Unit,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A finite number.
    Float(f64),
    /// Text.
    Str(Text),
    /// A list.
    List(List),
    /// A map.
    Map(Map),
    /// A set.
    Set(Set),
    /// A record or variant.
    Data(Arc<Data>),
    /// A lambda with what it captured.
    Closure(Arc<Closure>),
    /// A declared function.
    Function(DeclRef),
}

/// A record or variant.
#[derive(Clone)]
pub struct Data {
    /// Its constructor.
    pub ctor: Ctor,
    /// Its fields, in declaration order.
    pub fields: Box<[Value]>,
}

/// A lambda with what it captured.
pub struct Closure {
    /// The declaration whose text holds the lambda.
    pub(crate) decl: DeclRef,
    /// Its number among the codes of that declaration.
    pub(crate) code: u32,
    /// Captured values, placed after its arguments.
    pub(crate) captures: Box<[Value]>,
}

impl Drop for Data {
    fn drop(&mut self) {
        if !self.fields.is_empty() {
            release(std::mem::take(&mut self.fields).into_vec());
        }
    }
}

impl Drop for Closure {
    fn drop(&mut self) {
        if !self.captures.is_empty() {
            release(std::mem::take(&mut self.captures).into_vec());
        }
    }
}

impl Closure {
    /// The declaration whose text holds the lambda.
    #[must_use]
    pub fn decl(&self) -> DeclRef {
        self.decl
    }
}

impl Value {
    /// Text.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Value::Str(text.into())
    }

    /// A list of these items.
    #[must_use]
    pub fn list(items: impl IntoIterator<Item = Value>) -> Self {
        Value::List(items.into_iter().collect())
    }

    /// A record or variant; nothing is checked.
    #[must_use]
    pub(crate) fn data(ctor: Ctor, fields: impl Into<Box<[Value]>>) -> Self {
        Value::Data(Arc::new(Data {
            ctor,
            fields: fields.into(),
        }))
    }

    /// Whether it is more than what stands in its place.
    pub(crate) fn on_heap(&self) -> bool {
        self.holds_values() || matches!(self, Value::Str(_))
    }

    /// Whether dropping it may drop other values.
    pub(crate) fn holds_values(&self) -> bool {
        matches!(
            self,
            Value::List(_) | Value::Map(_) | Value::Set(_) | Value::Data(_) | Value::Closure(_)
        )
    }

    /// The number, if it is a whole one.
    #[must_use]
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Value::Int(n) => Some(*n),
            _ => None,
        }
    }

    /// The number, if it is a float.
    #[must_use]
    pub fn as_float(&self) -> Option<f64> {
        match self {
            Value::Float(n) => Some(*n),
            _ => None,
        }
    }

    /// The text, if it is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The truth value, if it is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// The list, if it is one.
    #[must_use]
    pub fn as_list(&self) -> Option<&List> {
        match self {
            Value::List(list) => Some(list),
            _ => None,
        }
    }

    /// The map, if it is one.
    #[must_use]
    pub fn as_map(&self) -> Option<&Map> {
        match self {
            Value::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The set, if it is one.
    #[must_use]
    pub fn as_set(&self) -> Option<&Set> {
        match self {
            Value::Set(set) => Some(set),
            _ => None,
        }
    }

    /// The record or variant, if it is one.
    #[must_use]
    pub fn as_data(&self) -> Option<&Data> {
        match self {
            Value::Data(data) => Some(data),
            _ => None,
        }
    }

    /// The name of its constructor: for a record the type's own.
    #[must_use]
    pub fn variant_name(&self, program: &Program) -> Option<Symbol> {
        Some(variant_of(program, self.as_data()?.ctor)?.name)
    }

    /// The name of its declared type.
    #[must_use]
    pub fn type_name(&self, program: &Program) -> Option<Symbol> {
        Some(type_of(program, self.as_data()?.ctor)?.name)
    }

    /// A field of a record or variant; a positional payload is field `0`.
    #[must_use]
    pub fn field(&self, program: &Program, name: &str) -> Option<&Value> {
        let data = self.as_data()?;
        let variant = variant_of(program, data.ctor)?;
        let index = variant
            .fields
            .iter()
            .position(|f| f.name.as_str() == name)?;
        data.fields.get(index)
    }
}

/// The type a constructor builds; none if the value came from another program.
pub(crate) fn type_of(program: &Program, ctor: Ctor) -> Option<&TypeDef> {
    if let Some(def) = dag_analysis::unnamed_declaration(ctor.ty) {
        return Some(def);
    }
    program
        .modules
        .get(ctor.ty.module.0 as usize)?
        .types
        .get(ctor.ty.index as usize)
}

/// A constructor's declaration; none if the value came from another program.
pub(crate) fn variant_of(program: &Program, ctor: Ctor) -> Option<&Variant> {
    type_of(program, ctor)?
        .variants()
        .get(ctor.variant as usize)
}

/// The name of a secret, if the value is one: all that is ever shown of it.
pub(crate) fn secret_name<'v>(program: &Program, data: &'v Data) -> Option<&'v Text> {
    static SECRET: LazyLock<Symbol> = LazyLock::new(|| Symbol::new("Secret"));
    static TYPES: LazyLock<Symbol> = LazyLock::new(|| Symbol::new(Kernel::MODULE));
    let [Value::Str(name)] = &*data.fields else {
        return None;
    };
    let secret = type_of(program, data.ctor)?.name == *SECRET;
    let module = program.modules.get(data.ctor.ty.module.0 as usize);
    (secret && module?.name == *TYPES).then_some(name)
}

impl From<i64> for Value {
    fn from(n: i64) -> Self {
        Value::Int(n)
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Self {
        Value::Bool(b)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Value::text(text)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Value::Str(text.into())
    }
}

/// For people who debug the engine: no names, and cut off where it gets deep.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        show(self, 8, f)
    }
}

fn show(value: &Value, depth: u32, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match value {
        Value::Unit => f.write_str("()"),
        Value::Bool(b) => write!(f, "{b}"),
        Value::Int(n) => write!(f, "{n}"),
        Value::Float(n) => write!(f, "{n:?}"),
        Value::Str(text) => write!(f, "{text:?}"),
        Value::Closure(_) | Value::Function(_) => f.write_str("<fn>"),
        Value::List(_) | Value::Map(_) | Value::Set(_) | Value::Data(_) if depth == 0 => {
            f.write_str("…")
        }
        Value::Set(set) => show(&Value::List(set.items().clone()), depth, f),
        Value::Map(map) => {
            f.write_str("{")?;
            for (i, (key, value)) in map.iter().enumerate() {
                if i > 0 {
                    f.write_str(", ")?;
                }
                if i == 32 {
                    f.write_str("…")?;
                    break;
                }
                show(key, depth - 1, f)?;
                f.write_str(": ")?;
                show(value, depth - 1, f)?;
            }
            f.write_str("}")
        }
        Value::List(list) => {
            f.write_str("[")?;
            for (i, item) in list.iter().enumerate() {
                if i > 0 {
                    f.write_str(", ")?;
                }
                if i == 32 {
                    f.write_str("…")?;
                    break;
                }
                show(item, depth - 1, f)?;
            }
            f.write_str("]")
        }
        Value::Data(data) => {
            let Ctor { ty, variant } = data.ctor;
            write!(f, "<{}.{}.{variant}>(", ty.module.0, ty.index)?;
            for (i, field) in data.fields.iter().enumerate() {
                if i > 0 {
                    f.write_str(", ")?;
                }
                show(field, depth - 1, f)?;
            }
            f.write_str(")")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Value;

    #[test]
    fn a_value_is_two_words() {
        assert_eq!(size_of::<Value>(), 16);
    }

    #[test]
    fn values_cross_threads() {
        fn crosses<T: Send + Sync>() {}
        crosses::<Value>();
    }
}
