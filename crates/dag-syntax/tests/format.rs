//! The formatter: idempotent, the tree stays, the annotations stay.
#![allow(clippy::unwrap_used)] // helpers of tests

use dag_syntax::{SourceId, Token, format, parse};
use expect_test::{Expect, expect};

fn formatted(text: &str) -> String {
    let (tree, errors) = parse(SourceId(0), text.into());
    assert_eq!(errors.len(), 0, "{errors:?}\n{text}");
    format(&tree)
}

/// What must not change: the nodes with their tokens, commas aside, and the
/// annotations with their items.
fn meaning(text: &str) -> String {
    let (tree, errors) = parse(SourceId(0), text.into());
    assert_eq!(errors.len(), 0, "{errors:?}\n{text}");
    let mut out = String::new();
    let mut todo = vec![(tree.root(), 0)];
    while let Some((node, depth)) = todo.pop() {
        let tokens: Vec<&str> = tree
            .own_tokens(node)
            .filter(|(kind, _)| *kind != Token::Comma)
            .map(|(_, index)| tree.token_text(index))
            .collect();
        out.push_str(&format!("{depth} {:?} {tokens:?}\n", tree.kind(node)));
        todo.extend(tree.children(node).iter().rev().map(|c| (*c, depth + 1)));
    }
    for annotation in tree.annotations() {
        let item = tree
            .children(tree.root())
            .iter()
            .position(|i| *i == annotation.item);
        out.push_str(&format!("{item:?} {}\n", annotation.text));
    }
    out
}

fn all_modules() -> Vec<(String, String)> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let mut todo: Vec<std::path::PathBuf> = ["lib", "fleets", "tests/dialect"]
        .iter()
        .map(|f| format!("{root}/{f}").into())
        .collect();
    let mut modules = Vec::new();
    while let Some(path) = todo.pop() {
        if path.is_dir() {
            todo.extend(std::fs::read_dir(&path).unwrap().map(|e| e.unwrap().path()));
        } else if path.extension().is_some_and(|e| e == "dag") {
            modules.push((
                path.display().to_string(),
                std::fs::read_to_string(&path).unwrap(),
            ));
        }
    }
    assert!(modules.len() > 50);
    modules
}

#[test]
fn every_module_of_ours_keeps_its_meaning_and_is_formatted_once() {
    for (path, text) in all_modules() {
        let once = formatted(&text);
        assert_eq!(meaning(&once), meaning(&text), "{path}");
        assert_eq!(formatted(&once), once, "{path}");
    }
}

fn layout(text: &str, expected: Expect) {
    let once = formatted(text);
    assert_eq!(formatted(&once), once, "not idempotent");
    expected.assert_eq(&once);
}

