//! What a pointer leads to in a document of JSON: RFC 6901, RFC 8259.
//!
//! The document is read from its beginning to its end and nothing of it is built but what is
//! asked for: as a tree it would take a hundred times its size. How deep it is does not matter
//! where nothing leads there. Of a member that is there twice, the last is meant.

use crate::value::Value;
use dag_analysis::operation::Scalar;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Error;
use std::fmt;

/// What stands there.
#[derive(Debug)]
pub(crate) enum Found {
    /// Nothing, or `null`.
    Nothing,
    /// Something of another kind than was asked for.
    Other,
    /// It.
    It(Value),
    /// A list of so many texts, of so many bytes together, which was counted only.
    Texts { count: usize, bytes: usize },
}

/// How a list of texts is read: it may be large, so it is counted before it is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lists {
    Counted,
    Built,
}

/// Reads all of a document, and of it what the pointer leads to.
///
/// # Errors
/// If it is no JSON, or is nested too deeply on the way there.
pub(crate) fn find(
    document: &[u8],
    pointer: &str,
    scalar: Scalar,
    lists: Lists,
) -> Result<Found, Error> {
    let tokens: Vec<String> = pointer
        .split('/')
        .skip(1)
        .map(|token| token.replace("~1", "/").replace("~0", "~"))
        .collect();
    let way = Way {
        tokens: &tokens,
        leaf: Leaf { scalar, lists },
    };
    let mut reader = serde_json::Deserializer::from_slice(document);
    let found = way.deserialize(&mut reader)?;
    reader.end()?;
    Ok(found)
}

/// The rest of the way, and what is read at its end.
#[derive(Clone, Copy)]
struct Way<'p> {
    tokens: &'p [String],
    leaf: Leaf,
}

impl<'de> DeserializeSeed<'de> for Way<'_> {
    type Value = Found;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Found, D::Error> {
        match self.tokens.split_first() {
            None => from.deserialize_any(self.leaf),
            Some((token, tokens)) => {
                let rest = Way { tokens, ..self };
                from.deserialize_any(Member { token, rest })
            }
        }
    }
}

/// What has the member or the item of that name.
struct Member<'p> {
    token: &'p str,
    rest: Way<'p>,
}

impl Member<'_> {
    /// The place of an item: no sign, no zero before it (RFC 6901 section 4).
    fn index(&self) -> Option<usize> {
        let zero = self.token.len() > 1 && self.token.starts_with('0');
        let digits = self.token.bytes().all(|b| b.is_ascii_digit());
        self.token.parse().ok().filter(|_| digits && !zero)
    }
}

