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
//! A slot also holds the index of its weight, so a visit touches one cache line, not two. Equal weights share an index,
//! since a table of words has few distinct counts.

use hashbrown::HashMap;

use crate::hash::FixedHasher;

/// The value of a slot without symbol: both ends of a segment.
pub(crate) const NONE: u32 = (1 << 31) - 1;
/// The bit of the last slot of a symbol that is wider than one slot.
const END_BIT: u32 = 1 << 31;
/// The value of a slot inside a symbol, which neither starts nor ends one.
const INSIDE: u32 = u32::MAX;

/// A symbol id with its bits, and the index of the weight.
#[derive(Clone, Copy)]
struct Slot {
    symbol: u32,
    weight: u32,
}

/// The current segmentation of all words.
pub(crate) struct Segments {
    slots: Vec<Slot>,
    weights: Vec<u64>,
    weight_indices: HashMap<u64, u32, FixedHasher>,
    current: u32,
}

impl Segments {
    /// The maximum number of slots: one for each character, one for each cut and one more for each word.
    pub(crate) const LIMIT: usize = u32::MAX as usize;

    /// Returns an array with capacity for `slots` slots; the first is in use.
    pub(crate) fn with_capacity(slots: usize) -> Self {
        let mut segments = Self {
            slots: Vec::with_capacity(slots),
            weights: Vec::new(),
            weight_indices: HashMap::with_hasher(FixedHasher::default()),
            current: 0,
        };
        segments.cut();
        segments
    }

    /// Sets the weight of the symbols pushed from here on.
    pub(crate) fn set_weight(&mut self, weight: u64) {
        let weights = &mut self.weights;
        self.current = *self.weight_indices.entry(weight).or_insert_with(|| {
            weights.push(weight);
            to_u32(weights.len() - 1)
        });
    }

    /// Appends a symbol of width 1.
    pub(crate) fn push(&mut self, symbol: u32) {
        let weight = self.current;
        self.slots.push(Slot { symbol, weight });
    }

    /// Ends the segment; no pair crosses its end.
    pub(crate) fn cut(&mut self) {
        self.push(NONE);
    }

    /// Returns the number of slots.
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// Returns the weight of the segment that contains a slot.
    pub(crate) fn weight(&self, at: u32) -> u64 {
        self.weights[self.slots[at as usize].weight as usize]
    }

    /// Returns the symbol that starts at `at`: `NONE` at a cut, and no valid id inside a symbol.
    pub(crate) fn starting(&self, at: u32) -> u32 {
        self.slots[at as usize].symbol
    }

    /// Returns the symbol that ends just before the start of another: `NONE` at a cut.
    pub(crate) fn ending_before(&self, at: u32) -> u32 {
        self.slots[at as usize - 1].symbol & !END_BIT
    }

    /// Returns whether `left`, which is `width` slots wide, starts at `at` and `right` follows it.
    pub(crate) fn has_pair_at(&self, at: u32, left: u32, width: u32, right: u32) -> bool {
        self.starting(at) == left && self.starting(at + width) == right
    }

    /// Replaces the two symbols at the slots `start..middle` and `middle..end` with `symbol`.
    pub(crate) fn join(&mut self, start: u32, middle: u32, end: u32, symbol: u32) {
        self.slots[middle as usize].symbol = INSIDE;
        self.slots[end as usize - 1].symbol = END_BIT | symbol;
        self.slots[start as usize].symbol = symbol;
    }
}

/// Converts a count or an index to u32; the limits of this module guarantee that it fits.
pub(crate) fn to_u32(index: usize) -> u32 {
    u32::try_from(index).expect("bounded by the number of slots, which is")
}
