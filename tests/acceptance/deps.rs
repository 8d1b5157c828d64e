//! `hayward deps`: which module imports which.

use crate::common::Project;
use expect_test::expect;

/// a imports b and c, b imports d, c imports d; the library is loaded by d.
fn diamond() -> Project {
    let project = Project::empty();
    project.write(
        "hayward.toml",
        "[project]\nname = \"x\"\nroots = [\"src\"]\n",
    );
    project.write(
        "src/a.dag",
        "module a\n\nimport c { y }\nimport b { x }\n\ndata z: Int = x + y\n",
    );
    project.write(
        "src/b.dag",
        "module b\n\nimport d { one }\n\ndata x: Int = one\n",
    );
    project.write(
        "src/deep/c.dag",
        "module c\n\nimport d { one }\n\ndata y: Int = one\n",
    );
    project.write(
        "src/d.dag",
        "module d\n\nimport std.measure { Seconds }\n\ndata one: Int = 1\n\nfn f(s: Seconds) -> Int { s.count }\n",
    );
    project.write(
        "src/d_test.dag",
        "module d_test\n\nimport d { one }\n\ntest fn one_is_one() -> Bool { one == 1 }\n",
    );
    project
}

#[test]
fn each_module_with_its_imports_and_its_importers() {
    expect![[r#"
        a  src/a.dag
          imports      b, c
        b  src/b.dag
          imports      d
          imported by  a
        c  src/deep/c.dag
          imports      d
          imported by  a
        d  src/d.dag
          imports      std.measure
          imported by  b, c, d_test
        d_test  src/d_test.dag
          imports      d
        5 modules, and 3 of the library
    "#]]
    .assert_eq(&diamond().run(&["deps"]).done().out);
}

#[test]
fn a_module_by_name_and_all_that_it_loads() {
    let project = diamond();
    expect![[r#"
        b  src/b.dag
          imports      d
          imported by  a
        std.measure  <built-in>/std/measure.dag
          imported by  d
    "#]]
    .assert_eq(&project.run(&["deps", "b", "std.measure"]).done().out);
    expect![[r#"
        a  src/a.dag
          loads        b, c, d, std.measure
        d  src/d.dag
          loads        std.measure
          loaded by    a, b, c, d_test
    "#]]
    .assert_eq(&project.run(&["deps", "--transitive", "a", "d"]).done().out);
}

#[test]
fn a_shortest_way_of_imports() {
    let project = diamond();
    expect![[r#"
        a
          imports b  src/a.dag:4:8
          imports d  src/b.dag:3:8
          imports std.measure  src/d.dag:3:8
    "#]]
    .assert_eq(
        &project
            .run(&["deps", "--why", "a", "std.measure"])
            .done()
            .out,
    );
    project
        .run(&["deps", "--why", "d", "a"])
        .refused(&["`d` does not load `a`"]);
    // A module of the library that nothing loads is there all the same.
    project
        .run(&["deps", "--why", "a", "std.yaml"])
        .refused(&["`a` does not load `std.yaml`"]);
    project
        .run(&["deps", "--why", "std.yaml", "a"])
        .refused(&["`std.yaml` does not load `a`"]);
    project.run(&["deps", "--why", "a", "std.yml"]).failed(&[
        "E0202: there is no module `std.yml`",
        "did you mean `std.yaml`?",
    ]);
    let (code, answer) = project.json(&["deps", "--why", "d", "a"]);
    assert_eq!((code, answer["way"].is_null()), (1, true));
    let (code, answer) = project.json(&["deps", "--why", "a", "d"]);
    assert_eq!(code, 0);
    assert_eq!(answer["way"][1]["module"], "b");
    assert_eq!(answer["way"][1]["imports"], "d");
    assert_eq!(answer["way"][1]["file"], "src/b.dag");
    assert_eq!(answer["way"][1]["line"], 3);
}

#[test]
fn the_files_that_a_project_reads() {
    let project = diamond();
    expect![[r#"
        hayward.toml
        src/a.dag
        src/b.dag
        src/d.dag
        src/d_test.dag
        src/deep/c.dag
        <built-in>/std/measure.dag
        <built-in>/std/prelude.dag
        <built-in>/std/types.dag
    "#]]
    .assert_eq(&project.run(&["deps", "--files"]).done().out);
    expect![[r#"
        hayward.toml
        src/d.dag
        src/deep/c.dag
        <built-in>/std/measure.dag
        <built-in>/std/prelude.dag
        <built-in>/std/types.dag
    "#]]
    .assert_eq(&project.run(&["deps", "--files", "c"]).done().out);
    let (_, answer) = project.json(&["deps", "--files", "d_test"]);
    assert_eq!(
        answer["files"],
        serde_json::json!(["hayward.toml", "src/d.dag", "src/d_test.dag"])
    );
    assert_eq!(
        answer["built_in"],
        serde_json::json!([
            "<built-in>/std/measure.dag",
            "<built-in>/std/prelude.dag",
            "<built-in>/std/types.dag"
        ])
    );
}

#[test]
fn a_program_reads_the_whole_graph() {
    let (_, answer) = diamond().json(&["deps"]);
    let modules = answer["modules"].as_array().unwrap();
    let named = |name: &str| modules.iter().find(|m| m["module"] == name).unwrap();
    assert_eq!(
        *named("a"),
        serde_json::json!({
            "module": "a",
            "file": "src/a.dag",
            "library": false,
            "test": false,
            "imports": [{ "module": "b", "line": 4 }, { "module": "c", "line": 3 }],
            "imported_by": [],
        })
    );
    assert_eq!(named("std.measure")["library"], true);
    assert_eq!(
        named("std.measure")["imported_by"],
        serde_json::json!(["d"])
    );
    assert_eq!(named("d_test")["test"], true);
}

#[test]
fn roots_are_told_from_modules_by_their_looks() {
    let project = diamond();
    let all = project.run(&["deps"]).done().out;
    assert_eq!(project.run(&["deps", "./"]).done().out, all);
    assert!(
        project
            .run(&["deps", "src/d.dag"])
            .done()
            .out
            .starts_with("d  src/d.dag\n")
    );
    project.run(&["deps", "src"]).failed(&[
        "E0202: there is no module `src` among those that are loaded: the root is written `./src`",
    ]);
    project
        .run(&["deps", "std.measures"])
        .failed(&["did you mean `std.measure`?"]);
}

#[test]
fn what_keeps_imports_from_being_followed_is_said_as_in_check() {
    for (text, said) in [
        ("module d\n\nimport a\n", "error[E0203]"),
        (
            "module d\n\nimport nowhere\n",
            "error[E0202]: there is no module `nowhere`",
        ),
        ("module b\n", "error[E0201]"),
        ("modul d\n", "error[E0109]"),
    ] {
        let project = diamond();
        project.write("src/d.dag", text);
        let run = project.run(&["deps"]).refused(&[said]);
        assert!(run.out.is_empty(), "{}", run.all());
        let checked = project.run(&["check"]).refused(&[said]);
        let line = |text: &str| {
            let found = text.lines().find(|line| line.contains(said));
            found.unwrap().to_owned()
        };
        assert_eq!(line(&run.err), line(&checked.err));
        let (code, answer) = project.json(&["deps"]);
        assert_eq!((code, answer["ok"].as_bool()), (1, Some(false)));
    }
    // A mistake that changes no import does not matter here.
    let project = diamond();
    project.edit("src/d.dag", "data one: Int = 1", "data one: Int = \"1\"");
    project.run(&["check"]).refused(&["E0301"]);
    project.run(&["deps"]).done();
}
