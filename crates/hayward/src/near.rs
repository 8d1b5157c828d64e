//! The name that was probably meant.

/// The known name that is nearest to a name, if it is near: a letter of three may be wrong. A
/// name that was given without what stands before its last dot is nearest.
pub(crate) fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .map(|known| {
            let last = known.rsplit('.').next().unwrap_or(known);
            let far = strsim::damerau_levenshtein(known, name);
            (far.min(strsim::damerau_levenshtein(last, name)), known)
        })
        .min()
        .filter(|(far, _)| *far <= name.chars().count().div_ceil(3) && *far < name.chars().count())
        .map(|(_, known)| known)
}

/// Names as a sentence lists them, the first few of them.
pub(crate) fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    const MOST: usize = 20;
    let mut names: Vec<&str> = names.into_iter().collect();
    names.sort_unstable();
    names.dedup();
    let shown: Vec<String> = names.iter().take(MOST).map(|n| format!("`{n}`")).collect();
    match names.len().saturating_sub(MOST) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
