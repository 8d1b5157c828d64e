//! The interface of a module: all that the check of another module may learn from it.
//! Where two modules of one name have equal interfaces, whatever was checked against
//! one holds against the other.

use crate::core::{
    Admitted, Asked, Decl, DeclKind, DeclRef, Field, Module, ModuleId, Param, Predicate, Shape,
    TypeDef, TypeRef, Variant,
};
use crate::operation::{Capability, Gives, Resource};
use crate::types::{Ty, TyKind};
use dag_syntax::Symbol;
use rustc_hash::FxHashMap;

/// A BLAKE3 digest.
pub type Digest = [u8; 32];

/// The digest of a module's interface. Bodies and places have no part in it; other
/// modules appear by name. The order of the declarations has: they are referred to by
/// their numbers.
pub(crate) fn digest(module: &Module, name_of: &dyn Fn(ModuleId) -> Symbol) -> Digest {
    let mut writer = Writer {
        hash: blake3::Hasher::new(),
        module,
        name_of,
        written: FxHashMap::default(),
    };
    writer.module();
    *writer.hash.finalize().as_bytes()
}

/// Writes what is hashed, so that no two interfaces give the same bytes: every list and
/// text with its length, every choice with its number.
struct Writer<'a> {
    hash: blake3::Hasher,
    module: &'a Module,
    name_of: &'a dyn Fn(ModuleId) -> Symbol,
    /// Types that stand in it already: types are shared, and written once.
    written: FxHashMap<Ty, u64>,
}

