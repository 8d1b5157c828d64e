//! A program that is run: its argv as it is given, no shell in between.
//!
//! - **Environment**: empty but for `PATH` (the fixed [`PATH`]), `LC_ALL` and
//!   `LANG` (`C.UTF-8`, so that output does not depend on who asks), `TZ`
//!   (`UTC`), and of the caller's `HOME`, `USER`, `LOGNAME` and
//!   `XDG_RUNTIME_DIR`. The working directory is `/`.
//! - **End**: the operation is over when the program ends. What it left behind in
//!   its session is killed; what it put into a session of its own lives on.
//! - **Time and output** have limits. Past one, or when Hayward is told to end or
//!   is killed, all that the program started is ended, whatever session it is in:
//!   see [`crate::keeper`]. Nothing of the outcome is believed then.

use crate::keeper::talk::{self, Order, Report};
use crate::{Keeper, Limits, Stop, keeper};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::io::Errno;
use std::fs::File;
use std::io::{PipeReader, PipeWriter, Read, Write};
use std::net::Shutdown;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Stdio};
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

/// What a program is run with.
#[derive(Clone, Copy)]
pub(crate) struct Manner<'a> {
    pub(crate) limits: &'a Limits,
    pub(crate) keeper: &'a Keeper,
    pub(crate) stop: Option<&'a Stop>,
}

/// Runs a program to its end.
pub(crate) fn run(argv: &[String], input: &[u8], manner: Manner<'_>) -> Result<Ended, String> {
    let program = argv.first().ok_or("the argv has no word")?;
    if let Some(word) = argv.iter().find(|word| word.len() >= WORD) {
        return Err(format!(
            "a word of its argv has {} bytes, and this host takes {} (execve(2))",
            word.len(),
            WORD - 1
        ));
    }
    let path = resolve(program)?;
    let mut running = Running::start(&path, argv, input, manner)?;
    let watched = running.watch();
    let report = running.end()?;
    let left = match &report {
        Report::NotStarted { .. } => &[][..],
        Report::Ended { left, .. } | Report::Lives { left } => left,
    };
    let left: Vec<String> = left.iter().map(ToString::to_string).collect();
    match (watched, report) {
        (_, Report::NotStarted { errno, why }) => Err(match errno.map(Errno::from_raw_os_error) {
            Some(Errno::TOOBIG) => {
                let bytes: usize = argv.iter().map(|word| word.len() + 1).sum();
                format!("its argv has {bytes} bytes, more than this host takes (execve(2))")
            }
            _ => format!("`{path}` cannot be started: {why}"),
        }),
        (Err(why), _) if left.is_empty() => Err(format!("{why}; it was killed")),
        (Err(why), _) => Err(format!(
            "{why}; what it runs cannot be killed from here and goes on: {}",
            left.join(", ")
        )),
        (Ok(()), Report::Ended { status, .. }) if left.is_empty() => match status {
            Ok(code) => Ok(Ended {
                status: u8::try_from(code).map_err(|_| format!("it ended with status {code}"))?,
                stdout: running.stdout.bytes,
                stderr: running.stderr.bytes,
            }),
            Err(signal) => Err(format!("it was killed by signal {signal}")),
        },
        (Ok(()), _) => Err(format!(
            "it left processes behind that cannot be killed from here: {}",
            left.join(", ")
        )),
    }
}

/// The program's file: an absolute path, or a name that is looked for.
fn resolve(program: &str) -> Result<String, String> {
    if program.starts_with('/') {
        return Ok(program.into());
    }
    if program.contains('/') {
        return Err(format!(
            "`{program}` is no absolute path: which program it is would depend on the folder"
        ));
    }
    PATH.split(':')
        .map(|folder| format!("{folder}/{program}"))
        .find(|path| Path::new(path).is_file())
        .ok_or_else(|| format!("there is no program `{program}` in {PATH}"))
}

/// A program that was started, behind its keeper.
struct Running<'a> {
    keeper: Child,
    socket: UnixStream,
    report: Vec<u8>,
    input: &'a [u8],
    stdin: Option<PipeWriter>,
    stdout: Stream,
    stderr: Stream,
    started: Instant,
    limits: &'a Limits,
    stop: Option<&'a Stop>,
}

/// One of its outputs.
struct Stream {
    name: &'static str,
    from: Option<PipeReader>,
    bytes: Vec<u8>,
}

