//! From values to plain data and, for observed types only, back.

use super::{DatedAnswer, Finding, ModelError};
use crate::{
    AcceptedFile, DesiredFile, DesiredPath, Digest, Effect, FileMode, HostAnswer, HostName,
    HostPath, HostRow, Transport, UnitReading,
};
use dag_analysis::core::Program;
use dag_eval::{Evaluator, Value};
use dag_syntax::Symbol;
use std::path::PathBuf;

/// Reads values of one answer; says which answer if one does not fit.
pub(super) struct Reader<'a> {
    program: &'a Program,
    what: String,
}

impl<'a> Reader<'a> {
    pub(super) fn new(program: &'a Program, what: impl Into<String>) -> Self {
        Self {
            program,
            what: what.into(),
        }
    }

    pub(super) fn bad(&self, why: impl Into<String>) -> ModelError {
        ModelError::BadValue {
            what: self.what.clone(),
            why: why.into(),
        }
    }

    pub(super) fn field<'v>(&self, value: &'v Value, name: &str) -> Result<&'v Value, ModelError> {
        value
            .field(self.program, name)
            .ok_or_else(|| self.bad(format!("there is no `{name}`")))
    }

    pub(super) fn text(&self, value: &Value) -> Result<String, ModelError> {
        value
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| self.bad("a text was expected"))
    }

    pub(super) fn int(&self, value: &Value) -> Result<i64, ModelError> {
        value
            .as_int()
            .ok_or_else(|| self.bad("a number was expected"))
    }

    pub(super) fn list<'v>(
        &self,
        value: &'v Value,
    ) -> Result<impl Iterator<Item = &'v Value> + use<'v>, ModelError> {
        Ok(value
            .as_list()
            .ok_or_else(|| self.bad("a list was expected"))?
            .iter())
    }

    fn variant(&self, value: &Value) -> &'static str {
        value.variant_name(self.program).map_or("", Symbol::as_str)
    }

    fn unknown(&self, value: &Value) -> ModelError {
        self.bad(format!(
            "the engine does not know `{}`",
            self.variant(value)
        ))
    }

    fn host_name(&self, value: &Value) -> Result<HostName, ModelError> {
        HostName::try_from(self.text(value)?).map_err(|e| self.bad(e.to_string()))
    }

    fn path(&self, value: &Value) -> Result<HostPath, ModelError> {
        HostPath::try_from(self.text(value)?).map_err(|e| self.bad(e.to_string()))
    }

    /// The roster; a host that is listed twice is refused here, where it would
    /// make "each host once" a lie.
    pub(super) fn roster(&self, hosts: &Value) -> Result<Vec<HostRow>, ModelError> {
        let mut roster: Vec<HostRow> = Vec::new();
        for host in self.list(hosts)? {
            let name = self.host_name(self.field(host, "identity")?)?;
            if roster.iter().any(|row| row.name == name) {
                return Err(self.bad(format!("the roster lists `{name}` twice")));
            }
            let transport = self.field(host, "transport")?;
            let transport = match self.variant(transport) {
                "RootDirectory" => Transport::RootDirectory(PathBuf::from(
                    self.text(self.field(transport, "path")?)?,
                )),
                _ => return Err(self.unknown(transport)),
            };
            roster.push(HostRow { name, transport });
        }
        Ok(roster)
    }

    pub(super) fn desired(&self, value: &Value) -> Result<DesiredPath, ModelError> {
        match self.variant(value) {
            "File" => {
                let path = self.path(self.field(value, "path")?)?;
                let bits = self.int(self.field(value, "mode")?)?;
                let mode = u32::try_from(bits).ok().and_then(FileMode::new);
                let mode =
                    mode.ok_or_else(|| self.bad(format!("{path}: {bits} is no file mode")))?;
                let effect = self.field(value, "effect")?;
                let effect = match self.variant(effect) {
                    "NoEffect" => Effect::None,
                    "Reload" => Effect::Reload,
                    "Restart" => Effect::Restart,
                    _ => return Err(self.unknown(effect)),
                };
                Ok(DesiredPath::File(DesiredFile {
                    path,
                    text: self.text(self.field(value, "text")?)?,
                    mode,
                    effect,
                    because: self.text(self.field(value, "because")?)?,
                }))
            }
            "Foreign" => {
                let hex = self.text(self.field(value, "blake3")?)?;
                let digest = Digest::parse(&hex);
                let digest = digest.ok_or_else(|| self.bad(format!("`{hex}` is no digest")))?;
                Ok(DesiredPath::Foreign(AcceptedFile {
                    path: self.path(self.field(value, "path")?)?,
                    digest,
                    because: self.text(self.field(value, "because")?)?,
                }))
            }
            "Gone" => Ok(DesiredPath::Gone(self.path(self.field(value, "path")?)?)),
            _ => Err(self.unknown(value)),
        }
    }

    pub(super) fn findings(&self, lines: &Value) -> Result<Vec<Finding>, ModelError> {
        self.list(lines)?
            .map(|line| {
                Ok(Finding {
                    host: self.text(self.field(line, "host")?)?,
                    cause: self.text(self.field(line, "cause")?)?,
                })
            })
            .collect()
    }
}

