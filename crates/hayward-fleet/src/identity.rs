//! Whose tree it is, by what the tree itself says.

use crate::error::{Error, Result};
use crate::paths;
use crate::tree::Tree;
use hayward_model::HostPath;
use serde::{Deserialize, Serialize};

/// What a host says of itself.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// `/etc/machine-id` (machine-id(5)), 32 hexadecimal digits; `None` if it
    /// is absent, empty or `uninitialized`, as in an image before its first
    /// boot.
    pub machine_id: Option<String>,
    /// `/proc/sys/kernel/random/boot_id` (random(4)); `None` for a directory
    /// tree that is not booted.
    pub boot_id: Option<String>,
}

/// Reads who the tree says it is.
///
/// # Errors
/// If it names no host or another host than the roster (hostname(5)), or if
/// what it says cannot be read.
pub(crate) fn identify(tree: &Tree) -> Result<Identity> {
    let path = paths::hostname();
    let Some(text) = text(tree, &path)? else {
        return Err(bad(tree, &path, "is absent"));
    };
    // hostname(5): one name; lines that start with # are comments.
    let found = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty() && !line.starts_with('#'));
    match found {
        None => return Err(bad(tree, &path, "holds no name")),
        Some(found) if found != tree.host.as_str() => {
            return Err(Error::OtherHost {
                host: tree.host.clone(),
                found: found.escape_debug().to_string(),
            });
        }
        Some(_) => {}
    }
    Ok(Identity {
        machine_id: machine_id(tree)?,
        boot_id: boot_id(tree)?,
    })
}

fn machine_id(tree: &Tree) -> Result<Option<String>> {
    let path = paths::machine_id();
    let Some(text) = text(tree, &path)? else {
        return Ok(None);
    };
    let id = text.trim_end();
    if id.is_empty() || id == "uninitialized" {
        return Ok(None);
    }
    let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    if id.len() == 32 && id.bytes().all(hex) {
        Ok(Some(id.to_owned()))
    } else {
        Err(bad(tree, &path, "does not hold 32 hexadecimal digits"))
    }
}

fn boot_id(tree: &Tree) -> Result<Option<String>> {
    let path = paths::boot_id();
    let Some(text) = text(tree, &path)? else {
        return Ok(None);
    };
    let id = text.trim_end();
    if id.len() == 36 && id.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-') {
        Ok(Some(id.to_owned()))
    } else {
        Err(bad(tree, &path, "does not hold a boot id"))
    }
}

fn text(tree: &Tree, path: &HostPath) -> Result<Option<String>> {
    let Some(file) = tree.file(path)? else {
        return Ok(None);
    };
    match String::from_utf8(file.bytes) {
        Ok(text) => Ok(Some(text)),
        Err(_) => Err(bad(tree, path, "is not text")),
    }
}

fn bad(tree: &Tree, path: &HostPath, reason: &str) -> Error {
    Error::Identity {
        host: tree.host.clone(),
        path: path.clone(),
        reason: reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hayward_model::HostName;

    fn tree(files: &[(&str, &str)]) -> (tempfile::TempDir, Tree) {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let host = HostName::try_from("srv1".to_owned()).unwrap();
        let tree = Tree::open(&host, dir.path()).unwrap();
        (dir, tree)
    }

    #[test]
    fn its_name_may_stand_below_comments() {
        let (_dir, tree) = tree(&[("etc/hostname", "# made by hand\n\n  srv1 \n")]);
        let unbooted = Identity {
            machine_id: None,
            boot_id: None,
        };
        assert_eq!(identify(&tree).unwrap(), unbooted);
    }

    #[test]
    fn another_name_or_none_is_refused_naming_both() {
        let (_dir, other) = tree(&[("etc/hostname", "srv2\n")]);
        let error = identify(&other).unwrap_err().to_string();
        assert!(error.contains("srv1") && error.contains("srv2"), "{error}");
        for files in [
            &[][..],
            &[("etc/hostname", "#srv1\n")],
            &[("etc/hostname", "")],
        ] {
            let (_dir, tree) = tree(files);
            let error = identify(&tree).unwrap_err().to_string();
            assert!(error.contains("nothing says whose tree this is"), "{error}");
        }
    }

    #[test]
    fn ids_are_read_or_refused() {
        let id = "0123456789abcdef0123456789abcdef";
        let boot = "01234567-89ab-cdef-0123-456789abcdef";
        let files = |m: &'static str| [("etc/hostname", "srv1"), ("etc/machine-id", m)];
        let (_dir, good) = tree(&[
            ("etc/hostname", "srv1"),
            ("etc/machine-id", id),
            ("proc/sys/kernel/random/boot_id", boot),
        ]);
        let read = identify(&good).unwrap();
        assert_eq!(read.machine_id.as_deref(), Some(id));
        assert_eq!(read.boot_id.as_deref(), Some(boot));
        let (_dir, fresh) = tree(&files("uninitialized\n"));
        assert_eq!(identify(&fresh).unwrap().machine_id, None);
        for bad in ["0123", "0123456789ABCDEF0123456789ABCDEF", "\u{fc}"] {
            let (_dir, tree) = tree(&files(bad));
            assert!(identify(&tree).is_err(), "{bad}");
        }
    }
}
