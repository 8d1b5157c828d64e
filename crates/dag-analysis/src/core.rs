//! The typed core: what a checked model means, with every name resolved, every
//! argument in its parameter's place and every conversion written out. It is
//! the second of the three forms of a program (tree, core, evaluation form);
//! it holds indices, never references, so it can be kept, shared and hashed.

use crate::modules::Modules;
use crate::operation::{Operation, Perform, Resource};
use crate::types::{Ty, TypeTable};
use dag_syntax::{Location, SourceId, Span, Symbol};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A module of a program: its index in [`Program::modules`]. A module's imports
/// have smaller numbers.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
pub struct ModuleId(pub u32);

/// A nominal type: identity is (module, declaration), never its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeRef {
    /// The declaring module; [`ModuleId::UNNAMED`] for a record without a name.
    pub module: ModuleId,
    /// Index in [`Module::types`].
    pub index: u32,
}

impl ModuleId {
    /// Where records without a name are declared: in no module.
    pub const UNNAMED: Self = Self(u32::MAX);
}

impl TypeRef {
    /// Whether it is a record without a name.
    #[must_use]
    pub fn is_unnamed(self) -> bool {
        self.module == ModuleId::UNNAMED
    }
}

/// A constructor. A record has exactly one, with `variant` 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Ctor {
    /// The type it builds.
    pub ty: TypeRef,
    /// Index in the type's variants.
    pub variant: u32,
}

/// A function or a `data` item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct DeclRef {
    /// The declaring module.
    pub module: ModuleId,
    /// Index in [`Module::decls`].
    pub index: u32,
}

/// A local name. Numbers are unique in a declaration, its lambdas included;
/// parameters of a function come first, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Local(pub u32);

/// An expression of a module: an index in [`Body::exprs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ExprId(pub u32);

/// A pattern of a module: an index in [`Body::patterns`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PatternId(pub u32);

/// A run of children: a range in one of the flat lists of a [`Body`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct Run {
    /// First index.
    pub start: u32,
    /// How many.
    pub len: u32,
}

/// A checked program: every module, imports before importers.
#[derive(Debug, Default)]
pub struct Program {
    /// The modules.
    pub modules: Modules,
}

/// A checked module.
#[derive(Debug, Serialize, Deserialize)]
pub struct Module {
    /// Its place in the program.
    #[serde(skip)]
    pub id: ModuleId,
    /// Its dotted name, from its `module` line.
    pub name: Symbol,
    /// Its file.
    #[serde(skip)]
    pub source: SourceId,
    /// Whether its file's name ends in `_test.dag`.
    pub test_file: bool,
    /// The types that the declarations below speak of.
    pub table: TypeTable,
    /// Declared types.
    pub types: Vec<TypeDef>,
    /// Declared functions and data.
    pub decls: Vec<Decl>,
    /// Their bodies.
    pub body: Body,
    /// The operations of its services.
    pub operations: Vec<Operation>,
    /// Its resources.
    pub resources: Vec<Resource>,
    /// The literals that an evaluation is to judge; what a literal holds stands before it.
    pub claims: Vec<Claim>,
}

/// A literal where a refined type is asked for, of which the check of its module cannot tell
/// whether it is a value of that type: a predicate names a function, and a check evaluates
/// nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The literal, as a value of the base.
    pub literal: ExprId,
    /// The refined type.
    pub ty: TypeRef,
}

/// A declared type.
#[derive(Debug, Serialize, Deserialize)]
pub struct TypeDef {
    /// Its name.
    pub name: Symbol,
    /// The name's place.
    pub span: Span,
    /// Names of its type parameters.
    pub params: Vec<Symbol>,
    /// What it is.
    pub shape: Shape,
    /// Whether only an observer (or a test file) may build it.
    pub observed: bool,
    /// Whether only its own module may build it.
    pub sole_constructor: bool,
    /// Whether only its own module sees what it refines: no value of it is one
    /// of its base, and only `as` leads from one to the other, there.
    pub nominal_opaque: bool,
}

/// What a declared type is.
#[derive(Debug, Serialize, Deserialize)]
pub enum Shape {
    /// A type known to the engine: `String`, `List<T>`.
    Opaque,
    /// A record; one constructor, named like the type.
    Record(Variant),
    /// A coproduct.
    Coproduct(Vec<Variant>),
    /// Another name for a type.
    Alias(Ty),
    /// A type whose values satisfy predicates; none where the type only keeps
    /// its values apart (`nominal_opaque`, `sole_constructor`).
    Refined {
        /// The type refined.
        base: Ty,
        /// Every one must hold.
        predicates: Vec<Predicate>,
    },
}

