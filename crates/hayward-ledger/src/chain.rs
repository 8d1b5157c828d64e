//! The chain: what a digest is of, and which links hold.

use crate::key::{KeyId, Signature};
use crate::kind::Kind;
use crate::receipt::Receipt;
use crate::row::Row;
use hayward_model::Digest;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// Keeps digests of receipts apart from every other digest, and the framings of
/// later versions apart from this one.
const RECEIPT: &str = "hayward ledger receipt v1";
const GENESIS: &str = "hayward ledger genesis v1";
const HEAD: &str = "hayward ledger head v1";

/// The fields of a receipt that its digest is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Content<'a> {
    pub(crate) seq: u64,
    pub(crate) previous: Digest,
    pub(crate) kind: &'a str,
    pub(crate) host: Option<&'a str>,
    pub(crate) revision: Option<&'a str>,
    pub(crate) body: &'a str,
    pub(crate) at: i64,
    pub(crate) time_source: &'a str,
    pub(crate) actor: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) key: KeyId,
}

impl Content<'_> {
    /// Every field in turn, each behind its length (8 bytes, little endian); an
    /// optional one behind a 0 or 1. So different fields never frame alike.
    pub(crate) fn frame(&self) -> Vec<u8> {
        let mut frame = Frame::new(RECEIPT);
        frame.field(&self.seq.to_le_bytes());
        frame.field(self.previous.as_bytes());
        frame.field(self.kind.as_bytes());
        frame.optional(self.host);
        frame.optional(self.revision);
        frame.field(self.body.as_bytes());
        frame.field(&self.at.to_le_bytes());
        frame.field(self.time_source.as_bytes());
        frame.field(self.actor.as_bytes());
        frame.field(self.tool.as_bytes());
        frame.field(self.key.as_bytes());
        frame.bytes
    }

    /// The digest of the framing.
    pub(crate) fn digest(&self) -> Digest {
        Digest::of(&self.frame())
    }
}

/// What the first receipt names as the one before it: it ties the chain to its key.
pub(crate) fn genesis(key: KeyId) -> Digest {
    let mut frame = Frame::new(GENESIS);
    frame.field(key.as_bytes());
    Digest::of(&frame.bytes)
}

/// What the signature in `ledger.head` is over.
pub(crate) fn head_digest(seq: u64, digest: &Digest, key: KeyId) -> Digest {
    let mut frame = Frame::new(HEAD);
    frame.field(&seq.to_le_bytes());
    frame.field(digest.as_bytes());
    frame.field(key.as_bytes());
    Digest::of(&frame.bytes)
}

struct Frame {
    bytes: Vec<u8>,
}

impl Frame {
    fn new(domain: &str) -> Self {
        let mut frame = Self { bytes: Vec::new() };
        frame.field(domain.as_bytes());
        frame
    }

    fn field(&mut self, field: &[u8]) {
        self.bytes
            .extend_from_slice(&(field.len() as u64).to_le_bytes());
        self.bytes.extend_from_slice(field);
    }

    fn optional(&mut self, field: Option<&str>) {
        self.bytes.push(u8::from(field.is_some()));
        if let Some(field) = field {
            self.field(field.as_bytes());
        }
    }
}

/// The first broken link: the receipt where the chain stops to hold, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "The ledger is broken at receipt {seq}: {why}. Nothing is recorded on a broken ledger; keep the directory as evidence and restore a backup."
)]
pub struct Broken {
    /// The number of the receipt.
    pub seq: u64,
    /// What is wrong there.
    pub why: Why,
}

