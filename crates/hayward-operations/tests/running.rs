//! Programs that are run, with every fault that a host can answer with, and
//! arguments that a shell would read. Files beside them.
#![allow(clippy::unwrap_used, clippy::panic)] // helpers of tests

#[path = "keeper/wet.rs"]
mod keeper;

use dag_analysis::operation::{Promises, Verb};
use dag_eval::{Answer, Ask, Operations, Reply, Request, Stdin};
use expect_test::{Expect, expect};
use hayward_operations::{Keeper, Limits, Secrets, Wet};
use keeper::wet;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

fn request(ask: Ask) -> Request {
    Request {
        operation: "S.Op".into(),
        promises: Promises::default(),
        ask,
    }
}

fn run_with(wet: &Wet, argv: &[&str], stdin: Stdin) -> Answer {
    wet.perform(&request(Ask::Run {
        argv: argv.iter().map(|w| (*w).to_owned()).collect(),
        stdin,
    }))
}

fn run(argv: &[&str]) -> Answer {
    run_with(
        &wet(Limits::default(), Secrets::default()),
        argv,
        Stdin::Empty,
    )
}

/// What a program that ends well writes.
fn output(answer: Answer) -> Vec<u8> {
    match answer {
        Answer::Reply(Reply::Exit {
            status: 0, stdout, ..
        }) => stdout,
        other => panic!("{other:?}"),
    }
}

fn refused(answer: Answer, expected: Expect) {
    match answer {
        Answer::Refused(why) => expected.assert_eq(&why),
        other => panic!("{other:?}"),
    }
}

#[test]
fn no_shell_reads_an_argument() {
    let folder = tempfile::tempdir().unwrap();
    let mark = folder.path().join("mark");
    let mark = mark.display();
    let hostile = [
        format!("; touch {mark}"),
        format!("$(touch {mark})"),
        format!("`touch {mark}`"),
        format!("a && touch {mark} || touch {mark}"),
        format!("| touch {mark}"),
        format!("> {mark}"),
        format!("\n touch {mark}\n"),
        format!("' ; touch {mark} ; '"),
        format!("\" ; touch {mark} ; \""),
        "$HOME ~ * ? [a-z] {a,b} !! \\ \t".to_owned(),
        String::new(),
        "é\u{1}\u{7f}".to_owned(),
    ];
    // Each word comes back as it was given, ended by a NUL.
    let mut argv = vec!["/usr/bin/printf", "%s\\0"];
    argv.extend(hostile.iter().map(String::as_str));
    let mut expected = Vec::new();
    for word in &hostile {
        expected.extend(word.as_bytes());
        expected.push(0);
    }
    assert_eq!(output(run(&argv)), expected);
    assert!(!Path::new(&mark.to_string()).exists());
}

#[test]
fn a_leading_dash_is_a_word_as_any() {
    // Whether a program reads it as an option is its own affair: `--` before the
    // input is the author's part.
    assert_eq!(output(run(&["/usr/bin/printf", "--", "-n"])), b"-n");
    assert_eq!(output(run(&["/bin/echo", "-n"])), b"");
}

#[test]
fn the_surroundings_are_clean() {
    let environment = String::from_utf8(output(run(&["/usr/bin/env"]))).unwrap();
    let known = [
        "PATH",
        "LANG",
        "LC_ALL",
        "TZ",
        "HOME",
        "USER",
        "LOGNAME",
        "XDG_RUNTIME_DIR",
    ];
    for line in environment.lines() {
        let (name, _) = line.split_once('=').unwrap();
        assert!(known.contains(&name), "{line}");
    }
    assert!(environment.contains("LC_ALL=C.UTF-8\n"));
    assert_eq!(output(run(&["/bin/pwd"])), b"/\n");
    // Cargo sets this one for its tests.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
}

