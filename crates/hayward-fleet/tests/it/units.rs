//! Units as the files of a tree define them.

use crate::bed::{Bed, file};
use hayward_fleet::observe;
use hayward_model::{Digest, HostAnswer, UnitReading};

fn answer(bed: &Bed, unit: &str) -> HostAnswer {
    observe(&bed.row, &[unit.to_owned()], &bed.project).answer
}

#[track_caller]
fn unit(bed: &Bed, name: &str) -> UnitReading {
    match answer(bed, name) {
        HostAnswer::Answered { mut units, host } => {
            assert_eq!(host.as_str(), "srv1");
            assert_eq!(units.len(), 1);
            units.remove(0)
        }
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn unreadable(bed: &Bed, name: &str) -> String {
    match answer(bed, name) {
        HostAnswer::Unreadable { cause, .. } => cause,
        other => panic!("{other:?}"),
    }
}

fn sources(unit: &UnitReading) -> Vec<&str> {
    unit.sources.iter().map(|s| s.path.as_str()).collect()
}

fn settings(unit: &UnitReading) -> Vec<String> {
    unit.settings
        .iter()
        .map(|s| format!("{}.{}={}", s.section, s.key, s.value))
        .collect()
}

#[test]
fn the_first_directory_defines_a_unit_and_all_of_them_its_drop_ins() {
    let bed = Bed::new();
    bed.write(
        "usr/lib/systemd/system/a.service",
        "[Service]\nKillMode=process\n",
    );
    assert_eq!(
        settings(&unit(&bed, "a.service")),
        ["Service.KillMode=process"]
    );
    bed.write(
        "etc/systemd/system/a.service",
        "[Service]\nKillMode=mixed\nEnvironment=A=1\n",
    );
    // convergence.md 4.4: sorted by name of file over all directories.
    bed.write(
        "etc/systemd/system/a.service.d/20-a.conf",
        "[Service]\nEnvironment=B=20\n",
    );
    bed.write(
        "run/systemd/system/a.service.d/50-a.conf",
        "[Service]\nEnvironment=B=50\n",
    );
    bed.write(
        "usr/lib/systemd/system/a.service.d/50-a.conf",
        "[Service]\nEnvironment=hidden\n",
    );
    bed.write(
        "usr/lib/systemd/system/service.d/10-all.conf",
        "[Service]\nEnvironment=C=10\n",
    );
    bed.write(
        "etc/systemd/system.control/a.service.d/50-MemoryMax.conf",
        "[Service]\nMemoryMax=1G\n",
    );
    bed.write("etc/systemd/system/a.service.d/.hidden.conf", "nonsense");
    bed.write("etc/systemd/system/a.service.d/README", "nonsense");
    let read = unit(&bed, "a.service");
    assert_eq!(
        sources(&read),
        [
            "/etc/systemd/system/a.service",
            "/usr/lib/systemd/system/service.d/10-all.conf",
            "/etc/systemd/system/a.service.d/20-a.conf",
            "/etc/systemd/system.control/a.service.d/50-MemoryMax.conf",
            "/run/systemd/system/a.service.d/50-a.conf",
        ]
    );
    assert_eq!(
        settings(&read),
        [
            "Service.KillMode=mixed",
            "Service.Environment=A=1",
            "Service.Environment=C=10",
            "Service.Environment=B=20",
            "Service.MemoryMax=1G",
            "Service.Environment=B=50",
        ]
    );
    // A drop-in empties a list.
    bed.write(
        "run/systemd/transient/a.service.d/99-z.conf",
        "[Service]\nEnvironment=\n",
    );
    assert_eq!(
        settings(&unit(&bed, "a.service")),
        [
            "Service.KillMode=mixed",
            "Service.MemoryMax=1G",
            "Service.Environment="
        ]
    );
}

#[test]
fn an_instance_has_its_templates_files_and_drop_ins() {
    let bed = Bed::new();
    bed.write(
        "etc/systemd/system/foo-bar@.service",
        "[Service]\nSlice=a\n",
    );
    assert_eq!(
        sources(&unit(&bed, "foo-bar@1.service")),
        ["/etc/systemd/system/foo-bar@.service"]
    );
    bed.write(
        "usr/lib/systemd/system/foo-bar@1.service",
        "[Service]\nSlice=b\n",
    );
    bed.write(
        "usr/lib/systemd/system/foo-bar@.service.d/1.conf",
        "[Service]\nSlice=c\n",
    );
    bed.write(
        "etc/systemd/system/foo-@.service.d/2.conf",
        "[Service]\nSlice=d\n",
    );
    bed.write(
        "etc/systemd/system/foo-.service.d/3.conf",
        "[Service]\nSlice=e\n",
    );
    bed.write(
        "etc/systemd/system/foo-bar@2.service.d/2.conf",
        "[Service]\nSlice=not this\n",
    );
    assert_eq!(
        sources(&unit(&bed, "foo-bar@1.service")),
        [
            "/usr/lib/systemd/system/foo-bar@1.service",
            "/usr/lib/systemd/system/foo-bar@.service.d/1.conf",
            "/etc/systemd/system/foo-@.service.d/2.conf",
            "/etc/systemd/system/foo-.service.d/3.conf",
        ]
    );
}

#[test]
fn a_unit_that_is_not_there_reads_as_nothing() {
    let bed = Bed::new();
    bed.write(
        "etc/systemd/system/a.service.d/1.conf",
        "[Service]\nKillMode=mixed\n",
    );
    bed.write(
        "etc/systemd/system/a.slice.d/1.conf",
        "[Slice]\nMemoryMax=1G\n",
    );
    let read = unit(&bed, "a.service");
    assert!(read.sources.is_empty() && read.settings.is_empty());
    // A slice needs no file (systemd.slice(5)), so its drop-ins count.
    assert_eq!(settings(&unit(&bed, "a.slice")), ["Slice.MemoryMax=1G"]);
    assert!(unit(&bed, "b.slice").sources.is_empty());
}

#[test]
fn what_is_not_interpreted_is_unreadable_by_name() {
    type Make = fn(&Bed);
    let cases: [(Make, &str); 11] = [
        (
            |b| b.write("etc/systemd/system/a.service", ""),
            "/etc/systemd/system/a.service is empty: the unit is masked",
        ),
        (
            |b| b.link("etc/systemd/system/a.service", "/dev/null"),
            "masked",
        ),
        (
            |b| b.link("etc/systemd/system/a.service", "/opt/a.service"),
            "is a link to /opt/a.service",
        ),
        (
            |b| b.write("etc/systemd/system/a.service", "[Service]\nA=b\nKillMode\n"),
            "a.service, line 3: there is no `=`",
        ),
        (
            |b| b.write("etc/systemd/system/a.service.d/1.conf", "A=b\n"),
            "1.conf, line 1",
        ),
        (
            |b| b.link("etc/systemd/system/a.service.d/1.conf", "../x"),
            "1.conf is a link",
        ),
        (
            |b| b.write("etc/systemd/system/a.service.d/1.conf/x", ""),
            "1.conf is a directory",
        ),
        (
            |b| b.link("etc/systemd/system/a.service.d", "b.d"),
            "a.service.d on the way",
        ),
        (
            |b| b.write("lib/systemd/system/a.service", "[Service]\n"),
            "/lib/systemd/system is apart",
        ),
        (|b| b.link("lib", "elsewhere"), "/lib is a link"),
        (
            |b| {
                b.link(
                    "etc/systemd/system/alias.service",
                    "/usr/lib/systemd/system/a.service",
                );
                b.write("run/systemd/system/alias.service.d/1.conf", "");
            },
            "is an alias of a.service with drop-ins in /run/systemd/system/alias.service.d",
        ),
    ];
    for (make, words) in cases {
        let bed = Bed::new();
        bed.write(
            "usr/lib/systemd/system/a.service",
            "[Service]\nKillMode=mixed\n",
        );
        assert_eq!(
            settings(&unit(&bed, "a.service")),
            ["Service.KillMode=mixed"]
        );
        make(&bed);
        let cause = unreadable(&bed, "a.service");
        assert!(
            cause.contains(words) && cause.starts_with("srv1: "),
            "{cause}"
        );
    }
    let bed = Bed::new();
    for bad in ["a", "../../etc/passwd", "a b.service", "a.service\n"] {
        assert!(unreadable(&bed, bad).contains("is not a unit's name"));
    }
}

#[test]
fn an_alias_of_a_template_with_drop_ins_of_its_own_is_unreadable() {
    let bed = Bed::new();
    bed.write(
        "etc/systemd/system/a@.service",
        "[Service]\nKillMode=mixed\n",
    );
    bed.link("etc/systemd/system/z@.service", "a@.service");
    assert_eq!(
        settings(&unit(&bed, "a@1.service")),
        ["Service.KillMode=mixed"]
    );
    bed.write("etc/systemd/system/z@2.service.d/1.conf", "[Service]\n");
    assert_eq!(
        settings(&unit(&bed, "a@1.service")),
        ["Service.KillMode=mixed"]
    );
    bed.write("etc/systemd/system/z@1.service.d/1.conf", "[Service]\n");
    assert!(unreadable(&bed, "a@1.service").contains("z@.service is an alias"));
}

/// Of every form of directory that could apply to a template, its instance or a plain unit by
/// another name: where systemd reads the file, the unit is unreadable here, and nowhere else.
#[test]
fn an_alias_brings_the_drop_ins_that_systemd_reads() {
    let forms = [
        "p-q-r@1.service.d",
        "p-q-r@2.service.d",
        "p-q-r@.service.d",
        "p-q-@1.service.d",
        "p-q-@.service.d",
        "p-q-.service.d",
        "p-@1.service.d",
        "p-@.service.d",
        "p-.service.d",
        "p-q-r.service.d",
        "x-y@1.service.d",
        "x-@.service.d",
        "x-y.service.d",
    ];
    // The unit's file, the unit as it is read, links that give it another name, and how many
    // of the forms that brings in.
    type Case<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)], usize);
    let cases: [Case<'_>; 6] = [
        (
            "a@.service",
            "a@1.service",
            &[("p-q-r@.service", "a@.service")],
            8,
        ),
        (
            "a@.service",
            "a@1.service",
            &[("p-q-r@1.service", "a@1.service")],
            8,
        ),
        (
            "a@.service",
            "a@1.service",
            &[("p-q-r@1.service", "a@.service")],
            8,
        ),
        (
            "a@.service",
            "a@1.service",
            &[("p-q-r@2.service", "a@.service")],
            0,
        ),
        (
            "a.service",
            "a.service",
            &[("p-q-r.service", "a.service")],
            3,
        ),
        // Through a second link.
        (
            "a@.service",
            "a@1.service",
            &[
                ("p-q-r@.service", "x-y@.service"),
                ("x-y@.service", "a@.service"),
            ],
            10,
        ),
    ];
    for (own, name, links, forms_read) in cases {
        let mut read = Vec::new();
        for form in forms {
            let bed = Bed::new();
            let dir = "etc/systemd/system";
            bed.write(&format!("{dir}/{own}"), "[Service]\nExecStart=/bin/true\n");
            for (link, target) in links {
                bed.link(&format!("{dir}/{link}"), target);
            }
            bed.write(&format!("{dir}/{form}/1.conf"), "[Service]\nBogus=1\n");
            let theirs = !read_by_systemd(&bed, name).is_empty();
            let ours = matches!(answer(&bed, name), HostAnswer::Unreadable { .. });
            assert_eq!(ours, theirs, "{links:?} {form}");
            if ours {
                assert!(unreadable(&bed, name).contains("is an alias of"));
                read.push(form);
            }
        }
        assert_eq!(read.len(), forms_read, "{links:?} {read:?}");
    }
}

