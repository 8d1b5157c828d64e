//! What every command has in common: JSON, exit codes, help, completions, colours, and an output
//! that cannot be written.

use crate::common::{HAYWARD, Project, Run, WORKFLOW, command, same, snapshot};
use std::fs::File;
use std::process::Stdio;

/// Every command, and how it ends on the starter after `init`.
const COMMANDS: [&[&str]; 11] = [
    &["check"],
    &["test"],
    &["eval", "1 + 1"],
    &["render"],
    &["render", "--check"],
    &["plan"],
    &["apply", "--yes"],
    &["observe"],
    &["status"],
    &["history"],
    &["ledger", "verify"],
];

#[test]
fn every_command_answers_with_one_json_document() {
    let project = Project::starter();
    project.json(&["history"]);
    project.json(&["ledger", "verify"]);
    for words in COMMANDS {
        let (code, _) = project.json(words);
        assert_eq!(code, 0, "{words:?}");
    }
    project.json(&["history", "builder"]);
    project.json(&["history", "--receipt", "1"]);
    project.json(&["test", "--list"]);
    let (_, made) = Project::empty().json(&["init"]);
    assert_eq!(made["name"], "x");
}

#[test]
fn a_refusal_is_one_json_document_too() {
    let project = Project::starter();
    for (words, expected) in [
        (&["apply"][..], 2),
        (&["apply", "nowhere"], 2),
        (&["apply", "main.dag"], 1),
        (&["check", "nowhere"], 2),
        (&["test", "--filter", "no_such_witness"], 2),
        (&["eval", "1 +"], 1),
        (&["eval", "1 / 0"], 1),
        (&["plan", "--host", "oak"], 2),
        (&["plan", "--adopt", "etc"], 2),
        (&["plan", "--out", "hosts"], 2),
        (&["observe", "--host", "oak"], 2),
        (&["history", "--receipt", "99"], 2),
        (&["init"], 2),
        (&["demo"], 2),
        (&["render", "--project", "nowhere"], 2),
        (&["no-such-command"], 2),
        (&["plan", "--no-such-option"], 2),
        (&[], 2),
    ] {
        let (code, value) = project.json(words);
        assert_eq!(code, expected, "{words:?} {value}");
        assert!(
            value["error"].is_string() || value["diagnostics"].is_array(),
            "{words:?} {value}"
        );
    }
    project.edit("units.dag", "count: 8", "count: true");
    for words in COMMANDS {
        if !matches!(words[0], "history" | "ledger") {
            let (code, value) = project.json(words);
            assert_eq!(
                (code, &value["ok"]),
                (1, &false.into()),
                "{words:?} {value}"
            );
        }
    }
}

#[test]
fn a_ledger_that_refuses_gives_one_json_document() {
    let project = Project::read_back();
    project.remove(".hayward/ledger.key");
    project.write(
        "hosts/builder/etc/systemd/system/actions-runner@.service",
        "mine\n",
    );
    for words in [
        &["plan"][..],
        &["render"],
        &["apply", "--yes"],
        &["observe"],
        &["status"],
        &["ledger", "verify"],
    ] {
        let (code, value) = project.json(words);
        assert_eq!(code, 2, "{words:?} {value}");
        assert!(
            value["error"].as_str().unwrap().contains("signing key"),
            "{words:?} {value}"
        );
    }
}

#[test]
fn exit_codes_are_those_of_the_help() {
    let project = Project::starter();
    project
        .run(&["--help"])
        .done()
        .says(&["Exit codes: 0 done", "1 refused", "2 not carried out"]);
    // 1: the answer is complete and is no.
    project.run(&["render", "--check"]).refused(&[]);
    project.run(&["eval", "1 / 0"]).refused(&["E0802"]);
    // 2: there is no answer.
    project
        .run(&["check", "nowhere"])
        .failed(&["there is no such root: nowhere"]);
    project
        .run(&["frobnicate"])
        .failed(&["unrecognized subcommand"]);
    project
        .run(&["plan", "--project", "nowhere"])
        .failed(&["nowhere/hayward.toml"]);
}

#[test]
fn every_command_has_help() {
    let project = Project::empty();
    let top = project.run(&["--help"]).done().out;
    let commands = [
        "init",
        "check",
        "test",
        "fmt",
        "eval",
        "deps",
        "diff",
        "doc",
        "explain",
        "run",
        "sudoers",
        "lsp",
        "store",
        "render",
        "plan",
        "apply",
        "observe",
        "status",
        "history",
        "ledger",
        "demo",
        "completions",
    ];
    for name in commands {
        assert!(
            top.lines()
                .any(|l| l.trim_start().starts_with(&format!("{name} "))),
            "{name}: {top}"
        );
        let help = project.run(&[name, "--help"]).done().out;
        assert!(help.contains(&format!("Usage: hayward {name}")), "{help}");
        assert!(help.contains("Exit codes:\n  0  "), "{help}");
        assert!(help.contains("\n  2  not carried out: "), "{help}");
        assert_eq!(project.run(&["help", name]).done().out, help);
    }
    project
        .run(&["ledger", "verify", "--help"])
        .done()
        .says(&["Usage: hayward ledger verify"]);
    project
        .run(&["--version"])
        .done()
        .says(&[concat!("hayward ", env!("CARGO_PKG_VERSION"))]);
    project.run(&[]).failed(&["Usage: hayward"]);
}

