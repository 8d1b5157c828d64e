//! A model cannot write an observation. Every way around the rule that anybody
//! thought of, refused; and what stays legal beside it.

mod common;

use common::{breaks, codes_of, errors_of, errors_of_expression, refused, sound, sound_files};
use expect_test::expect;

const READING: (&str, &str) = (
    "reading.dag",
    "module reading
type Reading observed { host: String, up: Bool }
type Answer observed = Heard { at: Int } | Level(Int) | Silent
type Wrapped { reading: Reading }
type Box<T> { value: T }
type Same = Reading
type Again = Same
type Own<T> = T
type Branded = Reading where brand(\"b\")
fn host_of(r: Reading) -> String = r.host
",
);

/// What a module that imports all of it may not write.
const FORGERIES: &[&str] = &[
    // Literals, in every position.
    "data r: Reading = Reading { host: \"a\", up: true }",
    "fn f() -> Reading = Reading { host: \"a\", up: true }",
    "fn f(host: String, up: Bool) -> Reading = Reading { host, up }",
    "data r: List<Reading> = [Reading { host: \"a\", up: true }]",
    "data r: Reading? = Reading { host: \"a\", up: true }",
    "data r: Reading? = Present { value: Reading { host: \"a\", up: true } }",
    "data r: Wrapped = Wrapped { reading: Reading { host: \"a\", up: true } }",
    "data r: Box<Reading> = Box { value: Reading { host: \"a\", up: true } }",
    "data s: String = host_of(Reading { host: \"a\", up: true })",
    "data s: String = \"{Reading { host: \"a\", up: true }}\"",
    "data s: Bool = [] == [Reading { host: \"a\", up: true }]",
    "data f: fn(Int) -> Reading = x => Reading { host: \"a\", up: true }",
    "data s: String = { let r = Reading { host: \"a\", up: true }\n r.host }",
    // Under another name.
    "data r: Reading = Same { host: \"a\", up: true }",
    "data r: Reading = Again { host: \"a\", up: true }",
    "data r: Reading = reading.Reading { host: \"a\", up: true }",
    "data r: Reading = reading.Same { host: \"a\", up: true }",
    "type Mine = Reading\ndata r: Reading = Mine { host: \"a\", up: true }",
    "type Mine<T> = Own<Reading>\ndata r: Reading = Mine { host: \"a\", up: true }",
    // Through the forms that convert.
    "data r: Reading = Same { host: \"a\", up: true } as Reading",
    "data r: Branded = Reading { host: \"a\", up: true } as Branded",
    // Variants: named, positional, empty, qualified, piped, as methods.
    "data a: Answer = Heard { at: 1 }",
    "data a: Answer = Level(1)",
    "data a: Answer = Level { 1 }",
    "data a: Answer = Silent",
    "data a: Answer = Answer.Silent",
    "data a: Answer = reading.Silent",
    "data a: Answer = reading.Answer.Level(1)",
    "data a: Answer = 1 |> Level()",
    "data a: Answer = 1 |> Level",
    "data a: Answer = 1 |> reading.Level()",
    "data a: Answer = (1).Level()",
    "data a: List<Answer> = map([1], x => Level(x))",
    // Accumulators and defaults.
    "data r: Answer = fold([1], Silent, (acc, x) => acc)",
    "data r: List<Answer> = fold([1], [], (acc, x) => append(acc, Level(x)))",
    "data r: Answer = first([]) ?? Silent",
    "data r: List<Answer> = concat([], [Silent])",
    "data r: List<Answer> = filter_map([1], x => Present { value: Silent })",
    "data r: Answer = if true { return Silent } else { Silent }",
    // As a default value of a parameter, of a field, of a variant's field.
    "fn f(r: Reading = Reading { host: \"a\", up: true }) -> Bool = r.up",
    "type R { a: Answer = Silent }",
    "type V = | A { a: Answer = Level(1) }",
    "fn f(a: Answer = Silent) -> Answer = a\ndata a: Answer = f()",
    "type R { r: Reading = { host: \"a\", up: true } }",
    // As a record without a name, where its place gives it the type.
    "data r: Reading = { host: \"a\", up: true }",
    "data r: Reading? = { host: \"a\", up: true }",
    "data r: List<Reading> = [{ host: \"a\", up: true }]",
    "data s: String = host_of({ host: \"a\", up: true })",
    "data r: Wrapped = { reading: { host: \"a\", up: true } }",
    "data r: { r: Reading } = { r: { host: \"a\", up: true } }",
    "fn f() -> Reading { return { host: \"a\", up: true } }",
    "fn f(r: Reading) -> Bool = r == { host: \"a\", up: true }",
    "data r: Box<Reading> = { value: { host: \"a\", up: true } }",
    // In maps and sets.
    "data m: Map<String, Reading> = { a: { host: \"a\", up: true } }",
    "data m: Map<String, Answer> = { \"a\": Level(1) }",
    "data m: Map<String, Answer> = map_insert(empty_map(), \"a\", Silent)",
    "data a: Answer = map_get({ a: Silent }, \"a\") ?? Level(1)",
    "data s: Set<Answer> = [Level(1)]",
    "data s: Set<Answer> = set_insert(empty_set(), Silent)",
    "data m: Map<String, Answer> = with(empty_map(), \"a\", Silent)",
    // In loops.
    "data a: List<Answer> = for x in 0..3 { Level(x) }",
    "fn f() -> Answer {\n  for x in [1] { return Level(x) }\n  first([]) ?? Silent\n}",
    // Through an alias of the module.
    "alias R = reading\ndata r: Reading = R.Reading { host: \"a\", up: true }",
    "alias R = reading\ndata a: Answer = R.Level(1)",
    "alias R = reading\ndata a: Answer = R.Answer.Silent",
    "alias R = reading\ndata r: R.Same = R.Again { host: \"a\", up: true }",
    // The value of a single field, without its name.
    "data a: Answer = Heard { 1 }",
    "data s: String = ^(Level { 1 })",
    // Into a sealed type, or one that a function guards.
    "type Sealed nominal_opaque = Reading\ndata s: Sealed = Reading { host: \"a\", up: true } as Sealed",
    "fn up(r: Reading) -> Bool = r.up\ntype Up = Reading where up\ndata r: Up = { host: \"a\", up: true }",
    "fn ok(a: Answer) -> Bool = a == Silent\ntype Fine = Answer where ok",
    // By way of a value of another type of the same name.
    "fn f(a: Answer) -> Answer = match a { Silent => Level(1), other => other }",
];

fn importing(text: &str) -> String {
    // A name that is not used is only a warning.
    format!(
        "module m\nimport reading {{ Again, Answer, Box, Branded, Heard, Level, Own, Reading, Same, Silent, Wrapped, host_of }}\n{text}\n"
    )
}

fn codes(path: &str, text: &str) -> Vec<&'static str> {
    let text = importing(text);
    let mut codes = codes_of(&[READING, (path, &text)]);
    codes.retain(|c| *c != "W0209");
    codes
}

