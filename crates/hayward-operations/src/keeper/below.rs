//! The processes below this one, as `/proc` shows them: proc_pid_stat(5).

use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

/// One process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Process {
    pub(super) pid: Pid,
    parent: i32,
    /// The number of its session.
    pub(super) session: i32,
    ended: bool,
    /// With its number, this is a process and no later one.
    started: u64,
}

/// What became of a signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sent {
    /// It was sent, or there is nobody to take it any more.
    Done,
    /// The process is another user's.
    Denied,
}

impl Process {
    fn read(pid: Pid) -> Option<Self> {
        let bytes = std::fs::read(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
        // The name in parentheses may hold any byte.
        let end = bytes.iter().rposition(|b| *b == b')')?;
        let rest = str::from_utf8(bytes.get(end + 1..)?).ok()?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        Some(Self {
            pid,
            ended: matches!(*fields.first()?, "Z" | "X"),
            parent: fields.get(1)?.parse().ok()?,
            session: fields.get(3)?.parse().ok()?,
            started: fields.get(19)?.parse().ok()?,
        })
    }

    /// Sends a signal to this process, and to none that has its number later.
    pub(super) fn signal(&self, signal: Signal) -> Sent {
        let Ok(pidfd) = pidfd_open(self.pid, PidfdFlags::empty()) else {
            return Sent::Done;
        };
        if Self::read(self.pid).is_none_or(|now| now.started != self.started) {
            return Sent::Done;
        }
        match pidfd_send_signal(&pidfd, signal) {
            Err(Errno::PERM) => Sent::Denied,
            _ => Sent::Done,
        }
    }
}

fn all() -> Vec<Process> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries
        .filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
        .filter_map(Process::read)
        .collect()
}

/// Every process of a session that has not ended.
pub(super) fn of_session(session: i32) -> Vec<Process> {
    let mut found = all();
    found.retain(|process| process.session == session && !process.ended);
    found
}

/// Every process below that one which has not ended.
pub(super) fn below(top: Pid) -> Vec<Process> {
    let all = all();
    let mut parents = vec![top.as_raw_nonzero().get()];
    let mut found = Vec::new();
    while let Some(parent) = parents.pop() {
        for process in all.iter().filter(|p| p.parent == parent) {
            parents.push(process.pid.as_raw_nonzero().get());
            found.push(*process);
        }
    }
    found.retain(|process| !process.ended);
    found
}
