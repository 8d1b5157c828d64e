//! Regular expressions of `where pattern("…")`, each compiled once a process: every
//! literal of a refined type is matched, and compiling takes longer than matching.

use regex_lite::Regex;
use rustc_hash::FxHashMap;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

/// What is known of each pattern; none if it is no regular expression.
type Known = FxHashMap<Arc<str>, Option<Arc<Regex>>>;

static COMPILED: LazyLock<RwLock<Known>> = LazyLock::new(RwLock::default);

/// The expression, made to match a whole text; none if it is no regular expression.
#[must_use]
pub fn whole(pattern: &str) -> Option<Arc<Regex>> {
    let known = COMPILED.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known.get(pattern) {
        return found.clone();
    }
    drop(known);
    let compiled = compile(pattern).map(Arc::new);
    let mut known = COMPILED.write().unwrap_or_else(PoisonError::into_inner);
    known.insert(pattern.into(), compiled.clone());
    compiled
}

/// It is compiled alone first, so that `a)(b` does not become one by the wrapping;
/// `\z` is the very end, with no line break after it, also in multi-line mode.
fn compile(pattern: &str) -> Option<Regex> {
    Regex::new(pattern).ok()?;
    Regex::new(&format!(r"\A(?:{pattern})\z"))
        // In verbose mode the pattern may end in a comment.
        .or_else(|_| Regex::new(&format!("\\A(?:{pattern}\n)\\z")))
        .ok()
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn a_pattern_matches_the_whole_text() {
        let matches = |pattern: &str, text: &str| whole(pattern).unwrap().is_match(text);
        assert!(matches("a|b", "b"));
        assert!(!matches("a|b", "ab"));
        assert!(!matches("[a-z]+", "abc\n"));
        assert!(!matches("(?m)^a$", "a\nb"));
        assert!(matches("^a$", "a"));
        assert!(matches("(?x) a # one\n b # two", "ab"));
        assert!(whole("a)(b").is_none());
    }
}
