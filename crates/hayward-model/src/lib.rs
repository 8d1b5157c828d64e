//! The engine's mirror of the library's types: what a fleet declares and what
//! an observer reads, as plain data, and the one door between them and a model:
//! [`FleetModel`] asks a fleet its questions by the names that `lib/host/` gives
//! them, and mints the observed values that no model can write.

mod desired;
mod digest;
mod fleet;
mod host;
mod reading;

pub use desired::{
    AcceptedFile, DesiredFile, DesiredPath, Effect, FileMode, FileModeError, HostPath, PathError,
};
pub use digest::Digest;
pub use fleet::{
    Containment, DatedAnswer, Finding, FleetModel, ModelError, RenderedFile, Standing,
};
pub use host::{HostName, HostNameError, HostRow, Transport};
pub use reading::{Cause, HostAnswer, UnitReading, UnitSetting, UnitSource};
