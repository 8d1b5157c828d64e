//! A large project: an edit costs what it changes, and large work is shown.

use crate::client::{Editor, capabilities};
use serde_json::json;

const MODULES: usize = 5000;

/// Services that use a base, in rows that import each other.
fn project() -> Vec<(String, String)> {
    let mut files = vec![(
        "base.dag".to_owned(),
        "module base\n\ntype Service { name: String, port: Int }\n\nfn made(name: String, port: Int) -> Service = Service { name, port }\n".to_owned(),
    )];
    for index in 1..MODULES {
        let before = index - 1;
        let chained = !index.is_multiple_of(10) && index > 1;
        let import = if chained {
            format!("import s.m{before} {{ own{before} }}\n")
        } else {
            String::new()
        };
        let value = if chained {
            format!("own{before}.port + 1")
        } else {
            "1".to_owned()
        };
        files.push((
            format!("s{}/m{index}.dag", index / 100),
            format!(
                "module s.m{index}\n\nimport base {{ Service, made }}\n{import}\ndata own{index}: Service = made(\"m{index}\", {value})\n"
            ),
        ));
    }
    files
}

#[test]
fn an_edit_in_five_thousand_modules_is_answered_at_once() {
    let files = project();
    let files: Vec<(&str, &str)> = files
        .iter()
        .map(|(p, t)| (p.as_str(), t.as_str()))
        .collect();
    let mut capabilities = capabilities();
    capabilities["window"] = json!({ "workDoneProgress": true });
    let mut editor = Editor::with(&files, capabilities);
    editor.settle();
    let kinds = |editor: &Editor| -> Vec<String> {
        let progress = editor.others.iter().filter(|m| m["method"] == "$/progress");
        let kinds = progress.map(|m| m["params"]["value"]["kind"].as_str().unwrap().to_owned());
        kinds.collect()
    };
    // The first check is shown from its begin to its end.
    let shown = kinds(&editor);
    assert_eq!(shown.first().map(String::as_str), Some("begin"));
    assert_eq!(shown.last().map(String::as_str), Some("end"));
    assert!(shown.len() > 10, "{shown:?}");
    let asked = editor
        .others
        .iter()
        .any(|m| m["method"] == "window/workDoneProgress/create");
    assert!(asked);
    assert_eq!(editor.told.len(), 0);
    editor.others.clear();
    // One leaf: nothing large is done, so nothing is shown.
    let path = "s49/m4999.dag";
    editor.open(path);
    let text = std::fs::read_to_string(editor.root.join(path)).unwrap();
    for round in 0..20 {
        let text = text.replace("\"m4999\"", &format!("\"m{round}\""));
        editor.change(
            path,
            &text.replace(
                "own4998.port",
                if round % 2 == 0 {
                    "own4998.prot"
                } else {
                    "own4998.port"
                },
            ),
        );
        let mistakes = editor.mistakes(path);
        assert_eq!(mistakes.is_empty(), round % 2 == 1, "{mistakes}");
    }
    assert_eq!(kinds(&editor), Vec::<String>::new());
    // Many edits in one go are one check.
    for round in 0..500 {
        editor.change(path, &text.replace("\"m4999\"", &format!("\"x{round}\"")));
    }
    assert_eq!(editor.mistakes(path), "");
    // What all import: all are checked, and it is shown.
    editor.open("base.dag");
    let base = std::fs::read_to_string(editor.root.join("base.dag")).unwrap();
    editor.change("base.dag", &base.replace("port: Int }", "port: String }"));
    editor.settle();
    assert_eq!(kinds(&editor).last().map(String::as_str), Some("end"));
    assert!(editor.told.len() > 1000);
    editor.change("base.dag", &base);
    editor.settle();
    assert!(editor.told.values().all(Vec::is_empty));
    assert_eq!(editor.end(), Some(0));
}
