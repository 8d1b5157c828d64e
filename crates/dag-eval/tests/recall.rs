//! What earlier runs came to is taken from there, and changes neither a value nor a step.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used)] // a test's own set-up

mod source;

use dag_analysis::Digest;
use dag_eval::{Evaluator, Limits, Recollection, display};
use source::evaluator_of;
use std::sync::Arc;

const LIMITS: Limits = Limits {
    steps: 500_000_000,
    text_bytes: 256 << 20,
    list_items: 50_000_000,
    value_bytes: 2 << 30,
    calls: 10_000_000,
    stack_values: 100_000_000,
    shared_steps: 0,
};

/// A digest that stands for a module's text: of its name and the texts up to it.
fn reaches(evaluator: &Evaluator, files: &[(&str, &str)]) -> Vec<Digest> {
    let modules = evaluator.program().modules.iter();
    modules
        .map(|module| {
            let file = format!("{}.dag", module.name);
            let mut hash = blake3::Hasher::new();
            hash.update(module.name.as_str().as_bytes());
            // In these tests a file may reach itself and those before it.
            for (path, text) in files {
                hash.update(text.as_bytes());
                if *path == file {
                    break;
                }
            }
            *hash.finalize().as_bytes()
        })
        .collect()
}

struct Run {
    said: String,
    steps: u64,
    /// What it left.
    batch: Option<Vec<u8>>,
}

fn run(files: &[(&str, &str)], name: &str, batches: &[Vec<u8>]) -> Run {
    run_within(files, name, batches, LIMITS)
}

fn run_within(files: &[(&str, &str)], name: &str, batches: &[Vec<u8>], limits: Limits) -> Run {
    let past = Arc::new(Recollection::of(batches.to_vec()));
    let evaluator = evaluator_of(files, limits);
    let reaches = reaches(&evaluator, files);
    let evaluator = evaluator.recalling(Arc::clone(&past), reaches);
    let (module, name) = name.rsplit_once('.').unwrap();
    let decl = evaluator.program().decl_named(module, name).unwrap();
    let outcome = evaluator.evaluate(decl);
    let (said, steps) = match outcome {
        Ok(outcome) => (display(evaluator.program(), &outcome.value), outcome.steps),
        Err(refusal) => (refusal.to_string(), 0),
    };
    Run {
        said,
        steps,
        batch: past.take_fresh(),
    }
}

fn alone(files: &[(&str, &str)], name: &str) -> (String, u64) {
    let evaluator = evaluator_of(files, Limits::default());
    let (module, name) = name.rsplit_once('.').unwrap();
    let decl = evaluator.program().decl_named(module, name).unwrap();
    match evaluator.evaluate(decl) {
        Ok(outcome) => (display(evaluator.program(), &outcome.value), outcome.steps),
        Err(refusal) => (refusal.to_string(), 0),
    }
}

const LIB: &str = "module lib\n\
    type Row { n: Int, word: String }\n\
    fn row(n: Int) -> Row { Row { n: n, word: join(map(range(0, 20), k => \"{k * n}\"), \"-\") } }\n\
    data base: Int = 7\n";

const MAIN: &str = "module main\n\
    import lib { Row, base, row }\n\
    data rows: List<Row> = map(range(0, 200), n => row(n: n + base))\n\
    data total: Int = fold(rows, 0, (sum, r) => sum + r.n + length(r.word))\n";

#[test]
fn a_second_run_takes_everything_from_the_first() {
    let files = [("lib.dag", LIB), ("main.dag", MAIN)];
    let first = run(&files, "main.total", &[]);
    assert_eq!(
        (first.said.clone(), first.steps),
        alone(&files, "main.total")
    );
    let second = run(&files, "main.total", &[first.batch.unwrap()]);
    assert_eq!((second.said, second.steps), (first.said, first.steps));
    assert_eq!(second.batch, None);
}

