//! One mistake is reported once: what follows from it stays quiet.

mod common;

use common::{breaks, codes_of, errors_of_expression, refused, sound, sound_files};
use expect_test::expect;

#[test]
fn a_module_line_that_is_not_first() {
    breaks("E0109", "import std.measure\nmodule m\ndata x: Int = 1\n");
    breaks("E0101", "module m\nmodule n\n");
}

#[test]
fn an_import_that_is_missing() {
    let other = (
        "other.dag",
        "module other\ntype Box { size: Int }\nfn one() -> Box = Box { size: 1 }\n",
    );
    let user = "module m\nfn f(b: Box) -> List<Box> = [b, Box { size: 2 }]\n\
                fn g() -> Int = one().size + one().size\n";
    assert_eq!(codes_of(&[other, ("m.dag", user)]), ["E0207", "E0206"]);
    sound_files(&[
        other,
        (
            "m.dag",
            &user.replace("module m\n", "module m\nimport other { one, Box }\n"),
        ),
    ]);
}

#[test]
fn a_field_of_a_pattern_under_a_wrong_name() {
    let with = |fields: &str| {
        format!(
            "module m\ntype R {{ name: Int }}\nfn f(r: R) -> Int = match r {{ R {{ {fields} }} => 1 }}\n"
        )
    };
    breaks("E0302", &with("nmae"));
    breaks("E0302", &with("nmae: x"));
    breaks("E0303", &with(""));
    sound(&with("name: _"));
}

#[test]
fn a_field_of_a_pattern_given_twice() {
    let with = |fields: &str, body: &str| {
        format!(
            "module m\ntype R {{ name: Int }}\nfn f(r: R) -> Int = match r {{ R {{ {fields} }} => {body} }}\n"
        )
    };
    breaks("E0205", &with("name, name", "name"));
    breaks("E0205", &with("name, name: other", "other"));
    sound(&with("name: other", "other"));
}

#[test]
fn a_lambda_of_another_number_of_parameters() {
    let with = |lambda: &str| {
        format!("module m\nfn f(g: fn(Int) -> Int) -> Int = g(1)\ndata x: Int = f({lambda})\n")
    };
    breaks("E0301", &with("(a, b) => a + b"));
    breaks("E0301", &with("(a, b) => a.size"));
    breaks("E0301", &with("fn() { 1 }"));
    sound(&with("a => a + 1"));
}

#[test]
fn a_lone_expression_with_a_mistake() {
    expect![[r#"
        <expression>:1:8: error[E0307]: the type that should have the field `port` is not known here
          |
        1 | x => x.port
          |        ^^^^
          |
          = help: give the value a type with `let x: T = …`, or put the list before the lambda"#]]
    .assert_eq(&errors_of_expression(&[], "x => x.port"));
    assert_eq!(errors_of_expression(&[], "[1].map(x => x)"), "");
}

#[test]
fn elements_agree_on_a_type_where_nothing_is_known() {
    assert_eq!(errors_of_expression(&[], "first([1, none])"), "");
    assert_eq!(errors_of_expression(&[], "first([none, 1])"), "");
    let mixed = errors_of_expression(&[], "first([1, \"a\"])");
    assert!(
        mixed.contains(": error[E0301]: expected Int, found String"),
        "{mixed}"
    );
}

#[test]
fn a_field_and_a_method_behind_a_qualified_name() {
    let stock = (
        "stock.dag",
        "module stock\ntype Box { size: Int, labels: List<Int> }\n\
         data box: Box = Box { size: 1, labels: [] }\n",
    );
    let with = |value: &str| format!("module m\nimport stock\ndata x: Int = {value}\n");
    for value in [
        "stock.box.size",
        "stock.box.labels.length()",
        "stock.box.size.max(2)",
    ] {
        sound_files(&[stock, ("m.dag", &with(value))]);
    }
    for (value, code) in [
        ("stock.box.sise", "E0302"),
        ("stock.bax.size", "E0206"),
        ("stack.box.size", "E0206"),
        ("stock.bax.labels.length()", "E0206"),
    ] {
        assert_eq!(
            codes_of(&[stock, ("m.dag", &with(value))]),
            [code],
            "{value}"
        );
    }
}

#[test]
fn a_cure_of_an_operator_fits_it() {
    refused(
        "module m\nfn f(n: Int?) -> Int = n + 1\ndata x: String = \"a\" * 3\n",
        expect![[r#"
            m.dag:2:24: error[E0310]: `+` is not defined for Int?
              |
            2 | fn f(n: Int?) -> Int = n + 1
              |                        ^^^^^
              |
              = help: the value may be absent: `match` it, or give a value with `?? …`
            m.dag:3:18: error[E0310]: `*` is given String and Int
              |
            3 | data x: String = "a" * 3
              |                  ^^^^^^^
              |
              = note: both sides are of one type"#]],
    );
}
