//! Findings as a SARIF log: `--format sarif`.

use crate::args::RootArgs;
use crate::failure::Failure;
use crate::output::Output;
use crate::project;
use dag_sarif::{Found, Place};
use dag_syntax::{Diagnostic, Sources};
use hayward_project::Seen;

/// Prints what was found, if that form is asked for.
pub(crate) fn print(
    diagnostics: &[Diagnostic],
    sources: &Sources,
    roots: &RootArgs,
    output: &Output,
) -> Result<(), Failure> {
    if !output.is_sarif() {
        return Ok(());
    }
    let base = project::base(roots)?;
    let place = |shown: &str| match base.see(shown) {
        Seen::Inside(path) => Place::Project(path),
        Seen::BuiltIn(path) => Place::Library(path),
        Seen::Outside(path) => Place::Elsewhere(path),
    };
    let found = Found {
        diagnostics,
        sources,
    };
    output.log(&dag_sarif::findings(found, VERSION, &place));
    Ok(())
}

/// Prints why nothing was looked for.
pub(crate) fn failure(failure: &Failure, output: &Output) {
    output.log(&dag_sarif::failure(&failure.message, VERSION));
}

const VERSION: &str = env!("CARGO_PKG_VERSION");
