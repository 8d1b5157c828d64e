//! Annotations as prose: a part of Markdown, without raw HTML, images and tables.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

/// The events of an annotation. Raw HTML comes as text, an image as its description.
pub(crate) fn events(annotation: &str) -> impl Iterator<Item = Event<'_>> {
    Parser::new_ext(annotation, Options::empty()).filter_map(|event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Some(Event::Text(text)),
        Event::Start(Tag::HtmlBlock) => Some(Event::Start(Tag::Paragraph)),
        Event::End(TagEnd::HtmlBlock) => Some(Event::End(TagEnd::Paragraph)),
        // Headings are those of the page.
        Event::Start(Tag::Heading { .. }) => Some(Event::Start(Tag::Heading {
            level: HeadingLevel::H6,
            id: None,
            classes: Vec::new(),
            attrs: Vec::new(),
        })),
        Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => None,
        other => Some(other),
    })
}

/// The first sentence of an annotation, without marks; empty if there is none.
pub(crate) fn summary(annotation: &str) -> String {
    let mut text = String::new();
    for event in events(annotation) {
        match event {
            Event::Text(words) | Event::Code(words) => text.push_str(&words),
            Event::SoftBreak | Event::HardBreak => text.push(' '),
            Event::End(TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::Item) => break,
            _ => {}
        }
    }
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match text.find(". ") {
        Some(end) => text[..=end].to_owned(),
        None => text,
    }
}
