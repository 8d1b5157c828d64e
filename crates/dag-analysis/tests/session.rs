//! A program that is edited is always what a check from scratch would find, and
//! costs no more than what changed.

use dag_analysis::record::Target;
use dag_analysis::{Change, File, Library, Session, check, library};
use dag_syntax::{SourceId, Sources, Style, render_text};
use proptest::prelude::*;

/// A session with the library and some files, checked.
fn session(files: &[(&str, &str)]) -> (Session, Vec<SourceId>) {
    let mut session = Session::default();
    for (path, text) in library() {
        session.add(path, text, true);
    }
    let own = files
        .iter()
        .map(|(path, text)| session.add(path, text, false))
        .collect();
    session.update(&mut |_, _| true);
    (session, own)
}

fn checked(session: &mut Session) -> usize {
    session.update(&mut |_, _| true).checked
}

/// All mistakes of a session, as a person sees them.
fn mistakes(session: &Session) -> String {
    let mut sources: Vec<SourceId> = session.files().collect();
    let path = |s: &SourceId| session.sources().get(*s).path.clone();
    sources.sort_by_key(path);
    let all = sources.into_iter().flat_map(|s| session.diagnostics(s));
    all.map(|d| render_text(&d, session.sources(), Style::Plain) + "\n")
        .collect()
}

/// The same of a check from scratch.
fn from_scratch(session: &Session) -> String {
    let mut sources = Sources::default();
    let files: Vec<File> = session
        .files()
        .map(|s| {
            let source = session.sources().get(s);
            let path: &str = &source.path;
            File {
                source: sources.add(path, source.text.as_ref()),
                library: session.is_library(s),
            }
        })
        .collect();
    let checked = check(&sources, &files, Library::Whole);
    let all = checked.diagnostics.iter();
    all.map(|d| render_text(d, &sources, Style::Plain) + "\n")
        .collect()
}

const BASE: &str = "module base\n\ntype Port = Int where range(min: 1, max: 9)\n\ntype Unit { port: Port }\n\nfn twice(n: Int) -> Int = n * 2\n";
const MIDDLE: &str =
    "module middle\n\nimport base { Unit, twice }\n\nfn port(u: Unit) -> Int = twice(u.port)\n";
const TOP: &str = "module top\n\nimport middle { port }\n\nimport base { Unit }\n\ndata n: Int = port(Unit { port: 1 })\n";
const APART: &str = "module apart\n\ndata n: Int = 1\n";

fn files() -> [(&'static str, &'static str); 4] {
    [
        ("base.dag", BASE),
        ("middle.dag", MIDDLE),
        ("top.dag", TOP),
        ("apart.dag", APART),
    ]
}

#[test]
fn an_edit_costs_what_it_changes() {
    let (mut session, own) = session(&files());
    assert_eq!(mistakes(&session), "");
    assert_eq!(checked(&mut session), 0);
    let mut after = |text: &str| {
        session.set_text(own[0], text);
        checked(&mut session)
    };
    // A body, places, an annotation: nobody else sees those.
    assert_eq!(after(&BASE.replace("n * 2", "n + n")), 1);
    assert_eq!(after(&format!("{BASE}\n\n")), 1);
    assert_eq!(after(&BASE.replace("fn twice", "// Said.\nfn twice")), 1);
    // Another declaration, another type, another rule, another label.
    assert_eq!(after(&format!("{BASE}\nfn more() -> Int = 1\n")), 3);
    assert_eq!(after(&format!("{BASE}\nfn more() -> Int = 2\n")), 1);
    assert_eq!(after(BASE), 3);
    let text = BASE.replace("-> Int = n * 2", "-> String = \"\"");
    assert_eq!(after(&text), 3);
    assert_eq!(after(BASE), 3);
    assert_eq!(after(&BASE.replace("max: 9", "max: 8")), 3);
    let label = BASE.replace("twice(n:", "twice(m:");
    assert_eq!(after(&label.replace("n * 2", "m * 2")), 3);
}

#[test]
fn an_import_costs_one_module_while_the_order_holds() {
    let (mut session, own) = session(&files());
    session.set_text(
        own[2],
        &TOP.replace("import base", "import apart\nimport base"),
    );
    // `apart` is checked before `top`, by their names.
    assert_eq!(checked(&mut session), 1);
    // An import the other way round is another order.
    session.set_text(own[2], TOP);
    checked(&mut session);
    session.set_text(
        own[3],
        "module apart\n\nimport top { n }\n\ndata m: Int = n\n",
    );
    assert!(checked(&mut session) > 4);
    assert_eq!(mistakes(&session), "");
}

#[test]
fn a_check_that_was_stopped_goes_on_where_it_was() {
    let mut session = Session::default();
    for (path, text) in library() {
        session.add(path, text, true);
    }
    for (path, text) in files() {
        session.add(path, text, false);
    }
    let all = library().len() + files().len();
    let mut asked = 0;
    let first = session.update(&mut |_, _| {
        asked += 1;
        asked <= 3
    });
    assert_eq!((first.checked, first.stopped), (3, true));
    let second = session.update(&mut |_, _| true);
    let rest = Change {
        checked: all - 3,
        parsed: 0,
        stopped: false,
    };
    assert_eq!(second, rest);
    assert_eq!(mistakes(&session), "");
}

