//! A trie over symbols in a double array: finds all strings of a set that are prefixes of a text.
//!
//! The child of a node by a symbol is the slot at the node's base plus the symbol, if that slot names the node as its
//! parent (Aoe 1989).

use std::collections::VecDeque;
use std::ops::Range;

use super::free_slots::FreeSlots;
use crate::memory::lengthen;

/// A symbol of a string: a byte, or the number of a character.
pub(crate) type Symbol = u32;
/// The value for "no string".
pub(crate) const NO_STRING: u32 = u32::MAX;

const ROOT: u32 = 0;
/// The parent of a free slot.
const FREE: u32 = u32::MAX;
const NO_PARENT: u32 = u32::MAX - 1;
/// The slot number of [`Node::NOWHERE`]: no slot has it as its parent.
const CHILDLESS: u32 = u32::MAX - 2;

#[derive(Debug, Clone, Copy)]
struct Slot {
    base: u32,
    parent: u32,
    string: u32,
}

impl Slot {
    const FREE: Self = Self { base: 0, parent: FREE, string: NO_STRING };
}

#[derive(Debug, Clone)]
pub(crate) struct Trie {
    slots: Vec<Slot>,
}

/// A position in a trie.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Node {
    slot: u32,
    base: u32,
}

impl Node {
    /// Returns the node's number.
    pub(super) fn number(self) -> u32 {
        self.slot
    }

    /// A node without children, for characters that begin no string.
    pub(crate) const NOWHERE: Self = Self { slot: CHILDLESS, base: 0 };
}

impl Trie {
    /// Returns the trie of non-empty, different strings in order. A string is its index.
    ///
    /// `symbol` returns the symbol of a string at a depth, or `None` at its end.
    pub(crate) fn new(strings: usize, symbol: impl Fn(usize, usize) -> Option<Symbol>) -> Self {
        let (mut builder, mut open) = (Builder::new(), vec![(ROOT, 0, 0..strings)]);
        while let Some((node, depth, range)) = open.pop() {
            let children = builder.add_children(node, depth, range, &symbol);
            open.extend(children.rev().map(|(_, child, range)| (child, depth + 1, range)));
        }
        builder.trie
    }

    /// Returns the trie of strings, built from short to long texts.
    ///
    /// Calls `each` with the trie so far, and with each new node: that of its text without the last symbol, the symbol, and
    /// its own.
    pub(super) fn in_breadth(
        strings: usize,
        symbol: impl Fn(usize, usize) -> Option<Symbol>,
        mut each: impl FnMut(&mut Self, u32, Symbol, u32),
    ) -> Self {
        let (mut builder, mut open) = (Builder::new(), VecDeque::from([(ROOT, 0, 0..strings)]));
        while let Some((node, depth, range)) = open.pop_front() {
            let children: Vec<_> = builder.add_children(node, depth, range, &symbol).collect();
            for (symbol, child, range) in children {
                each(&mut builder.trie, node, symbol, child);
                open.push_back((child, depth + 1, range));
            }
        }
        builder.trie
    }

    /// Renumbers the strings.
    pub(crate) fn rename(&mut self, name: impl Fn(u32) -> u32) {
        let strings = self.slots.iter_mut().map(|slot| &mut slot.string).filter(|string| **string != NO_STRING);
        strings.for_each(|string| *string = name(*string));
    }

    /// Calls `emit` with each string that is a prefix of `text`, and its length in symbols, shorter ones first.
    #[inline]
    pub(crate) fn each(&self, text: &[Symbol], emit: impl FnMut(u32, u32)) {
        self.each_from(self.root(), text.iter().copied(), emit);
    }

    /// Calls `emit` with each string that extends a node's prefix by one or more of the next symbols.
    ///
    /// The second argument is the number of these symbols. Shorter strings come first.
    #[inline]
    pub(crate) fn each_from(
        &self,
        mut node: Node,
        symbols: impl Iterator<Item = Symbol>,
        mut emit: impl FnMut(u32, u32),
    ) {
        for (length, symbol) in (1..).zip(symbols) {
            let Some((child, string)) = self.child(node, symbol) else { return };
            if string != NO_STRING {
                emit(string, length);
            }
            node = child;
        }
    }

