//! What `data` items and calls came to in earlier runs.
//!
//! An outcome follows from a declaration, from all that it may reach, and from its
//! arguments, and it is found again by digests of these. Taking it from here changes
//! neither a value nor a count of steps. Refusals are not kept: they are told with places,
//! which an edit moves.

use crate::bytes::{Marks, Reader, Writer, write_number};
use crate::evaluator::Memo;
use crate::value::Value;
use dag_analysis::Digest;
use dag_analysis::core::DeclRef;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// The largest value that is kept, in bytes.
const VALUE: usize = 64 << 10;

/// Arguments that are larger are not told apart: that would take longer than many a call.
const ARGUMENTS: usize = 4 << 10;

/// A call of fewer steps is as soon made as found. One of more is seldom made again, and
/// may nest deeper than whoever asks has room for.
const STEPS: std::ops::RangeInclusive<u64> = 32..=20_000;

/// Values that a step leaves on the stack at most: a call of a lambda leaves all that it
/// captured.
const LEFT: u64 = 4096;

/// Which arguments a call has; none for a `data` item.
type Arguments = Option<[u8; 16]>;

/// Bytes of a batch, more or less: then another one begins.
const BATCH: usize = 512 << 10;

/// Who is given batches.
type Sink = Box<dyn Fn(Vec<u8>) + Send + Sync>;

/// Outcomes of earlier runs, and those that are new.
#[derive(Default)]
pub struct Recollection {
    batches: Vec<Vec<u8>>,
    /// By the digest of all that their declaration may reach.
    rows: FxHashMap<Digest, Vec<Row>>,
    /// As a batch.
    fresh: Mutex<Vec<u8>>,
    sink: Option<Sink>,
}

/// Where an outcome lies.
#[derive(Clone, Copy)]
struct Row {
    index: u32,
    arguments: Arguments,
    spent: Spent,
    batch: u32,
    start: usize,
    len: usize,
}

/// What an evaluation took.
#[derive(Clone, Copy)]
pub(crate) struct Spent {
    pub(crate) steps: u64,
    /// What a call built; nobody asks it of a `data` item, which has room of its own.
    pub(crate) bytes: u64,
}

/// What an evaluation may still take.
#[derive(Clone, Copy)]
pub(crate) struct Left {
    pub(crate) steps: u64,
    pub(crate) calls: u64,
    pub(crate) values: u64,
}

impl Recollection {
    /// What earlier runs left, the oldest first. A batch that is none is passed over.
    #[must_use]
    pub fn of(batches: Vec<Vec<u8>>) -> Self {
        let mut rows: FxHashMap<Digest, Vec<Row>> = FxHashMap::default();
        for (number, batch) in (0..).zip(&batches) {
            for (reach, row) in read(number, batch).unwrap_or_default() {
                rows.entry(reach).or_default().push(row);
            }
        }
        Self {
            batches,
            rows,
            fresh: Mutex::default(),
            sink: None,
        }
    }

    /// The same, handing over what is new as soon as it fills a batch.
    #[must_use]
    pub fn handing_over(mut self, to: impl Fn(Vec<u8>) + Send + Sync + 'static) -> Self {
        self.sink = Some(Box::new(to));
        self
    }

    /// Takes what is new and was not handed over, as a batch; none if nothing is.
    #[must_use]
    pub fn take_fresh(&self) -> Option<Vec<u8>> {
        let fresh = std::mem::take(&mut *self.news());
        (!fresh.is_empty()).then_some(fresh)
    }

    /// Everything from earlier runs that a program with these modules may ask for, in
    /// batches.
    #[must_use]
    pub fn current(&self, is_current: impl Fn(&Digest) -> bool) -> Vec<Vec<u8>> {
        let mut batches = Vec::new();
        let mut out = Vec::new();
        for (reach, rows) in self.rows.iter().filter(|(reach, _)| is_current(reach)) {
            for row in rows {
                let value = self.value(row).unwrap_or_default();
                write(reach, row.index, row.arguments, row.spent, value, &mut out);
            }
            if out.len() >= BATCH {
                batches.push(std::mem::take(&mut out));
            }
        }
        batches.push(out);
        batches.retain(|batch| !batch.is_empty());
        batches
    }

    /// Adds rows to what is new.
    fn add(&self, rows: &[u8]) {
        let full = {
            let mut fresh = self.news();
            fresh.extend_from_slice(rows);
            let is_full = self.sink.is_some() && fresh.len() >= BATCH;
            is_full.then(|| std::mem::take(&mut *fresh))
        };
        if let Some((full, sink)) = full.zip(self.sink.as_ref()) {
            sink(full);
        }
    }

    fn value(&self, row: &Row) -> Option<&[u8]> {
        let batch = self.batches.get(row.batch as usize)?;
        batch.get(row.start..row.start + row.len)
    }

