//! This host, with the keeper that these tests have.

use hayward_operations::{Keeper, Limits, Secrets, Wet};

pub(crate) fn wet(limits: Limits, secrets: Secrets) -> Wet {
    let keeper = env!("CARGO_BIN_EXE_hayward-keeper-of-tests");
    Wet::new(limits, secrets).kept_by(Keeper::at(keeper.into()))
}
