//! What a command prints, and where: results on standard output, everything
//! about them on standard error, colours only on a terminal.

use crate::failure::{Failure, Outcome};
use crate::working::Working;
use clap::ValueEnum;
use dag_syntax::{Diagnostic, Sources, Style, render_text};
use hayward_project::in_line;
use serde::Serialize;
use std::io::{IsTerminal, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::ExitCode;

/// When to use colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set or TERM is `dumb`
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The form in which a command answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for a person
    #[default]
    Text,
    /// One JSON document
    Json,
    /// A SARIF 2.1.0 log, for forges and editors
    Sarif,
}

/// Where a command prints.
#[derive(Debug)]
pub(crate) struct Output {
    /// Whether one JSON document is asked for.
    pub(crate) json: bool,
    format: Format,
    style: Style,
    error_style: Style,
    only_tells: bool,
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
    pub(crate) fn new(format: Format, color: Color) -> Self {
        let plain = std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty())
            || std::env::var_os("TERM").is_some_and(|v| v == "dumb");
        let style = |terminal: bool| match color {
            Color::Always => Style::Coloured,
            Color::Auto if terminal && !plain => Style::Coloured,
            Color::Auto | Color::Never => Style::Plain,
        };
        Self {
            json: format == Format::Json,
            only_tells: false,
            format,
            style: style(std::io::stdout().is_terminal()),
            error_style: style(std::io::stderr().is_terminal()),
        }
    }

    /// The same, of a command that changes nothing in any case.
    pub(crate) fn telling(self, only_tells: bool) -> Self {
        Self { only_tells, ..self }
    }

    /// Whether the command changes nothing in any case, so that it need not be said.
    pub(crate) fn only_tells(&self) -> bool {
        self.only_tells
    }

    /// Whether a SARIF log is asked for.
    pub(crate) fn is_sarif(&self) -> bool {
        self.format == Format::Sarif
    }

    /// A line of the result; nothing if another form is asked for.
    pub(crate) fn line(&self, text: impl AsRef<str>) {
        if self.format == Format::Text {
            write(&mut std::io::stdout().lock(), &shown(text.as_ref()));
        }
    }

    /// A line beside the result.
    pub(crate) fn note(&self, text: impl AsRef<str>) {
        if self.format == Format::Text {
            write(&mut std::io::stderr().lock(), &shown(text.as_ref()));
        }
    }

    /// The one JSON document.
    pub(crate) fn document(&self, value: &impl Serialize) {
        if self.json {
            print_json(value);
        }
    }

    /// The one SARIF log.
    pub(crate) fn log(&self, value: &impl Serialize) {
        if self.is_sarif() {
            print_json(value);
        }
    }

    /// Text as it is, without a new line: a file's contents, a script.
    pub(crate) fn raw(&self, bytes: &[u8]) {
        let mut out = std::io::stdout().lock();
        if let Err(error) = out.write_all(bytes).and_then(|()| out.flush()) {
            unwritten(&error);
        }
    }

    /// Says on a terminal what goes on, if it takes long; until what is given is dropped.
    pub(crate) fn working(&self, what: impl Into<String>) -> Option<Working> {
        let told = self.format == Format::Text && std::io::stderr().is_terminal();
        told.then(|| Working::on_terminal(what.into()))
    }

    /// Mistakes and warnings, a blank line between each two; at most so many that
    /// a person would read them. `--json` has all.
    pub(crate) fn diagnostics(&self, diagnostics: &[Diagnostic], sources: &Sources) {
        const SHOWN: usize = 60;
        if self.format != Format::Text {
            return;
        }
        for diagnostic in diagnostics.iter().take(SHOWN) {
            // It shows control characters of a source as pictures itself.
            let text = render_text(diagnostic, sources, self.error_style);
            write(&mut std::io::stderr().lock(), &(text + "\n"));
        }
        if diagnostics.len() > SHOWN {
            self.note(format!("… and {} more\n", diagnostics.len() - SHOWN));
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
        format!("{MARK}{code}{MARK_END}{text}{MARK}0{MARK_END}")
    }

    /// Says why a command was not carried out.
    pub(crate) fn failure(&self, failure: &Failure) {
        if self.json {
            self.document(&serde_json::json!({ "error": failure.message }));
        }
        crate::sarif::failure(failure, self);
        let label = if self.error_style == Style::Coloured {
            "\x1b[1;31merror\x1b[0m"
        } else {
            "error"
        };
        write(
            &mut std::io::stderr().lock(),
            &format!("{label}: {}", shown(&failure.message)),
        );
    }

    /// The exit code; says why, if a command was not carried out.
    pub(crate) fn finish(&self, outcome: Outcome) -> ExitCode {
        match outcome {
            Ok(end) => end.code(),
            Err(failure) => {
                self.failure(&failure);
                ExitCode::from(2)
            }
        }
    }
}

