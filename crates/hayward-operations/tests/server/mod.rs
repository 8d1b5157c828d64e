//! A server on loopback that does what a test says, however wrong.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Answers connections, one after the other.
pub(crate) struct Server {
    port: u16,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// Does this with each connection, when it has read a request.
    pub(crate) fn doing(answer: impl Fn(&mut TcpStream, &str) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let kept = Arc::clone(&asked);
        // It ends with the tests.
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { continue };
                let request = read_request(&mut stream);
                kept.lock().unwrap().push(request.clone());
                answer(&mut stream, &request);
            }
        });
        Self { port, asked }
    }

    /// Answers everything with these bytes.
    pub(crate) fn saying(answer: &str) -> Self {
        let answer = answer.to_owned();
        Self::doing(move |stream, _| {
            let _ = stream.write_all(answer.as_bytes());
        })
    }

    /// `http://127.0.0.1:PORT`
    pub(crate) fn base(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What it was asked, with `PORT` for its port and plain line ends.
    pub(crate) fn asked(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        let port = self.port.to_string();
        let shown = |request: &String| request.replace(&port, "PORT").replace("\r\n", "\n");
        asked
            .iter()
            .map(|r| shown(r).trim_end().to_owned())
            .collect()
    }
}

/// Headers, and the body that they announce.
fn read_request(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| {
                    line.to_lowercase()
                        .strip_prefix("content-length: ")?
                        .parse()
                        .ok()
                })
                .unwrap_or(0);
            if body.len() >= length {
                return text.into_owned();
            }
        }
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => return text.into_owned(),
            Ok(read) => bytes.extend_from_slice(&buffer[..read]),
        }
    }
}
