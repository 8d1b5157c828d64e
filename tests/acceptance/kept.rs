//! What earlier runs found saves work and never changes an answer.

use crate::common::{HAYWARD, Project, Run, set_mode};
use crate::s3::{self, Fault, S3};
use std::path::Path;
use std::process::{Command, Stdio};

const MODULE: &str = "module app\n\nimport parts { Part, weight }\n\ndata parts: List<Part> = [Part { grams: 2 }, Part { grams: 3 }]\n\ndata total: Int = sum(map(parts, weight))\n";
const PARTS: &str =
    "module parts\n\ntype Part { grams: Int }\n\nfn weight(part: Part) -> Int = part.grams\n";
const TEST: &str = "module app_test\n\nimport app { total }\n\ntest fn the_parts_are_weighed() -> Bool = total == 5\n\ntest fn weight_is_positive() -> Bool = total > 0\n";

/// A project without a fleet.
fn project() -> Project {
    let project = Project::empty();
    project.write("model/app.dag", MODULE);
    project.write("model/parts.dag", PARTS);
    project.write("model/app_test.dag", TEST);
    project
}

fn kept(project: &Project, words: &[&str]) -> Command {
    let mut command = project.command(words);
    command.env("HAYWARD_STORE", project.beside("store"));
    command
}

fn run(project: &Project, words: &[&str]) -> Run {
    Run::of(kept(project, words).output().unwrap(), &words.join(" "))
}

/// How many modules were parsed, checked and not looked into.
fn work(project: &Project) -> (u64, u64, u64) {
    let run = run(project, &["check", "--json", "model"]);
    let document: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let of = |name: &str| document["work"][name].as_u64().unwrap();
    (of("parsed"), of("checked"), of("kept"))
}

#[test]
fn a_run_does_what_has_changed() {
    let project = project();
    assert_eq!(work(&project), (5, 5, 0));
    assert_eq!(work(&project), (0, 0, 5));
    // A body: its module alone.
    project.edit("model/parts.dag", "part.grams", "part.grams + 0");
    assert_eq!(work(&project), (1, 1, 4));
    // An interface: those that look at it, and nobody else.
    project.edit(
        "model/parts.dag",
        "fn weight",
        "data unit: String = \"g\"\n\nfn weight",
    );
    assert_eq!(work(&project), (2, 2, 3));
    assert_eq!(work(&project), (0, 0, 5));
}

#[test]
fn a_witness_that_was_true_is_not_run_again_until_what_it_reaches_changes() {
    let project = project();
    run(&project, &["test", "model"])
        .done()
        .says(&["2 witnesses: 2 passed, 0 failed\n"]);
    run(&project, &["test", "model"])
        .done()
        .says(&["2 passed, 0 failed (2 known from earlier runs)"]);
    run(&project, &["test", "--filter", "weighed", "model"])
        .done()
        .says(&["1 witness: 1 passed, 0 failed (1 known"]);
    project.edit("model/parts.dag", "part.grams", "part.grams * 2");
    run(&project, &["test", "model"]).refused(&["the_parts_are_weighed", "1 passed, 1 failed"]);
    // What is false is run and shown every time.
    run(&project, &["test", "model"]).refused(&["the_parts_are_weighed", "1 passed, 1 failed"]);
}

#[test]
fn a_value_is_printed_as_it_was_and_worked_out_anew_when_a_text_changes() {
    let project = project();
    for _ in 0..2 {
        assert_eq!(
            run(&project, &["eval", "model", "app.total"]).done().out,
            "5\n"
        );
        let json = run(&project, &["eval", "--json", "model", "app.parts"]).done();
        assert_eq!(json.out, "[{\"grams\":2},{\"grams\":3}]\n");
    }
    project.edit("model/app.dag", "grams: 3", "grams: 4");
    assert_eq!(
        run(&project, &["eval", "model", "app.total"]).done().out,
        "6\n"
    );
    project.edit("model/app.dag", "grams: 4", "gram: 4");
    run(&project, &["eval", "model", "app.total"]).refused(&["gram"]);
}

#[test]
fn a_mistake_is_shown_in_every_run() {
    let project = project();
    run(&project, &["check", "model"]).done();
    project.edit("model/parts.dag", "part.grams", "part.gram");
    let first = run(&project, &["check", "model"]).refused(&["E0302"]);
    let second = run(&project, &["check", "model"]).refused(&["E0302"]);
    assert_eq!(first.all(), second.all());
    project.edit("model/parts.dag", "part.gram", "part.grams");
    project.write("model/twice.dag", PARTS);
    run(&project, &["check", "model"]).refused(&["E0201", "model/twice.dag:1"]);
}

