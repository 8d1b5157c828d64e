//! What expressions evaluate to, in which order, and what is not evaluated.
#![allow(missing_docs)]

mod model;

use dag_analysis::core::*;
use dag_eval::{Value, to_json, to_json_text};
use expect_test::expect;
use model::{Model, absent, eval, present, show};

/// An expression that is refused when evaluated.
fn boom(m: &mut Model) -> ExprId {
    let (a, b) = (m.int(1), m.int(0));
    m.binary(BinaryOp::Divide, a, b)
}

/// A refused Bool.
fn boom_bool(m: &mut Model) -> ExprId {
    let (a, b) = (boom(m), m.int(0));
    m.binary(BinaryOp::Equal, a, b)
}

fn ints(m: &mut Model, items: &[i64]) -> ExprId {
    let items: Vec<ExprId> = items.iter().map(|n| m.int(*n)).collect();
    m.list(&items)
}

#[test]
fn operators_stop_early() {
    let and = |a| {
        show(|m| {
            let (a, b) = (m.bool(a), boom_bool(m));
            m.expr(Expr::And(a, b))
        })
    };
    assert_eq!(and(false), "false");
    assert!(and(true).starts_with("E0802"));
    let or = |a| {
        show(|m| {
            let (a, b) = (m.bool(a), boom_bool(m));
            m.expr(Expr::Or(a, b))
        })
    };
    assert_eq!(or(true), "true");
    assert!(or(false).starts_with("E0802"));
    let held = show(|m| {
        let one = m.int(1);
        let (a, b) = (m.construct(present(), &[one]), boom(m));
        m.expr(Expr::Coalesce(a, b))
    });
    assert_eq!(held, "1");
    let default = show(|m| {
        let (a, b) = (m.construct(absent(), &[]), m.int(2));
        m.expr(Expr::Coalesce(a, b))
    });
    assert_eq!(default, "2");
}

#[test]
fn any_and_all_stop_early() {
    // 6 / item: refused at the zero, if it comes so far.
    let run = |op, items: &[i64]| {
        show(|m| {
            let items = ints(m, items);
            let x = m.fresh();
            let (six, item, three) = (m.int(6), m.local(x), m.int(3));
            let quotient = m.binary(BinaryOp::Divide, six, item);
            let body = m.binary(BinaryOp::Equal, quotient, three);
            let f = m.lambda(&[x], body);
            m.op(op, &[items, f])
        })
    };
    assert_eq!(run(Intrinsic::ListAny, &[1, 2, 0]), "true");
    assert_eq!(run(Intrinsic::ListAny, &[1]), "false");
    assert!(run(Intrinsic::ListAny, &[1, 0]).starts_with("E0802"));
    assert_eq!(run(Intrinsic::ListAll, &[2, 1, 0]), "false");
    assert_eq!(run(Intrinsic::ListAll, &[2, 2]), "true");
    assert_eq!(run(Intrinsic::ListAll, &[]), "true");
}

#[test]
fn evaluation_is_from_left_to_right() {
    type Build = dyn Fn(&mut Model, ExprId, ExprId) -> ExprId;
    let place = |build: &Build| {
        let mut places = (0, 0);
        let refusal = eval(|m| {
            let a = boom(m);
            let b = boom(m);
            places = (a.0, b.0);
            build(m, a, b)
        })
        .unwrap_err();
        (refusal.at.span.start, places)
    };
    let builds: [&Build; 5] = [
        &|m, a, b| m.binary(BinaryOp::Add, a, b),
        &|m, a, b| m.list(&[a, b]),
        &|m, a, b| m.op(Intrinsic::Min, &[a, b]),
        &|m, a, b| {
            m.expr(Expr::Then {
                first: a,
                second: b,
            })
        },
        &|m, a, b| {
            let run = m.run(&[a, b]);
            m.expr(Expr::Interpolate(run))
        },
    ];
    for build in builds {
        let (at, (a, _)) = place(build);
        assert_eq!(at, a);
    }
    // In a fold the list comes first, then the start.
    let (at, (a, _)) = place(&|m, a, b| {
        let items = m.list(&[a]);
        let (x, y) = (m.fresh(), m.fresh());
        let body = m.local(x);
        let f = m.lambda(&[x, y], body);
        m.op(Intrinsic::ListFold, &[items, b, f])
    });
    assert_eq!(at, a);
}

