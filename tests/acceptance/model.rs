//! A model with a mistake: it is named with its place, whoever asks, and nothing is written.

use crate::common::Project;

/// A mistake in the starter: it is refused at its place, and nothing is written.
fn mistaken(change: impl FnOnce(&Project), code: &str, place: &str) {
    let project = Project::starter();
    change(&project);
    project.untouched(|p| {
        p.run(&["check"]).refused(&[code, place]);
        p.run(&["apply", "--yes"])
            .refused(&[code, place, "nothing was done"]);
    });
}

#[test]
fn every_command_refuses_a_model_with_a_mistake() {
    let commands = [
        &["test"][..],
        &["eval", "1"],
        &["render"],
        &["render", "--check"],
        &["plan"],
        &["apply", "--yes"],
        &["observe"],
        &["status"],
    ];
    let project = Project::starter();
    project.write("stray.dag", "module stray\ndata x: Int = true\n");
    project.untouched(|p| {
        for words in commands {
            p.run(words).refused(&[
                "error[E0301]",
                "stray.dag:2:15",
                match words[0] {
                    // It does nothing in any case.
                    "eval" => "\n1 mistake\n",
                    _ => "1 mistake: nothing was done",
                },
            ]);
        }
    });
    project.remove("stray.dag");
    for words in commands {
        project.run(words);
    }
    project
        .run(&["status"])
        .done()
        .says(&["generation 1, as declared"]);
}

/// A further file that the fleet does not import.
fn stray(text: &str) -> impl FnOnce(&Project) {
    move |p| p.write("stray.dag", text)
}

#[test]
fn a_module_that_does_not_parse() {
    mistaken(
        |p| p.edit("units.dag", "data runner:", "data runner"),
        "error[E0101]",
        "units.dag:16:13",
    );
}

#[test]
fn a_module_that_does_not_parse_and_is_not_imported() {
    mistaken(
        stray("module stray\n\nfn f( -> Int { 1 }\n"),
        "error[E0101]",
        "stray.dag:3:7",
    );
    mistaken(
        |p| p.write("deep/er/stray.dag", "modul stray\n"),
        "error[E0109]",
        "deep/er/stray.dag:1:1",
    );
}

#[test]
fn every_mistake_of_every_file_is_listed() {
    let project = Project::starter();
    project.write(
        "a.dag",
        "module a\nfn f( -> Int { 1 }\ndata x: Int = true\n",
    );
    project.write("b.dag", "module b\ndata y: Int = \"s\"\n");
    project.run(&["check"]).refused(&[
        "a.dag:2:7",
        "a.dag:3:15",
        "b.dag:2:15",
        "7 modules: 3 mistakes",
    ]);
}

#[test]
fn a_second_module_of_a_name() {
    mistaken(stray("module fleet.ci\n"), "error[E0201]", "stray.dag:1:8");
}

#[test]
fn imports_in_a_circle() {
    mistaken(
        |p| {
            p.write("a.dag", "module a\nimport b { x }\ndata y: Int = 1\n");
            p.write("b.dag", "module b\nimport c { z }\ndata x: Int = z\n");
            p.write("c.dag", "module c\nimport a { y }\ndata z: Int = y\n");
        },
        "error[E0203]",
        "`a` imports `b` imports `c` imports `a`",
    );
}

#[test]
fn a_value_of_another_type() {
    mistaken(
        |p| p.edit("units.dag", "threads(count: 8)", "gibibytes(count: 8)"),
        "error[E0301]",
        "units.dag:20:",
    );
    mistaken(
        |p| p.edit("ci.dag", "timeout: 60", "timeout: 0"),
        "error[E0309]",
        "ci.dag:40:",
    );
}

#[test]
fn a_match_that_leaves_a_case_out() {
    mistaken(
        stray("module stray\ntype T = A | B\nfn f(t: T) -> Int {\n  match t { A => 1 }\n}\n"),
        "no arm for `B`",
        "stray.dag:4:3",
    );
}

#[test]
fn a_recursion_without_an_end() {
    mistaken(
        stray("module stray\nfn f(n: Int) -> Int { f(n: n + 1) }\n"),
        "error[E0501]",
        "stray.dag:2:",
    );
}

