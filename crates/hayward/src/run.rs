//! `hayward run`

mod named_secrets;
mod written;

use crate::args::{Mode, RootArgs, RunArgs};
use crate::failure::{End, Failure, Outcome};
use crate::near::{listed, nearest};
use crate::output::Output;
use crate::printed::{Form, printed};
use crate::project;
use dag_analysis::core::{DeclKind, DeclRef, Program};
use dag_analysis::{Kernel, Library, check_run};
use dag_eval::{Evaluator, Hermetic, Operations, judged, quote};
use dag_syntax::{Diagnostic, SourceId, Sources, Symbol, parse_expression};
use hayward_operations::{Limits, Recorder, Replay, Secrets, Stop, Wet};
use hayward_project::{Loaded, in_line};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use written::Written;

pub(crate) fn run(args: &RunArgs, output: &Output) -> Outcome {
    let words = Words::of(&args.words)?;
    consistent(args)?;
    let secrets = secrets(&args.secrets)?;
    let roots = words.root.iter().map(PathBuf::from).collect();
    let roots = project::roots(&RootArgs { roots })?;
    let Some(loaded) = project::read_sound(&roots, Library::Whole, output)? else {
        return Ok(End::Refused);
    };
    let decl = workflow(loaded, words.workflow)?;
    let program = &loaded.checked.program;
    let written = Written::new(program, decl, args.mode);
    let call = call(
        program,
        decl,
        &words,
        &args.secrets,
        &written,
        &mut loaded.sources,
    );
    let call = match call {
        Ok(call) => call,
        Err(mistakes) => {
            project::refuse(&mistakes, loaded, output);
            return Ok(End::Refused);
        }
    };
    let source = loaded.sources.add("<run>", call.text.as_str());
    let is_library = |source: SourceId| !loaded.is_own(source);
    let checked = check_run(&loaded.checked.program, &loaded.sources, source, is_library);
    let checked = match checked.and_then(judged) {
        Ok(checked) => checked,
        Err(mut mistakes) => {
            written.mend_call(&mut mistakes, &call.values);
            project::refuse(&mistakes, loaded, output);
            return Ok(End::Refused);
        }
    };
    if args.mode != Mode::Hermetic {
        let missing = named_secrets::missing(&checked.program, checked.decl, &secrets);
        if !missing.is_empty() {
            project::refuse(&missing, loaded, output);
            return Ok(End::Refused);
        }
    }
    // From here on the host may be asked.
    let stop = match args.mode {
        Mode::Hermetic => None,
        Mode::Wet | Mode::Record => {
            let stop = Stop::on_signals();
            Some(Arc::new(stop.map_err(|e| Failure::of(&e))?))
        }
    };
    let operations = operations(args, secrets, stop.clone(), output)?;
    let evaluator = Evaluator::new(Arc::new(checked.program)).with_operations(operations);
    let signal = || stop.as_ref().and_then(|stop| stop.signal());
    let refused = |refusal: &Diagnostic, sources: &Sources| {
        output.diagnostics(std::slice::from_ref(refusal), sources);
        // What was carried out before it stays.
        output.note(match args.mode {
            Mode::Hermetic => "nothing was done",
            Mode::Wet | Mode::Record => "the workflow ended there; what it did before stays",
        });
        let shown = dag_syntax::to_json(refusal, sources);
        output.document(&serde_json::json!({ "ok": false, "diagnostics": [shown] }));
        Ok(signal().map_or(End::Refused, End::Signal))
    };
    let working = output.working("running the workflow");
    let evaluated = evaluator.evaluate(checked.decl);
    drop(working);
    let value = match evaluated {
        Ok(outcome) => outcome.value,
        Err(refusal) => return refused(&refusal.to_diagnostic(), &loaded.sources),
    };
    match printed(evaluator.program(), &value, Form::of(output.json)) {
        Ok(text) => output.raw(text.as_bytes()),
        Err(unprinted) => {
            let refusal = unprinted.refusal(source, &loaded.sources)?;
            return refused(&refusal, &loaded.sources);
        }
    }
    // It may have come just as the last operation ended.
    Ok(signal().map_or(End::Done, End::Signal))
}

