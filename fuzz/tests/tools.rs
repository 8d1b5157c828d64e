//! The tools can fail: a property says so when it does not hold, and a case is what it was when it
//! is written down and read, or drawn again.

use dag_fuzz::minimise::minimised_by;
use dag_fuzz::property::places_hold;
use dag_fuzz::{Case, Kind, Run};
use dag_syntax::{Code, Diagnostic, Location, Sources, Span};

/// A diagnostic at these bytes of a text with a character of two bytes.
fn told(start: u32, end: u32, notes: usize) -> Result<(), String> {
    let mut sources = Sources::default();
    let source = sources.add("m.dag", "é = 1\n");
    let at = Location {
        source,
        span: Span::new(start, end),
    };
    let mut diagnostic = Diagnostic::error(Code::UnexpectedToken, at, "wrong");
    for note in 0..notes {
        diagnostic = diagnostic.note(format!("note {note}"));
    }
    places_hold(&[diagnostic], &sources).map_err(|broken| broken.how)
}

#[test]
fn a_place_that_is_none_is_found() {
    assert_eq!(told(0, 2, 0), Ok(()));
    assert_eq!(told(7, 7, 0), Ok(()));
    for (start, end) in [(1, 2), (0, 8), (2, 0)] {
        assert!(told(start, end, 0).is_err_and(|how| how.contains("is no place")));
    }
}

#[test]
fn a_long_diagnostic_is_found() {
    assert_eq!(told(0, 2, 5), Ok(()));
    assert!(told(0, 2, 12).is_err_and(|how| how.contains("twelve lines")));
}

#[test]
fn a_case_is_read_as_it_was_written() {
    let mut case = Case::default();
    case.write("a.dag", "module a\n");
    case.write("b_test.dag", "");
    case.write("a.dag", "module a\r\n\u{0} no end of line");
    assert_eq!(Case::read(&case.to_string()), case);
    let states = case.states();
    let texts = |at: usize| {
        states
            .get(at)
            .map(|files| files.iter().map(|f| &*f.text).collect())
    };
    assert_eq!(texts(0), Some(vec!["module a\n", ""]));
    assert_eq!(texts(1), Some(vec!["module a\r\n\u{0} no end of line", ""]));
    assert_eq!(texts(2), None);
    assert_eq!(
        Case::read("module m\n"),
        Case::of_text("m.dag", "module m\n")
    );
}

#[test]
fn a_case_is_drawn_again_by_its_number() {
    let seeds = vec![Case::of_text("m.dag", "module m\n\ndata x: Int = 1\n")];
    let run = Run::new(3, seeds.clone());
    let cases: Vec<Case> = (0..50).map(|n| run.case(n, Kind::Program)).collect();
    let again = Run::new(3, seeds.clone());
    assert!((0..50).all(|n| cases.get(n) == Some(&again.case(n as u64, Kind::Program))));
    let other = Run::new(4, seeds);
    assert!((0..50).any(|n| cases.get(n) != Some(&other.case(n as u64, Kind::Program))));
}

#[test]
fn a_find_becomes_small() {
    let mut case = Case::of_text(
        "a.dag",
        "module a\n\ndata x: Int = 1\n\ndata y: Int = f(needle(2))\n",
    );
    case.write("b.dag", "module b\n");
    let small = minimised_by(&case, &mut |case| {
        case.writes
            .iter()
            .any(|write| write.text.contains("needle"))
    });
    assert_eq!(small, Case::of_text("a.dag", "needle"));
}
