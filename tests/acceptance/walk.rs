//! The first walk: init, check, test, render, apply; and what the commands on it promise.

use crate::common::{Project, RUNNER, UNITS, WORKFLOW, same, set_mode, snapshot};
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[test]
fn the_five_command_walk_works_in_an_empty_folder() {
    let project = Project::empty();
    project
        .run(&["init"])
        .done()
        .says(&["+ main.dag", "started x"]);
    project
        .run(&["check"])
        .done()
        .says(&["5 modules: no mistakes"]);
    project
        .run(&["test"])
        .done()
        .says(&["4 witnesses: 4 passed, 0 failed"]);
    project
        .run(&["render"])
        .done()
        .says(&["+ .github/workflows/check.yml", "job? no"]);
    assert!(!project.may_cancel());
    project
        .run(&["apply", "--yes"])
        .done()
        .says(&["generation 1, 2 paths changed"]);
    // And what it is for.
    for name in [
        "actions-runner@.service",
        "actions-runner@.service.d/20-memory.conf",
    ] {
        let rendered = project.read(format!("rendered/builder/{UNITS}/{name}"));
        assert_eq!(
            rendered,
            project.read(format!("hosts/builder/{UNITS}/{name}"))
        );
    }
    project.run(&["observe"]).done().says(&["job? yes"]);
    assert!(project.rendered_policy());
}

#[test]
fn a_second_apply_changes_nothing_not_even_an_mtime() {
    let project = Project::starter();
    project.run(&["render"]).done();
    project.run(&["apply", "--yes"]).done();
    project.untouched(|p| {
        p.run(&["apply", "--yes"])
            .done()
            .says(&["nothing to do on 1 host"]);
        p.run(&["apply"]).done();
        p.run(&["render"]).done();
    });
    // The twin: a change of the model is not nothing.
    project.change_limit(9);
    let before = project.snapshot();
    project
        .run(&["apply", "--yes"])
        .done()
        .says(&["generation 2, 1 path changed"]);
    assert_ne!(before, project.snapshot());
}

#[test]
fn a_second_apply_on_four_hosts_touches_none() {
    let project = Project::commons_read_back();
    project.untouched(|p| {
        p.run(&["apply", "--yes"])
            .done()
            .says(&["nothing to do on 4 hosts"])
    });
}

#[test]
fn init_starts_only_where_nothing_is_in_the_way() {
    let project = Project::starter();
    project.untouched(|p| p.run(&["init"]).failed(&["exists", "nothing was written"]));
    for at in ["units.dag", "hosts/builder/etc/hostname", ".gitignore"] {
        let project = Project::empty();
        project.write(at, "mine\n");
        project.untouched(|p| p.run(&["init"]).failed(&[at, "nothing was written"]));
    }
    let project = Project::empty();
    project.link("main.dag", "/nowhere");
    project.untouched(|p| p.run(&["init"]).failed(&["main.dag exists"]));
    let project = Project::empty();
    project.run(&["init", "new/folder"]).done();
    project.run(&["check", "new/folder"]).done();
}

