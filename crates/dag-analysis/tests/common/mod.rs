//! Checks sources given as text, and shows the mistakes as a person sees them.

use dag_analysis::{Checked, File, check, library};
use dag_syntax::{Sources, Style, render_text};
use expect_test::Expect;

/// Checks modules beside the library; each is (path, text).
pub(crate) fn check_files(files: &[(&str, &str)]) -> (Checked, Sources) {
    let mut sources = Sources::default();
    let mut inputs = Vec::new();
    for (path, text) in library() {
        inputs.push(File {
            source: sources.add(*path, *text),
            library: true,
        });
    }
    for (path, text) in files {
        inputs.push(File {
            source: sources.add(*path, *text),
            library: false,
        });
    }
    (check(&sources, &inputs), sources)
}

/// What a check of these modules says.
pub(crate) fn errors_of(files: &[(&str, &str)]) -> String {
    let (checked, sources) = check_files(files);
    let shown: Vec<String> = checked
        .diagnostics
        .iter()
        .map(|d| render_text(d, &sources, Style::Plain))
        .collect();
    shown.join("\n")
}

/// A module that is refused so.
#[allow(dead_code)]
pub(crate) fn errors(text: &str, expected: Expect) {
    expected.assert_eq(&errors_of(&[("m.dag", text)]));
}

/// A module that stands.
#[allow(dead_code)]
pub(crate) fn sound(text: &str) {
    assert_eq!(errors_of(&[("m.dag", text)]), "", "{text}");
}