/// A constructor's declaration.
#[derive(Debug, Serialize, Deserialize)]
pub struct Variant {
    /// Its name.
    pub name: Symbol,
    /// The name's place.
    pub span: Span,
    /// Its fields, in order; a positional payload is one field named `0`.
    pub fields: Vec<Field>,
}

/// A field's declaration.
#[derive(Debug, Serialize, Deserialize)]
pub struct Field {
    /// Its name.
    pub name: Symbol,
    /// The name's place.
    pub span: Span,
    /// Its type, in the declaring module's table.
    pub ty: Ty,
    /// The declaration of its default value, of the same module.
    pub default: Option<DeclRef>,
    /// Where an operation that gives the record reads it from; none is its name.
    pub source: Option<Arc<str>>,
}

/// A condition that the values of a refined type satisfy.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Predicate {
    /// A string or list with at least one element.
    NonEmpty,
    /// An integer between two bounds, both included.
    Range {
        /// Smallest.
        min: Option<i64>,
        /// Largest.
        max: Option<i64>,
    },
    /// A string that the regular expression matches whole.
    Pattern(Arc<str>),
    /// A name that keeps this type apart from others of the same base.
    Brand(Arc<str>),
    /// A function of the base that gives true. It is asked when the value is
    /// built, and of a literal ahead of that: [`Module::claims`].
    Holds(DeclRef),
}

/// What a declaration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DeclKind {
    /// `fn`.
    Function,
    /// `data`.
    Data,
    /// The value of a parameter or field that is not given. It is evaluated as
    /// `data` is; its name, `f(b)` for instance, cannot be written.
    Default,
    /// `func`: a workflow. It is run, and called by other workflows.
    Func,
    /// `pattern`: a piece of workflows. It is called by them, and not run alone.
    Pattern,
    /// `interface`: a door from outside. It is run, and no workflow calls it.
    Interface,
    /// An operation of a service.
    Operation,
}

impl DeclKind {
    /// Whether it is a value, worked out once, and not called.
    #[must_use]
    pub fn is_value(self) -> bool {
        matches!(self, DeclKind::Data | DeclKind::Default)
    }

    /// Whether a call of it may ask something of the outside.
    #[must_use]
    pub fn has_effects(self) -> bool {
        !matches!(
            self,
            DeclKind::Function | DeclKind::Data | DeclKind::Default
        )
    }
}

/// A function or `data` item.
#[derive(Debug, Serialize, Deserialize)]
pub struct Decl {
    /// Its name.
    pub name: Symbol,
    /// The name's place.
    pub span: Span,
    /// Which.
    pub kind: DeclKind,
    /// Whether it is a witness (`test fn`, `test data`).
    pub test: bool,
    /// Names of its type parameters.
    pub type_params: Vec<Symbol>,
    /// What its body does with values of each type parameter, by their order; what
    /// is not listed is only handed on.
    pub asked: Vec<Asked>,
    /// Its parameters; local number i is parameter i.
    pub params: Vec<Param>,
    /// What it returns, in the module's table.
    pub result: Ty,
    /// Its body; none for an intrinsic.
    pub body: Option<ExprId>,
    /// The engine's function that realises it, in the prelude only.
    pub intrinsic: Option<Intrinsic>,
    /// How many locals its body uses, parameters included.
    pub locals: u32,
    /// Who may name it besides its own module and test files; none is anybody.
    pub admit_callers: Option<Box<[Admitted]>>,
}

/// What a body does with the values of a type parameter that not every type allows.
/// Whoever puts a type in the parameter's place answers for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// It shows them as text.
    pub shown: bool,
    /// It compares them.
    pub compared: bool,
    /// It makes them keys of a map or items of a set.
    pub keyed: bool,
}

/// A declaration that may name a function with `admit_callers`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Admitted {
    /// The name of its module.
    pub module: Symbol,
    /// Its own.
    pub name: Symbol,
}

