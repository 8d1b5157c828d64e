//! Choices that look random and are the same on every run.

/// SplitMix64 (Steele, Lea, Flood 2014): small, and good enough to choose words.
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from `from` to `to`, both included.
    pub(crate) fn between(&mut self, from: usize, to: usize) -> usize {
        let span = (to - from + 1) as u64;
        from + usize::try_from(self.next() % span).unwrap_or(0)
    }

    /// One of some choices, of which there is at least one.
    pub(crate) fn choose<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.between(0, choices.len() - 1)]
    }
}
