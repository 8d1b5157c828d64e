//! Completion. The text at the cursor is unfinished, so a name is put there and
//! what is open is closed; then the parser and the checker tell what may stand in
//! that name's place.

use crate::candidates::{self, Candidate};
use crate::describe;
use crate::hints::name_span;
use crate::workspace::Workspace;
use dag_analysis::core::{Ctor, DeclKind, Intrinsic, Shape, TypeRef};
use dag_analysis::record::{NameRecord, Target};
use dag_analysis::types::TyKind;
use dag_analysis::unnamed_declaration;
use dag_syntax::{Node, NodeId, SourceId, Span, Symbol, Token, Tree, lex, parse};
use gen_lsp_types as lsp;
use rustc_hash::FxHashSet;
use serde_json::{Value, json};
use std::sync::Arc;

/// What is put at the cursor. No model has this name.
const HERE: &str = "here_the_cursor_stands";
/// What may have to follow it, so that the text around it is whole.
const FOLLOW: &[&str] = &["", " => _", " = _", " { _ => _ }", " { _ }"];
/// Most names that are offered with an import.
const MOST_IMPORTS: usize = 100;

/// The text with a name at the cursor, checked.
pub(crate) struct Probe {
    pub(crate) tree: Tree,
    pub(crate) record: NameRecord,
    /// The nodes around the name, outermost first; the last one is the name.
    pub(crate) path: Vec<NodeId>,
}

/// The word around a place: a piece of a name, which may be empty.
fn word(text: &str, offset: u32) -> Span {
    let letter = |c: &char| c.is_alphanumeric() || *c == '_';
    let at = offset as usize;
    let before: usize = text[..at]
        .chars()
        .rev()
        .take_while(letter)
        .map(char::len_utf8)
        .sum();
    let behind: usize = text[at..]
        .chars()
        .take_while(letter)
        .map(char::len_utf8)
        .sum();
    Span::new((at - before) as u32, (at + behind) as u32)
}

/// Whether a place is in a string's text or in an annotation.
fn in_prose(source: SourceId, text: &str, offset: u32) -> bool {
    let (tokens, _) = lex(source, text);
    (0..tokens.len()).any(|index| {
        let span = tokens.span(index);
        match tokens.kind(index) {
            Token::Annotation => span.start < offset && offset <= span.end,
            Token::Text => span.start <= offset && offset <= span.end,
            _ => false,
        }
    })
}

/// The brackets that are open at a place and that nothing behind it closes, as
/// what closes them.
pub(crate) fn closers(source: SourceId, text: &str, offset: u32) -> String {
    let (tokens, _) = lex(source, text);
    let mut open: Vec<(Token, bool)> = Vec::new();
    let mut closing = String::new();
    let mut close = |kind: Token| {
        closing.push(match kind {
            Token::RParen => ')',
            Token::RBracket => ']',
            _ => '}',
        });
    };
    for index in 0..tokens.len() {
        let (kind, span) = (tokens.kind(index), tokens.span(index));
        let starts_line = span.start == 0 || text.as_bytes()[span.start as usize - 1] == b'\n';
        let starts_item = matches!(
            kind,
            Token::KwImport | Token::KwType | Token::KwFn | Token::KwData | Token::KwModule
        ) || (kind == Token::Name
            && &text[span.start as usize..span.end as usize] == "test");
        if starts_line && starts_item {
            if span.start >= offset {
                break;
            }
            open.clear();
        }
        let closes = match kind {
            Token::LParen => Some((Token::RParen, true)),
            Token::LBracket => Some((Token::RBracket, true)),
            Token::LBrace => Some((Token::RBrace, true)),
            Token::HoleStart => Some((Token::HoleEnd, true)),
            Token::RParen | Token::RBracket | Token::RBrace | Token::HoleEnd => Some((kind, false)),
            _ => None,
        };
        match closes {
            Some((kind, true)) => open.push((kind, span.start < offset)),
            Some((kind, false)) => {
                while let Some((wanted, before)) = open.last().copied() {
                    if wanted == kind {
                        open.pop();
                        break;
                    }
                    if !before || span.start < offset {
                        break;
                    }
                    open.pop();
                    close(wanted);
                }
            }
            None => {}
        }
    }
    while let Some((wanted, before)) = open.pop() {
        if before {
            close(wanted);
        }
    }
    closing
}

