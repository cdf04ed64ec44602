//! The cache of chunks: maps chunks that occurred before to their tokens.
//!
//! The key is the chunk before normalization; the case of ASCII letters is folded if the pipeline lowercases them. A
//! value is either token ids, or ids with offsets. The first tier holds chunks of up to fifteen bytes with few tokens,
//! in a hash table of fixed size: a bucket has two entries, and a key has two possible buckets (its primary and its
//! alternate bucket). If both are full, the older entry is evicted. All other chunks are in a second tier, which is
//! cleared when it is full. A look-up is O(1).
//!
//! A look-up compares all bytes, reads at most two buckets, and takes an entry only below its exponent (the largest
//! running score of Unigram for which it is certain). A text of new chunks bypasses the cache for a while.
//!
//! All sizes are bounded: up to 48 MB a worker for ids, up to 80 MB for offsets, and the same amount again for calls
//! that treat special tokens as text. A cache belongs to one worker and one tokenizer. It begins with 4 KB and grows
//! with what it holds; tables of megabytes ask for huge pages, since a look-up in pages of 4 KB misses the CPU's cache
//! of addresses.
//!
//! **Many cores.** Each worker learns the chunks itself, so memory and misses grow with the number of workers. Measured
//! on two cores, cl100k, ids of 12 MB of one text: with one worker the process grows by 24 MB in English and code, by
//! 51 in many languages and by 57 in Chinese; with two by 37 and by 54 to 57; with 64 by some 5 MB each, since each
//! sees less. CPU time with two workers is 1.14 to 1.25 times that with one, all of it new chunks. The first limit would
//! be the bandwidth of the CPU's shared cache, not locks: documents should come in long batches, with one process a
//! socket. Not tried: workers pinned to sockets, and caches filled from one that is read-only and shared.

use super::buckets::{Bucket, Entry};
use super::keys::{ChunkKey, HashedKey};
use crate::memory::{self, filled};

/// The largest number of bytes, and of tokens, of a chunk that is cached.
pub(super) const MAX_CACHED: usize = 255;

/// The cached tokens of a chunk of the first tier; with ids alone, a bucket of two is one cache line (64 bytes).
#[derive(Debug, Clone, Copy)]
pub(super) struct InlineTokens<T, const INLINE: usize> {
    tokens: [T; INLINE],
    count: u8,
    /// See [`Cache::exponent`].
    valid_below: u8,
}

impl<T: Copy + Default, const INLINE: usize> Default for InlineTokens<T, INLINE> {
    fn default() -> Self {
        Self { tokens: [T::default(); INLINE], count: 0, valid_below: 0 }
    }
}

impl<T, const INLINE: usize> InlineTokens<T, INLINE> {
    /// Returns all inline tokens, and the number that are valid; `None` if they are not valid at an exponent.
    #[inline(always)]
    pub(super) fn at(&self, exponent: u8) -> Option<(&[T; INLINE], usize)> {
        (self.valid_below > exponent).then_some((&self.tokens, self.count.into()))
    }
}

/// The chunk cache of one worker thread; `T` is a token id, or a token id with offsets.
///
/// An entry of the first tier holds `INLINE` tokens.
#[derive(Debug)]
pub(crate) struct Cache<T, const INLINE: usize> {
    /// The current exponent of the context: an entry is valid if its valid-below exponent is larger.
    pub(super) exponent: u8,
    buckets: Vec<Bucket<InlineTokens<T, INLINE>>>,
    /// The number of entries inserted into the first tier since it last grew.
    filled: usize,
    long: SecondTier<T>,
    /// The number of consecutive lists in which nearly all chunks were new.
    poor_lists: u32,
    /// The number of lists of chunks that still bypass the cache.
    bypassed_lists: u32,
    /// Whether many chunks of the last list were not in their primary bucket.
    is_scattered: bool,
}

impl<T, const INLINE: usize> Default for Cache<T, INLINE> {
    fn default() -> Self {
        Self {
            exponent: 0,
            buckets: Vec::new(),
            filled: 0,
            long: SecondTier::default(),
            poor_lists: 0,
            bypassed_lists: 0,
            is_scattered: true,
        }
    }
}

/// The smallest and the largest number of buckets of the first tier.
const MIN_BUCKETS: usize = 1 << 6;
const MAX_BUCKETS: usize = 1 << 17;

