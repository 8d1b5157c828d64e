//! Type declarations and types.

use super::{Mark, Parsed, Parser};
use crate::Code;
use crate::kind::{Node, Token};

impl Parser<'_> {
    pub(super) fn type_params(&mut self) -> Parsed<()> {
        if !self.here(Token::Less) {
            return Ok(());
        }
        let mark = self.start();
        let angle = self.open(Token::Greater);
        if self.is(Token::Greater) {
            return self.expected("a type parameter");
        }
        self.comma_separated(angle, |p| {
            let name = p.declared_name("a type parameter")?;
            if !p.take(Token::Colon) {
                return Ok(name);
            }
            if !p.peek().is_label() {
                return p.expected("what the type parameter stands for: `Type`");
            }
            Ok(p.leaf(Node::Kind))
        })?;
        self.finish(mark, Node::TypeParams);
        Ok(())
    }

    pub(super) fn type_declaration(&mut self, mark: Mark) -> Parsed {
        self.declared_name("the type's name")?;
        self.type_params()?;
        while self.is(Token::Name) {
            if matches!(
                self.word(0),
                "observed" | "sole_constructor" | "nominal_opaque"
            ) {
                self.bump();
            } else {
                return self
                    .expected("`observed`, `sole_constructor`, `nominal_opaque`, `{` or `=`");
            }
        }
        if self.is(Token::LBrace) {
            self.record_body()?;
        } else if self.take(Token::Equals) {
            self.right_side()?;
        }
        Ok(self.finish(mark, Node::TypeDecl))
    }

    fn right_side(&mut self) -> Parsed {
        let mark = self.start();
        let leading = self.is(Token::Or);
        let head_is_variant = self.is(Token::Name)
            && matches!(self.raw(1).kind, Token::LBrace | Token::LParen | Token::Or);
        if !leading && !head_is_variant {
            self.type_expression()?;
            self.where_clause()?;
            return Ok(self.finish(mark, Node::AliasBody));
        }
        let mut count = 0;
        if leading {
            self.bump();
        }
        loop {
            self.variant()?;
            count += 1;
            if !self.take(Token::Or) {
                break;
            }
        }
        let body = self.finish(mark, Node::CoproductBody);
        if count == 1 && !leading {
            self.at = mark.at;
            // The node that holds this mistake may end before they do.
            self.pending.truncate(mark.pending);
            return self.refuse(
                Code::UnexpectedToken,
                "a coproduct of one variant needs a leading `|`".into(),
                Some("write `= | Variant { … }`"),
            );
        }
        Ok(body)
    }

    fn variant(&mut self) -> Parsed {
        let mark = self.start();
        self.declared_name("a variant's name")?;
        if self.here(Token::LBrace) {
            self.record_body()?;
        } else if self.here(Token::LParen) {
            self.bump();
            self.type_expression()?;
            self.expect(Token::RParen)?;
        }
        Ok(self.finish(mark, Node::Variant))
    }

    fn record_body(&mut self) -> Parsed {
        let mark = self.start();
        let brace = self.open(Token::RBrace);
        self.separated(brace, "the field", |p| p.field("a field or `}`"))?;
        Ok(self.finish(mark, Node::RecordBody))
    }

    /// `name: type`, with a refinement and what it is read from.
    pub(super) fn field(&mut self, what: &str) -> Parsed {
        let field = self.start();
        self.label(what)?;
        self.colon("the field's type")?;
        self.type_expression()?;
        self.where_clause()?;
        self.field_source()?;
        self.default_value("a field's default value")?;
        Ok(self.finish(field, Node::FieldDecl))
    }

    /// `{ a: Int, b: String }`
    fn record_type(&mut self, mark: Mark) -> Parsed {
        let brace = self.open(Token::RBrace);
        if self.is(Token::RBrace) {
            return self.refuse(
                Code::UnexpectedToken,
                "a record without a name has at least one field".into(),
                Some("write `Unit` for a type of one value"),
            );
        }
        self.separated(brace, "the field", |p| {
            let field = p.start();
            p.label("a field or `}`")?;
            p.colon("the field's type")?;
            p.type_expression()?;
            p.where_clause()?;
            if p.here(Token::Equals) || (p.is_word("from") && !p.newline()) {
                return p.refuse(
                    Code::UnexpectedToken,
                    "a record without a name has no default values and no `from`".into(),
                    Some("declare it: `type Name { … }`"),
                );
            }
            Ok(p.finish(field, Node::FieldDecl))
        })?;
        Ok(self.finish(mark, Node::TypeRecord))
    }

    /// The colon before something that is declared.
    pub(super) fn colon(&mut self, what: &str) -> Parsed<()> {
        if self.take(Token::Colon) {
            return Ok(());
        }
        self.expected(&format!("`:` and {what}"))
    }

    /// `= expr` behind a field or a parameter.
    pub(super) fn default_value(&mut self, what: &str) -> Parsed<()> {
        if !self.here(Token::Equals) {
            return Ok(());
        }
        let mark = self.start();
        self.bump();
        self.same_line(what, "`=`")?;
        self.expression()?;
        self.finish(mark, Node::Default);
        Ok(())
    }

    /// `where` and its predicates. A comma before `name:` ends the clause: what
    /// follows is the next field or parameter. `where:` is one of that name.
    pub(super) fn where_clause(&mut self) -> Parsed<()> {
        if !self.is(Token::KwWhere) || self.nth(1) == Token::Colon {
            return Ok(());
        }
        let mark = self.start();
        self.bump();
        loop {
            let predicate = self.start();
            self.path("a predicate")?;
            if self.here(Token::LParen) {
                let paren = self.open(Token::RParen);
                self.comma_separated(paren, |p| {
                    let arg = p.start();
                    if p.peek().is_label() && p.nth(1) == Token::Colon {
                        p.label("a label")?;
                        p.bump();
                    }
                    p.expression()?;
                    Ok(p.finish(arg, Node::PredicateArg))
                })?;
            }
            self.finish(predicate, Node::Predicate);
            let another = self.is(Token::Comma)
                && self.nth(1).is_label()
                && !self.raw(1).newline
                && self.nth(2) != Token::Colon;
            if !another {
                break;
            }
            self.bump();
        }
        self.finish(mark, Node::Where);
        Ok(())
    }

    pub(super) fn type_expression(&mut self) -> Parsed {
        self.deeper(|p| {
            let mark = p.start();
            let mut ty = if p.is(Token::KwFn) {
                p.bump();
                let paren = p.opened(Token::LParen, Token::RParen)?;
                p.comma_separated(paren, Self::type_expression)?;
                p.expect(Token::Arrow)?;
                p.type_expression()?;
                p.finish(mark, Node::TypeFn)
            } else if p.is(Token::LBrace) {
                p.record_type(mark)?
            } else {
                p.path("a type")?;
                if p.here(Token::Less) {
                    let angle = p.open(Token::Greater);
                    if p.is(Token::Greater) {
                        return p.expected("a type");
                    }
                    p.comma_separated(angle, Self::type_argument)?;
                } else if p.here(Token::LBracket) {
                    return p.refuse_bracketed(mark);
                }
                p.finish(mark, Node::TypePath)
            };
            if p.here(Token::QuestionQuestion) {
                return p.refuse(
                    Code::UnexpectedToken,
                    "a type is made optional once".into(),
                    Some("declare a coproduct with a variant for each way to be absent"),
                );
            }
            if p.here(Token::Question) {
                p.bump();
                ty = p.finish(mark, Node::TypeOptional);
            }
            Ok(ty)
        })
    }

    /// `List[Int]`, as other languages write a type's arguments.
    fn refuse_bracketed(&mut self, mark: Mark) -> Parsed {
        let reported = self.errors.len();
        let name = self.text_span(mark.at, self.at - 1);
        let name = &self.text[name.start as usize..name.end as usize];
        // What lies between the brackets, if it is all on this line.
        let mut ahead = 1;
        let mut open = 1usize;
        while open > 0 && !self.raw(ahead).newline && self.raw(ahead).kind != Token::End {
            match self.raw(ahead).kind {
                Token::LBracket => open += 1,
                Token::RBracket => open -= 1,
                _ => {}
            }
            ahead += 1;
        }
        let whole = open == 0 && ahead > 2;
        let (first, last) = (self.at, self.at + ahead - 1);
        let cure = match whole {
            true => {
                let between = self.text_span(first + 1, last - 1);
                let between = &self.text[between.start as usize..between.end as usize];
                let between = between.replace('[', "<").replace(']', ">");
                format!("write `{name}<{between}>`")
            }
            false => format!("write `{name}<…>`"),
        };
        let refused = self.refuse(
            Code::UnexpectedToken,
            "a type's arguments stand between `<` and `>`".into(),
            Some(&cure),
        );
        if whole {
            let edits = [
                (self.text_span(first, first), "<"),
                (self.text_span(last, last), ">"),
            ];
            self.mend(reported, "Write `<` and `>`", &edits);
        }
        refused
    }

    fn type_argument(&mut self) -> Parsed {
        if self.is(Token::Int) {
            return self.refuse(
                Code::UnexpectedToken,
                "a type's argument is a type, not a number".into(),
                Some("keep a bound with the value: `type Port = Int where range(min: 1, max: 65535)`"),
            );
        }
        self.type_expression()
    }
}
