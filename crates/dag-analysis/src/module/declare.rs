//! A module's declarations: its types first, then the heads of its functions
//! and data, then their bodies.

use super::demand::Demand;
use super::{Checker, Pending};
use crate::core::{
    Ctor, Decl, DeclKind, DeclRef, ExprId, Field, Intrinsic, Param, Shape, TypeDef, TypeRef,
    Variant,
};
use crate::kernel::Kernel;
use crate::known::PRELUDE;
use crate::known::Value;
use crate::types::{Ty, TyKind};
use dag_syntax::{Code, Diagnostic, Location, MAX_DEPTH, Node, NodeId, Symbol, Token};
use rustc_hash::FxHashMap;

/// How far the conversion of an alias has come.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Progress {
    New,
    Open,
    Done,
}

impl Checker<'_> {
    pub(super) fn declare(&mut self) {
        let items = self.tree.children(self.tree.root()).to_vec();
        let nodes: Vec<NodeId> = items
            .iter()
            .copied()
            .filter(|i| self.tree.kind(*i) == Node::TypeDecl)
            .collect();
        self.import();
        self.name_aliases(&items);
        self.name_types(&nodes);
        self.name_outputs(&items);
        self.name_resources(&items);
        if self.name.as_str() == Kernel::MODULE {
            let own = |name: &str| {
                let index = self
                    .types
                    .iter()
                    .position(|t| t.name == Symbol::new(name))?;
                Some(TypeRef {
                    module: self.id,
                    index: index as u32,
                })
            };
            if let Some(kernel) = Kernel::find(own) {
                self.kernel = kernel;
            }
        }
        self.name_broken(&items);
        let mut progress = vec![Progress::New; nodes.len()];
        for (index, node) in nodes.iter().enumerate() {
            self.shape(index, &nodes, &mut progress, 0);
            self.refuse_too_deep(*node);
        }
        let constructors = self.name_variants(nodes.len());
        self.heads(&items, constructors.clone());
        self.declare_services(&items);
        self.declare_resources();
        self.declare_workflows(&items, &constructors);
        self.refuse_hiding_aliases(&items);
        self.resolve_predicates();
        self.refuse_endless();
        self.decide_demands();
    }

    fn name_types(&mut self, nodes: &[NodeId]) {
        let mut first: FxHashMap<Symbol, NodeId> = FxHashMap::default();
        for (index, node) in nodes.iter().enumerate() {
            let Some(name_node) = self.tree.child(*node, Node::Name) else {
                continue;
            };
            let name = self.tree.symbol(name_node);
            let params = self.params_of(*node);
            self.types.push(TypeDef {
                name,
                span: self.tree.span(name_node),
                params,
                shape: Shape::Opaque,
                observed: self.tree.has_word(*node, "observed"),
                sole_constructor: self.tree.has_word(*node, "sole_constructor"),
                nominal_opaque: self.tree.has_word(*node, "nominal_opaque"),
            });
            if let Some(other) = first.get(&name) {
                self.duplicate("type", name, name_node, self.at(*other));
                continue;
            }
            first.insert(name, name_node);
            self.refuse_imported(name, self.at(name_node));
            self.scope.add_type(
                name,
                TypeRef {
                    module: self.id,
                    index: index as u32,
                },
            );
        }
    }

    pub(super) fn duplicate(&mut self, what: &str, name: Symbol, node: NodeId, first: Location) {
        let error = Diagnostic::error(
            Code::DuplicateName,
            self.at(node),
            format!("the {what} `{name}` is declared twice"),
        )
        .other(first, "the first one");
        self.report(error);
    }

    fn params_of(&mut self, item: NodeId) -> Vec<Symbol> {
        let Some(params) = self.tree.child(item, Node::TypeParams) else {
            return Vec::new();
        };
        let mut names = Vec::new();
        for node in self.tree.children(params).to_vec() {
            if self.tree.kind(node) == Node::Kind {
                self.refuse_kind(node);
                continue;
            }
            let name = self.tree.symbol(node);
            if names.contains(&name) {
                self.error(
                    Code::DuplicateName,
                    node,
                    format!("the type parameter `{name}` is declared twice"),
                );
            }
            names.push(name);
        }
        names
    }

    /// A type parameter stands for a type, and for nothing else.
    fn refuse_kind(&mut self, node: NodeId) {
        let kind = self.tree.text(node);
        if kind != "Type" {
            let error = Diagnostic::error(
                Code::UnknownType,
                self.at(node),
                format!("there is no kind `{kind}`"),
            )
            .note("a type parameter stands for a type: there are no others")
            .cure("write `T: Type`, or `T` alone");
            self.report(error);
        }
    }

    /// Names declared or imported by items that do not parse: known, but of no
    /// known type, so that one mistake is reported once.
    fn name_broken(&mut self, items: &[NodeId]) {
        for item in items.iter().filter(|i| self.tree.kind(**i) == Node::Error) {
            let service = || {
                let first = self.tree.all_tokens(*item).next();
                first.is_some_and(|(kind, _)| kind == Token::KwService)
            };
            let named = self.tree.child(*item, Node::Name).or_else(|| {
                let path = self.tree.child(*item, Node::Path);
                path.filter(|_| service())
            });
            if let Some(name) = named {
                self.name_broken_one(self.tree.symbol(name));
            }
            let mut tokens = self.tree.all_tokens(*item).peekable();
            let import = tokens.peek().is_some_and(|(kind, index)| {
                *kind == Token::KwImport || self.tree.token_text(*index) == "from"
            });
            let mut names = Vec::new();
            let mut before = Token::End;
            for (kind, index) in tokens {
                // A variant, or a name in an import's list.
                let declares = match before {
                    Token::Or | Token::Equals => !import,
                    _ => import,
                };
                if kind == Token::Name && declares {
                    names.push(Symbol::new(self.tree.token_text(index)));
                }
                before = kind;
            }
            names.extend(self.headed(*item));
            for name in names {
                self.name_broken_one(name);
            }
        }
    }

    /// What lines of an item that does not parse could declare: the last of the words that
    /// a line begins with, as in `const total: Int = 3`.
    fn headed(&self, item: NodeId) -> Vec<Symbol> {
        let tokens = self.tree.tokens();
        let range = self.tree.token_range(item);
        let starts = |index: &usize| {
            let line = *index == 0 || tokens.kind(*index - 1) == Token::Newline;
            line && matches!(tokens.kind(*index), Token::Name | Token::KwLet)
        };
        let mut names = Vec::new();
        for first in range.clone().filter(starts) {
            let mut last = first;
            let mut next = first;
            while next < range.end
                && (tokens.kind(next).is_word() || tokens.kind(next) == Token::Blank)
            {
                if tokens.kind(next) != Token::Blank {
                    last = next;
                }
                next += 1;
            }
            let dotted = next < range.end && tokens.kind(next) == Token::Dot;
            if tokens.kind(last) == Token::Name && !dotted {
                names.push(Symbol::new(self.tree.token_text(last)));
            }
        }
        names
    }

    fn name_broken_one(&mut self, name: Symbol) {
        self.scope.add_broken(name);
        self.broken.push(name);
    }

    /// Works out what a declared type is. Aliases are followed at once, so that
    /// no type mentions one afterwards.
    fn shape(&mut self, index: usize, nodes: &[NodeId], progress: &mut [Progress], depth: u32) {
        if progress[index] != Progress::New {
            return;
        }
        if depth > MAX_DEPTH {
            self.too_deep = true;
            return;
        }
        progress[index] = Progress::Open;
        let node = nodes[index];
        let outer = std::mem::replace(&mut self.type_params, self.types[index].params.clone());
        let shape = if let Some(body) = self.tree.child(node, Node::RecordBody) {
            // Fields may mention the type itself: not through aliases, though.
            self.aliases_in(body, nodes, progress, depth);
            if let Some(name) = self.tree.child(node, Node::Name) {
                self.refuse_small(name, "a record");
            }
            let name = self.types[index].name;
            let span = self.types[index].span;
            Shape::Record(Variant {
                name,
                span,
                fields: self.fields_of(body, name),
            })
        } else if let Some(body) = self.tree.child(node, Node::CoproductBody) {
            self.aliases_in(body, nodes, progress, depth);
            Shape::Coproduct(self.variants(body))
        } else if let Some(body) = self.tree.child(node, Node::AliasBody) {
            self.aliases_in(body, nodes, progress, depth);
            match self.tree.type_child(body) {
                Some(target) => {
                    let base = self.type_of(target);
                    let def = &self.types[index];
                    let apart = def.nominal_opaque || def.sole_constructor;
                    match self.tree.child(body, Node::Where) {
                        Some(clause) => {
                            let predicates = self.predicates(clause, base, index);
                            Shape::Refined { base, predicates }
                        }
                        None if apart => Shape::Refined {
                            base,
                            predicates: Vec::new(),
                        },
                        None => Shape::Alias(base),
                    }
                }
                None => Shape::Opaque,
            }
        } else {
            Shape::Opaque
        };
        self.type_params = outer;
        let def = &self.types[index];
        let alias = matches!(shape, Shape::Alias(_) | Shape::Refined { .. });
        let wrong = if alias && def.observed {
            Some("only a record or a coproduct can be `observed`")
        } else if !alias && def.nominal_opaque {
            Some(
                "only a type that stands for another can be `nominal_opaque`: `type X nominal_opaque = Base`",
            )
        } else {
            None
        };
        if let Some(message) = wrong {
            let name = self.tree.child(node, Node::Name).unwrap_or(node);
            self.error(Code::BadTypeDeclaration, name, message);
        }
        self.types[index].shape = shape;
        progress[index] = Progress::Done;
    }

    /// Works out the aliases that a type's body mentions before the body itself.
    fn aliases_in(
        &mut self,
        body: NodeId,
        nodes: &[NodeId],
        progress: &mut [Progress],
        depth: u32,
    ) {
        let mut todo = vec![body];
        while let Some(node) = todo.pop() {
            todo.extend(self.tree.children(node));
            if self.tree.kind(node) != Node::Path {
                continue;
            }
            let Some(Some(ty)) = self.scope.ty(self.tree.symbol(node)) else {
                continue;
            };
            if ty.module != self.id {
                continue;
            }
            let index = ty.index as usize;
            // The record of an operation, or a resource, is no alias.
            let Some(declared) = nodes.get(index) else {
                continue;
            };
            if self.tree.child(*declared, Node::AliasBody).is_none() {
                continue;
            }
            if progress[index] == Progress::Open {
                self.error(
                    Code::BadTypeDeclaration,
                    node,
                    format!("the alias `{}` stands for itself", self.tree.text(node)),
                );
                self.types[index].shape = Shape::Alias(self.table.intern(TyKind::Error));
            } else {
                self.shape(index, nodes, progress, depth + 1);
            }
        }
    }

    /// The fields of a record without a name.
    pub(super) fn fields(&mut self, body: NodeId) -> Vec<Field> {
        self.fields_of(body, Symbol::new("_"))
    }

    /// The fields of a record or variant of that name.
    pub(super) fn fields_of(&mut self, body: NodeId, of: Symbol) -> Vec<Field> {
        let mut fields: Vec<Field> = Vec::new();
        for node in self.tree.children(body).to_vec() {
            let Some(name_node) = self.tree.child(node, Node::Name) else {
                continue;
            };
            let name = self.tree.symbol(name_node);
            if let Some(other) = fields.iter().find(|f| f.name == name) {
                let other = Location {
                    source: self.tree.source(),
                    span: other.span,
                };
                let error = Diagnostic::error(
                    Code::DuplicateName,
                    self.at(name_node),
                    format!("the field `{name}` is declared twice"),
                )
                .other(other, "the first one");
                self.report(error);
                continue;
            }
            let ty = self.declared_type(node);
            let default = self.default_of(node, of, ty);
            let source = self.source(node);
            fields.push(Field {
                name,
                span: self.tree.span(name_node),
                ty,
                default,
                source,
            });
        }
        fields
    }

    /// What a field is read from, where an operation gives it.
    fn source(&mut self, field: NodeId) -> Option<std::sync::Arc<str>> {
        let source = self.tree.child(field, Node::Source)?;
        let text = self.tree.expr_child(source)?;
        let plain = self.plain_text(text);
        if plain.is_none() {
            self.error(
                Code::BadOutput,
                text,
                "what a field is read from is written out, without holes",
            );
        }
        plain
    }

    fn variants(&mut self, body: NodeId) -> Vec<Variant> {
        let mut variants: Vec<Variant> = Vec::new();
        for node in self.tree.children(body).to_vec() {
            let Some(name_node) = self.tree.child(node, Node::Name) else {
                continue;
            };
            let name = self.tree.symbol(name_node);
            let fields = match self.tree.child(node, Node::RecordBody) {
                Some(record) => self.fields_of(record, name),
                None => match self.tree.type_child(node) {
                    Some(payload) => {
                        let ty = self.type_of(payload);
                        let span = self.tree.span(payload);
                        vec![Field {
                            name: Symbol::new("0"),
                            span,
                            ty,
                            default: None,
                            source: None,
                        }]
                    }
                    None => Vec::new(),
                },
            };
            self.refuse_small(name_node, "a variant");
            variants.push(Variant {
                name,
                span: self.tree.span(name_node),
                fields,
            });
        }
        variants
    }

    /// In a literal and a pattern, a capital letter tells a constructor from a
    /// name that is bound.
    fn refuse_small(&mut self, node: NodeId, what: &str) {
        let name = self.tree.text(node);
        if !name.chars().next().is_some_and(char::is_uppercase) {
            let message =
                format!("{what}'s name starts with a capital letter, and `{name}` does not");
            self.error(Code::BadTypeDeclaration, node, message);
        }
    }

    /// Binds the constructors, and gives the place of each.
    fn name_variants(&mut self, count: usize) -> FxHashMap<Symbol, Location> {
        let mut first: FxHashMap<Symbol, Location> = FxHashMap::default();
        for index in 0..count {
            let ty = TypeRef {
                module: self.id,
                index: index as u32,
            };
            // Of a type that is declared twice, the first one counts.
            if self.scope.own(self.types[index].name).ty != Some(ty) {
                continue;
            }
            let names: Vec<(u32, Symbol, dag_syntax::Span)> = self.types[index]
                .variants()
                .iter()
                .enumerate()
                .map(|(i, v)| (i as u32, v.name, v.span))
                .collect();
            for (variant, name, span) in names {
                let at = Location {
                    source: self.tree.source(),
                    span,
                };
                if let Some(other) = first.get(&name) {
                    let error = Diagnostic::error(
                        Code::DuplicateName,
                        at,
                        format!("the constructor `{name}` is declared twice"),
                    )
                    .other(*other, "the first one");
                    self.report(error);
                    continue;
                }
                first.insert(name, at);
                // A record has its type's name, which was looked at.
                if name != self.types[index].name {
                    self.refuse_imported(name, at);
                }
                self.scope
                    .add_value(name, Value::Ctor(Ctor { ty, variant }));
            }
        }
        first
    }

    fn heads(&mut self, items: &[NodeId], mut first: FxHashMap<Symbol, Location>) {
        let prelude = self.name.as_str() == PRELUDE;
        for item in items {
            let kind = match self.tree.kind(*item) {
                Node::FnDecl => DeclKind::Function,
                Node::DataDecl => DeclKind::Data,
                _ => continue,
            };
            let Some(name_node) = self.tree.child(*item, Node::Name) else {
                continue;
            };
            let name = self.tree.symbol(name_node);
            let type_params = self.params_of(*item);
            self.type_params.clone_from(&type_params);
            let params = self.params(*item, name);
            let admit_callers = self.admitted(*item);
            let result = self.declared_type(*item);
            let test = self.tree.has_word(*item, "test");
            if test {
                self.witness_head(
                    *item,
                    name_node,
                    params.is_empty() && type_params.is_empty(),
                    result,
                );
            }
            self.type_params.clear();
            let decl = DeclRef {
                module: self.id,
                index: self.decls.len() as u32,
            };
            let intrinsic = self.intrinsic(*item);
            self.decls.push(Decl {
                name,
                span: self.tree.span(name_node),
                kind,
                test,
                type_params,
                asked: intrinsic.map(|op| vec![op.asks()]).unwrap_or_default(),
                params,
                result,
                body: None,
                intrinsic,
                locals: 0,
                admit_callers,
            });
            if let (None, Some(body)) = (intrinsic, self.tree.expr_child(*item)) {
                self.pending.push(Pending {
                    decl: decl.index,
                    item: *item,
                    body,
                    written: self.tree.type_child(*item),
                });
            }
            self.refuse_too_deep(*item);
            if prelude {
                self.scope.add_overload(name, decl);
                continue;
            }
            let at = self.at(name_node);
            if let Some(first) = first.get(&name) {
                self.duplicate("name", name, name_node, *first);
                continue;
            }
            first.insert(name, at);
            self.refuse_imported(name, at);
            self.scope.add_value(name, Value::Decls(vec![decl]));
        }
    }

    fn witness_head(&mut self, item: NodeId, name: NodeId, plain: bool, result: Ty) {
        if !self.test_file {
            let error = Diagnostic::error(
                Code::MisplacedTest,
                self.at(name),
                "a `test` item stands outside a test file",
            )
            .cure("move it to a file whose name ends in `_test.dag`");
            self.report(error);
        }
        let bool = self.bool();
        if !plain {
            self.error(Code::WitnessNotBool, name, "a witness takes no parameters");
        } else if result != bool && !self.is_error(result) {
            let shown = self.show(result);
            let place = self.tree.type_child(item).unwrap_or(name);
            self.error(
                Code::WitnessNotBool,
                place,
                format!("a witness returns Bool, not {shown}"),
            );
        }
    }

    pub(super) fn params(&mut self, item: NodeId, of: Symbol) -> Vec<Param> {
        let Some(list) = self.tree.child(item, Node::Params) else {
            return Vec::new();
        };
        let mut params: Vec<Param> = Vec::new();
        for node in self.tree.children(list).to_vec() {
            let Some(name_node) = self.tree.child(node, Node::Name) else {
                continue;
            };
            let name = self.tree.symbol(name_node);
            if params.iter().any(|p| p.name == name) {
                self.error(
                    Code::DuplicateName,
                    name_node,
                    format!("the parameter `{name}` is declared twice"),
                );
            }
            let ty = self.declared_type(node);
            let default = self.default_of(node, of, ty);
            params.push(Param {
                name,
                span: self.tree.span(name_node),
                ty,
                default,
            });
        }
        params
    }

    /// The engine's function that a library function stands for.
    fn intrinsic(&mut self, item: NodeId) -> Option<Intrinsic> {
        if !self.library || !self.name.as_str().starts_with("std.") {
            return None;
        }
        let body = self.tree.expr_child(item)?;
        let name = self
            .tree
            .text(body)
            .strip_prefix("intrinsic(\"")?
            .strip_suffix("\")")?;
        let found = Intrinsic::ALL.iter().copied().find(|i| i.name() == name);
        if found.is_none() {
            self.error(
                Code::UnknownName,
                body,
                format!("the engine has no function `{name}`"),
            );
        }
        found
    }

    /// The type written in a declaration, with the refinement behind it.
    fn declared_type(&mut self, node: NodeId) -> Ty {
        let Some(written) = self.tree.type_child(node) else {
            return self.error_ty();
        };
        let base = self.type_of(written);
        let Some(clause) = self.tree.child(node, Node::Where) else {
            return base;
        };
        let index = self.types.len();
        let predicates = self.predicates(clause, base, index);
        let named = self.named_predicates.last();
        if predicates.is_empty() && named.is_none_or(|named| named.of != index) {
            return base;
        }
        let name = Symbol::new(&format!(
            "{} {}",
            self.tree.text(written),
            self.tree.text(clause)
        ));
        let span = self.tree.span(written).to(self.tree.span(clause));
        let ty = TypeRef {
            module: self.id,
            index: self.types.len() as u32,
        };
        self.types.push(TypeDef {
            name,
            span,
            // It may mention the type parameters of the declaration at hand.
            params: self.type_params.clone(),
            shape: Shape::Refined { base, predicates },
            observed: false,
            sole_constructor: false,
            nominal_opaque: false,
        });
        let params = self.type_params.clone().into_iter().enumerate();
        let args = params
            .map(|(i, name)| self.intern(TyKind::Param(i as u32, name)))
            .collect();
        self.named(ty, args)
    }

    /// A type as it is written.
    pub(super) fn type_of(&mut self, node: NodeId) -> Ty {
        match self.tree.kind(node) {
            Node::TypeOptional => {
                let Some(inner) = self.tree.type_child(node) else {
                    return self.error_ty();
                };
                let inner = self.type_of(inner);
                self.optional(inner)
            }
            Node::TypeFn => {
                let types: Vec<NodeId> = self.tree.children(node).to_vec();
                let mut types: Vec<Ty> = types.into_iter().map(|t| self.type_of(t)).collect();
                let Some(result) = types.pop() else {
                    return self.error_ty();
                };
                self.function(types, result)
            }
            Node::TypeRecord => self.unnamed_type(node),
            _ => self.type_path(node),
        }
    }

    fn type_path(&mut self, node: NodeId) -> Ty {
        let Some(path) = self.tree.child(node, Node::Path) else {
            return self.error_ty();
        };
        let written: Vec<NodeId> = self
            .tree
            .children(node)
            .iter()
            .copied()
            .filter(|c| self.tree.kind(*c).is_type())
            .collect();
        let name = self.tree.symbol(path);
        if let Some(index) = self.type_params.iter().position(|p| *p == name) {
            self.refer_type_param(path, index);
            if !written.is_empty() {
                self.error(
                    Code::TypeArguments,
                    node,
                    format!("the type parameter `{name}` takes no arguments"),
                );
            }
            return self.table.intern(TyKind::Param(index as u32, name));
        }
        let args: Vec<Ty> = written.into_iter().map(|t| self.type_of(t)).collect();
        let Some(ty) = self.resolve_type(path) else {
            return self.error_ty();
        };
        let Some(def) = self.type_def(ty) else {
            return self.error_ty();
        };
        let (expected, alias) = (
            def.params.len(),
            match &def.shape {
                Shape::Alias(target) => Some(*target),
                _ => None,
            },
        );
        if args.len() != expected {
            let counted = |n: usize| match n {
                0 => "no type argument".to_owned(),
                1 => "one type argument".to_owned(),
                n => format!("{n} type arguments"),
            };
            let mut error = Diagnostic::error(
                Code::TypeArguments,
                self.at(node),
                format!(
                    "`{name}` takes {}, and is given {}",
                    counted(expected),
                    counted(args.len())
                ),
            );
            if let Some(at) = self.type_location(ty) {
                error = error.other(at, "declared here");
            }
            self.report(error);
            return self.error_ty();
        }
        if ty == self.kernel.map || ty == self.kernel.set {
            self.demand(Demand::Key, args[0], node);
        }
        match alias {
            Some(target) => self.bring(ty.module, target, &args),
            None => self.named(ty, args),
        }
    }

    /// Elaborates the bodies.
    pub(super) fn bodies(&mut self) {
        for pending in std::mem::take(&mut self.pending) {
            let Pending {
                decl,
                item,
                body,
                written,
            } = pending;
            let index = decl as usize;
            if self.decls[index].kind == DeclKind::Operation {
                self.operation_body(index);
                continue;
            }
            let decl = &self.decls[index];
            let (name, test, result) = (decl.name, decl.test, decl.result);
            self.item_span = self.tree.span(item);
            self.in_default = decl.kind == DeclKind::Default;
            self.type_params.clone_from(&self.decls[index].type_params);
            self.enter(name, test);
            self.current = Some(index as u32);
            if self.decls[index].kind.is_value() {
                // Its value is kept, so it may not depend on who runs it.
                self.effects.calls = super::workflow::Calls::Pure;
            }
            let params: Vec<(Symbol, Ty)> = self.decls[index]
                .params
                .iter()
                .map(|p| (p.name, p.ty))
                .collect();
            for (name, ty) in params {
                self.bind(name, ty);
            }
            self.bound_params(index);
            let start = self.body.exprs.len();
            if self.decls[index].kind.has_effects() {
                let body = self.workflow_body(item, result);
                self.finish_body(item);
                if let Some(body) = body {
                    self.unused_statements(body, start);
                }
                self.decls[index].body = body;
                self.decls[index].locals = self.next_local;
                continue;
            }
            self.returns.push(result);
            let because = written.map(|t| (self.at(t), super::coerce::Reason::Declared));
            let body: ExprId = self.check_because(body, result, because);
            self.finish_body(item);
            self.unused_statements(body, start);
            self.type_params.clear();
            self.decls[index].body = Some(body);
            self.decls[index].locals = self.next_local;
        }
    }
}