#[test]
fn mistakes_are_told_only_where_they_may_have_changed() {
    let (mut session, own) = session(&files());
    session.take_fresh();
    session.set_text(own[1], &MIDDLE.replace("-> Int", "-> String"));
    checked(&mut session);
    assert_eq!(session.take_fresh(), [own[1], own[2]]);
    assert!(session.take_fresh().is_empty());
}

#[test]
fn a_record_tells_what_each_name_refers_to() {
    let (mut session, own) = session(&files());
    let record = session.record(own[2]).unwrap();
    let text = session.sources().get(own[2]).text.clone();
    let at = text.find("port(Unit").unwrap() as u32;
    let used = *record.at(at).next().unwrap();
    let Target::Decl(decl) = used.target else {
        panic!("{used:?}");
    };
    assert_eq!(session.program().decl(decl).name.as_str(), "port");
    let place = used.target.definition(session.program(), &record.module);
    assert_eq!(place.map(|p| p.source), Some(own[1]));
    // It is kept until the module is checked again.
    let again = session.record(own[2]).unwrap();
    assert!(std::sync::Arc::ptr_eq(&record, &again));
    session.set_text(own[2], &format!("{TOP}\n"));
    checked(&mut session);
    assert!(!std::sync::Arc::ptr_eq(
        &record,
        &session.record(own[2]).unwrap()
    ));
}

#[test]
fn a_caller_that_is_admitted_is_missed_when_it_goes() {
    let mint = "module mint\n\nfn coin() -> Int admit_callers: [decl_ref(module_path: \"shop\", decl_name: \"change\")] = 1\n";
    let shop = "module shop\n\nimport mint { coin }\n\nfn change() -> Int = coin()\n";
    let (mut session, own) = session(&[("mint.dag", mint), ("shop.dag", shop)]);
    assert_eq!(mistakes(&session), "");
    session.set_text(own[1], &shop.replace("change", "changed"));
    checked(&mut session);
    assert!(mistakes(&session).contains("no module `shop` declares `change`"));
    assert_eq!(mistakes(&session), from_scratch(&session));
    session.set_text(own[1], shop);
    checked(&mut session);
    assert_eq!(mistakes(&session), "");
    session.remove(own[1]);
    checked(&mut session);
    assert!(mistakes(&session).contains("no module `shop` declares `change`"));
}

/// Texts of each file that break and mend each other.
fn texts(file: usize) -> Vec<String> {
    let base = BASE.to_owned();
    match file {
        0 => vec![
            base.clone(),
            base.replace("twice", "thrice"),
            base.replace("port: Port }", "port: Port, name: String }"),
            base.replace("module base", "module basis"),
            base.replace("fn twice", "fn broken( ->\n\nfn twice"),
            base.replace("module base\n", "module base\n\nimport top { n }\n"),
            base.replace("type Port", "type First { a: Int }\n\ntype Port"),
            base.replace(
                " Unit { port: Port }",
                " Unit { port: Port where range(max: 3) }",
            ),
        ],
        1 => vec![
            MIDDLE.into(),
            MIDDLE.replace("-> Int", "-> String"),
            MIDDLE.replace("Unit, twice", "Unit"),
            MIDDLE.replace("u.port", "u.prot"),
            format!("{MIDDLE}\nfn spare(x: Int) -> Int = x\n"),
            // It loads `base` no more.
            "module middle\n\nfn port(u: Int) -> Int = u\n".into(),
        ],
        2 => vec![
            TOP.into(),
            TOP.replace("import base { Unit }", "import base { Unit, twice }"),
            TOP.replace("import base", "import apart { n }\nimport base"),
            TOP.replace("data n", "data m"),
            // What is named with its module is loaded by another import.
            "module top\n\nimport middle { port }\n\ndata n: Int = base.twice(1)\n".into(),
            "".into(),
        ],
        _ => vec![
            APART.into(),
            APART.replace("module apart", "module base"),
            APART.replace("= 1", "= base.twice(1)"),
            APART.replace("module apart\n", "module apart\n\nimport top { n }\n"),
            APART.replace("\n\ndata n", "\n\nfn twice(n: Int) -> Int = n\n\ndata k"),
        ],
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn after_any_edits_it_is_what_a_check_from_scratch_finds(
        edits in prop::collection::vec((0usize..4, 0usize..9, any::<bool>()), 1..12)
    ) {
        let (mut session, own) = session(&files());
        for (file, text, stop) in edits {
            let texts = texts(file);
            match texts.get(text) {
                Some(text) => session.set_text(own[file], text),
                None => session.remove(own[file]),
            }
            if stop {
                // Given up half-way, as when somebody types on.
                let mut first = true;
                session.update(&mut |_, _| std::mem::take(&mut first));
                continue;
            }
            session.update(&mut |_, _| true);
            prop_assert_eq!(mistakes(&session), from_scratch(&session));
            // Records are made of what stands now.
            for source in session.files().collect::<Vec<_>>() {
                if let Some(record) = session.record(source) {
                    let text = session.sources().get(source).text.clone();
                    for used in &record.uses {
                        prop_assert!(text.get(used.span.start as usize..used.span.end as usize).is_some());
                        prop_assert!(used.target.definition(session.program(), &record.module).is_some());
                    }
                }
            }
        }
    }
}