impl Stream {
    /// The stream, and the end that the program writes to.
    fn new(name: &'static str) -> Result<(Self, OwnedFd), String> {
        let (from, to) = std::io::pipe().map_err(|e| e.to_string())?;
        unblock(&from)?;
        let stream = Self {
            name,
            from: Some(from),
            bytes: Vec::new(),
        };
        Ok((stream, to.into()))
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

/// Waits until something happens to one of them, or the time is over.
fn await_one(fds: &mut [PollFd<'_>], time: Duration) -> Result<(), String> {
    let timeout = Timespec::try_from(time).map_err(|e| e.to_string())?;
    match poll(fds, Some(&timeout)) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}

impl<'a> Running<'a> {
    fn start(
        path: &str,
        argv: &[String],
        input: &'a [u8],
        manner: Manner<'a>,
    ) -> Result<Self, String> {
        let text = |error: std::io::Error| error.to_string();
        let (stdout, out) = Stream::new("standard output")?;
        let (stderr, err) = Stream::new("standard error")?;
        let (to, stdin): (OwnedFd, _) = if input.is_empty() {
            (File::open("/dev/null").map_err(text)?.into(), None)
        } else {
            let (from, to) = std::io::pipe().map_err(text)?;
            unblock(&to)?;
            (from.into(), Some(to))
        };
        let (mut socket, theirs) = UnixStream::pair().map_err(text)?;
        let mut command = manner.keeper.command();
        command
            .env_clear()
            .env("PATH", PATH)
            .env("LANG", "C.UTF-8")
            .env("LC_ALL", "C.UTF-8")
            .env("TZ", "UTC")
            .current_dir("/")
            .stdin(OwnedFd::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        for name in KEPT {
            if let Some(value) = std::env::var_os(name) {
                command.env(name, value);
            }
        }
        let keeper = command.spawn();
        // It has the other end of the socket, which this one closes with it.
        drop(command);
        let mut keeper =
            keeper.map_err(|e| format!("the keeper of programs cannot be started: {e}"))?;
        let order = Order {
            path: path.to_owned(),
            argv: argv.to_vec(),
        };
        let sent = talk::send(&mut socket, &order, &[to, out, err]).map_err(text);
        if let Err(why) = sent.and_then(|()| unblock(&socket)) {
            drop(socket);
            let _ = keeper.wait();
            return Err(format!("the keeper of programs does not answer: {why}"));
        }
        Ok(Self {
            keeper,
            socket,
            report: Vec::new(),
            input,
            stdin,
            stdout,
            stderr,
            started: Instant::now(),
            limits: manner.limits,
            stop: manner.stop,
        })
    }

    /// Waits until the keeper has nothing more to say; or says why the program
    /// may not go on.
    fn watch(&mut self) -> Result<(), String> {
        while !self.turn()? {}
        self.stdout.take(self.limits.output)?;
        self.stderr.take(self.limits.output)
    }

    /// Waits until something happens; says whether all is over.
    fn turn(&mut self) -> Result<bool, String> {
        if let Some(signal) = self.stop.and_then(Stop::signal) {
            return Err(format!("Hayward was told to end by signal {signal}"));
        }
        let Some(left) = self.limits.deadline.checked_sub(self.started.elapsed()) else {
            return Err(format!(
                "it did not end within {}",
                shown(self.limits.deadline)
            ));
        };
        self.poll(left)?;
        self.stdout.take(self.limits.output)?;
        self.stderr.take(self.limits.output)?;
        self.feed()?;
        self.listen()
    }

    fn poll(&self, left: Duration) -> Result<(), String> {
        let mut fds = vec![PollFd::new(&self.socket, PollFlags::IN)];
        fds.extend(self.stop.map(Stop::poll));
        for stream in [&self.stdout, &self.stderr] {
            fds.extend(stream.from.as_ref().map(|f| PollFd::new(f, PollFlags::IN)));
        }
        fds.extend(self.stdin.as_ref().map(|f| PollFd::new(f, PollFlags::OUT)));
        await_one(&mut fds, left)
    }

    /// Takes what the keeper says; tells whether that was all.
    fn listen(&mut self) -> Result<bool, String> {
        match self.socket.read_to_end(&mut self.report) {
            Ok(_) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Ok(false),
            Err(error) => Err(format!("its keeper cannot be heard: {error}")),
        }
    }

    /// Has the keeper end what still runs, and gives its report; or does its work, where it
    /// gives none in time.
    fn end(&mut self) -> Result<Report, String> {
        (self.stdin, self.stdout.from, self.stderr.from) = (None, None, None);
        let _ = self.socket.shutdown(Shutdown::Write);
        let told = Instant::now();
        let keeper = self.keeper.id();
        let mut heard = self.listen();
        while heard == Ok(false) && told.elapsed() < keeper::ANSWER {
            // The program is of the same user as its keeper, and may have stopped it.
            keeper::wake(keeper);
            await_one(
                &mut [PollFd::new(&self.socket, PollFlags::IN)],
                keeper::LOOK,
            )?;
            heard = self.listen();
        }
        let report = match serde_json::from_slice(&self.report) {
            Ok(report) => Ok(report),
            // What cannot be read is no report.
            Err(_) => {
                let left = keeper::clear(keeper);
                match heard {
                    Ok(false) => Ok(Report::Lives { left }),
                    _ => Err(
                        "its keeper was killed; what it put into a session of its own \
                              may go on"
                            .to_owned(),
                    ),
                }
            }
        };
        // It ends by itself, if it still can; all that it was there for is done.
        let _ = self.keeper.kill();
        let _ = self.keeper.wait();
        report
    }

    /// Writes on; a program that does not read to the end is no mistake.
    fn feed(&mut self) -> Result<(), String> {
        while let Some(stdin) = &mut self.stdin {
            if self.input.is_empty() {
                self.stdin = None;
                return Ok(());
            }
            match stdin.write(self.input) {
                Ok(written) => self.input = self.input.get(written..).unwrap_or(&[]),
                Err(error) => match error.kind() {
                    std::io::ErrorKind::WouldBlock => return Ok(()),
                    std::io::ErrorKind::Interrupted => {}
                    std::io::ErrorKind::BrokenPipe => self.stdin = None,
                    _ => return Err(format!("its standard input cannot be written: {error}")),
                },
            }
        }
        Ok(())
    }
}

fn shown(duration: Duration) -> String {
    match duration.subsec_nanos() {
        0 => format!("{} s", duration.as_secs()),
        _ => format!("{} ms", duration.as_millis()),
    }
}
