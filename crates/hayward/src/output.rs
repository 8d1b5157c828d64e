//! What a command prints, and where: results on standard output, everything
//! about them on standard error, colours only on a terminal.

use crate::failure::{Failure, Outcome};
use clap::ValueEnum;
use dag_syntax::{Diagnostic, Sources, Style, render_text};
use serde::Serialize;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Where a command prints.
#[derive(Debug)]
pub(crate) struct Output {
    /// Whether one JSON document is asked for.
    pub(crate) json: bool,
    style: Style,
    error_style: Style,
}

/// A word's colour.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Tone {
    Good,
    Bad,
    Change,
    Quiet,
    Strong,
}

impl Output {
    pub(crate) fn new(json: bool, color: Color) -> Self {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty());
        let style = |terminal: bool| match color {
            Color::Always => Style::Coloured,
            Color::Auto if terminal && !plain => Style::Coloured,
            Color::Auto | Color::Never => Style::Plain,
        };
        Self {
            json,
            style: style(std::io::stdout().is_terminal()),
            error_style: style(std::io::stderr().is_terminal()),
        }
    }

    /// A line of the result; nothing if JSON is asked for.
    pub(crate) fn line(&self, text: impl AsRef<str>) {
        if !self.json {
            write(&mut std::io::stdout().lock(), text.as_ref());
        }
    }

    /// A line beside the result.
    pub(crate) fn note(&self, text: impl AsRef<str>) {
        if !self.json {
            write(&mut std::io::stderr().lock(), text.as_ref());
        }
    }

    /// The one JSON document.
    pub(crate) fn document(&self, value: &impl Serialize) {
        if self.json {
            let text = serde_json::to_string_pretty(value)
                .unwrap_or_else(|e| format!("{{\"error\":\"{e}\"}}"));
            write(&mut std::io::stdout().lock(), &text);
        }
    }

    /// Text as it is, without a new line: a file's contents, a script.
    pub(crate) fn raw(&self, bytes: &[u8]) {
        let mut out = std::io::stdout().lock();
        if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
            std::process::exit(0);
        }
    }

    /// Mistakes and warnings, a blank line between each two.
    pub(crate) fn diagnostics(&self, diagnostics: &[Diagnostic], sources: &Sources) {
        for diagnostic in diagnostics {
            self.note(render_text(diagnostic, sources, self.error_style));
            self.note("");
        }
    }

    /// A word of the result in a colour.
    pub(crate) fn paint(&self, tone: Tone, text: &str) -> String {
        if self.style == Style::Plain {
            return text.to_owned();
        }
        let code = match tone {
            Tone::Good => "32",
            Tone::Bad => "31",
            Tone::Change => "33",
            Tone::Quiet => "2",
            Tone::Strong => "1",
        };
        format!("\x1b[{code}m{text}\x1b[0m")
    }

    /// Says why a command was not carried out, and gives the exit code.
    pub(crate) fn finish(&self, outcome: Outcome) -> ExitCode {
        match outcome {
            Ok(end) => end.code(),
            Err(failure) => {
                if self.json {
                    self.document(&serde_json::json!({ "error": failure.message }));
                }
                let label = if self.error_style == Style::Coloured {
                    "\x1b[1;31merror\x1b[0m"
                } else {
                    "error"
                };
                write(
                    &mut std::io::stderr().lock(),
                    &format!("{label}: {failure}"),
                );
                ExitCode::from(2)
            }
        }
    }
}

/// Writes a line. A reader that went away (`| head`) ends the command quietly.
fn write(to: &mut impl Write, text: &str) {
    if writeln!(to, "{text}").is_err() {
        std::process::exit(0);
    }
}

/// Writes a file whole or not at all: beside its place first, then renamed.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let failed =
        |e: std::io::Error| Failure::new(format!("{} cannot be written: {e}", path.display()));
    let name = path
        .file_name()
        .ok_or_else(|| failed(std::io::ErrorKind::IsADirectory.into()))?;
    let mut beside = std::ffi::OsString::from(".");
    beside.push(name);
    beside.push(".hayward");
    let beside = path.with_file_name(beside);
    let written = std::fs::write(&beside, bytes)
        .and_then(|()| std::fs::File::open(&beside)?.sync_all())
        .and_then(|()| std::fs::rename(&beside, path));
    written.map_err(|e| {
        // What is half written must not be left.
        let _ = std::fs::remove_file(&beside);
        failed(e)
    })
}

/// "1 module", "2 modules".
pub(crate) fn counted(n: usize, what: &str) -> String {
    if n == 1 {
        format!("1 {what}")
    } else {
        format!("{n} {what}s")
    }
}
