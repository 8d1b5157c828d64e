//! Text to tokens. Every byte of the text belongs to exactly one token, in
//! order, so the text can be put together again from them.

use crate::kind::Token;
use crate::{Code, Diagnostic, Location, SourceId, Span};

/// The tokens of a text: kind and first byte; a token ends where the next
/// starts. The last is [`Token::End`], which is empty.
#[derive(Debug, Default, Clone)]
pub struct Tokens {
    kinds: Vec<Token>,
    starts: Vec<u32>,
}

impl Tokens {
    /// How many, [`Token::End`] included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Never: there is always [`Token::End`].
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// The kind of the token at an index; past the end, [`Token::End`].
    #[must_use]
    pub fn kind(&self, index: usize) -> Token {
        self.kinds.get(index).copied().unwrap_or(Token::End)
    }

    /// Its place.
    #[must_use]
    pub fn span(&self, index: usize) -> Span {
        let last = self.starts.last().copied().unwrap_or(0);
        let start = self.starts.get(index).copied().unwrap_or(last);
        Span::new(start, self.starts.get(index + 1).copied().unwrap_or(last))
    }

    fn push(&mut self, kind: Token, start: usize) {
        self.kinds.push(kind);
        self.starts.push(start as u32);
    }
}

struct Lexer<'a> {
    source: SourceId,
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    tokens: Tokens,
    errors: Vec<Diagnostic>,
    /// For each string hole that is open: how many braces are open in it.
    holes: Vec<u32>,
}

