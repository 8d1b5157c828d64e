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
    let bytes = dag_uri::decoded(path.as_bytes()).into_owned();
    Some(PathBuf::from(OsString::from_vec(bytes)))
}

/// The `file:` URI of an absolute path.
pub(crate) fn of_path(path: &Path) -> String {
    format!("file://{}", dag_uri::path(path.as_os_str().as_bytes()))
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
