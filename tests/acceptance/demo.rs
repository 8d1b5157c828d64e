//! `hayward demo`, as anybody can run it.

use crate::common::{
    HAYWARD, Project, RUNNER, Run, WORKFLOW, command, is_root, same, set_mode, snapshot,
};
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// The program run by an ordinary user without a network, with its temporary folder in `room`.
fn as_nobody(room: &Path, words: &[&str]) -> Command {
    // Where another user reaches it.
    let program = room.join("hayward");
    fs::copy(HAYWARD, &program).unwrap();
    set_mode(room, 0o755);
    set_mode(&program, 0o755);
    let temporary = room.join("tmp");
    fs::create_dir(&temporary).unwrap();
    set_mode(&temporary, 0o1777);
    let mut command = command("unshare");
    if is_root() {
        command.args([
            "--net",
            "setpriv",
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
        ]);
    } else {
        command.args(["--user", "--map-current-user", "--net"]);
    }
    command
        .args(["env", "-i", "PATH=/usr/bin:/bin", "HOME=/nonexistent"])
        .arg(format!("TMPDIR={}", temporary.display()))
        .arg(program)
        .args(words)
        .current_dir("/");
    command
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect()
}

#[test]
fn an_ordinary_user_without_a_network_sees_no_no_yes_no() {
    let room = tempfile::tempdir().unwrap();
    let run = Run::of(as_nobody(room.path(), &["demo"]).output().unwrap(), "demo").done();
    let lines = |start: &str| -> Vec<&str> {
        run.out
            .lines()
            .filter_map(|l| l.strip_prefix(start))
            .collect()
    };
    assert_eq!(
        lines(&format!("{WORKFLOW}: ")),
        [
            "cancel-in-progress: false",
            "cancel-in-progress: false",
            "cancel-in-progress: true",
            "cancel-in-progress: false"
        ]
    );
    // Each answer is given by every command that is asked: render, observe, render, observe, …
    let answers: Vec<&str> = lines("may CI cancel a running job? ")
        .iter()
        .map(|l| l.split(' ').next().unwrap())
        .collect();
    assert_eq!(answers, ["no", "no", "no", "yes", "yes", "no", "no", "no"]);
    run.says(&[
        "hazel: no observation",
        "nothing to do on 4 hosts",
        "hazel: actions-runner@.service: KillMode=process leaves processes of a stopped unit alive",
        "containment keep-running-jobs: stands",
        "20 receipts: whole",
        "which is gone now",
    ]);
    assert_eq!(
        names(&room.path().join("tmp")),
        [""; 0],
        "something is left behind"
    );
}

#[test]
fn the_demo_leaves_nothing_behind_when_its_reader_goes_away() {
    let room = tempfile::tempdir().unwrap();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let status = as_nobody(room.path(), &["demo"])
        .stdout(writer)
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(141));
    assert_eq!(names(&room.path().join("tmp")), [""; 0]);
}

#[test]
fn what_is_kept_is_where_the_demo_says() {
    let project = Project::empty();
    let run = project.run(&["demo", "--keep", "kept"]).done();
    let kept = project.path("kept");
    let said: Vec<&str> = run
        .out
        .lines()
        .skip_while(|l| !l.contains("To look at"))
        .collect();
    for (line, paths) in [
        (
            "the model",
            vec![kept.join("fleet.dag"), kept.join("units.dag")],
        ),
        ("the rendered workflow", vec![kept.join(WORKFLOW)]),
        (
            "the hosts' files",
            vec![
                kept.join("rendered"),
                kept.join("hosts").join("hazel").join(RUNNER),
            ],
        ),
    ] {
        let said = said.iter().find(|l| l.contains(line)).unwrap();
        assert!(
            said.contains(kept.canonicalize().unwrap().to_str().unwrap()),
            "{said}"
        );
        assert!(paths.iter().all(|p| p.exists()), "{line}");
    }
    project
        .run(&["history", "--project", "kept"])
        .done()
        .says(&["decision", "observation", "apply"]);
    project
        .run(&["ledger", "verify", "--project", "kept"])
        .done();
    assert!(!crate::yaml::cancel_in_progress(
        &project.read(format!("kept/{WORKFLOW}"))
    ));
}

#[test]
fn a_folder_in_use_is_refused_untouched() {
    let project = Project::empty();
    project.write("kept/mine", "mine\n");
    project.untouched(|p| {
        p.run(&["demo", "--keep", "kept"])
            .failed(&["is not empty; nothing was written"])
    });
    project.untouched(|p| p.run(&["demo", "--keep", "kept/mine"]).failed(&["mine"]));
    // Empty is fine.
    fs::create_dir(project.path("empty")).unwrap();
    project.run(&["demo", "--keep", "empty"]).done();
}

/// What the demo shows is so: where a host is not as it says, it does not say so.
#[test]
fn the_demo_fails_when_the_world_is_not_as_it_shows() {
    let project = Project::empty();
    let kept = project.path("kept");
    let mut demo = project
        .command(&["demo", "--keep", "kept"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // As soon as there is a host, somebody puts a drop-in there that no apply touches.
    while !kept.join("hosts/linden/etc").exists() {
        assert!(
            demo.try_wait().unwrap().is_none(),
            "the demo ended without hosts"
        );
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let foreign = kept.join("hosts/linden/run/systemd/system/actions-runner@.service.d");
    fs::create_dir_all(&foreign).unwrap();
    fs::write(
        foreign.join("99-mine.conf"),
        "[Service]\nKillMode=process\n",
    )
    .unwrap();
    let run = Run::of(demo.wait_with_output().unwrap(), "demo");
    run.failed(&[
        "linden: actions-runner@.service: KillMode=process",
        "the workflow should say `cancel-in-progress: true`",
    ]);
}

#[test]
fn the_demo_has_no_json_form() {
    let project = Project::empty();
    project.untouched(|p| {
        p.run(&["--json", "demo", "--keep", "kept"])
            .failed(&["no JSON form"])
    });
    let before = snapshot(&project.root());
    project
        .run(&["demo", "--keep", "/proc/nowhere"])
        .failed(&["/proc/nowhere"]);
    same(&before, &snapshot(&project.root()));
}

#[test]
fn a_demo_that_is_interrupted_leaves_nothing() {
    let project = Project::empty();
    let folder = project.beside("tmp");
    fs::create_dir(&folder).unwrap();
    for (name, number) in [("-INT", 2), ("-TERM", 15)] {
        let mut demo = Command::new(HAYWARD);
        demo.arg("demo")
            .env("TMPDIR", &folder)
            .env("HAYWARD_STORE", "off");
        demo.stdin(Stdio::null());
        let mut demo = demo.stdout(Stdio::piped()).spawn().unwrap();
        // It says its first line when its folder is there.
        let mut out = BufReader::new(demo.stdout.take().unwrap());
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "{line}");
        let mut kill = Command::new("kill");
        let sent = kill.args([name, &demo.id().to_string()]).status();
        assert!(sent.unwrap().success());
        assert_eq!(demo.wait().unwrap().signal(), Some(number));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "{name}");
    }
}
