//! Encoding from left to right: what merging gives, without merging.
//!
//! Two facts make it possible (see `spec/bpe.md`). Until something merges across the borders of a stretch of text, what
//! happens inside does not depend on what stands around it. So a row of entries is what merging gives if and only if each
//! two neighbours are what merging gives of their own text, and of every text there is one such row. It is found by taking
//! the longest entry that fits, and going back where none does; that seldom happens.
//!
//! Whether two neighbours stay apart is told by undoing their merges, the latest first: at no time must what stands at the
//! border merge earlier than what was merged instead. That needs entries with one merge each, made of entries with earlier
//! ones; other models merge.

use hashbrown::HashMap;

use super::NO_RANK;
use super::pairs::Pairs;
use crate::hash::FixedHasher;
use crate::model::trie::{NONE, Trie};

/// How one entry is made, and what may stand in its place.
#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Its bytes.
    length: u32,
    /// The rank of the merge that makes it, from 1 on; 0 for a single character.
    order: u32,
    left: u32,
    right: u32,
    /// The longest entry that it begins with, itself apart.
    shorter: u32,
}

/// A model that encodes from left to right.
#[derive(Debug)]
pub(super) struct Forward {
    trie: Trie,
    /// By id.
    entries: Vec<Entry>,
    /// Entries that no merging makes, and that stand for the words that they are.
    others: HashMap<Vec<u8>, u32, FixedHasher>,
}

/// An entry that merging can make: its bytes, and its merge if it is not a single character.
pub(super) struct Made {
    pub(super) id: u32,
    pub(super) bytes: Vec<u8>,
    pub(super) merge: Option<(u32, (u32, u32))>,
}

/// All entries that merging makes, and those that words are although it does not.
#[derive(Default)]
pub(super) struct Spelled {
    pub(super) made: Vec<Made>,
    pub(super) others: Vec<(Vec<u8>, u32)>,
}

/// The working memory of [`Forward::encode`].
#[derive(Debug, Default)]
pub(super) struct Row {
    entries: Vec<u32>,
    /// The places from which nothing leads to the end, a bit each.
    dead: Vec<u64>,
}

/// More entries that begin with each other are too many to be tried one after the other.
const MOST_NESTED: usize = 256;

impl Forward {
    /// The encoder of these entries; `None` if they are not such that it gives what merging does.
    pub(super) fn new(Spelled { made, others }: Spelled, ids: usize) -> Option<Self> {
        let absent = Entry { length: 0, order: 0, left: NONE, right: NONE, shorter: NONE };
        let mut entries = vec![absent; ids];
        for Made { id, bytes, merge } in &made {
            let entry = &mut entries[*id as usize];
            entry.length = u32::try_from(bytes.len()).ok()?;
            if let Some((rank, (left, right))) = *merge {
                (entry.order, entry.left, entry.right) = (rank.checked_add(1)?, left, right);
            }
        }
        let is_earlier =
            |part: u32, order: u32| entries[part as usize].length > 0 && entries[part as usize].order < order;
        let is_sound = |entry: &Entry| {
            entry.order == 0 || (is_earlier(entry.left, entry.order) && is_earlier(entry.right, entry.order))
        };
        if !entries.iter().all(is_sound) {
            return None;
        }
        let mut texts: Vec<_> = made.into_iter().map(|made| (made.bytes, made.id)).collect();
        texts.sort_unstable();
        nest(&texts, &mut entries)?;
        Some(Self { trie: Trie::new(texts)?.with_pairs(), entries, others: others.into_iter().collect() })
    }

    /// The entries of a text; `None` if they do not cover it.
    #[inline]
    pub(super) fn encode<'a>(&self, text: &[u8], pairs: &Pairs, row: &'a mut Row) -> Option<&'a [u32]> {
        row.entries.clear();
        row.dead.clear();
        let (mut at, mut entry) = (0, self.trie.longest(text));
        while at < text.len() {
            if entry == NONE {
                row.bury(at, text.len());
                let last = row.entries.pop()?;
                at -= self.length(last);
                entry = self.entries[last as usize].shorter;
            } else if self.fits(entry, at, row, pairs) {
                row.entries.push(entry);
                at += self.length(entry);
                entry = self.trie.longest(&text[at..]);
            } else {
                entry = self.entries[entry as usize].shorter;
            }
        }
        Some(&row.entries)
    }

    /// The entry that a word is although no merging makes it.
    #[inline]
    pub(super) fn other(&self, word: &[u8]) -> Option<u32> {
        if self.others.is_empty() { None } else { self.others.get(word).copied() }
    }

    /// The bytes of an entry.
    #[inline]
    pub(super) fn length(&self, entry: u32) -> usize {
        self.entries[entry as usize].length as usize
    }

    /// Whether an entry at `at` can be the next of the row.
    #[inline]
    fn fits(&self, entry: u32, at: usize, row: &Row, pairs: &Pairs) -> bool {
        !row.is_dead(at + self.length(entry))
            && row.entries.last().is_none_or(|&last| self.stay_apart(last, entry, pairs))
    }

    /// Whether merging leaves two entries side by side as they are.
    #[inline]
    fn stay_apart(&self, mut left: u32, mut right: u32, pairs: &Pairs) -> bool {
        let (mut one, mut other) = (&self.entries[left as usize], &self.entries[right as usize]);
        // What the pair at the border must be earlier than to have merged: of equal ranks the leftmost goes first.
        let mut limit = NO_RANK;
        loop {
            if pairs.get(left, right).0 < limit {
                return false;
            }
            if one.order > other.order {
                limit = one.order - 1;
                left = one.right;
                one = &self.entries[left as usize];
            } else if other.order > 0 {
                limit = other.order;
                right = other.left;
                other = &self.entries[right as usize];
            } else {
                return true;
            }
        }
    }
}

impl Row {
    #[inline]
    fn is_dead(&self, at: usize) -> bool {
        self.dead.get(at / 64).is_some_and(|bits| bits >> (at % 64) & 1 == 1)
    }

    /// Notes that nothing leads from a place to the end, which lies at `end`.
    #[cold]
    fn bury(&mut self, at: usize, end: usize) {
        self.dead.resize(end / 64 + 1, 0);
        self.dead[at / 64] |= 1 << (at % 64);
    }
}

/// Tells each entry the longest that it begins with; `None` if too many begin with each other.
fn nest(texts: &[(Vec<u8>, u32)], entries: &mut [Entry]) -> Option<()> {
    let mut open: Vec<&(Vec<u8>, u32)> = Vec::new();
    for text in texts {
        while open.last().is_some_and(|shorter| !text.0.starts_with(&shorter.0)) {
            open.pop();
        }
        if let Some((_, shorter)) = open.last() {
            entries[text.1 as usize].shorter = *shorter;
        }
        open.push(text);
        if open.len() > MOST_NESTED {
            return None;
        }
    }
    Some(())
}
