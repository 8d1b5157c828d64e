//! After an edit, an evaluation does what the edit changes, and gives what one from nothing
//! gives.
#![allow(clippy::unwrap_used)] // a test's own set-up

use dag_analysis::{Library, check_expression};
use dag_eval::display;
use dag_syntax::SourceId;
use hayward_project::{Outcomes, Roots, load};
use hayward_store::{Place, Store};
use std::path::Path;
use std::sync::Arc;

const PARTS: usize = 60;

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), text).unwrap();
}

fn part(n: usize, by: usize) -> String {
    format!(
        "module part{n}\n\nimport shape {{ Part }}\n\ndata part{n}: Part = Part {{ n: {n}, by: {by} }}\n"
    )
}

fn project(folder: &Path) {
    write(
        folder,
        "shape.dag",
        "module shape\n\ntype Part { n: Int, by: Int }\n\n\
         fn text(part: Part) -> String {\n  join(map(range(0, 40), k => \"{k * part.n + part.by}\"), \" \")\n}\n",
    );
    let mut main = String::from("module main\n\nimport shape { Part, text }\n");
    for n in 0..PARTS {
        write(folder, &format!("part{n}.dag"), &part(n, 1));
        main += &format!("import part{n} {{ part{n} }}\n");
    }
    main += "\ndata parts: List<Part> = [\n";
    for n in 0..PARTS {
        main += &format!("  part{n}\n");
    }
    main += "]\n\ndata all: List<String> = map(parts, p => text(part: p))\n";
    write(folder, "main.dag", &main);
}

struct Run {
    said: String,
    steps: u64,
    checked: u64,
    restored: u64,
}

fn run(folder: &Path, store: &Store) -> Run {
    let roots = Roots::find(&[folder.to_owned()]).unwrap();
    let mut loaded = load(&roots, Library::Loaded, store).unwrap();
    assert!(loaded.checked.is_sound());
    let source = loaded.sources.add("<expression>", "main.all");
    let library = |source: SourceId| !loaded.is_own(source);
    let program = &loaded.checked.program;
    let checked = check_expression(program, &loaded.sources, source, library).unwrap();
    let outcomes = Outcomes::of(&loaded.project, store);
    let program = Arc::new(checked.program);
    let evaluated = outcomes.evaluate(&program, &loaded.checked, checked.decl);
    let outcome = evaluated.unwrap();
    let run = Run {
        said: display(&program, &outcome.value),
        steps: outcome.steps,
        checked: loaded.checked.work.checked,
        restored: program.modules.work().map_or(0, |work| work.restored),
    };
    outcomes.put(&loaded.project, &loaded.checked, store);
    assert_eq!(store.finish(std::time::Duration::ZERO), None);
    run
}

#[test]
fn an_edited_leaf_brings_few_modules_and_many_edits_bring_no_more() {
    let folder = tempfile::tempdir().unwrap();
    let models = folder.path().join("models");
    std::fs::create_dir(&models).unwrap();
    project(&models);
    let place = Place::Folder(folder.path().join("store"));
    let store = || Store::open(&place, "build", Store::LIMIT).unwrap();
    let first = run(&models, &store());
    assert_eq!(first.checked, PARTS as u64 + 4);
    // More of them than batches are kept.
    for edit in 0..36 {
        let name = format!("part{}.dag", edit % PARTS);
        write(&models, &name, &part(edit % PARTS, edit + 2));
        let warm = run(&models, &store());
        let cold = run(&models, &Store::OFF);
        assert_eq!((&warm.said, warm.steps), (&cold.said, cold.steps), "{edit}");
        assert_eq!(warm.checked, 1, "{edit}");
        // The two that every module knows, the one with the shapes, and the main one.
        assert!(warm.restored <= 4, "{edit}: {}", warm.restored);
    }
}

#[test]
fn what_is_kept_is_bounded_and_lost_batches_cost_time_alone() {
    let folder = tempfile::tempdir().unwrap();
    let models = folder.path().join("models");
    std::fs::create_dir(&models).unwrap();
    project(&models);
    let place = Place::Folder(folder.path().join("store"));
    // Too small for anything to stay.
    let tiny = Store::open(&place, "build", 64 << 10).unwrap();
    let first = run(&models, &tiny);
    for edit in 0..3 {
        write(&models, "part0.dag", &part(0, edit + 2));
        let warm = run(&models, &tiny);
        let cold = run(&models, &Store::OFF);
        assert_eq!((&warm.said, warm.steps), (&cold.said, cold.steps), "{edit}");
    }
    write(&models, "part0.dag", &part(0, 1));
    assert_eq!(run(&models, &tiny).said, first.said);
}
