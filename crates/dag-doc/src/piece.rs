//! A line of code or prose in pieces, some of which lead somewhere.

/// Where a link leads: a module, or an item of it, or a part of the item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    /// The module's number in the model.
    pub(crate) module: usize,
    /// The item's number in the module.
    pub(crate) item: Option<usize>,
    /// The anchor of a variant or field in the item.
    pub(crate) part: Option<String>,
}

/// A piece of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) text: String,
    /// Whether it is code that stands among prose.
    pub(crate) code: bool,
    pub(crate) to: Option<Target>,
}

impl Piece {
    pub(crate) fn plain(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            code: false,
            to: None,
        }
    }

    pub(crate) fn code(text: impl Into<String>) -> Self {
        Self {
            code: true,
            ..Self::plain(text)
        }
    }
}
