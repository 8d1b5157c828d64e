//! What a `.dag` program means: modules, names, types, exhaustiveness,
//! totality and the rules of evidence. Source texts in, a checked
//! [`core::Program`] and diagnostics out; no I/O.

pub mod core;
pub mod types;

mod kernel;

pub use kernel::Kernel;
