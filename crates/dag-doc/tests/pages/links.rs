//! Every link leads somewhere.

use crate::{SHOP, TEST, ids_and_links, page, texts};
use dag_doc::{Model, Text, html, markdown};
use std::collections::{HashMap, HashSet};

/// The whole library, its tests too, and names of other scripts than ours.
fn large() -> Vec<Text> {
    let other = "module ünter.größe

import shop.stock { Item }

// `Item`, `größe` and `shop.stock`.
type Größe { item: Item, other: shop.stock.Item }

fn größe(g: Größe) -> Größe { g }
";
    let lone = "module lone_test

import shop.stock_test { helper }

// As `helper` has it.
test data yes: Bool = helper == 3

fn twice(n: Int) -> Int { n }
";
    let mut all = texts(&[
        ("stock.dag", SHOP),
        ("stock_test.dag", TEST),
        ("ü.dag", other),
        ("lone_test.dag", lone),
    ]);
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../lib");
    let folder = |path: &std::path::Path| {
        let entries = std::fs::read_dir(path).unwrap();
        let mut paths: Vec<_> = entries.map(|e| e.unwrap().path()).collect();
        paths.sort();
        paths
    };
    for path in folder(root.as_ref()).iter().flat_map(|f| folder(f)) {
        let text = std::fs::read_to_string(&path).unwrap();
        if !all.iter().any(|known| *known.text == *text) {
            all.push(Text {
                path: path.display().to_string(),
                text: text.into(),
                library: true,
            });
        }
    }
    all
}

fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next().unwrap(), rest.next().unwrap()];
            let digits = std::str::from_utf8(&digits).unwrap();
            bytes.push(u8::from_str_radix(digits, 16).unwrap());
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).unwrap()
}

/// A link from a page, as the path of a page and an anchor.
fn target(from: &str, link: &str) -> (String, Option<String>) {
    let (path, anchor) = match link.split_once('#') {
        Some((path, anchor)) => (path, Some(unescaped(anchor))),
        None => (link, None),
    };
    let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
    let path = unescaped(path);
    let path = match (path.strip_prefix("../"), folder) {
        _ if path.is_empty() => from.to_owned(),
        (Some(up), _) => up.to_owned(),
        (None, "") => path,
        (None, folder) => format!("{folder}/{path}"),
    };
    (path, anchor)
}

#[test]
fn every_link_and_anchor_of_html_resolves_and_no_id_is_there_twice() {
    let pages = html(&Model::read("all", &large()));
    let mut ids: HashMap<&str, HashSet<String>> = HashMap::new();
    for page in &pages {
        let own = ids.entry(&page.path).or_default();
        for id in ids_and_links(&page.text).0 {
            assert!(
                own.insert(id.clone()),
                "{}: `{id}` is there twice",
                page.path
            );
        }
    }
    let check = |from: &str, link: &str| {
        let (path, anchor) = target(from, link);
        let there = ids.get(path.as_str());
        let there = there.unwrap_or_else(|| panic!("{from}: {link}"));
        assert!(anchor.is_none_or(|a| there.contains(&a)), "{from}: {link}");
    };
    let mut seen = 0;
    for page in pages.iter().filter(|page| page.path.ends_with(".html")) {
        for link in ids_and_links(&page.text).1 {
            if !link.contains("://") {
                check(&page.path, &link);
                seen += 1;
            }
        }
    }
    assert!(seen > 1000, "{seen}");
    // The search leads to the same places.
    let index = page(&pages, "search-index.js");
    for [_, _, address, _] in rows(&index) {
        check("index.html", &address);
    }
}

/// The rows of the search.
fn rows(index: &str) -> Vec<[String; 4]> {
    let rows = index.strip_prefix("window.haywardIndex = ").unwrap();
    serde_json::from_str(rows.trim_end().strip_suffix(';').unwrap()).unwrap()
}

#[test]
fn the_search_knows_modules_items_and_witnesses() {
    let texts = texts(&[("stock.dag", SHOP), ("stock_test.dag", TEST)]);
    let index = page(&html(&Model::read("shop", &texts)), "search-index.js");
    let all = rows(&index);
    let row = |name: &str| all.iter().find(|row| row[1] == name).unwrap().clone();
    let address = "modules/shop.stock.html";
    assert_eq!(
        row("shop.stock"),
        ["module", "shop.stock", address, "What is sold."]
    );
    assert_eq!(
        row("shop.stock.Fate"),
        [
            "type",
            "shop.stock.Fate",
            &format!("{address}#type.Fate"),
            "What became of it."
        ]
    );
    assert_eq!(
        row("shop.stock.three_is_the_limit")[0],
        "witness",
        "a witness stands with the module that it tests"
    );
}

#[test]
fn every_link_and_anchor_of_markdown_resolves() {
    let pages = markdown(&Model::read("all", &large()));
    let read: HashMap<&str, dag_book::Page> = pages
        .iter()
        .map(|p| (p.path.as_str(), dag_book::Page::read(&p.text)))
        .collect();
    let mut seen = 0;
    for page in &pages {
        for link in &read[page.path.as_str()].links {
            let from = format!("{}:{}: {}", page.path, link.line, link.to);
            let (path, anchor) = target(&page.path, &link.to);
            let there = read.get(path.as_str());
            let there = there.unwrap_or_else(|| panic!("{from}"));
            let anchors = there.anchors();
            assert!(anchor.is_none_or(|a| anchors.contains(&a)), "{from}");
            seen += 1;
        }
    }
    assert!(seen > 500, "{seen}");
}

#[test]
fn every_type_that_a_head_names_is_linked() {
    let pages = html(&Model::read("all", &large()));
    let mut seen = 0;
    for page in pages
        .iter()
        .filter(|page| page.path.starts_with("modules/"))
    {
        for head in page.text.split("<pre class=\"head\"><code>").skip(1) {
            let head = &head[..head.find("</code>").unwrap()];
            let mut bare = String::new();
            let mut rest = head;
            while let Some(at) = rest.find("<a ") {
                bare.push_str(&rest[..at]);
                rest = &rest[rest.find("</a>").unwrap() + 4..];
                seen += 1;
            }
            bare.push_str(rest);
            // Only type parameters lead nowhere, and they are a letter long.
            let words = bare.split(|c: char| !c.is_alphanumeric() && c != '_');
            let is_type = |w: &&str| w.starts_with(char::is_uppercase) && w.len() > 1;
            let declares = ["type ", "service ", "resource "]
                .iter()
                .any(|word| head.starts_with(word));
            assert!(
                declares || !words.into_iter().any(|w| is_type(&w)),
                "{}: {head}",
                page.path
            );
        }
    }
    assert!(seen > 500, "{seen}");
}

#[test]
fn the_order_of_the_texts_does_not_matter() {
    let mut texts = large();
    let first = html(&Model::read("all", &texts));
    texts.reverse();
    assert_eq!(first, html(&Model::read("all", &texts)));
}
