//! Texts that do not parse: what is said, where, and that one mistake is one
//! report, however much follows it.

mod common;

use common::{breaks, codes_of, refused, sound};
use expect_test::expect;

#[test]
fn a_bracket_that_is_not_closed_is_named() {
    refused(
        "module m\nfn f() -> Int {\n  let x = 1\n  x\n\nfn g() -> Int = 2\n",
        expect![[r#"
            m.dag:6:1: error[E0101]: expected `}`, found the next item
              |
            2 | fn f() -> Int {
              |               - opened here
            ...
            6 | fn g() -> Int = 2
              | ^^"#]],
    );
    refused(
        "module m\nfn f() -> List<Int> {\n  let xs = [1, 2\n  let ys = [3]\n  ys\n}\n",
        expect![[r#"
            m.dag:4:3: error[E0101]: expected `]`, found `let`
              |
            3 |   let xs = [1, 2
              |            - opened here
            4 |   let ys = [3]
              |   ^^^"#]],
    );
    refused(
        "module m\nfn f(x: Int) -> Int {\n  let y = f(x\n  y\n}\n",
        expect![[r#"
            m.dag:4:3: error[E0101]: expected `,` or `)`, found name `y`
              |
            3 |   let y = f(x
              |            - opened here
            4 |   y
              |   ^"#]],
    );
    refused(
        "module m\ntype T { v: Int\n\nfn g() -> Int = 2\n",
        expect![[r#"
            m.dag:4:1: error[E0101]: expected `}`, found the next item
              |
            2 | type T { v: Int
              |        - opened here
            3 |
            4 | fn g() -> Int = 2
              | ^^"#]],
    );
    refused(
        "module m\nfn f(x: Int) -> Int = match x {\n  1 => 2\n  _ => 3\n",
        expect![[r#"
            m.dag:4:9: error[E0101]: expected `}`, found the end of the text
              |
            2 | fn f(x: Int) -> Int = match x {
              |                               - opened here
            3 |   1 => 2
            4 |   _ => 3
              |         ^"#]],
    );
    refused(
        "module m\ndata x: Int = (1 + 2\n",
        expect![[r#"
            m.dag:2:21: error[E0101]: expected `)`, found the end of the text
              |
            2 | data x: Int = (1 + 2
              |               -     ^
              |               |
              |               opened here"#]],
    );
    refused(
        "module m\nimport a { b, c\n\nfn f() -> Int = b + c\n",
        expect![[r#"
            m.dag:4:1: error[E0101]: expected `}`, found the next item
              |
            2 | import a { b, c
              |          - opened here
            3 |
            4 | fn f() -> Int = b + c
              | ^^"#]],
    );
}

#[test]
fn several_mistakes_of_an_item_are_reported() {
    refused(
        "module m\nfn f(c: Bool) -> Int {\n  let a = 1 +\n  let b = ]\n  let d: = 2\n  a + b\n}\n\ntype T {\n  a Int\n  b: Int\n  c: \n}\n\ndata l: List<Int> = [\n  1\n  2 3\n  = 4\n  5\n]\n\nfn g(x: Int) -> Int = match x {\n  1 -> 2\n  2 => 3\n  3 => => 4\n  _ => 5\n}\n",
        expect![[r#"
            m.dag:4:3: error[E0101]: expected an expression, found `let`
              |
            4 |   let b = ]
              |   ^^^
            m.dag:4:11: error[E0101]: expected an expression, found `]`
              |
            4 |   let b = ]
              |           ^
            m.dag:10:5: error[E0101]: expected `:` and the field's type, found name `Int`
               |
            10 |   a Int
               |     ^^^
            m.dag:13:1: error[E0101]: expected a type, found `}`
               |
            13 | }
               | ^
            m.dag:17:5: error[E0101]: expected a comma, a new line or `]` after the element, found integer `3`
               |
            17 |   2 3
               |     ^
            m.dag:18:3: error[E0101]: expected an expression, found `=`
               |
            18 |   = 4
               |   ^
            m.dag:23:5: error[E0101]: expected `=>`, found `->`
               |
            23 |   1 -> 2
               |     ^^
            m.dag:25:8: error[E0101]: expected an expression, found `=>`
               |
            25 |   3 => => 4
               |        ^^"#]],
    );
}

#[test]
fn a_text_of_another_language_does_not_fill_the_screen() {
    let body: String = (0..500).map(|i| format!("  x{i} := {i};\n")).collect();
    let text = format!("module m\nfn f() -> Int {{\n{body}}}\n");
    let codes = codes_of(&[("m.dag", &text)]);
    // The characters that mean nothing are reported each; what follows is not.
    assert!(
        codes.iter().filter(|c| **c == "E0101").count() <= 21,
        "{codes:?}"
    );
}

#[test]
fn a_character_of_another_language_has_a_cure() {
    refused(
        "module m\nfn f() -> Int {\n  let x = 1;\n  x\n}\n",
        expect![[r#"
            m.dag:3:12: error[E0104]: the character `;` has no meaning here
              |
            3 |   let x = 1;
              |            ^
              |
              = help: remove it: a statement ends with its line"#]],
    );
    refused(
        "module m\n@deprecated\nfn f() -> Int = 1\n",
        expect![[r#"
            m.dag:2:1: error[E0104]: the character `@` has no meaning here
              |
            2 | @deprecated
              | ^
              |
              = help: remove it: there are no attributes, and a pattern names a value without `@`"#]],
    );
    refused(
        "module m\n# a comment\nfn f() -> Int = 1\n",
        expect![[r#"
            m.dag:2:1: error[E0104]: the character `#` has no meaning here
              |
            2 | # a comment
              | ^^^^^^^^^^^
              |
              = help: an annotation starts with `//`, on lines of its own between items"#]],
    );
    refused(
        "module m\ndata x: String = 'one; two'\n",
        expect![[r#"
            m.dag:2:18: error[E0104]: the character `'` has no meaning here
              |
            2 | data x: String = 'one; two'
              |                  ^^^^^^^^^^
              |
              = help: a string stands in double quotes: `"…"`"#]],
    );
    refused(
        "module m\ndata x: String = `one`\ndata y: Bool = true & false\ndata z: String = $name\n",
        expect![[r#"
            m.dag:2:18: error[E0104]: the character ``` has no meaning here
              |
            2 | data x: String = `one`
              |                  ^^^^^
              |
              = help: a string stands in double quotes: `"…"`
            m.dag:3:21: error[E0104]: the character `&` has no meaning here
              |
            3 | data y: Bool = true & false
              |                     ^
              |
              = help: `and` is written `&&`
            m.dag:4:18: error[E0104]: the character `$` has no meaning here
              |
            4 | data z: String = $name
              |                  ^
              |
              = help: a hole in a string is written `{name}`"#]],
    );
    refused(
        "module m\ndata x: String = “one”\n",
        expect![[r#"
            m.dag:2:18: error[E0104]: the character `“` has no meaning here
              |
            2 | data x: String = “one”
              |                  ^
              |
              = help: a string stands in straight double quotes: `"…"`
            m.dag:2:22: error[E0104]: the character `”` has no meaning here
              |
            2 | data x: String = “one”
              |                      ^
              |
              = help: a string stands in straight double quotes: `"…"`"#]],
    );
    refused(
        "module m\ndata x: Int = 1\u{a0}+ 2\n",
        expect![[r#"
            m.dag:2:16: error[E0104]: the character U+00A0 has no meaning here
              |
            2 | data x: Int = 1 + 2
              |                ^
              |
              = help: remove it: blanks are spaces and tabs"#]],
    );
}

#[test]
fn a_byte_order_mark_and_crlf_change_nothing() {
    sound("\u{feff}module m\nfn f() -> Int = 1\n");
    sound(
        "module m\r\n// of f\r\nfn f() -> Int {\r\n  let x = 1\r\n  x\r\n}\r\n\r\ntype T\r\n  = A\r\n  | B\r\n",
    );
    let (checked, _) =
        common::check_files(&[("m.dag", "module m\r\ndata x: String = \"a\r\nb\"\r\n")]);
    let module = checked.program.module_named("m").unwrap();
    assert!(
        module
            .body
            .exprs
            .contains(&dag_analysis::core::Expr::Str("a\nb".into()))
    );
    breaks("E0104", "module m\nfn f() -> Int =\u{feff} 1\n");
}

#[test]
fn a_string_ends() {
    refused(
        "module m\ndata x: String = \"one\n\nfn f() -> Int = 1\n",
        expect![[r#"
            m.dag:2:18: error[E0102]: this string has no end
              |
            2 | data x: String = "one
              |                  ^^^^
              |
              = help: end it with `"`"#]],
    );
    refused(
        "module m\ndata x: String = \"{x + }\"\ndata y: String = \"{x\"\n",
        expect![[r#"
            m.dag:2:24: error[E0101]: expected an expression, found `}` in a string
              |
            2 | data x: String = "{x + }"
              |                        ^
            m.dag:3:21: error[E0102]: this string has no end
              |
            3 | data y: String = "{x"
              |                     ^
              |
              = help: close the hole before it with `}`, or write `\{` for a brace that opens none"#]],
    );
    refused(
        "module m\ndata x: String = \"{a b}\"\n",
        expect![[r#"
            m.dag:2:22: error[E0101]: expected `}` after the expression in the string, found a name
              |
            2 | data x: String = "{a b}"
              |                      ^
              |
              = help: write `\{` for a brace that opens no hole"#]],
    );
    sound("module m\ndata x: String = \"{ x {1} $\\{y} {(1)}\"\n");
}

#[test]
fn an_unknown_escape_is_kept_with_a_warning() {
    refused(
        "module m\ndata x: String = \"\\d+\\q\"\n",
        expect![[r#"
            m.dag:2:19: warning[W0107]: `\d` is no escape and is kept as it is written
              |
            2 | data x: String = "\d+\q"
              |                   ^^
              |
              = help: write `\\` for a backslash
            m.dag:2:22: warning[W0107]: `\q` is no escape and is kept as it is written
              |
            2 | data x: String = "\d+\q"
              |                      ^^
              |
              = help: write `\\` for a backslash"#]],
    );
    sound("module m\ndata x: String = \"\\\\d \\\" \\n \\t \\{ \\} \\x41 \\u{1F600}\"\n");
}

#[test]
fn a_minus_is_not_ambiguous() {
    refused(
        "module m\nfn f(a: Int, b: Int) -> Int {\n  let c = a\n  -b\n}\n\nfn g(a: Int, b: Int) -> Int = -a + b\n",
        expect![[r#"
            m.dag:4:3: error[E0108]: a minus at the start of a line is ambiguous
              |
            4 |   -b
              |   ^
              |
              = help: end the line before it with `-`, or write `(-x)` for a negative value
            m.dag:7:34: error[E0108]: a minus before a binary operator is ambiguous
              |
            7 | fn g(a: Int, b: Int) -> Int = -a + b
              |                                  ^
              |
              = help: write `(-a) + b` or `0 - a + b`"#]],
    );
    sound(
        "module m\nfn f(a: Int, b: Int) -> Int {\n  let c = a -\n    b\n  (-c)\n}\nfn g(a: Int, b: Int) -> Int = (-a) + b\nfn h(a: Int) -> Int = a - -3\n",
    );
}

#[test]
fn an_annotation_stands_above_an_item() {
    refused(
        "module m\n\nfn f() -> Int = 1 // one\n\n// lost\n",
        expect![[r#"
            m.dag:3:19: error[E0106]: an annotation follows code on its line
              |
            3 | fn f() -> Int = 1 // one
              |                   ^^^^^^
              |
              = help: move it to lines of its own above the item that it speaks of
            m.dag:5:1: error[E0106]: no item follows this annotation
              |
            5 | // lost
              | ^^^^^^^
              |
              = help: move it to lines of its own above the item that it speaks of"#]],
    );
    breaks("E0106", "module m\nfn f() -> Int {\n  // inside\n  1\n}\n");
    sound(
        "// above\nmodule m\n// of the module\n\n// one block\n\n// another\nfn f() -> Int = 1\n",
    );
}

#[test]
fn nesting_has_a_limit() {
    let text = format!(
        "module m\ndata x: Int = {}1{}\n",
        "(".repeat(9000),
        ")".repeat(9000)
    );
    breaks("E0105", &text);
    let text = format!(
        "module m\ndata x: Int = {}1{}\n",
        "(".repeat(150),
        ")".repeat(150)
    );
    sound(&text);
}

#[test]
fn the_common_slips_are_explained() {
    refused(
        "module m\nfn f(x: Int) -> Int = match x {\n  1 | 2 => 1\n  _ => 2\n}\n",
        expect![[r#"
            m.dag:3:5: error[E0101]: an arm has one pattern
              |
            3 |   1 | 2 => 1
              |     ^
              |
              = help: write an arm for each"#]],
    );
    refused(
        "module m\ndata x: Int =\n  1\n",
        expect![[r#"
            m.dag:3:3: error[E0101]: a `data` item's value starts on the line of its `=`
              |
            3 |   1
              |   ^
              |
              = help: join the two lines"#]],
    );
    refused(
        "module m\ntype T = A { v: Int }\n",
        expect![[r#"
            m.dag:2:10: error[E0101]: a coproduct of one variant needs a leading `|`
              |
            2 | type T = A { v: Int }
              |          ^
              |
              = help: write `= | Variant { … }`"#]],
    );
    refused(
        "module m\nfn f(x) -> Int = x\n\nfn g(x: Int) = x\n\nfn h() -> Int\n\nfn i() Int = 1\n",
        expect![[r#"
            m.dag:2:7: error[E0101]: expected `:` and the parameter's type, found `)`
              |
            2 | fn f(x) -> Int = x
              |       ^
            m.dag:4:14: error[E0101]: expected `->` and the type that the function returns, found `=`
              |
            4 | fn g(x: Int) = x
              |              ^
            m.dag:8:1: error[E0101]: expected `{` or `=` and the function's body, found the next item
              |
            8 | fn i() Int = 1
              | ^^
            m.dag:8:8: error[E0101]: expected `->` and the type that the function returns, found name `Int`
              |
            8 | fn i() Int = 1
              |        ^^^"#]],
    );
    refused(
        "module m\nservice s {\n}\n\nconst x = 1\n\nlet y = 2\n",
        expect![[r#"
            m.dag:2:1: error[E0902]: a service has an operation
              |
            2 | service s {
              | ^^^^^^^^^^^
            m.dag:5:1: error[E0101]: expected `type`, `fn`, `func`, `data`, `alias`, `service`, `resource` or `test`, found name `const`
              |
            5 | const x = 1
              | ^^^^^"#]],
    );
    refused(
        "module m\ndata x: Int = 1\nimport a\n\nmodule n\n",
        expect![[r#"
            m.dag:3:1: error[E0101]: an import stands after an item
              |
            3 | import a
              | ^^^^^^
              |
              = help: move it above the first item
            m.dag:5:1: error[E0101]: a file has one `module` line, its first
              |
            5 | module n
              | ^^^^^^"#]],
    );
    refused(
        "module m\ntest type T { v: Int }\n",
        expect![[r#"
            m.dag:2:6: error[E0101]: expected `fn` or `data` after `test`, found `type`
              |
            2 | test type T { v: Int }
              |      ^^^^"#]],
    );
    refused(
        "module m\nfn f(b: Bool) -> Int = if b then 1 else 2\n",
        expect![[r#"
            m.dag:2:29: error[E0101]: expected `{` and what holds then, found `then`
              |
            2 | fn f(b: Bool) -> Int = if b then 1 else 2
              |                             ^^^^"#]],
    );
}

#[test]
fn what_follows_a_broken_item_is_not_blamed() {
    let text = "module m\ntype T = A { v: Int | B\n\nfn broken(x: Int -> T = A { v: x }\n\nfn f(t: T) -> Int = match t { A { v } => v, B => 0 }\n\nfn g() -> T = broken(1)\n\ndata h: T = A { v: 1 }\n";
    assert_eq!(
        codes_of(&[("m.dag", text)]),
        ["E0101", "E0101"],
        "{}",
        common::errors_of(&[("m.dag", text)])
    );
}
