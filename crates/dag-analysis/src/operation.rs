//! Operations: what a workflow may ask of the outside, as a checked program
//! holds it. From one row come the request (argv, path), the reader of the
//! reply, and the line of sudoers.

pub use origin::{Origin, OriginError};

mod origin;

use crate::core::{Ctor, ExprId, TypeRef};
use dag_syntax::{Span, Symbol};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::Arc;

/// An operation of a service.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Operation {
    /// `service.operation`, which is also the name of its declaration.
    pub name: Symbol,
    /// The name's place.
    pub span: Span,
    /// Index in [`crate::core::Module::decls`]: its inputs are the parameters,
    /// its body is one [`crate::core::Expr::Perform`].
    pub decl: u32,
    /// What its author promises of it.
    pub promises: Promises,
    /// What carries it out.
    pub transport: Transport,
    /// What each status gives; no two rows take the same status.
    pub exits: Vec<Exit>,
    /// The status of each row of the mock, in order.
    pub mock: Vec<Status>,
}

/// What the author of an operation promises. `readonly`: it changes nothing.
/// `idempotent`: asked twice, it leaves what asking once leaves; every
/// `readonly` one is. `hermetic`: its reply depends on its inputs alone, so that
/// a run asks the same only once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)] // each is its word
pub struct Promises {
    pub readonly: bool,
    pub idempotent: bool,
    pub hermetic: bool,
}

/// What carries an operation out, and what the parts of its
/// [`crate::core::Expr::Perform`] are.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Transport {
    /// A program is started. The parts are the words of its argv, each a
    /// `String` or (then it gives any number of words) a `List<String>`; and
    /// behind them, if there is one, its standard input: a `String` or a `Secret`.
    Shell {
        /// How many parts are words.
        words: u32,
        /// Whether one more part is the standard input.
        stdin: bool,
    },
    /// A file is read, written whole, or listed. The parts are its path and, for
    /// a write, the content.
    File(Verb),
    /// A request over HTTP.
    Rest(Rest),
}

/// A request over HTTP: what is written out, and what its parts are.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Rest {
    /// Its method.
    pub method: Method,
    /// Whether it goes over TLS.
    pub tls: bool,
    /// Whether the answer is asked for as JSON.
    pub json: bool,
    /// What its entries are made of; the parts of the
    /// [`crate::core::Expr::Perform`] are theirs, in this order.
    pub entries: Vec<RestEntry>,
}

/// The method of a request: RFC 9110 section 9.3, and RFC 5789.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)] // each is its word
pub enum Method {
    Get,
    Head,
    Post,
    Put,
    Patch,
    Delete,
}

impl Method {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Get,
        Self::Head,
        Self::Post,
        Self::Put,
        Self::Patch,
        Self::Delete,
    ];

    /// Its word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// Whether a request with it has a body: RFC 9110 gives one in others no meaning.
    #[must_use]
    pub fn has_body(self) -> bool {
        matches!(self, Self::Post | Self::Put | Self::Patch)
    }
}

/// An entry of a request over HTTP.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RestEntry {
    /// Where it goes: one part, a `String`.
    Base,
    /// Its path, each hole within one segment: a part for each hole.
    Path(Vec<Piece>),
    /// Its path, with the segments it has: one part, a `String`.
    WholePath,
    /// A pair of its query, by name: one part, a `String`, a `String?` (absent:
    /// no pair) or a `List<String>` (a pair for each item).
    Query(Arc<str>),
    /// A header, by name: a part for each hole, a `String` or a `Secret`.
    Header(Arc<str>, Vec<Piece>),
    /// The user and the password of basic authentication (RFC 7617): two parts, a
    /// `String` and a `Secret`.
    Basic,
    /// What it carries: one part, a `String`.
    Body,
}

/// A piece of a text with holes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Piece {
    /// It is written out.
    Text(Arc<str>),
    /// One part gives it.
    Hole,
}

/// What is done with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verb {
    /// Its content is read.
    Read,
    /// It is replaced by one with the content of the input `content`.
    Write,
    /// The names in the folder are read.
    List,
}

/// A row of an exit or response table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Exit {
    /// The statuses it takes.
    pub status: Status,
    /// What they give; none is `()`.
    pub gives: Option<Ctor>,
    /// Where each field of that is read from, in the order of the fields.
    pub fields: Vec<Fill>,
}

