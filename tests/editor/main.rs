//! Drives `hayward lsp` as editors do: over the wire, by a client of our own and
//! by a real editor.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what fails a test fails it"
)]

mod client;
mod colours;
mod edits;
mod features;
mod fuzz;
mod names;
mod neovim;
mod outside;
mod protocol;
mod scale;
