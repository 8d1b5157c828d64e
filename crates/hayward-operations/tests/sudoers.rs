//! Lines of sudoers: what an operation can ask, and nothing else. Where
//! `visudo` is, it reads them too.
#![allow(clippy::unwrap_used, clippy::print_stdout)] // a test that did not run says so

use dag_syntax::{Style, render_text};
use expect_test::{Expect, expect};
use hayward_operations::sudoers;
use std::process::Command;

fn lines_of(text: &str) -> (Vec<String>, String) {
    let (program, sources) = dag_given::sound(&[("m.dag", text)]);
    let shown = |d: &dag_syntax::Diagnostic| render_text(d, &sources, Style::Plain);
    let (grants, refused) = sudoers(&program, |_, _| true);
    let lines: Vec<String> = grants.iter().map(|g| g.line("runner", "ALL")).collect();
    read_by_visudo(&lines);
    let refused: Vec<String> = refused.iter().map(shown).collect();
    (lines, refused.join("\n"))
}

fn read_by_visudo(lines: &[String]) {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), format!("{}\n", lines.join("\n"))).unwrap();
    let mut visudo = Command::new("visudo");
    let path = std::env::var("PATH").unwrap_or_default();
    visudo.env("PATH", format!("{path}:/usr/sbin:/sbin"));
    match visudo.arg("-cf").arg(file.path()).output() {
        Ok(output) => assert!(output.status.success(), "{output:?}\n{lines:?}"),
        Err(_) => println!("NOT RUN: visudo is not installed, and reads no line"),
    }
}

fn service(operation: &str) -> String {
    format!(
        "module m\ntype Verb = start | stop\ntype Name = String where pattern(\"[a-z0-9.-]+\\\\.service\")\ntype Loose = String where pattern(\".*\")\ntype Port = Int where range(min: 1, max: 65535)\nservice S {{ {operation} }}\n"
    )
    .replace("= start | stop", "= Start | Stop")
}

fn permits(operation: &str, expected: Expect) {
    let (lines, refused) = lines_of(&service(operation));
    assert_eq!(refused, "");
    expected.assert_eq(&lines.join("\n"));
}

fn refuses(operation: &str, expected: Expect) {
    let (lines, refused) = lines_of(&service(operation));
    assert!(lines.is_empty(), "{lines:?}");
    expected.assert_eq(&refused);
}