/// The statuses that a row takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Status {
    /// Just this one.
    Code(u16),
    /// `4xx`: from 400 to 499.
    Class(u16),
    /// Every one but 0.
    Nonzero,
    /// Every one.
    Any,
}

impl Status {
    /// Whether it takes a status.
    #[must_use]
    pub fn takes(self, status: u16) -> bool {
        match self {
            Status::Code(code) => code == status,
            Status::Class(class) => status / 100 == class,
            Status::Nonzero => status != 0,
            Status::Any => true,
        }
    }

    /// Whether a status is taken by both.
    pub(crate) fn overlaps(self, other: Self) -> bool {
        match (self, other) {
            (Status::Any, _) | (_, Status::Any) => true,
            (Status::Code(code), rows) | (rows, Status::Code(code)) => rows.takes(code),
            (Status::Class(a), Status::Class(b)) => a == b,
            (Status::Nonzero, _) | (_, Status::Nonzero) => true,
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Status::Code(code) => write!(f, "{code}"),
            Status::Class(class) => write!(f, "{class}xx"),
            Status::Nonzero => f.write_str("nonzero"),
            Status::Any => f.write_str("any status"),
        }
    }
}

/// Where an output field is read from, and what its text must be.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Fill {
    /// From where.
    pub key: Key,
    /// Whether the field is optional: absent where a file operation failed, or
    /// where an answer has no such value.
    pub optional: bool,
    /// The refined type that the value must enter.
    pub refined: Option<TypeRef>,
    /// The refined type that each item of a list must enter.
    pub items: Option<TypeRef>,
}

/// What a transport gives.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Key {
    /// Standard output as text, without the white space at its end.
    Stdout,
    /// Standard error, likewise.
    Stderr,
    /// The lines of standard output.
    StdoutLines,
    /// The exit status, from 0 to 255.
    ExitCode,
    /// Whether that is 0.
    ExitSuccess,
    /// The content of a file.
    Content,
    /// The names in a folder, sorted.
    Entries,
    /// How many bytes were written.
    BytesWritten,
    /// Whether the file could be read, written or listed.
    Success,
    /// Why not; absent if it could.
    Error,
    /// The value in a JSON answer that a pointer (RFC 6901) leads to.
    Pointer(Arc<str>, Scalar),
    /// The status of an answer over HTTP.
    HttpStatus,
    /// The body of an answer, as text.
    HttpBody,
    /// The header of an answer that has this name, in small letters.
    HttpHeader(Arc<str>),
}

/// What a value in a JSON answer is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)] // each is its type
pub enum Scalar {
    String,
    Int,
    Float,
    Bool,
    Strings,
}

/// A capability of a resource: what carries it out must have these inputs and
/// this result.
#[derive(Debug, Serialize, Deserialize)]
pub struct Capability {
    /// Its name.
    pub name: Symbol,
    /// The name's place.
    pub span: Span,
    /// Names and types of its inputs, in the module's table.
    pub inputs: Vec<(Symbol, crate::types::Ty)>,
    /// What it gives.
    pub gives: Gives,
}

/// What a capability gives.
#[derive(Debug, Serialize, Deserialize)]
pub enum Gives {
    /// A value of this type.
    Type(crate::types::Ty),
    /// A record with at least these fields.
    Fields(Vec<(Symbol, crate::types::Ty)>),
}

/// A resource: facts, which are `data` items of the module named
/// `Resource.fact`, and capabilities.
#[derive(Debug, Serialize, Deserialize)]
pub struct Resource {
    /// The type that stands for it, which has no values.
    pub ty: TypeRef,
    /// Its facts.
    pub facts: Vec<Symbol>,
    /// Its capabilities.
    pub capabilities: Vec<Capability>,
}

/// The request that an operation's body makes: its parts, and its mock.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Perform {
    /// Index in [`crate::core::Module::operations`].
    pub operation: u32,
    /// The parts: see [`Transport`].
    pub parts: crate::core::Run,
    /// The mock: a list of optionals, one a row. The first that is present is
    /// the operation's value.
    pub mock: Option<ExprId>,
}
