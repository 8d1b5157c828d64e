//! The files that the project keeps: written whole, never over what somebody else wrote.

use crate::common::{Project, RUNNER, WORKFLOW, snapshot};
use std::fs;

/// Lets something happen to rendered files: a later render refuses and writes nothing at all.
fn refused(happens: impl FnOnce(&Project), saying: &[&str]) {
    let project = Project::starter();
    project.run(&["render"]).done();
    // Something to write elsewhere, so that writing only the rest would show.
    project.change_limit(9);
    project
        .copy()
        .run(&["render"])
        .done()
        .says(&["~ rendered/builder"]);
    happens(&project);
    project.untouched(|p| {
        p.run(&["render"])
            .refused(saying)
            .says(&["nothing was written"]);
        p.run(&["render", "--check"]).refused(saying);
    });
}

#[test]
fn a_workflow_that_was_edited_by_hand() {
    refused(
        |p| {
            p.edit(
                WORKFLOW,
                "cancel-in-progress: false",
                "cancel-in-progress: true",
            )
        },
        &["! .github/workflows/check.yml: it was edited by hand"],
    );
}

#[test]
fn a_copy_of_a_host_file_that_was_edited() {
    refused(
        |p| {
            p.edit(
                format!("rendered/builder/{RUNNER}"),
                "KillMode=control-group",
                "KillMode=process",
            )
        },
        &["it was edited by hand"],
    );
}

#[test]
fn a_file_of_somebody_else() {
    let project = Project::starter();
    project.write(WORKFLOW, "name: mine\n");
    project.untouched(|p| {
        p.run(&["render"]).refused(&[
            "a file that Hayward did not write is there: move it away",
            "nothing was written",
        ])
    });
    project.remove(WORKFLOW);
    project.run(&["render"]).done();
}

#[test]
fn a_link_or_a_folder_in_its_place() {
    refused(
        |p| {
            p.write("precious", "mine\n");
            p.remove(WORKFLOW);
            p.link(WORKFLOW, p.path("precious"));
        },
        &["check.yml is a symbolic link"],
    );
    refused(
        |p| {
            p.remove(WORKFLOW);
            fs::create_dir(p.path(WORKFLOW)).unwrap();
        },
        &["check.yml is a directory"],
    );
    refused(
        |p| {
            p.remove(WORKFLOW);
            p.fifo(WORKFLOW);
        },
        &["check.yml is no regular file"],
    );
}

#[test]
fn a_folder_that_is_a_link() {
    for (at, name) in [
        (".github", ".github"),
        (".github/workflows", ".github/workflows"),
        ("rendered/builder", "rendered/builder"),
    ] {
        refused(
            |p| {
                fs::rename(p.path(at), p.path("moved")).unwrap();
                p.link(at, p.path("moved"));
            },
            &[&format!("{name} is a symbolic link")],
        );
    }
}

#[test]
fn a_link_where_a_text_is_staged_is_not_written_through() {
    let project = Project::starter();
    project.write("precious", "mine\n");
    fs::create_dir_all(project.path(".github/workflows")).unwrap();
    project.link(
        ".github/workflows/.check.yml.hayward",
        project.path("precious"),
    );
    project.run(&["render"]).done();
    assert_eq!(project.read("precious"), "mine\n");
    assert!(
        !project.path(WORKFLOW).is_symlink()
            && !project.has(".github/workflows/.check.yml.hayward")
    );
    let other = Project::starter();
    other.fifo(".github/workflows/.check.yml.hayward");
    other.run(&["render"]).done();
}

#[test]
fn a_damaged_list_of_rendered_files() {
    for text in ["", "x", "{\"files\": {\"a\": 1}}", "{}"] {
        let project = Project::starter();
        project.run(&["render"]).done();
        project.write("rendered/manifest.json", text);
        project.untouched(|p| {
            p.run(&["render"])
                .failed(&["manifest.json is no manifest of rendered files"])
        });
    }
    let project = Project::starter();
    project.run(&["render"]).done();
    project.remove("rendered/manifest.json");
    project.change_limit(9);
    // Then nothing says that the files are Hayward's.
    project.untouched(|p| {
        p.run(&["render"])
            .refused(&["a file that Hayward did not write is there"])
    });
}

