//! A request over HTTP as plain data, and how its parts become one: each value is
//! encoded for the place where it stands.

use dag_analysis::operation::{Method, Origin, Piece, Rest, RestEntry};
use dag_uri::has_dots;

/// A request over HTTP.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Http {
    /// Its method.
    pub method: Method,
    /// Where it goes, with the path that all requests to it share.
    pub origin: Origin,
    /// Behind the origin: empty or a path, and a query; encoded.
    pub target: String,
    /// Its headers, in order, each name once; no text has a line end.
    pub headers: Vec<(String, Vec<HeaderText>)>,
    /// User and name of the password, for basic authentication.
    pub basic: Option<(String, String)>,
    /// What it carries.
    pub body: Option<String>,
    /// The headers of an answer that are read, in small letters.
    pub read_headers: Vec<String>,
}

/// A piece of a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HeaderText {
    /// This text.
    Plain(String),
    /// The secret of this name.
    Secret(String),
}

impl Http {
    /// Where it goes, without what it asks there: `GET https://host`.
    #[must_use]
    pub fn place(&self) -> String {
        let scheme = if self.origin.tls { "https" } else { "http" };
        format!(
            "{} {scheme}://{}",
            self.method.as_str(),
            self.origin.authority
        )
    }

    /// The whole address.
    #[must_use]
    pub fn url(&self) -> String {
        let scheme = if self.origin.tls { "https" } else { "http" };
        let Origin {
            authority, path, ..
        } = &self.origin;
        let target = match self.target.as_str() {
            query if path.is_empty() && !query.starts_with('/') => format!("/{query}"),
            target => target.to_owned(),
        };
        format!("{scheme}://{authority}{path}{target}")
    }
}

/// What a part of a request is.
pub(crate) enum Part {
    /// A text, or one for each item of a list; none for an absent one.
    Texts(Vec<String>),
    Secret(String),
}

impl Part {
    fn text(self) -> Option<String> {
        match self {
            Part::Texts(texts) => texts.into_iter().next(),
            Part::Secret(_) => None,
        }
    }
}

/// Why parts make no request.
pub(crate) enum NoRequest {
    /// A value fits nowhere; why.
    Refused(String),
    /// The parts are not those of the operation.
    Broken,
}

/// Puts a request together.
pub(crate) fn request(
    rest: &Rest,
    read_headers: Vec<String>,
    parts: impl IntoIterator<Item = Part>,
) -> Result<Http, NoRequest> {
    let mut parts = parts.into_iter();
    let mut next = || parts.next().ok_or(NoRequest::Broken);
    let mut origin = None;
    let (mut path, mut query) = (String::new(), String::new());
    let (mut headers, mut basic, mut body) = (Vec::new(), None, None);
    for entry in &rest.entries {
        match entry {
            RestEntry::Base => {
                origin = Some(origin_of(&text(next()?)?, rest.tls)?);
            }
            RestEntry::WholePath => path = whole_path(&text(next()?)?)?,
            RestEntry::Path(pieces) => {
                for piece in pieces {
                    match piece {
                        Piece::Text(text) => path.push_str(&dag_uri::written_path(text)),
                        Piece::Hole => {
                            let value = text(next()?)?;
                            if value.is_empty() {
                                return refused("a hole of its path is given an empty text");
                            }
                            path.push_str(&dag_uri::value(&value));
                        }
                    }
                }
                if has_dots(&path) {
                    return refused("a value makes a segment `.` or `..` of its path");
                }
            }
            RestEntry::Query(name) => {
                let Part::Texts(values) = next()? else {
                    return Err(NoRequest::Broken);
                };
                for value in values {
                    query.push(if query.is_empty() { '?' } else { '&' });
                    query.push_str(&dag_uri::value(name));
                    query.push('=');
                    query.push_str(&dag_uri::value(&value));
                }
            }
            RestEntry::Header(name, pieces) => {
                let mut value = Vec::with_capacity(pieces.len());
                for piece in pieces {
                    value.push(match piece {
                        Piece::Text(text) => HeaderText::Plain(text.as_ref().to_owned()),
                        Piece::Hole => match next()? {
                            Part::Secret(name) => HeaderText::Secret(name),
                            part => HeaderText::Plain(text(part)?),
                        },
                    });
                }
                let fits = |piece: &HeaderText| match piece {
                    HeaderText::Plain(text) => is_header_text(text),
                    HeaderText::Secret(_) => true,
                };
                if !value.iter().all(fits) {
                    return refused(&format!(
                        "the header `{name}` is given a text with a line end, a control \
                         character or a letter outside ASCII (RFC 9110, 5.5)"
                    ));
                }
                headers.push((name.as_ref().to_owned(), value));
            }
            RestEntry::Basic => {
                let user = text(next()?)?;
                if user.contains(':') || user.chars().any(char::is_control) {
                    return refused(
                        "the user of `auth_basic` has a `:` or a control character (RFC 7617)",
                    );
                }
                let Part::Secret(password) = next()? else {
                    return Err(NoRequest::Broken);
                };
                basic = Some((user, password));
            }
            RestEntry::Body => body = Some(text(next()?)?),
        }
    }
    if rest.json {
        let accept = vec![HeaderText::Plain("application/json".into())];
        headers.push(("Accept".into(), accept));
    }
    Ok(Http {
        method: rest.method,
        origin: origin.ok_or(NoRequest::Broken)?,
        target: path + &query,
        headers,
        basic,
        body,
        read_headers,
    })
}

/// Whether a text can stand in a header: visible ASCII, blanks and tabs.
#[must_use]
pub fn is_header_text(text: &str) -> bool {
    text.bytes()
        .all(|b| b == b'\t' || (b' '..=b'~').contains(&b))
}

fn refused<T>(why: &str) -> Result<T, NoRequest> {
    Err(NoRequest::Refused(why.to_owned()))
}

fn text(part: Part) -> Result<String, NoRequest> {
    part.text().ok_or(NoRequest::Broken)
}

fn origin_of(text: &str, tls: bool) -> Result<Origin, NoRequest> {
    match Origin::parse(text) {
        Ok(origin) if origin.tls == tls => Ok(origin),
        Ok(_) if tls => refused("its `base_url` is `http://…`, and no `tls: false` says so"),
        Ok(_) => refused("its `base_url` is `https://…`, and `tls: false` is written"),
        Err(why) => refused(&format!(
            "its `base_url` is no place where a request goes: {why}"
        )),
    }
}

fn whole_path(text: &str) -> Result<String, NoRequest> {
    if !text.starts_with('/') {
        return refused("its path does not begin with `/`");
    }
    if has_dots(text) {
        return refused("its path has a segment `.` or `..`");
    }
    Ok(dag_uri::path(text))
}
