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
//! A cut holds the index of the weight of the segment after it. Equal weights share an index, since a table of words has few
//! distinct counts. Slots are read in blocks, each with the weight of its first slot.

use hashbrown::HashMap;

use super::Tick;
use crate::error::Result;
use crate::hash::FixedHasher;
use crate::memory::{Growable, prefetch, with_room};

/// The symbol at both ends of a segment.
pub(crate) const NONE: u32 = (1 << 31) - 1;
/// The bit of the last slot of a symbol that is wider than one slot.
const END_BIT: u32 = 1 << 31;
/// The bit of a cut, whose lower bits are the index of a weight.
const CUT_BIT: u32 = 1 << 30;
/// The value of a slot inside a symbol, which neither starts nor ends one.
const INSIDE: u32 = u32::MAX;
/// The number of slots of a block, one for each bit of [`BlockStarts`].
const BLOCK: usize = u32::BITS as usize;

/// The current segmentation of all words.
pub(crate) struct Segments {
    slots: Vec<u32>,
    /// The index of the weight of each block's first slot.
    blocks: Vec<u32>,
    weights: Vec<u64>,
    weight_indices: HashMap<u64, u32, FixedHasher>,
    current: u32,
}

/// The places of a block where a symbol starts: bits, the lowest for the first slot.
pub(crate) struct BlockStarts {
    block: u32,
    starts: u32,
}

/// Returns the places of a block whose slots are equal to this one, as bits.
#[inline]
fn equal(slots: &[u32; BLOCK], slot: u32) -> u32 {
    // Compiled to comparisons of vectors, whose lanes are combined at the end.
    let bits: [u32; BLOCK] = std::array::from_fn(|place| 1 << place);
    slots.iter().zip(bits).fold(0, |found, (&other, bit)| found | if other == slot { bit } else { 0 })
}

/// Returns the block that contains a slot.
#[inline]
pub(crate) fn block_of(at: u32) -> u32 {
    at / u32::BITS
}

/// Returns whether a slot is a cut.
#[inline]
fn is_cut(slot: u32) -> bool {
    slot & (END_BIT | CUT_BIT) == CUT_BIT
}

impl Segments {
    /// The maximum number of slots: one for each character, one for each cut and one more for each word.
    pub(crate) const LIMIT: usize = u32::MAX as usize;

    /// Returns an array with capacity for `slots` slots and the rest of their last block; the first is in use.
    pub(crate) fn with_capacity(slots: usize) -> Self {
        let mut segments = Self {
            slots: with_room(slots + BLOCK),
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

    /// Finds where a symbol starts in a block.
    #[inline]
    pub(crate) fn starts_in(&self, block: u32, symbol: u32) -> BlockStarts {
        let slots = self.slots[block as usize * BLOCK..].first_chunk::<BLOCK>().expect("the last block is full");
        BlockStarts { block, starts: equal(slots, symbol) }
    }

    /// Prefetches a block.
    #[inline]
    pub(crate) fn prefetch(&self, block: u32) {
        let slots = &self.slots[block as usize * BLOCK..];
        // A block has two cache lines, or parts of three.
        prefetch(&slots[0]);
        prefetch(&slots[BLOCK / 2]);
        prefetch(&slots[BLOCK - 1]);
    }

    /// Returns the next of these places that `right` follows, and the weight of its segment; `width` is that of the symbol.
    #[inline]
    pub(crate) fn next_pair(&self, found: &mut BlockStarts, left: u32, width: u32, right: u32) -> Option<(u32, u64)> {
        while found.starts != 0 {
            let at = found.block * u32::BITS + found.starts.trailing_zeros();
            found.starts &= found.starts - 1;
            if self.has_pair_at(at, left, width, right) {
                return Some((at, self.weight(at)));
            }
        }
        None
    }

    /// Returns the weight of the segment that contains a slot with a symbol.
    #[inline]
    fn weight(&self, at: u32) -> u64 {
        let (at, block) = (at as usize, block_of(at) as usize);
        let cut = self.slots[block * BLOCK..at].iter().rev().find(|&&slot| is_cut(slot));
        self.weights[cut.map_or(self.blocks[block], |cut| cut & !CUT_BIT) as usize]
    }

    /// Fills the last block with cuts.
    pub(crate) fn fill_block(&mut self) {
        while !self.slots.len().is_multiple_of(BLOCK) {
            self.cut();
        }
    }

    /// Calls `visit` with the position, both symbols and the weight of each adjacent pair, in order.
    pub(crate) fn for_each_pair(&self, tick: Tick<'_>, mut visit: impl FnMut(u32, u32, u32, u64)) -> Result<()> {
        /// The number of slots read between two calls of the tick.
        const CHUNK: usize = 1 << 18;
        let (mut at, mut left, mut weight) = (0, NONE, 0);
        for slots in self.slots.chunks(CHUNK) {
            tick()?;
            for &slot in slots {
                let right = if is_cut(slot) { NONE } else { slot };
                if right == NONE {
                    weight = self.weights[(slot & !CUT_BIT) as usize];
                } else if left != NONE {
                    visit(at - 1, left, right, weight);
                }
                left = right;
                at += 1;
            }
        }
        Ok(())
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
