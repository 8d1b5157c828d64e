//! Services, resources and workflows: their trees, their layout, and what is
//! said of a text that is none.
#![allow(clippy::unwrap_used)] // helpers of tests

use dag_syntax::{SourceId, Token, format, parse};
use expect_test::{Expect, expect};

fn tree(text: &str) -> (dag_syntax::Tree, Vec<dag_syntax::Diagnostic>) {
    parse(SourceId(0), text.into())
}

/// Nodes and their tokens, commas aside: what the layout must not change.
fn meaning(text: &str) -> String {
    let (tree, errors) = tree(text);
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
        out.push_str(&annotation.text);
    }
    out
}

fn laid_out(text: &str, expected: Expect) {
    let (tree, errors) = tree(text);
    assert_eq!(errors.len(), 0, "{errors:?}");
    let once = format(&tree);
    expected.assert_eq(&once);
    assert_eq!(meaning(&once), meaning(text), "the layout changed the tree");
    let (again, _) = parse(SourceId(0), once.clone().into());
    assert_eq!(format(&again), once, "a second layout differs");
}

fn mistakes(text: &str, expected: Expect) {
    let (_, errors) = tree(text);
    let shown: Vec<String> = errors
        .iter()
        .map(|e| {
            let cure = e.cure.as_ref().map(|c| format!(" [{c}]"));
            format!("{} {}{}", e.code, e.message, cure.unwrap_or_default())
        })
        .collect();
    expected.assert_eq(&shown.join("\n"));
}

const SERVICE: &str = r#"module m

// What systemd says of its units.
service systemd.Control {
  config { endpoint: "http://x" auth: token }
  transport shell { argv: ["systemctl", "--no-pager"] stdin: "" }

  operation Show { readonly idempotent
    input { unit: String where non_empty, also: List<String> }
    output { text: String from "stdout", ok: Bool from "exit_success" }
    transport shell { argv: ["systemctl", "show", "--", "{unit}", also],
      stdin: "{unit}" }
    exit { 0 => Output "all went well", 4 => Output
      nonzero => Output }
    mock_response { 0 => Output { text: "", ok: true } "as on a host" }
  }
  operation Get readonly hermetic (path: String, n: Int) -> Got
    response { 200 => Got, 4xx => Got }
    mock_response { 200 => Got {} }
  operation Put(path: String) -> { n: Int from "bytes_written" }
}
"#;

