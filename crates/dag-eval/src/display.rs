//! The display form of values, which is also how they are written in a model.
//! Walks with a worklist, so depth costs no stack.

use crate::list::Iter;
use crate::value::{Data, Value, secret_name, variant_of};
use dag_analysis::core::{Program, Shape, Variant};
use std::fmt::Write;

/// The text would be longer than allowed: the limit, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the display form exceeds {0} bytes")]
pub struct TooLong(pub usize);

enum Open<'a> {
    List {
        items: Iter<'a>,
        first: bool,
    },
    Map {
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
        positional: bool,
    },
}

/// The display form: a text as it is, `true`, `42`, `[a, b]`,
/// `Name { field: value }`, `Name(value)`, `{key: value}`; a set as a list, a secret as its
/// name. Texts inside others are quoted.
/// A form longer than 256 MiB is cut off with `…`.
#[must_use]
pub fn display(program: &Program, value: &Value) -> String {
    let mut out = String::new();
    let limit = crate::evaluator::Limits::default().text_bytes;
    if write_value(program, value, limit, &mut out).is_err() {
        out.push('…');
    }
    out
}

/// The display form, whole.
///
/// # Errors
/// If it is longer than 256 MiB.
pub fn display_whole(program: &Program, value: &Value) -> Result<String, TooLong> {
    let mut out = String::new();
    let limit = crate::evaluator::Limits::default().text_bytes;
    write_value(program, value, limit, &mut out)?;
    Ok(out)
}

/// The display form, unless it becomes longer than `limit` bytes.
pub(crate) fn write_value(
    program: &Program,
    value: &Value,
    limit: usize,
    out: &mut String,
) -> Result<(), TooLong> {
    let mut open: Vec<Open<'_>> = Vec::new();
    let mut value = value;
    loop {
        begin(program, value, &mut open, out);
        value = loop {
            if out.len() > limit {
                return Err(TooLong(limit));
            }
            let Some(top) = open.last_mut() else {
                return Ok(());
            };
            match next(top, out) {
                Some(child) => break child,
                None => {
                    open.pop();
                }
            }
        };
    }
}

/// Writes a value up to its first child.
fn begin<'a>(program: &'a Program, value: &'a Value, open: &mut Vec<Open<'a>>, out: &mut String) {
    match value {
        Value::Unit => out.push_str("()"),
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Int(n) => {
            let _ = write!(out, "{n}");
        }
        Value::Float(n) => write_float(*n, out),
        Value::Str(text) if open.is_empty() => out.push_str(text),
        Value::Str(text) => write_quoted(text, out),
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
            out.push('{');
            open.push(Open::Map {
                keys: map.keys().iter(),
                values: map.values().iter(),
                at_value: false,
                first: true,
            });
        }
        Value::Data(data) => {
            let Some(variant) = variant_of(program, data.ctor) else {
                out.push_str("<unknown>");
                return;
            };
            if let Some(name) = secret_name(program, data) {
                out.push_str(name);
                return;
            }
            if data.ctor.ty.is_unnamed() {
                out.push_str("{ ");
                open.push(Open::Fields {
                    data,
                    variant,
                    next: 0,
                    positional: false,
                });
                return;
            }
            out.push_str(variant.name.as_str());
            if variant.fields.is_empty() {
                let ty = program.modules.get(data.ctor.ty.module.0 as usize);
                let ty = ty.and_then(|m| m.types.get(data.ctor.ty.index as usize));
                if ty.is_some_and(|t| matches!(t.shape, Shape::Record(_))) {
                    out.push_str(" {}");
                }
                return;
            }
            let positional = is_positional(variant);
            out.push_str(if positional { "(" } else { " { " });
            open.push(Open::Fields {
                data,
                variant,
                next: 0,
                positional,
            });
        }
        Value::Closure(closure) => write_function(program, closure.decl, out),
        Value::Function(decl) => write_function(program, *decl, out),
    }
}

