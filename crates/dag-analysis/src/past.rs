//! What earlier runs found, and when it still holds.
//!
//! A record says of a module's text: checked against modules with these interfaces, it
//! had no mistake, and this is its own interface. It holds as long as the interfaces of
//! all that was looked at are the same, whatever has changed in them otherwise. A
//! module with a mistake or a warning has no record: it is checked, and reported, again.

use crate::codec;
use crate::core::{Module, ModuleId};
use crate::interface::Digest;
use crate::known::Known;
use crate::module;
use crate::program::on_deep_stacks;
use crate::work::Counters;
use dag_syntax::Symbol;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What was found of a module's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckRecord {
    /// The digest of the text, and of what kind of file it stood in.
    pub text: Digest,
    /// The name on its `module` line.
    pub name: Symbol,
    /// The modules it imports.
    pub imports: Vec<Symbol>,
    /// The modules that its check looked into, each with the digest of its interface.
    pub reads: Vec<(Symbol, Digest)>,
    /// If it mattered which modules are loaded: the digest of those.
    pub loaded: Option<Digest>,
    /// The digest of its own interface.
    pub interface: Digest,
    /// Whether an evaluation is to judge literals of it: [`Module::claims`].
    pub claims: bool,
}

impl CheckRecord {
    /// The key under which the checked module is kept: its text, and all that its check
    /// depends on.
    #[must_use]
    pub fn key(&self) -> Digest {
        let mut hash = blake3::Hasher::new();
        hash.update(&self.text);
        for (name, interface) in &self.reads {
            hash.update(&(name.as_str().len() as u64).to_le_bytes());
            hash.update(name.as_str().as_bytes());
            hash.update(interface);
        }
        hash.update(&self.loaded.unwrap_or_default());
        *hash.finalize().as_bytes()
    }
}

/// The digest of a text as a module's: `CheckRecord::text`.
#[must_use]
pub fn text_digest(text: &str, test_file: bool, library: bool) -> Digest {
    let mut hash = blake3::Hasher::new();
    hash.update(&[u8::from(test_file), u8::from(library)]);
    hash.update(text.as_bytes());
    *hash.finalize().as_bytes()
}

/// CheckRecords, found by their texts.
#[derive(Clone, Debug, Default)]
pub struct CheckRecords {
    by_text: FxHashMap<Digest, Arc<CheckRecord>>,
}

/// CheckRecords as they are written: names and interfaces are said once.
#[derive(Serialize, Deserialize)]
struct Written {
    names: Vec<Symbol>,
    interfaces: Vec<(u32, Digest)>,
    records: Vec<WrittenRecord>,
}

#[derive(Serialize, Deserialize)]
struct WrittenRecord {
    text: Digest,
    name: u32,
    imports: Vec<u32>,
    reads: Vec<u32>,
    loaded: Option<Digest>,
    interface: Digest,
    claims: bool,
}

/// Gives each thing a number, the same for equal things.
struct Numbers<T> {
    all: Vec<T>,
    numbers: FxHashMap<T, u32>,
}

impl<T: Copy + Eq + std::hash::Hash> Numbers<T> {
    fn new() -> Self {
        Self {
            all: Vec::new(),
            numbers: FxHashMap::default(),
        }
    }

    fn of(&mut self, thing: T) -> u32 {
        *self.numbers.entry(thing).or_insert_with(|| {
            self.all.push(thing);
            self.all.len() as u32 - 1
        })
    }
}

impl CheckRecords {
    /// The record of a text.
    #[must_use]
    pub fn get(&self, text: &Digest) -> Option<&Arc<CheckRecord>> {
        self.by_text.get(text)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_text.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_text.is_empty()
    }

