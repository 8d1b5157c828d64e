//! From source texts to a checked program.

use crate::core::{DeclRef, Module, ModuleId, Program};
use crate::index;
use crate::kernel::Kernel;
use crate::known::Known;
use crate::module;
use dag_syntax::{
    Code, Diagnostic, Location, SourceId, Sources, Span, Symbol, Tree, parse, parse_expression,
};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// A file to check.
#[derive(Clone, Copy, Debug)]
pub struct File {
    /// Its text.
    pub source: SourceId,
    /// Whether it belongs to the built-in library: its unused imports and
    /// witnesses are nobody's business but ours.
    pub library: bool,
}

/// What a check gives.
#[derive(Debug)]
pub struct Checked {
    /// Every module that could be checked. Bodies with mistakes hold
    /// [`crate::core::Expr::Invalid`]: evaluate nothing if there are errors.
    pub program: Program,
    /// The mistakes and warnings, by path and place.
    pub diagnostics: Vec<Diagnostic>,
    /// The annotation of each module's items, for whoever shows them.
    pub trees: Vec<Arc<Tree>>,
}

impl Checked {
    /// Whether the program may be evaluated.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        !self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// The language's own part of the library: path and text of each module.
#[must_use]
pub fn library() -> &'static [(&'static str, &'static str)] {
    &[
        ("std/types.dag", include_str!("../../../lib/std/types.dag")),
        (
            "std/prelude.dag",
            include_str!("../../../lib/std/prelude.dag"),
        ),
        (
            "std/measure.dag",
            include_str!("../../../lib/std/measure.dag"),
        ),
    ]
}

/// The module whose functions every module knows without importing them.
pub(crate) const PRELUDE: &str = "std.prelude";

/// Checks files as one program. They must hold [`library`].
#[must_use]
pub fn check(sources: &Sources, files: &[File]) -> Checked {
    on_a_deep_stack(|| check_files(sources, files))
}

fn check_files(sources: &Sources, files: &[File]) -> Checked {
    let mut diagnostics = Vec::new();
    let mut trees = Vec::with_capacity(files.len());
    for (tree, errors) in parse_all(sources, files) {
        diagnostics.extend(errors);
        trees.push(Arc::new(tree));
    }
    let by_ref: Vec<&Tree> = trees.iter().map(AsRef::as_ref).collect();
    let is_test = |file: usize| is_test_path(&sources.get(files[file].source).path);
    let implicit = [Symbol::new(Kernel::MODULE), Symbol::new(PRELUDE)];
    let order = index::order(&by_ref, &is_test, &implicit, &mut diagnostics);

    let mut program = Program::default();
    let texts = by_ref.iter().enumerate();
    let mut known = Known::of_texts(texts.map(|(file, tree)| (*tree, is_test(file))).collect());
    for file in order {
        let id = ModuleId(program.modules.len() as u32);
        let test_file = is_test(file);
        let imports: Vec<ModuleId> = index::imports(by_ref[file])
            .iter()
            .filter_map(|import| known.module(import.module))
            .filter(|module| test_file || !program.module(*module).test_file)
            .collect();
        let input = module::Input {
            id,
            tree: by_ref[file],
            test_file,
            library: files[file].library,
            known: &known,
            imports: &imports,
        };
        let module::Output {
            module,
            diagnostics: errors,
            broken,
        } = module::check(&program, &input);
        diagnostics.extend(errors);
        known.add(&module, imports, &broken);
        program.modules.push(Arc::new(module));
    }
    drop_unsure(&mut diagnostics);
    sort(sources, &mut diagnostics);
    Checked {
        program,
        diagnostics,
        trees,
    }
}

/// In a file with a mistake nobody can tell which imports will be used.
fn drop_unsure(diagnostics: &mut Vec<Diagnostic>) {
    let errors = diagnostics.iter().filter(|d| d.is_error());
    let wrong: FxHashSet<SourceId> = errors.map(|d| d.at.source).collect();
    diagnostics.retain(|d| d.code != Code::UnusedImport || !wrong.contains(&d.at.source));
}

