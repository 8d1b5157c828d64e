//! Lines of sudoers(5): for each operation that runs a program, the command that
//! its argv can be, and nothing wider.
//!
//! Sudo compares the arguments joined by spaces. So a word has no space in it,
//! and an input is written only where its type bounds it: a coproduct of names
//! or a Bool gives a line for each, a whole number or a text with a pattern of
//! safe characters gives a regular expression (sudo 1.9.10 and later).

mod expression;
mod numbers;

use dag_analysis::core::{Decl, Expr, ExprId, Local, Module, Predicate, Program, Shape, TypeRef};
use dag_analysis::operation::{Operation, Transport};
use dag_analysis::types::TyKind;
use dag_syntax::{Code, Diagnostic, Location, Symbol};
use std::collections::BTreeMap;

/// Lines of one operation, at most.
const MOST: usize = 256;

/// Characters of a word that sudoers takes as they are.
const PLAIN: &str = "_-./@%+~";

/// A command that one operation may run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The module that declares the operation.
    pub module: Symbol,
    /// `service.operation`.
    pub operation: Symbol,
    /// The command with its arguments, as sudoers writes it.
    pub command: String,
}

impl Grant {
    /// The comment that says of which operation a line is, for the line above it.
    #[must_use]
    pub fn comment(&self) -> String {
        format!("# {}.{}", self.module, self.operation)
    }

    /// The line that lets a user run the command as root, without a password.
    #[must_use]
    pub fn line(&self, user: &str, host: &str) -> String {
        format!("{user} {host}=(root) NOPASSWD: {}", self.command)
    }
}

/// The commands of the operations of some modules, and why others have none.
#[must_use]
pub fn sudoers(
    program: &Program,
    wanted: impl Fn(&Module, &Operation) -> bool,
) -> (Vec<Grant>, Vec<Diagnostic>) {
    let mut grants = Vec::new();
    let mut refused = Vec::new();
    for module in program.modules.iter() {
        for operation in &module.operations {
            let Transport::Shell { words, .. } = operation.transport else {
                continue;
            };
            if !wanted(module, operation) {
                continue;
            }
            match grants_of(program, module, operation, words) {
                Ok(commands) => grants.extend(commands.into_iter().map(|command| Grant {
                    module: module.name,
                    operation: operation.name,
                    command,
                })),
                Err(diagnostic) => refused.push(*diagnostic),
            }
        }
    }
    (grants, refused)
}

/// A part of a word.
enum Piece {
    Text(String),
    Input(Local),
}

/// What an input can be.
enum Input {
    /// One of these names.
    Names(Vec<String>),
    /// What a POSIX extended regular expression matches.
    Matches(String),
}

struct Writer<'p> {
    program: &'p Program,
    module: &'p Module,
    operation: &'p Operation,
    decl: &'p Decl,
}

fn grants_of(
    program: &Program,
    module: &Module,
    operation: &Operation,
    words: u32,
) -> Result<Vec<String>, Box<Diagnostic>> {
    let decl = module.decls.get(operation.decl as usize);
    let parts = decl.and_then(|decl| match module.body.expr(decl.body?) {
        Expr::Perform(perform) => Some((decl, module.body.operands(perform.parts))),
        _ => None,
    });
    let Some((decl, parts)) = parts else {
        return Ok(Vec::new());
    };
    let writer = Writer {
        program,
        module,
        operation,
        decl,
    };
    writer.commands(parts.get(..words as usize).unwrap_or(parts))
}

