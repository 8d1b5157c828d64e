//! The files that a fleet keeps in its repository: written all or none, never
//! over a hand edit.
//!
//! `rendered/manifest.json` holds the digest of every file as it was written
//! last. A file that is neither as written nor as it should be was edited by
//! hand or belongs to somebody else: it is refused, not merged into.

use hayward_model::{Digest, RenderedFile};
use serde::{Deserialize, Serialize};
use similar::TextDiff;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Where the manifest is, relative to the project.
pub const MANIFEST: &str = "rendered/manifest.json";

/// A file and what is to become of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Artifact {
    /// Its path, relative to the project.
    pub path: String,
    /// What is to become of it.
    pub change: Change,
}

/// What is to become of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// It is made.
    Create {
        /// Its text.
        text: String,
    },
    /// It is replaced.
    Replace {
        /// Its text.
        text: String,
        /// The first line that differs, from 1.
        line: usize,
        /// The difference, unified.
        diff: String,
    },
    /// It is no longer rendered and is removed.
    Remove,
    /// It is as it should be.
    Unchanged,
    /// It must not be touched.
    Refused {
        /// Why.
        reason: String,
    },
}

/// Why artifacts cannot be compared or written.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    /// A file or folder cannot be read or written.
    #[error("{path}: {what}: {source}; nothing was written")]
    Io {
        /// Which.
        path: PathBuf,
        /// What was tried.
        what: &'static str,
        /// Why not.
        source: std::io::Error,
    },
    /// Some files were put in their places, and this one could not be.
    #[error(
        "{path} could not be put in its place: {source}; files before it were: run the command again"
    )]
    Half {
        /// Which.
        path: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// The manifest is damaged.
    #[error(
        "{path} is no manifest of rendered files: {why}; restore it, or remove it together with the files that it lists"
    )]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// Some files must not be touched.
    #[error("{} must not be written over; nothing was written", .0.join(", "))]
    Refused(Vec<String>),
}

#[derive(Serialize, Deserialize, Default, PartialEq)]
#[serde(deny_unknown_fields)]
struct Manifest {
    files: BTreeMap<String, Digest>,
    /// Files about to be written: the manifest says so before the first of them
    /// changes, so that a render that is killed is not taken for a hand edit.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pending: BTreeMap<String, Digest>,
}

impl Manifest {
    fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    fn knows(&self, path: &str) -> bool {
        self.files.contains_key(path) || self.pending.contains_key(path)
    }

    /// Whether these are bytes that Hayward wrote there, or was about to.
    fn wrote(&self, path: &str, bytes: &[u8]) -> bool {
        let digest = Digest::of(bytes);
        [&self.files, &self.pending]
            .iter()
            .any(|files| files.get(path) == Some(&digest))
    }
}

/// Compares what should be with what is. `wanted` paths are plain relative paths.
///
/// # Errors
/// If a file or the manifest cannot be read.
pub fn compare(project: &Path, wanted: &[RenderedFile]) -> Result<Vec<Artifact>, ArtifactError> {
    let manifest = read_manifest(project)?;
    let mut artifacts = Vec::new();
    for file in wanted {
        let change = match look(project, &file.path)? {
            Found::Nothing => Change::Create {
                text: file.text.clone(),
            },
            Found::Other(reason) => Change::Refused { reason },
            Found::Bytes(bytes) if bytes == file.text.as_bytes() => Change::Unchanged,
            Found::Bytes(_) if !manifest.knows(&file.path) => Change::Refused {
                reason: "a file that Hayward did not write is there: move it away".into(),
            },
            Found::Bytes(bytes) if manifest.wrote(&file.path, &bytes) => {
                replace(&file.path, &bytes, &file.text)
            }
            Found::Bytes(_) => Change::Refused {
                reason: "it was edited by hand: move the edit to the model, then remove the file"
                    .into(),
            },
        };
        artifacts.push(Artifact {
            path: file.path.clone(),
            change,
        });
    }
    let known: BTreeSet<&String> = manifest
        .files
        .keys()
        .chain(manifest.pending.keys())
        .collect();
    for path in known {
        if wanted.iter().any(|f| f.path == *path) {
            continue;
        }
        let change = match look(project, path)? {
            // Gone already: the manifest forgets it.
            Found::Nothing => continue,
            Found::Other(reason) => Change::Refused { reason },
            Found::Bytes(bytes) if manifest.wrote(path, &bytes) => Change::Remove,
            Found::Bytes(_) => Change::Refused {
                reason: "it is no longer rendered, and was edited by hand: remove it".into(),
            },
        };
        artifacts.push(Artifact {
            path: path.clone(),
            change,
        });
    }
    artifacts.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(artifacts)
}