/// Around the number of a colour, until the line is written: private-use
/// characters, so that the text between may come from anywhere.
const MARK: char = '\u{f8fe}';
const MARK_END: char = '\u{f8ff}';

/// The text as a terminal may get it: what a host, a file or a model holds must
/// not move the cursor or rename the window.
fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            MARK => {
                let code: String = chars.by_ref().take_while(|c| *c != MARK_END).collect();
                if matches!(code.as_str(), "0" | "1" | "2" | "31" | "32" | "33") {
                    out.push_str(&format!("\x1b[{code}m"));
                }
            }
            '\n' | '\t' => out.push(c),
            c if c.is_control() || is_direction(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

/// Characters that change the direction of text, so that it reads as another.
fn is_direction(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn print_json(value: &impl Serialize) {
    let text =
        serde_json::to_string_pretty(value).unwrap_or_else(|e| format!("{{\"error\":\"{e}\"}}"));
    write(&mut std::io::stdout().lock(), &text);
}

/// Whether the arguments, which could not be read, ask for a JSON document.
fn json_is_asked() -> bool {
    let words: Vec<String> = std::env::args_os()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let two = words.windows(2).any(|two| two == ["--format", "json"]);
    two || words.iter().any(|w| w == "--json" || w == "--format=json")
}

/// Prints the help or the version that was asked for, or what is wrong with the arguments.
pub(crate) fn usage(error: &clap::Error) -> ExitCode {
    let asked = !error.use_stderr();
    if !asked && json_is_asked() {
        let text = error.render().to_string();
        let message = text.lines().next().unwrap_or_default();
        let message = message.strip_prefix("error: ").unwrap_or(message);
        let document = serde_json::json!({ "error": message });
        write(&mut std::io::stdout().lock(), &document.to_string());
    }
    if let Err(error) = error.print() {
        unwritten(&error);
    }
    ExitCode::from(if asked { 0 } else { 2 })
}

/// Writes a line.
fn write(to: &mut impl Write, text: &str) {
    if let Err(error) = writeln!(to, "{text}") {
        unwritten(&error);
    }
}

/// Ends a command that cannot say what it did. A reader that went away (`| head`)
/// needs no message; the exit code is the shell's for SIGPIPE, not success.
fn unwritten(error: &std::io::Error) -> ! {
    crate::demo::clear();
    if error.kind() == std::io::ErrorKind::BrokenPipe {
        std::process::exit(141);
    }
    // Where this cannot be written either, the exit code has to do.
    let _ = writeln!(
        std::io::stderr(),
        "error: the output cannot be written: {error}"
    );
    std::process::exit(2);
}

/// Writes a file whole or not at all: beside its place first, then renamed. A link stays
/// one, and what it leads to is written; mode and owner stay as they are.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let failed =
        |e: std::io::Error| Failure::new(format!("{} cannot be written: {e}", in_line(path)));
    let (path, before) = match std::fs::metadata(path) {
        Ok(before) => (&*path.canonicalize().map_err(failed)?, Some(before)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => (path, None),
        Err(error) => return Err(failed(error)),
    };
    let name = path
        .file_name()
        .ok_or_else(|| failed(std::io::ErrorKind::IsADirectory.into()))?;
    let mut beside = std::ffi::OsString::from(".");
    beside.push(name);
    beside.push(".hayward");
    let beside = path.with_file_name(beside);
    // Left by a command that was killed; a link or a FIFO there must not be written through.
    match std::fs::remove_file(&beside) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(failed(e)),
        _ => {}
    }
    let mut file = std::fs::File::create_new(&beside).map_err(failed)?;
    let written = file
        .write_all(bytes)
        .and_then(|()| before.map_or(Ok(()), |before| keep_owner(&file, &before)))
        .and_then(|()| file.sync_all())
        .and_then(|()| std::fs::rename(&beside, path));
    written.map_err(|e| {
        // What is half written must not be left.
        let _ = std::fs::remove_file(&beside);
        failed(e)
    })
}

/// Gives a file the owner and the mode that another one has.
fn keep_owner(file: &std::fs::File, of: &std::fs::Metadata) -> std::io::Result<()> {
    let now = file.metadata()?;
    if (now.uid(), now.gid()) != (of.uid(), of.gid()) {
        std::os::unix::fs::fchown(file, Some(of.uid()), Some(of.gid()))?;
    }
    file.set_permissions(of.permissions())
}

/// "1 module", "2 modules".
pub(crate) fn counted(n: usize, what: &str) -> String {
    if n == 1 {
        format!("1 {what}")
    } else {
        format!("{n} {what}s")
    }
}
