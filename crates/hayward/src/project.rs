//! Which project a command is about, and its modules, read and checked.

use crate::args::RootArgs;
use crate::failure::Failure;
use crate::output::Output;
use crate::store;
use dag_analysis::{Checked, Library};
use dag_syntax::{Diagnostic, Sources};
use hayward_project::{Base, Loaded, Manifest, ManifestError, Roots, Texts, in_line};
use std::path::{Path, PathBuf};

/// The roots that a command names, or those of the project it is started in. A
/// folder with a `hayward.toml` stands for the roots that the file names.
pub(crate) fn roots(args: &RootArgs) -> Result<Vec<PathBuf>, Failure> {
    if args.roots.is_empty() {
        return Ok(roots_of(&here(NAME_THE_ROOTS)?));
    }
    let mut roots = Vec::new();
    for root in &args.roots {
        if root.join(Manifest::FILE).is_file() {
            let manifest = Manifest::read(root).map_err(|e| Failure::of(&e))?;
            roots.extend(roots_of(&manifest));
        } else {
            roots.push(root.clone());
        }
    }
    Ok(roots)
}

/// The project that the command is started in; `otherwise` is how another one is named.
pub(crate) fn here(otherwise: &str) -> Result<Manifest, Failure> {
    Manifest::find(Path::new(".")).map_err(|error| match &error {
        ManifestError::NotFound(_) => Failure::new(format!(
            "{error}: {otherwise}, or start a project with `hayward init`"
        )),
        _ => Failure::of(&error),
    })
}

/// How a command that takes roots is told them.
pub(crate) const NAME_THE_ROOTS: &str = "name the roots";

/// The folder that files are seen from, where that must not depend on the current one: the
/// project's, or the current one if roots are named.
pub(crate) fn base(args: &RootArgs) -> Result<Base, Failure> {
    let folder = match args.roots.is_empty() {
        true => here(NAME_THE_ROOTS)?.directory,
        false => PathBuf::from("."),
    };
    let failed = |e| Failure::new(format!("{} cannot be found: {e}", in_line(&folder)));
    Base::new(&folder).map_err(failed)
}

/// The roots of a project, as paths from the current directory where it is
/// inside of it.
pub(crate) fn roots_of(manifest: &Manifest) -> Vec<PathBuf> {
    let here = std::env::current_dir().and_then(|d| d.canonicalize());
    let directory = match here {
        Ok(here) if here == manifest.directory => PathBuf::from("."),
        _ => manifest.directory.clone(),
    };
    let inside = |root: &PathBuf| match root.strip_prefix(".") {
        Ok(rest) if rest.as_os_str().is_empty() => directory.clone(),
        Ok(rest) => directory.join(rest),
        Err(_) => directory.join(root),
    };
    manifest.roots.iter().map(inside).collect()
}

/// Reads the modules below some roots.
pub(crate) fn texts(roots: &[PathBuf]) -> Result<Texts, Failure> {
    let roots = Roots::find(roots).map_err(|e| Failure::of(&e))?;
    Texts::read(&roots).map_err(|e| Failure::of(&e))
}

/// Reads and checks; prints the mistakes. `None` if there are any.
pub(crate) fn read_sound(
    roots: &[PathBuf],
    library: Library,
    output: &Output,
) -> Result<Option<&'static mut Loaded>, Failure> {
    let store = store::of_environment(output);
    let texts = texts(roots)?;
    let working = output.working("checking");
    let loaded = texts.check(library, store, Checked::is_sound);
    drop(working);
    Ok(sound(loaded, output))
}

/// What was checked, if it has no mistakes; otherwise they are printed.
///
/// It is kept until the program ends: giving back many small things one by one takes
/// longer than all that a short command does afterwards.
pub(crate) fn sound(loaded: Loaded, output: &Output) -> Option<&'static mut Loaded> {
    let loaded = Box::leak(Box::new(loaded));
    if !loaded.checked.is_sound() {
        refuse(&loaded.checked.diagnostics, loaded, output);
        return None;
    }
    // Room for the values: nobody looks at the syntax any more.
    loaded.checked.trees = Vec::new();
    Some(loaded)
}

/// A file of a project as its path is shown.
pub(crate) fn shown(manifest: &Manifest, file: &str) -> String {
    let here = std::env::current_dir().and_then(|d| d.canonicalize());
    match here {
        Ok(here) if here == manifest.directory => file.to_owned(),
        _ => hayward_project::shown(&manifest.directory.join(file)),
    }
}

/// Prints mistakes, as text or as the JSON document.
pub(crate) fn refuse(diagnostics: &[Diagnostic], loaded: &Loaded, output: &Output) {
    refuse_in(diagnostics, &loaded.sources, output);
}

/// Prints mistakes in some texts.
pub(crate) fn refuse_in(diagnostics: &[Diagnostic], sources: &Sources, output: &Output) {
    let errors: Vec<Diagnostic> = diagnostics
        .iter()
        .filter(|d| d.is_error())
        .cloned()
        .collect();
    output.diagnostics(&errors, sources);
    let mistakes = crate::output::counted(errors.len(), "mistake");
    output.note(match output.only_tells() {
        true => mistakes,
        false => format!("{mistakes}: nothing was done"),
    });
    let shown: Vec<_> = errors
        .iter()
        .map(|d| dag_syntax::to_json(d, sources))
        .collect();
    output.document(&serde_json::json!({ "ok": false, "diagnostics": shown }));
}
