//! What the properties are tried on: files, and edits of them.

use std::fmt;

/// A file of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its path. One that ends in `_test.dag` may hold witnesses.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// Files that are written one after the other. The first writing of each path makes the first
/// state; a further writing of a path is an edit, and makes the next.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Case {
    /// What is written, in order.
    pub writes: Vec<SourceFile>,
}

/// What stands above each file where a case is written down.
const HEAD: &str = "==> ";

impl Case {
    /// A case of one file.
    #[must_use]
    pub fn of_text(path: &str, text: &str) -> Self {
        let mut case = Self::default();
        case.write(path, text);
        case
    }

    /// Writes one more file, or edits one.
    pub fn write(&mut self, path: &str, text: &str) {
        self.writes.push(SourceFile {
            path: path.into(),
            text: text.into(),
        });
    }

    /// The states that the files go through, the first one with every file.
    #[must_use]
    pub fn states(&self) -> Vec<Vec<SourceFile>> {
        let mut first: Vec<SourceFile> = Vec::new();
        let mut edits = Vec::new();
        for write in &self.writes {
            if first.iter().any(|file| file.path == write.path) {
                edits.push(write);
            } else {
                first.push(write.clone());
            }
        }
        let mut states = vec![first];
        for edit in edits {
            let mut next = states.last().cloned().unwrap_or_default();
            for file in &mut next {
                if file.path == edit.path {
                    file.text.clone_from(&edit.text);
                }
            }
            states.push(next);
        }
        states
    }

    /// Reads what [`Case`] shows. A text without any head is one file, `m.dag`.
    #[must_use]
    pub fn read(text: &str) -> Self {
        if !text.starts_with(HEAD) {
            return Self::of_text("m.dag", text);
        }
        let mut case = Self::default();
        for line in text.split_inclusive('\n') {
            if let Some(path) = line.strip_prefix(HEAD) {
                case.write(path.trim_end_matches('\n'), "");
            } else if let Some(write) = case.writes.last_mut() {
                write.text.push_str(line);
            }
        }
        // Where it was shown, each file got one more end of line.
        for write in &mut case.writes {
            write.text.pop();
        }
        case
    }
}

/// As it is kept in a file: above each text a line `==> PATH`, below it an end of line that does
/// not belong to it.
impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for SourceFile { path, text } in &self.writes {
            writeln!(f, "{HEAD}{path}\n{text}")?;
        }
        Ok(())
    }
}