/// Puts a name in place of some text and checks what comes of it.
pub(crate) fn probe(workspace: &Workspace<'_>, source: SourceId, at: Span) -> Option<Probe> {
    let text = workspace.text(source);
    let closing = closers(source, &text, at.end);
    for follow in FOLLOW {
        let spliced = format!(
            "{}{HERE}{follow}{closing}{}",
            &text[..at.start as usize],
            &text[at.end as usize..]
        );
        let (tree, _) = parse(source, Arc::from(spliced.as_str()));
        let path = tree.path_to(at.start);
        let found = path.last().is_some_and(|n| tree.text(*n).ends_with(HERE));
        let whole = !path.iter().any(|n| tree.kind(*n) == Node::Error);
        if found && whole {
            let (tree, record) = workspace.session.probe(source, &spliced)?;
            return Some(Probe { tree, record, path });
        }
    }
    None
}

pub(crate) fn complete(workspace: &mut Workspace<'_>, params: &lsp::CompletionParams) -> Value {
    let at = &params.text_document_position_params;
    let Some(source) = workspace.source(&at.text_document.uri.0) else {
        return Value::Null;
    };
    let lines = workspace.lines(source);
    let offset = lines.offset(at.position);
    let text = Arc::clone(&lines.text);
    if in_prose(source, &text, offset) {
        return Value::Null;
    }
    let word = word(&text, offset);
    let prefix = text[word.start as usize..offset as usize].to_lowercase();
    let mut offers = Offers {
        workspace,
        source,
        replaced: Span::new(word.start, offset),
        prefix: prefix.chars().collect(),
        items: Vec::new(),
        seen: FxHashSet::default(),
        more: false,
    };
    match probe(workspace, source, word) {
        Some(probe) => offers.at_name(&probe),
        None => offers.without(workspace),
    }
    json!({ "isIncomplete": offers.more, "items": offers.items })
}

/// What is offered.
struct Offers<'a, 'p> {
    workspace: &'a Workspace<'p>,
    source: SourceId,
    /// What a choice replaces.
    replaced: Span,
    prefix: Vec<char>,
    items: Vec<Value>,
    seen: FxHashSet<(String, u32)>,
    /// Whether something was left out.
    more: bool,
}

/// The protocol's `CompletionItemKind`s that occur.
#[derive(Clone, Copy)]
enum Kind {
    Method = 2,
    Function = 3,
    Field = 5,
    Variable = 6,
    Class = 7,
    Module = 9,
    Property = 10,
    Keyword = 14,
    EnumMember = 20,
    Constant = 21,
    TypeParameter = 25,
}

/// Which names fit.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Value,
    Type,
    Pattern,
}

