//! What one operation may take.

use std::time::Duration;

/// What one operation may take of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From the start of a program to its end. Then it is ended, and all that it started. For a
    /// request, from its start to the last byte of its answer. At most [`Limits::LONGEST`].
    pub deadline: Duration,
    /// Bytes of its standard output, of its standard error, of a file that is
    /// read, and of the names in a folder; each by itself.
    pub output: usize,
}

impl Limits {
    /// The longest deadline: a week. The clock of the system could not count to any.
    pub const LONGEST: Duration = Duration::from_secs(7 * 24 * 60 * 60);
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            deadline: Duration::from_secs(60),
            output: 16 << 20,
        }
    }
}
