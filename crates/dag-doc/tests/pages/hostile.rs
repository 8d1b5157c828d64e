//! Annotations, names of files and values that try to bring markup of their own.

use crate::{ids_and_links, main_of, page, texts};
use dag_doc::{Model, Page, html, markdown};
use expect_test::expect;
use pulldown_cmark::{Event, Parser, Tag};

const HOSTILE: &str = "module m
// <script>alert(1)</script> <img src=x onerror=alert(1)>
//
// [a](javascript:alert(1)) [b](JaVaScRiPt:x) [h](\u{1}javascript:x) [i](//evil.example) [j](vbscript:x)
// [c](data:text/html,x) ![d](https://evil.example/x.png) <javascript:alert(1)> [e](https://ok.example/\"onclick=x)
// `unbalanced ``ticks </code><script>  &lt; &#60;script&#62;
//
// <div onclick=\"x\">
// block
// </div>
//
// ```html
// </code></pre><script>
// ```
//
// # Heading
// [f]: javascript:alert(1)
// [f] [[g](https://a.example)](https://b.example) </main> <!-- -->
//
// - [ ] one
//   1. two
// > quoted <b>

// </title><script>alert(2)</script>
data x: String = \"</code><script>alert(3)</script>\"

type T = String where pattern(\"</script><script>\")
";

fn model() -> Model {
    Model::read("<script>t</script>", &texts(&[("<b>.dag", HOSTILE)]))
}

#[test]
fn nothing_of_it_is_markup_in_html() {
    let pages = html(&model());
    for page in pages.iter().filter(|page| page.path.ends_with(".html")) {
        let text = &page.text;
        // The two of the frame.
        assert_eq!(text.matches("<script").count(), 2, "{text}");
        for tag in [
            "<img",
            "<div onclick",
            "<b>",
            "<!--",
            "\" onclick=",
            "\"onclick=",
        ] {
            assert!(!text.contains(tag), "{tag}: {text}");
        }
        for link in ids_and_links(text).1 {
            let scheme = link.split_once(':').map(|(scheme, _)| scheme);
            assert!(matches!(scheme, None | Some("https")), "{link}");
        }
        balanced(text);
    }
    let page = page(&pages, "modules/m.html");
    let main = main_of(&page);
    expect![[r#"
        <main id="content" tabindex="-1"><h1>Module <code>m</code></h1><p class="place">&lt;b&gt;.dag</p><p>&lt;script&gt;alert(1)&lt;/script&gt; &lt;img src=x onerror=alert(1)&gt;
        </p>
        <p>a b [h](javascript:x) i j
        c d javascript:alert(1) <a href="https://ok.example/&quot;onclick=x">e</a>
        `unbalanced ``ticks &lt;/code&gt;&lt;script&gt;  &lt; &lt;script&gt;</p>
        <p>&lt;div onclick=&quot;x&quot;&gt;
        block
        &lt;/div&gt;
        </p>
        <pre><code>&lt;/code&gt;&lt;/pre&gt;&lt;script&gt;
        </code></pre>
        <p><strong>Heading</strong></p>
        <p>f [<a href="https://a.example">g</a>](https://b.example) &lt;/main&gt; &lt;!-- --&gt;</p>
        <ul>
        <li>[ ] one<ol start="1">
        <li>two</li>
        </ol>
        </li>
        </ul>
        <blockquote>
        <p>quoted &lt;b&gt;</p>
        </blockquote>
    "#]].assert_eq(&main[..main.find("<section").unwrap()]);
}

#[test]
fn nothing_of_it_is_markup_in_the_index_of_the_search() {
    let index = page(&html(&model()), "search-index.js");
    let rows = index.strip_prefix("window.haywardIndex = ").unwrap();
    let rows = rows.trim_end().strip_suffix(';').unwrap();
    // It is one value; the script puts its texts into the page as text.
    assert!(serde_json::from_str::<serde_json::Value>(rows).is_ok());
    let script = page(&html(&model()), "search.js");
    assert!(!script.contains("innerHTML") && !script.contains("document.write"));
}

#[test]
fn nothing_of_it_is_markup_in_markdown() {
    let pages = markdown(&model());
    for Page { path, text } in &pages {
        for event in Parser::new(text) {
            match event {
                Event::Html(raw) | Event::InlineHtml(raw) => panic!("{path}: {raw}"),
                Event::Start(Tag::Image { dest_url, .. }) => panic!("{path}: {dest_url}"),
                Event::Start(Tag::Link { dest_url, .. }) => {
                    let scheme = dest_url.split_once(':').map(|(scheme, _)| scheme);
                    assert!(matches!(scheme, None | Some("https")), "{path}: {dest_url}");
                }
                _ => {}
            }
        }
    }
    let text = page(&pages, "modules/m.md");
    expect![[r##"
        # Module `m`

        `<b>.dag`

        \<script\>alert(1)\</script\> \<img src=x onerror=alert(1)\>

        a b \[h\](javascript:x) i j
        c d javascript:alert(1) [e](https://ok.example/"onclick=x)
        \`unbalanced \`\`ticks \</code\>\<script\>  \< \<script\>

        \<div onclick="x"\> block \</div\>

        ```
        </code></pre><script>
        ```

        **Heading**

        f \[[g](https://a.example)\](https://b.example) \</main\> \<\!-- --\>

        - \[ \] one

          1. two

        > quoted \<b\>
    "##]]
    .assert_eq(&text[..text.find("\n## ").unwrap()]);
}

/// Fails if an element is not closed, or in another order than it was opened.
fn balanced(text: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let end = rest.find('>').unwrap();
        let tag = &rest[..end];
        rest = &rest[end + 1..];
        if let Some(closed) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed), "</{closed}>");
            continue;
        }
        let name = tag.split(' ').next().unwrap();
        if !matches!(name, "!DOCTYPE" | "meta" | "link" | "br" | "hr") {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "{open:?}");
}
