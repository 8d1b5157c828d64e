//! Whether a project is as the revision has it that is checked out.

use crate::revision::{inside, is_module_below};
use crate::{Git, GitError, Manifest, RootError, Roots};
use std::path::{Path, PathBuf};

/// Whether the manifest of a folder's project, or a module below one of its roots, is not as the
/// revision has it that is checked out: changed, added, removed, or ignored by git and read all
/// the same. What git cannot tell of, a root outside of the repository for instance, no revision
/// names either. Where a module is a link, it is the link that git is asked of.
///
/// # Errors
/// If git does not answer in time.
pub fn uncommitted(folder: &Path, roots: &[PathBuf]) -> Result<bool, GitError> {
    let differs = match differs(&Git::new(folder), folder, roots) {
        Ok(differs) => differs,
        Err(late @ GitError::Late { .. }) => return Err(late),
        Err(_) => None,
    };
    Ok(differs.unwrap_or(true))
}

/// None if a root has no name in the repository.
fn differs(git: &Git, folder: &Path, roots: &[PathBuf]) -> Result<Option<bool>, GitError> {
    let asked = |what| {
        let answer = git.ask(&["rev-parse", what], Vec::new())?;
        Ok::<_, GitError>(String::from_utf8_lossy(&answer).trim_end().to_owned())
    };
    let prefix = asked("--show-prefix")?;
    let top = folder.join(asked("--show-cdup")?);
    let manifest = format!("{prefix}{}", Manifest::FILE);
    let mut question = vec![
        "status",
        "--porcelain=v1",
        "-z",
        "--no-renames",
        "--untracked-files=all",
        "--ignored=traditional",
        "--ignore-submodules=none",
        "--",
        Manifest::FILE,
    ];
    question.extend(roots.iter().filter_map(|root| root.to_str()));
    let Some(roots) = roots
        .iter()
        .map(|root| inside(&prefix, root))
        .collect::<Option<Vec<String>>>()
    else {
        return Ok(None);
    };
    let answer = git.ask(&question, Vec::new())?;
    // Two letters of state and a blank stand before each path, which is seen from the top.
    let rows = answer.split(|byte| *byte == 0);
    let mut paths = rows.filter_map(|row| row.get(3..).map(String::from_utf8_lossy));
    Ok(Some(paths.any(|path| {
        path == manifest
            || roots.iter().any(|root| is_module_below(root, &path))
            || holds_modules(&top.join(&*path))
    })))
}

/// Whether a path is a folder with modules: git says no more of a repository in a repository.
fn holds_modules(path: &Path) -> bool {
    path.is_dir() && !matches!(Roots::find(&[path.to_owned()]), Err(RootError::Empty(_)))
}
