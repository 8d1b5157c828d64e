//! Evaluation ends: recursion descends, and no `data` item needs itself.
//!
//! Descent is proved by size change (C. S. Lee, N. D. Jones, A. M. Ben-Amram,
//! "The size-change principle for program termination", POPL 2001): each call
//! tells which argument is smaller than, or at most as large as, which
//! parameter of the caller; every loop that calls can form must make one
//! parameter smaller for ever, which no finite value allows.

use crate::core::{
    Body, DeclKind, DeclRef, Expr, ExprId, Intrinsic, Local, Module, Pattern, PatternId,
};
use dag_syntax::{Code, Diagnostic, Location};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// How large a value is, held against a parameter of the function at hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Size {
    /// At most as large.
    AtMost,
    /// A part of it.
    Part,
}

type Relation = Option<(u32, Size)>;

/// A call inside a module: caller, callee, and which argument (second) descends
/// from which parameter (first).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Change {
    from: u32,
    to: u32,
    arcs: BTreeSet<(u32, u32, Size)>,
    /// The call that starts it.
    call: ExprId,
}

/// More combinations than this are not followed: the recursion is refused.
const MOST_CHANGES: usize = 4_000;

pub(crate) fn check(module: &Module, report: &mut Vec<Diagnostic>) {
    let mut walk = Walk {
        module,
        changes: Vec::new(),
        values: Vec::new(),
        decl: 0,
        sizes: FxHashMap::default(),
    };
    for (index, decl) in module.decls.iter().enumerate() {
        let Some(body) = decl.body else { continue };
        walk.decl = index as u32;
        walk.sizes.clear();
        for param in 0..decl.params.len() as u32 {
            walk.sizes.insert(Local(param), (param, Size::AtMost));
        }
        walk.expr(body);
    }
    let Walk {
        changes, values, ..
    } = walk;
    for component in components(module.decls.len(), &changes, &values) {
        refuse(module, &component, &changes, &values, report);
    }
}

struct Walk<'a> {
    module: &'a Module,
    changes: Vec<Change>,
    /// Declarations mentioned as values: by whom, which, where.
    values: Vec<(u32, u32, ExprId)>,
    decl: u32,
    sizes: FxHashMap<Local, (u32, Size)>,
}

