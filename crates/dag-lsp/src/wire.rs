//! Messages on the wire: `Content-Length` headers and JSON, as the base protocol
//! of the Language Server Protocol 3.17 has it.

use lsp_server::{ErrorCode, Message};
use serde_json::{Value, json};
use std::io::{self, BufRead, Read, Write};

/// Larger messages are refused, bytes. A module of this size would be refused too.
pub(crate) const LARGEST: usize = 64 << 20;
/// A line of the header is no longer than this, bytes.
const LONGEST_HEADER: u64 = 8 << 10;

/// What came in.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// A message.
    Message(Message),
    /// Something that is none, with the error that answers it.
    Refused {
        /// The code of JSON-RPC.
        code: ErrorCode,
        /// Why.
        why: String,
    },
    /// The end: the client closed the pipe, or lost the thread of the protocol.
    End(Option<String>),
}

/// Reads the next message.
pub(crate) fn read(input: &mut impl BufRead) -> Incoming {
    let length = match header(input) {
        Ok(Some(length)) => length,
        Ok(None) => return Incoming::End(None),
        Err(error) => return Incoming::End(Some(error.to_string())),
    };
    if length > LARGEST {
        // Its bytes are taken off the wire, so that the next message is found.
        let skipped = io::copy(&mut input.take(length as u64), &mut io::sink());
        return match skipped {
            Ok(count) if count == length as u64 => Incoming::Refused {
                code: ErrorCode::InvalidRequest,
                why: format!("a message has at most {LARGEST} bytes, and this one has {length}"),
            },
            _ => Incoming::End(Some("the message was cut short".into())),
        };
    }
    // It grows with what comes: a length is a claim.
    let mut body = Vec::new();
    match input.take(length as u64).read_to_end(&mut body) {
        Ok(count) if count == length => {}
        Ok(_) => return Incoming::End(Some("the message was cut short".into())),
        Err(error) => return Incoming::End(Some(error.to_string())),
    }
    let value: Value = match serde_json::from_slice(&body) {
        Ok(value) => value,
        Err(error) => {
            return Incoming::Refused {
                code: ErrorCode::ParseError,
                why: format!("this is no JSON: {error}"),
            };
        }
    };
    match serde_json::from_value(value) {
        Ok(message) => Incoming::Message(message),
        Err(_) => Incoming::Refused {
            code: ErrorCode::InvalidRequest,
            why: "this is no request, response or notification of JSON-RPC 2.0".into(),
        },
    }
}

/// The length of the message that follows; none at the end.
fn header(input: &mut impl BufRead) -> io::Result<Option<usize>> {
    let wrong = |why: String| io::Error::new(io::ErrorKind::InvalidData, why);
    let mut length = None;
    let mut first = true;
    loop {
        let mut line = Vec::new();
        let count = input.take(LONGEST_HEADER).read_until(b'\n', &mut line)?;
        if count == 0 {
            return if first {
                Ok(None)
            } else {
                Err(wrong("the header was cut short".into()))
            };
        }
        first = false;
        let line = String::from_utf8_lossy(&line);
        let Some(line) = line.strip_suffix('\n') else {
            return Err(wrong("a line of the header has no end".into()));
        };
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line.is_empty() {
            let missing = || wrong("the header has no Content-Length".into());
            return length.ok_or_else(missing).map(Some);
        }
        let Some((name, value)) = line.split_once(':') else {
            return Err(wrong(format!("`{line}` is no line of a header")));
        };
        if name.trim().eq_ignore_ascii_case("content-length") {
            let value = value.trim();
            let digits = value.bytes().all(|b| b.is_ascii_digit());
            let parsed = value.parse::<usize>().ok().filter(|_| digits);
            let parsed =
                parsed.ok_or_else(|| wrong(format!("`{line}` has no length that can be")))?;
            if length.is_some_and(|length| length != parsed) {
                return Err(wrong("the header has two lengths".into()));
            }
            length = Some(parsed);
        }
    }
}

/// Writes a message.
pub(crate) fn write(output: &mut impl Write, message: &Message) -> io::Result<()> {
    message.write(output)
}

/// Writes the answer to what could not be read: it has no id.
pub(crate) fn write_refusal(output: &mut impl Write, code: ErrorCode, why: &str) -> io::Result<()> {
    let error = json!({ "code": code as i32, "message": why });
    let text = json!({ "jsonrpc": "2.0", "id": null, "error": error }).to_string();
    write!(output, "Content-Length: {}\r\n\r\n{text}", text.len())?;
    output.flush()
}
