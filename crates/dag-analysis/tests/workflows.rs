//! Workflows: who may call what, nodes, and resources.
#![allow(clippy::unwrap_used)] // helpers of tests

mod common;

use common::{refused, refused_files, sound, sound_files};
use expect_test::expect;

const SERVICE: &str = r#"module m
service S { operation Op(x: Int) -> { text: String from "stdout" } transport shell { argv: ["echo", "{x}"] } }
func work(x: Int) -> String { S.Op(x: x).text }
pattern piece(x: Int) -> String { work(x) }
interface door(x: Int) -> String { piece(x) }
"#;

fn with(more: &str) -> String {
    format!("{SERVICE}{more}\n")
}

#[test]
fn a_workflow_calls_operations_and_workflows() {
    sound(&with(
        r#"func f(x: Int, l: List<Int>) -> String {
  let a = S.Op(x: x)
  if x > 1 { return work(x) }
  match x { 0 => piece(1), n if n > 3 => S.Op(n).text, _ => x |> work() }
  let b = if a.text == "" { work(1) } else { a.text }
  "{work(2)} {b}"
}
func nothing() {}
func unit() { work(1) }"#,
    ));
}

#[test]
fn nothing_else_calls_one() {
    refused(
        &with("fn f() -> String = S.Op(x: 1).text"),
        expect![[r#"
            m.dag:6:20: error[E0906]: `S.Op` is an operation, and is called outside a workflow
              |
            6 | fn f() -> String = S.Op(x: 1).text
              |                    ^^^^
              |
              = note: a function and a `data` item give the same value whenever they are asked
              = help: make `f` a `func`, or take what it gives as a parameter"#]],
    );
    refused(
        &with("fn f() -> String { work(1) }"),
        expect![[r#"
            m.dag:6:20: error[E0906]: `work` is a workflow, and is called outside a workflow
              |
            6 | fn f() -> String { work(1) }
              |                    ^^^^
              |
              = note: a function and a `data` item give the same value whenever they are asked
              = help: make `f` a `func`, or take what it gives as a parameter"#]],
    );
    refused(
        &with("data d: String = piece(1)"),
        expect![[r#"
            m.dag:6:18: error[E0906]: `piece` is a pattern, and is called outside a workflow
              |
            6 | data d: String = piece(1)
              |                  ^^^^^
              |
              = note: a function and a `data` item give the same value whenever they are asked
              = help: make `d` a `func`, or take what it gives as a parameter"#]],
    );
    refused(
        &with("service T { operation A() transport shell { argv: [\"ls\", work(1)] } }"),
        expect![[r#"
            m.dag:6:58: error[E0906]: `work` is a workflow, and is called outside a workflow
              |
            6 | service T { operation A() transport shell { argv: ["ls", work(1)] } }
              |                                                          ^^^^
              |
              = note: a function and a `data` item give the same value whenever they are asked
              = help: work the value out in a workflow, and take it as an input"#]],
    );
    refused(
        &with("func f() -> List<String> { map([1], x => work(x)) }"),
        expect![[r#"
            m.dag:6:42: error[E0906]: `work` is a workflow, and is called in a lambda
              |
            6 | func f() -> List<String> { map([1], x => work(x)) }
              |                                          ^^^^
              |
              = note: a lambda may be kept, and called never, once, or later: nobody sees when
              = help: call it in a statement of the workflow, or in a `match` or an `if` of it"#]],
    );
    refused(
        &with("func f() -> String {\n  let g = fn(x) { S.Op(x: x).text }\n  g(1)\n}"),
        expect![[r#"
            m.dag:7:19: error[E0906]: `S.Op` is an operation, and is called in a lambda
              |
            7 |   let g = fn(x) { S.Op(x: x).text }
              |                   ^^^^
              |
              = note: a lambda may be kept, and called never, once, or later: nobody sees when
              = help: call it in a statement of the workflow, or in a `match` or an `if` of it"#]],
    );
}

#[test]
fn a_workflow_is_no_value() {
    refused(
        &with("func f() -> List<String> { map([1], work) }"),
        expect![[r#"
            m.dag:6:37: error[E0906]: `work` is a workflow, and is not called
              |
            6 | func f() -> List<String> { map([1], work) }
              |                                     ^^^^
              |
              = note: as a value it could be called where nobody sees when
              = help: call it: `work(…)`"#]],
    );
    refused(
        &with("func f() -> String {\n  let g = S.Op\n  \"\"\n}"),
        expect![[r#"
            m.dag:7:11: error[E0906]: `S.Op` is an operation, and is not called
              |
            7 |   let g = S.Op
              |           ^^^^
              |
              = note: as a value it could be called where nobody sees when
              = help: call it: `S.Op(…)`"#]],
    );
    refused(
        &with("data d: fn(Int) -> String = door"),
        expect![[r#"
            m.dag:6:29: error[E0906]: `door` is an interface, and is not called
              |
            6 | data d: fn(Int) -> String = door
              |                             ^^^^
              |
              = note: as a value it could be called where nobody sees when
              = help: call it: `door(…)`"#]],
    );
}

#[test]
fn an_interface_is_called_from_outside_alone() {
    refused(
        &with("func f() -> String { door(1) }"),
        expect![[r#"
            m.dag:6:22: error[E0906]: `door` is an interface, and is called by a workflow
              |
            6 | func f() -> String { door(1) }
              |                      ^^^^
              |
              = note: an interface is a door from outside: it is run, and a witness may call it
              = help: call the `func` behind it"#]],
    );
    refused(
        "module m\nresource R {}\ninterface i() uses r: R { }\n",
        expect![[r#"
            m.dag:3:15: error[E0901]: an interface uses nothing by itself
              |
            3 | interface i() uses r: R { }
              |               ^^^^^^^^^
              |
              = note: it is the door from outside: what is behind it, a `func` uses
              = help: move the row to the `func` that it calls"#]],
    );
}

#[test]
fn a_witness_calls_all() {
    let test = r#"module m_test
import m { S, door, piece, work }
test fn t() -> Bool { S.Op(x: 1).text == work(1) && piece(1) == door(1) }
"#;
    sound_files(&[("m.dag", SERVICE), ("m_test.dag", test)]);
    // A function of a test file is a function still, and so is `test data`.
    let test = r#"module m_test
import m { work }
fn helper() -> String = work(1)
test data d: Bool = work(1) == ""
test fn t() -> Bool { helper() == "" }
"#;
    refused_files(
        &[("m.dag", SERVICE), ("m_test.dag", test)],
        expect![[r#"
            m_test.dag:3:25: error[E0906]: `work` is a workflow, and is called outside a workflow
              |
            3 | fn helper() -> String = work(1)
              |                         ^^^^
              |
              = note: a function and a `data` item give the same value whenever they are asked
              = help: make `helper` a `func`, or take what it gives as a parameter
            m_test.dag:4:21: error[E0906]: `work` is a workflow, and is called outside a workflow
              |
            4 | test data d: Bool = work(1) == ""
              |                     ^^^^
              |
              = note: a function and a `data` item give the same value whenever they are asked
              = help: make `d` a `func`, or take what it gives as a parameter"#]],
    );
}

#[test]
fn calls_are_checked_as_any_call() {
    refused(
        &with(
            "func f() -> String { S.Op(y: 1, x: \"\").text }\nfunc g() -> Int { work(1, 2) }\nfunc h() -> Int { work(1) }",
        ),
        expect![[r#"
            m.dag:6:27: error[E0304]: `S.Op` has no parameter `y`
              |
            2 | service S { operation Op(x: Int) -> { text: String from "stdout" } transport shell { argv: ["echo", "{x}"] } }
              |                       -- declared here
            ...
            6 | func f() -> String { S.Op(y: 1, x: "").text }
              |                           ^
            m.dag:7:27: error[E0304]: `work` takes one argument, and this is one more
              |
            3 | func work(x: Int) -> String { S.Op(x: x).text }
              |      ---- declared here
            ...
            7 | func g() -> Int { work(1, 2) }
              |                           ^
            m.dag:8:19: error[E0301]: expected Int, found String
              |
            8 | func h() -> Int { work(1) }
              |             ---   ^^^^^^^
              |             |
              |             declared here"#]],
    );
}

#[test]
fn workflows_end() {
    sound(&with(
        "func f(n: Nat) -> String { if n == 0 { \"\" } else { f(n - 1 as Nat) } }",
    ));
    refused(
        &with("func f(n: Int) -> String { f(n) }"),
        expect![[r#"
            m.dag:6:28: error[E0501]: this call of `f` is not seen to descend
              |
            6 | func f(n: Int) -> String { f(n) }
              |                            ^^^^ no argument is sure to become smaller
              |
              = note: recursion goes to a part of a parameter (by a pattern, a field, or a list's elements in map and the like), or to `n - 1` of a `Nat`
              = help: walk a list with `fold`, or recurse on a part of an argument"#]],
    );
}

#[test]
fn nodes_follow_each_other() {
    sound(&with(
        r#"func f(c: Bool) -> String {
  node a: S.Op(x: 1)
  node b = a.text -> String
  d [after a, b] = work(1)
  e [after d when c] = S.Op(x: 2)
  match e { Present { value } => value.text, Absent => b }
}"#,
    ));
    refused(
        &with(
            r#"func f(c: Bool) -> String {
  let l = 1
  a [after b, l] = work(1)
  b [when 1] = work(2)
  node d = work(3) -> Int
  e [when c] = work(4)
  e
}
fn g() -> Int {
  n = 1
  n
}
func h() -> List<Int> {
  map([1], fn(x) {
    n = x
    n
  })
}"#,
        ),
        expect![[r#"
            m.dag:8:12: error[E0908]: there is no node `b` before this one
              |
            8 |   a [after b, l] = work(1)
              |            ^
              |
              = help: nodes run in the order of the text: move it above
            m.dag:8:15: error[E0908]: there is no node `l` before this one
              |
            8 |   a [after b, l] = work(1)
              |               ^
              |
              = note: `l` is a value, and comes after nothing
            m.dag:9:11: error[E0301]: expected Bool, found Int
              |
            9 |   b [when 1] = work(2)
              |           ^
            m.dag:10:12: error[E0301]: expected Int, found String
               |
            10 |   node d = work(3) -> Int
               |            ^^^^^^^    --- declared here
            m.dag:12:3: error[E0301]: expected String, found String?
               |
             6 | func f(c: Bool) -> String {
               |                    ------ declared here
            ...
            12 |   e
               |   ^
               |
               = help: the value may be absent: `match` it, or give a value with `?? …`
            m.dag:15:3: error[E0908]: a node stands in the statements of a workflow
               |
            15 |   n = 1
               |   ^
               |
               = help: write `let n = …`
            m.dag:20:5: error[E0908]: a node stands in the statements of a workflow
               |
            20 |     n = x
               |     ^
               |
               = help: write `let n = …`"#]],
    );
}

const RESOURCE: &str = r#"
resource Disk {
  mount: "/var"
  size: 3
  capability read(x: Int) -> String
  capability ask { input { x: Int } output { text: String } }
}
"#;

#[test]
fn a_resource_has_facts_and_capabilities() {
    sound(&with(&format!(
        r#"{RESOURCE}
func f() -> String uses disk: Disk(read: work, ask: S.Op), again: Disk(ask: m.S.Op, read: pure) {{
  let n: Int = disk.size
  disk.read(x: n) + again.ask(x: 1).text + disk.mount + Disk.mount
}}
fn pure(x: Int) -> String = "{{x}}""#
    )));
    let other = "module n\nimport m { Disk, S, work }\nfunc f() -> String uses d: Disk(read: work, ask: S.Op) { d.read(x: d.size) + Disk.mount }\n";
    sound_files(&[("m.dag", &with(RESOURCE)), ("n.dag", other)]);
}

#[test]
fn each_capability_is_carried_out() {
    let body = |uses: &str, body: &str| {
        with(&format!(
            "{RESOURCE}\nfn no(y: Int) -> String = \"\"\nfn int(x: Int) -> Int = x\nfunc f(p: Int) -> String uses {uses} {{\n  {body}\n}}"
        ))
    };
    refused(
        &body("d: Disk(read: work)", "d.ask(x: 1).text"),
        expect![[r#"
            m.dag:16:31: error[E0909]: nothing carries out `ask`
               |
            16 | func f(p: Int) -> String uses d: Disk(read: work) {
               |                               ^^^^^^^^^^^^^^^^^^^
               |
               = help: give each capability an operation or a workflow: `capability: Service.Operation`"#]],
    );
    refused(
        &body("d: Disk(read: no, ask: int, write: work)", "\"\""),
        expect![[r#"
            m.dag:16:45: error[E0909]: `no` does not carry out `read`: its input is not `x: Int`
               |
            10 |   capability read(x: Int) -> String
               |              ---- the capability
            ...
            16 | func f(p: Int) -> String uses d: Disk(read: no, ask: int, write: work) {
               |                                             ^^
            m.dag:16:54: error[E0909]: `int` does not carry out `ask`: what it gives has no field `text: String`
               |
            11 |   capability ask { input { x: Int } output { text: String } }
               |              --- the capability
            ...
            16 | func f(p: Int) -> String uses d: Disk(read: no, ask: int, write: work) {
               |                                                      ^^^
            m.dag:16:59: error[E0909]: the resource has no capability `write`
               |
            16 | func f(p: Int) -> String uses d: Disk(read: no, ask: int, write: work) {
               |                                                           ^^^^^"#]],
    );
    refused(
        &body("d: Disk(read: int, read: work, ask: work, S.Op)", "\"\""),
        expect![[r#"
            m.dag:16:45: error[E0909]: `int` does not carry out `read`: it gives Int, not String
               |
            10 |   capability read(x: Int) -> String
               |              ---- the capability
            ...
            16 | func f(p: Int) -> String uses d: Disk(read: int, read: work, ask: work, S.Op) {
               |                                             ^^^
            m.dag:16:50: error[E0909]: `read` is given twice
               |
            16 | func f(p: Int) -> String uses d: Disk(read: int, read: work, ask: work, S.Op) {
               |                                                  ^^^^
            m.dag:16:67: error[E0909]: `work` does not carry out `ask`: what it gives has no field `text: String`
               |
            11 |   capability ask { input { x: Int } output { text: String } }
               |              --- the capability
            ...
            16 | func f(p: Int) -> String uses d: Disk(read: int, read: work, ask: work, S.Op) {
               |                                                                   ^^^^
            m.dag:16:73: error[E0909]: a capability is given by its name
               |
            16 | func f(p: Int) -> String uses d: Disk(read: int, read: work, ask: work, S.Op) {
               |                                                                         ^^^^
               |
               = help: write `capability: Service.Operation`"#]],
    );
    refused(
        &body("d: Disk(read: 1, ask: nothing)", "\"\""),
        expect![[r#"
            m.dag:16:45: error[E0909]: this names no operation, workflow or function
               |
            10 |   capability read(x: Int) -> String
               |              ---- the capability
            ...
            16 | func f(p: Int) -> String uses d: Disk(read: 1, ask: nothing) {
               |                                             ^
            m.dag:16:53: error[E0909]: this names no operation, workflow or function
               |
            11 |   capability ask { input { x: Int } output { text: String } }
               |              --- the capability
            ...
            16 | func f(p: Int) -> String uses d: Disk(read: 1, ask: nothing) {
               |                                                     ^^^^^^^"#]],
    );
    refused(
        &body("p: Disk(read: work, ask: S.Op), q: Int, r: Nope", "\"\""),
        expect![[r#"
            m.dag:16:31: error[E0205]: the name `p` is taken in this workflow
               |
            16 | func f(p: Int) -> String uses p: Disk(read: work, ask: S.Op), q: Int, r: Nope {
               |                               ^
            m.dag:16:66: error[E0909]: Int is no resource, so nothing of it is used
               |
            16 | func f(p: Int) -> String uses p: Disk(read: work, ask: S.Op), q: Int, r: Nope {
               |                                                                  ^^^
            m.dag:16:74: error[E0207]: there is no type `Nope` here
               |
            16 | func f(p: Int) -> String uses p: Disk(read: work, ask: S.Op), q: Int, r: Nope {
               |                                                                          ^^^^"#]],
    );
    refused(
        &body(
            "d: Disk(read: work, ask: S.Op)",
            "let x = d\n  d.mont + d.write(1)",
        ),
        expect![[r#"
            m.dag:17:11: error[E0909]: `d` stands for a resource, which is no value
               |
            16 | func f(p: Int) -> String uses d: Disk(read: work, ask: S.Op) {
               |                               - used here
            17 |   let x = d
               |           ^
               |
               = help: call a capability of it, `d.capability(…)`, or read a fact
            m.dag:18:3: error[E0206]: there is no `d.mont` here
               |
            18 |   d.mont + d.write(1)
               |   ^^^^^^
            m.dag:18:12: error[E0206]: there is no `d.write` here
               |
            18 |   d.mont + d.write(1)
               |            ^^^^^^^"#]],
    );
    sound(&body(
        "d: Disk(read: work, ask: S.Op)",
        "let d = Pair { first: 1, second: \"\" }\n  d.second",
    ));
    refused(
        "module m\nresource Disk { a: 1 + 1, b: 2, b: 3 }\n",
        expect![[r#"
            m.dag:2:20: error[E0909]: the fact `a` is no literal
              |
            2 | resource Disk { a: 1 + 1, b: 2, b: 3 }
              |                    ^^^^^
              |
              = help: write a text, a number, `true` or `false`; what is worked out is a `data` item
            m.dag:2:33: error[E0205]: `b` is declared twice in the resource
              |
            2 | resource Disk { a: 1 + 1, b: 2, b: 3 }
              |                                 ^"#]],
    );
    refused(
        "module m\ntype Disk { x: Int }\nresource Disk { a: 1 }\n",
        expect![[r#"
            m.dag:3:10: error[E0205]: the name `Disk` is declared twice
              |
            2 | type Disk { x: Int }
              |      ---- the first one
            3 | resource Disk { a: 1 }
              |          ^^^^"#]],
    );
}
