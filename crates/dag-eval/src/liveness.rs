//! Which reading of a local name is its last, so that its value can be handed
//! over instead of copied: that is what lets `concat(acc, [x])` extend `acc` in
//! place. The walk goes backwards through the order of evaluation.

use crate::compile::deeper;
use dag_analysis::core::{Arm, Body, Expr, ExprId, Intrinsic, Local, Pattern, PatternId, Run};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The last readings in the code of one function or lambda.
#[derive(Default)]
pub(crate) struct LastUses {
    /// Readings by name.
    pub(crate) reads: FxHashSet<ExprId>,
    /// Captures by a lambda.
    pub(crate) captures: FxHashSet<(ExprId, Local)>,
}

/// Whether an engine's function runs a function over a list; its function is
/// then the last argument.
pub(crate) fn is_loop(op: Intrinsic) -> bool {
    op.item_parameter().is_some()
}

/// The lambda written as the last argument of a loop, if its parameters fit: it
/// becomes the loop's body.
pub(crate) fn inlined(body: &Body, op: Intrinsic, args: Run) -> Option<(Run, ExprId)> {
    let args = body.operands(args);
    let (arity, params) = if op == Intrinsic::ListFold {
        (3, 2)
    } else {
        (2, 1)
    };
    if !is_loop(op) || args.len() != arity {
        return None;
    }
    match body.expr(*args.last()?) {
        Expr::Lambda { params: run, body } if run.len == params => Some((*run, *body)),
        _ => None,
    }
}

/// The names that an expression reads and does not bind, in the order of their
/// first reading.
pub(crate) fn free_locals(body: &Body, root: ExprId) -> Vec<Local> {
    let mut bound = FxHashSet::default();
    let mut read = Vec::new();
    let mut waiting = vec![root];
    while let Some(id) = waiting.pop() {
        let first = waiting.len();
        match body.expr(id) {
            Expr::Local(local) => read.push(*local),
            Expr::Let { local, .. } | Expr::For { local, .. } => {
                bound.insert(*local);
            }
            Expr::Lambda { params, .. } => bound.extend(body.lambda_params(*params)),
            Expr::Match { arms, .. } => {
                for arm in body.arms(*arms) {
                    bind(body, arm.pattern, &mut |local| {
                        bound.insert(local);
                    });
                }
            }
            _ => {}
        }
        body.children(id, |child| waiting.push(child));
        if let Some(new) = waiting.get_mut(first..) {
            new.reverse();
        }
    }
    let mut seen = bound;
    read.retain(|local| seen.insert(*local));
    read
}

fn bind(body: &Body, pattern: PatternId, found: &mut impl FnMut(Local)) {
    let mut waiting = vec![pattern];
    while let Some(pattern) = waiting.pop() {
        match body.pattern(pattern) {
            Pattern::Bind(local) => found(*local),
            Pattern::Ctor { fields, .. } => waiting.extend(body.pattern_operands(*fields)),
            _ => {}
        }
    }
}

/// Finds the last uses in the code that starts at `root`.
pub(crate) fn last_uses(body: &Body, root: ExprId) -> LastUses {
    let mut walk = Walk {
        body,
        depth: 0,
        live: FxHashSet::default(),
        log: Vec::new(),
        free: FxHashMap::default(),
        found: LastUses::default(),
    };
    walk.expr(root);
    walk.found
}

struct Walk<'b> {
    body: &'b Body,
    depth: u32,
    /// Names read later on some path.
    live: FxHashSet<Local>,
    /// Insertions into `live`, so that a branch can be taken back.
    log: Vec<Local>,
    free: FxHashMap<ExprId, Arc<[Local]>>,
    found: LastUses,
}

