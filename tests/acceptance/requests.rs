//! Workflows that ask a server over HTTP: with and without TLS, by mocks, and by a recording.

use crate::common::{Project, Run};
use crate::operations::{send, until};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;

const MODEL: &str = r#"module work
service Releases {
  operation Latest {
    readonly
    input { base: String, repository: String, token: Secret }
    output { tag: String from "/tag_name" }
    transport rest {
      base_url: base, method: "GET", path: "/repos/{repository}/latest"
      headers: { Authorization: "Bearer {token}" }
    }
    mock_response { 200 => Output { tag: "v0" } }
  }
  operation Plain {
    readonly
    input { base: String }
    output { tag: String from "/tag_name" }
    transport rest { base_url: base, tls: false, method: "GET" }
  }
}
func latest(base: String, token: Secret) -> String {
  Releases.Latest(base, repository: "a b", token).tag
}
func plain(base: String) -> String { Releases.Plain(base).tag }
"#;

const TEST: &str = r#"module work_test
import work { latest }
test fn the_mock_answers() -> Bool { latest("https://x", Secret { name: "t" }) == "v0" }
"#;

const ANSWER: &str =
    "HTTP/1.1 200 OK\r\nContent-Length: 17\r\nConnection: close\r\n\r\n{\"tag_name\":\"v7\"}";

fn project() -> Project {
    let project = Project::empty();
    project.write("hayward.toml", "[project]\nname = \"work\"\n");
    project.write("work.dag", MODEL);
    project.write("work_test.dag", TEST);
    std::fs::write(project.beside("token"), "correct horse battery\n").unwrap();
    project
}

fn tls(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/acceptance/tls")
        .join(file)
}

/// Answers every connection; gives its port.
fn serve(answer: impl Fn(TcpStream) + Send + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || listener.incoming().flatten().for_each(answer));
    port
}

