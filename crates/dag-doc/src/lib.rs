//! The documentation of a model: what its modules declare, with their annotations, as pages
//! that link to each other.
//!
//! Texts in, pages out; nothing is read or written here. The texts must be those of a model
//! without mistakes: a name that leads nowhere is then a type parameter. The same texts give
//! the same bytes.
//!
//! The road: [`Model::read`] takes from the trees what is shown (`model`, `item`) and finds
//! where names lead (`names`); [`html()`] and [`markdown()`] write it. What stands in an
//! annotation is prose in a part of Markdown (`prose`): it cannot bring markup of its own.

mod address;
mod html;
mod item;
mod markdown;
mod model;
mod names;
mod piece;
mod predicate;
mod prose;
mod script;

pub use html::html;
pub use markdown::markdown;
pub use model::{Model, Text};

/// A file of the documentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Its path in the documentation's folder, with `/`.
    pub path: String,
    /// Its text.
    pub text: String,
}
