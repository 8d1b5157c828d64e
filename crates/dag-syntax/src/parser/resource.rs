//! Resources: what a workflow may ask for, and the facts of it.

use super::{Mark, Parsed, Parser};
use crate::Code;
use crate::kind::{Node, Token};

impl Parser<'_> {
    pub(super) fn resource(&mut self, mark: Mark) -> Parsed {
        self.declared_name("the resource's name")?;
        let brace = self.opened(Token::LBrace, Token::RBrace)?;
        self.members(brace, Self::resource_member)?;
        Ok(self.finish(mark, Node::ResourceDecl))
    }

    fn resource_member(&mut self) -> Parsed {
        if self.is_word("capability") && self.nth(1) != Token::Colon {
            return self.capability();
        }
        if matches!(self.word(0), "acquire" | "release") && self.nth(1) == Token::LBrace {
            let message = format!(
                "nothing is known of when `{}` would run, or of what its failure would mean",
                self.word(0)
            );
            return self.refuse(
                Code::NoMeaning,
                message,
                Some("make it a capability, and call it in the workflow where it must happen"),
            );
        }
        // A capability has a name, an entry a value behind a colon.
        if !self.peek().is_label() || self.nth(1).is_word() {
            return self.expected_word(&["capability"], Some("an entry `name: value` or `}`"));
        }
        self.entry()
    }

    fn capability(&mut self) -> Parsed {
        let mark = self.start();
        self.bump();
        self.declared_name("the capability's name")?;
        if self.here(Token::LBrace) {
            let brace = self.open(Token::RBrace);
            self.members(brace, |p| {
                let part = p.start();
                let kind = match p.word(0) {
                    "input" => Node::Inputs,
                    "output" => Node::Outputs,
                    _ => return p.expected_word(&["input", "output"], Some("`}`")),
                };
                p.bump();
                let brace = p.opened(Token::LBrace, Token::RBrace)?;
                p.separated(brace, "the field", |p| p.field("a field or `}`"))?;
                Ok(p.finish(part, kind))
            })?;
        } else if self.here(Token::LParen) {
            let inputs = self.start();
            let paren = self.open(Token::RParen);
            self.separated(paren, "the input", |p| p.field("an input or `)`"))?;
            self.finish(inputs, Node::Inputs);
            if self.here(Token::Arrow) {
                self.bump();
                self.type_expression()?;
            }
        }
        Ok(self.finish(mark, Node::Capability))
    }
}
