//! Texts that do not parse: what is said, where, and that one mistake is one
//! report, however much follows it.

mod common;

use common::{breaks, codes_of, errors_of, refused, refused_files, sound, sound_files};
use expect_test::expect;

#[test]
fn all_of_a_module_is_no_import_and_its_names_are_no_further_mistakes() {
    let stock = "module stock\ntype Shelf { books: Int }\ntype Colour = Red | Green\nfn shelf() -> Shelf = Shelf { books: 1 }\nservice Doors {\n  operation Ask {\n    input { door: String }\n    output { state: String from \"stdout\" }\n    transport shell { argv: [\"door\", \"{door}\"] }\n  }\n}\n";
    let uses = "fn f(x: Shelf) -> Int = x.books + shelf().books\nfn g(c: Colour) -> Shelf = match c { Red => Shelf { books: 1 }, Green => shelf() }\nfunc h() -> String { Doors.Ask(door: \"a\").state }\n";
    for (all, imports) in [
        (
            "import stock.*",
            "import stock { Shelf, Colour, Red, Green, shelf, Doors }",
        ),
        (
            "from stock import *",
            "import stock { Shelf, Colour, Red, Green, shelf, Doors }",
        ),
    ] {
        let m = format!("module m\n{all}\n{uses}");
        let files = [("stock.dag", stock), ("m.dag", m.as_str())];
        assert_eq!(codes_of(&files), ["E0101"], "{}", errors_of(&files));
        let sound = m.replace(all, imports);
        sound_files(&[("stock.dag", stock), ("m.dag", &sound)]);
        // What the names stand for is known, and a name that is none of it is a mistake.
        let wrong = format!("{m}fn i(x: Shelf) -> String = x.books\nfn j() -> Int = shelfs()\n");
        let files = [("stock.dag", stock), ("m.dag", wrong.as_str())];
        assert_eq!(codes_of(&files), ["E0101", "E0301", "E0206"]);
        // The module's own names hide them.
        let own = format!(
            "module m\n{all}\ntype Shelf {{ n: Int }}\nfn shelf() -> Int = 2\nfn f(s: Shelf) -> Int = shelf() + s.n\n"
        );
        let files = [("stock.dag", stock), ("m.dag", own.as_str())];
        assert_eq!(codes_of(&files), ["E0101"], "{}", errors_of(&files));
        // Of a module that is not known, every name may come.
        let lost = m.replace("stock", "stok");
        let files = [("stock.dag", stock), ("m.dag", lost.as_str())];
        assert_eq!(
            codes_of(&files),
            if all.starts_with("from") {
                ["E0101", "E0202"]
            } else {
                ["E0202", "E0101"]
            },
            "{}",
            errors_of(&files)
        );
    }
}

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
               |
               = help: write `=>` between an arm's pattern and its value
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
    let (checked, _) = common::checked(&[("m.dag", "module m\r\ndata x: String = \"a\r\nb\"\r\n")]);
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
            m.dag:5:1: error[E0101]: no item begins with `const`
              |
            5 | const x = 1
              | ^^^^^
              |
              = help: write `data x: TYPE = …`"#]],
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
        errors_of(&[("m.dag", text)])
    );
}