impl Offers<'_, '_> {
    /// What may stand where the name stands.
    fn at_name(&mut self, probe: &Probe) {
        let Probe { tree, path, .. } = probe;
        let kind = |back: usize| {
            let node = path.len().checked_sub(back + 1).and_then(|i| path.get(i));
            node.map(|n| (tree.kind(*n), *n))
        };
        let (Some((leaf, node)), parent) = (kind(0), kind(1)) else {
            return;
        };
        match (leaf, parent) {
            (Node::Path, Some((Node::Import, _))) => self.modules(tree, node),
            (Node::Path, Some((Node::ImportList, list))) => self.exported(probe, list),
            (Node::Path, Some((Node::TypePath, _))) => self.path(probe, node, Place::Type),
            (Node::Path, _) => self.path(probe, node, Place::Pattern),
            (Node::BindPattern, _) => {
                self.variants(probe, tree.span(node));
                self.names(probe, Place::Pattern);
            }
            (Node::Name, Some((Node::FieldExpr, field))) => self.members(probe, field),
            (Node::Name, Some((Node::Init, init))) => {
                let record = kind(2).map(|(_, n)| n);
                let value = tree.expr_child(init).is_some();
                self.fields(probe, record, !value);
            }
            (Node::Name, Some((Node::FieldPattern, _))) => {
                self.fields(probe, kind(2).map(|(_, n)| n), false);
            }
            (Node::NameExpr, _) => {
                match parent {
                    Some((Node::Arg, _)) => self.labels(probe, kind(2).map(|(_, n)| n)),
                    Some((Node::PositionalInit, _)) => {
                        self.fields(probe, kind(2).map(|(_, n)| n), true);
                    }
                    _ => {}
                }
                self.variants(probe, tree.span(node));
                self.names(probe, Place::Value);
                self.keywords(&[
                    "match", "if", "for", "let", "return", "true", "false", "none",
                ]);
            }
            _ => {}
        }
    }

    /// The text around the cursor is not understood: the names of the module, and
    /// what starts an item.
    fn without(&mut self, workspace: &Workspace<'_>) {
        let text = workspace.text(self.source);
        let line = text[..self.replaced.start as usize]
            .rfind('\n')
            .map_or(0, |i| i + 1);
        if line == self.replaced.start as usize {
            self.keywords(&["import", "alias", "type", "fn", "data", "test", "module"]);
        }
        self.keywords(&[
            "match", "if", "for", "let", "return", "true", "false", "none",
        ]);
        let session = &workspace.session;
        let (Some(module), Some(tree)) = (session.module(self.source), session.tree(self.source))
        else {
            return;
        };
        for (name, target) in candidates::exports(module) {
            if let Some(at) = target.definition(session.program(), module) {
                let head = describe::item_at(tree, at).map(|i| describe::head(tree, i));
                let kind = self.kind_of(target);
                self.offer(
                    name.as_str(),
                    kind,
                    &head.unwrap_or_default(),
                    "",
                    "2",
                    None,
                );
            }
        }
    }

    /// Offers a name.
    fn offer(
        &mut self,
        label: &str,
        kind: Kind,
        detail: &str,
        annotation: &str,
        rank: &str,
        more: Option<Value>,
    ) {
        if !self.seen.insert((label.to_owned(), kind as u32)) {
            return;
        }
        let lines = self.workspace.lines(self.source);
        let mut item = json!({
            "label": label,
            "kind": kind as u32,
            "sortText": format!("{rank}{label}"),
            "textEdit": { "range": lines.range(self.replaced), "newText": label },
        });
        if !detail.is_empty() {
            item["detail"] = json!(detail);
        }
        if !annotation.is_empty() {
            item["documentation"] = json!({ "kind": "plaintext", "value": annotation });
        }
        if let (Some(Value::Object(more)), Some(item)) = (more, item.as_object_mut()) {
            item.extend(more);
        }
        self.items.push(item);
    }

    fn keywords(&mut self, words: &[&str]) {
        for word in words {
            self.offer(word, Kind::Keyword, "", "", "3", None);
        }
    }

    fn kind_of(&self, target: Target) -> Kind {
        match target {
            Target::Module(_) => Kind::Module,
            Target::Type(_) => Kind::Class,
            Target::Variant(_) => Kind::EnumMember,
            Target::Field(..) => Kind::Field,
            Target::Capability(..) => Kind::Method,
            Target::Param(..) | Target::Local(_) => Kind::Variable,
            Target::TypeParam(_) => Kind::TypeParameter,
            Target::Decl(decl) => {
                let modules = &self.workspace.session.program().modules;
                let module = modules.get(decl.module.0 as usize);
                let decl = module.and_then(|m| m.decls.get(decl.index as usize));
                match decl.map(|d| d.kind) {
                    Some(DeclKind::Data) => Kind::Constant,
                    _ => Kind::Function,
                }
            }
        }
    }

