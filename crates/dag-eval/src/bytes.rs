//! Values as bytes: to be kept, and to be told apart by a digest.
//!
//! One value has one form. Functions have none; nor have records without a name, whose
//! number is another in every run, values that are nested too deep to be read back on any
//! stack, and values of a module that has no mark.

use crate::heap;
use crate::map::{Map, Set};
use crate::value::Value;
use dag_analysis::Digest;
use dag_analysis::core::{Ctor, ModuleId, TypeRef};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// How deep values may lie in each other.
const DEPTH: u32 = 100;

/// How a module is called in bytes: the same name, the same text of it and of all that it
/// may reach.
type Mark = [u8; 16];

/// The marks of a program's modules.
pub(crate) struct Marks {
    digests: Vec<Digest>,
    modules: OnceLock<FxHashMap<Mark, ModuleId>>,
}

impl Marks {
    /// By the digests of what each module may reach, in the order of their numbers.
    pub(crate) fn new(digests: Vec<Digest>) -> Self {
        Self {
            digests,
            modules: OnceLock::new(),
        }
    }

    /// The digest that a module's mark is made of; none if it has none.
    pub(crate) fn digest(&self, module: ModuleId) -> Option<&Digest> {
        self.digests.get(module.0 as usize)
    }

    fn mark(&self, module: ModuleId) -> Option<Mark> {
        self.digest(module)?.first_chunk().copied()
    }

    fn module(&self, mark: &Mark) -> Option<ModuleId> {
        let modules = self.modules.get_or_init(|| {
            let ids = (0..self.digests.len() as u32).map(ModuleId);
            ids.filter_map(|id| Some((self.mark(id)?, id))).collect()
        });
        modules.get(mark).copied()
    }
}

/// What stands before each value.
mod tag {
    pub(super) const UNIT: u8 = 0;
    pub(super) const FALSE: u8 = 1;
    pub(super) const TRUE: u8 = 2;
    pub(super) const INT: u8 = 3;
    pub(super) const FLOAT: u8 = 4;
    pub(super) const TEXT: u8 = 5;
    pub(super) const LIST: u8 = 6;
    pub(super) const MAP: u8 = 7;
    pub(super) const SET: u8 = 8;
    /// A record or variant of the module that the one before was of.
    pub(super) const DATA: u8 = 9;
    /// A record or variant; its module's mark follows.
    pub(super) const DATA_OF: u8 = 10;
}

/// Writes values one behind the other.
pub(crate) struct Writer<'m> {
    pub(crate) out: Vec<u8>,
    marks: &'m Marks,
    limit: usize,
    module: Option<ModuleId>,
    /// What the values weigh when they are read back, sharing nothing.
    weight: usize,
}

impl<'m> Writer<'m> {
    /// For values of so many bytes together, about.
    pub(crate) fn new(marks: &'m Marks, limit: usize) -> Self {
        Self {
            out: Vec::new(),
            marks,
            limit,
            module: None,
            weight: 0,
        }
    }

    /// Whether what was written weighs about as much as its bytes when it is read back: a
    /// part that many places shared is there many times then.
    pub(crate) fn is_light(&self) -> bool {
        self.weight <= 512 + 16 * self.out.len()
    }

    /// Writes a value. Whether it has such a form, and a short enough one; if not, what
    /// was written is worth nothing.
    pub(crate) fn write(&mut self, value: &Value) -> bool {
        self.value(value, 0).is_some()
    }

