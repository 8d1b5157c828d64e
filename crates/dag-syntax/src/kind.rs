//! Kinds of tokens and of nodes.

/// Declares token kinds: variant and how a message names it.
macro_rules! tokens {
    ($($variant:ident = $name:literal,)*) => {
        /// What a token is.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Token {
            $(#[doc = $name] $variant,)*
        }

        impl Token {
            /// How a message names it.
            #[must_use]
            pub fn describe(self) -> &'static str {
                match self { $(Token::$variant => $name,)* }
            }
        }
    };
}

tokens! {
    Blank = "blanks",
    Newline = "the end of the line",
    Annotation = "an annotation",
    Unknown = "a character that the grammar does not know",
    End = "the end of the text",

    Name = "a name",
    Int = "an integer",
    Float = "a float",
    Quote = "the start of a string",
    Text = "text",
    HoleStart = "`{` in a string",
    HoleEnd = "`}` in a string",
    EndQuote = "the end of a string",

    LParen = "`(`",
    RParen = "`)`",
    LBracket = "`[`",
    RBracket = "`]`",
    LBrace = "`{`",
    RBrace = "`}`",
    Colon = "`:`",
    Comma = "`,`",
    Dot = "`.`",
    DotDot = "`..`",
    Plus = "`+`",
    Minus = "`-`",
    Star = "`*`",
    Slash = "`/`",
    Percent = "`%`",
    Caret = "`^`",
    Equals = "`=`",
    EqualsEquals = "`==`",
    BangEquals = "`!=`",
    Less = "`<`",
    Greater = "`>`",
    LessEquals = "`<=`",
    GreaterEquals = "`>=`",
    FatArrow = "`=>`",
    Arrow = "`->`",
    AndAnd = "`&&`",
    Or = "`|`",
    OrOr = "`||`",
    Pipe = "`|>`",
    Bang = "`!`",
    Question = "`?`",
    QuestionQuestion = "`??`",

    KwModule = "`module`",
    KwImport = "`import`",
    KwAlias = "`alias`",
    KwType = "`type`",
    KwFn = "`fn`",
    KwFunc = "`func`",
    KwData = "`data`",
    KwService = "`service`",
    KwResource = "`resource`",
    KwInterface = "`interface`",
    KwPattern = "`pattern`",
    KwLet = "`let`",
    KwReturn = "`return`",
    KwMatch = "`match`",
    KwIf = "`if`",
    KwThen = "`then`",
    KwElse = "`else`",
    KwFor = "`for`",
    KwIn = "`in`",
    KwWhere = "`where`",
    KwTrue = "`true`",
    KwFalse = "`false`",
    KwNone = "`none`",
    KwNull = "`null`",
}

/// Declares the keywords: each word once.
macro_rules! keywords {
    ($($word:literal = $variant:ident,)*) => {
        impl Token {
            /// The words that are no names anywhere.
            pub const KEYWORDS: &[&str] = &[$($word,)*];

            /// The keyword that a word is.
            #[must_use]
            pub fn keyword(word: &str) -> Option<Self> {
                Some(match word {
                    $($word => Self::$variant,)*
                    _ => return None,
                })
            }
        }
    };
}

keywords! {
    "module" = KwModule,
    "import" = KwImport,
    "alias" = KwAlias,
    "type" = KwType,
    "fn" = KwFn,
    "func" = KwFunc,
    "data" = KwData,
    "service" = KwService,
    "resource" = KwResource,
    "interface" = KwInterface,
    "pattern" = KwPattern,
    "let" = KwLet,
    "return" = KwReturn,
    "match" = KwMatch,
    "if" = KwIf,
    "then" = KwThen,
    "else" = KwElse,
    "for" = KwFor,
    "in" = KwIn,
    "where" = KwWhere,
    "true" = KwTrue,
    "false" = KwFalse,
    "none" = KwNone,
    "null" = KwNull,
}

