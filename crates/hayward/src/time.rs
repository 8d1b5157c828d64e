//! Times as a person reads them.

/// A time in milliseconds since 1970, in UTC to the second.
pub(crate) fn utc(millis: i64) -> String {
    match jiff::Timestamp::from_millisecond(millis) {
        Ok(time) => time.strftime("%Y-%m-%d %H:%M:%SZ").to_string(),
        Err(_) => format!("{millis} ms"),
    }
}

/// A length of time: its largest unit, `3 min`.
pub(crate) fn age(seconds: i64) -> String {
    match seconds {
        ..0 => format!("{seconds} s"),
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}
