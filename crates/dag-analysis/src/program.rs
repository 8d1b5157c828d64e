//! From source texts to a checked program.

use crate::core::{DeclRef, ModuleId, Program};
use crate::index;
use crate::interface::Digest;
use crate::known::{Known, Unit};
use crate::module;
use crate::modules::Modules;
use crate::past::{CheckRecord, Past, holds};
use crate::schedule::{self, Findings};
use crate::texts::{Entry, Texts};
use crate::work::{Counters, Work};
use dag_syntax::{
    Code, Diagnostic, Location, SourceId, Sources, Span, Symbol, Tree, parse_expression,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;
use std::sync::{Arc, Mutex};

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
    /// The trees of the modules; none of them if the run is kept.
    pub trees: Vec<Arc<Tree>>,
    /// The modules, in the order of the program.
    pub modules: Vec<ModuleInfo>,
    /// The modules that were checked now and had no mistake, for later runs.
    pub fresh: Vec<Arc<CheckRecord>>,
    /// What was done.
    pub work: Work,
}

/// What a run knows of a module beside its content.
#[derive(Clone, Debug)]
pub struct ModuleInfo {
    /// Its name.
    pub name: Symbol,
    /// Its file.
    pub source: SourceId,
    /// Whether it belongs to the built-in library.
    pub library: bool,
    /// Whether its file's name ends in `_test.dag`.
    pub test_file: bool,
    /// The digest of its text and, through its imports, of every text that an evaluation
    /// of its items may reach. Zero if the run is not kept.
    pub implementation: Digest,
    /// Whether an evaluation is to judge literals of it ([`Module::claims`]), and may:
    /// nothing that it reaches has a mistake.
    ///
    /// [`Module::claims`]: crate::core::Module::claims
    pub claims: bool,
    /// What was found of it, if it has no mistake and the run is kept.
    pub record: Option<Arc<CheckRecord>>,
}

impl Checked {
    /// Whether the program may be evaluated.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        !self.diagnostics.iter().any(Diagnostic::is_error)
    }
}

