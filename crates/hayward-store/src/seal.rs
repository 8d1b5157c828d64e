//! The seal of an entry: a keyed digest over what it is, under which key, and its bytes.
//! Whoever does not know the store's secret cannot make one, so an entry that was
//! damaged, cut off, put under another key or brought from elsewhere has none.

use crate::Digest;

/// Length of a seal in bytes.
const LENGTH: usize = 32;

/// The secret of a store, for one build of the program.
pub(crate) struct Seal {
    secret: Digest,
}

impl Seal {
    /// Entries of another build are foreign: what it found need not be what this one
    /// would find.
    pub(crate) fn new(secret: &Digest, build: &str) -> Self {
        let mut hash = blake3::Hasher::new_keyed(secret);
        hash.update(build.as_bytes());
        Self {
            secret: *hash.finalize().as_bytes(),
        }
    }

    /// The name under which an entry is kept.
    pub(crate) fn name(&self, kind: u8, key: &Digest) -> Digest {
        let mut hash = blake3::Hasher::new_keyed(&self.secret);
        hash.update(&[kind]);
        hash.update(key);
        *hash.finalize().as_bytes()
    }

    /// The seal of a value under a name.
    pub(crate) fn of(&self, name: &Digest, value: &[u8]) -> blake3::Hash {
        let mut hash = blake3::Hasher::new_keyed(&self.secret);
        hash.update(b"value");
        hash.update(name);
        hash.update(value);
        hash.finalize()
    }

    /// Whether this is the seal of that value. The comparison of two of these takes the
    /// same time wherever they differ.
    pub(crate) fn holds(&self, seal: &[u8], name: &Digest, value: &[u8]) -> bool {
        blake3::Hash::from_slice(seal).is_ok_and(|seal| seal == self.of(name, value))
    }

    /// The value with its seal.
    pub(crate) fn close(&self, name: &Digest, value: &[u8]) -> Vec<u8> {
        let mut sealed = Vec::with_capacity(LENGTH + value.len());
        sealed.extend_from_slice(self.of(name, value).as_bytes());
        sealed.extend_from_slice(value);
        sealed
    }

    /// The value of a sealed entry; none if the seal is not right.
    pub(crate) fn open(&self, name: &Digest, mut sealed: Vec<u8>) -> Option<Vec<u8>> {
        let (seal, value) = sealed.split_at_checked(LENGTH)?;
        if !self.holds(seal, name, value) {
            return None;
        }
        sealed.drain(..LENGTH);
        Some(sealed)
    }
}

#[cfg(test)]
mod tests {
    use super::Seal;

    #[test]
    fn only_what_was_sealed_is_opened() {
        let seal = Seal::new(&[1; 32], "build");
        let name = seal.name(1, &[2; 32]);
        let closed = seal.close(&name, b"value");
        assert_eq!(
            seal.open(&name, closed.clone()).as_deref(),
            Some(&b"value"[..])
        );
        for at in 0..closed.len() {
            let mut changed = closed.clone();
            changed[at] ^= 1;
            assert_eq!(seal.open(&name, changed), None, "byte {at}");
            assert_eq!(seal.open(&name, closed[..at].to_vec()), None, "cut at {at}");
        }
        assert_eq!(seal.open(&seal.name(1, &[3; 32]), closed.clone()), None);
        assert_eq!(seal.open(&seal.name(2, &[2; 32]), closed.clone()), None);
        let other = Seal::new(&[1; 32], "another build");
        assert_eq!(other.open(&name, closed.clone()), None);
        let foreign = Seal::new(&[9; 32], "build");
        assert_eq!(foreign.open(&name, closed), None);
    }
}
