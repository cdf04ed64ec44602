//! Which two entries merge, into what, and how early.

use super::recover;
use super::{NO_RANK, merged};
use crate::vocab::Vocab;

/// A merge: its pair comes to an entry, and lower ranks go first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Merge {
    pub(super) pair: (u32, u32),
    pub(super) rank: u32,
    pub(super) id: u32,
}

impl Merge {
    const NONE: Self = Self { pair: (u32::MAX, u32::MAX), rank: NO_RANK, id: u32::MAX };
}

/// A hash table of merges by their pairs: open addressing, at most half full.
#[derive(Debug)]
pub(super) struct Pairs {
    slots: Box<[Merge]>,
    filled: usize,
}

impl Pairs {
    pub(super) fn with_room(merges: usize) -> Self {
        Self { slots: vec![Merge::NONE; (2 * merges).next_power_of_two().max(4)].into(), filled: 0 }
    }

    /// The merges of a list whose results are allowed.
    pub(super) fn listed(vocab: &Vocab, list: &[(u32, u32)], prefix: &str, allowed: impl Fn(u32) -> bool) -> Self {
        let (mut pairs, mut text) = (Self::with_room(list.len()), String::new());
        for (rank, &pair) in (0..).zip(list) {
            if let Some(id) = merged(vocab, pair, prefix, &mut text).filter(|&id| allowed(id)) {
                pairs.insert(Merge { pair, rank, id });
            }
        }
        pairs
    }

    /// The merges that ranks come to, as far as their results are allowed.
    pub(super) fn implied(vocab: &Vocab, ranks: &[u32], allowed: impl Fn(u32) -> bool) -> Self {
        let ranks: Vec<u32> = (0..).zip(ranks).map(|(id, &rank)| if allowed(id) { rank } else { NO_RANK }).collect();
        recover::pairs(vocab, &ranks)
    }

    /// Adds a merge; it takes the place of one with the same pair.
    pub(super) fn insert(&mut self, merge: Merge) {
        if 2 * (self.filled + 1) > self.slots.len() {
            self.grow();
        }
        let place = self.place(merge.pair);
        self.filled += usize::from(self.slots[place].rank == NO_RANK);
        self.slots[place] = merge;
    }

    fn grow(&mut self) {
        let mut larger = Self::with_room(self.slots.len());
        self.slots.iter().filter(|merge| merge.rank != NO_RANK).for_each(|&merge| larger.insert(merge));
        *self = larger;
    }

    /// The merge of a pair; its rank is [`NO_RANK`] if there is none.
    #[inline]
    pub(super) fn get(&self, left: u32, right: u32) -> (u32, u32) {
        let merge = self.slots[self.place((left, right))];
        (merge.rank, merge.id)
    }

    /// Where the pair stands, or would stand.
    #[inline]
    fn place(&self, pair: (u32, u32)) -> usize {
        let last = self.slots.len() - 1;
        let mut place = hash(pair) & last;
        while self.slots[place].pair != pair && self.slots[place].rank != NO_RANK {
            place = (place + 1) & last;
        }
        place
    }
}

/// A folded multiplication: every bit of the pair moves the low bits.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "the halves of a product, and bits of a hash")]
fn hash((left, right): (u32, u32)) -> usize {
    let key = u64::from(left) << 32 | u64::from(right);
    let product = u128::from(key ^ 0x9E37_79B9_7F4A_7C15) * 0xA076_1D64_78BD_642F_u128;
    (product as u64 ^ (product >> 64) as u64) as usize
}
