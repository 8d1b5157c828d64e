//! Requests over HTTP that are sent, to a server on loopback that answers well and
//! in every way that it should not.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

mod server;

use dag_eval::{Evaluator, Operations, display};
use expect_test::{Expect, expect};
use hayward_operations::{Limits, Recorder, Replay, Secrets, Wet};
use server::Server;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

const MODEL: &str = r#"module m
type Answer =
  | Page { title: String from "/head/title", count: Int? from "/n", tag: String? from "http_header:ETag" }
  | Missing { status: Int from "http_status" }
  | Moved { to: String? from "http_header:Location" }

service Web {
  operation Get {
    readonly
    input { base: String, name: String, tags: List<String> }
    transport rest {
      base_url: base, tls: false, method: "GET", path: "/v1/{name}", query: { tag: tags }
    }
    response { 2xx => Page, 404 => Missing, 302 => Moved }
  }
  operation Send {
    input { base: String, text: String, header: String, token: Secret }
    output { status: Int from "http_status", said: String from "http_body" }
    transport rest {
      base_url: base, tls: false, method: "POST", path: "/send", response_format: "text"
      headers: { "Content-Type": "text/plain", "X-Kind": header, Authorization: "Bearer {token}" }
      body: text
    }
  }
  operation Enter {
    readonly hermetic
    input { base: String, token: Secret }
    output { said: String from "http_body" }
    transport rest {
      base_url: base, tls: false, method: "GET", auth_basic: { user: "me", password: token }, response_format: "text"
    }
  }
  operation Drop { input { base: String } transport rest { base_url: base, tls: false, method: "DELETE", path: "/x" } }
  operation Poke { input { base: String } transport rest { base_url: base, tls: false, method: "PUT" } }
  operation Look {
    input { base: String }
    output { status: Int from "http_status" }
    transport rest { base_url: base, tls: false, method: "HEAD" }
  }
}

func get(base: String) -> Answer { Web.Get(base, name: "a/b c", tags: ["x&y", "z"]) }
func send(base: String) -> String { to_string(Web.Send(base, text: "hé", header: "plain", token: Secret { name: "key" })) }
func enter(base: String) -> String { Web.Enter(base, Secret { name: "key" }).said }
func enter_twice(base: String) -> String { enter(base) + enter(base) }
func leak_url(base: String) -> Answer { Web.Get(base, name: "0123456789abcdef", tags: []) }
func leak_encoded(base: String) -> Answer { Web.Get(base, name: "ä secret/of mine", tags: []) }
func leak_body(base: String) -> String { to_string(Web.Send(base, text: "0123456789abcdef", header: "", token: Secret { name: "key" })) }
func leak_header(base: String) -> String { to_string(Web.Send(base, text: "", header: "0123456789abcdef", token: Secret { name: "key" })) }
func inject(base: String) -> String { to_string(Web.Send(base, text: "", header: "x\x0D\nX-Evil: 1", token: Secret { name: "key" })) }
func long_address(base: String) -> Answer { Web.Get(base, name: repeat("x", 66_000), tags: []) }
func long_header(base: String) -> String { to_string(Web.Send(base, text: "", header: repeat("x", 140_000), token: Secret { name: "key" })) }
func other(base: String) -> String { to_string(Web.Send(base, text: "", header: "x", token: Secret { name: "lines" })) }
func unknown(base: String) -> String { Web.Enter(base, Secret { name: "nobody" }).said }
func writes(base: String) -> Int {
  Web.Drop(base)
  Web.Poke(base)
  Web.Look(base).status
}
"#;

/// Secrets: `key`, `words`, which an address encodes, and `lines`, which no header holds.
fn secrets() -> Secrets {
    let folder = tempfile::tempdir().unwrap();
    let mut secrets = Secrets::default();
    for (name, text) in [
        ("key", "0123456789abcdef\n"),
        ("words", "ä secret/of mine"),
        ("lines", "0123\r\nX-Evil: 1\n"),
    ] {
        let file = folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        secrets.read(name, &file).unwrap();
    }
    secrets
}

