//! A value as `eval` and `run` print it: a line of the display form, or of JSON.

use crate::failure::Failure;
use dag_analysis::core::Program;
use dag_eval::{JsonError, TooLong, Value, display_whole, to_json_text};
use dag_syntax::{Code, Diagnostic, Location, SourceId, Sources, Span};

/// Why a value is not printed.
pub(crate) enum Unprinted {
    /// Its form is longer than the limit, in bytes: no part of it may pass for it.
    TooLong(usize),
    /// It has no such form.
    NoForm(JsonError),
    /// It is no text, and a text alone is printed as it is.
    NoText,
}

/// How a value is printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// As the language shows it, in a line.
    Display,
    /// As JSON, in a line.
    Json,
    /// A text as it is, without a line end behind it.
    Raw,
}

impl Form {
    /// Its name, by which what was printed is kept.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Display => "display",
            Self::Json => "json",
            Self::Raw => "raw",
        }
    }

    /// What is written on the standard output, where a text as it is was not asked for.
    pub(crate) fn of(json: bool) -> Self {
        match json {
            true => Self::Json,
            false => Self::Display,
        }
    }
}

pub(crate) fn printed(program: &Program, value: &Value, form: Form) -> Result<String, Unprinted> {
    let text = match form {
        Form::Raw => {
            return match value {
                Value::Str(text) => Ok(text.to_string()),
                _ => Err(Unprinted::NoText),
            };
        }
        Form::Json => to_json_text(program, value).map_err(|error| match error {
            JsonError::TooLong(limit) => Unprinted::TooLong(limit),
            other => Unprinted::NoForm(other),
        }),
        Form::Display => {
            display_whole(program, value).map_err(|TooLong(limit)| Unprinted::TooLong(limit))
        }
    };
    text.map(|text| text + "\n")
}

impl Unprinted {
    /// The refusal of what was asked for in a source; or the failure.
    pub(crate) fn refusal(
        self,
        source: SourceId,
        sources: &Sources,
    ) -> Result<Diagnostic, Failure> {
        match self {
            Self::NoForm(error) => Err(Failure::of(&error)),
            Self::NoText => Err(Failure::new(
                "`--raw` prints a String as it is, and this value is none: leave it out, or ask for a \
                 text",
            )),
            Self::TooLong(limit) => {
                let end = u32::try_from(sources.get(source).text.len()).unwrap_or(u32::MAX);
                let at = Location {
                    source,
                    span: Span::new(0, end),
                };
                let message = format!("what is printed of this value has more than {limit} bytes");
                let refusal = Diagnostic::error(Code::TooLarge, at, message);
                Ok(refusal.cure("print a part of it: a field, or `items.take(100)`"))
            }
        }
    }
}
