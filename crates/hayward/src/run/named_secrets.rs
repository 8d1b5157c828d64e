//! The secrets that a call names in its arguments: what is not there is said before anything is done.

use dag_analysis::Kernel;
use dag_analysis::core::{DeclRef, Expr, Program};
use dag_syntax::{Code, Diagnostic, Location};
use hayward_operations::Secrets;
use std::collections::HashSet;

/// A refusal for each secret that is named and not given. A name that is worked out by a
/// function is not known yet; its operation refuses it.
pub(super) fn missing(program: &Program, call: DeclRef, given: &Secrets) -> Vec<Diagnostic> {
    let mut missing: Vec<(String, Location)> = Vec::new();
    let mut seen = HashSet::from([call]);
    let mut items = vec![call];
    while let Some(item) = items.pop() {
        let module = program.module(item.module);
        let mut parts: Vec<_> = program.decl(item).body.into_iter().collect();
        while let Some(part) = parts.pop() {
            match module.body.expr(part) {
                Expr::Data(data) if seen.insert(*data) => items.push(*data),
                Expr::Construct { ctor, fields } if is_secret(program, ctor.ty) => {
                    let name = module.body.operands(*fields).first();
                    if let Some(Expr::Str(name)) = name.map(|name| module.body.expr(*name))
                        && !given.has(name)
                        && !missing.iter().any(|(named, _)| **named == **name)
                    {
                        let (source, span) = (module.source, module.body.span(part));
                        missing.push((name.to_string(), Location { source, span }));
                    }
                }
                _ => module.body.children(part, |child| parts.push(child)),
            }
        }
    }
    missing.sort_by_key(|(_, at)| *at);
    let refused = missing.into_iter().map(|(name, at)| {
        let message = format!("the text of the secret `{name}` is not given");
        Diagnostic::error(Code::NotCarriedOut, at, message)
            .cure(format!("give it by a file: `--secret {name}=FILE`"))
    });
    refused.collect()
}

fn is_secret(program: &Program, ty: dag_analysis::core::TypeRef) -> bool {
    program.type_def(ty).name.as_str() == "Secret"
        && program.module(ty.module).name.as_str() == Kernel::MODULE
}
