//! Carries a case out: what the program really says of its files.

use crate::case::{Case, Expectation, Fault, Mark, fault};
use crate::console;
use dag_analysis::core::ModuleId;
use dag_analysis::{Checked, Library, check, check_expression, sort};
use dag_eval::{Evaluator, Limits, Verdict, display, judged, run_witnesses, to_json_text};
use dag_syntax::{Diagnostic, SourceId, Sources, Style, format, parse, render_text};
use hayward_project::library;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Of each expectation: what should stand there. Nothing of one that cannot be
/// carried out, which is reported.
pub(crate) fn run(case: &Case, faults: &mut Vec<Fault>) -> Vec<Option<String>> {
    if case.files.iter().any(|f| f.latin_1) {
        return on_the_disk(case, faults);
    }
    let program = Program::of(case);
    let said = printed(
        &program.checked.diagnostics,
        &program.sources,
        case.line,
        faults,
    );
    program.refuse_unsaid(case, &said, faults);
    program.keep_in_layout(case, faults);
    let answers = case.expectations.iter().map(|expectation| {
        let before = faults.len();
        let answer = program.answer(case, expectation, &said, faults);
        answer.filter(|_| faults.len() == before)
    });
    answers.collect()
}

/// Files that only the program can read.
fn on_the_disk(case: &Case, faults: &mut Vec<Fault>) -> Vec<Option<String>> {
    let mut answers = Vec::new();
    for expectation in &case.expectations {
        if expectation.mark == Mark::Console {
            answers.push(Some(console::run(case, expectation)));
        } else {
            faults.push(fault(
                expectation.line,
                "of a file in Latin-1 only `console` tells",
            ));
            answers.push(None);
        }
    }
    if answers.is_empty() {
        faults.push(fault(case.line, "this case claims nothing"));
    }
    answers
}

struct Program {
    sources: Sources,
    checked: Checked,
    first_own: u32,
}

impl Program {
    fn of(case: &Case) -> Self {
        let files = case.files.iter();
        Self::of_texts(files.map(|f| (f.path.clone(), f.text.clone())))
    }

    fn of_texts(texts: impl Iterator<Item = (String, String)>) -> Self {
        let (sources, files) = dag_given::texts_beside(library(), texts);
        let first_own = files.iter().filter(|file| file.library).count() as u32;
        let mut checked = check(&sources, &files, Library::Loaded);
        judge(&mut checked, &sources);
        Self {
            sources,
            checked,
            first_own,
        }
    }

    fn is_own(&self, source: SourceId) -> bool {
        source.0 >= self.first_own
    }

    /// What the check says and the case does not.
    fn refuse_unsaid(&self, case: &Case, said: &str, faults: &mut Vec<Fault>) {
        // A console shows what the program says of whatever is in the files.
        let claims = |mark: Mark| {
            let mut all = case.expectations.iter();
            all.any(|e| [mark, Mark::Console].contains(&e.mark) && !e.asks())
        };
        let sound = self.checked.is_sound();
        if !sound && !claims(Mark::Error) {
            faults.push(fault(
                case.line,
                format!("the case says nothing of:\n{said}"),
            ));
        }
        if sound && !said.is_empty() && !claims(Mark::Warning) {
            faults.push(fault(
                case.line,
                format!("the case says nothing of:\n{said}"),
            ));
        }
        if sound && !claims(Mark::Witness) {
            let (said, fails) = self.witnesses(case.line, faults);
            if fails {
                faults.push(fault(
                    case.line,
                    format!("the case says nothing of:\n{said}"),
                ));
            }
        }
    }

    /// The layout of every file is stable, and means the same.
    fn keep_in_layout(&self, case: &Case, faults: &mut Vec<Fault>) {
        let mut texts = Vec::new();
        for file in &case.files {
            let Some(once) = formatted(&file.text) else {
                return;
            };
            match formatted(&once) {
                Some(twice) if twice == once => {}
                twice => faults.push(fault(
                    case.line,
                    format!(
                        "the layout of {} is not stable:\n{once}---\n{}",
                        file.path,
                        twice.unwrap_or_default()
                    ),
                )),
            }
            texts.push((file.path.clone(), once));
        }
        let again = Self::of_texts(texts.into_iter());
        let told = |program: &Self| -> Vec<String> {
            let all = program.checked.diagnostics.iter();
            all.map(|d| format!("{}: {}", d.code, d.message)).collect()
        };
        if told(self) != told(&again) {
            faults.push(fault(
                case.line,
                format!(
                    "formatted, the files say something else: {:?}",
                    told(&again)
                ),
            ));
        }
    }

    fn answer(
        &self,
        case: &Case,
        expectation: &Expectation,
        said: &str,
        faults: &mut Vec<Fault>,
    ) -> Option<String> {
        let line = expectation.line;
        let sound = self.checked.is_sound();
        match expectation.mark {
            Mark::Error if !expectation.asks() => {
                if sound {
                    faults.push(fault(line, "the files have no mistake"));
                }
                Some(said.to_owned())
            }
            Mark::Warning => {
                if !sound || said.is_empty() {
                    faults.push(fault(line, "there are no warnings, or mistakes besides"));
                }
                Some(said.to_owned())
            }
            Mark::Fmt => {
                let text = &case.files.last()?.text;
                let new = formatted(text);
                match &new {
                    None => faults.push(fault(line, "a file with mistakes has no layout")),
                    Some(new) if new == text => {
                        faults.push(fault(line, "the file is in this layout already"));
                    }
                    Some(_) => {}
                }
                new
            }
            Mark::Console => Some(console::run(case, expectation)),
            _ if !sound => {
                faults.push(fault(line, "nothing is evaluated of files with mistakes"));
                None
            }
            Mark::Witness => {
                let (said, _) = self.witnesses(line, faults);
                if said.is_empty() {
                    faults.push(fault(line, "there is no witness"));
                }
                Some(said)
            }
            Mark::Value | Mark::Json | Mark::Refusal | Mark::Error => {
                self.answers(expectation, faults)
            }
        }
    }

