//! Workflows that are run: by mocks, by this host, and by a recording of it; and the lines of
//! sudoers that permit what they ask.

use crate::common::{HAYWARD, Project};
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const MODEL: &str = r#"module work
type Name = String where pattern("[a-z]+")
type Found =
  | Lines { lines: List<String> from "stdout_lines" }
  | NoMatch

service Tools {
  operation Grep {
    readonly
    input { word: Name, path: String }
    transport shell { argv: ["/usr/bin/grep", "-e", word, "--", path] }
    exit { 0 => Lines, 1 => NoMatch }
    mock_response { 0 => Lines { lines: ["mocked"] } }
  }
  operation Stamp(word: Name) -> { text: String from "stdout" }
  operation Count {
    input { token: Secret }
    output { text: String from "stdout" }
    transport shell { argv: ["/usr/bin/wc", "-c"] stdin: token }
  }
  operation Show {
    input { token: Secret }
    output { text: String from "stdout" }
    transport shell { argv: ["/bin/cat"] stdin: token }
  }
  operation Write {
    input { path: String, content: String }
    output { bytes_written: Int }
    transport file { path: path verb: "write" }
    mock_response { 0 => Output { bytes_written: 0 } }
  }
  transport shell { argv: ["/usr/bin/printf", "%s", word] }
}

func find(path: String, word: Name) -> List<String> {
  match Tools.Grep(word, path) {
    Lines { lines } => lines
    NoMatch => []
  }
}
pattern piece() -> Int { 1 }
interface door(path: String) -> Int { Tools.Write(path, content: "text").bytes_written + piece() }
func stamp() -> String { Tools.Stamp(word: "x").text }
func count_secret(token: Secret) -> String { Tools.Count(token).text }
func show_secret(token: Secret) -> String { Tools.Show(token).text }
func write_and_count(path: String, token: Secret) -> String {
  let written = Tools.Write(path, content: "text")
  Tools.Count(token).text
}
data OTHER: Secret = Secret { name: "other" }
fn named(name: String) -> Secret = Secret { name: name }
fn plain() -> Int = 1
"#;

const TEST: &str = r#"module work_test
import work { door, find }
test fn mocks_answer() -> Bool { find(path: "/x", word: "a") == ["mocked"] && door("/x") == 1 }
"#;

fn project() -> Project {
    let project = Project::empty();
    project.write("hayward.toml", "[project]\nname = \"work\"\n");
    project.write("work.dag", MODEL);
    project.write("work_test.dag", TEST);
    project.write("data.txt", "one two\nthree\ntwo\n");
    project
}

/// An argument whose value is a text.
fn text(name: &str, value: impl std::fmt::Display) -> String {
    format!("{name}=\"{value}\"")
}

#[test]
fn mocks_answer_a_run_and_a_witness() {
    let project = project();
    project.untouched(|p| {
        p.run(&["test"]).done();
        let run = p.run(&["run", "find", "path=\"/x\"", "word=\"two\""]);
        assert_eq!(run.done().out, "[\"mocked\"]\n");
        let run = p.run(&["run", "--json", "work.door", "path=\"/x\""]);
        assert_eq!(run.done().out, "1\n");
        p.run(&["run", "stamp"]).refused(&[
            "error[E0820]",
            "`Tools.Stamp` has no `mock_response`",
            "nothing was done",
        ]);
    });
}

#[test]
fn the_host_answers_a_wet_run() {
    let project = project();
    let file = project.path("data.txt");
    let path = text("path", file.display());
    let run = project.run(&["run", "--mode", "wet", "find", &path, "word=\"two\""]);
    assert_eq!(run.done().out, "[\"one two\", \"two\"]\n");
    let run = project.run(&["run", "--mode", "wet", "find", &path, "word=\"none\""]);
    assert_eq!(run.done().out, "[]\n");
    // A status without a row is refused, with what the program said.
    project
        .run(&[
            "run",
            "--mode",
            "wet",
            "find",
            "path=\"/no/such\"",
            "word=\"a\"",
        ])
        .refused(&[
            "error[E0821]",
            "`Tools.Grep` ended with status 2",
            "/no/such",
        ]);
    let new = project.path("new.txt");
    let path = text("path", new.display());
    let run = project.run(&["run", "--mode", "wet", "door", &path]);
    assert_eq!(run.done().out, "5\n");
    assert_eq!(project.read("new.txt"), "text");
}

