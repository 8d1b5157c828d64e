//! The evaluation form: flat code for a machine with one stack. A local name is
//! a place on that stack, counted from the frame's base: arguments first, then
//! what a lambda captured, then everything pushed since.

use crate::value::Value;
use dag_analysis::core::{
    BinaryOp, Conversion, Ctor, DeclRef, ExprId, Intrinsic, ModuleId, TypeRef,
};
use dag_syntax::Symbol;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A place on the stack, from the frame's base.
pub(crate) type Slot = u32;
/// An index in [`Code::ops`].
pub(crate) type Target = u32;

/// How the turns of a loop are to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Turns {
    /// Each item is also kept until its turn ends.
    pub(crate) keeping: bool,
    /// No turn needs what another one leaves, and none ends the loop: cores may share them.
    pub(crate) independent: bool,
}

/// One operation. Operands that do not fit lie in a table of the [`Code`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    /// Pushes a constant.
    Const(u32),
    Int(i32),
    Bool(bool),
    Unit,
    /// Pushes a copy of a slot.
    Load(Slot),
    /// Pushes a slot's value, which nobody reads again.
    Take(Slot),
    /// Pops into a slot.
    Store(Slot),
    Pop,
    /// Drops values above the frame's first `n`.
    Truncate(u32),
    /// Drops `n` values below the top one.
    Slide(u32),
    /// Keeps the frame's first `n` values and the top one.
    Settle(u32),
    /// Pushes the value of a `data` item, evaluating it if nobody has.
    Data(u32),
    /// Says that the `data` items of `ahead[i]` are read next, all of them. No step.
    Ahead(u32),
    /// Calls `decls[i]` with the values on top.
    Call(u32),
    /// Calls the function below `n` arguments.
    Apply(u32),
    Return,
    /// Pops the fields of `ctors[i]`, pushes the record.
    Construct(u32),
    /// Replaces a record by its field.
    Field(u32),
    /// Pushes a field of the record in a slot.
    FieldOf {
        slot: u16,
        index: u32,
    },
    /// Pops `n` items, pushes the list.
    List(u32),
    /// Pops what `closures[i]` captures, pushes the lambda.
    Closure(u32),
    Jump(Target),
    JumpIfFalse(Target),
    JumpIfTrue(Target),
    /// `&&`: jumps with the value if false, drops it otherwise.
    And(Target),
    /// `||`: jumps with the value if true, drops it otherwise.
    Or(Target),
    /// `??`: jumps with the optional's value if present, drops it otherwise.
    Coalesce(Target),
    /// Jumps by `switches[i]`.
    Switch(u32),
    /// Jumps unless `tests[i]` holds.
    Test(u32),
    Not,
    Negate,
    Binary(BinaryOp),
    Refine(u32),
    /// Pops a truth value: refuses the value below it unless it is true, by
    /// `predicates[i]`.
    Holds(u32),
    Convert(Conversion),
    /// Pops `n` parts, pushes their text.
    Interpolate(u32),
    /// Pops the arguments of an engine's function, pushes its result.
    Intrinsic(Intrinsic),
    /// Opens a loop over the list in a slot, which is taken.
    Begin(Slot, Turns),
    /// Pushes the loop's next item, or jumps.
    Next(Target),
    /// Pops the item, or what is left of it, and jumps back to the loop's head.
    Again(Target),
    /// Pops a value into the loop's result.
    Collect,
    /// Pops a truth value: whether the kept item goes into the result.
    CollectIf,
    /// Pops an optional: what it holds goes into the result.
    CollectPresent,
    /// Pops a list, whose items go into the result.
    CollectAll,
    /// Pops the kept item's key.
    CollectKey,
    /// Closes the loop.
    End,
    /// Closes the loop and pushes its result.
    Finish,
    /// Pops the parts of `performs[i]` and asks for the operation: jumps with its
    /// value, or goes on to its mock.
    Perform(u32),
    /// Pops the rows of the mock of `performs[i]`, pushes what one gives.
    Mocked(u32),
    /// Closes the loop and pushes what its function makes of the items and keys.
    FinishKeyed(Intrinsic),
    /// Closes the loop and pushes the kept item, or that there is none.
    FinishFound(bool),
    /// No arm took the value: the checker let a hole through.
    NoArm,
    /// What the checker should not have let through.
    Broken,
}

/// The first token of a pattern that can be jumped by.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Key {
    /// A constructor's number, or a truth value.
    Tag(u32),
    Int(i64),
    Str(Arc<str>),
}

/// A test of one slot.
#[derive(Debug)]
pub(crate) struct Test {
    pub(crate) slot: Slot,
    pub(crate) key: Key,
    pub(crate) otherwise: Target,
}

/// Where to go on, by the value of a slot.
#[derive(Debug)]
pub(crate) struct Switch {
    pub(crate) slot: Slot,
    pub(crate) table: Table,
    pub(crate) otherwise: Target,
}

/// Targets by key.
#[derive(Debug)]
pub(crate) enum Table {
    /// By constructor or truth value; a gap goes to `otherwise`.
    Tags(Vec<Option<Target>>),
    Ints(FxHashMap<i64, Target>),
    Strs(FxHashMap<Arc<str>, Target>),
}

/// What a `Closure` operation makes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClosureShape {
    /// The lambda's number among the codes of the declaration.
    pub(crate) code: u32,
    pub(crate) captures: u32,
}

/// What a `Perform` operation asks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PerformShape {
    pub(crate) module: ModuleId,
    /// Its index among the module's operations.
    pub(crate) operation: u32,
    pub(crate) parts: u32,
    /// Where it goes on with a value.
    pub(crate) end: Target,
}

/// The code of a function body, a lambda or a `data` initializer.
#[derive(Debug)]
pub(crate) struct Code {
    pub(crate) decl: DeclRef,
    /// Its declaration's name, for stacks.
    pub(crate) name: Symbol,
    /// Arguments it takes.
    pub(crate) params: u32,
    /// Whether it is an engine's function used as a value, without a text.
    pub(crate) synthetic: bool,
    pub(crate) ops: Vec<Op>,
    /// The expression that each operation comes from.
    pub(crate) places: Vec<ExprId>,
    pub(crate) consts: Vec<Value>,
    pub(crate) decls: Vec<DeclRef>,
    pub(crate) ahead: Vec<Box<[DeclRef]>>,
    pub(crate) ctors: Vec<(Ctor, u32)>,
    pub(crate) types: Vec<TypeRef>,
    /// Functions that predicates name, and the types whose predicates they are.
    pub(crate) predicates: Vec<(TypeRef, DeclRef)>,
    pub(crate) closures: Vec<ClosureShape>,
    pub(crate) switches: Vec<Switch>,
    pub(crate) tests: Vec<Test>,
    pub(crate) performs: Vec<PerformShape>,
}

/// The code of a declaration and of the lambdas in it.
#[derive(Debug)]
pub(crate) struct Unit {
    /// The declaration's own code first.
    pub(crate) codes: Vec<Code>,
}

#[cfg(test)]
mod tests {
    #[test]
    fn an_operation_is_one_word() {
        assert_eq!(size_of::<super::Op>(), 8);
    }
}
