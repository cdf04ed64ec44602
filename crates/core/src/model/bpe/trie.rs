//! A trie over bytes in a double array: the longest entry that is a prefix of a text.
//!
//! The index of a child is the node's base plus the byte. No two nodes have the same base, so a slot that stores its
//! byte identifies its parent.

use crate::memory::{copied, lengthen};
use crate::strings::free_slots::FreeSlots;

/// The value for "no entry".
pub(super) const NONE: u32 = u32::MAX;
/// The number of values of a byte.
const BYTES: u32 = 256;
/// The number of bits of a slot's byte.
const BYTE: u32 = 8;
/// The upper limit of bases, which share 32 bits with a byte.
const BASES: u32 = 1 << (32 - BYTE);
/// The base of a node without children, from which all slots are free.
const CHILDLESS: u32 = 0;

/// A node: its base and its byte in one integer, and the entry that ends there.
#[derive(Debug, Clone, Copy)]
struct Slot {
    base: u32,
    entry: u32,
}

impl Slot {
    const FREE: Self = Self { base: u32::MAX, entry: NONE };

    /// Returns whether the slot is the child by this byte of the node whose base led here.
    #[inline]
    fn is(self, byte: u8) -> bool {
        self.base & (BYTES - 1) == u32::from(byte) && self.base != u32::MAX
    }
}

/// The state after two bytes: a base and, in the lowest byte, the length of the longest entry.
#[derive(Debug, Clone, Copy)]
struct Prefix {
    base_and_length: u32,
    entry: u32,
}

/// A trie over bytes in a double array.
#[derive(Debug)]
pub(super) struct Trie {
    slots: Vec<Slot>,
    /// The root's base.
    root: u32,
    /// The state after each pair of bytes: the base or [`CHILDLESS`], and the longest entry so far.
    pairs: Box<[Prefix]>,
}

impl Trie {
    /// Returns the trie of non-empty texts and their entries, or `None` if they have too many bytes together.
    pub(super) fn new(mut texts: Vec<(Vec<u8>, u32)>) -> Option<Self> {
        texts.sort_unstable();
        let mut builder = Builder::new();
        let root = builder.children(0, 0..texts.len(), &texts)?;
        while let Some((node, depth, mut range)) = builder.open.pop() {
            if texts[range.start].0.len() == depth {
                builder.slots[node].entry = texts[range.start].1;
                range.start += 1;
            }
            let base = builder.children(depth, range, &texts)?;
            builder.slots[node].base |= base << BYTE;
        }
        let mut trie = Self { slots: copied(&builder.slots), root, pairs: Box::default() };
        trie.pairs = (0..=u16::MAX).map(|pair| trie.after(pair.to_le_bytes())).collect();
        Some(trie)
    }

    /// Returns the state after two bytes.
    fn after(&self, bytes: [u8; 2]) -> Prefix {
        let (mut base, mut found, mut length) = (self.root, NONE, 0);
        for (end, byte) in (1..).zip(bytes) {
            let slot = self.slots[(base + u32::from(byte)) as usize];
            if !slot.is(byte) {
                base = CHILDLESS;
                break;
            }
            base = slot.base >> BYTE;
            if slot.entry != NONE {
                (found, length) = (slot.entry, end);
            }
        }
        Prefix { base_and_length: base << BYTE | length, entry: found }
    }

    /// Returns the longest entry that is a prefix of `text`, or [`NONE`], and its length.
    ///
    /// `found` is called with each entry on the way that may be the result, so that it can be prefetched.
    #[inline]
    pub(super) fn longest(&self, text: &[u8], found: impl Fn(u32)) -> (u32, usize) {
        let Some((&bytes, rest)) = text.split_first_chunk::<2>() else {
            return text.first().map_or((NONE, 0), |&byte| (self.single(byte), 1));
        };
        let Prefix { base_and_length, entry } = self.pairs[usize::from(u16::from_le_bytes(bytes))];
        let (mut base, mut longest) = (base_and_length >> BYTE, (entry, (base_and_length & (BYTES - 1)) as usize));
        for (end, &byte) in (3..).zip(rest) {
            let slot = self.slots[(base + u32::from(byte)) as usize];
            if !slot.is(byte) {
                break;
            }
            if slot.entry != NONE {
                longest = (slot.entry, end);
                found(slot.entry);
            }
            base = slot.base >> BYTE;
        }
        longest
    }

