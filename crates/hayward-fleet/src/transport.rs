//! How a host is reached. Each phase is one visit: read what planning needs,
//! converge to a plan, recover. A transport with a remote end makes one session
//! of each.

use crate::apply::Visit;
use crate::converge;
use crate::error::Result;
use crate::plan::PlannedHost;
use crate::record;
use crate::report::{Outcome, Recovery};
use crate::snapshot::Snapshot;
use crate::step::Steps;
use crate::tree::Tree;
use hayward_model::{Digest, HostName, HostPath, HostRow, Transport};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A way to reach a host.
pub(crate) trait Reach {
    /// Reads what stands at some paths, and what Hayward keeps there.
    fn read(&self, wanted: &BTreeSet<HostPath>) -> Result<Snapshot>;

    /// Brings the host to what a plan says: all of it or nothing.
    fn converge(&self, visit: &Visit<'_>, plan: &PlannedHost, steps: &dyn Steps) -> Outcome;

    /// The plan whose apply was interrupted, or is under way.
    fn interrupted(&self) -> Result<Option<Digest>>;

    /// Finishes or undoes an interrupted apply.
    fn recover(&self, steps: &dyn Steps) -> Result<Recovery>;
}

/// The way to a host of the roster.
pub(crate) fn reach(row: &HostRow, project: &Path) -> Box<dyn Reach> {
    Box::new(RootDirectory {
        host: row.name.clone(),
        root: root_of(row, project),
    })
}

/// Where a host's tree is.
pub(crate) fn root_of(row: &HostRow, project: &Path) -> PathBuf {
    match &row.transport {
        Transport::RootDirectory(root) => project.join(root),
    }
}

/// How a host is reached, for a person: `root:DIR`.
pub(crate) fn address(transport: &Transport) -> String {
    match transport {
        Transport::RootDirectory(root) => format!("root:{}", root.display()),
    }
}

/// A directory tree of this machine.
struct RootDirectory {
    host: HostName,
    root: PathBuf,
}

impl Reach for RootDirectory {
    fn read(&self, wanted: &BTreeSet<HostPath>) -> Result<Snapshot> {
        Snapshot::read(&Tree::open(&self.host, &self.root)?, wanted.iter())
    }

    fn converge(&self, visit: &Visit<'_>, plan: &PlannedHost, steps: &dyn Steps) -> Outcome {
        match Tree::open(&self.host, &self.root) {
            Ok(tree) => converge::converge(&tree, visit, plan, steps),
            Err(error) => Outcome::Refused { error },
        }
    }

    fn interrupted(&self) -> Result<Option<Digest>> {
        let found = record::find(&Tree::open(&self.host, &self.root)?)?;
        Ok(found.map(|(_, record)| record.plan))
    }

    fn recover(&self, steps: &dyn Steps) -> Result<Recovery> {
        converge::recover(&Tree::open(&self.host, &self.root)?, steps)
    }
}
