//! The engine's mirror of the library's types: what a fleet declares and what
//! an observer reads, as plain data.

mod desired;
mod digest;
mod host;
mod reading;

pub use desired::{DesiredFile, DesiredPath, Effect, FileMode, FileModeError, HostPath, PathError};
pub use digest::Digest;
pub use host::{HostName, HostNameError, HostRow, Transport};
pub use reading::{Cause, HostAnswer, UnitReading, UnitSetting, UnitSource};
