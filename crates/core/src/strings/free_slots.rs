//! The free slots of a double array (Aoe 1989), in which tries place the children of their nodes.
//!
//! A node has a base, and its child by a label is the slot at the base plus the label. A base fits if the slots of all
//! children are free. The search is bounded, so that tries are built in linear time and leave few slots unused.

use std::ops::BitAnd;

/// The number of windows of 64 slots that are searched for the children of one node.
const WINDOWS: usize = 4;

/// The free slots: all beyond the end, and some before.
pub(crate) struct FreeSlots {
    /// A bit for each slot that is taken.
    taken: Vec<u64>,
    /// No slot before this index is free, or so few that they are not searched.
    first: usize,
}

impl FreeSlots {
    /// Returns the slots from `first` on.
    pub(crate) fn from(first: usize) -> Self {
        let taken = (0..first.div_ceil(64)).map(|word| match first - 64 * word {
            bits @ 0..64 => (1 << bits) - 1,
            _ => u64::MAX,
        });
        Self { taken: taken.collect(), first }
    }

    /// Returns an accepted base for which the slots of all labels are free; labels are sorted, and at least one.
    ///
    /// A base may be negative, modulo 2^32. Some base beyond the taken slots must be accepted.
    pub(crate) fn base(&mut self, labels: &(impl Iterator<Item = u32> + Clone), accepts: impl Fn(u32) -> bool) -> u32 {
        let lowest = labels.clone().next().unwrap_or_default();
        let base = |place: usize| index(place).wrapping_sub(lowest);
        self.first = self.next(self.first);
        let mut place = self.first;
        for _ in 0..WINDOWS {
            // One bit for each of 64 candidate slots of the first child.
            let free = |label: u32| self.free(place + (label - lowest) as usize);
            let fits = labels.clone().map(free).fold(u64::MAX, BitAnd::bitand);
            if let Some(base) = bits(fits).map(|bit| base(place + bit)).find(|&base| accepts(base)) {
                return base;
            }
            place = self.next(place + 64);
        }
        // This dense region has few usable slots, and searching it would take longer and longer.
        self.first = self.next(self.first + 1);
        (64 * self.taken.len()..).map(base).find(|&base| accepts(base)).expect("accepts a base beyond the taken slots")
    }

    /// Marks a slot as taken.
    pub(crate) fn take(&mut self, place: u32) {
        let (word, bit) = (place as usize / 64, place % 64);
        if self.taken.len() <= word {
            self.taken.resize(word + 1, 0);
        }
        self.taken[word] |= 1 << bit;
    }

    /// Returns a bit for each of the 64 slots from `place` on that is free.
    fn free(&self, place: usize) -> u64 {
        let word = |at| self.taken.get(at).copied().unwrap_or_default();
        let (at, bit) = (place / 64, index(place % 64));
        !(word(at) >> bit | word(at + 1).checked_shl(64 - bit).unwrap_or_default())
    }

    /// Returns the first free slot from `place` on.
    fn next(&self, mut place: usize) -> usize {
        loop {
            match self.free(place) {
                0 => place += 64,
                free => return place + free.trailing_zeros() as usize,
            }
        }
    }
}

/// Returns the indices of the set bits.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(bit)
    })
}

fn index(place: usize) -> u32 {
    u32::try_from(place).expect("tries have fewer than 2^32 slots")
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeSet, HashSet};

    use super::*;

    #[test]
    fn no_slot_is_given_twice() {
        let mut state = 7_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            u32::try_from((state >> 33) % below).unwrap()
        };
        let (mut slots, mut taken) = (FreeSlots::from(70), HashSet::new());
        for _ in 0..2000 {
            let labels: BTreeSet<u32> = (0..=random(6)).map(|_| random(300)).collect();
            let base = slots.base(&labels.iter().copied(), |base| base.is_multiple_of(3));
            assert_eq!(base % 3, 0);
            for label in labels {
                let slot = base.wrapping_add(label);
                assert!(slot >= 70 && taken.insert(slot), "{slot} is taken");
                slots.take(slot);
            }
        }
    }
}
