//! `hayward init`

use crate::args::InitArgs;
use crate::failure::{End, Failure, Outcome};
use crate::fleets;
use crate::output::{Output, Tone};
use hayward_project::{Manifest, in_line};
use serde_json::json;
use std::path::Path;

/// What is not committed. Of a host's tree that is all but its name: files that Hayward installed,
/// without its record of them, would be somebody else's to a clone.
const IGNORED: &str = "\
/.hayward/
/doc/
/hosts/*/*
!/hosts/*/etc/
/hosts/*/etc/*
!/hosts/*/etc/hostname
";

pub(crate) fn run(args: &InitArgs, output: &Output) -> Outcome {
    let folder = &args.folder;
    let name = match &args.name {
        Some(name) => name.clone(),
        None => folder_name(folder)?,
    };
    if name.is_empty()
        || name
            .chars()
            .any(|c| c.is_control() || matches!(c, '"' | '\\' | '{' | '}'))
    {
        return Err(Failure::new(format!(
            "`{}` is no name for a project: give one with --name",
            name.escape_debug()
        )));
    }
    let mut files: Vec<(String, String)> = fleets::STARTER
        .iter()
        .map(|(path, text)| {
            (
                (*path).to_owned(),
                text.replace("\"starter\"", &format!("\"{name}\"")),
            )
        })
        .collect();
    // What names the tree: hostname(5). A host is believed only if it says who it is.
    files.push(("hosts/builder/etc/hostname".into(), "builder\n".into()));
    files.push((".gitignore".into(), IGNORED.into()));
    // Looked at before the first is written: nothing of a folder in use is touched.
    for (path, _) in &files {
        let there = folder.join(path);
        if there.symlink_metadata().is_ok() {
            return Err(Failure::new(format!(
                "{} exists: start a project in an empty folder; nothing was written",
                in_line(&there)
            )));
        }
    }
    for (path, text) in &files {
        write(&folder.join(path), text)?;
        output.line(format!("{} {path}", output.paint(Tone::Good, "+")));
    }
    output.line(format!(
        "started {name}; next: hayward check, test, render, apply, observe"
    ));
    let paths: Vec<&str> = files.iter().map(|(p, _)| p.as_str()).collect();
    output.document(&json!({ "name": name, "manifest": Manifest::FILE, "files": paths }));
    Ok(End::Done)
}

fn folder_name(folder: &Path) -> Result<String, Failure> {
    let failed = |e| Failure::new(format!("{}: {e}", in_line(folder)));
    let absolute = std::path::absolute(folder).map_err(failed)?;
    let absolute = absolute.canonicalize().unwrap_or(absolute);
    Ok(absolute
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned())
}

/// A new file; one that is there by now is not written over.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let failed =
        |e: std::io::Error| Failure::new(format!("{} cannot be written: {e}", in_line(path)));
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut file = std::fs::File::create_new(path).map_err(failed)?;
    std::io::Write::write_all(&mut file, text.as_bytes()).map_err(failed)
}
