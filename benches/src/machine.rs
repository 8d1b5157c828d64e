//! The machine that was measured on.

use std::fmt;
use std::fs;

/// What figures depend on.
#[derive(Debug)]
pub(crate) struct Machine {
    processor: String,
    cores: usize,
    memory: String,
    kernel: String,
}

impl Machine {
    /// This machine. What cannot be read is called unknown.
    pub(crate) fn read() -> Machine {
        let uname = rustix::system::uname();
        Machine {
            processor: field("/proc/cpuinfo", "model name"),
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            memory: field("/proc/meminfo", "MemTotal"),
            kernel: uname.release().to_string_lossy().into_owned(),
        }
    }
}

impl fmt::Display for Machine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, {} cores, {}, Linux {}",
            self.processor, self.cores, self.memory, self.kernel
        )
    }
}

/// The load averages of the last 1, 5 and 15 minutes.
pub(crate) fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let figures: Vec<&str> = text.split_whitespace().take(3).collect();
    if figures.is_empty() {
        UNKNOWN.to_owned()
    } else {
        figures.join(" ")
    }
}

const UNKNOWN: &str = "unknown";

/// The first value of a key in a file of `key: value` lines.
fn field(path: &str, key: &str) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(k, _)| k.trim() == key)
        .map_or_else(|| UNKNOWN.to_owned(), |(_, value)| value.trim().to_owned())
}
