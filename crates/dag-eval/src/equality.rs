//! Whether two values are equal, and a digest that agrees with it; both walk
//! with a worklist, so depth costs no stack.
//!
//! Sharing is deliberately not looked at for records and lists: whether a
//! comparison meets a function must not depend on what happens to be shared.

use crate::list::Iter;
use crate::value::Value;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Why two values could not be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Incomparable {
    /// A function was met.
    Function,
    /// The steps were used up.
    Fuel,
}

enum Pairs<'a> {
    Fields(std::slice::Iter<'a, Value>, std::slice::Iter<'a, Value>),
    Items(Iter<'a>, Iter<'a>),
}

impl<'a> Pairs<'a> {
    fn next(&mut self) -> Option<(&'a Value, &'a Value)> {
        match self {
            Pairs::Fields(a, b) => Some((a.next()?, b.next()?)),
            Pairs::Items(a, b) => Some((a.next()?, b.next()?)),
        }
    }
}

/// Whether two values are equal, left to right; each compared pair costs a step.
pub(crate) fn equal(a: &Value, b: &Value, fuel: &mut u64) -> Result<bool, Incomparable> {
    let mut waiting: Vec<Pairs<'_>> = Vec::new();
    let (mut a, mut b) = (a, b);
    loop {
        *fuel = fuel.checked_sub(1).ok_or(Incomparable::Fuel)?;
        let same = match (a, b) {
            (Value::Unit, Value::Unit) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a == b,
            (Value::Str(a), Value::Str(b)) => a == b,
            (Value::List(a), Value::List(b)) => {
                let same = a.len() == b.len();
                if same && !a.is_empty() {
                    waiting.push(Pairs::Items(a.iter(), b.iter()));
                }
                same
            }
            (Value::Data(a), Value::Data(b)) => {
                let same = a.ctor == b.ctor && a.fields.len() == b.fields.len();
                if same && !a.fields.is_empty() {
                    waiting.push(Pairs::Fields(a.fields.iter(), b.fields.iter()));
                }
                same
            }
            (Value::Closure(_) | Value::Function(_), _)
            | (_, Value::Closure(_) | Value::Function(_)) => return Err(Incomparable::Function),
            _ => false,
        };
        if !same {
            return Ok(false);
        }
        (a, b) = loop {
            let Some(pairs) = waiting.last_mut() else {
                return Ok(true);
            };
            match pairs.next() {
                Some(pair) => break pair,
                None => {
                    waiting.pop();
                }
            }
        };
    }
}

/// A digest that equal values share.
pub(crate) fn digest(value: &Value, fuel: &mut u64) -> Result<u64, Incomparable> {
    let mut hasher = FxHasher::default();
    let mut waiting = vec![value];
    while let Some(value) = waiting.pop() {
        *fuel = fuel.checked_sub(1).ok_or(Incomparable::Fuel)?;
        match value {
            Value::Unit => 0u8.hash(&mut hasher),
            Value::Bool(b) => b.hash(&mut hasher),
            Value::Int(n) => n.hash(&mut hasher),
            // Both zeros are equal.
            Value::Float(n) => (if *n == 0.0 { 0.0 } else { *n })
                .to_bits()
                .hash(&mut hasher),
            Value::Str(text) => text.as_str().hash(&mut hasher),
            Value::List(items) => {
                items.len().hash(&mut hasher);
                waiting.extend(items);
            }
            Value::Data(data) => {
                data.ctor.hash(&mut hasher);
                waiting.extend(&data.fields);
            }
            Value::Closure(_) | Value::Function(_) => return Err(Incomparable::Function),
        }
    }
    Ok(hasher.finish())
}

/// As `==` in the language; a comparison that meets a function is false.
impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        let mut fuel = u64::MAX;
        equal(self, other, &mut fuel) == Ok(true)
    }
}
