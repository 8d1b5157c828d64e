//! Prose as HTML. Every tag that is written stands here; all else is escaped.

use crate::address::outside;
use crate::prose::events;
use pulldown_cmark::{Event, Tag, TagEnd};

/// The annotation. `find` gives the address of what a piece of code names.
pub(super) fn html(annotation: &str, find: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::new();
    // Of each open link whether it is one.
    let mut links: Vec<bool> = Vec::new();
    for event in events(annotation) {
        match event {
            Event::Text(text) => escape(&text, &mut out),
            Event::Code(text) => {
                let address = find(&text).filter(|_| links.is_empty());
                if let Some(address) = &address {
                    open(address, &mut out);
                }
                out.push_str("<code>");
                escape(&text, &mut out);
                out.push_str("</code>");
                if address.is_some() {
                    out.push_str("</a>");
                }
            }
            Event::SoftBreak => out.push('\n'),
            Event::HardBreak => out.push_str("<br>\n"),
            Event::Rule => out.push_str("<hr>\n"),
            Event::Start(Tag::Link { dest_url, .. }) => {
                let address = outside(&dest_url).filter(|_| !links.contains(&true));
                if let Some(address) = address {
                    open(address, &mut out);
                }
                links.push(address.is_some());
            }
            Event::End(TagEnd::Link) => {
                out.push_str(match links.pop() {
                    Some(true) => "</a>",
                    _ => "",
                });
            }
            Event::Start(Tag::List(Some(start))) => {
                out.push_str(&format!("<ol start=\"{start}\">\n"));
            }
            Event::Start(tag) => out.push_str(tags(&tag.to_end()).0),
            Event::End(end) => out.push_str(tags(&end).1),
            _ => {}
        }
    }
    out
}

fn open(address: &str, out: &mut String) {
    out.push_str("<a href=\"");
    escape(address, out);
    out.push_str("\">");
}

/// The tags around what has no attributes.
fn tags(end: &TagEnd) -> (&'static str, &'static str) {
    match end {
        TagEnd::Paragraph => ("<p>", "</p>\n"),
        TagEnd::Heading(_) => ("<p><strong>", "</strong></p>\n"),
        TagEnd::BlockQuote(_) => ("<blockquote>\n", "</blockquote>\n"),
        TagEnd::CodeBlock => ("<pre><code>", "</code></pre>\n"),
        TagEnd::List(true) => ("", "</ol>\n"),
        TagEnd::List(false) => ("<ul>\n", "</ul>\n"),
        TagEnd::Item => ("<li>", "</li>\n"),
        TagEnd::Emphasis => ("<em>", "</em>"),
        TagEnd::Strong => ("<strong>", "</strong>"),
        _ => ("", ""),
    }
}

fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
}