/// Splits a text into tokens. Texts of 4 GiB or more are cut there.
#[must_use]
pub fn lex(source: SourceId, text: &str) -> (Tokens, Vec<Diagnostic>) {
    let mut lexer = Lexer {
        source,
        text,
        bytes: text.as_bytes(),
        at: 0,
        tokens: Tokens::default(),
        errors: Vec::new(),
        holes: Vec::new(),
    };
    lexer.tokens.kinds.reserve(text.len() / 3);
    lexer.tokens.starts.reserve(text.len() / 3);
    while lexer.at < lexer.bytes.len() {
        lexer.token();
    }
    lexer.tokens.push(Token::End, text.len());
    (lexer.tokens, lexer.errors)
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn error(&mut self, code: Code, start: usize, end: usize, message: &str) -> &mut Diagnostic {
        let at = Location {
            source: self.source,
            span: Span::new(start as u32, end as u32),
        };
        self.errors.push(Diagnostic::error(code, at, message));
        // Just pushed.
        let last = self.errors.len() - 1;
        &mut self.errors[last]
    }

    fn token(&mut self) {
        let start = self.at;
        let kind = match self.bytes[start] {
            // A byte order mark says nothing about UTF-8.
            0xEF if start == 0 && self.text.starts_with('\u{feff}') => self.take(3, Token::Blank),
            b' ' | b'\t' => self.blanks(),
            b'\r' if self.peek(1) == b'\n' => self.blanks(),
            b'\n' => self.take(1, Token::Newline),
            b'/' if self.peek(1) == b'/' => {
                let rest = &self.bytes[start..];
                let end = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
                let end = if end > 0 && rest[end - 1] == b'\r' {
                    end - 1
                } else {
                    end
                };
                self.take(end, Token::Annotation)
            }
            b'"' => {
                self.tokens.push(Token::Quote, start);
                self.at += 1;
                self.string(start);
                return;
            }
            b'0'..=b'9' => self.number(),
            b'_' | b'a'..=b'z' | b'A'..=b'Z' => self.word(),
            b'{' => {
                if let Some(open) = self.holes.last_mut() {
                    *open += 1;
                }
                self.take(1, Token::LBrace)
            }
            b'}' => match self.holes.last_mut() {
                Some(0) => {
                    self.holes.pop();
                    self.tokens.push(Token::HoleEnd, start);
                    self.at += 1;
                    self.string(start);
                    return;
                }
                Some(open) => {
                    *open -= 1;
                    self.take(1, Token::RBrace)
                }
                None => self.take(1, Token::RBrace),
            },
            byte if byte < 0x80 => self.punctuation(byte),
            _ => match self.text[start..].chars().next() {
                Some(c) if unicode_ident::is_xid_start(c) => self.word(),
                Some(c) => self.unknown(c),
                None => return,
            },
        };
        self.tokens.push(kind, start);
    }

    fn take(&mut self, length: usize, kind: Token) -> Token {
        self.at += length;
        kind
    }

    fn blanks(&mut self) -> Token {
        loop {
            match self.peek(0) {
                b' ' | b'\t' => self.at += 1,
                b'\r' if self.peek(1) == b'\n' => self.at += 1,
                _ => return Token::Blank,
            }
        }
    }

    /// A character of no meaning, with the rest of what was meant by it: what
    /// another language would read as one thing is reported as one.
    fn unknown(&mut self, c: char) -> Token {
        let start = self.at;
        let line = &self.text[start..self.line_end(start)];
        let (length, cure) = match c {
            '\'' | '`' => (
                match line[1..].find([c, '"', '}']) {
                    Some(end) if line[1 + end..].starts_with(c) => end + 2,
                    _ => 1,
                },
                Some("a string stands in double quotes: `\"…\"`"),
            ),
            '#' => (
                if self.holes.is_empty() {
                    line.trim_end().len()
                } else {
                    1
                },
                Some("an annotation starts with `//`, on lines of its own between items"),
            ),
            ';' => (1, Some("remove it: a statement ends with its line")),
            '@' => (
                1,
                Some("remove it: there are no attributes, and a pattern names a value without `@`"),
            ),
            '&' => (1, Some("`and` is written `&&`")),
            '$' => (1, Some("a hole in a string is written `{name}`")),
            '\u{a0}' | '\u{feff}' | '\u{200b}' => {
                (c.len_utf8(), Some("remove it: blanks are spaces and tabs"))
            }
            '\r' => (1, Some("end lines with LF, or with CR and LF")),
            '“' | '”' | '„' => (
                c.len_utf8(),
                Some("a string stands in straight double quotes: `\"…\"`"),
            ),
            _ => (c.len_utf8(), None),
        };
        self.at += length;
        let message = format!("the character {} has no meaning here", shown(c));
        let error = self.error(Code::UnknownCharacter, start, start + length, &message);
        error.cure = cure.map(str::to_owned);
        Token::Unknown
    }

    fn word(&mut self) -> Token {
        let start = self.at;
        loop {
            match self.peek(0) {
                b'_' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => self.at += 1,
                byte if byte < 0x80 => break,
                _ => match self.text[self.at..].chars().next() {
                    Some(c) if unicode_ident::is_xid_continue(c) => self.at += c.len_utf8(),
                    _ => break,
                },
            }
        }
        Token::keyword(&self.text[start..self.at]).unwrap_or(Token::Name)
    }

    fn number(&mut self) -> Token {
        let start = self.at;
        let digits = |lexer: &mut Self| {
            while matches!(lexer.peek(0), b'0'..=b'9' | b'_') {
                lexer.at += 1;
            }
        };
        digits(self);
        let mut kind = Token::Int;
        if self.peek(0) == b'.' && self.peek(1).is_ascii_digit() {
            self.at += 1;
            digits(self);
            kind = Token::Float;
        }
        if matches!(self.peek(0), b'a'..=b'z' | b'A'..=b'Z' | b'_') {
            self.word();
            let (at, text) = (self.at, &self.text[start..self.at]);
            // `4xx`: a class of statuses. The parser refuses one in any other place.
            if matches!(text.as_bytes(), [b'1'..=b'9', b'x', b'x']) {
                return kind;
            }
            let message = format!("`{text}` is neither a number nor a name");
            let decimal = in_decimal(text).map(|n| n.to_string());
            let error = self.error(Code::BadNumber, start, at, &message);
            if let Some(decimal) = decimal {
                write_instead(error, "numbers are decimal", decimal);
            }
            return kind;
        }
        self.spelling(start);
        kind
    }

    /// Refuses a number that has another, plain spelling.
    fn spelling(&mut self, start: usize) {
        let (at, text) = (self.at, &self.text[start..self.at]);
        let parts: Vec<&str> = text.split('.').collect();
        let parted = |part: &&str| part.split('_').all(|digits| !digits.is_empty());
        let (message, why) = if !parts.iter().all(parted) {
            (
                format!("a `_` of `{text}` does not stand between two digits"),
                "a `_` parts digits, one at a time".to_owned(),
            )
        } else if parts[0].len() > 1 && parts[0].starts_with('0') {
            let octal = i64::from_str_radix(&text.replace('_', ""), 8);
            (
                format!("`{text}` begins with a zero that says nothing"),
                match octal {
                    Ok(octal) => {
                        format!("numbers are decimal; where others read it as octal, it is {octal}")
                    }
                    Err(_) => "numbers are decimal".to_owned(),
                },
            )
        } else {
            return;
        };
        let joined = |part: &&str| {
            let digits = part.split('_').filter(|digits| !digits.is_empty());
            digits.collect::<Vec<_>>().join("_")
        };
        let mut plain = parts.iter().map(joined).collect::<Vec<_>>().join(".");
        let kept = plain.trim_start_matches(['0', '_']);
        if !kept.starts_with(|c: char| c.is_ascii_digit()) {
            plain = format!("0{kept}");
        } else {
            plain = kept.to_owned();
        }
        let error = self.error(Code::BadNumber, start, at, &message);
        write_instead(error, &why, plain);
    }

    fn punctuation(&mut self, byte: u8) -> Token {
        let two = match (byte, self.peek(1)) {
            (b'.', b'.') => Some(Token::DotDot),
            (b'=', b'=') => Some(Token::EqualsEquals),
            (b'=', b'>') => Some(Token::FatArrow),
            (b'!', b'=') => Some(Token::BangEquals),
            (b'<', b'=') => Some(Token::LessEquals),
            (b'>', b'=') => Some(Token::GreaterEquals),
            (b'-', b'>') => Some(Token::Arrow),
            (b'&', b'&') => Some(Token::AndAnd),
            (b'|', b'|') => Some(Token::OrOr),
            (b'|', b'>') => Some(Token::Pipe),
            (b'?', b'?') => Some(Token::QuestionQuestion),
            _ => None,
        };
        if let Some(kind) = two {
            return self.take(2, kind);
        }
        let one = match byte {
            b'(' => Token::LParen,
            b')' => Token::RParen,
            b'[' => Token::LBracket,
            b']' => Token::RBracket,
            b':' => Token::Colon,
            b',' => Token::Comma,
            b'.' => Token::Dot,
            b'+' => Token::Plus,
            b'-' => Token::Minus,
            b'*' => Token::Star,
            b'/' => Token::Slash,
            b'%' => Token::Percent,
            b'^' => Token::Caret,
            b'=' => Token::Equals,
            b'<' => Token::Less,
            b'>' => Token::Greater,
            b'|' => Token::Or,
            b'!' => Token::Bang,
            b'?' => Token::Question,
            other => return self.unknown(char::from(other)),
        };
        self.take(1, one)
    }

    /// The inside of a string, up to its end or to the start of a hole.
    fn string(&mut self, opened: usize) {
        let start = self.at;
        let text = |lexer: &mut Self| {
            if lexer.at > start {
                lexer.tokens.push(Token::Text, start);
            }
        };
        loop {
            match self.bytes.get(self.at) {
                None => {
                    text(self);
                    let end = self.line_end(opened);
                    let cure = if self.holes.is_empty() {
                        "end it with `\"`"
                    } else {
                        "close the hole before it with `}`, or write `\\{` for a brace that opens none"
                    };
                    self.error(
                        Code::UnterminatedString,
                        opened,
                        end,
                        "this string has no end",
                    )
                    .cure = Some(cure.into());
                    self.holes.clear();
                    return;
                }
                Some(b'"') => {
                    text(self);
                    self.tokens.push(Token::EndQuote, self.at);
                    self.at += 1;
                    return;
                }
                Some(b'\\') => {
                    self.at += 1;
                    if let Some(escaped) = self.text[self.at..].chars().next() {
                        self.at += escaped.len_utf8();
                        if escaped == 'u' && self.peek(0) == b'{' {
                            self.unicode_escape();
                        }
                    }
                }
                Some(b'{') if self.opens_hole() => {
                    text(self);
                    self.tokens.push(Token::HoleStart, self.at);
                    self.at += 1;
                    self.holes.push(0);
                    return;
                }
                Some(_) => self.at += 1,
            }
        }
    }

    /// The braces of `\u{…}` are no hole.
    fn unicode_escape(&mut self) {
        let digits = self.bytes[self.at + 1..]
            .iter()
            .take_while(|b| b.is_ascii_hexdigit())
            .count();
        if self.peek(digits + 1) == b'}' {
            self.at += digits + 2;
        }
    }

    fn opens_hole(&self) -> bool {
        match self.text[self.at + 1..].chars().next() {
            Some('(' | '!' | '-' | '_') => true,
            Some(c) => unicode_ident::is_xid_start(c),
            None => false,
        }
    }

    /// The end of the line that a byte is in, before its LF.
    fn line_end(&self, from: usize) -> usize {
        self.bytes[from..]
            .iter()
            .position(|b| *b == b'\n')
            .map_or(self.bytes.len(), |i| from + i)
    }
}

/// A character as a message shows it.
pub(crate) fn shown(c: char) -> String {
    if c.is_control() || c.is_whitespace() || c == '\u{feff}' {
        format!("U+{:04X}", u32::from(c))
    } else {
        format!("`{c}`")
    }
}

/// The value of a number that is written to another base.
fn in_decimal(text: &str) -> Option<i64> {
    let base = match text.get(..2)? {
        "0x" | "0X" => 16,
        "0o" | "0O" => 8,
        "0b" | "0B" => 2,
        _ => return None,
    };
    i64::from_str_radix(&text[2..].replace('_', ""), base).ok()
}

/// Says how the number is written.
fn write_instead(error: &mut Diagnostic, why: &str, number: String) {
    let at = error.at;
    *error = error
        .clone()
        .note(why)
        .cure(format!("write `{number}`"))
        .replace(at, number);
}
