//! Every refusal of evaluation, beside what is not refused.
#![allow(missing_docs)]

mod model;

use dag_analysis::core::*;
use dag_eval::{Limits, Value};
use dag_syntax::Code;
use expect_test::expect;
use model::{Model, eval, show, std_type};

#[test]
fn overflow() {
    let add = |a: i64, b: i64| {
        show(|m| {
            let (a, b) = (m.int(a), m.int(b));
            m.binary(BinaryOp::Add, a, b)
        })
    };
    assert_eq!(add(i64::MAX - 1, 1), i64::MAX.to_string());
    expect!["E0801: 9223372036854775807 + 1 does not fit in 64 bits, signed"]
        .assert_eq(&add(i64::MAX, 1));
    let negate = |n| {
        show(|m| {
            let n = m.int(n);
            m.expr(Expr::Negate(n))
        })
    };
    assert_eq!(negate(i64::MAX), (-i64::MAX).to_string());
    assert!(negate(i64::MIN).starts_with("E0801"));
    let divide = |op, a, b| {
        show(|m| {
            let (a, b) = (m.int(a), m.int(b));
            m.binary(op, a, b)
        })
    };
    assert_eq!(divide(BinaryOp::Divide, -7, 2), "-3");
    assert_eq!(divide(BinaryOp::Remainder, -7, 2), "-1");
    assert!(divide(BinaryOp::Divide, i64::MIN, -1).starts_with("E0801"));
    assert!(divide(BinaryOp::Remainder, i64::MIN, -1).starts_with("E0801"));
    let times = |a, b| {
        show(|m| {
            let (a, b) = (m.float(a), m.float(b));
            m.binary(BinaryOp::Multiply, a, b)
        })
    };
    assert_eq!(times(2.0, 1.5), "3.0");
    assert!(times(1e300, 1e300).starts_with("E0801"));
    let sum = |items: [i64; 3]| {
        show(|m| {
            let items = items.map(|n| m.int(n));
            let items = m.list(&items);
            m.op(Intrinsic::ListSum, &[items])
        })
    };
    assert_eq!(sum([i64::MAX, 1, -1]), i64::MAX.to_string());
    assert!(sum([i64::MAX, 1, 0]).starts_with("E0801"));
}

#[test]
fn division_by_zero() {
    for op in [BinaryOp::Divide, BinaryOp::Remainder] {
        let ints = eval(|m| {
            let (a, b) = (m.int(1), m.int(0));
            m.binary(op, a, b)
        });
        assert_eq!(ints.unwrap_err().code, Code::DivisionByZero);
        let floats = eval(|m| {
            let (a, b) = (m.float(1.0), m.float(-0.0));
            m.binary(op, a, b)
        });
        assert_eq!(floats.unwrap_err().code, Code::DivisionByZero);
    }
}

