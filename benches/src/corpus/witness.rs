//! The module of witnesses of a module: what it must say is computed here, so each of them holds.

use super::WITNESSES;
use super::domain::{Domain, Row};
use super::prose::remark;
use super::random::Random;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// The text of the test module of the domain at an index.
pub(crate) fn text(subject: usize, all: &[Domain], random: &mut Random) -> String {
    let domain = &all[subject];
    let (camel, snake) = (domain.name.camel(), domain.name.snake());
    let witnesses: Vec<String> = (0..WITNESSES)
        .map(|i| witness(i, domain, all, random))
        .collect();
    let mut out = String::new();
    for (index, row) in fixtures(domain).iter().enumerate() {
        let value = domain.row_value(row, all, "");
        let _ = write!(
            out,
            "\n// {}\ndata fixture_{}: {camel} = {value}\n",
            remark(random),
            index + 1
        );
    }
    let _ = write!(
        out,
        "\nfn keys_of(rows: List<{camel}>) -> List<{camel}Key> {{\n  map(rows, row => row.key)\n}}\n\n\
         fn holds_still(state: {camel}State) -> Bool {{\n  {snake}_next(state: state) == state\n}}\n",
    );
    for text in witnesses {
        let _ = write!(out, "\n// {}\n{text}", remark(random));
    }
    head(domain, all, &out) + &out
}

/// The module line and the imports of what the body names.
fn head(domain: &Domain, all: &[Domain], body: &str) -> String {
    let (camel, snake) = (domain.name.camel(), domain.name.snake());
    let mut out = format!(
        "module {}_test\n\nimport std.measure {{ seconds }}\n",
        domain.name.module()
    );
    let used: BTreeSet<&str> = body
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|w| {
            w.starts_with(&camel)
                || w.strip_prefix(&snake)
                    .is_some_and(|rest| rest.starts_with('_'))
        })
        .filter(|w| !w.ends_with("_budgets"))
        .collect();
    let _ = write!(out, "import {} {{", domain.name.module());
    for line in used.into_iter().collect::<Vec<_>>().chunks(3) {
        let _ = write!(out, "\n  {}", line.join(", "));
    }
    out.push_str("\n}\n");
    for import in &domain.imports {
        let other = &all[*import];
        let _ = writeln!(
            out,
            "import {} {{\n  {}{}, {}_weight\n}}",
            other.name.module(),
            other.variant(0),
            if body.contains(&format!("{}Missing ", other.name.camel())) {
                format!(", {}Missing", other.name.camel())
            } else {
                String::new()
            },
            other.name.snake(),
        );
    }
    out
}

/// Rows like those of the table, with other keys.
fn fixtures(domain: &Domain) -> Vec<Row> {
    (0..FIXTURES)
        .map(|i| Row {
            key: format!("fixture-{}", i + 1),
            state: i % domain.states.len(),
            count: 3 + i,
            budget: 10 * (i + 1) + 1,
            pause: i,
        })
        .collect()
}

const FIXTURES: usize = 4;

