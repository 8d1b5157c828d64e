//! A diagnostic as a person sees it.

use dag_syntax::{Code, Diagnostic, Location, SourceId, Sources, Span, Style, render_text};
use expect_test::expect;

fn at(source: SourceId, start: u32) -> Location {
    Location {
        source,
        span: Span::new(start, start + 1),
    }
}

#[test]
fn the_first_line_of_a_report_names_file_and_place() {
    let mut sources = Sources::default();
    let here = sources.add("m.dag", "module m\n\ndata é: Int = x\n");
    let there = sources.add("other.dag", "module other\n");
    let error = Diagnostic::error(Code::UnknownName, at(here, 25), "there is no `x` here")
        .other(at(there, 7), "seen here");
    expect![[r#"
        m.dag:3:15: error[E0206]: there is no `x` here
          |
        3 | data é: Int = x
          |               ^
          |
         ::: other.dag:1:8
          |
        1 | module other
          |        - seen here"#]]
    .assert_eq(&render_text(&error, &sources, Style::Plain));
}

#[test]
fn very_many_places_stay_within_twelve_lines() {
    let mut sources = Sources::default();
    let ids: Vec<SourceId> = (0..6)
        .map(|n| sources.add(format!("{n}.dag"), "x"))
        .collect();
    let mut error = Diagnostic::error(Code::DivisionByZero, at(ids[0], 0), "1 is divided by zero");
    for id in &ids[1..] {
        error = error.other(at(*id, 0), "in `f`, called here");
    }
    error = error.note("… 7 more calls");
    expect![[r#"
        0.dag:1:1: error[E0802]: 1 is divided by zero
          |
        1 | x
          | ^
          |
         ::: 1.dag:1:1
          |
        1 | x
          | - in `f`, called here
          |
          = note: … 7 more calls
          = note: 4 more places not shown"#]]
    .assert_eq(&render_text(&error, &sources, Style::Plain));
}

#[test]
fn a_name_of_a_file_cannot_begin_a_line() {
    let mut sources = Sources::default();
    let here = sources.add("a\n::warning::\u{1b}[31m.dag", "x");
    let there = sources.add("b\r\u{2028}\u{202e}\\é.dag", "y");
    let error = Diagnostic::error(Code::DivisionByZero, at(here, 0), "1 is divided by zero")
        .other(at(there, 0), "seen here");
    expect![[r#"
        a\u{a}::warning::\u{1b}[31m.dag:1:1: error[E0802]: 1 is divided by zero
          |
        1 | x
          | ^
          |
         ::: b\u{d}\u{2028}\u{202e}\é.dag:1:1
          |
        1 | y
          | - seen here"#]]
    .assert_eq(&render_text(&error, &sources, Style::Plain));
}
