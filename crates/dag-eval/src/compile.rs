//! From the typed core to flat code. Nothing here refuses a model: what the
//! checker should have refused becomes an operation that refuses when run.

use crate::code::{ClosureShape, Code, Op, PerformShape, Slot, Target, Unit};
use crate::liveness::{LastUses, free_locals, is_loop, last_uses};
use crate::refine::named_predicates;
use crate::sharing;
use crate::value::Value;
use dag_analysis::core::{
    BinaryOp, Body, Claim, DeclRef, Expr, ExprId, Intrinsic, Local, Module, Program, Run, TypeRef,
};
use dag_analysis::operation::Perform;
use dag_syntax::Symbol;
use rustc_hash::FxHashMap;

/// Levels of nesting that are walked on one stack.
const LEVELS: u32 = 128;
/// A stack that holds that many levels, also in a debug build.
const STACK: usize = 4 << 20;

/// Runs a step of a recursive walk, on a new stack every [`LEVELS`] levels: an
/// expression may nest deeper than the stack at hand allows.
pub(crate) fn deeper<T: Send>(
    walk: &mut T,
    depth: impl Fn(&mut T) -> &mut u32 + Send + Copy,
    step: impl FnOnce(&mut T) + Send,
) {
    *depth(walk) += 1;
    if depth(walk).is_multiple_of(LEVELS) {
        std::thread::scope(|scope| {
            let spawned = std::thread::Builder::new()
                .stack_size(STACK)
                .spawn_scoped(scope, || step(&mut *walk));
            if let Ok(Err(panic)) = spawned.map(|thread| thread.join()) {
                std::panic::resume_unwind(panic);
            }
        });
    } else {
        step(&mut *walk);
    }
    *depth(walk) -= 1;
}

/// Compiles a declaration.
pub(crate) fn compile(program: &Program, decl: DeclRef) -> Unit {
    let Some(mut compiler) = Compiler::of(program, decl) else {
        return Unit { codes: Vec::new() };
    };
    compiler.decl_body(false);
    compiler.finish()
}

/// Compiles a literal that lies in a declaration, with the predicates of the language that its
/// type asks for.
pub(crate) fn compile_claim(program: &Program, decl: DeclRef, claim: Claim) -> Option<Unit> {
    let mut compiler = Compiler::of(program, decl)?;
    compiler.expr(claim.literal, false);
    let index = compiler.draft.code.types.len() as u32;
    compiler.draft.code.types.push(claim.ty);
    compiler.emit(Op::Refine(index), claim.literal);
    compiler.emit(Op::Return, claim.literal);
    Some(compiler.finish())
}

/// Compiles a declaration whose body, after its `let`s, is a comparison: the
/// code gives a list of both sides instead of the verdict. Its lambdas have the
/// numbers that they have in the declaration's own code.
pub(crate) fn compile_sides(program: &Program, decl: DeclRef) -> Option<(BinaryOp, Unit)> {
    let mut compiler = Compiler::of(program, decl)?;
    let mut id = compiler.module.decls.get(decl.index as usize)?.body?;
    loop {
        match compiler.body.expr(id) {
            Expr::Let { body: rest, .. } | Expr::Then { second: rest, .. } => id = *rest,
            Expr::Return(value) => id = *value,
            Expr::Binary { op, .. } => {
                let op = *op;
                match op {
                    BinaryOp::Equal
                    | BinaryOp::NotEqual
                    | BinaryOp::Less
                    | BinaryOp::LessEqual
                    | BinaryOp::Greater
                    | BinaryOp::GreaterEqual => {}
                    _ => return None,
                }
                compiler.exposed = Some(id);
                compiler.decl_body(true);
                return Some((op, compiler.finish()));
            }
            _ => return None,
        }
    }
}

/// Where a `return` inside an inlined lambda goes.
pub(crate) struct InlineReturn {
    /// The depth below the lambda's value.
    pub(crate) depth: u32,
    /// How many `for` loops are open around the lambda.
    pub(crate) open_loops: u32,
    /// Jumps to its end.
    pub(crate) jumps: Vec<usize>,
}

/// The code that is being written.
pub(crate) struct Draft {
    pub(crate) code: Code,
    /// Values on the stack above the frame's base.
    pub(crate) depth: u32,
    pub(crate) slots: FxHashMap<Local, Slot>,
    pub(crate) last: LastUses,
    pub(crate) inline_returns: Vec<InlineReturn>,
    /// How many `for` loops are open.
    pub(crate) open_loops: u32,
    data: FxHashMap<DeclRef, u32>,
}

