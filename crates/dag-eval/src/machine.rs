//! The machine: one stack of values, one of frames, one of loops, all on the
//! heap. It never calls itself, so a model's recursion costs no machine stack.
//!
//! A step is one operation; an operation over many items or bytes costs more
//! (see [`Machine::charge`]). A `data` item is evaluated on a budget of its own,
//! so that neither its value nor anybody's step count depends on who asked first.

use crate::arithmetic;
use crate::code::{Code, Key, Op, PerformShape, Slot, Table, Test, Turns, Unit};
use crate::display::write_value;
use crate::equality::{Incomparable, equal};
use crate::evaluator::{Evaluator, Limits, Memo};
use crate::heap::{self, Lender};
use crate::list::{Cursor, List};
use crate::operations::Operations;
use crate::refusal::{Fault, Refusal, Step, broken, fault, refuse, too_large};
use crate::sharing::{Calls, Role, Trial};
use crate::value::{Closure, Data, Value};
use dag_analysis::core::{BinaryOp, Conversion, DeclRef, ExprId};
use dag_syntax::{Code as Rule, Location};
use rustc_hash::FxHashSet;
use std::cmp::Ordering;
use std::sync::Arc;

/// A call under way.
pub(crate) struct Frame<'e> {
    pub(crate) code: &'e Code,
    /// The next operation.
    pub(crate) pc: u32,
    /// Where its values start on the stack.
    pub(crate) base: u32,
    /// Whether the function value lies below its arguments.
    pub(crate) applied: bool,
    /// Whether it evaluates a `data` item, whose value is kept.
    pub(crate) data: bool,
    /// Whether it is a call to be recalled.
    pub(crate) recalled: bool,
}

/// What an evaluation may use.
#[derive(Clone, Copy)]
pub(crate) struct Budget {
    /// Whom to name when it is used up.
    pub(crate) owner: DeclRef,
    /// Frames and values that lay there before; below zero by those that lie in another
    /// machine, which this one works for.
    pub(crate) frames: isize,
    pub(crate) values: isize,
    /// Loops that were under way before.
    pub(crate) loops: usize,
}

/// A loop under way.
pub(crate) struct Loop {
    pub(crate) items: Cursor,
    pub(crate) keeping: bool,
    /// The item of this turn, if it is kept.
    pub(crate) item: Value,
    pub(crate) result: Vec<Value>,
    pub(crate) keys: Vec<Value>,
    pub(crate) trial: Trial,
}

pub(crate) struct Machine<'e> {
    pub(crate) evaluator: &'e Evaluator,
    pub(crate) limits: Limits,
    pub(crate) operations: &'e dyn Operations,
    pub(crate) stack: Vec<Value>,
    pub(crate) frames: Vec<Frame<'e>>,
    pub(crate) frame: Frame<'e>,
    pub(crate) loops: Vec<Loop>,
    /// Steps left.
    pub(crate) fuel: u64,
    /// Bytes that may be built before what is alive is weighed.
    pub(crate) room: u64,
    /// Who lends room, if it is another machine's, and how much was borrowed.
    pub(crate) lender: Option<Lender>,
    pub(crate) borrowed: u64,
    pub(crate) budget: Budget,
    /// Budgets, steps left and room of those who wait for a `data` item.
    pub(crate) waiting: Vec<(Budget, u64, u64)>,
    pub(crate) running: FxHashSet<DeclRef>,
    pub(crate) role: Role,
    pub(crate) calls: Calls,
}

impl Loop {
    pub(crate) fn over(items: List, keeping: bool, trial: Trial) -> Self {
        Self {
            items: Cursor::new(items),
            keeping,
            item: Value::Unit,
            result: Vec::new(),
            keys: Vec::new(),
            trial,
        }
    }
}