    pub(crate) fn root(&self) -> Node {
        self.node(ROOT)
    }

    /// Returns the number of slots, which is the limit of the numbers of nodes.
    pub(super) fn slots(&self) -> usize {
        self.slots.len()
    }

    /// Returns the node with this number.
    #[inline]
    pub(super) fn node(&self, number: u32) -> Node {
        Node { slot: number, base: self.slots[number as usize].base }
    }

    /// Returns the string of a node, or [`NO_STRING`].
    pub(super) fn string(&self, node: u32) -> u32 {
        self.slots[node as usize].string
    }

    /// Replaces the string of a node.
    pub(super) fn set_string(&mut self, node: u32, string: u32) {
        self.slots[node as usize].string = string;
    }

    /// Returns the child of a node by a symbol, and the string that ends there, or [`NO_STRING`].
    #[inline]
    pub(crate) fn child(&self, Node { slot, base }: Node, symbol: Symbol) -> Option<(Node, u32)> {
        let child = base.wrapping_add(symbol);
        let &Slot { base, parent, string } = self.slots.get(child as usize)?;
        (parent == slot).then_some((Node { slot: child, base }, string))
    }
}

/// A trie that is built.
struct Builder {
    trie: Trie,
    free: FreeSlots,
    children: Vec<(Symbol, Range<usize>)>,
}

impl Builder {
    fn new() -> Self {
        let trie = Trie { slots: vec![Slot { parent: NO_PARENT, ..Slot::FREE }] };
        Self { trie, free: FreeSlots::from(1), children: Vec::new() }
    }

    /// Adds the children of a node, whose text the strings in a range share and are longer than.
    ///
    /// Returns the symbol, the slot and the longer strings of each child.
    fn add_children(
        &mut self,
        node: u32,
        depth: usize,
        mut range: Range<usize>,
        symbol: impl Fn(usize, usize) -> Option<Symbol>,
    ) -> impl DoubleEndedIterator<Item = (Symbol, u32, Range<usize>)> {
        while !range.is_empty() {
            let first = symbol(range.start, depth).expect("the strings are longer");
            let size = leading(range.len(), |at| symbol(range.start + at, depth) == Some(first));
            self.children.push((first, range.start..range.start + size));
            range.start += size;
        }
        let base = self.place(node);
        let slots = &mut self.trie.slots;
        self.children.drain(..).map(move |(first, mut range)| {
            let child = base.wrapping_add(first);
            if symbol(range.start, depth + 1).is_none() {
                slots[child as usize].string = u32::try_from(range.start).expect("strings are fewer than 2^32");
                range.start += 1;
            }
            (first, child, range)
        })
    }

    /// Places the children of a node, which are sorted by symbol, and returns its base.
    fn place(&mut self, node: u32) -> u32 {
        let Self { trie: Trie { slots }, free, children } = self;
        if children.is_empty() {
            return 0;
        }
        let base = free.base(&children.iter().map(|&(symbol, _)| symbol), |_| true);
        slots[node as usize].base = base;
        for &(symbol, _) in &*children {
            let place = base.wrapping_add(symbol);
            lengthen(slots, place as usize + 1, Slot::FREE);
            slots[place as usize].parent = node;
            free.take(place);
        }
        base
    }
}

/// Returns the length of the leading run for which a predicate holds; fast for short runs.
fn leading(limit: usize, holds: impl Fn(usize) -> bool) -> usize {
    let mut beyond = 1;
    while beyond < limit && holds(beyond) {
        beyond *= 2;
    }
    let (mut low, mut high) = (beyond / 2, beyond.min(limit));
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) { low = middle + 1 } else { high = middle }
    }
    low
}
