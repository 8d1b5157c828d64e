//! The models, written in each language.
//!
//! A language has its renderers in `languages/<name>/`, in its own idiom; here it says how a
//! service is written, and how modules name each other.

mod dhall;
mod hayward;
mod jsonnet;
mod kcl;
mod nickel;
mod nix;
mod pkl;
mod starlark;

pub(crate) use dhall::Dhall;
pub(crate) use hayward::Hayward;
pub(crate) use jsonnet::Jsonnet;
pub(crate) use kcl::Kcl;
pub(crate) use nickel::Nickel;
pub(crate) use nix::Nix;
pub(crate) use pkl::Pkl;
pub(crate) use starlark::Starlark;

use crate::files::File;
use crate::fleet::{self, Model, Service};
use serde_json::{Value, json};
use std::fmt::Write as _;

/// A language that the models can be written in. The entry of every model is `main`.
pub(crate) trait Language: Sync {
    /// How its files' names end, without the dot.
    fn extension(&self) -> &'static str;

    /// The files that every fleet has besides its services and its entry.
    fn library(&self, model: &Model) -> Vec<File>;

    /// The module of a service, which imports the services it requires.
    fn service(&self, service: &Service) -> String;

    /// The entry of a fleet, which imports every service.
    fn entry(&self, model: &Model) -> String;

    /// A module `name` that holds a number: those of the modules it imports, and `plus`.
    fn sum(&self, name: &str, imports: &[String], plus: usize) -> String;

    /// An entry with the outcome `{ "value": n }`: the number of the module `of`, and `plus`.
    fn sum_entry(&self, of: Option<&str>, plus: usize) -> String;

    /// One file of services, each with as many lines as its layout gives it, for a formatter.
    fn services(&self, services: &[Service]) -> String;
}

/// What is evaluated.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// The peers' model.
    Fleet(Model),
    /// This many modules, each of which imports the one before.
    Chain(usize),
    /// This many layers of two modules, each of which imports both of the layer below.
    Diamond(usize),
    /// One module with one number.
    Short,
}

impl Shape {
    /// The model's files in a language.
    pub(crate) fn files(&self, language: &dyn Language) -> Vec<File> {
        let file = |name: &str, text| File::new(format!("{name}.{}", language.extension()), text);
        match self {
            Shape::Fleet(model) => {
                let mut files = language.library(model);
                files.push(file("main", language.entry(model)));
                files.extend(
                    model
                        .services
                        .iter()
                        .map(|s| file(&s.name(), language.service(s))),
                );
                files
            }
            Shape::Chain(length) => {
                let mut files = vec![file(
                    "main",
                    language.sum_entry(Some(&format!("m{length}")), 0),
                )];
                for i in 1..=*length {
                    let below: Vec<String> =
                        (i > 1).then(|| format!("m{}", i - 1)).into_iter().collect();
                    let name = format!("m{i}");
                    files.push(file(&name, language.sum(&name, &below, 1)));
                }
                files
            }
            Shape::Diamond(layers) => {
                let mut files = vec![file(
                    "main",
                    language.sum_entry(Some(&format!("a{layers}")), 0),
                )];
                for i in 1..=*layers {
                    let below: Vec<String> = ["a", "b"]
                        .iter()
                        .filter(|_| i > 1)
                        .map(|side| format!("{side}{}", i - 1))
                        .collect();
                    for side in ["a", "b"] {
                        let name = format!("{side}{i}");
                        files.push(file(
                            &name,
                            language.sum(&name, &below, usize::from(i == 1)),
                        ));
                    }
                }
                files
            }
            Shape::Short => vec![file("main", language.sum_entry(None, 42))],
        }
    }

    /// What it comes to.
    pub(crate) fn output(&self) -> Value {
        match self {
            Shape::Fleet(model) => fleet::output(model),
            Shape::Chain(length) => json!({ "value": length }),
            Shape::Diamond(layers) => json!({ "value": 1_u64 << (layers - 1) }),
            Shape::Short => json!({ "value": 42 }),
        }
    }
}

/// One file of about so many lines in a language, indented twice as deep as it was written, so that
/// a formatter has something to do on nearly every line.
pub(crate) fn long_file(language: &dyn Language, lines: usize) -> File {
    // As many services as come to that many lines, counted on a hundred of them.
    let hundred = Model::new(100);
    let each = language.services(&hundred.services).lines().count() / 100;
    let text = language.services(&Model::new(lines / each.max(1)).services);
    let mut out = String::with_capacity(text.len() * 2);
    for line in text.lines() {
        let rest = line.trim_start();
        let indent = if rest.is_empty() {
            0
        } else {
            2 * (line.len() - rest.len())
        };
        let _ = writeln!(out, "{:indent$}{rest}", "");
    }
    File::new(format!("long.{}", language.extension()), out)
}
