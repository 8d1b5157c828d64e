//! `hayward deps`

use crate::args::{DepsArgs, RootArgs};
use crate::failure::{End, Failure, Outcome};
use crate::near::nearest;
use crate::output::{Output, Tone, counted};
use crate::project;
use dag_analysis::{ImportGraph, ImportNode, Library};
use dag_syntax::{Code, Sources, Symbol, shown_name};
use hayward_project::{Manifest, Roots, Texts, shown};
use serde_json::{Value, json};
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

pub(crate) fn run(args: &DepsArgs, output: &Output) -> Outcome {
    let (roots, names): (Vec<&String>, Vec<&String>) =
        args.words.iter().partition(|word| is_root(word));
    let named = RootArgs {
        roots: roots.into_iter().map(PathBuf::from).collect(),
    };
    let roots = Roots::find(&project::roots(&named)?).map_err(|e| Failure::of(&e))?;
    let texts = Texts::read(&roots).map_err(|e| Failure::of(&e))?;
    // A module of the library that nothing loads is one to ask about.
    let library = match args.why.is_empty() {
        true => Library::Loaded,
        false => Library::Whole,
    };
    let (sources, graph) = texts.imports(library);
    let graph = match graph {
        Ok(graph) => graph,
        Err(mistakes) => {
            project::refuse_in(&mistakes, &sources, output);
            return Ok(End::Refused);
        }
    };
    let answer = Answer {
        graph: &graph,
        sources: &sources,
        output,
    };
    let mut modules = Vec::new();
    for name in names {
        modules.push(answer.module(name)?);
    }
    if let [from, to] = args.why.as_slice() {
        return answer.why(answer.module(from)?, answer.module(to)?);
    }
    if args.files {
        answer.files(&modules, &roots, &manifests(&named)?);
    } else {
        answer.modules(&modules, args.transitive);
    }
    Ok(End::Done)
}

/// Whether a word is a root by its looks: no module's name has a slash.
fn is_root(word: &str) -> bool {
    word.contains('/') || word == "." || word == ".." || word.ends_with(".dag")
}

/// The `hayward.toml` files that name the roots.
fn manifests(named: &RootArgs) -> Result<Vec<String>, Failure> {
    if named.roots.is_empty() {
        let manifest = project::here(project::NAME_THE_ROOTS)?;
        return Ok(vec![project::shown(&manifest, Manifest::FILE)]);
    }
    let files = named.roots.iter().map(|root| root.join(Manifest::FILE));
    let there = files.filter(|file| file.is_file());
    Ok(there.map(|file| shown(&file)).collect())
}

struct Answer<'a> {
    graph: &'a ImportGraph,
    sources: &'a Sources,
    output: &'a Output,
}

