//! Names and sentences of the corpus.

use super::random::Random;

const FIRST: [&str; 60] = [
    "amber", "anchor", "arch", "ash", "barn", "basin", "beam", "birch", "boiler", "brick",
    "bridge", "cable", "canal", "cedar", "chalk", "cinder", "clay", "cliff", "cobalt", "copper",
    "coral", "crane", "delta", "dock", "drum", "dune", "ember", "fern", "ferry", "field", "flint",
    "forge", "frost", "gable", "glass", "grain", "granite", "gravel", "harbor", "hazel", "heath",
    "hollow", "iron", "ivory", "kiln", "lantern", "larch", "ledge", "lime", "loom", "maple",
    "marsh", "meadow", "mill", "moor", "oak", "orchard", "quarry", "reed", "slate",
];

const SECOND: [&str; 60] = [
    "account", "alarm", "batch", "beacon", "borrow", "bucket", "budget", "buffer", "carrier",
    "cell", "channel", "claim", "clock", "counter", "cursor", "digest", "drain", "envelope",
    "epoch", "fence", "frame", "gate", "grant", "handle", "holder", "index", "intake", "journal",
    "key", "label", "lane", "lease", "ledger", "limit", "locker", "marker", "meter", "notice",
    "outlet", "packet", "permit", "pledge", "pool", "probe", "quota", "record", "relay", "ring",
    "roster", "route", "sample", "seal", "sensor", "shard", "signal", "slot", "table", "ticket",
    "token", "window",
];

/// Between the two words when all pairs are used up.
const MIDDLE: [&str; 5] = ["", "upper", "lower", "inner", "outer"];

/// The name of a module's subject: two or three words, so that what is called after it is never a
/// keyword.
#[derive(Clone, Debug)]
pub(crate) struct Name(Vec<&'static str>);

impl Name {
    /// How many different names there are.
    pub(crate) const COUNT: usize = FIRST.len() * SECOND.len() * MIDDLE.len();

    /// Names differ for indexes below [`Name::COUNT`].
    pub(crate) fn new(index: usize) -> Name {
        let pair = index % (FIRST.len() * SECOND.len());
        let middle = index / (FIRST.len() * SECOND.len()) % MIDDLE.len();
        let words = [
            FIRST[pair / SECOND.len()],
            MIDDLE[middle],
            SECOND[pair % SECOND.len()],
        ];
        Name(words.into_iter().filter(|word| !word.is_empty()).collect())
    }

    /// The part of the corpus that it belongs to; also a folder.
    pub(crate) fn area(&self) -> &'static str {
        self.0[0]
    }

    /// As in `mill_gate`.
    pub(crate) fn snake(&self) -> String {
        self.0.join("_")
    }

    /// As in `MillGate`.
    pub(crate) fn camel(&self) -> String {
        self.0.iter().map(|word| capital(word)).collect()
    }

    /// As in `mill gate`.
    pub(crate) fn words(&self) -> String {
        self.0.join(" ")
    }

    /// The module's whole name.
    pub(crate) fn module(&self) -> String {
        format!("corpus.{}.{}", self.area(), self.snake())
    }
}

/// A word with a capital first letter.
pub(crate) fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map(|first| first.to_ascii_uppercase().to_string() + letters.as_str())
        .unwrap_or_default()
}

const SUBJECTS: [&str; 12] = [
    "the holder",
    "a late reader",
    "the second run",
    "an idle host",
    "the slowest lane",
    "a restart",
    "the first caller",
    "a full queue",
    "the old unit",
    "a missing answer",
    "the measured case",
    "an operator",
];

const VERBS: [&str; 12] = [
    "waits for",
    "releases",
    "never sees",
    "repeats",
    "is charged for",
    "reads",
    "withholds",
    "is refused by",
    "outlives",
    "counts",
    "reports",
    "depends on",
];

const OBJECTS: [&str; 12] = [
    "the lease",
    "what was granted",
    "the whole table",
    "its own receipt",
    "a stale reading",
    "the limit of the slice",
    "every open window",
    "the next generation",
    "the shared buffer",
    "an unread frame",
    "the \\\"quiet\\\" state",
    "100 % of the budget",
];

const TAILS: [&str; 8] = [
    "",
    "",
    " when the pool drains",
    " until the clock moves",
    ", which was seen twice",
    " (see {1} of the notes)",
    " – and says so",
    ", as the row below shows",
];

/// A sentence, written as it stands between the quotes of a string.
pub(crate) fn sentence(random: &mut Random) -> String {
    format!(
        "{} {} {}{}.",
        capital(random.choose::<&str>(&SUBJECTS)),
        random.choose(&VERBS),
        random.choose(&OBJECTS),
        random.choose(&TAILS),
    )
}

/// A sentence that may stand in an annotation: without escapes.
pub(crate) fn remark(random: &mut Random) -> String {
    sentence(random).replace('\\', "")
}
