//! The keeper of a program: a process between Hayward and the program that an
//! operation runs. Hayward may be killed at any moment, so what watches over the
//! program is a process of its own.
//!
//! It is the subreaper of all that the program starts (PR_SET_CHILD_SUBREAPER(2const)):
//! whatever forks, detaches and takes a session of its own stays below it. It
//! holds a socket to Hayward. When Hayward closes it, or is no more, the keeper
//! ends everything below itself.

mod below;
pub(crate) mod talk;

use crate::Stop;
use below::{Process, Sent, below, of_session};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, getpid, kill_process, set_child_subreaper,
    set_parent_process_death_signal, setsid,
};
use signal_hook::{consts::SIGCHLD, low_level::pipe};
use std::ffi::OsStr;
use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use talk::{Order, Report, Streams};

/// What a program has between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(2);
/// What a process has to vanish after SIGKILL: one that waits for a disk that
/// does not answer may take forever.
const PATIENCE: Duration = Duration::from_secs(5);
/// Between two looks at what is left.
pub(crate) const LOOK: Duration = Duration::from_millis(10);

/// What a keeper has from being told to the end of its report. It needs less.
pub(crate) const ANSWER: Duration = Duration::from_secs(12);

/// Has a keeper go on that its program stopped. Until the keeper is reaped, its number is
/// no other's.
pub(crate) fn wake(keeper: u32) {
    if let Some(pid) = number(keeper).and_then(Pid::from_raw) {
        let _ = kill_process(pid, Signal::CONT);
    }
}

/// Does the work of a keeper that does not do it, and is not reaped yet: kills all below it,
/// and its session. Gives what cannot be killed. Of a keeper that was killed, only the
/// session can be told from other processes.
pub(crate) fn clear(keeper: u32) -> Vec<i32> {
    let Some(pid) = number(keeper).and_then(Pid::from_raw) else {
        return Vec::new();
    };
    let begun = Instant::now();
    loop {
        let mut left = below(pid);
        left.extend(of_session(pid.as_raw_nonzero().get()));
        // It is the last: as long as it is there, all stays below it.
        left.retain(|process| process.pid != pid);
        // All are sent it, whatever became of the first.
        let sent: Vec<Sent> = left.iter().map(|p| p.signal(Signal::KILL)).collect();
        if sent.iter().all(|s| *s == Sent::Denied) || begun.elapsed() > PATIENCE {
            let mut left: Vec<i32> = left.iter().map(|p| p.pid.as_raw_nonzero().get()).collect();
            left.sort_unstable();
            left.dedup();
            return left;
        }
        std::thread::sleep(LOOK);
    }
}

fn number(process: u32) -> Option<i32> {
    i32::try_from(process).ok()
}

/// The first word of a keeper's command line.
const NAME: &str = "hayward-keeper";

/// The program that is started as a keeper.
#[derive(Clone, Debug)]
pub struct Keeper(PathBuf);

impl Keeper {
    /// That program. It must begin with [`Keeper::main`].
    #[must_use]
    pub fn at(program: PathBuf) -> Self {
        Self(program)
    }

    /// What a program begins with that carries operations out: if it was started
    /// as a keeper, it is one to its end.
    #[must_use]
    pub fn main() -> Option<ExitCode> {
        let mut words = std::env::args_os();
        let asked = words.next().is_some_and(|first| first == OsStr::new(NAME));
        if !asked || words.next().is_some() {
            return None;
        }
        // Whoever waits for a report reads that there is none.
        Some(match keep() {
            Ok(()) => ExitCode::SUCCESS,
            Err(_) => ExitCode::from(2),
        })
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.0);
        command.arg0(NAME);
        command
    }
}

impl Default for Keeper {
    /// This program, even if its file was replaced since it was started.
    fn default() -> Self {
        Self("/proc/self/exe".into())
    }
}

fn keep() -> io::Result<()> {
    // Neither Ctrl-C nor the end of a terminal is for the program: Hayward is
    // told, and decides.
    setsid()?;
    set_child_subreaper(Some(getpid()))?;
    // If the program stopped this one, the end of Hayward has it go on.
    set_parent_process_death_signal(Some(Signal::CONT))?;
    let mut socket = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    let (order, streams) = talk::receive(&mut socket)?;
    // Before there is a program, so that no signal finds it alone.
    let stop = Stop::on_signals()?;
    let _busy = stop.busy();
    let report = match Kept::start(&order, streams, &stop) {
        Ok(kept) => kept.report(&socket)?,
        Err(error) => Report::NotStarted {
            errno: error.raw_os_error(),
            why: error.to_string(),
        },
    };
    socket.write_all(&serde_json::to_vec(&report)?)
}

