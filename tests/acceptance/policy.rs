//! May CI cancel a running job? Only what was read of every host says so, and the first bad
//! reading takes it back.

use crate::common::{Project, RUNNER, UNITS, WORKFLOW};
use std::fs;
use std::process::Command;
use std::time::Duration;

/// The fleet was read whole, and may cancel. Something happens; then it may not, for this reason
/// alone, which stands in the workflow. What happened is undone, and it may again.
fn withheld(
    happens: impl FnOnce(&Project),
    observed: i32,
    cause: &str,
    undone: impl FnOnce(&Project),
) {
    let project = Project::commons_read_back();
    assert!(project.rendered_policy());
    assert!(
        project
            .read(WORKFLOW)
            .contains("\n# cancel-in-progress: allowed\n")
    );
    happens(&project);
    let seen = project.run(&["observe"]);
    assert_eq!(seen.code, Some(observed), "{}", seen.all());
    assert!(!project.rendered_policy());
    let workflow = project.read(WORKFLOW);
    let causes: Vec<&str> = workflow
        .lines()
        .filter_map(|l| l.strip_prefix("# cause: "))
        .collect();
    assert_eq!(
        causes,
        [cause.replace(
            "{ROOT}",
            project.root().canonicalize().unwrap().to_str().unwrap()
        )]
    );
    let (_, status) = project.json(&["status"]);
    assert_eq!(status["policy"]["cancel_running_jobs"], false);
    assert_eq!(status["containments"][0]["stands"], true);
    undone(&project);
    project.run(&["observe"]).done().says(&["job? yes"]);
    assert!(project.rendered_policy());
    project
        .run(&["status"])
        .done()
        .says(&["containment keep-running-jobs: lifted"]);
}

fn hazel(at: &str) -> String {
    format!("hosts/hazel/{at}")
}

/// Moves a file of hazel away, and back.
fn away(at: &str) -> (impl FnOnce(&Project) + use<>, impl FnOnce(&Project) + use<>) {
    let (from, also) = (hazel(at), hazel(at));
    (
        move |p: &Project| fs::rename(p.path(from), p.beside("away")).unwrap(),
        move |p: &Project| fs::rename(p.beside("away"), p.path(also)).unwrap(),
    )
}

/// Changes hazel's runner unit by hand; an apply puts it right.
fn by_hand(from: &str, to: &str, cause: &str) {
    withheld(
        |p| p.edit(hazel(RUNNER), from, to),
        0,
        cause,
        |p| {
            p.run(&["apply", "--yes"]).done();
        },
    );
}

/// A drop-in that is not Hayward's.
fn foreign(at: &str, text: &str, cause: &str) {
    withheld(
        |p| p.write(hazel(at), text),
        0,
        cause,
        |p| p.remove(hazel(at)),
    );
}

#[test]
fn all_hosts_read_is_yes_and_one_unread_is_no() {
    let project = Project::commons();
    project.run(&["apply", "--yes"]).done();
    assert!(!project.rendered_policy());
    project
        .run(&[
            "observe", "--host", "linden", "--host", "rowan", "--host", "alder",
        ])
        .done()
        .says(&["job? no", "hazel: no observation"]);
    assert!(!project.rendered_policy());
    assert!(
        project
            .read(WORKFLOW)
            .contains("\n# cause: hazel: no observation\n")
    );
    project
        .run(&["observe", "--host", "hazel"])
        .done()
        .says(&["job? yes"]);
    assert!(project.rendered_policy());
}

#[test]
fn observing_before_applying_is_no() {
    let project = Project::commons();
    project
        .run(&["observe"])
        .done()
        .says(&["never applied", "hazel: no runner unit was read"]);
    assert!(!project.rendered_policy());
    project.run(&["apply", "--yes"]).done();
    // What was read is older than the apply: it still says so.
    assert!(!project.rendered_policy());
    project.run(&["observe"]).done();
    assert!(project.rendered_policy());
}

#[test]
fn a_kill_mode_edited_by_hand() {
    by_hand(
        "KillMode=control-group",
        "KillMode=process",
        "hazel: actions-runner@.service: KillMode=process leaves processes of a stopped unit alive",
    );
}