impl Walk<'_> {
    fn body(&self) -> &Body {
        &self.module.body
    }

    fn own(&self, decl: DeclRef) -> Option<u32> {
        (decl.module == self.module.id).then_some(decl.index)
    }

    /// Walks an expression and tells how large its value is.
    fn expr(&mut self, id: ExprId) -> Relation {
        match self.body().expr(id).clone() {
            Expr::Local(local) => self.sizes.get(&local).copied(),
            Expr::Global(decl) => {
                if let Some(target) = self.own(decl) {
                    self.values.push((self.decl, target, id));
                }
                None
            }
            Expr::Call { callee, args } => {
                let args = self.body().operands(args).to_vec();
                let sizes: Vec<Relation> = args.into_iter().map(|a| self.expr(a)).collect();
                if let Some(to) = self.own(callee) {
                    let arcs = sizes
                        .into_iter()
                        .enumerate()
                        .filter_map(|(arg, size)| {
                            size.map(|(param, size)| (param, arg as u32, size))
                        })
                        .collect();
                    self.changes.push(Change {
                        from: self.decl,
                        to,
                        arcs,
                        call: id,
                    });
                }
                None
            }
            Expr::Intrinsic { op, args } => {
                let args = self.body().operands(args).to_vec();
                self.intrinsic(op, &args)
            }
            Expr::Field { base, .. } => part(self.expr(base)),
            Expr::Refine { value, .. } => self.expr(value),
            Expr::Let { local, value, body } => {
                let size = self.expr(value);
                self.name(local, size);
                self.expr(body)
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
            Expr::Then { first, second } => {
                self.expr(first);
                self.expr(second)
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
            Expr::Unit
            | Expr::Bool(_)
            | Expr::Int(_)
            | Expr::Float(_)
            | Expr::Str(_)
            | Expr::Invalid => None,
        }
    }

    fn all(&mut self, run: crate::core::Run) {
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
        let Some((list, rest)) = args.split_first() else {
            return None;
        };
        let list = self.expr(*list);
        let element = match op {
            I::ListMap
            | I::ListFilter
            | I::ListFlatMap
            | I::ListFilterMap
            | I::ListAny
            | I::ListAll
            | I::ListSortByInt
            | I::ListSortByString => Some(0),
            I::ListFold => Some(1),
            _ => None,
        };
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
            | I::ListSortByInt
            | I::ListSortByString => list,
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

fn part(size: Relation) -> Relation {
    size.map(|(param, _)| (param, Size::Part))
}

/// Groups of declarations that reach each other, and those that reach
/// themselves.
fn components(
    count: usize,
    changes: &[Change],
    values: &[(u32, u32, ExprId)],
) -> Vec<BTreeSet<u32>> {
    let mut next: Vec<Vec<u32>> = vec![Vec::new(); count];
    for change in changes {
        next[change.from as usize].push(change.to);
    }
    for (from, to, _) in values {
        next[*from as usize].push(*to);
    }
    // Kosaraju's algorithm with stacks on the heap.
    let mut order = Vec::with_capacity(count);
    let mut seen = vec![false; count];
    for root in 0..count {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut stack = vec![(root, 0usize)];
        while let Some((node, at)) = stack.last_mut() {
            let Some(target) = next[*node].get(*at) else {
                order.push(*node);
                stack.pop();
                continue;
            };
            *at += 1;
            let target = *target as usize;
            if !std::mem::replace(&mut seen[target], true) {
                stack.push((target, 0));
            }
        }
    }
    let mut previous: Vec<Vec<u32>> = vec![Vec::new(); count];
    for (from, targets) in next.iter().enumerate() {
        for to in targets {
            previous[*to as usize].push(from as u32);
        }
    }
    let mut placed = vec![false; count];
    let mut found = Vec::new();
    for root in order.into_iter().rev() {
        if std::mem::replace(&mut placed[root], true) {
            continue;
        }
        let mut component = BTreeSet::from([root as u32]);
        let mut todo = vec![root];
        while let Some(node) = todo.pop() {
            for from in &previous[node] {
                if !std::mem::replace(&mut placed[*from as usize], true) {
                    component.insert(*from);
                    todo.push(*from as usize);
                }
            }
        }
        let recursive = component.len() > 1 || next[root].contains(&(root as u32));
        if recursive {
            found.push(component);
        }
    }
    found
}

fn refuse(
    module: &Module,
    component: &BTreeSet<u32>,
    changes: &[Change],
    values: &[(u32, u32, ExprId)],
    report: &mut Vec<Diagnostic>,
) {
    let at = |expr: ExprId| Location {
        source: module.source,
        span: module.body.span(expr),
    };
    let name = |decl: u32| module.decls[decl as usize].name;
    if let Some(data) = component
        .iter()
        .find(|d| module.decls[**d as usize].kind == DeclKind::Data)
    {
        let decl = &module.decls[*data as usize];
        let place = Location {
            source: module.source,
            span: decl.span,
        };
        let names: Vec<String> = component
            .iter()
            .map(|d| format!("`{}`", name(*d)))
            .collect();
        report.push(
            Diagnostic::error(
                Code::DataCycle,
                place,
                format!("the data `{}` needs itself", decl.name),
            )
            .note(format!("these need each other: {}", names.join(", "))),
        );
        return;
    }
    if let Some((_, to, expr)) = values
        .iter()
        .find(|(from, to, _)| component.contains(from) && component.contains(to))
    {
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
    let own: Vec<Change> = changes
        .iter()
        .filter(|c| component.contains(&c.from) && component.contains(&c.to))
        .cloned()
        .collect();
    if let Some(bad) = endless(&own) {
        let (call, callee) = (bad.call, bad.to);
        let message = format!("this call of `{}` is not seen to descend", name(callee));
        report.push(
            Diagnostic::error(Code::NoDescent, at(call), message)
                .here("no argument is a part of a parameter")
                .note("recursion goes to parts of an argument: what a pattern or a field takes out of it, or the elements of a list in map, fold and their like")
                .cure("walk a list with `fold`, or recurse on a part of an argument"),
        );
    }
}

/// A loop of calls in which nothing becomes smaller, if there is one.
fn endless(calls: &[Change]) -> Option<Change> {
    let mut all: Vec<Change> = Vec::new();
    let mut known: BTreeSet<(u32, u32, BTreeSet<(u32, u32, Size)>)> = BTreeSet::new();
    let mut todo: Vec<Change> = calls.to_vec();
    while let Some(change) = todo.pop() {
        if !known.insert((change.from, change.to, change.arcs.clone())) {
            continue;
        }
        if all.len() >= MOST_CHANGES {
            return Some(change);
        }
        for call in calls {
            if call.from == change.to {
                todo.push(compose(&change, call));
            }
        }
        all.push(change);
    }
    all.into_iter().find(|change| {
        change.from == change.to
            && compose(change, change).arcs == change.arcs
            && !change
                .arcs
                .iter()
                .any(|(from, to, size)| from == to && *size == Size::Part)
    })
}

fn compose(first: &Change, second: &Change) -> Change {
    let mut best: FxHashMap<(u32, u32), Size> = FxHashMap::default();
    for (a, b, s1) in &first.arcs {
        for (c, d, s2) in &second.arcs {
            if b == c {
                let size = (*s1).max(*s2);
                let slot = best.entry((*a, *d)).or_insert(size);
                *slot = (*slot).max(size);
            }
        }
    }
    Change {
        from: first.from,
        to: second.to,
        arcs: best
            .into_iter()
            .map(|((a, d), size)| (a, d, size))
            .collect(),
        call: first.call,
    }
}
