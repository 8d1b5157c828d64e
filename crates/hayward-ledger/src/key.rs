//! The signing key, its public half, and signatures.

use crate::error::LedgerError;
use crate::file;
use crate::hex;
use crate::place::Place;
use crate::step::{Step, Watch};
use ed25519_dalek::{Signer, SigningKey, VerifyingKey};
use hayward_model::Digest;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::os::unix::fs::PermissionsExt;

/// Says what the file is, to a person and to a scanner for secrets.
const PREFIX: &str = "hayward-ed25519-secret-v1 ";

/// The name of a key: its public half, shown as 64 hexadecimal digits. Whoever
/// has it can check a ledger without the secret ([`crate::View::trusting`]).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyId([u8; 32]);

impl KeyId {
    /// The key with these 32 public bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its 32 public bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The key that 64 hexadecimal digits spell.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        hex::decode(text).map(Self)
    }

    /// Whether this key signed that digest.
    #[must_use]
    pub fn signed(&self, digest: &Digest, signature: &Signature) -> bool {
        // Strict: no weak keys, and one signature only for a key and a message.
        VerifyingKey::from_bytes(&self.0).is_ok_and(|key| {
            let signature = ed25519_dalek::Signature::from_bytes(&signature.0);
            key.verify_strict(digest.as_bytes(), &signature).is_ok()
        })
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(&self.0))
    }
}

impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl Serialize for KeyId {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for KeyId {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(from)?)
            .ok_or_else(|| serde::de::Error::custom("a key is 64 hexadecimal digits"))
    }
}

/// An Ed25519 signature over a digest, shown as 128 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Signature([u8; 64]);

impl Signature {
    /// The signature with these 64 bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 64]) -> Self {
        Self(bytes)
    }

    /// Its 64 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 64] {
        &self.0
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(&self.0))
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl Serialize for Signature {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Signature {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        hex::decode(&String::deserialize(from)?)
            .map(Self)
            .ok_or_else(|| serde::de::Error::custom("a signature is 128 hexadecimal digits"))
    }
}

/// A secret key; never shown.
pub(crate) struct Key {
    secret: SigningKey,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Key({})", self.id())
    }
}

impl Key {
    /// The key in `ledger.key`, if there is one.
    pub(crate) fn load(place: &Place) -> Result<Option<Self>, LedgerError> {
        let path = &place.key;
        let Some((bytes, metadata)) = file::read(path)? else {
            return Ok(None);
        };
        let mode = metadata.permissions().mode() & 0o7777;
        if mode & 0o077 != 0 {
            return Err(LedgerError::KeyExposed {
                path: path.clone(),
                mode,
            });
        }
        std::str::from_utf8(&bytes)
            .ok()
            .and_then(|text| text.strip_prefix(PREFIX)?.strip_suffix('\n'))
            .and_then(hex::decode)
            .map(|secret| Some(Self::from_secret(&secret)))
            .ok_or_else(|| LedgerError::KeyMalformed { path: path.clone() })
    }

    /// Makes `ledger.key`, where there is none. Call under the exclusive lock.
    pub(crate) fn create(place: &Place, watch: Watch<'_>) -> Result<Self, LedgerError> {
        let mut secret = [0u8; 32];
        let mut filled = 0;
        while filled < secret.len() {
            filled += rustix::rand::getrandom(
                &mut secret[filled..],
                rustix::rand::GetRandomFlags::empty(),
            )
            .map_err(|error| LedgerError::io("get random bytes", &place.key)(error.into()))?;
        }
        let text = format!("{PREFIX}{}\n", hex::encode(&secret));
        let staged = file::stage(&place.key, text.as_bytes())?;
        watch(Step::KeyStaged);
        staged.place_new()?;
        watch(Step::KeyPlaced);
        Ok(Self::from_secret(&secret))
    }

    pub(crate) fn from_secret(secret: &[u8; 32]) -> Self {
        Self {
            secret: SigningKey::from_bytes(secret),
        }
    }

    /// Its public half.
    pub(crate) fn id(&self) -> KeyId {
        KeyId(self.secret.verifying_key().to_bytes())
    }

    /// Signs a digest.
    pub(crate) fn sign(&self, digest: &Digest) -> Signature {
        Signature(self.secret.sign(digest.as_bytes()).to_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::{Key, KeyId};
    use hayward_model::Digest;

    #[test]
    fn only_its_own_signature_over_that_digest() {
        let (one, two) = (Key::from_secret(&[1; 32]), Key::from_secret(&[2; 32]));
        let digest = Digest::of(b"a");
        let signature = one.sign(&digest);
        assert!(one.id().signed(&digest, &signature));
        assert!(!one.id().signed(&Digest::of(b"b"), &signature));
        assert!(!two.id().signed(&digest, &signature));
        // A weak key (the identity point) has signatures for everything, but not here.
        let mut weak = [0; 32];
        weak[0] = 1;
        assert!(!KeyId::from_bytes(weak).signed(&digest, &signature));
        assert_eq!(KeyId::parse(&one.id().to_string()), Some(one.id()));
    }
}
