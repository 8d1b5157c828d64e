//! `hayward explain`

use crate::args::ExplainArgs;
use crate::failure::{End, Failure, Outcome};
use crate::output::{Output, Tone};
use dag_book::{Block, explanation, render};
use dag_syntax::Code;
use serde_json::{Value, json};

pub(crate) fn run(args: &ExplainArgs, output: &Output) -> Outcome {
    match &args.code {
        Some(wanted) => one(wanted, output),
        None => {
            all(output);
            Ok(End::Done)
        }
    }
}

fn all(output: &Output) {
    for code in Code::ALL {
        let name = output.paint(Tone::Strong, code.as_str());
        output.line(format!("{name}  {}", code.rule()));
    }
    let rows: Vec<Value> = Code::ALL
        .iter()
        .map(|code| json!({ "code": code.as_str(), "rule": code.rule() }))
        .collect();
    output.document(&rows);
}

fn one(wanted: &str, output: &Output) -> Outcome {
    let name = wanted.trim().to_uppercase();
    let Some(code) = Code::ALL.iter().find(|c| c.as_str() == name) else {
        let nearest = Code::ALL
            .iter()
            .min_by_key(|c| strsim::damerau_levenshtein(c.as_str(), &name));
        let near = nearest.map_or(String::new(), |c| format!(": did you mean {c}?"));
        return Err(Failure::new(format!(
            "there is no code `{wanted}`{near} `hayward explain` lists all of them"
        )));
    };
    let explained = explanation(*code).map_err(|e| Failure::of(&e))?;
    let strong = |text: &str| output.paint(Tone::Strong, text);
    output.line(format!("{}  {}\n", strong(code.as_str()), code.rule()));
    output.line(render(&explained.body, strong).trim_end());
    output.document(&json!({
        "code": code.as_str(),
        "rule": code.rule(),
        "why": explained.why,
        "example": blocks(&explained.example),
        "cure": { "text": explained.cure, "example": blocks(&explained.cured) },
    }));
    Ok(End::Done)
}

/// Each block with its mark: `dag` is a file, the others are what is said of it.
fn blocks(blocks: &[Block]) -> Vec<Value> {
    let row = |block: &Block| json!({ "mark": block.info, "text": block.text });
    blocks.iter().map(row).collect()
}
