//! The rules of the language as rules of a tool.

use crate::format::{Configuration, Message, Rule};
use dag_syntax::{Code, Severity};

/// Every rule, in the order of the codes.
pub(crate) fn rules() -> Vec<Rule> {
    Code::ALL.iter().copied().map(rule).collect()
}

fn rule(code: Code) -> Rule {
    Rule {
        id: code.as_str(),
        name: format!("{code:?}"),
        short_description: Message::of(code.rule()),
        help: help(code),
        default_configuration: Configuration {
            level: match code.as_str().starts_with('W') {
                true => level(Severity::Warning),
                false => level(Severity::Error),
            },
        },
    }
}

/// What the code's page says in sentences. Its examples are left out: braces would be
/// doubled in them (§3.11.5), and a viewer that does not know would show them so.
fn help(code: Code) -> Option<Message> {
    let page = dag_book::explanation(code).ok()?;
    let more = format!("`hayward explain {code}` shows an example and its cure.");
    Some(Message::of(&[page.why, page.cure, more].join("\n\n")))
}

/// §3.27.10.
pub(crate) fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}
