//! Persistent lists: leaves of up to [`CHUNK`] items in a height-balanced tree.
//! Every edit shares what it does not touch, and edits in place what nobody
//! else holds. Join, split and access are logarithmic; a walk is linear.

use crate::release::release;
use crate::value::Value;
use std::cmp::Ordering;
use std::sync::Arc;

/// Most items in a leaf: large enough that the tree stays small, small enough
/// that copying a shared leaf is cheap.
const CHUNK: usize = 64;

/// A list of values. A clone is a count.
#[derive(Clone, Default)]
pub struct List(Option<Arc<Node>>);

/// A part of a list.
#[derive(Clone)]
pub(crate) enum Node {
    Leaf(Leaf),
    Branch(Branch),
}

/// Never empty.
#[derive(Clone)]
pub(crate) struct Leaf(Vec<Value>);

#[derive(Clone)]
pub(crate) struct Branch {
    left: Arc<Node>,
    right: Arc<Node>,
    len: usize,
    height: u8,
}

impl Drop for Leaf {
    fn drop(&mut self) {
        release(std::mem::take(&mut self.0));
    }
}

impl Node {
    fn len(&self) -> usize {
        match self {
            Node::Leaf(leaf) => leaf.0.len(),
            Node::Branch(branch) => branch.len,
        }
    }

    fn height(&self) -> u8 {
        match self {
            Node::Leaf(_) => 0,
            Node::Branch(branch) => branch.height,
        }
    }

    /// The leaf that holds an index, and where that leaf starts.
    fn leaf_at(self: &Arc<Self>, mut index: usize) -> (&Arc<Self>, usize) {
        let (mut node, mut start) = (self, 0);
        while let Node::Branch(branch) = &**node {
            let left = branch.left.len();
            if index < left {
                node = &branch.left;
            } else {
                index -= left;
                start += left;
                node = &branch.right;
            }
        }
        (node, start)
    }

    /// The items of a leaf.
    pub(crate) fn items(&self) -> &[Value] {
        match self {
            Node::Leaf(leaf) => &leaf.0,
            Node::Branch(_) => &[],
        }
    }

    /// The two sides of a branch.
    pub(crate) fn branches(&self) -> impl Iterator<Item = &Arc<Node>> {
        let sides = match self {
            Node::Leaf(_) => None,
            Node::Branch(branch) => Some([&branch.left, &branch.right]),
        };
        sides.into_iter().flatten()
    }
}

/// The outermost leaf of one side.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    First,
    Last,
}

fn outer_len(mut node: &Node, side: Side) -> usize {
    while let Node::Branch(branch) = node {
        node = match side {
            Side::First => &branch.left,
            Side::Last => &branch.right,
        };
    }
    node.len()
}

/// Changes the outermost leaf of one side, which grows by `added` items.
fn edit_outer(node: &mut Arc<Node>, side: Side, added: usize, edit: impl FnOnce(&mut Vec<Value>)) {
    match Arc::make_mut(node) {
        Node::Leaf(leaf) => edit(&mut leaf.0),
        Node::Branch(branch) => {
            branch.len += added;
            let child = match side {
                Side::First => &mut branch.left,
                Side::Last => &mut branch.right,
            };
            edit_outer(child, side, added, edit);
        }
    }
}

/// Changes the leaf that holds an index, which grows by `added` items; `edit`
/// is told the place in the leaf.
fn edit_leaf(
    node: &mut Arc<Node>,
    index: usize,
    added: usize,
    edit: impl FnOnce(&mut Vec<Value>, usize),
) {
    match Arc::make_mut(node) {
        Node::Leaf(leaf) => edit(&mut leaf.0, index),
        Node::Branch(branch) => {
            branch.len += added;
            let left = branch.left.len();
            if index < left {
                edit_leaf(&mut branch.left, index, added, edit);
            } else {
                edit_leaf(&mut branch.right, index - left, added, edit);
            }
        }
    }
}

