//! The documentation as Markdown, for a forge: headings are the anchors.

mod prose;

use crate::Page;
use crate::address::page;
use crate::item::{Field, Item, Parts};
use crate::model::{Model, Module};
use crate::piece::{Piece, Target};
use crate::prose::summary;
use prose::{code, escape};
use std::collections::HashMap;

/// The documentation's files. `README.md` is where a reader begins: a forge shows it.
#[must_use]
pub fn markdown(model: &Model) -> Vec<Page> {
    let writer = Writer {
        model,
        anchors: model.modules.iter().map(anchors).collect(),
    };
    let mut pages = vec![Page {
        path: "README.md".into(),
        text: writer.index(),
    }];
    pages.extend(model.pages().map(|(number, module)| Page {
        path: page(&module.name, "md"),
        text: writer.module(number, module),
    }));
    pages
}

struct Writer<'a> {
    model: &'a Model,
    /// Of each module the anchor of each of its items that has a heading.
    anchors: Vec<Vec<Option<String>>>,
}

/// An item's heading, which is its anchor too.
fn heading(item: &Item) -> String {
    format!("{} {}", item.kind, code(&item.name))
}

/// The anchors that a forge makes of the headings of a module's items: small letters, blanks
/// as hyphens, no other signs, and a number behind one that is there already.
fn anchors(module: &Module) -> Vec<Option<String>> {
    let slug = |heading: &str| -> String {
        let small = heading.chars().flat_map(char::to_lowercase);
        small
            .filter_map(|c| match c {
                ' ' => Some('-'),
                c if c.is_alphanumeric() || c == '_' || c == '-' => Some(c),
                _ => None,
            })
            .collect()
    };
    let mut numbers: HashMap<String, usize> = HashMap::new();
    // The page's own headings stand first.
    numbers.insert(slug(&format!("Module {}", module.name)), 1);
    let mut all = Vec::with_capacity(module.items.len());
    for item in &module.items {
        if item.test {
            all.push(None);
            continue;
        }
        let plain = slug(&heading(item));
        let mut anchor = plain.clone();
        while let Some(number) = numbers.get(&anchor).copied() {
            let count = numbers.entry(plain.clone()).or_insert(number);
            anchor = format!("{plain}-{count}");
            *count += 1;
        }
        numbers.insert(anchor.clone(), 1);
        all.push(Some(anchor));
    }
    all
}

