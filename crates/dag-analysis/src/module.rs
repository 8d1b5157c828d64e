//! One module: declared first, then its bodies elaborated into the core.

mod admission;
mod asked;
mod brace;
mod call;
mod coerce;
mod construct;
mod declare;
mod default;
mod demand;
mod endless;
mod expr;
mod fix;
mod matching;
mod namespace;
mod open;
mod operator;
mod predicate;
mod record;
mod resource;
mod scope;
mod service;
mod show;
mod ty;
mod unused;
mod workflow;

use crate::core::{
    Body, Claim, Decl, DeclKind, Expr, ExprId, Local, Module, ModuleId, Pattern, PatternId, Run,
    TypeDef, TypeRef,
};
use crate::kernel::Kernel;
use crate::known::{Known, Unit};
use crate::reads::Reads;
use crate::types::{Ty, TyKind, TypeTable};
use crate::work::Counters;
use dag_syntax::{Code, Diagnostic, Location, MAX_DEPTH, NodeId, SourceId, Span, Symbol, Tree};
use demand::Demand;
pub use fix::import_edit;
use open::Open;
pub(crate) use record::check_recorded;
use rustc_hash::{FxHashMap, FxHashSet};
use scope::Scope;
use workflow::{Calls, Effects};

/// What a module is checked from.
pub(crate) struct Input<'a> {
    pub(crate) id: ModuleId,
    pub(crate) tree: &'a Tree,
    pub(crate) test_file: bool,
    pub(crate) library: bool,
    /// The modules before it.
    pub(crate) known: &'a Known,
    /// Those of them that it imports.
    pub(crate) imports: &'a [ModuleId],
}

/// What the check of a module gives.
pub(crate) struct Output {
    pub(crate) module: Module,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// The names of items that do not parse.
    pub(crate) broken: Vec<Symbol>,
}

/// What the check of a module depends on.
pub(crate) struct Depends {
    /// The modules that it looked into.
    pub(crate) on: FxHashSet<ModuleId>,
    /// Whether it mattered which modules are loaded.
    pub(crate) loaded: bool,
}

/// Checks a module of a program against the modules before it.
pub(crate) fn check_unit(known: &Known, id: ModuleId, unit: &Unit) -> (Output, Depends) {
    Counters::add(&known.work.checked, 1);
    let tree = known.take_tree(unit);
    let reads = Reads::new(known, id);
    let input = Input {
        id,
        tree: &tree,
        test_file: unit.test_file,
        library: unit.library,
        known,
        imports: &unit.imports,
    };
    let output = check(&input, &reads);
    let (on, loaded) = reads.into_parts();
    (output, Depends { on, loaded })
}

fn check(input: &Input<'_>, reads: &Reads<'_>) -> Output {
    let mut checker = Checker::new(input, reads);
    checker.run();
    checker.into_module()
}

/// Checks a lone expression as the one `data` item of a module of its own.
pub(crate) fn check_expression(
    input: &Input<'_>,
    expression: NodeId,
    library: &dyn Fn(SourceId) -> bool,
    runs: bool,
) -> Output {
    let reads = Reads::new(input.known, input.id);
    let mut checker = Checker::new(input, &reads);
    checker.all_loaded = true;
    checker
        .scope
        .open_to(Open::new(input.known, &reads, library));
    checker.enter(Symbol::new("expression"), false);
    if runs {
        checker.effects.calls = Calls::Outside;
    }
    checker.item_span = input.tree.span(expression);
    let (body, ty) = checker.infer(expression);
    // Behind a mistake, what is not known is no mistake of its own.
    let ty = match checker.diagnostics.iter().any(Diagnostic::is_error) {
        true => checker.error_ty(),
        false => checker.settle(ty, expression),
    };
    checker.finish_body(expression);
    checker.decls.push(Decl {
        name: Symbol::new("expression"),
        span: input.tree.span(expression),
        kind: if runs { DeclKind::Func } else { DeclKind::Data },
        test: false,
        type_params: Vec::new(),
        asked: Vec::new(),
        params: Vec::new(),
        result: ty,
        body: Some(body),
        intrinsic: None,
        locals: checker.next_local,
        admit_callers: None,
    });
    checker.into_module()
}