#[test]
fn loops_over_lambdas_functions_and_values() {
    // f(x) = x * 10, given in three ways.
    for way in 0..4 {
        let shown = |op, wrap: &dyn Fn(&mut Model, ExprId) -> ExprId| {
            let mut m = Model::new();
            let (x, ten) = (m.param(0), m.int(10));
            let body = m.binary(BinaryOp::Multiply, x, ten);
            let body = wrap(&mut m, body);
            let declared = m.func("declared", 1, body);
            let items = ints(&mut m, &[3, 1, 2]);
            let x = m.fresh();
            let (item, ten) = (m.local(x), m.int(10));
            let body = m.binary(BinaryOp::Multiply, item, ten);
            let body = wrap(&mut m, body);
            let lambda = m.lambda(&[x], body);
            let f = match way {
                0 => lambda,
                1 => m.global(declared),
                2 | 3 => {
                    let name = m.fresh();
                    let f = m.local(name);
                    let result = m.op(op, &[items, f]);
                    let value = if way == 2 { lambda } else { m.global(declared) };
                    let body = m.let_(name, value, result);
                    let main = m.func("main", 0, body);
                    let e = m.evaluator();
                    let value = e.evaluate(main).unwrap().value;
                    return dag_eval::display(e.program(), &value);
                }
                _ => unreachable!(),
            };
            let body = m.op(op, &[items, f]);
            let main = m.func("main", 0, body);
            let e = m.evaluator();
            let value = e.evaluate(main).unwrap().value;
            dag_eval::display(e.program(), &value)
        };
        assert_eq!(shown(Intrinsic::ListMap, &|_, b| b), "[30, 10, 20]");
        let large: &dyn Fn(&mut Model, ExprId) -> ExprId = &|m, b| {
            let n = m.int(15);
            m.binary(BinaryOp::Greater, b, n)
        };
        assert_eq!(shown(Intrinsic::ListFilter, large), "[3, 2]");
        assert_eq!(shown(Intrinsic::ListAny, large), "true");
        assert_eq!(shown(Intrinsic::ListAll, large), "false");
        let twice: &dyn Fn(&mut Model, ExprId) -> ExprId = &|m, b| {
            let n = m.int(0);
            m.list(&[b, n])
        };
        assert_eq!(
            shown(Intrinsic::ListFlatMap, twice),
            "[30, 0, 10, 0, 20, 0]"
        );
        let held: &dyn Fn(&mut Model, ExprId) -> ExprId = &|m, b| m.construct(present(), &[b]);
        assert_eq!(shown(Intrinsic::ListFilterMap, held), "[30, 10, 20]");
        assert_eq!(shown(Intrinsic::ListSortBy, &|_, b| b), "[1, 2, 3]");
        let text: &dyn Fn(&mut Model, ExprId) -> ExprId = &|m, b| m.op(Intrinsic::ToText, &[b]);
        assert_eq!(shown(Intrinsic::ListSortBy, text), "[1, 2, 3]");
    }
}

#[test]
fn an_engine_function_is_a_value() {
    let mut m = Model::new();
    let map = m.engine_function("map", 2, Intrinsic::ListMap);
    let length = m.engine_function("length", 1, Intrinsic::ListLength);
    let (a, b) = (ints(&mut m, &[1, 2]), ints(&mut m, &[]));
    let lists = m.list(&[a, b]);
    let f = m.global(length);
    let body = m.call(map, &[lists, f]);
    let main = m.func("main", 0, body);
    let e = m.evaluator();
    let value = e.evaluate(main).unwrap().value;
    assert_eq!(dag_eval::display(e.program(), &value), "[2, 0]");
}

