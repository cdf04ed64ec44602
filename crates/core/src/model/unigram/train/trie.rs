//! All pieces that a text begins with: a double array over symbols.
//!
//! The child of a node by a symbol lies at the node's base plus the symbol, if that slot names the node as its parent.

use super::pieces::NO_PIECE;
use super::stretches::Symbol;

/// How many free slots are tried for the children of a node before those in front are left free for good.
const TRIES: usize = 64;

const ROOT: u32 = 0;
const FREE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Slot {
    base: u32,
    parent: u32,
    piece: u32,
}

impl Slot {
    const FREE: Self = Self { base: 0, parent: FREE, piece: NO_PIECE };
}

pub(super) struct Trie {
    slots: Vec<Slot>,
}

impl Trie {
    /// The trie of pieces in order, none of them twice and none empty.
    pub(super) fn new<'t>(pieces: usize, text: impl Fn(usize) -> &'t [Symbol]) -> Self {
        let mut builder = Builder::default();
        builder.slots.push(Slot { parent: ROOT, ..Slot::FREE });
        let mut open = vec![(ROOT, 0, 0..pieces)];
        while let Some((node, depth, mut range)) = open.pop() {
            if depth > 0 && range.start < range.end && text(range.start).len() == depth {
                builder.slots[node as usize].piece = u32::try_from(range.start).expect("pieces are fewer than 2^32");
                range.start += 1;
            }
            let mut symbols: Vec<Symbol> = Vec::new();
            let mut parts = Vec::new();
            while range.start < range.end {
                let symbol = text(range.start)[depth];
                let size = partition(range.len(), |at| text(range.start + at)[depth] == symbol);
                symbols.push(symbol);
                parts.push(range.start..range.start + size);
                range.start += size;
            }
            if let Some(base) = builder.children(node, &symbols) {
                let nodes = symbols.iter().map(|&symbol| base.wrapping_add(symbol));
                open.extend(nodes.zip(parts).map(|(child, part)| (child, depth + 1, part)).rev());
            }
        }
        Self { slots: builder.slots }
    }

    /// Gives each piece that `text` begins with, and its length, shorter ones first.
    #[inline]
    pub(super) fn each(&self, text: &[Symbol], mut emit: impl FnMut(u32, u32)) {
        let mut node = ROOT;
        for (length, &symbol) in (1..).zip(text) {
            let child = self.slots[node as usize].base.wrapping_add(symbol);
            match self.slots.get(child as usize) {
                Some(slot) if slot.parent == node && child != ROOT => {
                    if slot.piece != NO_PIECE {
                        emit(slot.piece, length);
                    }
                    node = child;
                }
                _ => return,
            }
        }
    }
}

/// How many of the first things below a limit hold; those that do stand first, and are few for the most part.
fn partition(limit: usize, holds: impl Fn(usize) -> bool) -> usize {
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

#[derive(Default)]
struct Builder {
    slots: Vec<Slot>,
    /// Before these there is no place: for one child, and for several.
    full: [usize; 2],
}

impl Builder {
    /// Finds a base for the children of a node.
    fn children(&mut self, node: u32, symbols: &[Symbol]) -> Option<u32> {
        let &first = symbols.first()?;
        let which = usize::from(symbols.len() > 1);
        let mut place = self.full[which];
        let mut tries = 0;
        loop {
            while self.slots.get(place).is_some_and(|slot| slot.parent != FREE) {
                place += 1;
            }
            if tries == 0 {
                self.full[which] = place;
            }
            tries += 1;
            let base = u32::try_from(place).expect("slots are fewer than 2^32").wrapping_sub(first);
            let is_free = |&symbol: &Symbol| {
                self.slots.get(base.wrapping_add(symbol) as usize).is_none_or(|slot| slot.parent == FREE)
            };
            if symbols.iter().all(is_free) {
                self.take(node, base, symbols);
                return Some(base);
            }
            if tries == TRIES {
                self.full[which] = place;
                tries = 0;
            }
            place += 1;
        }
    }

    fn take(&mut self, node: u32, base: u32, symbols: &[Symbol]) {
        self.slots[node as usize].base = base;
        for &symbol in symbols {
            let place = base.wrapping_add(symbol) as usize;
            if place >= self.slots.len() {
                self.slots.resize(place + 1, Slot::FREE);
            }
            self.slots[place].parent = node;
        }
    }
}