#[test]
fn a_status_is_given_as_it_is() {
    let Answer::Reply(Reply::Exit {
        status,
        stdout,
        stderr,
    }) = run(&["/bin/sh", "-c", "echo out; echo err >&2; exit 7"])
    else {
        panic!()
    };
    assert_eq!((status, stdout.as_slice()), (7, b"out\n".as_slice()));
    assert_eq!(stderr, b"err\n");
    // Bytes stay bytes: whether they must be text is the reader's affair.
    assert_eq!(output(run(&["/usr/bin/printf", "\\377"])), [0xff]);
}

#[test]
fn a_program_that_cannot_be_run_is_refused() {
    refused(
        run(&["no-such-tool"]),
        expect![
            "there is no program `no-such-tool` in /usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        ],
    );
    refused(
        run(&["/no/such/tool"]),
        expect!["`/no/such/tool` cannot be started: No such file or directory (os error 2)"],
    );
    refused(
        run(&["bin/ls"]),
        expect!["`bin/ls` is no absolute path: which program it is would depend on the folder"],
    );
    refused(
        run(&["/etc"]),
        expect!["`/etc` cannot be started: Permission denied (os error 13)"],
    );
    assert_eq!(output(run(&["true"])), b"");
}

#[test]
fn an_argv_over_the_limits_of_the_host_is_refused() {
    let word = "x".repeat(128 << 10);
    refused(
        run(&["/bin/true", &word]),
        expect!["a word of its argv has 131072 bytes, and this host takes 131071 (execve(2))"],
    );
    let word = "x".repeat((128 << 10) - 1);
    assert_eq!(output(run(&["/bin/true", &word])), b"");
    let mut argv = vec!["/bin/true"];
    argv.extend(std::iter::repeat_n(word.as_str(), 60));
    refused(
        run(&argv),
        expect!["its argv has 7864330 bytes, more than this host takes (execve(2))"],
    );
}

#[test]
fn a_killed_program_is_refused() {
    refused(
        run(&["/bin/sh", "-c", "kill -9 $$"]),
        expect!["it was killed by signal 9"],
    );
}

/// Whether a process is no more, or waits to be reaped by whoever has it.
fn is_dead(pid: &str) -> bool {
    match std::fs::read_to_string(format!("/proc/{pid}/stat")) {
        Ok(stat) => stat.rsplit_once(')').unwrap().1.starts_with(" Z"),
        Err(_) => true,
    }
}

/// A short deadline, and a file for a program to write numbers of processes to.
fn short() -> (Wet, tempfile::TempDir, String) {
    let limits = Limits {
        deadline: Duration::from_secs(2),
        ..Limits::default()
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("pids").display().to_string();
    (wet(limits, Secrets::default()), folder, file)
}

#[test]
fn past_the_deadline_nothing_of_a_program_goes_on() {
    let (wet, _folder, pids) = short();
    // Itself, a child, one in a session of its own, and one that left its parent and refuses
    // to be asked.
    let stubborn = r#"trap "" TERM HUP; (sh -c "echo \$\$ >> FILE; sleep 1000; :" &)"#;
    let script = format!(
        "sleep 1000 & echo $! $$ >> FILE
         setsid sh -c 'echo $$ >> FILE; sleep 1000; :' &
         setsid sh -c '{stubborn}' &
         wait"
    );
    let script = script.replace("FILE", &pids);
    refused(
        run_with(&wet, &["/bin/sh", "-c", &script], Stdin::Empty),
        expect!["it did not end within 2 s; it was killed"],
    );
    let pids = std::fs::read_to_string(&pids).unwrap();
    assert_eq!(pids.split_whitespace().count(), 4, "{pids}");
    for pid in pids.split_whitespace() {
        assert!(is_dead(pid), "{pid} of {pids}");
    }
}

#[test]
fn a_program_may_tidy_up_at_the_deadline() {
    let (wet, _folder, file) = short();
    let script = format!("trap 'echo tidy > {file}; exit' TERM; sleep 1000 & wait");
    refused(
        run_with(&wet, &["/bin/sh", "-c", &script], Stdin::Empty),
        expect!["it did not end within 2 s; it was killed"],
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "tidy\n");
}

#[test]
fn an_operation_ends_with_its_program() {
    // What is left in its session is killed, and does not keep the outputs open.
    let script = "sleep 1000 & echo $!";
    let left = String::from_utf8(output(run(&["/bin/sh", "-c", script]))).unwrap();
    assert!(is_dead(left.trim()), "{left}");
}

#[test]
fn what_a_program_detached_outlives_its_end() {
    // As a daemon that it started, which must be in its session before the program ends.
    let (wet, _folder, file) = short();
    let script = "setsid sh -c 'echo $$ > FILE; exec sleep 1000' & until [ -s FILE ]; do :; done";
    let script = script.replace("FILE", &file);
    output(run_with(&wet, &["/bin/sh", "-c", &script], Stdin::Empty));
    let left = std::fs::read_to_string(&file).unwrap();
    assert!(!is_dead(left.trim()), "{left}");
    let killed = std::process::Command::new("kill").arg(left.trim()).status();
    assert!(killed.unwrap().success());
}

#[test]
fn a_program_without_its_keeper_is_no_outcome() {
    let (wet, _folder, file) = short();
    let script = format!("sleep 1000 & echo $! $$ > {file}; kill -9 $PPID; wait");
    refused(
        run_with(&wet, &["/bin/sh", "-c", &script], Stdin::Empty),
        expect!["its keeper was killed; what it put into a session of its own may go on"],
    );
    let pids = std::fs::read_to_string(&file).unwrap();
    for pid in pids.split_whitespace() {
        assert!(is_dead(pid), "{pid} of {pids}");
    }
}

#[test]
fn a_program_that_stops_its_keeper_is_ended() {
    // Once, and again and again: the keeper does its work in between, or Hayward does it.
    for stops in [
        "kill -STOP $PPID",
        "trap '' TERM; sh -c 'trap \"\" TERM; while :; do kill -STOP '$PPID'; done' &",
    ] {
        let (wet, _folder, file) = short();
        let script = format!(
            "setsid sh -c 'echo $$ >> {file}; sleep 1000; :' &
             echo $$ >> {file}; until [ $(wc -l < {file}) = 2 ]; do :; done
             {stops}
             sleep 1000 & echo $! >> {file}; wait"
        );
        refused(
            run_with(&wet, &["/bin/sh", "-c", &script], Stdin::Empty),
            expect!["it did not end within 2 s; it was killed"],
        );
        let pids = std::fs::read_to_string(&file).unwrap();
        assert_eq!(pids.lines().count(), 3, "{pids}");
        for pid in pids.lines() {
            assert!(is_dead(pid), "{pid} of {pids}");
        }
    }
}

#[test]
fn the_work_of_a_keeper_that_does_not_answer_is_done() {
    let (_, folder, file) = short();
    let keeper = folder.path().join("keeper");
    let script = format!(
        "#!/bin/sh
         setsid sh -c 'echo $$ >> {file}; sleep 1000; :' &
         sleep 1000 & echo $! $$ >> {file}; wait"
    );
    std::fs::write(&keeper, script).unwrap();
    std::fs::set_permissions(&keeper, std::fs::Permissions::from_mode(0o755)).unwrap();
    let limits = Limits {
        deadline: Duration::from_secs(2),
        ..Limits::default()
    };
    let wet = Wet::new(limits, Secrets::default()).kept_by(Keeper::at(keeper));
    refused(
        run_with(&wet, &["/bin/true"], Stdin::Empty),
        expect!["it did not end within 2 s; it was killed"],
    );
    let pids = std::fs::read_to_string(&file).unwrap();
    assert_eq!(pids.split_whitespace().count(), 3, "{pids}");
    for pid in pids.split_whitespace() {
        assert!(is_dead(pid), "{pid} of {pids}");
    }
}

#[test]
fn too_much_output_is_refused() {
    let limits = Limits {
        output: 100_000,
        ..Limits::default()
    };
    let wet = wet(limits, Secrets::default());
    let run = |argv: &[&str]| run_with(&wet, argv, Stdin::Empty);
    refused(
        run(&["/usr/bin/yes"]),
        expect!["its standard output has more than 100000 bytes; it was killed"],
    );
    refused(
        run(&["/bin/sh", "-c", "yes >&2"]),
        expect!["its standard error has more than 100000 bytes; it was killed"],
    );
    let enough = output(run(&["/usr/bin/head", "-c", "100000", "/dev/zero"]));
    assert_eq!(enough.len(), 100_000);
}

#[test]
fn standard_input_and_output_do_not_wait_for_each_other() {
    let text = "0123456789abcdef".repeat(100_000);
    let wet = wet(Limits::default(), Secrets::default());
    let through = run_with(&wet, &["/bin/cat"], Stdin::Text(text.clone()));
    assert_eq!(output(through), text.as_bytes());
    // A program may leave what it is given.
    let left = run_with(&wet, &["/bin/true"], Stdin::Text(text));
    assert_eq!(output(left), b"");
    assert_eq!(output(run(&["/bin/cat"])), b"");
}

const TEXT: &str = "correct horse battery";

fn with_secret() -> Wet {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secret");
    std::fs::write(&file, format!("{TEXT}\n")).unwrap();
    let mut secrets = Secrets::default();
    secrets.read("token", &file).unwrap();
    assert!(!format!("{secrets:?}").contains(TEXT));
    wet(Limits::default(), secrets)
}

#[test]
fn a_secret_reaches_its_reader_and_nobody_else() {
    let wet = with_secret();
    let secret = |argv: &[&str]| run_with(&wet, argv, Stdin::Secret("token".into()));
    assert_eq!(output(secret(&["/usr/bin/wc", "-c"])), b"21\n");
    for argv in [
        vec!["/bin/cat"],
        vec!["/bin/sh", "-c", "cat >&2"],
        vec!["/bin/sh", "-c", "cat; exit 3"],
        vec!["/bin/echo", TEXT],
    ] {
        match secret(&argv) {
            Answer::Refused(why) => {
                assert!(why.contains("shows the secret `token`"), "{why}");
                assert!(!why.contains(TEXT));
            }
            other => panic!("{other:?}"),
        }
    }
    refused(
        run_with(&wet, &["/bin/cat"], Stdin::Secret("other".into())),
        expect!["the text of the secret `other` is not given: `--secret other=FILE`"],
    );
}

/// A key as it comes in a file: lines, and one of them blank.
const KEY: &str = "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq/hkiG9w0\n\nBAQEFAASC\"BKcwg+gSj\nshort\n-----END PRIVATE KEY-----";

#[test]
fn every_spelling_of_a_secret_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secret");
    std::fs::write(&file, format!("{KEY}\n\n")).unwrap();
    let mut secrets = Secrets::default();
    secrets.read("key", &file).unwrap();
    let wet = wet(Limits::default(), secrets);
    let show = |script: &str| {
        let argv = ["/usr/bin/python3", "-c", script];
        run_with(&wet, &argv, Stdin::Secret("key".into()))
    };
    let shown = [
        "print(t.strip())",
        "print(t.replace('\\n', '\\r\\n'))",
        "print('key is', t.splitlines()[1], 'as you see')",
        "print(t.splitlines()[3].strip())",
        "print(json.dumps(t))",
        "print(json.dumps({'k': t.splitlines()[3]}).replace('/', r'\\/'))",
        "print(''.join('\\\\u%04x' % ord(c) for c in t))",
        "print(''.join('\\\\x%02X' % ord(c) for c in t))",
        "print(''.join('\\\\%03o' % b for b in t.encode()))",
        "print(urllib.parse.quote(t, safe=''))",
        "print(urllib.parse.quote_plus(t.replace('\\n', ' \\n').strip()))",
        "print(urllib.parse.quote(t).replace('%2B', '%2b').replace('%22', '\"'))",
        "print(base64.b64encode(t.encode()).decode())",
        "print(base64.b64encode(t.strip().encode()).decode())",
        "print(base64.b64encode(b'x' + t.encode()).decode())",
        "print(base64.urlsafe_b64encode(b'me:' + t.encode() + b'!').decode())",
        "print(base64.urlsafe_b64encode(b'us:' + b'x' + t.encode()).decode())",
        "print(base64.encodebytes(t.encode()).decode())",
        "print(t.encode().hex())",
        "print(t.encode().hex(':').upper())",
        // In a string of JSON, which is read without its escapes.
        "print(json.dumps(base64.encodebytes(b'before' * 9 + t.encode()).decode()))",
        "print(json.dumps(base64.b64encode(t.encode()).decode()).replace('/', r'\\/'))",
        "print(json.dumps(t.encode().hex('\\n')))",
        "print(json.dumps(urllib.parse.quote(t, safe='')).replace('%', r'\\u0025'))",
    ];
    for script in shown {
        let script =
            format!("import sys, json, base64, urllib.parse; t = sys.stdin.read(); {script}");
        match show(&script) {
            Answer::Refused(why) => {
                assert_eq!(
                    why, "its standard output shows the secret `key`",
                    "{script}"
                );
            }
            other => panic!("{script}: {other:?}"),
        }
    }
    // What everybody knows is no secret, and neither is what is too short to tell.
    let rest = "import sys; t = sys.stdin.read().splitlines(); print(t[0], t[2], t[4], '%', '%zz', r'\\u12', '\\\\')";
    output(show(rest));
}

#[test]
fn secrets_are_texts_that_can_be_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secret");
    let mut secrets = Secrets::default();
    let mut read = |bytes: &[u8]| {
        std::fs::write(&file, bytes).unwrap();
        let shown = secrets.read("s", &file).map_err(|e| e.to_string());
        let shown = shown.err().unwrap_or_default();
        shown.replace(&folder.path().display().to_string(), "")
    };
    expect![
        "the secret `s` is shorter than 8 bytes: it could not be told from other text in an output"
    ]
    .assert_eq(&read(b"short\n"));
    expect!["the secret `s` cannot be read from /secret: it is not UTF-8"]
        .assert_eq(&read(b"long enough \xff"));
    assert_eq!(read(b"long enough"), "");
    expect!["the secret `s` is given twice"].assert_eq(&read(b"long enough"));
    expect!["the secret `s` cannot be read from /secret: it has more than 65536 bytes"]
        .assert_eq(&read(&vec![b'x'; 70_000]));
    let none = secrets.read("none", Path::new("/no/such"));
    expect![
        "the secret `none` cannot be read from /no/such: No such file or directory (os error 2)"
    ]
    .assert_eq(&none.unwrap_err().to_string());
}

