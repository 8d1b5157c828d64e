//! Evaluates declarations of modules given as text.
#![allow(dead_code, unreachable_pub)] // each test file uses its part
#![allow(clippy::unwrap_used)] // a test whose module does not check has failed

use dag_analysis::core::ModuleId;
use dag_eval::{Evaluator, Limits, Outcome, Refusal, Value, display};
use dag_syntax::{Diagnostic, Sources};
use std::sync::Arc;

/// An evaluator of these modules, each (path, text); they must check.
pub fn evaluator_of(files: &[(&str, &str)], limits: Limits) -> Evaluator {
    let (program, _) = dag_given::sound(files);
    Evaluator::with_limits(program, limits)
}

/// What a declaration of the module `m` evaluates to.
pub fn outcome(evaluator: &Evaluator, name: &str) -> Result<Outcome, Refusal> {
    let decl = evaluator.program().decl_named("m", name).unwrap();
    evaluator.evaluate(decl)
}

/// The value of `it` in a module, which starts behind its `module` line.
pub fn value(text: &str) -> Value {
    let text = format!("module m\n{text}\n");
    let evaluator = evaluator_of(&[("m.dag", &text)], Limits::default());
    outcome(&evaluator, "it").unwrap().value
}

/// The display form of `it`, or its refusal.
pub fn shown(text: &str) -> String {
    shown_of(&[("m.dag", &format!("module m\n{text}\n"))])
}

/// The display form of `it` in the module `m`, or its refusal.
pub fn shown_of(files: &[(&str, &str)]) -> String {
    let evaluator = evaluator_of(files, Limits::default());
    match outcome(&evaluator, "it") {
        Ok(outcome) => display(evaluator.program(), &outcome.value),
        Err(refusal) => refusal.to_string(),
    }
}

/// The JSON of `it`.
pub fn json(text: &str) -> String {
    let text = format!("module m\n{text}\n");
    let evaluator = evaluator_of(&[("m.dag", &text)], Limits::default());
    let value = outcome(&evaluator, "it").unwrap().value;
    dag_eval::to_json_text(evaluator.program(), &value).unwrap()
}

/// Asserts that the Bool `it` is true.
pub fn holds(text: &str) {
    assert_eq!(shown(text), "true", "{text}");
}

/// What a check says of these modules, each (path, text), their literals judged.
pub fn judged(files: &[(&str, &str)], limits: Limits) -> (Sources, Vec<Diagnostic>) {
    let (checked, sources) = dag_given::checked(files);
    let mut diagnostics = checked.diagnostics;
    let claims = (0..).zip(&checked.modules).filter(|(_, info)| info.claims);
    let claims: Vec<ModuleId> = claims.map(|(id, _)| ModuleId(id)).collect();
    let evaluator = Evaluator::with_limits(Arc::new(checked.program), limits);
    diagnostics.extend(claims.into_iter().flat_map(|id| evaluator.judge(id)));
    (sources, diagnostics)
}
