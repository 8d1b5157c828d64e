//! Cures as edits: where the checker knows what would mend a mistake, it says so
//! in a form that can be carried out.

use super::Checker;
use dag_syntax::{Diagnostic, Edit, Fix, Location, Node, NodeId, Span, Symbol, Token, Tree};

/// What stands where a value is still to be written. No name is bound to it, so
/// nothing passes before somebody has decided.
const OPEN: &str = "_";

fn edit(tree: &Tree, start: u32, end: u32, text: impl Into<String>) -> Edit {
    let at = Location {
        source: tree.source(),
        span: Span::new(start, end),
    };
    let text = text.into();
    Edit { at, text }
}

/// The edit that imports a name, or loads a module if there is no name: in the
/// list of an import there is, or on a line of its own.
#[must_use]
pub fn import_edit(tree: &Tree, module: Symbol, name: Option<Symbol>) -> Edit {
    let root = tree.root();
    let imports = tree.children_of(root, Node::Import);
    let existing = imports
        .filter(|i| tree.child(*i, Node::Path).map(|p| tree.symbol(p)) == Some(module))
        .find(|_| name.is_some());
    if let (Some(import), Some(name)) = (existing, name) {
        let list = tree.child(import, Node::ImportList);
        return match list.and_then(|l| tree.children(l).last()) {
            Some(last) => {
                let end = tree.span(*last).end;
                edit(tree, end, end, format!(", {name}"))
            }
            None => {
                let end = tree.span(import).end;
                edit(tree, end, end, format!(" {{ {name} }}"))
            }
        };
    }
    let line = match name {
        Some(name) => format!("import {module} {{ {name} }}"),
        None => format!("import {module}"),
    };
    if let Some(last) = tree.children_of(root, Node::Import).last() {
        let end = tree.span(last).end;
        return edit(tree, end, end, format!("\n{line}"));
    }
    let Some(head) = tree.child(root, Node::ModuleLine) else {
        return edit(tree, 0, 0, format!("{line}\n"));
    };
    // Below what is said of the module, which stands on the lines under it.
    let mut last = tree.span(head).end;
    let mut newlines = 0;
    for index in tree.token_range(head).end..tree.tokens().len() {
        match tree.tokens().kind(index) {
            Token::Newline => newlines += 1,
            Token::Annotation if newlines == 1 => {
                newlines = 0;
                last = tree.tokens().span(index).end;
            }
            Token::Blank => {}
            _ => break,
        }
    }
    edit(tree, last, last, format!("\n\n{line}"))
}

