//! What is shown of an item, taken from the tree.

use crate::names::Scope;
use crate::piece::Piece;
use crate::predicate;
use dag_syntax::{Node, NodeId, Tree};

/// An item of a module.
#[derive(Debug)]
pub(crate) struct Item {
    /// The word that declares it: `type`, `fn`, `data`.
    pub(crate) kind: String,
    pub(crate) name: String,
    /// Tells it from all other items of the module.
    pub(crate) anchor: String,
    /// Its line in the file, from 1.
    pub(crate) line: u32,
    /// Whether it is a witness.
    pub(crate) test: bool,
    pub(crate) annotation: String,
    /// Its declaration without the body.
    pub(crate) head: Vec<Piece>,
    /// Its text; only of a witness, which is an example.
    pub(crate) text: String,
    pub(crate) observed: bool,
    pub(crate) sole_constructor: bool,
    pub(crate) nominal_opaque: bool,
    pub(crate) parts: Parts,
}

/// What an item consists of.
#[derive(Debug)]
pub(crate) enum Parts {
    /// Fields of a record.
    Fields(Vec<Field>),
    /// Variants of a coproduct.
    Variants(Vec<Variant>),
    /// A type under another name, and what its values satisfy.
    Alias {
        ty: Vec<Piece>,
        conditions: Vec<Vec<Piece>>,
    },
    /// Parameters and result of a function.
    Function {
        params: Vec<Field>,
        result: Vec<Piece>,
    },
    /// The type of a `data` item, and its value where that is short.
    Data {
        ty: Vec<Piece>,
        value: Option<String>,
    },
    /// Nothing beside the head: a type of the engine's, a service, which is shown whole.
    None,
}

/// A field or parameter.
#[derive(Debug)]
pub(crate) struct Field {
    /// Its name; none of a positional payload.
    pub(crate) name: Option<String>,
    pub(crate) anchor: String,
    pub(crate) ty: Vec<Piece>,
    pub(crate) conditions: Vec<Vec<Piece>>,
    /// The value that it has where none is given, as it is written.
    pub(crate) default: Option<String>,
}

/// A variant.
#[derive(Debug)]
pub(crate) struct Variant {
    pub(crate) name: String,
    pub(crate) anchor: String,
    pub(crate) fields: Vec<Field>,
}

/// A value that is longer is not shown.
const LONGEST_VALUE: usize = 100;

/// A tree, and where its names lead.
pub(crate) struct Reader<'a> {
    pub(crate) tree: &'a Tree,
    pub(crate) scope: Scope<'a>,
}

/// The word that declares an item, and its name; none of an import and the like.
pub(crate) fn declares(tree: &Tree, item: NodeId) -> Option<(String, String)> {
    if matches!(
        tree.kind(item),
        Node::ModuleLine | Node::Import | Node::Error
    ) {
        return None;
    }
    // A service has a dotted name.
    let name = match tree.kind(item) {
        Node::ServiceDecl => tree.child(item, Node::Path)?,
        _ => tree.child(item, Node::Name)?,
    };
    let words = tree.own_tokens(item).filter(|(kind, _)| kind.is_word());
    let mut words = words.map(|(_, index)| tree.token_text(index));
    let kind = words.find(|word| *word != "test")?;
    Some((kind.to_owned(), tree.text(name).to_owned()))
}

