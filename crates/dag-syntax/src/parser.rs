//! The parser: recursive descent over the significant tokens, with a binding
//! power per operator. After a mistake it goes on at the next item.

mod expression;
mod item;
mod pattern;
mod resource;
mod service;
mod types;
mod workflow;

use crate::kind::{Node, Token};
use crate::lexer::{Tokens, lex};
use crate::tree::{NodeData, NodeId, Tree};
use crate::{Code, Diagnostic, Edit, Fix, Label, Location, SourceId, Span, annotation, runaway};
use std::sync::Arc;

/// How deep expressions, types and patterns may nest. Every later pass may
/// recurse over a tree of this depth.
pub const MAX_DEPTH: u32 = 500;

/// How many mistakes of one item are reported: enough to mend it in one go, few
/// enough that a text of another language does not fill the screen.
const MOST_IN_ITEM: u32 = 20;

/// A file's tree, and the mistakes in it, in the order of the text.
#[must_use]
pub fn parse(source: SourceId, text: Arc<str>) -> (Tree, Vec<Diagnostic>) {
    let (tokens, errors) = lex(source, &text);
    let significant = significant(&tokens);
    let mut parser = Parser::new(source, &text, &tokens, significant, errors);
    parser.file();
    let (nodes, children, mut errors) = (parser.nodes, parser.children, parser.errors);
    let mut tree = Tree {
        source,
        text,
        tokens,
        nodes,
        children,
        annotations: Vec::new(),
    };
    errors.extend(annotation::attach(&mut tree));
    errors.sort_by_key(|e| e.at.span);
    runaway::explain(source, &tree.text, &tree.tokens, &mut errors);
    (tree, errors)
}

/// A parse of an expression that stands alone (`hayward eval`): the root's one
/// child is the expression.
#[must_use]
pub fn parse_expression(source: SourceId, text: Arc<str>) -> (Tree, Vec<Diagnostic>) {
    let (tokens, errors) = lex(source, &text);
    let significant = significant(&tokens);
    let mut parser = Parser::new(source, &text, &tokens, significant, errors);
    let mark = parser.start();
    if parser.expression().is_ok() && !parser.is(Token::End) {
        let _ = parser.expected::<()>("the end of the expression");
    }
    parser.at = parser.significant.len() - 1;
    parser.finish(mark, Node::File);
    let (nodes, children, mut errors) = (parser.nodes, parser.children, parser.errors);
    errors.extend(annotation::refused_in_expression(source, &tokens));
    let tree = Tree {
        source,
        text,
        tokens,
        nodes,
        children,
        annotations: Vec::new(),
    };
    (tree, errors)
}

/// The tokens that carry meaning.
fn significant(tokens: &Tokens) -> Vec<Significant> {
    let mut significant = Vec::with_capacity(tokens.len() / 2);
    let mut newline = true;
    for index in 0..tokens.len() {
        match tokens.kind(index) {
            Token::Newline => newline = true,
            kind if kind.is_trivia() => {}
            kind => {
                significant.push(Significant {
                    kind,
                    index: index as u32,
                    newline,
                });
                newline = false;
            }
        }
    }
    significant
}

#[derive(Clone, Copy)]
struct Significant {
    kind: Token,
    index: u32,
    /// Whether it is the first of its line.
    newline: bool,
}

/// A mistake was reported; the enclosing item is given up.
struct GivenUp;

type Parsed<T = NodeId> = Result<T, GivenUp>;

/// Where a node starts.
#[derive(Clone, Copy)]
struct Mark {
    at: usize,
    pending: usize,
}

struct Parser<'a> {
    text: &'a str,
    source: SourceId,
    tokens: &'a Tokens,
    significant: Vec<Significant>,
    at: usize,
    depth: u32,
    /// Inside an item, the start of the next item ends everything.
    in_item: bool,
    nodes: Vec<NodeData>,
    children: Vec<NodeId>,
    /// Finished nodes that have no parent yet.
    pending: Vec<NodeId>,
    errors: Vec<Diagnostic>,
    /// How many of the errors come from the lexer; they are in order.
    lexical: usize,
    /// Where the string starts that has no end: all behind it is a guess.
    unterminated: Option<u32>,
    /// Mistakes after which the item at hand was taken up again.
    resumed: u32,
}

/// A bracket that was opened.
#[derive(Clone, Copy)]
struct Bracket {
    /// The token that opens it.
    at: usize,
    /// The token that closes it.
    close: Token,
}