fn witness(index: usize, domain: &Domain, all: &[Domain], random: &mut Random) -> String {
    let (camel, snake, words) = (
        domain.name.camel(),
        domain.name.snake(),
        domain.name.words(),
    );
    let state = random.between(0, domain.states.len() - 1);
    let count = random.between(1, 30);
    let value = domain.state_value(state, count);
    let fixtures = fixtures(domain);
    let (name, body) = match index {
        0 => (
            "the_table_is_counted_whole".to_owned(),
            format!(
                "{snake}_tally(rows: {snake}_table).seen == {}",
                domain.rows.len()
            ),
        ),
        1 => (
            "the_table_weighs_what_its_rows_weigh".to_owned(),
            format!(
                "let tally = {snake}_tally(rows: {snake}_table)\n  tally.weight == {} && tally.budget == {}",
                domain
                    .rows
                    .iter()
                    .map(|r| domain.weight(r.state, r.count))
                    .sum::<usize>(),
                domain.rows.iter().map(|r| r.budget).sum::<usize>(),
            ),
        ),
        2 => (
            "a_row_is_found_by_its_key".to_owned(),
            format!(
                "match {snake}_at(key: \"{}\") {{\n    Present {{ value }} => value.budget == {}\n    Absent => false\n  }}",
                domain.rows[0].key, domain.rows[0].budget,
            ),
        ),
        3 => (
            "a_stranger_is_not_found".to_owned(),
            format!("{snake}_at(key: \"stranger\") == none"),
        ),
        4 => (
            "the_empty_tally_weighs_nothing".to_owned(),
            format!(
                "let tally = {snake}_tally(rows: [])\n  tally.weight == 0 && is_empty(tally.calm) && tally.seen == 0"
            ),
        ),
        5 => (
            "a_missing_key_is_named".to_owned(),
            format!(
                "{snake}_fault_text(fault: {camel}Missing {{ key: \"north\" }}) == \"{words}: nothing at north\""
            ),
        ),
        6 => (
            "both_sides_of_an_overdraft_are_shown".to_owned(),
            format!(
                "{snake}_fault_text(fault: {camel}Overdrawn {{ wanted: {}, left: {count} }})\n    == \"{words}: {} wanted, {count} left\"",
                count + 1,
                count + 1,
            ),
        ),
        7 => match domain.imports.first().map(|i| &all[*i]) {
            Some(other) => (
                "a_fault_of_what_it_needs_is_passed_on".to_owned(),
                format!(
                    "let inner = {}Missing {{ key: \"west\" }}\n  {snake}_fault_text(fault: {camel}From{} {{ fault: inner }})\n    \
                     == \"{}: nothing at west\"",
                    other.name.camel(),
                    other.name.camel(),
                    other.name.words(),
                ),
            ),
            None => (
                "it_needs_nothing".to_owned(),
                format!("length({snake}_table) > 0"),
            ),
        },
        8 => (
            "the_load_is_the_sum_of_its_parts".to_owned(),
            format!(
                "{snake}_load(row: fixture_1) == {}{}",
                domain.weight(fixtures[0].state, fixtures[0].count) + fixtures[0].budget,
                domain
                    .imports
                    .iter()
                    .map(|i| format!(
                        "\n      + {}_weight(state: {})",
                        all[*i].name.snake(),
                        all[*i].variant(0)
                    ))
                    .collect::<String>(),
            ),
        ),
        9 => (
            "a_row_is_described_in_one_line".to_owned(),
            format!(
                "{snake}_describe(row: fixture_1)\n    == \"fixture-1: {}, budget {} (after {} s)\"",
                domain.label(fixtures[0].state),
                fixtures[0].budget,
                fixtures[0].pause,
            ),
        ),
        10 => (
            "every_row_of_the_table_has_its_own_key".to_owned(),
            format!(
                "let keys = keys_of(rows: {snake}_table)\n  dedup(keys) == keys && length(keys) == {}",
                domain.rows.len()
            ),
        ),
        11 => (
            "counting_twice_counts_twice".to_owned(),
            format!(
                "let once = {snake}_tally(rows: [fixture_2])\n  let twice = {snake}_count(tally: once, row: fixture_2)\n  \
                 twice.seen == 2 && twice.weight == {}",
                2 * domain.weight(fixtures[1].state, fixtures[1].count),
            ),
        ),
        12 => (
            "a_deferred_row_is_never_calm".to_owned(),
            format!(
                "let rows = filter({snake}_table, row => row.policy == {camel}Deferred)\n  \
                 all(rows, row => !{snake}_calm(row: row))"
            ),
        ),
        13 => (
            "what_is_measured_is_sure".to_owned(),
            format!("length({snake}_sure(least: 0)) == length({snake}_facts)"),
        ),
        14 => (
            "no_state_follows_itself".to_owned(),
            format!(
                "let first = holds_still(state: {value})\n  !first && !holds_still(state: {})",
                domain.variant(0)
            ),
        ),
        _ => (
            "a_state_has_its_label_and_its_weight".to_owned(),
            format!(
                "{snake}_label(state: {value}) == \"{}\"\n    && {snake}_weight(state: {value}) == {}\n    && {snake}_budgets() == {}",
                domain.label(state),
                domain.weight(state, count),
                fixtures.iter().map(|r| r.budget).sum::<usize>(),
            ),
        ),
    };
    let helper = if index == WITNESSES - 1 {
        format!(
            "fn {snake}_budgets() -> Int {{\n  fold([fixture_1, fixture_2, fixture_3, fixture_4], 0, (sum, row) => sum + row.budget)\n}}\n\n"
        )
    } else {
        String::new()
    };
    format!("{helper}test fn {name}() -> Bool {{\n  {body}\n}}\n")
}
