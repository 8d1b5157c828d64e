//! What an earlier run found is used as long as it holds, and never longer.
#![allow(clippy::unwrap_used)] // a test's own set-up

mod common;

use dag_analysis::{CheckRecords, Checked, Library, Past, Work, check_after};
use dag_given::Memory;
use dag_syntax::{Sources, Style, render_text};
use std::sync::Arc;

/// A project whose runs follow each other.
#[derive(Default)]
struct Project {
    files: Vec<(String, String)>,
    records: CheckRecords,
    memory: Arc<Memory>,
}

impl Project {
    fn new(files: &[(&str, &str)]) -> Self {
        let mut project = Self::default();
        for (path, text) in files {
            project.write(path, text);
        }
        project
    }

    fn write(&mut self, path: &str, text: &str) {
        self.files.retain(|(p, _)| p != path);
        self.files.push((path.into(), text.into()));
        self.files.sort();
    }

    fn past(&self) -> Past {
        let memory = Arc::clone(&self.memory);
        Past::new(Arc::new(self.records.clone()), memory)
    }

    fn check(&self, past: Past) -> (Checked, Sources) {
        let own = self.files.iter();
        let (sources, files) =
            dag_given::texts(own.map(|(path, text)| (path.as_str(), text.as_str())));
        let checked = check_after(&sources, &files, Library::Loaded, past, |_| true);
        (checked, sources)
    }

    /// Checks after the earlier runs, and must find what a check without them finds.
    fn run(&mut self) -> Work {
        let (checked, sources) = self.check(self.past());
        let (cold, cold_sources) = self.check(Past::NONE);
        let shown = |checked: &Checked, sources: &Sources| {
            let all = checked.diagnostics.iter();
            all.map(|d| render_text(d, sources, Style::Plain))
                .collect::<Vec<_>>()
        };
        assert_eq!(shown(&checked, &sources), shown(&cold, &cold_sources));
        let program = |checked: &Checked| {
            let modules = checked.program.modules.iter();
            let texts: Vec<String> = modules.map(|m| said(m, checked)).collect();
            let mut texts = texts;
            texts.sort();
            texts
        };
        if cold.is_sound() {
            assert_eq!(program(&checked), program(&cold));
        }
        let work = checked.program.modules.work().unwrap_or(checked.work);
        let known = checked.modules.into_iter();
        self.records = known.filter_map(|module| module.record).collect();
        // As it would be written and read.
        self.records = CheckRecords::from_bytes(&self.records.to_bytes()).unwrap();
        work
    }
}

/// A module's content with other modules by name, for comparison.
fn said(module: &dag_analysis::core::Module, checked: &Checked) -> String {
    let mut text = format!(
        "{:?} {:?} {:?} {:?} {:?} {:?}",
        module.name, module.types, module.decls, module.body, module.operations, module.resources
    );
    let kinds = (0..)
        .map(dag_analysis::types::Ty)
        .map(|ty| module.table.kind(ty));
    for kind in kinds.take(200) {
        text.push_str(&format!(" {kind:?}"));
    }
    for (id, other) in checked.program.modules.iter().enumerate().rev() {
        text = text.replace(&format!("ModuleId({id})"), &other.name.to_string());
    }
    text
}

fn counts(work: Work) -> (u64, u64, u64) {
    (work.parsed, work.checked, work.kept)
}

const SHAPES: &str = "module shapes\n\ntype Shape = | Dot | Square { side: Int }\n\nfn area(s: Shape) -> Int = match s {\n  Dot => 0\n  Square { side } => side * side\n}\n";
const USER: &str =
    "module user\n\nimport shapes { Square, area }\n\ndata big: Int = area(Square { side: 9 })\n";
const OTHER: &str = "module other\n\nimport user { big }\n\ndata bigger: Int = big + 1\n";

fn three() -> Project {
    Project::new(&[
        ("shapes.dag", SHAPES),
        ("user.dag", USER),
        ("other.dag", OTHER),
    ])
}

#[test]
fn an_unchanged_project_is_not_looked_into() {
    let mut project = three();
    assert_eq!(counts(project.run()), (5, 5, 0));
    assert_eq!(counts(project.run()), (0, 0, 5));
}

#[test]
fn an_edited_body_stops_at_its_module() {
    let mut project = three();
    project.run();
    project.write(
        "shapes.dag",
        &SHAPES.replace("side * side", "side * side + 0"),
    );
    assert_eq!(counts(project.run()), (1, 1, 4));
}

#[test]
fn an_edited_interface_reaches_those_that_look_at_it() {
    let mut project = three();
    project.run();
    project.write(
        "shapes.dag",
        &SHAPES
            .replace("| Dot", "| Dot | Line")
            .replace("  Dot =>", "  Line => 1\n  Dot =>"),
    );
    // `other` looks at `user` alone, whose interface is the same.
    assert_eq!(counts(project.run()), (2, 2, 3));
}

