//! `hayward doc`

mod folder;

use crate::args::{DocArgs, PageFormat};
use crate::failure::{End, Failure, Outcome};
use crate::output::{Output, counted};
use crate::{project, store};
use dag_analysis::Library;
use dag_doc::{Model, Text};
use hayward_project::{Loaded, Manifest, Seen, in_line};
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

pub(crate) fn run(args: &DocArgs, output: &Output) -> Outcome {
    // A folder that must not be written is refused before anything takes time.
    folder::inspect(&args.out)?;
    let library = match args.library {
        true => Library::Whole,
        false => Library::Loaded,
    };
    let texts = project::texts(&project::roots(&args.roots)?)?;
    let checked = texts.check(library, store::of_environment(output), |_| false);
    let Some(loaded) = project::sound(checked, output) else {
        return Ok(End::Refused);
    };
    let model = Model::read(&title(args)?, &modules(args, loaded)?);
    let pages = match args.format {
        PageFormat::Html => dag_doc::html(&model),
        PageFormat::Markdown => dag_doc::markdown(&model),
    };
    folder::write(&args.out, &pages)?;
    let first = args
        .out
        .join(pages.first().map_or("", |page| page.path.as_str()));
    output.line(format!(
        "{}: {}",
        in_line(&first),
        counted(pages.len(), "file")
    ));
    let files: Vec<&str> = pages.iter().map(|page| page.path.as_str()).collect();
    output.document(&json!({ "folder": args.out, "files": files }));
    Ok(End::Done)
}

/// The project's name, or that of the folder if roots are named.
fn title(args: &DocArgs) -> Result<String, Failure> {
    let folder = match args.roots.roots.as_slice() {
        [] => project::here(project::NAME_THE_ROOTS)?.directory,
        [root, ..] => root.clone(),
    };
    match Manifest::read(&folder) {
        Ok(manifest) => Ok(manifest.name),
        Err(_) => {
            let name = folder.canonicalize().ok();
            let name = name.as_deref().and_then(Path::file_name);
            Ok(name.map_or("modules".into(), |n| n.to_string_lossy().into_owned()))
        }
    }
}

/// The modules' texts, their files as they are seen from the project's folder: the pages do
/// not depend on where they are made.
fn modules(args: &DocArgs, loaded: &Loaded) -> Result<Vec<Text>, Failure> {
    let base = project::base(&args.roots)?;
    let text = |source| {
        let source = loaded.sources.get(source);
        let (path, library) = match base.see(&source.path) {
            Seen::BuiltIn(path) => (format!("lib/{path}"), true),
            Seen::Inside(path) | Seen::Outside(path) => (path, false),
        };
        Text {
            path,
            text: Arc::clone(&source.text),
            library,
        }
    };
    let modules = loaded.checked.modules.iter();
    Ok(modules.map(|module| text(module.source)).collect())
}
