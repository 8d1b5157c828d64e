//! The spellings in which a program may show a text.
//!
//! Found are the text as a whole and each of its lines, as they are or with
//! escapes (`%2F` and `+` of a URL, `\n` and `\u002f` of JSON, `\x2f`), and the whole in base64 of
//! both alphabets and in hexadecimal digits, also within a longer text and
//! broken into lines. All of it is found in the strings of a JSON document and of C, too: a
//! model reads them without their escapes. A text that is encoded twice otherwise,
//! compressed or encrypted is not found.

use aho_corasick::{AhoCorasick, BuildError};
use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// All that one text is looked for by.
#[derive(Clone)]
pub(super) struct Spellings {
    plain: AhoCorasick,
    /// Of letters that no space stands between.
    encoded: AhoCorasick,
}

impl Spellings {
    /// Of a text; parts shorter than `shortest` bytes are left out.
    pub(super) fn of(text: &str, shortest: usize) -> Result<Self, BuildError> {
        let whole = match text.trim() {
            trimmed if trimmed.len() >= shortest => trimmed,
            _ => text,
        };
        let lines = whole.lines().map(str::trim);
        let lines = lines.filter(|line| line.len() >= shortest && !is_frame(line));
        let plain: BTreeSet<&str> = lines.chain([whole]).collect();
        Ok(Self {
            plain: AhoCorasick::new(plain)?,
            encoded: AhoCorasick::new(encoded(whole.as_bytes()))?,
        })
    }

    /// Whether one of them stands in these bytes, or in what their escapes stand for.
    pub(super) fn stand_in(&self, bytes: &[u8]) -> bool {
        let meant = without_backslash(bytes);
        let escaped = matches!(meant, Cow::Owned(_));
        self.stand_open_in(bytes) || escaped && self.stand_open_in(&meant)
    }

    /// Whether one of them stands in these bytes, where a backslash is one.
    fn stand_open_in(&self, bytes: &[u8]) -> bool {
        self.plain.is_match(bytes)
            || self.plain.is_match(&*without_percent(bytes, false))
            || self.plain.is_match(&*without_percent(bytes, true))
            || self.encoded.is_match(&*close(bytes))
    }
}

/// Lines that frame a key, which everybody knows: RFC 7468 §2.
fn is_frame(line: &str) -> bool {
    line.starts_with("-----") && line.ends_with("-----")
}

fn encoded(text: &[u8]) -> BTreeSet<String> {
    let mut all = BTreeSet::new();
    let hex = |upper: bool| -> String {
        let digits = text.iter().map(|b| match upper {
            true => format!("{b:02X}"),
            false => format!("{b:02x}"),
        });
        digits.collect()
    };
    all.extend([hex(false), hex(true)]);
    // Three bytes are four letters. Where the text begins within three bytes is not
    // known, and a letter that its neighbours have a part in is not its own.
    for before in 0..3 {
        let bytes = [&[0; 2][..before.min(2)], text].concat();
        let first = (before * 8).div_ceil(6);
        let end = bytes.len() * 8 / 6;
        for letters in [
            STANDARD_NO_PAD.encode(&bytes),
            URL_SAFE_NO_PAD.encode(&bytes),
        ] {
            all.extend(letters.get(first..end).map(str::to_owned));
        }
    }
    all
}

/// Without spaces, line ends and colons, as dumps and encoders set them.
fn close(bytes: &[u8]) -> Cow<'_, [u8]> {
    let between = |b: &u8| b.is_ascii_whitespace() || *b == b':';
    match bytes.iter().any(between) {
        true => bytes.iter().copied().filter(|b| !between(b)).collect(),
        false => bytes.into(),
    }
}

/// With what `%` and two digits stand for, and `+` for a space if it is one.
fn without_percent(bytes: &[u8], plus: bool) -> Cow<'_, [u8]> {
    if !(plus && bytes.contains(&b'+')) {
        return dag_uri::decoded(bytes);
    }
    let spaced = bytes.iter().map(|b| if *b == b'+' { b' ' } else { *b });
    let spaced: Vec<u8> = spaced.collect();
    Cow::Owned(dag_uri::decoded(&spaced).into_owned())
}

/// With what the escapes of JSON (RFC 8259 §7) and of C stand for.
fn without_backslash(bytes: &[u8]) -> Cow<'_, [u8]> {
    if !bytes.contains(&b'\\') {
        return bytes.into();
    }
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some((first, behind)) = rest.split_first() {
        rest = behind;
        let (b'\\', Some((letter, behind))) = (first, behind.split_first()) else {
            out.push(*first);
            continue;
        };
        rest = behind;
        match letter {
            b'n' => out.push(b'\n'),
            b't' => out.push(b'\t'),
            b'r' => out.push(b'\r'),
            b'b' => out.push(8),
            b'f' => out.push(12),
            b'x' => match number(behind, 2) {
                Some((byte, after)) => {
                    out.extend(u8::try_from(byte));
                    rest = after;
                }
                None => out.push(b'x'),
            },
            b'u' => match letter_of(behind) {
                Some((letter, after)) => {
                    out.extend(letter.encode_utf8(&mut [0; 4]).bytes());
                    rest = after;
                }
                None => out.push(b'u'),
            },
            b'0'..=b'7' => {
                // One to three digits: a byte (C11 §6.4.4.4).
                let is_digit = |digit: &&u8| (b'0'..=b'7').contains(*digit);
                let more = behind.iter().take(2).take_while(is_digit).count();
                let (more, after) = behind.split_at(more);
                let digits = std::iter::once(letter).chain(more);
                let value = digits.fold(0, |n, digit| n * 8 + u32::from(digit - b'0'));
                out.extend(u8::try_from(value));
                rest = after;
            }
            other => out.push(*other),
        }
    }
    out.into()
}

/// The letter behind a `\u`: one number, or two of a surrogate pair.
fn letter_of(bytes: &[u8]) -> Option<(char, &[u8])> {
    let (high, behind) = number(bytes, 4)?;
    if let Some(letter) = char::from_u32(high) {
        return Some((letter, behind));
    }
    let (low, after) = number(behind.strip_prefix(b"\\u")?, 4)?;
    let pair = [u16::try_from(high).ok()?, u16::try_from(low).ok()?];
    let letter = char::decode_utf16(pair).next()?.ok()?;
    Some((letter, after))
}

/// A number of so many hexadecimal digits, and what is behind it.
fn number(bytes: &[u8], digits: usize) -> Option<(u32, &[u8])> {
    let (digits, behind) = bytes.split_at_checked(digits)?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let number = u32::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()?;
    Some((number, behind))
}
