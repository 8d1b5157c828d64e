//! What an operation gives: which status which value, and where each field of
//! it is read from.

use super::super::construct::Named;
use super::{Carrier, Checker};
use crate::core::{Ctor, Predicate, Shape, TypeRef};
use crate::operation::{Exit, Fill, Key, Scalar, Status, Verb};
use crate::types::Ty;
use dag_syntax::{Code, Diagnostic, Location, Node, NodeId};

/// What a key gives.
#[derive(Clone, Copy, PartialEq)]
enum Gives {
    Text,
    Texts,
    Number,
    Truth,
}

/// The keys of a transport.
fn keys(carrier: Carrier, verb: Option<Verb>) -> &'static [(&'static str, Key, Gives)] {
    const SHELL: &[(&str, Key, Gives)] = &[
        ("stdout", Key::Stdout, Gives::Text),
        ("stderr", Key::Stderr, Gives::Text),
        ("stdout_lines", Key::StdoutLines, Gives::Texts),
        ("exit_code", Key::ExitCode, Gives::Number),
        ("exit_success", Key::ExitSuccess, Gives::Truth),
    ];
    const READ: &[(&str, Key, Gives)] = &[
        ("content", Key::Content, Gives::Text),
        ("read_success", Key::Success, Gives::Truth),
        ("error", Key::Error, Gives::Text),
    ];
    const WRITE: &[(&str, Key, Gives)] = &[
        ("bytes_written", Key::BytesWritten, Gives::Number),
        ("write_success", Key::Success, Gives::Truth),
        ("error", Key::Error, Gives::Text),
    ];
    const LIST: &[(&str, Key, Gives)] = &[
        ("entries", Key::Entries, Gives::Texts),
        ("list_success", Key::Success, Gives::Truth),
        ("error", Key::Error, Gives::Text),
    ];
    match (carrier, verb) {
        (Carrier::Shell, _) => SHELL,
        (Carrier::File, Some(Verb::Write)) => WRITE,
        (Carrier::File, Some(Verb::List)) => LIST,
        (Carrier::File, _) => READ,
        (Carrier::Rest, _) => &[],
    }
}

/// A type in an output, taken apart.
struct Shaped {
    gives: Option<Gives>,
    float: bool,
    optional: bool,
    refined: Option<TypeRef>,
    items: Option<TypeRef>,
}