#[test]
fn a_list_of_rendered_files_cannot_lead_to_another_file() {
    let project = Project::starter();
    project.run(&["render"]).done();
    project.write("precious", "mine\n");
    let digest = "\"files\": {";
    // With the right digest, as if Hayward had written it; and outside of the project.
    let mine = {
        let list = project.read("rendered/manifest.json");
        let at = list.find("check.yml\": ").unwrap() + "check.yml\": ".len();
        list[at..].split(['\n', ',']).next().unwrap().to_owned()
    };
    let workflow = project.read(WORKFLOW);
    fs::write(project.beside("outside.yml"), &workflow).unwrap();
    project.edit(
        "rendered/manifest.json",
        digest,
        &format!("{digest}\n    \"../outside.yml\": {mine},"),
    );
    project.untouched(|p| p.run(&["render"]).failed(&["manifest.json"]));
    assert_eq!(
        fs::read_to_string(project.beside("outside.yml")).unwrap(),
        workflow
    );
}

#[test]
fn two_artifacts_of_one_path() {
    let project = Project::starter();
    let artifact = "    WorkflowFile { name: \"check\", workflow: workflow(cancel: cancel_running(standing: standing)) }\n";
    project.edit("main.dag", artifact, &format!("{artifact}{artifact}"));
    project.untouched(|p| {
        p.run(&["render"])
            .failed(&["the model renders .github/workflows/check.yml twice"])
    });
    project.edit(
        "main.dag",
        &format!("{artifact}{artifact}"),
        &format!("{artifact}{}", artifact.replace("\"check\"", "\"other\"")),
    );
    project
        .run(&["render"])
        .done()
        .says(&["+ .github/workflows/other.yml"]);
}

#[test]
fn no_artifact_lies_outside_of_its_folder() {
    for name in [
        "../check",
        "a/b",
        "..",
        ".",
        "",
        "check.yml",
        "a\\nb",
        "/etc/x",
        "a b",
    ] {
        let project = Project::starter();
        project.edit(
            "main.dag",
            "WorkflowFile { name: \"check\"",
            &format!("WorkflowFile {{ name: \"{name}\""),
        );
        project.untouched(|p| p.run(&["render"]).refused(&["E0309", "main.dag:25:"]));
    }
    for name in ["../x.conf", "a/b.conf", "..", "x"] {
        let project = Project::starter();
        project.edit(
            "units.dag",
            "name: \"20-memory.conf\"",
            &format!("name: \"{name}\""),
        );
        project.untouched(|p| p.run(&["render"]).refused(&["E0309", "units.dag:"]));
    }
    for path in ["/etc/../x", "relative", "/", "/a//b", "/a/./b", "/a/"] {
        let project = Project::starter();
        project.edit(
            "units.dag",
            "  [\n    SystemdTemplate {",
            &format!("  [\n    Removed {{ path: \"{path}\" }}\n    SystemdTemplate {{"),
        );
        project.edit(
            "units.dag",
            "import host.resource { Resource,",
            "import host.resource { Removed, Resource,",
        );
        project.untouched(|p| p.run(&["plan"]).refused(&["E0309", "units.dag:"]));
    }
}

#[test]
fn a_file_that_is_as_it_should_be_is_nobodys_loss() {
    let project = Project::starter();
    project.run(&["render"]).done();
    let text = project.read(WORKFLOW);
    project.remove("rendered/manifest.json");
    let before = snapshot(&project.path(".github"));
    project.run(&["render"]).done();
    crate::common::same(&before, &snapshot(&project.path(".github")));
    assert_eq!(project.read(WORKFLOW), text);
}

#[test]
fn a_render_that_was_killed_between_its_files_is_no_hand_edit() {
    let project = Project::starter();
    project.run(&["render"]).done();
    let manifest = "rendered/manifest.json";
    let before: serde_json::Value = serde_json::from_str(&project.read(manifest)).unwrap();
    project.edit("ci.dag", "name: \"Check\"", "name: \"Check2\"");
    project.run(&["render"]).done();
    let after: serde_json::Value = serde_json::from_str(&project.read(manifest)).unwrap();
    // What a kill behind the first rename leaves: the new file, the intent.
    let mut intent = before;
    intent["pending"][".github/workflows/check.yml"] =
        after["files"][".github/workflows/check.yml"].clone();
    project.write(manifest, intent.to_string());
    project.edit("ci.dag", "name: \"Check2\"", "name: \"Check3\"");
    project
        .run(&["render"])
        .done()
        .says(&["~ .github/workflows/check.yml"]);
    project.run(&["render", "--check"]).done();
}

#[test]
fn a_render_while_another_is_under_way_writes_nothing() {
    let project = Project::starter();
    let held = fs::File::open(project.path("hayward.toml")).unwrap();
    held.lock().unwrap();
    project.untouched(|p| {
        p.run(&["render"])
            .failed(&["another render of this project is under way"]);
        p.run(&["render", "--check"]).refused(&["is missing"]);
    });
    held.unlock().unwrap();
    project.run(&["render"]).done();
}