#[test]
fn closures_capture_by_value_and_nest() {
    // let a = 1; let f = x -> (y -> a + x + y); f(10)(100)
    assert_eq!(
        show(|m| {
            let (a, f, x, y) = (m.fresh(), m.fresh(), m.fresh(), m.fresh());
            let (av, xv, yv) = (m.local(a), m.local(x), m.local(y));
            let sum = m.binary(BinaryOp::Add, av, xv);
            let sum = m.binary(BinaryOp::Add, sum, yv);
            let inner = m.lambda(&[y], sum);
            let outer = m.lambda(&[x], inner);
            let (one, ten, hundred) = (m.int(1), m.int(10), m.int(100));
            let fv = m.local(f);
            let first = m.apply(fv, &[ten]);
            let second = m.apply(first, &[hundred]);
            let body = m.let_(f, outer, second);
            m.let_(a, one, body)
        }),
        "111"
    );
}

#[test]
fn return_leaves_the_innermost_function_or_lambda() {
    // map([1, 2, 3], x -> { if x == 2 { return 20 }; let z = x; z }), then + after
    let inlined = show(|m| {
        let items = ints(m, &[1, 2, 3]);
        let (x, z, w) = (m.fresh(), m.fresh(), m.fresh());
        let (xv, two, twenty, unit) = (m.local(x), m.int(2), m.int(20), m.expr(Expr::Unit));
        let equal = m.binary(BinaryOp::Equal, xv, two);
        let ret = m.expr(Expr::Return(twenty));
        let choice = m.if_(equal, ret, unit);
        let (xv, zv) = (m.local(x), m.local(z));
        let rest = m.let_(z, xv, zv);
        let then = m.expr(Expr::Then {
            first: choice,
            second: rest,
        });
        let (five, held) = (m.int(5), then);
        let body = m.let_(w, five, held);
        let f = m.lambda(&[x], body);
        m.op(Intrinsic::ListMap, &[items, f])
    });
    assert_eq!(inlined, "[1, 20, 3]");
    // 1 + { return 7 }
    assert_eq!(
        show(|m| {
            let (one, seven) = (m.int(1), m.int(7));
            let ret = m.expr(Expr::Return(seven));
            m.binary(BinaryOp::Add, one, ret)
        }),
        "7"
    );
}

fn shape_of(m: &mut Model) -> TypeRef {
    let int = m.std(model::INT);
    m.coproduct(
        "Shape",
        vec![
            model::variant("Circle", &[("radius", int)]),
            model::variant("Square", &[("0", int)]),
            model::variant("Nothing", &[]),
        ],
    )
}

