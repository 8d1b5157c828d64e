//! Which word of an argv a shell reads as a program. No shell reads the argv itself, but an argv
//! may start one, and give it a text that it takes apart.

/// Shells that take a program behind `-c`: sh(1p), bash(1), dash(1), zsh(1), ksh(1), fish(1).
const SHELLS: [&str; 11] = [
    "sh", "ash", "bash", "dash", "fish", "ksh", "mksh", "rbash", "rksh", "yash", "zsh",
];

/// Programs that hand the text behind `-c` or `--command` to a shell: su(1), runuser(1).
const HANDING_ON: [&str; 2] = ["su", "runuser"];

/// Programs that run what the rest of their words say.
const WRAPPERS: [&str; 21] = [
    "busybox",
    "chroot",
    "chrt",
    "doas",
    "env",
    "ionice",
    "nice",
    "nohup",
    "nsenter",
    "pkexec",
    "prlimit",
    "setpriv",
    "setsid",
    "stdbuf",
    "sudo",
    "systemd-run",
    "taskset",
    "time",
    "timeout",
    "toybox",
    "unshare",
];

/// The word that is read as a program and is not written out. A word that is no literal is `None`.
pub(super) fn not_written_out(words: &[Option<&str>]) -> Option<usize> {
    let program = name(words.first()?.as_deref()?);
    let starts = if WRAPPERS.contains(&program) {
        words.len()
    } else {
        1
    };
    // A wrapper's own words may be taken for a shell's name; what follows decides.
    (0..starts).find_map(|at| {
        let name = name(words[at]?);
        let behind = at + 1;
        let found = if SHELLS.contains(&name) {
            behind_a_shell(&words[behind..])
        } else if HANDING_ON.contains(&name) {
            handed_on(&words[behind..])
        } else {
            None
        }?;
        Some(behind + found)
    })
}

fn name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// The program is the first word behind all options, if one of them has a `c`: sh(1p).
fn behind_a_shell(words: &[Option<&str>]) -> Option<usize> {
    let mut reads_text = false;
    let mut at = 0;
    while let Some(word) = words.get(at) {
        match word {
            Some("--") | Some("-") => {
                at += 1;
                break;
            }
            Some("--rcfile" | "--init-file") => at += 1,
            Some("--command") => reads_text = true,
            Some(long) if long.starts_with("--") => {}
            Some(letters) if letters.starts_with(['-', '+']) => {
                reads_text |= letters.starts_with('-') && letters.contains('c');
                // Each takes the name of an option from the words that follow.
                at += letters.matches(['o', 'O']).count();
            }
            _ => break,
        }
        at += 1;
    }
    (reads_text && words.get(at)?.is_none()).then_some(at)
}

/// The program stands directly behind the option, wherever that stands.
fn handed_on(words: &[Option<&str>]) -> Option<usize> {
    let takes_text = |word: &Option<&str>| match word {
        Some("--command" | "--session-command") => true,
        Some(word) => word.starts_with('-') && !word.starts_with("--") && word.ends_with('c'),
        None => false,
    };
    let mut pairs = words.windows(2).enumerate();
    pairs.find_map(|(at, pair)| (takes_text(&pair[0]) && pair[1].is_none()).then_some(at + 1))
}
