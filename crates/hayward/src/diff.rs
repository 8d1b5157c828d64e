//! `hayward diff`

use crate::args::{DiffArgs, ProjectArgs};
use crate::failure::{End, Failure, Outcome};
use crate::fleet::{self, Fleet};
use crate::output::{Output, Tone, counted};
use crate::{render, store};
use dag_analysis::core::Program;
use dag_analysis::{Checked, Library};
use dag_eval::Evaluator;
use dag_syntax::{Location, shown_name};
use hayward_fleet::recorded;
use hayward_ledger::View;
use hayward_model::{FleetModel, RenderedFile};
use hayward_project::{Cause, Loaded, Manifest, Revision, Version, causes};
use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(crate) fn run(args: &DiffArgs, output: &Output) -> Outcome {
    let asked = Asked {
        view: fleet::view(&fleet::manifest(&args.project)?.directory)?,
        now: recorded::now(),
    };
    let Some(before) = Side::at(&args.from, &args.project, &asked, output)? else {
        return Ok(End::Refused);
    };
    let after = match &args.to {
        Some(revision) => Side::at(revision, &args.project, &asked, output)?,
        None => Side::here(&args.project, &asked, output)?,
    };
    let Some(after) = after else {
        return Ok(End::Refused);
    };
    let paths: BTreeSet<&String> = before.files.keys().chain(after.files.keys()).collect();
    let differs = |path: &&&String| before.files.get(**path) != after.files.get(**path);
    let paths: Vec<&str> = paths.iter().filter(differs).map(|p| p.as_str()).collect();
    let causes = match (before.version(), after.version()) {
        (Some(old), Some(new)) if !paths.is_empty() => {
            causes(old, new, &paths, &|loaded| asked.files(loaded, &after))
        }
        _ => BTreeMap::new(),
    };
    let differences = Differences {
        before: &before,
        after: &after,
        found: paths
            .iter()
            .map(|path| Difference::of(path, &before, &after, causes.get(*path)))
            .collect(),
    };
    differences.show(args.stat, output);
    output.document(&differences.document());
    Ok(match args.exit_code && !paths.is_empty() {
        true => End::Refused,
        false => End::Done,
    })
}

/// What the models are asked with: both sides, the same.
struct Asked {
    view: Option<View>,
    /// Seconds since 1970.
    now: i64,
}

impl Asked {
    /// The files of a model that was put together from both sides; nothing of it is printed.
    fn files(&self, loaded: Loaded, like: &Side) -> Option<Vec<RenderedFile>> {
        let entry = like.fleet.manifest.fleet.as_ref()?;
        let evaluator = Evaluator::new(Arc::new(loaded.checked.program));
        let model = FleetModel::open(evaluator, &entry.module, &entry.name).ok()?;
        let standing = recorded::standing(&model, self.view.as_ref(), self.now).ok()?;
        model.files(&standing).ok()
    }
}

/// A version of the project, rendered.
struct Side {
    /// The revision; none for the files as they are.
    revision: Option<(String, String)>,
    fleet: Fleet,
    files: BTreeMap<String, String>,
}

impl Side {
    /// As it was at a revision. `None` if its model is refused, which is printed.
    fn at(
        revision: &str,
        args: &ProjectArgs,
        asked: &Asked,
        output: &Output,
    ) -> Result<Option<Self>, Failure> {
        let folder = fleet::manifest(args)?.directory;
        let read = Revision::read(&folder, revision).map_err(|e| Failure::of(&e))?;
        if read.manifest.fleet.is_none() {
            return Err(Failure::new(format!(
                "the {} of {revision} names no fleet: there is nothing to compare with",
                Manifest::FILE
            )));
        }
        let store = store::of_environment(output);
        let checked = read.texts.check(Library::Whole, store, Checked::is_sound);
        let Some(loaded) = crate::project::sound(checked, output) else {
            return Ok(None);
        };
        let commit = Some(read.commit.clone());
        let Some(fleet) = Fleet::of(read.manifest, loaded, commit, output)? else {
            return Ok(None);
        };
        Self::rendered(Some((read.name, read.commit)), fleet, asked, output)
    }

    /// As it is in the working tree.
    fn here(args: &ProjectArgs, asked: &Asked, output: &Output) -> Result<Option<Self>, Failure> {
        match Fleet::open(args, output)? {
            Some(fleet) => Self::rendered(None, fleet, asked, output),
            None => Ok(None),
        }
    }

    fn rendered(
        revision: Option<(String, String)>,
        fleet: Fleet,
        asked: &Asked,
        output: &Output,
    ) -> Result<Option<Self>, Failure> {
        let standing = recorded::standing(&fleet.model, asked.view.as_ref(), asked.now)
            .map_err(|e| Failure::of(&e))?;
        let Some(files) = render::wanted(&fleet, &standing, output)? else {
            return Ok(None);
        };
        Ok(Some(Self {
            revision,
            fleet,
            files: files.into_iter().map(|f| (f.path, f.text)).collect(),
        }))
    }

    fn program(&self) -> &Program {
        &self.fleet.loaded.checked.program
    }

    fn version(&self) -> Option<Version<'_>> {
        let entry = self.fleet.manifest.fleet.as_ref()?;
        Some(Version {
            loaded: self.fleet.loaded,
            fleet: self.program().decl_named(&entry.module, &entry.name)?,
            files: &self.files,
        })
    }

    /// A rendered file's name in a difference.
    fn label(&self, path: &str) -> String {
        match &self.revision {
            Some((name, _)) => format!("{name}:{path}"),
            None => path.to_owned(),
        }
    }

    fn place(&self, at: Location) -> (String, u32) {
        let sources = &self.fleet.loaded.sources;
        let line = sources.line_col(at.source, at.span.start).line;
        (sources.get(at.source).path.to_string(), line)
    }

    /// The `data` item that is the fleet.
    fn entry(&self) -> String {
        let entry = self.fleet.manifest.fleet.as_ref();
        entry.map_or(String::new(), |e| format!("{}.{}", e.module, e.name))
    }

    fn document(&self) -> Value {
        let revision = self.revision.as_ref();
        json!({
            "revision": revision.map(|(name, _)| name),
            "commit": revision.map(|(_, commit)| commit),
            "fleet": self.entry(),
        })
    }
}

