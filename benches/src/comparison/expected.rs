//! What a run must give, and how it is seen that it did.

use super::Outcome;
use crate::measure::Run;
use serde_json::Value;
use std::path::PathBuf;
use std::rc::Rc;

/// What a run must give.
pub(crate) enum Expected {
    /// This JSON, however it is laid out.
    Json(Rc<Value>),
    /// A text that has this in it.
    Says(String),
    /// The text in another layout: nothing but blanks, commas and quotes has changed, and
    /// something has.
    Layout {
        text: Rc<str>,
        /// The file it is written to; printed if there is none.
        file: Option<PathBuf>,
        /// Codes other than 0 that the program ends with after it did so.
        code: i32,
    },
}

impl Expected {
    /// An error if a run did not give it.
    pub(crate) fn judge(&self, run: &Run) -> Result<(), Outcome> {
        let accepted = match self {
            Expected::Layout { code, .. } if *code != 0 => {
                run.complaint.ends_with(&format!("exit status: {code}"))
            }
            _ => false,
        };
        if !run.succeeded && !accepted {
            return Err(Outcome::Failed(summary(&run.complaint)));
        }
        match self {
            Expected::Json(expected) => {
                let got: Value = serde_json::from_slice(&run.output)
                    .map_err(|e| Outcome::Differs(format!("the output is not JSON: {e}")))?;
                difference(expected, &got, "$").map_or(Ok(()), |at| Err(Outcome::Differs(at)))
            }
            Expected::Says(text) => {
                let output = String::from_utf8_lossy(&run.output);
                if output.contains(text.as_str()) {
                    Ok(())
                } else {
                    Err(Outcome::Differs(format!(
                        "the output does not say {text:?}"
                    )))
                }
            }
            Expected::Layout { text, file, .. } => {
                let output = match file {
                    Some(file) => std::fs::read(file).unwrap_or_default(),
                    None => run.output.clone(),
                };
                let output = String::from_utf8_lossy(&output);
                if essence(&output) != essence(text) {
                    Err(Outcome::Differs("the layout changed the text".to_owned()))
                } else if *output == **text {
                    Err(Outcome::Differs("the text was left as it was".to_owned()))
                } else {
                    Ok(())
                }
            }
        }
    }
}

/// A text without what a formatter may change.
fn essence(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, ',' | ';' | '"' | '\'' | '\\'))
        .collect()
}

/// The first line that says something, without colours, shortened.
fn summary(complaint: &str) -> String {
    let line = complaint
        .lines()
        .map(|line| uncoloured(line).trim().to_owned())
        .find(|line| line.chars().any(char::is_alphanumeric))
        .unwrap_or_else(|| "it said nothing".to_owned());
    line.chars().take(100).collect()
}

/// A text without the escape sequences that set colours: ECMA-48, "SGR".
fn uncoloured(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str(part.split_once('m').map_or("", |(_, rest)| rest));
    }
    out
}

/// Where two values first differ, as a path; `None` if they do not.
fn difference(expected: &Value, got: &Value, path: &str) -> Option<String> {
    match (expected, got) {
        (Value::Object(a), Value::Object(b)) => a
            .iter()
            .find_map(|(key, value)| match b.get(key) {
                Some(other) => difference(value, other, &format!("{path}.{key}")),
                None => Some(format!("{path}.{key} is missing")),
            })
            .or_else(|| {
                let surplus = b.keys().find(|key| !a.contains_key(*key))?;
                Some(format!("{path}.{surplus} is too much"))
            }),
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => a
            .iter()
            .zip(b)
            .enumerate()
            .find_map(|(i, (a, b))| difference(a, b, &format!("{path}[{i}]"))),
        (Value::Array(a), Value::Array(b)) => {
            Some(format!("{path} has {} items, not {}", b.len(), a.len()))
        }
        _ if expected == got => None,
        _ => Some(format!("{path} differs")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Sample;
    use serde_json::json;
    use std::time::Duration;

    fn run(output: &str, complaint: &str) -> Run {
        Run {
            sample: Sample {
                wall: Duration::ZERO,
                cpu: Duration::ZERO,
                peak: 0,
            },
            succeeded: complaint.is_empty(),
            output: output.as_bytes().to_vec(),
            complaint: complaint.to_owned(),
        }
    }

    fn verdict(expected: &Expected, output: &str, complaint: &str) -> String {
        match expected.judge(&run(output, complaint)) {
            Ok(()) => "right".to_owned(),
            Err(Outcome::Differs(at)) => format!("differs: {at}"),
            Err(Outcome::Failed(why)) => format!("failed: {why}"),
            Err(Outcome::Timed(_)) => "timed".to_owned(),
        }
    }

    #[test]
    fn the_order_of_keys_and_the_layout_of_json_do_not_matter_and_all_else_does() {
        let expected = Expected::Json(Rc::new(json!({ "a": [1, 2], "b": { "c": "x" } })));
        let judge = |output| verdict(&expected, output, "");
        assert_eq!(judge("{\"b\": {\"c\": \"x\"},\n \"a\": [1, 2]}"), "right");
        assert_eq!(
            judge("{\"b\": {\"c\": \"y\"}, \"a\": [1, 2]}"),
            "differs: $.b.c differs"
        );
        assert_eq!(
            judge("{\"b\": {\"c\": \"x\"}, \"a\": [2, 1]}"),
            "differs: $.a[0] differs"
        );
        assert_eq!(
            judge("{\"b\": {\"c\": \"x\"}, \"a\": [1]}"),
            "differs: $.a has 1 items, not 2"
        );
        assert_eq!(
            judge("{\"b\": {}, \"a\": [1, 2]}"),
            "differs: $.b.c is missing"
        );
        assert_eq!(
            judge("{\"b\": {\"c\": \"x\", \"d\": 1}, \"a\": [1, 2]}"),
            "differs: $.b.d is too much"
        );
        assert!(judge("{").starts_with("differs: the output is not JSON"));
    }

    #[test]
    fn a_program_that_ends_with_an_error_has_failed_with_its_first_words() {
        let expected = Expected::Says("fine".to_owned());
        assert_eq!(verdict(&expected, "all fine", ""), "right");
        assert_eq!(
            verdict(&expected, "all right", ""),
            "differs: the output does not say \"fine\""
        );
        assert_eq!(
            verdict(
                &expected,
                "all fine",
                "\n---\nout of memory\nat line 1\nexit status: 1"
            ),
            "failed: out of memory"
        );
    }

    #[test]
    fn a_layout_changes_blanks_and_nothing_else() {
        let layout = |code| Expected::Layout {
            text: "a = [ 'x', y ]\n".into(),
            file: None,
            code,
        };
        assert_eq!(verdict(&layout(0), "a = [\"x\", y]\n", ""), "right");
        assert_eq!(
            verdict(&layout(0), "a = ['x', z]\n", ""),
            "differs: the layout changed the text"
        );
        assert_eq!(
            verdict(&layout(0), "a = [ 'x', y ]\n", ""),
            "differs: the text was left as it was"
        );
        assert_eq!(
            verdict(&layout(11), "a = [\"x\", y]\n", "exit status: 11"),
            "right"
        );
        assert_eq!(
            verdict(&layout(11), "", "bad syntax\nexit status: 1"),
            "failed: bad syntax"
        );
    }
}
