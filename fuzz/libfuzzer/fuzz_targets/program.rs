//! What holds of every model, written down as a case.
#![no_main]

use dag_fuzz::run::{on_deep_stack, try_case};
use dag_fuzz::{Case, Kind};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let case = Case::read(text);
    let held = on_deep_stack(|| try_case(&case, Kind::Program));
    assert!(matches!(held, Ok(Ok(()))), "{held:?}");
});
