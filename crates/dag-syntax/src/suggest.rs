//! "Did you mean": the known name that is nearest to a mistaken one.

/// How many suggestions are searched for in a module.
pub const MOST_SUGGESTIONS: u32 = 100;

/// Letters of the longest name that a slip is looked for in.
const LONGEST: usize = 64;

/// The candidate with the smallest edit distance, if it is near enough to be a
/// slip: at most a third of the letters.
pub fn nearest<'a>(wrong: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let letters = wrong.chars().count();
    if letters > LONGEST {
        return None;
    }
    // Of two letters, everything is near.
    let limit = if letters < 3 { 0 } else { letters / 3 };
    candidates
        .filter_map(|c| distance(wrong, c, limit).map(|d| (d, c)))
        .min_by_key(|(d, c)| (*d, *c))
        .map(|(_, c)| c)
}

/// The number of letters to insert, drop, change or swap, if within the limit.
fn distance(a: &str, b: &str, limit: usize) -> Option<usize> {
    // Bytes first: a letter has four at most.
    if b.len() > 4 * (LONGEST + limit) {
        return None;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let width = b.len() + 1;
    let mut rows = vec![0usize; (a.len() + 1) * width];
    for (i, ca) in std::iter::once(None).chain(a.iter().map(Some)).enumerate() {
        for (j, cb) in std::iter::once(None).chain(b.iter().map(Some)).enumerate() {
            let at = |i: usize, j: usize| rows[i * width + j];
            let value = match (ca, cb) {
                (None, _) => j,
                (_, None) => i,
                (Some(ca), Some(cb)) => {
                    let changed = at(i - 1, j - 1) + usize::from(ca != cb);
                    let mut best = changed.min(at(i - 1, j) + 1).min(at(i, j - 1) + 1);
                    if i > 1 && j > 1 && *ca == b[j - 2] && a[i - 2] == *cb {
                        best = best.min(at(i - 2, j - 2) + 1);
                    }
                    best
                }
            };
            rows[i * width + j] = value;
        }
    }
    rows.last().copied().filter(|d| *d <= limit)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_slip_is_recognised_and_a_stranger_is_not() {
        let fields = ["memory", "port", "queue"];
        assert_eq!(nearest("memroy", fields.into_iter()), Some("memory"));
        assert_eq!(nearest("prot", fields.into_iter()), Some("port"));
        assert_eq!(nearest("schedule", fields.into_iter()), None);
        // A table of this would not fit into the memory.
        let long = "a".repeat(10_000_000);
        let other = format!("{long}b");
        assert_eq!(nearest(&long, [other.as_str()].into_iter()), None);
        assert_eq!(nearest("aaa", [other.as_str()].into_iter()), None);
    }
}