/// What the words of the command line are.
struct Words<'a> {
    root: Option<&'a str>,
    workflow: &'a str,
    given: Vec<(&'a str, &'a str)>,
}

impl<'a> Words<'a> {
    fn of(words: &'a [String]) -> Result<Self, Failure> {
        let named = |word: &'a str| {
            let (name, value) = word.split_once('=')?;
            is_name(name).then_some((name, value))
        };
        let first = words.iter().position(|word| named(word).is_some());
        let (front, rest) = words.split_at(first.unwrap_or(words.len()));
        let (root, workflow) = match front {
            [workflow] => (None, workflow),
            [root, workflow] => (Some(root.as_str()), workflow),
            _ => return Err(Failure::new("give a workflow, or a root and a workflow")),
        };
        let mut given: Vec<(&str, &str)> = Vec::new();
        for word in rest {
            let Some((name, value)) = named(word) else {
                return Err(Failure::new(format!(
                    "`{word}` stands behind the arguments and is no `NAME=VALUE`"
                )));
            };
            if given.iter().any(|(n, _)| *n == name) {
                return Err(Failure::new(format!("`{name}` is given twice")));
            }
            given.push((name, value));
        }
        Ok(Self {
            root,
            workflow,
            given,
        })
    }
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    let first = |c: char| c == '_' || c.is_alphabetic();
    chars.next().is_some_and(first) && chars.all(|c| c == '_' || c.is_alphanumeric())
}

/// Options that say nothing in this mode are refused.
fn consistent(args: &RunArgs) -> Result<(), Failure> {
    let wrong = match args.mode {
        Mode::Record if args.record.is_none() => {
            "`--mode record` writes a recording: say where with `--record FILE`"
        }
        Mode::Hermetic | Mode::Wet if args.record.is_some() => "`--record` is of `--mode record`",
        Mode::Wet | Mode::Record if args.replay.is_some() => {
            "`--replay` answers a hermetic run, and this mode asks the host"
        }
        Mode::Hermetic if !args.secrets.is_empty() => {
            "a hermetic run reads no secret: `--secret` is of `--mode wet` and `--mode record`"
        }
        _ => return Ok(()),
    };
    Err(Failure::new(wrong))
}

fn secrets(given: &[String]) -> Result<Secrets, Failure> {
    let mut secrets = Secrets::default();
    for word in given {
        let Some((name, file)) = word.split_once('=').filter(|(n, _)| is_name(n)) else {
            return Err(Failure::new("`--secret` is given as NAME=FILE"));
        };
        let read = secrets.read(name, file.as_ref());
        read.map_err(|e| Failure::of(&e))?;
    }
    Ok(secrets)
}

fn operations(
    args: &RunArgs,
    secrets: Secrets,
    stop: Option<Arc<Stop>>,
    output: &Output,
) -> Result<Arc<dyn Operations>, Failure> {
    let limits = Limits {
        deadline: Duration::from_secs(args.deadline),
        ..Limits::default()
    };
    let wet = |secrets| {
        let wet = Wet::new(limits, secrets);
        match stop {
            Some(stop) => wet.until(stop),
            None => wet,
        }
    };
    Ok(match (args.mode, &args.record, &args.replay) {
        (Mode::Hermetic, _, None) => Arc::new(Hermetic),
        (Mode::Hermetic, _, Some(path)) => {
            let replay = Replay::read(path).map_err(|e| Failure::of(&e))?;
            if replay.is_torn() {
                output.note(format!(
                    "{}: its last line is not whole, and is left out",
                    in_line(path)
                ));
            }
            Arc::new(replay)
        }
        (Mode::Record, Some(path), _) => {
            Arc::new(Recorder::begin(path, wet(secrets)).map_err(|e| Failure::of(&e))?)
        }
        (Mode::Wet | Mode::Record, ..) => Arc::new(wet(secrets)),
    })
}

