//! Operations: what is asked, in which order, and what a reply becomes. The one
//! who answers is a script that keeps what it was asked.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

use dag_eval::{
    Answer, Ask, Evaluator, Operations, Reply, Request, Verdict, display, run_witnesses,
};
use dag_syntax::{Sources, Style, render_text};
use expect_test::{Expect, expect};
use std::sync::{Arc, Mutex};

/// Answers in turn, and keeps the requests.
struct Script {
    answers: Mutex<Vec<Answer>>,
    asked: Mutex<Vec<Request>>,
}

impl Operations for Script {
    fn perform(&self, request: &Request) -> Answer {
        self.asked.lock().unwrap().push(request.clone());
        self.answers.lock().unwrap().remove(0)
    }
}

fn script(answers: Vec<Answer>) -> Arc<Script> {
    Arc::new(Script {
        answers: Mutex::new(answers),
        asked: Mutex::default(),
    })
}

fn checked(text: &str) -> (Evaluator, Sources) {
    let (program, sources) = dag_given::sound(&[("m_test.dag", text)]);
    (Evaluator::new(program), sources)
}

fn value(evaluator: &Evaluator, sources: &Sources, name: &str) -> String {
    let decl = evaluator.program().decl_named("m", name).unwrap();
    match evaluator.call(decl, Vec::new()) {
        Ok(outcome) => display(evaluator.program(), &outcome.value),
        Err(refusal) => render_text(&refusal.to_diagnostic(), sources, Style::Plain),
    }
}

/// What `f` gives without anybody who answers: by its mocks.
fn hermetic(text: &str) -> String {
    let (evaluator, sources) = checked(text);
    value(&evaluator, &sources, "f")
}

/// What `f` gives with these answers, and what it asked.
fn answered(text: &str, answers: Vec<Answer>) -> (String, Vec<Ask>) {
    let (evaluator, sources) = checked(text);
    let script = script(answers);
    let evaluator = evaluator.with_operations(script.clone());
    let shown = value(&evaluator, &sources, "f");
    let asked = script.asked.lock().unwrap();
    (shown, asked.iter().map(|r| r.ask.clone()).collect())
}

fn gives(text: &str, reply: Reply, expected: Expect) {
    expected.assert_eq(&answered(text, vec![Answer::Reply(reply)]).0);
}

fn exit(status: u8, stdout: &[u8], stderr: &str) -> Reply {
    Reply::Exit {
        status,
        stdout: stdout.to_vec(),
        stderr: stderr.into(),
    }
}

const SHELL: &str = r#"module m
type Found =
  | Some { text: String from "stdout" }
  | Nothing
service S {
  operation Show {
    input { unit: String, also: List<String> }
    output { text: String from "stdout", lines: List<String> from "stdout_lines", err: String from "stderr" }
    transport shell { argv: ["/bin/show", "--", "x-{unit}", also, unit], stdin: "in {unit}" }
    mock_response { 0 => Output { text: unit, lines: also, err: "" } }
  }
  operation Status() -> { code: Int from "exit_code", ok: Bool from "exit_success" } 
  operation Find {
    input { what: String }
    transport shell { argv: ["/bin/find", what] }
    exit { 0 => Some, 1 => Nothing }
    mock_response {
      1 => if what == "none" { Present { value: Nothing } } else { none }
      0 => if what == "a" { Present { value: Some { text: "A" } } } else { none }
      1 => if what == "wrong" { Present { value: Some { text: "" } } } else { none }
    }
  }
  transport shell { argv: ["/bin/status"] }
}
"#;

fn shell(body: &str) -> String {
    format!("{SHELL}func f() -> String {{ {body} }}\n")
}

