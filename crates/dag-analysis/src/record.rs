//! What every name of a module refers to, and what type its parts have: the one
//! record from which an editor's questions are answered. A check keeps none; a
//! module is checked once more for it ([`crate::Session::record`]).

use crate::core::{Ctor, DeclRef, Module, ModuleId, Program, Shape, TypeRef};
use crate::types::{Ty, TyKind};
use dag_syntax::{Location, Span, Symbol};
use std::sync::Arc;

/// What a name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// A module.
    Module(ModuleId),
    /// A declared type; a record's constructor is the record.
    Type(TypeRef),
    /// A variant of a coproduct.
    Variant(Ctor),
    /// A field of a record or variant: its index in declaration order.
    Field(Ctor, u32),
    /// A capability of a resource: its index. Where it is called, what carries it
    /// out stands in the same place, as a [`Target::Decl`] of another name.
    Capability(TypeRef, u32),
    /// A function or a `data` item.
    Decl(DeclRef),
    /// A parameter of a function: its label in calls, a local in its body.
    Param(DeclRef, u32),
    /// A type parameter, by the place of its declaration in the same file.
    TypeParam(Span),
    /// A local, by the place of the name that binds it in the same file.
    Local(Span),
}

/// A name, and what it refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Use {
    /// The name: of a dotted name, the one segment.
    pub span: Span,
    /// What it refers to.
    pub target: Target,
    /// Whether it is the declaration itself.
    pub declares: bool,
}

/// A name that a lambda, a pattern or a `let` binds, or a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The name.
    pub name: Symbol,
    /// Where it is bound.
    pub span: Span,
    /// Its type as a person writes it.
    pub shown: String,
    /// Its type, in the record's module's table.
    pub ty: Ty,
}

/// The record of one module.
#[derive(Debug)]
pub struct NameRecord {
    /// The module, as it was checked for the record.
    pub module: Arc<Module>,
    /// The names, by place. One place may have two, a pun for instance.
    pub uses: Vec<Use>,
    /// The locals, by place.
    pub bindings: Vec<Binding>,
    /// The types of expressions, by place.
    pub types: Vec<(Span, Ty)>,
    /// The types that are expected of expressions and patterns, by place.
    pub expected: Vec<(Span, Ty)>,
}

impl NameRecord {
    /// The names that a byte offset lies in or right behind.
    pub fn at(&self, offset: u32) -> impl Iterator<Item = &Use> {
        let end = self.uses.partition_point(|u| u.span.start <= offset);
        // Names do not overlap but where they are equal: look back over those.
        let start = self.uses[..end]
            .iter()
            .rposition(|u| u.span.end < offset)
            .map_or(0, |i| i + 1);
        let mut found: Vec<&Use> = self.uses[start..end].iter().collect();
        // Right behind one name and at the start of another, the latter is meant.
        if let Some(last) = found.last().map(|u| u.span) {
            found.retain(|u| u.span == last);
        }
        found.into_iter()
    }

    /// The local that is bound at a place.
    #[must_use]
    pub fn binding(&self, span: Span) -> Option<&Binding> {
        let index = self.bindings.binary_search_by_key(&span, |b| b.span).ok()?;
        self.bindings.get(index)
    }

    /// The type of the expression at a place.
    #[must_use]
    pub fn type_at(&self, span: Span) -> Option<Ty> {
        in_sorted(&self.types, span)
    }

    /// The type that is expected of the expression or pattern at a place.
    #[must_use]
    pub fn expected_at(&self, span: Span) -> Option<Ty> {
        in_sorted(&self.expected, span)
    }

    /// The declared type that a type of this module is, without what refines it
    /// and, if `optional` is given, without that.
    #[must_use]
    pub fn head(&self, program: &Program, ty: Ty, optional: Option<TypeRef>) -> Option<TypeRef> {
        self.head_in(program, &self.module, ty, optional)
    }

    /// The same for a type of another module's table.
    #[must_use]
    pub fn head_in(
        &self,
        program: &Program,
        module: &Module,
        ty: Ty,
        optional: Option<TypeRef>,
    ) -> Option<TypeRef> {
        // The chain of bases leads to other modules.
        let (mut table, mut ty) = (&module.table, ty);
        // A chain of bases is as long as the model wrote it; a broken one may be a circle.
        for _ in 0..dag_syntax::MAX_DEPTH {
            let TyKind::Named(named, args) = table.kind(ty) else {
                return None;
            };
            if Some(*named) == optional {
                ty = *args.first()?;
                continue;
            }
            if named.is_unnamed() {
                return Some(*named);
            }
            let module = self.module_of(program, named.module)?;
            match module.types.get(named.index as usize)?.shape {
                Shape::Refined { base, .. } => {
                    table = &module.table;
                    ty = base;
                }
                _ => return Some(*named),
            }
        }
        None
    }

    /// A module of the program, or the one of this record.
    #[must_use]
    pub fn module_of<'a>(&'a self, program: &'a Program, id: ModuleId) -> Option<&'a Module> {
        if id == self.module.id {
            return Some(&self.module);
        }
        program.modules.get(id.0 as usize).map(AsRef::as_ref)
    }
}

fn in_sorted(list: &[(Span, Ty)], span: Span) -> Option<Ty> {
    let index = list.binary_search_by_key(&span, |(s, _)| *s).ok()?;
    list.get(index).map(|(_, ty)| *ty)
}

impl Target {
    /// The place of the declaration; `None` for what has no name there, as the
    /// value of a variant, or for a target of another program.
    #[must_use]
    pub fn definition(self, program: &Program, here: &Module) -> Option<Location> {
        let module = |id: ModuleId| -> Option<&Module> {
            if id == here.id {
                return Some(here);
            }
            program.modules.get(id.0 as usize).map(AsRef::as_ref)
        };
        let of = |id: ModuleId, span: Span| {
            Some(Location {
                source: module(id)?.source,
                span,
            })
        };
        match self {
            Self::Module(id) => of(id, Span::default()),
            Self::Type(ty) => {
                let span = module(ty.module)?.types.get(ty.index as usize)?.span;
                of(ty.module, span)
            }
            Self::Variant(ctor) => {
                let def = module(ctor.ty.module)?.types.get(ctor.ty.index as usize)?;
                of(
                    ctor.ty.module,
                    def.variants().get(ctor.variant as usize)?.span,
                )
            }
            Self::Field(ctor, index) => {
                let def = module(ctor.ty.module)?.types.get(ctor.ty.index as usize)?;
                let variant = def.variants().get(ctor.variant as usize)?;
                of(ctor.ty.module, variant.fields.get(index as usize)?.span)
            }
            Self::Capability(ty, index) => {
                let resources = &module(ty.module)?.resources;
                let found = resources.iter().find(|r| r.ty == ty)?;
                of(ty.module, found.capabilities.get(index as usize)?.span)
            }
            Self::Decl(decl) => {
                let span = module(decl.module)?.decls.get(decl.index as usize)?.span;
                of(decl.module, span)
            }
            Self::Param(decl, index) => {
                let decls = &module(decl.module)?.decls;
                let params = &decls.get(decl.index as usize)?.params;
                of(decl.module, params.get(index as usize)?.span)
            }
            Self::TypeParam(span) | Self::Local(span) => Some(Location {
                source: here.source,
                span,
            }),
        }
    }
}
