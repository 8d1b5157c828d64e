//! The layout of every form that is written somewhere: each model of the repository and each block
//! of the book, as it is, with every list of it emptied in turn, and with a comma behind every last
//! element.
#![allow(clippy::unwrap_used)] // a test that cannot read its models has failed

use dag_fuzz::property::layout_is_stable;
use dag_fuzz::run::on_deep_stack;
use dag_fuzz::seeds;
use dag_syntax::{SourceId, Token, Tree, parse};
use std::collections::BTreeSet;

fn sound(text: &str) -> Option<Tree> {
    let (tree, mistakes) = parse(SourceId(0), text.into());
    mistakes.is_empty().then_some(tree)
}

/// The text with the insides of one pair of brackets changed, for each pair: emptied, and with a comma
/// at its end.
fn variants(tree: &Tree, text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut opened = Vec::new();
    for index in 0..tree.tokens().len() {
        let span = tree.tokens().span(index);
        match tree.tokens().kind(index) {
            Token::LParen | Token::LBrace | Token::LBracket => opened.push(span.end as usize),
            Token::RParen | Token::RBrace | Token::RBracket => {
                let (Some(from), to) = (opened.pop(), span.start as usize) else {
                    continue;
                };
                for inside in [String::new(), format!("{},", text[from..to].trim_end())] {
                    all.push(format!("{}{inside}{}", &text[..from], &text[to..]));
                }
            }
            _ => {}
        }
    }
    all
}

#[test]
fn every_form_that_is_written_somewhere_has_its_layout() {
    let seeds = seeds::seeds().unwrap();
    let texts = seeds.iter().flat_map(|case| &case.writes);
    let texts: BTreeSet<&str> = texts.map(|file| file.text.as_str()).collect();
    let mut wrong = Vec::new();
    let (mut written, mut changed, mut kinds) = (0, 0, BTreeSet::new());
    for text in texts {
        let Some(tree) = sound(text) else { continue };
        written += 1;
        assert_eq!(on_deep_stack(|| layout_is_stable(text)).unwrap(), Ok(()));
        // One of each form is enough where a module repeats it: a long one would take minutes.
        if text.len() > 2_500 {
            continue;
        }
        for variant in variants(&tree, text) {
            let Some(tree) = sound(&variant) else {
                continue;
            };
            changed += 1;
            let mut todo = vec![tree.root()];
            while let Some(node) = todo.pop() {
                kinds.insert(format!("{:?}", tree.kind(node)));
                todo.extend(tree.children(node));
            }
            if let Err(broken) = layout_is_stable(&variant) {
                wrong.push(format!("{}\n{variant}", broken.how));
            }
        }
    }
    assert_eq!(wrong.len(), 0, "{}", wrong.join("\n"));
    assert!(written > 600, "{written}");
    assert!(changed > 2_000, "{changed}");
    for kind in ["Use", "Mock", "Init", "Where", "ForExpr"] {
        assert!(
            kinds.iter().any(|k| k.starts_with(kind)),
            "{kind}: {kinds:?}"
        );
    }
}
