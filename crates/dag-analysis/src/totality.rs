//! Evaluation ends: recursion descends, and no `data` item needs itself.
//!
//! Each call tells which argument is smaller than, or at most as large as, which
//! parameter of the caller; [`crate::descent`] says whether calls that tell this end.

use crate::components::components;
use crate::core::{
    BinaryOp, Body, Decl, DeclKind, DeclRef, Expr, ExprId, Intrinsic, Local, Module, Param,
    Pattern, PatternId, Predicate, Run, Shape, TypeRef,
};
use crate::descent::{Change, Endless, Relation, Size, endless};
use crate::kernel::Kernel;
use crate::reads::Reads;
use crate::types::{Ty, TyKind, TypeTable};
use dag_syntax::{Code, Diagnostic, Location};
use rustc_hash::FxHashMap;

/// Checks a module; the program holds those before it. Gives the number of expressions
/// that were walked.
pub(crate) fn check(
    program: &Reads<'_>,
    module: &Module,
    kernel: Kernel,
    report: &mut Vec<Diagnostic>,
) -> u64 {
    let mut walk = Walk {
        program,
        module,
        kernel,
        changes: Vec::new(),
        values: Vec::new(),
        decl: 0,
        steps: 0,
        sizes: FxHashMap::default(),
        lessened: FxHashMap::default(),
    };
    for (index, decl) in module.decls.iter().enumerate() {
        let Some(body) = decl.body else { continue };
        walk.decl = index as u32;
        walk.sizes.clear();
        walk.lessened.clear();
        for param in 0..decl.params.len() as u32 {
            walk.sizes.insert(Local(param), (param, Size::AtMost));
        }
        walk.expr(body);
    }
    let Walk {
        changes,
        values,
        steps,
        ..
    } = walk;
    let mut next: Vec<Vec<u32>> = vec![Vec::new(); module.decls.len()];
    let calls = changes.iter().map(|c| (c.from, c.to));
    for (from, to) in calls.chain(values.iter().map(|(from, to, _)| (*from, *to))) {
        next[from as usize].push(to);
    }
    // By the declaration that calls: a component looks at its own calls alone.
    let mut calls: Vec<Vec<Change>> = vec![Vec::new(); module.decls.len()];
    for change in changes {
        calls[change.from as usize].push(change);
    }
    let mut mentions: Vec<Vec<(u32, ExprId)>> = vec![Vec::new(); module.decls.len()];
    for (from, to, at) in values {
        mentions[from as usize].push((to, at));
    }
    for component in components(&next) {
        refuse(module, &component, &calls, &mentions, report);
    }
    steps
}

struct Walk<'a> {
    program: &'a Reads<'a>,
    module: &'a Module,
    kernel: Kernel,
    changes: Vec<Change>,
    /// Declarations mentioned as values: by whom, which, where.
    values: Vec<(u32, u32, ExprId)>,
    decl: u32,
    /// Expressions that were walked.
    steps: u64,
    sizes: FxHashMap<Local, (u32, Size)>,
    /// Names of differences `n - 1`: smaller than what they are held against, if
    /// they have a lower bound.
    lessened: FxHashMap<Local, u32>,
}

