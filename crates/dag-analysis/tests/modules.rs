//! Modules and imports: which are refused, and which stand beside them.

mod common;

use common::{codes_of, refused_files, sound_files};
use expect_test::expect;

#[test]
fn a_module_has_one_file() {
    refused_files(
        &[
            ("one.dag", "module a\ndata x: Int = 1\n"),
            ("two.dag", "module a\ndata x: Int = 2\n"),
        ],
        expect![[r#"
            two.dag:1:8: error[E0201]: module `a` has two files
              |
            1 | module a
              |        ^
              |
             ::: one.dag:1:8
              |
            1 | module a
              |        - the first one
              |
              = help: a module's identity is its `module` line, not its path: give one another name"#]],
    );
    sound_files(&[
        ("one.dag", "module a\ndata x: Int = 1\n"),
        ("two.dag", "module a.b\ndata x: Int = 2\n"),
    ]);
}

#[test]
fn a_project_does_not_take_the_place_of_the_library() {
    refused_files(
        &[(
            "types.dag",
            "module std.types\ntype String { forged: Int }\n",
        )],
        expect![[r#"
            types.dag:1:8: error[E0201]: module `std.types` has two files
              |
            1 | module std.types
              |        ^^^^^^^^^
              |
             ::: std/types.dag:1:8
              |
            1 | module std.types
              |        --------- the first one
              |
              = help: a module's identity is its `module` line, not its path: give one another name"#]],
    );
}

#[test]
fn an_imported_module_exists() {
    refused_files(
        &[
            ("pool.dag", "module fleet.pool\ndata size: Int = 1\n"),
            (
                "m.dag",
                "module m\nimport fleet.pol { size }\ndata x: Int = size\n",
            ),
        ],
        expect![[r#"
            m.dag:2:8: error[E0202]: there is no module `fleet.pol`
              |
            2 | import fleet.pol { size }
              |        ^^^^^^^^^
              |
              = help: did you mean `fleet.pool`?"#]],
    );
    sound_files(&[
        ("pool.dag", "module fleet.pool\ndata size: Int = 1\n"),
        (
            "m.dag",
            "module m\nimport fleet.pool { size }\ndata x: Int = size\n",
        ),
    ]);
}

#[test]
fn imports_have_no_cycle() {
    refused_files(
        &[
            ("a.dag", "module a\nimport b\ndata x: Int = 1\n"),
            ("b.dag", "module b\nimport c\ndata x: Int = 1\n"),
            ("c.dag", "module c\nimport a\ndata x: Int = 1\n"),
        ],
        expect![[r#"
            c.dag:2:8: error[E0203]: these imports go round in a circle
              |
            2 | import a
              |        ^
              |
              = note: `a` imports `b` imports `c` imports `a`
              = help: move what both need to a module that imports neither"#]],
    );
    refused_files(
        &[("a.dag", "module a\nimport a { x }\ndata x: Int = 1\n")],
        expect![[r#"
            a.dag:2:8: error[E0203]: these imports go round in a circle
              |
            2 | import a { x }
              |        ^
              |
              = note: `a` imports `a`
              = help: move what both need to a module that imports neither"#]],
    );
    // Of a long circle the ends are named.
    let circle = |len: usize| {
        let files = (0..len).map(|i| {
            let next = (i + 1) % len;
            (
                format!("m{i:04}.dag"),
                format!("module m{i:04}\nimport m{next:04}\n"),
            )
        });
        let files: Vec<(String, String)> = files.collect();
        let files: Vec<(&str, &str)> = files
            .iter()
            .map(|(p, t)| (p.as_str(), t.as_str()))
            .collect();
        common::errors_of(&files)
    };
    let said = circle(3000);
    assert!(
        said.lines().count() <= 12 && said.lines().all(|line| line.len() < 200),
        "{said}"
    );
    expect![[r#"
        m2999.dag:2:8: error[E0203]: these imports go round in a circle
          |
        2 | import m0000
          |        ^^^^^
          |
          = note: `m0000` imports `m0001` imports `m0002` imports `m0003` imports … 2994 more … which imports `m2998` imports `m2999` imports `m0000`
          = help: move what both need to a module that imports neither"#]].assert_eq(&said);
    assert!(
        circle(7)
            .contains("`m0003` imports `m0004` imports `m0005` imports `m0006` imports `m0000`")
    );
    assert!(circle(8).contains(
        "`m0003` imports … 2 more … which imports `m0006` imports `m0007` imports `m0000`"
    ));
    // A diamond is no cycle.
    sound_files(&[
        ("a.dag", "module a\nimport b\nimport c\ndata x: Int = 1\n"),
        ("b.dag", "module b\nimport d\ndata x: Int = 1\n"),
        ("c.dag", "module c\nimport d\ndata x: Int = 1\n"),
        ("d.dag", "module d\ndata x: Int = 1\n"),
    ]);
}

#[test]
fn two_cycles_are_two_reports_and_their_importers_are_not_blamed() {
    let codes = codes_of(&[
        ("a.dag", "module a\nimport b { x }\ndata x: Int = 1\n"),
        ("b.dag", "module b\nimport a { x }\ndata x: Int = 1\n"),
        ("c.dag", "module c\nimport d { x }\ndata x: Int = 1\n"),
        ("d.dag", "module d\nimport c { x }\ndata x: Int = 1\n"),
        (
            "e.dag",
            "module e\nimport a { x }\nimport c { y }\ndata z: Int = x + y\n",
        ),
    ]);
    assert_eq!(codes, ["E0203", "E0203"]);
}

#[test]
fn an_imported_name_is_declared_there() {
    refused_files(
        &[
            ("a.dag", "module a\ntype Colour = Red | Green\n"),
            ("b.dag", "module b\nfn paint() -> Int = 1\n"),
            (
                "m.dag",
                "module m\nimport a { Colour, Gren, paint }\nfn f(c: Colour) -> Colour = c\ndata x: Int = paint()\ndata y: Colour = Gren\n",
            ),
        ],
        expect![[r#"
            m.dag:2:20: error[E0204]: module `a` declares no `Gren`
              |
            2 | import a { Colour, Gren, paint }
              |                    ^^^^
              |
              = help: did you mean `Green`?
            m.dag:2:26: error[E0204]: module `a` declares no `paint`
              |
            2 | import a { Colour, Gren, paint }
              |                          ^^^^^
              |
              = help: `b` declares it"#]],
    );
    sound_files(&[
        ("a.dag", "module a\ntype Colour = Red | Green\n"),
        (
            "m.dag",
            "module m\nimport a { Colour, Green }\ndata y: Colour = Green\n",
        ),
    ]);
}

#[test]
fn only_a_test_file_imports_a_test_file() {
    let test = ("a_test.dag", "module a_test\nfn one() -> Int = 1\n");
    refused_files(
        &[
            test,
            (
                "m.dag",
                "module m\nimport a_test { one }\ndata x: Int = one()\n",
            ),
        ],
        expect![[r#"
            m.dag:2:8: error[E0208]: `a_test` is a test module
              |
            2 | import a_test { one }
              |        ^^^^^^
              |
              = note: what a test may make, an observation for one, must not leave the tests
              = help: move what both need to a file that is no test file"#]],
    );
    sound_files(&[
        test,
        (
            "m_test.dag",
            "module m_test\nimport a_test { one }\ndata x: Int = one()\n",
        ),
    ]);
}

#[test]
fn a_test_file_is_not_reached_by_a_qualified_name_either() {
    refused_files(
        &[
            ("a_test.dag", "module a_test\nfn one() -> Int = 1\n"),
            ("m.dag", "module m\ndata x: Int = a_test.one()\n"),
        ],
        expect![[r#"
            m.dag:2:15: error[E0206]: there is no `a_test.one` here
              |
            2 | data x: Int = a_test.one()
              |               ^^^^^^^^^^"#]],
    );
}

#[test]
fn an_unused_import_is_a_warning() {
    refused_files(
        &[
            ("a.dag", "module a\ndata x: Int = 1\ndata y: Int = 1\n"),
            ("m.dag", "module m\nimport a { x, y }\ndata z: Int = x\n"),
        ],
        expect![[r#"
            m.dag:2:15: warning[W0209]: `y` is imported and not used
              |
            2 | import a { x, y }
              |               ^
              |
              = help: remove it from the list"#]],
    );
}

#[test]
fn a_name_is_imported_once_and_not_declared_again() {
    let a = ("a.dag", "module a\ntype T { v: Int }\nfn f() -> Int = 1\n");
    let b = ("b.dag", "module b\nfn f() -> Int = 1\n");
    refused_files(
        &[
            a,
            b,
            (
                "m.dag",
                "module m\nimport a { f }\nimport b { f }\ndata x: Int = f()\n",
            ),
        ],
        expect![[r#"
            m.dag:3:12: error[E0205]: `f` is imported twice
              |
            2 | import a { f }
              |            - the first time
            3 | import b { f }
              |            ^
              |
              = help: remove one, or write it with its module's name where it is used"#]],
    );
    refused_files(
        &[
            a,
            ("m.dag", "module m\nimport a { f }\nfn f() -> Int = 2\n"),
        ],
        expect![[r#"
            m.dag:3:4: error[E0205]: `f` is declared here and imported
              |
            2 | import a { f }
              |            - imported here
            3 | fn f() -> Int = 2
              |    ^
              |
              = help: give it another name, or remove the import"#]],
    );
    assert_eq!(
        codes_of(&[
            a,
            ("m.dag", "module m\nimport a { f, f }\ndata x: Int = f()\n")
        ]),
        ["E0205"]
    );
    assert_eq!(
        codes_of(&[
            a,
            (
                "m.dag",
                "module m\nimport a { T }\ntype T { w: Int }\nfn f(t: T) -> Int = 1\n"
            )
        ]),
        ["E0205"]
    );
    assert_eq!(
        codes_of(&[
            a,
            (
                "m.dag",
                "module m\nimport a { T }\ntype U = T | V\nfn f(t: T) -> Int = 1\n"
            )
        ]),
        ["E0205"]
    );
    sound_files(&[
        a,
        b,
        (
            "m.dag",
            "module m\nimport a { f }\nimport b\ndata x: Int = f() + b.f()\n",
        ),
    ]);
}

#[test]
fn a_qualified_name_is_loaded_by_an_import() {
    let far = (
        "z.dag",
        "module z.far\ntype T { v: Int }\ntype C = A | B\nfn f() -> Int = 1\n",
    );
    let near = (
        "near.dag",
        "module near\nimport z.far\ndata one: Int = z.far.f()\n",
    );
    // Declared after `m` or before it: the order of the names says nothing.
    for name in ["m", "zz"] {
        let text = format!(
            "module {name}\nimport near\ndata x: Int = z.far.f()\ndata t: z.far.T = z.far.T {{ v: x }}\ndata c: z.far.C = z.far.C.A\ndata d: z.far.C = z.far.B\n"
        );
        sound_files(&[far, near, ("m.dag", &text)]);
    }
    refused_files(
        &[
            far,
            (
                "zz.dag",
                "module zz\ndata x: Int = z.far.f()\nfn g(t: z.far.T) -> Int = t.v\n",
            ),
        ],
        expect![[r#"
            zz.dag:2:15: error[E0206]: there is no `z.far.f` here
              |
            2 | data x: Int = z.far.f()
              |               ^^^^^^^
              |
              = help: write `import z.far` to load the module
            zz.dag:3:9: error[E0207]: there is no type `z.far.T` here
              |
            3 | fn g(t: z.far.T) -> Int = t.v
              |         ^^^^^^^
              |
              = help: write `import z.far` to load the module"#]],
    );
}

#[test]
fn mistakes_in_several_files_are_reported_in_one_run() {
    refused_files(
        &[
            (
                "b.dag",
                "module b\nfn broken( -> Int = 1\n\ndata y: Int = \"one\"\n",
            ),
            (
                "a.dag",
                "module a\nimport b { broken }\ndata x: Int = broken() + lost\n",
            ),
        ],
        expect![[r#"
            a.dag:3:26: error[E0206]: there is no `lost` here
              |
            3 | data x: Int = broken() + lost
              |                          ^^^^
              |
              = help: did you mean `last`?
            b.dag:2:12: error[E0101]: expected a parameter or `)`, found `->`
              |
            2 | fn broken( -> Int = 1
              |            ^^
            b.dag:4:15: error[E0301]: expected Int, found String
              |
            4 | data y: Int = "one"
              |         ---   ^^^^^
              |         |
              |         declared here"#]],
    );
}

#[test]
fn one_file_without_its_module_line_is_one_report() {
    refused_files(
        &[("a.dag", "// nothing\ndata x: Int = 1\n")],
        expect![[r#"
            a.dag:2:1: error[E0109]: a file starts with its `module` line
              |
            2 | data x: Int = 1
              | ^^^^
              |
              = help: write `module a.b` on the first line"#]],
    );
    assert_eq!(codes_of(&[("empty.dag", "")]), ["E0109"]);
}

/// A message stays short, however much is missing.
#[test]
fn a_long_list_of_names_is_cut() {
    let fields: String = (0..5000).map(|i| format!("f{i}: Int\n")).collect();
    let said = common::errors_of(&[(
        "m.dag",
        &format!("module m\ntype R {{\n{fields}}}\ndata r: R = R {{}}\n"),
    )]);
    assert!(
        said.contains("is not given `f0`, `f1`, `f2`, `f3`, `f4`, `f5` and 4994 more"),
        "{said}"
    );
    assert!(
        said.lines().count() <= 12 && said.lines().all(|line| line.len() < 200),
        "{said}"
    );
}
