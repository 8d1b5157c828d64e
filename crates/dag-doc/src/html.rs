//! The documentation as HTML: works from a file, without a server, a network or a script;
//! a script adds the search.

mod prose;

use crate::Page;
use crate::address::page;
use crate::item::{Field, Item, Parts, Variant};
use crate::model::{Model, Module};
use crate::piece::{Piece, Target};
use crate::prose::summary;
use crate::script;
use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("html/style.css");

/// The documentation's files. `index.html` is where a reader begins.
#[must_use]
pub fn html(model: &Model) -> Vec<Page> {
    let writer = Writer { model };
    let mut pages = vec![
        Page {
            path: "index.html".into(),
            text: writer.index().into_string(),
        },
        Page {
            path: "style.css".into(),
            text: STYLE.into(),
        },
        Page {
            path: "search.js".into(),
            text: script::SEARCH.into(),
        },
        Page {
            path: "search-index.js".into(),
            text: script::index(model),
        },
    ];
    pages.extend(model.pages().map(|(number, module)| Page {
        path: page(&module.name, "html"),
        text: writer.module(number, module).into_string(),
    }));
    pages
}

struct Writer<'a> {
    model: &'a Model,
}

/// A page's head and frame. `up` leads to the documentation's folder.
fn frame(title: &str, up: &str, navigation: &Markup, body: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                link rel="stylesheet" href={ (up) "style.css" };
                script src={ (up) "search-index.js" } defer {}
                script src={ (up) "search.js" } data-up=(up) defer {}
            }
            body {
                a .skip href="#content" { "To the content" }
                header {
                    a href={ (up) "index.html" } { "All modules" }
                    div #search role="search" {}
                }
                nav aria-label="On this page" { (navigation) }
                main #content tabindex="-1" { (body) }
                footer { p { "Written by Hayward from the modules." } }
            }
        }
    }
}

