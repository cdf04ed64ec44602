//! The merging of one word: of all pairs that merge, again and again the one of the lowest rank, and of equals the leftmost.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::NO_RANK;
use super::forward::Row;
use super::pairs::Pairs;
use crate::numbers::random::Dropout;

/// A part of a word, between two merges.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// Its entry.
    pub(super) id: u32,
    /// How many bytes of the word it takes.
    pub(super) bytes: u32,
    /// The rank of its merge with the part behind it, and what that makes.
    rank: u32,
    makes: u32,
}

impl Part {
    pub(super) fn new(id: u32, bytes: usize) -> Self {
        let bytes = u32::try_from(bytes).expect("a text is under 4 GiB");
        Self { id, bytes, rank: NO_RANK, makes: NONE }
    }
}

/// The working memory of a word's merging, owned by the caller and used again for every word.
#[derive(Debug, Default)]
pub struct Merging {
    pub(super) parts: Vec<Part>,
    /// For long words: the parts before and behind each, and which merges are possible.
    links: Vec<(u32, u32)>,
    heap: BinaryHeap<Entry>,
    skipped: Vec<Entry>,
    /// The last merge: its rank, and its pair.
    last: Option<(u32, (u32, u32))>,
    /// Whether merges are passed over, and which.
    pub dropout: Option<Dropout>,
    /// Room for the text of a word whose bytes are characters.
    pub(super) text: String,
    /// For words that are encoded from left to right.
    pub(super) row: Row,
    pub(super) bytes: Vec<u8>,
}

/// A merge that is possible: its rank, the place of its left part, and what it makes; the least comes first.
type Entry = Reverse<(u32, u32, u32)>;

/// Longer words take a heap: finding the lowest rank of all parts is faster as long as they are few.
const FEW: usize = 32;
/// No part.
const NONE: u32 = u32::MAX;

impl Merging {
    /// Begins a word without parts.
    pub(super) fn clear(&mut self) {
        self.parts.clear();
        self.last = None;
    }

    /// Adds a part.
    #[inline]
    pub(super) fn push(&mut self, id: u32, bytes: usize) {
        self.parts.push(Part::new(id, bytes));
    }

    /// Begins a word of these entries, wherever they stand.
    pub(super) fn fill(&mut self, ids: impl Iterator<Item = u32>) {
        self.clear();
        ids.for_each(|id| self.push(id, 0));
    }

    /// The last merge: its rank, and its pair.
    pub(super) fn last(&self) -> Option<(u32, (u32, u32))> {
        self.last
    }

    /// The two parts, if there are two.
    pub(super) fn only_pair(&self) -> Option<(u32, u32)> {
        if let [left, right] = self.parts[..] { Some((left.id, right.id)) } else { None }
    }

    /// How much it has room for.
    pub(crate) fn capacity(&self) -> usize {
        let Self { parts, text, bytes, .. } = self;
        parts.capacity().max(text.capacity()).max(bytes.capacity())
    }

    /// Merges until nothing merges: O(n log n) for n parts.
    pub(super) fn merge(&mut self, pairs: &Pairs) {
        for at in 1..self.parts.len() {
            self.meet(at - 1, at, pairs);
        }
        if self.dropout.is_some() || self.parts.len() > FEW {
            self.merge_many(pairs);
        } else {
            self.merge_few(pairs);
        }
    }

    /// Looks up the merge of two neighbours.
    #[inline]
    fn meet(&mut self, left: usize, right: usize, pairs: &Pairs) {
        let (rank, makes) = pairs.get(self.parts[left].id, self.parts[right].id);
        (self.parts[left].rank, self.parts[left].makes) = (rank, makes);
    }

    fn merge_few(&mut self, pairs: &Pairs) {
        while let Some(at) = self.lowest() {
            let right = self.parts.remove(at + 1);
            let part = &mut self.parts[at];
            self.last = Some((part.rank, (part.id, right.id)));
            (part.id, part.bytes) = (part.makes, part.bytes + right.bytes);
            if at + 1 < self.parts.len() {
                self.meet(at, at + 1, pairs);
            } else {
                self.parts[at].rank = NO_RANK;
            }
            if at > 0 {
                self.meet(at - 1, at, pairs);
            }
        }
    }

    /// The leftmost part of the lowest rank.
    #[inline]
    fn lowest(&self) -> Option<usize> {
        let (mut lowest, mut found) = (NO_RANK, None);
        for (at, part) in self.parts.iter().enumerate() {
            if part.rank < lowest {
                (lowest, found) = (part.rank, Some(at));
            }
        }
        found
    }

    fn merge_many(&mut self, pairs: &Pairs) {
        let count = u32::try_from(self.parts.len()).expect("parts of a text under 4 GiB");
        self.links.clear();
        self.links.extend((0..count).map(|at| (at.wrapping_sub(1), if at + 1 < count { at + 1 } else { NONE })));
        self.heap.clear();
        self.skipped.clear();
        for at in 0..count {
            self.enter(at);
        }
        while let Some(top) = self.heap.pop() {
            if self.dropout.as_mut().is_some_and(Dropout::passes) {
                self.skipped.push(top);
                continue;
            }
            self.heap.extend(self.skipped.drain(..));
            let Reverse((rank, at, makes)) = top;
            // A merge that was entered before its parts changed is outdated.
            let part = &self.parts[at as usize];
            if (part.rank, part.makes) == (rank, makes) {
                self.merge_at(at, pairs);
            }
        }
        self.parts.retain(|part| part.makes != GONE);
    }

    /// Merges the part at `at` with the one behind it.
    fn merge_at(&mut self, at: u32, pairs: &Pairs) {
        let (before, gone) = self.links[at as usize];
        let (_, behind) = self.links[gone as usize];
        let Part { id, bytes, .. } = self.parts[gone as usize];
        (self.parts[gone as usize].rank, self.parts[gone as usize].makes) = (NO_RANK, GONE);
        let part = &mut self.parts[at as usize];
        self.last = Some((part.rank, (part.id, id)));
        (part.id, part.bytes, part.rank, part.makes) = (part.makes, part.bytes + bytes, NO_RANK, NONE);
        self.links[at as usize].1 = behind;
        if before != NONE {
            self.meet(before as usize, at as usize, pairs);
            self.enter(before);
        }
        if behind != NONE {
            self.links[behind as usize].0 = at;
            self.meet(at as usize, behind as usize, pairs);
            self.enter(at);
        }
    }

    /// Enters a part's merge, if it has one.
    fn enter(&mut self, at: u32) {
        let Part { rank, makes, .. } = self.parts[at as usize];
        if rank != NO_RANK {
            self.heap.push(Reverse((rank, at, makes)));
        }
    }
}

/// Stands for what a part makes that is part of another.
const GONE: u32 = u32::MAX - 1;
