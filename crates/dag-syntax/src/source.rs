//! Source texts and places in them. Inside, a place is a pair of byte offsets;
//! lines and columns are worked out only when something is printed.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

/// Which file of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SourceId(pub u32);

/// A half-open range of byte offsets in one file.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range from `start` to before `end`.
    #[must_use]
    pub fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The smallest range that holds both.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }
}

/// A place in a run: a file and a range in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// The file.
    pub source: SourceId,
    /// The range in it.
    pub span: Span,
}

/// One file: the path as the person would write it, and its text.
#[derive(Clone, Debug)]
pub struct Source {
    /// Where it came from, as shown in messages.
    pub path: Arc<str>,
    /// Its text.
    pub text: Arc<str>,
    /// Where its lines start, once somebody has asked.
    lines: OnceLock<Arc<[u32]>>,
}

impl Source {
    /// The number of the line, from 0, that a byte stands in, and where it starts.
    fn line(&self, offset: usize) -> (usize, usize) {
        let lines = self.lines.get_or_init(|| {
            let ends = self.text.bytes().enumerate().filter(|(_, b)| *b == b'\n');
            let starts = ends.map(|(at, _)| at as u32 + 1);
            std::iter::once(0).chain(starts).collect()
        });
        let number = lines.partition_point(|start| *start as usize <= offset);
        let number = number.saturating_sub(1);
        (number, lines.get(number).map_or(0, |start| *start as usize))
    }
}

/// A file's name as a person gets it: on one line, and with nothing in it that a terminal or
/// whoever reads the lines of a log would obey. What is no such character stays as it is.
#[must_use]
pub fn shown_name(name: &str) -> Cow<'_, str> {
    let unfit = |c: char| {
        c.is_control()
            // Ends of lines, and what changes the direction of the text around it.
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !name.contains(unfit) {
        return Cow::Borrowed(name);
    }
    let mut shown = String::with_capacity(name.len());
    for c in name.chars() {
        match unfit(c) {
            true => shown.extend(c.escape_unicode()),
            false => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// The files of a run.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    all: Vec<Source>,
}

/// A line and a column, both counted from one; the column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LineCol {
    /// Line, from 1.
    pub line: u32,
    /// Character in the line, from 1.
    pub column: u32,
}

impl Sources {
    /// Adds a file.
    pub fn add(&mut self, path: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> SourceId {
        self.all.push(Source {
            path: path.into(),
            text: text.into(),
            lines: OnceLock::new(),
        });
        SourceId(self.all.len() as u32 - 1)
    }

    /// Gives a file another text; its id stays.
    pub fn set_text(&mut self, id: SourceId, text: impl Into<Arc<str>>) {
        if let Some(source) = self.all.get_mut(id.0 as usize) {
            source.text = text.into();
            source.lines = OnceLock::new();
        }
    }

    /// The file. An id from another run gives an empty file.
    #[must_use]
    pub fn get(&self, id: SourceId) -> &Source {
        static NONE: std::sync::LazyLock<Source> = std::sync::LazyLock::new(|| Source {
            path: "<unknown>".into(),
            text: "".into(),
            lines: OnceLock::new(),
        });
        self.all.get(id.0 as usize).unwrap_or(&NONE)
    }

    /// Every file with its id, in the order of adding.
    pub fn iter(&self) -> impl Iterator<Item = (SourceId, &Source)> {
        self.all
            .iter()
            .enumerate()
            .map(|(i, s)| (SourceId(i as u32), s))
    }

    /// Line and column of a byte offset.
    #[must_use]
    pub fn line_col(&self, id: SourceId, offset: u32) -> LineCol {
        let text = &self.get(id).text;
        let mut offset = (offset as usize).min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let (line, start) = self.get(id).line(offset);
        LineCol {
            line: line as u32 + 1,
            column: text[start..offset].chars().count() as u32 + 1,
        }
    }

    /// `path:line:column` of a place, on one line.
    #[must_use]
    pub fn describe(&self, at: Location) -> String {
        let LineCol { line, column } = self.line_col(at.source, at.span.start);
        let name = shown_name(&self.get(at.source).path);
        format!("{name}:{line}:{column}")
    }
}

#[cfg(test)]
mod tests {
    use super::{LineCol, Sources};

    #[test]
    fn lines_and_columns_count_from_one_and_follow_the_text() {
        let mut sources = Sources::default();
        let id = sources.add("a.dag", "é1\n\nxyz\n");
        let at = |sources: &Sources, offset: u32| {
            let LineCol { line, column } = sources.line_col(id, offset);
            (line, column)
        };
        let places = [0, 2, 3, 4, 5, 8, 9, 99].map(|offset| at(&sources, offset));
        let expected = [
            (1, 1),
            (1, 2),
            (1, 3),
            (2, 1),
            (3, 1),
            (3, 4),
            (4, 1),
            (4, 1),
        ];
        assert_eq!(places, expected);
        // Within a character is before it.
        assert_eq!(at(&sources, 1), (1, 1));
        sources.set_text(id, "x\ny");
        assert_eq!(at(&sources, 2), (2, 1));
    }
}