pub(crate) struct Compiler<'p> {
    pub(crate) program: &'p Program,
    pub(crate) module: &'p Module,
    pub(crate) body: &'p Body,
    decl: DeclRef,
    name: Symbol,
    /// Finished codes; a lambda's place is reserved before it is compiled.
    codes: Vec<Option<Code>>,
    pub(crate) draft: Draft,
    nesting: u32,
    /// The comparison whose sides are wanted.
    exposed: Option<ExprId>,
}

impl Draft {
    fn new(decl: DeclRef, name: Symbol, last: LastUses) -> Self {
        Self {
            code: Code {
                decl,
                name,
                params: 0,
                synthetic: false,
                ops: Vec::new(),
                places: Vec::new(),
                consts: Vec::new(),
                decls: Vec::new(),
                ahead: Vec::new(),
                ctors: Vec::new(),
                types: Vec::new(),
                predicates: Vec::new(),
                closures: Vec::new(),
                switches: Vec::new(),
                tests: Vec::new(),
                performs: Vec::new(),
            },
            depth: 0,
            slots: FxHashMap::default(),
            last,
            inline_returns: Vec::new(),
            open_loops: 0,
            data: FxHashMap::default(),
        }
    }
}

impl<'p> Compiler<'p> {
    fn of(program: &'p Program, decl: DeclRef) -> Option<Self> {
        let module: &Module = program.modules.get(decl.module.0 as usize)?;
        let name = module.decls.get(decl.index as usize)?.name;
        Some(Self {
            program,
            module,
            body: &module.body,
            decl,
            name,
            codes: vec![None],
            draft: Draft::new(decl, name, LastUses::default()),
            nesting: 0,
            exposed: None,
        })
    }

    fn decl_body(&mut self, exposed: bool) {
        let Some(decl) = self.module.decls.get(self.decl.index as usize) else {
            return;
        };
        let params = decl.params.len() as u32;
        self.draft.code.params = params;
        self.draft.depth = params;
        self.draft.slots = (0..params).map(|i| (Local(i), i)).collect();
        match (decl.body, decl.intrinsic) {
            (Some(body), _) => {
                self.draft.last = last_uses(self.body, body);
                self.expr(body, true);
            }
            (None, Some(op)) => {
                self.draft.code.synthetic = true;
                self.synthetic(op, params);
            }
            (None, None) => {
                self.emit(Op::Broken, ExprId(u32::MAX));
            }
        }
        debug_assert!(exposed == self.exposed.is_some());
    }

    /// The code of an engine's function as a value.
    fn synthetic(&mut self, op: Intrinsic, params: u32) {
        let nowhere = ExprId(u32::MAX);
        if let Some(walk) = op.as_walk() {
            self.push(Op::Take(0), nowhere);
            self.emit(Op::Intrinsic(walk.items), nowhere);
            self.emit(Op::Store(0), nowhere);
            self.draft.depth -= 1;
            self.looping_over_params(walk.walk, nowhere);
            if let Some(back) = walk.back {
                self.emit(Op::Intrinsic(back), nowhere);
            }
        } else if is_loop(op) {
            self.looping_over_params(op, nowhere);
        } else {
            for slot in 0..params {
                self.push(Op::Take(slot), nowhere);
            }
            self.emit(Op::Intrinsic(op), nowhere);
        }
        self.emit(Op::Return, nowhere);
    }

    fn finish(mut self) -> Unit {
        if let Some(first) = self.codes.first_mut() {
            *first = Some(self.draft.code);
        }
        Unit {
            codes: self.codes.into_iter().flatten().collect(),
        }
    }

    // Writing operations.

    /// Adds an operation; gives its place.
    pub(crate) fn emit(&mut self, op: Op, from: ExprId) -> usize {
        self.draft.code.ops.push(op);
        self.draft.code.places.push(from);
        self.draft.code.ops.len() - 1
    }

    /// Adds an operation that leaves one value more.
    pub(crate) fn push(&mut self, op: Op, from: ExprId) {
        self.emit(op, from);
        self.draft.depth += 1;
    }

    /// The place of the next operation.
    pub(crate) fn here(&self) -> Target {
        self.draft.code.ops.len() as Target
    }

    /// Lets a jump go to the next operation.
    pub(crate) fn land(&mut self, jump: usize) {
        let here = self.here();
        if let Some(
            Op::Jump(to)
            | Op::JumpIfFalse(to)
            | Op::JumpIfTrue(to)
            | Op::And(to)
            | Op::Or(to)
            | Op::Coalesce(to)
            | Op::Next(to),
        ) = self.draft.code.ops.get_mut(jump)
        {
            *to = here;
        }
    }

