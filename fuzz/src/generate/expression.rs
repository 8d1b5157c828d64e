//! Expressions of a type.

use super::{Maker, Ty, Variant};

impl Maker<'_> {
    /// An expression of that type that stands anywhere, with so many levels below it.
    pub(super) fn expression(&mut self, ty: &Ty, depth: usize) -> String {
        if depth == 0 {
            return self.leaf(ty);
        }
        let below = depth - 1;
        match self.dice.below(16) {
            0 | 1 => self.leaf(ty),
            2 | 3 => self.call(ty, below).unwrap_or_else(|| self.leaf(ty)),
            4 => {
                let condition = self.expression(&Ty::Bool, below);
                let then = self.expression(ty, below);
                let other = self.expression(ty, below);
                format!("(if {condition} {{ {then} }} else {{ {other} }})")
            }
            5 => format!("({})", self.block(ty, below)),
            6 | 7 => self.matched(ty, below),
            8 => {
                let optional = self.expression(&Ty::Optional(Box::new(ty.clone())), below);
                let other = self.expression(ty, below);
                // An optional value is not looked into twice.
                match ty {
                    Ty::Optional(_) => other,
                    _ => format!("(({optional}) ?? {other})"),
                }
            }
            9 => {
                let item = self.ty(1);
                let items = self.expression(&Ty::List(Box::new(item.clone())), below);
                let init = self.expression(ty, below);
                let (sum, one) = (self.name("a"), self.name("x"));
                let names = [(sum.clone(), ty.clone()), (one.clone(), item)];
                let body = self.with(&names, |maker| maker.expression(ty, below));
                format!("fold({items}, {init}, ({sum}, {one}) => {body})")
            }
            10 => {
                let from = self.ty(1);
                let name = self.name("x");
                let names = [(name.clone(), from.clone())];
                let body = self.with(&names, |maker| maker.expression(ty, below));
                let value = self.expression(&from, below);
                let function = self.name("h");
                let shown = (self.shown(&from), self.shown(ty));
                format!(
                    "({{\n  let {function}: fn({}) -> {} = {name} => {body}\n  {function}({value})\n}})",
                    shown.0, shown.1
                )
            }
            _ => self.of_type(ty, below),
        }
    }

    /// A block with names of its own.
    pub(super) fn block(&mut self, ty: &Ty, depth: usize) -> String {
        let before = self.scope.len();
        let mut text = "{\n".to_owned();
        for _ in 0..=self.dice.below(2) {
            let name = self.name("l");
            let of = self.ty(1);
            let value = self.expression(&of, depth.saturating_sub(1));
            let shown = match of {
                Ty::Int | Ty::Str | Ty::Bool if self.dice.one_in(2) => String::new(),
                _ => format!(": {}", self.shown(&of)),
            };
            text.push_str(&format!("  let {name}{shown} = {value}\n"));
            self.scope.push((name, of));
        }
        let body = self.expression(ty, depth);
        self.scope.truncate(before);
        format!("{text}  {body}\n}}")
    }

    /// Makes something where these names are known.
    fn with<T>(&mut self, names: &[(String, Ty)], make: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.scope.len();
        self.scope.extend_from_slice(names);
        let made = make(self);
        self.scope.truncate(before);
        made
    }

    /// A call of something that gives the type, or a part of something that has it.
    fn call(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let fits: Vec<_> = self
            .callables
            .iter()
            .filter(|c| c.result == *ty)
            .cloned()
            .collect();
        let callable = self.dice.pick(&fits)?.clone();
        if callable.value {
            return Some(callable.name);
        }
        let style = self.dice.below(4);
        let mut args = Vec::new();
        for (at, (name, ty)) in callable.params.iter().enumerate() {
            let value = self.expression(ty, depth);
            // All positional, all named, or mixed.
            args.push(match style {
                0 => value,
                1 => format!("{name}: {value}"),
                _ if at == 0 => value,
                _ => format!("{name}: {value}"),
            });
        }
        if style == 3 && !args.is_empty() {
            let first = args.remove(0);
            return Some(
                format!("(({first}) |> gen_pipe({}))", args.join(", "))
                    .replace("gen_pipe", &callable.name),
            );
        }
        Some(format!("{}({})", callable.name, args.join(", ")))
    }

    /// The least there is of a type: a name, or a literal.
    fn leaf(&mut self, ty: &Ty) -> String {
        let fits: Vec<String> = self
            .scope
            .iter()
            .filter(|(_, of)| of == ty)
            .map(|(name, _)| name.clone())
            .collect();
        if let Some(name) = self.dice.pick(&fits).filter(|_| !fits.is_empty()) {
            return name.clone();
        }
        match ty {
            Ty::Int => self
                .dice
                .word(&[
                    "0",
                    "1",
                    "2",
                    "3",
                    "7",
                    "1_000",
                    "(-1)",
                    "9223372036854775807",
                    "(0 - 5)",
                ])
                .into(),
            Ty::Str => self
                .dice
                .word(&[
                    "\"\"",
                    "\"a\"",
                    "\"a b\"",
                    "\"\\n\\t\\\"\\\\\"",
                    "\"\\{x}\"",
                    "\"é😀\"",
                    "\"\\x41\"",
                    "\"\\u{301}\"",
                    "\"{ 1 }\"",
                    "\"${1}\"",
                ])
                .into(),
            Ty::Bool => self.dice.word(&["true", "false"]).into(),
            // What an empty list is a list of is only known in some places.
            Ty::List(_) if self.dice.one_in(8) => "[]".into(),
            Ty::List(item) => format!("[{}]", self.leaf(item)),
            Ty::Set(item) => format!("set_from_list([{}])", self.leaf(item)),
            Ty::Optional(_) => "none".into(),
            Ty::Map(value) => format!("{{ \"k\": {} }}", self.leaf(value)),
            Ty::Function(from, to) => {
                let name = self.name("x");
                let names = [(name.clone(), (**from).clone())];
                let body = self.with(&names, |maker| maker.leaf(to));
                format!("({name} => {body})")
            }
            Ty::Declared(index) => self.built(*index, 0),
        }
    }

    /// A value of a declared type.
    fn built(&mut self, index: usize, depth: usize) -> String {
        let Some(declared) = self.types.get(index).cloned() else {
            return "()".into();
        };
        let variants = declared.variants;
        let Some(variant) = self.dice.pick(&variants).cloned() else {
            return "()".into();
        };
        let Variant {
            name,
            fields,
            positional,
        } = variant;
        // A type is made of those before it, so this ends.
        let values: Vec<String> = fields
            .iter()
            .map(|(_, ty)| self.expression(ty, depth))
            .collect();
        if fields.is_empty() {
            return name;
        }
        if positional {
            return format!("{name}({})", values.join(", "));
        }
        let mut inits: Vec<String> = fields
            .iter()
            .zip(values)
            .map(|((field, _), value)| format!("{field}: {value}"))
            .collect();
        if self.dice.one_in(3) {
            inits.reverse();
        }
        let separator = self.dice.word(&[", ", "\n", ",\n"]);
        format!("{name} {{ {} }}", inits.join(separator))
    }

    /// What only values of that type come from.
    fn of_type(&mut self, ty: &Ty, depth: usize) -> String {
        match ty {
            Ty::Int => self.int(depth),
            Ty::Str => self.text(depth),
            Ty::Bool => self.truth(depth),
            Ty::List(item) => self.list(item, depth),
            Ty::Optional(inner) => {
                let value = self.expression(inner, depth);
                match self.dice.below(3) {
                    0 => {
                        let items = self.expression(&Ty::List(inner.clone()), depth);
                        format!("first({items})")
                    }
                    1 => {
                        let map = self.expression(&Ty::Map(inner.clone()), depth);
                        let key = self.expression(&Ty::Str, depth);
                        format!("map_get({map}, {key})")
                    }
                    _ => format!("Present {{ value: {value} }}"),
                }
            }
            Ty::Map(inner) => {
                let (a, b) = (self.expression(inner, depth), self.expression(inner, depth));
                match self.dice.below(3) {
                    0 => format!("{{ \"a\": {a}, \"b\": {b} }}"),
                    1 => {
                        let map = self.expression(ty, depth);
                        format!("map_insert({map}, \"c\", {a})")
                    }
                    _ => format!("{{ \"k\": {a} }}"),
                }
            }
            Ty::Set(inner) => {
                let items = self.expression(&Ty::List(inner.clone()), depth);
                match self.dice.below(2) {
                    0 => format!("set_from_list({items})"),
                    _ => {
                        let item = self.expression(inner, depth);
                        let set = self.expression(ty, depth);
                        format!("set_insert({set}, {item})")
                    }
                }
            }
            Ty::Function(from, to) => {
                let name = self.name("x");
                let names = [(name.clone(), (**from).clone())];
                let body = self.with(&names, |maker| maker.expression(to, depth));
                format!("({name} => {body})")
            }
            Ty::Declared(index) => self.built(*index, depth),
        }
    }

    fn int(&mut self, depth: usize) -> String {
        let (a, b) = (
            self.expression(&Ty::Int, depth),
            self.expression(&Ty::Int, depth),
        );
        match self.dice.below(9) {
            0 => format!("({a} {} {b})", self.dice.word(&["+", "-", "*", "/", "%"])),
            1 => format!("({a}\n  + {b} * 2)"),
            2 => format!("(-({a}))"),
            3 => {
                let ty = self.ty(1);
                let items = self.expression(&Ty::List(Box::new(ty)), depth);
                format!("count({items})")
            }
            4 => format!("sum([{a}, {b}])"),
            5 => format!("{}({a}, {b})", self.dice.word(&["min", "max"])),
            6 => {
                let text = self.expression(&Ty::Str, depth);
                format!("(parse_int({text}) ?? {a})")
            }
            7 => format!("[{a}, {b}].fold(0, (m, n) => m + n)"),
            _ => {
                let text = self.expression(&Ty::Str, depth);
                format!("({text} |> count)")
            }
        }
    }

    fn text(&mut self, depth: usize) -> String {
        let (a, b) = (
            self.expression(&Ty::Str, depth),
            self.expression(&Ty::Str, depth),
        );
        match self.dice.below(7) {
            0 => format!("({a} + {b})"),
            1 => {
                let shown = self.expression(&Ty::Int, depth);
                format!("\"n: {{({shown})}} \\{{ {{({a})}}\"")
            }
            2 => {
                let ty = self.ty(1);
                let value = self.expression(&ty, depth);
                match (self.compares(&ty), &ty) {
                    // What the value is, is known by its own form only in some places.
                    (true, Ty::Int | Ty::Str | Ty::Bool) => format!("to_string({value})"),
                    _ => a,
                }
            }
            3 => format!("join([{a}, {b}], \", \")"),
            4 => format!("{}({a})", self.dice.word(&["trim", "to_lower", "to_upper"])),
            5 => format!("({a} |> replace({b}, \"x\"))"),
            _ => {
                let n = self.expression(&Ty::Int, depth);
                format!("(({n}) as String)")
            }
        }
    }

    fn truth(&mut self, depth: usize) -> String {
        let (a, b) = (
            self.expression(&Ty::Bool, depth),
            self.expression(&Ty::Bool, depth),
        );
        match self.dice.below(7) {
            0 => format!("({a} {} {b})", self.dice.word(&["&&", "||"])),
            1 => format!("(!({a}))"),
            2 | 3 => {
                let (x, y) = (
                    self.expression(&Ty::Int, depth),
                    self.expression(&Ty::Int, depth),
                );
                format!(
                    "({x} {} {y})",
                    self.dice.word(&["==", "!=", "<", "<=", ">", ">="])
                )
            }
            4 => {
                let items = self.expression(&Ty::List(Box::new(Ty::Int)), depth);
                let name = self.name("x");
                let names = [(name.clone(), Ty::Int)];
                let body = self.with(&names, |maker| maker.expression(&Ty::Bool, depth));
                format!(
                    "{}({items}, {name} => {body})",
                    self.dice.word(&["any", "all"])
                )
            }
            _ => {
                // Two names of one type, whose parts are known.
                let fits: Vec<(String, Ty)> = self
                    .scope
                    .iter()
                    .filter(|(_, ty)| self.compares(ty))
                    .cloned()
                    .collect();
                match self.dice.pick(&fits).cloned() {
                    Some((name, ty)) => {
                        let other = self.leaf(&ty);
                        format!("({name} {} {other})", self.dice.word(&["==", "!="]))
                    }
                    None => format!("({a} == {b})"),
                }
            }
        }
    }

    fn list(&mut self, item: &Ty, depth: usize) -> String {
        let list = Ty::List(Box::new(item.clone()));
        let name = self.name("x");
        match self.dice.below(7) {
            0 => {
                let from = self.ty(1);
                let items = self.expression(&Ty::List(Box::new(from.clone())), depth);
                let names = [(name.clone(), from)];
                let body = self.with(&names, |maker| maker.expression(item, depth));
                match self.dice.below(2) {
                    0 => format!("map({items}, {name} => {body})"),
                    _ => format!("(for {name} in {items} {{ {body} }})"),
                }
            }
            1 => {
                let items = self.expression(&list, depth);
                let names = [(name.clone(), item.clone())];
                let body = self.with(&names, |maker| maker.expression(&Ty::Bool, depth));
                format!("(({items})\n  |> filter({name} => {body}))")
            }
            2 => {
                let (a, b) = (self.expression(&list, depth), self.expression(&list, depth));
                format!("({a} + {b})")
            }
            3 if *item == Ty::Int => {
                let end = self.expression(&Ty::Int, 0);
                format!("(0..{end})")
            }
            4 => {
                let items = self.expression(&list, depth);
                format!("reverse({items})")
            }
            _ => {
                let items: Vec<String> = (0..self.dice.below(4))
                    .map(|_| self.expression(item, depth))
                    .collect();
                format!("[{}]", items.join(self.dice.word(&[", ", "\n", ",\n  "])))
            }
        }
    }

    /// A match of something whose cases are known.
    fn matched(&mut self, ty: &Ty, depth: usize) -> String {
        let mut arms: Vec<String> = Vec::new();
        let head;
        match self.dice.below(4) {
            0 => {
                head = self.expression(&Ty::Bool, depth);
                let (a, b) = (self.expression(ty, depth), self.expression(ty, depth));
                arms.push(format!("true => {a}"));
                arms.push(format!("{} => {b}", self.dice.word(&["false", "_"])));
            }
            1 => {
                head = self.expression(&Ty::Int, depth);
                let name = self.name("n");
                let (a, b) = (self.expression(ty, depth), self.expression(ty, depth));
                arms.push(format!("0 => {a}"));
                let names = [(name.clone(), Ty::Int)];
                let guard = self.with(&names, |maker| maker.expression(&Ty::Bool, 1));
                let guarded = self.with(&names, |maker| maker.expression(ty, depth));
                arms.push(format!("{name} if ({guard}) => {guarded}"));
                arms.push(format!("_ => {{ {b} }}"));
            }
            2 => {
                let inner = self.ty(1);
                let inner = if matches!(inner, Ty::Optional(_)) {
                    Ty::Int
                } else {
                    inner
                };
                let fits = Ty::Optional(Box::new(inner.clone()));
                let shown = self.shown(&fits);
                let value = self.expression(&fits, depth);
                let local = self.name("o");
                let name = self.name("v");
                let names = [(name.clone(), inner)];
                let present = self.with(&names, |maker| maker.expression(ty, depth));
                let absent = self.expression(ty, depth);
                let absence = self.dice.word(&["Absent", "none", "_"]);
                return format!(
                    "({{\n  let {local}: {shown} = {value}\n  match {local} {{\n    Present {{ value: {name} }} => {present}\n    {absence} => {absent}\n  }}\n}})"
                );
            }
            _ => {
                let sums: Vec<usize> = (0..self.types.len())
                    .filter(|at| self.types.get(*at).is_some_and(|declared| !declared.record))
                    .collect();
                let Some(index) = self.dice.pick(&sums).copied() else {
                    return self.leaf(ty);
                };
                head = self.expression(&Ty::Declared(index), depth);
                let variants = self
                    .types
                    .get(index)
                    .map(|declared| declared.variants.clone());
                for variant in variants.unwrap_or_default() {
                    arms.push(self.arm(&variant, ty, depth));
                }
            }
        }
        let separator = self.dice.word(&["\n  ", ",\n  "]);
        format!("(match ({head}) {{\n  {}\n}})", arms.join(separator))
    }

    fn arm(&mut self, variant: &Variant, ty: &Ty, depth: usize) -> String {
        let mut names = Vec::new();
        let mut parts = Vec::new();
        for (field, of) in &variant.fields {
            match self.dice.below(3) {
                0 => parts.push(format!("{field}: _")),
                1 if !variant.positional => {
                    parts.push(field.clone());
                    names.push((field.clone(), of.clone()));
                }
                _ => {
                    let name = self.name("v");
                    parts.push(format!("{field}: {name}"));
                    names.push((name, of.clone()));
                }
            }
        }
        let body = self.with(&names, |maker| maker.expression(ty, depth));
        let name = &variant.name;
        match parts.first() {
            None => format!("{name} => {body}"),
            Some(part) if variant.positional => {
                let inner = part.split_once(": ").map_or("_", |(_, inner)| inner);
                format!("{name}({inner}) => {body}")
            }
            Some(_) => format!("{name} {{ {} }} => {body}", parts.join(", ")),
        }
    }
}
