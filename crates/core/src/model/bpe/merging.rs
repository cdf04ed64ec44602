//! Merges the parts of one word: applies the leftmost merge of the lowest rank until none is left.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::NO_RANK;
use super::backtracking::BacktrackingScratch;
use super::pairs::MergeTable;
use crate::memory::Growable;
use crate::numbers::random::Dropout;
use crate::stop::Work;

/// A part of a word while it is merged.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part {
    /// Its entry.
    pub(super) id: u32,
    /// Its number of bytes of the word.
    pub(super) bytes: u32,
    /// The rank of its merge with the next part, and the merged entry.
    rank: u32,
    makes: u32,
}

impl Part {
    pub(super) fn new(id: u32, bytes: usize) -> Self {
        let bytes = u32::try_from(bytes).expect("a text is under 4 GiB");
        Self { id, bytes, rank: NO_RANK, makes: NONE }
    }
}

/// The working memory for encoding a word, owned by the caller and reused for every word.
#[derive(Debug, Default)]
pub struct BpeScratch {
    pub(super) parts: Vec<Part>,
    /// The unknown token after the parts, to which more unknown characters may be fused: its id and its bytes.
    unknown: Option<(u32, usize)>,
    /// For long words: the previous and the next part of each part, and a heap of possible merges.
    links: Vec<(u32, u32)>,
    heap: BinaryHeap<QueuedMerge>,
    skipped: Vec<QueuedMerge>,
    /// The last merge: its rank and its pair.
    last: Option<(u32, (u32, u32))>,
    /// The dropout of merges, if any.
    pub dropout: Option<Dropout>,
    /// A buffer for the text of a byte-level word.
    pub(super) text: String,
    /// The memory of the backtracking encoder.
    pub(super) backtracking: BacktrackingScratch,
    pub(super) bytes: Vec<u8>,
}

/// A possible merge: its rank, the position of its left part, and the merged entry.
///
/// The top of the heap is the least.
type QueuedMerge = Reverse<(u32, u32, u32)>;

/// The largest number of parts without a heap: a linear search for the lowest rank is faster up to it.
const MAX_LINEAR_PARTS: usize = 32;
/// The value for "no part".
const NONE: u32 = u32::MAX;

impl BpeScratch {
    /// Removes all parts.
    pub(super) fn clear(&mut self) {
        self.parts.clear();
        (self.last, self.unknown) = (None, None);
    }

    /// Adds a part.
    #[inline]
    pub(super) fn push(&mut self, id: u32, bytes: usize) {
        self.parts.make_room(1);
        self.parts.push(Part::new(id, bytes));
    }

    /// Adds an unknown character of a word, fused with the one before it if `fuse` is set.
    ///
    /// It becomes a part only at [`Self::end_unknown`] or with the next one: fallback entries between two go first.
    pub(super) fn push_unknown(&mut self, unk: u32, bytes: usize, fuse: bool) {
        match &mut self.unknown {
            Some((_, before)) if fuse => *before += bytes,
            _ => {
                self.end_unknown();
                self.unknown = Some((unk, bytes));
            }
        }
    }

    /// Adds the unknown token that is not yet a part, if there is one.
    pub(super) fn end_unknown(&mut self) {
        if let Some((id, bytes)) = self.unknown.take() {
            self.push(id, bytes);
        }
    }

    /// Replaces the parts by these entries, without bytes.
    pub(super) fn fill(&mut self, ids: impl Iterator<Item = u32>) {
        self.clear();
        ids.for_each(|id| self.push(id, 0));
    }

    /// Returns the last merge: its rank and its pair.
    pub(super) fn last(&self) -> Option<(u32, (u32, u32))> {
        self.last
    }

    /// Returns the two parts, if there are exactly two.
    pub(super) fn only_pair(&self) -> Option<(u32, u32)> {
        if let [left, right] = self.parts[..] { Some((left.id, right.id)) } else { None }
    }

    /// Returns the largest capacity of a buffer.
    pub(crate) fn capacity(&self) -> usize {
        let Self { parts, text, bytes, .. } = self;
        parts.capacity().max(text.capacity()).max(bytes.capacity())
    }

