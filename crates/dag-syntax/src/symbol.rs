//! Names, interned once for the process so that comparing two is comparing two
//! addresses. The address differs from run to run, so nothing that a person or a
//! digest sees may be ordered by it: order by [`Symbol::as_str`].

use rustc_hash::{FxBuildHasher, FxHashSet};
use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cell::RefCell;
use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::{LazyLock, Mutex, PoisonError};

/// An interned name: a reference to the one copy of its text.
#[derive(Clone, Copy)]
pub struct Symbol(&'static Text);

/// A text that lives as long as the process; there is one of each.
struct Text(Box<str>);

/// A text in a set, found by its characters.
#[derive(Clone, Copy)]
struct Entry(&'static Text);

/// Shards keep threads that meet new names off each other's lock.
const SHARDS: usize = 16;

static INTERNER: LazyLock<[Mutex<FxHashSet<Entry>>; SHARDS]> =
    LazyLock::new(|| std::array::from_fn(|_| Mutex::default()));

thread_local! {
    /// The names that this thread has met: most are met many times, and a lock that
    /// two threads share costs more than a second table.
    static MET: RefCell<FxHashSet<Entry>> = RefCell::default();
}

impl Symbol {
    /// The symbol of `text`. Its text lives as long as the process.
    #[must_use]
    pub fn new(text: &str) -> Self {
        let met = |met: &RefCell<FxHashSet<Entry>>| {
            if let Some(entry) = met.borrow().get(text) {
                return *entry;
            }
            let entry = Self::shared(text);
            met.borrow_mut().insert(entry);
            entry
        };
        // While a thread ends, its own table is gone.
        let Entry(text) = MET.try_with(met).unwrap_or_else(|_| Self::shared(text));
        Self(text)
    }

    /// Finds the text among those of all threads, or adds it.
    fn shared(text: &str) -> Entry {
        let shard = (FxBuildHasher.hash_one(text) >> 7) as usize % SHARDS;
        let mut table = INTERNER[shard]
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = table.get(text) {
            return *entry;
        }
        let entry = Entry(Box::leak(Box::new(Text(text.into()))));
        table.insert(entry);
        entry
    }

    /// The text of the name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        &self.0.0
    }
}

impl PartialEq for Symbol {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Symbol {}

impl Hash for Symbol {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::hash(self.0, state);
    }
}

impl std::borrow::Borrow<str> for Entry {
    fn borrow(&self) -> &str {
        &self.0.0
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.0.0 == other.0.0
    }
}

impl Eq for Entry {}

impl Hash for Entry {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.0.hash(state);
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

/// Kept as its text.
impl Serialize for Symbol {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Symbol {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct AsText;
        impl Visitor<'_> for AsText {
            type Value = Symbol;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a name")
            }
            fn visit_str<E>(self, text: &str) -> Result<Symbol, E> {
                Ok(Symbol::new(text))
            }
        }
        deserializer.deserialize_str(AsText)
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