#[test]
fn an_edit_of_the_caller_leaves_the_calls() {
    let files = [("lib.dag", LIB), ("main.dag", MAIN)];
    let first = run(&files, "main.total", &[]).batch.unwrap();
    let edited = MAIN.replace("n + base", "n + base + 1");
    let files = [("lib.dag", LIB), ("main.dag", edited.as_str())];
    let second = run(&files, "main.total", std::slice::from_ref(&first));
    assert_eq!((second.said, second.steps), alone(&files, "main.total"));
    // All rows but one were made before; the two items of this module are new.
    let (new, old) = (second.batch.unwrap().len(), first.len());
    assert!(new < old, "{new} of {old}");
    let third = run(&files, "main.rows", std::slice::from_ref(&first));
    assert_eq!((third.said, third.steps), alone(&files, "main.rows"));
}

#[test]
fn an_edit_of_what_is_called_leaves_nothing_of_it() {
    let files = [("lib.dag", LIB), ("main.dag", MAIN)];
    let first = run(&files, "main.total", &[]).batch.unwrap();
    for edited in [
        LIB.replace("k * n", "k * n + 1"),
        LIB.replace("Int = 7", "Int = 8"),
        LIB.replace(
            "type Row { n: Int, word: String }",
            "type Row { word: String, n: Int }",
        ),
    ] {
        let files = [("lib.dag", edited.as_str()), ("main.dag", MAIN)];
        let second = run(&files, "main.total", std::slice::from_ref(&first));
        assert_eq!((second.said, second.steps), alone(&files, "main.total"));
    }
}

#[test]
fn batches_are_joined_and_what_is_not_current_goes() {
    let files = [("lib.dag", LIB), ("main.dag", MAIN)];
    let first = run(&files, "main.rows", &[]).batch.unwrap();
    let more = run(&files, "main.total", std::slice::from_ref(&first))
        .batch
        .unwrap();
    let past = Recollection::of(vec![first.clone(), more.clone()]);
    let whole = past.current(|_| true);
    let bytes: usize = whole.iter().map(Vec::len).sum();
    assert_eq!(bytes, first.len() + more.len());
    assert_eq!(run(&files, "main.total", &whole).batch, None);
    assert_eq!(past.current(|_| false), Vec::<Vec<u8>>::new());
}

#[test]
fn bytes_that_are_no_batch_are_passed_over() {
    let files = [("lib.dag", LIB), ("main.dag", MAIN)];
    let first = run(&files, "main.total", &[]);
    let batch = first.batch.unwrap();
    for end in (0..batch.len()).step_by(97) {
        let cut = batch[..end].to_vec();
        let second = run(&files, "main.total", &[cut]);
        assert_eq!(
            (&second.said, second.steps),
            (&first.said, first.steps),
            "{end}"
        );
    }
}

#[test]
fn a_refusal_is_told_with_its_places_every_time() {
    let main = MAIN.replace("n + base)", "100 / (n - 150))");
    let files = [("lib.dag", LIB), ("main.dag", main.as_str())];
    let first = run(&files, "main.total", &[]);
    assert_eq!(first.said, alone(&files, "main.total").0);
    let second = run(&files, "main.total", &[first.batch.unwrap_or_default()]);
    assert_eq!(second.said, first.said);
}

#[test]
fn functions_and_records_without_a_name_are_made_again() {
    let main = "module main\n\
        fn pick(n: Int) -> fn(Int) -> Int {\n let far = sum(range(0, n))\n k => k + far\n }\n\
        data all: List<Int> = map(map(range(0, 100), n => pick(n: n)), f => f(1))\n\
        data named: List<{ n: Int }> = map(range(0, 100), n => { n: sum(range(0, n)) })\n";
    let files = [("main.dag", main)];
    for name in ["main.all", "main.named"] {
        let first = run(&files, name, &[]);
        assert_eq!((first.said.clone(), first.steps), alone(&files, name));
        let second = run(&files, name, &[first.batch.unwrap_or_default()]);
        assert_eq!((second.said, second.steps), (first.said, first.steps));
    }
}

