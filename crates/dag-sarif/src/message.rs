//! Texts as the format wants them.

use crate::format::Message;

impl Message {
    /// A text that stands for itself. Braces are doubled, because single ones enclose a
    /// placeholder (§3.11.5). Where a square bracket could open a link, brackets are escaped
    /// (§3.11.6).
    pub(crate) fn of(text: &str) -> Self {
        let links = text.contains("](");
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            match c {
                '{' | '}' => out.extend([c, c]),
                '[' | ']' | '\\' if links => out.extend(['\\', c]),
                _ => out.push(c),
            }
        }
        Self { text: out }
    }

    /// Several sentences, a line each; those that have no stop get one (§3.11.3).
    pub(crate) fn lines<'a>(lines: impl IntoIterator<Item = &'a str>) -> Self {
        let mut text = String::new();
        for line in lines.into_iter().filter(|line| !line.is_empty()) {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(line);
            if !line.ends_with(['.', '?', '!', ':']) {
                text.push('.');
            }
        }
        Self::of(&text)
    }
}
