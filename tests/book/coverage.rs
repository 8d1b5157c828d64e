//! What the language has and the book would have to show.

use crate::book::{folder, pages, root};
use crate::case::cases;
use dag_syntax::{Diagnostic, SourceId, parse};
use std::collections::BTreeSet;

/// Forms of the tree whose chapter is still to be written.
const FORMS_TO_COME: &[&str] = &[];

/// Functions of the prelude whose case is still to be written.
const FUNCTIONS_TO_COME: &[&str] = &[];

/// Every form of the grammar stands in a file without a mistake.
#[test]
fn every_form_has_a_case() {
    let mut seen = BTreeSet::new();
    let mut see = |tree: &dag_syntax::Tree| {
        let mut todo = vec![tree.root()];
        while let Some(node) = todo.pop() {
            seen.insert(format!("{:?}", tree.kind(node)));
            todo.extend(tree.children(node));
        }
    };
    for (_, text) in pages() {
        for case in cases(&text, &mut Vec::new()) {
            for file in &case.files {
                let (tree, errors) = parse(SourceId(0), file.text.as_str().into());
                if !errors.iter().any(Diagnostic::is_error) {
                    see(&tree);
                }
            }
        }
    }
    let kinds = std::fs::read_to_string(root().join("crates/dag-syntax/src/kind.rs")).unwrap();
    let nodes = kinds.split("pub enum Node {").nth(1).unwrap();
    let nodes = nodes.split("\n}").next().unwrap();
    let forms = nodes.lines().filter_map(|l| l.trim().strip_suffix(','));
    let forms: Vec<&str> = forms
        .filter(|l| l.chars().all(char::is_alphanumeric))
        .collect();
    assert!(forms.len() >= 60, "{forms:?}");
    let missing: Vec<&&str> = forms
        .iter()
        // What fits nowhere is in files with mistakes alone.
        .filter(|f| **f != "Error" && !seen.contains(**f) && !FORMS_TO_COME.contains(f))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Every function of the prelude is called in all three forms.
#[test]
fn every_function_is_called_in_every_form() {
    let pages = [
        "lists-and-texts.md",
        "maps-and-sets.md",
        "loops-and-ranges.md",
        "numbers-and-digests.md",
        "optional-values-and-results.md",
    ];
    let pages = pages.map(|page| std::fs::read_to_string(folder().join(page)).unwrap());
    let lines = pages.iter().flat_map(|page| page.lines());
    let asked: Vec<&str> = lines.filter_map(|l| l.strip_prefix("> ")).collect();
    let mut missing = Vec::new();
    let library = dag_analysis::library();
    for (_, text) in library {
        for line in text.lines().filter_map(|l| l.strip_prefix("fn ")) {
            let name = &line[..line.find(['<', '(']).unwrap()];
            if FUNCTIONS_TO_COME.contains(&name) {
                continue;
            }
            // What takes nothing stands behind nothing.
            if line.contains("() -> ") {
                let called = asked.iter().any(|e| e.contains(&format!("{name}()")));
                assert!(called, "{name}");
                continue;
            }
            let function = asked.iter().any(|e| e.starts_with(&format!("{name}(")));
            let method = asked.iter().any(|e| e.contains(&format!(".{name}(")));
            let pipe = asked.iter().any(|e| {
                let mut pieces = e.split("|> ").skip(1);
                pieces.any(|p| p.trim_end() == name || p.starts_with(&format!("{name}(")))
            });
            if !(function && method && pipe) {
                missing.push(format!("{name}: {function} {method} {pipe}"));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}