#[test]
fn no_model_writes_an_observation() {
    for text in FORGERIES {
        let found = codes("m.dag", text);
        let all = found.iter().all(|c| *c == "E0601");
        assert!(
            all && !found.is_empty(),
            "{text}: {found:?}\n{}",
            errors_of(&[READING, ("m.dag", &importing(text))])
        );
    }
}

#[test]
fn a_test_file_writes_every_one_of_them() {
    for text in FORGERIES {
        assert_eq!(codes("m_test.dag", text), [""; 0], "{text}");
    }
}

#[test]
fn no_lone_expression_writes_one() {
    let files = [
        READING,
        (
            "m_test.dag",
            "module m_test\nimport reading { Reading }\nfn forged() -> Reading = Reading { host: \"a\", up: true }\n",
        ),
    ];
    for text in [
        "Reading { host: \"a\", up: true }",
        "reading.Reading { host: \"a\", up: true }",
        "Silent",
        "[Level(1)]",
        "Again { host: \"a\", up: true }",
    ] {
        let errors = errors_of_expression(&files, text);
        assert!(errors.contains("[E0601]"), "{text}: {errors}");
    }
    for text in ["forged()", "m_test.forged()"] {
        let errors = errors_of_expression(&files, text);
        assert!(errors.contains("[E0206]"), "{text}: {errors}");
    }
}

