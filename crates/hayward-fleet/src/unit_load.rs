//! Loading a unit from a tree: which file defines it, and which drop-ins apply
//! in which order (systemd.unit(5), "Unit File Load Path" and "Description").

use crate::error::{Error, Kind, Result};
use crate::paths;
use crate::state::Manifest;
use crate::tree::{Entry, FileRead, Look, Tree, child};
use crate::unit_file::{self, Assignment};
use crate::unit_name::UnitName;
use hayward_model::{HostPath, UnitReading, UnitSetting, UnitSource};
use std::collections::{BTreeMap, BTreeSet};

/// The most units that patterns may add to an observation.
const MATCH_LIMIT: usize = 1024;

/// A link in a unit directory under a unit's name, and the unit that it leads to.
#[derive(Debug)]
struct UnitLink {
    entry: Entry,
    leads_to: String,
}

/// The unit directories of a tree, listed once.
#[derive(Debug)]
pub(crate) struct Units<'a> {
    tree: &'a Tree,
    entries: Vec<Entry>,
    links: Vec<UnitLink>,
}

impl<'a> Units<'a> {
    /// Lists the unit directories.
    ///
    /// # Errors
    /// If one of them is there and cannot be listed.
    pub(crate) fn list(tree: &'a Tree) -> Result<Self> {
        refuse_split_usr(tree)?;
        let mut entries = Vec::new();
        let mut links = Vec::new();
        for directory in paths::unit_directories() {
            for entry in tree.list(&directory)?.unwrap_or_default() {
                if UnitName::parse(&entry.name).is_some()
                    && tree.kind(&entry.path)? == Some(Kind::Link)
                {
                    let target = tree.link_target(&entry.path)?;
                    let last = target.rsplit(|b| *b == b'/').next().unwrap_or_default();
                    if let Ok(last) = std::str::from_utf8(last)
                        && UnitName::parse(last).is_some()
                    {
                        links.push(UnitLink {
                            entry: entry.clone(),
                            leads_to: last.to_owned(),
                        });
                    }
                }
                entries.push(entry);
            }
        }
        Ok(Self {
            tree,
            entries,
            links,
        })
    }

    /// The names with each pattern, a name with `*`, replaced by the units that
    /// match it and are not named: those with a file or with drop-ins of their
    /// own, by whatever name, sorted.
    ///
    /// # Errors
    /// If no unit can have a name that matches a pattern, or very many have one.
    pub(crate) fn expand(&self, names: &[String]) -> Result<Vec<String>> {
        let mut seen: BTreeSet<String> = names.iter().cloned().collect();
        let mut expanded = Vec::new();
        let mut count = 0;
        for pattern in names {
            if !pattern.contains('*') {
                expanded.push(pattern.clone());
                continue;
            }
            if UnitName::parse(&pattern.replace('*', "x")).is_none() {
                return Err(self.no_name(pattern));
            }
            let mut matched = BTreeSet::new();
            let mut templates = BTreeSet::new();
            let mut add = |entry: &Entry, name: &str| {
                if matches(pattern, name) && seen.insert(name.to_owned()) {
                    count += 1;
                    if count > MATCH_LIMIT {
                        let reason = format!(
                            "is one of more than {MATCH_LIMIT} units that are looked for by pattern"
                        );
                        return Err(form(self.tree, &entry.path, &reason));
                    }
                    matched.insert(name.to_owned());
                }
                Ok(())
            };
            for entry in &self.entries {
                // systemd reads no unit from a hidden file.
                let name = entry.name.strip_suffix(".d").unwrap_or(&entry.name);
                if name.starts_with('.') {
                    continue;
                }
                add(entry, name)?;
                if let Some(template) = UnitName::parse(name)
                    && template.is_template()
                    && matches(pattern, name)
                {
                    templates.insert(template);
                }
            }
            let elsewhere = self.templates_elsewhere(&templates);
            for entry in &self.entries {
                let name = entry.name.strip_suffix(".d").and_then(UnitName::parse);
                let Some((name, instance)) = name.and_then(|n| Some((n.template()?, n))) else {
                    continue;
                };
                for template in elsewhere.get(&name).into_iter().flatten() {
                    add(entry, &template.with_instance_of(&instance).to_string())?;
                }
            }
            expanded.extend(matched);
        }
        Ok(expanded)
    }