#[test]
fn a_kill_mode_that_was_struck() {
    by_hand(
        "TimeoutStopSec=300s\n",
        "TimeoutStopSec=infinity\n",
        "hazel: actions-runner@.service: TimeoutStopSec sets no limit",
    );
    by_hand(
        "ExitType=cgroup\n",
        "",
        "hazel: actions-runner@.service: ExitType=main ends the unit before its last process",
    );
}

#[test]
fn a_foreign_drop_in_in_run() {
    foreign(
        "run/systemd/system/actions-runner@.service.d/99.conf",
        "[Service]\nKillMode=process\n",
        "hazel: actions-runner@.service: KillMode=process leaves processes of a stopped unit alive",
    );
}

#[test]
fn a_foreign_drop_in_of_systemctl_set_property() {
    foreign(
        "etc/systemd/system.control/actions-runner@.service.d/50-x.conf",
        "[Service]\nSendSIGKILL=no\n",
        "hazel: actions-runner@.service: SendSIGKILL=no leaves processes alive that ignore SIGTERM",
    );
}

#[test]
fn a_drop_in_for_all_services() {
    foreign(
        "etc/systemd/system/service.d/10-x.conf",
        "[Service]\nKillMode=none\n",
        "hazel: actions-runner@.service: KillMode=none leaves processes of a stopped unit alive",
    );
}

#[test]
fn a_whole_unit_that_shadows_ours() {
    foreign(
        "run/systemd/transient/actions-runner@.service",
        "[Service]\nExecStart=/bin/true\nExitType=cgroup\nTimeoutStopSec=60\n",
        "hazel: actions-runner@.service: no bound on parallel compilation is set",
    );
}

#[test]
fn the_permit_service_removed() {
    let (gone, back) = away(&format!("{UNITS}/hayward-permits.service"));
    withheld(
        gone,
        0,
        "hazel: hayward-permits.service is not installed",
        back,
    );
}

#[test]
fn the_runner_unit_removed() {
    let (gone, back) = away(RUNNER);
    withheld(gone, 0, "hazel: no runner unit was read", back);
}

#[test]
fn a_cooperative_fifo_put_back_by_hand() {
    by_hand(
        "Environment=\"HAYWARD_PERMITS=1\"\nEnvironment=\"HAYWARD_PERMITS_SOCKET=/run/hayward/permits.sock\"\n",
        "Environment=HAYWARD_FIFO=/run/jobs.fifo\nEnvironment=\"MAKEFLAGS=--jobserver-auth=fifo:/run/jobs.fifo\"\n",
        "hazel: actions-runner@.service: a killed job's permits are lost (cooperative FIFO /run/jobs.fifo)",
    );
}

#[test]
fn a_fifo_beside_the_permits() {
    foreign(
        "etc/systemd/system/actions-runner@.service.d/99.conf",
        "[Service]\nEnvironment=MAKEFLAGS=--jobserver-auth=fifo:/run/jobs.fifo\n",
        "hazel: actions-runner@.service: two bounds on parallel compilation are set at once",
    );
}

#[test]
fn an_environment_that_was_not_read() {
    foreign(
        "etc/systemd/system/actions-runner@.service.d/99.conf",
        "[Service]\nEnvironmentFile=/etc/default/runner\n",
        "hazel: actions-runner@.service: EnvironmentFile= changes the environment in a way that was not read",
    );
}

#[test]
fn a_unit_with_a_line_that_is_none() {
    withheld(
        |p| p.edit(hazel(RUNNER), "[Service]", "[Service]\nnonsense"),
        1,
        "hazel: unreadable: hazel: /etc/systemd/system/actions-runner@.service, line 12: there is no `=`",
        |p| drop(p.run(&["apply", "--yes"]).done()),
    );
}

#[test]
fn a_unit_that_is_a_link_or_a_fifo() {
    withheld(
        |p| {
            fs::rename(p.path(hazel(RUNNER)), p.beside("away")).unwrap();
            p.fifo(hazel(RUNNER));
        },
        1,
        "hazel: unreadable: hazel: /etc/systemd/system/actions-runner@.service is a FIFO, not a regular file",
        |p| fs::rename(p.beside("away"), p.path(hazel(RUNNER))).unwrap(),
    );
}

