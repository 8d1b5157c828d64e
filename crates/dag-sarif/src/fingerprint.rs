//! What tells a finding from others, and stays when lines above it come and go (§3.27.17).

use dag_syntax::{Diagnostic, Sources};
use std::collections::HashMap;

/// The name of the way in which these are made. Another way gets another number.
pub(crate) const NAME: &str = "haywardFinding/v1";

/// Gives fingerprints to the findings of a run, in their order.
#[derive(Default)]
pub(crate) struct Fingerprints {
    seen: HashMap<blake3::Hash, u32>,
}

impl Fingerprints {
    /// The rule, the file, the sentence, and the line of text that it stands in; a number
    /// tells equal ones apart.
    pub(crate) fn next(&mut self, found: &Diagnostic, uri: &str, sources: &Sources) -> String {
        let text = &sources.get(found.at.source).text;
        let mut at = (found.at.span.start as usize).min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let start = text[..at].rfind('\n').map_or(0, |i| i + 1);
        let line = text[start..].lines().next().unwrap_or_default().trim();
        let mut hash = blake3::Hasher::new();
        for part in [found.code.as_str(), uri, &found.message, line] {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part.as_bytes());
        }
        let hash = hash.finalize();
        let number = self.seen.entry(hash).or_default();
        *number += 1;
        format!("{}:{number}", &hash.to_hex()[..32])
    }
}