impl Writer<'_> {
    fn index(&self) -> Markup {
        let title = &self.model.title;
        let own = |library: bool| {
            let pages = self.model.pages();
            pages.filter(move |(_, module)| module.library == library)
        };
        let list = |library: bool| {
            html! {
                ul .modules {
                    @for (_, module) in own(library) {
                        li {
                            a href=(dag_uri::path(page(&module.name, "html"))) { code { (module.name) } }
                            @let said = summary(&module.annotation);
                            @if !said.is_empty() { " – " (said) }
                        }
                    }
                }
            }
        };
        let any = own(true).next().is_some();
        let navigation = html! {
            ul {
                li { a href="#project" { "The project" } }
                @if any { li { a href="#library" { "The library" } } }
            }
        };
        let body = html! {
            h1 { (title) }
            section aria-labelledby="project" {
                h2 #project { "The project" }
                (list(false))
            }
            @if any {
                section aria-labelledby="library" {
                    h2 #library { "The library" }
                    p { "Modules that are built into Hayward." }
                    (list(true))
                }
            }
        };
        frame(title, "", &navigation, &body)
    }

    fn module(&self, number: usize, module: &Module) -> Markup {
        let items: Vec<&Item> = module.items.iter().filter(|item| !item.test).collect();
        let witnesses = self.model.witnesses(number);
        let navigation = html! {
            ul {
                @for item in &items {
                    li { a href={ "#" (dag_uri::path(&item.anchor)) } { code { (item.name) } } }
                }
                @if !witnesses.is_empty() { li { a href="#witnesses" { "Witnesses" } } }
            }
        };
        let body = html! {
            h1 { "Module " code { (module.name) } }
            p .place { (module.path) @if module.library { " (built into Hayward)" } }
            (self.prose(number, &module.annotation))
            (self.imports(module))
            @for item in items { (self.item(number, module, item)) }
            @if !witnesses.is_empty() {
                section aria-labelledby="witnesses" {
                    h2 #witnesses { "Witnesses" }
                    p { "What is tested of this module. " code { "hayward test" } " runs it." }
                    @for (within, item) in witnesses { (self.witness(within, item)) }
                }
            }
        };
        let title = format!("{} – {}", module.name, self.model.title);
        frame(&title, "../", &navigation, &body)
    }

    fn imports(&self, module: &Module) -> Markup {
        html! {
            @if !module.imports.is_empty() {
                p {
                    "Imports "
                    @for (index, name) in module.imports.iter().enumerate() {
                        @if index > 0 { ", " }
                        @let target = self.model.names.module(name).map(|module| Target {
                            module,
                            item: None,
                            part: None,
                        });
                        (self.link(target.as_ref(), &html! { code { (name) } }))
                    }
                    "."
                }
            }
        }
    }

    fn item(&self, number: usize, module: &Module, item: &Item) -> Markup {
        html! {
            section .item aria-labelledby=(item.anchor) {
                h2 id=(item.anchor) {
                    span .kind { (item.kind) } " " code { (item.name) }
                    " " a .anchor href={ "#" (dag_uri::path(&item.anchor)) } aria-label={ "Link to " (item.name) } { "#" }
                }
                pre .head { code { (self.pieces(&item.head)) } }
                @if let Some(said) = item.built() { p .mark { (said) } }
                (self.prose(number, &item.annotation))
                (self.parts(item))
                p .place { (module.path) ", line " (item.line) }
            }
        }
    }

    fn parts(&self, item: &Item) -> Markup {
        match &item.parts {
            Parts::Fields(fields) => self.fields("Fields", fields),
            Parts::Variants(variants) => html! {
                h3 { "Variants" }
                ul .variants {
                    @for variant in variants { (self.variant(variant)) }
                }
            },
            Parts::Alias { ty, conditions } => html! {
                p {
                    (item.stands_for()) " "
                    code { (self.pieces(ty)) }
                    (self.conditions(conditions)) "."
                }
            },
            Parts::Function { params, result } => html! {
                (self.fields("Parameters", params))
                p { "Gives " code { (self.pieces(result)) } "." }
            },
            Parts::Data { ty: _, value } => html! {
                @if let Some(value) = value { p { "Its value: " code { (value) } } }
            },
            Parts::None => html! {},
        }
    }

    fn variant(&self, variant: &Variant) -> Markup {
        html! {
            li id=(variant.anchor) {
                code { (variant.name) }
                @if !variant.fields.is_empty() { (self.rows(&variant.fields)) }
            }
        }
    }

    fn fields(&self, heading: &str, fields: &[Field]) -> Markup {
        html! {
            @if !fields.is_empty() {
                h3 { (heading) }
                (self.rows(fields))
            }
        }
    }

    fn rows(&self, fields: &[Field]) -> Markup {
        html! {
            ul .fields {
                @for field in fields {
                    li id=(field.anchor) {
                        code {
                            @if let Some(name) = &field.name { (name) ": " }
                            (self.pieces(&field.ty))
                        }
                        (self.conditions(&field.conditions))
                        @if let Some(value) = &field.default {
                            "; " code { (value) } " if it is not given"
                        }
                    }
                }
            }
        }
    }

    /// ", which is not empty and is kept apart as …".
    fn conditions(&self, conditions: &[Vec<Piece>]) -> Markup {
        html! {
            @for (index, condition) in conditions.iter().enumerate() {
                @if index == 0 { ", which " } @else { " and " }
                (self.pieces(condition))
            }
        }
    }

    fn witness(&self, within: usize, item: &Item) -> Markup {
        let module = &self.model.modules[within];
        html! {
            details id=(item.anchor) {
                summary { code { (item.name) } }
                (self.prose(within, &item.annotation))
                pre { code { (item.text) } }
                p .place { (module.path) ", line " (item.line) }
            }
        }
    }

    fn pieces(&self, pieces: &[Piece]) -> Markup {
        html! {
            @for piece in pieces {
                @let text = html! { @if piece.code { code { (piece.text) } } @else { (piece.text) } };
                (self.link(piece.to.as_ref(), &text))
            }
        }
    }

    fn link(&self, to: Option<&Target>, text: &Markup) -> Markup {
        match to {
            Some(to) => html! { a href=(self.address(to)) { (text) } },
            None => text.clone(),
        }
    }

    /// The address of a target from a module's page.
    fn address(&self, to: &Target) -> String {
        let page = self.model.page_of(to.module);
        let mut address = dag_uri::path(format!("{}.html", self.model.modules[page].name));
        let item = to
            .item
            .map(|item| &self.model.modules[to.module].items[item]);
        // What helps a test has no place on the page of the module that is tested.
        let shown = |item: &&Item| page == to.module || item.test;
        if let Some(item) = item.filter(shown) {
            address.push('#');
            address.push_str(&dag_uri::path(to.part.as_ref().unwrap_or(&item.anchor)));
        }
        address
    }

    fn prose(&self, module: usize, annotation: &str) -> Markup {
        let scope = self.model.scope(module);
        let find = |name: &str| scope.any(name).map(|target| self.address(&target));
        PreEscaped(prose::html(annotation, &find))
    }
}
