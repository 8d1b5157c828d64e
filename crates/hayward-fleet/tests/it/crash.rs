//! Killing an apply at every step, and failing at every step: what follows is
//! exactly the old state or exactly the new one.

use crate::bed::{Bed, Listing, file, file_with, gone, in_memory, path};
use hayward_fleet::{Doing, Outcome, Plan, Recovery, Step, Steps, recover};
use hayward_model::DesiredPath;
use std::cell::Cell;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::ExitStatusExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What happens at a step.
enum Strike {
    /// The process is killed, for real.
    Kill,
    /// The call is left as a kill would leave it: nothing is cleaned up.
    Leave,
    /// This step fails.
    FailOnce,
    /// This step and all after it fail, as on a disk that went away.
    FailOn,
}

struct At {
    strike: Strike,
    step: usize,
    seen: Cell<usize>,
}

impl At {
    fn new(strike: Strike, step: usize) -> Self {
        Self {
            strike,
            step,
            seen: Cell::new(0),
        }
    }

    fn reached(&self) -> bool {
        self.seen.get() > self.step
    }
}

struct Left;

impl Steps for At {
    fn at(&self, _: &Step) -> io::Result<()> {
        let now = self.seen.get();
        self.seen.set(now + 1);
        match self.strike {
            Strike::Kill if now == self.step => {
                let me = rustix::process::getpid();
                rustix::process::kill_process(me, rustix::process::Signal::KILL)?;
                unreachable!("killed");
            }
            Strike::Leave if now == self.step => std::panic::resume_unwind(Box::new(Left)),
            Strike::FailOnce if now == self.step => Err(io::ErrorKind::StorageFull.into()),
            Strike::FailOn if now >= self.step => Err(io::Error::from_raw_os_error(5)),
            _ => Ok(()),
        }
    }
}

/// Runs something that may be left half-way; whether it was.
fn left<T>(run: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(value) => Some(value),
        Err(payload) if payload.is::<Left>() => None,
        Err(payload) => std::panic::resume_unwind(payload),
    }
}

fn mixed() -> Vec<DesiredPath> {
    vec![
        file("/etc/adopted", "a\n"),
        file("/etc/taken", "ours\n"),
        file("/etc/changed", "new\n"),
        file_with("/etc/mode", "m\n", 0o600),
        gone("/etc/removed"),
        file("/srv/made/deep", "d\n"),
    ]
}

fn first() -> Vec<DesiredPath> {
    vec![file("/etc/a", "a\n"), file("/srv/made/b", "b\n")]
}

/// A host before an apply, the apply's plan, and what it leads to.
struct Scenario {
    _own: tempfile::TempDir,
    dir: PathBuf,
    template: Bed,
    desired: Vec<DesiredPath>,
    plan: Plan,
    old: Listing,
    new: Listing,
    from: u64,
}

impl Scenario {
    fn new(prepare: impl FnOnce(&mut Bed), desired: Vec<DesiredPath>) -> Self {
        let own = in_memory();
        let dir = own.path().to_owned();
        fs::create_dir(dir.join("template")).unwrap();
        let mut template = Bed::at(&dir.join("template"));
        template.write("etc/hostname", "srv1\n");
        prepare(&mut template);
        let plan = template.plan(&desired);
        assert!(plan.has_changes() && !plan.has_refusals());
        let from = crate::bed::planned(&plan).generation;
        let mut scenario = Self {
            _own: own,
            dir,
            old: template.listing(),
            new: Listing::new(),
            template,
            desired,
            plan,
            from,
        };
        scenario.new = {
            let bed = scenario.fresh("new");
            assert!(matches!(
                bed.apply(&scenario.desired, &scenario.plan),
                Outcome::Applied(_)
            ));
            bed.listing()
        };
        assert_ne!(scenario.old, scenario.new);
        scenario
    }

    /// All kinds of entries on a host that has a generation already.
    fn mixed() -> Self {
        Self::new(
            |bed| {
                bed.write("etc/adopted", "a\n");
                bed.write("etc/taken", "theirs\n");
                bed.converge(&[
                    file("/etc/changed", "old\n"),
                    file("/etc/mode", "m\n"),
                    file("/etc/removed", "r\n"),
                    file("/etc/forgotten", "f\n"),
                    file("/opt/pruned/deep", "p\n"),
                ]);
                bed.remove("etc/forgotten");
                bed.adopt = ["/etc/adopted", "/etc/taken"].map(path).into();
            },
            mixed(),
        )
    }

    /// The first apply that a host ever sees.
    fn first() -> Self {
        Self::new(|_| {}, first())
    }