/// The number of consecutive lists of nearly all new chunks after which the cache is bypassed.
///
/// After a bypass, four more of these lists are sufficient.
const POOR_LISTS: u32 = 16;
/// The number of lists that bypass the cache.
const BYPASSED_LISTS: u32 = 64;

impl<T: Copy + Default, const INLINE: usize> Cache<T, INLINE> {
    /// Returns whether the chunks of the next list should be looked up; counts down the lists of a bypass.
    pub(super) fn should_look_up(&mut self) -> bool {
        let should_look_up = self.bypassed_lists == 0;
        self.bypassed_lists = self.bypassed_lists.saturating_sub(1);
        should_look_up
    }

    /// Records the hits and misses of a list.
    ///
    /// `primary` chunks were in their primary bucket, `elsewhere` were not, and `new` of these were not cached.
    pub(super) fn record_hits(&mut self, primary: usize, elsewhere: usize, new: usize) {
        self.is_scattered = 8 * elsewhere > primary;
        self.poor_lists = if new > 7 * primary { self.poor_lists + 1 } else { 0 };
        if self.poor_lists == POOR_LISTS {
            (self.poor_lists, self.bypassed_lists) = (POOR_LISTS - 4, BYPASSED_LISTS);
        }
    }

    /// Returns the first tier, to look up many chunks in their primary buckets.
    #[inline]
    pub(super) fn first_tier(&self) -> &[Bucket<InlineTokens<T, INLINE>>] {
        &self.buckets
    }

    /// Returns the tokens of a short chunk from its alternate bucket.
    pub(super) fn alternate(&self, HashedKey { key, hash }: HashedKey) -> Option<(&[T; INLINE], usize)> {
        if key == ChunkKey::NONE {
            return None;
        }
        Bucket::get(&self.buckets, HashedKey { key, hash: hash >> 32 })?.at(self.exponent)
    }

    /// Prefetches the first slot of a chunk of the second tier.
    #[inline]
    pub(super) fn prefetch_long(&self, hash: u64) {
        self.long.prefetch(hash);
    }

    /// Prefetches the alternate bucket and the slot of a short chunk, or the bytes and tokens of a long one.
    ///
    /// A short chunk with more than `INLINE` tokens is in a slot of the second tier.
    #[inline]
    pub(super) fn prefetch_alternate(&self, key: HashedKey) {
        if key.key == ChunkKey::NONE {
            self.long.prefetch_contents(key.hash);
        } else {
            Bucket::prefetch(&self.buckets, key.hash >> 32);
            self.long.prefetch(key.hash);
        }
    }

    /// Returns whether many of the last chunks were not in their primary bucket.
    pub(super) fn is_scattered(&self) -> bool {
        self.is_scattered
    }

    /// Returns the tokens of a chunk of the second tier.
    pub(super) fn long(&self, HashedKey { hash, .. }: HashedKey, chunk: &str) -> Option<&[T]> {
        self.long.get(hash, chunk.as_bytes(), self.exponent)
    }

    /// Inserts the tokens of a chunk that is in neither tier; they are valid below an exponent.
    pub(super) fn insert(&mut self, HashedKey { key, hash }: HashedKey, chunk: &str, tokens: &[T], valid_below: u8) {
        if valid_below <= self.exponent {
            // These tokens are not valid at the current exponent, so they are of no use; they may be cached already.
        } else if key != ChunkKey::NONE && tokens.len() <= INLINE {
            self.insert_short(key, tokens, valid_below);
        } else if chunk.len() <= MAX_CACHED && tokens.len() <= MAX_CACHED {
            self.long.insert(hash, chunk.as_bytes(), tokens, valid_below);
        }
    }

    fn insert_short(&mut self, key: ChunkKey, tokens: &[T], valid_below: u8) {
        let count = u8::try_from(tokens.len()).unwrap_or_default();
        let mut value = InlineTokens { count, valid_below, ..InlineTokens::default() };
        value.tokens[..tokens.len()].copy_from_slice(tokens);
        let size = self.buckets.len();
        if size == 0 || (self.filled * 2 > size && size < MAX_BUCKETS) {
            self.filled = 0;
            for entry in Bucket::grow(&mut self.buckets, MIN_BUCKETS, MAX_BUCKETS) {
                self.put(entry);
            }
        }
        self.put(Entry { key, value });
    }

