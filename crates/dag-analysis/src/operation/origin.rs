//! Where a request over HTTP goes.

use std::fmt;

/// `https://host`, `https://host:port` or either with a path behind it; `http`
/// likewise. It has no user, no query and no fragment: RFC 3986 section 3 gives
/// more forms, and each of them would let a text say something else than it shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// Whether its scheme is `https`.
    pub tls: bool,
    /// Host and port as they are written; an IPv6 address is in brackets.
    pub authority: String,
    /// Empty, or a path without a `/` at its end.
    pub path: String,
}

/// Why a text is no [`Origin`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OriginError(&'static str);

impl fmt::Display for OriginError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Origin {
    /// Reads one.
    ///
    /// # Errors
    /// If the text is none.
    pub fn parse(text: &str) -> Result<Self, OriginError> {
        let (tls, rest) = match (text.strip_prefix("https://"), text.strip_prefix("http://")) {
            (Some(rest), _) => (true, rest),
            (None, Some(rest)) => (false, rest),
            (None, None) => return Err(OriginError("it begins with `https://` or `http://`")),
        };
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (host, port) = match authority.strip_prefix('[') {
            Some(rest) => {
                let (address, port) = rest
                    .split_once(']')
                    .ok_or(OriginError("its IPv6 address has no `]`"))?;
                if address.parse::<std::net::Ipv6Addr>().is_err() {
                    return Err(OriginError(
                        "what stands in its brackets is no IPv6 address",
                    ));
                }
                (None, port)
            }
            None => {
                let end = authority.find(':').unwrap_or(authority.len());
                let (host, port) = authority.split_at(end);
                (Some(host), port)
            }
        };
        let letter = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if host.is_some_and(|host| {
            !host
                .split('.')
                .all(|l| !l.is_empty() && l.chars().all(letter))
        }) {
            return Err(OriginError(
                "its host is labels of ASCII letters, digits and `-`, with a `.` between them",
            ));
        }
        let port = match port.strip_prefix(':') {
            None => port.is_empty(),
            Some(digits) => {
                digits.chars().all(|c| c.is_ascii_digit())
                    && digits.parse::<u16>().is_ok_and(|port| port > 0)
            }
        };
        if !port {
            return Err(OriginError("its port is a number from 1 to 65535"));
        }
        let path = path.strip_suffix('/').unwrap_or(path);
        if dag_uri::written_path(path) != path || dag_uri::has_dots(path) {
            return Err(OriginError(
                "its path has no `?`, `#`, `%`, blank or letter outside ASCII, and no `.` or `..` \
                 as a segment",
            ));
        }
        Ok(Self {
            tls,
            authority: authority.to_owned(),
            path: path.to_owned(),
        })
    }

    /// Whether it is this machine: what is sent there is read by nobody on the way.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        let host = match self.authority.strip_prefix('[') {
            Some(rest) => rest.split(']').next(),
            None => self.authority.split(':').next(),
        };
        let host = host.unwrap_or("");
        // A name is whatever the resolver says it is (RFC 6761 section 6.3 but asks).
        let address = host.parse::<std::net::IpAddr>();
        address.is_ok_and(|address| address.is_loopback())
    }
}
