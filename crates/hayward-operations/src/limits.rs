//! What one operation may take.

use std::time::Duration;

/// What one operation may take of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// From the start of a program to its end. Then it is ended, and all that it started.
    pub deadline: Duration,
    /// Bytes of its standard output, of its standard error, of a file that is
    /// read, and of the names in a folder; each by itself.
    pub output: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            deadline: Duration::from_secs(60),
            output: 16 << 20,
        }
    }
}
