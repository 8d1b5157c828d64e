//! Random programs, each built with what it means: code that hands values over,
//! inlines lambdas and jumps by tables must give what plain evaluation gives.
#![allow(missing_docs)]

mod model;

use dag_analysis::core::*;
use dag_eval::Value;
use model::{Model, absent, present, std_type};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

#[derive(Clone, Debug, PartialEq)]
enum Plain {
    Int(i64),
    List(Vec<i64>),
}
use Plain::{Int, List};

impl Plain {
    fn int(self) -> i64 {
        match self {
            Int(n) => n,
            List(_) => unreachable!("a list"),
        }
    }
    fn list(self) -> Vec<i64> {
        match self {
            List(items) => items,
            Int(_) => unreachable!("a number"),
        }
    }
}

type Env = HashMap<Local, Plain>;
type Meaning = Rc<dyn Fn(&Env) -> Plain>;
type Built = (ExprId, Meaning);
type Condition = (ExprId, Rc<dyn Fn(&Env) -> bool>);

/// Longest list; what grows in a loop is cut to it.
const LONG: usize = 40;

struct Builder {
    m: Model,
    choices: std::vec::IntoIter<u8>,
    scope: Vec<(Local, bool)>,
}

fn with(env: &Env, local: Local, value: Plain) -> Env {
    let mut env = env.clone();
    env.insert(local, value);
    env
}

impl Builder {
    fn choose(&mut self, n: u8) -> u8 {
        self.choices.next().unwrap_or(0) % n
    }

    /// Builds with one more name.
    fn scoped<T>(&mut self, local: Local, list: bool, build: impl FnOnce(&mut Self) -> T) -> T {
        self.scope.push((local, list));
        let built = build(self);
        self.scope.pop();
        built
    }

    fn name(&mut self, list: bool) -> Option<Built> {
        let names: Vec<Local> = self
            .scope
            .iter()
            .filter(|n| n.1 == list)
            .map(|n| n.0)
            .collect();
        if names.is_empty() {
            return None;
        }
        let local = names[self.choose(names.len() as u8) as usize];
        Some((self.m.local(local), Rc::new(move |env| env[&local].clone())))
    }

    fn small(&mut self) -> Built {
        let n = i64::from(self.choose(5));
        (self.m.int(n), Rc::new(move |_| Int(n)))
    }

    fn any(&mut self, list: bool, depth: u32) -> Built {
        if list {
            self.list(depth)
        } else {
            self.int(depth)
        }
    }

    fn condition(&mut self, depth: u32) -> Condition {
        match self.choose(3) {
            0 => {
                let list = self.choose(2) == 1;
                let ((a, ma), (b, mb)) = (self.any(list, depth), self.any(list, depth));
                (
                    self.m.binary(BinaryOp::Equal, a, b),
                    Rc::new(move |e| ma(e) == mb(e)),
                )
            }
            1 => {
                let ((a, ma), (b, mb)) = (self.int(depth), self.int(depth));
                let less = self.m.binary(BinaryOp::Less, a, b);
                (less, Rc::new(move |e| ma(e).int() < mb(e).int()))
            }
            _ => {
                let (items, mi) = self.list(depth);
                let x = self.m.fresh();
                let (body, mb) = self.scoped(x, false, |b| b.condition(depth));
                let f = self.m.lambda(&[x], body);
                let any = self.m.op(Intrinsic::ListAny, &[items, f]);
                (
                    any,
                    Rc::new(move |e| mi(e).list().into_iter().any(|n| mb(&with(e, x, Int(n))))),
                )
            }
        }
    }

