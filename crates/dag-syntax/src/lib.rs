//! The surface of the `.dag` language: tokens, the lossless tree, the parser,
//! and the one type in which every room of the language reports a mistake.
//!
//! Nothing here does I/O or knows what a name means. Parsing returns a tree and
//! the mistakes found in it, never a `Result`: the rest of a file is still
//! there after an error.

mod code;
mod diagnostic;
mod render;
mod source;
mod symbol;

pub use code::Code;
pub use diagnostic::{Diagnostic, Label, Severity};
pub use render::{Style, render_text, to_json};
pub use source::{LineCol, Location, Source, SourceId, Sources, Span};
pub use symbol::Symbol;