    fn constant(&mut self, value: Value, from: ExprId) {
        self.draft.code.consts.push(value);
        self.push(Op::Const(self.draft.code.consts.len() as u32 - 1), from);
    }

    pub(crate) fn call(&mut self, callee: DeclRef, args: u32, from: ExprId) {
        self.draft.code.decls.push(callee);
        self.emit(Op::Call(self.draft.code.decls.len() as u32 - 1), from);
        self.draft.depth = self.draft.depth + 1 - args;
    }

    /// Pushes a field of the record in a slot.
    pub(crate) fn field_of(&mut self, slot: Slot, index: u32, from: ExprId) {
        if let Ok(slot) = u16::try_from(slot) {
            self.push(Op::FieldOf { slot, index }, from);
        } else {
            self.push(Op::Load(slot), from);
            self.emit(Op::Field(index), from);
        }
    }

    /// The function that a name stands for; none for a `data` item.
    pub(crate) fn function(&self, id: ExprId) -> Option<DeclRef> {
        match self.body.expr(id) {
            Expr::Function(decl) => Some(*decl),
            _ => None,
        }
    }

    // Expressions.

    /// Names the `data` items of a list beforehand, if cores may want to share them.
    fn ahead(&mut self, items: Run, from: ExprId) {
        let data = |id: &ExprId| match self.body.expr(*id) {
            Expr::Data(decl) => Some(*decl),
            _ => None,
        };
        let named: Box<[DeclRef]> = self.body.operands(items).iter().filter_map(data).collect();
        if named.len() >= sharing::FEW {
            let index = self.draft.code.ahead.len() as u32;
            self.draft.code.ahead.push(named);
            self.emit(Op::Ahead(index), from);
        }
    }

    /// Pushes the operands of a run, from left to right.
    fn all(&mut self, run: Run) {
        for id in self.body.operands(run) {
            self.expr(*id, false);
        }
    }

    /// Writes an expression: it leaves its value on top, and in tail position
    /// returns it.
    pub(crate) fn expr(&mut self, id: ExprId, tail: bool) {
        deeper(self, |c| &mut c.nesting, |c| c.expr_here(id, tail));
    }