    /// Forms of either type.
    fn common(&mut self, list: bool, depth: u32) -> Built {
        match self.choose(6) {
            0 => {
                let x = self.m.fresh();
                let bound = self.choose(2) == 1;
                let (value, mv) = self.any(bound, depth);
                let (body, mb) = self.scoped(x, bound, |b| b.any(list, depth));
                (
                    self.m.let_(x, value, body),
                    Rc::new(move |e| mb(&with(e, x, mv(e)))),
                )
            }
            1 => {
                let (c, mc) = self.condition(depth);
                let ((a, ma), (b, mb)) = (self.any(list, depth), self.any(list, depth));
                (
                    self.m.if_(c, a, b),
                    Rc::new(move |e| if mc(e) { ma(e) } else { mb(e) }),
                )
            }
            2 => {
                // match first(items) { Present(x) if c -> a; Absent -> b; _ -> d }
                let (items, mi) = self.list(depth);
                let first = self.m.op(Intrinsic::ListFirst, &[items]);
                let x = self.m.fresh();
                let (c, mc) = self.scoped(x, false, |b| b.condition(depth));
                let (a, ma) = self.scoped(x, false, |b| b.any(list, depth));
                let ((b, mb), (d, md)) = (self.any(list, depth), self.any(list, depth));
                let bind = self.m.bind(x);
                let p = self.m.ctor(present(), &[bind]);
                let q = self.m.ctor(absent(), &[]);
                let any = self.m.pattern(Pattern::Any);
                let built = self
                    .m
                    .match_(first, &[(p, Some(c), a), (q, None, b), (any, None, d)]);
                (
                    built,
                    Rc::new(move |e| match mi(e).list().first() {
                        None => mb(e),
                        Some(n) => {
                            let inner = with(e, x, Int(*n));
                            if mc(&inner) { ma(&inner) } else { md(e) }
                        }
                    }),
                )
            }
            3 => {
                // match value { x if c -> a; y -> b }
                let bound = self.choose(2) == 1;
                let (value, mv) = self.any(bound, depth);
                let (x, y) = (self.m.fresh(), self.m.fresh());
                let (c, mc) = self.scoped(x, bound, |b| b.condition(depth));
                let (a, ma) = self.scoped(x, bound, |b| b.any(list, depth));
                let (b, mb) = self.scoped(y, bound, |b| b.any(list, depth));
                let (p, q) = (self.m.bind(x), self.m.bind(y));
                let built = self.m.match_(value, &[(p, Some(c), a), (q, None, b)]);
                (
                    built,
                    Rc::new(move |e| {
                        let value = mv(e);
                        let inner = with(e, x, value.clone());
                        if mc(&inner) {
                            ma(&inner)
                        } else {
                            mb(&with(e, y, value))
                        }
                    }),
                )
            }
            4 => {
                // let f = (x) -> body; f(value)
                let (x, f, bound) = (self.m.fresh(), self.m.fresh(), self.choose(2) == 1);
                let (body, mb) = self.scoped(x, bound, |b| b.any(list, depth));
                let lambda = self.m.lambda(&[x], body);
                let (value, mv) = self.any(bound, depth);
                let function = self.m.local(f);
                let call = self.m.apply(function, &[value]);
                (
                    self.m.let_(f, lambda, call),
                    Rc::new(move |e| mb(&with(e, x, mv(e)))),
                )
            }
            _ => {
                // let p = Pair(number, list); a field of it, or { return field } in a lambda
                let (p, x) = (self.m.fresh(), self.m.fresh());
                let ((a, ma), (b, mb)) = (self.int(depth), self.list(depth));
                let pair = self.m.construct(
                    Ctor {
                        ty: std_type(model::PAIR),
                        variant: 0,
                    },
                    &[a, b],
                );
                let local = self.m.local(p);
                let mut field = self.m.field(local, u32::from(list));
                if self.choose(2) == 1 {
                    let ret = self.m.expr(Expr::Return(field));
                    let body = self.m.let_(x, ret, ret);
                    let lambda = self.m.lambda(&[], body);
                    field = self.m.apply(lambda, &[]);
                }
                let built = self.m.let_(p, pair, field);
                (
                    built,
                    Rc::new(move |e| {
                        let (a, b) = (ma(e), mb(e));
                        if list { b } else { a }
                    }),
                )
            }
        }
    }

    fn int(&mut self, depth: u32) -> Built {
        if depth == 0 {
            return self.name(false).unwrap_or_else(|| self.small());
        }
        let depth = depth - 1;
        match self.choose(7) {
            0 => self.small(),
            1 => self.name(false).unwrap_or_else(|| self.small()),
            2 => {
                let ((a, ma), (b, mb)) = (self.int(depth), self.int(depth));
                (
                    self.m.op(Intrinsic::Max, &[a, b]),
                    Rc::new(move |e| Int(ma(e).int().max(mb(e).int()))),
                )
            }
            3 => {
                let (items, mi) = self.list(depth);
                let length = self.m.op(Intrinsic::ListLength, &[items]);
                (length, Rc::new(move |e| Int(mi(e).list().len() as i64)))
            }
            4 => {
                let ((items, mi), (n, mn)) = (self.list(depth), self.int(depth));
                let last = self.m.op(Intrinsic::ListLast, &[items]);
                let built = self.m.expr(Expr::Coalesce(last, n));
                (
                    built,
                    Rc::new(move |e| mi(e).list().last().copied().map_or_else(|| mn(e), Int)),
                )
            }
            _ => self.common(false, depth),
        }
    }

