//! The runner can fail: each way in which a page may be wrong is a fault.

use crate::book::run_page;

fn faults(page: &str) -> Vec<String> {
    let found = run_page(page);
    found
        .faults
        .into_iter()
        .map(|f| format!("{}: {}", f.line, f.text))
        .collect()
}

/// The page has one fault, at that line, with those words.
fn wrong(page: &str, line: usize, words: &str) {
    let found = faults(page);
    let [only] = found.as_slice() else {
        panic!("{} faults: {found:#?}", found.len())
    };
    assert!(
        only.starts_with(&format!("{line}: ")) && only.contains(words),
        "{only}"
    );
}

fn right(page: &str) {
    assert_eq!(faults(page), Vec::<String>::new());
}

const GOOD: &str = "# P\n\n### A number\n\n```dag\nmodule a\n\ndata x: Int = 1\n```\n";

/// The good page with a block behind it.
fn with(mark: &str, text: &str) -> String {
    format!("{GOOD}\n```{mark}\n{text}```\n")
}

#[test]
fn a_file_without_a_claim_must_be_clean() {
    right(GOOD);
    wrong(
        &GOOD.replace("= 1", "= true"),
        3,
        "expected Int, found Bool",
    );
    let unused = GOOD.replace("data", "import std.measure { Bytes }\n\ndata");
    wrong(&unused, 3, "is imported and not used");
    wrong(&GOOD.replace("module a\n\n", ""), 3, "[E0109]");
}

#[test]
fn a_claim_must_be_what_the_program_says() {
    right(&with("value", "> x + 1\n2\n"));
    wrong(&with("value", "> x + 1\n3\n"), 11, "-3\n+2");
    right(&with("json", "> [x]\n[1]\n"));
    wrong(&with("json", "> [x]\n[2]\n"), 11, "-[2]\n+[1]");
    let page = with("error", "").replace("= 1", "= true");
    wrong(&page, 11, "+a.dag:3:15: error[E0301]");
    let page = with("fmt", "module a\n").replace("= 1", "=  1");
    wrong(&page, 11, "+data x: Int = 1");
    wrong(&with("console", "$ hayward eval . x\n2\n"), 11, "-2\n+1");
}

#[test]
fn a_claim_must_have_an_effect() {
    wrong(&with("error", ""), 11, "the files have no mistake");
    wrong(&with("warning", ""), 11, "there are no warnings");
    wrong(&with("fmt", ""), 11, "in this layout already");
    wrong(&with("witness", ""), 11, "there is no witness");
    wrong(&with("value", ""), 11, "starts with `> `");
    wrong(&with("console", ""), 11, "starts with `$ `");
    wrong(&with("refusal", "> x\n"), 11, "is not refused");
    wrong(&with("error", "> x\n"), 11, "has no mistake");
    wrong(&with("value", "> y\n"), 11, "there is no `y`");
    wrong(&with("value", "> x / 0\n"), 11, "divided by zero");
    wrong(&with("value", "> x\n1\n> x\n1\n"), 11, "asked twice");
    let twice =
        with("fmt", "module a\n\ndata x: Int = 1\n").replace("= 1\n```\n\n", "=  1\n```\n\n");
    right(&twice);
    wrong(
        &format!("{twice}\n```fmt\n```\n"),
        17,
        "says this above already",
    );
}

#[test]
fn nothing_is_evaluated_of_a_mistaken_program() {
    let page = with("value", "> 1\n1\n").replace("= 1\n```\n\n", "= true\n```\n\n");
    let found = faults(&page);
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[1].contains("nothing is evaluated"), "{found:?}");
}

#[test]
fn a_block_needs_a_known_mark() {
    wrong(&with("text", "x\n"), 11, "`text` is no mark");
    wrong(&with("", "x\n"), 11, "has no mark");
    wrong(
        &with("value steps=9", "> x\n1\n"),
        11,
        "`steps=9` is no word of a `value` block",
    );
    wrong(
        &with("refusal stepps=9", "> x\n"),
        11,
        "`stepps=9` is no word",
    );
    wrong(
        &GOOD.replace("```dag", "```dag utf-9"),
        5,
        "`utf-9` is no word of a `dag` block",
    );
    wrong("# P\n\n## Q\n\n    data x: Int = 1\n", 5, "indented");
}

#[test]
fn a_case_is_not_empty_and_has_its_own_name() {
    wrong(
        "# P\n\n### Nothing\n\nOnly words.\n",
        3,
        "this case is empty",
    );
    wrong(
        "# P\n\n### Nothing\n\n```dag\n```\n",
        5,
        "this block is empty",
    );
    wrong("# P\n\n### Nothing\n\n```fmt\n```\n", 5, "has no file");
    wrong(
        &format!("{GOOD}\n{}", GOOD.replace("# P\n", "")),
        12,
        "there is a case of this name above",
    );
}

#[test]
fn a_witness_that_fails_is_said() {
    let page =
        "# P\n\n### W\n\n```dag a_test.dag\nmodule a_test\n\ntest fn w() -> Bool = 1 == 2\n```\n";
    wrong(page, 3, "the witness `w` is false");
    let said = format!("{page}\n```witness\n```\n");
    wrong(&said, 11, "+FAIL  a_test.w");
    right(&page.replace("1 == 2", "1 == 1"));
}

#[test]
fn the_text_is_mended_where_it_is_wrong() {
    let page = with("value", "> x + 1\n3\n");
    assert_eq!(run_page(&page).text, with("value", "> x + 1\n2\n"));
}
