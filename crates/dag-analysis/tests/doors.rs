//! Who may see, build and name what: aliases of modules, `nominal_opaque`,
//! `sole_constructor` on types that stand for others, `admit_callers`,
//! predicates that name functions.

mod common;

use common::{breaks, codes_of, refused, refused_files, sound, sound_files};
use expect_test::expect;

const TOOLS: (&str, &str) = (
    "tools.dag",
    "module a.tools\ntype Mode = On | Off\ntype Box<T> { v: T }\nfn twice(n: Int) -> Int = n * 2\ndata one: Int = 1\n",
);

#[test]
fn an_alias_stands_for_a_module() {
    sound_files(&[
        TOOLS,
        (
            "m.dag",
            "module m\nimport a.tools\nalias T = a.tools\nalias N = a\nfn f(m: T.Mode, b: T.Box<Int>) -> Int = match m { T.On => T.twice(T.one), T.Mode.Off => b.v |> N.tools.twice() }\ndata b: T.Box<Int> = T.Box { v: 1 }\ndata c: N.tools.Mode = T.On\n",
        ),
    ]);
    refused_files(
        &[
            TOOLS,
            (
                "m.dag",
                "module m\nimport a.tools\nalias T = a.tools\nalias U = a.tols\nalias V = a.tools\ndata x: Int = T.twise(1)\ndata y: T.Moode = 1\ndata z: Int = a.tools.one\n",
            ),
        ],
        expect![[r#"
            m.dag:4:11: error[E0202]: no module `a.tols` is loaded here
              |
            4 | alias U = a.tols
              |           ^^^^^^
              |
              = help: an alias is another name for a module that an import loads
            m.dag:6:15: error[E0206]: there is no `a.tools.twise` here
              |
            6 | data x: Int = T.twise(1)
              |               ^^^^^^^
              |
              = help: did you mean `T.twice`?
            m.dag:7:9: error[E0207]: there is no type `a.tools.Moode` here
              |
            7 | data y: T.Moode = 1
              |         ^^^^^^^
              |
              = help: did you mean `T.Mode`?"#]],
    );
    refused_files(
        &[
            TOOLS,
            (
                "m.dag",
                "module m\nimport a.tools { Mode, one }\nalias Mode = a.tools\nalias R = a.tools\nalias R = a.tools\nalias f = a.tools\nfn f(x: Mode) -> Int = R.one + one\n",
            ),
        ],
        expect![[r#"
            m.dag:3:7: error[E0205]: `Mode` is declared here and imported
              |
            2 | import a.tools { Mode, one }
              |                  ---- imported here
            3 | alias Mode = a.tools
              |       ^^^^
              |
              = help: give it another name, or remove the import
            m.dag:5:7: error[E0205]: the alias `R` is declared twice
              |
            4 | alias R = a.tools
              |       - the first one
            5 | alias R = a.tools
              |       ^
            m.dag:6:7: error[E0205]: `f` is the name of an alias and of a declaration
              |
            6 | alias f = a.tools
              |       ^
              |
              = help: give one of them another name"#]],
    );
    refused_files(
        &[
            TOOLS,
            (
                "m.dag",
                "module m\nimport a.tools\nalias T = a.tools\nalias U = a.tools\ndata x: Int = T.one\n",
            ),
        ],
        expect![[r#"
            m.dag:4:7: warning[W0209]: the alias `U` is not used
              |
            4 | alias U = a.tools
              |       ^
              |
              = help: remove it"#]],
    );
    // What no import loads, an alias does not either.
    assert_eq!(
        codes_of(&[
            TOOLS,
            (
                "m.dag",
                "module m\nalias T = a.tools\ndata x: Int = T.one\n"
            )
        ]),
        ["E0202"]
    );
    for broken in ["alias T = a.tols", "alias T a.tools", "alias T = a.tools x"] {
        let text = format!(
            "module m\nimport a.tools\n{broken}\n\nfn f(x: T.Mode, y: T.Box<Int>) -> Int = match x {{ T.On => T.one, T.Off => T.twice(T.Box {{ v: y.v }}.v) }}\nfn g() -> Int = \"1\"\n"
        );
        let codes = codes_of(&[TOOLS, ("m.dag", &text)]);
        assert_eq!(codes.len(), 2, "{broken}: {codes:?}");
        assert_eq!(codes[1], "E0301", "{broken}");
    }
}

const SEALED: (&str, &str) = (
    "lib.dag",
    "module lib
type Token nominal_opaque = String where non_empty
type Port nominal_opaque = Int
type Kept sole_constructor = Int where range(min: 0)
type Tagged sole_constructor = String
type Wrap { t: Token }
fn token(s: String) -> Token = s as Token
fn text(t: Token) -> String = t as String
fn port(n: Int) -> Port = n as Port
fn kept(n: Int) -> Kept = n
fn tagged(s: String) -> Tagged = s
",
);

fn beside(text: &str) -> Vec<&'static str> {
    let text = format!(
        "module m\nimport lib {{ Kept, Port, Tagged, Token, Wrap, kept, port, tagged, text, token }}\n{text}\n"
    );
    let mut codes = codes_of(&[SEALED, ("m.dag", &text)]);
    codes.retain(|code| *code != "W0209");
    codes
}

#[test]
fn only_its_module_sees_what_a_sealed_type_is() {
    for text in [
        "fn f(t: Token) -> Bool = t == token(\"a\")",
        "fn f(t: Token) -> String = text(t)",
        "fn f(k: Kept, s: Tagged) -> String = \"{k + 1}{s}\"",
        "fn f(k: Kept) -> Int = k",
        "data s: Set<Token> = [token(\"a\")]",
        "fn f(t: Token) -> List<Token> = [t as Token]",
        "fn f(xs: List<Kept>) -> List<Int> = xs",
    ] {
        assert_eq!(beside(text), [""; 0], "{text}");
    }
    for (code, text) in [
        ("E0603", "fn f(t: Token) -> String = t as String"),
        ("E0603", "fn f(s: String) -> Token = s as Token"),
        ("E0603", "fn f(p: Port) -> Float = p as Float"),
        ("E0603", "data p: Port = 1 as Port"),
        ("E0603", "fn f(t: Token) -> String = \"{t}\""),
        ("E0603", "fn f(w: Wrap) -> String = to_string([w])"),
        ("E0301", "fn f(t: Token) -> String = t"),
        ("E0301", "data t: Token = \"a\""),
        ("E0310", "fn f(p: Port) -> Int = p + 1"),
        ("E0310", "fn f(p: Port) -> Bool = p < p"),
        ("E0403", "fn f(p: Port) -> Int = match p { 1 => 1, _ => 2 }"),
        ("E0310", "fn f(t: Token) -> Int = count(t)"),
        ("E0602", "data k: Kept = 1"),
        ("E0602", "fn f(n: Int) -> Kept = n as Kept"),
        ("E0602", "data t: Tagged = \"a\""),
        (
            "E0602",
            "type More = Kept where range(max: 9)\ndata k: More = 1",
        ),
        ("E0602", "data k: List<Kept?> = [1]"),
    ] {
        assert_eq!(beside(text), [code], "{text}");
    }
    // Its own module goes through `as` too.
    breaks(
        "E0301",
        "module m\ntype T nominal_opaque = Int\ndata t: T = 1\n",
    );
    breaks(
        "E0301",
        "module m\ntype T nominal_opaque = Int\nfn f(t: T) -> Int = t\n",
    );
    sound(
        "module m\ntype T nominal_opaque = Int where range(min: 1)\nfn f(t: T) -> Float = t as Float\ndata t: T = 1 as T\nfn g(t: T) -> String = \"{t}\"\n",
    );
    breaks(
        "E0309",
        "module m\ntype T nominal_opaque = Int where range(min: 1)\ndata t: T = 0 as T\n",
    );
    refused_files(
        &[
            SEALED,
            (
                "m.dag",
                "module m\nimport lib { Token, Wrap }\nfn f(t: Token) -> String = t as String\nfn g(w: Wrap) -> String = \"{w}\"\n",
            ),
        ],
        expect![[r#"
            m.dag:3:28: error[E0603]: only the module of `Token` sees what it is made of
              |
            3 | fn f(t: Token) -> String = t as String
              |                            ^^^^^^^^^^^
              |
             ::: lib.dag:2:6
              |
            2 | type Token nominal_opaque = String where non_empty
              |      ----- declared here, as `nominal_opaque`
              |
              = help: call a function of that module
            m.dag:4:29: error[E0603]: this would show what a `Token` is made of
              |
            4 | fn g(w: Wrap) -> String = "{w}"
              |                             ^
              |
              = note: the type is `nominal_opaque`: only its own module sees that
              = help: call a function of that module which gives a text"#]],
    );
    refused(
        "module m\ntype A nominal_opaque { n: Int }\ntype B nominal_opaque = | C\n",
        expect![[r#"
            m.dag:2:6: error[E0311]: only a type that stands for another can be `nominal_opaque`: `type X nominal_opaque = Base`
              |
            2 | type A nominal_opaque { n: Int }
              |      ^
            m.dag:3:6: error[E0311]: only a type that stands for another can be `nominal_opaque`: `type X nominal_opaque = Base`
              |
            3 | type B nominal_opaque = | C
              |      ^"#]],
    );
}

/// Ways to show, in another module than that of the type or that of the call.
const SHOWS: (&str, &str) = (
    "show.dag",
    "module show
type Box<T> { held: T }
type Shower<T> { f: fn(T) -> String = x => to_string(x) }
fn hole<T>(x: T) -> String = \"{x}\"
fn called<T>(x: T) -> String = to_string([x])
fn handed_on<T>(x: T) -> String = one_more(x)
fn one_more<T>(x: T) -> String = hole(Box { held: x })
fn as_value<T>(xs: List<T>) -> List<String> = map(xs, hole)
fn of_engine<T>(xs: List<T>) -> List<String> = map(xs, to_string)
fn in_lambda<T>() -> fn(T) -> String = x => hole(x)
fn by_default<T>(x: T, f: fn(T) -> String = x => \"{x}\") -> String = f(x)
fn second<A, B>(a: A, b: B) -> String = \"{b}\"
fn even<T>(n: Nat, x: T) -> String = if n == 0 { \"\" } else { odd(n - 1, x) }
fn odd<T>(n: Nat, x: T) -> String = if n == 0 { \"{x}\" } else { even(n - 1, x) }
fn counted<T>(xs: List<T>) -> Int = length(xs)
fn same<T>(a: T, b: T) -> Bool = a == b
fn applied<T>(x: T, f: fn(T) -> String) -> String = f(x)
",
);

/// Whoever puts a type in the place of a type parameter answers for what is asked of it.
#[test]
fn a_type_parameter_is_no_way_into_a_sealed_type() {
    let codes = |text: &str| {
        let text = format!(
            "module m\nimport lib {{ Port, Token, Wrap, text }}\nimport show {{ Box, Shower, applied, as_value, by_default, called, counted, even, handed_on, hole, in_lambda, odd, of_engine, one_more, same, second }}\n{text}\n"
        );
        let mut codes = codes_of(&[SEALED, SHOWS, ("m.dag", &text)]);
        codes.retain(|code| *code != "W0209");
        codes
    };
    for text in [
        "fn f(t: Token) -> String = hole(1)",
        "fn f(t: Token) -> Int = counted([t])",
        "fn f(t: Token) -> Bool = same(t, t)",
        "fn f(t: Token) -> String = applied(t, text)",
        "fn f(t: Token) -> String = second(t, 1)",
        "fn f(t: Token) -> Box<Token> = Box { held: t }",
        "fn f(t: Token) -> Shower<Token> = Shower { f: text }",
        "fn f(t: Token) -> String = by_default(t, text)",
        "fn mine<T>(x: T, y: Int) -> String = \"{y}\"\nfn f(t: Token) -> String = mine(t, 1)",
    ] {
        assert_eq!(codes(text), [""; 0], "{text}");
    }
    for text in [
        "fn f(t: Token) -> String = hole(t)",
        "fn f(t: Token) -> String = t |> hole",
        "fn f(t: Token) -> String = t.hole()",
        "fn f(w: Wrap) -> String = hole([w])",
        "fn f(t: Token) -> String = called(t)",
        "fn f(t: Token) -> String = handed_on(t)",
        "fn f(t: Token) -> List<String> = as_value([t])",
        "fn f(t: Token) -> List<String> = of_engine([t])",
        "fn f(t: Token) -> List<String> = map([t], to_string)",
        "fn f(t: Token) -> List<String> = map([t], hole)",
        "fn f() -> fn(Token) -> String = in_lambda()",
        "fn f(t: Token) -> String = by_default(t)",
        "fn f() -> Shower<Token> = Shower {}",
        "fn f(t: Token) -> String = second(1, t)",
        "fn f(t: Token) -> String = even(2, t)",
        "fn f(t: Token) -> String = hole(Box { held: t })",
        "fn f(t: Token) -> String = applied(t, hole)",
        // Through a function of the module itself, and one that stands below.
        "fn f(t: Token) -> String = mine(t)\nfn mine<T>(x: T) -> String = hole(Box { held: x })",
        "fn f(p: Port) -> String = mine(p)\nfn mine<T>(x: T) -> String = \"{x}\"",
    ] {
        assert_eq!(codes(text), ["E0603"], "{text}");
    }
    // The module of the type may show it by whatever means.
    sound_files(&[
        SHOWS,
        (
            "m.dag",
            "module m\nimport show { hole }\ntype Own nominal_opaque = String\nfn f(x: Own) -> String = hole([x])\n",
        ),
    ]);
    refused_files(
        &[
            SEALED,
            SHOWS,
            (
                "m.dag",
                "module m\nimport lib { Token }\nimport show { handed_on }\nfn f(t: Token) -> String = handed_on(t)\n",
            ),
        ],
        expect![[r#"
            m.dag:4:28: error[E0603]: this would show what a `Token` is made of
              |
            4 | fn f(t: Token) -> String = handed_on(t)
              |                            ^^^^^^^^^^^^
              |
              = note: the type is `nominal_opaque`: only its own module sees that, and `handed_on` shows values of its `T`
              = help: call a function of that module which gives a text"#]],
    );
}

/// A function has no text and no equality, behind a type parameter too.
#[test]
fn a_type_parameter_is_no_way_round_what_functions_lack() {
    let codes = |text: &str| {
        let text = format!(
            "module m\nimport show {{ Box, counted, even, hole, same }}\nfn twice(n: Int) -> Int = n * 2\n{text}\n"
        );
        let mut codes = codes_of(&[SHOWS, ("m.dag", &text)]);
        codes.retain(|code| *code != "W0209");
        codes
    };
    assert_eq!(codes("data n: Int = counted([twice])"), [""; 0]);
    for (code, text) in [
        ("E0313", "data s: String = hole(twice)"),
        ("E0313", "data s: String = hole([Box { held: twice }])"),
        ("E0313", "data s: List<String> = map([twice], to_string)"),
        ("E0310", "data s: Bool = same(twice, twice)"),
        ("E0310", "data s: Bool = same([twice], [])"),
        (
            "E0310",
            "fn sorted<T>(items: List<T>) -> List<T> = sort(items)\ndata n: Int = length(sorted([twice]))",
        ),
        (
            "E0315",
            "fn put<K>(k: List<K>) -> Int = size(set_from_list(k))\ndata n: Int = put([1.5])",
        ),
        (
            "E0315",
            "fn put<K>(k: K) -> Int = map_size(map_insert(empty_map(), k, 1))\ndata n: Int = put(twice)",
        ),
        // One mistake, however many parameters ask.
        (
            "E0313",
            "fn both<A, B>(a: A, b: B) -> String = \"{a}{b}\"\ndata s: String = both(twice, twice)",
        ),
    ] {
        assert_eq!(codes(text), [code], "{text}");
    }
}

const MINT: (&str, &str) = (
    "mint.dag",
    "module mint\ntype Coin sole_constructor { n: Int }\nfn coin(n: Int) -> Coin admit_callers: [\n  decl_ref(module_path: \"m\", decl_name: \"pay\")\n  decl_ref(module_path: \"m\", decl_name: \"paid\")\n] = Coin { n }\nfn own() -> Coin = coin(1)\n",
);

#[test]
fn a_function_admits_its_callers() {
    sound_files(&[
        MINT,
        (
            "m.dag",
            "module m\nimport mint { Coin, coin, own }\nfn pay() -> List<Coin> = map([1], x => coin(x))\ndata paid: Coin = 2 |> coin()\nfn other() -> Coin = own()\n",
        ),
        (
            "mint_test.dag",
            "module mint_test\nimport mint { coin }\ntest fn a_coin_is_made() -> Bool = coin(1).n == 1\n",
        ),
    ]);
    refused_files(
        &[
            MINT,
            (
                "m.dag",
                "module m\nimport mint { Coin, coin }\nfn pay() -> Coin = coin(1)\ndata paid: Coin = pay()\nfn forge() -> Coin = coin(2)\n",
            ),
        ],
        expect![[r#"
            m.dag:5:22: error[E0604]: `coin` does not admit `forge` of this module
              |
            5 | fn forge() -> Coin = coin(2)
              |                      ^^^^
              |
             ::: mint.dag:3:4
              |
            3 | fn coin(n: Int) -> Coin admit_callers: [
              |    ---- declared here, with `admit_callers`
              |
              = help: call a function that it admits, or add this one to its list"#]],
    );
    for text in [
        "fn f() -> Coin = mint.coin(1)",
        "fn f() -> List<Coin> = map([1], coin)",
        "fn f() -> Coin = 1 |> coin()",
        "fn f() -> Coin = (1).coin()",
        "fn f() -> Coin { let g = coin\n g(1) }",
        "fn f(c: Coin = coin(1)) -> Coin = c",
        "alias M = mint\nfn f() -> Coin = M.coin(1)",
        "fn f() -> List<Coin> = for x in [1] { coin(x) }",
        "type R { c: Coin = coin(1) }",
    ] {
        let text = format!(
            "module m\nimport mint {{ Coin, coin }}\nfn pay() -> Int = 1\ndata paid: Int = 1\n{text}\n"
        );
        let mut codes = codes_of(&[MINT, ("m.dag", &text)]);
        codes.retain(|code| *code != "W0209");
        assert_eq!(codes, ["E0604"], "{text}");
    }
    refused(
        "module m\nfn f() -> Int admit_callers: [decl_ref(module_path: \"n\", decl_name: \"g\"), decl_ref(module_path: \"m\", decl_name: \"h\"), f, decl_ref(\"m\", \"f\")] = 1\n",
        expect![[r#"
            m.dag:2:31: error[E0206]: no module `n` declares `g`
              |
            2 | fn f() -> Int admit_callers: [decl_ref(module_path: "n", decl_name: "g"), decl_ref(module_path: "m", decl_name: "h"), f, decl_ref("m"...
              |                               ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = note: a caller that does not exist would be admitted as soon as somebody writes it
            m.dag:2:75: error[E0206]: no module `m` declares `h`
              |
            2 | fn f() -> Int admit_callers: [decl_ref(module_path: "n", decl_name: "g"), decl_ref(module_path: "m", decl_name: "h"), f, decl_ref("m"...
              |                                                                           ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = note: a caller that does not exist would be admitted as soon as somebody writes it
            m.dag:2:119: error[E0101]: a caller is admitted by its module and its name
              |
            2 | fn f() -> Int admit_callers: [decl_ref(module_path: "n", decl_name: "g"), decl_ref(module_path: "m", decl_name: "h"), f, decl_ref("m"...
              |                                                                                                                       ^
              |
              = help: write `decl_ref(module_path: "a.b", decl_name: "f")`
            m.dag:2:122: error[E0101]: a caller is admitted by its module and its name
              |
            2 | ...e: "g"), decl_ref(module_path: "m", decl_name: "h"), f, decl_ref("m", "f")] = 1
              |                                                            ^^^^^^^^^^^^^^^^^^
              |
              = help: write `decl_ref(module_path: "a.b", decl_name: "f")`"#]],
    );
}

#[test]
fn a_predicate_may_be_a_function() {
    sound_files(&[
        (
            "lib.dag",
            "module lib\nfn short(s: String) -> Bool = count(s) < 9\nfn all_short(xs: List<String>) -> Bool = all(xs, x => short(x))\n",
        ),
        (
            "m.dag",
            "module m\nimport lib { short }\ntype A = String where short\ntype B = String where non_empty, lib.short, low\ntype C = List<String> where content(lib.all_short)\nfn low(s: String) -> Bool = s == to_lower(s)\ntype R { a: String where format(low), b: Int where even = 2 }\nfn even(n: Int) -> Bool = n % 2 == 0\nfn f(n: Int where domain(even), m: Int) -> A = \"a\"\ntype U = { a: Int } where small\nfn small(u: { a: Int }) -> Bool = u.a < 9\ntype Nested = A where low\n",
        ),
    ]);
    refused(
        "module m
type A = String where shrt
type B = String where non_emty
type C = Int where short
type D = String where two
type E = String where mode
type F = String where On
type G = String where short(1)
type H = String where format(short, short)
type I = String where generic
fn short(s: String) -> Bool = true
fn two(a: String, b: String) -> Bool = true
data mode: Bool = true
type M = On | Off
fn generic<T>(t: T) -> Bool = true
",
        expect![[r#"
            m.dag:2:23: error[E0206]: there is no `shrt` here
              |
            2 | type A = String where shrt
              |                       ^^^^
              |
              = help: did you mean `short`?
            m.dag:3:23: error[E0206]: there is no predicate `non_emty` here
              |
            3 | type B = String where non_emty
              |                       ^^^^^^^^
              |
              = help: did you mean `non_empty`?
            m.dag:4:20: error[E0311]: `short` is no predicate of Int
              |
            4 | type C = Int where short
              |                    ^^^^^
              |
              = help: a predicate is a function `fn p(x: Int) -> Bool`
            m.dag:5:23: error[E0311]: `two` is no predicate of String
              |
            5 | type D = String where two
              |                       ^^^
              |
              = help: a predicate is a function `fn p(x: String) -> Bool`
            m.dag:6:23: error[E0311]: `mode` is no predicate of String
              |
            6 | type E = String where mode
              |                       ^^^^
              |
              = help: a predicate is a function `fn p(x: String) -> Bool`
            m.dag:7:23: error[E0311]: `On` is no predicate: a function gives true or false
              |
            7 | type F = String where On
              |                       ^^
            m.dag:8:23: error[E0311]: `short(1)` is no predicate
              |
            8 | type G = String where short(1)
              |                       ^^^^^^^^
              |
              = note: predicates: non_empty, range(min: 0, max: 9), pattern("[a-z]+"), brand("Name"), and the name of a function of the base that gives Bool
            m.dag:9:23: error[E0311]: `format(short, short)` is no predicate
              |
            9 | type H = String where format(short, short)
              |                       ^^^^^^^^^^^^^^^^^^^^
              |
              = note: predicates: non_empty, range(min: 0, max: 9), pattern("[a-z]+"), brand("Name"), and the name of a function of the base that gives Bool
            m.dag:10:23: error[E0311]: `generic` is no predicate of String
               |
            10 | type I = String where generic
               |                       ^^^^^^^
               |
               = help: a predicate is a function `fn p(x: String) -> Bool`"#]],
    );
    // It descends like any other call: the type it guards is built in it.
    breaks(
        "E0501",
        "module m\ntype A = String where p\nfn p(s: String) -> Bool = count(s as A) > 0\n",
    );
    breaks(
        "E0501",
        "module m\ntype A = String where p\nfn p(s: String) -> Bool = q(s)\nfn q(a: A) -> Bool = true\n",
    );
    sound(
        "module m\ntype T { kids: List<T> }\ntype Good = T where good\nfn good(t: T) -> Bool = all(t.kids, k => count([k as Good]) == 1)\n",
    );
}

#[test]
fn fields_say_where_an_output_has_them() {
    sound(
        "module m\ntype Out { text: String from \"stdout\", code: Int where range(min: 0) from \"exit_code\" = 0 }\ndata o: Out = Out { text: \"\" }\n",
    );
    refused(
        "module m\ntype Out { text: String from stdout }\n\ntype Un = { a: Int from \"b\" }\n",
        expect![[r#"
            m.dag:2:30: error[E0101]: expected the name of what the field is read from, in quotes, found name `stdout`
              |
            2 | type Out { text: String from stdout }
              |                              ^^^^^^
            m.dag:4:20: error[E0101]: a record without a name has no default values and no `from`
              |
            4 | type Un = { a: Int from "b" }
              |                    ^^^^
              |
              = help: declare it: `type Name { … }`"#]],
    );
}

#[test]
fn type_parameters_and_arguments_are_types() {
    sound(
        "module m\ntype P<T: Type, U> { a: T, b: U }\nfn f<T: Type>(t: T) -> T = t\ntype Phantom<T>\ntype Measure<Q: Type> { n: Int }\n",
    );
    refused(
        "module m\ntype A<T: Nat> { a: T }\ntype B<T: Type> { a: T }\n\ntype C = List<3>\n\ntype D = Int??\n",
        expect![[r#"
            m.dag:2:11: error[E0207]: there is no kind `Nat`
              |
            2 | type A<T: Nat> { a: T }
              |           ^^^
              |
              = note: a type parameter stands for a type: there are no others
              = help: write `T: Type`, or `T` alone
            m.dag:5:15: error[E0101]: a type's argument is a type, not a number
              |
            5 | type C = List<3>
              |               ^
              |
              = help: keep a bound with the value: `type Port = Int where range(min: 1, max: 65535)`
            m.dag:7:13: error[E0101]: a type is made optional once
              |
            7 | type D = Int??
              |             ^^
              |
              = help: declare a coproduct with a variant for each way to be absent"#]],
    );
}

#[test]
fn what_a_program_prints_passes_no_door() {
    let lib = (
        "lib.dag",
        "module lib\ntype Token nominal_opaque = String\ntype Kept sole_constructor = String\nfn short(s: String) -> Bool = count(s) < 9\ntype Short = String where short\n",
    );
    let service = |field: &str| {
        format!(
            "module m\nimport lib {{ Kept, Short, Token }}\ntype Own sole_constructor = String where non_empty\ntype Nested = Kept where non_empty\nservice S {{\n  operation Op {{\n    output {{ {field} }}\n    transport shell {{ argv: [\"/bin/true\"] }}\n  }}\n}}\n"
        )
    };
    for (code, field) in [
        ("", "text: Own from \"stdout\""),
        ("E0904", "text: Token from \"stdout\""),
        ("E0602", "text: Kept from \"stdout\""),
        ("E0602", "text: Nested from \"stdout\""),
        ("E0602", "lines: List<Kept> from \"stdout_lines\""),
        ("E0904", "text: Short from \"stdout\""),
        ("E0904", "lines: List<Short> from \"stdout_lines\""),
        ("E0904", "text: Map<String, String> from \"stdout\""),
        ("E0904", "text: { a: String } from \"stdout\""),
        ("E0901", "text: String from \"stdout\" = \"\""),
    ] {
        let text = service(field);
        let mut codes = codes_of(&[lib, ("m.dag", &text)]);
        codes.retain(|code| *code != "W0209");
        let wanted: Vec<&str> = Some(code).filter(|c| !c.is_empty()).into_iter().collect();
        assert_eq!(codes, wanted, "{field}");
    }
}

#[test]
fn workflows_have_the_forms_too() {
    sound(
        "module m\nservice S {\n  operation Op {\n    input { name: String, times: Int = 2 }\n    output { text: String from \"stdout\" }\n    transport shell { argv: [\"/bin/echo\", \"{name}{times}\"] }\n    mock_response { 0 => Output { text: \"\" } }\n  }\n}\nfunc all(names: List<String>, prefix: String = \"x\") -> List<String> {\n  for name in names {\n    let said = S.Op(name: name)\n    \"{prefix}{said.text}\"\n  }\n}\n",
    );
    // A default value is the same whoever asks.
    breaks(
        "E0906",
        "module m\nfunc g() -> Int { 1 }\nfn f(n: Int = g()) -> Int = n\n",
    );
}

/// Whoever names the function is named, wherever it does so.
#[test]
fn who_is_not_admitted_has_a_name() {
    let mint = (
        "mint.dag",
        "module mint\nfn fits(n: Int) -> Bool admit_callers: [decl_ref(module_path: \"mint\", decl_name: \"own\")] = n > 0\nfn own() -> Bool = fits(1)\n",
    );
    for (user, text) in [
        ("Coin", "type Coin = Int where fits"),
        ("Coin", "type Coin = Int where domain(fits)"),
        ("Int where fits", "fn f(n: Int where fits) -> Int = n"),
        ("Int where fits", "type R { n: Int where fits }"),
        ("f", "fn f(n: Int) -> Bool = fits(n)"),
        ("f", "fn f(xs: List<Int>) -> List<Int> = filter(xs, fits)"),
        ("d", "data d: Bool = fits(1)"),
        ("f(x)", "fn f(x: Bool = fits(1)) -> Bool = x"),
        ("R(x)", "type R { x: Bool = fits(1) }"),
        ("w", "func w() -> Bool { fits(1) }"),
        (
            "S.Op",
            "service S { operation Op { input { x: Int } output { stdout: String } transport shell { argv: [\"echo\", \"{fits(x)}\"] } mock_response { 0 => Output { stdout: \"\" } } } }",
        ),
    ] {
        let text = format!("module m\nimport mint {{ fits }}\n{text}\n");
        let said = common::errors_of(&[mint, ("m.dag", &text)]);
        let expected = format!("`fits` does not admit `{user}` of this module");
        assert!(said.contains(&expected), "{text}: {said}");
    }
}
