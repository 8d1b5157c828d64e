//! Digests of texts, in lower-case hexadecimal digits.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use std::fmt::Write;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// SHA-256 (FIPS 180-4): 64 digits.
pub(crate) fn sha256_hex(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// HMAC-SHA-256 (RFC 2104): 64 digits. It takes a key of any length; that it may
/// not is a matter of codes that share its interface.
pub(crate) fn hmac_sha256_hex(key: &[u8], bytes: &[u8]) -> Option<String> {
    let mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
    Some(hex(&mac.chain_update(bytes).finalize().into_bytes()))
}

/// FNV-1a of 64 bits (draft-eastlake-fnv, sections 2 and 5): 16 digits.
pub(crate) fn fnv1a_hex(bytes: &[u8]) -> String {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    let hash = bytes.iter().fold(BASIS, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(PRIME)
    });
    format!("{hash:016x}")
}