#[test]
fn a_word_that_is_nearly_one_is_told() {
    let project = Project::empty();
    for (words, tip) in [
        (&["chek"][..], "'check'"),
        (&["ledger", "verfy"], "'verify'"),
        (&["check", "--jsn"], "'--json'"),
        (&["explain", "E0320"], "did you mean"),
    ] {
        project.run(words).failed(&[tip]);
    }
    for words in [&["completions", "bash"][..], &["lsp"], &["demo"]] {
        let help = project.run(&[words[0], "--help"]).done().out;
        assert!(!help.contains("--json"), "{help}");
        project
            .run(&[words, &["--json"]].concat())
            .failed(&["no JSON form"]);
        let (code, document) = project.json(words);
        assert_eq!(code, 2);
        assert!(document["error"].as_str().unwrap().contains("no JSON form"));
    }
}

#[test]
fn completions_are_scripts_of_their_shells() {
    let project = Project::empty();
    for (shell, mark) in [
        ("bash", "complete -F _hayward"),
        ("zsh", "#compdef hayward"),
        ("fish", "complete -c hayward"),
    ] {
        let script = project.run(&["completions", shell]).done().out;
        for word in [mark, "observe", "exit-code", "ledger"] {
            assert!(script.contains(word), "{shell} lacks {word}");
        }
    }
    let script = project.run(&["completions", "bash"]).done().out;
    project.write("hayward.bash", script);
    let asked = "source ./hayward.bash; COMP_WORDS=(hayward ob); COMP_CWORD=1; _hayward hayward ob hayward; echo \"${COMPREPLY[@]}\"";
    let mut bash = command("bash");
    bash.args(["--norc", "-c", asked])
        .current_dir(project.root());
    Run::of(bash.output().unwrap(), "bash")
        .done()
        .says(&["observe"]);
    project
        .run(&["completions", "cmd"])
        .failed(&["possible values: bash"]);
}

#[test]
fn colours_are_for_terminals() {
    let project = Project::starter();
    let plain = project.run(&["plan"]).done();
    assert!(!plain.all().contains('\x1b'));
    let coloured = project.run(&["plan", "--color", "always"]).done();
    assert!(coloured.out.contains("\x1b[32m+\x1b[0m"));
    let bad = project
        .run(&["eval", "nothing", "--color", "always"])
        .refused(&[]);
    assert!(bad.err.contains('\x1b'));
    let on_terminal = |words: &str, variables: &[(&str, &str)]| {
        let mut script = command("script");
        script.args(["-qec", &format!("{HAYWARD} {words}"), "/dev/null"]);
        script
            .envs(variables.iter().copied())
            .current_dir(project.root());
        Run::of(script.output().unwrap(), words).done().out
    };
    assert!(on_terminal("plan", &[]).contains("\x1b[32m"));
    assert!(!on_terminal("plan --color never", &[]).contains("\x1b["));
    assert!(!on_terminal("plan", &[("NO_COLOR", "1")]).contains("\x1b["));
    assert!(!on_terminal("plan", &[("TERM", "dumb")]).contains("\x1b["));
    assert!(!on_terminal("--json plan", &[]).contains("\x1b["));
}

#[test]
fn on_a_terminal_what_takes_long_is_told() {
    let project = Project::empty();
    project.write(
        "slow.dag",
        "module slow\nservice S {\n  operation Wait() -> Unit\n  \
         transport shell { argv: [\"/bin/sleep\", \"2.5\"] }\n}\nfunc wait() { S.Wait() }\n",
    );
    let on_terminal = |words: &str| {
        let mut script = command("script");
        script.args(["-qec", &format!("{HAYWARD} {words}"), "/dev/null"]);
        script.current_dir(project.root());
        Run::of(script.output().unwrap(), words).done().out
    };
    let told = on_terminal("run --mode wet . wait");
    assert!(told.contains("\rrunning the workflow … 1 s"), "{told:?}");
    assert!(told.ends_with("\r\x1b[K()\r\n"), "{told:?}");
    assert_eq!(on_terminal("run --mode wet . wait --json"), "null\r\n");
    let plain = project.run(&["run", "--mode", "wet", ".", "wait"]);
    assert_eq!(plain.done().err, "");
}

