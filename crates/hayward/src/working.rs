//! What goes on, for a person who waits at a terminal.

use std::io::Write;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Nobody waits for what is over sooner.
const PATIENCE: Duration = Duration::from_secs(1);

/// A line that says what goes on and for how long, from a second on. Dropped, it is gone.
pub(crate) struct Working {
    end: Option<Sender<()>>,
    shows: Option<JoinHandle<()>>,
}

impl Working {
    pub(crate) fn on_terminal(what: String) -> Self {
        let (end, ended) = mpsc::channel::<()>();
        let show = move || {
            let begun = Instant::now();
            let mut shown = false;
            while ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                shown = true;
                let seconds = begun.elapsed().as_secs();
                // A terminal that cannot be written to is told nothing.
                let _ = write!(std::io::stderr(), "\r{what} … {seconds} s");
                let _ = std::io::stderr().flush();
            }
            if shown {
                // To the start of the line, which is cleared: ECMA-48, EL.
                let _ = write!(std::io::stderr(), "\r\x1b[K");
                let _ = std::io::stderr().flush();
            }
        };
        Self {
            end: Some(end),
            shows: std::thread::Builder::new().spawn(show).ok(),
        }
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        drop(self.end.take());
        // What is printed next stands on a line of its own.
        if let Some(shows) = self.shows.take() {
            let _ = shows.join();
        }
    }
}
