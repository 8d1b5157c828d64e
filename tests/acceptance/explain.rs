//! `hayward explain`: what there is to say of every code.

use crate::common::Project;
use dag_syntax::Code;

#[test]
fn every_code_is_explained() {
    let project = Project::empty();
    let list = project.run(&["explain"]).done().out;
    for code in Code::ALL {
        let (name, rule) = (code.as_str(), code.rule());
        assert!(
            list.lines().any(|l| l == format!("{name}  {rule}")),
            "{list}"
        );
        let text = project.run(&["explain", name]).done().out;
        let first = text.lines().next().unwrap();
        assert_eq!(first, format!("{name}  {rule}"));
        for heading in ["Why", "Example", "Cure"] {
            assert!(text.lines().any(|l| l == heading), "{name}: {text}");
        }
        assert!(!text.contains("```") && !text.contains('\x1b'), "{text}");
    }
    assert_eq!(list.lines().count(), Code::ALL.len());
}

#[test]
fn an_explanation_shows_the_mistake_and_the_text_that_passes() {
    let text = Project::empty().run(&["explain", "E0302"]).done().out;
    for part in [
        "\n    data web: Listener = Listener { host: \"localhost\", prot: 80 }\n",
        "\n    shop.dag:5:52: error[E0302]: `Listener` has no field `prot`\n",
        "\n    data web: Listener = Listener { host: \"localhost\", port: 80 }\n",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_code_is_found_in_small_letters_and_a_wrong_one_is_not() {
    let project = Project::empty();
    let capital = project.run(&["explain", "W0107"]).done().out;
    assert_eq!(project.run(&["explain", "w0107"]).done().out, capital);
    project
        .run(&["explain", "E0320"])
        .failed(&["there is no code `E0320`: did you mean E0302?"]);
    project
        .run(&["explain", "e3002"])
        .failed(&["there is no code `e3002`: did you mean E0302?"]);
    project
        .run(&["explain", ""])
        .failed(&["there is no code ``"]);
}

#[test]
fn a_program_reads_the_explanation() {
    let project = Project::empty();
    let (_, codes) = project.json(&["explain"]);
    assert_eq!(codes.as_array().unwrap().len(), Code::ALL.len());
    assert_eq!(codes[0]["code"], "E0101");
    let (_, one) = project.json(&["explain", "E0401"]);
    assert_eq!(one["rule"], Code::NonExhaustive.rule());
    assert!(one["why"].as_str().unwrap().starts_with("A match decides"));
    assert_eq!(one["example"][0]["mark"], "dag");
    let said = one["example"][1]["text"].as_str().unwrap();
    assert!(said.contains("error[E0401]"), "{said}");
    let cured = one["cure"]["example"][0]["text"].as_str().unwrap();
    assert!(cured.contains("Closed =>"), "{cured}");
    assert!(
        one["cure"]["text"]
            .as_str()
            .unwrap()
            .starts_with("Write an arm")
    );
}

#[test]
fn headings_are_bold_where_colours_are_shown() {
    let project = Project::empty();
    let text = project
        .run(&["--color", "always", "explain", "E0102"])
        .done()
        .out;
    assert!(text.contains("\x1b[1mWhy\x1b[0m\n"), "{text:?}");
}
