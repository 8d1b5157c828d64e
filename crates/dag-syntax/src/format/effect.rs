//! Services, resources and workflows as documents.

use super::build::Builder;
use super::doc::Doc;
use crate::kind::{Node, Token};
use crate::tree::NodeId;

impl Builder<'_> {
    pub(super) fn effect(&mut self, node: NodeId) -> Doc {
        match self.tree.kind(node) {
            Node::ServiceDecl => self.headed("service ", node),
            Node::ResourceDecl => self.headed("resource ", node),
            Node::ConfigBlock => self.braced("config ", node),
            Node::ExitTable => self.braced("exit ", node),
            Node::ResponseTable => self.braced("response ", node),
            Node::MockTable => self.braced("mock_response ", node),
            Node::Transport => self.transport(node),
            Node::Operation => self.operation("operation ", node),
            Node::Capability => self.operation("capability ", node),
            Node::Inputs => match self.first(node) {
                Token::LParen => self.separated("(", &self.children(node), ")", node, false),
                _ => self.braced("input ", node),
            },
            Node::Outputs => match self.first(node) {
                Token::Arrow => self.braced(" -> ", node),
                _ => self.braced("output ", node),
            },
            Node::StatusRow => self.status_row(node),
            Node::FuncDecl => self.workflow(node),
            Node::Uses => {
                let docs = vec![self.text("uses "), self.joined(node, ", ")];
                self.concat(docs)
            }
            Node::Use => self.use_row(node),
            Node::Step => self.step(node),
            _ => self.joined(node, ": "),
        }
    }

    fn first(&self, node: NodeId) -> Token {
        self.tree.tokens().kind(self.tree.token_range(node).start)
    }

    /// Children in braces, as a list is.
    fn braced(&mut self, before: &str, node: NodeId) -> Doc {
        let before = self.text(before);
        let children = self.children(node);
        let inner = self.separated("{", &children, "}", node, false);
        self.concat(vec![before, inner])
    }

    /// A head, and members on lines of their own.
    fn headed(&mut self, keyword: &str, node: NodeId) -> Doc {
        let children = self.children(node);
        let Some((name, members)) = children.split_first() else {
            return self.text(keyword);
        };
        let head = vec![self.text(keyword), self.node(*name), self.text(" ")];
        let head = self.concat(head);
        let members = self.members(members);
        self.concat(vec![head, members])
    }

    fn members(&mut self, members: &[NodeId]) -> Doc {
        if members.is_empty() {
            return self.text("{}");
        }
        let mut inner = Vec::new();
        let mut previous: Option<NodeId> = None;
        for member in members {
            let blank = previous.is_some_and(|p| self.newlines(p, *member) > 1);
            inner.push(self.docs.hard_line(blank));
            inner.push(self.node(*member));
            previous = Some(*member);
        }
        let inner = self.concat(inner);
        let docs = vec![
            self.text("{"),
            self.docs.indent(inner),
            self.docs.hard_line(false),
            self.text("}"),
        ];
        self.concat(docs)
    }

    fn transport(&mut self, node: NodeId) -> Doc {
        let children = self.children(node);
        let Some((name, entries)) = children.split_first() else {
            return self.text("transport");
        };
        let mut docs = vec![self.text("transport "), self.node(*name), self.text(" ")];
        docs.push(self.separated("{", entries, "}", node, false));
        self.concat(docs)
    }

    /// In braces or with a head, as the author has it.
    fn operation(&mut self, keyword: &str, node: NodeId) -> Doc {
        let children = self.children(node);
        let Some((name, parts)) = children.split_first() else {
            return self.text(keyword);
        };
        let mut docs = vec![self.text(keyword), self.node(*name)];
        let open = self.tree.token_range(*name).end;
        let braces = (open..self.tree.token_range(node).end)
            .map(|i| self.tree.tokens().kind(i))
            .find(|kind| !kind.is_trivia())
            == Some(Token::LBrace);
        if braces {
            docs.push(self.text(" "));
            docs.push(self.members(parts));
            return self.concat(docs);
        }
        let mut flags = false;
        for part in parts {
            match self.tree.kind(*part) {
                Node::Flag => {
                    flags = true;
                    docs.push(self.text(" "));
                }
                Node::Inputs if flags => docs.push(self.text(" ")),
                kind if kind.is_type() => docs.push(self.text(" -> ")),
                Node::ResponseTable | Node::MockTable => {
                    let line = self.docs.hard_line(false);
                    let table = self.node(*part);
                    let table = self.concat(vec![line, table]);
                    docs.push(self.docs.indent(table));
                    continue;
                }
                _ => {}
            }
            docs.push(self.node(*part));
        }
        self.concat(docs)
    }

    fn status_row(&mut self, node: NodeId) -> Doc {
        let mut docs = Vec::new();
        for (index, child) in self.children(node).into_iter().enumerate() {
            docs.push(self.text(["", " => ", " "][index.min(2)]));
            docs.push(self.node(child));
        }
        self.concat(docs)
    }

    fn workflow(&mut self, node: NodeId) -> Doc {
        let keyword = match self.first(node) {
            Token::KwPattern => "pattern ",
            Token::KwInterface => "interface ",
            _ => "func ",
        };
        let mut docs = vec![self.text(keyword)];
        let mut uses = false;
        for child in self.children(node) {
            match self.tree.kind(child) {
                Node::Params => {
                    docs.push(self.separated("(", &self.children(child), ")", child, true));
                    continue;
                }
                Node::Uses => {
                    uses = true;
                    let line = self.docs.hard_line(false);
                    let rows = self.node(child);
                    let rows = self.concat(vec![line, rows]);
                    docs.push(self.docs.indent(rows));
                    continue;
                }
                Node::BlockExpr if uses => docs.push(self.docs.hard_line(false)),
                Node::BlockExpr => docs.push(self.text(" ")),
                kind if kind.is_type() => docs.push(self.text(" -> ")),
                _ => {}
            }
            docs.push(self.node(child));
        }
        self.concat(docs)
    }

    fn use_row(&mut self, node: NodeId) -> Doc {
        let children = self.children(node);
        let (head, args) = children.split_at(children.len().min(2));
        let mut docs = Vec::new();
        for (index, part) in head.iter().enumerate() {
            docs.push(self.text(["", ": "][index.min(1)]));
            docs.push(self.node(*part));
        }
        // Empty parentheses are the author's choice, as everywhere.
        if !args.is_empty() || self.tree.own_tokens(node).any(|(t, _)| t == Token::LParen) {
            docs.push(self.separated("(", args, ")", node, true));
        }
        self.concat(docs)
    }

    fn step(&mut self, node: NodeId) -> Doc {
        let children = self.children(node);
        let first = children.first().map(|n| self.tree.token_range(*n).start);
        let spelled = first.is_some_and(|first| self.tree.token_range(node).start < first);
        let mut docs = vec![self.text(if spelled { "node " } else { "" })];
        let ordered: Vec<NodeId> = children
            .iter()
            .copied()
            .filter(|c| matches!(self.tree.kind(*c), Node::After | Node::When))
            .collect();
        // `name: value` is a node as `name = value` is; the author's sign stays.
        let colon = self
            .tree
            .own_tokens(node)
            .any(|(kind, _)| kind == Token::Colon);
        for child in children {
            match self.tree.kind(child) {
                Node::Name => {
                    docs.push(self.node(child));
                    if !ordered.is_empty() {
                        docs.push(self.order(&ordered));
                    }
                }
                Node::After | Node::When => {}
                kind if kind.is_type() => {
                    docs.push(self.text(" -> "));
                    docs.push(self.node(child));
                }
                _ => docs.push(self.after_sign(if colon { ":" } else { " =" }, child, node)),
            }
        }
        self.concat(docs)
    }

    fn order(&mut self, parts: &[NodeId]) -> Doc {
        let mut docs = vec![self.text(" [")];
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                docs.push(self.text(" "));
            }
            let after = self.tree.kind(*part) == Node::After;
            docs.push(self.text(if after { "after " } else { "when " }));
            docs.push(self.joined(*part, ", "));
        }
        docs.push(self.text("]"));
        self.concat(docs)
    }
}