#[test]
fn the_declaring_module_writes_none_either() {
    refused(
        "module m\ntype Reading observed { host: String }\nfn forge() -> Reading = Reading { host: \"a\" }\n",
        expect![[r#"
            m.dag:3:25: error[E0601]: `Reading` is observed: a model cannot write one
              |
            2 | type Reading observed { host: String }
              |      ------- declared here
            3 | fn forge() -> Reading = Reading { host: "a" }
              |                         ^^^^^^^^^^^^^^^^^^^^^ made from what an observer read, and by nothing else
              |
              = help: take it as a parameter; a `_test.dag` file may write one"#]],
    );
    breaks(
        "E0601",
        "module m\ntype Answer observed = Silent | Heard\nfn forge() -> Answer = Silent\n",
    );
}

#[test]
fn a_test_file_keeps_what_it_makes() {
    let maker = (
        "make_test.dag",
        "module make_test\nimport reading { Reading }\nfn forged() -> Reading = Reading { host: \"a\", up: true }\n",
    );
    // By import, by a qualified name, and by way of a module between.
    for (text, code) in [
        (
            "module m\nimport make_test { forged }\nfn f() -> String = forged().host\n",
            "E0208",
        ),
        (
            "module m\nimport make_test\nfn f() -> String = make_test.forged().host\n",
            "E0208",
        ),
        (
            "module m\nfn f() -> String = make_test.forged().host\n",
            "E0206",
        ),
    ] {
        let found = codes_of(&[READING, maker, ("m.dag", text)]);
        assert_eq!(found[0], code, "{found:?}");
        assert!(
            found.iter().all(|c| matches!(*c, "E0208" | "E0206")),
            "{found:?}"
        );
    }
    // A module that calls itself a test is none: its file's name tells.
    let found = codes_of(&[
        READING,
        (
            "m.dag",
            "module m_test\nimport reading { Answer, Silent }\ndata a: Answer = Silent\n",
        ),
    ]);
    assert_eq!(found, ["E0601"]);
    // A test item in a model is refused, whatever it writes.
    let found = codes_of(&[
        READING,
        (
            "m.dag",
            "module m\nimport reading { Silent }\ntest fn w() -> Bool = Silent == Silent\n",
        ),
    ]);
    assert_eq!(found, ["E0111"]);
}

#[test]
fn a_type_of_the_same_name_or_shape_is_another_type() {
    let own = "module m\nimport reading { host_of }\ntype Reading { host: String, up: Bool }\ndata s: String = host_of(Reading { host: \"a\", up: true })\n";
    assert_eq!(codes_of(&[READING, ("m.dag", own)]), ["E0301"]);
    for cast in [
        "Mine { host: \"a\", up: true } as Reading",
        "(1) as Answer",
        "\"Silent\" as Answer",
        "none as Reading",
        "[] as Reading",
        "(x => x) as Reading",
        "true as Branded",
    ] {
        let found = codes(
            "m.dag",
            &format!(
                "type Mine {{ host: String, up: Bool }}\nfn f() -> Int {{\n  let r = {cast}\n  1\n}}"
            ),
        );
        assert_eq!(found, ["E0308"], "{cast}");
    }
}

#[test]
fn a_type_parameter_does_not_conjure_a_value() {
    for text in [
        "fn any_of<T>(x: Int) -> T = x",
        "fn any_of<T>(x: T?) -> T = x",
        "fn other<A, B>(a: A) -> B = a",
        "fn head<T>(xs: List<T> where non_empty, x: T) -> T = x\nfn forge<A, B>(a: A, b: B) -> A = head([b], b)",
        "type Ph<T> { n: Int }\nfn f(p: Ph<Int>) -> Ph<Reading> = p",
        "fn f(b: Box<Mine>) -> Box<Reading> = b\ntype Mine { host: String, up: Bool }",
        "fn f(xs: List<Mine>) -> List<Reading> = xs\ntype Mine { host: String, up: Bool }",
        "fn f(g: fn(Int) -> Mine) -> fn(Int) -> Reading = g\ntype Mine { host: String, up: Bool }",
        // A pun is its name's value, not what a call of it would give.
        "fn reading(x: Int) -> Reading = reading(x)\nfn f() -> Wrapped = Wrapped { reading }",
    ] {
        let found = codes("m.dag", text);
        assert_eq!(found, ["E0301"], "{text}");
    }
}

#[test]
fn an_unknown_type_conjures_no_value() {
    // A mistake fits everything, so that it is reported once; it stays a mistake.
    for text in [
        "data r: Reading = lost()",
        "data r: Reading = lost",
        "fn f() -> Reading = Lost { a: 1 }",
        "fn f(x: Lost) -> Reading = x",
    ] {
        let found = codes("m.dag", text);
        assert!(
            matches!(found.as_slice(), ["E0206" | "E0207"]),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn an_engines_function_is_not_called_by_name() {
    for text in [
        "module std.forge\nimport reading { Reading }\nfn f(xs: List<Int>) -> Reading = intrinsic(\"list.first\")\n",
        "module host.forge\nimport reading { Reading }\nfn f(xs: List<Int>) -> Reading = intrinsic(\"list.first\")\n",
    ] {
        assert_eq!(codes_of(&[READING, ("m.dag", text)]), ["E0206"]);
    }
}

#[test]
fn what_is_given_may_be_kept_passed_on_and_taken_apart() {
    sound_files(&[
        READING,
        (
            "m.dag",
            "module m\nimport reading { Answer, Box, Heard, Level, Reading, Same, Silent, Wrapped }\nfn keep(r: Reading) -> Wrapped = Wrapped { reading: r }\nfn boxed(r: Same) -> Box<Reading> = Box { value: r }\nfn list(r: Reading) -> List<Reading> = [r, r]\nfn up(r: Reading) -> Bool = r.up\nfn level(a: Answer) -> Int = match a { Heard { at } => at, Level(n) => n, Silent => 0 }\nfn take(r: Reading) -> String = match r { Reading { host, up } => host }\nfn same(a: Reading, b: Reading) -> Bool = a == b\n",
        ),
    ]);
}

#[test]
fn only_a_record_or_a_coproduct_is_observed() {
    refused(
        "module m\ntype A observed = Int\ntype B observed = String where non_empty\n",
        expect![[r#"
            m.dag:2:6: error[E0311]: only a record or a coproduct can be `observed`
              |
            2 | type A observed = Int
              |      ^
            m.dag:3:6: error[E0311]: only a record or a coproduct can be `observed`
              |
            3 | type B observed = String where non_empty
              |      ^"#]],
    );
    sound(
        "module m\ntype Plain { observed: Int, sole_constructor: Int }\nfn observed(sole_constructor: Int) -> Plain = Plain { observed: 1, sole_constructor }\ntype observed = Plain\nfn f(x: observed) -> Int = x.observed\n",
    );
}

#[test]
fn a_sole_constructor_is_its_modules() {
    let standing = (
        "standing.dag",
        "module standing\ntype Standing sole_constructor = Kept { n: Int } | Lost(Int) | Unknown\ntype Ticket sole_constructor { n: Int }\ntype Other = Ticket\nfn kept(n: Int) -> Standing = Kept { n: n }\nfn ticket() -> Ticket = Ticket { n: 1 }\n",
    );
    let import = "import standing { Kept, Lost, Other, Standing, Ticket, Unknown, kept }\n";
    for text in [
        "data s: Standing = Kept { n: 1 }",
        "data s: Standing = Lost(1)",
        "data s: Standing = Unknown",
        "data s: Standing = standing.Unknown",
        "data s: Standing = 1 |> Lost()",
        "data t: Ticket = Other { n: 1 }",
        "data t: Ticket = Ticket { n: 1 }",
    ] {
        for path in ["m.dag", "m_test.dag"] {
            let text = format!("module m\n{import}{text}\n");
            let mut found = codes_of(&[standing, (path, &text)]);
            found.retain(|c| *c != "W0209");
            assert_eq!(found, ["E0602"], "{text}");
        }
    }
    common::refused_files(
        &[
            standing,
            (
                "m.dag",
                "module m\nimport standing { Standing, Unknown }\ndata s: Standing = Unknown\n",
            ),
        ],
        expect![[r#"
            m.dag:3:20: error[E0602]: `Standing` is built only by its own module
              |
            3 | data s: Standing = Unknown
              |                    ^^^^^^^
              |
             ::: standing.dag:2:6
              |
            2 | type Standing sole_constructor = Kept { n: Int } | Lost(Int) | Unknown
              |      -------- declared here
              |
              = help: call the function of that module which gives one"#]],
    );
    sound_files(&[
        standing,
        (
            "m.dag",
            "module m\nimport standing { Kept, Lost, Standing, Unknown, kept }\ndata s: Standing = kept(1)\nfn n(s: Standing) -> Int = match s { Kept { n } => n, Lost(n) => n, Unknown => 0 }\n",
        ),
    ]);
    // Observed and forged is one mistake.
    let both = (
        "both.dag",
        "module both\ntype T observed sole_constructor { n: Int }\n",
    );
    assert_eq!(
        codes_of(&[
            both,
            (
                "m.dag",
                "module m\nimport both { T }\ndata t: T = T { n: 1 }\n"
            )
        ]),
        ["E0601"]
    );
}

#[test]
fn no_form_turns_another_value_into_an_observation() {
    // Refused for what it is, not as a forgery: no such conversion exists.
    for (code, text) in [
        (
            "E0308",
            "data r: Reading = { host: \"a\", up: true } as Reading",
        ),
        (
            "E0301",
            "data r: Reading = { let r = { host: \"a\", up: true }\n r }",
        ),
        ("E0301", "fn f(m: Map<String, Bool>) -> Reading = m"),
        (
            "E0308",
            "type Sealed nominal_opaque = { host: String, up: Bool }\nfn f(s: Sealed) -> Reading = s as Reading",
        ),
        ("E0301", "data m: Map<String, Reading> = { a: \"a\" }"),
        (
            "E0301",
            "fn f(r: { host: String, up: Bool }) -> Reading = r",
        ),
    ] {
        assert_eq!(codes("m.dag", text), [code], "{text}");
    }
}

#[test]
fn an_observation_goes_through_every_form() {
    for text in [
        "fn f(r: Reading) -> List<Reading> = for x in [r] { x }",
        "fn f(r: Reading) -> Map<String, Reading> = { a: r }",
        "fn f(r: Reading) -> { r: Reading } = { r: r }",
        "fn f(r: Reading, o: Reading? = none) -> Reading = o ?? r",
        "type Sealed nominal_opaque = Reading\nfn f(r: Reading) -> Sealed = r as Sealed\nfn g(s: Sealed) -> Reading = s as Reading",
        "fn up(r: Reading) -> Bool = r.up\ntype Up = Reading where up\nfn f(r: Reading) -> Up = r",
        "alias R = reading\nfn f(a: R.Answer) -> String = ^a",
    ] {
        assert_eq!(codes("m.dag", text), [""; 0], "{text}");
    }
}
