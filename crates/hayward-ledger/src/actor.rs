//! Who acts: the user and the machine, as far as this process can tell.

use std::path::Path;

/// Longest name kept of a user or a machine.
const NAME_LIMIT: usize = 128;

/// `user@machine`, with the user behind `sudo` where there is one.
///
/// `SUDO_USER` is only an environment variable, so it is quoted as such.
pub(crate) fn current() -> String {
    let uid = rustix::process::geteuid().as_raw();
    let accounts = std::fs::read(Path::new("/etc/passwd")).unwrap_or_default();
    let uname = rustix::system::uname();
    describe(
        uid,
        &String::from_utf8_lossy(&accounts),
        &uname.nodename().to_string_lossy(),
        std::env::var("SUDO_USER").ok().as_deref(),
    )
}

fn describe(uid: u32, accounts: &str, machine: &str, sudo: Option<&str>) -> String {
    // Accounts that are not in the file (LDAP and the like) are named by number.
    let user = account(uid, accounts).map_or_else(|| format!("uid {uid}"), plain);
    let machine = plain(machine);
    match sudo.map(plain).filter(|name| !name.is_empty()) {
        Some(behind) => format!("{user}@{machine} (SUDO_USER={behind})"),
        None => format!("{user}@{machine}"),
    }
}

fn account(uid: u32, accounts: &str) -> Option<&str> {
    accounts.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        let number: u32 = fields.nth(1)?.parse().ok()?;
        (number == uid && !name.is_empty()).then_some(name)
    })
}

fn plain(name: &str) -> String {
    name.chars()
        .filter(|letter| !letter.is_control())
        .take(NAME_LIMIT)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::describe;

    const ACCOUNTS: &str =
        "root:x:0:0::/root:/bin/sh\nbad line\nann:x:1000:1000::/home/ann:/bin/sh\n";

    #[test]
    fn names_user_machine_and_sudo() {
        assert_eq!(describe(1000, ACCOUNTS, "box", None), "ann@box");
        assert_eq!(describe(7, ACCOUNTS, "box", None), "uid 7@box");
        assert_eq!(
            describe(0, ACCOUNTS, "box", Some("ann\n")),
            "root@box (SUDO_USER=ann)"
        );
        assert_eq!(describe(0, ACCOUNTS, "box", Some("")), "root@box");
    }
}
