//! Whether a match has an arm for every value, and a value for every arm: the
//! usefulness of pattern vectors (L. Maranget, "Warnings for pattern matching",
//! Journal of Functional Programming 17(3), 2007).

use crate::core::{Arm, Body, Ctor, Pattern, PatternId};
use dag_syntax::Symbol;
use std::sync::Arc;

/// What was found.
pub(crate) struct Found {
    /// Patterns that no arm takes, as they would be written; at most three.
    pub(crate) missing: Vec<String>,
    /// Whether there are more.
    pub(crate) more: bool,
    /// Arms that take nothing the arms before them leave.
    pub(crate) redundant: Vec<usize>,
}

/// The constructors of a type: name and field names of each.
type Signature<'a> = &'a dyn Fn(Ctor) -> Vec<(Symbol, Vec<Symbol>)>;

/// How many missing patterns a message names.
const SHOWN: usize = 3;

#[derive(Clone, Debug, PartialEq)]
enum Key {
    Ctor(Ctor),
    Bool(bool),
    Int(i64),
    Str(Arc<str>),
}

#[derive(Clone, Debug)]
enum Pat {
    Any,
    Key(Key, Vec<Pat>),
}

/// Checks the arms of a match. `seed` is a constructor of the matched type,
/// known even where no arm names one.
pub(crate) fn check(body: &Body, arms: &[Arm], seed: Option<Ctor>, types: Signature<'_>) -> Found {
    let patterns: Vec<Pat> = arms.iter().map(|a| simplify(body, a.pattern)).collect();
    let mut rows: Vec<Vec<&Pat>> = Vec::new();
    let mut redundant = Vec::new();
    for (index, (arm, pattern)) in arms.iter().zip(&patterns).enumerate() {
        if !useful(&rows, &[pattern], types) {
            redundant.push(index);
        }
        if arm.guard.is_none() {
            rows.push(vec![pattern]);
        }
    }
    let mut missing: Vec<String> = missing(&rows, 1, seed, types, SHOWN + 1)
        .into_iter()
        .filter_map(|mut row| row.pop())
        .collect();
    let more = missing.len() > SHOWN;
    missing.truncate(SHOWN);
    Found {
        missing,
        more,
        redundant,
    }
}

fn simplify(body: &Body, pattern: PatternId) -> Pat {
    match body.pattern(pattern) {
        Pattern::Any | Pattern::Bind(_) => Pat::Any,
        Pattern::Bool(value) => Pat::Key(Key::Bool(*value), Vec::new()),
        Pattern::Int(value) => Pat::Key(Key::Int(*value), Vec::new()),
        Pattern::Str(value) => Pat::Key(Key::Str(Arc::clone(value)), Vec::new()),
        Pattern::Ctor { ctor, fields } => {
            let inner = body
                .pattern_operands(*fields)
                .iter()
                .map(|p| simplify(body, *p))
                .collect();
            Pat::Key(Key::Ctor(*ctor), inner)
        }
    }
}

/// The keys that stand first in the rows, each once.
fn first_keys(rows: &[Vec<&Pat>]) -> Vec<(Key, usize)> {
    let mut keys: Vec<(Key, usize)> = Vec::new();
    for row in rows {
        if let Some(Pat::Key(key, inner)) = row.first()
            && !keys.iter().any(|(k, _)| k == key)
        {
            keys.push((key.clone(), inner.len()));
        }
    }
    keys
}

/// Every key of the type that the given keys belong to; none if there is no end
/// of them.
fn all_keys(keys: &[(Key, usize)], types: Signature<'_>) -> Option<Vec<(Key, usize)>> {
    match keys.first()? {
        (Key::Ctor(ctor), _) => Some(
            types(*ctor)
                .iter()
                .enumerate()
                .map(|(index, (_, fields))| {
                    (
                        Key::Ctor(Ctor {
                            ty: ctor.ty,
                            variant: index as u32,
                        }),
                        fields.len(),
                    )
                })
                .collect(),
        ),
        (Key::Bool(_), _) => Some(vec![(Key::Bool(true), 0), (Key::Bool(false), 0)]),
        (Key::Int(_) | Key::Str(_), _) => None,
    }
}

/// The rows that take values of a key, with the key's parts in its place.
fn specialize<'p>(rows: &[Vec<&'p Pat>], key: &Key, arity: usize) -> Vec<Vec<&'p Pat>> {
    rows.iter()
        .filter_map(|row| specialize_row(row, key, arity))
        .collect()
}