impl Checker<'_> {
    /// The type that an operation gives, and the row of each status.
    pub(super) fn given(
        &mut self,
        node: NodeId,
        carrier: Carrier,
        verb: Option<Verb>,
        output: Option<TypeRef>,
    ) -> (Ty, Vec<Exit>) {
        let written = self.tree.type_child(node);
        let arrow = written.map(|t| (t, self.type_of(t)));
        let output = output.map(|ty| Ctor { ty, variant: 0 });
        let exits = self.tree.child(node, Node::ExitTable);
        let responses = self.tree.child(node, Node::ResponseTable);
        let (own, other) = match carrier {
            Carrier::Shell => (exits, responses),
            Carrier::Rest => (responses, exits),
            Carrier::File => (None, exits.or(responses)),
        };
        if let Some(other) = other {
            let why = match carrier {
                Carrier::Shell => "a program has an `exit` table",
                Carrier::Rest => "an answer has a `response` table",
                Carrier::File => {
                    "a file operation has no statuses: read whether it went well from \
                     `read_success`, `write_success` or `list_success`, and why not from `error`"
                }
            };
            let error = Diagnostic::error(
                Code::BadStatus,
                self.at(other),
                "this table is of another transport",
            )
            .note(why);
            self.report(error);
        }
        if let Some(table) = own {
            return self.given_by_rows(table, carrier, verb, output, arrow);
        }
        let (ctor, at) = match (output, arrow) {
            (Some(ctor), _) => (Some(ctor), node),
            (None, Some((at, ty))) => (self.record_given(at, ty), at),
            (None, None) => (None, node),
        };
        let ty = match ctor {
            Some(ctor) => self.named(ctor.ty, Vec::new()),
            None => self.unit(),
        };
        self.refuse_observed(ty, at);
        let mut fields = Vec::new();
        if let Some(ctor) = ctor {
            self.guard_sole(ctor, at);
            fields = self.fills(ctor, carrier, verb, at);
        }
        let reads_status = fields
            .iter()
            .any(|f| matches!(f.key, Key::ExitCode | Key::ExitSuccess));
        let status = match carrier {
            Carrier::Shell if !reads_status => Status::Code(0),
            Carrier::Rest => Status::Class(2),
            Carrier::Shell | Carrier::File => Status::Any,
        };
        let exit = Exit {
            status,
            gives: ctor,
            fields,
        };
        (ty, vec![exit])
    }

    /// The record behind `-> T`; none for `Unit`.
    fn record_given(&mut self, at: NodeId, ty: Ty) -> Option<Ctor> {
        if self.is_error(ty) {
            return None;
        }
        let named = self.head(ty);
        if named.as_ref().is_some_and(|(n, _)| *n == self.kernel.unit) {
            return None;
        }
        let record = named.as_ref().and_then(|(n, args)| {
            let plain = args.is_empty();
            self.record_behind(*n).filter(|_| plain)
        });
        if record.is_none() {
            let shown = self.show(ty);
            let coproduct = named.is_some_and(|(n, _)| {
                self.type_def(n)
                    .is_some_and(|d| matches!(d.shape, Shape::Coproduct(_)))
            });
            let mut error = Diagnostic::error(
                Code::BadOutput,
                self.at(at),
                format!("an operation gives a record, not {shown}"),
            )
            .note("the fields of the record say what is read: `text: String from \"stdout\"`");
            if coproduct {
                error = error.cure(
                    "say in an `exit` (or `response`) table which status gives which variant",
                );
            }
            self.report(error);
        }
        record
    }

    fn given_by_rows(
        &mut self,
        table: NodeId,
        carrier: Carrier,
        verb: Option<Verb>,
        output: Option<Ctor>,
        arrow: Option<(NodeId, Ty)>,
    ) -> (Ty, Vec<Exit>) {
        let rows: Vec<NodeId> = self.tree.children_of(table, Node::StatusRow).collect();
        if rows.is_empty() {
            self.error(Code::BadStatus, table, "a table has a row");
        }
        let mut exits: Vec<Exit> = Vec::new();
        let mut places: Vec<NodeId> = Vec::new();
        let mut whole: Option<(TypeRef, NodeId)> = None;
        for row in rows {
            let status = self.status(row, carrier);
            let Some(ctor) = self.row_gives(row, output) else {
                continue;
            };
            let (first, first_at) = *whole.get_or_insert((ctor.ty, row));
            if first != ctor.ty {
                let (a, b) = (self.type_name(first), self.type_name(ctor.ty));
                let error = Diagnostic::error(
                    Code::BadStatus,
                    self.at(row),
                    format!("this row gives a value of `{b}`, and another one of `{a}`"),
                )
                .other(self.at(first_at), "the other row")
                .cure("make them variants of one coproduct");
                self.report(error);
                continue;
            }
            let Some(status) = status else { continue };
            let taken = exits.iter().position(|e| e.status.overlaps(status));
            if let Some(taken) = taken {
                let error = Diagnostic::error(
                    Code::BadStatus,
                    self.at(row),
                    format!("`{status}` takes a status that has a row already"),
                )
                .other(self.at(places[taken]), "this one takes it");
                self.report(error);
                continue;
            }
            self.guard_sole(ctor, row);
            let fields = self.fills(ctor, carrier, verb, row);
            exits.push(Exit {
                status,
                gives: Some(ctor),
                fields,
            });
            places.push(row);
        }
        let Some((whole, _)) = whole else {
            return (self.error_ty(), exits);
        };
        let ty = self.named(whole, Vec::new());
        if let Some((at, declared)) = arrow
            && !self.unify(declared, ty)
        {
            let (declared, given) = (self.show(declared), self.show(ty));
            self.error(
                Code::BadStatus,
                at,
                format!("the rows give {given}, and {declared} is declared"),
            );
        }
        self.refuse_observed(ty, table);
        (ty, exits)
    }

    /// The record or variant that a row names.
    fn row_gives(&mut self, row: NodeId, output: Option<Ctor>) -> Option<Ctor> {
        let ty = self.tree.type_child(row)?;
        let path = self.tree.child(ty, Node::Path);
        let path = path.filter(|_| self.tree.children(ty).len() == 1);
        let Some(path) = path else {
            self.error(
                Code::BadStatus,
                ty,
                "a row names a record, or a variant of a coproduct",
            );
            return None;
        };
        let name = self.tree.symbol(path);
        if name.as_str() == "Output"
            && let Some(output) = output
        {
            return Some(output);
        }
        let ctor = match self.constructor_named(name) {
            Named::Ctor(ctor, _) => ctor,
            Named::Broken => return None,
            Named::Type => {
                let error = Diagnostic::error(
                    Code::BadStatus,
                    self.at(ty),
                    format!("`{name}` is no record and no variant"),
                )
                .note("a row names what its statuses give; its fields are read from the outcome");
                self.report(error);
                return None;
            }
            Named::Unknown => {
                self.unknown_name(name, path);
                return None;
            }
        };
        self.refer_ctor(path, ctor);
        let generic = self.type_def(ctor.ty).is_some_and(|d| !d.params.is_empty());
        if generic {
            self.error(
                Code::BadStatus,
                ty,
                "what an operation gives has no type parameters",
            );
            return None;
        }
        Some(ctor)
    }

    /// Only an observer mints observed values: an operation may give none.
    fn refuse_observed(&mut self, ty: Ty, node: NodeId) {
        let Some(observed) = self.holds_observed(ty) else {
            return;
        };
        let name = self.type_name(observed);
        let mut error = Diagnostic::error(
            Code::ForgedObservation,
            self.at(node),
            format!("an operation gives no `{name}`: it is observed"),
        )
        .note("what a program prints is no observation: nobody knows when and where it was read")
        .cure("give a type of your own, and take the observation as a parameter where it counts");
        if let Some(at) = self.type_location(observed) {
            error = error.other(at, "declared here");
        }
        self.report(error);
    }

    fn fills(
        &mut self,
        ctor: Ctor,
        carrier: Carrier,
        verb: Option<Verb>,
        node: NodeId,
    ) -> Vec<Fill> {
        let variant = ctor.variant as usize;
        let fields: Vec<(String, Ty, Location)> = match self.type_def(ctor.ty) {
            Some(def) => match def.variants().get(variant) {
                Some(variant) => {
                    let source = self.source_of(ctor.ty.module);
                    let fields = variant.fields.iter();
                    fields
                        .map(|f| {
                            let key = f.source.as_deref().unwrap_or(f.name.as_str());
                            let span = f.span;
                            (key.to_owned(), f.ty, Location { source, span })
                        })
                        .collect()
                }
                None => Vec::new(),
            },
            None => Vec::new(),
        };
        let known = keys(carrier, verb);
        // Where the reply itself says whether it went well, what a failure leaves
        // out is optional.
        let failing = carrier == Carrier::File
            && fields.iter().any(|(key, ..)| {
                let key = known.iter().find(|(name, ..)| name == key);
                key.is_some_and(|(_, key, _)| matches!(key, Key::Success | Key::Error))
            });
        let mut fills = Vec::new();
        for (key, ty, at) in fields {
            let ty = self.bring(ctor.ty.module, ty, &[]);
            let shaped = self.shaped(ty);
            let entered = [shaped.refined, shaped.items];
            if entered
                .into_iter()
                .flatten()
                .any(|entered| !self.may_be_read(entered, at, node))
            {
                continue;
            }
            let fill = if carrier == Carrier::Rest {
                self.pointed(&key, &shaped, ty, at, node)
            } else {
                self.keyed(&key, known, &shaped, ty, failing, at, node)
            };
            let Some(key) = fill else { continue };
            fills.push(Fill {
                key,
                optional: shaped.optional,
                refined: shaped.refined,
                items: shaped.items,
            });
        }
        fills
    }

    /// Whether an output may enter a refined type. What is read is put together by the
    /// engine: it passes no door of another module, and asks no function.
    fn may_be_read(&mut self, ty: TypeRef, at: Location, node: NodeId) -> bool {
        let mut next = Some(ty);
        while let Some(ty) = next {
            if self.refuse_sole(ty, node) {
                return false;
            }
            let asks = |predicate: &Predicate| matches!(predicate, Predicate::Holds(_));
            if self.predicates_of(ty).iter().any(asks) {
                let name = self.type_name(ty);
                let error = Diagnostic::error(
                    Code::BadOutput,
                    at,
                    format!("no output is read as `{name}`: a function decides what is one"),
                )
                .cure("read its base, and enter the type in the workflow");
                self.given_here(error, at, node);
                return false;
            }
            next = match self.type_def(ty).map(|def| &def.shape) {
                Some(Shape::Refined { base, .. }) => {
                    let base = self.bring(ty.module, *base, &[]);
                    self.head(base).map(|(named, _)| named)
                }
                _ => None,
            };
        }
        true
    }

    fn shaped(&mut self, ty: Ty) -> Shaped {
        let optional = self
            .head(ty)
            .is_some_and(|(named, _)| named == self.kernel.optional);
        let inner = self.inside_optional(ty);
        let plain = self.unrefined(inner);
        let refined = (plain != inner)
            .then(|| self.head(inner).map(|(named, _)| named))
            .flatten();
        let mut shaped = Shaped {
            gives: None,
            float: false,
            optional,
            refined,
            items: None,
        };
        let Some((named, args)) = self.head(plain) else {
            return shaped;
        };
        shaped.float = named == self.kernel.float;
        shaped.gives = if named == self.kernel.string {
            Some(Gives::Text)
        } else if named == self.kernel.int {
            Some(Gives::Number)
        } else if named == self.kernel.bool {
            Some(Gives::Truth)
        } else if let (true, Some(item)) = (named == self.kernel.list, args.first()) {
            let item = self.resolve(*item);
            let plain = self.unrefined(item);
            shaped.items = (plain != item)
                .then(|| self.head(item).map(|(named, _)| named))
                .flatten();
            let text = self
                .head(plain)
                .is_some_and(|(named, _)| named == self.kernel.string);
            text.then_some(Gives::Texts)
        } else {
            None
        };
        shaped
    }

    #[allow(clippy::too_many_arguments)] // one question, asked in one place
    fn keyed(
        &mut self,
        key: &str,
        known: &'static [(&'static str, Key, Gives)],
        shaped: &Shaped,
        ty: Ty,
        failing: bool,
        at: Location,
        node: NodeId,
    ) -> Option<Key> {
        let Some((_, found, gives)) = known.iter().find(|(name, ..)| *name == key) else {
            // A source with holes was refused as such.
            let from = self.source_written(at)?;
            let names: Vec<String> = known.iter().map(|(n, ..)| format!("`{n}`")).collect();
            let mut error = Diagnostic::error(
                Code::BadOutput,
                from,
                format!("nothing is read from `{key}` here"),
            )
            .note(format!(
                "a field is read from {}",
                super::super::show::listed(&names)
            ));
            error.cure = match self.nearest(key, known.iter().map(|(n, ..)| *n)) {
                Some(near) => Some(format!("did you mean `from \"{near}\"`?")),
                None => {
                    let first = known.first().map_or("", |(n, ..)| n);
                    Some(format!(
                        "say where the field is read from: `… from \"{first}\"`"
                    ))
                }
            };
            self.given_here(error, at, node);
            return None;
        };
        let optional = *found == Key::Error || (failing && *found != Key::Success);
        if shaped.gives == Some(*gives) && shaped.optional == optional {
            return Some(found.clone());
        }
        let mut wanted = match gives {
            Gives::Text => "String",
            Gives::Texts => "List<String>",
            Gives::Number => "Int",
            Gives::Truth => "Bool",
        }
        .to_owned();
        if optional {
            wanted.push('?');
        }
        let shown = self.show(ty);
        let mut error = Diagnostic::error(
            Code::BadOutput,
            at,
            format!("`{key}` gives {wanted}, and the field is declared as {shown}"),
        );
        if failing && optional && *found != Key::Error {
            error = error.note("the operation goes on where it fails, and then there is none");
        }
        self.given_here(error, at, node);
        None
    }

    /// A pointer into a JSON answer: RFC 6901; without one, the field's name.
    fn pointed(
        &mut self,
        key: &str,
        shaped: &Shaped,
        ty: Ty,
        at: Location,
        node: NodeId,
    ) -> Option<Key> {
        if let Some(found) = self.of_the_answer(key, shaped, ty, at, node) {
            return found;
        }
        if self.refuse_no_pointer(key, at, node) {
            return None;
        }
        let scalar = match shaped.gives {
            Some(Gives::Text) => Some(Scalar::String),
            Some(Gives::Texts) => Some(Scalar::Strings),
            Some(Gives::Number) => Some(Scalar::Int),
            Some(Gives::Truth) => Some(Scalar::Bool),
            None if shaped.float => Some(Scalar::Float),
            None => None,
        };
        let Some(scalar) = scalar else {
            let shown = self.show(ty);
            let error = Diagnostic::error(
                Code::BadOutput,
                at,
                format!("no value of an answer is read as {shown}"),
            )
            .note(
                "a value is read as String, Int, Float, Bool or List<String>, or an optional one",
            );
            self.given_here(error, at, node);
            return None;
        };
        let pointer = match key.starts_with('/') || key.is_empty() {
            true => key.to_owned(),
            false => format!("/{}", key.replace('~', "~0").replace('/', "~1")),
        };
        Some(Key::Pointer(pointer.into(), scalar))
    }

    /// Refuses what is written for something else than a member of that name: a slip in a name of
    /// the answer's own, or a path of JSONPath.
    fn refuse_no_pointer(&mut self, key: &str, at: Location, node: NodeId) -> bool {
        let (message, note, cure) = if key.starts_with("http_") {
            let (name, header) = key.split_once(':').unwrap_or((key, "NAME"));
            let known = ["http_status", "http_body", "http_header"];
            let near = match self.nearest(name, known.into_iter()) {
                Some("http_header") => format!("did you mean `from \"http_header:{header}\"`? "),
                Some(near) => format!("did you mean `from \"{near}\"`? "),
                None => String::new(),
            };
            (
                format!("an answer has no `{key}`"),
                "beside its JSON it has `http_status`, `http_body` and `http_header:NAME`",
                format!("{near}A member of that name is written `from \"/{key}\"`"),
            )
        } else if key.starts_with('$') {
            let cure = match pointer_of(key) {
                Some(pointer) => format!("write `from \"{pointer}\"`"),
                None => {
                    "write the names on the way, a slash in front of each: `from \"/a/b\"`".into()
                }
            };
            (
                format!("`{key}` is no JSON pointer"),
                "a member is named by a JSON pointer: RFC 6901",
                cure,
            )
        } else {
            return false;
        };
        // A source with holes was refused as such.
        if let Some(from) = self.source_written(at) {
            let error = Diagnostic::error(Code::BadOutput, from, message);
            self.given_here(error.note(note).cure(cure), at, node);
        }
        true
    }

    /// What an answer has besides the values of its JSON; none if the key is a pointer.
    fn of_the_answer(
        &mut self,
        key: &str,
        shaped: &Shaped,
        ty: Ty,
        at: Location,
        node: NodeId,
    ) -> Option<Option<Key>> {
        let (found, gives, optional) = match key {
            "http_status" => (Key::HttpStatus, Gives::Number, false),
            "http_body" => (Key::HttpBody, Gives::Text, false),
            _ => {
                let name = key.strip_prefix("http_header:")?.to_ascii_lowercase();
                (Key::HttpHeader(name.into()), Gives::Text, true)
            }
        };
        if shaped.gives == Some(gives) && shaped.optional == optional {
            return Some(Some(found));
        }
        let wanted = match (gives, optional) {
            (Gives::Number, _) => "Int",
            (_, true) => "String?",
            (_, false) => "String",
        };
        let shown = self.show(ty);
        let mut error = Diagnostic::error(
            Code::BadOutput,
            at,
            format!("`{key}` gives {wanted}, and the field is declared as {shown}"),
        );
        if optional {
            error = error.note("an answer need not have the header");
        }
        self.given_here(error, at, node);
        Some(None)
    }

    /// Where a field of this file says what it is read from, and the field itself otherwise;
    /// none if that is no text that is written out.
    fn source_written(&self, field: Location) -> Option<Location> {
        if field.source != self.tree.source() {
            return Some(field);
        }
        let path = self.tree.path_to(field.span.start);
        let declared = path
            .into_iter()
            .rfind(|node| self.tree.kind(*node) == Node::FieldDecl);
        let from = declared.and_then(|node| self.tree.child(node, Node::Source));
        let written = from.and_then(|from| self.tree.expr_child(from));
        match written {
            Some(text) if self.tree.expr_child(text).is_some() => None,
            Some(text) => Some(self.at(text)),
            None => Some(field),
        }
    }

    /// Reports a mistake in a field that may be declared in another module.
    fn given_here(&mut self, error: Diagnostic, at: Location, node: NodeId) {
        let error = if at.source == self.tree.source() {
            error
        } else {
            let mut here =
                Diagnostic::error(error.code, self.at(node), error.message).other(at, "the field");
            here.notes = error.notes;
            here.cure = error.cure;
            here
        };
        self.report(error);
    }
}

/// The pointer for a path of JSONPath that has names and numbers alone: `$.a[0].b`.
fn pointer_of(path: &str) -> Option<String> {
    let path = path.strip_prefix('$')?.replace('[', ".").replace(']', "");
    let plain = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let names = path.strip_prefix('.')?.split('.');
    let mut pointer = String::new();
    for name in names {
        if name.is_empty() || !name.chars().all(plain) {
            return None;
        }
        pointer.push('/');
        pointer.push_str(name);
    }
    Some(pointer)
}