/// A program that runs below this process.
struct Kept<'a> {
    own: Pid,
    program: Pid,
    status: Option<WaitStatus>,
    stop: &'a Stop,
    /// It can be read from when a process below this one ended.
    ended: UnixStream,
}

impl<'a> Kept<'a> {
    fn start(order: &Order, streams: Streams, stop: &'a Stop) -> io::Result<Self> {
        let (ended, waker) = UnixStream::pair()?;
        ended.set_nonblocking(true)?;
        pipe::register(SIGCHLD, waker)?;
        let [stdin, stdout, stderr] = streams;
        let mut command = Command::new(&order.path);
        if let Some((first, arguments)) = order.argv.split_first() {
            command.arg0(first).args(arguments);
        }
        let child = command
            .stdin(Stdio::from(stdin))
            .stdout(Stdio::from(stdout))
            .stderr(Stdio::from(stderr))
            .spawn()?;
        let program = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let program = program.ok_or_else(|| io::Error::other("the process has no number"))?;
        Ok(Self {
            own: getpid(),
            program,
            status: None,
            stop,
            ended,
        })
    }

    /// Waits for the end of the program, or of Hayward, and leaves nothing behind.
    fn report(mut self, socket: &UnixStream) -> io::Result<Report> {
        let mut over = false;
        while !over && self.status.is_none() {
            over = self.wait(Some(socket), None)?;
            self.reap();
        }
        let own = self.own.as_raw_nonzero().get();
        let left = match self.status {
            // What the program put into a session of its own was meant to stay.
            Some(_) => self.kill(|process| process.session == own)?,
            None => {
                let told = Instant::now();
                for process in below(self.own) {
                    process.signal(Signal::TERM);
                }
                while !below(self.own).is_empty() && told.elapsed() < GRACE {
                    self.wait(None, Some(LOOK))?;
                    self.reap();
                }
                self.kill(|_| true)?
            }
        };
        let left = left.iter().map(|p| p.pid.as_raw_nonzero().get()).collect();
        Ok(match self.status {
            Some(status) => Report::Ended {
                status: status
                    .exit_status()
                    .ok_or(status.terminating_signal().unwrap_or_default()),
                left,
            },
            None => Report::Lives { left },
        })
    }

    /// Kills what is meant; gives what cannot be killed.
    fn kill(&mut self, meant: impl Fn(&Process) -> bool) -> io::Result<Vec<Process>> {
        let begun = Instant::now();
        loop {
            self.reap();
            let mut left = below(self.own);
            left.retain(&meant);
            let sent: Vec<Sent> = left.iter().map(|p| p.signal(Signal::KILL)).collect();
            if sent.iter().all(|s| *s == Sent::Denied) || begun.elapsed() > PATIENCE {
                return Ok(left);
            }
            self.wait(None, Some(LOOK))?;
        }
    }

    /// Waits until a process ended, Hayward wants this one to end, or the time is
    /// over; says whether this is to end.
    fn wait(&mut self, socket: Option<&UnixStream>, time: Option<Duration>) -> io::Result<bool> {
        let mut fds = vec![PollFd::new(&self.ended, PollFlags::IN)];
        if let Some(socket) = socket {
            fds.push(self.stop.poll());
            fds.push(PollFd::new(socket, PollFlags::IN));
        }
        let time = time.map(Timespec::try_from).transpose();
        match poll(&mut fds, time.map_err(io::Error::other)?.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        let over = fds.iter().skip(1).any(|fd| !fd.revents().is_empty());
        let mut bytes = [0; 64];
        while matches!((&self.ended).read(&mut bytes), Ok(read) if read > 0) {}
        Ok(over)
    }

    /// Takes the status of every process that ended.
    fn reap(&mut self) {
        while let Ok(Some((pid, status))) = rustix::process::wait(WaitOptions::NOHANG) {
            if pid == self.program {
                self.status = Some(status);
            }
        }
    }
}
