//! What a `.dag` program means: modules, names, types, exhaustiveness,
//! totality and the rules of evidence. Source texts in, a checked
//! [`core::Program`] and diagnostics out; no I/O.
//!
//! The road of a program: [`check`] parses every file, orders the modules by
//! their imports (`index`), and checks each against those before it
//! (`module`); a module is declared first (types, then signatures), then its
//! bodies are elaborated into the core.

mod components;
pub mod core;
mod exhaustive;
mod index;
mod kernel;
mod known;
mod literal;
mod module;
mod program;
pub mod regular;
mod schedule;
mod suggest;
mod totality;
pub mod types;
mod unloaded;

pub use kernel::Kernel;
pub use program::{Checked, Expression, File, Library, check, check_expression, library};