#[test]
fn words_that_are_written_out_are_permitted() {
    permits(
        r#"operation A() transport shell { argv: ["/usr/bin/systemctl", "daemon-reload"] }"#,
        expect!["runner ALL=(root) NOPASSWD: /usr/bin/systemctl daemon-reload"],
    );
    permits(
        r#"operation A() transport shell { argv: ["/usr/bin/id"] }"#,
        expect![[r#"runner ALL=(root) NOPASSWD: /usr/bin/id """#]],
    );
    permits(
        r#"operation A() transport shell { argv: ["/usr/bin/x", "--a=b:c,d#e", "*?[x]"] }"#,
        expect![[r#"runner ALL=(root) NOPASSWD: /usr/bin/x --a\=b\:c\,d\#e \*\?\[x\]"#]],
    );
    permits(
        r#"operation A() transport shell { argv: ["/usr/bin/sudo", "-n", "--", "/usr/bin/x", "-n"] }"#,
        expect!["runner ALL=(root) NOPASSWD: /usr/bin/x -n"],
    );
    // Of another transport there is no line.
    permits(
        r#"operation A() transport file { path: "/x" }"#,
        expect![[""]],
    );
}

#[test]
fn inputs_are_permitted_as_far_as_their_types_go() {
    permits(
        r#"operation A(verb: Verb, now: Bool) transport shell { argv: ["/usr/bin/x", "{verb}", "--now={now}"] }"#,
        expect![[r#"
            runner ALL=(root) NOPASSWD: /usr/bin/x Start --now\=true
            runner ALL=(root) NOPASSWD: /usr/bin/x Start --now\=false
            runner ALL=(root) NOPASSWD: /usr/bin/x Stop --now\=true
            runner ALL=(root) NOPASSWD: /usr/bin/x Stop --now\=false"#]],
    );
    permits(
        r#"operation A(unit: Name, verb: Verb, port: Port) transport shell { argv: ["/usr/bin/x", "{verb}", "--port={port}", "--", unit, "a.b"] }"#,
        expect![[r#"
            runner ALL=(root) NOPASSWD: /usr/bin/x ^Start --port=([1-9]|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]|[1-9][0-9]{1,3}) -- ([a-z0-9.-]+\.service) a\.b$
            runner ALL=(root) NOPASSWD: /usr/bin/x ^Stop --port=([1-9]|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]|[1-9][0-9]{1,3}) -- ([a-z0-9.-]+\.service) a\.b$"#]],
    );
}

#[test]
fn the_cure_for_texts_that_are_no_names_is_taken() {
    let text = "module m\ntype Unit = String where pattern(\"(cron|ssh)[.]service\")\nservice S { operation A(x: Unit) transport shell { argv: [\"/usr/bin/x\", x] } }\n";
    let (lines, refused) = lines_of(text);
    assert_eq!(refused, "");
    expect!["runner ALL=(root) NOPASSWD: /usr/bin/x ^((cron|ssh)[.]service)$"]
        .assert_eq(&lines.join("\n"));
}

#[test]
fn what_could_be_anything_is_refused() {
    refuses(
        r#"operation A(x: String) transport shell { argv: ["/usr/bin/x", x] }"#,
        expect![[r#"
            m.dag:6:75: error[E0822]: no line of sudoers for `S.A`: its input `x` can be any text
              |
            6 | service S { operation A(x: String) transport shell { argv: ["/usr/bin/x", x] } }
              |                                                                           ^
              |
              = note: a wildcard would permit every argument, further options too
              = help: give the input a coproduct of names; for texts that are no names, a type `where pattern("(cron|ssh)[.]service")`"#]],
    );
    refuses(
        r#"operation A(x: Loose) transport shell { argv: ["/usr/bin/x", "{x}"] }"#,
        expect![[r#"
            m.dag:6:74: error[E0822]: no line of sudoers for `S.A`: its input `x` can be any text
              |
            6 | service S { operation A(x: Loose) transport shell { argv: ["/usr/bin/x", "{x}"] } }
              |                                                                          ^^^^^
              |
              = note: a wildcard would permit every argument, further options too
              = help: give the input a coproduct of names; for texts that are no names, a type `where pattern("(cron|ssh)[.]service")`"#]],
    );
    refuses(
        r#"operation A(x: List<Name>) transport shell { argv: ["/usr/bin/x", x] }"#,
        expect![[r#"
            m.dag:6:79: error[E0822]: no line of sudoers for `S.A`: its input `x` can be any text
              |
            6 | service S { operation A(x: List<Name>) transport shell { argv: ["/usr/bin/x", x] } }
              |                                                                               ^
              |
              = note: a wildcard would permit every argument, further options too
              = help: give the input a coproduct of names; for texts that are no names, a type `where pattern("(cron|ssh)[.]service")`"#]],
    );
    refuses(
        r#"operation A(x: Name) transport shell { argv: ["/usr/bin/x", x, x] }"#,
        expect![[r#"
            m.dag:6:76: error[E0822]: no line of sudoers for `S.A`: an input stands in it twice
              |
            6 | service S { operation A(x: Name) transport shell { argv: ["/usr/bin/x", x, x] } }
              |                                                                            ^
              |
              = note: a pattern would let the two differ"#]],
    );
    refuses(
        r#"operation A(x: Name) transport shell { argv: ["/usr/bin/x", if x == "a.service" { "a" } else { "b" }] }"#,
        expect![[r#"
            m.dag:6:73: error[E0822]: no line of sudoers for `S.A`: a word of it is worked out
              |
            6 | service S { operation A(x: Name) transport shell { argv: ["/usr/bin/x", if x == "a.service" { "a" } else { "b" }] } }
              |                                                                         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
              |
              = note: a line permits words that are written out, with inputs in them"#]],
    );
}

#[test]
fn a_program_is_an_absolute_path() {
    refuses(
        r#"operation A() transport shell { argv: ["systemctl"] }"#,
        expect![[r#"
            m.dag:6:52: error[E0822]: no line of sudoers for `S.A`: its program is no absolute path
              |
            6 | service S { operation A() transport shell { argv: ["systemctl"] } }
              |                                                    ^^^^^^^^^^^
              |
              = note: a name would permit whichever program is found first"#]],
    );
    refuses(
        r#"operation A() transport shell { argv: ["/usr/bin/sudo", "-n"] }"#,
        expect![[r#"
            m.dag:6:23: error[E0822]: no line of sudoers for `S.A`: it names no program
              |
            6 | service S { operation A() transport shell { argv: ["/usr/bin/sudo", "-n"] } }
              |                       ^
              |
              = note: behind `sudo -n`, the argv goes on with the program"#]],
    );
    refuses(
        r#"operation A() transport shell { argv: ["/usr/bin/sudo", "-u", "x", "/bin/y"] }"#,
        expect![[r#"
            m.dag:6:69: error[E0822]: no line of sudoers for `S.A`: its program is no absolute path
              |
            6 | service S { operation A() transport shell { argv: ["/usr/bin/sudo", "-u", "x", "/bin/y"] } }
              |                                                                     ^^^^
              |
              = note: a name would permit whichever program is found first"#]],
    );
    refuses(
        r#"operation A() transport shell { argv: ["/usr/bin/x y"] }"#,
        expect![[r#"
            m.dag:6:52: error[E0822]: no line of sudoers for `S.A`: its program is no absolute path
              |
            6 | service S { operation A() transport shell { argv: ["/usr/bin/x y"] } }
              |                                                    ^^^^^^^^^^^^^^
              |
              = note: a name would permit whichever program is found first"#]],
    );
}

#[test]
fn a_word_that_could_be_misread_is_refused() {
    refuses(
        r#"operation A() transport shell { argv: ["/usr/bin/x", "a b"] }"#,
        expect![[r#"
            m.dag:6:66: error[E0822]: no line of sudoers for `S.A`: the character ' ' of a word could be misread there
              |
            6 | service S { operation A() transport shell { argv: ["/usr/bin/x", "a b"] } }
              |                                                                  ^^^^^
              |
              = note: sudo compares the arguments joined by spaces, and reads some characters as its own"#]],
    );
    refuses(
        r#"operation A() transport shell { argv: ["/usr/bin/x", ""] }"#,
        expect![[r#"
            m.dag:6:66: error[E0822]: no line of sudoers for `S.A`: a word of it is empty, or may be
              |
            6 | service S { operation A() transport shell { argv: ["/usr/bin/x", ""] } }
              |                                                                  ^^
              |
              = note: sudo compares the arguments joined by spaces, and would not see it"#]],
    );
    refuses(
        r#"operation A(n: String where pattern("[a-z]*")) transport shell { argv: ["/usr/bin/x", n] }"#,
        expect![[r#"
            m.dag:6:99: error[E0822]: no line of sudoers for `S.A`: a word of it is empty, or may be
              |
            6 | service S { operation A(n: String where pattern("[a-z]*")) transport shell { argv: ["/usr/bin/x", n] } }
              |                                                                                                   ^
              |
              = note: sudo compares the arguments joined by spaces, and would not see it"#]],
    );
    refuses(
        r#"operation A() transport shell { argv: ["/usr/bin/x", "^a$"] }"#,
        expect![[r#"
            m.dag:6:66: error[E0822]: no line of sudoers for `S.A`: the character '^' of a word could be misread there
              |
            6 | service S { operation A() transport shell { argv: ["/usr/bin/x", "^a$"] } }
              |                                                                  ^^^^^
              |
              = note: sudo compares the arguments joined by spaces, and reads some characters as its own"#]],
    );
    refuses(
        r#"operation A(n: Name) transport shell { argv: ["/usr/bin/x", "a#b", n] }"#,
        expect![[r#"
            m.dag:6:73: error[E0822]: no line of sudoers for `S.A`: the character '#' of a word could be misread there
              |
            6 | service S { operation A(n: Name) transport shell { argv: ["/usr/bin/x", "a#b", n] } }
              |                                                                         ^^^^^
              |
              = note: sudo compares the arguments joined by spaces, and reads some characters as its own"#]],
    );
    let inputs: Vec<String> = (0..9).map(|n| format!("b{n}: Bool")).collect();
    let words: Vec<String> = (0..9).map(|n| format!("\"{{b{n}}}\"")).collect();
    refuses(
        &format!(
            r#"operation A({}) transport shell {{ argv: ["/usr/bin/x", {}] }}"#,
            inputs.join(", "),
            words.join(", ")
        ),
        expect![[r#"
            m.dag:6:23: error[E0822]: no line of sudoers for `S.A`: it would have more than 256 lines
              |
            6 | service S { operation A(b0: Bool, b1: Bool, b2: Bool, b3: Bool, b4: Bool, b5: Bool, b6: Bool, b7: Bool, b8: Bool) transport shell { a...
              |                       ^
              |
              = note: a line is written for each combination of the names that its inputs can be"#]],
    );
}

#[test]
fn a_program_that_sudo_reads_as_something_else_is_refused() {
    let program =
        |path: &str| format!(r#"operation A() transport shell {{ argv: ["{path}", "x"] }}"#);
    for (path, what) in [
        ("/usr/bin/", "its program is a folder"),
        ("/", "its program is a folder"),
        ("/usr/bin/../sbin/x", "its program is no plain path"),
        ("/usr/./bin/x", "its program is no plain path"),
        ("/usr//bin/x", "its program is no plain path"),
        ("/usr/bin/sudoedit", "its program is `sudoedit`"),
        ("sudoedit", "its program is no absolute path"),
        ("ALL", "its program is no absolute path"),
        ("sha256:00 /usr/bin/x", "its program is no absolute path"),
        ("/usr/bin/*", "its program is no absolute path"),
        ("/usr/bin/x y", "its program is no absolute path"),
        ("/usr/bin/x,/bin/y", "its program is no absolute path"),
        ("/usr/bin/x:y", "its program is no absolute path"),
        ("/usr/bin/x=y", "its program is no absolute path"),
        (r"/usr/bin/x\\y", "its program is no absolute path"),
    ] {
        let (lines, refused) = lines_of(&service(&program(path)));
        assert!(lines.is_empty(), "{lines:?}");
        assert!(refused.contains(what), "{path}: {refused}");
    }
    for word in ["!x", "^x$", "a\\\\b", "\\\"x\\\"", "(x)", "a b", "a\\n"] {
        let operation =
            format!(r#"operation A() transport shell {{ argv: ["/usr/bin/x", "{word}"] }}"#);
        let (lines, refused) = lines_of(&service(&operation));
        assert!(lines.is_empty(), "{lines:?}");
        assert!(
            refused.contains("could be misread there"),
            "{word}: {refused}"
        );
    }
}