/// What can be wrong at a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// There is no receipt of that number, but one of another number in its place.
    Gap {
        /// The number found.
        found: i64,
    },
    /// It names another key than the ledger's.
    ForeignKey,
    /// It does not name the digest of the receipt before it.
    Previous,
    /// A column does not hold what it should hold at all.
    Unreadable,
    /// Its kind is none.
    UnknownKind,
    /// Its digest is not that of its fields: one was edited.
    Edited,
    /// The ledger's key did not sign it.
    Signature,
    /// It and perhaps more are missing from the end: the head knows of more.
    MissingTail {
        /// The last receipt that the head knows.
        head: u64,
    },
    /// It exists, but `ledger.head` does not.
    HeadMissing,
    /// `ledger.head` does not know of it although another follows; an older head
    /// was put back, or rows were added.
    HeadBehind {
        /// The last receipt that the head knows.
        head: u64,
    },
    /// `ledger.head` cannot be read as a head.
    HeadUnreadable,
    /// `ledger.head` was signed by another key.
    HeadForeignKey,
    /// `ledger.head` was edited: its signature does not fit.
    HeadSignature,
    /// `ledger.head` knows another receipt of that number.
    HeadElsewhere,
    /// The kept anchor knows another receipt of that number.
    AnchorElsewhere,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Gap { found } => {
                return write!(f, "it is missing, and number {found} stands in its place");
            }
            Self::MissingTail { head } => {
                return write!(
                    f,
                    "it is missing, and the end of the chain was receipt {head}"
                );
            }
            Self::HeadBehind { head } => {
                return write!(
                    f,
                    "ledger.head ends at receipt {head}, which a crash cannot explain"
                );
            }
            Self::ForeignKey => "it names another key than this ledger's",
            Self::Previous => "it does not follow from the receipt before it",
            Self::Unreadable => "a column of it cannot be read",
            Self::UnknownKind => "its kind is unknown",
            Self::Edited => "a field of it was edited, its digest does not fit",
            Self::Signature => "its signature is not of this ledger's key",
            Self::HeadMissing => "it is there, but ledger.head is missing",
            Self::HeadUnreadable => "it is there, but ledger.head cannot be read",
            Self::HeadForeignKey => "ledger.head names another key than this ledger's",
            Self::HeadSignature => "ledger.head was edited, its signature does not fit",
            Self::HeadElsewhere => "ledger.head belongs to another chain",
            Self::AnchorElsewhere => "the anchor knows another receipt of that number",
        };
        f.write_str(text)
    }
}

/// A link that was once known to hold, to be kept elsewhere: written `seq:digest`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchor {
    /// The receipt's number; 0 for an empty chain.
    pub seq: u64,
    /// Its digest.
    pub digest: Digest,
}

impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.seq, self.digest)
    }
}

impl FromStr for Anchor {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.split_once(':')
            .and_then(|(seq, digest)| {
                Some(Self {
                    seq: seq.parse().ok()?,
                    digest: Digest::parse(digest)?,
                })
            })
            .ok_or("an anchor is a number, a colon and 64 hexadecimal digits")
    }
}

/// A chain that holds from the first receipt to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// How many receipts there are.
    pub receipts: u64,
    /// The digest of the last; of the empty chain, when there is none.
    pub head: Digest,
    /// The key that signed them all.
    pub key: KeyId,
    /// A process died between recording the last receipt and writing the head;
    /// the next receipt mends it.
    pub head_behind: bool,
}

impl Verified {
    /// To be kept elsewhere, for [`crate::Ledger::verify_against`].
    #[must_use]
    pub fn anchor(&self) -> Anchor {
        Anchor {
            seq: self.receipts,
            digest: self.head,
        }
    }
}

/// The receipt in a row, if its own digest and signature hold.
pub(crate) fn check_alone(row: Row, key: KeyId) -> Result<Receipt, Broken> {
    // A number below 1 can only stand where another should.
    let seq = u64::try_from(row.seq).unwrap_or(0);
    let broken = |why| Broken { seq, why };
    if row.key != key.as_bytes() {
        return Err(broken(Why::ForeignKey));
    }
    let unreadable = |_| broken(Why::Unreadable);
    let digest = Digest::from_bytes(row.digest.as_slice().try_into().map_err(unreadable)?);
    let receipt = Receipt {
        seq,
        previous: Digest::from_bytes(row.previous.as_slice().try_into().map_err(unreadable)?),
        digest,
        kind: Kind::parse(&row.kind).ok_or(broken(Why::UnknownKind))?,
        host: row.host,
        revision: row.revision,
        body: row.body,
        at: row.at,
        time_source: row.time_source,
        actor: row.actor,
        tool: row.tool,
        key,
        signature: Signature::from_bytes(
            row.signature
                .as_slice()
                .try_into()
                .map_err(|_| broken(Why::Signature))?,
        ),
    };
    if receipt.content().digest() != digest {
        return Err(broken(Why::Edited));
    }
    if !key.signed(&digest, &receipt.signature) {
        return Err(broken(Why::Signature));
    }
    Ok(receipt)
}

/// A walk along the chain from its beginning.
#[derive(Debug)]
pub(crate) struct Walk {
    key: KeyId,
    /// How many links hold.
    pub(crate) seq: u64,
    /// The digest of the last that holds.
    pub(crate) last: Digest,
    /// The digest of the one before it.
    pub(crate) before: Digest,
}