    /// Offers a candidate, with the import that it needs.
    fn offer_candidate(&mut self, probe: &Probe, candidate: &Candidate, rank: &str, kind: Kind) {
        let described =
            describe::describe_in(self.workspace, &probe.tree, &probe.record, candidate.target);
        let described = described.unwrap_or_default();
        let more = candidate.import.and_then(|module| {
            let tree = self.workspace.session.tree(self.source)?;
            let edit = dag_analysis::import_edit(tree, module, Some(candidate.name));
            let lines = self.workspace.lines(self.source);
            Some(json!({
                "labelDetails": { "description": module.as_str() },
                "additionalTextEdits": [
                    { "range": lines.range(edit.at.span), "newText": edit.text },
                ],
            }))
        });
        let annotation = described.annotation;
        self.offer(
            candidate.name.as_str(),
            kind,
            &described.code,
            &annotation,
            rank,
            more,
        );
    }

    /// The names of modules; the whole path is replaced.
    fn modules(&mut self, tree: &Tree, path: NodeId) {
        let start = tree.span(path).start;
        let typed = tree.text(path).trim_end_matches(HERE).to_owned();
        self.replaced = Span::new(start, self.replaced.end);
        let session = &self.workspace.session;
        let own = session.module(self.source);
        let test = own.is_some_and(|m| m.test_file);
        let importers = session.importers(self.source);
        for module in session.program().modules.iter() {
            let name = module.name.as_str();
            let closed = module.test_file && !test || importers.contains(&module.id);
            if name.starts_with(&typed) && !closed && own.is_none_or(|o| o.id != module.id) {
                let tree = session.tree(module.source);
                let said =
                    tree.and_then(|t| Some(t.annotation(t.child(t.root(), Node::ModuleLine)?)));
                self.offer(name, Kind::Module, "", &said.unwrap_or_default(), "1", None);
            }
        }
    }

    /// The names of the module that an import names.
    fn exported(&mut self, probe: &Probe, list: NodeId) {
        let tree = &probe.tree;
        let path = tree.path_to(tree.span(list).start);
        let import = path.into_iter().rfind(|n| tree.kind(*n) == Node::Import);
        let module = import.and_then(|i| tree.child(i, Node::Path));
        let module = module.map(|m| tree.symbol(m));
        let program = self.workspace.session.program();
        let Some(module) = module.and_then(|m| program.module_named(m.as_str())) else {
            return;
        };
        let given: Vec<Symbol> = tree
            .children(list)
            .iter()
            .map(|n| tree.symbol(*n))
            .collect();
        for (name, target) in candidates::exports(module) {
            if !given.contains(&name) {
                let import = None;
                let candidate = Candidate {
                    name,
                    target,
                    import,
                };
                let kind = self.kind_of(target);
                self.offer_candidate(probe, &candidate, "1", kind);
            }
        }
    }

    /// A path of a type or a pattern: the last part of a dotted one, or any name.
    fn path(&mut self, probe: &Probe, node: NodeId, place: Place) {
        let symbol = probe.tree.symbol(node);
        match symbol.as_str().rsplit_once('.') {
            Some((before, _)) => self.within(probe, before, place),
            None => self.names(probe, place),
        }
    }

