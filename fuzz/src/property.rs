//! The properties: each is a function that says how it was broken.

mod check;
mod evaluation;
mod history;
mod program;
mod syntax;

pub use check::{garbage_hides_nothing, layout_keeps_the_program, mistakes_have_places};
pub use evaluation::evaluation_ends_and_repeats;
pub use history::every_way_of_checking_agrees;
pub use program::Program;
pub use syntax::{layout_is_stable, no_byte_is_lost, places_hold, text_holds};

use crate::case::Case;
use crate::run::Kind;

/// A property that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// Its name.
    pub property: &'static str,
    /// How it was broken.
    pub how: String,
}

/// Whether a property holds.
pub type Holds = Result<(), Broken>;

/// Says that it does not.
pub(crate) fn broken(property: &'static str, how: impl Into<String>) -> Holds {
    Err(Broken {
        property,
        how: how.into(),
    })
}

/// Tries everything that holds of a case of that kind.
///
/// # Errors
/// The first property that does not hold.
pub fn hold(case: &Case, kind: Kind) -> Holds {
    for write in &case.writes {
        text_holds(&write.text)?;
    }
    if kind == Kind::Text {
        return Ok(());
    }
    let states = case.states();
    for state in &states {
        let program = Program::of(state);
        mistakes_have_places(&program)?;
        let laid_out = layout_keeps_the_program(&program)?;
        evaluation_ends_and_repeats(&program, laid_out.as_ref())?;
    }
    if let Some(state) = states.last() {
        garbage_hides_nothing(state)?;
    }
    every_way_of_checking_agrees(&states)
}
