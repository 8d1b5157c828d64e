//! Loading a unit from a tree: which file defines it, and which drop-ins apply
//! in which order (systemd.unit(5), "Unit File Load Path" and "Description").

use crate::error::{Error, Kind, Result};
use crate::paths;
use crate::state::Manifest;
use crate::tree::{Entry, FileRead, Look, Tree, child};
use crate::unit_file::{self, Assignment};
use crate::unit_name::UnitName;
use hayward_model::{HostPath, UnitReading, UnitSetting, UnitSource};
use std::collections::BTreeMap;

/// Reads a unit as the files of its tree define it.
///
/// # Errors
/// If the name is no unit's, or if the unit is defined in a way that is not
/// interpreted: masked, by a link, by an alias with drop-ins of its own, or by a
/// line that systemd would skip.
pub(crate) fn read(tree: &Tree, manifest: &Manifest, unit: &str) -> Result<UnitReading> {
    let Some(name) = UnitName::parse(unit) else {
        return Err(Error::UnitName {
            host: tree.host.clone(),
            unit: unit.escape_debug().to_string(),
        });
    };
    refuse_split_usr(tree)?;
    refuse_aliases(tree, unit, &name)?;
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
        let read = unit_file::parse(&file.bytes).map_err(|bad| Error::UnitLine {
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
fn refuse_aliases(tree: &Tree, unit: &str, name: &UnitName<'_>) -> Result<()> {
    let template = name.template();
    for directory in paths::unit_directories() {
        for entry in tree.list(&directory)?.unwrap_or_default() {
            let Some(alias) = UnitName::parse(&entry.name) else {
                continue;
            };
            if tree.kind(&entry.path)? != Some(Kind::Link) {
                continue;
            }
            let target = tree.link_target(&entry.path)?;
            let last = target.rsplit(|b| *b == b'/').next().unwrap_or_default();
            let ours = [Some(unit), template.as_deref()]
                .into_iter()
                .flatten()
                .any(|name| name.as_bytes() == last && name != entry.name);
            if !ours {
                continue;
            }
            for names in alias.instantiated(name).drop_in_directories() {
                if name.drop_in_directories().contains(&names) {
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
