//! The pages of the book, and what is wrong with them.

use crate::case::{Case, Fault, cases, fault};
use crate::run::run;
use similar::TextDiff;
use std::path::{Path, PathBuf};

/// The folder of the book.
pub(crate) fn folder() -> PathBuf {
    root().join("docs/language")
}

/// The folder of the checkout.
pub(crate) fn root() -> PathBuf {
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap();
    Path::new(&here).join("../..").canonicalize().unwrap()
}

/// Every page of the book, in order: path and text.
pub(crate) fn pages() -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut todo = vec![folder()];
    while let Some(folder) = todo.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                todo.push(path);
            } else if path.extension().is_some_and(|e| e == "md") {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((path, text));
            }
        }
    }
    found.sort();
    found
}

/// What was found on a page.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) cases: Vec<Case>,
    pub(crate) faults: Vec<Fault>,
    /// The page as it should be.
    pub(crate) text: String,
}

/// Runs the cases of a page.
pub(crate) fn run_page(text: &str) -> Found {
    let mut faults = Vec::new();
    let cases = cases(text, &mut faults);
    let mut new = text.to_owned();
    let mut changes = Vec::new();
    for case in &cases {
        let mut of_case = Vec::new();
        let answers = run(case, &mut of_case);
        for (expectation, answer) in case.expectations.iter().zip(answers) {
            let Some(answer) = answer.filter(|a| *a != expectation.text) else {
                continue;
            };
            let diff = TextDiff::from_lines(&expectation.text, &answer);
            let diff = diff
                .unified_diff()
                .header("the page", "the program")
                .to_string();
            of_case.push(fault(expectation.line, diff));
            changes.push((expectation.range.clone(), answer));
        }
        faults.extend(of_case.into_iter().map(|f| Fault {
            text: format!("{}: {}", case.name, f.text),
            ..f
        }));
    }
    // From the end, so that the places before stay what they are.
    for (range, answer) in changes.into_iter().rev() {
        new.replace_range(range, &answer);
    }
    Found {
        cases,
        faults,
        text: new,
    }
}