    /// The other names under which an instance of a template may have drop-ins, as those of
    /// templates: its shorter prefixes, its aliases and theirs.
    fn templates_elsewhere<'n>(
        &'n self,
        templates: &BTreeSet<UnitName<'n>>,
    ) -> BTreeMap<String, BTreeSet<UnitName<'n>>> {
        let mut elsewhere = BTreeMap::<String, BTreeSet<UnitName<'n>>>::new();
        for template in templates {
            let aliases = self.aliases(&template.to_string(), template);
            let names = aliases.into_iter().map(|(_, alias)| alias);
            for name in names
                .chain([template.clone()])
                .filter(UnitName::is_template)
            {
                for other in name.at_each_prefix() {
                    let of = elsewhere.entry(other.to_string()).or_default();
                    of.insert(template.clone());
                }
            }
        }
        elsewhere
    }

    /// The links that give a unit another name, each with that name.
    fn aliases<'n>(&'n self, unit: &str, name: &UnitName<'n>) -> Vec<(&'n Entry, UnitName<'n>)> {
        let mut aliases = Vec::new();
        // A link may lead to a link: what leads to an alias is one.
        let mut known: BTreeSet<String> = std::iter::once(unit.to_owned())
            .chain(name.template())
            .collect();
        let mut waiting: Vec<String> = known.iter().cloned().collect();
        while let Some(target) = waiting.pop() {
            for UnitLink { entry, leads_to } in &self.links {
                let template = || UnitName::parse(leads_to)?.template();
                // A template is read for all of its instances, so an alias of one counts.
                if *leads_to != target && template().as_deref() != Some(unit) {
                    continue;
                }
                let alias = UnitName::parse(&entry.name).and_then(|n| n.alias_of(name));
                // An instance of a template is no other name of it.
                let Some(alias) = alias.filter(|a| a.template().as_deref() != Some(unit)) else {
                    continue;
                };
                let mut fresh = false;
                for name in [entry.name.clone(), alias.to_string()] {
                    if known.insert(name.clone()) {
                        waiting.push(name);
                        fresh = true;
                    }
                }
                if fresh {
                    aliases.push((entry, alias));
                }
            }
        }
        aliases
    }

    fn no_name(&self, unit: &str) -> Error {
        Error::UnitName {
            host: self.tree.host.clone(),
            unit: unit.escape_debug().to_string(),
        }
    }
}

/// Whether a name matches a pattern, in which `*` stands for any characters but
/// `/`; a name of a file holds none.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return pattern == name;
    };
    let Some(mut name) = name.strip_prefix(start) else {
        return false;
    };
    let (middle, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    // The first place for each part leaves the most for the next.
    for part in middle.split('*') {
        let Some(at) = name.find(part) else {
            return false;
        };
        name = &name[at + part.len()..];
    }
    name.ends_with(end)
}

/// Reads a unit as the files of its tree define it.
///
/// # Errors
/// If the name is no unit's, or if the unit is defined in a way that is not
/// interpreted: masked, by a link, by an alias with drop-ins of its own, or by a
/// line that systemd would skip.
pub(crate) fn read(units: &Units<'_>, manifest: &Manifest, unit: &str) -> Result<UnitReading> {
    let tree = units.tree;
    let Some(name) = UnitName::parse(unit) else {
        return Err(units.no_name(unit));
    };
    refuse_aliases(units, unit, &name)?;
    let template = name.template();
    let mut own = find(tree, unit)?;
    if own.is_none() {
        own = template.as_deref().map_or(Ok(None), |t| find(tree, t))?;
    }
    let mut reading = UnitReading {
        unit: unit.to_owned(),
        sources: Vec::new(),
        settings: Vec::new(),
    };
    if own.is_none() && !name.needs_no_file() {
        return Ok(reading);
    }
    let mut assignments: Vec<Assignment> = Vec::new();
    for (path, file) in own.into_iter().chain(drop_ins(tree, &name)?) {
        let room = unit_file::ASSIGNMENT_LIMIT.saturating_sub(assignments.len());
        let read = unit_file::parse(&file.bytes, room).map_err(|bad| Error::UnitLine {
            host: tree.host.clone(),
            path: path.clone(),
            line: bad.line,
            reason: bad.reason,
        })?;
        assignments.extend(read);
        reading.sources.push(UnitSource {
            owned: manifest
                .paths
                .get(&path)
                .is_some_and(|o| o.digest == file.digest),
            path: path.into(),
            digest: file.digest,
        });
    }
    reading.settings = unit_file::in_force(assignments)
        .into_iter()
        .map(|a| UnitSetting {
            section: a.section,
            key: a.key,
            value: a.value,
        })
        .collect();
    Ok(reading)
}

/// The first file of that name in the search path.
fn find(tree: &Tree, unit: &str) -> Result<Option<(HostPath, FileRead)>> {
    for directory in paths::unit_directories() {
        let Some(path) = child(&directory, unit) else {
            continue;
        };
        match tree.look(&path)? {
            Look::Absent(_) => {}
            Look::File(file) if file.bytes.is_empty() => {
                return Err(form(tree, &path, "is empty: the unit is masked"));
            }
            Look::File(file) => return Ok(Some((path, file))),
            Look::Other(kind) => return Err(not_a_file(tree, &path, kind)?),
        }
    }
    Ok(None)
}