fn limits() -> Limits {
    Limits {
        deadline: Duration::from_secs(2),
        output: 64 << 10,
    }
}

/// What a workflow gives, or the first line of why not; `PORT` for the port of the place.
fn run_with(operations: Arc<dyn Operations>, workflow: &str, base: &str) -> String {
    let (program, _) = dag_given::sound(&[("m.dag", MODEL)]);
    let evaluator = Evaluator::new(program).with_operations(operations);
    let decl = evaluator.program().decl_named("m", workflow).unwrap();
    let shown = match evaluator.call(decl, vec![dag_eval::Value::text(base)]) {
        Ok(outcome) => display(evaluator.program(), &outcome.value),
        Err(refusal) => refusal.to_diagnostic().message,
    };
    match base.rsplit_once(':') {
        Some((_, port)) if port.len() > 3 && port.parse::<u16>().is_ok() => {
            shown.replace(port, "PORT")
        }
        _ => shown,
    }
}

fn wet(limits: Limits) -> Arc<Wet> {
    Arc::new(Wet::new(limits, secrets()))
}

fn run(workflow: &str, server: &Server) -> String {
    run_with(wet(limits()), workflow, &server.base())
}

/// What `get` gives where a server says this.
fn answered(answer: &str, expected: Expect) {
    expected.assert_eq(&run("get", &Server::saying(answer)));
}

/// An answer with a status, headers, and a body of the length it says.
fn answer(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\n\r\n{body}")
}

