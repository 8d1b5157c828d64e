//! The library's functions where they refuse, and what they cost: steps are paid before
//! memory is taken, and what is deep or long is refused by name.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used)] // a test whose module does not check has failed

mod source;

use dag_eval::Limits;
use expect_test::expect;
use source::{evaluator_of, holds, outcome, shown};

#[test]
fn a_size_of_nothing_is_refused() {
    expect!["E0803: 0 is not a `Int where range(min: 1)`: it must be at least 1"].assert_eq(
        &shown(
            "fn none_of(n: Int) -> Int = n - n\ndata it: List<List<Int>> = chunks([1], none_of(3))",
        ),
    );
    expect!["E0803: -1 is not a `Int where range(min: 1)`: it must be at least 1"].assert_eq(
        &shown("fn less(n: Int) -> Int = n - 4\ndata it: List<List<Int>> = windows([1], less(3))"),
    );
}

#[test]
fn numbers_that_do_not_fit_are_refused() {
    expect!["E0801: 10 to the power of 19 does not fit in 64 bits, signed"]
        .assert_eq(&shown("data it: Int = pow(10, 19)"));
    expect!["E0801: 2 to the power of 9000000000 does not fit in 64 bits, signed"]
        .assert_eq(&shown("data it: Int = pow(2, 9_000_000_000)"));
    expect!["E0801: 0 - -9223372036854775808 does not fit in 64 bits, signed"].assert_eq(&shown(
        "data it: Int = abs(0 - 9_223_372_036_854_775_807 - 1)",
    ));
    expect!["E0804: 1e300 is not a whole number of 64 bits, signed"].assert_eq(&shown(
        "data it: Int = round(parse_float(\"1e300\") ?? 0.0)",
    ));
    expect!["E0804: 1.5 is not a whole number of 64 bits, signed"]
        .assert_eq(&shown("data it: Int = to_int(1.5)"));
    expect!["E0804: 9007199254740993 has no exact Float"]
        .assert_eq(&shown("data it: Float = to_float(9_007_199_254_740_993)"));
    expect!["E0801: the sum is not a finite number"].assert_eq(&shown(
        "data big: Float = parse_float(\"1e308\") ?? 0.0\ndata it: Float = sum([big, big])",
    ));
    expect!["E0802: 1 is divided by zero"].assert_eq(&shown("data it: Int = div_floor(1, 0)"));
}

/// The steps that an expression takes.
fn steps(text: &str) -> u64 {
    let text = format!("module m\nfn it() -> Int = {text}\n");
    let evaluator = evaluator_of(&[("m.dag", &text)], Limits::default());
    outcome(&evaluator, "it").unwrap().steps
}

/// Ten times the items may take a little more than ten times the steps.
#[test]
fn no_function_grows_faster_than_n_log_n() {
    for function in [
        "length(sort(reverse(range(0, N))))",
        "length(sort_by(range(0, N), x => 0 - x))",
        "size(group_by(range(0, N), x => x % 7))",
        "size(index_by(range(0, N), x => x))",
        "min_by(range(0, N), x => x) ?? 0",
        "length(partition(range(0, N), x => x % 2 == 0).first)",
        "length(chunks(range(0, N), 2))",
        "length(windows(range(0, N), N / 2))",
        "length(flatten(chunks(range(0, N), 2)))",
        "length(zip_with(range(0, N), range(0, N), (a, b) => a + b))",
        "position(range(0, N), x => x == N - 1) ?? 0",
        "last_index(range(0, N), x => x == 0) ?? 0",
        "length(unique(range(0, N)))",
        "length(lines(repeat(\"ab\\n\", N)))",
        "length(words(repeat(\"ab \", N)))",
        "length(pad_left(\"\", N, \"é\"))",
        "index_of(repeat(\"é\", N), \"x\") ?? 0",
        "length(replace_first(repeat(\"é\", N), \"é\", \"\"))",
        "length(sha256_hex(repeat(\"é\", N)))",
        "length(atom_identity_hash(repeat(\"é\", N)))",
        "length(unwrap_or(collect(map(range(0, N), x => Present { value: x })), []))",
    ] {
        let of = |n: &str| steps(&function.replace('N', n));
        let (small, large) = (of("1_000"), of("10_000"));
        assert!(small > 30, "{function} is free: {small}");
        assert!(
            large < small * 14,
            "{function} takes {small} steps, and {large} for ten times as much"
        );
    }
}

