//! Operations in the machine: from parts to a request, and from what comes back
//! to a value of the declared type.

use crate::heap;
use crate::http::{self, NoRequest, Part};
use crate::machine::{Machine, present};
use crate::operations::{Answer, Ask, Reply, Request, Stdin};
use crate::pointer::{self, Found, Lists};
use crate::refusal::{Step, broken, refuse, refuse_with_cure};
use crate::value::Value;
use dag_analysis::core::ModuleId;
use dag_analysis::operation::{Exit, Fill, Key, Operation, Scalar, Status, Transport, Verb};
use dag_syntax::Code as Rule;

/// Letters of a program's complaint that a refusal shows.
const SHOWN: usize = 200;

impl<'e> Machine<'e> {
    /// An operation of a module.
    pub(crate) fn operation(&self, module: ModuleId, index: u32) -> Step<&'e Operation> {
        let module = self.evaluator.program().modules.get(module.0 as usize);
        module
            .and_then(|m| m.operations.get(index as usize))
            .ok_or_else(|| broken("an unknown operation"))
    }

    /// Asks; none if the mock is to answer.
    pub(crate) fn perform(
        &mut self,
        operation: &'e Operation,
        parts: Vec<Value>,
    ) -> Step<Option<Value>> {
        let ask = self.ask(operation, parts)?;
        let request = Request {
            operation: operation.name,
            promises: operation.promises,
            ask,
        };
        let name = operation.name;
        // What stands in a message beside the operation's name.
        let place = match &request.ask {
            Ask::Http(http) => format!(" ({})", http.place()),
            Ask::Run { .. } | Ask::File { .. } => String::new(),
        };
        match self.operations.perform(&request) {
            Answer::Mock if operation.mock.is_empty() => refuse_with_cure(
                Rule::NotCarriedOut,
                format!(
                    "`{name}` has no `mock_response`, and a hermetic run asks nothing of the host"
                ),
                "give it a `mock_response`; `hayward run` takes a recording too, `--replay FILE`, or \
                 asks the host, `--mode wet`",
            ),
            Answer::Mock => Ok(None),
            Answer::Refused(why) => refuse(Rule::NotCarriedOut, format!("`{name}`{place}: {why}")),
            // Its status would be read as another's.
            Answer::Reply(reply) if !reply.is_to(&request.ask) => refuse(
                Rule::OutcomeRefused,
                format!("`{name}`{place} was given a reply to another kind of operation"),
            ),
            Answer::Reply(reply) => self.reply(operation, &reply, &place).map(Some),
        }
    }

    fn ask(&mut self, operation: &Operation, parts: Vec<Value>) -> Step<Ask> {
        let name = operation.name;
        let mut parts = parts.into_iter();
        match &operation.transport {
            Transport::Shell { words, stdin } => {
                let mut argv = Vec::new();
                for part in parts.by_ref().take(*words as usize) {
                    self.words(part, &mut argv)?;
                }
                for word in &argv {
                    if word.contains('\0') {
                        let message =
                            format!("a word of the argv of `{name}` has a NUL, which ends a word");
                        return refuse(Rule::BadArgv, message);
                    }
                }
                let stdin = match parts.next().filter(|_| *stdin) {
                    None => Stdin::Empty,
                    Some(part) => self.stdin(part)?,
                };
                Ok(Ask::Run { argv, stdin })
            }
            Transport::File(verb) => {
                let path = self.text(parts.next())?;
                if !path.starts_with('/') || path.contains('\0') {
                    let shown: String = path.chars().take(SHOWN).collect();
                    let message = format!(
                        "the path {} of `{name}` is not absolute, or has a NUL",
                        crate::display::quote(&shown)
                    );
                    return refuse(Rule::NotCarriedOut, message);
                }
                let content = match verb {
                    Verb::Write => self.text(parts.next())?,
                    Verb::Read | Verb::List => String::new(),
                };
                Ok(Ask::File {
                    verb: *verb,
                    path,
                    content,
                })
            }
            Transport::Rest(rest) => {
                let mut texts = Vec::new();
                for part in parts {
                    texts.push(self.http_part(part)?);
                }
                let fills = operation.exits.iter().flat_map(|exit| &exit.fields);
                let mut read: Vec<String> = fills
                    .filter_map(|fill| match &fill.key {
                        Key::HttpHeader(name) => Some(name.as_ref().to_owned()),
                        _ => None,
                    })
                    .collect();
                read.sort_unstable();
                read.dedup();
                match http::request(rest, read, texts) {
                    Ok(request) => Ok(Ask::Http(Box::new(request))),
                    Err(NoRequest::Refused(why)) => {
                        let method = rest.method.as_str();
                        refuse(Rule::NotCarriedOut, format!("{method} of `{name}`: {why}"))
                    }
                    Err(NoRequest::Broken) => Err(broken("a request with other parts")),
                }
            }
        }
    }

    fn http_part(&mut self, part: Value) -> Step<Part> {
        if let Some(name) = self.secret(&part) {
            return Ok(Part::Secret(name));
        }
        let mut texts = Vec::new();
        match part {
            Value::Str(_) | Value::List(_) => self.words(part, &mut texts)?,
            optional => {
                if let Some(value) = present(optional)? {
                    self.words(value, &mut texts)?;
                }
            }
        }
        Ok(Part::Texts(texts))
    }

    /// A text gives a word, a list one for each of its items.
    fn words(&mut self, part: Value, words: &mut Vec<String>) -> Step<()> {
        match part {
            Value::Str(text) => {
                self.charge(text.len())?;
                words.push(text.as_str().to_owned());
            }
            Value::List(items) => {
                for item in items.iter() {
                    words.push(self.text(Some(item.clone()))?);
                }
            }
            _ => return Err(broken("a word that is no text")),
        }
        Ok(())
    }

    fn text(&mut self, part: Option<Value>) -> Step<String> {
        match part {
            Some(Value::Str(text)) => {
                self.charge(text.len())?;
                Ok(text.as_str().to_owned())
            }
            _ => Err(broken("a part that is no text")),
        }
    }

    fn stdin(&mut self, part: Value) -> Step<Stdin> {
        match self.secret(&part) {
            Some(name) => Ok(Stdin::Secret(name)),
            None => Ok(Stdin::Text(self.text(Some(part))?)),
        }
    }

    /// The name of a secret.
    fn secret(&self, part: &Value) -> Option<String> {
        let data = part.as_data()?;
        let secret = self.evaluator.kernel()?.secret;
        let name = (data.ctor.ty == secret).then(|| data.fields.first())??;
        name.as_str().map(str::to_owned)
    }

    /// The value that a reply stands for.
    fn reply(&mut self, operation: &Operation, reply: &Reply, place: &str) -> Step<Value> {
        let name = operation.name;
        let status = match reply {
            Reply::Exit { status, .. } => u16::from(*status),
            Reply::Http { status, .. } => *status,
            Reply::Content(_) | Reply::Written(_) | Reply::Entries(_) => 0,
        };
        let row = operation.exits.iter().find(|e| e.status.takes(status));
        let Some(row) = row else {
            let mut message =
                format!("`{name}`{place} ended with status {status}, and no row takes it");
            if let Reply::Exit { stderr: said, .. } | Reply::Http { body: said, .. } = reply {
                let said = String::from_utf8_lossy(said);
                let said: String = said.trim().chars().take(SHOWN).collect();
                if !said.is_empty() {
                    message.push_str(&format!(": it said {}", crate::display::quote(&said)));
                }
            }
            return refuse(Rule::OutcomeRefused, message);
        };
        let reads = |key: &Key| row.fields.iter().any(|f| f.key == *key);
        if let Some(why) = failure(reply)
            && !reads(&Key::Success)
            && !reads(&Key::Error)
        {
            return refuse(Rule::OutcomeRefused, format!("`{name}`: {why}"));
        }
        let Some(ctor) = row.gives else {
            return Ok(Value::Unit);
        };
        let mut fields = Vec::with_capacity(row.fields.len());
        for fill in &row.fields {
            fields.push(self.field(operation, reply, fill)?);
        }
        Ok(Value::data(ctor, fields))
    }

    fn field(&mut self, operation: &Operation, reply: &Reply, fill: &Fill) -> Step<Value> {
        let found = match (&fill.key, reply) {
            (Key::Pointer(pointer, scalar), Reply::Http { body, .. }) => {
                self.pointed(operation, body, pointer, *scalar)?
            }
            (key, _) => self.read(operation, reply, key)?,
        };
        let program = self.evaluator.program();
        if let (Some(items), Some(Value::List(list))) = (fill.items, &found) {
            let refinement = self.evaluator.refinement(items);
            for item in list.iter() {
                self.charge(refinement.cost(item))?;
                refinement.check(program, item)?;
            }
        }
        if let (Some(ty), Some(value)) = (fill.refined, &found) {
            let refinement = self.evaluator.refinement(ty);
            self.charge(refinement.cost(value))?;
            refinement.check(program, value)?;
        }
        let kernel = self.evaluator.kernel();
        let kernel = kernel.ok_or_else(|| broken("a program without `std.types`"))?;
        match (found, fill.optional) {
            (Some(value), true) => Ok(Value::data(kernel.present(), [value])),
            (None, true) => Ok(Value::data(kernel.absent(), [])),
            (Some(value), false) => Ok(value),
            (None, false) => refuse(
                Rule::OutcomeRefused,
                format!(
                    "`{}` gave nothing for a field that is not optional",
                    operation.name
                ),
            ),
        }
    }

    /// What a key gives; none if there is no such thing in this reply.
    fn read(&mut self, operation: &Operation, reply: &Reply, key: &Key) -> Step<Option<Value>> {
        Ok(Some(match (key, reply) {
            (Key::Stdout, Reply::Exit { stdout, .. }) => {
                let text = self.utf8(operation, stdout, "standard output")?;
                self.whole(text.trim_end())?
            }
            (Key::Stderr, Reply::Exit { stderr, .. }) => {
                let text = self.utf8(operation, stderr, "standard error")?;
                self.whole(text.trim_end())?
            }
            (Key::StdoutLines, Reply::Exit { stdout, .. }) => {
                let text = self.utf8(operation, stdout, "standard output")?;
                self.texts(text.lines().count(), text.len())?;
                Value::list(text.lines().map(Value::text))
            }
            (Key::ExitCode, Reply::Exit { status, .. }) => Value::Int(i64::from(*status)),
            (Key::ExitSuccess, Reply::Exit { status, .. }) => Value::Bool(*status == 0),
            (Key::Content, Reply::Content(Ok(bytes))) => {
                let text = self.utf8(operation, bytes, "the file")?;
                self.whole(text)?
            }
            (Key::Entries, Reply::Entries(Ok(names))) => {
                self.texts(names.len(), names.iter().map(String::len).sum())?;
                Value::list(names.iter().map(|n| Value::text(n)))
            }
            (Key::BytesWritten, Reply::Written(Ok(bytes))) => {
                Value::Int(i64::try_from(*bytes).unwrap_or(i64::MAX))
            }
            (Key::Content | Key::Entries | Key::BytesWritten, _) => return Ok(None),
            (Key::Success, reply) => Value::Bool(failure(reply).is_none()),
            (Key::Error, reply) => match failure(reply) {
                Some(why) => Value::text(why),
                None => return Ok(None),
            },
            (Key::HttpStatus, Reply::Http { status, .. }) => Value::Int(i64::from(*status)),
            (Key::HttpBody, Reply::Http { body, .. }) => {
                let text = self.utf8(operation, body, "the answer")?;
                self.whole(text)?
            }
            (Key::HttpHeader(name), Reply::Http { headers, .. }) => {
                match headers.iter().find(|(n, _)| **n == **name) {
                    Some((_, value)) => Value::text(value),
                    None => return Ok(None),
                }
            }
            _ => return Err(broken("a key of another transport")),
        }))
    }

    fn utf8<'b>(&mut self, operation: &Operation, bytes: &'b [u8], what: &str) -> Step<&'b str> {
        self.check_bytes(bytes.len())?;
        self.charge(bytes.len())?;
        match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text),
            Err(error) => refuse(
                Rule::OutcomeRefused,
                format!(
                    "{what} of `{}` is not UTF-8 (byte {})",
                    operation.name,
                    error.valid_up_to()
                ),
            ),
        }
    }

    /// A text of a reply as a value.
    fn whole(&mut self, text: &str) -> Step<Value> {
        self.allocate(heap::text(text.len()))?;
        Ok(Value::text(text))
    }

    /// Takes room for a list of so many texts, of so many bytes together.
    fn texts(&mut self, count: usize, bytes: usize) -> Step<()> {
        self.check_items(count)?;
        self.allocate(heap::texts(count, bytes))
    }

    /// What a pointer leads to in an answer; none if there is nothing, or `null`.
    fn pointed(
        &mut self,
        operation: &Operation,
        body: &[u8],
        pointer: &str,
        scalar: Scalar,
    ) -> Step<Option<Value>> {
        let mut found = self.find(operation, body, pointer, scalar, Lists::Counted)?;
        if let Found::Texts { count, bytes } = found {
            self.texts(count, bytes)?;
            found = self.find(operation, body, pointer, scalar, Lists::Built)?;
        }
        match found {
            Found::Nothing => Ok(None),
            Found::It(value) => {
                if let Value::Str(text) = &value {
                    self.allocate(heap::text(text.len()))?;
                }
                Ok(Some(value))
            }
            Found::Other | Found::Texts { .. } => refuse(
                Rule::OutcomeRefused,
                format!(
                    "what `{}` answers at `{pointer}` is no {scalar:?}",
                    operation.name
                ),
            ),
        }
    }

    fn find(
        &mut self,
        operation: &Operation,
        body: &[u8],
        pointer: &str,
        scalar: Scalar,
        lists: Lists,
    ) -> Step<Found> {
        // It is read once more for each field.
        self.utf8(operation, body, "the answer")?;
        pointer::find(body, pointer, scalar, lists).or_else(|_| {
            refuse_with_cure(
                Rule::OutcomeRefused,
                format!("the answer of `{}` is not JSON", operation.name),
                "for a text, write `response_format: \"text\"` and read it `from \"http_body\"`",
            )
        })
    }

    /// The value of the first row of a mock that answers.
    pub(crate) fn mocked(&mut self, operation: &Operation, rows: Value) -> Step<Value> {
        let name = operation.name;
        let Value::List(rows) = rows else {
            return Err(broken("a mock that is no list"));
        };
        for (row, status) in rows.iter().zip(&operation.mock) {
            let Some(value) = present(row.clone())? else {
                continue;
            };
            let exit = operation.exits.iter().find(|e| covers(e, *status));
            let declared = exit.and_then(|e| e.gives);
            let given = value.as_data().map(|d| d.ctor);
            if declared.is_some() && declared != given {
                let program = self.evaluator.program();
                let shown = value.variant_name(program);
                return refuse(
                    Rule::OutcomeRefused,
                    format!(
                        "the mock of `{name}` gives `{}` for the status {status}, whose row gives another",
                        shown.map_or("?", |s| s.as_str())
                    ),
                );
            }
            return Ok(value);
        }
        refuse(
            Rule::NotCarriedOut,
            format!("no row of the mock of `{name}` answers these inputs"),
        )
    }
}

fn covers(exit: &Exit, status: Status) -> bool {
    match status {
        Status::Code(code) => exit.status.takes(code),
        other => exit.status == other || exit.status == Status::Any,
    }
}

/// Why a file operation failed.
fn failure(reply: &Reply) -> Option<&str> {
    match reply {
        Reply::Content(Err(why)) | Reply::Written(Err(why)) | Reply::Entries(Err(why)) => Some(why),
        _ => None,
    }
}