#[test]
fn matches_by_constructor_with_guards_and_nesting() {
    // match s { Circle(0) -> "point"; Circle(r) if r > 10 -> "big"; x if false -> boom;
    //           Square(n) -> n as text; Circle(r) -> "circle"; _ -> "none" }
    let run = |variant: u32, n: i64, by_name: bool| {
        show(|m| {
            let ty = shape_of(m);
            let c = |variant| Ctor { ty, variant };
            let payload = m.int(n);
            let value = if variant == 2 {
                m.construct(c(2), &[])
            } else {
                m.construct(c(variant), &[payload])
            };
            let (r, x, n, q) = (m.fresh(), m.fresh(), m.fresh(), m.fresh());
            let zero = m.pattern(Pattern::Int(0));
            let p0 = m.ctor(c(0), &[zero]);
            let rb = m.bind(r);
            let p1 = m.ctor(c(0), &[rb]);
            let (rv, ten) = (m.local(r), m.int(10));
            let g1 = m.binary(BinaryOp::Greater, rv, ten);
            let p2 = m.bind(x);
            let (xv, xv2) = (m.local(x), m.local(x));
            let same = m.binary(BinaryOp::Equal, xv, xv2);
            let g2 = m.expr(Expr::Not(same));
            let nb = m.bind(n);
            let p3 = m.ctor(c(1), &[nb]);
            let nv = m.local(n);
            let text = m.op(Intrinsic::ToText, &[nv]);
            let any = m.pattern(Pattern::Any);
            let p4 = m.ctor(c(0), &[any]);
            let p5 = m.pattern(Pattern::Any);
            let (point, big, circle, none) =
                (m.str("point"), m.str("big"), m.str("circle"), m.str("none"));
            let never = boom(m);
            let scrutinee = if by_name { m.local(q) } else { value };
            let matched = m.match_(
                scrutinee,
                &[
                    (p0, None, point),
                    (p1, Some(g1), big),
                    (p2, Some(g2), never),
                    (p3, None, text),
                    (p4, None, circle),
                    (p5, None, none),
                ],
            );
            // Something before and after on the stack.
            let (pre, post) = (m.str("<"), m.str(">"));
            let run = m.run(&[pre, matched, post]);
            let body = m.expr(Expr::Interpolate(run));
            if by_name {
                m.let_(q, value, body)
            } else {
                body
            }
        })
    };
    for by_name in [false, true] {
        assert_eq!(run(0, 0, by_name), "<point>");
        assert_eq!(run(0, 11, by_name), "<big>");
        assert_eq!(run(0, 5, by_name), "<circle>");
        assert_eq!(run(1, 42, by_name), "<42>");
        assert_eq!(run(2, 0, by_name), "<none>");
    }
}

#[test]
fn matches_by_number_text_and_truth() {
    let by_text = |text: &str| {
        show(|m| {
            let value = m.str(text);
            let (a, b, any) = (
                m.pattern(Pattern::Str("a".into())),
                m.pattern(Pattern::Str("b".into())),
                m.pattern(Pattern::Any),
            );
            let (one, two, three) = (m.int(1), m.int(2), m.int(3));
            m.match_(value, &[(a, None, one), (b, None, two), (any, None, three)])
        })
    };
    assert_eq!(
        (by_text("a"), by_text("b"), by_text("c")),
        ("1".into(), "2".into(), "3".into())
    );
    let by_int = |n| {
        show(|m| {
            let value = m.int(n);
            let x = m.fresh();
            let (a, b) = (m.pattern(Pattern::Int(7)), m.bind(x));
            let (one, x) = (m.int(1), m.local(x));
            m.match_(value, &[(a, None, one), (b, None, x)])
        })
    };
    assert_eq!((by_int(7), by_int(8)), ("1".into(), "8".into()));
    let by_bool = |b| {
        show(|m| {
            let value = m.bool(b);
            let (t, f) = (
                m.pattern(Pattern::Bool(true)),
                m.pattern(Pattern::Bool(false)),
            );
            let (yes, no) = (m.str("yes"), m.str("no"));
            m.match_(value, &[(f, None, no), (t, None, yes)])
        })
    };
    assert_eq!((by_bool(true), by_bool(false)), ("yes".into(), "no".into()));
}

#[test]
fn a_guard_that_uses_up_a_name_leaves_the_value_for_later_arms() {
    // match [1] { x if length(x ++ [2]) == 0 -> []; y -> y }
    for by_name in [false, true] {
        assert_eq!(
            show(|m| {
                let (x, y, q) = (m.fresh(), m.fresh(), m.fresh());
                let value = ints(m, &[1]);
                let more = ints(m, &[2]);
                let xv = m.local(x);
                let both = m.op(Intrinsic::ListConcat, &[xv, more]);
                let empty = m.op(Intrinsic::ListIsEmpty, &[both]);
                let (px, py) = (m.bind(x), m.bind(y));
                let (none, yv) = (m.list(&[]), m.local(y));
                let scrutinee = if by_name { m.local(q) } else { value };
                let matched = m.match_(scrutinee, &[(px, Some(empty), none), (py, None, yv)]);
                if by_name {
                    m.let_(q, value, matched)
                } else {
                    matched
                }
            }),
            "[1]"
        );
    }
}

