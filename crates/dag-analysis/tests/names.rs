//! Names: what binds, what does not, and what is offered instead.

mod common;

use common::{breaks, errors_of_expression, refused, refused_files, sound, sound_files};
use expect_test::expect;

#[test]
fn a_name_is_known() {
    refused(
        "module m\nfn total(first: Int, second: Int) -> Int = first + secnod\n",
        expect![[r#"
            m.dag:2:52: error[E0206]: there is no `secnod` here
              |
            2 | fn total(first: Int, second: Int) -> Int = first + secnod
              |                                                    ^^^^^^
              |
              = help: did you mean `second`?"#]],
    );
    sound("module m\nfn total(first: Int, second: Int) -> Int = first + second\n");
}

#[test]
fn a_name_that_is_not_imported_is_refused_with_its_module() {
    // Wherever the module stands in the order.
    for module in ["a", "z"] {
        let other = format!(
            "module {module}\ntype Pool {{ size: Int }}\nfn grow(p: Pool) -> Int = p.size\n"
        );
        let files = [
            ("other.dag", other.as_str()),
            ("m.dag", "module m\nfn f(p: Pool) -> Int = grow(p)\n"),
        ];
        if module == "z" {
            refused_files(
                &files,
                expect![[r#"
                    m.dag:2:9: error[E0207]: there is no type `Pool` here
                      |
                    2 | fn f(p: Pool) -> Int = grow(p)
                      |         ^^^^
                      |
                      = help: `Pool` is declared by `z`: write `import z { Pool }`
                    m.dag:2:24: error[E0206]: there is no `grow` here
                      |
                    2 | fn f(p: Pool) -> Int = grow(p)
                      |                        ^^^^
                      |
                      = help: `grow` is declared by `z`: write `import z { grow }`"#]],
            );
        }
        assert_eq!(common::codes_of(&files), ["E0207", "E0206"]);
    }
}

#[test]
fn a_type_is_known() {
    refused(
        "module m\ntype Host { name: Strin, size: Intt }\n",
        expect![[r#"
            m.dag:2:19: error[E0207]: there is no type `Strin` here
              |
            2 | type Host { name: Strin, size: Intt }
              |                   ^^^^^
              |
              = help: did you mean `String`?
            m.dag:2:32: error[E0207]: there is no type `Intt` here
              |
            2 | type Host { name: Strin, size: Intt }
              |                                ^^^^
              |
              = help: did you mean `Int`?"#]],
    );
    sound("module m\ntype Host { name: String, size: Int }\n");
}

#[test]
fn a_declaration_is_made_once() {
    refused(
        "module m\ndata x: Int = 1\nfn x() -> Int = 2\n",
        expect![[r#"
            m.dag:3:4: error[E0205]: the name `x` is declared twice
              |
            2 | data x: Int = 1
              |      - the first one
            3 | fn x() -> Int = 2
              |    ^"#]],
    );
    breaks("E0205", "module m\ntype T { v: Int }\ntype T { w: Int }\n");
    breaks("E0205", "module m\ntype T = A | B\ntype U = B | C\n");
    breaks("E0205", "module m\ntype T = A | A\n");
    breaks("E0205", "module m\ntype T { v: Int }\nfn T() -> Int = 1\n");
    breaks("E0205", "module m\ntype T = A | B\ndata A: Int = 1\n");
    breaks("E0205", "module m\ntype T { v: Int, v: Int }\n");
    breaks("E0205", "module m\ntype T<A, A> { v: A }\n");
    breaks("E0205", "module m\nfn f(a: Int, a: Int) -> Int = a\n");
    breaks("E0205", "module m\nfn f<A, A>(a: A) -> A = a\n");
    breaks(
        "E0205",
        "module m\ntype T { v: Int }\ndata t: T = T { v: 1, v: 2 }\n",
    );
    breaks(
        "E0205",
        "module m\ntype T = A { v: Int, w: Int } | B\nfn f(t: T) -> Int = match t { A { v: x, w: x } => x, B => 0 }\n",
    );
    breaks(
        "E0205",
        "module m\ntype T = A { v: Int, w: Int } | B\nfn f(t: T) -> Int = match t { A { v: _, w: _, v: _ } => 1, B => 0 }\n",
    );
    // A type and a function of other spelling; the same field in two variants.
    sound("module m\ntype T = A { v: Int } | B { v: Int }\nfn t() -> T = A { v: 1 }\n");
}

#[test]
fn own_names_hide_the_preludes_and_locals_hide_both() {
    sound(
        "module m\nfn count(a: Int) -> Int = a\ndata x: Int = count(3)\nfn f(count: Int) -> Int = count + 1\n",
    );
    sound(
        "module m\ntype Optional { v: Int }\ndata x: Optional = Optional { v: 1 }\ndata y: Int? = none\ndata z: Int = y ?? 3\n",
    );
    // The kernel's own types stay what they are.
    breaks(
        "E0301",
        "module m\ntype Int { v: String }\ndata x: Int = 3\n",
    );
}

#[test]
fn a_value_hides_a_module_of_its_name() {
    sound_files(&[
        (
            "pool.dag",
            "module pool\ntype Pool { size: Int }\ndata pool: Pool = Pool { size: 2 }\nfn size() -> String = \"no\"\n",
        ),
        (
            "m.dag",
            "module m\nimport pool { pool }\ndata x: Int = pool.size\n",
        ),
    ]);
}

#[test]
fn keywords_name_fields_parameters_and_labels() {
    sound(
        "module m\ntype T { type: Int, match: Int, in: Int }\nfn f(type: Int, where: Int) -> Int = type + where\ndata t: T = T { type: 1, match: 2, in: 3 }\ndata x: Int = f(type: t.type, where: t.match)\n",
    );
}

#[test]
fn a_variant_is_qualified_by_its_type() {
    sound(
        "module m\ntype Colour = Red | Green\ndata x: Colour = Colour.Red\nfn f(c: Colour) -> Int = match c { Colour.Red => 1, Green => 2 }\n",
    );
    refused(
        "module m\ntype Colour = Red | Green\ndata x: Colour = Colour.Gren\n",
        expect![[r#"
            m.dag:3:25: error[E0206]: `Colour` has no variant `Gren`
              |
            2 | type Colour = Red | Green
              |      ------ declared here
            3 | data x: Colour = Colour.Gren
              |                         ^^^^
              |
              = help: did you mean `Green`?"#]],
    );
}

#[test]
fn an_intrinsic_is_the_librarys() {
    refused(
        "module m\nfn f() -> Int = intrinsic(\"list.length\")\n",
        expect![[r#"
            m.dag:2:17: error[E0206]: there is no `intrinsic` here
              |
            2 | fn f() -> Int = intrinsic("list.length")
              |                 ^^^^^^^^^"#]],
    );
    breaks(
        "E0206",
        "module std.mine\nfn f(a: List<Int>) -> Int = intrinsic(\"list.length\")\n",
    );
}

#[test]
fn a_lone_expression_sees_the_projects_names() {
    let files = [
        (
            "a.dag",
            "module a\ntype T { v: Int }\ndata x: Int = 1\ndata both: Int = 1\nfn count(n: Int) -> Int = n\n",
        ),
        ("b.dag", "module b\ndata both: Int = 2\n"),
        ("c_test.dag", "module c_test\ndata hidden: Int = 2\n"),
    ];
    for text in [
        "x + 1",
        "a.both + b.both",
        "T { v: x }.v",
        // What the project declares hides the prelude's name, as in its own module.
        "count(n: 3)",
        "a.count(n: 3)",
        "std.prelude.count([1, 2])",
        "{\n let y = x\n y\n}",
    ] {
        assert_eq!(errors_of_expression(&files, text), "", "{text}");
    }
    expect![[r#"
        <expression>:1:1: error[E0206]: `both` is declared by several modules, `a` and `b` among them
          |
        1 | both
          | ^^^^
          |
          = help: write it with its module's name"#]]
    .assert_eq(&errors_of_expression(&files, "both"));
    let types = [
        ("a.dag", "module a\ntype T = Int\ntype Int { v: Bool }\n"),
        ("b.dag", "module b\ntype T = String\n"),
    ];
    assert_eq!(errors_of_expression(&types, "Int { v: true }.v"), "");
    expect![[r#"
        <expression>:1:8: error[E0206]: `T` is declared by several modules, `a` and `b` among them
          |
        1 | "x" as T
          |        ^
          |
          = help: write it with its module's name"#]]
    .assert_eq(&errors_of_expression(&types, "\"x\" as T"));
    expect![[r#"
        <expression>:1:1: error[E0206]: there is no `hidden` here
          |
        1 | hidden
          | ^^^^^^"#]]
    .assert_eq(&errors_of_expression(&files, "hidden"));
    expect![[r#"
        <expression>:1:1: error[E0206]: there is no `c_test.hidden` here
          |
        1 | c_test.hidden
          | ^^^^^^^^^^^^^"#]]
    .assert_eq(&errors_of_expression(&files, "c_test.hidden"));
    expect![[r#"
        <expression>:1:4: error[E0101]: expected an expression, found the end of the text
          |
        1 | x +
          |    ^"#]]
    .assert_eq(&errors_of_expression(&files, "x +"));
    expect![[r#"
        <expression>:1:1: error[E0101]: expected an expression, found the end of the text
          |
        1 |
          | ^"#]]
    .assert_eq(&errors_of_expression(&files, ""));
    expect![[r#"
        <expression>:1:1: error[E0307]: the type of this is not known: `List<_>`
          |
        1 | []
          | ^^
          |
          = help: give it a type: `let x: List<Int> = []`"#]]
    .assert_eq(&errors_of_expression(&files, "[]"));
    expect![[r#"
        <expression>:1:3: error[E0101]: expected the end of the expression, found integer `1`
          |
        1 | x 1
          |   ^"#]]
    .assert_eq(&errors_of_expression(&files, "x 1"));
}

#[test]
fn a_file_with_a_mistake_is_not_told_that_its_imports_are_unused() {
    let shown = common::errors_of(&[
        (
            "a.dag",
            "module a\nimport c { threads, Threads }\ndata x: Threads = [\n",
        ),
        ("b.dag", "module b\nimport c { threads }\n"),
        (
            "c.dag",
            "module c\ntype Threads { count: Int }\nfn threads(count: Int) -> Threads = Threads { count: count }\n",
        ),
    ]);
    assert!(shown.contains("a.dag:3"), "{shown}");
    assert!(!shown.contains("a.dag:2"), "{shown}");
    assert!(
        shown.contains("W0209") && shown.contains("b.dag:2"),
        "{shown}"
    );
}
