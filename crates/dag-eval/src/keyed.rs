//! What a loop makes of its items and of the key that its function gave each:
//! an order, the least item, groups, two halves.

use crate::equality::{compare, key_size, ordered_size};
use crate::machine::{Machine, sorting};
use crate::map::Map;
use crate::refusal::{Step, broken};
use crate::value::Value;
use dag_analysis::core::Intrinsic;
use std::cmp::Ordering;

/// The order of two values that were looked at before: neither holds a function.
fn order(a: &Value, b: &Value) -> Ordering {
    compare(a, b, &mut u64::MAX.clone()).unwrap_or(Ordering::Equal)
}

impl Machine<'_> {
    /// The value of a loop that is over.
    pub(crate) fn keyed(
        &mut self,
        op: Intrinsic,
        keys: Vec<Value>,
        items: Vec<Value>,
    ) -> Step<Value> {
        match op {
            Intrinsic::ListSortBy => {
                self.pay_order(&keys)?;
                let mut entries: Vec<(Value, Value)> = keys.into_iter().zip(items).collect();
                entries.sort_by(|(a, _), (b, _)| order(a, b));
                Ok(Value::list(entries.into_iter().map(|(_, item)| item)))
            }
            Intrinsic::ListMinBy => self.first_where(Ordering::Less, &keys, items),
            Intrinsic::ListMaxBy => self.first_where(Ordering::Greater, &keys, items),
            Intrinsic::ListIndexBy => {
                let mut entries = keys.into_iter().zip(items).collect();
                self.sort_keys(&mut entries)?;
                Ok(Value::Map(Map::of_sorted(entries)))
            }
            Intrinsic::ListGroupBy => self.group(keys, items),
            Intrinsic::ListPartition => {
                let (mut yes, mut no) = (Vec::new(), Vec::new());
                for (key, item) in keys.into_iter().zip(items) {
                    match key {
                        Value::Bool(true) => yes.push(item),
                        Value::Bool(false) => no.push(item),
                        _ => return Err(broken("a partition by no Bool")),
                    }
                }
                let halves = [Value::List(yes.into()), Value::List(no.into())];
                Ok(Value::data(self.pair()?, halves))
            }
            _ => Err(broken("a loop without keys")),
        }
    }

    /// Takes the steps of sorting by these keys, and looks at each whole: no
    /// comparison fails afterwards.
    fn pay_order(&mut self, keys: &[Value]) -> Step<()> {
        let mut most = 1;
        for key in keys {
            let size = ordered_size(key, &mut self.fuel);
            most = most.max(self.compared(size)?);
        }
        self.charge(sorting(keys.len()).saturating_mul(most))
    }

    /// A list in the order of its items.
    pub(crate) fn sorted(&mut self, items: Vec<Value>) -> Step<Value> {
        self.pay_order(&items)?;
        let mut items = items;
        items.sort_by(order);
        Ok(Value::List(items.into()))
    }

    /// The first item whose key is less, or greater, than all the others.
    fn first_where(&mut self, wanted: Ordering, keys: &[Value], items: Vec<Value>) -> Step<Value> {
        for key in keys {
            let size = ordered_size(key, &mut self.fuel);
            self.compared(size)?;
        }
        let best = (0..keys.len()).reduce(|best, at| match (keys.get(at), keys.get(best)) {
            (Some(key), Some(so_far)) if order(key, so_far) == wanted => at,
            _ => best,
        });
        let best = best.and_then(|at| items.into_iter().nth(at));
        self.optional(best)
    }

    /// The items of each key, in the order of the list.
    fn group(&mut self, keys: Vec<Value>, items: Vec<Value>) -> Step<Value> {
        let mut most = 1;
        for key in &keys {
            let size = key_size(key, &mut self.fuel);
            most = most.max(self.ordered(size)?);
        }
        self.charge(sorting(keys.len()).saturating_mul(most))?;
        let mut entries: Vec<(Value, Value)> = keys.into_iter().zip(items).collect();
        entries.sort_by(|(a, _), (b, _)| order(a, b));
        let mut groups: Vec<(Value, Vec<Value>)> = Vec::new();
        for (key, item) in entries {
            match groups.last_mut() {
                Some((last, group)) if order(last, &key).is_eq() => group.push(item),
                _ => groups.push((key, vec![item])),
            }
        }
        let groups = groups.into_iter();
        let groups = groups.map(|(key, group)| (key, Value::List(group.into())));
        Ok(Value::Map(Map::of_sorted(groups.collect())))
    }
}
