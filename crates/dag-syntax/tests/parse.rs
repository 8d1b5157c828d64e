//! The parser through its public door: trees and mistakes by source text.
#![allow(clippy::unwrap_used)] // a test that cannot read its files has failed

use dag_syntax::{SourceId, Sources, Style, parse, render_text};
use expect_test::{Expect, expect};

fn errors_of(text: &str) -> String {
    let mut sources = Sources::default();
    let id = sources.add("a.dag", text);
    let (_, errors) = parse(id, text.into());
    let rendered: Vec<String> = errors
        .iter()
        .map(|e| render_text(e, &sources, Style::Plain))
        .collect();
    rendered.join("\n")
}

fn tree(text: &str, expected: Expect) {
    assert_eq!(errors_of(text), "");
    expected.assert_eq(&parse(SourceId(0), text.into()).0.dump());
}

fn errors(text: &str, expected: Expect) {
    expected.assert_eq(&errors_of(text));
}

fn dialect(name: &str) -> String {
    let path = format!(
        "{}/../../tests/dialect/{name}.dag",
        env!("CARGO_MANIFEST_DIR")
    );
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn the_dialect_parses_without_a_mistake_and_loses_no_byte() {
    for name in ["permits", "standing", "standing_test", "unit"] {
        let text = dialect(name);
        assert_eq!(errors_of(&text), "", "{name}");
        let (tree, _) = parse(SourceId(0), text.as_str().into());
        let joined: String = (0..tree.tokens().len())
            .map(|i| tree.token_text(i))
            .collect();
        assert_eq!(joined, text);
    }
}

#[test]
fn operators_bind_as_the_grammar_says() {
    tree(
        "module a\nfn f() -> Int = 1 + 2 * 3 |> g(4) == h.x as Int\n",
        expect![[r#"
            File
              ModuleLine
                Path "a"
              FnDecl
                Name "f"
                Params "()"
                TypePath
                  Path "Int"
                BinaryExpr
                  BinaryExpr
                    IntExpr "1"
                    BinaryExpr
                      IntExpr "2"
                      PipeExpr
                        IntExpr "3"
                        CallExpr
                          NameExpr "g"
                          Arg
                            IntExpr "4"
                  AsExpr
                    FieldExpr
                      NameExpr "h"
                      Name "x"
                    TypePath
                      Path "Int"
        "#]],
    );
}

#[test]
fn a_head_of_match_or_if_may_be_a_record() {
    tree(
        "module a\nfn f(x: P) -> Int {\n  if x == P { v: 1 } {\n    match None { None => 1 }\n  } else { 2 }\n}\n",
        expect![[r#"
            File
              ModuleLine
                Path "a"
              FnDecl
                Name "f"
                Params
                  Param
                    Name "x"
                    TypePath
                      Path "P"
                TypePath
                  Path "Int"
                BlockExpr
                  IfExpr
                    BinaryExpr
                      NameExpr "x"
                      RecordExpr
                        NameExpr "P"
                        Init
                          Name "v"
                          IntExpr "1"
                    BlockExpr
                      MatchExpr
                        NameExpr "None"
                        Arm
                          CtorPattern
                            Path "None"
                          IntExpr "1"
                    BlockExpr
                      IntExpr "2"
        "#]],
    );
}

#[test]
fn an_open_let_body_ends_at_the_next_arm() {
    tree(
        "module a\nfn f(x: P) -> Int = match x {\n  A(b) =>\n    let c = b\n    c\n  \"s\" => 2\n  y if y > 1 => 3\n}\n",
        expect![[r#"
            File
              ModuleLine
                Path "a"
              FnDecl
                Name "f"
                Params
                  Param
                    Name "x"
                    TypePath
                      Path "P"
                TypePath
                  Path "Int"
                MatchExpr
                  NameExpr "x"
                  Arm
                    PositionalPattern
                      Path "A"
                      BindPattern "b"
                    BlockExpr
                      Let
                        Name "c"
                        NameExpr "b"
                      NameExpr "c"
                  Arm
                    StrPattern "\"s\""
                    IntExpr "2"
                  Arm
                    BindPattern "y"
                    Guard
                      BinaryExpr
                        NameExpr "y"
                        IntExpr "1"
                    IntExpr "3"
        "#]],
    );
}

#[test]
fn every_item_with_a_mistake_is_reported_and_the_others_stand() {
    errors(
        "module a\n\nfn f( -> Int = 1\n\ndata x: Int =\n  4\n\ntype T = A { x: Int }\n\nfn g() -> Int { 2 }\n\nfn h() -> Int = -a + b\n",
        expect![[r#"
            a.dag:3:7: error[E0101]: expected a parameter or `)`, found `->`
              |
            3 | fn f( -> Int = 1
              |       ^^
            a.dag:6:3: error[E0101]: a `data` item's value starts on the line of its `=`
              |
            6 |   4
              |   ^
              |
              = help: join the two lines
            a.dag:8:10: error[E0101]: a coproduct of one variant needs a leading `|`
              |
            8 | type T = A { x: Int }
              |          ^
              |
              = help: write `= | Variant { … }`
            a.dag:12:20: error[E0108]: a minus before a binary operator is ambiguous
               |
            12 | fn h() -> Int = -a + b
               |                    ^
               |
               = help: write `(-a) + b` or `0 - a + b`"#]],
    );
}

#[test]
fn annotations_stand_between_items_only() {
    errors(
        "module a\n// of the module\n\n// of x\ndata x: Int = 1 // trailing\n\nfn f() -> Int {\n  // inside\n  1\n}\n\n// at the end\n",
        expect![[r#"
            a.dag:5:17: error[E0106]: an annotation follows code on its line
              |
            5 | data x: Int = 1 // trailing
              |                 ^^^^^^^^^^^
              |
              = help: move it to lines of its own above the item that it speaks of
            a.dag:8:3: error[E0106]: an annotation stands inside an item
              |
            8 |   // inside
              |   ^^^^^^^^^
              |
              = help: move it to lines of its own above the item that it speaks of
            a.dag:12:1: error[E0106]: no item follows this annotation
               |
            12 | // at the end
               | ^^^^^^^^^^^^^
               |
               = help: move it to lines of its own above the item that it speaks of"#]],
    );
}

#[test]
fn a_missing_brace_ends_at_the_next_item() {
    errors(
        "module a\nfn f() -> Int {\n  1\n\nfn g() -> Int {\n  2\n}\n",
        expect![[r#"
            a.dag:5:1: error[E0101]: expected `}`, found the next item
              |
            2 | fn f() -> Int {
              |               - opened here
            ...
            5 | fn g() -> Int {
              | ^^"#]],
    );
}

#[test]
fn deep_nesting_is_refused_not_overflowed() {
    for (open, close) in [
        ("(", ")"),
        ("[", "]"),
        ("{", "}"),
        ("f(", ")"),
        ("!", ""),
        ("-(", ")"),
    ] {
        let n = 100_000;
        let text = format!(
            "module a\ndata x: Int = {}1{}\n",
            open.repeat(n),
            close.repeat(n)
        );
        assert!(errors_of(&text).contains("E0105"), "{open}");
    }
    let chain = format!("module a\ndata x: Int = 1{}\n", " + 1".repeat(100_000));
    assert!(errors_of(&chain).contains("E0105"));
    let types = format!(
        "module a\ndata x: {}Int{} = 1\n",
        "List<".repeat(9999),
        ">".repeat(9999)
    );
    assert!(errors_of(&types).contains("E0105"));
    let patterns = format!(
        "module a\nfn f(x: T) -> Int = match x {{ {}a{} => 1 }}\n",
        "A(".repeat(9999),
        ")".repeat(9999)
    );
    assert!(errors_of(&patterns).contains("E0105"));
}

mod properties {
    use dag_syntax::{SourceId, parse};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parsing_never_panics_and_loses_nothing(text in "(module a\n)?[a-z{}()\\[\\]\"\\\\|&=><:,.+\\-*/!? \n0-9A-Z_é]{0,200}") {
            let (tree, _) = parse(SourceId(0), text.as_str().into());
            let joined: String = (0..tree.tokens().len()).map(|i| tree.token_text(i)).collect();
            prop_assert_eq!(joined, text);
        }

        #[test]
        fn any_text_at_all_is_only_refused(text in any::<String>()) {
            let (tree, _) = parse(SourceId(0), text.as_str().into());
            let joined: String = (0..tree.tokens().len()).map(|i| tree.token_text(i)).collect();
            prop_assert_eq!(joined, text);
        }

        #[test]
        fn a_cut_or_spliced_module_is_only_refused(cut in 0usize..3000, insert in "[{}\"()=>\n,]{0,3}") {
            let whole = super::dialect("standing");
            let mut at = cut.min(whole.len());
            while !whole.is_char_boundary(at) { at -= 1; }
            let text = format!("{}{insert}{}", &whole[..at], &whole[at..]);
            let (tree, _) = parse(SourceId(0), text.as_str().into());
            let joined: String = (0..tree.tokens().len()).map(|i| tree.token_text(i)).collect();
            prop_assert_eq!(joined, text);
            let _ = parse(SourceId(0), whole[..at].into());
        }
    }
}

#[test]
fn an_arrow_stands_on_the_line_of_the_parameters() {
    errors(
        "module a\nfn f(\n  a: Int\n)\n  -> Int = a\n",
        expect![[r#"
            a.dag:5:3: error[E0101]: `->` stands on the line of the parameters' `)`
              |
            5 |   -> Int = a
              |   ^^
              |
              = help: join the two lines"#]],
    );
    errors("module a\nfn f(\n  a: Int\n) -> Int = a\n", expect![""]);
}

#[test]
fn what_a_mistake_leaves_stands_in_the_node_around_it() {
    for text in [
        "module a\nservice n {\n  operation d(h: G)\n  mock_response { 0\n",
        "module a\ntype X = A {\n  data: Int\n}\n",
    ] {
        let (tree, mistakes) = parse(SourceId(0), text.into());
        assert!(!mistakes.is_empty(), "{text}");
        let mut todo = vec![tree.root()];
        while let Some(node) = todo.pop() {
            let around = tree.token_range(node);
            for child in tree.children(node) {
                let range = tree.token_range(*child);
                let within =
                    around.start <= range.start && range.end <= around.end || range.is_empty();
                assert!(within, "{}", tree.dump());
                todo.push(*child);
            }
        }
    }
}
