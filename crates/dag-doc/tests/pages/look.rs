//! What stands on a page, and its frame.

use crate::{SHOP, TEST, main_of, page, texts};
use dag_doc::{Model, Page, html, markdown};
use expect_test::expect;

fn model() -> Model {
    Model::read(
        "shop",
        &texts(&[("stock.dag", SHOP), ("stock_test.dag", TEST)]),
    )
}

fn shop() -> Vec<Page> {
    html(&model())
}

#[test]
fn a_page_shows_what_a_module_declares() {
    let page = page(&shop(), "modules/shop.stock.html");
    expect![[r##"
        <main id="content" tabindex="-1">
        <h1>Module <code>shop.stock</code>
        </h1>
        <p class="place">stock.dag</p>
        <p>What is <em>sold</em>. See <a href="shop.stock.html#type.Item">
        <code>Item</code>
        </a>, <a href="shop.stock.html#fn.sold">
        <code>sold</code>
        </a> and <a href="std.types.html#type.Nat">
        <code>std.types.Nat</code>
        </a>.</p>
        <p>Imports <code>std.measure</code>.</p>
        <section class="item" aria-labelledby="type.Item">
        <h2 id="type.Item">
        <span class="kind">type</span> <code>Item</code> <a class="anchor" href="#type.Item" aria-label="Link to Item">#</a>
        </h2>
        <pre class="head">
        <code>type Item observed</code>
        </pre>
        <p class="mark">Observed: only an observer, or a test file, makes a value of it.</p>
        <p>A thing on a shelf.</p>
        <h3>Fields</h3>
        <ul class="fields">
        <li id="type.Item.name">
        <code>name: <a href="std.types.html#type.NonEmptyStr">NonEmptyStr</a>
        </code>
        </li>
        <li id="type.Item.count">
        <code>count: <a href="std.types.html#type.Int">Int</a>
        </code>, which is from <code>0</code> to <code>9</code>
        </li>
        <li id="type.Item.code">
        <code>code: <a href="std.types.html#type.String">String</a>
        </code>, which matches <code>&quot;[a-z]&lt;+&quot;</code> as a whole and is kept apart from others as <code>&quot;Code&quot;</code>
        </li>
        </ul>
        <p class="place">stock.dag, line 7</p>
        </section>
        <section class="item" aria-labelledby="type.Fate">
        <h2 id="type.Fate">
        <span class="kind">type</span> <code>Fate</code> <a class="anchor" href="#type.Fate" aria-label="Link to Fate">#</a>
        </h2>
        <pre class="head">
        <code>type Fate&lt;T&gt;</code>
        </pre>
        <p>What became of it.</p>
        <h3>Variants</h3>
        <ul class="variants">
        <li id="type.Fate.Sold">
        <code>Sold</code>
        <ul class="fields">
        <li id="type.Fate.Sold.at">
        <code>at: Seconds</code>
        </li>
        <li id="type.Fate.Sold.to">
        <code>to: T?</code>
        </li>
        </ul>
        </li>
        <li id="type.Fate.Kept">
        <code>Kept</code>
        <ul class="fields">
        <li id="type.Fate.Kept.0">
        <code>
        <a href="shop.stock.html#type.Item">Item</a>
        </code>
        </li>
        </ul>
        </li>
        <li id="type.Fate.Lost">
        <code>Lost</code>
        </li>
        </ul>
        <p class="place">stock.dag, line 14</p>
        </section>
        <section class="item" aria-labelledby="type.Verdict">
        <h2 id="type.Verdict">
        <span class="kind">type</span> <code>Verdict</code> <a class="anchor" href="#type.Verdict" aria-label="Link to Verdict">#</a>
        </h2>
        <pre class="head">
        <code>type Verdict sole_constructor</code>
        </pre>
        <p class="mark">Sole constructor: only its own module makes a value of it.</p>
        <h3>Fields</h3>
        <ul class="fields">
        <li id="type.Verdict.fate">
        <code>fate: <a href="shop.stock.html#type.Fate">Fate</a>&lt;<a href="std.types.html#type.String">String</a>&gt;</code>
        </li>
        </ul>
        <p class="place">stock.dag, line 19</p>
        </section>
        <section class="item" aria-labelledby="type.Shelf">
        <h2 id="type.Shelf">
        <span class="kind">type</span> <code>Shelf</code> <a class="anchor" href="#type.Shelf" aria-label="Link to Shelf">#</a>
        </h2>
        <pre class="head">
        <code>type Shelf</code>
        </pre>
        <p>Another name for <code>
        <a href="std.types.html#type.List">List</a>&lt;<a href="shop.stock.html#type.Item">Item</a>&gt;</code>.</p>
        <p class="place">stock.dag, line 21</p>
        </section>
        <section class="item" aria-labelledby="type.Small">
        <h2 id="type.Small">
        <span class="kind">type</span> <code>Small</code> <a class="anchor" href="#type.Small" aria-label="Link to Small">#</a>
        </h2>
        <pre class="head">
        <code>type Small</code>
        </pre>
        <p class="mark">Refined: a value is tested where it becomes one of this type.</p>
        <p>A value of <code>
        <a href="std.types.html#type.Int">Int</a>
        </code>, which is at most <code>3</code>.</p>
        <p class="place">stock.dag, line 23</p>
        </section>
        <section class="item" aria-labelledby="data.limit">
        <h2 id="data.limit">
        <span class="kind">data</span> <code>limit</code> <a class="anchor" href="#data.limit" aria-label="Link to limit">#</a>
        </h2>
        <pre class="head">
        <code>data limit: <a href="shop.stock.html#type.Small">Small</a>
        </code>
        </pre>
        <p>Its value: <code>3</code>
        </p>
        <p class="place">stock.dag, line 25</p>
        </section>
        <section class="item" aria-labelledby="fn.sold">
        <h2 id="fn.sold">
        <span class="kind">fn</span> <code>sold</code> <a class="anchor" href="#fn.sold" aria-label="Link to sold">#</a>
        </h2>
        <pre class="head">
        <code>fn sold&lt;T&gt;(items: <a href="std.types.html#type.List">List</a>&lt;<a href="shop.stock.html#type.Item">Item</a>&gt;, by: fn(<a href="shop.stock.html#type.Item">Item</a>) -&gt; <a href="shop.stock.html#type.Fate">Fate</a>&lt;T&gt;) -&gt; <a href="shop.stock.html#type.Shelf">Shelf</a>
        </code>
        </pre>
        <h3>Parameters</h3>
        <ul class="fields">
        <li id="fn.sold.items">
        <code>items: <a href="std.types.html#type.List">List</a>&lt;<a href="shop.stock.html#type.Item">Item</a>&gt;</code>
        </li>
        <li id="fn.sold.by">
        <code>by: fn(<a href="shop.stock.html#type.Item">Item</a>) -&gt; <a href="shop.stock.html#type.Fate">Fate</a>&lt;T&gt;</code>
        </li>
        </ul>
        <p>Gives <code>
        <a href="shop.stock.html#type.Shelf">Shelf</a>
        </code>.</p>
        <p class="place">stock.dag, line 27</p>
        </section>
        <section aria-labelledby="witnesses">
        <h2 id="witnesses">Witnesses</h2>
        <p>What is tested of this module. <code>hayward test</code> runs it.</p>
        <details id="test.three_is_the_limit">
        <summary>
        <code>three_is_the_limit</code>
        </summary>
        <p>Three is &lt;all&gt;.</p>
        <pre>
        <code>test fn three_is_the_limit() -&gt; Bool { limit == helper }</code>
        </pre>
        <p class="place">stock_test.dag, line 8</p>
        </details>
        </section>"##]].assert_eq(&main_of(&page).replace("><", ">\n<"));
}

#[test]
fn the_same_as_markdown() {
    let pages = markdown(&model());
    expect![[r##"
        # Module `shop.stock`

        `stock.dag`

        What is *sold*. See [`Item`](shop.stock.md#type-item), [`sold`](shop.stock.md#fn-sold) and [`std.types.Nat`](std.types.md#type-nat).

        Imports `std.measure`.

        ## type `Item`

        ```dag
        type Item observed
        ```

        Observed: only an observer, or a test file, makes a value of it.

        A thing on a shelf.

        Fields:

        - `name`: [`NonEmptyStr`](std.types.md#type-nonemptystr)
        - `count`: [`Int`](std.types.md#type-int), which is from `0` to `9`
        - `code`: [`String`](std.types.md#type-string), which matches `"[a-z]<+"` as a whole and is kept apart from others as `"Code"`

        `stock.dag`, line 7

        ## type `Fate`

        ```dag
        type Fate<T>
        ```

        What became of it.

        Variants:

        - `Sold`
          - `at`: `Seconds`
          - `to`: `T?`
        - `Kept`
          - [`Item`](shop.stock.md#type-item)
        - `Lost`

        `stock.dag`, line 14

        ## type `Verdict`

        ```dag
        type Verdict sole_constructor
        ```

        Sole constructor: only its own module makes a value of it.

        Fields:

        - `fate`: [`Fate`](shop.stock.md#type-fate)`<`[`String`](std.types.md#type-string)`>`

        `stock.dag`, line 19

        ## type `Shelf`

        ```dag
        type Shelf
        ```

        Another name for [`List`](std.types.md#type-list)`<`[`Item`](shop.stock.md#type-item)`>`.

        `stock.dag`, line 21

        ## type `Small`

        ```dag
        type Small
        ```

        Refined: a value is tested where it becomes one of this type.

        A value of [`Int`](std.types.md#type-int), which is at most `3`.

        `stock.dag`, line 23

        ## data `limit`

        ```dag
        data limit: Small
        ```

        Of type [`Small`](shop.stock.md#type-small). Its value: `3`

        `stock.dag`, line 25

        ## fn `sold`

        ```dag
        fn sold<T>(items: List<Item>, by: fn(Item) -> Fate<T>) -> Shelf
        ```

        Parameters:

        - `items`: [`List`](std.types.md#type-list)`<`[`Item`](shop.stock.md#type-item)`>`
        - `by`: `fn(`[`Item`](shop.stock.md#type-item)`) ->` [`Fate`](shop.stock.md#type-fate)`<T>`

        Gives [`Shelf`](shop.stock.md#type-shelf).

        `stock.dag`, line 27

        ## Witnesses

        What is tested of this module. `hayward test` runs it.

        **`three_is_the_limit`**

        Three is \<all\>.

        ```dag
        test fn three_is_the_limit() -> Bool { limit == helper }
        ```

        `stock_test.dag`, line 8
    "##]].assert_eq(&page(&pages, "modules/shop.stock.md"));
}

#[test]
fn the_index_tells_of_each_module_its_first_sentence() {
    let index = page(&markdown(&model()), "README.md");
    expect![[r#"
        # shop

        ## The project

        - [`shop.stock`](modules/shop.stock.md) – What is sold.

        ## The library

        - [`std.prelude`](modules/std.prelude.md) – The functions that every module knows without importing them.
        - [`std.types`](modules/std.types.md) – The types that every module knows without importing them.
    "#]].assert_eq(&index);
}

#[test]
fn the_frame_has_landmarks_and_works_without_a_script() {
    for page in shop().iter().filter(|page| page.path.ends_with(".html")) {
        let text = &page.text;
        assert!(
            text.starts_with("<!DOCTYPE html><html lang=\"en\">"),
            "{text}"
        );
        let parts = [
            "<header>",
            "<nav aria-label=",
            "<main id=\"content\"",
            "<footer>",
            "<h1>",
            "<title>",
        ];
        for part in parts {
            assert_eq!(text.matches(part).count(), 1, "{part}: {text}");
        }
        assert!(
            text.contains("<a class=\"skip\" href=\"#content\">"),
            "{text}"
        );
        // No level of headings is left out.
        let levels: Vec<u32> = text
            .match_indices("<h")
            .filter_map(|(at, _)| text[at + 2..].chars().next()?.to_digit(10))
            .collect();
        assert_eq!(levels[0], 1);
        assert!(
            levels.windows(2).all(|two| two[1] <= two[0] + 1),
            "{levels:?}"
        );
        // The script only adds: no element needs it.
        assert!(
            !text.contains("onclick") && !text.contains("<form"),
            "{text}"
        );
    }
}

/// The lightness of a colour (WCAG 2.2, "relative luminance").
fn luminance(colour: &str) -> f64 {
    let channel = |at: usize| {
        let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
        match value <= 0.04045 {
            true => value / 12.92,
            false => ((value + 0.055) / 1.055).powf(2.4),
        }
    };
    0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}

#[test]
fn text_stands_out_from_its_ground() {
    let style = page(&shop(), "style.css");
    let schemes: Vec<&str> = style.split(":root").skip(1).collect();
    assert_eq!(schemes.len(), 2, "light and dark");
    for scheme in schemes {
        let colour = |name: &str| {
            let at = scheme.find(&format!("--{name}: ")).unwrap() + name.len() + 4;
            luminance(&scheme[at..at + 7])
        };
        for text in ["text", "quiet", "link"] {
            for ground in ["ground", "code"] {
                let (a, b) = (colour(text), colour(ground));
                let contrast = (a.max(b) + 0.05) / (a.min(b) + 0.05);
                // WCAG 2.2, 1.4.3.
                assert!(contrast >= 4.5, "{text} on {ground}: {contrast}");
            }
        }
    }
}

#[test]
fn prose_is_written_back_as_it_was_meant() {
    // What is read from the Markdown is what was read from the annotation.
    for prose in [
        "One *two* **three** `four` <https://five.example>.",
        "- a\n- b\n  - c\n\n  d\n\n1. e\n2. f",
        "> quoted\n> - item\n\n    code\n\n```\n``\n```",
        "A line\\\nbroken. 1\\. no list\n\n\\- no item\n\n\\# none",
        "2) two\n\n\\+ plus = is\n===",
        "-\n-  a",
        "> a\n>\n> > b\n\n- > c\n- ```\n  d\n  ```\n3. e",
        "*a*. b-c (d) 1. x\n*2*. y",
    ] {
        let annotation: String = prose.lines().map(|l| format!("// {l}\n")).collect();
        let text = format!("module m\n\n{annotation}data x: Int = 1\n");
        let pages = markdown(&Model::read("t", &texts(&[("m.dag", &text)])));
        let page = page(&pages, "modules/m.md");
        let head = "data x: Int\n```\n";
        let start = page.find(head).unwrap() + head.len();
        let end = page.rfind("\nOf type").unwrap();
        assert_eq!(words(&page[start..end]), words(prose), "{page}");
    }
}

/// What is read from Markdown, in one line.
fn words(text: &str) -> String {
    use pulldown_cmark::{Event, Parser};
    let shown = |event| match event {
        Event::SoftBreak => " ".to_owned(),
        Event::Text(text) => text.into_string(),
        Event::Code(text) => format!("`{text}`"),
        Event::HardBreak => "/".to_owned(),
        Event::Start(tag) => format!("<{:?}>", tag.to_end()),
        _ => String::new(),
    };
    let all: String = Parser::new(text).map(shown).collect();
    // A list may be given paragraphs in its items; a heading becomes strong.
    all.replace("<Paragraph>", "")
        .replace("<Heading(H1)>", "<Strong>")
}

#[test]
fn the_other_forms_are_shown_too() {
    let text = r#"module m

alias T = std
alias measure = std.measure

fn is_even(n: Int) -> Bool { n % 2 == 0 }

type Even = Int where is_even

type Seal nominal_opaque = String

type Box<T> {
  of: T? = none
  size: { wide: T.types.Int, high: measure.Seconds }
}

// Only `open` may.
fn shut(b: Box<Int>, times: Int = 3) -> Int admit_callers: [decl_ref(module_path: "m", decl_name: "open")] = times

service sys.Control {
  operation Show {
    readonly
    input { unit: String }
    output { lines: List<String> from "stdout_lines" }
    transport shell { argv: ["/bin/show", unit] }
  }
}

func restart(unit: String) -> Bool {
  true
}
"#;
    // What cannot be parsed is not shown.
    let parsed = dag_syntax::parse(dag_syntax::SourceId(0), text.into());
    assert!(parsed.1.is_empty(), "{:?}", parsed.1);
    let pages = html(&Model::read("t", &texts(&[("m.dag", text)])));
    let page = page(&pages, "modules/m.html");
    let main = main_of(&page);
    let heads: Vec<&str> = main
        .split("<section")
        .skip(1)
        .map(|section| &section[..section.find("<p class=\"place\">").unwrap()])
        .collect();
    expect![[r##"
         class="item" aria-labelledby="alias.T"><h2 id="alias.T"><span class="kind">alias</span> <code>T</code> <a class="anchor" href="#alias.T" aria-label="Link to T">#</a></h2><pre class="head"><code>alias T = std</code></pre>

         class="item" aria-labelledby="alias.measure"><h2 id="alias.measure"><span class="kind">alias</span> <code>measure</code> <a class="anchor" href="#alias.measure" aria-label="Link to measure">#</a></h2><pre class="head"><code>alias measure = std.measure</code></pre>

         class="item" aria-labelledby="fn.is_even"><h2 id="fn.is_even"><span class="kind">fn</span> <code>is_even</code> <a class="anchor" href="#fn.is_even" aria-label="Link to is_even">#</a></h2><pre class="head"><code>fn is_even(n: <a href="std.types.html#type.Int">Int</a>) -&gt; <a href="std.types.html#type.Bool">Bool</a></code></pre><h3>Parameters</h3><ul class="fields"><li id="fn.is_even.n"><code>n: <a href="std.types.html#type.Int">Int</a></code></li></ul><p>Gives <code><a href="std.types.html#type.Bool">Bool</a></code>.</p>

         class="item" aria-labelledby="type.Even"><h2 id="type.Even"><span class="kind">type</span> <code>Even</code> <a class="anchor" href="#type.Even" aria-label="Link to Even">#</a></h2><pre class="head"><code>type Even</code></pre><p class="mark">Refined: a value is tested where it becomes one of this type.</p><p>A value of <code><a href="std.types.html#type.Int">Int</a></code>, which satisfies <a href="m.html#fn.is_even"><code>is_even</code></a>.</p>

         class="item" aria-labelledby="type.Seal"><h2 id="type.Seal"><span class="kind">type</span> <code>Seal</code> <a class="anchor" href="#type.Seal" aria-label="Link to Seal">#</a></h2><pre class="head"><code>type Seal nominal_opaque</code></pre><p class="mark">Opaque: only its own module sees what it stands for.</p><p>A value of <code><a href="std.types.html#type.String">String</a></code>.</p>

         class="item" aria-labelledby="type.Box"><h2 id="type.Box"><span class="kind">type</span> <code>Box</code> <a class="anchor" href="#type.Box" aria-label="Link to Box">#</a></h2><pre class="head"><code>type Box&lt;T&gt;</code></pre><h3>Fields</h3><ul class="fields"><li id="type.Box.of"><code>of: T?</code>; <code>none</code> if it is not given</li><li id="type.Box.size"><code>size: { wide: <a href="std.types.html#type.Int">T.types.Int</a>, high: measure.Seconds }</code></li></ul>

         class="item" aria-labelledby="fn.shut"><h2 id="fn.shut"><span class="kind">fn</span> <code>shut</code> <a class="anchor" href="#fn.shut" aria-label="Link to shut">#</a></h2><pre class="head"><code>fn shut(b: <a href="m.html#type.Box">Box</a>&lt;<a href="std.types.html#type.Int">Int</a>&gt;, times: <a href="std.types.html#type.Int">Int</a> = 3) -&gt; <a href="std.types.html#type.Int">Int</a> admit_callers: [decl_ref(module_path: &quot;m&quot;, decl_name: &quot;open&quot;)]</code></pre><p>Only <code>open</code> may.</p>
        <h3>Parameters</h3><ul class="fields"><li id="fn.shut.b"><code>b: <a href="m.html#type.Box">Box</a>&lt;<a href="std.types.html#type.Int">Int</a>&gt;</code></li><li id="fn.shut.times"><code>times: <a href="std.types.html#type.Int">Int</a></code>; <code>3</code> if it is not given</li></ul><p>Gives <code><a href="std.types.html#type.Int">Int</a></code>.</p>

         class="item" aria-labelledby="service.sys.Control"><h2 id="service.sys.Control"><span class="kind">service</span> <code>sys.Control</code> <a class="anchor" href="#service.sys.Control" aria-label="Link to sys.Control">#</a></h2><pre class="head"><code>service sys.Control {
          operation Show {
            readonly
            input { unit: <a href="std.types.html#type.String">String</a> }
            output { lines: <a href="std.types.html#type.List">List</a>&lt;<a href="std.types.html#type.String">String</a>&gt; from &quot;stdout_lines&quot; }
            transport shell { argv: [&quot;/bin/show&quot;, unit] }
          }
        }</code></pre>

         class="item" aria-labelledby="func.restart"><h2 id="func.restart"><span class="kind">func</span> <code>restart</code> <a class="anchor" href="#func.restart" aria-label="Link to restart">#</a></h2><pre class="head"><code>func restart(unit: <a href="std.types.html#type.String">String</a>) -&gt; <a href="std.types.html#type.Bool">Bool</a></code></pre><h3>Parameters</h3><ul class="fields"><li id="func.restart.unit"><code>unit: <a href="std.types.html#type.String">String</a></code></li></ul><p>Gives <code><a href="std.types.html#type.Bool">Bool</a></code>.</p>"##]].assert_eq(&heads.join("\n\n"));
}
