//! A regular expression for the numbers of a range as Hayward writes them: decimal,
//! without a plus sign or leading zeros. It matches these and no others.

/// The expression for the numbers from `min` to `max`, both included, in parentheses.
pub(crate) fn between(min: i64, max: i64) -> String {
    let mut parts = Vec::new();
    if min < 0 {
        let smallest = max.min(-1).unsigned_abs();
        let negative = unsigned(smallest, min.unsigned_abs());
        parts.extend(negative.into_iter().map(|part| format!("-{part}")));
    }
    if max >= 0 {
        parts.extend(unsigned(min.max(0).unsigned_abs(), max.unsigned_abs()));
    }
    format!("({})", parts.join("|"))
}

/// Expressions, one for each run of numbers that differ in their last digits alone.
fn unsigned(min: u64, max: u64) -> Vec<String> {
    let mut parts = Vec::new();
    // How many digits follow the first in runs of all numbers of a length.
    let mut whole: Option<(usize, usize)> = None;
    let mut start = min;
    while start <= max {
        let stop = run(start, max);
        let length = start.to_string().len() - 1;
        let shortest = 10u64.checked_pow(length as u32);
        let longest = shortest.and_then(|shortest| shortest.checked_mul(10));
        if length > 0 && Some(start) == shortest && Some(stop) == longest.map(|longest| longest - 1)
        {
            whole = Some((whole.map_or(length, |(from, _)| from), length));
        } else {
            parts.push(digits(start, stop));
        }
        match stop.checked_add(1) {
            Some(next) => start = next,
            None => break,
        }
    }
    if let Some((from, to)) = whole {
        parts.push(format!("[1-9][0-9]{{{from},{to}}}"));
    }
    parts
}

/// The last number of the longest run that starts so: its last digits go from all zeros
/// to all nines, and one digit before them grows.
fn run(start: u64, max: u64) -> u64 {
    let mut best = start;
    let mut unit: u64 = 1;
    loop {
        // Up to nine in the digit at hand, as far as the range goes.
        let digit = start / unit % 10;
        let most = (digit..10)
            .rev()
            .filter_map(|nine| {
                (nine - digit)
                    .checked_mul(unit)?
                    .checked_add(start)?
                    .checked_add(unit - 1)
            })
            .find(|stop| *stop <= max && stop.checked_ilog10() == start.max(1).checked_ilog10());
        best = most.unwrap_or(best).max(best);
        let wider = unit.checked_mul(10);
        match wider {
            Some(wider) if start.is_multiple_of(wider) && start != 0 => unit = wider,
            _ => return best,
        }
    }
}

/// The expression for two numbers with equally many digits, of which those at the end go
/// from zero to nine.
fn digits(start: u64, stop: u64) -> String {
    let (start, stop) = (start.to_string(), stop.to_string());
    let same = start
        .chars()
        .zip(stop.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let prefix = &start[..same];
    let mut ends = start.chars().zip(stop.chars()).skip(same);
    let first = match ends.next() {
        Some((from, to)) => format!("[{from}-{to}]"),
        None => String::new(),
    };
    match ends.count() {
        0 => format!("{prefix}{first}"),
        1 => format!("{prefix}{first}[0-9]"),
        more => format!("{prefix}{first}[0-9]{{{more}}}"),
    }
}

#[cfg(test)]
mod tests {
    use super::between;
    use regex_lite::Regex;

    #[test]
    fn it_matches_the_numbers_of_the_range_and_no_others() {
        let bounds = [
            (0, 0),
            (0, 9),
            (1, 9),
            (1, 10),
            (5, 1234),
            (1, 65535),
            (80, 80),
            (99, 101),
            (0, 1000),
            (-1, 1),
            (-20, 5),
            (-999, -3),
            (7, 7000),
            (10, 10),
            (190, 2010),
        ];
        for (min, max) in bounds {
            let expression = between(min, max);
            let whole = Regex::new(&format!("^{expression}$")).unwrap();
            for n in -1100..70_000i64 {
                let matches = whole.is_match(&n.to_string());
                assert_eq!(
                    matches,
                    (min..=max).contains(&n),
                    "{n} in {min}..={max}: {expression}"
                );
            }
            for text in ["", "-", "-0", "00", "01", "+1", "1 ", "1\n2", "٣"] {
                assert!(!whole.is_match(text), "{text:?}: {expression}");
            }
        }
    }

    #[test]
    fn it_goes_to_the_ends() {
        for (min, max) in [
            (0, i64::MAX),
            (1, i64::MAX),
            (i64::MIN, i64::MAX),
            (i64::MIN, 5),
        ] {
            let expression = between(min, max);
            assert!(expression.len() < 900, "{expression}");
            let whole = Regex::new(&format!("^{expression}$")).unwrap();
            for n in [
                i64::MIN,
                i64::MIN + 1,
                -1,
                0,
                1,
                5,
                6,
                i64::MAX - 1,
                i64::MAX,
            ] {
                assert_eq!(
                    whole.is_match(&n.to_string()),
                    (min..=max).contains(&n),
                    "{n}"
                );
            }
            for beyond in [
                "9223372036854775808",
                "-9223372036854775809",
                "99999999999999999999",
            ] {
                assert!(!whole.is_match(beyond), "{beyond}");
            }
        }
    }
}
