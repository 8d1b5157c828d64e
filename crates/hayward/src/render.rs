//! `hayward render`

use crate::args::RenderArgs;
use crate::failure::{End, Failure, Outcome};
use crate::fleet::Fleet;
use crate::output::{Output, Tone, counted};
use crate::time::utc;
use hayward_fleet::recorded::{self, ActError, Stranger};
use hayward_model::{Finding, RenderedFile, Standing};
use hayward_project::artifacts::{self, Artifact, ArtifactError, Change};
use hayward_project::in_line;
use serde_json::json;

pub(crate) fn run(args: &RenderArgs, output: &Output) -> Outcome {
    let Some(fleet) = Fleet::open(&args.project, output)? else {
        return Ok(End::Refused);
    };
    let _alone = match args.check {
        true => None,
        false => Some(alone(&fleet)?),
    };
    let view = fleet.view()?;
    let seen = match &view {
        Some(view) => view.verify().map_err(|e| Failure::of(&e))?.receipts,
        None => 0,
    };
    let now = recorded::now();
    let standing = recorded::standing(&fleet.model, view.as_ref(), now);
    let standing = standing.map_err(|e| Failure::of(&e))?;
    let strangers = recorded::strangers(&fleet.model, view.as_ref(), now);
    let strangers = strangers.map_err(|e| Failure::of(&e))?;
    let Some(wanted) = wanted(&fleet, &standing, output)? else {
        return Ok(End::Refused);
    };
    let found = artifacts::compare(fleet.directory(), &wanted).map_err(|e| Failure::of(&e))?;
    let refused = found
        .iter()
        .any(|a| matches!(a.change, Change::Refused { .. }));
    let drift = found.iter().any(|a| a.change != Change::Unchanged);
    // Before anything is said: a failure is the only answer then.
    if !args.check && !refused {
        let mut ledger = fleet.ledger()?;
        let decide = || -> Result<(), Stopped> {
            recorded::decide(&fleet.model, &standing, seen, &mut ledger, fleet.revision())?;
            Ok(())
        };
        artifacts::write(fleet.directory(), &found, &wanted, decide)
            .map_err(|e| Failure::of(&e))?;
    }
    show(&found, args, output);
    show_policy(&standing, &strangers, |_| false, output);
    document(&found, policy(&standing, &strangers), output);
    if args.check {
        return Ok(if drift { End::Refused } else { End::Done });
    }
    if refused {
        output.note("error: nothing was written");
        return Ok(End::Refused);
    }
    Ok(End::Done)
}

/// Two renders at once would write each other's files. The lock is on the
/// manifest of the project, which is read and not written.
fn alone(fleet: &Fleet) -> Result<std::fs::File, Failure> {
    let path = fleet.directory().join(hayward_project::Manifest::FILE);
    let failed =
        |e: std::io::Error| Failure::new(format!("{} cannot be locked: {e}", in_line(&path)));
    let file = std::fs::File::open(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(std::fs::TryLockError::WouldBlock) => Err(Failure::new(
            "another render of this project is under way; nothing was written",
        )),
        Err(std::fs::TryLockError::Error(e)) => Err(failed(e)),
    }
}

