//! Values as JSON: records as objects, variants as `{"Variant": {…}}`, variants
//! without fields as their name, a present optional as what it holds, an absent
//! one as null. A set is an array; a map is an object if its keys are texts,
//! and else an array of pairs (an empty one is an empty object). A secret is its
//! name. The text form walks with a worklist, so depth costs no stack.

use crate::display::is_positional;
use crate::list::Iter;
use crate::value::{Data, Value, secret_name, type_of, variant_of};
use dag_analysis::Kernel;
use dag_analysis::core::{Program, Shape, TypeRef, Variant};
use std::fmt::Write;

/// Why a value has no JSON form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum JsonError {
    /// JSON has no functions.
    #[error("a function has no JSON form")]
    Function,
    /// The text would be longer than 256 MiB.
    #[error("the JSON form exceeds {0} bytes")]
    TooLong(usize),
    /// A tree of `serde_json` nests deeper than a reader accepts.
    #[error("the value nests deeper than {0} levels; write it as text instead")]
    TooDeep(usize),
    /// The value belongs to another program.
    #[error("the value's type is not declared by this program")]
    UnknownType,
}

/// `serde_json` drops and prints its trees by recursion.
const MAX_DEPTH: usize = 120;

enum Open<'a> {
    List {
        items: Iter<'a>,
        first: bool,
    },
    /// `{"key": value, …}`
    Object {
        keys: Iter<'a>,
        values: Iter<'a>,
        first: bool,
    },
    /// `[[key, value], …]`
    Entries {
        keys: Iter<'a>,
        values: Iter<'a>,
        /// Whether the next child is the value of a key that was written.
        at_value: bool,
        first: bool,
    },
    Fields {
        data: &'a Data,
        variant: &'a Variant,
        next: usize,
        shape: FieldsShape,
    },
}

/// How the fields of a constructor are written.
#[derive(Clone, Copy, PartialEq)]
enum FieldsShape {
    /// `{"field": value, …}`
    Record,
    /// `{"Variant": {"field": value, …}}`
    Variant,
    /// `{"Variant": value}`
    Single,
    /// `{"Variant": [value, …]}`
    Tuple,
}

impl FieldsShape {
    fn closing(self) -> &'static str {
        match self {
            FieldsShape::Record | FieldsShape::Single => "}",
            FieldsShape::Variant => "}}",
            FieldsShape::Tuple => "]}",
        }
    }
}

/// The value as a JSON tree; fields are ordered by name.
///
/// # Errors
/// If it holds a function, or nests too deep for `serde_json`.
pub fn to_json(program: &Program, value: &Value) -> Result<serde_json::Value, JsonError> {
    let (text, depth) = write_json(program, value)?;
    if depth > MAX_DEPTH {
        return Err(JsonError::TooDeep(MAX_DEPTH));
    }
    // Our own text of a bounded depth: it parses.
    serde_json::from_str(&text).map_err(|_| JsonError::TooDeep(MAX_DEPTH))
}

/// The value as JSON text on one line; fields in declaration order, any depth.
///
/// # Errors
/// If it holds a function or is too long.
pub fn to_json_text(program: &Program, value: &Value) -> Result<String, JsonError> {
    Ok(write_json(program, value)?.0)
}

fn write_json(program: &Program, value: &Value) -> Result<(String, usize), JsonError> {
    let limit = crate::evaluator::Limits::default().text_bytes;
    let optional = program
        .module_named(Kernel::MODULE)
        .and_then(Kernel::of)
        .map(|kernel| kernel.optional);
    let mut out = String::new();
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut value = value;
    let mut deepest = 0;
    loop {
        begin(program, optional, value, &mut open, &mut out)?;
        deepest = deepest.max(open.len());
        value = loop {
            if out.len() > limit {
                return Err(JsonError::TooLong(limit));
            }
            let Some(top) = open.last_mut() else {
                // A variant opens two levels.
                return Ok((out, deepest * 2));
            };
            match next(top, &mut out) {
                Some(child) => break child,
                None => {
                    open.pop();
                }
            }
        };
    }
}

