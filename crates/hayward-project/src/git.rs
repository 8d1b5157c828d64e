//! Asking git. Only questions: nothing here changes a repository or its files.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Why git gives no answer.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// It cannot be started.
    #[error("git cannot be started: {0}")]
    Start(std::io::Error),
    /// It does not end.
    #[error("git did not say within {limit} s what it was asked: git {what}")]
    Late {
        /// What it was asked.
        what: String,
        /// How long it was waited for, in seconds.
        limit: u64,
    },
    /// Its answer is larger than what is read.
    #[error("git answers with more than {} MiB: git {what}", MOST >> 20)]
    Large {
        /// What it was asked.
        what: String,
    },
    /// It says that it cannot do it.
    #[error("git {what}: {why}")]
    Refused {
        /// What it was asked.
        what: String,
        /// What it said, or how it ended.
        why: String,
    },
}

/// How long git may take to say what a name stands for.
const NAMING: Duration = Duration::from_secs(10);

/// How long git may take to give objects.
const READING: Duration = Duration::from_secs(60);

/// How many bytes of an answer are read.
const MOST: u64 = 1 << 30;

/// git, asked in a folder.
#[derive(Clone, Debug)]
pub struct Git {
    folder: PathBuf,
}

impl Git {
    /// git in a folder; whether there is a repository is not looked at.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
        }
    }

    /// The revision that is checked out; none outside a repository, in one without a commit,
    /// or without git.
    ///
    /// # Errors
    /// If git does not answer in time.
    pub fn head(&self) -> Result<Option<String>, GitError> {
        match self.ask(&["rev-parse", "--verify", "--quiet", "HEAD"], Vec::new()) {
            Ok(answer) => Ok(object_name(&answer)),
            Err(late @ GitError::Late { .. }) => Err(late),
            Err(_) => Ok(None),
        }
    }

    /// What git answers when it is given these bytes.
    ///
    /// # Errors
    /// If it cannot be started, does not end in time, or says that it failed.
    pub(crate) fn ask(&self, args: &[&str], input: Vec<u8>) -> Result<Vec<u8>, GitError> {
        let what = || args.join(" ");
        let mut git = Command::new("git")
            .arg("-C")
            .arg(&self.folder)
            .args(args)
            // Nothing is fetched, asked or locked, and a path is a path.
            .env("GIT_NO_LAZY_FETCH", "1")
            .env("GIT_TERMINAL_PROMPT", "0")
            .env("GIT_OPTIONAL_LOCKS", "0")
            .env("GIT_LITERAL_PATHSPECS", "1")
            .env("LC_ALL", "C")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(GitError::Start)?;
        if let Some(mut stdin) = git.stdin.take() {
            // If it does not read, it says so by how it ends.
            std::thread::spawn(move || stdin.write_all(&input));
        }
        let said = reader(git.stdout.take());
        let complained = reader(git.stderr.take());
        let limit = match args.first() {
            Some(&"rev-parse") => NAMING,
            _ => READING,
        };
        let late = || GitError::Late {
            what: what(),
            limit: limit.as_secs(),
        };
        let deadline = Instant::now() + limit;
        let left = || deadline.saturating_duration_since(Instant::now());
        let (Ok(answer), Ok(complaint)) =
            (said.recv_timeout(left()), complained.recv_timeout(left()))
        else {
            end(&mut git);
            return Err(late());
        };
        let status = loop {
            match git.try_wait() {
                Ok(Some(status)) => break status,
                Ok(None) if Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(1));
                }
                _ => {
                    end(&mut git);
                    return Err(late());
                }
            }
        };
        if answer.len() as u64 > MOST {
            return Err(GitError::Large { what: what() });
        }
        if !status.success() {
            let complaint = String::from_utf8_lossy(&complaint);
            let first = complaint.lines().next().unwrap_or_default().trim();
            let why = match first.strip_prefix("fatal: ").unwrap_or(first) {
                "" => status.to_string(),
                said => said.to_owned(),
            };
            return Err(GitError::Refused { what: what(), why });
        }
        Ok(answer)
    }
}

/// An object's name, if the answer is one.
pub(crate) fn object_name(answer: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(answer).ok()?.trim();
    let is_name = name.bytes().all(|b| b.is_ascii_hexdigit()) && (40..=64).contains(&name.len());
    is_name.then(|| name.to_owned())
}

/// Reads on a thread of its own, so that git never waits for a reader and nobody waits for
/// git without an end.
fn reader(from: Option<impl Read + Send + 'static>) -> mpsc::Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(from) = from {
            // A pipe that breaks ends the answer; how git ended tells whether it is whole.
            let _ = from.take(MOST + 1).read_to_end(&mut bytes);
        }
        let _ = sender.send(bytes);
    });
    receiver
}

fn end(git: &mut Child) {
    // It may have ended just now; either way nothing waits for it.
    let _ = git.kill();
    let _ = git.wait();
}
