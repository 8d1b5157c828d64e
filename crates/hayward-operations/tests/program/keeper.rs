//! A program that is nothing but a keeper.

use std::process::ExitCode;

fn main() -> ExitCode {
    hayward_operations::Keeper::main().unwrap_or(ExitCode::FAILURE)
}
