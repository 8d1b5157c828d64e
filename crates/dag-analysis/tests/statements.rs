//! Statements of which nothing comes, that are never reached, or that could be two.

mod common;

use common::{breaks, refused, sound};
use expect_test::expect;

/// A module with what the statements may use.
fn module(statements: &str) -> String {
    format!(
        "module m\n\
         type Done {{ ok: Bool from \"exit_success\" }}\n\
         type Port = Int where range(min: 1, max: 65535)\n\
         service host {{\n  \
         operation Stop {{\n    transport shell {{ argv: [\"true\"] }}\n    exit {{ 0 => Done }}\n  }}\n\
         }}\n\
         func stop(n: Int) -> Int {{\n  host.Stop()\n  n\n}}\n\
         fn next(n: Int) -> Int = n + 1\n\
         {statements}\n"
    )
}

fn in_function(statements: &str) -> String {
    module(&format!("fn f(n: Int) -> Int {{\n{statements}\n}}"))
}

fn in_workflow(statements: &str) -> String {
    module(&format!("func f(n: Int) -> Int {{\n{statements}\n}}"))
}

#[test]
fn a_value_that_nobody_uses_is_warned_of() {
    refused(
        "module m\nfn next(n: Int) -> Int = n + 1\nfn f(n: Int) -> Int {\n  next(n)\n  n\n}\n",
        expect![[r#"
            m.dag:4:3: warning[W0316]: nothing comes of this statement
              |
            4 |   next(n)
              |   ^^^^^^^
              |
              = note: its value is dropped, and it asks nothing of the outside
              = help: name its value with `let`, make it a part of what follows, or remove it"#]],
    );
    for statement in [
        "n",
        "n + 1",
        "1 / n",
        "\"{n}\"",
        "[n].map(x => next(x))",
        "x => next(x)",
        "if n > 1 { next(n) } else { n }",
        "if n > 1 { next(n) }",
        "match n { 0 => 1, _ => 2 }",
        "for x in [n] { next(x) }",
        "{\n  let x = n\n  next(x)\n}",
        // What returns here is the lambda.
        "fn() { return n }",
    ] {
        breaks("W0316", &in_function(&format!("{statement}\nn")));
        breaks("W0316", &in_workflow(&format!("{statement}\nstop(n)")));
    }
}

#[test]
fn a_statement_that_does_something_stands() {
    for statement in [
        "stop(n)",
        "host.Stop()",
        "if n > 1 { host.Stop() }",
        "match n { 0 => stop(1), _ => 2 }",
        "for x in [n] { stop(x) }",
        "next(stop(n))",
    ] {
        sound(&in_workflow(&format!("{statement}\nn")));
    }
    for statement in [
        "if n > 1 { return 1 }",
        "for x in [n] { if x > 1 { return x } }",
        "match n { 0 => return 1, _ => () }",
        // Refused where it is no port: that is what it says.
        "n as Port",
        "if n > 80 { n as Port }",
        "for k in 0..n { k as Port }",
        "map(0..n, k => k as Port)",
        "let unused = next(n)",
    ] {
        sound(&in_function(&format!("{statement}\nn")));
    }
}

#[test]
fn what_a_block_gives_is_dropped_with_it() {
    breaks(
        "W0316",
        &module("func f(n: Int) {\n  stop(n)\n  next(n)\n}"),
    );
    breaks(
        "W0316",
        &in_workflow("if n > 1 {\n  stop(n)\n  next(n)\n}\nn"),
    );
    sound(&module("func f(n: Int) {\n  stop(n)\n}"));
    sound(&module("func f(n: Int) {\n  stop(n)\n  ()\n}"));
    sound(&module("func f(n: Int) {\n  let last = stop(n)\n}"));
    sound(&module("func f(n: Int) {\n  last = stop(n)\n}"));
}

#[test]
fn a_statement_within_one_that_does_nothing_is_no_second_mistake() {
    breaks("W0316", &in_function("{\n  next(n)\n  next(n)\n}\nn"));
    // One that does something is looked into.
    breaks(
        "W0316",
        &in_function("if n > 1 {\n  next(n)\n  return 1\n}\nn"),
    );
    breaks("W0316", &in_function("let x = {\n  n\n  n\n}\nx"));
    breaks("W0316", &in_function("[n].map(x => { n\n  x }).count()"));
}

#[test]
fn a_mistake_in_a_statement_is_all_that_is_said_of_it() {
    breaks("E0206", &in_function("missing(n)\nn"));
    breaks("E0310", &in_function("n + \"\"\nn"));
}

#[test]
fn what_follows_a_return_is_warned_of_once() {
    refused(
        "module m\nfn f(n: Int) -> Int {\n  return n\n  let x = n\n  x\n  n\n}\n",
        expect![[r#"
            m.dag:4:3: warning[W0317]: this statement is never reached
              |
            3 |   return n
              |   -------- this always returns
            4 |   let x = n
              |   ^^^^^^^^^
              |
              = help: remove it and what follows, or move them above"#]],
    );
    for ends in [
        "return n",
        "if n > 1 { return 1 } else { return 2 }",
        "match n { 0 => return 1, _ => return 2 }",
        "{\n  return n\n}",
        "let x: Int = match n { 0 => return 1, _ => return 2 }",
        "next(match n { 0 => return 1, _ => return 2 })",
    ] {
        breaks("W0317", &in_function(&format!("{ends}\nn\nn")));
        sound(&in_function(ends));
    }
    for may_go_on in [
        "if n > 1 { return 1 }",
        "match n { 0 => return 1, _ => () }",
        "for x in [n] { return x }",
        "let f = fn() { return n }",
        "let b = n > 1 && { return 1 }",
    ] {
        sound(&in_function(&format!("{may_go_on}\nn")));
    }
}

#[test]
fn a_bracket_below_a_value_is_ambiguous() {
    refused(
        "module m\nfn f(g: fn(Int) -> Int) -> Int {\n  g\n  (1)\n}\n",
        expect![[r#"
            m.dag:4:3: error[E0112]: a `(` on the line below a value is ambiguous
              |
            4 |   (1)
              |   ^
              |
              = note: it could start a statement, or be a call of what stands above
              = help: put it on the line above if it belongs to it; else name its value with `let`"#]],
    );
    refused(
        "module m\nfn f(xs: List<Int>) -> List<Int> {\n  xs\n  [0]\n}\n",
        expect![[r#"
            m.dag:4:3: error[E0112]: a `[` on the line below a value is ambiguous
              |
            4 |   [0]
              |   ^
              |
              = note: it could start a list, or be meant as an index of what stands above
              = help: name the list with `let`; for an index write `get(list, index)`"#]],
    );
    for above in [
        "next(n)",
        "n + n",
        "!n",
        "[n]",
        "(n)",
        "m.next",
        "n |> next()",
        "x => x",
    ] {
        breaks("E0112", &in_function(&format!("{above}\n(n)")));
        breaks("E0112", &in_function(&format!("{above}\n[n]")));
    }
    breaks("E0112", &in_workflow("stop(n)\n(n)"));
    // Without braces, too.
    breaks(
        "E0112",
        &module("fn f(n: Int) -> Int = match n {\n  _ =>\n    let x = n\n    x\n    (n)\n}"),
    );
}

#[test]
fn a_bracket_below_what_uses_its_value_is_ambiguous_where_it_is_indented() {
    breaks("E0112", &in_function("let x = next\n  (n)\nx(n)"));
    breaks("E0112", &in_function("let x = [n]\n  [0]\nn"));
    breaks("E0112", &in_workflow("x = n\n  (n)\nx"));
    sound(&in_function("let x = next\n(n)"));
    sound(&in_workflow("x = stop(n)\n(n)"));
    sound(&module(
        "fn f(n: Int) -> List<Int> {\n  let x = next(n)\n  [x]\n}",
    ));
}

#[test]
fn a_bracket_below_what_takes_none_starts_a_statement() {
    for above in [
        "if n > 1 { return 1 }",
        "match n { 0 => return 1, _ => () }",
        "let x = 1",
        "let x = n as Port",
    ] {
        sound(&in_function(&format!("{above}\n(n)")));
    }
    // Elements on lines of their own are told apart by the lines.
    sound("module m\ndata x: List<List<Int>> = [\n  [1]\n  [2]\n]\n");
    sound("module m\nfn f(n: Int) -> List<Int> = [\n  n\n  (n)\n]\n");
}

#[test]
fn nothing_is_assigned() {
    // In a loop, in a function, in a workflow, and on a parameter.
    refused(
        "module m\n\
         fn f(n: Int) -> Int {\n  let t = 0\n  for i in 0..n { t = t + i }\n  t\n}\n\
         fn g(n: Int) -> Int {\n  n = 3\n  n\n}\n\
         func h(n: Int) -> Int {\n  a = n\n  a = 2\n  a\n}\n",
        expect![[r#"
            m.dag:4:19: error[E0908]: `t` has its value already, and nothing is assigned
              |
            4 |   for i in 0..n { t = t + i }
              |                   ^
              |
              = note: a name keeps its value as long as it is known
              = help: give the new value a name of its own with `let`; what a loop gathers is a `fold` or a `sum`
            m.dag:8:3: error[E0908]: `n` has its value already, and nothing is assigned
              |
            8 |   n = 3
              |   ^
              |
              = note: a name keeps its value as long as it is known
              = help: give the new value a name of its own with `let`; what a loop gathers is a `fold` or a `sum`
            m.dag:13:3: error[E0908]: `a` has its value already, and nothing is assigned
               |
            13 |   a = 2
               |   ^
               |
               = note: a name keeps its value as long as it is known
               = help: give the new value a name of its own with `let`; what a loop gathers is a `fold` or a `sum`"#]],
    );
    refused(
        "module m\nfn f(n: Int) -> Int {\n  let t = n\n  t += 3\n  t\n}\n",
        expect![[r#"
            m.dag:4:5: error[E0101]: there is no `+=`: nothing is assigned
              |
            4 |   t += 3
              |     ^
              |
              = help: give the new value a name of its own with `let`; what a loop gathers is a `fold` or a `sum`"#]],
    );
    sound("module m\nfn f(n: Int) -> Int {\n  let t = n\n  let t = t + 3\n  t\n}\n");
    sound("module m\nfunc f(n: Int) -> Int {\n  a = n\n  b = a + 2\n  b\n}\n");
}

#[test]
fn an_index_by_a_text_is_of_a_map() {
    refused(
        "module m\nfn f(m: Map<String, Int>) -> Int? = m[\"a\"]\n",
        expect![[r#"
            m.dag:2:38: error[E0101]: there is no index form
              |
            2 | fn f(m: Map<String, Int>) -> Int? = m["a"]
              |                                      ^
              |
              = help: write `map_get(map, key)`"#]],
    );
}