/// The language's own part of the library, which every module knows without importing
/// it: path and text of each module.
#[must_use]
pub fn library() -> &'static [(&'static str, &'static str)] {
    &[
        ("std/types.dag", include_str!("../../../lib/std/types.dag")),
        (
            "std/prelude.dag",
            include_str!("../../../lib/std/prelude.dag"),
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
    check_after(sources, files, library, Past::NONE, |_| true)
}

/// Checks files as one program, but for those whose check holds from an earlier run.
/// The program is put together if somebody needs it, which is asked when everything
/// else is known.
#[must_use]
pub fn check_after(
    sources: &Sources,
    files: &[File],
    library: Library,
    past: Past,
    needs_program: impl FnOnce(&Checked) -> bool + Send,
) -> Checked {
    on_deep_stacks(|| {
        let texts = Texts::read(sources, files, library, &past);
        let mut diagnostics = Vec::new();
        let order = index::order(&texts.entries, &texts.unloaded, &mut diagnostics);
        if !diagnostics.is_empty() && past.is_kept() {
            // What is wrong with a module's place is shown in its text, which was not
            // read for its tree. This run is not kept, as none with a mistake is.
            let texts = Texts::read(sources, files, library, &Past::NONE);
            let mut diagnostics = Vec::new();
            let order = index::order(&texts.entries, &texts.unloaded, &mut diagnostics);
            return check_ordered(
                sources,
                texts,
                &order,
                Past::NONE,
                diagnostics,
                needs_program,
            );
        }
        check_ordered(sources, texts, &order, past, diagnostics, needs_program)
    })
}

fn check_ordered(
    sources: &Sources,
    texts: Texts,
    order: &[usize],
    past: Past,
    mut diagnostics: Vec<Diagnostic>,
    needs_program: impl FnOnce(&Checked) -> bool,
) -> Checked {
    diagnostics.extend(texts.diagnostics);
    let units = units(texts.entries, order);
    let is_kept = past.is_kept();
    let known = Arc::new(Known::new(units, past, texts.unloaded));
    Counters::add(&known.work.parsed, texts.parsed);
    let Findings { mistakes, fresh } = schedule::check_all(&known, is_kept);
    diagnostics.extend(mistakes);
    drop_unsure(&mut diagnostics);
    sort(sources, &mut diagnostics);
    let mut checked = Checked {
        program: Program::default(),
        diagnostics,
        trees: Vec::new(),
        modules: Vec::new(),
        fresh,
        work: known.work.total(),
    };
    checked.modules = modules(&known, is_kept, &checked);
    if needs_program(&checked) {
        checked.program.modules = Modules::of(&known);
    }
    let units = known.ids().filter_map(|id| known.unit(id));
    checked.trees = units.filter_map(|unit| unit.parsed().take()).collect();
    checked
}

/// The ordered files as modules of a program.
fn units(mut entries: Vec<Entry>, order: &[usize]) -> Vec<Unit> {
    let mut ids: FxHashMap<Symbol, ModuleId> = FxHashMap::default();
    let mut units: Vec<Unit> = Vec::with_capacity(order.len());
    for file in order {
        let entry = &mut entries[*file];
        let imports = entry.imports.iter();
        let imports = imports
            .filter_map(|import| ids.get(import).copied())
            .filter(|module| entry.test_file || !units[module.0 as usize].test_file)
            .collect();
        let name = entry.name.unwrap_or_else(|| Symbol::new(""));
        ids.insert(name, ModuleId(units.len() as u32));
        units.push(Unit {
            name,
            source: entry.file.source,
            test_file: entry.test_file,
            library: entry.file.library,
            imports,
            tree: Mutex::new(entry.tree.take()),
            misformed: entry.misformed,
            text: Arc::clone(&entry.text),
            digest: entry.digest,
            record: entry.record.take(),
        });
    }
    units
}

/// What is to be known of the modules, in their order.
fn modules(known: &Known, is_kept: bool, checked: &Checked) -> Vec<ModuleInfo> {
    let mut records: FxHashMap<Symbol, &Arc<CheckRecord>> = FxHashMap::default();
    records.extend(checked.fresh.iter().map(|record| (record.name, record)));
    let errors = checked.diagnostics.iter().filter(|d| d.is_error());
    let wrong: FxHashSet<SourceId> = errors.map(|d| d.at.source).collect();
    let mut all: Vec<ModuleInfo> = Vec::new();
    // Of each module: whether it or one that it loads has a mistake.
    let mut unsound: Vec<bool> = Vec::new();
    for (id, unit) in known.ids().filter_map(|id| Some((id, known.unit(id)?))) {
        let mut imports = unit.imports.iter();
        unsound
            .push(wrong.contains(&unit.source) || imports.any(|import| unsound[import.0 as usize]));
        let mut hash = blake3::Hasher::new();
        if is_kept {
            hash.update(&unit.digest.unwrap_or_default());
            let mut imports: Vec<&ModuleInfo> = unit
                .imports
                .iter()
                .map(|import| &all[import.0 as usize])
                .collect();
            imports.sort_unstable_by_key(|import| import.name.as_str());
            for import in imports {
                hash.update(&import.implementation);
            }
        }
        let kept = |record: &&Arc<CheckRecord>| holds(record, known, id);
        let record = records
            .get(&unit.name)
            .copied()
            .or(unit.record.as_ref().filter(kept));
        let has_claims = match known.present(id) {
            Some(module) => !module.claims.is_empty(),
            None => record.is_some_and(|record| record.claims),
        };
        all.push(ModuleInfo {
            name: unit.name,
            source: unit.source,
            library: unit.library,
            test_file: unit.test_file,
            implementation: *hash.finalize().as_bytes(),
            claims: has_claims && !unsound[id.0 as usize],
            record: record.cloned(),
        });
    }
    all
}

/// In a file with a mistake nobody can tell which imports will be used.
fn drop_unsure(diagnostics: &mut Vec<Diagnostic>) {
    let errors = diagnostics.iter().filter(|d| d.is_error());
    let wrong: FxHashSet<SourceId> = errors.map(|d| d.at.source).collect();
    diagnostics.retain(|d| d.code != Code::UnusedImport || !wrong.contains(&d.at.source));
}

/// Puts diagnostics in the order in which they are shown: by path, then place, then code.
/// What is said twice is said once.
pub fn sort(sources: &Sources, diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by(|a, b| {
        let path = |d: &Diagnostic| Arc::clone(&sources.get(d.at.source).path);
        path(a)
            .cmp(&path(b))
            .then(a.at.cmp(&b.at))
            .then(a.code.cmp(&b.code))
    });
    diagnostics.dedup();
}

/// The stack that a thread needs which walks trees: room for
/// [`dag_syntax::MAX_DEPTH`] levels of every recursive pass, debug builds included.
/// The pages are only used when they are touched.
pub const STACK_BYTES: usize = 256 << 20;

/// Runs the work on threads of its own, one a core, with deep stacks.
pub(crate) fn on_deep_stacks<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread_local!(static IS_DEEP: Cell<bool> = const { Cell::new(false) });
    if IS_DEEP.get() {
        return work();
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .stack_size(STACK_BYTES)
        .start_handler(|_| IS_DEEP.set(true))
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
/// bind bare where exactly one module declares them; others are qualified. Which files
/// are the library's is asked: the project's names hide its names and the prelude's.
///
/// # Errors
/// The mistakes in the expression.
pub fn check_expression(
    program: &Program,
    sources: &Sources,
    source: SourceId,
    library: impl Fn(SourceId) -> bool + Sync,
) -> Result<Expression, Vec<Diagnostic>> {
    on_deep_stacks(|| alone(program, sources, source, &library, false))
}

/// Checks an expression that calls a workflow from outside. It is a workflow
/// without a name.
///
/// # Errors
/// The mistakes in the expression.
pub fn check_run(
    program: &Program,
    sources: &Sources,
    source: SourceId,
    library: impl Fn(SourceId) -> bool + Sync,
) -> Result<Expression, Vec<Diagnostic>> {
    on_deep_stacks(|| alone(program, sources, source, &library, true))
}

fn alone(
    program: &Program,
    sources: &Sources,
    source: SourceId,
    library: &(dyn Fn(SourceId) -> bool + Sync),
    runs: bool,
) -> Result<Expression, Vec<Diagnostic>> {
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
    let known = Known::of_program(&program, sources);
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
    } = module::check_expression(&input, expression, library, runs);
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
}