    fn expr_here(&mut self, id: ExprId, tail: bool) {
        let depth = self.draft.depth;
        match self.body.expr(id) {
            // These return by themselves in tail position.
            Expr::Let { .. } | Expr::Then { .. } => return self.block(id, tail),
            Expr::If {
                condition,
                then,
                otherwise,
            } => {
                return self.choice(id, [*condition, *then, *otherwise], tail);
            }
            Expr::Match { scrutinee, arms } => {
                return self.matching(id, *scrutinee, self.body.arms(*arms), tail);
            }
            Expr::Return(value) => return self.leave(id, *value, tail),

            Expr::For { local, items, body } => self.for_each(id, *local, *items, *body),
            Expr::Unit => self.push(Op::Unit, id),
            Expr::Bool(b) => self.push(Op::Bool(*b), id),
            Expr::Int(n) => match i32::try_from(*n) {
                Ok(n) => self.push(Op::Int(n), id),
                Err(_) => self.constant(Value::Int(*n), id),
            },
            Expr::Float(n) => self.constant(Value::Float(*n), id),
            Expr::Str(text) => self.constant(Value::text(text), id),
            Expr::Interpolate(run) => {
                self.all(*run);
                self.emit(Op::Interpolate(run.len), id);
            }
            Expr::Local(local) => self.local(id, *local),
            Expr::Data(decl) => {
                let table = &mut self.draft.code.decls;
                let index = *self.draft.data.entry(*decl).or_insert_with(|| {
                    table.push(*decl);
                    table.len() as u32 - 1
                });
                self.push(Op::Data(index), id);
            }
            Expr::Function(decl) => self.constant(Value::Function(*decl), id),
            Expr::Call { callee, args } => {
                self.all(*args);
                self.call(*callee, args.len, id);
            }
            Expr::Intrinsic { op, args } if is_loop(*op) => self.looping(id, *op, *args),
            Expr::Intrinsic { op, args } => self.intrinsic(id, *op, *args),
            Expr::Apply { function, args } => match self.function(*function) {
                Some(callee) => {
                    self.all(*args);
                    self.call(callee, args.len, id);
                }
                None => {
                    self.expr(*function, false);
                    self.all(*args);
                    self.emit(Op::Apply(args.len), id);
                }
            },
            Expr::Construct { ctor, fields } if fields.len == 0 => {
                self.constant(Value::data(*ctor, []), id);
            }
            Expr::Construct { ctor, fields } => {
                self.all(*fields);
                self.draft.code.ctors.push((*ctor, fields.len));
                self.emit(Op::Construct(self.draft.code.ctors.len() as u32 - 1), id);
            }
            Expr::Field { base, index } => match self.body.expr(*base) {
                // Read where it lies, unless the record is not read again.
                Expr::Local(local) if !self.draft.last.reads.contains(base) => {
                    match self.draft.slots.get(local) {
                        Some(slot) => self.field_of(*slot, *index, id),
                        None => self.push(Op::Broken, id),
                    }
                }
                _ => {
                    self.expr(*base, false);
                    self.emit(Op::Field(*index), id);
                }
            },
            Expr::List(run) => {
                self.ahead(*run, id);
                self.all(*run);
                self.emit(Op::List(run.len), id);
            }
            Expr::Lambda { params, body } => self.lambda(id, *params, *body),
            Expr::Not(value) => {
                self.expr(*value, false);
                self.emit(Op::Not, id);
            }
            Expr::Negate(value) => {
                self.expr(*value, false);
                self.emit(Op::Negate, id);
            }
            Expr::Binary { op, left, right } => {
                self.expr(*left, false);
                self.expr(*right, false);
                let op = match self.exposed == Some(id) {
                    true => Op::List(2),
                    false => Op::Binary(*op),
                };
                self.emit(op, id);
            }
            Expr::And(a, b) => self.either(id, Op::And(0), *a, *b),
            Expr::Or(a, b) => self.either(id, Op::Or(0), *a, *b),
            Expr::Coalesce(a, b) => self.either(id, Op::Coalesce(0), *a, *b),
            Expr::Refine { value, ty } => {
                self.expr(*value, false);
                self.draft.code.types.push(*ty);
                self.emit(Op::Refine(self.draft.code.types.len() as u32 - 1), id);
                let asked = match self.body.expr(*value) {
                    Expr::Refine { ty, .. } => named_predicates(self.program, *ty),
                    _ => Vec::new(),
                };
                self.ask_predicates(id, *ty, &asked);
            }
            Expr::Convert { value, to } => {
                self.expr(*value, false);
                self.emit(Op::Convert(*to), id);
            }
            Expr::Perform(perform) => self.perform(id, *perform),
            Expr::Invalid => self.push(Op::Broken, id),
        }
        self.draft.depth = depth + 1;
        if tail {
            self.emit(Op::Return, id);
        }
    }

    /// A request, and behind it the mock, which answers where nobody else does.
    fn perform(&mut self, id: ExprId, perform: Perform) {
        let depth = self.draft.depth;
        self.all(perform.parts);
        let index = self.draft.code.performs.len() as u32;
        self.draft.code.performs.push(PerformShape {
            module: self.module.id,
            operation: perform.operation,
            parts: perform.parts.len,
            end: 0,
        });
        self.emit(Op::Perform(index), id);
        self.draft.depth = depth;
        match perform.mock {
            Some(mock) => {
                self.expr(mock, false);
                self.emit(Op::Mocked(index), id);
            }
            None => self.push(Op::Broken, id),
        }
        let end = self.here();
        if let Some(shape) = self.draft.code.performs.get_mut(index as usize) {
            shape.end = end;
        }
    }

    fn local(&mut self, id: ExprId, local: Local) {
        let last = self.draft.last.reads.contains(&id);
        match self.draft.slots.get(&local) {
            Some(slot) if last => self.push(Op::Take(*slot), id),
            Some(slot) => self.push(Op::Load(*slot), id),
            None => self.push(Op::Broken, id),
        }
    }

    /// A run of `let`s and statements, which may be long.
    fn block(&mut self, id: ExprId, tail: bool) {
        let start = self.draft.depth;
        let mut last = id;
        loop {
            match self.body.expr(last) {
                Expr::Let { local, value, body } => {
                    self.expr(*value, false);
                    self.draft.slots.insert(*local, self.draft.depth - 1);
                    last = *body;
                }
                Expr::Then { first, second } => {
                    self.expr(*first, false);
                    self.emit(Op::Pop, *first);
                    self.draft.depth -= 1;
                    last = *second;
                }
                _ => break,
            }
        }
        let names = self.draft.depth - start;
        self.expr(last, tail);
        if !tail && names > 0 {
            self.emit(Op::Slide(names), id);
        }
        self.draft.depth = start + 1;
    }