/// Why the files were not written.
#[derive(Debug, thiserror::Error)]
enum Stopped {
    #[error(transparent)]
    Artifact(#[from] ArtifactError),
    #[error(transparent)]
    Act(#[from] ActError),
}

/// Every file that the project keeps. `None` if the model refuses, which is printed.
pub(crate) fn wanted(
    fleet: &Fleet,
    standing: &Standing,
    output: &Output,
) -> Result<Option<Vec<RenderedFile>>, Failure> {
    let Some(files) = fleet.ask(fleet.model.files(standing), output)? else {
        return Ok(None);
    };
    let mut seen = std::collections::BTreeSet::new();
    if let Some(twice) = files.iter().find(|f| !seen.insert(f.path.as_str())) {
        return Err(Failure::new(format!(
            "the model renders {} twice",
            twice.path
        )));
    }
    Ok(Some(files))
}

fn show(found: &[Artifact], args: &RenderArgs, output: &Output) {
    let check = args.check;
    let (mut unchanged, mut created) = (0, 0);
    for artifact in found {
        let path = &artifact.path;
        match &artifact.change {
            Change::Unchanged => unchanged += 1,
            Change::Create { .. } if check => {
                output.line(format!(
                    "{} {path} is missing: run `hayward render`",
                    output.paint(Tone::Bad, "!")
                ));
            }
            Change::Replace { line, .. } if check => output.line(format!(
                "{} {path}:{line} differs from the model: run `hayward render`",
                output.paint(Tone::Bad, "!")
            )),
            Change::Remove if check => output.line(format!(
                "{} {path} is no longer rendered: run `hayward render`",
                output.paint(Tone::Bad, "!")
            )),
            Change::Create { .. } if args.quiet => created += 1,
            Change::Create { .. } => {
                output.line(format!("{} {path}", output.paint(Tone::Good, "+")));
            }
            Change::Replace { diff, .. } => {
                output.line(format!("{} {path}", output.paint(Tone::Change, "~")));
                if !args.quiet {
                    show_diff(diff, output);
                }
            }
            Change::Remove => output.line(format!("{} {path}", output.paint(Tone::Bad, "-"))),
            Change::Refused { reason } => {
                output.line(format!("{} {path}: {reason}", output.paint(Tone::Bad, "!")));
            }
        }
    }
    if created > 0 {
        let sign = output.paint(Tone::Good, "+");
        output.line(format!("{sign} {} created", counted(created, "file")));
    }
    if unchanged > 0 {
        output.line(format!("= {} unchanged", counted(unchanged, "file")));
    }
}

/// A unified difference, indented, without its two header lines.
pub(crate) fn show_diff(diff: &str, output: &Output) {
    // A line of the contents may look like one of them.
    for line in diff.lines().skip_while(|line| !line.starts_with("@@")) {
        let tone = match line.as_bytes().first() {
            Some(b'+') => Tone::Good,
            Some(b'-') => Tone::Bad,
            Some(b'@') => Tone::Quiet,
            _ => {
                output.line(format!("    {line}"));
                continue;
            }
        };
        output.line(format!("    {}", output.paint(tone, line)));
    }
}

/// The policy's answer, with what it rests on. Reasons that are shown `above` are not repeated.
pub(crate) fn show_policy(
    standing: &Standing,
    strangers: &[Stranger],
    above: impl Fn(&Finding) -> bool,
    output: &Output,
) {
    let answer = if standing.preserves {
        output.paint(Tone::Good, "yes")
    } else {
        output.paint(Tone::Bad, "no")
    };
    output.line(format!(
        "may CI cancel a running job? {answer} (evidence {})",
        standing.evidence.short()
    ));
    let mut said_above: Vec<&str> = Vec::new();
    for finding in &standing.findings {
        if above(finding) {
            if !said_above.contains(&finding.host.as_str()) {
                said_above.push(&finding.host);
                output.line(format!("  {}: as above", finding.host));
            }
            continue;
        }
        output.line(format!("  {}: {}", finding.host, finding.cause));
        if let Some(stranger) = strangers.iter().find(|s| s.host == finding.host) {
            output.line(format!(
                "    it withholds the policy until {}; put it back into the roster, and observe it, \
                 to have it judged by what it is",
                utc(stranger.until.saturating_mul(1000))
            ));
        }
    }
}

fn document(found: &[Artifact], policy: serde_json::Value, output: &Output) {
    let files: Vec<_> = found
        .iter()
        .map(|artifact| match &artifact.change {
            Change::Create { .. } => json!({ "path": artifact.path, "change": "create" }),
            Change::Replace { line, diff, .. } => {
                json!({ "path": artifact.path, "change": "replace", "line": line, "diff": diff })
            }
            Change::Remove => json!({ "path": artifact.path, "change": "remove" }),
            Change::Unchanged => json!({ "path": artifact.path, "change": "unchanged" }),
            Change::Refused { reason } => {
                json!({ "path": artifact.path, "change": "refused", "reason": reason })
            }
        })
        .collect();
    output.document(&json!({ "files": files, "policy": policy }));
}

/// The policy's answer as JSON.
pub(crate) fn policy(standing: &Standing, strangers: &[Stranger]) -> serde_json::Value {
    json!({
        "cancel_running_jobs": standing.preserves,
        "evidence": standing.evidence,
        "findings": standing.findings,
        "strangers": strangers,
    })
}
