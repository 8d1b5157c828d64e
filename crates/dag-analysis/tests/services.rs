//! Services: what an operation must say, each rule beside what it allows.
#![allow(clippy::unwrap_used)] // helpers of tests

mod common;

use common::{breaks, codes_of, errors_of, refused, refused_files, sound, sound_files};
use expect_test::expect;

/// A service of one operation in braces.
fn operation(parts: &str) -> String {
    format!("module m\nservice S {{\n  operation Op {{\n    {parts}\n  }}\n}}\n")
}

fn op_sound(parts: &str) {
    sound(&operation(parts));
}

fn op_refused(parts: &str, expected: expect_test::Expect) {
    refused(&operation(parts), expected);
}

const SHELL: &str = "transport shell { argv: [\"ls\"] }";

#[test]
fn a_service_is_declared_and_called() {
    sound(
        r#"module m
service systemd.Control {
  operation Show {
    readonly
    input { unit: String, also: List<String>, n: Int }
    output { text: String from "stdout", lines: List<String> from "stdout_lines", err: String from "stderr",
      exit_code: Int, exit_success: Bool }
    transport shell { argv: ["systemctl", "show", "--lines={n}", "--", unit, also], stdin: unit }
    mock_response { 0 => Output { text: unit, lines: [], err: "", exit_code: 0, exit_success: true } }
  }
}
func main(unit: String) -> String {
  let shown = systemd.Control.Show(unit: unit, also: [], n: 3)
  m.systemd.Control.Show(unit, ["a"], 3).text + shown.text
}
fn err_of(shown: systemd.Control.Show) -> String = shown.err
func second() { systemd.Control.Show("a", also: [], n: 1) }
"#,
    );
}

