//! Cases: a heading of a page with the files below it and what is claimed of them.

use dag_book::{Block, Page, Section};
use dag_eval::Limits;
use std::ops::Range;

/// What a page claims under one heading.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) files: Vec<SourceFile>,
    pub(crate) expectations: Vec<Expectation>,
}

/// A file of a case.
#[derive(Debug)]
pub(crate) struct SourceFile {
    pub(crate) path: String,
    pub(crate) text: String,
    /// Written to the disk in Latin-1, which is no UTF-8.
    pub(crate) latin_1: bool,
}

/// Something that is claimed.
#[derive(Debug)]
pub(crate) struct Expectation {
    pub(crate) mark: Mark,
    pub(crate) limits: Limits,
    pub(crate) text: String,
    pub(crate) line: usize,
    /// Where the text stands in the page.
    pub(crate) range: Range<usize>,
}

/// What kind of thing is claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// The check refuses, with these diagnostics.
    Error,
    /// The check passes, with these warnings.
    Warning,
    /// Expressions, and their values in display form.
    Value,
    /// Expressions, and their values as JSON.
    Json,
    /// Expressions whose evaluation is refused, and how.
    Refusal,
    /// The last file in the one layout.
    Fmt,
    /// What the witnesses say.
    Witness,
    /// Commands of the program, and what they print.
    Console,
}

/// Something wrong with a page.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) line: usize,
    pub(crate) text: String,
}

pub(crate) fn fault(line: usize, text: impl Into<String>) -> Fault {
    Fault {
        line,
        text: text.into(),
    }
}

/// The cases of a page; what is no case is reported.
pub(crate) fn cases(text: &str, faults: &mut Vec<Fault>) -> Vec<Case> {
    let page = Page::read(text);
    for line in &page.unmarked {
        faults.push(fault(*line, "this code is indented: fence it and mark it"));
    }
    let mut cases: Vec<Case> = Vec::new();
    for section in &page.sections {
        // From the third level on, a heading is a claim.
        if section.blocks.is_empty() && section.level < 3 {
            continue;
        }
        let Some(case) = case(section, faults) else {
            continue;
        };
        if cases.iter().any(|c| c.name == case.name) {
            faults.push(fault(case.line, "there is a case of this name above"));
        }
        cases.push(case);
    }
    cases
}

fn case(section: &Section, faults: &mut Vec<Fault>) -> Option<Case> {
    let mut case = Case {
        name: section.heading.clone(),
        line: section.line,
        files: Vec::new(),
        expectations: Vec::new(),
    };
    if section.blocks.is_empty() {
        faults.push(fault(section.line, "this case is empty"));
        return None;
    }
    let mut sound = true;
    for block in &section.blocks {
        let read = if block.mark() == "dag" {
            file(block).map(|f| case.files.push(f))
        } else {
            expectation(block).map(|e| case.expectations.push(e))
        };
        if let Err(error) = read {
            faults.push(fault(block.line, error));
            sound = false;
        }
    }
    for (index, expectation) in case.expectations.iter().enumerate() {
        let mark = expectation.mark;
        let once = matches!(
            mark,
            Mark::Error | Mark::Warning | Mark::Fmt | Mark::Witness
        );
        let before = &case.expectations[..index];
        if once && !expectation.asks() && before.iter().any(|e| e.mark == mark) {
            faults.push(fault(expectation.line, "the case says this above already"));
            sound = false;
        }
        let needs_file = match mark {
            Mark::Error => !expectation.asks(),
            Mark::Warning | Mark::Fmt | Mark::Witness => true,
            Mark::Value | Mark::Json | Mark::Refusal | Mark::Console => false,
        };
        if needs_file && case.files.is_empty() {
            faults.push(fault(
                expectation.line,
                "the case has no file to say this of",
            ));
            sound = false;
        }
    }
    sound.then_some(case)
}

fn file(block: &Block) -> Result<SourceFile, String> {
    let mut path = None;
    let mut latin_1 = false;
    for word in block.words() {
        match word {
            "latin-1" => latin_1 = true,
            name if name.ends_with(".dag") && path.is_none() => path = Some(name.to_owned()),
            other => return Err(format!("`{other}` is no word of a `dag` block")),
        }
    }
    if block.text.trim().is_empty() {
        return Err("this block is empty".into());
    }
    let by_module = || {
        let first = block.text.lines().next()?;
        let name = first.strip_prefix("module ")?.trim();
        let plain = name
            .chars()
            .all(|c| c.is_alphanumeric() || c == '.' || c == '_');
        plain.then(|| format!("{}.dag", name.replace('.', "/")))
    };
    let path = path
        .or_else(by_module)
        .unwrap_or_else(|| "example.dag".into());
    Ok(SourceFile {
        path,
        text: block.text.clone(),
        latin_1,
    })
}

fn expectation(block: &Block) -> Result<Expectation, String> {
    let mark = match block.mark() {
        "error" => Mark::Error,
        "warning" => Mark::Warning,
        "value" => Mark::Value,
        "json" => Mark::Json,
        "refusal" => Mark::Refusal,
        "fmt" => Mark::Fmt,
        "witness" => Mark::Witness,
        "console" => Mark::Console,
        "" => return Err("this block has no mark".into()),
        other => return Err(format!("`{other}` is no mark")),
    };
    let mut limits = Limits::default();
    for word in block.words() {
        limit(&mut limits, word)
            .filter(|()| mark == Mark::Refusal)
            .ok_or_else(|| format!("`{word}` is no word of a `{}` block", block.mark()))?;
    }
    let expectation = Expectation {
        mark,
        limits,
        text: block.text.clone(),
        line: block.line,
        range: block.range.clone(),
    };
    let must_ask = matches!(mark, Mark::Value | Mark::Json | Mark::Refusal);
    if must_ask && !expectation.asks() {
        return Err("this block starts with `> ` and an expression".into());
    }
    if mark == Mark::Console && !block.text.starts_with("$ ") {
        return Err("this block starts with `$ ` and a command".into());
    }
    Ok(expectation)
}

/// `steps=1000`: a limit of the evaluation.
fn limit(limits: &mut Limits, word: &str) -> Option<()> {
    let (name, value) = word.split_once('=')?;
    let value: usize = value.parse().ok()?;
    match name {
        "steps" => limits.steps = value as u64,
        "text" => limits.text_bytes = value,
        "items" => limits.list_items = value,
        "bytes" => limits.value_bytes = value,
        "calls" => limits.calls = value,
        _ => return None,
    }
    Some(())
}

impl Expectation {
    /// Whether it is about expressions, not about the files.
    pub(crate) fn asks(&self) -> bool {
        self.text.starts_with("> ")
    }

    /// What is asked, behind that sign, without the answers.
    pub(crate) fn asked(&self, sign: &str) -> Vec<&str> {
        let lines = self.text.lines();
        lines.filter_map(|line| line.strip_prefix(sign)).collect()
    }
}