#[test]
fn a_store_that_cannot_be_used_stops_nothing() {
    let project = project();
    let store = project.beside("store");
    std::fs::write(&store, "a file").unwrap();
    run(&project, &["check", "model"]).done().says(&[
        "note: the store",
        "cannot be used",
        "no mistakes",
    ]);
    std::fs::remove_file(&store).unwrap();
    run(&project, &["check", "model"]).done();
    for log in ["entries.sqlite-wal", "entries.sqlite-shm"] {
        let _ = std::fs::remove_file(store.join(log));
    }
    std::fs::write(store.join("entries.sqlite"), "no database".repeat(1000)).unwrap();
    assert_eq!(work(&project), (5, 5, 0));
    assert_eq!(work(&project), (0, 0, 5));
}

#[test]
fn a_kill_at_any_moment_and_many_at_once_leave_a_store_that_tells_the_truth() {
    let project = project();
    let answer = |project: &Project| run(project, &["test", "model"]).done();
    for round in 0..30u64 {
        // Each round has something to write.
        project.write(
            "model/parts.dag",
            format!("{PARTS}\ndata round: Int = {round}\n"),
        );
        let mut running: Vec<_> = (0..3)
            .map(|_| {
                // Not through `timeout`, which would be killed in its place.
                let mut command = Command::new(HAYWARD);
                command
                    .args(["test", "model"])
                    .current_dir(project.root())
                    .env("HAYWARD_STORE", project.beside("store"))
                    .stdin(Stdio::null())
                    .stdout(Stdio::null())
                    .stderr(Stdio::null());
                command.spawn().unwrap()
            })
            .collect();
        std::thread::sleep(std::time::Duration::from_millis(round % 15));
        for child in &mut running {
            let _ = child.kill();
            let _ = child.wait();
        }
        answer(&project).says(&["2 passed, 0 failed"]);
    }
    assert!(
        Path::new(&project.beside("store"))
            .join("entries.sqlite")
            .is_file()
    );
}

#[test]
fn the_store_says_how_large_it_is_and_can_be_cleared() {
    let project = project();
    run(&project, &["check", "model"]).done();
    run(&project, &["store"])
        .done()
        .says(&["entries", "of 1024.0 MiB"]);
    run(&project, &["store", "--clear"])
        .done()
        .says(&["0 entries"]);
    assert_eq!(work(&project), (5, 5, 0));
    let off = project.run(&["store"]).done();
    off.says(&["there is no store"]);
}

#[test]
fn a_store_that_was_refused_is_no_missing_store() {
    let project = project();
    let store = project.beside("store");
    run(&project, &["check", "model"]).done();
    set_mode(&store, 0o777);
    let why = format!(
        "the store {} has mode 0777, so others may write to it: run `chmod go-w` on it",
        store.display()
    );
    // In the words of the commands that go on without it.
    run(&project, &["check", "model"])
        .done()
        .says(&[&format!("note: {why}; this run goes on without it")]);
    for words in [&["store"][..], &["store", "--clear"]] {
        let asked = run(&project, words).failed(&[&why]);
        assert!(!asked.all().contains("there is no store"));
    }
    let asked = run(&project, &["store", "--json"]).failed(&[]);
    let document: serde_json::Value = serde_json::from_str(&asked.out).unwrap();
    assert_eq!(document["error"], why);
    // It was not cleared, and its cure is one.
    set_mode(&store, 0o755);
    assert_eq!(work(&project), (0, 0, 5));
    run(&project, &["store"]).done().says(&["entries"]);
}

#[test]
fn a_shared_store_that_was_refused_is_told_too() {
    let project = project();
    for own in ["off", "store"] {
        let mut command = project.command(&["store"]);
        command.env("HAYWARD_STORE", own);
        command.env("HAYWARD_SHARED_STORE", project.beside("shared"));
        Run::of(command.output().unwrap(), "store").failed(&["HAYWARD_SHARED_SECRET"]);
    }
}

#[test]
fn machines_share_what_they_find() {
    let here = project();
    let there = project();
    for project in [&here, &there] {
        project.write(
            "hayward.toml",
            "[project]\nname = \"shared\"\nroots = [\"model\"]\n",
        );
    }
    let shared = here.beside("shared");
    let secret = here.beside("secret");
    std::fs::write(&secret, [7; 32]).unwrap();
    let run = |project: &Project, words: &[&str]| {
        let mut command = kept(project, words);
        command
            .env("HAYWARD_SHARED_STORE", &shared)
            .env("HAYWARD_SHARED_SECRET", &secret);
        Run::of(command.output().unwrap(), &words.join(" "))
    };
    run(&here, &["test"]).done().says(&["2 passed, 0 failed\n"]);
    run(&here, &["eval", "app.total"]).done();
    // The other machine has never seen it.
    run(&there, &["test"])
        .done()
        .says(&["2 passed, 0 failed (2 known from earlier runs)"]);
    assert_eq!(run(&there, &["eval", "app.total"]).done().out, "5\n");
    let document = run(&there, &["check", "--json"]).done();
    let document: serde_json::Value = serde_json::from_str(&document.out).unwrap();
    assert_eq!(document["work"]["checked"], 0);
    // An edit there is its own.
    there.edit("model/parts.dag", "part.grams", "part.grams * 2");
    run(&there, &["test"]).refused(&["the_parts_are_weighed"]);
    run(&here, &["test"]).done();
    // Without the secret nothing is shared, and nothing stops.
    std::fs::write(&secret, "short").unwrap();
    run(&here, &["test"])
        .done()
        .says(&["note:", "no secret of 32 bytes"]);
}

