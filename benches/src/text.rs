//! Spelling of texts in generated sources.

/// A text as a double-quoted literal with backslash escapes, as `.dag` and most languages read it.
/// The texts of the models have neither line breaks nor what a language would interpolate.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}