/// Where evaluation starts.
pub(crate) enum Entry<'e> {
    /// A `data` item whose value is not known yet.
    Data(&'e Unit),
    /// A code and its arguments, then what it captured.
    Code(&'e Code, Vec<Value>),
}

/// Bytes or items that an operation handles for one step.
pub(crate) const PER_STEP: usize = 32;

impl<'e> Machine<'e> {
    /// Runs from an entry to its value or refusal; gives the steps taken, too.
    pub(crate) fn run(
        evaluator: &'e Evaluator,
        entry: Entry<'e>,
        operations: &'e dyn Operations,
    ) -> (Result<Value, Box<Refusal>>, u64) {
        let Some(mut machine) = Self::at(evaluator, entry, operations) else {
            return (Err(evaluator.nowhere("a `data` item without code")), 0);
        };
        let result = machine
            .execute()
            .map_err(|fault| Box::new(machine.unwind(*fault)));
        let steps = machine.spent();
        (result, steps)
    }

    /// A machine before its first step; none at a `data` item without code.
    pub(crate) fn at(
        evaluator: &'e Evaluator,
        entry: Entry<'e>,
        operations: &'e dyn Operations,
    ) -> Option<Self> {
        let (code, stack, data) = match entry {
            Entry::Code(code, stack) => (code, stack, false),
            Entry::Data(unit) => (unit.codes.first()?, Vec::new(), true),
        };
        let limits = *evaluator.limits();
        let mut machine = Self {
            evaluator,
            limits,
            operations,
            stack,
            frames: Vec::new(),
            frame: Frame {
                code,
                pc: 0,
                base: 0,
                applied: false,
                data,
                recalled: false,
            },
            loops: Vec::new(),
            fuel: limits.steps,
            room: limits.value_bytes as u64,
            lender: None,
            borrowed: 0,
            budget: Budget {
                owner: code.decl,
                frames: 0,
                values: 0,
                loops: 0,
            },
            waiting: Vec::new(),
            running: FxHashSet::default(),
            role: Role::of_this_thread(),
            calls: Calls::default(),
        };
        if data {
            machine.running.insert(code.decl);
        }
        Some(machine)
    }

    /// Steps taken on the budget at hand.
    fn spent(&self) -> u64 {
        self.limits.steps - self.fuel
    }

    /// The refusal of a fault, with the calls that led to it. `data` items on
    /// the way keep it.
    fn unwind(&mut self, fault: Fault) -> Refusal {
        // An engine's function used as a value has no text: blame its caller.
        while self.frame.code.synthetic
            && let Some(caller) = self.frames.pop()
        {
            self.frame = caller;
        }
        let mut refusal = match fault {
            Fault::Here(code, message) => Refusal::new(code, message, self.location()),
            Fault::Cured(code, message, cure) => Refusal {
                cure: Some(cure),
                ..Refusal::new(code, message, self.location())
            },
            Fault::Kept(refusal) => refusal,
        };
        loop {
            if self.frame.data {
                let memo = Memo {
                    result: Err(Box::new(refusal.clone())),
                    steps: self.spent(),
                };
                self.evaluator.keep(self.frame.code.decl, memo);
                self.leave_data();
            }
            let name = self.frame.code.name;
            let Some(caller) = self.frames.pop() else {
                return refusal;
            };
            self.frame = caller;
            refusal.called(name, self.location());
        }
    }

    /// The place of the operation under way.
    fn location(&self) -> Location {
        let code = self.frame.code;
        let place = code.places.get(self.frame.pc.saturating_sub(1) as usize);
        match place {
            Some(ExprId(u32::MAX)) | None => self.evaluator.declared_at(code.decl),
            Some(expr) => self.evaluator.program().location(code.decl.module, *expr),
        }
    }

    // The stack.

    pub(crate) fn push(&mut self, value: Value) {
        self.stack.push(value);
    }

    pub(crate) fn pop(&mut self) -> Step<Value> {
        self.stack.pop().ok_or_else(|| broken("an empty stack"))
    }

    fn pop_bool(&mut self) -> Step<bool> {
        match self.stack.last() {
            Some(Value::Bool(b)) => {
                let b = *b;
                self.stack.pop();
                Ok(b)
            }
            _ => Err(broken("a condition that is no Bool")),
        }
    }

    /// Pushes a copy of a slot's value, or the value itself.
    ///
    /// A number is copied part by part here and below: a processor that has just
    /// stored tag and number apart stalls when it loads both as one word.
    fn fetch(&mut self, slot: Slot, take: bool) -> Step<()> {
        let value = match self.slot_mut(slot)? {
            Value::Int(n) => {
                let n = *n;
                self.stack.push(Value::Int(n));
                return Ok(());
            }
            value if take => std::mem::replace(value, Value::Unit),
            value => value.clone(),
        };
        self.stack.push(value);
        Ok(())
    }

    /// The top `n` values, in the order of their pushing.
    fn pop_many(&mut self, n: u32) -> Step<std::vec::Drain<'_, Value>> {
        match self.stack.len().checked_sub(n as usize) {
            Some(start) => Ok(self.stack.drain(start..)),
            None => Err(broken("too few values")),
        }
    }

    fn slot(&self, slot: Slot) -> Step<&Value> {
        self.stack
            .get((self.frame.base + slot) as usize)
            .ok_or_else(|| broken("a slot past the stack"))
    }

    fn slot_mut(&mut self, slot: Slot) -> Step<&mut Value> {
        self.stack
            .get_mut((self.frame.base + slot) as usize)
            .ok_or_else(|| broken("a slot past the stack"))
    }

    fn take(&mut self, slot: Slot) -> Step<Value> {
        Ok(std::mem::replace(self.slot_mut(slot)?, Value::Unit))
    }

    // Limits.

    /// Takes the steps of an operation over that many items or bytes.
    pub(crate) fn charge(&mut self, amount: usize) -> Step<()> {
        match self.fuel.checked_sub((amount / PER_STEP) as u64) {
            Some(left) => {
                self.fuel = left;
                Ok(())
            }
            None => {
                self.fuel = 0;
                Err(self.out_of_fuel())
            }
        }
    }

    pub(crate) fn out_of_fuel(&self) -> Box<Fault> {
        let name = self.evaluator.qualified_name(self.budget.owner);
        let steps = self.limits.steps;
        fault(
            Rule::OutOfFuel,
            format!("`{name}` is not evaluated within {steps} steps"),
        )
    }

    pub(crate) fn check_items(&self, len: usize) -> Step<()> {
        match len > self.limits.list_items {
            true => Err(too_large("the length of a list", self.limits.list_items)),
            false => Ok(()),
        }
    }

    pub(crate) fn check_bytes(&self, len: usize) -> Step<()> {
        match len > self.limits.text_bytes {
            true => Err(too_large(
                "the size of a text in bytes",
                self.limits.text_bytes,
            )),
            false => Ok(()),
        }
    }

    pub(crate) fn compared<T>(&self, result: Result<T, Incomparable>) -> Step<T> {
        result.map_err(|why| match why {
            Incomparable::Fuel => self.out_of_fuel(),
            Incomparable::Float => broken("an equality that needs an order"),
            Incomparable::Function => fault(
                Rule::FunctionCompared,
                "the compared values hold a function",
            ),
        })
    }

    /// The display form of a value, added to a text.
    fn show(&mut self, value: &Value, out: &mut String) -> Step<()> {
        let before = out.len();
        let shown = write_value(self.evaluator.program(), value, self.limits.text_bytes, out);
        self.charge(out.len() - before)?;
        self.allocate(heap::text(out.len() - before))?;
        shown.or_else(|_| self.check_bytes(usize::MAX))
    }

    pub(crate) fn shown(&mut self, value: Value) -> Step<Value> {
        match value {
            Value::Str(_) => Ok(value),
            _ => {
                let mut out = String::new();
                self.show(&value, &mut out)?;
                Ok(Value::from(out))
            }
        }
    }

    // Calls.

    /// Enters a call, within the limits of depth.
    fn enter(&mut self, code: &'e Code, base: usize, applied: bool) -> Step<()> {
        let depth = self.frames.len().cast_signed() - self.budget.frames;
        if depth >= self.limits.calls.cast_signed() {
            return Err(too_large("the number of nested calls", self.limits.calls));
        }
        let values = self.stack.len().cast_signed() - self.budget.values;
        if values > self.limits.stack_values.cast_signed() {
            let limit = self.limits.stack_values;
            return Err(too_large("the number of values under evaluation", limit));
        }
        self.start(code, base, applied, false)
    }

    fn start(&mut self, code: &'e Code, base: usize, applied: bool, data: bool) -> Step<()> {
        let base = u32::try_from(base).map_err(|_| broken("a stack past 32 bits"))?;
        let callee = Frame {
            code,
            pc: 0,
            base,
            applied,
            data,
            recalled: false,
        };
        self.frames.push(std::mem::replace(&mut self.frame, callee));
        Ok(())
    }

    fn decl(&self, index: u32) -> Step<DeclRef> {
        let found = self.frame.code.decls.get(index as usize).copied();
        found.ok_or_else(|| broken("an unknown declaration"))
    }

    pub(crate) fn call(&mut self, decl: DeclRef) -> Step<()> {
        let code = self.evaluator.code(decl, 0)?;
        match self.stack.len().checked_sub(code.params as usize) {
            Some(base) => self.enter(code, base, false),
            None => Err(broken("too few arguments")),
        }
    }

    fn apply(&mut self, args: u32) -> Step<()> {
        let base = self.stack.len().saturating_sub(args as usize);
        let function = base.checked_sub(1).and_then(|at| self.stack.get_mut(at));
        let Some(function) = function else {
            return Err(broken("a call of nothing"));
        };
        let function = std::mem::replace(function, Value::Unit);
        let code = self.evaluator.callee(&function, args)?;
        if let Value::Closure(closure) = function {
            match Arc::try_unwrap(closure) {
                Ok(mut only) => self.stack.extend(std::mem::take(&mut only.captures)),
                Err(shared) => self.stack.extend_from_slice(&shared.captures),
            }
        }
        self.enter(code, base, true)
    }

    fn data(&mut self, decl: DeclRef) -> Step<()> {
        if let Some(memo) = self.evaluator.kept(decl) {
            return match &memo.result {
                Ok(value) => {
                    self.stack.push(value.clone());
                    Ok(())
                }
                Err(refusal) => {
                    let mut refusal = (**refusal).clone();
                    let name = self.evaluator.code(decl, 0)?.name;
                    refusal.called(name, self.location());
                    Err(Box::new(Fault::Kept(refusal)))
                }
            };
        }
        if !self.running.insert(decl) {
            let name = self.evaluator.qualified_name(decl);
            return refuse(Rule::DataCycle, format!("`{name}` depends on itself"));
        }
        let code = self.evaluator.code(decl, 0)?;
        // Its depth is its own: who asked first must not matter.
        self.start(code, self.stack.len(), false, true)?;
        self.waiting.push((self.budget, self.fuel, self.room));
        self.budget = Budget {
            owner: decl,
            frames: self.frames.len().cast_signed(),
            values: self.stack.len().cast_signed(),
            loops: self.loops.len(),
        };
        self.fuel = self.limits.steps;
        self.room = self.limits.value_bytes as u64;
        Ok(())
    }

    /// Gives those who waited for a `data` item their budget back.
    fn leave_data(&mut self) {
        self.running.remove(&self.frame.code.decl);
        if let Some((budget, fuel, room)) = self.waiting.pop() {
            self.budget = budget;
            self.fuel = fuel;
            self.room = room;
        }
    }

    /// Leaves a frame; gives the value if it was the outermost.
    fn leave(&mut self) -> Step<Option<Value>> {
        if let Some(Value::Int(n)) = self.stack.last()
            && !self.frame.data
            && !self.frame.recalled
            && let Some(caller) = self.frames.pop()
        {
            let n = *n;
            let base = self.frame.base as usize - usize::from(self.frame.applied);
            self.stack.truncate(base);
            self.stack.push(Value::Int(n));
            self.frame = caller;
            return Ok(None);
        }
        let mut value = self.pop()?;
        let base = self.frame.base as usize - usize::from(self.frame.applied);
        self.stack.truncate(base);
        if self.frame.recalled {
            self.has_called(&value);
        }
        if self.frame.data {
            let memo = Memo {
                result: Ok(value),
                steps: self.spent(),
            };
            value = match &self.evaluator.keep(self.frame.code.decl, memo).result {
                Ok(kept) => kept.clone(),
                Err(_) => return Err(broken("a `data` item with two outcomes")),
            };
            self.leave_data();
        }
        match self.frames.pop() {
            Some(caller) => {
                self.frame = caller;
                self.stack.push(value);
                Ok(None)
            }
            None => Ok(Some(value)),
        }
    }

    // Operations.

    pub(crate) fn execute(&mut self) -> Step<Value> {
        loop {
            let Some(op) = self.frame.code.ops.get(self.frame.pc as usize).copied() else {
                return Err(broken("code without an end"));
            };
            self.frame.pc += 1;
            match self.fuel.checked_sub(1) {
                Some(left) => self.fuel = left,
                None => return Err(self.out_of_fuel()),
            }
            match op {
                Op::Const(index) => {
                    let Some(value) = self.frame.code.consts.get(index as usize) else {
                        return Err(broken("an unknown constant"));
                    };
                    self.stack.push(value.clone());
                }
                Op::Int(n) => self.stack.push(Value::Int(i64::from(n))),
                Op::Bool(b) => self.stack.push(Value::Bool(b)),
                Op::Unit => self.stack.push(Value::Unit),
                Op::Load(slot) => self.fetch(slot, false)?,
                Op::Take(slot) => self.fetch(slot, true)?,
                Op::Store(slot) => {
                    if let Some(Value::Int(n)) = self.stack.last() {
                        let n = *n;
                        *self.slot_mut(slot)? = Value::Int(n);
                        self.stack.pop();
                    } else {
                        let value = self.pop()?;
                        *self.slot_mut(slot)? = value;
                    }
                }
                Op::Pop => drop(self.pop()?),
                Op::Truncate(n) => self.stack.truncate((self.frame.base + n) as usize),
                Op::Slide(n) => {
                    let top = self.pop()?;
                    let left = self.stack.len().saturating_sub(n as usize);
                    self.stack.truncate(left);
                    self.stack.push(top);
                }
                Op::Settle(n) => {
                    let top = self.pop()?;
                    self.stack.truncate((self.frame.base + n) as usize);
                    self.stack.push(top);
                }
                Op::Data(index) => self.data(self.decl(index)?)?,
                Op::Ahead(index) => {
                    self.fuel += 1;
                    self.share_data(index);
                }
                Op::Call(index) => {
                    let decl = self.decl(index)?;
                    if !(self.calls.are_recalled && self.recall_call(decl)?) {
                        self.call(decl)?;
                    }
                }
                Op::Apply(args) => self.apply(args)?,
                Op::Return => {
                    if let Some(value) = self.leave()? {
                        return Ok(value);
                    }
                }
                Op::Construct(index) => {
                    let Some((ctor, len)) = self.frame.code.ctors.get(index as usize).copied()
                    else {
                        return Err(broken("an unknown constructor"));
                    };
                    self.allocate(heap::record(len as usize))?;
                    let fields: Box<[Value]> = self.pop_many(len)?.collect();
                    self.stack.push(Value::data(ctor, fields));
                }
                Op::Field(index) => {
                    let field = match self.pop()? {
                        Value::Data(data) => take_field(data, index),
                        _ => None,
                    };
                    self.stack
                        .push(field.ok_or_else(|| broken("an unknown field"))?);
                }
                Op::FieldOf { slot, index } => {
                    let field = match self.slot(u32::from(slot))? {
                        Value::Data(data) => data.fields.get(index as usize).cloned(),
                        _ => None,
                    };
                    self.stack
                        .push(field.ok_or_else(|| broken("an unknown field"))?);
                }
                Op::List(len) => {
                    self.allocate(heap::list(len as usize))?;
                    let items: Vec<Value> = self.pop_many(len)?.collect();
                    self.stack.push(Value::List(items.into()));
                }
                Op::Closure(index) => self.closure(index)?,
                Op::Jump(to) => self.frame.pc = to,
                Op::JumpIfFalse(to) => {
                    if !self.pop_bool()? {
                        self.frame.pc = to;
                    }
                }
                Op::JumpIfTrue(to) => {
                    if self.pop_bool()? {
                        self.frame.pc = to;
                    }
                }
                Op::And(to) => {
                    if !self.pop_bool()? {
                        self.stack.push(Value::Bool(false));
                        self.frame.pc = to;
                    }
                }
                Op::Or(to) => {
                    if self.pop_bool()? {
                        self.stack.push(Value::Bool(true));
                        self.frame.pc = to;
                    }
                }
                Op::Coalesce(to) => {
                    if let Some(value) = present(self.pop()?)? {
                        self.stack.push(value);
                        self.frame.pc = to;
                    }
                }
                Op::Switch(index) => self.switch(index)?,
                Op::Test(index) => {
                    let Some(test) = self.frame.code.tests.get(index as usize) else {
                        return Err(broken("an unknown test"));
                    };
                    if let Key::Str(text) = &test.key {
                        self.charge(text.len())?;
                    }
                    if !fits(test, self.slot(test.slot)?) {
                        self.frame.pc = test.otherwise;
                    }
                }
                Op::Not => {
                    let value = self.pop_bool()?;
                    self.stack.push(Value::Bool(!value));
                }
                Op::Negate => {
                    let value = match self.pop()? {
                        Value::Int(n) => Value::Int(n.checked_neg().ok_or_else(|| {
                            fault(
                                Rule::Overflow,
                                format!("-({n}) does not fit in 64 bits, signed"),
                            )
                        })?),
                        Value::Float(n) => Value::Float(-n),
                        _ => return Err(broken("a minus before no number")),
                    };
                    self.stack.push(value);
                }
                Op::Binary(op) => self.binary(op)?,
                Op::Refine(index) => self.refine(index)?,
                Op::Holds(index) => self.holds(index)?,
                Op::Convert(to) => {
                    let value = self.pop()?;
                    let value = match (to, value) {
                        (Conversion::ToText, value) => self.shown(value)?,
                        (Conversion::IntToFloat, Value::Int(n)) => {
                            Value::Float(arithmetic::to_float(n)?)
                        }
                        (Conversion::FloatToInt, Value::Float(n)) => {
                            Value::Int(arithmetic::to_int(n)?)
                        }
                        _ => return Err(broken("a conversion of another type")),
                    };
                    self.stack.push(value);
                }
                Op::Interpolate(parts) => self.interpolate(parts)?,
                Op::Intrinsic(op) => self.intrinsic(op)?,
                Op::Begin(slot, turns) => self.begin(slot, turns)?,
                Op::Next(end) => {
                    if self.turn()?.trial.is_over() {
                        self.share();
                    }
                    let turn = self.turn()?;
                    match turn.items.next() {
                        Some(item) => {
                            if turn.keeping {
                                turn.item = item.clone();
                            }
                            self.stack.push(item);
                        }
                        None if self.ends_here() => return Ok(Value::Unit),
                        None => self.frame.pc = end,
                    }
                }
                Op::Again(head) => {
                    drop(self.pop()?);
                    self.frame.pc = head;
                }
                Op::Collect => {
                    self.allocate(heap::COLLECTED)?;
                    let value = self.pop()?;
                    self.turn()?.result.push(value);
                }
                Op::CollectIf => {
                    self.allocate(heap::COLLECTED)?;
                    let wanted = self.pop_bool()?;
                    let turn = self.turn()?;
                    let item = std::mem::replace(&mut turn.item, Value::Unit);
                    if wanted {
                        turn.result.push(item);
                    }
                }
                Op::CollectPresent => {
                    self.allocate(heap::COLLECTED)?;
                    let value = present(self.pop()?)?;
                    self.turn()?.result.extend(value);
                }
                Op::CollectAll => match self.pop()? {
                    Value::List(items) => {
                        self.charge(items.len())?;
                        self.allocate(heap::COLLECTED.saturating_mul(items.len()))?;
                        let turn = self.turn()?;
                        turn.result.extend(items.iter().cloned());
                        let len = turn.result.len();
                        self.check_items(len)?;
                    }
                    _ => return Err(broken("a flat map without lists")),
                },
                Op::CollectKey => {
                    self.allocate(2 * heap::COLLECTED)?;
                    let key = self.pop()?;
                    let turn = self.turn()?;
                    turn.keys.push(key);
                    turn.result
                        .push(std::mem::replace(&mut turn.item, Value::Unit));
                }
                Op::End => drop(self.close()?),
                Op::Finish => {
                    let len = self.turn()?.result.len();
                    self.allocate(heap::list(len))?;
                    let result = self.close()?.result;
                    self.stack.push(Value::List(result.into()));
                }
                Op::Perform(index) => {
                    let shape = self.asked(index)?;
                    let operation = self.operation(shape.module, shape.operation)?;
                    let parts = self.pop_many(shape.parts)?.collect();
                    if let Some(value) = self.perform(operation, parts)? {
                        self.stack.push(value);
                        self.frame.pc = shape.end;
                    }
                }
                Op::Mocked(index) => {
                    let shape = self.asked(index)?;
                    let operation = self.operation(shape.module, shape.operation)?;
                    let rows = self.pop()?;
                    let value = self.mocked(operation, rows)?;
                    self.stack.push(value);
                }
                Op::FinishKeyed(op) => {
                    // Pairs of keys and items to be sorted, and lists of them.
                    let len = self.turn()?.result.len();
                    self.allocate(heap::list(len).saturating_mul(4))?;
                    let Loop { result, keys, .. } = self.close()?;
                    let value = self.keyed(op, keys, result)?;
                    self.stack.push(value);
                }
                Op::FinishFound(found) => {
                    let item = self.close()?.item;
                    let value = self.optional(found.then_some(item))?;
                    self.stack.push(value);
                }
                Op::NoArm => return Err(broken("a match without an arm for this value")),
                Op::Broken => return Err(broken("an expression that was not checked")),
            }
        }
    }

    fn asked(&self, index: u32) -> Step<PerformShape> {
        let shape = self.frame.code.performs.get(index as usize).copied();
        shape.ok_or_else(|| broken("an unknown request"))
    }

    fn closure(&mut self, index: u32) -> Step<()> {
        let code = self.frame.code;
        let Some(shape) = code.closures.get(index as usize).copied() else {
            return Err(broken("an unknown lambda"));
        };
        self.allocate(heap::record(shape.captures as usize))?;
        let captures = self.pop_many(shape.captures)?.collect();
        self.stack.push(Value::Closure(Arc::new(Closure {
            decl: code.decl,
            code: shape.code,
            captures,
        })));
        Ok(())
    }

    fn switch(&mut self, index: u32) -> Step<()> {
        let Some(switch) = self.frame.code.switches.get(index as usize) else {
            return Err(broken("an unknown switch"));
        };
        if let (Table::Strs(_), Value::Str(text)) = (&switch.table, self.slot(switch.slot)?) {
            // It is read whole.
            self.charge(text.len())?;
        }
        let target = match (&switch.table, self.slot(switch.slot)?) {
            (Table::Tags(tags), Value::Data(data)) => {
                tags.get(data.ctor.variant as usize).copied().flatten()
            }
            (Table::Tags(tags), Value::Bool(b)) => tags.get(usize::from(*b)).copied().flatten(),
            (Table::Ints(ints), Value::Int(n)) => ints.get(n).copied(),
            (Table::Strs(strs), Value::Str(text)) => strs.get(text.as_str()).copied(),
            _ => return Err(broken("a pattern of another type")),
        };
        self.frame.pc = target.unwrap_or(switch.otherwise);
        Ok(())
    }

    fn binary(&mut self, op: BinaryOp) -> Step<()> {
        if let [.., left, Value::Int(b)] = self.stack.as_mut_slice()
            && let Value::Int(a) = left
        {
            let (x, y) = (*a, *b);
            match op {
                BinaryOp::Equal => *left = Value::Bool(x == y),
                BinaryOp::NotEqual => *left = Value::Bool(x != y),
                BinaryOp::Less => *left = Value::Bool(x < y),
                BinaryOp::LessEqual => *left = Value::Bool(x <= y),
                BinaryOp::Greater => *left = Value::Bool(x > y),
                BinaryOp::GreaterEqual => *left = Value::Bool(x >= y),
                _ => *a = arithmetic::int(op, x, y)?,
            }
            self.stack.pop();
            return Ok(());
        }
        let (right, left) = (self.pop()?, self.pop()?);
        let value = match op {
            BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Multiply
            | BinaryOp::Divide
            | BinaryOp::Remainder => match (left, right) {
                (Value::Float(a), Value::Float(b)) => Value::Float(arithmetic::float(op, a, b)?),
                (left, right) if op == BinaryOp::Add => self.concat(left, right)?,
                _ => return Err(broken("arithmetic on no numbers")),
            },
            BinaryOp::Equal => Value::Bool(self.equal(&left, &right)?),
            BinaryOp::NotEqual => Value::Bool(!self.equal(&left, &right)?),
            BinaryOp::Less => Value::Bool(self.order(&left, &right)?.is_lt()),
            BinaryOp::LessEqual => Value::Bool(self.order(&left, &right)?.is_le()),
            BinaryOp::Greater => Value::Bool(self.order(&left, &right)?.is_gt()),
            BinaryOp::GreaterEqual => Value::Bool(self.order(&left, &right)?.is_ge()),
        };
        self.stack.push(value);
        Ok(())
    }

    pub(crate) fn equal(&mut self, left: &Value, right: &Value) -> Step<bool> {
        // The steps of small comparisons are in the operation itself.
        let mut fuel = self.fuel.saturating_add(1);
        let result = equal(left, right, &mut fuel);
        self.fuel = fuel.min(self.fuel);
        self.compared(result)
    }

    /// Which of two numbers or texts comes first.
    fn order(&mut self, a: &Value, b: &Value) -> Step<Ordering> {
        match (a, b) {
            (Value::Int(a), Value::Int(b)) => Ok(a.cmp(b)),
            // Bytes of UTF-8 are in the order of the scalar values.
            (Value::Str(a), Value::Str(b)) => {
                self.charge(a.len().min(b.len()))?;
                Ok(a.as_str().cmp(b.as_str()))
            }
            (Value::Float(a), Value::Float(b)) => a
                .partial_cmp(b)
                .ok_or_else(|| broken("a float that is no number")),
            _ => Err(broken("an order of no numbers or texts")),
        }
    }

    /// One text or list after the other.
    pub(crate) fn concat(&mut self, left: Value, right: Value) -> Step<Value> {
        match (left, right) {
            (Value::Str(mut a), Value::Str(b)) => {
                self.check_bytes(a.len().saturating_add(b.len()))?;
                // A copy of `a` may be saved, but steps do not depend on sharing:
                // it costs little, never nothing.
                self.charge(b.len() + a.len() / 128)?;
                self.allocate(heap::text(a.len() + b.len()))?;
                a.push_str(&b);
                Ok(Value::Str(a))
            }
            (Value::List(a), Value::List(b)) => {
                self.check_items(a.len().saturating_add(b.len()))?;
                self.allocate(heap::edit(a.len().max(b.len())))?;
                Ok(Value::List(a.concat(b)))
            }
            _ => Err(broken("a concatenation of no texts or lists")),
        }
    }

    fn refine(&mut self, index: u32) -> Step<()> {
        let Some(ty) = self.frame.code.types.get(index as usize).copied() else {
            return Err(broken("an unknown type"));
        };
        let value = self.pop()?;
        let refinement = self.evaluator.refinement(ty);
        self.charge(refinement.cost(&value))?;
        refinement.check(self.evaluator.program(), &value)?;
        self.stack.push(value);
        Ok(())
    }

    fn holds(&mut self, index: u32) -> Step<()> {
        if self.pop_bool()? {
            return Ok(());
        }
        let (Some((ty, predicate)), Some(value)) = (
            self.frame.code.predicates.get(index as usize),
            self.stack.last(),
        ) else {
            return Err(broken("an unknown predicate"));
        };
        let refinement = self.evaluator.refinement(*ty);
        let message = refinement.denied(self.evaluator.program(), value, *predicate);
        refuse(Rule::RefinementRefused, message)
    }

    fn interpolate(&mut self, parts: u32) -> Step<()> {
        let parts: Vec<Value> = self.pop_many(parts)?.collect();
        let mut out = String::new();
        for part in &parts {
            self.show(part, &mut out)?;
            self.check_bytes(out.len())?;
        }
        self.stack.push(Value::from(out));
        Ok(())
    }

    // Loops.

    fn begin(&mut self, slot: Slot, turns: Turns) -> Step<()> {
        let Value::List(items) = self.take(slot)? else {
            return Err(broken("a loop over no list"));
        };
        let trial = self.trial(turns, items.len());
        self.loops.push(Loop::over(items, turns.keeping, trial));
        Ok(())
    }

    fn turn(&mut self) -> Step<&mut Loop> {
        self.loops.last_mut().ok_or_else(|| broken("no loop"))
    }

    fn close(&mut self) -> Step<Loop> {
        self.loops.pop().ok_or_else(|| broken("no loop"))
    }
}

