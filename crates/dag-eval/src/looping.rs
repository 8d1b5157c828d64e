//! The engine's functions that run a function over a list, written as loops, so
//! that the machine is never entered from within. A literal lambda becomes the
//! loop's body; any other function is called in it.
//!
//! The stack of a loop, from its start: the list (taken), the accumulator of a
//! fold, the function unless it is known, the item, what the body pushes.

use crate::code::{Op, Slot, Turns};
use crate::compile::{Compiler, InlineReturn};
use crate::liveness::inlined;
use dag_analysis::core::{DeclRef, ExprId, Intrinsic, Local, Run};

/// What a loop runs.
enum Body<'a> {
    Inline(&'a [Local], ExprId),
    Known(DeclRef),
    Value(Slot),
}

impl Compiler<'_> {
    pub(crate) fn looping(&mut self, id: ExprId, op: Intrinsic, args: Run) {
        let start = self.draft.depth;
        let operands = self.body.operands(args);
        let fold = op == Intrinsic::ListFold;
        let (Some(function), true) = (operands.last(), operands.len() == 2 + usize::from(fold))
        else {
            return self.push(Op::Broken, id);
        };
        for arg in operands.iter().take(operands.len() - 1) {
            self.expr(*arg, false);
        }
        let body = match (inlined(self.body, op, args), self.function(*function)) {
            (Some((params, body)), _) => Body::Inline(self.body.lambda_params(params), body),
            (None, Some(decl)) => Body::Known(decl),
            (None, None) => {
                self.expr(*function, false);
                Body::Value(self.draft.depth - 1)
            }
        };
        self.looping_over(id, op, start, &body);
    }

    /// The loop of a function whose arguments are its frame's parameters.
    pub(crate) fn looping_over_params(&mut self, op: Intrinsic, id: ExprId) {
        let function = 1 + u32::from(op == Intrinsic::ListFold);
        self.looping_over(id, op, 0, &Body::Value(function));
    }

    fn looping_over(&mut self, id: ExprId, op: Intrinsic, start: Slot, body: &Body<'_>) {
        // The others ask their function for a key of each item.
        let keyed = matches!(
            op,
            Intrinsic::ListSortBy
                | Intrinsic::ListMinBy
                | Intrinsic::ListMaxBy
                | Intrinsic::ListGroupBy
                | Intrinsic::ListIndexBy
                | Intrinsic::ListPartition
        );
        let first_hit = matches!(
            op,
            Intrinsic::ListFind | Intrinsic::ListAny | Intrinsic::ListAll
        );
        let turns = Turns {
            keeping: keyed || matches!(op, Intrinsic::ListFilter | Intrinsic::ListFind),
            independent: !first_hit && op != Intrinsic::ListFold,
        };
        let accumulator = (op == Intrinsic::ListFold).then_some(start + 1);
        self.emit(Op::Begin(start, turns), id);

        let head = self.here();
        let next = self.emit(Op::Next(0), id);
        let item = self.draft.depth;
        self.draft.depth += 1;
        self.turn(id, accumulator, item, body);
        // The turn's value is on top, just above the item.
        let mut hit = None;
        match op {
            Intrinsic::ListFold => self.emit(Op::Store(start + 1), id),
            Intrinsic::ListMap => self.emit(Op::Collect, id),
            Intrinsic::ListFilter => self.emit(Op::CollectIf, id),
            Intrinsic::ListFlatMap => self.emit(Op::CollectAll, id),
            Intrinsic::ListFilterMap => self.emit(Op::CollectPresent, id),
            _ if keyed => self.emit(Op::CollectKey, id),
            Intrinsic::ListAny | Intrinsic::ListFind => {
                *hit.insert(self.emit(Op::JumpIfTrue(0), id))
            }
            Intrinsic::ListAll => *hit.insert(self.emit(Op::JumpIfFalse(0), id)),
            _ => self.emit(Op::Broken, id),
        };
        self.emit(Op::Again(head), id);

        self.land(next);
        self.draft.depth = item;
        match op {
            Intrinsic::ListFold => {
                self.emit(Op::End, id);
                self.emit(Op::Take(start + 1), id);
            }
            Intrinsic::ListAny | Intrinsic::ListAll => {
                let all = op == Intrinsic::ListAll;
                self.emit(Op::End, id);
                self.emit(Op::Bool(all), id);
                let end = self.emit(Op::Jump(0), id);
                if let Some(hit) = hit {
                    self.land(hit);
                }
                self.emit(Op::End, id);
                self.emit(Op::Bool(!all), id);
                self.land(end);
            }
            Intrinsic::ListFind => {
                self.emit(Op::FinishFound(false), id);
                let end = self.emit(Op::Jump(0), id);
                if let Some(hit) = hit {
                    self.land(hit);
                }
                self.emit(Op::FinishFound(true), id);
                self.land(end);
            }
            _ if keyed => {
                self.emit(Op::FinishKeyed(op), id);
            }
            _ => {
                self.emit(Op::Finish, id);
            }
        }
        self.emit(Op::Settle(start), id);
        self.draft.depth = start + 1;
    }

    /// The list of what a body gives for each item.
    pub(crate) fn for_each(&mut self, id: ExprId, local: Local, items: ExprId, body: ExprId) {
        let start = self.draft.depth;
        self.expr(items, false);
        let turns = Turns {
            keeping: false,
            independent: true,
        };
        self.emit(Op::Begin(start, turns), id);
        let head = self.here();
        let next = self.emit(Op::Next(0), id);
        let item = self.draft.depth;
        self.draft.slots.insert(local, item);
        self.draft.depth += 1;
        self.draft.open_loops += 1;
        self.expr(body, false);
        self.draft.open_loops -= 1;
        self.emit(Op::Collect, id);
        self.emit(Op::Again(head), id);
        self.land(next);
        self.emit(Op::Finish, id);
        self.emit(Op::Settle(start), id);
        self.draft.depth = start + 1;
    }

    /// One turn: leaves its value on top.
    fn turn(&mut self, id: ExprId, accumulator: Option<Slot>, item: Slot, body: &Body<'_>) {
        let depth = self.draft.depth;
        match body {
            Body::Inline(params, body) => {
                let slots = accumulator.into_iter().chain([item]);
                self.draft.slots.extend(params.iter().copied().zip(slots));
                self.draft.inline_returns.push(InlineReturn {
                    depth,
                    open_loops: self.draft.open_loops,
                    jumps: Vec::new(),
                });
                self.expr(*body, false);
                if let Some(returns) = self.draft.inline_returns.pop() {
                    for jump in returns.jumps {
                        self.land(jump);
                    }
                }
            }
            Body::Known(_) | Body::Value(_) => {
                if let Body::Value(slot) = body {
                    self.push(Op::Load(*slot), id);
                }
                let args = accumulator.into_iter().chain([item]);
                let count = args.clone().count() as u32;
                for slot in args {
                    self.push(Op::Take(slot), id);
                }
                match body {
                    Body::Known(decl) => self.call(*decl, count, id),
                    _ => {
                        self.emit(Op::Apply(count), id);
                    }
                }
            }
        }
        self.draft.depth = depth + 1;
    }
}
