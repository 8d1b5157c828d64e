//! Texts that are broken at random, and texts that are large or deep: a check
//! says what is wrong and ends; it never panics, and a sound program is whole.
#![allow(clippy::unwrap_used)] // a test that cannot read its files has failed

mod common;

use common::{check_files, codes_of, sound, sound_files};
use dag_analysis::core::Expr;
use dag_syntax::{SourceId, Style, Token, lex, render_text};
use std::time::{Duration, Instant};

/// A small generator of numbers (xorshift64*), so that every run is the same.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        number as usize % end.max(1)
    }
}

/// Modules that stand together, each (path, text).
fn projects() -> Vec<Vec<(String, String)>> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
    let read = |folder: &str| -> Vec<(String, String)> {
        let mut files: Vec<(String, String)> = std::fs::read_dir(format!("{root}{folder}"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|e| e == "dag"))
            .map(|path| {
                let text = std::fs::read_to_string(&path).unwrap();
                let name = path.file_name().unwrap().to_string_lossy().into_owned();
                (format!("{folder}/{name}"), text)
            })
            .collect();
        files.sort();
        files
    };
    let dialect = [read("tests/dialect"), read("lib/host")]
        .concat()
        .into_iter()
        .filter(|(path, _)| path.starts_with("tests") || path.ends_with("roster.dag"))
        .collect();
    vec![
        dialect,
        read("lib/systemd"),
        read("lib/github"),
        read("lib/text"),
        read("lib/std"),
    ]
}

/// The text with a few tokens or lines dropped, doubled, swapped or replaced.
fn broken(text: &str, numbers: &mut Numbers) -> String {
    let mut pieces: Vec<String> = if numbers.below(2) == 0 {
        text.split_inclusive('\n').map(str::to_owned).collect()
    } else {
        let (tokens, _) = lex(SourceId(0), text);
        (0..tokens.len())
            .filter(|i| tokens.kind(*i) != Token::End)
            .map(|i| {
                let span = tokens.span(i);
                text[span.start as usize..span.end as usize].to_owned()
            })
            .collect()
    };
    for _ in 0..=numbers.below(3) {
        if pieces.is_empty() {
            break;
        }
        let (a, b) = (numbers.below(pieces.len()), numbers.below(pieces.len()));
        match numbers.below(5) {
            0 => drop(pieces.remove(a)),
            1 => pieces.insert(a, pieces[b].clone()),
            2 => pieces.swap(a, b),
            3 => pieces[a] = pieces[b].clone(),
            _ => {
                let odd = [
                    "}",
                    "(",
                    "\"",
                    "{",
                    "none",
                    " Reading { }",
                    "=>",
                    ".",
                    "\n",
                    "-",
                    "T?",
                ];
                pieces.insert(a, odd[numbers.below(odd.len())].to_owned());
            }
        }
    }
    pieces.concat()
}

#[test]
fn a_module_broken_at_random_is_only_refused() {
    let projects = projects();
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    for case in 0..500 {
        // The dialect's own modules most often: they are small and use all of it.
        let project = &projects[if case % 3 == 0 {
            numbers.below(projects.len())
        } else {
            0
        }];
        let victim = numbers.below(project.len());
        let text = broken(&project[victim].1, &mut numbers);
        let files: Vec<(&str, &str)> = project
            .iter()
            .enumerate()
            .map(|(i, (path, whole))| {
                (
                    path.as_str(),
                    if i == victim { text.as_str() } else { whole },
                )
            })
            .collect();
        let start = Instant::now();
        let (checked, sources) = check_files(&files);
        assert!(
            start.elapsed() < Duration::from_secs(20),
            "case {case}:\n{text}"
        );
        for diagnostic in &checked.diagnostics {
            let shown = render_text(diagnostic, &sources, Style::Plain);
            assert!(shown.lines().count() <= 12, "case {case}:\n{shown}");
        }
        if checked.is_sound() {
            for module in &checked.program.modules {
                assert!(
                    !module.body.exprs.contains(&Expr::Invalid),
                    "case {case}:\n{text}"
                );
                for decl in &module.decls {
                    assert!(
                        decl.body.is_some() || decl.intrinsic.is_some(),
                        "case {case}:\n{text}"
                    );
                }
            }
        }
    }
}