#[test]
fn refinements() {
    let unit_name = |text: &str| {
        show(|m| {
            let base = m.std(model::NON_EMPTY);
            let predicates = vec![
                Predicate::Pattern("[a-z]+|x".into()),
                Predicate::Brand("unit".into()),
            ];
            let ty = m.ty("UnitName", Shape::Refined { base, predicates });
            let text = m.str(text);
            m.refine(text, ty)
        })
    };
    assert_eq!(unit_name("abc"), "abc");
    expect![[r#"E0803: "" is not a app.UnitName: it must not be empty (asked by its base std.types.NonEmptyStr)"#]]
        .assert_eq(&unit_name(""));
    expect![[
        r#"E0803: "abc\n" is not a app.UnitName: it must match the pattern "[a-z]+|x" whole"#
    ]]
    .assert_eq(&unit_name("abc\n"));
    assert!(unit_name(&"X".repeat(1000)).len() < 200);
    let nat = |n| {
        show(|m| {
            let n = m.int(n);
            m.refine(n, std_type(model::NAT))
        })
    };
    assert_eq!(nat(0), "0");
    expect!["E0803: -1 is not a std.types.Nat: it must be at least 0"].assert_eq(&nat(-1));
    // Written in place, a refinement has no name but its text.
    let in_place = show(|m| {
        let base = m.std(model::NAT);
        let predicates = vec![Predicate::Range {
            min: Some(1),
            max: None,
        }];
        let ty = m.ty(
            "Nat where range(min: 1)",
            Shape::Refined { base, predicates },
        );
        let zero = m.int(0);
        m.refine(zero, ty)
    });
    expect!["E0803: 0 is not a `Nat where range(min: 1)`: it must be at least 1"]
        .assert_eq(&in_place);
}

#[test]
fn conversions() {
    let convert = |to, expr: Expr| {
        show(|m| {
            let value = m.expr(expr);
            m.expr(Expr::Convert { value, to })
        })
    };
    assert_eq!(convert(Conversion::IntToFloat, Expr::Int(3)), "3.0");
    assert!(convert(Conversion::IntToFloat, Expr::Int((1 << 53) + 1)).starts_with("E0804"));
    assert_eq!(convert(Conversion::FloatToInt, Expr::Float(3.0)), "3");
    assert!(convert(Conversion::FloatToInt, Expr::Float(3.5)).starts_with("E0804"));
    assert_eq!(convert(Conversion::ToText, Expr::Bool(true)), "true");
}

#[test]
fn compared_functions() {
    // The same shared value on both sides: still refused.
    let compare = |function: bool| {
        eval(|m| {
            let x = m.fresh();
            let one = m.int(1);
            let held = if function { m.lambda(&[], one) } else { one };
            let list = m.list(&[held]);
            let (a, b) = (m.local(x), m.local(x));
            let equal = m.binary(BinaryOp::Equal, a, b);
            m.let_(x, list, equal)
        })
    };
    assert_eq!(compare(false).unwrap(), Value::Bool(true));
    assert_eq!(compare(true).unwrap_err().code, Code::FunctionCompared);
}

/// The check refuses these before; the machine does not count on it.
#[test]
fn keys_without_an_order() {
    let key = |function: bool| {
        eval(|m| {
            let key = if function {
                let one = m.int(1);
                m.lambda(&[], one)
            } else {
                m.float(1.5)
            };
            let list = m.list(&[key]);
            m.op(Intrinsic::SetFromList, &[list])
        })
    };
    for function in [false, true] {
        assert_eq!(key(function).unwrap_err().code, Code::KeyRefused);
    }
}

#[test]
fn fuel() {
    let mut m = Model::new();
    let f = m.forward("forever", 1);
    let n = m.param(0);
    let again = m.call(f, &[n]);
    let one = m.int(1);
    let body = m.binary(BinaryOp::Add, again, one);
    m.define(f, body);
    let zero = m.int(0);
    let call = m.call(f, &[zero]);
    let main = m.func("main", 0, call);
    let evaluator = m.limited(Limits {
        steps: 10_000,
        ..Limits::default()
    });
    let refusal = evaluator.evaluate(main).unwrap_err();
    assert_eq!(refusal.code, Code::OutOfFuel);
    expect!["`app.main` is not evaluated within 10000 steps"].assert_eq(&refusal.message);
    let diagnostic = refusal.to_diagnostic();
    // The recursion calls from one place, `main` from another.
    assert_eq!(diagnostic.others.len(), 1);
    assert!(
        diagnostic.notes[0].starts_with("… "),
        "{:?}",
        diagnostic.notes
    );
}

#[test]
fn size() {
    let doubled = |times| {
        eval(|m| {
            let (zero, times) = (m.int(0), m.int(times));
            let items = m.op(Intrinsic::ListRange, &[zero, times]);
            let one = m.int(1);
            let start = m.list(&[one]);
            let (acc, item) = (m.fresh(), m.fresh());
            let (a, b) = (m.local(acc), m.local(acc));
            let body = m.binary(BinaryOp::Add, a, b);
            let f = m.lambda(&[acc, item], body);
            m.op(Intrinsic::ListFold, &[items, start, f])
        })
    };
    assert_eq!(doubled(20).unwrap().as_list().unwrap().len(), 1 << 20);
    assert_eq!(doubled(60).unwrap_err().code, Code::TooLarge);
    let repeat = |n| {
        eval(|m| {
            let (s, n) = (m.str("abc"), m.int(n));
            m.op(Intrinsic::StringRepeat, &[s, n])
        })
    };
    assert_eq!(repeat(2).unwrap().as_str(), Some("abcabc"));
    assert_eq!(repeat(i64::MAX).unwrap_err().code, Code::TooLarge);
    let range = eval(|m| {
        let (a, b) = (m.int(i64::MIN), m.int(i64::MAX));
        m.op(Intrinsic::ListRange, &[a, b])
    });
    assert_eq!(range.unwrap_err().code, Code::TooLarge);
}

#[test]
fn endless_calls_are_too_large_before_memory_ends() {
    let mut m = Model::new();
    let f = m.forward("forever", 1);
    let n = m.param(0);
    let again = m.call(f, &[n]);
    m.define(f, again);
    let evaluator = m.limited(Limits {
        calls: 1000,
        ..Limits::default()
    });
    let refusal = evaluator.call(f, vec![Value::Int(1)]).unwrap_err();
    assert_eq!(refusal.code, Code::TooLarge);
    assert_eq!(refusal.stack.len() as u64 + refusal.omitted, 1000);
}

#[test]
fn an_unchecked_expression_is_a_refusal_and_no_panic() {
    assert_eq!(
        eval(|m| m.expr(Expr::Invalid)).unwrap_err().code,
        Code::TypeMismatch
    );
    assert!(eval(|m| m.local(Local(77))).is_err());
    assert!(
        eval(|m| {
            let (a, b) = (m.int(1), m.str("x"));
            m.binary(BinaryOp::Less, a, b)
        })
        .is_err()
    );
    assert!(
        eval(|m| {
            let one = m.int(1);
            m.op(Intrinsic::ListLength, &[one])
        })
        .is_err()
    );
    assert!(
        eval(|m| {
            let one = m.int(1);
            m.op(Intrinsic::ListMap, &[one])
        })
        .is_err()
    );
    assert!(eval(|m| m.op(Intrinsic::ListConcat, &[])).is_err());
    assert!(
        eval(|m| m.global(DeclRef {
            module: ModuleId(9),
            index: 9
        }))
        .is_err()
    );
    assert!(
        eval(|m| {
            let one = m.int(1);
            m.field(one, 3)
        })
        .is_err()
    );
    assert!(
        eval(|m| {
            let one = m.int(1);
            m.apply(one, &[])
        })
        .is_err()
    );
    assert!(
        eval(|m| {
            let one = m.int(1);
            m.match_(one, &[])
        })
        .is_err()
    );
}

#[test]
fn a_refusal_has_its_place_and_its_calls() {
    let mut m = Model::new();
    let (n, zero) = (m.param(0), m.int(0));
    let divide = m.binary(BinaryOp::Divide, n, zero);
    let inner = m.func("inner", 1, divide);
    let one = m.int(1);
    let call = m.call(inner, &[one]);
    let datum = m.data("datum", call);
    let read = m.global(datum);
    let main = m.func("main", 0, read);
    let evaluator = m.evaluator();
    let first = evaluator.evaluate(main).unwrap_err();
    assert_eq!(first.at.span.start, divide.0);
    let stack: Vec<_> = first
        .stack
        .iter()
        .map(|c| (c.function.as_str(), c.at.span.start))
        .collect();
    assert_eq!(stack, [("inner", call.0), ("datum", read.0)]);
    // From the kept refusal: the same.
    assert_eq!(evaluator.evaluate(main).unwrap_err(), first);
    assert_eq!(evaluator.evaluate(datum).unwrap_err().stack.len(), 1);
}
