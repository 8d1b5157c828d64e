//! Names, interned once for the process so that comparing two is comparing two
//! numbers. The number depends on the order of interning, so nothing that a
//! person or a digest sees may be ordered by it: order by [`Symbol::as_str`].

use rustc_hash::FxBuildHasher;
use std::collections::HashMap;
use std::fmt;
use std::hash::BuildHasher;
use std::sync::{LazyLock, PoisonError, RwLock};

/// An interned name.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Symbol {
    shard: u8,
    index: u32,
}

/// Shards keep threads that parse different files off each other's lock.
const SHARDS: usize = 16;

#[derive(Default)]
struct Shard {
    index: HashMap<&'static str, u32, FxBuildHasher>,
    texts: Vec<&'static str>,
}

static INTERNER: LazyLock<[RwLock<Shard>; SHARDS]> =
    LazyLock::new(|| std::array::from_fn(|_| RwLock::new(Shard::default())));

impl Symbol {
    /// The symbol of `text`. Its text lives as long as the process.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let shard = (FxBuildHasher.hash_one(text) >> 7) as usize % SHARDS;
        let lock = &INTERNER[shard];
        let found = |table: &Shard| table.index.get(text).copied();
        if let Some(index) = found(&lock.read().unwrap_or_else(PoisonError::into_inner)) {
            return Self {
                shard: shard as u8,
                index,
            };
        }
        let mut table = lock.write().unwrap_or_else(PoisonError::into_inner);
        let index = found(&table).unwrap_or_else(|| {
            let kept: &'static str = Box::leak(text.into());
            let index = table.texts.len() as u32;
            table.texts.push(kept);
            table.index.insert(kept, index);
            index
        });
        Self {
            shard: shard as u8,
            index,
        }
    }

    /// The text of the name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        let table = INTERNER[usize::from(self.shard)].read();
        table.unwrap_or_else(PoisonError::into_inner).texts[self.index as usize]
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.as_str())
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl From<&str> for Symbol {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

#[cfg(test)]
mod tests {
    use super::Symbol;

    #[test]
    fn the_same_text_is_the_same_symbol_on_every_thread() {
        let here: Vec<Symbol> = (0..1000)
            .map(|i| Symbol::new(&format!("name{i}")))
            .collect();
        let there = std::thread::spawn(|| {
            (0..1000)
                .rev()
                .map(|i| Symbol::new(&format!("name{i}")))
                .collect::<Vec<_>>()
        });
        let mut there = there.join().unwrap();
        there.reverse();
        assert_eq!(here, there);
        assert_eq!(here[42].as_str(), "name42");
    }
}