/// A parameter.
#[derive(Debug, Serialize, Deserialize)]
pub struct Param {
    /// Its name, which is also its label in calls.
    pub name: Symbol,
    /// The name's place.
    pub span: Span,
    /// Its type, in the module's table.
    pub ty: Ty,
    /// The declaration of its default value, of the same module.
    pub default: Option<DeclRef>,
}

/// The bodies of a module: flat lists, joined by indices.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Body {
    /// Expressions. Children come before their parent.
    pub exprs: Vec<Expr>,
    /// The place of each expression.
    pub spans: Vec<Span>,
    /// Children of expressions, by [`Run`].
    pub operands: Vec<ExprId>,
    /// Arms of matches, by [`Run`].
    pub arms: Vec<Arm>,
    /// Patterns.
    pub patterns: Vec<Pattern>,
    /// Children of patterns, by [`Run`].
    pub pattern_operands: Vec<PatternId>,
    /// Parameters of lambdas, by [`Run`].
    pub lambda_params: Vec<Local>,
}

/// An arm of a match.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Arm {
    /// What it takes.
    pub pattern: PatternId,
    /// A further condition.
    pub guard: Option<ExprId>,
    /// Its value.
    pub body: ExprId,
}

/// A pattern.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Pattern {
    /// Takes everything.
    Any,
    /// Takes everything and names it.
    Bind(Local),
    /// Takes the values of one constructor.
    Ctor {
        /// Which.
        ctor: Ctor,
        /// A pattern a field, all fields, in order.
        fields: Run,
    },
    /// One truth value.
    Bool(bool),
    /// One number.
    Int(i64),
    /// One string.
    Str(Arc<str>),
}

/// An expression. Evaluation is strict and from left to right.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Expr {
    /// `()`.
    Unit,
    /// `true`, `false`.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// A string without holes.
    Str(Arc<str>),
    /// A string with holes: parts from left to right, each shown and joined.
    /// A part of type `String` (or a refinement) is taken as it is; any other
    /// is shown in its display form.
    Interpolate(Run),
    /// A local name.
    Local(Local),
    /// A `data` item's value.
    Data(DeclRef),
    /// A function as a value.
    Function(DeclRef),
    /// A call of a declared function with all its arguments, in parameter
    /// order, in `operands[start..start+len]`.
    Call {
        /// The function.
        callee: DeclRef,
        /// Its arguments.
        args: Run,
    },
    /// A call of an engine's function with all its arguments, in order.
    Intrinsic {
        /// Which.
        op: Intrinsic,
        /// Its arguments.
        args: Run,
    },
    /// A call of a function value.
    Apply {
        /// The value.
        function: ExprId,
        /// Its arguments.
        args: Run,
    },
    /// A record or variant, all its fields in declaration order.
    Construct {
        /// The constructor.
        ctor: Ctor,
        /// The fields.
        fields: Run,
    },
    /// A field of a record.
    Field {
        /// The record.
        base: ExprId,
        /// The field's index in declaration order.
        index: u32,
    },
    /// A list.
    List(Run),
    /// `let local = value` and what follows it.
    Let {
        /// The name.
        local: Local,
        /// Its value.
        value: ExprId,
        /// The rest of the block.
        body: ExprId,
    },
    /// Evaluates the first for its refusals alone, then gives the second.
    Then {
        /// Evaluated and dropped.
        first: ExprId,
        /// The value.
        second: ExprId,
    },
    /// A choice; without `else` the checker puts [`Expr::Unit`] there.
    If {
        /// The condition.
        condition: ExprId,
        /// If it holds.
        then: ExprId,
        /// If not.
        otherwise: ExprId,
    },
    /// A match; exhaustive, arms tried in order.
    Match {
        /// What is matched.
        scrutinee: ExprId,
        /// The arms, in [`Body::arms`].
        arms: Run,
    },
    /// A function value; captures locals of its surroundings by value.
    Lambda {
        /// Its parameters, in [`Body::lambda_params`].
        params: Run,
        /// Its body.
        body: ExprId,
    },
    /// The list of what a body gives for each item of a list. A `return` in the
    /// body leaves the function around it.
    For {
        /// The item's name.
        local: Local,
        /// The list.
        items: ExprId,
        /// The body.
        body: ExprId,
    },
    /// Leaves the innermost function or lambda with a value.
    Return(ExprId),
    /// `!a`.
    Not(ExprId),
    /// `-a` on Int or Float.
    Negate(ExprId),
    /// An operator that evaluates both sides.
    Binary {
        /// Which.
        op: BinaryOp,
        /// Left side.
        left: ExprId,
        /// Right side.
        right: ExprId,
    },
    /// `a && b`: stops at false.
    And(ExprId, ExprId),
    /// `a || b`: stops at true.
    Or(ExprId, ExprId),
    /// `a ?? b`: the value in `a` (an optional), or else `b`.
    Coalesce(ExprId, ExprId),
    /// The value, if it satisfies the predicates of a refined type (and those
    /// of its base, which is checked first); otherwise refused, E0803.
    Refine {
        /// The value.
        value: ExprId,
        /// The refined type.
        ty: TypeRef,
    },
    /// A conversion that `as` asked for.
    Convert {
        /// The value.
        value: ExprId,
        /// Which.
        to: Conversion,
    },
    /// Asks for an operation; the body of its declaration.
    Perform(Perform),
    /// Stands where the checker found a mistake; never evaluated.
    Invalid,
}