#[test]
fn a_recording_answers_without_the_host() {
    let project = project();
    let path = text("path", project.path("data.txt").display());
    let record = project.beside("run.jsonl");
    let record = record.display().to_string();
    let words = ["find", &path, "word=\"two\""];
    let mode = ["run", "--mode", "record", "--record", &record];
    project.run(&[&mode[..], &words].concat()).done();
    project
        .run(&[&mode[..], &words].concat())
        .failed(&["a recording is a new file"]);
    project.remove("data.txt");
    let replay = ["run", "--replay", &record];
    let run = project.run(&[&replay[..], &words].concat());
    assert_eq!(run.done().out, "[\"one two\", \"two\"]\n");
    project
        .run(&[&replay[..], &["find", &path, "word=\"three\""]].concat())
        .refused(&["error[E0820]", "has no reply to this request"]);
    // Killed while it wrote the second line.
    let bytes = std::fs::read(&record).unwrap();
    std::fs::write(&record, &bytes[..bytes.len() - 3]).unwrap();
    project
        .run(&[&replay[..], &words].concat())
        .refused(&["its last line is not whole", "has no reply to this request"]);
    std::fs::write(&record, "text\n").unwrap();
    project
        .run(&[&replay[..], &words].concat())
        .failed(&["is no recording"]);
}

#[test]
fn a_secret_is_shown_nowhere() {
    let project = project();
    let file = project.beside("secret");
    std::fs::write(&file, "correct horse battery\n").unwrap();
    let secret = format!("token={}", file.display());
    let record = project.beside("run.jsonl").display().to_string();
    let run = |words: &[&str]| {
        let run = project.run(words);
        assert!(!run.all().contains("horse"), "{}", run.all());
        run
    };
    let counted = run(&[
        "run",
        "--mode",
        "record",
        "--record",
        &record,
        "--secret",
        &secret,
        "count_secret",
    ]);
    assert_eq!(counted.done().out, "21\n");
    assert!(!std::fs::read_to_string(&record).unwrap().contains("horse"));
    run(&["run", "--mode", "wet", "--secret", &secret, "show_secret"])
        .refused(&["its standard output shows the secret `token`"]);
    // By its name, and without its text.
    run(&[
        "run",
        "--mode",
        "wet",
        "count_secret",
        "token=Secret { name: \"other\" }",
    ])
    .refused(&["the text of the secret `other` is not given"]);
    // What the arguments name is looked for before the first operation, data included.
    let file = project.beside("written").display().to_string();
    let path = format!("path=\"{file}\"");
    for token in [
        "token=Secret { name: \"other\" }",
        "token=OTHER",
        "token=if true { OTHER } else { OTHER }",
    ] {
        let record = project.beside("refused.jsonl");
        run(&[
            "run",
            "--mode",
            "record",
            "--record",
            &record.display().to_string(),
            "write_and_count",
            &path,
            token,
        ])
        .refused(&[
            "error[E0820]: the text of the secret `other` is not given",
            "= help: give it by a file: `--secret other=FILE`",
            "1 mistake: nothing was done",
        ]);
        assert!(!record.exists() && !project.beside("written").exists());
    }
    // A name that is worked out is refused by its operation.
    run(&[
        "run",
        "--mode",
        "wet",
        "write_and_count",
        &path,
        "token=named(\"other\")",
    ])
    .refused(&[
        "the text of the secret `other` is not given",
        "what it did before stays",
    ]);
    assert!(project.beside("written").exists());
    run(&["run", "--mode", "wet", "count_secret"]).refused(&["error[E0304]", "`token`"]);
    run(&["run", "--secret", &secret, "count_secret"]).failed(&["a hermetic run reads no secret"]);
    run(&["run", "--mode", "wet", "--secret", "token", "count_secret"]).failed(&["NAME=FILE"]);
}

