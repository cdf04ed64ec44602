//! All words as one flat array of symbols, divided into segments that no pair crosses.
//!
//! Every character has a slot, and a symbol of `w` characters covers `w` slots: the first holds its id, the last its id
//! with the bit `END_BIT`, and no slot between them can be mistaken for the start of a symbol. Since the width of a symbol
//! is known from its id, both neighbours are found in constant time, without links:
//!
//! ```text
//!   slot      0     1     2     3     4     5
//!   word      |     h     u     g     s     |
//!   symbols   |     h     u     g     s     |       four symbols of width 1
//!             |     h    gone ... after (u,g):
//!   symbols   |     h     ug   END+ug s     |
//! ```
//!
//! A cut holds the index of the weight of the segment after it, which is found by reading back from any of its slots. In a
//! long segment the first slot of each block has it at hand. Equal weights share an index, since a table of words has few
//! distinct counts.

use hashbrown::HashMap;

use crate::hash::FixedHasher;
use crate::memory::{Growable, with_room};

/// The symbol at both ends of a segment.
pub(crate) const NONE: u32 = (1 << 31) - 1;
/// The bit of the last slot of a symbol that is wider than one slot.
const END_BIT: u32 = 1 << 31;
/// The bit of a cut, whose lower bits are the index of a weight.
const CUT_BIT: u32 = 1 << 30;
/// The value of a slot inside a symbol, which neither starts nor ends one.
const INSIDE: u32 = u32::MAX;
/// The number of slots of a block.
const BLOCK: usize = 32;

/// The current segmentation of all words.
pub(crate) struct Segments {
    slots: Vec<u32>,
    /// The index of the weight of each block's first slot.
    blocks: Vec<u32>,
    weights: Vec<u64>,
    weight_indices: HashMap<u64, u32, FixedHasher>,
    current: u32,
}

/// Returns whether a slot is a cut.
#[inline]
fn is_cut(slot: u32) -> bool {
    slot & (END_BIT | CUT_BIT) == CUT_BIT
}

impl Segments {
    /// The maximum number of slots: one for each character, one for each cut and one more for each word.
    pub(crate) const LIMIT: usize = u32::MAX as usize;

    /// Returns an array with capacity for `slots` slots; the first is in use.
    pub(crate) fn with_capacity(slots: usize) -> Self {
        let mut segments = Self {
            slots: with_room(slots),
            blocks: with_room(slots.div_ceil(BLOCK)),
            weights: vec![0],
            weight_indices: HashMap::with_hasher(FixedHasher::default()),
            current: 0,
        };
        segments.cut();
        segments
    }

    /// Sets the weight of the symbols pushed from here on, which begin a segment.
    pub(crate) fn set_weight(&mut self, weight: u64) {
        let weights = &mut self.weights;
        self.current = *self.weight_indices.entry(weight).or_insert_with(|| {
            weights.push(weight);
            u32::try_from(weights.len() - 1).ok().filter(|&index| index < CUT_BIT).expect("fewer than 2^30 counts")
        });
        if let Some(last) = self.slots.last_mut() {
            *last = CUT_BIT | self.current;
        }
    }

    /// Appends a symbol of width 1.
    pub(crate) fn push(&mut self, symbol: u32) {
        self.push_slot(if symbol == NONE { CUT_BIT | self.current } else { symbol });
    }

    fn push_slot(&mut self, slot: u32) {
        if self.slots.len().is_multiple_of(BLOCK) {
            self.blocks.make_room(1);
            self.blocks.push(self.current);
        }
        self.slots.make_room(1);
        self.slots.push(slot);
    }

    /// Ends the segment; no pair crosses its end.
    pub(crate) fn cut(&mut self) {
        self.push(NONE);
    }

    /// Returns the number of slots.
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns the weight of the segment that contains a slot with a symbol.
    #[inline]
    pub(crate) fn weight(&self, at: u32) -> u64 {
        let at = at as usize;
        let block = at / BLOCK;
        let cut = self.slots[block * BLOCK..at].iter().rev().find(|&&slot| is_cut(slot));
        self.weights[cut.map_or(self.blocks[block], |cut| cut & !CUT_BIT) as usize]
    }

    /// Returns the symbol that starts at `at`: `NONE` at a cut, and no valid id inside a symbol.
    #[inline]
    pub(crate) fn starting(&self, at: u32) -> u32 {
        let slot = self.slots[at as usize];
        if is_cut(slot) { NONE } else { slot }
    }

    /// Returns the symbol that ends just before the start of another: `NONE` at a cut.
    #[inline]
    pub(crate) fn ending_before(&self, at: u32) -> u32 {
        let slot = self.slots[at as usize - 1];
        if is_cut(slot) { NONE } else { slot & !END_BIT }
    }

    /// Returns whether `left`, which is `width` slots wide, starts at `at` and `right` follows it.
    pub(crate) fn has_pair_at(&self, at: u32, left: u32, width: u32, right: u32) -> bool {
        self.starting(at) == left && self.starting(at + width) == right
    }

    /// Replaces the two symbols at the slots `start..middle` and `middle..end` with `symbol`.
    pub(crate) fn join(&mut self, start: u32, middle: u32, end: u32, symbol: u32) {
        self.slots[middle as usize] = INSIDE;
        self.slots[end as usize - 1] = END_BIT | symbol;
        self.slots[start as usize] = symbol;
    }
}

/// Converts a count or an index to u32; the limits of this module guarantee that it fits.
pub(crate) fn to_u32(index: usize) -> u32 {
    u32::try_from(index).expect("bounded by the number of slots, which is")
}