#[test]
fn an_answer_becomes_a_value() {
    let page = answer(
        "200 OK",
        "ETag: \"7\"\r\n",
        r#"{"head":{"title":"t"},"n":3}"#,
    );
    let server = Server::saying(&page);
    expect![[
        r#"Page { title: "t", count: Present { value: 3 }, tag: Present { value: "\"7\"" } }"#
    ]]
    .assert_eq(&run("get", &server));
    expect![[r#"
        GET /v1/a%2Fb%20c?tag=x%26y&tag=z HTTP/1.1
        user-agent: hayward/0.1.0
        host: 127.0.0.1:PORT
        accept: application/json"#]]
    .assert_eq(&server.asked().join("\n---\n"));
    answered(
        &answer("404 Not Found", "", "<html>"),
        expect!["Missing { status: 404 }"],
    );
    answered(
        &answer("500 Oops", "", "down"),
        expect![[
            r#"`Web.Get` (GET http://127.0.0.1:PORT) ended with status 500, and no row takes it: it said "down""#
        ]],
    );
    answered(
        &answer("200 OK", "", "<html>"),
        expect!["the answer of `Web.Get` is not JSON"],
    );
    answered(
        &answer("200 OK", "", r#"{"head":{"title":7}}"#),
        expect!["what `Web.Get` answers at `/head/title` is no String"],
    );
    answered(
        &answer("200 OK", "", r#"{"head":"#),
        expect!["the answer of `Web.Get` is not JSON"],
    );
    let deep = "[".repeat(10_000);
    answered(
        &answer("200 OK", "", &deep),
        expect!["the answer of `Web.Get` is not JSON"],
    );
    let server = Server::saying(&answer("200 OK", "", ""));
    expect!["200"].assert_eq(&run("writes", &server));
    expect![[r#"
        DELETE /x HTTP/1.1
        user-agent: hayward/0.1.0
        host: 127.0.0.1:PORT
        accept: application/json
        ---
        PUT / HTTP/1.1
        content-length: 0
        user-agent: hayward/0.1.0
        host: 127.0.0.1:PORT
        accept: application/json
        ---
        HEAD / HTTP/1.1
        user-agent: hayward/0.1.0
        host: 127.0.0.1:PORT
        accept: application/json"#]]
    .assert_eq(&server.asked().join("\n---\n"));
}

#[test]
fn a_chunked_answer_and_one_without_a_length_are_whole() {
    answered(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n{\"head\":\r\n0d\r\n{\"title\":\"t\"}\r\n1\r\n}\r\n0\r\n\r\n",
        expect![[r#"Page { title: "t", count: Absent, tag: Absent }"#]],
    );
    answered(
        "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{\"head\":{\"title\":\"t\"}}",
        expect![[r#"Page { title: "t", count: Absent, tag: Absent }"#]],
    );
}

#[test]
fn a_redirect_is_an_answer_and_is_not_followed() {
    let server = Server::doing(|stream, _| {
        let to = "Location: /v1/round\r\n";
        let _ = stream.write_all(answer("302 Found", to, "").as_bytes());
    });
    expect![[r#"Moved { to: Present { value: "/v1/round" } }"#]].assert_eq(&run("get", &server));
    // A loop would have asked again.
    assert_eq!(server.asked().len(), 1);
    answered(
        &answer("301 Moved", "Location: http://example.org/\r\n", ""),
        expect!["`Web.Get` (GET http://127.0.0.1:PORT) ended with status 301, and no row takes it"],
    );
}

#[test]
fn a_secret_goes_into_its_header_alone() {
    let server = Server::saying(&answer("200 OK", "", "done"));
    expect![[r#"Web.Send { status: 200, said: "done" }"#]].assert_eq(&run("send", &server));
    expect!["done"].assert_eq(&run("enter", &server));
    expect![[r#"
        POST /send HTTP/1.1
        content-length: 3
        user-agent: hayward/0.1.0
        host: 127.0.0.1:PORT
        content-type: text/plain
        x-kind: plain
        authorization: Bearer 0123456789abcdef

        hé
        ---
        GET / HTTP/1.1
        user-agent: hayward/0.1.0
        host: 127.0.0.1:PORT
        authorization: Basic bWU6MDEyMzQ1Njc4OWFiY2RlZg=="#]]
    .assert_eq(&server.asked().join("\n---\n"));
    let silent = Server::saying("");
    for (workflow, expected) in [
        (
            "leak_url",
            expect!["`Web.Get` (GET http://127.0.0.1:PORT): its address shows the secret `key`"],
        ),
        (
            "leak_encoded",
            expect!["`Web.Get` (GET http://127.0.0.1:PORT): its address shows the secret `words`"],
        ),
        (
            "leak_body",
            expect!["`Web.Send` (POST http://127.0.0.1:PORT): its body shows the secret `key`"],
        ),
        (
            "leak_header",
            expect!["`Web.Send` (POST http://127.0.0.1:PORT): a header shows the secret `key`"],
        ),
        (
            "inject",
            expect![
                "POST of `Web.Send`: the header `X-Kind` is given a text with a line end, a control character or a letter outside ASCII (RFC 9110, 5.5)"
            ],
        ),
        (
            "long_address",
            expect!["`Web.Get` (GET http://127.0.0.1:PORT): its address has more than 65534 bytes"],
        ),
        (
            "long_header",
            expect![
                "`Web.Send` (POST http://127.0.0.1:PORT): one of its headers has more than 131072 bytes"
            ],
        ),
        (
            "other",
            expect![
                "`Web.Send` (POST http://127.0.0.1:PORT): the secret `lines` has a line end, a control character or a letter outside ASCII, and so fits in no header (RFC 9110, 5.5)"
            ],
        ),
        (
            "unknown",
            expect![
                "`Web.Enter` (GET http://127.0.0.1:PORT): the text of the secret `nobody` is not given: `--secret nobody=FILE`"
            ],
        ),
    ] {
        expected.assert_eq(&run(workflow, &silent));
    }
    // None of them was sent.
    assert!(silent.asked().is_empty());
}

#[test]
fn a_secret_is_not_sent_where_others_read_it() {
    // A name that is known nowhere (RFC 6761): if it were sent, this would be told.
    expect!["`Web.Enter` (GET http://web.invalid): a secret is not sent over `http`, where others on the way read it"].assert_eq(&run_with(wet(limits()), "enter", "http://web.invalid"));
    expect!["`Web.Enter` (GET http://localhost:1): a secret is not sent over `http`, where others on the way read it"].assert_eq(&run_with(wet(limits()), "enter", "http://localhost:1"));
    let unknown = run_with(wet(limits()), "get", "http://web.invalid");
    assert!(!unknown.contains("secret"), "{unknown}");
}

#[test]
fn an_answer_that_shows_a_secret_is_refused() {
    let echo = |from: fn(&str) -> String| {
        Server::doing(move |stream, request| {
            let _ = stream.write_all(answer("200 OK", "", &from(request)).as_bytes());
        })
    };
    expect!["`Web.Send` (POST http://127.0.0.1:PORT): its answer shows the secret `key`"]
        .assert_eq(&run("send", &echo(str::to_owned)));
    // Base64 is not the text, and lets in like it.
    expect!["`Web.Enter` (GET http://127.0.0.1:PORT): its answer shows the secret `key`"]
        .assert_eq(&run("enter", &echo(str::to_owned)));
    let header = answer("302 Found", "Location: /?k=0123456789abcdef\r\n", "");
    answered(
        &header,
        expect!["`Web.Get` (GET http://127.0.0.1:PORT): its answer shows the secret `key`"],
    );
    // The model would read `%30123456789abcdef`.
    let escaped = r#"{"head":{"title":"\u002530123456789abcdef"}}"#;
    answered(
        &answer("200 OK", "", escaped),
        expect!["`Web.Get` (GET http://127.0.0.1:PORT): its answer shows the secret `key`"],
    );
    // A status without a row shows what was said.
    answered(
        &answer("500 Oops", "", "0123456789abcdef"),
        expect!["`Web.Get` (GET http://127.0.0.1:PORT): its answer shows the secret `key`"],
    );
}

#[test]
fn a_hostile_answer_ends_within_the_limits() {
    let hostile = |answer: fn(&mut std::net::TcpStream)| {
        run("get", &Server::doing(move |stream, _| answer(stream)))
    };
    // Bodies: without an end, and with more than it may have.
    expect![
        "`Web.Get` (GET http://127.0.0.1:PORT): the body of its answer has more than 65536 bytes"
    ]
    .assert_eq(&hostile(|s| {
        endless(s, "HTTP/1.1 200 OK\r\n\r\n", &"x".repeat(4096))
    }));
    expect![
        "`Web.Get` (GET http://127.0.0.1:PORT): the body of its answer has more than 65536 bytes"
    ]
    .assert_eq(&hostile(|s| {
        endless(
            s,
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            "4\r\nxxxx\r\n",
        )
    }));
    expect![
        "`Web.Get` (GET http://127.0.0.1:PORT): the body of its answer has more than 65536 bytes"
    ]
    .assert_eq(&hostile(|s| {
        endless(
            s,
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n",
            &"x".repeat(4096),
        )
    }));
    // A body that drips, headers that drip, headers without an end, silence.
    expect!["`Web.Get` (GET http://127.0.0.1:PORT): no answer within 2 s"].assert_eq(&hostile(
        |s| drip(s, "HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n", "x"),
    ));
    expect!["`Web.Get` (GET http://127.0.0.1:PORT): no answer within 2 s"]
        .assert_eq(&hostile(|s| drip(s, "HTTP/1.1 200 OK\r\n", "X: y\r\n")));
    expect!["`Web.Get` (GET http://127.0.0.1:PORT): its answer is no HTTP: http parse resulted in too many headers"].assert_eq(&hostile(|s| endless(s, "HTTP/1.1 200 OK\r\n", "X-Header: y\r\n")));
    expect!["`Web.Get` (GET http://127.0.0.1:PORT): the headers of its answer have more than 65536 bytes"].assert_eq(&hostile(|s| endless(s, "HTTP/1.1 200 OK\r\nX: ", &"y".repeat(4096))));
    expect!["`Web.Get` (GET http://127.0.0.1:PORT): no answer within 2 s"]
        .assert_eq(&hostile(|s| drip(s, "", "")));
}

fn drip(stream: &mut std::net::TcpStream, head: &str, piece: &str) {
    let _ = stream.write_all(head.as_bytes());
    let until = Instant::now() + Duration::from_secs(20);
    while stream.write_all(piece.as_bytes()).is_ok() && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn endless(stream: &mut std::net::TcpStream, head: &str, piece: &str) {
    let _ = stream.write_all(head.as_bytes());
    while stream.write_all(piece.as_bytes()).is_ok() {}
}

#[test]
fn an_answer_that_is_not_whole_is_none() {
    answered(
        "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"head\":{\"title\":\"t\"}}",
        expect![
            "`Web.Get` (GET http://127.0.0.1:PORT): the connection ended before its answer was whole"
        ],
    );
    answered(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n16\r\n{\"head\":{\"title\":\"t\"}}",
        expect![
            "`Web.Get` (GET http://127.0.0.1:PORT): the connection ended before its answer was whole"
        ],
    );
    answered(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}",
        expect![
            "`Web.Get` (GET http://127.0.0.1:PORT): its answer is no HTTP: chunk length cannot be read as a number"
        ],
    );
    answered(
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 22\r\n\r\n{\"head\":{\"title\":\"t\"}}",
        expect![
            "`Web.Get` (GET http://127.0.0.1:PORT): its answer is no HTTP: conflicting content-length headers"
        ],
    );
    answered(
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}",
        expect![
            "`Web.Get` (GET http://127.0.0.1:PORT): its answer is no HTTP: content-length header not a number"
        ],
    );
    answered(
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
        expect![
            "`Web.Get` (GET http://127.0.0.1:PORT): its answer is encoded, which was not asked for"
        ],
    );
    for encoded in [
        "HTTP/1.1 200 OK\r\nContent-Encoding: identity\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n{}",
        "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
    ] {
        answered(
            encoded,
            expect![
                "`Web.Get` (GET http://127.0.0.1:PORT): its answer is encoded, which was not asked for"
            ],
        );
    }
    answered(
        "HTTP/1.1 2000 OK\r\n\r\n",
        expect![
            "`Web.Get` (GET http://127.0.0.1:PORT): its answer is no HTTP: http parse fail: invalid response status"
        ],
    );
    answered(
        "HTTP/1.1 999 OK\r\nContent-Length: 0\r\n\r\n",
        expect![
            "`Web.Get` (GET http://127.0.0.1:PORT): its answer has the status 999, and there are those from 100 to 599 (RFC 9110, 15)"
        ],
    );
    answered(
        "SSH-2.0-OpenSSH\r\n",
        expect![
            "`Web.Get` (GET http://127.0.0.1:PORT): its answer is no HTTP: http parse fail: invalid HTTP version"
        ],
    );
    answered(
        "HTTP/1.1 200 OK\r\n",
        expect![
            "`Web.Get` (GET http://127.0.0.1:PORT): the connection ended before its answer was whole"
        ],
    );
    answered(
        "",
        expect![
            "`Web.Get` (GET http://127.0.0.1:PORT): the connection ended before its answer was whole"
        ],
    );
    // Without a length only an orderly end says that all is there.
    let server = Server::doing(|stream, _| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n{\"head\":{\"title\":\"t\"}}");
        // The end is a reset then: socket(7), SO_LINGER.
        let at_once = Some(Duration::ZERO);
        rustix::net::sockopt::set_socket_linger(&*stream, at_once).unwrap();
    });
    expect![
        "`Web.Get` (GET http://127.0.0.1:PORT): the connection ended before its answer was whole"
    ]
    .assert_eq(&run("get", &server));
    // A length that is too short: what follows it is not read.
    answered(
        "HTTP/1.1 200 OK\r\nContent-Length: 22\r\n\r\n{\"head\":{\"title\":\"t\"}}{\"evil\":1}",
        expect![[r#"Page { title: "t", count: Absent, tag: Absent }"#]],
    );
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let base = format!("http://127.0.0.1:{}", closed.local_addr().unwrap().port());
    drop(closed);
    expect!["`Web.Get` (GET http://127.0.0.1:PORT): Connection refused (os error 111)"]
        .assert_eq(&run_with(wet(limits()), "get", &base));
}

#[test]
fn a_hermetic_operation_is_asked_once() {
    let server = Server::saying(&answer("200 OK", "", "a"));
    assert_eq!(run("enter_twice", &server), "aa");
    assert_eq!(server.asked().len(), 1);
}

#[test]
fn a_recording_has_the_answer_and_no_secret() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let page = answer(
        "200 OK",
        "ETag: \"7\"\r\nSet-Cookie: s=1\r\n",
        r#"{"head":{"title":"t"}}"#,
    );
    let server = Server::saying(&page);
    let recorder = || Recorder::begin(&path, Wet::new(limits(), secrets())).unwrap();
    let base = server.base();
    let wet = run_with(Arc::new(recorder()), "get", &base);
    let kept = std::fs::read_to_string(&path).unwrap();
    let replay = || Arc::new(Replay::read(&path).unwrap());
    assert_eq!(run_with(replay(), "get", &base), wet);
    // Another request is not answered by it.
    let other = run_with(replay(), "send", &base);
    let other = other.replace(&path.display().to_string(), "run.jsonl");
    expect![[r#"`Web.Send` (POST http://127.0.0.1:PORT): run.jsonl has no reply to this request: ["POST","http://127.0.0.1:PORT/send"]"#]].assert_eq(&other);
    std::fs::remove_file(&path).unwrap();
    let wet = run_with(Arc::new(recorder()), "send", &base);
    let kept = kept + &std::fs::read_to_string(&path).unwrap();
    assert_eq!(run_with(replay(), "send", &base), wet);
    std::fs::remove_file(&path).unwrap();
    let wet = run_with(Arc::new(recorder()), "enter", &base);
    let kept = kept + &std::fs::read_to_string(&path).unwrap();
    assert_eq!(run_with(replay(), "enter", &base), wet);
    // Nobody was asked for a replay.
    assert_eq!(server.asked().len(), 3);
    let port = base.rsplit_once(':').unwrap().1;
    let digests = regex_lite::Regex::new(r#""digest":"[0-9a-f]{64}""#).unwrap();
    let shown = digests.replace_all(&kept, r#""digest":"…""#);
    expect![[r#"
        {"hayward_recording":1}
        {"operation":"Web.Get","digest":"…","asked":["GET","http://127.0.0.1:PORT/v1/a%2Fb%20c?tag=x%26y&tag=z"],"reply":{"http":{"status":200,"headers":[["etag","\"7\""]],"body":{"text":"{\"head\":{\"title\":\"t\"}}"}}}}
        {"hayward_recording":1}
        {"operation":"Web.Send","digest":"…","asked":["POST","http://127.0.0.1:PORT/send"],"reply":{"http":{"status":200,"headers":[],"body":{"text":"{\"head\":{\"title\":\"t\"}}"}}}}
        {"hayward_recording":1}
        {"operation":"Web.Enter","digest":"…","asked":["GET","http://127.0.0.1:PORT/"],"reply":{"http":{"status":200,"headers":[],"body":{"text":"{\"head\":{\"title\":\"t\"}}"}}}}
    "#]].assert_eq(&shown.replace(port, "PORT"));
}
