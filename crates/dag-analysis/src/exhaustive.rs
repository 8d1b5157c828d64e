//! Whether a match has an arm for every value, and a value for every arm: the
//! usefulness of pattern vectors (L. Maranget, "Warnings for pattern matching",
//! Journal of Functional Programming 17(3), 2007).
//!
//! The question is NP-hard, so the work is counted and bounded: a match that
//! takes more is refused, never waited for.

use crate::core::{Arm, Body, Ctor, Pattern, PatternId, TypeDef};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// What was found.
#[derive(Default)]
pub(crate) struct Found {
    /// Patterns that no arm takes, as they would be written; at most three.
    pub(crate) missing: Vec<String>,
    /// Whether there are more.
    pub(crate) more: bool,
    /// Arms that take nothing the arms before them leave.
    pub(crate) redundant: Vec<Redundant>,
    /// How much was compared.
    pub(crate) work: u64,
}

/// An arm that is never reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Redundant {
    pub(crate) arm: usize,
    /// The arm above it that alone takes all its values, if one does.
    pub(crate) taken_by: Option<usize>,
}

/// The comparison of the arms takes more work than is allowed.
pub(crate) struct TooLarge;

/// The declaration of a constructor's type.
type Types<'a> = &'a dyn Fn(Ctor) -> Option<&'a TypeDef>;

/// How many missing patterns a message names.
const SHOWN: usize = 3;

/// How many rows may be looked at for one match: two thousand arms that are all
/// of one variant take four million.
const MOST_WORK: usize = 5_000_000;

/// The numbers of a refined type, few enough to be written one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Few {
    first: i64,
    count: u16,
}

impl Few {
    /// How many numbers a match may be asked to name.
    const MOST: u64 = 256;

    /// The numbers from one to another, if they are few.
    pub(crate) fn between(first: i64, last: i64) -> Option<Self> {
        let others = last
            .checked_sub(first)
            .and_then(|n| u64::try_from(n).ok())?;
        (others < Self::MOST).then(|| Self {
            first,
            count: others as u16 + 1,
        })
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Ctor(Ctor),
    Bool(bool),
    /// A number, and those that its type has if they are few.
    Int(i64, Option<Few>),
    Str(Arc<str>),
}

#[derive(Clone, Debug)]
enum Pat {
    Any,
    Key(Key, Vec<Pat>),
}

impl Pat {
    /// Whether every value of another pattern is one of this, seen part by part.
    fn takes(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Any, _) => true,
            (Self::Key(..), Self::Any) => false,
            (Self::Key(key, parts), Self::Key(other_key, others)) => {
                key == other_key && parts.iter().zip(others).all(|(part, of)| part.takes(of))
            }
        }
    }
}

type Row<'p> = Vec<&'p Pat>;

/// Checks the arms of a match. `seed` is a constructor of the matched type,
/// known even where no arm names one; `few` are the numbers of the types that number
/// patterns are matched against, where they are few.
pub(crate) fn check(
    body: &Body,
    arms: &[Arm],
    seed: Option<Ctor>,
    few: &FxHashMap<PatternId, Few>,
    types: Types<'_>,
) -> Result<Found, TooLarge> {
    let patterns: Vec<Pat> = arms
        .iter()
        .map(|a| simplify(body, a.pattern, few))
        .collect();
    let mut work = Work { left: MOST_WORK };
    let mut found = Found::default();
    let mut rows: Vec<Row<'_>> = Vec::new();
    // The arms by their outermost constructor: only those can take the values of
    // an arm with the same one.
    let mut alike: FxHashMap<&Key, Vec<Row<'_>>> = FxHashMap::default();
    // The arm that takes whatever comes to it.
    let mut takes_all = None;
    // Of each pattern in `alike`, its arm.
    let mut arms_alike: FxHashMap<&Key, Vec<usize>> = FxHashMap::default();
    for (index, (arm, pattern)) in arms.iter().zip(&patterns).enumerate() {
        let useful = takes_all.is_none()
            && match pattern {
                Pat::Key(key, _) => {
                    let before = alike.get(key).map_or(&[][..], Vec::as_slice);
                    work.useful(before, &[pattern], types)?
                }
                Pat::Any => work.useful(&rows, &[pattern], types)?,
            };
        if !useful {
            let single = || {
                let Pat::Key(key, _) = pattern else {
                    return None;
                };
                let mut before = arms_alike.get(key)?.iter().copied();
                before.find(|arm| patterns[*arm].takes(pattern))
            };
            found.redundant.push(Redundant {
                arm: index,
                taken_by: takes_all.or_else(single),
            });
        }
        if arm.guard.is_none() {
            rows.push(vec![pattern]);
            match pattern {
                Pat::Any => takes_all = takes_all.or(Some(index)),
                Pat::Key(key, _) => {
                    alike.entry(key).or_default().push(vec![pattern]);
                    arms_alike.entry(key).or_default().push(index);
                }
            }
        }
    }
    let missing = work.missing(&rows, 1, seed, types, SHOWN + 1)?;
    found.missing = missing
        .into_iter()
        .filter_map(|mut row| row.pop())
        .collect();
    found.work = (MOST_WORK - work.left) as u64;
    found.more = found.missing.len() > SHOWN;
    found.missing.truncate(SHOWN);
    Ok(found)
}

