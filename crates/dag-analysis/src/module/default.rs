//! Default values of parameters and fields. Each is a declaration of its own in
//! the module that writes it: evaluated there, once, and watched by every rule
//! that watches `data`.

use super::{Checker, Pending};
use crate::core::{Ctor, Decl, DeclKind, DeclRef};
use crate::types::Ty;
use dag_syntax::{Node, NodeId, Symbol};

impl Checker<'_> {
    /// Declares the default value of a field or parameter of that type, if it
    /// has one. `of` is the type, variant or function.
    pub(super) fn default_of(&mut self, node: NodeId, of: Symbol, ty: Ty) -> Option<DeclRef> {
        let default = self.tree.child(node, Node::Default)?;
        let body = self.tree.expr_child(default)?;
        let name_node = self.tree.child(node, Node::Name)?;
        let index = self.decls.len() as u32;
        self.decls.push(Decl {
            name: Symbol::new(&format!("{of}({})", self.tree.symbol(name_node))),
            span: self.tree.span(name_node),
            kind: DeclKind::Default,
            test: false,
            type_params: self.type_params.clone(),
            asked: Vec::new(),
            params: Vec::new(),
            result: ty,
            body: None,
            intrinsic: None,
            locals: 0,
            admit_callers: None,
        });
        self.pending.push(Pending {
            decl: index,
            item: node,
            body,
            written: self.tree.type_child(node),
        });
        Some(DeclRef {
            module: self.id,
            index,
        })
    }

    /// The default value of each field of a constructor.
    pub(super) fn field_defaults(&self, ctor: Ctor) -> Vec<Option<DeclRef>> {
        let variants = self.type_def(ctor.ty).map(|def| def.variants());
        let variant = variants.and_then(|all| all.get(ctor.variant as usize));
        variant.map_or_else(Vec::new, |v| v.fields.iter().map(|f| f.default).collect())
    }
}
