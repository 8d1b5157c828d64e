//! One run of a program, and what it took.
//!
//! The kernel counts the memory of a process from its fork on, so a child's peak is never below its
//! parent's. The runner holds models and so is large: it starts itself anew as a small process
//! ([`serve`]) that starts the measured one.

use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use wait4::Wait4 as _;

/// A program to be run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Invocation {
    /// The program and its arguments.
    pub(crate) words: Vec<OsString>,
    /// Set for this run.
    pub(crate) environment: Vec<(String, OsString)>,
    /// The most address space it may have, in bytes.
    pub(crate) memory_limit: Option<u64>,
}

/// What a run took.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Sample {
    /// From just before it was started until it had ended.
    pub(crate) wall: Duration,
    /// User and system time of the process and what it waited for.
    pub(crate) cpu: Duration,
    /// The most memory that was resident, in bytes.
    pub(crate) peak: u64,
}

/// A run that ended.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) sample: Sample,
    /// Whether it ended with 0.
    pub(crate) succeeded: bool,
    /// What it printed on its standard output.
    pub(crate) output: Vec<u8>,
    /// What it printed on its standard error, and how it ended if that was not with 0.
    pub(crate) complaint: String,
}

/// What goes from the runner to the small process.
#[derive(Debug, Serialize, Deserialize)]
struct Request {
    invocation: Invocation,
    output: PathBuf,
    errors: PathBuf,
}

/// What comes back.
#[derive(Debug, Serialize, Deserialize)]
struct Answer {
    sample: Sample,
    /// How it ended, unless that was with 0.
    ended: Option<String>,
}

/// No program has more processor time than this, in seconds.
const CPU_LIMIT: u64 = 300;

/// Runs a program. Its output goes through files in `scratch`. If it cannot be started, the inner
/// error says why.
///
/// # Errors
/// If the files cannot be written or read.
pub(crate) fn run(invocation: &Invocation, scratch: &Path) -> io::Result<Result<Run, String>> {
    let request = Request {
        invocation: invocation.clone(),
        output: scratch.join("stdout"),
        errors: scratch.join("stderr"),
    };
    let mut server = Command::new(std::env::current_exe()?)
        .arg(SERVE)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    if let Some(mut input) = server.stdin.take() {
        input.write_all(&serde_json::to_vec(&request)?)?;
    }
    let answered = server.wait_with_output()?;
    let answer = match serde_json::from_slice::<Result<Answer, String>>(&answered.stdout)? {
        Ok(answer) => answer,
        Err(why) => return Ok(Err(why)),
    };
    let mut complaint = String::from_utf8_lossy(&std::fs::read(&request.errors)?).into_owned();
    if let Some(ended) = &answer.ended {
        complaint.push_str(ended);
    }
    Ok(Ok(Run {
        sample: answer.sample,
        succeeded: answer.ended.is_none(),
        output: std::fs::read(&request.output)?,
        complaint,
    }))
}

/// The word that makes the runner the small process.
pub(crate) const SERVE: &str = "measure-one-run";

/// The small process: reads a request, runs the program, writes the answer.
///
/// # Errors
/// If the request cannot be read or the answer cannot be written.
pub(crate) fn serve() -> io::Result<()> {
    let mut text = Vec::new();
    io::stdin().read_to_end(&mut text)?;
    let request: Request = serde_json::from_slice(&text)?;
    let answer = answer(&request).map_err(|error| error.to_string());
    io::stdout().write_all(&serde_json::to_vec(&answer)?)
}

fn answer(request: &Request) -> io::Result<Answer> {
    use rustix::process::{Resource, Rlimit, setrlimit};

    let limit = |resource, most| {
        let most = Some(most);
        let both = Rlimit {
            current: most,
            maximum: most,
        };
        setrlimit(resource, both)
    };
    let (program, arguments) = request
        .invocation
        .words
        .split_first()
        .ok_or_else(|| io::Error::other("no program is named"))?;
    let mut command = Command::new(program);
    command
        .args(arguments)
        .envs(request.invocation.environment.iter().map(|(k, v)| (k, v)))
        .stdin(Stdio::null())
        .stdout(File::create(&request.output)?)
        .stderr(File::create(&request.errors)?);
    limit(Resource::Cpu, CPU_LIMIT)?;
    if let Some(most) = request.invocation.memory_limit {
        limit(Resource::As, most)?;
    }
    let start = Instant::now();
    let used = command.spawn()?.wait4()?;
    let wall = start.elapsed();
    Ok(Answer {
        sample: Sample {
            wall,
            cpu: used.rusage.utime + used.rusage.stime,
            peak: used.rusage.maxrss,
        },
        ended: (!used.status.success()).then(|| used.status.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(words: &[&str], memory_limit: Option<u64>) -> Result<Answer, String> {
        let folder = tempfile::tempdir().map_err(|e| e.to_string())?;
        let request = Request {
            invocation: Invocation {
                words: words.iter().map(OsString::from).collect(),
                environment: vec![("COLOUR".to_owned(), "green".into())],
                memory_limit,
            },
            output: folder.path().join("stdout"),
            errors: folder.path().join("stderr"),
        };
        answer(&request).map_err(|e| e.to_string())
    }

    /// Limits hold for the process that sets them, so these stand in one test, and none of them
    /// sets a limit of memory.
    #[test]
    fn a_run_is_measured_and_how_it_ended_is_told() {
        let fine = answered(&["sh", "-c", "test $COLOUR = green"], None).expect("sh runs");
        assert_eq!(fine.ended, None);
        assert!(fine.sample.peak > 100_000);
        let slept = answered(&["sleep", "0.2"], None)
            .expect("sleep runs")
            .sample;
        assert!(slept.wall >= Duration::from_millis(200) && slept.cpu < slept.wall / 2);
        let busy = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done";
        let busy = answered(&["sh", "-c", busy], None).expect("sh runs").sample;
        assert!(busy.cpu > slept.cpu);
        let failed = answered(&["sh", "-c", "exit 7"], None).expect("sh runs");
        assert_eq!(failed.ended.as_deref(), Some("exit status: 7"));
        assert!(answered(&["/no/such/program"], None).is_err());
        assert!(answered(&[], None).is_err());
    }
}
