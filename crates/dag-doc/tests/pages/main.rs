//! Texts in, pages out.
#![allow(clippy::unwrap_used, clippy::panic)] // what fails a test fails it

mod hostile;
mod links;
mod look;

use dag_doc::{Page, Text};

/// Modules of a project beside the language's own library.
fn texts(modules: &[(&str, &str)]) -> Vec<Text> {
    let own = modules.iter().map(|(path, text)| Text {
        path: (*path).into(),
        text: (*text).into(),
        library: false,
    });
    let library = dag_analysis::library().iter().map(|(path, text)| Text {
        path: format!("lib/{path}"),
        text: (*text).into(),
        library: true,
    });
    own.chain(library).collect()
}

fn page(pages: &[Page], path: &str) -> String {
    let found = pages.iter().find(|page| page.path == path);
    found.unwrap_or_else(|| panic!("no {path}")).text.clone()
}

/// The part of a page that is no frame.
fn main_of(page: &str) -> &str {
    let start = page.find("<main").unwrap();
    &page[start..page.find("</main>").unwrap()]
}

const SHOP: &str = r#"module shop.stock
// What is *sold*. See `Item`, `sold` and `std.types.Nat`.

import std.measure { Seconds }

// A thing on a shelf.
type Item observed {
  name: NonEmptyStr
  count: Int where range(min: 0, max: 9)
  code: String where pattern("[a-z]<+"), brand("Code")
}

// What became of it.
type Fate<T>
  = Sold { at: Seconds, to: T? }
  | Kept(Item)
  | Lost

type Verdict sole_constructor { fate: Fate<String> }

type Shelf = List<Item>

type Small = Int where range(max: 3)

data limit: Small = 3

fn sold<T>(items: List<Item>, by: fn(Item) -> Fate<T>) -> Shelf {
  filter(items, i => true)
}
"#;

const TEST: &str = r#"module shop.stock_test

import shop.stock { limit }

data helper: Int = 3

// Three is <all>.
test fn three_is_the_limit() -> Bool { limit == helper }
"#;

/// The ids of a page of HTML, and where its links lead.
fn ids_and_links(text: &str) -> (Vec<String>, Vec<String>) {
    let all = |key: &str| -> Vec<String> {
        let start = format!(" {key}=\"");
        let pieces = text.split(&start).skip(1);
        let value = |piece: &str| piece[..piece.find('"').unwrap()].to_owned();
        pieces.map(value).collect()
    };
    let mut links = all("href");
    links.extend(all("src"));
    (all("id"), links)
}