#[test]
fn a_mistake_is_reported_in_every_run() {
    let mut project = three();
    project.run();
    project.write("user.dag", &USER.replace("side: 9", "sid: 9"));
    assert_eq!(project.run().checked, 1);
    assert_eq!(project.run().checked, 1);
    project.write("user.dag", USER);
    // What was found before the mistake is known no longer: only the last run is.
    assert_eq!(project.run().checked, 1);
    assert_eq!(project.run().checked, 0);
}

#[test]
fn a_warning_is_reported_in_every_run() {
    let mut project = three();
    project.write(
        "other.dag",
        "module other\n\nimport user { big }\n\ndata bigger: Int = 1\n",
    );
    project.run();
    let (checked, _) = project.check(project.past());
    assert_eq!(checked.diagnostics.len(), 1);
}

#[test]
fn what_a_parse_says_is_said_in_every_run() {
    for spoilt in [
        USER.replace("= area", "= area;"),
        USER.replace("module user", "module user of"),
        format!("{USER}\n// Of nothing.\n"),
        // A warning: the item is sound.
        format!("{USER}\ndata words: String = \"\\d\"\n"),
    ] {
        let mut project = three();
        project.write("user.dag", &spoilt);
        for _ in 0..3 {
            project.run();
        }
        let (checked, _) = project.check(project.past());
        assert!(!checked.diagnostics.is_empty(), "{spoilt}");
    }
}

#[test]
fn a_name_that_was_broken_is_missed_when_it_goes() {
    let mut project = Project::new(&[
        ("a.dag", "module a\n\nfn loud(\n"),
        (
            "b.dag",
            "module b\n\nimport a\n\ndata one: Int = a.loud()\n",
        ),
    ]);
    project.run();
    // Nothing was said of `b`, whose mistake followed from the other one.
    project.write("a.dag", "module a\n");
    project.run();
    let (checked, _) = project.check(project.past());
    assert_eq!(checked.diagnostics.len(), 1);
}

#[test]
fn a_name_that_is_not_loaded_any_more_is_missed() {
    let mut project = Project::new(&[
        ("a.dag", "module a\n\ndata one: Int = 1\n"),
        (
            "b.dag",
            "module b\n\nimport a { one }\n\ndata two: Int = one + 1\n",
        ),
        (
            "c.dag",
            "module c\n\nimport b { two }\n\ndata three: Int = a.one + two\n",
        ),
    ]);
    project.run();
    // The interface of `b` is the same, but it does not load `a` any more.
    project.write("b.dag", "module b\n\ndata two: Int = 2\n");
    let (checked, _) = project.check(project.past());
    assert_eq!(checked.diagnostics.len(), 1);
    project.run();
}

#[test]
fn a_module_that_is_not_kept_any_more_is_checked_again() {
    let mut project = three();
    project.run();
    project.memory.modules().clear();
    let work = project.run();
    assert_eq!((work.checked, work.restored), (5, 0));
}

#[test]
fn a_module_is_brought_when_somebody_asks_for_it() {
    let mut project = three();
    project.run();
    let (checked, _) = project.check(project.past());
    let modules = &checked.program.modules;
    let restored = || modules.work().unwrap().restored;
    assert_eq!((modules.len(), restored()), (5, 0));
    let user = modules.named("user".into()).unwrap();
    for _ in 0..2 {
        assert_eq!(modules[user].name.as_str(), "user");
        assert_eq!(restored(), 1);
    }
    assert_eq!((modules.iter().count(), restored()), (5, 5));
}

#[test]
fn a_chain_of_modules_that_are_gone_is_checked_again_on_a_small_stack() {
    let mut project = Project::default();
    project.write("m0.dag", "module m0\n\ndata v0: Int = 0\n");
    for n in 1..1500 {
        let before = n - 1;
        let text = format!(
            "module m{n}\n\nimport m{before} {{ v{before} }}\n\ndata v{n}: Int = v{before} + 1\n"
        );
        project.write(&format!("m{n}.dag"), &text);
    }
    let (checked, _) = project.check(project.past());
    project.records = checked
        .modules
        .into_iter()
        .filter_map(|m| m.record)
        .collect();
    project.memory.modules().clear();
    let (checked, _) = project.check(project.past());
    assert_eq!(checked.work.checked, 0);
    let modules = checked.program.modules;
    let small = std::thread::Builder::new().stack_size(256 << 10);
    let last = small.spawn(move || {
        let last = modules.named("m1499".into()).unwrap();
        (modules[last].decls.len(), modules.work().unwrap().checked)
    });
    assert_eq!(last.unwrap().join().unwrap(), (1, 1502));
}

