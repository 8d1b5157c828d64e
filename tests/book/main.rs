//! Runs the book of the language, `docs/language`: every fenced block of it is a
//! file, or a claim about files, and every claim must hold.
//!
//! `UPDATE_EXPECT=1` writes what the program says into the pages. Read it.
#![allow(clippy::unwrap_used, clippy::panic)] // a broken page or a broken disk fails the test

mod book;
mod case;
mod console;
mod coverage;
mod faults;
mod links;
mod run;

use std::collections::BTreeMap;
use std::fmt::Write as _;

/// How many cases the book has at least.
const CASES: usize = 700;

#[test]
fn the_book_holds() {
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let root = book::root();
    let mut report = String::new();
    let mut count = 0;
    let mut expectations = 0;
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for (path, text) in book::pages() {
        let shown = path.strip_prefix(&root).unwrap().display().to_string();
        let mut found = book::run_page(&text);
        if update && found.text != text {
            std::fs::write(&path, &found.text).unwrap();
            // What is left was not a matter of what is expected.
            found = book::run_page(&found.text);
        }
        for case in &found.cases {
            let place = format!("{shown}:{}", case.line);
            let files = case.files.iter().map(|f| (&f.path, &f.text));
            let asked = case.expectations.iter().map(|e| (e.mark, &e.text));
            let what = format!(
                "{:?} {:?}",
                files.collect::<Vec<_>>(),
                asked.collect::<Vec<_>>()
            );
            if let Some(first) = seen.insert(what, place.clone()) {
                let _ = writeln!(report, "{place}: this is the case of {first} again");
            }
        }
        count += found.cases.len();
        expectations += found
            .cases
            .iter()
            .map(|c| c.expectations.len())
            .sum::<usize>();
        for fault in found.faults {
            let _ = writeln!(report, "{shown}:{}: {}\n", fault.line, fault.text);
        }
    }
    assert!(report.is_empty(), "\n{report}");
    assert!(count >= CASES, "the book has {count} cases");
    // Seen with `--show-output`.
    let said = format!("{count} cases, {expectations} expectations\n");
    std::io::Write::write_all(&mut std::io::stdout(), said.as_bytes()).unwrap();
}

/// Each expectation of the book is looked at: changed, it is a fault.
#[test]
fn a_changed_expectation_is_a_fault() {
    for (path, text) in book::pages() {
        let cases = case::cases(&text, &mut Vec::new());
        let expectations: Vec<_> = cases.iter().flat_map(|c| &c.expectations).collect();
        let mut changed = text.clone();
        for expectation in expectations.iter().rev() {
            changed.insert_str(expectation.range.end, "and more\n");
        }
        let found = book::run_page(&changed);
        let (faults, wanted) = (found.faults.len(), expectations.len());
        assert_eq!(faults, wanted, "{}: {:?}", path.display(), found.faults);
        assert_eq!(found.text, text, "{}", path.display());
    }
}