/// By path, then place, then code.
fn sort(sources: &Sources, diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by(|a, b| {
        let path = |d: &Diagnostic| Arc::clone(&sources.get(d.at.source).path);
        path(a)
            .cmp(&path(b))
            .then(a.at.cmp(&b.at))
            .then(a.code.cmp(&b.code))
    });
    diagnostics.dedup();
}

fn is_test_path(path: &str) -> bool {
    path.ends_with("_test.dag")
}

/// Files are parsed on all cores: each is independent of the others.
fn parse_all(sources: &Sources, files: &[File]) -> Vec<(Tree, Vec<Diagnostic>)> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let chunk = files.len().div_ceil(threads).max(1);
    let parse_chunk = |files: &[File]| -> Vec<(Tree, Vec<Diagnostic>)> {
        files
            .iter()
            .map(|f| parse(f.source, Arc::clone(&sources.get(f.source).text)))
            .collect()
    };
    if files.len() < 64 {
        return parse_chunk(files);
    }
    std::thread::scope(|scope| {
        let workers: Vec<_> = files
            .chunks(chunk)
            .map(|c| (c, deep_thread().spawn_scoped(scope, move || parse_chunk(c))))
            .collect();
        workers
            .into_iter()
            // A thread that could not be started or died: parse here instead.
            .flat_map(|(c, worker)| {
                worker
                    .ok()
                    .and_then(|w| w.join().ok())
                    .unwrap_or_else(|| parse_chunk(c))
            })
            .collect()
    })
}

/// Room for [`dag_syntax::MAX_DEPTH`] levels of every recursive pass, debug
/// builds included. The pages are only used when they are touched.
const STACK_BYTES: usize = 256 << 20;

fn deep_thread() -> std::thread::Builder {
    std::thread::Builder::new().stack_size(STACK_BYTES)
}

fn on_a_deep_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let worker = deep_thread().spawn_scoped(scope, work);
        match worker.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(value)) => value,
            Ok(Err(panic)) => std::panic::resume_unwind(panic),
            // No memory for one more thread: the process cannot go on.
            Err(error) => std::panic::resume_unwind(Box::new(format!("no thread: {error}"))),
        }
    })
}

/// A checked expression that stands alone.
#[derive(Debug)]
pub struct Expression {
    /// The program with one more module, which holds the expression.
    pub program: Program,
    /// The `data` item whose value it is.
    pub decl: DeclRef,
}

/// Checks an expression against a sound program. Names of the project's modules
/// bind bare where exactly one module declares them; others are qualified.
///
/// # Errors
/// The mistakes in the expression.
pub fn check_expression(
    program: &Program,
    sources: &Sources,
    source: SourceId,
    library: impl Fn(&Module) -> bool + Sync,
) -> Result<Expression, Vec<Diagnostic>> {
    on_a_deep_stack(|| {
        let (tree, mut errors) = parse_expression(source, Arc::clone(&sources.get(source).text));
        let Some(expression) = tree.expr_child(tree.root()).filter(|_| errors.is_empty()) else {
            if errors.is_empty() {
                let at = Location {
                    source,
                    span: Span::default(),
                };
                errors.push(Diagnostic::error(
                    Code::UnexpectedToken,
                    at,
                    "expected an expression",
                ));
            }
            return Err(errors);
        };
        let modules = program.modules.clone();
        let mut program = Program { modules };
        let known = Known::of_program(&program);
        let id = ModuleId(program.modules.len() as u32);
        let input = module::Input {
            id,
            tree: &tree,
            test_file: false,
            library: false,
            known: &known,
            imports: &[],
        };
        let module::Output {
            module,
            diagnostics: mut errors,
            ..
        } = module::check_expression(&program, &input, expression, &library);
        sort(sources, &mut errors);
        if errors.iter().any(Diagnostic::is_error) {
            return Err(errors);
        }
        program.modules.push(Arc::new(module));
        Ok(Expression {
            program,
            decl: DeclRef {
                module: id,
                index: 0,
            },
        })
    })
}
