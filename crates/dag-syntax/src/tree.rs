//! The lossless tree: flat lists of tokens and nodes. Every byte of the text is
//! in exactly one token, every token in exactly one innermost node.

use crate::kind::{Node, Token};
use crate::lexer::Tokens;
use crate::{Location, SourceId, Span, Symbol};
use std::sync::Arc;

/// A node: an index in its [`Tree`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

#[derive(Clone, Copy, Debug)]
pub(crate) struct NodeData {
    pub(crate) kind: Node,
    /// First significant token.
    pub(crate) first: u32,
    /// One past its last significant token.
    pub(crate) end: u32,
    pub(crate) children_start: u32,
    pub(crate) children_len: u32,
}

/// A block of `//` lines and the item it speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Annotation {
    /// The item, or the module line.
    pub item: NodeId,
    /// The text without `//` and one following space, lines joined by `\n`.
    pub text: String,
}

/// The tree of one file.
#[derive(Debug, Clone)]
pub struct Tree {
    pub(crate) source: SourceId,
    pub(crate) text: Arc<str>,
    pub(crate) tokens: Tokens,
    pub(crate) nodes: Vec<NodeData>,
    pub(crate) children: Vec<NodeId>,
    pub(crate) annotations: Vec<Annotation>,
}

impl Tree {
    /// The root, of kind [`Node::File`].
    #[must_use]
    pub fn root(&self) -> NodeId {
        NodeId(self.nodes.len() as u32 - 1)
    }

    /// The file.
    #[must_use]
    pub fn source(&self) -> SourceId {
        self.source
    }

    /// The tokens; their texts joined are the file's text.
    #[must_use]
    pub fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    /// The text of a token.
    #[must_use]
    pub fn token_text(&self, index: usize) -> &str {
        let span = self.tokens.span(index);
        &self.text[span.start as usize..span.end as usize]
    }

    /// What the node is.
    #[must_use]
    pub fn kind(&self, node: NodeId) -> Node {
        self.nodes[node.0 as usize].kind
    }

    /// Its children, in the order of the text.
    #[must_use]
    pub fn children(&self, node: NodeId) -> &[NodeId] {
        let data = &self.nodes[node.0 as usize];
        let start = data.children_start as usize;
        &self.children[start..start + data.children_len as usize]
    }

    /// Its first child of a kind.
    #[must_use]
    pub fn child(&self, node: NodeId, kind: Node) -> Option<NodeId> {
        self.children(node)
            .iter()
            .copied()
            .find(|c| self.kind(*c) == kind)
    }

