//! `hayward eval`

use crate::args::{EvalArgs, RootArgs};
use crate::failure::{End, Failure, Outcome};
use crate::output::Output;
use crate::project;
use dag_analysis::check_expression;
use dag_eval::{Evaluator, display, to_json_text};
use std::path::PathBuf;
use std::sync::Arc;

pub(crate) fn run(args: &EvalArgs, output: &Output) -> Outcome {
    let (roots, expression) = match args.words.as_slice() {
        [expression] => (Vec::new(), expression),
        [root, expression] => (vec![PathBuf::from(root)], expression),
        _ => {
            return Err(Failure::new(
                "give an expression, or a root and an expression",
            ));
        }
    };
    let roots = project::roots(&RootArgs { roots })?;
    let Some(mut loaded) = project::read_sound(&roots, output)? else {
        return Ok(End::Refused);
    };
    let source = loaded.sources.add("<expression>", expression.as_str());
    let is_library = |module: &dag_analysis::core::Module| !loaded.is_own(module.source);
    let checked = check_expression(&loaded.checked.program, &loaded.sources, source, is_library);
    let checked = match checked {
        Ok(checked) => checked,
        Err(mistakes) => {
            project::refuse(&mistakes, &loaded, output);
            return Ok(End::Refused);
        }
    };
    let evaluator = Evaluator::new(Arc::new(checked.program));
    let value = match evaluator.evaluate(checked.decl) {
        Ok(outcome) => outcome.value,
        Err(refusal) => {
            project::refuse(&[refusal.to_diagnostic()], &loaded, output);
            return Ok(End::Refused);
        }
    };
    if output.json {
        let json = to_json_text(evaluator.program(), &value).map_err(|e| Failure::of(&e))?;
        output.raw(json.as_bytes());
        output.raw(b"\n");
    } else {
        output.raw(display(evaluator.program(), &value).as_bytes());
        output.raw(b"\n");
    }
    Ok(End::Done)
}
