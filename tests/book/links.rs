//! Where the links of the documentation lead.

use crate::book::{folder, pages, root};
use dag_book::Page;
use dag_syntax::Code;
use std::fmt::Write as _;
use std::path::Path;

/// Each link of a page that leads nowhere, as the reason.
fn broken(path: &Path, text: &str) -> Vec<String> {
    let mut broken = Vec::new();
    for link in Page::read(text).links {
        if link.to.contains("://") || link.to.starts_with("mailto:") {
            continue;
        }
        let (file, anchor) = link.to.split_once('#').unwrap_or((&link.to, ""));
        let target = if file.is_empty() {
            path.to_owned()
        } else {
            path.parent().unwrap().join(file)
        };
        if !target.exists() {
            broken.push(format!("line {}: there is no {}", link.line, link.to));
            continue;
        }
        if anchor.is_empty() {
            continue;
        }
        let there = match target == path {
            true => text.to_owned(),
            false => std::fs::read_to_string(&target).unwrap_or_default(),
        };
        if !Page::read(&there).anchors().iter().any(|a| a == anchor) {
            broken.push(format!("line {}: {file} has no #{anchor}", link.line));
        }
    }
    broken
}

#[test]
fn every_link_leads_somewhere() {
    let mut all = pages();
    let mut more = vec![root().join("README.md")];
    for entry in std::fs::read_dir(root().join("docs")).unwrap() {
        more.push(entry.unwrap().path());
    }
    for path in more.into_iter().filter(|p| p.is_file()) {
        let text = std::fs::read_to_string(&path).unwrap();
        all.push((path, text));
    }
    let mut report = String::new();
    for (path, text) in all {
        for link in broken(&path, &text) {
            let _ = writeln!(report, "{}, {link}", path.display());
        }
    }
    assert!(report.is_empty(), "\n{report}");
}

#[test]
fn a_link_to_nowhere_is_seen() {
    let path = folder().join("README.md");
    let broken = |text: &str| broken(&path, text);
    assert!(
        broken("# Here\n\n[a](README.md), [b](#here), [c](https://x.example/y#z)\n").is_empty()
    );
    let found = broken("# Here\n\n[a](nothing.md)\n[b](#there)\n[c](README.md#no-such-heading)\n");
    assert_eq!(found.len(), 3, "{found:?}");
}

/// The table of contents names every page, and the table of codes every code
/// with its rule.
#[test]
fn the_tables_are_whole() {
    let contents = std::fs::read_to_string(folder().join("README.md")).unwrap();
    let links: Vec<String> = Page::read(&contents)
        .links
        .into_iter()
        .map(|l| l.to)
        .collect();
    for (path, _) in pages() {
        let name = path.strip_prefix(folder()).unwrap().display().to_string();
        if name != "README.md" && !name.starts_with("diagnostics/") {
            assert!(links.contains(&name), "the contents do not name {name}");
        }
    }
    let codes = std::fs::read_to_string(folder().join("diagnostics.md")).unwrap();
    for code in Code::ALL {
        let row = format!("| [{code}](diagnostics/{code}.md) | {} |", code.rule());
        assert!(codes.contains(&row), "diagnostics.md has no row\n{row}");
    }
}

/// Codes that are the last wall behind a check: no model comes to them, and their
/// pages show what the check says.
const BEHIND_A_CHECK: [(Code, Code); 2] = [
    (Code::FunctionCompared, Code::BadOperand),
    (Code::KeyRefused, Code::BadKey),
];

/// A code's page shows that code: its example gives it, and the cure does not.
#[test]
fn the_example_of_a_code_gives_that_code() {
    for code in Code::ALL {
        let explained = dag_book::explanation(*code).unwrap();
        let said = |blocks: &[dag_book::Block]| {
            let claims = blocks.iter().filter(|b| b.mark() != "dag");
            claims.map(|b| b.text.as_str()).collect::<String>()
        };
        let before = BEHIND_A_CHECK.iter().find(|(behind, _)| behind == code);
        let code = before.map_or(code, |(_, check)| check);
        let wanted = [format!("[{code}]"), format!("error: {code}:")];
        let gives = |text: &str| wanted.iter().any(|w| text.contains(w.as_str()));
        assert!(
            gives(&said(&explained.example)),
            "{code}: the example gives another code"
        );
        assert!(
            !gives(&said(&explained.cured)),
            "{code}: the cure gives it too"
        );
    }
}
