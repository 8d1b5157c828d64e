//! `file:` URIs (RFC 8089) and paths.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The path of a `file:` URI; none for other schemes and other machines.
pub(crate) fn to_path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    if !path.starts_with('/') {
        return None;
    }
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let Some((first, more)) = rest.split_first() {
        let escaped = (*first == b'%')
            .then(|| more.get(..2))
            .flatten()
            .and_then(|hex| std::str::from_utf8(hex).ok())
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match escaped {
            Some(byte) => {
                bytes.push(byte);
                rest = &more[2..];
            }
            None => {
                bytes.push(*first);
                rest = more;
            }
        }
    }
    Some(PathBuf::from(OsString::from_vec(bytes)))
}

/// The `file:` URI of an absolute path.
pub(crate) fn of_path(path: &Path) -> String {
    let mut uri = String::from("file://");
    for byte in path.as_os_str().as_bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"-._~/".contains(byte);
        if plain {
            uri.push(char::from(*byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::{of_path, to_path};
    use std::path::Path;

    #[test]
    fn a_path_comes_back_whatever_is_in_it() {
        for path in ["/a/b.dag", "/a b/ü%41/\u{1F600}.dag", "/a+b@c:d/#e?f"] {
            let uri = of_path(Path::new(path));
            assert_eq!(to_path(&uri).as_deref(), Some(Path::new(path)), "{uri}");
        }
        assert_eq!(to_path("file:///a%3Ab").as_deref(), Some(Path::new("/a:b")));
        assert_eq!(to_path("untitled:Untitled-1"), None);
        assert_eq!(to_path("file://elsewhere/a"), None);
        assert_eq!(to_path("file:///a%zz").as_deref(), Some(Path::new("/a%zz")));
    }
}
