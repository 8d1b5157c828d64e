//! A page of the book: Markdown as headings, prose and fenced blocks.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// A page.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// Its sections, in order. What stands above the first heading belongs to none.
    pub sections: Vec<Section>,
    /// Where its links lead.
    pub links: Vec<Link>,
    /// Lines, from 1, of code that is indented instead of fenced: it has no mark.
    pub unmarked: Vec<usize>,
}

/// A heading and what stands below it, up to the next heading.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// The heading's text, without marks for code or emphasis.
    pub heading: String,
    /// The heading's level, from 1.
    pub level: usize,
    /// The heading's line, from 1.
    pub line: usize,
    /// Its paragraphs as they are written, without the blocks.
    pub paragraphs: Vec<String>,
    /// Its fenced blocks.
    pub blocks: Vec<Block>,
}

/// A fenced block.
#[derive(Clone, Debug)]
pub struct Block {
    /// What stands behind the opening fence.
    pub info: String,
    /// The text between the fences; every line of it ends with LF.
    pub text: String,
    /// The opening fence's line, from 1.
    pub line: usize,
    /// Where the text stands in the page, in bytes.
    pub range: Range<usize>,
}

/// A link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// As it is written: a path, an anchor, both, or an address.
    pub to: String,
    /// Its line, from 1.
    pub line: usize,
}

/// How the Markdown is read.
pub(crate) fn options() -> Options {
    Options::ENABLE_TABLES
}

impl Page {
    /// Reads a page.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let mut page = Self::default();
        let mut heading: Option<Section> = None;
        for (event, range) in Parser::new_ext(text, options()).into_offset_iter() {
            match event {
                Event::Start(Tag::Heading { level, .. }) => {
                    heading = Some(Section {
                        level: number(level),
                        line: line_of(text, range.start),
                        ..Section::default()
                    });
                }
                Event::Text(words) | Event::Code(words) => {
                    if let Some(heading) = &mut heading {
                        heading.heading.push_str(&words);
                    }
                }
                Event::End(TagEnd::Heading(_)) => page.sections.extend(heading.take()),
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                    let block = fenced(text, range, &info);
                    if let Some(section) = page.sections.last_mut() {
                        section.blocks.push(block);
                    }
                }
                Event::Start(Tag::CodeBlock(CodeBlockKind::Indented)) => {
                    page.unmarked.push(line_of(text, range.start));
                }
                Event::Start(Tag::Link { dest_url, .. }) => page.links.push(Link {
                    to: dest_url.into_string(),
                    line: line_of(text, range.start),
                }),
                Event::End(TagEnd::Paragraph) => {
                    if let Some(section) = page.sections.last_mut() {
                        section.paragraphs.push(text[range].trim_end().to_owned());
                    }
                }
                _ => {}
            }
        }
        page
    }

    /// The section with that heading.
    #[must_use]
    pub fn section(&self, heading: &str) -> Option<&Section> {
        self.sections.iter().find(|s| s.heading == heading)
    }

    /// The anchors of its headings, as GitHub makes them: small letters, blanks as
    /// hyphens, no other signs, and a number behind one that is there already.
    #[must_use]
    pub fn anchors(&self) -> Vec<String> {
        let mut anchors: Vec<String> = Vec::new();
        for section in &self.sections {
            let mut plain = String::new();
            for c in section.heading.chars().flat_map(char::to_lowercase) {
                match c {
                    ' ' => plain.push('-'),
                    '-' | '_' => plain.push(c),
                    c if c.is_alphanumeric() => plain.push(c),
                    _ => {}
                }
            }
            let mut anchor = plain.clone();
            let mut number = 0;
            while anchors.contains(&anchor) {
                number += 1;
                anchor = format!("{plain}-{number}");
            }
            anchors.push(anchor);
        }
        anchors
    }
}

impl Block {
    /// The mark: the first word behind the fence.
    #[must_use]
    pub fn mark(&self) -> &str {
        self.info.split_whitespace().next().unwrap_or_default()
    }

    /// The words behind the mark.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.info.split_whitespace().skip(1)
    }
}

/// A fenced block whose place, fences included, is known.
fn fenced(page: &str, range: Range<usize>, info: &str) -> Block {
    let whole = &page[range.clone()];
    let start = whole.find('\n').map_or(whole.len(), |at| at + 1);
    // The closing fence, which is missing at the end of a page at most.
    let fence = &whole[..whole.len() - whole.trim_start_matches(['`', '~']).len()];
    let body = whole[start..].trim_end();
    let end = match body.strip_suffix(fence) {
        Some(text) => start + text.len(),
        None => whole.len(),
    };
    Block {
        info: info.to_owned(),
        text: whole[start..end].to_owned(),
        line: line_of(page, range.start),
        range: range.start + start..range.start + end,
    }
}

fn line_of(text: &str, offset: usize) -> usize {
    text[..offset].bytes().filter(|b| *b == b'\n').count() + 1
}

fn number(level: HeadingLevel) -> usize {
    level as usize
}

#[cfg(test)]
mod tests {
    use super::Page;

    #[test]
    fn a_page_is_sections_of_paragraphs_and_blocks() {
        let text = "# A `page`\n\nSaid\nhere.\n\n```dag a/b.dag\nmodule a\n```\n\n## Two\n\n```error\n```\n";
        let page = Page::read(text);
        let [first, second] = page.sections.as_slice() else {
            panic!("{page:?}")
        };
        assert_eq!(
            (first.heading.as_str(), first.level, first.line),
            ("A page", 1, 1)
        );
        assert_eq!(first.paragraphs, ["Said\nhere."]);
        let block = &first.blocks[0];
        assert_eq!((block.mark(), block.line), ("dag", 6));
        assert_eq!(block.words().collect::<Vec<_>>(), ["a/b.dag"]);
        assert_eq!(block.text, "module a\n");
        assert_eq!(&text[block.range.clone()], "module a\n");
        assert_eq!(second.blocks[0].text, "");
        assert_eq!(second.blocks[0].range.start, text.len() - 4);
    }

    #[test]
    fn anchors_are_those_of_the_forge() {
        let page = Page::read("# Names, and `x.f()`\n\n## Same\n\n## Same\n");
        assert_eq!(page.anchors(), ["names-and-xf", "same", "same-1"]);
    }

    #[test]
    fn indented_code_is_seen() {
        assert_eq!(Page::read("# A\n\n    x\n").unmarked, [3]);
    }
}
