//! What the forms of the language evaluate to, from their text.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used)] // helpers of tests

mod source;

use dag_eval::{Limits, Value, display};
use source::{evaluator_of, holds, json, outcome, shown, shown_of, value};

#[test]
fn an_alias_is_another_name_for_a_module() {
    let tools = "module a.tools\ntype Mode = On | Off\ntype Box { n: Int }\nfn twice(n: Int) -> Int = n * 2\n";
    let text = "module m\nimport a.tools\nalias T = a.tools\nalias A = a\ndata it: List<String> = [to_string(T.twice(2)), to_string(3 |> T.twice()), ^(T.Mode.On), ^(T.Off), to_string(T.Box { n: 1 }), to_string(A.tools.twice(4))]\nfn f(m: T.Mode) -> Int = match m { T.On => 1, T.Mode.Off => 2 }\n";
    let files = [("a.dag", tools), ("m.dag", text)];
    assert_eq!(
        shown_of(&files),
        r#"["4", "6", "On", "Off", "Box \{ n: 1 }", "8"]"#
    );
}

#[test]
fn for_gives_the_list_of_its_blocks() {
    assert_eq!(
        shown("data it: List<Int> = for x in [1, 2, 3] { x * x }"),
        "[1, 4, 9]"
    );
    assert_eq!(shown("data it: List<Int> = for x in [] { x + 1 }"), "[]");
    assert_eq!(
        shown("data it: List<Int> = {\n  let s: Set<Int> = [3, 1, 2]\n  for x in s { x * 10 }\n}"),
        "[10, 20, 30]"
    );
    assert_eq!(
        shown(
            "data it: List<List<Int>> = for x in 0..3 {\n  let ys = 0..x\n  for y in ys { x * 10 + y }\n}"
        ),
        "[[], [10], [20, 21]]"
    );
    // An optional where one is expected, and names that the body reads again.
    assert_eq!(
        shown(
            "fn f(k: List<Int>) -> List<List<Int>?> = for x in [1, 2] { concat(k, [x]) }\ndata it: List<List<Int>?> = f([0])"
        ),
        "[Present { value: [0, 1] }, Present { value: [0, 2] }]"
    );
}

#[test]
fn a_return_in_a_for_leaves_the_function() {
    assert_eq!(
        shown(
            "fn find(xs: List<Int>) -> Int {\n  for x in xs {\n    if x > 2 { return x * 100 }\n    x\n  }\n  0 - 1\n}\ndata it: List<Int> = [find([1, 2, 3, 4]), find([1]), find([])]"
        ),
        "[300, -1, -1]"
    );
    // Through two of them, and with loops of the engine around and inside.
    assert_eq!(
        shown(
            "fn find(xs: List<Int>) -> Int {\n  for x in xs {\n    for y in 0..x {\n      let n = fold([1, 2], 0, (acc, k) => acc + k)\n      if y == 2 { return x * 10 + y + n }\n      y\n    }\n  }\n  0\n}\ndata it: List<Int> = map([[1], [1, 3, 4], [9]], xs => find(xs))"
        ),
        "[0, 35, 95]"
    );
    // In a lambda that is written out as a loop, it leaves that lambda.
    assert_eq!(
        shown(
            "data it: List<Int> = map([1, 5], n => {\n  for x in 0..n { if x == 3 { return 33 } }\n  n\n})"
        ),
        "[1, 33]"
    );
    // In a lambda that is a value.
    assert_eq!(
        shown(
            "fn apply(f: fn(Int) -> Int) -> Int = f(5) + f(1)\ndata it: Int = apply(n => {\n  for x in 0..n { if x == 3 { return 33 } }\n  n\n})"
        ),
        "34"
    );
    // A lambda's own `return` inside a `for` leaves the lambda only.
    assert_eq!(
        shown(
            "fn f() -> List<Int> {\n  for x in [1, 2] { sum(map([x, 9], y => { return y + 1 })) }\n}\ndata it: List<Int> = f()"
        ),
        "[12, 13]"
    );
}