/// Operators that evaluate both sides. Operands are of one type (after
/// widening): arithmetic on Int or Float, `Add` also on String and List,
/// ordering on Int, Float and String, equality on everything but functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)] // each is its operator
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// Conversions of `as`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Conversion {
    /// Int, Float or Bool as text, in display form.
    ToText,
    /// Int to Float; refused (E0804) where the number is not exact.
    IntToFloat,
    /// Float to Int; refused (E0804) where it is not a whole number in range.
    FloatToInt,
}

/// Declares the engine's functions by the name that `lib/std` gives them.
macro_rules! intrinsics {
    ($($variant:ident = $name:literal;)*) => {
        /// A function that the engine realises; `lib/std/prelude.dag` holds its
        /// signature and says what it does.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Intrinsic {
            $(#[doc = concat!("`", $name, "`")] $variant,)*
        }

        impl Intrinsic {
            /// All of them.
            pub const ALL: &[Intrinsic] = &[$(Intrinsic::$variant,)*];

            /// The name in `intrinsic("…")`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Intrinsic::$variant => $name,)* }
            }
        }
    };
}

intrinsics! {
    ListFold = "list.fold";
    ListMap = "list.map";
    ListFilter = "list.filter";
    ListFlatMap = "list.flat_map";
    ListFilterMap = "list.filter_map";
    ListAny = "list.any";
    ListAll = "list.all";
    ListFind = "list.find";
    ListSortBy = "list.sort_by";
    ListMinBy = "list.min_by";
    ListMaxBy = "list.max_by";
    ListGroupBy = "list.group_by";
    ListIndexBy = "list.index_by";
    ListPartition = "list.partition";
    ListLength = "list.length";
    ListIsEmpty = "list.is_empty";
    ListFirst = "list.first";
    ListLast = "list.last";
    ListGet = "list.get";
    ListSkip = "list.skip";
    ListTake = "list.take";
    ListReverse = "list.reverse";
    ListConcat = "list.concat";
    ListAppend = "list.append";
    ListContains = "list.contains";
    ListJoin = "list.join";
    ListEnumerate = "list.enumerate";
    ListZip = "list.zip";
    ListDedup = "list.dedup";
    ListSort = "list.sort";
    ListChunks = "list.chunks";
    ListWindows = "list.windows";
    ListSum = "list.sum";
    ListSumFloats = "list.sum_floats";
    ListRange = "list.range";
    StringLength = "string.length";
    StringIsEmpty = "string.is_empty";
    StringConcat = "string.concat";
    StringContains = "string.contains";
    StringStartsWith = "string.starts_with";
    StringEndsWith = "string.ends_with";
    StringSplit = "string.split";
    StringReplace = "string.replace";
    StringTrim = "string.trim";
    StringTrimStart = "string.trim_start";
    StringTrimEnd = "string.trim_end";
    StringIndexOf = "string.index_of";
    StringLines = "string.lines";
    StringWords = "string.words";
    StringToLower = "string.to_lower";
    StringToUpper = "string.to_upper";
    StringRepeat = "string.repeat";
    StringSubstring = "string.substring";
    StringChars = "string.chars";
    StringFromChars = "string.from_chars";
    ToText = "to_string";
    ParseInt = "parse_int";
    ParseFloat = "parse_float";
    IsSome = "optional.is_present";
    Min = "int.min";
    Max = "int.max";
    IntPow = "int.pow";
    FloatRound = "float.round";
    FloatFloor = "float.floor";
    FloatCeil = "float.ceil";
    IsXidStart = "char.is_xid_start";
    IsXidContinue = "char.is_xid_continue";
    Blake3Hex = "blake3_hex";
    Sha256Hex = "sha256_hex";
    HmacSha256Hex = "hmac_sha256_hex";
    Fnv1aHex = "fnv1a_hex";
    Discriminant = "discriminant";
    MapEmpty = "map.empty";
    MapFromEntries = "map.from_entries";
    MapEntries = "map.entries";
    MapInsert = "map.insert";
    MapGet = "map.get";
    MapHas = "map.has";
    MapMerge = "map.merge";
    MapKeys = "map.keys";
    MapValues = "map.values";
    MapSize = "map.size";
    MapFold = "map.fold";
    SetEmpty = "set.empty";
    SetFromList = "set.from_list";
    SetItems = "set.items";
    SetInsert = "set.insert";
    SetHas = "set.has";
    SetUnion = "set.union";
    SetIntersect = "set.intersect";
    SetDiff = "set.diff";
    SetSize = "set.size";
    SetFold = "set.fold";
    SetMap = "set.map";
    SetFilter = "set.filter";
    SetAny = "set.any";
    SetAll = "set.all";
}