    /// The names of a module, or the variants of a type, by a dotted name.
    fn within(&mut self, probe: &Probe, path: &str, place: Place) {
        let program = self.workspace.session.program();
        if let Some(module) = program.module_named(path) {
            for (name, target) in candidates::exports(module) {
                if self.fits(probe, target, place) {
                    let candidate = Candidate {
                        name,
                        target,
                        import: None,
                    };
                    let kind = self.kind_of(target);
                    self.offer_candidate(probe, &candidate, "1", kind);
                }
            }
        }
        let prefix = format!("{path}.");
        let parts: Vec<&str> = program
            .modules
            .iter()
            .filter_map(|m| m.name.as_str().strip_prefix(&prefix))
            .map(|rest| rest.split('.').next().unwrap_or(rest))
            .collect();
        for part in parts {
            self.offer(part, Kind::Module, "", "", "2", None);
        }
        if place == Place::Type {
            return;
        }
        let offset = self.replaced.start;
        let seen = candidates::in_sight(program, &probe.tree, &probe.record, offset);
        let ty = seen.iter().find_map(|c| match c.target {
            Target::Type(ty) if c.name.as_str() == path => Some(ty),
            _ => None,
        });
        if let Some(ty) = ty {
            for candidate in self.variants_of(probe, ty) {
                self.offer_candidate(probe, &candidate, "0", Kind::EnumMember);
            }
        }
    }

    fn variants_of(&self, probe: &Probe, ty: TypeRef) -> Vec<Candidate> {
        let program = self.workspace.session.program();
        let module = probe.record.module_of(program, ty.module);
        let def = module.and_then(|m| m.types.get(ty.index as usize));
        let Some(Shape::Coproduct(variants)) = def.map(|d| &d.shape) else {
            return Vec::new();
        };
        (0..)
            .zip(variants)
            .map(|(variant, named)| Candidate {
                name: named.name,
                target: Target::Variant(Ctor { ty, variant }),
                import: None,
            })
            .collect()
    }

    /// The variants of the type that is expected.
    fn variants(&mut self, probe: &Probe, span: Span) {
        let program = self.workspace.session.program();
        let record = &probe.record;
        let Some(expected) = record.expected_at(span) else {
            return;
        };
        let optional = program.module_named("std.types").and_then(|types| {
            let (ty, _) = types.type_named(Symbol::new("Optional"))?;
            Some(ty)
        });
        let heads = [
            record.head(program, expected, None),
            record.head(program, expected, optional),
        ];
        let offset = self.replaced.start;
        let seen = candidates::in_sight(program, &probe.tree, record, offset);
        let mut done = None;
        for ty in heads.into_iter().flatten() {
            if done == Some(ty) {
                continue;
            }
            done = Some(ty);
            for mut candidate in self.variants_of(probe, ty) {
                let same = |c: &Candidate| c.name == candidate.name && c.target == candidate.target;
                if !seen.iter().any(same) {
                    let module = record.module_of(program, ty.module);
                    candidate.import = module.map(|m| m.name);
                }
                self.offer_candidate(probe, &candidate, "0", Kind::EnumMember);
            }
        }
    }

    fn fits(&self, probe: &Probe, target: Target, place: Place) -> bool {
        let program = self.workspace.session.program();
        let shape = |ty: TypeRef| {
            let module = probe.record.module_of(program, ty.module)?;
            Some(&module.types.get(ty.index as usize)?.shape)
        };
        match (place, target) {
            (Place::Type, Target::Type(_) | Target::TypeParam(_)) => true,
            (Place::Type, _) => false,
            (_, Target::Type(ty)) => matches!(shape(ty), Some(Shape::Record(_) | Shape::Alias(_))),
            (Place::Pattern, Target::Variant(_)) => true,
            (Place::Pattern, _) => false,
            (Place::Value, Target::TypeParam(_) | Target::Field(..)) => false,
            (Place::Value, _) => true,
        }
    }

    /// The names in sight, and those that an import would bring.
    fn names(&mut self, probe: &Probe, place: Place) {
        let program = self.workspace.session.program();
        let offset = self.replaced.start;
        let seen = candidates::in_sight(program, &probe.tree, &probe.record, offset);
        if place == Place::Type {
            self.type_params(probe);
        }
        for candidate in &seen {
            if self.fits(probe, candidate.target, place) {
                let near = matches!(candidate.target, Target::Local(_) | Target::Param(..));
                let kind = self.kind_of(candidate.target);
                self.offer_candidate(probe, candidate, if near { "1" } else { "2" }, kind);
            }
        }
        self.imports(probe, &seen, |offers, target| {
            offers
                .fits(probe, target, place)
                .then(|| offers.kind_of(target))
        });
    }

