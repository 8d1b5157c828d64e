//! Expressions: a binding power per operator.

use super::pattern::starts_upper;
use super::{GivenUp, Mark, Parsed, Parser};
use crate::kind::{Node, Token};
use crate::{Code, Span};

/// What may not stand at the end of an expression here.
#[derive(Clone, Copy, Default)]
struct Mode {
    /// In the head of `match` and `if` a brace opens the body.
    no_brace: bool,
    /// In a guard `=>` ends the guard.
    no_arrow: bool,
}

/// How tightly an operator binds its left side.
fn power(token: Token, word: &str) -> Option<(u8, Node)> {
    Some(match token {
        Token::OrOr => (5, Node::BinaryExpr),
        Token::AndAnd => (7, Node::BinaryExpr),
        Token::QuestionQuestion => (8, Node::BinaryExpr),
        Token::EqualsEquals | Token::BangEquals => (9, Node::BinaryExpr),
        Token::Less | Token::Greater | Token::LessEquals | Token::GreaterEquals => {
            (11, Node::BinaryExpr)
        }
        Token::DotDot => (RANGE_POWER, Node::BinaryExpr),
        Token::Name if word == "as" => (13, Node::AsExpr),
        Token::Plus | Token::Minus => (13, Node::BinaryExpr),
        Token::Star | Token::Slash | Token::Percent => (15, Node::BinaryExpr),
        Token::Pipe => (17, Node::PipeExpr),
        _ => return None,
    })
}

