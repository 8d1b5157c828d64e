//! Refined types at run time: their predicates with those of their bases, the
//! base's first, compiled once a program.

use crate::display::{quote, write_value};
use crate::refusal::{Step, broken, refuse};
use crate::value::Value;
use dag_analysis::core::{DeclRef, ModuleId, Predicate, Program, Shape, TypeRef};
use dag_analysis::regular::{self, Regular};
use dag_analysis::types::{Ty, TyKind};
use dag_syntax::Code;
use std::sync::Arc;

/// What a value of a refined type must satisfy.
#[derive(Debug)]
pub(crate) struct Refinement {
    /// `module.Name`.
    name: String,
    checks: Vec<Check>,
}

#[derive(Debug)]
struct Check {
    /// The base that asks for it, if it is not the type itself.
    by: Option<String>,
    test: Test,
}

#[derive(Debug)]
enum Test {
    NonEmpty,
    Range(Option<i64>, Option<i64>),
    Pattern(Arc<str>, Arc<Regular>),
    /// A pattern that the checker should not have let through.
    BadPattern(Arc<str>),
}

/// Bases of bases; a chain longer than this is a cycle.
const MAX_BASES: usize = 1000;

impl Refinement {
    /// What that type asks for; nothing if it is not refined.
    pub(crate) fn of(program: &Program, ty: TypeRef) -> Self {
        let mut levels: Vec<(String, &[Predicate])> = Vec::new();
        let mut next = Some(ty);
        while let Some(ty) = next
            && levels.len() < MAX_BASES
        {
            let Some(module) = program.modules.get(ty.module.0 as usize) else {
                break;
            };
            let Some(def) = module.types.get(ty.index as usize) else {
                break;
            };
            // A refinement written in place has its text for a name.
            let name = match def.name.as_str().contains(' ') {
                true => format!("`{}`", def.name),
                false => format!("{}.{}", module.name, def.name),
            };
            next = match &def.shape {
                Shape::Alias(of) => {
                    levels.push((name, &[]));
                    named(program, ty.module, *of)
                }
                Shape::Refined { base, predicates } => {
                    levels.push((name, predicates));
                    named(program, ty.module, *base)
                }
                Shape::Opaque | Shape::Record(_) | Shape::Coproduct(_) => None,
            };
        }
        let own = levels
            .first()
            .map_or_else(String::new, |(name, _)| name.clone());
        let mut checks = Vec::new();
        for (name, predicates) in levels.into_iter().rev() {
            let by = (name != own).then_some(name);
            checks.extend(predicates.iter().filter_map(Test::of).map(|test| Check {
                by: by.clone(),
                test,
            }));
        }
        Self { name: own, checks }
    }

    /// Says that a function which a predicate names does not hold of a value.
    pub(crate) fn denied(&self, program: &Program, value: &Value, predicate: DeclRef) -> String {
        format!(
            "{} is not a {}: `{}` does not hold",
            shortened(program, value),
            self.name,
            program.decl(predicate).name,
        )
    }

    /// What looking at a value costs, in bytes read.
    pub(crate) fn cost(&self, value: &Value) -> usize {
        let Value::Str(text) = value else { return 0 };
        let patterns = self.checks.iter().filter_map(|check| match &check.test {
            Test::Pattern(_, regular) => Some(regular.cost(text.len())),
            _ => None,
        });
        patterns.fold(0, usize::saturating_add)
    }

    /// Refuses a value that does not satisfy it; functions that predicates name
    /// are not asked here: see [`named_predicates`].
    pub(crate) fn check(&self, program: &Program, value: &Value) -> Step<()> {
        for check in &self.checks {
            if check.test.holds(value)? {
                continue;
            }
            let by = match &check.by {
                Some(base) => format!(" (asked by its base {base})"),
                None => String::new(),
            };
            return refuse(
                Code::RefinementRefused,
                format!(
                    "{} is not a {}: it must {}{by}",
                    shortened(program, value),
                    self.name,
                    check.test.in_words(),
                ),
            );
        }
        Ok(())
    }
}