/// A tree with one more item, before the one at an index, which it must have.
fn insert(mut node: Arc<Node>, index: usize, item: Value) -> Arc<Node> {
    if node.leaf_at(index).0.len() < CHUNK {
        edit_leaf(&mut node, index, 1, |items, at| items.insert(at, item));
        return node;
    }
    match sides(node) {
        (left, Some(right)) => {
            let middle = left.len();
            if index < middle {
                balance(insert(left, index, item), right)
            } else {
                balance(left, insert(right, index - middle, item))
            }
        }
        (full, None) => {
            let (a, b) = full.items().split_at(full.len() / 2);
            let (mut a, mut b) = (a.to_vec(), b.to_vec());
            match index.checked_sub(a.len()) {
                Some(at) => b.insert(at, item),
                None => a.insert(index, item),
            }
            branch(leaf(a), leaf(b))
        }
    }
}

fn leaf(items: Vec<Value>) -> Arc<Node> {
    Arc::new(Node::Leaf(Leaf(items)))
}

fn branch(left: Arc<Node>, right: Arc<Node>) -> Arc<Node> {
    let len = left.len() + right.len();
    let height = left.height().max(right.height()) + 1;
    Arc::new(Node::Branch(Branch {
        left,
        right,
        len,
        height,
    }))
}

/// The two sides of a branch; of a leaf itself and nothing.
fn sides(node: Arc<Node>) -> (Arc<Node>, Option<Arc<Node>>) {
    if node.height() == 0 {
        return (node, None);
    }
    match Arc::unwrap_or_clone(node) {
        Node::Branch(branch) => (branch.left, Some(branch.right)),
        Node::Leaf(only) => (Arc::new(Node::Leaf(only)), None),
    }
}

/// Joins two trees whose heights differ by at most two.
fn balance(left: Arc<Node>, right: Arc<Node>) -> Arc<Node> {
    let (hl, hr) = (left.height(), right.height());
    if hl > hr + 1 {
        return match sides(left) {
            (outer, Some(inner)) if outer.height() >= inner.height() => {
                branch(outer, branch(inner, right))
            }
            (outer, Some(inner)) => match sides(inner) {
                (a, Some(b)) => branch(branch(outer, a), branch(b, right)),
                (a, None) => branch(outer, branch(a, right)),
            },
            (only, None) => branch(only, right),
        };
    }
    if hr > hl + 1 {
        return match sides(right) {
            (inner, Some(outer)) if outer.height() >= inner.height() => {
                branch(branch(left, inner), outer)
            }
            (inner, Some(outer)) => match sides(inner) {
                (a, Some(b)) => branch(branch(left, a), branch(b, outer)),
                (a, None) => branch(branch(left, a), outer),
            },
            (only, None) => branch(left, only),
        };
    }
    branch(left, right)
}

/// Joins two trees of any heights, in steps as many as their heights differ by.
fn join(left: Arc<Node>, right: Arc<Node>) -> Arc<Node> {
    let (hl, hr) = (left.height(), right.height());
    if hl > hr + 1 {
        return match sides(left) {
            (outer, Some(inner)) => balance(outer, join(inner, right)),
            (only, None) => branch(only, right),
        };
    }
    if hr > hl + 1 {
        return match sides(right) {
            (inner, Some(outer)) => balance(join(left, inner), outer),
            (only, None) => branch(left, only),
        };
    }
    branch(left, right)
}

/// Joins, filling the leaves at the seam where one side is small.
fn concat(mut left: Arc<Node>, mut right: Arc<Node>) -> Arc<Node> {
    if right.height() == 0 && outer_len(&left, Side::Last) + right.len() <= CHUNK {
        edit_outer(&mut left, Side::Last, right.len(), |items| {
            items.extend_from_slice(right.items());
        });
        return left;
    }
    if left.height() == 0 && outer_len(&right, Side::First) + left.len() <= CHUNK {
        edit_outer(&mut right, Side::First, left.len(), |items| {
            items.splice(0..0, left.items().iter().cloned());
        });
        return right;
    }
    join(left, right)
}

fn concat_some(left: Option<Arc<Node>>, right: Option<Arc<Node>>) -> Option<Arc<Node>> {
    match (left, right) {
        (Some(left), Some(right)) => Some(concat(left, right)),
        (one, other) => one.or(other),
    }
}

