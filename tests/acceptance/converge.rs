//! What stands on a host and is not Hayward's stays as it is, and the host with it.

use crate::common::{Project, RUNNER, UNITS, contents, same, snapshot};
use std::fs;

const DROP_IN: &str = "etc/systemd/system/actions-runner@.service.d/20-memory.conf";

/// Puts something in the way on the starter's host: plan and apply refuse and touch nothing.
fn occupied(put: impl FnOnce(&Project), saying: &[&str]) {
    let project = Project::starter();
    put(&project);
    project.write("outside/precious", "mine\n");
    let (hosts, outside) = (
        snapshot(&project.path("hosts")),
        snapshot(&project.path("outside")),
    );
    project.run(&["plan"]).refused(saying);
    project
        .run(&["apply", "--yes"])
        .refused(saying)
        .says(&["refused, not touched"]);
    same(&hosts, &snapshot(&project.path("hosts")));
    same(&outside, &snapshot(&project.path("outside")));
    // Observing does not hang either.
    project.run(&["observe"]);
}

#[test]
fn a_file_of_somebody_else() {
    occupied(
        |p| p.write(format!("hosts/builder/{RUNNER}"), "mine\n"),
        &[
            "! /etc/systemd/system/actions-runner@.service: something that Hayward did not install stands there",
        ],
    );
}

#[test]
fn a_file_of_somebody_else_with_the_right_bytes() {
    let other = Project::read_back();
    occupied(
        |p| {
            p.write(
                format!("hosts/builder/{RUNNER}"),
                other.read(format!("hosts/builder/{RUNNER}")),
            )
        },
        &["Hayward did not install what stands there, although it is what"],
    );
}

#[test]
fn an_adopted_file_is_taken_over() {
    for right in [true, false] {
        let project = Project::starter();
        project.run(&["render"]).done();
        let wanted = project.read(format!("rendered/builder/{RUNNER}"));
        project.write(
            format!("hosts/builder/{RUNNER}"),
            if right { &wanted } else { "mine\n" },
        );
        let adopt = [
            "plan",
            "--adopt",
            "/etc/systemd/system/actions-runner@.service",
            "--out",
            "p.json",
        ];
        project
            .run(&adopt)
            .done()
            .says(&["~ /etc/systemd/system/actions-runner@.service", "adopted"]);
        project.run(&["apply", "p.json"]).done();
        assert_eq!(project.read(format!("hosts/builder/{RUNNER}")), wanted);
        project.untouched(|p| p.run(&["apply", "--yes"]).done());
    }
    // Adopting one path does not adopt another.
    let project = Project::starter();
    project.write(format!("hosts/builder/{DROP_IN}"), "mine\n");
    project
        .run(&[
            "plan",
            "--adopt",
            "/etc/systemd/system/actions-runner@.service",
        ])
        .refused(&["20-memory.conf: something that Hayward did not install"]);
    for bad in ["etc/x", "/etc/../x", "/", ""] {
        project.untouched(|p| p.run(&["plan", "--adopt", bad]).failed(&[]));
    }
}

#[test]
fn a_link() {
    occupied(
        |p| {
            p.link(
                format!("hosts/builder/{RUNNER}"),
                p.path("outside/precious"),
            )
        },
        &["a symbolic link stands there"],
    );
    occupied(
        |p| p.link(format!("hosts/builder/{RUNNER}"), "nowhere"),
        &["a symbolic link stands there"],
    );
}

#[test]
fn a_directory() {
    occupied(
        |p| fs::create_dir_all(p.host(RUNNER)).unwrap(),
        &["is a directory"],
    );
}

#[test]
fn a_fifo() {
    occupied(
        |p| p.fifo(format!("hosts/builder/{RUNNER}")),
        &["is a FIFO"],
    );
    occupied(
        |p| p.fifo(format!("hosts/builder/{DROP_IN}")),
        &["is a FIFO"],
    );
}

#[test]
fn a_fifo_for_a_hostname_or_for_the_state_is_not_waited_for() {
    for at in [
        "etc/hostname",
        "etc/machine-id",
        "var/lib/hayward/generation",
        "var/lib/hayward/lock",
        "var/lib/hayward/journal",
    ] {
        let project = Project::starter();
        if at == "etc/hostname" {
            project.remove("hosts/builder/etc/hostname");
        }
        project.fifo(format!("hosts/builder/{at}"));
        let before = snapshot(&project.path("hosts"));
        project.run(&["apply", "--yes"]).refused(&["FIFO"]);
        project.run(&["plan"]);
        project.run(&["observe"]);
        same(&before, &snapshot(&project.path("hosts")));
    }
}

