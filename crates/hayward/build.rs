//! Lists the example fleets, which `init` and `demo` write out, and tells what the
//! program is built from.
#![allow(clippy::print_stdout)] // how a build script speaks to cargo

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    // Asked now: a build script that was compiled elsewhere would look there.
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default();
    let root = Path::new(&here).join("../../fleets").canonicalize()?;
    let mut code = String::new();
    for fleet in ["starter", "commons"] {
        let folder = root.join(fleet);
        println!("cargo::rerun-if-changed={}", folder.display());
        let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)?
            .map(|e| e.map(|e| e.path()))
            .collect::<Result<_, _>>()?;
        files.sort();
        let _ = writeln!(
            code,
            "pub(crate) static {}: &[(&str, &str)] = &[",
            fleet.to_uppercase()
        );
        for file in files {
            let name = file
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            if name.ends_with(".dag") || name == "hayward.toml" {
                println!("cargo::rerun-if-changed={}", file.display());
                let _ = writeln!(
                    code,
                    "    ({name:?}, include_str!({:?})),",
                    file.display().to_string()
                );
            }
        }
        code.push_str("];\n");
    }
    let out = std::env::var_os("OUT_DIR")
        .map(PathBuf::from)
        .unwrap_or_default();
    std::fs::write(out.join("fleets.rs"), code)?;
    std::fs::write(out.join("build"), build(&Path::new(&here).join("../.."))?)
}

/// A digest of the sources of all crates, of the library and of the dependencies'
/// versions.
fn build(root: &Path) -> std::io::Result<String> {
    let mut todo = vec![root.join("crates"), root.join("lib")];
    let mut files = vec![root.join("Cargo.lock"), root.join("Cargo.toml")];
    while let Some(folder) = todo.pop() {
        println!("cargo::rerun-if-changed={}", folder.display());
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            let is = |names: &[&str]| {
                path.extension()
                    .is_some_and(|e| names.iter().any(|n| e == *n))
            };
            if path.is_dir() {
                if path.file_name().is_none_or(|name| name != "tests") {
                    todo.push(path);
                }
            } else if is(&["rs", "dag", "toml"]) {
                files.push(path);
            }
        }
    }
    files.sort();
    let mut hash = blake3::Hasher::new();
    for file in files {
        let text = std::fs::read(&file)?;
        let name = file.strip_prefix(root).unwrap_or(&file).as_os_str();
        for part in [name.as_encoded_bytes(), &text] {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part);
        }
    }
    Ok(hash.finalize().to_hex().to_string())
}