    /// A host as it was before.
    fn fresh(&self, name: &str) -> Bed {
        let at = self.dir.join(name);
        if at.exists() {
            fs::remove_dir_all(&at).unwrap();
        }
        copy(&self.template.project, &at);
        let mut bed = Bed::at(&at);
        bed.adopt = self.template.adopt.clone();
        bed
    }

    fn is_old(&self, bed: &Bed) -> bool {
        bed.listing() == self.old
    }

    fn is_new(&self, bed: &Bed) -> bool {
        bed.listing() == self.new
    }

    /// The tree is in the old state or in the new, and what is kept there says
    /// so; then the apply, planned anew, comes to rest in the new one.
    #[track_caller]
    fn check_settled(&self, bed: &Bed, context: &str) {
        let (old, new) = (self.is_old(bed), self.is_new(bed));
        assert!(old || new, "{context}: {:#?}", bed.listing_with_state());
        let plan = bed.plan(&self.desired);
        let generation = crate::bed::planned(&plan).generation;
        assert_eq!(generation, self.from + u64::from(new), "{context}");
        assert_eq!(plan.has_changes(), old, "{context}");
        let mut state: Vec<String> = bed
            .listing_with_state()
            .into_keys()
            .filter_map(|at| at.strip_prefix("var/lib/hayward/").map(str::to_owned))
            .filter(|name| name != "lock")
            .collect();
        // A record that was never named means nothing; the next apply drops it.
        state.retain(|name| name != "draft");
        let kept: &[&str] = if generation == 0 {
            &[]
        } else {
            &["generation", "manifest"]
        };
        assert_eq!(state, kept, "{context}");
        if old {
            assert!(
                matches!(bed.apply(&self.desired, &plan), Outcome::Applied(_)),
                "{context}"
            );
            assert!(self.is_new(bed), "{context}");
        }
        assert!(!bed.has("var/lib/hayward/draft"), "{context}");
    }
}

fn copy(from: &Path, to: &Path) {
    let meta = from.symlink_metadata().unwrap();
    if meta.is_dir() {
        fs::create_dir(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            copy(&entry.path(), &to.join(entry.file_name()));
        }
        fs::set_permissions(to, meta.permissions()).unwrap();
    } else {
        fs::copy(from, to).unwrap();
    }
}

/// Not a test of its own: the process that [`killed_at_every_step`] kills.
#[test]
fn victim() {
    let Ok(project) = std::env::var("HAYWARD_VICTIM") else {
        return;
    };
    let project = PathBuf::from(project);
    let step = std::env::var("HAYWARD_STEP").unwrap().parse().unwrap();
    let plan = Plan::from_json(&fs::read(project.join("plan")).unwrap()).unwrap();
    let desired = match fs::read_to_string(project.join("scenario"))
        .unwrap()
        .as_str()
    {
        "mixed" => mixed(),
        _ => first(),
    };
    let bed = Bed::at(&project);
    bed.apply_with(&desired, &plan, &At::new(Strike::Kill, step));
}

#[test]
fn killed_at_every_step() {
    for (name, scenario) in [("mixed", Scenario::mixed()), ("first", Scenario::first())] {
        let mut step = 0;
        loop {
            let bed = scenario.fresh("bed");
            fs::write(bed.project.join("plan"), scenario.plan.to_json()).unwrap();
            fs::write(bed.project.join("scenario"), name).unwrap();
            let status = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "crash::victim", "--test-threads=1"])
                .env("HAYWARD_VICTIM", &bed.project)
                .env("HAYWARD_STEP", step.to_string())
                .stdout(std::process::Stdio::null())
                .status()
                .unwrap();
            if status.success() {
                assert!(scenario.is_new(&bed));
                break;
            }
            assert_eq!(status.signal(), Some(9), "{name}, step {step}");
            let context = format!("{name}, killed at step {step}");
            if step % 2 == 0 {
                bed.recover().unwrap();
                scenario.check_settled(&bed, &context);
            } else {
                // The same plan, applied again, ends in the new state. At the very
                // last step it had ended there already.
                match bed.apply(&scenario.desired, &scenario.plan) {
                    Outcome::Applied(_) => {}
                    Outcome::Refused { error } if scenario.is_new(&bed) => {
                        assert!(
                            error.to_string().contains("applied already"),
                            "{context}: {error}"
                        );
                    }
                    other => panic!("{context}: {other:?}"),
                }
                assert!(scenario.is_new(&bed), "{context}");
                scenario.check_settled(&bed, &context);
            }
            step += 1;
        }
        assert!(step > 30, "{name} has {step} steps");
    }
}