#[test]
fn a_range_is_half_open_and_never_taken_whole_when_it_is_huge() {
    assert_eq!(shown("data it: List<Int> = 1 + 1..2 * 3"), "[2, 3, 4, 5]");
    assert_eq!(shown("data it: List<Int> = 3..3"), "[]");
    assert_eq!(shown("data it: List<Int> = 3..-3"), "[]");
    holds("data it: Bool = 0..2 == [0, 1]");
    assert_eq!(
        shown("data it: Int = count(0..9000000000000)"),
        "E0807: the length of the range 0..9000000000000 exceeds the limit of 50000000"
    );
    assert_eq!(
        shown("data it: Int = count(range(0 - 9223372036854775807, 9223372036854775807))"),
        "E0807: the length of the range -9223372036854775807..9223372036854775807 exceeds the limit of 50000000"
    );
    // Steps are charged for the whole length before it is there.
    let limits = Limits {
        steps: 1000,
        ..Limits::default()
    };
    let text = "module m\ndata it: Int = count(0..10000000)\ndata small: Int = count(0..10000)\n";
    let evaluator = evaluator_of(&[("m.dag", text)], limits);
    assert!(
        outcome(&evaluator, "it")
            .unwrap_err()
            .to_string()
            .starts_with("E0806")
    );
    assert_eq!(
        outcome(&evaluator, "small").unwrap().value,
        Value::Int(10000)
    );
}

#[test]
fn what_is_not_given_has_its_default() {
    assert_eq!(
        shown(
            "data base: Int = 40\nfn f(a: Int, b: Int = base + 2, c: Int = 0) -> Int = a * 1000 + b * 10 + c\ndata it: List<Int> = [f(1), f(1, 2), f(1, c: 5), f(c: 5, a: 1), 1 |> f(), f(1, 2, 3)]"
        ),
        "[1420, 1020, 1425, 1425, 1420, 1023]"
    );
    assert_eq!(
        shown(
            "type R { a: Int, b: List<Int> = [1], c: Int? = none }\ntype V = | A { x: Int = 7 }\ndata it: List<String> = [to_string(R { a: 1 }), to_string(R { a: 1, b: [] }), to_string(A {})]"
        ),
        r#"["R \{ a: 1, b: [1], c: Absent }", "R \{ a: 1, b: [], c: Absent }", "A \{ x: 7 }"]"#
    );
    // Each use of a generic default has its own type.
    assert_eq!(
        shown(
            "fn f<T>(x: T, more: List<T> = []) -> List<T> = append(more, x)\ntype P<T> { v: T, rest: List<T> = [] }\ndata it: String = \"{f(1)}{f(\"a\")}{P { v: 1 }}{P { v: true }}\""
        ),
        r#"[1]["a"]P { v: 1, rest: [] }P { v: true, rest: [] }"#
    );
    // It is evaluated in the module that declares it.
    let lib = "module lib\ndata hidden: Int = 5\nfn f(n: Int = hidden) -> Int = n\ntype R { n: Int = hidden }\n";
    let text = "module m\nimport lib { R, f }\ndata hidden: Int = 6\ndata it: Int = f() * 100 + R {}.n + hidden\n";
    assert_eq!(shown_of(&[("lib.dag", lib), ("m.dag", text)]), "511");
}

#[test]
fn a_record_without_a_name_is_known_by_its_fields() {
    assert_eq!(
        shown("data it: { b: String, a: Int } = { b: \"x\", a: 1 }"),
        r#"{ a: 1, b: "x" }"#
    );
    holds(
        "data x: { a: Int, b: Int } = { b: 2, a: 1 }\ndata it: Bool = x == { a: 1, b: 2 } && { b: 2, a: 1 } == x",
    );
    assert_eq!(
        shown(
            "fn f(p: { x: Int, y: Int }) -> Int = p.x * 10 + p.y\nfn g(p: { x: Int, y: Int }) -> Int = match p { { x: 1, y } => y, { x, y: _ } => x }\ndata it: List<Int> = [f({ y: 2, x: 1 }), { let p = { x: 3, y: 4 }\n f(p) }, g({ x: 1, y: 8 }), g({ x: 6, y: 0 })]"
        ),
        "[12, 34, 8, 6]"
    );
    // A type that is expected is the type; a pun is allowed behind the first.
    assert_eq!(
        shown(
            "type P { x: Int, y: Int = 5 }\ndata y: Int = 2\ndata it: List<P> = [{ x: 1 }, { x: 1, y }]"
        ),
        "[P { x: 1, y: 5 }, P { x: 1, y: 2 }]"
    );
    // Across modules it is the same type.
    let lib = "module lib\nfn pair(a: Int) -> { first: Int, tags: List<String> } = { first: a, tags: [\"t\"] }\n";
    let text = "module m\nimport lib { pair }\nfn of(p: { tags: List<String>, first: Int }) -> Int = p.first + count(p.tags)\ndata it: Bool = pair(3) == { tags: [\"t\"], first: 3 } && of(pair(3)) == 4\n";
    assert_eq!(shown_of(&[("lib.dag", lib), ("m.dag", text)]), "true");
    assert_eq!(
        json("data it: { b: Int, a: { c: Bool } } = { b: 1, a: { c: true } }"),
        r#"{"a":{"c":true},"b":1}"#
    );
}

