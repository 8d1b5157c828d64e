//! The four modules that show the dialect check as they are.

mod common;

#[test]
fn the_dialect_checks() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
    let read = |path: &str| std::fs::read_to_string(format!("{root}{path}")).unwrap();
    let texts: Vec<(String, String)> = [
        "lib/host/roster.dag",
        "tests/dialect/permits.dag",
        "tests/dialect/standing.dag",
        "tests/dialect/standing_test.dag",
        "tests/dialect/unit.dag",
    ]
    .iter()
    .map(|p| ((*p).to_owned(), read(p)))
    .collect();
    let files: Vec<(&str, &str)> = texts
        .iter()
        .map(|(p, t)| (p.as_str(), t.as_str()))
        .collect();
    let (checked, _) = common::check_files(&files);
    assert!(checked.is_sound(), "{}", common::errors_of(&files));
    // Four names are listed and not used.
    assert!(
        checked
            .diagnostics
            .iter()
            .all(|d| d.code.as_str() == "W0209")
    );
    assert_eq!(checked.program.modules.len(), 8);
}