    fn put(&mut self, entry: Entry<InlineTokens<T, INLINE>>) {
        let hash = entry.key.hash();
        let places = [hash, hash >> 32].map(|half| Bucket::place(&self.buckets, half));
        let has_room = |place: &usize| self.buckets[*place].0[1].is_empty();
        let place = places.into_iter().find(has_room).unwrap_or(places[0]);
        let bucket = &mut self.buckets[place].0;
        *bucket = [entry, bucket[0]];
        self.filled += 1;
    }
}

/// The second tier: chunks and tokens in two arrays, and an index with open addressing.
#[derive(Debug)]
struct SecondTier<T> {
    slots: Vec<Slot>,
    filled: usize,
    bytes: Vec<u8>,
    tokens: Vec<T>,
}

impl<T> Default for SecondTier<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), filled: 0, bytes: Vec::new(), tokens: Vec::new() }
    }
}

/// The position of a chunk and its tokens, and 32 bits of its hash.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    tag: u32,
    start: u32,
    first: u32,
    /// 0 in an empty slot.
    length: u8,
    count: u8,
    valid_below: u8,
}

/// The smallest and the largest number of slots; at most half of them are filled.
const MIN_SLOTS: usize = 1 << 6;
const MAX_SLOTS: usize = 1 << 19;
/// The largest number of slots that are probed for a chunk.
const MAX_PROBES: usize = 16;
/// The largest number of bytes, and of tokens.
const MAX_BYTES: usize = 1 << 24;
const MAX_TOKENS: usize = 1 << 22;

impl<T: Copy> SecondTier<T> {
    fn get(&self, hash: u64, chunk: &[u8], exponent: u8) -> Option<&[T]> {
        let tag = tag(hash);
        for place in self.probes(tag) {
            let slot = self.slots.get(place)?;
            if slot.length == 0 {
                return None;
            }
            if slot.tag == tag && self.chunk(*slot) == chunk {
                let tokens = &self.tokens[slot.first as usize..][..usize::from(slot.count)];
                return Some(tokens).filter(|_| slot.valid_below > exponent);
            }
        }
        None
    }

    #[inline]
    fn prefetch(&self, hash: u64) {
        if let Some(slot) = self.slots.get(self.place(tag(hash))) {
            memory::prefetch(slot);
        }
    }

    #[inline]
    fn prefetch_contents(&self, hash: u64) {
        if let Some(slot) = self.slots.get(self.place(tag(hash))).filter(|slot| slot.tag == tag(hash)) {
            self.bytes.get(slot.start as usize).into_iter().for_each(memory::prefetch);
            self.tokens.get(slot.first as usize).into_iter().for_each(memory::prefetch);
        }
    }

    fn chunk(&self, slot: Slot) -> &[u8] {
        &self.bytes[slot.start as usize..][..usize::from(slot.length)]
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "chunks have up to MAX_CACHED bytes and tokens, all of them far fewer than 2^32"
    )]
    fn insert(&mut self, hash: u64, chunk: &[u8], tokens: &[T], valid_below: u8) {
        let has_room = self.bytes.len() + chunk.len() <= MAX_BYTES && self.tokens.len() + tokens.len() <= MAX_TOKENS;
        if !has_room || self.filled == MAX_SLOTS / 2 {
            self.clear();
        }
        if self.filled * 2 >= self.slots.len() {
            self.grow();
        }
        let (start, first) = (self.bytes.len() as u32, self.tokens.len() as u32);
        let (length, count) = (chunk.len() as u8, tokens.len() as u8);
        self.put(Slot { tag: tag(hash), start, first, length, count, valid_below });
        self.filled += 1;
        append(&mut self.bytes, chunk, MAX_BYTES);
        append(&mut self.tokens, tokens, MAX_TOKENS);
    }

    fn clear(&mut self) {
        self.slots.fill(Slot::default());
        self.filled = 0;
        self.bytes.clear();
        self.tokens.clear();
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 4).clamp(MIN_SLOTS, MAX_SLOTS);
        let old = std::mem::replace(&mut self.slots, filled(Slot::default(), size));
        for slot in old.into_iter().filter(|slot| slot.length != 0) {
            self.put(slot);
        }
    }

    fn put(&mut self, slot: Slot) {
        let is_empty = |place: &usize| self.slots[*place].length == 0;
        let place = self.probes(slot.tag).find(is_empty).unwrap_or_else(|| self.place(slot.tag));
        self.slots[place] = slot;
    }

    /// Returns the slots to probe for a chunk: few, however many chunks with equal hashes someone makes on purpose.
    fn probes(&self, tag: u32) -> impl Iterator<Item = usize> + use<T> {
        let (first, mask) = (self.place(tag), self.slots.len().wrapping_sub(1));
        (0..MAX_PROBES).map(move |more| (first + more) & mask)
    }

    /// Returns the first slot to probe for a chunk.
    fn place(&self, tag: u32) -> usize {
        // The number of slots is a power of two.
        tag as usize & self.slots.len().wrapping_sub(1)
    }
}

