//! What Hayward keeps on a host, below `/var/lib/hayward`: the generation, the
//! manifest of owned paths, and the record of an apply under way.

use crate::error::{Error, Result};
use crate::paths;
use crate::text_revision::is_unset;
use crate::tree::{Look, Tree};
use hayward_model::{Digest, Effect, FileMode, HostName, HostPath};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// The format of the state files that this version writes and reads.
pub const STATE_FORMAT: u64 = 1;

/// The last apply that was finished on a host; its file is written last.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Generation {
    pub(crate) format: u64,
    /// How many applies were finished; from 1.
    pub number: u64,
    /// The fleet.
    pub fleet: String,
    /// The host.
    pub host: HostName,
    /// The digest of the desired state that was applied.
    pub model: Digest,
    /// The revision of the model's text, if it was known.
    pub revision: Option<String>,
    /// Whether the text differed from that revision. Absent where it did not, and in what
    /// versions wrote that did not look.
    #[serde(default, skip_serializing_if = "is_unset")]
    pub uncommitted: bool,
    /// The digest of the plan that was applied.
    pub plan: Digest,
}

/// The paths of a host that Hayward owns.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    pub(crate) format: u64,
    /// The generation that it belongs to.
    pub generation: u64,
    /// The owned paths.
    pub paths: BTreeMap<HostPath, Owned>,
    /// The directories that Hayward made and will remove when they are empty
    /// and no longer needed.
    pub directories: BTreeSet<HostPath>,
}

/// An owned path, as it was last written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Owned {
    /// The digest of its bytes.
    pub digest: Digest,
    /// Its permissions.
    pub mode: FileMode,
    /// What a change of it asks of the service manager.
    pub effect: Effect,
    /// The declaration that asked for it.
    pub because: String,
}

/// What Hayward keeps on a host, when no apply is under way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct State {
    /// The last generation; `None` if nothing was ever applied.
    pub generation: Option<Generation>,
    /// What is owned; empty if nothing was ever applied.
    pub manifest: Manifest,
    /// The digest of the bytes of both files.
    pub seal: Digest,
}

impl State {
    /// The number of the last generation, 0 if nothing was ever applied.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.generation.as_ref().map_or(0, |g| g.number)
    }

    /// Refuses a state of another fleet.
    pub(crate) fn belongs_to(&self, host: &HostName, fleet: &str) -> Result<()> {
        let Some(generation) = &self.generation else {
            return Ok(());
        };
        let other = |what, found: &str, wanted: &str| Error::Owner {
            host: host.clone(),
            what,
            found: found.to_owned(),
            wanted: wanted.to_owned(),
        };
        if generation.fleet != fleet {
            return Err(other("fleet", &generation.fleet, fleet));
        }
        if generation.host != *host {
            return Err(other("host", generation.host.as_str(), host.as_str()));
        }
        Ok(())
    }
}

/// Reads the state of a host.
///
/// # Errors
/// If an apply is under way or was interrupted, if a file is damaged or of a
/// later format, or if one of the two files is there without the other.
pub(crate) fn read(tree: &Tree) -> Result<State> {
    for path in [paths::staging(), paths::journal(), paths::undo()] {
        if tree.kind(&path)?.is_some() {
            return Err(Error::Interrupted {
                host: tree.host.clone(),
                path,
            });
        }
    }
    let (at_generation, at_manifest) = (paths::generation(), paths::manifest());
    let generation = parse::<Generation>(tree, &at_generation)?;
    let manifest = parse::<Manifest>(tree, &at_manifest)?;
    let damaged = |path: &HostPath, reason: String| Error::State {
        host: tree.host.clone(),
        path: path.clone(),
        reason,
    };
    match (generation, manifest) {
        (None, None) => Ok(State {
            generation: None,
            manifest: Manifest {
                format: STATE_FORMAT,
                generation: 0,
                paths: BTreeMap::new(),
                directories: BTreeSet::new(),
            },
            seal: Digest::of(b"never applied"),
        }),
        (Some((generation, g)), Some((manifest, m))) => {
            if generation.number == 0 || generation.number != manifest.generation {
                let reason = format!(
                    "it belongs to generation {}, {at_generation} says {}",
                    manifest.generation, generation.number
                );
                return Err(damaged(&at_manifest, reason));
            }
            let seal = Digest::of(format!("{g} {m}").as_bytes());
            Ok(State {
                generation: Some(generation),
                manifest,
                seal,
            })
        }
        (Some(_), None) => Err(damaged(
            &at_manifest,
            format!("it is absent beside {at_generation}"),
        )),
        (None, Some(_)) => Err(damaged(
            &at_generation,
            format!("it is absent beside {at_manifest}"),
        )),
    }
}

/// Reads one of Hayward's own files, with the digest of its bytes.
pub(crate) fn parse<T: DeserializeOwned>(
    tree: &Tree,
    path: &HostPath,
) -> Result<Option<(T, Digest)>> {
    let damaged = |reason: String| Error::State {
        host: tree.host.clone(),
        path: path.clone(),
        reason,
    };
    let file = match tree.look(path)? {
        Look::Absent(_) => return Ok(None),
        Look::File(file) => file,
        Look::Other(kind) => return Err(damaged(format!("it is {kind}"))),
    };
    #[derive(Deserialize)]
    struct Format {
        format: u64,
    }
    let Format { format } =
        serde_json::from_slice(&file.bytes).map_err(|e| damaged(e.to_string()))?;
    if format > STATE_FORMAT {
        return Err(Error::NewerState {
            host: tree.host.clone(),
            path: path.clone(),
            found: format,
            known: STATE_FORMAT,
        });
    }
    if format != STATE_FORMAT {
        return Err(damaged(format!("there is no format {format}")));
    }
    let value = serde_json::from_slice(&file.bytes).map_err(|e| damaged(e.to_string()))?;
    Ok(Some((value, file.digest)))
}

/// The bytes of one of Hayward's own files.
pub(crate) fn render<T: Serialize>(value: &T) -> Vec<u8> {
    // These types hold only texts, numbers and maps with text keys, which
    // always have a JSON form.
    let mut bytes = serde_json::to_vec_pretty(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}