fn simplify(body: &Body, pattern: PatternId, few: &FxHashMap<PatternId, Few>) -> Pat {
    match body.pattern(pattern) {
        Pattern::Any | Pattern::Bind(_) => Pat::Any,
        Pattern::Bool(value) => Pat::Key(Key::Bool(*value), Vec::new()),
        Pattern::Int(value) => Pat::Key(Key::Int(*value, few.get(&pattern).copied()), Vec::new()),
        Pattern::Str(value) => Pat::Key(Key::Str(Arc::clone(value)), Vec::new()),
        Pattern::Ctor { ctor, fields } => {
            let inner = body
                .pattern_operands(*fields)
                .iter()
                .map(|p| simplify(body, *p, few))
                .collect();
            Pat::Key(Key::Ctor(*ctor), inner)
        }
    }
}

/// Rows whose first pattern takes the values of one key.
struct Group<'p> {
    key: &'p Key,
    arity: usize,
    rows: Vec<Row<'p>>,
}

/// The first key that stands first in the rows, and how many different ones do.
fn first_keys<'p>(rows: &[Row<'p>]) -> (Option<&'p Key>, usize) {
    let keys = rows.iter().filter_map(|row| match row.first() {
        Some(Pat::Key(key, _)) => Some(key),
        _ => None,
    });
    let mut keys = keys.peekable();
    let first = keys.peek().copied();
    (first, keys.collect::<FxHashSet<&Key>>().len())
}

/// How many keys the type of a key has; none if there is no end of them.
fn count_of_keys(key: &Key, types: Types<'_>) -> Option<usize> {
    match key {
        Key::Ctor(ctor) => types(*ctor).map(|def| def.variants().len()),
        Key::Bool(_) => Some(2),
        Key::Int(_, few) => few.map(|few| usize::from(few.count)),
        Key::Str(_) => None,
    }
}

/// Every key of the type of a key; none if there is no end of them.
fn all_keys(key: &Key, types: Types<'_>) -> Option<Vec<Key>> {
    match key {
        Key::Ctor(ctor) => {
            let count = types(*ctor)?.variants().len() as u32;
            let variant = |variant| Key::Ctor(Ctor { variant, ..*ctor });
            Some((0..count).map(variant).collect())
        }
        Key::Bool(_) => Some(vec![Key::Bool(true), Key::Bool(false)]),
        Key::Int(_, few) => few.map(|few| {
            let all = (0..i64::from(few.count)).map(|n| few.first + n);
            all.map(|n| Key::Int(n, Some(few))).collect()
        }),
        Key::Str(_) => None,
    }
}

/// The work that is left.
struct Work {
    left: usize,
}

impl Work {
    fn spend(&mut self, rows: &[Row<'_>]) -> Result<(), TooLarge> {
        let width = rows.first().map_or(0, Vec::len);
        let cost = (rows.len() + 1) * (1 + width / 16);
        self.left = self.left.checked_sub(cost).ok_or(TooLarge)?;
        Ok(())
    }

    /// The rows that take values of a key, with the key's parts in its place.
    fn specialize<'p>(
        &mut self,
        rows: &[Row<'p>],
        key: &Key,
        arity: usize,
    ) -> Result<Vec<Row<'p>>, TooLarge> {
        self.spend(rows)?;
        let special = rows.iter().filter_map(|row| {
            let (first, rest) = row.split_first()?;
            let mut out: Row<'p> = Vec::with_capacity(arity + rest.len());
            match first {
                Pat::Any => out.resize(arity, &Pat::Any),
                Pat::Key(k, inner) if k == key => out.extend(inner),
                Pat::Key(..) => return None,
            }
            out.extend(rest);
            Some(out)
        });
        Ok(special.collect())
    }

