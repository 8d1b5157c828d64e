//! Planning: a pure function from what is desired and what was read.

use crate::paths;
use crate::plan::{Action, HostPlan, PathPlan, PlannedHost};
use crate::snapshot::{Found, Snapshot};
use crate::state::Owned;
use crate::tree::{FileRead, READ_LIMIT, parents};
use hayward_model::{
    AcceptedFile, DesiredFile, DesiredPath, Digest, Effect, FileMode, HostName, HostPath, HostRow,
};
use serde::Serialize;
use similar::TextDiff;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// How long a difference may be computed before it is shown more coarsely.
const DIFF_TIME: Duration = Duration::from_millis(500);

/// What a host's plan is made from.
#[derive(Clone, Copy, Debug)]
pub struct HostInputs<'a> {
    /// The host.
    pub row: &'a HostRow,
    /// What it should hold.
    pub desired: &'a [DesiredPath],
    /// Paths that may be taken over although Hayward did not install them.
    pub adopt: &'a BTreeSet<HostPath>,
    /// What was read there.
    pub snapshot: &'a Snapshot,
}

/// The paths that must be read to plan for a host; the owned ones are read in
/// any case.
#[must_use]
pub fn paths_to_read(desired: &[DesiredPath]) -> BTreeSet<HostPath> {
    desired.iter().map(|d| d.path().clone()).collect()
}

/// A desired path as its digest has it.
#[derive(Serialize)]
#[serde(untagged)]
enum Row<'a> {
    Ours(&'a HostPath, Option<(&'a str, FileMode, Effect, &'a str)>),
    Foreign(&'a HostPath, Digest, &'a str),
}

/// A digest over the desired state of some hosts, in their order.
#[must_use]
pub fn desired_digest<'a>(
    hosts: impl IntoIterator<Item = (&'a HostName, &'a [DesiredPath])>,
) -> Digest {
    let rows: Vec<_> = hosts
        .into_iter()
        .map(|(host, desired)| {
            let paths: Vec<_> = desired
                .iter()
                .map(|row| match row {
                    DesiredPath::File(f) => {
                        Row::Ours(&f.path, Some((&f.text, f.mode, f.effect, &f.because)))
                    }
                    DesiredPath::Gone(path) => Row::Ours(path, None),
                    DesiredPath::Foreign(f) => Row::Foreign(&f.path, f.digest, &f.because),
                })
                .collect();
            (host, paths)
        })
        .collect();
    Digest::of(&crate::state::render(&rows))
}

/// Plans for a host. Pure: the same inputs give the same plan, but for the form
/// of a difference between very large files.
#[must_use]
pub fn plan_host(inputs: &HostInputs<'_>) -> HostPlan {
    let snapshot = inputs.snapshot;
    let mut desired: BTreeMap<&HostPath, Vec<&DesiredPath>> = BTreeMap::new();
    for row in inputs.desired {
        desired.entry(row.path()).or_default().push(row);
    }
    let owned = &snapshot.state.manifest.paths;
    let all: BTreeSet<&HostPath> = desired.keys().copied().chain(owned.keys()).collect();
    let mut planned = Vec::new();
    for path in all {
        let Some(found) = snapshot.paths.get(path) else {
            return HostPlan::Refused {
                host: inputs.row.name.clone(),
                reason: format!("{path} was not read"),
            };
        };
        let case = Case {
            path,
            found,
            owned: owned.get(path),
            adopted: inputs.adopt.contains(path),
            generation: snapshot.state.number(),
        };
        let rows = desired.get(path).map_or(&[][..], Vec::as_slice);
        planned.push(match mistake(path, rows, &desired) {
            Some(reason) => case.row(
                Action::Refused { reason },
                Effect::None,
                because(rows),
                String::new(),
            ),
            None => match rows.first() {
                Some(DesiredPath::File(file)) => case.file(file),
                Some(DesiredPath::Gone(_)) => case.gone("declared to be gone"),
                Some(DesiredPath::Foreign(accepted)) => case.foreign(accepted),
                None => case.gone("no longer declared"),
            },
        });
    }
    HostPlan::Planned(PlannedHost {
        host: inputs.row.name.clone(),
        transport: inputs.row.transport.clone(),
        machine_id: snapshot.identity.machine_id.clone(),
        boot_id: snapshot.identity.boot_id.clone(),
        generation: snapshot.state.number(),
        baseline: snapshot.fingerprint(),
        paths: planned,
    })
}

fn because(rows: &[&DesiredPath]) -> String {
    match rows.first() {
        Some(DesiredPath::File(file)) => file.because.clone(),
        Some(DesiredPath::Foreign(accepted)) => accepted.because.clone(),
        Some(DesiredPath::Gone(_)) | None => String::new(),
    }
}