#[test]
fn mocks_answer_a_hermetic_run() {
    let show = hermetic(&shell(
        "to_string(S.Show(unit: \"u\", also: [\"a\", \"b\"]))",
    ));
    expect![[r#"S.Show { text: "u", lines: ["a", "b"], err: "" }"#]].assert_eq(&show);
    let find = |what: &str| hermetic(&shell(&format!("to_string(S.Find(\"{what}\"))")));
    assert_eq!(find("none"), "Nothing");
    assert_eq!(find("a"), "Some { text: \"A\" }");
    expect![[r#"
        m_test.dag:13:13: error[E0821]: the mock of `S.Find` gives `Some` for the status 1, whose row gives another
           |
        13 |   operation Find {
           |             ^^^^
        ...
        25 | func f() -> String { to_string(S.Find("wrong")) }
           |                                --------------- in `S.Find`, called here"#]]
    .assert_eq(&find("wrong"));
    expect![[r#"
        m_test.dag:13:13: error[E0820]: no row of the mock of `S.Find` answers these inputs
           |
        13 |   operation Find {
           |             ^^^^
        ...
        25 | func f() -> String { to_string(S.Find("else")) }
           |                                -------------- in `S.Find`, called here"#]]
    .assert_eq(&find("else"));
    expect![[r#"
        m_test.dag:12:13: error[E0820]: `S.Status` has no `mock_response`, and a hermetic run asks nothing of the host
           |
        12 |   operation Status() -> { code: Int from "exit_code", ok: Bool from "exit_success" } 
           |             ^^^^^^
        ...
        25 | func f() -> String { to_string(S.Status()) }
           |                                ---------- in `S.Status`, called here
           |
           = help: give it a `mock_response`; `hayward run` takes a recording too, `--replay FILE`, or asks the host, `--mode wet`"#]]
    .assert_eq(&hermetic(&shell("to_string(S.Status())")));
}

#[test]
fn an_operation_with_a_warning_stands() {
    // An unknown escape is kept, and warned of.
    let text = "module m\nservice S {\n  operation Show() -> { text: String from \"stdout\" }\n    mock_response { 0 => Output { text: \"\\d\" } }\n  transport shell { argv: [\"/bin/show\", \"\\a\"] }\n}\nfunc f() -> String { S.Show().text }\n";
    assert_eq!(hermetic(text), "\\d");
}

#[test]
fn requests_are_words() {
    let (shown, asked) = answered(
        &shell("S.Show(unit: \"; rm -rf / $(x) `y` \\n'\\\"\", also: [\"\", \"-a\"]).text"),
        vec![Answer::Reply(exit(0, b" out \n\n", ""))],
    );
    assert_eq!(shown, " out");
    let [Ask::Run { argv, stdin }] = asked.as_slice() else {
        panic!("{asked:?}");
    };
    let unit = "; rm -rf / $(x) `y` \n'\"";
    let first = format!("x-{unit}");
    assert_eq!(argv, &["/bin/show", "--", first.as_str(), "", "-a", unit]);
    assert_eq!(stdin, &dag_eval::Stdin::Text(format!("in {unit}")));
    // No argument of a process can hold a NUL: refused by a mock too.
    expect![[r#"
        m_test.dag:6:13: error[E0903]: a word of the argv of `S.Show` has a NUL, which ends a word
           |
         6 |   operation Show {
           |             ^^^^
        ...
        25 | func f() -> String { S.Show(unit: "a\x00b", also: []).text }
           |                      -------------------------------- in `S.Show`, called here"#]]
    .assert_eq(&hermetic(&shell(
        "S.Show(unit: \"a\\x00b\", also: []).text",
    )));
}

#[test]
fn replies_become_typed_values() {
    let show = shell("to_string(S.Show(unit: \"u\", also: []))");
    gives(
        &show,
        exit(0, b"a b\n\nc\n", "warned\n"),
        expect![[r#"S.Show { text: "a b\n\nc", lines: ["a b", "", "c"], err: "warned" }"#]],
    );
    gives(
        &show,
        exit(3, b"", "no such unit\n"),
        expect![[r#"
            m_test.dag:6:13: error[E0821]: `S.Show` ended with status 3, and no row takes it: it said "no such unit"
               |
             6 |   operation Show {
               |             ^^^^
            ...
            25 | func f() -> String { to_string(S.Show(unit: "u", also: [])) }
               |                                --------------------------- in `S.Show`, called here"#]],
    );
    gives(
        &show,
        exit(0, b"a\xff", ""),
        expect![[r#"
            m_test.dag:6:13: error[E0821]: standard output of `S.Show` is not UTF-8 (byte 1)
               |
             6 |   operation Show {
               |             ^^^^
            ...
            25 | func f() -> String { to_string(S.Show(unit: "u", also: [])) }
               |                                --------------------------- in `S.Show`, called here"#]],
    );
    gives(
        &show,
        Reply::Content(Ok(Vec::new())),
        expect![[r#"
            m_test.dag:6:13: error[E0821]: `S.Show` was given a reply to another kind of operation
               |
             6 |   operation Show {
               |             ^^^^
            ...
            25 | func f() -> String { to_string(S.Show(unit: "u", also: [])) }
               |                                --------------------------- in `S.Show`, called here"#]],
    );
    let status = shell("to_string(S.Status())");
    gives(
        &status,
        exit(7, b"\xff", "\u{1}"),
        expect!["S.Status { code: 7, ok: false }"],
    );
    let find = shell("to_string(S.Find(\"x\"))");
    gives(
        &find,
        exit(0, b"found\n", ""),
        expect![[r#"Some { text: "found" }"#]],
    );
    gives(&find, exit(1, b"\xff", ""), expect!["Nothing"]);
    gives(
        &find,
        exit(2, b"", ""),
        expect![[r#"
            m_test.dag:13:13: error[E0821]: `S.Find` ended with status 2, and no row takes it
               |
            13 |   operation Find {
               |             ^^^^
            ...
            25 | func f() -> String { to_string(S.Find("x")) }
               |                                ----------- in `S.Find`, called here"#]],
    );
    let (refused, _) = answered(&find, vec![Answer::Refused("nobody is there".into())]);
    expect![[r#"
        m_test.dag:13:13: error[E0820]: `S.Find`: nobody is there
           |
        13 |   operation Find {
           |             ^^^^
        ...
        25 | func f() -> String { to_string(S.Find("x")) }
           |                                ----------- in `S.Find`, called here"#]]
    .assert_eq(&refused);
}

#[test]
fn refined_outputs_hold_or_are_refused() {
    let text = r#"module m
type Name = String where pattern("[a-z]+")
service S {
  operation Op() -> { name: Name from "stdout", all: List<Name> from "stdout_lines" }
  transport shell { argv: ["/bin/op"] }
}
func f() -> String { to_string(S.Op().all) }
"#;
    gives(text, exit(0, b"abc\n", ""), expect!["[\"abc\"]"]);
    gives(
        text,
        exit(0, b"Abc\n", ""),
        expect![[r#"
            m_test.dag:4:13: error[E0803]: "Abc" is not a m.Name: it must match the pattern "[a-z]+" whole
              |
            4 |   operation Op() -> { name: Name from "stdout", all: List<Name> from "stdout_lines" }
              |             ^^
            ...
            7 | func f() -> String { to_string(S.Op().all) }
              |                                ------ in `S.Op`, called here"#]],
    );
    gives(
        text,
        exit(0, b"abc\n\n", ""),
        expect![[r#"
            m_test.dag:4:13: error[E0803]: "" is not a m.Name: it must match the pattern "[a-z]+" whole
              |
            4 |   operation Op() -> { name: Name from "stdout", all: List<Name> from "stdout_lines" }
              |             ^^
            ...
            7 | func f() -> String { to_string(S.Op().all) }
              |                                ------ in `S.Op`, called here"#]],
    );
}

#[test]
fn files_are_asked_for() {
    let text = r#"module m
service F {
  operation Try { input { path: String } output { content: String?, read_success: Bool, why: String? from "error" } transport file { path: path } }
  operation Write(path: String, content: String) -> { n: Int from "bytes_written" }
  operation List { output { entries: List<String> } transport file { path: "/d" verb: "list" } }
  transport file { path: path verb: "write" }
}
func f() -> String {
  let a = F.Try(path: "/a")
  let b = F.Try(path: "/b")
  "{F.Write(path: "/w", content: "text").n} {F.List().entries} {a} {b}"
}
"#;
    let (shown, asked) = answered(
        text,
        vec![
            Answer::Reply(Reply::Content(Ok(b"a\n".to_vec()))),
            Answer::Reply(Reply::Content(Err("gone".into()))),
            Answer::Reply(Reply::Written(Ok(4))),
            Answer::Reply(Reply::Entries(Ok(vec!["x".into(), "y".into()]))),
        ],
    );
    expect![[r#"4 ["x", "y"] F.Try { content: Present { value: "a\n" }, read_success: true, why: Absent } F.Try { content: Absent, read_success: false, why: Present { value: "gone" } }"#]].assert_eq(&shown);
    expect![[r#"[File { verb: Read, path: "/a", content: "" }, File { verb: Read, path: "/b", content: "" }, File { verb: Write, path: "/w", content: "text" }, File { verb: List, path: "/d", content: "" }]"#]].assert_eq(&format!("{asked:?}"));
    let text = r#"module m
service F {
  operation Read { input { path: String } output { content: String } transport file { path: path } mock_response { 0 => Output { content: "" } } }
}
func f() -> String { F.Read(path: "PATH").content }
"#;
    gives(
        &text.replace("PATH", "/x"),
        Reply::Content(Err("/x: no such file".into())),
        expect![[r#"
            m_test.dag:3:13: error[E0821]: `F.Read`: /x: no such file
              |
            3 |   operation Read { input { path: String } output { content: String } transport file { path: path } mock_response { 0 => Output { cont...
              |             ^^^^
            4 | }
            5 | func f() -> String { F.Read(path: "/x").content }
              |                      ------------------ in `F.Read`, called here"#]],
    );
    expect![[r#"
        m_test.dag:3:13: error[E0820]: the path "x/y" of `F.Read` is not absolute, or has a NUL
          |
        3 |   operation Read { input { path: String } output { content: String } transport file { path: path } mock_response { 0 => Output { cont...
          |             ^^^^
        4 | }
        5 | func f() -> String { F.Read(path: "x/y").content }
          |                      ------------------- in `F.Read`, called here"#]].assert_eq(&hermetic(&text.replace("PATH", "x/y")));
}

#[test]
fn answers_over_http_are_read_by_pointers() {
    let text = r#"module m
type Got = | Page { title: String from "/head/title", n: Int?, w: Float, l: List<String> } | Gone
service Web {
  operation Get { input { path: String } transport rest { base_url: "https://x", method: "GET", path: path, tls: true, query: { a: path } } response { 2xx => Page, 404 => Gone } }
}
func f() -> String { to_string(Web.Get("/p")) }
"#;
    let http = |status, body: &str| Reply::Http {
        status,
        headers: Vec::new(),
        body: body.into(),
    };
    let (shown, asked) = answered(
        text,
        vec![Answer::Reply(http(
            204,
            r#"{"head":{"title":"t"},"w":1.5,"l":["a"]}"#,
        ))],
    );
    expect![[r#"Page { title: "t", n: Absent, w: 1.5, l: ["a"] }"#]].assert_eq(&shown);
    expect![[r#"[Http(Http { method: Get, origin: Origin { tls: true, authority: "x", path: "" }, target: "/p?a=%2Fp", headers: [("Accept", [Plain("application/json")])], basic: None, body: None, read_headers: [] })]"#]].assert_eq(&format!("{asked:?}"));
    gives(text, http(404, "{"), expect!["Gone"]);
    gives(
        text,
        http(500, ""),
        expect![[r#"
            m_test.dag:4:13: error[E0821]: `Web.Get` (GET https://x) ended with status 500, and no row takes it
              |
            4 |   operation Get { input { path: String } transport rest { base_url: "https://x", method: "GET", path: path, tls: true, query: { a: pa...
              |             ^^^
            5 | }
            6 | func f() -> String { to_string(Web.Get("/p")) }
              |                                ------------- in `Web.Get`, called here"#]],
    );
    // What is no answer over HTTP has no status.
    gives(
        text,
        exit(0, b"", ""),
        expect![[r#"
        m_test.dag:4:13: error[E0821]: `Web.Get` (GET https://x) was given a reply to another kind of operation
          |
        4 |   operation Get { input { path: String } transport rest { base_url: "https://x", method: "GET", path: path, tls: true, query: { a: pa...
          |             ^^^
        5 | }
        6 | func f() -> String { to_string(Web.Get("/p")) }
          |                                ------------- in `Web.Get`, called here"#]],
    );
    gives(
        text,
        http(200, "{"),
        expect![[r#"
            m_test.dag:4:13: error[E0821]: the answer of `Web.Get` is not JSON
              |
            4 |   operation Get { input { path: String } transport rest { base_url: "https://x", method: "GET", path: path, tls: true, query: { a: pa...
              |             ^^^
            5 | }
            6 | func f() -> String { to_string(Web.Get("/p")) }
              |                                ------------- in `Web.Get`, called here
              |
              = help: for a text, write `response_format: "text"` and read it `from "http_body"`"#]],
    );
    gives(
        text,
        http(200, r#"{"w":1.5,"l":[]}"#),
        expect![[r#"
            m_test.dag:4:13: error[E0821]: `Web.Get` gave nothing for a field that is not optional
              |
            4 |   operation Get { input { path: String } transport rest { base_url: "https://x", method: "GET", path: path, tls: true, query: { a: pa...
              |             ^^^
            5 | }
            6 | func f() -> String { to_string(Web.Get("/p")) }
              |                                ------------- in `Web.Get`, called here"#]],
    );
    gives(
        text,
        http(200, r#"{"head":{"title":"t"},"n":"1","w":1.5,"l":[]}"#),
        expect![[r#"
            m_test.dag:4:13: error[E0821]: what `Web.Get` answers at `/n` is no Int
              |
            4 |   operation Get { input { path: String } transport rest { base_url: "https://x", method: "GET", path: path, tls: true, query: { a: pa...
              |             ^^^
            5 | }
            6 | func f() -> String { to_string(Web.Get("/p")) }
              |                                ------------- in `Web.Get`, called here"#]],
    );
}

#[test]
fn a_secret_is_a_name() {
    let text = r#"module m
service S {
  operation Login(token: Secret) -> { text: String from "stdout" }
  transport shell { argv: ["/bin/login"], stdin: token }
}
func f() -> String { S.Login(token: Secret { name: "github" }).text }
"#;
    let (_, asked) = answered(text, vec![Answer::Reply(exit(0, b"", ""))]);
    expect![[r#"[Run { argv: ["/bin/login"], stdin: Secret("github") }]"#]]
        .assert_eq(&format!("{asked:?}"));
}

#[test]
fn a_workflow_runs_in_the_order_of_its_text() {
    let text = r#"module m
service S {
  operation Op(x: Int) -> { text: String from "stdout" }
  transport shell { argv: ["/bin/op", "{x}"] }
}
pattern twice(x: Int) -> String { S.Op(x).text + S.Op(x: x + 1).text }
func f() -> String {
  node a: S.Op(1)
  b [after a when a.text == "no"] = S.Op(2)
  c [when true] = S.Op(3)
  let unused = S.Op(4)
  if c == none { S.Op(5) } else { S.Op(6) }
  match b { Absent => twice(7), Present { value } => value.text }
}
"#;
    let answers = (0..6)
        .map(|n| Answer::Reply(exit(0, n.to_string().as_bytes(), "")))
        .collect();
    let (shown, asked) = answered(text, answers);
    assert_eq!(shown, "45");
    let words: Vec<&str> = asked
        .iter()
        .map(|ask| match ask {
            Ask::Run { argv, .. } => argv[1].as_str(),
            _ => "?",
        })
        .collect();
    assert_eq!(words, ["1", "3", "4", "6", "7", "8"]);
}

#[test]
fn a_refusal_shows_the_way_to_it() {
    let text = r#"module m
service S {
  operation Op() transport shell { argv: ["/bin/op"] }
}
func g() { S.Op() }
func f() { g() }
"#;
    expect![[r#"
        m_test.dag:3:13: error[E0820]: `S.Op` has no `mock_response`, and a hermetic run asks nothing of the host
          |
        3 |   operation Op() transport shell { argv: ["/bin/op"] }
          |             ^^
        4 | }
        5 | func g() { S.Op() }
          |            ------ in `S.Op`, called here
        6 | func f() { g() }
          |            --- in `g`, called here
          |
          = help: give it a `mock_response`; `hayward run` takes a recording too, `--replay FILE`, or asks the host, `--mode wet`"#]]
    .assert_eq(&hermetic(text));
}

#[test]
fn a_witness_asks_mocks_under_every_mode() {
    let text = format!(
        "{SHELL}func work() -> String {{ S.Show(unit: \"u\", also: []).text }}\ntest fn holds() -> Bool {{ work() == \"u\" }}\ntest fn fails() -> Bool {{ work() == \"v\" }}\n"
    );
    let (evaluator, _) = checked(&text);
    let nobody = script(Vec::new());
    let evaluator = evaluator.with_operations(nobody.clone());
    let report = run_witnesses(&evaluator, |_, _| true, 2);
    assert!(matches!(
        report.witnesses[0].verdict,
        Verdict::Passed { .. }
    ));
    let Verdict::Failed { sides, .. } = &report.witnesses[1].verdict else {
        panic!("{:?}", report.witnesses[1].verdict);
    };
    assert_eq!(sides.as_ref().unwrap().left, "u");
    assert!(nobody.asked.lock().unwrap().is_empty());
}

/// What a request becomes: `GET url` and its headers, or the refusal.
fn asked_over_http(entries: &str, call: &str) -> String {
    let text = format!(
        "module m\nservice W {{\n  operation Op {{\n    input {{ a: String, n: Int, l: List<String>, o: String?, token: Secret }}\n    output {{ s: Int from \"http_status\", e: String? from \"http_header:ETag\" }}\n    transport rest {{ {entries} }}\n  }}\n}}\nfunc f() -> String {{ to_string(W.Op({call}, token: Secret {{ name: \"key\" }})) }}\n"
    );
    let reply = Reply::Http {
        status: 204,
        headers: vec![("etag".into(), "x".into())],
        body: Vec::new(),
    };
    let (shown, asked) = answered(&text, vec![Answer::Reply(reply)]);
    match asked.first() {
        Some(Ask::Http(http)) => format!(
            "{} {}\n{:?} {:?} {:?} {:?}\n{shown}",
            http.method.as_str(),
            http.url(),
            http.headers,
            http.basic,
            http.body,
            http.read_headers
        ),
        _ => shown.lines().next().unwrap().to_owned(),
    }
}

#[test]
fn each_value_is_encoded_for_its_place() {
    let plain = r#"base_url: "https://x/api/" method: "GET""#;
    let asked = |entries: &str, call: &str| asked_over_http(&format!("{plain} {entries}"), call);
    let call = r#"a: "ä/../?a=b&c#d%2e e", n: 3, l: ["1&2", ""], o: none"#;
    expect![[r#"
        GET https://x/api/r:v/%C3%A4%2F..%2F%3Fa%3Db%26c%23d%252e%20e/%C3%A9/3?a%20b=%C3%A4%2F..%2F%3Fa%3Db%26c%23d%252e%20e&l=1%262&l=
        [("Accept", [Plain("application/json")])] None None ["etag"]
        W.Op { s: 204, e: Present { value: "x" } }"#]].assert_eq(&asked(
        r#"path: "/r:v/{a}/é/{n}" query: { "a b": a, l: l, o: o }"#,
        call,
    ));
    expect![[r#"
        GET https://x/api/x/%C3%A4%3F/
        [("Accept", [Plain("application/json")])] None None ["etag"]
        W.Op { s: 204, e: Present { value: "x" } }"#]]
    .assert_eq(&asked("path: a", r#"a: "/x/ä?/", n: 1, l: [], o: none"#));
    expect![[r#"
        GET https://x/api?o=y
        [("Accept", [Plain("application/json")])] None None ["etag"]
        W.Op { s: 204, e: Present { value: "x" } }"#]]
    .assert_eq(&asked(
        r#"query: { o: o }"#,
        r#"a: "", n: 1, l: [], o: Present { value: "y" }"#,
    ));
    expect![[r#"
        GET https://x/api
        [("X-A", [Plain("v "), Plain("3"), Plain(" "), Secret("key")]), ("Authorization", [Secret("key")])] None None ["etag"]
        W.Op { s: 204, e: Present { value: "x" } }"#]].assert_eq(&asked(
        r#"headers: { "X-A": "v {n} {token}", Authorization: token } response_format: "text""#,
        call,
    ));
    expect![[r#"
        POST https://[::1]:8/
        [("Content-Type", [Plain("text/plain")]), ("Accept", [Plain("application/json")])] Some(("u", "key")) Some("b3") ["etag"]
        W.Op { s: 204, e: Present { value: "x" } }"#]].assert_eq(&asked_over_http(
        r#"base_url: a method: "POST" headers: { "Content-Type": "text/plain" } body: "b{n}" auth_basic: { user: "u", password: token }"#,
        r#"a: "https://[::1]:8/", n: 3, l: [], o: none"#,
    ));
}

#[test]
fn a_value_that_fits_nowhere_is_refused_without_a_request() {
    let base = r#"base_url: "https://x" method: "GET""#;
    let asked = |entries: &str, a: &str| {
        asked_over_http(
            &format!("{base} {entries}"),
            &format!(r#"a: "{a}", n: 3, l: [], o: none"#),
        )
    };
    expect!["m_test.dag:3:13: error[E0820]: GET of `W.Op`: its path does not begin with `/`"]
        .assert_eq(&asked("path: a", "x"));
    expect!["m_test.dag:3:13: error[E0820]: GET of `W.Op`: its path has a segment `.` or `..`"]
        .assert_eq(&asked("path: a", "/x/../y"));
    expect!["m_test.dag:3:13: error[E0820]: GET of `W.Op`: a value makes a segment `.` or `..` of its path"]
        .assert_eq(&asked(r#"path: "/x/{a}""#, ".."));
    expect!["m_test.dag:3:13: error[E0820]: GET of `W.Op`: a value makes a segment `.` or `..` of its path"]
        .assert_eq(&asked(r#"path: "/x/.{a}""#, "."));
    expect![
        "m_test.dag:3:13: error[E0820]: GET of `W.Op`: a hole of its path is given an empty text"
    ]
    .assert_eq(&asked(r#"path: "/x/{a}""#, ""));
    expect!["m_test.dag:3:13: error[E0820]: GET of `W.Op`: the header `X-A` is given a text with a line end, a control character or a letter outside ASCII (RFC 9110, 5.5)"].assert_eq(&asked(r#"headers: { "X-A": a }"#, r"x\x0D\nX-B: y"));
    expect!["m_test.dag:3:13: error[E0820]: GET of `W.Op`: the header `X-A` is given a text with a line end, a control character or a letter outside ASCII (RFC 9110, 5.5)"].assert_eq(&asked(r#"headers: { "X-A": a }"#, r"x\n"));
    expect!["m_test.dag:3:13: error[E0820]: GET of `W.Op`: the header `X-A` is given a text with a line end, a control character or a letter outside ASCII (RFC 9110, 5.5)"].assert_eq(&asked(r#"headers: { "X-A": "{a}" }"#, "é"));
    expect!["m_test.dag:3:13: error[E0820]: GET of `W.Op`: the user of `auth_basic` has a `:` or a control character (RFC 7617)"].assert_eq(&asked(r#"auth_basic: { user: a, password: token }"#, "u:v"));
    let to = |entries: &str, a: &str| {
        asked_over_http(
            &format!("method: \"GET\" {entries}"),
            &format!(r#"a: "{a}", n: 3, l: [], o: none"#),
        )
    };
    expect![
        "m_test.dag:3:13: error[E0820]: GET of `W.Op`: its `base_url` is `http://…`, and no `tls: false` says so"
    ]
    .assert_eq(&to("base_url: a", "http://x"));
    expect![
        "m_test.dag:3:13: error[E0820]: GET of `W.Op`: its `base_url` is `https://…`, and `tls: false` is written"
    ]
    .assert_eq(&to("base_url: a tls: false", "https://x"));
    expect!["m_test.dag:3:13: error[E0820]: GET of `W.Op`: its `base_url` is no place where a request goes: its host is labels of ASCII letters, digits and `-`, with a `.` between them"].assert_eq(&to("base_url: a", "https://x@y"));
}