/// Reads to the end of the headers.
fn read(stream: &mut impl Read) -> String {
    let mut bytes = Vec::new();
    let mut buffer = [0; 1024];
    while !bytes.windows(4).any(|w| w == b"\r\n\r\n") {
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(read) => bytes.extend_from_slice(&buffer[..read]),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Connections over TLS, with the certificate in `tls/`.
type Secure = rustls::StreamOwned<rustls::ServerConnection, TcpStream>;

/// A server that answers only the request that is right.
fn secure_server() -> u16 {
    serve_secure(|stream| {
        let request = read(stream);
        let right = request.starts_with("GET /repos/a%20b/latest HTTP/1.1\r\n")
            && request.contains("authorization: Bearer correct horse battery\r\n");
        let answer = if right {
            ANSWER
        } else {
            "HTTP/1.1 400 No\r\n\r\n"
        };
        let _ = stream.write_all(answer.as_bytes());
        stream.conn.send_close_notify();
        let _ = stream.flush();
    })
}

fn serve_secure(answer: impl Fn(&mut Secure) + Send + 'static) -> u16 {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let certificate = CertificateDer::from_pem_file(tls("server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_file(tls("server.key")).unwrap();
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let config = Arc::new(config);
    serve(move |stream| {
        let connection = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
        answer(&mut rustls::StreamOwned::new(connection, stream));
    })
}

/// A run that trusts the authorities in a file, and no others.
fn run(project: &Project, roots: &Path, words: &[&str]) -> Run {
    let mut command = project.command(words);
    command
        .env("SSL_CERT_FILE", roots)
        .env_remove("SSL_CERT_DIR")
        .env("http_proxy", "http://127.0.0.1:1")
        .env("https_proxy", "http://127.0.0.1:1")
        .env("ALL_PROXY", "http://127.0.0.1:1");
    let run = Run::of(command.output().unwrap(), &words.join(" "));
    assert!(!run.all().contains("horse"), "{}", run.all());
    run
}

#[test]
fn a_server_is_asked_over_tls() {
    let project = project();
    let port = secure_server();
    let base = format!("base=\"https://127.0.0.1:{port}\"");
    let secret = format!("token={}", project.beside("token").display());
    let ca = tls("ca.pem");
    let wet = ["run", "--mode", "wet", "--secret", &secret, "latest"];
    let done = run(&project, &ca, &[&wet[..], &[&base]].concat()).done();
    assert_eq!(done.out, "v7\n");
    // Not the authority of this server; a name that the certificate does not have.
    let other = tls("server.pem");
    run(&project, &other, &[&wet[..], &[&base]].concat()).refused(&[
        "error[E0820]",
        "`Releases.Latest` (GET https://127.0.0.1:",
        "the server is not trusted",
    ]);
    let named = format!("base=\"https://localhost:{port}\"");
    run(&project, &ca, &[&wet[..], &[&named]].concat())
        .refused(&["error[E0820]", "the server is not trusted"]);
    // No authority at all.
    let none = project.beside("none.pem");
    std::fs::write(&none, "").unwrap();
    run(&project, &none, &[&wet[..], &[&base]].concat()).refused(&["error[E0820]", "no roots"]);
    // TLS is not left out because the server has none, and not used where it is not meant.
    let plain = serve(|mut stream| {
        let _ = stream.read(&mut [0; 1024]);
        let _ = stream.write_all(ANSWER.as_bytes());
    });
    let to_plain = format!("base=\"https://127.0.0.1:{plain}\"");
    run(&project, &ca, &[&wet[..], &[&to_plain]].concat())
        .refused(&["error[E0820]", "the server is not trusted"]);
    // One that takes the connection and says nothing.
    let silent = serve(|mut stream| {
        read(&mut stream);
    });
    let to_silent = format!("base=\"https://127.0.0.1:{silent}\"");
    let soon = [&wet[..], &["--deadline", "1", &to_silent]].concat();
    run(&project, &ca, &soon).refused(&["error[E0820]", "no answer within 1 s"]);
    let http = format!("base=\"http://127.0.0.1:{plain}\"");
    run(&project, &ca, &[&wet[..], &[&http]].concat())
        .refused(&["error[E0820]", "no `tls: false` says so"]);
    let asked = run(&project, &ca, &["run", "--mode", "wet", "plain", &http]).done();
    assert_eq!(asked.out, "v7\n");
}

#[test]
fn a_signal_ends_a_request_that_is_waited_for() {
    let project = project();
    let record = project.beside("stopped.jsonl");
    for (signal, code) in [("-HUP", 129), ("-INT", 130), ("-TERM", 143)] {
        let (asked, came) = std::sync::mpsc::channel();
        let silent = serve(move |mut stream| {
            read(&mut stream);
            asked.send(()).unwrap();
            // It waits for the other side to end.
            let _ = stream.read(&mut [0]);
        });
        let _ = std::fs::remove_file(&record);
        let at = record.display().to_string();
        let base = format!("base=\"http://127.0.0.1:{silent}\"");
        let words = [
            "run",
            "--mode",
            "record",
            "--record",
            &at,
            "--deadline",
            "600",
        ];
        let mut command = project.command(&[&words[..], &["plain", &base]].concat());
        let mut run = command.stderr(Stdio::piped()).spawn().unwrap();
        came.recv().unwrap();
        send(signal, run.id());
        until("Hayward ends", || run.try_wait().unwrap().is_some());
        assert_eq!(run.wait().unwrap().code(), Some(code));
        let mut said = String::new();
        run.stderr.unwrap().read_to_string(&mut said).unwrap();
        let told = format!(
            "told to end by signal {} before the answer came",
            code - 128
        );
        assert!(said.contains(&told), "{said}");
        let kept = std::fs::read_to_string(&record).unwrap();
        assert_eq!(kept, "{\"hayward_recording\":1}\n");
    }
}

#[test]
fn an_answer_without_a_length_ends_in_order_or_is_refused() {
    let project = project();
    let secret = format!("token={}", project.beside("token").display());
    let wet = ["run", "--mode", "wet", "--secret", &secret, "latest"];
    let ends = |in_order: bool| {
        let port = serve_secure(move |stream| {
            read(stream);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n{\"tag_name\":\"v7\"}");
            if in_order {
                stream.conn.send_close_notify();
            }
            // Without it, whoever stands between the two may have ended the connection.
            let _ = stream.flush();
        });
        let base = format!("base=\"https://127.0.0.1:{port}\"");
        run(&project, &tls("ca.pem"), &[&wet[..], &[&base]].concat())
    };
    assert_eq!(ends(true).done().out, "v7\n");
    ends(false).refused(&[
        "error[E0820]",
        "the connection ended before its answer was whole",
    ]);
}

#[test]
fn a_request_is_mocked_recorded_and_replayed() {
    let project = project();
    let port = secure_server();
    let base = format!("base=\"https://127.0.0.1:{port}\"");
    let secret = format!("token={}", project.beside("token").display());
    let record = project.beside("run.jsonl");
    let at = record.display().to_string();
    // No roots, so that nothing can be asked.
    let nobody = project.beside("none.pem");
    std::fs::write(&nobody, "").unwrap();
    run(&project, &nobody, &["test"]).done();
    let token = "token=Secret { name: \"token\" }";
    let mocked = run(&project, &nobody, &["run", "latest", &base, token]).done();
    assert_eq!(mocked.out, "v0\n");
    let mode = [
        "run", "--mode", "record", "--record", &at, "--secret", &secret,
    ];
    run(
        &project,
        &tls("ca.pem"),
        &[&mode[..], &["latest", &base]].concat(),
    )
    .done();
    let kept = std::fs::read_to_string(&record).unwrap();
    assert!(
        kept.contains("/repos/a%20b/latest") && !kept.contains("horse"),
        "{kept}"
    );
    let replay = ["run", "--replay", &at, "latest", &base, token];
    assert_eq!(run(&project, &nobody, &replay).done().out, "v7\n");
    let elsewhere = [
        "run",
        "--replay",
        &at,
        "latest",
        "base=\"https://x\"",
        token,
    ];
    run(&project, &nobody, &elsewhere).refused(&["has no reply to this request"]);
    // A model that is checked asks for no roots and no server.
    run(&project, &nobody, &["check"]).done();
}
