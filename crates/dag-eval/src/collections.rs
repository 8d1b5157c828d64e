//! The engine's functions of maps and sets. `lib/std/prelude.dag` says what
//! each does.

use crate::equality::{Incomparable, compare, key_size};
use crate::heap;
use crate::list::List;
use crate::machine::{Machine, sorting};
use crate::map::{Map, Set};
use crate::refusal::{Step, broken, fault};
use crate::value::Value;
use dag_analysis::core::Intrinsic;
use dag_syntax::Code;
use std::cmp::Ordering;

/// Which items of two sets go into a third.
#[derive(Clone, Copy)]
struct Kept {
    only_left: bool,
    both: bool,
    only_right: bool,
}

impl Machine<'_> {
    fn pop_map(&mut self) -> Step<Map> {
        match self.pop()? {
            Value::Map(map) => Ok(map),
            _ => Err(broken("no Map")),
        }
    }

    fn pop_set(&mut self) -> Step<Set> {
        match self.pop()? {
            Value::Set(set) => Ok(set),
            _ => Err(broken("no Set")),
        }
    }

    /// Pops a list whose items become entries that are sorted.
    fn pop_entries(&mut self) -> Step<List> {
        if let Some(Value::List(list)) = self.stack.last() {
            let len = list.len();
            self.charge(len)?;
            self.allocate_all(len, 0)?;
        }
        match self.pop()? {
            Value::List(list) => Ok(list),
            _ => Err(broken("no List")),
        }
    }

    /// Takes room for so many entries in lists of keys and values, each with so many bytes
    /// besides, and for what sorts them.
    fn allocate_all(&mut self, entries: usize, each: usize) -> Step<()> {
        let lists = heap::list(entries).saturating_mul(4);
        self.allocate(lists.saturating_add(entries.saturating_mul(each)))
    }

    /// What a look-up gives, if its key can be ordered.
    pub(crate) fn ordered<T>(&self, result: Result<T, Incomparable>) -> Step<T> {
        result.map_err(|why| match why {
            Incomparable::Fuel => self.out_of_fuel(),
            Incomparable::Function => fault(Code::KeyRefused, "a key holds a function"),
            Incomparable::Float => fault(Code::KeyRefused, "a key holds a Float"),
        })
    }

    /// Pops a key that goes into a map or set: looked at whole, so that it does
    /// not depend on the other keys whether it is refused.
    fn pop_key(&mut self) -> Step<Value> {
        let key = self.pop()?;
        let size = key_size(&key, &mut self.fuel);
        self.ordered(size)?;
        Ok(key)
    }

    /// Pops the arguments of a function of maps or sets and gives its result.
    pub(crate) fn collection(&mut self, op: Intrinsic) -> Step<Value> {
        Ok(match op {
            Intrinsic::MapEmpty => Value::Map(Map::new()),
            Intrinsic::MapFromEntries => self.map_from_entries()?,
            Intrinsic::MapEntries => {
                let (map, pair) = (self.pop_map()?, self.pair()?);
                self.charge(map.len())?;
                self.allocate_all(map.len(), heap::record(2))?;
                let entry = |(key, value): (&Value, &Value)| {
                    Value::data(pair, [key.clone(), value.clone()])
                };
                Value::list(map.iter().map(entry))
            }
            Intrinsic::MapInsert => {
                let value = self.pop()?;
                let (key, mut map) = (self.pop_key()?, self.pop_map()?);
                self.check_items(map.len() + 1)?;
                self.allocate(heap::edit(map.len()).saturating_mul(2))?;
                let inserted = map.insert(key, value, &mut self.fuel);
                self.ordered(inserted)?;
                Value::Map(map)
            }
            Intrinsic::MapGet => {
                let (key, map) = (self.pop()?, self.pop_map()?);
                let found = map.get(&key, &mut self.fuel);
                let found = self.ordered(found)?.cloned();
                self.optional(found)?
            }
            Intrinsic::MapHas => {
                let (key, map) = (self.pop()?, self.pop_map()?);
                let found = map.get(&key, &mut self.fuel);
                Value::Bool(self.ordered(found)?.is_some())
            }
            Intrinsic::MapMerge => self.map_merge()?,
            Intrinsic::MapKeys => Value::List(self.pop_map()?.keys().clone()),
            Intrinsic::MapValues => Value::List(self.pop_map()?.values().clone()),
            Intrinsic::MapSize => Value::Int(self.pop_map()?.len() as i64),

            Intrinsic::SetEmpty => Value::Set(Set::new()),
            Intrinsic::SetFromList => {
                let list = self.pop_entries()?;
                let mut items: Vec<(Value, Value)> = list
                    .iter()
                    .map(|item| (item.clone(), Value::Unit))
                    .collect();
                self.sort_keys(&mut items)?;
                let items: Vec<Value> = items.into_iter().map(|(item, _)| item).collect();
                Value::Set(Set::of_sorted(items))
            }
            Intrinsic::SetItems => Value::List(self.pop_set()?.items().clone()),
            Intrinsic::SetInsert => {
                let (item, mut set) = (self.pop_key()?, self.pop_set()?);
                self.check_items(set.len() + 1)?;
                self.allocate(heap::edit(set.len()))?;
                let inserted = set.insert(item, &mut self.fuel);
                self.ordered(inserted)?;
                Value::Set(set)
            }
            Intrinsic::SetHas => {
                let (item, set) = (self.pop()?, self.pop_set()?);
                let found = set.has(&item, &mut self.fuel);
                Value::Bool(self.ordered(found)?)
            }
            Intrinsic::SetUnion => self.combined(Kept {
                only_left: true,
                both: true,
                only_right: true,
            })?,
            Intrinsic::SetIntersect => self.combined(Kept {
                only_left: false,
                both: true,
                only_right: false,
            })?,
            Intrinsic::SetDiff => self.combined(Kept {
                only_left: true,
                both: false,
                only_right: false,
            })?,
            Intrinsic::SetSize => Value::Int(self.pop_set()?.len() as i64),
            _ => return Err(broken("a walk that was not written as a loop")),
        })
    }

    /// Sorts entries by their keys; of equal keys the last entry stays.
    pub(crate) fn sort_keys(&mut self, entries: &mut Vec<(Value, Value)>) -> Step<()> {
        // All is paid for and looked at before, so that no comparison fails.
        let mut most = 1;
        for (key, _) in &*entries {
            let size = key_size(key, &mut self.fuel);
            most = most.max(self.ordered(size)?);
        }
        self.charge(sorting(entries.len()).saturating_mul(most))?;
        let order =
            |a: &Value, b: &Value| compare(a, b, &mut u64::MAX.clone()).unwrap_or(Ordering::Equal);
        entries.sort_by(|(a, _), (b, _)| order(a, b));
        // From the back, so that the last of equal ones is met first.
        entries.reverse();
        entries.dedup_by(|(a, _), (b, _)| order(a, b).is_eq());
        entries.reverse();
        Ok(())
    }

    fn map_from_entries(&mut self) -> Step<Value> {
        let list = self.pop_entries()?;
        let mut entries = Vec::with_capacity(list.len());
        for entry in &list {
            match entry.as_data().map(|pair| &*pair.fields) {
                Some([key, value]) => entries.push((key.clone(), value.clone())),
                _ => return Err(broken("an entry that is no Pair")),
            }
        }
        self.sort_keys(&mut entries)?;
        Ok(Value::Map(Map::of_sorted(entries)))
    }

    /// Compares two keys for one step and what they are large.
    fn order_keys(&mut self, a: &Value, b: &Value) -> Step<Ordering> {
        let order = compare(a, b, &mut self.fuel);
        self.ordered(order)
    }

    fn map_merge(&mut self) -> Step<Value> {
        let (right, left) = (self.pop_map()?, self.pop_map()?);
        let most = left.len().saturating_add(right.len());
        self.check_items(most)?;
        self.charge(most)?;
        self.allocate_all(most, 0)?;
        let mut merged = Vec::with_capacity(left.len() + right.len());
        let (mut a, mut b) = (left.iter().peekable(), right.iter().peekable());
        let owned = |(key, value): (&Value, &Value)| (key.clone(), value.clone());
        loop {
            let order = match (a.peek(), b.peek()) {
                (Some((a, _)), Some((b, _))) => self.order_keys(a, b)?,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            if order.is_eq() {
                a.next();
            }
            let next = if order.is_lt() { a.next() } else { b.next() };
            merged.extend(next.map(owned));
        }
        Ok(Value::Map(Map::of_sorted(merged)))
    }

    /// The items of two sets, in one walk over both.
    fn combined(&mut self, kept: Kept) -> Step<Value> {
        let (right, left) = (self.pop_set()?, self.pop_set()?);
        let most = left.len().saturating_add(right.len());
        self.check_items(most)?;
        self.charge(most)?;
        self.allocate_all(most, 0)?;
        let mut items: Vec<Value> = Vec::new();
        let (left, right): (&List, &List) = (left.items(), right.items());
        let (mut a, mut b) = (left.iter().peekable(), right.iter().peekable());
        loop {
            let order = match (a.peek(), b.peek()) {
                (Some(a), Some(b)) => self.order_keys(a, b)?,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (None, None) => break,
            };
            let (item, keep) = match order {
                Ordering::Less => (a.next(), kept.only_left),
                Ordering::Greater => (b.next(), kept.only_right),
                Ordering::Equal => {
                    b.next();
                    (a.next(), kept.both)
                }
            };
            items.extend(item.filter(|_| keep).cloned());
        }
        Ok(Value::Set(Set::of_sorted(items)))
    }
}
