//! Reading workflows as GitHub does: with a reader of YAML, not with a search for text.

use saphyr_parser::{Event, Parser, ScalarStyle};

/// A node, as far as the tests look into one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    /// A text in quotes, or in a literal block.
    Text(String),
    /// A word without quotes: a truth value, a number.
    Plain(String),
    List(Vec<Node>),
    Map(Vec<(String, Node)>),
}

impl Node {
    /// The value of a key that occurs once.
    pub(crate) fn get(&self, key: &str) -> &Self {
        let Self::Map(entries) = self else {
            panic!("{self:?} is no mapping");
        };
        let mut found = entries.iter().filter(|(k, _)| k == key);
        let (_, value) = found.next().unwrap_or_else(|| panic!("no {key}: {self:?}"));
        assert!(found.next().is_none(), "{key} twice: {self:?}");
        value
    }

    pub(crate) fn keys(&self) -> Vec<&str> {
        match self {
            Self::Map(entries) => entries.iter().map(|(k, _)| k.as_str()).collect(),
            other => panic!("{other:?} is no mapping"),
        }
    }

    /// Every text in it.
    pub(crate) fn texts(&self) -> Vec<&str> {
        match self {
            Self::Text(text) => vec![text],
            Self::Plain(_) => Vec::new(),
            Self::List(items) => items.iter().flat_map(Self::texts).collect(),
            Self::Map(entries) => entries.iter().flat_map(|(_, v)| v.texts()).collect(),
        }
    }
}

/// The one document of a text. Aliases, tags and further documents are refused: what Hayward
/// writes has none.
pub(crate) fn read(text: &str) -> Node {
    let mut events = Parser::new_from_str(text).map(|event| event.unwrap().0);
    assert_eq!(events.next(), Some(Event::StreamStart));
    assert!(matches!(events.next(), Some(Event::DocumentStart(_))));
    let first = events.next().unwrap();
    let node = node(first, &mut events);
    assert_eq!(events.next(), Some(Event::DocumentEnd));
    assert_eq!(events.next(), Some(Event::StreamEnd), "a second document");
    node
}

fn node<'a>(event: Event<'a>, events: &mut impl Iterator<Item = Event<'a>>) -> Node {
    match event {
        Event::Scalar(text, ScalarStyle::Plain, 0, None) => Node::Plain(text.into_owned()),
        Event::Scalar(text, ScalarStyle::DoubleQuoted | ScalarStyle::Literal, 0, None) => {
            Node::Text(text.into_owned())
        }
        Event::SequenceStart(0, None) => {
            let mut items = Vec::new();
            loop {
                match events.next().unwrap() {
                    Event::SequenceEnd => return Node::List(items),
                    item => items.push(node(item, events)),
                }
            }
        }
        Event::MappingStart(0, None) => {
            let mut entries = Vec::new();
            loop {
                let key = match events.next().unwrap() {
                    Event::MappingEnd => return Node::Map(entries),
                    Event::Scalar(text, _, 0, None) => text.into_owned(),
                    other => panic!("{other:?} as a key"),
                };
                let value = events.next().unwrap();
                entries.push((key, node(value, events)));
            }
        }
        other => panic!("{other:?} is nothing that Hayward writes"),
    }
}

/// `concurrency.cancel-in-progress`, a truth value.
pub(crate) fn cancel_in_progress(text: &str) -> bool {
    match read(text).get("concurrency").get("cancel-in-progress") {
        Node::Plain(word) if word == "true" => true,
        Node::Plain(word) if word == "false" => false,
        other => panic!("{other:?} is no truth value"),
    }
}

#[test]
fn a_reader_of_yaml_sees_the_value_and_not_the_text_around_it() {
    let text = "# cancel-in-progress: true\nname: \"a\\ncancel-in-progress: true\"\nconcurrency:\n  group: \"g\"\n  cancel-in-progress: false\n";
    assert!(!cancel_in_progress(text));
    assert!(cancel_in_progress(&text.replace("false", "true")));
    assert_eq!(
        read(text).get("name"),
        &Node::Text("a\ncancel-in-progress: true".into())
    );
}