#[test]
fn a_template_has_the_drop_ins_of_the_names_of_its_instances() {
    let bed = Bed::new();
    bed.write("etc/systemd/system/a-b@.service", "[Service]\n");
    let at = "etc/systemd/system/a-@.service.d/1.conf";
    bed.write(at, "[Service]\nKillMode=process\n");
    for name in ["a-b@.service", "a-b@i.service"] {
        assert_eq!(
            settings(&unit(&bed, name)),
            ["Service.KillMode=process"],
            "{name}"
        );
    }
    // An alias of a single instance is not passed over in the template either.
    bed.link("etc/systemd/system/z@1.service", "a-b@1.service");
    unit(&bed, "a-b@.service");
    bed.write("etc/systemd/system/z@1.service.d/1.conf", "[Service]\n");
    assert!(unreadable(&bed, "a-b@.service").contains("z@1.service is an alias of a-b@.service"));
}

/// `a-@1.service.d` and the directory of an alias give an instance drop-ins of its own, so the
/// instance is read though nothing has its name.
#[test]
fn an_instance_that_only_another_name_shows_is_found_by_pattern() {
    let names = ["a-b@.service", "a-b@*.service"];
    let bed = Bed::new();
    bed.write("etc/systemd/system/a-b@.service", "[Service]\n");
    bed.write(
        "run/systemd/system/a-@1.service.d/1.conf",
        "[Service]\nKillMode=process\n",
    );
    // Of other units.
    bed.write("run/systemd/system/a@2.service.d/1.conf", "[Service]\n");
    bed.write("run/systemd/system/a-@3.timer.d/1.conf", "[Timer]\n");
    bed.write("run/systemd/system/a-c-@4.service.d/1.conf", "[Service]\n");
    let read = found(&bed, &names);
    assert_eq!(
        read.iter()
            .map(|(name, _)| name.as_str())
            .collect::<Vec<_>>(),
        ["a-b@.service", "a-b@1.service"]
    );
    assert_eq!(read[1].1, ["Service.KillMode=process"]);
    bed.link("etc/systemd/system/y@.service", "a-b@.service");
    bed.link("etc/systemd/system/z-z@.service", "y@.service");
    assert_eq!(found(&bed, &names), read);
    bed.write("etc/systemd/system/z-@5.service.d/1.conf", "[Service]\n");
    assert!(unfound(&bed, &names).contains("z-z@.service is an alias of a-b@5.service"));
}

