//! What Hayward promises to the person who types `hayward`: the real program, on real files.
//!
//! Every refusal stands beside its twin that is allowed. Where a test says that nothing was
//! written, it compares every path of the project and its hosts before and after: kind, bytes,
//! permissions, modification time and inode.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what fails a test fails it"
)]

mod common;
mod converge;
mod crash;
mod demo;
mod deps;
mod diff;
mod disk;
mod doc;
mod evidence;
mod explain;
mod history;
mod kept;
mod ledger;
mod mistakes;
mod model;
mod operations;
mod output;
mod plans;
mod policy;
mod project;
mod readme;
mod rendered;
mod requests;
#[allow(
    dead_code,
    reason = "it has more faults than are tried through the program"
)]
#[path = "../../crates/hayward-store/tests/s3/mod.rs"]
mod s3;
mod sarif;
mod walk;
mod written;
mod yaml;
