//! Resources: named facts, and capabilities that a `uses` row gives a carrier.
//!
//! A resource has no run-time form. `uses disk: Disk(read: Files.Read)` says
//! that in the body of the workflow `disk.read(…)` is a call of `Files.Read`,
//! which must have the capability's inputs and result; `disk.mount` is the fact.

use super::Checker;
use crate::core::{DeclKind, DeclRef, ModuleId, Shape, TypeDef, TypeRef};
use crate::known::Value;
use crate::operation::{Capability, Gives, Resource};
use crate::record::Target;
use crate::types::Ty;
use dag_syntax::{Code, Diagnostic, Location, Node, NodeId, Span, Symbol};

/// What an operation or workflow must be, to carry out a capability.
struct Wanted {
    name: Symbol,
    at: Location,
    module: ModuleId,
    inputs: Vec<(Symbol, Ty)>,
    gives: Result<Ty, Vec<(Symbol, Ty)>>,
}

impl Checker<'_> {
    fn resource_items(&self, items: &[NodeId]) -> Vec<NodeId> {
        let kind = |i: &NodeId| self.tree.kind(*i) == Node::ResourceDecl;
        items.iter().copied().filter(kind).collect()
    }

    /// Names the resources as types that have no values.
    pub(super) fn name_resources(&mut self, items: &[NodeId]) {
        for item in self.resource_items(items) {
            let Some(name_node) = self.tree.child(item, Node::Name) else {
                continue;
            };
            let name = self.tree.symbol(name_node);
            if let Some(first) = self.scope.own(name).ty {
                let span = self.type_def(first).map_or(Span::default(), |d| d.span);
                let source = self.tree.source();
                self.duplicate("name", name, name_node, Location { source, span });
                continue;
            }
            self.refuse_imported(name, self.at(name_node));
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
            self.effects.resource_nodes.push((ty, item));
        }
    }

    /// Declares the facts and the capabilities.
    pub(super) fn declare_resources(&mut self) {
        for (ty, item) in std::mem::take(&mut self.effects.resource_nodes) {
            let resource = self.type_name(ty);
            let mut found = Resource {
                ty,
                facts: Vec::new(),
                capabilities: Vec::new(),
            };
            let mut seen: Vec<Symbol> = Vec::new();
            for member in self.tree.children(item).to_vec() {
                let Some(name_node) = self.tree.child(member, Node::Name) else {
                    continue;
                };
                if member == name_node {
                    continue;
                }
                let name = self.tree.symbol(name_node);
                if seen.contains(&name) {
                    let message = format!("`{name}` is declared twice in the resource");
                    self.error(Code::DuplicateName, name_node, message);
                    continue;
                }
                seen.push(name);
                match self.tree.kind(member) {
                    Node::Entry => {
                        self.fact(&resource, name, name_node, member);
                        found.facts.push(name);
                    }
                    Node::Capability => {
                        let capability = self.capability(name, name_node, member);
                        found.capabilities.push(capability);
                    }
                    _ => {}
                }
            }
            self.effects.resources.push(found);
        }
    }

    /// A fact is a literal, so that its type is known from it.
    fn fact(&mut self, resource: &str, name: Symbol, name_node: NodeId, entry: NodeId) {
        let Some(value) = self.tree.expr_child(entry) else {
            return;
        };
        let ty = match self.tree.kind(value) {
            Node::StrExpr if self.tree.children(value).is_empty() => self.string(),
            Node::IntExpr => self.int(),
            Node::FloatExpr => self.float(),
            Node::BoolExpr => self.bool(),
            _ => {
                let error = Diagnostic::error(
                    Code::BadUse,
                    self.at(value),
                    format!("the fact `{name}` is no literal"),
                )
                .cure("write a text, a number, `true` or `false`; what is worked out is a `data` item");
                self.report(error);
                return;
            }
        };
        let whole = Symbol::new(&format!("{resource}.{name}"));
        self.declare_item(whole, name_node, entry, DeclKind::Data, Vec::new(), ty);
    }

    fn capability(&mut self, name: Symbol, name_node: NodeId, node: NodeId) -> Capability {
        let inputs = match self.tree.child(node, Node::Inputs) {
            Some(inputs) => {
                self.refuse_defaults(inputs, "what a capability is given, the workflow says");
                self.fields(inputs)
            }
            None => Vec::new(),
        };
        let pairs = |fields: Vec<crate::core::Field>| -> Vec<(Symbol, Ty)> {
            fields.into_iter().map(|f| (f.name, f.ty)).collect()
        };
        let gives = if let Some(outputs) = self.tree.child(node, Node::Outputs) {
            self.refuse_defaults(outputs, "an output is read, or the outcome is refused");
            Gives::Fields(pairs(self.fields(outputs)))
        } else if let Some(ty) = self.tree.type_child(node) {
            Gives::Type(self.type_of(ty))
        } else {
            Gives::Type(self.unit())
        };
        Capability {
            name,
            span: self.tree.span(name_node),
            inputs: pairs(inputs),
            gives,
        }
    }

    /// Binds the names of a workflow's `uses` rows.
    pub(super) fn uses(&mut self, workflow: NodeId) {
        let Some(rows) = self.tree.child(workflow, Node::Uses) else {
            return;
        };
        for row in self.tree.children_of(rows, Node::Use).collect::<Vec<_>>() {
            let (Some(name_node), Some(written)) =
                (self.tree.child(row, Node::Name), self.tree.type_child(row))
            else {
                continue;
            };
            let name = self.tree.symbol(name_node);
            if self.local(name).is_some() || self.effects.used.contains_key(&name) {
                let message = format!("the name `{name}` is taken in this workflow");
                self.error(Code::DuplicateName, name_node, message);
                continue;
            }
            self.effects.used.insert(name, self.at(name_node));
            self.bound_use(name_node);
            let ty = self.type_of(written);
            if self.is_error(ty) {
                self.effects.broken_uses.push(name);
                continue;
            }
            let Some((ty, facts, wanted)) = self.resource_of(ty) else {
                let shown = self.show(ty);
                self.error(
                    Code::BadUse,
                    written,
                    format!("{shown} is no resource, so nothing of it is used"),
                );
                self.effects.broken_uses.push(name);
                continue;
            };
            self.effects.resource_types.insert(name, ty);
            for fact in facts {
                let whole = Symbol::new(&format!("{}.{fact}", self.type_name(ty)));
                if let Some(value) = self.member(ty.module, whole) {
                    let member = Symbol::new(&format!("{name}.{fact}"));
                    self.effects.members.insert(member, value);
                }
            }
            self.carriers(row, name, ty, &wanted);
        }
    }

    fn declared_resource(&self, ty: TypeRef) -> Option<&Resource> {
        let resources = if ty.module == self.id {
            &self.effects.resources
        } else {
            &self.program.get(ty.module)?.resources
        };
        resources.iter().find(|r| r.ty == ty)
    }

    /// The capability of a resource that has that name.
    pub(super) fn capability_at(&self, ty: TypeRef, name: Symbol) -> Option<Target> {
        let capabilities = &self.declared_resource(ty)?.capabilities;
        let index = capabilities.iter().position(|c| c.name == name)?;
        Some(Target::Capability(ty, index as u32))
    }

    fn resource_of(&self, ty: Ty) -> Option<(TypeRef, Vec<Symbol>, Vec<Wanted>)> {
        let (named, _) = self.head(ty)?;
        let found = self.declared_resource(named)?;
        let source = self.source_of(named.module);
        let wanted = found.capabilities.iter().map(|c| Wanted {
            name: c.name,
            at: Location {
                source,
                span: c.span,
            },
            module: named.module,
            inputs: c.inputs.clone(),
            gives: match &c.gives {
                Gives::Type(ty) => Ok(*ty),
                Gives::Fields(fields) => Err(fields.clone()),
            },
        });
        Some((named, found.facts.clone(), wanted.collect()))
    }

    /// What a module declares under a name, whether or not it is imported.
    fn member(&self, module: ModuleId, name: Symbol) -> Option<Value> {
        if module == self.id {
            return self.scope.own(name).value;
        }
        self.program.exports(module)?.get(&name)?.value.clone()
    }

    /// Each capability is given one carrier.
    fn carriers(&mut self, row: NodeId, name: Symbol, resource: TypeRef, wanted: &[Wanted]) {
        let mut given: Vec<Symbol> = Vec::new();
        for arg in self.tree.children_of(row, Node::Arg).collect::<Vec<_>>() {
            let Some(value) = self.tree.expr_child(arg) else {
                continue;
            };
            let Some(label) = self.tree.child(arg, Node::Name) else {
                let error = Diagnostic::error(
                    Code::BadUse,
                    self.at(arg),
                    "a capability is given by its name",
                )
                .cure("write `capability: Service.Operation`");
                self.report(error);
                continue;
            };
            let capability = self.tree.symbol(label);
            let Some(found) = wanted.iter().find(|w| w.name == capability) else {
                let mut error = Diagnostic::error(
                    Code::BadUse,
                    self.at(label),
                    format!("the resource has no capability `{capability}`"),
                );
                let names = wanted.iter().map(|w| w.name.as_str());
                if let Some(near) = self.nearest(capability.as_str(), names) {
                    error = error.cure(format!("did you mean `{near}`?"));
                }
                self.report(error);
                continue;
            };
            if let Some(target) = self.capability_at(resource, capability) {
                self.refer(label, target);
            }
            if given.contains(&capability) {
                let message = format!("`{capability}` is given twice");
                self.error(Code::BadUse, label, message);
                continue;
            }
            given.push(capability);
            let member = Symbol::new(&format!("{name}.{capability}"));
            let value = match self.carrier(found, value) {
                Some(decl) => Value::Decls(vec![decl]),
                None => Value::Broken,
            };
            self.effects.members.insert(member, value);
        }
        let missing: Vec<String> = wanted
            .iter()
            .filter(|w| !given.contains(&w.name))
            .map(|w| format!("`{}`", w.name))
            .collect();
        if !missing.is_empty() {
            let error = Diagnostic::error(
                Code::BadUse,
                self.at(row),
                format!("nothing carries out {}", super::show::listed(&missing)),
            )
            .cure(
                "give each capability an operation or a workflow: `capability: Service.Operation`",
            );
            self.report(error);
            let left = wanted.iter().filter(|w| !given.contains(&w.name));
            for w in left {
                let member = Symbol::new(&format!("{name}.{}", w.name));
                self.effects.members.insert(member, Value::Broken);
            }
        }
    }

    /// The declaration that an expression names, if it can carry out a capability.
    fn carrier(&mut self, wanted: &Wanted, node: NodeId) -> Option<DeclRef> {
        let value = match self.tree.kind(node) {
            Node::NameExpr => self.scope.value(self.tree.symbol(node)),
            Node::FieldExpr => self.dotted_value(node).map(|(value, _)| value),
            _ => None,
        };
        if let Some(value) = &value {
            self.refer_value(node, value);
        }
        let decl = match value {
            Some(Value::Decls(decls)) if decls.len() == 1 => decls[0],
            Some(Value::Broken) => return None,
            _ => {
                let error = Diagnostic::error(
                    Code::BadUse,
                    self.at(node),
                    "this names no operation, workflow or function",
                )
                .other(wanted.at, "the capability");
                self.report(error);
                return None;
            }
        };
        let signature = self.signature(decl);
        let why = self.unfit(wanted, decl, &signature)?;
        if why.is_empty() {
            return Some(decl);
        }
        let error = Diagnostic::error(
            Code::BadUse,
            self.at(node),
            format!(
                "`{}` does not carry out `{}`: {why}",
                signature.name, wanted.name
            ),
        )
        .other(wanted.at, "the capability");
        self.report(error);
        None
    }

    /// Why a declaration does not carry a capability out; empty if it does.
    fn unfit(
        &mut self,
        wanted: &Wanted,
        decl: DeclRef,
        signature: &super::call::Signature,
    ) -> Option<String> {
        if signature.kind == DeclKind::Data || signature.type_params > 0 {
            return Some("it is a value, or has type parameters".into());
        }
        if signature.params.len() != wanted.inputs.len() {
            return Some("it has other inputs".into());
        }
        for ((name, ty), param) in wanted.inputs.iter().zip(&signature.params) {
            let ty = self.bring(wanted.module, *ty, &[]);
            let actual = self.bring(decl.module, param.ty, &[]);
            if *name != param.name || !self.unify(ty, actual) {
                let shown = self.show(ty);
                return Some(format!("its input is not `{name}: {shown}`"));
            }
        }
        let result = self.bring(decl.module, signature.result, &[]);
        match &wanted.gives {
            Ok(ty) => {
                let ty = self.bring(wanted.module, *ty, &[]);
                if !self.unify(ty, result) {
                    let (wanted, given) = self.show_both(ty, result);
                    return Some(format!("it gives {given}, not {wanted}"));
                }
            }
            Err(fields) => {
                for (name, ty) in fields {
                    let ty = self.bring(wanted.module, *ty, &[]);
                    let found = self.field_of(result, *name);
                    if !found.is_some_and(|(_, actual)| self.unify(ty, actual)) {
                        let shown = self.show(ty);
                        return Some(format!("what it gives has no field `{name}: {shown}`"));
                    }
                }
            }
        }
        Some(String::new())
    }

    /// A used resource as a value: it is none.
    pub(super) fn refuse_resource_value(&mut self, name: Symbol, node: NodeId) -> bool {
        let Some(at) = self.effects.used.get(&name).copied() else {
            return false;
        };
        if !self.effects.broken_uses.contains(&name) {
            let error = Diagnostic::error(
                Code::BadUse,
                self.at(node),
                format!("`{name}` stands for a resource, which is no value"),
            )
            .other(at, "used here")
            .cure(format!(
                "call a capability of it, `{name}.capability(…)`, or read a fact"
            ));
            self.report(error);
        }
        true
    }
}
