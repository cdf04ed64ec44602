//! All words as one flat array of symbols, cut into segments that no pair crosses.
//!
//! Every character has a slot, and a symbol of `w` characters covers `w` slots: the first holds
//! its id, the last its id with the bit `END`, and no slot between them can be taken for the start
//! of a symbol. Since the width of a symbol is known from its id, both neighbours are one look
//! away, without links:
//!
//! ```text
//!   slot      0     1     2     3     4     5
//!   word      |     h     u     g     s     |
//!   symbols   |     h     u     g     s     |       four symbols of width 1
//!             |     h    gone ... after (u,g):
//!   symbols   |     h     ug   END+ug s     |
//! ```
//!
//! A slot also names its weight, so that a visit touches one cache line and not two. Equal weights
//! share a number, since a table of words has few distinct counts.

use hashbrown::HashMap;

use super::Hash;

/// Where no symbol is: at both ends of a segment.
pub(crate) const NONE: u32 = (1 << 31) - 1;
/// Marks the last slot of a symbol that is wider than one slot.
const END: u32 = 1 << 31;
/// A slot inside a symbol, which neither starts nor ends one.
const INSIDE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Slot {
    symbol: u32,
    weight: u32,
}

/// The current segmentation of all words.
pub(crate) struct Segments {
    slots: Vec<Slot>,
    weights: Vec<u64>,
    numbers: HashMap<u64, u32, Hash>,
    current: u32,
}

impl Segments {
    /// The most slots there can be: one for a character, one for a cut and one more for a word.
    pub(crate) const LIMIT: usize = u32::MAX as usize;

    /// An array with room for so many slots; one of them is used.
    pub(crate) fn with_capacity(slots: usize) -> Self {
        let mut segments = Self {
            slots: Vec::with_capacity(slots),
            weights: Vec::new(),
            numbers: HashMap::with_hasher(Hash::default()),
            current: 0,
        };
        segments.cut();
        segments
    }

    /// The weight of the symbols pushed from here on.
    pub(crate) fn set_weight(&mut self, weight: u64) {
        let weights = &mut self.weights;
        self.current = *self.numbers.entry(weight).or_insert_with(|| {
            weights.push(weight);
            number(weights.len() - 1)
        });
    }

    /// Appends a symbol of width 1.
    pub(crate) fn push(&mut self, symbol: u32) {
        let weight = self.current;
        self.slots.push(Slot { symbol, weight });
    }

    /// Ends the segment: no pair reaches across.
    pub(crate) fn cut(&mut self) {
        self.push(NONE);
    }

    /// How many slots there are.
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// The weight of the segment around a slot.
    pub(crate) fn weight(&self, at: u32) -> u64 {
        self.weights[self.slots[at as usize].weight as usize]
    }

    /// The symbol that starts at `at`: `NONE` at a cut, and no symbol's id inside a symbol.
    pub(crate) fn starting(&self, at: u32) -> u32 {
        self.slots[at as usize].symbol
    }

    /// The symbol that ends just before the start of another: `NONE` at a cut.
    pub(crate) fn ending_before(&self, at: u32) -> u32 {
        self.slots[at as usize - 1].symbol & !END
    }

    /// Whether `left`, which is `width` slots wide, starts at `at` with `right` after it.
    pub(crate) fn holds(&self, at: u32, left: u32, width: u32, right: u32) -> bool {
        self.starting(at) == left && self.starting(at + width) == right
    }

    /// Puts `symbol` over the slots from `start` to `end`, which two symbols meeting at `middle` held.
    pub(crate) fn join(&mut self, start: u32, middle: u32, end: u32, symbol: u32) {
        self.slots[middle as usize].symbol = INSIDE;
        self.slots[end as usize - 1].symbol = END | symbol;
        self.slots[start as usize].symbol = symbol;
    }
}

/// A count or an index as the u32 that it fits into, by the limits of this room.
pub(crate) fn number(index: usize) -> u32 {
    u32::try_from(index).expect("bounded by the number of slots, which is")
}
