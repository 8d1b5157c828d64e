//! The public door: a program, what has been compiled and computed of it so
//! far, and the ways to ask for a value.

use crate::code::{Code, Unit};
use crate::compile::{compile, compile_sides};
use crate::machine::{Entry, Machine};
use crate::operations::{Hermetic, Operations};
use crate::recall::{Recall, Recollection};
use crate::refine::Refinement;
use crate::refusal::{Refusal, Step, broken, fault};
use crate::value::Value;
use dag_analysis::core::{BinaryOp, Decl, DeclRef, ModuleId, Program, TypeRef};
use dag_analysis::{Digest, Kernel};
use dag_syntax::{Code as Rule, Location, SourceId, Span};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// What one evaluation may use. A `data` item is evaluated on limits of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Steps: one an operation, more for operations over many items or bytes.
    pub steps: u64,
    /// Bytes of one text.
    pub text_bytes: usize,
    /// Items of one list.
    pub list_items: usize,
    /// Bytes of all values that are held at once; what two places share counts once, and
    /// a text counts twice, since it may have grown in place.
    pub value_bytes: usize,
    /// Calls under way at once.
    pub calls: usize,
    /// Values on the machine's stack.
    pub stack_values: usize,
    /// Steps that are worth to be shared by all cores; no result depends on it.
    pub shared_steps: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: 500_000_000,
            text_bytes: 256 << 20,
            list_items: 50_000_000,
            value_bytes: 2 << 30,
            calls: 10_000_000,
            stack_values: 100_000_000,
            shared_steps: 50_000,
        }
    }
}

/// A value and what it cost.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The value.
    pub value: Value,
    /// Steps taken, without those of other `data` items: the same whoever
    /// evaluated those first.
    pub steps: u64,
}

/// The outcome of a `data` item, kept.
#[derive(Debug)]
pub(crate) struct Memo {
    pub(crate) result: Result<Value, Box<Refusal>>,
    pub(crate) steps: u64,
}

#[derive(Default)]
struct DeclSlot {
    unit: OnceLock<Box<Unit>>,
    memo: OnceLock<Box<Memo>>,
}

/// What is known of a module so far.
struct ModuleSlots {
    decls: Box<[DeclSlot]>,
    types: Box<[OnceLock<Box<Refinement>>]>,
}

/// Evaluates a program. Shared by threads; each declaration is compiled on
/// first use and each `data` item evaluated at most once to a kept outcome.
pub struct Evaluator {
    program: Arc<Program>,
    kernel: Option<Kernel>,
    limits: Limits,
    operations: Arc<dyn Operations>,
    shared_loops: AtomicU64,
    shared_lists: AtomicU64,
    recall: Option<Recall>,
    modules: Box<[OnceLock<ModuleSlots>]>,
}

impl Evaluator {
    /// For that program, with the usual limits.
    #[must_use]
    pub fn new(program: Arc<Program>) -> Self {
        Self::with_limits(program, Limits::default())
    }

    /// For that program, with these limits.
    #[must_use]
    pub fn with_limits(program: Arc<Program>, limits: Limits) -> Self {
        let kernel = program.module_named(Kernel::MODULE).and_then(Kernel::of);
        let modules = (0..program.modules.len())
            .map(|_| OnceLock::new())
            .collect();
        Self {
            program,
            kernel,
            limits,
            operations: Arc::new(Hermetic),
            shared_loops: AtomicU64::new(0),
            shared_lists: AtomicU64::new(0),
            recall: None,
            modules,
        }
    }

    /// The same, with operations answered by these instead of by their mocks. A
    /// witness asks the mocks nevertheless.
    #[must_use]
    pub fn with_operations(mut self, operations: Arc<dyn Operations>) -> Self {
        self.operations = operations;
        self
    }

    /// The same, taking from a recollection what earlier runs came to, and leaving there what
    /// is new. A module is told from others, and from itself before an edit, by the digest
    /// of all that it may reach: those of the program's modules, in their order. The earlier
    /// runs had the same limits.
    #[must_use]
    pub fn recalling(mut self, past: Arc<Recollection>, reaches: Vec<Digest>) -> Self {
        self.recall = Some(Recall::new(past, reaches));
        self
    }

    pub(crate) fn recall(&self) -> Option<&Recall> {
        self.recall.as_ref()
    }

    /// The program.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// The program, to share.
    #[must_use]
    pub fn shared_program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The limits of each evaluation.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// How many loops had their turns shared by all cores.
    #[must_use]
    pub fn shared_loops(&self) -> u64 {
        self.shared_loops.load(Ordering::Relaxed)
    }

    /// How many lists of `data` items had these evaluated by all cores.
    #[must_use]
    pub fn shared_lists(&self) -> u64 {
        self.shared_lists.load(Ordering::Relaxed)
    }

