//! The merge table: maps a pair of entries to the merged entry and its rank.

use super::{NO_RANK, merged};
use crate::memory::filled;
use crate::vocab::Vocab;

/// A merge: a pair of entries, the merged entry and its rank; lower ranks go first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PairMerge {
    /// The pair.
    pub pair: (u32, u32),
    /// The rank; the lowest is merged first.
    pub rank: u32,
    /// The merged entry.
    pub id: u32,
}

impl PairMerge {
    const NONE: Self = Self { pair: (u32::MAX, u32::MAX), rank: NO_RANK, id: u32::MAX };
}

/// A hash table of merges by their pairs: open addressing, at most half full.
#[derive(Debug)]
pub(super) struct MergeTable {
    slots: Box<[PairMerge]>,
    filled: usize,
    /// A Bloom filter of the pairs.
    ///
    /// Most pairs looked up have no merge, and the filter fits a cache that the slots do not.
    filter: Box<[u64]>,
}

impl MergeTable {
    pub(super) fn with_capacity(merges: usize) -> Self {
        let slots = (2 * merges).next_power_of_two().max(64);
        Self { slots: filled(PairMerge::NONE, slots).into(), filled: 0, filter: vec![0; slots / 16].into() }
    }

    /// Returns the merges of a list whose results are allowed.
    pub(super) fn listed(vocab: &Vocab, list: &[(u32, u32)], prefix: &str, allowed: impl Fn(u32) -> bool) -> Self {
        let (mut pairs, mut text) = (Self::with_capacity(list.len()), String::new());
        for (rank, &pair) in (0..).zip(list) {
            if let Some(id) = merged(vocab, pair, prefix, &mut text).filter(|&id| allowed(id)) {
                pairs.insert(PairMerge { pair, rank, id });
            }
        }
        pairs
    }

    /// Inserts a merge; it replaces one with the same pair.
    pub(super) fn insert(&mut self, merge: PairMerge) {
        if 2 * (self.filled + 1) > self.slots.len() {
            self.grow();
        }
        let place = self.place(merge.pair);
        self.filled += usize::from(self.slots[place].rank == NO_RANK);
        self.slots[place] = merge;
        let (word, bits) = self.bits(hash(merge.pair));
        self.filter[word] |= bits;
    }

    fn grow(&mut self) {
        let mut larger = Self::with_capacity(self.slots.len());
        self.slots.iter().filter(|merge| merge.rank != NO_RANK).for_each(|&merge| larger.insert(merge));
        *self = larger;
    }

    /// Returns the rank and the merged entry of a pair; the rank is [`NO_RANK`] if there is none.
    #[inline]
    pub(super) fn get(&self, left: u32, right: u32) -> (u32, u32) {
        let hash = hash((left, right));
        let (word, bits) = self.bits(hash);
        if self.filter[word] & bits != bits {
            return (NO_RANK, u32::MAX);
        }
        let merge = self.slots[self.place_from((left, right), hash)];
        (merge.rank, merge.id)
    }

    /// Returns all pairs.
    pub(super) fn iter(&self) -> impl Iterator<Item = PairMerge> + '_ {
        self.slots.iter().copied().filter(|merge| merge.rank != NO_RANK)
    }

    /// Returns the slot of a pair, or the empty slot for it.
    fn place(&self, pair: (u32, u32)) -> usize {
        self.place_from(pair, hash(pair))
    }

    #[inline]
    fn place_from(&self, pair: (u32, u32), hash: usize) -> usize {
        let last = self.slots.len() - 1;
        let mut place = hash & last;
        while self.slots[place].pair != pair && self.slots[place].rank != NO_RANK {
            place = (place + 1) & last;
        }
        place
    }

    /// Returns a pair's two bits in the filter, both in one 64-bit word.
    #[inline]
    fn bits(&self, hash: usize) -> (usize, u64) {
        let word = (hash >> 40) & (self.filter.len() - 1);
        (word, 1 << (hash >> 28 & 63) | 1 << (hash >> 34 & 63))
    }
}

/// Returns the hash of a pair by a folded multiplication: every bit of the pair affects the low bits.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the halves of a product, and bits of a hash")]
fn hash((left, right): (u32, u32)) -> usize {
    let key = u64::from(left) << 32 | u64::from(right);
    let product = u128::from(key ^ 0x9E37_79B9_7F4A_7C15) * 0xA076_1D64_78BD_642F_u128;
    (product as u64 ^ (product >> 64) as u64) as usize
}