    /// Names of other modules that start like what was typed.
    fn imports(
        &mut self,
        probe: &Probe,
        seen: &[Candidate],
        kind: impl Fn(&Self, Target) -> Option<Kind>,
    ) {
        if self.prefix.is_empty() {
            // Too many to be of use; they come when something is typed.
            self.more = true;
            return;
        }
        let session = &self.workspace.session;
        let importers = session.importers(self.source);
        let prefix: String = self.prefix.iter().collect();
        let found = candidates::to_import(
            session.program(),
            &probe.record,
            seen,
            |module| importers.contains(&module),
            |name| name.to_lowercase().starts_with(&prefix),
        );
        let mut count = 0;
        for candidate in &found {
            let Some(kind) = kind(self, candidate.target) else {
                continue;
            };
            count += 1;
            if count > MOST_IMPORTS {
                self.more = true;
                return;
            }
            self.offer_candidate(probe, candidate, "4", kind);
        }
    }

    fn type_params(&mut self, probe: &Probe) {
        let tree = &probe.tree;
        let item = probe.path.get(1).copied();
        let params = item.and_then(|i| tree.child(i, Node::TypeParams));
        for param in params
            .map(|p| tree.children(p).to_vec())
            .unwrap_or_default()
        {
            self.offer(tree.text(param), Kind::TypeParameter, "", "", "1", None);
        }
    }

    /// What may follow a dot: fields and functions of the value before it, or the
    /// names of a module or type.
    fn members(&mut self, probe: &Probe, field: NodeId) {
        let (tree, record) = (&probe.tree, &probe.record);
        let program = self.workspace.session.program();
        let Some(base) = tree.expr_child(field) else {
            return;
        };
        let Some(ty) = record.type_at(tree.span(base)) else {
            self.within(probe, tree.symbol(base).as_str(), Place::Value);
            return;
        };
        let Some(head) = record.head(program, ty, None) else {
            return;
        };
        for (candidate, _) in self.fields_of(
            probe,
            Ctor {
                ty: head,
                variant: 0,
            },
            true,
        ) {
            self.offer_candidate(probe, &candidate, "0", Kind::Field);
        }
        let offset = self.replaced.start;
        let seen = candidates::in_sight(program, tree, record, offset);
        for candidate in &seen {
            if self.takes(probe, candidate.target, head) {
                self.offer_candidate(probe, candidate, "1", Kind::Method);
            }
        }
        self.imports(probe, &seen, |offers, target| {
            offers.takes(probe, target, head).then_some(Kind::Method)
        });
    }

    /// Whether something is a function whose first parameter takes a value of a type.
    fn takes(&self, probe: &Probe, target: Target, head: TypeRef) -> bool {
        let Target::Decl(decl) = target else {
            return false;
        };
        let program = self.workspace.session.program();
        let record = &probe.record;
        let Some(module) = record.module_of(program, decl.module) else {
            return false;
        };
        let found = module.decls.get(decl.index as usize);
        let Some(first) = found.and_then(|d| d.params.first()) else {
            return false;
        };
        // Names the variant of a coproduct's value, and takes no other.
        if found.is_some_and(|d| d.intrinsic == Some(Intrinsic::Discriminant)) {
            let def = record.module_of(program, head.module);
            let def = def.and_then(|m| m.types.get(head.index as usize));
            return def.is_some_and(|d| matches!(d.shape, Shape::Coproduct(_)));
        }
        matches!(module.table.kind(first.ty), TyKind::Param(..))
            || record.head_in(program, module, first.ty, None) == Some(head)
    }