impl Writer<'_> {
    fn refuse(&self, at: Option<ExprId>, message: String, note: &str) -> Box<Diagnostic> {
        let span = at.map_or(self.operation.span, |at| self.module.body.span(at));
        let at = Location {
            source: self.module.source,
            span,
        };
        let message = format!(
            "no line of sudoers for `{}`: {message}",
            self.operation.name
        );
        Box::new(Diagnostic::error(Code::NoGrant, at, message).note(note))
    }

    fn commands(&self, parts: &[ExprId]) -> Result<Vec<String>, Box<Diagnostic>> {
        let mut words = Vec::new();
        for part in parts {
            words.push((*part, self.word(*part)?));
        }
        let (program, arguments) = self.program(&words)?;
        let mut inputs: BTreeMap<u32, Input> = BTreeMap::new();
        for (at, word) in arguments {
            for piece in word {
                let Piece::Input(local) = piece else { continue };
                let found = self.input(*local, *at)?;
                let twice = inputs.insert(local.0, found);
                if let Some(Input::Matches(_)) = twice {
                    return Err(self.refuse(
                        Some(*at),
                        "an input stands in it twice".into(),
                        "a pattern would let the two differ",
                    ));
                }
            }
        }
        let mut commands = Vec::new();
        for choice in self.choices(&inputs)? {
            commands.push(format!(
                "{program} {}",
                self.arguments(arguments, &inputs, &choice)?
            ));
        }
        Ok(commands)
    }

    /// The pieces of a word that is written out, with inputs in it.
    fn word(&self, part: ExprId) -> Result<Vec<Piece>, Box<Diagnostic>> {
        let body = &self.module.body;
        let piece = |id: ExprId| match body.expr(id) {
            Expr::Str(text) => Some(Piece::Text(text.to_string())),
            Expr::Local(local) => Some(Piece::Input(*local)),
            _ => None,
        };
        let pieces = match body.expr(part) {
            Expr::Interpolate(run) => body.operands(*run).iter().map(|id| piece(*id)).collect(),
            _ => piece(part).map(|piece| vec![piece]),
        };
        pieces.ok_or_else(|| {
            self.refuse(
                Some(part),
                "a word of it is worked out".into(),
                "a line permits words that are written out, with inputs in them",
            )
        })
    }

    /// The program, and the words behind it. Behind `sudo -n`, it is what sudo runs.
    #[allow(clippy::type_complexity)] // words with their places, as above
    fn program<'w>(
        &self,
        words: &'w [(ExprId, Vec<Piece>)],
    ) -> Result<(String, &'w [(ExprId, Vec<Piece>)]), Box<Diagnostic>> {
        let literal = |(_, word): &(ExprId, Vec<Piece>)| match word.as_slice() {
            [Piece::Text(text)] => Some(text.clone()),
            _ => None,
        };
        let mut left = words;
        let mut through_sudo = false;
        loop {
            let Some((first, rest)) = left.split_first() else {
                return Err(self.refuse(
                    None,
                    "it names no program".into(),
                    "behind `sudo -n`, the argv goes on with the program",
                ));
            };
            let text = literal(first);
            match text.as_deref() {
                Some("sudo" | "/usr/bin/sudo" | "/bin/sudo") if !through_sudo => {
                    through_sudo = true;
                }
                Some("-n" | "--") if through_sudo => {}
                Some(path) if path.starts_with('/') && is_plain(path) => {
                    if let Some((what, why)) = refused_path(path) {
                        return Err(self.refuse(Some(first.0), what.into(), why));
                    }
                    return Ok((path.to_owned(), rest));
                }
                _ => {
                    return Err(self.refuse(
                        Some(first.0),
                        "its program is no absolute path".into(),
                        "a name would permit whichever program is found first",
                    ));
                }
            }
            left = rest;
        }
    }

    /// What an input can be, if its type bounds it.
    fn input(&self, local: Local, at: ExprId) -> Result<Input, Box<Diagnostic>> {
        let param = self.decl.params.get(local.0 as usize);
        let ty = param.and_then(|p| match self.module.table.kind(p.ty) {
            TyKind::Named(ty, _) => Some(*ty),
            _ => None,
        });
        let name = param.map_or("?", |p| p.name.as_str());
        ty.and_then(|ty| self.bounded(ty)).ok_or_else(|| {
            let refused = self.refuse(
                Some(at),
                format!("its input `{name}` can be any text"),
                "a wildcard would permit every argument, further options too",
            );
            Box::new(refused.cure(
                "give the input a coproduct of names; for texts that are no names, a type `where \
                 pattern(\"(cron|ssh)[.]service\")`",
            ))
        })
    }

    fn bounded(&self, mut ty: TypeRef) -> Option<Input> {
        let (mut least, mut most) = (i64::MIN, i64::MAX);
        loop {
            let module = self.program.modules.get(ty.module.0 as usize)?;
            let def = module.types.get(ty.index as usize)?;
            let base = match &def.shape {
                Shape::Coproduct(variants) => {
                    let names = variants.iter();
                    let names = names.map(|v| (v.fields.is_empty()).then(|| v.name.to_string()));
                    return Some(Input::Names(names.collect::<Option<Vec<_>>>()?));
                }
                Shape::Refined { base, predicates } => {
                    let pattern = predicates.iter().find_map(|p| match p {
                        Predicate::Pattern(pattern) => expression::of(pattern),
                        _ => None,
                    });
                    if let Some(pattern) = pattern {
                        return Some(Input::Matches(pattern));
                    }
                    for predicate in predicates {
                        if let Predicate::Range { min, max } = predicate {
                            least = least.max(min.unwrap_or(i64::MIN));
                            most = most.min(max.unwrap_or(i64::MAX));
                        }
                    }
                    *base
                }
                Shape::Opaque if module.name.as_str() == dag_analysis::Kernel::MODULE => {
                    return match def.name.as_str() {
                        "Bool" => Some(Input::Names(vec!["true".into(), "false".into()])),
                        // Bounds that leave nothing leave nothing to write.
                        "Int" if least <= most => {
                            Some(Input::Matches(numbers::between(least, most)))
                        }
                        _ => None,
                    };
                }
                _ => return None,
            };
            ty = match module.table.kind(base) {
                TyKind::Named(ty, _) => *ty,
                _ => return None,
            };
        }
    }

    /// Every combination of the names that inputs can be.
    fn choices<'i>(
        &self,
        inputs: &'i BTreeMap<u32, Input>,
    ) -> Result<Vec<BTreeMap<u32, &'i str>>, Box<Diagnostic>> {
        let mut choices = vec![BTreeMap::new()];
        for (local, input) in inputs {
            let Input::Names(names) = input else { continue };
            if choices.len() * names.len() > MOST {
                return Err(self.refuse(
                    None,
                    format!("it would have more than {MOST} lines"),
                    "a line is written for each combination of the names that its inputs can be",
                ));
            }
            choices = choices
                .iter()
                .flat_map(|choice| {
                    names.iter().map(|name| {
                        let mut choice = choice.clone();
                        choice.insert(*local, name.as_str());
                        choice
                    })
                })
                .collect();
        }
        Ok(choices)
    }

    fn arguments(
        &self,
        words: &[(ExprId, Vec<Piece>)],
        inputs: &BTreeMap<u32, Input>,
        choice: &BTreeMap<u32, &str>,
    ) -> Result<String, Box<Diagnostic>> {
        // Without arguments, sudo would permit any.
        if words.is_empty() {
            return Ok("\"\"".to_owned());
        }
        let expression = inputs.values().any(|i| matches!(i, Input::Matches(_)));
        let mut shown = Vec::new();
        for (at, word) in words {
            let mut text = String::new();
            let mut empty = true;
            for piece in word {
                let plain = match piece {
                    Piece::Text(text) => text,
                    Piece::Input(local) => match (choice.get(&local.0), inputs.get(&local.0)) {
                        (Some(name), _) => *name,
                        (None, Some(Input::Matches(pattern))) => {
                            text.push_str(pattern);
                            empty &= may_be_empty(pattern);
                            continue;
                        }
                        _ => continue,
                    },
                };
                empty &= plain.is_empty();
                for c in plain.chars() {
                    let written = match expression {
                        true => expression::literal(c),
                        false => escaped(c),
                    };
                    let Some(written) = written else {
                        return Err(self.refuse(
                            Some(*at),
                            format!("the character {c:?} of a word could be misread there"),
                            "sudo compares the arguments joined by spaces, and reads some characters as its own",
                        ));
                    };
                    text.push_str(&written);
                }
            }
            if empty {
                return Err(self.refuse(
                    Some(*at),
                    "a word of it is empty, or may be".into(),
                    "sudo compares the arguments joined by spaces, and would not see it",
                ));
            }
            shown.push(text);
        }
        let shown = shown.join(" ");
        Ok(if expression {
            format!("^{shown}$")
        } else {
            shown
        })
    }
}

