//! Modules from nothing: well-formed, and mostly well-typed, of all forms of the language.
//!
//! A module declares types, then functions, values and witnesses whose bodies are expressions of
//! the type that is asked for, made of what is in scope. Forms that would say little as random
//! expressions (services, resources, types with a door) are written out and filled in.

mod expression;
mod forms;

use crate::case::Case;
use crate::dice::Dice;
use std::fmt::Write;

/// A type of a generated expression.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Ty {
    Int,
    Str,
    Bool,
    List(Box<Ty>),
    Optional(Box<Ty>),
    Map(Box<Ty>),
    Set(Box<Ty>),
    /// A function of one parameter.
    Function(Box<Ty>, Box<Ty>),
    /// The record or coproduct with that number.
    Declared(usize),
}

/// A declared type; a record has one variant, of its own name.
#[derive(Clone, Debug)]
struct Declared {
    name: String,
    record: bool,
    variants: Vec<Variant>,
}

#[derive(Clone, Debug)]
struct Variant {
    name: String,
    fields: Vec<(String, Ty)>,
    /// Its one field is written without a name.
    positional: bool,
}

/// A function, or a value: without parameters.
#[derive(Clone, Debug)]
struct Callable {
    name: String,
    value: bool,
    params: Vec<(String, Ty)>,
    result: Ty,
}

/// What is known while a module is made.
struct Maker<'a> {
    dice: &'a mut Dice,
    types: Vec<Declared>,
    callables: Vec<Callable>,
    /// Names of the function under way.
    scope: Vec<(String, Ty)>,
    /// Makes names that are not taken.
    next: usize,
    out: String,
}

/// One or two modules, and now and then a file of witnesses.
#[must_use]
pub fn case(dice: &mut Dice) -> Case {
    let mut maker = Maker {
        dice,
        types: Vec::new(),
        callables: Vec::new(),
        scope: Vec::new(),
        next: 0,
        out: String::new(),
    };
    let mut case = Case::default();
    maker.out.push_str("module gen.base\n");
    if maker.dice.one_in(2) {
        maker.out.push_str("// What the others are made of.\n");
    }
    maker.items(4);
    maker.forms();
    case.write("base.dag", &std::mem::take(&mut maker.out));
    let imported = maker.names();
    maker.module("gen.top", &imported);
    maker.items(3);
    case.write("top.dag", &std::mem::take(&mut maker.out));
    if maker.dice.one_in(2) {
        // What `gen.top` declares is not listed here.
        maker
            .types
            .retain(|declared| imported.contains(&declared.name));
        maker
            .callables
            .retain(|callable| imported.contains(&callable.name));
        maker.module("gen.top_test", &imported);
        for _ in 0..=maker.dice.below(3) {
            maker.witness();
        }
        case.write("top_test.dag", &maker.out);
    }
    case
}

