//! A string whose closing quote is missing runs on to the opening quote of the next one:
//! what is wrong is only seen there, lines below the text that lacks the quote.

use crate::kind::Token;
use crate::lexer::Tokens;
use crate::{Code, Diagnostic, Label, Location, SourceId, Span};

/// Says of the first mistake of a file where the string begins that ends just before it, if
/// that string runs over several lines. The mistakes are in the order of the text. The
/// string that has no end follows from it: with one quote more, the last one has a partner.
pub(crate) fn explain(source: SourceId, text: &str, tokens: &Tokens, errors: &mut Vec<Diagnostic>) {
    let Some(first) = errors.first_mut() else {
        return;
    };
    let Some(string) = string_before(text, tokens, first.at.span.start) else {
        return;
    };
    let quoted = &text[string.start as usize..string.end as usize];
    let lines = quoted.matches('\n').count() + 1;
    // The rest of the line on which the string was closed.
    let between = text.get(string.end as usize..first.at.span.start as usize);
    if lines == 1 || between.is_none_or(|between| between.contains('\n')) {
        return;
    }
    first.others.push(Label {
        at: Location {
            source,
            span: Span::new(string.start, string.start + 1),
        },
        text: format!("this text begins here and runs over {lines} lines; is a `\"` missing?"),
    });
    let mut before = 0;
    errors.retain(|error| {
        before += 1;
        before == 1 || error.code != Code::UnterminatedString
    });
}

/// The last whole string that ends at or before a place, from quote to quote.
fn string_before(text: &str, tokens: &Tokens, place: u32) -> Option<Span> {
    let mut opened = Vec::new();
    let mut last = None;
    for index in 0..tokens.len() {
        let span = tokens.span(index);
        if span.end > place {
            break;
        }
        match tokens.kind(index) {
            Token::Quote => opened.push(span.start),
            Token::EndQuote => {
                let start = opened.pop();
                // In a hole the string around it is what may run on.
                if let (Some(start), true) = (start, opened.is_empty()) {
                    last = Some(Span::new(start, span.end));
                }
            }
            _ => {}
        }
    }
    last.filter(|span| (span.end as usize) <= text.len())
}
