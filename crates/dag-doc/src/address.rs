//! Addresses inside the documentation. A module's page is `modules/NAME.EXT`, so that no
//! module's name meets that of another file.

use std::fmt::Write as _;

/// The folder of the modules' pages.
pub(crate) const FOLDER: &str = "modules";

/// The path of a module's page.
pub(crate) fn page(module: &str, extension: &str) -> String {
    format!("{FOLDER}/{module}.{extension}")
}

/// A path or an anchor as a part of a URI reference (RFC 3986 §2): every byte is escaped
/// that need not stand bare, but slashes.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(char::from(byte));
            }
            _ => {
                // Writing to a string does not fail.
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

/// An address in an annotation, if a reader may be sent there: the web, or a mail. Other
/// schemes can run code, and a relative path leads nowhere from here.
pub(crate) fn outside(address: &str) -> Option<&str> {
    let (scheme, rest) = address.split_once(':')?;
    let known = ["http", "https", "mailto"];
    let fits = known.iter().any(|known| scheme.eq_ignore_ascii_case(known));
    let plain = !rest.is_empty() && !address.chars().any(|c| c.is_control() || c == ' ');
    (fits && plain).then_some(address)
}
