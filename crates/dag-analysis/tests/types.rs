//! Types are checked at every declared position.

mod common;

use common::{breaks, errors_of, refused, sound};
use expect_test::expect;

/// What each position below is declared beside.
const BESIDE: &str = "module m
type Colour = Red | Green
type Named { name: String, tags: List<String> }
type Shape = Round(Int) | Square { side: Int, colour: Colour } | Empty
type Box<T> { value: T }
fn id<T>(x: T) -> T = x
fn two(a: Int, b: String) -> Int = a
fn make(n: Int) -> Box<Int> = Box { value: n }
";

/// Positions, each with a value that fits and one that does not.
const POSITIONS: &[(&str, &str, &str)] = &[
    ("data d: Int = {}", "1", "\"one\""),
    ("data d: Int = ({})", "1", "\"one\""),
    ("data d: List<Int> = [1, {}]", "2", "\"two\""),
    ("data d: List<List<Int>> = [[1], [2, {}]]", "3", "true"),
    (
        "data d: List<List<Colour>> = [[Red], {}]",
        "[Green]",
        "[\"Green\"]",
    ),
    ("data d: Named = Named { name: {}, tags: [] }", "\"a\"", "1"),
    (
        "data d: Named = Named { name: \"a\", tags: [{}] }",
        "\"a\"",
        "Red",
    ),
    ("data d: Shape = Round({})", "1", "\"one\""),
    (
        "data d: Shape = Square { side: {}, colour: Red }",
        "1",
        "Red",
    ),
    (
        "data d: Shape = Square { side: 1, colour: {} }",
        "Red",
        "Empty",
    ),
    ("data d: Shape = {}", "Empty", "Red"),
    ("data d: Box<Int> = Box { value: {} }", "1", "\"one\""),
    (
        "data d: Box<List<Colour>> = Box { value: [{}] }",
        "Red",
        "1",
    ),
    ("data d: Int? = {}", "1", "\"one\""),
    ("data d: Int? = {}", "none", "Red"),
    ("data d: List<Int?> = [none, {}]", "1", "\"one\""),
    ("data d: Int? = Present { value: {} }", "1", "\"one\""),
    ("data d: fn(Int) -> Int = {}", "x => x", "x => \"one\""),
    ("data d: fn(Int) -> Int = x => x + {}", "1", "\"one\""),
    ("data d: Unit = {}", "()", "1"),
    ("data d: Float = {}", "1.5", "1"),
    ("fn f() -> Int = {}", "1", "\"one\""),
    ("fn f() -> Int {\n  {}\n}", "1", "\"one\""),
    ("fn f() -> Int {\n  let x: Int = {}\n  x\n}", "1", "\"one\""),
    ("fn f() -> Int {\n  let x = {}\n  x\n}", "1", ""),
    ("fn f() -> Int {\n  return {}\n}", "1", "\"one\""),
    (
        "fn f(b: Bool) -> Int {\n  if b { return {} }\n  1\n}",
        "1",
        "\"one\"",
    ),
    (
        "fn f(b: Bool) -> Int = if b { {} } else { 2 }",
        "1",
        "\"one\"",
    ),
    (
        "fn f(b: Bool) -> Int = if b { 1 } else { {} }",
        "2",
        "\"two\"",
    ),
    (
        "fn f(b: Bool) -> Int = if b { 1 } else if !b { {} } else { 3 }",
        "2",
        "\"two\"",
    ),
    ("fn f(b: Bool) -> Int = if {} { 1 } else { 2 }", "b", "1"),
    (
        "fn f(c: Colour) -> Int = match c {\n  Red => {}\n  Green => 2\n}",
        "1",
        "\"one\"",
    ),
    (
        "fn f(c: Colour) -> Int = match c {\n  Red => 1\n  Green => { let x = 1\n {} }\n}",
        "x",
        "\"two\"",
    ),
    (
        "fn f(c: Colour) -> Int = match c {\n  x if {} => 1\n  _ => 2\n}",
        "true",
        "1",
    ),
    ("data d: Int = two({}, \"b\")", "1", "\"one\""),
    ("data d: Int = two(1, {})", "\"b\"", "2"),
    ("data d: Int = two(b: \"b\", a: {})", "1", "\"one\""),
    ("data d: Int = {} |> two(\"b\")", "1", "\"one\""),
    ("data d: Int = {}.two(\"b\")", "1", "\"one\""),
    ("data d: Int = id({})", "1", "\"one\""),
    ("data d: Int = id(id([{}])).count()", "1", ""),
    (
        "data d: Box<Int> = id({})",
        "make(1)",
        "Box { value: \"one\" }",
    ),
    ("data d: List<Int> = map([1, 2], x => {})", "x", "\"x\""),
    (
        "data d: List<Int> = map([1, 2], x => two({}, \"b\"))",
        "x",
        "\"x\"",
    ),
    ("data d: List<String> = map([\"a\"], x => {})", "x", "1"),
    (
        "data d: List<Int> = map([\"a\"], x => x.{})",
        "count()",
        "height()",
    ),
    ("data d: List<Int> = filter([1], x => {})", "x > 1", "x"),
    (
        "data d: Int = fold([1], 0, (acc, x) => {})",
        "acc + x",
        "\"acc\"",
    ),
    (
        "data d: Int = fold([1], {}, (acc, x) => acc + x)",
        "0",
        "\"0\"",
    ),
    (
        "data d: String = fold([1], \"\", (acc, x) => {})",
        "\"{acc}{x}\"",
        "x",
    ),
    (
        "data d: List<Int> = fold([1], [], (acc, x) => append(acc, {}))",
        "x",
        "\"x\"",
    ),
    ("data d: List<Int> = concat([1], {})", "[2]", "[\"b\"]"),
    ("data d: Bool = contains([1], {})", "2", "\"b\""),
    ("data d: Bool = [Red] == [{}]", "Green", "Empty"),
    (
        "data d: Bool = Box { value: 1 } == Box { value: {} }",
        "2",
        "\"two\"",
    ),
    ("data d: Int = make(1).value + {}", "1", "\"one\""),
    ("data d: Bool = true && {}", "false", "1"),
    ("data d: Bool = !{}", "true", "1"),
    ("data d: Int = first([1]) ?? {}", "2", "\"two\""),
    ("data d: String = \"{two({}, \"b\")}\"", "1", "Red"),
    ("data d: Int = (x => x + {})(2)", "1", "\"one\""),
    ("data d: Int = (fn(x) { two(x, \"\") })({})", "1", "\"one\""),
    ("data d: Int = {} as Int", "1.0", "\"one\""),
    ("data d: Int = 1 as {}", "Int", "String"),
];

