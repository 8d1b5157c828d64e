//! A fleet as the model declares it: the questions that `lib/host/fleet.dag` and
//! `lib/host/standing.dag` answer, asked from the engine.

mod convert;

use crate::{Cause, DesiredPath, Digest, HostAnswer, HostName, HostRow};
use convert::Reader;
use dag_analysis::core::DeclRef;
use dag_eval::{ConstructError, Evaluator, Refusal, Value};
use dag_syntax::Symbol;

/// A fleet: a `data` item of type `host.fleet.Fleet`.
pub struct FleetModel {
    evaluator: Evaluator,
    fleet: Value,
    name: String,
    roster: Vec<HostRow>,
    max_age: i64,
}

/// Why a fleet gives no answer.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The entry that the project names is not there.
    #[error("the project's fleet is `{module}.{name}`, and there is no such `data` item")]
    NoEntry {
        /// The module that should declare it.
        module: String,
        /// The item.
        name: String,
    },
    /// The entry is something else.
    #[error("`{module}.{name}` is no `data` item of type host.fleet.Fleet")]
    NotAFleet {
        /// The module that declares it.
        module: String,
        /// The item.
        name: String,
    },
    /// A question was refused in evaluation.
    #[error("{}: {}", .0.code, .0.message)]
    Refused(Box<Refusal>),
    /// An answer has a value that the engine refuses: a path with a `..` for
    /// instance.
    #[error("{what}: {why}")]
    BadValue {
        /// Which answer.
        what: String,
        /// What is wrong with it.
        why: String,
    },
    /// A reading does not fit the library's type.
    #[error("a reading does not fit the library: {0}")]
    Mint(#[from] ConstructError),
    /// The built-in library lacks what the engine asks for.
    #[error("the library has no `{0}`")]
    Library(String),
}

impl From<Refusal> for ModelError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(Box::new(refusal))
    }
}

/// What a host answered, and when: seconds since 1970, by the observer's clock.
#[derive(Clone, Debug)]
pub struct DatedAnswer {
    /// The answer.
    pub answer: HostAnswer,
    /// When it was taken.
    pub taken_at: i64,
    /// Why it no longer speaks of the host, if it does not.
    pub lapsed: Option<Cause>,
}

/// A fleet's standing: made here from answers, and by nothing else.
#[derive(Clone, Debug)]
pub struct Standing {
    value: Value,
    /// Whether every host is known to preserve its capacity.
    pub preserves: bool,
    /// Why not; empty if it is.
    pub findings: Vec<Finding>,
    /// The digest of everything that it rests on.
    pub evidence: Digest,
}

/// One reason not to relax a policy.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    /// The host, or `*` for the fleet as a whole.
    pub host: String,
    /// The reason.
    pub cause: String,
}

/// A file that the fleet keeps in its repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedFile {
    /// Its path, relative to the project.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// A temporary weakening, and whether it still stands.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Containment {
    /// Its name.
    pub name: String,
    /// Whether it stands; it is lifted otherwise.
    pub stands: bool,
    /// What it is for.
    pub because: String,
    /// What keeps it.
    pub causes: Vec<Finding>,
}

const FLEET: &str = "host.fleet";
const STANDING: &str = "host.standing";

impl FleetModel {
    /// The fleet that a `data` item declares.
    ///
    /// # Errors
    /// If there is no such item, it is no fleet, or its roster is refused.
    pub fn open(evaluator: Evaluator, module: &str, name: &str) -> Result<Self, ModelError> {
        let program = evaluator.program();
        let decl = program
            .module_named(module)
            // What a test may write must not become a fleet.
            .filter(|m| !m.test_file)
            .and_then(|m| m.decl_named(Symbol::new(name)))
            .map(|(decl, _)| decl);
        let no_entry = || ModelError::NoEntry {
            module: module.to_owned(),
            name: name.to_owned(),
        };
        let decl = decl.ok_or_else(no_entry)?;
        let not_a_fleet = || ModelError::NotAFleet {
            module: module.to_owned(),
            name: name.to_owned(),
        };
        let declared = program.decl(decl);
        let fleet_type = program
            .module_named(FLEET)
            .and_then(|m| m.type_named(Symbol::new("Fleet")))
            .map(|(ty, _)| ty)
            .ok_or_else(|| ModelError::Library("host.fleet.Fleet".into()))?;
        let kind = program.module(decl.module).table.kind(declared.result);
        if declared.kind != dag_analysis::core::DeclKind::Data
            || !matches!(kind, dag_analysis::types::TyKind::Named(ty, _) if *ty == fleet_type)
        {
            return Err(not_a_fleet());
        }
        let fleet = evaluator.evaluate(decl)?.value;
        let read = Reader::new(evaluator.program(), "the fleet");
        let name = read.text(read.field(&fleet, "name")?)?;
        let roster = read.roster(read.field(&fleet, "hosts")?)?;
        let max_age = read.int(read.field(read.field(&fleet, "evidence_max_age")?, "count")?)?;
        Ok(Self {
            evaluator,
            fleet,
            name,
            roster,
            max_age,
        })
    }

