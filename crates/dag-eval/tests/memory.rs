//! What an evaluation holds at once is limited, and what it lets go of does not count.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used)] // a test whose declaration is not there has failed

mod source;

use dag_eval::{Answer, Evaluator, Limits, Operations, Reply, Request, display};
use peak_alloc::PeakAlloc;
use source::{evaluator_of, outcome};
use std::sync::{Arc, Mutex, PoisonError};

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// One evaluation at a time, so that the heap is its own.
static TURN: Mutex<()> = Mutex::new(());

const LIMIT: usize = 16 << 20;

fn evaluator(text: &str, limits: Limits) -> Evaluator {
    evaluator_of(&[("m.dag", &format!("module m\n{text}\n"))], limits)
}

/// What is said of `it` where so many bytes may be held, and how many were.
fn held(text: &str, value_bytes: usize) -> (String, usize) {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let limits = Limits {
        value_bytes,
        ..Limits::default()
    };
    let evaluator = evaluator(text, limits);
    let before = HEAP.current_usage();
    HEAP.reset_peak_usage();
    let said = match outcome(&evaluator, "it") {
        Ok(_) => "done".to_owned(),
        Err(refusal) => refusal.to_string(),
    };
    (said, HEAP.peak_usage() - before)
}

#[test]
fn what_grows_without_end_is_refused_before_the_machine_is_full() {
    for text in [
        // Lists in lists, each with an owner.
        "data it: List<Int> = fold(0..5_000_000, [], (l, n) => l + [n, n, n])",
        "data it: List<List<Int>> = map(0..5_000_000, n => [n])",
        "data it: Int = length(flat_map(0..3000, n => 0..n))",
        "type Chain = | End | Link(Chain)\ndata it: Chain = fold(0..5_000_000, End, (c, n) => Link(c))",
        "data it: List<fn(Int) -> Int> = map(0..5_000_000, n => (x => x + n))",
        "data it: Int = length(filter(0..5_000_000, n => n > 3))",
        "data it: Map<Int, Int> = fold(0..5_000_000, empty_map(), (m, n) => map_insert(m, n, n))",
        "data it: Set<Int> = fold(0..5_000_000, empty_set(), (m, n) => set_insert(m, n))",
        "data it: Map<Int, List<Int>> = group_by(0..5_000_000, n => n)",
        "data it: Map<Int, Int> = index_by(0..5_000_000, n => n)",
        "data it: List<Int> = sort_by(0..5_000_000, n => 0 - n)",
        // Versions of a list that share little.
        "data it: Int = length(fold(0..100_000, Pair { first: [[0]], second: 0..2000 }, (p, n) => Pair { first: p.first + [p.second + [n]], second: p.second }).first)",
        // Texts.
        "fn twice(n: Nat, s: String) -> String = if n == 0 { s } else { twice(n - 1, s + s) }\ndata it: String = twice(60, \"x\")",
        "fn copies(n: Nat, s: String) -> List<String> = if n == 0 { [s] } else { copies(n - 1, s + \"x\") + [s] }\ndata it: Int = length(copies(50_000, repeat(\"y\", 1000)))",
        "data it: Int = length(map(0..50_000, n => \"{n}{repeat(\"y\", 1000)}\"))",
        "data it: Int = length(map(0..50_000, n => to_upper(repeat(\"y\", 1000))))",
    ] {
        let (said, peak) = held(text, LIMIT);
        assert!(
            said.starts_with(
                "E0807: the size in bytes of all that `m.it` holds at once exceeds the limit of"
            ),
            "{text}: {said}"
        );
        // What is copied while it is weighed comes to it.
        assert!(peak < 2 * LIMIT, "{text}: {peak}");
    }
    let (_, peak) = held(
        "fn twice(n: Nat, l: List<Int>) -> List<Int> = if n == 0 { l } else { twice(n - 1, l + l) }\ndata it: Int = length(twice(20, [1, 2]))",
        LIMIT,
    );
    // What is shared counts once.
    assert!(peak < LIMIT / 100, "{peak}");
}

