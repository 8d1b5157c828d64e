//! The engine's functions that take no function. `lib/std/prelude.dag` says
//! what each does.

use crate::arithmetic;
use crate::digest;
use crate::equality;
use crate::heap;
use crate::list::List;
use crate::machine::{Machine, present};
use crate::refusal::{Step, broken, refuse, too_large};
use crate::text::Text;
use crate::value::Value;
use dag_analysis::Kernel;
use dag_analysis::core::{Ctor, Intrinsic};
use dag_syntax::Code;
use rustc_hash::FxHashMap;
use unicode_ident::{is_xid_continue, is_xid_start};

impl Machine<'_> {
    fn pop_int(&mut self) -> Step<i64> {
        match self.pop()? {
            Value::Int(n) => Ok(n),
            _ => Err(broken("no Int")),
        }
    }

    fn pop_float(&mut self) -> Step<f64> {
        match self.pop()? {
            Value::Float(n) => Ok(n),
            _ => Err(broken("no Float")),
        }
    }

    /// A Unicode scalar value, if the number is one.
    fn pop_char(&mut self) -> Step<Option<char>> {
        let code = u32::try_from(self.pop_int()?).ok();
        Ok(code.and_then(char::from_u32))
    }

    fn pop_text(&mut self) -> Step<Text> {
        match self.pop()? {
            Value::Str(text) => Ok(text),
            _ => Err(broken("no String")),
        }
    }

    fn pop_list(&mut self) -> Step<List> {
        match self.pop()? {
            Value::List(list) => Ok(list),
            _ => Err(broken("no List")),
        }
    }

    /// A text that is walked.
    fn pop_walked_text(&mut self) -> Step<Text> {
        let text = self.pop_text()?;
        self.charge(text.len())?;
        Ok(text)
    }

    /// A text that is walked, and of which no more is copied than there is.
    fn pop_long_text(&mut self) -> Step<Text> {
        let text = self.pop_walked_text()?;
        self.allocate(heap::text(text.len()))?;
        Ok(text)
    }

    /// A list that is walked.
    fn pop_walked_list(&mut self) -> Step<List> {
        let list = self.pop_list()?;
        self.charge(list.len())?;
        Ok(list)
    }

    /// A list that is walked and copied. What is built of each of its items has so many
    /// bytes besides. It is alive while room is made for the copy.
    fn pop_long_list(&mut self, each: usize) -> Step<List> {
        if let Some(Value::List(list)) = self.stack.last() {
            let len = list.len();
            self.allocate(heap::list(len).saturating_add(len.saturating_mul(each)))?;
        }
        self.pop_walked_list()
    }

    /// A list of which parts are shared.
    fn pop_shared_list(&mut self) -> Step<List> {
        let list = self.pop_list()?;
        self.allocate(heap::edit(list.len()))?;
        Ok(list)
    }

    /// The pattern that is looked for in a text, which is read before.
    fn pop_pattern(&mut self) -> Step<Text> {
        self.pop_walked_text()
    }

    fn kernel(&self) -> Step<&Kernel> {
        let kernel = self.evaluator.kernel();
        kernel.ok_or_else(|| broken("a program without `std.types`"))
    }

    pub(crate) fn optional(&self, value: Option<Value>) -> Step<Value> {
        let kernel = self.kernel()?;
        Ok(match value {
            Some(value) => Value::data(kernel.present(), [value]),
            None => Value::data(kernel.absent(), []),
        })
    }

    pub(crate) fn pair(&self) -> Step<Ctor> {
        Ok(Ctor {
            ty: self.kernel()?.pair,
            variant: 0,
        })
    }

    /// Pops the arguments of an engine's function and pushes its result.
    pub(crate) fn intrinsic(&mut self, op: Intrinsic) -> Step<()> {
        // What it gives is at least a value; whatever is larger is paid where it is built.
        self.allocate(heap::record(1))?;
        let value = match op {
            Intrinsic::ListFold
            | Intrinsic::ListMap
            | Intrinsic::ListFilter
            | Intrinsic::ListFlatMap
            | Intrinsic::ListFilterMap
            | Intrinsic::ListAny
            | Intrinsic::ListAll
            | Intrinsic::ListFind
            | Intrinsic::ListSortBy
            | Intrinsic::ListMinBy
            | Intrinsic::ListMaxBy
            | Intrinsic::ListGroupBy
            | Intrinsic::ListIndexBy
            | Intrinsic::ListPartition => return Err(broken("a loop that is not compiled")),

            Intrinsic::ListLength => Value::Int(self.pop_list()?.len() as i64),
            Intrinsic::ListIsEmpty => Value::Bool(self.pop_list()?.is_empty()),
            Intrinsic::ListFirst => {
                let list = self.pop_list()?;
                self.optional(list.first().cloned())?
            }
            Intrinsic::ListLast => {
                let list = self.pop_list()?;
                self.optional(list.last().cloned())?
            }
            Intrinsic::ListGet => {
                let (index, list) = (self.pop_int()?, self.pop_list()?);
                let index = usize::try_from(index).ok();
                self.optional(index.and_then(|i| list.get(i)).cloned())?
            }
            Intrinsic::ListSkip => {
                let (n, list) = (self.pop_int()?, self.pop_shared_list()?);
                let n = usize::try_from(n).unwrap_or(list.len());
                Value::List(list.skip(n))
            }
            Intrinsic::ListTake => {
                let (n, list) = (self.pop_int()?, self.pop_shared_list()?);
                let n = usize::try_from(n).unwrap_or(list.len());
                Value::List(list.take(n))
            }
            Intrinsic::ListReverse => {
                let list = self.pop_long_list(heap::COLLECTED)?;
                let mut items: Vec<Value> = list.iter().cloned().collect();
                items.reverse();
                Value::List(items.into())
            }
            Intrinsic::ListConcat | Intrinsic::StringConcat => {
                let (b, a) = (self.pop()?, self.pop()?);
                self.concat(a, b)?
            }
            Intrinsic::ListAppend => {
                let (item, mut list) = (self.pop()?, self.pop_shared_list()?);
                self.check_items(list.len() + 1)?;
                list.push(item);
                Value::List(list)
            }
            Intrinsic::ListContains => {
                let (wanted, list) = (self.pop()?, self.pop_list()?);
                let mut found = false;
                for item in &list {
                    // Paid before: a short comparison is free of steps.
                    self.charge(32)?;
                    if self.equal(item, &wanted)? {
                        found = true;
                        break;
                    }
                }
                Value::Bool(found)
            }
            Intrinsic::ListJoin => self.join()?,
            Intrinsic::ListEnumerate => {
                let list = self.pop_long_list(heap::record(2))?;
                let pair = self.pair()?;
                let pairs = (0..).zip(&list);
                let pairs = pairs.map(|(i, item)| Value::data(pair, [Value::Int(i), item.clone()]));
                Value::list(pairs)
            }
            Intrinsic::ListZip => {
                let (b, a) = (
                    self.pop_walked_list()?,
                    self.pop_long_list(heap::record(2))?,
                );
                let pair = self.pair()?;
                let pairs = a.iter().zip(&b);
                let pairs = pairs.map(|(a, b)| Value::data(pair, [a.clone(), b.clone()]));
                Value::list(pairs)
            }
            Intrinsic::ListDedup => self.dedup()?,
            Intrinsic::ListSort => {
                let list = self.pop_long_list(2 * heap::COLLECTED)?;
                self.sorted(list.iter().cloned().collect())?
            }
            Intrinsic::ListChunks => self.chunks()?,
            Intrinsic::ListWindows => self.windows()?,
            Intrinsic::ListSum => {
                let list = self.pop_walked_list()?;
                // Wide, so that only the sum itself can overflow, in no order.
                let sum: i128 = list.iter().filter_map(Value::as_int).map(i128::from).sum();
                match i64::try_from(sum) {
                    Ok(sum) => Value::Int(sum),
                    Err(_) => {
                        let message = format!("the sum {sum} does not fit in 64 bits, signed");
                        return refuse(Code::Overflow, message);
                    }
                }
            }
            Intrinsic::ListSumFloats => {
                let list = self.pop_walked_list()?;
                let sum: f64 = list
                    .iter()
                    .filter_map(Value::as_float)
                    .fold(0.0, |a, b| a + b);
                Value::Float(arithmetic::finite(sum, || "the sum".into())?)
            }
            Intrinsic::ListRange => {
                let (end, start) = (self.pop_int()?, self.pop_int()?);
                let len = (i128::from(end) - i128::from(start)).max(0);
                // Both limits before any memory is taken.
                let len = usize::try_from(len).unwrap_or(usize::MAX);
                if len > self.limits.list_items {
                    let what = format!("the length of the range {start}..{end}");
                    return Err(too_large(&what, self.limits.list_items));
                }
                self.charge(len)?;
                self.allocate(heap::list(len).saturating_mul(2))?;
                Value::list((start..end).map(Value::Int))
            }

            Intrinsic::StringLength => {
                let text = self.pop_walked_text()?;
                Value::Int(text.char_count() as i64)
            }
            Intrinsic::StringIsEmpty => Value::Bool(self.pop_text()?.is_empty()),
            Intrinsic::StringContains => {
                let (pattern, text) = (self.pop_pattern()?, self.pop_walked_text()?);
                Value::Bool(text.contains(pattern.as_str()))
            }
            Intrinsic::StringStartsWith => {
                let (prefix, text) = (self.pop_pattern()?, self.pop_text()?);
                Value::Bool(text.starts_with(prefix.as_str()))
            }
            Intrinsic::StringEndsWith => {
                let (suffix, text) = (self.pop_pattern()?, self.pop_text()?);
                Value::Bool(text.ends_with(suffix.as_str()))
            }
            Intrinsic::StringSplit => self.split()?,
            Intrinsic::StringReplace => self.replace()?,
            Intrinsic::StringTrim => {
                let text = self.pop_long_text()?;
                Value::text(text.trim())
            }
            Intrinsic::StringTrimStart => {
                let text = self.pop_long_text()?;
                Value::text(text.trim_start())
            }
            Intrinsic::StringTrimEnd => {
                let text = self.pop_long_text()?;
                Value::text(text.trim_end())
            }
            Intrinsic::StringIndexOf => {
                let (pattern, text) = (self.pop_pattern()?, self.pop_walked_text()?);
                let before = text.find(pattern.as_str()).and_then(|at| text.get(..at));
                let index = before.map(|before| before.chars().count() as i64);
                self.optional(index.map(Value::Int))?
            }
            Intrinsic::StringLines => {
                let text = self.pop_walked_text()?;
                self.pieces(text.lines())?
            }
            Intrinsic::StringWords => {
                let text = self.pop_walked_text()?;
                self.pieces(text.split_whitespace())?
            }
            Intrinsic::StringToLower => {
                let text = self.pop_long_text()?;
                Value::from(text.to_ascii_lowercase())
            }
            Intrinsic::StringToUpper => {
                let text = self.pop_long_text()?;
                Value::from(text.to_ascii_uppercase())
            }
            Intrinsic::StringRepeat => {
                let (n, text) = (self.pop_int()?, self.pop_text()?);
                let n = usize::try_from(n.max(0)).unwrap_or(usize::MAX);
                let len = text.len().saturating_mul(n);
                self.check_bytes(len)?;
                self.charge(len)?;
                self.allocate(heap::text(len))?;
                // A huge count of nothing is nothing.
                Value::from(text.repeat(if text.is_empty() { 0 } else { n }))
            }
            Intrinsic::StringSubstring => {
                let (end, start) = (self.pop_int()?, self.pop_int()?);
                let text = self.pop_text()?;
                let count = text.char_count();
                if count != text.len() {
                    self.charge(text.len())?;
                }
                let clamp = |n: i64| usize::try_from(n.max(0)).unwrap_or(count).min(count);
                let (start, end) = (clamp(start), clamp(end));
                let piece = text.substring(start, end.max(start));
                self.charge(piece.len())?;
                self.allocate(heap::text(piece.len()))?;
                Value::text(piece)
            }
            Intrinsic::StringChars => {
                let text = self.pop_text()?;
                self.check_items(text.char_count())?;
                self.charge(text.len())?;
                self.allocate(heap::list(text.char_count()).saturating_mul(2))?;
                Value::list(text.chars().map(|c| Value::Int(i64::from(u32::from(c)))))
            }
            Intrinsic::StringFromChars => {
                // Up to four bytes a character.
                let list = self.pop_long_list(8)?;
                self.check_bytes(list.len())?;
                let chars = list.iter().map(|c| {
                    let c = c.as_int().and_then(|c| u32::try_from(c).ok());
                    c.and_then(char::from_u32)
                        .unwrap_or(char::REPLACEMENT_CHARACTER)
                });
                let text: String = chars.collect();
                self.check_bytes(text.len())?;
                Value::from(text)
            }

            Intrinsic::ToText => {
                let value = self.pop()?;
                self.shown(value)?
            }
            Intrinsic::ParseInt => {
                let text = self.pop_walked_text()?;
                let digits = text.strip_prefix('-').unwrap_or(&text);
                let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
                let number = plain.then(|| text.parse().ok()).flatten();
                self.optional(number.map(Value::Int))?
            }
            Intrinsic::ParseFloat => {
                let text = self.pop_walked_text()?;
                self.optional(arithmetic::parse_float(&text).map(Value::Float))?
            }
            Intrinsic::IsSome => {
                let value = self.pop()?;
                Value::Bool(present(value)?.is_some())
            }
            Intrinsic::Min => {
                let (b, a) = (self.pop_int()?, self.pop_int()?);
                Value::Int(a.min(b))
            }
            Intrinsic::Max => {
                let (b, a) = (self.pop_int()?, self.pop_int()?);
                Value::Int(a.max(b))
            }
            Intrinsic::IntPow => {
                let (exponent, base) = (self.pop_int()?, self.pop_int()?);
                Value::Int(arithmetic::pow(base, exponent)?)
            }
            Intrinsic::FloatRound => Value::Int(arithmetic::to_int(self.pop_float()?.round())?),
            Intrinsic::FloatFloor => Value::Int(arithmetic::to_int(self.pop_float()?.floor())?),
            Intrinsic::FloatCeil => Value::Int(arithmetic::to_int(self.pop_float()?.ceil())?),
            Intrinsic::IsXidStart => Value::Bool(self.pop_char()?.is_some_and(is_xid_start)),
            Intrinsic::IsXidContinue => Value::Bool(self.pop_char()?.is_some_and(is_xid_continue)),
            Intrinsic::Discriminant => {
                let value = self.pop()?;
                match value.variant_name(self.evaluator.program()) {
                    Some(name) => Value::text(name.as_str()),
                    None => return Err(broken("the variant of no variant")),
                }
            }
            Intrinsic::MapEmpty
            | Intrinsic::MapFromEntries
            | Intrinsic::MapEntries
            | Intrinsic::MapInsert
            | Intrinsic::MapGet
            | Intrinsic::MapHas
            | Intrinsic::MapMerge
            | Intrinsic::MapKeys
            | Intrinsic::MapValues
            | Intrinsic::MapSize
            | Intrinsic::MapFold
            | Intrinsic::SetEmpty
            | Intrinsic::SetFromList
            | Intrinsic::SetItems
            | Intrinsic::SetInsert
            | Intrinsic::SetHas
            | Intrinsic::SetUnion
            | Intrinsic::SetIntersect
            | Intrinsic::SetDiff
            | Intrinsic::SetSize
            | Intrinsic::SetFold
            | Intrinsic::SetMap
            | Intrinsic::SetFilter
            | Intrinsic::SetAny
            | Intrinsic::SetAll => self.collection(op)?,
            Intrinsic::Blake3Hex => {
                let text = self.pop_walked_text()?;
                Value::text(&blake3::hash(text.as_bytes()).to_hex())
            }
            Intrinsic::Sha256Hex => {
                let text = self.pop_walked_text()?;
                Value::from(digest::sha256_hex(text.as_bytes()))
            }
            Intrinsic::HmacSha256Hex => {
                let (text, key) = (self.pop_walked_text()?, self.pop_walked_text()?);
                let mac = digest::hmac_sha256_hex(key.as_bytes(), text.as_bytes());
                Value::from(mac.ok_or_else(|| broken("an HMAC that refuses its key"))?)
            }
            Intrinsic::Fnv1aHex => {
                let text = self.pop_walked_text()?;
                Value::from(digest::fnv1a_hex(text.as_bytes()))
            }
        };
        self.push(value);
        Ok(())
    }

    fn join(&mut self) -> Step<Value> {
        let (separator, list) = (self.pop_text()?, self.pop_walked_list()?);
        let size = |item: &Value| item.as_str().map_or(0, str::len);
        let between = separator.len().saturating_mul(list.len().saturating_sub(1));
        let len = list
            .iter()
            .fold(between, |sum, item| sum.saturating_add(size(item)));
        self.check_bytes(len)?;
        self.charge(len)?;
        self.allocate(heap::text(len))?;
        let mut out = String::with_capacity(len);
        for (i, item) in list.iter().enumerate() {
            if i > 0 {
                out.push_str(&separator);
            }
            match item {
                Value::Str(text) => out.push_str(text),
                _ => return Err(broken("a join of no texts")),
            }
        }
        Ok(Value::from(out))
    }

    fn dedup(&mut self) -> Step<Value> {
        let list = self.pop_long_list(4 * heap::COLLECTED)?;
        // The last kept item of each digest, and for each the one before it.
        let mut latest: FxHashMap<u64, usize> = FxHashMap::default();
        let mut kept: Vec<(&Value, Option<usize>)> = Vec::new();
        for item in &list {
            let key = equality::digest(item, &mut self.fuel);
            let key = self.compared(key)?;
            let mut other = latest.get(&key).copied();
            let before = other;
            let mut fresh = true;
            while let Some((earlier, next)) = other.and_then(|at| kept.get(at)).copied() {
                if self.equal(earlier, item)? {
                    fresh = false;
                    break;
                }
                other = next;
            }
            if fresh {
                latest.insert(key, kept.len());
                kept.push((item, before));
            }
        }
        Ok(Value::list(kept.into_iter().map(|(item, _)| item.clone())))
    }

    fn split(&mut self) -> Step<Value> {
        let (separator, text) = (self.pop_pattern()?, self.pop_walked_text()?);
        if separator.is_empty() {
            self.check_items(text.char_count())?;
            self.allocate(heap::texts(text.char_count(), text.len()))?;
            let mut buffer = [0; 4];
            let chars = text
                .chars()
                .map(|c| Value::text(c.encode_utf8(&mut buffer)));
            return Ok(Value::list(chars));
        }
        self.pieces(text.split(separator.as_str()))
    }

    /// The pieces of a text, within the limit of a list. They are counted before any is
    /// copied.
    fn pieces<'t>(&mut self, pieces: impl Iterator<Item = &'t str> + Clone) -> Step<Value> {
        let most = self.limits.list_items.saturating_add(1);
        let (mut count, mut bytes) = (0, 0);
        for piece in pieces.clone().take(most) {
            count += 1;
            bytes += piece.len();
        }
        self.check_items(count)?;
        self.allocate(heap::texts(count, bytes))?;
        Ok(Value::list(pieces.map(Value::text)))
    }

    /// Pops a size of at least one.
    fn pop_size(&mut self) -> Step<usize> {
        let size = self.pop_int()?;
        match usize::try_from(size) {
            Ok(size @ 1..) => Ok(size),
            _ => Err(broken("a size that is not positive")),
        }
    }

    /// Parts of a list one after the other; the last may be shorter.
    fn chunks(&mut self) -> Step<Value> {
        let (size, list) = (self.pop_size()?, self.pop_walked_list()?);
        let mut rest = list;
        let cut = heap::edit(rest.len().min(size)).saturating_mul(2);
        self.allocate(cut.saturating_mul(rest.len().div_ceil(size)))?;
        let mut chunks = Vec::with_capacity(rest.len().div_ceil(size));
        while !rest.is_empty() {
            chunks.push(Value::List(rest.clone().take(size)));
            rest = rest.skip(size);
        }
        // A cut costs as much as a walk down the list.
        self.charge(chunks.len().saturating_mul(32))?;
        Ok(Value::list(chunks))
    }

    /// Every run of so many neighbours.
    fn windows(&mut self) -> Step<Value> {
        let (size, list) = (self.pop_size()?, self.pop_list()?);
        let count = (list.len() + 1).saturating_sub(size);
        // Before any memory is taken: each shares its items with the list, but for its ends.
        self.charge(count.saturating_mul(64))?;
        let cut = heap::edit(size).saturating_mul(2);
        self.allocate(cut.saturating_mul(count))?;
        let window = |at: usize| Value::List(list.clone().skip(at).take(size));
        Ok(Value::list((0..count).map(window)))
    }

    fn replace(&mut self) -> Step<Value> {
        let (to, from, text) = (self.pop_text()?, self.pop_pattern()?, self.pop_long_text()?);
        if from.is_empty() {
            return Ok(Value::Str(text));
        }
        let found = text.matches(from.as_str()).count();
        let grown = found.saturating_mul(to.len());
        self.check_bytes(
            text.len()
                .saturating_add(grown)
                .saturating_sub(found * from.len()),
        )?;
        self.charge(grown)?;
        self.allocate(heap::text(grown))?;
        Ok(Value::from(text.replace(from.as_str(), &to)))
    }
}