#[test]
fn every_position_takes_its_type_and_refuses_another() {
    for (position, fits, breaks) in POSITIONS {
        let text = |value: &str| format!("{BESIDE}{}\n", position.replacen("{}", value, 1));
        sound(&text(fits));
        if breaks.is_empty() {
            continue;
        }
        let text = text(breaks);
        let files = [("m.dag", text.as_str())];
        let codes = common::codes_of(&files);
        assert_eq!(codes.len(), 1, "{text}\n{}", errors_of(&files));
        assert!(
            codes[0].starts_with("E03") || codes[0] == "E0206",
            "{text}\n{}",
            errors_of(&files)
        );
        // The mistake is on the line of the value.
        let lines: Vec<&str> = text.lines().collect();
        let line = lines.iter().rposition(|l| l.contains(breaks)).unwrap() + 1;
        let shown = errors_of(&files);
        assert!(shown.starts_with(&format!("m.dag:{line}:")), "{shown}");
    }
}

#[test]
fn a_mismatch_names_both_types_and_why() {
    refused(
        &format!("{BESIDE}data d: Named = Named {{ name: 1, tags: [\"a\", Red] }}\n"),
        expect![[r#"
            m.dag:9:31: error[E0301]: expected String, found Int
              |
            3 | type Named { name: String, tags: List<String> }
              |              ---- the field `name`
            ...
            9 | data d: Named = Named { name: 1, tags: ["a", Red] }
              |                               ^
              |
              = help: write `to_string(…)`
            m.dag:9:46: error[E0301]: expected String, found Colour
              |
            3 | type Named { name: String, tags: List<String> }
              |                            ---- the field `tags`
            ...
            9 | data d: Named = Named { name: 1, tags: ["a", Red] }
              |                                              ^^^"#]],
    );
    refused(
        &format!("{BESIDE}data d: Int = two(first([1]), to_string)\n"),
        expect![[r#"
            m.dag:9:19: error[E0301]: expected Int, found Int?
              |
            7 | fn two(a: Int, b: String) -> Int = a
              |        - the parameter `a`
            8 | fn make(n: Int) -> Box<Int> = Box { value: n }
            9 | data d: Int = two(first([1]), to_string)
              |                   ^^^^^^^^^^
              |
              = help: the value may be absent: `match` it, or give a value with `?? …`
            m.dag:9:31: error[E0301]: expected String, found fn(_) -> String
              |
            7 | fn two(a: Int, b: String) -> Int = a
              |                - the parameter `b`
            8 | fn make(n: Int) -> Box<Int> = Box { value: n }
            9 | data d: Int = two(first([1]), to_string)
              |                               ^^^^^^^^^"#]],
    );
    refused(
        "module m\nfn f(x: Int) -> List<Int> {\n  let all = [x, \"two\"]\n  all\n}\n",
        expect![[r#"
            m.dag:3:17: error[E0301]: expected Int, found String
              |
            3 |   let all = [x, "two"]
              |              -  ^^^^^
              |              |
              |              this is of type Int"#]],
    );
}

#[test]
fn two_types_of_one_name_are_told_apart() {
    common::refused_files(
        &[
            (
                "a.dag",
                "module a\ntype Size { v: Int }\nfn a_size() -> Size = Size { v: 1 }\n",
            ),
            (
                "m.dag",
                "module m\nimport a { a_size }\ntype Size { v: Int }\ndata s: Size = a_size()\n",
            ),
        ],
        expect![[r#"
            m.dag:4:16: error[E0301]: expected m.Size, found a.Size
              |
            4 | data s: Size = a_size()
              |         ----   ^^^^^^^^
              |         |
              |         declared here"#]],
    );
}

#[test]
fn a_field_is_declared_and_given() {
    refused(
        "module m\ntype Host { name: String, memory: Int }\ndata h: Host = Host { name: \"a\", memroy: 1 }\nfn f(h: Host) -> Int = h.memry\n",
        expect![[r#"
            m.dag:3:34: error[E0302]: `Host` has no field `memroy`
              |
            2 | type Host { name: String, memory: Int }
              |      ---- declared here
            3 | data h: Host = Host { name: "a", memroy: 1 }
              |                                  ^^^^^^
              |
              = help: did you mean `memory`?
            m.dag:4:26: error[E0302]: Host has no field `memry`
              |
            2 | type Host { name: String, memory: Int }
              |      ---- declared here
            3 | data h: Host = Host { name: "a", memroy: 1 }
            4 | fn f(h: Host) -> Int = h.memry
              |                          ^^^^^
              |
              = help: did you mean `memory`?"#]],
    );
    refused(
        "module m\ntype Host { name: String, memory: Int, threads: Int }\ndata h: Host = Host { name: \"a\" }\ntype T = A { v: Int } | B(Int)\ndata a: T = A\ndata b: T = B\n",
        expect![[r#"
            m.dag:3:16: error[E0303]: `Host` is not given `memory` and `threads`
              |
            2 | type Host { name: String, memory: Int, threads: Int }
              |      ---- declared here
            3 | data h: Host = Host { name: "a" }
              |                ^^^^
            m.dag:5:13: error[E0303]: `A` is not given `v`
              |
            4 | type T = A { v: Int } | B(Int)
              |      - declared here
            5 | data a: T = A
              |             ^
              |
              = help: write `A { v: … }`
            m.dag:6:13: error[E0303]: `B` is not given its value
              |
            4 | type T = A { v: Int } | B(Int)
              |      - declared here
            5 | data a: T = A
            6 | data b: T = B
              |             ^
              |
              = help: write `B(…)`; as a function, `x => B(x)`"#]],
    );
    breaks("E0302", "module m\ndata d: Int = (3).size\n");
    breaks(
        "E0302",
        "module m\ntype T = A { v: Int } | B\nfn f(t: T) -> Int = t.v\n",
    );
    refused(
        "module m\ntype T { v: Int }\nfn f(t: T?) -> Int = t.v\n",
        expect![[r#"
            m.dag:3:24: error[E0302]: T? has no field `v`
              |
            3 | fn f(t: T?) -> Int = t.v
              |                        ^
              |
              = help: the value may be absent: `match` it, or give a value with `?? …`"#]],
    );
    sound(
        "module m\ntype Host { name: String, memory: Int }\nfn f(memory: Int) -> Host = Host { name: \"a\", memory }\nfn g(h: Host) -> Int = h.memory\n",
    );
}

#[test]
fn a_pun_has_its_fields_type() {
    breaks(
        "E0301",
        "module m\ntype T { v: Int }\nfn f(v: String) -> T = T { v }\n",
    );
    breaks(
        "E0206",
        "module m\ntype T { v: Int }\nfn f() -> T = T { v }\n",
    );
    // A function is not its result.
    breaks(
        "E0301",
        "module m\ntype T { size: Int }\nfn size() -> Int = 1\nfn f() -> T = T { size }\n",
    );
    breaks(
        "E0301",
        "module m\ntype T { repeat: Int }\nfn f() -> T = T { repeat }\n",
    );
    sound(
        "module m\ntype T { v: Int, g: fn(Int) -> Int }\ndata v: Int = 1\nfn g(x: Int) -> Int = x\nfn f() -> T = T { v, g }\n",
    );
}

#[test]
fn an_alias_is_the_type_it_stands_for() {
    let beside = "module m\ntype Box<T> { value: T }\ntype IntBox = Box<Int>\ntype Same<T> = Box<T>\ntype Num = Int\n";
    sound(&format!(
        "{beside}data a: IntBox = Box {{ value: 1 }}\ndata b: Box<Int> = IntBox {{ value: 1 }}\ndata c: Num = 1\ndata d: Int = c\ndata e: Same<Int> = Same {{ value: 1 }}\nfn f(b: IntBox) -> Int = match b {{ IntBox {{ value }} => value }}\n"
    ));
    breaks(
        "E0301",
        &format!("{beside}data b: Box<String> = IntBox {{ value: 1 }}\n"),
    );
    refused(
        &format!("{beside}fn f() -> Int {{\n  let b = IntBox {{ value: \"one\" }}\n  1\n}}\n"),
        expect![[r#"
            m.dag:7:27: error[E0301]: expected Int, found String
              |
            2 | type Box<T> { value: T }
              |               ----- the field `value`
            ...
            7 |   let b = IntBox { value: "one" }
              |                           ^^^^^"#]],
    );
    breaks(
        "E0206",
        &format!("{beside}data b: Int = Num {{ value: 1 }}\n"),
    );
    refused(
        "module m\ntype A = B\ntype B = List<A>\n",
        expect![[r#"
            m.dag:3:15: error[E0311]: the alias `A` stands for itself
              |
            3 | type B = List<A>
              |               ^"#]],
    );
    breaks("E0311", "module m\ntype A = A\n");
}

#[test]
fn an_operator_is_defined_for_its_operands() {
    refused(
        "module m\ndata a: Int = 1 + \"one\"\ndata b: Int = 1 - true\ndata c: Bool = 1 == \"one\"\ndata d: Bool = true < false\n",
        expect![[r#"
            m.dag:2:15: error[E0310]: `+` is given Int and String
              |
            2 | data a: Int = 1 + "one"
              |               ^^^^^^^^^
              |
              = note: both sides are of one type
              = help: write `to_string(…)`, or a string with a hole: `"{…}"`
            m.dag:3:15: error[E0310]: `-` is given Int and Bool
              |
            3 | data b: Int = 1 - true
              |               ^^^^^^^^
              |
              = note: both sides are of one type
            m.dag:4:16: error[E0310]: `==` is given Int and String
              |
            4 | data c: Bool = 1 == "one"
              |                ^^^^^^^^^^
              |
              = note: both sides are of one type
              = help: write `to_string(…)`, or a string with a hole: `"{…}"`
            m.dag:5:16: error[E0310]: `<` is not defined for Bool
              |
            5 | data d: Bool = true < false
              |                ^^^^^^^^^^^^"#]],
    );
    for bad in [
        "true + false",
        "-\"a\"",
        "1.5 % 2.0",
        "1 + 1.0",
        "\"a\" - \"b\"",
        "[1] < [2]",
        "1 ?? 2",
        "(x => x) == (x => x)",
        "[x => x] != []",
        "count(3)",
        "() + ()",
    ] {
        breaks(
            "E0310",
            &format!("module m\nfn f() -> Int {{\n  let x = {bad}\n  1\n}}\n"),
        );
    }
    sound(
        "module m\ndata a: Int = 1 + 2 * 3 - 4 / 5 % 6\ndata b: Float = 1.0 + 2.5\ndata c: String = \"a\" + \"b\"\ndata d: List<Int> = [1] + []\ndata e: Bool = \"a\" < \"b\" && 1.5 >= 1.0 || [1] == [2]\ndata f: Int = -(3)\n",
    );
}

#[test]
fn functions_are_not_compared_or_shown() {
    let beside = "module m\ntype Rule { test: fn(Int) -> Bool, name: String }\n";
    for bad in [
        "r == r",
        "contains([r], r)",
        "count(dedup([r])) == 1",
        "[[r]] == []",
        "Present { value: r } == none",
    ] {
        breaks("E0310", &format!("{beside}fn f(r: Rule) -> Bool = {bad}\n"));
    }
    for bad in [
        "\"{r}\"",
        "to_string(r)",
        "to_string([r.test])",
        "\"{r.test}\"",
        "{ let g = x => \"{x}\"\n g(r) }",
    ] {
        breaks(
            "E0313",
            &format!("{beside}fn f(r: Rule) -> String = {bad}\n"),
        );
    }
    refused(
        "module m\nfn f(g: fn(Int) -> Int) -> String = \"{g}\"\n",
        expect![[r#"
            m.dag:2:39: error[E0313]: a function cannot be shown as text
              |
            2 | fn f(g: fn(Int) -> Int) -> String = "{g}"
              |                                       ^"#]],
    );
    sound(&format!(
        "{beside}fn f(r: Rule) -> String = \"{{r.name}} {{r.test(1)}}\"\nfn g(r: Rule) -> Bool = r.name == \"a\"\n"
    ));
}

#[test]
fn a_cast_leads_only_where_it_may() {
    refused(
        "module m\ntype T { v: Int }\ndata d: Int = \"3\" as Int\nfn f(t: T) -> String = t as String\n",
        expect![[r#"
            m.dag:3:15: error[E0308]: `as` does not lead from String to Int
              |
            3 | data d: Int = "3" as Int
              |               ^^^^^^^^^^
              |
              = note: it converts between numbers and text, widens to a base, or enters a refinement
              = help: write `parse_int(…)`, which gives an `Int?`
            m.dag:4:24: error[E0308]: `as` does not lead from T to String
              |
            4 | fn f(t: T) -> String = t as String
              |                        ^^^^^^^^^^^
              |
              = note: it converts between numbers and text, widens to a base, or enters a refinement"#]],
    );
    for bad in [
        "true as Int",
        "[1] as List<Float>",
        "none as Int",
        "(x => x) as Int",
        "1 as Bool",
        "1 as Unit",
        "\"a\" as Float",
    ] {
        breaks(
            "E0308",
            &format!("module m\nfn f() -> Int {{\n  let x = {bad}\n  1\n}}\n"),
        );
    }
    sound(
        "module m\ndata a: String = 1 as String\ndata b: Float = 1 as Float\ndata c: Int = 1.0 as Int\ndata d: String = true as String\ndata e: List<Int> = [] as List<Int>\ndata f: Int? = none as Int?\n",
    );
}

#[test]
fn an_if_that_gives_a_value_has_an_else() {
    refused(
        "module m\nfn f(b: Bool) -> Int {\n  if b { 1 }\n}\n",
        expect![[r#"
            m.dag:3:3: error[E0314]: an `if` that gives a value has an `else`
              |
            3 |   if b { 1 }
              |   ^^^^^^^^^^
              |
              = help: add `else { … }`, or `return` the value from the block"#]],
    );
    sound(
        "module m\nfn f(b: Bool) -> Int {\n  if b { return 1 }\n  2\n}\nfn g(b: Bool) -> Unit {\n  if b { () }\n}\n",
    );
}

#[test]
fn a_type_takes_its_arguments() {
    refused(
        "module m\ntype Box<T> { v: T }\nfn f(a: Box, b: Box<Int, Int>, c: Int<Int>) -> Int = 1\n",
        expect![[r#"
            m.dag:3:9: error[E0306]: `Box` takes one type argument, and is given no type argument
              |
            2 | type Box<T> { v: T }
              |      --- declared here
            3 | fn f(a: Box, b: Box<Int, Int>, c: Int<Int>) -> Int = 1
              |         ^^^
            m.dag:3:17: error[E0306]: `Box` takes one type argument, and is given 2 type arguments
              |
            2 | type Box<T> { v: T }
              |      --- declared here
            3 | fn f(a: Box, b: Box<Int, Int>, c: Int<Int>) -> Int = 1
              |                 ^^^^^^^^^^^^^
            m.dag:3:35: error[E0306]: `Int` takes no type argument, and is given one type argument
              |
            3 | fn f(a: Box, b: Box<Int, Int>, c: Int<Int>) -> Int = 1
              |                                   ^^^^^^^^"#]],
    );
    breaks("E0306", "module m\nfn f<T>(a: T<Int>) -> Int = 1\n");
    breaks("E0306", "module m\ndata x: List = []\n");
    sound("module m\ntype Box<T> { v: T }\nfn f(a: Box<Int>, c: List<Box<String>>) -> Int = 1\n");
}

#[test]
fn a_type_can_be_built_and_ends() {
    refused(
        "module m\ntype A { b: B }\ntype B { a: A }\n",
        expect![[r#"
            m.dag:2:6: error[E0311]: no value of `A` can be built: it contains itself without an end
              |
            2 | type A { b: B }
              |      ^
              |
              = help: put it in a `List<…>`, or make it optional with `?`"#]],
    );
    breaks("E0311", "module m\ntype A = | B { a: A }\n");
    sound("module m\ntype A { b: List<A>, c: A? }\ntype T = Leaf | Node { l: T, r: T }\n");
}

#[test]
fn a_constructor_starts_with_a_capital_letter() {
    refused(
        "module m\ntype colour = red | Green\ntype point { x: Int }\n",
        expect![[r#"
            m.dag:2:15: error[E0311]: a variant's name starts with a capital letter, and `red` does not
              |
            2 | type colour = red | Green
              |               ^^^
            m.dag:3:6: error[E0311]: a record's name starts with a capital letter, and `point` does not
              |
            3 | type point { x: Int }
              |      ^^^^^"#]],
    );
    sound("module m\ntype colour = Red | Green\ntype port = Int\n");
}

#[test]
fn a_number_fits() {
    refused(
        "module m\ndata a: Int = 9223372036854775808\ndata b: Int = 12abc\n",
        expect![[r#"
            m.dag:2:15: error[E0103]: this integer does not fit in 64 bits
              |
            2 | data a: Int = 9223372036854775808
              |               ^^^^^^^^^^^^^^^^^^^
            m.dag:3:15: error[E0103]: `12abc` is neither a number nor a name
              |
            3 | data b: Int = 12abc
              |               ^^^^^"#]],
    );
    breaks("E0103", "module m\ndata b: Float = 1.5e3\n");
    refused(
        "module m\ndata a: List<Int> = [0644, 1__0, 08, 0x1F]\n",
        expect![[r#"
            m.dag:2:22: error[E0103]: `0644` begins with a zero that says nothing
              |
            2 | data a: List<Int> = [0644, 1__0, 08, 0x1F]
              |                      ^^^^
              |
              = note: numbers are decimal; where others read it as octal, it is 420
              = help: write `644`
            m.dag:2:28: error[E0103]: a `_` of `1__0` does not stand between two digits
              |
            2 | data a: List<Int> = [0644, 1__0, 08, 0x1F]
              |                            ^^^^
              |
              = note: a `_` parts digits, one at a time
              = help: write `1_0`
            m.dag:2:34: error[E0103]: `08` begins with a zero that says nothing
              |
            2 | data a: List<Int> = [0644, 1__0, 08, 0x1F]
              |                                  ^^
              |
              = note: numbers are decimal
              = help: write `8`
            m.dag:2:38: error[E0103]: `0x1F` is neither a number nor a name
              |
            2 | data a: List<Int> = [0644, 1__0, 08, 0x1F]
              |                                      ^^^^
              |
              = note: numbers are decimal
              = help: write `31`"#]],
    );
    for (number, plain) in [
        ("007", "7"),
        ("0_1", "1"),
        ("00", "0"),
        ("0_0", "0"),
        ("1_", "1"),
        ("1__0", "1_0"),
        ("0b101", "5"),
    ] {
        let text = format!("module m\ndata a: Int = {number}\n");
        breaks("E0103", &text);
        assert!(errors_of(&[("m.dag", &text)]).contains(&format!("write `{plain}`")));
        sound(&text.replace(number, plain));
        breaks(
            "E0103",
            &format!("module m\ntype P = Int where range(min: {number})\n"),
        );
        breaks(
            "E0103",
            &format!(
                "module m\nfn f(n: Int) -> Bool = match n {{ {number} => true, _ => false }}\n"
            ),
        );
    }
    for (number, plain) in [
        ("00.5", "0.5"),
        ("01.5", "1.5"),
        ("1_.5", "1.5"),
        ("1.5_", "1.5"),
    ] {
        let text = format!("module m\ndata a: Float = {number}\n");
        breaks("E0103", &text);
        assert!(errors_of(&[("m.dag", &text)]).contains(&format!("write `{plain}`")));
        sound(&text.replace(number, plain));
    }
    sound(
        "module m\ndata a: Int = 9_223_372_036_854_775_807\ndata b: Int = -9223372036854775808\ndata c: Float = 0.5\ndata d: Float = 1_0.0_05\ndata e: Int = 0\n",
    );
}

#[test]
fn a_witness_is_a_bool_in_a_test_file() {
    refused(
        "module m\ntest fn w() -> Bool = true\n",
        expect![[r#"
            m.dag:2:9: error[E0111]: a `test` item stands outside a test file
              |
            2 | test fn w() -> Bool = true
              |         ^
              |
              = help: move it to a file whose name ends in `_test.dag`"#]],
    );
    common::refused_files(
        &[(
            "m_test.dag",
            "module m_test\ntest fn a() -> Int = 1\ntest fn b(x: Int) -> Bool = true\ntest data c: String = \"\"\ntest fn d<T>() -> Bool = true\n",
        )],
        expect![[r#"
            m_test.dag:2:16: error[E0312]: a witness returns Bool, not Int
              |
            2 | test fn a() -> Int = 1
              |                ^^^
            m_test.dag:3:9: error[E0312]: a witness takes no parameters
              |
            3 | test fn b(x: Int) -> Bool = true
              |         ^
            m_test.dag:4:14: error[E0312]: a witness returns Bool, not String
              |
            4 | test data c: String = ""
              |              ^^^^^^
            m_test.dag:5:9: error[E0312]: a witness takes no parameters
              |
            5 | test fn d<T>() -> Bool = true
              |         ^"#]],
    );
    common::sound_files(&[(
        "m_test.dag",
        "module m_test\ntest fn a() -> Bool = true\ntest data b: Bool = false\n",
    )]);
}
