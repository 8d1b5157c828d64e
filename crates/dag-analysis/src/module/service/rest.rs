//! The request of a `rest` transport. What decides where it goes, and what a
//! server would read as more than a value, is written out: a value is put into a
//! place that is made for it.

use super::{Checker, OperationHead};
use crate::core::{Expr, ExprId};
use crate::operation::{Key, Method, Origin, Piece, Rest, RestEntry, Transport};
use crate::types::Ty;
use dag_syntax::{Code, Diagnostic, Node, NodeId, Symbol};
use std::sync::Arc;

/// What a `rest` transport says.
pub(super) const ENTRIES: &[&str] = &[
    "base_url",
    "method",
    "path",
    "query",
    "body",
    "response_format",
    "headers",
    "auth_basic",
    "tls",
];

/// Headers that say how a message is carried, and so are the client's: RFC 9110
/// section 7, RFC 9112. `Accept` follows from `response_format`.
const OWN: &[&str] = &[
    "accept",
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "user-agent",
];

/// What is collected of a request.
#[derive(Default)]
struct Parts {
    entries: Vec<RestEntry>,
    parts: Vec<ExprId>,
}

impl Checker<'_> {
    pub(super) fn rest(&mut self, head: &OperationHead) -> (Transport, Vec<ExprId>) {
        let block = head.transport;
        let method = self.method(head);
        let tls = self.tls(block);
        let json = self.response_format(head);
        let mut made = Parts::default();
        self.destination(head, tls, &mut made);
        if let Some(path) = self.value(block, "path") {
            self.path(path, &mut made);
        }
        for (name, _, value) in self.named_values(block, "query") {
            made.parts.push(self.query_value(value));
            made.entries.push(RestEntry::Query(name.as_str().into()));
        }
        self.headers(block, &mut made);
        self.basic(block, &mut made);
        self.body(block, method, &mut made);
        if method == Some(Method::Head) {
            self.refuse_body_keys(head, "a HEAD request is answered without a body");
        }
        let rest = Rest {
            method: method.unwrap_or(Method::Get),
            tls,
            json,
            entries: made.entries,
        };
        (Transport::Rest(rest), made.parts)
    }

    fn method(&mut self, head: &OperationHead) -> Option<Method> {
        let Some(value) = self.value(head.transport, "method") else {
            let error = Diagnostic::error(
                Code::BadService,
                self.at(head.transport),
                "a `rest` transport has a `method`",
            )
            .cure("write `method: \"GET\"`");
            self.report(error);
            return None;
        };
        let text = self.plain_text(value);
        let known = text.and_then(|text| Method::ALL.into_iter().find(|m| m.as_str() == &*text));
        match known {
            Some(Method::Get | Method::Head) => {}
            Some(method) if head.promises.readonly => {
                let method = method.as_str();
                let message = format!("a `readonly` operation makes no {method} request");
                self.error(Code::BadService, value, message);
            }
            Some(_) => {}
            None => self.error(
                Code::BadService,
                value,
                "the method is `\"GET\"`, `\"HEAD\"`, `\"POST\"`, `\"PUT\"`, `\"PATCH\"` or \
                 `\"DELETE\"`, written out",
            ),
        }
        known
    }

    /// Whether it goes over TLS: always, unless `false` is written there.
    fn tls(&mut self, block: NodeId) -> bool {
        let Some(value) = self.value(block, "tls") else {
            return true;
        };
        match self.tree.text(value).trim() {
            "true" => return true,
            "false" => return false,
            _ => {}
        }
        let error = Diagnostic::error(
            Code::BadService,
            self.at(value),
            "`tls` is `true` or `false`, written out",
        )
        .note("who reads the transport sees whether others on the way can read the request");
        self.report(error);
        true
    }

    /// Whether the answer is asked for as JSON.
    fn response_format(&mut self, head: &OperationHead) -> bool {
        let Some(value) = self.value(head.transport, "response_format") else {
            return true;
        };
        match self.plain_text(value).as_deref() {
            Some("json") => true,
            Some("text") => {
                self.refuse_body_pointers(head);
                false
            }
            _ => {
                let message = "the format is `\"json\"` or `\"text\"`, written out";
                self.error(Code::BadService, value, message);
                true
            }
        }
    }

    fn refuse_body_pointers(&mut self, head: &OperationHead) {
        let fills = || head.exits.iter().flat_map(|exit| &exit.fields);
        let pointer = fills().find_map(|fill| match &fill.key {
            Key::Pointer(pointer, _) => Some(Arc::clone(pointer)),
            _ => None,
        });
        if let Some(pointer) = pointer {
            let error = Diagnostic::error(
                Code::BadOutput,
                self.at(head.transport),
                format!("an output is read at `{pointer}` of an answer that is text"),
            )
            .cure("read it `from \"http_body\"`, or leave `response_format` out");
            self.report(error);
        }
    }

    fn refuse_body_keys(&mut self, head: &OperationHead, why: &str) {
        let mut fills = head.exits.iter().flat_map(|exit| &exit.fields);
        if fills.any(|fill| matches!(fill.key, Key::Pointer(..) | Key::HttpBody)) {
            let error = Diagnostic::error(Code::BadOutput, self.at(head.transport), why)
                .cure("read `http_status` or `http_header:NAME`, or make it a GET request");
            self.report(error);
        }
    }

    /// Where it goes: the transport's `base_url`, or what the service says of all its
    /// requests. Of the other entries of a `config` nothing is made.
    fn destination(&mut self, head: &OperationHead, tls: bool, made: &mut Parts) {
        let own = self.value(head.transport, "base_url");
        let shared = head.config.and_then(|config| self.endpoint(config));
        let Some(value) = own.or(shared) else {
            let error = Diagnostic::error(
                Code::BadService,
                self.at(head.transport),
                "nothing says where the request goes",
            )
            .cure("give the transport a `base_url`, or the service a `config { endpoint: … }`");
            self.report(error);
            return;
        };
        if let (Some(_), Some(shared)) = (own, shared) {
            self.infer(shared);
        }
        let kind = self.tree.kind(value);
        let plain = self.plain_text(value);
        if plain.is_none() && !matches!(kind, Node::NameExpr | Node::FieldExpr) {
            let (_, ty) = self.infer(value);
            if kind != Node::StrExpr && self.unrefined(ty) != self.string() {
                self.mismatched(ty, value);
                return;
            }
            let error = Diagnostic::error(
                Code::BadService,
                self.at(value),
                "where a request goes is written out, or a name gives it whole",
            )
            .note(
                "a value in a piece of it could send the request, and its secrets, to another host",
            )
            .cure("put the value into `path` or `query`, where it is encoded");
            self.report(error);
            return;
        }
        if let Some(text) = plain {
            self.origin(&text, value, tls);
        }
        made.parts.push(self.text_part(value, false));
        made.entries.push(RestEntry::Base);
    }

    fn mismatched(&mut self, ty: Ty, node: NodeId) {
        if !self.is_error(ty) {
            let shown = self.show(ty);
            let message = format!("expected String, found {shown}");
            self.error(Code::TypeMismatch, node, message);
        }
    }

    fn origin(&mut self, text: &str, node: NodeId, tls: bool) {
        let error = match Origin::parse(text) {
            Ok(origin) if origin.tls == tls => return,
            Ok(origin) if origin.tls => Diagnostic::error(
                Code::BadService,
                self.at(node),
                "`tls: false` is written, and `https` goes over TLS",
            )
            .cure("leave `tls` out"),
            Ok(_) => Diagnostic::error(
                Code::BadService,
                self.at(node),
                "a request over `http` can be read and changed on its way",
            )
            .cure("write `https://…`, or say that it is meant: `tls: false`"),
            Err(why) => Diagnostic::error(
                Code::BadService,
                self.at(node),
                "this is no place where a request goes",
            )
            .note(why.to_string())
            .cure("write `\"https://host\"`, with a path behind it if all requests share one"),
        };
        self.report(error);
    }

    fn endpoint(&mut self, config: NodeId) -> Option<NodeId> {
        let unread = ["auth", "auth_input", "auth_source", "rate_limit"];
        let mut known = vec!["endpoint"];
        known.extend(unread);
        self.known_entries(config, &known);
        let mut endpoint = None;
        for entry in self
            .tree
            .children_of(config, Node::Entry)
            .collect::<Vec<_>>()
        {
            let (Some(label), Some(value)) = (
                self.tree.child(entry, Node::Name),
                self.tree.expr_child(entry),
            ) else {
                continue;
            };
            let name = self.tree.text(label);
            if unread.contains(&name) {
                let message = format!("nothing reads `{name}`");
                let error = Diagnostic::error(Code::NoMeaning, self.at(label), message)
                    .cure("give a request its secret in a header, or with `auth_basic`");
                self.report(error);
            } else if name == "endpoint" && endpoint.is_none() {
                endpoint = Some(value);
            } else {
                self.infer(value);
            }
        }
        endpoint
    }

    fn path(&mut self, value: NodeId, made: &mut Parts) {
        if self.tree.kind(value) != Node::StrExpr {
            made.parts.push(self.text_part(value, false));
            made.entries.push(RestEntry::WholePath);
            return;
        }
        let (pieces, _) = self.pieces(value, false, &mut made.parts);
        let texts = || {
            pieces.iter().filter_map(|piece| match piece {
                Piece::Text(text) => Some(text),
                Piece::Hole => None,
            })
        };
        let error = |checker: &Self, message: &str| {
            Diagnostic::error(Code::BadService, checker.at(value), message)
        };
        if !matches!(pieces.first(), Some(Piece::Text(text)) if text.starts_with('/')) {
            let mut error = error(self, "a path begins with `/`");
            if let [Piece::Hole] = pieces.as_slice() {
                error = error
                    .note("a hole is encoded, the `/` in it too: it is one segment")
                    .cure("write `path: name`, without quotes, for a path with all its segments");
            }
            self.report(error);
        } else if texts().any(|text| text.contains(['?', '#', '%'])) {
            let error = error(self, "a path has no `?`, `#` or `%`")
                .note("what a path needs encoded is encoded where the request is made")
                .cure("write `query: { name: value }` for what stands behind a `?`");
            self.report(error);
        } else {
            let whole: String = pieces
                .iter()
                .map(|piece| match piece {
                    Piece::Text(text) => text,
                    // Any text that is no dot stands for what a hole gives.
                    Piece::Hole => "x",
                })
                .collect();
            if dag_uri::has_dots(&whole) {
                let error = error(self, "a path has no segment `.` or `..`")
                    .note("a server takes it away, with the segment before it");
                self.report(error);
            }
        }
        made.entries.push(RestEntry::Path(pieces));
    }

    /// The pieces of a text, and whether one is a secret; each hole adds its part.
    fn pieces(
        &mut self,
        node: NodeId,
        secret: bool,
        parts: &mut Vec<ExprId>,
    ) -> (Vec<Piece>, bool) {
        let mut pieces = Vec::new();
        let mut has_secret = false;
        for (expr, hole) in self.string_parts(node) {
            match (hole, self.body.expr(expr)) {
                (None, Expr::Str(text)) => pieces.push(Piece::Text(Arc::clone(text))),
                (None, _) => {}
                (Some((hole, ty)), _) => {
                    pieces.push(Piece::Hole);
                    if secret && self.is_secret(ty) {
                        has_secret = true;
                        parts.push(expr);
                        continue;
                    }
                    self.hole(ty, hole);
                    let run = self.operands(vec![expr]);
                    parts.push(self.push(Expr::Interpolate(run), hole));
                }
            }
        }
        (pieces, has_secret)
    }

    /// The names and values of `{ name: value }`. Names are written out.
    fn named_values(&mut self, block: NodeId, entry: &str) -> Vec<(Symbol, NodeId, NodeId)> {
        let Some(value) = self.value(block, entry) else {
            return Vec::new();
        };
        if self.tree.kind(value) != Node::BraceExpr {
            let error = Diagnostic::error(
                Code::BadService,
                self.at(value),
                format!("`{entry}` is written out: `{{ \"name\": value }}`"),
            )
            .note("a name that a value gives could say something else than is meant");
            self.report(error);
            return Vec::new();
        }
        let mut named: Vec<(Symbol, NodeId, NodeId)> = Vec::new();
        for pair in self.tree.children(value).to_vec() {
            let (label, value) = match self.tree.kind(pair) {
                Node::MapEntry => (
                    self.tree.child(pair, Node::StrExpr),
                    self.tree.children(pair).get(1).copied(),
                ),
                _ => (
                    self.tree.child(pair, Node::Name),
                    self.tree.expr_child(pair),
                ),
            };
            let name = label.and_then(|label| match self.tree.kind(label) {
                Node::Name => Some(self.tree.symbol(label)),
                _ => self.plain_text(label).map(|text| Symbol::new(&text)),
            });
            let (Some(label), Some(name), Some(value)) = (label, name, value) else {
                let message = "an entry is written `\"name\": value`, its name without a hole";
                self.error(Code::BadService, pair, message);
                continue;
            };
            // Names of headers are the same in small and large letters.
            let same = |(n, ..): &&(Symbol, NodeId, NodeId)| {
                n.as_str().eq_ignore_ascii_case(name.as_str()) && (entry == "headers" || *n == name)
            };
            if let Some((_, first, _)) = named.iter().find(same) {
                let error = Diagnostic::error(
                    Code::BadService,
                    self.at(label),
                    format!("`{name}` stands twice"),
                )
                .other(self.at(*first), "the first time");
                self.report(error);
                continue;
            }
            named.push((name, label, value));
        }
        named
    }

    /// A text, an optional one, or a list: the pairs of a name.
    fn query_value(&mut self, node: NodeId) -> ExprId {
        let (part, ty) = self.shown_part(node);
        let string = self.string();
        let (texts, maybe) = (self.list(string), self.optional(string));
        if self.is_error(ty)
            || [string, texts, maybe]
                .into_iter()
                .any(|t| self.widens(ty, t))
            || self.refuse_secret(ty, node)
        {
            return part;
        }
        let shown = self.show(ty);
        let error = Diagnostic::error(
            Code::TypeMismatch,
            self.at(node),
            format!("expected String, String? or List<String>, found {shown}"),
        )
        .cure("write a number or a name in a string: `\"{…}\"`");
        self.report(error);
        part
    }

    fn headers(&mut self, block: NodeId, made: &mut Parts) {
        let basic = self.value(block, "auth_basic").is_some();
        for (name, at, value) in self.named_values(block, "headers") {
            let lower = name.as_str().to_ascii_lowercase();
            // `token` of RFC 9110 section 5.6.2.
            let token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
            if lower.is_empty() || !lower.chars().all(token) {
                let message = format!("`{name}` is no name of a header");
                self.error(Code::BadService, at, message);
            } else if OWN.contains(&&*lower) || lower.starts_with("proxy-") {
                let message = format!("the header `{name}` is not the operation's to write");
                let error = Diagnostic::error(Code::BadService, self.at(at), message)
                    .note("it follows from the request, and would stand there twice");
                self.report(error);
            } else if lower == "authorization" && basic {
                let message = "`auth_basic` writes this header already";
                self.error(Code::BadService, at, message);
            }
            let mistakes = self.mistakes();
            let (pieces, secret) = match self.tree.kind(value) {
                Node::StrExpr => self.pieces(value, true, &mut made.parts),
                _ => {
                    let (part, ty) = self.text_or_secret(value);
                    made.parts.push(part);
                    (vec![Piece::Hole], self.is_secret(ty))
                }
            };
            if lower == "authorization" && !secret && self.mistakes() == mistakes {
                let error = Diagnostic::error(
                    Code::SecretShown,
                    self.at(value),
                    "what lets a request in is a Secret",
                )
                .note("a text stands in the model, in recordings and in messages")
                .cure("take a parameter `token: Secret`, and write `\"Bearer {token}\"`");
                self.report(error);
            }
            made.entries
                .push(RestEntry::Header(name.as_str().into(), pieces));
        }
    }

    fn basic(&mut self, block: NodeId, made: &mut Parts) {
        if self.value(block, "auth_basic").is_none() {
            return;
        }
        let pairs = self.named_values(block, "auth_basic");
        let find = |name: &str| pairs.iter().find(|(n, ..)| n.as_str() == name);
        let (Some((.., user)), Some((.., password)), 2) =
            (find("user"), find("password"), pairs.len())
        else {
            let at = self.value(block, "auth_basic").unwrap_or(block);
            if self.tree.kind(at) == Node::BraceExpr {
                let message = "`auth_basic` is `{ user: …, password: … }`";
                self.error(Code::BadService, at, message);
            }
            return;
        };
        made.parts.push(self.text_part(*user, false));
        let (part, ty) = self.infer(*password);
        if !self.is_error(ty) && !self.is_secret(ty) {
            let shown = self.show(ty);
            let error = Diagnostic::error(
                Code::TypeMismatch,
                self.at(*password),
                format!("expected Secret, found {shown}"),
            )
            .cure("take a parameter `password: Secret`");
            self.report(error);
        }
        made.parts.push(part);
        made.entries.push(RestEntry::Basic);
    }

    fn body(&mut self, block: NodeId, method: Option<Method>, made: &mut Parts) {
        let Some(value) = self.value(block, "body") else {
            return;
        };
        if let Some(method) = method.filter(|method| !method.has_body()) {
            let method = method.as_str();
            let message = format!("a {method} request has no body");
            let error = Diagnostic::error(Code::BadService, self.at(value), message).note(
                "servers and proxies drop it, or take it for the next request (RFC 9110, 9.3)",
            );
            self.report(error);
        }
        let typed = |entry: &RestEntry| matches!(entry, RestEntry::Header(name, _) if name.eq_ignore_ascii_case("content-type"));
        if !made.entries.iter().any(typed) {
            let error = Diagnostic::error(
                Code::BadService,
                self.at(value),
                "nothing says what the body is",
            )
            .cure("write `headers: { \"Content-Type\": \"application/json\" }`");
            self.report(error);
        }
        made.parts.push(self.text_part(value, false));
        made.entries.push(RestEntry::Body);
    }
}
