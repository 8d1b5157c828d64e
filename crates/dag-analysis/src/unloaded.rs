//! Modules of the library that no module loads: they are not checked, and read only
//! to say what could be imported.

use dag_syntax::{SourceId, Symbol, Tree, parse};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Their texts by name.
#[derive(Default)]
pub(crate) struct Unloaded {
    texts: FxHashMap<Symbol, (SourceId, Arc<str>)>,
}

impl Unloaded {
    pub(crate) fn add(&mut self, name: Symbol, source: SourceId, text: Arc<str>) {
        self.texts.insert(name, (source, text));
    }

    /// Takes a module out, which is loaded from now on.
    pub(crate) fn take(&mut self, name: Symbol) -> Option<SourceId> {
        self.texts.remove(&name).map(|(source, _)| source)
    }

    /// Their names.
    pub(crate) fn names(&self) -> impl Iterator<Item = Symbol> {
        self.texts.keys().copied()
    }

    /// Their trees, in no order.
    pub(crate) fn trees(&self) -> impl Iterator<Item = Tree> {
        let texts = self.texts.values();
        texts.map(|(source, text)| parse(*source, Arc::clone(text)).0)
    }
}
