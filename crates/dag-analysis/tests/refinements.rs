//! `where`: a refinement holds or is refused, widens, and is entered.

mod common;

use common::{breaks, refused, sound};
use expect_test::expect;

const TYPES: &str = "module m
type Port = Int where range(min: 1, max: 65535)
type Low = Port where range(max: 1023)
type Name = String where pattern(\"[a-z]+\")
type Some = List<Int> where non_empty
type Metre = Int where brand(\"Metre\")
type Foot = Int where brand(\"Foot\")
fn port() -> Port = 80
fn metre() -> Metre = 3 as Metre
";

fn with(rest: &str) -> String {
    format!("{TYPES}{rest}\n")
}

#[test]
fn a_literal_is_decided_when_it_is_checked() {
    refused(
        &with(
            "data a: Port = 0\ndata b: NonEmptyStr = \"\"\ndata c: Name = \"Eins\"\ndata d: Some = []\ndata e: Low = 8080\ndata f: Nat = -1",
        ),
        expect![[r#"
            m.dag:10:16: error[E0309]: this is no `Port`: it does not hold that it is between 1 and 65535
               |
             2 | type Port = Int where range(min: 1, max: 65535)
               |      ---- the type is declared here
            ...
            10 | data a: Port = 0
               |                ^
            m.dag:11:23: error[E0309]: this is no `NonEmptyStr`: it does not hold that it is not empty
               |
            11 | data b: NonEmptyStr = ""
               |                       ^^
            m.dag:12:16: error[E0309]: this is no `Name`: it does not hold that it matches [a-z]+ as a whole
               |
             4 | type Name = String where pattern("[a-z]+")
               |      ---- the type is declared here
            ...
            12 | data c: Name = "Eins"
               |                ^^^^^^
            m.dag:13:16: error[E0309]: this is no `Some`: it does not hold that it is not empty
               |
             5 | type Some = List<Int> where non_empty
               |      ---- the type is declared here
            ...
            13 | data d: Some = []
               |                ^^
            m.dag:14:15: error[E0309]: this is no `Low`: it does not hold that it is at most 1023
               |
             3 | type Low = Port where range(max: 1023)
               |      --- the type is declared here
            ...
            14 | data e: Low = 8080
               |               ^^^^
            m.dag:15:15: error[E0309]: this is no `Nat`: it does not hold that it is at least 0
               |
            15 | data f: Nat = -1
               |               ^^"#]],
    );
    sound(&with(
        "data a: Port = 65_535\ndata b: NonEmptyStr = \"x\"\ndata c: Name = \"eins\"\ndata d: Some = [1]\ndata e: Low = 80\ndata f: Nat = 0",
    ));
}

#[test]
fn a_literal_is_decided_at_every_position() {
    for bad in [
        "data d: List<Port> = [1, 0]",
        "data d: Port? = 0",
        "data d: Port? = Present { value: 0 }",
        "data d: Pair<Port, Name> = Pair { first: 1, second: \"A\" }",
        "data d: Port = if true { 0 } else { 1 }",
        "data d: Port = { let x: Port = 0\n x }",
        "data d: Port = 0 as Port",
        "data d: Int = 0 as Port",
        "fn f(p: Port) -> Port = f2(0)\nfn f2(p: Port) -> Port = p",
        "fn f(c: Bool) -> Port = match c { true => 1, false => 0 }",
        "fn f(c: Bool) -> Port { if c { return 0 }\n 1 }",
        "data d: List<Port> = map([1], x => 0)",
        "fn f(n: Int where range(min: 1)) -> Int = n\ndata d: Int = f(0)",
        "type T { n: Int where range(min: 1), s: String where non_empty, t: Int }\ndata d: T = T { n: 1, s: \"\", t: 0 }",
    ] {
        breaks("E0309", &with(bad));
    }
}

#[test]
fn what_is_no_literal_enters_when_it_is_built() {
    sound(&with(
        "fn f(n: Int) -> Port = n\nfn g(s: String) -> NonEmptyStr = s + \"x\"\nfn h(n: Int) -> List<Port> = [n, n + 1]\nfn i(n: Int?) -> Port = n ?? 3\nfn j(n: Int) -> Port? = n",
    ));
}

#[test]
fn a_refined_value_widens() {
    sound(&with(
        "fn f(p: Port, n: Name, l: Low, s: Some) -> Int {\n  let a: Int = p\n  let b: Port = l\n  let c: Int = l\n  let d: String = n\n  let e: List<Int> = s\n  let g: List<Int> = [p, l, 3]\n  let h: Int? = p\n  let i: List<Int>? = s\n  p + l + count(n) + count(s)\n}\nfn k(ps: List<Port>) -> List<Int> = ps\nfn l(ps: List<Port>?) -> List<Int>? = ps\nfn m(f: fn(Int) -> Port) -> fn(Port) -> Int = f",
    ));
    // A container does not narrow as it stands, and a user's type is of one argument.
    breaks("E0301", &with("fn f(ns: List<Int>) -> List<Port> = ns"));
    breaks(
        "E0301",
        &with("fn f(g: fn(Port) -> Int) -> fn(Int) -> Int = g"),
    );
    breaks(
        "E0301",
        &with("type Box<T> { v: T }\nfn f(b: Box<Port>) -> Box<Int> = b"),
    );
}

#[test]
fn a_brand_is_entered_by_as_alone() {
    refused(
        &with("fn f(n: Int) -> Metre = n\nfn g(m: Metre) -> Foot = m\ndata h: Metre = 3"),
        expect![[r#"
            m.dag:10:25: error[E0301]: expected Metre, found Int
               |
            10 | fn f(n: Int) -> Metre = n
               |                 -----   ^
               |                 |
               |                 declared here
               |
               = help: enter the refinement: `… as Metre`
            m.dag:11:26: error[E0301]: expected Foot, found Metre
               |
            11 | fn g(m: Metre) -> Foot = m
               |                   ----   ^
               |                   |
               |                   declared here
               |
               = help: enter the refinement: `… as Foot`
            m.dag:12:17: error[E0301]: expected Metre, found Int
               |
            12 | data h: Metre = 3
               |         -----   ^
               |         |
               |         declared here
               |
               = help: enter the refinement: `… as Metre`"#]],
    );
    breaks(
        "E0301",
        &with("fn f(m: Metre, g: Foot) -> List<Foot> = [g, m]"),
    );
    sound(&with(
        "fn f(n: Int) -> Metre = n as Metre\nfn g(m: Metre) -> Int = m + 1\nfn h(m: Metre) -> Foot = m as Foot",
    ));
}

#[test]
fn two_brands_are_not_compared() {
    refused(
        &with("fn f(m: Metre, g: Foot) -> Bool = m == g"),
        expect![[r#"
            m.dag:10:35: error[E0310]: `==` is given Metre and Foot
               |
            10 | fn f(m: Metre, g: Foot) -> Bool = m == g
               |                                   ^^^^^^
               |
               = note: each has a brand that the other has not, so that no value is one of both
               = help: to compare what they are made of, write `(… as Int)` on one side"#]],
    );
    for sign in ["==", "!=", "<", "<=", ">", ">="] {
        breaks(
            "E0310",
            &with(&format!("fn f(m: Metre, g: Foot) -> Bool = m {sign} g")),
        );
        // A value of a brand is one of its base, too.
        sound(&with(&format!(
            "type Depth = Metre where brand(\"Depth\")\nfn f(m: Metre, g: Foot, d: Depth, n: Int, p: Port) -> List<Bool> = [\n  m {sign} m\n  m {sign} n\n  3 {sign} m\n  d {sign} m\n  m {sign} d\n  m {sign} p\n  (m as Int) {sign} g\n]"
        )));
        breaks(
            "E0310",
            &with(&format!(
                "type Depth = Metre where brand(\"Depth\")\nfn f(d: Depth, g: Foot) -> Bool = d {sign} g"
            )),
        );
    }
    // Both of one brand, and each with another one besides.
    breaks(
        "E0310",
        &with(
            "type Depth = Metre where brand(\"Depth\")\ntype Height = Metre where brand(\"Height\")\nfn f(d: Depth, h: Height) -> Bool = d == h",
        ),
    );
    breaks(
        "E0301",
        &with("fn f(m: List<Metre>, g: Foot) -> Bool = m.contains(g)"),
    );
}

#[test]
fn a_refined_record_coproduct_or_optional_is_used_as_its_base() {
    sound(&with(
        "type P { v: Int }\ntype Q = P where brand(\"Q\")\ntype C = A(Int) | B\ntype D = C where brand(\"D\")\ntype O = Optional<Int> where brand(\"O\")\nfn f(q: Q) -> Int = q.v\nfn g(d: D) -> Int = match d { A(x) => x, B => 0 }\nfn h(o: O) -> Int = match o { Present { value } => value, none => 0 }\nfn i(q: Q) -> Int = match q { P { v } => v }\nfn j(n: Port) -> Int = match n { 80 => 1, _ => 2 }",
    ));
    breaks(
        "E0401",
        &with(
            "type C = A(Int) | B\ntype D = C where brand(\"D\")\nfn g(d: D) -> Int = match d { A(x) => x }",
        ),
    );
}

#[test]
fn a_predicate_speaks_of_its_type() {
    refused(
        "module m\ntype A = Int where non_empty\ntype B = String where range(min: 1)\ntype C = String where tidy\ntype D = Int where range(min: 9, max: 1)\ntype E = String where pattern(\"(\")\ntype F = Int where range(1, 2)\ntype G = Bool where pattern(\"a\")\n",
        expect![[r#"
            m.dag:2:20: error[E0311]: `non_empty` says nothing about a value of type Int
              |
            2 | type A = Int where non_empty
              |                    ^^^^^^^^^
            m.dag:3:23: error[E0311]: `range` says nothing about a value of type String
              |
            3 | type B = String where range(min: 1)
              |                       ^^^^^^^^^^^^^
            m.dag:4:23: error[E0206]: there is no `tidy` here
              |
            4 | type C = String where tidy
              |                       ^^^^
            m.dag:5:20: error[E0311]: no number is from 9 to 1
              |
            5 | type D = Int where range(min: 9, max: 1)
              |                    ^^^^^^^^^^^^^^^^^^^^^
            m.dag:6:31: error[E0311]: this is no regular expression: found open group without closing ')'
              |
            6 | type E = String where pattern("(")
              |                               ^^^
            m.dag:7:20: error[E0311]: `range(1, 2)` is no predicate
              |
            7 | type F = Int where range(1, 2)
              |                    ^^^^^^^^^^^
              |
              = note: predicates: non_empty, range(min: 0, max: 9), pattern("[a-z]+"), brand("Name"), and the name of a function of the base that gives Bool
            m.dag:8:21: error[E0311]: `pattern` says nothing about a value of type Bool
              |
            8 | type G = Bool where pattern("a")
              |                     ^^^^^^^^^^^^"#]],
    );
    breaks("E0311", "module m\ntype A = Int where range(min: lost)\n");
    sound(
        "module m\ntype A = List<Int> where non_empty, brand(\"A\")\ntype B = Int where range(min: -3)\ntype C = String where pattern(\"a|b\"), non_empty\n",
    );
}

#[test]
fn a_refinement_inside_a_generic_function_is_of_its_parameter() {
    sound(
        "module m\nfn head<T>(items: List<T> where non_empty, other: T) -> T = first(items) ?? other\ndata a: Int = head([1], 2)\ndata b: String = head([\"a\"], \"b\")\nfn again<A, T>(x: A, y: T) -> T = head([y], y)\n",
    );
    breaks(
        "E0301",
        "module m\nfn head<T>(items: List<T> where non_empty, other: T) -> T = other\ndata a: Int = head([\"a\"], 2)\n",
    );
    // The parameter of one function is not the parameter of another.
    breaks(
        "E0301",
        "module m\nfn head<T>(items: List<T> where non_empty, other: T) -> T = other\nfn forge<A, T>(x: A, y: T) -> A = head([y], y)\n",
    );
    sound(
        "module m\ntype Box<T> { all: List<T> where non_empty }\ndata b: Box<Int> = Box { all: [1] }\nfn f<T>(b: Box<T>) -> List<T> = b.all\n",
    );
}

/// What a pattern would need is known before it is built: its text, its groups, and its
/// program with the repetitions written out.
#[test]
fn a_pattern_has_a_size() {
    let of = |pattern: &str| {
        common::errors_of(&[(
            "m.dag",
            &format!("module m\ntype T = String where pattern(\"{pattern}\")\n"),
        )])
    };
    for pattern in [
        "[a-z0-9]([a-z0-9-]\\{0,61}[a-z0-9])?",
        ".\\{0,1024}",
        "(a|b|c)\\{100}",
        &"(?:ab)".repeat(500),
        &"(ab)".repeat(100),
        &"a".repeat(4096),
    ] {
        assert_eq!(of(pattern), "", "{pattern}");
    }
    for (pattern, why) in [
        (
            "(a\\{1000})\\{1000}",
            "the program of this pattern is larger than 256 KiB",
        ),
        (
            "((a\\{100})\\{100})\\{100}",
            "the program of this pattern is larger than 256 KiB",
        ),
        (
            "(?:)\\{4000000000}",
            "the program of this pattern is larger than 256 KiB",
        ),
        (&"a?".repeat(2049), "this pattern has 4098 bytes"),
        (&"()".repeat(101), "this pattern has 101 groups"),
        (&"(".repeat(10_000), "this pattern has 10000 bytes"),
    ] {
        let said = of(pattern);
        assert!(
            said.contains("E0311") && said.contains(why),
            "{pattern}: {said}"
        );
        assert!(said.lines().count() <= 12, "{said}");
    }
    refused(
        "module m\ntype T = String where pattern(\"(a\\{1000})\\{1000}\")\n",
        expect![[r#"
            m.dag:2:31: error[E0311]: the program of this pattern is larger than 256 KiB with its repetitions written out
              |
            2 | type T = String where pattern("(a\{1000})\{1000}")
              |                               ^^^^^^^^^^^^^^^^^^^
              |
              = help: repeat less, or name a function that looks at the text: a predicate may be one"#]],
    );
}

/// A literal that takes long to match is left to the evaluation.
#[test]
fn a_long_literal_of_a_large_pattern_is_not_decided_here() {
    let of = |text: &str| {
        common::codes_of(&[(
            "m.dag",
            &format!(
                "module m\ntype T = String where pattern(\"(?:a\\{{0,50}}b?)\\{{0,60}}\")\ndata t: T = \"{text}\"\n"
            ),
        )])
    };
    assert_eq!(of("c"), ["E0309"]);
    assert_eq!(of(&"c".repeat(10_000)), [""; 0]);
}

#[test]
fn what_stands_in_for_an_absent_value_has_the_type_of_the_place() {
    sound(&with(
        "fn a(x: List<Port>?) -> List<Port> = x ?? [1]\n\
         fn b(x: Map<String, Port>?) -> Map<String, Port> = x ?? {}\n\
         fn c(x: Port?, y: Port?) -> Port? = x ?? y\n\
         fn d(x: Port?) -> Int = x ?? 0\n\
         fn e<T>(a: T, b: T) -> T = a\n\
         fn f(x: Port?) -> Int = e(x ?? 0, 5)\n\
         fn g(x: Port?) -> Int { let y = x ?? 0\n y }",
    ));
    refused(
        &with(
            "fn a(x: List<Port>?) -> List<Port> = x ?? [1, 0]\nfn b(x: Port?) -> Port = x ?? \"\"",
        ),
        expect![[r#"
            m.dag:10:47: error[E0309]: this is no `Port`: it does not hold that it is between 1 and 65535
               |
             2 | type Port = Int where range(min: 1, max: 65535)
               |      ---- the type is declared here
            ...
            10 | fn a(x: List<Port>?) -> List<Port> = x ?? [1, 0]
               |                                               ^
            m.dag:11:31: error[E0301]: expected Port, found String
               |
            11 | fn b(x: Port?) -> Port = x ?? ""
               |                   ----        ^^
               |                   |
               |                   declared here"#]],
    );
}

#[test]
fn what_a_base_leaves_to_an_evaluation_hides_nothing_of_the_type() {
    refused(
        "module m\nfn even(n: Int) -> Bool = n % 2 == 0\ntype Even = Int where even\n\
         type Digit = Even where range(min: 0, max: 9)\ndata a: Digit = 10\ndata b: Digit = 3",
        expect![[r#"
            m.dag:5:17: error[E0309]: this is no `Digit`: it does not hold that it is between 0 and 9
              |
            4 | type Digit = Even where range(min: 0, max: 9)
              |      ----- the type is declared here
            5 | data a: Digit = 10
              |                 ^^"#]],
    );
}
