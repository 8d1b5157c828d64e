//! Services: what each operation asks, what its statuses give, and its mock.

mod output;
mod request;
mod rest;
mod shell_text;

use super::Checker;
use crate::core::{
    Ctor, Decl, DeclKind, DeclRef, Expr, Param, Run, Shape, TypeDef, TypeRef, Variant,
};
use crate::known::Value;
use crate::operation::{Exit, Operation, Perform, Promises, Status, Verb};
use crate::types::{Ty, TyKind};
use dag_syntax::{Code, Diagnostic, Node, NodeId, Symbol};

/// What carries operations out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carrier {
    Shell,
    File,
    Rest,
}

/// An operation whose head is declared and whose request is yet to be worked out.
#[derive(Clone, Debug)]
pub(super) struct OperationHead {
    node: NodeId,
    name: Symbol,
    transport: NodeId,
    config: Option<NodeId>,
    carrier: Carrier,
    promises: Promises,
    exits: Vec<Exit>,
    /// What its `output` block declares.
    output: Option<TypeRef>,
    result: Ty,
}

impl Checker<'_> {
    fn services(&self, items: &[NodeId]) -> Vec<NodeId> {
        let kind = |i: &NodeId| self.tree.kind(*i) == Node::ServiceDecl;
        items.iter().copied().filter(kind).collect()
    }

    /// `service.operation`.
    fn operation_name(&self, service: NodeId, operation: NodeId) -> Option<(Symbol, NodeId)> {
        let path = self.tree.child(service, Node::Path)?;
        let name = self.tree.child(operation, Node::Name)?;
        let whole = format!("{}.{}", self.tree.symbol(path), self.tree.symbol(name));
        Some((Symbol::new(&whole), name))
    }

    /// Names the records that `output` blocks declare, before any type is looked
    /// into: a declared type may mention one.
    pub(super) fn name_outputs(&mut self, items: &[NodeId]) {
        for service in self.services(items) {
            let operations: Vec<NodeId> = self.tree.children_of(service, Node::Operation).collect();
            for operation in operations {
                let Some((name, name_node)) = self.operation_name(service, operation) else {
                    continue;
                };
                if self.tree.child(operation, Node::Outputs).is_none()
                    || self.scope.own(name).ty.is_some()
                {
                    continue;
                }
                let ty = TypeRef {
                    module: self.id,
                    index: self.types.len() as u32,
                };
                self.types.push(TypeDef {
                    name,
                    span: self.tree.span(name_node),
                    params: Vec::new(),
                    shape: Shape::Opaque,
                    observed: false,
                    sole_constructor: false,
                    nominal_opaque: false,
                });
                self.scope.add_type(name, ty);
            }
        }
    }

    /// Declares the operations: their inputs, and what they give.
    pub(super) fn declare_services(&mut self, items: &[NodeId]) {
        for service in self.services(items) {
            let Some(path) = self.tree.child(service, Node::Path) else {
                continue;
            };
            let name = self.tree.symbol(path);
            let at = self.at(path);
            let known = self.scope.own(name);
            if let Some(first) = self.effects.services.get(&name) {
                self.duplicate("service", name, path, *first);
                continue;
            }
            if known.ty.is_some() || known.value.is_some() {
                self.error(
                    Code::DuplicateName,
                    path,
                    format!("the name `{name}` is declared twice"),
                );
                continue;
            }
            self.refuse_imported(name, at);
            self.effects.services.insert(name, at);
            self.service(service);
        }
    }

    fn service(&mut self, service: NodeId) {
        let mut transport = None;
        let mut config = None;
        let mut operations = Vec::new();
        for member in self.tree.children(service).to_vec() {
            let (place, what) = match self.tree.kind(member) {
                Node::Transport => (&mut transport, "`transport`"),
                Node::ConfigBlock => (&mut config, "`config`"),
                Node::Operation => {
                    operations.push(member);
                    continue;
                }
                _ => continue,
            };
            if place.replace(member).is_some() {
                self.error(
                    Code::BadService,
                    member,
                    format!("a service has one {what} at most"),
                );
            }
        }
        if operations.is_empty() {
            self.error(Code::BadService, service, "a service has an operation");
        }
        for operation in operations {
            self.operation_head(service, operation, transport, config);
        }
    }

    fn operation_head(
        &mut self,
        service: NodeId,
        node: NodeId,
        shared: Option<NodeId>,
        config: Option<NodeId>,
    ) {
        let Some((name, name_node)) = self.operation_name(service, node) else {
            return;
        };
        if self.scope.own(name).value.is_some() {
            self.error(
                Code::DuplicateName,
                name_node,
                format!("the operation `{name}` is declared twice"),
            );
            return;
        }
        self.once(node);
        let output = self.output_record(node, name);
        let params = match self.tree.child(node, Node::Inputs) {
            Some(inputs) => self.inputs(inputs, name),
            None => Vec::new(),
        };
        let own = self.tree.child(node, Node::Transport);
        let Some(transport) = own.or(shared) else {
            let error = Diagnostic::error(
                Code::BadService,
                self.at(name_node),
                format!("nothing carries `{name}` out"),
            )
            .cure("give it, or the service, a `transport shell { argv: […] }`, `file { … }` or `rest { … }`");
            self.report(error);
            self.declare_operation(name, name_node, node, params, None);
            return;
        };
        let carrier = match self.tree.child(transport, Node::Name) {
            Some(word) => match self.tree.text(word) {
                "file" => Carrier::File,
                "rest" => Carrier::Rest,
                _ => Carrier::Shell,
            },
            None => Carrier::Shell,
        };
        if let Some(config) = config.filter(|_| carrier != Carrier::Rest) {
            self.error(
                Code::NoMeaning,
                config,
                "a `config` says where requests over HTTP go, and this service makes none",
            );
        }
        let promises = self.promises(node);
        let mistakes = self.mistakes();
        let verb = self.verb(transport, carrier);
        let given = self.given(node, carrier, verb, output);
        // What an operation with a mistake gives is not known.
        let result = (self.mistakes() == mistakes).then_some(given.0);
        if result.is_none() {
            // Its request is not worked out.
            self.transport_entries(transport, carrier);
        }
        let decl = self.declare_operation(name, name_node, node, params, result);
        if let (Some(decl), Some(result)) = (decl, result) {
            self.effects.heads.insert(
                decl,
                OperationHead {
                    node,
                    name,
                    transport,
                    config,
                    carrier,
                    promises,
                    exits: given.1,
                    output,
                    result,
                },
            );
        }
    }

    /// Each part of an operation stands once.
    fn once(&mut self, operation: NodeId) {
        let mut seen: Vec<&str> = Vec::new();
        for part in self.tree.children(operation).to_vec() {
            let what = match self.tree.kind(part) {
                Node::Inputs => "input",
                Node::Outputs => "output",
                Node::Transport => "transport",
                Node::ExitTable => "exit",
                Node::ResponseTable => "response",
                Node::MockTable => "mock_response",
                Node::Flag => self.tree.text(part),
                _ => continue,
            };
            if seen.contains(&what) {
                let message = format!("`{what}` stands twice in one operation");
                self.error(Code::BadService, part, message);
            } else {
                seen.push(what);
            }
        }
    }

    fn inputs(&mut self, node: NodeId, name: Symbol) -> Vec<Param> {
        let mut params: Vec<Param> = Vec::new();
        for field in self.fields_of(node, name) {
            if field.source.is_some() {
                let at = dag_syntax::Location {
                    source: self.tree.source(),
                    span: field.span,
                };
                let error = Diagnostic::error(
                    Code::NoMeaning,
                    at,
                    format!("the input `{}` is given by the caller", field.name),
                )
                .note("only an output is read `from` something");
                self.report(error);
            }
            params.push(Param {
                name: field.name,
                span: field.span,
                ty: field.ty,
                default: field.default,
            });
        }
        params
    }

    /// Refuses default values of fields that nobody leaves out.
    pub(super) fn refuse_defaults(&mut self, body: NodeId, why: &str) {
        for field in self.tree.children(body).to_vec() {
            if let Some(default) = self.tree.child(field, Node::Default) {
                let error = Diagnostic::error(
                    Code::NoMeaning,
                    self.at(default),
                    "this field has no default value",
                )
                .note(why.to_owned());
                self.report(error);
            }
        }
    }

    fn promises(&mut self, operation: NodeId) -> Promises {
        let mut promises = Promises::default();
        for flag in self
            .tree
            .children_of(operation, Node::Flag)
            .collect::<Vec<_>>()
        {
            match self.tree.text(flag) {
                "readonly" => promises.readonly = true,
                "idempotent" => promises.idempotent = true,
                _ => promises.hermetic = true,
            }
        }
        if promises.hermetic && !promises.readonly {
            let flags = self.tree.children_of(operation, Node::Flag);
            let flag = flags.filter(|f| self.tree.text(*f) == "hermetic").last();
            let error = Diagnostic::error(
                Code::BadService,
                self.at(flag.unwrap_or(operation)),
                "a `hermetic` operation is `readonly` too",
            )
            .note("its reply depends on its inputs alone, so it is asked once and changes nothing")
            .cure("write `readonly hermetic`");
            self.report(error);
        }
        promises.idempotent |= promises.readonly;
        promises
    }

    /// The `output` block as a record.
    fn output_record(&mut self, node: NodeId, name: Symbol) -> Option<TypeRef> {
        let outputs = self.tree.child(node, Node::Outputs)?;
        let ty = self.scope.own(name).ty?;
        let fields = self.fields_of(outputs, name);
        self.refuse_defaults(outputs, "an output is read, or the outcome is refused");
        let def = self.types.get_mut(ty.index as usize)?;
        let span = def.span;
        def.shape = Shape::Record(Variant { name, span, fields });
        Some(ty)
    }

    /// Binds the operation; a result that is not known fits everything.
    fn declare_operation(
        &mut self,
        name: Symbol,
        name_node: NodeId,
        node: NodeId,
        params: Vec<Param>,
        result: Option<Ty>,
    ) -> Option<usize> {
        let Some(result) = result else {
            self.scope.add_value(name, Value::Broken);
            self.broken.push(name);
            return None;
        };
        let index = self.declare_item(name, name_node, node, DeclKind::Operation, params, result);
        Some(index)
    }

    /// Adds a declaration of this module that its items did not name.
    pub(super) fn declare_item(
        &mut self,
        name: Symbol,
        name_node: NodeId,
        item: NodeId,
        kind: DeclKind,
        params: Vec<Param>,
        result: Ty,
    ) -> usize {
        let index = self.decls.len();
        let decl = DeclRef {
            module: self.id,
            index: index as u32,
        };
        self.decls.push(Decl {
            name,
            span: self.tree.span(name_node),
            kind,
            test: false,
            type_params: Vec::new(),
            asked: Vec::new(),
            params,
            result,
            body: None,
            intrinsic: None,
            locals: 0,
            admit_callers: None,
        });
        self.pending.push(super::Pending {
            decl: decl.index,
            item,
            body: self.tree.expr_child(item).unwrap_or(item),
            written: self.tree.type_child(item),
        });
        self.refuse_too_deep(item);
        self.scope.add_value(name, Value::Decls(vec![decl]));
        index
    }

    /// Works out the request of an operation, and its mock.
    pub(super) fn operation_body(&mut self, index: usize) {
        let Some(head) = self.effects.heads.remove(&index) else {
            return;
        };
        self.enter(head.name, false);
        let params: Vec<(Symbol, Ty)> = self.decls[index]
            .params
            .iter()
            .map(|p| (p.name, p.ty))
            .collect();
        for (name, ty) in params {
            self.bind(name, ty);
        }
        self.bound_params(index);
        self.effects.output = head.output.map(|ty| Ctor { ty, variant: 0 });
        let mistakes = self.mistakes();
        let (transport, parts) = self.request(&head);
        let (mock, statuses) = self.mock(&head);
        self.effects.output = None;
        self.finish_body(head.node);
        let parts = self.operands(parts);
        let perform = Perform {
            operation: self.effects.operations.len() as u32,
            parts,
            mock,
        };
        let name = self.tree.child(head.node, Node::Name).unwrap_or(head.node);
        let body = if self.mistakes() == mistakes {
            self.push(Expr::Perform(perform), name)
        } else {
            self.push(Expr::Invalid, name)
        };
        self.decls[index].body = Some(body);
        self.decls[index].locals = self.next_local;
        self.effects.operations.push(Operation {
            name: head.name,
            span: self.tree.span(name),
            decl: index as u32,
            promises: head.promises,
            transport,
            exits: head.exits,
            mock: statuses,
        });
    }

    /// The rows of the mock: a list of optionals.
    fn mock(&mut self, head: &OperationHead) -> (Option<crate::core::ExprId>, Vec<Status>) {
        let Some(table) = self.tree.child(head.node, Node::MockTable) else {
            return (None, Vec::new());
        };
        let expected = self.optional(head.result);
        let mut rows = Vec::new();
        let mut statuses = Vec::new();
        for row in self
            .tree
            .children_of(table, Node::StatusRow)
            .collect::<Vec<_>>()
        {
            let (Some(status), Some(value)) =
                (self.status(row, head.carrier), self.tree.expr_child(row))
            else {
                continue;
            };
            if !head.exits.iter().any(|e| contains(e.status, status)) {
                let message = format!("the operation gives nothing for the status {status}");
                let error = Diagnostic::error(Code::BadStatus, self.at(row), message)
                    .cure("give the status a row in its `exit` or `response` table");
                self.report(error);
            }
            rows.push(self.check(value, expected));
            statuses.push(status);
        }
        if rows.is_empty() {
            self.error(Code::BadService, table, "a mock has a row");
        }
        let run: Run = self.operands(rows);
        (Some(self.push(Expr::List(run), table)), statuses)
    }

    /// Whether a value of the type can hold an observed one.
    fn holds_observed(&mut self, ty: Ty) -> Option<TypeRef> {
        let mut seen = rustc_hash::FxHashSet::default();
        let mut todo = vec![ty];
        while let Some(ty) = todo.pop() {
            let ty = self.resolve(ty);
            if !seen.insert(ty) {
                continue;
            }
            let TyKind::Named(named, args) = self.table.kind(ty).clone() else {
                continue;
            };
            // Types without an end: what is in them all cannot be told.
            if seen.len() > 10_000 {
                return Some(named);
            }
            let Some(def) = self.type_def(named) else {
                continue;
            };
            if def.observed {
                return Some(named);
            }
            let base = match def.shape {
                Shape::Refined { base, .. } | Shape::Alias(base) => Some(base),
                _ => None,
            };
            let fields = def.variants().iter().flat_map(|v| &v.fields);
            let parts: Vec<Ty> = fields.map(|f| f.ty).chain(base).collect();
            for part in parts {
                todo.push(self.bring(named.module, part, &args));
            }
            todo.extend(args);
        }
        None
    }

    fn verb(&mut self, transport: NodeId, carrier: Carrier) -> Option<Verb> {
        if carrier != Carrier::File {
            return None;
        }
        let Some(entry) = self.entry(transport, "verb") else {
            return Some(Verb::Read);
        };
        let value = self.tree.expr_child(entry)?;
        match self.plain_text(value).as_deref() {
            Some("read") => Some(Verb::Read),
            Some("write") => Some(Verb::Write),
            Some("list") => Some(Verb::List),
            _ => {
                self.error(
                    Code::BadService,
                    value,
                    "the verb is `\"read\"`, `\"write\"` or `\"list\"`, written out",
                );
                None
            }
        }
    }

    /// The entry of that name.
    fn entry(&self, block: NodeId, name: &str) -> Option<NodeId> {
        let named = |entry: &NodeId| {
            let label = self.tree.child(*entry, Node::Name);
            label.is_some_and(|l| self.tree.text(l) == name)
        };
        self.tree.children_of(block, Node::Entry).find(named)
    }

    /// The text of a string without holes.
    pub(super) fn plain_text(&mut self, node: NodeId) -> Option<std::sync::Arc<str>> {
        if self.tree.kind(node) != Node::StrExpr || !self.tree.children(node).is_empty() {
            return None;
        }
        let (expr, _) = self.infer(node);
        match self.body.expr(expr) {
            Expr::Str(text) => Some(text.clone()),
            _ => None,
        }
    }

    fn status(&mut self, row: NodeId, carrier: Carrier) -> Option<Status> {
        let node = self.tree.child(row, Node::Status)?;
        let text = self.tree.text(node);
        let shell = carrier == Carrier::Shell;
        let status = match text.strip_suffix("xx") {
            Some(class) if carrier == Carrier::Rest => {
                let class = class.parse().ok().filter(|c| (1..=5).contains(c));
                class.map(Status::Class)
            }
            Some(_) => None,
            None if text == "nonzero" && shell => Some(Status::Nonzero),
            None => {
                let range = match carrier {
                    Carrier::Shell => 0..=255,
                    Carrier::File => 0..=0,
                    Carrier::Rest => 100..=599,
                };
                text.parse()
                    .ok()
                    .filter(|c| range.contains(c))
                    .map(Status::Code)
            }
        };
        if status.is_none() {
            let why = match carrier {
                Carrier::Shell => "a program ends with a status from 0 to 255, or `nonzero`",
                Carrier::File => "a file operation has the status 0 alone",
                Carrier::Rest => "an answer has a status from 100 to 599, or `1xx` to `5xx`",
            };
            let error = Diagnostic::error(
                Code::BadStatus,
                self.at(node),
                format!("`{text}` is no status here"),
            )
            .note(why);
            self.report(error);
        }
        status
    }
}

/// Whether a row takes every status that a row of a mock speaks of.
fn contains(row: Status, status: Status) -> bool {
    match status {
        Status::Code(code) => row.takes(code),
        other => row == Status::Any || row == other,
    }
}