/// Commits all that git does not ignore, and gives a clone of it.
fn cloned(project: &Project) -> Project {
    let clone = Project::empty();
    let git = |words: &[&str]| {
        let mut command = crate::common::command("git");
        command.args(["-c", "user.name=x", "-c", "user.email=x@example.com"]);
        command.args(words).current_dir(project.root());
        crate::common::Run::of(command.output().unwrap(), &words.join(" ")).done()
    };
    git(&["init", "--quiet"]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", "all"]);
    git(&["clone", "--quiet", ".", &clone.root().display().to_string()]);
    clone
}

#[test]
fn a_clone_of_what_is_committed_is_whole_and_holds_no_key_and_no_host() {
    let project = Project::read_back();
    project.run(&["render"]).done();
    project.run(&["doc"]).done();
    let clone = cloned(&project);
    for gone in [".hayward", "doc", "hosts/builder/var"] {
        assert!(!clone.has(gone), "{gone}");
    }
    assert!(!clone.host(RUNNER).exists());
    clone.run(&["check"]).done();
    clone.run(&["test"]).done();
    // No stranger's files stand in its way.
    clone
        .run(&["plan"])
        .done()
        .says(&["2 to create, 0 to change, 0 to remove, 0 refused on 1 host"]);
    clone.run(&["apply", "--yes"]).done();
    clone.run(&["observe"]).done();
    clone.run(&["render"]).done();
    assert!(clone.may_cancel());
    // What was rendered is committed, and the same.
    clone.run(&["render", "--check"]).done();
    let workflow = project.read(WORKFLOW);
    assert_eq!(workflow, clone.read(WORKFLOW));
}

#[test]
fn init_takes_no_name_that_would_break_the_model() {
    for name in ["a\"b", "a\nb", "a{b}", "a\\b", ""] {
        let project = Project::empty();
        project.untouched(|p| p.run(&["init", "--name", name]).failed(&["is no name"]));
    }
    let project = Project::empty();
    project.run(&["init", "--name", "my fleet, 2"]).done();
    project.run(&["check"]).done();
    project.run(&["plan"]).done();
    assert!(project.read("main.dag").contains("name: \"my fleet, 2\""));
}

#[test]
fn render_check_names_path_first_line_and_cure() {
    let project = Project::starter();
    project.untouched(|p| {
        p.run(&["render", "--check"]).refused(&[
            &format!("{WORKFLOW} is missing: run `hayward render`"),
            "20-memory.conf is missing: run `hayward render`",
        ])
    });
    project.run(&["render"]).done();
    project.untouched(|p| {
        p.run(&["render", "--check"])
            .done()
            .says(&["3 files unchanged"])
    });

    project.change_limit(9);
    project.edit("ci.dag", "timeout: 60", "timeout: 61");
    let memory = format!("rendered/builder/{UNITS}/actions-runner@.service.d/20-memory.conf");
    project.untouched(|p| {
        p.run(&["render", "--check"]).refused(&[
            &format!("{memory}:4 differs from the model: run `hayward render`"),
            &format!("{WORKFLOW}:20 differs from the model: run `hayward render`"),
        ])
    });
    let (code, found) = project.json(&["render", "--check"]);
    assert_eq!((code, &found["files"][0]["line"]), (1, &20.into()));
    // The line is the one that differs, counted from 1.
    assert!(
        project
            .read(WORKFLOW)
            .lines()
            .nth(19)
            .unwrap()
            .contains("timeout-minutes: 60")
    );

    project.run(&["render"]).done();
    project.run(&["render", "--check"]).done();
    project.edit("units.dag", "\n    TemplateDropInFile {\n      of: runner\n      name: \"20-memory.conf\"\n      document: memory_limit\n      because: \"fleet.units.memory_limit on {host}\"\n    }", "");
    project.untouched(|p| {
        p.run(&["render", "--check"]).refused(&[&format!(
            "{memory} is no longer rendered: run `hayward render`"
        )])
    });
    project.run(&["render"]).done();
    assert!(!project.has(memory));
}

#[test]
fn a_plan_shows_create_change_remove_refused_and_unchanged_with_diffs() {
    let project = Project::read_back();
    project.change_limit(9);
    let drop_in = "    TemplateDropInFile {\n      of: runner\n      name: \"20-memory.conf\"\n      document: memory_limit\n      because: \"fleet.units.memory_limit on {host}\"\n    }\n";
    let second = drop_in.replace("20-memory", "30-memory");
    project.edit("units.dag", drop_in, &format!("{drop_in}{second}"));
    project.run(&["plan"]).done().says(&[
        "+ /etc/systemd/system/actions-runner@.service.d/30-memory.conf  (declared by fleet.units.memory_limit on builder, reload)",
        "~ /etc/systemd/system/actions-runner@.service.d/20-memory.conf",
        "its declaration changed since generation 1",
        "-MemoryMax=8589934592",
        "+MemoryMax=9663676416",
        "= 1 path unchanged",
        "1 to create, 1 to change, 0 to remove, 0 refused on 1 host",
    ]);
    project
        .run(&["plan", "--full"])
        .done()
        .says(&["    +[Service]\n    +MemoryMax=9663676416"]);

    project.edit("units.dag", drop_in, "");
    project.write(
        format!("hosts/builder/{UNITS}/actions-runner@.service.d/30-memory.conf"),
        "mine\n",
    );
    project.run(&["plan"]).refused(&[
        "- /etc/systemd/system/actions-runner@.service.d/20-memory.conf  (no longer declared",
        "! /etc/systemd/system/actions-runner@.service.d/30-memory.conf: something that Hayward did not install stands there",
        "! nothing is done on this host while a path of it is refused",
        "0 to create, 0 to change, 0 to remove, 1 refused on 1 host",
    ]);
    let (code, plan) = project.json(&["plan"]);
    assert_eq!(code, 1);
    let actions: Vec<_> = plan["hosts"][0]["paths"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["action"].as_str().unwrap())
        .collect();
    assert_eq!(actions, ["unchanged", "remove", "refused"]);
    assert_eq!(plan["changes"], false);
}

#[test]
fn a_plan_counts_what_an_apply_does() {
    let project = Project::starter();
    // One of two hosts is refused, and holds what would be done on it otherwise.
    project.edit(
        "hosts.dag",
        "data roster: List<Host> = [",
        "data other: HostIdentity = host_identity(name: \"other\")\n\ndata roster: List<Host> = [\n  \
         Host { identity: other, transport: RootDirectory { path: \"hosts/other\" } }",
    );
    project.write("hosts/other/etc/hostname", "other\n");
    project.write(project.host(RUNNER), "mine\n");
    project
        .run(&["plan"])
        .refused(&["2 to create, 0 to change, 0 to remove, 1 refused on 2 hosts"]);
    project.run(&["apply", "--yes"]).refused(&[
        "other  generation 1, 2 paths changed",
        "2 hosts: 1 not as declared",
    ]);
}

#[test]
fn a_plan_writes_on_no_host() {
    let project = Project::starter();
    let before = snapshot(&project.path("hosts"));
    project.run(&["plan"]).done();
    same(&before, &snapshot(&project.path("hosts")));
}

#[test]
fn plan_exit_code_tells_nothing_changes_and_refusal_apart() {
    let project = Project::starter();
    let code = |p: &Project| p.run(&["plan", "--exit-code"]).code.unwrap();
    assert_eq!(code(&project), 2);
    assert_eq!(project.run(&["plan"]).code, Some(0));
    project.run(&["apply", "--yes"]).done();
    assert_eq!(code(&project), 0);
    project.remove(project.host(RUNNER));
    assert_eq!(code(&project), 2);
    fs::create_dir(project.host(RUNNER)).unwrap();
    assert_eq!(code(&project), 1);
    assert_eq!(project.run(&["plan"]).code, Some(1));
    // What was not carried out must not read as changes.
    let stranger = ["plan", "--exit-code", "--host", "stranger"];
    assert_eq!(project.run(&stranger).code, Some(1));
    assert_eq!(project.run(&["plan", "--host", "stranger"]).code, Some(2));
}

#[test]
fn fmt_writes_the_one_layout_and_touches_nothing_with_a_mistake() {
    let project = Project::starter();
    project.untouched(|p| {
        p.run(&["fmt", "--check"]).done();
        p.run(&["fmt"]).done().says(&["0 files formatted"]);
    });
    project.write(
        "loose.dag",
        "module   loose\ndata x:Int=1\n// of y\ndata y : Int=2\n",
    );
    project.write("broken.dag", "module broken\ndata x: Int = [\n");
    project.untouched(|p| {
        p.run(&["fmt", "--check"])
            .refused(&["! loose.dag", "error[E0101]", "broken.dag:2"]);
    });
    project
        .run(&["fmt"])
        .refused(&["~ loose.dag", "1 not touched for their mistakes"]);
    let laid_out = "module loose\n\ndata x: Int = 1\n\n// of y\ndata y: Int = 2\n";
    assert_eq!(project.read("loose.dag"), laid_out);
    assert_eq!(
        project.read("broken.dag"),
        "module broken\ndata x: Int = [\n"
    );
    project.remove("broken.dag");
    project.untouched(|p| p.run(&["fmt"]).done());
}

#[test]
fn fmt_writes_through_a_link_and_keeps_mode_and_owner() {
    let project = Project::empty();
    project.write("model/b.dag", "module   b\ndata x:Int=1\n");
    project.link("model/a.dag", "b.dag");
    set_mode(&project.path("model/b.dag"), 0o640);
    project.run(&["check", "model"]).done().says(&["1 module:"]);
    project
        .run(&["fmt", "model"])
        .done()
        .says(&["~ model/b.dag"]);
    assert!(project.path("model/a.dag").is_symlink());
    assert_eq!(project.read("model/a.dag"), "module b\n\ndata x: Int = 1\n");
    let mode = fs::metadata(project.path("model/b.dag"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o7777, 0o640);
    project.run(&["check", "model"]).done();
    // A root that is a link itself.
    project.write("model/b.dag", "module   b\ndata x:Int=1\n");
    project.run(&["fmt", "model/a.dag"]).done();
    assert!(project.path("model/a.dag").is_symlink());
    assert_eq!(project.read("model/b.dag"), "module b\n\ndata x: Int = 1\n");
}

#[test]
fn eval_reaches_what_a_module_declares_by_its_whole_name() {
    let project = Project::starter();
    project
        .run(&["eval", "count(fleet.main.fleet.hosts)"])
        .done()
        .says(&["1"]);
    project
        .run(&["eval", "fleet.hosts.builder"])
        .done()
        .says(&["builder"]);
    project.run(&["eval", "fleet.name"]).done();
}

#[test]
fn a_kept_plan_is_what_is_applied() {
    let project = Project::starter();
    project
        .run(&["plan", "--out", "p.json"])
        .done()
        .says(&["kept in p.json: `hayward apply p.json`"]);
    project
        .run(&["apply", "p.json"])
        .done()
        .says(&["generation 1, 2 paths changed"]);
    project.untouched(|p| p.run(&["plan"]).done().says(&["nothing to do"]));
    // It was carried out; it cannot be again.
    let before = snapshot(&project.path("hosts"));
    project
        .run(&["apply", "p.json"])
        .refused(&["it was applied already, as generation 1"]);
    same(&before, &snapshot(&project.path("hosts")));
    project
        .run(&["apply", "p.json", "--host", "builder"])
        .failed(&["leave out --host"]);
    project
        .run(&["apply", "nowhere.json"])
        .failed(&["nowhere.json cannot be read"]);
}

#[test]
fn a_plan_that_cannot_be_kept_leaves_what_was_there() {
    let project = Project::starter();
    project.run(&["plan"]).done();
    fs::create_dir(project.path("p.json")).unwrap();
    let before = snapshot(&project.path("p.json"));
    project
        .run(&["plan", "--out", "p.json"])
        .failed(&["p.json is no regular file"]);
    same(&before, &snapshot(&project.path("p.json")));
    assert!(!project.has(".p.json.hayward"));
    // A link that waits where the plan is written first is not written through.
    project.write("precious", "mine\n");
    project.link(".q.json.hayward", project.path("precious"));
    project.run(&["plan", "--out", "q.json"]).done();
    assert_eq!(project.read("precious"), "mine\n");
    project.run(&["apply", "q.json"]).done();
}

#[test]
fn apply_asks_and_off_a_terminal_nobody_answers() {
    let project = Project::starter();
    project.untouched(|p| {
        p.run(&["apply"])
            .failed(&["2 to create", "there is nobody to ask: say --yes"])
    });
    project.run(&["apply", "--yes"]).done();
}

#[test]
fn apply_on_a_terminal_does_what_the_answer_says() {
    let project = Project::starter();
    let answer = |word: &str| {
        let script = format!(
            "(sleep 0.5; echo {word}) | script -qec '{} apply' /dev/null",
            crate::common::HAYWARD
        );
        let mut command = crate::common::command("sh");
        command.args(["-c", &script]).current_dir(project.root());
        crate::common::Run::of(command.output().unwrap(), &script)
    };
    let before = snapshot(&project.path("hosts"));
    answer("n").refused(&["Apply this? [y/N]", "nothing was done"]);
    answer("").refused(&["nothing was done"]);
    same(&before, &snapshot(&project.path("hosts")));
    answer("y").done().says(&["generation 1"]);
}

#[test]
fn only_the_named_hosts_are_visited() {
    let project = Project::commons();
    let others: Vec<_> = ["linden", "rowan", "hazel"]
        .iter()
        .map(|h| snapshot(&project.path(format!("hosts/{h}"))))
        .collect();
    project
        .run(&["apply", "--yes", "--host", "alder"])
        .done()
        .says(&["alder", "1 host: as declared"]);
    for (before, host) in others.iter().zip(["linden", "rowan", "hazel"]) {
        same(before, &snapshot(&project.path(format!("hosts/{host}"))));
    }
    assert!(project.has(format!("hosts/alder/{RUNNER}")));
    for command in ["plan", "apply", "observe"] {
        project.untouched(|p| {
            p.run(&[command, "--host", "oak"])
                .failed(&["`oak` is not in the roster of commons: linden, rowan, alder, hazel"])
        });
    }
}

#[test]
fn the_modules_that_show_the_dialect_check_and_their_witnesses_pass() {
    let dialect = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/dialect");
    let project = Project::empty();
    project.run(&["check", dialect]).done();
    project
        .run(&["test", dialect])
        .done()
        .says(&["5 passed, 0 failed"]);
}