/// The functions that the predicates of a type name, with those of its bases,
/// the base's first. Each is called with the value, after all other predicates.
pub(crate) fn named_predicates(program: &Program, ty: TypeRef) -> Vec<DeclRef> {
    let mut levels: Vec<&[Predicate]> = Vec::new();
    let mut next = Some(ty);
    while let Some(ty) = next
        && levels.len() < MAX_BASES
    {
        let module = program.modules.get(ty.module.0 as usize);
        let def = module.and_then(|m| m.types.get(ty.index as usize));
        next = match def.map(|def| &def.shape) {
            Some(Shape::Alias(of)) => named(program, ty.module, *of),
            Some(Shape::Refined { base, predicates }) => {
                levels.push(predicates);
                named(program, ty.module, *base)
            }
            _ => None,
        };
    }
    let predicates = levels.into_iter().rev().flatten();
    let functions = predicates.filter_map(|predicate| match predicate {
        Predicate::Holds(decl) => Some(*decl),
        _ => None,
    });
    functions.collect()
}

fn named(program: &Program, module: ModuleId, ty: Ty) -> Option<TypeRef> {
    match program.modules.get(module.0 as usize)?.table.kind(ty) {
        TyKind::Named(ty, _) => Some(*ty),
        _ => None,
    }
}

impl Test {
    fn of(predicate: &Predicate) -> Option<Self> {
        Some(match predicate {
            Predicate::NonEmpty => Test::NonEmpty,
            Predicate::Range { min, max } => Test::Range(*min, *max),
            Predicate::Pattern(pattern) => match regular::whole(pattern) {
                Ok(regular) => Test::Pattern(pattern.clone(), regular),
                Err(_) => Test::BadPattern(pattern.clone()),
            },
            Predicate::Brand(_) | Predicate::Holds(_) => return None,
        })
    }

    fn holds(&self, value: &Value) -> Step<bool> {
        match (self, value) {
            (Test::NonEmpty, Value::Str(text)) => Ok(!text.is_empty()),
            (Test::NonEmpty, Value::List(items)) => Ok(!items.is_empty()),
            (Test::NonEmpty, Value::Map(map)) => Ok(!map.is_empty()),
            (Test::NonEmpty, Value::Set(set)) => Ok(!set.is_empty()),
            (Test::Range(min, max), Value::Int(n)) => {
                Ok(min.is_none_or(|min| min <= *n) && max.is_none_or(|max| *n <= max))
            }
            (Test::Pattern(_, regular), Value::Str(text)) => Ok(regular.matches(text)),
            (Test::BadPattern(pattern), _) => Err(broken(&format!(
                "{} is no regular expression",
                quote(pattern)
            ))),
            _ => Err(broken("a predicate over a value of another type")),
        }
    }

    fn in_words(&self) -> String {
        match self {
            Test::NonEmpty => "not be empty".to_owned(),
            Test::Range(Some(min), Some(max)) => format!("be from {min} to {max}"),
            Test::Range(Some(min), None) => format!("be at least {min}"),
            Test::Range(None, Some(max)) => format!("be at most {max}"),
            Test::Range(None, None) => "be a number".to_owned(),
            Test::Pattern(pattern, _) | Test::BadPattern(pattern) => {
                format!("match the pattern {} whole", quote(pattern))
            }
        }
    }
}

/// A value for a message: quoted, and not longer than a line.
fn shortened(program: &Program, value: &Value) -> String {
    const SHOWN: usize = 60;
    let mut text = match value {
        Value::Str(text) => quote(&text.chars().take(SHOWN + 1).collect::<String>()),
        _ => {
            let mut out = String::new();
            // Cut off on purpose: only the beginning is shown.
            let _ = write_value(program, value, SHOWN * 4, &mut out);
            out
        }
    };
    if let Some((cut, _)) = text.char_indices().nth(SHOWN) {
        text.truncate(cut);
        text.push('…');
    }
    text
}