#[test]
fn what_is_run_is_a_workflow_with_its_arguments() {
    let project = project();
    project.run(&["run", "nothing"]).failed(&[
        "there is no workflow `nothing`\n",
        "those there are: `count_secret`, `door`, `find`, `show_secret`, `stamp`, `write_and_count`",
    ]);
    project
        .run(&["run", "fnd"])
        .failed(&["there is no workflow `fnd`: did you mean `find`?"]);
    project.run(&["run", "piece"]).failed(&["is a pattern"]);
    project
        .run(&["run", "plain"])
        .failed(&["is no workflow", "hayward eval"]);
    project.run(&["run", "a=1"]).failed(&["give a workflow"]);
    // A clock counts no further; at once nothing ends.
    for deadline in ["0", "604801", "9223372036854775807", "18446744073709551615"] {
        project
            .run(&["run", "--mode", "wet", "--deadline", deadline, "find"])
            .failed(&["--deadline", "is not in 1..=604800"]);
    }
    project
        .run(&["run", "stamp", "a=1", "b"])
        .failed(&["is no `NAME=VALUE`"]);
    project
        .run(&["run", "find", "word=1", "word=2"])
        .failed(&["given twice"]);
    project
        .run(&["run", "--mode", "record", "stamp"])
        .failed(&["--record FILE"]);
    project
        .run(&["run", "--record", "x", "stamp"])
        .failed(&["is of `--mode record`"]);
    project
        .run(&["run", "--mode", "wet", "--replay", "x", "stamp"])
        .failed(&["answers a hermetic run"]);
    project.untouched(|p| {
        p.run(&["run", "find", "path=1", "word=\"a\""])
            .refused(&["error[E0301]", "expected String, found Int"]);
        p.run(&["run", "find", "path=\"/x\"", "word=\"A\""])
            .refused(&["error[E0309]"]);
        p.run(&["run", "find", "path=\"/x\""])
            .refused(&["error[E0304]", "`word`"]);
        // A value is an expression by itself: it cannot run into the rest.
        p.run(&["run", "find", "path=\"/x\", word: \"b\"", "word=\"a\""])
            .refused(&["error[E0101]", "<path>:1:5"]);
        p.run(&["run", "find", "path=\"/x\" // y", "word=\"a\""])
            .refused(&["error[E0106]"]);
        p.run(&["eval", "stamp()"])
            .refused(&["error[E0906]", "hayward run"]);
    });
    // Another root than the project.
    let elsewhere = project.path("work.dag").display().to_string();
    project
        .run(&["run", &elsewhere, "door", "path=\"/x\""])
        .done();
}

