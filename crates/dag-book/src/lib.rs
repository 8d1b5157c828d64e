//! The book of the language (`docs/language`), as far as a program reads it: a
//! page as its sections and fenced blocks, the page of each code, and a page as
//! text for a terminal.
//!
//! What the blocks of a page claim is checked by the test `book` of the package
//! `hayward`; docs/language/README.md says how they are marked.

mod explanation;
mod page;
mod terminal;

pub use explanation::{Explanation, PageError, explanation, pages};
pub use page::{Block, Link, Page, Section};
pub use terminal::render;