#[test]
fn a_parent_that_leads_out_of_the_tree() {
    // Where the right file waits outside, with the right bytes.
    let right = Project::applied().read(format!("hosts/builder/{RUNNER}"));
    occupied(
        |p| {
            p.write("outside/actions-runner@.service", right);
            p.link(format!("hosts/builder/{UNITS}"), p.path("outside"));
        },
        &["is a symbolic link, not a directory"],
    );
    for at in [
        "etc/systemd",
        UNITS,
        "etc/systemd/system/actions-runner@.service.d",
    ] {
        occupied(
            |p| p.link(format!("hosts/builder/{at}"), p.path("outside")),
            &["is a symbolic link, not a directory"],
        );
    }
    occupied(
        |p| p.link("hosts/builder/var", p.path("outside")),
        &["is a symbolic link, not a directory"],
    );
    occupied(
        |p| p.write("hosts/builder/etc/systemd", "mine\n"),
        &["is a regular file, not a directory"],
    );
}

#[test]
fn an_occupied_host_does_not_stop_its_neighbours() {
    let project = Project::commons();
    project.write(format!("hosts/alder/{RUNNER}"), "mine\n");
    let before = snapshot(&project.path("hosts/alder"));
    project.run(&["apply", "--yes"]).refused(&[
        "linden  generation 1",
        "rowan  generation 1",
        "hazel  generation 1",
        "4 hosts: 1 not as declared",
    ]);
    same(&before, &snapshot(&project.path("hosts/alder")));
}

#[test]
fn a_host_that_is_gone_is_named_and_the_others_are_read() {
    let project = Project::commons_read_back();
    fs::rename(project.path("hosts/alder"), project.beside("alder")).unwrap();
    project.run(&["observe"]).refused(&[
        "alder  no answer: alder: there is no directory",
        "linden  read 2 units",
        "hazel  read 2 units",
        "1 host could not be read",
        "job? no",
    ]);
    project
        .run(&["plan"])
        .refused(&["! alder: there is no directory", "= 7 paths unchanged"]);
    project
        .run(&["apply", "--yes"])
        .refused(&["alder  refused, not touched", "linden  nothing to do"]);
    project
        .run(&["status"])
        .done()
        .says(&["alder  generation unknown, cannot be read"]);
    assert!(!project.has("hosts/alder"));
    // It comes back.
    fs::rename(project.beside("alder"), project.path("hosts/alder")).unwrap();
    project.run(&["observe"]).done().says(&["job? yes"]);
}

#[test]
fn drift_is_put_right_and_what_is_no_longer_declared_goes() {
    let project = Project::read_back();
    let good = contents(&project.path("hosts/builder/etc"));
    project.write(format!("hosts/builder/{RUNNER}"), "drifted\n");
    project.remove(project.host(DROP_IN));
    project.run(&["apply", "--yes"]).done().says(&[
        "edited on the host",
        "removed on the host",
        "generation 2, 2 paths changed",
    ]);
    assert_eq!(contents(&project.path("hosts/builder/etc")), good);
    crate::common::set_mode(&project.host(RUNNER), 0o666);
    project
        .run(&["apply", "--yes"])
        .done()
        .says(&["its permissions were changed on the host"]);
    assert_eq!(contents(&project.path("hosts/builder/etc")), good);
    // The file goes, and the folder that was made for it.
    project.edit("units.dag", "    TemplateDropInFile {\n      of: runner\n      name: \"20-memory.conf\"\n      document: memory_limit\n      because: \"fleet.units.memory_limit on {host}\"\n    }\n", "");
    project.run(&["apply", "--yes"]).done();
    assert!(
        !project.has(project.host(DROP_IN).parent().unwrap()) && project.has(project.host(RUNNER))
    );
}

#[test]
fn the_tree_of_another_fleet_is_left_alone() {
    let project = Project::read_back();
    project.edit("main.dag", "name: \"starter\"", "name: \"other\"");
    let before = snapshot(&project.path("hosts"));
    project
        .run(&["apply", "--yes"])
        .refused(&["what Hayward keeps there belongs to fleet `starter`, not to `other`"]);
    same(&before, &snapshot(&project.path("hosts")));
}

#[test]
fn a_damaged_state_of_a_host_is_not_guessed_at() {
    for (at, text) in [
        ("generation", "x"),
        ("manifest", "{}"),
        ("manifest", ""),
        ("journal", "x"),
    ] {
        let project = Project::read_back();
        project.change_limit(9);
        project.write(format!("hosts/builder/var/lib/hayward/{at}"), text);
        let before = snapshot(&project.path("hosts"));
        project.run(&["apply", "--yes"]).refused(&["is damaged"]);
        project.run(&["observe"]).refused(&["unreadable"]);
        same(&before, &snapshot(&project.path("hosts")));
    }
}