#[test]
fn a_host_that_is_gone() {
    let (gone, back) = away("");
    withheld(
        gone,
        1,
        "hazel: no answer: hazel: there is no directory {ROOT}/hosts/hazel",
        back,
    );
}

#[test]
fn a_tree_that_is_another_hosts() {
    withheld(
        |p| p.write("hosts/hazel/etc/hostname", "oak\n"),
        1,
        "hazel: unreadable: hazel: /etc/hostname there says `oak`, the roster says `hazel`",
        |p| p.write("hosts/hazel/etc/hostname", "hazel\n"),
    );
}

#[test]
fn evidence_that_is_stale() {
    let project = Project::commons_read_back();
    assert!(project.rendered_policy());
    project.edit("fleet.dag", "hours(count: 24)", "seconds(count: 1)");
    project.edit(
        "fleet.dag",
        "import std.measure { hours }",
        "import std.measure { seconds }",
    );
    project.run(&["observe"]).done();
    assert!(project.rendered_policy(), "read within the second");
    std::thread::sleep(Duration::from_millis(3_100));
    // Nothing was done, and nothing was read again.
    assert!(!project.rendered_policy());
    for host in ["linden", "rowan", "alder", "hazel"] {
        assert!(
            project
                .read(WORKFLOW)
                .contains(&format!("\n# cause: {host}: observed ")),
            "{host}"
        );
    }
    // It can be had back by reading, and by nothing else.
    project.run(&["observe"]).done();
    assert!(project.rendered_policy());
}

#[test]
fn an_age_limit_that_would_take_anything() {
    let project = Project::commons_read_back();
    project.edit("fleet.dag", "hours(count: 24)", "hours(count: 168)");
    assert!(project.rendered_policy());
    project.edit("fleet.dag", "hours(count: 168)", "hours(count: 169)");
    assert!(!project.rendered_policy());
    assert!(
        project
            .read(WORKFLOW)
            .contains("\n# cause: *: readings may be 608400 s old, more than 604800 s\n")
    );
}

#[test]
fn a_host_struck_from_the_roster_after_it_was_read() {
    let project = Project::commons_read_back();
    assert!(project.rendered_policy());
    project.edit(hazel(RUNNER), "KillMode=control-group", "KillMode=process");
    project.run(&["observe"]).done();
    let row = "  Host { identity: hazel, transport: RootDirectory { path: \"hosts/hazel\" } }\n";
    let roster = project.read("hosts.dag");
    project.write("hosts.dag", roster.replace(row, ""));
    project.run(&["observe"]).done();
    assert!(!project.rendered_policy());
    assert!(
        project
            .read(WORKFLOW)
            .contains("\n# cause: hazel: observed, but not in the roster\n")
    );
    project.write("hosts.dag", roster);
    project.run(&["apply", "--yes"]).done();
    project.run(&["observe"]).done();
    assert!(project.rendered_policy());
}

#[test]
fn a_host_that_joins_the_roster_must_be_read() {
    let project = Project::commons_read_back();
    assert!(project.rendered_policy());
    project.edit("hosts.dag", "data roster: List<Host> = [\n", "data roster: List<Host> = [\n  Host { identity: host_identity(name: \"oak\"), transport: RootDirectory { path: \"hosts/oak\" } }\n");
    assert!(!project.rendered_policy());
    assert!(
        project
            .read(WORKFLOW)
            .contains("\n# cause: oak: no observation\n")
    );
}

#[test]
fn an_older_good_reading_does_not_outvote_the_last() {
    let project = Project::commons_read_back();
    let good = project.read(hazel(RUNNER));
    project.edit(hazel(RUNNER), "KillMode=control-group", "KillMode=process");
    project.run(&["observe", "--host", "hazel"]).done();
    assert!(!project.rendered_policy());
    // Put right, but not read: still no.
    project.write(hazel(RUNNER), good);
    assert!(!project.rendered_policy());
    project.run(&["observe", "--host", "hazel"]).done();
    assert!(project.rendered_policy());
}

