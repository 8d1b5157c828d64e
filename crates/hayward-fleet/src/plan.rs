//! A plan: what would be done to each host and why, with every byte, bound to
//! what was seen when it was made.

use crate::error::{Error, Result};
use crate::snapshot::Before;
use crate::state;
use crate::text_revision::{TextRevision, is_unset};
use hayward_model::{Digest, Effect, FileMode, HostName, HostPath, Transport};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The format of plans that this version writes and reads.
pub const PLAN_FORMAT: u64 = 1;

/// A plan for some hosts of a fleet. Its digest covers all that it holds, and
/// is checked when it is read back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    body: PlanBody,
    digest: Digest,
}

/// What a plan holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanBody {
    /// The fleet.
    pub fleet: String,
    /// The digest of the desired state ([`desired_digest`](crate::desired_digest)).
    pub model: Digest,
    /// The revision of the model's text, if it is known.
    pub revision: Option<String>,
    /// Whether the text differed from that revision. Absent where it did not, and in what
    /// versions wrote that did not look.
    #[serde(default, skip_serializing_if = "is_unset")]
    pub uncommitted: bool,
    /// Each host, in the roster's order.
    pub hosts: Vec<HostPlan>,
}

impl PlanBody {
    /// The revision of the model's text, if it is known.
    #[must_use]
    pub fn text_revision(&self) -> Option<TextRevision<'_>> {
        self.revision.as_deref().map(|name| TextRevision {
            name,
            uncommitted: self.uncommitted,
        })
    }
}

/// A plan for a host.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "plan", deny_unknown_fields)]
pub enum HostPlan {
    /// Nothing can be planned for it.
    Refused {
        /// The host.
        host: HostName,
        /// Why; a sentence without a final stop.
        reason: String,
    },
    /// It was read, and this is what would be done.
    Planned(PlannedHost),
}

impl HostPlan {
    /// The host.
    #[must_use]
    pub fn host(&self) -> &HostName {
        match self {
            Self::Refused { host, .. } => host,
            Self::Planned(planned) => &planned.host,
        }
    }
}

/// What would be done to a host, and what that rests on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlannedHost {
    /// The host.
    pub host: HostName,
    /// How it was reached.
    pub transport: Transport,
    /// Its machine id, if it has one.
    pub machine_id: Option<String>,
    /// Its boot id; `None` for a tree that is not booted.
    pub boot_id: Option<String>,
    /// The last generation applied there, 0 for none.
    pub generation: u64,
    /// The digest over what is kept there and what stands at every path below.
    pub baseline: Digest,
    /// Every path concerned, sorted.
    pub paths: Vec<PathPlan>,
}

impl PlannedHost {
    /// The paths that would be refused.
    pub fn refused(&self) -> impl Iterator<Item = (&HostPath, &str)> {
        self.paths.iter().filter_map(|p| match &p.action {
            Action::Refused { reason } => Some((&p.path, reason.as_str())),
            _ => None,
        })
    }

    /// How many paths would change, or change their owner.
    #[must_use]
    pub fn changes(&self) -> usize {
        self.paths.iter().filter(|p| p.action.changes()).count()
    }

    /// The directories that would be made, outermost first.
    #[must_use]
    pub fn directories(&self) -> BTreeSet<&HostPath> {
        let creates = |p: &&PathPlan| matches!(p.action, Action::Create { .. });
        self.paths
            .iter()
            .filter(creates)
            .filter_map(|p| match &p.before {
                Before::Absent { missing } => Some(missing),
                _ => None,
            })
            .flatten()
            .collect()
    }
}

/// What would be done to a path.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathPlan {
    /// The path.
    pub path: HostPath,
    /// What stands there.
    pub before: Before,
    /// What would be done.
    pub action: Action,
    /// What that asks of the service manager.
    pub effect: Effect,
    /// What a later change of it will ask for, if the path is declared.
    pub declared_effect: Effect,
    /// The declaration that asks for it; empty if none does.
    pub because: String,
    /// Why now; a sentence without a final stop.
    pub why: String,
}