impl Walk {
    pub(crate) fn new(key: KeyId) -> Self {
        let genesis = genesis(key);
        Self {
            key,
            seq: 0,
            last: genesis,
            before: genesis,
        }
    }

    /// Goes one link on, if it holds.
    pub(crate) fn step(&mut self, row: Row) -> Result<(), Broken> {
        let seq = self.seq + 1;
        if u64::try_from(row.seq) != Ok(seq) {
            let found = row.seq;
            return Err(Broken {
                seq,
                why: Why::Gap { found },
            });
        }
        // Before the digest: a receipt moved here as a whole is intact in itself.
        let foreign = row.key != self.key.as_bytes();
        if !foreign && row.previous != self.last.as_bytes() {
            return Err(Broken {
                seq,
                why: Why::Previous,
            });
        }
        let receipt = check_alone(row, self.key)?;
        self.seq = seq;
        self.before = self.last;
        self.last = receipt.digest;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Anchor, Content, Walk, Why, genesis, head_digest};
    use crate::key::{Key, KeyId};
    use crate::row::Row;
    use hayward_model::Digest;
    use proptest::prelude::*;

    #[derive(Clone, Debug, PartialEq)]
    struct Owned {
        seq: u64,
        previous: [u8; 32],
        kind: String,
        host: Option<String>,
        revision: Option<String>,
        body: String,
        at: i64,
        time_source: String,
        actor: String,
        tool: String,
        key: [u8; 32],
    }

