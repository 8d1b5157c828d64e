//! Places as the protocol has them: lines and units of an encoding that server and
//! client agreed on, both from zero.

use dag_syntax::Span;
use gen_lsp_types::{Position, Range};
use std::sync::Arc;

/// What a position's character counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Bytes.
    Utf8,
    /// Units of 16 bits: two for a character outside the basic plane.
    #[default]
    Utf16,
    /// Characters.
    Utf32,
}

/// A text with the starts of its lines.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    pub(crate) text: Arc<str>,
    starts: Vec<u32>,
    encoding: Encoding,
}

impl Lines {
    pub(crate) fn new(text: Arc<str>, encoding: Encoding) -> Self {
        let mut starts = vec![0];
        let bytes = text.as_bytes();
        for (index, byte) in bytes.iter().enumerate() {
            // A CR ends a line too, unless an LF follows.
            let ends = match byte {
                b'\n' => true,
                b'\r' => bytes.get(index + 1) != Some(&b'\n'),
                _ => false,
            };
            if ends {
                starts.push(index as u32 + 1);
            }
        }
        Self {
            text,
            starts,
            encoding,
        }
    }

    /// The text of a line, with its end.
    fn line(&self, line: u32) -> &str {
        let start = self.starts.get(line as usize).copied();
        let Some(start) = start else { return "" };
        let end = self.starts.get(line as usize + 1).copied();
        let end = end.unwrap_or(self.text.len() as u32);
        &self.text[start as usize..end as usize]
    }

    fn units(&self, text: &str) -> u32 {
        match self.encoding {
            Encoding::Utf8 => text.len() as u32,
            Encoding::Utf16 => text.chars().map(|c| c.len_utf16() as u32).sum(),
            Encoding::Utf32 => text.chars().count() as u32,
        }
    }

    /// The position of a byte offset; one inside a character is that of its start.
    pub(crate) fn position(&self, offset: u32) -> Position {
        let mut offset = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.starts.partition_point(|s| *s as usize <= offset) - 1;
        let start = self.starts[line] as usize;
        Position {
            line: line as u32,
            character: self.units(&self.text[start..offset]),
        }
    }

    pub(crate) fn range(&self, span: Span) -> Range {
        Range {
            start: self.position(span.start),
            end: self.position(span.end.max(span.start)),
        }
    }

    /// The byte offset of a position. Behind the end of its line it is that end, as
    /// the protocol wants; inside a character it is the character's start.
    pub(crate) fn offset(&self, position: Position) -> u32 {
        let Some(start) = self.starts.get(position.line as usize) else {
            return self.text.len() as u32;
        };
        let line = self.line(position.line).trim_end_matches(['\r', '\n']);
        let mut units = 0;
        for (index, character) in line.char_indices() {
            units += match self.encoding {
                Encoding::Utf8 => character.len_utf8() as u32,
                Encoding::Utf16 => character.len_utf16() as u32,
                Encoding::Utf32 => 1,
            };
            if units > position.character {
                return start + index as u32;
            }
        }
        start + line.len() as u32
    }

    pub(crate) fn span(&self, range: Range) -> Span {
        let start = self.offset(range.start);
        Span::new(start, self.offset(range.end).max(start))
    }
}

#[cfg(test)]
mod tests {
    use super::{Encoding, Lines};
    use gen_lsp_types::Position;

    const ALL: [Encoding; 3] = [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32];

    #[test]
    fn characters_outside_the_basic_plane_are_counted_in_each_encoding() {
        let text = "a\u{1F600}b\nä";
        let characters = [5, 3, 2];
        for (encoding, expected) in ALL.into_iter().zip(characters) {
            let lines = Lines::new(text.into(), encoding);
            let b = Position {
                line: 0,
                character: expected,
            };
            assert_eq!(lines.position(5), b, "{encoding:?}");
            assert_eq!(lines.offset(b), 5, "{encoding:?}");
        }
        let lines = Lines::new(text.into(), Encoding::Utf16);
        // Between the two units of a pair.
        assert_eq!(
            lines.offset(Position {
                line: 0,
                character: 2
            }),
            1
        );
    }

    proptest::proptest! {
        #[test]
        fn every_offset_comes_back(text in "[a\u{1F600}ä\r\n]{0,40}") {
            for encoding in ALL {
                let lines = Lines::new(text.as_str().into(), encoding);
                for (offset, _) in text.char_indices() {
                    let position = lines.position(offset as u32);
                    let back = lines.offset(position);
                    // A place between CR and LF is the end of the line's text.
                    let ends = text[..offset].ends_with('\r') && text[offset..].starts_with('\n');
                    let expected = if ends { offset - 1 } else { offset };
                    proptest::prop_assert_eq!(back as usize, expected.min(offset), "{:?}", encoding);
                }
            }
        }

        #[test]
        fn no_position_is_outside(text in "[a\u{1F600}\r\n]{0,20}", line in 0u32..50, character: u32) {
            for encoding in ALL {
                let lines = Lines::new(text.as_str().into(), encoding);
                let offset = lines.offset(Position { line, character }) as usize;
                proptest::prop_assert!(text.is_char_boundary(offset));
            }
        }
    }
}
