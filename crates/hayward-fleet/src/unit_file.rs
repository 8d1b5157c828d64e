//! The text of unit files: systemd.syntax(7), read as systemd 252 reads it, but
//! for this: a line that systemd would skip with a warning is refused, and so are
//! a byte order mark, names that are not ASCII and very many assignments.

use std::collections::HashMap;

/// An assignment of a unit file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Assignment {
    pub(crate) section: String,
    pub(crate) key: String,
    /// The text after `=`; a continuation's line break is a space.
    pub(crate) value: String,
}

/// A line that is no part of a unit file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct BadLine {
    /// The line, from 1: the first one, if it is continued.
    pub(crate) line: usize,
    pub(crate) reason: &'static str,
}

/// The longest line that systemd reads, with its continuations, in bytes
/// (`LONG_LINE_MAX` in its source).
const LINE_LIMIT: usize = 1 << 20;

/// The most assignments of a unit, in all its files together. `TOO_MANY` names it.
pub(crate) const ASSIGNMENT_LIMIT: usize = 4096;

const TOO_MANY: &str = "the unit has more than 4096 assignments in all its files together";

/// What systemd strips around lines, keys and values.
const SPACE: [char; 4] = [' ', '\t', '\n', '\r'];

/// The assignments of a unit file, in order. `room` is how many the unit may
/// still have.
pub(crate) fn parse(bytes: &[u8], room: usize) -> Result<Vec<Assignment>, BadLine> {
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let before = &bytes[..error.valid_up_to()];
            return Err(BadLine {
                line: 1 + before.iter().filter(|b| **b == b'\n').count(),
                reason: "this is not UTF-8",
            });
        }
    };
    let mut parser = Parser {
        section: None,
        found: Vec::new(),
        room,
    };
    let mut continued: Option<(usize, String)> = None;
    for (at, line) in text.split('\n').enumerate() {
        let line = line.strip_suffix('\r').unwrap_or(line);
        let bad = |reason| BadLine {
            line: at + 1,
            reason,
        };
        // systemd ends a line at either; an editor does not show it.
        if line.contains(['\r', '\0']) {
            return Err(bad("there is a carriage return or a NUL inside the line"));
        }
        // systemd skips one at the start of a file; nothing shows it anywhere.
        if line.contains('\u{feff}') {
            return Err(bad("there is a byte order mark (U+FEFF) in the line"));
        }
        if line.trim_start_matches(SPACE).starts_with(['#', ';']) {
            continue;
        }
        let (first, mut whole) = continued.take().unwrap_or((at + 1, String::new()));
        whole.push_str(line);
        if whole.len() > LINE_LIMIT {
            return Err(bad("the line is longer than 1 MiB"));
        }
        // An even number of backslashes stands for itself.
        if whole.bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1 {
            whole.pop();
            whole.push(' ');
            continued = Some((first, whole));
        } else {
            parser.line(first, &whole)?;
        }
    }
    if let Some((first, whole)) = continued {
        parser.line(first, &whole)?;
    }
    Ok(parser.found)
}

struct Parser {
    section: Option<String>,
    found: Vec<Assignment>,
    room: usize,
}

impl Parser {
    fn line(&mut self, line: usize, text: &str) -> Result<(), BadLine> {
        let bad = |reason| Err(BadLine { line, reason });
        let text = text.trim_matches(SPACE);
        if text.is_empty() {
            return Ok(());
        }
        if let Some(rest) = text.strip_prefix('[') {
            let Some(name) = rest.strip_suffix(']') else {
                return bad("a section's header does not end in `]`");
            };
            let safe = |c: char| c.is_ascii() && !c.is_control() && !matches!(c, '\\' | '"' | '\'');
            if name.is_empty() || !name.chars().all(safe) {
                return bad("this is not a section's name");
            }
            self.section = Some(name.to_owned());
            return Ok(());
        }
        let Some((key, value)) = text.split_once('=') else {
            return bad("there is no `=`");
        };
        let key = key.trim_matches(SPACE);
        if key.is_empty() {
            return bad("there is nothing before `=`");
        }
        if !key.is_ascii() {
            return bad("the key is not ASCII");
        }
        let Some(section) = &self.section else {
            return bad("an assignment stands before the first section");
        };
        if self.found.len() >= self.room {
            return bad(TOO_MANY);
        }
        self.found.push(Assignment {
            section: section.clone(),
            key: key.to_owned(),
            value: value.trim_matches(SPACE).to_owned(),
        });
        Ok(())
    }
}