#[test]
fn a_file_that_is_not_utf_8() {
    mistaken(
        |p| p.write("stray.dag", b"module stray\n// \xff\n"),
        "error[E0110]",
        "stray.dag:2:4",
    );
}

#[test]
fn a_witness_that_is_no_bool() {
    mistaken(
        |p| {
            p.write(
                "stray_test.dag",
                "module stray_test\ntest fn w() -> Int { 1 }\n",
            )
        },
        "error[E0312]",
        "stray_test.dag:2:",
    );
    mistaken(
        stray("module stray\ntest fn w() -> Bool { true }\n"),
        "error[E0111]",
        "stray.dag:2:",
    );
}

#[test]
fn a_module_that_is_a_fifo_is_not_waited_for() {
    let project = Project::starter();
    project.fifo("stray.dag");
    for words in [&["check"][..], &["apply", "--yes"], &["check", "stray.dag"]] {
        project.untouched(|p| p.run(words).failed(&["stray.dag", "no regular file"]));
    }
    // A link to a module is one.
    project.remove("stray.dag");
    project.write("../kept.dag", "module stray\n");
    project.link("stray.dag", project.beside("kept.dag"));
    project.run(&["check"]).done().says(&["6 modules"]);
    project.remove("../kept.dag");
    project
        .run(&["check"])
        .failed(&["stray.dag cannot be read"]);
}

#[test]
fn a_root_holds_modules() {
    let project = Project::starter();
    project.untouched(|p| {
        p.run(&["check", "nowhere"])
            .failed(&["there is no such root: nowhere"]);
        p.run(&["check", ".", "nowhere"])
            .failed(&["there is no such root: nowhere"]);
        p.run(&["check", "hosts"])
            .failed(&["there is no .dag file below hosts"]);
        p.run(&["test", "hosts"])
            .failed(&["there is no .dag file below hosts"]);
        p.run(&["eval", "hosts", "1"])
            .failed(&["there is no .dag file below hosts"]);
        p.run(&["check", "hayward.toml"])
            .failed(&["hayward.toml is no .dag file"]);
        p.run(&["check", "."]).done();
        p.run(&["check", "main.dag", "ci.dag", "hosts.dag", "units.dag"])
            .done();
    });
}

#[test]
fn no_witness_is_no_success() {
    let project = Project::starter();
    project.untouched(|p| {
        p.run(&["test", "--filter", "no_such"])
            .failed(&["E0701", "no witness's name contains `no_such`"]);
        p.run(&["test", "--filter", "memory"])
            .done()
            .says(&["1 witness: 1 passed"]);
    });
    project.remove("main_test.dag");
    project.untouched(|p| p.run(&["test"]).failed(&["E0701", "no witness was found"]));
}

#[test]
fn a_witness_that_fails_is_shown_with_both_sides() {
    let project = Project::starter();
    project.write(
        "stray_test.dag",
        "module stray_test\ntest fn sums() -> Bool { 1 + 1 == 3 }\n",
    );
    project.untouched(|p| {
        p.run(&["test"]).refused(&[
            "FAIL  stray_test.sums",
            "E0702",
            "stray_test.dag:2:",
            "5 witnesses: 4 passed, 1 failed",
        ])
    });
    project.write(
        "stray_test.dag",
        "module stray_test\ntest fn sums() -> Bool { 1 / 0 == 3 }\n",
    );
    project.untouched(|p| p.run(&["test"]).refused(&["E0802", "stray_test.dag:2:"]));
    project.write(
        "stray_test.dag",
        "module stray_test\ntest fn sums() -> Bool { 1 + 1 == 2 }\n",
    );
    project.untouched(|p| p.run(&["test"]).done().says(&["5 passed"]));
}

#[test]
fn a_model_that_refuses_while_it_runs_is_located_and_writes_nothing() {
    let project = Project::starter();
    project.edit(
        "units.dag",
        "because: \"fleet.units.memory_limit on {host}\"",
        "because: substring(host, 0, 0) as NonEmptyStr",
    );
    project.run(&["check"]).done();
    for words in [&["render"][..], &["plan"], &["apply", "--yes"], &["status"]] {
        project.untouched(|p| p.run(words).refused(&["E0803", "units.dag:"]));
    }
}

