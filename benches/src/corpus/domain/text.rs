//! The text of a module of the corpus.

use super::{Domain, Payload};
use crate::corpus::prose::{remark, sentence};
use crate::corpus::random::Random;
use std::fmt::Write as _;

impl Domain {
    /// The pattern of a variant; `bind` keeps a count.
    fn pattern(&self, state: usize, bind: bool) -> String {
        let variant = self.variant(state);
        match self.states[state].payload {
            Payload::Nothing => variant,
            Payload::Count if bind => format!("{variant} {{ count }}"),
            Payload::Count => format!("{variant} {{ count: _ }}"),
            Payload::Reason => format!("{variant} {{ reason: _ }}"),
            Payload::Since => format!("{variant} {{ since: _ }}"),
        }
    }

    /// The module's text.
    pub(crate) fn text(&self, all: &[Domain], random: &mut Random) -> String {
        let mut out = String::new();
        self.types(all, random, &mut out);
        self.functions(all, random, &mut out);
        self.table(all, &mut out);
        let facts = self.facts(out.lines().count(), random);
        out.push_str(&facts);
        self.head(all, &facts, random) + &out
    }

    fn head(&self, all: &[Domain], facts: &str, random: &mut Random) -> String {
        let mut out = String::new();
        let _ = writeln!(out, "module {}", self.name.module());
        let _ = writeln!(
            out,
            "// The {}: its states, its faults and its table.",
            self.name.words()
        );
        for _ in 0..random.between(1, 5) {
            let _ = writeln!(out, "// {}", remark(random));
        }
        out.push_str("\nimport std.measure { Seconds, seconds }\n");
        let sources: String = ["Decided", "Documented", "Measured"]
            .iter()
            .filter(|s| facts.contains(&format!("source: {s} ")))
            .map(|s| format!(", {s}"))
            .collect();
        let _ = writeln!(out, "import corpus.facts {{ Fact, sureness{sources} }}");
        for import in &self.imports {
            let other = &all[*import];
            let (camel, snake) = (other.name.camel(), other.name.snake());
            let _ = writeln!(
                out,
                "import {} {{\n  {camel}Fault, {camel}State, {}\n  {snake}_fault_text, {snake}_weight\n}}",
                other.name.module(),
                other.variant(0),
            );
        }
        out
    }

    fn types(&self, all: &[Domain], random: &mut Random, out: &mut String) {
        let (camel, words) = (self.name.camel(), self.name.words());
        let _ = write!(
            out,
            "\n// {}\ntype {camel}Key = String where pattern(\"[a-z][a-z0-9-]*\")\n\n\
             // {}\ntype {camel}Count = Int where range(min: 0, max: {})\n",
            remark(random),
            remark(random),
            1_000 + random.between(0, 9_000),
        );
        let _ = write!(
            out,
            "\n// The states of a {words}.\n// {}\ntype {camel}State",
            remark(random)
        );
        for (index, state) in self.states.iter().enumerate() {
            let sign = if index == 0 { '=' } else { '|' };
            let payload = match state.payload {
                Payload::Nothing => String::new(),
                Payload::Count => format!(" {{ count: {camel}Count }}"),
                Payload::Reason => " { reason: NonEmptyStr }".to_owned(),
                Payload::Since => " { since: Seconds }".to_owned(),
            };
            let _ = write!(out, "\n  {sign} {}{payload}", self.variant(index));
        }
        let _ = write!(
            out,
            "\n\n// What goes wrong with a {words}, or with what it needs.\ntype {camel}Fault\n  \
             = {camel}Missing {{ key: {camel}Key }}\n  | {camel}Overdrawn {{ wanted: {camel}Count, left: {camel}Count }}"
        );
        for import in &self.imports {
            let other = all[*import].name.camel();
            let _ = write!(out, "\n  | {camel}From{other} {{ fault: {other}Fault }}");
        }
        let _ = write!(
            out,
            "\n\n// {}\ntype {camel}Policy\n  = {camel}Strict\n  | {camel}Lenient\n  | {camel}Deferred\n",
            remark(random),
        );
        let _ = write!(
            out,
            "\ntype {camel} {{\n  key: {camel}Key\n  state: {camel}State\n  budget: {camel}Count\n  pause: Seconds\n  \
             policy: {camel}Policy\n  note: String?\n"
        );
        for import in &self.imports {
            let other = &all[*import].name;
            let _ = writeln!(out, "  {}: {}State", other.snake(), other.camel());
        }
        let _ = write!(
            out,
            "}}\n\n// {}\ntype {camel}Tally {{ seen: Nat, weight: Int, budget: Int, calm: List<{camel}Key> }}\n",
            remark(random),
        );
    }

