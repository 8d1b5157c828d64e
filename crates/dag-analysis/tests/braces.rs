//! Braces without a name: records without one, maps; and set literals.

mod common;

use common::{breaks, refused, sound, sound_files};
use expect_test::expect;

#[test]
fn the_place_of_a_brace_says_what_it_is() {
    sound(
        "module m
type P { x: Int, y: String }
data a: P = { x: 1, y: \"b\" }
data b: P? = { y: \"b\", x: 1 }
data c: List<P> = [{ x: 1, y: \"a\" }]
data d: { x: Int, y: String } = { y: \"a\", x: 1 }
data e: Map<String, Int> = { x: 1, \"y z\": 2 }
data f: Map<String, P> = { a: { x: 1, y: \"\" } }
data g: Map<String, Map<String, Int>> = { a: {}, b: { c: 1 } }
data h: Int = { x: 1, y: 2 }.x
data i: Int = map_size({ \"x\": 1, y: 2 })
fn of(p: { x: Int }) -> Int = p.x
data j: Int = of({ x: 1 })
data k: Int = { let r = { x: 1, list: [{ z: 2 }] }\n of({ x: r.x }) + count(r.list) }
fn arm(o: Int?) -> { n: Int } = match o { Present { value } => { n: value }, Absent => { n: 0 } }
fn each(xs: List<Int>) -> List<{ n: Int }> = map(xs, n => { n: n })
data l: Int = sum(for r in each([1]) { r.n })
type Pair2<A> { one: A, two: A }
data m: Pair2<Int> = { one: 1, two: 2 }
data n: Bool = { a: 1 } == { a: 2 } && d == { x: 1, y: \"a\" }
type Alias = { q: Int }
data o: Alias = { q: 1 }
fn wide(p: { x: Int? }) -> Bool = is_present(p.x)
data nat: Nat = 1
data p: Bool = wide({ x: 3 })
fn plain(p: { x: Int }) -> Int = p.x
data q: Int = { let r = { x: nat }\n plain(r) }
fn narrow(m: Map<String, Nat>, s: Set<Nat>) -> Int = map_size(m) + size(s)
fn widen(m: Map<String, Int>, s: Set<Int>) -> Int = map_size(m) + size(s)
fn widened(m: Map<String, Nat>, s: Set<Nat>) -> Int = widen(m, s) + narrow(m, s)
",
    );
}

#[test]
fn fields_of_records_without_a_name_are_checked() {
    refused(
        "module m
type P { x: Int }
data a: P = { y: 1 }
data b: P = { x: \"1\" }
data c: { x: Int, y: Int } = { x: 1 }
data d: Int = { x: 1 }.y
data e: { x: Int } = { x: 1, z: 2 }
data f: P = { let r = { x: 1 }\n r }
data g: { x: Int } = P { x: 1 }
data h: List<Int> = [{ x: 1 }]
data i: { x: Int, x: Int } = { x: 1, x: 2 }
",
        expect![[r#"
            m.dag:3:15: error[E0302]: `P` has no field `y`
              |
            2 | type P { x: Int }
              |      - declared here
            3 | data a: P = { y: 1 }
              |               ^
            m.dag:4:18: error[E0301]: expected Int, found String
              |
            2 | type P { x: Int }
              |          - the field `x`
            3 | data a: P = { y: 1 }
            4 | data b: P = { x: "1" }
              |                  ^^^
            m.dag:5:30: error[E0303]: `{ x, y }` is not given `y`
              |
            5 | data c: { x: Int, y: Int } = { x: 1 }
              |                              ^^^^^^^^
            m.dag:6:24: error[E0302]: { x: Int } has no field `y`
              |
            6 | data d: Int = { x: 1 }.y
              |                        ^
            m.dag:7:30: error[E0302]: `{ x }` has no field `z`
              |
            7 | data e: { x: Int } = { x: 1, z: 2 }
              |                              ^
            m.dag:9:2: error[E0301]: expected P, found { x: Int }
              |
            8 | data f: P = { let r = { x: 1 }
              |         - declared here
            9 |  r }
              |  ^
            m.dag:10:22: error[E0301]: expected { x: Int }, found P
               |
            10 | data g: { x: Int } = P { x: 1 }
               |         ----------   ^^^^^^^^^^
               |         |
               |         declared here
            m.dag:11:22: error[E0301]: expected Int, found { x: Int }
               |
            11 | data h: List<Int> = [{ x: 1 }]
               |         ---------    ^^^^^^^^
               |         |
               |         declared here
            m.dag:12:19: error[E0205]: the field `x` is declared twice
               |
            12 | data i: { x: Int, x: Int } = { x: 1, x: 2 }
               |           -       ^
               |           |
               |           the first one
            m.dag:12:38: error[E0205]: the field `x` is given twice
               |
            12 | data i: { x: Int, x: Int } = { x: 1, x: 2 }
               |                                -     ^
               |                                |
               |                                the first time"#]],
    );
}

#[test]
fn a_brace_that_could_be_anything_is_refused() {
    refused(
        "module m
type V = A { x: Int } | B { x: Int }
data a: V = { x: 1 }
fn b() -> Int { let x = {}\n 1 }
data c: Unit = {}
type P { x: Int }
data d: P = { \"x\": 1 }
data e: { x: Int } = { \"x\": 1 }
data f: Map<Int, Int> = { a: 1, b: 2 }
data g: Map<String, Int> = { 1 }
",
        expect![[r#"
            m.dag:3:13: error[E0301]: expected V, whose values name their variant
              |
            3 | data a: V = { x: 1 }
              |             ^^^^^^^^
              |
              = help: write `Variant { … }`
            m.dag:4:25: error[E0307]: what these empty braces are is not known here
              |
            4 | fn b() -> Int { let x = {}
              |                         ^^
              |
              = help: write `empty_map()` for a map, `Name {}` for a record, `()` for no value
            m.dag:6:16: error[E0307]: what these empty braces are is not known here
              |
            6 | data c: Unit = {}
              |                ^^
              |
              = help: write `empty_map()` for a map, `Name {}` for a record, `()` for no value
            m.dag:8:15: error[E0101]: a field of a record is a name, not a string
              |
            8 | data d: P = { "x": 1 }
              |               ^^^^^^
            m.dag:9:24: error[E0101]: a field of a record is a name, not a string
              |
            9 | data e: { x: Int } = { "x": 1 }
              |                        ^^^^^^
            m.dag:10:27: error[E0301]: expected Int, found String
               |
            10 | data f: Map<Int, Int> = { a: 1, b: 2 }
               |                           ^
            m.dag:11:30: error[E0301]: expected Map<String, Int>, found Int
               |
            11 | data g: Map<String, Int> = { 1 }
               |         ----------------     ^
               |         |
               |         declared here"#]],
    );
    breaks(
        "E0301",
        "module m\ndata m: Map<String, Int> = { a: \"1\" }\n",
    );
    breaks("E0301", "module m\ndata m: Map<String, Int> = [1]\n");
    breaks(
        "E0301",
        "module m\nfn f(b: Bool) -> Int = if b {} else { 1 }\n",
    );
}

#[test]
fn a_key_is_given_once() {
    refused(
        "module m\ndata a: Map<String, Int> = { a: 1, \"b\": 2, \"a\": 3 }\ntype P { x: Int }\ndata b: P = P { x: 1, x: 2 }\ndata c: Set<Int> = [1, 2, 1]\n",
        expect![[r#"
            m.dag:2:44: error[E0205]: the key `a` is given twice
              |
            2 | data a: Map<String, Int> = { a: 1, "b": 2, "a": 3 }
              |                              -             ^^^
              |                              |
              |                              the first time
            m.dag:4:23: error[E0205]: the field `x` is given twice
              |
            4 | data b: P = P { x: 1, x: 2 }
              |                 -     ^
              |                 |
              |                 the first time
            m.dag:5:27: error[E0205]: the item `1` is given twice
              |
            5 | data c: Set<Int> = [1, 2, 1]
              |                     -     ^
              |                     |
              |                     the first time"#]],
    );
}

#[test]
fn a_key_can_be_ordered() {
    refused(
        "module m
data a: Map<Float, Int> = empty_map()
type R { f: List<fn(Int) -> Int> }
type Bad { m: Map<R, Int> }
fn f(s: Set<Float?>) -> Int = 1
fn g() -> Int = map_size(map_insert(empty_map(), 1.5, 1))
data h: Int = size(set_from_list([x => x]))
fn i(x: Float) -> Int = { let s: Set<Float> = [x]\n 1 }
",
        expect![[r#"
            m.dag:2:9: error[E0315]: a value of type Float is no key
              |
            2 | data a: Map<Float, Int> = empty_map()
              |         ^^^^^^^^^^^^^^^
              |
              = note: keys are ordered, and equal ones are one
              = help: use an Int or a String as the key
            m.dag:4:15: error[E0315]: R is no key: it holds a function
              |
            4 | type Bad { m: Map<R, Int> }
              |               ^^^^^^^^^^^
              |
              = note: keys are ordered, and equal ones are one
              = help: use a name for the function as the key
            m.dag:5:9: error[E0315]: Float? is no key: it holds a Float
              |
            5 | fn f(s: Set<Float?>) -> Int = 1
              |         ^^^^^^^^^^^
              |
              = note: keys are ordered, and equal ones are one
              = help: use an Int or a String as the key
            m.dag:6:37: error[E0315]: a value of type Float is no key
              |
            6 | fn g() -> Int = map_size(map_insert(empty_map(), 1.5, 1))
              |                                     ^^^^^^^^^^^
              |
              = note: keys are ordered, and equal ones are one
              = help: use an Int or a String as the key
            m.dag:7:20: error[E0315]: a value of type fn(_) -> _ is no key
              |
            7 | data h: Int = size(set_from_list([x => x]))
              |                    ^^^^^^^^^^^^^^^^^^^^^^^
              |
              = note: keys are ordered, and equal ones are one
              = help: use a name for the function as the key
            m.dag:8:34: error[E0315]: a value of type Float is no key
              |
            8 | fn i(x: Float) -> Int = { let s: Set<Float> = [x]
              |                                  ^^^^^^^^^^
              |
              = note: keys are ordered, and equal ones are one
              = help: use an Int or a String as the key"#]],
    );
    sound(
        "module m\ntype K = A { n: Int, l: List<String> } | B(K?) | C\ndata a: Map<K, Float> = empty_map()\ndata b: Map<{ x: Int }, fn(Int) -> Int> = empty_map()\ndata c: Set<Set<Map<Int, Unit>>> = []\nfn put<T>(k: T) -> Map<T, Int> = map_insert(empty_map(), k, 1)\ntype S nominal_opaque = Int\ndata d: Set<S> = []\n",
    );
    // What a type is made of is seen through its name.
    breaks(
        "E0315",
        "module m\ntype S nominal_opaque = Float\ndata d: Set<S> = []\n",
    );
}

#[test]
fn patterns_of_records_without_a_name() {
    sound(
        "module m\nfn f(p: { a: Int?, b: Bool }) -> Int = match p {\n  { a: Present { value }, b: _ } => value\n  { a: none, b: true } => 1\n  { b: false, a: _ } => 2\n}\n",
    );
    refused(
        "module m\ntype P { a: Int }\nfn f(p: { a: Bool, b: Bool }) -> Int = match p { { a: true, b: _ } => 1, { a: false, b: true } => 2 }\nfn g(p: P) -> Int = match p { { a: _ } => 1 }\nfn h(p: { a: Int }) -> Int = match p { { b: _ } => 1 }\nfn i(p: { a: Int, b: Int }) -> Int = match p { { a } => a }\nfn j(m: Map<String, Int>) -> Int = match m { { a } => a, _ => 1 }\n",
        expect![[r#"
            m.dag:3:40: error[E0401]: this match of { a: Bool, b: Bool } has no arm for `{ a: false, b: false }`
              |
            3 | fn f(p: { a: Bool, b: Bool }) -> Int = match p { { a: true, b: _ } => 1, { a: false, b: true } => 2 }
              |                                        ^^^^^^^
              |
              = help: write an arm for it
            m.dag:4:31: error[E0403]: a pattern without a name takes a record without one, not P
              |
            4 | fn g(p: P) -> Int = match p { { a: _ } => 1 }
              |                               ^^^^^^^^
              |
              = help: write the name of the record or variant before the brace
            m.dag:5:42: error[E0302]: `{ a }` has no field `b`
              |
            5 | fn h(p: { a: Int }) -> Int = match p { { b: _ } => 1 }
              |                                          ^
            m.dag:6:48: error[E0303]: the pattern says nothing of `b`
              |
            6 | fn i(p: { a: Int, b: Int }) -> Int = match p { { a } => a }
              |                                                ^^^^^
              |
              = note: every field is named, so that a new one is decided here too
              = help: write `name: _` for a field that does not matter
            m.dag:7:46: error[E0403]: a pattern without a name takes a record without one, not Map<String, Int>
              |
            7 | fn j(m: Map<String, Int>) -> Int = match m { { a } => a, _ => 1 }
              |                                              ^^^^^
              |
              = help: write the name of the record or variant before the brace"#]],
    );
    // Of a map or set only a name or `_` takes values.
    sound(
        "module m\nfn f(m: Map<String, Int>) -> Int = match m { x if map_size(x) > 1 => 1, _ => 2 }\nfn g(s: Set<Int>) -> Int = match s { all => size(all) }\n",
    );
}

#[test]
fn the_type_is_the_same_in_every_module() {
    sound_files(&[
        (
            "a.dag",
            "module a\nfn f() -> { x: Int, y: { z: String } } = { y: { z: \"\" }, x: 1 }\n",
        ),
        (
            "b.dag",
            "module b\nfn g(r: { y: { z: String }, x: Int }) -> String = r.y.z\n",
        ),
        (
            "m.dag",
            "module m\nimport a { f }\nimport b { g }\ndata s: String = g(f())\n",
        ),
    ]);
    // A type cannot hold itself through one.
    breaks("E0311", "module m\ntype A { x: { a: A } }\n");
    sound("module m\ntype A { x: { a: List<A> } }\n");
}
