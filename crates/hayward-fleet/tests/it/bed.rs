//! A host to try things on: a directory tree below a project's directory.

use hayward_fleet::{
    Action, FleetNow, HostPlan, HostReport, HostWish, Outcome, Plan, PlannedHost, Recovery, Steps,
    TextRevision, Unhindered, apply, desired_digest, plan, recover,
};
use hayward_model::{
    DesiredFile, DesiredPath, Effect, FileMode, HostName, HostPath, HostRow, Transport,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub(crate) const STATE: &str = "var/lib/hayward";

pub(crate) fn host(name: &str) -> HostName {
    HostName::try_from(name.to_owned()).unwrap()
}

pub(crate) fn path(text: &str) -> HostPath {
    HostPath::try_from(text.to_owned()).unwrap()
}

pub(crate) fn mode(bits: u32) -> FileMode {
    FileMode::new(bits).unwrap()
}

pub(crate) fn file(at: &str, text: &str) -> DesiredPath {
    file_with(at, text, 0o644)
}

pub(crate) fn file_with(at: &str, text: &str, bits: u32) -> DesiredPath {
    DesiredPath::File(DesiredFile {
        path: path(at),
        text: text.to_owned(),
        mode: mode(bits),
        effect: Effect::Reload,
        because: format!("test{}", at.replace('/', ".")),
    })
}

pub(crate) fn gone(at: &str) -> DesiredPath {
    DesiredPath::Gone(path(at))
}

/// A project with one host, `srv1`, whose tree is the directory `tree`.
pub(crate) struct Bed {
    _own: Option<TempDir>,
    pub(crate) project: PathBuf,
    pub(crate) row: HostRow,
    pub(crate) adopt: BTreeSet<HostPath>,
}

/// What a path holds, without time stamps.
pub(crate) type Listing = BTreeMap<String, (u32, String)>;

/// A directory in memory where there is some: many applies each sync the disk.
pub(crate) fn in_memory() -> TempDir {
    let shm = Path::new("/dev/shm");
    if shm.is_dir() {
        tempfile::tempdir_in(shm).unwrap()
    } else {
        tempfile::tempdir().unwrap()
    }
}

impl Bed {
    pub(crate) fn new() -> Self {
        Self::within(tempfile::tempdir().unwrap())
    }

    pub(crate) fn within(own: TempDir) -> Self {
        let bed = Self::at(own.path());
        let bed = Self {
            _own: Some(own),
            ..bed
        };
        bed.write("etc/hostname", "srv1\n");
        bed
    }

    /// The project in a directory that is there.
    pub(crate) fn at(project: &Path) -> Self {
        Self {
            _own: None,
            project: project.to_owned(),
            row: HostRow {
                name: host("srv1"),
                transport: Transport::RootDirectory("tree".into()),
            },
            adopt: BTreeSet::new(),
        }
    }

    pub(crate) fn root(&self) -> PathBuf {
        self.project.join("tree")
    }

    pub(crate) fn write(&self, at: &str, text: impl AsRef<[u8]>) {
        let at = self.root().join(at);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        fs::write(&at, text).unwrap();
        fs::set_permissions(&at, PermissionsExt::from_mode(0o644)).unwrap();
    }

    pub(crate) fn read(&self, at: &str) -> String {
        fs::read_to_string(self.root().join(at)).unwrap()
    }

    pub(crate) fn has(&self, at: &str) -> bool {
        self.root().join(at).symlink_metadata().is_ok()
    }

    pub(crate) fn remove(&self, at: &str) {
        fs::remove_file(self.root().join(at)).unwrap();
    }

    pub(crate) fn link(&self, at: &str, target: &str) {
        let at = self.root().join(at);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        symlink(target, at).unwrap();
    }

    pub(crate) fn now(&self, desired: &[DesiredPath]) -> FleetNow<'_> {
        FleetNow {
            name: "commons",
            model: desired_digest([(&self.row.name, desired)]),
            revision: Some(committed("r1")),
            project: &self.project,
        }
    }

    pub(crate) fn plan(&self, desired: &[DesiredPath]) -> Plan {
        let wish = HostWish {
            row: &self.row,
            desired,
            adopt: &self.adopt,
        };
        plan(&self.now(desired), &[wish])
    }

    pub(crate) fn apply(&self, desired: &[DesiredPath], plan: &Plan) -> Outcome {
        self.apply_with(desired, plan, &Unhindered)
    }

    pub(crate) fn apply_with(
        &self,
        desired: &[DesiredPath],
        plan: &Plan,
        steps: &dyn Steps,
    ) -> Outcome {
        let roster = [self.row.clone()];
        let mut reports = apply(&self.now(desired), &roster, plan, steps).unwrap();
        assert_eq!(reports.len(), 1);
        let HostReport { host, outcome } = reports.remove(0);
        assert_eq!(host, self.row.name);
        outcome
    }

    /// Plans and applies; gives the generation.
    pub(crate) fn converge(&self, desired: &[DesiredPath]) -> u64 {
        match self.apply(desired, &self.plan(desired)) {
            Outcome::Applied(applied) => {
                assert!(applied.leftover.is_none() && !applied.recovered);
                applied.generation
            }
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn recover(&self) -> hayward_fleet::Result<Recovery> {
        recover(&self.row, &self.project, &Unhindered)
    }

    /// The tree without Hayward's own state.
    pub(crate) fn listing(&self) -> Listing {
        let mut all = self.listing_with_state();
        let above = ["var", "var/lib", STATE];
        all.retain(|at, _| !above.contains(&at.as_str()) && !at.starts_with("var/lib/hayward/"));
        all
    }

    pub(crate) fn listing_with_state(&self) -> Listing {
        let mut all = BTreeMap::new();
        walk(&self.root(), "", &mut |at, full, meta| {
            let text = if meta.is_file() {
                String::from_utf8_lossy(&fs::read(full).unwrap()).into_owned()
            } else {
                String::new()
            };
            all.insert(at.to_owned(), (meta.mode(), text));
        });
        all
    }

    /// Every inode with its time stamps, sizes and links.
    pub(crate) fn stamps(&self) -> BTreeMap<String, [i64; 8]> {
        let mut all = BTreeMap::new();
        walk(&self.root(), "", &mut |at, _, meta| {
            let links = i64::try_from(meta.nlink()).unwrap();
            let ino = meta.ino().cast_signed();
            let size = meta.size().cast_signed();
            let row = [
                meta.mtime(),
                meta.mtime_nsec(),
                meta.ctime(),
                meta.ctime_nsec(),
                size,
                ino,
                links,
                i64::from(meta.mode()),
            ];
            all.insert(at.to_owned(), row);
        });
        all
    }
}

fn walk(dir: &Path, at: &str, each: &mut dyn FnMut(&str, &Path, &fs::Metadata)) {
    each(at, dir, &dir.symlink_metadata().unwrap());
    for entry in fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let at = if at.is_empty() {
            name
        } else {
            format!("{at}/{name}")
        };
        let meta = entry.path().symlink_metadata().unwrap();
        if meta.is_dir() {
            walk(&entry.path(), &at, each);
        } else {
            each(&at, &entry.path(), &meta);
        }
    }
}

pub(crate) fn planned(plan: &Plan) -> &PlannedHost {
    match &plan.body().hosts[0] {
        HostPlan::Planned(planned) => planned,
        HostPlan::Refused { reason, .. } => panic!("{reason}"),
    }
}

pub(crate) fn host_refusal(plan: &Plan) -> &str {
    match &plan.body().hosts[0] {
        HostPlan::Refused { reason, .. } => reason,
        HostPlan::Planned(planned) => panic!("{planned:?}"),
    }
}

pub(crate) fn action<'a>(plan: &'a Plan, at: &str) -> &'a Action {
    let found = planned(plan).paths.iter().find(|p| p.path.as_str() == at);
    &found
        .unwrap_or_else(|| panic!("{at} is in the plan"))
        .action
}

pub(crate) fn refusal<'a>(plan: &'a Plan, at: &str) -> &'a str {
    match action(plan, at) {
        Action::Refused { reason } => reason,
        other => panic!("{at}: {other:?}"),
    }
}

pub(crate) fn why<'a>(plan: &'a Plan, at: &str) -> &'a str {
    let found = planned(plan).paths.iter().find(|p| p.path.as_str() == at);
    &found.unwrap().why
}

/// The signs of a plan: `+/etc/a`.
pub(crate) fn signs(plan: &Plan) -> Vec<String> {
    let paths = &planned(plan).paths;
    paths
        .iter()
        .map(|p| format!("{}{}", p.action.sign(), p.path))
        .collect()
}

#[track_caller]
pub(crate) fn refused(outcome: Outcome) -> String {
    match outcome {
        Outcome::Refused { error } => error.to_string(),
        other => panic!("{other:?}"),
    }
}

/// A revision that the model's text does not differ from.
pub(crate) fn committed(name: &str) -> TextRevision<'_> {
    TextRevision {
        name,
        uncommitted: false,
    }
}
