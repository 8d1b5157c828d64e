//! Loops shared by all cores give what they give on one: values, steps and refusals.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used)] // a test whose declaration is not there has failed

mod source;

use dag_eval::{Evaluator, Limits, display};
use source::{evaluator_of, outcome};

/// The outcome of `it`, the steps of every `data` item too, and how many loops and
/// lists were shared.
fn run(text: &str, limits: Limits) -> (String, u64) {
    let text = format!("module m\n{text}\n");
    let evaluator = evaluator_of(&[("m.dag", &text)], limits);
    let mut said = said(&evaluator, "it");
    let module = evaluator.program().module_named("m").unwrap();
    for decl in &module.decls {
        if decl.kind.is_value() && decl.name.as_str() != "it" {
            said += &format!(
                "\n{}: {}",
                decl.name,
                self::said(&evaluator, decl.name.as_str())
            );
        }
    }
    (said, evaluator.shared_loops() + evaluator.shared_lists())
}

fn said(evaluator: &Evaluator, name: &str) -> String {
    match outcome(evaluator, name) {
        Ok(outcome) => format!(
            "{} steps: {}",
            outcome.steps,
            display(evaluator.program(), &outcome.value)
        ),
        Err(refusal) => format!("{:?}", refusal.to_diagnostic()),
    }
}

/// The same on one core and on all of them; how many loops were shared.
fn shared(text: &str, limits: Limits) -> u64 {
    let alone = Limits {
        shared_steps: u64::MAX,
        ..limits
    };
    let eager = Limits {
        shared_steps: 0,
        ..limits
    };
    let (one, none) = run(text, alone);
    let (all, loops) = run(text, eager);
    assert_eq!(one, all, "{text}");
    assert_eq!(none, 0, "{text}");
    loops
}

fn is_shared(text: &str) {
    // On a machine of one core there is nobody to share with.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let loops = shared(text, Limits::default());
    assert!(loops > 0 || cores == 1, "{text}");
}

fn is_not_shared(text: &str) {
    assert_eq!(shared(text, Limits::default()), 0, "{text}");
}

#[test]
fn every_loop_whose_turns_are_independent() {
    is_shared("data it: List<Int> = map(range(0, 500), n => n * n)");
    is_shared(
        "fn square(n: Int) -> Int { n * n }\ndata it: List<Int> = map(range(0, 500), square)",
    );
    is_shared("data it: List<Int> = filter(range(0, 500), n => n % 3 == 0)");
    is_shared("data it: List<Int> = flat_map(range(0, 500), n => [n, 0 - n])");
    is_shared("data it: List<String> = for n in range(0, 500) { \"n{n}\" }");
    is_shared("data it: List<Int> = sort_by(range(0, 500), n => n * 7919 % 500)");
    is_shared("data it: Map<Int, List<Int>> = group_by(range(0, 500), n => n % 7)");
    is_shared(
        "data it: List<Int> = filter_map(range(0, 500), n => if n % 2 == 0 { Present { value: n } } else { none })",
    );
}

#[test]
fn a_loop_in_a_turn_and_what_lies_around_it() {
    is_shared(
        "fn row(by: Int, more: List<Int>) -> List<Int> {\n\
         let twice = by * 2\n\
         map(range(0, 100), n => n * twice + sum(map(range(0, 50), k => k + n)) + length(more))\n}\n\
         data it: Int = sum(row(by: 3, more: [1, 2])) + sum(row(by: 4, more: range(0, 9)))",
    );
}

#[test]
fn what_needs_the_turn_before_is_not_shared() {
    is_not_shared("data it: Int = fold(range(0, 500), 0, (a, n) => a * 31 % 1009 + n)");
    is_not_shared("data it: Bool = any(range(0, 500), n => n == 400)");
    is_not_shared("data it: Int? = find(range(0, 500), n => n == 400)");
}

#[test]
fn data_asked_for_in_a_turn_has_its_own_budget() {
    is_shared(
        "data table: List<Int> = map(range(0, 300), n => n * 3)\n\
         data it: List<Int> = map(range(0, 300), n => n + length(table))",
    );
}

#[test]
fn the_first_refusal_is_the_one_of_the_first_turn_that_has_one() {
    let limits = Limits::default();
    shared(
        "data it: List<Int> = map(range(0, 500), n => 1000 / ((n - 250) * (n - 490)))",
        limits,
    );
    shared(
        "fn inverse(n: Int) -> Int { 100 / (n - 400) }\n\
         data deep: List<Int> = map(range(0, 500), n => inverse(n: n))\n\
         data it: List<Int> = map(range(0, 100), n => n + length(deep))",
        limits,
    );
}

#[test]
fn steps_end_at_the_same_turn() {
    let text = "data it: List<Int> = map(range(0, 500), n => n * n + n)";
    let (said, _) = run(text, Limits::default());
    let steps: u64 = said.split(' ').next().unwrap().parse().unwrap();
    for steps in [steps - 2000, steps - 1, steps, steps + 1] {
        let limits = Limits {
            steps,
            ..Limits::default()
        };
        shared(text, limits);
    }
}

#[test]
fn other_limits_hold_for_what_all_parts_give_together() {
    let few = Limits {
        list_items: 600,
        ..Limits::default()
    };
    shared(
        "data it: Int = length(flat_map(range(0, 400), n => [n, n]))",
        few,
    );
    let flat = Limits {
        calls: 20,
        ..Limits::default()
    };
    shared(
        "fn down(n: Nat) -> Int { match n { 0 => 0, _ => 1 + down(n - 1) } }\n\
         fn under(n: Nat) -> List<Int> { match n { 0 => map(range(0, 100), _ => down(12)), _ => under(n - 1) } }\n\
         data shallow: List<Int> = under(2)\n\
         data it: List<Int> = under(10)",
        flat,
    );
}

#[test]
fn a_return_out_of_a_loop_is_one_out_of_the_function() {
    shared(
        "fn first(wanted: Int) -> List<Int> {\n\
         for n in range(0, 200) {\n\
         if n == wanted { return [n] }\n\
         n\n}\n}\n\
         data it: List<List<Int>> = [first(wanted: 150), first(wanted: 900)]",
        Limits::default(),
    );
}

/// A list of 40 items with a declaration for each.
fn listed(item: impl Fn(usize) -> String) -> String {
    let mut text = String::new();
    for n in 0..40 {
        text += &format!("data item{n}: Int = {}\n", item(n));
    }
    let names: Vec<String> = (0..40).map(|n| format!("item{n}")).collect();
    text + &format!("data it: List<Int> = [{}]", names.join(", "))
}

#[test]
fn data_items_of_a_list_do_not_wait_for_each_other() {
    is_shared(&listed(|n| format!("{n} * {n}")));
    is_shared(&listed(|n| match n {
        0 => "7".to_owned(),
        _ => format!("(item{} + {n}) % 1009", n - 1),
    }));
    is_shared(&listed(|n| {
        format!("sum(map(range(0, 100), k => k * {n}))")
    }));
}

#[test]
fn the_first_item_that_is_refused_refuses_the_list() {
    shared(
        &listed(|n| format!("100 / ((20 - {n}) * (31 - {n}))")),
        Limits::default(),
    );
    let few = Limits {
        steps: 60,
        ..Limits::default()
    };
    shared(&listed(|n| format!("sum(range(0, 1000 - 10 * {n}))")), few);
}
