//! Matches. Arms up to one that takes everything form a segment; a segment is
//! entered by one jump on the value's constructor, number or text. An arm that
//! then fails (in its guard, or deeper in its pattern) goes on to the next arm
//! of the segment that can still take the value.

use crate::code::{Key, Op, Slot, Switch, Table, Target, Test};
use crate::compile::Compiler;
use dag_analysis::core::{Arm, Expr, ExprId, Pattern, PatternId};
use rustc_hash::FxHashMap;

/// What must be pointed at an arm once its place is known.
enum Failure {
    Jump(usize),
    Test(usize),
}

/// Where a failing arm goes on.
#[derive(Clone, Copy)]
enum Onward {
    Arm(usize),
    Segment,
}

fn key(pattern: &Pattern) -> Option<Key> {
    match pattern {
        Pattern::Any | Pattern::Bind(_) => None,
        Pattern::Ctor { ctor, .. } => Some(Key::Tag(ctor.variant)),
        Pattern::Bool(b) => Some(Key::Tag(u32::from(*b))),
        Pattern::Int(n) => Some(Key::Int(*n)),
        Pattern::Str(text) => Some(Key::Str(text.clone())),
    }
}

/// Keys that can stand in a map.
#[derive(PartialEq, Eq, Hash)]
enum MapKey<'k> {
    Tag(u32),
    Int(i64),
    Str(&'k str),
}

fn map_key(key: &Key) -> MapKey<'_> {
    match key {
        Key::Tag(tag) => MapKey::Tag(*tag),
        Key::Int(n) => MapKey::Int(*n),
        Key::Str(text) => MapKey::Str(text),
    }
}

