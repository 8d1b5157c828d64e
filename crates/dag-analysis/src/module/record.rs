//! Keeps what the names of a module refer to, if somebody asked for it. Without
//! that, every function here is one test of an option.

use super::{Checker, Input};
use crate::core::{Ctor, DeclKind, DeclRef, Local, ModuleId, Shape, TypeRef};
use crate::known::Value;
use crate::reads::Reads;
use crate::record::{Binding, NameRecord, Target, Use};
use crate::types::Ty;
use dag_syntax::{Node, NodeId, Span, Symbol};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What was kept so far.
#[derive(Default)]
pub(super) struct Recorder {
    uses: Vec<Use>,
    bindings: Vec<Binding>,
    types: Vec<(Span, Ty)>,
    expected: Vec<(Span, Ty)>,
    /// Of the body at hand, whose types are not settled yet.
    open_types: Vec<(Span, Ty)>,
    open_expected: Vec<(Span, Ty)>,
    open_bindings: Vec<(Symbol, Span, Ty)>,
    /// Where the locals of the body at hand are bound.
    places: FxHashMap<Local, Target>,
}

/// Checks a module and keeps the record of its names.
pub(crate) fn check_recorded(input: &Input<'_>) -> NameRecord {
    let reads = Reads::new(input.known, input.id);
    let mut checker = Checker::new(input, &reads);
    checker.recorder = Some(Box::default());
    checker.run();
    let recorder = checker.recorder.take().unwrap_or_default();
    let module = Arc::new(checker.into_module().module);
    let Recorder {
        mut uses,
        mut bindings,
        mut types,
        mut expected,
        ..
    } = *recorder;
    declarations(&module, &mut uses);
    let tree = input.tree;
    for item in tree.children(tree.root()) {
        let params = tree.child(*item, Node::TypeParams);
        for param in params.map_or(&[][..], |p| tree.children(p)) {
            if tree.kind(*param) != Node::Name {
                continue;
            }
            let span = tree.span(*param);
            uses.push(Use {
                span,
                target: Target::TypeParam(span),
                declares: true,
            });
        }
    }
    if let Some((_, at)) = crate::index::module_name(tree) {
        uses.push(Use {
            span: at.span,
            target: Target::Module(module.id),
            declares: true,
        });
    }
    // A pun's field comes before its local: both stand in one place.
    uses.sort();
    uses.dedup();
    bindings.sort_by_key(|b| b.span);
    types.sort_by_key(|(span, _)| *span);
    types.dedup_by_key(|(span, _)| *span);
    expected.sort_by_key(|(span, _)| *span);
    expected.dedup_by_key(|(span, _)| *span);
    NameRecord {
        module,
        uses,
        bindings,
        types,
        expected,
    }
}

/// The declarations of a module, which are names too.
fn declarations(module: &crate::core::Module, uses: &mut Vec<Use>) {
    let mut add = |span: Span, target: Target| {
        uses.push(Use {
            span,
            target,
            declares: true,
        });
    };
    for (index, def) in module.types.iter().enumerate() {
        let ty = TypeRef {
            module: module.id,
            index: index as u32,
        };
        // A refinement behind a field's type has no name of its own.
        if def.name.as_str().contains(' ') {
            continue;
        }
        // What an `output` block declares stands at the name of its operation.
        if !def.name.as_str().contains('.') {
            add(def.span, Target::Type(ty));
        }
        for (variant, named) in def.variants().iter().enumerate() {
            let variant = variant as u32;
            let ctor = Ctor { ty, variant };
            if !matches!(def.shape, Shape::Record(_)) {
                add(named.span, Target::Variant(ctor));
            }
            for (field, named) in named.fields.iter().enumerate() {
                // The value of a variant has no name.
                if named.name.as_str() != "0" {
                    add(named.span, Target::Field(ctor, field as u32));
                }
            }
        }
    }
    for resource in &module.resources {
        for (index, capability) in resource.capabilities.iter().enumerate() {
            let target = Target::Capability(resource.ty, index as u32);
            add(capability.span, target);
        }
    }
    for (index, decl) in module.decls.iter().enumerate() {
        let at = DeclRef {
            module: module.id,
            index: index as u32,
        };
        // A default value has no name: where it stands is a parameter or a field.
        if decl.kind == DeclKind::Default {
            continue;
        }
        add(decl.span, Target::Decl(at));
        for (param, named) in decl.params.iter().enumerate() {
            add(named.span, Target::Param(at, param as u32));
        }
    }
}