/// Words that mean something in some places of the grammar, and are names in all
/// others. [`Tree::contextual_words`](crate::Tree::contextual_words) finds the places.
pub const CONTEXTUAL_WORDS: &[&str] = &[
    "admit_callers",
    "after",
    "as",
    "capability",
    "config",
    "exit",
    "file",
    "from",
    "hermetic",
    "idempotent",
    "input",
    "mock_response",
    "node",
    "nominal_opaque",
    "nonzero",
    "observed",
    "operation",
    "output",
    "readonly",
    "response",
    "rest",
    "shell",
    "sole_constructor",
    "test",
    "transport",
    "uses",
    "when",
];

impl Token {
    /// Whether it is a word: a name or a keyword.
    #[must_use]
    pub fn is_word(self) -> bool {
        self == Self::Name || self as u8 >= Self::KwModule as u8
    }

    /// Whether it may name a field, a parameter, a label or a path segment.
    #[must_use]
    pub fn is_label(self) -> bool {
        self.is_word()
            && !matches!(
                self,
                Self::KwTrue | Self::KwFalse | Self::KwNone | Self::KwNull
            )
    }

    /// Whether it carries no meaning for the parser.
    #[must_use]
    pub fn is_trivia(self) -> bool {
        matches!(self, Self::Blank | Self::Newline | Self::Annotation)
    }
}