/// Both parts of a tree, the first with `at` items.
fn split(node: Arc<Node>, at: usize) -> (Option<Arc<Node>>, Option<Arc<Node>>) {
    if at == 0 {
        return (None, Some(node));
    }
    if at >= node.len() {
        return (Some(node), None);
    }
    match sides(node) {
        (left, Some(right)) => {
            let middle = left.len();
            if at < middle {
                let (a, b) = split(left, at);
                (a, concat_some(b, Some(right)))
            } else {
                let (a, b) = split(right, at - middle);
                (concat_some(Some(left), a), b)
            }
        }
        (only, None) => {
            let (a, b) = only.items().split_at(at.min(only.len()));
            (Some(leaf(a.to_vec())), Some(leaf(b.to_vec())))
        }
    }
}

impl List {
    /// The empty list.
    #[must_use]
    pub fn new() -> Self {
        Self(None)
    }

    /// How many items.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |root| root.len())
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The item at an index from 0.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<&Value> {
        let root = self.0.as_ref()?;
        if index >= root.len() {
            return None;
        }
        let (leaf, start) = root.leaf_at(index);
        leaf.items().get(index - start)
    }

    /// The first item.
    #[must_use]
    pub fn first(&self) -> Option<&Value> {
        self.get(0)
    }

    /// The last item.
    #[must_use]
    pub fn last(&self) -> Option<&Value> {
        self.get(self.len().checked_sub(1)?)
    }

    /// Adds an item at the end.
    pub fn push(&mut self, item: Value) {
        match &mut self.0 {
            None => self.0 = Some(leaf(vec![item])),
            Some(root) if outer_len(root, Side::Last) < CHUNK => {
                edit_outer(root, Side::Last, 1, |items| items.push(item));
            }
            Some(_) => {
                self.0 = concat_some(self.0.take(), Some(leaf(vec![item])));
            }
        }
    }

    /// Where an item of a sorted list is, or where it belongs. `order` says how
    /// an item of the list compares to the one that is looked for; it is asked
    /// as often as the length has binary digits, at most.
    pub(crate) fn search<E>(
        &self,
        mut order: impl FnMut(&Value) -> Result<Ordering, E>,
    ) -> Result<Result<usize, usize>, E> {
        let Some(mut node) = self.0.as_deref() else {
            return Ok(Err(0));
        };
        let mut start = 0;
        while let Node::Branch(branch) = node {
            let middle = start + branch.left.len();
            let (leaf, _) = branch.right.leaf_at(0);
            let Some(item) = leaf.items().first() else {
                break;
            };
            match order(item)? {
                Ordering::Equal => return Ok(Ok(middle)),
                Ordering::Less => (node, start) = (&branch.right, middle),
                Ordering::Greater => node = &branch.left,
            }
        }
        let items = node.items();
        let (mut low, mut high) = (0, items.len());
        while low < high {
            let middle = low + (high - low) / 2;
            let Some(item) = items.get(middle) else {
                break;
            };
            match order(item)? {
                Ordering::Equal => return Ok(Ok(start + middle)),
                Ordering::Less => low = middle + 1,
                Ordering::Greater => high = middle,
            }
        }
        Ok(Err(start + low))
    }

    /// Puts another item in the place of one; nothing happens past the end.
    pub(crate) fn set(&mut self, index: usize, item: Value) {
        if let Some(root) = self.0.as_mut().filter(|root| index < root.len()) {
            edit_leaf(root, index, 0, |items, at| {
                if let Some(place) = items.get_mut(at) {
                    *place = item;
                }
            });
        }
    }

    /// Adds an item before the one at an index, or at the end.
    pub(crate) fn insert(&mut self, index: usize, item: Value) {
        match self.0.take() {
            Some(root) if index < root.len() => self.0 = Some(insert(root, index, item)),
            other => {
                self.0 = other;
                self.push(item);
            }
        }
    }

    /// This list and then the other.
    #[must_use]
    pub fn concat(self, other: List) -> List {
        Self(concat_some(self.0, other.0))
    }

    /// The first `n` items.
    #[must_use]
    pub fn take(self, n: usize) -> List {
        Self(self.0.and_then(|root| split(root, n).0))
    }

    /// All but the first `n` items.
    #[must_use]
    pub fn skip(self, n: usize) -> List {
        Self(self.0.and_then(|root| split(root, n).1))
    }

