//! A program that is run: its argv as it is given, no shell in between.
//!
//! - **Environment**: empty but for `PATH` (the fixed [`PATH`]), `LC_ALL` and
//!   `LANG` (`C.UTF-8`, so that output does not depend on who asks), `TZ`
//!   (`UTC`), and of the caller's `HOME`, `USER`, `LOGNAME` and
//!   `XDG_RUNTIME_DIR`. The working directory is `/`.
//! - **End**: the operation is over when the program ends. What it left behind in
//!   its process group is killed; what it put into a session of its own lives on.
//! - **Time and output** have limits. Past one, the whole group is killed and
//!   nothing of the outcome is believed.

use crate::Limits;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Where a program without a `/` is looked for.
pub(crate) const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Bytes of one argument, its NUL included: MAX_ARG_STRLEN, execve(2).
const WORD: usize = 128 << 10;

/// Variables of the caller that a program is given.
const KEPT: [&str; 4] = ["HOME", "USER", "LOGNAME", "XDG_RUNTIME_DIR"];

/// How a program ended, and what it wrote.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) status: u8,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// Runs a program to its end.
pub(crate) fn run(argv: &[String], input: &[u8], limits: &Limits) -> Result<Ended, String> {
    let (program, arguments) = argv.split_first().ok_or("the argv has no word")?;
    if let Some(word) = argv.iter().find(|word| word.len() >= WORD) {
        return Err(format!(
            "a word of its argv has {} bytes, and this host takes {} (execve(2))",
            word.len(),
            WORD - 1
        ));
    }
    let path = resolve(program)?;
    let mut command = Command::new(&path);
    command
        .arg0(program)
        .args(arguments)
        .env_clear()
        .env("PATH", PATH)
        .env("LANG", "C.UTF-8")
        .env("LC_ALL", "C.UTF-8")
        .env("TZ", "UTC")
        .current_dir("/")
        .process_group(0)
        .stdin(match input.is_empty() {
            true => Stdio::null(),
            false => Stdio::piped(),
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for name in KEPT {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    let child = command.spawn().map_err(|error| {
        match error.raw_os_error().map(Errno::from_raw_os_error) {
            Some(Errno::TOOBIG) => {
                let bytes: usize = argv.iter().map(|word| word.len() + 1).sum();
                format!("its argv has {bytes} bytes, more than this host takes (execve(2))")
            }
            _ => format!("`{}` cannot be started: {error}", path.display()),
        }
    })?;
    Running::new(child, input, limits)?.wait()
}

/// The program's file: an absolute path, or a name that is looked for.
fn resolve(program: &str) -> Result<PathBuf, String> {
    if program.starts_with('/') {
        return Ok(program.into());
    }
    if program.contains('/') {
        return Err(format!(
            "`{program}` is no absolute path: which program it is would depend on the folder"
        ));
    }
    PATH.split(':')
        .map(|folder| PathBuf::from(folder).join(program))
        .find(|path| path.is_file())
        .ok_or_else(|| format!("there is no program `{program}` in {PATH}"))
}

/// A program that was started. It is killed when this is dropped.
struct Running<'a> {
    child: Child,
    group: Pid,
    pidfd: OwnedFd,
    input: &'a [u8],
    stdout: Stream<std::process::ChildStdout>,
    stderr: Stream<std::process::ChildStderr>,
    started: Instant,
    limits: &'a Limits,
    over: bool,
}

/// One of its outputs.
struct Stream<R> {
    name: &'static str,
    from: Option<R>,
    bytes: Vec<u8>,
}

impl<R: Read + AsFd> Stream<R> {
    fn new(name: &'static str, from: Option<R>) -> Result<Self, String> {
        if let Some(from) = &from {
            unblock(from)?;
        }
        Ok(Self {
            name,
            from,
            bytes: Vec::new(),
        })
    }

    /// Takes what is there; closes it at its end.
    fn take(&mut self, limit: usize) -> Result<(), String> {
        let mut buffer = [0; 64 << 10];
        while let Some(from) = &mut self.from {
            match from.read(&mut buffer) {
                Ok(0) => self.from = None,
                Ok(read) => {
                    if self.bytes.len() + read > limit {
                        return Err(format!("its {} has more than {limit} bytes", self.name));
                    }
                    self.bytes
                        .extend_from_slice(buffer.get(..read).unwrap_or(&[]));
                }
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(format!("its {} cannot be read: {error}", self.name)),
            }
        }
        Ok(())
    }
}

fn unblock(fd: &impl AsFd) -> Result<(), String> {
    let flags = fcntl_getfl(fd).map_err(|e| e.to_string())?;
    fcntl_setfl(fd, flags | OFlags::NONBLOCK).map_err(|e| e.to_string())
}

impl<'a> Running<'a> {
    fn new(mut child: Child, input: &'a [u8], limits: &'a Limits) -> Result<Self, String> {
        let gone = || "the process is gone".to_owned();
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let group = group.ok_or_else(gone)?;
        let watched = pidfd_open(group, PidfdFlags::empty());
        let stdout = Stream::new("standard output", child.stdout.take());
        let stderr = Stream::new("standard error", child.stderr.take());
        let unblocked = child.stdin.as_ref().map_or(Ok(()), unblock);
        match (watched, stdout, stderr, unblocked) {
            (Ok(pidfd), Ok(stdout), Ok(stderr), Ok(())) => Ok(Self {
                child,
                group,
                pidfd,
                input,
                stdout,
                stderr,
                started: Instant::now(),
                limits,
                over: false,
            }),
            _ => {
                // It cannot be watched, so it may not go on.
                let _ = kill_process_group(group, Signal::KILL);
                let _ = child.wait();
                Err("the process cannot be watched".into())
            }
        }
    }

    fn wait(mut self) -> Result<Ended, String> {
        while !self.turn()? {}
        // Its number is its own until it is reaped: the group is no other's.
        let _ = kill_process_group(self.group, Signal::KILL);
        self.stdout.take(self.limits.output)?;
        self.stderr.take(self.limits.output)?;
        let status = self.child.wait().map_err(|e| e.to_string())?;
        self.over = true;
        match (status.code(), status.signal()) {
            (Some(code), _) => Ok(Ended {
                status: u8::try_from(code).map_err(|_| format!("it ended with status {code}"))?,
                stdout: std::mem::take(&mut self.stdout.bytes),
                stderr: std::mem::take(&mut self.stderr.bytes),
            }),
            (None, signal) => Err(format!(
                "it was killed by signal {}",
                signal.map_or("?".to_owned(), |s| s.to_string())
            )),
        }
    }

    /// Waits until something happens; says whether the program ended.
    fn turn(&mut self) -> Result<bool, String> {
        let Some(left) = self.limits.deadline.checked_sub(self.started.elapsed()) else {
            return Err(format!(
                "it did not end within {} and was killed",
                shown(self.limits.deadline)
            ));
        };
        let (ended, writable) = self.poll(left)?;
        self.stdout.take(self.limits.output)?;
        self.stderr.take(self.limits.output)?;
        if writable {
            self.feed()?;
        }
        Ok(ended)
    }

    fn poll(&self, left: Duration) -> Result<(bool, bool), String> {
        let mut fds = vec![PollFd::new(&self.pidfd, PollFlags::IN)];
        if let Some(stdout) = &self.stdout.from {
            fds.push(PollFd::new(stdout, PollFlags::IN));
        }
        if let Some(stderr) = &self.stderr.from {
            fds.push(PollFd::new(stderr, PollFlags::IN));
        }
        if let Some(stdin) = &self.child.stdin {
            fds.push(PollFd::new(stdin, PollFlags::OUT));
        }
        let timeout = Timespec::try_from(left).map_err(|e| e.to_string())?;
        match poll(&mut fds, Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.to_string()),
        }
        let ended = fds.first().is_some_and(|fd| !fd.revents().is_empty());
        let writable =
            self.child.stdin.is_some() && fds.last().is_some_and(|fd| !fd.revents().is_empty());
        Ok((ended, writable))
    }

    /// Writes on; a program that does not read to the end is no mistake.
    fn feed(&mut self) -> Result<(), String> {
        while let Some(stdin) = &mut self.child.stdin {
            if self.input.is_empty() {
                self.child.stdin = None;
                return Ok(());
            }
            match stdin.write(self.input) {
                Ok(written) => self.input = self.input.get(written..).unwrap_or(&[]),
                Err(error) => match error.kind() {
                    std::io::ErrorKind::WouldBlock => return Ok(()),
                    std::io::ErrorKind::Interrupted => {}
                    std::io::ErrorKind::BrokenPipe => self.child.stdin = None,
                    _ => return Err(format!("its standard input cannot be written: {error}")),
                },
            }
        }
        Ok(())
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        if !self.over {
            let _ = kill_process_group(self.group, Signal::KILL);
            let _ = self.child.wait();
        }
    }
}

fn shown(duration: Duration) -> String {
    match duration.subsec_nanos() {
        0 => format!("{} s", duration.as_secs()),
        _ => format!("{} ms", duration.as_millis()),
    }
}