/// A rendered file that differs.
struct Difference {
    path: String,
    change: &'static str,
    added: usize,
    removed: usize,
    /// Unified, with a head.
    diff: String,
    causes: Vec<Cause>,
}

impl Difference {
    fn of(path: &str, before: &Side, after: &Side, causes: Option<&Vec<Cause>>) -> Self {
        let (old, new) = (before.files.get(path), after.files.get(path));
        let text = |file: Option<&String>| file.map_or("", String::as_str).to_owned();
        let (old_text, new_text) = (text(old), text(new));
        let diff = TextDiff::from_lines(&old_text, &new_text);
        let count = |tag| diff.iter_all_changes().filter(|c| c.tag() == tag).count();
        let name = |side: &Side, file: Option<&String>| match file {
            Some(_) => side.label(path),
            None => "/dev/null".to_owned(),
        };
        let (from, to) = (name(before, old), name(after, new));
        Self {
            path: path.to_owned(),
            change: match (old, new) {
                (None, _) => "created",
                (_, None) => "removed",
                _ => "changed",
            },
            added: count(ChangeTag::Insert),
            removed: count(ChangeTag::Delete),
            diff: diff
                .unified_diff()
                .context_radius(3)
                .header(&from, &to)
                .to_string(),
            causes: causes.cloned().unwrap_or_default(),
        }
    }
}

struct Differences<'a> {
    before: &'a Side,
    after: &'a Side,
    found: Vec<Difference>,
}

impl Differences<'_> {
    fn show(&self, stat: bool, output: &Output) {
        let (old, new) = (self.before.entry(), self.after.entry());
        if old != new {
            output.line(format!("the fleet was `{old}`, and is `{new}`"));
        }
        for difference in &self.found {
            let (sign, tone) = match difference.change {
                "created" => ("+", Tone::Good),
                "removed" => ("-", Tone::Bad),
                _ => ("~", Tone::Change),
            };
            output.line(format!(
                "{} {}  {} {}",
                output.paint(tone, sign),
                difference.path,
                output.paint(Tone::Good, &format!("+{}", difference.added)),
                output.paint(Tone::Bad, &format!("-{}", difference.removed)),
            ));
            for cause in &difference.causes {
                output.line(format!("  because {}", self.because(cause)));
            }
            if !stat {
                show_diff(&difference.diff, output);
            }
        }
        let total = |count: fn(&Difference) -> usize| self.found.iter().map(count).sum::<usize>();
        output.line(
            match self.found.len() {
                0 => "no rendered file differs".to_owned(),
                1 => "1 rendered file differs".to_owned(),
                n => format!("{} differ", counted(n, "rendered file")),
            } + &match self.found.len() {
                0 => String::new(),
                _ => format!(": +{} -{}", total(|d| d.added), total(|d| d.removed)),
            },
        );
    }

    /// `data a.b  HEAD:b.dag:3 → b.dag:4`
    fn because(&self, cause: &Cause) -> String {
        let place = |side: &Side, at: Option<Location>| {
            at.map(|at| {
                let (file, line) = side.place(at);
                format!("{}:{line}", shown_name(&file))
            })
        };
        let before = place(self.before, cause.before);
        let after = place(self.after, cause.after);
        let places = match (before, after) {
            (Some(before), Some(after)) => format!("{before} → {after}"),
            (None, Some(after)) => format!("new at {after}"),
            (Some(before), None) => format!("gone from {before}"),
            (None, None) => String::new(),
        };
        format!("{}  {places}", name(cause))
    }

    fn document(&self) -> Value {
        let place = |side: &Side, at: Option<Location>| {
            at.map(|at| {
                let (file, line) = side.place(at);
                json!({ "file": file, "line": line })
            })
        };
        let cause = |cause: &Cause| {
            json!({
                "module": cause.module,
                "name": cause.name,
                "kind": cause.kind,
                "before": place(self.before, cause.before),
                "after": place(self.after, cause.after),
            })
        };
        let file = |d: &Difference| {
            json!({
                "path": d.path,
                "change": d.change,
                "added": d.added,
                "removed": d.removed,
                "diff": d.diff,
                "causes": d.causes.iter().map(cause).collect::<Vec<_>>(),
            })
        };
        json!({
            "before": self.before.document(),
            "after": self.after.document(),
            "files": self.found.iter().map(file).collect::<Vec<_>>(),
        })
    }
}

/// `data a.b`, or `import c in a`.
fn name(cause: &Cause) -> String {
    match cause.kind {
        "import" => format!("import {} in {}", cause.name, cause.module),
        kind => format!("{kind} {}.{}", cause.module, cause.name),
    }
}

/// A unified difference as it is, so that it can be given to other programs.
fn show_diff(diff: &str, output: &Output) {
    for (number, line) in diff.split_terminator('\n').enumerate() {
        let tone = match line.as_bytes().first() {
            _ if number < 2 => Tone::Strong,
            Some(b'+') => Tone::Good,
            Some(b'-') => Tone::Bad,
            Some(b'@') => Tone::Quiet,
            _ => {
                output.line(line);
                continue;
            }
        };
        output.line(output.paint(tone, line));
    }
}
