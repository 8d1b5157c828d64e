//! Regular expressions of `where pattern("…")`, each compiled once for many uses: every
//! literal of a refined type is matched, and compiling takes longer than matching.

use regex_lite::{Regex, RegexBuilder};
use rustc_hash::FxHashMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

/// Bytes of the longest pattern.
pub const LONGEST: usize = 4096;

/// Groups of a pattern that remember what they matched. Each has a row in a table of all
/// states, though nobody asks for it.
pub const MOST_GROUPS: usize = 100;

/// Kibibytes of the largest program that a pattern is compiled to, repetitions written out.
pub const LARGEST: usize = 256;

/// Sizes of programs that are told apart, in kibibytes.
const SIZES: [usize; 5] = [1, 4, 16, 64, LARGEST];

/// A compiled pattern.
#[derive(Debug)]
pub struct Regular {
    regex: Regex,
    /// Kibibytes that its program fits in.
    size: usize,
}

/// Why a pattern is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotRegular {
    /// It does not follow the grammar of regular expressions.
    #[error("this is no regular expression: {0}")]
    Grammar(String),
    /// Its text is too long.
    #[error("this pattern has {0} bytes, and at most {LONGEST} are compiled")]
    TooLong(usize),
    /// It has too many groups.
    #[error("this pattern has {0} groups, and at most {MOST_GROUPS} are compiled")]
    TooManyGroups(usize),
    /// Its program is too large.
    #[error(
        "the program of this pattern is larger than {LARGEST} KiB with its repetitions written out"
    )]
    TooLarge,
}

impl Regular {
    /// Whether it matches the whole text.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    /// What matching it against so many bytes costs, next to reading one byte: each byte
    /// may visit every state, of which some sixteen fit in a kibibyte.
    #[must_use]
    pub fn cost(&self, bytes: usize) -> usize {
        bytes.saturating_mul(self.size * 16)
    }
}

/// Bytes of programs and patterns that are remembered at most. A language server lives for days,
/// and every letter that is typed into a pattern makes another one.
const REMEMBERED: usize = 32 << 20;

/// What is known of patterns.
#[derive(Default)]
struct Known {
    patterns: FxHashMap<Arc<str>, Result<Arc<Regular>, NotRegular>>,
    /// Bytes that they are charged with.
    bytes: usize,
}

static KNOWN: LazyLock<RwLock<Known>> = LazyLock::new(RwLock::default);

impl Known {
    /// Remembers a pattern. If that is too much, all others are forgotten: those in use live on
    /// where they are used, and the rest is compiled again.
    fn remember(&mut self, pattern: &str, compiled: &Result<Arc<Regular>, NotRegular>) {
        let program = match compiled {
            // The program and the room in which it is run.
            Ok(regular) => regular.size << 11,
            // Said again as fast as it is looked up, and of any length.
            Err(NotRegular::TooLong(_)) => return,
            Err(why) => why.to_string().len(),
        };
        let bytes = program + pattern.len();
        if self.bytes + bytes > REMEMBERED {
            *self = Self::default();
        }
        // Two who compile at once remember it once.
        if self
            .patterns
            .insert(pattern.into(), compiled.clone())
            .is_none()
        {
            self.bytes += bytes;
        }
    }
}

/// The expression, made to match a whole text.
///
/// # Errors
/// If it is no regular expression, or larger than may be compiled: nothing large is built
/// before that is known.
pub fn whole(pattern: &str) -> Result<Arc<Regular>, NotRegular> {
    let known = KNOWN.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known.patterns.get(pattern) {
        return found.clone();
    }
    drop(known);
    let compiled = compile(pattern).map(Arc::new);
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    known.remember(pattern, &compiled);
    compiled
}

fn compile(pattern: &str) -> Result<Regular, NotRegular> {
    if pattern.len() > LONGEST {
        return Err(NotRegular::TooLong(pattern.len()));
    }
    // An escaped parenthesis counts too: nobody writes a hundred.
    let groups = pattern.matches('(').count() - pattern.matches("(?:").count();
    if groups > MOST_GROUPS {
        return Err(NotRegular::TooManyGroups(groups));
    }
    let mut refused = NotRegular::TooLarge;
    for size in SIZES {
        match whole_within(pattern, size << 10) {
            Ok(regex) => return Ok(Regular { regex, size }),
            Err(why) => refused = why,
        }
        if refused != NotRegular::TooLarge {
            break;
        }
    }
    Err(refused)
}

/// It is compiled alone first, so that `a)(b` does not become one by the wrapping;
/// `\z` is the very end, with no line break after it, also in multi-line mode.
fn whole_within(pattern: &str, bytes: usize) -> Result<Regex, NotRegular> {
    within(pattern, bytes)?;
    within(&format!(r"\A(?:{pattern})\z"), bytes)
        // In verbose mode the pattern may end in a comment.
        .or_else(|_| within(&format!("\\A(?:{pattern}\n)\\z"), bytes))
}

fn within(pattern: &str, bytes: usize) -> Result<Regex, NotRegular> {
    let built = RegexBuilder::new(pattern).size_limit(bytes).build();
    built.map_err(|error| match error.to_string() {
        // The only way in which the crate tells it.
        why if why.contains("size limit") => NotRegular::TooLarge,
        why => NotRegular::Grammar(why),
    })
}

#[cfg(test)]
mod tests {
    use super::{Known, LARGEST, LONGEST, NotRegular, REMEMBERED, whole};
    use std::sync::Arc;

    #[test]
    fn a_pattern_matches_the_whole_text() {
        let matches = |pattern: &str, text: &str| whole(pattern).unwrap().matches(text);
        assert!(matches("a|b", "b"));
        assert!(!matches("a|b", "ab"));
        assert!(!matches("[a-z]+", "abc\n"));
        assert!(!matches("(?m)^a$", "a\nb"));
        assert!(matches("^a$", "a"));
        assert!(matches("(?x) a # one\n b # two", "ab"));
        assert!(matches!(whole("a)(b"), Err(NotRegular::Grammar(_))));
    }

    #[test]
    fn a_larger_program_costs_more() {
        let cost = |pattern: &str| whole(pattern).unwrap().cost(1);
        assert!(cost("[a-z]+") < cost("[a-z]{40}"));
        assert!(cost("[a-z]{40}") < cost("[a-z]{200}"));
        assert!(cost("[a-z]{200}") < cost("[a-z]{2000}"));
    }

    #[test]
    fn what_is_remembered_has_a_limit() {
        let mut known = Known::default();
        let large = whole("[a-z]{2000}").unwrap();
        assert_eq!(large.size, LARGEST);
        let patterns = (0..1000).map(|n| format!("[a-z]{{2000}}{n}"));
        let mut most = 0;
        for pattern in patterns {
            known.remember(&pattern, &Ok(Arc::clone(&large)));
            assert!(known.bytes <= REMEMBERED && known.patterns.contains_key(&*pattern));
            most = most.max(known.patterns.len());
        }
        // It is used, and by no more than fits.
        assert!(
            (10..=REMEMBERED / (LARGEST << 10)).contains(&most),
            "{most}"
        );
        // Remembered twice it is charged once.
        let before = known.bytes;
        known.remember("[a-z]{2000}999", &Ok(large));
        assert_eq!(known.bytes, before);
        // A refusal that carries its text is not held.
        let long = "a".repeat(LONGEST + 1);
        known.remember(&long, &Err(NotRegular::TooLong(long.len())));
        assert_eq!(known.bytes, before);
        assert!(!known.patterns.contains_key(&*long));
    }
}
