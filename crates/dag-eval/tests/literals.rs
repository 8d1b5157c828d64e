//! A literal that reaches a place of a refined type is judged before anything runs, whatever
//! it stands in and whatever the type asks for.
#![allow(clippy::unwrap_used)] // a test's own set-up

mod source;

use dag_eval::Limits;
use dag_syntax::{Diagnostic, Style, render_text};
use expect_test::{Expect, expect};
use source::judged;

/// A refined type, and literals of its base.
struct Kind {
    /// What declares `R`.
    types: &'static str,
    base: &'static str,
    /// Literals that are an `R`, each another one.
    good: [&'static str; 3],
    bad: &'static str,
}

const KINDS: [Kind; 13] = [
    Kind {
        types: "type R = Int where range(min: 2, max: 9)",
        base: "Int",
        good: ["2", "9", "(3)"],
        bad: "1",
    },
    Kind {
        types: "type R = Int where range(min: -3)",
        base: "Int",
        good: ["0", "-3", "(-(2))"],
        bad: "(-(4))",
    },
    Kind {
        types: "type R = String where non_empty",
        base: "String",
        good: ["\"a\"", "\"b\nc\"", "\"\" + \"d\""],
        bad: "\"\"",
    },
    Kind {
        types: "type R = String where pattern(\"[a-z]+[0-9]\")",
        base: "String",
        good: ["\"a1\"", "\"b\" + \"2\"", "\"c\" + \"d\" + \"3\""],
        bad: "\"1\" + \"a\"",
    },
    Kind {
        types: "type R = String where pattern(\"[a-z]+[0-9]\")",
        base: "String",
        good: ["\"a1\"", "\"b2\"", "\"c{(\"d\")}3\""],
        bad: "\"1{(\"a\")}\"",
    },
    Kind {
        types: "type R = List<Int> where non_empty",
        base: "List<Int>",
        good: ["[1]", "[2]", "([3])"],
        bad: "[]",
    },
    // A base that asks for more.
    Kind {
        types: "type A = Int where range(min: 2)\ntype R = A where range(max: 9)",
        base: "Int",
        good: ["2", "9", "3"],
        bad: "1",
    },
    // Functions.
    Kind {
        types: "fn even(n: Int) -> Bool = n % 2 == 0\ntype R = Int where even",
        base: "Int",
        good: ["2", "-4", "(-(6))"],
        bad: "3",
    },
    Kind {
        types: "fn lower(s: String) -> Bool = s == to_lower(s)\ntype R = String where format(lower)",
        base: "String",
        good: ["\"a\"", "\"b\nc\"", "\"d\" + \"e\""],
        bad: "\"a\nB\"",
    },
    Kind {
        types: "fn near(n: Float) -> Bool = n > -1.5\ntype R = Float where near",
        base: "Float",
        good: ["1.0", "-0.5", "(-(0.5))"],
        bad: "(-(2.5))",
    },
    Kind {
        types: "fn rising(l: List<Int>) -> Bool = l == sort(l)\ntype R = List<Int> where rising",
        base: "List<Int>",
        good: ["[]", "[1, 2]", "[3]"],
        bad: "[2, 1]",
    },
    Kind {
        types: "type P { x: Int, y: String? }\nfn fits(p: P) -> Bool = p.x > 0\ntype R = P where fits",
        base: "P",
        good: [
            "P { x: 1, y: none }",
            "P { x: 2, y: \"a\" }",
            "P { y: none, x: 3 }",
        ],
        bad: "P { x: 0, y: none }",
    },
    // A predicate of the base, and one that does not hold of what the base refuses.
    Kind {
        types: "fn even(n: Int) -> Bool = n % 2 == 0\nfn tens(n: A) -> Bool = n % 10 == 0\n\
                type A = Int where even\ntype R = A where tens",
        base: "Int",
        good: ["10", "20", "(-30)"],
        bad: "15",
    },
];

/// The forms through which a literal reaches a place of the type `R`: an item of a module,
/// with `#` for the literal, and `B` for the base of `R`. `@1` and `@2` are literals of `R`.
const FORMS: [(&str, &str); 64] = [
    ("data", "data it: R = #"),
    ("data, an optional", "data it: R? = #"),
    ("parentheses", "data it: R = ((#))"),
    ("result", "fn it() -> R = #"),
    ("result of a block", "fn it() -> R {\n  let x = 1\n  #\n}"),
    (
        "return",
        "fn it(c: Bool) -> R {\n  if c { return # }\n  @1\n}",
    ),
    ("return at the end", "fn it() -> R {\n  return #\n}"),
    ("let with a type", "fn it() -> R {\n  let x: R = #\n  x\n}"),
    ("if", "fn it(c: Bool) -> R = if c { # } else { @1 }"),
    ("else", "fn it(c: Bool) -> R = if c { @1 } else { # }"),
    (
        "else if",
        "fn it(c: Bool) -> R = if c { @1 } else if !c { # } else { @2 }",
    ),
    (
        "block in if",
        "fn it(c: Bool) -> R = if c {\n  let x = 1\n  #\n} else { @1 }",
    ),
    (
        "arm",
        "fn it(n: Int) -> R = match n {\n  0 => #\n  _ => @1\n}",
    ),
    (
        "last arm",
        "fn it(n: Int) -> R = match n {\n  0 => @1\n  _ => #\n}",
    ),
    (
        "block in an arm",
        "fn it(n: Int) -> R = match n {\n  0 => { # }\n  _ => @1\n}",
    ),
    (
        "guarded arm",
        "fn it(n: Int) -> R = match n {\n  k if k > 1 => #\n  _ => @1\n}",
    ),
    ("stands in", "fn it(x: R?) -> R = x ?? #"),
    (
        "stands in for a value of the base",
        "fn it(x: B?) -> R = x ?? #",
    ),
    ("stands in, an optional", "fn it(x: R?) -> R? = x ?? #"),
    (
        "stands in, an optional of the base",
        "fn it(x: B?) -> R? = x ?? #",
    ),
    ("stands in for none", "fn it() -> R = none ?? #"),
    ("stands in twice", "fn it(x: R?, y: R?) -> R = x ?? y ?? #"),
    (
        "stands in, in an argument",
        "fn f(r: R) -> R = r\nfn it(x: R?) -> R = f(x ?? #)",
    ),
    ("stands in, in a list", "fn it(x: R?) -> List<R> = [x ?? #]"),
    (
        "a choice stands in",
        "fn it(x: R?, c: Bool) -> R = x ?? (if c { # } else { @1 })",
    ),
    (
        "stands in, in a choice",
        "fn it(x: R?, c: Bool) -> R = if c { x ?? # } else { @1 }",
    ),
    ("argument", "fn f(r: R) -> Int = 1\ndata it: Int = f(#)"),
    (
        "named argument",
        "fn f(r: R) -> Int = 1\ndata it: Int = f(r: #)",
    ),
    (
        "argument, an optional",
        "fn f(r: R?) -> Int = 1\ndata it: Int = f(#)",
    ),
    (
        "choice as argument",
        "fn f(r: R) -> Int = 1\nfn it(c: Bool) -> Int = f(if c { # } else { @1 })",
    ),
    ("pipe", "fn f(r: R) -> Int = 1\ndata it: Int = (#) |> f"),
    (
        "pipe with arguments",
        "fn f(r: R, n: Int) -> Int = n\ndata it: Int = (#) |> f(1)",
    ),
    (
        "argument behind a pipe",
        "fn f(n: Int, r: R) -> Int = n\ndata it: Int = 1 |> f(#)",
    ),
    (
        "choice in a pipe",
        "fn f(r: R) -> Int = 1\nfn it(c: Bool) -> Int = (if c { # } else { @1 }) |> f",
    ),
    (
        "else in a pipe",
        "fn f(r: R) -> Int = 1\nfn it(c: Bool) -> Int = (if c { @1 } else { # }) |> f",
    ),
    (
        "match in a pipe",
        "fn f(r: R) -> Int = 1\nfn it(n: Int) -> Int = (match n {\n  0 => @1\n  _ => #\n}) |> f",
    ),
    (
        "block in a pipe",
        "fn f(r: R) -> Int = 1\nfn it() -> Int = ({\n  let y = 1\n  #\n}) |> f",
    ),
    ("method", "fn f(r: R) -> Int = 1\ndata it: Int = (#).f()"),
    (
        "argument of a method",
        "fn f(n: Int, r: R) -> Int = n\ndata it: Int = (1).f(#)",
    ),
    ("function value", "fn it(f: fn(R) -> Int) -> Int = f(#)"),
    (
        "pipe to a function value",
        "fn it(f: fn(R) -> Int) -> Int = (#) |> f",
    ),
    ("lambda", "fn it(l: List<Int>) -> List<R> = map(l, x => #)"),
    (
        "block of a lambda",
        "fn it(l: List<Int>) -> List<R> = map(l, x => {\n  let y = 1\n  #\n})",
    ),
    (
        "return of a lambda",
        "fn it(l: List<Int>) -> List<R> = map(l, x => {\n  if x > 1 { return # }\n  @1\n})",
    ),
    (
        "lambda as argument",
        "fn f(g: fn(Int) -> R) -> Int = 1\ndata it: Int = f(x => #)",
    ),
    ("for", "fn it(l: List<Int>) -> List<R> = for x in l { # }"),
    (
        "type parameter",
        "fn same<T>(a: T, b: T) -> T = a\nfn it(r: R) -> R = same(r, #)",
    ),
    (
        "type parameter of a list",
        "fn f<T>(l: List<T>, a: T) -> T = a\nfn it(l: List<R>) -> R = f(l, #)",
    ),
    (
        "type parameter of a record",
        "type Box<T> { held: T }\ndata it: Box<R> = Box { held: # }",
    ),
    (
        "type parameter of a variant",
        "type Box<T> =\n  | Full(T)\n  | Empty\ndata it: Box<R> = Full(#)",
    ),
    ("default of a parameter", "fn it(r: R = #) -> R = r"),
    ("default of a field", "type Rec { r: R = # }"),
    ("field", "type Rec { r: R }\ndata it: Rec = Rec { r: # }"),
    (
        "field, an optional",
        "type Rec { r: R? }\ndata it: Rec = Rec { r: # }",
    ),
    (
        "field of braces alone",
        "type Rec { r: R }\ndata it: Rec = { r: # }",
    ),
    (
        "field of a record without a name",
        "data it: { r: R } = { r: # }",
    ),
    (
        "the only field",
        "type Rec { r: R }\ndata it: Rec = Rec { # }",
    ),
    (
        "field of a variant",
        "type V =\n  | One { r: R }\n  | Two\ndata it: V = One { r: # }",
    ),
    (
        "payload",
        "type V =\n  | One(R)\n  | Two\ndata it: V = One(#)",
    ),
    (
        "payload of a pipe",
        "type V =\n  | One(R)\n  | Two\ndata it: V = (#) |> One",
    ),
    ("list", "data it: List<R> = [@1, #]"),
    ("list of lists", "data it: List<List<R>> = [[@1], [@2, #]]"),
    ("value of a map", "data it: Map<String, R> = { \"k\": # }"),
    ("as", "data it: R = (#) as R"),
];

/// The same for forms that take only a scalar.
const OF_SCALARS: [(&str, &str); 4] = [
    ("set", "data it: Set<R> = [@1, #]"),
    (
        "as, of a choice",
        "fn it(c: Bool) -> R = (if c { # } else { @1 }) as R",
    ),
    ("as, of what stands in", "fn it(x: B?) -> R = (x ?? #) as R"),
    ("as an optional", "fn it() -> R? = (#) as R"),
];

/// Each form of a kind as a module of its own, in one program.
fn modules(kind: &Kind, literal: &str) -> Vec<(String, String)> {
    let scalar = ["Int", "String"].contains(&kind.base);
    let more = OF_SCALARS.iter().filter(|_| scalar);
    let module = |(name, form): &(&str, &str)| {
        let form = form.replace("B?", &format!("{}?", kind.base));
        let form = form.replace("@1", kind.good[0]).replace("@2", kind.good[1]);
        let form = form.replace('#', literal);
        let module = name.replace([' ', ','], "_");
        let text = format!("module {module}\n{}\n{form}\n", kind.types);
        (format!("{name}.dag"), text)
    };
    FORMS.iter().chain(more).map(module).collect()
}

fn faults_of(kind: &Kind) -> String {
    let mut faults = String::new();
    let [_, _, good] = kind.good;
    for (literal, mistakes) in [(kind.bad, 1), (good, 0)] {
        let modules = modules(kind, literal);
        let files: Vec<(&str, &str)> = modules.iter().map(|(p, t)| (&**p, &**t)).collect();
        let (sources, said) = judged(&files, Limits::default());
        for (path, text) in &modules {
            let here = |d: &&Diagnostic| d.is_error() && *sources.get(d.at.source).path == **path;
            let found: Vec<&Diagnostic> = said.iter().filter(here).collect();
            let place = |d: &Diagnostic| &text[d.at.span.start as usize..d.at.span.end as usize];
            let bare = literal.strip_prefix('(').and_then(|l| l.strip_suffix(')'));
            let right = |d: &&Diagnostic| {
                d.code.as_str() == "E0309" && [literal, bare.unwrap_or(literal)].contains(&place(d))
            };
            if found.len() != mistakes || !found.iter().all(right) {
                let found = found
                    .iter()
                    .map(|d| format!("{} {} at {}", d.code.as_str(), d.message, place(d)));
                let found: Vec<String> = found.collect();
                faults += &format!("{path}: {literal} as {}: {found:?}\n", kind.types);
            }
        }
    }
    faults
}

#[test]
fn a_literal_is_judged_in_every_form() {
    let faults: String = KINDS.iter().map(faults_of).collect();
    assert!(faults.is_empty(), "{faults}");
}

/// What is said of modules, each (path, text), as a person sees it.
fn said_of(files: &[(&str, &str)], limits: Limits, expected: &Expect) {
    let (sources, said) = judged(files, limits);
    let said: Vec<String> = said
        .iter()
        .map(|d| render_text(d, &sources, Style::Plain))
        .collect();
    expected.assert_eq(&said.join("\n"));
}

fn said(text: &str, expected: &Expect) {
    said_of(
        &[("m.dag", &format!("module m\n{text}\n"))],
        Limits::default(),
        expected,
    );
}

const LOWER: &str = "fn lower(s: String) -> Bool = s == to_lower(s)\ntype Low = String where pattern(\"[a-zA-Z]+\"), lower\n";

#[test]
fn a_literal_is_judged_in_a_service_and_in_a_workflow() {
    let text = LOWER.to_owned()
        + r#"service Doors {
  operation Ask {
    input { door: Low = "A" }
    output { state: Low from "stdout" }
    transport shell { argv: ["/usr/bin/door", "--", door] }
    mock_response { 0 => Output { state: "B" } }
  }
}
func ask(door: Low = "C") -> Low {
  let x: Low = "D"
  let z = Doors.Ask(door: "E")
  if x == z.state { return "F" }
  "G"
}
func all() -> Low {
  node one = ask("H") -> Low
  "I"
}"#;
    let (sources, said) = judged(
        &[("m.dag", &format!("module m\n{text}\n"))],
        Limits::default(),
    );
    let place = |d: &Diagnostic| {
        assert_eq!(d.code.as_str(), "E0309", "{d:?}");
        let at = d.at.span;
        sources.get(d.at.source).text[at.start as usize + 1..at.end as usize - 1].to_owned()
    };
    let mut places: Vec<String> = said.iter().map(place).collect();
    places.sort();
    assert_eq!(places.concat(), "ABCDEFGHI");
}

