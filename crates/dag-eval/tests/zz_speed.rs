#![allow(missing_docs)]
mod model;
use dag_analysis::core::*;
use model::Model;
use std::time::Instant;
#[test]
fn speed() {
    let n = 5_000_000;
    let mut m = Model::new();
    let (zero, nn) = (m.int(0), m.int(n));
    let items = m.op(Intrinsic::ListRange, &[zero, nn]);
    let init = m.int(0);
    let (acc, x) = (m.fresh(), m.fresh());
    let (a, b, k) = (m.local(acc), m.local(x), m.int(3));
    let p = m.binary(BinaryOp::Remainder, b, k);
    let body = m.binary(BinaryOp::Add, a, p);
    let f = m.lambda(&[acc, x], body);
    let fold = m.op(Intrinsic::ListFold, &[items, init, f]);
    let main = m.func("fold", 0, fold);
    // fib
    let fib = m.forward("fib", 1);
    let (p0, two) = (m.param(0), m.int(2));
    let small = m.binary(BinaryOp::Less, p0, two);
    let (p1, one, p2, two2, p3) = (m.param(0), m.int(1), m.param(0), m.int(2), m.param(0));
    let s1 = m.binary(BinaryOp::Subtract, p1, one);
    let s2 = m.binary(BinaryOp::Subtract, p2, two2);
    let c1 = m.call(fib, &[s1]);
    let c2 = m.call(fib, &[s2]);
    let sum = m.binary(BinaryOp::Add, c1, c2);
    let body = m.if_(small, p3, sum);
    m.define(fib, body);
    let t30 = m.int(30);
    let call = m.call(fib, &[t30]);
    let fibm = m.func("fibm", 0, call);
    let e = m.evaluator();
    for d in [main, fibm] {
        let t = Instant::now();
        let o = e.evaluate(d).unwrap();
        let el = t.elapsed();
        eprintln!("{:?} steps {} {:?} {:.2} ns/step", o.value, o.steps, el, el.as_nanos() as f64 / o.steps as f64);
    }
}