#[test]
fn bytes_that_are_no_module_are_not_believed() {
    let mut project = three();
    project.run();
    for bytes in project.memory.modules().values_mut() {
        bytes.truncate(bytes.len() / 2);
    }
    let work = project.run();
    assert_eq!((work.checked, work.restored), (5, 0));
}

#[test]
fn the_order_of_declarations_belongs_to_the_interface() {
    let mut project = Project::new(&[
        (
            "a.dag",
            "module a\n\ndata one: Int = 1\n\ndata two: Int = 2\n",
        ),
        (
            "b.dag",
            "module b\n\nimport a { two }\n\ndata three: Int = two + 1\n",
        ),
    ]);
    project.run();
    project.write(
        "a.dag",
        "module a\n\ndata two: Int = 2\n\ndata one: Int = 1\n",
    );
    assert_eq!(counts(project.run()), (2, 2, 2));
}

#[test]
fn a_renamed_or_doubled_module_is_found_again() {
    let mut project = three();
    project.run();
    project.write("copy.dag", SHAPES);
    let (checked, _) = project.check(project.past());
    assert!(!checked.is_sound());
    project.files.retain(|(path, _)| path != "copy.dag");
    project.files.retain(|(path, _)| path != "shapes.dag");
    let (checked, _) = project.check(project.past());
    assert!(!checked.is_sound());
}

/// Every module of a chain is edited in turn, in its body and in its interface, and
/// each run agrees with a run without a past.
#[test]
fn services_resources_and_workflows_are_kept() {
    let types = "module types\n\ntype Name = String where non_empty\ntype Got = | Line { text: Name from \"stdout\" } | None\nresource R {\n  n: 3\n  capability c(x: Int) -> Got\n}\n";
    let service = "module service\n\nimport types { Got }\nservice S {\n  operation Op(x: Int) -> { all: List<types.Name> from \"stdout_lines\" }\n  operation Ask {\n    input { x: Int }\n    transport shell { argv: [\"/bin/b\"] }\n    exit { 0 => Got.Line, 1 => Got.None }\n  }\n  transport shell { argv: [\"/bin/a\", \"{x}\"] }\n}\n";
    let work = "module work\n\nimport service { S }\nimport types { R }\nfunc f(x: Int) -> Int uses r: R(c: S.Ask) {\n  r.c(x)\n  count(S.Op(x: r.n).all)\n}\n";
    let mut project = Project::new(&[("a.dag", types), ("b.dag", service), ("c.dag", work)]);
    project.run();
    assert_eq!(counts(project.run()).1, 0);
    // Every module has another number now.
    project.write("0.dag", "module aaa\n\ndata d: Int = 1\n");
    project.write(
        "a.dag",
        &types.replace("Name =", "Other = Int\ntype Name ="),
    );
    project.run();
    // What a field is read from, what a fact is and what a workflow is reach others.
    project.write("a.dag", &types.replace("stdout", "stdoot"));
    project.run();
    project.write("a.dag", &types.replace("n: 3", "n: \"3\""));
    project.run();
    project.write("a.dag", &types.replace("c(x: Int)", "c(y: Int)"));
    project.run();
    project.write("a.dag", types);
    project.write("b.dag", &service.replace("1 => Got", "nonzero => Got"));
    project.run();
    project.write("b.dag", service);
    project.write(
        "d.dag",
        "module zzz\n\nimport work { f }\nfunc g() -> Int { f(1) }\n",
    );
    project.run();
    project.write(
        "c.dag",
        &work
            .replace(
                "func f(x: Int) -> Int uses r: R(c: S.Ask)",
                "interface f(x: Int) -> Int",
            )
            .replace("  r.c(x)\n", "")
            .replace("r.n", "x"),
    );
    project.run();
}

#[test]
fn many_edits_agree_with_checks_from_nothing() {
    let text = |i: usize, flavour: usize| {
        let import = match i {
            0 => String::new(),
            _ => format!("import m{} {{ T{}, f{} }}\n\n", i - 1, i - 1, i - 1),
        };
        let used = match i {
            0 => "0".to_string(),
            _ => format!("f{}(T{} {{ n: n }})", i - 1, i - 1),
        };
        let extra = if flavour % 3 == 1 { ", extra: Int" } else { "" };
        let given = if flavour % 3 == 1 { ", extra: 1" } else { "" };
        let more = if flavour % 3 == 2 { " + 1" } else { "" };
        format!(
            "module m{i}\n\n{import}type T{i} {{ n: Int{extra} }}\n\nfn f{i}(t: T{i}) -> Int {{\n  let n = t.n\n  {used}{more}\n}}\n\ndata d{i}: Int = f{i}(T{i} {{ n: {i}{given} }})\n"
        )
    };
    let mut project = Project::default();
    for i in 0..6 {
        project.write(&format!("m{i}.dag"), &text(i, 0));
    }
    project.run();
    for step in 0..30 {
        let i = (step * 5) % 6;
        project.write(&format!("m{i}.dag"), &text(i, step));
        let work = project.run();
        assert!(work.parsed <= 2, "step {step}: {work:?}");
    }
}

