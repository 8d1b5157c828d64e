//! One module: declared first, then its bodies elaborated into the core.

mod call;
mod coerce;
mod construct;
mod declare;
mod expr;
mod matching;
mod operator;
mod scope;
mod show;

use crate::core::{
    Body, Decl, DeclKind, Expr, ExprId, Local, Module, ModuleId, Pattern, PatternId, Program, Run,
    TypeDef, TypeRef,
};
use crate::kernel::Kernel;
use crate::types::{Ty, TyKind, TypeTable};
use dag_syntax::{Code, Diagnostic, Location, NodeId, Span, Symbol, Tree};
use scope::Scope;

/// What a module is checked from.
pub(crate) struct Input<'a> {
    pub(crate) id: ModuleId,
    pub(crate) tree: &'a Tree,
    pub(crate) test_file: bool,
    pub(crate) library: bool,
}

/// Checks a module against the modules before it.
pub(crate) fn check(program: &Program, input: &Input<'_>) -> (Module, Vec<Diagnostic>) {
    let mut checker = Checker::new(program, input);
    let name = crate::index::module_name(input.tree).map_or(Symbol::new(""), |(name, _)| name);
    checker.name = name;
    checker.declare();
    checker.bodies();
    checker.unused_imports();
    checker.into_module()
}

/// Checks a lone expression as the one `data` item of a module of its own.
pub(crate) fn check_expression(
    program: &Program,
    input: &Input<'_>,
    expression: NodeId,
    library: &dyn Fn(&Module) -> bool,
) -> (Module, Vec<Diagnostic>) {
    let mut checker = Checker::new(program, input);
    checker.scope.open_to(program, library);
    checker.enter(Symbol::new("it"), false);
    let (body, ty) = checker.infer(expression);
    let ty = checker.settle(ty, expression);
    checker.decls.push(Decl {
        name: Symbol::new("it"),
        span: input.tree.span(expression),
        kind: DeclKind::Data,
        test: false,
        type_params: Vec::new(),
        params: Vec::new(),
        result: ty,
        body: Some(body),
        intrinsic: None,
        locals: checker.next_local,
    });
    checker.into_module()
}

pub(crate) struct Checker<'a> {
    program: &'a Program,
    tree: &'a Tree,
    id: ModuleId,
    name: Symbol,
    test_file: bool,
    library: bool,
    kernel: Kernel,

    table: TypeTable,
    types: Vec<TypeDef>,
    decls: Vec<Decl>,
    body: Body,
    scope: Scope,
    diagnostics: Vec<Diagnostic>,
    /// The item of each declaration.
    items: Vec<NodeId>,

    // Of the declaration at hand.
    decl_name: Symbol,
    in_test: bool,
    type_params: Vec<Symbol>,
    variables: Vec<Option<Ty>>,
    locals: Vec<(Symbol, Local, Ty)>,
    next_local: u32,
    /// What `return` must give, innermost last.
    returns: Vec<Ty>,
}

impl<'a> Checker<'a> {
    fn new(program: &'a Program, input: &Input<'a>) -> Self {
        let types = program.module_named(Kernel::MODULE);
        // The kernel's own module finds it when it has declared its types.
        let placeholder = TypeRef {
            module: input.id,
            index: u32::MAX,
        };
        let kernel = types
            .and_then(Kernel::of)
            .or_else(|| Kernel::find(|_| Some(placeholder)));
        let kernel = kernel.unwrap_or(Kernel {
            string: placeholder,
            int: placeholder,
            float: placeholder,
            bool: placeholder,
            unit: placeholder,
            list: placeholder,
            optional: placeholder,
            pair: placeholder,
        });
        Self {
            program,
            tree: input.tree,
            id: input.id,
            name: Symbol::new("eval"),
            test_file: input.test_file,
            library: input.library,
            kernel,
            table: TypeTable::default(),
            types: Vec::new(),
            decls: Vec::new(),
            body: Body::default(),
            scope: Scope::prelude(program),
            diagnostics: Vec::new(),
            items: Vec::new(),
            decl_name: Symbol::new(""),
            in_test: false,
            type_params: Vec::new(),
            variables: Vec::new(),
            locals: Vec::new(),
            next_local: 0,
            returns: Vec::new(),
        }
    }

    fn into_module(self) -> (Module, Vec<Diagnostic>) {
        let module = Module {
            id: self.id,
            name: self.name,
            source: self.tree.source(),
            test_file: self.test_file,
            table: self.table,
            types: self.types,
            decls: self.decls,
            body: self.body,
        };
        let mut diagnostics = self.diagnostics;
        if !diagnostics.iter().any(Diagnostic::is_error) {
            crate::totality::check(&module, &mut diagnostics);
        }
        (module, diagnostics)
    }

    /// Starts a declaration's body.
    fn enter(&mut self, name: Symbol, test: bool) {
        self.decl_name = name;
        self.in_test = test;
        self.variables.clear();
        self.locals.clear();
        self.returns.clear();
        self.next_local = 0;
    }

    // Reporting.

    fn at(&self, node: NodeId) -> Location {
        self.tree.location(node)
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }

