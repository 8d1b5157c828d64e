//! Files that are read, written whole, and listed. A failure is a text that
//! names the path.

use rustix::fs::{OFlags, fchown};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::Path;

/// The content of a regular file of at most that many bytes.
pub(crate) fn read(path: &str, limit: usize) -> Result<Vec<u8>, String> {
    let named = |error: std::io::Error| format!("{path}: {error}");
    // A named pipe must not make it wait.
    let nonblocking = OFlags::NONBLOCK.bits() as i32;
    let mut options = OpenOptions::new();
    let file = options.read(true).custom_flags(nonblocking).open(path);
    let file = file.map_err(named)?;
    if !file.metadata().map_err(named)?.is_file() {
        return Err(format!("{path}: no regular file"));
    }
    let mut bytes = Vec::new();
    let mut limited = file.take(limit as u64 + 1);
    limited.read_to_end(&mut bytes).map_err(named)?;
    if bytes.len() > limit {
        return Err(format!("{path}: more than {limit} bytes"));
    }
    Ok(bytes)
}

/// The names in a folder, sorted, of at most that many bytes together.
pub(crate) fn list(path: &str, limit: usize) -> Result<Vec<String>, String> {
    let named = |error: std::io::Error| format!("{path}: {error}");
    let mut names = Vec::new();
    let mut bytes = 0;
    for entry in std::fs::read_dir(path).map_err(named)? {
        let name = entry.map_err(named)?.file_name();
        let Ok(name) = name.into_string() else {
            return Err(format!("{path}: the name of an entry is not UTF-8"));
        };
        bytes += name.len();
        if bytes > limit {
            return Err(format!("{path}: more than {limit} bytes of names"));
        }
        names.push(name);
    }
    names.sort_unstable();
    Ok(names)
}

/// Replaces a file by one with this content, all of it or nothing; gives the
/// bytes written. Mode and owner of a file that is replaced are kept; a new one
/// has mode 0644. What is there and is no regular file is refused.
pub(crate) fn write(path: &str, content: &[u8]) -> Result<u64, String> {
    let named = |error: std::io::Error| format!("{path}: {error}");
    let target = Path::new(path);
    let folder = target.parent().ok_or_else(|| format!("{path}: no file"))?;
    let before = match std::fs::symlink_metadata(target) {
        Ok(found) if found.is_file() => Some(found),
        Ok(_) => {
            return Err(format!(
                "{path}: there is something that is no regular file"
            ));
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(named(error)),
    };
    let mode = before.as_ref().map_or(0o644, |b| b.mode() & 0o7777);
    let mut beside = tempfile::Builder::new()
        .prefix(".hayward-")
        .tempfile_in(folder)
        // Its own text names the file beside, which is nobody's affair.
        .map_err(|error| format!("{path}: nothing can be written beside it: {}", error.kind()))?;
    beside.write_all(content).map_err(named)?;
    let file = beside.as_file();
    if let Some(before) = before {
        let own = file.metadata().map_err(named)?;
        if (own.uid(), own.gid()) != (before.uid(), before.gid()) {
            let owner = rustix::fs::Uid::from_raw(before.uid());
            let group = rustix::fs::Gid::from_raw(before.gid());
            fchown(file, Some(owner), Some(group))
                .map_err(|error| format!("{path}: its owner cannot be kept: {error}"))?;
        }
    }
    let permissions = std::fs::Permissions::from_mode(mode);
    file.set_permissions(permissions).map_err(named)?;
    file.sync_all().map_err(named)?;
    beside.persist(target).map_err(|error| named(error.error))?;
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(named)?;
    Ok(content.len() as u64)
}