#[test]
fn what_does_not_matter_is_passed_over() {
    let bed = Bed::new();
    bed.write(
        "usr/lib/systemd/system/a.service",
        "[Service]\nKillMode=mixed\n",
    );
    bed.write(
        "usr/lib/systemd/system/a.service.d/1.conf",
        "[Service]\nKillMode=process\n",
    );
    bed.link("etc/systemd/system/a.service.d/1.conf", "/dev/null");
    bed.link(
        "etc/systemd/system/alias.service",
        "/usr/lib/systemd/system/a.service",
    );
    bed.link("etc/systemd/system/other.service", "/dev/null");
    bed.link("lib", "usr/lib");
    assert_eq!(
        settings(&unit(&bed, "a.service")),
        ["Service.KillMode=mixed"]
    );
}

#[test]
fn a_source_is_owned_only_as_it_was_installed() {
    let bed = Bed::new();
    let at = "/etc/systemd/system/a.service";
    let text = "[Service]\nKillMode=mixed\n";
    bed.converge(&[file(at, text)]);
    bed.write("etc/systemd/system/a.service.d/1.conf", "[Service]\n");
    let observation = observe(&bed.row, &["a.service".to_owned()], &bed.project);
    assert_eq!(observation.generation, Some(1));
    let read = unit(&bed, "a.service");
    assert_eq!(
        read.sources.iter().map(|s| s.owned).collect::<Vec<_>>(),
        [true, false]
    );
    assert_eq!(read.sources[0].digest, Digest::of(text.as_bytes()));
    bed.write(
        "etc/systemd/system/a.service",
        "[Service]\nKillMode=process\n",
    );
    assert!(!unit(&bed, "a.service").sources[0].owned);
}

