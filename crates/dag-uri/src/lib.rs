//! How a text stands in a URI (RFC 3986): what is percent-encoded where, and what it stands
//! for. Everything outside ASCII is encoded everywhere, as UTF-8.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode, percent_encode};
use std::borrow::Cow;

/// What a value encodes: all but `unreserved` (section 2.3).
const IN_VALUE: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// What a path of files encodes.
const IN_PATH: &AsciiSet = &IN_VALUE.remove(b'/');

/// What a path that was written for a URI encodes: all but `pchar` (section 3.3) without its
/// `%`, and the slashes.
const IN_WRITTEN_PATH: &AsciiSet = &IN_PATH
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=')
    .remove(b':')
    .remove(b'@');

/// A text as one value: a segment of a path, or a name or value of a query. No mark of it
/// divides anything.
#[must_use]
pub fn value(text: &str) -> String {
    percent_encode(text.as_bytes(), IN_VALUE).to_string()
}

/// A path of files whose slashes divide it; the same for an anchor. A colon is encoded too:
/// in a first segment it would end a scheme (section 4.2).
#[must_use]
pub fn path(path: impl AsRef<[u8]>) -> String {
    percent_encode(path.as_ref(), IN_PATH).to_string()
}

/// A path as somebody wrote it for a URI: what may stand in it stands for itself. One that is
/// given back as it is needs no encoding.
#[must_use]
pub fn written_path(text: &str) -> String {
    percent_encode(text.as_bytes(), IN_WRITTEN_PATH).to_string()
}

/// Whether a segment of the path is `.` or `..`, which servers and proxies take away
/// together with what is before it (section 5.2.4).
#[must_use]
pub fn has_dots(path: &str) -> bool {
    path.split('/').any(|segment| matches!(segment, "." | ".."))
}

/// The bytes that an encoded text stands for (section 2.1). A `%` without two digits behind
/// it stands for itself.
#[must_use]
pub fn decoded(text: &[u8]) -> Cow<'_, [u8]> {
    percent_decode(text).into()
}
