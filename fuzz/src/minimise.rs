//! Makes a case that breaks a property small.

use crate::case::Case;
use crate::run::{Kind, try_case};
use dag_syntax::{SourceId, lex};

/// How often a smaller case is tried. Most are small long before.
const TRIES: usize = 800;

/// The smallest case found that breaks the same property.
#[must_use]
pub fn minimised(case: &Case, kind: Kind, property: &str) -> Case {
    minimised_by(case, &mut |case| {
        try_case(case, kind).is_err_and(|broken| broken.property == property)
    })
}

/// The smallest case found that still breaks what the given one does.
#[must_use]
pub fn minimised_by(case: &Case, still: &mut dyn FnMut(&Case) -> bool) -> Case {
    let mut tries = TRIES;
    let mut breaks = |case: &Case| {
        tries = tries.saturating_sub(1);
        tries > 0 && still(case)
    };
    let mut case = case.clone();
    loop {
        let before = case.clone();
        let kept = shorter(case.writes.clone(), &mut |writes| {
            breaks(&Case {
                writes: writes.to_vec(),
            })
        });
        case.writes = kept;
        for at in 0..case.writes.len() {
            for split in [items, lines, tokens, characters] {
                let Some(write) = case.writes.get(at) else {
                    break;
                };
                let pieces = split(&write.text);
                let with = |pieces: &[String]| {
                    let mut case = case.clone();
                    if let Some(write) = case.writes.get_mut(at) {
                        write.text = pieces.concat();
                    }
                    case
                };
                let kept = shorter(pieces, &mut |pieces| breaks(&with(pieces)));
                case = with(&kept);
            }
        }
        if case == before {
            return case;
        }
    }
}

/// Takes runs of pieces out, long ones first, as long as the rest still breaks.
fn shorter<T: Clone>(mut pieces: Vec<T>, breaks: &mut dyn FnMut(&[T]) -> bool) -> Vec<T> {
    let mut run = pieces.len();
    while run > 0 {
        let mut at = 0;
        while at < pieces.len() {
            let mut rest = pieces.clone();
            rest.drain(at..(at + run).min(pieces.len()));
            if breaks(&rest) {
                pieces = rest;
            } else {
                at += run;
            }
        }
        run /= 2;
    }
    pieces
}

fn items(text: &str) -> Vec<String> {
    text.split_inclusive("\n\n").map(str::to_owned).collect()
}

fn lines(text: &str) -> Vec<String> {
    text.split_inclusive('\n').map(str::to_owned).collect()
}

fn tokens(text: &str) -> Vec<String> {
    let (tokens, _) = lex(SourceId(0), text);
    let spans = (0..tokens.len()).map(|index| tokens.span(index));
    spans
        .filter_map(|span| text.get(span.start as usize..span.end as usize))
        .map(str::to_owned)
        .collect()
}

/// The characters of a short text: a long one has become small by its tokens.
fn characters(text: &str) -> Vec<String> {
    if text.len() > 400 {
        return vec![text.to_owned()];
    }
    text.chars().map(String::from).collect()
}
