//! Texts that are broken at random, and texts that are large or deep: a check
//! says what is wrong and ends; it never panics, and a sound program is whole.
#![allow(clippy::unwrap_used)] // a test that cannot read its files has failed

mod common;

use common::{checked, codes_of, sound};
use dag_analysis::Checked;
use dag_analysis::core::Expr;
use dag_syntax::{SourceId, Style, Token, lex, render_text};

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
    let needed = ["roster.dag", "measure.dag"];
    let dialect = [read("tests/dialect"), read("lib/host"), read("lib/std")]
        .concat()
        .into_iter()
        .filter(|(path, _)| {
            path.starts_with("tests") || needed.iter().any(|name| path.ends_with(name))
        })
        .collect();
    vec![
        dialect,
        read("lib/systemd"),
        read("lib/github"),
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
        let (checked, sources) = checked(&files);
        for diagnostic in &checked.diagnostics {
            let shown = render_text(diagnostic, &sources, Style::Plain);
            assert!(shown.lines().count() <= 12, "case {case}:\n{shown}");
        }
        if checked.is_sound() {
            for module in checked.program.modules.iter() {
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

/// Checks a model of a size and one of twice that size. The second may take twice the steps of the
/// first, and a little for what grows like a logarithm.
fn in_proportion<F: AsRef<str>>(
    what: &str,
    size: usize,
    model: impl Fn(usize) -> Vec<(String, F)>,
    expect: impl Fn(&Checked, usize),
) {
    let steps = |size: usize| {
        let model = model(size);
        let files = model.iter();
        let files: Vec<(&str, &str)> = files.map(|(p, t)| (p.as_str(), t.as_ref())).collect();
        let (checked, _) = checked(&files);
        expect(&checked, size);
        checked.work.steps
    };
    // What the library takes by itself.
    let library = checked(&[]).0.work.steps;
    let (once, twice) = (steps(size) - library, steps(2 * size) - library);
    assert!(once > 0, "{what}: nothing was counted");
    assert!(
        twice <= 2 * once + once / 10,
        "{what}: {once} steps for {size}, {twice} for twice as many"
    );
}

fn stands(checked: &Checked, _: usize) {
    assert_eq!(checked.diagnostics, []);
}

/// One module that stands, of these sizes.
fn stands_in_proportion(what: &str, size: usize, text: impl Fn(usize) -> String) {
    in_proportion(what, size, |n| vec![("m.dag".to_owned(), text(n))], stands);
}

/// One module with as many mistakes as its size is.
fn refused_in_proportion(what: &str, size: usize, text: impl Fn(usize) -> String) {
    let mistakes = |checked: &Checked, n: usize| assert_eq!(checked.diagnostics.len(), n);
    in_proportion(
        what,
        size,
        |n| vec![("m.dag".to_owned(), text(n))],
        mistakes,
    );
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

#[test]
fn a_long_block_is_checked() {
    stands_in_proportion("lets", 50_000, |n| {
        let lets = lines(n, |i| format!("  let x{} = x{i} + 1\n", i + 1));
        format!("module m\nfn f(x0: Int) -> Int {{\n{lets}  x{n}\n}}\n")
    });
    stands_in_proportion("names from afar", 25_000, |n| {
        let far = lines(n, |i| {
            format!("  let x{} = x0 + x{}\n", i + 1, i.div_ceil(2))
        });
        format!("module m\nfn f(x0: Int) -> Int {{\n{far}  x{n}\n}}\n")
    });
    stands_in_proportion("statements", 50_000, |n| {
        let statements = lines(n, |i| format!("  if x < {i} {{ return x }}\n"));
        format!("module m\nfn f(x: Int) -> Int {{\n{statements}  x\n}}\n")
    });
    refused_in_proportion("statements that nobody uses", 25_000, |n| {
        let statements = lines(n, |i| format!("  x + {i}\n"));
        format!("module m\nfn f(x: Int) -> Int {{\n{statements}  x\n}}\n")
    });
}

#[test]
fn a_long_list_is_checked() {
    stands_in_proportion("numbers", 50_000, |n| {
        let numbers = lines(n, |i| format!("  {i}\n"));
        format!("module m\ndata xs: List<Int> = [\n{numbers}]\n")
    });
    stands_in_proportion("inferred", 50_000, |n| {
        let numbers = lines(n, |i| format!("  {i}\n"));
        format!("module m\nfn f() -> Int {{\n  let xs = [\n{numbers}  ]\n  count(xs)\n}}\n")
    });
    stands_in_proportion("records", 10_000, |n| {
        let records = lines(n, |i| {
            format!("  T {{ name: \"n{i}\", tags: [\"a\", \"b\"], next: none }}\n")
        });
        format!(
            "module m\ntype T {{ name: NonEmptyStr, tags: List<String>, next: Int? }}\ndata xs: List<T> = [\n{records}]\n"
        )
    });
}

#[test]
fn a_match_of_many_arms_is_checked() {
    stands_in_proportion("variants", 500, |n| {
        let variants = lines(n, |i| format!("  | V{i} {{ n: Int }}\n"));
        let arms = lines(n, |i| format!("  V{i} {{ n }} => n\n"));
        format!("module m\ntype T =\n{variants}\nfn f(t: T) -> Int = match t {{\n{arms}}}\n")
    });
}

#[test]
fn a_module_of_many_functions_is_checked() {
    stands_in_proportion("functions", 10_000, |n| {
        let functions = lines(n, |i| {
            format!("fn f{}(x: Int) -> Int = f{i}(x: x) + 1\n\n", i + 1)
        });
        format!("module m\nfn f0(x: Int) -> Int = x\n\n{functions}")
    });
    // A value of each, so that there is something to be worked out.
    let value = |n: usize| format!("fn f(t: T{n}) -> Int = 1\n");
    stands_in_proportion("types", 10_000, |n| {
        let types = lines(n, |i| {
            format!(
                "type T{} {{ a: T{i}?, b: Int }}\n\nfn b{i}(t: T{i}) -> Int = t.b\n",
                i + 1
            )
        });
        format!("module m\ntype T0 {{ b: Int }}\n{types}{}", value(n))
    });
    // Declared the other way round.
    stands_in_proportion("types", 10_000, |n| {
        let types = lines(n, |i| {
            format!(
                "fn b{i}(t: T{i}) -> T{0} = t.a\n\ntype T{i} {{ a: T{0} }}\n",
                i + 1
            )
        });
        format!("module m\n{types}type T{n} {{ a: Int }}\n{}", value(n))
    });
    stands_in_proportion("fields", 2_500, |n| {
        let fields = lines(n, |i| format!("  f{i}: Int\n"));
        let inits = lines(n, |i| format!("  f{i}: {i}\n"));
        format!("module m\ntype R {{\n{fields}}}\ndata r: R = R {{\n{inits}}}\n")
    });
}

#[test]
fn unknown_names_without_number_are_reported() {
    refused_in_proportion("unknown", 2_500, |n| {
        let functions = lines(n, |i| format!("fn f{i}(x: Int) -> Int = lost{i}(x)\n\n"));
        format!("module m\n{functions}")
    });
    refused_in_proportion("characters", 2_500, |n| {
        let items = lines(n, |i| format!("fn f{i}(x: Int) -> Int = x;\n\n"));
        format!("module m\n{items}")
    });
    // These are parsed and ordered, and leave nothing to be counted in steps.
    let imports = lines(5_000, |i| format!("import lost.m{i}\n"));
    let text = format!("module m\n{imports}");
    assert_eq!(checked(&[("m.dag", &text)]).0.diagnostics.len(), 5_000);
    let open = lines(20_000, |_| "  f(\n".to_owned());
    let text = format!("module m\nfn f() -> Int {{\n{open}}}\n");
    assert!(!codes_of(&[("m.dag", &text)]).is_empty());
}

#[test]
fn a_long_text_is_checked() {
    // One token each: what grows with them is the lexer's alone.
    let text = "x".repeat(10 << 20);
    sound(&format!("module m\ndata s: String = \"{text}\"\n"));
    let text = "x\\n".repeat(3 << 20);
    sound(&format!("module m\ndata s: NonEmptyStr = \"{text}\"\n"));
    let line = "// a line of it\n".repeat(100_000);
    sound(&format!("module m\n\n{line}fn f() -> Int = 1\n"));
    stands_in_proportion("annotations", 10_000, |n| {
        let blocks = lines(n, |i| format!("// of f{i}\nfn f{i}() -> Int = 1\n\n"));
        format!("module m\n\n{blocks}")
    });
    stands_in_proportion("holes", 25_000, |n| {
        let holes = "{x}".repeat(n);
        format!("module m\nfn f(x: Int) -> String = \"{holes}\"\n")
    });
    // A mistake behind a long line is still shown short.
    let text = format!("module m\ndata s: Int = \"{}\"\n", "x".repeat(100_000));
    let shown = common::errors_of(&[("m.dag", &text)]);
    assert!(shown.len() < 3_000, "{}", shown.len());
}

#[test]
fn a_long_chain_of_imports_and_a_deep_diamond_are_checked() {
    let chain = |n: usize| -> Vec<(String, String)> {
        let module = |i: usize| match i.checked_sub(1) {
            None => "module c0\nfn f0() -> Int = 1\n".to_owned(),
            Some(before) => format!(
                "module c{i}\nimport c{before} {{ f{before} }}\nfn f{i}() -> Int = f{before}() + c0.f0()\n"
            ),
        };
        (0..n).map(|i| (format!("c{i}.dag"), module(i))).collect()
    };
    in_proportion("chain", 2_500, chain, stands);
    let diamond = |layers: usize| -> Vec<(String, String)> {
        let mut files = vec![("d0.dag".into(), "module d0\ndata x0: Int = 1\n".into())];
        for layer in 1..=layers {
            for side in ["l", "r"] {
                let import = match layer {
                    1 => "import d0\n".to_owned(),
                    _ => format!("import l{0}\nimport r{0}\n", layer - 1),
                };
                files.push((
                    format!("{side}{layer}.dag"),
                    format!("module {side}{layer}\n{import}data x: Int = d0.x0\n"),
                ));
            }
        }
        files
    };
    in_proportion("diamond", 12, diamond, |checked, layers| {
        stands(checked, layers);
        // Each once, however many ways lead to it.
        let library = common::checked(&[]).0.work.checked;
        assert_eq!(checked.work.checked - library, 2 * layers as u64 + 1);
    });
}
