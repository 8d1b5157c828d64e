//! How a value on the command line is written, told where it was written otherwise.

use crate::args::Mode;
use dag_analysis::Kernel;
use dag_analysis::core::{DeclRef, Param, Program, Shape};
use dag_analysis::types::TyKind;
use dag_eval::quote;
use dag_syntax::{Code, Diagnostic};
use std::ops::Range;

/// Values that are longer are not shown again.
const SHOWN: usize = 60;

/// What a parameter takes, as far as that is often written wrong.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Text,
    Secret,
    Other,
}

/// How the arguments of a workflow are written.
pub(super) struct Written<'p> {
    program: &'p Program,
    workflow: DeclRef,
    mode: Mode,
}

impl<'p> Written<'p> {
    pub(super) fn new(program: &'p Program, workflow: DeclRef, mode: Mode) -> Self {
        Self {
            program,
            workflow,
            mode,
        }
    }

    /// Names the cure of mistakes in the value that a parameter was given.
    pub(super) fn mend(&self, mistakes: &mut [Diagnostic], name: &str, value: &str) {
        let params = &self.program.decl(self.workflow).params;
        let param = params.iter().find(|p| p.name.as_str() == name);
        let Some(cure) = param.and_then(|param| self.cure(param, value)) else {
            return;
        };
        // Once: the others follow from it.
        if let Some(first) = mistakes.first_mut() {
            first.cure = Some(cure);
            first.fix = None;
        }
    }

    /// The same for the mistakes of the whole call: `values` are the places of what was given.
    pub(super) fn mend_call(
        &self,
        mistakes: &mut [Diagnostic],
        values: &[(Range<usize>, &str, &str)],
    ) {
        for (place, name, value) in values {
            let within = |d: &&mut Diagnostic| {
                place.contains(&(d.at.span.start as usize)) && d.at.span.end as usize <= place.end
            };
            if let Some(mistake) = mistakes.iter_mut().find(within) {
                self.mend(std::slice::from_mut(mistake), name, value);
            }
        }
        let params = &self.program.decl(self.workflow).params;
        let missing: Vec<String> = params
            .iter()
            .filter(|p| p.default.is_none() && self.takes(p) == Takes::Secret)
            .filter(|p| !values.iter().any(|(_, name, _)| *name == p.name.as_str()))
            .map(|p| self.secret(p.name.as_str()))
            .collect();
        let ungiven = |d: &&mut Diagnostic| d.code == Code::WrongArguments && d.cure.is_none();
        if let (false, Some(mistake)) = (missing.is_empty(), mistakes.iter_mut().find(ungiven)) {
            mistake.cure = Some(missing.join("; "));
        }
    }

    fn cure(&self, param: &Param, value: &str) -> Option<String> {
        let name = param.name.as_str();
        match self.takes(param) {
            Takes::Secret => Some(self.secret(name)),
            // One in quotes is a text, and wrong for another reason.
            Takes::Text if !value.trim_start().starts_with('"') => {
                let text = if value.len() > SHOWN { "…" } else { value };
                let text = quote(text);
                Some(format!(
                    "a text is written `{name}={text}`, for a shell {}",
                    for_shell(&format!("{name}={text}"))
                ))
            }
            Takes::Text | Takes::Other => None,
        }
    }

    /// How a secret is given. A hermetic run reads none, and takes its name.
    fn secret(&self, name: &str) -> String {
        match self.mode {
            Mode::Hermetic => {
                let word = format!("{name}=Secret {{ name: {} }}", quote(name));
                format!("a hermetic run takes a secret's name: {}", for_shell(&word))
            }
            Mode::Wet | Mode::Record => {
                format!("a secret is given by a file: `--secret {name}=FILE`")
            }
        }
    }

    fn takes(&self, param: &Param) -> Takes {
        let mut table = &self.program.module(self.workflow.module).table;
        let mut ty = param.ty;
        loop {
            let TyKind::Named(named, _) = table.kind(ty) else {
                return Takes::Other;
            };
            let def = self.program.type_def(*named);
            if named.is_unnamed() {
                return Takes::Other;
            }
            let module = self.program.module(named.module);
            if let Shape::Refined { base, .. } = &def.shape {
                (table, ty) = (&module.table, *base);
                continue;
            }
            let kernel = module.name.as_str() == Kernel::MODULE;
            return match def.name.as_str() {
                "String" if kernel => Takes::Text,
                "Secret" if kernel => Takes::Secret,
                _ => Takes::Other,
            };
        }
    }
}

/// A word as a POSIX shell reads it: in single quotes, where nothing else is special.
fn for_shell(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}