fn specialize_row<'p>(row: &[&'p Pat], key: &Key, arity: usize) -> Option<Vec<&'p Pat>> {
    let (first, rest) = row.split_first()?;
    let mut out: Vec<&Pat> = match first {
        Pat::Any => vec![&Pat::Any; arity],
        Pat::Key(k, inner) if k == key => inner.iter().collect(),
        Pat::Key(..) => return None,
    };
    out.extend(rest);
    Some(out)
}

/// The rows that take values of any key, without their first pattern.
fn default<'p>(rows: &[Vec<&'p Pat>]) -> Vec<Vec<&'p Pat>> {
    rows.iter()
        .filter(|row| matches!(row.first(), Some(Pat::Any)))
        .map(|row| row[1..].to_vec())
        .collect()
}

/// Whether some value is taken by the row and by none of the rows.
fn useful(rows: &[Vec<&Pat>], row: &[&Pat], types: Signature<'_>) -> bool {
    let Some((first, rest)) = row.split_first() else {
        return rows.is_empty();
    };
    match first {
        Pat::Key(key, inner) => {
            let rows = specialize(rows, key, inner.len());
            let row: Vec<&Pat> = inner.iter().chain(rest.iter().copied()).collect();
            useful(&rows, &row, types)
        }
        Pat::Any => {
            let keys = first_keys(rows);
            match all_keys(&keys, types) {
                Some(all) if all.len() == keys.len() => all.iter().any(|(key, arity)| {
                    let mut row: Vec<&Pat> = vec![&Pat::Any; *arity];
                    row.extend(rest);
                    useful(&specialize(rows, key, *arity), &row, types)
                }),
                _ => useful(&default(rows), rest, types),
            }
        }
    }
}

/// Vectors of patterns, as text, that no row takes; at most `limit`.
fn missing(
    rows: &[Vec<&Pat>],
    width: usize,
    seed: Option<Ctor>,
    types: Signature<'_>,
    limit: usize,
) -> Vec<Vec<String>> {
    if width == 0 {
        return if rows.is_empty() {
            vec![Vec::new()]
        } else {
            Vec::new()
        };
    }
    let mut keys = first_keys(rows);
    if let (true, Some(seed)) = (keys.is_empty(), seed)
        && rows.is_empty()
    {
        // Nothing is taken: every constructor is missing.
        keys = vec![(Key::Ctor(seed), 0)];
        let all = all_keys(&keys, types).unwrap_or_default();
        return all
            .iter()
            .take(limit)
            .map(|(key, _)| vec![shown(key, None, types)])
            .collect();
    }
    let all = all_keys(&keys, types);
    let mut found = Vec::new();
    if let Some(all) = all.as_ref().filter(|all| all.len() == keys.len()) {
        for (key, arity) in all {
            let rows = specialize(rows, key, *arity);
            for mut parts in missing(&rows, arity + width - 1, None, types, limit - found.len()) {
                let rest = parts.split_off(*arity);
                let mut row = vec![shown(key, Some(&parts), types)];
                row.extend(rest);
                found.push(row);
            }
            if found.len() >= limit {
                break;
            }
        }
        return found;
    }
    let absent: Vec<String> = match &all {
        Some(all) => all
            .iter()
            .filter(|(key, _)| !keys.iter().any(|(k, _)| k == key))
            .map(|(key, _)| shown(key, None, types))
            .collect(),
        None => vec!["_".to_owned()],
    };
    for rest in missing(&default(rows), width - 1, None, types, limit) {
        for first in &absent {
            let mut row = vec![first.clone()];
            row.extend(rest.iter().cloned());
            found.push(row);
            if found.len() >= limit {
                return found;
            }
        }
    }
    found
}

/// A pattern as it would be written; parts that are not known are `_`.
fn shown(key: &Key, parts: Option<&[String]>, types: Signature<'_>) -> String {
    let ctor = match key {
        Key::Bool(value) => return value.to_string(),
        Key::Int(value) => return value.to_string(),
        Key::Str(value) => return format!("{value:?}"),
        Key::Ctor(ctor) => *ctor,
    };
    let signature = types(ctor);
    let Some((name, fields)) = signature.get(ctor.variant as usize) else {
        return "_".into();
    };
    let part = |index: usize| parts.and_then(|p| p.get(index)).map_or("_", String::as_str);
    match fields.as_slice() {
        [] => name.to_string(),
        [only] if only.as_str() == "0" => format!("{name}({})", part(0)),
        many => {
            let inner: Vec<String> = many
                .iter()
                .enumerate()
                .map(|(i, f)| format!("{f}: {}", part(i)))
                .collect();
            format!("{name} {{ {} }}", inner.join(", "))
        }
    }
}
