//! Where a bucket is, and who asks it: from the environment alone, by the names that the
//! tools of AWS use ("Environment variables", AWS SDKs and Tools Reference Guide).

use std::fmt;
use std::net::Ipv6Addr;

/// A bucket, a prefix in it, and who asks.
#[derive(Clone, PartialEq, Eq)]
pub struct BucketPlace {
    bucket: String,
    /// Empty, or with a `/` behind it.
    prefix: String,
    /// `https://host`, without a path.
    origin: String,
    /// What stands before the prefix in a path: empty, or `/bucket`.
    root: String,
    region: String,
    id: String,
    secret: String,
    token: Option<String>,
}

impl BucketPlace {
    /// The place that `s3://bucket/prefix` names. Without an endpoint it is one of Amazon's,
    /// and the bucket stands in its host; with one, it stands in the path.
    pub(crate) fn of(
        address: &str,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        let set = |name: &str| variable(name).filter(|value| !value.is_empty());
        let (bucket, prefix) = address.split_once('/').unwrap_or((address, ""));
        let prefix = prefix.trim_end_matches('/');
        // "Bucket naming rules" of the Amazon S3 User Guide.
        let letter = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-.".contains(c);
        if !(3..=63).contains(&bucket.len()) || !bucket.chars().all(letter) {
            return Err(format!(
                "`{bucket}` is no bucket: 3 to 63 small letters, digits, `-` and `.`"
            ));
        }
        // Nothing that would have to be encoded.
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.~".contains(c);
        let segment = |s: &str| !s.is_empty() && s != "." && s != ".." && s.chars().all(plain);
        if !prefix.is_empty() && !prefix.split('/').all(segment) {
            return Err(format!(
                "`{prefix}` is no prefix: ASCII letters, digits, `-`, `_`, `.` and `~`, with a \
                 `/` between them"
            ));
        }
        let needs = |name: &str| set(name).ok_or_else(|| format!("{name} is not set"));
        let region = needs("AWS_REGION")?;
        if !region
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '-')
        {
            return Err("AWS_REGION is no name of a region".into());
        }
        let id = needs("AWS_ACCESS_KEY_ID")?;
        let secret = needs("AWS_SECRET_ACCESS_KEY")?;
        let token = set("AWS_SESSION_TOKEN");
        let visible = |text: &str| text.bytes().all(|b| b.is_ascii_graphic());
        if !visible(&id) || !token.as_deref().is_none_or(visible) {
            return Err("AWS_ACCESS_KEY_ID or AWS_SESSION_TOKEN has a blank or worse in it".into());
        }
        let endpoint = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"]
            .into_iter()
            .find_map(|name| Some((name, set(name)?)));
        let (origin, root) = match endpoint {
            Some((name, url)) => {
                let origin = url.strip_suffix('/').unwrap_or(&url);
                let host = origin
                    .strip_prefix("https://")
                    .or_else(|| origin.strip_prefix("http://"));
                if !host.is_some_and(is_authority) {
                    return Err(format!(
                        "{name} is no `https://host` or `http://host`, with `:` and a port from 1 \
                         to 65535 behind it or without"
                    ));
                }
                (origin.to_owned(), format!("/{bucket}"))
            }
            None if bucket.contains('.') => {
                return Err(format!(
                    "a bucket with a `.`, like `{bucket}`, is not in Amazon's certificate: set \
                     AWS_ENDPOINT_URL_S3"
                ));
            }
            None => (
                format!("https://{bucket}.s3.{region}.amazonaws.com"),
                String::new(),
            ),
        };
        Ok(Self {
            bucket: bucket.to_owned(),
            prefix: match prefix.is_empty() {
                true => String::new(),
                false => format!("{prefix}/"),
            },
            origin,
            root,
            region,
            id,
            secret,
            token,
        })
    }

    /// The path of an entry, which needs no encoding.
    pub(crate) fn path(&self, entry: &str) -> String {
        format!("{}/{}{entry}", self.root, self.prefix)
    }

    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }

    /// Host and port.
    pub(crate) fn authority(&self) -> &str {
        self.origin
            .split_once("://")
            .map_or(&self.origin, |(_, authority)| authority)
    }

    pub(crate) fn region(&self) -> &str {
        &self.region
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn secret(&self) -> &str {
        &self.secret
    }

    pub(crate) fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }
}

