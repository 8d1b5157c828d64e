//! Text of a value: shared, one word wide, and extended in place by its only owner.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Shared text; a clone is a count.
#[derive(Clone)]
pub struct Text(Arc<Inner>);

struct Inner {
    text: String,
    /// How many characters; `UNKNOWN` until somebody asks. Where it equals the
    /// byte length the text is ASCII and a substring needs no walk.
    chars: AtomicUsize,
}

const UNKNOWN: usize = usize::MAX;

impl Text {
    /// The text as a string slice.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0.text
    }

    /// How many Unicode scalar values; counted once.
    #[must_use]
    pub fn char_count(&self) -> usize {
        let known = self.0.chars.load(Ordering::Relaxed);
        if known != UNKNOWN {
            return known;
        }
        let count = self.0.text.chars().count();
        self.0.chars.store(count, Ordering::Relaxed);
        count
    }

    /// The characters from `start` to before `end`; both within the text.
    #[must_use]
    pub fn substring(&self, start: usize, end: usize) -> &str {
        let text = self.as_str();
        if self.char_count() == text.len() {
            return text.get(start..end).unwrap_or("");
        }
        let mut places = text.char_indices().map(|(at, _)| at);
        let from = places.by_ref().nth(start).unwrap_or(text.len());
        let to = match end.checked_sub(start) {
            None | Some(0) => from,
            Some(more) => places.nth(more - 1).unwrap_or(text.len()),
        };
        text.get(from..to).unwrap_or("")
    }

    /// Adds text at the end: in place if nobody else holds this text.
    pub fn push_str(&mut self, more: &str) {
        if more.is_empty() {
            return;
        }
        if let Some(inner) = Arc::get_mut(&mut self.0) {
            inner.text.push_str(more);
            *inner.chars.get_mut() = UNKNOWN;
            return;
        }
        let mut text = String::with_capacity(self.len() + more.len());
        text.push_str(self.as_str());
        text.push_str(more);
        *self = text.into();
    }

    /// Where it lies: the same for all who share it.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// Whether both are the same allocation.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(Arc::new(Inner {
            text,
            chars: AtomicUsize::new(UNKNOWN),
        }))
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other) || self.as_str() == other.as_str()
    }
}

impl Eq for Text {}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::Text;
    use proptest::prelude::*;

    #[test]
    fn a_shared_text_is_not_changed_by_another_owner() {
        let mut a = Text::from("a");
        let b = a.clone();
        a.push_str("é");
        assert_eq!((a.as_str(), b.as_str()), ("aé", "a"));
        assert_eq!(a.char_count(), 2);
        a.push_str("x");
        assert_eq!(a.char_count(), 3);
    }

    proptest! {
        #[test]
        fn a_substring_counts_characters(s in ".{0,12}", start in 0usize..14, end in 0usize..14) {
            let text = Text::from(s.as_str());
            let count = text.char_count();
            let (start, end) = (start.min(count), end.min(count));
            let wanted: String = s.chars().skip(start).take(end.saturating_sub(start)).collect();
            prop_assert_eq!(text.substring(start, end.max(start)), wanted);
        }
    }
}
