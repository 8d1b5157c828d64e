//! The mistakes that people make most: each is refused before anything is rendered, on the first
//! line with its file and place, in few lines.

use crate::common::Project;

/// A shop of a model, where `data` has a mistake.
fn shop(data: &str) -> String {
    format!(
        "module shop\n\
         \n\
         type State\n  = Open\n  | Closed\n\
         \n\
         type Listener {{ name: String, ports: List<List<Int>>, state: State }}\n\
         \n\
         fn address(host: String, port: Int) -> String = \"{{host}}:{{port}}\"\n\
         \n\
         {data}\n"
    )
}

/// One mistake in a module that the fleet does not import: every command on the model refuses it.
fn mistaken(data: &str, first_line: &str) {
    let project = Project::starter();
    project.write("shop.dag", shop(data));
    project.untouched(|p| {
        for words in [
            &["check"][..],
            &["eval", "1"],
            &["test"],
            &["render"],
            &["render", "--check"],
        ] {
            let run = p.run(words).refused(&[]);
            let report: Vec<&str> = run.err.lines().take_while(|l| !l.is_empty()).collect();
            assert_eq!(
                report.first().copied(),
                Some(first_line),
                "{words:?}: {}",
                run.all()
            );
            assert!(report.len() <= 12, "{words:?}: {}", run.all());
        }
        // The document has the same place.
        let run = p.run(&["check", "--json"]).refused(&[]);
        let document: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        let [mistake] = document["diagnostics"].as_array().unwrap().as_slice() else {
            panic!("{}", run.all())
        };
        let at = &mistake["place"];
        let place = format!(
            "{}:{}:{}: error[{}]",
            at["path"].as_str().unwrap(),
            at["line"],
            at["column"],
            mistake["code"].as_str().unwrap()
        );
        assert!(first_line.starts_with(&place), "{place}");
    });
    assert!(!project.path("rendered").exists());
    assert!(!project.path(".github").exists());
    project.remove("shop.dag");
    project.run(&["render"]).done();
    assert!(project.path("rendered").exists());
}

#[test]
fn a_misspelt_field() {
    mistaken(
        "data web: Listener = Listener { name: \"web\", prots: [[80]], state: Open }",
        "shop.dag:11:46: error[E0302]: `Listener` has no field `prots`",
    );
}

#[test]
fn an_unknown_variant() {
    mistaken(
        "data state: State = State.Opened",
        "shop.dag:11:27: error[E0206]: `State` has no variant `Opened`",
    );
}

#[test]
fn a_match_that_misses_a_case_that_a_value_hits() {
    mistaken(
        "fn sign(state: State) -> String {\n  match state {\n    Open => \"come in\"\n  }\n}\n\n\
         data shown: String = sign(state: Closed)",
        "shop.dag:12:3: error[E0401]: this match of State has no arm for `Closed`",
    );
}

#[test]
fn a_match_that_misses_a_case_that_no_value_hits() {
    mistaken(
        "fn sign(state: State) -> String {\n  match state {\n    Open => \"come in\"\n  }\n}",
        "shop.dag:12:3: error[E0401]: this match of State has no arm for `Closed`",
    );
}

#[test]
fn a_wrong_type_deep_in_a_nested_list() {
    mistaken(
        "data web: Listener = Listener { name: \"web\", ports: [[80, 443], [8080, \"8443\"]], state: Open }",
        "shop.dag:11:72: error[E0301]: expected Int, found String",
    );
}

#[test]
fn a_required_argument_missing() {
    mistaken(
        "data web: String = address(host: \"localhost\")",
        "shop.dag:11:20: error[E0304]: `address` is not given `port`",
    );
}