#[test]
fn a_call_is_recalled_where_it_has_the_depth_that_it_needs() {
    let main = "module main\n\
        fn deep(n: Nat) -> Int { if n == 0 { 0 } else { deep(n - 1) + 1 } }\n\
        fn f(k: Nat) -> Int { if k < 60 { deep(20) } else { deep(900) + k } }\n\
        fn total(count: Nat) -> Int { sum(map(range(0, count), k => f(k))) }\n\
        fn below(n: Nat) -> Int { if n == 0 { total(62) } else { below(n - 1) + 1 } }\n\
        data high: Int = total(62)\n\
        data low: Int = below(500)\n";
    let files = [("main.dag", main)];
    let limits = Limits {
        calls: 1_000,
        ..LIMITS
    };
    let high = run_within(&files, "main.high", &[], limits);
    assert!(!high.said.contains("E0807"), "{}", high.said);
    let cold = run_within(&files, "main.low", &[], limits);
    assert!(cold.said.contains("E0807"), "{}", cold.said);
    let warm = run_within(&files, "main.low", &[high.batch.unwrap()], limits);
    assert_eq!(warm.said, cold.said);
}

#[test]
fn a_value_that_shares_its_parts_is_made_again() {
    let main = "module main\n\
        fn doubled(xs: List<String>, n: Nat) -> List<String> { if n == 0 { xs } else { doubled(xs + xs, n - 1) } }\n\
        fn same(k: Int) -> List<String> { doubled([\"\", \"\", to_string(k)], 12) }\n\
        fn all(count: Int) -> List<List<String>> { map(range(0, count), k => same(k)) }\n\
        fn grown(rows: List<List<String>>) -> Int {\n\
        fold(range(0, 200), 0, (sum, k) => sum + length(range(0, 20_000))) + length(rows)\n}\n\
        data one: Int = grown(all(80))\n\
        data two: Int = grown(all(80)) + 1\n";
    let files = [("main.dag", main)];
    let limits = Limits {
        value_bytes: 16 << 20,
        ..LIMITS
    };
    let one = run_within(&files, "main.one", &[], limits);
    assert_eq!(one.said, "4000080");
    let cold = run_within(&files, "main.two", &[], limits);
    let warm = run_within(&files, "main.two", &[one.batch.unwrap()], limits);
    assert_eq!((warm.said, warm.steps), (cold.said, cold.steps));
}

#[test]
fn much_is_handed_over_before_the_end_and_nothing_is_left_out() {
    let text = "module lib\nfn row(n: Int) -> List<Int> { map(range(0, 200), k => k * n) }\n";
    let main = "module main\nimport lib { row }\n\
                data rows: List<List<Int>> = map(range(0, 4000), n => row(n: n))\n\
                data total: Int = sum(map(rows, r => sum(r)))\n";
    let files = [("lib.dag", text), ("main.dag", main)];
    let given = Arc::new(std::sync::Mutex::new(Vec::new()));
    let taken = Arc::clone(&given);
    let past = Recollection::default().handing_over(move |batch| {
        taken.lock().unwrap().push(batch);
    });
    let past = Arc::new(past);
    let evaluator = evaluator_of(&files, LIMITS);
    let reaches = reaches(&evaluator, &files);
    let evaluator = evaluator.recalling(Arc::clone(&past), reaches);
    let decl = evaluator.program().decl_named("main", "total").unwrap();
    evaluator.evaluate(decl).unwrap();
    let mut batches = given.lock().unwrap().clone();
    assert!(batches.len() > 1, "{} batches", batches.len());
    batches.extend(past.take_fresh());
    let second = run(&files, "main.total", &batches);
    let first = alone(&files, "main.total");
    assert_eq!((second.said, second.steps), first);
    assert_eq!(second.batch, None);
}
