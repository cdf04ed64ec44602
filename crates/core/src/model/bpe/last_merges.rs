//! The last merges of entries: those that make them when their own texts are merged.
//!
//! If the parts of a merge are made by earlier merges, it is the last merge of its entry if and only if the parts stay
//! separate in the model of the merges before it (B28 in `spec/bpe.md`). Parts are shorter than what they make, so the entries are
//! tested from the shortest to the longest, with the last merges that are already known. This takes a fraction of the
//! time of merging their texts, which is needed where a part may have a later merge.

use super::alphabet::NONE;
use super::backtracking::{Entry, UNORDERED, stay_separate};
use super::merging::BpeScratch;
use super::pairs::{MergeTable, PairMerge};
use crate::memory::filled;

/// Returns a table of entries by id that has only these characters.
pub(super) fn of_characters(characters: impl Iterator<Item = u32>, ids: usize) -> Vec<Entry> {
    let mut entries = filled(Entry::ABSENT, ids);
    characters.for_each(|id| entries[id as usize] = Entry::CHARACTER);
    entries
}

/// Adds all entries that merges of the table make of the characters; `length` returns the length of an entry.
pub(super) fn add_all(entries: &mut [Entry], pairs: &MergeTable, length: impl Fn(u32) -> usize) {
    let mut merges: Vec<PairMerge> = pairs.iter().collect();
    merges.sort_by_cached_key(|merge| (length(merge.id), merge.id));
    for merges in merges.chunk_by(|one, other| one.id == other.id) {
        let id = merges[0].id as usize;
        if entries[id].is_absent() {
            entries[id] = find(entries, merges.iter().copied(), pairs);
        }
    }
}

/// Returns an entry that is no character, of all `merges` that make it; [`Entry::UNRESOLVED`] if a later merge may make a part of
/// it, so that its text has to be merged.
///
/// The table has all shorter entries, and `pairs` their merges.
pub(super) fn find(entries: &[Entry], merges: impl Iterator<Item = PairMerge>, pairs: &MergeTable) -> Entry {
    let mut known = Entry::ABSENT;
    for PairMerge { pair: (left, right), rank, .. } in merges {
        let parts = [left, right].map(|id| entries[id as usize]);
        if parts.iter().any(|part| part.is_absent()) {
            continue;
        }
        // An order is the rank plus 1.
        if rank + 1 >= UNORDERED || parts.iter().any(|part| part.order() > rank) {
            known = Entry::UNRESOLVED;
        } else if stay_separate(entries, (left, parts[0]), (right, parts[1]), rank, pairs) {
            // There is only one.
            return Entry::merged(rank, (left, right));
        }
    }
    known
}

/// Returns the entry `id`, by merging its initial symbols, where [`NONE`] is a character without an entry.
pub(super) fn by_merging(
    symbols: impl Iterator<Item = u32>,
    id: u32,
    pairs: &MergeTable,
    scratch: &mut BpeScratch,
) -> Entry {
    scratch.clear();
    for symbol in symbols {
        if symbol == NONE {
            return Entry::ABSENT;
        }
        scratch.push(symbol, 0);
    }
    scratch.merge(pairs);
    match &scratch.parts[..] {
        [only] if only.id == id => scratch.last().map_or(Entry::CHARACTER, |(rank, pair)| Entry::merged(rank, pair)),
        _ => Entry::ABSENT,
    }
}