    fn value(&mut self, value: &Value, depth: u32) -> Option<()> {
        if depth > DEPTH || self.out.len() > self.limit {
            return None;
        }
        match value {
            Value::Unit => self.out.push(tag::UNIT),
            Value::Bool(b) => self.out.push(if *b { tag::TRUE } else { tag::FALSE }),
            Value::Int(n) => {
                self.out.push(tag::INT);
                self.number(((n << 1) ^ (n >> 63)).cast_unsigned());
            }
            Value::Float(n) => {
                self.out.push(tag::FLOAT);
                self.out.extend_from_slice(&n.to_bits().to_le_bytes());
            }
            Value::Str(text) => {
                self.weight += heap::text(text.len());
                self.out.push(tag::TEXT);
                self.number(text.len() as u64);
                self.out.extend_from_slice(text.as_bytes());
            }
            Value::List(items) => self.values(tag::LIST, items.len(), items.iter(), depth)?,
            Value::Set(set) => self.values(tag::SET, set.len(), set.items().iter(), depth)?,
            Value::Map(map) => {
                let both = map.iter().flat_map(|(key, value)| [key, value]);
                self.values(tag::MAP, map.len(), both, depth)?;
            }
            Value::Data(data) => {
                let Ctor { ty, variant } = data.ctor;
                if self.module == Some(ty.module) {
                    self.out.push(tag::DATA);
                } else {
                    let mark = self.marks.mark(ty.module)?;
                    self.out.push(tag::DATA_OF);
                    self.out.extend_from_slice(&mark);
                    self.module = Some(ty.module);
                }
                self.weight += heap::record(data.fields.len());
                self.number(u64::from(ty.index));
                self.number(u64::from(variant));
                self.number(data.fields.len() as u64);
                for field in &data.fields {
                    self.value(field, depth + 1)?;
                }
            }
            Value::Closure(_) | Value::Function(_) => return None,
        }
        Some(())
    }

    fn values<'v>(
        &mut self,
        tag: u8,
        len: usize,
        values: impl Iterator<Item = &'v Value>,
        depth: u32,
    ) -> Option<()> {
        self.weight += heap::list(len);
        self.out.push(tag);
        self.number(len as u64);
        for value in values {
            self.value(value, depth + 1)?;
        }
        Some(())
    }

    fn number(&mut self, n: u64) {
        write_number(n, &mut self.out);
    }
}

/// Writes a number, seven bits a byte, the lowest first.
pub(crate) fn write_number(mut n: u64, out: &mut Vec<u8>) {
    while n >= 0x80 {
        out.push(n as u8 | 0x80);
        n >>= 7;
    }
    out.push(n as u8);
}

/// Reads what was written; gives nothing for bytes that were not.
pub(crate) struct Reader<'b> {
    rest: &'b [u8],
}

impl<'b> Reader<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Bytes that are left.
    pub(crate) fn left(&self) -> usize {
        self.rest.len()
    }

    pub(crate) fn bytes(&mut self, len: usize) -> Option<&'b [u8]> {
        let (bytes, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(bytes)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.bytes(N)?.first_chunk().copied()
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        let mut n = 0;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
            n |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(n);
            }
        }
        None
    }

    /// A length of things that take a byte each at least.
    pub(crate) fn len(&mut self) -> Option<usize> {
        let len = usize::try_from(self.number()?).ok()?;
        (len <= self.left()).then_some(len)
    }

    /// A value that is all of the bytes.
    pub(crate) fn whole(mut self, marks: &Marks) -> Option<Value> {
        let value = self.value(marks, &mut None, 0)?;
        self.rest.is_empty().then_some(value)
    }

    fn value(&mut self, marks: &Marks, module: &mut Option<ModuleId>, depth: u32) -> Option<Value> {
        if depth > DEPTH {
            return None;
        }
        let [tag] = self.array()?;
        Some(match tag {
            tag::UNIT => Value::Unit,
            tag::FALSE => Value::Bool(false),
            tag::TRUE => Value::Bool(true),
            tag::INT => {
                let n = self.number()?;
                Value::Int((n >> 1).cast_signed() ^ -((n & 1).cast_signed()))
            }
            tag::FLOAT => Value::Float(f64::from_bits(u64::from_le_bytes(self.array()?))),
            tag::TEXT => {
                let len = self.len()?;
                Value::text(std::str::from_utf8(self.bytes(len)?).ok()?)
            }
            tag::LIST => {
                let len = self.len()?;
                Value::List(self.values(len, marks, module, depth)?.into())
            }
            tag::SET => {
                let len = self.len()?;
                Value::Set(Set::of_sorted(self.values(len, marks, module, depth)?))
            }
            tag::MAP => {
                let len = self.len()?;
                let mut both = self.values(len * 2, marks, module, depth)?.into_iter();
                let pairs = std::iter::from_fn(|| Some((both.next()?, both.next()?)));
                Value::Map(Map::of_sorted(pairs.collect()))
            }
            tag::DATA | tag::DATA_OF => {
                if tag == tag::DATA_OF {
                    *module = Some(marks.module(&self.array()?)?);
                }
                let ctor = Ctor {
                    ty: TypeRef {
                        module: (*module)?,
                        index: u32::try_from(self.number()?).ok()?,
                    },
                    variant: u32::try_from(self.number()?).ok()?,
                };
                let len = self.len()?;
                Value::data(ctor, self.values(len, marks, module, depth)?)
            }
            _ => return None,
        })
    }

    fn values(
        &mut self,
        len: usize,
        marks: &Marks,
        module: &mut Option<ModuleId>,
        depth: u32,
    ) -> Option<Vec<Value>> {
        let mut values = Vec::with_capacity(len.min(self.left()));
        for _ in 0..len {
            values.push(self.value(marks, module, depth + 1)?);
        }
        Some(values)
    }
}

