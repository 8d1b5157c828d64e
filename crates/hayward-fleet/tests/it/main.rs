//! The crate's behaviour through its public door.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what fails a test fails it"
)]

mod bed;
mod convergence;
mod crash;
mod places;
mod plans;
mod receipts;
mod units;
