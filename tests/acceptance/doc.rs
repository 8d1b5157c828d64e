//! `hayward doc`: the pages, and the folder that they are written to.

use crate::common::{Project, contents};
use std::fs;

#[test]
fn the_pages_of_a_project_and_of_what_it_loads() {
    let project = Project::starter();
    let run = project.run(&["doc"]).done();
    assert!(run.out.starts_with("doc/index.html: "), "{}", run.out);
    let index = project.read("doc/index.html");
    assert!(index.contains("<h1>starter</h1>"), "{index}");
    let hosts = project.read("doc/modules/fleet.hosts.html");
    assert!(hosts.contains("hosts.dag, line "), "{hosts}");
    assert!(
        hosts.contains("href=\"host.roster.html#type.HostIdentity\""),
        "{hosts}"
    );
    // The witnesses of a module stand on its page.
    assert!(
        project
            .read("doc/modules/fleet.main.html")
            .contains("<details")
    );
    assert!(!project.has("doc/modules/fleet.main_test.html"));
    assert!(project.has("doc/modules/std.prelude.html"));
    assert!(!project.has("doc/modules/jobserver.slice.html"));
    project.run(&["doc", "--library"]).done();
    assert!(project.has("doc/modules/jobserver.slice.html"));
    // What is gone from the model is gone from the pages.
    project.run(&["doc"]).done();
    assert!(!project.has("doc/modules/jobserver.slice.html"));
}

#[test]
fn the_same_model_gives_the_same_bytes_wherever_it_stands() {
    let project = Project::starter();
    project.run(&["doc"]).done();
    project.run(&["doc", "--out", "../again"]).done();
    let first = contents(&project.path("doc"));
    assert_eq!(first, contents(&project.beside("again")));
    let elsewhere = project.copy();
    elsewhere.remove("doc");
    fs::create_dir(elsewhere.path("sub")).unwrap();
    let mut doc = elsewhere.command(&["doc", "--out", "../pages"]);
    let ended = doc.current_dir(elsewhere.path("sub")).output().unwrap();
    assert!(ended.status.success(), "{ended:?}");
    assert_eq!(first, contents(&elsewhere.path("pages")));
    // Nothing is left beside.
    let mut names: Vec<_> = fs::read_dir(project.root())
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    names.retain(|name| name.to_string_lossy().contains("doc"));
    assert_eq!(names, ["doc"]);
}

#[test]
fn markdown_pages() {
    let project = Project::starter();
    let (_, answer) = project.json(&["doc", "--format", "markdown", "--out", "pages"]);
    assert_eq!(answer["files"][0], "README.md");
    let page = project.read("pages/modules/fleet.hosts.md");
    assert!(page.starts_with("# Module `fleet.hosts`\n"), "{page}");
    assert!(
        page.contains("](host.roster.md#type-hostidentity)"),
        "{page}"
    );
}

#[test]
fn a_folder_of_somebody_else_is_refused() {
    let project = Project::starter();
    let refused = |out: &str, saying: &str| {
        project.untouched(|p| p.run(&["doc", "--out", out]).failed(&[saying]));
    };
    project.write("mine/index.html", "mine");
    refused(
        "mine",
        "mine is not empty, and was not written by `hayward doc`",
    );
    refused("hayward.toml", "hayward.toml is no folder");
    fs::create_dir(project.path("empty")).unwrap();
    project.link("link", "empty");
    refused("link", "link is a symbolic link");
    project.run(&["doc", "--out", "empty"]).done();
    project.run(&["doc", "--out", "empty"]).done();
    project.write("empty/modules/notes.html", "mine");
    refused("empty", "did not write: move modules/notes.html away");
    project.remove("empty/modules/notes.html");
    project.run(&["doc", "--out", "empty"]).done();
    project.run(&["doc", "--out", "new/deep"]).done();
    refused("..", "is not empty");
}

#[test]
fn a_model_with_a_mistake_has_no_pages() {
    let project = Project::starter();
    project.run(&["doc"]).done();
    project.edit("hosts.dag", "\"builder\"", "1");
    project.untouched(|p| p.run(&["doc"]).refused(&["hosts.dag:", "error[E"]));
}

#[test]
fn what_a_killed_run_left_is_removed() {
    let project = Project::starter();
    // No process has this number: it is larger than the kernel gives.
    project.write(".doc.4194305.hayward-doc/index.html", "half");
    project.run(&["doc"]).done();
    assert!(!project.has(".doc.4194305.hayward-doc"));
}
