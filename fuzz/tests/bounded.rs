//! A run that is the same everywhere: all that was ever found, and so many new cases.
#![allow(clippy::unwrap_used)] // a test that cannot read its models has failed

use dag_fuzz::property::Program;
use dag_fuzz::run::{on_deep_stack, try_all, try_case};
use dag_fuzz::{Case, Dice, Kind, Run, SourceFile, generate, seeds};
use dag_syntax::{SourceId, parse};
use expect_test::expect;
use std::collections::BTreeSet;

/// Another seed is another run. `make fuzz` takes one by chance.
const SEED: u64 = 1;

#[test]
fn what_was_found_stays_mended() {
    let finds = seeds::finds().unwrap();
    for (name, case) in finds {
        let held = on_deep_stack(|| try_case(&case, Kind::Program)).unwrap();
        assert_eq!(held, Ok(()), "fuzz/corpus/{name}");
    }
}

fn holds(kind: Kind, cases: u64) {
    let run = Run::new(SEED, seeds::seeds().unwrap());
    let found = try_all(&run, kind, 0..cases, env!("CARGO_TARGET_TMPDIR").as_ref()).unwrap();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn what_holds_of_a_text_holds() {
    holds(Kind::Text, 4_000);
}

#[test]
fn what_holds_of_a_program_holds() {
    holds(Kind::Program, 400);
}

#[test]
fn generated_modules_are_mostly_sound_and_show_every_item() {
    let cases: Vec<Case> = (0..300)
        .map(|number| generate::case(&mut Dice::new(SEED, number)))
        .collect();
    let mut kinds = BTreeSet::new();
    let mut sound = 0;
    for case in &cases {
        for SourceFile { path, text } in &case.writes {
            let (tree, mistakes) = parse(SourceId(0), text.as_str().into());
            assert_eq!(mistakes, [], "{path}:\n{text}");
            let mut todo = vec![tree.root()];
            while let Some(node) = todo.pop() {
                kinds.insert(format!("{:?}", tree.kind(node)));
                todo.extend(tree.children(node));
            }
        }
        let program = on_deep_stack(|| Program::of(&case.writes)).unwrap();
        sound += usize::from(program.checked.is_sound());
    }
    let kinds: Vec<String> = kinds.into_iter().collect();
    expect!["AdmitCallers After AliasBody AliasDecl AnyPattern Arg Arm AsExpr BinaryExpr BindPattern BlockExpr BoolExpr BoolPattern BraceExpr CallExpr Capability ConfigBlock CoproductBody CtorPattern DataDecl Default Entry ExitTable FieldDecl FieldExpr FieldPattern File Flag FloatExpr FnDecl ForExpr FuncDecl Guard IfExpr Import ImportList Init Inputs IntExpr IntPattern Kind LambdaExpr Let ListExpr MapEntry MatchExpr MockTable ModuleLine Name NameExpr NoneExpr NonePattern Operation Outputs Param Params ParenExpr Path PipeExpr PositionalInit PositionalPattern Predicate PredicateArg RecordBody RecordExpr RecordPattern ResourceDecl ResponseTable Return ServiceDecl Source Status StatusRow Step StrExpr StrPattern Transport TypeDecl TypeFn TypeOptional TypeParams TypePath TypeRecord UnaryExpr UnitExpr Use Uses Variant When Where"].assert_eq(&kinds.join(" "));
    assert!(sound >= 270, "{sound} of {} are sound", cases.len());
}
