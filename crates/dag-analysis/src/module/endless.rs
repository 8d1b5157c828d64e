//! Types that contain themselves where they cannot: through a function, which
//! could then call itself for ever, or without an end, so that no value exists.

use super::Checker;
use crate::components::components;
use crate::core::{Shape, TypeRef};
use crate::types::{Ty, TyKind, TypeTable};
use dag_syntax::{Code, Diagnostic, Location};
use rustc_hash::FxHashSet;

impl Checker<'_> {
    /// Refuses such types among those of this module, inline refinements too.
    pub(super) fn refuse_endless(&mut self) {
        let count = self.types.len();
        let mut edges: Vec<Vec<(u32, bool)>> = Vec::with_capacity(count);
        for index in 0..count {
            let mut found = Vec::new();
            let mut seen = FxHashSet::default();
            for part in self.parts_of(index) {
                self.own_types(part, false, &mut seen, &mut found);
            }
            edges.push(found);
        }
        let next: Vec<Vec<u32>> = edges
            .iter()
            .map(|found| found.iter().map(|(target, _)| *target).collect())
            .collect();
        let mut group = vec![None; count];
        for (number, component) in components(&next).into_iter().enumerate() {
            for member in component {
                group[member as usize] = Some(number);
            }
        }
        let mut reported = FxHashSet::default();
        for (index, found) in edges.iter().enumerate() {
            let through = found.iter().any(|(target, function)| {
                *function && group[index].is_some() && group[index] == group[*target as usize]
            });
            if !through || !reported.insert(group[index]) {
                continue;
            }
            let def = &self.types[index];
            let message = format!("`{}` contains itself through a function", def.name);
            let error =
                Diagnostic::error(Code::BadTypeDeclaration, self.own_location(index), message)
                    .note("a function kept in its own argument could call itself for ever");
            self.report(error);
        }
        let mut reported = FxHashSet::default();
        for (index, built) in self.buildable().into_iter().enumerate() {
            // A type that only mentions such a type is no mistake of its own.
            if !built && group[index].is_some() && reported.insert(group[index]) {
                let message = format!(
                    "no value of `{}` can be built: it contains itself without an end",
                    self.types[index].name
                );
                let at = self.own_location(index);
                let error = Diagnostic::error(Code::BadTypeDeclaration, at, message)
                    .cure("put it in a `List<…>`, or make it optional with `?`");
                self.report(error);
            }
        }
    }

    fn own_location(&self, index: usize) -> Location {
        Location {
            source: self.tree.source(),
            span: self.types[index].span,
        }
    }

    /// The types that a declared type is made of.
    fn parts_of(&self, index: usize) -> Vec<Ty> {
        let def = &self.types[index];
        let base = match def.shape {
            Shape::Refined { base, .. } => Some(base),
            _ => None,
        };
        let fields = def.variants().iter().flat_map(|v| &v.fields);
        fields.map(|f| f.ty).chain(base).collect()
    }

    /// The types of this module that a type mentions, and whether each is
    /// mentioned in a function's type.
    fn own_types(
        &self,
        ty: Ty,
        function: bool,
        seen: &mut FxHashSet<(Ty, bool)>,
        found: &mut Vec<(u32, bool)>,
    ) {
        if !seen.insert((ty, function)) {
            return;
        }
        match self.table.kind(ty) {
            TyKind::Named(named, args) => {
                if named.module == self.id {
                    found.push((named.index, function));
                }
                for (param, arg) in args.iter().enumerate() {
                    let function = function || self.puts_in_function(*named, param as u32);
                    self.own_types(*arg, function, seen, found);
                }
            }
            TyKind::Function(params, result) => {
                for ty in params.iter().chain([result]) {
                    self.own_types(*ty, true, seen, found);
                }
            }
            TyKind::Param(..) | TyKind::Variable(_) | TyKind::Error => {}
        }
    }

    /// Whether a declared type puts its type parameter in a function's type.
    fn puts_in_function(&self, ty: TypeRef, param: u32) -> bool {
        let mut seen = FxHashSet::default();
        let mut todo = vec![(ty, param)];
        while let Some((ty, param)) = todo.pop() {
            if !seen.insert((ty, param)) {
                continue;
            }
            let (Some(def), Some(table)) = (self.type_def(ty), self.table_of(ty)) else {
                continue;
            };
            let base = match def.shape {
                Shape::Refined { base, .. } => Some(base),
                _ => None,
            };
            let fields = def.variants().iter().flat_map(|v| &v.fields);
            for part in fields.map(|f| f.ty).chain(base) {
                if in_function(table, part, param, &mut todo) {
                    return true;
                }
            }
        }
        false
    }

    fn table_of(&self, ty: TypeRef) -> Option<&TypeTable> {
        if ty.module == self.id {
            return Some(&self.table);
        }
        let module = self.program.get(ty.module)?;
        Some(&module.table)
    }

    /// Which of the module's types have a value.
    fn buildable(&self) -> Vec<bool> {
        let count = self.types.len();
        // Ways to build each type: its variants, each with the number of types
        // that it waits for.
        let mut ways: Vec<(usize, usize)> = Vec::new();
        let mut waiting: Vec<Vec<usize>> = vec![Vec::new(); count];
        let mut built = vec![false; count];
        let mut todo = Vec::new();
        for (index, def) in self.types.iter().enumerate() {
            let alternatives: Vec<Vec<Ty>> = match &def.shape {
                Shape::Record(_) | Shape::Coproduct(_) => def
                    .variants()
                    .iter()
                    .map(|v| v.fields.iter().map(|f| f.ty).collect())
                    .collect(),
                Shape::Refined { base, .. } => vec![vec![*base]],
                Shape::Opaque | Shape::Alias(_) => vec![Vec::new()],
            };
            for parts in alternatives {
                let mut missing = 0;
                // A record without a name holds what its fields hold.
                let mut parts = parts;
                let mut seen = FxHashSet::default();
                while let Some(part) = parts.pop() {
                    let TyKind::Named(named, args) = self.table.kind(part) else {
                        continue;
                    };
                    if named.is_unnamed() {
                        if seen.insert(part) {
                            parts.extend(args);
                        }
                    } else if named.module == self.id && (named.index as usize) < count {
                        waiting[named.index as usize].push(ways.len());
                        missing += 1;
                    }
                }
                if missing == 0 {
                    todo.push(index);
                }
                ways.push((index, missing));
            }
        }
        while let Some(index) = todo.pop() {
            if std::mem::replace(&mut built[index], true) {
                continue;
            }
            for way in std::mem::take(&mut waiting[index]) {
                let (target, missing) = &mut ways[way];
                *missing -= 1;
                if *missing == 0 {
                    todo.push(*target);
                }
            }
        }
        built
    }
}

