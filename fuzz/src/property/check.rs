//! What holds of a check.

use super::program::without_place;
use super::syntax::{differ, places_hold};
use super::{Broken, Holds, Program, broken};
use crate::case::SourceFile;
use dag_analysis::core::Expr;
use dag_syntax::{Code, Diagnostic, SourceId, parse};

/// Every diagnostic can be shown, and a program without a mistake has no hole in it.
///
/// # Errors
/// The diagnostic or the hole.
pub fn mistakes_have_places(program: &Program) -> Holds {
    places_hold(&program.checked.diagnostics, &program.sources)?;
    if !program.checked.is_sound() {
        return Ok(());
    }
    for module in program.checked.program.modules.iter() {
        if module.body.exprs.contains(&Expr::Invalid) {
            return broken(
                "a sound program is whole",
                format!("{} has an expression that is none", module.name),
            );
        }
    }
    Ok(())
}

/// In the one layout the same is said of the files, and if they are sound, their core is the
/// same. Gives the program in that layout, if it has one.
///
/// # Errors
/// What the layout changes.
pub fn layout_keeps_the_program(program: &Program) -> Result<Option<Program>, Broken> {
    const NAME: &str = "the layout keeps the program";
    let Some(laid_out) = program.laid_out() else {
        return Ok(None);
    };
    // The order may differ where the places do, and blanks in what is quoted of the text.
    let said = |program: &Program| {
        let mut said: Vec<String> = program.said();
        for line in &mut said {
            line.retain(|c| !c.is_whitespace());
        }
        said.sort();
        said
    };
    if let Some((before, after)) = differ(&said(program), &said(&laid_out)) {
        broken(NAME, format!("said before: {before:?}, after: {after:?}"))?;
    }
    if program.checked.is_sound() {
        let (before, after) = (
            program.core_without_places(),
            laid_out.core_without_places(),
        );
        if let Some((before, after)) = differ(&before, &after) {
            broken(NAME, format!("the core was\n{before}\nand is\n{after}"))?;
        }
    }
    Ok(Some(laid_out))
}

/// What nobody takes for an item. The name is none that a mistake could be taken for.
const GARBAGE: &[&str] = &[
    "fn zzzyx( ->\n",
    "data zzzyx = ]\n",
    "} ) ]\n",
    "; @ #\n",
    "type zzzyx {\n",
    "match\n",
    "service zzzyx { operation\n",
    "data zzzyx: Int = \"{\n",
    "import\n",
    "func zzzyx(\n  node\n",
    "resource {\n",
    "\u{0}\u{feff}\n",
];

/// Garbage behind the last item of a file that parses leaves what is said of all other items, and
/// is refused itself.
///
/// # Errors
/// What is said no more, or anew.
pub fn garbage_hides_nothing(files: &[SourceFile]) -> Holds {
    const NAME: &str = "garbage hides nothing";
    let program = Program::of(files);
    for (at, file) in files.iter().enumerate() {
        if !parse(SourceId(0), file.text.as_str().into()).1.is_empty() {
            continue;
        }
        // One kind of garbage for each text, so that a case is the same in every run.
        let garbage = GARBAGE.get(file.text.len() % GARBAGE.len()).unwrap_or(&"");
        let mut files = files.to_vec();
        if let Some(file) = files.get_mut(at) {
            file.text.push('\n');
            file.text.push_str(garbage);
        }
        let spoilt = Program::of(&files);
        let own = |program: &Program| -> Vec<String> {
            let all = program.checked.diagnostics.iter();
            all.filter(|d| {
                let in_file = program.sources.get(d.at.source).path.as_ref() == file.path;
                let before = d.at.span.end as usize <= file.text.len();
                before && in_file && !depends_on_the_rest(d)
            })
            .map(|d| format!("{:?} {}", d.at.span, without_place(d)))
            .collect()
        };
        if let Some((before, after)) = differ(&own(&program), &own(&spoilt)) {
            return broken(
                NAME,
                format!(
                    "behind {}: {garbage:?}\nwithout: {before:?}\nwith: {after:?}",
                    file.path
                ),
            );
        }
        let refused = spoilt.checked.diagnostics.iter().any(|d| {
            let in_file = spoilt.sources.get(d.at.source).path.as_ref() == file.path;
            in_file && d.is_error() && d.at.span.end as usize >= file.text.len()
        });
        if !refused {
            return broken(
                NAME,
                format!("{garbage:?} behind {} is not refused", file.path),
            );
        }
    }
    Ok(())
}

/// Whether more must be known than the items that are sound: what is not used is only told of a
/// file without mistakes.
fn depends_on_the_rest(diagnostic: &Diagnostic) -> bool {
    diagnostic.code == Code::UnusedImport
}