impl<'a> Parser<'a> {
    fn new(
        source: SourceId,
        text: &'a str,
        tokens: &'a Tokens,
        significant: Vec<Significant>,
        mut errors: Vec<Diagnostic>,
    ) -> Self {
        errors.sort_by_key(|e| e.at.span);
        let unterminated = errors
            .iter()
            .find(|e| e.code == Code::UnterminatedString)
            .map(|e| e.at.span.start);
        Parser {
            text,
            source,
            tokens,
            significant,
            at: 0,
            depth: 0,
            in_item: false,
            nodes: Vec::with_capacity(tokens.len() / 3),
            children: Vec::with_capacity(tokens.len() / 3),
            pending: Vec::new(),
            lexical: errors.len(),
            errors,
            unterminated,
            resumed: 0,
        }
    }

    // Looking.

    fn raw(&self, ahead: usize) -> Significant {
        let last = self.significant.len() - 1;
        self.significant[(self.at + ahead).min(last)]
    }

    fn peek(&self) -> Token {
        self.nth(0)
    }

    fn nth(&self, ahead: usize) -> Token {
        if self.in_item && ahead == 0 && self.at_item_start(0) {
            return Token::End;
        }
        self.raw(ahead).kind
    }

    fn is(&self, kind: Token) -> bool {
        self.peek() == kind
    }

    /// Whether a line ends before the token.
    fn newline(&self) -> bool {
        self.raw(0).newline
    }

    /// Whether the token is of that kind and on the line of the one before.
    fn here(&self, kind: Token) -> bool {
        self.is(kind) && !self.newline()
    }

    fn word(&self, ahead: usize) -> &str {
        let span = self.tokens.span(self.raw(ahead).index as usize);
        &self.text[span.start as usize..span.end as usize]
    }

    fn is_word(&self, word: &str) -> bool {
        self.is(Token::Name) && self.word(0) == word
    }

    /// An item starts at the beginning of a line with its keyword and a word.
    fn at_item_start(&self, ahead: usize) -> bool {
        let token = self.raw(ahead);
        let starts_line = token.newline && {
            let start = self.tokens.span(token.index as usize).start as usize;
            start == 0 || self.text.as_bytes()[start - 1] == b'\n'
        };
        if !starts_line || !self.raw(ahead + 1).kind.is_word() || self.raw(ahead + 1).newline {
            return false;
        }
        match token.kind {
            Token::KwImport
            | Token::KwModule
            | Token::KwAlias
            | Token::KwType
            | Token::KwFn
            | Token::KwFunc
            | Token::KwData
            | Token::KwService
            | Token::KwResource
            | Token::KwInterface
            | Token::KwPattern => true,
            Token::Name => {
                self.word(ahead) == "test"
                    && matches!(self.raw(ahead + 1).kind, Token::KwFn | Token::KwData)
            }
            _ => false,
        }
    }

    // Taking.

    fn bump(&mut self) {
        if self.at + 1 < self.significant.len() {
            self.at += 1;
        }
    }

    fn take(&mut self, kind: Token) -> bool {
        let found = self.is(kind);
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, kind: Token) -> Parsed<()> {
        if self.take(kind) {
            Ok(())
        } else {
            self.expected(kind.describe())
        }
    }

    // Building.

    fn start(&self) -> Mark {
        Mark {
            at: self.at,
            pending: self.pending.len(),
        }
    }

    fn finish(&mut self, mark: Mark, kind: Node) -> NodeId {
        let children_start = self.children.len() as u32;
        self.children.extend(self.pending.drain(mark.pending..));
        let first = self.raw_index(mark.at);
        let end = if self.at > mark.at {
            self.raw_index(self.at - 1) + 1
        } else {
            first
        };
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(NodeData {
            kind,
            first,
            end,
            children_start,
            children_len: self.children.len() as u32 - children_start,
        });
        self.pending.push(id);
        id
    }

    fn raw_index(&self, at: usize) -> u32 {
        self.significant[at.min(self.significant.len() - 1)].index
    }

    fn leaf(&mut self, kind: Node) -> NodeId {
        let mark = self.start();
        self.bump();
        self.finish(mark, kind)
    }

