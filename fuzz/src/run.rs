//! Cases by number: each is a function of the seed of its run and of its number.

use crate::case::{Case, SourceFile};
use crate::dice::Dice;
use crate::generate;
use crate::minimise::minimised;
use crate::mutate::damaged;
use crate::property::{Broken, hold};
use crate::seeds::{finds_folder, size};
use dag_analysis::STACK_BYTES;
use std::io;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// How much is tried of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// What holds of its texts: they are lexed, parsed and laid out.
    Text,
    /// That, and what holds of the programs that its files are.
    Program,
}

/// A run: a seed of chance, and the models to start from.
#[derive(Clone, Debug)]
pub struct Run {
    seed: u64,
    seeds: Vec<Case>,
    /// The indexes of those that are checked quickly.
    small: Vec<usize>,
}

/// What a check in a debug build takes some hundredths of a second for.
const SMALL: usize = 4_000;

impl Run {
    /// A run with that seed from those models.
    #[must_use]
    pub fn new(seed: u64, seeds: Vec<Case>) -> Self {
        let small = (0..seeds.len()).filter(|i| seeds.get(*i).is_some_and(|s| size(s) <= SMALL));
        Self {
            seed,
            small: small.collect(),
            seeds,
        }
    }

    /// The case with that number.
    #[must_use]
    pub fn case(&self, number: u64, kind: Kind) -> Case {
        let mut dice = Dice::new(self.seed, number);
        let dice = &mut dice;
        if kind == Kind::Program && dice.one_in(3) {
            let mut case = generate::case(dice);
            if dice.one_in(2) {
                self.edit(&mut case, dice);
            }
            return case;
        }
        let seed = match kind {
            Kind::Program if !dice.one_in(25) => {
                dice.pick(&self.small).and_then(|at| self.seeds.get(*at))
            }
            _ => dice.pick(&self.seeds),
        };
        let mut case = seed.cloned().unwrap_or_default();
        match kind {
            Kind::Text => {
                let victim = dice.pick(&case.writes).cloned();
                case.writes = victim.into_iter().collect();
                let other = self.other(dice);
                for write in &mut case.writes {
                    write.text = damaged(&write.text, other, dice);
                }
            }
            Kind::Program => self.edit(&mut case, dice),
        }
        case
    }

    /// Some edits, now and then one back.
    fn edit(&self, case: &mut Case, dice: &mut Dice) {
        for _ in 0..=dice.below(2) {
            let Some(SourceFile { path, text }) = dice.pick(&case.writes).cloned() else {
                return;
            };
            let damaged = damaged(&text, self.other(dice), dice);
            case.write(&path, &damaged);
            if dice.one_in(4) {
                case.write(&path, &text);
            }
        }
    }

    fn other(&self, dice: &mut Dice) -> &str {
        let seed = dice.pick(&self.seeds);
        let file = seed.and_then(|seed| dice.pick(&seed.writes));
        file.map_or("", |file| file.text.as_str())
    }
}

/// Tries a case. A panic is a find as well. A stack that overflows and a check that does not end
/// are not caught: who drives the run writes down what is tried.
///
/// # Errors
/// What does not hold.
pub fn try_case(case: &Case, kind: Kind) -> Result<(), Broken> {
    let tried = catch_unwind(AssertUnwindSafe(|| hold(case, kind)));
    tried.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(Broken {
            property: "nothing panics",
            how: text.unwrap_or("a panic without a text").to_owned(),
        })
    })
}

/// Runs the work on a thread whose stack is as deep as trees may be.
///
/// # Errors
/// There is no such thread.
pub fn on_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> io::Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        let thread = thread.spawn_scoped(scope, work)?;
        thread
            .join()
            .map_err(|_| io::Error::other("the thread panicked"))
    })
}

/// Tries the cases with these numbers on all cores. Each is written to the folder before it is
/// tried, as `trying-N.case`, so that one that takes the process down or does not end is found
/// there. What breaks a property is made small, written to the corpus, and told: one text a find.
///
/// # Errors
/// A case could not be written, or there is no thread.
pub fn try_all(
    run: &Run,
    kind: Kind,
    numbers: Range<u64>,
    folder: &Path,
) -> io::Result<Vec<String>> {
    let next = AtomicU64::new(numbers.start);
    let found = Mutex::new(Vec::new());
    let work = &|thread: usize| -> io::Result<()> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= numbers.end {
                return Ok(());
            }
            let case = run.case(number, kind);
            std::fs::write(
                folder.join(format!("trying-{kind:?}-{thread}.case")),
                case.to_string(),
            )?;
            let Err(broken) = try_case(&case, kind) else {
                continue;
            };
            // One find at a time: many cases often break one property.
            let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
            let told = format!("seed {}, {kind:?} {number}", run.seed);
            found.push(keep(&case, kind, &broken, &told)?);
            if found.len() >= MOST_FINDS {
                next.store(numbers.end, Ordering::Relaxed);
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let threads =
            (0..threads).map(|thread| scope.spawn(move || on_deep_stack(|| work(thread))));
        let ended: Vec<_> = threads.collect();
        for thread in ended {
            let ended = thread.join();
            let ended = ended.map_err(|_| io::Error::other("a worker panicked"))?;
            ended??;
        }
        Ok(())
    })
    .map(|()| found.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// A run ends after so many finds.
const MOST_FINDS: usize = 5;

/// Makes a find small and writes it to the corpus; says what it is.
fn keep(case: &Case, kind: Kind, broken: &Broken, told: &str) -> io::Result<String> {
    let small = minimised(case, kind, broken.property);
    let broken = try_case(&small, kind)
        .err()
        .unwrap_or_else(|| broken.clone());
    let text = small.to_string();
    let hash = text.bytes().fold(0xCBF2_9CE4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3)
    });
    let name = format!(
        "{}-{:08x}.case",
        broken.property.replace(' ', "-"),
        hash as u32
    );
    std::fs::write(finds_folder().join(&name), &text)?;
    Ok(format!(
        "{told}: it does not hold that {}: {}\nkept as fuzz/corpus/{name}:\n{text}",
        broken.property, broken.how
    ))
}
