//! What holds of an evaluation.

use super::syntax::{differ, places_hold};
use super::{Broken, Holds, Program, broken};
use dag_analysis::core::{Decl, DeclRef, Program as Core};
use dag_eval::{Evaluator, Limits, Refusal, display, to_json_text};
use std::sync::Arc;

const NAME: &str = "evaluation ends and repeats";

/// What an evaluation may use here: little, so that whatever would take long is refused soon.
const LIMITS: Limits = Limits {
    steps: 100_000,
    text_bytes: 1 << 20,
    list_items: 50_000,
    value_bytes: 16 << 20,
    calls: 5_000,
    stack_values: 50_000,
    shared_steps: 100,
};

/// Evaluates deep values on the stack that any thread has.
const STACK_BYTES: usize = 2 << 20;

/// If the program is sound: every `data`, and every function and workflow without parameters,
/// comes to a value or a refusal within its limits; the same, in as many steps, when it is
/// evaluated again, and in the other layout.
///
/// # Errors
/// The item that does not.
pub fn evaluation_ends_and_repeats(program: &Program, laid_out: Option<&Program>) -> Holds {
    if !program.checked.is_sound() {
        return Ok(());
    }
    let once = outcomes(program)?;
    let again = outcomes(program)?;
    if let Some((before, after)) = differ(&once, &again) {
        return broken(NAME, format!("first {before}, then {after}"));
    }
    if let Some(laid_out) = laid_out.filter(|laid_out| laid_out.checked.is_sound()) {
        let after = outcomes(laid_out)?;
        if let Some((before, after)) = differ(&once, &after) {
            return broken(NAME, format!("{before}, and laid out {after}"));
        }
    }
    Ok(())
}

/// What every item comes to, as a reader sees it.
fn outcomes(program: &Program) -> Result<Vec<String>, Broken> {
    let core = Arc::new(Core {
        modules: program.checked.program.modules.clone(),
    });
    let work = move || evaluate_all(program, core);
    let ended = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        thread.spawn_scoped(scope, work).map(|thread| thread.join())
    });
    match ended {
        Ok(Ok(outcomes)) => outcomes,
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        Err(error) => Err(Broken {
            property: NAME,
            how: format!("there is no thread: {error}"),
        }),
    }
}

fn evaluate_all(program: &Program, core: Arc<Core>) -> Result<Vec<String>, Broken> {
    let evaluator = Evaluator::with_limits(core, LIMITS);
    let mut outcomes = Vec::new();
    for module in program.own_modules() {
        for (index, decl) in (0..).zip(&module.decls) {
            if !is_evaluated(decl) {
                continue;
            }
            let declared = DeclRef {
                module: module.id,
                index,
            };
            let outcome = match evaluator.evaluate(declared) {
                Ok(outcome) if outcome.steps > LIMITS.steps => {
                    let how = format!("{} took {} steps", decl.name, outcome.steps);
                    broken(NAME, how)?;
                    continue;
                }
                Ok(outcome) => {
                    let shown = display(evaluator.program(), &outcome.value);
                    let json = to_json_text(evaluator.program(), &outcome.value);
                    let json = json.unwrap_or_else(|error| error.to_string());
                    format!("{shown} {json} in {} steps", outcome.steps)
                }
                Err(refusal) => refused(program, &refusal)?,
            };
            outcomes.push(format!("{}.{}: {outcome}", module.name, decl.name));
        }
    }
    Ok(outcomes)
}

/// A function with parameters waits for a caller.
fn is_evaluated(decl: &Decl) -> bool {
    decl.params.is_empty() && decl.type_params.is_empty() && decl.body.is_some()
}

/// A refusal can be shown, and is none that speaks of a defect.
fn refused(program: &Program, refusal: &Refusal) -> Result<String, Broken> {
    places_hold(&[refusal.to_diagnostic()], &program.sources)?;
    if refusal.message.contains("defect of the engine") {
        broken(NAME, refusal.to_string())?;
    }
    Ok(refusal.to_string())
}