#[test]
fn a_name_is_kept_for_the_match_that_looks_at_it_later() {
    // let q = [1]; concat(q, match q { _ if false -> []; z -> z })
    let shown = show(|m| {
        let (q, z) = (m.fresh(), m.fresh());
        let value = ints(m, &[1]);
        let (first, scrutinee) = (m.local(q), m.local(q));
        let (never, none, zv) = (m.bool(false), m.list(&[]), m.local(z));
        let (any, pz) = (m.pattern(Pattern::Any), m.bind(z));
        let matched = m.match_(scrutinee, &[(any, Some(never), none), (pz, None, zv)]);
        let both = m.op(Intrinsic::ListConcat, &[first, matched]);
        m.let_(q, value, both)
    });
    assert_eq!(shown, "[1, 1]");
}

#[test]
fn handing_over_the_last_use_never_changes_another_name() {
    // let a = [1]; let b = a; let c = append(a, 2); [a?, b, c]
    assert_eq!(
        show(|m| {
            let (a, b, c) = (m.fresh(), m.fresh(), m.fresh());
            let one = ints(m, &[1]);
            let (a1, a2, two) = (m.local(a), m.local(a), m.int(2));
            let appended = m.op(Intrinsic::ListAppend, &[a2, two]);
            let (bv, cv) = (m.local(b), m.local(c));
            let both = m.list(&[bv, cv]);
            let body = m.let_(c, appended, both);
            let body = m.let_(b, a1, body);
            m.let_(a, one, body)
        }),
        "[[1], [1, 2]]"
    );
    // An outer name used in every turn of a loop.
    assert_eq!(
        show(|m| {
            let (a, x) = (m.fresh(), m.fresh());
            let zero = ints(m, &[0]);
            let items = ints(m, &[1, 2]);
            let (av, xv) = (m.local(a), m.local(x));
            let body = m.op(Intrinsic::ListAppend, &[av, xv]);
            let f = m.lambda(&[x], body);
            let mapped = m.op(Intrinsic::ListMap, &[items, f]);
            m.let_(a, zero, mapped)
        }),
        "[[0, 1], [0, 2]]"
    );
    // A `data` item is not changed by who reads it.
    let mut m = Model::new();
    let one = ints(&mut m, &[1]);
    let datum = m.data("datum", one);
    let (read, two) = (m.global(datum), m.int(2));
    let body = m.op(Intrinsic::ListAppend, &[read, two]);
    let main = m.func("main", 0, body);
    let e = m.evaluator();
    assert_eq!(e.evaluate(main).unwrap().value.as_list().unwrap().len(), 2);
    assert_eq!(e.evaluate(datum).unwrap().value.as_list().unwrap().len(), 1);
}