/// Why sudoers(5) would read a path as something else than one program: what it is,
/// and the reason.
fn refused_path(path: &str) -> Option<(&'static str, &'static str)> {
    if path.ends_with('/') {
        return Some((
            "its program is a folder",
            "with a `/` at its end, a line permits every program in the folder",
        ));
    }
    if path
        .split('/')
        .skip(1)
        .any(|part| matches!(part, "" | "." | ".."))
    {
        return Some((
            "its program is no plain path",
            "sudo compares paths as they are written: leave `.`, `..` and doubled `/` out",
        ));
    }
    path.ends_with("/sudoedit").then_some((
        "its program is `sudoedit`",
        "sudo reads this name as a word of its own, and edits files: write a `file` operation",
    ))
}

fn is_plain(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_ascii_alphanumeric() || PLAIN.contains(c))
}

/// A character of a word: sudoers(5), "Wildcards" and "Other special characters".
fn escaped(c: char) -> Option<String> {
    match c {
        c if c.is_ascii_alphanumeric() || PLAIN.contains(c) => Some(c.to_string()),
        ',' | ':' | '=' | '#' | '*' | '?' | '[' | ']' => Some(format!("\\{c}")),
        _ => None,
    }
}

/// Whether an expression matches the empty text; what cannot be read may.
fn may_be_empty(pattern: &str) -> bool {
    let whole = regex_lite::Regex::new(&format!("^(?:{pattern})$"));
    whole.map_or(true, |whole| whole.is_match(""))
}
