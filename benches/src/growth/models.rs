//! The models of the dimensions: each as large as it is told, and otherwise as small as can be.

use crate::files::File;
use std::fmt::Write as _;

pub(super) fn modules(size: usize) -> Vec<File> {
    (0..size)
        .map(|i| {
            let import = if i == 0 {
                String::new()
            } else {
                format!("import growth.m{} {{ f{} }}\n\n", i / 2, i / 2)
            };
            let body = if i == 0 {
                "n".to_owned()
            } else {
                format!("f{}(n: n) + {i}", i / 2)
            };
            let text =
                format!("module growth.m{i}\n\n{import}fn f{i}(n: Int) -> Int {{\n  {body}\n}}\n");
            File::new(format!("m{i}.dag"), text)
        })
        .collect()
}

pub(super) fn declarations(size: usize) -> Vec<File> {
    let mut text = String::from("module growth.declarations\n");
    for i in 0..size {
        let _ = write!(
            text,
            "\ntype T{i} {{ count: Int, name: String }}\n\nfn f{i}(t: T{i}) -> Int {{\n  t.count + {i}\n}}\n"
        );
    }
    vec![File::new("declarations.dag", text)]
}

pub(super) fn recursive(size: usize) -> Vec<File> {
    let mut text = String::from("module growth.recursive\n");
    for i in 0..size {
        let _ = write!(
            text,
            "\nfn f{i}(n: Nat) -> Int {{\n  if n == 0 {{\n    0\n  }} else {{\n    f{i}(n - 1) + 1\n  }}\n}}\n"
        );
    }
    vec![File::new("recursive.dag", text)]
}

pub(super) fn unused(size: usize) -> Vec<File> {
    let mut given = String::from("module growth.given\n");
    let mut text = String::from("module growth.unused\n\nimport growth.given {\n");
    for i in 0..size {
        let _ = write!(given, "\ndata d{i}: Int = {i}\n");
        let _ = writeln!(text, "  d{i}");
    }
    text.push_str("}\n");
    vec![File::new("given.dag", given), File::new("unused.dag", text)]
}

pub(super) fn unknown(size: usize) -> Vec<File> {
    let mut text = String::from("module growth.unknown\n");
    for i in 0..size {
        let _ = write!(text, "\ndata d{i}: Int = nobody{i}\n");
    }
    vec![File::new("unknown.dag", text)]
}

pub(super) fn unmatched(size: usize) -> Vec<File> {
    let mut text = String::from("module growth.unmatched\n\ntype Light\n  = On\n  | Off\n");
    for i in 0..size {
        let _ = write!(
            text,
            "\nfn f{i}(light: Light) -> Int {{\n  match light {{\n    On => {i}\n  }}\n}}\n"
        );
    }
    vec![File::new("unmatched.dag", text)]
}

pub(super) fn items(size: usize) -> Vec<File> {
    let mut text = String::from("module growth.items\n\ndata items: List<Int> = [\n");
    for i in 0..size {
        let _ = writeln!(text, "  {i}");
    }
    vec![File::new("items.dag", text + "]\n")]
}

pub(super) fn arms(size: usize) -> Vec<File> {
    let mut text = String::from("module growth.arms\n\ntype Case\n");
    for i in 0..size {
        let _ = writeln!(
            text,
            "  {} Case{i} {{ n: Int }}",
            if i == 0 { '=' } else { '|' }
        );
    }
    text.push_str("\nfn number(case: Case) -> Int {\n  match case {\n");
    for i in 0..size {
        let _ = writeln!(text, "    Case{i} {{ n }} => n + {i}");
    }
    vec![File::new("arms.dag", text + "  }\n}\n")]
}

pub(super) fn text_arms(size: usize) -> Vec<File> {
    let mut text = String::from(
        "module growth.text_arms\n\nfn number(text: String) -> Int {\n  match text {\n",
    );
    for i in 0..size {
        let _ = writeln!(text, "    \"case {i}\" => {i}");
    }
    vec![File::new("text_arms.dag", text + "    _ => 0\n  }\n}\n")]
}

pub(super) fn characters(size: usize) -> Vec<File> {
    let text = "all work and no play ".repeat(size / 21);
    vec![File::new(
        "characters.dag",
        format!("module growth.characters\n\ndata text: String = \"{text}\"\n"),
    )]
}

pub(super) fn lines(size: usize) -> Vec<File> {
    let text = "a line of its own\n".repeat(size);
    vec![File::new(
        "lines.dag",
        format!("module growth.lines\n\ndata text: String = \"{text}\"\n"),
    )]
}

fn witness(body: &str) -> Vec<File> {
    let text = format!("module growth.walk_test\n\ntest fn it_holds() -> Bool {{\n  {body}\n}}\n");
    vec![File::new("walk_test.dag", text)]
}

pub(super) fn folded(size: usize) -> Vec<File> {
    witness(&format!(
        "fold(range(0, {size}), 0, (sum, n) => sum + n % 7) > 0"
    ))
}

pub(super) fn appended(size: usize) -> Vec<File> {
    witness(&format!(
        "length(fold(range(0, {size}), [], (all, n) => append(all, n))) == {size}"
    ))
}

pub(super) fn distinct(size: usize) -> Vec<File> {
    witness(&format!(
        "length(dedup(sort(map(range(0, {size}), n => n * 7919 % {size})))) > 0"
    ))
}

pub(super) fn lengthened(size: usize) -> Vec<File> {
    witness(&format!(
        "string_length(fold(range(0, {size}), \"\", (all, n) => concat(all, \"ab\"))) == {}",
        2 * size
    ))
}

pub(super) fn replaced(size: usize) -> Vec<File> {
    witness(&format!(
        "length(split(replace(repeat(\"a-b.\", {}), \"-\", \"--\"), \".\")) == {}",
        size / 4,
        size / 4 + 1
    ))
}
