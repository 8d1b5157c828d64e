//! Recordings: a line of JSON for each reply, in the order of asking.
//!
//! The first line names the format. Each further line has the operation, the
//! digest of its request, what of the request may be read by people, and the
//! reply. A text given to a standard input, written to a file or sent in a request is in the digest
//! alone; of a secret, only its name is.
//!
//! A line answers a request if its digest is that of the request. What people read beside the digest
//! must then be the request's too: a line that shows one thing and answers another is refused.
//!
//! A line is on the disk before the workflow goes on. A run that is killed may
//! leave a last line that is not whole: it is left out, and that is said.

use crate::Wet;
use dag_eval::{Answer, Ask, HeaderText, Operations, Reply, Request, Stdin};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use thiserror::Error;

/// The first line of a recording.
const HEAD: &str = r#"{"hayward_recording":1}"#;

/// Bytes that a recording has at most.
const LARGEST: u64 = 1 << 30;

/// A recording that cannot be written or read.
#[derive(Debug, Error)]
#[allow(missing_docs)] // each is its text
pub enum RecordingError {
    #[error("{path} cannot be begun: {source}; a recording is a new file")]
    Begin {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{path} cannot be read: {source}")]
    Read {
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("{path} has more than {LARGEST} bytes, and so is no recording")]
    TooLarge { path: PathBuf },
    #[error("{path} is no recording: its first line is not {HEAD}")]
    NoRecording { path: PathBuf },
    #[error("{path}:{line} is no line of a recording: {why}")]
    Line {
        path: PathBuf,
        line: usize,
        why: String,
    },
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    operation: String,
    digest: String,
    asked: Vec<String>,
    reply: Kept,
}

/// A reply as it is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Kept {
    Exit {
        status: u8,
        stdout: Bytes,
        stderr: Bytes,
    },
    Content(Result<Bytes, String>),
    Written(Result<u64, String>),
    Entries(Result<Vec<String>, String>),
    Http {
        status: u16,
        headers: Vec<(String, String)>,
        body: Bytes,
    },
}

/// Bytes: as text where they are one.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Bytes {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Self {
        match std::str::from_utf8(bytes) {
            Ok(text) => Bytes::Text(text.to_owned()),
            Err(_) => Bytes::Bytes(bytes.to_vec()),
        }
    }
}

impl From<Bytes> for Vec<u8> {
    fn from(bytes: Bytes) -> Self {
        match bytes {
            Bytes::Text(text) => text.into_bytes(),
            Bytes::Bytes(bytes) => bytes,
        }
    }
}

impl From<&Reply> for Kept {
    fn from(reply: &Reply) -> Self {
        match reply {
            Reply::Exit {
                status,
                stdout,
                stderr,
            } => Kept::Exit {
                status: *status,
                stdout: stdout.as_slice().into(),
                stderr: stderr.as_slice().into(),
            },
            Reply::Content(Ok(bytes)) => Kept::Content(Ok(bytes.as_slice().into())),
            Reply::Content(Err(why)) => Kept::Content(Err(why.clone())),
            Reply::Written(result) => Kept::Written(result.clone()),
            Reply::Entries(result) => Kept::Entries(result.clone()),
            Reply::Http {
                status,
                headers,
                body,
            } => Kept::Http {
                status: *status,
                headers: headers.clone(),
                body: body.as_slice().into(),
            },
        }
    }
}

impl From<Kept> for Reply {
    fn from(kept: Kept) -> Self {
        match kept {
            Kept::Exit {
                status,
                stdout,
                stderr,
            } => Reply::Exit {
                status,
                stdout: stdout.into(),
                stderr: stderr.into(),
            },
            Kept::Content(result) => Reply::Content(result.map(Into::into)),
            Kept::Written(result) => Reply::Written(result),
            Kept::Entries(result) => Reply::Entries(result),
            Kept::Http {
                status,
                headers,
                body,
            } => Reply::Http {
                status,
                headers,
                body: body.into(),
            },
        }
    }
}