    /// One level deeper, if there may be one.
    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= MAX_DEPTH {
            return self.refuse(
                Code::TooDeep,
                format!("this nests more than {MAX_DEPTH} levels deep"),
                Some("name a part of it with `let`, or move it to a function of its own"),
            );
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    // Reporting.

    fn location(&self) -> Location {
        let token = self.raw(0);
        let mut span = self.tokens.span(token.index as usize);
        if token.kind == Token::End && self.at > 0 {
            // The end of a file has no width: point behind the last token.
            let end = self.tokens.span(self.raw_index(self.at - 1) as usize).end;
            span = Span::new(end, end);
        }
        Location {
            source: self.source,
            span,
        }
    }

    fn expected<T>(&mut self, what: &str) -> Parsed<T> {
        let found = match self.peek() {
            Token::End if self.raw(0).kind != Token::End => "the next item".to_owned(),
            kind @ (Token::Name | Token::Int | Token::Float) => {
                format!(
                    "{} `{}`",
                    kind.describe()
                        .trim_start_matches("a ")
                        .trim_start_matches("an "),
                    self.word(0)
                )
            }
            kind => kind.describe().to_owned(),
        };
        self.refuse(
            Code::UnexpectedToken,
            format!("expected {what}, found {found}"),
            None,
        )
    }

    /// Refuses what is at hand where one of these words, or something else, is expected;
    /// a slip in one of them is told.
    fn expected_word<T>(&mut self, words: &[&str], other: Option<&str>) -> Parsed<T> {
        let mut all: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
        all.extend(other.map(str::to_owned));
        let last = all.pop().unwrap_or_default();
        let what = match all.as_slice() {
            [] => last,
            before => format!("{} or {last}", before.join(", ")),
        };
        let near = match self.peek().is_word() {
            true => crate::nearest(self.word(0), words.iter().copied()),
            false => None,
        };
        let reported = self.errors.len();
        let refused = self.expected(&what);
        if let (Some(near), true) = (near, self.errors.len() > reported)
            && let Some(error) = self.errors.pop()
        {
            self.errors.push(error.did_you_mean(near));
        }
        refused
    }

    fn refuse<T>(&mut self, code: Code, message: String, cure: Option<&str>) -> Parsed<T> {
        let at = self.location();
        // What the lexer refused is not reported twice.
        let known = self.errors[..self.lexical]
            .binary_search_by_key(&at.span, |e| e.at.span)
            .is_ok()
            || self.unterminated.is_some_and(|s| s <= at.span.start);
        if !known {
            let mut error = Diagnostic::error(code, at, message);
            error.cure = cure.map(str::to_owned);
            self.errors.push(error);
        }
        Err(GivenUp)
    }

    /// Says how the mistake reported last is cured, if one was reported since.
    fn mend(&mut self, reported: usize, title: &str, edits: &[(Span, &str)]) {
        let source = self.source;
        if let Some(error) = self.errors.get_mut(reported) {
            let edit = |(span, text): &(Span, &str)| Edit {
                at: Location {
                    source,
                    span: *span,
                },
                text: (*text).to_owned(),
            };
            error.fix = Some(Box::new(Fix {
                title: title.to_owned(),
                edits: edits.iter().map(edit).collect(),
            }));
        }
    }

    /// From the first byte of a token to the last of another.
    fn text_span(&self, first: usize, last: usize) -> Span {
        let first = self.tokens.span(self.raw_index(first) as usize);
        first.to(self.tokens.span(self.raw_index(last) as usize))
    }

    /// The text from a token to before another one.
    fn words(&self, first: usize, end: usize) -> &str {
        if first >= end {
            return "";
        }
        let span = self.text_span(first, end - 1);
        &self.text[span.start as usize..span.end as usize]
    }

    /// Refuses what is at hand where a bracket should have been closed.
    fn unclosed<T>(&mut self, bracket: Bracket) -> Parsed<T> {
        self.expected_in(bracket, bracket.close.describe())
    }

    /// Refuses what is at hand, and shows the bracket that it stands in.
    fn expected_in<T>(&mut self, bracket: Bracket, what: &str) -> Parsed<T> {
        let reported = self.errors.len();
        let refused = self.expected(what);
        if let Some(error) = self.errors.get_mut(reported) {
            let span = self
                .tokens
                .span(self.significant[bracket.at].index as usize);
            let at = Location {
                source: self.source,
                span,
            };
            error.others.push(Label {
                at,
                text: "opened here".into(),
            });
        }
        refused
    }

    /// After a mistake in an element: goes on at the next line that starts where
    /// the element's line started, or at the end of the brackets. Says whether
    /// there is such a place.
    fn resume(&mut self, element: Mark, close: Token) -> bool {
        if self.resumed >= MOST_IN_ITEM || !self.significant[element.at].newline {
            return false;
        }
        let column = self.column(element.at);
        let mut open = 0usize;
        let mut at = self.at;
        // What starts the element itself is no place to go on.
        let first = (self.at == element.at) as usize;
        loop {
            let token = self.significant[at.min(self.significant.len() - 1)];
            let starts_item = self.at_item_start(at - self.at);
            if token.kind == Token::End || (self.in_item && starts_item) {
                return false;
            }
            if open == 0 && at >= self.at + first {
                let again = token.newline && self.column(at) == column;
                if token.kind == close || again {
                    break;
                }
            }
            match token.kind {
                Token::LParen | Token::LBracket | Token::LBrace | Token::HoleStart => open += 1,
                Token::RParen | Token::RBracket | Token::RBrace | Token::HoleEnd => {
                    let Some(fewer) = open.checked_sub(1) else {
                        return false;
                    };
                    open = fewer;
                }
                _ => {}
            }
            at += 1;
        }
        self.resumed += 1;
        self.at = at;
        // An element that was begun anew had nodes behind the place to go on at.
        let end = self.raw_index(at);
        let mut within = self.pending.split_off(element.pending);
        within.retain(|node| self.nodes[node.0 as usize].end <= end);
        self.pending.extend(within);
        self.finish(element, Node::Error);
        true
    }

    /// How far from the start of its line a token stands.
    fn column(&self, at: usize) -> usize {
        let start = self.tokens.span(self.raw_index(at) as usize).start as usize;
        let line = self.text[..start].rfind('\n').map_or(0, |i| i + 1);
        start - line
    }

    // Names.

    fn declared_name(&mut self, what: &str) -> Parsed {
        if self.is(Token::Name) && self.word(0) != "_" {
            Ok(self.leaf(Node::Name))
        } else {
            self.expected(what)
        }
    }

    fn label(&mut self, what: &str) -> Parsed {
        if self.peek().is_label() {
            Ok(self.leaf(Node::Name))
        } else {
            self.expected(what)
        }
    }

    fn path(&mut self, what: &str) -> Parsed {
        let mark = self.start();
        if !self.peek().is_label() {
            return self.expected(what);
        }
        self.bump();
        while self.here(Token::Dot) {
            self.bump();
            if !self.peek().is_label() || self.newline() {
                return self.expected("a name after the dot");
            }
            self.bump();
        }
        Ok(self.finish(mark, Node::Path))
    }

    /// Takes the token that opens a bracket.
    fn open(&mut self, close: Token) -> Bracket {
        let bracket = Bracket { at: self.at, close };
        self.bump();
        bracket
    }

    /// Takes the token that opens a bracket, which must be at hand.
    fn opened(&mut self, open: Token, close: Token) -> Parsed<Bracket> {
        if !self.is(open) {
            return self.expected(open.describe());
        }
        Ok(self.open(close))
    }

    /// Elements up to the end of the bracket, each followed by a comma, a line
    /// end, or the end.
    fn separated(
        &mut self,
        bracket: Bracket,
        what: &str,
        element: impl FnMut(&mut Self) -> Parsed,
    ) -> Parsed<()> {
        let close = bracket.close.describe();
        let missing = format!("a comma, a new line or {close} after {what}");
        self.elements(bracket, &missing, true, element)
    }

    /// Elements up to the end of the bracket with commas between them; one may
    /// trail.
    fn comma_separated(
        &mut self,
        bracket: Bracket,
        element: impl FnMut(&mut Self) -> Parsed,
    ) -> Parsed<()> {
        let missing = format!("`,` or {}", bracket.close.describe());
        self.elements(bracket, &missing, false, element)
    }

    fn elements(
        &mut self,
        bracket: Bracket,
        missing: &str,
        lines: bool,
        mut element: impl FnMut(&mut Self) -> Parsed,
    ) -> Parsed<()> {
        let mut sound = true;
        while !self.is(bracket.close) {
            if self.ends_brackets() {
                return self.unclosed(bracket);
            }
            let mark = self.start();
            let parsed = element(self).and_then(|_| {
                let separated = self.take(Token::Comma)
                    || self.is(bracket.close)
                    || (lines && self.newline())
                    // Reported as a bracket that is not closed.
                    || self.ends_brackets();
                if separated {
                    Ok(())
                } else if self.newline() {
                    self.expected_in(bracket, missing)
                } else {
                    self.expected(missing)
                }
            });
            if parsed.is_err() {
                if !self.resume(mark, bracket.close) {
                    return parsed;
                }
                sound = false;
            }
        }
        self.bump();
        if sound { Ok(()) } else { Err(GivenUp) }
    }

    /// Whether what is at hand cannot stand in the brackets that are open: it
    /// closes others, or starts a statement or an item.
    fn ends_brackets(&self) -> bool {
        match self.peek() {
            Token::End | Token::RParen | Token::RBracket | Token::RBrace | Token::HoleEnd => true,
            Token::KwLet | Token::KwReturn => self.newline() && self.nth(1) != Token::Colon,
            _ => false,
        }
    }
}