/// The assignments in force when some are read one after the other: an empty
/// one takes away the earlier ones of its key (systemd.syntax(7), systemd.unit(5)
/// on lists). It stays itself, as an empty value, until the key is set again:
/// a key that is no list may keep its earlier value in systemd (a warning) or go
/// back to a default, and a reader must not take it for a key never set.
pub(crate) fn in_force(read: impl IntoIterator<Item = Assignment>) -> Vec<Assignment> {
    let mut force: Vec<Option<Assignment>> = Vec::new();
    // Where the assignments in force of each key stand.
    let mut of_key: HashMap<(String, String), Vec<usize>> = HashMap::new();
    for new in read {
        let same = of_key
            .entry((new.section.clone(), new.key.clone()))
            .or_default();
        // An empty one took the place of all before it, so it stands alone.
        let after_empty = same
            .last()
            .and_then(|at| force.get(*at))
            .is_some_and(|old| old.as_ref().is_some_and(|old| old.value.is_empty()));
        if new.value.is_empty() || after_empty {
            for at in same.drain(..) {
                if let Some(old) = force.get_mut(at) {
                    *old = None;
                }
            }
        }
        same.push(force.len());
        force.push(Some(new));
    }
    force.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(bytes: &[u8]) -> Result<Vec<Assignment>, BadLine> {
        super::parse(bytes, ASSIGNMENT_LIMIT)
    }

    fn read(text: &str) -> Vec<(String, String, String)> {
        in_force(parse(text.as_bytes()).unwrap())
            .into_iter()
            .map(|a| (a.section, a.key, a.value))
            .collect()
    }

    fn rows(rows: &[(&str, &str, &str)]) -> Vec<(String, String, String)> {
        rows.iter()
            .map(|(s, k, v)| ((*s).to_owned(), (*k).to_owned(), (*v).to_owned()))
            .collect()
    }

    #[test]
    fn the_corpus_reads_as_systemd_reads_it() {
        for (text, wanted) in [
            ("", &[][..]),
            (
                "[Service]\r\nKillMode=mixed\r\n",
                &[("Service", "KillMode", "mixed")],
            ),
            (
                " [Service] \n  KillMode =  mixed  \n",
                &[("Service", "KillMode", "mixed")],
            ),
            ("# c\n; c\n\n  # c\n[Unit]\n", &[]),
            // A comment ends nothing: convergence.md 4.1, 4.3.
            (
                "[Service]\nMemoryMax=1G # comment",
                &[("Service", "MemoryMax", "1G # comment")],
            ),
            (
                "[Service]\nEnvironment=a;x=1",
                &[("Service", "Environment", "a;x=1")],
            ),
            // Continuations; a comment inside one is skipped.
            (
                "[Service]\nExecStart=/a \\\n  b \\\n# c\n  ; d\n  e",
                &[("Service", "ExecStart", "/a    b    e")],
            ),
            (
                "[Service]\nExecStart=/a \\\n\nType=simple",
                &[
                    ("Service", "ExecStart", "/a"),
                    ("Service", "Type", "simple"),
                ],
            ),
            (
                "[Service]\nExecStart=/a\\\\\nType=simple",
                &[
                    ("Service", "ExecStart", "/a\\\\"),
                    ("Service", "Type", "simple"),
                ],
            ),
            (
                "[Service]\nExecStart=/a \\",
                &[("Service", "ExecStart", "/a")],
            ),
            (
                "[Service]\nExecStart=/a \\\r\nb",
                &[("Service", "ExecStart", "/a  b")],
            ),
            (
                "[Service]\n# c \\\nType=simple",
                &[("Service", "Type", "simple")],
            ),
            // Quotes, specifiers and backslashes are the reader's.
            (
                "[Service]\nEnvironment=\"K=a b\" 'it''s' %H \\x20",
                &[("Service", "Environment", "\"K=a b\" 'it''s' %H \\x20")],
            ),
            (
                "[X-Mine]\nAny=1\n[Unit]\nA=b=c",
                &[("X-Mine", "Any", "1"), ("Unit", "A", "b=c")],
            ),
            // Lists grow, and an empty assignment empties them.
            (
                "[Service]\nE=a\nE=b",
                &[("Service", "E", "a"), ("Service", "E", "b")],
            ),
            ("[Service]\nE=a\nE=\nE=b", &[("Service", "E", "b")]),
            (
                "[Unit]\nE=a\n[Service]\nE=\nF=1\nE=\n",
                &[
                    ("Unit", "E", "a"),
                    ("Service", "F", "1"),
                    ("Service", "E", ""),
                ],
            ),
        ] {
            assert_eq!(read(text), rows(wanted), "{text:?}");
        }
    }

    #[test]
    fn what_systemd_would_skip_is_refused_with_its_line() {
        for (text, line) in [
            ("[Service]\nKillMode", 2),
            ("[Service]\n=x", 2),
            ("KillMode=mixed\n[Service]", 1),
            ("[Service\nA=b", 1),
            ("[Service] # x\n", 1),
            ("[]\n", 1),
            ("[Service]\nA=b\nC=\\\n  d\nbad\n", 5),
            ("[Service]\nA=b\rC=d\n", 2),
            ("[Service]\nA=b\0\n", 2),
            ("[Ser\"vice]\n", 1),
            ("\u{feff}[Unit]\nDescription=x", 1),
            ("[Unit]\n\u{feff}A=b", 2),
            ("[Unit]\nA=b\u{feff}", 2),
            ("[Unit]\n# \u{feff}", 2),
            ("[Unit]\nA=\\\n\u{feff}", 3),
            ("[Servic\u{435}]\nA=b", 1),
            ("[Service]\nKillMod\u{435}=mixed", 2),
            ("[Service]\nKillMode\u{a0}=mixed", 2),
        ] {
            let error = parse(text.as_bytes()).unwrap_err();
            assert_eq!(error.line, line, "{text:?}: {error:?}");
        }
        assert_eq!(parse(b"[Unit]\nA=\xff").unwrap_err().line, 2);
        let long = format!("[Unit]\nA={}", "x".repeat(LINE_LIMIT));
        assert_eq!(parse(long.as_bytes()).unwrap_err().line, 2);
    }

    #[test]
    fn a_unit_has_room_for_so_many_assignments_and_no_more() {
        let text = format!("[Unit]\n{}", "A=b\n".repeat(ASSIGNMENT_LIMIT));
        assert_eq!(parse(text.as_bytes()).unwrap().len(), ASSIGNMENT_LIMIT);
        let bad = super::parse(text.as_bytes(), ASSIGNMENT_LIMIT - 1).unwrap_err();
        assert_eq!(bad.line, ASSIGNMENT_LIMIT + 1);
        assert!(bad.reason.contains(&ASSIGNMENT_LIMIT.to_string()));
    }

    fn value() -> impl Strategy<Value = String> {
        "[a-zA-Z0-9 ./%$\"'=#;-]{0,20}".prop_map(|v| v.trim().to_owned())
    }

    proptest! {
        #[test]
        fn what_is_rendered_reads_back(
            rows in prop::collection::vec(("Unit|Service|Install", "[A-Z][a-zA-Z]{0,8}", value()), 0..12),
            pad in "[ \t]{0,3}",
            end in "\n|\r\n",
        ) {
            let mut text = String::new();
            let mut wanted = Vec::new();
            for (section, key, value) in rows {
                text += &format!("{pad}[{section}]{end}; comment{end}{pad}{key}{pad}={pad}{value}{pad}{end}");
                wanted.push(Assignment { section, key, value });
            }
            prop_assert_eq!(parse(text.as_bytes()).unwrap(), wanted);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes);
        }
    }
}