#[test]
fn a_service_is_imported_with_its_operations() {
    let service = r#"module host.find
service shell.Find {
  operation Dirs(path: String) -> { lines: List<String> from "stdout_lines" }
  transport shell { argv: ["/usr/bin/find", "--", path, "-type", "d"] }
}
"#;
    sound_files(&[
        ("find.dag", service),
        (
            "m.dag",
            r#"module m
import host.find { shell.Find }
func f() -> List<String> { shell.Find.Dirs(path: "/").lines }
func g(found: shell.Find.Dirs) -> Int { count(found.lines) }
"#,
        ),
        (
            "n.dag",
            r#"module n
import host.find
func f() -> List<String> { host.find.shell.Find.Dirs(path: "/").lines }
"#,
        ),
    ]);
    refused_files(
        &[
            ("find.dag", service),
            (
                "m.dag",
                "module m\nfunc f() { shell.Find.Dirs(path: \"/\") }\n",
            ),
            (
                "n.dag",
                "module n\nimport host.find { shell.Find }\nfunc f() { shell.Find.Dir(path: \"/\") }\n",
            ),
            (
                "o.dag",
                "module o\nimport host.find { shell.Find }\nfunc f() { shell.Find.Dirs(way: 1) }\n",
            ),
        ],
        expect![[r#"
            m.dag:2:12: error[E0206]: there is no `shell.Find.Dirs` here
              |
            2 | func f() { shell.Find.Dirs(path: "/") }
              |            ^^^^^^^^^^^^^^^
              |
              = help: `shell.Find` is declared by `host.find`: write `import host.find { shell.Find }`
            n.dag:3:12: error[E0206]: there is no `shell.Find.Dir` here
              |
            3 | func f() { shell.Find.Dir(path: "/") }
              |            ^^^^^^^^^^^^^^
              |
              = help: `shell.Find` is declared by `host.find`: write `import host.find { shell.Find }`
            o.dag:3:28: error[E0304]: `shell.Find.Dirs` has no parameter `way`
              |
            3 | func f() { shell.Find.Dirs(way: 1) }
              |                            ^^^
              |
             ::: find.dag:3:13
              |
            3 |   operation Dirs(path: String) -> { lines: List<String> from "stdout_lines" }
              |             ---- declared here"#]],
    );
}

#[test]
fn names_are_declared_once() {
    refused(
        r#"module m
type T { x: Int }
service T { operation A() transport shell { argv: ["ls"] } }
service S { operation A() operation A() transport shell { argv: ["ls"] } }
service S { operation B() transport shell { argv: ["ls"] } }
service E { transport shell { argv: ["ls"] } }
"#,
        expect![[r#"
            m.dag:3:9: error[E0205]: the name `T` is declared twice
              |
            3 | service T { operation A() transport shell { argv: ["ls"] } }
              |         ^
            m.dag:4:37: error[E0205]: the operation `S.A` is declared twice
              |
            4 | service S { operation A() operation A() transport shell { argv: ["ls"] } }
              |                                     ^
            m.dag:5:9: error[E0205]: the service `S` is declared twice
              |
            4 | service S { operation A() operation A() transport shell { argv: ["ls"] } }
              |         - the first one
            5 | service S { operation B() transport shell { argv: ["ls"] } }
              |         ^
            m.dag:6:1: error[E0902]: a service has an operation
              |
            6 | service E { transport shell { argv: ["ls"] } }
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"#]],
    );
}

#[test]
fn a_part_stands_once() {
    op_refused(
        "readonly readonly input { x: Int } input { y: Int }\n    transport shell { argv: [\"ls\"] argv: [\"rm\"] args: [] }",
        expect![[r#"
            m.dag:4:14: error[E0902]: `readonly` stands twice in one operation
              |
            4 |     readonly readonly input { x: Int } input { y: Int }
              |              ^^^^^^^^
            m.dag:4:40: error[E0902]: `input` stands twice in one operation
              |
            4 |     readonly readonly input { x: Int } input { y: Int }
              |                                        ^^^^^^^^^^^^^^^^
            m.dag:5:36: error[E0902]: the entry `argv` stands twice
              |
            5 |     transport shell { argv: ["ls"] argv: ["rm"] args: [] }
              |                                    ^^^^
            m.dag:5:49: error[E0902]: there is no entry `args` here
              |
            5 |     transport shell { argv: ["ls"] argv: ["rm"] args: [] }
              |                                                 ^^^^
              |
              = note: the entries are `argv` and `stdin`
              = help: did you mean `argv`?"#]],
    );
}

#[test]
fn something_carries_an_operation_out() {
    op_sound(SHELL);
    op_refused(
        "input { x: Int }",
        expect![[r#"
            m.dag:3:13: error[E0902]: nothing carries `S.Op` out
              |
            3 |   operation Op {
              |             ^^
              |
              = help: give it, or the service, a `transport shell { argv: […] }`, `file { … }` or `rest { … }`"#]],
    );
}

#[test]
fn what_a_shell_reads_as_a_program_is_written_out() {
    let argv = |words: &str| {
        operation(&format!(
            "input {{ n: String, l: List<String> }}\n    transport shell {{ argv: [{words}] }}"
        ))
    };
    refused(
        &argv(r#""/bin/sh", "-c", "echo {n}""#),
        expect![[r#"
        m.dag:5:47: error[E0910]: a shell reads this word as a program, and it is not written out
          |
        5 |     transport shell { argv: ["/bin/sh", "-c", "echo {n}"] }
          |                                               ^^^^^^^^^^
          |
          = note: whatever a value holds would be a part of that program: `a; id` runs `id`
          = help: write the program out and give it the value as a word of its own: `["/bin/sh", "-c", "echo \"$1\"", "sh", value]`"#]],
    );
    for words in [
        r#""/bin/sh", "-c", n"#,
        r#""sh", "-c", l"#,
        r#""/bin/sh", "-c", "a" + n"#,
        r#""/bin/sh", "-ec", n"#,
        r#""/bin/bash", "-lc", n"#,
        r#""/bin/bash", "-c", "-x", "--", n"#,
        r#""/bin/bash", "-euo", "pipefail", "-c", n"#,
        r#""/bin/bash", "-o", "pipefail", "-c", n"#,
        r#""/bin/bash", "--norc", "--rcfile", n, "-c", n"#,
        r#""/bin/dash", "+x", "-c", n"#,
        r#""/bin/zsh", "-c", n"#,
        r#""/bin/ksh", "-c", n"#,
        r#""/bin/ash", "-c", n"#,
        r#""/bin/busybox", "sh", "-c", n"#,
        r#""/usr/bin/env", "A=1", "sh", "-c", n"#,
        r#""/usr/bin/sudo", "-n", "-u", n, "/bin/sh", "-c", n"#,
        r#""/usr/bin/sudo", "env", "bash", "-c", n"#,
        r#""/usr/bin/timeout", "5", "sh", "-c", n"#,
        r#""/bin/su", "-", "deploy", "-c", n"#,
        r#""/usr/sbin/runuser", "--command", n, "deploy""#,
    ] {
        breaks("E0910", &argv(words));
    }
    for words in [
        // The value is a word of its own.
        r#""/bin/sh", "-c", "echo \"$1\"", "sh", n"#,
        r#""/bin/bash", "-euo", "pipefail", "-c", "echo \"$@\"", "sh", l"#,
        r#""/usr/bin/sudo", "-u", n, "sh", "-c", "id", "sh", n"#,
        r#""/bin/su", n, "-c", "id""#,
        // A script's path is no program's text, and `-c` behind it is the script's.
        r#""/bin/sh", n"#,
        r#""/bin/sh", "-e", n"#,
        r#""/bin/sh", "--", n, "-c", n"#,
        r#""/bin/sh", "/opt/run", "-c", n"#,
        r#""/bin/bash", "-o", "noclobber", n"#,
        // `-c` of other programs.
        r#""/usr/bin/wc", "-c", n"#,
        r#""/bin/grep", "sh", "-c", n"#,
        r#""/usr/bin/sudo", "-u", n, "/usr/bin/wc", "-c", n"#,
    ] {
        sound(&argv(words));
    }
}

#[test]
fn an_argv_is_words() {
    op_sound(
        "input { a: String, l: List<String>, n: Int }\n    transport shell { argv: [\"ls\", a, l, \"{n}\", \"--x={a}\"] }",
    );
    op_refused(
        "input { a: String }\n    transport shell { argv: \"ls {a}\" }",
        expect![[r#"
            m.dag:5:29: error[E0903]: an `argv` is a list that is written out
              |
            5 |     transport shell { argv: "ls {a}" }
              |                             ^^^^^^^^
              |
              = note: no shell reads it: each element is one word, whatever is in it
              = help: write `["/usr/bin/program", "word", words]`"#]],
    );
    op_refused(
        "input { a: String }\n    transport shell { argv: [a, \"x\"] }",
        expect![[r#"
            m.dag:5:30: error[E0903]: the first word of an `argv` is the program, written out
              |
            5 |     transport shell { argv: [a, "x"] }
              |                              ^
              |
              = note: what may be run on a host is known before anything is run there
              = help: write an operation for each program"#]],
    );
    op_refused(
        "transport shell { argv: [] }",
        expect![[r#"
            m.dag:4:29: error[E0903]: the first word of an `argv` is the program, written out
              |
            4 |     transport shell { argv: [] }
              |                             ^^
              |
              = note: what may be run on a host is known before anything is run there
              = help: write an operation for each program"#]],
    );
    op_refused(
        "transport shell { stdin: \"x\" }",
        expect![[r#"
            m.dag:4:5: error[E0903]: a `shell` transport has an `argv`
              |
            4 |     transport shell { stdin: "x" }
              |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = help: write `argv: ["/usr/bin/program", "word"]`"#]],
    );
    op_refused(
        "input { o: String?, n: Int, l: List<Int> }\n    transport shell { argv: [\"ls\", o, n, l] }",
        expect![[r#"
            m.dag:5:36: error[E0903]: a word is a String or a List<String>, not String?
              |
            5 |     transport shell { argv: ["ls", o, n, l] }
              |                                    ^
              |
              = help: `match` it: an absent word is `[]`, a present one `[word]`
            m.dag:5:39: error[E0903]: a word is a String or a List<String>, not Int
              |
            5 |     transport shell { argv: ["ls", o, n, l] }
              |                                       ^
              |
              = help: write it in a string: `"{…}"`
            m.dag:5:42: error[E0903]: a word is a String or a List<String>, not List<Int>
              |
            5 |     transport shell { argv: ["ls", o, n, l] }
              |                                          ^"#]],
    );
    op_refused(
        "input { o: String?, l: List<String> }\n    transport shell { argv: [\"ls\", \"{o}\", \"{l}\"] }",
        expect![[r#"
            m.dag:5:38: error[E0903]: a hole of a request shows a text, a number or a name, not String?
              |
            5 |     transport shell { argv: ["ls", "{o}", "{l}"] }
              |                                      ^
              |
              = help: `match` it, or give a value with `?? …`
            m.dag:5:45: error[E0903]: a hole of a request shows a text, a number or a name, not List<String>
              |
            5 |     transport shell { argv: ["ls", "{o}", "{l}"] }
              |                                             ^
              |
              = help: write the list as an element of its own: a word for each"#]],
    );
    op_refused(
        "input { a: String }\n    transport shell { argv: [\"ls\", b], stdin: 3 }",
        expect![[r#"
            m.dag:5:36: error[E0206]: there is no `b` here
              |
            5 |     transport shell { argv: ["ls", b], stdin: 3 }
              |                                    ^
            m.dag:5:47: error[E0301]: expected String or Secret, found Int
              |
            5 |     transport shell { argv: ["ls", b], stdin: 3 }
              |                                               ^"#]],
    );
}

#[test]
fn a_coproduct_of_names_is_a_word() {
    sound(
        r#"module m
type Verb = Start | Stop
service S {
  operation Op(verb: Verb) transport shell { argv: ["systemctl", "{verb}"] }
}
"#,
    );
    refused(
        r#"module m
type Verb = Start | Stop { force: Bool }
service S {
  operation Op(verb: Verb) transport shell { argv: ["systemctl", "{verb}"] }
}
"#,
        expect![[r#"
            m.dag:4:68: error[E0903]: a hole of a request shows a text, a number or a name, not Verb
              |
            4 |   operation Op(verb: Verb) transport shell { argv: ["systemctl", "{verb}"] }
              |                                                                    ^^^^"#]],
    );
}

#[test]
fn a_secret_goes_to_standard_input_alone() {
    op_sound("input { token: Secret }\n    transport shell { argv: [\"login\"], stdin: token }");
    op_refused(
        "input { token: Secret }\n    transport shell { argv: [\"login\", token, \"{token}\"], stdin: \"{token}\" }",
        expect![[r#"
            m.dag:5:39: error[E0907]: a secret would be shown here
              |
            5 |     transport shell { argv: ["login", token, "{token}"], stdin: "{token}" }
              |                                       ^^^^^
              |
              = note: an argv is read by everybody on the host (proc(5), /proc/PID/cmdline), a file by some
              = help: give it whole as `stdin`, and name the option that reads it from there
            m.dag:5:48: error[E0907]: a secret would be shown here
              |
            5 |     transport shell { argv: ["login", token, "{token}"], stdin: "{token}" }
              |                                                ^^^^^
              |
              = note: an argv is read by everybody on the host (proc(5), /proc/PID/cmdline), a file by some
              = help: give it whole as `stdin`, and name the option that reads it from there
            m.dag:5:67: error[E0907]: a secret would be shown here
              |
            5 |     transport shell { argv: ["login", token, "{token}"], stdin: "{token}" }
              |                                                                   ^^^^^
              |
              = note: an argv is read by everybody on the host (proc(5), /proc/PID/cmdline), a file by some
              = help: give it whole as `stdin`, and name the option that reads it from there"#]],
    );
    op_refused(
        "input { token: Secret }\n    transport file { path: token }",
        expect![[r#"
            m.dag:5:28: error[E0907]: a secret would be shown here
              |
            5 |     transport file { path: token }
              |                            ^^^^^
              |
              = note: an argv is read by everybody on the host (proc(5), /proc/PID/cmdline), a file by some
              = help: give it whole as `stdin`, and name the option that reads it from there"#]],
    );
    op_refused(
        "input { content: Secret }\n    transport file { path: \"/x\", verb: \"write\" }",
        expect![[r#"
            m.dag:5:5: error[E0907]: a secret would be shown here
              |
            5 |     transport file { path: "/x", verb: "write" }
              |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = note: an argv is read by everybody on the host (proc(5), /proc/PID/cmdline), a file by some
              = help: give it whole as `stdin`, and name the option that reads it from there"#]],
    );
}

#[test]
fn outputs_are_read_from_known_keys() {
    op_refused(
        &format!("output {{ text: String from \"stdoot\", other: String }} {SHELL}"),
        expect![[r#"
            m.dag:4:32: error[E0904]: nothing is read from `stdoot` here
              |
            4 |     output { text: String from "stdoot", other: String } transport shell { argv: ["ls"] }
              |                                ^^^^^^^^
              |
              = note: a field is read from `stdout`, `stderr`, `stdout_lines`, `exit_code` and `exit_success`
              = help: did you mean `from "stdout"`?
            m.dag:4:42: error[E0904]: nothing is read from `other` here
              |
            4 |     output { text: String from "stdoot", other: String } transport shell { argv: ["ls"] }
              |                                          ^^^^^
              |
              = note: a field is read from `stdout`, `stderr`, `stdout_lines`, `exit_code` and `exit_success`
              = help: say where the field is read from: `… from "stdout"`"#]],
    );
    op_refused(
        &format!(
            "output {{ a: Int from \"stdout\", b: String from \"exit_code\", c: String? from \"stderr\" }} {SHELL}"
        ),
        expect![[r#"
            m.dag:4:14: error[E0904]: `stdout` gives String, and the field is declared as Int
              |
            4 |     output { a: Int from "stdout", b: String from "exit_code", c: String? from "stderr" } transport shell { argv: ["ls"] }
              |              ^
            m.dag:4:36: error[E0904]: `exit_code` gives Int, and the field is declared as String
              |
            4 |     output { a: Int from "stdout", b: String from "exit_code", c: String? from "stderr" } transport shell { argv: ["ls"] }
              |                                    ^
            m.dag:4:64: error[E0904]: `stderr` gives String, and the field is declared as String?
              |
            4 |     output { a: Int from "stdout", b: String from "exit_code", c: String? from "stderr" } transport shell { argv: ["ls"] }
              |                                                                ^"#]],
    );
    op_sound(&format!(
        "output {{ a: String where non_empty from \"stdout\", b: List<NonEmptyStr> from \"stdout_lines\" }} {SHELL}"
    ));
    op_refused(
        &format!("input {{ a: String from \"stdout\" }} {SHELL}"),
        expect![[r#"
            m.dag:4:13: error[E0901]: the input `a` is given by the caller
              |
            4 |     input { a: String from "stdout" } transport shell { argv: ["ls"] }
              |             ^
              |
              = note: only an output is read `from` something"#]],
    );
    op_refused(
        &format!(
            "output {{ a: String from \"std{{1 + 1}}\", b: String from \"std{{x}}\" }} {SHELL}"
        ),
        expect![[r#"
            m.dag:4:29: error[E0904]: nothing is read from `std{1 + 1}` here
              |
            4 |     output { a: String from "std{1 + 1}", b: String from "std{x}" } transport shell { argv: ["ls"] }
              |                             ^^^^^^^^^^^^
              |
              = note: a field is read from `stdout`, `stderr`, `stdout_lines`, `exit_code` and `exit_success`
              = help: say where the field is read from: `… from "stdout"`
            m.dag:4:58: error[E0904]: what a field is read from is written out, without holes
              |
            4 |     output { a: String from "std{1 + 1}", b: String from "std{x}" } transport shell { argv: ["ls"] }
              |                                                          ^^^^^^^^"#]],
    );
}

#[test]
fn files_are_read_written_and_listed() {
    op_sound(
        "readonly input { path: String } output { content: String } transport file { path: path }",
    );
    op_sound(
        "readonly output { content: String?, read_success: Bool, why: String? from \"error\" } transport file { path: \"/x\" verb: \"read\" }",
    );
    op_sound(
        "input { content: String } output { bytes_written: Int } transport file { path: \"/x\" verb: \"write\" }",
    );
    op_sound("output { entries: List<String> } transport file { path: \"/x\" verb: \"list\" }");
    op_refused(
        "output { content: String, read_success: Bool } transport file { path: \"/x\" }",
        expect![[r#"
            m.dag:4:14: error[E0904]: `content` gives String?, and the field is declared as String
              |
            4 |     output { content: String, read_success: Bool } transport file { path: "/x" }
              |              ^^^^^^^
              |
              = note: the operation goes on where it fails, and then there is none"#]],
    );
    op_refused(
        "output { entries: List<String> } transport file { path: \"/x\" }",
        expect![[r#"
            m.dag:4:14: error[E0904]: nothing is read from `entries` here
              |
            4 |     output { entries: List<String> } transport file { path: "/x" }
              |              ^^^^^^^
              |
              = note: a field is read from `content`, `read_success` and `error`
              = help: say where the field is read from: `… from "content"`"#]],
    );
    op_refused(
        "transport file { path: \"/x\" verb: \"remove\" }",
        expect![[r#"
            m.dag:4:39: error[E0902]: the verb is `"read"`, `"write"` or `"list"`, written out
              |
            4 |     transport file { path: "/x" verb: "remove" }
              |                                       ^^^^^^^^"#]],
    );
    op_refused(
        "transport file { verb: \"list\" }",
        expect![[r#"
            m.dag:4:5: error[E0902]: a `file` transport has a `path`
              |
            4 |     transport file { verb: "list" }
              |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"#]],
    );
    op_refused(
        "readonly input { content: String } transport file { path: \"/x\" verb: \"write\" }",
        expect![[r#"
            m.dag:4:40: error[E0902]: a `readonly` operation writes no file
              |
            4 |     readonly input { content: String } transport file { path: "/x" verb: "write" }
              |                                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"#]],
    );
    op_refused(
        "transport file { path: \"/x\" verb: \"write\" }",
        expect![[r#"
            m.dag:4:5: error[E0902]: nothing says what is written
              |
            4 |     transport file { path: "/x" verb: "write" }
              |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = help: give the operation an input `content: String`"#]],
    );
    op_refused(
        "transport file { path: \"/x\" } exit { 0 => Pair }",
        expect![[r#"
            m.dag:4:35: error[E0905]: this table is of another transport
              |
            4 |     transport file { path: "/x" } exit { 0 => Pair }
              |                                   ^^^^^^^^^^^^^^^^^^
              |
              = note: a file operation has no statuses: read whether it went well from `read_success`, `write_success` or `list_success`, and why not from `error`"#]],
    );
}

#[test]
fn promises_hold_together() {
    op_sound(&format!("readonly hermetic idempotent {SHELL}"));
    op_refused(
        &format!("hermetic {SHELL}"),
        expect![[r#"
            m.dag:4:5: error[E0902]: a `hermetic` operation is `readonly` too
              |
            4 |     hermetic transport shell { argv: ["ls"] }
              |     ^^^^^^^^
              |
              = note: its reply depends on its inputs alone, so it is asked once and changes nothing
              = help: write `readonly hermetic`"#]],
    );
}

const OUTCOME: &str = r#"module m
type Found =
  | Some { text: String from "stdout" }
  | Nothing
  | Failed { why: String from "stderr", code: Int from "exit_code" }
type Other { text: String from "stdout" }
"#;

fn table(rows: &str) -> String {
    format!("{OUTCOME}service S {{ operation Op {{ {SHELL}\n exit {{ {rows} }} }} }}\n")
}

#[test]
fn an_exit_table_says_what_each_status_gives() {
    sound(&table(
        "0 => Some \"it is there\", 1 => Nothing, 2 => Failed",
    ));
    sound(&table("0 => Found.Some\n nonzero => Failed"));
    sound(&table("0 => Other, nonzero => Other"));
    sound(&format!(
        "{OUTCOME}service S {{ operation Op {{ {SHELL} output {{ n: Int from \"exit_code\" }} exit {{ 0 => Output, 3 => Output }} }} }}\n"
    ));
    sound(&format!(
        "{}func f() -> String {{ match S.Op() {{ Some {{ text }} => text, Nothing => \"\", Failed {{ why, code: _ }} => why }} }}\n",
        table("0 => Some, nonzero => Failed")
    ));
}

#[test]
fn statuses_do_not_overlap() {
    refused(
        &table("0 => Some, 0 => Nothing"),
        expect![[r#"
            m.dag:8:20: error[E0905]: `0` takes a status that has a row already
              |
            8 |  exit { 0 => Some, 0 => Nothing } } }
              |         ---------  ^^^^^^^^^^^^
              |         |
              |         this one takes it"#]],
    );
    refused(
        &table("1 => Nothing, nonzero => Failed"),
        expect![[r#"
            m.dag:8:23: error[E0905]: `nonzero` takes a status that has a row already
              |
            8 |  exit { 1 => Nothing, nonzero => Failed } } }
              |         ------------  ^^^^^^^^^^^^^^^^^
              |         |
              |         this one takes it"#]],
    );
    refused(
        &table("256 => Some, 4xx => Nothing, zero => Failed"),
        expect![[r#"
            m.dag:8:9: error[E0905]: `256` is no status here
              |
            8 |  exit { 256 => Some, 4xx => Nothing, zero => Failed } } }
              |         ^^^
              |
              = note: a program ends with a status from 0 to 255, or `nonzero`
            m.dag:8:22: error[E0905]: `4xx` is no status here
              |
            8 |  exit { 256 => Some, 4xx => Nothing, zero => Failed } } }
              |                      ^^^
              |
              = note: a program ends with a status from 0 to 255, or `nonzero`
            m.dag:8:38: error[E0905]: `zero` is no status here
              |
            8 |  exit { 256 => Some, 4xx => Nothing, zero => Failed } } }
              |                                      ^^^^
              |
              = note: a program ends with a status from 0 to 255, or `nonzero`"#]],
    );
    refused(
        &table(""),
        expect![[r#"
            m.dag:8:2: error[E0905]: a table has a row
              |
            8 |  exit {  } } }
              |  ^^^^^^^^^"#]],
    );
}

#[test]
fn rows_give_one_type() {
    refused(
        &table("0 => Some, 1 => Other"),
        expect![[r#"
            m.dag:8:20: error[E0905]: this row gives a value of `Other`, and another one of `Found`
              |
            8 |  exit { 0 => Some, 1 => Other } } }
              |         ---------  ^^^^^^^^^^
              |         |
              |         the other row
              |
              = help: make them variants of one coproduct"#]],
    );
    refused(
        &table("0 => Sum, 1 => Int, 2 => List<Int>, 3 => Found"),
        expect![[r#"
            m.dag:8:14: error[E0206]: there is no `Sum` here
              |
            8 |  exit { 0 => Sum, 1 => Int, 2 => List<Int>, 3 => Found } } }
              |              ^^^
              |
              = help: did you mean `sum`?
            m.dag:8:24: error[E0905]: `Int` is no record and no variant
              |
            8 |  exit { 0 => Sum, 1 => Int, 2 => List<Int>, 3 => Found } } }
              |                        ^^^
              |
              = note: a row names what its statuses give; its fields are read from the outcome
            m.dag:8:34: error[E0905]: a row names a record, or a variant of a coproduct
              |
            8 |  exit { 0 => Sum, 1 => Int, 2 => List<Int>, 3 => Found } } }
              |                                  ^^^^^^^^^
            m.dag:8:50: error[E0905]: `Found` is no record and no variant
              |
            8 |  exit { 0 => Sum, 1 => Int, 2 => List<Int>, 3 => Found } } }
              |                                                  ^^^^^
              |
              = note: a row names what its statuses give; its fields are read from the outcome"#]],
    );
    refused(
        &format!("{OUTCOME}service S {{ operation Op {{ {SHELL} exit {{ 0 => Output }} }} }}\n"),
        expect![[r#"
            m.dag:7:73: error[E0206]: there is no `Output` here
              |
            7 | service S { operation Op { transport shell { argv: ["ls"] } exit { 0 => Output } } }
              |                                                                         ^^^^^^"#]],
    );
    refused(
        "module m\ntype W<T> { value: T }\nservice S { operation Op { transport shell { argv: [\"ls\"] } exit { 0 => W } } }\n",
        expect![[r#"
            m.dag:3:73: error[E0905]: what an operation gives has no type parameters
              |
            3 | service S { operation Op { transport shell { argv: ["ls"] } exit { 0 => W } } }
              |                                                                         ^"#]],
    );
}

#[test]
fn an_arrow_gives_a_record() {
    let head = |ty: &str| {
        format!(
            "{OUTCOME}service S {{ operation Op() -> {ty} transport shell {{ argv: [\"ls\"] }} }}\n"
        )
    };
    sound(&head("Other"));
    sound(&head("Unit"));
    sound(&head("{ text: String from \"stdout\" }"));
    refused(
        &head("Found"),
        expect![[r#"
            m.dag:7:31: error[E0904]: an operation gives a record, not Found
              |
            7 | service S { operation Op() -> Found transport shell { argv: ["ls"] } }
              |                               ^^^^^
              |
              = note: the fields of the record say what is read: `text: String from "stdout"`
              = help: say in an `exit` (or `response`) table which status gives which variant"#]],
    );
    refused(
        &head("String"),
        expect![[r#"
            m.dag:7:31: error[E0904]: an operation gives a record, not String
              |
            7 | service S { operation Op() -> String transport shell { argv: ["ls"] } }
              |                               ^^^^^^
              |
              = note: the fields of the record say what is read: `text: String from "stdout"`"#]],
    );
}

#[test]
fn tables_are_of_their_transport() {
    op_refused(
        "transport shell { argv: [\"ls\"] } response { 200 => Secret }",
        expect![[r#"
            m.dag:4:38: error[E0905]: this table is of another transport
              |
            4 |     transport shell { argv: ["ls"] } response { 200 => Secret }
              |                                      ^^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = note: a program has an `exit` table"#]],
    );
    sound(
        r#"module m
type Got = | Page { title: String from "/head/title", n: Int?, w: Float, l: List<String> } | Gone
service Web {
  config { endpoint: "https://example.org" }
  operation Get readonly (path: String) -> Got
    response { 2xx => Page, 404 => Gone }
    mock_response { 404 => Gone }
  transport rest { method: "GET" path: path }
}
"#,
    );
    refused(
        r#"module m
type Got { title: Pair<Int, Int> }
service Web {
  config { endpoint: "https://example.org" auth: "x" limit: 3 }
  operation Get readonly (path: String) -> Got
    response { 200 => Got, 2xx => Got, 600 => Got, nonzero => Got }
  operation Exit(path: String) -> Got
  transport rest { method: "POST" path: path query: { n: 3 } }
}
service Two {
  config { endpoint: "x" }
  operation A() transport shell { argv: ["ls"] }
  operation B { transport rest { path: "/" method: "GET" } exit { 0 => Got } }
}
"#,
        expect![[r#"
            m.dag:2:12: error[E0904]: no value of an answer is read as Pair<Int, Int>
              |
            2 | type Got { title: Pair<Int, Int> }
              |            ^^^^^
              |
              = note: a value is read as String, Int, Float, Bool or List<String>, or an optional one
            m.dag:6:28: error[E0905]: `2xx` takes a status that has a row already
              |
            6 |     response { 200 => Got, 2xx => Got, 600 => Got, nonzero => Got }
              |                ----------  ^^^^^^^^^^
              |                |
              |                this one takes it
            m.dag:6:40: error[E0905]: `600` is no status here
              |
            6 |     response { 200 => Got, 2xx => Got, 600 => Got, nonzero => Got }
              |                                        ^^^
              |
              = note: an answer has a status from 100 to 599, or `1xx` to `5xx`
            m.dag:6:52: error[E0905]: `nonzero` is no status here
              |
            6 |     response { 200 => Got, 2xx => Got, 600 => Got, nonzero => Got }
              |                                                    ^^^^^^^
              |
              = note: an answer has a status from 100 to 599, or `1xx` to `5xx`
            m.dag:11:3: error[E0901]: a `config` says where requests over HTTP go, and this service makes none
               |
            11 |   config { endpoint: "x" }
               |   ^^^^^^^^^^^^^^^^^^^^^^^^
            m.dag:13:60: error[E0905]: this table is of another transport
               |
            13 |   operation B { transport rest { path: "/" method: "GET" } exit { 0 => Got } }
               |                                                            ^^^^^^^^^^^^^^^^^
               |
               = note: an answer has a `response` table"#]],
    );
}

/// A service with one operation, whose transport has these entries.
fn rest(entries: &str) -> String {
    format!(
        "module m\nservice Web {{\n  operation Op {{ input {{ a: String, n: Int, l: List<String>, o: String?, token: Secret }}\n    output {{ t: String? }}\n    transport rest {{ {entries} }} }}\n}}\n"
    )
}

const TO: &str = r#"base_url: "https://example.org" method: "GET""#;

#[test]
fn a_request_over_http_says_where_it_goes() {
    for to in [
        r#""https://example.org""#,
        r#""https://example.org:8443/api/v3/""#,
        r#""https://[::1]:80""#,
        "a",
    ] {
        sound(&rest(&format!(r#"base_url: {to} method: "GET""#)));
    }
    sound(&rest(
        r#"base_url: "http://example.org" tls: false method: "GET""#,
    ));
    sound(&rest(r#"base_url: a tls: true method: "GET""#));
    refused(
        &rest(r#"method: "GET""#),
        expect![[r#"
            m.dag:5:5: error[E0902]: nothing says where the request goes
              |
            5 |     transport rest { method: "GET" } }
              |     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = help: give the transport a `base_url`, or the service a `config { endpoint: … }`"#]],
    );
    refused(
        &rest(r#"base_url: "https://{a}.example.org" method: "GET""#),
        expect![[r#"
            m.dag:5:32: error[E0902]: where a request goes is written out, or a name gives it whole
              |
            5 |     transport rest { base_url: "https://{a}.example.org" method: "GET" } }
              |                                ^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = note: a value in a piece of it could send the request, and its secrets, to another host
              = help: put the value into `path` or `query`, where it is encoded"#]],
    );
    refused(
        &rest(r#"base_url: "https://" + a method: "GET""#),
        expect![[r#"
            m.dag:5:32: error[E0902]: where a request goes is written out, or a name gives it whole
              |
            5 |     transport rest { base_url: "https://" + a method: "GET" } }
              |                                ^^^^^^^^^^^^^^
              |
              = note: a value in a piece of it could send the request, and its secrets, to another host
              = help: put the value into `path` or `query`, where it is encoded"#]],
    );
    refused(
        &rest(r#"base_url: n method: "GET""#),
        expect![[r#"
            m.dag:5:32: error[E0301]: expected String, found Int
              |
            5 |     transport rest { base_url: n method: "GET" } }
              |                                ^"#]],
    );
    refused(
        &rest(r#"base_url: token method: "GET""#),
        expect![[r#"
            m.dag:5:32: error[E0907]: a secret would be shown here
              |
            5 |     transport rest { base_url: token method: "GET" } }
              |                                ^^^^^
              |
              = note: where a request goes and what it carries is kept by servers and in recordings
              = help: give it in a header, `"Authorization": "Bearer {token}"`, or as the password of `auth_basic`"#]],
    );
    refused(
        &rest(r#"base_url: "http://example.org" method: "GET""#),
        expect![[r#"
            m.dag:5:32: error[E0902]: a request over `http` can be read and changed on its way
              |
            5 |     transport rest { base_url: "http://example.org" method: "GET" } }
              |                                ^^^^^^^^^^^^^^^^^^^^
              |
              = help: write `https://…`, or say that it is meant: `tls: false`"#]],
    );
    refused(
        &rest(r#"base_url: "https://example.org" tls: false method: "GET""#),
        expect![[r#"
            m.dag:5:32: error[E0902]: `tls: false` is written, and `https` goes over TLS
              |
            5 |     transport rest { base_url: "https://example.org" tls: false method: "GET" } }
              |                                ^^^^^^^^^^^^^^^^^^^^^
              |
              = help: leave `tls` out"#]],
    );
    refused(
        &rest(r#"base_url: "https://example.org" tls: a == "x" method: "GET""#),
        expect![[r#"
            m.dag:5:59: error[E0902]: `tls` is `true` or `false`, written out
              |
            5 |     transport rest { base_url: "https://example.org" tls: a == "x" method: "GET" } }
              |                                                           ^^^^^^^^
              |
              = note: who reads the transport sees whether others on the way can read the request"#]],
    );
    for wrong in [
        "example.org",
        "ftp://example.org",
        "https://",
        "https://user@example.org",
        "https://example.org:",
        "https://example.org:0",
        "https://example.org:65536",
        "https://example.org:+1",
        "https://example..org",
        "https://[::1",
        "https://[x]",
        "https://[::1]x",
        "https://example.org?a",
        "https://example.org#a",
        "https://example.org/a?b",
        "https://example.org/%2e%2e",
        "https://example.org/a/../b",
        "https://example.org/ ",
        "https://bücher.example",
        "https://example.org\\n",
    ] {
        let text = rest(&format!(r#"base_url: "{wrong}" method: "GET""#));
        breaks("E0902", &text);
    }
    refused(
        r#"module m
type Got { title: String }
service Web {
  config { endpoint: 3 auth: "x" limit: 3 endpoint: "https://x" }
  operation Get readonly (path: String) -> Got
  transport rest { method: "POST" path: path query: 3 }
}
service Two {
  operation B(token: Secret) -> Got
  transport rest { path: "/" method: "get" tls: "yes" response_format: "xml" }
}
"#,
        expect![[r#"
            m.dag:4:22: error[E0301]: expected String, found Int
              |
            4 |   config { endpoint: 3 auth: "x" limit: 3 endpoint: "https://x" }
              |                      ^
            m.dag:4:24: error[E0901]: nothing reads `auth`
              |
            4 |   config { endpoint: 3 auth: "x" limit: 3 endpoint: "https://x" }
              |                        ^^^^
              |
              = help: give a request its secret in a header, or with `auth_basic`
            m.dag:4:34: error[E0902]: there is no entry `limit` here
              |
            4 |   config { endpoint: 3 auth: "x" limit: 3 endpoint: "https://x" }
              |                                  ^^^^^
              |
              = note: the entries are `endpoint`, `auth`, `auth_input`, `auth_source` and `rate_limit`
            m.dag:4:43: error[E0902]: the entry `endpoint` stands twice
              |
            4 |   config { endpoint: 3 auth: "x" limit: 3 endpoint: "https://x" }
              |                                           ^^^^^^^^
            m.dag:6:28: error[E0902]: a `readonly` operation makes no POST request
              |
            6 |   transport rest { method: "POST" path: path query: 3 }
              |                            ^^^^^^
            m.dag:6:53: error[E0902]: `query` is written out: `{ "name": value }`
              |
            6 |   transport rest { method: "POST" path: path query: 3 }
              |                                                     ^
              |
              = note: a name that a value gives could say something else than is meant
            m.dag:10:3: error[E0902]: nothing says where the request goes
               |
            10 |   transport rest { path: "/" method: "get" tls: "yes" response_format: "xml" }
               |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
               |
               = help: give the transport a `base_url`, or the service a `config { endpoint: … }`
            m.dag:10:38: error[E0902]: the method is `"GET"`, `"HEAD"`, `"POST"`, `"PUT"`, `"PATCH"` or `"DELETE"`, written out
               |
            10 |   transport rest { path: "/" method: "get" tls: "yes" response_format: "xml" }
               |                                      ^^^^^
            m.dag:10:49: error[E0902]: `tls` is `true` or `false`, written out
               |
            10 |   transport rest { path: "/" method: "get" tls: "yes" response_format: "xml" }
               |                                                 ^^^^^
               |
               = note: who reads the transport sees whether others on the way can read the request
            m.dag:10:72: error[E0902]: the format is `"json"` or `"text"`, written out
               |
            10 |   transport rest { path: "/" method: "get" tls: "yes" response_format: "xml" }
               |                                                                        ^^^^^"#]],
    );
}

#[test]
fn a_path_is_encoded_segment_by_segment() {
    let path = |path: &str| rest(&format!("{TO} path: {path}"));
    sound(&path(r#""/repos/{a}/{n}:batch""#));
    sound(&path(r#""/""#));
    sound(&path("a"));
    refused(
        &path(r#""{a}""#),
        expect![[r#"
            m.dag:5:74: error[E0902]: a path begins with `/`
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" path: "{a}" } }
              |                                                                          ^^^^^
              |
              = note: a hole is encoded, the `/` in it too: it is one segment
              = help: write `path: name`, without quotes, for a path with all its segments"#]],
    );
    refused(
        &path(r#""repos/{a}""#),
        expect![[r#"
            m.dag:5:74: error[E0902]: a path begins with `/`
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" path: "repos/{a}" } }
              |                                                                          ^^^^^^^^^^^"#]],
    );
    refused(
        &path(r#""/find?name={a}""#),
        expect![[r#"
            m.dag:5:74: error[E0902]: a path has no `?`, `#` or `%`
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" path: "/find?name={a}" } }
              |                                                                          ^^^^^^^^^^^^^^^^
              |
              = note: what a path needs encoded is encoded where the request is made
              = help: write `query: { name: value }` for what stands behind a `?`"#]],
    );
    refused(
        &path(r#""/a%2Fb""#),
        expect![[r#"
            m.dag:5:74: error[E0902]: a path has no `?`, `#` or `%`
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" path: "/a%2Fb" } }
              |                                                                          ^^^^^^^^
              |
              = note: what a path needs encoded is encoded where the request is made
              = help: write `query: { name: value }` for what stands behind a `?`"#]],
    );
    refused(
        &path(r#""/a/../{a}""#),
        expect![[r#"
            m.dag:5:74: error[E0902]: a path has no segment `.` or `..`
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" path: "/a/../{a}" } }
              |                                                                          ^^^^^^^^^^^
              |
              = note: a server takes it away, with the segment before it"#]],
    );
    refused(
        &path(r#""/{l}""#),
        expect![[r#"
            m.dag:5:77: error[E0903]: a hole of a request shows a text, a number or a name, not List<String>
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" path: "/{l}" } }
              |                                                                             ^
              |
              = help: write the list as an element of its own: a word for each"#]],
    );
    refused(
        &path(r#""/{token}""#),
        expect![[r#"
            m.dag:5:77: error[E0907]: a secret would be shown here
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" path: "/{token}" } }
              |                                                                             ^^^^^
              |
              = note: where a request goes and what it carries is kept by servers and in recordings
              = help: give it in a header, `"Authorization": "Bearer {token}"`, or as the password of `auth_basic`"#]],
    );
    refused(
        &path("token"),
        expect![[r#"
            m.dag:5:74: error[E0907]: a secret would be shown here
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" path: token } }
              |                                                                          ^^^^^
              |
              = note: where a request goes and what it carries is kept by servers and in recordings
              = help: give it in a header, `"Authorization": "Bearer {token}"`, or as the password of `auth_basic`"#]],
    );
    refused(
        &path("l"),
        expect![[r#"
            m.dag:5:74: error[E0301]: expected String, found List<String>
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" path: l } }
              |                                                                          ^"#]],
    );
}

#[test]
fn a_query_has_names_that_are_written_out() {
    let query = |query: &str| rest(&format!("{TO} query: {query}"));
    sound(&query(r#"{ a: a, "per page": "{n}", l: l, o: o }"#));
    sound(&query("{ a: a, A: a }"));
    sound(&query("{}"));
    refused(
        &query("l"),
        expect![[r#"
            m.dag:5:75: error[E0902]: `query` is written out: `{ "name": value }`
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" query: l } }
              |                                                                           ^
              |
              = note: a name that a value gives could say something else than is meant"#]],
    );
    refused(
        &query(r#"{ "{a}": a }"#),
        expect![[r#"
            m.dag:5:78: error[E0101]: a key in a map is a string without holes
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" query: { "{a}": a } } }
              |                                                                              ^
              |
              = help: write `map_insert(map, key, value)`"#]],
    );
    refused(
        &query("{ a }"),
        expect![[r#"
            m.dag:5:75: error[E0902]: `query` is written out: `{ "name": value }`
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" query: { a } } }
              |                                                                           ^^^^^
              |
              = note: a name that a value gives could say something else than is meant"#]],
    );
    refused(
        &query("{ n: n }"),
        expect![[r#"
            m.dag:5:80: error[E0301]: expected String, String? or List<String>, found Int
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" query: { n: n } } }
              |                                                                                ^
              |
              = help: write a number or a name in a string: `"{…}"`"#]],
    );
    refused(
        &query("{ a: a, a: a }"),
        expect![[r#"
            m.dag:5:83: error[E0902]: `a` stands twice
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" query: { a: a, a: a } } }
              |                                                                             -     ^
              |                                                                             |
              |                                                                             the first time"#]],
    );
    refused(
        &query(r#"{ a: token, b: "{token}" }"#),
        expect![[r#"
            m.dag:5:80: error[E0907]: a secret would be shown here
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" query: { a: token, b: "{token}" } } }
              |                                                                                ^^^^^
              |
              = note: where a request goes and what it carries is kept by servers and in recordings
              = help: give it in a header, `"Authorization": "Bearer {token}"`, or as the password of `auth_basic`
            m.dag:5:92: error[E0907]: a secret would be shown here
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" query: { a: token, b: "{token}" } } }
              |                                                                                            ^^^^^
              |
              = note: where a request goes and what it carries is kept by servers and in recordings
              = help: give it in a header, `"Authorization": "Bearer {token}"`, or as the password of `auth_basic`"#]],
    );
}

#[test]
fn a_header_has_a_name_of_its_own() {
    let headers = |headers: &str| rest(&format!("{TO} headers: {headers}"));
    sound(&headers(
        r#"{ "X-A": a, "X-B": "b {n} {token}", Authorization: "Bearer {token}" }"#,
    ));
    sound(&headers("{ Authorization: token }"));
    refused(
        &headers(r#"{ "X A": a }"#),
        expect![[r#"
            m.dag:5:79: error[E0902]: `X A` is no name of a header
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" headers: { "X A": a } } }
              |                                                                               ^^^^^"#]],
    );
    refused(
        &headers(r#"{ "X-A\r\nX-B": a }"#),
        expect![[r#"
            m.dag:5:79: error[E0902]: `X-A\r
                          X-B` is no name of a header
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" headers: { "X-A\r\nX-B": a } } }
              |                                                                               ^^^^^^^^^^^^
            m.dag:5:83: warning[W0107]: `\r` is no escape and is kept as it is written
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" headers: { "X-A\r\nX-B": a } } }
              |                                                                                   ^^
              |
              = help: write `\\` for a backslash"#]],
    );
    refused(
        &headers(r#"{ Host: a, "content-length": "3", "Proxy-Authorization": token }"#),
        expect![[r#"
            m.dag:5:79: error[E0902]: the header `Host` is not the operation's to write
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" headers: { Host: a, "content-length": "3", "Proxy-Authorization": ...
              |                                                                               ^^^^
              |
              = note: it follows from the request, and would stand there twice
            m.dag:5:88: error[E0902]: the header `content-length` is not the operation's to write
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" headers: { Host: a, "content-length": "3", "Proxy-Authorization": ...
              |                                                                                        ^^^^^^^^^^^^^^^^
              |
              = note: it follows from the request, and would stand there twice
            m.dag:5:111: error[E0902]: the header `Proxy-Authorization` is not the operation's to write
              |
            5 | ...hod: "GET" headers: { Host: a, "content-length": "3", "Proxy-Authorization": token } } }
              |                                                          ^^^^^^^^^^^^^^^^^^^^^
              |
              = note: it follows from the request, and would stand there twice"#]],
    );
    refused(
        &headers(r#"{ "X-A": a, "x-a": a }"#),
        expect![[r#"
            m.dag:5:89: error[E0902]: `x-a` stands twice
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" headers: { "X-A": a, "x-a": a } } }
              |                                                                               -----     ^^^^^
              |                                                                               |
              |                                                                               the first time"#]],
    );
    refused(
        &headers(r#"{ "X-A": l, "X-B": "{o}" }"#),
        expect![[r#"
            m.dag:5:86: error[E0301]: expected String or Secret, found List<String>
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" headers: { "X-A": l, "X-B": "{o}" } } }
              |                                                                                      ^
            m.dag:5:98: error[E0903]: a hole of a request shows a text, a number or a name, not String?
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" headers: { "X-A": l, "X-B": "{o}" } } }
              |                                                                                                  ^
              |
              = help: `match` it, or give a value with `?? …`"#]],
    );
    refused(
        &headers(r#"{ Authorization: "Bearer {a}" }"#),
        expect![[r#"
            m.dag:5:94: error[E0907]: what lets a request in is a Secret
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" headers: { Authorization: "Bearer {a}" } } }
              |                                                                                              ^^^^^^^^^^^^
              |
              = note: a text stands in the model, in recordings and in messages
              = help: take a parameter `token: Secret`, and write `"Bearer {token}"`"#]],
    );
    refused(
        &headers(r#"{ Authorization: token } auth_basic: { user: a, password: token }"#),
        expect![[r#"
            m.dag:5:79: error[E0902]: `auth_basic` writes this header already
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" headers: { Authorization: token } auth_basic: { user: a, password:...
              |                                                                               ^^^^^^^^^^^^^"#]],
    );
}

#[test]
fn basic_authentication_takes_a_user_and_a_secret() {
    let basic = |basic: &str| rest(&format!("{TO} auth_basic: {basic}"));
    sound(&basic("{ user: a, password: token }"));
    refused(
        &basic("token"),
        expect![[r#"
            m.dag:5:80: error[E0902]: `auth_basic` is written out: `{ "name": value }`
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" auth_basic: token } }
              |                                                                                ^^^^^
              |
              = note: a name that a value gives could say something else than is meant"#]],
    );
    refused(
        &basic("{ user: a }"),
        expect![[r#"
            m.dag:5:80: error[E0902]: `auth_basic` is `{ user: …, password: … }`
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" auth_basic: { user: a } } }
              |                                                                                ^^^^^^^^^^^"#]],
    );
    refused(
        &basic("{ user: token, password: a }"),
        expect![[r#"
            m.dag:5:88: error[E0907]: a secret would be shown here
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" auth_basic: { user: token, password: a } } }
              |                                                                                        ^^^^^
              |
              = note: where a request goes and what it carries is kept by servers and in recordings
              = help: give it in a header, `"Authorization": "Bearer {token}"`, or as the password of `auth_basic`
            m.dag:5:105: error[E0301]: expected Secret, found String
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" auth_basic: { user: token, password: a } } }
              |                                                                                                         ^
              |
              = help: take a parameter `password: Secret`"#]],
    );
    refused(
        &basic("{ user: a, password: token, realm: a }"),
        expect![[r#"
            m.dag:5:80: error[E0902]: `auth_basic` is `{ user: …, password: … }`
              |
            5 |     transport rest { base_url: "https://example.org" method: "GET" auth_basic: { user: a, password: token, realm: a } } }
              |                                                                                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^"#]],
    );
}

#[test]
fn a_body_has_a_type_and_a_method_that_carries_it() {
    let body = |method: &str, rest_of: &str| {
        rest(&format!(
            r#"base_url: "https://x" method: "{method}" {rest_of}"#
        ))
    };
    let json = r#"headers: { "content-type": "application/json" }"#;
    for method in ["POST", "PUT", "PATCH"] {
        sound(&body(method, &format!("{json} body: a")));
        sound(&body(method, ""));
    }
    refused(
        &body("GET", &format!("{json} body: a")),
        expect![[r#"
            m.dag:5:112: error[E0902]: a GET request has no body
              |
            5 |     transport rest { base_url: "https://x" method: "GET" headers: { "content-type": "application/json" } body: a } }
              |                                                                                                                ^
              |
              = note: servers and proxies drop it, or take it for the next request (RFC 9110, 9.3)"#]],
    );
    refused(
        &body("DELETE", &format!("{json} body: a")),
        expect![[r#"
            m.dag:5:115: error[E0902]: a DELETE request has no body
              |
            5 |     transport rest { base_url: "https://x" method: "DELETE" headers: { "content-type": "application/json" } body: a } }
              |                                                                                                                   ^
              |
              = note: servers and proxies drop it, or take it for the next request (RFC 9110, 9.3)"#]],
    );
    refused(
        &body("POST", "body: a"),
        expect![[r#"
            m.dag:5:65: error[E0902]: nothing says what the body is
              |
            5 |     transport rest { base_url: "https://x" method: "POST" body: a } }
              |                                                                 ^
              |
              = help: write `headers: { "Content-Type": "application/json" }`"#]],
    );
    refused(
        &body("POST", &format!("{json} body: token")),
        expect![[r#"
            m.dag:5:113: error[E0907]: a secret would be shown here
              |
            5 |     transport rest { base_url: "https://x" method: "POST" headers: { "content-type": "application/json" } body: token } }
              |                                                                                                                 ^^^^^
              |
              = note: where a request goes and what it carries is kept by servers and in recordings
              = help: give it in a header, `"Authorization": "Bearer {token}"`, or as the password of `auth_basic`"#]],
    );
}

#[test]
fn an_answer_has_a_status_headers_and_a_body() {
    let output = |output: &str, entries: &str| {
        format!(
            "module m\nservice Web {{\n  operation Op {{ output {{ {output} }} transport rest {{ base_url: \"https://x\" {entries} }} }}\n}}\n"
        )
    };
    let get = r#"method: "GET""#;
    let all = r#"s: Int from "http_status", b: String from "http_body", t: String? from "http_header:ETag", p: String"#;
    sound(&output(all, get));
    sound(&output(
        r#"s: Int from "http_status", b: String from "http_body""#,
        r#"method: "GET" response_format: "text""#,
    ));
    sound(&output(
        r#"s: Int from "http_status", t: String? from "http_header:ETag""#,
        r#"method: "HEAD""#,
    ));
    refused(
        &output(all, r#"method: "GET" response_format: "text""#),
        expect![[r#"
            m.dag:3:130: error[E0904]: an output is read at `/p` of an answer that is text
              |
            3 | ...header:ETag", p: String } transport rest { base_url: "https://x" method: "GET" response_format: "text" } }
              |                              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = help: read it `from "http_body"`, or leave `response_format` out"#]],
    );
    refused(
        &output(all, r#"method: "HEAD""#),
        expect![[r#"
            m.dag:3:130: error[E0904]: a HEAD request is answered without a body
              |
            3 | ...from "http_header:ETag", p: String } transport rest { base_url: "https://x" method: "HEAD" } }
              |                                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = help: read `http_status` or `http_header:NAME`, or make it a GET request"#]],
    );
    refused(
        &output(
            r#"s: String from "http_status", b: Int from "http_body", t: String from "http_header:ETag""#,
            get,
        ),
        expect![[r#"
            m.dag:3:27: error[E0904]: `http_status` gives Int, and the field is declared as String
              |
            3 |   operation Op { output { s: String from "http_status", b: Int from "http_body", t: String from "http_header:ETag" } transport rest {...
              |                           ^
            m.dag:3:57: error[E0904]: `http_body` gives String, and the field is declared as Int
              |
            3 |   operation Op { output { s: String from "http_status", b: Int from "http_body", t: String from "http_header:ETag" } transport rest {...
              |                                                         ^
            m.dag:3:82: error[E0904]: `http_header:ETag` gives String?, and the field is declared as String
              |
            3 |   operation Op { output { s: String from "http_status", b: Int from "http_body", t: String from "http_header:ETag" } transport rest {...
              |                                                                                  ^
              |
              = note: an answer need not have the header"#]],
    );
}

#[test]
fn a_mock_has_the_type_of_the_outputs() {
    let mock = |rows: &str| {
        operation(&format!(
            "input {{ a: String }} output {{ text: String from \"stdout\" }} {SHELL}\n    mock_response {{ {rows} }}"
        ))
    };
    sound(&mock("0 => Output { text: a }"));
    sound(&mock(
        "0 => if a == \"x\" { Present { value: Output { text: a } } } else { none }\n 0 => S.Op { text: \"\" }",
    ));
    refused(
        &mock("0 => Output { text: 3 }"),
        expect![[r#"
            m.dag:5:41: error[E0301]: expected String, found Int
              |
            4 |     input { a: String } output { text: String from "stdout" } transport shell { argv: ["ls"] }
              |                                  ---- the field `text`
            5 |     mock_response { 0 => Output { text: 3 } }
              |                                         ^
              |
              = help: write `to_string(…)`"#]],
    );
    refused(
        &mock("0 => \"text\""),
        expect![[r#"
            m.dag:5:26: error[E0301]: expected S.Op?, found String
              |
            5 |     mock_response { 0 => "text" }
              |                          ^^^^^^"#]],
    );
    refused(
        &mock("1 => Output { text: a }"),
        expect![[r#"
            m.dag:5:21: error[E0905]: the operation gives nothing for the status 1
              |
            5 |     mock_response { 1 => Output { text: a } }
              |                     ^^^^^^^^^^^^^^^^^^^^^^^
              |
              = help: give the status a row in its `exit` or `response` table"#]],
    );
    refused(
        &mock("0 => Output { text: b }"),
        expect![[r#"
            m.dag:5:41: error[E0206]: there is no `b` here
              |
            5 |     mock_response { 0 => Output { text: b } }
              |                                         ^"#]],
    );
    refused(
        &mock("0 => S.Op(a)"),
        expect![[r#"
            m.dag:5:26: error[E0906]: `S.Op` is an operation, and is called outside a workflow
              |
            5 |     mock_response { 0 => S.Op(a) }
              |                          ^^^^
              |
              = note: a function and a `data` item give the same value whenever they are asked
              = help: work the value out in a workflow, and take it as an input"#]],
    );
    refused(
        &mock(""),
        expect![[r#"
            m.dag:5:5: error[E0902]: a mock has a row
              |
            5 |     mock_response {  }
              |     ^^^^^^^^^^^^^^^^^^"#]],
    );
}

#[test]
fn no_operation_gives_an_observed_value() {
    let types = r#"module m
type Reading observed { text: String from "stdout" }
type Wrapped = | Held { reading: Reading } | Plain { text: String from "stdout" }
type Deep { list: List<Wrapped?> }
type Sealed sole_constructor { text: String from "stdout" }
"#;
    let service =
        |parts: &str| format!("{types}service S {{ operation Op {{ {SHELL} {parts} }} }}\n");
    // As a row, as a result, inside one, in a variant that no row names, in a mock.
    refused(
        &service("exit { 0 => Reading }"),
        expect![[r#"
            m.dag:6:61: error[E0601]: an operation gives no `Reading`: it is observed
              |
            2 | type Reading observed { text: String from "stdout" }
              |      ------- declared here
            ...
            6 | service S { operation Op { transport shell { argv: ["ls"] } exit { 0 => Reading } } }
              |                                                             ^^^^^^^^^^^^^^^^^^^^^
              |
              = note: what a program prints is no observation: nobody knows when and where it was read
              = help: give a type of your own, and take the observation as a parameter where it counts"#]],
    );
    breaks("E0601", &service("exit { 0 => Plain }"));
    breaks(
        "E0601",
        &format!(
            "{types}service S {{ operation Op() -> Reading transport shell {{ argv: [\"ls\"] }} }}\n"
        ),
    );
    let codes = codes_of(&[("m.dag", &service("output { deep: Deep from \"stdout\" }"))]);
    assert_eq!(codes, ["E0601", "E0904"]);
    breaks(
        "E0601",
        &service("output { t: String from \"stdout\" } mock_response { 0 => fake(Reading { text: \"\" }) }")
            .replace("service S", "fn fake(r: Reading) -> S.Op = S.Op { t: r.text }\nservice S"),
    );
    // Not in a test file either, where a literal may be written.
    let test = service("exit { 0 => Reading }");
    assert_eq!(codes_of(&[("m_test.dag", &test)]), ["E0601"]);
    sound(&service("exit { 0 => Sealed }"));
    // A sole constructor is its module's, also for what a program prints.
    let foreign = format!(
        "module n\nimport m {{ Sealed }}\nservice S {{ operation Op {{ {SHELL} exit {{ 0 => Sealed }} }} }}\n"
    );
    assert_eq!(
        codes_of(&[("m.dag", types), ("n.dag", &foreign)]),
        ["E0602"]
    );
}

#[test]
fn a_mistake_in_an_imported_operation_is_reported_once() {
    let service = "module s\nservice S {\n  operation A { transport shell { argv: [\"ls\"] } exit { 0 => Nope } }\n  operation B { transport shell { argv: [\"ls\"] } }\n}\n";
    let user = "module u\nimport s { S }\nfunc f() -> Int {\n  S.B()\n  S.A().x + s.S.A()\n}\n";
    assert_eq!(codes_of(&[("s.dag", service), ("u.dag", user)]), ["E0206"]);
}

#[test]
fn a_mistake_in_a_service_is_reported_once() {
    refused(
        r#"module m
service S {
  operation Broken { transport shell { argv: ["ls"] } inputs { } }
}
func f() { S.Broken() }
fn g(x: S.Broken) -> Int = 1
service T {
  operation Op { input { x: Missing } output { y: String from "nowhere" } transport shell { argv: ["ls"] } }
}
func h() -> String { T.Op(x: 3).y }
"#,
        expect![[r#"
            m.dag:3:55: error[E0101]: expected `input`, `output`, `transport`, `exit`, `response`, `mock_response`, `readonly`, `idempotent`, `hermetic` or `}`, found name `inputs`
              |
            3 |   operation Broken { transport shell { argv: ["ls"] } inputs { } }
              |                                                       ^^^^^^
              |
              = help: did you mean `input`?
            m.dag:8:29: error[E0207]: there is no type `Missing` here
              |
            8 |   operation Op { input { x: Missing } output { y: String from "nowhere" } transport shell { argv: ["ls"] } }
              |                             ^^^^^^^
            m.dag:8:63: error[E0904]: nothing is read from `nowhere` here
              |
            8 |   operation Op { input { x: Missing } output { y: String from "nowhere" } transport shell { argv: ["ls"] } }
              |                                                               ^^^^^^^^^
              |
              = note: a field is read from `stdout`, `stderr`, `stdout_lines`, `exit_code` and `exit_success`
              = help: say where the field is read from: `… from "stdout"`"#]],
    );
}

#[test]
fn a_promise_says_where_it_stands() {
    let op = |head: &str| {
        format!(
            "module m\nservice S {{\n  operation {head}\n  transport shell {{ argv: [\"/usr/bin/x\"] }}\n}}\n"
        )
    };
    refused(
        &op("Find readonly { output { out: String from \"stdout\" } }"),
        expect![[r#"
            m.dag:3:18: error[E0101]: `readonly` stands before the braces of an operation
              |
            3 |   operation Find readonly { output { out: String from "stdout" } }
              |                  ^^^^^^^^
              |
              = help: write `operation Find { readonly … }`, or `operation Find readonly(…)` without braces"#]],
    );
    refused(
        &op("Find readnly (x: String)"),
        expect![[r#"
        m.dag:3:18: error[E0101]: an operation promises nothing that is called `readnly`
          |
        3 |   operation Find readnly (x: String)
          |                  ^^^^^^^
          |
          = help: write `readonly`, `idempotent` or `hermetic`: before the `(` in `operation Find readonly(…)`, or within the braces in `operation Find { readonly … }`"#]],
    );
    refused(
        &op("Find { readnly }"),
        expect![[r#"
            m.dag:3:20: error[E0101]: expected `input`, `output`, `transport`, `exit`, `response`, `mock_response`, `readonly`, `idempotent`, `hermetic` or `}`, found name `readnly`
              |
            3 |   operation Find { readnly }
              |                    ^^^^^^^
              |
              = help: did you mean `readonly`?"#]],
    );
    sound(&op("Find { readonly }"));
    sound(&op("Find readonly (x: String)"));
}

#[test]
fn the_entries_of_a_transport_are_looked_at_once_whatever_its_operations_give() {
    let of = |own: &str| {
        format!(
            "module m\nservice S {{\n  operation A {{ output {{ out: String from \"stdoot\" }} {own} }}\n  operation B {{ transport shell {{ argv: [\"/usr/bin/x\"], stdn: \"b\" }} }}\n  operation C() -> {{ out: String from \"stdout\" }}\n  operation D() -> {{ out: String from \"stdout\" }}\n  transport shell {{ argv: [\"/usr/bin/x\"], stdn: \"shared\" }}\n}}\n"
        )
    };
    refused(
        &of(""),
        expect![[r#"
        m.dag:3:43: error[E0904]: nothing is read from `stdoot` here
          |
        3 |   operation A { output { out: String from "stdoot" }  }
          |                                           ^^^^^^^^
          |
          = note: a field is read from `stdout`, `stderr`, `stdout_lines`, `exit_code` and `exit_success`
          = help: did you mean `from "stdout"`?
        m.dag:4:57: error[E0902]: there is no entry `stdn` here
          |
        4 |   operation B { transport shell { argv: ["/usr/bin/x"], stdn: "b" } }
          |                                                         ^^^^
          |
          = note: the entries are `argv` and `stdin`
          = help: did you mean `stdin`?
        m.dag:7:43: error[E0902]: there is no entry `stdn` here
          |
        7 |   transport shell { argv: ["/usr/bin/x"], stdn: "shared" }
          |                                           ^^^^
          |
          = note: the entries are `argv` and `stdin`
          = help: did you mean `stdin`?"#]],
    );
    assert_eq!(
        codes_of(&[(
            "m.dag",
            &of("transport shell { argv: [\"/usr/bin/x\"], stdn: \"a\" }")
        )]),
        ["E0904", "E0902", "E0902", "E0902"]
    );
}

#[test]
fn what_is_no_name_of_an_answer_and_no_pointer_is_refused() {
    let read = |field: &str| {
        operation(&format!(
            "output {{ {field} }}\n    transport rest {{ base_url: \"https://x\" method: \"GET\" }}"
        ))
    };
    refused(
        &read(r#"b: String from "http_bdy""#),
        expect![[r#"
        m.dag:4:29: error[E0904]: an answer has no `http_bdy`
          |
        4 |     output { b: String from "http_bdy" }
          |                             ^^^^^^^^^^
          |
          = note: beside its JSON it has `http_status`, `http_body` and `http_header:NAME`
          = help: did you mean `from "http_body"`? A member of that name is written `from "/http_bdy"`"#]],
    );
    refused(
        &read(r#"t: String? from "http_headr:ETag""#),
        expect![[r#"
        m.dag:4:30: error[E0904]: an answer has no `http_headr:ETag`
          |
        4 |     output { t: String? from "http_headr:ETag" }
          |                              ^^^^^^^^^^^^^^^^^
          |
          = note: beside its JSON it has `http_status`, `http_body` and `http_header:NAME`
          = help: did you mean `from "http_header:ETag"`? A member of that name is written `from "/http_headr:ETag"`"#]],
    );
    refused(
        &read("http_port: Int"),
        expect![[r#"
        m.dag:4:14: error[E0904]: an answer has no `http_port`
          |
        4 |     output { http_port: Int }
          |              ^^^^^^^^^
          |
          = note: beside its JSON it has `http_status`, `http_body` and `http_header:NAME`
          = help: did you mean `from "http_body"`? A member of that name is written `from "/http_port"`"#]],
    );
    refused(
        &read(r#"x: String from "$.a[0].b""#),
        expect![[r#"
        m.dag:4:29: error[E0904]: `$.a[0].b` is no JSON pointer
          |
        4 |     output { x: String from "$.a[0].b" }
          |                             ^^^^^^^^^^
          |
          = note: a member is named by a JSON pointer: RFC 6901
          = help: write `from "/a/0/b"`"#]],
    );
    for (field, cure) in [
        (
            r#"x: String? from "http_header""#,
            "did you mean `from \"http_header:NAME\"`?",
        ),
        (r#"x: String from "$x""#, "write the names on the way"),
        (r#"x: String from "$""#, "write the names on the way"),
        (r#"x: String from "$['a b']""#, "write the names on the way"),
        (r#"x: String from "$.a-b""#, "write `from \"/a-b\"`"),
    ] {
        let text = read(field);
        breaks("E0904", &text);
        let shown = errors_of(&[("m.dag", &text)]);
        assert!(shown.contains(cure), "{shown}");
    }
    for field in [
        r#"b: String from "http_body""#,
        r#"p: Int from "/http_port""#,
        r#"p: Int from "/$x""#,
        r#"h: Int from "httpd""#,
        "http: Int",
    ] {
        sound(&read(field));
    }
}
