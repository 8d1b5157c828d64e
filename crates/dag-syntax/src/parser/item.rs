//! Items: what stands at the top of a module.

use super::{Mark, Parsed, Parser};
use crate::kind::{Node, Token};
use crate::{Code, NodeId};

/// The words that an item begins with.
const ITEM_WORDS: &[&str] = &[
    "type",
    "fn",
    "func",
    "data",
    "alias",
    "service",
    "resource",
    "pattern",
    "interface",
    "test",
];

/// What to write where all names of a module were asked for.
fn with_names(module: &str) -> String {
    format!(
        "write `import {module} {{ … }}` with the names, or `import {module}` and each name as \
         `{module}.…`"
    )
}

impl Parser<'_> {
    pub(super) fn file(&mut self) {
        let mark = self.start();
        if self.is(Token::KwModule) {
            self.guarded(Self::module_line);
        } else {
            let _ = self.refuse::<()>(
                Code::MissingModuleLine,
                "a file starts with its `module` line".into(),
                Some("write `module a.b` on the first line"),
            );
        }
        let headless = !self.errors[self.lexical..].is_empty();
        let mut items = false;
        while !self.is(Token::End) {
            if headless && self.is(Token::KwModule) {
                // Reported as missing where it should stand.
                self.guarded(|_| Err(super::GivenUp));
            } else if self.is(Token::KwImport) {
                let late = items;
                self.guarded(|p| {
                    if late {
                        return p.refuse(
                            Code::UnexpectedToken,
                            "an import stands after an item".into(),
                            Some("move it above the first item"),
                        );
                    }
                    p.import()
                });
            } else if self.is_word("from") && self.nth(1).is_label() && !self.raw(1).newline {
                self.guarded(Self::foreign_import);
            } else {
                items = true;
                self.guarded(Self::item);
            }
        }
        self.at = self.significant.len() - 1;
        self.finish(mark, Node::File);
    }

    /// Parses an item; after a mistake, what was read of it becomes an error
    /// node that reaches to the next item.
    fn guarded(&mut self, parse: impl FnOnce(&mut Self) -> Parsed) {
        let mark = self.start();
        self.in_item = false;
        self.resumed = 0;
        if let Err(super::GivenUp) = parse(self) {
            self.depth = 0;
            if self.at == mark.at {
                self.bump();
            }
            while self.raw(0).kind != Token::End && !self.at_item_start(0) {
                self.bump();
            }
            self.finish(mark, Node::Error);
        } else if !self.newline() && self.raw(0).kind != Token::End {
            self.in_item = false;
            let mark = self.start();
            let _ = self.expected::<()>("a new line after the item");
            while self.raw(0).kind != Token::End && !self.at_item_start(0) {
                self.bump();
            }
            self.finish(mark, Node::Error);
        }
        self.in_item = false;
    }

    fn module_line(&mut self) -> Parsed {
        let mark = self.start();
        self.bump();
        self.in_item = true;
        self.path("the module's name")?;
        Ok(self.finish(mark, Node::ModuleLine))
    }

    fn import(&mut self) -> Parsed {
        let mark = self.start();
        self.bump();
        self.in_item = true;
        let module = self.at;
        if let Some(star) = self.star_ahead() {
            self.at += star;
            let name = self.words(module, self.at - 1).to_owned();
            let _ = self.refuse::<()>(
                Code::UnexpectedToken,
                "an import lists the names that it brings".into(),
                Some(&with_names(&name)),
            );
            return Ok(self.star_import(mark, module, self.at - 1));
        }
        self.path("the name of a module")?;
        if self.here(Token::LBrace) {
            let list = self.start();
            let brace = self.open(Token::RBrace);
            if self.is(Token::RBrace) {
                return self.expected("a name to import");
            }
            self.separated(brace, "the name", |p| p.path("a name to import"))?;
            self.finish(list, Node::ImportList);
        }
        Ok(self.finish(mark, Node::Import))
    }

    /// An import of all that a module declares: refused, and known to be meant. The star
    /// and what joins it to the module's path are an error in it.
    fn star_import(&mut self, mark: Mark, module: usize, end: usize) -> NodeId {
        let star = self.at + 1;
        self.at = module;
        let path = self.start();
        self.at = end;
        self.finish(path, Node::Path);
        let rest = self.start();
        self.at = star;
        self.finish(rest, Node::Error);
        self.finish(mark, Node::Import)
    }

    /// How far away the `*` of `a.b.*` is, if that is at hand.
    fn star_ahead(&self) -> Option<usize> {
        let mut ahead = 0;
        while self.nth(ahead).is_label() && self.nth(ahead + 1) == Token::Dot {
            ahead += 2;
        }
        (ahead > 0 && self.nth(ahead) == Token::Star).then_some(ahead)
    }

    /// `from a.b import C`, as other languages write an import.
    fn foreign_import(&mut self) -> Parsed {
        let mark = self.start();
        self.bump();
        let path = self.at;
        let mut listed = None;
        while !self.newline() && self.raw(0).kind != Token::End {
            if self.raw(0).kind == Token::KwImport {
                listed.get_or_insert(self.at);
            }
            self.bump();
        }
        let end = self.at;
        let module = self.words(path, listed.unwrap_or(end));
        let names = listed.map_or("", |at| self.words(at + 1, end));
        let names = names.trim_start_matches('{').trim_end_matches('}').trim();
        let cure = match names {
            "" => format!("write `import {module}`"),
            "*" => with_names(module),
            names => format!("write `import {module} {{ {names} }}`"),
        };
        let all = names == "*";
        self.at = mark.at;
        let _ = self.refuse::<()>(
            Code::UnexpectedToken,
            "an import begins with `import`".into(),
            Some(&cure),
        );
        self.at = end;
        if all && let Some(listed) = listed {
            self.at = end - 1;
            return Ok(self.star_import(mark, path, listed));
        }
        Ok(self.finish(mark, Node::Error))
    }

    fn item(&mut self) -> Parsed {
        let mark = self.start();
        let test = self.is_word("test");
        if test {
            self.bump();
        }
        let kind = self.peek();
        match kind {
            Token::KwFn | Token::KwData => {}
            Token::KwType | Token::KwAlias if !test => {}
            Token::KwService
            | Token::KwResource
            | Token::KwFunc
            | Token::KwPattern
            | Token::KwInterface
                if !test => {}
            Token::KwModule => {
                return self.refuse(
                    Code::UnexpectedToken,
                    "a file has one `module` line, its first".into(),
                    None,
                );
            }
            _ if test => return self.expected("`fn` or `data` after `test`"),
            _ => {
                return match self.foreign_item() {
                    Some(cure) => self.refuse(
                        Code::UnexpectedToken,
                        format!("no item begins with `{}`", self.word(0)),
                        Some(&cure),
                    ),
                    None => self.expected_word(ITEM_WORDS, None),
                };
            }
        }
        self.bump();
        self.in_item = true;
        match kind {
            Token::KwFn => self.function(mark),
            Token::KwData => self.data(mark),
            Token::KwService => self.service(mark),
            Token::KwResource => self.resource(mark),
            Token::KwFunc | Token::KwPattern | Token::KwInterface => self.workflow(mark),
            Token::KwAlias => self.alias(mark),
            _ => self.type_declaration(mark),
        }
    }

    /// What to write in place of the word with which other languages declare something.
    fn foreign_item(&self) -> Option<String> {
        if !self.raw(1).kind.is_word() || self.raw(1).newline {
            return None;
        }
        let name = self.word(1);
        Some(match self.word(0) {
            "const" | "let" | "val" | "var" => format!("write `data {name}: TYPE = …`"),
            "def" | "function" => format!("write `fn {name}(…) -> TYPE = …`"),
            "class" | "record" | "struct" => format!("write `type {name} {{ … }}`"),
            "enum" => format!("write `type {name} = | … | …`"),
            _ => return None,
        })
    }

    fn function(&mut self, mark: Mark) -> Parsed {
        self.declared_name("the function's name")?;
        self.type_params()?;
        self.params()?;
        if !self.here(Token::Arrow) {
            if self.is(Token::Arrow) {
                return self.refuse(
                    Code::UnexpectedToken,
                    "`->` stands on the line of the parameters' `)`".into(),
                    Some("join the two lines"),
                );
            }
            return self.expected("`->` and the type that the function returns");
        }
        self.bump();
        self.type_expression()?;
        self.admit_callers()?;
        if self.take(Token::Equals) {
            self.expression()?;
        } else if self.is(Token::LBrace) {
            self.block()?;
        } else {
            return self.expected("`{` or `=` and the function's body");
        }
        Ok(self.finish(mark, Node::FnDecl))
    }

    /// The parameters of a function, in parentheses.
    pub(super) fn params(&mut self) -> Parsed {
        let params = self.start();
        let paren = self.opened(Token::LParen, Token::RParen)?;
        self.comma_separated(paren, |p| {
            let mark = p.start();
            p.label("a parameter or `)`")?;
            p.colon("the parameter's type")?;
            p.type_expression()?;
            p.where_clause()?;
            p.default_value("a parameter's default value")?;
            Ok(p.finish(mark, Node::Param))
        })?;
        Ok(self.finish(params, Node::Params))
    }

    /// `admit_callers: [decl_ref(module_path: "a.b", decl_name: "f")]`
    fn admit_callers(&mut self) -> Parsed<()> {
        if !self.is_word("admit_callers") {
            return Ok(());
        }
        let mark = self.start();
        self.bump();
        self.colon("the list of callers")?;
        if !self.is(Token::LBracket) {
            return self.expected("`[` and the callers that are admitted");
        }
        self.expression()?;
        self.finish(mark, Node::AdmitCallers);
        Ok(())
    }

    /// `alias X = a.b.c`
    fn alias(&mut self, mark: Mark) -> Parsed {
        self.declared_name("the alias's name")?;
        self.expect(Token::Equals)?;
        self.path("the name of a module")?;
        Ok(self.finish(mark, Node::AliasDecl))
    }

    fn data(&mut self, mark: Mark) -> Parsed {
        self.declared_name("the name of the data")?;
        self.expect(Token::Colon)?;
        self.type_expression()?;
        self.expect(Token::Equals)?;
        self.same_line("a `data` item's value", "`=`")?;
        self.expression()?;
        Ok(self.finish(mark, Node::DataDecl))
    }

    /// A value that must start on the line of the sign before it.
    pub(super) fn same_line(&mut self, what: &str, sign: &str) -> Parsed<()> {
        if self.newline() && !self.is(Token::End) {
            return self.refuse(
                Code::UnexpectedToken,
                format!("{what} starts on the line of its {sign}"),
                Some("join the two lines"),
            );
        }
        Ok(())
    }
}
