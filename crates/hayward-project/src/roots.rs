//! The files below the roots.

use crate::Manifest;
use crate::in_line;
use crate::kept::Keys;
use dag_analysis::Digest;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// The `.dag` files below some roots, each once, in the order of their paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roots {
    /// Path as it is shown.
    pub files: Vec<PathBuf>,
    /// The real paths of the roots themselves, sorted.
    real: Vec<PathBuf>,
}

/// Why the files below a root cannot be told.
#[derive(Debug, thiserror::Error)]
pub enum RootError {
    /// There is nothing of that name.
    #[error("there is no such root: {}", in_line(.0))]
    Missing(PathBuf),
    /// It is a file, and no module.
    #[error("{} is no .dag file", in_line(.0))]
    NoModule(PathBuf),
    /// It has the name of a module, and reading it could take forever.
    #[error("{} is a module by its name, and no regular file", in_line(.0))]
    NotAFile(PathBuf),
    /// No root holds a module.
    #[error("there is no .dag file below {0}")]
    Empty(String),
    /// A folder or file cannot be read.
    #[error("{} cannot be read: {source}", in_line(path))]
    Read {
        /// What.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

impl Roots {
    /// Finds the files. Hidden folders (`.git`) and build output (`target`) are
    /// not looked into; a link to a folder is not followed.
    ///
    /// # Errors
    /// If a root is not there, cannot be read, or none holds a module.
    pub fn find(roots: &[PathBuf]) -> Result<Self, RootError> {
        let mut files = Vec::new();
        let mut seen = HashSet::new();
        let mut links = Vec::new();
        for root in roots {
            let data = std::fs::metadata(root).map_err(|_| RootError::Missing(root.clone()))?;
            if data.is_dir() {
                folder(root, &mut files, &mut links, &mut seen)?;
            } else if is_module(root) {
                add(root.clone(), &mut files, &mut seen)?;
            } else {
                return Err(RootError::NoModule(root.clone()));
            }
        }
        // A file goes by its own path, if that is among them, and not by a link's.
        for link in links {
            add(link, &mut files, &mut seen)?;
        }
        if files.is_empty() {
            let names: Vec<String> = roots.iter().map(in_line).collect();
            return Err(RootError::Empty(names.join(", ")));
        }
        files.sort();
        let mut real = Vec::with_capacity(roots.len());
        for root in roots {
            real.push(root.canonicalize().map_err(|source| RootError::Read {
                path: root.clone(),
                source,
            })?);
        }
        real.sort();
        Ok(Self { files, real })
    }

    /// The keys of what is kept of these roots, whatever they hold: their real paths
    /// here; everywhere the name of their project, and where they lie in it.
    pub(crate) fn keys(&self) -> Keys {
        let places: Vec<PathBuf> = self.real.iter().map(|root| in_project(root)).collect();
        Keys {
            here: digest(&self.real),
            everywhere: digest(&places),
        }
    }
}

fn digest(paths: &[PathBuf]) -> Digest {
    let mut hash = blake3::Hasher::new();
    for path in paths {
        let path = path.as_os_str().as_encoded_bytes();
        hash.update(&(path.len() as u64).to_le_bytes());
        hash.update(path);
    }
    *hash.finalize().as_bytes()
}

/// The project's name and the root's place in it; outside a project, the root itself.
fn in_project(root: &Path) -> PathBuf {
    for folder in root.ancestors() {
        if let Ok(manifest) = Manifest::read(folder) {
            let inside = root.strip_prefix(folder).unwrap_or(root);
            return Path::new(&manifest.name).join(inside);
        }
    }
    root.to_owned()
}

fn is_module(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "dag")
}

/// Adds the module at a path that a person named.
fn add(
    path: PathBuf,
    files: &mut Vec<PathBuf>,
    seen: &mut HashSet<PathBuf>,
) -> Result<(), RootError> {
    let real = path.canonicalize().map_err(|source| RootError::Read {
        path: path.clone(),
        source,
    })?;
    if !real.is_file() {
        return Err(RootError::NotAFile(path));
    }
    if seen.insert(real) {
        files.push(without_dot(path));
    }
    Ok(())
}

/// A path without the `./` that a search begins with.
fn without_dot(path: PathBuf) -> PathBuf {
    match path.strip_prefix(".") {
        Ok(inside) => inside.to_owned(),
        Err(_) => path,
    }
}

fn folder(
    root: &Path,
    files: &mut Vec<PathBuf>,
    links: &mut Vec<PathBuf>,
    seen: &mut HashSet<PathBuf>,
) -> Result<(), RootError> {
    let mut todo = vec![root.to_owned()];
    while let Some(folder) = todo.pop() {
        let read = |source| RootError::Read {
            path: folder.clone(),
            source,
        };
        // A folder's real path tells its files' real paths: asking for each would take
        // longer than reading them.
        let real = folder.canonicalize().map_err(read)?;
        for entry in std::fs::read_dir(&folder).map_err(read)? {
            let entry = entry.map_err(read)?;
            let kind = entry.file_type().map_err(read)?;
            let name = entry.file_name();
            if kind.is_dir() {
                let name = name.to_string_lossy();
                if !name.starts_with('.') && name != "target" {
                    todo.push(entry.path());
                }
            } else if !is_module(Path::new(&name)) {
            } else if kind.is_file() {
                if seen.insert(real.join(&name)) {
                    files.push(without_dot(entry.path()));
                }
            } else {
                links.push(entry.path());
            }
        }
    }
    Ok(())
}