fn declared(row: &DesiredPath) -> String {
    match row {
        DesiredPath::File(file) => file.because.clone(),
        DesiredPath::Foreign(accepted) => accepted.because.clone(),
        DesiredPath::Gone(path) => format!("the removal of {path}"),
    }
}

/// What the model should not have asked for, if anything.
fn mistake(
    path: &HostPath,
    rows: &[&DesiredPath],
    desired: &BTreeMap<&HostPath, Vec<&DesiredPath>>,
) -> Option<String> {
    let first = rows.first()?;
    if let Some(second) = rows.get(1) {
        let (a, b) = (declared(first), declared(second));
        return Some(format!("the model asks for this path twice: {a} and {b}"));
    }
    if paths::is_state(path) {
        return Some(format!("{} is Hayward's own", paths::STATE_DIRECTORY));
    }
    if paths::is_stage(path) {
        return Some("such names are kept for staging".to_owned());
    }
    let DesiredPath::File(file) = first else {
        return None;
    };
    if file.text.len() as u64 > READ_LIMIT {
        return Some(format!("its text is longer than {READ_LIMIT} bytes"));
    }
    for parent in parents(path) {
        let above = desired.get(&parent).and_then(|rows| rows.first());
        if let Some(above) = above {
            let (a, b) = (&file.because, declared(above));
            return Some(format!(
                "the model asks for this by {a}, below {parent}, a file by {b}"
            ));
        }
    }
    None
}

/// A path with what stands there and what is known of it.
struct Case<'a> {
    path: &'a HostPath,
    found: &'a Found,
    owned: Option<&'a Owned>,
    adopted: bool,
    generation: u64,
}