#[test]
fn what_a_host_says_does_not_become_yaml() {
    let text =
        "process\u{85}cancel-in-progress: true\u{2028}concurrency: {cancel-in-progress: true}";
    let project = Project::commons_read_back();
    project.edit(
        hazel(RUNNER),
        "KillMode=control-group",
        &format!("KillMode={text}"),
    );
    project.run(&["observe"]);
    assert!(!project.rendered_policy());
    let workflow = project.read(WORKFLOW);
    assert!(
        workflow.contains("# cause: hazel: actions-runner@.service: KillMode=process\\u0085cancel"),
        "{workflow}"
    );
    assert_eq!(
        crate::yaml::read(&workflow).keys(),
        ["name", "on", "permissions", "concurrency", "jobs"]
    );
}

#[test]
fn what_was_read_before_an_apply_says_nothing_of_the_host_after_it() {
    let project = Project::read_back();
    assert!(project.rendered_policy());
    project.change_limit(9);
    project.run(&["apply", "--yes"]).done();
    let (_, status) = project.json(&["status"]);
    // Nobody calls a host unreadable that was not read again.
    let cause = "not observed since receipt 5 changed it: `hayward observe`";
    assert_eq!(status["hosts"][0]["findings"][0]["cause"], cause);
    project.run(&["status"]).done().says(&[
        "job? no",
        &format!("  ! {cause}"),
        " ago, before receipt 5 changed it\n",
        "\n  builder: as above\n",
    ]);
    assert!(!project.rendered_policy());
    project.run(&["observe"]).done().says(&["job? yes"]);
    assert!(project.rendered_policy());
    // An apply with nothing to do leaves what was read as it is.
    project.run(&["apply", "--yes"]).done();
    assert!(project.rendered_policy());
}

#[test]
fn a_file_in_force_that_hayward_did_not_install_is_named() {
    let project = Project::read_back();
    let at = "/etc/systemd/system/actions-runner@.service.d/99-me.conf";
    project.write(
        format!("hosts/builder{at}"),
        "[Service]\nMemoryMax=infinity\n",
    );
    let named =
        format!("~ {at} is in force in actions-runner@.service, and Hayward did not install it\n");
    let overridden = format!("generation 1, overridden by {at}");
    // The host is asked, not what was observed before.
    project
        .run(&["status"])
        .done()
        .says(&[&overridden, "observe it again", "job? yes"]);
    project
        .run(&["observe"])
        .done()
        .says(&[&overridden, &named]);
    let status = project.run(&["status"]).done().says(&[&overridden, &named]);
    assert!(!status.out.contains("observe it again"), "{}", status.all());
    project
        .run(&["history", "builder"])
        .done()
        .says(&[&format!("not as installed: {at}")]);
}

/// What `observe`, `status` and `plan` say in JSON of how the builder differs from the model.
fn drift(project: &Project) -> Vec<(bool, String, Vec<String>)> {
    let commands = ["observe", "status", "plan"].into_iter();
    let each = commands.map(|command| {
        let (_, document) = project.json(&[command]);
        let host = &document["hosts"][0];
        let foreign = host["overridden_by"].as_array().unwrap().iter();
        (
            host["as_declared"].as_bool().unwrap(),
            host["drift"].as_str().unwrap().to_owned(),
            foreign.map(|p| p.as_str().unwrap().to_owned()).collect(),
        )
    });
    each.collect()
}

