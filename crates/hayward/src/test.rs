//! `hayward test`

use crate::args::TestArgs;
use crate::failure::{End, Failure, Outcome};
use crate::output::{Output, Tone};
use crate::{project, sarif, store};
use dag_analysis::core::{Decl, Module, ModuleId, Program};
use dag_analysis::{Checked, Library, ModuleInfo};
use dag_eval::{Evaluator, Report, Verdict, Witness, run_witnesses};
use dag_syntax::{Code, Sources};
use hayward_project::Witnesses;
use similar::TextDiff;
use std::collections::HashMap;
use std::sync::Arc;

pub(crate) fn run(args: &TestArgs, output: &Output) -> Outcome {
    let roots = project::roots(&args.roots)?;
    let store = store::of_environment(output);
    let texts = project::texts(&roots)?;
    let mut known = Witnesses::of(texts.project(), store);
    // A module is run unless all its witnesses are known to be true.
    let runs = |module: &ModuleInfo| !module.library && !known.know(module);
    let needs = |checked: &Checked| checked.is_sound() && checked.modules.iter().any(runs);
    let working = output.working("checking");
    let loaded = texts.check(Library::Loaded, store, needs);
    drop(working);
    if !loaded.checked.is_sound() {
        let mistakes = &loaded.checked.diagnostics;
        sarif::print(mistakes, &loaded.sources, &args.roots, output)?;
    }
    let Some(loaded) = project::sound(loaded, output) else {
        return Ok(End::Refused);
    };
    let hayward_project::Loaded {
        sources, checked, ..
    } = &*loaded;
    let evaluator = Evaluator::new(Arc::new(Program {
        modules: checked.program.modules.clone(),
    }));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let selected = |module: &Module, decl: &Decl| {
        let named = |filter: &String| format!("{}.{}", module.name, decl.name).contains(filter);
        let info = checked.modules.get(module.id.0 as usize);
        info.is_some_and(runs) && args.filter.as_ref().is_none_or(named)
    };
    let working = output.working("running witnesses");
    let mut report = run_witnesses(&evaluator, selected, threads);
    drop(working);
    let ran = report.witnesses.len();
    for (id, module) in (0..).map(ModuleId).zip(&checked.modules) {
        let named = |w: &Witness| {
            args.filter
                .as_ref()
                .is_none_or(|f| full_name(w).contains(f))
        };
        let kept = known.get(id, module).into_iter();
        report.witnesses.extend(kept.filter(named));
    }
    report.sort();
    if args.filter.is_none() {
        let mut said: HashMap<ModuleId, Vec<&Witness>> = HashMap::new();
        for witness in &report.witnesses {
            said.entry(witness.decl.module).or_default().push(witness);
        }
        for (id, module) in (0..).map(ModuleId).zip(&checked.modules) {
            if !module.library && !known.know(module) {
                known.add(module, said.get(&id).map_or(&[], Vec::as_slice));
            }
        }
        known.put(&loaded.project, checked, store);
    }
    if report.witnesses.is_empty() {
        return Err(Failure::new(match &args.filter {
            Some(filter) => format!("{}: no witness's name contains `{filter}`", Code::NoWitness),
            None => format!(
                "{}: no witness was found: write `test fn name() -> Bool` in a file whose name ends in `_test.dag`",
                Code::NoWitness
            ),
        }));
    }
    for witness in &report.witnesses {
        show(witness, args.list, sources, output);
    }
    document(&report, sources, output);
    let failures = report.witnesses.iter().filter_map(Witness::to_diagnostic);
    let failures: Vec<_> = failures.collect();
    sarif::print(&failures, sources, &args.roots, output)?;
    let failed = report.witnesses.len() - report.passed();
    let summary = format!("{} passed, {failed} failed", report.passed());
    let tone = if failed == 0 { Tone::Good } else { Tone::Bad };
    let count = report.witnesses.len();
    let noun = if count == 1 { "witness" } else { "witnesses" };
    let kept = match count - ran {
        0 => String::new(),
        kept => format!(" ({kept} known from earlier runs)"),
    };
    output.line(format!(
        "{count} {noun}: {}{kept}",
        output.paint(tone, &summary)
    ));
    Ok(if report.holds() {
        End::Done
    } else {
        End::Refused
    })
}

fn full_name(witness: &Witness) -> String {
    format!("{}.{}", witness.module, witness.name)
}

fn show(witness: &Witness, list: bool, sources: &Sources, output: &Output) {
    match &witness.verdict {
        Verdict::Passed { steps } => {
            if list {
                let verdict = output.paint(Tone::Good, "pass");
                output.line(format!("{verdict}  {}  {steps} steps", full_name(witness)));
            }
        }
        Verdict::Failed {
            sides: Some(sides), ..
        } if sides.operator == "==" && sides.left.contains('\n') && sides.right.contains('\n') => {
            let place = sources.describe(witness.at);
            let verdict = output.paint(Tone::Bad, "FAIL");
            output.line(format!("{verdict}  {}  {place}", full_name(witness)));
            let diff = TextDiff::from_lines(&sides.left, &sides.right);
            let text = diff
                .unified_diff()
                .context_radius(2)
                .header("left of ==", "right of ==")
                .to_string();
            output.line(text);
        }
        Verdict::Failed { .. } | Verdict::Refused(_) => {
            let verdict = output.paint(Tone::Bad, "FAIL");
            output.line(format!("{verdict}  {}", full_name(witness)));
            if let Some(diagnostic) = witness.to_diagnostic() {
                output.diagnostics(&[diagnostic], sources);
            }
        }
    }
}

fn document(report: &Report, sources: &Sources, output: &Output) {
    if !output.json {
        return;
    }
    let witnesses: Vec<_> = report
        .witnesses
        .iter()
        .map(|witness| {
            let (verdict, steps) = match &witness.verdict {
                Verdict::Passed { steps } => ("passed", Some(*steps)),
                Verdict::Failed { steps, .. } => ("failed", Some(*steps)),
                Verdict::Refused(_) => ("refused", None),
            };
            let diagnostic = witness.to_diagnostic();
            let diagnostic = diagnostic
                .as_ref()
                .map(|d| serde_json::to_value(dag_syntax::to_json(d, sources)).unwrap_or_default());
            serde_json::json!({
                "module": witness.module.as_str(),
                "name": witness.name.as_str(),
                "place": sources.describe(witness.at),
                "verdict": verdict,
                "steps": steps,
                "diagnostic": diagnostic,
            })
        })
        .collect();
    output.document(&serde_json::json!({
        "ok": report.holds(),
        "passed": report.passed(),
        "failed": report.witnesses.len() - report.passed(),
        "witnesses": witnesses,
    }));
}