    /// Its children of a kind.
    pub fn children_of(&self, node: NodeId, kind: Node) -> impl Iterator<Item = NodeId> + '_ {
        self.children(node)
            .iter()
            .copied()
            .filter(move |c| self.kind(*c) == kind)
    }

    /// Its first child that is an expression.
    #[must_use]
    pub fn expr_child(&self, node: NodeId) -> Option<NodeId> {
        self.children(node)
            .iter()
            .copied()
            .find(|c| self.kind(*c).is_expr())
    }

    /// Its first child that is a type.
    #[must_use]
    pub fn type_child(&self, node: NodeId) -> Option<NodeId> {
        self.children(node)
            .iter()
            .copied()
            .find(|c| self.kind(*c).is_type())
    }

    /// Its first child that is a pattern.
    #[must_use]
    pub fn pattern_child(&self, node: NodeId) -> Option<NodeId> {
        self.children(node)
            .iter()
            .copied()
            .find(|c| self.kind(*c).is_pattern())
    }

    /// From its first to its last significant byte.
    #[must_use]
    pub fn span(&self, node: NodeId) -> Span {
        let data = &self.nodes[node.0 as usize];
        let start = self.tokens.span(data.first as usize).start;
        if data.end <= data.first {
            return Span::new(start, start);
        }
        Span::new(start, self.tokens.span(data.end as usize - 1).end)
    }

    /// Its tokens: from its first significant one to behind its last.
    #[must_use]
    pub fn token_range(&self, node: NodeId) -> std::ops::Range<usize> {
        let data = &self.nodes[node.0 as usize];
        data.first as usize..data.end as usize
    }

    /// Its place.
    #[must_use]
    pub fn location(&self, node: NodeId) -> Location {
        Location {
            source: self.source,
            span: self.span(node),
        }
    }

    /// Its text, without what stands before and after it.
    #[must_use]
    pub fn text(&self, node: NodeId) -> &str {
        let span = self.span(node);
        &self.text[span.start as usize..span.end as usize]
    }

    /// The text of a leaf as a name. A path that has blanks between its
    /// segments is given without them.
    #[must_use]
    pub fn symbol(&self, node: NodeId) -> Symbol {
        let text = self.text(node);
        if text.bytes().any(|b| b.is_ascii_whitespace()) {
            return Symbol::new(&text.split_whitespace().collect::<String>());
        }
        Symbol::new(text)
    }

    /// The node's significant tokens, those of its children too.
    pub fn all_tokens(&self, node: NodeId) -> impl Iterator<Item = (Token, usize)> + '_ {
        let data = &self.nodes[node.0 as usize];
        (data.first as usize..data.end as usize)
            .map(|index| (self.tokens.kind(index), index))
            .filter(|(kind, _)| !kind.is_trivia())
    }

    /// The words that the grammar has a meaning for where they stand, though they are
    /// names elsewhere: indices of tokens. They are what no name holds.
    #[must_use]
    pub fn contextual_words(&self) -> Vec<usize> {
        let mut found = Vec::new();
        let mut todo = vec![self.root()];
        while let Some(node) = todo.pop() {
            let kind = self.kind(node);
            if !matches!(
                kind,
                Node::Name
                    | Node::NameExpr
                    | Node::Path
                    | Node::BindPattern
                    | Node::AnyPattern
                    | Node::Kind
            ) {
                let own = self.own_tokens(node);
                found.extend(own.filter(|(t, _)| *t == Token::Name).map(|(_, at)| at));
            }
            // What carries a request out is one of three words.
            let carrier = self.child(node, Node::Name);
            if let (Node::Transport, Some(carrier)) = (kind, carrier) {
                found.push(self.token_range(carrier).start);
            }
            todo.extend(self.children(node));
        }
        found
    }

    /// The node's own significant tokens: those in none of its children.
    pub fn own_tokens(&self, node: NodeId) -> impl Iterator<Item = (Token, usize)> + '_ {
        let data = &self.nodes[node.0 as usize];
        let mut children = self.children(node).iter().peekable();
        let mut at = data.first as usize;
        std::iter::from_fn(move || {
            loop {
                while let Some(child) = children.peek() {
                    let child = &self.nodes[child.0 as usize];
                    if child.end as usize <= at {
                        children.next();
                    } else if child.first as usize <= at {
                        at = child.end as usize;
                        children.next();
                    } else {
                        break;
                    }
                }
                if at >= data.end as usize {
                    return None;
                }
                let index = at;
                at += 1;
                if !self.tokens.kind(index).is_trivia() {
                    return Some((self.tokens.kind(index), index));
                }
            }
        })
    }

    /// Whether one of the node's own tokens is this word.
    #[must_use]
    pub fn has_word(&self, node: NodeId, word: &str) -> bool {
        self.own_tokens(node)
            .any(|(kind, i)| kind.is_word() && self.token_text(i) == word)
    }

    /// The nodes that a byte offset lies in or right behind, outermost first: the
    /// path from the root to the innermost one.
    #[must_use]
    pub fn path_to(&self, offset: u32) -> Vec<NodeId> {
        let mut path = vec![self.root()];
        let mut node = self.root();
        loop {
            let within = |child: &&NodeId| {
                let span = self.span(**child);
                span.start <= offset && offset <= span.end
            };
            // Where two children meet, the one that starts there is meant. They stand in the
            // order of the text.
            let children = self.children(node);
            let behind = children.partition_point(|child| self.span(*child).start <= offset);
            let Some(child) = children[..behind].last().filter(within) else {
                return path;
            };
            node = *child;
            path.push(node);
        }
    }

    /// The annotations, in the order of the text.
    #[must_use]
    pub fn annotations(&self) -> &[Annotation] {
        &self.annotations
    }

    /// The text of the annotations of an item; empty if it has none.
    #[must_use]
    pub fn annotation(&self, item: NodeId) -> String {
        let blocks: Vec<&str> = self
            .annotations
            .iter()
            .filter(|a| a.item == item)
            .map(|a| a.text.as_str())
            .collect();
        blocks.join("\n\n")
    }

    /// The tree as an indented listing, for tests.
    #[must_use]
    pub fn dump(&self) -> String {
        let mut out = String::new();
        let mut todo = vec![(self.root(), 0usize)];
        while let Some((node, depth)) = todo.pop() {
            let text = self.text(node);
            let line = if self.children(node).is_empty() && text.len() < 60 {
                format!("{:?} {text:?}", self.kind(node))
            } else {
                format!("{:?}", self.kind(node))
            };
            out.push_str(&"  ".repeat(depth));
            out.push_str(&line);
            out.push('\n');
            todo.extend(self.children(node).iter().rev().map(|c| (*c, depth + 1)));
        }
        out
    }
}
