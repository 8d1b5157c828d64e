//! The programs that are measured: where each is, how it is called, what its idiom is.

mod list;

pub(crate) use list::{ABSENT, TOOLS};

use crate::language::Language;
use crate::measure::Invocation;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A program.
pub(crate) struct Tool {
    /// Its name in the table.
    pub(crate) name: &'static str,
    /// When the types of a model are checked.
    pub(crate) types: &'static str,
    /// What it reads.
    pub(crate) language: &'static dyn Language,
    place: Place,
    /// How it prints the outcome of an entry as JSON; `@` stands for the entry.
    evaluate: &'static [&'static str],
    /// How it formats the file `@`, if it does.
    pub(crate) format: Option<Format>,
    /// How it prints its version, if it does.
    version: &'static [&'static str],
    memory_limit: Option<u64>,
}

/// How a program formats.
pub(crate) struct Format {
    words: &'static [&'static str],
    /// Whether it writes the file; otherwise it prints the new text.
    pub(crate) writes: bool,
    /// The code that it ends with when the file was not in its layout.
    pub(crate) code: i32,
}

/// Where a program is.
enum Place {
    /// What is being measured here: it is given on the command line.
    Own,
    /// On the search path, from a package of Debian's.
    Debian(&'static str),
    /// In the cache: a peer's name in `peers/versions`, and the path in its folder.
    Cached(&'static str, &'static str),
    /// In the cache, a Python with a library in it, and our script that calls the library.
    Script(&'static str, &'static str),
}

impl Tool {
    /// Whether this is the program that the benchmark is about.
    pub(crate) fn is_own(&self) -> bool {
        matches!(self.place, Place::Own)
    }

    /// What to do if it cannot be run.
    pub(crate) fn remedy(&self) -> String {
        match self.place {
            Place::Own => "it cannot be run".to_owned(),
            Place::Debian(_) => "not installed: benches/peers/install nix jsonnet".to_owned(),
            Place::Cached(peer, _) | Place::Script(peer, _) => {
                format!("not installed: benches/peers/install {peer}")
            }
        }
    }

    /// Whether it evaluates.
    pub(crate) fn evaluates(&self) -> bool {
        !self.evaluate.is_empty()
    }

    /// Prints the outcome of the model in a folder as JSON.
    pub(crate) fn evaluation(&self, hayward: &Path, folder: &Path) -> Invocation {
        let entry = if self.is_own() {
            folder.to_owned()
        } else {
            folder.join(format!("main.{}", self.language.extension()))
        };
        self.invocation(hayward, self.evaluate, &entry)
    }

    /// Formats a file.
    pub(crate) fn formatting(&self, hayward: &Path, file: &Path) -> Option<Invocation> {
        let format = self.format.as_ref()?;
        Some(self.invocation(hayward, format.words, file))
    }

    /// Any other call.
    pub(crate) fn invocation(&self, hayward: &Path, words: &[&str], subject: &Path) -> Invocation {
        let mut all = self.program(hayward);
        all.extend(words.iter().map(|word| match *word {
            "@" => subject.into(),
            word => OsString::from(word),
        }));
        Invocation {
            words: all,
            environment: Vec::new(),
            memory_limit: self.memory_limit,
        }
    }

    /// The words that start it.
    fn program(&self, hayward: &Path) -> Vec<OsString> {
        match self.place {
            Place::Own => vec![hayward.into()],
            Place::Debian(name) => vec![name.into()],
            Place::Cached(peer, path) => vec![cache().join(folder(peer)).join(path).into()],
            Place::Script(peer, script) => vec![
                cache().join(folder(peer)).join("bin/python").into(),
                Path::new(env!("CARGO_MANIFEST_DIR"))
                    .join("peers")
                    .join(script)
                    .into(),
            ],
        }
    }

    /// What it says of its version; an error if it cannot be run.
    pub(crate) fn version(&self, hayward: &Path) -> std::io::Result<String> {
        let words = self.program(hayward);
        let output = Command::new(&words[0])
            .args(&words[1..])
            .args(self.version)
            .output()?;
        if self.version.is_empty() {
            // It does not tell; the cache is by version.
            return Ok(match self.place {
                Place::Cached(peer, _) | Place::Script(peer, _) => folder(peer),
                Place::Own | Place::Debian(_) => self.name.to_owned(),
            });
        }
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(text.lines().next().unwrap_or_default().to_owned())
    }
}

/// Where peers are installed.
fn cache() -> PathBuf {
    let own = || {
        std::env::var_os("HOME")
            .map(|home| PathBuf::from(home).join(".cache/hayward"))
            .unwrap_or_default()
    };
    std::env::var_os("HAYWARD_CACHE")
        .map_or_else(own, PathBuf::from)
        .join("peers")
}

/// The folder of a peer in the cache.
fn folder(peer: &str) -> String {
    include_str!("../peers/versions")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_whitespace().collect::<Vec<_>>())
        .find_map(|words| match words.as_slice() {
            [name, _, _, version] if *name == peer => Some(format!("{name}-{version}")),
            _ => None,
        })
        .unwrap_or_else(|| peer.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_peer_in_the_cache_has_its_version() {
        for tool in TOOLS {
            if let Place::Cached(peer, _) | Place::Script(peer, _) = tool.place {
                assert!(folder(peer).starts_with(&format!("{peer}-")), "{peer}");
            }
        }
    }

    #[test]
    fn hayward_is_first_and_nix_second() {
        assert!(TOOLS[0].is_own());
        assert_eq!(TOOLS[1].name, "Nix");
    }
}
