//! `admit_callers`: who may name a function. Its own module may, because whoever
//! edits that module edits the list too; a test file may, because nothing that
//! is no test can import it. Everybody else is listed.

use super::Checker;
use crate::core::{Admitted, DeclRef};
use crate::record::Target;
use dag_syntax::{Code, Diagnostic, Node, NodeId, Symbol};

impl Checker<'_> {
    /// The list behind a function's type. Callers come after the modules they
    /// call, so that they are known by their texts only.
    pub(super) fn admitted(&mut self, item: NodeId) -> Option<Box<[Admitted]>> {
        let clause = self.tree.child(item, Node::AdmitCallers)?;
        let list = self.tree.expr_child(clause)?;
        let mut admitted = Vec::new();
        for entry in self.tree.children(list).to_vec() {
            let Some((module, name)) = self.decl_ref(entry) else {
                let error = Diagnostic::error(
                    Code::UnexpectedToken,
                    self.at(entry),
                    "a caller is admitted by its module and its name",
                )
                .cure("write `decl_ref(module_path: \"a.b\", decl_name: \"f\")`");
                self.report(error);
                continue;
            };
            self.refer_caller(module, name, entry);
            if self.is_declared(module, name, entry) {
                admitted.push(Admitted { module, name });
            }
        }
        Some(admitted.into())
    }

    /// `decl_ref(module_path: "a.b", decl_name: "f")`
    fn decl_ref(&self, node: NodeId) -> Option<(Symbol, Symbol)> {
        let text = |label: &str| {
            let text = self.tree.text(self.named_text(node, label)?);
            Some(Symbol::new(text.strip_prefix('"')?.strip_suffix('"')?))
        };
        let found = (text("module_path")?, text("decl_name")?);
        (self.tree.children_of(node, Node::Arg).count() == 2).then_some(found)
    }

    /// The text behind a label of a `decl_ref`.
    fn named_text(&self, node: NodeId, label: &str) -> Option<NodeId> {
        let tree = self.tree;
        let callee = tree.expr_child(node)?;
        if tree.kind(node) != Node::CallExpr || tree.text(callee) != "decl_ref" {
            return None;
        }
        let labelled = |arg: &NodeId| {
            let name = tree.child(*arg, Node::Name);
            name.is_some_and(|name| tree.text(name) == label)
        };
        let value = tree.expr_child(tree.children_of(node, Node::Arg).find(labelled)?)?;
        (tree.kind(value) == Node::StrExpr).then_some(value)
    }

    /// Keeps which declaration a `decl_ref` names.
    fn refer_caller(&mut self, module: Symbol, name: Symbol, entry: NodeId) {
        let id = match module == self.name {
            true => Some(self.id),
            false => self.known.module(module),
        };
        let Some(id) = id else { return };
        if let Some(text) = self.named_text(entry, "module_path") {
            self.refer_text(text, Target::Module(id));
        }
        let decls = match id == self.id {
            true => Some(&self.decls[..]),
            false => self.program.get(id).map(|module| &module.decls[..]),
        };
        let index = decls.and_then(|decls| decls.iter().position(|d| d.name == name));
        if let (Some(index), Some(text)) = (index, self.named_text(entry, "decl_name")) {
            let index = index as u32;
            self.refer_text(text, Target::Decl(DeclRef { module: id, index }));
        }
    }

    fn is_declared(&mut self, module: Symbol, name: Symbol, node: NodeId) -> bool {
        let known = self.known;
        let mut heads = known.heads(name).iter();
        if heads.any(|head| head.module == module && head.is_value) {
            return true;
        }
        let error = Diagnostic::error(
            Code::UnknownName,
            self.at(node),
            format!("no module `{module}` declares `{name}`"),
        )
        .note("a caller that does not exist would be admitted as soon as somebody writes it");
        self.report(error);
        false
    }

    /// Refuses a name that the declaration at hand may not use.
    pub(super) fn refuse_unadmitted(&mut self, decl: DeclRef, node: NodeId) {
        self.refuse_unadmitted_by(self.decl_name, decl, node);
    }

    /// Refuses a function that this declaration, or this type by a predicate, may not name.
    pub(super) fn refuse_unadmitted_by(&mut self, user: Symbol, decl: DeclRef, node: NodeId) {
        if decl.module == self.id || self.test_file {
            return;
        }
        let found = self.program.decl(decl);
        let Some(admitted) = &found.admit_callers else {
            return;
        };
        let here = Admitted {
            module: self.name,
            name: user,
        };
        if admitted.contains(&here) {
            return;
        }
        let name = found.name;
        let at = self.location_of(decl, found.span);
        let error = Diagnostic::error(
            Code::NotAdmitted,
            self.at(node),
            format!("`{name}` does not admit `{}` of this module", here.name),
        )
        .other(at, "declared here, with `admit_callers`")
        .cure("call a function that it admits, or add this one to its list");
        self.report(error);
    }
}
