//! Services: operations, what carries them out, and what their outcomes mean.

use super::{Bracket, Mark, Parsed, Parser};
use crate::Code;
use crate::kind::{Node, Token};

/// What carries an operation out.
const TRANSPORTS: &[&str] = &["shell", "file", "rest"];

/// What an operation promises.
const FLAGS: &[&str] = &["readonly", "idempotent", "hermetic"];

/// The words that the other entries of an operation begin with.
const OPERATION_WORDS: &[&str] = &[
    "input",
    "output",
    "transport",
    "exit",
    "response",
    "mock_response",
];

impl Parser<'_> {
    pub(super) fn service(&mut self, mark: Mark) -> Parsed {
        self.path("the service's name")?;
        let brace = self.opened(Token::LBrace, Token::RBrace)?;
        self.members(brace, Self::service_member)?;
        Ok(self.finish(mark, Node::ServiceDecl))
    }

    /// Members up to the end of the bracket. Each begins with a word of its own,
    /// so that a comma or a new line between two is not needed.
    pub(super) fn members(
        &mut self,
        bracket: Bracket,
        mut member: impl FnMut(&mut Self) -> Parsed,
    ) -> Parsed<()> {
        let mut sound = true;
        while !self.is(bracket.close) {
            if self.ends_brackets() {
                return self.unclosed(bracket);
            }
            let mark = self.start();
            let parsed = member(self);
            self.take(Token::Comma);
            if parsed.is_err() {
                // From its start: brackets that it opened are closed there too.
                self.at = mark.at;
                if !self.resume(mark, bracket.close) {
                    // The node that holds this mistake may end before they do.
                    self.pending.truncate(mark.pending);
                    return Err(super::GivenUp);
                }
                sound = false;
            }
        }
        self.bump();
        if sound { Ok(()) } else { Err(super::GivenUp) }
    }

    fn service_member(&mut self) -> Parsed {
        let mark = self.start();
        match self.word(0) {
            "config" => {
                self.bump();
                self.entries()?;
                Ok(self.finish(mark, Node::ConfigBlock))
            }
            "transport" => self.transport(),
            "operation" => self.operation(),
            _ => self.expected_word(&["config", "transport", "operation"], Some("`}`")),
        }
    }

    /// `{ name: expr … }`
    fn entries(&mut self) -> Parsed<()> {
        let brace = self.opened(Token::LBrace, Token::RBrace)?;
        self.members(brace, Self::entry)
    }

    pub(super) fn entry(&mut self) -> Parsed {
        let mark = self.start();
        self.label("an entry `name: value` or `}`")?;
        self.colon("the value")?;
        self.same_line("an entry's value", "`:`")?;
        self.expression()?;
        Ok(self.finish(mark, Node::Entry))
    }

    fn transport(&mut self) -> Parsed {
        let mark = self.start();
        self.bump();
        if !TRANSPORTS.contains(&self.word(0)) {
            return self.expected_word(TRANSPORTS, None);
        }
        self.leaf(Node::Name);
        self.entries()?;
        Ok(self.finish(mark, Node::Transport))
    }

    /// In braces, or as a head like a function's: both say the same.
    fn operation(&mut self) -> Parsed {
        let mark = self.start();
        self.bump();
        self.declared_name("the operation's name")?;
        let name = self.words(self.at - 1, self.at).to_owned();
        if self.is(Token::LBrace) {
            let brace = self.open(Token::RBrace);
            self.members(brace, Self::operation_entry)?;
            return Ok(self.finish(mark, Node::Operation));
        }
        let flags = self.at;
        while self.is_flag() {
            self.leaf(Node::Flag);
        }
        if self.is(Token::LBrace) {
            let words = self.words(flags, self.at).to_owned();
            self.at = flags;
            return self.refuse(
                Code::UnexpectedToken,
                format!("`{words}` stands before the braces of an operation"),
                Some(&format!(
                    "write `operation {name} {{ {words} … }}`, or `operation {name} {words}(…)` \
                     without braces"
                )),
            );
        }
        let misspelt = self.is(Token::Name)
            && !self.newline()
            && (matches!(self.nth(1), Token::LParen | Token::LBrace)
                || FLAGS.contains(&self.word(1)));
        if misspelt {
            let message = format!(
                "an operation promises nothing that is called `{}`",
                self.word(0)
            );
            return self.refuse(
                Code::UnexpectedToken,
                message,
                Some(&format!(
                    "write `readonly`, `idempotent` or `hermetic`: before the `(` in `operation \
                     {name} readonly(…)`, or within the braces in `operation {name} {{ readonly … }}`"
                )),
            );
        }
        let inputs = self.start();
        let paren = self.opened(Token::LParen, Token::RParen)?;
        self.separated(paren, "the input", |p| p.field("an input or `)`"))?;
        self.finish(inputs, Node::Inputs);
        if self.here(Token::Arrow) {
            let outputs = self.start();
            self.bump();
            if self.is(Token::LBrace) {
                self.fields_in_braces()?;
                self.finish(outputs, Node::Outputs);
            } else {
                self.type_expression()?;
            }
        }
        while matches!(self.word(0), "response" | "mock_response") && self.nth(1) == Token::LBrace {
            self.table()?;
        }
        Ok(self.finish(mark, Node::Operation))
    }

    fn is_flag(&self) -> bool {
        self.is(Token::Name) && FLAGS.contains(&self.word(0))
    }

    fn fields_in_braces(&mut self) -> Parsed<()> {
        let brace = self.opened(Token::LBrace, Token::RBrace)?;
        self.separated(brace, "the field", |p| p.field("a field or `}`"))
    }

    fn operation_entry(&mut self) -> Parsed {
        let mark = self.start();
        match self.word(0) {
            "input" | "output" => {
                let kind = match self.word(0) {
                    "input" => Node::Inputs,
                    _ => Node::Outputs,
                };
                self.bump();
                self.fields_in_braces()?;
                Ok(self.finish(mark, kind))
            }
            "transport" => self.transport(),
            "exit" | "response" | "mock_response" => self.table(),
            _ if self.is_flag() => Ok(self.leaf(Node::Flag)),
            _ => {
                let words = [OPERATION_WORDS, FLAGS].concat();
                self.expected_word(&words, Some("`}`"))
            }
        }
    }

    /// Rows of statuses: a type each, in a mock a value.
    fn table(&mut self) -> Parsed {
        let mark = self.start();
        let kind = match self.word(0) {
            "exit" => Node::ExitTable,
            "response" => Node::ResponseTable,
            _ => Node::MockTable,
        };
        self.bump();
        let brace = self.opened(Token::LBrace, Token::RBrace)?;
        self.separated(brace, "the row", |p| {
            let row = p.start();
            p.status()?;
            p.expect(Token::FatArrow)?;
            if kind == Node::MockTable {
                p.expression()?;
            } else {
                p.type_expression()?;
            }
            if p.here(Token::Quote) {
                p.string()?;
            }
            Ok(p.finish(row, Node::StatusRow))
        })?;
        Ok(self.finish(mark, kind))
    }

    fn status(&mut self) -> Parsed {
        if self.is(Token::Int) || self.peek().is_label() {
            return Ok(self.leaf(Node::Status));
        }
        self.expected("a status (`0`, `4xx` or `nonzero`) or `}`")
    }

    /// `from "key"` behind a field.
    pub(super) fn field_source(&mut self) -> Parsed<()> {
        if !self.is_word("from") || self.newline() {
            return Ok(());
        }
        let mark = self.start();
        self.bump();
        if !self.is(Token::Quote) {
            return self.expected("the name of what the field is read from, in quotes");
        }
        self.string()?;
        self.finish(mark, Node::Source);
        Ok(())
    }

    /// `4xx` is no number.
    pub(super) fn no_status_class(&mut self) -> Parsed<()> {
        if self.word(0).ends_with('x') {
            let message = format!("`{}` is neither a number nor a name", self.word(0));
            return self.refuse(Code::BadNumber, message, None);
        }
        Ok(())
    }
}
