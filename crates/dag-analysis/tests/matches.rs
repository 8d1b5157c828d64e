//! Matches: every value has an arm, and every arm a value.

mod common;

use common::{breaks, refused, sound};
use expect_test::expect;

const TYPES: &str = "module m
type Colour = Red | Green | Blue
type Shape = Round(Int) | Square { side: Int, colour: Colour } | Empty
type Two { a: Bool, b: Bool }
type Deep = | Deep { one: Two, other: Shape? }
";

fn of(ty: &str, arms: &str) -> String {
    format!("{TYPES}fn f(x: {ty}) -> Int = match x {{ {arms} }}\n")
}

#[test]
fn what_covers_every_value_stands() {
    for (ty, arms) in [
        ("Colour", "Red => 1, Green => 2, Blue => 3"),
        ("Colour", "Red => 1, _ => 2"),
        ("Colour", "other => 2"),
        (
            "Shape",
            "Round(0) => 0, Round(n) => n, Square { side, colour: Red } => side, Square { side: 1, colour: _ } => 1, Square { side: s, colour: c } => s, Empty => 0",
        ),
        ("Bool", "true => 1, false => 0"),
        ("Int", "0 => 0, -1 => 1, n => n"),
        ("String", "\"a\" => 1, \"\" => 2, _ => 3"),
        (
            "Int?",
            "Present { value: 0 } => 0, Present { value } => value, none => 1",
        ),
        ("Int?", "Absent => 0, Present { value } => value"),
        ("Int??", "_ => 0"),
        (
            "Two",
            "Two { a: true, b: true } => 1, Two { a: false, b: _ } => 2, Two { a: _, b: false } => 3",
        ),
        (
            "Deep",
            "Deep { one: Two { a: true, b: _ }, other: none } => 1, Deep { one: Two { a: false, b: _ }, other: none } => 2, Deep { one: _, other: Present { value: Empty } } => 3, Deep { one: _, other: Present { value: _ } } => 4",
        ),
        ("Int", "n if n > 3 => n, _ => 0"),
        ("Unit", "_ => 0"),
        ("List<Int>", "xs => count(xs)"),
    ] {
        if ty == "Int??" {
            continue; // `??` is an operator
        }
        sound(&of(ty, arms));
    }
}

