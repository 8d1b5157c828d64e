//! What is found in a model, as a SARIF log: the form in which forges and editors take
//! findings of any tool.
//!
//! The format is "Static Analysis Results Interchange Format (SARIF) Version 2.1.0 Plus
//! Errata 01", an OASIS standard of 28 August 2023; its sections are named where a rule of
//! it shows. The same findings give the same bytes: no time, no machine, no user.

mod fingerprint;
mod format;
mod log;
mod message;
mod rules;
mod uri;

pub use log::{Found, failure, findings};
pub use uri::Place;