/// The drop-ins that apply, in order: those of all directories, sorted by name
/// of file; one in an earlier directory hides one of the same name in a later.
/// The directories of the unit come first, then those of its whole type.
fn drop_ins(tree: &Tree, name: &UnitName<'_>) -> Result<Vec<(HostPath, FileRead)>> {
    let mut found: BTreeMap<String, HostPath> = BTreeMap::new();
    let of_type = [format!("{}.d", name.kind())];
    for names in [&name.drop_in_directories()[..], &of_type[..]] {
        for directory in paths::unit_directories() {
            for name in names {
                for entry in drop_ins_in(tree, &directory, name)? {
                    found.entry(entry.name).or_insert(entry.path);
                }
            }
        }
    }
    let mut files = Vec::new();
    for path in found.into_values() {
        match tree.look(&path)? {
            Look::Absent(_) => {
                return Err(Error::Unsteady {
                    host: tree.host.clone(),
                    path,
                });
            }
            Look::File(file) => files.push((path, file)),
            // A link to /dev/null hides the same name elsewhere and says nothing.
            Look::Other(Kind::Link) if is_null(&tree.link_target(&path)?) => {}
            Look::Other(kind) => return Err(not_a_file(tree, &path, kind)?),
        }
    }
    Ok(files)
}

/// The entries of a directory of drop-ins that systemd reads: `*.conf`, not
/// hidden.
fn drop_ins_in(tree: &Tree, directory: &HostPath, name: &str) -> Result<Vec<Entry>> {
    let Some(path) = child(directory, name) else {
        return Ok(Vec::new());
    };
    let mut entries = tree.list(&path)?.unwrap_or_default();
    entries.retain(|e| e.name.ends_with(".conf") && !e.name.starts_with('.'));
    Ok(entries)
}

/// Refuses a tree in which `/lib` is no link to `/usr/lib` and holds units: a
/// systemd that is built for it reads them too, between the two directories
/// below `/usr`.
fn refuse_split_usr(tree: &Tree) -> Result<()> {
    let lib = paths::legacy_lib();
    match tree.kind(&lib)? {
        None => Ok(()),
        Some(Kind::Link) => match tree.link_target(&lib)?.as_slice() {
            b"usr/lib" | b"/usr/lib" => Ok(()),
            _ => Err(form(tree, &lib, "is a link that does not lead to /usr/lib")),
        },
        Some(_) => {
            let units = paths::legacy_units();
            match tree.kind(&units)? {
                None => Ok(()),
                Some(_) => Err(form(tree, &units, "is apart from /usr/lib/systemd/system")),
            }
        }
    }
}

/// Refuses a unit of which another name has drop-ins: systemd merges those too.
fn refuse_aliases(units: &Units<'_>, unit: &str, name: &UnitName<'_>) -> Result<()> {
    let tree = units.tree;
    let own = name.drop_in_directories();
    for (entry, alias) in units.aliases(unit, name) {
        for names in alias.drop_in_directories() {
            if own.contains(&names) {
                continue;
            }
            for at in paths::unit_directories() {
                if !drop_ins_in(tree, &at, &names)?.is_empty() {
                    let reason = format!("is an alias of {unit} with drop-ins in {at}/{names}");
                    return Err(form(tree, &entry.path, &reason));
                }
            }
        }
    }
    Ok(())
}

fn not_a_file(tree: &Tree, path: &HostPath, kind: Kind) -> Result<Error> {
    if kind != Kind::Link {
        return Ok(Error::NotAFile {
            host: tree.host.clone(),
            path: path.clone(),
            kind,
        });
    }
    let target = tree.link_target(path)?;
    if is_null(&target) {
        return Ok(form(tree, path, "leads to /dev/null: the unit is masked"));
    }
    let reason = format!(
        "is a link to {}, which is not followed",
        target.escape_ascii()
    );
    Ok(form(tree, path, &reason))
}

fn is_null(target: &[u8]) -> bool {
    target == b"/dev/null"
}

fn form(tree: &Tree, path: &HostPath, reason: &str) -> Error {
    Error::UnitForm {
        host: tree.host.clone(),
        path: path.clone(),
        reason: reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, name, wanted) in [
            ("a@*.service", "a@1.service", true),
            ("a@*.service", "a@.service", true),
            ("a@*.service", "a@1.service.d", false),
            ("a@*.service", "b-a@1.service", false),
            ("a.*.service", "a.service", false),
            ("a.*.service", "a..service", true),
            ("a*a.service", "a.service", false),
            ("*.service", "a.service", true),
            ("a*b*c.slice", "axxbbc.slice", true),
            ("a*b*c.slice", "axxc.slice", false),
            ("a**.slice", "a.slice", true),
            ("a.*ü*.slice", "a.xü.slice", true),
            ("a.[1].service", "a.1.service", false),
            ("a?.service", "ab.service", false),
        ] {
            assert_eq!(matches(pattern, name), wanted, "{pattern} {name}");
        }
    }
}