    /// The fields of a constructor. `record`: only if it is that of a record.
    fn fields_of(&self, probe: &Probe, ctor: Ctor, record: bool) -> Vec<(Candidate, u32)> {
        let program = self.workspace.session.program();
        let module = probe.record.module_of(program, ctor.ty.module);
        let declared = module.and_then(|m| m.types.get(ctor.ty.index as usize));
        let Some(def) = declared.or_else(|| unnamed_declaration(ctor.ty)) else {
            return Vec::new();
        };
        if record && !matches!(def.shape, Shape::Record(_)) {
            return Vec::new();
        }
        let Some(variant) = def.variants().get(ctor.variant as usize) else {
            return Vec::new();
        };
        (0..)
            .zip(&variant.fields)
            .filter(|(_, f)| f.name.as_str() != "0")
            .map(|(index, f)| {
                let target = Target::Field(ctor, index);
                let import = None;
                (
                    Candidate {
                        name: f.name,
                        target,
                        import,
                    },
                    index,
                )
            })
            .collect()
    }

    /// The fields of a literal or a pattern that are not given yet.
    fn fields(&mut self, probe: &Probe, node: Option<NodeId>, colon: bool) {
        let (tree, record) = (&probe.tree, &probe.record);
        let Some(node) = node else { return };
        let head = tree
            .expr_child(node)
            .or_else(|| tree.child(node, Node::Path));
        let Some(head) = head else { return };
        let end = tree.span(head).end;
        let ctor = record.at(end).find_map(|u| match u.target {
            Target::Variant(ctor) if u.span.end == end => Some(ctor),
            Target::Type(ty) if u.span.end == end => Some(Ctor { ty, variant: 0 }),
            _ => None,
        });
        let Some(ctor) = ctor else { return };
        let given: Vec<Symbol> = tree
            .children(node)
            .iter()
            .filter(|c| matches!(tree.kind(**c), Node::Init | Node::FieldPattern))
            .filter_map(|c| tree.child(*c, Node::Name))
            .map(|n| tree.symbol(n))
            .collect();
        for (candidate, _) in self.fields_of(probe, ctor, false) {
            if given.contains(&candidate.name) {
                continue;
            }
            let described = describe::describe_in(self.workspace, tree, record, candidate.target);
            let described = described.unwrap_or_default();
            self.labelled(candidate.name.as_str(), &described.code, Kind::Field, colon);
        }
    }

    /// A name that a colon follows.
    fn labelled(&mut self, name: &str, detail: &str, kind: Kind, colon: bool) {
        let lines = self.workspace.lines(self.source);
        let written = if colon {
            format!("{name}: ")
        } else {
            name.to_owned()
        };
        let edit = json!({ "range": lines.range(self.replaced), "newText": written });
        self.offer(
            name,
            kind,
            detail,
            "",
            "0",
            Some(json!({ "textEdit": edit })),
        );
    }

    /// The labels of a call that are not given yet.
    fn labels(&mut self, probe: &Probe, call: Option<NodeId>) {
        let (tree, record) = (&probe.tree, &probe.record);
        let Some(call) = call else { return };
        let Some(callee) = tree.expr_child(call) else {
            return;
        };
        let name = name_span(tree, callee);
        let given: Vec<&str> = tree
            .children_of(call, Node::Arg)
            .filter_map(|a| tree.child(a, Node::Name))
            .map(|n| tree.text(n))
            .collect();
        let targets: Vec<Target> = record
            .at(name.end)
            .filter(|u| u.span == name)
            .map(|u| u.target)
            .collect();
        for target in targets {
            let Target::Decl(decl) = target else { continue };
            let program = self.workspace.session.program();
            let Some(module) = record.module_of(program, decl.module) else {
                continue;
            };
            let Some(found) = module.decls.get(decl.index as usize) else {
                continue;
            };
            for (index, param) in (0..).zip(&found.params) {
                let label = param.name.as_str();
                if given.contains(&label) {
                    continue;
                }
                let target = Target::Param(decl, index);
                let described = describe::describe_in(self.workspace, tree, record, target);
                let detail = described.unwrap_or_default().code;
                self.labelled(label, &detail, Kind::Property, true);
            }
        }
    }
}