    /// As bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut names = Numbers::new();
        let mut interfaces = Numbers::new();
        let mut records: Vec<&Arc<CheckRecord>> = self.by_text.values().collect();
        records.sort_unstable_by_key(|record| (record.name.as_str(), record.text));
        let records = records
            .into_iter()
            .map(|record| WrittenRecord {
                text: record.text,
                name: names.of(record.name),
                imports: record.imports.iter().map(|name| names.of(*name)).collect(),
                reads: record
                    .reads
                    .iter()
                    .map(|(name, interface)| interfaces.of((names.of(*name), *interface)))
                    .collect(),
                loaded: record.loaded,
                interface: record.interface,
                claims: record.claims,
            })
            .collect();
        let written = Written {
            names: names.all,
            interfaces: interfaces.all,
            records,
        };
        postcard::to_allocvec(&written).unwrap_or_default()
    }

    /// From bytes; none if they are no records.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let written: Written = postcard::from_bytes(bytes).ok()?;
        let name = |number: u32| written.names.get(number as usize).copied();
        let read = |number: &u32| {
            let (number, interface) = written.interfaces.get(*number as usize)?;
            Some((name(*number)?, *interface))
        };
        let record = |record: &WrittenRecord| {
            Some(Arc::new(CheckRecord {
                text: record.text,
                name: name(record.name)?,
                imports: record
                    .imports
                    .iter()
                    .map(|n| name(*n))
                    .collect::<Option<_>>()?,
                reads: record.reads.iter().map(read).collect::<Option<_>>()?,
                loaded: record.loaded,
                interface: record.interface,
                claims: record.claims,
            }))
        };
        written.records.iter().map(record).collect()
    }
}

impl FromIterator<Arc<CheckRecord>> for CheckRecords {
    fn from_iter<I: IntoIterator<Item = Arc<CheckRecord>>>(records: I) -> Self {
        Self {
            by_text: records.into_iter().map(|r| (r.text, r)).collect(),
        }
    }
}

/// Where checked modules are kept.
pub trait Keep: Send + Sync {
    /// The module that was kept under a key, byte for byte as it was given. Nothing else
    /// may be returned: what was damaged or is of another origin is not there.
    fn module(&self, key: &Digest) -> Option<Vec<u8>>;

    /// Keeps a module that was checked now and has no mistake. Checks call it while they
    /// go on, from several threads.
    fn keep(&self, key: Digest, module: Vec<u8>);
}

/// The earlier runs.
#[derive(Clone)]
pub struct Past {
    /// What they found, and where the modules are; none if there is no past, and
    /// nothing is to be written down for the future either.
    kept: Option<(Arc<CheckRecords>, Arc<dyn Keep>)>,
}

impl Past {
    /// No earlier run.
    pub const NONE: Self = Self { kept: None };

    /// Earlier runs that left these.
    #[must_use]
    pub fn new(records: Arc<CheckRecords>, keep: Arc<dyn Keep>) -> Self {
        Self {
            kept: Some((records, keep)),
        }
    }

    /// Whether this run is to be written down.
    pub(crate) fn is_kept(&self) -> bool {
        self.kept.is_some()
    }

    pub(crate) fn record(&self, text: &Digest) -> Option<Arc<CheckRecord>> {
        let (records, _) = self.kept.as_ref()?;
        records.get(text).cloned()
    }

    /// Keeps a module that was checked now.
    pub(crate) fn keep(&self, record: &CheckRecord, module: Vec<u8>) {
        if let Some((_, keep)) = &self.kept {
            keep.keep(record.key(), module);
        }
    }

    /// A module that an earlier run checked, and the names of its items that do not
    /// parse. If it is not there any more it is checked again.
    pub(crate) fn restore(&self, known: &Known, id: ModuleId) -> (Arc<Module>, Vec<Symbol>) {
        let Some(unit) = known.unit(id) else {
            unreachable!("a module that is asked for is one of the program's")
        };
        let kept = self.kept.as_ref().zip(unit.record.as_ref());
        let bytes = kept.and_then(|((_, keep), record)| keep.module(&record.key()));
        let module = bytes.and_then(|bytes| codec::decode(&bytes, &|name| known.module(name)));
        if let Some(mut module) = module {
            Counters::add(&known.work.restored, 1);
            module.id = id;
            module.source = unit.source;
            return (Arc::new(module), Vec::new());
        }
        // Whoever asks for a module of a program may have a small stack.
        let output = on_deep_stacks(|| module::check_unit(known, id, unit).0);
        (Arc::new(output.module), output.broken)
    }
}

/// Whether what an earlier run found of a module holds now.
pub(crate) fn holds(record: &CheckRecord, known: &Known, id: ModuleId) -> bool {
    let same = |(name, interface): &(Symbol, Digest)| {
        let module = known.module(*name);
        module.and_then(|module| known.interface(module)) == Some(*interface)
    };
    record.reads.iter().all(same)
        && record
            .loaded
            .is_none_or(|loaded| known.loads(id) == Some(loaded))
}
