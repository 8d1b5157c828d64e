//! The four modules that show the dialect check as they are, and so do the
//! library and the example fleet.
#![allow(clippy::unwrap_used)] // a test that cannot read its files has failed

mod common;

#[test]
fn the_dialect_checks() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
    let read = |path: &str| std::fs::read_to_string(format!("{root}{path}")).unwrap();
    let texts: Vec<(String, String)> = [
        "lib/host/roster.dag",
        "lib/std/measure.dag",
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
    let (checked, _) = common::checked(&files);
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

#[test]
fn the_library_and_the_example_fleet_check() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
    let mut texts: Vec<(String, String)> = Vec::new();
    let language: Vec<&str> = dag_analysis::library()
        .iter()
        .map(|(path, _)| *path)
        .collect();
    let mut todo = vec![format!("{root}lib"), format!("{root}fleets/commons")];
    while let Some(folder) = todo.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.to_string_lossy().into_owned();
            if path.is_dir() {
                todo.push(name);
            } else if name.ends_with(".dag") && !language.iter().any(|own| name.ends_with(own)) {
                texts.push((name, std::fs::read_to_string(&path).unwrap()));
            }
        }
    }
    texts.sort();
    let files: Vec<(&str, &str)> = texts
        .iter()
        .map(|(p, t)| (p.as_str(), t.as_str()))
        .collect();
    let (checked, _) = common::checked(&files);
    assert!(checked.is_sound(), "{}", common::errors_of(&files));
}
