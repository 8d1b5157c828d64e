//! `ledger.head`: the last receipt that is known to exist. Rows alone cannot tell
//! that their end was cut off; the head can.

use crate::chain::{Broken, Walk, Why, head_digest};
use crate::error::LedgerError;
use crate::file::{self, Staged};
use crate::key::{Key, KeyId, Signature};
use crate::place::Place;
use hayward_model::Digest;
use serde::Deserialize;

/// A head that its key signed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Head {
    pub(crate) seq: u64,
    pub(crate) digest: Digest,
    key: KeyId,
    signature: Signature,
}

/// What was found at `ledger.head`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Nothing,
    Bad(Why),
    Head(Head),
}

/// Reads `ledger.head`. Only the system refusing is an error here: a bad head is
/// a finding, which verifying reports after the rows.
pub(crate) fn read(place: &Place, key: KeyId) -> Result<Found, LedgerError> {
    let bytes = match file::read(&place.head) {
        Ok(Some((bytes, _))) => bytes,
        Ok(None) => return Ok(Found::Nothing),
        Err(LedgerError::TooLong { .. }) => return Ok(Found::Bad(Why::HeadUnreadable)),
        Err(error) => return Err(error),
    };
    let Ok(head) = serde_json::from_slice::<Head>(&bytes) else {
        return Ok(Found::Bad(Why::HeadUnreadable));
    };
    if head.key != key {
        return Ok(Found::Bad(Why::HeadForeignKey));
    }
    if !key.signed(&head_digest(head.seq, &head.digest, key), &head.signature) {
        return Ok(Found::Bad(Why::HeadSignature));
    }
    Ok(Found::Head(head))
}

/// Writes the head beside `ledger.head`, durably, to be put in its place.
pub(crate) fn stage(
    place: &Place,
    key: &Key,
    seq: u64,
    digest: Digest,
) -> Result<Staged, LedgerError> {
    let id = key.id();
    let signature = key.sign(&head_digest(seq, &digest, id));
    // Digits only: nothing here needs escaping.
    let text =
        format!(r#"{{"seq":{seq},"digest":"{digest}","key":"{id}","signature":"{signature}"}}"#)
            + "\n";
    file::stage(&place.head, text.as_bytes())
}

impl Found {
    /// Whether the head is behind the end of the walk by the one receipt that a
    /// crash can explain.
    ///
    /// The row is committed before the head is put in place, never the other way:
    /// a head ahead of the rows must always mean that rows were lost. So a process
    /// that dies in between leaves the head exactly one behind. It cannot come to be
    /// two, however many crashes follow: the next append brings the head up to the
    /// last row before it commits its own.
    pub(crate) fn is_behind(&self, walk: &Walk) -> Result<bool, Broken> {
        let broken = |seq, why| Err(Broken { seq, why });
        let head = match self {
            Self::Head(head) => head,
            // An empty chain whose first head was never written.
            Self::Nothing if walk.seq == 0 => return Ok(false),
            Self::Nothing => return broken(walk.seq, Why::HeadMissing),
            Self::Bad(why) => return broken(walk.seq, *why),
        };
        if head.seq > walk.seq {
            return broken(walk.seq + 1, Why::MissingTail { head: head.seq });
        }
        let (behind, known) = match walk.seq - head.seq {
            0 => (false, walk.last),
            1 => (true, walk.before),
            _ => return broken(head.seq + 1, Why::HeadBehind { head: head.seq }),
        };
        if head.digest != known {
            return broken(head.seq, Why::HeadElsewhere);
        }
        Ok(behind)
    }
}