pub(crate) struct Checker<'a> {
    /// The modules before it, as far as it may ask for them.
    program: &'a Reads<'a>,
    tree: &'a Tree,
    id: ModuleId,
    name: Symbol,
    test_file: bool,
    library: bool,
    kernel: Kernel,
    known: &'a Known,
    imports: &'a [ModuleId],
    /// Whether every module is loaded, as for a lone expression.
    all_loaded: bool,

    table: TypeTable,
    types: Vec<TypeDef>,
    decls: Vec<Decl>,
    body: Body,
    /// The literals that an evaluation is to judge.
    claims: Vec<Claim>,
    scope: Scope<'a>,
    aliases: namespace::Aliases,
    diagnostics: Vec<Diagnostic>,
    /// How many of them are no warnings.
    errors: usize,
    /// The bodies still to be worked out.
    pending: Vec<Pending>,
    /// Predicates that name functions, looked up when all functions are known.
    named_predicates: Vec<predicate::Named>,
    /// The names of items that do not parse.
    broken: Vec<Symbol>,
    /// Types of other modules that were brought here, without parameters.
    brought: FxHashMap<(ModuleId, Ty), Ty>,
    /// A type grew deeper than types may be.
    too_deep: bool,
    /// How many names were searched for by likeness.
    suggestions: u32,
    /// Services, resources and workflows.
    effects: Effects,
    /// Of number patterns: the numbers of what they are matched against, where they are few.
    few_numbers: FxHashMap<PatternId, crate::exhaustive::Few>,
    /// What names refer to, if it is asked for.
    recorder: Option<Box<record::Recorder>>,

    // Of the declaration at hand.
    decl_name: Symbol,
    /// Its text.
    item_span: Span,
    /// Whether it is a default value, which sees no parameter.
    in_default: bool,
    in_test: bool,
    type_params: Vec<Symbol>,
    variables: Vec<Option<Ty>>,
    /// The names in sight, innermost last.
    locals: Vec<(Symbol, Local, Ty)>,
    /// Where each name stands among them, innermost last.
    local_places: FxHashMap<Symbol, Vec<usize>>,
    next_local: u32,
    /// What `return` must give, innermost last.
    returns: Vec<Ty>,
    /// Its index in the declarations, once it has one.
    current: Option<u32>,
    /// What is asked of types, decided when the body is known whole; also whose type
    /// parameter asks, where it is one.
    demands: Vec<(Ty, NodeId, Demand, Option<asked::Parameter>)>,
    /// The declarations of the module that are used with types in the place of their
    /// parameters. The first so many are of bodies that are known whole.
    instances: Vec<asked::Instance>,
    settled_instances: usize,
    /// Keys that were refused, and where.
    bad_keys: Vec<(Ty, Span)>,
    /// What is expected of the calls that are being worked out.
    wanted: FxHashMap<NodeId, Ty>,
    /// Steps of the whole check: [`crate::Work::steps`].
    spent: u64,
    /// Steps of the comparison of types at hand.
    steps: u32,
    /// What was compared in it; the flag tells widening from equality.
    compared: FxHashSet<(Ty, Ty, bool)>,
}

/// A declaration whose body is still to be worked out.
#[derive(Clone, Copy)]
struct Pending {
    /// Index in the declarations.
    decl: u32,
    /// What a type that grew too deep is reported at.
    item: NodeId,
    body: NodeId,
    /// The type as it is written.
    written: Option<NodeId>,
}

impl<'a> Checker<'a> {
    fn new(input: &Input<'a>, program: &'a Reads<'a>) -> Self {
        let types = input.known.module(Symbol::new(Kernel::MODULE));
        let types = types.and_then(|id| program.get(id));
        // The kernel's own module finds it when it has declared its types.
        let kernel = types
            .and_then(Kernel::of)
            .unwrap_or_else(|| Kernel::undeclared(input.id));
        Self {
            program,
            tree: input.tree,
            id: input.id,
            name: Symbol::new(""),
            test_file: input.test_file,
            library: input.library,
            kernel,
            known: input.known,
            imports: input.imports,
            all_loaded: false,
            table: TypeTable::default(),
            types: Vec::new(),
            decls: Vec::new(),
            body: Body::default(),
            claims: Vec::new(),
            scope: Scope::new(input.known.prelude(input.id)),
            aliases: namespace::Aliases::default(),
            diagnostics: Vec::new(),
            errors: 0,
            pending: Vec::new(),
            named_predicates: Vec::new(),
            broken: Vec::new(),
            brought: FxHashMap::default(),
            too_deep: false,
            suggestions: 0,
            effects: Effects::default(),
            few_numbers: FxHashMap::default(),
            recorder: None,
            decl_name: Symbol::new(""),
            item_span: Span::default(),
            in_default: false,
            in_test: false,
            type_params: Vec::new(),
            variables: Vec::new(),
            locals: Vec::new(),
            local_places: FxHashMap::default(),
            next_local: 0,
            returns: Vec::new(),
            current: None,
            demands: Vec::new(),
            instances: Vec::new(),
            settled_instances: 0,
            bad_keys: Vec::new(),
            wanted: FxHashMap::default(),
            spent: 0,
            steps: 0,
            compared: FxHashSet::default(),
        }
    }