/// How tightly `!` and `-` bind their operand.
const UNARY_POWER: u8 = 12;
/// How tightly `..` binds: looser than `+`, tighter than a comparison.
const RANGE_POWER: u8 = 12;
/// How tightly a pipe's right side binds: only `.` and calls are tighter.
const POSTFIX_POWER: u8 = 19;

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Parsed {
        self.expr(0, Mode::default())
    }

    fn expr(&mut self, minimum: u8, mode: Mode) -> Parsed {
        let depth = self.depth;
        let parsed = self.deeper(|p| p.expr_inner(minimum, mode));
        self.depth = depth;
        parsed
    }

    fn expr_inner(&mut self, minimum: u8, mode: Mode) -> Parsed {
        let mark = self.start();
        let mut left = self.prefix(mode)?;
        loop {
            left = match self.postfix(mark, mode)? {
                Some(longer) => longer,
                None => match self.infix(mark, minimum, mode)? {
                    Some(longer) => longer,
                    None => return Ok(left),
                },
            };
            // A chain makes the tree deeper to the left by one.
            self.depth += 1;
            if self.depth > super::MAX_DEPTH {
                return self.deeper(|_| Ok(left));
            }
        }
    }

    fn prefix(&mut self, mode: Mode) -> Parsed {
        let mark = self.start();
        match self.peek() {
            Token::Bang => {
                self.bump();
                self.expr(UNARY_POWER, mode)?;
                Ok(self.finish(mark, Node::UnaryExpr))
            }
            Token::Minus => {
                self.bump();
                self.expr(POSTFIX_POWER, mode)?;
                // `as` and a minus do not go on with an expression from the next line.
                let goes_on = |kind| kind != Node::AsExpr && !self.is(Token::Minus);
                if let Some((power, kind)) = power(self.peek(), self.word(0))
                    && power >= 13
                    && (!self.newline() || goes_on(kind))
                {
                    let reported = self.errors.len();
                    let operand = self.text_span(mark.at, self.at - 1);
                    let (before, behind) = (operand.start, operand.end);
                    let refused = self.refuse(
                        Code::AmbiguousMinus,
                        "a minus before a binary operator is ambiguous".into(),
                        Some(match kind {
                            Node::AsExpr => "write `(-a) as T`",
                            Node::PipeExpr => "write `(-a) |> f`, or `-(a |> f)`",
                            _ => "write `(-a) + b` or `0 - a + b`",
                        }),
                    );
                    let edits = [
                        (Span::new(before, before), "("),
                        (Span::new(behind, behind), ")"),
                    ];
                    self.mend(reported, "Put the negative value in parentheses", &edits);
                    return refused;
                }
                Ok(self.finish(mark, Node::UnaryExpr))
            }
            Token::Caret => {
                self.bump();
                if self.is(Token::LParen) {
                    self.parenthesised(mode)?;
                } else if self.peek().is_label() {
                    self.leaf(Node::NameExpr);
                } else {
                    return self.expected("a name or `(` after `^`");
                }
                if self.is(Token::Dot) || self.here(Token::LParen) {
                    return self.refuse(
                        Code::UnexpectedToken,
                        "what `^` stands before is ambiguous here".into(),
                        Some("write `^(a.b)` for the variant of `a.b`, or `(^a).b`"),
                    );
                }
                Ok(self.finish(mark, Node::UnaryExpr))
            }
            _ => self.primary(mode),
        }
    }

    /// A call or a field access of the expression that started at `mark`.
    fn postfix(&mut self, mark: Mark, mode: Mode) -> Parsed<Option<crate::NodeId>> {
        if self.here(Token::LParen) {
            let paren = self.open(Token::RParen);
            self.comma_separated(paren, Self::argument)?;
            return Ok(Some(self.finish(mark, Node::CallExpr)));
        }
        if self.is(Token::Dot) {
            self.bump();
            let capital = starts_upper(self.word(0));
            self.label("a field")?;
            let field = self.finish(mark, Node::FieldExpr);
            if capital && self.here(Token::LBrace) && (!mode.no_brace || self.is_record_in_head()) {
                return self.record(mark).map(Some);
            }
            return Ok(Some(field));
        }
        if self.here(Token::LBracket) {
            let by_text = self.nth(1) == Token::Quote;
            return self.refuse(
                Code::UnexpectedToken,
                "there is no index form".into(),
                Some(match by_text {
                    true => "write `map_get(map, key)`",
                    false => "write `get(list, index)`, or `map_get(map, key)`",
                }),
            );
        }
        Ok(None)
    }

    fn infix(&mut self, mark: Mark, minimum: u8, mode: Mode) -> Parsed<Option<crate::NodeId>> {
        let token = self.peek();
        if self.here(Token::Question) {
            return self.refuse(
                Code::UnexpectedToken,
                "there is no `?` behind a value".into(),
                Some(
                    "write `if … { … } else { … }` to choose, or `… ?? …` where the value may be \
                     absent",
                ),
            );
        }
        let Some((power, kind)) = power(token, self.word(0)) else {
            return Ok(None);
        };
        if power <= minimum {
            return Ok(None);
        }
        if kind == Node::AsExpr && self.newline() {
            return Ok(None);
        }
        if token == Token::Minus && self.newline() {
            let reported = self.errors.len();
            let behind = self.text_span(self.at - 1, self.at - 1).end;
            let minus = self.text_span(self.at, self.at);
            let next = self.text_span(self.at + 1, self.at + 1).start;
            let refused = self.refuse(
                Code::AmbiguousMinus,
                "a minus at the start of a line is ambiguous".into(),
                Some(match self.nth(2) == Token::FatArrow {
                    true => "end the arm before it with a comma",
                    false => {
                        "end the line before it with `-`, or write `(-x)` for a negative value"
                    }
                }),
            );
            if self.nth(2) == Token::FatArrow {
                self.mend(
                    reported,
                    "End the arm before with a comma",
                    &[(Span::new(behind, behind), ",")],
                );
                return refused;
            }
            let edits = [
                (Span::new(behind, behind), " -"),
                (Span::new(minus.start, next.max(minus.end)), ""),
            ];
            self.mend(reported, "End the line before with the minus", &edits);
            return refused;
        }
        let doubled = token == Token::Plus
            && self.nth(1) == Token::Plus
            && self.raw(0).index + 1 == self.raw(1).index;
        if doubled {
            let reported = self.errors.len();
            let signs = self.text_span(self.at, self.at + 1);
            let refused = self.refuse(
                Code::UnexpectedToken,
                "there is no `++`".into(),
                Some("write `+`: it joins texts, and lists"),
            );
            self.mend(reported, "Write `+`", &[(signs, "+")]);
            return refused;
        }
        if matches!(
            token,
            Token::Plus | Token::Minus | Token::Star | Token::Slash
        ) && self.nth(1) == Token::Equals
            && self.raw(0).index + 1 == self.raw(1).index
        {
            let message = format!("there is no `{}=`: nothing is assigned", self.word(0));
            return self.refuse(
                Code::UnexpectedToken,
                message,
                Some(
                    "give the new value a name of its own with `let`; what a loop gathers is a \
                     `fold` or a `sum`",
                ),
            );
        }
        self.bump();
        if token == Token::DotDot {
            self.expr(power, mode)?;
            if self.is(Token::DotDot) {
                return self.refuse(
                    Code::UnexpectedToken,
                    "a range has two ends".into(),
                    Some("write parentheses: `(a..b)`"),
                );
            }
            return Ok(Some(self.finish(mark, kind)));
        }
        match kind {
            Node::AsExpr => {
                self.type_expression()?;
            }
            Node::PipeExpr => {
                self.pipe_target()?;
            }
            _ => {
                self.expr(power, mode)?;
            }
        }
        Ok(Some(self.finish(mark, kind)))
    }

    /// The right side of a pipe: a name, called or not, or a dotted name that is
    /// called. In `x |> m.field` the field is one of `m(x)`.
    fn pipe_target(&mut self) -> Parsed {
        let mark = self.start();
        if !self.peek().is_label() {
            return self.expected("the name of a function after `|>`");
        }
        let dotted = self.is_called_path();
        self.leaf(Node::NameExpr);
        while dotted && self.here(Token::Dot) {
            self.bump();
            self.label("a name after the dot")?;
            self.finish(mark, Node::FieldExpr);
        }
        if self.here(Token::LParen) {
            let paren = self.open(Token::RParen);
            self.comma_separated(paren, Self::argument)?;
            return Ok(self.finish(mark, Node::CallExpr));
        }
        if self.is(Token::LParen) {
            return self.refuse(
                Code::AmbiguousBracket,
                "a `(` on the line below a piped name is ambiguous".into(),
                Some("put it on the name's line, or end the pipe with `()`"),
            );
        }
        // The name alone is pending already.
        Ok(self.pending[mark.pending])
    }

    /// Whether the dotted name at hand is called.
    fn is_called_path(&self) -> bool {
        let mut ahead = 1;
        while self.raw(ahead).kind == Token::Dot && !self.raw(ahead).newline {
            ahead += 2;
        }
        self.raw(ahead).kind == Token::LParen && !self.raw(ahead).newline
    }

    pub(super) fn argument(&mut self) -> Parsed {
        let mark = self.start();
        if self.peek().is_label() && self.nth(1) == Token::Colon {
            self.label("a label")?;
            self.bump();
            self.same_line("a named argument's value", "`:`")?;
        } else if self.peek().is_label() && self.nth(1) == Token::Equals && !self.raw(1).newline {
            return self.refuse_equals("a named argument's value");
        }
        self.expression()?;
        Ok(self.finish(mark, Node::Arg))
    }

    fn primary(&mut self, mode: Mode) -> Parsed {
        let mark = self.start();
        match self.peek() {
            Token::Int => {
                self.no_status_class()?;
                Ok(self.leaf(Node::IntExpr))
            }
            Token::Float => Ok(self.leaf(Node::FloatExpr)),
            Token::KwTrue | Token::KwFalse => Ok(self.leaf(Node::BoolExpr)),
            Token::KwNone | Token::KwNull => Ok(self.leaf(Node::NoneExpr)),
            Token::Quote => self.string(),
            Token::LBracket => {
                let bracket = self.open(Token::RBracket);
                self.separated(bracket, "the element", Self::expression)?;
                Ok(self.finish(mark, Node::ListExpr))
            }
            Token::LParen => self.parenthesised(mode),
            Token::LBrace => self.brace(),
            Token::KwMatch => self.match_expression(),
            Token::KwIf => self.if_expression(),
            Token::KwFn => self.fn_lambda(),
            Token::KwFor => self.for_expression(),
            Token::KwLet | Token::KwReturn | Token::KwElse => self.expected("an expression"),
            kind if kind.is_label() => self.name_expression(mode),
            _ => self.expected("an expression"),
        }
    }

    fn name_expression(&mut self, mode: Mode) -> Parsed {
        let mark = self.start();
        if self.nth(1) == Token::FatArrow && !mode.no_arrow {
            self.leaf(Node::Name);
            return self.lambda_rest(mark);
        }
        let capital = starts_upper(self.word(0));
        let name = self.leaf(Node::NameExpr);
        if capital && self.here(Token::LBrace) && (!mode.no_brace || self.is_record_in_head()) {
            return self.record(mark);
        }
        Ok(name)
    }

    /// In the head of a `match` or `if`: whether the brace at hand closes before
    /// another one opens the body, so that it belongs to a record.
    fn is_record_in_head(&self) -> bool {
        let mut open = 0usize;
        let mut ahead = 0;
        loop {
            match self.raw(ahead).kind {
                Token::LBrace | Token::HoleStart => open += 1,
                Token::RBrace | Token::HoleEnd => {
                    open -= 1;
                    if open == 0 {
                        return self.raw(ahead + 1).kind == Token::LBrace;
                    }
                }
                Token::End => return false,
                _ => {}
            }
            ahead += 1;
        }
    }

    fn record(&mut self, mark: Mark) -> Parsed {
        let brace = self.open(Token::RBrace);
        self.separated(brace, "the field", Self::init)?;
        Ok(self.finish(mark, Node::RecordExpr))
    }

    /// A brace where a value is expected. It opens a record without a name or a
    /// map if `name:` or `"key":` follows, and else a block; `{}` is empty.
    fn brace(&mut self) -> Parsed {
        let literal = match self.raw(1).kind {
            Token::RBrace => true,
            Token::Quote => self.is_key(1),
            kind => kind.is_label() && self.raw(2).kind == Token::Colon,
        };
        if !literal {
            return self.block();
        }
        let mark = self.start();
        let brace = self.open(Token::RBrace);
        self.separated(brace, "the entry", |p| {
            if !p.is(Token::Quote) {
                return p.init();
            }
            let entry = p.start();
            let key = p.start();
            p.bump();
            p.take(Token::Text);
            if p.is(Token::HoleStart) {
                return p.refuse(
                    Code::UnexpectedToken,
                    "a key in a map is a string without holes".into(),
                    Some("write `map_insert(map, key, value)`"),
                );
            }
            p.expect(Token::EndQuote)?;
            p.finish(key, Node::StrExpr);
            p.colon("the key's value")?;
            p.same_line("a key's value", "`:`")?;
            p.expression()?;
            Ok(p.finish(entry, Node::MapEntry))
        })?;
        Ok(self.finish(mark, Node::BraceExpr))
    }

    /// Whether a string is ahead that a colon follows.
    fn is_key(&self, mut ahead: usize) -> bool {
        let mut open = 0usize;
        loop {
            match self.raw(ahead).kind {
                Token::Quote => open += 1,
                Token::EndQuote if open == 1 => {
                    return self.raw(ahead + 1).kind == Token::Colon;
                }
                Token::EndQuote => open -= 1,
                Token::End => return false,
                _ => {}
            }
            ahead += 1;
        }
    }

    /// `name: value`, `name`, or a value without a name.
    fn init(&mut self) -> Parsed {
        let init = self.start();
        if self.is(Token::DotDot) {
            return self.refuse(
                Code::UnexpectedToken,
                "there is no update form of a record".into(),
                Some("write every field, so that a new field is decided here too"),
            );
        }
        let labelled = self.peek().is_label();
        if labelled && self.nth(1) == Token::Colon {
            self.label("a field")?;
            self.bump();
            self.same_line("a field's value", "`:`")?;
            self.expression()?;
            return Ok(self.finish(init, Node::Init));
        }
        if labelled && self.nth(1) == Token::Equals && !self.raw(1).newline {
            return self.refuse_equals("a field's value");
        }
        let pun = labelled
            && !starts_upper(self.word(0))
            && (matches!(self.nth(1), Token::Comma | Token::RBrace) || self.raw(1).newline);
        if pun {
            self.label("a field")?;
            return Ok(self.finish(init, Node::Init));
        }
        if self.is(Token::Quote) && self.is_key(0) {
            return self.refuse(
                Code::UnexpectedToken,
                "a record's fields are names, not strings".into(),
                Some("write `name: value`; a map is written without a name before its brace"),
            );
        }
        self.expression()?;
        Ok(self.finish(init, Node::PositionalInit))
    }

    /// `name = value` where `name: value` is meant.
    fn refuse_equals<T>(&mut self, what: &str) -> Parsed<T> {
        let cure = format!("write `{}: …`", self.word(0));
        let name = self.text_span(self.at, self.at);
        self.bump();
        let sign = self.text_span(self.at, self.at);
        let reported = self.errors.len();
        let message = format!("{what} stands behind `:`, not behind `=`");
        let refused = self.refuse(Code::UnexpectedToken, message, Some(&cure));
        let edits = [(Span::new(name.end, sign.end), ":")];
        self.mend(reported, "Write `:`", &edits);
        refused
    }

    fn parenthesised(&mut self, mode: Mode) -> Parsed {
        let mark = self.start();
        if self.raw(1).kind == Token::RParen {
            self.bump();
            self.bump();
            if !mode.no_arrow && self.is(Token::FatArrow) {
                return self.refuse(
                    Code::UnexpectedToken,
                    "a lambda without parameters is written with `fn`".into(),
                    Some("write `fn() { … }`"),
                );
            }
            return Ok(self.finish(mark, Node::UnitExpr));
        }
        if !mode.no_arrow
            && let Some(names) = self.lambda_params_ahead()
        {
            if names == 1 {
                return self.refuse(
                    Code::UnexpectedToken,
                    "a lambda of one parameter has no parentheses".into(),
                    Some("write `x => …`"),
                );
            }
            let paren = self.open(Token::RParen);
            self.comma_separated(paren, |p| p.label("a parameter"))?;
            return self.lambda_rest(mark);
        }
        let paren = self.open(Token::RParen);
        self.expression()?;
        if !self.take(Token::RParen) {
            return self.unclosed(paren);
        }
        Ok(self.finish(mark, Node::ParenExpr))
    }

    /// If `(a, b) =>` is ahead, how many names it has.
    fn lambda_params_ahead(&self) -> Option<usize> {
        let mut ahead = 1;
        let mut names = 0;
        loop {
            if !self.raw(ahead).kind.is_label() {
                return None;
            }
            names += 1;
            ahead += 1;
            match self.raw(ahead).kind {
                Token::Comma => ahead += 1,
                Token::RParen => {}
                _ => return None,
            }
            if self.raw(ahead).kind == Token::RParen {
                return (self.raw(ahead + 1).kind == Token::FatArrow).then_some(names);
            }
        }
    }

    fn lambda_rest(&mut self, mark: Mark) -> Parsed {
        self.expect(Token::FatArrow)?;
        if matches!(self.peek(), Token::KwLet | Token::KwReturn) {
            self.open_statements(|p| {
                matches!(
                    p.peek(),
                    Token::RParen | Token::RBrace | Token::RBracket | Token::Comma | Token::HoleEnd
                )
            })?;
        } else {
            self.expression()?;
        }
        Ok(self.finish(mark, Node::LambdaExpr))
    }

    /// `fn(a, b) { … }`
    fn fn_lambda(&mut self) -> Parsed {
        let mark = self.start();
        self.bump();
        let paren = self.opened(Token::LParen, Token::RParen)?;
        self.comma_separated(paren, |p| p.label("a parameter"))?;
        if !self.is(Token::LBrace) {
            return self.expected("`{` and the body of the lambda");
        }
        self.block()?;
        Ok(self.finish(mark, Node::LambdaExpr))
    }

    pub(super) fn string(&mut self) -> Parsed {
        let mark = self.start();
        self.bump();
        loop {
            match self.raw(0).kind {
                Token::Text => self.bump(),
                Token::EndQuote => {
                    self.bump();
                    return Ok(self.finish(mark, Node::StrExpr));
                }
                Token::HoleStart => {
                    self.bump();
                    self.expression()?;
                    if !self.is(Token::HoleEnd) {
                        let found = self.peek().describe();
                        return self.refuse(
                            Code::UnexpectedToken,
                            format!(
                                "expected `}}` after the expression in the string, found {found}"
                            ),
                            Some("write `\\{` for a brace that opens no hole"),
                        );
                    }
                    self.bump();
                }
                _ => return self.expected("the end of the string"),
            }
        }
    }

    fn match_expression(&mut self) -> Parsed {
        let mark = self.start();
        self.bump();
        self.expr(
            0,
            Mode {
                no_brace: true,
                no_arrow: false,
            },
        )?;
        let brace = self.opened(Token::LBrace, Token::RBrace)?;
        self.separated(brace, "the arm", Self::arm)?;
        Ok(self.finish(mark, Node::MatchExpr))
    }

    fn arm(&mut self) -> Parsed {
        let mark = self.start();
        self.pattern()?;
        if self.is(Token::KwIf) {
            let guard = self.start();
            self.bump();
            self.expr(
                0,
                Mode {
                    no_brace: false,
                    no_arrow: true,
                },
            )?;
            self.finish(guard, Node::Guard);
        }
        if self.is(Token::Or) {
            return self.refuse(
                Code::UnexpectedToken,
                "an arm has one pattern".into(),
                Some("write an arm for each"),
            );
        }
        if self.is(Token::Arrow) {
            let reported = self.errors.len();
            let sign = self.text_span(self.at, self.at);
            let refused = self.refuse(
                Code::UnexpectedToken,
                "expected `=>`, found `->`".into(),
                Some("write `=>` between an arm's pattern and its value"),
            );
            self.mend(reported, "Write `=>`", &[(sign, "=>")]);
            return refused;
        }
        self.expect(Token::FatArrow)?;
        if matches!(self.peek(), Token::KwLet | Token::KwReturn) {
            self.open_statements(|p| {
                matches!(p.peek(), Token::RBrace | Token::Comma)
                    || (p.newline() && p.looks_like_arm())
            })?;
        } else {
            self.expression()?;
        }
        Ok(self.finish(mark, Node::Arm))
    }

    fn if_expression(&mut self) -> Parsed {
        self.deeper(|p| {
            let mark = p.start();
            p.bump();
            p.expr(
                0,
                Mode {
                    no_brace: true,
                    no_arrow: false,
                },
            )?;
            if !p.is(Token::LBrace) {
                return p.expected("`{` and what holds then");
            }
            p.block()?;
            if p.take(Token::KwElse) {
                match p.peek() {
                    Token::KwIf => p.if_expression()?,
                    Token::LBrace => p.block()?,
                    _ => return p.expected("`if` or `{` after `else`"),
                };
            }
            Ok(p.finish(mark, Node::IfExpr))
        })
    }

    /// `for x in xs { … }`
    fn for_expression(&mut self) -> Parsed {
        let mark = self.start();
        self.bump();
        self.label("the name of an item after `for`")?;
        if !self.take(Token::KwIn) {
            return self.expected("`in` and the list");
        }
        self.expr(
            0,
            Mode {
                no_brace: true,
                no_arrow: false,
            },
        )?;
        if !self.is(Token::LBrace) {
            return self.expected("`{` and what is done with each item");
        }
        self.block()?;
        Ok(self.finish(mark, Node::ForExpr))
    }

    pub(super) fn block(&mut self) -> Parsed {
        let mark = self.start();
        let brace = self.open(Token::RBrace);
        self.deeper(|p| {
            let mut sound = true;
            while !p.is(Token::RBrace) {
                // Statements start with `let` too, so only these end a block.
                if matches!(
                    p.peek(),
                    Token::End | Token::RParen | Token::RBracket | Token::HoleEnd
                ) {
                    return p.unclosed(brace);
                }
                let statement = p.start();
                let parsed = p.statement().and_then(|_| {
                    if p.is(Token::RBrace) || p.newline() || p.is(Token::End) {
                        p.no_bracket_below(statement)
                    } else {
                        p.expected("a new line or `}` after the statement")
                    }
                });
                if parsed.is_err() {
                    if !p.resume(statement, Token::RBrace) {
                        return parsed;
                    }
                    sound = false;
                }
            }
            if sound { Ok(()) } else { Err(GivenUp) }
        })?;
        self.bump();
        Ok(self.finish(mark, Node::BlockExpr))
    }

    /// Statements without braces, where a `let` or `return` opens a body.
    fn open_statements(&mut self, ends: impl Fn(&mut Self) -> bool) -> Parsed {
        let mark = self.start();
        self.deeper(|p| {
            loop {
                let statement = p.start();
                p.statement()?;
                if ends(p) {
                    return Ok(());
                }
                if !p.newline() || p.is(Token::End) {
                    return p.expected("a new line after the statement");
                }
                p.no_bracket_below(statement)?;
            }
        })?;
        Ok(self.finish(mark, Node::BlockExpr))
    }

    /// Refuses a bracket that could be the rest of the statement on the line above. Of
    /// one that uses its value, `let` for instance, only an indented one could.
    fn no_bracket_below(&mut self, statement: Mark) -> Parsed<()> {
        let (what, why, cure) = match self.peek() {
            // Nobody calls what a line gives with nothing from the next one.
            Token::LParen if self.nth(1) != Token::RParen => (
                "(",
                "it could start a statement, or be a call of what stands above",
                "put it on the line above if it belongs to it; else name its value with `let`",
            ),
            Token::LBracket => (
                "[",
                "it could start a list, or be meant as an index of what stands above",
                "name the list with `let`; for an index write `get(list, index)`",
            ),
            _ => return Ok(()),
        };
        let Some(mut last) = self.pending.last().copied() else {
            return Ok(());
        };
        let kind = self.nodes[last.0 as usize].kind;
        let used = matches!(kind, Node::Let | Node::Step | Node::Return);
        if used && self.column(self.at) <= self.column(statement.at) {
            return Ok(());
        }
        // What stands before a bracket is the last operand.
        loop {
            let node = &self.nodes[last.0 as usize];
            let start = node.children_start as usize;
            let children = &self.children[start..start + node.children_len as usize];
            last = match (node.kind, children.last()) {
                (
                    Node::Let
                    | Node::Step
                    | Node::Return
                    | Node::BinaryExpr
                    | Node::UnaryExpr
                    | Node::LambdaExpr,
                    Some(operand),
                ) => *operand,
                (
                    Node::NameExpr
                    | Node::FieldExpr
                    | Node::CallExpr
                    | Node::PipeExpr
                    | Node::ParenExpr
                    | Node::ListExpr,
                    _,
                ) => break,
                _ => return Ok(()),
            };
        }
        let reported = self.errors.len();
        let refused = self.refuse(
            Code::AmbiguousBracket,
            format!("a `{what}` on the line below a value is ambiguous"),
            Some(cure),
        );
        if let Some(error) = self.errors.get_mut(reported) {
            error.notes.push(why.to_owned());
        }
        // Either way, mistakes within are mistakes.
        match self.peek() {
            Token::LParen => {
                let paren = self.open(Token::RParen);
                self.comma_separated(paren, Self::argument)?;
            }
            _ => {
                let bracket = self.open(Token::RBracket);
                self.separated(bracket, "the element", Self::expression)?;
            }
        }
        refused
    }

    fn statement(&mut self) -> Parsed {
        let mark = self.start();
        match self.peek() {
            Token::KwLet => {
                self.bump();
                self.declared_name("the name that `let` binds")?;
                if self.take(Token::Colon) {
                    self.type_expression()?;
                }
                self.expect(Token::Equals)?;
                self.expression()?;
                Ok(self.finish(mark, Node::Let))
            }
            Token::KwReturn => {
                self.bump();
                self.expression()?;
                Ok(self.finish(mark, Node::Return))
            }
            _ if self.starts_step() => self.step(),
            kind if kind.is_label() && self.nth(1) == Token::Colon => self.refuse(
                Code::UnexpectedToken,
                "these braces are a block, which has no fields".into(),
                Some("write `=` before the braces of a record that a function gives"),
            ),
            _ => self.expression(),
        }
    }
}