#[test]
fn a_service_is_laid_out() {
    laid_out(
        SERVICE,
        expect![[r#"
        module m

        // What systemd says of its units.
        service systemd.Control {
          config { endpoint: "http://x", auth: token }
          transport shell { argv: ["systemctl", "--no-pager"], stdin: "" }

          operation Show {
            readonly
            idempotent
            input { unit: String where non_empty, also: List<String> }
            output { text: String from "stdout", ok: Bool from "exit_success" }
            transport shell { argv: ["systemctl", "show", "--", "{unit}", also], stdin: "{unit}" }
            exit { 0 => Output "all went well", 4 => Output, nonzero => Output }
            mock_response { 0 => Output { text: "", ok: true } "as on a host" }
          }
          operation Get readonly hermetic (path: String, n: Int) -> Got
            response { 200 => Got, 4xx => Got }
            mock_response { 200 => Got {} }
          operation Put(path: String) -> { n: Int from "bytes_written" }
        }
    "#]],
    );
}

#[test]
fn a_resource_used_with_nothing_keeps_its_parentheses() {
    laid_out(
        "module m\nresource Lock {}\nfunc f() uses lock: Lock(), other: Lock { g() }\n",
        expect![[r#"
            module m

            resource Lock {}

            func f()
              uses lock: Lock(), other: Lock
            {
              g()
            }
        "#]],
    );
}

#[test]
fn resources_and_workflows_are_laid_out() {
    laid_out(
        r#"module m
resource Disk {
  mount: "/var", capability Read(path: String) -> String
  capability Write { input { path: String } output { ok: Bool } }
  capability Sync
}
func back_up(host: String, n: Int) -> Bool uses disk: Disk(Read: fs.Files.Read, Write: w), net: m.Net {
  node a: disk.Read(path: "/x")
  node b = f(a) -> String
  c [after a, b when n > 1] = f(b)
  d[when n > 2] = f(b)
  e = 1
  let f = 2
  true
}
pattern p() { }
interface i(x: Int) -> Int { x }
"#,
        expect![[r#"
            module m

            resource Disk {
              mount: "/var"
              capability Read(path: String) -> String
              capability Write {
                input { path: String }
                output { ok: Bool }
              }
              capability Sync
            }

            func back_up(host: String, n: Int) -> Bool
              uses disk: Disk(Read: fs.Files.Read, Write: w), net: m.Net
            {
              node a: disk.Read(path: "/x")
              node b = f(a) -> String
              c [after a, b when n > 1] = f(b)
              d [when n > 2] = f(b)
              e = 1
              let f = 2
              true
            }

            pattern p() {}

            interface i(x: Int) -> Int {
              x
            }
        "#]],
    );
}

#[test]
fn after_a_mistake_the_rest_of_a_service_is_read() {
    mistakes(
        r#"module m
service S {
  operation A {
    inputs { x: Int }
    readonly
    exit { => Int }
  }
  operation B(x Int)
  operation C(x: Int) -> Int
  transport pipe { argv: [] }
}
fn f() -> Int = 1xx
"#,
        expect![[r#"
            E0101 expected `input`, `output`, `transport`, `exit`, `response`, `mock_response`, `readonly`, `idempotent`, `hermetic` or `}`, found name `inputs` [did you mean `input`?]
            E0101 expected a status (`0`, `4xx` or `nonzero`) or `}`, found `=>`
            E0101 expected `:` and the field's type, found name `Int`
            E0101 expected `shell`, `file` or `rest`, found name `pipe`
            E0103 `1xx` is neither a number nor a name"#]],
    );
}

#[test]
fn what_has_no_meaning_is_refused() {
    mistakes(
        r#"module m
func f<T>(x: T) -> T { x }
resource R {
  acquire { lock }
  release { unlock }
}
test func t() -> Bool { true }
func g() { x [after ] = 1 }
func h() -> Int = 1
fn i(x: Int) -> Int { match x { 4xx => 1, _ => 2 } }
"#,
        expect![[r#"
            E0901 a workflow has no type parameters [name the types: what is asked of a host is known from them before it runs]
            E0901 nothing is known of when `acquire` would run, or of what its failure would mean [make it a capability, and call it in the workflow where it must happen]
            E0901 nothing is known of when `release` would run, or of what its failure would mean [make it a capability, and call it in the workflow where it must happen]
            E0101 expected the name of a node before this one, found `]`
            E0101 expected `{` and the workflow's body, found `=`
            E0103 `4xx` is neither a number nor a name"#]],
    );
}

/// A slip in each word that begins an item, a member or an entry is told, as an exact
/// replacement.
#[test]
fn a_slip_in_a_word_of_a_body_is_told() {
    let told = |text: &str, slip: &str, word: &str| {
        let (_, errors) = tree(&format!("module m\n{}\n", text.replace("~", slip)));
        let cure = format!("did you mean `{word}`?");
        let [error] = errors.as_slice() else {
            panic!("{errors:?}");
        };
        assert_eq!(error.cure.as_ref(), Some(&cure), "{error:?}");
        assert_eq!(error.fix.as_ref().unwrap().edits[0].text, word);
    };
    let operation = "service S {\n  operation O {\n    ~\n    input { a: Int }\n  }\n}";
    for (slip, word) in [
        ("readnly", "readonly"),
        ("idempotnet", "idempotent"),
        ("hermtic", "hermetic"),
        ("inptu { b: Int }", "input"),
        ("outputs { b: Int }", "output"),
        ("transprot shell { argv: [] }", "transport"),
        ("exits { 0 => A }", "exit"),
        ("responses { 0 => A }", "response"),
        ("mock_respnse { 0 => 1 }", "mock_response"),
        ("transport shel { argv: [] }", "shell"),
        ("transport flie { path: x }", "file"),
        ("transport rset { method: x }", "rest"),
    ] {
        told(operation, slip, word);
    }
    for (slip, word) in [
        ("confg { a: 1 }", "config"),
        ("transports shell { argv: [] }", "transport"),
        ("opertion O(a: Int)", "operation"),
    ] {
        told("service S {\n  ~\n}", slip, word);
    }
    for (slip, word) in [
        ("capabilty Read(a: Int)", "capability"),
        ("capability Read { inputs { a: Int } }", "input"),
        ("capability Read { ouput { a: Int } }", "output"),
    ] {
        told("resource R {\n  ~\n}", slip, word);
    }
    for (slip, word) in [
        ("tpye A { }", "type"),
        ("fucn f() { }", "func"),
        ("dat a: Int = 1", "data"),
        ("aliass A = b", "alias"),
        ("serivce S { }", "service"),
        ("resorce R { }", "resource"),
        ("patern p() { }", "pattern"),
        ("interfase i() { }", "interface"),
        ("tset fn f() -> Bool = true", "test"),
    ] {
        told("~", slip, word);
    }
    // What is no slip is not guessed at.
    mistakes(
        "module m\nservice S {\n  operation O {\n    promise\n  }\n}\nresource R {\n  fact 3\n}\n",
        expect![[r#"
            E0101 expected `input`, `output`, `transport`, `exit`, `response`, `mock_response`, `readonly`, `idempotent`, `hermetic` or `}`, found name `promise`
            E0101 expected `:` and the value, found integer `3`"#]],
    );
}

#[test]
fn words_of_services_are_names_elsewhere() {
    let text = r#"module m
type T { input: Int, output: Int, node: Int, after: Int, from: Int, exit: Int, uses: Int }
fn node(after: Int, when: Int, operation: Int) -> Int = after + when + operation
fn f(node: Int) -> Bool {
  let after = node
  node == after
}
"#;
    let (_, errors) = tree(text);
    assert_eq!(errors.len(), 0, "{errors:?}");
}