/// Far more than any of these takes, and far less than a quadratic one would.
fn soon(what: &str, work: impl FnOnce()) {
    let start = Instant::now();
    work();
    let took = start.elapsed();
    assert!(took < Duration::from_secs(20), "{what} took {took:?}");
}

#[test]
fn a_long_block_is_checked() {
    let lets: String = (1..=100_000)
        .map(|i| format!("  let x{i} = x{} + 1\n", i - 1))
        .collect();
    soon("lets", || {
        sound(&format!(
            "module m\nfn f(x0: Int) -> Int {{\n{lets}  x100000\n}}\n"
        ))
    });
    let far: String = (1..=50_000)
        .map(|i| format!("  let x{i} = x0 + x{}\n", i / 2))
        .collect();
    soon("names from afar", || {
        sound(&format!(
            "module m\nfn f(x0: Int) -> Int {{\n{far}  x50000\n}}\n"
        ))
    });
    let statements: String = (0..100_000).map(|i| format!("  x + {i}\n")).collect();
    soon("statements", || {
        sound(&format!(
            "module m\nfn f(x: Int) -> Int {{\n{statements}  x\n}}\n"
        ))
    });
}

#[test]
fn a_long_list_is_checked() {
    let numbers: String = (0..100_000).map(|i| format!("  {i}\n")).collect();
    soon("numbers", || {
        sound(&format!("module m\ndata xs: List<Int> = [\n{numbers}]\n"))
    });
    soon("inferred", || {
        sound(&format!(
            "module m\nfn f() -> Int {{\n  let xs = [\n{numbers}  ]\n  count(xs)\n}}\n"
        ))
    });
    let records: String = (0..20_000)
        .map(|i| format!("  T {{ name: \"n{i}\", tags: [\"a\", \"b\"], next: none }}\n"))
        .collect();
    soon("records", || {
        sound(&format!(
            "module m\ntype T {{ name: NonEmptyStr, tags: List<String>, next: Int? }}\ndata xs: List<T> = [\n{records}]\n"
        ))
    });
}

#[test]
fn a_module_of_many_functions_is_checked() {
    let functions: String = (1..=20_000)
        .map(|i| format!("fn f{i}(x: Int) -> Int = f{}(x: x) + 1\n\n", i - 1))
        .collect();
    soon("functions", || {
        sound(&format!(
            "module m\nfn f0(x: Int) -> Int = x\n\n{functions}"
        ))
    });
    let types: String = (1..=20_000)
        .map(|i| format!("type T{i} {{ a: T{}?, b: Int }}\n", i - 1))
        .collect();
    soon("types", || {
        sound(&format!("module m\ntype T0 {{ a: Int }}\n{types}"))
    });
    // Declared the other way round.
    let types: String = (0..20_000)
        .map(|i| format!("type T{i} {{ a: T{} }}\n", i + 1))
        .collect();
    soon("types", || {
        sound(&format!("module m\n{types}type T20000 {{ a: Int }}\n"))
    });
    let fields: String = (0..5_000).map(|i| format!("  f{i}: Int\n")).collect();
    let inits: String = (0..5_000).map(|i| format!("  f{i}: {i}\n")).collect();
    soon("fields", || {
        sound(&format!(
            "module m\ntype R {{\n{fields}}}\ndata r: R = R {{\n{inits}}}\n"
        ))
    });
}