    /// The whole, unless it is empty.
    pub(crate) fn root(&self) -> Option<&Arc<Node>> {
        self.0.as_ref()
    }

    /// The items in order.
    #[must_use]
    pub fn iter(&self) -> Iter<'_> {
        Iter {
            waiting: self.0.as_deref().into_iter().collect(),
            leaf: [].iter(),
            left: self.len(),
        }
    }

    /// The tree's height, and whether every leaf and branch keeps its promises.
    #[cfg(test)]
    fn check(&self) -> u8 {
        fn walk(node: &Node) {
            match node {
                Node::Leaf(leaf) => assert!((1..=CHUNK).contains(&leaf.0.len())),
                Node::Branch(b) => {
                    assert_eq!(b.len, b.left.len() + b.right.len());
                    assert_eq!(b.height, b.left.height().max(b.right.height()) + 1);
                    assert!(b.left.height().abs_diff(b.right.height()) <= 1);
                    walk(&b.left);
                    walk(&b.right);
                }
            }
        }
        self.0.as_deref().map_or(0, |root| {
            walk(root);
            root.height()
        })
    }
}

impl From<Vec<Value>> for List {
    fn from(items: Vec<Value>) -> Self {
        /// A balanced tree over the next `leaves` chunks.
        fn build(items: &mut std::vec::IntoIter<Value>, leaves: usize) -> Arc<Node> {
            if leaves <= 1 {
                return leaf(items.take(CHUNK).collect());
            }
            let left = build(items, leaves.div_ceil(2));
            let right = build(items, leaves / 2);
            branch(left, right)
        }
        match items.len() {
            0 => Self(None),
            1..=CHUNK => Self(Some(leaf(items))),
            len => Self(Some(build(&mut items.into_iter(), len.div_ceil(CHUNK)))),
        }
    }
}

impl FromIterator<Value> for List {
    fn from_iter<I: IntoIterator<Item = Value>>(items: I) -> Self {
        items.into_iter().collect::<Vec<_>>().into()
    }
}

impl<'a> IntoIterator for &'a List {
    type Item = &'a Value;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

/// The items of a list in order.
pub struct Iter<'a> {
    /// Trees still to walk, the next one last.
    waiting: Vec<&'a Node>,
    leaf: std::slice::Iter<'a, Value>,
    left: usize,
}

impl<'a> Iterator for Iter<'a> {
    type Item = &'a Value;

