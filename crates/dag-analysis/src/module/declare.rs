//! A module's declarations: its types first, then the heads of its functions
//! and data, then their bodies.

use super::Checker;
use super::scope::Value;
use crate::core::{
    Ctor, Decl, DeclKind, DeclRef, Expr, ExprId, Field, Intrinsic, Param, Predicate, Shape,
    TypeDef, TypeRef, Variant,
};
use crate::kernel::Kernel;
use crate::program::PRELUDE;
use crate::types::{Ty, TyKind};
use dag_syntax::{Code, Diagnostic, Location, Node, NodeId, Symbol};
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
        self.name_types(&nodes);
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
        for index in 0..nodes.len() {
            self.shape(index, &nodes, &mut progress);
        }
        self.name_variants(nodes.len());
        self.refuse_endless(nodes.len());
        self.heads(&items);
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
            });
            if let Some(other) = first.get(&name) {
                self.duplicate("type", name, name_node, *other);
                continue;
            }
            first.insert(name, name_node);
            self.refuse_imported(name, name_node);
            self.scope.add_type(
                name,
                TypeRef {
                    module: self.id,
                    index: index as u32,
                },
            );
        }
    }

    fn duplicate(&mut self, what: &str, name: Symbol, node: NodeId, first: NodeId) {
        let error = Diagnostic::error(
            Code::DuplicateName,
            self.at(node),
            format!("the {what} `{name}` is declared twice"),
        )
        .other(self.at(first), "the first one");
        self.report(error);
    }

    fn params_of(&mut self, item: NodeId) -> Vec<Symbol> {
        let Some(params) = self.tree.child(item, Node::TypeParams) else {
            return Vec::new();
        };
        let mut names = Vec::new();
        for node in self.tree.children(params).to_vec() {
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

    /// Names declared by items that do not parse: known, but of no known type,
    /// so that one mistake is reported once.
    fn name_broken(&mut self, items: &[NodeId]) {
        for item in items.iter().filter(|i| self.tree.kind(**i) == Node::Error) {
            for child in self.tree.children(*item).to_vec() {
                let name = match self.tree.kind(child) {
                    Node::Name => Some(child),
                    Node::Variant => self.tree.child(child, Node::Name),
                    _ => None,
                };
                let Some(name) = name.map(|n| self.tree.symbol(n)) else {
                    continue;
                };
                self.scope.add_value(name, Value::Broken);
                if self.scope.ty(name).is_none() {
                    self.scope.add_broken_type(name);
                }
            }
        }
    }

    /// Works out what a declared type is. Aliases are followed at once, so that
    /// no type mentions one afterwards.
    fn shape(&mut self, index: usize, nodes: &[NodeId], progress: &mut [Progress]) {
        if progress[index] != Progress::New {
            return;
        }
        progress[index] = Progress::Open;
        let node = nodes[index];
        let outer = std::mem::replace(&mut self.type_params, self.types[index].params.clone());
        let shape = if let Some(body) = self.tree.child(node, Node::RecordBody) {
            // Fields may mention the type itself: not through aliases, though.
            self.aliases_in(body, nodes, progress);
            let name = self.types[index].name;
            let span = self.types[index].span;
            Shape::Record(Variant {
                name,
                span,
                fields: self.fields(body),
            })
        } else if let Some(body) = self.tree.child(node, Node::CoproductBody) {
            self.aliases_in(body, nodes, progress);
            Shape::Coproduct(self.variants(body))
        } else if let Some(body) = self.tree.child(node, Node::AliasBody) {
            self.aliases_in(body, nodes, progress);
            match self.tree.type_child(body) {
                Some(target) => {
                    let base = self.type_of(target);
                    match self.tree.child(body, Node::Where) {
                        Some(clause) => {
                            let predicates = self.predicates(clause, base);
                            Shape::Refined { base, predicates }
                        }
                        None => Shape::Alias(base),
                    }
                }
                None => Shape::Opaque,
            }
        } else {
            Shape::Opaque
        };
        self.type_params = outer;
        if matches!(shape, Shape::Alias(_) | Shape::Refined { .. }) {
            let def = &self.types[index];
            if def.observed || def.sole_constructor {
                self.error(
                    Code::BadTypeDeclaration,
                    node,
                    "only a record or a coproduct can be `observed` or have a `sole_constructor`",
                );
            }
        }
        self.types[index].shape = shape;
        progress[index] = Progress::Done;
    }

    /// Works out the aliases that a type's body mentions before the body itself.
    fn aliases_in(&mut self, body: NodeId, nodes: &[NodeId], progress: &mut [Progress]) {
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
            if self.tree.child(nodes[index], Node::AliasBody).is_none() {
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
                self.shape(index, nodes, progress);
            }
        }
    }

    fn fields(&mut self, body: NodeId) -> Vec<Field> {
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
            fields.push(Field {
                name,
                span: self.tree.span(name_node),
                ty,
            });
        }
        fields
    }

    fn variants(&mut self, body: NodeId) -> Vec<Variant> {
        let mut variants: Vec<Variant> = Vec::new();
        for node in self.tree.children(body).to_vec() {
            let Some(name_node) = self.tree.child(node, Node::Name) else {
                continue;
            };
            let name = self.tree.symbol(name_node);
            let fields = match self.tree.child(node, Node::RecordBody) {
                Some(record) => self.fields(record),
                None => match self.tree.type_child(node) {
                    Some(payload) => {
                        let ty = self.type_of(payload);
                        let span = self.tree.span(payload);
                        vec![Field {
                            name: Symbol::new("0"),
                            span,
                            ty,
                        }]
                    }
                    None => Vec::new(),
                },
            };
            variants.push(Variant {
                name,
                span: self.tree.span(name_node),
                fields,
            });
        }
        variants
    }

    fn name_variants(&mut self, count: usize) {
        let mut first: FxHashMap<Symbol, Location> = FxHashMap::default();
        for index in 0..count {
            let ty = TypeRef {
                module: self.id,
                index: index as u32,
            };
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
                if let Some(import) = self.scope.imported_at(name) {
                    let error = Diagnostic::error(
                        Code::DuplicateName,
                        at,
                        format!("`{name}` is declared here and imported"),
                    )
                    .other(import, "imported here");
                    self.report(error);
                }
                self.scope
                    .add_value(name, Value::Ctor(Ctor { ty, variant }));
            }
        }
    }

    /// Refuses types that contain themselves where they cannot: through a
    /// function (evaluation would not end), or without an end (no value).
    fn refuse_endless(&mut self, count: usize) {
        let mut edges: Vec<Vec<(usize, bool)>> = Vec::with_capacity(count);
        for index in 0..count {
            let mut found = Vec::new();
            for field in self.types[index].variants().iter().flat_map(|v| &v.fields) {
                self.own_types(field.ty, false, &mut found);
            }
            found.retain(|(target, _)| *target < count);
            edges.push(found);
        }
        for index in 0..count {
            // States: reached without and with a function on the way.
            let mut seen = vec![[false; 2]; count];
            let mut todo = vec![(index, false)];
            while let Some((at, through)) = todo.pop() {
                for (next, function) in &edges[at] {
                    let through = through || *function;
                    if !std::mem::replace(&mut seen[*next][usize::from(through)], true) {
                        todo.push((*next, through));
                    }
                }
            }
            if seen[index][1] {
                let def = &self.types[index];
                let at = Location {
                    source: self.tree.source(),
                    span: def.span,
                };
                let message = format!("`{}` contains itself through a function", def.name);
                self.report(
                    Diagnostic::error(Code::BadTypeDeclaration, at, message)
                        .note("a function kept in its own argument could call itself for ever"),
                );
            }
        }
        let mut built = vec![false; count];
        loop {
            let mut changed = false;
            for index in 0..count {
                if built[index] {
                    continue;
                }
                let can = match &self.types[index].shape {
                    Shape::Record(_) | Shape::Coproduct(_) => self.types[index]
                        .variants()
                        .iter()
                        .any(|v| v.fields.iter().all(|f| self.can_be_built(f.ty, &built))),
                    Shape::Opaque | Shape::Alias(_) | Shape::Refined { .. } => true,
                };
                if can {
                    built[index] = true;
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        for (index, built) in built.into_iter().enumerate() {
            if !built {
                let def = &self.types[index];
                let at = Location {
                    source: self.tree.source(),
                    span: def.span,
                };
                let message = format!(
                    "no value of `{}` can be built: it contains itself without an end",
                    def.name
                );
                self.report(Diagnostic::error(Code::BadTypeDeclaration, at, message));
            }
        }
    }

    fn own_types(&self, ty: Ty, function: bool, found: &mut Vec<(usize, bool)>) {
        match self.table.kind(ty) {
            TyKind::Named(named, args) => {
                if named.module == self.id {
                    found.push((named.index as usize, function));
                }
                for arg in args {
                    self.own_types(*arg, function, found);
                }
            }
            TyKind::Function(params, result) => {
                for ty in params.iter().chain([result]) {
                    self.own_types(*ty, true, found);
                }
            }
            TyKind::Param(..) | TyKind::Variable(_) | TyKind::Error => {}
        }
    }

    fn can_be_built(&self, ty: Ty, built: &[bool]) -> bool {
        match self.table.kind(ty) {
            TyKind::Named(named, _) if named.module == self.id => {
                built.get(named.index as usize).copied().unwrap_or(true)
            }
            _ => true,
        }
    }

    fn heads(&mut self, items: &[NodeId]) {
        let prelude = self.name.as_str() == PRELUDE;
        let mut nodes = Vec::new();
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
            let params = self.params(*item);
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
                params,
                result,
                body: None,
                intrinsic,
                locals: 0,
            });
            nodes.push((*item, name_node));
            if prelude {
                self.scope.add_overload(name, decl);
                continue;
            }
            let earlier = self.decls[..decl.index as usize]
                .iter()
                .position(|d| d.name == name);
            if let Some(earlier) = earlier {
                self.duplicate("name", name, name_node, nodes[earlier].1);
                continue;
            }
            self.refuse_imported(name, name_node);
            self.scope.add_value(name, Value::Decls(vec![decl]));
        }
        self.items = nodes.into_iter().map(|(item, _)| item).collect();
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

    fn params(&mut self, item: NodeId) -> Vec<Param> {
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
            params.push(Param {
                name,
                span: self.tree.span(name_node),
                ty,
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
        let predicates = self.predicates(clause, base);
        if predicates.is_empty() {
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
            params: Vec::new(),
            shape: Shape::Refined { base, predicates },
            observed: false,
            sole_constructor: false,
        });
        self.named(ty, Vec::new())
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
                self.table.intern(TyKind::Function(types.into(), result))
            }
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
        match alias {
            Some(target) => self.bring(ty.module, target, &args),
            None => self.named(ty, args),
        }
    }

    fn predicates(&mut self, clause: NodeId, base: Ty) -> Vec<Predicate> {
        let mut predicates = Vec::new();
        for node in self.tree.children(clause).to_vec() {
            if let Some(predicate) = self.predicate(node, base) {
                predicates.push(predicate);
            }
        }
        predicates
    }

    fn predicate(&mut self, node: NodeId, base: Ty) -> Option<Predicate> {
        let name_node = self.tree.child(node, Node::Name)?;
        let name = self.tree.symbol(name_node);
        let plain = self.unrefined(base);
        let head = self.head(plain).map(|(ty, _)| ty);
        let args: Vec<(Option<Symbol>, Expr, NodeId)> = self
            .tree
            .children_of(node, Node::PredicateArg)
            .collect::<Vec<_>>()
            .into_iter()
            .filter_map(|arg| {
                let label = self
                    .tree
                    .child(arg, Node::Name)
                    .map(|n| self.tree.symbol(n));
                let value = self.tree.expr_child(arg)?;
                Some((label, self.literal(value)?, value))
            })
            .collect();
        let fits = |fit: bool| fit || self.is_error(plain);
        let (predicate, fit) = match (name.as_str(), args.as_slice()) {
            ("non_empty", []) => (
                Predicate::NonEmpty,
                fits(head == Some(self.kernel.string) || head == Some(self.kernel.list)),
            ),
            ("brand", [(None, Expr::Str(text), _)]) => (Predicate::Brand(text.clone()), true),
            ("pattern", [(None, Expr::Str(text), at)]) => {
                if let Err(error) = regex_lite::Regex::new(text) {
                    let message = format!("this is no regular expression: {error}");
                    self.error(Code::BadTypeDeclaration, *at, message);
                    return None;
                }
                (
                    Predicate::Pattern(text.clone()),
                    fits(head == Some(self.kernel.string)),
                )
            }
            ("range", bounds @ ([_] | [_, _])) => {
                let bound = |label: &str| {
                    bounds.iter().find_map(|(l, e, _)| match e {
                        Expr::Int(value) if l.is_some_and(|l| l.as_str() == label) => Some(*value),
                        _ => None,
                    })
                };
                let (min, max) = (bound("min"), bound("max"));
                if usize::from(min.is_some()) + usize::from(max.is_some()) != bounds.len() {
                    self.bad_predicate(node);
                    return None;
                }
                (
                    Predicate::Range { min, max },
                    fits(head == Some(self.kernel.int)),
                )
            }
            _ => {
                self.bad_predicate(node);
                return None;
            }
        };
        if !fit {
            let shown = self.show(plain);
            self.error(
                Code::BadTypeDeclaration,
                node,
                format!("`{name}` says nothing about a value of type {shown}"),
            );
            return None;
        }
        Some(predicate)
    }

    fn bad_predicate(&mut self, node: NodeId) {
        let error = Diagnostic::error(
            Code::BadTypeDeclaration,
            self.at(node),
            format!("`{}` is no predicate", self.tree.text(node)),
        )
        .note("predicates: non_empty, range(min: 0, max: 9), pattern(\"[a-z]+\"), brand(\"Name\")");
        self.report(error);
    }

    /// Elaborates the bodies.
    pub(super) fn bodies(&mut self) {
        for index in 0..self.items.len() {
            let item = self.items[index];
            if self.decls[index].intrinsic.is_some() {
                continue;
            }
            let Some(body) = self.tree.expr_child(item) else {
                continue;
            };
            let decl = &self.decls[index];
            let (name, test, result) = (decl.name, decl.test, decl.result);
            self.type_params.clone_from(&self.decls[index].type_params);
            self.enter(name, test);
            let params: Vec<(Symbol, Ty)> = self.decls[index]
                .params
                .iter()
                .map(|p| (p.name, p.ty))
                .collect();
            for (name, ty) in params {
                self.bind(name, ty);
            }
            self.returns.push(result);
            let written = self.tree.type_child(item);
            let because = written.map(|t| (self.at(t), "declared here".to_owned()));
            let body: ExprId = self.check_because(body, result, because);
            self.type_params.clear();
            self.decls[index].body = Some(body);
            self.decls[index].locals = self.next_local;
        }
    }
}
