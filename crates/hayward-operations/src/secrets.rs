//! The texts of secrets. A model knows their names alone.

mod spelling;

use spelling::Spellings;
use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Bytes of the longest secret.
const LONGEST: usize = 64 << 10;
/// Letters of the shortest one: what is shorter is in every output by chance.
const SHORTEST: usize = 8;

/// Secrets by name. Nothing shows their texts.
#[derive(Clone, Default)]
pub struct Secrets(BTreeMap<String, Secret>);

#[derive(Clone)]
struct Secret {
    text: String,
    spellings: Spellings,
}

/// A secret that cannot be used. No text of a secret is in it.
#[derive(Debug, Error)]
pub enum SecretError {
    /// Its file cannot be read.
    #[error("the secret `{name}` cannot be read from {path}: {why}")]
    Unreadable {
        /// Its name.
        name: String,
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// It could not be told from other text.
    #[error(
        "the secret `{name}` is shorter than {SHORTEST} bytes: it could not be told from other text in an output"
    )]
    Short {
        /// Its name.
        name: String,
    },
    /// It is given twice.
    #[error("the secret `{name}` is given twice")]
    Twice {
        /// Its name.
        name: String,
    },
}

impl Secrets {
    /// Reads a secret from a file, without the line end behind it.
    ///
    /// # Errors
    /// If the file cannot be read, is no text of 8 bytes to 64 KiB, or the name
    /// is taken.
    pub fn read(&mut self, name: &str, path: &Path) -> Result<(), SecretError> {
        let unreadable = |why: String| SecretError::Unreadable {
            name: name.to_owned(),
            path: path.to_owned(),
            why,
        };
        let mut bytes = Vec::new();
        std::fs::File::open(path)
            .and_then(|file| file.take(LONGEST as u64 + 1).read_to_end(&mut bytes))
            .map_err(|e| unreadable(e.to_string()))?;
        if bytes.len() > LONGEST {
            return Err(unreadable(format!("it has more than {LONGEST} bytes")));
        }
        // The error would quote the bytes.
        let text = String::from_utf8(bytes).map_err(|_| unreadable("it is not UTF-8".into()))?;
        let text = text.strip_suffix('\n').unwrap_or(&text);
        if text.len() < SHORTEST {
            return Err(SecretError::Short { name: name.into() });
        }
        if self.0.contains_key(name) {
            return Err(SecretError::Twice { name: name.into() });
        }
        let spellings = Spellings::of(text, SHORTEST).map_err(|e| unreadable(e.to_string()))?;
        let text = text.to_owned();
        self.0.insert(name.to_owned(), Secret { text, spellings });
        Ok(())
    }

    /// Whether there is a secret of that name.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(|secret| secret.text.as_str())
    }

    /// The name of a secret whose text, or one of whose lines, stands in these
    /// bytes, in one of the spellings that are looked for.
    pub(crate) fn shown_in(&self, bytes: &[u8]) -> Option<&str> {
        let stands = |secret: &Secret| secret.spellings.stand_in(bytes);
        let found = self.0.iter().find(|(_, secret)| stands(secret));
        found.map(|(name, _)| name.as_str())
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