    impl Owned {
        fn content(&self) -> Content<'_> {
            Content {
                seq: self.seq,
                previous: Digest::from_bytes(self.previous),
                kind: &self.kind,
                host: self.host.as_deref(),
                revision: self.revision.as_deref(),
                body: &self.body,
                at: self.at,
                time_source: &self.time_source,
                actor: &self.actor,
                tool: &self.tool,
                key: KeyId::from_bytes(self.key),
            }
        }
    }

    /// Few letters and short texts, so that shifted boundaries are likely.
    fn text() -> impl Strategy<Value = String> {
        "[ab\u{0}\u{1}]{0,3}"
    }

    fn owned() -> impl Strategy<Value = Owned> {
        let optional = || proptest::option::of(text());
        (
            (0..3u64, 0..2u8, text(), optional(), optional(), text()),
            (-1..2i64, text(), text(), text(), 0..2u8),
        )
            .prop_map(|(a, b)| Owned {
                seq: a.0,
                previous: [a.1; 32],
                kind: a.2,
                host: a.3,
                revision: a.4,
                body: a.5,
                at: b.0,
                time_source: b.1,
                actor: b.2,
                tool: b.3,
                key: [b.4; 32],
            })
    }

    /// Reads a framing back, written apart from the code that makes it: what can be
    /// read back in one way only, two different receipts cannot share.
    fn unframe(frame: &[u8]) -> Option<Owned> {
        struct Cursor<'a>(&'a [u8]);
        impl Cursor<'_> {
            fn take(&mut self, n: usize) -> Option<Vec<u8>> {
                let (head, tail) = self.0.split_at_checked(n)?;
                self.0 = tail;
                Some(head.to_vec())
            }
            fn field(&mut self) -> Option<Vec<u8>> {
                let n = u64::from_le_bytes(self.take(8)?.try_into().ok()?);
                self.take(usize::try_from(n).ok()?)
            }
            fn text(&mut self) -> Option<String> {
                String::from_utf8(self.field()?).ok()
            }
            fn optional(&mut self) -> Option<Option<String>> {
                match self.take(1)?[0] {
                    0 => Some(None),
                    1 => Some(Some(self.text()?)),
                    _ => None,
                }
            }
        }
        let mut from = Cursor(frame);
        if from.field()? != b"hayward ledger receipt v1" {
            return None;
        }
        let owned = Owned {
            seq: u64::from_le_bytes(from.field()?.try_into().ok()?),
            previous: from.field()?.try_into().ok()?,
            kind: from.text()?,
            host: from.optional()?,
            revision: from.optional()?,
            body: from.text()?,
            at: i64::from_le_bytes(from.field()?.try_into().ok()?),
            time_source: from.text()?,
            actor: from.text()?,
            tool: from.text()?,
            key: from.field()?.try_into().ok()?,
        };
        from.0.is_empty().then_some(owned)
    }

    proptest! {
        #[test]
        fn a_framing_is_read_back_in_one_way(owned in owned()) {
            prop_assert_eq!(unframe(&owned.content().frame()), Some(owned));
        }

        #[test]
        fn different_receipts_frame_differently(a in owned(), b in owned()) {
            prop_assert_eq!(a == b, a.content().frame() == b.content().frame());
            prop_assert_eq!(a == b, a.content().digest() == b.content().digest());
        }
    }

    #[test]
    fn the_framing_is_pinned() {
        let owned = Owned {
            seq: 1,
            previous: [7; 32],
            kind: "plan".into(),
            host: None,
            revision: Some("r".into()),
            body: "{}".into(),
            at: -1,
            time_source: "system clock".into(),
            actor: "ann@box".into(),
            tool: "hayward 0.1.0".into(),
            key: [9; 32],
        };
        // Changing this breaks every ledger that exists; raise the version instead.
        assert_eq!(
            owned.content().digest().to_string(),
            "58f5f19f313258cc3d23fbeab5ffd3db7c60284b632811d59369a29536e63dfc"
        );
        let key = KeyId::from_bytes([9; 32]);
        assert_ne!(genesis(key), genesis(KeyId::from_bytes([8; 32])));
        assert_ne!(head_digest(0, &genesis(key), key), genesis(key));
    }

    /// A row as whoever has that key would write it.
    fn sealed(owned: &Owned, key: &Key) -> Row {
        let owned = Owned {
            key: *key.id().as_bytes(),
            ..owned.clone()
        };
        let digest = owned.content().digest();
        Row {
            seq: owned.seq.cast_signed(),
            previous: owned.previous.to_vec(),
            digest: digest.as_bytes().to_vec(),
            signature: key.sign(&digest).as_bytes().to_vec(),
            kind: owned.kind,
            host: owned.host,
            revision: owned.revision,
            body: owned.body,
            at: owned.at,
            time_source: owned.time_source,
            actor: owned.actor,
            tool: owned.tool,
            key: owned.key.to_vec(),
        }
    }

    fn first(key: &Key) -> Owned {
        Owned {
            seq: 1,
            previous: *genesis(key.id()).as_bytes(),
            kind: "plan".into(),
            host: Some("a".into()),
            revision: None,
            body: "{}".into(),
            at: 0,
            time_source: String::new(),
            actor: String::new(),
            tool: String::new(),
            key: [0; 32],
        }
    }

    #[test]
    fn an_edit_sealed_anew_without_the_key_is_found() {
        let (ours, theirs) = (Key::from_secret(&[1; 32]), Key::from_secret(&[2; 32]));
        let honest = first(&ours);
        let edited = Owned {
            body: r#"{"x":1}"#.into(),
            ..honest.clone()
        };
        let why = |row| Walk::new(ours.id()).step(row).map_err(|broken| broken.why);
        assert_eq!(why(sealed(&honest, &ours)), Ok(()));
        // The digest made to fit, the signature left as it was.
        let mut row = sealed(&edited, &ours);
        row.signature = sealed(&honest, &ours).signature;
        assert_eq!(why(row), Err(Why::Signature));
        // Signed with another key, under our key's name and under its own.
        let mut row = sealed(&edited, &ours);
        let digest = Digest::from_bytes(row.digest.as_slice().try_into().unwrap());
        row.signature = theirs.sign(&digest).as_bytes().to_vec();
        assert_eq!(why(row), Err(Why::Signature));
        assert_eq!(why(sealed(&edited, &theirs)), Err(Why::ForeignKey));
    }

    #[test]
    fn a_kind_that_is_none_is_named_even_when_sealed() {
        let key = Key::from_secret(&[1; 32]);
        let odd = Owned {
            kind: "plans".into(),
            ..first(&key)
        };
        let broken = Walk::new(key.id()).step(sealed(&odd, &key)).unwrap_err();
        assert_eq!((broken.seq, broken.why), (1, Why::UnknownKind));
    }

    #[test]
    fn anchors_read_back() {
        let anchor = Anchor {
            seq: 12,
            digest: Digest::of(b"x"),
        };
        assert_eq!(anchor.to_string().parse(), Ok(anchor));
        for bad in ["", "12", "12:ab", "x:00"] {
            assert!(bad.parse::<Anchor>().is_err());
        }
    }
}
