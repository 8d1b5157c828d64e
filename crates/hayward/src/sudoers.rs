//! `hayward sudoers`

use crate::args::SudoersArgs;
use crate::failure::{End, Failure, Outcome};
use crate::near::{listed, nearest};
use crate::output::Output;
use crate::project;
use dag_analysis::Library;
use dag_analysis::core::Module;
use dag_analysis::operation::{Operation, Transport};
use hayward_project::Loaded;
use std::collections::BTreeSet;

pub(crate) fn run(args: &SudoersArgs, output: &Output) -> Outcome {
    named(&args.user, "user", args.user.strip_prefix('%'))?;
    if args.host != "ALL" {
        named(&args.host, "host", None)?;
    }
    let roots = project::roots(&args.roots)?;
    let Some(loaded) = project::read_sound(&roots, Library::Whole, output)? else {
        return Ok(End::Refused);
    };
    for only in &args.only {
        known(only, args.library, loaded)?;
    }
    let asked = |module: &Module, operation: &Operation| {
        args.only.is_empty() || args.only.iter().any(|only| is_of(module, operation, only))
    };
    let wanted = |module: &Module, operation: &Operation| {
        (args.library || loaded.is_own(module.source)) && asked(module, operation)
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
    let mut last = None;
    for grant in &grants {
        let line = grant.line(&args.user, &args.host);
        shown.push(serde_json::json!({
            "module": grant.module.as_str(),
            "operation": grant.operation.as_str(),
            "command": grant.command,
            "line": line,
        }));
        let comment = grant.comment();
        if last.as_ref() != Some(&comment) {
            text.push_str(&comment);
            text.push('\n');
            last = Some(comment);
        }
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

/// Whether an operation has a name, or is of the service with that name; its module's may stand in
/// front.
fn is_of(module: &Module, operation: &Operation, name: &str) -> bool {
    let is_of = |name: &str| {
        let rest = operation.name.as_str().strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let qualified = name.strip_prefix(module.name.as_str());
    is_of(name)
        || qualified
            .and_then(|rest| rest.strip_prefix('.'))
            .is_some_and(is_of)
}

/// Refuses a name that no operation that runs a program has, nor a service with one, or several
/// modules have.
fn known(name: &str, library: bool, loaded: &Loaded) -> Result<(), Failure> {
    let all = || {
        let modules = loaded.checked.program.modules.iter();
        modules.flat_map(|m| m.operations.iter().map(move |o| (m, o)))
    };
    let runs = |o: &Operation| matches!(o.transport, Transport::Shell { .. });
    let asked = |m: &Module| library || loaded.is_own(m.source);
    let named = || all().filter(|(m, o)| is_of(m, o, name));
    let meant = named().filter(|(m, o)| asked(m) && runs(o));
    let modules: BTreeSet<&str> = meant.map(|(m, _)| m.name.as_str()).collect();
    if modules.len() > 1 {
        let names: Vec<String> = modules.iter().map(|m| format!("`{m}.{name}`")).collect();
        return Err(Failure::new(format!(
            "several modules declare `{name}`: write one of {}",
            names.join(", ")
        )));
    }
    if !modules.is_empty() {
        return Ok(());
    }
    if named().any(|(m, _)| asked(m)) {
        return Err(Failure::new(format!(
            "`{name}` runs no program, so it needs no line of sudoers"
        )));
    }
    if named().next().is_some() {
        return Err(Failure::new(format!(
            "`{name}` is of the built-in library: add `--library`"
        )));
    }
    let candidates: Vec<&str> = all()
        .filter(|(m, o)| asked(m) && runs(o))
        .map(|(_, o)| o.name.as_str())
        .collect();
    if candidates.is_empty() {
        return Err(Failure::new(format!(
            "no operation `{name}`, nor any other that runs a program"
        )));
    }
    let services = candidates.iter().filter_map(|o| o.rsplit_once('.'));
    let names = services.map(|(service, _)| service);
    let near = nearest(name, names.chain(candidates.iter().copied()));
    let near = near.map_or(String::new(), |near| format!(": did you mean `{near}`?"));
    Err(Failure::new(format!(
        "no operation `{name}`{near}
those that run a program: {}",
        listed(candidates)
    )))
}

/// Refuses what sudoers(5) would not read as the name of one user, group or host.
fn named(name: &str, what: &str, group: Option<&str>) -> Result<(), Failure> {
    let refuse = |why: &str| {
        Err(Failure::new(format!(
            "`{name}` is no name of a {what}: {why}"
        )))
    };
    let bare = group.unwrap_or(name);
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    if !bare.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        || !bare.chars().all(plain)
    {
        return refuse("it has letters, digits, `_`, `-` and `.`; `%` before it is of a group");
    }
    if bare == "ALL" {
        return refuse("in sudoers it is everybody");
    }
    let capitals = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    if bare.starts_with(|c: char| c.is_ascii_uppercase()) && bare.chars().all(capitals) {
        return refuse("in sudoers a word of capitals is an alias");
    }
    if bare == "Defaults" || bare.ends_with("_Alias") {
        return refuse("in sudoers this word begins another kind of line");
    }
    Ok(())
}
