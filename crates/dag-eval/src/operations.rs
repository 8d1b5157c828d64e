//! What a workflow asks of the outside, as plain data: the request of an
//! operation, and the reply to it. Nothing here carries one out; whoever runs a
//! workflow gives an [`Operations`] that does, or that answers for the host.

use dag_analysis::operation::{Promises, Verb};
use dag_syntax::Symbol;

pub use crate::http::{HeaderText, Http, is_header_text};

/// Who answers operations.
pub trait Operations: Send + Sync {
    /// Answers a request. It is asked in the order of the workflow, and waits
    /// until there is a reply.
    fn perform(&self, request: &Request) -> Answer;
}

/// Every operation is answered by its mock: nothing outside is asked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Hermetic;

impl Operations for Hermetic {
    fn perform(&self, _: &Request) -> Answer {
        Answer::Mock
    }
}

/// An answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The operation's mock gives its value.
    Mock,
    /// This came back.
    Reply(Reply),
    /// Nothing came back; why, in one line without the operation's name.
    Refused(String),
}

/// A request, with every expression in it evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// `service.operation`.
    pub operation: Symbol,
    /// What its author promises of it.
    pub promises: Promises,
    /// What is asked.
    pub ask: Ask,
}

/// What is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// That a program is run.
    Run {
        /// The program and its arguments: at least one word, none with a NUL. No
        /// shell reads them.
        argv: Vec<String>,
        /// What it reads from its standard input.
        stdin: Stdin,
    },
    /// That a file is read, written or listed.
    File {
        /// Which of them.
        verb: Verb,
        /// An absolute path without a NUL.
        path: String,
        /// What is written.
        content: String,
    },
    /// A request over HTTP.
    Http(Box<Http>),
}

/// A standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stdin {
    /// It is empty.
    Empty,
    /// This text.
    Text(String),
    /// The secret of this name, whose text only the one who runs it knows.
    Secret(String),
}

/// What came back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A program ended.
    Exit {
        /// With this status.
        status: u8,
        /// What it wrote to its standard output.
        stdout: Vec<u8>,
        /// What it wrote to its standard error.
        stderr: Vec<u8>,
    },
    /// A file was read, or why not.
    Content(Result<Vec<u8>, String>),
    /// So many bytes were written, or why not.
    Written(Result<u64, String>),
    /// The names in a folder, or why they could not be read.
    Entries(Result<Vec<String>, String>),
    /// An answer over HTTP.
    Http {
        /// Its status.
        status: u16,
        /// Those of its headers that are read, names in small letters.
        headers: Vec<(String, String)>,
        /// Its body.
        body: Vec<u8>,
    },
}

impl Reply {
    /// Whether this kind of reply comes back to what was asked.
    #[must_use]
    pub fn is_to(&self, ask: &Ask) -> bool {
        let verb = match ask {
            Ask::Run { .. } => return matches!(self, Reply::Exit { .. }),
            Ask::Http(_) => return matches!(self, Reply::Http { .. }),
            Ask::File { verb, .. } => verb,
        };
        match verb {
            Verb::Read => matches!(self, Reply::Content(_)),
            Verb::Write => matches!(self, Reply::Written(_)),
            Verb::List => matches!(self, Reply::Entries(_)),
        }
    }
}
