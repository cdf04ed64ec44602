//! The backtracking encoder: computes the tokens of BPE from left to right, without merging.
//!
//! Until something merges across the ends of a substring, the merges inside it do not depend on its context. A sequence
//! of entries is therefore the result of merging if and only if each pair of adjacent entries is the result for its own
//! text (B26 and B27 in `spec/bpe.md`). Every text has exactly one such sequence. The encoder takes the longest entry
//! that fits, and backtracks if none does, which is rare.
//!
//! Source: GitHub's `bpe` crate (rust-gems; van Antwerpen and Neubeck 2024). Cost: O(n) look-ups for n bytes, times the
//! number of nested entries at a position.
//!
//! To test two adjacent entries, their merges are undone from the last to the first (B28). The entries stay separate if
//! no pair at their boundary has an earlier merge than the one undone. The test requires that each entry has exactly
//! one derivation, from entries with earlier merges. Texts for which it would have to test another entry are encoded by
//! merging, and so are all texts of a model with many of them.

use std::hint::select_unpredictable;

use hashbrown::HashMap;

use super::NO_RANK;
use super::pairs::MergeTable;
use super::trie::{NONE, Trie};
use crate::hash::FixedHasher;
use crate::memory::{Growable, lengthen, prefetch};
use crate::stop::Work;

/// The derivation of an entry, and the entry to try next: four to a line of the CPU's cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(align(16))]
pub(super) struct Entry {
    /// Its order and, in the lowest byte, its number of bytes.
    ///
    /// The order is the rank of its merge plus 1, and 0 for a single character; see [`UNORDERED`].
    order_and_length: u32,
    left: u32,
    right: u32,
    /// The longest entry that is a proper prefix of it, or [`NONE`].
    shorter: u32,
}

impl Entry {
    /// An entry that merging does not make; only its length is 0.
    pub(super) const ABSENT: Self = Self { order_and_length: 0, left: NONE, right: NONE, shorter: NONE };
    /// A single character, whose length is not known yet.
    pub(super) const CHARACTER: Self = Self { order_and_length: 1, ..Self::ABSENT };
    /// An entry whose merge is not known, nor is its length.
    pub(super) const UNRESOLVED: Self = Self { order_and_length: UNORDERED << LENGTH_BITS | 1, ..Self::ABSENT };

    /// Returns the entry that a merge makes, whose length is not known yet; unordered if the rank is too large.
    pub(super) fn merged(rank: u32, (left, right): (u32, u32)) -> Self {
        let order = rank.saturating_add(1).min(UNORDERED);
        Self { order_and_length: order << LENGTH_BITS | 1, left, right, shorter: NONE }
    }

    /// Returns the entry with its number of bytes; unordered if that is too large.
    pub(super) fn with_length(self, bytes: usize) -> Self {
        let length = u32::try_from(bytes).ok().filter(|&length| length <= MAX_LENGTH);
        let order = if length.is_some() { self.order() } else { UNORDERED };
        Self { order_and_length: order << LENGTH_BITS | length.unwrap_or(MAX_LENGTH), ..self }
    }

    /// Returns whether merging does not make the entry.
    pub(super) fn is_absent(self) -> bool {
        self.length() == 0
    }

    /// Returns the entries of its merge.
    pub(super) fn parts(self) -> (u32, u32) {
        (self.left, self.right)
    }

    #[inline]
    pub(super) fn order(self) -> u32 {
        self.order_and_length >> LENGTH_BITS
    }

    #[inline]
    pub(super) fn length(self) -> usize {
        (self.order_and_length & MAX_LENGTH) as usize
    }
}

/// The number of bits of an entry's length.
const LENGTH_BITS: u32 = 8;
/// The largest length in bytes; longer entries are as unordered ones.
const MAX_LENGTH: u32 = (1 << LENGTH_BITS) - 1;

/// The number of bytes after which an entry is surely unordered.
const UNORDERED_LENGTH: usize = MAX_LENGTH as usize + 1;