/// Whatever reads or copies a large value whole takes steps for it: one for 64 bytes or items
/// at least. The values themselves are made by other items, on steps of their own.
#[test]
fn what_walks_a_large_value_takes_steps_for_it() {
    const MANY: u64 = 100_000;
    let data = "type Word = String where pattern(\"x*y?\")
data text: String = repeat(\"x\", 100_000)
data same: String = repeat(\"xx\", 50_000)
data late: String = repeat(\"x\", 99_999) + \"y\"
data items: List<Int> = 0..100_000
data alike: List<Int> = map(0..100_000, n => n)
data table: Map<Int, Int> = index_by(0..100_000, n => n)
data tables: Map<Int, Int> = index_by(0..100_000, n => n)
data none_of: Map<Int, Int> = empty_map()
data held: Set<Int> = set_from_list(0..100_000)
data bare: Set<Int> = empty_set()
data entries: List<Pair<Int, Int>> = map(0..100_000, n => Pair { first: n, second: n })
data pieces: List<String> = [repeat(\"x\", 100_000)]
";
    for walks in [
        "text == same",
        "[text] == [same]",
        "text < late",
        "text >= late",
        "[text, \"\"].contains(same)",
        "match text { \"a\" => true, \"b\" => false, \"c\" => true, _ => false }",
        "contains(text, \"y\")",
        "contains(\"x\", text)",
        "starts_with(text, same)",
        "ends_with(text, same)",
        "is_present(index_of(text, \"y\"))",
        "is_empty(split(text, \"y\"))",
        "is_empty(replace(text, \"y\", \"z\"))",
        "is_empty(trim(text))",
        "is_empty(to_upper(text))",
        "is_empty(text.lines())",
        "is_empty(text.words())",
        "is_empty(chars(text))",
        "is_empty(repeat(text, 1))",
        "is_empty(join(pieces, \"\"))",
        "is_empty(text + text)",
        "is_empty(\"{text}\")",
        "is_empty(to_string(items))",
        "is_empty(blake3_hex(text))",
        "is_empty(sha256_hex_of_text(text))",
        "is_empty(hmac_sha256_hex(text, \"k\"))",
        "is_empty(atom_identity_hash(text))",
        "is_present(parse_int(text))",
        "length(text) == 0",
        "is_empty(text as Word)",
        "items == alike",
        "is_empty(reverse(items))",
        "sum(items) == 0",
        "is_empty(enumerate(items))",
        "is_empty(zip(items, items))",
        "is_empty(dedup(items))",
        "is_empty(sort(items))",
        "contains(items, 0 - 1)",
        "table == tables",
        "is_empty(map_entries(table))",
        "map_is_empty(map_merge(table, none_of))",
        "is_empty(union(held, bare))",
        "is_empty(diff(held, bare))",
        "is_empty(set_from_list(items))",
        "map_is_empty(map_from_entries(entries))",
    ] {
        let text = format!("module m\n{data}fn it() -> Bool = {walks}\n");
        let evaluator = evaluator_of(&[("m.dag", &text)], Limits::default());
        let steps = outcome(&evaluator, "it").unwrap().steps;
        assert!(steps >= MANY / 64, "{walks}: {steps}");
    }
}

#[test]
fn steps_are_paid_before_memory_is_taken() {
    let limits = Limits {
        steps: 100_000,
        ..Limits::default()
    };
    let of = |text: &str| {
        let text = format!("module m\ndata it: Int = {text}\n");
        let evaluator = evaluator_of(&[("m.dag", &text)], limits);
        outcome(&evaluator, "it").unwrap_err().to_string()
    };
    let dear = [
        "length(windows(range(0, 1_000_000), 500_000))",
        "length(chunks(range(0, 1_000_000), 1))",
        "length(sort(range(0, 1_000_000)))",
        "length(pad_left(\"\", 100_000_000, \"x\"))",
        "length(lines(repeat(\"\\n\", 4_000_000)))",
    ];
    for text in dear {
        assert_eq!(
            of(text),
            "E0806: `m.it` is not evaluated within 100000 steps",
            "{text}"
        );
    }
    expect!["E0807: the size of a text in bytes exceeds the limit of 268435456"]
        .assert_eq(&of("length(pad_right(\"\", 1_000_000_000_000, \"x\"))"));
}

/// The stack of the thread is not used for what is deep.
#[test]
fn deep_values_are_sorted_and_hashed() {
    let deep = "type Chain = End | Link { n: Int, next: Chain }\n\
                fn chain(n: Int) -> Chain = fold(range(0, n), End, (c, i) => Link { n: i, next: c })\n";
    holds(&format!(
        "{deep}data it: Bool = length(sort([chain(100_000), chain(100_001), chain(100_000)])) == 3"
    ));
    holds(&format!(
        "{deep}data it: Bool = size(group_by([chain(100_000), chain(100_000)], c => c)) == 1"
    ));
}