#[test]
fn missing_cases_are_printed_as_patterns() {
    refused(
        &of(
            "Shape",
            "Round(0) => 0, Square { side: _, colour: Green } => 1",
        ),
        expect![[r#"
            m.dag:6:25: error[E0401]: this match of Shape has no arm for `Empty`, `Round(_)` and `Square { side: _, colour: Red }`, and more
              |
            3 | type Shape = Round(Int) | Square { side: Int, colour: Colour } | Empty
              |      ----- declared here
            ...
            6 | fn f(x: Shape) -> Int = match x { Round(0) => 0, Square { side: _, colour: Green } => 1 }
              |                         ^^^^^^^
              |
              = help: write an arm for each"#]],
    );
    refused(
        &of("Deep", "Deep { one: Two { a: true, b: _ }, other: _ } => 1"),
        expect![[r#"
            m.dag:6:24: error[E0401]: this match of Deep has no arm for `Deep { one: Two { a: false, b: _ }, other: _ }`
              |
            5 | type Deep = | Deep { one: Two, other: Shape? }
              |      ---- declared here
            6 | fn f(x: Deep) -> Int = match x { Deep { one: Two { a: true, b: _ }, other: _ } => 1 }
              |                        ^^^^^^^
              |
              = help: write an arm for it"#]],
    );
    refused(
        &of("Int?", "Present { value: 1 } => 1"),
        expect![[r#"
            m.dag:6:24: error[E0401]: this match of Int? has no arm for `Absent` and `Present { value: _ }`
              |
            6 | fn f(x: Int?) -> Int = match x { Present { value: 1 } => 1 }
              |                        ^^^^^^^
              |
              = help: write an arm for each"#]],
    );
    refused(
        &of("Bool", "true => 1"),
        expect![[r#"
            m.dag:6:24: error[E0401]: this match of Bool has no arm for `false`
              |
            6 | fn f(x: Bool) -> Int = match x { true => 1 }
              |                        ^^^^^^^
              |
              = help: write an arm for it"#]],
    );
    refused(
        &of("Int", "1 => 1"),
        expect![[r#"
            m.dag:6:23: error[E0401]: this match of Int has no arm for `_`
              |
            6 | fn f(x: Int) -> Int = match x { 1 => 1 }
              |                       ^^^^^^^
              |
              = help: end with an arm for all other values: `_ => …`"#]],
    );
    refused(
        &of("Colour", ""),
        expect![[r#"
            m.dag:6:26: error[E0401]: this match of Colour has no arm for `Red`, `Green` and `Blue`
              |
            2 | type Colour = Red | Green | Blue
              |      ------ declared here
            ...
            6 | fn f(x: Colour) -> Int = match x {  }
              |                          ^^^^^^^
              |
              = help: write an arm for each"#]],
    );
}

#[test]
fn at_most_three_are_printed() {
    let variants: Vec<String> = (0..9).map(|i| format!("V{i}")).collect();
    refused(
        &format!(
            "module m\ntype T = {}\nfn f(t: T) -> Int = match t {{ V0 => 1 }}\n",
            variants.join(" | ")
        ),
        expect![[r#"
            m.dag:3:21: error[E0401]: this match of T has no arm for `V1`, `V2` and `V3`, and more
              |
            2 | type T = V0 | V1 | V2 | V3 | V4 | V5 | V6 | V7 | V8
              |      - declared here
            3 | fn f(t: T) -> Int = match t { V0 => 1 }
              |                     ^^^^^^^
              |
              = help: write an arm for each"#]],
    );
}

#[test]
fn a_guard_covers_nothing() {
    refused(
        &of("Bool", "true => 1, x if !x => 2"),
        expect![[r#"
            m.dag:6:24: error[E0401]: this match of Bool has no arm for `false`
              |
            6 | fn f(x: Bool) -> Int = match x { true => 1, x if !x => 2 }
              |                        ^^^^^^^
              |
              = note: an arm with a guard covers nothing: its guard may be false
              = help: write an arm for it"#]],
    );
    // Without a guard, the note has nothing to say.
    refused(
        &of("Bool", "true => 1"),
        expect![[r#"
        m.dag:6:24: error[E0401]: this match of Bool has no arm for `false`
          |
        6 | fn f(x: Bool) -> Int = match x { true => 1 }
          |                        ^^^^^^^
          |
          = help: write an arm for it"#]],
    );
    sound(&of("Bool", "true if 1 > 2 => 0, true => 1, false => 2"));
}

#[test]
fn an_arm_that_is_never_reached_is_refused() {
    refused(
        &of("Colour", "Red => 1, _ => 2, Blue => 3"),
        expect![[r#"
            m.dag:6:54: error[E0402]: this arm is never reached: the arms above take all its values
              |
            6 | fn f(x: Colour) -> Int = match x { Red => 1, _ => 2, Blue => 3 }
              |                                              -       ^^^^
              |                                              |
              |                                              this arm takes them
              |
              = help: remove it, or move it up"#]],
    );
    for (ty, arms) in [
        ("Colour", "Red => 1, Red => 2, _ => 3"),
        ("Colour", "Red => 1, Green => 2, Blue => 3, _ => 4"),
        ("Colour", "x => 1, y if true => 2"),
        ("Int", "1 => 1, 1 => 2, _ => 3"),
        ("String", "\"\\x41\" => 1, \"A\" => 2, _ => 3"),
        ("Shape", "Round(n) => n, Round(3) => 3, _ => 0"),
        (
            "Two",
            "Two { a: true, b: _ } => 1, Two { a: _, b: true } => 2, Two { a: true, b: true } => 3, _ => 4",
        ),
        ("Int?", "none => 0, Absent => 1, Present { value } => value"),
    ] {
        breaks("E0402", &of(ty, arms));
    }
}

#[test]
fn a_pattern_has_the_type_of_what_it_matches() {
    refused(
        &of("Colour", "Round(n) => 1, _ => 2"),
        expect![[r#"
            m.dag:6:36: error[E0403]: `Round` builds Shape, and this is Colour
              |
            2 | type Colour = Red | Green | Blue
              |      ------ declared here
            ...
            6 | fn f(x: Colour) -> Int = match x { Round(n) => 1, _ => 2 }
              |                                    ^^^^^"#]],
    );
    refused(
        &of("Colour", "Redd => 1, _ => 2"),
        expect![[r#"
            m.dag:6:36: error[E0403]: Colour has no variant `Redd`
              |
            2 | type Colour = Red | Green | Blue
              |      ------ declared here
            ...
            6 | fn f(x: Colour) -> Int = match x { Redd => 1, _ => 2 }
              |                                    ^^^^
              |
              = help: did you mean `Red`?"#]],
    );
    for (code, ty, arms) in [
        ("E0403", "Int", "\"a\" => 1, _ => 2"),
        ("E0403", "Colour", "true => 1, _ => 2"),
        ("E0403", "Int", "none => 1, _ => 2"),
        ("E0103", "Int", "9223372036854775808 => 1, _ => 2"),
        ("E0403", "Shape", "Empty(n) => 1, _ => 2"),
        ("E0403", "Shape", "Square(n) => 1, _ => 2"),
        ("E0403", "String", "\"{a}\" => 1, _ => 2"),
        (
            "E0302",
            "Shape",
            "Square { size: 1, side: _, colour: _ } => 1, _ => 2",
        ),
        ("E0303", "Shape", "Square { side: 1 } => 1, _ => 2"),
        ("E0206", "Int", "Lost => 1, _ => 2"),
        ("E0206", "Int", "Lost { a } => a, _ => 2"),
    ] {
        breaks(code, &of(ty, arms));
    }
    refused(
        &of("Shape", "Square { side } => side, _ => 2"),
        expect![[r#"
            m.dag:6:35: error[E0303]: the pattern says nothing of `colour`
              |
            6 | fn f(x: Shape) -> Int = match x { Square { side } => side, _ => 2 }
              |                                   ^^^^^^^^^^^^^^^
              |
              = note: every field is named, so that a new one is decided here too
              = help: write `name: _` for a field that does not matter"#]],
    );
    // A variant without its parts stands for all its values.
    sound(&of("Shape", "Square => 1, Round => 2, Empty => 3"));
}

#[test]
fn a_mistake_in_a_body_does_not_hide_a_missing_arm() {
    let text = of("Colour", "Red => lost, Green => 1");
    assert_eq!(common::codes_of(&[("m.dag", &text)]), ["E0401", "E0206"]);
}

#[test]
fn a_lambda_matches_what_it_is_given() {
    sound(
        "module m\ntype T = A | B\nfn f(ts: List<T>) -> List<Int> = map(ts, t => match t { A => 1, B => 2 })\n",
    );
    breaks(
        "E0401",
        "module m\ntype T = A | B\nfn f(ts: List<T>) -> List<Int> = map(ts, t => match t { A => 1 })\n",
    );
    // The arms tell the type.
    sound(
        "module m\ntype T = A | B\ndata f: Int = { let g = t => match t { A => 1, B => 2 }\n g(A) }\n",
    );
}

#[test]
fn two_thousand_arms_are_compared_soon() {
    let names: Vec<String> = (0..2000).map(|i| format!("V{i}")).collect();
    let arms: Vec<String> = names.iter().map(|n| format!("  {n} => 1")).collect();
    let ty = names.join("\n  | ");
    let all = format!(
        "module m\ntype T = {ty}\nfn f(t: T) -> Int = match t {{\n{}\n}}\n",
        arms.join("\n")
    );
    sound(&all);
    breaks("E0401", &all.replace("  V1999 => 1\n", ""));
    breaks(
        "E0402",
        &all.replace("  V1999 => 1\n", "  V1999 => 1\n  _ => 2\n"),
    );
    // All of one variant, of numbers, of texts.
    let arms: Vec<String> = (0..1500).map(|i| format!("  W({i}) => 1")).collect();
    sound(&format!(
        "module m\ntype T = | W(Int)\nfn f(t: T) -> Int = match t {{\n{}\n  _ => 2\n}}\n",
        arms.join("\n")
    ));
    let arms: Vec<String> = (0..2000).map(|i| format!("  \"{i}\" => 1")).collect();
    sound(&format!(
        "module m\nfn f(t: String) -> Int = match t {{\n{}\n  _ => 2\n}}\n",
        arms.join("\n")
    ));
}

#[test]
fn arms_that_combine_without_an_end_are_refused() {
    // Each arm looks at two of thirty fields: which values are left is a question
    // of satisfiability.
    let fields: Vec<String> = (0..40).map(|i| format!("f{i}: Bool")).collect();
    let mut arms = Vec::new();
    for i in 0..40usize {
        for (step, value) in [(7, "true"), (11, "false"), (13, "true")] {
            let parts: Vec<String> = (0..40usize)
                .map(|j| {
                    let pattern = if j == i {
                        "true"
                    } else if j == (i + step) % 40 {
                        value
                    } else {
                        "_"
                    };
                    format!("f{j}: {pattern}")
                })
                .collect();
            arms.push(format!("  R {{ {} }} => 1", parts.join(", ")));
        }
    }
    refused(
        &format!(
            "module m\ntype R {{ {} }}\nfn f(r: R) -> Int = match r {{\n{}\n  _ => 2\n}}\n",
            fields.join(", "),
            arms.join("\n")
        ),
        expect![[r#"
            m.dag:3:21: error[E0404]: the arms of this match are too many to compare
              |
            3 | fn f(r: R) -> Int = match r {
              |                     ^^^^^^^
              |
              = note: whether every value has an arm takes more work than is allowed
              = help: match one part at a time, each in a function of its own"#]],
    );
}

/// Where a type leaves few numbers, they can all be named.
#[test]
fn the_numbers_of_a_small_range_cover_it() {
    for text in [
        "fn f(n: Int where range(min: 0, max: 3)) -> Int = match n { 0 => 1, 1 => 2, 2 => 3, 3 => 4 }",
        "type Low = Nat where range(max: 1)\nfn f(n: Low) -> Int = match n { 0 => 1, 1 => 2 }",
        "type Low = Nat where range(max: 9)\ntype Least = Low where range(max: 1)\nfn f(n: Least?) -> Int = match n { Present { value: 0 } => 1, Present { value: 1 } => 2, none => 3 }",
        "type Low = Int where range(min: 0 - 1, max: 0)\nfn f(n: Low) -> Int = match n { -1 => 1, 0 => 2 }",
        "type P { a: Int where range(min: 0, max: 1), b: Bool }\nfn f(p: P) -> Int = match p { P { a: 0, b: true } => 1, P { a: 1, b: true } => 2, P { a: _, b: false } => 3 }",
    ] {
        let text = text.replace("min: 0 - 1", "min: -1");
        sound(&format!("module m\n{text}\n"));
    }
    let all: String = (0..256).map(|n| format!("{n} => {n}\n")).collect();
    sound(&format!(
        "module m\nfn f(n: Int where range(min: 0, max: 255)) -> Int = match n {{\n{all}}}\n"
    ));
    // One more is no small range.
    breaks(
        "E0401",
        &format!(
            "module m\nfn f(n: Int where range(min: 0, max: 256)) -> Int = match n {{\n{all}256 => 1 }}\n"
        ),
    );
    breaks(
        "E0402",
        "module m\nfn f(n: Int where range(min: 0, max: 1)) -> Int = match n { 0 => 1, 1 => 2, _ => 3 }\n",
    );
    refused(
        "module m\ntype Low = Int where range(min: 0, max: 9)\nfn f(n: Low) -> Int = match n { 1 => 1, 7 => 2 }\nfn g(n: Low?) -> Int = match n { Present { value: 1 } => 1, none => 2 }\nfn h(n: Low) -> Int = match n { 12 => 1, _ => 2 }\n",
        expect![[r#"
            m.dag:3:23: error[E0401]: this match of Low has no arm for `0`, `2` and `3`, and more
              |
            2 | type Low = Int where range(min: 0, max: 9)
              |      --- declared here
            3 | fn f(n: Low) -> Int = match n { 1 => 1, 7 => 2 }
              |                       ^^^^^^^
              |
              = help: write an arm for each
            m.dag:4:24: error[E0401]: this match of Low? has no arm for `Present { value: 0 }`, `Present { value: 2 }` and `Present { value: 3 }`, and more
              |
            4 | fn g(n: Low?) -> Int = match n { Present { value: 1 } => 1, none => 2 }
              |                        ^^^^^^^
              |
              = help: write an arm for each
            m.dag:5:33: error[E0402]: no Low is 12, so this is never taken
              |
            5 | fn h(n: Low) -> Int = match n { 12 => 1, _ => 2 }
              |                                 ^^"#]],
    );
}

#[test]
fn arms_that_one_arm_takes_are_one_mistake() {
    let of = |arms: &str| {
        format!(
            "module m\ntype C = A | B | D {{ n: Int }} | E\nfn f(c: C) -> Int = match c {{\n{arms}}}\n"
        )
    };
    refused(
        &of("  a => 1\n  A => 2\n  B => 3\n  E => 4\n"),
        expect![[r#"
            m.dag:4:3: error[E0402]: this arm takes all values of 3 arms below it, which are never reached
              |
            4 |   a => 1
              |   ^
            5 |   A => 2
              |   - the first of them
              |
              = help: move it to the end; `a` is a new name for any value here: a variant begins with a capital letter"#]],
    );
    refused(
        &of("  _ => 1\n  A => 2\n  B => 3\n"),
        expect![[r#"
        m.dag:4:3: error[E0402]: this arm takes all values of 2 arms below it, which are never reached
          |
        4 |   _ => 1
          |   ^
        5 |   A => 2
          |   - the first of them
          |
          = help: move it to the end"#]],
    );
    refused(
        &of("  D { n } => n\n  D { n: 1 } => 2\n  D { n: 2 } => 3\n  A => 4\n  _ => 5\n"),
        expect![[r#"
            m.dag:4:3: error[E0402]: this arm takes all values of 2 arms below it, which are never reached
              |
            4 |   D { n } => n
              |   ^^^^^^^
            5 |   D { n: 1 } => 2
              |   ---------- the first of them
              |
              = help: move it below them, or remove them"#]],
    );
    // One alone is pointed at itself, and so is one that several arms take together.
    refused(
        &of("  D { n } => n\n  D { n: 1 } => 2\n  _ => 5\n"),
        expect![[r#"
            m.dag:5:3: error[E0402]: this arm is never reached: the arms above take all its values
              |
            4 |   D { n } => n
              |   ------- this arm takes them
            5 |   D { n: 1 } => 2
              |   ^^^^^^^^^^
              |
              = help: remove it, or move it up"#]],
    );
    refused(
        "module m\ntype P { a: Bool, b: Bool }\nfn f(p: P) -> Int = match p {\n  P { a: true, b: _ } => 1\n  P { a: false, b: _ } => 2\n  P { a: _, b: true } => 3\n}\n",
        expect![[r#"
            m.dag:6:3: error[E0402]: this arm is never reached: the arms above take all its values
              |
            6 |   P { a: _, b: true } => 3
              |   ^^^^^^^^^^^^^^^^^^^
              |
              = help: remove it, or move it up"#]],
    );
    // Two arms that each take others are two mistakes.
    breaks_twice(&of(
        "  A => 1\n  A => 2\n  A => 3\n  _ => 4\n  B => 5\n  E => 6\n",
    ));
}

fn breaks_twice(text: &str) {
    assert_eq!(common::codes_of(&[("m.dag", text)]), ["E0402", "E0402"]);
}
