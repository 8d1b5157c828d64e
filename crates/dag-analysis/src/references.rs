//! What the value of a declaration or of an expression may depend on.

use crate::core::{
    Body, Ctor, DeclRef, Expr, ExprId, ModuleId, Pattern, PatternId, Predicate, Program, Shape,
    TypeRef,
};
use crate::types::{Ty, TyKind, TypeTable};
use rustc_hash::FxHashSet;

/// Where to begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// A function or `data` item, as a whole.
    Decl(DeclRef),
    /// An expression of a module.
    Expr(ModuleId, ExprId),
}

/// Declarations that are reached.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    /// Functions and `data` items.
    pub decls: FxHashSet<DeclRef>,
    /// Types: those that are built, taken apart, or whose refinement is tested.
    pub types: FxHashSet<TypeRef>,
}

/// Every declaration that is reached from some places by what stands in their text, in the
/// text of what they name, and so on. An evaluation may reach fewer, never more.
#[must_use]
pub fn reached(program: &Program, from: &[Start]) -> Reached {
    let mut walk = Walk {
        program,
        reached: Reached::default(),
        waiting: Vec::new(),
    };
    for start in from {
        match *start {
            Start::Decl(decl) => walk.decl(decl),
            Start::Expr(module, expr) => walk.waiting.push((module, expr)),
        }
    }
    while let Some((module, expr)) = walk.waiting.pop() {
        walk.expr(module, expr);
    }
    walk.reached
}

struct Walk<'a> {
    program: &'a Program,
    reached: Reached,
    waiting: Vec<(ModuleId, ExprId)>,
}

impl Walk<'_> {
    fn decl(&mut self, decl: DeclRef) {
        if self.reached.decls.insert(decl)
            && let Some(body) = self.program.decl(decl).body
        {
            self.waiting.push((decl.module, body));
        }
    }

    /// A type, and those that it refines.
    fn ty(&mut self, ty: TypeRef) {
        let mut next = Some(ty);
        while let Some(ty) = next.take() {
            // A record without a name is declared nowhere.
            if ty.is_unnamed() || !self.reached.types.insert(ty) {
                return;
            }
            if let Shape::Refined { base, predicates } = &self.program.type_def(ty).shape {
                next = named(&self.program.module(ty.module).table, *base);
                for predicate in predicates {
                    if let Predicate::Holds(function) = predicate {
                        self.decl(*function);
                    }
                }
            }
        }
    }

    fn expr(&mut self, module: ModuleId, expr: ExprId) {
        let body: &Body = &self.program.module(module).body;
        match body.expr(expr) {
            Expr::Data(decl) | Expr::Function(decl) | Expr::Call { callee: decl, .. } => {
                self.decl(*decl)
            }
            Expr::Construct { ctor, .. } => self.ty(ctor.ty),
            Expr::Refine { ty, .. } => self.ty(*ty),
            Expr::Match { arms, .. } => {
                for arm in body.arms(*arms) {
                    self.pattern(body, arm.pattern);
                }
            }
            _ => {}
        }
        body.children(expr, |child| self.waiting.push((module, child)));
    }

    fn pattern(&mut self, body: &Body, pattern: PatternId) {
        let mut waiting = vec![pattern];
        while let Some(pattern) = waiting.pop() {
            if let Pattern::Ctor {
                ctor: Ctor { ty, .. },
                fields,
            } = body.pattern(pattern)
            {
                self.ty(*ty);
                waiting.extend(body.pattern_operands(*fields));
            }
        }
    }
}

fn named(table: &TypeTable, ty: Ty) -> Option<TypeRef> {
    match table.kind(ty) {
        TyKind::Named(named, _) => Some(*named),
        _ => None,
    }
}