/// A backtracking encoder of one model.
#[derive(Debug)]
pub(super) struct BacktrackingEncoder {
    trie: Trie,
    /// The derivations, by id.
    entries: Vec<Entry>,
    /// The entries that merging never produces: with `ignore_merges`, each encodes the word that equals it.
    whole_words: HashMap<Vec<u8>, u32, FixedHasher>,
}

/// The working memory of [`BacktrackingEncoder::encode`].
#[derive(Debug, Default)]
pub(super) struct BacktrackingScratch {
    entries: Vec<u32>,
    /// One bit per byte position: set if no sequence of entries covers the rest of the text.
    dead: Vec<u64>,
}

/// The order of an entry that is not tested: its derivation has a merge that is later than the next one, or it is too long.
pub(super) const UNORDERED: u32 = u32::MAX >> LENGTH_BITS;
/// Of this many entries, at most one may be unordered.
const ENTRIES_PER_UNORDERED: usize = 8;
/// The largest number of nested prefixes among entries; more would be too slow to try one by one.
const MAX_NESTED: usize = 256;

impl BacktrackingEncoder {
    /// Returns the encoder of entries by id, of which `texts` are the bytes; `None` if its tokens could differ from those of
    /// merging.
    ///
    /// `whole_words` are the bytes of the entries that merging never produces.
    pub(super) fn new(
        mut entries: Vec<Entry>,
        mut texts: Vec<(Vec<u8>, u32)>,
        whole_words: HashMap<Vec<u8>, u32, FixedHasher>,
    ) -> Option<Self> {
        if mark_unordered(&mut entries) > texts.len() / ENTRIES_PER_UNORDERED {
            return None;
        }
        texts.sort_unstable();
        set_shorter(&texts, &mut entries)?;
        // A walk in the trie ends here: a text that begins so is encoded by merging.
        texts.iter_mut().for_each(|(text, _)| text.truncate(UNORDERED_LENGTH));
        texts.dedup_by(|(next, _), (text, _)| next == text);
        Some(Self { trie: Trie::new(texts)?, entries, whole_words })
    }

    /// Returns the entries that merging would make of a text.
    ///
    /// The result is `None` if no sequence of entries covers the text, or if an unordered entry would be tested.
    #[inline]
    pub(super) fn encode<'a>(
        &self,
        text: &[u8],
        pairs: &MergeTable,
        scratch: &'a mut BacktrackingScratch,
    ) -> Option<&'a [u32]> {
        scratch.entries.clear();
        scratch.dead.clear();
        let (mut at, mut found) = (0, self.longest(text));
        // The entry before `at`.
        let mut before = None;
        let mut work = Work::default();
        while at < text.len() {
            work.add(1);
            let (id, length) = found;
            if id == NONE {
                scratch.mark_dead(at, text.len());
                let last = self.entries[scratch.entries.pop()? as usize];
                at -= last.length();
                found = self.with_length(last.shorter);
                before = scratch.entries.last().map(|&id| (id, self.entries[id as usize]));
                continue;
            }
            let entry = self.entries[id as usize];
            if entry.order() == UNORDERED {
                return None;
            }
            let fits = || before.is_none_or(|before| stay_separate(&self.entries, before, (id, entry), NO_RANK, pairs));
            if !scratch.is_dead(at + length) && fits() {
                scratch.entries.make_room(1);
                scratch.entries.push(id);
                // The length comes from the trie: the search need not wait for the entry.
                at += length;
                before = Some((id, entry));
                found = self.longest(&text[at..]);
            } else {
                found = self.with_length(entry.shorter);
            }
        }
        Some(&scratch.entries)
    }

    /// Returns an entry, or [`NONE`], with its length.
    fn with_length(&self, id: u32) -> (u32, usize) {
        (id, if id == NONE { 0 } else { self.entries[id as usize].length() })
    }

    /// Returns the longest entry that is a prefix of `text`, or [`NONE`], and its length.
    #[inline]
    fn longest(&self, text: &[u8]) -> (u32, usize) {
        self.trie.longest(text, |id| prefetch(&self.entries[id as usize]))
    }

    /// Returns the entry of a word that merging never produces.
    #[inline]
    pub(super) fn whole_word(&self, word: &[u8]) -> Option<u32> {
        if self.whole_words.is_empty() { None } else { self.whole_words.get(word).copied() }
    }

    /// Iterates over the words that merging never produces, each of which is encoded by the entry that equals it.
    pub(super) fn whole_words(&self) -> impl Iterator<Item = &[u8]> {
        self.whole_words.keys().map(Vec::as_slice)
    }

    /// Returns the number of bytes of an entry.
    #[inline]
    pub(super) fn length(&self, entry: u32) -> usize {
        self.entries[entry as usize].length()
    }
}