/// A walk over a map or set, as a walk over the list of what it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walk {
    /// Gives the list.
    pub items: Intrinsic,
    /// Walks it.
    pub walk: Intrinsic,
    /// Makes a set of the resulting list.
    pub back: Option<Intrinsic>,
}

impl Intrinsic {
    /// Whether the key or item it is given must be one that can be ordered.
    #[must_use]
    pub fn makes_keys(self) -> bool {
        matches!(
            self,
            Self::MapEmpty
                | Self::MapFromEntries
                | Self::MapInsert
                | Self::SetEmpty
                | Self::SetFromList
                | Self::SetInsert
                | Self::ListGroupBy
                | Self::ListIndexBy
        )
    }

    /// Whether what its first type parameter stands for is compared.
    #[must_use]
    pub fn compares(self) -> bool {
        matches!(
            self,
            Self::ListContains
                | Self::ListDedup
                | Self::ListSort
                | Self::ListSortBy
                | Self::ListMinBy
                | Self::ListMaxBy
        )
    }

    /// What it does with the values of its first type parameter.
    #[must_use]
    pub fn asks(self) -> Asked {
        Asked {
            shown: self == Self::ToText,
            compared: self.compares(),
            keyed: self.makes_keys(),
        }
    }

    /// Where a function that runs a function over a list hands it the item.
    #[must_use]
    pub fn item_parameter(self) -> Option<usize> {
        match self {
            Self::ListFold => Some(1),
            Self::ListMap
            | Self::ListFilter
            | Self::ListFlatMap
            | Self::ListFilterMap
            | Self::ListAny
            | Self::ListAll
            | Self::ListFind
            | Self::ListSortBy
            | Self::ListMinBy
            | Self::ListMaxBy
            | Self::ListGroupBy
            | Self::ListIndexBy
            | Self::ListPartition => Some(0),
            _ => None,
        }
    }

    /// What a walk over a map or set comes down to. No core holds the walk
    /// itself: the checker writes this in its place.
    #[must_use]
    pub fn as_walk(self) -> Option<Walk> {
        let (items, walk, back) = match self {
            Self::MapFold => (Self::MapEntries, Self::ListFold, None),
            Self::SetFold => (Self::SetItems, Self::ListFold, None),
            Self::SetMap => (Self::SetItems, Self::ListMap, None),
            Self::SetAny => (Self::SetItems, Self::ListAny, None),
            Self::SetAll => (Self::SetItems, Self::ListAll, None),
            Self::SetFilter => (Self::SetItems, Self::ListFilter, Some(Self::SetFromList)),
            _ => return None,
        };
        Some(Walk { items, walk, back })
    }
}

impl Body {
    /// The children in a run.
    #[must_use]
    pub fn operands(&self, run: Run) -> &[ExprId] {
        self.operands.get(run.range()).unwrap_or(&[])
    }

    /// The arms in a run.
    #[must_use]
    pub fn arms(&self, run: Run) -> &[Arm] {
        self.arms.get(run.range()).unwrap_or(&[])
    }

