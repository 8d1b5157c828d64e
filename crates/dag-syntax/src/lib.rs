//! The surface of the `.dag` language: tokens, the lossless tree, the parser,
//! and the one type in which every room of the language reports a mistake.
//!
//! Nothing here does I/O or knows what a name means. Parsing returns a tree and
//! the mistakes found in it, never a `Result`: the rest of a file is still
//! there after an error.

mod annotation;
mod code;
mod diagnostic;
mod format;
mod kind;
mod lexer;
mod parser;
mod render;
mod runaway;
mod source;
mod suggest;
mod symbol;
mod text;
mod tree;

pub use code::Code;
pub use diagnostic::{Diagnostic, Edit, Fix, Label, Severity};
pub use format::{LINE_WIDTH, format};
pub use kind::{CONTEXTUAL_WORDS, Node, Token};
pub use lexer::{Tokens, lex};
pub use parser::{MAX_DEPTH, parse, parse_expression};
pub use render::{Style, render_text, to_json};
pub use source::{LineCol, Location, Source, SourceId, Sources, Span, shown_name};
pub use suggest::{MOST_SUGGESTIONS, nearest};
pub use symbol::Symbol;
pub use text::unescape;
pub use tree::{Annotation, NodeId, Tree};
