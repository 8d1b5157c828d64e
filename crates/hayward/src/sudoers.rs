//! `hayward sudoers`

use crate::args::SudoersArgs;
use crate::failure::{End, Failure, Outcome};
use crate::output::Output;
use crate::project;
use dag_analysis::Library;
use dag_analysis::core::Module;
use dag_analysis::operation::Operation;

pub(crate) fn run(args: &SudoersArgs, output: &Output) -> Outcome {
    for name in [&args.user, &args.host] {
        if !is_name(name) {
            return Err(Failure::new(format!(
                "`{name}` is no name of a user or host: letters, digits, `_`, `-`, `.` and a leading `%`"
            )));
        }
    }
    let roots = project::roots(&args.roots)?;
    let Some(loaded) = project::read_sound(&roots, Library::Whole, output)? else {
        return Ok(End::Refused);
    };
    let asked = |operation: &Operation| {
        let name = operation.name.as_str();
        args.only.is_empty()
            || args.only.iter().any(|only| {
                let rest = name.strip_prefix(only.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
    };
    let wanted = |module: &Module, operation: &Operation| {
        (args.library || loaded.is_own(module.source)) && asked(operation)
    };
    let (grants, refused) = hayward_operations::sudoers(&loaded.checked.program, wanted);
    if !refused.is_empty() {
        project::refuse(&refused, loaded, output);
        return Ok(End::Refused);
    }
    if grants.is_empty() {
        return Err(Failure::new("there is no operation that runs a program"));
    }
    let mut text = String::new();
    let mut shown = Vec::new();
    for grant in &grants {
        let line = grant.line(&args.user, &args.host);
        shown.push(serde_json::json!({
            "operation": grant.operation.as_str(),
            "command": grant.command,
            "line": line,
        }));
        text.push_str(&line);
        text.push('\n');
    }
    if output.json {
        output.document(&serde_json::json!({ "ok": true, "grants": shown }));
    } else {
        output.raw(text.as_bytes());
    }
    Ok(End::Done)
}

/// Names that sudoers(5) reads as they are.
fn is_name(text: &str) -> bool {
    let rest = text.strip_prefix('%').unwrap_or(text);
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_') && rest.chars().all(plain)
}
