//! `hayward.toml`, the file at the top of a project.

use serde::Deserialize;
use std::path::{Path, PathBuf};

/// What `hayward.toml` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Manifest {
    /// The directory that holds it.
    pub directory: PathBuf,
    /// The project's name.
    pub name: String,
    /// Folders and files that hold its modules, relative to the directory.
    pub roots: Vec<PathBuf>,
    /// The fleet, if the project has one.
    pub fleet: Option<Entry>,
}

/// A `data` item by its module and name, written `module.name`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The module.
    pub module: String,
    /// The item.
    pub name: String,
}

/// Why `hayward.toml` cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// It cannot be read.
    #[error("{path} cannot be read: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is not the TOML that a manifest is.
    #[error("{path}: {message}")]
    Syntax {
        /// The file.
        path: PathBuf,
        /// What is wrong, with its place.
        message: String,
    },
    /// There is none here or above.
    #[error("there is no hayward.toml in {0} or above")]
    NotFound(PathBuf),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    project: Project,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Project {
    name: String,
    #[serde(default = "here")]
    roots: Vec<PathBuf>,
    fleet: Option<String>,
}

fn here() -> Vec<PathBuf> {
    vec![PathBuf::from(".")]
}

impl Manifest {
    /// The file's name.
    pub const FILE: &str = "hayward.toml";

    /// The manifest in a directory.
    ///
    /// # Errors
    /// If it is not there, or is no manifest.
    pub fn read(directory: &Path) -> Result<Self, ManifestError> {
        let path = directory.join(Self::FILE);
        let read = |source| ManifestError::Read {
            path: path.clone(),
            source,
        };
        // A FIFO would be waited for.
        if std::fs::metadata(&path).is_ok_and(|m| !m.is_file()) {
            return Err(read(std::io::Error::other("it is no regular file")));
        }
        let text = std::fs::read_to_string(&path).map_err(read)?;
        Self::of_text(directory, &path, &text)
    }

    /// The manifest of a directory, whose text was read from a place.
    ///
    /// # Errors
    /// If it is no manifest.
    pub fn of_text(directory: &Path, place: &Path, text: &str) -> Result<Self, ManifestError> {
        let syntax = |message: String| ManifestError::Syntax {
            path: place.to_owned(),
            message,
        };
        let written: Written =
            toml::from_str(text).map_err(|e| syntax(e.to_string().trim_end().to_owned()))?;
        let Project { name, roots, fleet } = written.project;
        if name.is_empty() {
            return Err(syntax("`project.name` is empty".into()));
        }
        if roots.is_empty() {
            return Err(syntax(
                "`project.roots` is empty: a project has at least one root".into(),
            ));
        }
        let fleet = match fleet {
            None => None,
            Some(path) => match path.rsplit_once('.') {
                Some((module, name)) if !module.is_empty() && !name.is_empty() => Some(Entry {
                    module: module.to_owned(),
                    name: name.to_owned(),
                }),
                _ => {
                    return Err(syntax(format!(
                        "`project.fleet` is `module.name`, not `{path}`"
                    )));
                }
            },
        };
        Ok(Self {
            directory: directory.to_owned(),
            name,
            roots,
            fleet,
        })
    }

    /// The manifest in a directory or in the nearest one above it.
    ///
    /// # Errors
    /// If there is none, or it is no manifest.
    pub fn find(from: &Path) -> Result<Self, ManifestError> {
        let start = from.canonicalize().map_err(|source| ManifestError::Read {
            path: from.to_owned(),
            source,
        })?;
        let found = start.ancestors().find(|d| d.join(Self::FILE).exists());
        match found {
            Some(directory) => Self::read(directory),
            None => Err(ManifestError::NotFound(from.to_owned())),
        }
    }
}