    /// Merges until no merge is left: O(n log n) for n parts.
    pub(super) fn merge(&mut self, pairs: &MergeTable) {
        let mut work = Work::default();
        for at in 1..self.parts.len() {
            work.add(1);
            self.look_up_merge(at - 1, at, pairs);
        }
        if self.dropout.is_some() || self.parts.len() > MAX_LINEAR_PARTS {
            self.merge_many(pairs);
        } else {
            self.merge_few(pairs);
        }
    }

    /// Looks up the merge of two adjacent parts.
    #[inline]
    fn look_up_merge(&mut self, left: usize, right: usize, pairs: &MergeTable) {
        let (rank, makes) = pairs.get(self.parts[left].id, self.parts[right].id);
        (self.parts[left].rank, self.parts[left].makes) = (rank, makes);
    }

    fn merge_few(&mut self, pairs: &MergeTable) {
        while let Some(at) = self.lowest() {
            let right = self.parts.remove(at + 1);
            let part = &mut self.parts[at];
            self.last = Some((part.rank, (part.id, right.id)));
            (part.id, part.bytes) = (part.makes, part.bytes + right.bytes);
            if at + 1 < self.parts.len() {
                self.look_up_merge(at, at + 1, pairs);
            } else {
                self.parts[at].rank = NO_RANK;
            }
            if at > 0 {
                self.look_up_merge(at - 1, at, pairs);
            }
        }
    }

    /// Returns the leftmost part of the lowest rank.
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

    fn merge_many(&mut self, pairs: &MergeTable) {
        let count = u32::try_from(self.parts.len()).expect("parts of a text under 4 GiB");
        self.links.clear();
        self.links.make_room(self.parts.len());
        self.links.extend((0..count).map(|at| (at.wrapping_sub(1), if at + 1 < count { at + 1 } else { NONE })));
        self.heap.clear();
        self.skipped.clear();
        for at in 0..count {
            self.push_merge(at);
        }
        let mut work = Work::default();
        while let Some(top) = self.heap.pop() {
            work.add(1);
            if self.dropout.as_mut().is_some_and(Dropout::passes) {
                self.skipped.make_room(1);
                self.skipped.push(top);
                continue;
            }
            self.heap.make_room(self.skipped.len());
            self.heap.extend(self.skipped.drain(..));
            let Reverse((rank, at, makes)) = top;
            // A merge whose parts changed after it was pushed is outdated.
            let part = &self.parts[at as usize];
            if (part.rank, part.makes) == (rank, makes) {
                self.merge_at(at, pairs);
            }
        }
        self.parts.retain(|part| part.makes != GONE);
    }

    /// Merges the part at `at` with the next one.
    fn merge_at(&mut self, at: u32, pairs: &MergeTable) {
        let (before, gone) = self.links[at as usize];
        let (_, after) = self.links[gone as usize];
        let Part { id, bytes, .. } = self.parts[gone as usize];
        (self.parts[gone as usize].rank, self.parts[gone as usize].makes) = (NO_RANK, GONE);
        let part = &mut self.parts[at as usize];
        self.last = Some((part.rank, (part.id, id)));
        (part.id, part.bytes, part.rank, part.makes) = (part.makes, part.bytes + bytes, NO_RANK, NONE);
        self.links[at as usize].1 = after;
        if before != NONE {
            self.look_up_merge(before as usize, at as usize, pairs);
            self.push_merge(before);
        }
        if after != NONE {
            self.links[after as usize].0 = at;
            self.look_up_merge(at as usize, after as usize, pairs);
            self.push_merge(at);
        }
    }

    /// Pushes a part's merge to the heap, if it has one.
    fn push_merge(&mut self, at: u32) {
        let Part { rank, makes, .. } = self.parts[at as usize];
        if rank != NO_RANK {
            self.heap.make_room(1);
            self.heap.push(Reverse((rank, at, makes)));
        }
    }
}

/// The value of `makes` for a part that was merged into the one before it, and will be removed.
const GONE: u32 = u32::MAX - 1;
