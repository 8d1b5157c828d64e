//! `hayward lsp`: the language server, with the project's files.

use crate::args::LspArgs;
use crate::failure::{End, Failure, Outcome};
use crate::output::Output;
use crate::project::roots_of;
use dag_lsp::{Ending, Module, Project, serve};
use hayward_project::{Manifest, ManifestError, RootError, Roots};
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &LspArgs, output: &Output) -> Outcome {
    // The editor's way to say what is so anyway.
    let LspArgs { stdio: _, _form: _ } = args;
    if output.json {
        return Err(Failure::new(
            "the language server speaks its own protocol: it has no JSON form",
        ));
    }
    let input = BufReader::new(io::stdin());
    match serve(input, io::stdout(), &Files, env!("CARGO_PKG_VERSION")) {
        Ending::Orderly => Ok(End::Done),
        // The protocol's exit code for it is 1.
        Ending::Abrupt(why) => {
            output.note(format!("the session ended: {why}"));
            Ok(End::Refused)
        }
    }
}

/// The files as they are on the disk.
struct Files;

impl Project for Files {
    fn library(&self) -> Vec<(String, String)> {
        hayward_project::library()
            .map(|(path, text)| (path.to_owned(), text.to_owned()))
            .collect()
    }

    fn library_file(&self, path: &str) -> Option<PathBuf> {
        let (_, text) = hayward_project::library().find(|(p, _)| *p == path)?;
        let file = cache()?.join(path);
        if std::fs::read_to_string(&file).is_ok_and(|kept| kept == text) {
            return Some(file);
        }
        copy(&file, text).ok().map(|()| file)
    }

    fn modules(&self, folder: &Path) -> Result<Vec<Module>, String> {
        let roots = match Manifest::find(folder) {
            Ok(manifest) => roots_of(&manifest),
            Err(ManifestError::NotFound(_)) => vec![folder.to_owned()],
            Err(error) => return Err(Failure::of(&error).message),
        };
        let files = match Roots::find(&roots) {
            Ok(found) => found.files,
            // The first module is still to be written.
            Err(RootError::Empty(_)) => Vec::new(),
            Err(error) => return Err(Failure::of(&error).message),
        };
        let here = std::env::current_dir().unwrap_or_default();
        let mut modules = Vec::new();
        for file in files {
            let path = self.real(&here.join(file));
            if let Some(text) = self.read(&path) {
                modules.push(Module { path, text });
            }
        }
        Ok(modules)
    }

    fn real(&self, path: &Path) -> PathBuf {
        path.canonicalize().unwrap_or_else(|_| path.to_owned())
    }

    fn read(&self, path: &Path) -> Option<String> {
        // A FIFO would be waited for.
        if !std::fs::metadata(path).is_ok_and(|m| m.is_file()) {
            return None;
        }
        let bytes = std::fs::read(path).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Where copies of the library are kept for editors (XDG Base Directory
/// Specification, `$XDG_CACHE_HOME`), apart by version.
fn cache() -> Option<PathBuf> {
    let absolute = |name: &str| {
        let path = PathBuf::from(std::env::var_os(name)?);
        path.is_absolute().then_some(path)
    };
    let cache = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")))?;
    Some(cache.join(concat!("hayward/library-", env!("CARGO_PKG_VERSION"))))
}

/// Writes a copy that an editor opens as read-only. It is whole at any time.
fn copy(file: &Path, text: &str) -> io::Result<()> {
    let folder = file.parent().unwrap_or(file);
    std::fs::create_dir_all(folder)?;
    let new = file.with_extension(format!("new-{}", std::process::id()));
    std::fs::write(&new, text)?;
    let mut permissions = std::fs::metadata(&new)?.permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&new, permissions)?;
    std::fs::rename(&new, file)
}