impl Checker<'_> {
    /// Keeps what the name at a place refers to.
    fn refer_span(&mut self, span: Span, target: Target) {
        if let Some(recorder) = &mut self.recorder {
            recorder.uses.push(Use {
                span,
                target,
                declares: false,
            });
        }
    }

    /// Keeps what a name refers to; of a dotted one, what its last part does, and
    /// of the part before it, which module or type it is.
    pub(super) fn refer(&mut self, node: NodeId, target: Target) {
        if self.recorder.is_none() {
            return;
        }
        if self.refer_member(node, target) {
            return;
        }
        let (text, span) = (self.tree.text(node), self.tree.span(node));
        let Some(dot) = text.rfind('.') else {
            self.refer_span(span, target);
            return;
        };
        let rest = &text[dot + 1..];
        let blank = (rest.len() - rest.trim_start().len()) as u32;
        let last = Span::new(span.start + dot as u32 + 1 + blank, span.end);
        self.refer_span(last, target);
        let before = text[..dot].trim_end();
        let end = span.start + before.len() as u32;
        let qualifier: String = before.split_whitespace().collect();
        let of_type = match target {
            Target::Variant(ctor) => {
                let name = qualifier.rsplit('.').next().unwrap_or_default();
                self.type_def(ctor.ty)
                    .is_some_and(|d| d.name.as_str() == name)
                    .then_some(ctor.ty)
            }
            _ => None,
        };
        match of_type {
            Some(ty) => {
                let start = before.rfind('.').map_or(0, |i| i + 1);
                let start = start + before[start..].len() - before[start..].trim_start().len();
                self.refer_span(Span::new(span.start + start as u32, end), Target::Type(ty));
                if let Some((module, _)) = qualifier.rsplit_once('.') {
                    let dot = before.rfind('.').unwrap_or_default();
                    let end = span.start + before[..dot].trim_end().len() as u32;
                    self.refer_module(Symbol::new(module), Span::new(span.start, end));
                }
            }
            None => self.refer_module(Symbol::new(&qualifier), Span::new(span.start, end)),
        }
    }

    /// Keeps what `name.member` of a used resource refers to: the row of `uses`, and
    /// the capability or fact.
    fn refer_member(&mut self, node: NodeId, target: Target) -> bool {
        if self.tree.kind(node) != Node::FieldExpr {
            return false;
        }
        let (Some(base), Some(member)) = (
            self.tree.expr_child(node),
            self.tree.child(node, Node::Name),
        ) else {
            return false;
        };
        let name = self.tree.symbol(base);
        let Some(row) = self.effects.used.get(&name).map(|at| at.span) else {
            return false;
        };
        if self.local(name).is_some() {
            return false;
        }
        self.refer_span(self.tree.span(base), Target::Local(row));
        let span = self.tree.span(member);
        self.refer_span(span, target);
        let resource = self.effects.resource_types.get(&name).copied();
        let found = resource.and_then(|ty| self.capability_at(ty, self.tree.symbol(member)));
        if let Some(capability) = found {
            self.refer_span(span, capability);
        }
        true
    }

    /// Keeps that the name of a row of `uses` stands for a resource.
    pub(super) fn bound_use(&mut self, node: NodeId) {
        let span = self.tree.span(node);
        if let Some(recorder) = &mut self.recorder {
            recorder.uses.push(Use {
                span,
                target: Target::Local(span),
                declares: true,
            });
        }
    }

    /// Keeps that a text names a declaration of a module, or the module.
    pub(super) fn refer_text(&mut self, node: NodeId, target: Target) {
        let span = self.tree.span(node);
        let name = self.tree.text(node).trim_matches('"');
        // Of a dotted name, what its last part does.
        let before = match target {
            Target::Module(_) => 0,
            _ => name.rfind('.').map_or(0, |dot| dot + 1),
        };
        let inside = Span::new(span.start + 1 + before as u32, span.end - 1);
        self.refer_span(inside, target);
    }

    fn refer_module(&mut self, name: Symbol, span: Span) {
        let name = self.aliases.target(name).unwrap_or(name);
        let module = if name == self.name {
            Some(self.id)
        } else {
            self.known.module(name)
        };
        if let Some(module) = module {
            self.refer_span(span, Target::Module(module));
        }
    }

    /// Keeps that a name is a module.
    pub(super) fn refer_import(&mut self, span: Span, module: ModuleId) {
        self.refer_span(span, Target::Module(module));
    }

    /// Keeps that a name is a constructor, or an alias of a record.
    pub(super) fn refer_ctor(&mut self, node: NodeId, ctor: Ctor) {
        if self.recorder.is_none() {
            return;
        }
        let target = match self.type_def(ctor.ty).map(|d| (&d.shape, d.name)) {
            Some((Shape::Record(_), name)) => {
                let written = self.tree.symbol(node);
                let last = written.as_str().rsplit('.').next().unwrap_or_default();
                let alias = (last != name.as_str())
                    .then(|| self.type_at(written.as_str()).flatten())
                    .flatten();
                Target::Type(alias.unwrap_or(ctor.ty))
            }
            _ => Target::Variant(ctor),
        };
        self.refer(node, target);
    }

    /// Keeps what a value's name refers to. Which of several functions is meant is
    /// known only at the call.
    pub(super) fn refer_value(&mut self, node: NodeId, value: &Value) {
        if self.recorder.is_none() {
            return;
        }
        match value {
            Value::Ctor(ctor) => self.refer_ctor(node, *ctor),
            Value::Decls(decls) => {
                for decl in decls {
                    self.refer(node, Target::Decl(*decl));
                }
            }
            Value::Broken | Value::Ambiguous(_) => {}
        }
    }

    /// Keeps that a name is the field of a record's type.
    pub(super) fn refer_field(&mut self, node: NodeId, record: Ty, index: u32) {
        if self.recorder.is_none() {
            return;
        }
        let record = self.unrefined(record);
        if let Some((ty, _)) = self.head(record) {
            let ctor = Ctor { ty, variant: 0 };
            let span = self.tree.span(node);
            self.refer_span(span, Target::Field(ctor, index));
        }
    }

    /// Keeps that a name is a local.
    pub(super) fn refer_local(&mut self, node: NodeId, local: Local) {
        let place = self.recorder.as_ref().and_then(|r| r.places.get(&local));
        if let Some(target) = place.copied() {
            let span = self.tree.span(node);
            self.refer_span(span, target);
        }
    }

    /// Keeps that a name is a type parameter of the item it stands in.
    pub(super) fn refer_type_param(&mut self, node: NodeId, index: usize) {
        if self.recorder.is_none() {
            return;
        }
        let span = self.tree.span(node);
        let items = self.tree.children(self.tree.root());
        let item = items.partition_point(|i| self.tree.span(*i).end < span.end);
        let params = items
            .get(item)
            .and_then(|i| self.tree.child(*i, Node::TypeParams));
        let place = params.and_then(|p| self.tree.children_of(p, Node::Name).nth(index));
        if let Some(place) = place.map(|p| self.tree.span(p)) {
            self.refer_span(span, Target::TypeParam(place));
        }
    }

    /// Keeps where a local is bound.
    pub(super) fn bound(&mut self, local: Local, node: NodeId, ty: Ty) {
        let span = self.tree.span(node);
        let name = self.tree.symbol(node);
        if let Some(recorder) = &mut self.recorder {
            let target = Target::Local(span);
            recorder.places.insert(local, target);
            recorder.open_bindings.push((name, span, ty));
            if name.as_str() != "_" {
                recorder.uses.push(Use {
                    span,
                    target,
                    declares: true,
                });
            }
        }
    }

    /// Keeps that the first locals of a declaration are its parameters.
    pub(super) fn bound_params(&mut self, index: usize) {
        let Some(recorder) = &mut self.recorder else {
            return;
        };
        let decl = DeclRef {
            module: self.id,
            index: index as u32,
        };
        for (param, named) in self.decls[index].params.iter().enumerate() {
            let param = param as u32;
            recorder
                .places
                .insert(Local(param), Target::Param(decl, param));
            recorder
                .open_bindings
                .push((named.name, named.span, named.ty));
        }
    }

    /// Keeps the type of an expression.
    pub(super) fn typed(&mut self, node: NodeId, ty: Ty) {
        if let Some(recorder) = &mut self.recorder {
            recorder.open_types.push((self.tree.span(node), ty));
        }
    }

    /// Keeps which type is expected of an expression or a pattern.
    pub(super) fn expects(&mut self, node: NodeId, ty: Ty) {
        if let Some(recorder) = &mut self.recorder {
            recorder.open_expected.push((self.tree.span(node), ty));
        }
    }

    /// Forgets what belongs to a body that was left.
    pub(super) fn enter_record(&mut self) {
        if let Some(recorder) = &mut self.recorder {
            recorder.places.clear();
            recorder.open_types.clear();
            recorder.open_expected.clear();
            recorder.open_bindings.clear();
        }
    }

    /// The types of a body, now that its variables are as known as they will be.
    pub(super) fn settle_record(&mut self) {
        let Some(mut recorder) = self.recorder.take() else {
            return;
        };
        for (span, ty) in std::mem::take(&mut recorder.open_types) {
            recorder.types.push((span, self.settled(ty)));
        }
        for (span, ty) in std::mem::take(&mut recorder.open_expected) {
            recorder.expected.push((span, self.settled(ty)));
        }
        for (name, span, ty) in std::mem::take(&mut recorder.open_bindings) {
            let ty = self.settled(ty);
            let shown = self.show(ty);
            recorder.bindings.push(Binding {
                name,
                span,
                shown,
                ty,
            });
        }
        self.recorder = Some(recorder);
    }
}