/// Appends values to others, together at most `most`, whose memory grows by doubling up to that number.
fn append<T: Copy>(all: &mut Vec<T>, more: &[T], most: usize) {
    let length = all.len() + more.len();
    if all.capacity() < length {
        all.reserve_exact((2 * all.capacity()).clamp(length, most) - all.len());
    }
    all.extend_from_slice(more);
}

/// Returns the upper 32 bits of a hash, which choose the alternate bucket of a short chunk.
fn tag(hash: u64) -> u32 {
    (hash >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::super::keys::KeyFold;
    use super::*;

    fn key(text: &str, lowercase: bool) -> ChunkKey {
        ChunkKey::new(text.as_bytes(), 0, text.len(), if lowercase { KeyFold::Case } else { KeyFold::Nothing })
    }

    fn long(chunk: &str) -> HashedKey {
        HashedKey::long(chunk.as_bytes())
    }

    impl Cache<u32, 3> {
        fn short(&self, key: ChunkKey) -> Option<(&[u32; 3], usize)> {
            let key = HashedKey::of(key);
            Bucket::get(&self.buckets, key).and_then(|tokens| tokens.at(0)).or_else(|| self.alternate(key))
        }
    }

    #[test]
    fn keys_are_the_bytes_and_their_number() {
        assert_eq!(
            key("ab", false),
            ChunkKey::new("xab and what follows".as_bytes(), 1, 3, KeyFold::Nothing),
            "at the end and before it"
        );
        assert_ne!(key("ab", false), key("ab\0", false));
        assert_ne!(key("Ab", false), key("ab", false));
        assert_eq!(key("Abé[`@Z", true), key("abé[`@z", true));
    }

    #[test]
    fn the_first_tier_keeps_few_tokens_and_forgets_the_oldest() {
        let mut cache = Cache::<u32, 3>::default();
        assert!(cache.short(key("a", false)).is_none());
        cache.insert(HashedKey::of(key("a", false)), "a", &[1, 2, 3, 4], 1);
        assert!(cache.short(key("a", false)).is_none());
        assert_eq!(
            cache.long(HashedKey::of(key("a", false)), "a"),
            Some([1, 2, 3, 4].as_slice()),
            "it has more than INLINE tokens"
        );
        for number in 0..500_000 {
            let chunk = number.to_string();
            cache.insert(HashedKey::of(key(&chunk, false)), &chunk, &[number, 7], 1);
            assert_eq!(cache.short(key(&chunk, false)), Some((&[number, 7, 0], 2)));
        }
        assert_eq!(cache.buckets.len(), MAX_BUCKETS);
        let kept = (0..500_000_u32).filter(|number| cache.short(key(&number.to_string(), false)).is_some()).count();
        assert!((MAX_BUCKETS * 3 / 2..=2 * MAX_BUCKETS).contains(&kept), "{kept}");
    }

    #[test]
    fn the_second_tier_is_bounded() {
        let mut cache = Cache::<u32, 3>::default();
        for number in 0..600_000 {
            let chunk = format!("a long chunk {number}");
            assert_eq!(cache.long(long(&chunk), &chunk), None);
            cache.insert(long(&chunk), &chunk, &[number, 1], 1);
            assert_eq!(cache.long(long(&chunk), &chunk), Some([number, 1].as_slice()));
            let SecondTier { filled, bytes, tokens, .. } = &cache.long;
            assert!(*filled <= MAX_SLOTS / 2 && bytes.len() <= MAX_BYTES && tokens.len() <= MAX_TOKENS);
        }
        for number in 0..1000 {
            let (key, chunk) = (HashedKey { key: ChunkKey::NONE, hash: 7 << 32 }, format!("equal hashes {number}"));
            cache.insert(key, &chunk, &[number], 1);
            assert_eq!(cache.long(key, &chunk), Some([number].as_slice()));
        }
        let chunk = "a".repeat(MAX_CACHED + 1);
        cache.insert(long(&chunk), &chunk, &[1], 1);
        assert_eq!(cache.long(long(&chunk), &chunk), None, "too long");
    }
}