/// What would be done to a path.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "action", deny_unknown_fields)]
pub enum Action {
    /// A file is made where nothing is.
    Create {
        /// Its bytes.
        text: String,
        /// Its permissions.
        mode: FileMode,
    },
    /// A file is replaced.
    Change {
        /// Its new bytes.
        text: String,
        /// Its new permissions.
        mode: FileMode,
        /// The difference, unified; a change of permissions is its first lines.
        diff: String,
    },
    /// An owned file is removed.
    Remove,
    /// A file is as it should be and becomes owned.
    Adopt,
    /// An owned file is gone and no longer declared: it is forgotten.
    Forget,
    /// Nothing may be done here, nor anywhere on the host.
    Refused {
        /// Why; a sentence without a final stop.
        reason: String,
    },
    /// All is as it should be.
    Unchanged,
    /// A file of others is left as it is, and takes part in units with the model's leave if it
    /// has these bytes.
    Accept {
        /// The digest of the bytes that are accepted.
        digest: Digest,
    },
}

impl Action {
    /// The sign that stands before it in a list: `+ ~ - ! =`.
    #[must_use]
    pub fn sign(&self) -> char {
        match self {
            Self::Create { .. } => '+',
            Self::Change { .. } | Self::Adopt => '~',
            Self::Remove | Self::Forget => '-',
            Self::Refused { .. } => '!',
            Self::Unchanged | Self::Accept { .. } => '=',
        }
    }

    /// Whether it changes the host or what Hayward owns there.
    #[must_use]
    pub fn changes(&self) -> bool {
        match self {
            Self::Refused { .. } | Self::Unchanged | Self::Accept { .. } => false,
            Self::Create { .. }
            | Self::Change { .. }
            | Self::Remove
            | Self::Adopt
            | Self::Forget => true,
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct PlanFile {
    format: u64,
    digest: Digest,
    plan: PlanBody,
}

impl Plan {
    /// Seals what a plan holds.
    pub(crate) fn seal(body: PlanBody) -> Self {
        let digest = digest_of(&body);
        Self { body, digest }
    }

    /// What it holds.
    #[must_use]
    pub fn body(&self) -> &PlanBody {
        &self.body
    }

    /// The digest over all that it holds.
    #[must_use]
    pub fn digest(&self) -> Digest {
        self.digest
    }

    /// Whether a host would change. One that is refused, or of which a path is, does not.
    #[must_use]
    pub fn has_changes(&self) -> bool {
        self.body.hosts.iter().any(|h| match h {
            HostPlan::Refused { .. } => false,
            HostPlan::Planned(planned) => {
                planned.changes() > 0 && planned.refused().next().is_none()
            }
        })
    }

    /// Whether a host, or a path of one, is refused.
    #[must_use]
    pub fn has_refusals(&self) -> bool {
        self.body.hosts.iter().any(|h| match h {
            HostPlan::Refused { .. } => true,
            HostPlan::Planned(planned) => planned.refused().next().is_some(),
        })
    }

    /// The plan as JSON, to be kept in a file.
    #[must_use]
    pub fn to_json(&self) -> Vec<u8> {
        state::render(&PlanFile {
            format: PLAN_FORMAT,
            digest: self.digest,
            plan: self.body.clone(),
        })
    }

    /// Reads a plan back.
    ///
    /// # Errors
    /// If it is no plan of this format, if it names a host or a path twice, or
    /// if it was edited.
    pub fn from_json(bytes: &[u8]) -> Result<Self> {
        #[derive(Deserialize)]
        struct Format {
            format: u64,
        }
        let no_plan = |reason: String| Error::NoPlan { reason };
        let Format { format } =
            serde_json::from_slice(bytes).map_err(|e| no_plan(e.to_string()))?;
        if format != PLAN_FORMAT {
            let reason = format!("it has format {format}, this version reads {PLAN_FORMAT}");
            return Err(no_plan(reason));
        }
        let file: PlanFile = serde_json::from_slice(bytes).map_err(|e| no_plan(e.to_string()))?;
        let found = digest_of(&file.plan);
        if found != file.digest {
            return Err(Error::EditedPlan {
                found,
                says: file.digest,
            });
        }
        let mut hosts = BTreeSet::new();
        for host in &file.plan.hosts {
            if !hosts.insert(host.host()) {
                return Err(no_plan(format!("it names the host {} twice", host.host())));
            }
            let HostPlan::Planned(planned) = host else {
                continue;
            };
            // Sorted and once each, as the planner writes them.
            if !planned.paths.is_sorted_by(|a, b| a.path < b.path) {
                return Err(no_plan(format!(
                    "the paths of {} are not in order",
                    planned.host
                )));
            }
        }
        Ok(Self {
            body: file.plan,
            digest: found,
        })
    }
}

fn digest_of(body: &PlanBody) -> Digest {
    Digest::of(&state::render(body))
}
