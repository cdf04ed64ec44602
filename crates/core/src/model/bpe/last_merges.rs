//! The last merges of entries: those that make them when their own texts are merged.
//!
//! If the parts of a merge are made by earlier merges, it is the last merge of its entry if and only if the parts stay
//! separate in the model of the merges before it (B28 in `spec/bpe.md`). Parts are shorter than what they make, so the entries are
//! tested from the shortest to the longest, with the last merges that are already known. This takes a fraction of the
//! time of merging their texts.

use super::backtracking::{Entry, UNORDERED, stay_separate};
use super::pairs::{MergeTable, PairMerge};
use super::trie::NONE;
use crate::memory::filled;

/// The last merge of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastMerge {
    /// The entry is a single character.
    Character,
    /// The rank and the pair of the merge.
    Merge(u32, (u32, u32)),
    /// The text of the entry does not merge to it.
    None,
    /// A later merge may make a part of the entry, so its text has to be merged.
    Unknown,
}

/// The last merges of entries, by id; the length of an entry says only whether it has been added.
pub(super) struct LastMerges(Vec<Entry>);

impl LastMerges {
    /// Returns the last merges of these characters, and of no other entry with an id below `ids`.
    pub(super) fn of_characters(characters: impl Iterator<Item = u32>, ids: usize) -> Self {
        let mut entries = filled(Entry::ABSENT, ids);
        characters.for_each(|id| entries[id as usize] = Entry::new(0, 1, (NONE, NONE)));
        Self(entries)
    }

    /// Adds the last merges of all entries that merges of the table make; `length` returns the length of an entry.
    pub(super) fn add_all(&mut self, pairs: &MergeTable, length: impl Fn(u32) -> usize) {
        let mut merges: Vec<PairMerge> = pairs.iter().collect();
        merges.sort_by_cached_key(|merge| (length(merge.id), merge.id));
        for merges in merges.chunk_by(|one, other| one.id == other.id) {
            if self.get(merges[0].id) != LastMerge::Character {
                self.add(merges[0].id, merges.iter().copied(), pairs);
            }
        }
    }

    /// Adds the last merge of an entry that is no character, of all `merges` that make it, and returns it.
    ///
    /// All shorter entries have been added, and their merges are in the table.
    pub(super) fn add(&mut self, id: u32, merges: impl Iterator<Item = PairMerge>, pairs: &MergeTable) -> LastMerge {
        let last = self.find(merges, pairs);
        self.0[id as usize] = match last {
            LastMerge::Merge(rank, pair) => Entry::new(rank + 1, 1, pair),
            LastMerge::Unknown => Entry::new(UNORDERED, 1, (NONE, NONE)),
            LastMerge::None | LastMerge::Character => Entry::ABSENT,
        };
        last
    }

    /// Returns the last merge of an entry.
    pub(super) fn get(&self, id: u32) -> LastMerge {
        let entry = self.0[id as usize];
        match entry.order() {
            _ if entry.length() == 0 => LastMerge::None,
            0 => LastMerge::Character,
            UNORDERED => LastMerge::Unknown,
            order => LastMerge::Merge(order - 1, entry.parts()),
        }
    }

    fn find(&self, merges: impl Iterator<Item = PairMerge>, pairs: &MergeTable) -> LastMerge {
        let mut known = LastMerge::None;
        for PairMerge { pair: (left, right), rank, .. } in merges {
            let parts = [left, right].map(|id| self.0[id as usize]);
            if parts.iter().any(|part| part.length() == 0) {
                continue;
            }
            // An order is the rank plus 1.
            if rank + 1 >= UNORDERED || parts.iter().any(|part| part.order() > rank) {
                known = LastMerge::Unknown;
            } else if stay_separate(&self.0, (left, parts[0]), (right, parts[1]), rank, pairs) {
                // There is only one.
                return LastMerge::Merge(rank, (left, right));
            }
        }
        known
    }
}
