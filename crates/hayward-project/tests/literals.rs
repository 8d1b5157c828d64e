//! A literal whose type names a predicate is judged in every run, or known from an earlier one
//! of the same texts: with the store and without it, the same is said.
#![allow(clippy::unwrap_used)] // a test's own set-up

use dag_analysis::core::{ModuleId, Program};
use dag_analysis::{File, Library, check};
use dag_eval::Evaluator;
use dag_syntax::{Sources, Style, render_text};
use hayward_project::{Loaded, Roots, Texts, library};
use hayward_store::{Place, Store};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

const SHAPES: &str =
    "module shapes\n\nfn fits(n: Int) -> Bool = n % 2 == 0\n\ntype Fit = Int where fits\n";

/// A project, and where its store is.
struct Project {
    models: TempDir,
    store: TempDir,
}

/// What a run did, and what it said.
#[derive(Debug, PartialEq)]
struct Run {
    said: Vec<String>,
    checked: u64,
    restored: u64,
    judged: usize,
}

impl Project {
    /// Of `count` modules with a literal each, beside one without any.
    fn new(count: usize) -> Self {
        let project = Self {
            models: tempfile::tempdir().unwrap(),
            store: tempfile::tempdir().unwrap(),
        };
        project.write("shapes.dag", SHAPES);
        project.write("plain.dag", "module plain\n\ndata it: Int = 1\n");
        for n in 0..count {
            project.write(&format!("m{n}.dag"), &user(n, "2"));
        }
        project
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.models.path().join(name), text).unwrap();
    }

    fn open(&self) -> Store {
        let place = Place::Folder(self.store.path().join("store"));
        Store::open(&place, "build", Store::LIMIT).unwrap()
    }

    fn run(&self) -> Run {
        let run = load(self.models.path(), &self.open());
        assert_eq!(run.said, load(self.models.path(), &Store::OFF).said);
        run
    }
}

fn user(n: usize, literal: &str) -> String {
    format!("module m{n}\n\nimport shapes {{ Fit }}\n\ndata it: List<Fit> = [{literal}]\n")
}

/// As `hayward check` does: the program is not asked for.
fn load(folder: &Path, store: &Store) -> Run {
    let roots = Roots::find(&[folder.to_owned()]).unwrap();
    let texts = Texts::read(&roots).unwrap();
    let loaded = texts.check(Library::Loaded, store, |_| false);
    assert_eq!(store.finish(Duration::ZERO), None);
    Run {
        said: said(&loaded, folder),
        checked: loaded.checked.work.checked,
        restored: loaded.checked.work.restored,
        judged: loaded.judged,
    }
}

/// The first line of each mistake.
fn said(loaded: &Loaded, folder: &Path) -> Vec<String> {
    let text = |d| render_text(d, &loaded.sources, Style::Plain);
    let first = |text: String| text.lines().next().unwrap().to_owned();
    let all = loaded.checked.diagnostics.iter().map(|d| first(text(d)));
    all.map(|line| line.replace(&format!("{}/", folder.display()), ""))
        .collect()
}

const NO: &str = "error[E0309]: this is no `Fit`: `fits` does not hold";

#[test]
fn what_is_known_of_a_literal_is_not_asked_again() {
    let project = Project::new(5);
    let first = project.run();
    assert_eq!((first.said, first.judged), (Vec::new(), 5));
    let again = project.run();
    assert_eq!(
        again,
        Run {
            said: Vec::new(),
            checked: 0,
            restored: 0,
            judged: 0
        }
    );
    // One that is edited is judged, and no other.
    project.write("m3.dag", &user(3, "4, 5"));
    let edited = project.run();
    assert_eq!(edited.said, [format!("m3.dag:5:26: {NO}")]);
    assert_eq!((edited.checked, edited.judged), (1, 1));
    // A mistake is found in every run.
    let again = project.run();
    assert_eq!(again.said, edited.said);
    assert_eq!((again.checked, again.judged), (0, 1));
}

#[test]
fn an_edit_of_a_predicate_judges_the_literals_of_modules_that_are_kept() {
    let project = Project::new(5);
    project.run();
    project.write("shapes.dag", &SHAPES.replace("== 0", "== 1"));
    let edited = project.run();
    let all: Vec<String> = (0..5).map(|n| format!("m{n}.dag:5:23: {NO}")).collect();
    assert_eq!(edited.said, all);
    // The interface is the same: nothing else is checked.
    assert_eq!((edited.checked, edited.judged), (1, 5));
    project.write("shapes.dag", SHAPES);
    assert_eq!(project.run().said, Vec::<String>::new());
}

#[test]
fn a_predicate_is_followed_through_what_it_calls() {
    let project = Project::new(1);
    let limit = |n| format!("module limit\n\ndata least: Int = {n}\n");
    project.write("limit.dag", &limit(0));
    let shapes = SHAPES.replace("\n\nfn", "\n\nimport limit { least }\n\nfn");
    project.write("shapes.dag", &shapes.replace("n % 2 == 0", "n > least"));
    assert_eq!(project.run().said, Vec::<String>::new());
    project.write("limit.dag", &limit(9));
    let edited = project.run();
    assert_eq!(edited.said, [format!("m0.dag:5:23: {NO}")]);
    assert_eq!((edited.checked, edited.judged), (1, 1));
    assert!(edited.restored > 0, "{edited:?}");
}

#[test]
fn a_project_without_such_literals_has_no_work_of_them() {
    let project = Project::new(0);
    project.run();
    let again = project.run();
    assert_eq!((again.checked, again.restored, again.judged), (0, 0, 0));
    // Neither has one that imports a module of the library which has some.
    project.write(
        "yaml.dag",
        "module mine\n\nimport std.yaml { Value }\n\ndata it: Value? = none\n",
    );
    assert_eq!(project.run().judged, 0);
}

#[test]
fn every_literal_of_the_library_holds() {
    let mut sources = Sources::default();
    let file = |(path, text)| File {
        source: sources.add(path, text),
        library: true,
    };
    let files: Vec<File> = library().map(file).collect();
    let checked = check(&sources, &files, Library::Whole);
    let modules = (0..).map(ModuleId).zip(&checked.modules);
    let claims: Vec<ModuleId> = modules
        .filter(|(_, m)| m.claims)
        .map(|(id, _)| id)
        .collect();
    assert!(!claims.is_empty(), "nothing is judged");
    let modules = checked.program.modules.clone();
    let evaluator = Evaluator::new(Arc::new(Program { modules }));
    for id in claims {
        let mistakes = evaluator.judge(id).into_iter();
        let shown: Vec<String> = mistakes
            .map(|d| render_text(&d, &sources, Style::Plain))
            .collect();
        assert_eq!(shown.join("\n"), "");
    }
}
