//! The list of words that mean something in their places is what the parser takes as such.
#![allow(clippy::unwrap_used)] // a test that cannot read its models has failed

use dag_fuzz::{Case, Dice, generate, seeds};
use dag_syntax::{CONTEXTUAL_WORDS, SourceId, parse};
use std::collections::BTreeSet;

/// What no seed has.
const MORE: &str = "module m\nservice S {\n  operation O readonly hermetic () -> Unit\n  transport shell { argv: [\"/bin/true\"] }\n}\n";

#[test]
fn the_contextual_words_are_those_that_stand_somewhere() {
    let mut cases = seeds::seeds().unwrap();
    cases.extend((0..300).map(|number| generate::case(&mut Dice::new(1, number))));
    cases.push(Case::of_text("m.dag", MORE));
    let mut found = BTreeSet::new();
    for file in cases.iter().flat_map(|case| &case.writes) {
        let (tree, mistakes) = parse(SourceId(0), file.text.as_str().into());
        if mistakes.is_empty() {
            let words = tree.contextual_words().into_iter();
            found.extend(words.map(|index| tree.token_text(index).to_owned()));
        }
    }
    let found: Vec<&str> = found.iter().map(String::as_str).collect();
    assert_eq!(found, CONTEXTUAL_WORDS);
}