#[test]
fn the_annotation_of_a_module_without_items_stays() {
    layout(
        "module a\n// Said of it.\n\n",
        expect![[r#"
            module a
            // Said of it.
        "#]],
    );
    layout(
        "module a\n\n\n",
        expect![[r#"
        module a
    "#]],
    );
}

#[test]
fn blanks_and_blank_lines_become_one_layout() {
    layout(
        "module   a . b\n// of the module\n\n\n\nimport c{X,y}\nimport d { Z }\n// of f\n\n// and this\nfn f ( a:Int ,b : List< String>)->Int{a+1}\ndata x:Int=4\n",
        expect![[r#"
            module a.b
            // of the module

            import c { X, y }
            import d { Z }

            // of f

            // and this
            fn f(a: Int, b: List<String>) -> Int {
              a + 1
            }

            data x: Int = 4
        "#]],
    );
}

#[test]
fn the_author_chooses_what_shares_a_line() {
    layout(
        "module a\ndata p: P = P { x: 1, y: 2 }\ndata q: P = P {\n    x: 1, y: 2,\n z: 3 }\ndata l: List<Int> = [ 1,2\n, 3 ]\ndata m: List<Int> = [\n 1, 2,\n -3,\n 4 ]\n",
        expect![[r#"
            module a

            data p: P = P { x: 1, y: 2 }

            data q: P = P {
              x: 1, y: 2
              z: 3
            }

            data l: List<Int> = [1, 2, 3]

            data m: List<Int> = [
              1, 2,
              -3
              4
            ]
        "#]],
    );
}

#[test]
fn an_empty_list_stays_empty() {
    let text = "module m\n\ntype Some = Int where range()\n\nfn one(a: Int) -> Int = f()\n\nfunc go() -> Int\n  uses store: Store()\n{\n  1\n}\n";
    assert_eq!(formatted(text), text);
}

#[test]
fn long_lines_are_broken_where_they_can_be() {
    layout(
        "module a\ndata l: List<String> = [\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\", \"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\", \"cccccccccccccccccccccccccc\"]\nfn f() -> Int = some_function(first_argument: 1111111111111111, second_argument: 22222222222222, third: 33333333333)\n",
        expect![[r#"
            module a

            data l: List<String> = [
              "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
              "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
              "cccccccccccccccccccccccccc"
            ]

            fn f() -> Int = some_function(
              first_argument: 1111111111111111,
              second_argument: 22222222222222,
              third: 33333333333,
            )
        "#]],
    );
}

#[test]
fn blocks_matches_and_chains() {
    layout(
        "module a\nfn f(x: T) -> Int {\n let a = 1\n\n\n let b =\n 2\n if a==b { 1 } else if b>2 {\n 3 } else { match x { A { y } => y\n B(_) if y => -1\n C =>\n   let z = 4\n   z\n } }\n}\nfn g() -> Bool = a && b\n  && c == d -\n 1\n  || x |> f(1)\n |> g\n",
        expect![[r#"
            module a

            fn f(x: T) -> Int {
              let a = 1

              let b =
                2
              if a == b {
                1
              } else if b > 2 {
                3
              } else {
                match x {
                  A { y } => y
                  B(_) if y => -1
                  C =>
                    let z = 4
                    z
                }
              }
            }

            fn g() -> Bool = a && b
              && c == d -
                  1
              || x |> f(1)
                |> g
        "#]],
    );
}

#[test]
fn a_string_is_kept_to_the_byte() {
    layout(
        "module a\ndata s: String = \"a {  f( x ,1)  }\n   b\\q {{\"\n",
        expect![[r#"
        module a

        data s: String = "a {  f( x ,1)  }
           b\q {{"
    "#]],
    );
}

#[test]
fn nesting_is_laid_out_in_linear_time() {
    // Each level once: with twice a level, these would take longer than anybody has.
    for (open, close) in [
        ("[", "]"),
        ("f(", ")"),
        ("R { a: ", " }"),
        ("g(x, f(", "))"),
    ] {
        let (open, close) = (open.repeat(200), close.repeat(200));
        let text = format!("module a\n\ndata x: Int = {open}1{close}\n");
        assert_eq!(formatted(&formatted(&text)), formatted(&text));
    }
}

mod properties {
    use super::{all_modules, formatted, meaning};
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// Blanks and line ends put in where the grammar allows them do not
        /// change what is meant, and the layout is still found in one pass.
        #[test]
        fn more_blanks_change_nothing(pick in 0usize..1000, at in proptest::collection::vec(0usize..5000, 1..8), with in "[ \n]{1,3}") {
            let modules = all_modules();
            let (path, text) = &modules[pick % modules.len()];
            let (tree, _) = dag_syntax::parse(dag_syntax::SourceId(0), text.as_str().into());
            let mut spoiled = text.clone();
            let mut places: Vec<usize> = at.iter().map(|a| tree.tokens().span(a % tree.tokens().len()).start as usize).collect();
            places.sort_unstable();
            for place in places.into_iter().rev() {
                spoiled.insert_str(place, &with);
            }
            let (_, errors) = dag_syntax::parse(dag_syntax::SourceId(0), spoiled.as_str().into());
            prop_assume!(errors.is_empty());
            let once = formatted(&spoiled);
            prop_assert_eq!(meaning(&once), meaning(&spoiled), "{}", path);
            prop_assert_eq!(formatted(&once), once, "{}", path);
        }
    }
}