/// What of a request people may read.
fn asked(ask: &Ask) -> Vec<String> {
    match ask {
        Ask::Run { argv, .. } => argv.clone(),
        Ask::File { verb, path, .. } => vec![format!("{verb:?}").to_lowercase(), path.clone()],
        Ask::Http(http) => vec![http.method.as_str().to_owned(), http.url()],
    }
}

/// The digest of a request: BLAKE3 over its parts, each behind its length, so
/// that no two requests run together.
fn digest(request: &Request) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut part = |text: &str| {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    };
    part(request.operation.as_str());
    match &request.ask {
        Ask::Run { argv, stdin } => {
            part("run");
            part(&argv.len().to_string());
            argv.iter().for_each(|word| part(word));
            match stdin {
                Stdin::Empty => part("empty"),
                Stdin::Text(text) => {
                    part("text");
                    part(text);
                }
                Stdin::Secret(name) => {
                    part("secret");
                    part(name);
                }
            }
        }
        Ask::File {
            verb,
            path,
            content,
        } => {
            part(&format!("{verb:?}"));
            part(path);
            part(content);
        }
        Ask::Http(http) => {
            part("http");
            part(http.method.as_str());
            part(&http.url());
            part(&http.headers.len().to_string());
            for (name, pieces) in &http.headers {
                part(name);
                part(&pieces.len().to_string());
                for piece in pieces {
                    match piece {
                        HeaderText::Plain(text) => {
                            part("text");
                            part(text);
                        }
                        HeaderText::Secret(name) => {
                            part("secret");
                            part(name);
                        }
                    }
                }
            }
            match &http.basic {
                None => part("open"),
                Some((user, password)) => {
                    part("basic");
                    part(user);
                    part(password);
                }
            }
            match &http.body {
                None => part("empty"),
                Some(body) => {
                    part("body");
                    part(body);
                }
            }
            http.read_headers.iter().for_each(|name| part(name));
        }
    }
    hasher.finalize().to_hex().to_string()
}

/// Carries requests out, and keeps what comes back.
#[derive(Debug)]
pub struct Recorder {
    wet: Wet,
    path: PathBuf,
    file: Mutex<File>,
}

impl Recorder {
    /// Begins a recording.
    ///
    /// # Errors
    /// If the file is there already or cannot be written.
    pub fn begin(path: &Path, wet: Wet) -> Result<Self, RecordingError> {
        let begin = || {
            let mut options = OpenOptions::new();
            // What programs say may be for its owner alone.
            options.write(true).create_new(true).mode(0o600);
            let mut file = options.open(path)?;
            file.write_all(format!("{HEAD}\n").as_bytes())?;
            file.sync_all()?;
            let folder = path.parent().filter(|f| !f.as_os_str().is_empty());
            File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
            Ok(file)
        };
        match begin() {
            Ok(file) => Ok(Self {
                wet,
                path: path.to_owned(),
                file: Mutex::new(file),
            }),
            Err(source) => Err(RecordingError::Begin {
                path: path.to_owned(),
                source,
            }),
        }
    }

    fn keep(&self, request: &Request, reply: &Reply) -> Result<(), String> {
        let line = Line {
            operation: request.operation.to_string(),
            digest: digest(request),
            asked: asked(&request.ask),
            reply: reply.into(),
        };
        let mut text = serde_json::to_string(&line).map_err(|e| e.to_string())?;
        text.push('\n');
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        file.write_all(text.as_bytes())
            .and_then(|()| file.sync_data())
            .map_err(|e| e.to_string())
    }
}

impl Operations for Recorder {
    fn perform(&self, request: &Request) -> Answer {
        // What was carried out is kept before a signal ends this program.
        let _busy = self.wet.busy();
        let answer = self.wet.perform(request);
        if let Answer::Reply(reply) = &answer
            && let Err(why) = self.keep(request, reply)
        {
            let path = self.path.display();
            return Answer::Refused(format!(
                "it was carried out, and {path} could not be written: {why}"
            ));
        }
        answer
    }
}