#[test]
fn maps_are_ordered_by_their_keys() {
    assert_eq!(
        shown("data it: Map<String, Int> = { \"b\": 2, a: 1, \"\": 0 }"),
        r#"{"": 0, "a": 1, "b": 2}"#
    );
    assert_eq!(
        shown(
            "data it: Map<Int, String> = empty_map() |> map_insert(10, \"x\") |> with(9, \"y\") |> map_insert(10, \"z\")"
        ),
        r#"{9: "y", 10: "z"}"#
    );
    assert_eq!(shown("data it: Map<String, Int> = {}"), "{}");
    assert_eq!(shown("data it: Int = map_size({ \"a\": 1 })"), "1");
    assert_eq!(
        shown(
            "type K = | B(Int) | A { n: String } | C\ndata it: List<String> = for k in map_keys(map_from_entries([Pair { first: C, second: 1 }, Pair { first: B(2), second: 1 }, Pair { first: A { n: \"\" }, second: 1 }, Pair { first: B(1), second: 1 }])) { to_string(k) }"
        ),
        r#"["B(1)", "B(2)", "A \{ n: \"\" }", "C"]"#
    );
    // The last of equal keys counts.
    assert_eq!(
        shown(
            "data it: Map<Int, Int> = map_from_entries([Pair { first: 1, second: 1 }, Pair { first: 0, second: 5 }, Pair { first: 1, second: 2 }, Pair { first: 1, second: 3 }])"
        ),
        "{0: 5, 1: 3}"
    );
    assert_eq!(
        shown(
            "data m: Map<String, Int> = { \"a\": 1, \"b\": 2 }\ndata it: List<Int> = [m.get(\"a\") ?? 0, map_get(m, \"z\") ?? 9, lookup(m, \"b\") ?? 0, count(m), length(m), size(m), fold(m, 0, (acc, e) => acc * 10 + e.second)]"
        ),
        "[1, 9, 2, 2, 2, 2, 12]"
    );
    holds(
        "data m: Map<String, Int> = { \"a\": 1 }\ndata it: Bool = map_has(m, \"a\") && map_contains_key(m, \"a\") && m.contains(\"a\") && !m.contains(\"b\") && !is_empty(m) && map_is_empty(map_merge(empty_map(), empty_map())) == (m == {}) == false",
    );
    assert_eq!(
        shown(
            "data it: Map<String, Int> = map_merge({ \"a\": 1, \"b\": 2 }, { \"b\": 3, \"c\": 4 })"
        ),
        r#"{"a": 1, "b": 3, "c": 4}"#
    );
    assert_eq!(
        shown(
            "data it: String = \"{map_values({ \"b\": 2, \"a\": 1 })}{map_entries({ \"a\": true })}\""
        ),
        r#"[1, 2][Pair { first: "a", second: true }]"#
    );
    // Equal maps are equal however they were made, and are keys themselves.
    holds(
        "data it: Bool = map_insert(map_insert(empty_map(), 1, 1), 2, 2) == map_insert(map_insert(empty_map(), 2, 2), 1, 1)",
    );
    assert_eq!(
        shown(
            "data a: Map<Int, Int> = map_insert(empty_map(), 1, 1)\ndata it: Map<Map<Int, Int>, Int> = map_insert(map_insert(empty_map(), a, 1), empty_map(), 0)"
        ),
        "{{}: 0, {1: 1}: 1}"
    );
    assert_eq!(
        json(
            "data it: { a: Map<String, Int>, b: Map<Int, Bool>, c: Map<Int, Int>, d: Set<Int> } = { a: { \"k\\n\": 1, l: 2 }, b: map_insert(map_insert(empty_map(), 2, true), 1, false), c: empty_map(), d: [2, 1] }"
        ),
        r#"{"a":{"k\n":1,"l":2},"b":[[1,false],[2,true]],"c":{},"d":[1,2]}"#
    );
}