#[test]
fn a_host_is_as_declared_only_if_nothing_else_is_in_force() {
    let project = Project::read_back();
    assert_eq!(
        drift(&project),
        vec![(true, "as declared".to_owned(), Vec::new()); 3]
    );
    let at = "/etc/systemd/system/actions-runner@.service.d/99-x.conf";
    project.write(format!("hosts/builder{at}"), "[Service]\nKillMode=none\n");
    let overridden = (false, format!("overridden by {at}"), vec![at.to_owned()]);
    assert_eq!(drift(&project), vec![overridden; 3]);
    project.run(&["plan"]).done().says(&[
        &format!("* {at} overrides what is declared: Hayward did not install it, and leaves it"),
        "nothing to do on 1 host",
    ]);
    project
        .run(&["apply", "--yes"])
        .done()
        .says(&["1 host: applied; on 1 a file is in force that Hayward did not install"]);
    project.remove(format!("hosts/builder{at}"));

    // A runner that nobody declared overrides nothing.
    let at = "/etc/systemd/system/actions.runner.x.service";
    project.write(format!("hosts/builder{at}"), "[Service]\nExecStart=/x\n");
    let beside = (
        false,
        format!("in force and not declared: {at}"),
        vec![at.to_owned()],
    );
    assert_eq!(drift(&project), vec![beside; 3]);
    project.remove(format!("hosts/builder{at}"));

    // A whole unit in the place of ours overrides it.
    let at = "/etc/systemd/system.control/actions-runner@.service";
    project.write(format!("hosts/builder{at}"), "[Service]\nExecStart=/x\n");
    for (as_declared, words, _) in drift(&project) {
        assert_eq!((as_declared, words), (false, format!("overridden by {at}")));
    }
    project.remove(format!("hosts/builder{at}"));

    // An edited file is a path that differs, and is told once.
    project.edit(
        project.host(RUNNER),
        "KillMode=control-group",
        "KillMode=none",
    );
    let edited = (
        false,
        "1 path differs from the model".to_owned(),
        Vec::new(),
    );
    assert_eq!(drift(&project), vec![edited; 3]);

    // What cannot be read is not taken for nothing.
    project.write(project.host(RUNNER), "x\n");
    for (as_declared, words, _) in drift(&project) {
        assert!(!as_declared);
        assert!(words.contains("what is in force cannot be read"), "{words}");
    }
}

#[test]
fn a_file_of_the_distribution_is_accepted_by_declaring_it() {
    let project = Project::read_back();
    let at = "/usr/lib/systemd/system/service.d/10-vendor.conf";
    let tree = format!("hosts/builder{at}");
    project.write(&tree, "[Unit]\nDocumentation=man:vendor(7)\n");
    let overridden = (false, format!("overridden by {at}"), vec![at.to_owned()]);
    assert_eq!(drift(&project), vec![overridden.clone(); 3]);

    // The plan says what to declare.
    let plan = project.run(&["plan"]).done();
    let (_, digest) = plan.out.split_once("with blake3: \"").unwrap();
    let digest = &digest[..64];
    project.edit(
        "units.dag",
        "Resource, SystemdTemplate",
        "Accepted, Resource, SystemdTemplate",
    );
    project.edit(
        "units.dag",
        "    SystemdTemplate {\n      name: runner\n",
        &format!(
            "    Accepted {{ path: \"{at}\", blake3: \"{digest}\", because: \"fedora\" }}\n    \
             SystemdTemplate {{\n      name: runner\n"
        ),
    );
    let accepted = (true, "as declared".to_owned(), Vec::new());
    assert_eq!(drift(&project), vec![accepted.clone(); 3]);
    // It is named wherever it is in force.
    let named = format!("= {at} is in force, and accepted as it is");
    for command in ["observe", "status"] {
        let said = project.run(&[command]).done().says(&[&named]);
        assert!(!said.out.contains(&format!("~ {at}")), "{}", said.out);
    }
    project
        .run(&["plan"])
        .done()
        .says(&[&format!("= {at}  (accepted as it is by fedora)")]);
    for command in ["observe", "status", "plan"] {
        let (_, document) = project.json(&[command]);
        assert_eq!(document["hosts"][0]["accepted"][0], at);
    }
    project
        .run(&["apply", "--yes"])
        .done()
        .says(&["as declared"]);

    // An edit of it is drift again, and its removal is none.
    project.write(&tree, "[Service]\nKillMode=none\n");
    project
        .run(&["status"])
        .done()
        .says(&[&overridden.1, "observe it again"]);
    // Accepting the edit makes it as declared, but not as it was when it was observed.
    let plan = project.run(&["plan"]).done();
    let (_, edited) = plan.out.split_once("what stands there is ").unwrap();
    project.edit("units.dag", digest, &edited[..64]);
    project
        .run(&["status"])
        .done()
        .says(&["as declared", "observe it again"]);
    project.edit("units.dag", &edited[..64], digest);
    assert_eq!(drift(&project), vec![overridden; 3]);
    project.run(&["plan"]).done().says(&[
        &format!("* {at} overrides what is declared: it is not as it was accepted"),
        &format!("fedora accepts {digest}, and what stands there is "),
    ]);
    project.remove(&tree);
    assert_eq!(drift(&project), vec![accepted; 3]);
}

