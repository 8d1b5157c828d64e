//! A bucket on loopback. It checks each signature from the bytes that came over the wire,
//! by its own reading of Signature Version 4, and can have a fault.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) const REGION: &str = "eu-north-1";
pub(crate) const ID: &str = "AKIDEXAMPLE";
pub(crate) const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
pub(crate) const TOKEN: &str = "AQoDYXdzEPT//////////wEXAMPLE=";

/// What is wrong with it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Fault {
    None,
    /// It answers everything with a status and a body.
    Answer(&'static str, &'static str),
    /// Half of what it announces.
    Truncated,
    /// No HTTP.
    Garbage,
    /// It hangs up.
    Close,
    /// It takes the request and says nothing.
    Stall,
    /// The same, for what is put.
    StallOnPut,
    /// A byte now and then.
    Drip,
    /// A body without an end.
    Endless,
}

#[derive(Default)]
struct State {
    objects: Mutex<BTreeMap<String, Vec<u8>>>,
    refused: Mutex<Vec<String>>,
    asked: AtomicUsize,
}

pub(crate) struct S3 {
    endpoint: String,
    state: Arc<State>,
}

impl S3 {
    pub(crate) fn begin(fault: Fault) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let endpoint = format!("http://{}", listener.local_addr().unwrap());
        let state = Arc::new(State::default());
        let kept = Arc::clone(&state);
        // It ends with the tests.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let state = Arc::clone(&kept);
                std::thread::spawn(move || state.serve(stream, fault));
            }
        });
        Self { endpoint, state }
    }

    pub(crate) fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// How many requests came.
    pub(crate) fn asked(&self) -> usize {
        self.state.asked.load(Ordering::SeqCst)
    }

    /// Why requests were refused.
    pub(crate) fn refused(&self) -> Vec<String> {
        self.state.refused.lock().unwrap().clone()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.state.objects.lock().unwrap().keys().cloned().collect()
    }

    pub(crate) fn object(&self, name: &str) -> Vec<u8> {
        self.state.objects.lock().unwrap()[name].clone()
    }

    pub(crate) fn set(&self, name: &str, bytes: &[u8]) {
        let mut objects = self.state.objects.lock().unwrap();
        objects.insert(name.to_owned(), bytes.to_vec());
    }
}

impl State {
    /// Answers requests on one connection, one after the other.
    fn serve(&self, stream: TcpStream, fault: Fault) {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        let mut stream = stream;
        while let Some(request) = Request::read(&mut reader) {
            self.asked.fetch_add(1, Ordering::SeqCst);
            match fault {
                Fault::None => {}
                Fault::StallOnPut if request.method != "PUT" => {}
                fault => return misbehave(&mut stream, fault),
            }
            let (status, body) = self.answer(&request);
            let length = body.len();
            let head = format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n");
            if stream
                .write_all(&[head.as_bytes(), &body].concat())
                .is_err()
            {
                return;
            }
        }
    }

    fn answer(&self, request: &Request) -> (&'static str, Vec<u8>) {
        if let Err(why) = request.verify() {
            self.refused.lock().unwrap().push(why);
            let body = "<Error><Code>SignatureDoesNotMatch</Code></Error>";
            return ("403 Forbidden", body.into());
        }
        let mut objects = self.objects.lock().unwrap();
        if request.method == "PUT" {
            objects.insert(request.path.clone(), request.body.clone());
            return ("200 OK", Vec::new());
        }
        match objects.get(&request.path) {
            Some(bytes) => ("200 OK", bytes.clone()),
            None => (
                "404 Not Found",
                "<Error><Code>NoSuchKey</Code></Error>".into(),
            ),
        }
    }
}