#[test]
fn sets_hold_each_value_once() {
    assert_eq!(
        shown("data it: Set<String> = [\"b\", \"a\"]"),
        r#"["a", "b"]"#
    );
    assert_eq!(
        shown(
            "data a: Set<Int> = [1, 2, 3]\ndata b: Set<Int> = set_from_list([4, 3, 3])\ndata it: List<Set<Int>> = [union(a, b), set_union(b, a), intersect(a, b), diff(a, b), diff(b, a), set_insert(set_insert(a, 0), 2), filter(a, x => x != 2), empty_set()]"
        ),
        "[[1, 2, 3, 4], [1, 2, 3, 4], [3], [1, 2], [4], [0, 1, 2, 3], [1, 3], []]"
    );
    assert_eq!(
        shown(
            "data a: Set<Int> = [5, 1]\ndata it: List<Int> = [count(a), size(a), length(a), fold(a, 0, (acc, x) => acc * 10 + x), sum(map(a, x => x + 1)), sum(set_to_list(a))]"
        ),
        "[2, 2, 2, 15, 8, 6]"
    );
    holds(
        "data a: Set<Int> = [5, 1]\ndata it: Bool = contains(a, 5) && member(a, 1) && !set_contains(a, 2) && any(a, x => x == 5) && all(a, x => x > 0) && !is_empty(a) && a == [1, 5]",
    );
}

#[test]
fn a_walk_over_a_set_or_map_is_a_value_too() {
    assert_eq!(
        shown(
            "fn over(f: fn(Set<Int>) -> Int, s: Set<Int>) -> Int = f(s)\ndata s: Set<Int> = [2, 3]\ndata it: List<Int> = [over(s => fold(s, 1, (a, b) => a * b), s), over(s => count(filter(s, x => x > 2)), s)]"
        ),
        "[6, 1]"
    );
}

#[test]
fn a_key_may_come_through_a_type_parameter() {
    let text = "fn put<K>(k: K) -> Int = map_size(map_insert(empty_map(), k, 1))\n";
    assert_eq!(shown(&format!("{text}data it: Int = put(\"a\")")), "1");
    assert_eq!(shown(&format!("{text}data it: Int = put([15])")), "1");
}

#[test]
fn a_variant_has_a_name() {
    assert_eq!(
        shown(
            "type V = A { n: Int } | B(Int) | C\nfn f(v: V) -> String = ^v\ndata it: List<String> = [f(A { n: 1 }), ^(B(1)), discriminant(C), ^(first([1])), C.discriminant(), C |> discriminant]"
        ),
        r#"["A", "B", "C", "Present", "C", "C"]"#
    );
}

#[test]
fn one_field_is_given_without_its_name() {
    assert_eq!(
        shown(
            "type Threads { count: Int }\ntype V = Jobs { n: Int } | B(Int)\ndata it: String = \"{Threads { 5 }}{Jobs { 1 + 1 }}{B { 3 }}\""
        ),
        "Threads { count: 5 }Jobs { n: 2 }B(3)"
    );
}

#[test]
fn a_pipe_into_a_field() {
    assert_eq!(
        shown("type R { n: Int }\nfn wrap(n: Int) -> R = R { n }\ndata it: Int = 4 |> wrap.n"),
        "4"
    );
}

#[test]
fn a_predicate_is_asked_when_the_value_is_built() {
    let text = "fn even(n: Int) -> Bool = n % 2 == 0\ntype Even = Int where range(min: 0), even\n";
    assert_eq!(
        shown(&format!("{text}data it: List<Even> = [0, 2]")),
        "[0, 2]"
    );
    assert_eq!(
        shown(&format!("{text}data it: Even = 3")),
        "E0803: 3 is not a m.Even: `even` does not hold"
    );
    assert_eq!(
        shown(&format!("{text}data it: Int = (0 - 2) as Even")),
        "E0803: -2 is not a m.Even: it must be at least 0"
    );
    // The base's first; imported, qualified, and behind a word.
    let lib = "module lib\nfn short(s: String) -> Bool = count(s) < 4\ntype Short = String where format(short)\n";
    let text = "module m\nimport lib { Short }\nfn low(s: String) -> Bool = s == to_lower(s)\ntype Name = Short where low, lib.short\nfn f(n: Name) -> Int = count(n)\ndata it: List<Int> = [f(\"abc\"), f(\"toolong\")]\n";
    assert_eq!(
        shown_of(&[("lib.dag", lib), ("m.dag", text)]),
        "E0803: \"toolong\" is not a lib.Short: `short` does not hold"
    );
    // On a field and a parameter, and with the name of a parameter beside it.
    assert_eq!(
        shown(
            "fn odd(n: Int) -> Bool = n % 2 == 1\ntype R { n: Int where odd, m: Int }\nfn f(n: Int where odd) -> R = R { n, m: n + 1 }\ndata it: R = f(3)"
        ),
        "R { n: 3, m: 4 }"
    );
    assert_eq!(
        shown(
            "fn odd(n: Int) -> Bool = n % 2 == 1\ntype R { n: Int where odd }\ndata two: Int = 2\ndata it: R = R { n: two }"
        ),
        "E0803: 2 is not a `Int where odd`: `odd` does not hold"
    );
}

