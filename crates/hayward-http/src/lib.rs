//! How a request over HTTP is sent.
//!
//! - **Deadline**: one, for the whole of it: names, connection, TLS, headers, body.
//! - **Size**: the body of an answer has a limit, its headers have 64 KiB.
//! - **Redirects** are answers like others: none is followed, so no header goes to a
//!   host that the request does not name.
//! - **TLS** checks the server against the system's roots, or those of `SSL_CERT_FILE`
//!   and `SSL_CERT_DIR`. They are read when the first request goes over TLS. Nothing
//!   here switches the check off.
//! - **An end**: an answer is whole by its length, by its last chunk, or, where it says neither,
//!   by the orderly end of its connection.
//! - **Proxies** of the environment are not asked: they would read what goes over `http`.
//!
//! Who sends it says what it is: the address is encoded, and no header has a line end.
#![forbid(unsafe_code)]

mod whole;

use std::io::{ErrorKind, Read};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use thiserror::Error;
use ureq::config::{AutoHeaderValue, Config};
use ureq::http::{HeaderValue, Method, Uri, Version};
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::{Connector, DefaultConnector};
use ureq::{Agent, AsSendBody};

/// Bytes of the headers of an answer.
const HEADERS: usize = 64 << 10;

/// Bytes of an address, which is what the library takes.
const ADDRESS: usize = 65_534;

/// Bytes of one header of a request, its name and its end included.
const HEADER: usize = 128 << 10;

/// A request.
#[derive(Debug)]
pub struct Request<'a> {
    /// `GET`, for instance.
    pub method: &'a str,
    /// `http` or `https`, encoded, with no user in it.
    pub url: &'a str,
    /// Names and values.
    pub headers: &'a [(String, String)],
    /// What it carries; none is no body at all.
    pub body: Option<&'a [u8]>,
}

/// What one request may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// From its start to the last byte of its answer.
    pub deadline: Duration,
    /// Bytes of the body of its answer.
    pub body: usize,
}

/// An answer, whatever its status.
#[derive(Debug)]
pub struct Response {
    /// From 100 to 599: RFC 9110 section 15.
    pub status: u16,
    /// Names in small letters; values in the order in which they came.
    pub headers: Vec<(String, Vec<u8>)>,
    /// All of it.
    pub body: Vec<u8>,
}

/// Why there is no answer. None of the texts has the address or a header.
#[derive(Debug, Error)]
#[allow(missing_docs)] // each is its text
pub enum HttpError {
    #[error("no answer within {} s", .0.as_secs_f64())]
    Deadline(Duration),
    #[error("the body of its answer has more than {0} bytes")]
    TooLarge(usize),
    #[error("the headers of its answer have more than {HEADERS} bytes")]
    LargeHeaders,
    #[error("its address has more than {ADDRESS} bytes")]
    LongAddress,
    #[error("one of its headers has more than {HEADER} bytes")]
    LargeHeader,
    #[error("its answer has the status {0}, and there are those from 100 to 599 (RFC 9110, 15)")]
    NoStatus(u16),
    #[error("its answer is encoded, which was not asked for")]
    Encoded,
    #[error("the server is not trusted: {0}")]
    Untrusted(String),
    #[error("the system has no roots that a server could be checked against{0}")]
    NoRoots(String),
    #[error("it is no request: {0}")]
    BadRequest(String),
    #[error("the connection ended before its answer was whole")]
    CutOff,
    #[error("its answer is no HTTP: {0}")]
    NoHttp(String),
    #[error("{0}")]
    Failed(String),
}

/// Sends requests. It holds connections open for the next ones, if it may.
#[derive(Debug)]
pub struct Client {
    /// Connections that are kept for further requests.
    idle: usize,
    plain: OnceLock<Agent>,
    secure: OnceLock<Agent>,
}

impl Client {
    /// Nothing is read and nobody is asked until the first request. So many
    /// connections are kept for further requests; with 0, each has its own.
    #[must_use]
    pub fn new(idle: usize) -> Self {
        Self {
            idle,
            plain: OnceLock::new(),
            secure: OnceLock::new(),
        }
    }

