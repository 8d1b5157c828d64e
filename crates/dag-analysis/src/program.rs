//! From source texts to a checked program.

use crate::core::{DeclRef, Module, ModuleId, Program};
use crate::index;
use crate::known::{IMPLICIT, Known, Text};
use crate::module;
use crate::schedule::{self, Plan};
use crate::unloaded::Unloaded;
use dag_syntax::{
    Code, Diagnostic, Location, SourceId, Sources, Span, Symbol, Tree, parse, parse_expression,
};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
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

/// Which modules of the library a program has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Library {
    /// Every one.
    Whole,
    /// Those that the project's modules load: the library is larger than many a
    /// project.
    Loaded,
}

/// Checks files as one program. They must hold [`library`].
#[must_use]
pub fn check(sources: &Sources, files: &[File], library: Library) -> Checked {
    on_deep_stacks(|| check_files(sources, files, library))
}

fn check_files(sources: &Sources, files: &[File], library: Library) -> Checked {
    let Texts {
        files,
        trees,
        unloaded,
        mut diagnostics,
    } = Texts::read(sources, files, library);
    let by_ref: Vec<&Tree> = trees.iter().map(AsRef::as_ref).collect();
    let is_test = |file: usize| is_test_path(&sources.get(files[file].source).path);
    let implicit = IMPLICIT.map(Symbol::new);
    let order = index::order(&by_ref, &is_test, &implicit, &unloaded, &mut diagnostics);
    let plan = Plan {
        known: Known::of_texts(
            texts(&by_ref, &order, &is_test),
            by_ref
                .iter()
                .enumerate()
                .map(|(file, tree)| (*tree, is_test(file)))
                .collect(),
            unloaded,
        ),
        trees: order.iter().map(|file| by_ref[*file]).collect(),
        library: order.iter().map(|file| files[*file].library).collect(),
    };
    let (modules, mistakes) = schedule::check_all(plan);
    diagnostics.extend(mistakes);
    let program = Program { modules };
    drop_unsure(&mut diagnostics);
    sort(sources, &mut diagnostics);
    Checked {
        program,
        diagnostics,
        trees,
    }
}

/// The ordered files as modules of a program.
fn texts(trees: &[&Tree], order: &[usize], is_test: &dyn Fn(usize) -> bool) -> Vec<Text> {
    let mut ids: FxHashMap<Symbol, ModuleId> = FxHashMap::default();
    let mut texts: Vec<Text> = Vec::with_capacity(order.len());
    for file in order {
        let test_file = is_test(*file);
        let imports = index::imports(trees[*file])
            .iter()
            .filter_map(|import| ids.get(&import.module).copied())
            .filter(|module| test_file || !texts[module.0 as usize].test_file)
            .collect();
        let name = index::module_name(trees[*file]).map_or(Symbol::new(""), |(name, _)| name);
        ids.insert(name, ModuleId(texts.len() as u32));
        texts.push(Text {
            name,
            test_file,
            imports,
        });
    }
    texts
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

/// The files that a program is made of.
struct Texts {
    files: Vec<File>,
    /// Of each file.
    trees: Vec<Arc<Tree>>,
    /// The library's modules that nothing imports.
    unloaded: Unloaded,
    diagnostics: Vec<Diagnostic>,
}

impl Texts {
    /// Parses the project's files, and those of the library.
    fn read(sources: &Sources, all: &[File], library: Library) -> Self {
        let mut unloaded = Unloaded::default();
        let mut files = Vec::with_capacity(all.len());
        for file in all {
            let text = &sources.get(file.source).text;
            match index::name_of_text(text).filter(|_| file.library && library == Library::Loaded) {
                Some(name) => unloaded.add(name, file.source, Arc::clone(text)),
                None => files.push(*file),
            }
        }
        let mut texts = Self {
            files: Vec::new(),
            trees: Vec::new(),
            unloaded,
            diagnostics: Vec::new(),
        };
        let mut wanted: Vec<Symbol> = IMPLICIT.map(Symbol::new).to_vec();
        loop {
            for (tree, errors) in parse_all(sources, &files) {
                texts.diagnostics.extend(errors);
                wanted.extend(index::imports(&tree).iter().map(|import| import.module));
                // A module of the project that takes a name of the library is
                // refused as a duplicate, not put in its place.
                wanted.extend(index::module_name(&tree).map(|(name, _)| name));
                texts.trees.push(Arc::new(tree));
            }
            texts.files.append(&mut files);
            for source in wanted
                .drain(..)
                .filter_map(|name| texts.unloaded.take(name))
            {
                files.push(File {
                    source,
                    library: true,
                });
            }
            if files.is_empty() {
                return texts;
            }
        }
    }
}

/// Each file is independent of the others.
fn parse_all(sources: &Sources, files: &[File]) -> Vec<(Tree, Vec<Diagnostic>)> {
    files
        .par_iter()
        .with_min_len(16)
        .map(|f| parse(f.source, Arc::clone(&sources.get(f.source).text)))
        .collect()
}

/// Room for [`dag_syntax::MAX_DEPTH`] levels of every recursive pass, debug
/// builds included. The pages are only used when they are touched.
const STACK_BYTES: usize = 256 << 20;

/// Runs the work on threads of its own, one a core, with deep stacks.
fn on_deep_stacks<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new()
        .stack_size(STACK_BYTES)
        .build();
    match pool {
        Ok(pool) => pool.install(work),
        // No memory for a thread: the process cannot go on.
        Err(error) => std::panic::resume_unwind(Box::new(format!("no thread: {error}"))),
    }
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
    on_deep_stacks(|| {
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
        } = module::check_expression(&input, expression, &library);
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