    pub(crate) fn has_shared_data(&self) {
        self.shared_lists.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn has_shared_a_loop(&self) {
        self.shared_loops.fetch_add(1, Ordering::Relaxed);
    }

    /// The kernel's types; none if the program lacks `std.types`.
    #[must_use]
    pub fn kernel(&self) -> Option<&Kernel> {
        self.kernel.as_ref()
    }

    /// The value of a `data` item, or of a function without parameters.
    ///
    /// # Errors
    /// If the evaluation is refused.
    pub fn evaluate(&self, decl: DeclRef) -> Result<Outcome, Refusal> {
        self.call(decl, Vec::new())
    }

    /// The value of a function for these arguments, which are trusted to have
    /// the types of its parameters.
    ///
    /// # Errors
    /// If the evaluation is refused, or the number of arguments is another.
    pub fn call(&self, decl: DeclRef, args: Vec<Value>) -> Result<Outcome, Refusal> {
        let Some(found) = self.decl(decl) else {
            return Err(*self.nowhere("a declaration of another program"));
        };
        if found.params.len() != args.len() {
            let (name, wanted, given) = (self.qualified_name(decl), found.params.len(), args.len());
            return Err(Refusal::new(
                Rule::WrongArguments,
                format!("`{name}` takes {wanted} arguments and is given {given}"),
                self.declared_at(decl),
            ));
        }
        if found.kind.is_value() {
            return self.datum(decl);
        }
        match self.code(decl, 0) {
            Ok(code) => {
                let operations: &dyn Operations = match found.test {
                    true => &Hermetic,
                    false => &*self.operations,
                };
                self.run(code, args, operations)
            }
            Err(fault) => Err(self.placeless(*fault, decl)),
        }
    }

    /// The value of a function value for these arguments.
    ///
    /// # Errors
    /// If the evaluation is refused, or the value is no function of that many
    /// parameters.
    pub fn apply(&self, function: &Value, mut args: Vec<Value>) -> Result<Outcome, Refusal> {
        let decl = match function {
            Value::Function(decl) => *decl,
            Value::Closure(closure) => closure.decl,
            _ => return Err(*self.nowhere("a call of a value that is no function")),
        };
        match self.callee(function, args.len() as u32) {
            Ok(code) => {
                if let Value::Closure(closure) = function {
                    args.extend_from_slice(&closure.captures);
                }
                self.run(code, args, &Hermetic)
            }
            Err(fault) => Err(self.placeless(*fault, decl)),
        }
    }

    /// A present optional.
    ///
    /// # Errors
    /// If the program lacks `std.types`.
    pub fn present(&self, value: Value) -> Result<Value, crate::ConstructError> {
        let kernel = self.kernel.ok_or(crate::ConstructError::NoKernel)?;
        Ok(Value::data(kernel.present(), [value]))
    }

    /// An absent optional.
    ///
    /// # Errors
    /// If the program lacks `std.types`.
    pub fn absent(&self) -> Result<Value, crate::ConstructError> {
        let kernel = self.kernel.ok_or(crate::ConstructError::NoKernel)?;
        Ok(Value::data(kernel.absent(), []))
    }

    /// What an optional holds; none if the value is no optional.
    #[must_use]
    pub fn optional<'v>(&self, value: &'v Value) -> Option<Option<&'v Value>> {
        let data = value.as_data()?;
        (data.ctor.ty == self.kernel?.optional).then(|| data.fields.first())
    }

    /// Both sides of the comparison that a witness ends in, and its operator;
    /// none if it ends in no comparison or the evaluation is refused.
    pub(crate) fn sides(&self, decl: DeclRef) -> Option<(BinaryOp, Value, Value)> {
        if !self.decl(decl)?.params.is_empty() {
            return None;
        }
        let (op, unit) = compile_sides(&self.program, decl)?;
        let (result, _) = Machine::run(
            self,
            Entry::Code(unit.codes.first()?, Vec::new()),
            &Hermetic,
        );
        let sides = result.ok()?;
        let sides = sides.as_list()?;
        Some((op, sides.get(0)?.clone(), sides.get(1)?.clone()))
    }

    pub(crate) fn run<'a>(
        &'a self,
        code: &'a Code,
        stack: Vec<Value>,
        operations: &'a dyn Operations,
    ) -> Result<Outcome, Refusal> {
        let (result, steps) = Machine::run(self, Entry::Code(code, stack), operations);
        match result {
            Ok(value) => Ok(Outcome { value, steps }),
            Err(refusal) => Err(*refusal),
        }
    }

    fn datum(&self, decl: DeclRef) -> Result<Outcome, Refusal> {
        if self.kept(decl).is_none() {
            match self.unit(decl) {
                Some(unit) => drop(Machine::run(self, Entry::Data(unit), &Hermetic)),
                None => return Err(*self.nowhere("a `data` item without code")),
            }
        }
        match self.kept(decl) {
            Some(Memo {
                result: Ok(value),
                steps,
            }) => Ok(Outcome {
                value: value.clone(),
                steps: *steps,
            }),
            Some(Memo {
                result: Err(refusal),
                ..
            }) => Err((**refusal).clone()),
            None => Err(*self.nowhere("a `data` item without an outcome")),
        }
    }

    // What the machine asks for.

    fn slots(&self, module: ModuleId) -> Option<&ModuleSlots> {
        let found = self.program.modules.get(module.0 as usize)?;
        Some(
            self.modules
                .get(module.0 as usize)?
                .get_or_init(|| ModuleSlots {
                    decls: found.decls.iter().map(|_| DeclSlot::default()).collect(),
                    types: found.types.iter().map(|_| OnceLock::new()).collect(),
                }),
        )
    }

    fn slot(&self, decl: DeclRef) -> Option<&DeclSlot> {
        self.slots(decl.module)?.decls.get(decl.index as usize)
    }

    pub(crate) fn unit(&self, decl: DeclRef) -> Option<&Unit> {
        let unit = &self.slot(decl)?.unit;
        Some(unit.get_or_init(|| Box::new(compile(&self.program, decl))))
    }

    /// A code of a declaration; number 0 is its own.
    pub(crate) fn code(&self, decl: DeclRef, number: u32) -> Step<&Code> {
        self.unit(decl)
            .and_then(|unit| unit.codes.get(number as usize))
            .ok_or_else(|| broken("a call of unknown code"))
    }

    /// The code of a function value that takes that many arguments.
    pub(crate) fn callee(&self, function: &Value, args: u32) -> Step<&Code> {
        let code = match function {
            Value::Function(decl) => self.code(*decl, 0)?,
            Value::Closure(closure) => self.code(closure.decl, closure.code)?,
            _ => return Err(broken("a call of no function")),
        };
        if code.params == args {
            return Ok(code);
        }
        let (name, wanted) = (self.qualified_name(code.decl), code.params);
        let message = format!("`{name}` takes {wanted} arguments and is given {args}");
        Err(fault(Rule::WrongArguments, message))
    }

    /// The outcome of a `data` item, if it is known. A module that is not here yet is not
    /// brought for it.
    pub(crate) fn kept(&self, decl: DeclRef) -> Option<&Memo> {
        match self.memo(decl) {
            Some(memo) => Some(memo),
            None => self.recall.as_ref()?.data(decl),
        }
    }

    /// Whether this evaluator has come to the outcome of a `data` item.
    pub(crate) fn has(&self, decl: DeclRef) -> bool {
        self.memo(decl).is_some()
    }

    fn memo(&self, decl: DeclRef) -> Option<&Memo> {
        let here = self.modules.get(decl.module.0 as usize)?.get()?;
        Some(here.decls.get(decl.index as usize)?.memo.get()?)
    }

    /// Keeps the outcome of a `data` item, or gives the one that is kept: two
    /// threads may come to it, and the first one's is everybody's.
    pub(crate) fn keep(&self, decl: DeclRef, memo: Memo) -> &Memo {
        static LOST: Memo = Memo {
            result: Ok(Value::Unit),
            steps: 0,
        };
        match self.slot(decl) {
            Some(slot) => slot.memo.get_or_init(|| {
                if let Some(recall) = &self.recall {
                    recall.keep_data(decl, &memo);
                }
                Box::new(memo)
            }),
            None => &LOST,
        }
    }

    /// What a refined type asks for.
    pub(crate) fn refinement(&self, ty: TypeRef) -> &Refinement {
        static NONE: OnceLock<Refinement> = OnceLock::new();
        let slot = self
            .slots(ty.module)
            .and_then(|m| m.types.get(ty.index as usize));
        match slot {
            Some(slot) => slot.get_or_init(|| Box::new(Refinement::of(&self.program, ty))),
            None => NONE.get_or_init(|| Refinement::of(&self.program, ty)),
        }
    }

    fn decl(&self, decl: DeclRef) -> Option<&Decl> {
        let module = self.program.modules.get(decl.module.0 as usize)?;
        module.decls.get(decl.index as usize)
    }

    /// `module.name`; the name alone of what stands in no module.
    pub(crate) fn qualified_name(&self, decl: DeclRef) -> String {
        let Some(found) = self.decl(decl) else {
            return "?".to_owned();
        };
        match self.program.module(decl.module).name.as_str() {
            "" => found.name.to_string(),
            module => format!("{module}.{}", found.name),
        }
    }

    pub(crate) fn declared_at(&self, decl: DeclRef) -> Location {
        match (
            self.program.modules.get(decl.module.0 as usize),
            self.decl(decl),
        ) {
            (Some(module), Some(decl)) => Location {
                source: module.source,
                span: decl.span,
            },
            _ => Location {
                source: SourceId(u32::MAX),
                span: Span::default(),
            },
        }
    }

    /// A fault of whoever asked, which has no place in a model.
    pub(crate) fn nowhere(&self, what: &str) -> Box<Refusal> {
        let at = Location {
            source: SourceId(u32::MAX),
            span: Span::default(),
        };
        Box::new(Refusal::new(Rule::NotCallable, what, at))
    }

    fn placeless(&self, fault: crate::refusal::Fault, decl: DeclRef) -> Refusal {
        match fault {
            crate::refusal::Fault::Here(code, message) => {
                Refusal::new(code, message, self.declared_at(decl))
            }
            crate::refusal::Fault::Cured(code, message, cure) => Refusal {
                cure: Some(cure),
                ..Refusal::new(code, message, self.declared_at(decl))
            },
            crate::refusal::Fault::Kept(refusal) => refusal,
        }
    }
}
