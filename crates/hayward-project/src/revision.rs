//! A project as it was at a revision, read from git's objects into memory.

use crate::git::object_name;
use crate::{Git, GitError, Keys, Manifest, ManifestError, Texts, in_line, shown};
use dag_syntax::shown_name;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// A project at a revision.
#[derive(Debug)]
pub struct Revision {
    /// The revision as the person named it.
    pub name: String,
    /// The commit.
    pub commit: String,
    /// The project's manifest as it was.
    pub manifest: Manifest,
    /// The modules; the path of each is shown as `REV:path`.
    pub texts: Texts,
}

/// Why a project cannot be read at a revision.
#[derive(Debug, thiserror::Error)]
pub enum RevisionError {
    /// git refuses, or there is none.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The folder is in no repository.
    #[error("{folder} is in no git repository that can be read: {why}")]
    NoRepository {
        /// The folder.
        folder: PathBuf,
        /// What git says.
        why: String,
    },
    /// There is no such revision.
    #[error("there is no revision `{0}`: name a commit, a tag or a branch")]
    Unknown(String),
    /// The project was not there.
    #[error("there is no {0}: the project begins after that revision, or was in another folder")]
    NoManifest(String),
    /// The manifest is none.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// A root is outside of the repository.
    #[error(
        "the root `{}` of {place} is outside of the repository: git does not know it",
        in_line(root)
    )]
    Outside {
        /// The root as the manifest has it.
        root: PathBuf,
        /// The manifest.
        place: String,
    },
    /// A root holds nothing.
    #[error("there is no .dag file below the root `{}` of {place}", in_line(root))]
    Empty {
        /// The root as the manifest has it.
        root: PathBuf,
        /// The manifest.
        place: String,
    },
    /// A module is a link.
    #[error("{} is a symbolic link: at a revision, links are not followed", shown_name(.0))]
    Link(String),
    /// git's answer has another shape than is documented.
    #[error("git {0} gives an answer that is not understood")]
    Answer(&'static str),
}

/// A blob of a tree.
struct Blob {
    name: String,
    path: String,
}

impl Revision {
    /// Reads the project of a folder as it was. `name` is any name of a commit that git
    /// understands. Nothing is written, neither in the folder nor elsewhere.
    ///
    /// # Errors
    /// If the folder is in no repository, there is no such revision, or the project cannot be
    /// read there.
    pub fn read(folder: &Path, name: &str) -> Result<Self, RevisionError> {
        let git = Git::new(folder);
        let prefix = prefix(&git, folder)?;
        let commit = commit(&git, name)?;
        let place = format!("{name}:{prefix}{}", Manifest::FILE);
        let object = format!("{commit}:{prefix}{}", Manifest::FILE);
        let text = match git.ask(&["cat-file", "blob", &object], Vec::new()) {
            Ok(text) => text,
            Err(GitError::Refused { .. }) => return Err(RevisionError::NoManifest(place)),
            Err(other) => return Err(other.into()),
        };
        let text = String::from_utf8_lossy(&text);
        let manifest = Manifest::of_text(folder, Path::new(&place), &text)?;
        let mut roots = Vec::new();
        for root in &manifest.roots {
            let inside = inside(&prefix, root).ok_or_else(|| RevisionError::Outside {
                root: root.clone(),
                place: place.clone(),
            })?;
            roots.push(inside);
        }
        let mut blobs: Vec<Blob> = Vec::new();
        for (root, written) in roots.iter().zip(&manifest.roots) {
            let found = modules(&git, &commit, name, root)?;
            if found.is_empty() {
                return Err(RevisionError::Empty {
                    root: written.clone(),
                    place,
                });
            }
            blobs.extend(found);
        }
        blobs.sort_by(|a, b| a.path.cmp(&b.path));
        blobs.dedup_by(|a, b| a.path == b.path);
        let files = contents(&git, name, &blobs)?;
        Ok(Self {
            name: name.to_owned(),
            commit,
            texts: Texts::of(files, keys(folder, &manifest)),
            manifest,
        })
    }
}

/// What is found of revisions is kept beside what is found of the project as it is, and does
/// not take its place.
fn keys(folder: &Path, manifest: &Manifest) -> Keys {
    let key = |of: &[u8]| {
        let mut hash = blake3::Hasher::new();
        hash.update(b"at a revision\0");
        hash.update(of);
        *hash.finalize().as_bytes()
    };
    Keys {
        here: key(folder.as_os_str().as_encoded_bytes()),
        everywhere: key(manifest.name.as_bytes()),
    }
}

