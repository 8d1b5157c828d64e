//! Every code that the parser or the checker can raise has its refusal in one
//! of the test files beside this one.
#![allow(clippy::unwrap_used)] // a test that cannot read its files has failed

use dag_syntax::Code;

#[test]
fn every_code_of_a_check_has_a_test() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests");
    let tests: String = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "rs"))
        .map(|path| std::fs::read_to_string(path).unwrap())
        .collect();
    // Raised where a file is read, a witness is run or a value is made.
    let elsewhere = |code: &str| {
        code == Code::NotUtf8.as_str() || code.starts_with("E07") || code.starts_with("E08")
    };
    let untested: Vec<&str> = Code::ALL
        .iter()
        .map(|code| code.as_str())
        .filter(|code| !elsewhere(code) && !tests.contains(code))
        .collect();
    assert!(untested.is_empty(), "{untested:?}");
}
