//! From the tree to a document.

use super::LINE_WIDTH;
use super::doc::{Doc, Docs};
use crate::kind::{Node, Token};
use crate::tree::{NodeId, Tree};
use rustc_hash::FxHashMap;

/// The text of an item.
pub(super) fn item(tree: &Tree, item: NodeId) -> String {
    let mut builder = Builder {
        tree,
        docs: Docs::default(),
        built: FxHashMap::default(),
    };
    let doc = builder.node(item);
    builder.docs.print(doc, LINE_WIDTH)
}

pub(super) struct Builder<'a> {
    pub(super) tree: &'a Tree,
    pub(super) docs: Docs,
    /// Nodes that have a document: a layout may be tried and given up, and its parts
    /// are not built once more for each level that they lie in.
    built: FxHashMap<NodeId, Doc>,
}

impl Builder<'_> {
    pub(super) fn text(&mut self, text: &str) -> Doc {
        self.docs.text(text)
    }

    pub(super) fn concat(&mut self, docs: Vec<Doc>) -> Doc {
        self.docs.concat(docs)
    }

    /// A leaf as it is written, without blanks around dots.
    fn leaf(&mut self, node: NodeId) -> Doc {
        let text: String = self
            .tree
            .token_range(node)
            .filter(|i| !self.tree.tokens().kind(*i).is_trivia())
            .map(|i| self.tree.token_text(i))
            .collect();
        self.docs.text(text)
    }

    pub(super) fn children(&self, node: NodeId) -> Vec<NodeId> {
        self.tree.children(node).to_vec()
    }

    /// Whether a line ends between two token indices.
    pub(super) fn newline_between(&self, from: usize, to: usize) -> bool {
        (from..to).any(|i| self.tree.tokens().kind(i) == Token::Newline)
    }

    /// How many lines end between the end of a node and the start of another.
    pub(super) fn newlines(&self, before: NodeId, after: NodeId) -> usize {
        let (from, to) = (
            self.tree.token_range(before).end,
            self.tree.token_range(after).start,
        );
        (from..to)
            .filter(|i| self.tree.tokens().kind(*i) == Token::Newline)
            .count()
    }

    pub(super) fn node(&mut self, node: NodeId) -> Doc {
        if let Some(built) = self.built.get(&node) {
            return *built;
        }
        let doc = self.build(node);
        self.built.insert(node, doc);
        doc
    }

    fn build(&mut self, node: NodeId) -> Doc {
        match self.tree.kind(node) {
            Node::ModuleLine => self.prefixed("module ", node),
            Node::Import => self.import(node),
            Node::AliasDecl => {
                let docs = vec![self.text("alias "), self.joined(node, " = ")];
                self.concat(docs)
            }
            Node::TypeDecl => self.type_declaration(node),
            Node::FnDecl => self.function(node),
            Node::DataDecl => self.data(node),
            Node::StrExpr | Node::StrPattern => self.string(node),
            Node::ParenExpr => self.wrapped("(", node, ")"),
            Node::ListExpr => self.separated("[", &self.children(node), "]", node, false),
            Node::RecordExpr => self.record(node),
            Node::BraceExpr | Node::RecordPattern | Node::TypeRecord => {
                self.separated("{", &self.children(node), "}", node, false)
            }
            Node::MapEntry => self.joined(node, ": "),
            Node::ForExpr => self.for_expression(node),
            Node::AdmitCallers => self.prefixed("admit_callers: ", node),
            Node::Default => self.prefixed("= ", node),
            Node::Init | Node::FieldPattern | Node::FieldDecl | Node::Param => self.labelled(node),
            Node::CallExpr => self.call(node),
            Node::Arg | Node::PredicateArg => self.labelled(node),
            Node::FieldExpr => self.field(node),
            Node::PipeExpr | Node::BinaryExpr => self.binary(node),
            Node::UnaryExpr => self.unary(node),
            Node::AsExpr => self.joined(node, " as "),
            Node::MatchExpr => self.match_expression(node),
            Node::Arm => self.arm(node),
            Node::Guard => self.prefixed("if ", node),
            Node::IfExpr => self.if_expression(node),
            Node::BlockExpr => self.block(node),
            Node::Let => self.let_statement(node),
            Node::Return => self.prefixed("return ", node),
            Node::LambdaExpr => self.lambda(node),
            Node::CtorPattern => self.ctor_pattern(node),
            Node::PositionalPattern => self.positional_pattern(node),
            Node::TypePath => self.type_path(node),
            Node::TypeFn => self.type_fn(node),
            Node::TypeOptional => self.suffixed(node, "?"),
            Node::Where => self.where_clause(node),
            Node::Predicate => self.predicate(node),
            Node::PositionalInit => self.only(node),
            Node::ServiceDecl
            | Node::ConfigBlock
            | Node::Entry
            | Node::Transport
            | Node::Operation
            | Node::Inputs
            | Node::Outputs
            | Node::ExitTable
            | Node::ResponseTable
            | Node::MockTable
            | Node::StatusRow
            | Node::FuncDecl
            | Node::Uses
            | Node::Use
            | Node::ResourceDecl
            | Node::Capability
            | Node::Step => self.effect(node),
            Node::Source => self.prefixed("from ", node),
            _ => self.leaf(node),
        }
    }

    /// The node's children one after the other.
    fn only(&mut self, node: NodeId) -> Doc {
        let docs = self
            .children(node)
            .into_iter()
            .map(|c| self.node(c))
            .collect();
        self.concat(docs)
    }

    pub(super) fn prefixed(&mut self, prefix: &str, node: NodeId) -> Doc {
        let docs = vec![self.text(prefix), self.only(node)];
        self.concat(docs)
    }

    fn suffixed(&mut self, node: NodeId, suffix: &str) -> Doc {
        let docs = vec![self.only(node), self.text(suffix)];
        self.concat(docs)
    }

    fn wrapped(&mut self, open: &str, node: NodeId, close: &str) -> Doc {
        let docs = vec![self.text(open), self.only(node), self.text(close)];
        self.concat(docs)
    }

    pub(super) fn joined(&mut self, node: NodeId, between: &str) -> Doc {
        let mut docs = Vec::new();
        for (index, child) in self.children(node).into_iter().enumerate() {
            if index > 0 {
                docs.push(self.text(between));
            }
            docs.push(self.node(child));
        }
        self.concat(docs)
    }

    /// Elements between braces or brackets. On one line if the author has them
    /// there and they fit; else each line as the author has it. `commas`: they
    /// are part of the grammar here, not instead of new lines.
    pub(super) fn separated(
        &mut self,
        open: &str,
        elements: &[NodeId],
        close: &str,
        container: NodeId,
        commas: bool,
    ) -> Doc {
        let Some((first, rest)) = elements.split_first() else {
            return self.text(&format!("{open}{close}"));
        };
        let braces = open.ends_with('{');
        let first_start = self.tree.token_range(*first).start;
        let open_token = (self.tree.token_range(container).start..first_start)
            .rev()
            .find(|i| !self.tree.tokens().kind(*i).is_trivia())
            .unwrap_or(first_start);
        let broken = self.newline_between(open_token, first_start);
        if rest.is_empty() && !broken && !commas {
            let only = self.node(*first);
            if !self.docs.can_be_flat(only) {
                // One element that has lines of its own keeps the author's braces.
                let space = if braces { " " } else { "" };
                let docs = vec![self.text(&format!("{open}{space}")), only];
                let end = self.text(&format!("{space}{close}"));
                let inner = self.concat(docs);
                return self.concat(vec![inner, end]);
            }
        }
        let mut inner = Vec::new();
        let mut previous = *first;
        inner.push(self.node(*first));
        for element in rest {
            let newlines = self.newlines(previous, *element);
            // A minus on a new line would continue the element before it.
            let comma = commas || self.starts_with_minus(*element);
            if broken && newlines > 0 {
                if comma {
                    inner.push(self.text(","));
                }
                inner.push(self.docs.hard_line(newlines > 1));
            } else if broken {
                inner.push(self.text(", "));
            } else {
                let separator = if comma {
                    self.text(",")
                } else {
                    self.docs.either(",", "")
                };
                inner.push(separator);
                inner.push(self.docs.line());
            }
            inner.push(self.node(*element));
            previous = *element;
        }
        let edge = |b: &mut Self| {
            if broken {
                b.docs.hard_line(false)
            } else if braces {
                b.docs.line()
            } else {
                b.docs.soft_line()
            }
        };
        let start = edge(self);
        let inner = self.concat(inner);
        let inner = self.concat(vec![start, inner]);
        let inner = self.docs.indent(inner);
        let trailing = if commas {
            self.docs.either("", ",")
        } else {
            self.text("")
        };
        let end = edge(self);
        let docs = vec![self.text(open), inner, trailing, end, self.text(close)];
        let doc = self.concat(docs);
        self.docs.group(doc)
    }

    fn starts_with_minus(&self, node: NodeId) -> bool {
        self.tree.tokens().kind(self.tree.token_range(node).start) == Token::Minus
    }

    // Items.

    fn import(&mut self, node: NodeId) -> Doc {
        let mut docs = vec![self.text("import ")];
        for child in self.children(node) {
            if self.tree.kind(child) == Node::ImportList {
                docs.push(self.text(" "));
                docs.push(self.import_list(child));
            } else {
                docs.push(self.node(child));
            }
        }
        self.concat(docs)
    }

    /// The author's lines, or as few as the names fit in.
    fn import_list(&mut self, node: NodeId) -> Doc {
        let names = self.children(node);
        let listed = self.separated("{", &names, "}", node, false);
        let broken = !self.docs.can_be_flat(listed);
        let import = self.tree.text(node).chars().count();
        if broken || self.column_of(node) + import <= LINE_WIDTH {
            return listed;
        }
        let names = names.into_iter().map(|n| self.node(n)).collect();
        let names = self.docs.fill(names, ", ");
        let line = self.docs.hard_line(false);
        let inner = self.concat(vec![line, names]);
        let inner = self.docs.indent(inner);
        let end = self.docs.hard_line(false);
        let docs = vec![self.text("{"), inner, end, self.text("}")];
        self.concat(docs)
    }

    /// Where an import's list will start: behind `import` and the module's name.
    fn column_of(&self, list: NodeId) -> usize {
        let start = self.tree.token_range(list).start;
        (0..start)
            .rev()
            .take_while(|i| self.tree.tokens().kind(*i) != Token::KwImport)
            .filter(|i| !self.tree.tokens().kind(*i).is_trivia())
            .map(|i| self.tree.token_text(i).chars().count())
            .sum::<usize>()
            + "import  ".len()
    }

    fn type_declaration(&mut self, node: NodeId) -> Doc {
        let mut docs = vec![self.text("type ")];
        for child in self.children(node) {
            match self.tree.kind(child) {
                Node::Name => {
                    docs.push(self.node(child));
                }
                Node::TypeParams => docs.push(self.type_params(child)),
                kind => {
                    docs.extend(self.modifiers(node));
                    docs.push(match kind {
                        Node::RecordBody => {
                            let space = self.text(" ");
                            let body =
                                self.separated("{", &self.children(child), "}", child, false);
                            self.concat(vec![space, body])
                        }
                        Node::CoproductBody => self.coproduct(child),
                        _ => {
                            let docs = vec![self.text(" = "), self.joined(child, " ")];
                            self.concat(docs)
                        }
                    });
                    return self.concat(docs);
                }
            }
        }
        docs.extend(self.modifiers(node));
        self.concat(docs)
    }

    /// `observed`, `sole_constructor`
    fn modifiers(&mut self, node: NodeId) -> Vec<Doc> {
        let words: Vec<String> = self
            .tree
            .own_tokens(node)
            .filter(|(kind, _)| *kind == Token::Name)
            .map(|(_, i)| format!(" {}", self.tree.token_text(i)))
            .collect();
        words.into_iter().map(|w| self.text(&w)).collect()
    }

    fn type_params(&mut self, node: NodeId) -> Doc {
        let mut docs = vec![self.text("<")];
        for (index, child) in self.children(node).into_iter().enumerate() {
            if self.tree.kind(child) == Node::Kind {
                docs.push(self.text(": "));
            } else if index > 0 {
                docs.push(self.text(", "));
            }
            docs.push(self.node(child));
        }
        docs.push(self.text(">"));
        self.concat(docs)
    }

    /// Variants: on one line if the author has them so, else one a line.
    fn coproduct(&mut self, node: NodeId) -> Doc {
        let variants = self.children(node);
        let leading = self.tree.own_tokens(node).next().is_some_and(|(_, at)| {
            variants
                .first()
                .is_some_and(|v| at < self.tree.token_range(*v).start)
        });
        let broken = variants
            .iter()
            .any(|v| self.starts_line(self.tree.token_range(*v).start));
        let mut docs = Vec::new();
        for (index, variant) in variants.into_iter().enumerate() {
            let line = if broken {
                self.docs.hard_line(false)
            } else {
                self.docs.line()
            };
            docs.push(line);
            let sign = match (index, leading) {
                (0, false) => "= ",
                (0, true) => "= | ",
                _ => "| ",
            };
            docs.push(self.text(sign));
            docs.push(self.variant(variant));
        }
        let doc = self.concat(docs);
        let doc = self.docs.indent(doc);
        self.docs.group(doc)
    }

    /// Whether a line ends before a variant, or before the signs before it.
    pub(super) fn starts_line(&self, variant: usize) -> bool {
        (0..variant)
            .rev()
            .map(|i| self.tree.tokens().kind(i))
            .take_while(|kind| kind.is_trivia() || matches!(kind, Token::Or | Token::Equals))
            .any(|kind| kind == Token::Newline)
    }

    fn variant(&mut self, node: NodeId) -> Doc {
        let mut docs = Vec::new();
        for child in self.children(node) {
            match self.tree.kind(child) {
                Node::RecordBody => {
                    docs.push(self.text(" "));
                    docs.push(self.separated("{", &self.children(child), "}", child, false));
                }
                Node::Name => docs.push(self.node(child)),
                _ => {
                    docs.push(self.text("("));
                    docs.push(self.node(child));
                    docs.push(self.text(")"));
                }
            }
        }
        self.concat(docs)
    }

    fn function(&mut self, node: NodeId) -> Doc {
        let test = self.tree.has_word(node, "test");
        let mut docs = vec![self.text(if test { "test fn " } else { "fn " })];
        let equals = self
            .tree
            .own_tokens(node)
            .any(|(kind, _)| kind == Token::Equals);
        for child in self.children(node) {
            match self.tree.kind(child) {
                Node::TypeParams => docs.push(self.type_params(child)),
                Node::Params => {
                    docs.push(self.separated("(", &self.children(child), ")", child, true));
                    docs.push(self.text(" -> "));
                }
                Node::AdmitCallers => {
                    docs.push(self.text(" "));
                    docs.push(self.node(child));
                }
                kind if kind.is_expr() && equals => docs.push(self.after_sign(" =", child, node)),
                kind if kind.is_expr() => {
                    docs.push(self.text(" "));
                    docs.push(self.node(child));
                }
                _ => docs.push(self.node(child)),
            }
        }
        self.concat(docs)
    }

    /// An expression behind a sign: on its line, or indented on the next where
    /// the author has it there.
    pub(super) fn after_sign(&mut self, sign: &str, expr: NodeId, container: NodeId) -> Doc {
        let start = self.tree.token_range(expr).start;
        let before = (self.tree.token_range(container).start..start)
            .rev()
            .find(|i| !self.tree.tokens().kind(*i).is_trivia())
            .unwrap_or(start);
        let inner = self.node(expr);
        if self.newline_between(before, start) {
            let line = self.docs.hard_line(false);
            let inner = self.concat(vec![line, inner]);
            let docs = vec![self.text(sign), self.docs.indent(inner)];
            return self.concat(docs);
        }
        let docs = vec![self.text(sign), self.text(" "), inner];
        self.concat(docs)
    }

    fn data(&mut self, node: NodeId) -> Doc {
        let test = self.tree.has_word(node, "test");
        let mut docs = vec![self.text(if test { "test data " } else { "data " })];
        for child in self.children(node) {
            match self.tree.kind(child) {
                Node::Name => {
                    docs.push(self.node(child));
                    docs.push(self.text(": "));
                }
                kind if kind.is_expr() => {
                    docs.push(self.text(" = "));
                    docs.push(self.node(child));
                }
                _ => docs.push(self.node(child)),
            }
        }
        self.concat(docs)
    }

    /// `name: rest`, with a refinement behind it.
    fn labelled(&mut self, node: NodeId) -> Doc {
        let children = self.children(node);
        let mut docs = Vec::new();
        for (index, child) in children.iter().enumerate() {
            match self.tree.kind(*child) {
                Node::Name if index == 0 && children.len() > 1 => {
                    docs.push(self.node(*child));
                    docs.push(self.text(": "));
                }
                Node::Where | Node::Source | Node::Default => {
                    docs.push(self.text(" "));
                    docs.push(self.node(*child));
                }
                _ => docs.push(self.node(*child)),
            }
        }
        self.concat(docs)
    }

    fn where_clause(&mut self, node: NodeId) -> Doc {
        let docs = vec![self.text("where "), self.joined(node, ", ")];
        self.concat(docs)
    }

    fn predicate(&mut self, node: NodeId) -> Doc {
        let mut docs = Vec::new();
        let parens = self
            .tree
            .own_tokens(node)
            .any(|(kind, _)| kind == Token::LParen);
        for (index, child) in self.children(node).into_iter().enumerate() {
            docs.push(match index {
                0 => self.text(""),
                1 => self.text("("),
                _ => self.text(", "),
            });
            docs.push(self.node(child));
        }
        if parens {
            // A predicate that is given nothing is a mistake of its own, and not the layout's.
            docs.push(self.text(if docs.len() > 2 { ")" } else { "()" }));
        }
        self.concat(docs)
    }

    // Types.

    fn type_path(&mut self, node: NodeId) -> Doc {
        let mut docs = Vec::new();
        let children = self.children(node);
        let count = children.len();
        for (index, child) in children.into_iter().enumerate() {
            docs.push(match index {
                0 => self.text(""),
                1 => self.text("<"),
                _ => self.text(", "),
            });
            docs.push(self.node(child));
        }
        if count > 1 {
            docs.push(self.text(">"));
        }
        self.concat(docs)
    }

    fn type_fn(&mut self, node: NodeId) -> Doc {
        let children = self.children(node);
        let Some((result, params)) = children.split_last() else {
            return self.text("");
        };
        let mut docs = vec![self.text("fn(")];
        for (index, param) in params.iter().enumerate() {
            if index > 0 {
                docs.push(self.text(", "));
            }
            docs.push(self.node(*param));
        }
        docs.push(self.text(") -> "));
        docs.push(self.node(*result));
        self.concat(docs)
    }

    // Expressions.

    /// A string as it is written; the expressions in its holes too, because a
    /// line end there would be one in the text.
    fn string(&mut self, node: NodeId) -> Doc {
        let range = self.tree.token_range(node);
        let text: String = range.map(|i| self.tree.token_text(i)).collect();
        self.docs.text(text)
    }

    fn record(&mut self, node: NodeId) -> Doc {
        let children = self.children(node);
        let Some((head, inits)) = children.split_first() else {
            return self.text("");
        };
        let head = self.node(*head);
        let space = self.text(" ");
        let fields = self.separated("{", inits, "}", node, false);
        self.concat(vec![head, space, fields])
    }

    fn call(&mut self, node: NodeId) -> Doc {
        let children = self.children(node);
        let Some((callee, args)) = children.split_first() else {
            return self.text("");
        };
        let callee = self.node(*callee);
        // One argument that has braces of its own hugs the parentheses.
        let hugs = match args {
            [only] => {
                self.tree.expr_child(*only).is_some_and(|e| {
                    matches!(
                        self.tree.kind(e),
                        Node::RecordExpr
                            | Node::BraceExpr
                            | Node::ListExpr
                            | Node::MatchExpr
                            | Node::StrExpr
                    )
                }) && !self.newline_between(
                    self.tree.token_range(children[0]).end,
                    self.tree.token_range(*only).start,
                )
            }
            _ => false,
        };
        let args = if hugs {
            let docs = vec![self.text("("), self.node(args[0]), self.text(")")];
            self.concat(docs)
        } else {
            self.arguments(node, args)
        };
        self.concat(vec![callee, args])
    }

    /// Arguments on one line as far as they fit. The last one may run over
    /// several lines by itself (a lambda, a record, a list).
    fn arguments(&mut self, node: NodeId, args: &[NodeId]) -> Doc {
        let last_is_open = args
            .last()
            .and_then(|a| self.tree.expr_child(*a))
            .is_some_and(|e| {
                matches!(
                    self.tree.kind(e),
                    Node::LambdaExpr
                        | Node::RecordExpr
                        | Node::BraceExpr
                        | Node::ListExpr
                        | Node::MatchExpr
                        | Node::CallExpr
                )
            });
        let one_line = args.first().is_some_and(|first| {
            let open = self.tree.token_range(self.children(node)[0]).end;
            !self.newline_between(open, self.tree.token_range(*first).start)
        });
        let between = args
            .windows(2)
            .all(|pair| self.newlines(pair[0], pair[1]) == 0);
        if !(last_is_open && one_line && between) {
            return self.separated("(", args, ")", node, true);
        }
        let mut docs = vec![self.text("(")];
        for (index, arg) in args.iter().enumerate() {
            if index > 0 {
                docs.push(self.text(", "));
            }
            docs.push(self.node(*arg));
        }
        docs.push(self.text(")"));
        let whole = self.concat(docs);
        if self.docs.can_be_flat(whole) {
            // It could be on one line, so the width decides.
            return self.separated("(", args, ")", node, true);
        }
        whole
    }

    fn field(&mut self, node: NodeId) -> Doc {
        let children = self.children(node);
        let [base, name] = children.as_slice() else {
            return self.leaf(node);
        };
        let dot = self.tree.token_range(*base).end;
        let broken = self.newline_between(dot, self.tree.token_range(*name).start);
        let base = self.node(*base);
        let name = self.node(*name);
        let dot = self.text(".");
        if broken {
            let line = self.docs.hard_line(false);
            let rest = self.concat(vec![line, dot, name]);
            let rest = self.docs.indent(rest);
            return self.concat(vec![base, rest]);
        }
        self.concat(vec![base, dot, name])
    }

    /// A chain of one operator family, from its first operand; each further
    /// operand on a line of its own where the author has it there.
    fn binary(&mut self, node: NodeId) -> Doc {
        let mut links = Vec::new();
        let mut at = node;
        while matches!(self.tree.kind(at), Node::BinaryExpr | Node::PipeExpr) {
            let children = self.children(at);
            let [left, right] = children.as_slice() else {
                break;
            };
            let operator = self.tree.own_tokens(at).next();
            let Some((kind, index)) = operator else { break };
            let sign = self.tree.token_text(index).to_owned();
            let before = self.newline_between(self.tree.token_range(*left).end, index);
            let after = self.newline_between(index, self.tree.token_range(*right).start);
            links.push((kind, sign, before || after, *right));
            at = *left;
        }
        let first = self.node(at);
        let mut rest = Vec::new();
        for (kind, sign, broken, right) in links.into_iter().rev() {
            let right = self.node(right);
            if broken && kind == Token::Minus {
                // At the start of a line a minus is refused.
                rest.push(self.text(" -"));
                rest.push(self.docs.hard_line(false));
            } else if broken {
                rest.push(self.docs.hard_line(false));
                rest.push(self.text(&format!("{sign} ")));
            } else if kind == Token::DotDot {
                rest.push(self.text(&sign));
            } else {
                rest.push(self.text(&format!(" {sign} ")));
            }
            rest.push(right);
        }
        let rest = self.concat(rest);
        let rest = self.docs.indent(rest);
        self.concat(vec![first, rest])
    }

    fn unary(&mut self, node: NodeId) -> Doc {
        let sign = match self.tree.tokens().kind(self.tree.token_range(node).start) {
            Token::Minus => "-",
            Token::Caret => "^",
            _ => "!",
        };
        self.prefixed(sign, node)
    }

    fn match_expression(&mut self, node: NodeId) -> Doc {
        let children = self.children(node);
        let Some((scrutinee, arms)) = children.split_first() else {
            return self.leaf(node);
        };
        let head = vec![self.text("match "), self.node(*scrutinee), self.text(" ")];
        let head = self.concat(head);
        let arms = self.separated("{", arms, "}", node, false);
        self.concat(vec![head, arms])
    }

    fn arm(&mut self, node: NodeId) -> Doc {
        let mut docs = Vec::new();
        for child in self.children(node) {
            match self.tree.kind(child) {
                Node::Guard => {
                    docs.push(self.text(" "));
                    docs.push(self.node(child));
                }
                kind if kind.is_expr() => docs.push(self.body(" =>", child, node)),
                _ => docs.push(self.node(child)),
            }
        }
        self.concat(docs)
    }

    /// The body of an arm or a lambda; one without braces has its statements on
    /// lines of their own.
    fn body(&mut self, sign: &str, body: NodeId, container: NodeId) -> Doc {
        if self.is_open_block(body) {
            let statements = self.statements(body);
            let line = self.docs.hard_line(false);
            let inner = self.concat(vec![line, statements]);
            let docs = vec![self.text(sign), self.docs.indent(inner)];
            return self.concat(docs);
        }
        self.after_sign(sign, body, container)
    }

    fn is_open_block(&self, node: NodeId) -> bool {
        self.tree.kind(node) == Node::BlockExpr
            && self.tree.tokens().kind(self.tree.token_range(node).start) != Token::LBrace
    }

    fn if_expression(&mut self, node: NodeId) -> Doc {
        let children = self.children(node);
        let mut docs = vec![self.text("if ")];
        for (index, child) in children.into_iter().enumerate() {
            match index {
                0 => {}
                1 => docs.push(self.text(" ")),
                _ => docs.push(self.text(" else ")),
            }
            docs.push(self.node(child));
        }
        let doc = self.concat(docs);
        self.docs.group(doc)
    }

    fn for_expression(&mut self, node: NodeId) -> Doc {
        let mut docs = vec![self.text("for ")];
        for (index, child) in self.children(node).into_iter().enumerate() {
            match index {
                0 => {}
                1 => docs.push(self.text(" in ")),
                _ => docs.push(self.text(" ")),
            }
            docs.push(self.node(child));
        }
        let doc = self.concat(docs);
        self.docs.group(doc)
    }

    fn block(&mut self, node: NodeId) -> Doc {
        let statements = self.children(node);
        let Some(first) = statements.first() else {
            return self.text("{}");
        };
        let start = self.tree.token_range(node).start;
        let broken = self.newline_between(start, self.tree.token_range(*first).start)
            || statements.len() > 1;
        let inner = self.statements(node);
        let (open, close) = if broken {
            (self.docs.hard_line(false), self.docs.hard_line(false))
        } else {
            (self.docs.line(), self.docs.line())
        };
        let inner = self.concat(vec![open, inner]);
        let inner = self.docs.indent(inner);
        let docs = vec![self.text("{"), inner, close, self.text("}")];
        self.concat(docs)
    }

    fn statements(&mut self, node: NodeId) -> Doc {
        let mut docs = Vec::new();
        let mut previous: Option<NodeId> = None;
        for statement in self.children(node) {
            if let Some(previous) = previous {
                let blank = self.newlines(previous, statement) > 1;
                docs.push(self.docs.hard_line(blank));
            }
            docs.push(self.node(statement));
            previous = Some(statement);
        }
        self.concat(docs)
    }

    fn let_statement(&mut self, node: NodeId) -> Doc {
        let mut docs = vec![self.text("let ")];
        for child in self.children(node) {
            match self.tree.kind(child) {
                kind if kind.is_type() => {
                    docs.push(self.text(": "));
                    docs.push(self.node(child));
                }
                kind if kind.is_expr() => docs.push(self.after_sign(" =", child, node)),
                _ => docs.push(self.node(child)),
            }
        }
        self.concat(docs)
    }

    fn lambda(&mut self, node: NodeId) -> Doc {
        let children = self.children(node);
        let Some((body, names)) = children.split_last() else {
            return self.leaf(node);
        };
        let spelled = self.tree.tokens().kind(self.tree.token_range(node).start) == Token::KwFn;
        let bare = !spelled && names.len() == 1;
        let mut docs = vec![self.text(if spelled {
            "fn("
        } else if bare {
            ""
        } else {
            "("
        })];
        for (index, name) in names.iter().enumerate() {
            if index > 0 {
                docs.push(self.text(", "));
            }
            docs.push(self.node(*name));
        }
        if spelled {
            docs.push(self.text(") "));
            docs.push(self.node(*body));
        } else {
            docs.push(self.body(if bare { " =>" } else { ") =>" }, *body, node));
        }
        self.concat(docs)
    }

    // Patterns.

    fn ctor_pattern(&mut self, node: NodeId) -> Doc {
        let children = self.children(node);
        let Some((path, fields)) = children.split_first() else {
            return self.leaf(node);
        };
        let path = self.node(*path);
        let braces = self
            .tree
            .own_tokens(node)
            .any(|(kind, _)| kind == Token::LBrace);
        if !braces {
            return path;
        }
        let space = self.text(" ");
        let fields = self.separated("{", fields, "}", node, false);
        self.concat(vec![path, space, fields])
    }

    fn positional_pattern(&mut self, node: NodeId) -> Doc {
        let children = self.children(node);
        let [path, inner] = children.as_slice() else {
            return self.leaf(node);
        };
        let docs = vec![
            self.node(*path),
            self.text("("),
            self.node(*inner),
            self.text(")"),
        ];
        self.concat(docs)
    }
}