fn begin<'a>(
    program: &'a Program,
    optional: Option<TypeRef>,
    mut value: &'a Value,
    open: &mut Vec<Open<'a>>,
    out: &mut String,
) -> Result<(), JsonError> {
    loop {
        match value {
            Value::Unit => out.push_str("null"),
            Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
            Value::Int(n) => {
                let _ = write!(out, "{n}");
            }
            Value::Float(n) => crate::display::write_float(*n, out),
            Value::Str(text) => write_string(text, out),
            Value::List(items) => {
                out.push('[');
                open.push(Open::List {
                    items: items.iter(),
                    first: true,
                });
            }
            Value::Set(set) => {
                out.push('[');
                open.push(Open::List {
                    items: set.items().iter(),
                    first: true,
                });
            }
            Value::Map(map) => {
                let (keys, values) = (map.keys().iter(), map.values().iter());
                let texts = map.keys().first().is_none_or(|key| key.as_str().is_some());
                out.push(if texts { '{' } else { '[' });
                open.push(if texts {
                    Open::Object {
                        keys,
                        values,
                        first: true,
                    }
                } else {
                    Open::Entries {
                        keys,
                        values,
                        at_value: false,
                        first: true,
                    }
                });
            }
            Value::Data(data) if optional == Some(data.ctor.ty) => match data.fields.first() {
                Some(held) => {
                    value = held;
                    continue;
                }
                None => out.push_str("null"),
            },
            Value::Data(data) => {
                if let Some(name) = secret_name(program, data) {
                    write_string(name, out);
                    return Ok(());
                }
                let ty = type_of(program, data.ctor).ok_or(JsonError::UnknownType)?;
                let variant = variant_of(program, data.ctor).ok_or(JsonError::UnknownType)?;
                let record = matches!(ty.shape, Shape::Record(_));
                let shape = match (record, is_positional(variant)) {
                    (true, _) => FieldsShape::Record,
                    (false, false) => FieldsShape::Variant,
                    (false, true) if variant.fields.len() == 1 => FieldsShape::Single,
                    (false, true) => FieldsShape::Tuple,
                };
                if !record && variant.fields.is_empty() {
                    write_string(variant.name.as_str(), out);
                    return Ok(());
                }
                out.push('{');
                if !record {
                    write_string(variant.name.as_str(), out);
                    out.push(':');
                }
                match shape {
                    FieldsShape::Variant => out.push('{'),
                    FieldsShape::Tuple => out.push('['),
                    FieldsShape::Record | FieldsShape::Single => {}
                }
                open.push(Open::Fields {
                    data,
                    variant,
                    next: 0,
                    shape,
                });
            }
            Value::Closure(_) | Value::Function(_) => return Err(JsonError::Function),
        }
        return Ok(());
    }
}

fn next<'a>(open: &mut Open<'a>, out: &mut String) -> Option<&'a Value> {
    match open {
        Open::List { items, first } => match items.next() {
            Some(item) => {
                if !std::mem::replace(first, false) {
                    out.push(',');
                }
                Some(item)
            }
            None => {
                out.push(']');
                None
            }
        },
        Open::Object {
            keys,
            values,
            first,
        } => {
            let Some(key) = keys.next().and_then(Value::as_str) else {
                out.push('}');
                return None;
            };
            if !std::mem::replace(first, false) {
                out.push(',');
            }
            write_string(key, out);
            out.push(':');
            values.next()
        }
        Open::Entries {
            keys,
            values,
            at_value,
            first,
        } => {
            if std::mem::replace(at_value, false) {
                out.push(',');
                return values.next();
            }
            if !*first {
                out.push(']');
            }
            let Some(key) = keys.next() else {
                out.push(']');
                return None;
            };
            out.push_str(if std::mem::replace(first, false) {
                "["
            } else {
                ",["
            });
            *at_value = true;
            Some(key)
        }
        Open::Fields {
            data,
            variant,
            next,
            shape,
        } => {
            let data: &'a Data = data;
            let (Some(value), Some(field)) = (data.fields.get(*next), variant.fields.get(*next))
            else {
                out.push_str(shape.closing());
                return None;
            };
            if *next > 0 {
                out.push(',');
            }
            if matches!(shape, FieldsShape::Record | FieldsShape::Variant) {
                write_string(field.name.as_str(), out);
                out.push(':');
            }
            *next += 1;
            Some(value)
        }
    }
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    let mut from = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\r' => "\\r",
            b'\t' => "\\t",
            0..b' ' => "",
            _ => continue,
        };
        // What is escaped is ASCII, so characters end on both sides of it.
        out.push_str(text.get(from..at).unwrap_or_default());
        if escape.is_empty() {
            let _ = write!(out, "\\u{byte:04x}");
        }
        out.push_str(escape);
        from = at + 1;
    }
    out.push_str(text.get(from..).unwrap_or_default());
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::write_string;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn strings_read_back_the_same(text in any::<String>()) {
            let mut out = String::new();
            write_string(&text, &mut out);
            prop_assert_eq!(serde_json::from_str::<String>(&out).unwrap(), text);
        }
    }
}