impl<'de> Visitor<'de> for Member<'_> {
    type Value = Found;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Found, A::Error> {
        let mut found = Found::Nothing;
        while let Some(here) = map.next_key_seed(Named(self.token))? {
            match here {
                true => found = map.next_value_seed(self.rest)?,
                false => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(found)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Found, A::Error> {
        let Some(index) = self.index() else {
            return drain(items, Found::Nothing);
        };
        for _ in 0..index {
            if items.next_element::<IgnoredAny>()?.is_none() {
                return Ok(Found::Nothing);
            }
        }
        match items.next_element_seed(self.rest)? {
            Some(found) => drain(items, found),
            None => Ok(Found::Nothing),
        }
    }

    fn visit_unit<E>(self) -> Result<Found, E> {
        Ok(Found::Nothing)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Found, E> {
        Ok(Found::Nothing)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Found, E> {
        Ok(Found::Nothing)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Found, E> {
        Ok(Found::Nothing)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Found, E> {
        Ok(Found::Nothing)
    }

    fn visit_str<E>(self, _: &str) -> Result<Found, E> {
        Ok(Found::Nothing)
    }
}

/// Reads on to the end of a list.
fn drain<'de, A: SeqAccess<'de>>(mut items: A, found: Found) -> Result<Found, A::Error> {
    while items.next_element::<IgnoredAny>()?.is_some() {}
    Ok(found)
}

/// Whether the key is this one.
struct Named<'p>(&'p str);

impl<'de> DeserializeSeed<'de> for Named<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<bool, D::Error> {
        from.deserialize_str(self)
    }
}

impl Visitor<'_> for Named<'_> {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<bool, E> {
        Ok(key == self.0)
    }
}

/// What is read where the way ends.
#[derive(Clone, Copy)]
struct Leaf {
    scalar: Scalar,
    lists: Lists,
}

impl Leaf {
    fn number<E>(self, whole: Option<i64>, float: f64) -> Result<Found, E> {
        Ok(match (self.scalar, whole) {
            (Scalar::Int, Some(whole)) => Found::It(Value::Int(whole)),
            (Scalar::Float, _) => Found::It(Value::Float(float)),
            _ => Found::Other,
        })
    }
}

impl<'de> Visitor<'de> for Leaf {
    type Value = Found;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Found, E> {
        Ok(Found::Nothing)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Found, E> {
        Ok(match self.scalar {
            Scalar::Bool => Found::It(Value::Bool(value)),
            _ => Found::Other,
        })
    }

    fn visit_i64<E>(self, value: i64) -> Result<Found, E> {
        #[allow(clippy::cast_precision_loss)] // a float is asked for
        self.number(Some(value), value as f64)
    }

    fn visit_u64<E>(self, value: u64) -> Result<Found, E> {
        #[allow(clippy::cast_precision_loss)] // a float is asked for
        self.number(i64::try_from(value).ok(), value as f64)
    }

    fn visit_f64<E>(self, value: f64) -> Result<Found, E> {
        self.number(None, value)
    }

    fn visit_str<E>(self, text: &str) -> Result<Found, E> {
        Ok(match self.scalar {
            Scalar::String => Found::It(Value::text(text)),
            _ => Found::Other,
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Found, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Found::Other)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Found, A::Error> {
        if self.scalar != Scalar::Strings {
            return drain(items, Found::Other);
        }
        let mut texts = Texts {
            built: (self.lists == Lists::Built).then(Vec::new),
            count: 0,
            bytes: 0,
        };
        while let Some(is_text) = items.next_element_seed(&mut texts)? {
            if !is_text {
                return drain(items, Found::Other);
            }
        }
        Ok(match texts.built {
            Some(built) => Found::It(Value::list(built)),
            None => Found::Texts {
                count: texts.count,
                bytes: texts.bytes,
            },
        })
    }
}

/// Texts of a list, which are counted or built. An item says whether it is one.
struct Texts {
    built: Option<Vec<Value>>,
    count: usize,
    bytes: usize,
}

impl<'de> DeserializeSeed<'de> for &mut Texts {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<bool, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for &mut Texts {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E>(self, text: &str) -> Result<bool, E> {
        self.count += 1;
        self.bytes += text.len();
        if let Some(built) = &mut self.built {
            built.push(Value::text(text));
        }
        Ok(true)
    }

    fn visit_unit<E>(self) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_bool<E>(self, _: bool) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_i64<E>(self, _: i64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_u64<E>(self, _: u64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_f64<E>(self, _: f64) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<bool, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(false)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<bool, A::Error> {
        drain(items, Found::Other).map(|_| false)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)] // a test that cannot read its own text has failed

    use super::*;
    use serde_json::Value as Tree;

    /// The same, found in a tree of the whole document.
    fn in_tree(document: &str, pointer: &str, scalar: Scalar) -> String {
        let tree: Tree = serde_json::from_str(document).unwrap();
        let found = match tree.pointer(pointer) {
            None | Some(Tree::Null) => return "Nothing".to_owned(),
            Some(found) => found,
        };
        let text = |tree: &Tree| tree.as_str().map(Value::text);
        let value = match scalar {
            Scalar::String => text(found),
            Scalar::Int => found.as_i64().map(Value::Int),
            Scalar::Float => found.as_f64().map(Value::Float),
            Scalar::Bool => found.as_bool().map(Value::Bool),
            Scalar::Strings => found
                .as_array()
                .and_then(|items| items.iter().map(text).collect::<Option<Vec<_>>>())
                .map(Value::list),
        };
        value.map_or("Other".to_owned(), |value| format!("It({value:?})"))
    }

    #[test]
    fn what_is_found_is_what_a_tree_has_there() {
        let leaves = [
            "null",
            "true",
            "\"t\"",
            "\"\\u00e4\\n\"",
            "0",
            "-1",
            "-0",
            "1.5",
            "1e3",
            "9223372036854775807",
            "9223372036854775808",
            "[]",
            "[\"a\",\"\\u0062\"]",
            "[\"a\",1,\"b\"]",
            "[[\"a\"],{\"\":0}]",
            "{}",
            "{\"a\":\"in\"}",
        ];
        let documents = leaves.iter().flat_map(|leaf| {
            [
                (*leaf).to_owned(),
                format!("{{\"x\":[1,{{}}],\"a\":{leaf},\"b\":\"\"}}"),
                format!("{{\"a\":{{\"b\":7}},\"a\":{leaf}}}"),
                format!("{{\"\\u0061\":[{leaf},[{leaf}]]}}"),
                format!("{{\"a/b\":{{\"~\":{leaf},\"\":{leaf}}}}}"),
                format!("[{leaf},[0],{leaf}]"),
            ]
        });
        let pointers = [
            "", "/a", "/a/0", "/a/1/0", "/a/b", "/a~1b/~0", "/a~1b/", "/0", "/00", "/+0", "/2",
            "/9", "/-",
        ];
        let scalars = [
            Scalar::String,
            Scalar::Int,
            Scalar::Float,
            Scalar::Bool,
            Scalar::Strings,
        ];
        for document in documents {
            for pointer in pointers {
                for scalar in scalars {
                    let read = |lists| find(document.as_bytes(), pointer, scalar, lists).unwrap();
                    let built = read(Lists::Built);
                    assert_eq!(
                        format!("{built:?}"),
                        in_tree(&document, pointer, scalar),
                        "{document} at {pointer}, {scalar:?}"
                    );
                    match (built, read(Lists::Counted)) {
                        (Found::It(Value::List(items)), Found::Texts { count, bytes }) => {
                            let texts = items.iter().filter_map(Value::as_str);
                            assert_eq!((items.len(), texts.map(str::len).sum()), (count, bytes));
                        }
                        (built, counted) => {
                            assert_eq!(format!("{built:?}"), format!("{counted:?}"));
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_no_json_is_refused_wherever_it_is_broken() {
        let whole = r#"{"a":{"b":["t",{"c":1.5}]},"d":[null,true]}"#;
        for end in 0..whole.len() {
            for pointer in ["", "/a", "/a/b/0", "/d/1", "/none"] {
                let part = whole.get(..end).unwrap().as_bytes();
                assert!(
                    find(part, pointer, Scalar::String, Lists::Built).is_err(),
                    "{end}"
                );
            }
        }
        let more = format!("{whole} {{}}");
        assert!(find(more.as_bytes(), "/a", Scalar::String, Lists::Built).is_err());
        // Deep where nothing leads is no matter; on the way it is refused.
        let deep = format!(
            "{{\"a\":{}{},\"b\":true}}",
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        let found = |pointer: &str| find(deep.as_bytes(), pointer, Scalar::Bool, Lists::Built);
        assert!(matches!(found("/b"), Ok(Found::It(Value::Bool(true)))));
        assert!(matches!(found("/a/0/0"), Ok(Found::Other)));
        assert!(found(&format!("/a{}", "/0".repeat(1000))).is_err());
    }
}