#[test]
fn the_key_of_a_map_is_a_literal() {
    let text = LOWER.to_owned() + "data it: Map<Low, Int> = { \"A\": 1, \"b\": 2 }";
    said(
        &text,
        &expect![[r#"
            m.dag:4:28: error[E0309]: this is no `Low`: `lower` does not hold
              |
            2 | fn lower(s: String) -> Bool = s == to_lower(s)
              |    ----- the predicate
            3 | type Low = String where pattern("[a-zA-Z]+"), lower
              |      --- the type is declared here
            4 | data it: Map<Low, Int> = { "A": 1, "b": 2 }
              |                            ^^^"#]],
    );
    let text = "type Full = Map<String, Int> where non_empty\ndata it: Full = {}\n\
                type Some = Set<Int> where non_empty\ndata few: Some = []";
    said(
        text,
        &expect![[r#"
            m.dag:3:17: error[E0309]: this is no `Full`: it does not hold that it is not empty
              |
            2 | type Full = Map<String, Int> where non_empty
              |      ---- the type is declared here
            3 | data it: Full = {}
              |                 ^^
            m.dag:5:18: error[E0309]: this is no `Some`: it does not hold that it is not empty
              |
            4 | type Some = Set<Int> where non_empty
              |      ---- the type is declared here
            5 | data few: Some = []
              |                  ^^"#]],
    );
}

#[test]
fn what_is_wrong_inside_a_literal_is_said_once() {
    let text = LOWER.to_owned()
        + "fn short(l: List<Low>) -> Bool = length(l) < 2\n\
           type Lows = List<Low> where short\n\
           fn dull(l: Lows) -> Bool = length(first(l) ?? \"\") < 2\n\
           type Dull = Lows where dull\n\
           data inner: Dull = [\"a\", \"B\", \"C\"]\n\
           data base: Dull = [\"a\", \"b\"]\n\
           data own: Dull = [\"aa\"]\n\
           data good: Dull = [\"a\"]";
    said(
        &text,
        &expect![[r#"
            m.dag:8:26: error[E0309]: this is no `Low`: `lower` does not hold
              |
            2 | fn lower(s: String) -> Bool = s == to_lower(s)
              |    ----- the predicate
            3 | type Low = String where pattern("[a-zA-Z]+"), lower
              |      --- the type is declared here
            ...
            8 | data inner: Dull = ["a", "B", "C"]
              |                          ^^^
            m.dag:8:31: error[E0309]: this is no `Low`: `lower` does not hold
              |
            2 | fn lower(s: String) -> Bool = s == to_lower(s)
              |    ----- the predicate
            3 | type Low = String where pattern("[a-zA-Z]+"), lower
              |      --- the type is declared here
            ...
            8 | data inner: Dull = ["a", "B", "C"]
              |                               ^^^
            m.dag:9:19: error[E0309]: this is no `Lows`: `short` does not hold
              |
            4 | fn short(l: List<Low>) -> Bool = length(l) < 2
              |    ----- the predicate
            5 | type Lows = List<Low> where short
              |      ---- the type is declared here
            ...
            9 | data base: Dull = ["a", "b"]
              |                   ^^^^^^^^^^
            m.dag:10:18: error[E0309]: this is no `Dull`: `dull` does not hold
               |
             6 | fn dull(l: Lows) -> Bool = length(first(l) ?? "") < 2
               |    ---- the predicate
             7 | type Dull = Lows where dull
               |      ---- the type is declared here
            ...
            10 | data own: Dull = ["aa"]
               |                  ^^^^^^"#]],
    );
}

#[test]
fn a_predicate_that_is_refused_refuses_the_literal() {
    let text = "fn grows(n: Int) -> Bool = n * 4_000_000_000_000_000_000 > n\n\
                type Grown = Int where grows\n\
                data one: Grown = 1\n\
                data two: Grown = 3\n\
                fn long(n: Int) -> Bool = length(map(range(0, n), x => x + 1)) > 9\n\
                type Long = Int where long\n\
                data it: Long = 5_000";
    let limits = Limits {
        steps: 1_000,
        ..Limits::default()
    };
    said_of(
        &[("m.dag", &format!("module m\n{text}\n"))],
        limits,
        &expect![[r#"
            m.dag:5:19: error[E0309]: this is no `Grown`: `grows` gives no answer
              |
            2 | fn grows(n: Int) -> Bool = n * 4_000_000_000_000_000_000 > n
              |    ----- the predicate     ----------------------------- refused here
            3 | type Grown = Int where grows
              |      ----- the type is declared here
            4 | data one: Grown = 1
            5 | data two: Grown = 3
              |                   ^
              |
              = note: E0801: 3 * 4000000000000000000 does not fit in 64 bits, signed
            m.dag:8:17: error[E0309]: this is no `Long`: `long` gives no answer
              |
            6 | fn long(n: Int) -> Bool = length(map(range(0, n), x => x + 1)) > 9
              |    ---- the predicate            ---------------------------- refused here
            7 | type Long = Int where long
              |      ---- the type is declared here
            8 | data it: Long = 5_000
              |                 ^^^^^
              |
              = note: E0806: `m.long` is not evaluated within 1000 steps"#]],
    );
}

#[test]
fn a_pattern_that_takes_long_is_matched_by_an_evaluation() {
    let word = "a".repeat(4_000);
    let text = format!(
        "type Word = String where pattern(\"(a?){{1000}}a*b\")\ndata it: Word = \"{word}\"\ndata good: Word = \"{word}b\"",
    );
    let (_, said) = judged(
        &[("m.dag", &format!("module m\n{text}\n"))],
        Limits::default(),
    );
    let said: Vec<String> = said
        .iter()
        .map(|d| format!("{}: {} ({})", d.code, d.message, d.notes.concat()))
        .collect();
    expect![[r#"E0309: this is no `Word`: it is refused when it is built (E0803: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa… is not a m.Word: it must match the pattern "(a?)\{1000}a*b" whole)"#]].assert_eq(&said.join("\n"));
}

#[test]
fn a_literal_that_is_judged_is_of_the_module_alone() {
    let shapes =
        "module shapes\nfn even(n: Int) -> Bool = n % 2 == 0\ntype Even = Int where even\n";
    let bad = "import shapes { Even }\ndata it: Even = 3\n";
    let (one, two) = (
        format!("module one\n{bad}"),
        format!("module two\n{bad}data wrong: Int = \"\"\n"),
    );
    // A mistake elsewhere hides nothing, and one in the module is told first.
    let files = [("shapes.dag", shapes), ("one.dag", &one), ("two.dag", &two)];
    said_of(
        &files,
        Limits::default(),
        &expect![[r#"
        two.dag:4:19: error[E0301]: expected Int, found String
          |
        4 | data wrong: Int = ""
          |             ---   ^^
          |             |
          |             declared here
        one.dag:3:17: error[E0309]: this is no `Even`: `even` does not hold
          |
        3 | data it: Even = 3
          |                 ^
          |
         ::: shapes.dag:2:4
          |
        2 | fn even(n: Int) -> Bool = n % 2 == 0
          |    ---- the predicate
        3 | type Even = Int where even
          |      ---- the type is declared here"#]],
    );
    // Nothing is evaluated that has a mistake itself.
    let broken = shapes.replace("== 0", "== nothing");
    let files = [("shapes.dag", &*broken), ("one.dag", &one)];
    said_of(
        &files,
        Limits::default(),
        &expect![[r#"
        shapes.dag:2:36: error[E0206]: there is no `nothing` here
          |
        2 | fn even(n: Int) -> Bool = n % 2 == nothing
          |                                    ^^^^^^^"#]],
    );
}

#[test]
fn what_is_no_literal_is_left_to_its_evaluation() {
    let text = LOWER.to_owned()
        + "fn name(s: String) -> String = s\n\
           data a: Low = name(\"A\")\n\
           data b: List<Low> = [to_upper(\"b\")]\n\
           fn c(s: String) -> Low {\n  let x = \"C\"\n  x\n}\n\
           fn d(s: String) -> Low = \"D{s}\"";
    said(&text, &expect![[""]]);
}