/// What a node of the tree is. The children of each are listed in order; those
/// marked `?` may be missing, those marked `*` may be many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Node {
    /// `ModuleLine? Import* item*`
    File,
    /// `Path`
    ModuleLine,
    /// `Path ImportList?`; with an `Error` where all names were asked for
    Import,
    /// `Path*`
    ImportList,
    /// Words joined by dots; a leaf.
    Path,
    /// One word; a leaf.
    Name,

    /// `Name Path`
    AliasDecl,
    /// `Name TypeParams? (RecordBody | CoproductBody | AliasBody)?`
    TypeDecl,
    /// `Name TypeParams? Params type AdmitCallers? expr`
    FnDecl,
    /// `expr`: the list of who may name the function
    AdmitCallers,
    /// `Name type expr`
    DataDecl,
    /// `(Name Kind?)*`
    TypeParams,
    /// A leaf: what a type parameter stands for.
    Kind,
    /// `FieldDecl*`
    RecordBody,
    /// `Variant*`
    CoproductBody,
    /// `type Where?`
    AliasBody,
    /// `Name type Where? Source? Default?`
    FieldDecl,
    /// `expr`: the value of a field or parameter that is not given
    Default,
    /// `Name (RecordBody | type)?`
    Variant,
    /// `Predicate*`
    Where,
    /// `Path PredicateArg*`
    Predicate,
    /// `Name? expr`
    PredicateArg,
    /// `Param*`
    Params,
    /// `Name type Where? Default?`
    Param,

    /// `Path type*`
    TypePath,
    /// `type* type`: parameters, then the result
    TypeFn,
    /// `type`
    TypeOptional,
    /// `FieldDecl*`: a record without a name
    TypeRecord,

    /// A leaf.
    IntExpr,
    /// A leaf.
    FloatExpr,
    /// `expr*`: the holes
    StrExpr,
    /// A leaf: `true`, `false`.
    BoolExpr,
    /// A leaf: `none`.
    NoneExpr,
    /// A leaf: `()`.
    UnitExpr,
    /// A leaf: one word.
    NameExpr,
    /// `expr`
    ParenExpr,
    /// `expr*`
    ListExpr,
    /// `expr Init*`: the head is a `NameExpr` or `FieldExpr` chain
    RecordExpr,
    /// `Name expr?`; without the expression, a pun
    Init,
    /// `expr`
    PositionalInit,
    /// `(Init | MapEntry)*`: a record without a name, or a map
    BraceExpr,
    /// `StrExpr expr`
    MapEntry,
    /// `expr Arg*`
    CallExpr,
    /// `Name? expr`
    Arg,
    /// `expr Name`
    FieldExpr,
    /// `expr expr`: the right side is a name, a dotted name, or a call of one
    PipeExpr,
    /// `expr expr`
    BinaryExpr,
    /// `expr`; its sign is `!`, `-` or `^`
    UnaryExpr,
    /// `expr type`
    AsExpr,
    /// `expr Arm*`
    MatchExpr,
    /// `pattern Guard? expr`
    Arm,
    /// `expr`
    Guard,
    /// `expr BlockExpr (BlockExpr | IfExpr)?`
    IfExpr,
    /// `Name expr BlockExpr`
    ForExpr,
    /// `(Let | Return | Step | expr)*`
    BlockExpr,
    /// `Name type? expr`
    Let,
    /// `expr`
    Return,
    /// `Name* expr`
    LambdaExpr,

    /// A leaf: `_`.
    AnyPattern,
    /// A leaf: a name in small letters.
    BindPattern,
    /// `Path FieldPattern*`
    CtorPattern,
    /// `FieldPattern*`: of a record without a name
    RecordPattern,
    /// `Name pattern?`; without the pattern, a pun
    FieldPattern,
    /// `Path pattern`
    PositionalPattern,
    /// A leaf.
    IntPattern,
    /// A leaf.
    StrPattern,
    /// A leaf.
    BoolPattern,
    /// A leaf: `none`.
    NonePattern,

    /// `Path (ConfigBlock | Transport | Operation)*`
    ServiceDecl,
    /// `Entry*`
    ConfigBlock,
    /// `Name expr`
    Entry,
    /// `Name Entry*`: `shell`, `file` or `rest`
    Transport,
    /// `Name (Flag | Inputs | Outputs | type | Transport | ExitTable | ResponseTable | MockTable)*`
    Operation,
    /// A leaf: `readonly`, `idempotent`, `hermetic`.
    Flag,
    /// `FieldDecl*`: in braces behind `input`, or in parentheses
    Inputs,
    /// `FieldDecl*`: in braces behind `output` or an arrow
    Outputs,
    /// `StrExpr`: what a field is read from
    Source,
    /// `StatusRow*`
    ExitTable,
    /// `StatusRow*`
    ResponseTable,
    /// `StatusRow*`
    MockTable,
    /// `Status (type | expr) StrExpr?`: in a mock, an expression
    StatusRow,
    /// A leaf: `0`, `4xx`, `nonzero`.
    Status,
    /// `func`, `pattern`, `interface`: `Name Params type? Uses? BlockExpr`
    FuncDecl,
    /// `Use*`
    Uses,
    /// `Name type Arg*`
    Use,
    /// `Name (Capability | Entry)*`
    ResourceDecl,
    /// `Name (Inputs | Outputs | type)*`
    Capability,
    /// A node of a workflow: `Name After? When? expr type?`
    Step,
    /// `NameExpr*`
    After,
    /// `expr`
    When,

    /// Tokens that fit nowhere.
    Error,
}

impl Node {
    /// Whether it is an expression.
    #[must_use]
    pub fn is_expr(self) -> bool {
        (Self::IntExpr as u8..=Self::LambdaExpr as u8).contains(&(self as u8))
            && !matches!(
                self,
                Self::Init
                    | Self::PositionalInit
                    | Self::MapEntry
                    | Self::Arg
                    | Self::Arm
                    | Self::Guard
            )
    }

    /// Whether it is a type.
    #[must_use]
    pub fn is_type(self) -> bool {
        matches!(
            self,
            Self::TypePath | Self::TypeFn | Self::TypeOptional | Self::TypeRecord
        )
    }

    /// Whether it is a pattern.
    #[must_use]
    pub fn is_pattern(self) -> bool {
        (Self::AnyPattern as u8..=Self::NonePattern as u8).contains(&(self as u8))
            && self != Self::FieldPattern
    }
}