    /// Returns the entry of a single byte, or [`NONE`].
    fn single(&self, byte: u8) -> u32 {
        let slot = self.slots[(self.root + u32::from(byte)) as usize];
        if slot.is(byte) { slot.entry } else { NONE }
    }
}

/// The indices of the texts below a node.
type Range = std::ops::Range<usize>;

/// A builder of the double array.
struct Builder {
    slots: Vec<Slot>,
    free: FreeSlots,
    /// Whether a node has this base.
    bases: Vec<bool>,
    /// Nodes without children yet: slot, depth in bytes, texts.
    open: Vec<(usize, usize, Range)>,
}

impl Builder {
    fn new() -> Self {
        let free = FreeSlots::from(BYTES as usize);
        Self { slots: vec![Slot::FREE; BYTES as usize], free, bases: vec![true], open: Vec::new() }
    }

    /// Places the children of a node whose texts share `depth` bytes; returns the node's base.
    fn children(&mut self, depth: usize, range: Range, texts: &[(Vec<u8>, u32)]) -> Option<u32> {
        let mut start = range.start;
        let chunks = texts[range].chunk_by(|one, other| one.0[depth] == other.0[depth]);
        let children: Vec<(u8, Range)> = chunks
            .map(|chunk| {
                start += chunk.len();
                (chunk[0].0[depth], start - chunk.len()..start)
            })
            .collect();
        if children.is_empty() {
            return Some(CHILDLESS);
        }
        let base = self.base(&children)?;
        for (byte, range) in children {
            let child = base + u32::from(byte);
            self.free.take(child);
            self.slots[child as usize].base = u32::from(byte);
            self.open.push((child as usize, depth + 1, range));
        }
        Some(base)
    }

    /// Reserves a base for which the slots of these children are free; returns `None` if there are too many.
    fn base(&mut self, children: &[(u8, Range)]) -> Option<u32> {
        let is_free = |base: u32| self.bases.get(base as usize) != Some(&true);
        let is_negative = |base: u32| i32::try_from(base).is_err();
        let bytes = children.iter().map(|&(byte, _)| u32::from(byte));
        let base = self.free.base(&bytes, |base| !is_negative(base) && is_free(base));
        let (place, end) = (base as usize, (base + BYTES) as usize);
        if base >= BASES {
            return None;
        }
        self.bases.resize(self.bases.len().max(place + 1), false);
        self.bases[place] = true;
        // Look-ups of any byte stay within the array.
        lengthen(&mut self.slots, end, Slot::FREE);
        Some(base)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_entry() {
        let texts = ["a", "ab", "abcd", "\0", "\u{ff}", "\u{ff}\0", "b"];
        let trie = Trie::new(texts.iter().zip(0..).map(|(text, id)| (text.as_bytes().to_vec(), id)).collect()).unwrap();
        let cases = [("", NONE), ("a", 0), ("abc", 1), ("abcde", 2), ("\0\0", 3), ("ÿ", 4), ("ÿ\0x", 5), ("c", NONE)];
        for (text, id) in cases {
            assert_eq!(trie.longest(text.as_bytes(), |_| {}).0, id, "{text:?}");
        }
    }

    #[test]
    fn exactly_the_entries_are_found() {
        let mut state = 7_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        let mut texts: Vec<Vec<u8>> = (0..5000)
            .map(|_| (0..=random(6)).map(|_| u8::try_from(random(256) & random(256)).unwrap()).collect())
            .collect();
        texts.sort();
        texts.dedup();
        let trie = Trie::new(texts.iter().cloned().zip(0..).collect()).unwrap();
        for text in &texts {
            for end in 0..=text.len() {
                let known =
                    (1..=end).rev().find_map(|end| texts.binary_search_by(|other| other[..].cmp(&text[..end])).ok());
                let (entry, length) = trie.longest(&text[..end], |_| {});
                assert_eq!(entry, known.map_or(NONE, |at| u32::try_from(at).unwrap()));
                assert!(entry == NONE || length == texts[entry as usize].len());
            }
        }
    }
}