/// The builder was read and is bad; the model is edited to be rid of it.
fn struck() -> Project {
    let project = Project::read_back();
    project.edit(
        project.host(RUNNER),
        "KillMode=control-group",
        "KillMode=process",
    );
    project.run(&["observe"]).done().says(&["job? no"]);
    project.write("hosts/good/etc/hostname", "good\n");
    project.edit("hosts.dag", "name: \"builder\"", "name: \"good\"");
    project.edit("hosts.dag", "hosts/builder", "hosts/good");
    project.run(&["apply", "--yes"]).done();
    project
}

#[test]
fn a_new_name_of_the_fleet_does_not_hide_what_was_seen() {
    let project = struck();
    project.edit("main.dag", "name: \"starter\"", "name: \"renamed\"");
    project
        .run(&["observe"])
        .done()
        .says(&["job? no", "builder: observed, but not in the roster"]);
    assert!(!project.rendered_policy());
}

#[test]
fn how_long_a_struck_host_counts_is_said_and_how_it_counts_no_more() {
    let project = struck();
    let (_, receipts) = project.json(&["history", "builder", "-n", "1"]);
    let until = receipts[0]["body"]["taken_at"].as_i64().unwrap() + 7 * 24 * 3600;
    let (_, status) = project.json(&["status"]);
    let stranger = serde_json::json!([{ "host": "builder", "until": until }]);
    assert_eq!(status["policy"]["strangers"], stranger);
    let date = Command::new("date")
        .args(["-u", "-d", &format!("@{until}"), "+%Y-%m-%d %H:%M:%SZ"])
        .output()
        .unwrap();
    let date = String::from_utf8(date.stdout).unwrap();
    let said = format!(
        "  builder: observed, but not in the roster\n    it withholds the policy until {}; put it back \
         into the roster, and observe it, to have it judged by what it is\n",
        date.trim()
    );
    for command in ["status", "observe", "render"] {
        project.run(&[command]).says(&[&said]);
    }
}

#[test]
fn a_file_in_force_is_named_once_with_its_units() {
    let project = Project::read_back();
    let at = "/etc/systemd/system/service.d/50-a.conf";
    project.write(format!("hosts/builder{at}"), "[Service]\nNice=1\n");
    project.write(
        "hosts/builder/etc/systemd/system/actions-runner@x.service",
        "[Service]\nExecStart=/x\n",
    );
    for command in ["observe", "status"] {
        let run = project.run(&[command]).done();
        let named = format!(
            "  ~ {at} is in force in actions-runner@.service, actions-runner@x.service, and Hayward \
             did not install it\n"
        );
        let lines = run
            .out
            .lines()
            .filter(|l| l.trim_start().starts_with(&format!("~ {at}")));
        assert_eq!(lines.count(), 1, "{}", run.all());
        run.says(&[&named]);
    }
    // One that Hayward installed, and somebody edited.
    project.edit(
        project.host(RUNNER),
        "KillMode=control-group",
        "KillMode=none",
    );
    for command in ["observe", "status"] {
        project.run(&[command]).done().says(&[&format!(
            "~ /{RUNNER} is in force in actions-runner@.service, and not as Hayward installed it\n"
        )]);
    }
}

#[test]
fn why_a_host_cannot_be_read_is_said_once() {
    let project = Project::read_back();
    project.edit(project.host(RUNNER), "[Service]", "[Service]\nnonsense");
    let why = "there is no `=`";
    for command in ["observe", "status"] {
        let run = project.run(&[command]);
        assert_eq!(run.all().matches(why).count(), 1, "{}", run.all());
        run.says(&["builder: as above"]);
    }
    // Also where the host itself is not the one.
    project.write("hosts/builder/etc/hostname", "oak\n");
    let why = "/etc/hostname there says";
    for command in ["observe", "status"] {
        let run = project.run(&[command]);
        assert_eq!(run.all().matches(why).count(), 1, "{}", run.all());
    }
}