/// What sorting that many items costs.
pub(crate) fn sorting(len: usize) -> usize {
    len.saturating_mul(len.checked_ilog2().unwrap_or(0) as usize + 1)
}

/// A field of a record, moved out if nobody else holds the record.
fn take_field(mut data: Arc<Data>, index: u32) -> Option<Value> {
    match Arc::get_mut(&mut data) {
        Some(only) => {
            let field = only.fields.get_mut(index as usize)?;
            Some(std::mem::replace(field, Value::Unit))
        }
        None => data.fields.get(index as usize).cloned(),
    }
}

/// What an optional holds.
pub(crate) fn present(optional: Value) -> Step<Option<Value>> {
    match optional {
        Value::Data(data) if data.ctor.variant == 0 => match take_field(data, 0) {
            Some(value) => Ok(Some(value)),
            None => Err(broken("a present optional without a value")),
        },
        Value::Data(_) => Ok(None),
        _ => Err(broken("no optional")),
    }
}

fn fits(test: &Test, value: &Value) -> bool {
    match (&test.key, value) {
        (Key::Tag(tag), Value::Data(data)) => data.ctor.variant == *tag,
        (Key::Tag(tag), Value::Bool(b)) => u32::from(*b) == *tag,
        (Key::Int(n), Value::Int(value)) => n == value,
        (Key::Str(text), Value::Str(value)) => **text == **value,
        _ => false,
    }
}