    fn functions(&self, all: &[Domain], random: &mut Random, out: &mut String) {
        let (camel, snake) = (self.name.camel(), self.name.snake());
        let _ = write!(
            out,
            "\n// {}\nfn {snake}_label(state: {camel}State) -> String {{\n  match state {{\n",
            remark(random),
        );
        for state in 0..self.states.len() {
            let _ = writeln!(
                out,
                "    {} => \"{}\"",
                self.pattern(state, false),
                self.label(state)
            );
        }
        let _ = write!(
            out,
            "  }}\n}}\n\n// {}\nfn {snake}_weight(state: {camel}State) -> Int {{\n  match state {{\n",
            remark(random),
        );
        for (index, state) in self.states.iter().enumerate() {
            let more = if state.payload == Payload::Count {
                " + count"
            } else {
                ""
            };
            let _ = writeln!(
                out,
                "    {} => {}{more}",
                self.pattern(index, true),
                state.weight
            );
        }
        let _ = write!(
            out,
            "  }}\n}}\n\n// {}\nfn {snake}_next(state: {camel}State) -> {camel}State {{\n  match state {{\n",
            remark(random),
        );
        for (index, state) in self.states.iter().enumerate() {
            let next = (index + 1) % self.states.len();
            let value =
                if state.payload == Payload::Count && self.states[next].payload == Payload::Count {
                    format!("{} {{ count: count }}", self.variant(next))
                } else {
                    self.state_value(next, 1 + index)
                };
            let bind = value.contains("count: count }");
            let _ = writeln!(out, "    {} => {value}", self.pattern(index, bind));
        }
        let _ = write!(
            out,
            "  }}\n}}\n\nfn {snake}_fault_text(fault: {camel}Fault) -> String {{\n  match fault {{\n    \
             {camel}Missing {{ key }} => \"{}: nothing at {{key}}\"\n    \
             {camel}Overdrawn {{ wanted, left }} => \"{}: {{wanted}} wanted, {{left}} left\"\n",
            self.name.words(),
            self.name.words(),
        );
        for import in &self.imports {
            let other = &all[*import].name;
            let _ = writeln!(
                out,
                "    {camel}From{} {{ fault: inner }} => {}_fault_text(fault: inner)",
                other.camel(),
                other.snake(),
            );
        }
        let _ = write!(
            out,
            "  }}\n}}\n\n\
             fn {snake}_calm(row: {camel}) -> Bool {{\n  match row.policy {{\n    \
             {camel}Strict => row.budget > 0 && {snake}_weight(state: row.state) < {}\n    \
             {camel}Lenient => row.budget > 0\n    {camel}Deferred => false\n  }}\n}}\n\n",
            random.between(20, 60),
        );
        let _ = write!(
            out,
            "// What a {} weighs together with what it needs.\n\
             fn {snake}_load(row: {camel}) -> Int {{\n  {snake}_weight(state: row.state) + row.budget",
            self.name.words(),
        );
        for import in &self.imports {
            let other = all[*import].name.snake();
            let _ = write!(out, "\n    + {other}_weight(state: row.{other})");
        }
        let _ = write!(
            out,
            "\n}}\n\n\
             fn {snake}_count(tally: {camel}Tally, row: {camel}) -> {camel}Tally {{\n  {camel}Tally {{\n    \
             seen: tally.seen + 1\n    weight: tally.weight + {snake}_weight(state: row.state)\n    \
             budget: tally.budget + row.budget\n    calm: if {snake}_calm(row: row) {{ append(tally.calm, row.key) }} else {{ tally.calm }}\n  }}\n}}\n\n\
             // {}\nfn {snake}_tally(rows: List<{camel}>) -> {camel}Tally {{\n  fold(\n    rows,\n    \
             init: {camel}Tally {{ seen: 0, weight: 0, budget: 0, calm: [] }},\n    \
             f: (tally, row) => {snake}_count(tally: tally, row: row),\n  )\n}}\n\n",
            remark(random),
        );
        let _ = write!(
            out,
            "fn {snake}_describe(row: {camel}) -> String {{\n  let label = {snake}_label(state: row.state)\n  \
             let note = match row.note {{\n    Present {{ value }} => \" ({{value}})\"\n    Absent => \"\"\n  }}\n  \
             \"{{row.key}}: {{label}}, budget {{row.budget}}{{note}}\"\n}}\n\n\
             fn {snake}_at(key: {camel}Key) -> {camel}? {{\n  first(filter({snake}_table, row => row.key == key))\n}}\n\n\
             // The table's sure facts, by their keys.\n\
             fn {snake}_sure(least: Int) -> List<String> {{\n  {snake}_facts\n    \
             |> filter(fact => sureness(fact: fact) >= least)\n    |> map(fact => fact.key)\n}}\n",
        );
    }

    fn table(&self, all: &[Domain], out: &mut String) {
        let _ = write!(
            out,
            "\n// One row for each {} that is in use.\ndata {}_table: List<{}> = [\n",
            self.name.words(),
            self.name.snake(),
            self.name.camel(),
        );
        for row in &self.rows {
            let _ = writeln!(out, "  {}", self.row_value(row, all, "  "));
        }
        out.push_str("]\n");
    }

    fn facts(&self, above: usize, random: &mut Random) -> String {
        let mut out = String::new();
        let _ = write!(
            out,
            "\n// What is known of the {}, and from where.\ndata {}_facts: List<Fact> = [\n",
            self.name.words(),
            self.name.snake(),
        );
        let mut lines = above + 10;
        let mut number = 1;
        while number <= 1 || lines < self.lines {
            let source = match random.between(0, 2) {
                0 => format!("Measured {{ runs: {} }}", random.between(0, 9)),
                1 => format!(
                    "Documented {{ place: \"section {}\" }}",
                    random.between(1, 40)
                ),
                _ => "Decided { by: \"the owners\" }".to_owned(),
            };
            let note: Vec<String> = (0..random.between(2, 9))
                .map(|_| sentence(random))
                .collect();
            let _ = write!(
                out,
                "  Fact {{\n    key: \"{}-{number}\"\n    note: \"{}\"\n    source: {source}\n  }}\n",
                self.name.snake(),
                note.join("\n"),
            );
            lines += 4 + note.len();
            number += 1;
        }
        out.push_str("]\n");
        out
    }
}