impl Writer<'_> {
    fn index(&self) -> String {
        let mut out = format!("# {}\n", escape(&self.model.title, false));
        for (library, heading) in [(false, "The project"), (true, "The library")] {
            let pages = self.model.pages();
            let mut modules = pages.filter(|(_, m)| m.library == library).peekable();
            if modules.peek().is_none() {
                continue;
            }
            out.push_str(&format!("\n## {heading}\n\n"));
            for (_, module) in modules {
                let address = dag_uri::path(page(&module.name, "md"));
                out.push_str(&format!("- [{}]({address})", code(&module.name)));
                let said = summary(&module.annotation);
                if !said.is_empty() {
                    out.push_str(&format!(" – {}", escape(&said, false)));
                }
                out.push('\n');
            }
        }
        out
    }

    fn module(&self, number: usize, module: &Module) -> String {
        let mut out = format!("# Module {}\n\n{}", code(&module.name), code(&module.path));
        if module.library {
            out.push_str(" (built into Hayward)");
        }
        out.push('\n');
        self.prose(number, &module.annotation, &mut out);
        if !module.imports.is_empty() {
            let import = |name: &String| {
                let target = self.model.names.module(name).map(|module| Target {
                    module,
                    item: None,
                    part: None,
                });
                self.link(target.as_ref(), &code(name))
            };
            let names: Vec<String> = module.imports.iter().map(import).collect();
            out.push_str(&format!("\nImports {}.\n", names.join(", ")));
        }
        for item in module.items.iter().filter(|item| !item.test) {
            self.item(number, module, item, &mut out);
        }
        let witnesses = self.model.witnesses(number);
        if !witnesses.is_empty() {
            out.push_str(
                "\n## Witnesses\n\nWhat is tested of this module. `hayward test` runs it.\n",
            );
        }
        for (within, item) in witnesses {
            let place = &self.model.modules[within].path;
            out.push_str(&format!("\n**{}**\n", code(&item.name)));
            self.prose(within, &item.annotation, &mut out);
            out.push('\n');
            out.push_str(&prose::fenced(&item.text, "dag"));
            out.push_str(&format!("\n{}, line {}\n", code(place), item.line));
        }
        out
    }

    fn item(&self, number: usize, module: &Module, item: &Item, out: &mut String) {
        out.push_str(&format!("\n## {}\n\n", heading(item)));
        let head: String = item.head.iter().map(|piece| piece.text.as_str()).collect();
        out.push_str(&prose::fenced(&head, "dag"));
        if let Some(said) = item.built() {
            out.push_str(&format!("\n{}\n", escape(said, true)));
        }
        self.prose(number, &item.annotation, out);
        self.parts(item, out);
        out.push_str(&format!("\n{}, line {}\n", code(&module.path), item.line));
    }

    fn parts(&self, item: &Item, out: &mut String) {
        match &item.parts {
            Parts::Fields(fields) => self.fields("Fields", fields, out),
            Parts::Variants(variants) => {
                out.push_str("\nVariants:\n\n");
                for variant in variants {
                    out.push_str(&format!("- {}\n", code(&variant.name)));
                    for field in &variant.fields {
                        out.push_str(&format!("  - {}\n", self.field(field)));
                    }
                }
            }
            Parts::Alias { ty, conditions } => {
                let what = item.stands_for();
                let (ty, conditions) = (self.code(ty), self.conditions(conditions));
                out.push_str(&format!("\n{what} {ty}{conditions}.\n"));
            }
            Parts::Function { params, result } => {
                self.fields("Parameters", params, out);
                out.push_str(&format!("\nGives {}.\n", self.code(result)));
            }
            Parts::Data { ty, value } => {
                out.push_str(&format!("\nOf type {}.", self.code(ty)));
                if let Some(value) = value {
                    out.push_str(&format!(" Its value: {}", code(value)));
                }
                out.push('\n');
            }
            Parts::None => {}
        }
    }

    fn fields(&self, heading: &str, fields: &[Field], out: &mut String) {
        if fields.is_empty() {
            return;
        }
        out.push_str(&format!("\n{heading}:\n\n"));
        for field in fields {
            out.push_str(&format!("- {}\n", self.field(field)));
        }
    }

    fn field(&self, field: &Field) -> String {
        let name = field.name.as_ref();
        let name = name.map_or(String::new(), |name| format!("{}: ", code(name)));
        let default = field.default.as_ref();
        let default = default.map_or(String::new(), |value| {
            format!("; {} if it is not given", code(value))
        });
        let (ty, conditions) = (self.code(&field.ty), self.conditions(&field.conditions));
        format!("{name}{ty}{conditions}{default}")
    }

    fn conditions(&self, conditions: &[Vec<Piece>]) -> String {
        let mut out = String::new();
        for (index, condition) in conditions.iter().enumerate() {
            out.push_str(if index == 0 { ", which " } else { " and " });
            for piece in condition {
                let text = match piece.code {
                    true => code(&piece.text),
                    false => escape(&piece.text, false),
                };
                out.push_str(&self.link(piece.to.as_ref(), &text));
            }
        }
        out
    }

    /// Code in which each name that leads somewhere is a link of its own. What stands between
    /// is one piece: two that touch would read as one with other ticks. Blanks stay outside.
    fn code(&self, pieces: &[Piece]) -> String {
        let mut out = String::new();
        for run in pieces.chunk_by(|a, b| a.to.is_none() && b.to.is_none()) {
            let text: String = run.iter().map(|piece| piece.text.as_str()).collect();
            let inner = text.trim();
            if inner.is_empty() {
                out.push_str(&text);
                continue;
            }
            let start = text.len() - text.trim_start().len();
            out.push_str(&text[..start]);
            let target = run.first().and_then(|piece| piece.to.as_ref());
            out.push_str(&self.link(target, &code(inner)));
            out.push_str(&text[start + inner.len()..]);
        }
        out
    }

    fn link(&self, to: Option<&Target>, text: &str) -> String {
        match to {
            Some(to) => format!("[{text}]({})", self.address(to)),
            None => text.to_owned(),
        }
    }

    /// The address of a target from a module's page.
    fn address(&self, to: &Target) -> String {
        let page = self.model.page_of(to.module);
        let mut address = dag_uri::path(format!("{}.md", self.model.modules[page].name));
        let item = to.item.filter(|_| page == to.module);
        if let Some(anchor) = item.and_then(|item| self.anchors[to.module][item].as_ref()) {
            address.push('#');
            address.push_str(&dag_uri::path(anchor));
        }
        address
    }

    fn prose(&self, module: usize, annotation: &str, out: &mut String) {
        let scope = self.model.scope(module);
        let find = |name: &str| scope.any(name).map(|target| self.address(&target));
        let text = prose::markdown(annotation, &find);
        if !text.is_empty() {
            out.push('\n');
            out.push_str(&text);
        }
    }
}