#[cfg(test)]
mod tests {
    use super::{Marks, Reader, Writer};
    use crate::map::{Map, Set};
    use crate::value::Value;
    use dag_analysis::core::{Ctor, ModuleId, TypeRef};
    use proptest::prelude::*;

    fn marks() -> Marks {
        Marks::new((0..3).map(|n| [n; 32]).collect())
    }

    fn bytes(value: &Value) -> Option<Vec<u8>> {
        let marks = marks();
        let mut writer = Writer::new(&marks, 1 << 20);
        writer.write(value).then_some(writer.out)
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Unit),
            any::<bool>().prop_map(Value::Bool),
            any::<i64>().prop_map(Value::Int),
            any::<f64>()
                .prop_filter("finite", |n| n.is_finite())
                .prop_map(Value::Float),
            ".{0,12}".prop_map(|text| Value::text(&text)),
        ];
        leaf.prop_recursive(5, 60, 6, |inner| {
            let many = proptest::collection::vec(inner, 0..6);
            prop_oneof![
                many.clone().prop_map(Value::list),
                proptest::collection::btree_set(any::<i64>(), 0..5).prop_map(|set| {
                    Value::Set(Set::of_sorted(
                        set.into_iter().map(Value::Int).collect::<Vec<_>>(),
                    ))
                }),
                many.clone().prop_map(|values| {
                    let keys = (0..).map(Value::Int);
                    Value::Map(Map::of_sorted(keys.zip(values).collect()))
                }),
                (many, 0..3u32, 0..4u32, 0..300u32).prop_map(|(fields, module, index, variant)| {
                    let module = ModuleId(module);
                    let ty = TypeRef { module, index };
                    Value::data(Ctor { ty, variant }, fields)
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn a_value_is_read_back_as_it_was(value in values()) {
            let written = bytes(&value).unwrap();
            let read = Reader::new(&written).whole(&marks()).unwrap();
            prop_assert!(read == value);
            prop_assert_eq!(bytes(&read).unwrap(), written);
        }

        #[test]
        fn other_values_have_other_bytes(a in values(), b in values()) {
            prop_assert_eq!(bytes(&a) == bytes(&b), a == b);
        }

        #[test]
        fn bytes_that_nobody_wrote_do_no_harm(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            let _ = Reader::new(&bytes).whole(&marks());
        }
    }

    #[test]
    fn what_has_no_form_is_not_written() {
        let ty = TypeRef {
            module: ModuleId::UNNAMED,
            index: 0,
        };
        let unnamed = Value::data(Ctor { ty, variant: 0 }, [Value::Unit]);
        assert_eq!(bytes(&Value::list([unnamed])), None);
        let mut deep = Value::Unit;
        for _ in 0..200 {
            deep = Value::list([deep]);
        }
        assert_eq!(bytes(&deep), None);
        let marks = marks();
        let long = Value::list((0..100).map(Value::Int));
        assert!(!Writer::new(&marks, 50).write(&long));
    }
}
