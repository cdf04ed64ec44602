//! A trie of pieces over symbols in a double array: finds all pieces that are prefixes of a text.
//!
//! The child of a node by a symbol is the slot at the node's base plus the symbol, if that slot names the node as its
//! parent (Aoe 1989).

use std::ops::Range;

use crate::model::free_slots::FreeSlots;

/// The number of a character.
pub(super) type Symbol = u32;
/// The value for "no piece".
pub(super) const NO_PIECE: u32 = u32::MAX;

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
    piece: u32,
}

impl Slot {
    const FREE: Self = Self { base: 0, parent: FREE, piece: NO_PIECE };
}

#[derive(Debug)]
pub(super) struct Trie {
    slots: Vec<Slot>,
}

/// A position in a trie.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    slot: u32,
    base: u32,
}

impl Node {
    /// A node without children, for characters that begin no piece.
    pub(super) const NOWHERE: Self = Self { slot: CHILDLESS, base: 0 };
}

impl Trie {
    /// Returns the trie of non-empty, different pieces in order. A piece is its index.
    pub(super) fn new<'t>(pieces: usize, text: impl Fn(usize) -> &'t [Symbol]) -> Self {
        let mut trie = Self { slots: vec![Slot { parent: NO_PARENT, ..Slot::FREE }] };
        let mut free = FreeSlots::from(1);
        let mut open = vec![(ROOT, 0, 0..pieces)];
        let mut children: Vec<(Symbol, Range<usize>)> = Vec::new();
        while let Some((node, depth, mut range)) = open.pop() {
            if !range.is_empty() && text(range.start).len() == depth {
                trie.slots[node as usize].piece = u32::try_from(range.start).expect("pieces are fewer than 2^32");
                range.start += 1;
            }
            while !range.is_empty() {
                let symbol = text(range.start)[depth];
                let size = leading(range.len(), |at| text(range.start + at)[depth] == symbol);
                children.push((symbol, range.start..range.start + size));
                range.start += size;
            }
            let base = trie.place(node, &children, &mut free);
            let nodes = children.drain(..).rev();
            open.extend(nodes.map(|(symbol, part)| (base.wrapping_add(symbol), depth + 1, part)));
        }
        trie
    }

    /// Places the children of a node, which are sorted by symbol, and returns its base.
    fn place(&mut self, node: u32, children: &[(Symbol, Range<usize>)], free: &mut FreeSlots) -> u32 {
        if children.is_empty() {
            return 0;
        }
        let base = free.base(&children.iter().map(|&(symbol, _)| symbol), |_| true);
        self.slots[node as usize].base = base;
        for &(symbol, _) in children {
            let place = base.wrapping_add(symbol);
            if place as usize >= self.slots.len() {
                self.slots.resize(place as usize + 1, Slot::FREE);
            }
            self.slots[place as usize].parent = node;
            free.take(place);
        }
        base
    }

    /// Renumbers the pieces.
    pub(super) fn rename(&mut self, name: impl Fn(u32) -> u32) {
        let pieces = self.slots.iter_mut().map(|slot| &mut slot.piece).filter(|piece| **piece != NO_PIECE);
        pieces.for_each(|piece| *piece = name(*piece));
    }

    /// Calls `emit` with each piece that is a prefix of `text`, and its length in symbols, shorter ones first.
    #[inline]
    pub(super) fn each(&self, text: &[Symbol], emit: impl FnMut(u32, u32)) {
        self.each_from(self.root(), text.iter().copied(), emit);
    }

    /// Calls `emit` with each piece that extends a node's prefix by one or more of the next symbols.
    ///
    /// The second argument is the number of these symbols. Shorter pieces come first.
    #[inline]
    pub(super) fn each_from(
        &self,
        mut node: Node,
        symbols: impl Iterator<Item = Symbol>,
        mut emit: impl FnMut(u32, u32),
    ) {
        for (length, symbol) in (1..).zip(symbols) {
            let Some((child, piece)) = self.child(node, symbol) else { return };
            if piece != NO_PIECE {
                emit(piece, length);
            }
            node = child;
        }
    }

    pub(super) fn root(&self) -> Node {
        Node { slot: ROOT, base: self.slots[ROOT as usize].base }
    }

    /// Returns the child of a node by a symbol, and the piece that ends there, or [`NO_PIECE`].
    #[inline]
    pub(super) fn child(&self, Node { slot, base }: Node, symbol: Symbol) -> Option<(Node, u32)> {
        let child = base.wrapping_add(symbol);
        let &Slot { base, parent, piece } = self.slots.get(child as usize)?;
        (parent == slot).then_some((Node { slot: child, base }, piece))
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