impl<'a> Answer<'a> {
    fn module(&self, name: &str) -> Result<&'a ImportNode, Failure> {
        if let Some(module) = self.graph.module(Symbol::new(name)) {
            return Ok(module);
        }
        let names = self.graph.modules().iter().map(|m| m.name.as_str());
        let hint = match nearest(name, names) {
            Some(near) => format!(": did you mean `{near}`?"),
            None if Path::new(name).exists() => format!(": the root is written `./{name}`"),
            None => String::new(),
        };
        Err(Failure::new(format!(
            "{}: there is no module `{name}` among those that are loaded{hint}",
            Code::UnknownModule
        )))
    }

    fn file(&self, module: &ImportNode) -> &str {
        &self.sources.get(module.source).path
    }

    fn modules(&self, named: &[&ImportNode], transitive: bool) {
        let all = self.graph.modules();
        let shown: Vec<&ImportNode> = match named.is_empty() {
            true => all
                .iter()
                .filter(|m| !m.library || self.output.json)
                .collect(),
            false => named.to_vec(),
        };
        let mut rows = Vec::new();
        for module in shown {
            let name = self.output.paint(Tone::Strong, module.name.as_str());
            let file = shown_name(self.file(module));
            self.output.line(format!("{name}  {file}"));
            let mut row = self.row(module);
            if transitive {
                let (loads, loaders) = (
                    self.graph.loads(module.name),
                    self.graph.loaded_by(module.name),
                );
                self.list("loads", &loads);
                self.list("loaded by", &loaders);
                row["loads"] = names(&loads);
                row["loaded_by"] = names(&loaders);
            } else {
                let imports: Vec<Symbol> = module.imports.iter().map(|i| i.module).collect();
                self.list("imports", &imports);
                self.list("imported by", &module.importers);
            }
            rows.push(row);
        }
        if named.is_empty() {
            let library = all.iter().filter(|m| m.library).count();
            self.output.line(format!(
                "{}, and {library} of the library",
                counted(all.len() - library, "module")
            ));
        }
        self.output.document(&json!({ "modules": rows }));
    }

    fn row(&self, module: &ImportNode) -> Value {
        let line = |at: dag_syntax::Location| self.sources.line_col(at.source, at.span.start).line;
        let imports: Vec<Value> = module
            .imports
            .iter()
            .map(|i| json!({ "module": i.module.as_str(), "line": line(i.at) }))
            .collect();
        json!({
            "module": module.name.as_str(),
            "file": self.file(module),
            "library": module.library,
            "test": module.test_file,
            "imports": imports,
            "imported_by": names(&module.importers),
        })
    }

    /// A list of names below a module, broken into lines.
    fn list(&self, what: &str, names: &[Symbol]) {
        const WIDTH: usize = 100;
        const INDENT: usize = 15;
        if names.is_empty() {
            return;
        }
        let mut line = format!("  {what:<width$}", width = INDENT - 2);
        let mut length = INDENT;
        for (index, name) in names.iter().enumerate() {
            let comma = if index + 1 < names.len() { "," } else { "" };
            let word = format!("{name}{comma}");
            if length > INDENT && length + 1 + word.len() > WIDTH {
                self.output.line(&line);
                line = " ".repeat(INDENT);
                length = INDENT;
            } else if length > INDENT {
                line.push(' ');
                length += 1;
            }
            length += word.len();
            line.push_str(&word);
        }
        self.output.line(line);
    }

    fn why(&self, from: &ImportNode, to: &ImportNode) -> Outcome {
        let way = self.graph.way(from.name, to.name);
        let mut steps = Vec::new();
        if way.is_some() {
            self.output.line(from.name.as_str());
        } else {
            self.output
                .line(format!("`{}` does not load `{}`", from.name, to.name));
        }
        for (module, import) in way.iter().flatten() {
            let place = self
                .sources
                .line_col(import.at.source, import.at.span.start);
            let file = &self.sources.get(import.at.source).path;
            self.output.line(format!(
                "  imports {}  {}",
                import.module,
                self.sources.describe(import.at)
            ));
            steps.push(json!({
                "module": module.as_str(),
                "imports": import.module.as_str(),
                "file": &**file,
                "line": place.line,
            }));
        }
        self.output.document(&json!({
            "from": from.name.as_str(),
            "to": to.name.as_str(),
            "way": way.as_ref().map(|_| steps),
        }));
        Ok(match way {
            Some(_) => End::Done,
            None => End::Refused,
        })
    }

    /// The files of some modules and of all that they load, or of the whole project.
    fn files(&self, named: &[&ImportNode], roots: &Roots, manifests: &[String]) {
        let mut modules: HashSet<Symbol> = named.iter().map(|m| m.name).collect();
        for module in named {
            modules.extend(self.graph.loads(module.name));
        }
        let wanted = |m: &&ImportNode| named.is_empty() || m.implicit || modules.contains(&m.name);
        let nodes: Vec<&ImportNode> = self.graph.modules().iter().filter(wanted).collect();
        let mut files: BTreeSet<&str> = manifests.iter().map(String::as_str).collect();
        files.extend(nodes.iter().filter(|m| !m.library).map(|m| self.file(m)));
        // A file that repeats a module of the library is read, and is no module of its own.
        let all: Vec<String> = roots.files.iter().map(|f| shown(f)).collect();
        if named.is_empty() {
            files.extend(all.iter().map(String::as_str));
        }
        let built_in: BTreeSet<&str> = nodes
            .iter()
            .filter(|m| m.library)
            .map(|m| self.file(m))
            .collect();
        for file in files.iter().chain(&built_in) {
            self.output.line(shown_name(file));
        }
        self.output
            .document(&json!({ "files": files, "built_in": built_in }));
    }
}

fn names(symbols: &[Symbol]) -> Value {
    symbols.iter().map(|name| name.as_str()).collect()
}
