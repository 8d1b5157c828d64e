//! The language server of the `.dag` language.
//!
//! One loop ([`serve`]) reads messages, keeps the texts that an editor holds, and
//! answers. What a name is comes from one place for every question: the record
//! of its module (`dag_analysis::record`). This room opens no file: the project's
//! files and the library are handed in through [`Project`].
//!
//! The types of the protocol are `gen-lsp-types`, which are made from the
//! protocol's own description; `lsp-types` lags behind it and needs a second
//! `bitflags`. `lsp-server` has the messages. Its reader is not used: it ends at
//! the first message that is no JSON, and takes as much memory as a header says.

mod actions;
mod candidates;
mod completion;
mod cursor;
mod describe;
mod diagnostics;
mod hints;
mod inbox;
mod initialize;
mod navigate;
mod outbox;
mod position;
mod project;
mod ranges;
mod rename;
mod server;
mod signature;
mod symbols;
mod tokens;
mod uri;
mod wire;
mod workspace;

pub use project::{Module, Project};
pub use server::{Ending, serve};