#[test]
fn a_short_age_limit_does_not_make_a_stranger_forgotten() {
    let project = struck();
    project.edit("main.dag", "hours(count: 24)", "seconds(count: 1)");
    project.edit(
        "main.dag",
        "import std.measure { hours }",
        "import std.measure { seconds }",
    );
    std::thread::sleep(Duration::from_millis(2_100));
    project
        .run(&["observe"])
        .done()
        .says(&["job? no", "builder: observed, but not in the roster"]);
    assert!(!project.rendered_policy());
}

#[test]
fn a_runner_that_the_model_does_not_name_is_seen() {
    for (at, text, unit) in [
        (
            "actions-runner@1.service.d/x.conf",
            "[Service]\nKillMode=process\n",
            "actions-runner@1.service",
        ),
        (
            "actions-runner@1.service",
            "[Service]\nExecStart=/x\nKillMode=none\n",
            "actions-runner@1.service",
        ),
        (
            "actions.runner.acme.service",
            "[Service]\nExecStart=/x\nKillMode=process\n",
            "actions.runner.acme.service",
        ),
    ] {
        let project = Project::read_back();
        project.write(format!("hosts/builder/etc/systemd/system/{at}"), text);
        project.run(&["observe"]).done().says(&["job? no", unit]);
        assert!(!project.rendered_policy(), "{at}");
    }
}

#[test]
fn a_setting_that_may_undo_the_stop_withholds() {
    for setting in [
        "PAMName=login",
        "TimeoutAbortSec=infinity",
        "NotifyAccess=all",
        "ExecStartPre=/usr/bin/systemd-run x",
        "BindPaths=/run/docker.sock",
        "Type=notify",
    ] {
        let project = Project::read_back();
        let at = "hosts/builder/etc/systemd/system/actions-runner@.service.d/90.conf";
        project.write(at, format!("[Service]\n{setting}\n"));
        project.run(&["observe"]).done().says(&["job? no"]);
        assert!(!project.rendered_policy(), "{setting}");
    }
}

#[test]
fn a_byte_order_mark_in_a_unit_is_not_read_past() {
    let project = Project::read_back();
    let at = "hosts/builder/etc/systemd/system/actions-runner@.service.d/90.conf";
    project.write(at, "[Service]\n\u{feff}KillMode=process\n");
    let seen = project.run(&["observe"]);
    assert_eq!(seen.code, Some(1), "{}", seen.all());
    assert!(!project.rendered_policy());
}

#[test]
fn a_render_that_an_observation_overtakes_does_not_allow() {
    let project = Project::read_back();
    // Slow enough that the host can be observed while the workflow is worked out.
    let module = project.read("ci.dag");
    let slow = "\nfn slow(n: Int) -> Int {\n  fold(range(0, n), init: 0, f: (a, i) => fold(range(0, 3000), init: a, f: (b, j) => b + j % 2))\n}\n";
    project.write("ci.dag", format!("{module}{slow}"));
    project.edit(
        "ci.dag",
        "timeout: 60",
        "timeout: if slow(n: 3000) > 0 { 60 } else { 61 }",
    );
    let mut render = project.command(&["render"]).spawn().unwrap();
    // Whatever has happened by then, what is observed now is the last word.
    std::thread::sleep(Duration::from_secs(1));
    project.edit(
        project.host(RUNNER),
        "KillMode=control-group",
        "KillMode=process",
    );
    project.run(&["observe"]).done().says(&["job? no"]);
    assert!(render.try_wait().unwrap().is_none(), "it was not overtaken");
    render.wait().unwrap();
    assert!(!project.has(WORKFLOW) || !project.read(WORKFLOW).contains("cancel-in-progress: true"));
    let last = project.run(&["history"]).done().out;
    assert!(!last.lines().next().unwrap().contains("allowed"), "{last}");
}

/// The causes that stand in the rendered workflow.
fn causes(project: &Project) -> Vec<String> {
    let workflow = project.read(WORKFLOW);
    let causes = workflow.lines().filter_map(|l| l.strip_prefix("# cause: "));
    causes.map(str::to_owned).collect()
}

