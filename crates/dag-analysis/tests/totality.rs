//! Evaluation ends: what is proved to, and what is refused.

mod common;

use common::{breaks, refused, sound};
use expect_test::expect;

const TREE: &str = "module m\ntype Tree = Leaf { v: Int } | Node { l: Tree, r: Tree } | Many { all: List<Tree> }\n";

fn tree(rest: &str) -> String {
    format!("{TREE}{rest}")
}

#[test]
fn recursion_goes_to_a_part() {
    sound(&tree(
        "fn sum_of(t: Tree) -> Int = match t {\n  Leaf { v } => v\n  Node { l, r } => sum_of(l) + sum_of(r)\n  Many { all } => fold(all, 0, (acc, x) => acc + sum_of(x))\n}\n",
    ));
    refused(
        &tree(
            "fn sum_of(t: Tree) -> Int = match t {\n  Leaf { v } => v\n  Node { l, r } => sum_of(l) + sum_of(t)\n  Many { all } => 0\n}\n",
        ),
        expect![[r#"
            m.dag:5:32: error[E0501]: this call of `sum_of` is not seen to descend
              |
            5 |   Node { l, r } => sum_of(l) + sum_of(t)
              |                                ^^^^^^^^^ no argument is sure to become smaller
              |
              = note: recursion goes to a part of a parameter (by a pattern, a field, or a list's elements in map and the like), or to `n - 1` of a `Nat`
              = help: walk a list with `fold`, or recurse on a part of an argument"#]],
    );
}

#[test]
fn every_list_function_gives_its_lambda_a_part() {
    for body in [
        "sum(map(all, x => f(x)))",
        "sum(map(filter(all, x => f(x) > 0), x => f(x)))",
        "sum(flat_map(all, x => [f(x)]))",
        "sum(filter_map(all, x => Present { value: f(x) }))",
        "if any(all, x => f(x) > 0) { 1 } else { 0 }",
        "all |> map(x => f(x)) |> sum()",
        "all.map(x => f(x)).sum()",
        "sum(map(sort_by_int(all, x => f(x)), x => f(x)))",
        "fold(reverse(skip(take(dedup(all), 3), 1)), 0, (acc, x) => acc + f(x))",
        "match first(all) { Present { value } => f(value), Absent => 0 }",
        "match get(all, 3) { Present { value } => f(value), none => 0 }",
        "fold(all, 0, fn(acc, x) { let y = x\n f(y) + acc })",
    ] {
        sound(&tree(&format!(
            "fn f(t: Tree) -> Int = match t {{ Leaf {{ v }} => v, Node {{ l, r }} => f(l), Many {{ all }} => {body} }}\n"
        )));
    }
}

#[test]
fn what_is_no_part_does_not_descend() {
    for body in [
        "f(t)",
        "f(Many { all: [t] })",
        "f(Node { l: t, r: t })",
        "f(Many { all: all })",
        "fold(all, t, (acc, x) => if f(acc) > 0 { acc } else { x }) |> f()",
        "fold(all, f(t), (acc, x) => acc)",
        "sum(map([t], x => f(x)))",
        "sum(map(concat(all, [t]), x => f(x)))",
        "sum(map(append(all, t), x => f(x)))",
        "f(first(all) ?? t)",
        "f(match first(all) { Present { value } => value, Absent => t })",
        "f(if is_empty(all) { t } else { t })",
        "{ let u = t\n f(u) }",
        "{ let g = x => f(x)\n g(t) }",
        "match Present { value: t } { Present { value } => f(value), Absent => 0 }",
        "match [t] |> first() { Present { value } => f(value), Absent => 0 }",
        "zip(all, [t]) |> map(p => f(p.second)) |> sum()",
        "enumerate([t]) |> map(p => f(p.second)) |> sum()",
        "{ let p = Pair { first: t, second: t }\n f(p.first) }",
        "(x => f(x))(t)",
        "{ return f(t) }",
    ] {
        breaks(
            "E0501",
            &tree(&format!(
                "fn f(t: Tree) -> Int = match t {{ Leaf {{ v }} => v, Node {{ l, r }} => 0, Many {{ all }} => {body} }}\n"
            )),
        );
    }
}

#[test]
fn arguments_may_change_places_only_if_something_shrinks() {
    // l and r are parts of t: in two steps, t has become smaller.
    sound(&tree(
        "fn f(t: Tree, u: Tree) -> Int = match t { Leaf { v } => v, Node { l, r } => f(u, l), Many { all } => 0 }\n",
    ));
    breaks(
        "E0501",
        &tree(
            "fn f(t: Tree, u: Tree) -> Int = match t { Leaf { v } => v, Node { l, r } => f(u, t), Many { all } => 0 }\n",
        ),
    );
    breaks(
        "E0501",
        &tree(
            "fn f(t: Tree, u: Tree) -> Int = match t { Leaf { v } => v, Node { l, r } => f(l, u) + f(u, t), Many { all } => 0 }\n",
        ),
    );
}

#[test]
fn mutual_recursion_descends_somewhere_on_the_way() {
    sound(&tree(
        "fn even(t: Tree) -> Bool = match t { Node { l, r } => odd(l), _ => true }\nfn odd(t: Tree) -> Bool = match t { Node { l, r } => even(l), _ => false }\n",
    ));
    sound(&tree(
        "fn even(t: Tree) -> Bool = odd(t)\nfn odd(t: Tree) -> Bool = match t { Node { l, r } => even(l), _ => false }\n",
    ));
    refused(
        &tree(
            "fn even(t: Tree) -> Bool = odd(t)\nfn odd(t: Tree) -> Bool = match t { Node { l, r } => even(t), _ => false }\n",
        ),
        expect![[r#"
            m.dag:4:54: error[E0501]: this call of `even` is not seen to descend
              |
            4 | fn odd(t: Tree) -> Bool = match t { Node { l, r } => even(t), _ => false }
              |                                                      ^^^^^^^ no argument is sure to become smaller
              |
              = note: recursion goes to a part of a parameter (by a pattern, a field, or a list's elements in map and the like), or to `n - 1` of a `Nat`
              = help: walk a list with `fold`, or recurse on a part of an argument"#]],
    );
}

#[test]
fn a_nat_is_counted_down() {
    sound("module m\nfn f(n: Nat) -> Int = match n { 0 => 0, _ => 1 + f(n - 1) }\n");
    sound("module m\nfn f(n: Nat) -> Int = if n == 0 { 0 } else { let k = n - 2\n f(k) }\n");
    sound(
        "module m\ntype Small = Int where range(min: -5, max: 9)\nfn f(n: Small, step: Int) -> Int = f(n - 1, step + 1)\n",
    );
    sound("module m\nfn f(n: Int) -> Int = f((n - 1) as Nat)\n");
    for call in [
        "n",
        "n + 1",
        "n - 0",
        "n - step",
        "1 - n",
        "n - 1 + 1",
        "n * 1",
    ] {
        breaks(
            "E0501",
            &format!("module m\nfn f(n: Nat, step: Int) -> Int = f({call}, step)\n"),
        );
    }
    breaks(
        "E0501",
        "module m\nfn f(n: Int) -> Int = if n < 0 { 0 } else { f(n - 1) }\n",
    );
    breaks(
        "E0501",
        "module m\ntype Low = Int where range(max: 9)\nfn f(n: Low) -> Int = f(n - 1)\n",
    );
}

#[test]
fn a_function_is_not_handed_to_its_own_recursion() {
    refused(
        &tree("fn f(t: Tree) -> Int = match t { Many { all } => sum(map(all, f)), _ => 0 }\n"),
        expect![[r#"
            m.dag:3:63: error[E0501]: `f` is passed as a value inside its own recursion
              |
            3 | fn f(t: Tree) -> Int = match t { Many { all } => sum(map(all, f)), _ => 0 }
              |                                                               ^
              |
              = help: call it in a lambda, so that its argument can be seen: `x => f(x)`"#]],
    );
    breaks(
        "E0501",
        "module m\nfn call(g: fn(Int) -> Int, n: Int) -> Int = g(n)\nfn f(n: Int) -> Int = call(f, n)\n",
    );
    breaks(
        "E0501",
        "module m\nfn call(g: fn(Int) -> Int, n: Int) -> Int = g(n)\nfn f(n: Int) -> Int = call(x => f(x), n)\n",
    );
    breaks(
        "E0501",
        "module m\nfn make() -> fn(Int) -> Int = x => make()(x)\n",
    );
    // Without a loop there is nothing to prove.
    sound(
        "module m\nfn call(g: fn(Int) -> Int, n: Int) -> Int = g(n)\nfn f(n: Int) -> Int = call(x => call(y => y, x), n)\n",
    );
}

#[test]
fn data_does_not_need_itself() {
    refused(
        "module m\ndata a: Int = b + 1\ndata b: Int = f()\nfn f() -> Int = a\n",
        expect![[r#"
            m.dag:2:6: error[E0502]: the data `a` needs itself
              |
            2 | data a: Int = b + 1
              |      ^
              |
              = note: these need each other: `a`, `b`, `f`
              = help: write the value that they share as a `data` item of its own"#]],
    );
    refused(
        "module m\ndata a: Int = a\n",
        expect![[r#"
            m.dag:2:6: error[E0502]: the data `a` needs itself
              |
            2 | data a: Int = a
              |      ^
              |
              = help: write the value that they share as a `data` item of its own"#]],
    );
    breaks(
        "E0502",
        "module m\ntype T { f: fn(Int) -> Int }\ndata t: T = T { f: x => g(x) }\nfn g(x: Int) -> Int = t.f(x)\n",
    );
    sound("module m\ndata a: Int = b + 1\ndata b: Int = 1\n");
}

#[test]
fn no_type_holds_itself_in_a_function() {
    refused(
        "module m\ntype Rec { f: fn(Rec) -> Int }\nfn run(r: Rec) -> Int = r.f(r)\ndata omega: Int = run(Rec { f: r => r.f(r) })\n",
        expect![[r#"
            m.dag:2:6: error[E0311]: `Rec` contains itself through a function
              |
            2 | type Rec { f: fn(Rec) -> Int }
              |      ^^^
              |
              = note: a function kept in its own argument could call itself for ever"#]],
    );
    for types in [
        "type Rec = A { f: fn(Int) -> Rec } | B",
        "type Rec { all: List<fn(Rec) -> Int> }",
        "type Box<T> { f: fn(T) -> Int }\ntype Rec { b: Box<Rec> }",
        "type Box<T> { inner: Inner<T> }\ntype Inner<T> { f: fn(List<T>) -> Int }\ntype Rec { b: Box<Rec> }",
        "type Box<T> { f: T }\ntype Rec { b: Box<fn(Rec) -> Int> }",
        "type Fun = fn(Rec) -> Int\ntype Rec { f: Fun }",
        "type Rec { f: fn(Branded) -> Int }\ntype Branded = Rec where brand(\"b\")",
        "type Rec { f: fn(Rec) -> Int where brand(\"b\") }",
        "type One { f: fn(Two) -> Int }\ntype Two { one: One }",
    ] {
        breaks("E0311", &format!("module m\n{types}\n"));
    }
    // Through a generic type of another module too.
    let files = [
        ("box.dag", "module box\ntype Box<T> { f: fn(T) -> Int }\n"),
        (
            "m.dag",
            "module m\nimport box { Box }\ntype Rec { b: Box<Rec> }\n",
        ),
    ];
    assert_eq!(common::codes_of(&files), ["E0311"]);
    sound(
        "module m\ntype Box<T> { f: fn(Int) -> Int, v: T }\ntype Rec { b: List<Box<Int>>, r: Rec? }\n",
    );
    sound("module m\ntype Box<T> { v: T }\ntype Tree = | Node { kids: List<Box<Tree>> }\n");
}

#[test]
fn a_lambda_does_not_apply_itself() {
    refused(
        "module m\ndata x: Int = { let w = f => f(f)\n 1 }\n",
        expect![[r#"
            m.dag:2:32: error[E0307]: the type of this would contain itself
              |
            2 | data x: Int = { let w = f => f(f)
              |                                ^
              |
              = note: a function that is given itself could call itself for ever"#]],
    );
}

#[test]
fn many_functions_that_call_each_other_are_decided_soon() {
    // Every permutation of eight arguments: too many ways to follow.
    let names = ["a", "b", "c", "d", "e", "g", "h", "i"];
    let params: Vec<String> = names.iter().map(|n| format!("{n}: Tree")).collect();
    let mut calls = Vec::new();
    for i in 1..8 {
        let mut args = names;
        args.swap(0, i);
        calls.push(format!("f({})", args.join(", ")));
    }
    let text = tree(&format!(
        "fn f({}) -> Int = {}\n",
        params.join(", "),
        calls.join(" + ")
    ));
    breaks("E0501", &text);
}

/// A ring of functions is decided however long it is, and where it does not end the reason
/// is the true one.
#[test]
fn a_long_ring_is_decided() {
    let ring = |arg: &dyn Fn(usize) -> &'static str| {
        let functions = (0..2000).map(|i| {
            format!(
                "fn f{i}(n: Nat, s: String) -> Int = if n == 0 {{ 0 }} else {{ f{}({}, s) }}\n",
                (i + 1) % 2000,
                arg(i)
            )
        });
        format!("module m\n{}", functions.collect::<String>())
    };
    sound(&ring(&|_| "n - 1"));
    sound(&ring(&|i| if i == 1234 { "n - 1" } else { "n" }));
    let said = common::errors_of(&[("m.dag", &ring(&|_| "n"))]);
    assert_eq!(said.matches("E0501").count(), 1, "{said}");
    assert!(
        said.contains("no argument is sure to become smaller"),
        "{said}"
    );
    // One parameter of each, not the same one, and then another.
    sound(
        "module m\nfn f(a: Nat, b: Nat) -> Int = if b == 0 || a == 0 { 0 } else { g(b, a - 1) + f(a, b - 1) }\nfn g(b: Nat, a: Nat) -> Int = if b == 0 || a == 0 { 0 } else { f(a, b) + g(b - 1, a) }\n",
    );
    breaks(
        "E0501",
        "module m\nfn f(a: Nat, b: Nat) -> Int = if b == 0 { 0 } else { g(b, a) }\nfn g(b: Nat, a: Nat) -> Int = if b == 0 { 0 } else { f(b - 1, a) + f(a, b) }\n",
    );
}

/// What a generic function hands to a lambda, and what it gives back, is from its one list.
#[test]
fn a_generic_function_hands_on_parts() {
    let tree = "module m\ntype Tree { all: List<Tree>, one: Tree?, by: Map<String, Tree> }\n";
    for body in [
        "length(sort_by(t.all, x => f(x)))",
        "size(group_by(t.all, x => f(x)))",
        "length(partition(t.all, x => f(x) == 0).first)",
        "position(t.all, x => f(x) == 0) ?? 0",
        "length(zip_with(t.all, [1], (x, n) => f(x) + n))",
        "map(t.one, x => f(x)) ?? 0",
        "and_then(t.one, x => f(x)) ?? 0",
        "each(t.by, x => f(x))",
        "sum(map(turned(t.all), x => f(x)))",
        "map(either(t.one, none), x => f(x)) ?? 0",
        "match t.one { Present { value } => f(value), Absent => 0 }",
        "f(find(t.all, x => f(x) == 0) ?? Tree { all: [], one: none, by: {} })",
    ] {
        let helpers = "fn each<T>(m: Map<String, T>, g: fn(T) -> Int) -> Int = sum(map(map_values(m), g))\n\
                       fn turned<T>(items: List<T>) -> List<T> = reverse(items)\n\
                       fn either<T>(a: T?, b: Int?) -> T? = a\n";
        let text = format!("{tree}{helpers}fn f(t: Tree) -> Int = {body}\n");
        let ends = !body.contains("?? Tree");
        match ends {
            true => sound(&text),
            false => breaks("E0501", &text),
        }
    }
}

/// A second source of the values, and they need be no parts.
#[test]
fn what_may_come_from_elsewhere_is_no_part() {
    let tree = "module m\ntype Tree { all: List<Tree> }\n";
    for (helper, call) in [
        // It may hand on what it was given beside the list.
        (
            "fn h<T>(items: List<T>, other: T, g: fn(T) -> Int) -> Int = g(other)",
            "h(t.all, t, x => f(x))",
        ),
        // Or what a function made.
        (
            "fn h<T>(items: List<T>, make: fn() -> T, g: fn(T) -> Int) -> Int = g(make())",
            "h(t.all, fn() { t }, x => f(x))",
        ),
        // Or what the lambda itself gives.
        (
            "fn h<T>(items: List<T>, g: fn(T) -> T) -> List<T> = map(map(items, g), g)",
            "length(h(t.all, x => same(t, f(x))))",
        ),
        // Or what a function in the list makes.
        (
            "fn h<T>(items: List<fn() -> T>, g: fn(T) -> Int) -> List<Int> = map(items, m => g(m()))",
            "sum(h([fn() { t }], x => f(x)))",
        ),
        // Or what a record of the function's own holds.
        (
            "type Box<T> { make: fn() -> T }\nfn h<T>(box: Box<T>, g: fn(T) -> Int) -> Int { let make = box.make\n g(make()) }",
            "h(Box { make: fn() { t } }, x => f(x))",
        ),
        // A type that is named is no type parameter.
        (
            "fn h(items: List<Tree>, g: fn(Tree) -> Int) -> Int = g(Tree { all: items })",
            "h(t.all, x => f(x))",
        ),
        // A list as large as the one given: nothing became smaller.
        (
            "fn h<T>(items: List<T>) -> List<T> = items",
            "f(Tree { all: h(t.all) })",
        ),
    ] {
        let same = "fn same(t: Tree, n: Int) -> Tree = t\n";
        breaks(
            "E0501",
            &format!("{tree}{same}{helper}\nfn f(t: Tree) -> Int = {call}\n"),
        );
    }
}
