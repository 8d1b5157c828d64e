//! Models to start from: the repository's own, the book's, and what earlier runs found.

use crate::case::{Case, SourceFile};
use dag_book::Page;
use dag_syntax::{Node, SourceId, parse};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// The root of the repository.
#[must_use]
pub fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Where finds are kept.
#[must_use]
pub fn finds_folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

/// The cases that earlier runs found, each with its file's name.
///
/// # Errors
/// A file that cannot be read.
pub fn finds() -> io::Result<Vec<(String, Case)>> {
    let mut finds = Vec::new();
    for path in files(&finds_folder(), "case")? {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        finds.push((
            name.into_owned(),
            Case::read(&std::fs::read_to_string(&path)?),
        ));
    }
    Ok(finds)
}

/// Every seed, the finds included. Each holds what it imports, but for the kernel of the library,
/// which every check has.
///
/// # Errors
/// A file that cannot be read.
pub fn seeds() -> io::Result<Vec<Case>> {
    let mut seeds = Vec::new();
    // The two fleets have modules of the same names.
    for folders in [
        &["tests/dialect", "lib/host", "lib/systemd"][..],
        &["lib", "fleets/commons"],
        &["fleets/starter", "lib"],
    ] {
        let known = models(folders)?;
        let first = folders.first().copied().unwrap_or("");
        for (path, _) in known.values().filter(|(path, _)| path.starts_with(first)) {
            seeds.push(closure(path, &known));
        }
    }
    seeds.extend(book()?);
    seeds.extend(finds()?.into_iter().map(|(_, case)| case));
    Ok(seeds)
}

/// Paths and texts of models by the names of their modules.
type Models = BTreeMap<String, (String, String)>;

fn models(folders: &[&str]) -> io::Result<Models> {
    let root = root();
    let mut known = Models::new();
    for folder in folders {
        for path in files(&root.join(folder), "dag")? {
            let shown = path.strip_prefix(&root).unwrap_or(&path);
            let shown = shown.to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path)?;
            // The kernel of the library is there already; its witnesses are not.
            let kernel = shown.starts_with("lib/std/") && !shown.ends_with("_test.dag");
            if let Some(name) = module_and_imports(&text).0.filter(|_| !kernel) {
                known.insert(name, (shown, text));
            }
        }
    }
    Ok(known)
}

/// A file with all that it imports.
fn closure(path: &str, known: &Models) -> Case {
    let by_path = known.values().find(|(known, _)| known == path);
    let mut taken: Vec<&(String, String)> = by_path.into_iter().collect();
    let mut at = 0;
    while let Some((_, text)) = taken.get(at) {
        for import in module_and_imports(text).1 {
            if let Some(file) = known.get(&import)
                && !taken.contains(&file)
            {
                taken.push(file);
            }
        }
        at += 1;
    }
    let mut case = Case::default();
    for (path, text) in taken {
        case.write(path, text);
    }
    case
}

/// The name on a text's `module` line, and the modules that it imports.
fn module_and_imports(text: &str) -> (Option<String>, Vec<String>) {
    let (tree, _) = parse(SourceId(0), text.into());
    let path = |node| {
        tree.child(node, Node::Path)
            .map(|path| tree.text(path).to_owned())
    };
    let name = tree.child(tree.root(), Node::ModuleLine).and_then(path);
    let imports = tree.children_of(tree.root(), Node::Import);
    (name, imports.filter_map(path).collect())
}

/// The cases of the book: the files of each section.
fn book() -> io::Result<Vec<Case>> {
    let mut cases = Vec::new();
    for path in files(&root().join("docs/language"), "md")? {
        for section in Page::read(&std::fs::read_to_string(&path)?).sections {
            let mut case = Case::default();
            for block in section.blocks.iter().filter(|block| block.mark() == "dag") {
                let named = block.words().find(|word| word.ends_with(".dag"));
                let numbered = format!("m{}.dag", case.writes.len());
                case.write(named.unwrap_or(&numbered), &block.text);
            }
            if !case.writes.is_empty() {
                cases.push(case);
            }
        }
    }
    Ok(cases)
}

/// All files below a folder that end so, in the order of their paths.
fn files(folder: &Path, extension: &str) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut todo = vec![folder.to_owned()];
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            for entry in std::fs::read_dir(&path)? {
                todo.push(entry?.path());
            }
        } else if path.extension().is_some_and(|e| e == extension) {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// The bytes of all files of a case.
#[must_use]
pub fn size(case: &Case) -> usize {
    let texts = case.writes.iter().map(|SourceFile { text, .. }| text.len());
    texts.sum()
}
