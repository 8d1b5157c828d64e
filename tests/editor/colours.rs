//! Words that are keywords in their places alone: what the server says, and what the grammar for
//! colours has.

use crate::client::Editor;
use crate::features::tokens;
use dag_syntax::{CONTEXTUAL_WORDS, Token};
use expect_test::expect;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const TEXT: &str = r#"module m

type Opaque nominal_opaque = String

service Tools {
  operation Grep {
    readonly
    input { input: String, exit: Int }
    transport shell { argv: ["/bin/grep", input] }
    exit { 0 => Output }
    output { output: String from "stdout" }
    mock_response { 0 => Output { output: input } }
  }
}

func find(uses: String, from: Int) -> Bool {
  node node = Tools.Grep(input: uses, exit: from)
  after [after node when from > 1] = uses
  node.output == uses
}
"#;

#[test]
fn a_word_is_a_keyword_in_its_place() {
    let mut editor = Editor::new(&[("m.dag", TEXT)]);
    let whole = json!({ "textDocument": { "uri": editor.uri("m.dag") } });
    assert_eq!(editor.mistakes("m.dag"), "");
    expect![[r#"
        module:keyword m:namespace!
        type:keyword Opaque:type! nominal_opaque:keyword String:type^
        service:keyword
        operation:keyword Grep:function!
        readonly:keyword
        input:keyword input:parameter! String:type^ exit:parameter! Int:type^
        transport:keyword shell:keyword ":string /bin/grep:string ":string input:parameter
        exit:keyword 0:number
        output:keyword output:property! String:type^ from:keyword ":string stdout:string ":string
        mock_response:keyword 0:number Output:type output:property input:parameter
        func:keyword find:function! uses:parameter! String:type^ from:parameter! Int:type^ Bool:type^
        node:keyword node:variable!° Grep:function input:parameter uses:parameter exit:parameter from:parameter
        after:variable!° after:keyword node:variable° when:keyword from:parameter 1:number uses:parameter
        node:variable° output:property uses:parameter
    "#]].assert_eq(&tokens(
        &mut editor,
        TEXT,
        "textDocument/semanticTokens/full",
        whole,
    ));
}

/// The words in the patterns of a grammar whose scopes are those of keywords: what stands in
/// parentheses, between bars.
fn words(grammar: &Value, found: &mut BTreeSet<String>) {
    match grammar {
        Value::Array(all) => all.iter().for_each(|one| words(one, found)),
        Value::Object(map) => {
            map.values().for_each(|one| words(one, found));
            let text = |key: &str| grammar[key].as_str().unwrap_or_default();
            let scope = |name: &str| {
                ["keyword.", "storage.", "constant.language."]
                    .iter()
                    .any(|start| name.starts_with(start))
            };
            let captured = map.get("captures").map(ToString::to_string);
            let captured = captured.unwrap_or_default();
            if !scope(text("name"))
                && !captured.contains("keyword.")
                && !captured.contains("storage.")
            {
                return;
            }
            for group in text("match").split(['(', ')']) {
                let group = group.trim_start_matches("?:").replace("\\s+", "");
                let all = group.split('|').all(|word| {
                    !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '_')
                });
                if all {
                    found.extend(group.split('|').map(str::to_owned));
                }
            }
        }
        _ => {}
    }
}

#[test]
fn the_grammar_for_colours_knows_the_same_words() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../editors/vscode/syntaxes/dag.tmLanguage.json"
    );
    let grammar = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut found = BTreeSet::new();
    words(&grammar, &mut found);
    let known: BTreeSet<String> = [CONTEXTUAL_WORDS, Token::KEYWORDS]
        .concat()
        .into_iter()
        .map(str::to_owned)
        .collect();
    assert_eq!(found, known);
}
