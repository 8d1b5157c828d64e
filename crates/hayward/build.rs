//! Lists the example fleets, which `init` and `demo` write out.
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
    std::fs::write(out.join("fleets.rs"), code)
}