#[test]
fn hermetic_operations_are_asked_once() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let script = format!("echo x >> {0}; wc -l < {0}", log.display());
    let wet = wet(Limits::default(), Secrets::default());
    let ask = |hermetic: bool, word: &str| {
        let mut request = request(Ask::Run {
            argv: ["/bin/sh", "-c", &script, word].map(str::to_owned).to_vec(),
            stdin: Stdin::Empty,
        });
        request.promises.hermetic = hermetic;
        output(wet.perform(&request))
    };
    assert_eq!(ask(true, "a"), b"1\n");
    assert_eq!(ask(true, "a"), b"1\n");
    assert_eq!(ask(true, "b"), b"2\n");
    assert_eq!(ask(false, "a"), b"3\n");
    assert_eq!(ask(false, "a"), b"4\n");
}

fn file(verb: Verb, path: &Path, content: &str) -> String {
    let answer = wet(
        Limits {
            output: 100,
            ..Limits::default()
        },
        Secrets::default(),
    )
    .perform(&request(Ask::File {
        verb,
        path: path.display().to_string(),
        content: content.to_owned(),
    }));
    format!("{answer:?}").replace(&path.parent().unwrap().display().to_string(), "")
}

#[test]
fn files_are_read_and_listed() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("b"), "text").unwrap();
    std::fs::write(at("a"), "x".repeat(101)).unwrap();
    expect!["Reply(Content(Ok([116, 101, 120, 116])))"].assert_eq(&file(Verb::Read, &at("b"), ""));
    expect![[r#"Reply(Content(Err("/a: more than 100 bytes")))"#]].assert_eq(&file(
        Verb::Read,
        &at("a"),
        "",
    ));
    expect![[r#"Reply(Content(Err("/none: No such file or directory (os error 2)")))"#]]
        .assert_eq(&file(Verb::Read, &at("none"), ""));
    assert!(file(Verb::Read, folder.path(), "").contains("no regular file"));
    assert_eq!(
        output(run(&["/usr/bin/mkfifo", &at("pipe").display().to_string()])),
        b""
    );
    expect![[r#"Reply(Content(Err("/pipe: no regular file")))"#]].assert_eq(&file(
        Verb::Read,
        &at("pipe"),
        "",
    ));
    assert!(file(Verb::List, folder.path(), "").contains(r#"Entries(Ok(["a", "b", "pipe"]))"#));
    expect![[r#"Reply(Entries(Err("/none: No such file or directory (os error 2)")))"#]]
        .assert_eq(&file(Verb::List, &at("none"), ""));
    for n in 0..20 {
        std::fs::write(at(&format!("name-{n}")), "").unwrap();
    }
    assert!(file(Verb::List, folder.path(), "").contains("more than 100 bytes of names"));
    let wet = with_secret();
    std::fs::write(at("s"), format!("key = {TEXT}")).unwrap();
    let shown = wet.perform(&request(Ask::File {
        verb: Verb::Read,
        path: at("s").display().to_string(),
        content: String::new(),
    }));
    refused(shown, expect!["the file shows the secret `token`"]);
}

#[test]
fn files_are_written_whole() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mode = |name: &str| at(name).metadata().unwrap().permissions().mode() & 0o7777;
    expect!["Reply(Written(Ok(3)))"].assert_eq(&file(Verb::Write, &at("new"), "one"));
    assert_eq!(mode("new"), 0o644);
    std::fs::set_permissions(at("new"), std::fs::Permissions::from_mode(0o600)).unwrap();
    // Whoever has the old file open goes on reading the old file.
    let mut old = std::fs::File::open(at("new")).unwrap();
    file(Verb::Write, &at("new"), "two");
    let mut text = String::new();
    std::io::Read::read_to_string(&mut old, &mut text).unwrap();
    assert_eq!(text, "one");
    assert_eq!(std::fs::read_to_string(at("new")).unwrap(), "two");
    assert_eq!(mode("new"), 0o600);
    std::os::unix::fs::symlink(at("new"), at("link")).unwrap();
    expect![[r#"Reply(Written(Err("/link: there is something that is no regular file")))"#]]
        .assert_eq(&file(Verb::Write, &at("link"), "three"));
    std::fs::create_dir(at("dir")).unwrap();
    expect![[r#"Reply(Written(Err("/dir: there is something that is no regular file")))"#]]
        .assert_eq(&file(Verb::Write, &at("dir"), "three"));
    expect![[
        r#"Reply(Written(Err("/file: nothing can be written beside it: entity not found")))"#
    ]]
    .assert_eq(&file(Verb::Write, &at("none").join("file"), "three"));
    // Nothing is left beside the files.
    assert!(file(Verb::List, folder.path(), "").contains(r#"["dir", "link", "new"]"#));
}