#[test]
fn a_host_is_silent_without_a_tree_and_unreadable_as_another() {
    let bed = Bed::new();
    bed.write("etc/hostname", "srv2\n");
    assert!(unreadable(&bed, "a.service").contains("srv2"));
    std::fs::remove_dir_all(bed.root()).unwrap();
    let HostAnswer::Silent { host, cause } = answer(&bed, "a.service") else {
        panic!()
    };
    assert_eq!(host.as_str(), "srv1");
    assert!(cause.contains("there is no directory"), "{cause}");
    std::fs::write(bed.root(), "").unwrap();
    let HostAnswer::Silent { cause, .. } = answer(&bed, "a.service") else {
        panic!()
    };
    assert!(cause.contains("cannot open"), "{cause}");
}

const RUNNERS: [&str; 2] = ["actions-runner@*.service", "actions.runner.*.service"];

fn observed(bed: &Bed, names: &[&str]) -> HostAnswer {
    let names: Vec<_> = names.iter().map(|n| (*n).to_owned()).collect();
    observe(&bed.row, &names, &bed.project).answer
}

#[track_caller]
fn found(bed: &Bed, names: &[&str]) -> Vec<(String, Vec<String>)> {
    match observed(bed, names) {
        HostAnswer::Answered { units, .. } => units
            .into_iter()
            .map(|unit| (unit.unit.clone(), settings(&unit)))
            .collect(),
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn unfound(bed: &Bed, names: &[&str]) -> String {
    match observed(bed, names) {
        HostAnswer::Unreadable { cause, .. } => cause,
        other => panic!("{other:?}"),
    }
}

#[test]
fn runners_that_nobody_named_are_read() {
    let bed = Bed::new();
    assert_eq!(found(&bed, &RUNNERS), []);
    bed.write(
        "etc/systemd/system/actions-runner@.service",
        "[Service]\nKillMode=mixed\n",
    );
    bed.write(
        "run/systemd/system/actions-runner@1.service.d/x.conf",
        "[Service]\nKillMode=process\n",
    );
    bed.write(
        "usr/lib/systemd/system/actions-runner@2.service",
        "[Service]\nKillMode=none\n",
    );
    bed.write(
        "run/systemd/transient/actions-runner@2.service",
        "[Service]\nKillMode=none\nType=exec\n",
    );
    bed.write(
        "usr/local/lib/systemd/system/actions.runner.acme.service",
        "[Service]\nType=simple\n",
    );
    for other in [
        "etc/systemd/system/x-actions-runner@3.service",
        "etc/systemd/system/actions-runner@3.slice",
        "etc/systemd/system/actions-runner@3.service.bak",
        "etc/systemd/system/.actions-runner@3.service",
        "etc/systemd/system/actions.runner.service",
        "etc/systemd/user/actions-runner@3.service",
    ] {
        bed.write(other, "nonsense");
    }
    let row = |name: &str, settings: &[&str]| {
        let settings = settings.iter().map(|s| format!("Service.{s}")).collect();
        (name.to_owned(), settings)
    };
    let template = row("actions-runner@.service", &["KillMode=mixed"]);
    let instances = [
        row(
            "actions-runner@1.service",
            &["KillMode=mixed", "KillMode=process"],
        ),
        row("actions-runner@2.service", &["KillMode=none", "Type=exec"]),
        row("actions.runner.acme.service", &["Type=simple"]),
    ];
    let wanted = [&[template.clone()][..], &instances].concat();
    assert_eq!(found(&bed, &RUNNERS), wanted);
    // A name that is given stays where it is, and is read once.
    let [one, two, acme] = instances;
    let names = [
        RUNNERS[0],
        RUNNERS[1],
        "actions-runner@1.service",
        "a.service",
    ];
    let wanted = [template, two, acme, one, row("a.service", &[])];
    assert_eq!(found(&bed, &names), wanted);
    assert_eq!(found(&bed, &[RUNNERS[0], RUNNERS[0]]).len(), 3);
}

#[test]
fn a_runner_that_cannot_be_interpreted_makes_the_host_unreadable() {
    type Make = fn(&Bed);
    let cases: [(Make, &str); 8] = [
        (
            |b| {
                b.link(
                    "etc/systemd/system/actions-runner@1.service",
                    "/opt/runner.service",
                )
            },
            "/etc/systemd/system/actions-runner@1.service is a link to /opt/runner.service",
        ),
        (
            |b| {
                b.link(
                    "etc/systemd/system/actions-runner@1.service.d",
                    "/opt/runner.d",
                )
            },
            "/etc/systemd/system/actions-runner@1.service.d is a symbolic link",
        ),
        (
            |b| b.write("run/systemd/system/actions-runner@1.service.d", ""),
            "/run/systemd/system/actions-runner@1.service.d is a regular file",
        ),
        (
            |b| b.link("run/systemd/transient", "/opt"),
            "/run/systemd/transient is a symbolic link",
        ),
        (
            |b| {
                b.write(
                    "lib/systemd/system/actions.runner.acme.service",
                    "[Service]\n",
                )
            },
            "/lib/systemd/system is apart",
        ),
        (
            |b| b.write("etc/systemd/system/actions.runner.a b.service", ""),
            "`actions.runner.a b.service` is not a unit's name",
        ),
        (
            |b| b.write("etc/systemd/system/actions.runner.acme.service/x", ""),
            "actions.runner.acme.service is a directory",
        ),
        (
            |b| {
                for n in 0..1025 {
                    b.write(
                        &format!("etc/systemd/system/actions.runner.{n}.service"),
                        "[Service]\n",
                    );
                }
            },
            "is one of more than 1024 units that are looked for by pattern",
        ),
    ];
    for (make, words) in cases {
        let bed = Bed::within(crate::bed::in_memory());
        bed.write("etc/systemd/system/actions-runner@.service", "[Service]\n");
        assert_eq!(found(&bed, &RUNNERS).len(), 1);
        make(&bed);
        let cause = unfound(&bed, &RUNNERS);
        assert!(
            cause.contains(words) && cause.starts_with("srv1: "),
            "{cause}"
        );
    }
    let bed = Bed::new();
    for never in ["*", "a*", "../*.service", "a.*", "a b*.service"] {
        assert!(unfound(&bed, &[never]).contains("is not a unit's name"));
    }
}

#[test]
fn a_unit_has_a_limit_of_assignments_in_all_its_files() {
    let bed = Bed::new();
    let half = |more: usize| format!("[Service]\n{}", "Environment=\n".repeat(2048 + more));
    bed.write("etc/systemd/system/a.service", half(0));
    bed.write("etc/systemd/system/a.service.d/1.conf", half(0));
    assert_eq!(settings(&unit(&bed, "a.service")), ["Service.Environment="]);
    bed.write("etc/systemd/system/a.service.d/1.conf", half(1));
    let cause = unreadable(&bed, "a.service");
    assert!(
        cause.contains("/etc/systemd/system/a.service.d/1.conf, line 2050: ")
            && cause.contains("more than 4096 assignments"),
        "{cause}"
    );
}

/// The files that systemd itself reads for a unit of a tree, in its order: each
/// holds a key that it does not know and complains of.
fn read_by_systemd(bed: &Bed, unit: &str) -> Vec<String> {
    let out = std::process::Command::new("systemd-analyze")
        .arg(format!("--root={}", bed.root().display()))
        .args(["verify", unit])
        .output()
        .expect("running systemd-analyze (Debian: systemd)");
    let text = String::from_utf8(out.stderr).unwrap();
    let root = bed.root().canonicalize().unwrap();
    text.lines()
        .filter(|line| line.contains("'Bogus'"))
        .filter_map(|line| line.split_once(':'))
        .map(|(at, _)| at.replace(root.to_str().unwrap(), ""))
        .collect()
}

/// Where our reading and systemd's must agree: which files, in which order.
#[test]
fn systemd_reads_the_same_files_in_the_same_order() {
    // `verify` leaves out what a running manager generates.
    let directories = [
        "etc/systemd/system.control",
        "run/systemd/system.control",
        "etc/systemd/system",
        "etc/systemd/system.attached",
        "run/systemd/system",
        "run/systemd/system.attached",
        "usr/local/lib/systemd/system",
        "usr/lib/systemd/system",
    ];
    let names = [
        "a-b-c@i.service.d",
        "a-b-c@.service.d",
        "a-b-@i.service.d",
        "a-b-@.service.d",
        "a-b-.service.d",
        "a-@i.service.d",
        "a-@.service.d",
        "a-.service.d",
        "service.d",
        "a-b-c.service.d",
    ];
    // A fixed sequence of numbers, so that a failure comes again.
    let mut seed: u32 = 12345;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(1_103_515_245).wrapping_add(12345);
        (seed >> 16) as usize % below
    };
    for round in 0..36 {
        let bed = Bed::new();
        let unit = ["a-b-c@i.service", "a-b-c.service", "a-b-c@.service"][round % 3];
        let own = ["a-b-c@.service", "a-b-c.service", "a-b-c@.service"][round % 3];
        let text = "[Service]\nExecStart=/bin/true\nBogus=1\n";
        bed.write(&format!("{}/{own}", directories[next(8)]), text);
        bed.write(&format!("{}/{own}", directories[next(8)]), text);
        for _ in 0..14 {
            let name = format!(
                "{}/{}/{}.conf",
                directories[next(8)],
                names[next(10)],
                next(4)
            );
            bed.write(&name, "[Service]\nBogus=1\n");
        }
        // A template has what an instance has of which nothing is there.
        let theirs = read_by_systemd(&bed, &unit.replace("@.", "@none."));
        assert!(!theirs.is_empty());
        let ours = unit_sources(&bed, unit);
        assert_eq!(ours, theirs, "round {round}");
    }
}

fn unit_sources(bed: &Bed, name: &str) -> Vec<String> {
    unit(bed, name)
        .sources
        .into_iter()
        .map(|s| s.path)
        .collect()
}

/// An apply changes two files; an observation sees both as before, or both as
/// after, or says that it cannot tell.
#[test]
fn an_observation_during_an_apply_is_never_a_mixture() {
    let bed = Bed::within(crate::bed::in_memory());
    let desired = |value: usize| {
        let text = format!("[Service]\nEnvironment={value}\n");
        [
            "/etc/systemd/system/a.service",
            "/run/systemd/system/a.service.d/1.conf",
        ]
        .map(|at| file(at, &text))
    };
    bed.converge(&desired(0));
    let (mut whole, mut unclear) = (0, 0);
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for value in 1..150 {
                bed.converge(&desired(value));
            }
            done.store(true, std::sync::atomic::Ordering::SeqCst);
        });
        while !done.load(std::sync::atomic::Ordering::SeqCst) {
            match answer(&bed, "a.service") {
                HostAnswer::Answered { units, .. } => {
                    let values = settings(&units[0]);
                    assert!(values.len() == 2 && values[0] == values[1], "{values:?}");
                    assert!(units[0].sources.iter().all(|s| s.owned));
                    whole += 1;
                }
                HostAnswer::Unreadable { .. } => unclear += 1,
                HostAnswer::Silent { cause, .. } => panic!("{cause}"),
            }
        }
    });
    assert!(whole > 0 && unclear > 0, "{whole} {unclear}");
}
