//! Lists the pages of the codes, so that a new page needs no change here.
#![allow(clippy::print_stdout)] // how a build script speaks to cargo

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    // Asked now: a build script that was compiled elsewhere would look there.
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let folder = Path::new(&here)
        .join("../../docs/language/diagnostics")
        .canonicalize()?;
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)?
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<_, _>>()?;
    files.retain(|file| file.extension().is_some_and(|e| e == "md"));
    files.sort();
    let mut code = String::from("&[\n");
    for file in files {
        println!("cargo::rerun-if-changed={}", file.display());
        let name = file.file_stem().unwrap_or_default().to_string_lossy();
        let path = file.display().to_string();
        let _ = writeln!(code, "    ({name:?}, include_str!({path:?})),");
    }
    code.push_str("]\n");
    let out = std::env::var_os("OUT_DIR")
        .map(PathBuf::from)
        .unwrap_or_default();
    std::fs::write(out.join("codes.rs"), code)
}
