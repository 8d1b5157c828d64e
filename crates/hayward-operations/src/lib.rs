//! Operations on this host: programs that are run, files that are read and
//! written, requests over HTTP that are sent, recordings of them, and the lines of sudoers that permit them.
//!
//! [`Wet`] carries a request out, [`Recorder`] keeps what came back too, and
//! [`Replay`] answers from what was kept. None of them reads a model: a request
//! is made and a reply is read in `dag-eval`.
#![forbid(unsafe_code)]

mod answer;
mod file;
mod keeper;
mod limits;
mod process;
mod recording;
mod rest;
mod secrets;
mod stop;
mod sudoers;
mod wet;

pub use keeper::Keeper;
pub use limits::Limits;
pub use recording::{Recorder, RecordingError, Replay};
pub use secrets::{SecretError, Secrets};
pub use stop::Stop;
pub use sudoers::{Grant, sudoers};
pub use wet::Wet;