const FORMS: &str = "module forms\n\nimport shapes { Shape }\n\nalias S = shapes\n\ntype Sealed nominal_opaque = Int where small\n\ntype Row { at: { x: Int, y: Int }, n: Int = base, seen: Map<String, Shape> = {} }\n\ndata base: Int = 1\n\nfn small(n: Int) -> Bool = n < 9\n\nfn seal(n: Int = base) -> Sealed = n as Sealed\n\nfn rows(xs: List<Int>) -> List<Row> = for x in xs { Row { at: { x: x, y: S.area(S.Dot) } } }\n";
const FORMS_USER: &str = "module forms_user\n\nimport forms { Row, Sealed, rows, seal }\n\nfn sum_of(row: Row) -> Int = match row.at { { x, y } => x + y + row.n }\n\ndata s: Sealed = seal()\n\ndata r: Row = Row { at: { y: 1, x: 2 } }\n\ndata n: Int = sum(for row in rows(0..3) { sum_of(row) })\n";

fn forms() -> Project {
    Project::new(&[
        ("shapes.dag", SHAPES),
        ("forms.dag", FORMS),
        ("forms_user.dag", FORMS_USER),
    ])
}

#[test]
fn every_form_is_read_back_as_it_was() {
    let mut project = forms();
    assert_eq!(counts(project.run()), (5, 5, 0));
    assert_eq!(counts(project.run()), (0, 0, 5));
    // Other modules come before them, so that all have other numbers.
    project.write("aa.dag", "module aa\n\ndata a: Int = 1\n");
    assert_eq!(counts(project.run()), (1, 1, 5));
}

#[test]
fn what_a_form_says_to_others_belongs_to_the_interface() {
    for (from, to) in [
        ("x: Int, y: Int }, n", "x: Int, y: Int, z: Int }, n"),
        ("n: Int = base,", "n: Int,"),
        ("nominal_opaque", "sole_constructor"),
        (" where small", ""),
        ("(n: Int = base) -> Sealed", "(n: Int) -> Sealed"),
        (
            "fn seal(n: Int = base) -> Sealed =",
            "fn seal(n: Int = base) -> Sealed admit_callers: [decl_ref(module_path: \"forms_user\", decl_name: \"s\")] =",
        ),
    ] {
        let mut project = forms();
        project.run();
        let text = FORMS.replacen(from, to, 1);
        assert_ne!(text, FORMS);
        project.write("forms.dag", &text);
        assert_eq!(project.run().checked, 2, "{to}");
    }
    // What a default value is, nobody else can tell.
    let mut project = forms();
    project.run();
    project.write(
        "forms.dag",
        &FORMS.replace("n: Int = base,", "n: Int = 1 + 1,"),
    );
    assert_eq!(project.run().checked, 1);
}

/// What a body does with a type parameter is for its callers to answer.
#[test]
fn what_is_asked_of_a_type_parameter_belongs_to_the_interface() {
    let tool = |held: &str| {
        format!(
            "module tool\n\nfn told<T>(x: T) -> Bool = held(x)\n\nfn held<T>(x: T) -> Bool = {held}\n"
        )
    };
    let user = "module user\n\nimport tool { told }\n\ndata it: Bool = told(1)\n";
    let mut project = Project::new(&[("tool.dag", &tool("count([x]) == 1")), ("user.dag", user)]);
    project.run();
    project.write("tool.dag", &tool("[x] == [x]"));
    assert_eq!(project.run().checked, 2);
    project.write("tool.dag", &tool("[x] != []"));
    assert_eq!(project.run().checked, 1);
}

#[test]
fn a_caller_that_is_gone_is_missed() {
    let mut project = Project::new(&[
        (
            "mint.dag",
            "module mint\n\nfn coin() -> Int admit_callers: [decl_ref(module_path: \"user\", decl_name: \"pay\")] = 1\n",
        ),
        (
            "user.dag",
            "module user\n\nimport mint { coin }\n\nfn pay() -> Int = coin()\n",
        ),
    ]);
    project.run();
    assert_eq!(project.run().checked, 1);
    project.write("user.dag", "module user\n\nfn paid() -> Int = 1\n");
    let (checked, _) = project.check(project.past());
    assert_eq!(checked.diagnostics.len(), 1);
    project.run();
}
