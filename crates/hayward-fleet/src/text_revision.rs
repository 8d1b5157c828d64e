//! Which revision of its repository a model was read of, as far as one names it.

use std::fmt;

/// The revision of a model's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextRevision<'a> {
    /// The revision that is checked out, as git names it.
    pub name: &'a str,
    /// Whether what the model was read of differs from that revision.
    pub uncommitted: bool,
}

impl fmt::Display for TextRevision<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let uncommitted = if self.uncommitted { "+uncommitted" } else { "" };
        write!(f, "{}{uncommitted}", self.name)
    }
}

/// Whether a flag need not be written: it reads back so where it is absent.
#[allow(clippy::trivially_copy_pass_by_ref)] // serde hands it so
pub(crate) fn is_unset(flag: &bool) -> bool {
    !*flag
}