#[test]
fn a_limit_that_systemd_would_drop_is_refused() {
    let limit = |count: &str| {
        let count = count.to_owned();
        move |p: &Project| {
            let text = p.read("units.dag");
            p.write(
                "units.dag",
                text.replace("gibibytes(count: 8)", &format!("gibibytes(count: {count})")),
            );
        }
    };
    mistaken(limit("-1"), "E0309", "units.dag:");
    mistaken_when_run(limit("0"), "E0803");
    // The twin.
    let project = Project::starter();
    limit("9")(&project);
    project.run(&["check"]).done();
    project.run(&["plan"]).done();
}

/// A mistake that only evaluation shows.
fn mistaken_when_run(change: impl FnOnce(&Project), code: &str) {
    let project = Project::starter();
    change(&project);
    project.untouched(|p| {
        p.run(&["apply", "--yes"])
            .refused(&[code, "nothing was done"]);
    });
}

#[test]
fn of_very_many_mistakes_the_first_are_shown_and_the_rest_counted() {
    let project = Project::starter();
    let rows: String = (0..500)
        .map(|i| format!("data x{i}: Int = true\n\n"))
        .collect();
    project.write("many.dag", format!("module many\n\n{rows}"));
    let run = project
        .run(&["check"])
        .refused(&["… and 440 more", "500 mistakes"]);
    assert_eq!(run.all().matches("error[E0301]").count(), 60);
    let (code, document) = project.json(&["check"]);
    assert_eq!(code, 1);
    assert_eq!(document["diagnostics"].as_array().unwrap().len(), 500);
}

#[test]
fn a_value_that_is_too_large_to_print_is_refused_whole() {
    let project = Project::empty();
    let shared = vec!["big"; 17].join(", ");
    let model = format!(
        "module large\n\ndata big: String = \"0123456789abcdef\".repeat(1000000)\n\n\
         data many: List<String> = [{shared}]\n\nfunc all() -> List<String> {{ many }}\n"
    );
    project.write("large.dag", model);
    for words in [&["eval", ".", "many"][..], &["run", "--json", ".", "all"]] {
        let run = project.run(words);
        assert!(run.out.len() < 10_000, "{} bytes", run.out.len());
        run.refused(&["E0807", "more than 268435456 bytes"]);
    }
    project.run(&["eval", ".", "many.length()"]).done();
}

#[test]
fn a_text_is_printed_as_it_is() {
    let project = Project::empty();
    project.write(
        "m.dag",
        "module m\nimport std.yaml\ndata two: String = \"a \\\"b\\\"\\n\\tc\"\ndata n: Int = 1\n\
         type Name = String where non_empty\ndata name: Name = \"x\"\n",
    );
    let run = |words: &[&str]| project.run(words);
    assert_eq!(
        run(&["eval", ".", "two", "--raw"]).done().out,
        "a \"b\"\n\tc"
    );
    assert_eq!(run(&["eval", "--raw", ".", "name"]).done().out, "x");
    assert_eq!(run(&["eval", ".", "name"]).done().out, "x\n");
    for expression in ["n", "[two]", "()"] {
        let run = run(&["eval", "--raw", ".", expression]);
        let run = run.failed(&["`--raw` prints a String as it is, and this value is none"]);
        assert_eq!(run.out, "");
    }
    run(&["eval", "--raw", "--json", ".", "two"]).failed(&["`--raw` cannot be used with `--json`"]);
    run(&["--json", "eval", "--raw", ".", "two"]).failed(&["`--raw` cannot be used with `--json`"]);
    // What one form printed is not taken for another's.
    let store = project.beside("store").display().to_string();
    let kept = |words: &[&str]| {
        let mut command = project.command(words);
        command.env("HAYWARD_STORE", &store);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    for _ in 0..2 {
        assert_eq!(kept(&["eval", ".", "name"]), "x\n");
        assert_eq!(kept(&["eval", "--raw", ".", "name"]), "x");
        assert_eq!(
            kept(&["--json", "eval", ".", "two"]),
            "\"a \\\"b\\\"\\n\\tc\"\n"
        );
        assert_eq!(kept(&["eval", "--raw", ".", "two"]), "a \"b\"\n\tc");
    }
}