impl Compiler<'_> {
    pub(crate) fn matching(&mut self, id: ExprId, scrutinee: ExprId, arms: &[Arm], tail: bool) {
        let start = self.draft.depth;
        // A name is matched where it lies.
        let named = match self.body.expr(scrutinee) {
            Expr::Local(local) => self.draft.slots.get(local).copied(),
            _ => None,
        };
        let slot = named.unwrap_or_else(|| {
            self.expr(scrutinee, false);
            self.draft.depth - 1
        });
        let mut state = Matching {
            id,
            slot,
            owned: named.is_none(),
            start,
            base: self.draft.depth,
            tail,
            ends: Vec::new(),
        };
        let mut rest = arms;
        let mut into_segment: Vec<Failure> = Vec::new();
        while !rest.is_empty() {
            let all = |arm: &Arm| key(self.body.pattern(arm.pattern)).is_none();
            let len = rest.iter().position(all).map_or(rest.len(), |i| i + 1);
            let (segment, later) = rest.split_at(len);
            self.enter(&mut into_segment, &state);
            self.segment(segment, &mut state, &mut into_segment);
            rest = later;
        }
        if !into_segment.is_empty() {
            self.enter(&mut into_segment, &state);
            self.emit(Op::NoArm, id);
        }
        for end in state.ends {
            self.land(end);
        }
        self.draft.depth = start + 1;
    }

    /// Lets failures go on here, with the stack as it was before their arm.
    fn enter(&mut self, failures: &mut Vec<Failure>, state: &Matching) {
        if failures.is_empty() {
            return;
        }
        let here = self.here();
        for failure in failures.drain(..) {
            match failure {
                Failure::Jump(at) => self.land(at),
                Failure::Test(at) => {
                    if let Some(test) = self.draft.code.tests.get_mut(at) {
                        test.otherwise = here;
                    }
                }
            }
        }
        self.emit(Op::Truncate(state.base), state.id);
        self.draft.depth = state.base;
    }

    fn segment(&mut self, arms: &[Arm], state: &mut Matching, onward: &mut Vec<Failure>) {
        let keys: Vec<Option<Key>> = arms
            .iter()
            .map(|arm| key(self.body.pattern(arm.pattern)))
            .collect();
        let catch_all = keys.iter().position(Option::is_none);

        // Backwards: the next arm of the same key, and the first arm of each.
        let mut first: FxHashMap<MapKey<'_>, usize> = FxHashMap::default();
        let mut next: Vec<Onward> = Vec::with_capacity(arms.len());
        let default = catch_all.map_or(Onward::Segment, Onward::Arm);
        for (i, key) in keys.iter().enumerate().rev() {
            next.push(match key {
                Some(key) => first.insert(map_key(key), i).map_or(default, Onward::Arm),
                None => Onward::Segment,
            });
        }
        next.reverse();

        let switch = (catch_all != Some(0)).then(|| {
            self.draft.code.switches.push(Switch {
                slot: state.slot,
                table: Table::Tags(Vec::new()),
                otherwise: 0,
            });
            let index = self.draft.code.switches.len() - 1;
            self.emit(Op::Switch(index as u32), state.id);
            index
        });

        let mut failures: Vec<Vec<Failure>> = arms.iter().map(|_| Vec::new()).collect();
        let mut places: Vec<Target> = Vec::with_capacity(arms.len());
        for ((i, arm), next) in arms.iter().enumerate().zip(&next) {
            if let Some(mine) = failures.get_mut(i) {
                self.enter(&mut std::mem::take(mine), state);
            }
            places.push(self.here());
            self.draft.depth = state.base;
            let mut failed = Vec::new();
            self.arm(arm, state, &mut failed);
            match next {
                Onward::Arm(later) => {
                    if let Some(list) = failures.get_mut(*later) {
                        list.append(&mut failed);
                    }
                }
                Onward::Segment => onward.append(&mut failed),
            }
        }

        let Some(switch) = switch else { return };
        let otherwise = match catch_all.and_then(|i| places.get(i)) {
            Some(place) => *place,
            None => {
                // No arm of this segment: a jump of its own into the next.
                let place = self.here();
                onward.push(Failure::Jump(self.draft.code.ops.len()));
                self.emit(Op::Jump(0), state.id);
                place
            }
        };
        let mut table = match keys.first() {
            Some(Some(Key::Int(_))) => Table::Ints(FxHashMap::default()),
            Some(Some(Key::Str(_))) => Table::Strs(FxHashMap::default()),
            _ => Table::Tags(Vec::new()),
        };
        for (key, arm) in &first {
            let Some(place) = places.get(*arm).copied() else {
                continue;
            };
            match (&mut table, key, keys.get(*arm)) {
                (Table::Tags(tags), MapKey::Tag(tag), _) => {
                    let tag = *tag as usize;
                    if tags.len() <= tag {
                        tags.resize(tag + 1, None);
                    }
                    if let Some(entry) = tags.get_mut(tag) {
                        *entry = Some(place);
                    }
                }
                (Table::Ints(ints), MapKey::Int(n), _) => {
                    ints.insert(*n, place);
                }
                (Table::Strs(strs), _, Some(Some(Key::Str(text)))) => {
                    strs.insert(text.clone(), place);
                }
                // Patterns of two types in one match: the checker refused it.
                _ => {}
            }
        }
        if let Some(entry) = self.draft.code.switches.get_mut(switch) {
            entry.table = table;
            entry.otherwise = otherwise;
        }
    }

    /// An arm whose key is known to fit.
    fn arm(&mut self, arm: &Arm, state: &mut Matching, failed: &mut Vec<Failure>) {
        match self.body.pattern(arm.pattern) {
            // A guard may use up the name's value and then fail: it gets a copy.
            Pattern::Bind(local) if state.owned && arm.guard.is_none() => {
                self.draft.slots.insert(*local, state.slot);
            }
            Pattern::Bind(local) => {
                self.push(Op::Load(state.slot), state.id);
                self.draft.slots.insert(*local, self.draft.depth - 1);
            }
            Pattern::Ctor { fields, .. } => {
                let fields = self.body.pattern_operands(*fields);
                self.fields(state.slot, fields, state.id, failed);
            }
            _ => {}
        }
        if let Some(guard) = arm.guard {
            self.expr(guard, false);
            failed.push(Failure::Jump(self.emit(Op::JumpIfFalse(0), guard)));
            self.draft.depth -= 1;
        }
        let extra = self.draft.depth - state.start;
        self.expr(arm.body, state.tail);
        if !state.tail {
            if extra > 0 {
                self.emit(Op::Slide(extra), arm.body);
            }
            state.ends.push(self.emit(Op::Jump(0), arm.body));
        }
    }

    /// Tests and binds the fields of the record in a slot.
    fn fields(
        &mut self,
        slot: Slot,
        fields: &[PatternId],
        from: ExprId,
        failed: &mut Vec<Failure>,
    ) {
        for (index, pattern) in (0u32..).zip(fields) {
            let pattern = self.body.pattern(*pattern);
            if *pattern == Pattern::Any {
                continue;
            }
            self.field_of(slot, index, from);
            let mine = self.draft.depth - 1;
            if let Some(key) = key(pattern)
                && !self.is_only(pattern)
            {
                self.draft.code.tests.push(Test {
                    slot: mine,
                    key,
                    otherwise: 0,
                });
                let test = self.draft.code.tests.len() - 1;
                self.emit(Op::Test(test as u32), from);
                failed.push(Failure::Test(test));
            }
            match pattern {
                Pattern::Bind(local) => {
                    self.draft.slots.insert(*local, mine);
                }
                Pattern::Ctor { fields, .. } => {
                    let fields = self.body.pattern_operands(*fields);
                    self.fields(mine, fields, from, failed);
                }
                _ => {}
            }
        }
    }

    /// Whether a pattern's constructor is the only one of its type.
    fn is_only(&self, pattern: &Pattern) -> bool {
        let Pattern::Ctor { ctor, .. } = pattern else {
            return false;
        };
        crate::value::type_of(self.program, *ctor).is_some_and(|ty| ty.variants().len() == 1)
    }
}

struct Matching {
    id: ExprId,
    /// Where the matched value lies.
    slot: Slot,
    /// Whether it lies there only for this match.
    owned: bool,
    /// The depth before the match.
    start: u32,
    /// The depth with the matched value.
    base: u32,
    tail: bool,
    ends: Vec<usize>,
}
