//! Witnesses, kept `data`, threads, and values built from outside.
#![allow(missing_docs)]

mod model;

use dag_analysis::core::*;
use dag_eval::{ConstructError, Evaluator, Limits, Value, Verdict, run_witnesses};
use dag_syntax::Code;
use expect_test::expect;
use model::{Model, std_type};

/// Witnesses that share `data` items, some false, some refused.
fn model() -> Evaluator {
    let mut m = Model::new();
    let mut shared = Vec::new();
    for i in 0..40 {
        let (zero, n) = (m.int(0), m.int(if i % 7 == 6 { -1 } else { 1000 + i }));
        let items = m.op(Intrinsic::ListRange, &[zero, n]);
        let (x, last) = (m.fresh(), m.op(Intrinsic::ListLength, &[items]));
        let (a, b) = (m.int(1000), m.local(x));
        let quotient = m.binary(BinaryOp::Divide, a, b);
        let body = m.let_(x, last, quotient);
        shared.push(m.data(&format!("shared{i}"), body));
    }
    for i in 0..200 {
        let (a, b) = (m.global(shared[i % 40]), m.global(shared[(i * 3) % 40]));
        let equal = m.binary(BinaryOp::Equal, a, b);
        m.func(&format!("test_{i}"), 0, equal);
    }
    m.evaluator()
}

#[test]
fn the_report_is_the_same_on_any_number_of_threads() {
    let report = |threads| format!("{:?}", run_witnesses(&model(), |m, _| m.test_file, threads));
    let one = report(1);
    for threads in [2, 3, 8] {
        assert_eq!(report(threads), one);
    }
    let report = run_witnesses(&model(), |_, _| true, 2);
    assert_eq!(report.witnesses.len(), 200);
    assert!(!report.holds());
    assert!(report.passed() > 0);
    assert_eq!(report.diagnostics().len(), 200 - report.passed());
    assert!(
        run_witnesses(&model(), |m, _| !m.test_file, 2)
            .witnesses
            .is_empty()
    );
}

