//! `for`, ranges, and the names of variants.

mod common;

use common::{breaks, refused, sound};
use expect_test::expect;

#[test]
fn for_walks_lists_and_sets() {
    sound(
        "module m\nfn f(xs: List<Int>) -> List<String> = for x in xs { to_string(x) }\nfn g(s: Set<String>) -> List<Int> {\n  for x in s { count(x) }\n}\nfn h(xs: List<Int>) -> List<Int?> = for x in xs { x }\nfn i(xs: List<List<Int>>) -> List<List<Int>> = for ys in xs { for y in ys { y } }\nfn j(xs: List<Int>) -> Int {\n  for x in xs { if x > 1 { return x } }\n  0\n}\nfn k(xs: List<Int>) -> Nat = count(for _ in xs { 1 })\n",
    );
    refused(
        "module m\nfn f(m: Map<String, Int>) -> List<Int> = for e in m { 1 }\nfn g(n: Int) -> List<Int> = for e in n { 1 }\nfn h(xs: List<Int>) -> List<String> = for x in xs { x }\nfn i(xs: List<Int>) -> Int = for x in xs { x }\nfn j(xs: List<Int>) -> Int {\n  for x in xs { return \"a\" }\n  x\n}\n",
        expect![[r#"
            m.dag:2:51: error[E0310]: `for` walks a list or a set, not Map<String, Int>
              |
            2 | fn f(m: Map<String, Int>) -> List<Int> = for e in m { 1 }
              |                                                   ^
              |
              = help: write `map_entries(…)`: `first` is the key, `second` the value
            m.dag:3:38: error[E0310]: `for` walks a list or a set, not Int
              |
            3 | fn g(n: Int) -> List<Int> = for e in n { 1 }
              |                                      ^
            m.dag:4:53: error[E0301]: expected String, found Int
              |
            4 | fn h(xs: List<Int>) -> List<String> = for x in xs { x }
              |                        ------------ declared here   ^
              |
              = help: write `to_string(…)`
            m.dag:5:30: error[E0301]: expected Int, found List<Int>
              |
            5 | fn i(xs: List<Int>) -> Int = for x in xs { x }
              |                        ---   ^^^^^^^^^^^^^^^^^
              |                        |
              |                        declared here
            m.dag:7:24: error[E0301]: expected Int, found String
              |
            7 |   for x in xs { return "a" }
              |                        ^^^
            m.dag:8:3: error[E0206]: there is no `x` here
              |
            8 |   x
              |   ^"#]],
    );
}

#[test]
fn a_range_has_two_ends() {
    sound(
        "module m\nfn f(n: Nat) -> List<Int> = 0..n + 1\nfn g() -> Bool = 0..3 == [0, 1, 2] && count(1..2) < 3\nfn h(n: Int) -> List<Int> = for i in 0..n { i }\n",
    );
    refused(
        "module m\nfn f(a: Int) -> List<Int> = a..2..3\nfn g() -> List<Int> = 1..\"2\"\nfn h() -> List<Int> = 1.5..2\n",
        expect![[r#"
            m.dag:2:33: error[E0101]: a range has two ends
              |
            2 | fn f(a: Int) -> List<Int> = a..2..3
              |                                 ^^
              |
              = help: write parentheses: `(a..b)`
            m.dag:3:26: error[E0301]: expected Int, found String
              |
            3 | fn g() -> List<Int> = 1.."2"
              |                          ^^^
            m.dag:4:23: error[E0301]: expected Int, found Float
              |
            4 | fn h() -> List<Int> = 1.5..2
              |                       ^^^"#]],
    );
}

#[test]
fn descent_goes_through_what_is_walked() {
    sound(
        "module m
type Tree { kids: List<Tree>, named: Map<String, Tree>, set: Set<Tree> }
fn a(t: Tree) -> Int = sum(for k in t.kids { a(k) })
fn b(t: Tree) -> Int = fold(t.named, 0, (acc, e) => acc + b(e.second))
fn c(t: Tree) -> Int = fold(t.set, 0, (acc, k) => acc + c(k))
fn d(t: Tree) -> Int = sum(for k in t.set { d(k) })
fn e(t: Tree) -> Int = sum(map(map_values(t.named), k => e(k)))
fn f(t: Tree) -> Int = match map_get(t.named, \"a\") { Present { value } => f(value), Absent => 0 }
fn g(t: Tree) -> Bool = any(t.set, k => g(k)) || all(t.set, k => g(k)) || count(filter(t.set, k => g(k))) > 0 || count(map(t.set, k => g(k))) > 0
",
    );
    breaks(
        "E0501",
        "module m\nfn f(xs: List<Int>) -> Int = sum(for x in xs { f(xs) })\n",
    );
    breaks(
        "E0501",
        "module m\nfn f(m: Map<Int, Int>) -> Int = fold(m, 0, (acc, e) => f(m))\n",
    );
    breaks(
        "E0501",
        "module m\ntype T { s: Set<T> }\nfn f(t: T) -> Int = sum(map(set_insert(t.s, t), x => f(x)))\n",
    );
}

#[test]
fn a_variant_is_named() {
    sound(
        "module m\ntype V = A | B(Int)\nfn f(v: V) -> String = ^v\nfn g(v: V?) -> String = ^(v) + discriminant(v)\ntype W = V where brand(\"w\")\nfn h(w: W) -> Bool = ^w == \"A\"\n",
    );
    refused(
        "module m\ntype R { n: Int }\nfn f(r: R) -> String = ^r\nfn g(n: Int) -> String = discriminant(n)\nfn h<T>(t: T) -> String = ^t\nfn i(r: R) -> String = ^r.n\nfn j(f: fn() -> Int) -> String = ^f()\n",
        expect![[r#"
            m.dag:3:25: error[E0310]: a value of type R has no variant to name
              |
            3 | fn f(r: R) -> String = ^r
              |                         ^
              |
              = note: `^` and `discriminant` name the variant of a coproduct's value
            m.dag:4:26: error[E0310]: a value of type Int has no variant to name
              |
            4 | fn g(n: Int) -> String = discriminant(n)
              |                          ^^^^^^^^^^^^^^^
              |
              = note: `^` and `discriminant` name the variant of a coproduct's value
            m.dag:5:28: error[E0310]: a value of type T has no variant to name
              |
            5 | fn h<T>(t: T) -> String = ^t
              |                            ^
              |
              = note: `^` and `discriminant` name the variant of a coproduct's value
            m.dag:6:26: error[E0101]: what `^` stands before is ambiguous here
              |
            6 | fn i(r: R) -> String = ^r.n
              |                          ^
              |
              = help: write `^(a.b)` for the variant of `a.b`, or `(^a).b`
            m.dag:7:36: error[E0101]: what `^` stands before is ambiguous here
              |
            7 | fn j(f: fn() -> Int) -> String = ^f()
              |                                    ^
              |
              = help: write `^(a.b)` for the variant of `a.b`, or `(^a).b`"#]],
    );
}

#[test]
fn one_field_is_given_without_its_name() {
    sound(
        "module m\ntype R { n: Int }\ntype G<T> { v: List<T> }\ndata a: R = R { 5 }\ndata b: G<Int> = G { [] }\ntype V = A { n: Int } | B(Int)\ndata c: List<V> = [A { 1 }, B { 2 }, B(3)]\nfn f(v: V) -> Int = match v { A { n: 1 } => 1, A { n } => n, B(2) => 2, B(x) => x }\n",
    );
    refused(
        "module m\ntype R { n: Int, m: Int }\ndata a: R = R { 5 }\ntype S { n: Int }\ndata b: S = S { \"5\" }\ntype E {}\ndata c: E = E { 1 }\n",
        expect![[r#"
            m.dag:3:13: error[E0304]: `R` is built with named fields: `R { … }`
              |
            3 | data a: R = R { 5 }
              |             ^^^^^^^
              |
              = note: only the value of a single field is written without its name
              = help: write `R { n: …, m: … }`
            m.dag:5:17: error[E0301]: expected Int, found String
              |
            4 | type S { n: Int }
              |          - the field `n`
            5 | data b: S = S { "5" }
              |                 ^^^
            m.dag:7:13: error[E0304]: `E` is built with named fields: `E { … }`
              |
            7 | data c: E = E { 1 }
              |             ^^^^^^^"#]],
    );
}
