//! A trie over bytes in a double array: the entries that are prefixes of a text.
//!
//! The index of a child is the node's base XOR the byte (as in Darts). No two nodes have the same base, so a slot that
//! stores its byte identifies its parent.

/// The value for "no entry".
pub(crate) const NONE: u32 = u32::MAX;
/// The number of slots among which the children of one node are.
const BLOCK: u32 = 256;
/// The number of bits of a slot's byte.
const BYTE: u32 = 8;
/// The upper limit of bases, which share 32 bits with a byte.
const BASES: u32 = 1 << (32 - BYTE);

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
        self.base & (BLOCK - 1) == u32::from(byte) && self.base != u32::MAX
    }
}

/// A trie over bytes in a double array.
#[derive(Debug)]
pub(crate) struct Trie {
    slots: Vec<Slot>,
    /// The root's base.
    root: u32,
    /// The state after each pair of bytes: the base or 0, and the longest entry so far.
    pairs: Box<[(u32, u32)]>,
}

impl Trie {
    /// Returns the trie of non-empty texts and their entries, or `None` if they have too many bytes together.
    pub(crate) fn new(mut texts: Vec<(Vec<u8>, u32)>) -> Option<Self> {
        texts.sort_unstable();
        let mut builder = Builder::default();
        // A node without children has base 0, whose block must stay empty.
        builder.grow(false);
        builder.grow(true);
        let root = builder.children(0, 0..texts.len(), &texts)?;
        while let Some((node, depth, mut range)) = builder.open.pop() {
            if texts[range.start].0.len() == depth {
                builder.slots[node].entry = texts[range.start].1;
                range.start += 1;
            }
            let base = builder.children(depth, range, &texts)?;
            builder.slots[node].base |= base << BYTE;
        }
        Some(Self { slots: builder.slots, root, pairs: Box::default() })
    }

    /// Returns the trie with the table of byte pairs that [`Self::longest`] requires.
    #[must_use]
    pub(crate) fn with_pairs(mut self) -> Self {
        self.pairs = (0..=u16::MAX).map(|pair| self.after(pair.to_le_bytes())).collect();
        self
    }

    /// Returns the state after two bytes.
    fn after(&self, bytes: [u8; 2]) -> (u32, u32) {
        let (mut base, mut longest) = (self.root, NONE);
        for byte in bytes {
            let slot = self.slots[(base ^ u32::from(byte)) as usize];
            if !slot.is(byte) {
                return (0, longest);
            }
            (base, longest) = (slot.base >> BYTE, if slot.entry == NONE { longest } else { slot.entry });
        }
        (base, longest)
    }

    /// Returns the longest entry that is a prefix of `text`, or [`NONE`]; requires [`Self::with_pairs`].
    #[inline]
    pub(crate) fn longest(&self, text: &[u8]) -> u32 {
        let Some((&bytes, rest)) = text.split_first_chunk::<2>() else {
            return text.first().map_or(NONE, |&byte| self.single(byte));
        };
        let (mut base, mut longest) = self.pairs[usize::from(u16::from_le_bytes(bytes))];
        for &byte in rest {
            let slot = self.slots[(base ^ u32::from(byte)) as usize];
            if !slot.is(byte) {
                break;
            }
            if slot.entry != NONE {
                longest = slot.entry;
            }
            base = slot.base >> BYTE;
        }
        longest
    }

    /// Calls `each` with the length in bytes and the entry of each prefix of `text`, the shortest first.
    pub(crate) fn each(&self, text: &[u8], mut each: impl FnMut(usize, u32)) {
        let mut base = self.root;
        for (length, &byte) in (1..).zip(text) {
            let slot = self.slots[(base ^ u32::from(byte)) as usize];
            if !slot.is(byte) {
                return;
            }
            if slot.entry != NONE {
                each(length, slot.entry);
            }
            base = slot.base >> BYTE;
        }
    }

    /// Returns the entry of a single byte, or [`NONE`].
    fn single(&self, byte: u8) -> u32 {
        let slot = self.slots[(self.root ^ u32::from(byte)) as usize];
        if slot.is(byte) { slot.entry } else { NONE }
    }
}