    /// The fleet's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its hosts, in the order of the model.
    #[must_use]
    pub fn roster(&self) -> &[HostRow] {
        &self.roster
    }

    /// How old a reading may be, in seconds.
    #[must_use]
    pub fn max_age(&self) -> i64 {
        self.max_age
    }

    /// The longest that any reading counts, in seconds, whatever the fleet says:
    /// the library's `host.standing.longest_max_age`.
    ///
    /// # Errors
    /// If the library lacks it.
    pub fn longest_age(&self) -> Result<i64, ModelError> {
        let name = "longest_max_age";
        let decl = self.evaluator.program().decl_named(STANDING, name);
        let decl = decl.ok_or_else(|| ModelError::Library(format!("{STANDING}.{name}")))?;
        let limit = self.evaluator.evaluate(decl)?.value;
        let read = Reader::new(self.evaluator.program(), name);
        read.int(read.field(&limit, "count")?)
    }

    /// The row of a host of the roster.
    #[must_use]
    pub fn row(&self, host: &HostName) -> Option<&HostRow> {
        self.roster.iter().find(|row| row.name == *host)
    }

    /// What a host of the roster should hold.
    ///
    /// # Errors
    /// If the model refuses, or declares a path that is none.
    pub fn desired(&self, host: &HostName) -> Result<Vec<DesiredPath>, ModelError> {
        let answer = self.ask(
            FLEET,
            "host_paths",
            vec![self.fleet.clone(), Value::text(host.as_str())],
        )?;
        let read = Reader::new(self.evaluator.program(), format!("the resources of {host}"));
        read.list(&answer)?.map(|path| read.desired(path)).collect()
    }

    /// The units to be read on a host of the roster.
    ///
    /// # Errors
    /// If the model refuses.
    pub fn observed_units(&self, host: &HostName) -> Result<Vec<String>, ModelError> {
        let answer = self.ask(
            FLEET,
            "observed_units",
            vec![self.fleet.clone(), Value::text(host.as_str())],
        )?;
        let read = Reader::new(
            self.evaluator.program(),
            format!("the observed units of {host}"),
        );
        read.list(&answer)?.map(|unit| read.text(unit)).collect()
    }

    /// Joins answers to the roster at a time (seconds since 1970). The order of
    /// the answers and the times in them do not change the evidence's digest:
    /// the same bytes read again are the same evidence.
    ///
    /// # Errors
    /// If an answer does not fit the library, or the model refuses.
    pub fn standing(&self, answers: &[DatedAnswer], now: i64) -> Result<Standing, ModelError> {
        let evidence = self.evidence(answers);
        let minted: Result<Vec<Value>, ModelError> = answers
            .iter()
            .map(|a| convert::mint(&self.evaluator, a))
            .collect();
        let roster = self.roster.iter().map(|row| Value::text(row.name.as_str()));
        let max_age = self
            .evaluator
            .construct("std.measure.Seconds", [("count", Value::Int(self.max_age))])?;
        let readings = self.evaluator.construct(
            "host.reading.FleetReadings",
            [
                ("roster", Value::list(roster)),
                ("answers", Value::list(minted?)),
                ("now", Value::Int(now)),
                ("max_age", max_age),
                ("evidence", Value::text(&evidence.to_string())),
            ],
        )?;
        let value = self.ask(STANDING, "fleet_standing", vec![readings])?;
        let findings = self.ask(FLEET, "findings_text", vec![value.clone()])?;
        let program = self.evaluator.program();
        let read = Reader::new(program, "the standing");
        let preserves = match value.variant_name(program).map(Symbol::as_str) {
            Some("Preserves") => true,
            Some("Withheld") => false,
            _ => return Err(ModelError::Library("host.standing.FleetStanding".into())),
        };
        let findings = read.findings(&findings)?;
        Ok(Standing {
            value,
            preserves,
            findings,
            evidence,
        })
    }

