//! A checked module as bytes, and back. Within a run modules are numbered; in the
//! bytes each number stands beside its module's name, and reading gives it the number
//! that the module has now.

use crate::core::{
    Claim, Ctor, DeclRef, Expr, Module, ModuleId, Pattern, Predicate, Shape, TypeRef,
};
use crate::operation::{Exit, Fill};
use crate::types::TyKind;
use dag_syntax::Symbol;
use rustc_hash::FxHashMap;
use std::ops::ControlFlow;

/// The module as bytes; none if it cannot be written.
pub(crate) fn encode(
    module: &Module,
    known: impl Iterator<Item = (ModuleId, Symbol)>,
) -> Option<Vec<u8>> {
    let names: Vec<(ModuleId, Symbol)> = known.collect();
    postcard::to_allocvec(&(names, module)).ok()
}

/// The module of these bytes; none if they are none, or speak of a module that is not
/// here. Its place and file are still to be set.
pub(crate) fn decode(bytes: &[u8], find: &dyn Fn(Symbol) -> Option<ModuleId>) -> Option<Module> {
    let (names, mut module): (Vec<(ModuleId, Symbol)>, Module) =
        postcard::from_bytes(bytes).ok()?;
    let mut numbers = FxHashMap::default();
    for (id, name) in names {
        numbers.insert(id, find(name)?);
    }
    let renumbered = each_module(&mut module, &mut |id| match numbers.get(id) {
        // Declared in no module, and the same everywhere.
        None if *id == ModuleId::UNNAMED => ControlFlow::Continue(()),
        Some(now) => {
            *id = *now;
            ControlFlow::Continue(())
        }
        None => ControlFlow::Break(()),
    });
    renumbered.is_continue().then_some(module)
}

/// Visits every mention of a module in another one.
fn each_module(
    module: &mut Module,
    visit: &mut impl FnMut(&mut ModuleId) -> ControlFlow<()>,
) -> ControlFlow<()> {
    for kind in module.table.kinds_mut() {
        match kind {
            TyKind::Named(TypeRef { module, index: _ }, _) => visit(module)?,
            TyKind::Function(..) | TyKind::Param(..) | TyKind::Variable(_) | TyKind::Error => {}
        }
    }
    for def in &mut module.types {
        let variants = match &mut def.shape {
            Shape::Opaque | Shape::Alias(_) => &mut [],
            Shape::Record(variant) => std::slice::from_mut(variant),
            Shape::Coproduct(variants) => variants.as_mut_slice(),
            Shape::Refined {
                base: _,
                predicates,
            } => {
                for predicate in predicates {
                    match predicate {
                        Predicate::Holds(DeclRef { module, index: _ }) => visit(module)?,
                        Predicate::NonEmpty
                        | Predicate::Range { min: _, max: _ }
                        | Predicate::Pattern(_)
                        | Predicate::Brand(_) => {}
                    }
                }
                &mut []
            }
        };
        let fields = variants.iter_mut().flat_map(|variant| &mut variant.fields);
        for DeclRef { module, index: _ } in fields.filter_map(|field| field.default.as_mut()) {
            visit(module)?;
        }
    }
    let params = module.decls.iter_mut().flat_map(|decl| &mut decl.params);
    for DeclRef { module, index: _ } in params.filter_map(|param| param.default.as_mut()) {
        visit(module)?;
    }
    for pattern in &mut module.body.patterns {
        match pattern {
            Pattern::Ctor { ctor, fields: _ } => visit_ctor(ctor, visit)?,
            Pattern::Any
            | Pattern::Bind(_)
            | Pattern::Bool(_)
            | Pattern::Int(_)
            | Pattern::Str(_) => {}
        }
    }
    for expr in &mut module.body.exprs {
        match expr {
            Expr::Data(DeclRef { module, index: _ })
            | Expr::Function(DeclRef { module, index: _ })
            | Expr::Call {
                callee: DeclRef { module, index: _ },
                args: _,
            }
            | Expr::Refine {
                value: _,
                ty: TypeRef { module, index: _ },
            } => visit(module)?,
            Expr::Construct { ctor, fields: _ } => visit_ctor(ctor, visit)?,
            // No wildcard: a new form must say whether it speaks of other modules.
            Expr::Unit
            | Expr::Bool(_)
            | Expr::Int(_)
            | Expr::Float(_)
            | Expr::Str(_)
            | Expr::Interpolate(_)
            | Expr::Local(_)
            | Expr::Intrinsic { op: _, args: _ }
            | Expr::Apply {
                function: _,
                args: _,
            }
            | Expr::Field { base: _, index: _ }
            | Expr::List(_)
            | Expr::Let {
                local: _,
                value: _,
                body: _,
            }
            | Expr::Then {
                first: _,
                second: _,
            }
            | Expr::If {
                condition: _,
                then: _,
                otherwise: _,
            }
            | Expr::Match {
                scrutinee: _,
                arms: _,
            }
            | Expr::For {
                local: _,
                items: _,
                body: _,
            }
            | Expr::Lambda { params: _, body: _ }
            | Expr::Return(_)
            | Expr::Not(_)
            | Expr::Negate(_)
            | Expr::Binary {
                op: _,
                left: _,
                right: _,
            }
            | Expr::And(..)
            | Expr::Or(..)
            | Expr::Coalesce(..)
            | Expr::Convert { value: _, to: _ }
            // What it speaks of stands in the operation.
            | Expr::Perform(_)
            | Expr::Invalid => {}
        }
    }
    for operation in &mut module.operations {
        for Exit {
            status: _,
            gives,
            fields,
        } in &mut operation.exits
        {
            if let Some(ctor) = gives {
                visit_ctor(ctor, visit)?;
            }
            for Fill {
                key: _,
                optional: _,
                refined,
                items,
            } in fields
            {
                for TypeRef { module, index: _ } in refined.iter_mut().chain(items) {
                    visit(module)?;
                }
            }
        }
    }
    for resource in &mut module.resources {
        visit(&mut resource.ty.module)?;
    }
    for Claim { literal: _, ty } in &mut module.claims {
        visit(&mut ty.module)?;
    }
    ControlFlow::Continue(())
}

fn visit_ctor(
    ctor: &mut Ctor,
    visit: &mut impl FnMut(&mut ModuleId) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let Ctor {
        ty: TypeRef { module, index: _ },
        variant: _,
    } = ctor;
    visit(module)
}