    /// For each key that stands first in the rows: the rows that take its
    /// values, specialised. One pass, however many keys.
    fn by_key<'p>(&mut self, rows: &[Row<'p>]) -> Result<Vec<Group<'p>>, TooLarge> {
        self.spend(rows)?;
        let (mut anys, mut groups) = (Vec::new(), Vec::new());
        let mut index: FxHashMap<&Key, usize> = FxHashMap::default();
        for row in rows {
            match row.split_first() {
                Some((Pat::Key(key, inner), rest)) => {
                    let at = *index.entry(key).or_insert_with(|| {
                        groups.push(Group {
                            key,
                            arity: inner.len(),
                            rows: Vec::new(),
                        });
                        groups.len() - 1
                    });
                    let special = inner.iter().chain(rest.iter().copied()).collect();
                    groups[at].rows.push(special);
                }
                Some((Pat::Any, rest)) => anys.push(rest),
                None => {}
            }
        }
        for group in &mut groups {
            self.left = self.left.checked_sub(anys.len()).ok_or(TooLarge)?;
            for rest in &anys {
                let mut special: Row<'p> = vec![&Pat::Any; group.arity];
                special.extend(*rest);
                group.rows.push(special);
            }
        }
        Ok(groups)
    }

    /// The rows that take values of any key, without their first pattern.
    fn default<'p>(&mut self, rows: &[Row<'p>]) -> Result<Vec<Row<'p>>, TooLarge> {
        self.spend(rows)?;
        let any = |row: &&Row<'p>| matches!(row.first(), Some(Pat::Any));
        Ok(rows
            .iter()
            .filter(any)
            .map(|row| row[1..].to_vec())
            .collect())
    }

    /// Whether some value is taken by the row and by none of the rows.
    fn useful(
        &mut self,
        rows: &[Row<'_>],
        row: &[&Pat],
        types: Types<'_>,
    ) -> Result<bool, TooLarge> {
        let Some((first, rest)) = row.split_first() else {
            return Ok(rows.is_empty());
        };
        if rows.is_empty() {
            return Ok(true);
        }
        if let Pat::Key(key, inner) = first {
            let rows = self.specialize(rows, key, inner.len())?;
            let row: Row<'_> = inner.iter().chain(rest.iter().copied()).collect();
            return self.useful(&rows, &row, types);
        }
        let (first_key, distinct) = first_keys(rows);
        if first_key.and_then(|key| count_of_keys(key, types)) != Some(distinct) {
            let rows = self.default(rows)?;
            return self.useful(&rows, rest, types);
        }
        for group in self.by_key(rows)? {
            let mut row: Row<'_> = vec![&Pat::Any; group.arity];
            row.extend(rest);
            if self.useful(&group.rows, &row, types)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Vectors of patterns, as text, that no row takes; at most `limit`.
    fn missing(
        &mut self,
        rows: &[Row<'_>],
        width: usize,
        seed: Option<Ctor>,
        types: Types<'_>,
        limit: usize,
    ) -> Result<Vec<Vec<String>>, TooLarge> {
        if width == 0 {
            let nothing = rows.is_empty().then(Vec::new);
            return Ok(nothing.into_iter().collect());
        }
        if let (true, Some(seed)) = (rows.is_empty(), seed) {
            // Nothing is taken: every constructor is missing.
            let all = all_keys(&Key::Ctor(seed), types).unwrap_or_default();
            let all = all.iter().take(limit);
            return Ok(all.map(|key| vec![shown(key, None, types)]).collect());
        }
        let mut groups = self.by_key(rows)?;
        let all = groups.first().and_then(|group| all_keys(group.key, types));
        let mut found = Vec::new();
        // First what has no key at all in the rows, then what is left of the rest.
        if all.as_ref().is_none_or(|all| all.len() > groups.len()) {
            let absent: Vec<String> = match &all {
                Some(all) => {
                    let known: FxHashSet<&Key> = groups.iter().map(|g| g.key).collect();
                    let absent = all.iter().filter(|key| !known.contains(key)).take(limit);
                    absent.map(|key| shown(key, None, types)).collect()
                }
                None => vec!["_".to_owned()],
            };
            let rows = self.default(rows)?;
            for rest in self.missing(&rows, width - 1, None, types, limit)? {
                for first in &absent {
                    let mut row = vec![first.clone()];
                    row.extend(rest.iter().cloned());
                    found.push(row);
                    if found.len() >= limit {
                        return Ok(found);
                    }
                }
            }
        }
        if let Some(all) = &all {
            // In the order of the declaration.
            let order: FxHashMap<&Key, usize> =
                all.iter().enumerate().map(|(at, key)| (key, at)).collect();
            groups.sort_by_key(|group| order.get(group.key));
        }
        for group in groups {
            let (arity, left) = (group.arity, limit - found.len());
            for mut parts in self.missing(&group.rows, arity + width - 1, None, types, left)? {
                let rest = parts.split_off(arity);
                let mut row = vec![shown(group.key, Some(&parts), types)];
                row.extend(rest);
                found.push(row);
            }
            if found.len() >= limit {
                break;
            }
        }
        Ok(found)
    }
}

/// A pattern as it would be written; parts that are not known are `_`.
fn shown(key: &Key, parts: Option<&[String]>, types: Types<'_>) -> String {
    let ctor = match key {
        Key::Bool(value) => return value.to_string(),
        Key::Int(value, _) => return value.to_string(),
        Key::Str(value) => return format!("{value:?}"),
        Key::Ctor(ctor) => *ctor,
    };
    let variant = types(ctor).and_then(|def| def.variants().get(ctor.variant as usize));
    let Some(variant) = variant else {
        return "_".into();
    };
    let part = |index: usize| parts.and_then(|p| p.get(index)).map_or("_", String::as_str);
    let name = if ctor.ty.is_unnamed() {
        String::new()
    } else {
        format!("{} ", variant.name)
    };
    match variant.fields.as_slice() {
        [] => variant.name.to_string(),
        [only] if only.name.as_str() == "0" => format!("{}({})", variant.name, part(0)),
        many => {
            let inner: Vec<String> = many
                .iter()
                .enumerate()
                .map(|(i, f)| format!("{}: {}", f.name, part(i)))
                .collect();
            format!("{name}{{ {} }}", inner.join(", "))
        }
    }
}
