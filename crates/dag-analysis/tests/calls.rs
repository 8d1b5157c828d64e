//! Calls: positional, named, piped, as methods; and what is no call.

mod common;

use common::{breaks, refused, sound};
use expect_test::expect;

const BESIDE: &str = "module m\nfn area(width: Int, height: Int) -> Int = width * height\ntype Wrap = Wrapped(Int) | Other { v: Int }\ntype Rule { test: fn(Int) -> Bool }\n";

fn with(rest: &str) -> String {
    format!("{BESIDE}{rest}\n")
}

#[test]
fn arguments_are_positional_named_or_mixed() {
    sound(&with(
        "data a: Int = area(1, 2)\ndata b: Int = area(height: 1, width: 2)\ndata c: Int = area(1, height: 2)\ndata d: Int = area(width: 1, 2)\ndata e: Int = 1 |> area(2)\ndata f: Int = 1 |> area(height: 2)\ndata g: Int = (1).area(2)\ndata h: Int = m.area(1, 2)\ndata i: Int = 1 |> m.area(2)\ndata j: Int = [1, 2] |> count\ndata k: Int = area(\n  1,\n  2,\n)",
    ));
    refused(
        &with(
            "data a: Int = area(1)\ndata b: Int = area(1, 2, 3)\ndata c: Int = area(width: 1, heigth: 2)\ndata d: Int = area(width: 1, width: 2)\ndata e: Int = area()",
        ),
        expect![[r#"
            m.dag:5:15: error[E0304]: `area` is not given `height`
              |
            2 | fn area(width: Int, height: Int) -> Int = width * height
              |    ---- declared here
            ...
            5 | data a: Int = area(1)
              |               ^^^^^^^
            m.dag:6:26: error[E0304]: `area` takes 2 arguments, and this is one more
              |
            2 | fn area(width: Int, height: Int) -> Int = width * height
              |    ---- declared here
            ...
            6 | data b: Int = area(1, 2, 3)
              |                          ^
            m.dag:7:30: error[E0304]: `area` has no parameter `heigth`
              |
            2 | fn area(width: Int, height: Int) -> Int = width * height
              |    ---- declared here
            ...
            7 | data c: Int = area(width: 1, heigth: 2)
              |                              ^^^^^^
              |
              = help: did you mean `height`?
            m.dag:8:30: error[E0304]: `width` is given twice
              |
            8 | data d: Int = area(width: 1, width: 2)
              |                              ^^^^^
            m.dag:9:15: error[E0304]: `area` is not given `width` and `height`
              |
            2 | fn area(width: Int, height: Int) -> Int = width * height
              |    ---- declared here
            ...
            9 | data e: Int = area()
              |               ^^^^^^"#]],
    );
}

#[test]
fn only_a_function_is_called() {
    refused(
        &with(
            "data one: Int = 1\ndata a: Int = one(2)\ndata b: Int = (3)(4)\nfn f(x: Int) -> Int = x(1)\nfn g(s: String) -> Int = s.lenght()",
        ),
        expect![[r#"
            m.dag:6:15: error[E0305]: a value of type Int is not called
              |
            6 | data a: Int = one(2)
              |               ^^^
            m.dag:7:15: error[E0305]: a value of type Int is not called
              |
            7 | data b: Int = (3)(4)
              |               ^^^
            m.dag:8:23: error[E0305]: a value of type Int is not called
              |
            8 | fn f(x: Int) -> Int = x(1)
              |                       ^
            m.dag:9:28: error[E0206]: there is no `lenght` here
              |
            9 | fn g(s: String) -> Int = s.lenght()
              |                            ^^^^^^
              |
              = help: did you mean `length`?"#]],
    );
}

#[test]
fn a_function_value_takes_positional_arguments() {
    sound(&with(
        "fn f(r: Rule, g: fn(Int, Int) -> Int) -> Bool = r.test(g(1, 2)) && (x => x > 1)(2)",
    ));
    refused(
        &with(
            "fn f(r: Rule, g: fn(Int, Int) -> Int) -> Bool = r.test(n: 1) && r.test(1, 2) && g(1) == 1",
        ),
        expect![[r#"
            m.dag:5:56: error[E0304]: a function value takes no labels: its parameters have no names
              |
            5 | fn f(r: Rule, g: fn(Int, Int) -> Int) -> Bool = r.test(n: 1) && r.test(1, 2) && g(1) == 1
              |                                                        ^
            m.dag:5:65: error[E0304]: this function takes one argument, and is given 2 arguments
              |
            5 | fn f(r: Rule, g: fn(Int, Int) -> Int) -> Bool = r.test(n: 1) && r.test(1, 2) && g(1) == 1
              |                                                                 ^^^^^^^^^^^^
            m.dag:5:81: error[E0304]: this function takes 2 arguments, and is given one argument
              |
            5 | fn f(r: Rule, g: fn(Int, Int) -> Int) -> Bool = r.test(n: 1) && r.test(1, 2) && g(1) == 1
              |                                                                                 ^^^^"#]],
    );
}

#[test]
fn a_variant_of_one_value_is_called_and_a_record_is_not() {
    sound(&with(
        "data a: Wrap = Wrapped(1)\ndata b: Wrap = Wrapped { 1 }\ndata c: Wrap = 1 |> Wrapped()\ndata d: Wrap = Wrap.Wrapped(1)\ndata e: List<Wrap> = map([1], x => Wrapped(x))",
    ));
    refused(
        &with(
            "data a: Wrap = Other(1)\ndata b: Wrap = Wrapped(1, 2)\ndata c: Wrap = Wrapped(v: 1)\ndata d: List<Wrap> = map([1], Wrapped)\ndata e: Wrap = Wrapped { v: 1 }\ndata f: Wrap = Other { 1 }",
        ),
        expect![[r#"
            m.dag:5:16: error[E0304]: `Other` is built with named fields: `Other { … }`
              |
            5 | data a: Wrap = Other(1)
              |                ^^^^^^^^
            m.dag:6:16: error[E0304]: `Wrapped` takes one value
              |
            6 | data b: Wrap = Wrapped(1, 2)
              |                ^^^^^^^^^^^^^
            m.dag:7:24: error[E0304]: `Wrapped` is not called with labels
              |
            7 | data c: Wrap = Wrapped(v: 1)
              |                        ^
              |
              = help: write `Wrapped { field: … }`, or `Wrapped(…)` for a variant of one value
            m.dag:8:31: error[E0303]: `Wrapped` is not given its value
              |
            3 | type Wrap = Wrapped(Int) | Other { v: Int }
              |      ---- declared here
            ...
            8 | data d: List<Wrap> = map([1], Wrapped)
              |                               ^^^^^^^
              |
              = help: write `Wrapped(…)`; as a function, `x => Wrapped(x)`
            m.dag:9:26: error[E0302]: `Wrapped` has no field `v`
              |
            3 | type Wrap = Wrapped(Int) | Other { v: Int }
              |      ---- declared here
            ...
            9 | data e: Wrap = Wrapped { v: 1 }
              |                          ^"#]],
    );
}

#[test]
fn a_name_over_several_types_is_chosen_by_its_first_argument() {
    sound(&with(
        "data a: Int = count([1]) + count(\"a\") + [1].count() + (\"a\" |> count())\ndata b: Int = count(items: [1])\ndata c: Int = count(s: \"a\")\ndata d: List<Int> = map([[1], [2]], x => count(x))\nfn f(n: NonEmptyStr) -> Int = count(n)",
    ));
    refused(
        &with(
            "data a: Int = count(3)\ndata b: Int = count()\ndata c: List<Int> = map([\"a\"], count)\ndata d: fn(String) -> Int = s => count(s)\ndata e: Int = { let f = x => count(x)\n 1 }",
        ),
        expect![[r#"
            m.dag:5:21: error[E0310]: `count` is defined for List<_>, String, Map<_, _> and Set<_>, not for Int
              |
            5 | data a: Int = count(3)
              |                     ^
            m.dag:6:15: error[E0304]: `count` takes arguments, and is given none
              |
            6 | data b: Int = count()
              |               ^^^^^^^
            m.dag:9:36: error[E0307]: the type of this is not known, so neither is which `count` is meant
              |
            9 | data e: Int = { let f = x => count(x)
              |                                    ^
              |
              = help: give it a type with `let x: T = …`"#]],
    );
}

#[test]
fn a_wrong_call_reports_its_arguments_mistakes_too_and_no_more() {
    let text = with(
        "data a: Int = area(lost, 2, 3)\ndata b: Int = lost(area(1), 2) + 1\ndata c: String = area(1)",
    );
    let files = [("m.dag", text.as_str())];
    assert_eq!(
        common::codes_of(&files),
        ["E0206", "E0304", "E0206", "E0304", "E0304"],
        "{}",
        common::errors_of(&files)
    );
}

#[test]
fn a_record_is_not_updated_and_has_no_index() {
    refused(
        "module m\ntype T { v: Int, w: Int }\nfn f(t: T) -> T = T { ..t, v: 1 }\n\nfn g(xs: List<Int>) -> Int = xs[0]\n",
        expect![[r#"
            m.dag:3:23: error[E0101]: there is no update form of a record
              |
            3 | fn f(t: T) -> T = T { ..t, v: 1 }
              |                       ^^
              |
              = help: write every field, so that a new field is decided here too
            m.dag:5:32: error[E0101]: there is no index form
              |
            5 | fn g(xs: List<Int>) -> Int = xs[0]
              |                                ^
              |
              = help: write `get(list, index)`, or `map_get(map, key)`"#]],
    );
    breaks(
        "E0101",
        "module m\ntype T { v: Int }\nfn f(t: T) -> T = t with { v: 1 }\n",
    );
}

/// Rows over one type are told apart by its elements.
#[test]
fn the_elements_choose_the_row() {
    sound(
        "module m\ndata a: Int = sum([1, 2])\ndata b: Float = sum([1.5])\ndata c: Int = sum([1 as Nat])\n",
    );
    sound("module m\nfn f(xs: List<Int?>) -> List<Int>? = collect(xs)\n");
    expect![[r#"
        m.dag:2:19: error[E0310]: `sum` is defined for List<Int> and List<Float>, not for List<String>
          |
        2 | data a: Int = sum(["a"])
          |                   ^^^^^"#]]
    .assert_eq(&common::errors_of(&[(
        "m.dag",
        "module m\ndata a: Int = sum([\"a\"])\n",
    )]));
}

/// A name of several rows stands for a function where its type is known.
#[test]
fn a_wanted_function_chooses_the_row() {
    sound("module m\ndata a: Int = fold([1, 2], 0, max)\ndata b: Float = fold([1.5], 0.0, max)\n");
    sound("module m\ndata a: List<Int> = map([\"a\"], length)\ndata b: fn(Float) -> Float = abs\n");
    breaks("E0307", "module m\ndata a: Int = length([max])\n");
    breaks("E0307", "module m\ndata a: fn(String) -> String = max\n");
}

/// What a call orders, compares or takes as a key is looked at where it is known.
#[test]
fn what_has_no_order_is_refused_at_the_call() {
    for call in [
        "length(sort([repeat]))",
        "length(sort_by([1], n => repeat))",
        "length(to_list(min_by([1], n => [repeat])))",
        "length(to_list(max_by([repeat], f => f)))",
        "length(unique([repeat]))",
        "length(map([[repeat]], sort))",
    ] {
        breaks("E0310", &format!("module m\ndata a: Int = {call}\n"));
    }
    for call in [
        "size(group_by([1.5], n => n))",
        "size(index_by([1], n => Pair { first: n, second: 0.5 }))",
    ] {
        breaks("E0315", &format!("module m\ndata a: Int = {call}\n"));
    }
    sound(
        "module m\ndata a: List<Float> = sort([1.5])\ndata b: List<Int> = sort_by([1], n => 0.5)\n",
    );
    sound(
        "module m\ntype Rule { test: fn(Int) -> Bool }\nfn f(rules: List<Rule>) -> List<Rule> = sort_by_int(rules, r => if r.test(1) { 1 } else { 0 })\n",
    );
}
