//! Lists the library's modules, so that a new file in `lib/` needs no change
//! here. Tests of the library are not built in.
#![allow(clippy::print_stdout)] // how a build script speaks to cargo

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    // Asked now: a build script that was compiled elsewhere would look there.
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let root = Path::new(&here).join("../../lib");
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();
    let mut code = String::from("&[\n");
    for file in files {
        let name = file
            .strip_prefix(&root)
            .unwrap_or(&file)
            .display()
            .to_string();
        // The language's own part comes with the analysis.
        let own = ["std/types.dag", "std/prelude.dag"].contains(&name.as_str());
        if own || name.ends_with("_test.dag") {
            continue;
        }
        println!("cargo::rerun-if-changed={}", file.display());
        let path = file.canonicalize()?;
        let _ = writeln!(
            code,
            "    ({name:?}, include_str!({:?})),",
            path.display().to_string()
        );
    }
    code.push_str("]\n");
    let out = std::env::var_os("OUT_DIR")
        .map(PathBuf::from)
        .unwrap_or_default();
    std::fs::write(out.join("library.rs"), code)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            println!("cargo::rerun-if-changed={}", path.display());
            collect(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "dag") {
            files.push(path);
        }
    }
    Ok(())
}
