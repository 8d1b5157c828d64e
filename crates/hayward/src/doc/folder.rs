//! The folder of a documentation: written whole or not at all, and never over what somebody
//! else put there.

use crate::failure::Failure;
use dag_doc::Page;
use hayward_project::in_line;
use rustix::fs::{CWD, RenameFlags, renameat_with, syncfs};
use rustix::io::Errno;
use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Lists the files that were written, a path a line. A folder that has it, and no other file
/// than these, was written here.
const LIST: &str = ".hayward-doc";

/// What stands where a documentation is to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stands {
    Nothing,
    /// An empty folder, or an earlier documentation.
    Folder,
}

/// What stands there, if it may be replaced.
pub(super) fn inspect(folder: &Path) -> Result<Stands, Failure> {
    let refused = |why: &str| Err(Failure::new(format!("{} {why}", in_line(folder))));
    let data = match fs::symlink_metadata(folder) {
        Ok(data) => data,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Stands::Nothing),
        Err(e) => return refused(&format!("cannot be looked at: {e}")),
    };
    if data.is_symlink() {
        return refused("is a symbolic link: name the folder itself");
    }
    if !data.is_dir() {
        return refused("is no folder");
    }
    let files = match files(folder) {
        Ok(files) => files,
        Err(e) => return refused(&format!("cannot be read: {e}")),
    };
    if files.is_empty() {
        return Ok(Stands::Folder);
    }
    let Ok(list) = fs::read_to_string(folder.join(LIST)) else {
        return refused("is not empty, and was not written by `hayward doc`: name another folder");
    };
    let known: HashSet<&Path> = list.lines().map(Path::new).collect();
    let foreign = |file: &&PathBuf| !known.contains(file.as_path()) && **file != Path::new(LIST);
    match files.iter().find(foreign) {
        None => Ok(Stands::Folder),
        Some(file) => refused(&format!(
            "has a file that `hayward doc` did not write: move {} away",
            in_line(file)
        )),
    }
}

/// All that is no folder, relative to the folder, sorted.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(at) = todo.pop() {
        for entry in fs::read_dir(&at)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                todo.push(entry.path());
            } else {
                let path = entry.path();
                files.push(path.strip_prefix(folder).unwrap_or(&path).to_owned());
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Writes the pages beside the folder, and puts them in its place in one step.
pub(super) fn write(folder: &Path, pages: &[Page]) -> Result<(), Failure> {
    let stands = inspect(folder)?;
    let failed = |e: io::Error| Failure::new(format!("{} cannot be written: {e}", in_line(folder)));
    let name = folder
        .file_name()
        .ok_or_else(|| failed(io::ErrorKind::InvalidInput.into()))?
        .to_string_lossy();
    let parent = match folder.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(parent).map_err(failed)?;
    clear(parent, &name).map_err(failed)?;
    let beside = parent.join(format!(".{name}.{}{ENDING}", std::process::id()));
    let put = fill(&beside, pages).and_then(|()| put(&beside, folder, stands));
    // What was replaced, or was not finished. If it cannot be removed, the next run tries.
    let _ = fs::remove_dir_all(&beside);
    put.map_err(failed)
}

/// The ending of a folder that is being written; the number of the process stands before it.
const ENDING: &str = ".hayward-doc";

/// Removes what was left by a command that was killed.
fn clear(parent: &Path, name: &str) -> io::Result<()> {
    for entry in fs::read_dir(parent)? {
        let entry = entry?;
        let entry_name = entry.file_name();
        let process = entry_name
            .to_str()
            .and_then(|n| n.strip_prefix('.')?.strip_prefix(name))
            .and_then(|n| n.strip_prefix('.')?.strip_suffix(ENDING))
            .and_then(|n| n.parse::<u32>().ok());
        let ended = |process: u32| !Path::new("/proc").join(process.to_string()).exists();
        if process.is_some_and(ended) && entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

fn fill(beside: &Path, pages: &[Page]) -> io::Result<()> {
    fs::create_dir(beside)?;
    let mut list: Vec<&str> = Vec::new();
    for page in pages {
        let path = beside.join(&page.path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(path, &page.text)?;
        list.push(&page.path);
    }
    list.sort_unstable();
    fs::write(beside.join(LIST), list.join("\n") + "\n")?;
    syncfs(fs::File::open(beside)?)?;
    Ok(())
}

fn put(beside: &Path, folder: &Path, stands: Stands) -> io::Result<()> {
    if stands == Stands::Nothing {
        return fs::rename(beside, folder);
    }
    match renameat_with(CWD, beside, CWD, folder, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(()),
        // Not every file system can exchange two folders. Between these two steps there is
        // none.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            let mut before = beside.as_os_str().to_owned();
            before.push(".before");
            fs::rename(folder, &before)?;
            fs::rename(beside, folder)?;
            fs::remove_dir_all(&before)
        }
        Err(e) => Err(e.into()),
    }
}
