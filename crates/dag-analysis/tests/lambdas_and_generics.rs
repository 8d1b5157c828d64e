//! Lambdas, generics, and what is inferred of them.

mod common;

use common::{breaks, refused, sound};
use expect_test::expect;

#[test]
fn a_lambda_takes_its_types_from_where_it_stands() {
    sound(
        "module m\ntype T { v: Int }\nfn f(ts: List<T>) -> List<Int> = map(ts, t => t.v)\nfn g(ts: List<T>) -> Int = fold(ts, 0, (acc, t) => acc + t.v)\nfn h(ts: List<T>) -> List<T> = filter(ts, t => {\n  let big = t.v > 3\n  big && t.v < 9\n})\nfn i(ts: List<T>) -> List<Int> = map(f: t => t.v, items: ts)\nfn j() -> fn(T) -> Int = t => t.v\nfn k(ts: List<T>) -> List<Int> = map(ts, t =>\n  let v = t.v\n  v + 1)\n",
    );
    refused(
        "module m\ntype T { v: Int }\nfn f(ts: List<T>) -> Int {\n  let get_v = t => t.v\n  1\n}\n",
        expect![[r#"
            m.dag:4:22: error[E0307]: the type that should have the field `v` is not known here
              |
            4 |   let get_v = t => t.v
              |                      ^
              |
              = help: give the value a type with `let x: T = …`, or put the list before the lambda"#]],
    );
}

#[test]
fn a_lambda_has_the_number_of_parameters_that_is_asked() {
    refused(
        "module m\nfn f(xs: List<Int>) -> List<Int> = map(xs, (a, b) => a)\n",
        expect![[r#"
            m.dag:2:44: error[E0301]: expected a function of one parameter, and this lambda has 2
               |
             2 | fn f(xs: List<Int>) -> List<Int> = map(xs, (a, b) => a)
               |                                            ^^^^^^^^^^^
               |
              ::: std/prelude.dag:15:30
               |
            15 | fn map<T, U>(items: List<T>, f: fn(T) -> U) -> List<U> = intrinsic("list.map")
               |                              - the parameter `f`"#]],
    );
    breaks(
        "E0101",
        "module m\nfn f(xs: List<Int>) -> List<Int> = map(xs, (a) => a)\n",
    );
    breaks(
        "E0205",
        "module m\nfn f(xs: List<Int>) -> Int = fold(xs, 0, (a, a) => a)\n",
    );
    sound(
        "module m\nfn f(xs: List<Int>) -> Int = fold(xs, 0, (_, _) => 1)\nfn g(k: fn() -> Int) -> Int = k()\nfn h() -> Int = g(fn() { 3 })\n",
    );
}

#[test]
fn a_return_leaves_its_lambda() {
    sound(
        "module m\nfn f(xs: List<Int>) -> List<String> = map(xs, x => {\n  if x > 3 { return \"big\" }\n  \"small\"\n})\n",
    );
    breaks(
        "E0301",
        "module m\nfn f(xs: List<Int>) -> List<String> = map(xs, x => {\n  if x > 3 { return 3 }\n  \"small\"\n})\n",
    );
}

#[test]
fn a_type_parameter_stands_for_any_type_and_only_itself() {
    sound(
        "module m\ntype Box<T> { v: T }\nfn wrap<T>(x: T) -> Box<T> = Box { v: x }\nfn open<T>(b: Box<T>) -> T = b.v\nfn both<A, B>(a: A, b: B) -> Pair<A, B> = Pair { first: a, second: b }\ndata a: Box<Box<Int>> = wrap(wrap(1))\ndata b: Int = open(open(a))\ndata c: Pair<Int, String> = both(1, \"a\")\ndata d: List<Box<Int>> = map([1], wrap)\n",
    );
    refused(
        "module m\nfn f<T>(x: T) -> T = 1\nfn g<A, B>(a: A, b: B) -> A = b\nfn h<T>(x: T) -> Int = x + 1\nfn i<T>(x: T) -> String = x.name\n",
        expect![[r#"
            m.dag:2:22: error[E0301]: expected T, found Int
              |
            2 | fn f<T>(x: T) -> T = 1
              |                  -   ^
              |                  |
              |                  declared here
            m.dag:3:31: error[E0301]: expected A, found B
              |
            3 | fn g<A, B>(a: A, b: B) -> A = b
              |                           -   ^
              |                           |
              |                           declared here
            m.dag:4:24: error[E0310]: `+` is given T and Int
              |
            4 | fn h<T>(x: T) -> Int = x + 1
              |                        ^^^^^
              |
              = note: both sides are of one type
            m.dag:5:29: error[E0302]: T has no field `name`
              |
            5 | fn i<T>(x: T) -> String = x.name
              |                             ^^^^"#]],
    );
    breaks(
        "E0301",
        "module m\ntype Box<T> { v: T }\nfn wrap<T>(x: T) -> Box<T> = Box { v: x }\ndata a: Box<Int> = wrap(\"a\")\n",
    );
}

#[test]
fn a_functions_own_parameter_is_not_that_of_a_function_it_calls() {
    sound(
        "module m\nfn id<T>(x: T) -> T = x\nfn f<A, T>(a: A, t: T) -> A = id(a)\nfn g<T>(t: T) -> Int = id(1)\n",
    );
    breaks(
        "E0301",
        "module m\nfn second<A, B>(a: A, b: B) -> B = b\nfn f<A, B>(a: A, b: B) -> A = second(a, b)\n",
    );
}

#[test]
fn a_let_is_of_one_type() {
    breaks(
        "E0301",
        "module m\nfn f() -> Int {\n  let id = x => x\n  let s = id(\"a\")\n  id(1)\n}\n",
    );
    sound("module m\nfn f() -> Int {\n  let id = x => x\n  id(id(1))\n}\n");
}

#[test]
fn what_nothing_tells_the_type_of_may_stay_so() {
    sound(
        "module m\nfn f() -> Int {\n  let nothing = []\n  let none_yet = none\n  count(nothing)\n}\n",
    );
}

#[test]
fn a_call_takes_its_types_from_where_it_stands() {
    sound(
        "module m\ntype Box<T> { v: T }\ntype W<T> = | W(T)\ntype Port = Int where range(min: 1)\nfn wrap<T>(x: T) -> Box<T> = Box { v: x }\ndata a: Box<Port> = wrap(1)\ndata b: W<Port> = W(1)\ndata c: W<Port>? = 1 |> W()\ndata d: List<Port> = map([1], x => x + 1)\ndata e: List<Int?> = [1] |> map(x => x + 1)\ndata f: Port? = Present { value: 1 }\ndata g: Int? = first([1])\ndata h: Int? = fold([1], 0, (acc, x) => acc + x)\n",
    );
    breaks(
        "E0309",
        "module m\ntype W<T> = | W(T)\ntype Port = Int where range(min: 1)\ndata b: W<Port> = W(0)\n",
    );
}

#[test]
fn a_list_joins_its_elements() {
    sound(
        "module m\nfn f(n: Nat, i: Int, o: Int?) -> List<Int?> = [n, i, o, none, 3]\nfn g(n: Nat, i: Int) -> Int {\n  let all = [n, i]\n  sum(all)\n}\nfn h(o: Int?) -> Int {\n  let all = [none, o, 3]\n  count(all)\n}\n",
    );
}

#[test]
fn types_that_double_with_every_line_are_not_walked() {
    // Written in forty lines, 2^40 long.
    let mut aliases = String::from("module m\ntype T0 = Int\n");
    for i in 1..=60 {
        aliases += &format!("type T{i} = Pair<T{}, T{}>\n", i - 1, i - 1);
    }
    sound(&format!(
        "{aliases}type R {{ x: T60 }}\nfn f(x: T60) -> T60 = x\nfn g(r: R) -> T60 = f(r.x)\nfn h(a: T60, b: T60) -> Bool = a == b\n"
    ));
    breaks("E0301", &format!("{aliases}fn f(x: T60) -> Int = x\n"));
    breaks("E0301", &format!("{aliases}fn f(x: T60) -> T59 = x\n"));
    let mut generic = String::from("module m\ntype T0<A> = A\n");
    for i in 1..=60 {
        generic += &format!("type T{i}<A> = Pair<T{}<A>, T{}<A>>\n", i - 1, i - 1);
    }
    sound(&format!(
        "{generic}fn f(x: T60<Int>) -> T60<Int> = x\nfn g<A>(x: T60<A>) -> T60<A> = x\nfn h(x: T60<Int>) -> T60<Int> = g(x)\n"
    ));
    let mut lets = String::from("module m\nfn f<T>(x0: T) -> Int {\n");
    for i in 1..=60 {
        lets += &format!(
            "  let x{i} = Pair {{ first: x{}, second: x{} }}\n",
            i - 1,
            i - 1
        );
    }
    sound(&format!("{lets}  1\n}}\n"));
    let open = lets.replace(
        "fn f<T>(x0: T) -> Int {\n",
        "fn f() -> Int {\n  let x0 = []\n  let y0 = []\n",
    );
    let mut twice = open.clone();
    for i in 1..=60 {
        twice += &format!(
            "  let y{i} = Pair {{ first: y{}, second: y{} }}\n",
            i - 1,
            i - 1
        );
    }
    let text = format!("{twice}  let same = [x60, y60]\n  1\n}}\n");
    sound(&text);
}

#[test]
fn a_type_nests_only_so_deep() {
    let mut text = String::from("module m\ntype T0 = Int\n");
    for i in 1..=600 {
        text += &format!("type T{i} = List<T{}>\n", i - 1);
    }
    let codes = common::codes_of(&[("m.dag", &text)]);
    assert!(
        !codes.is_empty() && codes.iter().all(|c| *c == "E0105"),
        "{codes:?}"
    );
    // The other way round, each waits for the next.
    let mut text = String::from("module m\n");
    for i in 0..20_000 {
        text += &format!("type T{i} = T{}\n", i + 1);
    }
    text += "type T20000 = Int\n";
    let codes = common::codes_of(&[("m.dag", &text)]);
    assert!(codes.iter().all(|c| *c == "E0105"), "{codes:?}");
    let mut text = String::from("module m\nfn f() -> Int {\n  let x0 = 1\n");
    for i in 1..=2000 {
        text += &format!("  let x{i} = [x{}]\n", i - 1);
    }
    refused(
        &format!("{text}  1\n}}\n"),
        expect![[r#"
            m.dag:2:1: error[E0105]: a type in this item nests more than 500 levels deep
              |
            2 | fn f() -> Int {
              | ^^^^^^^^^^^^^^^
              |
              = help: give a part of it a record of its own"#]],
    );
}
