//! The wish of a user or of the system that this program ends.

use rustix::event::{PollFd, PollFlags};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::{flag, low_level::pipe};
use std::io;
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Signals that ask this program to end: SIGHUP, SIGINT and SIGTERM, but for
/// those that whoever started it has it ignore (nohup(1)).
///
/// While an operation is under way, such a signal ends the operation in order.
/// At any other time it does what it does by default.
#[derive(Debug)]
pub struct Stop {
    /// How many operations are under way.
    busy: Mutex<usize>,
    idle: Arc<AtomicBool>,
    asked: Arc<AtomicUsize>,
    wake: UnixStream,
    /// The other end of `wake`: were it closed, there would be something to read at once,
    /// where every signal is ignored and no handler holds it.
    _waker: UnixStream,
}

impl Stop {
    /// Listens to the signals from now on.
    ///
    /// # Errors
    /// If the system gives no socket or takes no handler.
    pub fn on_signals() -> io::Result<Self> {
        let (wake, waker) = UnixStream::pair()?;
        let stop = Self {
            busy: Mutex::default(),
            idle: Arc::new(AtomicBool::new(true)),
            asked: Arc::default(),
            wake,
            _waker: waker.try_clone()?,
        };
        let ignored = ignored()?;
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            if ignored >> (signal - 1) & 1 == 1 {
                continue;
            }
            // They are called in this order: the first may end the program.
            flag::register_conditional_default(signal, Arc::clone(&stop.idle))?;
            let number = usize::try_from(signal).unwrap_or_default();
            flag::register_usize(signal, Arc::clone(&stop.asked), number)?;
            pipe::register(signal, waker.try_clone()?)?;
        }
        Ok(stop)
    }

    /// The number of the signal that came while an operation was under way.
    #[must_use]
    pub fn signal(&self) -> Option<u8> {
        match self.asked.load(Ordering::SeqCst) {
            0 => None,
            number => u8::try_from(number).ok(),
        }
    }

    /// From here on a signal is kept, until what is given is dropped.
    pub(crate) fn busy(&self) -> Busy<'_> {
        let mut count = self.count();
        *count += 1;
        self.idle.store(false, Ordering::SeqCst);
        Busy(self)
    }

    fn count(&self) -> MutexGuard<'_, usize> {
        // A number is whole at every moment.
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It can be read from once a signal came, and stays so.
    pub(crate) fn poll(&self) -> PollFd<'_> {
        PollFd::new(&self.wake, PollFlags::IN)
    }
}

/// An operation is under way.
pub(crate) struct Busy<'a>(&'a Stop);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        let mut count = self.0.count();
        *count -= 1;
        self.0.idle.store(*count == 0, Ordering::SeqCst);
    }
}

/// The set of ignored signals, a bit each: proc_pid_status(5).
fn ignored() -> io::Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let set = status.lines().find_map(|l| l.strip_prefix("SigIgn:"));
    let set = set.and_then(|set| u64::from_str_radix(set.trim(), 16).ok());
    set.ok_or_else(|| io::Error::other("/proc/self/status has no set of ignored signals"))
}
