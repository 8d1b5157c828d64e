//! Values from outside the language: how the engine mints what an observer saw.
//! Names, completeness and types of the fields are checked, so that a wrong
//! frame is an error here and never a wrong value there.

use crate::evaluator::Evaluator;
use crate::refine::named_predicates;
use crate::refusal::Fault;
use crate::value::Value;
use dag_analysis::core::{Ctor, ModuleId, Shape, TypeRef};
use dag_analysis::types::{Ty, TyKind};
use std::rc::Rc;

/// Why a value could not be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConstructError {
    /// The program lacks `std.types`.
    #[error("the program lacks `std.types`")]
    NoKernel,
    /// No record or variant has that name.
    #[error("`{0}` is no record or variant of the program")]
    UnknownType(String),
    /// The type has no such field.
    #[error("`{of}` has no field `{field}`")]
    UnknownField {
        /// The record or variant.
        of: String,
        /// The field.
        field: String,
    },
    /// A field is given twice.
    #[error("`{of}` is given its field `{field}` twice")]
    DuplicateField {
        /// The record or variant.
        of: String,
        /// The field.
        field: String,
    },
    /// A field is not given.
    #[error("`{of}` is not given its field `{field}`")]
    MissingField {
        /// The record or variant.
        of: String,
        /// The field.
        field: String,
    },
    /// A field is given a value of another type.
    #[error("the field `{field}` of `{of}` is given a value of another type: {why}")]
    WrongType {
        /// The record or variant.
        of: String,
        /// The field.
        field: String,
        /// What does not fit.
        why: String,
    },
}

/// A type seen from a place: its module's table, and the arguments of the
/// generic type in whose declaration it stands.
#[derive(Clone)]
struct Seen {
    module: ModuleId,
    ty: Ty,
    args: Rc<[Seen]>,
}

impl Evaluator {
    /// A value of `type_name` (`module.Type` or `module.Type.Variant`) with
    /// these fields, in any order; a positional payload is field `0`. Not to be
    /// reached from the language: it builds observed and sole-constructor types.
    ///
    /// # Errors
    /// If the name, the fields or their types are not as declared.
    pub fn construct<'f>(
        &self,
        type_name: &str,
        fields: impl IntoIterator<Item = (&'f str, Value)>,
    ) -> Result<Value, ConstructError> {
        let of = || type_name.to_owned();
        let ctor = self
            .constructor(type_name)
            .ok_or_else(|| ConstructError::UnknownType(of()))?;
        let declared = &self.program().variant(ctor).fields;
        let mut values: Vec<Option<Value>> = vec![None; declared.len()];
        for (name, value) in fields {
            let field = || name.to_owned();
            let index = declared.iter().position(|f| f.name.as_str() == name);
            let Some((index, declared)) = index.and_then(|i| Some((i, declared.get(i)?))) else {
                return Err(ConstructError::UnknownField {
                    of: of(),
                    field: field(),
                });
            };
            let seen = Seen {
                module: ctor.ty.module,
                ty: declared.ty,
                args: Rc::new([]),
            };
            self.check(&value, seen)
                .map_err(|why| ConstructError::WrongType {
                    of: of(),
                    field: field(),
                    why,
                })?;
            if let Some(place) = values.get_mut(index)
                && place.replace(value).is_some()
            {
                return Err(ConstructError::DuplicateField {
                    of: of(),
                    field: field(),
                });
            }
        }
        let complete: Result<Vec<Value>, _> = values
            .into_iter()
            .zip(declared)
            .map(|(value, field)| {
                value.ok_or_else(|| ConstructError::MissingField {
                    of: of(),
                    field: field.name.to_string(),
                })
            })
            .collect();
        Ok(Value::data(ctor, complete?))
    }

    fn constructor(&self, name: &str) -> Option<Ctor> {
        let program = self.program();
        let (front, last) = name.rsplit_once('.')?;
        if let Some(module) = program.module_named(front) {
            let (ty, def) = module.type_named(last.into())?;
            return matches!(def.shape, Shape::Record(_)).then_some(Ctor { ty, variant: 0 });
        }
        let (module, ty) = front.rsplit_once('.')?;
        let (ty, def) = program.module_named(module)?.type_named(ty.into())?;
        let (variant, _) = def.variant_named(last.into())?;
        Some(Ctor { ty, variant })
    }

    /// Checks a value against a type. Records were checked when they were
    /// built, so that only what Rust can put together freely is walked: lists,
    /// and the fields of generic types.
    fn check(&self, value: &Value, seen: Seen) -> Result<(), String> {
        let mut waiting = vec![(value, seen)];
        while let Some((value, seen)) = waiting.pop() {
            self.check_one(value, seen, &mut waiting)?;
        }
        Ok(())
    }

