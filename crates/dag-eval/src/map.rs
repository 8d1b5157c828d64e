//! Maps and sets, in the order of their keys. Both are persistent sorted lists:
//! a clone is a count, a key is found by bisection, and the keys of a map are a
//! list already. The order is [`compare`]'s.

use crate::equality::{Incomparable, compare};
use crate::list::List;
use crate::value::Value;
use std::sync::Arc;

/// A map. No two keys are equal.
#[derive(Clone, Default)]
pub struct Map(Arc<Entries>);

#[derive(Clone, Default)]
struct Entries {
    /// Sorted.
    keys: List,
    /// In the order of the keys.
    values: List,
}

/// A set: sorted, without repetition.
#[derive(Clone, Default)]
pub struct Set(List);

/// Where a key is, or where it belongs.
fn find(keys: &List, key: &Value, fuel: &mut u64) -> Result<Result<usize, usize>, Incomparable> {
    keys.search(|item| compare(item, key, fuel))
}

impl Map {
    /// The map without entries.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A map of keys that are sorted and differ, each with its value.
    pub(crate) fn of_sorted(entries: Vec<(Value, Value)>) -> Self {
        let (keys, values): (Vec<Value>, Vec<Value>) = entries.into_iter().unzip();
        Self(Arc::new(Entries {
            keys: keys.into(),
            values: values.into(),
        }))
    }

    /// How many entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.keys.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.keys.is_empty()
    }

    /// The keys in their order.
    #[must_use]
    pub fn keys(&self) -> &List {
        &self.0.keys
    }

    /// The values in the order of their keys.
    #[must_use]
    pub fn values(&self) -> &List {
        &self.0.values
    }

    /// Keys with their values, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&Value, &Value)> {
        self.0.keys.iter().zip(self.0.values.iter())
    }

    pub(crate) fn get(&self, key: &Value, fuel: &mut u64) -> Result<Option<&Value>, Incomparable> {
        let place = find(&self.0.keys, key, fuel)?.ok();
        Ok(place.and_then(|index| self.0.values.get(index)))
    }

    /// Gives the key a value, in place of any it had.
    pub(crate) fn insert(
        &mut self,
        key: Value,
        value: Value,
        fuel: &mut u64,
    ) -> Result<(), Incomparable> {
        let place = find(&self.0.keys, &key, fuel)?;
        let entries = Arc::make_mut(&mut self.0);
        match place {
            Ok(index) => entries.values.set(index, value),
            Err(index) => {
                entries.keys.insert(index, key);
                entries.values.insert(index, value);
            }
        }
        Ok(())
    }
}

impl Set {
    /// The set without items.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A set of items that are sorted and differ.
    pub(crate) fn of_sorted(items: impl Into<List>) -> Self {
        Self(items.into())
    }

    /// How many items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The items in their order.
    #[must_use]
    pub fn items(&self) -> &List {
        &self.0
    }

    pub(crate) fn has(&self, item: &Value, fuel: &mut u64) -> Result<bool, Incomparable> {
        Ok(find(&self.0, item, fuel)?.is_ok())
    }

    pub(crate) fn insert(&mut self, item: Value, fuel: &mut u64) -> Result<(), Incomparable> {
        if let Err(index) = find(&self.0, &item, fuel)? {
            self.0.insert(index, item);
        }
        Ok(())
    }
}