impl Walk<'_> {
    fn insert(&mut self, local: Local) -> bool {
        let new = self.live.insert(local);
        if new {
            self.log.push(local);
        }
        new
    }

    /// Takes back everything since a mark and gives what was live only there.
    fn take_back(&mut self, mark: usize, into: &mut FxHashSet<Local>) {
        for local in self.log.drain(mark..) {
            if self.live.remove(&local) {
                into.insert(local);
            }
        }
    }

    fn insert_all(&mut self, locals: &FxHashSet<Local>) {
        for local in locals {
            self.insert(*local);
        }
    }

    fn free(&mut self, lambda_body: ExprId) -> Arc<[Local]> {
        let body = self.body;
        self.free
            .entry(lambda_body)
            .or_insert_with(|| free_locals(body, lambda_body).into())
            .clone()
    }

    fn all(&mut self, run: Run) {
        for id in self.body.operands(run).iter().rev() {
            self.expr(*id);
        }
    }

    fn expr(&mut self, id: ExprId) {
        deeper(self, |walk| &mut walk.depth, |walk| walk.expr_here(id));
    }

    fn expr_here(&mut self, id: ExprId) {
        let body = self.body;
        match body.expr(id) {
            Expr::Local(local) => {
                if self.insert(*local) {
                    self.found.reads.insert(id);
                }
            }
            Expr::Let { .. } | Expr::Then { .. } => self.block(id),
            Expr::If {
                condition,
                then,
                otherwise,
            } => {
                let mut later = FxHashSet::default();
                for branch in [*otherwise, *then] {
                    let mark = self.log.len();
                    self.expr(branch);
                    self.take_back(mark, &mut later);
                }
                self.insert_all(&later);
                self.expr(*condition);
            }
            Expr::Match { scrutinee, arms } => self.matching(*scrutinee, body.arms(*arms)),
            Expr::Intrinsic { op, args } => match inlined(body, *op, *args) {
                Some((params, lambda)) => {
                    let params = body.lambda_params(params);
                    // What the body reads from outside is read again next turn.
                    for local in self.free(lambda).iter() {
                        if !params.contains(local) {
                            self.insert(*local);
                        }
                    }
                    self.expr(lambda);
                    for param in params {
                        self.live.remove(param);
                    }
                    let args = body.operands(*args);
                    for id in args.iter().rev().skip(1) {
                        self.expr(*id);
                    }
                }
                None => self.all(*args),
            },
            Expr::For {
                local,
                items,
                body: turn,
            } => {
                // What the body reads from outside is read again next turn.
                for read in self.free(*turn).iter() {
                    if read != local {
                        self.insert(*read);
                    }
                }
                self.expr(*turn);
                self.live.remove(local);
                self.expr(*items);
            }
            Expr::Lambda {
                params,
                body: lambda,
            } => {
                let params = body.lambda_params(*params);
                for local in self.free(*lambda).iter().rev() {
                    if !params.contains(local) && self.insert(*local) {
                        self.found.captures.insert((id, *local));
                    }
                }
            }
            _ => {
                let mut all = Vec::new();
                body.children(id, |child| all.push(child));
                for child in all.into_iter().rev() {
                    self.expr(child);
                }
            }
        }
    }

    /// A run of `let`s and statements, which may be long.
    fn block(&mut self, id: ExprId) {
        let mut before = Vec::new();
        let mut last = id;
        loop {
            match self.body.expr(last) {
                Expr::Let { local, value, body } => {
                    before.push((*value, Some(*local)));
                    last = *body;
                }
                Expr::Then { first, second } => {
                    before.push((*first, None));
                    last = *second;
                }
                _ => break,
            }
        }
        self.expr(last);
        for (value, local) in before.into_iter().rev() {
            if let Some(local) = local {
                self.live.remove(&local);
            }
            self.expr(value);
        }
    }

    fn matching(&mut self, scrutinee: ExprId, arms: &[Arm]) {
        let named = match self.body.expr(scrutinee) {
            Expr::Local(local) => Some(*local),
            _ => None,
        };
        let mut later = FxHashSet::default();
        for arm in arms.iter().rev() {
            let mark = self.log.len();
            self.expr(arm.body);
            if let Some(guard) = arm.guard {
                // If it fails, the later arms look at the value again.
                self.insert_all(&later);
                if let Some(local) = named {
                    self.insert(local);
                }
                self.expr(guard);
            }
            self.take_back(mark, &mut later);
        }
        self.insert_all(&later);
        match named {
            // Matched where it lies, not read.
            Some(local) => {
                self.insert(local);
            }
            None => self.expr(scrutinee),
        }
    }
}
