//! Depth costs heap, never stack: on the small stack of a test thread.
#![allow(missing_docs)]

mod model;

use dag_analysis::core::*;
use dag_eval::{Evaluator, Value, display, to_json, to_json_text};
use model::{Model, eval};

const DEEP: i64 = 1_000_000;

/// build(n) = if n == 0 { End } else { Node(build(n - 1)) }, as a function.
fn chain() -> (Evaluator, DeclRef) {
    let mut m = Model::new();
    let ty = m.coproduct("Chain", vec![]);
    let field = m.named(ty, &[]);
    m.app.types[0].shape = Shape::Coproduct(vec![
        model::variant("End", &[]),
        model::variant("Node", &[("0", field)]),
    ]);
    let build = m.forward("build", 1);
    let (n, zero) = (m.param(0), m.int(0));
    let done = m.binary(BinaryOp::Equal, n, zero);
    let end = m.construct(Ctor { ty, variant: 0 }, &[]);
    let (n, one) = (m.param(0), m.int(1));
    let less = m.binary(BinaryOp::Subtract, n, one);
    let rest = m.call(build, &[less]);
    let node = m.construct(Ctor { ty, variant: 1 }, &[rest]);
    let body = m.if_(done, end, node);
    m.define(build, body);
    (m.evaluator(), build)
}

#[test]
fn a_chain_of_a_million_is_built_compared_shown_and_dropped() {
    let (e, build) = chain();
    let a = e.call(build, vec![Value::Int(DEEP)]).unwrap().value;
    let b = e.call(build, vec![Value::Int(DEEP)]).unwrap().value;
    assert!(a == b);
    let shown = display(e.program(), &a);
    assert_eq!(shown.len(), DEEP as usize * "Node()".len() + "End".len());
    let json = to_json_text(e.program(), &a).unwrap();
    assert!(json.starts_with(r#"{"Node":{"Node":"#));
    assert!(to_json(e.program(), &a).is_err());
    assert!(format!("{a:?}").contains('…'));
    drop(a);
    drop(b);
}

#[test]
fn folds_over_a_million() {
    let n = 1_000_000;
    let fold = |prepend: bool| {
        eval(|m| {
            let (zero, n) = (m.int(0), m.int(n));
            let items = m.op(Intrinsic::ListRange, &[zero, n]);
            let init = m.list(&[]);
            let (acc, x) = (m.fresh(), m.fresh());
            let (a, x2) = (m.local(acc), m.local(x));
            let one = m.list(&[x2]);
            let args = if prepend { [one, a] } else { [a, one] };
            let body = m.op(Intrinsic::ListConcat, &args);
            let f = m.lambda(&[acc, x], body);
            m.op(Intrinsic::ListFold, &[items, init, f])
        })
        .unwrap()
    };
    for prepend in [false, true] {
        let list = fold(prepend);
        let list = list.as_list().unwrap();
        assert_eq!(list.len(), n as usize);
        let first = if prepend { n - 1 } else { 0 };
        assert_eq!(list.first().and_then(Value::as_int), Some(first));
    }
    let text = eval(|m| {
        let (zero, n) = (m.int(0), m.int(n));
        let items = m.op(Intrinsic::ListRange, &[zero, n]);
        let init = m.str("");
        let (acc, x) = (m.fresh(), m.fresh());
        let (a, y) = (m.local(acc), m.str("y"));
        let body = m.op(Intrinsic::StringConcat, &[a, y]);
        let f = m.lambda(&[acc, x], body);
        m.op(Intrinsic::ListFold, &[items, init, f])
    });
    assert_eq!(text.unwrap().as_str().unwrap().len(), n as usize);
}

#[test]
fn a_chain_of_closures_is_applied_and_dropped() {
    // fold(range, x -> x, (f, i) -> (x -> f(x) + 1)) applied to 0
    let value = eval(|m| {
        let (zero, n) = (m.int(0), m.int(DEEP));
        let items = m.op(Intrinsic::ListRange, &[zero, n]);
        let (x, f, i, y) = (m.fresh(), m.fresh(), m.fresh(), m.fresh());
        let xv = m.local(x);
        let identity = m.lambda(&[x], xv);
        let (fv, yv, one) = (m.local(f), m.local(y), m.int(1));
        let inner = m.apply(fv, &[yv]);
        let sum = m.binary(BinaryOp::Add, inner, one);
        let next = m.lambda(&[y], sum);
        let step = m.lambda(&[f, i], next);
        let all = m.op(Intrinsic::ListFold, &[items, identity, step]);
        let zero = m.int(0);
        m.apply(all, &[zero])
    });
    assert_eq!(value.unwrap(), Value::Int(DEEP));
}

#[test]
fn nested_expressions_compile_on_any_stack() {
    let n = 20_000;
    // ((0 + 1) + 1) …
    let sum = eval(|m| {
        let mut sum = m.int(0);
        for _ in 0..n {
            let one = m.int(1);
            sum = m.binary(BinaryOp::Add, sum, one);
        }
        sum
    });
    assert_eq!(sum.unwrap(), Value::Int(n));
    // let a = 1; let b = a + 1; …
    let lets = eval(|m| {
        let locals: Vec<Local> = (0..n).map(|_| m.fresh()).collect();
        let mut body = m.local(locals[n as usize - 1]);
        for i in (1..n as usize).rev() {
            let (before, one) = (m.local(locals[i - 1]), m.int(1));
            let value = m.binary(BinaryOp::Add, before, one);
            body = m.let_(locals[i], value, body);
        }
        let one = m.int(1);
        m.let_(locals[0], one, body)
    });
    assert_eq!(lets.unwrap(), Value::Int(n));
}

#[test]
fn a_long_chain_of_data_items_is_evaluated_on_demand() {
    let mut m = Model::new();
    let zero = m.int(0);
    let mut last = m.data("d0", zero);
    for i in 1..100_000 {
        let (read, one) = (m.global(last), m.int(1));
        let body = m.binary(BinaryOp::Add, read, one);
        last = m.data(&format!("d{i}"), body);
    }
    let e = m.evaluator();
    assert_eq!(e.evaluate(last).unwrap().value, Value::Int(99_999));
}
