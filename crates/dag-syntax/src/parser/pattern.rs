//! Patterns.

use super::{Parsed, Parser};
use crate::Code;
use crate::kind::{Node, Token};

impl Parser<'_> {
    pub(super) fn pattern(&mut self) -> Parsed {
        self.deeper(|p| {
            let mark = p.start();
            match p.peek() {
                Token::Int => {
                    p.no_status_class()?;
                    Ok(p.leaf(Node::IntPattern))
                }
                Token::Minus if p.nth(1) == Token::Int => {
                    p.bump();
                    p.no_status_class()?;
                    p.bump();
                    Ok(p.finish(mark, Node::IntPattern))
                }
                Token::KwTrue | Token::KwFalse => Ok(p.leaf(Node::BoolPattern)),
                Token::KwNone | Token::KwNull => Ok(p.leaf(Node::NonePattern)),
                Token::Quote => {
                    p.bump();
                    p.take(Token::Text);
                    if p.is(Token::HoleStart) {
                        return p.refuse(
                            Code::BadPattern,
                            "a string pattern has no holes".into(),
                            Some("write `\\{` for a brace"),
                        );
                    }
                    p.expect(Token::EndQuote)?;
                    Ok(p.finish(mark, Node::StrPattern))
                }
                Token::Name if p.word(0) == "_" => Ok(p.leaf(Node::AnyPattern)),
                Token::LBrace => {
                    p.field_patterns()?;
                    Ok(p.finish(mark, Node::RecordPattern))
                }
                kind if kind.is_label() => p.named_pattern(),
                _ => p.expected("a pattern"),
            }
        })
    }

    fn named_pattern(&mut self) -> Parsed {
        let mark = self.start();
        if self.nth(1) != Token::Dot && !starts_upper(self.word(0)) {
            return Ok(self.leaf(Node::BindPattern));
        }
        self.path("a variant")?;
        if self.here(Token::LBrace) {
            self.field_patterns()?;
        } else if self.here(Token::LParen) {
            self.bump();
            self.pattern()?;
            self.expect(Token::RParen)?;
            return Ok(self.finish(mark, Node::PositionalPattern));
        }
        Ok(self.finish(mark, Node::CtorPattern))
    }

    /// `{ name: pattern, name }`
    fn field_patterns(&mut self) -> Parsed<()> {
        let brace = self.open(Token::RBrace);
        self.separated(brace, "the field", |p| {
            let field = p.start();
            p.label("a field or `}`")?;
            if p.take(Token::Colon) {
                p.pattern()?;
            }
            Ok(p.finish(field, Node::FieldPattern))
        })
    }

    /// Whether an arm starts here: a pattern, then `=>` or a guard.
    pub(super) fn looks_like_arm(&mut self) -> bool {
        let (at, depth, resumed) = (self.at, self.depth, self.resumed);
        let (nodes, children) = (self.nodes.len(), self.children.len());
        let (pending, errors) = (self.pending.len(), self.errors.len());
        let arm = self.pattern().is_ok() && matches!(self.peek(), Token::FatArrow | Token::KwIf);
        (self.at, self.depth, self.resumed) = (at, depth, resumed);
        self.nodes.truncate(nodes);
        self.children.truncate(children);
        self.pending.truncate(pending);
        self.errors.truncate(errors);
        arm
    }
}

/// Variants and types start with a capital letter.
pub(super) fn starts_upper(word: &str) -> bool {
    word.chars().next().is_some_and(char::is_uppercase)
}