    /// The patterns in a run.
    #[must_use]
    pub fn pattern_operands(&self, run: Run) -> &[PatternId] {
        self.pattern_operands.get(run.range()).unwrap_or(&[])
    }

    /// The lambda parameters in a run.
    #[must_use]
    pub fn lambda_params(&self, run: Run) -> &[Local] {
        self.lambda_params.get(run.range()).unwrap_or(&[])
    }

    /// The expression.
    #[must_use]
    pub fn expr(&self, id: ExprId) -> &Expr {
        self.exprs.get(id.0 as usize).unwrap_or(&Expr::Invalid)
    }

    /// Its place.
    #[must_use]
    pub fn span(&self, id: ExprId) -> Span {
        self.spans.get(id.0 as usize).copied().unwrap_or_default()
    }

    /// The pattern.
    #[must_use]
    pub fn pattern(&self, id: PatternId) -> &Pattern {
        self.patterns.get(id.0 as usize).unwrap_or(&Pattern::Any)
    }
}

impl Run {
    /// As a range of indices.
    #[must_use]
    pub fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.start as usize + self.len as usize
    }
}

impl TypeDef {
    /// Its constructors: one for a record, any number for a coproduct.
    #[must_use]
    pub fn variants(&self) -> &[Variant] {
        match &self.shape {
            Shape::Record(only) => std::slice::from_ref(only),
            Shape::Coproduct(all) => all,
            Shape::Opaque | Shape::Alias(_) | Shape::Refined { .. } => &[],
        }
    }

    /// Whether only the engine knows what its values are made of.
    pub(crate) fn is_opaque(&self) -> bool {
        matches!(self.shape, Shape::Opaque)
    }

    /// The variant of that name and its index.
    #[must_use]
    pub fn variant_named(&self, name: Symbol) -> Option<(u32, &Variant)> {
        let index = self.variants().iter().position(|v| v.name == name)?;
        Some((index as u32, &self.variants()[index]))
    }
}

impl Module {
    /// The type of that name and its index.
    #[must_use]
    pub fn type_named(&self, name: Symbol) -> Option<(TypeRef, &TypeDef)> {
        let index = self.types.iter().position(|t| t.name == name)?;
        Some((
            TypeRef {
                module: self.id,
                index: index as u32,
            },
            &self.types[index],
        ))
    }

    /// The function or `data` item of that name.
    #[must_use]
    pub fn decl_named(&self, name: Symbol) -> Option<(DeclRef, &Decl)> {
        let index = self.decls.iter().position(|d| d.name == name)?;
        Some((
            DeclRef {
                module: self.id,
                index: index as u32,
            },
            &self.decls[index],
        ))
    }
}

impl Program {
    /// A module by id.
    #[must_use]
    pub fn module(&self, id: ModuleId) -> &Module {
        &self.modules[id.0 as usize]
    }

    /// A module by name.
    #[must_use]
    pub fn module_named(&self, name: &str) -> Option<&Module> {
        let place = self.modules.named(Symbol::new(name))?;
        self.modules.get(place).map(AsRef::as_ref)
    }

    /// A declared type.
    #[must_use]
    pub fn type_def(&self, ty: TypeRef) -> &TypeDef {
        if let Some(def) = crate::unnamed::declaration(ty) {
            return def;
        }
        &self.module(ty.module).types[ty.index as usize]
    }

    /// A constructor's declaration.
    #[must_use]
    pub fn variant(&self, ctor: Ctor) -> &Variant {
        &self.type_def(ctor.ty).variants()[ctor.variant as usize]
    }

    /// A function or `data` item.
    #[must_use]
    pub fn decl(&self, decl: DeclRef) -> &Decl {
        &self.module(decl.module).decls[decl.index as usize]
    }

    /// A function or `data` item by its module's name and its own.
    #[must_use]
    pub fn decl_named(&self, module: &str, name: &str) -> Option<DeclRef> {
        self.module_named(module)?
            .decl_named(Symbol::new(name))
            .map(|(decl, _)| decl)
    }

    /// The place of an expression of a module.
    #[must_use]
    pub fn location(&self, module: ModuleId, expr: ExprId) -> Location {
        let module = self.module(module);
        Location {
            source: module.source,
            span: module.body.span(expr),
        }
    }
}