#[test]
fn a_value_that_is_no_expression_is_told_how_it_is_written() {
    let project = project();
    let word = r#"word="a""#;
    for (path, cure) in [
        (
            "path=root",
            r#"written `path="root"`, for a shell 'path="root"'"#,
        ),
        ("path=/etc", r#"for a shell 'path="/etc"'"#),
        ("path=it's a", r#"for a shell 'path="it'\''s a"'"#),
        ("path=1", r#"for a shell 'path="1"'"#),
    ] {
        project.run(&["run", "find", path, word]).refused(&[cure]);
    }
    // A text that its type does not take is written well.
    let run = project.run(&["run", "find", r#"path="/x""#, r#"word="A""#]);
    let run = run.refused(&["error[E0309]"]);
    assert!(!run.err.contains("a text is written"), "{}", run.all());

    let by_file = "a secret is given by a file: `--secret token=FILE`";
    let wet = ["run", "--mode", "wet", "count_secret"];
    project.run(&wet).refused(&["error[E0304]", by_file]);
    for value in [r#"token="x""#, "token=x", "token=/x"] {
        project
            .run(&[&wet[..], &[value]].concat())
            .refused(&[by_file]);
    }
    // Which a hermetic run would refuse.
    let by_name = r#"'token=Secret { name: "token" }'"#;
    project.run(&["run", "count_secret"]).refused(&[by_name]);
    let named = by_name.trim_matches('\'');
    project
        .run(&["run", "count_secret", named])
        .refused(&["error[E0820]"]);
}

#[test]
fn an_operation_that_is_not_there_is_told_from_one_that_runs_no_program() {
    let project = project();
    let all = "those that run a program: `Tools.Count`, `Tools.Grep`, `Tools.Show`, `Tools.Stamp`";
    for (name, said) in [
        ("Nope", "no operation `Nope`\n"),
        ("Tool", "no operation `Tool`: did you mean `Tools`?"),
        ("Stamp", "no operation `Stamp`: did you mean `Tools.Stamp`?"),
        (
            "Tools.Stmp",
            "no operation `Tools.Stmp`: did you mean `Tools.Stamp`?",
        ),
    ] {
        project
            .run(&["sudoers", "--only", name])
            .failed(&[said, all]);
    }
    // One that is there does not hide another that is not.
    project
        .run(&["sudoers", "--only", "Tools.Stamp", "--only", "Nope"])
        .failed(&["no operation `Nope`"]);
    project
        .run(&["sudoers", "--only", "Tools.Write"])
        .failed(&["`Tools.Write` runs no program"]);
    project
        .run(&["sudoers", "--only", "systemd.Control"])
        .failed(&["is of the built-in library: add `--library`"]);
    // The last part of a service's name.
    project
        .run(&["sudoers", "--library", "--only", "Control"])
        .failed(&["did you mean `systemd.Control`?"]);
}

#[test]
fn a_line_of_sudoers_is_written_for_each_operation() {
    let project = project();
    let refused = project.run(&["sudoers"]).refused(&[
        "error[E0822]",
        "no line of sudoers for `Tools.Grep`: its input `path` can be any text",
    ]);
    // It does nothing in any case.
    assert!(refused.err.ends_with("\n1 mistake\n"), "{}", refused.all());
    let refused = project.run(&["eval", "1 / 0"]).refused(&["error[E0802]"]);
    assert!(refused.err.ends_with("\n1 mistake\n"), "{}", refused.all());
    let run = project.run(&[
        "sudoers",
        "--only",
        "Tools.Stamp",
        "--user",
        "%ci",
        "--host",
        "h",
    ]);
    assert_eq!(
        run.done().out,
        "# work.Tools.Stamp\n%ci h=(root) NOPASSWD: /usr/bin/printf ^%s ([a-z]+)$\n"
    );
    // With the module in front; and without it, if one module alone declares it.
    let only = |name: &str| project.run(&["sudoers", "--only", name]);
    assert_eq!(
        only("work.Tools.Count").done().out,
        only("Tools.Count").done().out
    );
    only("work").failed(&["no operation `work`"]);
    project.write(
        "other.dag",
        "module other\nservice Tools {\n  operation Count()\n  transport shell { argv: \
         [\"/usr/bin/wc\", \"-l\"] }\n}\n",
    );
    for name in ["Tools", "Tools.Count"] {
        only(name).failed(&[&format!(
            "several modules declare `{name}`: write one of `other.{name}`, `work.{name}`"
        )]);
    }
    for name in ["other.Tools", "other.Tools.Count"] {
        let out = only(name).done().out;
        assert!(out.starts_with("# other.Tools.Count\n"), "{out}");
        assert_eq!(out.lines().count(), 2);
    }
    project.remove("other.dag");
    let run = project.run(&["sudoers", "--only", "Tools.Count", "--json"]);
    let out = run.done().out;
    assert!(
        out.contains("\"/usr/bin/wc -c\"") && out.contains("\"module\": \"work\""),
        "{out}"
    );
    project
        .run(&["sudoers", "--user", "a b"])
        .failed(&["is no name"]);
    for (option, name, why) in [
        ("--user", "ALL", "everybody"),
        ("--user", "%ALL", "everybody"),
        ("--user", "ADMINS", "an alias"),
        ("--host", "BUILDERS", "an alias"),
        ("--user", "Defaults", "another kind of line"),
        ("--host", "%h", "`%` before it is of a group"),
        ("--user", "#0", "it has letters"),
    ] {
        let words = ["sudoers", "--only", "Tools.Count", option, name];
        project.run(&words).failed(&["is no name", why]);
    }
    let library = ["sudoers", "--library", "--only", "systemd.Control"];
    project
        .run(&library)
        .done()
        .says(&["NOPASSWD: /usr/bin/systemctl ^show --no-pager"]);
}

/// Waits for what must come about soon; a minute is the end of patience, and no measure.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !holds() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn lives(pid: &str) -> bool {
    match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => !stat.rsplit_once(')').unwrap().1.starts_with(" Z"),
        Err(_) => false,
    }
}

const LONG: &str = r#"module long
service Tools {
  operation Wait {
    input { file: String }
    output { text: String from "stdout" }
    transport shell { argv: ["/bin/sh", "-c", SCRIPT, "--", file] }
  }
}
func wait(file: String) -> String { Tools.Wait(file).text }
"#;

/// A run of a program that would go on for long, with a child in a session of its own; and the
/// numbers of both, once both are there.
fn long(script: &str) -> (Project, Child, Vec<String>) {
    let project = Project::empty();
    let model = LONG.replace("SCRIPT", &format!("{script:?}"));
    project.write("long.dag", model);
    let file = project.beside("pids");
    let mut run = Command::new(HAYWARD);
    run.args([
        "run",
        "--mode",
        "wet",
        ".",
        "wait",
        &text("file", file.display()),
    ]);
    run.current_dir(project.root()).env("HAYWARD_STORE", "off");
    let run = run.stdin(Stdio::null()).stderr(Stdio::piped()).spawn();
    let read = || std::fs::read_to_string(&file).unwrap_or_default();
    until("the program writes two numbers", || {
        read().lines().count() == 2
    });
    let pids: Vec<String> = read().lines().map(str::to_owned).collect();
    for pid in &pids {
        assert!(lives(pid), "{pid}");
    }
    (project, run.unwrap(), pids)
}

const DETACHED: &str = "setsid sh -c 'echo $$ >> $0; sleep 1000; :' $1 & echo $$ >> $1; wait";

pub(crate) fn send(signal: &str, to: u32) {
    let sent = Command::new("kill")
        .args([signal, &to.to_string()])
        .status();
    assert!(sent.unwrap().success());
}

#[test]
fn a_signal_ends_the_program_before_hayward_ends() {
    for (signal, code) in [("-HUP", 129), ("-INT", 130), ("-TERM", 143)] {
        let (_project, mut run, pids) = long(DETACHED);
        send(signal, run.id());
        assert_eq!(run.wait().unwrap().code(), Some(code));
        for pid in &pids {
            assert!(!lives(pid), "{pid} after {signal}");
        }
        let mut said = String::new();
        run.stderr.unwrap().read_to_string(&mut said).unwrap();
        let told = format!("told to end by signal {}", code - 128);
        assert!(said.contains(&told), "{said}");
        assert!(said.contains("what it did before stays"), "{said}");
    }
}

#[test]
fn a_program_does_not_outlive_a_hayward_that_is_killed() {
    let (_project, mut run, pids) = long(DETACHED);
    send("-KILL", run.id());
    assert_eq!(run.wait().unwrap().code(), None);
    until("both end", || !pids.iter().any(|pid| lives(pid)));
}

#[test]
fn a_program_that_stopped_its_keeper_does_not_outlive_hayward() {
    let stopped = DETACHED.replace(
        "echo $$ >> $1; wait",
        "kill -STOP $PPID; echo $$ >> $1; wait",
    );
    for (signal, code) in [("-TERM", Some(143)), ("-KILL", None)] {
        let (_project, mut run, pids) = long(&stopped);
        send(signal, run.id());
        assert_eq!(run.wait().unwrap().code(), code);
        until("both end", || !pids.iter().any(|pid| lives(pid)));
    }
}

#[test]
fn a_program_that_will_not_end_is_killed() {
    let (_project, mut run, pids) = long(&format!("trap '' TERM; {DETACHED}"));
    send("-TERM", run.id());
    assert_eq!(run.wait().unwrap().code(), Some(143));
    for pid in &pids {
        assert!(!lives(pid), "{pid}");
    }
}

#[test]
fn a_signal_that_is_ignored_stays_ignored() {
    // The program sends it to the parent of its keeper, which is Hayward below nohup(1).
    let project = Project::empty();
    let parent = "kill -HUP $(awk '/^PPid/ { print $2 }' /proc/$PPID/status); echo on";
    project.write("long.dag", LONG.replace("SCRIPT", &format!("{parent:?}")));
    let run = |before: &str| {
        let mut run = crate::common::command("sh");
        let script = format!("{before} exec {HAYWARD} run --mode wet . wait 'file=\"\"'");
        run.args(["-c", &script]).current_dir(project.root());
        run.output().unwrap()
    };
    let output = run("trap '' HUP;");
    assert_eq!(output.stdout, b"on\n", "{output:?}");
    assert_eq!(run("").status.code(), Some(129));
    // All of them: nobody asks for the end of a program that takes longer than the two seconds
    // which one is left to tidy up.
    let takes_longer = format!("{:?}", "sleep 3; echo on");
    project.write("long.dag", LONG.replace("SCRIPT", &takes_longer));
    let output = run("trap '' HUP INT TERM;");
    assert_eq!(output.stdout, b"on\n", "{output:?}");
}
