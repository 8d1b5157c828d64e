//! What a string literal's text means.

use crate::{Code, Diagnostic, Location, SourceId, Span};

/// Decodes the escapes of a piece of a string that starts at byte `start`.
/// Unknown escapes are kept as they are written and reported as warnings. The
/// end of a line is LF in the value, also where the file writes CR and LF: a
/// checkout's settings must not change what a model means.
pub fn unescape(
    piece: &str,
    source: SourceId,
    start: u32,
    report: &mut dyn FnMut(Diagnostic),
) -> String {
    let mut out = String::with_capacity(piece.len());
    let mut rest = piece;
    while let Some(at) = rest.find('\\') {
        push_lines(&mut out, &rest[..at]);
        let escape = &rest[at..];
        let (value, length) = one(escape);
        match value {
            Some(c) => out.push(c),
            None => {
                let offset = start + (piece.len() - rest.len() + at) as u32;
                let span = Span::new(offset, offset + length as u32);
                let written = &escape[..length];
                out.push_str(written);
                report(
                    Diagnostic::warning(
                        Code::UnknownEscape,
                        Location { source, span },
                        format!("`{written}` is no escape and is kept as it is written"),
                    )
                    .cure("write `\\\\` for a backslash")
                    .replace(Location { source, span }, format!("\\{written}")),
                );
            }
        }
        rest = &escape[length..];
    }
    push_lines(&mut out, rest);
    out
}

fn push_lines(out: &mut String, text: &str) {
    let mut lines = text.split("\r\n");
    out.push_str(lines.next().unwrap_or_default());
    for line in lines {
        out.push('\n');
        out.push_str(line);
    }
}

/// The character of the escape at the start of a text, and its length.
fn one(escape: &str) -> (Option<char>, usize) {
    let mut chars = escape.chars();
    chars.next();
    match chars.next() {
        Some(c @ ('"' | '\\' | '{' | '}')) => (Some(c), 2),
        Some('n') => (Some('\n'), 2),
        Some('t') => (Some('\t'), 2),
        Some('x') => match escape
            .get(2..4)
            .map(|hex| (hex, u32::from_str_radix(hex, 16)))
        {
            Some((hex, Ok(value))) if !hex.starts_with('+') => (char::from_u32(value), 4),
            _ => (None, 2),
        },
        Some('u') => {
            let digits = escape
                .get(3..)
                .and_then(|r| r.find('}'))
                .filter(|_| escape[2..].starts_with('{'));
            let value = digits.and_then(|n| {
                let hex = &escape[3..3 + n];
                let plain = (1..=6).contains(&n) && hex.bytes().all(|b| b.is_ascii_hexdigit());
                plain
                    .then(|| u32::from_str_radix(hex, 16).ok().and_then(char::from_u32))
                    .flatten()
            });
            match (value, digits) {
                (Some(c), Some(n)) => (Some(c), n + 4),
                _ => (None, 2),
            }
        }
        Some(other) => (None, 1 + other.len_utf8()),
        None => (None, 1),
    }
}