fn write_function(program: &Program, decl: dag_analysis::core::DeclRef, out: &mut String) {
    let module = program.modules.get(decl.module.0 as usize);
    let decl = module.and_then(|m| m.decls.get(decl.index as usize));
    let _ = write!(out, "<fn {}>", decl.map_or("?", |d| d.name.as_str()));
}

/// Writes what stands before the next child, or what closes the value.
fn next<'a>(open: &mut Open<'a>, out: &mut String) -> Option<&'a Value> {
    match open {
        Open::List { items, first } => match items.next() {
            Some(item) => {
                if !std::mem::replace(first, false) {
                    out.push_str(", ");
                }
                Some(item)
            }
            None => {
                out.push(']');
                None
            }
        },
        Open::Map {
            keys,
            values,
            at_value,
            first,
        } => {
            if std::mem::replace(at_value, false) {
                out.push_str(": ");
                return values.next();
            }
            let Some(key) = keys.next() else {
                out.push('}');
                return None;
            };
            if !std::mem::replace(first, false) {
                out.push_str(", ");
            }
            *at_value = true;
            Some(key)
        }
        Open::Fields {
            data,
            variant,
            next,
            positional,
        } => {
            let data: &'a Data = data;
            let (Some(value), Some(field)) = (data.fields.get(*next), variant.fields.get(*next))
            else {
                out.push_str(if *positional { ")" } else { " }" });
                return None;
            };
            if *next > 0 {
                out.push_str(", ");
            }
            if !*positional {
                out.push_str(field.name.as_str());
                out.push_str(": ");
            }
            *next += 1;
            Some(value)
        }
    }
}

/// Whether a variant's fields are a positional payload, named by their numbers.
pub(crate) fn is_positional(variant: &Variant) -> bool {
    variant
        .fields
        .first()
        .is_some_and(|f| f.name.as_str() == "0")
}

/// Decimal, with a point, and reading it back gives the same number.
pub(crate) fn write_float(n: f64, out: &mut String) {
    let start = out.len();
    let _ = write!(out, "{n}");
    if !out.get(start..).unwrap_or("").contains('.') {
        out.push_str(".0");
    }
}

/// The text as a literal of the language.
#[must_use]
pub fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_quoted(text, &mut out);
    out
}

fn write_quoted(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    // What needs no escape is taken as a piece.
    while let Some(at) = rest.find(|c: char| matches!(c, '"' | '\\' | '{') || c.is_control()) {
        let (plain, behind) = rest.split_at(at);
        out.push_str(plain);
        let mut chars = behind.chars();
        let Some(c) = chars.next() else { break };
        rest = chars.as_str();
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            // A brace may open a hole.
            '{' => out.push_str("\\{"),
            c if c.is_ascii_control() => {
                let _ = write!(out, "\\x{:02X}", c as u32);
            }
            c if c.is_control() => {
                let _ = write!(out, "\\u{{{:X}}}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push_str(rest);
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::{quote, write_float};
    use expect_test::expect;
    use proptest::prelude::*;

    fn float(n: f64) -> String {
        let mut out = String::new();
        write_float(n, &mut out);
        out
    }

    #[test]
    fn floats_have_a_point() {
        assert_eq!(float(1.0), "1.0");
        assert_eq!(float(-0.0), "-0.0");
        assert_eq!(float(0.1 + 0.2), "0.30000000000000004");
        assert!(float(1e300).ends_with("0.0"));
    }

    #[test]
    fn quoted_texts_are_literals() {
        expect![[r#""a\"\\\n\t\{x}\x07\u{85}é""#]].assert_eq(&quote("a\"\\\n\t{x}\u{7}\u{85}é"));
    }

    proptest! {
        #[test]
        fn floats_read_back_the_same(bits: u64) {
            let n = f64::from_bits(bits);
            prop_assume!(n.is_finite());
            let text = float(n);
            prop_assert!(text.contains('.') && !text.contains('e'));
            prop_assert_eq!(text.parse::<f64>().unwrap().to_bits(), bits);
        }
    }
}