#[test]
fn an_import_of_another_language_is_one_mistake() {
    refused_files(
        &[
            ("a.dag", "module a\n\ndata least: Int = 1\n"),
            (
                "m.dag",
                "module m\n\nfrom std.ini import Ini\nimport a { least }\n\nfn f(x: Ini) -> Int = least\nfn g() -> Ini = Ini { parts: [] }\n",
            ),
        ],
        expect![[r#"
            m.dag:3:1: error[E0101]: an import begins with `import`
              |
            3 | from std.ini import Ini
              | ^^^^
              |
              = help: write `import std.ini { Ini }`"#]],
    );
    refused(
        "module m\n\nfrom std.types import *\n",
        expect![[r#"
            m.dag:3:1: error[E0101]: an import begins with `import`
              |
            3 | from std.types import *
              | ^^^^
              |
              = help: write `import std.types { … }` with the names, or `import std.types` and each name as `std.types.…`"#]],
    );
    // `from` names a thing as any word does.
    sound("module m\nfn f(from: Int) -> Int = from\n");
}

#[test]
fn what_a_line_of_another_language_declares_is_known() {
    let text = "module m\n\nconst total: Int = 3\n\nfn f() -> Int = total + rest\n";
    refused(
        text,
        expect![[r#"
            m.dag:3:1: error[E0101]: no item begins with `const`
              |
            3 | const total: Int = 3
              | ^^^^^
              |
              = help: write `data total: TYPE = …`
            m.dag:5:25: error[E0206]: there is no `rest` here
              |
            5 | fn f() -> Int = total + rest
              |                         ^^^^"#]],
    );
    let exporting = "module a\n\nlet total = 3\nexport const most = 4\n\ndata least: Int = 1\n";
    refused_files(
        &[
            ("a.dag", exporting),
            (
                "b.dag",
                "module b\n\nimport a { least, most, total }\n\ndata x: Int = least + most + total\n",
            ),
            (
                "c.dag",
                "module c\n\nimport a { absent }\n\ndata x: Int = absent\n",
            ),
        ],
        expect![[r#"
            a.dag:3:1: error[E0101]: no item begins with `let`
              |
            3 | let total = 3
              | ^^^
              |
              = help: write `data total: TYPE = …`
            c.dag:3:12: error[E0204]: module `a` declares no `absent`
              |
            3 | import a { absent }
              |            ^^^^^^"#]],
    );
}

#[test]
fn the_name_that_a_slip_in_an_import_stands_for_is_not_missed() {
    let exporting = "module a\n\ndata least: Int = 1\n\ntype Unit2 { v: Int }\n";
    refused_files(
        &[
            ("a.dag", exporting),
            (
                "b.dag",
                "module b\n\nimport a { laest, Unti2 }\n\ndata x: Int = least\ndata y: Int = laest\ndata z: Unit2 = Unit2 { v: 1 }\n",
            ),
        ],
        expect![[r#"
            b.dag:3:12: error[E0204]: module `a` declares no `laest`
              |
            3 | import a { laest, Unti2 }
              |            ^^^^^
              |
              = help: did you mean `least`?
            b.dag:3:19: error[E0204]: module `a` declares no `Unti2`
              |
            3 | import a { laest, Unti2 }
              |                   ^^^^^
              |
              = help: did you mean `Unit2`?"#]],
    );
    // What has that name already keeps it.
    refused_files(
        &[
            ("a.dag", exporting),
            (
                "b.dag",
                "module b\n\nimport a { laest }\n\ndata least: Int = true\ndata y: Int = laest\n",
            ),
        ],
        expect![[r#"
            b.dag:3:12: error[E0204]: module `a` declares no `laest`
              |
            3 | import a { laest }
              |            ^^^^^
              |
              = help: did you mean `least`?
            b.dag:5:19: error[E0301]: expected Int, found Bool
              |
            5 | data least: Int = true
              |             ---   ^^^^
              |             |
              |             declared here"#]],
    );
}

#[test]
fn what_is_unknown_because_of_a_mistake_fits_every_overload() {
    refused(
        "module m\n\nfn w(x: Int) -> int = x\ndata v: Int = sum(for x in [1] { w(x) })\ndata u: Int = sum([w(1)])\ndata t: Int = max([[w(1)]])\n",
        expect![[r#"
            m.dag:3:17: error[E0207]: there is no type `int` here
              |
            3 | fn w(x: Int) -> int = x
              |                 ^^^
              |
              = help: did you mean `Int`?"#]],
    );
    // A type that is no element of a sum stays one.
    refused(
        "module m\n\ndata v: Int = sum([true])\n",
        expect![[r#"
        m.dag:3:19: error[E0310]: `sum` is defined for List<Int> and List<Float>, not for List<Bool>
          |
        3 | data v: Int = sum([true])
          |                   ^^^^^^"#]],
    );
}

#[test]
fn what_other_languages_write_is_answered_with_what_is_written_here() {
    let cases = [
        "type H { host: String }\ndata a: H = H { host = \"elm\" }\n",
        "fn f(x: Int) -> Int = x\ndata a: Int = f(x = 1)\n",
        "const total: Int = 3\n",
        "let total = 3\n",
        "def total() -> Int = 3\n",
        "enum Colour { Red }\n",
        "fn f() -> str = \"a\"\n",
        "fn f(xs: List[Int]) -> Map<String, List[Int]> = {}\n",
        "fn f(xs: Map[String, List[Int]]) -> Int = 1\n",
        "fn f(x: Int) -> Int = match x {\n  1 -> 2\n  _ => 3\n}\n",
        "fn f(x: Int) -> Int = x == 1 ? 2 : 3\n",
        "fn f(x: String) -> String = x ++ \"a\"\n",
        "fn f(xs: List<Int>) -> Int = xs.len()\n",
        "import std.types.*\n",
        "type Port = String where pattern(\"[0-9]+\")\ndata p: Port = 80\n",
        "type Port = String where brand(\"Port\")\ndata p: Port = 80\n",
        "type Yaml = Null | Text { text: String } | Number(Int)\ndata y: Yaml = \"a\"\ndata n: Yaml = 1\n",
        "data s: String = null\n",
        "data s: String? = nil\n",
        "fn f(m: Map<String, List<Int>>) -> List<Int> = for x in map_get(m, \"a\") { x }\n",
    ];
    let shown = cases.map(|text| {
        let errors = errors_of(&[("m.dag", &format!("module m\n{text}"))]);
        // Where and what, and the cure: the text itself stands above.
        let said = errors
            .lines()
            .filter(|l| l.starts_with("m.dag") || l.contains("= help:"));
        said.map(|line| format!("{}\n", line.trim_start()))
            .collect::<String>()
    });
    expect![[r#"
        m.dag:3:22: error[E0101]: a field's value stands behind `:`, not behind `=`
        = help: write `host: …`

        m.dag:3:19: error[E0101]: a named argument's value stands behind `:`, not behind `=`
        = help: write `x: …`

        m.dag:2:1: error[E0101]: no item begins with `const`
        = help: write `data total: TYPE = …`

        m.dag:2:1: error[E0101]: no item begins with `let`
        = help: write `data total: TYPE = …`

        m.dag:2:1: error[E0101]: no item begins with `def`
        = help: write `fn total(…) -> TYPE = …`

        m.dag:2:1: error[E0101]: no item begins with `enum`
        = help: write `type Colour = | … | …`

        m.dag:2:11: error[E0207]: there is no type `str` here
        = help: did you mean `String`?

        m.dag:2:14: error[E0101]: a type's arguments stand between `<` and `>`
        = help: write `List<Int>`

        m.dag:2:13: error[E0101]: a type's arguments stand between `<` and `>`
        = help: write `Map<String, List<Int>>`

        m.dag:3:5: error[E0101]: expected `=>`, found `->`
        = help: write `=>` between an arm's pattern and its value

        m.dag:2:30: error[E0101]: there is no `?` behind a value
        = help: write `if … { … } else { … }` to choose, or `… ?? …` where the value may be absent

        m.dag:2:31: error[E0101]: there is no `++`
        = help: write `+`: it joins texts, and lists

        m.dag:2:33: error[E0206]: there is no `len` here
        = help: write `length(…)`

        m.dag:2:18: error[E0101]: an import lists the names that it brings
        = help: write `import std.types { … }` with the names, or `import std.types` and each name as `std.types.…`

        m.dag:3:16: error[E0301]: expected Port, found Int
        = help: write `to_string(…)`

        m.dag:3:16: error[E0301]: expected Port, found Int
        = help: write `to_string(…) as Port`

        m.dag:3:16: error[E0301]: expected Yaml, found String
        = help: write `Text { text: … }`
        m.dag:4:16: error[E0301]: expected Yaml, found Int
        = help: write `Number(…)`

        m.dag:2:18: error[E0301]: expected String, found _?
        = help: `none` is a value of an optional type: declare `String?`, or give a value

        m.dag:2:19: error[E0206]: there is no `nil` here
        = help: write `none`

        m.dag:2:57: error[E0310]: `for` walks a list or a set, not List<Int>?
        = help: the value may be absent: `match` it, or walk nothing with `?? []`
    "#]].assert_eq(&shown.join("\n"));
}

#[test]
fn a_quote_that_is_missing_is_looked_for_where_the_text_begins() {
    refused(
        "module m\n\ntype H { host: String, slots: Int }\ndata a: List<H> = [\n  H { host: \"oak, slots: 16 },\n  H { host: \"elm\", slots: 16 },\n]\n",
        expect![[r#"
            m.dag:6:14: error[E0101]: expected a comma, a new line or `}` after the field, found name `elm`
              |
            5 |   H { host: "oak, slots: 16 },
              |             - this text begins here and runs over 2 lines; is a `"` missing?
            6 |   H { host: "elm", slots: 16 },
              |              ^^^"#]],
    );
    // What follows a text of one line says nothing of it, and neither does a line below.
    refused(
        "module m\n\ndata a: String = \"oak\" \"elm\"\n",
        expect![[r#"
            m.dag:3:24: error[E0101]: expected a new line after the item, found the start of a string
              |
            3 | data a: String = "oak" "elm"
              |                        ^"#]],
    );
    refused(
        "module m\n\ndata a: String = \"oak\nelm\"\ndata b = 1\n",
        expect![[r#"
            m.dag:5:8: error[E0101]: expected `:`, found `=`
              |
            5 | data b = 1
              |        ^"#]],
    );
}
