//! The modules of a program. Those that an earlier run checked are brought here when
//! somebody asks for them: a run that needs few of many does not read the others.

use crate::core::{Module, ModuleId};
use crate::known::Known;
use crate::work::Work;
use dag_syntax::{SourceId, Symbol};
use std::fmt;
use std::ops::Index;
use std::sync::{Arc, OnceLock};

/// The modules of a program, imports before importers.
#[derive(Clone, Default)]
pub struct Modules {
    slots: Vec<Slot>,
    /// Who knows the modules that are not here yet.
    known: Option<Arc<Known>>,
}

#[derive(Clone)]
struct Slot {
    place: Place,
    module: OnceLock<Arc<Module>>,
}

/// What is known of a module that is not here.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) name: Symbol,
    pub(crate) source: SourceId,
    pub(crate) test_file: bool,
}

impl Slot {
    fn of(module: Arc<Module>) -> Self {
        Self {
            place: Place {
                name: module.name,
                source: module.source,
                test_file: module.test_file,
            },
            module: OnceLock::from(module),
        }
    }
}

impl Modules {
    /// Those whose check has ended.
    pub(crate) fn of(known: &Arc<Known>) -> Self {
        let slot = |id: ModuleId| match known.present(id) {
            Some(module) => Some(Slot::of(Arc::clone(module))),
            None => known.unit(id).map(|unit| Slot {
                place: Place {
                    name: unit.name,
                    source: unit.source,
                    test_file: unit.test_file,
                },
                module: OnceLock::new(),
            }),
        };
        let slots: Vec<Slot> = known.ids().filter_map(slot).collect();
        let whole = slots.iter().all(|slot| slot.module.get().is_some());
        Self {
            slots,
            known: (!whole).then(|| Arc::clone(known)),
        }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The module of a number.
    #[must_use]
    pub fn get(&self, number: usize) -> Option<&Arc<Module>> {
        Some(self.bring(number, self.slots.get(number)?))
    }

    fn bring<'a>(&'a self, number: usize, slot: &'a Slot) -> &'a Arc<Module> {
        slot.module.get_or_init(|| {
            let known = self.known.as_ref();
            match known.and_then(|known| known.get(ModuleId(number as u32))) {
                Some(module) => Arc::clone(module),
                None => unreachable!("a module that is not here is known"),
            }
        })
    }

    /// The number of the module of that name.
    #[must_use]
    pub fn named(&self, name: Symbol) -> Option<usize> {
        self.slots.iter().position(|slot| slot.place.name == name)
    }

    /// What is known of the modules without bringing them here.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Place> {
        self.slots.iter().map(|slot| &slot.place)
    }

    /// All of them.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<Module>> + ExactSizeIterator {
        let all = self.slots.iter().enumerate();
        all.map(|(number, slot)| self.bring(number, slot))
    }

    /// What was done up to now, bringing modules here included; none if all were here from
    /// the start.
    #[must_use]
    pub fn work(&self) -> Option<Work> {
        self.known.as_ref().map(|known| known.work.total())
    }

    /// Adds a module behind the others.
    pub fn push(&mut self, module: Arc<Module>) {
        self.slots.push(Slot::of(module));
    }

    /// Puts a module in the place of another.
    pub(crate) fn set(&mut self, number: usize, module: Arc<Module>) {
        if let Some(slot) = self.slots.get_mut(number) {
            *slot = Slot::of(module);
        }
    }
}

impl Index<usize> for Modules {
    type Output = Arc<Module>;

    fn index(&self, number: usize) -> &Self::Output {
        match self.get(number) {
            Some(module) => module,
            None => unreachable!("module {number} of {}", self.len()),
        }
    }
}

impl From<Vec<Arc<Module>>> for Modules {
    fn from(modules: Vec<Arc<Module>>) -> Self {
        modules.into_iter().collect()
    }
}

impl FromIterator<Arc<Module>> for Modules {
    fn from_iter<I: IntoIterator<Item = Arc<Module>>>(modules: I) -> Self {
        Self {
            slots: modules.into_iter().map(Slot::of).collect(),
            known: None,
        }
    }
}

impl fmt::Debug for Modules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
