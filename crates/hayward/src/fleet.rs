//! The project with its fleet and its ledger, as the commands on hosts need it.

use crate::args::ProjectArgs;
use crate::failure::Failure;
use crate::output::Output;
use crate::project;
use dag_analysis::Library;
use dag_analysis::core::Program;
use dag_eval::Evaluator;
use hayward_fleet::recorded::ActError;
use hayward_fleet::{Drift, FleetNow, HostWish, Plan, TextRevision, desired_digest};
use hayward_ledger::{Ledger, LedgerError, View};
use hayward_model::{
    DesiredPath, Digest, FleetModel, HostAnswer, HostName, HostPath, HostRow, ModelError,
};
use hayward_project::{Entry, Git, Loaded, Manifest, in_line, uncommitted};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A checked project with its fleet.
pub(crate) struct Fleet {
    pub(crate) manifest: Manifest,
    pub(crate) loaded: &'static Loaded,
    pub(crate) model: FleetModel,
    /// The git revision of the project's folder, if it has one.
    revision: Option<String>,
    /// Whether what the model was read of differs from that revision.
    uncommitted: bool,
}

/// What every host of the roster should hold.
pub(crate) struct Desired {
    hosts: Vec<(HostRow, Vec<DesiredPath>)>,
    digest: Digest,
}

impl Fleet {
    /// Opens the project. `None` if its model has mistakes, which are printed.
    pub(crate) fn open(args: &ProjectArgs, output: &Output) -> Result<Option<Self>, Failure> {
        let manifest = manifest(args)?;
        entry(&manifest)?;
        let roots = project::roots_of(&manifest);
        let Some(loaded) = project::read_sound(&roots, Library::Whole, output)? else {
            return Ok(None);
        };
        let folder = &manifest.directory;
        let revision = Git::new(folder).head().map_err(|e| Failure::of(&e))?;
        let uncommitted = revision.is_some()
            && uncommitted(folder, &manifest.roots).map_err(|e| Failure::of(&e))?;
        let fleet = Self::of(manifest, loaded, revision, output)?;
        Ok(fleet.map(|fleet| Self {
            uncommitted,
            ..fleet
        }))
    }

    /// The fleet of a project that was read and has no mistakes. `None` if it is refused when
    /// it is evaluated, which is printed. `revision` is the one that it was read of, exactly.
    pub(crate) fn of(
        manifest: Manifest,
        loaded: &'static Loaded,
        revision: Option<String>,
        output: &Output,
    ) -> Result<Option<Self>, Failure> {
        let entry = entry(&manifest)?;
        let program = Program {
            modules: loaded.checked.program.modules.clone(),
        };
        let evaluator = Evaluator::new(Arc::new(program));
        let model = match FleetModel::open(evaluator, &entry.module, &entry.name) {
            Ok(model) => model,
            Err(error) => return refused(&error, loaded, output).map(|()| None),
        };
        Ok(Some(Self {
            manifest,
            loaded,
            model,
            revision,
            uncommitted: false,
        }))
    }

    /// The project's folder.
    pub(crate) fn directory(&self) -> &Path {
        &self.manifest.directory
    }

