//! The entries of a table of words: the end of each word in the text, its count and its first occurrence.
//!
//! An entry has 16 bytes. The few whose values need more bits are in a table beside them.

use hashbrown::HashMap;

use super::FirstOccurrence;
use crate::hash::FixedHasher;
use crate::memory::Growable;

/// The bits of the end of a word and of the number of a document.
const WIDE_BITS: u32 = 40;
/// The largest of the values that take the other 24 bits.
const NARROW: u64 = (1 << (u64::BITS - WIDE_BITS)) - 1;
/// The count of an entry whose values are in the table of large ones.
const IS_LARGE: u64 = NARROW;

/// The largest length of the text of a table in bytes.
pub(super) const MAX_TEXT: usize = 1 << WIDE_BITS;

/// An entry, packed.
#[derive(Debug, Clone, Copy)]
struct Packed {
    /// The end of the word, and its count in the upper bits.
    end_and_count: u64,
    /// The index of the word in its document, and the document in the upper bits, so that the order is that of
    /// occurrences.
    first: u64,
}

/// The count and the first occurrence of a word.
#[derive(Debug, Clone, Copy)]
struct Values {
    count: u64,
    first: FirstOccurrence,
}

/// The entries of a table, in the order of insertion.
#[derive(Debug, Clone, Default)]
pub(super) struct Entries {
    packed: Vec<Packed>,
    large: HashMap<u32, Values, FixedHasher>,
}

impl Packed {
    /// Returns an entry if its values fit.
    fn new(end: usize, Values { count, first }: Values) -> Option<Self> {
        let fits = count < IS_LARGE && first.word <= NARROW && first.document < 1 << WIDE_BITS;
        let first = first.document << (u64::BITS - WIDE_BITS) | first.word;
        fits.then_some(Self { end_and_count: count << WIDE_BITS | end as u64, first })
    }

    fn end(self) -> usize {
        usize::try_from(self.end_and_count & ((1 << WIDE_BITS) - 1)).expect("a length of this machine")
    }

    fn count(self) -> u64 {
        self.end_and_count >> WIDE_BITS
    }

    fn first(self) -> FirstOccurrence {
        FirstOccurrence { document: self.first >> (u64::BITS - WIDE_BITS), word: self.first & NARROW }
    }
}

impl Entries {
    /// The size of an entry in bytes.
    pub(super) const BYTES: usize = size_of::<Packed>();

    /// Returns the number of entries.
    pub(super) fn len(&self) -> usize {
        self.packed.len()
    }

    /// Returns the place of a word in the text.
    #[inline]
    pub(super) fn range(&self, index: usize) -> std::ops::Range<usize> {
        let start = if index == 0 { 0 } else { self.packed[index - 1].end() };
        start..self.packed[index].end()
    }

    /// Returns the count and the first occurrence of a word.
    pub(super) fn get(&self, index: usize) -> (u64, FirstOccurrence) {
        let Values { count, first } = self.values(index);
        (count, first)
    }

    fn values(&self, index: usize) -> Values {
        let packed = self.packed[index];
        if packed.count() == IS_LARGE {
            return self.large[&key(index)];
        }
        Values { count: packed.count(), first: packed.first() }
    }

    /// Appends the entry of a word that ends at `end` of the text.
    pub(super) fn push(&mut self, end: usize, count: u64, first: FirstOccurrence) {
        self.packed.make_room(1);
        self.packed.push(Packed { end_and_count: end as u64, first: 0 });
        self.set(self.packed.len() - 1, Values { count, first });
    }

    /// Adds to the count of a word, which does not overflow, and takes the earlier of two first occurrences.
    pub(super) fn add(&mut self, index: usize, count: u64, first: FirstOccurrence) {
        let known = self.values(index);
        self.set(index, Values { count: known.count + count, first: known.first.min(first) });
    }

    /// Adds to the count of a word, which does not overflow.
    #[inline]
    pub(super) fn increase(&mut self, index: usize, count: u64) {
        let packed = &mut self.packed[index];
        if packed.count() + count.min(IS_LARGE) < IS_LARGE {
            packed.end_and_count += count << WIDE_BITS;
        } else {
            let known = self.values(index);
            self.set(index, Values { count: known.count + count, ..known });
        }
    }

    fn set(&mut self, index: usize, values: Values) {
        let end = self.packed[index].end();
        self.packed[index] = if let Some(packed) = Packed::new(end, values) {
            packed
        } else {
            self.large.make_room(1);
            self.large.insert(key(index), values);
            Packed { end_and_count: IS_LARGE << WIDE_BITS | end as u64, first: 0 }
        };
    }

    /// Removes all entries and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.packed.clear();
        self.large.clear();
    }

    /// Returns the first occurrence of a word.
    pub(super) fn first(&self, index: usize) -> FirstOccurrence {
        self.values(index).first
    }
}

/// Returns the index of an entry as it is stored; a table has fewer than 2^32.
fn key(index: usize) -> u32 {
    u32::try_from(index).expect("fewer than 2^32 entries")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_any_size_are_kept() {
        let sizes = [0, 1, NARROW - 1, NARROW, NARROW + 1, (1 << WIDE_BITS) - 1, 1 << WIDE_BITS, u64::MAX / 2];
        let mut entries = Entries::default();
        let mut wanted = Vec::new();
        for (end, &count) in sizes.iter().enumerate() {
            for &document in &sizes {
                for &word in &sizes {
                    let first = FirstOccurrence { document, word };
                    entries.push(end, count, first);
                    wanted.push((end, count, first));
                }
            }
        }
        let found = |entries: &Entries, index: usize| {
            let (count, first) = entries.get(index);
            (entries.range(index).end, count, first)
        };
        for (index, &(end, count, first)) in wanted.iter().enumerate() {
            assert_eq!(found(&entries, index), (end, count, first));
            for more in [0, 1, NARROW, u64::MAX / 2] {
                let mut larger = Entries { packed: vec![entries.packed[index]], large: HashMap::default() };
                larger.large.extend(entries.large.get(&key(index)).map(|&values| (0, values)));
                larger.increase(0, more);
                assert_eq!(found(&larger, 0), (end, count + more, first));
                let earlier = FirstOccurrence { document: first.document / 2, word: 7 };
                larger.add(0, 1, earlier);
                assert_eq!(found(&larger, 0), (end, count + more + 1, first.min(earlier)));
            }
        }
    }
}
