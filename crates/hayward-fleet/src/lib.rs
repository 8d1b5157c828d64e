//! Hosts: observing them, planning their change, and applying it all or not at
//! all.
//!
//! A host is a directory tree here (`root:DIR`). Nothing is read or written
//! outside of it, no link is followed, and at any point at which the program
//! may be killed the tree is, after the next apply or [`recover`], in exactly
//! its old state or exactly its new one.

mod apply;
mod commit;
mod converge;
mod drift;
mod error;
mod hand;
mod identity;
mod lock;
mod observe;
mod paths;
mod plan;
mod planner;
mod record;
pub mod recorded;
mod report;
mod snapshot;
mod stage;
mod state;
mod step;
mod text_revision;
mod transport;
mod tree;
mod unit_file;
mod unit_load;
mod unit_name;

pub use apply::{FleetNow, HostWish, apply, interrupted, plan, recover};
pub use drift::{Drift, ForeignFile};
pub use error::{Error, Kind, Result};
pub use identity::Identity;
pub use observe::{Observation, observe};
pub use paths::STATE_DIRECTORY;
pub use plan::{Action, HostPlan, PLAN_FORMAT, PathPlan, Plan, PlanBody, PlannedHost};
pub use planner::{HostInputs, desired_digest, paths_to_read, plan_host};
pub use report::{Applied, HostReport, Outcome, PendingEffect, Recovery};
pub use snapshot::{Before, Found, Snapshot};
pub use state::{Generation, Manifest, Owned, STATE_FORMAT, State};
pub use step::{Doing, Step, Steps, Unhindered};
pub use text_revision::TextRevision;
pub use tree::{FileRead, READ_LIMIT};