#[test]
fn left_at_every_step_and_its_recovery_left_at_every_step() {
    for scenario in [Scenario::mixed(), Scenario::first()] {
        let mut step = 0;
        let (mut finished, mut undone) = (0, 0);
        loop {
            let bed = scenario.fresh("bed");
            let at = At::new(Strike::Leave, step);
            if left(|| bed.apply_with(&scenario.desired, &scenario.plan, &at)).is_some() {
                assert!(!at.reached());
                break;
            }
            let half = scenario.dir.join("half");
            if half.exists() {
                fs::remove_dir_all(&half).unwrap();
            }
            copy(&bed.project, &half);
            let mut second = 0;
            loop {
                let at = At::new(Strike::Leave, second);
                let ended = left(|| recover(&bed.row, &bed.project, &at).unwrap());
                let context = format!("left at step {step}, recovery at {second}: {ended:?}");
                bed.recover().unwrap();
                let (old, new) = (scenario.is_old(&bed), scenario.is_new(&bed));
                assert!(old != new, "{context}: {:#?}", bed.listing_with_state());
                match ended {
                    Some(Recovery::Finished { generation, .. }) => {
                        assert!(new && generation == scenario.from + 1, "{context}");
                        finished += 1;
                    }
                    Some(Recovery::Undone { generation }) => {
                        assert!(old && generation == scenario.from, "{context}");
                        undone += 1;
                    }
                    Some(Recovery::NothingInterrupted) | None => {}
                }
                scenario.check_settled(&bed, &context);
                if ended.is_some() {
                    break;
                }
                fs::remove_dir_all(&bed.project).unwrap();
                copy(&half, &bed.project);
                second += 1;
            }
            step += 1;
        }
        assert!(
            step > 30 && finished > 5 && undone > 5,
            "{step} {finished} {undone}"
        );
    }
}

#[test]
fn failing_at_every_step() {
    for scenario in [Scenario::mixed(), Scenario::first()] {
        for forever in [false, true] {
            let mut step = 0;
            let mut seen = [0; 4];
            loop {
                let bed = scenario.fresh("bed");
                let strike = if forever {
                    Strike::FailOn
                } else {
                    Strike::FailOnce
                };
                let at = At::new(strike, step);
                let outcome = bed.apply_with(&scenario.desired, &scenario.plan, &at);
                let context = format!("failing at step {step}, for ever: {forever}: {outcome:?}");
                if !at.reached() {
                    break;
                }
                match outcome {
                    Outcome::Refused { .. } => {
                        assert!(scenario.is_old(&bed), "{context}");
                        if scenario.from == 0 && !forever {
                            let all = bed.listing_with_state();
                            assert_eq!(all, scenario.template.listing_with_state(), "{context}");
                        }
                        seen[0] += 1;
                    }
                    Outcome::RolledBack { .. } => {
                        assert!(scenario.is_old(&bed), "{context}");
                        seen[1] += 1;
                    }
                    Outcome::Applied(applied) => {
                        assert!(applied.leftover.is_some(), "{context}");
                        bed.recover().unwrap();
                        assert!(scenario.is_new(&bed), "{context}");
                        seen[2] += 1;
                    }
                    Outcome::Failed { .. } => {
                        bed.recover().unwrap();
                        seen[3] += 1;
                    }
                    Outcome::NothingToDo { .. } => panic!("{context}"),
                }
                scenario.check_settled(&bed, &context);
                step += 1;
            }
            assert!(seen[2] > 2 && seen[0] + seen[3] > 10, "{seen:?}");
        }
    }
}

/// Fails at one step and is left at another, while the old state comes back.
struct FailThenLeave {
    fail: At,
    leave: At,
}

impl Steps for FailThenLeave {
    fn at(&self, step: &Step) -> io::Result<()> {
        self.leave.at(step)?;
        self.fail.at(step)
    }
}

#[test]
fn left_at_every_step_of_every_rolling_back() {
    let scenario = Scenario::mixed();
    let mut fail = 0;
    loop {
        let mut leave = fail + 1;
        loop {
            let bed = scenario.fresh("bed");
            let at = FailThenLeave {
                fail: At::new(Strike::FailOnce, fail),
                leave: At::new(Strike::Leave, leave),
            };
            let ended = left(|| bed.apply_with(&scenario.desired, &scenario.plan, &at));
            if !at.fail.reached() {
                return;
            }
            bed.recover().unwrap();
            scenario.check_settled(&bed, &format!("failed at {fail}, left at {leave}"));
            if ended.is_some() {
                break;
            }
            leave += 1;
        }
        fail += 1;
    }
}

/// Does something on the host at a step, as somebody else would.
struct Meanwhile<'a> {
    step: usize,
    seen: Cell<usize>,
    act: &'a dyn Fn(),
}

impl Steps for Meanwhile<'_> {
    fn at(&self, _: &Step) -> io::Result<()> {
        let now = self.seen.get();
        self.seen.set(now + 1);
        if now == self.step {
            (self.act)();
        }
        Ok(())
    }
}

