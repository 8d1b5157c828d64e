//! `hayward eval`

use crate::args::{EvalArgs, RootArgs};
use crate::failure::{End, Failure, Outcome};
use crate::output::Output;
use crate::printed::{Form, printed};
use crate::{project, store};
use dag_analysis::{Checked, Expression, Library, check_expression};
use dag_eval::{Evaluator, judged};
use dag_syntax::{Diagnostic, SourceId};
use hayward_project::{Loaded, Outcomes, ValueKey};
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
    let form = match (args.raw, output.json) {
        (true, true) => return Err(Failure::new("`--raw` cannot be used with `--json`")),
        (true, false) => Form::Raw,
        (false, json) => Form::of(json),
    };
    let roots = project::roots(&RootArgs { roots })?;
    let store = store::of_environment(output);
    let texts = project::texts(&roots)?;
    let key = texts.digest().filter(|_| store.is_on());
    let key = key.map(|texts| ValueKey::new(&texts, expression, form.name()));
    if let Some(printed) = key.and_then(|key| key.get(store)) {
        output.raw(&printed);
        return Ok(End::Done);
    }
    let project = *texts.project();
    // What earlier evaluations came to is read while the modules are checked.
    let (loaded, outcomes) = std::thread::scope(|scope| {
        let outcomes = key.map(|_| scope.spawn(move || Outcomes::of(&project, store)));
        let loaded = texts.check(Library::Loaded, store, Checked::is_sound);
        (loaded, outcomes.and_then(|reading| reading.join().ok()))
    });
    let Some(mut loaded) = project::sound(loaded, output) else {
        return Ok(End::Refused);
    };
    let mut checked = check(loaded, expression);
    if checked.is_err() {
        // It may speak of the library's modules that the project does not load.
        let Some(whole) = project::read_sound(&roots, Library::Whole, output)? else {
            return Ok(End::Refused);
        };
        loaded = whole;
        checked = check(loaded, expression);
    }
    let (source, checked) = match checked {
        Ok(checked) => checked,
        Err(mistakes) => {
            project::refuse(&mistakes, loaded, output);
            return Ok(End::Refused);
        }
    };
    let program = Arc::new(checked.program);
    let working = output.working("evaluating");
    let evaluated = match &outcomes {
        Some(outcomes) => outcomes.evaluate(&program, &loaded.checked, checked.decl),
        None => Evaluator::new(Arc::clone(&program)).evaluate(checked.decl),
    };
    drop(working);
    let value = match evaluated {
        Ok(outcome) => outcome.value,
        Err(refusal) => {
            project::refuse(&[refusal.to_diagnostic()], loaded, output);
            return Ok(End::Refused);
        }
    };
    // Written while the value is printed.
    if let Some(outcomes) = outcomes {
        outcomes.put(&loaded.project, &loaded.checked, store);
    }
    let printed = match printed(&program, &value, form) {
        Ok(printed) => printed,
        Err(unprinted) => {
            let refusal = unprinted.refusal(source, &loaded.sources)?;
            project::refuse(&[refusal], loaded, output);
            return Ok(End::Refused);
        }
    };
    // The process ends soon, and gives all of this back at once.
    std::mem::forget((value, program));
    output.raw(printed.as_bytes());
    if let Some(key) = key {
        key.put(store, printed.into_bytes());
    }
    Ok(End::Done)
}

/// The expression, and the source that it is.
fn check(loaded: &mut Loaded, expression: &str) -> Result<(SourceId, Expression), Vec<Diagnostic>> {
    let source = loaded.sources.add("<expression>", expression);
    let is_library = |source: SourceId| !loaded.is_own(source);
    let checked = check_expression(&loaded.checked.program, &loaded.sources, source, is_library);
    checked.and_then(judged).map(|checked| (source, checked))
}