impl Writer<'_> {
    fn module(&mut self) {
        // A new field must be thought about here: it is part of the interface or not.
        let Module {
            id: _,
            name,
            source: _,
            test_file,
            table: _,
            types,
            decls,
            body: _,
            // Of an operation others see its declaration alone.
            operations: _,
            resources,
            // They belong to the bodies.
            claims: _,
        } = self.module;
        self.text(name.as_str());
        self.flag(*test_file);
        self.number(types.len() as u64);
        types.iter().for_each(|def| self.type_def(def));
        self.number(decls.len() as u64);
        decls.iter().for_each(|decl| self.decl(decl));
        self.number(resources.len() as u64);
        resources.iter().for_each(|found| self.resource(found));
    }

    fn resource(&mut self, resource: &Resource) {
        let Resource {
            ty,
            facts,
            capabilities,
        } = resource;
        self.type_ref(*ty);
        self.names(facts);
        self.number(capabilities.len() as u64);
        for Capability {
            name,
            span: _,
            inputs,
            gives,
        } in capabilities
        {
            self.text(name.as_str());
            self.pairs(inputs);
            match gives {
                Gives::Type(ty) => {
                    self.number(0);
                    self.ty(*ty);
                }
                Gives::Fields(fields) => {
                    self.number(1);
                    self.pairs(fields);
                }
            }
        }
    }

    fn pairs(&mut self, pairs: &[(Symbol, Ty)]) {
        self.number(pairs.len() as u64);
        for (name, ty) in pairs {
            self.text(name.as_str());
            self.ty(*ty);
        }
    }

    fn type_def(&mut self, def: &TypeDef) {
        let TypeDef {
            name,
            span: _,
            params,
            shape,
            observed,
            sole_constructor,
            nominal_opaque,
        } = def;
        self.text(name.as_str());
        self.names(params);
        self.flag(*observed);
        self.flag(*sole_constructor);
        self.flag(*nominal_opaque);
        match shape {
            Shape::Opaque => self.number(0),
            Shape::Record(variant) => {
                self.number(1);
                self.variant(variant);
            }
            Shape::Coproduct(variants) => {
                self.number(2);
                self.number(variants.len() as u64);
                variants.iter().for_each(|variant| self.variant(variant));
            }
            Shape::Alias(ty) => {
                self.number(3);
                self.ty(*ty);
            }
            Shape::Refined { base, predicates } => {
                self.number(4);
                self.ty(*base);
                self.number(predicates.len() as u64);
                predicates.iter().for_each(|p| self.predicate(p));
            }
        }
    }

    fn variant(&mut self, variant: &Variant) {
        let Variant {
            name,
            span: _,
            fields,
        } = variant;
        self.text(name.as_str());
        self.number(fields.len() as u64);
        for field in fields {
            let Field {
                name,
                span: _,
                ty,
                default,
                source,
            } = field;
            self.text(name.as_str());
            self.ty(*ty);
            self.default(*default);
            self.flag(source.is_some());
            self.text(source.as_deref().unwrap_or_default());
        }
    }

    fn predicate(&mut self, predicate: &Predicate) {
        match predicate {
            Predicate::NonEmpty => self.number(0),
            Predicate::Range { min, max } => {
                self.number(1);
                for bound in [min, max] {
                    self.flag(bound.is_some());
                    self.number(bound.unwrap_or(0).cast_unsigned());
                }
            }
            Predicate::Pattern(pattern) => {
                self.number(2);
                self.text(pattern);
            }
            Predicate::Brand(brand) => {
                self.number(3);
                self.text(brand);
            }
            Predicate::Holds(DeclRef { module, index }) => {
                self.number(4);
                self.text((self.name_of)(*module).as_str());
                self.number(u64::from(*index));
            }
        }
    }

    /// Whether there is a default value, and which declaration of the module it is. Its
    /// value is no part of the interface, as that of `data` is none.
    fn default(&mut self, default: Option<DeclRef>) {
        self.flag(default.is_some());
        self.number(default.map_or(0, |decl| u64::from(decl.index)));
    }

    fn decl(&mut self, decl: &Decl) {
        let Decl {
            name,
            span: _,
            kind,
            test,
            type_params,
            asked,
            params,
            result,
            body: _,
            intrinsic,
            locals: _,
            admit_callers,
        } = decl;
        self.text(name.as_str());
        self.number(match kind {
            DeclKind::Function => 0,
            DeclKind::Data => 1,
            DeclKind::Func => 2,
            DeclKind::Pattern => 3,
            DeclKind::Interface => 4,
            DeclKind::Operation => 5,
            DeclKind::Default => 6,
        });
        self.flag(*test);
        self.names(type_params);
        self.number(asked.len() as u64);
        for Asked {
            shown,
            compared,
            keyed,
        } in asked
        {
            self.flag(*shown);
            self.flag(*compared);
            self.flag(*keyed);
        }
        self.number(params.len() as u64);
        for param in params {
            let Param {
                name,
                span: _,
                ty,
                default,
            } = param;
            self.text(name.as_str());
            self.ty(*ty);
            self.default(*default);
        }
        self.flag(admit_callers.is_some());
        let admitted = admit_callers.as_deref().unwrap_or_default();
        self.number(admitted.len() as u64);
        for Admitted { module, name } in admitted {
            self.text(module.as_str());
            self.text(name.as_str());
        }
        self.ty(*result);
        self.text(intrinsic.map_or("", |intrinsic| intrinsic.name()));
    }

    fn ty(&mut self, ty: Ty) {
        if let Some(number) = self.written.get(&ty).copied() {
            self.number(0);
            return self.number(number);
        }
        let module = self.module;
        match module.table.kind(ty) {
            TyKind::Named(named, args) => {
                self.number(1);
                self.type_ref(*named);
                self.number(args.len() as u64);
                args.iter().for_each(|arg| self.ty(*arg));
            }
            TyKind::Function(params, result) => {
                self.number(2);
                self.number(params.len() as u64);
                params.iter().for_each(|param| self.ty(*param));
                self.ty(*result);
            }
            TyKind::Param(index, name) => {
                self.number(3);
                self.number(u64::from(*index));
                self.text(name.as_str());
            }
            // Neither stands in a head that was checked.
            TyKind::Variable(index) => {
                self.number(4);
                self.number(u64::from(*index));
            }
            TyKind::Error => self.number(5),
        }
        self.written.insert(ty, self.written.len() as u64);
    }

    fn type_ref(&mut self, ty: TypeRef) {
        // A record without a name is known by its fields' names.
        if let Some(def) = crate::unnamed::declaration(ty) {
            self.flag(true);
            return self.names(&def.params);
        }
        self.flag(false);
        let name = (self.name_of)(ty.module);
        self.text(name.as_str());
        self.number(u64::from(ty.index));
    }

    fn names(&mut self, names: &[Symbol]) {
        self.number(names.len() as u64);
        names.iter().for_each(|name| self.text(name.as_str()));
    }

    fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.hash.update(text.as_bytes());
    }

    fn flag(&mut self, flag: bool) {
        self.number(u64::from(flag));
    }

    fn number(&mut self, number: u64) {
        self.hash.update(&number.to_le_bytes());
    }
}
