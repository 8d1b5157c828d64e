//! Checks sources given as text, and shows the mistakes as a person sees them.
#![allow(dead_code)] // each test file uses its part

use dag_analysis::{check_expression, library};
pub(crate) use dag_given::checked;
use dag_syntax::{Diagnostic, SourceId, Sources, Style, render_text};
use expect_test::Expect;

/// A diagnostic as it is printed: short, and the mistake first.
fn shown(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let text = render_text(diagnostic, sources, Style::Plain);
    let lines = text.lines().count();
    assert!(lines <= 12, "{lines} lines:\n{text}");
    let code = diagnostic.code.as_str();
    let first = text.lines().next().unwrap_or_default();
    assert!(first.contains(&format!("[{code}]: ")), "{text}");
    text
}

/// What a check of these modules says.
pub(crate) fn errors_of(files: &[(&str, &str)]) -> String {
    let (checked, sources) = checked(files);
    let shown: Vec<String> = checked
        .diagnostics
        .iter()
        .map(|d| shown(d, &sources))
        .collect();
    shown.join("\n")
}

/// The codes that a check of these modules gives, in the order of the text.
pub(crate) fn codes_of(files: &[(&str, &str)]) -> Vec<&'static str> {
    let (checked, sources) = checked(files);
    checked
        .diagnostics
        .iter()
        .map(|d| {
            shown(d, &sources);
            d.code.as_str()
        })
        .collect()
}

/// A module that is refused so.
pub(crate) fn refused(text: &str, expected: Expect) {
    refused_files(&[("m.dag", text)], expected);
}

/// Modules that are refused so.
pub(crate) fn refused_files(files: &[(&str, &str)], expected: Expect) {
    expected.assert_eq(&errors_of(files));
}

/// A module that breaks one rule, once.
pub(crate) fn breaks(code: &str, text: &str) {
    let files = [("m.dag", text)];
    let start: String = text.chars().take(2000).collect();
    assert_eq!(codes_of(&files), [code], "{start}\n{}", errors_of(&files));
}

/// A module that stands.
pub(crate) fn sound(text: &str) {
    sound_files(&[("m.dag", text)]);
}

/// Modules that stand.
pub(crate) fn sound_files(files: &[(&str, &str)]) {
    let start: String = format!("{files:?}").chars().take(2000).collect();
    assert_eq!(errors_of(files), "", "{start}");
}

/// What a check of a lone expression beside these modules says.
pub(crate) fn errors_of_expression(files: &[(&str, &str)], expression: &str) -> String {
    let (checked, mut sources) = checked(files);
    assert!(checked.is_sound(), "{}", errors_of(files));
    let source = sources.add("<expression>", expression);
    // The library's files come before those of the project.
    let own = library().len();
    let library = |source: SourceId| (source.0 as usize) < own;
    match check_expression(&checked.program, &sources, source, library) {
        Ok(_) => String::new(),
        Err(errors) => {
            let shown: Vec<String> = errors.iter().map(|d| shown(d, &sources)).collect();
            shown.join("\n")
        }
    }
}