fn misbehave(stream: &mut TcpStream, fault: Fault) {
    let mut say = |text: &str| stream.write_all(text.as_bytes());
    let _ = match fault {
        Fault::None | Fault::Close => Ok(()),
        Fault::Answer(status, body) => {
            let length = body.len();
            say(&format!(
                "HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n{body}"
            ))
        }
        Fault::Truncated => say("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"),
        Fault::Garbage => say("\u{1b}]0;garbage\u{7} 200\r\n\r\n"),
        Fault::Stall | Fault::StallOnPut => {
            // Until the other end gives up.
            let _ = stream.read(&mut [0; 1]);
            Ok(())
        }
        Fault::Drip => {
            let mut said = say("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
            while said.is_ok() {
                std::thread::sleep(Duration::from_millis(50));
                said = say("x");
            }
            said
        }
        Fault::Endless => {
            let piece = "x".repeat(1 << 20);
            let mut said = say("HTTP/1.1 200 OK\r\n\r\n");
            while said.is_ok() {
                said = say(&piece);
            }
            said
        }
    };
}

struct Request {
    method: String,
    path: String,
    query: String,
    /// As they came, names in small letters.
    headers: BTreeMap<String, String>,
    body: Vec<u8>,
}

impl Request {
    fn read(reader: &mut impl BufRead) -> Option<Self> {
        let mut line = || {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            Some(line.trim_end().to_owned())
        };
        let first = line()?;
        let mut words = first.split(' ');
        let method = words.next().filter(|m| !m.is_empty())?.to_owned();
        let target = words.next()?;
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let (path, query) = (path.to_owned(), query.to_owned());
        let mut headers = BTreeMap::new();
        loop {
            let line = line()?;
            let Some((name, value)) = line.split_once(':') else {
                break;
            };
            headers.insert(name.to_lowercase(), value.trim().to_owned());
        }
        let length = headers
            .get("content-length")
            .map_or(0, |l| l.parse().unwrap());
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        Some(Self {
            method,
            path,
            query,
            headers,
            body,
        })
    }

    /// Whether who signed it has the secret, and signed just this.
    fn verify(&self) -> Result<(), String> {
        let header = |name: &str| self.headers.get(name).ok_or(format!("no {name}"));
        if header("x-amz-security-token")? != TOKEN {
            return Err("another token".into());
        }
        let mut hasher = Sha256::new();
        hasher.update(&self.body);
        let hash = shown(&hasher.finalize());
        if *header("x-amz-content-sha256")? != hash {
            return Err("the body is another".into());
        }
        let time = header("x-amz-date")?;
        let date = time.get(..8).ok_or("no date")?;
        let authorization = header("authorization")?;
        let fields = authorization
            .strip_prefix("AWS4-HMAC-SHA256 ")
            .ok_or("another algorithm")?;
        let field = |name: &str| {
            let parts = fields.split(',').map(str::trim);
            let found = parts.filter_map(|part| part.strip_prefix(name)).next();
            found
                .and_then(|f| f.strip_prefix('='))
                .ok_or(format!("no {name}"))
        };
        let credential: Vec<&str> = field("Credential")?.split('/').collect();
        if credential != [ID, date, REGION, "s3", "aws4_request"] {
            return Err(format!("credential {credential:?}"));
        }
        // What must be signed: "Signed headers", host and every x-amz-*.
        let signed: Vec<&str> = field("SignedHeaders")?.split(';').collect();
        let must = self
            .headers
            .keys()
            .filter(|n| *n == "host" || n.starts_with("x-amz-"));
        if let Some(name) = must.into_iter().find(|n| !signed.contains(&n.as_str())) {
            return Err(format!("{name} is not signed"));
        }
        let mut canonical: Vec<String> =
            vec![self.method.clone(), self.path.clone(), self.query.clone()];
        for name in &signed {
            canonical.push(format!("{name}:{}", header(name)?));
        }
        canonical.push(String::new());
        canonical.push(signed.join(";"));
        canonical.push(hash);
        let mut hasher = Sha256::new();
        hasher.update(canonical.join("\n"));
        let to_sign = [
            "AWS4-HMAC-SHA256",
            time,
            &credential[1..].join("/"),
            &shown(&hasher.finalize()),
        ]
        .join("\n");
        let chain = [date, REGION, "s3", "aws4_request", &to_sign];
        let key = chain
            .iter()
            .fold(format!("AWS4{SECRET}").into_bytes(), |key, part| {
                let mut mac = Hmac::<Sha256>::new_from_slice(&key).unwrap();
                mac.update(part.as_bytes());
                mac.finalize().into_bytes().to_vec()
            });
        match field("Signature")? == shown(&key) {
            true => Ok(()),
            false => Err("the signature is another".into()),
        }
    }
}

fn shown(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
