//! Types as they are worked with: brought from other modules, with what their
//! variables stand for, and what can be found in them.

use super::Checker;
use crate::core::{ModuleId, Shape, TypeDef, TypeRef};
use crate::types::{Ty, TyKind, TypeTable};
use dag_syntax::{Code, Diagnostic, MAX_DEPTH, NodeId};
use rustc_hash::{FxHashMap, FxHashSet};

impl Checker<'_> {
    /// A type of another module's table (or of this one's), with its type
    /// parameters replaced, in this module's table.
    pub(super) fn bring(&mut self, module: ModuleId, ty: Ty, args: &[Ty]) -> Ty {
        self.bring_in(module, ty, args, &mut FxHashMap::default())
    }

    fn bring_in(
        &mut self,
        module: ModuleId,
        ty: Ty,
        args: &[Ty],
        done: &mut FxHashMap<Ty, Ty>,
    ) -> Ty {
        if module == ModuleId::UNNAMED {
            // The field of a record without a name: its type is an argument.
            return args
                .get(ty.0 as usize)
                .copied()
                .unwrap_or_else(|| self.error_ty());
        }
        let program = self.program;
        let table = if module == self.id {
            &self.table
        } else {
            match program.get(module) {
                Some(other) => &other.table,
                None => return self.error_ty(),
            }
        };
        let closed = !table.has_param(ty);
        if closed && module == self.id {
            return ty;
        }
        let known = if closed {
            self.brought.get(&(module, ty))
        } else {
            done.get(&ty)
        };
        if let Some(known) = known {
            return *known;
        }
        let here = match table.kind(ty).clone() {
            TyKind::Named(named, inner) => {
                let inner = inner
                    .iter()
                    .map(|t| self.bring_in(module, *t, args, done))
                    .collect();
                self.named(named, inner)
            }
            TyKind::Function(params, result) => {
                let params: Vec<Ty> = params
                    .iter()
                    .map(|t| self.bring_in(module, *t, args, done))
                    .collect();
                let result = self.bring_in(module, result, args, done);
                self.function(params, result)
            }
            kind @ TyKind::Param(index, _) => match args.get(index as usize) {
                Some(arg) => *arg,
                None => self.table.intern(kind),
            },
            kind @ (TyKind::Variable(_) | TyKind::Error) => self.table.intern(kind),
        };
        if closed {
            self.brought.insert((module, ty), here);
        } else {
            done.insert(ty, here);
        }
        here
    }

    /// The type with its outermost variable followed to what it stands for.
    pub(super) fn resolve(&self, mut ty: Ty) -> Ty {
        while let TyKind::Variable(variable) = self.table.kind(ty) {
            match self.variables.get(*variable as usize) {
                Some(Some(next)) => ty = *next,
                _ => break,
            }
        }
        ty
    }

    pub(super) fn kind(&self, ty: Ty) -> &TyKind {
        self.table.kind(self.resolve(ty))
    }

    /// The type with every variable replaced. An open one is reported.
    pub(super) fn settle(&mut self, ty: Ty, node: NodeId) -> Ty {
        let settled = self.settled(ty);
        if self.mentions_variable(settled) {
            let shown = self.show(settled);
            self.report(
                Diagnostic::error(
                    Code::CannotInfer,
                    self.tree.location(node),
                    format!("the type of this is not known: `{shown}`"),
                )
                .cure("give it a type: `let x: List<Int> = []`"),
            );
            return self.error_ty();
        }
        settled
    }

    pub(super) fn settled(&mut self, ty: Ty) -> Ty {
        self.settled_in(ty, 0, &mut FxHashMap::default())
    }

    fn settled_in(&mut self, ty: Ty, depth: u32, done: &mut FxHashMap<Ty, Ty>) -> Ty {
        let ty = self.resolve(ty);
        if !self.table.has_variable(ty) {
            return ty;
        }
        if depth > MAX_DEPTH {
            self.too_deep = true;
            return self.error_ty();
        }
        if let Some(known) = done.get(&ty) {
            return *known;
        }
        let settled = match self.table.kind(ty).clone() {
            TyKind::Named(named, args) => {
                let args = args
                    .iter()
                    .map(|t| self.settled_in(*t, depth + 1, done))
                    .collect();
                self.named(named, args)
            }
            TyKind::Function(params, result) => {
                let params: Vec<Ty> = params
                    .iter()
                    .map(|t| self.settled_in(*t, depth + 1, done))
                    .collect();
                let result = self.settled_in(result, depth + 1, done);
                self.function(params, result)
            }
            TyKind::Param(..) | TyKind::Variable(_) | TyKind::Error => ty,
        };
        done.insert(ty, settled);
        settled
    }

    /// Whether something stands in the type, variables followed. `may` tells
    /// from a type as it is written whether it is worth a look.
    pub(super) fn mentions(
        &self,
        ty: Ty,
        may: impl Fn(&TypeTable, Ty) -> bool,
        found: impl Fn(&TyKind) -> bool,
    ) -> bool {
        let mut seen = FxHashSet::default();
        let mut todo = vec![ty];
        while let Some(ty) = todo.pop() {
            let ty = self.resolve(ty);
            let worth = self.table.has_variable(ty) || may(&self.table, ty);
            if !worth || !seen.insert(ty) {
                continue;
            }
            let kind = self.table.kind(ty);
            if found(kind) {
                return true;
            }
            match kind {
                TyKind::Named(_, args) => todo.extend(args),
                TyKind::Function(params, result) => {
                    todo.extend(params);
                    todo.push(*result);
                }
                TyKind::Param(..) | TyKind::Variable(_) | TyKind::Error => {}
            }
        }
        false
    }

    pub(super) fn mentions_variable(&self, ty: Ty) -> bool {
        let open = |kind: &TyKind| matches!(kind, TyKind::Variable(_));
        self.mentions(ty, |_, _| false, open)
    }

    pub(super) fn mentions_error(&self, ty: Ty) -> bool {
        let error = |kind: &TyKind| *kind == TyKind::Error;
        self.mentions(ty, TypeTable::has_error, error)
    }

    /// Whether a value of the type can hold a function, in its fields too.
    pub(super) fn holds_function(&mut self, ty: Ty) -> bool {
        self.holds(ty, &|kind| matches!(kind, TyKind::Function(..)))
    }

    /// Whether a value of the type can hold one of a type that is looked for, in
    /// its fields too.
    pub(super) fn holds(&mut self, ty: Ty, found: &dyn Fn(&TyKind) -> bool) -> bool {
        let mut seen = FxHashSet::default();
        let mut todo = vec![ty];
        while let Some(ty) = todo.pop() {
            let ty = self.resolve(ty);
            if !seen.insert(ty) {
                continue;
            }
            // A type whose arguments grow with every level has no end of types.
            if seen.len() > 10_000 {
                return false;
            }
            let kind = self.table.kind(ty).clone();
            if found(&kind) {
                return true;
            }
            match kind {
                TyKind::Named(named, args) => {
                    let fields: Vec<Ty> = match self.type_def(named) {
                        Some(def) => {
                            let base = match def.shape {
                                Shape::Refined { base, .. } => Some(base),
                                _ => None,
                            };
                            let fields = def.variants().iter().flat_map(|v| &v.fields);
                            fields.map(|f| f.ty).chain(base).collect()
                        }
                        None => Vec::new(),
                    };
                    for field in fields {
                        todo.push(self.bring(named.module, field, &args));
                    }
                    if self.type_def(named).is_some_and(TypeDef::is_opaque) {
                        todo.extend(args);
                    }
                }
                // What a function is made of is no part of it.
                TyKind::Function(..) | TyKind::Param(..) | TyKind::Variable(_) | TyKind::Error => {}
            }
        }
        false
    }

    /// The base of a refined type, which its values are of too. A
    /// `nominal_opaque` type has none.
    pub(super) fn base(&mut self, ty: Ty) -> Option<Ty> {
        let TyKind::Named(named, args) = self.kind(ty).clone() else {
            return None;
        };
        let def = self.type_def(named)?;
        let Shape::Refined { base, .. } = def.shape else {
            return None;
        };
        if def.nominal_opaque {
            return None;
        }
        Some(self.bring(named.module, base, &args))
    }

    /// What a `nominal_opaque` type of this module is made of.
    pub(super) fn representation(&mut self, ty: Ty) -> Option<Ty> {
        let TyKind::Named(named, args) = self.kind(ty).clone() else {
            return None;
        };
        let def = self.type_def(named).filter(|def| def.nominal_opaque)?;
        let Shape::Refined { base, .. } = def.shape else {
            return None;
        };
        (named.module == self.id).then(|| self.bring(named.module, base, &args))
    }

    /// The `nominal_opaque` type of another module that a type is.
    pub(super) fn sealed(&self, ty: Ty) -> Option<TypeRef> {
        let (named, _) = self.head(ty)?;
        let sealed = named.module != self.id && self.type_def(named)?.nominal_opaque;
        sealed.then_some(named)
    }

    /// The type under all its refinements.
    pub(super) fn unrefined(&mut self, ty: Ty) -> Ty {
        let mut ty = self.resolve(ty);
        while let Some(base) = self.base(ty) {
            ty = self.resolve(base);
        }
        ty
    }

    /// The declared type and its arguments, if the type is one.
    pub(super) fn head(&self, ty: Ty) -> Option<(TypeRef, Box<[Ty]>)> {
        match self.kind(ty) {
            TyKind::Named(named, args) => Some((*named, args.clone())),
            _ => None,
        }
    }

    pub(super) fn is_error(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), TyKind::Error)
    }
}
