//! How a path is shown.

use dag_syntax::shown_name;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A path as text, so that no two are one: a path that is no UTF-8 text has `\xff` for each
/// byte that is none, and so that it can be told from a path which is spelled like that, both
/// have `\\` for `\`.
#[must_use]
pub fn shown(path: &Path) -> String {
    match path.to_str() {
        Some(text) if !text.contains("\\x") => text.to_owned(),
        _ => {
            let mut shown = String::new();
            for chunk in path.as_os_str().as_bytes().utf8_chunks() {
                shown.push_str(&chunk.valid().replace('\\', "\\\\"));
                for byte in chunk.invalid() {
                    shown.push_str(&format!("\\x{byte:02x}"));
                }
            }
            shown
        }
    }
}

/// A path as it stands in a message, on one line.
#[must_use]
pub fn in_line(path: impl AsRef<Path>) -> String {
    shown_name(&shown(path.as_ref())).into_owned()
}

#[cfg(test)]
mod tests {
    use super::shown;
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    use std::path::Path;

    #[test]
    fn no_two_paths_are_shown_alike() {
        let paths: [(&[u8], &str); 7] = [
            (b"a/b.dag", "a/b.dag"),
            ("é\n.dag".as_bytes(), "é\n.dag"),
            (b"a\\b.dag", "a\\b.dag"),
            (b"a\xff.dag", "a\\xff.dag"),
            (b"a\xfe.dag", "a\\xfe.dag"),
            (b"a\\xff.dag", "a\\\\xff.dag"),
            (b"a\\\xff.dag", "a\\\\\\xff.dag"),
        ];
        for (bytes, text) in paths {
            assert_eq!(shown(Path::new(OsStr::from_bytes(bytes))), text);
        }
    }
}
