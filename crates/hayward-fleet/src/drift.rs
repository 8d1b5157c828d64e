//! How a host, as it was read, differs from the model: its paths, and the files that take part in
//! its units beside them.

use crate::plan::{Action, HostPlan, PlannedHost};
use hayward_model::{Digest, HostAnswer, UnitReading};
use std::fmt;

/// How a host differs from the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Drift {
    /// The last generation applied there, 0 for none; `None` if that could not be read.
    pub generation: Option<u64>,
    /// Why it cannot be told what is in force, if it cannot; a sentence without a final stop.
    pub unread: Option<String>,
    /// How many paths are not as the model wants them.
    pub paths: usize,
    /// The files in force that Hayward did not install, in the order in which they were read. A
    /// path that the plan would write to is not among them: it counts above.
    pub foreign: Vec<ForeignFile>,
    /// The files in force that Hayward did not install and the model accepts, sorted.
    pub accepted: Vec<String>,
}

/// A file that takes part in a unit, and that Hayward did not install.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForeignFile {
    /// Its path on the host.
    pub path: String,
    /// The digest of its bytes.
    pub digest: Digest,
    /// What the model accepts there instead, if it does.
    pub accepts: Option<Digest>,
    /// Whether the model declares the unit, so that the file overrides what is declared.
    pub overrides: bool,
}

impl Drift {
    /// From what would be done to a host, and what is in force there.
    #[must_use]
    pub fn of(plan: &HostPlan, in_force: &HostAnswer) -> Self {
        let planned = match plan {
            HostPlan::Refused { reason, .. } => {
                return Self {
                    generation: None,
                    unread: Some(reason.clone()),
                    paths: 0,
                    foreign: Vec::new(),
                    accepted: Vec::new(),
                };
            }
            HostPlan::Planned(planned) => planned,
        };
        let differing = planned.paths.iter().filter(|p| p.action.sign() != '=');
        let (unread, (accepted, foreign)) = match in_force {
            HostAnswer::Unreadable { cause, .. } | HostAnswer::Silent { cause, .. } => {
                (Some(cause.clone()), (Vec::new(), Vec::new()))
            }
            HostAnswer::Answered { units, .. } => (None, foreign(planned, units)),
        };
        Self {
            generation: Some(planned.generation),
            unread,
            paths: differing.count(),
            foreign,
            accepted,
        }
    }

    /// The same, without the reason why it cannot be read: for where that is said already.
    #[must_use]
    pub fn without_reason(&self) -> Self {
        Self {
            unread: self.unread.as_ref().map(|_| String::new()),
            ..self.clone()
        }
    }

    /// Whether the host was read, and nothing differs.
    #[must_use]
    pub fn as_declared(&self) -> bool {
        self.unread.is_none() && self.paths == 0 && self.foreign.is_empty()
    }
}

/// The files that Hayward did not install: those that the model accepts, and the others.
fn foreign(planned: &PlannedHost, units: &[UnitReading]) -> (Vec<String>, Vec<ForeignFile>) {
    let (mut accepted, mut found) = (Vec::new(), Vec::<ForeignFile>::new());
    for unit in units {
        let declared = unit.sources.iter().any(|s| s.owned)
            || planned.paths.iter().any(|p| {
                let name = p.path.as_str().rsplit('/').next();
                let ours = !matches!(p.action, Action::Accept { .. });
                ours && name == Some(unit.unit.as_str())
            });
        for source in unit.sources.iter().filter(|s| !s.owned) {
            let plan = planned
                .paths
                .iter()
                .find(|p| p.path.as_str() == source.path);
            let accepts = match plan.map(|p| &p.action) {
                Some(Action::Accept { digest }) => Some(*digest),
                Some(_) => continue,
                None => None,
            };
            if accepts == Some(source.digest) {
                accepted.push(source.path.clone());
                continue;
            }
            match found.iter_mut().find(|f| f.path == source.path) {
                // A drop-in of several units overrides if it does so in one.
                Some(known) => known.overrides |= declared,
                None => found.push(ForeignFile {
                    path: source.path.clone(),
                    digest: source.digest,
                    overrides: declared,
                    accepts,
                }),
            }
        }
    }
    // One that changed while it was read is not as it was accepted.
    accepted.retain(|path| found.iter().all(|f| f.path != *path));
    accepted.sort();
    accepted.dedup();
    (accepted, found)
}

/// In a few words: `as declared`, `overridden by FILE`.
impl fmt::Display for Drift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unread = self.unread.as_ref().map(|reason| match reason.as_str() {
            "" => "cannot be read".to_owned(),
            reason => format!("cannot be read ({reason})"),
        });
        if let (None, Some(unread)) = (self.generation, &unread) {
            return f.write_str(unread);
        }
        let unread = unread.map(|unread| format!("what is in force {unread}"));
        let (over, beside): (Vec<_>, Vec<_>) = self.foreign.iter().partition(|file| file.overrides);
        let more = |files: &[&ForeignFile]| match files {
            [] => None,
            [only] => Some(only.path.clone()),
            [first, rest @ ..] => Some(format!("{} and {} more", first.path, rest.len())),
        };
        let paths = match self.paths {
            0 => None,
            1 => Some("1 path differs from the model".to_owned()),
            n => Some(format!("{n} paths differ from the model")),
        };
        let over = more(&over).map(|files| format!("overridden by {files}"));
        let beside = more(&beside).map(|files| format!("in force and not declared: {files}"));
        let parts: Vec<String> = [paths, over, beside, unread]
            .into_iter()
            .flatten()
            .collect();
        if parts.is_empty() {
            return f.write_str("as declared");
        }
        f.write_str(&parts.join(", "))
    }
}