    fn error(&mut self, code: Code, node: NodeId, message: impl Into<String>) {
        let diagnostic = Diagnostic::error(code, self.at(node), message);
        self.report(diagnostic);
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
            self.locals.push((name, local, ty));
        }
        local
    }

    // Types.

    fn named(&mut self, ty: TypeRef, args: Vec<Ty>) -> Ty {
        self.table.intern(TyKind::Named(ty, args.into()))
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
        self.program
            .modules
            .get(ty.module.0 as usize)?
            .types
            .get(ty.index as usize)
    }

    /// The place of a type's name.
    fn type_location(&self, ty: TypeRef) -> Option<Location> {
        let span = self.type_def(ty)?.span;
        Some(Location {
            source: self.source_of(ty.module),
            span,
        })
    }

    fn source_of(&self, module: ModuleId) -> dag_syntax::SourceId {
        if module == self.id {
            return self.tree.source();
        }
        self.program
            .modules
            .get(module.0 as usize)
            .map_or(self.tree.source(), |m| m.source)
    }

    /// A type of another module's table (or of this one's), with its type
    /// parameters replaced, in this module's table.
    fn bring(&mut self, module: ModuleId, ty: Ty, args: &[Ty]) -> Ty {
        let kind = if module == self.id {
            self.table.kind(ty).clone()
        } else {
            match self.program.modules.get(module.0 as usize) {
                Some(other) => other.table.kind(ty).clone(),
                None => TyKind::Error,
            }
        };
        match kind {
            TyKind::Named(named, inner) => {
                let inner = inner.iter().map(|t| self.bring(module, *t, args)).collect();
                self.named(named, inner)
            }
            TyKind::Function(params, result) => {
                let params: Box<[Ty]> = params
                    .iter()
                    .map(|t| self.bring(module, *t, args))
                    .collect();
                let result = self.bring(module, result, args);
                self.table.intern(TyKind::Function(params, result))
            }
            TyKind::Param(index, _) => match args.get(index as usize) {
                Some(arg) => *arg,
                None => self.table.intern(kind),
            },
            TyKind::Variable(_) | TyKind::Error => self.table.intern(kind),
        }
    }

    /// The type with its outermost variable followed to what it stands for.
    fn resolve(&self, mut ty: Ty) -> Ty {
        while let TyKind::Variable(variable) = self.table.kind(ty) {
            match self.variables.get(*variable as usize) {
                Some(Some(next)) => ty = *next,
                _ => break,
            }
        }
        ty
    }

    fn kind(&self, ty: Ty) -> &TyKind {
        self.table.kind(self.resolve(ty))
    }

    /// The type with every variable replaced. An open one is reported.
    fn settle(&mut self, ty: Ty, node: NodeId) -> Ty {
        let settled = self.settled(ty);
        if self.mentions_variable(settled) {
            let shown = self.show(settled);
            self.report(
                Diagnostic::error(
                    Code::CannotInfer,
                    self.tree.location(node),
                    format!("the type of this is not known: `{shown}`"),
                )
                .cure("give it a type: `let x: List<Int> = []`"),
            );
            return self.error_ty();
        }
        settled
    }

    fn settled(&mut self, ty: Ty) -> Ty {
        let ty = self.resolve(ty);
        match self.table.kind(ty).clone() {
            TyKind::Named(named, args) => {
                let args = args.iter().map(|t| self.settled(*t)).collect();
                self.named(named, args)
            }
            TyKind::Function(params, result) => {
                let params: Box<[Ty]> = params.iter().map(|t| self.settled(*t)).collect();
                let result = self.settled(result);
                self.table.intern(TyKind::Function(params, result))
            }
            TyKind::Param(..) | TyKind::Variable(_) | TyKind::Error => ty,
        }
    }

    fn mentions(&self, ty: Ty, found: &dyn Fn(&TyKind) -> bool) -> bool {
        let kind = self.kind(ty);
        found(kind)
            || match kind {
                TyKind::Named(_, args) => args.iter().any(|t| self.mentions(*t, found)),
                TyKind::Function(params, result) => {
                    params.iter().any(|t| self.mentions(*t, found)) || self.mentions(*result, found)
                }
                TyKind::Param(..) | TyKind::Variable(_) | TyKind::Error => false,
            }
    }

    fn mentions_variable(&self, ty: Ty) -> bool {
        self.mentions(ty, &|kind| matches!(kind, TyKind::Variable(_)))
    }

    /// The base of a refined type.
    fn base(&mut self, ty: Ty) -> Option<Ty> {
        let TyKind::Named(named, args) = self.kind(ty).clone() else {
            return None;
        };
        let crate::core::Shape::Refined { base, .. } = self.type_def(named)?.shape else {
            return None;
        };
        Some(self.bring(named.module, base, &args))
    }

    /// The type under all its refinements.
    fn unrefined(&mut self, ty: Ty) -> Ty {
        let mut ty = self.resolve(ty);
        while let Some(base) = self.base(ty) {
            ty = self.resolve(base);
        }
        ty
    }

    /// The declared type and its arguments, if the type is one.
    fn head(&self, ty: Ty) -> Option<(TypeRef, Box<[Ty]>)> {
        match self.kind(ty) {
            TyKind::Named(named, args) => Some((*named, args.clone())),
            _ => None,
        }
    }

    fn is_error(&self, ty: Ty) -> bool {
        matches!(self.kind(ty), TyKind::Error)
    }
}