/// Answers from a recording: the same request as often as it was asked then, in
/// the order of the replies. What was not asked then is refused.
#[derive(Debug)]
pub struct Replay {
    path: PathBuf,
    /// By digest, in their order in the file.
    lines: Mutex<BTreeMap<String, VecDeque<Numbered>>>,
    torn: bool,
}

#[derive(Debug)]
struct Numbered {
    number: usize,
    line: Line,
}

impl Numbered {
    /// How it shows another request than the one that it answers by its digest.
    fn disagrees(&self, request: &Request) -> Option<String> {
        let Line {
            operation, asked, ..
        } = &self.line;
        let wanted = self::asked(&request.ask);
        let (shown, digested) = if request.operation.as_str() != operation {
            (operation.clone(), request.operation.to_string())
        } else if wanted != *asked {
            (json(asked), json(&wanted))
        } else {
            return None;
        };
        Some(format!(
            "says {shown}, and its digest is that of {digested}: the line was edited, and answers \
             neither. Record the run again"
        ))
    }
}

/// Words as a line of a recording has them.
fn json(words: &[String]) -> String {
    serde_json::Value::from(words).to_string()
}

impl Replay {
    /// Reads a recording.
    ///
    /// # Errors
    /// If the file cannot be read, or a line but the last is not as it was written.
    pub fn read(path: &Path) -> Result<Self, RecordingError> {
        let named = || path.to_owned();
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|file| file.take(LARGEST + 1).read_to_end(&mut bytes))
            .map_err(|source| RecordingError::Read {
                path: named(),
                source,
            })?;
        if bytes.len() as u64 > LARGEST {
            return Err(RecordingError::TooLarge { path: named() });
        }
        let mut lines: Vec<&[u8]> = bytes.split(|b| *b == b'\n').collect();
        // Behind the last line end there is nothing, or a line that is not whole.
        let torn = lines.pop().is_some_and(|rest| !rest.is_empty());
        if lines.first().is_none_or(|first| *first != HEAD.as_bytes()) {
            return Err(RecordingError::NoRecording { path: named() });
        }
        let mut numbered: BTreeMap<String, VecDeque<Numbered>> = BTreeMap::new();
        for (index, line) in lines.iter().enumerate().skip(1) {
            let line: Line =
                serde_json::from_slice(line).map_err(|error| RecordingError::Line {
                    path: named(),
                    line: index + 1,
                    why: error.to_string(),
                })?;
            if let Kept::Http { status, .. } = line.reply
                && !(100..600).contains(&status)
            {
                return Err(RecordingError::Line {
                    path: named(),
                    line: index + 1,
                    why: format!(
                        "its answer has the status {status}, and there are those from 100 to 599"
                    ),
                });
            }
            numbered
                .entry(line.digest.clone())
                .or_default()
                .push_back(Numbered {
                    number: index + 1,
                    line,
                });
        }
        Ok(Self {
            path: named(),
            lines: Mutex::new(numbered),
            torn,
        })
    }

    /// Whether the last line was not whole and is left out.
    #[must_use]
    pub fn is_torn(&self) -> bool {
        self.torn
    }
}

impl Operations for Replay {
    fn perform(&self, request: &Request) -> Answer {
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let path = self.path.display();
        let Some(known) = lines.get_mut(&digest(request)) else {
            return Answer::Refused(format!(
                "{path} has no reply to this request: {}",
                json(&asked(&request.ask))
            ));
        };
        let Some(next) = known.front() else {
            return Answer::Refused(format!("{path} has no further reply to this request"));
        };
        if let Some(how) = next.disagrees(request) {
            // It stays where it is, so that no later line takes its turn.
            return Answer::Refused(format!("{path}:{} {how}", next.number));
        }
        let reply = Reply::from(next.line.reply.clone());
        if !reply.is_to(&request.ask) {
            return Answer::Refused(format!(
                "{path}:{} has a reply to another kind of operation: the line was edited. Record \
                 the run again",
                next.number
            ));
        }
        // A hermetic operation replies the same however often it is asked.
        if !request.promises.hermetic {
            known.pop_front();
        }
        Answer::Reply(reply)
    }
}