impl Walk<'_> {
    fn body(&self) -> &Body {
        &self.module.body
    }

    fn own(&self, decl: DeclRef) -> Option<u32> {
        (decl.module == self.module.id).then_some(decl.index)
    }

    /// Walks an expression and tells how large its value is.
    fn expr(&mut self, mut id: ExprId) -> Relation {
        // A block is a chain as long as its statements: no recursion along it.
        loop {
            self.steps += 1;
            match *self.body().expr(id) {
                Expr::Let { local, value, body } => {
                    let size = self.expr(value);
                    self.name(local, size);
                    if let Some(param) = self.lessened(value) {
                        self.lessened.insert(local, param);
                    }
                    id = body;
                }
                Expr::Then { first, second } => {
                    self.expr(first);
                    id = second;
                }
                _ => return self.value(id),
            }
        }
    }

    fn value(&mut self, id: ExprId) -> Relation {
        match self.body().expr(id).clone() {
            Expr::Local(local) => self.sizes.get(&local).copied(),
            Expr::Data(decl) | Expr::Function(decl) => {
                if let Some(target) = self.own(decl) {
                    self.values.push((self.decl, target, id));
                }
                None
            }
            Expr::Call { callee, args } => {
                let args = self.body().operands(args).to_vec();
                let sizes = self.arguments(callee, &args);
                if let Some(to) = self.own(callee) {
                    self.changes.push(Change {
                        from: self.decl,
                        to,
                        arcs: sizes.clone(),
                        call: id,
                    });
                }
                self.result_of(callee, &sizes)
            }
            Expr::Intrinsic { op, args } => {
                let args = self.body().operands(args).to_vec();
                self.intrinsic(op, &args)
            }
            Expr::For { local, items, body } => {
                let items = self.expr(items);
                self.name(local, part(items));
                self.expr(body);
                None
            }
            Expr::Field { base, .. } => part(self.expr(base)),
            Expr::Refine { value, ty } => {
                let size = self.expr(value);
                self.asked(ty, size, id);
                let less = self.lessened(value).filter(|_| self.bounded(ty));
                less.map(|param| (param, Size::Part)).or(size)
            }
            Expr::Match { scrutinee, arms } => {
                let size = self.expr(scrutinee);
                for arm in self.body().arms(arms).to_vec() {
                    self.pattern(arm.pattern, size);
                    if let Some(guard) = arm.guard {
                        self.expr(guard);
                    }
                    self.expr(arm.body);
                }
                None
            }
            Expr::If {
                condition,
                then,
                otherwise,
            } => {
                self.expr(condition);
                self.expr(then);
                self.expr(otherwise);
                None
            }
            Expr::Apply { function, args } => {
                self.expr(function);
                self.all(args);
                None
            }
            Expr::Construct { fields: run, .. } | Expr::List(run) | Expr::Interpolate(run) => {
                self.all(run);
                None
            }
            Expr::Lambda { body, .. } => {
                self.expr(body);
                None
            }
            Expr::Return(value)
            | Expr::Not(value)
            | Expr::Negate(value)
            | Expr::Convert { value, .. } => {
                self.expr(value);
                None
            }
            Expr::Binary { left, right, .. }
            | Expr::And(left, right)
            | Expr::Or(left, right)
            | Expr::Coalesce(left, right) => {
                self.expr(left);
                self.expr(right);
                None
            }
            Expr::Perform(perform) => {
                self.all(perform.parts);
                if let Some(mock) = perform.mock {
                    self.expr(mock);
                }
                None
            }
            // Chains of these are walked above.
            Expr::Let { .. } | Expr::Then { .. } => self.expr(id),
            Expr::Unit
            | Expr::Bool(_)
            | Expr::Int(_)
            | Expr::Float(_)
            | Expr::Str(_)
            | Expr::Invalid => None,
        }
    }

    /// Walks the arguments of a call. What a generic function hands to a lambda it can
    /// only have from its other arguments.
    fn arguments(&mut self, callee: DeclRef, args: &[ExprId]) -> Vec<Relation> {
        let lambda = |walk: &Self, arg: ExprId| match walk.body().expr(arg) {
            Expr::Lambda { params, .. } => Some(*params),
            _ => None,
        };
        let mut sizes: Vec<Relation> = vec![None; args.len()];
        for (arg, size) in args.iter().zip(&mut sizes) {
            if lambda(self, *arg).is_none() {
                *size = self.expr(*arg);
            }
        }
        for (index, arg) in args.iter().enumerate() {
            let Some(params) = lambda(self, *arg) else {
                continue;
            };
            let params = self.body().lambda_params(params).to_vec();
            for (param, local) in params.into_iter().enumerate() {
                let from = self.head(callee).and_then(|(table, decl)| {
                    handed_from(table, &self.kernel, &decl.params, index, param)
                });
                let whole = from.and_then(|from| sizes.get(from).copied().flatten());
                self.name(local, part(whole));
            }
            self.expr(*arg);
        }
        sizes
    }

    /// A function's declaration, and the types that it speaks of.
    fn head(&self, decl: DeclRef) -> Option<(&TypeTable, &Decl)> {
        let module = match self.own(decl) {
            Some(_) => self.module,
            None => self.program.get(decl.module)?,
        };
        Some((&module.table, module.decls.get(decl.index as usize)?))
    }

    /// How large the result of a generic function is: a value that it can only have from
    /// one of its arguments, or a list of such values.
    fn result_of(&self, callee: DeclRef, sizes: &[Relation]) -> Relation {
        let (table, decl) = self.head(callee)?;
        let size = |wanted: u32| {
            let holder = holder(table, &self.kernel, &decl.params, wanted)?;
            sizes.get(holder).copied().flatten()
        };
        match table.kind(decl.result) {
            TyKind::Param(wanted, _) => part(size(*wanted)),
            TyKind::Named(container, args) if self.kernel.contains(*container) => {
                match args.iter().map(|arg| table.kind(*arg)).collect::<Vec<_>>()[..] {
                    [TyKind::Param(wanted, _)] => size(*wanted),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The parameter that a difference is smaller than: `n - 1`, or its name.
    fn lessened(&self, id: ExprId) -> Option<u32> {
        let (left, right) = match self.body().expr(id) {
            Expr::Local(local) => return self.lessened.get(local).copied(),
            Expr::Binary {
                op: BinaryOp::Subtract,
                left,
                right,
            } => (*left, *right),
            _ => return None,
        };
        match (self.body().expr(left), self.body().expr(right)) {
            (Expr::Local(local), Expr::Int(1..)) => match self.sizes.get(local) {
                Some((param, _)) => Some(*param),
                None => self.lessened.get(local).copied(),
            },
            _ => None,
        }
    }

    /// Whether the numbers of a refined type have a lower bound.
    fn bounded(&self, ty: TypeRef) -> bool {
        let lower = |p: &Predicate| matches!(p, Predicate::Range { min: Some(_), .. });
        self.refinements(ty).into_iter().any(lower)
    }

    /// The predicates of a refined type and of its bases.
    fn refinements(&self, ty: TypeRef) -> Vec<&Predicate> {
        let mut found = Vec::new();
        let mut next = Some(ty);
        while let Some(ty) = next.filter(|ty| !ty.is_unnamed()) {
            let module = if ty.module == self.module.id {
                Some(self.module)
            } else {
                self.program.get(ty.module)
            };
            let Some(module) = module else {
                break;
            };
            let shape = module.types.get(ty.index as usize).map(|def| &def.shape);
            let Some(Shape::Refined { base, predicates }) = shape else {
                break;
            };
            found.extend(predicates);
            next = match module.table.kind(*base) {
                TyKind::Named(base, _) => Some(*base),
                _ => None,
            };
        }
        found
    }

    /// A value that enters a refinement is given to the functions that its
    /// predicates name: calls like any other.
    fn asked(&mut self, ty: TypeRef, size: Relation, at: ExprId) {
        let named = |p: &Predicate| match p {
            Predicate::Holds(decl) => self.own(*decl),
            _ => None,
        };
        let asked: Vec<u32> = self.refinements(ty).into_iter().filter_map(named).collect();
        for to in asked {
            self.changes.push(Change {
                from: self.decl,
                to,
                arcs: vec![size],
                call: at,
            });
        }
    }

    fn all(&mut self, run: Run) {
        for child in self.body().operands(run).to_vec() {
            self.expr(child);
        }
    }

    fn name(&mut self, local: Local, size: Relation) {
        if let Some(size) = size {
            self.sizes.insert(local, size);
        }
    }

    /// An element of a list is a part of it, also where a lambda is given it.
    fn intrinsic(&mut self, op: Intrinsic, args: &[ExprId]) -> Relation {
        use Intrinsic as I;
        let (list, rest) = args.split_first()?;
        let list = self.expr(*list);
        let element = op.item_parameter();
        for arg in rest {
            if let (Some(element), Expr::Lambda { params, .. }) =
                (element, self.body().expr(*arg).clone())
                && let Some(param) = self.body().lambda_params(params).get(element).copied()
            {
                self.name(param, part(list));
            }
            self.expr(*arg);
        }
        match op {
            // Some of the elements, or one of them in an optional.
            I::ListSkip
            | I::ListTake
            | I::ListFilter
            | I::ListReverse
            | I::ListDedup
            | I::ListFirst
            | I::ListLast
            | I::ListGet
            | I::ListFind
            | I::ListSort
            | I::ListSortBy
            | I::ListMinBy
            | I::ListMaxBy
            // What a map or set holds, as a list, or one value of it.
            | I::SetItems
            | I::MapEntries
            | I::MapKeys
            | I::MapValues
            | I::MapGet => list,
            _ => None,
        }
    }

    fn pattern(&mut self, id: PatternId, size: Relation) {
        match self.body().pattern(id).clone() {
            Pattern::Bind(local) => self.name(local, size),
            Pattern::Ctor { fields, .. } => {
                for inner in self.body().pattern_operands(fields).to_vec() {
                    self.pattern(inner, part(size));
                }
            }
            Pattern::Any | Pattern::Bool(_) | Pattern::Int(_) | Pattern::Str(_) => {}
        }
    }
}

/// Of a function's parameters: the one that holds what the function hands to another
/// parameter, itself a function, as its argument of that number.
fn handed_from(
    table: &TypeTable,
    kernel: &Kernel,
    params: &[Param],
    to: usize,
    argument: usize,
) -> Option<usize> {
    let TyKind::Function(handed, _) = table.kind(params.get(to)?.ty) else {
        return None;
    };
    match table.kind(*handed.get(argument)?) {
        TyKind::Param(wanted, _) => holder(table, kernel, params, *wanted),
        _ => None,
    }
}

/// Of a function's parameters: the one that holds all values of a type parameter that the
/// function can have. It is a list, an optional value, a map or a set, and nothing else
/// gives one, so each is a part of it (P. Wadler, "Theorems for free!", FPCA 1989).
fn holder(table: &TypeTable, kernel: &Kernel, params: &[Param], wanted: u32) -> Option<usize> {
    let mut holders = params
        .iter()
        .enumerate()
        .filter(|(_, param)| gives(table, param.ty, wanted));
    let (holder, param) = holders.next()?;
    let TyKind::Named(container, args) = table.kind(param.ty) else {
        return None;
    };
    let directly =
        |arg: &Ty| matches!(table.kind(*arg), TyKind::Param(index, _) if *index == wanted);
    let sound = kernel.contains(*container)
        && args
            .iter()
            .all(|arg| directly(arg) || !gives(table, *arg, wanted));
    (sound && holders.next().is_none()).then_some(holder)
}

/// Whether a value of a type may give one of the type parameter's. A function that only
/// takes one gives none.
fn gives(table: &TypeTable, ty: Ty, wanted: u32) -> bool {
    let mut waiting = vec![ty];
    while let Some(ty) = waiting.pop() {
        match table.kind(ty) {
            TyKind::Param(index, _) if *index == wanted => return true,
            TyKind::Named(_, args) => waiting.extend(args),
            TyKind::Function(args, result) => {
                let taken = |ty: &&Ty| matches!(table.kind(**ty), TyKind::Param(..));
                waiting.extend(args.iter().filter(|ty| !taken(ty)));
                waiting.push(*result);
            }
            _ => {}
        }
    }
    false
}

fn part(size: Relation) -> Relation {
    size.map(|(param, _)| (param, Size::Part))
}

fn refuse(
    module: &Module,
    component: &[u32],
    calls: &[Vec<Change>],
    mentions: &[Vec<(u32, ExprId)>],
    report: &mut Vec<Diagnostic>,
) {
    let at = |expr: ExprId| Location {
        source: module.source,
        span: module.body.span(expr),
    };
    let name = |decl: u32| module.decls[decl as usize].name;
    let inside = |decl: &u32| component.binary_search(decl).is_ok();
    if let Some(data) = component
        .iter()
        .find(|d| module.decls[**d as usize].kind.is_value())
    {
        let decl = &module.decls[*data as usize];
        let place = Location {
            source: module.source,
            span: decl.span,
        };
        let default = decl.kind == DeclKind::Default;
        let what = if default { "default value" } else { "data" };
        let mut error = Diagnostic::error(
            Code::DataCycle,
            place,
            format!("the {what} `{}` needs itself", decl.name),
        )
        .cure(if default {
            "give the value where it is needed, or write a default that does not call for it"
        } else {
            "write the value that they share as a `data` item of its own"
        });
        if component.len() > 1 {
            let names: Vec<String> = component
                .iter()
                .take(5)
                .map(|d| format!("`{}`", name(*d)))
                .collect();
            let more = if component.len() > 5 { " and more" } else { "" };
            error = error.note(format!("these need each other: {}{more}", names.join(", ")));
        }
        report.push(error);
        return;
    }
    let mut mentioned = component.iter().flat_map(|decl| &mentions[*decl as usize]);
    if let Some((to, expr)) = mentioned.find(|(to, _)| inside(to)) {
        report.push(
            Diagnostic::error(
                Code::NoDescent,
                at(*expr),
                format!(
                    "`{}` is passed as a value inside its own recursion",
                    name(*to)
                ),
            )
            .cure("call it in a lambda, so that its argument can be seen: `x => f(x)`"),
        );
        return;
    }
    let own: Vec<Change> = component
        .iter()
        .flat_map(|decl| &calls[*decl as usize])
        .filter(|c| inside(&c.to))
        .cloned()
        .collect();
    let (call, why) = match endless(&own) {
        Ok(()) => return,
        Err(Endless::Loop(call)) => (call, "no argument is sure to become smaller"),
        Err(Endless::TooMany(call)) => (
            call,
            "whether an argument becomes smaller takes more work to tell than is allowed",
        ),
    };
    let callee = match module.body.expr(call) {
        Expr::Call { callee, .. } => name(callee.index),
        // The type whose predicate is asked.
        Expr::Refine { ty, .. } if ty.module == module.id => module.types[ty.index as usize].name,
        _ => name(component[0]),
    };
    let message = format!("this call of `{callee}` is not seen to descend");
    report.push(
        Diagnostic::error(Code::NoDescent, at(call), message)
            .here(why)
            .note("recursion goes to a part of a parameter (by a pattern, a field, or a list's elements in map and the like), or to `n - 1` of a `Nat`")
            .cure("walk a list with `fold`, or recurse on a part of an argument"),
    );
}