impl fmt::Display for BucketPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = self.prefix.trim_end_matches('/');
        write!(f, "s3://{}", self.bucket)?;
        if prefix.is_empty() {
            return Ok(());
        }
        write!(f, "/{prefix}")
    }
}

/// Without the secret and the token.
impl fmt::Debug for BucketPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} at {}", self.origin)
    }
}

/// A host, or an IPv6 address in brackets, and maybe a port: RFC 3986 section 3.2.
fn is_authority(text: &str) -> bool {
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((address, port)) if address.parse::<Ipv6Addr>().is_ok() => (None, port),
            _ => return false,
        },
        None => {
            let (host, port) = text.split_at(text.find(':').unwrap_or(text.len()));
            (Some(host), port)
        }
    };
    let letter = |c: char| c.is_ascii_alphanumeric() || "-.".contains(c);
    let is_port = |digits: &str| {
        digits.bytes().all(|b| b.is_ascii_digit())
            && digits.parse::<u16>().is_ok_and(|port| port > 0)
    };
    host.is_none_or(|host| !host.is_empty() && host.chars().all(letter))
        && (port.is_empty() || port.strip_prefix(':').is_some_and(is_port))
}

#[cfg(test)]
mod tests {
    use super::BucketPlace;

    const KEYS: [(&str, &str); 3] = [
        ("AWS_REGION", "eu-north-1"),
        ("AWS_ACCESS_KEY_ID", "id"),
        ("AWS_SECRET_ACCESS_KEY", "secret"),
    ];

    fn of(address: &str, variables: &[(&str, &str)]) -> Result<BucketPlace, String> {
        BucketPlace::of(address, |name| {
            let found = variables.iter().find(|(n, _)| *n == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    fn url(address: &str, more: &[(&str, &str)]) -> String {
        let place = of(address, &[&KEYS[..], more].concat()).unwrap();
        format!("{}{}", place.origin(), place.path("ab/cd"))
    }

    #[test]
    fn the_environment_says_where_a_bucket_is() {
        assert_eq!(
            url("ci-store/team/one/", &[]),
            "https://ci-store.s3.eu-north-1.amazonaws.com/team/one/ab/cd"
        );
        assert_eq!(
            url(
                "ci.store",
                &[("AWS_ENDPOINT_URL", "http://127.0.0.1:9000/")]
            ),
            "http://127.0.0.1:9000/ci.store/ab/cd"
        );
        let both = [
            ("AWS_ENDPOINT_URL", "http://x"),
            ("AWS_ENDPOINT_URL_S3", "https://y"),
        ];
        assert_eq!(url("store", &both), "https://y/store/ab/cd");
    }

    #[test]
    fn what_is_no_bucket_is_refused() {
        for address in [
            "",
            "ab",
            "Store",
            "store_1",
            "store?",
            "store/a b",
            "store/../x",
            "store//x",
            "s.t.o",
            "store/%41",
            "store@host",
        ] {
            assert!(of(address, &KEYS).is_err(), "{address}");
        }
        for missing in 0..KEYS.len() {
            let mut set = KEYS.to_vec();
            let (name, _) = set.remove(missing);
            assert_eq!(of("store", &set).unwrap_err(), format!("{name} is not set"));
        }
        for endpoint in [
            "ftp://x",
            "https://",
            "https://x/path",
            "https://u@x",
            "https://x?y",
            "x",
            "http://host:99999",
            "http://host:0",
            "http://host:",
            "http://host:+1",
            "http://a:1:2",
            "http://:9000",
            "http://[::1",
            "http://[::1]9000",
            "http://[x]:1",
        ] {
            let set = [&KEYS[..], &[("AWS_ENDPOINT_URL", endpoint)]].concat();
            assert!(of("store", &set).is_err(), "{endpoint}");
        }
        let token = [&KEYS[..], &[("AWS_SESSION_TOKEN", "a\r\nb")]].concat();
        assert!(of("store", &token).is_err());
    }

    #[test]
    fn nothing_shows_a_key() {
        let place = of("store/p", &KEYS).unwrap();
        let shown = format!("{place} {place:?}");
        assert!(!shown.contains("secret"), "{shown}");
    }
}