#[test]
fn an_answer_larger_than_a_receipt_takes_the_last_good_one_back() {
    let project = Project::commons_read_back();
    assert!(project.rendered_policy());
    // linden is the first of the roster, and hazel the last.
    let at = "hosts/linden/etc/systemd/system/actions-runner@.service.d/zz.conf";
    let long = "x".repeat(500_000);
    let lines: String = (0..12)
        .map(|n| format!("Environment=A{n}={long}\n"))
        .collect();
    project.write(at, format!("[Service]\nKillMode=process\n{lines}"));
    project.edit(hazel(RUNNER), "KillMode=control-group", "KillMode=process");
    project.run(&["observe"]).refused(&[
        "linden  unreadable: what was read has 60",
        " bytes, and a receipt holds 4194304: shorten the unit files there",
        "1 host could not be read",
    ]);
    assert!(!project.rendered_policy());
    let [linden, hazel] = causes(&project).try_into().unwrap();
    assert!(
        linden.starts_with("linden: unreadable: what was read has 60"),
        "{linden}"
    );
    // A host that comes after it was recorded.
    assert_eq!(
        hazel,
        "hazel: actions-runner@.service: KillMode=process leaves processes of a stopped unit alive"
    );
    project.remove(at);
    project.run(&["apply", "--yes"]).done();
    project.run(&["observe"]).done().says(&["job? yes"]);
}

#[test]
fn a_host_of_which_the_model_does_not_say_what_to_read_is_unreadable() {
    let project = Project::commons_read_back();
    project.edit(
        "fleet.dag",
        "observe: host => host_units(host: host)",
        "observe: host => if 1 / (length(\"{host}\") - 6) == 9 { [] } else { host_units(host: host) }",
    );
    let cause =
        "unreadable: the model does not say what to read there: E0802: 1 is divided by zero";
    project
        .run(&["observe"])
        .refused(&[&format!("linden  {cause}"), "hazel  read 2 units"]);
    assert!(!project.rendered_policy());
    assert_eq!(causes(&project), [format!("linden: {cause}")]);
}

/// An apply that brought the host to its plan, and cannot tell what is in force there.
fn applied_unread(project: &Project, reason: &str) {
    let told = format!("what is in force cannot be read ({reason})");
    project.run(&["apply", "--yes"]).refused(&[
        &format!("  ! {told}"),
        "1 host: applied; on 1 what is in force cannot be read",
    ]);
    for command in [&["apply", "--yes"][..], &["plan"]] {
        let (_, answer) = project.json(command);
        let host = &answer["hosts"][0];
        assert_eq!(host["as_declared"], false, "{command:?}");
        assert_eq!(host["drift"], told, "{command:?}");
    }
}

#[test]
fn an_apply_calls_no_host_as_declared_that_cannot_be_read() {
    let project = Project::starter();
    let at = "etc/systemd/system/actions-runner@.service.d/10.conf";
    project.fifo(format!("hosts/builder/{at}"));
    applied_unread(
        &project,
        &format!("builder: /{at} is a FIFO, not a regular file"),
    );
    project.remove(format!("hosts/builder/{at}"));
    project.write(
        format!("hosts/builder/{at}"),
        format!("[Service]\n{}", "Environment=A=1\n".repeat(4097)),
    );
    applied_unread(
        &project,
        &format!(
            "builder: /{at}, line 4086: the unit has more than 4096 assignments in all its files together"
        ),
    );
    project.remove(format!("hosts/builder/{at}"));
    let (code, answer) = project.json(&["apply", "--yes"]);
    assert_eq!(code, 0);
    assert_eq!(answer["hosts"][0]["as_declared"], true);
    // After an apply that changes something, too.
    project.change_limit(9);
    let (_, answer) = project.json(&["apply", "--yes"]);
    assert_eq!(answer["hosts"][0]["as_declared"], true);
    assert_eq!(answer["hosts"][0]["drift"], "as declared");
    project
        .run(&["apply", "--yes"])
        .done()
        .says(&["1 host: as declared"]);
}