    fn next(&mut self) -> Option<&'a Value> {
        loop {
            if let Some(item) = self.leaf.next() {
                self.left -= 1;
                return Some(item);
            }
            let mut node = self.waiting.pop()?;
            while let Node::Branch(branch) = node {
                self.waiting.push(&branch.right);
                node = &branch.left;
            }
            self.leaf = node.items().iter();
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Iter<'_> {}

/// A walk that owns its list, for loops whose body runs between two steps.
#[derive(Clone)]
pub(crate) struct Cursor {
    root: Option<Arc<Node>>,
    leaf: Option<Arc<Node>>,
    in_leaf: usize,
    position: usize,
}

impl Cursor {
    pub(crate) fn new(list: List) -> Self {
        Self {
            root: list.0,
            leaf: None,
            in_leaf: 0,
            position: 0,
        }
    }

    /// The whole list, unless it is empty.
    pub(crate) fn root(&self) -> Option<&Arc<Node>> {
        self.root.as_ref()
    }

    /// How many are still to come.
    pub(crate) fn left(&self) -> usize {
        self.root.as_ref().map_or(0, |root| root.len()) - self.position
    }

    pub(crate) fn next(&mut self) -> Option<Value> {
        if let Some(item) = self.leaf.as_ref().and_then(|l| l.items().get(self.in_leaf)) {
            self.in_leaf += 1;
            self.position += 1;
            return Some(item.clone());
        }
        // Once a chunk: down from the root to the next leaf.
        let root = self.root.as_ref()?;
        if self.position >= root.len() {
            return None;
        }
        let (leaf, start) = root.leaf_at(self.position);
        let item = leaf.items().get(self.position - start)?.clone();
        self.in_leaf = self.position - start + 1;
        self.position += 1;
        self.leaf = Some(leaf.clone());
        Some(item)
    }
}

#[cfg(test)]
mod tests {
    use super::{CHUNK, Cursor, List};
    use crate::value::Value;
    use proptest::prelude::*;

    fn ints(list: &List) -> Vec<i64> {
        list.iter().filter_map(Value::as_int).collect()
    }

    fn list(range: std::ops::Range<i64>) -> List {
        range.map(Value::Int).collect()
    }

    #[derive(Clone, Debug)]
    enum Edit {
        Push,
        Append(usize),
        Prepend(usize),
        Take(usize),
        Skip(usize),
        Double,
        Rotate(usize),
    }

    fn edit() -> impl Strategy<Value = Edit> {
        prop_oneof![
            Just(Edit::Push),
            (0usize..300).prop_map(Edit::Append),
            (0usize..300).prop_map(Edit::Prepend),
            (0usize..400).prop_map(Edit::Take),
            (0usize..100).prop_map(Edit::Skip),
            Just(Edit::Double),
            (0usize..400).prop_map(Edit::Rotate),
        ]
    }

    proptest! {
        #[test]
        fn a_list_is_a_vec(edits in proptest::collection::vec(edit(), 0..40), share: bool) {
            let (mut ours, mut theirs) = (List::new(), Vec::<i64>::new());
            let mut kept = Vec::new();
            for (step, edit) in edits.into_iter().enumerate() {
                // A second owner forbids editing in place and must not see edits.
                if share {
                    kept.push((ours.clone(), theirs.clone()));
                }
                let fresh = step as i64 * 1000;
                match edit {
                    Edit::Push => { ours.push(Value::Int(fresh)); theirs.push(fresh); }
                    Edit::Append(n) => {
                        ours = ours.concat(list(fresh..fresh + n as i64));
                        theirs.extend(fresh..fresh + n as i64);
                    }
                    Edit::Prepend(n) => {
                        ours = list(fresh..fresh + n as i64).concat(ours);
                        theirs.splice(0..0, fresh..fresh + n as i64);
                    }
                    Edit::Take(n) => { ours = ours.take(n); theirs.truncate(n); }
                    Edit::Skip(n) => { ours = ours.skip(n); theirs.drain(..n.min(theirs.len())); }
                    Edit::Double => if theirs.len() < 4000 {
                        ours = ours.clone().concat(ours);
                        theirs.extend_from_within(..);
                    },
                    Edit::Rotate(n) => {
                        ours = ours.clone().skip(n).concat(ours.take(n));
                        let at = n.min(theirs.len());
                        theirs.rotate_left(at);
                    }
                }
                ours.check();
                prop_assert_eq!(ours.len(), theirs.len());
            }
            prop_assert_eq!(&ints(&ours), &theirs);
            for (i, item) in theirs.iter().enumerate() {
                prop_assert_eq!(ours.get(i).and_then(Value::as_int), Some(*item));
            }
            prop_assert!(ours.get(theirs.len()).is_none());
            let mut cursor = Cursor::new(ours);
            let walked: Vec<i64> = std::iter::from_fn(|| cursor.next()).filter_map(|v| v.as_int()).collect();
            prop_assert_eq!(&walked, &theirs);
            for (ours, theirs) in kept {
                prop_assert_eq!(ints(&ours), theirs);
            }
        }
    }

    #[test]
    fn single_items_at_either_end_fill_the_leaves() {
        let n = 100_000usize;
        let (mut back, mut front, mut shared) = (List::new(), List::new(), List::new());
        for i in 0..n as i64 {
            back = back.concat(list(i..i + 1));
            front = list(i..i + 1).concat(front);
            let other = shared.clone();
            shared.push(Value::Int(i));
            drop(other);
        }
        let full = (n.div_ceil(CHUNK) as f64).log2() * 1.45 + 2.0;
        for list in [&back, &front, &shared] {
            assert_eq!(list.len(), n);
            assert!(f64::from(list.check()) < full, "height {}", list.check());
        }
        assert_eq!(front.get(0).and_then(Value::as_int), Some(n as i64 - 1));
    }

    #[test]
    fn lists_in_lists_are_dropped_without_recursion() {
        let mut nested = List::new();
        for _ in 0..1_000_000 {
            nested = List::from(vec![Value::List(nested)]);
        }
        drop(nested);
    }
}