impl Reader<'_> {
    /// The item, but for its line and its annotation.
    pub(crate) fn item(&self, node: NodeId, anchor: &str) -> Option<Item> {
        let tree = self.tree;
        let (kind, name) = declares(tree, node)?;
        let parts = self.parts(node, anchor);
        let test = tree.has_word(node, "test");
        Some(Item {
            kind,
            name,
            anchor: anchor.to_owned(),
            line: 0,
            test,
            annotation: String::new(),
            head: self.head(node),
            text: match test {
                true => tree.text(node).to_owned(),
                false => String::new(),
            },
            observed: tree.has_word(node, "observed"),
            sole_constructor: tree.has_word(node, "sole_constructor"),
            nominal_opaque: tree.has_word(node, "nominal_opaque"),
            parts,
        })
    }

    fn parts(&self, node: NodeId, anchor: &str) -> Parts {
        let tree = self.tree;
        let child = |kind| tree.child(node, kind);
        match tree.kind(node) {
            Node::TypeDecl => {
                if let Some(body) = child(Node::RecordBody) {
                    return Parts::Fields(self.fields(body, anchor));
                }
                if let Some(body) = child(Node::CoproductBody) {
                    let variants = tree.children_of(body, Node::Variant);
                    return Parts::Variants(variants.map(|v| self.variant(v, anchor)).collect());
                }
                match child(Node::AliasBody) {
                    Some(body) => Parts::Alias {
                        ty: self.type_of(body),
                        conditions: self.conditions(body),
                    },
                    None => Parts::None,
                }
            }
            Node::FnDecl | Node::FuncDecl => Parts::Function {
                params: child(Node::Params).map_or(Vec::new(), |params| {
                    let params = tree.children_of(params, Node::Param);
                    params.map(|param| self.field(param, anchor)).collect()
                }),
                result: self.type_of(node),
            },
            Node::DataDecl => {
                let value = tree.expr_child(node).map(|value| tree.text(value));
                let short = |v: &&str| v.len() <= LONGEST_VALUE && !v.contains('\n');
                Parts::Data {
                    ty: self.type_of(node),
                    value: value.filter(short).map(str::to_owned),
                }
            }
            _ => Parts::None,
        }
    }

    fn variant(&self, node: NodeId, anchor: &str) -> Variant {
        let tree = self.tree;
        let name = tree.child(node, Node::Name).map_or("", |n| tree.text(n));
        let anchor = format!("{anchor}.{name}");
        let fields = match (tree.child(node, Node::RecordBody), tree.type_child(node)) {
            (Some(body), _) => self.fields(body, &anchor),
            (None, Some(_)) => vec![Field {
                name: None,
                anchor: format!("{anchor}.0"),
                ty: self.type_of(node),
                conditions: Vec::new(),
                default: None,
            }],
            (None, None) => Vec::new(),
        };
        Variant {
            name: name.to_owned(),
            anchor,
            fields,
        }
    }

    fn fields(&self, body: NodeId, anchor: &str) -> Vec<Field> {
        let fields = self.tree.children_of(body, Node::FieldDecl);
        fields.map(|field| self.field(field, anchor)).collect()
    }

    fn field(&self, node: NodeId, anchor: &str) -> Field {
        let tree = self.tree;
        let name = tree.child(node, Node::Name).map_or("", |n| tree.text(n));
        Field {
            name: Some(name.to_owned()),
            anchor: format!("{anchor}.{name}"),
            ty: self.type_of(node),
            conditions: self.conditions(node),
            default: tree
                .child(node, Node::Default)
                .and_then(|default| tree.expr_child(default))
                .map(|value| tree.text(value).to_owned()),
        }
    }

    fn conditions(&self, node: NodeId) -> Vec<Vec<Piece>> {
        let clause = self.tree.child(node, Node::Where);
        clause.map_or(Vec::new(), |clause| {
            predicate::in_words(self.tree, clause, &self.scope)
        })
    }

    /// The type that stands in a node.
    fn type_of(&self, node: NodeId) -> Vec<Piece> {
        match self.tree.type_child(node) {
            Some(ty) => {
                let span = self.tree.span(ty);
                self.linked(ty, span.start, span.end)
            }
            None => Vec::new(),
        }
    }

    /// The declaration up to its body or its value.
    fn head(&self, node: NodeId) -> Vec<Piece> {
        let tree = self.tree;
        let whole = tree.span(node);
        let body = [Node::RecordBody, Node::CoproductBody, Node::AliasBody]
            .into_iter()
            .find_map(|kind| tree.child(node, kind))
            .map(|body| tree.span(body).start);
        let last = |kinds: &[Node]| {
            let children = tree.children(node).iter();
            let found =
                children.filter(|c| kinds.contains(&tree.kind(**c)) || tree.kind(**c).is_type());
            found.map(|c| tree.span(*c).end).max()
        };
        let end = match tree.kind(node) {
            Node::TypeDecl => body,
            Node::FnDecl => last(&[Node::Params, Node::AdmitCallers]),
            Node::FuncDecl => last(&[Node::Params, Node::Uses]),
            Node::DataDecl => last(&[]),
            // All of it says what it is.
            _ => None,
        };
        let end = end.unwrap_or(whole.end);
        let mut head = self.linked(node, whole.start, end);
        if let Some(last) = head.last_mut() {
            let trimmed = last.text.trim_end_matches([' ', '\n', '=', '{']);
            last.text.truncate(trimmed.len());
        }
        head
    }

    /// The text of a node between two offsets, every type in it linked.
    fn linked(&self, node: NodeId, start: u32, end: u32) -> Vec<Piece> {
        let tree = self.tree;
        let mut types = Vec::new();
        let mut todo = vec![node];
        while let Some(node) = todo.pop() {
            if tree.kind(node) == Node::TypePath {
                types.extend(tree.child(node, Node::Path));
            }
            todo.extend(tree.children(node));
        }
        types.sort_by_key(|path| tree.span(*path).start);
        let base = tree.span(node).start;
        let text = tree.text(node);
        let cut =
            |from: u32, to: u32| text[(from - base) as usize..(to - base) as usize].to_owned();
        let mut pieces = Vec::new();
        let mut at = start;
        for path in types {
            let span = tree.span(path);
            if span.start < at || span.end > end {
                continue;
            }
            pieces.push(Piece::plain(cut(at, span.start)));
            pieces.push(Piece {
                to: self.scope.ty(tree.symbol(path).as_str()),
                ..Piece::plain(cut(span.start, span.end))
            });
            at = span.end;
        }
        pieces.push(Piece::plain(cut(at, end)));
        pieces.retain(|piece| !piece.text.is_empty());
        pieces
    }
}