impl Case<'_> {
    fn row(&self, action: Action, effect: Effect, because: String, why: String) -> PathPlan {
        let why = match &action {
            Action::Refused { reason } => reason.clone(),
            _ => why,
        };
        PathPlan {
            path: self.path.clone(),
            before: self.found.before(),
            action,
            effect,
            declared_effect: effect,
            because,
            why,
        }
    }

    fn file(&self, wanted: &DesiredFile) -> PathPlan {
        let asked = format!("declared by {}", wanted.because);
        let row = |action: Action, why: String| {
            let effect = match action {
                Action::Create { .. } | Action::Change { .. } => wanted.effect,
                _ => Effect::None,
            };
            PathPlan {
                declared_effect: wanted.effect,
                ..self.row(action, effect, wanted.because.clone(), why)
            }
        };
        let refused = |reason: String| row(Action::Refused { reason }, String::new());
        match self.found {
            Found::Unfit { reason } => refused(reason.clone()),
            Found::Absent { .. } => {
                let action = Action::Create {
                    text: wanted.text.clone(),
                    mode: wanted.mode,
                };
                match self.owned {
                    None => row(action, asked),
                    Some(_) => {
                        let since = self.generation;
                        row(
                            action,
                            format!("{asked}; it was removed on the host since generation {since}"),
                        )
                    }
                }
            }
            Found::File(file) => {
                let same = file.bytes == wanted.text.as_bytes() && file.mode == wanted.mode;
                let change = || Action::Change {
                    text: wanted.text.clone(),
                    mode: wanted.mode,
                    diff: diff(self.path, file, wanted),
                };
                match (self.owned, self.adopted) {
                    (None, false) if same => refused(format!(
                        "Hayward did not install what stands there, although it is what {} asks \
                         for: adopt it to own it",
                        wanted.because
                    )),
                    (None, false) => refused(
                        "something that Hayward did not install stands there: move it away, or \
                         adopt it to replace it"
                            .to_owned(),
                    ),
                    (None, true) if same => {
                        row(Action::Adopt, format!("{asked}; adopted as it is"))
                    }
                    (None, true) => row(change(), format!("{asked}; adopted and replaced")),
                    (Some(owned), _) if same => self.kept(owned, file, wanted, asked, &row),
                    (Some(owned), _) => {
                        let why = match self.drift(owned, file) {
                            Some(drift) => format!("{asked}; {drift}"),
                            None => format!(
                                "{asked}; its declaration changed since generation {}",
                                self.generation
                            ),
                        };
                        row(change(), why)
                    }
                }
            }
        }
    }

    /// An owned file that is as desired; somebody may have brought it there.
    fn kept(
        &self,
        owned: &Owned,
        file: &FileRead,
        wanted: &DesiredFile,
        asked: String,
        row: &dyn Fn(Action, String) -> PathPlan,
    ) -> PathPlan {
        match self.drift(owned, file) {
            // The manifest would go on to say what is not so.
            Some(drift) => row(
                Action::Adopt,
                format!("{asked}; {drift}, to what is declared now"),
            ),
            None if owned.effect != wanted.effect => row(
                Action::Adopt,
                format!("{asked}; what its change asks for is another now"),
            ),
            None => row(Action::Unchanged, asked),
        }
    }

    /// A file that others install.
    fn foreign(&self, accepted: &AcceptedFile) -> PathPlan {
        let by = &accepted.because;
        let refused = if self.owned.is_some() {
            Some(format!(
                "Hayward installed what stands there, so it is not for {by} to accept: declare \
                 what it holds, or have it removed first"
            ))
        } else if self.adopted {
            Some(format!(
                "{by} accepts it as it is, and adopting would take it over: declare what it should \
                 hold instead"
            ))
        } else {
            None
        };
        let (action, why) = match refused {
            Some(reason) => (Action::Refused { reason }, String::new()),
            None => {
                let digest = accepted.digest;
                let why = match self.found {
                    Found::File(file) if file.digest == digest => {
                        format!("accepted as it is by {by}")
                    }
                    Found::File(file) => {
                        format!(
                            "{by} accepts {digest}, and what stands there is {}",
                            file.digest
                        )
                    }
                    Found::Absent { .. } => format!("accepted by {by}, and not there"),
                    Found::Unfit { reason } => format!("accepted by {by}, and {reason}"),
                };
                (Action::Accept { digest }, why)
            }
        };
        self.row(action, Effect::None, by.clone(), why)
    }

    /// A path that should hold nothing.
    fn gone(&self, why: &str) -> PathPlan {
        let because = self.owned.map_or_else(String::new, |o| o.because.clone());
        let effect = self.owned.map_or(Effect::None, |o| o.effect);
        let refused = |reason: &str| {
            let reason = reason.to_owned();
            self.row(
                Action::Refused { reason },
                Effect::None,
                because.clone(),
                String::new(),
            )
        };
        match (self.found, self.owned) {
            (Found::Unfit { reason }, Some(_)) => refused(&format!("{why}, but {reason}")),
            (Found::Unfit { reason }, None) => refused(reason),
            (Found::Absent { .. }, None) => {
                self.row(Action::Unchanged, Effect::None, because, why.to_owned())
            }
            (Found::Absent { .. }, Some(_)) => {
                let why = format!(
                    "{why}; it was removed on the host since generation {}",
                    self.generation
                );
                self.row(Action::Forget, effect, because, why)
            }
            (Found::File(_), None) if !self.adopted => refused(
                "something that Hayward did not install stands there: remove it by hand, or adopt \
                 it to have it removed",
            ),
            (Found::File(_), None) => {
                let why = format!("{why}; adopted");
                self.row(Action::Remove, Effect::None, because, why)
            }
            // The manifest alone is no leave to remove what it does not describe.
            (Found::File(file), Some(owned)) if self.drift(owned, file).is_some() => {
                refused(&format!(
                    "edited on the host since generation {}, and {why}: restore it or remove it \
                     by hand",
                    self.generation
                ))
            }
            (Found::File(_), Some(_)) => self.row(Action::Remove, effect, because, why.to_owned()),
        }
    }

    /// How a file differs from what was installed there, if it does.
    fn drift(&self, owned: &Owned, file: &FileRead) -> Option<String> {
        let what = match (owned.digest == file.digest, owned.mode == file.mode) {
            (true, true) => return None,
            (false, _) => "edited on the host",
            (true, false) => "its permissions were changed on the host",
        };
        Some(format!(
            "drifted since generation {}: {what}",
            self.generation
        ))
    }
}

fn diff(path: &HostPath, old: &FileRead, new: &DesiredFile) -> String {
    let mut out = String::new();
    if old.mode != new.mode {
        out += &format!(
            "old mode {}\nnew mode {}\n",
            octal(old.mode),
            octal(new.mode)
        );
    }
    let Ok(text) = std::str::from_utf8(&old.bytes) else {
        let (from, to) = (old.bytes.len(), new.text.len());
        out += &format!("{path} is not text: {from} bytes become {to}\n");
        return out;
    };
    let difference = TextDiff::configure()
        .timeout(DIFF_TIME)
        .diff_lines(text, new.text.as_str());
    out += &difference
        .unified_diff()
        .context_radius(3)
        .header(path.as_str(), path.as_str())
        .to_string();
    out
}

fn octal(mode: FileMode) -> String {
    format!("{:04o}", mode.bits())
}
