//! Default values of parameters and fields.

mod common;

use common::{breaks, codes_of, refused, sound, sound_files};
use expect_test::expect;

#[test]
fn a_default_has_the_declared_type_whether_or_not_it_is_used() {
    refused(
        "module m\nfn f(a: Int, b: Int = \"two\") -> Int = a\ntype R { v: List<Int> = [\"a\"] }\ntype N { v: Int where range(min: 1) = 0 }\n",
        expect![[r#"
            m.dag:2:23: error[E0301]: expected Int, found String
              |
            2 | fn f(a: Int, b: Int = "two") -> Int = a
              |                 ---   ^^^^^
              |                 |
              |                 declared here
            m.dag:3:26: error[E0301]: expected Int, found String
              |
            3 | type R { v: List<Int> = ["a"] }
              |             ---------    ^^^
              |             |
              |             declared here
            m.dag:4:39: error[E0309]: this is no `Int where range(min: 1)`: it does not hold that it is at least 1
              |
            4 | type N { v: Int where range(min: 1) = 0 }
              |             -----------------------   ^
              |             |
              |             the type is declared here"#]],
    );
    sound(
        "module m\ndata two: Int = 2\nfn g(n: Int) -> Int = n\nfn f(a: Int, b: Int = g(two)) -> Int = a + b\ntype R { v: List<Int> = [], w: Int? = none, x: Int where range(min: 1) = 1 }\ntype V = A { n: Int = 1 } | B\ndata r: List<R> = [R {}, R { v: [1] }, { w: 1 }]\ndata v: V = A {}\ndata i: Int = f(1) + f(1, 2) + f(b: 3, a: 1)\n",
    );
}

#[test]
fn a_default_sees_no_parameter() {
    refused(
        "module m\nfn f(a: Int, b: Int = a) -> Int = b\n",
        expect![[r#"
            m.dag:2:23: error[E0206]: there is no `a` here
              |
            2 | fn f(a: Int, b: Int = a) -> Int = b
              |                       ^
              |
              = note: a default value is worked out in its module, before any call: it sees no parameter"#]],
    );
}

#[test]
fn what_has_no_default_is_still_asked_for() {
    refused(
        "module m\nfn f(a: Int, b: Int = 2, c: Int = 3) -> Int = a\ndata x: Int = f()\ndata y: Int = f(1, 2, 3, 4)\ntype R { a: Int, b: Int = 2 }\ndata r: R = R { b: 1 }\n",
        expect![[r#"
            m.dag:3:15: error[E0304]: `f` is not given `a`
              |
            2 | fn f(a: Int, b: Int = 2, c: Int = 3) -> Int = a
              |    - declared here
            3 | data x: Int = f()
              |               ^^^
            m.dag:4:26: error[E0304]: `f` takes 1 to 3 arguments, and this is one more
              |
            2 | fn f(a: Int, b: Int = 2, c: Int = 3) -> Int = a
              |    - declared here
            3 | data x: Int = f()
            4 | data y: Int = f(1, 2, 3, 4)
              |                          ^
            m.dag:6:13: error[E0303]: `R` is not given `a`
              |
            5 | type R { a: Int, b: Int = 2 }
              |      - declared here
            6 | data r: R = R { b: 1 }
              |             ^"#]],
    );
}

#[test]
fn a_function_as_a_value_takes_all_its_parameters() {
    refused(
        "module m\nfn f(a: Int, b: Int = 2) -> Int = a + b\ndata xs: List<Int> = map([1], f)\n",
        expect![[r#"
            m.dag:3:31: error[E0301]: expected fn(Int) -> Int, found fn(Int, Int) -> Int
               |
             3 | data xs: List<Int> = map([1], f)
               |                               ^
               |
              ::: std/prelude.dag:15:30
               |
            15 | fn map<T, U>(items: List<T>, f: fn(T) -> U) -> List<U> = intrinsic("list.map")
               |                              - the parameter `f`"#]],
    );
    sound(
        "module m\nfn f(a: Int, b: Int = 2) -> Int = a + b\ndata x: Int = fold([1], 0, f)\ndata xs: List<Int> = map([1], x => f(x))\n",
    );
}

#[test]
fn a_default_does_not_need_itself() {
    refused(
        "module m\nfn f(a: Int = f()) -> Int = a\n",
        expect![[r#"
            m.dag:2:6: error[E0502]: the default value `f(a)` needs itself
              |
            2 | fn f(a: Int = f()) -> Int = a
              |      ^
              |
              = help: give the value where it is needed, or write a default that does not call for it"#]],
    );
    refused(
        "module m\ntype R { next: Int = count([R {}]) }\n",
        expect![[r#"
            m.dag:2:10: error[E0502]: the default value `R(next)` needs itself
              |
            2 | type R { next: Int = count([R {}]) }
              |          ^^^^
              |
              = help: give the value where it is needed, or write a default that does not call for it"#]],
    );
    // By way of other functions, data, and each other.
    for text in [
        "fn f(a: Int = g()) -> Int = a\nfn g() -> Int = f()",
        "data d: Int = f()\nfn f(a: Int = d) -> Int = a",
        "type A { b: Int = B {}.a }\ntype B { a: Int = A {}.b }",
        "type A { n: Int = f() }\nfn f() -> Int = A {}.n",
        "type A { n: Int = { let a: A = {}\n a.n } }",
    ] {
        breaks("E0502", &format!("module m\n{text}\n"));
    }
    sound(
        "module m\nfn f(a: Int = g(1)) -> Int = a\nfn g(b: Int) -> Int = f(b)\ntype R { n: Int = count([R { n: 1 }]) }\n",
    );
}

#[test]
fn a_default_is_of_the_module_that_declares_it() {
    let lib = (
        "lib.dag",
        "module lib\ntype Hidden sole_constructor { n: Int }\ndata secret: Int = 1\nfn f(h: Hidden = Hidden { n: secret }) -> Int = h.n\ntype Open { h: Hidden = Hidden { n: 2 } }\n",
    );
    sound_files(&[
        lib,
        (
            "m.dag",
            "module m\nimport lib { Open, f }\ndata x: Int = f()\ndata o: Open = Open {}\n",
        ),
    ]);
    // A default makes no record that only its module builds.
    let sealed = (
        "lib.dag",
        "module lib\ntype Sealed sole_constructor { n: Int = 1 }\ntype Seen observed { n: Int = 1 }\n",
    );
    let codes = codes_of(&[
        sealed,
        (
            "m.dag",
            "module m\nimport lib { Sealed, Seen }\ndata a: Sealed = Sealed {}\ndata b: Sealed = {}\ndata c: Seen = Seen {}\ndata d: Seen = {}\n",
        ),
    ]);
    assert_eq!(codes, ["E0602", "E0602", "E0601", "E0601"]);
}