impl Maker<'_> {
    fn name(&mut self, start: &str) -> String {
        self.next += 1;
        format!("{start}{}", self.next)
    }

    /// All names that a module can list.
    fn names(&self) -> Vec<String> {
        let types = self.types.iter().map(|declared| declared.name.clone());
        let variants = self.types.iter().filter(|declared| !declared.record);
        let variants = variants.flat_map(|declared| &declared.variants);
        let callables = self.callables.iter().map(|callable| callable.name.clone());
        let variants = variants.map(|variant| variant.name.clone());
        types.chain(variants).chain(callables).collect()
    }

    fn module(&mut self, name: &str, imported: &[String]) {
        let listed = imported.join(", ");
        self.out = format!("module {name}\n\nimport gen.base {{ {listed} }}\n");
    }

    fn items(&mut self, most: usize) {
        for _ in 0..=self.dice.below(most) {
            self.declare_type();
        }
        for _ in 0..=self.dice.below(most) {
            self.out.push('\n');
            if self.dice.one_in(4) {
                self.out
                    .push_str("// Said of what follows,\n//   in two lines.\n");
            }
            match self.dice.below(3) {
                0 => self.value(),
                _ => self.function(),
            }
        }
        self.value();
    }

    fn declare_type(&mut self) {
        let name = self.name("T");
        let record = self.dice.one_in(2);
        let count = if record { 1 } else { 1 + self.dice.below(4) };
        let mut variants = Vec::new();
        for _ in 0..count {
            let positional = !record && self.dice.one_in(4);
            let fields = match (record, positional) {
                (_, true) => vec![("0".to_owned(), self.ty(1))],
                (true, _) => self.fields(1 + self.dice.clone().below(3)),
                (false, _) => self.fields(self.dice.clone().below(3)),
            };
            variants.push(Variant {
                name: if record { name.clone() } else { self.name("V") },
                fields,
                positional,
            });
        }
        let declared = Declared {
            name,
            record,
            variants,
        };
        self.write_type(&declared);
        self.types.push(declared);
    }

    fn fields(&mut self, count: usize) -> Vec<(String, Ty)> {
        (0..count).map(|_| (self.name("f"), self.ty(1))).collect()
    }

    fn write_type(&mut self, declared: &Declared) {
        let mut text = format!("\ntype {}", declared.name);
        if !declared.record {
            text.push_str(" =");
        }
        for variant in &declared.variants {
            if !declared.record {
                let _ = write!(text, "\n  | {}", variant.name);
            }
            let fields: Vec<String> = variant
                .fields
                .iter()
                .map(|(name, ty)| format!("{name}: {}", self.shown(ty)))
                .collect();
            let separator = self.dice.word(&[", ", "\n  ", ",\n  "]);
            match variant.fields.first() {
                Some((_, ty)) if variant.positional => {
                    let _ = write!(text, "({})", self.shown(ty));
                }
                Some(_) => {
                    let _ = write!(text, " {{ {} }}", fields.join(separator));
                }
                None => {}
            }
        }
        self.out.push_str(&text);
        self.out.push('\n');
    }

    fn function(&mut self) {
        let name = self.name("g");
        let count = self.dice.below(4);
        let params: Vec<(String, Ty)> = (0..count).map(|_| (self.name("p"), self.ty(2))).collect();
        let result = self.ty(2);
        self.scope.clone_from(&params);
        let listed: Vec<String> = params
            .iter()
            .map(|(name, ty)| format!("{name}: {}", self.shown(ty)))
            .collect();
        let body = if self.dice.one_in(2) {
            let body = self.block(&result, 3);
            // A function's own block may be left early.
            let condition = self.expression(&Ty::Bool, 1);
            let early = self.expression(&result, 1);
            match self.dice.below(3) {
                0 => format!("{{\n  if {condition} {{ return {early} }}\n  {body}\n}}"),
                _ => body,
            }
        } else {
            let body = self.expression(&result, 3);
            format!("={}{body}", self.dice.word(&[" ", "\n  "]))
        };
        let head = format!(
            "fn {name}({}) -> {}",
            listed.join(", "),
            self.shown(&result)
        );
        let _ = writeln!(self.out, "{head} {body}");
        self.scope.clear();
        self.callables.push(Callable {
            name,
            value: false,
            params,
            result,
        });
    }

    fn value(&mut self) {
        let name = self.name("d");
        let result = self.ty(2);
        // No function is a value of its own in the outcome, but it may be in it.
        let body = self.expression(&result, 3);
        let _ = writeln!(self.out, "\ndata {name}: {} = {body}", self.shown(&result));
        self.callables.push(Callable {
            name,
            value: true,
            params: Vec::new(),
            result,
        });
    }

    fn witness(&mut self) {
        let name = self.name("w");
        let body = self.expression(&Ty::Bool, 3);
        let text = match self.dice.below(2) {
            0 => format!("\ntest fn {name}() -> Bool = {body}\n"),
            _ => format!("\ntest data {name}: Bool = {body}\n"),
        };
        self.out.push_str(&text);
    }

    /// Some type, with so many levels below it.
    fn ty(&mut self, depth: usize) -> Ty {
        let inner = |maker: &mut Self| Box::new(maker.ty(depth.saturating_sub(1)));
        match self.dice.below(if depth == 0 { 5 } else { 11 }) {
            0 | 1 => Ty::Int,
            2 => Ty::Str,
            3 => Ty::Bool,
            4 | 5 if !self.types.is_empty() => {
                let mut type_index = self.dice.below(self.types.len());
                // Those of late have most below them.
                type_index = type_index.max(self.dice.below(self.types.len()));
                Ty::Declared(type_index)
            }
            6 => Ty::Optional(inner(self)),
            7 => Ty::Map(inner(self)),
            8 => Ty::Set(Box::new(if self.dice.one_in(2) {
                Ty::Int
            } else {
                Ty::Str
            })),
            9 if depth > 1 => Ty::Function(inner(self), inner(self)),
            _ => Ty::List(inner(self)),
        }
    }

    /// The type as it is written.
    fn shown(&self, ty: &Ty) -> String {
        match ty {
            Ty::Int => "Int".into(),
            Ty::Str => "String".into(),
            Ty::Bool => "Bool".into(),
            Ty::List(inner) => format!("List<{}>", self.shown(inner)),
            Ty::Optional(inner) => match **inner {
                Ty::Optional(_) | Ty::Function(..) => format!("Optional<{}>", self.shown(inner)),
                _ => format!("{}?", self.shown(inner)),
            },
            Ty::Map(inner) => format!("Map<String, {}>", self.shown(inner)),
            Ty::Set(inner) => format!("Set<{}>", self.shown(inner)),
            Ty::Function(from, to) => format!("fn({}) -> {}", self.shown(from), self.shown(to)),
            Ty::Declared(index) => match self.types.get(*index) {
                Some(declared) => declared.name.clone(),
                None => "Unit".into(),
            },
        }
    }

    /// Whether values of it are compared: they hold no function.
    fn compares(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Int | Ty::Str | Ty::Bool | Ty::Set(_) => true,
            Ty::List(inner) | Ty::Optional(inner) | Ty::Map(inner) => self.compares(inner),
            Ty::Function(..) => false,
            Ty::Declared(index) => self.types.get(*index).is_some_and(|declared| {
                let mut variants = declared.variants.iter();
                variants.all(|v| v.fields.iter().all(|(_, ty)| self.compares(ty)))
            }),
        }
    }
}