/// The observed value of an answer.
pub(super) fn mint(evaluator: &Evaluator, dated: &DatedAnswer) -> Result<Value, ModelError> {
    let taken_at = Value::Int(dated.taken_at);
    let without_units = |variant: &str, host: &HostName, cause: &str| {
        evaluator.construct(
            &format!("host.reading.HostAnswer.{variant}"),
            [
                ("host", Value::text(host.as_str())),
                ("cause", Value::text(cause)),
                ("taken_at", taken_at.clone()),
            ],
        )
    };
    if let Some(cause) = &dated.lapsed {
        return Ok(without_units("Lapsed", dated.answer.host(), cause)?);
    }
    Ok(match &dated.answer {
        HostAnswer::Silent { host, cause } => without_units("Silent", host, cause)?,
        HostAnswer::Unreadable { host, cause } => without_units("Unreadable", host, cause)?,
        HostAnswer::Answered { host, units } => {
            let units: Result<Vec<Value>, ModelError> = units
                .iter()
                .map(|u| mint_unit(evaluator, host, u, dated.taken_at))
                .collect();
            evaluator.construct(
                "host.reading.HostAnswer.Answered",
                [
                    ("host", Value::text(host.as_str())),
                    ("units", Value::list(units?)),
                    ("taken_at", taken_at),
                ],
            )?
        }
    })
}

fn mint_unit(
    evaluator: &Evaluator,
    host: &HostName,
    unit: &UnitReading,
    taken_at: i64,
) -> Result<Value, ModelError> {
    let mut sources = Vec::new();
    for source in &unit.sources {
        sources.push(evaluator.construct(
            "host.reading.UnitSource",
            [
                ("path", Value::text(&source.path)),
                ("digest", Value::text(&source.digest.to_string())),
                ("owned", Value::Bool(source.owned)),
            ],
        )?);
    }
    let mut settings = Vec::new();
    for setting in &unit.settings {
        settings.push(evaluator.construct(
            "host.reading.UnitSetting",
            [
                ("section", Value::text(&setting.section)),
                ("key", Value::text(&setting.key)),
                ("value", Value::text(&setting.value)),
            ],
        )?);
    }
    Ok(evaluator.construct(
        "host.reading.UnitReading",
        [
            ("host", Value::text(host.as_str())),
            ("unit", Value::text(&unit.unit)),
            ("sources", Value::list(sources)),
            ("settings", Value::list(settings)),
            ("taken_at", Value::Int(taken_at)),
        ],
    )?)
}

/// Adds a part of an answer's bytes, framed by its length.
fn framed(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u64).to_le_bytes());
    out.extend(text.as_bytes());
}

/// An answer that no longer speaks of its host, as bytes.
pub(super) fn evidence_lapsed(host: &HostName, cause: &str) -> Vec<u8> {
    let mut out = Vec::new();
    for part in ["lapsed", host.as_str(), cause] {
        framed(&mut out, part);
    }
    out
}

/// An answer as bytes.
pub(super) fn evidence(answer: &HostAnswer) -> Vec<u8> {
    let mut out = Vec::new();
    let mut frame = |text: &str| framed(&mut out, text);
    match answer {
        HostAnswer::Silent { host, cause } => {
            ["silent", host.as_str(), cause].into_iter().for_each(frame);
        }
        HostAnswer::Unreadable { host, cause } => {
            ["unreadable", host.as_str(), cause]
                .into_iter()
                .for_each(frame);
        }
        HostAnswer::Answered { host, units } => {
            frame("answered");
            frame(host.as_str());
            frame(&units.len().to_string());
            for unit in units {
                frame(&unit.unit);
                frame(&unit.sources.len().to_string());
                for source in &unit.sources {
                    frame(&source.path);
                    frame(&source.digest.to_string());
                    frame(if source.owned { "owned" } else { "foreign" });
                }
                frame(&unit.settings.len().to_string());
                for setting in &unit.settings {
                    frame(&setting.section);
                    frame(&setting.key);
                    frame(&setting.value);
                }
            }
        }
    }
    out
}