#[test]
fn a_predicate_is_asked_of_what_the_engine_builds() {
    let text = "module m\nfn even(n: Int) -> Bool = n % 2 == 0\ntype Even = Int where even\ntype R { n: Even, tags: Set<Even>, at: { x: Even } }\n";
    let e = evaluator_of(&[("m.dag", text)], Limits::default());
    let at = |n| {
        let it = format!("module m\ndata it: {{ x: Int }} = {{ x: {n} }}\n");
        outcome(&evaluator_of(&[("m.dag", &it)], Limits::default()), "it")
            .unwrap()
            .value
    };
    let set = |n| value(&format!("data it: Set<Int> = [{n}]"));
    let r = |n: i64, s: i64, a: i64| {
        e.construct(
            "m.R",
            [("n", Value::Int(n)), ("tags", set(s)), ("at", at(a))],
        )
        .map(|v| display(e.program(), &v))
        .map_err(|error| error.to_string())
    };
    assert_eq!(r(2, 4, 6).unwrap(), "R { n: 2, tags: [4], at: { x: 6 } }");
    for (n, s, a) in [(1, 4, 6), (2, 3, 6), (2, 4, 5)] {
        assert!(r(n, s, a).unwrap_err().ends_with("`even` does not hold"));
    }
}

#[test]
fn a_sealed_type_is_opened_by_its_module() {
    let lib = "module lib\ntype Token nominal_opaque = String where non_empty\ntype Kept sole_constructor = Int where range(min: 0)\nfn token(s: String) -> Token = \"t-{s}\" as Token\nfn text(t: Token) -> String = t as String\nfn kept(n: Int) -> Kept = n\n";
    let text = "module m\nimport lib { Kept, Token, kept, text, token }\ndata n: Int = kept(4)\ndata it: String = \"{text(token(\"a\"))}{token(\"a\") == token(\"b\")}{n}\"\n";
    assert_eq!(shown_of(&[("lib.dag", lib), ("m.dag", text)]), "t-afalse4");
    let empty = "module m\ntype T nominal_opaque = String where non_empty\nfn f(s: String) -> T = s as T\ndata it: T = f(\"\")\n";
    assert!(shown_of(&[("m.dag", empty)]).starts_with("E0803"));
}

#[test]
fn braces_are_blocks_wherever_a_value_stands() {
    assert_eq!(
        shown(
            "data it: List<Int> = [{ 1 }, {\n  let a = 2\n  a\n}, if true { let b = 3\n b } else { 0 }, (fn() { 4 })(), (fn(a) { a })(5)]"
        ),
        "[1, 2, 3, 4, 5]"
    );
}

#[test]
fn deep_keys_cost_no_stack() {
    // Nested two hundred thousand deep: compared, shown, and let go.
    let text = "type Chain = End | Link { next: Chain }\ndata chain: Chain = fold(0..200000, End, (acc, _) => Link { next: acc })\ndata m: Map<Chain, Int> = map_insert(map_insert(empty_map(), chain, 1), End, 0)\ndata it: Int = map_get(m, Link { next: chain }) ?? map_get(m, chain) ?? 5";
    assert_eq!(shown(text), "1");
    let nested = "type Nest { m: Map<Int, Nest> }\ndata deep: Nest = fold(0..200000, Nest { m: empty_map() }, (acc, n) => Nest { m: map_insert(empty_map(), n, acc) })\ndata it: Bool = deep == deep && count(to_string(deep)) > 200000";
    assert_eq!(shown(nested), "true");
}

#[test]
fn a_map_of_many_is_built_and_searched() {
    let text = "data n: Int = 20000\ndata m: Map<Int, Int> = fold(0..n, empty_map(), (acc, k) => map_insert(acc, (k * 7919) % n, k))\ndata it: Bool = map_keys(m) == 0..n && all(0..n, k => map_has(m, k)) && map_size(map_merge(m, m)) == n";
    assert_eq!(shown(text), "true");
}

#[test]
fn a_for_asks_an_operation_for_each_item() {
    let text = "service S {\n  operation Op {\n    input { name: String, times: Int = 2 }\n    output { text: String from \"stdout\" }\n    transport shell { argv: [\"/bin/echo\", name, \"{times}\"] }\n    mock_response { 0 => Output { text: \"{name}*{times}\" } }\n  }\n}\nfunc it() -> List<String> {\n  let said = for name in [\"a\", \"b\"] {\n    let said = S.Op(name: name)\n    if said.text == \"c*2\" { return [] }\n    said.text\n  }\n  append(said, S.Op(name: \"c\", times: 3).text)\n}";
    assert_eq!(shown(text), r#"["a*2", "b*2", "c*3"]"#);
}
