//! Applies that are killed, and applies at the same time.

use crate::common::{HAYWARD, Project, RUNNER, Run, contents};
use hayward_fleet::{Doing, FleetNow, Plan, Step, Steps};
use hayward_model::{HostName, HostRow, Transport};
use std::fs::File;
use std::process::{Command, Stdio};
use std::time::Instant;

/// What the host holds, without Hayward's own state.
fn held(project: &Project) -> Vec<String> {
    let etc = contents(&project.path("hosts/builder/etc"));
    etc.into_iter()
        .map(|(path, (mode, bytes))| {
            format!(
                "{} {mode:o} {}",
                path.display(),
                String::from_utf8(bytes).unwrap()
            )
        })
        .collect()
}

fn start(project: &Project, words: &[&str]) -> std::process::Child {
    // Not through `timeout`: it is this process that is killed.
    let mut command = Command::new(HAYWARD);
    command
        .args(words)
        .current_dir(project.root())
        .stdin(Stdio::null());
    command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn a_killed_apply_is_made_whole_by_the_next() {
    let project = Project::read_back();
    let begun = Instant::now();
    project.change_limit(100);
    project.run(&["apply", "--yes"]).done();
    let whole = begun.elapsed();
    let (mut killed, mut half_way) = (0, 0);
    for round in 0..30_u32 {
        let old = held(&project);
        project.change_limit(101 + round);
        let mut apply = start(&project, &["apply", "--yes"]);
        // From the start to a little after its end.
        std::thread::sleep(whole.mul_f64(f64::from(round) / 26.0));
        apply.kill().unwrap();
        killed += usize::from(apply.wait().unwrap().code().is_none());
        // Between the two there is a third: then a record says that the host is on its way.
        let now = held(&project);
        let under_way = ["staging", "journal", "undo"]
            .iter()
            .any(|r| project.has(format!("hosts/builder/var/lib/hayward/{r}")));
        let new = format!("MemoryMax={}\n", u64::from(101 + round) << 30);
        assert!(
            under_way || now == old || now.iter().any(|f| f.ends_with(&new)),
            "round {round}: {now:#?}"
        );
        if under_way {
            half_way += 1;
            project
                .run(&["observe"])
                .refused(&["under way or was interrupted"]);
        }
        project
            .run(&["apply", "--yes"])
            .done()
            .says(&["1 host: as declared"]);
        let now = held(&project);
        assert_eq!(now.len(), old.len(), "{now:#?}");
        assert!(
            now.iter().any(|f| f.ends_with(&new)),
            "round {round}: {now:#?}"
        );
        project.run(&["plan", "--exit-code"]).done();
    }
    project.run(&["ledger", "verify"]).done();
    assert!(
        killed >= 10,
        "{killed} of 30 were killed, {half_way} of them half-way"
    );
}

/// Ends an apply at a step as a kill does: nothing further is done.
struct KilledAt {
    doing: Doing,
    file: &'static str,
}

impl Steps for KilledAt {
    fn at(&self, step: &Step) -> std::io::Result<()> {
        if step.doing == self.doing && step.path.as_str().ends_with(self.file) {
            std::panic::resume_unwind(Box::new("killed"));
        }
        Ok(())
    }
}

/// A project whose host was left half-way from 8 to 9 GiB, just before a step.
fn interrupted(doing: Doing, file: &'static str) -> Project {
    let project = Project::read_back();
    project.change_limit(9);
    project.run(&["plan", "--out", "p.json"]).done();
    let plan = Plan::from_json(project.read("p.json").as_bytes()).unwrap();
    let row = HostRow {
        name: HostName::try_from("builder".to_owned()).unwrap(),
        transport: Transport::RootDirectory("hosts/builder".into()),
    };
    let root = project.root();
    let now = FleetNow {
        name: "starter",
        model: plan.body().model,
        revision: None,
        project: &root,
    };
    let killed = std::panic::catch_unwind(|| {
        hayward_fleet::apply(
            &now,
            std::slice::from_ref(&row),
            &plan,
            &KilledAt { doing, file },
        )
    });
    assert!(killed.is_err(), "the apply has no such step");
    project.remove("p.json");
    project
}

/// Before the drop-in is put in place.
fn half_way() -> Project {
    interrupted(Doing::Exchange, "20-memory.conf")
}

#[test]
fn an_interrupted_apply_is_ended_on_record() {
    let project = half_way();
    project
        .run(&["observe"])
        .refused(&["unreadable", "interrupted", "job? no"]);
    project.run(&["plan"]).refused(&["interrupted"]);
    let (_, before) = project.json(&["history", "builder"]);
    project
        .run(&["apply", "--yes"])
        .done()
        .says(&["an interrupted apply was", "1 host: as declared"]);
    let (_, after) = project.json(&["history", "builder"]);
    // The intent to end it, and how it ended.
    let new = after.as_array().unwrap().len() - before.as_array().unwrap().len();
    assert!(new >= 2, "{after:#}");
    project
        .run(&["history", "builder"])
        .done()
        .says(&["begun", "generation 2, 1 path,"]);
    project.run(&["ledger", "verify"]).done();
    project.run(&["observe"]).done().says(&["job? yes"]);
}

#[test]
fn an_interrupted_apply_is_not_ended_without_a_yes_or_without_a_record() {
    let project = half_way();
    project.run(&["apply"]).refused(&["interrupted"]);
    assert!(project.has("hosts/builder/var/lib/hayward/journal"));
    let key = project.read(".hayward/ledger.key");
    project.remove(".hayward/ledger.key");
    project.untouched(|p| p.run(&["apply", "--yes"]).failed(&["signing key"]));
    project.write(".hayward/ledger.key", key);
    crate::common::set_mode(&project.path(".hayward/ledger.key"), 0o600);
    project.run(&["apply", "--yes"]).done();
}

#[test]
fn what_cannot_be_recovered_is_said_with_its_reason() {
    let drop_in = "hosts/builder/etc/systemd/system/actions-runner@.service.d/20-memory.conf";
    let project = interrupted(Doing::ReadBack, "20-memory.conf");
    project.write(drop_in, "mine\n");
    let before = crate::common::snapshot(&project.path("hosts"));
    project
        .run(&["apply", "--yes"])
        .refused(&["20-memory.conf holds neither its old nor its new bytes"]);
    crate::common::same(&before, &crate::common::snapshot(&project.path("hosts")));
    // Where the new generation stands already, the edit is drift, and is put right.
    let project = interrupted(Doing::Unlink, "/journal");
    project.write(drop_in, "mine\n");
    project.run(&["apply", "--yes"]).done().says(&[
        "an interrupted apply was finished, generation 2",
        "edited on the host",
        "generation 3",
    ]);
}

#[test]
fn what_was_only_staged_is_undone_on_record() {
    let project = interrupted(Doing::Replace, "/journal");
    project.run(&["apply", "--yes"]).done().says(&[
        "an interrupted apply was undone, generation 1",
        "generation 2, 1 path changed",
    ]);
    project
        .run(&["history", "builder"])
        .done()
        .says(&["rolled back: the apply was interrupted"]);
    project.run(&["plan", "--exit-code"]).done();
}

#[test]
fn a_kept_plan_ends_its_own_interrupted_apply() {
    let project = Project::read_back();
    project.change_limit(9);
    project.run(&["plan", "--out", "p.json"]).done();
    let half = half_way();
    std::fs::copy(project.path("p.json"), half.path("p.json")).unwrap();
    half.run(&["apply", "p.json"])
        .done()
        .says(&["generation 2, 1 path changed and read back, finishing an interrupted apply"]);
    half.run(&["plan", "--exit-code"]).done();
}

#[test]
fn an_apply_waits_for_no_other() {
    let project = Project::read_back();
    project.change_limit(9);
    let lock = File::open(project.host("var/lib/hayward/lock")).unwrap();
    lock.lock().unwrap();
    let before = crate::common::snapshot(&project.path("hosts"));
    let me = format!(
        "another apply is under way (process {})",
        std::process::id()
    );
    project
        .run(&["apply", "--yes"])
        .refused(&["refused, not touched", &me]);
    crate::common::same(&before, &crate::common::snapshot(&project.path("hosts")));
    lock.unlock().unwrap();
    project.run(&["apply", "--yes"]).done();
}

#[test]
fn of_two_applies_at_the_same_time_one_wins() {
    let project = Project::read_back();
    for round in 0..12 {
        project.change_limit(20 + round);
        project.run(&["plan", "--out", "p.json"]).done();
        let applies = [(); 2].map(|()| start(&project, &["apply", "p.json"]));
        let ends = applies.map(|a| Run::of(a.wait_with_output().unwrap(), "apply p.json"));
        let won = ends.iter().filter(|r| r.code == Some(0)).count();
        let refused = ends.iter().filter(|r| r.code == Some(1)).count();
        let said = format!("{}\n{}", ends[0].all(), ends[1].all());
        assert_eq!((won, refused), (1, 1), "{said}");
        assert!(
            ["under way", "applied already", "stale"]
                .iter()
                .any(|w| said.contains(w)),
            "{said}"
        );
        project.run(&["plan", "--exit-code"]).done();
    }
    assert!(project.has(project.host(RUNNER)));
    project.run(&["ledger", "verify"]).done();
}