    /// The files that the fleet keeps in its repository under a standing.
    ///
    /// # Errors
    /// If the model refuses.
    pub fn rendered(&self, standing: &Standing) -> Result<Vec<RenderedFile>, ModelError> {
        let answer = self.ask(
            FLEET,
            "rendered",
            vec![self.fleet.clone(), standing.value.clone()],
        )?;
        let read = Reader::new(self.evaluator.program(), "the artifacts");
        read.list(&answer)?
            .map(|file| {
                let path = read.text(read.field(file, "path")?)?;
                let plain = !path.is_empty()
                    && path.split('/').all(|c| !matches!(c, "" | "." | ".."))
                    && !path.chars().any(char::is_control);
                if !plain {
                    return Err(read.bad(format!(
                        "`{}` is no path inside the project",
                        path.escape_debug()
                    )));
                }
                Ok(RenderedFile {
                    path,
                    text: read.text(read.field(file, "text")?)?,
                })
            })
            .collect()
    }

    /// Every file that the project keeps: those of [`Self::rendered`], and below `rendered/`
    /// a copy of what each host should hold.
    ///
    /// # Errors
    /// If the model refuses.
    pub fn files(&self, standing: &Standing) -> Result<Vec<RenderedFile>, ModelError> {
        let mut files = self.rendered(standing)?;
        for row in &self.roster {
            for path in self.desired(&row.name)? {
                if let DesiredPath::File(file) = path {
                    let path = format!("rendered/{}/{}", row.name, file.path.relative());
                    let text = file.text;
                    files.push(RenderedFile { path, text });
                }
            }
        }
        Ok(files)
    }

    /// The declared weakenings under a standing.
    ///
    /// # Errors
    /// If the model refuses.
    pub fn containments(&self, standing: &Standing) -> Result<Vec<Containment>, ModelError> {
        let answer = self.ask(
            FLEET,
            "containment_lines",
            vec![self.fleet.clone(), standing.value.clone()],
        )?;
        let read = Reader::new(self.evaluator.program(), "the containments");
        read.list(&answer)?
            .map(|line| {
                Ok(Containment {
                    name: read.text(read.field(line, "name")?)?,
                    stands: read.text(read.field(line, "state")?)? != "lifted",
                    because: read.text(read.field(line, "because")?)?,
                    causes: read.findings(read.field(line, "causes")?)?,
                })
            })
            .collect()
    }

    fn ask(&self, module: &str, function: &str, args: Vec<Value>) -> Result<Value, ModelError> {
        let found: Option<DeclRef> = self.evaluator.program().decl_named(module, function);
        let decl = found.ok_or_else(|| ModelError::Library(format!("{module}.{function}")))?;
        Ok(self.evaluator.call(decl, args)?.value)
    }

    /// The digest of the roster and of every answer, without times.
    fn evidence(&self, answers: &[DatedAnswer]) -> Digest {
        let mut hasher = blake3::Hasher::new_derive_key("hayward 2026 evidence of a standing v1");
        let mut frame = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        frame(&(self.roster.len() as u64).to_le_bytes());
        for row in &self.roster {
            frame(row.name.as_str().as_bytes());
        }
        let mut parts: Vec<Vec<u8>> = answers
            .iter()
            .map(|a| match &a.lapsed {
                Some(cause) => convert::evidence_lapsed(a.answer.host(), cause),
                None => convert::evidence(&a.answer),
            })
            .collect();
        parts.sort();
        for part in parts {
            frame(&part);
        }
        Digest::from_bytes(*hasher.finalize().as_bytes())
    }
}

impl std::fmt::Debug for FleetModel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FleetModel")
            .field("name", &self.name)
            .field("roster", &self.roster)
            .finish()
    }
}
