//! What bodies ask of type parameters, and who answers for it: whoever puts a type in
//! the parameter's place. A parameter that is handed on to another declaration is asked
//! what that one asks, so what is asked is known when all bodies are.

use super::Checker;
use super::demand::Demand;
use crate::core::{Asked, DeclRef};
use crate::types::{Ty, TyKind};
use dag_syntax::{NodeId, Span};

/// A declaration of this module, used with types in the place of its parameters.
pub(super) struct Instance {
    /// The declaration that uses it, none if it is none of the module.
    user: Option<u32>,
    /// Its text.
    item: Span,
    /// Which one is used.
    used: u32,
    args: Vec<Ty>,
    at: NodeId,
}

/// A type parameter of a declaration.
pub(super) type Parameter = (DeclRef, u32);

impl Asked {
    /// All that can be asked.
    const EACH: [Demand; 3] = [Demand::Shown, Demand::Compared, Demand::KeyOfCall];

    fn asks(self, demand: Demand) -> bool {
        match demand {
            Demand::Shown => self.shown,
            Demand::Compared => self.compared,
            Demand::KeyOfCall => self.keyed,
            // Asked of a type that is written, and of one that is known.
            Demand::Key | Demand::Variants => false,
        }
    }

    /// Asks this too; whether it was not asked before.
    fn ask(&mut self, demand: Demand) -> bool {
        let asked = match demand {
            Demand::Shown => &mut self.shown,
            Demand::Compared => &mut self.compared,
            Demand::KeyOfCall => &mut self.keyed,
            Demand::Key | Demand::Variants => return false,
        };
        !std::mem::replace(asked, true)
    }
}

impl Checker<'_> {
    /// Uses a declaration with these types in the place of its parameters.
    pub(super) fn instantiate(&mut self, used: DeclRef, args: &[Ty], at: NodeId) {
        if args.is_empty() {
            return;
        }
        if used.module == self.id && self.decl(used).intrinsic.is_none() {
            self.instances.push(Instance {
                user: self.current,
                item: self.item_span,
                used: used.index,
                args: args.to_vec(),
                at,
            });
            return;
        }
        let decl = self.decl(used);
        if decl.asked.is_empty() {
            return;
        }
        let (asked, intrinsic) = (decl.asked.clone(), decl.intrinsic.is_some());
        for demand in Asked::EACH {
            for (index, asked) in asked.iter().enumerate() {
                if asked.asks(demand) {
                    let of = (!intrinsic).then_some((used, index as u32));
                    self.demands.push((args[index], at, demand, of));
                }
            }
        }
    }

    /// Ends a body: no type of what it uses stays open.
    pub(super) fn settle_instances(&mut self) {
        let mut instances = std::mem::take(&mut self.instances);
        for instance in &mut instances[self.settled_instances..] {
            for arg in &mut instance.args {
                *arg = self.settled(*arg);
            }
        }
        self.settled_instances = instances.len();
        self.instances = instances;
    }

    /// Asks something of the type parameters of the declaration at hand that a value of
    /// this type can hold a value of.
    pub(super) fn ask_parameters(&mut self, ty: Ty, demand: Demand) {
        let Some(index) = self.current else { return };
        for parameter in self.parameters_held(ty) {
            self.ask(index, parameter, demand);
        }
    }

    /// Asks this of a type parameter of a declaration of this module; whether it was not
    /// asked before.
    fn ask(&mut self, decl: u32, parameter: u32, demand: Demand) -> bool {
        let Some(decl) = self.decls.get_mut(decl as usize) else {
            return false;
        };
        if decl.asked.len() <= parameter as usize {
            decl.asked.resize(parameter as usize + 1, Asked::default());
        }
        decl.asked[parameter as usize].ask(demand)
    }

    /// The type parameters that a value of the type can hold a value of.
    fn parameters_held(&mut self, ty: Ty) -> Vec<u32> {
        let ty = self.settled(ty);
        if !self.table.has_param(ty) {
            return Vec::new();
        }
        let held = std::cell::RefCell::new(Vec::new());
        self.holds(ty, &|kind| {
            if let TyKind::Param(index, _) = kind {
                held.borrow_mut().push(*index);
            }
            false
        });
        held.into_inner()
    }

    /// Ends the module: what the declarations of the module ask of each other's type
    /// parameters, and what the types in their place do not allow.
    pub(super) fn answer_instances(&mut self) {
        let instances = std::mem::take(&mut self.instances);
        // What was open in one body means nothing here.
        self.variables.clear();
        self.current = None;
        self.hand_on(&instances);
        for Instance {
            item,
            used,
            args,
            at,
            ..
        } in &instances
        {
            let asked = self.decls[*used as usize].asked.clone();
            let decl = DeclRef {
                module: self.id,
                index: *used,
            };
            self.item_span = *item;
            for demand in Asked::EACH {
                for (index, asked) in asked.iter().enumerate() {
                    if asked.asks(demand) {
                        let of = Some((decl, index as u32));
                        self.demands.push((args[index], *at, demand, of));
                    }
                }
            }
            self.decide_demands();
        }
    }

    /// Asks of a parameter that stands in the place of another what is asked of that.
    fn hand_on(&mut self, instances: &[Instance]) {
        // By the declaration that is used: its user, and for each of its parameters those
        // of the user that stand in its place.
        let mut users: Vec<Vec<(u32, Vec<Vec<u32>>)>> = vec![Vec::new(); self.decls.len()];
        for instance in instances {
            let Some(user) = instance.user else { continue };
            let args = instance.args.iter();
            let held: Vec<Vec<u32>> = args.map(|arg| self.parameters_held(*arg)).collect();
            if held.iter().any(|held| !held.is_empty()) {
                users[instance.used as usize].push((user, held));
            }
        }
        let all = 0..self.decls.len() as u32;
        let mut todo: Vec<u32> = all
            .filter(|decl| !self.decls[*decl as usize].asked.is_empty())
            .collect();
        while let Some(used) = todo.pop() {
            let asked = self.decls[used as usize].asked.clone();
            for (user, held) in &users[used as usize] {
                let mut more = false;
                for (asked, held) in asked.iter().zip(held) {
                    for demand in Asked::EACH.into_iter().filter(|d| asked.asks(*d)) {
                        for parameter in held {
                            more |= self.ask(*user, *parameter, demand);
                        }
                    }
                }
                if more {
                    todo.push(*user);
                }
            }
        }
    }
}
