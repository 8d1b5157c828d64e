//! What stands bare in which place, for every letter of ASCII.

use dag_uri::{decoded, has_dots, path, value, written_path};

/// The letters of ASCII that an encoder leaves as they are.
fn bare(encode: impl Fn(&str) -> String) -> String {
    let letters = (0..128u8).map(char::from);
    letters
        .filter(|c| encode(&c.to_string()) == c.to_string())
        .collect()
}

const LETTERS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";

/// In the order of ASCII.
fn sorted(marks: &str) -> String {
    let mut all: Vec<char> = [LETTERS, &LETTERS.to_lowercase(), DIGITS, marks]
        .concat()
        .chars()
        .collect();
    all.sort_unstable();
    all.into_iter().collect()
}

#[test]
fn a_place_has_its_own_letters() {
    assert_eq!(bare(value), sorted("-._~"));
    assert_eq!(bare(|text| path(text)), sorted("-._~/"));
    assert_eq!(bare(written_path), sorted("-._~!$&'()*+,;=:@/"));
}

#[test]
fn other_letters_are_their_bytes() {
    assert_eq!(value("ä/ %\u{1F600}"), "%C3%A4%2F%20%25%F0%9F%98%80");
    assert_eq!(path(b"a/\xff\n"), "a/%FF%0A");
    for text in ["ä/ %41\u{1F600}", "", "%", "+"] {
        assert_eq!(*decoded(value(text).as_bytes()), *text.as_bytes());
    }
}

#[test]
fn what_is_no_encoding_stands_for_itself() {
    let lone = b"%zz%4%+f%";
    assert_eq!(*decoded(lone), *lone);
    assert_eq!(*decoded(b"%2f%2F+"), *b"//+");
}

#[test]
fn a_segment_of_dots_is_found_whole() {
    for path in [".", "..", "/a/../b", "/a/."] {
        assert!(has_dots(path), "{path}");
    }
    for path in ["", "/", "/...", "/a..b", "/%2e"] {
        assert!(!has_dots(path), "{path}");
    }
}