/// Whether a type parameter stands in a function's type within a type. Where it
/// is handed to another declared type, that one is left to be looked at.
fn in_function(table: &TypeTable, ty: Ty, param: u32, handed: &mut Vec<(TypeRef, u32)>) -> bool {
    let mut seen = FxHashSet::default();
    let mut todo = vec![(ty, false)];
    while let Some((ty, under)) = todo.pop() {
        if !table.has_param(ty) || !seen.insert((ty, under)) {
            continue;
        }
        match table.kind(ty) {
            TyKind::Param(index, _) if *index == param && under => return true,
            TyKind::Named(named, args) => {
                for (index, arg) in args.iter().enumerate() {
                    if mentions_param(table, *arg, param) {
                        handed.push((*named, index as u32));
                    }
                    todo.push((*arg, under));
                }
            }
            TyKind::Function(params, result) => {
                todo.extend(params.iter().chain([result]).map(|t| (*t, true)));
            }
            TyKind::Param(..) | TyKind::Variable(_) | TyKind::Error => {}
        }
    }
    false
}

fn mentions_param(table: &TypeTable, ty: Ty, param: u32) -> bool {
    let mut seen = FxHashSet::default();
    let mut todo = vec![ty];
    while let Some(ty) = todo.pop() {
        if !table.has_param(ty) || !seen.insert(ty) {
            continue;
        }
        match table.kind(ty) {
            TyKind::Param(index, _) if *index == param => return true,
            TyKind::Named(_, args) => todo.extend(args),
            TyKind::Function(params, result) => todo.extend(params.iter().chain([result])),
            TyKind::Param(..) | TyKind::Variable(_) | TyKind::Error => {}
        }
    }
    false
}
