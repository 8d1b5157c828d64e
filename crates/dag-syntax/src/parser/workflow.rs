//! Workflows (`func`, `pattern`, `interface`) and the nodes of their bodies.

use super::{Mark, Parsed, Parser};
use crate::Code;
use crate::kind::{Node, Token};

impl Parser<'_> {
    pub(super) fn workflow(&mut self, mark: Mark) -> Parsed {
        self.declared_name("the workflow's name")?;
        if self.here(Token::Less) {
            return self.refuse(
                Code::NoMeaning,
                "a workflow has no type parameters".into(),
                Some("name the types: what is asked of a host is known from them before it runs"),
            );
        }
        self.params()?;
        if self.here(Token::Arrow) {
            self.bump();
            self.type_expression()?;
        }
        if self.is_word("uses") {
            let uses = self.start();
            self.bump();
            loop {
                self.use_row()?;
                if !self.take(Token::Comma) {
                    break;
                }
            }
            self.finish(uses, Node::Uses);
        }
        if !self.is(Token::LBrace) {
            return self.expected("`{` and the workflow's body");
        }
        self.block()?;
        Ok(self.finish(mark, Node::FuncDecl))
    }

    fn use_row(&mut self) -> Parsed {
        let mark = self.start();
        self.declared_name("the name that stands for the resource")?;
        self.colon("the resource")?;
        self.type_expression()?;
        if self.here(Token::LParen) {
            let paren = self.open(Token::RParen);
            self.comma_separated(paren, Self::argument)?;
        }
        Ok(self.finish(mark, Node::Use))
    }

    /// Whether a node of a workflow is ahead: `node n = e`, `n = e`,
    /// `n [after m when c] = e`.
    pub(super) fn starts_step(&self) -> bool {
        if !self.is(Token::Name) {
            return false;
        }
        let spelled = self.word(0) == "node"
            && self.raw(1).kind == Token::Name
            && matches!(
                self.raw(2).kind,
                Token::Colon | Token::Equals | Token::LBracket
            );
        let ordered = || {
            self.raw(1).kind == Token::LBracket
                && !self.raw(1).newline
                && matches!(self.word(2), "after" | "when")
        };
        spelled || self.raw(1).kind == Token::Equals || ordered()
    }

    pub(super) fn step(&mut self) -> Parsed {
        let mark = self.start();
        let spelled = self.word(0) == "node" && self.raw(1).kind == Token::Name;
        if spelled {
            self.bump();
        }
        self.declared_name("the node's name")?;
        if self.here(Token::LBracket) {
            self.order()?;
        }
        if !(self.take(Token::Equals) || spelled && self.take(Token::Colon)) {
            return self.expected("`=` and the node's value");
        }
        self.expression()?;
        if self.here(Token::Arrow) {
            self.bump();
            self.type_expression()?;
        }
        Ok(self.finish(mark, Node::Step))
    }

    /// `[after a, b when c]`
    fn order(&mut self) -> Parsed<()> {
        let bracket = self.open(Token::RBracket);
        if self.is_word("after") {
            let mark = self.start();
            self.bump();
            loop {
                if !self.is(Token::Name) || self.word(0) == "when" {
                    return self.expected("the name of a node before this one");
                }
                self.leaf(Node::NameExpr);
                self.take(Token::Comma);
                if self.is_word("when") || !self.is(Token::Name) {
                    break;
                }
            }
            self.finish(mark, Node::After);
        }
        if self.is_word("when") {
            let mark = self.start();
            self.bump();
            self.expression()?;
            self.finish(mark, Node::When);
        }
        if !self.take(Token::RBracket) {
            return self.unclosed(bracket);
        }
        Ok(())
    }
}