fn replace(path: &str, old: &[u8], new: &str) -> Change {
    let old = String::from_utf8_lossy(old);
    let differs = |(a, b): (&str, &str)| a != b;
    let line = old
        .lines()
        .zip(new.lines())
        .position(differs)
        .unwrap_or_else(|| old.lines().count().min(new.lines().count()))
        + 1;
    let diff = TextDiff::from_lines(old.as_ref(), new)
        .unified_diff()
        .context_radius(3)
        .header(path, "rendered")
        .to_string();
    Change::Replace {
        text: new.to_owned(),
        line,
        diff,
    }
}

enum Found {
    Nothing,
    Bytes(Vec<u8>),
    /// Something that is no regular file, or is reached through a link.
    Other(String),
}

fn look(project: &Path, path: &str) -> Result<Found, ArtifactError> {
    let mut at = project.to_owned();
    let mut components = path.split('/').peekable();
    while let Some(component) = components.next() {
        at.push(component);
        let data = match std::fs::symlink_metadata(&at) {
            Ok(data) => data,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Found::Nothing),
            Err(source) => {
                return Err(ArtifactError::Io {
                    path: at,
                    what: "looking at it",
                    source,
                });
            }
        };
        let last = components.peek().is_none();
        let shown = at.strip_prefix(project).unwrap_or(&at).display();
        if data.file_type().is_symlink() {
            return Ok(Found::Other(format!("{shown} is a symbolic link")));
        }
        if !last && !data.is_dir() {
            return Ok(Found::Other(format!("{shown} is no directory")));
        }
        if last && !data.is_file() {
            let what = if data.is_dir() {
                "a directory"
            } else {
                "no regular file"
            };
            return Ok(Found::Other(format!("{shown} is {what}")));
        }
    }
    match std::fs::read(&at) {
        Ok(bytes) => Ok(Found::Bytes(bytes)),
        Err(source) => Err(ArtifactError::Io {
            path: at,
            what: "reading it",
            source,
        }),
    }
}

fn read_manifest(project: &Path) -> Result<Manifest, ArtifactError> {
    let path = project.join(MANIFEST);
    let bad = |why: String| ArtifactError::Manifest {
        path: path.clone(),
        why,
    };
    match look(project, MANIFEST)? {
        Found::Nothing => Ok(Manifest::default()),
        Found::Other(why) => Err(bad(why)),
        Found::Bytes(bytes) => {
            let manifest: Manifest =
                serde_json::from_slice(&bytes).map_err(|e| bad(e.to_string()))?;
            let plain =
                |p: &String| !p.is_empty() && p.split('/').all(|c| !matches!(c, "" | "." | ".."));
            match manifest
                .files
                .keys()
                .chain(manifest.pending.keys())
                .find(|p| !plain(p))
            {
                Some(path) => Err(bad(format!("`{path}` is no path inside the project"))),
                None => Ok(manifest),
            }
        }
    }
}

