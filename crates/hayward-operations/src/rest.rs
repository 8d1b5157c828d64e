//! A request over HTTP that is carried out: once, to where it says, with its secrets
//! in its headers alone.

use crate::answer::{self, Sent};
use crate::{Limits, Secrets, Stop};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use dag_eval::{HeaderText, Http, Reply, is_header_text};
use hayward_http::{Client, Response};
use std::sync::Arc;

/// Sends a request; the reply has of its headers those that are read.
pub(crate) fn send(
    client: &Arc<Client>,
    http: &Http,
    secrets: &Secrets,
    limits: &Limits,
    stop: Option<&Stop>,
) -> Result<Reply, String> {
    let url = http.url();
    // A value that was encoded shows what it was.
    refuse_shown(secrets, url.as_bytes(), "its address")?;
    refuse_shown(secrets, &dag_uri::decoded(url.as_bytes()), "its address")?;
    if let Some(body) = &http.body {
        refuse_shown(secrets, body.as_bytes(), "its body")?;
    }
    let mut headers = Vec::with_capacity(http.headers.len() + 1);
    // What the server knows of secrets, as it was sent: it may come back like this.
    let mut sent = Vec::new();
    for (name, pieces) in &http.headers {
        let mut value = String::new();
        let mut secret = false;
        for piece in pieces {
            match piece {
                HeaderText::Plain(text) => {
                    refuse_shown(secrets, text.as_bytes(), "a header")?;
                    value.push_str(text);
                }
                HeaderText::Secret(name) => {
                    let text = text_of(secrets, name)?;
                    if !is_header_text(text) {
                        return Err(format!(
                            "the secret `{name}` has a line end, a control character or a letter \
                             outside ASCII, and so fits in no header (RFC 9110, 5.5)"
                        ));
                    }
                    value.push_str(text);
                    secret = true;
                }
            }
        }
        if secret {
            sent.push(value.clone());
        }
        headers.push((name.clone(), value));
    }
    if let Some((user, password)) = &http.basic {
        let text = text_of(secrets, password)?;
        if text.chars().any(char::is_control) {
            return Err(format!(
                "the secret `{password}` has a control character, and so is no password (RFC 7617)"
            ));
        }
        let credentials = STANDARD.encode(format!("{user}:{text}"));
        headers.push(("Authorization".into(), format!("Basic {credentials}")));
        sent.push(credentials);
    }
    if !sent.is_empty() && !http.origin.tls && !http.origin.is_loopback() {
        return Err("a secret is not sent over `http`, where others on the way read it".into());
    }
    let request = Sent {
        method: http.method.as_str(),
        url,
        headers,
        // An empty body says its length too: RFC 9110 section 8.6.
        body: match (&http.body, http.method.has_body()) {
            (Some(body), _) => Some(body.clone().into_bytes()),
            (None, true) => Some(Vec::new()),
            (None, false) => None,
        },
    };
    let limits = hayward_http::Limits {
        deadline: limits.deadline,
        body: limits.output,
    };
    let answer = answer::to(request, client, limits, stop)?;
    let Response {
        status,
        headers: answered,
        body,
    } = answer;
    let mut kept = Vec::new();
    for name in &http.read_headers {
        let Some((_, value)) = answered.iter().find(|(n, _)| n == name) else {
            continue;
        };
        let value = String::from_utf8(value.clone())
            .map_err(|_| format!("the header `{name}` of its answer is not UTF-8"))?;
        kept.push((name.clone(), value));
    }
    let parts = kept.iter().map(|(_, value)| value.as_bytes());
    for bytes in parts.chain([body.as_slice()]) {
        refuse_shown(secrets, bytes, "its answer")?;
        let shows = |text: &String| !text.is_empty() && holds(bytes, text.as_bytes());
        if sent.iter().any(shows) {
            return Err("its answer shows the header that lets it in".into());
        }
    }
    Ok(Reply::Http {
        status,
        headers: kept,
        body,
    })
}

fn text_of<'a>(secrets: &'a Secrets, name: &str) -> Result<&'a str, String> {
    secrets.text(name).ok_or_else(|| {
        format!("the text of the secret `{name}` is not given: `--secret {name}=FILE`")
    })
}

fn refuse_shown(secrets: &Secrets, bytes: &[u8], place: &str) -> Result<(), String> {
    match secrets.shown_in(bytes) {
        Some(name) => Err(format!("{place} shows the secret `{name}`")),
        None => Ok(()),
    }
}

fn holds(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}
