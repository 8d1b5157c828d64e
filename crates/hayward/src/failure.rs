//! How a command ends.

use std::process::ExitCode;

/// How a command ended, if it was carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// As asked: 0.
    Done,
    /// The answer is no, and was printed: 1.
    Refused,
    /// There is something to do (`plan --exit-code`): 2.
    Changes,
    /// A signal of this number asked for the end: 128 and the number, as a shell has it.
    Signal(u8),
}

/// Why a command was not carried out: 2.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Failure {
    /// A sentence without a final stop.
    pub(crate) message: String,
}

/// How a command ended.
pub(crate) type Outcome = Result<End, Failure>;

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
        }
    }

    /// From an error of another room, with its causes.
    pub(crate) fn of(error: &dyn std::error::Error) -> Self {
        let mut message = error.to_string();
        let mut source = error.source();
        while let Some(cause) = source {
            let text = cause.to_string();
            if !message.contains(&text) {
                message = format!("{}: {text}", message.trim_end_matches('.'));
            }
            source = cause.source();
        }
        Self { message }
    }
}

impl End {
    pub(crate) fn code(self) -> ExitCode {
        match self {
            Self::Done => ExitCode::SUCCESS,
            Self::Refused => ExitCode::from(1),
            Self::Changes => ExitCode::from(2),
            Self::Signal(number) => ExitCode::from(128 | number),
        }
    }
}