/// The indices of the texts below a node.
type Range = std::ops::Range<usize>;

/// A builder of the double array.
#[derive(Default)]
struct Builder {
    slots: Vec<Slot>,
    /// The free slots and the free bases, as bits.
    free: Vec<u64>,
    bases: Vec<u64>,
    /// Nodes without children yet: slot, depth in bytes, texts.
    open: Vec<(usize, usize, Range)>,
}

impl Builder {
    /// Adds a block of free slots, or of unusable ones.
    fn grow(&mut self, usable: bool) {
        self.slots.resize(self.slots.len() + BLOCK as usize, Slot::FREE);
        let bits = if usable { u64::MAX } else { 0 };
        self.free.resize(self.slots.len() / 64, bits);
        self.bases.resize(self.slots.len() / 64, bits);
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
            return Some(0);
        }
        let base = self.base(&children)?;
        clear(&mut self.bases, base as usize);
        for (byte, range) in children {
            let child = (base ^ u32::from(byte)) as usize;
            clear(&mut self.free, child);
            self.slots[child].base = u32::from(byte);
            self.open.push((child, depth + 1, range));
        }
        Some(base)
    }

    /// Returns a base for which the slots of these children are free.
    fn base(&mut self, children: &[(u8, Range)]) -> Option<u32> {
        /// Only the last blocks are searched, and only this many of their free slots; others stay empty.
        const SEARCHED: usize = 4 * BLOCK as usize / 64;
        const TRIED: usize = 64;
        let first = u32::from(children[0].0);
        let words = self.free.len().saturating_sub(SEARCHED)..self.free.len();
        let free = words.flat_map(|word| bits(self.free[word]).map(move |bit| 64 * word + bit)).take(TRIED);
        let fits = |base: u32| {
            is_set(&self.bases, base as usize)
                && children.iter().all(|(byte, _)| is_set(&self.free, (base ^ u32::from(*byte)) as usize))
        };
        let found = free.filter_map(|at| u32::try_from(at).ok()).map(|at| at ^ first).find(|&base| fits(base));
        if found.is_some() {
            return found;
        }
        let base = u32::try_from(self.slots.len()).ok().filter(|&base| base < BASES - BLOCK)?;
        self.grow(true);
        Some(base)
    }
}

/// Returns the indices of the set bits.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        bit
    })
}

fn is_set(bits: &[u64], at: usize) -> bool {
    bits[at / 64] >> (at % 64) & 1 == 1
}

fn clear(bits: &mut [u64], at: usize) {
    bits[at / 64] &= !(1 << (at % 64));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_entry() {
        let texts = ["a", "ab", "abcd", "\0", "\u{ff}", "\u{ff}\0", "b"];
        let trie = Trie::new(texts.iter().zip(0..).map(|(text, id)| (text.as_bytes().to_vec(), id)).collect())
            .unwrap()
            .with_pairs();
        let cases = [("", NONE), ("a", 0), ("abc", 1), ("abcde", 2), ("\0\0", 3), ("ÿ", 4), ("ÿ\0x", 5), ("c", NONE)];
        for (text, id) in cases {
            assert_eq!(trie.longest(text.as_bytes()), id, "{text:?}");
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
        let trie = Trie::new(texts.iter().cloned().zip(0..).collect()).unwrap().with_pairs();
        for text in &texts {
            for end in 0..=text.len() {
                let known =
                    (1..=end).rev().find_map(|end| texts.binary_search_by(|other| other[..].cmp(&text[..end])).ok());
                assert_eq!(trie.longest(&text[..end]), known.map_or(NONE, |at| u32::try_from(at).unwrap()));
                let mut found = Vec::new();
                trie.each(&text[..end], |length, entry| found.push((length, entry as usize)));
                let wanted = (1..=end)
                    .filter_map(|end| Some((end, texts.binary_search_by(|other| other[..].cmp(&text[..end])).ok()?)));
                assert!(found.into_iter().eq(wanted));
            }
        }
    }
}