#[test]
fn an_edit_during_an_apply_is_never_lost() {
    let scenario = Scenario::mixed();
    let mut step = 0;
    let mut outcomes = [0; 2];
    loop {
        let bed = scenario.fresh("bed");
        let edit = || bed.write("etc/changed", "meanwhile\n");
        let at = Meanwhile {
            step,
            seen: Cell::new(0),
            act: &edit,
        };
        let outcome = bed.apply_with(&scenario.desired, &scenario.plan, &at);
        if at.seen.get() <= step {
            break;
        }
        let text = bed.read("etc/changed");
        match outcome {
            Outcome::RolledBack { .. } | Outcome::Refused { .. } => {
                assert_eq!(text, "meanwhile\n", "step {step}");
                outcomes[0] += 1;
            }
            // It came after the new bytes had been read back.
            Outcome::Applied(_) => {
                assert_eq!(text, "meanwhile\n", "step {step}");
                outcomes[1] += 1;
            }
            // It went into the new bytes before they were read back.
            Outcome::Failed { undoing, .. } => {
                assert_eq!(text, "meanwhile\n", "step {step}");
                let error = bed.recover().unwrap_err().to_string();
                assert!(
                    error.contains("/etc/changed holds neither"),
                    "{error}: {undoing}"
                );
                bed.write("etc/changed", "new\n");
                bed.recover().unwrap();
                scenario.check_settled(&bed, &format!("edited at {step}"));
            }
            Outcome::NothingToDo { .. } => panic!("step {step}"),
        }
        step += 1;
    }
    assert!(outcomes[0] > 10 && outcomes[1] > 5, "{outcomes:?}");
}

#[test]
fn recovery_of_a_host_without_an_interruption_writes_nothing() {
    let scenario = Scenario::mixed();
    let bed = scenario.fresh("bed");
    let before = bed.stamps();
    assert_eq!(bed.recover().unwrap(), Recovery::NothingInterrupted);
    assert_eq!(bed.stamps(), before);
    // And an interrupted one is neither planned for nor observed.
    let at = At::new(Strike::Leave, 40);
    assert!(left(|| bed.apply_with(&scenario.desired, &scenario.plan, &at)).is_none());
    assert!(crate::bed::host_refusal(&bed.plan(&scenario.desired)).contains("interrupted"));
    let seen = hayward_fleet::observe(&bed.row, &[], &bed.project);
    assert!(matches!(
        seen.answer,
        hayward_model::HostAnswer::Unreadable { .. }
    ));
}

/// Looks at the host before each step.
struct Watch<'a>(&'a dyn Fn(&Step));

impl Steps for Watch<'_> {
    fn at(&self, step: &Step) -> io::Result<()> {
        (self.0)(step);
        Ok(())
    }
}

#[test]
fn permissions_are_set_before_the_first_byte() {
    let bed = Bed::new();
    let desired = [
        file_with("/etc/secret", "s\n", 0o600),
        file_with("/etc/open", "o\n", 0o664),
    ];
    let seen = Cell::new(0);
    let watch = |step: &Step| {
        let name = step.path.as_str();
        let wanted = match name {
            "/etc/.secret.hayward-1" => 0o600,
            "/etc/.open.hayward-1" => 0o664,
            _ => return,
        };
        if step.doing == Doing::Write {
            let meta = fs::metadata(bed.root().join(&name[1..])).unwrap();
            assert_eq!(
                (meta.len(), meta.permissions().mode() & 0o7777),
                (0, wanted)
            );
            seen.set(seen.get() + 1);
        }
    };
    let outcome = bed.apply_with(&desired, &bed.plan(&desired), &Watch(&watch));
    assert!(matches!(outcome, Outcome::Applied(_)));
    assert_eq!(seen.get(), 2);
}

#[test]
fn what_was_committed_stays_even_if_it_is_edited_before_the_recovery() {
    let scenario = Scenario::mixed();
    let (mut step, mut committed) = (0, 0);
    loop {
        let bed = scenario.fresh("bed");
        let at = At::new(Strike::Leave, step);
        if left(|| bed.apply_with(&scenario.desired, &scenario.plan, &at)).is_some() {
            break;
        }
        step += 1;
        let generation = bed.read("var/lib/hayward/generation");
        if !generation.contains("\"number\": 2") || !bed.has("var/lib/hayward/journal") {
            continue;
        }
        committed += 1;
        bed.write("etc/changed", "afterwards\n");
        let recovery = bed.recover().unwrap();
        assert!(
            matches!(recovery, Recovery::Finished { generation: 2, .. }),
            "{recovery:?}"
        );
        assert_eq!(bed.read("etc/changed"), "afterwards\n");
        bed.write("etc/changed", "new\n");
        scenario.check_settled(&bed, &format!("left at {step}"));
    }
    assert!(committed > 3, "{committed}");
}