    /// Checks the whole module.
    fn run(&mut self) {
        let name = crate::index::module_name(self.tree).map_or(Symbol::new(""), |(name, _)| name);
        self.name = name;
        self.declare();
        self.bodies();
        self.answer_instances();
        self.unused_imports();
        self.unused_aliases();
    }

    fn into_module(self) -> Output {
        let mut table = self.table;
        table.close();
        let module = Module {
            id: self.id,
            name: self.name,
            source: self.tree.source(),
            test_file: self.test_file,
            table,
            types: self.types,
            decls: self.decls,
            body: self.body,
            operations: self.effects.operations,
            resources: self.effects.resources,
            claims: self.claims,
        };
        let mut diagnostics = self.diagnostics;
        if !diagnostics.iter().any(Diagnostic::is_error) {
            let steps =
                crate::totality::check(self.program, &module, self.kernel, &mut diagnostics);
            Counters::add(&self.known.work.steps, steps);
        }
        Counters::add(&self.known.work.steps, self.spent);
        Output {
            module,
            diagnostics,
            broken: self.broken,
        }
    }

    /// Starts a declaration's body.
    fn enter(&mut self, name: Symbol, test: bool) {
        self.decl_name = name;
        self.in_test = test;
        self.effects
            .enter(if test { Calls::Outside } else { Calls::Pure });
        self.variables.clear();
        self.locals.clear();
        self.local_places.clear();
        self.returns.clear();
        self.demands.clear();
        self.next_local = 0;
        self.enter_record();
    }

    /// Ends a declaration's body: what could only be said of it as a whole.
    fn finish_body(&mut self, node: NodeId) {
        self.settle_record();
        self.settle_instances();
        self.decide_demands();
        self.refuse_too_deep(node);
    }

    /// Reports a type that grew too deep since this was asked last.
    fn refuse_too_deep(&mut self, node: NodeId) {
        if std::mem::take(&mut self.too_deep) {
            let error = Diagnostic::error(
                Code::TooDeep,
                self.at(node),
                format!("a type in this item nests more than {MAX_DEPTH} levels deep"),
            )
            .cure("give a part of it a record of its own");
            self.report(error);
        }
    }