/// Whatever a function gives is asked for before it is built.
#[test]
fn no_function_takes_memory_that_was_not_asked_for() {
    let text = "data text: String = repeat(\"word, \", 60_000)
data items: List<Int> = 0..100_000
data pieces: List<String> = split(repeat(\"word, \", 6_000), \" \")
data table: Map<Int, Int> = index_by(0..40_000, n => n)
data few: Set<Int> = set_from_list(0..40_000)
data hundred: List<Int> = 0..100
";
    for call in [
        "reverse(items)",
        "enumerate(items)",
        "zip(items, items)",
        "sort(items)",
        "sort_by(items, n => 0 - n)",
        "dedup(items)",
        "chunks(items, 2)",
        "windows(items, 3)",
        "0..100_000 + k",
        "items + [k]",
        "skip(items, k)",
        "take(items, k * 90)",
        "join(pieces, \"; \")",
        "split(text, \",\")",
        "split(text, \"\")",
        "text.words()",
        "text.lines()",
        "replace(text, \"w\", \"wwwwww\")",
        "trim(text)",
        "trim_start(text)",
        "trim_end(text)",
        "to_upper(text)",
        "to_lower(text)",
        "repeat(text, 2)",
        "substring(text, 1, 300_000)",
        "chars(text)",
        "chars_to_string(items)",
        "to_string(items)",
        "\"{items}\"",
        "text + \"{k}\"",
        "map_entries(table)",
        "map_merge(table, table)",
        "map_insert(table, 0 - k, k)",
        "set_insert(few, 0 - k)",
        "set_union(few, few)",
        "intersect(few, few)",
        "diff(few, empty_set())",
        "set_from_list(items)",
        "map_from_entries(map_entries(table))",
        "map(items, n => n + k)",
        "filter(items, n => n > k)",
        "flat_map(hundred, n => items)",
        "group_by(items, n => n)",
        "partition(items, n => n > 3)",
        "first([k])",
        "(n => n + k)",
    ] {
        // Every one is held.
        let whole = format!("{text}data it: Int = length(map(0..1000, k => [{call}]))");
        let (said, peak) = held(&whole, LIMIT);
        let expected = "E0807: the size in bytes of all that `m.it` holds at once";
        assert!(
            said == "done" || said.starts_with(expected),
            "{call}: {said}"
        );
        // The other items have what they hold besides.
        assert!(peak < 3 * LIMIT, "{call}: {peak}");
    }
}

#[test]
fn what_is_let_go_of_does_not_count() {
    for text in [
        "data it: Int = fold(0..300_000, 0, (sum, n) => sum + length([n, n, n, n]))",
        "data it: Int = fold(0..2000, 0, (sum, n) => sum + length(0..2000))",
        "data it: Int = string_length(fold(0..20_000, \"\", (s, n) => s + \"x\"))",
        "data it: Int = length(fold(0..30_000, [], (l, n) => l + [n]))",
        "data it: Int = map_size(fold(0..30_000, empty_map(), (m, n) => map_insert(m, n, n)))",
        // The value of another `data` item was weighed when that was evaluated.
        "data other: List<Int> = 0..200_000\ndata it: Int = sum(other)",
    ] {
        let (said, peak) = held(text, LIMIT);
        assert_eq!(said, "done", "{text}");
        assert!(peak < 2 * LIMIT, "{text}: {peak}");
    }
}

#[test]
fn what_is_held_is_the_same_on_all_cores() {
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    for text in [
        "data it: List<List<Int>> = map(0..20_000, n => 0..(n % 50))",
        "data it: Int = sum(map(0..2_000, n => length(0..(n * 7))))",
        "data row: List<Int> = 0..1000\ndata it: List<Int> = map(0..3000, n => sum(map(row, k => k + n)))",
    ] {
        for value_bytes in [1 << 19, 1 << 20, 3 << 20, 1 << 22, 1 << 23, 1 << 24] {
            let said = [0, u64::MAX].map(|shared_steps| {
                let limits = Limits {
                    value_bytes,
                    shared_steps,
                    ..Limits::default()
                };
                match outcome(&evaluator(text, limits), "it") {
                    Ok(outcome) => format!("{} steps", outcome.steps),
                    Err(refusal) => format!("{:?}", refusal.to_diagnostic()),
                }
            });
            assert_eq!(said[0], said[1], "{text} in {value_bytes}");
        }
    }
}

/// Gives each reply once.
struct Once(Mutex<Vec<Reply>>);

impl Operations for Once {
    fn perform(&self, _: &Request) -> Answer {
        let reply = self.0.lock().unwrap().pop();
        reply.map_or(Answer::Mock, Answer::Reply)
    }
}

/// What is said of `f` with this reply, and how many bytes were held besides.
fn held_with(reply: Reply) -> (String, usize) {
    let text = r#"module m
service S {
  operation Title {
    output { title: String from "/head/title" }
    transport rest { base_url: "https://x", method: "GET" }
  }
  operation Items {
    output { items: List<String> from "/items" }
    transport rest { base_url: "https://x", method: "GET" }
  }
  operation Body {
    output { body: String from "http_body" }
    transport rest { base_url: "https://x", method: "GET", response_format: "text" }
  }
  operation Lines {
    output { lines: List<String> from "stdout_lines" }
    transport shell { argv: ["/bin/true"] }
  }
}
func title() -> String { S.Title().title }
func items() -> Int { length(S.Items().items) }
func body() -> Int { length(S.Body().body) }
func lines() -> Int { length(S.Lines().lines) }
"#;
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let workflow = match &reply {
        Reply::Exit { .. } => "lines",
        Reply::Http { body, .. } if body.starts_with(b"{\"items") => "items",
        Reply::Http { body, .. } if body.starts_with(b"{") => "title",
        _ => "body",
    };
    let limits = Limits {
        value_bytes: LIMIT,
        ..Limits::default()
    };
    let evaluator = evaluator_of(&[("m.dag", text)], limits);
    let evaluator = evaluator.with_operations(Arc::new(Once(Mutex::new(vec![reply]))));
    let decl = evaluator.program().decl_named("m", workflow).unwrap();
    let before = HEAP.current_usage();
    HEAP.reset_peak_usage();
    let said = match evaluator.call(decl, Vec::new()) {
        Ok(outcome) => display(evaluator.program(), &outcome.value),
        Err(refusal) => refusal.to_string(),
    };
    (said, HEAP.peak_usage() - before)
}

#[test]
fn what_came_back_takes_the_memory_of_what_is_read_of_it() {
    let http = |body: String| Reply::Http {
        status: 200,
        headers: Vec::new(),
        body: body.into_bytes(),
    };
    let nested = format!("{}0{}", "{\"\":".repeat(100), "}".repeat(100));
    let many = vec![nested.as_str(); 10_000].join(",");
    let (said, peak) = held_with(http(format!(
        "{{\"head\":{{\"title\":\"t\"}},\"n\":[{many}]}}"
    )));
    assert_eq!(said, "t");
    assert!(peak < LIMIT / 100, "{peak}");
    // What cannot be held is refused before it is built.
    let empty = vec!["\"\""; 1_000_000].join(",");
    for reply in [
        http(format!("{{\"items\":[{empty}]}}")),
        http("x".repeat(LIMIT)),
        Reply::Exit {
            status: 0,
            stdout: vec![b'\n'; 1_000_000],
            stderr: Vec::new(),
        },
    ] {
        let (said, peak) = held_with(reply);
        assert!(said.starts_with("E0807: the size in bytes of"), "{said}");
        assert!(peak < LIMIT / 100, "{peak}");
    }
}
