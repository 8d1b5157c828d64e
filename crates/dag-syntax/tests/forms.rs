//! The forms of the grammar by their text: trees, what is refused as ambiguous,
//! and what an error inside a form leaves standing.

use dag_syntax::{SourceId, Sources, Style, format, parse, render_text};
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

fn tree(items: &str, expected: Expect) {
    let text = format!("module a\n{items}\n");
    assert_eq!(errors_of(&text), "");
    let dump = parse(SourceId(0), text.as_str().into()).0.dump();
    let module = "  ModuleLine\n    Path \"a\"\n";
    expected.assert_eq(&dump.replacen(module, "", 1));
}

fn refused(items: &str, expected: Expect) {
    expected.assert_eq(&errors_of(&format!("module a\n{items}\n")));
}

fn stands(items: &str) {
    assert_eq!(errors_of(&format!("module a\n{items}\n")), "", "{items}");
}

#[test]
fn braces_are_literals_or_blocks() {
    tree(
        "data a: T = [{}, { x: 1, y }, { \"k\": 2, z: 3 }, { x }, { f(x) }]",
        expect![[r#"
            File
              DataDecl
                Name "a"
                TypePath
                  Path "T"
                ListExpr
                  BraceExpr "{}"
                  BraceExpr
                    Init
                      Name "x"
                      IntExpr "1"
                    Init
                      Name "y"
                  BraceExpr
                    MapEntry
                      StrExpr "\"k\""
                      IntExpr "2"
                    Init
                      Name "z"
                      IntExpr "3"
                  BlockExpr
                    NameExpr "x"
                  BlockExpr
                    CallExpr
                      NameExpr "f"
                      Arg
                        NameExpr "x"
        "#]],
    );
    // The same where an arm, a lambda or an argument has them.
    stands("fn f() -> T = match x { A => { a: 1 }, B => { b }, C => {} }");
    stands("data a: T = map(xs, x => { n: x })");
    stands("data a: T = f(a: { n: 1 }, { m: 2 })");
    stands("fn f() -> { n: Int } { { n: 1 } }");
    stands("fn f() -> T = if a == { n: 1 } { b } else { c }");
    refused(
        "fn f() -> T { n: 1 }\n\ndata b: T = { \"a{x}\": 1 }\n\ndata c: T = P { \"a\": 1 }",
        expect![[r#"
            a.dag:2:15: error[E0101]: these braces are a block, which has no fields
              |
            2 | fn f() -> T { n: 1 }
              |               ^
              |
              = help: write `=` before the braces of a record that a function gives
            a.dag:4:17: error[E0101]: a key in a map is a string without holes
              |
            4 | data b: T = { "a{x}": 1 }
              |                 ^
              |
              = help: write `map_insert(map, key, value)`
            a.dag:6:17: error[E0101]: a record's fields are names, not strings
              |
            6 | data c: T = P { "a": 1 }
              |                 ^
              |
              = help: write `name: value`; a map is written without a name before its brace"#]],
    );
}

#[test]
fn for_range_and_variant_names() {
    tree(
        "fn f() -> T = for x in a + 1..b * 2 { ^x == ^(y.z) }",
        expect![[r#"
            File
              FnDecl
                Name "f"
                Params "()"
                TypePath
                  Path "T"
                ForExpr
                  Name "x"
                  BinaryExpr
                    BinaryExpr
                      NameExpr "a"
                      IntExpr "1"
                    BinaryExpr
                      NameExpr "b"
                      IntExpr "2"
                  BlockExpr
                    BinaryExpr
                      UnaryExpr
                        NameExpr "x"
                      UnaryExpr
                        ParenExpr
                          FieldExpr
                            NameExpr "y"
                            Name "z"
        "#]],
    );
    tree(
        "data a: T = !p < 1..2 as Int",
        expect![[r#"
        File
          DataDecl
            Name "a"
            TypePath
              Path "T"
            BinaryExpr
              UnaryExpr
                NameExpr "p"
              BinaryExpr
                IntExpr "1"
                AsExpr
                  IntExpr "2"
                  TypePath
                    Path "Int"
    "#]],
    );
}

#[test]
fn declarations_with_all_their_parts() {
    tree(
        "alias M = a.b.c\ntype A<T: Type, U> nominal_opaque = String where non_empty, format(p), x.q\ntype R { a: Int where p from \"out\" = 1, b: { c: Int?, d: fn({ e: Int }) -> A<Int, Int> } }",
        expect![[r#"
            File
              AliasDecl
                Name "M"
                Path "a.b.c"
              TypeDecl
                Name "A"
                TypeParams
                  Name "T"
                  Kind "Type"
                  Name "U"
                AliasBody
                  TypePath
                    Path "String"
                  Where
                    Predicate
                      Path "non_empty"
                    Predicate
                      Path "format"
                      PredicateArg
                        NameExpr "p"
                    Predicate
                      Path "x.q"
              TypeDecl
                Name "R"
                RecordBody
                  FieldDecl
                    Name "a"
                    TypePath
                      Path "Int"
                    Where
                      Predicate
                        Path "p"
                    Source
                      StrExpr "\"out\""
                    Default
                      IntExpr "1"
                  FieldDecl
                    Name "b"
                    TypeRecord
                      FieldDecl
                        Name "c"
                        TypeOptional
                          TypePath
                            Path "Int"
                      FieldDecl
                        Name "d"
                        TypeFn
                          TypeRecord
                            FieldDecl
                              Name "e"
                              TypePath
                                Path "Int"
                          TypePath
                            Path "A"
                            TypePath
                              Path "Int"
                            TypePath
                              Path "Int"
        "#]],
    );
    tree(
        "fn f(a: Int, b: Int where range(min: 0) = 2) -> { r: Int } admit_callers: [decl_ref(module_path: \"m\", decl_name: \"g\")] = { r: b }",
        expect![[r#"
            File
              FnDecl
                Name "f"
                Params
                  Param
                    Name "a"
                    TypePath
                      Path "Int"
                  Param
                    Name "b"
                    TypePath
                      Path "Int"
                    Where
                      Predicate
                        Path "range"
                        PredicateArg
                          Name "min"
                          IntExpr "0"
                    Default
                      IntExpr "2"
                TypeRecord
                  FieldDecl
                    Name "r"
                    TypePath
                      Path "Int"
                AdmitCallers
                  ListExpr
                    CallExpr
                      NameExpr "decl_ref"
                      Arg
                        Name "module_path"
                        StrExpr "\"m\""
                      Arg
                        Name "decl_name"
                        StrExpr "\"g\""
                BraceExpr
                  Init
                    Name "r"
                    NameExpr "b"
        "#]],
    );
}

#[test]
fn patterns_with_all_their_parts() {
    tree(
        "fn f() -> T = match x { { a: 1, b } => 1, A { b: B({ c }) } => 2, a.C => 3 }",
        expect![[r#"
            File
              FnDecl
                Name "f"
                Params "()"
                TypePath
                  Path "T"
                MatchExpr
                  NameExpr "x"
                  Arm
                    RecordPattern
                      FieldPattern
                        Name "a"
                        IntPattern "1"
                      FieldPattern
                        Name "b"
                    IntExpr "1"
                  Arm
                    CtorPattern
                      Path "A"
                      FieldPattern
                        Name "b"
                        PositionalPattern
                          Path "B"
                          RecordPattern
                            FieldPattern
                              Name "c"
                    IntExpr "2"
                  Arm
                    CtorPattern
                      Path "a.C"
                    IntExpr "3"
        "#]],
    );
}

#[test]
fn every_way_to_write_a_function_value_or_a_call() {
    tree(
        "data a: T = [x => x, (a, b) => a, fn() { 1 }, fn(a) { a }, x => let y = x\n y]",
        expect![[r#"
            File
              DataDecl
                Name "a"
                TypePath
                  Path "T"
                ListExpr
                  LambdaExpr
                    Name "x"
                    NameExpr "x"
                  LambdaExpr
                    Name "a"
                    Name "b"
                    NameExpr "a"
                  LambdaExpr
                    BlockExpr
                      IntExpr "1"
                  LambdaExpr
                    Name "a"
                    BlockExpr
                      NameExpr "a"
                  LambdaExpr
                    Name "x"
                    BlockExpr
                      Let
                        Name "y"
                        NameExpr "x"
                      NameExpr "y"
        "#]],
    );
    tree(
        "data a: T = x |> f |> p.q.g(1) |> m.field |> h().other",
        expect![[r#"
            File
              DataDecl
                Name "a"
                TypePath
                  Path "T"
                FieldExpr
                  PipeExpr
                    FieldExpr
                      PipeExpr
                        PipeExpr
                          PipeExpr
                            NameExpr "x"
                            NameExpr "f"
                          CallExpr
                            FieldExpr
                              FieldExpr
                                NameExpr "p"
                                Name "q"
                              Name "g"
                            Arg
                              IntExpr "1"
                        NameExpr "m"
                      Name "field"
                    CallExpr
                      NameExpr "h"
                  Name "other"
        "#]],
    );
}

#[test]
fn words_of_the_grammar_are_names_too() {
    stands(
        "type T { match: Int, if: Int, for: Int, then: Int, with: Int, type: Int, in: Int, where: Int, let: Int }",
    );
    stands("fn f(type: Int, with: Int, then: Int, alias: Int) -> Int = type + with + then + alias");
    stands("data a: Int = t.match + f(for: 1, let: 2).where + T { if: 1, type: 2 }.if");
    stands("fn with(a: Int) -> Int = m.with(a) |> with");
    stands("data a: Map<String, Int> = { if: 1, match: 2 }");
}

/// Each rule of lines and commas, with its one clear reading or its refusal.
#[test]
fn lines_and_commas() {
    // An operator at the start of a line continues, except a minus.
    stands("data a: T = b\n  + c\n  |> d\n  .e\n  && f\n  < g\n  .. h");
    refused(
        "data a: T = b\n  - c",
        expect![[r#"
            a.dag:3:3: error[E0108]: a minus at the start of a line is ambiguous
              |
            3 |   - c
              |   ^
              |
              = help: end the line before it with `-`, or write `(-x)` for a negative value"#]],
    );
    stands("data a: T = b +\n  c");
    // A call and a record's brace stand on the line of their head.
    refused(
        "fn f() -> T {\n  g\n  (1)\n  h\n  [1, 2]\n}",
        expect![[r#"
            a.dag:4:3: error[E0112]: a `(` on the line below a value is ambiguous
              |
            4 |   (1)
              |   ^
              |
              = note: it could start a statement, or be a call of what stands above
              = help: put it on the line above if it belongs to it; else name its value with `let`
            a.dag:6:3: error[E0112]: a `[` on the line below a value is ambiguous
              |
            6 |   [1, 2]
              |   ^
              |
              = note: it could start a list, or be meant as an index of what stands above
              = help: name the list with `let`; for an index write `get(list, index)`"#]],
    );
    tree(
        "fn f() -> T {\n  let g = 1\n  (1)\n  H\n  { x }\n}",
        expect![[r#"
            File
              FnDecl
                Name "f"
                Params "()"
                TypePath
                  Path "T"
                BlockExpr
                  Let
                    Name "g"
                    IntExpr "1"
                  ParenExpr
                    IntExpr "1"
                  NameExpr "H"
                  BlockExpr
                    NameExpr "x"
        "#]],
    );
    refused(
        "data a: T = x |> g\n  (1)",
        expect![[r#"
            a.dag:3:3: error[E0112]: a `(` on the line below a piped name is ambiguous
              |
            3 |   (1)
              |   ^
              |
              = help: put it on the name's line, or end the pipe with `()`"#]],
    );
    // What may begin on the next line, and what may not.
    stands("fn f() -> T =\n  1");
    stands("fn f() -> T {\n  let a =\n    1\n  return\n    a\n}");
    stands("fn f() -> T = match a {\n  B =>\n    1\n}");
    stands("data a: T = map(b, x =>\n  x)");
    stands("type T =\n  Int");
    stands("fn f() -> T = for x in\n  xs { x }");
    refused(
        "data a: T =\n  1\n\ndata b: T = f(x:\n  1)\n\ndata c: T = R { x:\n  1 }\n\nfn d(x: Int =\n  1) -> T = 1\n\ndata e: T = { \"k\":\n  1 }",
        expect![[r#"
            a.dag:3:3: error[E0101]: a `data` item's value starts on the line of its `=`
              |
            3 |   1
              |   ^
              |
              = help: join the two lines
            a.dag:6:3: error[E0101]: a named argument's value starts on the line of its `:`
              |
            6 |   1)
              |   ^
              |
              = help: join the two lines
            a.dag:9:3: error[E0101]: a field's value starts on the line of its `:`
              |
            9 |   1 }
              |   ^
              |
              = help: join the two lines
            a.dag:12:3: error[E0101]: a parameter's default value starts on the line of its `=`
               |
            12 |   1) -> T = 1
               |   ^
               |
               = help: join the two lines
            a.dag:15:3: error[E0101]: a key's value starts on the line of its `:`
               |
            15 |   1 }
               |   ^
               |
               = help: join the two lines"#]],
    );
    // The arrow stands on the line of the parenthesis.
    refused(
        "fn f()\n  -> T = 1",
        expect![[r#"
            a.dag:3:3: error[E0101]: `->` stands on the line of the parameters' `)`
              |
            3 |   -> T = 1
              |   ^^
              |
              = help: join the two lines"#]],
    );
    // Commas are optional between lines, and wanted in a call.
    stands(
        "type T { a: Int\n b: Int, c: Int\n}\ndata a: T = T { a: 1\n b: 2\n}\ndata b: T = [1\n 2]\ndata c: T = { a: 1\n \"b\": 2\n}",
    );
    refused(
        "data a: T = f(1\n 2)",
        expect![[r#"
            a.dag:3:2: error[E0101]: expected `,` or `)`, found integer `2`
              |
            2 | data a: T = f(1
              |              - opened here
            3 |  2)
              |  ^"#]],
    );
    // A comma before `name:` ends the predicates.
    tree(
        "type T { a: Int where non_empty, b: Int where p, q }",
        expect![[r#"
        File
          TypeDecl
            Name "T"
            RecordBody
              FieldDecl
                Name "a"
                TypePath
                  Path "Int"
                Where
                  Predicate
                    Path "non_empty"
              FieldDecl
                Name "b"
                TypePath
                  Path "Int"
                Where
                  Predicate
                    Path "p"
                  Predicate
                    Path "q"
    "#]],
    );
}

#[test]
fn an_open_arm_ends_at_the_next_arm_of_any_kind() {
    for next in [
        "_ => 2",
        "B => 2",
        "B { c } => 2",
        "B(c) => 2",
        "\"s\" => 2",
        "0 => 2",
        "true => 2",
        "none => 2",
        "b => 2",
        "a.B => 2",
        "{ c } => 2",
        "b if c => 2",
    ] {
        stands(&format!(
            "fn f() -> T = match x {{\n  A =>\n    let y = 1\n    y\n  {next}\n}}"
        ));
    }
}

#[test]
fn a_guard_may_end_in_a_name() {
    tree(
        "fn f() -> T = match x { a if b => c, _ => d }",
        expect![[r#"
        File
          FnDecl
            Name "f"
            Params "()"
            TypePath
              Path "T"
            MatchExpr
              NameExpr "x"
              Arm
                BindPattern "a"
                Guard
                  NameExpr "b"
                NameExpr "c"
              Arm
                AnyPattern "_"
                NameExpr "d"
    "#]],
    );
}

#[test]
fn lambdas_of_no_and_of_one_parameter_are_written_one_way() {
    refused(
        "data a: T = (x) => 1\n\ndata b: T = () => 1",
        expect![[r#"
            a.dag:2:13: error[E0101]: a lambda of one parameter has no parentheses
              |
            2 | data a: T = (x) => 1
              |             ^
              |
              = help: write `x => …`
            a.dag:4:16: error[E0101]: a lambda without parameters is written with `fn`
              |
            4 | data b: T = () => 1
              |                ^^
              |
              = help: write `fn() { … }`"#]],
    );
}

#[test]
fn braces_hold_any_number_of_statements() {
    stands(
        "data a: T = map(xs, x => {\n  if x { return 1 }\n  match x { A => 1 }\n  for y in x { y }\n  2\n})",
    );
    stands("data a: T = {\n  match x { A => 1 }\n  if b { c } else { d }\n}");
}

#[test]
fn an_error_in_a_form_leaves_the_rest() {
    for broken in [
        "alias = a.b",
        "alias X a.b",
        "alias X = a.",
        "fn f() -> T = for in xs { x }",
        "fn f() -> T = for x xs { x }",
        "fn f() -> T = for x in xs x",
        "fn f() -> T = for x in xs { let = 1 }",
        "data a: T = 1..",
        "data a: T = 1..2..3",
        "data a: T = ^1",
        "data a: T = { x: }",
        "data a: T = { \"k\": 1 \"l\": 2 }",
        "data a: T = { x: 1, 2 + }",
        "data a: { x Int } = 1",
        "data a: { x: Int, = 1",
        "data a: {} = 1",
        "type X nominal_opaque sealed = Int",
        "type X<T:> = Int",
        "type X = List<3>",
        "type X = Int??",
        "type X { a: Int = }",
        "type X { a: Int from b }",
        "type X = Int where p.",
        "type X = Int where format(",
        "fn f(a: Int = ) -> T = 1",
        "fn f() -> T admit_callers [g] = 1",
        "fn f() -> T admit_callers: g = 1",
        "fn f() -> T = match x { { a: } => 1 }",
        "fn f() -> T = x |>",
        "fn f() -> T { n: 1 }",
    ] {
        let text = format!("module a\n{broken}\n\nfn after() -> Int = 1 1\n");
        let errors = errors_of(&text);
        let count = errors.matches("error[").count();
        assert_eq!(count, 2, "{broken}\n{errors}");
        assert!(errors.contains("fn after() -> Int = 1 1"), "{errors}");
        let (tree, _) = parse(SourceId(0), text.as_str().into());
        let joined: String = (0..tree.tokens().len())
            .map(|i| tree.token_text(i))
            .collect();
        assert_eq!(joined, text);
    }
}

fn layout(text: &str, expected: Expect) {
    let (tree, errors) = parse(SourceId(0), text.into());
    assert_eq!(errors.len(), 0, "{}", errors_of(text));
    let once = format(&tree);
    let (again, errors) = parse(SourceId(0), once.as_str().into());
    assert_eq!(errors.len(), 0, "{}", errors_of(&once));
    assert_eq!(format(&again), once, "not idempotent");
    expected.assert_eq(&once);
}

#[test]
fn the_forms_have_one_layout() {
    layout(
        "module a\nalias  M=a . b\ntype A<T :Type,U>nominal_opaque=String where non_empty,format( p ) , x.q\ntype R{a:Int where p from \"out\"=1,b:{c:Int?,d:fn({e:Int})->A<Int>}\n}\nfn f(a:Int,b:Int=2)->{r:Int}admit_callers:[decl_ref(module_path:\"m\",decl_name:\"g\")]={r:b}\nfn g(xs:List<Int>)->T{for x in 1 .. 2+n{^ x}\nfor y in xs{\nlet z={\"k\" :y,w:1}\nz}\n{ }\n}\nfn h()->T=match x{{a:1,b}=>{c:1\n,d}\nA=>x|>m.field\n}\ndata long: Map<String, String> = { aaaaaaaaaaaaaaaaaaaaa: \"aaaaaaaaaaaaaaaaaaaaaaaaaaa\", bbbbbbbbbbbbbbbbbbbbbbbbbbb: \"bbbbbbbbbbbbbbbb\" }\n",
        expect![[r#"
            module a

            alias M = a.b

            type A<T: Type, U> nominal_opaque = String where non_empty, format(p), x.q

            type R { a: Int where p from "out" = 1, b: { c: Int?, d: fn({ e: Int }) -> A<Int> } }

            fn f(a: Int, b: Int = 2) -> { r: Int } admit_callers: [decl_ref(module_path: "m", decl_name: "g")] = {
              r: b
            }

            fn g(xs: List<Int>) -> T {
              for x in 1..2 + n { ^x }
              for y in xs {
                let z = { "k": y, w: 1 }
                z
              }
              {}
            }

            fn h() -> T = match x { { a: 1, b } => { c: 1, d }, A => x |> m.field }

            data long: Map<String, String> = {
              aaaaaaaaaaaaaaaaaaaaa: "aaaaaaaaaaaaaaaaaaaaaaaaaaa"
              bbbbbbbbbbbbbbbbbbbbbbbbbbb: "bbbbbbbbbbbbbbbb"
            }
        "#]],
    );
}

#[test]
fn angles_hold_a_type() {
    refused(
        "data x: List<> = []",
        expect![[r#"
            a.dag:2:14: error[E0101]: expected a type, found `>`
              |
            2 | data x: List<> = []
              |              ^"#]],
    );
    stands("data x: List<Int> = []");
}

#[test]
fn a_keyword_names_a_field_on_a_line_of_its_own() {
    for text in [
        "type R {\n  x: Int\n  where: Int\n}",
        "type V\n  = A {\n    x: Int\n    where: Int\n  }\n  | B",
        "data a: {\n  x: Int\n  where: Int\n  from: Int\n} = f()",
        "fn f(\n  x: Int,\n  where: Int\n) -> Int = x",
    ] {
        stands(text);
        let text = format!("module a\n\n{text}\n");
        let laid_out = format(&parse(SourceId(0), text.as_str().into()).0);
        assert_eq!(errors_of(&laid_out), "");
        assert_eq!(
            format(&parse(SourceId(0), laid_out.as_str().into()).0),
            laid_out
        );
    }
}

#[test]
fn a_minus_before_an_operator_is_ambiguous_across_lines() {
    for rest in ["+ 1", "* 2", "% 2", "|> abs", "/ 3"] {
        let text = format!("module a\nfn f(a: Int) -> Int {{\n  -a\n    {rest}\n}}\n");
        assert!(errors_of(&text).contains("E0108"), "{rest}");
    }
    stands("fn f(a: Int) -> Bool {\n  -a\n    == 1\n}");
    stands("data a: List<Int> = [\n  -1\n  2\n]");
}
