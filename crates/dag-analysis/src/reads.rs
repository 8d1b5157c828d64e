//! What the check of one module looks at in others. Every look goes through here, so
//! that what the result depends on is known by having been recorded, not by being
//! worked out.

use crate::core::{Decl, DeclRef, Module, ModuleId};
use crate::known::{Exports, Known};
use rustc_hash::FxHashSet;
use std::cell::{Cell, RefCell};

pub(crate) struct Reads<'a> {
    known: &'a Known,
    /// The module that looks. It is not done, so it is not seen by itself here.
    own: ModuleId,
    /// The modules whose declarations were looked at.
    modules: RefCell<FxHashSet<ModuleId>>,
    /// The one that was looked at last: most looks go to the same few.
    last: Cell<Option<ModuleId>>,
    /// Whether it mattered which modules are loaded.
    loaded: Cell<bool>,
}

impl<'a> Reads<'a> {
    pub(crate) fn new(known: &'a Known, own: ModuleId) -> Self {
        Self {
            known,
            own,
            modules: RefCell::default(),
            last: Cell::new(None),
            loaded: Cell::new(false),
        }
    }

    fn note(&self, id: ModuleId) {
        if self.last.replace(Some(id)) != Some(id) {
            self.modules.borrow_mut().insert(id);
        }
    }

    /// The module, if its check has ended.
    pub(crate) fn get(&self, id: ModuleId) -> Option<&'a Module> {
        if id == self.own || id == ModuleId::UNNAMED {
            return None;
        }
        self.note(id);
        self.known.get(id).map(AsRef::as_ref)
    }

    /// What a module declares.
    pub(crate) fn exports(&self, id: ModuleId) -> Option<&'a Exports> {
        if id == self.own {
            return None;
        }
        self.note(id);
        self.known.exports(id)
    }

    /// A function or `data` item of a module whose check has ended: whoever has a
    /// reference to it has it from there.
    pub(crate) fn decl(&self, decl: DeclRef) -> &'a Decl {
        match self.get(decl.module) {
            Some(module) => &module.decls[decl.index as usize],
            None => unreachable!("a module refers to those that were checked before it"),
        }
    }

    /// Whether a module is among these, or is loaded by one of them.
    pub(crate) fn is_loaded(&self, module: ModuleId, by: &[ModuleId]) -> bool {
        self.loaded.set(true);
        self.known.is_loaded(module, by)
    }

    /// It matters from here on which modules are loaded.
    pub(crate) fn note_loaded(&self) {
        self.loaded.set(true);
    }

    /// What was looked at, and whether it mattered which modules are loaded.
    pub(crate) fn into_parts(self) -> (FxHashSet<ModuleId>, bool) {
        (self.modules.into_inner(), self.loaded.get())
    }
}
