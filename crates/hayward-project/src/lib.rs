//! Finding and reading a project: which files belong to it, and what its
//! `hayward.toml` says. The only room of the language's side that reads files.

pub mod artifacts;
mod causes;
mod git;
mod kept;
mod literals;
mod load;
mod manifest;
mod outcomes;
mod revision;
mod roots;
mod seen;
mod shown;
mod uncommitted;

pub use causes::{Cause, Version, causes};
pub use git::{Git, GitError};
pub use kept::{Keys, ValueKey, Witnesses};
pub use load::{Loaded, ReadError, Texts, load};
pub use manifest::{Entry, Manifest, ManifestError};
pub use outcomes::Outcomes;
pub use revision::{Revision, RevisionError};
pub use roots::{RootError, Roots};
pub use seen::{Base, Seen};
pub use shown::{in_line, shown};
pub use uncommitted::uncommitted;

/// The library's modules beside the language's own: path and text of each.
static LIBRARY: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/library.rs"));

/// What stands before the path of a library module where a path is shown.
pub(crate) const BUILT_IN: &str = "<built-in>/";

/// Every module of the built-in library: path below `lib/`, and text.
pub fn library() -> impl Iterator<Item = (&'static str, &'static str)> {
    dag_analysis::library().iter().chain(LIBRARY).copied()
}