    fn list(&mut self, depth: u32) -> Built {
        if depth == 0 {
            return self.name(true).unwrap_or_else(|| {
                let (n, mn) = self.small();
                (self.m.list(&[n]), Rc::new(move |e| List(vec![mn(e).int()])))
            });
        }
        let depth = depth - 1;
        match self.choose(15) {
            0 => {
                let ((a, ma), (b, mb)) = (self.int(depth), self.int(depth));
                (
                    self.m.list(&[a, b]),
                    Rc::new(move |e| List(vec![ma(e).int(), mb(e).int()])),
                )
            }
            1 | 2 => self.name(true).unwrap_or_else(|| self.list(depth)),
            3 => {
                let ((a, ma), (b, mb)) = (self.list(depth), self.list(depth));
                let built = self.m.op(Intrinsic::ListConcat, &[a, b]);
                let built = self.cut(built);
                (
                    built,
                    Rc::new(move |e| {
                        let mut items = ma(e).list();
                        items.extend(mb(e).list());
                        items.truncate(LONG);
                        List(items)
                    }),
                )
            }
            4 => {
                let ((a, ma), (b, mb)) = (self.list(depth), self.int(depth));
                (
                    self.m.op(Intrinsic::ListAppend, &[a, b]),
                    Rc::new(move |e| {
                        let mut items = ma(e).list();
                        items.push(mb(e).int());
                        List(items)
                    }),
                )
            }
            5 => {
                let (items, mi) = self.list(depth);
                let x = self.m.fresh();
                let (body, mb) = self.scoped(x, false, |b| b.int(depth));
                let f = self.m.lambda(&[x], body);
                (
                    self.m.op(Intrinsic::ListMap, &[items, f]),
                    Rc::new(move |e| {
                        List(
                            mi(e)
                                .list()
                                .into_iter()
                                .map(|n| mb(&with(e, x, Int(n))).int())
                                .collect(),
                        )
                    }),
                )
            }
            6 => {
                let (items, mi) = self.list(depth);
                let x = self.m.fresh();
                let (body, mb) = self.scoped(x, false, |b| b.condition(depth));
                let f = self.m.lambda(&[x], body);
                (
                    self.m.op(Intrinsic::ListFilter, &[items, f]),
                    Rc::new(move |e| {
                        List(
                            mi(e)
                                .list()
                                .into_iter()
                                .filter(|n| mb(&with(e, x, Int(*n))))
                                .collect(),
                        )
                    }),
                )
            }
            7 => {
                let ((items, mi), (init, mz)) = (self.list(depth), self.list(depth));
                let (acc, x) = (self.m.fresh(), self.m.fresh());
                let (body, mb) = self.scoped(acc, true, |b| b.scoped(x, false, |b| b.list(depth)));
                let body = self.cut(body);
                let f = self.m.lambda(&[acc, x], body);
                (
                    self.m.op(Intrinsic::ListFold, &[items, init, f]),
                    Rc::new(move |e| {
                        mi(e).list().into_iter().fold(mz(e), |sum, n| {
                            let mut items = mb(&with(&with(e, acc, sum), x, Int(n))).list();
                            items.truncate(LONG);
                            List(items)
                        })
                    }),
                )
            }
            8 => {
                let (items, mi) = self.list(depth);
                let x = self.m.fresh();
                let (body, mb) = self.scoped(x, false, |b| b.int(depth));
                let f = self.m.lambda(&[x], body);
                (
                    self.m.op(Intrinsic::ListSortBy, &[items, f]),
                    Rc::new(move |e| {
                        let mut items = mi(e).list();
                        items.sort_by_key(|n| mb(&with(e, x, Int(*n))).int());
                        List(items)
                    }),
                )
            }
            9 => {
                let (items, mi) = self.list(depth);
                let local = self.m.fresh();
                let (body, mb) = self.scoped(local, false, |b| b.int(depth));
                (
                    self.m.expr(Expr::For { local, items, body }),
                    Rc::new(move |e| {
                        let each = mi(e).list().into_iter();
                        List(each.map(|n| mb(&with(e, local, Int(n))).int()).collect())
                    }),
                )
            }
            10 => {
                // fn() { for x in items { if c { return a }; b } }
                let (items, mi) = self.list(depth);
                let local = self.m.fresh();
                let (c, mc) = self.scoped(local, false, |b| b.condition(depth));
                let (a, ma) = self.scoped(local, false, |b| b.list(depth));
                let (b, mb) = self.scoped(local, false, |b| b.int(depth));
                let leave = self.m.expr(Expr::Return(a));
                let body = self.m.if_(c, leave, b);
                let walk = self.m.expr(Expr::For { local, items, body });
                let lambda = self.m.lambda(&[], walk);
                (
                    self.m.apply(lambda, &[]),
                    Rc::new(move |e| {
                        let mut found = Vec::new();
                        for n in mi(e).list() {
                            let inner = with(e, local, Int(n));
                            if mc(&inner) {
                                return ma(&inner);
                            }
                            found.push(mb(&inner).int());
                        }
                        List(found)
                    }),
                )
            }
            11 => {
                let ((a, ma), (b, mb)) = (self.list(depth), self.list(depth));
                let op = [
                    Intrinsic::SetUnion,
                    Intrinsic::SetIntersect,
                    Intrinsic::SetDiff,
                ][self.choose(3) as usize];
                let a = self.m.op(Intrinsic::SetFromList, &[a]);
                let b = self.m.op(Intrinsic::SetFromList, &[b]);
                let both = self.m.op(op, &[a, b]);
                let items = self.m.op(Intrinsic::SetItems, &[both]);
                (
                    self.cut(items),
                    Rc::new(move |e| {
                        let a: BTreeSet<i64> = ma(e).list().into_iter().collect();
                        let b: BTreeSet<i64> = mb(e).list().into_iter().collect();
                        let found: BTreeSet<i64> = match op {
                            Intrinsic::SetUnion => a.union(&b).copied().collect(),
                            Intrinsic::SetIntersect => a.intersection(&b).copied().collect(),
                            _ => a.difference(&b).copied().collect(),
                        };
                        List(found.into_iter().take(LONG).collect())
                    }),
                )
            }
            12 => {
                // fold(items, base, (acc, x) => map_insert(acc, key, x)), and a look at it
                let ((items, mi), (base, mz)) = (self.list(depth), self.list(depth));
                let (acc, x) = (self.m.fresh(), self.m.fresh());
                let (key, mk) = self.scoped(x, false, |b| b.int(depth));
                let empty = self.m.op(Intrinsic::MapEmpty, &[]);
                let insert = |b: &mut Self, key: ExprId| {
                    let (map, value) = (b.m.local(acc), b.m.local(x));
                    let body = b.m.op(Intrinsic::MapInsert, &[map, key, value]);
                    b.m.lambda(&[acc, x], body)
                };
                let own = self.m.local(x);
                let first = insert(self, own);
                let start = self.m.op(Intrinsic::ListFold, &[base, empty, first]);
                let second = insert(self, key);
                let named = self.m.fresh();
                let from = self.m.local(named);
                let mut built = self.m.op(Intrinsic::ListFold, &[items, from, second]);
                if self.choose(2) == 1 {
                    let again = self.m.local(named);
                    built = self.m.op(Intrinsic::MapMerge, &[again, built]);
                }
                let built = self.m.let_(named, start, built);
                let values = self.choose(2) == 1;
                let look = if values {
                    Intrinsic::MapValues
                } else {
                    Intrinsic::MapKeys
                };
                let looked = self.m.op(look, &[built]);
                (
                    self.cut(looked),
                    Rc::new(move |e| {
                        let base = mz(e).list().into_iter().map(|n| (n, n));
                        let mut map: BTreeMap<i64, i64> = base.collect();
                        for n in mi(e).list() {
                            map.insert(mk(&with(e, x, Int(n))).int(), n);
                        }
                        let found = map.into_iter().take(LONG);
                        List(found.map(|(k, v)| if values { v } else { k }).collect())
                    }),
                )
            }
            _ => self.common(true, depth),
        }
    }

    fn cut(&mut self, list: ExprId) -> ExprId {
        let n = self.m.int(LONG as i64);
        self.m.op(Intrinsic::ListTake, &[list, n])
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(3000) })]
    #[test]
    fn code_gives_what_the_program_means(choices in proptest::collection::vec(any::<u8>(), 0..120)) {
        let mut builder = Builder { m: Model::new(), choices: choices.into_iter(), scope: vec![(Local(0), true), (Local(1), false)] };
        let (body, meaning) = builder.list(5);
        let main = builder.m.func("main", 2, body);
        let evaluator = builder.m.evaluator();
        let args = vec![Value::list([7, 3, 5].map(Value::Int)), Value::Int(2)];
        let kept = args.clone();
        let value = evaluator.call(main, args).unwrap().value;
        let given: Vec<i64> = value.as_list().unwrap().iter().filter_map(Value::as_int).collect();
        let env = HashMap::from([(Local(0), List(vec![7, 3, 5])), (Local(1), Int(2))]);
        prop_assert_eq!(List(given), meaning(&env));
        prop_assert_eq!(&kept[0], &Value::list([7, 3, 5].map(Value::Int)));
    }
}
