//! Recordings: what was kept is what is answered, and what is not whole is not
//! believed.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

#[path = "keeper/wet.rs"]
mod keeper;

use dag_analysis::operation::{Promises, Verb};
use dag_eval::{Answer, Ask, Operations, Reply, Request, Stdin};
use expect_test::expect;
use hayward_operations::{Limits, Recorder, Replay, Secrets};
use keeper::wet;
use std::path::Path;

fn run(argv: &[&str], stdin: Stdin) -> Request {
    Request {
        operation: "S.Op".into(),
        promises: Promises::default(),
        ask: Ask::Run {
            argv: argv.iter().map(|w| (*w).to_owned()).collect(),
            stdin,
        },
    }
}

fn file(verb: Verb, path: &Path, content: &str) -> Request {
    Request {
        operation: "F.Op".into(),
        promises: Promises::default(),
        ask: Ask::File {
            verb,
            path: path.display().to_string(),
            content: content.to_owned(),
        },
    }
}

fn refused(answer: Answer) -> String {
    match answer {
        Answer::Refused(why) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_recording_answers_as_the_host_did() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let at = |name: &str| folder.path().join(name);
    let requests = [
        run(&["/bin/echo", "a"], Stdin::Empty),
        run(&["/usr/bin/printf", "\\377"], Stdin::Empty),
        run(&["/bin/sh", "-c", "echo e >&2; exit 3"], Stdin::Empty),
        run(&["/usr/bin/wc", "-c"], Stdin::Text("not kept".into())),
        file(Verb::Read, &at("f"), ""),
        file(Verb::Write, &at("f"), "written"),
        file(Verb::Read, &at("f"), ""),
        file(Verb::List, &at("none"), ""),
    ];
    let recorder = Recorder::begin(&path, wet(Limits::default(), Secrets::default())).unwrap();
    let answers: Vec<Answer> = requests.iter().map(|r| recorder.perform(r)).collect();
    assert!(answers.iter().all(|a| matches!(a, Answer::Reply(_))));
    // The same request twice: each reply in its turn.
    assert_ne!(answers[4], answers[6]);

    std::fs::remove_file(at("f")).unwrap();
    let replay = Replay::read(&path).unwrap();
    assert!(!replay.is_torn());
    let replayed: Vec<Answer> = requests.iter().map(|r| replay.perform(r)).collect();
    assert_eq!(replayed, answers);
    assert!(!at("f").exists());

    let again = refused(replay.perform(&requests[0]));
    assert!(
        again.ends_with("run.jsonl has no further reply to this request"),
        "{again}"
    );
    let other = refused(replay.perform(&run(&["/bin/echo", "b"], Stdin::Empty)));
    assert!(
        other.ends_with(r#"run.jsonl has no reply to this request: ["/bin/echo","b"]"#),
        "{other}"
    );
    // The input is part of the request, and is not in the file.
    let other = replay.perform(&run(&["/usr/bin/wc", "-c"], Stdin::Text("other".into())));
    assert!(refused(other).contains("no reply"));
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("not kept") && !text.contains("\"written\"]"));
}

#[test]
fn a_secret_is_in_no_recording() {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("secret");
    std::fs::write(&secret, "correct horse battery").unwrap();
    let mut secrets = Secrets::default();
    secrets.read("token", &secret).unwrap();
    let path = folder.path().join("run.jsonl");
    let recorder = Recorder::begin(&path, wet(Limits::default(), secrets)).unwrap();
    let by_name = |argv: &[&str]| run(argv, Stdin::Secret("token".into()));
    let kept = recorder.perform(&by_name(&["/usr/bin/wc", "-c"]));
    assert!(matches!(kept, Answer::Reply(_)));
    refused(recorder.perform(&by_name(&["/bin/cat"])));
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("horse"), "{text}");
    assert_eq!(text.lines().count(), 2);
    // Asked by name again, without its text.
    let replay = Replay::read(&path).unwrap();
    assert_eq!(replay.perform(&by_name(&["/usr/bin/wc", "-c"])), kept);
}

#[test]
fn a_line_that_is_not_whole_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let recorder = Recorder::begin(&path, wet(Limits::default(), Secrets::default())).unwrap();
    let (a, b) = (
        run(&["/bin/echo", "a"], Stdin::Empty),
        run(&["/bin/echo", "b"], Stdin::Empty),
    );
    recorder.perform(&a);
    let whole = std::fs::read(&path).unwrap().len();
    recorder.perform(&b);
    let bytes = std::fs::read(&path).unwrap();
    // Killed at every byte of the last line.
    for end in whole..=bytes.len() {
        std::fs::write(&path, &bytes[..end]).unwrap();
        let replay = Replay::read(&path).unwrap();
        assert_eq!(replay.is_torn(), end > whole && end < bytes.len(), "{end}");
        assert!(matches!(replay.perform(&a), Answer::Reply(_)));
        let second = replay.perform(&b);
        assert_eq!(matches!(second, Answer::Reply(_)), end == bytes.len());
    }
}