/// The workflow of that name: of the project, or qualified.
fn workflow(loaded: &Loaded, name: &str) -> Result<DeclRef, Failure> {
    let program: &Program = &loaded.checked.program;
    let (front, last) = match name.rsplit_once('.') {
        Some((module, name)) => (Some(module), name),
        None => (None, name),
    };
    let last = Symbol::new(last);
    let mut found = Vec::new();
    for module in program.modules.iter() {
        let here = match front {
            Some(front) => module.name.as_str() == front,
            None => loaded.is_own(module.source) && !module.test_file,
        };
        if let (true, Some(decl)) = (here, module.decl_named(last)) {
            found.push((module.name, decl));
        }
    }
    // A function of that name in another module is not meant.
    if found.iter().any(|(_, (_, d))| d.kind.has_effects()) {
        found.retain(|(_, (_, d))| d.kind.has_effects());
    }
    let (decl_ref, decl) = match found.as_slice() {
        [(_, only)] => *only,
        [] => return Err(unknown(loaded, name)),
        several => {
            let names: Vec<String> = several
                .iter()
                .map(|(module, _)| format!("`{module}.{last}`"))
                .collect();
            return Err(Failure::new(format!(
                "several modules declare `{name}`: write one of {}",
                names.join(", ")
            )));
        }
    };
    match decl.kind {
        DeclKind::Func | DeclKind::Interface => Ok(decl_ref),
        DeclKind::Pattern => Err(Failure::new(format!(
            "`{name}` is a pattern: it is a piece of workflows, and is not run alone"
        ))),
        DeclKind::Function | DeclKind::Data | DeclKind::Default | DeclKind::Operation => {
            Err(Failure::new(format!(
                "`{name}` is no workflow: `hayward eval` prints the value of a function or of data"
            )))
        }
    }
}

/// Says which workflows there are, where a name is none of them.
fn unknown(loaded: &Loaded, name: &str) -> Failure {
    let modules = loaded.checked.program.modules.iter();
    let own = modules.filter(|m| loaded.is_own(m.source) && !m.test_file);
    let names: Vec<&str> = own
        .flat_map(|module| &module.decls)
        .filter(|decl| matches!(decl.kind, DeclKind::Func | DeclKind::Interface))
        .map(|decl| decl.name.as_str())
        .collect();
    if names.is_empty() {
        return Failure::new(format!(
            "there is no workflow `{name}`, nor any other: a workflow is a `func` or an `interface`"
        ));
    }
    let near = nearest(name, names.iter().copied());
    let near = near.map_or(String::new(), |near| format!(": did you mean `{near}`?"));
    Failure::new(format!(
        "there is no workflow `{name}`{near}\nthose there are: {}",
        listed(names)
    ))
}

/// A call as an expression, and where in it stands what was given: name and value.
struct Call<'a> {
    text: String,
    values: Vec<(Range<usize>, &'a str, &'a str)>,
}

/// The call as an expression. Each value must be one by itself: what it says
/// cannot run into the rest.
fn call<'a>(
    program: &Program,
    decl: DeclRef,
    words: &Words<'a>,
    secrets: &[String],
    written: &Written<'_>,
    sources: &mut Sources,
) -> Result<Call<'a>, Vec<Diagnostic>> {
    let mut mistakes = Vec::new();
    let mut arguments: Vec<String> = Vec::new();
    for (name, value) in &words.given {
        let source = sources.add(format!("<{name}>"), *value);
        // An annotation would hide what stands behind the value: it is refused there, too.
        let (_, mut errors) = parse_expression(source, Arc::from(*value));
        written.mend(&mut errors, name, value);
        mistakes.extend(errors);
        arguments.push(format!("{name}: {value}"));
    }
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    // A secret that is given by its file is given by its name to the workflow.
    let module = program.module(decl.module);
    let decl = program.decl(decl);
    for param in &decl.params {
        let name = param.name.as_str();
        let by_file = secrets
            .iter()
            .any(|s| s.split_once('=').is_some_and(|(n, _)| n == name));
        if by_file && !words.given.iter().any(|(n, _)| *n == name) {
            let value = format!("{}.Secret {{ name: {} }}", Kernel::MODULE, quote(name));
            arguments.push(format!("{name}: {value}"));
        }
    }
    let mut text = format!("{}.{}(", module.name, decl.name);
    let mut values = Vec::new();
    for (index, argument) in arguments.iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        text.push_str(argument);
        // Those that were given stand first.
        if let Some((name, value)) = words.given.get(index) {
            values.push((text.len() - value.len()..text.len(), *name, *value));
        }
    }
    text.push(')');
    Ok(Call { text, values })
}