#[test]
fn what_a_model_holds_does_not_reach_the_terminal_as_commands() {
    let project = Project::starter();
    project.edit(
        "units.dag",
        "because: \"fleet.units.runner_unit on {host}\"",
        "because: \"\\x1b]0;owned\\x07 \\u{202e}on {host}\"",
    );
    let plan = project.run(&["plan", "--color", "always"]).done();
    assert!(
        plan.out.contains("\\u{1b}]0;owned\\u{7}") && !plan.out.contains("\x1b]"),
        "{}",
        plan.all()
    );
    assert!(!plan.out.contains('\u{202e}'));
}

#[test]
fn a_reader_that_goes_away_is_no_success() {
    let project = Project::starter();
    for words in [
        &["check"][..],
        &["plan"],
        &["test", "--list"],
        &["eval", "1"],
        &["explain", "E0101"],
        &["completions", "bash"],
        &["--help"],
        &["--json", "status"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let status = project.command(words).stdout(writer).status().unwrap();
        assert_eq!(status.code(), Some(141), "{words:?}");
    }
}

#[test]
fn an_output_that_cannot_be_written_is_no_success() {
    let project = Project::starter();
    for words in [
        &["check"][..],
        &["test"],
        &["plan"],
        &["render"],
        &["eval", "1"],
        &["completions", "zsh"],
        &["--help"],
        &["--version"],
        &["--json", "status"],
    ] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = project
            .command(words)
            .stdout(full)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        Run::of(output, &words.join(" ")).failed(&["the output cannot be written"]);
    }
    // An apply that cannot say what it will do does not do it.
    let before = snapshot(&project.path("hosts"));
    let full = File::options().write(true).open("/dev/full").unwrap();
    let status = project
        .command(&["apply", "--yes"])
        .stdout(full)
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(2));
    same(&before, &snapshot(&project.path("hosts")));
    assert!(project.has(WORKFLOW));
}

/// A name that would colour the terminal, and begin a line that a forge takes for a command.
#[test]
fn a_name_of_a_file_stays_within_its_line() {
    let project = Project::empty();
    project.write("hayward.toml", "[project]\nname = \"x\"\n");
    let name = "a\u{1b}[31m\n::warning::forged.dag";
    let shown = "a\\u{1b}[31m\\u{a}::warning::forged.dag";
    let within = |words: &[&str], said: &str| {
        let run = project.run(words);
        assert!(
            run.out.contains(said) || run.err.contains(said),
            "{}",
            run.all()
        );
        for line in run.out.lines().chain(run.err.lines()) {
            // `::: ` is how a report names another file.
            let line = line.trim_start();
            assert!(
                !line.starts_with("::") || line.starts_with("::: "),
                "{line}"
            );
            assert!(!line.contains('\u{1b}'), "{}", run.all());
        }
    };
    project.write(name, "module z\n\ndata q: Int = \"x\"\n");
    let place = format!("{shown}:3:15: error[");
    for words in [&["check"][..], &["eval", "1"], &["test"]] {
        within(words, &place);
    }
    let (_, checked) = project.json(&["check"]);
    assert_eq!(checked["diagnostics"][0]["place"]["path"], name);
    // As another place of a mistake.
    project.write("b.dag", "module z\n");
    within(&["check"], &format!("::: {shown}"));
    project.remove("b.dag");
    // Where there is no mistake, and where the test is one.
    project.write(name, "module z\n\ndata  q: Int = 1\n");
    project.write("y.dag", "module y\n\nimport z { q }\n\ndata p: Int = q\n");
    within(&["deps"], &format!("z  {shown}"));
    within(&["deps", "--files"], &format!("{shown}\n"));
    within(&["fmt", "--check"], &format!("! {shown}"));
    within(&["fmt"], &format!("~ {shown}"));
    std::fs::rename(project.path("y.dag"), project.path("y\n::x.dag")).unwrap();
    within(&["deps", "--why", "y", "z"], "y\\u{a}::x.dag:3:8");
    // What cannot be read.
    project.remove(name);
    project.fifo(name);
    within(&["check"], &format!("{shown} is a module by its name"));
}

#[test]
fn two_names_that_are_no_text_are_two() {
    use std::os::unix::ffi::OsStrExt;
    let project = Project::empty();
    project.write("hayward.toml", "[project]\nname = \"x\"\n");
    for (module, name) in [
        ("a", &b"m\xff.dag"[..]),
        ("b", b"m\xfe.dag"),
        ("c", b"m\\xff.dag"),
    ] {
        project.write(
            std::ffi::OsStr::from_bytes(name),
            format!("module {module}\n"),
        );
    }
    let files = ["hayward.toml", "m\\\\xff.dag", "m\\xfe.dag", "m\\xff.dag"];
    for named in [&[][..], &["a", "b", "c"]] {
        let words = [&["deps", "--files"][..], named].concat();
        assert_eq!(
            project
                .run(&words)
                .done()
                .out
                .lines()
                .filter(|l| !l.starts_with('<'))
                .collect::<Vec<_>>(),
            files
        );
        let (_, answer) = project.json(&words);
        assert_eq!(answer["files"], serde_json::json!(files));
    }
}