    /// Sends a request and waits for the whole answer.
    ///
    /// # Errors
    /// If no whole answer comes within the limits.
    pub fn send(&self, request: &Request<'_>, limits: &Limits) -> Result<Response, HttpError> {
        if request.url.len() > ADDRESS {
            return Err(HttpError::LongAddress);
        }
        // Its line: a colon, a blank and the line end stand in it too.
        let line = |(name, value): &(String, String)| name.len() + value.len() + 4;
        if request.headers.iter().any(|header| line(header) > HEADER) {
            return Err(HttpError::LargeHeader);
        }
        let uri: Uri = request.url.parse().map_err(bad_request)?;
        let agent = match uri.scheme_str() {
            Some("https") => self.secure()?,
            Some("http") => self.plain.get_or_init(|| self.agent(None)),
            _ => return Err(HttpError::BadRequest("its scheme is no `http`".into())),
        };
        let method = Method::from_bytes(request.method.as_bytes()).map_err(bad_request)?;
        let mut built = ureq::http::Request::builder().method(method).uri(uri);
        for (name, value) in request.headers {
            built = built.header(name, value);
        }
        let sent = match request.body {
            Some(bytes) => run(agent, built.body(bytes), limits),
            None => run(agent, built.body(()), limits),
        };
        let failed = |error| HttpError::of(error, limits);
        let mut answer = sent?;
        if is_encoded(&answer) {
            return Err(HttpError::Encoded);
        }
        let status = answer.status().as_u16();
        if !(100..600).contains(&status) {
            return Err(HttpError::NoStatus(status));
        }
        let headers = answer
            .headers()
            .iter()
            .map(|(name, value)| (name.as_str().to_owned(), value.as_bytes().to_vec()))
            .collect();
        let mut body = Vec::new();
        // One more than it may have: a body that ends at the limit is whole.
        let limit = limits.body as u64 + 1;
        let mut reader = answer.body_mut().with_config().limit(limit + 1).reader();
        let read = reader.by_ref().take(limit).read_to_end(&mut body);
        read.map_err(|error| failed(ureq::Error::from(error)))?;
        if body.len() > limits.body {
            return Err(HttpError::TooLarge(limits.body));
        }
        Ok(Response {
            status,
            headers,
            body,
        })
    }

    fn secure(&self) -> Result<&Agent, HttpError> {
        if let Some(agent) = self.secure.get() {
            return Ok(agent);
        }
        let found = rustls_native_certs::load_native_certs();
        if found.certs.is_empty() {
            let why = found.errors.first().map(|error| format!(": {error}"));
            return Err(HttpError::NoRoots(why.unwrap_or_default()));
        }
        let roots: Vec<Certificate<'static>> = found
            .certs
            .iter()
            .map(|root| Certificate::from_der(root).to_owned())
            .collect();
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .root_certs(RootCerts::Specific(Arc::new(roots)))
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .build();
        Ok(self.secure.get_or_init(|| self.agent(Some(tls))))
    }

    fn agent(&self, tls: Option<TlsConfig>) -> Agent {
        let secure = tls.is_some();
        let config = Config::builder()
            .tls_config(tls.unwrap_or_default())
            .https_only(secure)
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            .max_response_header_size(HEADERS)
            .output_buffer_size(HEADER)
            .max_idle_connections(self.idle)
            .max_idle_connections_per_host(self.idle)
            .user_agent(concat!("hayward/", env!("CARGO_PKG_VERSION")))
            .accept(AutoHeaderValue::None)
            .accept_encoding(AutoHeaderValue::None)
            .build();
        let connector = DefaultConnector::new().chain(whole::Whole);
        Agent::with_parts(config, connector, DefaultResolver::default())
    }
}

fn run(
    agent: &Agent,
    request: ureq::http::Result<ureq::http::Request<impl AsSendBody>>,
    limits: &Limits,
) -> Result<ureq::http::Response<ureq::Body>, HttpError> {
    let request = agent
        .configure_request(request.map_err(bad_request)?)
        .timeout_global(Some(limits.deadline))
        .build();
    agent.run(request).map_err(|e| HttpError::of(e, limits))
}

/// Whether a body is not there as it is meant, or in chunks. Version 1.0 knows no chunks, and
/// the library would take them for the body (RFC 9112 section 6.1).
fn is_encoded(answer: &ureq::http::Response<ureq::Body>) -> bool {
    let all = |name: &str| answer.headers().get_all(name).iter();
    let mut transfers = all("transfer-encoding");
    let chunked = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"chunked");
    let in_chunks = match (transfers.next(), transfers.next()) {
        (None, _) => true,
        (Some(only), None) => chunked(only) && answer.version() == Version::HTTP_11,
        (Some(_), Some(_)) => false,
    };
    let plain = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"identity");
    !in_chunks || !all("content-encoding").all(plain)
}

fn bad_request(error: impl std::fmt::Display) -> HttpError {
    HttpError::BadRequest(error.to_string())
}

impl HttpError {
    fn of(error: ureq::Error, limits: &Limits) -> Self {
        use ureq::Error;
        match error {
            Error::Timeout(_) => Self::Deadline(limits.deadline),
            Error::BodyExceedsLimit(_) => Self::TooLarge(limits.body),
            Error::LargeResponseHeader(..) => Self::LargeHeaders,
            Error::Rustls(error) => Self::Untrusted(error.to_string()),
            Error::Io(error) => match error
                .get_ref()
                .and_then(|e| e.downcast_ref::<rustls::Error>())
            {
                Some(untrusted) => Self::Untrusted(untrusted.to_string()),
                None => match error.kind() {
                    ErrorKind::TimedOut => Self::Deadline(limits.deadline),
                    ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset => Self::CutOff,
                    _ => Self::Failed(error.to_string()),
                },
            },
            Error::Other(error) if error.is::<whole::Cut>() => Self::CutOff,
            Error::Protocol(error) => Self::NoHttp(error.to_string()),
            other => Self::Failed(other.to_string()),
        }
    }
}