    fn check_one<'v>(
        &self,
        value: &'v Value,
        seen: Seen,
        waiting: &mut Vec<(&'v Value, Seen)>,
    ) -> Result<(), String> {
        let program = self.program();
        if seen.module == ModuleId::UNNAMED {
            // The field of a record without a name: its type is an argument.
            if let Some(arg) = seen.args.get(seen.ty.0 as usize) {
                waiting.push((value, arg.clone()));
            }
            return Ok(());
        }
        let Some(module) = program.modules.get(seen.module.0 as usize) else {
            return Err("a type of another program".to_owned());
        };
        let (ty, args) = match module.table.kind(seen.ty) {
            TyKind::Named(ty, args) => (*ty, args),
            TyKind::Function(..) => {
                return match value {
                    Value::Closure(_) | Value::Function(_) => Ok(()),
                    _ => Err(self.misfit(value, "a function")),
                };
            }
            TyKind::Param(index, _) => {
                // Unbound where the built type itself is generic: anything fits.
                if let Some(arg) = seen.args.get(*index as usize) {
                    waiting.push((value, arg.clone()));
                }
                return Ok(());
            }
            TyKind::Variable(_) | TyKind::Error => return Ok(()),
        };
        let args: Rc<[Seen]> = args
            .iter()
            .map(|arg| {
                let seen = Seen {
                    module: seen.module,
                    ty: *arg,
                    args: seen.args.clone(),
                };
                self.resolved(seen)
            })
            .collect();
        let ctor = Ctor { ty, variant: 0 };
        let Some(def) = crate::value::type_of(program, ctor) else {
            return Err("a type of another program".to_owned());
        };
        let inner = |of: Ty| Seen {
            module: ty.module,
            ty: of,
            args: args.clone(),
        };
        match &def.shape {
            Shape::Alias(of) => waiting.push((value, inner(*of))),
            Shape::Refined { base, .. } => {
                // The base's form first: a predicate reads only its own type.
                self.check(value, inner(*base))?;
                if let Err(fault) = self.refinement(ty).check(program, value) {
                    return Err(match *fault {
                        Fault::Here(_, message) | Fault::Cured(_, message, _) => message,
                        Fault::Kept(refusal) => refusal.message,
                    });
                }
                for predicate in named_predicates(program, ty) {
                    let holds = self.call(predicate, vec![value.clone()]);
                    let holds = holds.map_err(|refusal| refusal.message)?;
                    if holds.value.as_bool() != Some(true) {
                        return Err(self.refinement(ty).denied(program, value, predicate));
                    }
                }
            }
            Shape::Opaque => {
                self.check_opaque(value, ty, def.name.as_str())?;
                let lists = match value {
                    Value::List(items) => [Some(items), None],
                    Value::Set(set) => [Some(set.items()), None],
                    Value::Map(map) => [Some(map.keys()), Some(map.values())],
                    _ => [None, None],
                };
                for (items, item) in lists.into_iter().zip(args.iter()) {
                    let items = items.into_iter().flat_map(|items| items.iter());
                    waiting.extend(items.map(|value| (value, item.clone())));
                }
            }
            Shape::Record(_) | Shape::Coproduct(_) => {
                let Some(data) = value.as_data().filter(|data| data.ctor.ty == ty) else {
                    return Err(self.misfit(value, def.name.as_str()));
                };
                let variant = def.variants().get(data.ctor.variant as usize);
                if let Some(variant) = variant.filter(|_| !args.is_empty()) {
                    let fields = data.fields.iter().zip(&variant.fields);
                    waiting.extend(fields.map(|(value, field)| (value, inner(field.ty))));
                }
            }
        }
        Ok(())
    }

    /// A type parameter replaced by what it stands for here.
    fn resolved(&self, seen: Seen) -> Seen {
        let module = self.program().modules.get(seen.module.0 as usize);
        match module.map(|m| m.table.kind(seen.ty)) {
            Some(TyKind::Param(index, _)) => {
                let arg = seen.args.get(*index as usize).cloned();
                arg.unwrap_or(seen)
            }
            _ => seen,
        }
    }

    fn check_opaque(&self, value: &Value, ty: TypeRef, name: &str) -> Result<(), String> {
        let Some(kernel) = self.kernel() else {
            return Err("a program without `std.types`".to_owned());
        };
        let fits = match value {
            Value::Unit => ty == kernel.unit,
            Value::Bool(_) => ty == kernel.bool,
            Value::Int(_) => ty == kernel.int,
            Value::Float(n) => ty == kernel.float && n.is_finite(),
            Value::Str(_) => ty == kernel.string,
            Value::List(_) => ty == kernel.list,
            Value::Map(_) => ty == kernel.map,
            Value::Set(_) => ty == kernel.set,
            Value::Data(_) | Value::Closure(_) | Value::Function(_) => false,
        };
        if fits {
            Ok(())
        } else {
            Err(self.misfit(value, name))
        }
    }

    fn misfit(&self, value: &Value, wanted: &str) -> String {
        let given = match value {
            Value::Unit => "Unit",
            Value::Bool(_) => "Bool",
            Value::Int(_) => "Int",
            Value::Float(_) => "Float",
            Value::Str(_) => "String",
            Value::List(_) => "List",
            Value::Map(_) => "Map",
            Value::Set(_) => "Set",
            Value::Data(_) => value.type_name(self.program()).map_or("?", |n| n.as_str()),
            Value::Closure(_) | Value::Function(_) => "a function",
        };
        format!("{given} where {wanted} is declared")
    }
}