    fn choice(&mut self, id: ExprId, [condition, then, otherwise]: [ExprId; 3], tail: bool) {
        self.expr(condition, false);
        let skip = self.emit(Op::JumpIfFalse(0), condition);
        self.draft.depth -= 1;
        let depth = self.draft.depth;
        self.expr(then, tail);
        let end = (!tail).then(|| self.emit(Op::Jump(0), id));
        self.draft.depth = depth;
        self.land(skip);
        self.expr(otherwise, tail);
        if let Some(end) = end {
            self.land(end);
        }
    }

    /// An operator whose right side may not be reached.
    fn either(&mut self, id: ExprId, stop: Op, a: ExprId, b: ExprId) {
        self.expr(a, false);
        let end = self.emit(stop, id);
        self.draft.depth -= 1;
        self.expr(b, false);
        self.land(end);
    }

    fn leave(&mut self, id: ExprId, value: ExprId, tail: bool) {
        let depth = self.draft.depth;
        let inlined = self.draft.inline_returns.last();
        let inlined = inlined.map(|end| (end.depth, end.open_loops));
        let open = self.draft.open_loops - inlined.map_or(0, |(_, outside)| outside);
        match inlined {
            None if open == 0 => self.expr(value, true),
            None => {
                self.expr(value, false);
                self.end_loops(open, id);
                self.emit(Op::Return, id);
            }
            Some((end, _)) => {
                self.expr(value, false);
                self.end_loops(open, id);
                self.emit(Op::Settle(end), id);
                let jump = self.emit(Op::Jump(0), id);
                if let Some(end) = self.draft.inline_returns.last_mut() {
                    end.jumps.push(jump);
                }
                debug_assert!(!tail, "an inlined body is no tail");
            }
        }
        // What follows is not reached, but is written as if it were.
        self.draft.depth = depth + 1;
    }

    /// Closes the `for` loops that a `return` leaves.
    fn end_loops(&mut self, open: u32, id: ExprId) {
        for _ in 0..open {
            self.emit(Op::End, id);
        }
    }

    /// Asks the functions that a type's predicates name about the value on top;
    /// not those that were asked when it entered a base.
    fn ask_predicates(&mut self, id: ExprId, ty: TypeRef, asked: &[DeclRef]) {
        let slot = self.draft.depth - 1;
        let mut predicates = named_predicates(self.program, ty);
        predicates.retain(|predicate| !asked.contains(predicate));
        for predicate in predicates {
            self.push(Op::Load(slot), id);
            self.call(predicate, 1, id);
            self.draft.code.predicates.push((ty, predicate));
            let index = self.draft.code.predicates.len() as u32 - 1;
            self.emit(Op::Holds(index), id);
            self.draft.depth -= 1;
        }
    }

    fn intrinsic(&mut self, id: ExprId, op: Intrinsic, args: Run) {
        // `concat(list, [item])` needs no second list.
        if op == Intrinsic::ListConcat
            && let [list, added] = self.body.operands(args)
            && let Expr::List(Run { start, len: 1 }) = self.body.expr(*added)
        {
            self.expr(*list, false);
            self.all(Run {
                start: *start,
                len: 1,
            });
            self.emit(Op::Intrinsic(Intrinsic::ListAppend), id);
            return;
        }
        self.all(args);
        self.emit(Op::Intrinsic(op), id);
    }

    fn lambda(&mut self, id: ExprId, params: Run, body: ExprId) {
        let params = self.body.lambda_params(params);
        let mut captures = free_locals(self.body, body);
        captures.retain(|local| !params.contains(local));
        for local in &captures {
            let last = self.draft.last.captures.contains(&(id, *local));
            match self.draft.slots.get(local) {
                Some(slot) if last => self.push(Op::Take(*slot), id),
                Some(slot) => self.push(Op::Load(*slot), id),
                None => self.push(Op::Broken, id),
            }
        }
        let number = self.codes.len() as u32;
        self.codes.push(None);
        self.draft.code.closures.push(ClosureShape {
            code: number,
            captures: captures.len() as u32,
        });
        self.emit(Op::Closure(self.draft.code.closures.len() as u32 - 1), id);

        let mut draft = Draft::new(self.decl, self.name, last_uses(self.body, body));
        draft.code.params = params.len() as u32;
        draft.slots = params.iter().chain(&captures).copied().zip(0..).collect();
        draft.depth = (params.len() + captures.len()) as u32;
        std::mem::swap(&mut self.draft, &mut draft);
        self.expr(body, true);
        std::mem::swap(&mut self.draft, &mut draft);
        if let Some(place) = self.codes.get_mut(number as usize) {
            *place = Some(draft.code);
        }
    }
}