impl Checker<'_> {
    fn edit(&self, start: u32, end: u32, text: impl Into<String>) -> Edit {
        edit(self.tree, start, end, text)
    }

    /// Takes a name out of its import, and the import with it if it was the last
    /// one and nothing is written with the module's name.
    pub(super) fn unimport_edit(&self, at: Location) -> Option<Edit> {
        let tree = self.tree;
        let path = tree.path_to(at.span.start);
        let import = path
            .iter()
            .copied()
            .find(|n| tree.kind(*n) == Node::Import)?;
        let list = tree.child(import, Node::ImportList)?;
        let names = tree.children(list);
        let index = names.partition_point(|n| tree.span(*n).start < at.span.start);
        names.get(index).filter(|n| tree.span(**n) == at.span)?;
        if let [_] = names {
            let module = tree.symbol(tree.child(import, Node::Path)?);
            let qualified = format!("{module}.");
            let used = tree
                .children(tree.root())
                .iter()
                .filter(|i| tree.kind(**i) != Node::Import)
                .any(|i| tree.text(*i).contains(&qualified));
            if used {
                let keep = tree.span(tree.child(import, Node::Path)?).end;
                return Some(self.edit(keep, tree.span(import).end, ""));
            }
            let span = tree.span(import);
            let mut end = self.line_end(span.end);
            // The only import takes the blank line behind it along.
            if tree.children_of(tree.root(), Node::Import).count() == 1 {
                end = self.line_end(end);
            }
            return Some(self.edit(span.start, end, ""));
        }
        // With the comma or the line end that parts it from its neighbour.
        Some(match names.get(index + 1) {
            Some(next) => self.edit(at.span.start, tree.span(*next).start, ""),
            None => {
                let before = tree.span(names[index.checked_sub(1)?]).end;
                self.edit(before, at.span.end, "")
            }
        })
    }

    /// Behind the line end that follows a place, if only blanks are between.
    fn line_end(&self, from: u32) -> u32 {
        let tokens = self.tree.tokens();
        let mut end = from;
        for index in 0..tokens.len() {
            let span = tokens.span(index);
            if span.start < from {
                continue;
            }
            match tokens.kind(index) {
                Token::Blank => end = span.end,
                Token::Newline => return span.end,
                _ => break,
            }
        }
        end
    }

    /// Writes more elements before the brace that closes a node, each on a line of
    /// its own if the brace is.
    fn insert_edit(&self, node: NodeId, elements: &[String], indent_of: &str) -> Option<Edit> {
        let tree = self.tree;
        let (_, close) = tree
            .own_tokens(node)
            .filter(|(kind, _)| *kind == Token::RBrace)
            .last()?;
        let brace = tree.tokens().span(close).start;
        let (_, before) = tree
            .all_tokens(node)
            .take_while(|(_, index)| *index < close)
            .last()?;
        let behind = tree.tokens().span(before);
        let opened = tree.tokens().kind(before) == Token::LBrace;
        let broken = (before + 1..close).any(|t| tree.tokens().kind(t) == Token::Newline);
        if broken || !indent_of.is_empty() {
            let column = self.indent(brace);
            let separator = format!("\n{column}  ");
            let mut text: String = elements.iter().map(|e| format!("{separator}{e}")).collect();
            if !broken {
                text.push('\n');
                text.push_str(&column);
            }
            let end = if broken { behind.end } else { brace };
            return Some(self.edit(behind.end, end, text));
        }
        let comma = tree.tokens().kind(before) == Token::Comma;
        let lead = if opened || comma { " " } else { ", " };
        let text = format!("{lead}{} ", elements.join(", "));
        Some(self.edit(behind.end, brace, text))
    }

    /// The blanks at the start of the line of a place.
    fn indent(&self, place: u32) -> String {
        let text = self.tree.text(self.tree.root());
        let start = self.tree.span(self.tree.root()).start;
        let before = &text[..(place - start) as usize];
        let line = before.rfind('\n').map_or(0, |i| i + 1);
        let blanks = before[line..].chars().take_while(|c| c.is_whitespace());
        blanks.collect()
    }

    /// Adds the fields that are missing: a local of the same name where there is
    /// one, and otherwise a value that is still to be written.
    pub(super) fn add_fields(
        &self,
        error: Diagnostic,
        node: NodeId,
        names: &[Symbol],
    ) -> Diagnostic {
        let elements: Vec<String> = names
            .iter()
            .map(|name| match self.local(*name) {
                Some(_) => name.to_string(),
                None => format!("{name}: {OPEN}"),
            })
            .collect();
        match self.insert_edit(node, &elements, "") {
            Some(edit) => error.fix("Add the missing fields", vec![edit]),
            None => error,
        }
    }

    /// Names the fields of which a pattern says nothing.
    pub(super) fn add_field_patterns(
        &self,
        error: Diagnostic,
        node: NodeId,
        names: &[Symbol],
    ) -> Diagnostic {
        let elements: Vec<String> = names.iter().map(|name| format!("{name}: _")).collect();
        match self.insert_edit(node, &elements, "") {
            Some(edit) => error.fix("Name the other fields", vec![edit]),
            None => error,
        }
    }

    /// Adds the arms that are missing, with values still to be written.
    pub(super) fn add_arms(
        &self,
        error: Diagnostic,
        node: NodeId,
        patterns: &[String],
    ) -> Diagnostic {
        let elements: Vec<String> = patterns.iter().map(|p| format!("{p} => {OPEN}")).collect();
        match self.insert_edit(node, &elements, "line") {
            Some(edit) => error.fix("Add the missing arms", vec![edit]),
            None => error,
        }
    }

    /// Removes an arm that is never reached, with its line.
    pub(super) fn remove_arm(&self, error: Diagnostic, pattern: NodeId) -> Diagnostic {
        let tree = self.tree;
        let path = tree.path_to(tree.span(pattern).start);
        let arm = path.into_iter().rfind(|n| {
            tree.kind(*n) == Node::Arm && tree.child(*n, tree.kind(pattern)) == Some(pattern)
        });
        let Some(arm) = arm else {
            return error;
        };
        let range = tree.token_range(arm);
        let mut start = tree.span(arm).start;
        let mut end = tree.span(arm).end;
        let tokens = tree.tokens();
        if range.end < tokens.len() && tokens.kind(range.end) == Token::Comma {
            end = tokens.span(range.end).end;
        }
        let blank = range.start > 0 && tokens.kind(range.start - 1) == Token::Blank;
        let first = if blank { range.start - 1 } else { range.start };
        if first > 0 && tokens.kind(first - 1) == Token::Newline {
            start = tokens.span(first - 1).start;
        }
        error.fix("Remove the arm", vec![self.edit(start, end, "")])
    }

    /// Puts text around an expression, or behind it, in parentheses where the
    /// expression would fall apart otherwise.
    pub(super) fn wrap(
        &self,
        error: Diagnostic,
        node: NodeId,
        title: &str,
        around: (&str, &str),
    ) -> Diagnostic {
        let span = self.tree.span(node);
        let edits = vec![
            self.edit(span.start, span.start, around.0),
            self.edit(span.end, span.end, around.1),
        ];
        error.fix(title, edits)
    }

    /// Enters a refinement with `as`.
    pub(super) fn enter_refinement(&self, error: Diagnostic, node: NodeId, ty: &str) -> Diagnostic {
        // A refinement behind a field's type has no name to enter by.
        if ty.contains(' ') {
            return error;
        }
        let open = !matches!(
            self.tree.kind(node),
            Node::IntExpr
                | Node::FloatExpr
                | Node::StrExpr
                | Node::NameExpr
                | Node::ParenExpr
                | Node::ListExpr
                | Node::RecordExpr
                | Node::CallExpr
                | Node::FieldExpr
        );
        let behind = format!("{} as {ty}", if open { ")" } else { "" });
        let before = if open { "(" } else { "" };
        self.wrap(
            error,
            node,
            &format!("Write `… as {ty}`"),
            (before, &behind),
        )
    }

    /// Says which import would bind a name, as an edit.
    pub(super) fn add_import(&self, error: &mut Diagnostic, module: Symbol, name: Option<Symbol>) {
        let named = name.map_or_else(String::new, |n| format!(" {{ {n} }}"));
        error.fix = Some(Box::new(Fix {
            title: format!("Write `import {module}{named}`"),
            edits: vec![import_edit(self.tree, module, name)],
        }));
    }
}
