//! The paths that have a meaning of their own on a host.

use hayward_model::{Digest, HostPath};

/// The directory in which Hayward keeps what it knows of the host.
pub const STATE_DIRECTORY: &str = "/var/lib/hayward";

/// The longest name that Linux allows in a directory, in bytes (`NAME_MAX`).
const NAME_LIMIT: usize = 255;

/// A path that is written out in this program.
fn fixed(text: &str) -> HostPath {
    // Only literals come here, and a test below reads each of them.
    HostPath::try_from(text.to_owned()).unwrap_or_else(|_| unreachable!("`{text}` is a path"))
}

pub(crate) fn hostname() -> HostPath {
    fixed("/etc/hostname")
}

pub(crate) fn machine_id() -> HostPath {
    fixed("/etc/machine-id")
}

pub(crate) fn boot_id() -> HostPath {
    fixed("/proc/sys/kernel/random/boot_id")
}

pub(crate) fn generation() -> HostPath {
    fixed("/var/lib/hayward/generation")
}

pub(crate) fn manifest() -> HostPath {
    fixed("/var/lib/hayward/manifest")
}

pub(crate) fn lock() -> HostPath {
    fixed("/var/lib/hayward/lock")
}

/// The record while bytes are staged: nothing is in place yet.
pub(crate) fn staging() -> HostPath {
    fixed("/var/lib/hayward/staging")
}

/// The record while staged bytes are put in place.
pub(crate) fn journal() -> HostPath {
    fixed("/var/lib/hayward/journal")
}

/// The record while old bytes are put back.
pub(crate) fn undo() -> HostPath {
    fixed("/var/lib/hayward/undo")
}

/// A record before it has its name; means nothing.
pub(crate) fn draft() -> HostPath {
    fixed("/var/lib/hayward/draft")
}

pub(crate) fn legacy_lib() -> HostPath {
    fixed("/lib")
}

pub(crate) fn legacy_units() -> HostPath {
    fixed("/lib/systemd/system")
}

/// Where units are searched, first match first: systemd.unit(5), "Unit File
/// Load Path", table 1 (with the directories of portable services, as
/// `systemd-analyze unit-paths` prints them).
pub(crate) fn unit_directories() -> Vec<HostPath> {
    [
        "/etc/systemd/system.control",
        "/run/systemd/system.control",
        "/run/systemd/transient",
        "/run/systemd/generator.early",
        "/etc/systemd/system",
        "/etc/systemd/system.attached",
        "/run/systemd/system",
        "/run/systemd/system.attached",
        "/run/systemd/generator",
        "/usr/local/lib/systemd/system",
        "/usr/lib/systemd/system",
        "/run/systemd/generator.late",
    ]
    .map(fixed)
    .to_vec()
}

/// Where the bytes for a path wait, beside it: `.NAME.hayward-GENERATION`. The
/// name ends in no suffix that systemd reads.
pub(crate) fn stage(path: &HostPath, generation: u64) -> Option<HostPath> {
    let (parent, name) = path.as_str().rsplit_once('/')?;
    let plain = format!(".{name}.hayward-{generation}");
    let name = if plain.len() <= NAME_LIMIT {
        plain
    } else {
        format!(
            ".{}.hayward-{generation}",
            Digest::of(name.as_bytes()).short()
        )
    };
    HostPath::try_from(format!("{parent}/{name}")).ok()
}

/// Whether a name is kept for staging.
pub(crate) fn is_stage(path: &HostPath) -> bool {
    let name = path.components().next_back().unwrap_or_default();
    name.starts_with('.')
        && name
            .rsplit_once(".hayward-")
            .is_some_and(|(_, n)| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether a path is Hayward's own: its state directory or below.
pub(crate) fn is_state(path: &HostPath) -> bool {
    path.as_str()
        .strip_prefix(STATE_DIRECTORY)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_literal_is_a_path() {
        let all = [
            hostname(),
            machine_id(),
            boot_id(),
            generation(),
            manifest(),
            lock(),
            staging(),
            journal(),
            undo(),
            draft(),
            legacy_lib(),
            legacy_units(),
        ];
        assert!(all.iter().all(|p| p.as_str().starts_with('/')));
        assert_eq!(unit_directories().len(), 12);
    }

    #[test]
    fn a_stage_is_a_sibling_and_recognised() {
        for (text, staged) in [
            ("/etc/a.conf", "/etc/.a.conf.hayward-7"),
            ("/a", "/.a.hayward-7"),
        ] {
            let stage = stage(&fixed(text), 7).unwrap();
            assert_eq!(stage.as_str(), staged);
            assert!(is_stage(&stage) && !is_stage(&fixed(text)));
        }
        let long = fixed(&format!("/etc/{}", "n".repeat(255)));
        let stage = stage(&long, u64::MAX).unwrap();
        assert!(stage.components().next_back().unwrap().len() <= 255 && is_stage(&stage));
        assert!(is_state(&manifest()) && is_state(&fixed(STATE_DIRECTORY)));
        assert!(!is_state(&fixed("/var/lib/haywards")));
    }
}
