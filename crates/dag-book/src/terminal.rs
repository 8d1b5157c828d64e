//! A page as text for a terminal: prose as it is written, blocks indented,
//! headings handed to whoever knows what the terminal can show.

use crate::page::options;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

/// Writes Markdown out as plain text that ends with LF. `strong` makes a heading
/// stand out.
#[must_use]
pub fn render(markdown: &str, strong: impl Fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut heading: Option<String> = None;
    let mut block = false;
    for event in Parser::new_ext(markdown, options()) {
        match event {
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let words = heading.take().unwrap_or_default();
                apart(&mut out);
                out.push_str(&strong(&words));
                out.push('\n');
            }
            Event::Start(Tag::CodeBlock(kind)) => {
                apart(&mut out);
                if let CodeBlockKind::Fenced(info) = kind {
                    // A file's name says which text is which.
                    for file in info.split_whitespace().filter(|w| w.ends_with(".dag")) {
                        out.push_str(&format!("{file}:\n"));
                    }
                }
                block = true;
            }
            Event::End(TagEnd::CodeBlock) => block = false,
            Event::Start(Tag::Item) => {
                line(&mut out);
                out.push_str("- ");
            }
            // The first paragraph of an item goes on behind its sign.
            Event::Start(Tag::Paragraph) if out.ends_with("- ") => {}
            Event::Start(Tag::Paragraph | Tag::List(_)) => apart(&mut out),
            Event::End(TagEnd::Paragraph | TagEnd::Item) => line(&mut out),
            Event::Text(words) if block => {
                for text in words.lines() {
                    if !text.is_empty() {
                        out.push_str("    ");
                    }
                    out.push_str(text);
                    out.push('\n');
                }
            }
            Event::Text(words) => heading.as_mut().unwrap_or(&mut out).push_str(&words),
            Event::Code(words) => {
                let to = heading.as_mut().unwrap_or(&mut out);
                to.push_str(&format!("`{words}`"));
            }
            Event::SoftBreak | Event::HardBreak => out.push('\n'),
            _ => {}
        }
    }
    out
}

/// Starts a new line, if one is under way.
fn line(out: &mut String) {
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
}

/// Leaves a blank line, unless nothing stands above it.
fn apart(out: &mut String) {
    line(out);
    if !out.is_empty() && !out.ends_with("\n\n") {
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::render;
    use expect_test::expect;

    #[test]
    fn headings_stand_out_and_blocks_are_indented() {
        let page = "## Why\n\nA `name`,\nsee [there](x.md).\n\n- one\n- two\n\n```dag a.dag\nmodule a\n\ndata x: Int = 1\n```\n\nEnd.\n";
        expect![[r#"
            *Why*

            A `name`,
            see there.

            - one
            - two

            a.dag:
                module a

                data x: Int = 1

            End.
        "#]]
        .assert_eq(&render(page, |h| format!("*{h}*")));
    }
}
