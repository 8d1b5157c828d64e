//! What the README shows is what the program says, to the byte, and what a new project holds.

use crate::common::Project;

/// The blocks of the README: runs of indented lines, without their indent.
fn blocks() -> Vec<String> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let text = std::fs::read_to_string(path).unwrap();
    let mut blocks = Vec::new();
    let mut block = String::new();
    for line in text.lines().chain([""]) {
        match line.strip_prefix("    ") {
            Some(line) => {
                block.push_str(line);
                block.push('\n');
            }
            None if block.is_empty() => {}
            None => blocks.push(std::mem::take(&mut block)),
        }
    }
    blocks
}

fn block(start: &str) -> String {
    let mut found = blocks().into_iter().filter(|b| b.starts_with(start));
    let block = found
        .next()
        .unwrap_or_else(|| panic!("no block begins with `{start}`"));
    assert_eq!(found.next(), None, "two blocks begin with `{start}`");
    block
}

/// Runs the commands of a block in a project, and gives what they print.
fn walk(project: &Project, block: &str) -> String {
    let mut out = String::new();
    for line in block.lines() {
        let command = line.split('#').next().unwrap().trim();
        let words: Vec<&str> = command.split(' ').collect();
        assert_eq!(words[0], "hayward", "{line}");
        // The folder of the README's project is called so.
        let name: &[&str] = match words[1] {
            "init" => &["--name", "walk"],
            _ => &[],
        };
        out += &project.run(&[&words[1..], name].concat()).done().out;
    }
    out
}

#[test]
fn the_walk_of_the_readme_says_what_the_readme_says() {
    let project = Project::empty();
    let first = walk(&project, &block("hayward init"));
    let withheld = block("may CI cancel a running job? no");
    assert!(first.contains(&withheld), "{withheld}\n{first}");
    let second = walk(&project, &block("hayward observe"));
    let standing = block("builder  generation 1");
    // Only the age of the reading is the clock's.
    let ageless = |text: &str| {
        let (front, back) = text.split_once("observed ").unwrap();
        let (_, rest) = back.split_once(" s ago").unwrap();
        format!("{front}observed … ago{rest}")
    };
    let status = second.rfind("builder  generation").unwrap();
    assert_eq!(ageless(&second[status..]), ageless(&standing));
}

#[test]
fn the_models_of_the_readme_are_those_of_a_new_project() {
    let project = Project::empty();
    project.run(&["init", "--name", "walk"]).done();
    for (start, file) in [
        ("data memory_limit", "units.dag"),
        ("data fleet", "main.dag"),
    ] {
        let block = block(start);
        let text = project.read(file);
        assert!(text.contains(&block), "{block}\n{text}");
    }
}

#[test]
fn the_mistake_of_the_readme_is_shown_so() {
    let shown = block("forged.dag:4:27");
    let (_, line) = shown.split_once(" 4 | ").unwrap();
    let line = line.lines().next().unwrap();
    let project = Project::starter();
    project.write(
        "forged.dag",
        format!(
            "module forged\nimport host.reading {{ Answered, HostAnswer }}\n\
             import fleet.hosts {{ builder }}\n{line}\n"
        ),
    );
    let run = project.run(&["check"]).refused(&[]);
    assert!(run.err.contains(&shown), "{shown}\n{}", run.all());
}