/// Returns whether two adjacent entries stay separate under the merges whose ranks are below `limit`.
#[inline]
pub(super) fn stay_separate(
    entries: &[Entry],
    (mut left, mut one): (u32, Entry),
    (mut right, mut other): (u32, Entry),
    mut limit: u32,
    pairs: &MergeTable,
) -> bool {
    // The pair at the boundary merges before the merge that is undone if its rank is below this limit. Of equal ranks the
    // leftmost goes first, so the limit is one higher if the undone merge is on the right.
    loop {
        if pairs.get(left, right).0 < limit {
            return false;
        }
        let (order, other_order) = (one.order(), other.order());
        if order | other_order == 0 {
            return true;
        }
        // Which of them is undone is as good as random, so it is chosen without a branch.
        let is_left = order > other_order;
        let part = select_unpredictable(is_left, one.right, other.left);
        limit = select_unpredictable(is_left, order.wrapping_sub(1), other_order);
        left = select_unpredictable(is_left, part, left);
        right = select_unpredictable(is_left, right, part);
        let entry = entries[part as usize];
        one = select_unpredictable(is_left, entry, one);
        other = select_unpredictable(is_left, other, entry);
    }
}

impl BacktrackingScratch {
    #[inline]
    fn is_dead(&self, at: usize) -> bool {
        self.dead.get(at / 64).is_some_and(|bits| bits >> (at % 64) & 1 == 1)
    }

    /// Records that no sequence leads from a position to the end of the text at `end`.
    #[cold]
    fn mark_dead(&mut self, at: usize, end: usize) {
        lengthen(&mut self.dead, end / 64 + 1, 0);
        self.dead[at / 64] |= 1 << (at % 64);
    }
}

/// Marks the entries with a part that merges later than they do, or that is marked; returns their number.
fn mark_unordered(entries: &mut [Entry]) -> usize {
    let mut by_order: Vec<usize> = (0..entries.len()).filter(|&id| entries[id].order() > 0).collect();
    by_order.sort_unstable_by_key(|&id| entries[id].order());
    // In this order, an earlier part is marked before the entries that it is part of.
    let mut marked = 0;
    for id in by_order {
        let entry = entries[id];
        let is_earlier = |part: u32| {
            let part = entries[part as usize];
            part.length() > 0 && part.order() < entry.order()
        };
        if entry.order() == UNORDERED || !(is_earlier(entry.left) && is_earlier(entry.right)) {
            entries[id].order_and_length |= UNORDERED << LENGTH_BITS;
            marked += 1;
        }
    }
    marked
}

/// Sets the longest proper prefix of each entry; `None` if too many entries are nested.
fn set_shorter(texts: &[(Vec<u8>, u32)], entries: &mut [Entry]) -> Option<()> {
    let mut open: Vec<&(Vec<u8>, u32)> = Vec::new();
    for text in texts {
        while open.last().is_some_and(|shorter| !text.0.starts_with(&shorter.0)) {
            open.pop();
        }
        if let Some((_, shorter)) = open.last() {
            entries[text.1 as usize].shorter = *shorter;
        }
        open.push(text);
        if open.len() > MAX_NESTED {
            return None;
        }
    }
    Some(())
}
