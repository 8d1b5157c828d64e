//! The page of each code (`docs/language/diagnostics`), as it is built in.

use crate::page::{Block, Page, Section};
use dag_syntax::Code;

static PAGES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/codes.rs"));

/// What is to be said of a rule.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The rule.
    pub code: Code,
    /// The page, without its title and the sentence of the rule.
    pub body: String,
    /// Why there is such a rule.
    pub why: String,
    /// Files that break it, and what the program says: blocks of the book.
    pub example: Vec<Block>,
    /// What to do about it.
    pub cure: String,
    /// The files as they pass.
    pub cured: Vec<Block>,
}

/// A page that does not have the shape of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PageError {
    /// The code has no page.
    Missing,
    /// The title is not the code.
    Title,
    /// The first paragraph is not the sentence of the rule.
    Rule,
    /// A section is missing, or has nothing to show.
    Section(&'static str),
}

impl std::fmt::Display for PageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => f.write_str("there is no page"),
            Self::Title => f.write_str("the title is not the code"),
            Self::Rule => f.write_str("the first paragraph is not the rule as the table has it"),
            Self::Section(heading) => write!(f, "the section `{heading}` is missing or empty"),
        }
    }
}

impl std::error::Error for PageError {}

/// Every built-in page: the code that it is named for, and its text.
#[must_use]
pub fn pages() -> &'static [(&'static str, &'static str)] {
    PAGES
}

/// What is to be said of a code.
///
/// # Errors
/// If its page is missing or has another shape; a test holds that none does.
pub fn explanation(code: Code) -> Result<Explanation, PageError> {
    let text = PAGES.iter().find(|(name, _)| *name == code.as_str());
    let (_, text) = text.ok_or(PageError::Missing)?;
    of_page(code, text)
}

fn of_page(code: Code, text: &str) -> Result<Explanation, PageError> {
    let page = Page::read(text);
    let title = page.sections.first().filter(|s| s.level == 1);
    let title = title
        .filter(|s| s.heading == code.as_str())
        .ok_or(PageError::Title)?;
    let rule = title.paragraphs.first().map(String::as_str);
    if rule.map(joined).as_deref() != Some(code.rule()) {
        return Err(PageError::Rule);
    }
    let prose = |section: &Section| joined(&section.paragraphs.join("\n\n"));
    let section = |heading: &'static str| {
        let found = page.section(heading).filter(|s| s.level == 2);
        found.ok_or(PageError::Section(heading))
    };
    let (why, example, cure) = (section("Why")?, section("Example")?, section("Cure")?);
    if why.paragraphs.is_empty() {
        return Err(PageError::Section("Why"));
    }
    if example.blocks.is_empty() {
        return Err(PageError::Section("Example"));
    }
    if cure.paragraphs.is_empty() || cure.blocks.is_empty() {
        return Err(PageError::Section("Cure"));
    }
    let body = text.find("\n## ").map_or("", |at| &text[at + 1..]);
    Ok(Explanation {
        code,
        body: body.to_owned(),
        why: prose(why),
        example: example.blocks.clone(),
        cure: prose(cure),
        cured: cure.blocks.clone(),
    })
}

/// Prose without the line ends of its source.
fn joined(prose: &str) -> String {
    let paragraphs: Vec<String> = prose
        .split("\n\n")
        .map(|p| p.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    paragraphs.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::{PageError, explanation, of_page, pages};
    use dag_syntax::Code;

    #[test]
    fn every_code_has_its_page_and_every_page_its_code() {
        for code in Code::ALL {
            if let Err(error) = explanation(*code) {
                panic!("{code}: {error}");
            }
        }
        for (name, _) in pages() {
            assert!(Code::ALL.iter().any(|c| c.as_str() == *name), "{name}");
        }
    }

    #[test]
    fn a_page_of_another_shape_is_refused() {
        let code = Code::NotUtf8;
        let (_, good) = pages().iter().find(|(n, _)| *n == "E0110").unwrap();
        assert!(of_page(code, good).is_ok());
        let error = |from: &str, to: &str| of_page(code, &good.replace(from, to)).unwrap_err();
        assert_eq!(error("# E0110", "# E0111"), PageError::Title);
        assert_eq!(error(code.rule(), "A module is text."), PageError::Rule);
        assert_eq!(error("## Why", "## Because"), PageError::Section("Why"));
        assert_eq!(
            error("## Example", "## Sample"),
            PageError::Section("Example")
        );
        assert_eq!(error("## Cure", "### Cure"), PageError::Section("Cure"));
    }
}