    /// The name that is nearest to a wrong one. Only so many are searched for:
    /// where everything is wrong, likeness says nothing.
    fn nearest<'n>(
        &mut self,
        wrong: &str,
        names: impl Iterator<Item = &'n str>,
    ) -> Option<&'n str> {
        let mut names_read = 0;
        let names = names.inspect(|_| names_read += 1);
        let near = self
            .may_suggest()
            .then(|| dag_syntax::nearest(wrong, names))
            .flatten();
        self.spent += names_read;
        near
    }

    /// Whether names are still searched for by likeness: nobody has to list them if not.
    fn suggests(&self) -> bool {
        self.suggestions < dag_syntax::MOST_SUGGESTIONS
    }

    /// Whether one more name may be searched for by likeness.
    fn may_suggest(&mut self) -> bool {
        self.suggestions += 1;
        self.suggestions <= dag_syntax::MOST_SUGGESTIONS
    }

    // Reporting.

    fn at(&self, node: NodeId) -> Location {
        self.tree.location(node)
    }

    /// The place of an expression of the core.
    fn expr_at(&self, expr: ExprId) -> Location {
        Location {
            source: self.tree.source(),
            span: self.body.span(expr),
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.errors += usize::from(diagnostic.is_error());
        self.diagnostics.push(diagnostic);
    }

    fn error(&mut self, code: Code, node: NodeId, message: impl Into<String>) {
        let diagnostic = Diagnostic::error(code, self.at(node), message);
        self.report(diagnostic);
    }

    /// How many mistakes were reported so far. What was warned of stands.
    fn mistakes(&self) -> usize {
        self.errors
    }

    /// An expression that stands for a mistake already reported.
    fn invalid(&mut self, node: NodeId) -> (ExprId, Ty) {
        (self.push(Expr::Invalid, node), self.error_ty())
    }

    // Building.

    fn push(&mut self, expr: Expr, node: NodeId) -> ExprId {
        let span = self.tree.span(node);
        self.push_at(expr, span)
    }

    fn push_at(&mut self, expr: Expr, span: Span) -> ExprId {
        self.spent += 1;
        let id = ExprId(self.body.exprs.len() as u32);
        self.body.exprs.push(expr);
        self.body.spans.push(span);
        id
    }

    fn operands(&mut self, children: Vec<ExprId>) -> Run {
        let run = Run {
            start: self.body.operands.len() as u32,
            len: children.len() as u32,
        };
        self.body.operands.extend(children);
        run
    }

    fn push_pattern(&mut self, pattern: Pattern) -> PatternId {
        let id = PatternId(self.body.patterns.len() as u32);
        self.body.patterns.push(pattern);
        id
    }

    fn bind(&mut self, name: Symbol, ty: Ty) -> Local {
        let local = Local(self.next_local);
        self.next_local += 1;
        if name.as_str() != "_" {
            let places = self.local_places.entry(name).or_default();
            places.push(self.locals.len());
            self.locals.push((name, local, ty));
        }
        local
    }

    /// Leaves a scope that began when so many names were in sight.
    fn leave(&mut self, outer: usize) {
        for (name, ..) in self.locals.drain(outer..) {
            if let Some(places) = self.local_places.get_mut(&name) {
                places.pop();
            }
        }
    }

    // Types.

    fn intern(&mut self, kind: TyKind) -> Ty {
        let ty = self.table.intern(kind);
        if self.table.depth(ty) > MAX_DEPTH {
            self.too_deep = true;
            return self.error_ty();
        }
        ty
    }

    fn named(&mut self, ty: TypeRef, args: Vec<Ty>) -> Ty {
        self.intern(TyKind::Named(ty, args.into()))
    }

    fn function(&mut self, params: impl Into<Box<[Ty]>>, result: Ty) -> Ty {
        self.intern(TyKind::Function(params.into(), result))
    }

    fn error_ty(&mut self) -> Ty {
        self.table.intern(TyKind::Error)
    }

    fn string(&mut self) -> Ty {
        self.named(self.kernel.string, Vec::new())
    }

    fn int(&mut self) -> Ty {
        self.named(self.kernel.int, Vec::new())
    }

    fn float(&mut self) -> Ty {
        self.named(self.kernel.float, Vec::new())
    }

    fn bool(&mut self) -> Ty {
        self.named(self.kernel.bool, Vec::new())
    }

    fn unit(&mut self) -> Ty {
        self.named(self.kernel.unit, Vec::new())
    }

    fn list(&mut self, item: Ty) -> Ty {
        self.named(self.kernel.list, vec![item])
    }

    fn map(&mut self, key: Ty, value: Ty) -> Ty {
        self.named(self.kernel.map, vec![key, value])
    }

    fn set(&mut self, item: Ty) -> Ty {
        self.named(self.kernel.set, vec![item])
    }

    fn optional(&mut self, item: Ty) -> Ty {
        self.named(self.kernel.optional, vec![item])
    }

    fn fresh(&mut self) -> Ty {
        let variable = self.variables.len() as u32;
        self.variables.push(None);
        self.table.intern(TyKind::Variable(variable))
    }

    /// A declared type, of this module or of one before it.
    fn type_def(&self, ty: TypeRef) -> Option<&TypeDef> {
        if ty.module == self.id {
            return self.types.get(ty.index as usize);
        }
        if let Some(def) = crate::unnamed::declaration(ty) {
            return Some(def);
        }
        self.program.get(ty.module)?.types.get(ty.index as usize)
    }

    /// The place of a type's name, where it helps to see it: nobody has to be
    /// shown where `Int` is declared.
    fn type_location(&self, ty: TypeRef) -> Option<Location> {
        if ty.is_unnamed() || ty.module == self.kernel.int.module && ty.module != self.id {
            return None;
        }
        let span = self.type_def(ty)?.span;
        Some(Location {
            source: self.source_of(ty.module),
            span,
        })
    }

    fn source_of(&self, module: ModuleId) -> SourceId {
        if module == self.id {
            return self.tree.source();
        }
        self.program
            .get(module)
            .map_or(self.tree.source(), |m| m.source)
    }
}
