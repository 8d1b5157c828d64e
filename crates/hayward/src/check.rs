//! `hayward check`

use crate::args::CheckArgs;
use crate::failure::{End, Outcome};
use crate::output::{Output, Tone, counted};
use crate::{project, sarif, store};
use dag_analysis::Library;

pub(crate) fn run(args: &CheckArgs, output: &Output) -> Outcome {
    let store = store::of_environment(output);
    let texts = project::texts(&project::roots(&args.roots)?)?;
    let working = output.working("checking");
    let loaded = Box::leak(Box::new(texts.check(Library::Loaded, store, |_| false)));
    drop(working);
    let diagnostics = &loaded.checked.diagnostics;
    output.diagnostics(diagnostics, &loaded.sources);
    sarif::print(diagnostics, &loaded.sources, &args.roots, output)?;
    let errors = diagnostics.iter().filter(|d| d.is_error()).count();
    let warnings = diagnostics.len() - errors;
    let sound = errors == 0;
    let verdict = if sound {
        output.paint(Tone::Good, "no mistakes")
    } else {
        output.paint(Tone::Bad, &counted(errors, "mistake"))
    };
    let also = if warnings > 0 {
        format!(", {}", counted(warnings, "warning"))
    } else {
        String::new()
    };
    output.line(format!(
        "{}: {verdict}{also}",
        counted(loaded.own_files, "module")
    ));
    let work = loaded.checked.work;
    let shown: Vec<_> = diagnostics
        .iter()
        .map(|d| dag_syntax::to_json(d, &loaded.sources))
        .collect();
    output.document(&serde_json::json!({
        "ok": sound,
        "modules": loaded.own_files,
        "diagnostics": shown,
        "work": {
            "parsed": work.parsed,
            "checked": work.checked,
            "kept": work.kept,
            "restored": work.restored,
            "judged": loaded.judged,
        },
    }));
    Ok(if sound { End::Done } else { End::Refused })
}
