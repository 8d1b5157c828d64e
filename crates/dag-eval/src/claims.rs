//! Literals of refined types that the check of their module could not decide, judged before
//! anybody evaluates what they stand in.

use crate::compile::compile_claim;
use crate::evaluator::Evaluator;
use crate::operations::Hermetic;
use crate::refusal::Refusal;
use crate::value::Value;
use dag_analysis::Expression;
use dag_analysis::core::{Claim, DeclRef, Module, ModuleId, Predicate, Program, Shape};
use dag_syntax::{Code, Diagnostic, Location, Span};
use std::sync::Arc;

/// A checked expression, if its literals are of the types of their places.
///
/// # Errors
/// The mistakes among them.
pub fn judged(expression: Expression) -> Result<Expression, Vec<Diagnostic>> {
    let module = expression.decl.module;
    let modules = expression.program.modules.clone();
    let mistakes = Evaluator::new(Arc::new(Program { modules })).judge(module);
    match mistakes.is_empty() {
        true => Ok(expression),
        false => Err(mistakes),
    }
}

impl Evaluator {
    /// The mistakes among the literals of a module that the check left to an evaluation
    /// ([`Module::claims`]): those that are not of the type of their place, and those of which
    /// nothing can be said, because a predicate is refused. The module, and all that it
    /// loads, must be without a mistake.
    #[must_use]
    pub fn judge(&self, module: ModuleId) -> Vec<Diagnostic> {
        let Some(module) = self.program().modules.get(module.0 as usize) else {
            return Vec::new();
        };
        let mut mistakes = Vec::new();
        let mut refused: Option<Span> = None;
        for claim in &module.claims {
            let span = module.body.span(claim.literal);
            // What is wrong inside a literal, or by its base, was said.
            let told = refused.is_some_and(|r| span.start <= r.start && r.end <= span.end);
            if told {
                continue;
            }
            if let Some(mistake) = self.mistake(module, *claim) {
                refused = Some(span);
                mistakes.push(mistake);
            }
        }
        mistakes
    }

    fn mistake(&self, module: &Module, claim: Claim) -> Option<Diagnostic> {
        let at = Location {
            source: module.source,
            span: module.body.span(claim.literal),
        };
        let declaring = self.program().modules.get(claim.ty.module.0 as usize)?;
        let ty = declaring.types.get(claim.ty.index as usize)?;
        let declared = Location {
            source: declaring.source,
            span: ty.span,
        };
        let refuse = |why: String| {
            let message = format!("this is no `{}`: {why}", ty.name);
            Diagnostic::error(Code::RefinementBroken, at, message)
        };
        let typed = |mistake: Diagnostic| mistake.other(declared, "the type is declared here");
        let unit = compile_claim(self.program(), self.around(module, at.span), claim)?;
        let value = match self.run(unit.codes.first()?, Vec::new(), &Hermetic) {
            Ok(outcome) => outcome.value,
            // By a predicate of the language that takes too long for a check.
            Err(refusal) => {
                return Some(typed(because(
                    refuse("it is refused when it is built".into()),
                    &refusal,
                )));
            }
        };
        let Shape::Refined { predicates, .. } = &ty.shape else {
            return None;
        };
        let functions = predicates.iter().filter_map(|predicate| match predicate {
            Predicate::Holds(function) => Some(*function),
            _ => None,
        });
        for function in functions {
            let name = self.program().decl(function).name;
            let answer = self.call(function, vec![value.clone()]);
            let mistake = match answer {
                Ok(outcome) if matches!(outcome.value, Value::Bool(true)) => continue,
                Ok(_) => refuse(format!("`{name}` does not hold")),
                Err(refusal) => because(refuse(format!("`{name}` gives no answer")), &refusal)
                    .other(refusal.at, "refused here"),
            };
            let mistake = mistake.other(self.declared_at(function), "the predicate");
            return Some(typed(mistake));
        }
        None
    }

    /// The declaration that a place of a module lies in: the last one whose name stands
    /// before it.
    fn around(&self, module: &Module, span: Span) -> DeclRef {
        let decls = (0u32..).zip(&module.decls);
        let before = decls.filter(|(_, decl)| decl.span.start <= span.start);
        let last = before.max_by_key(|(_, decl)| decl.span.start);
        DeclRef {
            module: module.id,
            index: last.map_or(0, |(index, _)| index),
        }
    }
}

fn because(mistake: Diagnostic, refusal: &Refusal) -> Diagnostic {
    mistake.note(format!("{}: {}", refusal.code.as_str(), refusal.message))
}