/// The folder's path in its repository; empty, or it ends with a slash.
fn prefix(git: &Git, folder: &Path) -> Result<String, RevisionError> {
    match git.ask(&["rev-parse", "--show-prefix"], Vec::new()) {
        Ok(answer) => {
            let prefix = String::from_utf8(answer).ok();
            let prefix = prefix.ok_or(RevisionError::Answer("rev-parse --show-prefix"))?;
            Ok(prefix.trim_end_matches('\n').to_owned())
        }
        Err(GitError::Refused { why, .. }) => Err(RevisionError::NoRepository {
            folder: folder.to_owned(),
            why,
        }),
        Err(other) => Err(other.into()),
    }
}

fn commit(git: &Git, name: &str) -> Result<String, RevisionError> {
    let unknown = || RevisionError::Unknown(name.to_owned());
    // What begins with a hyphen would be an option.
    if name.is_empty() || name.starts_with('-') || name.contains(['\n', '\0']) {
        return Err(unknown());
    }
    let commit = format!("{name}^{{commit}}");
    match git.ask(&["rev-parse", "--verify", "--quiet", &commit], Vec::new()) {
        Ok(answer) => object_name(&answer).ok_or_else(unknown),
        Err(GitError::Refused { .. }) => Err(unknown()),
        Err(other) => Err(other.into()),
    }
}

/// A root's path in the repository, without a slash at its end; none if it leads out.
pub(crate) fn inside(prefix: &str, root: &Path) -> Option<String> {
    let mut parts: Vec<&str> = prefix.split('/').filter(|part| !part.is_empty()).collect();
    for component in root.components() {
        match component {
            Component::CurDir => {}
            Component::Normal(part) => parts.push(part.to_str()?),
            Component::ParentDir => {
                parts.pop()?;
            }
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(parts.join("/"))
}

/// The modules below a root, as [`crate::Roots::find`] finds them on the disk.
fn modules(git: &Git, commit: &str, name: &str, root: &str) -> Result<Vec<Blob>, RevisionError> {
    const ASKED: &str = "ls-tree";
    // A root may be named as an option is.
    let mut args = vec![ASKED, "-r", "-z", "--full-tree", "--", commit];
    if !root.is_empty() {
        args.push(root);
    }
    let answer = git.ask(&args, Vec::new())?;
    let mut found = Vec::new();
    for row in answer
        .split(|byte| *byte == 0)
        .filter(|row| !row.is_empty())
    {
        let bad = || RevisionError::Answer(ASKED);
        let tab = row.iter().position(|byte| *byte == b'\t').ok_or_else(bad)?;
        let head = std::str::from_utf8(&row[..tab]).map_err(|_| bad())?;
        let path = shown(Path::new(OsStr::from_bytes(&row[tab + 1..])));
        let [mode, kind, object] = head.split(' ').collect::<Vec<_>>()[..] else {
            return Err(bad());
        };
        if !is_module_below(root, &path) {
            continue;
        }
        match (mode, kind) {
            ("120000", _) => return Err(RevisionError::Link(format!("{name}:{path}"))),
            (_, "blob") => found.push(Blob {
                name: object.to_owned(),
                path,
            }),
            _ => {}
        }
    }
    Ok(found)
}

/// Whether [`crate::Roots::find`] finds a file of that path in the repository, if it is there.
pub(crate) fn is_module_below(root: &str, path: &str) -> bool {
    let below = match (root, path.strip_prefix(root)) {
        ("", _) => path,
        (_, None) => return false,
        // The root is the file.
        (_, Some("")) => return path.ends_with(".dag"),
        (_, Some(below)) => match below.strip_prefix('/') {
            Some(below) => below,
            None => return false,
        },
    };
    let hidden = |folder: &str| folder.starts_with('.') || folder == "target";
    path.ends_with(".dag") && !below.rsplit('/').skip(1).any(hidden)
}

/// The bytes of blobs, in one go.
fn contents(
    git: &Git,
    name: &str,
    blobs: &[Blob],
) -> Result<Vec<(String, Vec<u8>)>, RevisionError> {
    const ASKED: &str = "cat-file --batch";
    let mut names = String::new();
    for blob in blobs {
        names.push_str(&blob.name);
        names.push('\n');
    }
    let answer = git.ask(&["cat-file", "--batch"], names.into_bytes())?;
    let mut rest = answer.as_slice();
    let mut files = Vec::with_capacity(blobs.len());
    for blob in blobs {
        // `<name> blob <size>`, the bytes, and a line's end.
        let mut take = || -> Option<Vec<u8>> {
            let end = rest.iter().position(|byte| *byte == b'\n')?;
            let head = std::str::from_utf8(&rest[..end]).ok()?;
            let size = head.strip_prefix(&blob.name)?.strip_prefix(" blob ")?;
            let size: usize = size.parse().ok()?;
            let bytes = rest.get(end + 1..(end + 1).checked_add(size)?)?.to_vec();
            rest = rest.get(end + 2 + size..)?;
            Some(bytes)
        };
        let bytes = take().ok_or(RevisionError::Answer(ASKED))?;
        files.push((format!("{name}:{}", blob.path), bytes));
    }
    Ok(files)
}
