//! Patterns of the language as POSIX extended regular expressions, as far as
//! both mean the same: safe characters, classes of them, groups, alternatives
//! and repetitions. No space can match. Inside an expression sudoers reads `,`, `:` and
//! `=` as they are (sudoers(5), "Regular expressions").

use std::iter::Peekable;
use std::str::Chars;

/// Characters that may be matched, beside letters and digits of ASCII.
const SAFE: &str = "_-./@%+~:=,";

/// The expression, in a group; none if the pattern says something else.
pub(super) fn of(pattern: &str) -> Option<String> {
    let pattern = pattern.strip_prefix('^').unwrap_or(pattern);
    let pattern = match pattern.strip_suffix('$') {
        Some(front) if !front.ends_with('\\') => front,
        _ => pattern,
    };
    let mut chars = pattern.chars().peekable();
    let mut out = String::from("(");
    alternatives(&mut chars, &mut out, 0)?;
    if chars.next().is_some() || out == "(" {
        return None;
    }
    out.push(')');
    Some(out)
}

/// A character that stands for itself.
pub(super) fn literal(c: char) -> Option<String> {
    match c {
        '.' | '+' => Some(format!("\\{c}")),
        c if is_safe(c) => Some(c.to_string()),
        _ => None,
    }
}

fn is_safe(c: char) -> bool {
    c.is_ascii_alphanumeric() || SAFE.contains(c)
}

fn alternatives(chars: &mut Peekable<Chars<'_>>, out: &mut String, depth: u32) -> Option<()> {
    if depth > 50 {
        return None;
    }
    let mut any = false;
    loop {
        match chars.peek() {
            None | Some(')') => return any.then_some(()),
            // An empty alternative is not portable.
            Some('|') if !any => return None,
            Some('|') => {
                chars.next();
                out.push('|');
                any = false;
                continue;
            }
            Some(_) => {}
        }
        any = true;
        match chars.next()? {
            '(' => {
                if chars.peek() == Some(&'?') {
                    chars.next();
                    if chars.next()? != ':' {
                        return None;
                    }
                }
                out.push('(');
                alternatives(chars, out, depth + 1)?;
                out.push(')');
                (chars.next()? == ')').then_some(())?;
            }
            '[' => class(chars, out)?,
            '\\' => out.push_str(&literal(escaped(chars)?)?),
            '.' | '+' => return None,
            c => out.push_str(&literal(c)?),
        }
        repetition(chars, out)?;
    }
}

/// Behind a backslash: a character that is no letter, so that it stands for
/// itself.
fn escaped(chars: &mut Peekable<Chars<'_>>) -> Option<char> {
    chars.next().filter(|c| !c.is_ascii_alphanumeric())
}

fn repetition(chars: &mut Peekable<Chars<'_>>, out: &mut String) -> Option<()> {
    match chars.peek() {
        Some(c @ ('*' | '+' | '?')) => {
            out.push(*c);
            chars.next();
        }
        Some('{') => {
            chars.next();
            out.push('{');
            let mut count = String::new();
            loop {
                match chars.next()? {
                    '}' => break,
                    c => count.push(c),
                }
            }
            let (least, most) = count.split_once(',').unwrap_or((&count, "0"));
            let number = |text: &str| text.parse::<u8>().is_ok();
            if !number(least) || !(most.is_empty() || number(most)) {
                return None;
            }
            out.push_str(&count);
            out.push('}');
        }
        _ => return Some(()),
    }
    // Lazy and repeated repetitions are not portable.
    (!matches!(chars.peek(), Some('*' | '+' | '?' | '{'))).then_some(())
}

/// `[a-z0-9._-]`
fn class(chars: &mut Peekable<Chars<'_>>, out: &mut String) -> Option<()> {
    let mut dash = false;
    let mut items = String::new();
    loop {
        let first = match chars.next()? {
            ']' => break,
            '\\' => escaped(chars)?,
            c => c,
        };
        if !is_safe(first) {
            return None;
        }
        let is_range = chars.peek() == Some(&'-') && {
            let mut ahead = chars.clone();
            ahead.next();
            ahead.peek().is_some_and(|c| *c != ']')
        };
        if !is_range {
            if first == '-' {
                dash = true;
            } else {
                items.push(first);
            }
            continue;
        }
        chars.next();
        let last = chars.next()?;
        let alike = |is: fn(&char) -> bool| is(&first) && is(&last);
        let range = alike(char::is_ascii_lowercase)
            || alike(char::is_ascii_uppercase)
            || alike(char::is_ascii_digit);
        if !range || first > last {
            return None;
        }
        items.extend([first, '-', last]);
    }
    if dash {
        items.push('-');
    }
    if items.is_empty() {
        return None;
    }
    out.push('[');
    out.push_str(&items);
    out.push(']');
    Some(())
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn safe_patterns_are_written() {
        let same = |pattern: &str, written: &str| {
            assert_eq!(of(pattern).as_deref(), Some(written), "{pattern}");
        };
        same("[a-z]+", "([a-z]+)");
        same("^[a-z0-9_.-]+\\.service$", "([a-z0-9_.-]+\\.service)");
        same("(?:on|off)", "((on|off))");
        same("a|bc?", "(a|bc?)");
        same("[\\-a]{3}", "([a-]{3})");
        same("[a]{1,}b{1,20}", "([a]{1,}b{1,20})");
        same("/srv/[A-Z]*\\+", "(/srv/[A-Z]*\\+)");
    }

    #[test]
    fn others_are_not() {
        for pattern in [
            "",
            ".",
            ".*",
            "a b",
            "[^a]",
            "[a-Z]",
            "[!-~]",
            "\\w+",
            "\\d",
            "\\s",
            "a;b",
            "a{1,2,3}",
            "a{,2}",
            "a{x}",
            "a||b",
            "(a",
            "a)",
            "[a",
            "a+?",
            "a{}",
            "a$b",
            "[[:alpha:]]",
            "(?i)a",
            "a\\",
            "[*]",
            "a#",
            "é",
            "[a-é]",
            "\\Aa",
            "()",
            "a|",
        ] {
            assert_eq!(of(pattern), None, "{pattern}");
        }
    }
}
