//! The request of an operation: expressions over its inputs, each of the type
//! that its transport takes.

use super::{Carrier, Checker, OperationHead};
use crate::core::{ExprId, Shape};
use crate::operation::{Transport, Verb};
use crate::types::Ty;
use dag_syntax::{Code, Diagnostic, Node, NodeId, Symbol};

impl Checker<'_> {
    /// The transport, and the parts that its requests are made of.
    pub(super) fn request(&mut self, head: &OperationHead) -> (Transport, Vec<ExprId>) {
        self.transport_entries(head.transport, head.carrier);
        self.effects.over_http = head.carrier == Carrier::Rest;
        match head.carrier {
            Carrier::Shell => self.shell(head),
            Carrier::File => self.file(head),
            Carrier::Rest => self.rest(head),
        }
    }

    /// The entries of a transport, which several operations may share, are looked at once.
    pub(super) fn transport_entries(&mut self, transport: NodeId, carrier: Carrier) {
        let known: &[&str] = match carrier {
            Carrier::Shell => &["argv", "stdin"],
            Carrier::File => &["path", "verb"],
            Carrier::Rest => super::rest::ENTRIES,
        };
        if self.effects.transports.insert(transport) {
            self.known_entries(transport, known);
        }
    }

    /// Every entry is known, and stands once.
    pub(super) fn known_entries(&mut self, block: NodeId, known: &[&str]) {
        let mut seen: Vec<Symbol> = Vec::new();
        for entry in self
            .tree
            .children_of(block, Node::Entry)
            .collect::<Vec<_>>()
        {
            let Some(label) = self.tree.child(entry, Node::Name) else {
                continue;
            };
            let name = self.tree.symbol(label);
            if !known.contains(&name.as_str()) {
                let names: Vec<String> = known.iter().map(|n| format!("`{n}`")).collect();
                let mut error = Diagnostic::error(
                    Code::BadService,
                    self.at(label),
                    format!("there is no entry `{name}` here"),
                )
                .note(format!(
                    "the entries are {}",
                    super::super::show::listed(&names)
                ));
                if let Some(near) = self.nearest(name.as_str(), known.iter().copied()) {
                    error = error.cure(format!("did you mean `{near}`?"));
                }
                self.report(error);
            } else if seen.contains(&name) {
                let message = format!("the entry `{name}` stands twice");
                self.error(Code::BadService, label, message);
            }
            seen.push(name);
        }
    }

    pub(super) fn value(&self, block: NodeId, name: &str) -> Option<NodeId> {
        let entry = self.entry(block, name)?;
        self.tree.expr_child(entry)
    }

    fn shell(&mut self, head: &OperationHead) -> (Transport, Vec<ExprId>) {
        let mut parts = Vec::new();
        match self.value(head.transport, "argv") {
            None => {
                let error = Diagnostic::error(
                    Code::BadArgv,
                    self.at(head.transport),
                    "a `shell` transport has an `argv`",
                )
                .cure("write `argv: [\"/usr/bin/program\", \"word\"]`");
                self.report(error);
            }
            Some(list) if self.tree.kind(list) == Node::ListExpr => {
                let words = self.tree.children(list).to_vec();
                self.program(words.first().copied(), list);
                self.shell_text(&words);
                for word in words {
                    parts.push(self.word(word));
                }
            }
            Some(other) => {
                let error = Diagnostic::error(
                    Code::BadArgv,
                    self.at(other),
                    "an `argv` is a list that is written out",
                )
                .note("no shell reads it: each element is one word, whatever is in it")
                .cure("write `[\"/usr/bin/program\", \"word\", words]`");
                self.report(error);
            }
        }
        let words = parts.len() as u32;
        let stdin = self.value(head.transport, "stdin");
        if let Some(stdin) = stdin {
            let part = self.text_part(stdin, true);
            parts.push(part);
        }
        let transport = Transport::Shell {
            words,
            stdin: stdin.is_some(),
        };
        (transport, parts)
    }

    /// The first word is written out: it is what a line of sudoers permits.
    fn program(&mut self, first: Option<NodeId>, list: NodeId) {
        let text = first.and_then(|first| self.plain_text(first));
        if text.is_some_and(|text| !text.is_empty()) {
            return;
        }
        let error = Diagnostic::error(
            Code::BadArgv,
            self.at(first.unwrap_or(list)),
            "the first word of an `argv` is the program, written out",
        )
        .note("what may be run on a host is known before anything is run there")
        .cure("write an operation for each program");
        self.report(error);
    }

    /// What a word holds stays a word, unless a shell takes it apart again.
    fn shell_text(&mut self, words: &[NodeId]) {
        let texts: Vec<_> = words.iter().map(|word| self.plain_text(*word)).collect();
        let texts: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
        let Some(at) = super::shell_text::not_written_out(&texts) else {
            return;
        };
        let error = Diagnostic::error(
            Code::ShellText,
            self.at(words[at]),
            "a shell reads this word as a program, and it is not written out",
        )
        .note("whatever a value holds would be a part of that program: `a; id` runs `id`")
        .cure(
            "write the program out and give it the value as a word of its own: \
             `[\"/bin/sh\", \"-c\", \"echo \\\"$1\\\"\", \"sh\", value]`",
        );
        self.report(error);
    }

    /// A word, or a list of words.
    fn word(&mut self, node: NodeId) -> ExprId {
        let (part, ty) = self.shown_part(node);
        let string = self.string();
        let words = self.list(string);
        if self.is_error(ty) || self.widens(ty, string) || self.widens(ty, words) {
            return part;
        }
        if self.refuse_secret(ty, node) {
            return part;
        }
        let shown = self.show(ty);
        let mut error = Diagnostic::error(
            Code::BadArgv,
            self.at(node),
            format!("a word is a String or a List<String>, not {shown}"),
        );
        if let Some((named, args)) = self.head(ty) {
            let inner = args.first().copied();
            if named == self.kernel.optional && inner.is_some() {
                error = error.cure("`match` it: an absent word is `[]`, a present one `[word]`");
            } else if self.shows_as_word(ty) {
                error = error.cure("write it in a string: `\"{…}\"`");
            }
        }
        self.report(error);
        part
    }

    /// A text, which may be a secret if only its receiver reads it.
    pub(super) fn text_part(&mut self, node: NodeId, secret: bool) -> ExprId {
        if secret {
            return self.text_or_secret(node).0;
        }
        let (part, ty) = self.shown_part(node);
        let string = self.string();
        if !self.is_error(ty) && !self.widens(ty, string) && !self.refuse_secret(ty, node) {
            let shown = self.show(ty);
            let message = format!("expected String, found {shown}");
            self.error(Code::TypeMismatch, node, message);
        }
        part
    }

    /// The same, with its type.
    pub(super) fn text_or_secret(&mut self, node: NodeId) -> (ExprId, Ty) {
        let (part, ty) = self.shown_part(node);
        let string = self.string();
        if !self.is_error(ty) && !self.widens(ty, string) && !self.is_secret(ty) {
            let shown = self.show(ty);
            let message = format!("expected String or Secret, found {shown}");
            self.error(Code::TypeMismatch, node, message);
        }
        (part, ty)
    }

    /// An expression of a request. What its holes show must be one clear word:
    /// the display form of a list or an optional is none.
    pub(super) fn shown_part(&mut self, node: NodeId) -> (ExprId, Ty) {
        let before = self.demands.len();
        let (part, ty) = self.infer(node);
        let holes: Vec<(Ty, NodeId)> = self.demands[before..]
            .iter()
            .filter(|(.., demand, of)| {
                of.is_none() && matches!(demand, crate::module::Demand::Shown)
            })
            .map(|(ty, at, ..)| (*ty, *at))
            .collect();
        for (ty, hole) in holes {
            self.hole(ty, hole);
        }
        (part, ty)
    }

    /// A hole of a request.
    pub(super) fn hole(&mut self, ty: Ty, hole: NodeId) {
        if self.is_error(ty) || self.shows_as_word(ty) || self.refuse_secret(ty, hole) {
            return;
        }
        let shown = self.show(ty);
        let mut error = Diagnostic::error(
            Code::BadArgv,
            self.at(hole),
            format!("a hole of a request shows a text, a number or a name, not {shown}"),
        );
        if let Some((named, _)) = self.head(ty) {
            if named == self.kernel.list {
                error = error.cure("write the list as an element of its own: a word for each");
            } else if named == self.kernel.optional {
                error = error.cure("`match` it, or give a value with `?? …`");
            }
        }
        self.report(error);
    }

    /// Whether the display form is one word's worth: String, Int, Bool, or a
    /// coproduct whose variants are names alone.
    fn shows_as_word(&mut self, ty: Ty) -> bool {
        let plain = self.unrefined(ty);
        let Some((named, _)) = self.head(plain) else {
            return false;
        };
        let kernel = self.kernel;
        if [kernel.string, kernel.int, kernel.bool, kernel.float].contains(&named) {
            return true;
        }
        self.type_def(named).is_some_and(|def| match &def.shape {
            Shape::Coproduct(variants) => variants.iter().all(|v| v.fields.is_empty()),
            _ => false,
        })
    }

    pub(super) fn is_secret(&self, ty: Ty) -> bool {
        self.head(ty)
            .is_some_and(|(named, _)| named == self.kernel.secret)
    }

    pub(super) fn refuse_secret(&mut self, ty: Ty, node: NodeId) -> bool {
        if !self.is_secret(ty) {
            return false;
        }
        let error = Diagnostic::error(
            Code::SecretShown,
            self.at(node),
            "a secret would be shown here",
        );
        self.report(if self.effects.over_http {
            error
                .note(
                    "where a request goes and what it carries is kept by servers and in recordings",
                )
                .cure(
                    "give it in a header, `\"Authorization\": \"Bearer {token}\"`, or as the \
                     password of `auth_basic`",
                )
        } else {
            error
                .note(
                    "an argv is read by everybody on the host (proc(5), /proc/PID/cmdline), a file \
                     by some",
                )
                .cure("give it whole as `stdin`, and name the option that reads it from there")
        });
        true
    }

    fn file(&mut self, head: &OperationHead) -> (Transport, Vec<ExprId>) {
        let verb = self.verb(head.transport, head.carrier);
        let mut parts = Vec::new();
        match self.value(head.transport, "path") {
            Some(path) => parts.push(self.text_part(path, false)),
            None => self.error(
                Code::BadService,
                head.transport,
                "a `file` transport has a `path`",
            ),
        }
        if verb == Some(Verb::Write) {
            if head.promises.readonly {
                self.error(
                    Code::BadService,
                    head.transport,
                    "a `readonly` operation writes no file",
                );
            }
            match self.local(Symbol::new("content")) {
                Some((content, ty)) => {
                    let part = self.push(crate::core::Expr::Local(content), head.transport);
                    let string = self.string();
                    if !self.widens(ty, string) && !self.refuse_secret(ty, head.transport) {
                        let shown = self.show(ty);
                        self.error(
                            Code::BadService,
                            head.transport,
                            format!("the input `content` is a String, not {shown}"),
                        );
                    }
                    parts.push(part);
                }
                None => {
                    let error = Diagnostic::error(
                        Code::BadService,
                        self.at(head.transport),
                        "nothing says what is written",
                    )
                    .cure("give the operation an input `content: String`");
                    self.report(error);
                }
            }
        }
        (Transport::File(verb.unwrap_or(Verb::Read)), parts)
    }
}