#[test]
fn a_false_equality_shows_both_sides() {
    let mut m = Model::new();
    let x = m.fresh();
    let (one, xv, y) = (m.int(1), m.local(x), m.fresh());
    let (yv, two) = (m.local(y), m.int(2));
    let items = m.list(&[one, two]);
    let body = m.binary(BinaryOp::Add, yv, xv);
    let f = m.lambda(&[y], body);
    let left = m.op(Intrinsic::ListMap, &[items, f]);
    let text = m.str("a");
    let right = m.list(&[text]);
    let equal = m.binary(BinaryOp::Equal, left, right);
    let body = m.let_(x, one, equal);
    m.func("test_sides", 0, body);
    let no = m.bool(false);
    m.func("test_no", 0, no);
    let yes = m.bool(true);
    m.data("test_yes", yes);
    let report = run_witnesses(&m.evaluator(), |_, _| true, 1);
    let Verdict::Failed {
        sides: Some(sides), ..
    } = &report.witnesses[0].verdict
    else {
        panic!("{:?}", report.witnesses[0]);
    };
    assert_eq!(
        (sides.operator, &*sides.left, &*sides.right),
        ("==", "[2, 3]", "[\"a\"]")
    );
    expect![[r#"
        [
            "left of `==`: [2, 3]",
            "right of `==`: [\"a\"]",
        ]
    "#]]
    .assert_debug_eq(&report.diagnostics()[0].notes);
    assert!(matches!(
        report.witnesses[1].verdict,
        Verdict::Failed { sides: None, .. }
    ));
    assert!(matches!(
        report.witnesses[2].verdict,
        Verdict::Passed { .. }
    ));
}

#[test]
fn a_data_item_is_evaluated_once_and_costs_its_reader_nothing_more() {
    let mut m = Model::new();
    let (zero, n) = (m.int(0), m.int(100_000));
    let items = m.op(Intrinsic::ListRange, &[zero, n]);
    let x = m.fresh();
    let body = m.local(x);
    let f = m.lambda(&[x], body);
    let mapped = m.op(Intrinsic::ListMap, &[items, f]);
    let datum = m.data("datum", mapped);
    let read = m.global(datum);
    let length = m.op(Intrinsic::ListLength, &[read]);
    let main = m.func("main", 0, length);
    // Fuel enough for the item, and for the reader, but not for both together.
    let e = m.limited(Limits {
        steps: 510_000,
        ..Limits::default()
    });
    let first = e.evaluate(main).unwrap().steps;
    assert_eq!(e.evaluate(main).unwrap().steps, first);
    assert!(first < 10);
    let own = e.evaluate(datum).unwrap();
    assert!(own.steps > 100_000);
    assert_eq!(e.evaluate(datum).unwrap().steps, own.steps);
}

#[test]
fn a_data_item_that_depends_on_itself_is_refused() {
    let mut m = Model::new();
    let zero = m.int(0);
    let a = m.data("a", zero);
    let read = m.global(a);
    let b = m.data("b", read);
    let read = m.global(b);
    m.define(a, read);
    let e = m.evaluator();
    assert_eq!(e.evaluate(a).unwrap_err().code, Code::DataCycle);
}

fn observed() -> Evaluator {
    let mut m = Model::new();
    let text = m.std(model::NON_EMPTY);
    let nat = m.std(model::NAT);
    let names = m.named(std_type(model::LIST), &[text]);
    let maybe = m.named(std_type(model::OPTIONAL), &[nat]);
    let state = m.coproduct(
        "State",
        vec![
            model::variant("Up", &[("since", nat)]),
            model::variant("Down", &[]),
        ],
    );
    let state = m.named(state, &[]);
    let reading = model::variant(
        "Reading",
        &[
            ("host", text),
            ("names", names),
            ("pid", maybe),
            ("state", state),
        ],
    );
    m.ty("Reading", Shape::Record(reading));
    m.evaluator()
}

#[test]
fn values_are_built_from_outside_with_their_types_checked() {
    let e = observed();
    let up = e
        .construct("app.State.Up", [("since", Value::Int(5))])
        .unwrap();
    let reading = |host: &str, names: Vec<Value>, pid: Value, state: &Value| {
        e.construct(
            "app.Reading",
            [
                ("state", state.clone()),
                ("host", host.into()),
                ("names", Value::list(names)),
                ("pid", pid),
            ],
        )
    };
    let some = |n: i64| e.present(Value::Int(n)).unwrap();
    let good = reading("h", vec!["a".into()], some(1), &up).unwrap();
    assert_eq!(
        dag_eval::display(e.program(), &good),
        r#"Reading { host: "h", names: ["a"], pid: Present { value: 1 }, state: Up { since: 5 } }"#
    );
    reading(
        "h",
        vec![],
        e.absent().unwrap(),
        &e.construct("app.State.Down", []).unwrap(),
    )
    .unwrap();

    let wrong = |result: Result<Value, ConstructError>| match result.unwrap_err() {
        ConstructError::WrongType { field, .. } => field,
        other => panic!("{other}"),
    };
    assert_eq!(wrong(reading("", vec![], some(1), &up)), "host");
    assert_eq!(wrong(reading("h", vec!["".into()], some(1), &up)), "names");
    assert_eq!(
        wrong(reading("h", vec![Value::Int(1)], some(1), &up)),
        "names"
    );
    assert_eq!(wrong(reading("h", vec![], some(-1), &up)), "pid");
    assert_eq!(wrong(reading("h", vec![], Value::Int(1), &up)), "pid");
    assert_eq!(wrong(reading("h", vec![], some(1), &good)), "state");
    assert_eq!(
        wrong(e.construct("app.State.Up", [("since", Value::Float(1.0))])),
        "since"
    );

    let since = || ("since", Value::Int(5));
    assert!(matches!(
        e.construct("app.State.Up", []),
        Err(ConstructError::MissingField { .. })
    ));
    assert!(matches!(
        e.construct("app.State.Up", [since(), since()]),
        Err(ConstructError::DuplicateField { .. })
    ));
    assert!(matches!(
        e.construct("app.State.Down", [since()]),
        Err(ConstructError::UnknownField { .. })
    ));
    for name in [
        "app.State",
        "app.Nope",
        "nope",
        "app.State.Nope",
        "std.types.Nat",
        "std.types.String",
    ] {
        assert!(
            matches!(e.construct(name, []), Err(ConstructError::UnknownType(_))),
            "{name}"
        );
    }
}

#[test]
fn threads_share_one_evaluator() {
    let e = model();
    let all: Vec<DeclRef> = (0..240)
        .map(|index| DeclRef {
            module: ModuleId(1),
            index,
        })
        .collect();
    let outcomes = |e: &Evaluator| {
        all.iter()
            .map(|d| format!("{:?}", e.evaluate(*d).map(|o| (o.value, o.steps))))
            .collect::<Vec<_>>()
    };
    let wanted = outcomes(&model());
    std::thread::scope(|s| {
        let threads: Vec<_> = (0..4).map(|_| s.spawn(|| outcomes(&e))).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), wanted);
        }
    });
}
