//! Damage at random: what a hand, an editor or an enemy does to a text.

use crate::dice::Dice;
use dag_syntax::{SourceId, Token, lex};

/// Numbers at and behind the ends of what numbers can be.
const NUMBERS: &[&str] = &[
    "0",
    "1",
    "9223372036854775807",
    "9223372036854775808",
    "99999999999999999999999999",
    "4294967296",
    "1.5",
    "0.0000000000000000000000000001",
    "179769313486231570000000000000000000000.0",
    "1_000",
    "1_",
    "00",
];

/// Characters that texts are not expected to hold, or to end in.
const HOSTILE: &[&str] = &[
    "\u{0}",
    "\u{7f}",
    "\r",
    "\r\n",
    "\t",
    "\u{b}",
    "\u{85}",
    "\u{a0}",
    "\u{feff}",
    "\u{2028}",
    "\u{202e}",
    "\u{301}",
    "\u{1f600}",
    "\u{10ffff}",
    "é",
    "ß",
    "İ",
    "Ⅷ",
    "ﬁ",
    "中",
    "\\",
    "\"",
    "'",
    "`",
    ";",
    "@",
    "#",
    "$",
    "~",
    "?",
    "//",
    "// x\n",
    "\\x",
    "\\u{",
    "\\u{110000}",
    "{{",
    "}}",
];

/// Words and signs of the grammar.
const WORDS: &[&str] = &[
    "module ",
    "import ",
    "alias ",
    "type ",
    "fn ",
    "func ",
    "resource ",
    "service ",
    "data ",
    "interface ",
    "pattern ",
    "let ",
    "return ",
    "match ",
    "if ",
    "else ",
    "for ",
    "in ",
    "where ",
    "with ",
    "true",
    "false",
    "none",
    "null",
    "capability ",
    "operation ",
    "input ",
    "output ",
    "idempotent ",
    "readonly ",
    "test ",
    "as ",
    "uses ",
    "from ",
    "sole_constructor ",
    "nominal_opaque ",
    "observed ",
    "admit_callers: ",
    "config ",
    "transport ",
    "exit ",
    "response ",
    "mock_response ",
    "after ",
    "when ",
    "node ",
    "_",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ":",
    ",",
    ".",
    "..",
    "+",
    "-",
    "*",
    "/",
    "%",
    "^",
    "=",
    "==",
    "!=",
    "<",
    ">",
    "<=",
    ">=",
    "=>",
    "->",
    "&&",
    "||",
    "|",
    "|>",
    "!",
    "?",
    "??",
    "\n",
    " ",
    "()",
    "{}",
    "[]",
    "T?",
    "x => x",
];

/// What a piece is put into, again and again.
const NESTS: &[(&str, &str)] = &[
    ("(", ")"),
    ("[", "]"),
    ("{ ", " }"),
    ("{ x: ", " }"),
    ("\"{", "}\""),
    ("-", ""),
    ("!", ""),
    ("^", ""),
    ("x => ", ""),
    ("fn() { ", " }"),
    ("f(", ")"),
    ("List<", ">"),
    ("fn(", ") -> Int"),
    ("if true { ", " } else { 0 }"),
    ("match 0 { _ => ", " }"),
    ("let x = ", "\nx"),
    ("for x in ", " { x }"),
    ("Present { value: ", " }"),
    ("", ".f"),
    ("", " + 1"),
    ("", " |> f"),
    ("", "?"),
    ("", " as Int"),
];

/// A text with one to four damages; pieces may come from another one.
#[must_use]
pub fn damaged(text: &str, other: &str, dice: &mut Dice) -> String {
    let mut text = text.to_owned();
    for _ in 0..=dice.below(4) {
        text = match dice.below(8) {
            0 => lines(&text, other, dice),
            1 => items(&text, other, dice),
            2 => characters(&text, dice),
            _ => tokens(&text, other, dice),
        };
    }
    text
}

/// The tokens of a text, blanks too.
fn token_texts(text: &str) -> Vec<(Token, &str)> {
    let (tokens, _) = lex(SourceId(0), text);
    let all = 0..tokens.len();
    all.filter_map(|index| {
        let span = tokens.span(index);
        let token = text.get(span.start as usize..span.end as usize)?;
        Some((tokens.kind(index), token))
    })
    .collect()
}

