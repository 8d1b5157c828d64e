//! Names that the language has elsewhere, or another language, and not here: what to write
//! instead.

/// Each with the cure, as a message gives it.
const CURES: &[(&str, &str)] = &[
    ("False", "write `false`"),
    ("None", "write `none`"),
    ("Null", "write `none`"),
    ("True", "write `true`"),
    (
        "compile_dag_diagnostic_census",
        "run `hayward check` over the text: a model does not compile models",
    ),
    (
        "filesystem_read",
        "a model reads no file: call an operation with `transport file` in a workflow, and hand on what it gives",
    ),
    (
        "is_emoji_ident",
        "write `is_xid_start(code)` or `is_xid_continue(code)`: names have no emoji",
    ),
    (
        "json_unescape_checked",
        "read the whole text with `parse_json` of `std.json`",
    ),
    ("len", "write `length(…)`"),
    ("nil", "write `none`"),
    (
        "rc_ptr_eq",
        "write `a == b`: equal values cannot be told apart",
    ),
    ("scan_string_end", "write `index_of(s, \"…\")`"),
    ("scan_to_eol", "write `first(lines(s))`"),
    (
        "scan_while",
        "write `take_while(chars(s), code => …)` with `take_while` of `std.list`",
    ),
    ("skip_horizontal_ws", "write `trim_start(s)`"),
    ("str", "write `to_string(…)`"),
    (
        "trace_mark",
        "remove it: `hayward test --json` counts the steps of each witness",
    ),
    ("undefined", "write `none`"),
];

/// Types that the language has under another name, sorted by theirs.
const TYPES: &[(&str, &str)] = &[
    ("Array", "List"),
    ("Boolean", "Bool"),
    ("Dict", "Map"),
    ("HashMap", "Map"),
    ("Integer", "Int"),
    ("Str", "String"),
    ("Text", "String"),
    ("Vec", "List"),
    ("boolean", "Bool"),
    ("dict", "Map"),
    ("double", "Float"),
    ("i64", "Int"),
    ("integer", "Int"),
    ("str", "String"),
    ("void", "Unit"),
];

/// The type that one of that name is here.
pub(crate) fn type_name(name: &str) -> Option<&'static str> {
    let found = TYPES.binary_search_by_key(&name, |(known, _)| known).ok()?;
    TYPES.get(found).map(|(_, here)| *here)
}

/// What to write in place of a function of that name, if it is known elsewhere.
pub(crate) fn cure(name: &str) -> Option<&'static str> {
    let found = CURES.binary_search_by_key(&name, |(known, _)| known).ok()?;
    CURES.get(found).map(|(_, cure)| *cure)
}

#[cfg(test)]
mod tests {
    use super::{CURES, TYPES, cure, type_name};

    #[test]
    fn every_name_is_found() {
        assert!(CURES.is_sorted_by_key(|(name, _)| *name));
        assert!(CURES.iter().all(|(name, text)| cure(name) == Some(text)));
        assert_eq!(cure("fold"), None);
        assert!(TYPES.is_sorted_by_key(|(name, _)| *name));
        assert!(
            TYPES
                .iter()
                .all(|(name, here)| type_name(name) == Some(here))
        );
        assert_eq!(type_name("String"), None);
    }
}
