//! A receipt, as kept.

use crate::chain::Content;
use crate::key::{KeyId, Signature};
use crate::kind::Kind;
use hayward_model::Digest;
use serde::de::DeserializeOwned;
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

/// A kept observation, action, decision or choice. Those that the ledger returns
/// have been checked: the digest is that of the fields, the signature of the
/// ledger's own key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Receipt {
    /// Its place in the chain: from 1, without gaps.
    pub seq: u64,
    /// The digest of the receipt before it.
    pub previous: Digest,
    /// Its own digest, over all other fields but the signature.
    pub digest: Digest,
    /// What it is a receipt of.
    pub kind: Kind,
    /// The host it is about, if it is about one.
    pub host: Option<String>,
    /// The revision of the model, if the caller named one.
    pub revision: Option<String>,
    /// Its JSON, byte for byte as signed.
    #[serde(serialize_with = "raw")]
    pub body: String,
    /// When, in milliseconds since 1970 by `time_source`; a remark, not an order.
    pub at: i64,
    /// The clock that said so.
    pub time_source: String,
    /// Who: `user@machine`, with `SUDO_USER` if it was set.
    pub actor: String,
    /// With what: the tool and its version.
    pub tool: String,
    /// The key that signed it.
    pub key: KeyId,
    /// The key's signature over `digest`.
    pub signature: Signature,
}

impl Receipt {
    /// Its body as a value of some type.
    ///
    /// # Errors
    /// When the body is not of that type.
    pub fn body_as<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_str(&self.body)
    }

    /// What its digest is of.
    pub(crate) fn content(&self) -> Content<'_> {
        Content {
            seq: self.seq,
            previous: self.previous,
            kind: self.kind.as_str(),
            host: self.host.as_deref(),
            revision: self.revision.as_deref(),
            body: &self.body,
            at: self.at,
            time_source: &self.time_source,
            actor: &self.actor,
            tool: &self.tool,
            key: self.key,
        }
    }
}

/// Not parsed and written anew: numbers and the order of keys stay as signed.
fn raw<S: Serializer>(body: &str, to: S) -> Result<S::Ok, S::Error> {
    let raw: &RawValue = serde_json::from_str(body).map_err(serde::ser::Error::custom)?;
    raw.serialize(to)
}
