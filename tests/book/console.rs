//! Commands of the built program, run on the files of a case.

use crate::case::{Case, Expectation};
use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;
use std::process::{Command, Stdio};

/// The commands of a block, each with what it prints.
pub(crate) fn run(case: &Case, expectation: &Expectation) -> String {
    let room = tempfile::tempdir().unwrap();
    for file in &case.files {
        let path = room.path().join(&file.path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let bytes = if file.latin_1 {
            file.text.chars().map(|c| c as u8).collect()
        } else {
            file.text.clone().into_bytes()
        };
        std::fs::write(path, bytes).unwrap();
    }
    let mut out = String::new();
    for command in expectation.asked("$ ") {
        out.push_str(&format!("$ {command}\n"));
        out.push_str(&printed(command, room.path()));
    }
    out
}

fn printed(command: &str, folder: &Path) -> String {
    let mut words = words(command).into_iter();
    let program = words.next().unwrap_or_default();
    assert_eq!(program, "hayward", "a console runs `hayward` alone");
    // One file for both, so that the order is what a person sees.
    let mut printed = tempfile::tempfile().unwrap();
    let to = |file: &File| Stdio::from(file.try_clone().unwrap());
    let status = Command::new("timeout")
        .args(["--kill-after=5", "60", env!("CARGO_BIN_EXE_hayward")])
        .args(words)
        .current_dir(folder)
        // A page shows what a first run prints.
        .env("HAYWARD_STORE", "off")
        .env_remove("NO_COLOR")
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .stdout(to(&printed))
        .stderr(to(&printed))
        .status()
        .unwrap();
    let mut text = String::new();
    printed.rewind().unwrap();
    printed.read_to_string(&mut text).unwrap();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    match status.code() {
        Some(0) => text,
        code => format!("{text}(exit code {})\n", code.unwrap_or(-1)),
    }
}

/// Words between blanks; single quotes hold blanks together.
fn words(command: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in command.chars() {
        match c {
            '\'' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().unwrap().push(c),
        }
    }
    words
}