#[test]
fn what_is_no_recording_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let why = |result: Result<Replay, hayward_operations::RecordingError>| {
        let shown = result.unwrap_err().to_string();
        shown.replace(&folder.path().display().to_string(), "")
    };
    expect!["/run.jsonl cannot be read: No such file or directory (os error 2)"]
        .assert_eq(&why(Replay::read(&path)));
    std::fs::write(&path, "").unwrap();
    expect![[r#"/run.jsonl is no recording: its first line is not {"hayward_recording":1}"#]]
        .assert_eq(&why(Replay::read(&path)));
    drop(std::fs::remove_file(&path));
    Recorder::begin(&path, wet(Limits::default(), Secrets::default()))
        .unwrap()
        .perform(&run(&["/bin/echo", "a"], Stdin::Empty));
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("\"digest\"", "\"dig\"")).unwrap();
    expect!["/run.jsonl:2 is no line of a recording: unknown field `dig`, expected one of `operation`, `digest`, `asked`, `reply` at line 1 column 25"].assert_eq(&why(Replay::read(&path)));
    // A reply that no request to this program has, and one that no server gives.
    let (front, _) = text.split_once("\"reply\":").unwrap();
    let with =
        |reply: &str| std::fs::write(&path, format!("{front}\"reply\":{reply}}}\n")).unwrap();
    let echo = run(&["/bin/echo", "a"], Stdin::Empty);
    for kept in [
        r#"{"written":{"Ok":1}}"#,
        r#"{"entries":{"Ok":[]}}"#,
        r#"{"content":{"Err":"x"}}"#,
        r#"{"http":{"status":200,"headers":[],"body":{"text":""}}}"#,
    ] {
        with(kept);
        let why = refused(Replay::read(&path).unwrap().perform(&echo));
        expect!["/run.jsonl:2 has a reply to another kind of operation: the line was edited. Record the run again"]
            .assert_eq(&why.replace(&folder.path().display().to_string(), ""));
    }
    for status in ["0", "99", "600", "65535"] {
        with(&format!(
            r#"{{"http":{{"status":{status},"headers":[],"body":{{"text":""}}}}}}"#
        ));
        let why = why(Replay::read(&path));
        let told =
            format!("/run.jsonl:2 is no line of a recording: its answer has the status {status},");
        assert!(why.starts_with(&told), "{why}");
    }
    std::fs::write(&path, format!("{text}\n{text}")).unwrap();
    expect!["/run.jsonl:3 is no line of a recording: EOF while parsing a value at line 1 column 0"]
        .assert_eq(&why(Replay::read(&path)));
    // A recording is of one run: it is not written over.
    let again = Recorder::begin(&path, wet(Limits::default(), Secrets::default()))
        .unwrap_err()
        .to_string();
    expect!["/run.jsonl cannot be begun: File exists (os error 17); a recording is a new file"]
        .assert_eq(&again.replace(&folder.path().display().to_string(), ""));
}

#[test]
fn a_hermetic_operation_replies_as_often_as_it_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let mut request = run(&["/bin/echo", "a"], Stdin::Empty);
    request.promises = Promises {
        readonly: true,
        idempotent: true,
        hermetic: true,
    };
    Recorder::begin(&path, wet(Limits::default(), Secrets::default()))
        .unwrap()
        .perform(&request);
    let replay = Replay::read(&path).unwrap();
    for _ in 0..3 {
        assert!(matches!(
            replay.perform(&request),
            Answer::Reply(Reply::Exit { status: 0, .. })
        ));
    }
}

#[test]
fn a_line_that_shows_another_request_than_its_digest_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let request = run(&["/bin/echo", "a"], Stdin::Empty);
    let recorder = Recorder::begin(&path, wet(Limits::default(), Secrets::default())).unwrap();
    recorder.perform(&run(&["/bin/echo", "b"], Stdin::Empty));
    let first = recorder.perform(&request);
    recorder.perform(&request);
    let whole = std::fs::read_to_string(&path).unwrap();
    // Only the first of two replies to the same request is edited.
    let edited = |from: &str, to: &str| {
        let mut lines: Vec<String> = whole.lines().map(str::to_owned).collect();
        assert!(lines[2].contains(from));
        lines[2] = lines[2].replacen(from, to, 1);
        std::fs::write(&path, lines.join("\n") + "\n").unwrap();
        Replay::read(&path).unwrap()
    };
    let why = |replay: &Replay, request: &Request| {
        refused(replay.perform(request)).replace(&folder.path().display().to_string(), "")
    };

    let replay = edited("\"S.Op\"", "\"S.Other\"");
    expect!["/run.jsonl:3 says S.Other, and its digest is that of S.Op: the line was edited, and answers neither. Record the run again"].assert_eq(&why(&replay, &request));
    // The second reply does not take the turn of the first.
    let again = why(&replay, &request);
    assert_eq!(again, why(&replay, &request));
    let other = Request {
        operation: "S.Other".into(),
        ..request.clone()
    };
    expect![[r#"/run.jsonl has no reply to this request: ["/bin/echo","a"]"#]]
        .assert_eq(&why(&replay, &other));
    // The other lines answer as ever.
    let replied = replay.perform(&run(&["/bin/echo", "b"], Stdin::Empty));
    assert!(matches!(replied, Answer::Reply(_)));

    let replay = edited("/bin/echo", "/bin/true");
    expect![[r#"/run.jsonl:3 says ["/bin/true","a"], and its digest is that of ["/bin/echo","a"]: the line was edited, and answers neither. Record the run again"#]].assert_eq(&why(&replay, &request));

    // As it was written, it answers.
    std::fs::write(&path, &whole).unwrap();
    let replay = Replay::read(&path).unwrap();
    assert_eq!(replay.perform(&request), first);
    assert!(matches!(replay.perform(&request), Answer::Reply(_)));
}

#[test]
fn a_reply_that_cannot_be_kept_is_refused() {
    // A full disk: every write to /dev/full fails, and it cannot be begun either.
    let path = Path::new("/dev/full");
    let begun = Recorder::begin(path, wet(Limits::default(), Secrets::default()));
    assert!(begun.is_err());
}
