//! That the generated models are what they should be: each parses, is in the one layout, has no
//! mistake, and comes to what the computation in plain Rust says.

use crate::corpus;
use crate::files::File;
use crate::fleet::Model;
use crate::language::{self, Hayward, Language as _, Shape};
use dag_analysis::{Checked, Library, check};
use dag_eval::{Evaluator, run_witnesses, to_json_text};
use dag_syntax::{Sources, Style, Tree, format, parse, render_text};
use hayward_project::library;
use serde_json::Value;
use std::sync::Arc;

/// Checks files beside the library, and says what is wrong with them.
fn checked(files: &[File]) -> (Checked, Sources, String) {
    let own = files.iter();
    let own = own.map(|file| (file.path.as_str(), file.text.as_str()));
    let (sources, inputs) = dag_given::texts_beside(library(), own);
    let checked = check(&sources, &inputs, Library::Whole);
    let mistakes: String = checked
        .diagnostics
        .iter()
        .take(5)
        .map(|d| render_text(d, &sources, Style::Plain))
        .collect();
    (checked, sources, mistakes)
}

/// What `bench.main.output` comes to, or why it does not.
fn outcome(files: &[File]) -> Result<Value, String> {
    let (checked, _, mistakes) = checked(files);
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    let output = checked
        .program
        .decl_named("bench.main", "output")
        .ok_or("there is no bench.main.output")?;
    let evaluator = Evaluator::new(Arc::new(checked.program));
    let value = evaluator
        .evaluate(output)
        .map_err(|refusal| refusal.to_diagnostic().message)?
        .value;
    let json = to_json_text(evaluator.program(), &value).map_err(|e| e.to_string())?;
    serde_json::from_str(&json).map_err(|e| e.to_string())
}

/// Whether each file is as `hayward fmt` would write it.
fn in_layout(files: &[File]) -> Result<(), String> {
    let mut sources = Sources::default();
    for file in files {
        let text: Arc<str> = file.text.as_str().into();
        let source = sources.add(file.path.as_str(), file.text.as_str());
        let (tree, mistakes): (Tree, _) = parse(source, text);
        if !mistakes.is_empty() || format(&tree) != file.text {
            return Err(format!("{} is not in the layout", file.path));
        }
    }
    Ok(())
}

#[test]
fn the_fleet_comes_to_what_plain_rust_computes() {
    for size in [1, 20] {
        let shape = Shape::Fleet(Model::new(size));
        let files = shape.files(&Hayward);
        assert_eq!(outcome(&files), Ok(shape.output()));
        assert_eq!(in_layout(&files), Ok(()));
    }
}

#[test]
fn an_edit_changes_one_file_and_the_outcome() {
    let model = Model::new(20);
    let plain = Shape::Fleet(model.clone());
    let before = plain.files(&Hayward);
    for (edited, file) in [
        (model.with_leaf_edited(3), "s0020.dag"),
        (model.with_library_edited(3), "render.dag"),
    ] {
        let edited = Shape::Fleet(edited);
        let after = edited.files(&Hayward);
        let changed: Vec<&str> = before
            .iter()
            .zip(&after)
            .filter(|(a, b)| a != b)
            .map(|(_, b)| b.path.as_str())
            .collect();
        assert_eq!(changed, [file]);
        assert_ne!(edited.output(), plain.output());
        assert_eq!(outcome(&after), Ok(edited.output()));
    }
}

#[test]
fn nobody_requires_the_edited_leaf_and_every_other_import_is_real() {
    let model = Model::new(20);
    let text = |number: usize| Hayward.service(&model.services[number - 1]);
    assert!((1..=20).all(|n| !text(n).contains("import bench.s0020")));
    assert!(text(12).contains("import bench.s0006 { s0006 }"));
    assert!(text(12).contains("requires: [s0006.name, s0004.name]"));
    assert!(!text(1).contains("import bench.s"));
}

#[test]
fn the_chain_the_diamond_and_the_short_model_come_to_their_numbers() {
    for shape in [Shape::Chain(30), Shape::Diamond(10), Shape::Short] {
        let files = shape.files(&Hayward);
        assert_eq!(outcome(&files), Ok(shape.output()), "{shape:?}");
        assert_eq!(in_layout(&files), Ok(()), "{shape:?}");
    }
    assert_eq!(Shape::Diamond(10).output()["value"], 512);
}

#[test]
fn the_corpus_stands_and_all_its_witnesses_hold() {
    let size = corpus::Size::of(60);
    let mut files = corpus::files(size);
    assert_eq!(files.len(), 60);
    assert_eq!(
        files,
        corpus::files(size),
        "the same size gives the same text"
    );
    assert_eq!(in_layout(&files), Ok(()));
    for edit in [0, 2] {
        let leaf = corpus::with_leaf_edited(&files, size, edit);
        let at = files.iter().position(|f| f.path == leaf.path);
        let at = at.expect("the leaf is one of the files");
        assert_eq!(files[at] == leaf, edit == 0);
        files[at] = leaf;
        let (checked, _, mistakes) = checked(&files);
        assert_eq!(mistakes, "");
        let evaluator = Evaluator::new(Arc::new(checked.program));
        let report = run_witnesses(&evaluator, |_, _| true, 1);
        assert!(report.holds());
        assert_eq!(report.witnesses.len(), size.tests * corpus::WITNESSES);
    }
}

/// The proportions of the founding corpus, seen on a part of it.
#[test]
fn the_corpus_has_the_shape_it_is_said_to_have() {
    let founding = corpus::Size::FOUNDING;
    assert_eq!(founding.domains + founding.tests, 5_000);
    assert_eq!(founding.tests * corpus::WITNESSES, 28_000);
    let files = corpus::files(corpus::Size::of(400));
    let lines: usize = files.iter().map(|f| f.text.lines().count()).sum();
    let imports: usize = files
        .iter()
        .map(|f| f.text.matches("\nimport ").count())
        .sum();
    assert!(
        (230..=250).contains(&(lines / files.len())),
        "{}",
        lines / files.len()
    );
    assert!(
        (60..=70).contains(&(imports * 10 / files.len())),
        "{imports}"
    );
}

#[test]
fn the_long_file_has_its_lines_and_formatting_it_loses_nothing() {
    for lines in [450, 4_500] {
        let file = language::long_file(&Hayward, lines);
        let count = file.text.lines().count();
        assert!(count.abs_diff(lines) * 50 < lines, "{count}");
        let mut sources = Sources::default();
        let source = sources.add(file.path.as_str(), file.text.as_str());
        let (tree, mistakes) = parse(source, file.text.as_str().into());
        assert!(mistakes.is_empty());
        let formatted = format(&tree);
        assert_ne!(formatted, file.text);
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words(&formatted), words(&file.text));
    }
}