/// Writes what [`compare`] found. Every new text is on the disk beside its place
/// before the first file changes; `commit` is asked then, and if it refuses,
/// nothing changes. Files are replaced by renaming, the manifest last.
///
/// # Errors
/// If a file must not be touched, or cannot be staged: nothing was written then.
pub fn write<E: From<ArtifactError>>(
    project: &Path,
    artifacts: &[Artifact],
    wanted: &[RenderedFile],
    commit: impl FnOnce() -> Result<(), E>,
) -> Result<(), E> {
    let refused: Vec<String> = artifacts
        .iter()
        .filter(|a| matches!(a.change, Change::Refused { .. }))
        .map(|a| a.path.clone())
        .collect();
    if !refused.is_empty() {
        return Err(ArtifactError::Refused(refused).into());
    }
    let files = wanted
        .iter()
        .map(|f| (f.path.clone(), Digest::of(f.text.as_bytes())))
        .collect();
    let before = read_manifest(project)?;
    let manifest = Manifest {
        files,
        ..Manifest::default()
    };
    // Dropped after the files in them.
    let mut folders = Folders::default();
    let mut staged = Vec::new();
    let mut pending = BTreeMap::new();
    for artifact in artifacts {
        if let Change::Create { text } | Change::Replace { text, .. } = &artifact.change {
            pending.insert(artifact.path.clone(), Digest::of(text.as_bytes()));
            staged.push(stage(&project.join(&artifact.path), text, &mut folders)?);
        }
    }
    let place = project.join(MANIFEST);
    let last = match before == manifest {
        true => None,
        false => Some(stage(&place, &manifest.text(), &mut folders)?),
    };
    let intent = match pending.is_empty() {
        true => None,
        false => {
            let files = before.files;
            let text = Manifest { files, pending }.text();
            Some(stage_as("intent", &place, &text, &mut folders)?)
        }
    };
    commit()?;
    folders.made.clear();
    for file in intent.into_iter().chain(staged) {
        file.rename()?;
    }
    for artifact in artifacts.iter().filter(|a| a.change == Change::Remove) {
        let path = project.join(&artifact.path);
        std::fs::remove_file(&path).map_err(|source| ArtifactError::Io {
            path,
            what: "removing it",
            source,
        })?;
    }
    if let Some(file) = last {
        file.rename()?;
    }
    Ok(())
}

/// A text beside its place; removed again if it is never renamed.
struct Staged {
    at: PathBuf,
    place: PathBuf,
    renamed: bool,
}

impl Staged {
    fn rename(mut self) -> Result<(), ArtifactError> {
        let failed = |source| ArtifactError::Half {
            path: self.place.clone(),
            source,
        };
        std::fs::rename(&self.at, &self.place).map_err(failed)?;
        let folder = self.place.parent().unwrap_or(Path::new("."));
        let synced = std::fs::File::open(folder).and_then(|f| f.sync_all());
        synced.map_err(failed)?;
        self.renamed = true;
        Ok(())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if !self.renamed {
            // Nothing more can be done about a file that cannot be removed.
            let _ = std::fs::remove_file(&self.at);
        }
    }
}

/// Folders that were made, outermost first; removed again if nothing comes into them.
#[derive(Default)]
struct Folders {
    made: Vec<PathBuf>,
}

impl Folders {
    fn make(&mut self, folder: &Path) -> std::io::Result<()> {
        if folder.as_os_str().is_empty() || folder.is_dir() {
            return Ok(());
        }
        if let Some(parent) = folder.parent() {
            self.make(parent)?;
        }
        std::fs::create_dir(folder)?;
        self.made.push(folder.to_owned());
        Ok(())
    }
}

impl Drop for Folders {
    fn drop(&mut self) {
        for folder in self.made.iter().rev() {
            // One that holds something by now is somebody's.
            let _ = std::fs::remove_dir(folder);
        }
    }
}

fn stage(place: &Path, text: &str, folders: &mut Folders) -> Result<Staged, ArtifactError> {
    stage_as("hayward", place, text, folders)
}

fn stage_as(
    ending: &str,
    place: &Path,
    text: &str,
    folders: &mut Folders,
) -> Result<Staged, ArtifactError> {
    let io = |path: &Path, what| {
        let path = path.to_owned();
        move |source| ArtifactError::Io { path, what, source }
    };
    let folder = place.parent().unwrap_or(Path::new("."));
    folders
        .make(folder)
        .map_err(io(folder, "making the folder"))?;
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    let at = folder.join(format!(".{name}.{ending}"));
    // Left by a command that was killed; a link or a FIFO there must not be written through.
    match std::fs::remove_file(&at) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            return Err(io(&at, "removing it")(e));
        }
        _ => {}
    }
    let mut file = std::fs::File::create_new(&at).map_err(io(&at, "writing it"))?;
    let staged = Staged {
        at: at.clone(),
        place: place.to_owned(),
        renamed: false,
    };
    file.write_all(text.as_bytes())
        .and_then(|()| file.sync_all())
        .map_err(io(&at, "writing it"))?;
    Ok(staged)
}