#[test]
fn unknown_names_without_number_are_reported() {
    let functions: String = (0..5_000)
        .map(|i| format!("fn f{i}(x: Int) -> Int = lost{i}(x)\n\n"))
        .collect();
    let text = format!("module m\n{functions}");
    soon("unknown", || {
        assert_eq!(check_files(&[("m.dag", &text)]).0.diagnostics.len(), 5_000)
    });
    let imports: String = (0..5_000).map(|i| format!("import lost.m{i}\n")).collect();
    let text = format!("module m\n{imports}");
    soon("imports", || {
        assert_eq!(check_files(&[("m.dag", &text)]).0.diagnostics.len(), 5_000)
    });
    let items: String = (0..5_000)
        .map(|i| format!("fn f{i}(x: Int) -> Int = x;\n\n"))
        .collect();
    let text = format!("module m\n{items}");
    soon("characters", || {
        assert_eq!(check_files(&[("m.dag", &text)]).0.diagnostics.len(), 5_000)
    });
    let open: String = (0..20_000).map(|_| "  f(\n".to_owned()).collect();
    let text = format!("module m\nfn f() -> Int {{\n{open}}}\n");
    soon("brackets", || {
        assert!(!codes_of(&[("m.dag", &text)]).is_empty())
    });
}

#[test]
fn a_long_text_is_checked() {
    let text = "x".repeat(10 << 20);
    soon("string", || {
        sound(&format!("module m\ndata s: String = \"{text}\"\n"))
    });
    let text = "x\\n".repeat(3 << 20);
    soon("escapes", || {
        sound(&format!("module m\ndata s: NonEmptyStr = \"{text}\"\n"))
    });
    let line = "// a line of it\n".repeat(100_000);
    soon("annotation", || {
        sound(&format!("module m\n\n{line}fn f() -> Int = 1\n"))
    });
    let blocks: String = (0..20_000)
        .map(|i| format!("// of f{i}\nfn f{i}() -> Int = 1\n\n"))
        .collect();
    soon("annotations", || sound(&format!("module m\n\n{blocks}")));
    let holes = "{x}".repeat(50_000);
    soon("holes", || {
        sound(&format!("module m\nfn f(x: Int) -> String = \"{holes}\"\n"))
    });
    // A mistake behind a long line is still shown short.
    let text = format!("module m\ndata s: Int = \"{}\"\n", "x".repeat(100_000));
    let shown = common::errors_of(&[("m.dag", &text)]);
    assert!(shown.len() < 3_000, "{}", shown.len());
}

#[test]
fn a_long_chain_of_imports_and_a_deep_diamond_are_checked() {
    let chain: Vec<(String, String)> = (0..5_000)
        .map(|i: usize| {
            let text = match i.checked_sub(1) {
                None => "module c0\nfn f0() -> Int = 1\n".to_owned(),
                Some(before) => format!(
                    "module c{i}\nimport c{before} {{ f{before} }}\nfn f{i}() -> Int = f{before}() + c0.f0()\n"
                ),
            };
            (format!("c{i}.dag"), text)
        })
        .collect();
    let files: Vec<(&str, &str)> = chain
        .iter()
        .map(|(p, t)| (p.as_str(), t.as_str()))
        .collect();
    soon("chain", || sound_files(&files));
    let mut diamond = vec![(
        "d0.dag".to_owned(),
        "module d0\ndata x0: Int = 1\n".to_owned(),
    )];
    for layer in 1..=24 {
        for side in ["l", "r"] {
            let import = if layer == 1 {
                "import d0\n".to_owned()
            } else {
                format!("import l{0}\nimport r{0}\n", layer - 1)
            };
            diamond.push((
                format!("{side}{layer}.dag"),
                format!("module {side}{layer}\n{import}data x: Int = d0.x0\n"),
            ));
        }
    }
    let files: Vec<(&str, &str)> = diamond
        .iter()
        .map(|(p, t)| (p.as_str(), t.as_str()))
        .collect();
    soon("diamond", || sound_files(&files));
}