#[test]
fn display_and_json() {
    let mut m = Model::new();
    let (string, int) = (m.std(model::STRING), m.std(model::INT));
    let host = m.ty(
        "Host",
        Shape::Record(model::variant(
            "Host",
            &[("name", string), ("tags", string), ("port", int)],
        )),
    );
    let empty = m.ty("Empty", Shape::Record(model::variant("Empty", &[])));
    let shape = shape_of(&mut m);
    let c = |ty, variant| Ctor { ty, variant };
    let (name, tag) = (m.str("a\"{b}"), m.str("t"));
    let tags = m.list(&[tag]);
    let n = m.int(80);
    let port = m.construct(present(), &[n]);
    let record = m.construct(c(host, 0), &[name, tags, port]);
    let (three, half) = (m.int(3), m.float(0.5));
    let square = m.construct(c(shape, 1), &[three]);
    let circle = m.construct(c(shape, 0), &[three]);
    let nothing = m.construct(c(shape, 2), &[]);
    let none = m.construct(absent(), &[]);
    let hollow = m.construct(c(empty, 0), &[]);
    let unit = m.expr(Expr::Unit);
    let all = m.list(&[record, square, circle, nothing, none, half, hollow, unit]);
    let main = m.func("main", 0, all);
    let f = m.global(main);
    let data = m.data("f", f);
    let e = m.evaluator();
    let value = e.evaluate(main).unwrap().value;
    expect![[r#"[Host { name: "a\"\{b}", tags: ["t"], port: Present { value: 80 } }, Square(3), Circle { radius: 3 }, Nothing, Absent, 0.5, Empty {}, ()]"#]]
        .assert_eq(&dag_eval::display(e.program(), &value));
    let text = to_json_text(e.program(), &value).unwrap();
    expect![[r#"[{"name":"a\"{b}","tags":["t"],"port":80},{"Square":3},{"Circle":{"radius":3}},"Nothing",null,0.5,{},null]"#]]
        .assert_eq(&text);
    assert_eq!(
        to_json(e.program(), &value).unwrap(),
        serde_json::from_str::<serde_json::Value>(&text).unwrap()
    );
    let f = e.evaluate(data).unwrap().value;
    assert_eq!(dag_eval::display(e.program(), &f), "<fn main>");
    assert!(to_json(e.program(), &f).is_err());
    let record = value.as_list().unwrap().first().unwrap();
    assert_eq!(record.variant_name(e.program()).unwrap().as_str(), "Host");
    let port = record.field(e.program(), "port").unwrap();
    assert_eq!(e.optional(port).unwrap().and_then(Value::as_int), Some(80));
    assert!(record.field(e.program(), "nope").is_none());
    assert_eq!(e.apply(&f, vec![]).unwrap().value, value);
    assert!(e.apply(&f, vec![Value::Unit]).is_err());
    assert!(e.apply(&value, vec![]).is_err());
}

#[test]
fn intrinsics_do_as_the_prelude_says() {
    use Intrinsic::*;
    enum A {
        I(i64),
        S(&'static str),
        L(&'static [i64]),
        T(&'static [&'static str]),
    }
    use A::*;
    let run = |op, args: &[A]| {
        show(|m| {
            let args: Vec<ExprId> = args
                .iter()
                .map(|a| match a {
                    I(n) => m.int(*n),
                    S(s) => m.str(s),
                    L(items) => ints(m, items),
                    T(items) => {
                        let items: Vec<ExprId> = items.iter().map(|s| m.str(s)).collect();
                        m.list(&items)
                    }
                })
                .collect();
            m.op(op, &args)
        })
    };
    let table: &[(Intrinsic, &[A], &str)] = &[
        (ListLength, &[L(&[1, 2])], "2"),
        (ListIsEmpty, &[L(&[])], "true"),
        (ListFirst, &[L(&[1, 2])], "Present { value: 1 }"),
        (ListFirst, &[L(&[])], "Absent"),
        (ListLast, &[L(&[1, 2])], "Present { value: 2 }"),
        (ListGet, &[L(&[1, 2]), I(1)], "Present { value: 2 }"),
        (ListGet, &[L(&[1, 2]), I(-1)], "Absent"),
        (ListSkip, &[L(&[1, 2, 3]), I(1)], "[2, 3]"),
        (ListSkip, &[L(&[1, 2, 3]), I(-1)], "[]"),
        (ListSkip, &[L(&[1, 2, 3]), I(9)], "[]"),
        (ListTake, &[L(&[1, 2, 3]), I(1)], "[1]"),
        (ListTake, &[L(&[1, 2, 3]), I(-1)], "[1, 2, 3]"),
        (ListReverse, &[L(&[1, 2, 3])], "[3, 2, 1]"),
        (ListConcat, &[L(&[1]), L(&[2])], "[1, 2]"),
        (ListConcat, &[L(&[1]), L(&[2, 3])], "[1, 2, 3]"),
        (ListAppend, &[L(&[1]), I(2)], "[1, 2]"),
        (ListContains, &[L(&[1, 2]), I(2)], "true"),
        (ListContains, &[L(&[1, 2]), I(3)], "false"),
        (ListJoin, &[T(&["a", "b", "c"]), S(", ")], "a, b, c"),
        (ListJoin, &[T(&[]), S(", ")], ""),
        (ListEnumerate, &[L(&[5])], "[Pair { first: 0, second: 5 }]"),
        (
            ListZip,
            &[L(&[1, 2]), L(&[3])],
            "[Pair { first: 1, second: 3 }]",
        ),
        (ListDedup, &[L(&[1, 2, 1, 3, 2])], "[1, 2, 3]"),
        (ListSort, &[L(&[3, -1, 2])], "[-1, 2, 3]"),
        (
            ListSort,
            &[T(&["b", "é", "a", "B"])],
            r#"["B", "a", "b", "é"]"#,
        ),
        (ListSum, &[L(&[1, 2, 3])], "6"),
        (ListSum, &[L(&[])], "0"),
        (ListRange, &[I(1), I(4)], "[1, 2, 3]"),
        (ListRange, &[I(4), I(1)], "[]"),
        (StringLength, &[S("né")], "2"),
        (StringIsEmpty, &[S("")], "true"),
        (StringConcat, &[S("a"), S("b")], "ab"),
        (StringContains, &[S("a.c"), S(".")], "true"),
        (StringStartsWith, &[S("abc"), S("ab")], "true"),
        (StringEndsWith, &[S("abc"), S("ab")], "false"),
        (StringSplit, &[S("a,b,"), S(",")], r#"["a", "b", ""]"#),
        (StringSplit, &[S("ab"), S(",")], r#"["ab"]"#),
        (StringSplit, &[S("né"), S("")], r#"["n", "é"]"#),
        (StringReplace, &[S("aaa"), S("aa"), S("b")], "ba"),
        (StringReplace, &[S("aaa"), S(""), S("b")], "aaa"),
        (StringTrim, &[S("\u{a0} a b\t\n")], "a b"),
        (StringToLower, &[S("AÉ")], "aÉ"),
        (StringToUpper, &[S("aé")], "Aé"),
        (StringRepeat, &[S("ab"), I(2)], "abab"),
        (StringRepeat, &[S("ab"), I(-2)], ""),
        (StringRepeat, &[S(""), I(i64::MAX)], ""),
        (StringSubstring, &[S("aébc"), I(1), I(3)], "éb"),
        (StringSubstring, &[S("abc"), I(-5), I(99)], "abc"),
        (StringSubstring, &[S("abc"), I(2), I(1)], ""),
        (StringChars, &[S("aé")], "[97, 233]"),
        (
            StringFromChars,
            &[L(&[97, -1, 0xD800, 233])],
            "a\u{FFFD}\u{FFFD}é",
        ),
        (ToText, &[L(&[1, 2])], "[1, 2]"),
        (ParseInt, &[S("-042")], "Present { value: -42 }"),
        (ParseInt, &[S("+1")], "Absent"),
        (ParseInt, &[S("-")], "Absent"),
        (ParseInt, &[S("9223372036854775808")], "Absent"),
        (
            ParseInt,
            &[S("-9223372036854775808")],
            "Present { value: -9223372036854775808 }",
        ),
        (Min, &[I(1), I(2)], "1"),
        (Max, &[I(1), I(2)], "2"),
        (
            Blake3Hex,
            &[S("")],
            "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262",
        ),
    ];
    for (op, args, wanted) in table {
        assert_eq!(run(*op, args), *wanted, "{}", op.name());
    }
    let is_some = |ctor, full: bool| {
        show(|m| {
            let one = m.int(1);
            let value = m.construct(
                ctor,
                if full {
                    std::slice::from_ref(&one)
                } else {
                    &[]
                },
            );
            m.op(IsSome, &[value])
        })
    };
    assert_eq!(
        (is_some(present(), true), is_some(absent(), false)),
        ("true".into(), "false".into())
    );
}
