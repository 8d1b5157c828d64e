//! `hayward completions`

use crate::args::{Arguments, CompletionArgs};
use crate::failure::{End, Failure, Outcome};
use crate::output::Output;
use clap::CommandFactory;

pub(crate) fn run(args: &CompletionArgs, output: &Output) -> Outcome {
    if output.json {
        return Err(Failure::new("a script is for a shell: it has no JSON form"));
    }
    let mut script = Vec::new();
    clap_complete::generate(
        args.shell,
        &mut Arguments::command(),
        "hayward",
        &mut script,
    );
    output.raw(&script);
    Ok(End::Done)
}