    /// The revision of the model's text, if there is one.
    pub(crate) fn revision(&self) -> Option<TextRevision<'_>> {
        self.revision.as_deref().map(|name| TextRevision {
            name,
            uncommitted: self.uncommitted,
        })
    }

    fn ledger_directory(&self) -> PathBuf {
        self.directory().join(".hayward")
    }

    /// The ledger, to record in.
    pub(crate) fn ledger(&self) -> Result<Ledger, Failure> {
        self.open_ledger().map_err(|e| Failure::of(&e))
    }

    /// The ledger, to record in, or why it cannot be opened.
    pub(crate) fn open_ledger(&self) -> Result<Ledger, LedgerError> {
        Ledger::open(&self.ledger_directory())
    }

    /// The ledger, to read; `None` if nothing was ever recorded.
    pub(crate) fn view(&self) -> Result<Option<View>, Failure> {
        view(self.directory())
    }

    /// Asks the model something; a refusal is printed and gives `None`.
    pub(crate) fn ask<T>(
        &self,
        question: Result<T, ModelError>,
        output: &Output,
    ) -> Result<Option<T>, Failure> {
        match question {
            Ok(answer) => Ok(Some(answer)),
            Err(error) => refused(&error, self.loaded, output).map(|()| None),
        }
    }

    /// The rows of some hosts, or the whole roster.
    pub(crate) fn rows(&self, hosts: &[String]) -> Result<Vec<&HostRow>, Failure> {
        if hosts.is_empty() {
            return Ok(self.model.roster().iter().collect());
        }
        let mut rows: Vec<&HostRow> = Vec::new();
        for host in hosts {
            let row = HostName::try_from(host.clone())
                .ok()
                .and_then(|name| self.model.row(&name));
            let Some(row) = row else {
                let known: Vec<&str> = self
                    .model
                    .roster()
                    .iter()
                    .map(|r| r.name.as_str())
                    .collect();
                let error = ActError::NotInRoster {
                    host: host.clone(),
                    fleet: self.model.name().to_owned(),
                    known: known.join(", "),
                };
                return Err(Failure::of(&error));
            };
            if !rows.iter().any(|r| r.name == row.name) {
                rows.push(row);
            }
        }
        Ok(rows)
    }

    /// What every host should hold. `None` if the model refuses, which is printed.
    pub(crate) fn desired(&self, output: &Output) -> Result<Option<Desired>, Failure> {
        let mut hosts = Vec::new();
        for row in self.model.roster() {
            let Some(paths) = self.ask(self.model.desired(&row.name), output)? else {
                return Ok(None);
            };
            hosts.push((row.clone(), paths));
        }
        let digest = desired_digest(
            hosts
                .iter()
                .map(|(row, paths)| (&row.name, paths.as_slice())),
        );
        Ok(Some(Desired { hosts, digest }))
    }

    /// The fleet as it is now, for a plan or an apply.
    pub(crate) fn now<'a>(&'a self, desired: &Desired) -> FleetNow<'a> {
        FleetNow {
            name: self.model.name(),
            model: desired.digest,
            revision: self.revision(),
            project: self.directory(),
        }
    }

    /// A plan for some hosts.
    pub(crate) fn plan(
        &self,
        desired: &Desired,
        rows: &[&HostRow],
        adopt: &BTreeSet<HostPath>,
    ) -> Plan {
        let wishes: Vec<HostWish<'_>> = desired
            .hosts
            .iter()
            .filter(|(row, _)| rows.iter().any(|r| r.name == row.name))
            .map(|(row, paths)| HostWish {
                row,
                desired: paths,
                adopt,
            })
            .collect();
        hayward_fleet::plan(&self.now(desired), &wishes)
    }

    /// How a host differs from the model, with its units read now. `None` if the model refuses to
    /// say which, which is printed.
    pub(crate) fn drift(
        &self,
        plan: &Plan,
        row: &HostRow,
        output: &Output,
    ) -> Result<Option<Drift>, Failure> {
        let Some(units) = self.ask(self.model.observed_units(&row.name), output)? else {
            return Ok(None);
        };
        let in_force = hayward_fleet::observe(row, &units, self.directory());
        drift(plan, row, &in_force.answer).map(Some)
    }
}

/// How a host differs from the model, from what was read of it.
pub(crate) fn drift(plan: &Plan, row: &HostRow, in_force: &HostAnswer) -> Result<Drift, Failure> {
    let hosts = &plan.body().hosts;
    let host = hosts.iter().find(|h| *h.host() == row.name);
    let host = host.ok_or_else(|| Failure::new(format!("{} was not planned", row.name)))?;
    Ok(Drift::of(host, in_force))
}

/// The manifest of the project that a command is about.
pub(crate) fn manifest(args: &ProjectArgs) -> Result<Manifest, Failure> {
    match &args.project {
        Some(folder) => Manifest::read(folder).map_err(|e| Failure::of(&e)),
        None => project::here("name its folder with `--project FOLDER`"),
    }
}

/// The item that a project names as its fleet.
pub(crate) fn entry(manifest: &Manifest) -> Result<Entry, Failure> {
    manifest.fleet.clone().ok_or_else(|| {
        let file = manifest.directory.join(Manifest::FILE);
        Failure::new(format!(
            "{} names no fleet: write `fleet = \"module.data\"` in [project]",
            in_line(&file)
        ))
    })
}

/// The ledger of a project, to read; `None` if nothing was ever recorded.
pub(crate) fn view(directory: &Path) -> Result<Option<View>, Failure> {
    match Ledger::open_read_only(&directory.join(".hayward")) {
        Ok(view) => Ok(Some(view)),
        Err(LedgerError::NoLedger { .. }) => Ok(None),
        // An interrupted write is finished by opening the ledger for writing.
        Err(LedgerError::Unfinished { .. }) => {
            drop(Ledger::open(&directory.join(".hayward")).map_err(|e| Failure::of(&e))?);
            Ledger::open_read_only(&directory.join(".hayward"))
                .map(Some)
                .map_err(|e| Failure::of(&e))
        }
        Err(error) => Err(Failure::of(&error)),
    }
}

/// Prints why the model gives no answer: with its place, where it has one.
fn refused(error: &ModelError, loaded: &Loaded, output: &Output) -> Result<(), Failure> {
    match error {
        ModelError::Refused(refusal) => {
            project::refuse(&[refusal.to_diagnostic()], loaded, output);
            Ok(())
        }
        ModelError::BadValue { .. } => {
            output.note(format!("error: {error}"));
            output.document(&serde_json::json!({ "ok": false, "error": error.to_string() }));
            Ok(())
        }
        other => Err(Failure::of(other)),
    }
}