#[test]
fn a_list_has_the_steps_of_what_was_known() {
    let project = project();
    let list = || run(&project, &["test", "--list", "model"]).done().out;
    let (first, second) = (list(), list());
    assert!(second.contains("2 known from earlier runs"), "{second}");
    let lines = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| line.starts_with("pass"));
        lines.map(str::to_owned).collect()
    };
    assert_eq!(lines(&first), lines(&second));
    assert!(lines(&second).iter().all(|line| line.ends_with(" steps")));
    assert_eq!(lines(&second).len(), 2);
}

/// A run on a machine that shares its store through a bucket.
fn run_with_bucket(project: &Project, server: &S3, secret: &Path, words: &[&str]) -> Run {
    let mut command = kept(project, words);
    command
        .env("HAYWARD_SHARED_STORE", "s3://team-store/ci")
        .env("HAYWARD_SHARED_SECRET", secret)
        .env("AWS_ENDPOINT_URL", server.endpoint())
        .env_remove("AWS_ENDPOINT_URL_S3")
        .env("AWS_REGION", s3::REGION)
        .env("AWS_ACCESS_KEY_ID", s3::ID)
        .env("AWS_SECRET_ACCESS_KEY", s3::SECRET)
        .env("AWS_SESSION_TOKEN", s3::TOKEN);
    let run = Run::of(command.output().unwrap(), &words.join(" "));
    assert!(!run.all().contains(s3::SECRET), "{}", run.all());
    run
}

#[test]
fn machines_share_what_they_find_through_a_bucket() {
    let (here, there) = (project(), project());
    for project in [&here, &there] {
        project.write(
            "hayward.toml",
            "[project]\nname = \"shared\"\nroots = [\"model\"]\n",
        );
    }
    let secret = here.beside("secret");
    std::fs::write(&secret, [7; 32]).unwrap();
    let server = S3::begin(Fault::None);
    let run = |project: &Project, words: &[&str]| run_with_bucket(project, &server, &secret, words);
    run(&here, &["test"]).done().says(&["2 passed, 0 failed\n"]);
    run(&here, &["eval", "app.total"]).done();
    let first = run(&there, &["test"]).done();
    assert_eq!(first.err, "", "nothing is told of a bucket that works");
    first.says(&["2 passed, 0 failed (2 known from earlier runs)"]);
    assert_eq!(run(&there, &["eval", "app.total"]).done().out, "5\n");
    // What is known on the machine is asked of nobody.
    let asked = server.asked();
    run(&there, &["test"]).done();
    assert_eq!(server.asked(), asked);
    // A bucket full of lies.
    for name in server.names() {
        server.set(&name, b"lies");
    }
    let third = project();
    third.write("hayward.toml", here.read("hayward.toml"));
    run(&third, &["test"])
        .done()
        .says(&["2 passed, 0 failed\n"]);
}

#[test]
fn a_bucket_with_a_fault_changes_no_answer() {
    let secret = project();
    let at = secret.beside("secret");
    std::fs::write(&at, [7; 32]).unwrap();
    for (fault, note) in [
        (
            Fault::Answer("500 Oops", "oops"),
            "GET is answered with status 500",
        ),
        (Fault::Garbage, "GET: its answer is no HTTP"),
        (
            Fault::Truncated,
            "GET: the connection ended before its answer was whole",
        ),
        (Fault::Stall, "GET: no answer within 3 s"),
        (
            Fault::StallOnPut,
            "what was found is not put there within 5 s",
        ),
    ] {
        let project = project();
        project.write(
            "hayward.toml",
            "[project]\nname = \"shared\"\nroots = [\"model\"]\n",
        );
        let server = S3::begin(fault);
        let run = run_with_bucket(&project, &server, &at, &["test"]).done();
        assert!(run.out.contains("2 passed, 0 failed\n"), "{}", run.all());
        let notes: Vec<&str> = run.err.lines().filter(|l| l.starts_with("note:")).collect();
        assert_eq!(notes.len(), 1, "{}", run.all());
        assert!(notes[0].contains(note), "{}", run.all());
        assert!(notes[0].contains("s3://team-store/ci"), "{}", run.all());
        let false_witness = "module more_test\n\ntest fn never() -> Bool = false\n";
        project.write("model/more_test.dag", false_witness);
        run_with_bucket(&project, &server, &at, &["test"]).refused(&["never"]);
    }
}
