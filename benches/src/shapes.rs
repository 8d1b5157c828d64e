//! Models with one extreme each: a long chain of imports, a deep diamond, a very long file, a very
//! short one.

use crate::files::File;
use crate::model::{Model, hayward};
use std::fmt::Write as _;

/// A chain of modules in `.dag`: each is one more than the module it imports.
/// `chain.m<length>.m<length>` is its length.
pub(crate) fn chain(length: usize) -> Vec<File> {
    (1..=length)
        .map(|i| {
            let text = if i == 1 {
                "module chain.m1\n\ndata m1: Int = 1\n".to_owned()
            } else {
                let below = i - 1;
                format!(
                    "module chain.m{i}\n\nimport chain.m{below} {{ m{below} }}\n\ndata m{i}: Int = m{below} + 1\n"
                )
            };
            File::new(format!("m{i}.dag"), text)
        })
        .collect()
}

/// Layers of two modules in `.dag`, each of which imports both of the layer below: twice as many
/// paths with every layer. `diamond.a<layers>.a<layers>` is 2^(layers - 1).
pub(crate) fn diamond(layers: usize) -> Vec<File> {
    let mut files = Vec::new();
    for layer in 1..=layers {
        for side in ["a", "b"] {
            let below = layer - 1;
            let text = if layer == 1 {
                format!("module diamond.{side}1\n\ndata {side}1: Int = 1\n")
            } else {
                format!(
                    "module diamond.{side}{layer}\n\nimport diamond.a{below} {{ a{below} }}\nimport diamond.b{below} \
                     {{ b{below} }}\n\ndata {side}{layer}: Int = a{below} + b{below}\n"
                )
            };
            files.push(File::new(format!("{side}{layer}.dag"), text));
        }
    }
    files
}

/// One file in `.dag` with about `lines` lines, indented otherwise than the layout wants.
pub(crate) fn long_file(lines: usize) -> File {
    let mut text = String::from("module long.file\n");
    let mut count = 1;
    // A service has about twenty lines, so this many are enough.
    let model = Model::new(lines / 10);
    for service in hayward::services_of_one_file(&model) {
        if count >= lines {
            break;
        }
        for line in service.lines() {
            let indent = line.len() - line.trim_start().len();
            let _ = writeln!(
                text,
                "{:width$}{}",
                "",
                line.trim_start(),
                width = indent * 2
            );
            count += 1;
        }
    }
    File::new("file.dag", text)
}

/// A file in `.dag` with one declaration; `one.answer` is 42.
pub(crate) fn short_file() -> File {
    File::new("one.dag", "module one\n\ndata answer: Int = 42\n")
}
