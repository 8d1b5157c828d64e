//! Prose as Markdown again: written from what was read, so that nothing stands in it that
//! was not understood.

use crate::address::outside;
use crate::prose::events;
use pulldown_cmark::{Event, Tag, TagEnd};

/// The annotation. `find` gives the address of what a piece of code names.
pub(super) fn markdown(annotation: &str, find: &dyn Fn(&str) -> Option<String>) -> String {
    let mut writer = Writer {
        out: String::new(),
        prefixes: Vec::new(),
        line: String::new(),
        lists: Vec::new(),
        links: Vec::new(),
        block: None,
        begun: false,
        find,
    };
    for event in events(annotation) {
        writer.event(event);
    }
    writer.end_line();
    writer.out
}

struct Writer<'a> {
    out: String,
    /// What stands before a line: of each quote and item around it. An item's is its sign
    /// once, and as many blanks afterwards.
    prefixes: Vec<(String, String)>,
    line: String,
    /// The next number of each list around; none if it has no numbers.
    lists: Vec<Option<u64>>,
    /// The address of each link around; none if it is none.
    links: Vec<Option<String>>,
    /// The text of the block of code.
    block: Option<String>,
    /// Whether a quote or an item has just begun.
    begun: bool,
    find: &'a dyn Fn(&str) -> Option<String>,
}

impl Writer<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) => match &mut self.block {
                Some(block) => block.push_str(&text),
                None => {
                    let first = self.line.is_empty();
                    self.line.push_str(&escape(&text, first));
                }
            },
            Event::Code(text) => {
                let address = (self.find)(&text).filter(|_| self.links.is_empty());
                self.line.push_str(&match address {
                    Some(address) => format!("[{}]({address})", code(&text)),
                    None => code(&text),
                });
            }
            Event::SoftBreak => self.end_line(),
            Event::HardBreak => {
                self.line.push('\\');
                self.end_line();
            }
            Event::Rule => {
                self.paragraph();
                self.line.push_str("* * *");
                self.end_line();
            }
            Event::Start(tag) => self.start(tag),
            Event::End(end) => self.end(end),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.paragraph(),
            Tag::Heading { .. } => {
                self.paragraph();
                self.line.push_str("**");
            }
            Tag::BlockQuote(_) => {
                self.paragraph();
                self.prefixes.push(("> ".into(), "> ".into()));
                self.begun = true;
            }
            Tag::CodeBlock(_) => {
                self.paragraph();
                self.block = Some(String::new());
            }
            Tag::List(start) => {
                self.end_line();
                self.lists.push(start);
            }
            Tag::Item => {
                self.paragraph();
                let sign = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "- ".to_owned(),
                };
                self.prefixes.push((sign.clone(), " ".repeat(sign.len())));
                self.begun = true;
            }
            Tag::Emphasis => self.line.push('*'),
            Tag::Strong => self.line.push_str("**"),
            Tag::Link { dest_url, .. } => {
                let address = outside(&dest_url).map(|address| {
                    let plain = |c: char| !matches!(c, '<' | '>' | '\\' | '(' | ')');
                    let hex = |c: char| format!("%{:02X}", u32::from(c));
                    let kept = address.chars();
                    kept.map(|c| if plain(c) { c.to_string() } else { hex(c) })
                        .collect()
                });
                if address.is_some() {
                    self.line.push('[');
                }
                self.links.push(address);
            }
            _ => {}
        }
    }

    fn end(&mut self, end: TagEnd) {
        match end {
            TagEnd::Paragraph => self.end_line(),
            TagEnd::Heading(_) => {
                self.line.push_str("**");
                self.end_line();
            }
            TagEnd::BlockQuote(_) => {
                self.end_line();
                self.prefixes.pop();
            }
            TagEnd::Item => {
                self.end_line();
                // An item without text is its sign alone.
                let sign = self.prefixes.pop().map(|(sign, _)| sign);
                if let Some(sign) = sign.filter(|sign| !sign.trim().is_empty()) {
                    self.line.push_str(&sign);
                    self.end_line();
                }
            }
            TagEnd::CodeBlock => {
                let text = self.block.take().unwrap_or_default();
                for line in fenced(&text, "").lines() {
                    self.line.push_str(line);
                    self.push_line();
                }
            }
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Emphasis => self.line.push('*'),
            TagEnd::Strong => self.line.push_str("**"),
            TagEnd::Link => {
                if let Some(Some(address)) = self.links.pop() {
                    self.line.push_str(&format!("]({address})"));
                }
            }
            _ => {}
        }
    }

    /// An empty line, unless nothing stands before in what surrounds it.
    fn paragraph(&mut self) {
        self.end_line();
        if !self.out.is_empty() && !self.begun {
            self.push_line();
        }
    }

    fn end_line(&mut self) {
        if !self.line.is_empty() {
            self.push_line();
        }
    }

    fn push_line(&mut self) {
        self.begun = false;
        let mut whole = String::new();
        for (first, rest) in &mut self.prefixes {
            whole.push_str(first);
            first.clone_from(rest);
        }
        whole.push_str(&self.line);
        self.line.clear();
        self.out.push_str(whole.trim_end());
        self.out.push('\n');
    }
}

/// A text in which no character means anything. What means something at the start of a line
/// alone is escaped only there.
pub(super) fn escape(text: &str, first: bool) -> String {
    let mut out = String::with_capacity(text.len());
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    for (at, c) in text.char_indices() {
        // `- item`, `1. item`, an underline of `=`.
        let begins = match c {
            '-' | '=' => at == 0,
            '.' | ')' => digits > 0 && at == digits,
            _ => false,
        };
        let means = "\\`*_{}[]<>#+!|&~$^@".contains(c);
        match c {
            '\n' => out.push(' '),
            c if means || (first && begins) => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

/// A piece of code among prose: within more backticks than stand in it.
pub(super) fn code(text: &str) -> String {
    let text = text.replace('\n', " ");
    let ticks = "`".repeat(longest_run(&text) + 1);
    let blank = match text.starts_with('`') || text.ends_with('`') || text.trim() != text {
        true => " ",
        false => "",
    };
    if text.trim().is_empty() {
        return String::from(" ");
    }
    format!("{ticks}{blank}{text}{blank}{ticks}")
}

/// A block of code: within more backticks than stand in it.
pub(super) fn fenced(text: &str, language: &str) -> String {
    let ticks = "`".repeat(longest_run(text).max(2) + 1);
    let end = if text.ends_with('\n') || text.is_empty() {
        ""
    } else {
        "\n"
    };
    format!("{ticks}{language}\n{text}{end}{ticks}\n")
}

fn longest_run(text: &str) -> usize {
    let runs = text.split(|c| c != '`').map(str::len);
    runs.max().unwrap_or(0)
}
