//! The search: an index, and the script that looks in it. Without the script the pages say
//! the same.

use crate::address::page;
use crate::model::Model;
use crate::prose::summary;
use serde_json::json;

/// The script: puts a field into the page and lists what is found as links.
pub(crate) const SEARCH: &str = include_str!("script/search.js");

/// The index as a script, because a page that is opened as a file may load nothing else: of
/// each module and item its kind, its name, its address and its first sentence.
pub(crate) fn index(model: &Model) -> String {
    let mut rows = Vec::new();
    for (number, module) in model.pages() {
        let address = dag_uri::path(page(&module.name, "html"));
        rows.push(json!([
            "module",
            module.name,
            address,
            summary(&module.annotation)
        ]));
        let items = module.items.iter().filter(|item| !item.test);
        let witnesses = model.witnesses(number);
        for item in items.chain(witnesses.into_iter().map(|(_, item)| item)) {
            let kind = if item.test {
                "witness"
            } else {
                item.kind.as_str()
            };
            let name = format!("{}.{}", module.name, item.name);
            let address = format!("{address}#{}", dag_uri::path(&item.anchor));
            rows.push(json!([kind, name, address, summary(&item.annotation)]));
        }
    }
    let rows: Vec<String> = rows.iter().map(ToString::to_string).collect();
    format!("window.haywardIndex = [\n{}\n];\n", rows.join(",\n"))
}
