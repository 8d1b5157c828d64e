//! Braces without a name before them: records without a name, records whose
//! name is known from their place, and maps.

use super::Checker;
use super::coerce::Because;
use crate::core::{Ctor, Expr, ExprId, Intrinsic, Shape};
use crate::types::Ty;
use crate::unnamed::unnamed;
use dag_syntax::{Code, Diagnostic, Node, NodeId, Symbol};
use rustc_hash::FxHashMap;

/// What a key of a map literal is.
struct Key {
    text: Symbol,
    node: NodeId,
    expr: ExprId,
}

impl Checker<'_> {
    /// `{ name: value }` or `{ "key": value }`. What it is follows from its
    /// place; only where nothing is expected, from its keys.
    pub(super) fn brace_expr(&mut self, node: NodeId, expected: Option<Ty>) -> (ExprId, Ty) {
        let entries = self.tree.children(node).to_vec();
        if let Some(expected) = expected {
            let inside = self.inside_optional(expected);
            let wanted = self.unrefined(inside);
            if let Some((named, args)) = self.head(wanted) {
                if named == self.kernel.map && args.len() == 2 {
                    return self.map_literal(node, entries, Some((args[0], args[1])));
                }
                if let Some(ctor) = self.record_behind(named) {
                    let (ty, args) = self.instance(ctor, None, Some(wanted));
                    let expr = self.record_fields(ctor, &args, entries, node, node);
                    return (expr, ty);
                }
                if self.is_coproduct(named) && named != self.kernel.optional {
                    return self.unnamed_variant(node, entries, wanted);
                }
            }
            if self.is_error(wanted) {
                self.infer_entries(&entries);
                return self.invalid(node);
            }
        }
        if entries.is_empty() {
            let error = Diagnostic::error(
                Code::CannotInfer,
                self.at(node),
                "what these empty braces are is not known here",
            )
            .cure("write `empty_map()` for a map, `Name {}` for a record, `()` for no value");
            self.report(error);
            return self.invalid(node);
        }
        let key = |entry: &NodeId| self.tree.kind(*entry) == Node::MapEntry;
        if entries.iter().any(key) {
            return self.map_literal(node, entries, None);
        }
        self.unnamed_record(node, entries)
    }

    fn is_coproduct(&self, ty: crate::core::TypeRef) -> bool {
        self.type_def(ty)
            .is_some_and(|def| matches!(def.shape, Shape::Coproduct(_)))
    }

    /// A variant is named: several may have the same fields.
    fn unnamed_variant(&mut self, node: NodeId, entries: Vec<NodeId>, ty: Ty) -> (ExprId, Ty) {
        self.infer_entries(&entries);
        let shown = self.show(ty);
        let error = Diagnostic::error(
            Code::TypeMismatch,
            self.at(node),
            format!("expected {shown}, whose values name their variant"),
        )
        .cure("write `Variant { … }`");
        self.report(error);
        (self.push(Expr::Invalid, node), ty)
    }

    /// Works out the values of braces that are wrong, for their own mistakes.
    fn infer_entries(&mut self, entries: &[NodeId]) {
        for entry in entries {
            if let Some(value) = self.entry_value(*entry) {
                self.infer(value);
            }
        }
    }

    /// The value of an entry; none for a pun.
    fn entry_value(&self, entry: NodeId) -> Option<NodeId> {
        match self.tree.kind(entry) {
            // The key is an expression too.
            Node::MapEntry => self.tree.children(entry).get(1).copied(),
            _ => self.tree.expr_child(entry),
        }
    }

    fn unnamed_record(&mut self, node: NodeId, entries: Vec<NodeId>) -> (ExprId, Ty) {
        let mut first: FxHashMap<Symbol, NodeId> = FxHashMap::default();
        let mut fields: Vec<(Symbol, ExprId, Ty)> = Vec::new();
        let mut sound = true;
        for entry in entries {
            let Some(name_node) = self.tree.child(entry, Node::Name) else {
                let message = "a field of a record without a name is written `name: value`";
                self.error(Code::UnexpectedToken, entry, message);
                sound = false;
                continue;
            };
            let name = self.tree.symbol(name_node);
            let (value, ty) = match self.tree.expr_child(entry) {
                Some(value) => self.infer(value),
                None => self.name_value(name, name_node),
            };
            if let Some(first) = first.get(&name) {
                self.given_twice("field", name, name_node, *first);
                sound = false;
                continue;
            }
            first.insert(name, name_node);
            fields.push((name, value, ty));
        }
        if !sound {
            return self.invalid(node);
        }
        fields.sort_by_key(|(name, ..)| name.as_str());
        let names: Vec<Symbol> = fields.iter().map(|(name, ..)| *name).collect();
        let types: Vec<Ty> = fields.iter().map(|(.., ty)| *ty).collect();
        let ctor = Ctor {
            ty: unnamed(&names),
            variant: 0,
        };
        let ty = self.named(ctor.ty, types);
        let fields = self.operands(fields.into_iter().map(|(_, value, _)| value).collect());
        (self.push(Expr::Construct { ctor, fields }, node), ty)
    }

    /// A map; the types of keys and values are known or worked out.
    fn map_literal(
        &mut self,
        node: NodeId,
        entries: Vec<NodeId>,
        expected: Option<(Ty, Ty)>,
    ) -> (ExprId, Ty) {
        let string = self.string();
        let key_ty = expected.map_or(string, |(key, _)| key);
        let mut first: FxHashMap<Symbol, NodeId> = FxHashMap::default();
        let mut keys = Vec::new();
        let mut values = Vec::new();
        let mut sound = true;
        let mut told = false;
        for entry in entries {
            let Some(Key {
                text,
                node: at,
                expr,
            }) = self.key(entry)
            else {
                self.error(
                    Code::UnexpectedToken,
                    entry,
                    "an entry of a map is written `\"key\": value`",
                );
                sound = false;
                continue;
            };
            // Keys of another type are wrong all together: said once.
            let key = if told {
                expr
            } else {
                let mistakes = self.mistakes();
                let key = self.coerce(expr, string, key_ty, at, None);
                told = self.mistakes() > mistakes;
                key
            };
            let value = match (self.entry_value(entry), expected) {
                (Some(value), Some((_, ty))) => (value, self.check(value, ty), ty),
                (Some(value), None) => {
                    let (expr, ty) = self.infer(value);
                    (value, expr, ty)
                }
                (None, Some((_, ty))) => (at, self.pun(text, at, ty, None), ty),
                (None, None) => {
                    let (expr, ty) = self.name_value(text, at);
                    (at, expr, ty)
                }
            };
            if let Some(first) = first.get(&text) {
                self.given_twice("key", text, at, *first);
                sound = false;
            } else {
                first.insert(text, at);
            }
            keys.push(key);
            values.push(value);
        }
        let (values, value_ty) = match expected {
            Some((_, ty)) => (values.into_iter().map(|(_, expr, _)| expr).collect(), ty),
            None => self.joined(values),
        };
        let ty = self.map(key_ty, value_ty);
        if !sound {
            return (self.push(Expr::Invalid, node), ty);
        }
        let pair = Ctor {
            ty: self.kernel.pair,
            variant: 0,
        };
        let mut pairs = Vec::with_capacity(keys.len());
        for (key, value) in keys.into_iter().zip(values) {
            let fields = self.operands(vec![key, value]);
            pairs.push(self.push(Expr::Construct { ctor: pair, fields }, node));
        }
        let list = self.operands(pairs);
        let list = self.push(Expr::List(list), node);
        let args = self.operands(vec![list]);
        let op = Intrinsic::MapFromEntries;
        (self.push(Expr::Intrinsic { op, args }, node), ty)
    }

    /// The key of an entry: a string, or a name that stands for one.
    fn key(&mut self, entry: NodeId) -> Option<Key> {
        if self.tree.kind(entry) == Node::MapEntry {
            let node = self.tree.child(entry, Node::StrExpr)?;
            let (expr, _) = self.infer(node);
            let text = match self.body.expr(expr) {
                Expr::Str(text) => Symbol::new(text),
                _ => return None,
            };
            return Some(Key { text, node, expr });
        }
        let node = self.tree.child(entry, Node::Name)?;
        let text = self.tree.symbol(node);
        let expr = self.push(Expr::Str(text.as_str().into()), node);
        Some(Key { text, node, expr })
    }

    /// A list literal where a set is expected.
    pub(super) fn set_literal(&mut self, node: NodeId, item: Ty, because: Because) -> (ExprId, Ty) {
        let (list, _) = self.list_expr(node, Some(item), because);
        self.refuse_repeated_items(list);
        let args = self.operands(vec![list]);
        let op = Intrinsic::SetFromList;
        let expr = self.push(Expr::Intrinsic { op, args }, node);
        (expr, self.set(item))
    }

    /// In a set literal, an item that is written twice is a slip.
    fn refuse_repeated_items(&mut self, list: ExprId) {
        let Expr::List(run) = *self.body.expr(list) else {
            return;
        };
        let mut first: FxHashMap<String, ExprId> = FxHashMap::default();
        for item in self.body.operands(run).to_vec() {
            let text = match self.body.expr(item) {
                Expr::Str(text) => format!("\"{text}\""),
                Expr::Int(number) => number.to_string(),
                _ => continue,
            };
            if let Some(first) = first.get(&text) {
                let error = Diagnostic::error(
                    Code::DuplicateName,
                    self.expr_at(item),
                    format!("the item `{text}` is given twice"),
                )
                .other(self.expr_at(*first), "the first time");
                self.report(error);
                return;
            }
            first.insert(text, item);
        }
    }

    /// The shared type of a record without a name that is written as a type.
    pub(super) fn unnamed_type(&mut self, node: NodeId) -> Ty {
        let fields = self.fields(node);
        let mut fields: Vec<(Symbol, Ty)> = fields.into_iter().map(|f| (f.name, f.ty)).collect();
        fields.sort_by_key(|(name, _)| name.as_str());
        let names: Vec<Symbol> = fields.iter().map(|(name, _)| *name).collect();
        self.named(
            unnamed(&names),
            fields.into_iter().map(|(_, ty)| ty).collect(),
        )
    }
}
