//! What a caller hands in to be recorded.

use crate::error::LedgerError;
use crate::kind::Kind;
use serde::Serialize;
use std::io::{self, Write};

/// The most bytes that a body may have: 4 MiB.
pub const BODY_LIMIT: usize = 4 << 20;

/// The most bytes that a host's name or a revision may have.
pub const TEXT_LIMIT: usize = 1024;

/// Something to record; checked when it is made, so that it cannot be refused for
/// its shape when it is appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub(crate) kind: Kind,
    pub(crate) host: Option<String>,
    pub(crate) revision: Option<String>,
    pub(crate) body: String,
    pub(crate) unless: Option<Unless>,
}

/// What must not have been recorded meanwhile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unless {
    pub(crate) after: u64,
    pub(crate) kinds: Vec<Kind>,
    pub(crate) host: Option<String>,
}

impl Entry {
    /// An entry with that body, which must become a JSON object of at most
    /// [`BODY_LIMIT`] bytes. The bytes made here are those kept and signed.
    ///
    /// # Errors
    /// `BodyNotObject`, `BodyTooLarge`, `BodyUnwritable`.
    pub fn new<B: Serialize + ?Sized>(kind: Kind, body: &B) -> Result<Self, LedgerError> {
        let mut bounded = Bounded::default();
        match serde_json::to_writer(&mut bounded, body) {
            Ok(()) => {}
            Err(error) => return Err(LedgerError::BodyUnwritable(error)),
        }
        if bounded.length > BODY_LIMIT {
            return Err(LedgerError::BodyTooLarge {
                bytes: bounded.length,
            });
        }
        let body = String::from_utf8(bounded.bytes).map_err(|error| {
            LedgerError::BodyUnwritable(serde::ser::Error::custom(error.utf8_error()))
        })?;
        if !body.starts_with('{') {
            return Err(LedgerError::BodyNotObject);
        }
        Ok(Self {
            kind,
            host: None,
            revision: None,
            body,
            unless: None,
        })
    }

    /// About that host.
    ///
    /// # Errors
    /// `BadText`: the name is empty, too long or has control characters.
    pub fn host(self, host: impl Into<String>) -> Result<Self, LedgerError> {
        let host = Some(fit("host", host.into())?);
        Ok(Self { host, ..self })
    }

    /// Only if no receipt after the one of that number is of one of these kinds
    /// (and about that host, if one is given): what was concluded from the
    /// receipts up to there must not be recorded behind one that contradicts it.
    /// Otherwise [`LedgerError::Overtaken`], and nothing is recorded.
    #[must_use]
    pub fn unless_newer(self, after: u64, kinds: &[Kind], host: Option<&str>) -> Self {
        let unless = Some(Unless {
            after,
            kinds: kinds.to_vec(),
            host: host.map(str::to_owned),
        });
        Self { unless, ..self }
    }

    /// Of that revision of the model.
    ///
    /// # Errors
    /// `BadText`: the revision is empty, too long or has control characters.
    pub fn revision(self, revision: impl Into<String>) -> Result<Self, LedgerError> {
        let revision = Some(fit("revision", revision.into())?);
        Ok(Self { revision, ..self })
    }
}

fn fit(field: &'static str, text: String) -> Result<String, LedgerError> {
    if text.is_empty() || text.len() > TEXT_LIMIT || text.chars().any(char::is_control) {
        return Err(LedgerError::BadText { field });
    }
    Ok(text)
}

/// Keeps nothing past the limit, so that a huge value is never held in full, and
/// counts on, so that its size can be said.
#[derive(Default)]
struct Bounded {
    bytes: Vec<u8>,
    length: usize,
}

impl Write for Bounded {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        self.length = self.length.saturating_add(more.len());
        if self.length <= BODY_LIMIT {
            self.bytes.extend_from_slice(more);
        }
        Ok(more.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{BODY_LIMIT, Entry, TEXT_LIMIT};
    use crate::{Kind, LedgerError};
    use serde_json::json;

    #[test]
    fn only_objects_within_the_limit() {
        for bad in [json!([1]), json!("{}"), json!(null), json!(3)] {
            assert!(matches!(
                Entry::new(Kind::Plan, &bad),
                Err(LedgerError::BodyNotObject)
            ));
        }
        let around = r#"{"a":""}"#.len();
        let fits = json!({"a": "x".repeat(BODY_LIMIT - around)});
        assert_eq!(
            Entry::new(Kind::Plan, &fits).unwrap().body.len(),
            BODY_LIMIT
        );
        let over = json!({"a": "x".repeat(BODY_LIMIT - around + 1)});
        assert!(matches!(
            Entry::new(Kind::Plan, &over),
            Err(LedgerError::BodyTooLarge { bytes }) if bytes == BODY_LIMIT + 1
        ));
        let keys = std::collections::BTreeMap::from([((1, 2), 3)]);
        assert!(matches!(
            Entry::new(Kind::Plan, &keys),
            Err(LedgerError::BodyUnwritable(_))
        ));
    }

    #[test]
    fn only_plain_hosts_and_revisions() {
        let entry = Entry::new(Kind::Plan, &json!({})).unwrap();
        for bad in ["", "a\nb", "\0", &"x".repeat(TEXT_LIMIT + 1)] {
            for refused in [entry.clone().host(bad), entry.clone().revision(bad)] {
                assert!(matches!(refused, Err(LedgerError::BadText { .. })), "{bad}");
            }
        }
        let entry = entry.host("höst").unwrap().revision("abc").unwrap();
        assert_eq!(entry.host.as_deref(), Some("höst"));
        assert_eq!(entry.revision.as_deref(), Some("abc"));
    }
}
