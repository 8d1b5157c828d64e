//! What a `.dag` program means: modules, names, types, exhaustiveness,
//! totality and the rules of evidence. Source texts in, a checked
//! [`core::Program`] and diagnostics out; no I/O.
//!
//! The road of a program: [`check`] parses every file, orders the modules by
//! their imports (`index`), and checks each against those before it
//! (`module`); a module is declared first (types, then signatures), then its
//! bodies are elaborated into the core.

mod children;
mod codec;
mod components;
pub mod core;
mod descent;
mod elsewhere;
mod exhaustive;
mod graph;
mod index;
mod interface;
mod kernel;
mod known;
mod literal;
mod module;
mod modules;
pub mod operation;
mod past;
mod program;
mod reads;
pub mod record;
mod references;
pub mod regular;
mod schedule;
mod session;
mod texts;
mod totality;
pub mod types;
mod unloaded;
mod unnamed;
mod work;

pub use graph::{ImportEdge, ImportGraph, ImportNode, import_graph};
pub use interface::Digest;
pub use kernel::Kernel;
pub use module::import_edit;
pub use modules::Modules;
pub use past::{CheckRecord, CheckRecords, Keep, Past, text_digest};
pub use program::{
    Checked, Expression, File, Library, ModuleInfo, STACK_BYTES, check, check_after,
    check_expression, check_run, library, sort,
};
pub use references::{Reached, Start, reached};
pub use session::{Change, Session};
pub use unnamed::declaration as unnamed_declaration;
pub use work::Work;
