//! Whether two values are equal, and a digest that agrees with it; both walk
//! with a worklist, so depth costs no stack.
//!
//! Sharing is deliberately not looked at for records and lists: whether a
//! comparison meets a function must not depend on what happens to be shared.

use crate::list::Iter;
use crate::machine::PER_STEP;
use crate::value::Value;
use rustc_hash::FxHasher;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};

/// Why two values could not be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Incomparable {
    /// A function was met.
    Function,
    /// A float was met in a key.
    Float,
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

/// Takes the steps of reading so many bytes of a text.
fn read(bytes: usize, fuel: &mut u64) -> Result<(), Incomparable> {
    let steps = (bytes / PER_STEP) as u64;
    *fuel = fuel.checked_sub(steps).ok_or(Incomparable::Fuel)?;
    Ok(())
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
            (Value::Str(a), Value::Str(b)) => {
                if a.len() == b.len() {
                    read(a.len(), fuel)?;
                }
                a == b
            }
            (Value::List(a), Value::List(b)) => {
                let same = a.len() == b.len();
                if same && !a.is_empty() {
                    waiting.push(Pairs::Items(a.iter(), b.iter()));
                }
                same
            }
            (Value::Map(a), Value::Map(b)) => {
                let same = a.len() == b.len();
                if same && !a.is_empty() {
                    waiting.push(Pairs::Items(a.values().iter(), b.values().iter()));
                    waiting.push(Pairs::Items(a.keys().iter(), b.keys().iter()));
                }
                same
            }
            (Value::Set(a), Value::Set(b)) => {
                let same = a.len() == b.len();
                if same && !a.is_empty() {
                    waiting.push(Pairs::Items(a.items().iter(), b.items().iter()));
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

/// The order of values: numbers by size, texts by their scalar values, false
/// before true; lists item by item, the shorter first where one begins the
/// other; variants in the order of their declaration, then field by field; maps
/// by their keys, then by their values. Each compared pair costs a step.
pub(crate) fn compare(a: &Value, b: &Value, fuel: &mut u64) -> Result<Ordering, Incomparable> {
    // Parts still to be compared, and what decides if they are all equal.
    let mut waiting: Vec<(Pairs<'_>, Ordering)> = Vec::new();
    let (mut a, mut b) = (a, b);
    loop {
        *fuel = fuel.checked_sub(1).ok_or(Incomparable::Fuel)?;
        let order = match (a, b) {
            (Value::Unit, Value::Unit) => Ordering::Equal,
            (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
            (Value::Int(a), Value::Int(b)) => a.cmp(b),
            // A Float is finite, and both zeros are equal.
            (Value::Float(a), Value::Float(b)) => a.partial_cmp(b).unwrap_or(Ordering::Equal),
            // Bytes of UTF-8 are in the order of the scalar values.
            (Value::Str(a), Value::Str(b)) => {
                read(a.len().min(b.len()), fuel)?;
                a.as_str().cmp(b.as_str())
            }
            (Value::List(a), Value::List(b)) => {
                waiting.push((Pairs::Items(a.iter(), b.iter()), a.len().cmp(&b.len())));
                Ordering::Equal
            }
            (Value::Set(a), Value::Set(b)) => {
                let (a, b) = (a.items(), b.items());
                waiting.push((Pairs::Items(a.iter(), b.iter()), a.len().cmp(&b.len())));
                Ordering::Equal
            }
            (Value::Map(a), Value::Map(b)) => {
                let values = Pairs::Items(a.values().iter(), b.values().iter());
                waiting.push((values, Ordering::Equal));
                let keys = Pairs::Items(a.keys().iter(), b.keys().iter());
                waiting.push((keys, a.len().cmp(&b.len())));
                Ordering::Equal
            }
            (Value::Data(a), Value::Data(b)) => {
                let fields = Pairs::Fields(a.fields.iter(), b.fields.iter());
                waiting.push((fields, Ordering::Equal));
                a.ctor.variant.cmp(&b.ctor.variant)
            }
            // Of two types: the checker lets no such keys stand together.
            _ => return Err(Incomparable::Function),
        };
        if order.is_ne() {
            return Ok(order);
        }
        (a, b) = loop {
            let Some((pairs, at_the_end)) = waiting.last_mut() else {
                return Ok(Ordering::Equal);
            };
            if let Some(pair) = pairs.next() {
                break pair;
            }
            if at_the_end.is_ne() {
                return Ok(*at_the_end);
            }
            waiting.pop();
        };
    }
}

/// How many parts a key has, if it is one; each costs a step. A Float is no key:
/// numbers that were worked out in two ways are seldom equal.
pub(crate) fn key_size(key: &Value, fuel: &mut u64) -> Result<usize, Incomparable> {
    size(key, false, fuel)
}

/// How many parts a value has, if it can be ordered; each costs a step.
pub(crate) fn ordered_size(value: &Value, fuel: &mut u64) -> Result<usize, Incomparable> {
    size(value, true, fuel)
}

fn size(value: &Value, floats: bool, fuel: &mut u64) -> Result<usize, Incomparable> {
    let mut waiting = vec![value];
    let mut size = 0usize;
    while let Some(part) = waiting.pop() {
        *fuel = fuel.checked_sub(1).ok_or(Incomparable::Fuel)?;
        size += 1;
        match part {
            Value::Unit | Value::Bool(_) | Value::Int(_) => {}
            // As many steps as a comparison of it may take.
            Value::Str(text) => size += text.len() / 64,
            Value::Float(_) if floats => {}
            Value::Float(_) => return Err(Incomparable::Float),
            Value::List(items) => waiting.extend(items),
            Value::Set(set) => waiting.extend(set.items()),
            Value::Map(map) => {
                waiting.extend(map.keys());
                waiting.extend(map.values());
            }
            Value::Data(data) => waiting.extend(&data.fields),
            Value::Closure(_) | Value::Function(_) => return Err(Incomparable::Function),
        }
    }
    Ok(size)
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
            Value::Str(text) => {
                read(text.len(), fuel)?;
                text.as_str().hash(&mut hasher);
            }
            Value::List(items) => {
                items.len().hash(&mut hasher);
                waiting.extend(items);
            }
            Value::Map(map) => {
                map.len().hash(&mut hasher);
                waiting.extend(map.keys());
                waiting.extend(map.values());
            }
            Value::Set(set) => {
                set.len().hash(&mut hasher);
                waiting.extend(set.items());
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
