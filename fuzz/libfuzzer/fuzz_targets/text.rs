//! What holds of every text.
#![no_main]

use dag_fuzz::run::{on_deep_stack, try_case};
use dag_fuzz::{Case, Kind};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let case = Case::of_text("m.dag", text);
    let held = on_deep_stack(|| try_case(&case, Kind::Text));
    assert!(matches!(held, Ok(Ok(()))), "{held:?}");
});