fn tokens(text: &str, other: &str, dice: &mut Dice) -> String {
    let all = token_texts(text);
    // Mostly what means something, now and then a blank.
    let told: Vec<usize> = (0..all.len())
        .filter(|i| all.get(*i).is_some_and(|(kind, _)| !kind.is_trivia()))
        .collect();
    let mut pieces: Vec<String> = all.iter().map(|(_, token)| (*token).to_owned()).collect();
    let place = |dice: &mut Dice| match dice.pick(&told) {
        Some(place) if !dice.one_in(12) => *place,
        _ => dice.below(all.len()),
    };
    let (a, b) = (place(dice), place(dice));
    let Some((kind, token)) = all.get(a).copied() else {
        return other.to_owned();
    };
    let of_kind = |kind: Token, dice: &mut Dice| -> Option<String> {
        let same: Vec<&str> = all
            .iter()
            .filter(|(k, _)| *k == kind)
            .map(|(_, token)| *token)
            .collect();
        dice.pick(&same).map(|token| (*token).to_owned())
    };
    match dice.below(11) {
        0 => drop(pieces.remove(a)),
        1 => pieces.insert(a, pieces.get(b).cloned().unwrap_or_default()),
        2 => pieces.swap(a, b),
        3 => pieces.insert(a, dice.word(WORDS).to_owned()),
        4 => pieces[a] = dice.word(WORDS).to_owned(),
        5 => drop(pieces.drain(a.min(b)..a.max(b).min(a.min(b) + 12))),
        6 => {
            let run: Vec<String> = pieces[a..(a + 1 + dice.below(8)).min(pieces.len())].to_vec();
            pieces.splice(b..b, run);
        }
        7 => {
            let (open, close) = dice.pick(NESTS).copied().unwrap_or(("(", ")"));
            let depth = match dice.below(8) {
                0 => 600,
                1 => 490 + dice.below(20),
                _ => 1 + dice.below(4),
            };
            pieces[a] = format!("{}{token}{}", open.repeat(depth), close.repeat(depth));
        }
        8 => {
            let others = token_texts(other);
            let from = dice.below(others.len());
            let run = others.iter().skip(from).take(1 + dice.below(10));
            pieces.splice(a..a, run.map(|(_, token)| (*token).to_owned()));
        }
        // A name for another name, a number for another one: what still parses is checked.
        _ => {
            let numbers: Vec<usize> = (0..all.len())
                .filter(|i| all.get(*i).is_some_and(|(k, _)| *k == Token::Int))
                .collect();
            match dice.pick(&numbers).filter(|_| dice.one_in(3)) {
                Some(number) => pieces[*number] = dice.word(NUMBERS).to_owned(),
                None => pieces[a] = of_kind(kind, dice).unwrap_or_default(),
            }
        }
    }
    pieces.concat()
}

fn lines(text: &str, other: &str, dice: &mut Dice) -> String {
    let mut pieces: Vec<&str> = text.split_inclusive('\n').collect();
    let others: Vec<&str> = other.split_inclusive('\n').collect();
    rearrange(&mut pieces, &others, dice);
    pieces.concat()
}

/// Items are what stands between empty lines.
fn items(text: &str, other: &str, dice: &mut Dice) -> String {
    let mut pieces: Vec<&str> = text.split("\n\n").collect();
    let others: Vec<&str> = other.split("\n\n").collect();
    rearrange(&mut pieces, &others, dice);
    pieces.join("\n\n")
}

fn rearrange<'a>(pieces: &mut Vec<&'a str>, others: &[&'a str], dice: &mut Dice) {
    let (a, b) = (dice.below(pieces.len()), dice.below(pieces.len()));
    match dice.below(5) {
        0 if !pieces.is_empty() => drop(pieces.remove(a)),
        1 if !pieces.is_empty() => pieces.swap(a, b),
        2 => pieces.insert(a, pieces.get(b).copied().unwrap_or("")),
        3 => pieces.truncate(a),
        _ => pieces.insert(a, dice.pick(others).copied().unwrap_or("")),
    }
}

fn characters(text: &str, dice: &mut Dice) -> String {
    let at: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let start = dice.pick(&at).copied().unwrap_or(0);
    let (before, after) = text.split_at(start);
    match dice.below(4) {
        0 => {
            let mut rest = after.chars();
            rest.next();
            format!("{before}{}", rest.as_str())
        }
        1 => before.to_owned(),
        _ => format!("{before}{}{after}", dice.word(HOSTILE)),
    }
}
