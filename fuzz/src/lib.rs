//! What holds of the language for every text whatever, and texts to try it on.
//!
//! The properties are plain functions ([`property`]). A [`Case`] is what they are tried on: some
//! files, and edits of them. Cases come from the repository's own models and from finds of earlier
//! runs ([`seeds`]), are damaged at random ([`mutate`]) or made from nothing ([`generate`]). A case
//! that breaks a property is made small ([`minimise`]) and kept.
//!
//! Whoever drives them decides how long: the test `bounded`, by a number of cases; the program
//! `explore`, until it is stopped; libFuzzer, in `fuzz/libfuzzer`.

pub mod case;
pub mod dice;
pub mod generate;
pub mod minimise;
pub mod mutate;
pub mod property;
pub mod run;
pub mod seeds;

pub use case::{Case, SourceFile};
pub use dice::Dice;
pub use property::Broken;
pub use run::{Kind, Run};
