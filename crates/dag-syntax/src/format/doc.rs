//! A document that knows where its lines may break, and its printer. Both are
//! linear: the flat width of each part is known when it is built, so no part is
//! measured twice.

/// A part of a document: an index in a [`Docs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Doc(u32);

#[derive(Debug)]
enum Part {
    /// Text; may hold line ends (a string does), which are kept.
    Text(String),
    /// A space if its group is flat, else a new line.
    Line,
    /// Nothing if its group is flat, else a new line.
    SoftLine,
    /// A new line, always; the second is whether a blank line stands before it.
    HardLine(bool),
    /// The first if its group is flat, else the second.
    Either(String, String),
    Concat(Vec<Doc>),
    Indent(Doc),
    Group(Doc),
    /// As many as fit on each line, with a text between two on a line.
    Fill(Vec<Doc>, String),
}

/// The flat width of what cannot be flat.
const NEVER: usize = usize::MAX / 4;

/// The parts of a document.
#[derive(Debug, Default)]
pub(super) struct Docs {
    parts: Vec<Part>,
    widths: Vec<usize>,
}

impl Docs {
    fn push(&mut self, part: Part, width: usize) -> Doc {
        self.parts.push(part);
        self.widths.push(width.min(NEVER));
        Doc(self.parts.len() as u32 - 1)
    }

    fn width(&self, doc: Doc) -> usize {
        self.widths[doc.0 as usize]
    }

    /// Whether the document can stand on one line.
    pub(super) fn can_be_flat(&self, doc: Doc) -> bool {
        self.width(doc) < NEVER
    }

    pub(super) fn text(&mut self, text: impl Into<String>) -> Doc {
        let text = text.into();
        // A string over several lines does not force its surroundings to break.
        let width = text.lines().next().map_or(0, |l| l.chars().count());
        self.push(Part::Text(text), width)
    }

    pub(super) fn line(&mut self) -> Doc {
        self.push(Part::Line, 1)
    }

    pub(super) fn soft_line(&mut self) -> Doc {
        self.push(Part::SoftLine, 0)
    }

    pub(super) fn hard_line(&mut self, blank: bool) -> Doc {
        self.push(Part::HardLine(blank), NEVER)
    }

    pub(super) fn either(&mut self, flat: &str, broken: &str) -> Doc {
        self.push(
            Part::Either(flat.into(), broken.into()),
            flat.chars().count(),
        )
    }

    pub(super) fn concat(&mut self, docs: Vec<Doc>) -> Doc {
        let width = docs.iter().fold(0usize, |sum, d| {
            sum.saturating_add(self.width(*d)).min(NEVER)
        });
        self.push(Part::Concat(docs), width)
    }

    pub(super) fn indent(&mut self, doc: Doc) -> Doc {
        let width = self.width(doc);
        self.push(Part::Indent(doc), width)
    }

    pub(super) fn group(&mut self, doc: Doc) -> Doc {
        let width = self.width(doc);
        self.push(Part::Group(doc), width)
    }

    /// Elements on as few lines as they fit in.
    pub(super) fn fill(&mut self, docs: Vec<Doc>, between: &str) -> Doc {
        self.push(Part::Fill(docs, between.to_owned()), NEVER)
    }

    /// Prints a document: groups that fit in what is left of the line are flat.
    pub(super) fn print(&self, doc: Doc, limit: usize) -> String {
        let mut out = String::new();
        let mut column = 0usize;
        // What is still to print, last first: indent, whether flat, part.
        let mut todo = vec![(0usize, false, doc)];
        while let Some((indent, flat, doc)) = todo.pop() {
            match &self.parts[doc.0 as usize] {
                Part::Text(text) => {
                    out.push_str(text);
                    column = match text.rfind('\n') {
                        Some(at) => text[at + 1..].chars().count(),
                        None => column + text.chars().count(),
                    };
                }
                Part::Line if flat => {
                    out.push(' ');
                    column += 1;
                }
                Part::SoftLine if flat => {}
                Part::Line | Part::SoftLine => {
                    new_line(&mut out, indent);
                    column = indent;
                }
                Part::HardLine(blank) => {
                    if *blank {
                        trim_end(&mut out);
                        out.push('\n');
                    }
                    new_line(&mut out, indent);
                    column = indent;
                }
                Part::Either(if_flat, if_broken) => {
                    let text = if flat { if_flat } else { if_broken };
                    out.push_str(text);
                    column += text.chars().count();
                }
                Part::Concat(docs) => todo.extend(docs.iter().rev().map(|d| (indent, flat, *d))),
                Part::Indent(inner) => todo.push((indent + 2, flat, *inner)),
                Part::Fill(docs, between) => {
                    // Its elements are short and flat, so they are laid out at once.
                    for (index, element) in docs.iter().enumerate() {
                        let width = self.width(*element);
                        if index > 0 {
                            let between_width = between.chars().count();
                            if column.saturating_add(between_width + width) <= limit {
                                out.push_str(between);
                                column += between_width;
                            } else {
                                new_line(&mut out, indent);
                                column = indent;
                            }
                        }
                        let text = self.print(*element, limit);
                        out.push_str(&text);
                        column += width;
                    }
                }
                Part::Group(inner) => {
                    let fits = flat || column.saturating_add(self.width(*inner)) <= limit;
                    todo.push((indent, fits && self.can_be_flat(*inner), *inner));
                }
            }
        }
        out
    }
}

fn trim_end(out: &mut String) {
    let end = out.trim_end_matches(' ').len();
    out.truncate(end);
}

fn new_line(out: &mut String, indent: usize) {
    trim_end(out);
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent));
}