    /// The expressions of a block, each with what comes of it.
    fn answers(&self, expectation: &Expectation, faults: &mut Vec<Fault>) -> Option<String> {
        let mut seen = BTreeSet::new();
        let mut out = String::new();
        for expression in expectation.asked("> ") {
            if !seen.insert(expression) {
                faults.push(fault(
                    expectation.line,
                    format!("`{expression}` is asked twice"),
                ));
            }
            let answer = self.evaluated(expression, expectation, faults)?;
            out.push_str(&format!("> {expression}\n{answer}"));
            if !answer.ends_with('\n') {
                out.push('\n');
            }
            if answer.lines().any(|l| l.starts_with("> ")) {
                faults.push(fault(
                    expectation.line,
                    "a line of the answer starts with `> `",
                ));
            }
        }
        Some(out)
    }

    fn evaluated(
        &self,
        expression: &str,
        expectation: &Expectation,
        faults: &mut Vec<Fault>,
    ) -> Option<String> {
        let line = expectation.line;
        let mut sources = self.sources.clone();
        let source = sources.add("<expression>", expression);
        let library = |source: SourceId| !self.is_own(source);
        let checked = check_expression(&self.checked.program, &sources, source, library);
        let checked = match (checked.and_then(judged), expectation.mark) {
            (Ok(checked), Mark::Value | Mark::Json | Mark::Refusal) => checked,
            (Err(mistakes), Mark::Error) => {
                return Some(printed(&mistakes, &sources, line, faults));
            }
            (Ok(_), _) => {
                faults.push(fault(line, format!("`{expression}` has no mistake")));
                return None;
            }
            (Err(mistakes), _) => {
                let said = printed(&mistakes, &sources, line, faults);
                faults.push(fault(
                    line,
                    format!("`{expression}` has a mistake:\n{said}"),
                ));
                return None;
            }
        };
        let evaluator = Evaluator::with_limits(
            Arc::new(checked.program),
            Limits {
                ..expectation.limits
            },
        );
        match (evaluator.evaluate(checked.decl), expectation.mark) {
            (Ok(outcome), Mark::Value) => Some(display(evaluator.program(), &outcome.value)),
            (Ok(outcome), Mark::Json) => {
                let json = to_json_text(evaluator.program(), &outcome.value);
                Some(json.unwrap_or_else(|error| error.to_string()))
            }
            (Err(refusal), Mark::Refusal) => {
                Some(printed(&[refusal.to_diagnostic()], &sources, line, faults))
            }
            (Ok(_), _) => {
                faults.push(fault(line, format!("`{expression}` is not refused")));
                None
            }
            (Err(refusal), _) => {
                let said = printed(&[refusal.to_diagnostic()], &sources, line, faults);
                faults.push(fault(line, format!("`{expression}` is refused:\n{said}")));
                None
            }
        }
    }

    /// What the witnesses say, and whether one fails.
    fn witnesses(&self, line: usize, faults: &mut Vec<Fault>) -> (String, bool) {
        let program = dag_analysis::core::Program {
            modules: self.checked.program.modules.clone(),
        };
        let evaluator = Evaluator::new(Arc::new(program));
        let report = run_witnesses(&evaluator, |module, _| self.is_own(module.source), 1);
        let mut said = Vec::new();
        let mut fails = false;
        for witness in &report.witnesses {
            if let Verdict::Passed { .. } = witness.verdict {
                said.push(format!("pass  {}.{}\n", witness.module, witness.name));
            } else if let Some(diagnostic) = witness.to_diagnostic() {
                fails = true;
                let text = printed(&[diagnostic], &self.sources, line, faults);
                said.push(format!("FAIL  {}.{}\n{text}", witness.module, witness.name));
            }
        }
        (said.concat(), fails)
    }
}

/// Adds what is to be said of the literals that only an evaluation tells of.
fn judge(checked: &mut Checked, sources: &Sources) {
    let evaluator = Evaluator::new(Arc::new(dag_analysis::core::Program {
        modules: checked.program.modules.clone(),
    }));
    let modules = (0..).map(ModuleId).zip(&checked.modules);
    let own = modules.filter(|(_, module)| module.claims && !module.library);
    let mistakes: Vec<Diagnostic> = own.flat_map(|(id, _)| evaluator.judge(id)).collect();
    checked.diagnostics.extend(mistakes);
    sort(sources, &mut checked.diagnostics);
}

/// Diagnostics as the program prints them.
fn printed(
    diagnostics: &[Diagnostic],
    sources: &Sources,
    line: usize,
    faults: &mut Vec<Fault>,
) -> String {
    let mut all = Vec::new();
    for diagnostic in diagnostics {
        let text = render_text(diagnostic, sources, Style::Plain);
        if text.lines().count() > 12 {
            let text = format!("a diagnostic of more than 12 lines:\n{text}");
            faults.push(fault(line, text));
        }
        all.push(text + "\n");
    }
    all.join("\n")
}

/// A text in the one layout, if it has no mistakes.
fn formatted(text: &str) -> Option<String> {
    let (tree, errors) = parse(SourceId(0), text.into());
    let wrong = errors.iter().any(Diagnostic::is_error);
    (!wrong).then(|| format(&tree))
}