    fn news(&self) -> MutexGuard<'_, Vec<u8>> {
        self.fresh.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn write(
    reach: &Digest,
    index: u32,
    arguments: Arguments,
    spent: Spent,
    value: &[u8],
    out: &mut Vec<u8>,
) {
    out.extend_from_slice(reach);
    write_number(u64::from(index), out);
    out.push(u8::from(arguments.is_some()));
    out.extend_from_slice(&arguments.unwrap_or_default());
    write_number(spent.steps, out);
    write_number(spent.bytes, out);
    write_number(value.len() as u64, out);
    out.extend_from_slice(value);
}

fn read(number: u32, batch: &[u8]) -> Option<Vec<(Digest, Row)>> {
    let mut rows = Vec::new();
    let mut reader = Reader::new(batch);
    while reader.left() > 0 {
        let reach = reader.array()?;
        let index = u32::try_from(reader.number()?).ok()?;
        let [called] = reader.array()?;
        let arguments = reader.array()?;
        let spent = Spent {
            steps: reader.number()?,
            bytes: reader.number()?,
        };
        let len = reader.len()?;
        let start = batch.len() - reader.left();
        reader.bytes(len)?;
        let row = Row {
            index,
            arguments: (called == 1).then_some(arguments),
            spent,
            batch: number,
            start,
            len,
        };
        rows.push((reach, row));
    }
    Some(rows)
}

/// The recollection as an evaluator asks it.
pub(crate) struct Recall {
    past: Arc<Recollection>,
    marks: Marks,
    modules: Box<[OnceLock<Module>]>,
}

/// What is recalled of a module's declarations.
#[derive(Default)]
struct Module {
    data: FxHashMap<u32, Datum>,
    calls: FxHashMap<(u32, [u8; 16]), Row>,
}

/// The outcome of a `data` item, read when it is asked for.
struct Datum {
    row: Row,
    memo: OnceLock<Option<Box<Memo>>>,
}

/// A call to be found again.
#[derive(Clone, Copy)]
pub(crate) struct CallKey {
    decl: DeclRef,
    arguments: [u8; 16],
}

impl Datum {
    fn of(row: Row) -> Self {
        Self {
            row,
            memo: OnceLock::new(),
        }
    }
}

impl Recall {
    pub(crate) fn new(past: Arc<Recollection>, reaches: Vec<Digest>) -> Self {
        Self {
            past,
            modules: reaches.iter().map(|_| OnceLock::new()).collect(),
            marks: Marks::new(reaches),
        }
    }

    fn module(&self, decl: DeclRef) -> Option<&Module> {
        let module = self.modules.get(decl.module.0 as usize)?;
        let reach = self.marks.digest(decl.module)?;
        Some(module.get_or_init(|| {
            let mut module = Module::default();
            for row in self.past.rows.get(reach).into_iter().flatten() {
                match row.arguments {
                    None => drop(module.data.insert(row.index, Datum::of(*row))),
                    Some(arguments) => drop(module.calls.insert((row.index, arguments), *row)),
                }
            }
            module
        }))
    }

    /// The outcome of a `data` item.
    pub(crate) fn data(&self, decl: DeclRef) -> Option<&Memo> {
        let Datum { row, memo } = self.module(decl)?.data.get(&decl.index)?;
        let read = || {
            let value = Reader::new(self.past.value(row)?).whole(&self.marks)?;
            Some(Box::new(Memo {
                result: Ok(value),
                steps: row.spent.steps,
            }))
        };
        memo.get_or_init(read).as_deref()
    }

    /// Keeps the outcome of a `data` item.
    pub(crate) fn keep_data(&self, decl: DeclRef, memo: &Memo) {
        if let Ok(value) = &memo.result {
            let spent = Spent {
                steps: memo.steps,
                bytes: 0,
            };
            let mut row = Vec::new();
            self.keep(decl, None, spent, value, &mut row);
            self.past.add(&row);
        }
    }

    /// How a call is found again; none if that is not worth it.
    pub(crate) fn call(&self, decl: DeclRef, arguments: &[Value]) -> Option<CallKey> {
        self.marks.digest(decl.module)?;
        let mut writer = Writer::new(&self.marks, ARGUMENTS);
        if !arguments.iter().all(|argument| writer.write(argument)) {
            return None;
        }
        Some(CallKey {
            decl,
            arguments: *blake3::hash(&writer.out).as_bytes().first_chunk()?,
        })
    }

    /// What a call came to, and what it took, if that is no more than what is left. A call
    /// nests no deeper than it takes steps.
    pub(crate) fn outcome_of(&self, call: CallKey, left: Left) -> Option<(Value, Spent)> {
        let calls = &self.module(call.decl)?.calls;
        let row = calls.get(&(call.decl.index, call.arguments))?;
        let steps = row.spent.steps;
        if steps > left.steps || steps > left.calls || steps.saturating_mul(LEFT) > left.values {
            return None;
        }
        let value = Reader::new(self.past.value(row)?).whole(&self.marks)?;
        Some((value, row.spent))
    }

    /// Adds to a batch what a call came to now, if it is worth keeping.
    pub(crate) fn keep_call(&self, call: CallKey, spent: Spent, value: &Value, to: &mut Vec<u8>) {
        if STEPS.contains(&spent.steps) {
            self.keep(call.decl, Some(call.arguments), spent, value, to);
        }
    }

    /// Keeps rows of calls.
    pub(crate) fn keep_calls(&self, rows: &[u8]) {
        self.past.add(rows);
    }

    fn keep(
        &self,
        decl: DeclRef,
        arguments: Arguments,
        spent: Spent,
        value: &Value,
        to: &mut Vec<u8>,
    ) {
        let mut writer = Writer::new(&self.marks, VALUE);
        if let Some(reach) = self.marks.digest(decl.module)
            && writer.write(value)
            && writer.is_light()
        {
            write(reach, decl.index, arguments, spent, &writer.out, to);
        }
    }
}
